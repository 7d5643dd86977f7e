//! The report of GitLab's code quality: a list of violations in JSON.
//!
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>: each has a
//! description, the name of its check, a fingerprint, a path, a line and one of five severities.

use std::io::{self, Write};

use charpipe::check::{Finding, Rule};

use super::file_label::FileLabel;
use super::fingerprint::Fingerprints;
use super::format::{CheckTotals, Formatter};
use super::line_buffer::{LineBuffer, MessageCache};
use crate::cli::json::{JsonEscaped, JsonString};

/// One object for each finding. A file that could not be read has no position in it.
#[derive(Default)]
pub struct GitLabFormatter {
    path: String,
    encoding: &'static str,
    fingerprints: Fingerprints,
    has_findings: bool,
    messages: MessageCache,
    buffer: LineBuffer,
}

impl Formatter for GitLabFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.path, self.encoding) = (JsonString(&file.lossy()).to_string(), file.encoding);
        self.fingerprints.begin(file.bytes());
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let rule = finding.rule();
        let position = finding.position;
        let message = self.messages.of(finding, || JsonEscaped(finding.display(self.encoding)));
        let comma = if std::mem::replace(&mut self.has_findings, true) { "," } else { "" };
        let line =
            self.buffer.text(comma).text("\n{\"description\":\"byte ").number(position.offset);
        let line = line.text(": ").text(message).text("\",\"check_name\":\"charpipe/");
        let line = line.text(rule.name()).text("\",\"fingerprint\":\"");
        let line = line.hexadecimal(self.fingerprints.next(rule)).text("\",\"severity\":\"");
        let line = line.text(severity(rule)).text("\",\"location\":{\"path\":").text(&self.path);
        line.text(",\"lines\":{\"begin\":").number(position.line).text("}}}").write_to(out)
    }

    fn end(&mut self, _: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "]")
    }
}

/// Text that may have been lost weighs more than how it is set down.
fn severity(rule: Rule) -> &'static str {
    match rule {
        Rule::IllFormed | Rule::Truncated | Rule::Binary => "major",
        Rule::Bom | Rule::Newline => "minor",
    }
}
