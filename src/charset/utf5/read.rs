//! Reading UTF-5: strict unless an option says otherwise.

use super::{Eol, Utf5};
use crate::charset::wide::Taken;
use crate::fault::Why;

/// Octets of a sequence that are looked at. No form of a value is longer than 8, but a fault is
/// to have its exact length as long as that is no burden.
pub(super) const WINDOW: usize = 32;

/// States: between characters, or behind a fault in a sequence that was too long to be seen whole.
pub(super) const BETWEEN: u64 = 0;
const SWALLOWING: u64 = 1;

/// What an octet is, or can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Head(u8),
    Digit(u8),
    Other,
}

static CLASSES: [Class; 256] = classes(false);
static FOLDED_CLASSES: [Class; 256] = classes(true);

const fn classes(fold: bool) -> [Class; 256] {
    let mut classes = [Class::Other; 256];
    let mut octet = 0;
    while octet < 256 {
        let seen = if fold { (octet as u8).to_ascii_uppercase() } else { octet as u8 };
        classes[octet] = match seen {
            b'0'..=b'9' => Class::Digit(seen - b'0'),
            b'A'..=b'F' => Class::Digit(seen - b'A' + 10),
            b'G'..=b'V' => Class::Head(seen - b'G'),
            _ => Class::Other,
        };
        octet += 1;
    }
    classes
}

impl Utf5 {
    /// What each octet is.
    pub(super) fn classes(&self) -> &'static [Class; 256] {
        if self.fold { &FOLDED_CLASSES } else { &CLASSES }
    }

    /// Reads one character, or what stands in its place.
    pub(super) fn read(&self, src: &[u8], end: bool, state: &mut u64) -> Taken {
        let classes = self.classes();
        if *state == SWALLOWING {
            let rest = src.iter().map(|octet| classes[usize::from(*octet)]);
            match rest.take_while(|class| matches!(class, Class::Digit(_))).count() {
                0 => *state = BETWEEN,
                len => return Taken::Nothing { len },
            }
        }
        match (classes[usize::from(src[0])], src[0]) {
            (Class::Head(first), _) => self.sequence(classes, first, src, end, state),
            (_, b'\r' | b'\n') => self.line_break(src, end),
            (_, b'.') if self.dns => Taken::Value { value: u32::from(b'.'), len: 1 },
            _ => Taken::Bad { len: 1, why: Why::Stray },
        }
    }

    /// Reads a head and the digits behind it.
    fn sequence(
        &self,
        classes: &[Class; 256],
        first: u8,
        src: &[u8],
        end: bool,
        state: &mut u64,
    ) -> Taken {
        let (mut value, mut len) = (u32::from(first), 1);
        while let Some(&octet) = src[..src.len().min(WINDOW)].get(len) {
            let Class::Digit(digit) = classes[usize::from(octet)] else { break };
            let room = value >> (u32::BITS - 4) == 0;
            // All ones is above the highest value, and stays there.
            value = if room { value << 4 | u32::from(digit) } else { u32::MAX };
            len += 1;
        }
        let overlong = first == 0 && len > 1;
        if len == WINDOW {
            *state = SWALLOWING;
            let why = if overlong { Why::Overlong } else { Why::OutOfRange };
            Taken::Bad { len, why }
        } else if len == src.len() && !end {
            Taken::More
        } else if overlong && !self.overlong {
            Taken::Bad { len, why: Why::Overlong }
        } else {
            Taken::Value { value, len }
        }
    }

    /// Reads the CR or LF at the front of `src`.
    fn line_break(&self, src: &[u8], end: bool) -> Taken {
        match (self.eol, src) {
            (Eol::Keep, _) => Taken::Value { value: u32::from(src[0]), len: 1 },
            (Eol::Skip, _) => Taken::Nothing { len: 1 },
            (Eol::Final, b"\n" | b"\r\n") if end => Taken::Nothing { len: src.len() },
            (Eol::Final, b"\n" | b"\r" | b"\r\n") if !end => Taken::More,
            (Eol::Final | Eol::Reject, _) => Taken::Bad { len: 1, why: Why::Stray },
        }
    }
}
