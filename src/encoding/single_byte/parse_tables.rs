//! The table of tables, read while the program is compiled.
//!
//! `tables.txt` is the table as people read it; its first lines say how it is written. What it
//! holds is read by functions that run in the compiler, so that nothing is left to do, and nothing
//! can be wrong, when an encoding is opened.

use super::table::{ExtraMapping, MappingKind, ROW_LEN, SingleByteTable, UNASSIGNED};

const TABLES_TEXT: &str = include_str!("tables.txt");

/// How many there are of each thing.
#[derive(Clone, Copy)]
struct TableSize {
    tables: usize,
    rows: usize,
    extra_mappings: usize,
}

const TABLE_SIZE: TableSize = measure(TABLES_TEXT.as_bytes());

/// Tables, and what they share.
#[derive(Debug)]
pub struct SingleByteTables {
    /// In the order of the text; one may begin as a copy of an earlier one.
    pub tables: [SingleByteTable; TABLE_SIZE.tables],
    /// Sixteen cells each. The first one is empty.
    pub rows: [[u16; ROW_LEN]; TABLE_SIZE.rows],
    /// Those of a table stand side by side.
    pub extra_mappings: [ExtraMapping; TABLE_SIZE.extra_mappings],
}

/// All tables.
#[allow(long_running_const_eval)] // A few million steps: half a second.
pub static TABLES: SingleByteTables = parse(TABLES_TEXT.as_bytes());

#[allow(long_running_const_eval)]
const fn measure(mut text: &[u8]) -> TableSize {
    let mut size = TableSize { tables: 0, rows: 1, extra_mappings: 0 };
    while !text.is_empty() {
        let (mut line, rest) = split_at_byte(text, b'\n');
        text = rest;
        match line {
            [] | [b'#', ..] => {}
            [b'~' | b'=', ..] => size.tables += 1,
            [b'+' | b'^' | b'&', ..] => {
                while !line.is_empty() {
                    let (_, after) = split_at_byte(line, b'=');
                    size.extra_mappings += !after.is_empty() as usize;
                    line = after;
                }
            }
            _ => size.rows += 1,
        }
    }
    size
}

const fn parse(mut text: &'static [u8]) -> SingleByteTables {
    let mut table = SingleByteTables {
        tables: [SingleByteTable::EMPTY; TABLE_SIZE.tables],
        rows: [[UNASSIGNED; ROW_LEN]; TABLE_SIZE.rows],
        extra_mappings: [ExtraMapping::EMPTY; TABLE_SIZE.extra_mappings],
    };
    let mut got = TableSize { tables: 0, rows: 1, extra_mappings: 0 };
    while !text.is_empty() {
        let (line, rest) = split_at_byte(text, b'\n');
        text = rest;
        match line {
            [] | [b'#', ..] => {}
            [b'~', b' ', head @ ..] | [b'=', b' ', head @ ..] => {
                table.tables[got.tables] = parse_header(&table, head, got);
                got.tables += 1;
            }
            [b'+', b' ', cells @ ..] => {
                parse_mappings(&mut table, &mut got, cells, MappingKind::EncodeOnly)
            }
            [b'^', b' ', cells @ ..] => {
                parse_mappings(&mut table, &mut got, cells, MappingKind::Accented)
            }
            [b'&', b' ', cells @ ..] => {
                parse_mappings(&mut table, &mut got, cells, MappingKind::Composed)
            }
            [position, b'_', b' ', cells @ ..] => {
                table.rows[got.rows] = parse_row(cells);
                table.tables[got.tables - 1].rows[parse_digit(*position) as usize] =
                    got.rows as u16;
                got.rows += 1;
            }
            _ => panic!("no such line"),
        }
    }
    table
}

/// A table that begins as a copy of its base: `NAME < BASE | what it is`.
const fn parse_header(
    tables: &SingleByteTables,
    head: &'static [u8],
    got: TableSize,
) -> SingleByteTable {
    let (names, description) = split_at_byte(head, b'|');
    let (name, names) = split_at_byte(names, b' ');
    let (_, names) = split_at_byte(names, b' ');
    let (base, _) = split_at_byte(names, b' ');
    let mut table = SingleByteTable {
        name: to_str(name),
        description: to_str(trim(description)),
        ..SingleByteTable::EMPTY
    };
    table.extra_range = (got.extra_mappings as u16, got.extra_mappings as u16);
    if !base.is_empty() {
        let found = find_base(tables, base, got.tables);
        table.rows = tables.tables[found].rows;
        table.base = Some(found as u16);
    }
    table
}

const fn find_base(table: &SingleByteTables, name: &[u8], until: usize) -> usize {
    let mut index = 0;
    while index < until {
        if bytes_equal(table.tables[index].name.as_bytes(), name) {
            return index;
        }
        index += 1;
    }
    panic!("no such base before this table");
}

/// Sixteen cells.
const fn parse_row(mut cells: &[u8]) -> [u16; ROW_LEN] {
    let mut row = [UNASSIGNED; ROW_LEN];
    let mut column = 0;
    while column < ROW_LEN {
        let (cell, rest) = split_at_byte(cells, b' ');
        row[column] = parse_cell(cell);
        cells = rest;
        column += 1;
    }
    assert!(cells.is_empty(), "a row has sixteen cells");
    row
}

/// Codes of one kind: `character=bytes` where they are only encoded, else the first bytes and then
/// `last byte=character`.
const fn parse_mappings(
    table: &mut SingleByteTables,
    got: &mut TableSize,
    mut cells: &[u8],
    kind: MappingKind,
) {
    let mut lead: &[u8] = &[];
    if !matches!(kind, MappingKind::EncodeOnly) {
        (lead, cells) = split_at_byte(cells, b' ');
    }
    while !cells.is_empty() {
        let (cell, rest) = split_at_byte(cells, b' ');
        cells = rest;
        let (left, right) = split_at_byte(cell, b'=');
        let (last, character) = match kind {
            MappingKind::EncodeOnly => (right, parse_hex(left)),
            _ => (left, parse_hex(right)),
        };
        let mut code = ExtraMapping { character, kind, ..ExtraMapping::EMPTY };
        code.append(lead);
        if !matches!(last, b"--") {
            code.append(last);
        }
        table.extra_mappings[got.extra_mappings] = code;
        got.extra_mappings += 1;
    }
    table.tables[got.tables - 1].extra_range.1 = got.extra_mappings as u16;
}

/// A cell: nothing, a character, or its code point.
const fn parse_cell(cell: &[u8]) -> u16 {
    match *cell {
        [b'-', b'-'] => UNASSIGNED,
        [one] => one as u16,
        [lead @ 0xC0..=0xDF, next] => (lead as u16 & 0x1F) << 6 | next as u16 & 0x3F,
        [lead @ 0xE0..=0xEF, next, last] => {
            (lead as u16 & 0x0F) << 12 | (next as u16 & 0x3F) << 6 | last as u16 & 0x3F
        }
        _ => parse_hex(cell),
    }
}

pub(super) const fn parse_hex(digits: &[u8]) -> u16 {
    assert!(2 <= digits.len() && digits.len() <= 4, "two to four digits");
    let (mut value, mut index) = (0, 0);
    while index < digits.len() {
        value = value << 4 | parse_digit(digits[index]) as u16;
        index += 1;
    }
    value
}

pub(super) const fn parse_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'F' => digit - b'A' + 10,
        _ => panic!("no digit"),
    }
}

/// What stands before the first `mark`, and what stands after it.
const fn split_at_byte(text: &[u8], mark: u8) -> (&[u8], &[u8]) {
    let mut at = 0;
    while at < text.len() {
        if text[at] == mark {
            let (before, rest) = text.split_at(at);
            return (before, rest.split_at(1).1);
        }
        at += 1;
    }
    (text, &[])
}

const fn trim(text: &[u8]) -> &[u8] {
    match text {
        [b' ', rest @ ..] => rest,
        _ => text,
    }
}

const fn bytes_equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

const fn to_str(bytes: &'static [u8]) -> &'static str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("cut inside a character"),
    }
}
