//! ISO-8859-1 and US-ASCII: each byte is the code point of the same value.

use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, Decoder, Encoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::error_handler;
use crate::kernel;
use crate::split::{ByteSet, SplitRule};

/// Seven-bit ASCII (ANSI X3.4-1986).
pub static US_ASCII: Encoding = Encoding::new(
    "US-ASCII",
    "seven bits (ANSI X3.4-1986)",
    &FnFactory {
        decoder: |_| Box::new(IdentityCodec::new(0x80)),
        encoder: |_| Box::new(IdentityCodec::new(0x80)),
        split_rule: |_| SplitRule::any_byte(ByteSet::from_bytes(b"\n")),
    },
);

/// Latin alphabet No. 1, with the C1 controls at 80 to 9F.
pub static ISO_8859_1: Encoding = Encoding::new(
    "ISO-8859-1",
    "Latin alphabet No. 1 with C1 controls (ISO/IEC 8859-1)",
    &FnFactory {
        decoder: |_| Box::new(IdentityCodec::new(LATIN1_LIMIT)),
        encoder: |_| Box::new(IdentityCodec::new(LATIN1_LIMIT)),
        split_rule: |_| SplitRule::any_byte(ByteSet::from_bytes(b"\n")),
    },
);

/// The limit of an encoding in which every byte is a code point.
const LATIN1_LIMIT: u32 = 0x100;

/// The number of characters converted one by one before the kernel is tried. Between adjacent
/// errors no kernel makes progress.
const SCALAR_LIMIT: usize = 4;

/// The length in bytes from which on the kernel of ISO-8859-1 alone is faster, also for ASCII, than one
/// that copies leading ASCII first.
const LONG_LEN: usize = 256;

/// The codec of an encoding whose bytes below `limit` are the code points of the same value.
pub(super) struct IdentityCodec {
    limit: u32,
}

impl IdentityCodec {
    pub(super) const fn new(limit: u32) -> IdentityCodec {
        IdentityCodec { limit }
    }

    /// Decodes a prefix with kernels; returns the number of bytes read and written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let is_latin1 = self.limit == LATIN1_LIMIT;
        if is_latin1 && src.len() >= LONG_LEN {
            return kernel::latin1::decode(src, dst);
        }
        let ascii = kernel::ascii::copy(src, dst);
        let (read, written) = if is_latin1 {
            kernel::latin1::decode(&src[ascii..], &mut dst[ascii..])
        } else {
            (0, 0)
        };
        (ascii + read, ascii + written)
    }

    /// Encodes a prefix with kernels; returns the number of bytes read and written.
    fn encode_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let ascii = kernel::ascii::copy(src.as_bytes(), dst);
        let (read, written) = match self.limit {
            LATIN1_LIMIT => kernel::latin1::encode(&src[ascii..], &mut dst[ascii..]),
            _ => (0, 0),
        };
        (ascii + read, ascii + written)
    }
}

impl Checkpoint for IdentityCodec {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl Decoder for IdentityCodec {
    #[inline(always)]
    fn decode(&mut self, src: &[u8], dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            for _ in 0..SCALAR_LIMIT {
                let Some(&byte) = src.get(read) else {
                    return Progress::input_empty(read, written);
                };
                if u32::from(byte) >= self.limit {
                    let error = Malformed::new(1, MalformedReason::InvalidLeadByte, State::INITIAL);
                    return Progress::error(read, written, error);
                }
                let character = char::from(byte);
                if dst.len() - written < character.len_utf8() {
                    return Progress::output_full(read, written);
                }
                written += character.encode_utf8(&mut dst[written..]).len();
                read += 1;
            }
            let (run_read, run_written) = self.decode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
        }
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        src.first().map_or(1, |byte| kernel::count::run_length(src, *byte))
    }
}

impl Encoder for IdentityCodec {
    #[inline(always)]
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            for _ in 0..SCALAR_LIMIT {
                let Some(character) = src[read..].chars().next() else {
                    return Progress::input_empty(read, written);
                };
                if u32::from(character) >= self.limit {
                    return Progress::error(read, written, Unmappable::new(character));
                }
                if written == dst.len() {
                    return Progress::output_full(read, written);
                }
                dst[written] = u32::from(character) as u8;
                written += 1;
                read += character.len_utf8();
            }
            let (run_read, run_written) = self.encode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
        }
    }

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.limit {
            LATIN1_LIMIT => kernel::latin1::encode_unvalidated(src, dst),
            _ => {
                let ascii = kernel::ascii::copy(src, dst);
                (ascii, ascii)
            }
        }
    }

    fn unmappable_prefix(&self, src: &str, max: usize) -> (usize, usize) {
        error_handler::count_while(src, max, |character| u32::from(character) >= self.limit)
    }
}
