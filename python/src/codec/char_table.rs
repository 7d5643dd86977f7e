//! Tables of the characters that a codec converts one at a time.
//!
//! Most calls convert a few words, for which a call of a codec and UTF-8 between it and Python take longer than the
//! conversion. The entries are learned from the codec: a character has one if the codec converts it by itself from its
//! initial state to its initial state, and needs no more input to do so. Text of such characters alone is converted by
//! the table, and other text by the codec.

use std::io;

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};

/// The number of entries of a page.
const PAGE_LEN: usize = 256;

/// The number of pages of 256 characters in Unicode.
const PAGES: usize = 0x1100;

/// The entry of what is not in the table.
const NONE: u32 = u32::MAX;

/// The codes of characters.
pub struct EncodeTable {
    /// The number of the page of each 256 characters; 0, a page without entries, before it is filled.
    pages: Vec<u16>,
    /// The bytes of codes, with the first one in the lowest bits, and their number in the highest eight bits.
    codes: Vec<u32>,
}

impl EncodeTable {
    pub fn new() -> EncodeTable {
        EncodeTable { pages: Vec::new(), codes: Vec::new() }
    }

    /// Appends the codes of characters to `output`. Returns whether all characters are in the table.
    pub fn encode(
        &mut self,
        encoder: &mut dyn EncodeStage,
        mut chars: &[u32],
        output: &mut Vec<u8>,
    ) -> io::Result<bool> {
        if self.pages.is_empty() {
            self.pages.resize(PAGES, 0);
            self.codes.resize(PAGE_LEN, NONE);
        }
        let mut len = output.len();
        output.try_reserve(4 * chars.len())?;
        output.resize(len + 4 * chars.len(), 0);
        loop {
            let (read, written) = self.encode_known(chars, &mut output[len..]);
            chars = &chars[read..];
            len += written;
            match chars.first() {
                None => break,
                Some(char) if self.add_page(encoder, *char) => {}
                Some(_) => return Ok(false),
            }
        }
        output.truncate(len);
        Ok(true)
    }

    /// Encodes characters up to the first one without an entry. Returns the numbers of characters read and bytes written.
    fn encode_known(&self, chars: &[u32], output: &mut [u8]) -> (usize, usize) {
        let (pages, codes) = (&self.pages[..PAGES], &self.codes[..]);
        let mut len = 0;
        for (index, char) in chars.iter().enumerate() {
            let char = *char as usize;
            let code = codes[usize::from(pages[char / PAGE_LEN]) * PAGE_LEN + char % PAGE_LEN];
            if code == NONE {
                return (index, len);
            }
            output[len..len + 4].copy_from_slice(&code.to_le_bytes());
            len += (code >> 24) as usize;
        }
        (chars.len(), len)
    }

    /// Fills the page of a character. Returns whether it was empty.
    fn add_page(&mut self, encoder: &mut dyn EncodeStage, char: u32) -> bool {
        let page = &mut self.pages[char as usize / PAGE_LEN];
        if *page != 0 {
            return false;
        }
        *page = (self.codes.len() / PAGE_LEN) as u16;
        let start = char / PAGE_LEN as u32 * PAGE_LEN as u32;
        let chars = (start..).take(PAGE_LEN);
        self.codes.extend(chars.map(|char| learn_code(encoder, char).unwrap_or(NONE)));
        true
    }
}

/// Returns the code of a character, if it has up to three bytes and is written from the initial state to the initial state.
fn learn_code(encoder: &mut dyn EncodeStage, char: u32) -> Option<u32> {
    let char = char::from_u32(char)?;
    let (mut text, mut bytes) = ([0; 4], [0; 64]);
    let text = char.encode_utf8(&mut text);
    encoder.restore_state(State::INITIAL);
    let progress = encoder.encode(text, &mut bytes, false);
    if progress.status != Status::InputEmpty
        || progress.read != text.len()
        || encoder.save_state() != State::INITIAL
        || encoder.encode("", &mut [0; 64], true).written != 0
    {
        return None;
    }
    let mut code = [0; 4];
    code[..3].get_mut(..progress.written)?.copy_from_slice(&bytes[..progress.written]);
    code[3] = progress.written as u8;
    Some(u32::from_le_bytes(code))
}

/// The characters of codes of one and two bytes.
pub struct DecodeTable {
    /// The number of the page of each first byte of two; 0 before it is filled.
    pages: [u16; PAGE_LEN],
    /// The characters of single bytes, and of the second bytes of pairs.
    chars: Vec<u32>,
}

impl DecodeTable {
    pub fn new() -> DecodeTable {
        DecodeTable { pages: [0; PAGE_LEN], chars: Vec::new() }
    }

    /// Replaces `output` with the characters of codes. Returns whether all codes are in the table.
    pub fn decode(
        &mut self,
        decoder: &mut dyn DecodeStage,
        codes: &[u8],
        output: &mut Vec<u32>,
    ) -> bool {
        if self.chars.is_empty() {
            self.chars.extend((0..=u8::MAX).map(|byte| learn_char(decoder, &[byte])));
        }
        output.clear();
        output.reserve(codes.len());
        let mut codes = codes.iter();
        while let Some(first) = codes.next() {
            let first = usize::from(*first);
            let mut char = self.chars[first];
            if char == NONE {
                let Some(second) = codes.next() else { return false };
                if self.pages[first] == 0 {
                    self.add_page(decoder, first as u8);
                }
                char = self.chars[usize::from(self.pages[first]) * PAGE_LEN + usize::from(*second)];
            }
            if char == NONE {
                return false;
            }
            output.push(char);
        }
        true
    }

    fn add_page(&mut self, decoder: &mut dyn DecodeStage, first: u8) {
        self.pages[usize::from(first)] = (self.chars.len() / PAGE_LEN) as u16;
        self.chars.extend((0..=u8::MAX).map(|second| learn_char(decoder, &[first, second])));
    }
}

/// Returns the character of a code, if it is read from the initial state to the initial state.
fn learn_char(decoder: &mut dyn DecodeStage, code: &[u8]) -> u32 {
    let mut text = [0; 64];
    decoder.restore_state(State::INITIAL);
    let progress = decoder.decode(code, &mut text, false);
    if progress.status != Status::InputEmpty
        || progress.read != code.len()
        || decoder.save_state() != State::INITIAL
    {
        return NONE;
    }
    let text = std::str::from_utf8(&text[..progress.written]).unwrap_or_default();
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(char), None) => u32::from(char),
        _ => NONE,
    }
}
