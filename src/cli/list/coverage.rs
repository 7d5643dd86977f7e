//! `charpipe list --for`: the encodings that can represent a text.

use std::io::{self, Write};

use super::character_codec::{CharacterCodec, DecodedCharacter};
use charpipe_encoding::encoding::Encoding;

/// The number of 64-bit words with a bit for each code point.
const WORDS: usize = 0x11_0000 / 64;

/// The characters of a text, which is written in UTF-8.
pub struct CharacterSet {
    bits: Box<[u64]>,
    /// The beginning of a character that the last write cut.
    partial: Vec<u8>,
}

impl CharacterSet {
    pub fn new() -> CharacterSet {
        CharacterSet { bits: vec![0; WORDS].into(), partial: Vec::new() }
    }

    fn insert_all(&mut self, text: &str) {
        for character in text.chars() {
            let code = character as usize;
            self.bits[code / 64] |= 1 << (code % 64);
        }
    }

    /// Returns the characters in the order of their code points.
    pub fn iter(&self) -> impl Iterator<Item = char> + '_ {
        self.bits.iter().enumerate().flat_map(|(index, word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .filter_map(move |bit| char::from_u32(index as u32 * 64 + bit))
        })
    }

    /// Returns whether every character can be encoded, and the bytes are decoded as the same character.
    pub fn is_covered_by(&self, encoding: &'static Encoding) -> bool {
        let mut codec = CharacterCodec::new(encoding);
        self.iter().all(|character| {
            let mut buffer = [0; 4];
            let text: &str = match character {
                // At the start of a text it may be a byte order mark.
                '\u{FEFF}' => "a\u{FEFF}",
                _ => character.encode_utf8(&mut buffer),
            };
            let Some(bytes) = codec.encode(text) else { return false };
            codec.decode(&bytes, true) == DecodedCharacter::Text(text.to_owned())
        })
    }
}

impl Write for CharacterSet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined;
        let bytes_left = match self.partial.is_empty() {
            true => bytes,
            false => {
                joined = [&self.partial[..], bytes].concat();
                &joined
            }
        };
        let valid = match std::str::from_utf8(bytes_left) {
            Ok(text) => text,
            Err(error) if error.error_len().is_some() => {
                return Err(io::ErrorKind::InvalidData.into());
            }
            Err(error) => {
                std::str::from_utf8(&bytes_left[..error.valid_up_to()]).unwrap_or_default()
            }
        };
        let rest = bytes_left[valid.len()..].to_vec();
        self.insert_all(valid);
        self.partial = rest;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_of(text: &str, step: usize) -> CharacterSet {
        let mut set = CharacterSet::new();
        for part in text.as_bytes().chunks(step) {
            set.write_all(part).unwrap();
        }
        set
    }

    #[test]
    fn characters_are_collected_across_writes() {
        let text = "z中a\u{10FFFF}aé";
        for step in 1..=8 {
            assert_eq!(set_of(text, step).iter().collect::<String>(), "azé中\u{10FFFF}", "{step}");
        }
    }

    #[test]
    fn encoding_covers_what_it_encodes_and_decodes_unchanged() {
        for (text, encoding, covers) in [
            ("café", charpipe_encoding::ISO_8859_1, true),
            ("café €", charpipe_encoding::ISO_8859_1, false),
            ("café €", charpipe_encoding::ISO_8859_15, true),
            ("日本", charpipe_encoding::SHIFT_JIS, true),
            ("한", charpipe_encoding::SHIFT_JIS, false),
            ("\u{FEFF}a", charpipe_encoding::UTF_16, true),
            ("\u{FEFF}a", charpipe_encoding::ISO_8859_1, false),
            ("", charpipe_encoding::US_ASCII, true),
        ] {
            assert_eq!(set_of(text, 4).is_covered_by(encoding), covers, "{text} {encoding:?}");
        }
    }
}
