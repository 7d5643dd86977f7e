//! Single-byte encodings: one decoder and one encoder for all of them.
//!
//! The encodings differ in data only, which is in `single_byte/data/`; `cargo xtask generate` makes
//! `single_byte/tables.rs` from it. In a few encodings some sequences of bytes are one character:
//! an accent and the letter that follows (ISO 6937), or a letter and the combining marks that follow
//! (CP1255, CP1258, TCVN5712-1).

use std::sync::OnceLock;

use super::{BomHandling, CodecFactory, Encoding, EncodingOptions, Factory, Text};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, Replacements, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{ByteSet, SplitRule};
use crate::error_handler::{CharacterCode, replace_malformed, replace_unmappable};
use charpipe_kernel as kernel;
use charpipe_kernel::byte_table::{self, EncodeEntry, EncodeTable, IS_BYTE, STEP_LEN};
use charpipe_kernel::simd::AsArrays;
use charpipe_kernel::utf8_bytes::{Utf8Bytes, utf8_bytes, utf8_bytes_of, utf8_len, write_utf8};

mod tables;

use tables::{DEFINITIONS, EXTRA_MAPPINGS, ROWS};

/// The value of a byte without a character. U+FFFF is not a character either.
const UNASSIGNED: u16 = 0xFFFF;

/// The indexes in [`ROWS`] of ASCII.
const ASCII_ROWS: [u16; 8] = {
    let rows = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut byte = 0;
    while byte < 0x80 {
        assert!(ROWS[rows[byte / 16] as usize][byte % 16] == byte as u16);
        byte += 1;
    }
    rows
};

/// The definition of an encoding, from which [`ENCODINGS`] is made at compile time.
#[derive(Clone, Copy)]
struct Definition {
    name: &'static str,
    description: &'static str,
    table: SingleByteTable,
}

/// What each byte of an encoding decodes to.
#[derive(Debug, Clone, Copy)]
pub(super) struct SingleByteTable {
    /// The index of the encoding in [`ENCODINGS`].
    index: u16,
    /// The index in [`ROWS`] for each high digit of a byte.
    rows: [u16; 16],
    /// The range of its extra mappings in [`EXTRA_MAPPINGS`].
    extra_range: (u16, u16),
}

/// A mapping besides those of single bytes.
#[derive(Debug, Clone, Copy)]
struct ExtraMapping {
    character: u16,
    kind: MappingKind,
    bytes: [u8; 3],
    len: u8,
}

/// How an [`ExtraMapping`] is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MappingKind {
    /// The character is encoded to these bytes, which decode to something else.
    EncodeOnly,
    /// An accent and the letter that follows. The accent alone is not a character.
    Accented,
    /// A letter and the combining marks that follow, each of which is a character too.
    Composed,
}

/// Every encoding, in the order of lists.
pub static ENCODINGS: [Encoding; DEFINITIONS.len()] = {
    let mut encodings = [const { Encoding::single_byte(&DEFINITIONS[0], 0) }; DEFINITIONS.len()];
    let (mut index, mut start) = (0, 0);
    while index < DEFINITIONS.len() {
        encodings[index] = Encoding::single_byte(&DEFINITIONS[index], start);
        if let Factory::SingleByte(table) = &mut encodings[index].factory {
            table.index = index as u16;
        }
        start += DEFINITIONS[index].text_len();
        index += 1;
    }
    encodings
};

/// The codecs of each encoding, which have no state: all of a process are the same.
static CODECS: [SharedCodecs; DEFINITIONS.len()] =
    [const { SharedCodecs::new() }; DEFINITIONS.len()];

/// The codecs of an encoding, as far as they have been used.
struct SharedCodecs {
    decoder: OnceLock<Box<SingleByteDecoder>>,
    combining_decoder: OnceLock<Box<CombiningDecoder>>,
    encoder: OnceLock<Box<SingleByteEncoder>>,
}

impl SharedCodecs {
    const fn new() -> SharedCodecs {
        SharedCodecs {
            decoder: OnceLock::new(),
            combining_decoder: OnceLock::new(),
            encoder: OnceLock::new(),
        }
    }
}

/// The names and descriptions of all encodings, each after the one before.
static TEXT: [u8; text_len()] = {
    let mut text = [0; text_len()];
    let (mut index, mut at) = (0, 0);
    while index < DEFINITIONS.len() {
        at = append(&mut text, at, DEFINITIONS[index].name);
        at = append(&mut text, at, DEFINITIONS[index].description);
        index += 1;
    }
    text
};

const fn text_len() -> usize {
    let (mut index, mut total) = (0, 0);
    while index < DEFINITIONS.len() {
        total += DEFINITIONS[index].text_len();
        index += 1;
    }
    total
}

/// Copies `part` to position `at` of `text`. Returns the position after it.
const fn append(text: &mut [u8], at: usize, part: &str) -> usize {
    let mut index = 0;
    while index < part.len() {
        text[at + index] = part.as_bytes()[index];
        index += 1;
    }
    at + part.len()
}

/// Returns a part of [`TEXT`].
pub(super) const fn text(start: u16, len: u16) -> &'static str {
    let (_, from_start) = TEXT.split_at(start as usize);
    let (bytes, _) = from_start.split_at(len as usize);
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("no name or description begins within a character"),
    }
}

impl Definition {
    /// Returns the length of the name and the description in bytes.
    const fn text_len(&self) -> usize {
        self.name.len() + self.description.len()
    }
}

impl Encoding {
    /// Returns the encoding of a definition whose texts begin at `start` in [`TEXT`].
    const fn single_byte(definition: &Definition, start: usize) -> Encoding {
        assert!(start + definition.text_len() <= u16::MAX as usize);
        let (start, name_len) = (start as u16, definition.name.len() as u16);
        let description_len = definition.description.len() as u16;
        Encoding {
            name_text: Text::SingleByte { start, len: name_len },
            description_text: Text::SingleByte { start: start + name_len, len: description_len },
            options: &[],
            bom_handling: BomHandling::Ignore,
            factory: Factory::SingleByte(definition.table),
            ucs4: None,
        }
    }
}

const fn definition(
    name: &'static str,
    description: &'static str,
    table: SingleByteTable,
) -> Definition {
    Definition { name, description, table }
}

const fn table(rows: [u16; 16], first_extra: u16, end_extra: u16) -> SingleByteTable {
    SingleByteTable { index: 0, rows, extra_range: (first_extra, end_extra) }
}

const fn encode_only(character: u16, bytes: &[u8]) -> ExtraMapping {
    ExtraMapping::new(character, MappingKind::EncodeOnly, bytes)
}

const fn accented(character: u16, bytes: &[u8]) -> ExtraMapping {
    ExtraMapping::new(character, MappingKind::Accented, bytes)
}

const fn composed(character: u16, bytes: &[u8]) -> ExtraMapping {
    ExtraMapping::new(character, MappingKind::Composed, bytes)
}

impl SingleByteTable {
    /// Returns the character of a byte alone.
    pub(super) fn character(&self, byte: u8) -> Option<char> {
        let row = &ROWS[usize::from(self.rows[usize::from(byte >> 4)])];
        let value = row[usize::from(byte & 0x0F)];
        char::from_u32(u32::from(value)).filter(|_| value != UNASSIGNED)
    }

    /// Returns the extra mappings: first those that are only encoded, then the others in the order
    /// of their bytes.
    fn extra_mappings(&self) -> &'static [ExtraMapping] {
        &EXTRA_MAPPINGS[usize::from(self.extra_range.0)..usize::from(self.extra_range.1)]
    }

    /// Returns the extra mappings that are only encoded, and the others.
    fn partition(&self) -> (&'static [ExtraMapping], &'static [ExtraMapping]) {
        let mappings = self.extra_mappings();
        let is_encode_only = |mapping: &ExtraMapping| mapping.kind == MappingKind::EncodeOnly;
        mappings.split_at(mappings.partition_point(is_encode_only))
    }

    /// Returns the extra mappings that are decoded, if they are of this kind.
    fn of_kind(&self, kind: MappingKind) -> &'static [ExtraMapping] {
        let (_, decoded) = self.partition();
        if decoded.first().is_some_and(|mapping| mapping.kind == kind) { decoded } else { &[] }
    }

    /// Returns whether bytes below 80 are ASCII.
    fn is_ascii_superset(&self) -> bool {
        (0..0x80).all(|byte| self.character(byte) == Some(char::from(byte)))
    }

    fn shared_codecs(&self) -> &'static SharedCodecs {
        &CODECS[usize::from(self.index)]
    }

    /// Returns the decoder, unless marks after letters are combined with them.
    #[inline]
    pub(super) fn shared_decoder(&self) -> Option<&'static SingleByteDecoder> {
        let decoder = &self.shared_codecs().decoder;
        if let Some(decoder) = decoder.get() {
            return Some(decoder);
        }
        let combines = !self.of_kind(MappingKind::Composed).is_empty();
        (!combines).then(|| &**decoder.get_or_init(|| Box::new(SingleByteDecoder::new(self))))
    }

    /// Returns the encoder.
    #[inline]
    pub(super) fn shared_encoder(&self) -> &'static SingleByteEncoder {
        self.shared_codecs().encoder.get_or_init(|| Box::new(SingleByteEncoder::new(self)))
    }

    /// Returns whether the rows are those of ASCII and nothing changes what they mean, without making tables.
    #[inline]
    fn has_plain_ascii(&self) -> bool {
        self.rows[..ASCII_ROWS.len()] == ASCII_ROWS && self.extra_range.0 == self.extra_range.1
    }

    /// Returns whether ASCII is decoded unchanged, if the decoder decodes each byte by itself.
    #[inline]
    pub(super) fn decodes_ascii_unchanged(&self) -> Option<bool> {
        if self.has_plain_ascii() {
            return Some(true);
        }
        Some(self.shared_decoder()?.table.is_ascii_compatible())
    }

    /// Returns whether ASCII is encoded unchanged.
    #[inline]
    pub(super) fn encodes_ascii_unchanged(&self) -> bool {
        self.has_plain_ascii() || self.shared_encoder().entries.keeps_ascii()
    }

    /// Returns what each byte alone decodes to.
    fn decode_table(&self) -> byte_table::DecodeTable {
        byte_table::DecodeTable::new(|byte| self.character(byte))
    }
}

impl ExtraMapping {
    const fn new(character: u16, kind: MappingKind, code: &[u8]) -> ExtraMapping {
        let mut bytes = [0; 3];
        let mut index = 0;
        while index < code.len() {
            bytes[index] = code[index];
            index += 1;
        }
        ExtraMapping { character, kind, bytes, len: code.len() as u8 }
    }

    /// Returns the bytes, at most three. None if the character is not encoded at all.
    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    fn character(&self) -> char {
        // No table has surrogates: `cargo xtask generate` rejects them.
        char::from_u32(u32::from(self.character)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

impl CodecFactory for SingleByteTable {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        if let Some(decoder) = self.shared_decoder() {
            return Box::new(decoder);
        }
        let new = || Box::new(CombiningDecoder::new(self));
        Box::new(&**self.shared_codecs().combining_decoder.get_or_init(new))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(self.shared_encoder())
    }

    fn decode_short(&self, bytes: &[u8]) -> Option<String> {
        self.shared_decoder()?.table.short_text(bytes)
    }

    fn split_rule(&self, _: &EncodingOptions) -> SplitRule {
        let line_feeds = ByteSet::from_fn(|byte| self.character(byte) == Some('\n'));
        let (_, decoded) = self.partition();
        if decoded.is_empty() {
            SplitRule::any_byte(line_feeds)
        } else {
            SplitRule::after(line_feeds, line_feeds)
        }
    }

    fn engine(&self) -> Option<&'static str> {
        let (_, decoded) = self.partition();
        Some(match decoded.first().map(|mapping| mapping.kind) {
            Some(MappingKind::Composed) => "single-byte, combining marks",
            Some(_) => "single-byte, accents before letters",
            None if self.is_ascii_superset() => "single-byte, ASCII",
            None => "single-byte",
        })
    }
}

/// The characters of pairs of bytes.
#[derive(Debug)]
struct CompositionTable {
    /// The row of each key byte, counted from 1; zero if it is in no pair.
    row_indexes: [u8; 0x100],
    /// The UTF-8 sequences by the other byte; zero if the pair is not a character.
    rows: Vec<[Utf8Bytes; 0x100]>,
}

/// Which byte of a pair selects the row.
#[derive(Debug, Clone, Copy)]
enum KeyByte {
    /// The accent before a letter.
    First,
    /// The combining mark after a letter.
    Second,
}

impl CompositionTable {
    /// Makes a table of those of the mappings that have two bytes.
    fn new(mappings: &[ExtraMapping], key: KeyByte) -> CompositionTable {
        let mut pairs = CompositionTable { row_indexes: [0; 0x100], rows: Vec::new() };
        for mapping in mappings {
            let [first, second] = *mapping.bytes() else { continue };
            let (key, other) = match key {
                KeyByte::First => (first, second),
                KeyByte::Second => (second, first),
            };
            let index = &mut pairs.row_indexes[usize::from(key)];
            if *index == 0 {
                pairs.rows.push([0; 0x100]);
                *index = pairs.rows.len() as u8;
            }
            pairs.rows[usize::from(*index) - 1][usize::from(other)] =
                utf8_bytes_of(mapping.character());
        }
        pairs
    }

    /// Returns whether a byte is the key of any pair.
    fn contains(&self, key: u8) -> bool {
        self.row_indexes[usize::from(key)] != 0
    }

    #[inline(always)]
    fn compose(&self, key: u8, other: u8) -> Option<Utf8Bytes> {
        let row = self.rows.get(usize::from(self.row_indexes[usize::from(key)]).checked_sub(1)?)?;
        Some(row[usize::from(other)]).filter(|form| *form != 0)
    }
}

/// Decodes one byte after another, and pairs that begin with an accent.
#[derive(Debug)]
pub(super) struct SingleByteDecoder {
    table: byte_table::DecodeTable,
    accent_pairs: Option<Box<CompositionTable>>,
}

impl SingleByteDecoder {
    fn new(table: &SingleByteTable) -> SingleByteDecoder {
        let accented = table.of_kind(MappingKind::Accented);
        let accent_pairs = (!accented.is_empty())
            .then(|| Box::new(CompositionTable::new(accented, KeyByte::First)));
        SingleByteDecoder { table: table.decode_table(), accent_pairs }
    }

    fn is_accent(&self, byte: u8) -> bool {
        self.accent_pairs.as_ref().is_some_and(|accents| accents.contains(byte))
    }

    /// Returns the character of an accent and a letter.
    ///
    /// # Errors
    ///
    /// The reason if the bytes are malformed, or `None` if the second byte is still missing.
    fn decode_accented(&self, src: &[u8], end: bool) -> Result<Utf8Bytes, Option<MalformedReason>> {
        let Some(accents) = self.accent_pairs.as_ref().filter(|accents| accents.contains(src[0]))
        else {
            return Err(Some(MalformedReason::InvalidLeadByte));
        };
        match src.get(1) {
            Some(letter) => {
                accents.compose(src[0], *letter).ok_or(Some(MalformedReason::MissingTrailByte))
            }
            None if end => Err(Some(MalformedReason::Truncated)),
            None => Err(None),
        }
    }
}

impl Checkpoint for &'static SingleByteDecoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl DecodeStage for &'static SingleByteDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            if src.len() - read >= STEP_LEN && dst.len() - written >= byte_table::MAX_STEP_OUTPUT {
                let done = self.table.decode(&src[read..], &mut dst[written..]);
                read += done.0;
                written += done.1;
            }
            // The kernel stops before the end of either buffer and at bytes that it does not decode.
            let step_end = src.len().min(read + STEP_LEN);
            while read < step_end {
                let (mut form, mut len) = (self.table.utf8_bytes(src[read]), 1);
                if form == 0 {
                    form = match self.decode_accented(&src[read..], end) {
                        Ok(composed) => composed,
                        Err(None) => return Progress::input_empty(read, written),
                        Err(Some(reason)) => {
                            let error = Malformed::new(1, reason, State::INITIAL);
                            return Progress::error(read, written, error);
                        }
                    };
                    len = 2;
                }
                let Some(form_len) = write_utf8(form, &mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += form_len;
                read += len;
            }
        }
        Progress::input_empty(read, written)
    }

    fn repeat_count(&self, src: &[u8], _error: Malformed) -> usize {
        match src {
            [byte, ..] if !self.is_accent(*byte) => kernel::count::run_length(src, *byte),
            _ => 1,
        }
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        replace_malformed(src, dst, errors, |window: &[u8; 2], space| {
            let (form, len) = match self.table.utf8_bytes(window[0]) {
                0 => match self.decode_accented(window, false) {
                    Ok(sequence) => (sequence, 2),
                    Err(reason) => return reason.map(|reason| Err((1, reason))),
                },
                form => (form, 1),
            };
            space[..size_of_val(&form)].copy_from_slice(&form.to_le_bytes());
            Some(Ok((len, utf8_len(form))))
        })
    }
}

/// Decodes letters together with the combining marks that follow them.
#[derive(Debug)]
struct CombiningDecoder {
    table: byte_table::DecodeTable,
    combining_pairs: Box<CompositionTable>,
    /// Bytes that compose with a mark.
    is_base_letter: [bool; 0x100],
    /// The mappings of a letter and two marks.
    three_byte_mappings: Vec<ExtraMapping>,
    /// Whether bytes below 80 are ASCII and no marks.
    is_ascii_superset: bool,
}

/// The result of looking for marks after a byte.
enum CombiningMatch {
    /// This character, of the given number of bytes.
    Combined(Utf8Bytes, usize),
    /// The first byte is a character by itself.
    Single,
    /// The bytes that follow decide.
    NeedMore,
}

/// The number of bytes in which marks are looked for at once.
const CHUNK_LEN: usize = STEP_LEN;

/// The maximum number of chunks without marks that are decoded in one go. A call begins with one and
/// doubles the number: after an error the next call looks at the rest again.
const MAX_CHUNKS: usize = 64;

impl CombiningDecoder {
    fn new(table: &SingleByteTable) -> CombiningDecoder {
        let mappings = table.of_kind(MappingKind::Composed);
        let mut is_base_letter = [false; 0x100];
        for mapping in mappings {
            is_base_letter[usize::from(mapping.bytes()[0])] = true;
        }
        let has_three_bytes = |mapping: &ExtraMapping| mapping.bytes().len() == 3;
        let combining_pairs = Box::new(CompositionTable::new(mappings, KeyByte::Second));
        CombiningDecoder {
            table: table.decode_table(),
            is_ascii_superset: table.is_ascii_superset()
                && !(0..0x80).any(|byte| combining_pairs.contains(byte)),
            combining_pairs,
            is_base_letter,
            three_byte_mappings: mappings.iter().copied().filter(has_three_bytes).collect(),
        }
    }

    /// Matches a letter and the marks that follow.
    #[inline(always)]
    fn match_next(&self, src: &[u8], end: bool) -> CombiningMatch {
        let Some(mark) = src.get(1) else {
            let undecided = !end && self.is_base_letter[usize::from(src[0])];
            return if undecided { CombiningMatch::NeedMore } else { CombiningMatch::Single };
        };
        match self.combining_pairs.compose(*mark, src[0]) {
            None => CombiningMatch::Single,
            Some(composed) if self.three_byte_mappings.is_empty() => {
                CombiningMatch::Combined(composed, 2)
            }
            Some(composed) => self.match_second_mark(src, composed, end),
        }
    }

    /// Matches a second mark after a letter and a mark that compose to `composed`.
    fn match_second_mark(&self, src: &[u8], composed: Utf8Bytes, end: bool) -> CombiningMatch {
        let begins = |mapping: &&ExtraMapping| src.starts_with(&mapping.bytes()[..2]);
        let mut longer = self.three_byte_mappings.iter().filter(begins).peekable();
        match src.get(2) {
            None if !end && longer.peek().is_some() => CombiningMatch::NeedMore,
            mark => match longer.find(|mapping| mapping.bytes().last() == mark) {
                Some(mapping) => CombiningMatch::Combined(utf8_bytes_of(mapping.character()), 3),
                None => CombiningMatch::Combined(composed, 2),
            },
        }
    }

    /// Decodes bytes that no mark follows, in at most `max_chunks` chunks. Returns the number of
    /// bytes read and written.
    fn decode_unmarked(&self, src: &[u8], dst: &mut [u8], max_chunks: usize) -> (usize, usize) {
        let begins_with_ascii = |len| src.get(..len).is_some_and(<[u8]>::is_ascii);
        if self.is_ascii_superset && begins_with_ascii(CHUNK_LEN + 1) {
            let ascii = kernel::ascii::copy(src, dst);
            if ascii > CHUNK_LEN {
                // A mark may follow the last character.
                return (ascii - 1, ascii - 1);
            }
        }
        let src = &src[..src.len().min(max_chunks * CHUNK_LEN + 1)];
        if src.first().is_none_or(|first| self.table.utf8_bytes(*first) == 0) {
            return (0, 0);
        }
        let (following, _) = src.get(1..).unwrap_or_default().as_arrays::<CHUNK_LEN>();
        let is_unmarked = |bytes: &&[u8; CHUNK_LEN]| {
            !bytes.iter().fold(false, |any, byte| any | self.combining_pairs.contains(*byte))
        };
        let len = following.iter().take_while(is_unmarked).count() * CHUNK_LEN;
        if len == 0 { (0, 0) } else { self.table.decode(&src[..len], dst) }
    }
}

impl Checkpoint for &'static CombiningDecoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl DecodeStage for &'static CombiningDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written, mut chunks) = (0, 0, 1);
        while read < src.len() {
            let done = self.decode_unmarked(&src[read..], &mut dst[written..], chunks);
            read += done.0;
            written += done.1;
            chunks = MAX_CHUNKS.min(2 * chunks);
            let chunk_end = src.len().min(read + CHUNK_LEN);
            while read < chunk_end {
                let (form, len) = match self.match_next(&src[read..], end) {
                    CombiningMatch::Combined(composed, len) => (composed, len),
                    CombiningMatch::Single => (self.table.utf8_bytes(src[read]), 1),
                    CombiningMatch::NeedMore => return Progress::input_empty(read, written),
                };
                if form == 0 {
                    let error = Malformed::new(1, MalformedReason::InvalidLeadByte, State::INITIAL);
                    return Progress::error(read, written, error);
                }
                let Some(form_len) = write_utf8(form, &mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += form_len;
                read += len;
            }
        }
        Progress::input_empty(read, written)
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        replace_malformed(src, dst, errors, |window: &[u8; 3], space| {
            let (form, len) = match self.match_next(window, false) {
                CombiningMatch::Combined(sequence, len) => (sequence, len),
                CombiningMatch::Single => (self.table.utf8_bytes(window[0]), 1),
                CombiningMatch::NeedMore => return None,
            };
            if form == 0 {
                return Some(Err((1, MalformedReason::InvalidLeadByte)));
            }
            space[..size_of_val(&form)].copy_from_slice(&form.to_le_bytes());
            Some(Ok((len, utf8_len(form))))
        })
    }
}

/// Encodes each character to a byte or an extra mapping.
#[derive(Debug)]
pub(super) struct SingleByteEncoder {
    extra_mappings: &'static [ExtraMapping],
    entries: EncodeTable,
}

/// The flag of an entry that is the index of an extra mapping of two or more bytes.
const SEQUENCE_FLAG: EncodeEntry = 0x8000;

impl SingleByteEncoder {
    /// Makes an encoder for a table.
    ///
    /// If several mappings have the same character, the one that is only encoded wins, then the
    /// lowest byte, then the first of the others.
    fn new(table: &SingleByteTable) -> SingleByteEncoder {
        let (encode_only, decoded) = table.partition();
        let bytes = (0..=0xFF).rev().filter_map(|byte| {
            table.character(byte).map(|character| (character, IS_BYTE | EncodeEntry::from(byte)))
        });
        let entries_from = |first: usize| {
            move |(index, mapping): (usize, &ExtraMapping)| {
                (mapping.character(), encode_entry(first + index, mapping))
            }
        };
        let sequences = decoded.iter().enumerate().rev().map(entries_from(encode_only.len()));
        let encode_only = encode_only.iter().enumerate().map(entries_from(0));
        SingleByteEncoder {
            extra_mappings: table.extra_mappings(),
            entries: EncodeTable::new(sequences.chain(bytes).chain(encode_only)),
        }
    }
}

/// The length of text, in bytes, below which a kernel takes longer than to encode one character after
/// another, except for ASCII that is encoded as other bytes.
const SHORT_LEN: usize = 80;

impl SingleByteEncoder {
    /// Encodes a prefix of `src` while `dst` has space; returns the numbers of bytes read and written.
    fn encode_run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        if self.is_for_kernel(src.as_bytes()) {
            self.entries.encode(src, dst)
        } else {
            self.entries.encode_stepwise(src.as_bytes(), dst)
        }
    }

    /// Returns whether a kernel is worth its cost.
    #[inline]
    fn is_for_kernel(&self, src: &[u8]) -> bool {
        let is_ascii = || src.iter().take(STEP_LEN).all(u8::is_ascii);
        src.len() >= SHORT_LEN || !self.entries.keeps_ascii() && is_ascii()
    }
}

fn encode_entry(index: usize, mapping: &ExtraMapping) -> EncodeEntry {
    match mapping.bytes() {
        [] => 0,
        [byte] => IS_BYTE | EncodeEntry::from(*byte),
        _ => SEQUENCE_FLAG | index as EncodeEntry,
    }
}

impl Checkpoint for &'static SingleByteEncoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl EncodeStage for &'static SingleByteEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let done = self.encode_run(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            // The kernel stops before the end of either buffer and at characters that it does not
            // encode.
            for character in src[read..].chars().take(STEP_LEN) {
                let form = match self.entries.get(character) {
                    0 => return Progress::error(read, written, Unmappable::new(character)),
                    entry if entry & SEQUENCE_FLAG != 0 => {
                        let index = usize::from(entry & !SEQUENCE_FLAG);
                        utf8_bytes(self.extra_mappings[index].bytes())
                    }
                    byte => utf8_bytes(&[byte as u8]),
                };
                let Some(len) = write_utf8(form, &mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += len;
                read += character.len_utf8();
            }
        }
        Progress::input_empty(read, written)
    }

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if self.is_for_kernel(src) {
            self.entries.encode_unvalidated(src, dst)
        } else {
            self.entries.encode_stepwise(src, dst)
        }
    }

    fn encode_replacing(
        &mut self,
        src: &str,
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        replace_unmappable(src, dst, errors, |character, _| match self.entries.get(character) {
            0 => CharacterCode::None,
            entry if entry & SEQUENCE_FLAG != 0 => CharacterCode::Unknown,
            byte => CharacterCode::Bytes([byte as u8, 0, 0, 0], 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::encoding::for_label;
    use crate::encoding::testing::decode_every_way;

    #[test]
    fn encodings_with_and_without_ascii_are_distinguished() {
        // IBM037 is an EBCDIC code page.
        for (encoding, engine) in [
            ("KOI8-R", "single-byte, ASCII"),
            ("IBM037", "single-byte"),
            ("CP1255", "single-byte, combining marks"),
        ] {
            assert_eq!(for_label(encoding).unwrap().factory.engine(), Some(engine), "{encoding}");
        }
    }

    #[test]
    fn letter_waits_for_combining_marks_at_every_split() {
        for (encoding, bytes, text) in [
            ("TCVN5712-1", &b"a\xB0b\xA9\xB0"[..], "\u{E0}b\u{1EA7}"),
            ("TCVN5712-1", b"a", "a"),
            ("CP1255", b"\xF9\xCC\xD1\xF9\xCCa", "\u{FB2C}\u{FB49}a"),
        ] {
            let decoded = decode_every_way(encoding, bytes);
            assert_eq!(decoded, (text.to_owned(), vec![]), "{encoding} {bytes:02X?}");
        }
    }
}
