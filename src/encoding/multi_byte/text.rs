//! Text as an encoder reads it.

/// The character at this byte of a text, and how many bytes it has. Nothing at the end.
///
/// Most characters of these encodings have three bytes, so these come first.
#[inline(always)]
pub fn char_at(text: &str, at: usize) -> Option<(char, usize)> {
    let bytes = &text.as_bytes()[at..];
    if let Some([lead @ 0xE0..=0xEF, second, third]) = bytes.first_chunk::<3>() {
        let tail = |byte: &u8| u32::from(byte & 0x3F);
        let value = u32::from(lead & 0x0F) << 12 | tail(second) << 6 | tail(third);
        return char::from_u32(value).map(|character| (character, 3));
    }
    let character = text[at..].chars().next()?;
    Some((character, character.len_utf8()))
}
