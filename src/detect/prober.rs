//! An encoding put to the test: does its decoder read the input without an error, and what comes out?

use crate::codec::{Decoder, Status};
use crate::conversion_error::MalformedReason;
use crate::encoding::{self, Encoding, EncodingOptions};

use super::text_stats::TextStats;

/// Bytes of text that are decoded at a time.
const TEXT_BUFFER_SIZE: usize = 16 * 1024;

/// A decoder at work on an input.
pub(super) struct DecoderProber {
    pub(super) encoding: &'static Encoding,
    pub(super) stats: TextStats,
    decoder: Box<dyn Decoder>,
    /// The beginning of a character that the bytes so far cut off.
    carry: Vec<u8>,
    buffer: Vec<u8>,
    has_error: bool,
    truncated: bool,
    /// Whether the whole input is read, past errors and whatever the text looks like.
    continues_after_errors: bool,
}

impl DecoderProber {
    /// A trial of the encoding of this name, if there is one.
    pub(super) fn for_label(name: &str) -> Option<DecoderProber> {
        encoding::for_label(name).map(DecoderProber::new)
    }

    pub(super) fn new(encoding: &'static Encoding) -> DecoderProber {
        let decoder = encoding.decoder(&EncodingOptions::default());
        let (stats, carry, buffer) = (TextStats::default(), Vec::new(), vec![0; TEXT_BUFFER_SIZE]);
        DecoderProber {
            encoding: encoding,
            stats: stats,
            decoder,
            carry: carry,
            buffer: buffer,
            has_error: false,
            truncated: false,
            continues_after_errors: false,
        }
    }

    /// Makes the trial read the whole input, because there is no other candidate whose line ends
    /// could be reported.
    pub(super) fn continue_after_errors(&mut self) {
        self.continues_after_errors = true;
    }

    /// Whether the encoding has not failed yet.
    pub(super) fn is_alive(&self) -> bool {
        !self.has_error && !self.stats.is_rejected()
    }

    /// Whether the input ended inside a character.
    pub(super) fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Decodes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.decode(bytes, false);
    }

    /// The input ends here.
    pub(super) fn finish(&mut self) {
        self.decode(&[], true);
    }

    fn decode(&mut self, bytes: &[u8], end: bool) {
        let mut input = std::mem::take(&mut self.carry);
        input.extend_from_slice(bytes);
        let mut read = 0;
        while self.continues_after_errors || self.is_alive() {
            let progress = self.decoder.decode(&input[read..], &mut self.buffer, end);
            read += progress.read;
            let text = std::str::from_utf8(&self.buffer[..progress.written]);
            self.stats.feed(text.unwrap_or("\0"));
            match progress.status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(malformed)
                    if end && malformed.reason == MalformedReason::Truncated =>
                {
                    self.truncated = true;
                    return;
                }
                Status::Error(error) => {
                    self.has_error = true;
                    // A CR before malformed bytes and an LF after them are two line ends.
                    self.stats.feed("\u{FFFD}");
                    self.decoder.restore_state(error.resume_state);
                    read += error.resume_len;
                }
            }
        }
        input.drain(..read);
        self.carry = input;
    }
}
