//! The same checks as plainly as they can be written: over a whole file, character by character,
//! with decoders of the standard library.

use charpipe::internals::check::{
    BINARY_SNIFF_LEN, BinaryFiles, BomRule, CheckOptions, NewlineRule,
};

use crate::check::driver::FindingRow;

/// A character, or bytes that are none, with how many bytes it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputUnit {
    Character(char, u64),
    Malformed(&'static str, u64),
}

pub fn utf8(file: &[u8]) -> Vec<InputUnit> {
    let mut units = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let (valid, invalid) = match std::str::from_utf8(rest) {
            Ok(text) => (text.len(), None),
            Err(error) => match error.error_len() {
                Some(len) => (error.valid_up_to(), Some(("ill-formed", len))),
                None => {
                    (error.valid_up_to(), Some(("truncated", rest.len() - error.valid_up_to())))
                }
            },
        };
        let text = std::str::from_utf8(&rest[..valid]).unwrap();
        units.extend(text.chars().map(|c| InputUnit::Character(c, c.len_utf8() as u64)));
        rest = &rest[valid..];
        if let Some((rule, len)) = invalid {
            units.push(InputUnit::Malformed(rule, len as u64));
            rest = &rest[len..];
        }
    }
    units
}

pub fn ascii(file: &[u8]) -> Vec<InputUnit> {
    let unit = |byte: &u8| match byte {
        0..=0x7F => InputUnit::Character(char::from(*byte), 1),
        _ => InputUnit::Malformed("ill-formed", 1),
    };
    file.iter().map(unit).collect()
}

/// Whole code units, of which the last is not a high surrogate.
pub fn utf16le(file: &[u8]) -> Vec<InputUnit> {
    let units = file.chunks(2).map(|pair| u16::from_le_bytes(pair.try_into().unwrap()));
    let unit = |decoded: Result<char, _>| match decoded {
        Ok(character) => InputUnit::Character(character, character.len_utf16() as u64 * 2),
        Err(_) => InputUnit::Malformed("ill-formed", 2),
    };
    char::decode_utf16(units).map(unit).collect()
}

/// The findings of a file of these units.
pub fn findings(
    rules: &CheckOptions,
    file: &[u8],
    units: &[InputUnit],
    nul_means_binary: bool,
) -> Vec<FindingRow> {
    let mut model = CheckModel { rules, rows: Vec::new(), offset: 0, line: 1, column: 1, start: 0 };
    let nul = file.iter().position(|byte| *byte == 0).filter(|_| nul_means_binary);
    model.check_bom(units);
    let mut first = None;
    let mut at = 0;
    while at < units.len() {
        if Some(model.offset as usize) == nul {
            let early = nul.is_some_and(|nul| nul < BINARY_SNIFF_LEN);
            return model.binary(early);
        }
        let taken = model.take_unit(&units[at..], &mut first);
        at += taken;
    }
    model.rows
}

struct CheckModel<'a> {
    rules: &'a CheckOptions,
    rows: Vec<FindingRow>,
    offset: u64,
    line: u64,
    column: u64,
    /// Offset of the line.
    start: u64,
}

impl CheckModel<'_> {
    fn report(&mut self, rule: &'static str, len: u64) {
        let bytes = self.offset - self.start + 1;
        self.rows.push((rule, self.offset, len, self.line, self.column, bytes));
    }

    fn check_bom(&mut self, units: &[InputUnit]) {
        match (self.rules.bom, units.first()) {
            (BomRule::Forbid, Some(InputUnit::Character('\u{FEFF}', len))) => {
                self.report("bom", *len)
            }
            (BomRule::Require, Some(unit))
                if !matches!(unit, InputUnit::Character('\u{FEFF}', _)) =>
            {
                self.report("bom", 0);
            }
            _ => {}
        }
    }

    fn binary(mut self, early: bool) -> Vec<FindingRow> {
        if early {
            self.rows.clear();
        }
        match self.rules.binary_files {
            BinaryFiles::Report => self.report("binary", 1),
            BinaryFiles::Skip => {}
            other => unreachable!("{other:?}"),
        }
        self.rows
    }

    /// Takes one unit, or two that are a line end; says how many.
    fn take_unit(&mut self, units: &[InputUnit], first: &mut Option<&'static str>) -> usize {
        let (end, taken) = match units {
            [InputUnit::Character('\r', _), InputUnit::Character('\n', _), ..] => (Some("crlf"), 2),
            [InputUnit::Character('\r', _), ..] => (Some("cr"), 1),
            [InputUnit::Character('\n', _), ..] => (Some("lf"), 1),
            _ => (None, 1),
        };
        let len = |unit: &InputUnit| match unit {
            InputUnit::Character(_, len) | InputUnit::Malformed(_, len) => *len,
        };
        let all: u64 = units[..taken].iter().map(len).sum();
        if let Some(end) = end {
            let expected = match self.rules.newline {
                NewlineRule::Any => end,
                NewlineRule::Lf => "lf",
                NewlineRule::CrLf => "crlf",
                NewlineRule::Cr => "cr",
                NewlineRule::Consistent => first.get_or_insert(end),
            };
            if end != expected {
                self.report("newline", all);
            }
        }
        match units[0] {
            InputUnit::Malformed(rule, len) => self.report(rule, len),
            InputUnit::Character(character, len) => {
                let is_bom = self.offset == 0 && character == '\u{FEFF}';
                if self.rules.ascii_only && !character.is_ascii() && !is_bom {
                    self.report("non-ascii", len);
                }
            }
        }
        self.offset += all;
        self.column += taken as u64;
        if matches!(end, Some("lf" | "crlf")) {
            (self.line, self.column, self.start) = (self.line + 1, 1, self.offset);
        }
        taken
    }
}
