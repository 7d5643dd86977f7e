//! Classes of inputs that a difference may be about, distinguished by slow and obvious decoders that
//! share nothing with the codecs.

mod base64;

use crate::known_differences::Direction;

/// The classes of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InputClass {
    /// Every input.
    Any,
    /// No character at all.
    Empty,
    /// A byte order mark of the encoding at the start.
    WithBom,
    /// None there.
    WithoutBom,
    /// Nothing but characters that a renderer may ignore, outside the target's repertoire.
    Ignorable,
    /// A flaw of an encoding that shifts to base64 and back.
    Malformed(Base64Defect),
}

/// The errors of text in UTF-7 or UTF-7-IMAP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base64Defect {
    /// An ASCII byte outside base64 that is in no set.
    BareAscii,
    /// A byte above 7F.
    HighByte,
    /// A shift that neither base64 nor `-` follows.
    BareShift,
    /// A shift that the input ends after.
    ShiftAtEnd,
    /// Six spare bits or more, all zero, and the byte that ends the run.
    LongPadding,
    /// The same, and then the end of the input.
    LongPaddingAtEnd,
    /// Spare bits that are not zero, and the byte that ends the run.
    DirtyPadding,
    /// The same, and then the end of the input.
    DirtyPaddingAtEnd,
    /// Half of a surrogate pair.
    Unpaired,
    /// The first half of a surrogate pair whose last digit ends the input.
    UnpairedAtEnd,
    /// A surrogate pair with its halves in two runs, one directly after the other.
    SplitPair,
    /// UTF-7-IMAP: a byte other than `-` ends a run.
    Unclosed,
    /// UTF-7-IMAP: the end of the input ends a run.
    UnclosedAtEnd,
    /// UTF-7-IMAP: a run directly after another one.
    NullShift,
    /// UTF-7-IMAP: a character in base64 that must be written directly.
    Needless,
    /// UTF-7-IMAP: `&` in base64.
    NeedlessAmpersand,
}

/// The families that an input in this encoding is of, where the table knows any.
pub fn classes_of(encoding: &str, direction: Direction, input: &[u8]) -> Vec<InputClass> {
    let mut families = vec![InputClass::Any];
    if input.is_empty() {
        families.push(InputClass::Empty);
    }
    match direction {
        Direction::Encode if is_ignorable(input) => families.push(InputClass::Ignorable),
        Direction::Encode => {}
        Direction::Decode => {
            let marked = byte_order_marks(encoding).iter().any(|mark| input.starts_with(mark));
            families.push(if marked { InputClass::WithBom } else { InputClass::WithoutBom });
            if let Some(shifts) = base64::ShiftScanner::parse(encoding) {
                families
                    .extend(base64::defects(shifts, input).into_iter().map(InputClass::Malformed));
            }
        }
    }
    families
}

fn byte_order_marks(encoding: &str) -> &'static [&'static [u8]] {
    match encoding {
        "UTF-16" | "UCS-2" => &[b"\xFF\xFE", b"\xFE\xFF"],
        "UTF-32" | "UCS-4" => &[b"\xFF\xFE\0\0", b"\0\0\xFE\xFF"],
        _ => &[],
    }
}

/// Whether a text has characters that are not Latin-1, all of them ignorable.
fn is_ignorable(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let mut others = text.chars().filter(|character| *character > '\u{FF}').peekable();
    // The rest of Default_Ignorable_Code_Point occurs in the inputs only beside other characters.
    let ignorable = |character| matches!(character, '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}');
    others.peek().is_some() && others.all(ignorable)
}
