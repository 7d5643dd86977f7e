//! JAVA: characters beyond ASCII as the Unicode escapes of Java source text (The Java Language
//! Specification, section 3.3): `\u20ac`, and two for a surrogate pair.
//!
//! As GNU libiconv has it: bytes from 80 on are read as ISO-8859-1 and not written; and a second
//! `u`, or a surrogate without its other half, makes no escape, so the backslash is itself. Unlike
//! there, an escaped backslash begins no escape (`backslash.rs`), an incomplete escape at the end of
//! the input is not one either, and only 0 to 9 and A to F are digits.

use super::backslash::{self, Escape};
use super::wide::{Form, Reader, Taken, UNICODE, Writer};
use super::{Charset, Made, Mark, Settings};

/// ISO-8859-1 with Unicode escapes.
pub static JAVA: Charset = Charset {
    name: "JAVA",
    about: "ASCII with characters as in the source of Java: \\u20ac, \\ud83d\\ude00",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(Escapes)),
        encoder: |_: &Settings| Box::new(Writer::new(Escapes)),
    },
    wide: None,
};

struct Escapes;

/// Octets of an escape.
const ESCAPE: usize = 6;

fn unit(src: &[u8], end: bool) -> Escape {
    backslash::read(src, b'u', ESCAPE - 2, end)
}

impl Form for Escapes {
    const WINDOW: usize = backslash::LONGEST_BEFORE + 2 * ESCAPE;

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
        backslash::put(value, dst, state, value >= 0x80, |dst| write(value, dst))
    }

    fn finish(&self, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        backslash::finish(dst, state)
    }
}

/// What comes next, which is not an escaped backslash.
fn item(src: &[u8], end: bool) -> Taken {
    if src[0] != b'\\' {
        return Taken::Value { value: u32::from(src[0]), len: 1 };
    }
    let high = match unit(src, end) {
        Escape::Number(high @ 0xD800..=0xDBFF) => high,
        Escape::Number(0xDC00..=0xDFFF) | Escape::Not => return backslash::ITSELF,
        Escape::Number(value) => return Taken::Value { value, len: ESCAPE },
        Escape::More => return Taken::More,
    };
    match unit(&src[ESCAPE..], end) {
        Escape::Number(low @ 0xDC00..=0xDFFF) => {
            let value = 0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF);
            Taken::Value { value, len: 2 * ESCAPE }
        }
        Escape::Number(_) | Escape::Not => backslash::ITSELF,
        Escape::More => Taken::More,
    }
}

/// Writes a character, if there is enough space.
fn write(value: u32, dst: &mut [u8]) -> Option<usize> {
    let unit = |unit, dst: &mut [u8]| backslash::write(unit, b'u', ESCAPE - 2, dst);
    match value {
        ..0x80 => {
            *dst.first_mut()? = value as u8;
            Some(1)
        }
        0x80..0x1_0000 => unit(value, dst),
        _ => {
            let (high, low) = dst.get_mut(..2 * ESCAPE)?.split_at_mut(ESCAPE);
            unit(0xD7C0 + (value >> 10), high)?;
            unit(0xDC00 | value & 0x3FF, low)?;
            Some(2 * ESCAPE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{decode_every_way, encode_every_way};

    #[test]
    fn escapes_are_read_in_any_case_and_all_else_is_itself() {
        for (octets, text) in [
            (&b"\\u20ac\\u20AC\\u0041"[..], "\u{20AC}\u{20AC}A"),
            (b"\\ud83d\\uDE00!", "\u{1F600}!"),
            (b"\\ud800\\udc00\\udbff\\udfff", "\u{10000}\u{10FFFF}"),
            (b"\\ud83d\\u0041 \\ude00", "\\ud83dA \\ude00"),
            (b"\\ud83d\\", "\\ud83d\\"),
            (b"\\uu20ac \\u20g0 \\", "\\uu20ac \\u20g0 \\"),
            (b"\\\\u00e9", "\\\\u00e9"),
            (b"\\\\\\u00e9", "\\\\\u{E9}"),
            (b"\\u005cu00e9 \\u005c\\u00e9", "\\u00e9 \\\u{E9}"),
            (b"\\ud83d\\\\ude00", "\\ud83d\\\\ude00"),
            (b"\x80\xE9\xFF", "\u{80}\u{E9}\u{FF}"),
        ] {
            let read = decode_every_way("JAVA", octets);
            assert_eq!(read, (text.to_owned(), vec![]), "{}", octets.escape_ascii());
        }
    }

    #[test]
    fn characters_are_written_as_their_units_of_utf_16() {
        let text = "a\\\u{7F}\u{80}\u{FFFF}\u{10000}\u{10FFFF}";
        let octets = b"a\\\x7F\\u0080\\uffff\\ud800\\udc00\\udbff\\udfff";
        assert_eq!(encode_every_way("JAVA", text), (octets.to_vec(), vec![]));
    }

    #[test]
    fn escaped_backslash_keeps_its_meaning_both_ways() {
        for (text, octets) in [
            ("\\\u{E9}", &b"\\u005c\\u00e9"[..]),
            ("\\\\\u{E9}", b"\\\\\\u00e9"),
            ("\\\\\\\u{1F600}", b"\\\\\\u005c\\ud83d\\ude00"),
            ("C:\\dir\\\\n\\", b"C:\\dir\\\\n\\"),
            ("\\", b"\\"),
            ("\\\\", b"\\\\"),
        ] {
            assert_eq!(encode_every_way("JAVA", text), (octets.to_vec(), vec![]), "{text}");
            assert_eq!(decode_every_way("JAVA", octets), (text.to_owned(), vec![]), "{text}");
        }
    }
}
