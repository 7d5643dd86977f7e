//! The decoder of all encodings that are nothing but a mapping.
//!
//! The loop converts what is plain and says how far it came; a single step settles what is not,
//! and it alone finds errors.

use super::mapping::{MappingError, MultiByteMapping};
use super::pair_table;
use super::trie::ROOT;
use crate::codec::{Checkpoint, Decoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::kernel;
use crate::kernel::dbcs::PairTable;

/// Bytes of the longest text of a code, and of the longest code.
pub const MAX_LOOKAHEAD: usize = 8;

/// Remembers nothing: an unfinished code stays unread.
pub struct MultiByteDecoder {
    mapping: MultiByteMapping,
    /// Whether all bytes 00 to 7F are ASCII.
    is_ascii_superset: bool,
    /// A table for large inputs.
    pair_table: Option<PairTable>,
}

impl MultiByteDecoder {
    pub fn new(mapping: MultiByteMapping) -> MultiByteDecoder {
        let straight = mapping.ascii && mapping.trie.byte_range(ROOT).0 >= 0x80;
        MultiByteDecoder { mapping, is_ascii_superset: straight, pair_table: None }
    }

    /// Decodes runs of ASCII and of plain two-byte codes, while there is space enough.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if let Some(quick) = &self.pair_table {
            let (read, written) = quick.decode(src, dst);
            if read > 0 {
                return (read, written);
            }
        }
        if !self.is_ascii_superset {
            return self.mapping.decode_fast(src, dst, false);
        }
        let (mut read, mut written) = (0, 0);
        loop {
            let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
            let (more, put) =
                self.mapping.decode_fast(&src[read + ascii..], &mut dst[written + ascii..], true);
            read += ascii + more;
            written += ascii + put;
            if more == 0 {
                return (read, written);
            }
        }
    }
}

impl Checkpoint for MultiByteDecoder {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl Decoder for MultiByteDecoder {
    fn prepare_for_large_input(&mut self) {
        self.pair_table = pair_table::build_pair_table(&self.mapping);
    }

    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.decode_run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            let rest = &src[read..];
            if rest.is_empty() {
                return Progress::input_empty(read, written);
            }
            let error = match self.mapping.decode_one(rest) {
                Ok(unit) if dst.len() - written < unit.chars.len() => {
                    return Progress::output_full(read, written);
                }
                Ok(unit) => {
                    unit.chars.write_to(&mut dst[written..]);
                    written += unit.chars.len();
                    read += unit.len;
                    continue;
                }
                Err(MappingError::Incomplete) if !end => {
                    return Progress::input_empty(read, written);
                }
                Err(MappingError::Incomplete) => {
                    Malformed::new(rest.len(), MalformedReason::Truncated, State::INITIAL)
                }
                Err(MappingError::Malformed(len, reason)) => {
                    Malformed::new(len, reason, State::INITIAL)
                }
            };
            return Progress::error(read, written, error);
        }
    }

    fn repeat_count(&self, src: &[u8], error: Malformed) -> usize {
        match src {
            // Each but the last few has the same after it, as far as a code goes.
            [byte, ..] if error.len == 1 => {
                kernel::count::run_length(src, *byte).saturating_sub(MAX_LOOKAHEAD).max(1)
            }
            _ => 1,
        }
    }
}
