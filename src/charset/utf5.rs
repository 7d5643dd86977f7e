//! UTF-5 (draft-jseng-utf5-00, July 1999): a value as hexadecimal digits, the first one apart.
//!
//! The digits are as few as can be. The first is one of G to V, the others are 0 to 9 and A to F,
//! so a character ends where the next begins. All text becomes letters and digits: LF is `Q`, and
//! nothing tells a cut file from a whole one. The draft's formula for the number of octets fails
//! for 0, 1 and every power of 16; a value of n hexadecimal digits, with one digit for 0, is meant.

mod read;
#[cfg(test)]
mod tests;
mod write;

use super::wide::{Form, Reader, Taken, UCS, UNICODE, Writer, wide};
use super::{Charset, Key, Made, Mark, Settings, Values};
use crate::kernel::utf5::decode::decode;
use crate::kernel::utf5::encode::encode;

/// The draft's UTF-5.
pub static UTF_5: Charset = Charset {
    name: "UTF-5",
    about: "Unicode in the letters A to V and digits (draft-jseng-utf5-00)",
    options: OPTIONS,
    mark: Mark::Character,
    codecs: &Made {
        decoder: |settings: &Settings| Box::new(Reader::new(Utf5::new(settings))),
        encoder: |settings: &Settings| Box::new(Writer::new(Utf5::new(settings))),
    },
    wide: wide(
        |settings| settings.flag("ucs4"),
        |settings: &Settings| Box::new(Reader::new(Utf5::new(settings))),
        |settings: &Settings| Box::new(Writer::new(Utf5::new(settings))),
    ),
};

const OPTIONS: &[Key] = &[
    Key {
        name: "eol",
        values: Values::Words(&["final", "reject", "skip", "keep"]),
        about: "raw CR and LF: one break dropped at the very end, none allowed, all dropped, \
                or passed both ways as they are",
    },
    Key {
        name: "case",
        values: Values::Words(&["exact", "fold"]),
        about: "whether the decoder takes small letters for capital ones",
    },
    Key {
        name: "overlong",
        values: Values::Flag,
        about: "the decoder takes leading zeros, up to 31 octets in all",
    },
    Key {
        name: "ucs4",
        values: Values::Flag,
        about: "31-bit values, to and from the other charsets that have them",
    },
    Key {
        name: "wrap",
        values: Values::Number(8, 1_000_000),
        about: "the encoder ends a line after at most so many octets; read it with eol=skip",
    },
    Key {
        name: "dns",
        values: Values::Flag,
        about: "a full stop stands for itself both ways, as between the labels of a domain name",
    },
];

/// What raw CR and LF are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Eol {
    Final,
    Reject,
    Skip,
    Keep,
}

struct Utf5 {
    eol: Eol,
    fold: bool,
    overlong: bool,
    dns: bool,
    highest: u32,
    /// Octets that a line may have, breaks not counted.
    wrap: u64,
}

impl Utf5 {
    fn new(settings: &Settings) -> Utf5 {
        let eol = match () {
            () if settings.is("eol", "reject") => Eol::Reject,
            () if settings.is("eol", "skip") => Eol::Skip,
            () if settings.is("eol", "keep") => Eol::Keep,
            () => Eol::Final,
        };
        Utf5 {
            eol,
            fold: settings.is("case", "fold"),
            overlong: settings.flag("overlong"),
            dns: settings.flag("dns"),
            highest: if settings.flag("ucs4") { UCS } else { UNICODE },
            wrap: settings.number("wrap").map_or(u64::MAX, u64::from),
        }
    }
}

impl Form for Utf5 {
    const WINDOW: usize = read::WINDOW;

    fn highest(&self) -> u32 {
        self.highest
    }

    fn read_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        // Faults and line breaks come in crowds: what begins with one is not worth a try.
        let classes = self.classes();
        let is_head = |octet: &u8| matches!(classes[usize::from(*octet)], read::Class::Head(_));
        if *state == read::BETWEEN && src.first().is_some_and(is_head) {
            decode(self.fold, src, dst)
        } else {
            (0, 0)
        }
    }

    fn write_run(&self, text: &str, dst: &mut [u8], column: &mut u64) -> (usize, usize) {
        if self.dns || self.eol == Eol::Keep {
            return (0, 0);
        }
        let line = usize::try_from(self.wrap.saturating_sub(*column)).unwrap_or(usize::MAX);
        let room = dst.len().min(line);
        let (read, written) = encode(text, &mut dst[..room]);
        *column += written as u64;
        (read, written)
    }

    fn take(&self, src: &[u8], end: bool, state: &mut u64) -> Taken {
        self.read(src, end, state)
    }

    fn put(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        self.write(value, dst, state)
    }
}
