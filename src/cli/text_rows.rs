//! The characters of a text with their bytes, in any encoding.

use charpipe_encoding::codec::{DecodeStage, State, Status};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_encoding::encoding::{self, Encoding};

/// The maximum number of bytes of a row. More bytes without a character, as in an endless shift
/// sequence, have several rows.
const MAX_ROW_LEN: usize = 64;

/// A character and its bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct TextRow<'a> {
    /// The offset of the first byte.
    pub offset: u64,
    pub bytes: &'a [u8],
    pub content: RowContent,
}

#[derive(Debug, PartialEq, Eq)]
pub enum RowContent {
    Character(char),
    /// Several characters that the bytes represent.
    Text(String),
    Malformed(Malformed),
    /// The bytes change only the state of the decoder.
    NoCharacter,
}

/// Splits an input into rows.
pub struct RowReader<'a> {
    decoder: &'a mut dyn DecodeStage,
    is_utf8: bool,
    initial_state: State,
    /// Whether the decoder was in the initial state before the row.
    is_initial: bool,
    /// The characters of bytes that are one in the initial state, once they are known.
    characters: [Option<char>; 256],
    buffer: Vec<u8>,
    /// The position in the buffer of the row.
    start: usize,
    /// The number of bytes of the row that have been given to the decoder.
    tried: usize,
    /// The number of bytes of the row that the decoder has read.
    read: usize,
    /// The offset of the row.
    offset: u64,
}

impl<'a> RowReader<'a> {
    /// Returns a reader that has no input.
    pub fn new(encoding: &Encoding, decoder: &'a mut dyn DecodeStage) -> RowReader<'a> {
        RowReader {
            is_utf8: encoding::is_utf8(encoding),
            initial_state: decoder.save_state(),
            decoder,
            is_initial: true,
            characters: [None; 256],
            buffer: Vec::new(),
            start: 0,
            tried: 0,
            read: 0,
            offset: 0,
        }
    }

    /// Adds input to that which has not been split yet.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next row, or `None` if it needs more input. `end` means that the buffer has the
    /// whole rest.
    pub fn next_row(&mut self, end: bool) -> Option<TextRow<'_>> {
        if let Some((len, character)) = self.known_character() {
            return Some(self.take_row(len, RowContent::Character(character)));
        }
        loop {
            let available = self.buffer.len() - self.start;
            if self.tried < available {
                self.tried += 1;
            } else if !end {
                return None;
            }
            let at_end = end && self.tried == available;
            let unread = &self.buffer[self.start + self.read..self.start + self.tried];
            let mut text = [0; 4 * MAX_ROW_LEN];
            let progress = self.decoder.decode(unread, &mut text, at_end);
            self.read += progress.read;
            if progress.written > 0 {
                let text = String::from_utf8_lossy(&text[..progress.written]);
                let mut characters = text.chars();
                let content = match (characters.next(), characters.next()) {
                    (Some(character), None) => RowContent::Character(character),
                    _ => RowContent::Text(text.into_owned()),
                };
                self.learn(&content);
                return Some(self.take_row(self.read, content));
            }
            if let Status::Error(error) = progress.status {
                let len = self.read + error.resume_len;
                self.decoder.restore_state(error.resume_state);
                return Some(self.take_row(len, RowContent::Malformed(error)));
            }
            if at_end && self.read == available || self.read >= MAX_ROW_LEN {
                let is_empty = self.read == 0;
                let row = self.take_row(self.read, RowContent::NoCharacter);
                return (!is_empty).then_some(row);
            }
        }
    }

    /// Passes the offset, the bytes and the character of the next rows, as long as the decoder is not needed for them.
    pub fn read_known<E>(
        &mut self,
        mut on_character: impl FnMut(u64, &[u8], char) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some((len, character)) = self.known_character() {
            let bytes = &self.buffer[self.start..self.start + len];
            on_character(self.offset, bytes, character)?;
            (self.start, self.offset) = (self.start + len, self.offset + len as u64);
        }
        Ok(())
    }

    /// Returns the next character and its length if the decoder is not needed for it.
    #[inline]
    fn known_character(&self) -> Option<(usize, char)> {
        if self.tried != 0 {
            return None;
        }
        let rest = &self.buffer[self.start..];
        let byte = *rest.first()?;
        if self.is_utf8 {
            if byte.is_ascii() {
                return Some((1, char::from(byte)));
            }
            let first = &rest[..rest.len().min(4)];
            let chunk = first.utf8_chunks().next()?;
            return chunk.valid().chars().next().map(|own| (own.len_utf8(), own));
        }
        let character = self.characters[usize::from(byte)]?;
        self.is_initial.then_some((1, character))
    }

    /// Notes the character of a single byte, if neither depends on a state.
    fn learn(&mut self, content: &RowContent) {
        if let (1, 1, RowContent::Character(character)) = (self.tried, self.read, content) {
            if self.is_initial && self.decoder.save_state() == self.initial_state {
                let byte = self.buffer[self.start];
                self.characters[usize::from(byte)] = Some(*character);
            }
        }
    }

    fn take_row(&mut self, len: usize, content: RowContent) -> TextRow<'_> {
        let (start, offset) = (self.start, self.offset);
        let end = (start + len).min(self.buffer.len());
        self.offset += (end - start) as u64;
        (self.start, self.tried, self.read) = (end, 0, 0);
        self.is_initial = !self.is_utf8 && self.decoder.save_state() == self.initial_state;
        TextRow { offset, bytes: &self.buffer[start..end], content }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        digits.join(" ")
    }

    /// Returns the offset, bytes and content of every row; `step` bytes are given at a time.
    fn rows(encoding: &Encoding, input: &[u8], step: usize) -> Vec<(u64, String, String)> {
        let mut decoder = encoding.factory.decoder(&Default::default());
        let mut reader = RowReader::new(encoding, &mut *decoder);
        let mut rows = Vec::new();
        let mut parts = input.chunks(step);
        loop {
            let part = parts.next();
            reader.feed(part.unwrap_or_default());
            loop {
                let known = reader.read_known(|offset, bytes, character| {
                    rows.push((offset, hex(bytes), character.to_string()));
                    Ok::<(), Infallible>(())
                });
                known.unwrap();
                let Some(row) = reader.next_row(part.is_none()) else { break };
                let content = match row.content {
                    RowContent::Character(character) => character.to_string(),
                    RowContent::Text(text) => text,
                    RowContent::Malformed(_) => "malformed".to_owned(),
                    RowContent::NoCharacter => "none".to_owned(),
                };
                rows.push((row.offset, hex(row.bytes), content));
            }
            if part.is_none() {
                return rows;
            }
        }
    }

    #[test]
    fn rows_have_the_bytes_of_each_character_for_every_split() {
        for (encoding, input, expected) in [
            (
                charpipe_encoding::UTF_8,
                &b"a\xC3\xA9\xE4\xB8\xAD"[..],
                &[(0, "61", "a"), (1, "C3 A9", "é"), (3, "E4 B8 AD", "中")][..],
            ),
            (
                charpipe_encoding::UTF_8,
                b"a\xE9b",
                &[(0, "61", "a"), (1, "E9", "malformed"), (2, "62", "b")],
            ),
            (charpipe_encoding::UTF_8, b"\xE4\xB8", &[(0, "E4 B8", "malformed")]),
            (charpipe_encoding::UTF_16, b"\xFF\xFEa\0", &[(0, "FF FE 61 00", "a")]),
            (
                charpipe_encoding::ISO_2022_JP,
                b"a\x1B$BF|\x1B(B",
                &[(0, "61", "a"), (1, "1B 24 42 46 7C", "日"), (6, "1B 28 42", "none")],
            ),
            (charpipe_encoding::UTF_8, b"", &[]),
        ] {
            for step in 1..=input.len().max(1) {
                let expected: Vec<_> = expected
                    .iter()
                    .map(|(offset, bytes, text)| (*offset, (*bytes).to_owned(), (*text).to_owned()))
                    .collect();
                assert_eq!(rows(encoding, input, step), expected, "{encoding:?} {step}");
            }
        }
    }

    #[test]
    fn rows_join_to_the_input_for_every_encoding() {
        let bytes = (0..=u8::MAX).chain((0..=u8::MAX).rev());
        // Each byte occurs again after it is known.
        let input: Vec<u8> = bytes.clone().chain(bytes).collect();
        for encoding in Encoding::all() {
            let rows = rows(encoding, &input, 100);
            let joined: Vec<_> =
                rows.iter().map(|row| &*row.1).filter(|it| !it.is_empty()).collect();
            assert_eq!(joined.join(" "), hex(&input), "{encoding:?}");
        }
    }
}
