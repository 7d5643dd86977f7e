//! A map: what the bytes of an encoding decode to, and what its characters are encoded to.

use std::collections::BTreeMap;

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
        let mut lines = packed.lines();
        let header = lines.next().expect("a header");
        let mut map = EncodingMap::default();
        for (count, field) in map.declared.iter_mut().zip(header.split(' ').skip(1)) {
            *count = field.parse().expect("a count");
        }
        let (mut prefix, mut rules, mut exceptions) = (None, Vec::new(), Vec::new());
        for line in lines {
            let (kind, rest) = line.split_once(' ').expect("a kind and its fields");
            let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
            match kind {
                "D" => map.row(prefix.as_ref(), hex(first), second),
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

    /// Adds a row of cells whose codes follow each other.
    fn row(&mut self, prefix: Option<&CodeBytes>, first: CodeBytes, cells: &str) {
        let mut code = Some(first);
        for cell in cells.split(' ') {
            let (value, more) = cell.split_once('+').unwrap_or((cell, "0"));
            for step in 0..=number(more) {
                let here = code.expect("a row ends within its codes");
                code = successor(&here);
                let text = if value.contains(',') {
                    text(value)
                } else {
                    character(number(value) + step).to_string()
                };
                match prefix {
                    None => self.decode.push((here, text)),
                    Some(prefix) => {
                        let prefix = prefix.clone();
                        self.shifted.push(ShiftedCell { prefix, code: here, text });
                    }
                }
            }
        }
    }

    /// Makes the encoding half from the decoding half: the first code wins, and codes of the first
    /// state win over those of the shifted states, which come in the order of the rules.
    fn reverse(&mut self, rules: &[(CodeBytes, CodeBytes)]) {
        for (code, text) in &self.decode {
            if let Some(character) = single_character(text) {
                self.encode.entry(character).or_insert_with(|| code.clone());
            }
        }
        for (before, after) in rules {
            for ShiftedCell { code, text, .. } in
                self.shifted.iter().filter(|s| s.prefix == *before)
            {
                if let Some(character) = single_character(text) {
                    let whole = || [&before[..], code, after].concat();
                    self.encode.entry(character).or_insert_with(whole);
                }
            }
        }
    }
}

/// The character that a text consists of, if it is one.
fn single_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// The code that follows another. Only the last byte counts up, but in four bytes of GB18030,
/// whose second and fourth are digits.
fn successor(code: &[u8]) -> Option<CodeBytes> {
    let mut next = code.to_vec();
    if let [_, b'0'..=b'9', _, _] = *code {
        for (byte, last) in next.iter_mut().zip([0xFE, b'9', 0xFE, b'9']).rev() {
            if *byte < last {
                *byte += 1;
                return Some(next);
            }
            *byte = if last == b'9' { b'0' } else { 0x81 };
        }
        return None;
    }
    let last = next.last_mut()?;
    *last = last.checked_add(1)?;
    Some(next)
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
