//! Charsets whose bytes mean one set of characters or another, as shifts say: ISO-2022-JP, -KR and
//! -CN, HZ, and the mixed charsets of IBM's hosts.
//!
//! One driver serves all of them. A charset is a [`Scheme`]: the sets, and the sequences that lead
//! from one to another. The sets are mappings of `multi`.
//!
//! Decoders take any sequence at any position: twice the same, or one directly after another, is no
//! error. An unknown one is; only its first byte is the offender. Control characters stand for
//! themselves in every set. The Encoding Standard is stricter ([`Manner`]). Encoders write a sequence
//! only before a character that needs it, and at the end the one that leads back. A character
//! that begins a sequence has no code, since what follows it could make it one.

mod decoder;
mod ebcdic;
mod encoder;
mod iso2022_cn_hz;
mod iso2022_jp;
mod iso2022_kr;
mod shifts;
#[cfg(test)]
mod tests;

use super::multi_byte::mapping::MultiByteMapping;
use super::{BomHandling, CodecFactory, Encoding, EncodingOptions, const_concat};
use crate::codec::{Decoder, Encoder};
use decoder::StatefulDecoder;
use encoder::StatefulEncoder;

const ENCODING_LISTS: &[&[&Encoding]] =
    &[iso2022_jp::ALL, iso2022_kr::ALL, iso2022_cn_hz::ALL, ebcdic::ALL];

/// All charsets with shifts, in the order of the manual.
pub const ALL: &[&Encoding] =
    &const_concat::concat::<{ const_concat::total_len(ENCODING_LISTS) }>(ENCODING_LISTS);

/// Bytes of the longest sequences with the character after them.
const MAX_LOOKAHEAD: usize = 16;

/// The sets of a charset, and what leads from one to another.
#[derive(Debug)]
pub struct StatefulEncoding {
    /// An encoder takes the first that has the character. Number 0 is that of the beginning.
    charsets: &'static [CodedCharset],
    /// The sequences, none of which begins another.
    sequences: &'static [(&'static [u8], ControlFunction)],
    /// What a newline makes forgotten.
    newline_reset: NewlineReset,
    /// Written before the first character: the designation of set 1, which holds for a
    /// decoder from the beginning.
    header: &'static [u8],
    /// Whether control characters and the space are themselves in every set.
    shared_controls: bool,
    /// Characters from U+FF61 on that are encoded like these instead.
    katakana_replacements: &'static str,
    conformance: Conformance,
}

/// What is taken for an error beside unknown codes and sequences, and when a set is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conformance {
    /// Sequences may stand anywhere, and a control character is never part of an invalid code.
    Lenient,
    /// As in the Encoding Standard, section 12.2. A sequence directly after another is an error.
    /// Of one that the input ends within ESC is the error, and the rest is text. An invalid code has
    /// two bytes, unless the second is ESC. ASCII is written in the set in use if that has it.
    Whatwg,
}

/// A set, and how an encoder gets there.
#[derive(Debug)]
pub struct CodedCharset {
    mapping: MultiByteMapping,
    designation: Designation,
}

/// How an encoder gets at a set.
#[derive(Debug, Clone, Copy)]
pub enum Designation {
    /// By this sequence, until another.
    Locking(&'static [u8]),
    /// By this sequence, which designates it as G1, and SO, until SI.
    ShiftOut(&'static [u8]),
    /// For one character: by the sequence that designates it, and the single shift.
    SingleShift(GraphicSet, &'static [u8], &'static [u8]),
    /// Not at all: the set is only decoded.
    DecodeOnly,
}

/// The code elements of ISO 2022 that are designated before they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphicSet {
    G1,
    G2,
    G3,
}

/// What a sequence does.
#[derive(Debug, Clone, Copy)]
pub enum ControlFunction {
    /// Makes this set the one in use.
    LockingShift(u8),
    /// Designates this set.
    Designate(GraphicSet, u8),
    /// Makes G1 the set in use.
    ShiftOut,
    /// Takes the next character from what is designated here.
    SingleShift(GraphicSet),
    /// Stands for this character.
    Character(char),
    /// Is no character, and leads nowhere.
    Reject,
    /// Stands for nothing.
    Ignore,
}

/// What a newline makes forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewlineReset {
    /// Nothing.
    None,
    /// The designations, and the set in use.
    All,
    /// Only the designations.
    Designations,
    /// Only the set in use.
    ShiftState,
}

const SHIFT_OUT: &[u8] = b"\x0E";
const ESCAPE: u8 = 0x1B;

impl StatefulEncoding {
    /// One with ASCII-like controls, and nothing else particular.
    const fn new(
        sets: &'static [CodedCharset],
        sequences: &'static [(&'static [u8], ControlFunction)],
    ) -> StatefulEncoding {
        StatefulEncoding {
            charsets: sets,
            sequences,
            newline_reset: NewlineReset::None,
            header: b"",
            shared_controls: true,
            katakana_replacements: "",
            conformance: Conformance::Lenient,
        }
    }
}

impl CodedCharset {
    /// A set that a decoder knows by a sequence alone.
    const fn decode_only(mapping: MultiByteMapping) -> CodedCharset {
        CodedCharset { mapping, designation: Designation::DecodeOnly }
    }

    const fn locking(mapping: MultiByteMapping, sequence: &'static [u8]) -> CodedCharset {
        CodedCharset { mapping, designation: Designation::Locking(sequence) }
    }
}

impl CodecFactory for &'static StatefulEncoding {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn Decoder> {
        Box::new(StatefulDecoder::new(self))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn Encoder> {
        Box::new(StatefulEncoder::new(self))
    }

    fn engine(&self) -> Option<&'static str> {
        Some(match (self.newline_reset, self.shared_controls) {
            _ if self.conformance == Conformance::Whatwg => "escape sequences of the web",
            (NewlineReset::None, false) => "shifts of hosts",
            (NewlineReset::None, true) if !self.header.is_empty() => "shifts behind a header",
            (NewlineReset::None, true) => "escape sequences",
            (NewlineReset::Designations, _) => "escape sequences and single shifts",
            (NewlineReset::All, _) => "shifts by the line",
            (NewlineReset::ShiftState, _) => "tildes",
        })
    }
}

const fn encoding(
    name: &'static str,
    description: &'static str,
    codecs: &'static &'static StatefulEncoding,
) -> Encoding {
    Encoding {
        name,
        description,
        options: &[],
        bom_handling: BomHandling::Ignore,
        factory: codecs,
        ucs4: None,
    }
}
