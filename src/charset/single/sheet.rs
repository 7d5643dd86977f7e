//! The sheet of tables, read while the program is compiled.
//!
//! `tables.txt` is the sheet as people read it; its first lines say how it is written. What it
//! holds is read by functions that run in the compiler, so that nothing is left to do, and nothing
//! can be wrong, when a charset is opened.

use super::table::{Code, Kind, NONE, ROW, Table};

const TEXT: &str = include_str!("tables.txt");

/// How many there are of each thing.
#[derive(Clone, Copy)]
struct Size {
    tables: usize,
    rows: usize,
    codes: usize,
}

const SIZE: Size = size(TEXT.as_bytes());

/// Tables, and what they share.
#[derive(Debug)]
pub struct Sheet {
    /// In the order of the text; one may begin as a copy of an earlier one.
    pub tables: [Table; SIZE.tables],
    /// Sixteen cells each. The first one is empty.
    pub rows: [[u16; ROW]; SIZE.rows],
    /// Those of a table stand side by side.
    pub codes: [Code; SIZE.codes],
}

/// All tables.
#[allow(long_running_const_eval)] // A few million steps: half a second.
pub static SHEET: Sheet = read(TEXT.as_bytes());

#[allow(long_running_const_eval)]
const fn size(mut text: &[u8]) -> Size {
    let mut size = Size { tables: 0, rows: 1, codes: 0 };
    while !text.is_empty() {
        let (mut line, rest) = split(text, b'\n');
        text = rest;
        match line {
            [] | [b'#', ..] => {}
            [b'~' | b'=', ..] => size.tables += 1,
            [b'+' | b'^' | b'&', ..] => {
                while !line.is_empty() {
                    let (_, behind) = split(line, b'=');
                    size.codes += !behind.is_empty() as usize;
                    line = behind;
                }
            }
            _ => size.rows += 1,
        }
    }
    size
}

const fn read(mut text: &'static [u8]) -> Sheet {
    let mut sheet = Sheet {
        tables: [Table::EMPTY; SIZE.tables],
        rows: [[NONE; ROW]; SIZE.rows],
        codes: [Code::EMPTY; SIZE.codes],
    };
    let mut got = Size { tables: 0, rows: 1, codes: 0 };
    while !text.is_empty() {
        let (line, rest) = split(text, b'\n');
        text = rest;
        match line {
            [] | [b'#', ..] => {}
            [b'~', b' ', head @ ..] | [b'=', b' ', head @ ..] => {
                sheet.tables[got.tables] = begin(&sheet, head, got);
                got.tables += 1;
            }
            [b'+', b' ', cells @ ..] => codes(&mut sheet, &mut got, cells, Kind::Encoded),
            [b'^', b' ', cells @ ..] => codes(&mut sheet, &mut got, cells, Kind::Accented),
            [b'&', b' ', cells @ ..] => codes(&mut sheet, &mut got, cells, Kind::Composed),
            [place, b'_', b' ', cells @ ..] => {
                sheet.rows[got.rows] = row(cells);
                sheet.tables[got.tables - 1].rows[digit(*place) as usize] = got.rows as u16;
                got.rows += 1;
            }
            _ => panic!("no such line"),
        }
    }
    sheet
}

/// A table that begins as a copy of its base: `NAME < BASE | what it is`.
const fn begin(sheet: &Sheet, head: &'static [u8], got: Size) -> Table {
    let (names, about) = split(head, b'|');
    let (name, names) = split(names, b' ');
    let (_, names) = split(names, b' ');
    let (base, _) = split(names, b' ');
    let mut table = Table { name: text(name), about: text(trimmed(about)), ..Table::EMPTY };
    table.codes = (got.codes as u16, got.codes as u16);
    if !base.is_empty() {
        let found = find(sheet, base, got.tables);
        table.rows = sheet.tables[found].rows;
        table.base = Some(found as u16);
    }
    table
}

const fn find(sheet: &Sheet, name: &[u8], until: usize) -> usize {
    let mut index = 0;
    while index < until {
        if same(sheet.tables[index].name.as_bytes(), name) {
            return index;
        }
        index += 1;
    }
    panic!("no such base before this table");
}

/// Sixteen cells.
const fn row(mut cells: &[u8]) -> [u16; ROW] {
    let mut row = [NONE; ROW];
    let mut column = 0;
    while column < ROW {
        let (cell, rest) = split(cells, b' ');
        row[column] = value(cell);
        cells = rest;
        column += 1;
    }
    assert!(cells.is_empty(), "a row has sixteen cells");
    row
}

/// Codes of one kind: `character=bytes` where they are only encoded, else the first bytes and then
/// `last byte=character`.
const fn codes(sheet: &mut Sheet, got: &mut Size, mut cells: &[u8], kind: Kind) {
    let mut lead: &[u8] = &[];
    if !matches!(kind, Kind::Encoded) {
        (lead, cells) = split(cells, b' ');
    }
    while !cells.is_empty() {
        let (cell, rest) = split(cells, b' ');
        cells = rest;
        let (left, right) = split(cell, b'=');
        let (last, character) = match kind {
            Kind::Encoded => (right, hex(left)),
            _ => (left, hex(right)),
        };
        let mut code = Code { character, kind, ..Code::EMPTY };
        code.append(lead);
        if !matches!(last, b"--") {
            code.append(last);
        }
        sheet.codes[got.codes] = code;
        got.codes += 1;
    }
    sheet.tables[got.tables - 1].codes.1 = got.codes as u16;
}

/// A cell: nothing, a character, or its code point.
const fn value(cell: &[u8]) -> u16 {
    match *cell {
        [b'-', b'-'] => NONE,
        [one] => one as u16,
        [lead @ 0xC0..=0xDF, next] => (lead as u16 & 0x1F) << 6 | next as u16 & 0x3F,
        [lead @ 0xE0..=0xEF, next, last] => {
            (lead as u16 & 0x0F) << 12 | (next as u16 & 0x3F) << 6 | last as u16 & 0x3F
        }
        _ => hex(cell),
    }
}

pub(super) const fn hex(digits: &[u8]) -> u16 {
    assert!(2 <= digits.len() && digits.len() <= 4, "two to four digits");
    let (mut value, mut index) = (0, 0);
    while index < digits.len() {
        value = value << 4 | digit(digits[index]) as u16;
        index += 1;
    }
    value
}

pub(super) const fn digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'F' => digit - b'A' + 10,
        _ => panic!("no digit"),
    }
}

/// What stands before the first `mark`, and what stands behind it.
const fn split(text: &[u8], mark: u8) -> (&[u8], &[u8]) {
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

const fn trimmed(text: &[u8]) -> &[u8] {
    match text {
        [b' ', rest @ ..] => rest,
        _ => text,
    }
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

const fn text(bytes: &'static [u8]) -> &'static str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("cut inside a character"),
    }
}
