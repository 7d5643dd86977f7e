//! Reading UTF-5: strict unless an option says otherwise.

use super::{Eol, Utf5Format};
use crate::conversion_error::MalformedReason;
use crate::encoding::code_point_codec::ReadResult;

/// Bytes of a sequence that are looked at. No form of a value is longer than 8, but an error is
/// to have its exact length as long as that is no burden.
pub(super) const MAX_LOOKAHEAD: usize = 32;

/// States: between characters, or after an error in a sequence that was too long to be seen whole.
pub(super) const BETWEEN_CHARS: u64 = 0;
const SKIPPING_DIGITS: u64 = 1;

/// What a byte is, or can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Utf5ByteClass {
    Lead(u8),
    Digit(u8),
    Other,
}

static BYTE_CLASSES: [Utf5ByteClass; 256] = byte_classes(false);
static FOLDED_BYTE_CLASSES: [Utf5ByteClass; 256] = byte_classes(true);

const fn byte_classes(fold: bool) -> [Utf5ByteClass; 256] {
    let mut classes = [Utf5ByteClass::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        let seen = if fold { (byte as u8).to_ascii_uppercase() } else { byte as u8 };
        classes[byte] = match seen {
            b'0'..=b'9' => Utf5ByteClass::Digit(seen - b'0'),
            b'A'..=b'F' => Utf5ByteClass::Digit(seen - b'A' + 10),
            b'G'..=b'V' => Utf5ByteClass::Lead(seen - b'G'),
            _ => Utf5ByteClass::Other,
        };
        byte += 1;
    }
    classes
}

impl Utf5Format {
    /// What each byte is.
    pub(super) fn byte_classes(&self) -> &'static [Utf5ByteClass; 256] {
        if self.fold_case { &FOLDED_BYTE_CLASSES } else { &BYTE_CLASSES }
    }

    /// Reads one character, or what stands in its position.
    pub(super) fn decode_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult {
        let classes = self.byte_classes();
        if *state == SKIPPING_DIGITS {
            let rest = src.iter().map(|byte| classes[usize::from(*byte)]);
            match rest.take_while(|class| matches!(class, Utf5ByteClass::Digit(_))).count() {
                0 => *state = BETWEEN_CHARS,
                len => return ReadResult::Skip { len },
            }
        }
        match (classes[usize::from(src[0])], src[0]) {
            (Utf5ByteClass::Lead(first), _) => {
                self.decode_sequence(classes, first, src, end, state)
            }
            (_, b'\r' | b'\n') => self.decode_eol(src, end),
            (_, b'.') if self.dns => ReadResult::CodePoint { value: u32::from(b'.'), len: 1 },
            _ => ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte },
        }
    }

    /// Reads a head and the digits after it.
    fn decode_sequence(
        &self,
        classes: &[Utf5ByteClass; 256],
        first: u8,
        src: &[u8],
        end: bool,
        state: &mut u64,
    ) -> ReadResult {
        let (mut value, mut len) = (u32::from(first), 1);
        while let Some(&byte) = src[..src.len().min(MAX_LOOKAHEAD)].get(len) {
            let Utf5ByteClass::Digit(digit) = classes[usize::from(byte)] else { break };
            let space = value >> (u32::BITS - 4) == 0;
            // All ones is above the highest value, and stays there.
            value = if space { value << 4 | u32::from(digit) } else { u32::MAX };
            len += 1;
        }
        let overlong = first == 0 && len > 1;
        if len == MAX_LOOKAHEAD {
            *state = SKIPPING_DIGITS;
            let reason =
                if overlong { MalformedReason::Overlong } else { MalformedReason::OutOfRange };
            ReadResult::Malformed { len, reason }
        } else if len == src.len() && !end {
            ReadResult::NeedMore
        } else if overlong && !self.allow_overlong {
            ReadResult::Malformed { len, reason: MalformedReason::Overlong }
        } else {
            ReadResult::CodePoint { value, len }
        }
    }

    /// Reads the CR or LF at the start of `src`.
    fn decode_eol(&self, src: &[u8], end: bool) -> ReadResult {
        match (self.eol, src) {
            (Eol::Keep, _) => ReadResult::CodePoint { value: u32::from(src[0]), len: 1 },
            (Eol::Skip, _) => ReadResult::Skip { len: 1 },
            (Eol::Final, b"\n" | b"\r\n") if end => ReadResult::Skip { len: src.len() },
            (Eol::Final, b"\n" | b"\r" | b"\r\n") if !end => ReadResult::NeedMore,
            (Eol::Final | Eol::Reject, _) => {
                ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte }
            }
        }
    }
}
