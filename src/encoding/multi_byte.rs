//! Encodings with codes of one to four bytes without shifts: EUC, Shift_JIS, Big5, GBK, GB 18030, …
//!
//! One decoder and one encoder serve all of them. An encoding is a [`MultiByteMapping`]: a trie
//! over its lead bytes, and cells that all encodings share. The files in `data/` are generated from
//! the mappings in `tests/mappings/`. The decoder uses them in place; the encoder inverts its
//! mapping on construction.
//!
//! # Errors
//!
//! A malformed sequence ends with the byte that shows the error, but before an ASCII byte after the
//! first byte: a lead byte never consumes a quotation mark or a newline. There are two exceptions:
//! a four-byte code of GB 18030 with valid structure is one error, including its digits, and so is
//! an invalid pair in a set without ASCII. This is the rule of the Encoding Standard.

pub(super) mod cells;
pub(super) mod encode_table;
mod encodings;
pub(super) mod fast_encode;
pub(super) mod mapping;
#[cfg(test)]
mod tests;
mod trie;

use super::{CodecFactory, Encoding, EncodingOptions, refs};
use crate::codec::{Checkpoint, Decoder, Encoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::kernel;
use crate::kernel::dbcs::DbcsEncodeTable;
use crate::kernel::dbcs::PairTable;
use crate::split::{ByteSet, SplitRule, SplitTarget};
use encode_table::{CodeBytes, EncodeStep, MultiByteEncodeTable};
use mapping::{Gb18030Ranges, MappingError, MultiByteMapping};
use trie::ROOT;

/// All multi-byte encodings, in the order of the manual.
pub const ALL: &[&Encoding] = &refs(&encodings::ENCODINGS);

impl CodecFactory for MultiByteMapping {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn Decoder> {
        Box::new(MultiByteDecoder::new(*self))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn Encoder> {
        Box::new(MultiByteEncoder::new(self))
    }

    fn encoder_with_substitutes(
        &self,
        substitutes: &[(char, Option<char>)],
    ) -> Option<Box<dyn Encoder>> {
        let mut encoder = MultiByteEncoder::new(self);
        let code_of = |character| encoder.table.single(character);
        let code = |&(from, to): &(char, Option<char>)| (from, to.map_or(0, code_of));
        let codes: Vec<(char, CodeBytes)> = substitutes.iter().map(code).collect();
        codes.into_iter().for_each(|(from, code)| encoder.table.insert(from, code));
        Some(Box::new(encoder))
    }

    fn split_rule(&self, _: &EncodingOptions) -> SplitRule {
        let rule = if self.ascii {
            SplitRule::AFTER_LINE_FEED
        } else {
            let bytes = ByteSet::from_fn(|byte| self.is_in_no_code(byte));
            SplitRule::after(bytes, ByteSet::EMPTY)
        };
        if self.has_pairs {
            rule.with_target(SplitTarget::AfterLineFeed { header: false })
        } else {
            rule
        }
    }

    fn engine(&self) -> Option<&'static str> {
        Some(match (self.gb18030_ranges, self.ascii) {
            (Some(_), _) => "multi-byte with four-byte codes",
            (None, true) => "multi-byte with ASCII",
            (None, false) => "multi-byte without ASCII",
        })
    }
}

/// The length of the longest text of a code, and of the longest code.
const MAX_LOOKAHEAD: usize = 8;

/// A stateless decoder: an incomplete code is left unread.
struct MultiByteDecoder {
    mapping: MultiByteMapping,
    /// Whether all bytes 00 to 7F are ASCII.
    is_ascii_superset: bool,
    /// A table for large inputs.
    pair_table: Option<PairTable>,
}

impl MultiByteDecoder {
    fn new(mapping: MultiByteMapping) -> MultiByteDecoder {
        let is_ascii_superset = mapping.ascii && mapping.trie.byte_range(ROOT).0 >= 0x80;
        MultiByteDecoder { mapping, is_ascii_superset, pair_table: None }
    }

    /// Decodes runs of ASCII and of two-byte codes, while `dst` has space; returns the number of
    /// bytes read and written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if let Some(table) = &self.pair_table {
            let (read, written) = table.decode(src, dst);
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
            let (run_read, run_written) =
                self.mapping.decode_fast(&src[read + ascii..], &mut dst[written + ascii..], true);
            read += ascii + run_read;
            written += ascii + run_written;
            if run_read == 0 {
                return (read, written);
            }
        }
    }
}

impl Checkpoint for MultiByteDecoder {
    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl Decoder for MultiByteDecoder {
    fn prepare_for_large_input(&mut self) {
        self.pair_table = mapping::build_pair_table(&self.mapping);
    }

    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (run_read, run_written) = self.decode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            let rest = &src[read..];
            if rest.is_empty() {
                return Progress::input_empty(read, written);
            }
            let error = match self.mapping.decode_one(rest) {
                Ok(code) if dst.len() - written < code.chars.len() => {
                    return Progress::output_full(read, written);
                }
                Ok(code) => {
                    code.chars.write_to(&mut dst[written..]);
                    written += code.chars.len();
                    read += code.len;
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
            // Each but the last few is followed by the same bytes within the length of a code.
            [byte, ..] if error.len == 1 => {
                kernel::count::run_length(src, *byte).saturating_sub(MAX_LOOKAHEAD).max(1)
            }
            _ => 1,
        }
    }
}

/// The number of bytes of text encoded one character at a time after a run.
const CHUNK_LEN: usize = 16;

/// A stateless encoder: a character whose code depends on the next one is left unread.
struct MultiByteEncoder {
    table: MultiByteEncodeTable,
    gb18030_ranges: Option<Gb18030Ranges>,
    /// Whether ASCII is encoded as itself.
    is_ascii_superset: bool,
    /// Whether NUL is encoded as itself. Its code cannot be in the table, where 0 means none.
    encodes_nul: bool,
}

impl MultiByteEncoder {
    fn new(mapping: &MultiByteMapping) -> MultiByteEncoder {
        let mut table = MultiByteEncodeTable::new();
        encode_table::add_mapping(&mut table, mapping, 0);
        encode_table::apply_one_way(&mut table, mapping, 0);
        let is_identity = |byte: u8| table.single(char::from(byte)) == CodeBytes::from(byte);
        let is_ascii_superset = mapping.ascii && (1..0x80).all(is_identity);
        let ranges = mapping.gb18030_ranges.filter(|ranges| ranges.is_encodable);
        MultiByteEncoder {
            table,
            is_ascii_superset,
            gb18030_ranges: ranges,
            encodes_nul: mapping.ascii,
        }
    }

    /// Encodes characters whose codes do not depend on what follows, while `dst` has space; returns
    /// the number of bytes read and written.
    fn encode_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        loop {
            let codes = DbcsEncodeTable {
                entries: self.table.bmp_codes(),
                is_ascii_compatible: self.is_ascii_superset,
            };
            let (run_read, run_written) = codes.encode(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            let (run_read, run_written) = self.encode_scalar_run(&src[read..], &mut dst[written..]);
            if run_read == 0 {
                return (read, written);
            }
            read += run_read;
            written += run_written;
        }
    }

    /// Encodes up to [`CHUNK_LEN`] bytes one by one, up to a character whose code depends on what
    /// follows.
    fn encode_scalar_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while read < CHUNK_LEN {
            let Some(space) = dst[written..].first_chunk_mut::<4>() else { break };
            let Some((character, len)) = encode_table::char_at(src, read) else { break };
            let code = self.table.single(character);
            if code == 0 {
                break;
            }
            *space = code.to_le_bytes();
            written += encode_table::code_len(code);
            read += len;
        }
        (read, written)
    }

    /// Returns the code of the first character or two of `text`.
    fn encode_one(&self, text: &str, end: bool) -> MultiByteStep {
        let Some(character) = text.chars().next() else { return MultiByteStep::NeedMore };
        if character == '\0' && self.encodes_nul {
            return MultiByteStep::Bytes([0; 4], 1, 1);
        }
        match self.table.encode_first(text, end) {
            EncodeStep::NeedMore => MultiByteStep::NeedMore,
            EncodeStep::Code(code, len) => {
                MultiByteStep::Bytes(code.to_le_bytes(), encode_table::code_len(code), len)
            }
            EncodeStep::Unmappable => {
                match self.gb18030_ranges.and_then(|ranges| ranges.encode_char(character)) {
                    Some(code) => MultiByteStep::Bytes(code, 4, character.len_utf8()),
                    None => MultiByteStep::Unmappable(character),
                }
            }
        }
    }
}

/// The result for the first character or two.
enum MultiByteStep {
    /// The bytes of the code, their number, and the length of the text.
    Bytes([u8; 4], usize, usize),
    /// A character without a code.
    Unmappable(char),
    /// The code depends on text that is not available yet.
    NeedMore,
}

impl Checkpoint for MultiByteEncoder {
    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl Encoder for MultiByteEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (run_read, run_written) = self.encode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            match self.encode_one(&src[read..], end) {
                MultiByteStep::NeedMore => return Progress::input_empty(read, written),
                MultiByteStep::Unmappable(character) => {
                    return Progress::error(read, written, Unmappable::new(character));
                }
                MultiByteStep::Bytes(_, count, _) if dst.len() - written < count => {
                    return Progress::output_full(read, written);
                }
                MultiByteStep::Bytes(bytes, count, len) => {
                    dst[written..written + count].copy_from_slice(&bytes[..count]);
                    written += count;
                    read += len;
                }
            }
        }
    }

    fn unmappable_prefix(&self, src: &str, max: usize) -> (usize, usize) {
        let (mut count, mut read) = (0, 0);
        while count < max {
            let step = self.encode_one(&src[read..], false);
            let MultiByteStep::Unmappable(character) = step else { break };
            count += 1;
            read += character.len_utf8();
        }
        (count, read)
    }
}
