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
mod decode;
mod ebcdic;
mod encode;
mod iso2022_cn_hz;
mod iso2022_jp;
mod iso2022_kr;
#[cfg(test)]
mod tests;

use super::multi_byte::encode_table::CodeBytes;
use super::multi_byte::lazy_encode_table::Override;
use super::multi_byte::mapping::MultiByteMapping;
use super::{CodecFactory, Encoding, EncodingOptions, concat, total_len};
use crate::codec::{DecodeStage, EncodeStage, State};
use crate::encoding::split_rule::{ByteSet, SplitPoints, SplitRule, SplitTarget};
use decode::StatefulDecoder;
use encode::{StatefulEncoder, tag};

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

    /// Makes a set active by a sequence, after which another one may be an error.
    #[inline]
    fn lock(&mut self, set: u8, conformance: Conformance) {
        self.active = set;
        self.after_escape = conformance == Conformance::Whatwg;
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
