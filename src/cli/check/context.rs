//! The lines of findings, and those around them, as `check --context` prints them.
//!
//! ```text
//!   2 | caf\xE9 au lait
//!     |    ^^^^
//! ```
//!
//! A window of what has been read is kept: a line that is longer is cut, and a finding waits for the lines after it.

use std::collections::VecDeque;
use std::fmt::Write;
use std::ops::Range;

use charpipe_check::{Finding, FindingKind};
use charpipe_encoding::codec::DecodeStage;
use charpipe_encoding::encoding::Encoding;
use charpipe_transcode::header;
use charpipe_transcode::options::EncodingSpec;
use memchr::memmem;
use unicode_width::UnicodeWidthStr;

use crate::cli::color::{self, Role};
use crate::cli::quote::{CI_COMMAND_PREFIX, push_escaped};
use crate::cli::text_rows::{RowContent, RowReader};

/// The number of bytes before a finding that are kept, and after it that are waited for.
const WINDOW_LEN: usize = 16 * 1024;

/// The maximum number of bytes of a line that are decoded before a finding, so that many findings in a line take linear time.
const MAX_LEN_BEFORE: usize = 1024;

/// The maximum number of columns of a line that are shown.
const MAX_WIDTH: usize = 100;

/// The columns before the first finding in a line that is cut.
const WIDTH_BEFORE: usize = 40;

/// The distance in bytes of findings whose line is printed once.
const MAX_GROUP_LEN: u64 = 50;

/// What replaces the parts of a line that are not shown.
const ELLIPSIS: &str = "…";

/// A line feed in the encodings whose lines can be found.
const LINE_FEEDS: [&[u8]; 7] =
    [b"\n", b"\0\n", b"\n\0", b"\0\0\0\n", b"\n\0\0\0", b"\x15", b"\x25"];

/// The file that is being checked: its last bytes, and the findings that have not been printed.
pub struct ContextPrinter {
    /// The number of lines before and after that of a finding.
    lines: usize,
    spec: EncodingSpec,
    /// The byte order mark of the file, which decides how it is decoded.
    bom: Vec<u8>,
    /// A line feed in the encoding. Empty if lines cannot be found.
    line_feed: &'static [u8],
    window: Vec<u8>,
    /// The offset of the window in the file.
    start: u64,
    findings: VecDeque<Finding>,
}

/// A character, or a byte without one, as it is displayed.
struct Cell {
    text: String,
    width: usize,
    is_marked: bool,
    is_malformed: bool,
}

impl ContextPrinter {
    /// Returns a printer of lines with this number of lines before and after.
    pub fn new(lines: usize) -> ContextPrinter {
        ContextPrinter {
            lines,
            spec: charpipe_encoding::UTF_8.into(),
            bom: Vec::new(),
            line_feed: b"",
            window: Vec::new(),
            start: 0,
            findings: VecDeque::new(),
        }
    }

    /// Begins a file in an encoding.
    pub fn begin_file(&mut self, spec: &EncodingSpec) {
        let is_plain = |name| name == charpipe_transform::MOJIBAKE.name;
        self.spec = if header::is_header(spec.encoding) {
            charpipe_encoding::UTF_8.into()
        } else if spec.transforms.iter().all(|transform| is_plain(transform.transform.name)) {
            spec.clone()
        } else {
            charpipe_encoding::US_ASCII.into()
        };
        self.spec.transforms.clear();
        self.window.clear();
        self.findings.clear();
        self.bom.clear();
        (self.start, self.line_feed) = (0, b"");
    }

    /// Adds bytes of the file, before its findings in them are added.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.window.extend_from_slice(bytes);
    }

    /// Adds a finding, in the order of the file.
    pub fn add(&mut self, finding: &Finding) {
        self.findings.push_back(*finding);
    }

    /// Returns the next findings, all in one part of a line, and their lines as they are printed. Returns `None` if there are
    /// none, or if lines after them have not been read. `is_end` means that the file has ended.
    pub fn next_group(&mut self, is_end: bool) -> Option<(Vec<Finding>, String)> {
        let first = self.findings.front()?.position;
        let is_near = |finding: &&Finding| {
            let position = finding.position;
            position.line == first.line && position.offset < first.offset + MAX_GROUP_LEN
        };
        let count = self.findings.iter().take_while(is_near).count().max(1);
        let last = self.findings[count - 1].position.offset;
        if !is_end && !self.has_lines_after(last) {
            return None;
        }
        if self.line_feed.is_empty() {
            self.examine_start();
        }
        let group: Vec<Finding> = self.findings.drain(..count).collect();
        let lines = self.render(&group);
        Some((group, lines))
    }

    /// Drops bytes that are no longer needed.
    pub fn trim(&mut self) {
        let end = self.start + self.window.len() as u64;
        let first = self.findings.front().map_or(end, |finding| finding.position.offset);
        let keep = first.saturating_sub(WINDOW_LEN as u64).max(self.start);
        if self.line_feed.is_empty() && self.window.len() >= 4 {
            self.examine_start();
        }
        // The bytes are moved once for each window.
        let excess = ((keep - self.start) as usize).min(self.window.len());
        if excess >= WINDOW_LEN {
            self.window.drain(..excess);
            self.start += excess as u64;
        }
    }

    /// Finds the byte order mark and the line feed of the file, of which the window has the start.
    fn examine_start(&mut self) {
        let name = self.spec.encoding.name();
        let is_same_form = |(found, _): &(&Encoding, usize)| name.starts_with(&found.name()[..5]);
        if let Some((_, len)) = Encoding::for_bom(&self.window).filter(is_same_form) {
            self.bom = self.window[..len].to_vec();
        }
        let is_line_feed = |bytes: &&&[u8]| {
            let mut decoder = self.decoder();
            let mut rows = self.rows(&mut *decoder);
            rows.feed(bytes);
            let row = rows.next_row(true);
            row.is_some_and(|row| row.content == RowContent::Character('\n'))
        };
        let found = LINE_FEEDS.iter().find(is_line_feed);
        self.line_feed = found.copied().unwrap_or(b"\n");
    }

    fn decoder(&self) -> Box<dyn DecodeStage> {
        self.spec.encoding.factory.decoder(&self.spec.options)
    }

    /// Returns a reader that has read the byte order mark.
    fn rows<'a>(&self, decoder: &'a mut dyn DecodeStage) -> RowReader<'a> {
        let mut rows = RowReader::new(self.spec.encoding, decoder);
        rows.feed(&self.bom);
        while rows.next_row(false).is_some() {}
        rows
    }

    /// Returns whether the lines after an offset that are printed have been read.
    fn has_lines_after(&self, offset: u64) -> bool {
        let index = offset.saturating_sub(self.start) as usize;
        if self.window.len() >= index + WINDOW_LEN {
            return true;
        }
        if self.line_feed.is_empty() {
            return false;
        }
        let start = self.line_start(index.min(self.window.len()));
        (0..=self.lines).fold(start, |index, _| self.line_end(index)) < self.window.len()
    }

    /// Returns the index in the window after the first line feed from the start of a line on, or that of the end.
    fn line_end(&self, start: usize) -> usize {
        let unit = self.line_feed.len();
        let found = memmem::find_iter(&self.window[start..], self.line_feed)
            .find(|index| index % unit == 0);
        found.map_or(self.window.len(), |index| start + index + unit)
    }

    /// Returns the index in the window of the start of the line that has the byte at an index.
    fn line_start(&self, index: usize) -> usize {
        let index = self.align(index);
        let unit = self.line_feed.len();
        let found =
            memmem::rfind_iter(&self.window[..index.min(self.window.len())], self.line_feed)
                .find(|found| (index - found) % unit == 0);
        found.map_or(self.align(0), |found| found + unit)
    }

    /// Returns the index in the window of the code unit that has the byte at an index: units are aligned in the file.
    fn align(&self, index: usize) -> usize {
        let unit = self.line_feed.len();
        let skipped = (unit - (self.start % unit as u64) as usize) % unit;
        index.saturating_sub(skipped) / unit * unit + skipped
    }

    /// Returns the lines of findings and those around them.
    fn render(&self, group: &[Finding]) -> String {
        let mut text = String::new();
        let position = group[0].position;
        let Some(index) = position.offset.checked_sub(self.start) else { return text };
        let index = (index as usize).min(self.window.len());
        let is_of_file = matches!(group[0].kind, FindingKind::OtherEncoding { .. });
        if self.window.is_empty() || is_of_file {
            return text;
        }
        let start = self.line_start(index);
        let mut before = vec![start];
        while before.len() <= self.lines && before[before.len() - 1] > 0 {
            before.push(self.line_start(before[before.len() - 1] - 1));
        }
        let last = position.line + self.lines as u64;
        let digits = last.to_string().len().max(3);
        let mut number = position.line.saturating_sub(before.len() as u64 - 1);
        let mut line_start = before[before.len() - 1];
        while number <= last && (line_start < self.window.len() || number == position.line) {
            let line_end = self.line_end(line_start);
            let marked = if number == position.line { group } else { &[] };
            self.render_line(&mut text, (number, digits), line_start..line_end, marked);
            (number, line_start) = (number + 1, line_end);
        }
        text
    }

    /// Appends a line, and one with marks under the findings in it.
    fn render_line(
        &self,
        text: &mut String,
        (number, digits): (u64, usize),
        line: Range<usize>,
        findings: &[Finding],
    ) {
        let is_colored = color::stdout_is_colored();
        let gutter =
            |text: &str| if is_colored { Role::HunkHeader.paint(text) } else { text.to_owned() };
        let first = findings.first().map_or(0, |first| first.position.offset - self.start) as usize;
        let start = self.align(first.saturating_sub(MAX_LEN_BEFORE)).clamp(line.start, line.end);
        let is_cut_start = start > line.start || line.start == 0 && self.start > 0;
        let cells = self.cells(start..line.end, is_cut_start, findings);
        let (shown, cut_before, cut_after) = shown_cells(&cells);
        let mut content = String::new();
        let mut marks = String::new();
        if cut_before || is_cut_start {
            content.push_str(ELLIPSIS);
            marks.push(' ');
        }
        for cell in &cells[shown] {
            let is_command = cell.text == "#" && content.ends_with(&CI_COMMAND_PREFIX[..1]);
            let shown = if is_command { "\\x23" } else { &*cell.text };
            let width = if is_command { 4 } else { cell.width };
            match is_colored && cell.is_malformed {
                true => content.push_str(&Role::Error.paint(shown)),
                false => content.push_str(shown),
            }
            marks.extend(std::iter::repeat_n(if cell.is_marked { '^' } else { ' ' }, width));
        }
        if cut_after {
            content.push_str(ELLIPSIS);
        }
        let _ = writeln!(text, "{} {content}", gutter(&format!("{number:>digits$} |")));
        let marks = marks.trim_end();
        if !marks.is_empty() {
            let marks = if is_colored { Role::Error.paint(marks) } else { marks.to_owned() };
            let _ = writeln!(text, "{} {marks}", gutter(&format!("{:>digits$} |", "")));
        }
    }

    /// Returns the characters of a line, or of the rest of one that `is_cut`, without its end unless that is a finding.
    fn cells(&self, line: Range<usize>, is_cut: bool, findings: &[Finding]) -> Vec<Cell> {
        let offset = self.start + line.start as u64;
        let is_marked = |start: u64, end: u64| {
            findings.iter().any(|finding| {
                let found = finding.position.offset;
                start < found + finding.len.max(1) && found < end
            })
        };
        let mut bytes = &self.window[line];
        let mut cells = Vec::new();
        let mut start = offset;
        if offset == 0 && !self.bom.is_empty() {
            bytes = &bytes[self.bom.len().min(bytes.len())..];
            start = self.bom.len() as u64;
            if is_marked(0, start) {
                cells.push(Cell::escape("\\u{FEFF}".to_owned(), true, false));
            }
        }
        if is_cut && self.line_feed.len() == 1 {
            // It may be cut in a character of UTF-8.
            let skipped = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
            (bytes, start) = (&bytes[skipped..], start + skipped as u64);
        }
        let last = findings.iter().map(|finding| finding.position.offset + finding.len).max();
        let wanted = last.map_or(0, |last| last.saturating_sub(start) as usize) + 4 * MAX_WIDTH;
        let mut decoder = self.decoder();
        let mut rows = self.rows(&mut *decoder);
        rows.feed(&bytes[..bytes.len().min(wanted)]);
        while let Some(row) = rows.next_row(true) {
            // The first row may begin with the byte order mark.
            let skipped = self.bom.len().saturating_sub(row.offset as usize).min(row.bytes.len());
            let from = start + row.offset + skipped as u64 - self.bom.len() as u64;
            let to = from + (row.bytes.len() - skipped) as u64;
            let is_marked = is_marked(from, to);
            match row.content {
                RowContent::Character(character) => {
                    cells.extend(Cell::of_character(character, is_marked));
                }
                RowContent::Text(text) => cells.extend(
                    text.chars().filter_map(|character| Cell::of_character(character, is_marked)),
                ),
                RowContent::Malformed(_) => cells.extend(
                    row.bytes[skipped..]
                        .iter()
                        .map(|byte| Cell::escape(format!("\\x{byte:02X}"), is_marked, true)),
                ),
                RowContent::NoCharacter => {}
            }
        }
        cells
    }
}

impl Cell {
    fn escape(text: String, is_marked: bool, is_malformed: bool) -> Cell {
        Cell { width: text.len(), text, is_marked, is_malformed }
    }

    /// Returns what displays a character, or `None` for a line ending without a finding.
    fn of_character(character: char, is_marked: bool) -> Option<Cell> {
        let escaped = match character {
            '\n' | '\r' if !is_marked => return None,
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' if !is_marked => "    ".to_owned(),
            '\t' => "\\t".to_owned(),
            _ => {
                let mut text = String::new();
                push_escaped(character, &mut text);
                return Some(Cell { width: text.width(), text, is_marked, is_malformed: false });
            }
        };
        Some(Cell::escape(escaped, is_marked, false))
    }
}

/// Returns the cells that are shown of a line, and whether there are more before and after them.
fn shown_cells(cells: &[Cell]) -> (Range<usize>, bool, bool) {
    let total: usize = cells.iter().map(|cell| cell.width).sum();
    if total <= MAX_WIDTH {
        return (0..cells.len(), false, false);
    }
    let first = cells.iter().position(|cell| cell.is_marked).unwrap_or(0);
    let (mut start, mut width) = (first, 0);
    while start > 0 && width + cells[start - 1].width <= WIDTH_BEFORE {
        start -= 1;
        width += cells[start].width;
    }
    let (mut end, mut width) = (start, 0);
    while end < cells.len() && width + cells[end].width <= MAX_WIDTH {
        width += cells[end].width;
        end += 1;
    }
    // A character that combines with one that is not shown.
    while start < end && cells[start].width == 0 {
        start += 1;
    }
    (start..end, start > 0, end < cells.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_shown_from_forty_columns_before_the_finding() {
        for (width, marked, shown) in [
            (1, 0, 0..100),
            (1, 5, 0..100),
            (1, 40, 0..100),
            (1, 41, 1..101),
            (1, 250, 210..300),
            (2, 30, 10..60),
        ] {
            let mut cells = Vec::new();
            for index in 0..300 {
                let text = "a".repeat(width);
                cells.push(Cell { text, width, is_marked: index == marked, is_malformed: false });
            }
            let (before, after) = (shown.start > 0, shown.end < cells.len());
            assert_eq!(shown_cells(&cells), (shown, before, after), "{width} {marked}");
        }
    }

    #[test]
    fn lines_long_before_any_finding_are_not_kept() {
        for block_len in [WINDOW_LEN / 4, 3 * WINDOW_LEN] {
            let mut context = ContextPrinter::new(0);
            context.begin_file(&charpipe_encoding::UTF_8.into());
            let block = b"some line\n".repeat(block_len / 10);
            for _ in 0..20 {
                context.feed(&block);
                context.trim();
                assert!(context.window.len() <= 2 * WINDOW_LEN, "{}", context.window.len());
            }
        }
    }
}
