//! A map: what the bytes of an encoding decode to, and what its characters are encoded to.

use std::collections::{BTreeMap, HashSet};

/// The bytes of one character.
pub type CodeBytes = Vec<u8>;

/// A map as it was taken from a running converter. `README.md` says what each part is.
#[derive(Debug, Default)]
pub struct EncodingMap {
    /// These bytes decode to this text, in the first state. In the order of length, then bytes.
    pub decode: Vec<(CodeBytes, String)>,
    /// These bytes, a base and what follows it, decode to one character.
    pub composed: Vec<(CodeBytes, String)>,
    /// After this prefix, these bytes decode to this text.
    pub shifted: Vec<ShiftedCell>,
    /// This character encodes to these bytes, with the shifts into and out of its state.
    pub encode: BTreeMap<char, CodeBytes>,
    /// These characters together encode to these bytes.
    pub sequences: Vec<(String, CodeBytes)>,
    /// How many lines of each kind the header promises.
    pub declared: [usize; 5],
}

/// A cell of a shifted state.
#[derive(Debug)]
pub struct ShiftedCell {
    /// What leads into the state: SO, an escape sequence, `~{`.
    pub prefix: CodeBytes,
    /// The bytes in that state.
    pub code: CodeBytes,
    /// What they decode to.
    pub text: String,
}

impl EncodingMap {
    /// Reads the packed form: the header without its `= `, then one line an entry.
    pub fn parse(packed: &str) -> EncodingMap {
        EncodingMap::parse_short_codes(packed, usize::MAX)
    }

    /// Reads the packed form, but of the codes of more than `max_len` bytes, which are most of GB18030, decodes only
    /// those of the characters that are listed with the code they are encoded to.
    pub fn parse_short_codes(packed: &str, max_len: usize) -> EncodingMap {
        let mut lines = packed.lines();
        let header = lines.next().expect("a header");
        let mut map = EncodingMap::default();
        for (count, field) in map.declared.iter_mut().zip(header.split(' ').skip(1)) {
            *count = field.parse().expect("a count");
        }
        let (mut prefix, mut rules, mut exceptions) = (None, Vec::new(), Vec::new());
        let listed: HashSet<u32> = lines
            .clone()
            .filter_map(|line| Some(number(line.strip_prefix("E ")?.split_once(' ')?.0)))
            .collect();
        for line in lines {
            let (kind, rest) = line.split_once(' ').expect("a kind and its fields");
            let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
            match kind {
                "D" if first.len() / 2 > max_len => {
                    map.row(prefix.as_ref(), hex(first), second, |value| listed.contains(&value));
                }
                "D" => map.row(prefix.as_ref(), hex(first), second, |_| true),
                "T" => prefix = Some(hex(first)),
                "C" => map.composed.push((hex(first), text(second))),
                "S" => map.sequences.push((text(first), hex(second))),
                "R" => rules.push((hex(first), hex(second))),
                "E" => exceptions.push((character(number(first)), second)),
                _ => panic!("no such kind of line: {line}"),
            }
        }
        map.reverse(&rules);
        for (character, code) in exceptions {
            match code {
                "-" => map.encode.remove(&character),
                _ => map.encode.insert(character, hex(code)),
            };
        }
        map
    }

    /// The lines of each kind that the map has: D, C, T, E, S.
    pub fn lines(&self) -> [usize; 5] {
        let EncodingMap { decode, composed, shifted, encode, sequences, .. } = self;
        [decode.len(), composed.len(), shifted.len(), encode.len(), sequences.len()]
    }

    /// Adds a row of cells whose codes follow each other. Those of one character only if the character is wanted.
    fn row(
        &mut self,
        prefix: Option<&CodeBytes>,
        first: CodeBytes,
        cells: &str,
        is_wanted: impl Fn(u32) -> bool,
    ) {
        let (mut code, mut is_within) = (first, true);
        for cell in cells.split(' ') {
            let (value, more) = cell.split_once('+').unwrap_or((cell, "0"));
            let one = (!value.contains(',')).then(|| number(value));
            for step in 0..=number(more) {
                assert!(is_within, "a row ends within its codes");
                let text = match one {
                    Some(one) if is_wanted(one + step) => Some(character(one + step).to_string()),
                    Some(_) => None,
                    None => Some(text(value)),
                };
                let here = text.map(|text| (code.clone(), text));
                match (prefix, here) {
                    (_, None) => {}
                    (None, Some(cell)) => self.decode.push(cell),
                    (Some(prefix), Some((code, text))) => {
                        let prefix = prefix.clone();
                        self.shifted.push(ShiftedCell { prefix, code, text });
                    }
                }
                is_within = advance(&mut code);
            }
        }
    }

    /// Makes the encoding half from the decoding half: the first code wins, and codes of the first
    /// state win over those of the shifted states, which come in the order of the rules.
    fn reverse(&mut self, rules: &[(CodeBytes, CodeBytes)]) {
        let first_state = self.decode.iter();
        let mut codes: Vec<_> = first_state
            .filter_map(|(code, text)| Some((single_character(text)?, code.clone())))
            .collect();
        for (before, after) in rules {
            let cells = self.shifted.iter().filter(|cell| cell.prefix == *before);
            codes.extend(cells.filter_map(|ShiftedCell { code, text, .. }| {
                Some((single_character(text)?, [&before[..], code, after].concat()))
            }));
        }
        codes.sort_by_key(|(character, _)| *character);
        codes.dedup_by_key(|(character, _)| *character);
        self.encode = codes.into_iter().collect();
    }
}

/// The character that a text consists of, if it is one.
fn single_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// Replaces a code by the one that follows, or returns `false` if there is none. Only the last byte counts up, but in
/// four bytes of GB18030, whose second and fourth are digits.
fn advance(code: &mut [u8]) -> bool {
    let (first, last) = match *code {
        [_, b'0'..=b'9', _, _] => ([0x81, b'0', 0x81, b'0'], [0xFE, b'9', 0xFE, b'9']),
        _ => {
            let Some(end) = code.last_mut().filter(|end| **end < 0xFF) else { return false };
            *end += 1;
            return true;
        }
    };
    for ((byte, first), last) in code.iter_mut().zip(first).zip(last).rev() {
        if *byte < last {
            *byte += 1;
            return true;
        }
        *byte = first;
    }
    false
}

fn hex(digits: &str) -> CodeBytes {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| number(std::str::from_utf8(pair).expect("ASCII")) as u8).collect()
}

fn text(numbers: &str) -> String {
    numbers.split(',').map(|value| character(number(value))).collect()
}

fn number(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).unwrap_or_else(|_| panic!("no number: {digits}"))
}

fn character(value: u32) -> char {
    char::from_u32(value).unwrap_or_else(|| panic!("no scalar value: {value:X}"))
}
