//! Encodings with shifts between coded character sets: ISO-2022-JP, -KR and -CN, HZ, and the mixed
//! EBCDIC encodings of IBM.
//!
//! One decoder and one encoder serve all of them. An encoding is a [`StatefulEncoding`]: its
//! character sets, which are mappings of [`multi_byte`](super::multi_byte), and the sequences that
//! switch between them.
//!
//! Decoders accept known sequences anywhere, also redundant and adjacent ones. An unknown sequence
//! is an error of its first byte only. Control characters represent themselves in every set. The
//! Encoding Standard is stricter ([`Conformance`]). Encoders write a sequence only before a
//! character that needs it, and at the end the one that returns to the initial set. A character
//! that begins a sequence is unmappable, since text after it could complete the sequence.

/// The 7-bit set of 94 or 94 by 94 characters with this trie, without ASCII.
macro_rules! gl_94 {
    ($trie:literal) => {
        $crate::encoding::multi_byte::mapping::MultiByteMapping::without_ascii(
            include_bytes!(concat!("../multi_byte/data/", $trie, ".trie")),
            &$crate::encoding::multi_byte::mapping::GL_94,
        )
    };
}

mod compound_text;
mod ebcdic;
mod iso2022_cn_hz;
mod iso2022_jp;
mod iso2022_kr;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::OnceLock;

use super::multi_byte::cells::OneOrTwoChars;
use super::multi_byte::encode_table::{
    self, CodeBytes, EncodeStep, MultiByteEncodeTable, TableSource,
};
use super::multi_byte::fast_encode::FastEncoder;
use super::multi_byte::lazy_encode_table::{
    LazyEncodeTable, Override, SharedEncodeTable, TableRef,
};
use super::multi_byte::mapping::{MappingError, MultiByteMapping};
use super::multi_byte::run_decoder::RunDecoder;
use super::multi_byte::trie::{ROOT, TrieEntry};
use super::shared::Registry;
use super::{CodecFactory, Encoding, EncodingOptions, concat, total_len};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, Replacements, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{ByteSet, SplitPoints, SplitRule, SplitTarget};
use crate::error_handler::{
    CharacterSpace, EncoderShift, MAX_CLEAN_CHARACTERS, RunCount, replace_malformed,
};
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::byte_table::{self, STEP_LEN};
use charpipe_kernel::utf8_bytes::write_utf8;
use charpipe_kernel::utf8_replace::Replaced;

const ENCODING_LISTS: &[&[&Encoding]] =
    &[iso2022_jp::ALL, iso2022_kr::ALL, iso2022_cn_hz::ALL, COMPOUND_TEXT, ebcdic::ALL];

/// Compound Text, which has codecs of its own.
const COMPOUND_TEXT: &[&Encoding] = &[&compound_text::COMPOUND_TEXT];

/// All encodings with shifts, in the order of the manual.
pub const ALL: &[&Encoding] = &concat::<{ total_len(ENCODING_LISTS) }>(ENCODING_LISTS);

/// The length of the longest sequences with the character after them.
const MAX_LOOKAHEAD: usize = 16;

/// The character sets of an encoding, and the sequences that switch between them.
#[derive(Debug)]
pub struct StatefulEncoding {
    /// The sets. An encoder uses the first one that has the character. Set 0 is the initial one.
    charsets: &'static [CodedCharset],
    /// The sequences that do not follow from the sets, or are exceptions from what follows.
    other_sequences: &'static [(&'static [u8], ControlFunction)],
    /// The state that a newline resets.
    newline_reset: NewlineReset,
    /// Written before the first character: the designation of set 1, which decoders assume from the
    /// start.
    header: &'static [u8],
    /// Whether control characters and the space represent themselves in every set.
    shared_controls: bool,
    /// Replacements of the characters from U+FF61 on.
    katakana_replacements: &'static str,
    /// How the half-width katakana of JIS X 0201 are selected without a designation.
    katakana: Katakana,
    conformance: Conformance,
}

/// How strict the codecs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conformance {
    /// Sequences may occur anywhere, and a control character is never part of an invalid code.
    Lenient,
    /// As in the Encoding Standard, section 12.2. A sequence directly after another is an error. If
    /// the input ends inside a sequence, ESC is the error, and the rest is text. An invalid code
    /// has two bytes, unless the second is ESC. ASCII is written in the active set if that has it.
    Whatwg,
}

/// How half-width katakana are selected without a designation (JIS X 0202).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Katakana {
    /// Not at all.
    None,
    /// This set is G1, between SO and SI; a designation in between takes effect after it.
    ShiftOut(u8),
    /// The bytes A1 to DF are this set, beside any other one.
    RightHalf(u8),
}

/// A character set, and how an encoder selects it.
#[derive(Debug)]
pub struct CodedCharset {
    mapping: MultiByteMapping,
    designation: Designation,
}

/// How an encoder selects a character set.
#[derive(Debug, Clone, Copy)]
pub enum Designation {
    /// By this sequence, until another one.
    Locking(&'static [u8]),
    /// By this sequence, which designates it as G1, and SO, until SI.
    ShiftOut(&'static [u8]),
    /// For one character: by the sequence that designates it, and the single shift.
    SingleShift(GraphicSet, &'static [u8], &'static [u8]),
    /// As the [`Katakana`] of the encoding.
    Katakana,
    /// Never: the set is only decoded.
    DecodeOnly,
}

/// The code elements of ISO 2022 that a character set is designated as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphicSet {
    G1,
    G2,
    G3,
}

/// The effect of a sequence.
#[derive(Debug, Clone, Copy)]
pub enum ControlFunction {
    /// Makes this set the active one.
    LockingShift(u8),
    /// Designates this set.
    Designate(GraphicSet, u8),
    /// Makes G1 the active set.
    ShiftOut,
    /// Makes the [`Katakana`] of the encoding the active set.
    KatakanaShiftOut,
    /// Makes the set that preceded the [`Katakana`] the active one.
    KatakanaShiftIn,
    /// Takes the next character from the set that is designated as this.
    SingleShift(GraphicSet),
    /// Represents this character.
    Character(char),
    /// Is an error.
    Reject,
    /// Has no effect.
    Ignore,
}

/// The state that a newline resets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewlineReset {
    /// None.
    None,
    /// The designations and the active set.
    All,
    /// The designations only.
    Designations,
    /// The active set only.
    ShiftState,
}

const SHIFT_OUT: &[u8] = b"\x0E";
const SHIFT_IN: &[u8] = b"\x0F";
const SINGLE_SHIFT_2: &[u8] = b"\x1BN";
const SINGLE_SHIFT_3: &[u8] = b"\x1BO";
const ESCAPE: u8 = 0x1B;
const EBCDIC_LINE_FEED: u8 = 0x25;

impl StatefulEncoding {
    /// Returns an encoding with lenient conformance in which newlines reset nothing.
    const fn new(
        charsets: &'static [CodedCharset],
        other_sequences: &'static [(&'static [u8], ControlFunction)],
    ) -> StatefulEncoding {
        StatefulEncoding {
            charsets,
            other_sequences,
            newline_reset: NewlineReset::None,
            header: b"",
            shared_controls: true,
            katakana_replacements: "",
            katakana: Katakana::None,
            conformance: Conformance::Lenient,
        }
    }

    /// Returns what identifies the encoding.
    fn key(&'static self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Returns all sequences with their effects. None is a prefix of another.
    fn sequences(&self) -> Box<[(&'static [u8], ControlFunction)]> {
        let of_sets = (0..).zip(self.charsets).flat_map(|(number, set)| set.sequences(number));
        let mut sequences = Vec::new();
        for (bytes, function) in self.other_sequences.iter().copied().chain(of_sets.flatten()) {
            if sequences.iter().all(|(known, _)| *known != bytes) {
                sequences.push((bytes, function));
            }
        }
        // Those of the first sets are the most frequent ones.
        sequences.rotate_left(self.other_sequences.len());
        sequences.into()
    }

    /// Returns whether the set alone determines what each byte is, except for shifts.
    fn is_ebcdic(&self) -> bool {
        !self.shared_controls && self.conformance == Conformance::Lenient
    }

    /// Returns the characters that are encoded otherwise than by the sets.
    fn overrides(&self) -> Box<[(char, Override)]> {
        let sequences = self.sequences();
        let firsts = sequences.iter().map(|(sequence, _)| {
            // Text after it could complete the sequence.
            (char::from(sequence[0]), Override::Code(0))
        });
        let characters = sequences.iter().filter_map(|(sequence, function)| {
            let (ControlFunction::Character(character), [first, second]) = (function, sequence)
            else {
                return None;
            };
            let code = u16::from_le_bytes([*first, *second]);
            Some((*character, Override::Code(tag(0) | CodeBytes::from(code))))
        });
        let katakana = ('\u{FF61}'..).zip(self.katakana_replacements.chars());
        let katakana = katakana.map(|(half, full)| (half, Override::SameAs(full)));
        firsts.chain(characters).chain(katakana).collect()
    }

    /// Returns where a file can be split.
    fn source_split_rule(&self) -> SplitRule {
        let line_feed = ByteSet::from_bytes(b"\n");
        match self.newline_reset {
            NewlineReset::All => SplitRule::AFTER_LINE_FEED,
            // A tilde before it escapes it, which keeps the active set.
            NewlineReset::ShiftState => SplitRule::new(SplitPoints::AfterByte {
                bytes: line_feed,
                line_feeds: line_feed,
                not_after: Some(b'~'),
            }),
            // Each shift determines the state, and no code contains one.
            NewlineReset::None if self.is_ebcdic() => {
                let shifts = ByteSet::from_bytes(&[SHIFT_OUT[0], SHIFT_IN[0]]);
                SplitRule::after(shifts, ByteSet::EMPTY)
                    .with_unverified(ByteSet::from_bytes(&[EBCDIC_LINE_FEED]))
            }
            NewlineReset::None | NewlineReset::Designations => {
                let reason = "the active character set outlives a line";
                SplitRule::new(SplitPoints::None { reason }).with_unverified(line_feed)
            }
        }
    }

    /// Returns where text can be split that is encoded.
    fn split_target(&self) -> SplitTarget {
        let has_late_header = self.newline_reset == NewlineReset::None
            && self.header.is_empty()
            && self.charsets.iter().any(|set| matches!(set.designation, Designation::ShiftOut(_)));
        match self.conformance {
            Conformance::Whatwg => {
                SplitTarget::None { reason: "the active character set outlives a line" }
            }
            Conformance::Lenient if has_late_header => SplitTarget::None {
                reason: "the header is written before the first character that needs it",
            },
            Conformance::Lenient => SplitTarget::AfterLineFeed { header: !self.header.is_empty() },
        }
    }
}

impl Katakana {
    /// Returns the name of the implementation.
    fn engine(self) -> &'static str {
        match self {
            Katakana::ShiftOut(_) => "escape sequences and shifts",
            Katakana::None | Katakana::RightHalf(_) => "escape sequences and bytes from A1",
        }
    }

    /// Returns the set of a byte that is in the right half.
    fn right_half(self, byte: u8) -> Option<u8> {
        match self {
            Katakana::RightHalf(set) if matches!(byte, 0xA1..=0xDF) => Some(set),
            _ => None,
        }
    }
}

impl CodedCharset {
    /// Returns the sequences that select the set with this number, and their effects.
    fn sequences(&self, number: u8) -> [Option<(&'static [u8], ControlFunction)>; 2] {
        match self.designation {
            Designation::Locking(bytes) => {
                [Some((bytes, ControlFunction::LockingShift(number))), None]
            }
            Designation::ShiftOut(bytes) => [
                Some((bytes, ControlFunction::Designate(GraphicSet::G1, number))),
                Some((SHIFT_OUT, ControlFunction::ShiftOut)),
            ],
            Designation::SingleShift(slot, bytes, shift) => [
                Some((bytes, ControlFunction::Designate(slot, number))),
                Some((shift, ControlFunction::SingleShift(slot))),
            ],
            Designation::Katakana | Designation::DecodeOnly => [None, None],
        }
    }

    /// Returns a set that is encoded as the [`Katakana`] of the encoding.
    const fn katakana(mapping: MultiByteMapping) -> CodedCharset {
        CodedCharset { mapping, designation: Designation::Katakana }
    }

    /// Returns a set that is not encoded.
    const fn decode_only(mapping: MultiByteMapping) -> CodedCharset {
        CodedCharset { mapping, designation: Designation::DecodeOnly }
    }

    const fn locking(mapping: MultiByteMapping, sequence: &'static [u8]) -> CodedCharset {
        CodedCharset { mapping, designation: Designation::Locking(sequence) }
    }

    const fn shift_out(mapping: MultiByteMapping, sequence: &'static [u8]) -> CodedCharset {
        CodedCharset { mapping, designation: Designation::ShiftOut(sequence) }
    }

    const fn single_shift_g2(mapping: MultiByteMapping, sequence: &'static [u8]) -> CodedCharset {
        let designation = Designation::SingleShift(GraphicSet::G2, sequence, SINGLE_SHIFT_2);
        CodedCharset { mapping, designation }
    }

    const fn single_shift_g3(mapping: MultiByteMapping, sequence: &'static [u8]) -> CodedCharset {
        let designation = Designation::SingleShift(GraphicSet::G3, sequence, SINGLE_SHIFT_3);
        CodedCharset { mapping, designation }
    }
}

impl CodecFactory for &'static StatefulEncoding {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        Box::new(StatefulDecoder::new(self))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(StatefulEncoder::new(self))
    }

    fn split_rule(&self, _: &EncodingOptions) -> SplitRule {
        self.source_split_rule().with_target(self.split_target())
    }

    fn engine(&self) -> Option<&'static str> {
        Some(match (self.newline_reset, self.shared_controls) {
            _ if self.katakana != Katakana::None => self.katakana.engine(),
            _ if self.conformance == Conformance::Whatwg => "escape sequences, WHATWG",
            (NewlineReset::None, false) => "EBCDIC shifts",
            (NewlineReset::None, true) if !self.header.is_empty() => "shifts after a header",
            (NewlineReset::None, true) => "escape sequences",
            (NewlineReset::Designations, _) => "escape sequences and single shifts",
            (NewlineReset::All, _) => "shifts reset by newlines",
            (NewlineReset::ShiftState, _) => "HZ",
        })
    }
}

/// The state of a codec with shifts. Sets are identified by their numbers; 0 means not designated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ShiftState {
    /// The active set.
    active: u8,
    designated: [u8; 3],
    /// Whether the header has been written.
    header_written: bool,
    /// Whether a sequence was read last, where another one could be an error.
    after_escape: bool,
}

impl ShiftState {
    fn designated(self, slot: GraphicSet) -> u8 {
        self.designated[slot as usize]
    }

    /// Designates a set. If that changes G1 while it is active, the new set is active.
    fn designate(&mut self, slot: GraphicSet, set: u8) {
        self.designated[slot as usize] = set;
        if slot == GraphicSet::G1 && self.active != 0 {
            self.active = set;
        }
    }

    /// Makes the katakana between SO and SI active, and remembers the set before in place of G1.
    fn shift_to_katakana(&mut self, katakana: u8) {
        if self.active != katakana {
            self.designated[GraphicSet::G1 as usize] = self.active;
            self.active = katakana;
        }
    }

    /// Makes the set before the katakana active, if these are.
    fn leave_katakana(&mut self, katakana: Katakana) {
        if katakana == Katakana::ShiftOut(self.active) {
            self.active = std::mem::take(&mut self.designated[GraphicSet::G1 as usize]);
        }
    }

    /// Makes a set active that is designated as G0, after the katakana if these are.
    fn designate_g0(&mut self, set: u8, katakana: Katakana) {
        if katakana == Katakana::ShiftOut(self.active) {
            self.designated[GraphicSet::G1 as usize] = set;
        } else {
            self.active = set;
        }
    }

    /// Returns the state after a character or an error.
    fn after_character(self) -> ShiftState {
        ShiftState { after_escape: false, ..self }
    }

    #[inline(always)]
    fn is_reset_by_newline(&self, encoding: &StatefulEncoding) -> bool {
        let has_designations = self.designated != [0; 3];
        match encoding.newline_reset {
            NewlineReset::None => false,
            NewlineReset::All => self.active != 0 || has_designations || self.after_escape,
            NewlineReset::Designations => {
                has_designations || encoding.katakana == Katakana::ShiftOut(self.active)
            }
            NewlineReset::ShiftState => self.active != 0,
        }
    }

    fn after_newline(self, encoding: &StatefulEncoding) -> ShiftState {
        match encoding.newline_reset {
            NewlineReset::None => self,
            NewlineReset::All => {
                ShiftState { header_written: self.header_written, ..ShiftState::default() }
            }
            NewlineReset::Designations => {
                let mut state = self;
                state.leave_katakana(encoding.katakana);
                ShiftState { designated: [0; 3], ..state }
            }
            NewlineReset::ShiftState => ShiftState { active: 0, ..self },
        }
    }
}

impl From<ShiftState> for State {
    fn from(shift_state: ShiftState) -> State {
        let [g1, g2, g3] = shift_state.designated;
        let bytes = [
            shift_state.active,
            g1,
            g2,
            g3,
            shift_state.header_written.into(),
            shift_state.after_escape.into(),
            0,
            0,
        ];
        State::new(u64::from_le_bytes(bytes))
    }
}

impl From<State> for ShiftState {
    fn from(state: State) -> ShiftState {
        let [active, g1, g2, g3, header_written, after_escape, ..] = state.bits().to_le_bytes();
        ShiftState {
            active,
            designated: [g1, g2, g3],
            header_written: header_written != 0,
            after_escape: after_escape != 0,
        }
    }
}

struct StatefulDecoder {
    encoding: &'static StatefulEncoding,
    tables: &'static DecodeTables,
    shift_state: ShiftState,
}

/// What all decoders of an encoding share.
#[derive(Debug)]
struct DecodeTables {
    /// The sequences, none of which is a prefix of another.
    sequences: Box<[(&'static [u8], ControlFunction)]>,
    /// The role of each byte.
    byte_roles: [ByteRole; 256],
    /// The sequences of up to four bytes that make a set the active one, unless katakana are.
    locking_sequences: Box<[LockingSequence]>,
    /// What decodes runs of each set.
    run_decoders: Box<[CharsetDecoder]>,
    /// What each byte is while a set is active.
    code_roles: Box<[[CodeRole; 256]]>,
    /// Whether all bytes but those of ASCII are errors by themselves while a set is active.
    only_ascii_begins_codes: Box<[bool]>,
    /// The bytes that are copied between SI and SO while G1 is active: those of set 0, if SI and SO
    /// have their usual effects.
    copied_between_shifts: AsciiByteSet,
}

/// The tables of each encoding, by its address.
static DECODE_TABLES: Registry<usize, DecodeTables> = Registry::new();
static ENCODE_TABLES: Registry<usize, EncodeTables> = Registry::new();

/// A sequence that makes a set the active one.
#[derive(Debug)]
struct LockingSequence {
    /// The bytes, the first one lowest, and a mask of them.
    word: u32,
    mask: u32,
    len: usize,
    set: u8,
}

impl LockingSequence {
    fn new(bytes: &[u8], set: u8) -> Option<LockingSequence> {
        let (len, mut word) = (bytes.len(), [0; 4]);
        word.get_mut(..len)?.copy_from_slice(bytes);
        let mask = u32::MAX >> (8 * (word.len() - len));
        Some(LockingSequence { word: u32::from_le_bytes(word), mask, len, set })
    }
}

/// What decodes runs of a set.
#[derive(Debug)]
enum CharsetDecoder {
    /// Copies these bytes: all that have no other effect, and with a newline if that has none in
    /// the current state.
    Copy { bytes: AsciiByteSet, newline_too: AsciiByteSet },
    /// Looks up codes of two bytes.
    Pairs(&'static RunDecoder),
    /// Looks up codes of one byte.
    Bytes(Box<byte_table::DecodeTable>),
}

impl CharsetDecoder {
    fn new(
        set: &CodedCharset,
        encoding: &StatefulEncoding,
        byte_roles: &[ByteRole; 256],
    ) -> CharsetDecoder {
        let mapping = &set.mapping;
        if let Some(decoder) = RunDecoder::shared(mapping) {
            return CharsetDecoder::Pairs(decoder);
        }
        let character = |byte: u8| match byte_roles[usize::from(byte)] {
            ByteRole::Text => mapping.decode_one(&[byte]).ok().map(|code| code.chars.first),
            _ => None,
        };
        if mapping.ascii {
            let is_copied = |byte| character(byte) == Some(char::from(byte));
            let resets = encoding.newline_reset != NewlineReset::None;
            let bytes = AsciiByteSet::new(|byte| is_copied(byte) && !(resets && byte == b'\n'));
            return CharsetDecoder::Copy { bytes, newline_too: AsciiByteSet::new(is_copied) };
        }
        CharsetDecoder::Bytes(Box::new(byte_table::DecodeTable::new(character)))
    }
}

/// The role of a byte.
#[derive(Debug, Clone, Copy)]
enum ByteRole {
    /// Does not begin a sequence.
    Text,
    /// Begins a sequence of several bytes, or one with another effect.
    Sequence,
    /// Is a sequence by itself, which makes this set the active one.
    LockingShift(u8),
    /// Is a sequence by itself, which makes G1 the active set.
    ShiftOut,
}

/// What a byte is at the start of a code of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeRole {
    /// Represents the same character as in ASCII, and changes no state.
    Ascii,
    /// Begins neither a sequence nor a code, and is not ASCII.
    Invalid,
    /// Anything else.
    Other,
}

impl CodeRole {
    fn new(
        byte: u8,
        set: &CodedCharset,
        run_decoder: &CharsetDecoder,
        encoding: &StatefulEncoding,
        byte_role: ByteRole,
    ) -> CodeRole {
        match run_decoder {
            CharsetDecoder::Copy { bytes, .. } if bytes.contains(byte) => CodeRole::Ascii,
            _ if !byte.is_ascii()
                && matches!(byte_role, ByteRole::Text)
                && encoding.katakana.right_half(byte).is_none()
                && set.mapping.trie.entry(ROOT, byte) == TrieEntry::Invalid =>
            {
                CodeRole::Invalid
            }
            _ => CodeRole::Other,
        }
    }
}

/// The result of one step: the number of bytes read, the text, and the state after it.
struct StatefulStep {
    len: usize,
    chars: Option<OneOrTwoChars>,
    shift_state: ShiftState,
}

impl DecodeTables {
    fn new(encoding: &StatefulEncoding) -> DecodeTables {
        let sequences = encoding.sequences();
        let mut byte_roles = [ByteRole::Text; 256];
        for (bytes, function) in &sequences {
            byte_roles[usize::from(bytes[0])] = match (bytes.len(), function) {
                (1, ControlFunction::LockingShift(set)) => ByteRole::LockingShift(*set),
                (1, ControlFunction::ShiftOut) => ByteRole::ShiftOut,
                _ => ByteRole::Sequence,
            };
        }
        let locking_sequences = sequences.iter().filter_map(|(bytes, function)| match function {
            ControlFunction::LockingShift(set) => LockingSequence::new(bytes, *set),
            _ => None,
        });
        let locking_sequences = locking_sequences.collect();
        let run_decoders: Box<[CharsetDecoder]> = encoding
            .charsets
            .iter()
            .map(|set| CharsetDecoder::new(set, encoding, &byte_roles))
            .collect();
        let code_roles = encoding.charsets.iter().zip(&run_decoders).map(|(set, run_decoder)| {
            std::array::from_fn(|byte| {
                CodeRole::new(byte as u8, set, run_decoder, encoding, byte_roles[byte])
            })
        });
        let code_roles: Box<[[CodeRole; 256]]> = code_roles.collect();
        let only_ascii_begins_codes =
            code_roles.iter().map(|roles| roles[0x80..] == [CodeRole::Invalid; 0x80]).collect();
        let role = |shift: &[u8]| byte_roles[usize::from(shift[0])];
        let copied_between_shifts = match (run_decoders.first(), role(SHIFT_IN), role(SHIFT_OUT)) {
            (
                Some(CharsetDecoder::Copy { bytes, .. }),
                ByteRole::LockingShift(0),
                ByteRole::ShiftOut,
            ) => *bytes,
            _ => AsciiByteSet::new(|_| false),
        };
        DecodeTables {
            sequences,
            byte_roles,
            locking_sequences,
            run_decoders,
            code_roles,
            only_ascii_begins_codes,
            copied_between_shifts,
        }
    }
}

impl StatefulDecoder {
    fn new(encoding: &'static StatefulEncoding) -> StatefulDecoder {
        let tables = DECODE_TABLES.get_or_init(encoding.key(), || DecodeTables::new(encoding));
        StatefulDecoder { encoding, tables, shift_state: ShiftState::default() }
    }

    fn charset(&self, number: u8) -> &'static CodedCharset {
        // Every number is that of a set, since the encoding defines it.
        self.encoding.charsets.get(usize::from(number)).unwrap_or(&self.encoding.charsets[0])
    }

    /// Returns the set that a byte by itself makes the active one.
    fn locking_shift(&self, byte: u8) -> Option<u8> {
        match self.tables.byte_roles[usize::from(byte)] {
            ByteRole::LockingShift(set) => Some(set),
            ByteRole::ShiftOut => Some(self.designated(GraphicSet::G1)).filter(|set| *set != 0),
            _ => None,
        }
    }

    /// Returns the set that the sequence at the start of `src` makes the active one, and the length of
    /// the sequence, unless more than the active set changes or it may be an error.
    #[inline]
    fn locking_sequence(&self, src: &[u8]) -> Option<(u8, usize)> {
        let is_simple = self.encoding.conformance == Conformance::Lenient
            && self.encoding.katakana == Katakana::None;
        let word = u32::from_le_bytes(*src.first_chunk().filter(|_| is_simple)?);
        let sequence = self.tables.locking_sequences.iter().find(|it| word & it.mask == it.word)?;
        Some((sequence.set, sequence.len))
    }

    /// Returns the bytes that the active set has at the same positions as ASCII, if that is a set of such
    /// bytes, and that change no state.
    #[inline]
    fn copied_bytes(&self) -> Option<&AsciiByteSet> {
        let decoder = self.tables.run_decoders.get(usize::from(self.shift_state.active))?;
        let CharsetDecoder::Copy { bytes, newline_too } = decoder else { return None };
        let resets = self.shift_state.is_reset_by_newline(self.encoding);
        Some(if resets { bytes } else { newline_too })
    }

    /// Decodes codes of the active set that a fast path handles, while `dst` has space; returns the
    /// number of bytes read and written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let active = usize::from(self.shift_state.active);
        let g1 = self.designated(GraphicSet::G1);
        match self.tables.run_decoders.get(active) {
            Some(CharsetDecoder::Copy { .. }) => {
                let copied = self.copied_bytes().map_or(0, |bytes| bytes.copy_prefix(src, dst));
                (copied, copied)
            }
            Some(CharsetDecoder::Pairs(pairs)) => {
                let is_kept = active == usize::from(g1);
                let copied = &self.tables.copied_between_shifts;
                pairs.decode_shifted(src, dst, is_kept.then_some(copied))
            }
            Some(CharsetDecoder::Bytes(table)) => decode_bytes(table, src, dst),
            None => (0, 0),
        }
    }

    /// Decodes a code of two bytes if the active set has it and `src` is long enough for a table. Returns the
    /// numbers of bytes read and written.
    #[inline(always)]
    fn decode_pair(
        &self,
        code: [u8; 2],
        src: &[u8],
        space: &mut CharacterSpace,
    ) -> Option<(usize, usize)> {
        let decoder = self.tables.run_decoders.get(usize::from(self.shift_state.active))?;
        let CharsetDecoder::Pairs(decoder) = decoder else { return None };
        decoder.decode_next(decoder.table_for(src)?, code, space)?.ok()
    }

    /// Decodes the character or sequence at the start of `src`, which is not empty.
    fn decode_one(&self, src: &[u8]) -> Result<StatefulStep, MappingError> {
        if !matches!(self.tables.byte_roles[usize::from(src[0])], ByteRole::Text) {
            return self.decode_sequence(src);
        }
        let is_shared_control = self.encoding.shared_controls && is_control(src[0]);
        if let Some(set) = self.encoding.katakana.right_half(src[0]) {
            let code = self.charset(set).mapping.decode_one(&[src[0] & 0x7F])?;
            let shift_state = self.shift_state.after_character();
            return Ok(StatefulStep { len: 1, chars: Some(code.chars), shift_state });
        }
        let code = match self.charset(self.shift_state.active) {
            _ if is_shared_control => return Ok(self.decode_control(src[0])),
            set => {
                set.mapping.decode_one(src).map_err(|error| self.clip_to_next_role(error, src))?
            }
        };
        Ok(StatefulStep {
            len: code.len,
            chars: Some(code.chars),
            shift_state: self.shift_state.after_character(),
        })
    }

    /// Returns whether each byte that is not ASCII is an error by itself in the current state.
    #[inline]
    fn only_ascii_begins_codes(&self) -> bool {
        let active = usize::from(self.shift_state.active);
        !self.shift_state.after_escape
            && self.tables.only_ascii_begins_codes.get(active) == Some(&true)
    }

    /// Returns what each byte is in the active set.
    #[inline]
    fn code_roles(&self) -> &'static [CodeRole; 256] {
        // Every number is that of a set, since the encoding defines it.
        let code_roles = &self.tables.code_roles;
        code_roles.get(usize::from(self.shift_state.active)).unwrap_or(&code_roles[0])
    }

    fn decode_control(&self, byte: u8) -> StatefulStep {
        let is_newline = byte == b'\n';
        let shift_state = if is_newline {
            self.shift_state.after_newline(self.encoding)
        } else {
            self.shift_state
        };
        StatefulStep { len: 1, chars: Some(char::from(byte).into()), shift_state }
    }

    fn decode_sequence(&self, src: &[u8]) -> Result<StatefulStep, MappingError> {
        // The first byte is compared first: SO without a designated set may come by the million.
        let known =
            |(bytes, _): &&(&[u8], ControlFunction)| bytes[0] == src[0] && src.starts_with(bytes);
        let sequences = &self.tables.sequences;
        let Some((bytes, act)) = sequences.iter().find(known) else {
            let unfinished = sequences.iter().any(|(bytes, _)| bytes.starts_with(src));
            return Err(if unfinished {
                MappingError::Incomplete
            } else {
                MappingError::Malformed(1, MalformedReason::UnknownEscapeSequence)
            });
        };
        let mut step =
            StatefulStep { len: bytes.len(), chars: None, shift_state: self.shift_state };
        match *act {
            ControlFunction::LockingShift(set) => {
                step.shift_state.designate_g0(set, self.encoding.katakana);
                step.shift_state.after_escape = self.encoding.conformance == Conformance::Whatwg;
            }
            ControlFunction::Designate(slot, set) => step.shift_state.designate(slot, set),
            ControlFunction::ShiftOut => match self.designated(GraphicSet::G1) {
                0 => return Err(MappingError::Malformed(step.len, MalformedReason::EmptyShift)),
                set => step.shift_state.active = set,
            },
            ControlFunction::KatakanaShiftOut => {
                if let Katakana::ShiftOut(set) = self.encoding.katakana {
                    step.shift_state.shift_to_katakana(set);
                }
            }
            ControlFunction::KatakanaShiftIn => {
                step.shift_state.leave_katakana(self.encoding.katakana);
            }
            ControlFunction::SingleShift(slot) => return self.decode_single_shift(slot, step, src),
            ControlFunction::Character(character) => step.chars = Some(character.into()),
            ControlFunction::Reject => {
                return Err(MappingError::Malformed(step.len, MalformedReason::InvalidLeadByte));
            }
            ControlFunction::Ignore => {}
        }
        Ok(step)
    }

    /// Returns the set that is designated as `slot`, or 0.
    fn designated(&self, slot: GraphicSet) -> u8 {
        match self.shift_state.designated(slot) {
            0 if slot == GraphicSet::G1 && !self.encoding.header.is_empty() => 1,
            set => set,
        }
    }

    /// Decodes the character after the single shift of `step`.
    fn decode_single_shift(
        &self,
        slot: GraphicSet,
        step: StatefulStep,
        src: &[u8],
    ) -> Result<StatefulStep, MappingError> {
        let rest = &src[step.len..];
        let set = match self.designated(slot) {
            0 => return Err(MappingError::Malformed(step.len, MalformedReason::EmptyShift)),
            _ if rest.is_empty() => return Err(MappingError::Incomplete),
            set => self.charset(set),
        };
        match set.mapping.decode_one(rest).map_err(|error| self.clip_to_next_role(error, rest)) {
            Ok(unit) => {
                Ok(StatefulStep { len: step.len + unit.len, chars: Some(unit.chars), ..step })
            }
            Err(MappingError::Malformed(..)) if is_control(rest[0]) => {
                Err(MappingError::Malformed(step.len, MalformedReason::EmptyShift))
            }
            Err(MappingError::Malformed(len, reason)) => {
                Err(MappingError::Malformed(step.len + len, reason))
            }
            Err(MappingError::Incomplete) => Err(MappingError::Incomplete),
        }
    }

    /// Limits a malformed sequence to its first byte if it includes a byte that is not part of it:
    /// a control character, which may begin a sequence, or ESC in the Encoding Standard.
    fn clip_to_next_role(&self, error: MappingError, src: &[u8]) -> MappingError {
        let is_separate = |byte: &u8| match self.encoding.conformance {
            Conformance::Lenient => is_control(*byte),
            Conformance::Whatwg => *byte == ESCAPE,
        };
        match error {
            MappingError::Malformed(len, _) if len > 1 && src[1..len].iter().any(is_separate) => {
                MappingError::Malformed(1, MalformedReason::MissingTrailByte)
            }
            error => error,
        }
    }

    /// Returns the error at the start of `rest`, which is truncated if the result is incomplete.
    fn malformed(&self, error: MappingError, rest: &[u8]) -> Malformed {
        let is_escape = self.encoding.conformance == Conformance::Whatwg && rest[0] == ESCAPE;
        let (len, reason) = match error {
            MappingError::Incomplete if is_escape => (1, MalformedReason::Truncated),
            MappingError::Incomplete => (rest.len(), MalformedReason::Truncated),
            MappingError::Malformed(len, reason) => (len, reason),
        };
        Malformed::new(len, reason, self.shift_state.after_character().into())
    }
}

/// Decodes codes of one byte, up to one that is unmapped and while `dst` has space; returns the
/// numbers of bytes read and written.
fn decode_bytes(table: &byte_table::DecodeTable, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    // Between shifts there is often one space, which is not worth a call of the kernel.
    for byte in src.iter().take(STEP_LEN) {
        let form = table.utf8_bytes(*byte);
        let len = match form {
            0 => return (read, written),
            form => write_utf8(form, &mut dst[written..]),
        };
        let Some(len) = len else { return (read, written) };
        read += 1;
        written += len;
    }
    let (run_read, run_written) = table.decode(&src[read..], &mut dst[written..]);
    (read + run_read, written + run_written)
}

fn is_control(byte: u8) -> bool {
    byte <= 0x20 || byte == 0x7F
}

impl Checkpoint for StatefulDecoder {
    fn save_state(&self) -> State {
        self.shift_state.into()
    }

    fn restore_state(&mut self, at: State) {
        self.shift_state = at.into();
    }

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl DecodeStage for StatefulDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (run_read, run_written) = self.decode_run(&src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            self.shift_state.after_escape &= run_read == 0;
            let rest = &src[read..];
            let Some(&byte) = rest.first() else { return Progress::input_empty(read, written) };
            if let Some(set) = self.locking_shift(byte) {
                self.shift_state.active = set;
                read += 1;
                continue;
            }
            if let Some((set, len)) = self.locking_sequence(rest) {
                self.shift_state.active = set;
                read += len;
                continue;
            }
            let step = match self.decode_one(rest) {
                Ok(step) if self.shift_state.after_escape && step.chars.is_none() => {
                    let error = Malformed::new(
                        step.len,
                        MalformedReason::ConsecutiveEscapes,
                        step.shift_state.into(),
                    );
                    return Progress::error(read, written, error);
                }
                Ok(step) => step,
                Err(MappingError::Incomplete) if !end => {
                    return Progress::input_empty(read, written);
                }
                Err(error) => return Progress::error(read, written, self.malformed(error, rest)),
            };
            if let Some(text) = step.chars {
                let Some(len) = text.write_to(&mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += len;
            }
            read += step.len;
            self.shift_state = step.shift_state;
        }
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        loop {
            if let Some(copied) = self.copied_bytes().filter(|_| self.only_ascii_begins_codes()) {
                let done = errors.replace_non_ascii(&src[read..], &mut dst[written..], copied);
                read += done.0;
                written += done.1;
            }
            let part = &src[read..src.len().min(read + STEPWISE_LEN)];
            let done = self.decode_stepwise(part, &mut dst[written..], errors);
            read += done.read;
            written += done.written;
            let has_stopped = part.len() - done.read >= MAX_LOOKAHEAD;
            if has_stopped || done.errors == 0 || part.len() < STEPWISE_LEN {
                return (read, written);
            }
        }
    }
}

/// The number of bytes that are decoded one code after another where errors are frequent, before a kernel is tried.
const STEPWISE_LEN: usize = 64;

impl StatefulDecoder {
    /// Decodes characters, sequences and errors one after another.
    fn decode_stepwise(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> Replaced {
        let mut error_count = 0;
        let mut count = |error| {
            error_count += 1;
            Some(Err(error))
        };
        let (read, written) = replace_malformed(src, dst, errors, |window, space| {
            let window: &[u8; MAX_LOOKAHEAD] = window;
            if let Some(lengths) = self.decode_pair([window[0], window[1]], src, space) {
                self.shift_state.after_escape = false;
                return Some(Ok(lengths));
            }
            // What follows a sequence may be an error because of it.
            let is_certain = !self.shift_state.after_escape;
            match self.code_roles()[usize::from(window[0])] {
                CodeRole::Ascii => {
                    self.shift_state.after_escape = false;
                    space[0] = window[0];
                    return Some(Ok((1, 1)));
                }
                CodeRole::Invalid if is_certain => {
                    return count((1, MalformedReason::InvalidLeadByte));
                }
                _ => {}
            }
            if let Some(set) = self.locking_shift(window[0]) {
                self.shift_state.active = set;
                return Some(Ok((1, 0)));
            }
            if let Some((set, len)) = self.locking_sequence(window) {
                self.shift_state.active = set;
                return Some(Ok((len, 0)));
            }
            match self.decode_one(window) {
                Ok(step) if is_certain || step.chars.is_some() => {
                    let written = step.chars.map_or(Some(0), |text| text.write_to(space))?;
                    self.shift_state = step.shift_state;
                    Some(Ok((step.len, written)))
                }
                Err(MappingError::Malformed(len, reason)) if is_certain => count((len, reason)),
                _ => None,
            }
        });
        Replaced { read, written, errors: error_count }
    }
}

struct StatefulEncoder {
    encoding: &'static StatefulEncoding,
    tables: &'static EncodeTables,
    shift_state: ShiftState,
    /// The last shifts: text often alternates between the same sets.
    last_shifts: [Shift; LAST_SHIFTS],
    /// The shifts to set 0 and back from the last state where they were needed.
    detour: Detour,
}

/// What all encoders of an encoding share.
#[derive(Debug)]
struct EncodeTables {
    /// The codes of the sets that are encoded.
    table: SharedEncodeTable,
    /// Those of ASCII characters in the complete table.
    ascii_codes: OnceLock<AsciiCodes>,
}

impl EncodeTables {
    fn new(encoding: &StatefulEncoding) -> EncodeTables {
        let sets = encoding.charsets.iter().enumerate();
        let encoded = sets.filter(|(_, set)| !matches!(set.designation, Designation::DecodeOnly));
        let sources = encoded.map(|(number, set)| TableSource::new(&set.mapping, tag(number)));
        let table = LazyEncodeTable::new(sources.collect(), encoding.overrides());
        EncodeTables { table: SharedEncodeTable::new(table), ascii_codes: OnceLock::new() }
    }
}

/// The codes of ASCII characters.
#[derive(Debug, Clone)]
struct AsciiCodes {
    fast_encoder: FastEncoder,
    /// The characters that set 0 encodes as ASCII, if it is a variant of ASCII: without line feeds, and
    /// with them.
    unchanged: Option<[AsciiByteSet; 2]>,
}

impl AsciiCodes {
    fn new(table: &MultiByteEncodeTable, encoding: &StatefulEncoding) -> AsciiCodes {
        let resets_at_newline = encoding.newline_reset != NewlineReset::None;
        let fast_encoder = FastEncoder::new(|byte| match char::from(byte) {
            '\n' if resets_at_newline => 0,
            character => table.single(character),
        });
        let is_ascii = |byte| table.single(char::from(byte)) == CodeBytes::from(byte) | tag(0);
        let in_line = AsciiByteSet::new(|byte| byte != b'\n' && is_ascii(byte));
        let unchanged = is_ascii(b'a').then(|| [in_line, AsciiByteSet::new(is_ascii)]);
        AsciiCodes { fast_encoder, unchanged }
    }
}

/// Shifts to set 0 and back, or `None` if they do not lead to the same state.
#[derive(Clone, Copy, Default)]
struct Detour {
    from: ShiftState,
    sequences: Option<[EncodedBytes; 2]>,
}

/// The number of shifts that are kept.
const LAST_SHIFTS: usize = 4;

/// The sequences from a state to a set, and the state after them.
#[derive(Clone, Copy, Default)]
struct Shift {
    from: ShiftState,
    set: u8,
    bytes: EncodedBytes,
    to: ShiftState,
}

/// Returns the tag of the codes of a set: its number plus one, above the code.
fn tag(set: usize) -> CodeBytes {
    (set as CodeBytes + 1) << 16
}

/// Returns the bytes of a code without its tag, and their number.
fn code_bytes(code: CodeBytes) -> ([u8; 2], usize) {
    let [first, second, ..] = code.to_le_bytes();
    ([first, second], if second == 0 { 1 } else { 2 })
}

impl StatefulEncoder {
    fn new(encoding: &'static StatefulEncoding) -> StatefulEncoder {
        let tables = ENCODE_TABLES.get_or_init(encoding.key(), || EncodeTables::new(encoding));
        StatefulEncoder {
            encoding,
            tables,
            shift_state: ShiftState::default(),
            last_shifts: [Shift { set: u8::MAX, ..Shift::default() }; LAST_SHIFTS],
            detour: Detour::default(),
        }
    }

    /// Returns the table with the codes of a text, and those of ASCII characters in it.
    fn prepare(&self, text: &str) -> (TableRef<'static>, Cow<'static, AsciiCodes>) {
        let table = self.tables.table.for_text(text);
        let new = || AsciiCodes::new(table.codes(), self.encoding);
        // Encoders do not have codes of their own: to make one would take longer than to encode a word.
        let ascii_codes = match table.is_complete() {
            true => Cow::Borrowed(self.tables.ascii_codes.get_or_init(new)),
            false => Cow::Owned(new()),
        };
        (table, ascii_codes)
    }

    /// Encodes characters of the active set, while `dst` has space; returns the number of bytes
    /// read and written.
    fn encode_run(
        &self,
        table: &MultiByteEncodeTable,
        ascii_codes: &AsciiCodes,
        src: &str,
        dst: &mut [u8],
    ) -> (usize, usize) {
        if !self.shift_state.header_written && !self.encoding.header.is_empty() {
            return (0, 0);
        }
        let shift_state = self.shift_state;
        let AsciiCodes { fast_encoder, unchanged } = ascii_codes;
        let ascii = unchanged.as_ref().filter(|_| shift_state.active == 0);
        let unchanged = ascii.map(|[in_line, all]| {
            if shift_state.after_newline(self.encoding) == shift_state { all } else { in_line }
        });
        let tag = tag(shift_state.active.into());
        fast_encoder.encode(table, tag, unchanged, src.as_bytes(), dst)
    }

    /// Returns the error of a character without a code. The Encoding Standard, section 12.2.2,
    /// reports U+FFFD for one that begins a sequence.
    fn unmappable(&self, character: char) -> Unmappable {
        match (self.encoding.conformance, character) {
            (Conformance::Whatwg, '\u{0E}' | '\u{0F}' | '\u{1B}') => {
                Unmappable::without_escape(character)
            }
            _ => Unmappable::new(character),
        }
    }

    /// Writes the sequences that select a set; returns the state after them.
    fn shift_to(&self, set: u8, out: &mut EncodedBytes) -> ShiftState {
        let mut shift_state = self.shift_state;
        if !shift_state.header_written && !self.encoding.header.is_empty() {
            out.push(self.encoding.header);
            shift_state.header_written = true;
            shift_state.designate(GraphicSet::G1, 1);
        }
        match self.encoding.charsets[usize::from(set)].designation {
            Designation::Locking(sequence) => {
                if self.encoding.katakana == Katakana::ShiftOut(shift_state.active) {
                    out.push(SHIFT_IN);
                    shift_state.leave_katakana(self.encoding.katakana);
                }
                if shift_state.active != set {
                    out.push(sequence);
                    shift_state.active = set;
                }
            }
            Designation::ShiftOut(designation) => {
                if shift_state.designated(GraphicSet::G1) != set {
                    out.push(designation);
                    shift_state.designate(GraphicSet::G1, set);
                }
                if shift_state.active != set {
                    out.push(SHIFT_OUT);
                    shift_state.active = set;
                }
            }
            Designation::SingleShift(slot, designation, shift) => {
                if shift_state.designated(slot) != set {
                    out.push(designation);
                    shift_state.designate(slot, set);
                }
                out.push(shift);
            }
            Designation::Katakana => match self.encoding.katakana {
                Katakana::ShiftOut(_) if shift_state.active != set => {
                    out.push(SHIFT_OUT);
                    shift_state.shift_to_katakana(set);
                }
                Katakana::RightHalf(_) if !self.is_single_byte_set(shift_state.active) => {
                    return self.shift_to(0, out);
                }
                _ => {}
            },
            Designation::DecodeOnly => {}
        }
        shift_state
    }

    /// Returns whether this set has ASCII or a variant of it.
    fn is_single_byte_set(&self, set: u8) -> bool {
        self.encoding.charsets[usize::from(set)].mapping.ascii
    }

    /// Returns whether the active set has an ASCII byte too, so that it need not be left.
    fn in_active_set(&self, set: u8, byte: u8) -> bool {
        let active = &self.encoding.charsets[usize::from(self.shift_state.active)].mapping;
        self.encoding.conformance == Conformance::Whatwg
            && (set, active.ascii) == (0, true)
            && active.decode_one(&[byte]).is_ok_and(|code| code.chars == char::from(byte).into())
    }

    /// Returns the bytes of a code with the sequences that select its set, and the state after
    /// them.
    #[inline]
    fn encode_code(&mut self, code: CodeBytes, character: char) -> (EncodedBytes, ShiftState) {
        let (mut bytes, count) = code_bytes(code);
        let set = (code >> 16) as u8 - 1;
        if self.encoding.katakana == Katakana::RightHalf(set) {
            bytes[0] |= 0x80;
        }
        let set = if self.in_active_set(set, bytes[0]) { self.shift_state.active } else { set };
        let slot = usize::from(set) % LAST_SHIFTS;
        let shift = &self.last_shifts[slot];
        if (shift.set, shift.from) != (set, self.shift_state) {
            let mut sequences = EncodedBytes::default();
            let to = self.shift_to(set, &mut sequences);
            self.last_shifts[slot] = Shift { from: self.shift_state, set, bytes: sequences, to };
        }
        let Shift { bytes: mut out, to: mut shift_state, .. } = self.last_shifts[slot];
        out.push(&bytes[..count]);
        if character == '\n' {
            shift_state = shift_state.after_newline(self.encoding);
        }
        (out, shift_state)
    }

    /// Returns the bytes of one or two ASCII characters at the start of `text` with shifts to set 0
    /// and back, and the number of the characters, if the next one is in the active set.
    ///
    /// Words are often separated so. The state is the same afterwards.
    #[inline]
    fn encode_detour(
        &mut self,
        table: &MultiByteEncodeTable,
        ascii_codes: &AsciiCodes,
        text: &str,
    ) -> Option<(EncodedBytes, usize)> {
        let active = self.shift_state.active;
        let [first, second, third] = *text.as_bytes().first_chunk()?;
        let len = if second.is_ascii() { 2 } else { 1 };
        if active == 0 || !first.is_ascii() || len == 2 && third.is_ascii() {
            return None;
        }
        let (next, _) = encode_table::char_at(text, len)?;
        let codes = [first, second].map(|byte| ascii_codes.fast_encoder.ascii_code(byte) ^ tag(0));
        let is_single = |code: &CodeBytes| matches!(code, 1..=0xFF);
        if table.single(next) >> 16 != tag(active.into()) >> 16
            || !codes[..len].iter().all(is_single)
        {
            return None;
        }
        if self.detour.from != self.shift_state {
            self.detour = self.find_detour();
        }
        let [mut out, back] = self.detour.sequences?;
        for code in &codes[..len] {
            out.bytes |= u128::from(*code) << (8 * out.len);
            out.len += 1;
        }
        out.bytes |= back.bytes << (8 * out.len);
        out.len += back.len;
        Some((out, len))
    }

    /// Returns the shifts from the state to set 0 and back.
    fn find_detour(&mut self) -> Detour {
        let from = self.shift_state;
        let mut sequences = [EncodedBytes::default(); 2];
        let [out, back] = &mut sequences;
        self.shift_state = self.shift_to(0, out);
        let to = self.shift_to(from.active, back);
        self.shift_state = from;
        // The Encoding Standard does not always leave the active set.
        let is_detour = to == from
            && self.encoding.conformance == Conformance::Lenient
            && out.len + back.len <= MAX_DETOUR_LEN;
        Detour { from, sequences: Some(sequences).filter(|_| is_detour) }
    }

    /// Returns the sequence that selects the initial set, and the state after it.
    fn reset_sequence(&self) -> (EncodedBytes, ShiftState) {
        let mut out = EncodedBytes::default();
        let shift_state = if self.shift_state.active == 0 {
            self.shift_state
        } else {
            self.shift_to(0, &mut out)
        };
        (out, shift_state)
    }
}

/// The maximum length of the shifts of a detour, which are written together with two characters.
const MAX_DETOUR_LEN: usize = 14;

/// Bytes to be written together, the first one lowest.
#[derive(Clone, Copy, Default)]
struct EncodedBytes {
    bytes: u128,
    len: usize,
}

impl EncodedBytes {
    fn push(&mut self, more: &[u8]) {
        for byte in more {
            self.bytes |= u128::from(*byte) << ((8 * self.len) & 0x7F);
            self.len += 1;
        }
    }

    /// Copies all bytes to the start of `dst`; returns whether they fit.
    fn copy_to(&self, dst: &mut [u8]) -> bool {
        let bytes = self.bytes.to_le_bytes();
        if let Some(space) = dst.first_chunk_mut() {
            *space = bytes;
            return true;
        }
        let fits = dst.get_mut(..self.len);
        fits.map(|output| output.copy_from_slice(&bytes[..self.len])).is_some()
    }
}

impl Checkpoint for StatefulEncoder {
    fn save_state(&self) -> State {
        self.shift_state.into()
    }

    fn restore_state(&mut self, at: State) {
        self.shift_state = at.into();
    }

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl EncodeStage for StatefulEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        if src.is_empty() && (!end || self.shift_state.active == 0) {
            return Progress::input_empty(0, 0);
        }
        let (table, ascii_codes) = self.prepare(src);
        let table = table.codes();
        loop {
            let (run_read, run_written) =
                self.encode_run(table, &ascii_codes, &src[read..], &mut dst[written..]);
            read += run_read;
            written += run_written;
            if let Some((out, len)) = self.encode_detour(table, &ascii_codes, &src[read..]) {
                if out.copy_to(&mut dst[written..]) {
                    read += len;
                    written += out.len;
                    continue;
                }
            }
            let (out, shift_state, len) = match encode_table::char_at(src, read) {
                Some((character, len)) => {
                    let (code, len) = match table.single(character) {
                        0 => match table.encode_first(&src[read..], end) {
                            EncodeStep::NeedMore => return Progress::input_empty(read, written),
                            EncodeStep::Code(code, len) => (code, len),
                            EncodeStep::Unmappable => {
                                let error = self.unmappable(character);
                                return Progress::error(read, written, error);
                            }
                        },
                        code => (code, len),
                    };
                    let (out, shift_state) = self.encode_code(code, character);
                    (out, shift_state, len)
                }
                None if end && self.shift_state.active != 0 => {
                    let (out, shift_state) = self.reset_sequence();
                    (out, shift_state, 0)
                }
                None => return Progress::input_empty(read, written),
            };
            if !out.copy_to(&mut dst[written..]) {
                return Progress::output_full(read, written);
            }
            written += out.len;
            read += len;
            self.shift_state = shift_state;
        }
    }

    fn encode_replacing(
        &mut self,
        src: &str,
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let tables = self.tables.table.complete().zip(errors.shift());
        let Some((table, EncoderShift { before, after })) = tables else { return (0, 0) };
        let (table, before, after) = (table.codes(), before.into(), after.into());
        let (mut read, mut written, mut clean_characters) = (0, 0, 0);
        let mut count = RunCount::default();
        while clean_characters < MAX_CLEAN_CHARACTERS {
            let Some((character, len)) = encode_table::char_at(src, read) else { break };
            let code = table.single(character);
            // Unless it changes the state.
            let is_in_active_set = code >> 16 == tag(self.shift_state.active.into()) >> 16
                && self.shift_state.active != 0;
            if let (true, Some(space)) = (is_in_active_set, dst[written..].first_chunk_mut()) {
                let count;
                (*space, count) = code_bytes(code);
                written += count;
                clean_characters += 1;
            } else if code != 0 {
                let (out, shift_state) = self.encode_code(code, character);
                if !out.copy_to(&mut dst[written..]) {
                    break;
                }
                written += out.len;
                self.shift_state = shift_state;
                clean_characters += 1;
            } else {
                let is_known = table.entry(character.into()) == 0 && self.shift_state == before;
                let error = self.unmappable(character);
                let replaced = match is_known {
                    true => errors.encoded(error, &mut dst[written..]),
                    false => None,
                };
                let Some((len, kind)) = replaced else { break };
                errors.count_in(&mut count, kind);
                written += len;
                self.shift_state = after;
                clean_characters = 0;
            }
            read += len;
        }
        errors.add_run(count);
        (read, written)
    }
}
