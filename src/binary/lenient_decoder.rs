//! Decodes content in pieces and passes over malformed sequences.

use crate::codec::{Decoder, Status};
use crate::options::EncodingSpec;

/// Bytes of text that are decoded at a time.
const TEXT_BUFFER_SIZE: usize = 16 * 1024;

/// A decoder that reads content in pieces.
pub(super) struct LenientDecoder {
    decoder: Box<dyn Decoder>,
    /// An incomplete character at the end of the last piece.
    carry: Vec<u8>,
    buffer: Vec<u8>,
}

impl LenientDecoder {
    pub(super) fn new(encoding: &EncodingSpec) -> LenientDecoder {
        let decoder = encoding.encoding.decoder(&encoding.options);
        LenientDecoder { decoder, carry: Vec::new(), buffer: vec![0; TEXT_BUFFER_SIZE] }
    }

    /// Decodes the next bytes.
    pub(super) fn decode(&mut self, bytes: &[u8], end: bool, mut on_text: impl FnMut(&str)) {
        let mut input = std::mem::take(&mut self.carry);
        input.extend_from_slice(bytes);
        let mut read = 0;
        loop {
            let progress = self.decoder.decode(&input[read..], &mut self.buffer, end);
            read += progress.read;
            on_text(std::str::from_utf8(&self.buffer[..progress.written]).unwrap_or_default());
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(malformed) => {
                    read += malformed.resume_len;
                    self.decoder.restore_state(malformed.resume_state);
                }
            }
        }
        input.drain(..read);
        self.carry = input;
    }
}
