//! The mappings of single-byte encodings, and the Rust file that holds them.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};

use crate::encodings::{Section, SectionKind};
use crate::map::{CodeBytes, EncodingMap};

/// What each byte decodes to.
pub type ByteTable = [Option<char>; 0x100];

/// A mapping of bytes and of some sequences of bytes.
#[derive(Debug)]
pub struct SingleByteMapping {
    /// What each byte decodes to.
    pub bytes: ByteTable,
    /// `+`: How characters are encoded, whatever the bytes decode to; without bytes, not at all.
    pub encode_only: Vec<(char, CodeBytes)>,
    /// `^`: An accent and the letter that follows.
    pub accented: BTreeMap<CodeBytes, char>,
    /// `&`: A letter and the combining marks that follow.
    pub composed: BTreeMap<CodeBytes, char>,
}

impl Default for SingleByteMapping {
    fn default() -> SingleByteMapping {
        SingleByteMapping {
            bytes: [None; 0x100],
            encode_only: Vec::new(),
            accented: BTreeMap::new(),
            composed: BTreeMap::new(),
        }
    }
}

impl SingleByteMapping {
    /// Adds a line: a row of sixteen bytes, a byte as in the mapping files of Unicode, or mappings
    /// of sequences.
    pub(crate) fn parse_line(&mut self, line: &str) -> Result<()> {
        let (key, cells) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match key.as_bytes() {
            [b'0', b'x', ..] => self.parse_unicode_line(line)?,
            [_, b'_'] => self.parse_row(&key[..1], cells)?,
            b"+" => {
                for cell in cells.split(' ') {
                    let (character, bytes) = cell.split_once('=').context("expected `=`")?;
                    let bytes = if bytes == "--" { Vec::new() } else { hex_bytes(bytes)? };
                    self.encode_only.push((code_point(character)?, bytes));
                }
            }
            b"^" => add_sequences(&mut self.accented, cells)?,
            b"&" => add_sequences(&mut self.composed, cells)?,
            _ => bail!("not a line of this format"),
        }
        ensure!(self.accented.is_empty() || self.composed.is_empty(), "both `^` and `&`");
        Ok(())
    }

    /// `0xXX<TAB>0xXXXX`; without the character the byte is unassigned.
    fn parse_unicode_line(&mut self, line: &str) -> Result<()> {
        let line = line.split('#').next().unwrap_or_default();
        let mut fields = line.split_ascii_whitespace();
        let byte = fields.next().unwrap_or_default().trim_start_matches("0x");
        let byte = u8::from_str_radix(byte, 16)?;
        let character = fields.next().map(|field| code_point(field.trim_start_matches("0x")));
        self.bytes[usize::from(byte)] = character.transpose()?;
        ensure!(fields.next().is_none(), "expected a byte and a character");
        Ok(())
    }

    fn parse_row(&mut self, high_digit: &str, cells: &str) -> Result<()> {
        let first = usize::from_str_radix(high_digit, 16)? << 4;
        let cells: Vec<_> = cells.split(' ').map(parse_cell).collect::<Result<_>>()?;
        ensure!(cells.len() == 16, "expected sixteen cells");
        self.bytes[first..first + 16].copy_from_slice(&cells);
        Ok(())
    }

    /// Returns the mapping as a map, both ways.
    ///
    /// A character that several codes decode to is encoded to the lowest byte, else to the lowest
    /// sequence, unless `encode_only` has it.
    pub fn to_map(&self) -> EncodingMap {
        let sequence =
            |(code, character): (&CodeBytes, &char)| (code.clone(), character.to_string());
        let mut map = EncodingMap::default();
        for (byte, character) in (0..=0xFF).zip(self.bytes) {
            map.decode.extend(character.map(|character| (vec![byte], character.to_string())));
        }
        map.decode.extend(self.accented.iter().map(sequence));
        map.composed.extend(self.composed.iter().map(sequence));
        for (code, text) in map.decode.iter().chain(&map.composed) {
            for character in text.chars() {
                map.encode.entry(character).or_insert_with(|| code.clone());
            }
        }
        for (character, code) in &self.encode_only {
            match code[..] {
                [] => map.encode.remove(character),
                _ => map.encode.insert(*character, code.clone()),
            };
        }
        map
    }
}

/// A first part and then `LAST BYTE=CHARACTER`.
fn add_sequences(codes: &mut BTreeMap<CodeBytes, char>, cells: &str) -> Result<()> {
    let (lead, cells) = cells.split_once(' ').context("expected bytes and what follows them")?;
    for cell in cells.split(' ') {
        let (last, character) = cell.split_once('=').context("expected `=`")?;
        let code = [hex_bytes(lead)?, hex_bytes(last)?].concat();
        ensure!(matches!(code.len(), 2 | 3), "expected two or three bytes");
        let other = codes.insert(code, code_point(character)?);
        ensure!(other.is_none(), "mapped twice");
    }
    Ok(())
}

/// A cell of a row: `--` for none, a character, or its code point in two to four digits.
fn parse_cell(cell: &str) -> Result<Option<char>> {
    let mut characters = cell.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(Some(character)),
        _ if cell == "--" => Ok(None),
        _ => code_point(cell).map(Some),
    }
}

fn code_point(digits: &str) -> Result<char> {
    let value = u16::from_str_radix(digits, 16)?;
    ensure!(value < 0xFFFD, "U+{value:04X} cannot be mapped");
    char::from_u32(u32::from(value)).context("not a character")
}

fn hex_bytes(digits: &str) -> Result<CodeBytes> {
    let bytes = (0..digits.len()).step_by(2).map(|at| {
        let pair = digits.get(at..at + 2).context("expected pairs of digits")?;
        Ok(u8::from_str_radix(pair, 16)?)
    });
    bytes.collect()
}

const HEADER: &str = "\
// @generated by `cargo xtask generate` from `data/*.txt`.

//! The single-byte encodings and their tables.

use super::{Definition, ExtraMapping, accented, composed, definition, encode_only, table};
";

/// Returns the Rust file of the tables of all encodings.
///
/// Equal rows of sixteen bytes are stored once. Row 0 is unassigned.
pub fn tables_file(sections: &[Section]) -> String {
    let mut rows = vec![[0xFFFF; 16]];
    let mut extra_mappings = Vec::new();
    let mut encodings = Vec::new();
    let described = sections.iter().filter(|section| section.kind == SectionKind::Encoding);
    for section in described {
        let mut numbers = Vec::new();
        for row in section.mapping.bytes.chunks(16) {
            let values: Vec<u16> =
                row.iter().map(|cell| cell.map_or(0xFFFF, |c| u32::from(c) as u16)).collect();
            let known = rows.iter().position(|row| row[..] == values);
            numbers.push(known.unwrap_or(rows.len()).to_string());
            if known.is_none() {
                rows.push(values.try_into().expect("a row has sixteen cells"));
            }
        }
        let first = extra_mappings.len();
        extra_mappings.extend(extra_mapping_calls(&section.mapping));
        let (name, description) = (&section.name, &section.description);
        let (rows, end) = (numbers.join(", "), extra_mappings.len());
        encodings.push(format!(
            "definition({name:?}, {description:?}, table([{rows}], {first}, {end}))"
        ));
    }
    let hex = |row: &[u16; 16]| row.map(|value| format!("{value:#06X}")).join(", ");
    let rows: Vec<String> = rows.iter().map(|row| format!("[{}]", hex(row))).collect();
    let mut file = HEADER.to_owned();
    let mut add = |comment: &str, name: &str, element: &str, items: &[String], per_line: usize| {
        let len = items.len();
        let _ = write!(
            file,
            "\n/// {comment}\n#[rustfmt::skip]\npub static {name}: [{element}; {len}] = [\n"
        );
        for line in items.chunks(per_line) {
            let _ = writeln!(file, "    {},", line.join(", "));
        }
        file.push_str("];\n");
    };
    add(
        "Every encoding, in the order of lists: its row for each high digit of a byte, and the range \
         of its extra mappings.",
        "DEFINITIONS",
        "Definition",
        &encodings,
        1,
    );
    add("The characters of sixteen bytes. FFFF is unassigned.", "ROWS", "[u16; 16]", &rows, 4);
    add(
        "The mappings besides those of single bytes.",
        "EXTRA_MAPPINGS",
        "ExtraMapping",
        &extra_mappings,
        8,
    );
    file
}

/// The extra mappings of an encoding in the order that the codecs expect: first those that are only
/// encoded, then the others in the order of their bytes.
fn extra_mapping_calls(mapping: &SingleByteMapping) -> Vec<String> {
    let call = |function: &str, character: char, code: &[u8]| {
        let bytes: String = code.iter().map(|byte| format!("\\x{byte:02X}")).collect();
        format!("{function}({:#06X}, b\"{bytes}\")", u32::from(character))
    };
    let only = mapping.encode_only.iter().map(|(c, code)| call("encode_only", *c, code));
    let accented = mapping.accented.iter().map(|(code, c)| call("accented", *c, code));
    let composed = mapping.composed.iter().map(|(code, c)| call("composed", *c, code));
    only.chain(accented).chain(composed).collect()
}
