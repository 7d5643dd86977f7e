//! JSON: one document for all files (`json`), or one object per line (`jsonl`).

use std::io::{self, Write};

use crate::check::Finding;
use serde::Serialize;
use serde_json::json;

use super::super::file_label::FileLabel;
use super::super::line_buffer::{LineBuffer, MessageCache};
use super::super::message::FindingMessage;
use super::super::stats::CheckStats;
use super::{CheckTotals, Formatter};
use crate::cli::character_name::CharacterName;
use crate::cli::json::{to_json, to_json_members};

/// The current file.
#[derive(Default)]
struct JsonFile {
    /// The members that name the file.
    name: String,
    encoding: &'static str,
    messages: MessageCache,
}

impl JsonFile {
    fn new(file: &FileLabel<'_>) -> JsonFile {
        let name = to_json_members(&file.json_name());
        JsonFile { name, encoding: file.encoding, messages: MessageCache::default() }
    }

    /// Appends the members of a finding except those that name its file.
    fn write_finding<'a>(
        &mut self,
        finding: &Finding,
        line: &'a mut LineBuffer,
    ) -> &'a mut LineBuffer {
        let (position, encoding) = (finding.position, self.encoding);
        let code_point = finding.code_point();
        let line = line.text("\"rule\":\"").text(finding.rule().name()).text("\"");
        let line = line.text(",\"line\":").number(position.line).text(",\"column\":");
        let line = line.number(position.column).text(",\"offset\":").number(position.offset);
        line.text(",").text(self.messages.get(finding, || {
            to_json_members(&FindingMembers {
                length: finding.len,
                bytes: finding.malformed_bytes().iter().map(|byte| format!("{byte:02X}")).collect(),
                code_point: code_point.map(|code_point| format!("U+{code_point:04X}")),
                name: code_point.map(|code_point| CharacterName(code_point).to_string()),
                message: FindingMessage { finding, encoding }.to_string(),
            })
        }))
    }
}

/// The members that consecutive findings of the same kind have in common.
#[derive(Serialize)]
struct FindingMembers {
    length: u64,
    /// The malformed bytes in hexadecimal, if the finding is about bytes.
    #[serde(skip_serializing_if = "String::is_empty")]
    bytes: String,
    /// The character, if the finding is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_point: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    message: String,
}

/// One object per line. Each names its file, so that it can be read alone.
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
        let line = self.buffer.text("{\"type\":\"finding\",").text(&self.file.name).text(",");
        self.file.write_finding(finding, line).text("}\n").write_to(out)
    }

    fn omitted(&mut self, count: u64, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{{\"type\":\"omitted\",{},\"findings\":{count}}}", self.file.name)
    }

    fn unreadable(&mut self, reason: &str, out: &mut dyn Write) -> io::Result<()> {
        let (name, message) = (&self.file.name, to_json(reason));
        writeln!(out, "{{\"type\":\"error\",{name},\"message\":{message}}}")
    }

    fn stats(
        &mut self,
        stats: &CheckStats,
        _: &CheckTotals,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "{{\"type\":\"stats\",{}}}", to_json_members(stats))
    }
}

/// One object with an array of the files that have findings or could not be read.
#[derive(Default)]
pub struct JsonFormatter {
    file: JsonFile,
    has_files: bool,
    /// Whether the current file has a finding that is shown.
    has_findings: bool,
    /// Findings in the current file that are not shown.
    omitted: u64,
    read_error: Option<String>,
    /// The statistics as JSON.
    stats: Option<String>,
    buffer: LineBuffer,
}

impl Formatter for JsonFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let head = json!({ "tool": "charpipe", "version": env!("CARGO_PKG_VERSION") });
        write!(out, "{{{},\"files\":[", to_json_members(&head))
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.file = JsonFile::new(file);
        (self.has_findings, self.omitted, self.read_error) = (false, 0, None);
        let comma = if std::mem::replace(&mut self.has_files, true) { ",\n" } else { "\n" };
        let (name, encoding) = (&self.file.name, to_json(self.file.encoding));
        write!(out, "{comma}{{{name},\"encoding\":{encoding},\"findings\":[")
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let comma = if std::mem::replace(&mut self.has_findings, true) { ",\n" } else { "\n" };
        let line = self.buffer.text(comma).text("{");
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
            write!(out, ",\"error\":{}", to_json(reason))?;
        }
        write!(out, "}}")
    }

    fn stats(&mut self, stats: &CheckStats, _: &CheckTotals, _: &mut dyn Write) -> io::Result<()> {
        self.stats = Some(to_json(stats));
        Ok(())
    }

    fn end(&mut self, totals: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "],\n\"summary\":{}", to_json(totals))?;
        if let Some(stats) = &self.stats {
            write!(out, ",\n\"stats\":{stats}")?;
        }
        writeln!(out, "}}")
    }
}
