//! JSON: one document for all files (`json`), or one object per line (`jsonl`).

use std::io::{self, Write};

use charpipe_check::Finding;

use super::formatter::{Formatter, without_comma};
use crate::cli::check::line_buffer::{FindingLines, ReportBuffer};
use crate::cli::check::message::MessageOfFinding;
use crate::cli::check::stats::{CheckStats, CheckTotals};
use crate::cli::file_label::FileLabel;
use crate::cli::json::{JsonObject, to_json};
use charpipe_encoding::conversion_error::Position;
use charpipe_transform::character_name::CharacterName;

/// The current file.
#[derive(Default)]
struct JsonFile {
    /// The members that name the file.
    name: String,
    encoding: &'static str,
    lines: FindingLines,
}

impl JsonFile {
    fn new(file: &FileLabel<'_>) -> JsonFile {
        let name = file.json_name().members().to_owned();
        JsonFile { name, encoding: file.encoding, lines: FindingLines::default() }
    }

    /// Returns the line of a finding: `begin` appends its start, to which the members of the finding are
    /// appended except those that name its file, and `end`.
    fn finding(
        &mut self,
        finding: &Finding,
        begin: impl FnOnce(&mut ReportBuffer, &str),
        end: &str,
    ) -> &[u8] {
        let JsonFile { name, encoding, lines } = self;
        let Position { offset, line, column } = finding.position;
        lines.format(
            finding,
            &[line, column, offset],
            || finding_object(finding, encoding).members().to_owned(),
            |line, members| {
                begin(line, name);
                line.text("\"rule\":\"").text(finding.rule().name()).text("\"");
                line.text(",\"line\":").number().text(",\"column\":").number();
                line.text(",\"offset\":").number().text(",").text(members).text(end);
            },
        )
    }
}

/// Returns the members that consecutive findings of the same kind have in common: the malformed bytes in hexadecimal
/// or the character, whichever the finding is about.
fn finding_object(finding: &Finding, encoding: &str) -> JsonObject {
    let bytes: String =
        finding.malformed_bytes().iter().map(|byte| format!("{byte:02X}")).collect();
    let code_point = finding.code_point();
    JsonObject::default()
        .with("length", finding.len)
        .with_some("bytes", Some(bytes).filter(|bytes| !bytes.is_empty()))
        .with_some("code_point", code_point.map(|it| format!("U+{it:04X}")))
        .with_some("name", code_point.map(|it| CharacterName(it).to_string()))
        .with("message", MessageOfFinding { finding, encoding }.to_string())
}

/// One object per line. Each names its file, so that it can be read alone.
#[derive(Default)]
pub struct JsonLinesFormatter {
    file: JsonFile,
}

impl Formatter for JsonLinesFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.file = JsonFile::new(file);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let begin = |line: &mut ReportBuffer, name: &str| {
            line.text("{\"type\":\"finding\",").text(name).text(",");
        };
        out.write_all(self.file.finding(finding, begin, "}\n"))
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
        writeln!(out, "{{\"type\":\"stats\",{}}}", stats.json().members())
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
}

impl Formatter for JsonFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let head = JsonObject::default().with("tool", "charpipe").with("version", version);
        write!(out, "{{{},\"files\":[", head.members())
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.file = JsonFile::new(file);
        (self.has_findings, self.omitted, self.read_error) = (false, 0, None);
        let comma = if std::mem::replace(&mut self.has_files, true) { ",\n" } else { "\n" };
        let (name, encoding) = (&self.file.name, to_json(self.file.encoding));
        write!(out, "{comma}{{{name},\"encoding\":{encoding},\"findings\":[")
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_findings, true);
        let begin = |line: &mut ReportBuffer, _: &str| {
            line.text(",\n{");
        };
        out.write_all(without_comma(self.file.finding(finding, begin, "}"), is_first))
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
        self.stats = Some(to_json(&stats.json()));
        Ok(())
    }

    fn end(&mut self, totals: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "],\n\"summary\":{}", to_json(&totals.json()))?;
        if let Some(stats) = &self.stats {
            write!(out, ",\n\"stats\":{stats}")?;
        }
        writeln!(out, "}}")
    }
}
