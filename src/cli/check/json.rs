//! JSON: one document for all files, or one line for each finding.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::format::{Format, Sum};
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
}

impl File {
    fn of(subject: &Subject<'_>) -> File {
        File { members: members(subject.input), charset: subject.charset }
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

/// The members of a finding but for its file. `bytes` is there only where bytes are at fault.
fn write_finding(finding: &Finding, charset: &str, out: &mut dyn Write) -> io::Result<()> {
    let place = finding.place;
    let (line, column, offset) = (place.line, place.column, place.offset);
    let (rule, length) = (finding.rule().name(), finding.len);
    write!(out, "\"rule\":\"{rule}\",\"line\":{line},\"column\":{column}")?;
    write!(out, ",\"offset\":{offset},\"length\":{length}")?;
    if !finding.bytes().is_empty() {
        write!(out, ",\"bytes\":\"")?;
        for byte in finding.bytes() {
            write!(out, "{byte:02X}")?;
        }
        write!(out, "\"")?;
    }
    write!(out, ",\"message\":{}", Text(finding.describe(charset)))
}

/// One object a line, each with all that it needs to be understood.
#[derive(Default)]
pub struct Lines {
    file: File,
}

impl Format for Lines {
    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.file = File::of(file);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\"type\":\"finding\",{},", self.file.members)?;
        write_finding(finding, self.file.charset, out)?;
        writeln!(out, "}}")
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
    reason: Option<String>,
}

impl Format for Document {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        write!(out, "{{\"tool\":\"charpipe\",\"version\":\"{version}\",\"files\":[")
    }

    fn open(&mut self, file: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.file = File::of(file);
        let comma = if self.files > 0 { "," } else { "" };
        (self.files, self.findings, self.reason) = (self.files + 1, 0, None);
        let charset = Text(self.file.charset);
        write!(out, "{comma}\n{{{},\"encoding\":{charset},\"findings\":[", self.file.members)
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}\n{{", if self.findings > 0 { "," } else { "" })?;
        self.findings += 1;
        write_finding(finding, self.file.charset, out)?;
        write!(out, "}}")
    }

    fn unread(&mut self, reason: &str, _: &mut dyn Write) -> io::Result<()> {
        self.reason = Some(reason.to_owned());
        Ok(())
    }

    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match &self.reason {
            Some(reason) => write!(out, "],\"error\":{}}}", Text(reason)),
            None => write!(out, "]}}"),
        }
    }

    fn end(&mut self, sum: &Sum, out: &mut dyn Write) -> io::Result<()> {
        let Sum { clean, faulty, unread, findings } = sum;
        write!(out, "],\n\"summary\":{{\"clean\":{clean},\"faulty\":{faulty},")?;
        writeln!(out, "\"unreadable\":{unread},\"findings\":{findings}}}}}")
    }
}
