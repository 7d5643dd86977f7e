//! The same checks as plainly as they can be written: over a whole file, character by character,
//! with decoders of the standard library.

use charpipe::check::{Binary, HEAD, Mark, Newline, Rules};

use crate::run::Row;

/// A character, or bytes that are none, with how many bytes it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Character(char, u64),
    Bad(&'static str, u64),
}

pub fn utf8(file: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let (valid, bad) = match std::str::from_utf8(rest) {
            Ok(text) => (text.len(), None),
            Err(error) => match error.error_len() {
                Some(len) => (error.valid_up_to(), Some(("ill-formed", len))),
                None => {
                    (error.valid_up_to(), Some(("truncated", rest.len() - error.valid_up_to())))
                }
            },
        };
        let text = std::str::from_utf8(&rest[..valid]).unwrap();
        units.extend(text.chars().map(|c| Unit::Character(c, c.len_utf8() as u64)));
        rest = &rest[valid..];
        if let Some((rule, len)) = bad {
            units.push(Unit::Bad(rule, len as u64));
            rest = &rest[len..];
        }
    }
    units
}

pub fn ascii(file: &[u8]) -> Vec<Unit> {
    let unit = |byte: &u8| match byte {
        0..=0x7F => Unit::Character(char::from(*byte), 1),
        _ => Unit::Bad("ill-formed", 1),
    };
    file.iter().map(unit).collect()
}

/// Whole units, of which the last is no high surrogate.
pub fn utf16le(file: &[u8]) -> Vec<Unit> {
    let units = file.chunks(2).map(|pair| u16::from_le_bytes(pair.try_into().unwrap()));
    let unit = |decoded: Result<char, _>| match decoded {
        Ok(character) => Unit::Character(character, character.len_utf16() as u64 * 2),
        Err(_) => Unit::Bad("ill-formed", 2),
    };
    char::decode_utf16(units).map(unit).collect()
}

/// The findings of a file of these units.
pub fn findings(rules: &Rules, file: &[u8], units: &[Unit], nul_tells: bool) -> Vec<Row> {
    let mut model = Model { rules, rows: Vec::new(), offset: 0, line: 1, column: 1, start: 0 };
    let nul = file.iter().position(|byte| *byte == 0).filter(|_| nul_tells);
    model.mark(units);
    let mut first = None;
    let mut at = 0;
    while at < units.len() {
        if Some(model.offset as usize) == nul {
            let early = nul.is_some_and(|nul| nul < HEAD);
            return model.binary(early);
        }
        let taken = model.unit(&units[at..], &mut first);
        at += taken;
    }
    model.rows
}

struct Model<'a> {
    rules: &'a Rules,
    rows: Vec<Row>,
    offset: u64,
    line: u64,
    column: u64,
    /// Offset of the line.
    start: u64,
}

impl Model<'_> {
    fn tell(&mut self, rule: &'static str, len: u64) {
        let bytes = self.offset - self.start + 1;
        self.rows.push((rule, self.offset, len, self.line, self.column, bytes));
    }

    fn mark(&mut self, units: &[Unit]) {
        match (self.rules.mark, units.first()) {
            (Mark::Forbid, Some(Unit::Character('\u{FEFF}', len))) => self.tell("bom", *len),
            (Mark::Require, Some(unit)) if !matches!(unit, Unit::Character('\u{FEFF}', _)) => {
                self.tell("bom", 0);
            }
            _ => {}
        }
    }

    fn binary(mut self, early: bool) -> Vec<Row> {
        if early {
            self.rows.clear();
        }
        match self.rules.binary {
            Binary::Report => self.tell("binary", 1),
            Binary::Skip => {}
            Binary::Text => unreachable!(),
        }
        self.rows
    }

    /// Takes one unit, or two that are a line end; says how many.
    fn unit(&mut self, units: &[Unit], first: &mut Option<&'static str>) -> usize {
        let (end, taken) = match units {
            [Unit::Character('\r', _), Unit::Character('\n', _), ..] => (Some("crlf"), 2),
            [Unit::Character('\r', _), ..] => (Some("cr"), 1),
            [Unit::Character('\n', _), ..] => (Some("lf"), 1),
            _ => (None, 1),
        };
        let len = |unit: &Unit| match unit {
            Unit::Character(_, len) | Unit::Bad(_, len) => *len,
        };
        let all: u64 = units[..taken].iter().map(len).sum();
        if let Some(end) = end {
            let expected = match self.rules.newline {
                Newline::Any => end,
                Newline::Lf => "lf",
                Newline::CrLf => "crlf",
                Newline::Same => first.get_or_insert(end),
            };
            if end != expected {
                self.tell("newline", all);
            }
        }
        if let Unit::Bad(rule, len) = units[0] {
            self.tell(rule, len);
        }
        self.offset += all;
        self.column += taken as u64;
        if matches!(end, Some("lf" | "crlf")) {
            (self.line, self.column, self.start) = (self.line + 1, 1, self.offset);
        }
        taken
    }
}
