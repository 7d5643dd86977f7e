//! Encodings with codes of one to four bytes without shifts: EUC, Shift_JIS, Big5, GBK, GB 18030, …
//!
//! One decoder and one encoder serve all of them. An encoding is a [`MultiByteMapping`]: a trie
//! over its lead bytes, and cells that all encodings share. The files in `data/` are generated from
//! the mappings in `tests/mappings/`. Codecs use them in place for short texts: the decoder looks codes up,
//! the encoder searches for a few characters. For more they make tables, which all codecs of a mapping
//! share.
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
pub(super) mod lazy_encode_table;
pub(super) mod mapping;
pub(super) mod run_decoder;
#[cfg(test)]
mod tests;
pub(super) mod trie;

use std::ops::Deref;

use super::shared::Registry;
use super::{CodecFactory, Encoding, EncodingOptions, refs};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, Replacements, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{ByteSet, SplitRule, SplitTarget};
use crate::error_handler::{CharacterCode, replace_malformed, replace_unmappable};
use charpipe_kernel as kernel;
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::dbcs::DbcsEncodeTable;
use encode_table::{CodeBytes, EncodeStep, MultiByteEncodeTable, TableSource, code_len};
use lazy_encode_table::{LazyEncodeTable, SharedEncodeTable};
use mapping::{Gb18030Range, Gb18030Ranges, MappingError, MappingKey, MultiByteMapping};
use run_decoder::RunDecoder;

/// All multi-byte encodings, in the order of the manual.
pub const ALL: &[&Encoding] = &refs(&encodings::ENCODINGS);

impl CodecFactory for MultiByteMapping {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        Box::new(MultiByteDecoder::new(*self))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(MultiByteEncoder::new(self))
    }

    fn decode_short(&self, bytes: &[u8]) -> Option<String> {
        MultiByteMapping::decode_short(self, bytes)
    }

    fn encoder_with_substitutes(
        &self,
        substitutes: &[(char, Option<char>)],
    ) -> Option<Box<dyn EncodeStage>> {
        let mut table = encode_table(self);
        table.complete();
        let code_of = |character| table.codes().single(character);
        let code = |&(from, to): &(char, Option<char>)| (from, to.map_or(0, code_of));
        let codes: Vec<(char, CodeBytes)> = substitutes.iter().map(code).collect();
        codes.iter().for_each(|(from, code)| table.insert(*from, *code));
        let ascii = ascii_of(self);
        let is_kept = |byte| codes.iter().all(|(from, _)| *from != char::from(byte));
        let ascii = AsciiByteSet::new(|byte| ascii.contains(byte) && is_kept(byte));
        let tables = EncodeTables { table: SharedEncodeTable::new(table), ascii };
        Some(Box::new(MultiByteEncoder::with_tables(self, Tables::Own(Box::new(tables)))))
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
    run_decoder: Option<&'static RunDecoder>,
}

/// The length of input or text, in bytes, below which a kernel takes longer than to convert one character
/// after another, except for ASCII. The kernel that decodes needs more.
const SHORT_LEN: usize = 80;

/// Returns whether a kernel is worth its cost.
#[inline]
fn is_for_kernel(src: &[u8]) -> bool {
    src.len() >= SHORT_LEN || src.iter().take(CHUNK_LEN).all(u8::is_ascii)
}

/// The number of bytes that the kernel must read for its call to be worth its cost.
const MIN_KERNEL_LEN: usize = 32;

/// The numbers of bytes that are decoded one code at a time after the kernel has stopped: the least,
/// and the most if it stops soon again and again.
const STEPWISE_LEN: std::ops::Range<usize> = 1..256;

impl MultiByteDecoder {
    fn new(mapping: MultiByteMapping) -> MultiByteDecoder {
        MultiByteDecoder { mapping, run_decoder: RunDecoder::shared(&mapping) }
    }

    /// Decodes codes that the kernel handles, while `dst` has space; returns the numbers of bytes
    /// read and written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.run_decoder {
            Some(_) if !is_for_kernel(src) => self.mapping.decode_fast(src, dst, false),
            Some(run_decoder) => run_decoder.decode(src, dst),
            None => {
                let ascii = kernel::ascii::copy(src, dst);
                (ascii, ascii)
            }
        }
    }
}

impl Checkpoint for MultiByteDecoder {
    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl DecodeStage for MultiByteDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let mut stepwise_len = STEPWISE_LEN.start;
        loop {
            let (run_read, run_written) = self.decode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            stepwise_len = match run_read {
                0..MIN_KERNEL_LEN => (2 * stepwise_len).clamp(MIN_KERNEL_LEN, STEPWISE_LEN.end),
                _ => STEPWISE_LEN.start,
            };
            let stepwise_end = src.len().min(read + stepwise_len);
            loop {
                let (run_read, run_written) =
                    self.mapping.decode_fast(&src[read..stepwise_end], &mut dst[written..], false);
                read += run_read;
                written += run_written;
                let rest = &src[read..];
                if rest.is_empty() {
                    return Progress::input_empty(read, written);
                }
                if let Some(ranges) = self.mapping.gb18030_ranges {
                    let (run_read, run_written) = ranges.decode_run(rest, &mut dst[written..]);
                    if run_read > 0 {
                        read += run_read;
                        written += run_written;
                        if read >= stepwise_end {
                            break;
                        }
                        continue;
                    }
                }
                let error = match self.mapping.decode_one(rest) {
                    Ok(code) => {
                        let Some(len) = code.chars.write_to(&mut dst[written..]) else {
                            return Progress::output_full(read, written);
                        };
                        written += len;
                        read += code.len;
                        if read >= stepwise_end {
                            break;
                        }
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

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let root = self.mapping.trie.root_entries();
        let table = self.run_decoder.and_then(|it| Some((it, it.table_for(src)?)));
        replace_malformed(src, dst, errors, |window: &[u8; MAX_LOOKAHEAD], space| {
            if let Some((run_decoder, table)) = table {
                let next = run_decoder.decode_next(table, [window[0], window[1]], space);
                if next.is_some() {
                    return next;
                }
            }
            match self.mapping.decode_next(root, window, space) {
                Ok(lengths) => Some(Ok(lengths)),
                Err(MappingError::Malformed(len, reason)) => Some(Err((len, reason))),
                Err(MappingError::Incomplete) => None,
            }
        })
    }
}

/// The number of bytes of text encoded one character at a time after a run.
const CHUNK_LEN: usize = 16;

/// What all encoders of a mapping share.
#[derive(Debug)]
struct EncodeTables {
    /// The table, which is not needed for characters that are copied.
    table: SharedEncodeTable,
    /// The ASCII characters that are encoded as themselves.
    ascii: AsciiByteSet,
}

static ENCODE_TABLES: Registry<MappingKey, EncodeTables> = Registry::new();

fn encode_table(mapping: &MultiByteMapping) -> LazyEncodeTable {
    LazyEncodeTable::new(Box::new([TableSource::new(mapping, 0)]), Box::default())
}

/// Returns the ASCII characters that a mapping encodes as themselves.
fn ascii_of(mapping: &MultiByteMapping) -> AsciiByteSet {
    let source = TableSource::new(mapping, 0);
    AsciiByteSet::new(|byte| source.is_ascii(byte))
}

/// The tables of an encoder.
enum Tables {
    Shared(&'static EncodeTables),
    /// Those of an encoder with substitutes.
    Own(Box<EncodeTables>),
}

impl Deref for Tables {
    type Target = EncodeTables;

    fn deref(&self) -> &EncodeTables {
        match self {
            Tables::Shared(tables) => tables,
            Tables::Own(tables) => tables,
        }
    }
}

/// A stateless encoder: a character whose code depends on the next one is left unread.
struct MultiByteEncoder {
    tables: Tables,
    gb18030_ranges: Option<Gb18030Ranges>,
    /// Whether NUL is encoded as itself. Its code cannot be in the table, where 0 means none.
    encodes_nul: bool,
}

impl MultiByteEncoder {
    fn new(mapping: &MultiByteMapping) -> MultiByteEncoder {
        let tables = ENCODE_TABLES.get_or_init(mapping.key(), || EncodeTables {
            table: SharedEncodeTable::new(encode_table(mapping)),
            ascii: ascii_of(mapping),
        });
        MultiByteEncoder::with_tables(mapping, Tables::Shared(tables))
    }

    fn with_tables(mapping: &MultiByteMapping, tables: Tables) -> MultiByteEncoder {
        MultiByteEncoder {
            tables,
            gb18030_ranges: mapping.gb18030_ranges.filter(|ranges| ranges.is_encodable),
            encodes_nul: mapping.ascii,
        }
    }

    /// Encodes characters whose codes do not depend on what follows, while `dst` has space; returns
    /// the number of bytes read and written.
    fn encode_run(
        &self,
        table: &MultiByteEncodeTable,
        src: &str,
        dst: &mut [u8],
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        let codes = DbcsEncodeTable { entries: table.bmp_codes(), ascii: &self.tables.ascii };
        loop {
            let mut run_len = usize::MAX;
            if is_for_kernel(&src.as_bytes()[read..]) {
                let (run_read, run_written) = codes.encode(&src[read..], &mut dst[written..]);
                read += run_read;
                written += run_written;
                run_len = CHUNK_LEN;
            }
            let (run_read, run_written) =
                self.encode_scalar_run(table, &src[read..], &mut dst[written..], run_len);
            if run_read == 0 {
                return (read, written);
            }
            read += run_read;
            written += run_written;
        }
    }

    /// Encodes characters one by one, up to one whose code depends on what follows: `run_len` bytes,
    /// and [`CHUNK_LEN`] bytes after the last one with a four-byte code.
    fn encode_scalar_run(
        &self,
        table: &MultiByteEncodeTable,
        src: &str,
        dst: &mut [u8],
        run_len: usize,
    ) -> (usize, usize) {
        let (mut read, mut written, mut run_end) = (0, 0, run_len);
        let mut range = Gb18030Range::empty();
        while read < run_end {
            let Some(space) = dst[written..].first_chunk_mut::<4>() else { break };
            let Some((character, len)) = encode_table::char_at(src, read) else { break };
            let code = match (table.entry(character.into()), self.gb18030_ranges) {
                (0, Some(ranges)) if !character.is_ascii() => {
                    run_end = run_end.max(read + CHUNK_LEN);
                    ranges.encode_char(character, &mut range).map_or(0, CodeBytes::from_le_bytes)
                }
                _ => table.single(character),
            };
            if code == 0 {
                break;
            }
            *space = code.to_le_bytes();
            written += code_len(code);
            read += len;
        }
        (read, written)
    }

    /// Returns the code of the first character or two of `text`.
    fn encode_one(&self, table: &MultiByteEncodeTable, text: &str, end: bool) -> MultiByteStep {
        let Some(character) = text.chars().next() else { return MultiByteStep::NeedMore };
        if character == '\0' && self.encodes_nul {
            return MultiByteStep::Bytes([0; 4], 1, 1);
        }
        match table.encode_first(text, end) {
            EncodeStep::NeedMore => MultiByteStep::NeedMore,
            EncodeStep::Code(code, len) => {
                MultiByteStep::Bytes(code.to_le_bytes(), code_len(code), len)
            }
            EncodeStep::Unmappable => {
                let code = |ranges: Gb18030Ranges| {
                    ranges.encode_char(character, &mut Gb18030Range::empty())
                };
                match self.gb18030_ranges.and_then(code) {
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

impl EncodeStage for MultiByteEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        if self.tables.table.complete().is_none() {
            read = self.tables.ascii.copy_prefix(src.as_bytes(), dst);
            written = read;
            if read == src.len() {
                return Progress::input_empty(read, written);
            }
        }
        let table = self.tables.table.for_text(&src[read..]);
        let table = table.codes();
        loop {
            let (run_read, run_written) = self.encode_run(table, &src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            match self.encode_one(table, &src[read..], end) {
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

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.tables.table.complete() {
            Some(table) if !is_for_kernel(src) => table.codes().encode_unvalidated(src, dst),
            _ => (0, 0),
        }
    }

    fn encode_replacing(
        &mut self,
        src: &str,
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let Some(table) = self.tables.table.complete() else { return (0, 0) };
        let table = table.codes();
        replace_unmappable(src, dst, errors, |character, text| {
            let code = table.single(character);
            if code != 0 {
                return CharacterCode::Bytes(code.to_le_bytes(), code_len(code));
            }
            // Not the first of two characters with a common code, and no four-byte code.
            let is_unmappable = table.entry(character.into()) == 0 && !character.is_ascii();
            if is_unmappable && self.gb18030_ranges.is_none() {
                return CharacterCode::None;
            }
            match self.encode_one(table, text, false) {
                MultiByteStep::Unmappable(_) => CharacterCode::None,
                MultiByteStep::Bytes(bytes, count, len) if len == character.len_utf8() => {
                    CharacterCode::Bytes(bytes, count)
                }
                MultiByteStep::Bytes(..) | MultiByteStep::NeedMore => CharacterCode::Unknown,
            }
        })
    }
}
