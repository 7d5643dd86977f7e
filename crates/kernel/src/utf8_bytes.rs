//! The UTF-8 sequences of characters up to U+FFFF, in a word each, and texts of them.

/// A UTF-8 sequence of up to three bytes, the first byte lowest, with its length in the highest two
/// bits. Zero is an unmapped byte.
pub type Utf8Bytes = u32;

/// A bit that is set in every sequence.
const PRESENT_BIT: Utf8Bytes = 1 << 29;

/// The number of sequences that [`write_all`] writes.
pub const HALF_STEP: usize = 8;

/// Packs a UTF-8 sequence of at most three bytes.
pub fn utf8_bytes(bytes: &[u8]) -> Utf8Bytes {
    let all = bytes.iter().rev().fold(0, |all, byte| all << 8 | Utf8Bytes::from(*byte));
    all | (bytes.len() as Utf8Bytes) << 30 | PRESENT_BIT
}

/// Returns the UTF-8 sequence of a character up to U+FFFF.
#[inline]
pub fn utf8_bytes_of(character: char) -> Utf8Bytes {
    let value = Utf8Bytes::from(character);
    let trail = |shift: u32| 0x80 | value >> shift & 0x3F;
    let (bytes, len) = match value {
        0..=0x7F => (value, 1),
        0x80..=0x7FF => (0xC0 | value >> 6 | trail(0) << 8, 2),
        _ => (0xE0 | value >> 12 | trail(6) << 8 | trail(0) << 16, 3),
    };
    bytes | len << 30 | PRESENT_BIT
}

/// Returns the length of a sequence in bytes.
#[inline(always)]
pub fn utf8_len(form: Utf8Bytes) -> usize {
    (form >> 30) as usize
}

/// Writes sequences one after another and returns the number of bytes, or `None` if one is zero.
///
/// The caller looks up all of them before the first is written: a third faster than one at a time.
#[inline(always)]
pub fn write_all(sequences: [Utf8Bytes; HALF_STEP], output: &mut [u8]) -> Option<usize> {
    let output = output.first_chunk_mut::<{ 3 * HALF_STEP + 1 }>()?;
    if sequences.iter().fold(PRESENT_BIT, |all, form| all & form) == 0 {
        return None;
    }
    let mut at = 0;
    for form in sequences {
        if let Some(slot) = output[at..].first_chunk_mut() {
            *slot = form.to_le_bytes();
        }
        at += utf8_len(form);
    }
    Some(at)
}

/// Writes a sequence and returns its length in bytes, or `None` if the output has not enough space.
#[inline(always)]
pub fn write_utf8(form: Utf8Bytes, output: &mut [u8]) -> Option<usize> {
    let len = utf8_len(form);
    if let Some(output) = output.first_chunk_mut() {
        *output = form.to_le_bytes();
    } else {
        output.get_mut(..len)?.copy_from_slice(&form.to_le_bytes()[..len]);
    }
    Some(len)
}

/// The UTF-8 sequence of each byte; zero for unmapped bytes.
pub type Utf8Table = [Utf8Bytes; 0x100];

/// The character of each byte of a single-byte encoding, up to U+FFFF.
#[derive(Debug)]
pub struct CharacterTable {
    utf8: Box<Utf8Table>,
    is_ascii_compatible: bool,
}

impl CharacterTable {
    /// Creates a table from the character of each byte, if it has one.
    pub fn new(character: impl Fn(u8) -> Option<char>) -> CharacterTable {
        let mut utf8 = Box::new([0; 0x100]);
        for (byte, form) in (0..=0xFF).zip(utf8.iter_mut()) {
            *form = character(byte).filter(|it| *it <= '\u{FFFF}').map_or(0, utf8_bytes_of);
        }
        let is_ascii_compatible = (0..0x80).all(|byte| character(byte) == Some(char::from(byte)));
        CharacterTable { utf8, is_ascii_compatible }
    }

    /// Returns the UTF-8 sequence of each byte.
    pub fn sequences(&self) -> &Utf8Table {
        &self.utf8
    }

    /// Returns whether bytes below 0x80 are ASCII.
    #[inline(always)]
    pub fn is_ascii_compatible(&self) -> bool {
        self.is_ascii_compatible
    }

    /// Returns the UTF-8 sequence of a byte, or zero if it is unmapped.
    #[inline(always)]
    pub fn utf8_bytes(&self, byte: u8) -> Utf8Bytes {
        self.utf8[usize::from(byte)]
    }

    /// Returns the text of all of `src`, or `None` if a byte is unmapped or `src` is longer than
    /// `MAX_TEXT_LEN`.
    #[inline]
    pub fn text(&self, src: &[u8]) -> Option<String> {
        match src.len() {
            ..33 => self.text_in(src, &mut [0; 3 * 32 + WRITTEN_AHEAD]),
            33..65 => self.text_in(src, &mut [0; 3 * 64 + WRITTEN_AHEAD]),
            65..129 => self.text_in(src, &mut [0; 3 * 128 + WRITTEN_AHEAD]),
            129..=MAX_TEXT_LEN => self.text_in(src, &mut [0; 3 * MAX_TEXT_LEN + WRITTEN_AHEAD]),
            _ => None,
        }
    }

    /// Does the same in a buffer.
    #[allow(unsafe_code)]
    #[inline(always)]
    fn text_in(&self, src: &[u8], buffer: &mut [u8]) -> Option<String> {
        let (mut read, mut written) = (0, 0);
        while let Some(bytes) = src[read..].first_chunk::<HALF_STEP>() {
            let output = &mut buffer[written..];
            let has_high = u64::from_ne_bytes(*bytes) & 0x8080_8080_8080_8080 != 0;
            if has_high || !self.is_ascii_compatible {
                written += write_all(bytes.map(|byte| self.utf8_bytes(byte)), output)?;
            } else {
                *output.first_chunk_mut()? = *bytes;
                written += HALF_STEP;
            }
            read += HALF_STEP;
        }
        if read < src.len() {
            let mut last = [PRESENT_BIT; HALF_STEP];
            for (form, byte) in last.iter_mut().zip(&src[read..]) {
                *form = self.utf8_bytes(*byte);
            }
            written += write_all(last, &mut buffer[written..])?;
        }
        // SAFETY: what is before `written` are whole sequences, one after another, and ASCII. `new` makes each
        // sequence from a `char`, nothing changes it, and its length is that of its bytes; those of `PRESENT_BIT`
        // alone and of zero have none. To validate them takes a fifth of the time of a short text.
        Some(unsafe { std::str::from_utf8_unchecked(&buffer[..written]) }.to_owned())
    }
}

/// The length of the longest text that [`CharacterTable::text`] decodes, in bytes.
pub const MAX_TEXT_LEN: usize = 256;

/// The number of bytes after a text that [`write_all`] may overwrite.
const WRITTEN_AHEAD: usize = 3 * HALF_STEP + 1;

/// A short text that is written one character after another.
pub struct TextBuffer {
    bytes: [u8; TextBuffer::LEN],
    len: usize,
}

impl TextBuffer {
    /// The length of the longest input, in bytes, of an encoding with at most three bytes of UTF-8 for each
    /// byte, whose text fits.
    pub const MAX_INPUT_LEN: usize = 64;

    const LEN: usize = 3 * TextBuffer::MAX_INPUT_LEN + TextBuffer::STORE_LEN;

    /// The number of bytes that are written for a character, of which the first three or fewer are kept.
    const STORE_LEN: usize = 4;

    /// Returns an empty text.
    #[inline(always)]
    #[allow(clippy::new_without_default, reason = "nothing needs it")]
    pub fn new() -> TextBuffer {
        TextBuffer { bytes: [0; TextBuffer::LEN], len: 0 }
    }

    /// Appends the character of a UTF-16 code unit. Returns `None` if it is a surrogate or the buffer is full.
    #[inline(always)]
    pub fn push_unit(&mut self, unit: u16) -> Option<()> {
        let value = u32::from(unit);
        let trail = |bits: u32| 0x80 | bits & 0x3F;
        let (bytes, len) = match unit {
            ..0x80 => (value, 1),
            0x80..0x800 => (0xC0 | value >> 6 | trail(value) << 8, 2),
            0xD800..=0xDFFF => return None,
            _ => (0xE0 | value >> 12 | trail(value >> 6) << 8 | trail(value) << 16, 3),
        };
        *self.bytes.get_mut(self.len..)?.first_chunk_mut::<{ TextBuffer::STORE_LEN }>()? =
            bytes.to_le_bytes();
        self.len += len;
        Some(())
    }

    /// Returns the text.
    #[allow(unsafe_code)]
    #[inline(always)]
    pub fn as_str(&self) -> &str {
        // SAFETY: only `push_unit` writes bytes and increases `len`, by the number of bytes that are the UTF-8
        // of a code unit that is not a surrogate; what it writes after them is not counted.
        unsafe { std::str::from_utf8_unchecked(&self.bytes[..self.len]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stride;

    #[test]
    fn utf8_is_written_where_it_fits() {
        for character in ['a', '\u{E9}', '\u{20AC}'] {
            let text = character.to_string();
            for output in 0..6 {
                let mut dst = vec![0x55; output];
                let fits = output >= text.len();
                assert_eq!(
                    write_utf8(utf8_bytes_of(character), &mut dst),
                    fits.then_some(text.len())
                );
                assert!(!fits || dst.starts_with(text.as_bytes()));
            }
        }
    }

    #[test]
    fn sequences_are_utf8() {
        for character in ('\0'..='\u{FFFF}').step_by(stride(195)) {
            let expected = utf8_bytes(character.encode_utf8(&mut [0; 4]).as_bytes());
            assert_eq!(utf8_bytes_of(character), expected, "{character:?}");
        }
    }

    #[test]
    fn text_of_every_length_agrees_with_the_characters() {
        let ascii_and = |first: u32| {
            move |byte: u8| match byte {
                0..0x80 => Some(char::from(byte)),
                0xFF => None,
                _ => char::from_u32(first + u32::from(byte)),
            }
        };
        let invert = |byte: u8| Some(char::from(!byte));
        let tables: [&dyn Fn(u8) -> Option<char>; 4] =
            [&ascii_and(0x80), &ascii_and(0x400), &ascii_and(0x2000), &invert];
        for character in tables {
            let table = CharacterTable::new(character);
            for len in (0..=MAX_TEXT_LEN + 1).step_by(stride(87)) {
                for period in [1, 3, 9, 40, 300] {
                    let byte =
                        |at: usize| if at % period == 0 { 0xB0 + at as u8 % 64 } else { b'x' };
                    let mut bytes: Vec<u8> = (0..len).map(byte).collect();
                    let expected: Option<String> =
                        bytes.iter().map(|byte| character(*byte)).collect();
                    let expected = expected.filter(|_| len <= MAX_TEXT_LEN);
                    assert_eq!(table.text(&bytes), expected, "{len} {period}");
                    if let Some(last) = bytes.last_mut() {
                        *last = 0xFF;
                        let is_mapped = character(0xFF).is_some() && len <= MAX_TEXT_LEN;
                        assert_eq!(table.text(&bytes).is_some(), is_mapped, "{len} {period}");
                    }
                }
            }
        }
    }

    #[test]
    fn characters_above_ffff_are_unmapped() {
        let table = CharacterTable::new(|_| Some('\u{1F600}'));
        assert_eq!((table.text(b""), table.text(b"a")), (Some(String::new()), None));
    }

    #[test]
    fn text_of_every_code_unit_is_its_character() {
        for unit in (0..=u16::MAX).step_by(stride(195)) {
            let mut text = TextBuffer::new();
            let pushed = text.push_unit(unit).map(|()| text.as_str().to_owned());
            assert_eq!(pushed, char::from_u32(u32::from(unit)).map(String::from), "{unit:X}");
        }
        let mut text = TextBuffer::new();
        for len in 1..=TextBuffer::MAX_INPUT_LEN {
            assert_eq!(text.push_unit(0x65E5), Some(()));
            assert_eq!(text.as_str(), "日".repeat(len));
        }
        while text.push_unit(0xE9).is_some() {}
        assert!(text.as_str().ends_with('é'));
    }
}
