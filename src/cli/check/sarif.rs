//! SARIF 2.1.0 (OASIS), which code scanning services read: one run, one result for each finding.
//!
//! Columns count code points from 1, and the run says so (`columnKind`, section 3.14.17). A region
//! gives the bytes as well (section 3.30.11).

use std::io::{self, Write};

use charpipe::check::{Finding, FindingKind, Rule};

use super::file_label::FileLabel;
use super::format::{CheckTotals, Formatter};
use super::line_buffer::{LineBuffer, MessageCache};
use super::reporter::findings_not_shown;
use super::uri;
use crate::cli::json::JsonString;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/\
                      sarif-schema-2.1.0.json";

/// Files that could not be read are listed after the findings, so they have to be kept; of more
/// than these only the number is told.
const MAX_UNREADABLE_NOTES: usize = 1000;

/// One run of the tool.
#[derive(Default)]
pub struct SarifFormatter {
    location: String,
    encoding: &'static str,
    has_results: bool,
    notifications: Vec<String>,
    /// Findings of all files that are not shown.
    omitted: u64,
    messages: MessageCache,
    buffer: LineBuffer,
}

impl Formatter for SarifFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{")?;
        write!(out, "\"tool\":{{\"driver\":{{\"name\":\"charpipe\",\"version\":\"{version}\",")?;
        write!(out, "\"rules\":[")?;
        for rule in Rule::ALL {
            let comma = if rule.index() > 0 { "," } else { "" };
            let (name, about) = (rule.name(), rule.description());
            write!(out, "{comma}\n{{\"id\":\"{name}\",")?;
            write!(out, "\"shortDescription\":{{\"text\":\"{about}\"}}}}")?;
        }
        writeln!(out, "]}}}},")?;
        write!(out, "\"columnKind\":\"unicodeCodePoints\",\n\"results\":[")
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.location, self.encoding) = (location(file), file.encoding);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let rule = finding.rule();
        let comma = if std::mem::replace(&mut self.has_results, true) { "," } else { "" };
        let message = self.messages.of(finding, || JsonString(finding.display(self.encoding)));
        let line = self.buffer.text(comma).text("\n{\"ruleId\":\"").text(rule.name());
        let line = line.text("\",\"ruleIndex\":").number(rule.index() as u64);
        let line = line.text(",\"level\":\"error\",\"message\":{\"text\":").text(message);
        let line = line.text("},\"locations\":[{\"physicalLocation\":{").text(&self.location);
        region(finding, line.text(",")).text("}}]}").write_to(out)
    }

    fn unreadable(&mut self, reason: &str, _: &mut dyn Write) -> io::Result<()> {
        if self.notifications.len() < MAX_UNREADABLE_NOTES {
            let (message, location) = (JsonString(reason).to_string(), &self.location);
            self.notifications.push(format!(
                "{{\"level\":\"error\",\"message\":{{\"text\":{message}}},\
                 \"locations\":[{{\"physicalLocation\":{{{location}}}}}]}}"
            ));
        }
        Ok(())
    }

    fn omitted(&mut self, count: u64, _: &mut dyn Write) -> io::Result<()> {
        self.omitted += count;
        Ok(())
    }

    fn end(&mut self, sum: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        let more = sum.unreadable.saturating_sub(self.notifications.len() as u64);
        if more > 0 {
            let text = format!("{more} more files could not be read");
            self.notifications
                .push(format!("{{\"level\":\"error\",\"message\":{{\"text\":\"{text}\"}}}}"));
        }
        if self.omitted > 0 {
            let text = findings_not_shown(self.omitted);
            self.notifications
                .push(format!("{{\"level\":\"warning\",\"message\":{{\"text\":\"{text}\"}}}}"));
        }
        write!(out, "],\n\"invocations\":[{{\"executionSuccessful\":{}", sum.unreadable == 0)?;
        if !self.notifications.is_empty() {
            write!(
                out,
                ",\n\"toolExecutionNotifications\":[\n{}]",
                self.notifications.join(",\n")
            )?;
        }
        writeln!(out, "}}]}}]}}")
    }
}

/// The `artifactLocation` of a file: below the root of the repository unless it is absolute.
fn location(file: &FileLabel<'_>) -> String {
    let path = file.bytes();
    let uri = if file.is_stdin() { "stdin".to_owned() } else { uri::reference(path) };
    let base = if path.starts_with(b"/") { "" } else { ",\"uriBaseId\":\"%SRCROOT%\"" };
    format!("\"artifactLocation\":{{\"uri\":\"{uri}\"{base}}}")
}

/// Without an end a region would reach to the end of the line.
fn region<'a>(finding: &Finding, line: &'a mut LineBuffer) -> &'a mut LineBuffer {
    let position = finding.position;
    let columns = u64::from(finding.kind != FindingKind::MissingBom);
    let line = line.text("\"region\":{\"startLine\":").number(position.line);
    let line = line.text(",\"startColumn\":").number(position.column);
    let line = line.text(",\"endColumn\":").number(position.column + columns);
    let line = line.text(",\"byteOffset\":").number(position.offset);
    line.text(",\"byteLength\":").number(finding.len).text("}")
}
