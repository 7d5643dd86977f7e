//! C99: characters beyond ASCII as universal character names (ISO/IEC 9899:1999, section 6.4.3),
//! `\u20ac` and `\U0001f600`.
//!
//! As GNU libiconv has it: bytes 80 to 9F are the control characters of that number, and what the
//! standard does not let a name say is not a name, so its backslash is itself. Unlike there, an
//! escaped backslash begins no name, a backslash may be named itself (`backslash.rs`), an incomplete
//! name at the end of the input is not one either, and only 0 to 9 and A to F are digits.

use super::backslash::{self, Escape};
use super::wide::{Form, Reader, Taken, UNICODE, Writer};
use super::{Charset, Made, Mark, Settings};
use crate::fault::Why;

/// ASCII with universal character names.
pub static C99: Charset = Charset {
    name: "C99",
    about: "ASCII with characters as in the source of C: \\u20ac, \\U0001f600 (ISO/IEC 9899)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(Names)),
        encoder: |_: &Settings| Box::new(Writer::new(Names)),
    },
    wide: None,
};

struct Names;

/// What is below stands for itself.
const FIRST: u32 = 0xA0;

const BACKSLASH: u32 = b'\\' as u32;

/// Whether a name may stand for this character.
fn may_be_named(value: u32) -> bool {
    match value {
        0x24 | 0x40 | 0x60 => true,
        // So that a text has a form that is read as the same text.
        BACKSLASH => true,
        0xD800..=0xDFFF => false,
        _ => value >= FIRST,
    }
}

impl Form for Names {
    const WINDOW: usize = backslash::LONGEST_BEFORE + 10;

    fn highest(&self) -> u32 {
        UNICODE
    }

    fn read_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        backslash::read_run(src, dst, state)
    }

    fn write_run(&self, text: &str, dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        backslash::write_run(text, dst, *state)
    }

    fn take(&self, src: &[u8], end: bool, state: &mut u64) -> Taken {
        backslash::take(src, state, || item(src, end))
    }

    fn put(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        backslash::put(value, dst, state, value >= FIRST, |dst| match value {
            ..FIRST => {
                *dst.first_mut()? = value as u8;
                Some(1)
            }
            FIRST..0x1_0000 => backslash::write(value, b'u', 4, dst),
            _ => backslash::write(value, b'U', 8, dst),
        })
    }

    fn finish(&self, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        backslash::finish(dst, state)
    }
}

/// What comes next, which is not an escaped backslash.
fn item(src: &[u8], end: bool) -> Taken {
    let (letter, digits) = match *src {
        [b'\\', b'U', ..] => (b'U', 8),
        [b'\\', ..] => (b'u', 4),
        [octet, ..] if u32::from(octet) < FIRST => {
            return Taken::Value { value: u32::from(octet), len: 1 };
        }
        _ => return Taken::Bad { len: 1, why: Why::Stray },
    };
    match backslash::read(src, letter, digits, end) {
        Escape::Number(value) if may_be_named(value) => Taken::Value { value, len: 2 + digits },
        Escape::Number(_) | Escape::Not => backslash::ITSELF,
        Escape::More => Taken::More,
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{decode_every_way, encode_every_way};
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_all_else_is_itself() {
        for (octets, text) in [
            (&b"\\u20ac\\u20AC \\U0001f600"[..], "\u{20AC}\u{20AC} \u{1F600}"),
            (b"\\u0024\\u0040\\u0060", "$@`"),
            (b"\\U000000e9", "\u{E9}"),
            // The standard forbids names of other characters of ASCII, and of surrogates.
            (b"\\u0041 \\u009f \\ud800", "\\u0041 \\u009f \\ud800"),
            (b"\\n\\\\u00e9\\", "\\n\\\\u00e9\\"),
            (b"\\\\\\u00e9 \\u005c\\U000000e9", "\\\\\u{E9} \\\u{E9}"),
            (b"\\u00g9 \\u", "\\u00g9 \\u"),
            (b"\x80\x9F", "\u{80}\u{9F}"),
        ] {
            let read = decode_every_way("C99", octets);
            assert_eq!(read, (text.to_owned(), vec![]), "{}", octets.escape_ascii());
        }
    }

    #[test]
    fn octets_from_a0_and_values_beyond_unicode_are_refused() {
        for (octets, len, why) in [
            (&b"\xA0"[..], 1, Why::Stray),
            (b"\xFF", 1, Why::Stray),
            (b"\\U00110000", 10, Why::OutOfRange),
            (b"\\Uffffffff", 10, Why::OutOfRange),
        ] {
            let expected = ("\u{FFFD}".to_owned(), vec![(0, len, why)]);
            assert_eq!(decode_every_way("C99", octets), expected, "{}", octets.escape_ascii());
        }
    }

    #[test]
    fn characters_are_written_as_the_shortest_name() {
        let text = "a\\\u{7F}\u{80}\u{9F}\u{A0}\u{FFFF}\u{10000}\u{10FFFF}";
        let octets = b"a\\\x7F\x80\x9F\\u00a0\\uffff\\U00010000\\U0010ffff";
        assert_eq!(encode_every_way("C99", text), (octets.to_vec(), vec![]));
    }

    #[test]
    fn escaped_backslash_keeps_its_meaning_both_ways() {
        for (text, octets) in [
            ("\\\u{E9}", &b"\\u005c\\u00e9"[..]),
            ("\\\\\u{E9}", b"\\\\\\u00e9"),
            ("\\\u{1F600}\\", b"\\u005c\\U0001f600\\"),
            ("\\\u{80}", b"\\\x80"),
        ] {
            assert_eq!(encode_every_way("C99", text), (octets.to_vec(), vec![]), "{text}");
            assert_eq!(decode_every_way("C99", octets), (text.to_owned(), vec![]), "{text}");
        }
    }
}
