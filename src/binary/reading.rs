//! Decodes content in pieces and passes over malformed sequences.

use crate::codec::{Decoder, Stop};
use crate::plan::Encoding;

/// Bytes of text that are decoded at a time.
const SPACE: usize = 16 * 1024;

/// A decoder that reads content in pieces.
pub(super) struct Reading {
    decoder: Box<dyn Decoder>,
    /// An incomplete character at the end of the last piece.
    held: Vec<u8>,
    space: Vec<u8>,
}

impl Reading {
    pub(super) fn new(encoding: &Encoding) -> Reading {
        let decoder = encoding.charset.decoder(&encoding.settings);
        Reading { decoder, held: Vec::new(), space: vec![0; SPACE] }
    }

    /// Decodes the next bytes.
    pub(super) fn decode(&mut self, bytes: &[u8], end: bool, mut take: impl FnMut(&str)) {
        let mut input = std::mem::take(&mut self.held);
        input.extend_from_slice(bytes);
        let mut read = 0;
        loop {
            let progress = self.decoder.decode(&input[read..], &mut self.space, end);
            read += progress.read;
            take(std::str::from_utf8(&self.space[..progress.written]).unwrap_or_default());
            match progress.stop {
                Stop::Input => break,
                Stop::Output => {}
                Stop::Fault(malformed) => {
                    read += malformed.next;
                    self.decoder.resume(malformed.then);
                }
            }
        }
        input.drain(..read);
        self.held = input;
    }
}
