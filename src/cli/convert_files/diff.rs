//! The difference that a fix makes, as a unified diff for people.
//!
//! A fix changes no line except for its encoding, its end, declarations in the first lines, a byte order
//! mark before the first one, and characters; after a repair and `--via` each line is still a line. So the new text follows from the
//! old one, line by line, and memory is bounded: long lines are cut, and long hunks are divided.

use std::collections::VecDeque;
use std::io::{self, Write};

use memchr::memchr2;

use crate::cli::color::Role;
use crate::cli::line_repairer::TextPipeline;
use crate::cli::quote::Quoted;
use charpipe_encoding::bom::UTF8_BOM;
use charpipe_encoding::codec::{EncodeStage, State, Status, TextTransform};
use charpipe_encoding::encoding::Encoding;
use charpipe_encoding::line_ending::{LineEnding, line_endings};
use charpipe_transcode::ChainStep;
use charpipe_transcode::options::{BomPolicy, EncodingSpec};
use charpipe_transform::declaration::{self, DeclarationFixer};

/// The number of unchanged lines before and after a change.
const CONTEXT: usize = 3;

/// The maximum number of lines of a hunk.
const MAX_HUNK_LINES: usize = 500;

/// The maximum number of bytes that are shown of a line.
const MAX_LINE_LEN: usize = 500;

/// The maximum length of an escaped byte.
const MAX_ESCAPE_LEN: usize = 6;

/// What changes in a file.
pub struct FileChange<'a> {
    /// The name of the file, quoted for a terminal.
    pub name: &'a str,
    pub from: &'a EncodingSpec,
    pub to: &'a EncodingSpec,
    pub bom: BomPolicy,
    /// The new line ending; none to keep each.
    pub newline: Option<LineEnding>,
    /// Whether declarations of the encoding change.
    pub fix_declaration: bool,
    /// The steps that change lines, that of the line ending first.
    pub steps: &'a [ChainStep],
    pub is_colored: bool,
}

/// Writes the difference of the text that is written to it, in UTF-8.
pub struct DiffWriter<'a, W> {
    output: W,
    change: &'a FileChange<'a>,
    encoders: Option<Encoders>,
    pipeline: TextPipeline,
    /// The lines of the text, and those of the text after the steps.
    lines: LineSplitter,
    new_lines: LineSplitter,
    /// Lines whose new text is not known yet.
    waiting: VecDeque<Line>,
    /// The start of the text, until it has been searched for declarations.
    head: Option<Vec<u8>>,
    /// The changes of declarations.
    edits: Vec<LineEdit>,
    /// The number of lines before the current one.
    line_count: u64,
    has_header: bool,
    /// The last unchanged lines.
    context: VecDeque<DiffLine>,
    hunk: Vec<DiffLine>,
    /// The number of unchanged lines at the end of the hunk.
    unchanged_count: usize,
}

/// A line of a text.
#[derive(Debug, Default)]
struct Line {
    /// Its start.
    text: Vec<u8>,
    is_cut: bool,
    is_ascii: bool,
    ending: Option<LineEnding>,
}

/// Splits a text into lines.
#[derive(Debug, Default)]
struct LineSplitter {
    /// The start of the current line.
    text: Vec<u8>,
    is_cut: bool,
    has_non_ascii: bool,
    /// Whether the text so far ends with a CR, which may be the first half of a CRLF.
    ends_with_cr: bool,
    /// The complete lines.
    lines: VecDeque<Line>,
}

impl LineSplitter {
    fn feed(&mut self, mut text: &[u8]) {
        while let Some(first) = text.first() {
            if self.ends_with_cr {
                self.ends_with_cr = false;
                if *first == b'\n' {
                    text = &text[1..];
                    self.end_line(Some(LineEnding::CrLf));
                } else {
                    self.end_line(Some(LineEnding::Cr));
                }
                continue;
            }
            let Some(end) = memchr2(b'\r', b'\n', text) else {
                self.extend_line(text);
                return;
            };
            self.extend_line(&text[..end]);
            match text[end] {
                b'\n' => self.end_line(Some(LineEnding::Lf)),
                _ => self.ends_with_cr = true,
            }
            text = &text[end + 1..];
        }
    }

    /// Ends the text.
    fn finish(&mut self) {
        if self.ends_with_cr {
            self.end_line(Some(LineEnding::Cr));
        } else if !self.text.is_empty() {
            self.end_line(None);
        }
    }

    fn extend_line(&mut self, text: &[u8]) {
        let count = text.len().min(MAX_LINE_LEN - self.text.len());
        self.text.extend_from_slice(&text[..count]);
        self.is_cut |= count < text.len();
        self.has_non_ascii |= !text.is_ascii();
    }

    fn end_line(&mut self, ending: Option<LineEnding>) {
        let LineSplitter { is_cut, has_non_ascii, .. } = *self;
        let mut text = std::mem::take(&mut self.text);
        if let Err(error) = std::str::from_utf8(&text) {
            // The cut is inside a character.
            text.truncate(error.valid_up_to());
        }
        self.lines.push_back(Line { text, is_cut, is_ascii: !has_non_ascii, ending });
        (self.is_cut, self.has_non_ascii) = (false, false);
    }
}

/// A line in its old and its new form.
struct DiffLine {
    text: Vec<u8>,
    /// The new text if it differs.
    new_text: Option<Vec<u8>>,
    is_cut: bool,
    old: LineForm,
    new: LineForm,
    is_changed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineForm {
    has_bom: bool,
    ending: Option<LineEnding>,
}

impl<'a, W: Write> DiffWriter<'a, W> {
    pub fn new(output: W, change: &'a FileChange<'a>) -> DiffWriter<'a, W> {
        DiffWriter {
            output,
            change,
            encoders: Encoders::new(change.from, change.to),
            pipeline: TextPipeline::new(change.steps),
            lines: LineSplitter::default(),
            new_lines: LineSplitter::default(),
            waiting: VecDeque::new(),
            head: change.fix_declaration.then(Vec::new),
            edits: Vec::new(),
            line_count: 0,
            has_header: false,
            context: VecDeque::new(),
            hunk: Vec::new(),
            unchanged_count: 0,
        }
    }

    /// Ends the text, and writes what has not been written.
    pub fn finish(mut self) -> io::Result<()> {
        self.search_head()?;
        self.lines.finish();
        let rest = self.pipeline.feed(&[], true);
        self.new_lines.feed(rest.as_bytes());
        self.new_lines.finish();
        self.add_lines()?;
        while let Some(line) = self.waiting.pop_front() {
            // All text of a last line without an end was removed.
            self.add_line(line, Some(Vec::new()))?;
        }
        self.end_hunk()?;
        self.output.flush()
    }

    /// Searches the start of the text for declarations.
    fn search_head(&mut self) -> io::Result<()> {
        let Some(head) = self.head.take() else { return Ok(()) };
        self.edits = find_edits(&head, self.change.to.encoding);
        self.feed(&head)
    }

    fn feed(&mut self, text: &[u8]) -> io::Result<()> {
        self.lines.feed(text);
        if !self.pipeline.is_empty() {
            let new_text = self.pipeline.feed(text, false);
            self.new_lines.feed(new_text.as_bytes());
        }
        self.add_lines()
    }

    /// Adds the complete lines, with their new texts if there are steps.
    fn add_lines(&mut self) -> io::Result<()> {
        self.waiting.append(&mut self.lines.lines);
        while !self.waiting.is_empty() {
            let new_line = self.new_lines.lines.pop_front();
            if new_line.is_none() && !self.pipeline.is_empty() {
                break;
            }
            let Some(line) = self.waiting.pop_front() else { break };
            let new_ending = new_line.as_ref().and_then(|line| line.ending);
            let endings = (self.change.newline, line.ending, new_ending);
            if endings == (None, Some(LineEnding::Cr), Some(LineEnding::CrLf)) {
                // All text of the line that ended with the LF was removed.
                self.new_lines.lines.push_front(Line::default());
            }
            self.add_line(line, new_line.map(|line| line.text))?;
        }
        Ok(())
    }

    fn add_line(&mut self, line: Line, transformed: Option<Vec<u8>>) -> io::Result<()> {
        let Line { mut text, is_cut, is_ascii, ending } = line;
        let is_first = self.line_count == 0;
        let has_bom = is_first && text.starts_with(UTF8_BOM);
        let mut transformed = transformed;
        if has_bom {
            text.drain(..UTF8_BOM.len());
            // A step may have removed it.
            transformed =
                transformed.map(|text| text.strip_prefix(UTF8_BOM).unwrap_or(&text).to_vec());
        }
        let transformed = transformed.filter(|new_text| *new_text != text);
        let edit = self.edits.iter().find(|edit| edit.line == self.line_count);
        let new_text = match edit {
            Some(edit) => edit.apply(transformed.as_ref().unwrap_or(&text)).or(transformed),
            None => transformed,
        };
        let is_edited = edit.is_some() || new_text.is_some();
        let old = LineForm { has_bom, ending };
        let new = LineForm {
            has_bom: match self.change.bom {
                BomPolicy::Strip => false,
                BomPolicy::Add => is_first,
                BomPolicy::Keep | BomPolicy::Default => has_bom,
            },
            ending: ending.map(|old| self.change.newline.unwrap_or(old)),
        };
        let is_reencoded = match &mut self.encoders {
            // The rest of a long line is not compared.
            Some(encoders) if !is_cut || is_ascii => encoders.differ(&text, is_ascii),
            Some(_) => true,
            None => false,
        };
        let is_changed = old != new || is_reencoded || is_edited;
        self.line_count += 1;
        self.push(DiffLine { text, new_text, is_cut, old, new, is_changed })
    }

    fn push(&mut self, line: DiffLine) -> io::Result<()> {
        if self.hunk.is_empty() && !line.is_changed {
            self.context.push_back(line);
            if self.context.len() > CONTEXT {
                self.context.pop_front();
            }
            return Ok(());
        }
        self.unchanged_count = if line.is_changed { 0 } else { self.unchanged_count + 1 };
        self.hunk.extend(self.context.drain(..));
        self.hunk.push(line);
        if self.unchanged_count > 2 * CONTEXT || self.hunk.len() >= MAX_HUNK_LINES {
            return self.end_hunk();
        }
        Ok(())
    }

    /// Writes the hunk. The unchanged lines at its end may be the context of the next one.
    fn end_hunk(&mut self) -> io::Result<()> {
        if self.hunk.is_empty() {
            return Ok(());
        }
        let first = self.line_count - self.hunk.len() as u64 + 1;
        let shown = self.hunk.len() - self.unchanged_count.saturating_sub(CONTEXT);
        let rest = self.hunk.split_off(shown);
        let skipped = rest.len().saturating_sub(CONTEXT);
        self.context.extend(rest.into_iter().skip(skipped));
        let lines = std::mem::take(&mut self.hunk);
        let mut hunk = Vec::new();
        if !self.has_header {
            self.has_header = true;
            self.write_header(&mut hunk);
        }
        let range = format!("@@ -{first},{shown} +{first},{shown} @@");
        self.change.write_line(Some(Role::HunkHeader), range.as_bytes(), &mut hunk);
        for run in lines.chunk_by(|line, next| line.is_changed == next.is_changed) {
            match run[0].is_changed {
                false => self.write_lines(run, Side::Both, &mut hunk)?,
                true => {
                    self.write_lines(run, Side::Old, &mut hunk)?;
                    self.write_lines(run, Side::New, &mut hunk)?;
                }
            }
        }
        self.output.write_all(&hunk)
    }

    /// Writes the names, and the encodings if they differ.
    fn write_header(&self, output: &mut Vec<u8>) {
        let FileChange { name, from, to, .. } = self.change;
        for (sign, encoding) in [("---", from), ("+++", to)] {
            let line = match self.encoders {
                Some(_) => format!("{sign} {name}\t{encoding}"),
                None => format!("{sign} {name}"),
            };
            self.change.write_line(Some(Role::DiffHeader), line.as_bytes(), output);
        }
    }

    fn write_lines(&self, lines: &[DiffLine], side: Side, output: &mut Vec<u8>) -> io::Result<()> {
        let role = match side {
            Side::Old => Some(Role::RemovedLine),
            Side::New => Some(Role::AddedLine),
            Side::Both => None,
        };
        lines.iter().try_for_each(|line| {
            self.change.write_line(role, &line.shown(side)?, output);
            if line.old.ending.is_none() {
                output.extend_from_slice(b"\\ No newline at end of file\n");
            }
            Ok(())
        })
    }
}

impl FileChange<'_> {
    /// Writes a line of the diff.
    fn write_line(&self, role: Option<Role>, line: &[u8], output: &mut Vec<u8>) {
        let role = role.filter(|_| self.is_colored);
        let (start, end) = role.map(Role::escapes).unwrap_or_default();
        output.extend([start.as_bytes(), line, end.as_bytes(), b"\n"].concat());
    }
}

impl<W: Write> Write for DiffWriter<'_, W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match &mut self.head {
            Some(head) => {
                head.extend_from_slice(text);
                if head.len() >= declaration::MAX_LEN {
                    self.search_head()?;
                }
            }
            None => self.feed(text)?,
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The file of which a line of the diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
    Both,
}

impl DiffLine {
    /// Returns the line of one side. Its end is shown if that changes. Everything unprintable except tabs
    /// is escaped, and so are the commands of CI services.
    fn shown(&self, side: Side) -> io::Result<Vec<u8>> {
        let form = if side == Side::New { self.new } else { self.old };
        let mut output = match side {
            Side::Old => b"-".to_vec(),
            Side::New => b"+".to_vec(),
            Side::Both => b" ".to_vec(),
        };
        if form.has_bom {
            output.extend_from_slice(b"\\u{FEFF}");
        }
        let mut text = match &self.new_text {
            Some(new_text) if side == Side::New => &new_text[..],
            _ => &self.text[..],
        };
        // GitHub executes a command after spaces, too.
        let spaces = text.len() - text.trim_ascii_start().len();
        if side == Side::Both && text[spaces..].starts_with(b"::") {
            output.extend_from_slice(&text[..spaces]);
            output.extend_from_slice(b"\\x3A");
            text = &text[spaces + 1..];
        }
        for (index, part) in text.split(|byte| *byte == b'\t').enumerate() {
            if index > 0 {
                output.push(b'\t');
            }
            // Invalid UTF-8 does not occur.
            let part = String::from_utf8_lossy(part);
            let breaks_no_line =
                |character: char| matches!(character, '\u{A0}' | '\u{2007}' | '\u{202F}');
            // Changed to a space, a no-break space would look the same.
            for piece in part.split_inclusive(|it| self.new_text.is_some() && breaks_no_line(it)) {
                let (text, space) = match piece.chars().next_back().filter(|it| breaks_no_line(*it))
                {
                    Some(last) if self.new_text.is_some() => {
                        (&piece[..piece.len() - last.len_utf8()], Some(last))
                    }
                    _ => (piece, None),
                };
                let shown = Quoted::new(text).with_max_len(MAX_ESCAPE_LEN * MAX_LINE_LEN);
                write!(output, "{shown}")?;
                if let Some(space) = space {
                    write!(output, "{}", space.escape_unicode())?;
                }
            }
        }
        if self.is_cut {
            write!(output, "…")?;
        }
        if self.old.ending != self.new.ending {
            write!(output, "{}", form.ending.map_or("", symbol))?;
        }
        Ok(output)
    }
}

/// Returns the symbol for a line ending.
fn symbol(ending: LineEnding) -> &'static str {
    match ending {
        LineEnding::Lf => "␊",
        LineEnding::CrLf => "␍␊",
        LineEnding::Cr => "␍",
    }
}

/// The change of a declaration.
struct LineEdit {
    /// The number of lines before it.
    line: u64,
    /// Its index in the line.
    start: usize,
    /// The length of the old text.
    old_len: usize,
    new: Vec<u8>,
}

impl LineEdit {
    /// Returns the change from one text of a line to another one.
    fn between(line: u64, old: &[u8], new: &[u8]) -> LineEdit {
        let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| {
            pairs.take_while(|(old, new)| old == new).count()
        };
        let start = same(&mut old.iter().zip(new));
        let (old, new) = (&old[start..], &new[start..]);
        let end = same(&mut old.iter().rev().zip(new.iter().rev()));
        let old_len = old.len() - end;
        LineEdit { line, start, old_len, new: new[..new.len() - end].to_vec() }
    }

    /// Returns the new text of a line, `None` if the line was cut before the change.
    fn apply(&self, text: &[u8]) -> Option<Vec<u8>> {
        let rest = text.get(self.start + self.old_len..)?;
        Some([&text[..self.start], &self.new, rest].concat())
    }
}

/// Returns the changes of the declarations at the start of a text for this encoding.
fn find_edits(head: &[u8], to: &'static Encoding) -> Vec<LineEdit> {
    // The conversion looks for them after the byte order mark.
    let head = head.strip_prefix(UTF8_BOM).unwrap_or(head);
    let head = match std::str::from_utf8(head) {
        Ok(head) => head,
        // The end is inside a character.
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut new = vec![0; head.len() + declaration::MAX_LEN];
    let progress = DeclarationFixer::new(to).transform_text(head, &mut new, true);
    let (old_lines, new_lines) = (lines(head.as_bytes()), lines(&new[..progress.written]));
    if progress.read < head.len() || old_lines.len() != new_lines.len() {
        return Vec::new();
    }
    let changed =
        (0..).zip(old_lines.into_iter().zip(new_lines)).filter(|(_, (old, new))| old != new);
    changed.map(|(line, (old, new))| LineEdit::between(line, old, new)).collect()
}

/// Returns the lines of a text without their endings.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut start = 0;
    let mut lines: Vec<_> = line_endings(text)
        .map(|(end, ending)| &text[std::mem::replace(&mut start, end + ending.byte_len())..end])
        .collect();
    lines.push(&text[start..]);
    lines
}

/// The encoders of two different encodings.
struct Encoders {
    encoders: [Box<dyn EncodeStage>; 2],
    /// Whether both encode ASCII as the same bytes.
    are_ascii_compatible: bool,
}

impl Encoders {
    /// Returns none if the encodings are the same.
    fn new(from: &EncodingSpec, to: &EncodingSpec) -> Option<Encoders> {
        (from.to_string() != to.to_string()).then(|| Encoders {
            encoders: [from, to].map(|spec| spec.encoding.encoder(&spec.options)),
            are_ascii_compatible: from.is_ascii_compatible() && to.is_ascii_compatible(),
        })
    }

    /// Returns whether the encodings encode a line differently.
    fn differ(&mut self, text: &[u8], is_ascii: bool) -> bool {
        if is_ascii && self.are_ascii_compatible {
            return false;
        }
        let Ok(text) = std::str::from_utf8(text) else { return true };
        // The end of the line may be all that differs.
        let line = format!("{text}\n");
        let [old, new] = &mut self.encoders;
        encode(&mut **old, &line) != encode(&mut **new, &line)
    }
}

/// Returns a line in an encoding, `None` if it cannot be encoded.
fn encode(encoder: &mut dyn EncodeStage, mut text: &str) -> Option<Vec<u8>> {
    encoder.restore_state(State::INITIAL);
    let mut bytes = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let progress = encoder.encode(text, &mut buffer, true);
        bytes.extend_from_slice(&buffer[..progress.written]);
        text = &text[progress.read..];
        match progress.status {
            Status::InputEmpty => return Some(bytes),
            Status::OutputFull => {}
            Status::Error(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the diff of a text that is written in parts of this size.
    fn diff_in_parts(change: &FileChange<'_>, text: &str, size: usize) -> String {
        let mut output = Vec::new();
        let mut writer = DiffWriter::new(&mut output, change);
        text.as_bytes().chunks(size).for_each(|part| writer.write_all(part).unwrap());
        writer.finish().unwrap();
        String::from_utf8(output).unwrap()
    }

    fn diff(
        from: &str,
        to: &str,
        bom: BomPolicy,
        newline: Option<LineEnding>,
        text: &str,
    ) -> String {
        let (from, to) = (&from.parse().unwrap(), &to.parse().unwrap());
        let change = FileChange { bom, newline, ..no_change(from, to) };
        diff_of(change, text)
    }

    fn no_change<'a>(from: &'a EncodingSpec, to: &'a EncodingSpec) -> FileChange<'a> {
        FileChange {
            name: "a",
            from,
            to,
            bom: BomPolicy::Keep,
            newline: None,
            fix_declaration: false,
            steps: &[],
            is_colored: false,
        }
    }

    fn diff_of(change: FileChange<'_>, text: &str) -> String {
        let whole = diff_in_parts(&change, text, usize::MAX);
        for size in 1..4 {
            assert_eq!(diff_in_parts(&change, text, size), whole);
        }
        whole
    }

    fn to_lf(text: &str) -> String {
        diff("utf-8", "utf-8", BomPolicy::Strip, Some(LineEnding::Lf), text)
    }

    #[test]
    fn later_lines_decide_how_a_line_is_repaired() {
        let utf8: &EncodingSpec = &"utf-8".parse().unwrap();
        let steps = &["mojibake".parse().unwrap()];
        let change = FileChange { steps, ..no_change(utf8, utf8) };
        let text = "HĂźgel\r\nabc\nursprĂźnglich zurĂźckkehren\rBĂś";
        assert_eq!(
            diff_of(change, text),
            "--- a\n+++ a\n@@ -1,4 +1,4 @@\n-HĂźgel\n+Hügel\n abc\n-ursprĂźnglich zurĂźckkehren\n-BĂś\n\
             \\ No newline at end of file\n+ursprünglich zurückkehren\n+Bö\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn lines_without_text_are_shown_although_their_ends_are_joined() {
        let utf8 = &"utf-8".parse().unwrap();
        let steps = &["remove-bidi-controls".parse().unwrap()];
        let change = FileChange { steps, ..no_change(utf8, utf8) };
        let expected = "--- a\n+++ a\n@@ -1,5 +1,5 @@\n a\n-\\u{202E}\n-\\u{202E}\n+\n+\n b\n c\n";
        assert_eq!(diff_of(change, "a\r\u{202E}\r\u{202E}\nb\nc\n"), expected);
        let change = FileChange { steps, ..no_change(utf8, utf8) };
        let end = "\\ No newline at end of file\n";
        let expected = format!("--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-\\u{{202E}}\n{end}+\n{end}");
        assert_eq!(diff_of(change, "a\n\u{202E}"), expected);
    }

    #[test]
    fn changed_lines_have_three_lines_of_context() {
        let text = "1\n2\n3\n4\n5\r\n6\n7\n8\n9\n10\n11\n12\n13\r14\n";
        assert_eq!(
            to_lf(text),
            "--- a\n+++ a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5␍␊\n+5␊\n 6\n 7\n 8\n\
             @@ -10,5 +10,5 @@\n 10\n 11\n 12\n-13␍\n+13␊\n 14\n"
        );
        // The contexts of these touch.
        let text = "1\r\n2\n3\n4\n5\n6\n7\n8\r\n";
        assert_eq!(to_lf(text).matches("@@ -").count(), 1);
        let text = "1\r\n2\n3\n4\n5\n6\n7\n8\n9\r\n";
        assert_eq!(to_lf(text).matches("@@ -").count(), 2);
    }

    #[test]
    fn no_break_space_is_visible_only_if_it_may_change() {
        assert_eq!(
            to_lf("a\u{A0}b\u{A0}\r\n"),
            "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-a\u{A0}b\u{A0}␍␊\n+a\u{A0}b\u{A0}␊\n"
        );
    }

    #[test]
    fn lines_that_do_not_change_give_no_diff() {
        for text in ["", "a", "a\nb\n", "\n\n", "é\u{FEFF}\n"] {
            assert_eq!(to_lf(text), "");
        }
    }

    #[test]
    fn last_line_may_have_no_end() {
        let expected =
            "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-a␍␊\n+a␊\n b\n\\ No newline at end of file\n";
        assert_eq!(to_lf("a\r\nb"), expected);
        let expected = "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-\\u{FEFF}a\n\\ No newline at end of file\n\
                        +a\n\\ No newline at end of file\n";
        assert_eq!(to_lf("\u{FEFF}a"), expected);
    }

    #[test]
    fn only_lines_that_are_too_long_are_cut() {
        let text = format!("{}\nb\r\n", "x".repeat(MAX_LINE_LEN + 1));
        let cut = "x".repeat(MAX_LINE_LEN);
        let expected = format!("--- a\n+++ a\n@@ -1,2 +1,2 @@\n {cut}…\n-b␍␊\n+b␊\n");
        assert_eq!(to_lf(&text), expected);
    }

    #[test]
    fn byte_order_mark_is_visible() {
        let change = |bom, text| diff("utf-8", "utf-8", bom, None, text);
        assert_eq!(
            change(BomPolicy::Add, "a\r\nb\n"),
            "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-a\n+\\u{FEFF}a\n b\n"
        );
        assert_eq!(change(BomPolicy::Add, "\u{FEFF}a\n"), "");
        assert_eq!(change(BomPolicy::Keep, "\u{FEFF}a\r\n"), "");
    }

    #[test]
    fn only_lines_with_other_bytes_change_with_the_encoding() {
        let change = |from, to, text| diff(from, to, BomPolicy::Strip, None, text);
        assert_eq!(
            change("latin1", "utf-8", "caf\u{E9}\nplain\n"),
            "--- a\tISO-8859-1\n+++ a\tUTF-8\n@@ -1,2 +1,2 @@\n-caf\u{E9}\n+caf\u{E9}\n plain\n"
        );
        assert_eq!(change("windows-1252", "latin1", "caf\u{E9}\nplain\n"), "");
        let all = change("utf-16le", "utf-8", "a\n\n");
        assert!(all.ends_with("@@ -1,2 +1,2 @@\n-a\n-\n+a\n+\n"), "{all}");
    }

    #[test]
    fn declarations_change() {
        let (from, to) = (&"latin1".parse().unwrap(), &"utf-8".parse().unwrap());
        let change = |from, text: &str| {
            let change = FileChange { fix_declaration: true, ..no_change(from, to) };
            diff_of(change, text)
        };
        assert_eq!(
            change(to, "\u{FEFF}#!x\r\n# coding: latin-1\r\n"),
            "--- a\n+++ a\n@@ -1,2 +1,2 @@\n \\u{FEFF}#!x\n-# coding: latin-1\n+# coding: utf-8\n"
        );
        assert_eq!(
            change(to, "\u{FEFF}<?xml version='1.0' encoding='latin1'?>\n"),
            "--- a\n+++ a\n@@ -1,1 +1,1 @@\n-\\u{FEFF}<?xml version='1.0' encoding='latin1'?>\n\
             +\\u{FEFF}<?xml version='1.0' encoding='utf-8'?>\n"
        );
        let html =
            format!("<p><meta charset=latin1>{}\n\n\n\n{}", "x".repeat(2000), "é\n".repeat(900));
        let shown = change(to, &html);
        assert!(shown.contains("\n-<p><meta charset=latin1>xxx"), "{shown}");
        assert!(shown.contains("\n+<p><meta charset=utf-8>xxx"), "{shown}");
        let xhtml = "<?xml version='1.0' encoding='latin1'?><meta charset=koi8-r>\n";
        assert_eq!(
            change(to, xhtml),
            "--- a\n+++ a\n@@ -1,1 +1,1 @@\n\
             -<?xml version='1.0' encoding='latin1'?><meta charset=koi8-r>\n\
             +<?xml version='1.0' encoding='utf-8'?><meta charset=utf-8>\n"
        );
        let late = format!("<p>{}<meta charset=latin1>\n", " ".repeat(600));
        assert_eq!(change(to, &late).matches("\n-<p>").count(), 1);
        assert_eq!(change(to, "# coding: utf8\n# é\n"), "");
        assert_eq!(
            change(from, "# coding: l1\nplain\n# é\n"),
            "--- a\tISO-8859-1\n+++ a\tUTF-8\n@@ -1,3 +1,3 @@\n-# coding: l1\n+# coding: utf-8\n plain\n\
             -# é\n+# é\n"
        );
    }

    #[test]
    fn text_is_escaped() {
        let text = "\x1B[31m\tx\u{202E}\r\n  ::error::x\n##[x]\n";
        assert_eq!(
            to_lf(text),
            "--- a\n+++ a\n@@ -1,3 +1,3 @@\n-\\x1B[31m\tx\\u{202E}␍␊\n+\\x1B[31m\tx\\u{202E}␊\n\
             \x20  \\x3A:error::x\n #\\x23[x]\n"
        );
    }

    #[test]
    fn long_lines_and_hunks_are_divided() {
        let long = format!("{}é\r\n", "é".repeat(1000));
        let cut = format!("{}…", "é".repeat(MAX_LINE_LEN / 2));
        assert_eq!(to_lf(&long), format!("--- a\n+++ a\n@@ -1,1 +1,1 @@\n-{cut}␍␊\n+{cut}␊\n"));
        let many = "x\r\n".repeat(1200);
        let shown = to_lf(&many);
        let hunks: Vec<_> = shown.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(
            hunks,
            ["@@ -1,500 +1,500 @@", "@@ -501,500 +501,500 @@", "@@ -1001,200 +1001,200 @@"]
        );
        assert_eq!(shown.matches("-x␍␊").count(), 1200);
    }
}
