//! Charsets whose bytes mean one set of characters or another, as shifts say: ISO-2022-JP, -KR and
//! -CN, HZ, and the mixed charsets of IBM's hosts.
//!
//! One driver serves all of them. A charset is a [`Scheme`]: the sets, and the sequences that lead
//! from one to another. The sets are grids of `multi`.
//!
//! Decoders take any sequence at any place: twice the same, or one directly behind another, is no
//! fault. An unknown one is; only its first byte is the offender. Control characters stand for
//! themselves in every set. The Encoding Standard is stricter ([`Manner`]). Encoders write a sequence
//! only in front of a character that needs it, and at the end the one that leads back. A character
//! that begins a sequence has no code, since what follows it could make it one.

mod chinese;
mod decoder;
mod encoder;
mod host;
mod japanese;
mod korean;
mod shifts;
#[cfg(test)]
mod tests;

use super::multi::grid::Grid;
use super::{Charset, Codecs, Mark, Settings, list};
use crate::codec::{Decoder, Encoder};
use decoder::SchemeDecoder;
use encoder::SchemeEncoder;

const LISTS: &[&[&Charset]] = &[japanese::ALL, korean::ALL, chinese::ALL, host::ALL];

/// All charsets with shifts, in the order of the manual.
pub const ALL: &[&Charset] = &list::chained::<{ list::count(LISTS) }>(LISTS);

/// Bytes of the longest sequences with the character behind them.
const WINDOW: usize = 16;

/// The sets of a charset, and what leads from one to another.
#[derive(Debug)]
pub struct Scheme {
    /// An encoder takes the first that has the character. Number 0 is that of the beginning.
    sets: &'static [Set],
    /// The sequences, none of which begins another.
    sequences: &'static [(&'static [u8], Act)],
    /// What a newline makes forgotten.
    newline: Newline,
    /// Written in front of the first character: the designation of set 1, which holds for a
    /// decoder from the beginning.
    header: &'static [u8],
    /// Whether control characters and the space are themselves in every set.
    controls: bool,
    /// Characters from U+FF61 on that are encoded like these instead.
    folded: &'static str,
    manner: Manner,
}

/// What is taken for a fault beside unknown codes and sequences, and when a set is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Sequences may stand anywhere, and a control character is never part of a bad code.
    Lenient,
    /// As in the Encoding Standard, section 12.2. A sequence directly behind another is a fault.
    /// Of one that the input ends within ESC is the fault, and the rest is text. A bad code has
    /// two bytes, unless the second is ESC. ASCII is written in the set in use if that has it.
    Web,
}

/// A set, and how an encoder gets there.
#[derive(Debug)]
pub struct Set {
    grid: Grid,
    reach: Reach,
}

/// How an encoder gets at a set.
#[derive(Debug, Clone, Copy)]
pub enum Reach {
    /// By this sequence, until another.
    Locked(&'static [u8]),
    /// By this sequence, which designates it as G1, and SO, until SI.
    Shifted(&'static [u8]),
    /// For one character: by the sequence that designates it, and the single shift.
    Single(Slot, &'static [u8], &'static [u8]),
    /// Not at all: the set is only decoded.
    Never,
}

/// The code elements of ISO 2022 that are designated before they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    G1,
    G2,
    G3,
}

/// What a sequence does.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// Makes this set the one in use.
    Lock(u8),
    /// Designates this set.
    Designate(Slot, u8),
    /// Makes G1 the set in use.
    ShiftOut,
    /// Takes the next character from what is designated here.
    Single(Slot),
    /// Stands for this character.
    Character(char),
    /// Is no character, and leads nowhere.
    Refused,
    /// Stands for nothing.
    Nothing,
}

/// What a newline makes forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newline {
    /// Nothing.
    Keeps,
    /// The designations, and the set in use.
    Forgets,
    /// Only the designations.
    Designations,
    /// Only the set in use.
    Returns,
}

const SHIFT_OUT: &[u8] = b"\x0E";
const ESCAPE: u8 = 0x1B;

impl Scheme {
    /// One with ASCII-like controls, and nothing else particular.
    const fn new(sets: &'static [Set], sequences: &'static [(&'static [u8], Act)]) -> Scheme {
        Scheme {
            sets,
            sequences,
            newline: Newline::Keeps,
            header: b"",
            controls: true,
            folded: "",
            manner: Manner::Lenient,
        }
    }
}

impl Set {
    /// A set that a decoder knows by a sequence alone.
    const fn decoded(grid: Grid) -> Set {
        Set { grid, reach: Reach::Never }
    }

    const fn locked(grid: Grid, sequence: &'static [u8]) -> Set {
        Set { grid, reach: Reach::Locked(sequence) }
    }
}

impl Codecs for &'static Scheme {
    fn decoder(&self, _: &Settings) -> Box<dyn Decoder> {
        Box::new(SchemeDecoder::new(self))
    }

    fn encoder(&self, _: &Settings) -> Box<dyn Encoder> {
        Box::new(SchemeEncoder::new(self))
    }

    fn engine(&self) -> Option<&'static str> {
        Some(match (self.newline, self.controls) {
            _ if self.manner == Manner::Web => "escape sequences of the web",
            (Newline::Keeps, false) => "shifts of hosts",
            (Newline::Keeps, true) if !self.header.is_empty() => "shifts behind a header",
            (Newline::Keeps, true) => "escape sequences",
            (Newline::Designations, _) => "escape sequences and single shifts",
            (Newline::Forgets, _) => "shifts by the line",
            (Newline::Returns, _) => "tildes",
        })
    }
}

const fn charset(
    name: &'static str,
    about: &'static str,
    codecs: &'static &'static Scheme,
) -> Charset {
    Charset { name, about, options: &[], mark: Mark::Character, codecs, wide: None }
}
