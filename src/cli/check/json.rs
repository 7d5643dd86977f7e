//! JSON: one document for all files, or one line for each finding.

use std::fmt;
use std::io::{self, Write};

use charpipe::check::Finding;

use super::file_label::FileLabel;
use super::format::{CheckTotals, Formatter};
use super::line_buffer::{LineBuffer, MessageCache};
use super::uri;
use crate::cli::config::Input;
use crate::cli::json::JsonString;

/// The file of which something is told.
#[derive(Default)]
struct JsonFile {
    /// Those that name it.
    members: String,
    encoding: &'static str,
    messages: MessageCache,
}

impl JsonFile {
    fn new(file: &FileLabel<'_>) -> JsonFile {
        let messages = MessageCache::default();
        JsonFile { members: file_members(file.input), encoding: file.encoding, messages: messages }
    }

    /// The members of a finding but for its file.
    fn write_finding<'a>(
        &mut self,
        finding: &Finding,
        line: &'a mut LineBuffer,
    ) -> &'a mut LineBuffer {
        let (position, encoding) = (finding.position, self.encoding);
        let line = line.text("\"rule\":\"").text(finding.rule().name()).text("\"");
        let line = line.text(",\"line\":").number(position.line).text(",\"column\":");
        let line = line.number(position.column).text(",\"offset\":").number(position.offset);
        line.text(self.messages.of(finding, || finding_members(finding, encoding)))
    }
}

/// `"file":"NAME"`, and `"uri":"…"` where the name is no UTF-8.
pub fn file_members(input: &Input) -> String {
    let label = FileLabel { input, encoding: "" };
    let mut members = format!("\"file\":{}", JsonString(label.lossy()));
    if std::str::from_utf8(label.bytes()).is_err() {
        members.push_str(&format!(",\"uri\":{}", JsonString(&uri::reference(label.bytes()))));
    }
    members
}

/// The members of a finding that say what is wrong. `bytes` is there only where bytes are at error.
fn finding_members(finding: &Finding, encoding: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        write!(f, ",\"length\":{}", finding.len)?;
        if !finding.malformed_bytes().is_empty() {
            f.write_str(",\"bytes\":\"")?;
            for byte in finding.malformed_bytes() {
                write!(f, "{byte:02X}")?;
            }
            f.write_str("\"")?;
        }
        write!(f, ",\"message\":{}", JsonString(finding.display(encoding)))
    })
}

/// One object a line, each with all that it needs to be understood.
#[derive(Default)]
pub struct JsonLinesFormatter {
    file: JsonFile,
    buffer: LineBuffer,
}

impl Formatter for JsonLinesFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.file = JsonFile::new(file);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let line = self.buffer.text("{\"type\":\"finding\",").text(&self.file.members).text(",");
        self.file.write_finding(finding, line).text("}\n").write_to(out)
    }

    fn omitted(&mut self, count: u64, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{{\"type\":\"omitted\",{},\"findings\":{count}}}", self.file.members)
    }

    fn unreadable(&mut self, reason: &str, out: &mut dyn Write) -> io::Result<()> {
        let reason = JsonString(reason);
        writeln!(out, "{{\"type\":\"error\",{},\"message\":{reason}}}", self.file.members)
    }
}

/// One object with a list of the files of which there is something to tell.
#[derive(Default)]
pub struct JsonFormatter {
    file: JsonFile,
    files: u64,
    findings: u64,
    /// Findings of this file that are not shown.
    omitted: u64,
    read_error: Option<String>,
    buffer: LineBuffer,
}

impl Formatter for JsonFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        write!(out, "{{\"tool\":\"charpipe\",\"version\":\"{version}\",\"files\":[")
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.file = JsonFile::new(file);
        let comma = if self.files > 0 { "," } else { "" };
        (self.files, self.findings, self.omitted, self.read_error) = (self.files + 1, 0, 0, None);
        let encoding = JsonString(self.file.encoding);
        write!(out, "{comma}\n{{{},\"encoding\":{encoding},\"findings\":[", self.file.members)
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let line = self.buffer.text(if self.findings > 0 { ",\n{" } else { "\n{" });
        self.findings += 1;
        self.file.write_finding(finding, line).text("}").write_to(out)
    }

    fn unreadable(&mut self, reason: &str, _: &mut dyn Write) -> io::Result<()> {
        self.read_error = Some(reason.to_owned());
        Ok(())
    }

    fn omitted(&mut self, count: u64, _: &mut dyn Write) -> io::Result<()> {
        self.omitted = count;
        Ok(())
    }

    fn end_file(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "]")?;
        if self.omitted > 0 {
            write!(out, ",\"omitted\":{}", self.omitted)?;
        }
        if let Some(reason) = &self.read_error {
            write!(out, ",\"error\":{}", JsonString(reason))?;
        }
        write!(out, "}}")
    }

    fn end(&mut self, sum: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        let CheckTotals {
            clean_files: clean,
            with_findings: invalid,
            unreadable: unread,
            findings,
        } = sum;
        write!(out, "],\n\"summary\":{{\"clean\":{clean},\"faulty\":{invalid},")?;
        writeln!(out, "\"unreadable\":{unread},\"findings\":{findings}}}}}")
    }
}
