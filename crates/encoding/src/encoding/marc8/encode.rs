//! The encoder of MARC-8 and ANSEL.

use super::tables::{self, Location, Repertoire, SETS};
use super::{Buffer, Designated, MAX_LOOKAHEAD, MAX_MARKS};
use crate::codec::{Checkpoint, EncodeStage, Progress, State};
use crate::conversion_error::Unmappable;

/// An encoder, whose state is the designated sets: a letter is left unread until no mark can follow it.
pub(super) struct Marc8Encoder {
    repertoire: &'static Repertoire,
    designated: Designated,
}

/// A letter and the marks that follow it.
struct LetterWithMarks {
    letter: char,
    marks: [char; MAX_MARKS],
    count: usize,
}

/// The bytes of the text at the start of the input.
enum Encoded {
    /// The bytes, the length of the text, and the sets after it.
    Bytes(Buffer, usize, Designated),
    NeedMore,
    Unmappable(Unmappable),
}

impl Marc8Encoder {
    pub fn new(repertoire: &'static Repertoire) -> Marc8Encoder {
        Marc8Encoder { repertoire, designated: Designated::INITIAL }
    }

    /// Returns the number of bytes at the start of `src` that are ASCII in ASCII and that no mark follows, without control
    /// characters.
    fn ascii_len(&self, src: &[u8]) -> usize {
        if self.designated.g0 != tables::BASIC_LATIN {
            return 0;
        }
        let is_other = |byte: &u8| !matches!(byte, 0x20..0x7F);
        let len = src.iter().position(is_other).unwrap_or(src.len());
        // A mark may follow the last one.
        len.saturating_sub(1)
    }

    /// Returns the preferred location of a character.
    fn location(&self, character: char, designated: Designated) -> Option<Location> {
        let locations = || self.repertoire.locations(character);
        let in_set = |set| locations().find(|location| location.set == set);
        in_set(designated.g0)
            .or_else(|| in_set(designated.g1))
            .or_else(|| locations().next())
            .or_else(|| self.repertoire.east_asian_location(character))
    }

    /// Returns the letter of a character, and the marks that it has in itself.
    fn letter(&self, character: char) -> Option<LetterWithMarks> {
        let mut parts = LetterWithMarks { letter: character, marks: ['\0'; MAX_MARKS], count: 0 };
        while self.location(parts.letter, self.designated).is_none() {
            let (letter, mark) = self.repertoire.decomposed(parts.letter)?;
            *parts.marks.get_mut(parts.count)? = mark;
            parts.count += 1;
            parts.letter = letter;
        }
        parts.marks[..parts.count].reverse();
        Some(parts)
    }

    /// Encodes the character at the start of `src`, with the marks after it.
    fn encode_first(&self, src: &str, end: bool) -> Encoded {
        let Some(character) = src.chars().next() else { return Encoded::NeedMore };
        let mut len = character.len_utf8();
        let mut bytes = Buffer::new();
        if let Some(control) = self.control_code(character) {
            let designated = self.push_initial_sets(&mut bytes);
            bytes.push(&[control]);
            return Encoded::Bytes(bytes, len, designated);
        }
        if self.repertoire.is_mark(character) {
            return Encoded::Unmappable(Unmappable::not_allowed_here(character));
        }
        let mut designated = self.designated;
        let is_space = character == ' ';
        let parts = match is_space {
            true => Some(LetterWithMarks { letter: ' ', marks: ['\0'; MAX_MARKS], count: 0 }),
            false => self.letter(character),
        };
        let Some(mut parts) = parts else {
            return Encoded::Unmappable(Unmappable::new(character));
        };
        while parts.count < MAX_MARKS {
            match src[len..].chars().next() {
                Some(mark) if self.repertoire.is_mark(mark) => {
                    parts.marks[parts.count] = mark;
                    parts.count += 1;
                    len += mark.len_utf8();
                }
                None if !end => return Encoded::NeedMore,
                _ => break,
            }
        }
        // The set of the letter is designated before its marks.
        match self.location(parts.letter, designated) {
            Some(location) => designate(location.set, &mut designated, &mut bytes),
            // A space needs another set only after the East Asian one, whose codes may contain it.
            None if designated.g0 == tables::EAST_ASIAN => {
                designate(tables::BASIC_LATIN, &mut designated, &mut bytes);
            }
            None => {}
        }
        for mark in &parts.marks[..parts.count] {
            self.push_code(*mark, &mut designated, &mut bytes);
        }
        match is_space {
            true => bytes.push(b" "),
            false => self.push_code(parts.letter, &mut designated, &mut bytes),
        }
        Encoded::Bytes(bytes, len, designated)
    }

    /// Returns the byte of a control character.
    fn control_code(&self, character: char) -> Option<u8> {
        match character {
            '\x1B' if self.repertoire.is_marc() => None,
            '\0'..='\x1F' | '\x7F' => Some(character as u8),
            '\u{98}' if self.repertoire.is_marc() => Some(0x88),
            '\u{9C}' if self.repertoire.is_marc() => Some(0x89),
            '\u{200D}' if self.repertoire.is_marc() => Some(0x8D),
            '\u{200C}' if self.repertoire.is_marc() => Some(0x8E),
            _ => None,
        }
    }

    /// Adds the sequences that return to the initial sets.
    fn push_initial_sets(&self, bytes: &mut Buffer) -> Designated {
        let mut designated = self.designated;
        designate(tables::BASIC_LATIN, &mut designated, bytes);
        designate(tables::EXTENDED_LATIN, &mut designated, bytes);
        designated
    }

    /// Adds the code of a character that has one, after the sequence that it needs.
    fn push_code(&self, character: char, designated: &mut Designated, bytes: &mut Buffer) {
        let Some(location) = self.location(character, *designated) else { return };
        designate(location.set, designated, bytes);
        let [_, high, middle, low] = location.code.to_be_bytes();
        match location.set {
            tables::EAST_ASIAN => bytes.push(&[high, middle, low]),
            set if SETS[usize::from(set)].is_g1 => bytes.push(&[low | 0x80]),
            _ => bytes.push(&[low]),
        }
    }
}

/// Designates a set, and adds the sequence for it if it is not designated.
fn designate(set: u8, designated: &mut Designated, bytes: &mut Buffer) {
    let Designated { g0, g1 } = designated;
    let current = if SETS[usize::from(set)].is_g1 { g1 } else { g0 };
    if *current == set {
        return;
    }
    let sequence = match set {
        tables::BASIC_LATIN if tables::is_custom(*current) => tables::CUSTOM_END,
        _ => SETS[usize::from(set)].sequence,
    };
    bytes.push(sequence);
    *current = set;
}

impl Checkpoint for Marc8Encoder {
    fn save_state(&self) -> State {
        self.designated.pack()
    }

    fn restore_state(&mut self, state: State) {
        self.designated = Designated::unpack(state);
    }

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl EncodeStage for Marc8Encoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let ascii = self.ascii_len(&src.as_bytes()[read..]).min(dst.len() - written);
            dst[written..written + ascii].copy_from_slice(&src.as_bytes()[read..read + ascii]);
            read += ascii;
            written += ascii;
            let (bytes, len, designated) = match self.encode_first(&src[read..], end) {
                Encoded::Bytes(bytes, len, designated) => (bytes, len, designated),
                Encoded::Unmappable(error) => return Progress::error(read, written, error),
                Encoded::NeedMore if end => {
                    let mut bytes = Buffer::new();
                    let designated = self.push_initial_sets(&mut bytes);
                    (bytes, 0, designated)
                }
                Encoded::NeedMore => return Progress::input_empty(read, written),
            };
            if !bytes.write_to(dst, &mut written) {
                return Progress::output_full(read, written);
            }
            let is_end = read == src.len();
            read += len;
            self.designated = designated;
            if is_end {
                return Progress::input_empty(read, written);
            }
        }
    }
}
