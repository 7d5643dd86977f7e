//! Records of CSV, as Spark's reader of CSV reads them.
//!
//! A field is quoted if it begins with a quote. In it the escape character precedes a quote or itself;
//! if the escape character is the quote, two quotes are one. White space may follow the closing quote. If
//! anything else follows, the field is not quoted, and its quotes are part of its value.

use memchr::{memchr, memchr_iter, memchr2, memchr3};

/// The special characters.
#[derive(Clone, Copy)]
pub struct Syntax {
    pub separator: u8,
    pub quote: Option<u8>,
    pub escape: Option<u8>,
}

/// Where in a record a byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    FieldStart,
    InField,
    InQuoted,
    AfterEscape,
    AfterQuote,
    AfterQuoteAndSpace,
}

impl State {
    /// Every state, by its number.
    pub const ALL: [State; 6] = [
        State::FieldStart,
        State::InField,
        State::InQuoted,
        State::AfterEscape,
        State::AfterQuote,
        State::AfterQuoteAndSpace,
    ];
}

impl Syntax {
    fn doubles_quotes(&self) -> bool {
        self.escape == self.quote
    }

    fn ends_field(&self, byte: u8) -> bool {
        byte == self.separator || byte == b'\n' || byte == b'\r'
    }

    /// Returns the state after `text`, and the offset after the first line feed that ends a record.
    pub fn scan(&self, mut state: State, text: &[u8]) -> (State, Option<usize>) {
        let Some(quote) = self.quote else {
            let record = memchr(b'\n', text).map(|at| at + 1);
            let ends = text.last().map(|byte| self.ends_field(*byte));
            return (
                if ends.unwrap_or(state == State::FieldStart) {
                    State::FieldStart
                } else {
                    State::InField
                },
                record,
            );
        };
        let escape = self.escape.unwrap_or(quote);
        let (mut at, mut record) = (0, None);
        while at < text.len() {
            let byte = text[at];
            state = match state {
                State::FieldStart if byte == quote => State::InQuoted,
                State::AfterQuote if byte == quote && self.doubles_quotes() => State::InQuoted,
                State::AfterQuote if byte == quote => State::AfterQuote,
                State::AfterQuote | State::AfterQuoteAndSpace
                    if byte <= b' ' && !self.ends_field(byte) =>
                {
                    State::AfterQuoteAndSpace
                }
                State::AfterEscape => State::InQuoted,
                State::InQuoted => match memchr2(quote, escape, &text[at..]) {
                    None => return (State::InQuoted, record),
                    Some(found) => {
                        at += found;
                        if text[at] == quote { State::AfterQuote } else { State::AfterEscape }
                    }
                },
                State::FieldStart
                | State::InField
                | State::AfterQuote
                | State::AfterQuoteAndSpace => {
                    // Up to the quote that begins a field.
                    let start = at;
                    let opens = memchr_iter(quote, &text[start..])
                        .map(|found| start + found)
                        .find(|found| *found > start && self.ends_field(text[found - 1]));
                    let end = opens.unwrap_or(text.len());
                    if record.is_none() {
                        record = memchr(b'\n', &text[start..end]).map(|found| start + found + 1);
                    }
                    at = end;
                    match opens {
                        Some(_) => State::InQuoted,
                        None if self.ends_field(text[end - 1]) => State::FieldStart,
                        None => State::InField,
                    }
                }
            };
            at += 1;
        }
        (state, record)
    }
}

/// The values of a column, in the layout of Arrow.
#[derive(Default)]
pub struct Column {
    /// The values, joined.
    pub values: Vec<u8>,
    /// The end of each value, in bytes.
    pub ends: Vec<i32>,
    /// The indexes of values that are null.
    pub nulls: Vec<u32>,
}

impl Column {
    /// Removes the first values.
    pub fn drop_first(&mut self, count: usize) {
        let len = count.checked_sub(1).map_or(0, |last| self.ends[last]);
        self.values.drain(..len as usize);
        self.ends.drain(..count);
        self.ends.iter_mut().for_each(|end| *end -= len);
        self.nulls.retain(|index| *index as usize >= count);
        self.nulls.iter_mut().for_each(|index| *index -= count as u32);
    }
}

/// Why a record is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordError {
    FieldCount(u32),
    UnclosedQuote,
}

/// A parser of records with the given number of columns.
pub struct Parser {
    pub syntax: Syntax,
    /// Whether fields may contain line feeds.
    pub is_multi_line: bool,
    pub comment: Option<u8>,
    pub null_value: Vec<u8>,
    pub empty_value: Vec<u8>,
    pub column_count: usize,
}

/// Parsed records.
#[derive(Default)]
pub struct ParsedRecords {
    pub columns: Vec<Column>,
    /// The bytes of each record in the text, without the end of the line.
    pub spans: Vec<(u32, u32)>,
    /// The indexes of malformed records.
    pub errors: Vec<(u32, RecordError)>,
}

/// How a field ended.
enum FieldEnd {
    Separator,
    Record,
    /// The text ended, and more of it is needed.
    Incomplete,
    /// The text ended in a quoted field.
    Unclosed,
}

impl Parser {
    /// Parses all records in `text`. Returns the number of bytes that were read: without the last record, if
    /// it is incomplete. `None` if a value has more than 2 GiB.
    pub fn parse(&self, text: &[u8], is_final: bool) -> Option<(ParsedRecords, usize)> {
        let mut records = ParsedRecords::default();
        records.columns.resize_with(self.column_count, Column::default);
        let mut start = 0;
        while start < text.len() {
            // A line feed that follows a carriage return belongs to it.
            let line = match self.is_multi_line {
                true => None,
                false => Some(line_end(text, start, is_final)),
            };
            let (line, next) = match line {
                None => (&text[start..], None),
                Some(Some((end, next))) => (&text[start..end], Some(next)),
                Some(None) => break,
            };
            if self.is_skipped(line) {
                let end = next.or_else(|| line_end(text, start, is_final).map(|(_, next)| next));
                match end {
                    Some(end) => start = end,
                    None => break,
                }
                continue;
            }
            let is_whole = is_final || next.is_some();
            match self.parse_record(line, is_whole, &mut records, start) {
                Some(len) => start = next.unwrap_or(start + len),
                None => break,
            }
        }
        let is_short = records.columns.iter().all(|it| i32::try_from(it.values.len()).is_ok());
        (is_short && u32::try_from(text.len()).is_ok()).then_some((records, start))
    }

    /// Returns whether a line is empty or a comment.
    fn is_skipped(&self, line: &[u8]) -> bool {
        let Some(first) = line.first() else { return true };
        if self.comment == Some(*first) {
            return true;
        }
        match self.is_multi_line {
            true => *first == b'\n' || *first == b'\r',
            false => *first <= b' ' && line.iter().all(|byte| *byte <= b' '),
        }
    }

    /// Parses one record at the start of `text`. Returns its length with the end of the line, or `None` if it
    /// is incomplete.
    fn parse_record(
        &self,
        text: &[u8],
        is_final: bool,
        records: &mut ParsedRecords,
        offset: usize,
    ) -> Option<usize> {
        let (mut at, mut count, mut extra) = (0, 0, Column::default());
        let mut is_unclosed = false;
        loop {
            let column = records.columns.get_mut(count).unwrap_or(&mut extra);
            let (end, how) = self.parse_field(text, at, is_final, column);
            column.ends.push(column.values.len() as i32);
            count += 1;
            at = end;
            match how {
                FieldEnd::Separator => at += 1,
                FieldEnd::Record => break,
                FieldEnd::Unclosed => {
                    is_unclosed = true;
                    break;
                }
                FieldEnd::Incomplete => {
                    records.roll_back();
                    return None;
                }
            }
        }
        let next = match text.get(at) {
            Some(b'\r') if text.get(at + 1) == Some(&b'\n') => at + 2,
            Some(b'\r') if at + 1 == text.len() && !is_final => {
                records.roll_back();
                return None;
            }
            Some(_) => at + 1,
            None => at,
        };
        let index = records.spans.len() as u32;
        for column in records.columns.iter_mut().skip(count) {
            column.nulls.push(column.ends.len() as u32);
            column.ends.push(column.values.len() as i32);
        }
        if is_unclosed {
            records.errors.push((index, RecordError::UnclosedQuote));
        } else if count != self.column_count {
            records.errors.push((index, RecordError::FieldCount(count as u32)));
        }
        records.spans.push((offset as u32, (offset + at) as u32));
        Some(next)
    }

    /// Appends the field that begins at `at` to a column. Returns the offset of what ends it.
    fn parse_field(
        &self,
        text: &[u8],
        at: usize,
        is_final: bool,
        column: &mut Column,
    ) -> (usize, FieldEnd) {
        let is_quoted = self.syntax.quote.is_some() && text.get(at).copied() == self.syntax.quote;
        let start = column.values.len();
        let (end, how) = match is_quoted {
            true => self.parse_quoted(text, at, is_final, column),
            false => self.copy_unquoted(text, at, is_final, column),
        };
        let is_empty = column.values.len() == start;
        if is_empty && is_quoted {
            column.values.extend_from_slice(&self.empty_value);
        }
        if is_empty && !is_quoted || column.values[start..] == self.null_value[..] {
            column.values.truncate(start);
            column.nulls.push(column.ends.len() as u32);
        }
        (end, how)
    }

    /// Copies up to the end of an unquoted field.
    fn copy_unquoted(
        &self,
        text: &[u8],
        at: usize,
        is_final: bool,
        column: &mut Column,
    ) -> (usize, FieldEnd) {
        let found = memchr3(self.syntax.separator, b'\n', b'\r', &text[at..]);
        let end = found.map_or(text.len(), |found| at + found);
        column.values.extend_from_slice(&text[at..end]);
        let how = match text.get(end) {
            Some(byte) if *byte == self.syntax.separator => FieldEnd::Separator,
            None if !is_final => FieldEnd::Incomplete,
            _ => FieldEnd::Record,
        };
        (end, how)
    }

    fn parse_quoted(
        &self,
        text: &[u8],
        start: usize,
        is_final: bool,
        column: &mut Column,
    ) -> (usize, FieldEnd) {
        let Syntax { quote: Some(quote), escape, .. } = self.syntax else {
            return self.copy_unquoted(text, start, is_final, column);
        };
        let escape = escape.unwrap_or(quote);
        let value_start = column.values.len();
        let mut at = start + 1;
        loop {
            let Some(found) = memchr2(quote, escape, &text[at..]) else {
                column.values.extend_from_slice(&text[at..]);
                let how = if is_final { FieldEnd::Unclosed } else { FieldEnd::Incomplete };
                return (text.len(), how);
            };
            column.values.extend_from_slice(&text[at..at + found]);
            at += found;
            let next = text.get(at + 1).copied();
            if text[at] != quote {
                // An escape precedes what it escapes; otherwise it is itself.
                match next {
                    Some(byte) if byte == quote || byte == escape => column.values.push(byte),
                    Some(byte) => column.values.extend_from_slice(&[escape, byte]),
                    None if is_final => column.values.push(escape),
                    None => return (text.len(), FieldEnd::Incomplete),
                }
                at = (at + 2).min(text.len());
                continue;
            }
            if next == Some(quote) {
                column.values.push(quote);
                at += if self.syntax.doubles_quotes() { 2 } else { 1 };
                continue;
            }
            let spaces = text[at + 1..]
                .iter()
                .take_while(|byte| **byte <= b' ' && !self.syntax.ends_field(**byte));
            let end = at + 1 + spaces.count();
            return match text.get(end) {
                None if !is_final => (end, FieldEnd::Incomplete),
                Some(byte) if *byte == self.syntax.separator => (end, FieldEnd::Separator),
                None | Some(b'\n' | b'\r') => (end, FieldEnd::Record),
                Some(_) => {
                    column.values.insert(value_start, quote);
                    self.copy_unquoted(text, at, is_final, column)
                }
            };
        }
    }
}

impl ParsedRecords {
    /// Removes the fields of an incomplete record.
    fn roll_back(&mut self) {
        let count = self.spans.len();
        for column in &mut self.columns {
            column.ends.truncate(count);
            column.values.truncate(column.ends.last().map_or(0, |end| *end as usize));
            while column.nulls.last().is_some_and(|index| *index as usize >= count) {
                column.nulls.pop();
            }
        }
    }
}

/// Returns the end of the line that begins at `start`, and the start of the next one. `None` if more text is
/// needed.
pub fn line_end(text: &[u8], start: usize, is_final: bool) -> Option<(usize, usize)> {
    let Some(found) = memchr2(b'\n', b'\r', &text[start..]) else {
        return is_final.then_some((text.len(), text.len()));
    };
    let end = start + found;
    match (text[end], text.get(end + 1)) {
        (b'\r', Some(b'\n')) => Some((end, end + 2)),
        (b'\r', None) if !is_final => None,
        _ => Some((end, end + 1)),
    }
}
