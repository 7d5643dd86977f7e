//! The charsets of the model, over whole strings.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    Utf8,
    Latin1,
    /// ISO-8859-1 in mail: windows-1252 of the Encoding Standard.
    Western,
    Utf16,
}

impl Known {
    /// Returns the charset of a label in mail programs.
    pub fn meant(label: &[u8]) -> Option<Known> {
        Known::said(label).map(|known| if known == Known::Latin1 { Known::Western } else { known })
    }

    /// Returns the charset of a label.
    pub fn said(label: &[u8]) -> Option<Known> {
        match label.to_ascii_lowercase().as_slice() {
            b"utf-8" | b"utf8" => Some(Known::Utf8),
            b"iso-8859-1" | b"latin1" => Some(Known::Latin1),
            b"utf-16be" => Some(Known::Utf16),
            _ => None,
        }
    }

    /// The text of all bytes, with U+FFFD for malformed sequences and controls.
    pub fn text(self, bytes: &[u8]) -> String {
        let text = match self {
            Known::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Known::Latin1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
            Known::Western => bytes.iter().map(|byte| western(*byte)).collect(),
            Known::Utf16 => {
                let mut units: Vec<_> = bytes.chunks_exact(2).map(unit).collect();
                // Half a unit is an error, and one with the half of a pair before it.
                if bytes.len() % 2 == 1 && !units.last().is_some_and(is_high) {
                    units.push(0xDC00);
                }
                char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{FFFD}')).collect()
            }
        };
        text.chars()
            .map(|character| if is_control(character) { '\u{FFFD}' } else { character })
            .collect()
    }

    /// Returns the number of leading bytes without an error.
    pub fn sound(self, bytes: &[u8]) -> usize {
        (0..=bytes.len()).rev().find(|end| !self.is_invalid(&bytes[..*end])).unwrap_or(0)
    }

    fn is_invalid(self, bytes: &[u8]) -> bool {
        self.text(bytes).contains('\u{FFFD}')
    }

    /// Returns the number of bytes at the end that may start a character.
    pub fn unfinished(self, bytes: &[u8]) -> usize {
        match self {
            Known::Utf8 => {
                let text = bytes.utf8_chunks().last();
                text.map_or(0, |chunk| {
                    let begun = chunk.invalid().len();
                    let more = std::str::from_utf8(chunk.invalid());
                    if more.is_err_and(|error| error.error_len().is_none()) { begun } else { 0 }
                })
            }
            Known::Latin1 | Known::Western => 0,
            Known::Utf16 => {
                let last = bytes.chunks_exact(2).map(unit).next_back();
                bytes.len() % 2 + if last.as_ref().is_some_and(is_high) { 2 } else { 0 }
            }
        }
    }
}

/// The characters at 80 to 9F; those at 81, 8D, 8F, 90 and 9D are controls (Encoding Standard, index
/// windows-1252).
const WESTERN: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ";

fn western(byte: u8) -> char {
    match byte {
        0x80..=0x9F => WESTERN.chars().nth(usize::from(byte - 0x80)).unwrap(),
        _ => char::from(byte),
    }
}

fn is_control(character: char) -> bool {
    character != '\t' && (character.is_control() || matches!(character, '\u{2028}' | '\u{2029}'))
}

fn unit(bytes: &[u8]) -> u16 {
    u16::from_be_bytes([bytes[0], bytes[1]])
}

fn is_high(unit: &u16) -> bool {
    (0xD800..0xDC00).contains(unit)
}
