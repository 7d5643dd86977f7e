//! JSON: one document for all files, or one line for each finding.

use std::fmt;
use std::io::{self, Write};

use charpipe::check::Finding;

use super::format::{Format, Sum};
use super::line::{Line, Words};
use super::subject::Subject;
use super::uri;
use crate::cli::job::Input;
use crate::cli::json::Text;

/// The file of which something is told.
#[derive(Default)]
struct File {
    /// Those that name it.
    members: String,
    charset: &'static str,
    words: Words,
}

impl File {
    fn of(subject: &Subject<'_>) -> File {
        let words = Words::default();
        File { members: members(subject.input), charset: subject.charset, words }
    }

    /// The members of a finding but for its file.
    fn put<'a>(&mut self, finding: &Finding, line: &'a mut Line) -> &'a mut Line {
        let (place, charset) = (finding.place, self.charset);
        let line = line.text("\"rule\":\"").text(finding.rule().name()).text("\"");
        let line = line.text(",\"line\":").number(place.line).text(",\"column\":");
        let line = line.number(place.column).text(",\"offset\":").number(place.offset);
        line.text(self.words.of(finding, || wrong(finding, charset)))
    }
}

/// `"file":"NAME"`, and `"uri":"…"` where the name is no UTF-8.
pub fn members(input: &Input) -> String {
    let subject = Subject { input, charset: "" };
    let mut members = format!("\"file\":{}", Text(subject.text()));
    if std::str::from_utf8(subject.path()).is_err() {
        members.push_str(&format!(",\"uri\":{}", Text(&uri::reference(subject.path()))));
    }
    members
}

/// The members of a finding that say what is wrong. `bytes` is there only where bytes are at fault.
fn wrong(finding: &Finding, charset: &str) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        write!(f, ",\"length\":{}", finding.len)?;
        if !finding.bytes().is_empty() {
            f.write_str(",\"bytes\":\"")?;
            for byte in finding.bytes() {
                write!(f, "{byte:02X}")?;
            }
            f.write_str("\"")?;
        }
        write!(f, ",\"message\":{}", Text(finding.describe(charset)))
    })
}

/// One object a line, each with all that it needs to be understood.
#[derive(Default)]
pub struct Lines {
    file: File,
    line: Line,
}

impl Format for Lines {
    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.file = File::of(file);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let line = self.line.text("{\"type\":\"finding\",").text(&self.file.members).text(",");
        self.file.put(finding, line).text("}\n").write(out)
    }

    fn omitted(&mut self, count: u64, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{{\"type\":\"omitted\",{},\"findings\":{count}}}", self.file.members)
    }

    fn unread(&mut self, reason: &str, out: &mut dyn Write) -> io::Result<()> {
        let reason = Text(reason);
        writeln!(out, "{{\"type\":\"error\",{},\"message\":{reason}}}", self.file.members)
    }
}

/// One object with a list of the files of which there is something to tell.
#[derive(Default)]
pub struct Document {
    file: File,
    files: u64,
    findings: u64,
    /// Findings of this file that are not shown.
    omitted: u64,
    reason: Option<String>,
    line: Line,
}

impl Format for Document {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        write!(out, "{{\"tool\":\"charpipe\",\"version\":\"{version}\",\"files\":[")
    }

    fn open(&mut self, file: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.file = File::of(file);
        let comma = if self.files > 0 { "," } else { "" };
        (self.files, self.findings, self.omitted, self.reason) = (self.files + 1, 0, 0, None);
        let charset = Text(self.file.charset);
        write!(out, "{comma}\n{{{},\"encoding\":{charset},\"findings\":[", self.file.members)
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let line = self.line.text(if self.findings > 0 { ",\n{" } else { "\n{" });
        self.findings += 1;
        self.file.put(finding, line).text("}").write(out)
    }

    fn unread(&mut self, reason: &str, _: &mut dyn Write) -> io::Result<()> {
        self.reason = Some(reason.to_owned());
        Ok(())
    }

    fn omitted(&mut self, count: u64, _: &mut dyn Write) -> io::Result<()> {
        self.omitted = count;
        Ok(())
    }

    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "]")?;
        if self.omitted > 0 {
            write!(out, ",\"omitted\":{}", self.omitted)?;
        }
        if let Some(reason) = &self.reason {
            write!(out, ",\"error\":{}", Text(reason))?;
        }
        write!(out, "}}")
    }

    fn end(&mut self, sum: &Sum, out: &mut dyn Write) -> io::Result<()> {
        let Sum { clean, faulty, unread, findings } = sum;
        write!(out, "],\n\"summary\":{{\"clean\":{clean},\"faulty\":{faulty},")?;
        writeln!(out, "\"unreadable\":{unread},\"findings\":{findings}}}}}")
    }
}
