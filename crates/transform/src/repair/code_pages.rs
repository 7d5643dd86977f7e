//! The encodings in which UTF-8 is read by mistake.
//!
//! Each character has a byte in some of them, and that byte can start or continue a character of UTF-8.

use std::sync::LazyLock;

use charpipe_encoding::encoding::{Encoding, constants};

/// The number of code pages.
pub const COUNT: usize = 12;

/// The code pages, the most common ones first: among equal repairs the first one is chosen. Programs
/// for Windows read a byte without a character as ISO-8859-1, which is marked here.
static ENCODINGS: [(&Encoding, bool); COUNT] = [
    (constants::CP1252, true),
    (constants::ISO_8859_1, false),
    (constants::CP1250, true),
    (constants::CP1251, true),
    (constants::CP1253, true),
    (constants::CP1254, true),
    (constants::CP1257, true),
    (constants::ISO_8859_2, false),
    (constants::WHATWG_MACINTOSH, false),
    (constants::IBM437, false),
    (constants::IBM850, false),
    (constants::IBM866, false),
];

/// Returns the code pages of a set.
pub fn pages_of(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let page = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        page
    })
}

/// What a character is in the code pages: sets of pages as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Roles {
    /// The pages in which it is a lead byte of UTF-8, C2 to F4.
    pub lead: u16,
    /// Those in which it is the lead byte of three bytes or more, E0 to F4.
    lead_of_3: u16,
    /// Those in which it is the lead byte of four bytes, F0 to F4.
    lead_of_4: u16,
    /// The pages in which it is a continuation byte, 80 to BF.
    pub continuation: u16,
}

/// What is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A run of characters outside ASCII.
    Run,
    /// A line with ASCII.
    Line,
}

/// The bytes of a character, by code page; 0 if the page does not have it.
pub type Bytes = [u8; COUNT];

/// What a character is in all code pages.
type Cell = (Roles, Bytes);

const NO_CELL: Cell = (Roles { lead: 0, lead_of_3: 0, lead_of_4: 0, continuation: 0 }, [0; COUNT]);

/// The characters of all code pages.
#[derive(Debug)]
pub struct CodePages {
    /// The characters below [`TABLE_LEN`].
    cells: Vec<Cell>,
    /// Those from [`FIRST_OTHER`] on, which are few. There are none between.
    others: Vec<(char, Cell)>,
}

const TABLE_LEN: usize = 0x2600;
const FIRST_OTHER: char = '\u{F800}';

impl CodePages {
    /// Returns the characters, which are collected when this is called first.
    pub fn get() -> &'static CodePages {
        static PAGES: LazyLock<CodePages> = LazyLock::new(CodePages::new);
        &PAGES
    }

    fn new() -> CodePages {
        let mut pages = CodePages { cells: vec![NO_CELL; TABLE_LEN], others: Vec::new() };
        for (page, (encoding, is_filled)) in ENCODINGS.into_iter().enumerate() {
            for byte in 0x80..=0xFF {
                let latin1 = is_filled.then_some(char::from(byte));
                let Some(character) = character_of(encoding, byte).or(latin1) else { continue };
                let (roles, bytes) = pages.cell_mut(character);
                bytes[page] = byte;
                roles.lead |= u16::from(matches!(byte, 0xC2..=0xF4)) << page;
                roles.lead_of_3 |= u16::from(matches!(byte, 0xE0..=0xF4)) << page;
                roles.lead_of_4 |= u16::from(matches!(byte, 0xF0..=0xF4)) << page;
                roles.continuation |= u16::from(byte < 0xC0) << page;
            }
        }
        pages
    }

    fn cell_mut(&mut self, character: char) -> &mut Cell {
        if let Some(cell) = self.cells.get_mut(character as usize) {
            return cell;
        }
        let known = self.others.iter().position(|(other, _)| *other == character);
        let index = known.unwrap_or_else(|| {
            self.others.push((character, NO_CELL));
            self.others.len() - 1
        });
        &mut self.others[index].1
    }

    #[inline]
    fn cell(&self, character: char) -> &Cell {
        match self.cells.get(character as usize) {
            Some(cell) => cell,
            None if character < FIRST_OTHER => &NO_CELL,
            None => {
                let mut others = self.others.iter();
                others.find(|(other, _)| *other == character).map_or(&NO_CELL, |(_, cell)| cell)
            }
        }
    }

    pub fn roles(&self, character: char) -> Roles {
        self.cell(character).0
    }

    pub fn bytes(&self, character: char) -> &Bytes {
        &self.cell(character).1
    }

    /// Returns the pages, as bits, in which all characters of `text` outside ASCII can be UTF-8. An
    /// incomplete character at the end is accepted if `is_partial`.
    pub fn pure_pages(&self, text: &[char], is_partial: bool) -> u16 {
        // The pages in which one, two and three more continuation bytes are needed.
        let (mut pure, mut one, mut two, mut three) = ((1 << COUNT) - 1, 0, 0, 0);
        let mut rest = text;
        while let [character, after @ ..] = rest {
            rest = after;
            let needed = one | two | three;
            if character.is_ascii() {
                if needed != 0 {
                    pure &= !needed;
                    (one, two, three) = (0, 0, 0);
                }
            } else {
                let Roles { lead, lead_of_3, lead_of_4, continuation } = self.roles(*character);
                let continuation_of = |character: &char| self.roles(*character).continuation;
                let start = pure & lead;
                // Nearly always, the character has the same length in all pages.
                match rest {
                    [second, after @ ..] if needed | start & lead_of_3 == 0 => {
                        pure = start & continuation_of(second);
                        rest = after;
                    }
                    [second, third, after @ ..]
                        if needed | start & !lead_of_3 | start & lead_of_4 == 0 =>
                    {
                        pure = start & continuation_of(second) & continuation_of(third);
                        rest = after;
                    }
                    _ => {
                        pure &= needed & continuation | !needed & lead;
                        let start = pure & !needed;
                        one = two | start & !lead_of_3;
                        two = three | start & lead_of_3 & !lead_of_4;
                        three = start & lead_of_4;
                    }
                }
            }
            if pure == 0 {
                break;
            }
        }
        if is_partial { pure } else { pure & !(one | two | three) }
    }

    /// Returns the pages, as bits, in which `text` can start with a character of UTF-8 outside ASCII. In all others,
    /// [`decode`](CodePages::decode) decodes nothing.
    pub fn start_pages(&self, text: &[char]) -> u16 {
        let [first, second, ..] = *text else { return 0 };
        let Roles { lead, lead_of_3, .. } = self.roles(first);
        let pages = lead & self.roles(second).continuation;
        match pages & lead_of_3 {
            0 => pages,
            long => {
                let third = text.get(2).map_or(0, |third| self.roles(*third).continuation);
                pages & !long | long & third
            }
        }
    }

    /// Returns the index of the first characters that [`decode`](CodePages::decode) may decode.
    pub fn find_start(&self, text: &[char]) -> Option<usize> {
        let mut lead = 0;
        for (at, character) in text.iter().enumerate() {
            let roles = self.roles(*character);
            if lead & roles.continuation == 0 {
                lead = roles.lead;
            } else if self.start_pages(&text[at - 1..]) != 0 {
                return Some(at - 1);
            } else {
                lead = 0;
            }
        }
        None
    }

    /// Returns whether the characters have the same bytes in two pages.
    pub fn are_alike(&self, pages: [usize; 2], text: &[char]) -> bool {
        let mut all = text.iter().map(|character| self.bytes(*character));
        all.all(|bytes| bytes[pages[0]] == bytes[pages[1]])
    }

    /// Decodes the page's bytes at the start of `text` into `out` for as long as they are valid UTF-8.
    /// Returns the number of characters of `text` that they take. ASCII ends them unless it is in
    /// the `scope`.
    pub fn decode(&self, page: usize, text: &[char], scope: Scope, out: &mut Vec<char>) -> usize {
        out.clear();
        let (mut at, mut has_pairs) = (0, None);
        let byte = |character: &char| self.bytes(*character)[page];
        while let Some(first) = text.get(at) {
            if first.is_ascii() {
                if scope == Scope::Run {
                    return at;
                }
                out.push(*first);
                at += 1;
                continue;
            }
            let byte_at = |index: usize| text.get(at + index).map_or(0, byte);
            let Some((character, len)) = first_character(byte_at) else { return at };
            // UTF-8 and CESU-8 together could not be encoded again.
            if character > '\u{FFFF}' && *has_pairs.get_or_insert(len == 6) != (len == 6) {
                return at;
            }
            out.push(character);
            at += len;
        }
        at
    }
}

fn character_of(encoding: &'static Encoding, byte: u8) -> Option<char> {
    let bytes = [byte];
    let (text, has_error) = encoding.decode(&bytes);
    text.chars().next().filter(|_| !has_error)
}

/// The maximum length of a character in bytes: a pair of surrogates.
pub const MAX_CHARACTER_LEN: usize = 6;

/// Returns the character of two or more bytes that starts with the first byte, and its length. A character
/// above U+FFFF may also be a pair of surrogates, as in CESU-8.
#[inline(always)]
fn first_character(byte_at: impl Fn(usize) -> u8) -> Option<(char, usize)> {
    let continuation = |at: usize| {
        let byte = byte_at(at);
        (byte & 0xC0 == 0x80).then_some(u32::from(byte & 0x3F))
    };
    let lead = byte_at(0);
    let mut value = u32::from(lead & 0x3F) << 6 | continuation(1)?;
    match lead {
        0xC2..=0xDF => return Some((char::from_u32(value & 0x7FF)?, 2)),
        0xE0..=0xF4 => value = value << 6 | continuation(2)?,
        _ => return None,
    }
    let len = match (lead, value & 0xFFFF) {
        (0xF0.., _) => {
            value = (value << 6 | continuation(3)?) & 0x1F_FFFF;
            (value > 0xFFFF).then_some(4)
        }
        (_, high @ 0xD800..=0xDBFF) => {
            let low = u32::from(byte_at(3)) << 12 | continuation(4)? << 6 | continuation(5)?;
            value = 0x10000 + ((high - 0xD800) << 10) + (low & 0x3FF);
            matches!(low, 0xE_DC00..=0xE_DFFF).then_some(6)
        }
        (_, own) => {
            value = own;
            (own >= 0x800).then_some(3)
        }
    };
    Some((char::from_u32(value)?, len?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_a_page_are_distinct() {
        let pages = CodePages::get();
        for page in 0..COUNT {
            let mut seen = [0; 256];
            for cell in pages.cells.iter().chain(pages.others.iter().map(|(_, cell)| cell)) {
                seen[usize::from(cell.1[page])] += 1;
            }
            assert!(seen[0x80..].iter().all(|count| *count <= 1), "{page}: {seen:?}");
        }
    }

    #[test]
    fn every_character_of_a_page_is_found() {
        let pages = CodePages::get();
        assert!(pages.others.iter().all(|(character, _)| *character >= FIRST_OTHER));
        for (page, (encoding, _)) in ENCODINGS.into_iter().enumerate() {
            for byte in 0x80..=0xFF {
                let Some(character) = character_of(encoding, byte) else { continue };
                assert_eq!(pages.bytes(character)[page], byte, "{character:?}");
            }
        }
    }

    #[test]
    fn pure_pages_have_whole_characters() {
        let pages = CodePages::get();
        let pure = |text: &str, is_partial| {
            let text: Vec<char> = text.chars().collect();
            let pure = pages.pure_pages(&text, is_partial);
            // Those that decode the text whole.
            let mut out = Vec::new();
            for page in 0..COUNT {
                let len = pages.decode(page, &text, Scope::Line, &mut out);
                assert!(len < text.len() || pure >> page & 1 != 0, "{text:?}, page {page}");
            }
            (0..COUNT).filter(|page| pure >> page & 1 != 0).collect::<Vec<_>>()
        };
        // The first pages are windows-1252, ISO-8859-1 and windows-1250; the sixth is windows-1254.
        assert_eq!(pure("â€œcafÃ©â€¦", false), [0, 5]);
        assert_eq!(pure("ÄŒeÅ¡tina", false), [0, 5]);
        assert_eq!(pure("cafÃ©", false)[..2], [0, 1]);
        assert_eq!(pure("cafÃ© é", false), [0; 0]);
        assert_eq!(pure("ðŸ˜€", false), [0]);
        assert_eq!(pure("ðŸ˜€ é", false), [0; 0]);
        assert_eq!(pure("cafÃ© â€", false), [0; 0]);
        assert_eq!(pure("cafÃ© â€", true)[0], 0);
    }

    #[test]
    fn every_character_is_decoded() {
        for character in ('\u{80}'..=char::MAX).filter(|character| u32::from(*character) % 7 < 2) {
            let mut bytes = [0; 6];
            let len = character.encode_utf8(&mut bytes).len();
            assert_eq!(first_character(|at| bytes[at]), Some((character, len)), "{bytes:X?}");
        }
    }

    #[test]
    fn invalid_sequences_are_not_decoded() {
        for bytes in [
            *b"\xC0\x80\0\0\0\0",
            *b"\xC3A\0\0\0\0",
            *b"\xE0\x80\x80\0\0\0",
            *b"\xE0\x9F\xBF\0\0\0",
            *b"\xE2\x82A\0\0\0",
            *b"\xED\xA0\xBDA\0\0",
            *b"\xED\xB0\x80\xED\xB0\x80",
            *b"\xF0\x80\x80\x80\0\0",
            *b"\xF4\x90\x80\x80\0\0",
            *b"\xF5\x80\x80\x80\0\0",
            *b"\x80\x80\0\0\0\0",
        ] {
            assert_eq!(first_character(|at| bytes[at]), None, "{bytes:X?}");
        }
        assert_eq!(first_character(|at| b"\xED\xA0\xBD\xED\xB8\x8D"[at]), Some(('😍', 6)));
    }
}
