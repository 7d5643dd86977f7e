//! The character sets, their escape sequences, and what letters and marks are composed to.

use std::sync::LazyLock;

/// A set, and how it is designated.
pub struct Marc8Set {
    /// The final character of the sequences that designate it, or its own.
    final_byte: u8,
    /// The sequence that the encoder writes; empty if it does not use the set.
    pub sequence: &'static [u8],
    /// Whether the encoder designates it as G1.
    pub is_g1: bool,
}

const fn g0(final_byte: u8, sequence: &'static [u8]) -> Marc8Set {
    Marc8Set { final_byte, sequence, is_g1: false }
}

const fn g1(final_byte: u8, sequence: &'static [u8]) -> Marc8Set {
    Marc8Set { final_byte, sequence, is_g1: true }
}

/// The sets in the order of preference.
pub static SETS: [Marc8Set; 12] = [
    g0(b'B', b"\x1B(B"),
    g1(b'E', b"\x1B)!E"),
    g0(b'N', b"\x1B(N"),
    g1(b'Q', b"\x1B)Q"),
    g0(b'S', b"\x1B(S"),
    g0(b'2', b"\x1B(2"),
    g0(b'3', b"\x1B(3"),
    g1(b'4', b"\x1B)4"),
    g0(b'p', b"\x1Bp"),
    g0(b'b', b"\x1Bb"),
    // Its letters are in Basic Greek too.
    g0(b'g', b""),
    g0(b'1', b"\x1B$1"),
];

/// The indexes of the sets of the initial state, and of the set of three bytes.
pub const BASIC_LATIN: u8 = 0;
pub const EXTENDED_LATIN: u8 = 1;
pub const EAST_ASIAN: u8 = 11;

/// The sets with a sequence of two bytes (Technique 1), after which ESC s designates ASCII.
pub fn is_custom(set: u8) -> bool {
    SETS[usize::from(set)].sequence.len() == 2
}

/// ESC s.
pub const CUSTOM_END: &[u8] = b"\x1Bs";

/// The effect of an escape sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Designation {
    G0(u8),
    G1(u8),
}

/// An escape sequence.
type EscapeSequence = (Vec<u8>, Designation);

/// What a code decodes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub character: char,
    /// Whether it precedes its letter.
    pub is_mark: bool,
}

/// Where a character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    pub set: u8,
    /// The byte below 80, or the three bytes.
    pub code: u32,
}

/// The codes from 20 to 7F of a set.
type SetCells = [Option<Cell>; 0x60];

/// The characters of an encoding in both directions.
pub struct Repertoire {
    cells: [SetCells; SETS.len()],
    /// Each character with its location, in the order of both.
    locations: Vec<(char, Location)>,
    /// The characters that precede their letter, in order.
    marks: Vec<char>,
    /// The escape sequences; empty in ANSEL. None is a prefix of another.
    sequences: Vec<EscapeSequence>,
    /// The codes of the East Asian set in order; empty in ANSEL.
    east_asian_codes: Vec<(u32, char)>,
    /// Its characters with their lowest code, in order.
    east_asian_characters: Vec<(char, u32)>,
    /// A letter, a mark, and what they compose to, in order.
    compositions: Vec<(char, char, char)>,
    /// The same, in the order of the composed character.
    decompositions: Vec<(char, char, char)>,
}

/// Returns the repertoire of MARC-8.
pub fn marc8() -> &'static Repertoire {
    static REPERTOIRE: LazyLock<Repertoire> = LazyLock::new(|| {
        let mut repertoire = Repertoire::new(|set| set != b'+');
        repertoire.sequences = escape_sequences();
        repertoire.read_east_asian_codes();
        repertoire
    });
    &REPERTOIRE
}

/// Returns the repertoire of ANSEL.
pub fn ansel() -> &'static Repertoire {
    static REPERTOIRE: LazyLock<Repertoire> =
        LazyLock::new(|| Repertoire::new(|set| b"BE".contains(&set)));
    &REPERTOIRE
}

/// Returns the repertoire of ANSEL in GEDCOM.
pub fn gedcom() -> &'static Repertoire {
    static REPERTOIRE: LazyLock<Repertoire> =
        LazyLock::new(|| Repertoire::new(|set| b"BE+".contains(&set)));
    &REPERTOIRE
}

/// Returns all escape sequences of MARC-8 with their effects.
fn escape_sequences() -> Vec<EscapeSequence> {
    let mut sequences = vec![(CUSTOM_END.to_vec(), Designation::G0(BASIC_LATIN))];
    for (index, set) in (0..).zip(&SETS) {
        let final_byte = set.final_byte;
        let mut add = |intermediate: &[u8], final_bytes: &[u8], designation| {
            sequences.push(([b"\x1B", intermediate, final_bytes].concat(), designation));
        };
        match index {
            EAST_ASIAN => {
                add(b"$", &[final_byte], Designation::G0(index));
                add(b"$(", &[final_byte], Designation::G0(index));
                add(b"$,", &[final_byte], Designation::G0(index));
                add(b"$)", &[final_byte], Designation::G1(index));
                add(b"$-", &[final_byte], Designation::G1(index));
            }
            _ if final_byte.is_ascii_lowercase() => add(b"", &[final_byte], Designation::G0(index)),
            _ => {
                let extended: &[u8] = if index == EXTENDED_LATIN { b"!E" } else { &[final_byte] };
                add(b"(", extended, Designation::G0(index));
                add(b",", extended, Designation::G0(index));
                add(b")", extended, Designation::G1(index));
                add(b"-", extended, Designation::G1(index));
            }
        }
    }
    sequences
}

/// The result of looking for an escape sequence at the start of the input.
pub enum EscapeMatch {
    /// A sequence of this length.
    Found(usize, Designation),
    /// The start of a sequence.
    Incomplete,
    Unknown,
}

impl Repertoire {
    /// Parses the sections of `sets.txt` for which a function of their final character returns true.
    fn new(is_used: fn(u8) -> bool) -> Repertoire {
        let mut repertoire = Repertoire {
            cells: [[None; 0x60]; SETS.len()],
            locations: Vec::new(),
            marks: Vec::new(),
            sequences: Vec::new(),
            east_asian_codes: Vec::new(),
            east_asian_characters: Vec::new(),
            compositions: Vec::new(),
            decompositions: Vec::new(),
        };
        let (mut set, mut is_section_used) = (BASIC_LATIN, false);
        let mut decode_only = Vec::new();
        for line in include_str!("sets.txt").lines() {
            if let Some(section) = line.strip_prefix("set ") {
                let final_byte = section.as_bytes()[0];
                is_section_used = is_used(final_byte);
                let found = SETS.iter().position(|set| set.final_byte == final_byte);
                set = found.map_or(EXTENDED_LATIN, |index| index as u8);
            } else if let (Some((row, cells)), true) = (line.split_once("_ "), is_section_used) {
                let row = row.parse::<u8>().expect("a row has a digit");
                for (column, cell) in (0..).zip(cells.split(' ')) {
                    let byte = row << 4 | column;
                    let (cell, is_decode_only) = parse_cell(cell);
                    if let Some(cell) = cell {
                        repertoire.cells[usize::from(set)][usize::from(byte - 0x20)] = Some(cell);
                        if is_decode_only {
                            decode_only.push((set, byte));
                        }
                    }
                }
            }
        }
        repertoire.index(&decode_only);
        repertoire.compose();
        repertoire
    }

    /// Fills in the locations of the characters, except for codes that are only decoded.
    fn index(&mut self, decode_only: &[(u8, u8)]) {
        for (set, cells) in (0..).zip(&self.cells) {
            for (byte, cell) in (0x20..).zip(cells) {
                let Some(cell) = cell else { continue };
                let is_encoded = !SETS[usize::from(set)].sequence.is_empty();
                if is_encoded && !decode_only.contains(&(set, byte)) {
                    let location = Location { set, code: u32::from(byte) };
                    self.locations.push((cell.character, location));
                    if cell.is_mark {
                        self.marks.push(cell.character);
                    }
                }
            }
        }
        self.locations.sort_by_key(|(character, location)| (*character, location.set));
        self.marks.sort_unstable();
        self.marks.dedup();
    }

    /// Reads the compositions of the characters of the repertoire.
    fn compose(&mut self) {
        for line in include_str!("compositions.txt").lines().filter(|line| !line.starts_with('#')) {
            let Some((mark, pairs)) = line.split_once(' ') else { continue };
            let mark = parse_code_point(mark);
            if !self.is_mark(mark) {
                continue;
            }
            for pair in pairs.split(' ') {
                let mut pair = pair.chars();
                let (Some(letter), Some(composed)) = (pair.next(), pair.next()) else { continue };
                self.compositions.push((letter, mark, composed));
            }
        }
        self.compositions.sort_unstable();
        self.decompositions = self.compositions.clone();
        self.decompositions.sort_unstable_by_key(|(.., composed)| *composed);
    }

    fn read_east_asian_codes(&mut self) {
        for line in include_str!("eacc.txt").lines().filter(|line| !line.starts_with('#')) {
            let Some((first, characters)) = line.split_once(' ') else { continue };
            let first = u32::from_str_radix(first, 16).expect("a line begins with a code");
            self.east_asian_codes.extend((first..).zip(characters.chars()));
        }
        let codes = self.east_asian_codes.iter();
        self.east_asian_characters = codes.map(|(code, character)| (*character, *code)).collect();
        self.east_asian_characters.sort_unstable();
        // Variants have higher codes.
        self.east_asian_characters.dedup_by_key(|(character, _)| *character);
    }

    /// Returns the character of an East Asian code of three bytes.
    pub fn east_asian_character(&self, code: u32) -> Option<char> {
        let found = self.east_asian_codes.binary_search_by_key(&code, |(code, _)| *code).ok()?;
        Some(self.east_asian_codes[found].1)
    }

    /// Returns the location of a character in the East Asian set.
    pub fn east_asian_location(&self, character: char) -> Option<Location> {
        let characters = &self.east_asian_characters;
        let found =
            characters.binary_search_by_key(&character, |(character, _)| *character).ok()?;
        Some(Location { set: EAST_ASIAN, code: characters[found].1 })
    }

    /// Returns what a byte, without the high bit, is in a set. The space is in all sets.
    pub fn cell(&self, set: u8, byte: u8) -> Option<Cell> {
        match byte {
            b' ' => Some(Cell { character: ' ', is_mark: false }),
            _ => self.cells[usize::from(set)][usize::from(byte).checked_sub(0x20)?],
        }
    }

    /// Returns whether a character precedes its letter.
    pub fn is_mark(&self, character: char) -> bool {
        self.marks.binary_search(&character).is_ok()
    }

    /// Returns the locations of a character, in the order of preference, except for that in the East Asian set.
    pub fn locations(&self, character: char) -> impl Iterator<Item = Location> {
        let from = self.locations.partition_point(|(other, _)| *other < character);
        let found = self.locations[from..].iter().take_while(move |(other, _)| *other == character);
        found.map(|(_, location)| *location)
    }

    /// Returns whether the encoding has escape sequences, and the control characters of MARC.
    pub fn is_marc(&self) -> bool {
        !self.sequences.is_empty()
    }

    /// Looks for an escape sequence at the start of `src`.
    pub fn escape_sequence(&self, src: &[u8]) -> EscapeMatch {
        for (sequence, designation) in &self.sequences {
            if src.starts_with(sequence) {
                return EscapeMatch::Found(sequence.len(), *designation);
            }
        }
        match self.sequences.iter().any(|(sequence, _)| sequence.starts_with(src)) {
            true => EscapeMatch::Incomplete,
            false => EscapeMatch::Unknown,
        }
    }

    /// Returns what a letter and a mark compose to.
    pub fn composed(&self, letter: char, mark: char) -> Option<char> {
        let key = |(letter, mark, _): &(char, char, char)| (*letter, *mark);
        let found = self.compositions.binary_search_by_key(&(letter, mark), key).ok()?;
        Some(self.compositions[found].2)
    }

    /// Returns the letter and the mark that compose to a character.
    pub fn decomposed(&self, character: char) -> Option<(char, char)> {
        let found = self.decompositions.binary_search_by_key(&character, |(.., it)| *it).ok()?;
        let (letter, mark, _) = self.decompositions[found];
        Some((letter, mark))
    }
}

/// Parses a cell: what it is, and whether it is only decoded.
fn parse_cell(cell: &str) -> (Option<Cell>, bool) {
    let (cell, is_decode_only) = match cell.strip_prefix('<') {
        Some(rest) if !rest.is_empty() => (rest, true),
        _ => (cell, false),
    };
    let (cell, is_mark) = match cell.strip_prefix('+') {
        Some(digits) if digits.len() >= 3 => (digits, true),
        _ => (cell, false),
    };
    let mut characters = cell.chars();
    let character = match (characters.next(), characters.next()) {
        (Some(character), None) => Some(character),
        _ if cell == "--" => None,
        _ => Some(parse_code_point(cell)),
    };
    (character.map(|character| Cell { character, is_mark }), is_decode_only)
}

fn parse_code_point(digits: &str) -> char {
    let value = u32::from_str_radix(digits, 16).ok();
    value.and_then(char::from_u32).expect("the file has code points, which a test checks")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_of_several_east_asian_codes_is_encoded_as_the_lowest() {
        // ANSI Z39.64: the other ones are variants.
        let tables = marc8();
        for (code, character) in &tables.east_asian_codes {
            let lowest = tables.east_asian_location(*character).unwrap().code;
            assert!(lowest <= *code, "{character:?} {code:06X}");
            assert_eq!(tables.east_asian_character(lowest), Some(*character));
        }
    }
}
