//! SARIF 2.1.0 (OASIS), which code scanning services read: one run with a result for each finding.
//!
//! Columns count code points from 1, as `columnKind` declares (section 3.14.17). A region has the
//! position in bytes too (section 3.30.11).

use std::io::{self, Write};

use charpipe_check::{Finding, FindingKind, Rule};

use super::formatter::{Formatter, findings_not_shown, without_comma};
use crate::cli::check::line_buffer::FindingLines;
use crate::cli::check::message::MessageOfFinding;
use crate::cli::check::stats::CheckTotals;
use crate::cli::file_label::FileLabel;
use crate::cli::json::{JsonObject, to_json, to_json_string};
use charpipe_encoding::conversion_error::Position;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/\
                      sarif-schema-2.1.0.json";

/// The maximum number of unreadable files to list. The list follows the results, so that it has to
/// be kept in memory; further files are only counted.
const MAX_UNREADABLE_NOTES: usize = 1000;

/// One run of the tool.
#[derive(Default)]
pub struct SarifFormatter {
    location: JsonObject,
    location_json: String,
    encoding: &'static str,
    has_results: bool,
    /// Files that could not be read, with the reason.
    notifications: Vec<JsonObject>,
    /// Findings in all files that are not shown.
    omitted: u64,
    lines: FindingLines,
}

impl Formatter for SarifFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let log = JsonObject::default().with("$schema", SCHEMA).with("version", "2.1.0");
        let rules = Rule::ALL.map(|rule| {
            JsonObject::default()
                .with("id", rule.name())
                .with("shortDescription", text(rule.description()))
        });
        let driver = JsonObject::default()
            .with("name", "charpipe")
            .with("rules", rules.as_slice())
            .with("version", env!("CARGO_PKG_VERSION"));
        let run = JsonObject::default()
            .with("columnKind", "unicodeCodePoints")
            .with("tool", JsonObject::default().with("driver", driver));
        write!(out, "{{{},\"runs\":[{{\n{},\n\"results\":[", log.members(), run.members())
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.lines.begin_file();
        (self.location, self.encoding) = (artifact_location(file), file.encoding);
        self.location_json = to_json(&self.location);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let is_first = !std::mem::replace(&mut self.has_results, true);
        let Position { offset, line, column } = finding.position;
        // A region without an end extends to the end of the line.
        let end_column = column + u64::from(finding.kind != FindingKind::MissingBom);
        let line = self.lines.format(
            finding,
            &[line, column, end_column, offset],
            || to_json_string(MessageOfFinding { finding, encoding: self.encoding }),
            |line, message| {
                let rule = finding.rule();
                line.text(",\n{\"ruleId\":\"").text(rule.name());
                line.text("\",\"ruleIndex\":").text(&rule.index().to_string());
                line.text(",\"level\":\"error\",\"message\":{\"text\":").text(message);
                line.text("},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":");
                line.text(&self.location_json).text(",\"region\":{\"startLine\":").number();
                line.text(",\"startColumn\":").number().text(",\"endColumn\":").number();
                line.text(",\"byteOffset\":").number();
                line.text(",\"byteLength\":").text(&finding.len.to_string()).text("}}}]}");
            },
        );
        out.write_all(without_comma(line, is_first))
    }

    fn unreadable(&mut self, reason: &str, _: &mut dyn Write) -> io::Result<()> {
        if self.notifications.len() < MAX_UNREADABLE_NOTES {
            let artifact = JsonObject::default().with("artifactLocation", &self.location);
            let location = JsonObject::default().with("physicalLocation", artifact);
            self.notifications.push(
                JsonObject::default()
                    .with("level", "error")
                    .with("locations", [location].as_slice())
                    .with("message", text(reason)),
            );
        }
        Ok(())
    }

    fn omitted(&mut self, count: u64, _: &mut dyn Write) -> io::Result<()> {
        self.omitted += count;
        Ok(())
    }

    fn end(&mut self, totals: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        let mut notifications = std::mem::take(&mut self.notifications);
        let not_listed = totals.unreadable.saturating_sub(notifications.len() as u64);
        if not_listed > 0 {
            let message = text(&format!("{not_listed} more files could not be read"));
            notifications
                .push(JsonObject::default().with("level", "error").with("message", message));
        }
        if self.omitted > 0 {
            let message = text(&findings_not_shown(self.omitted));
            notifications
                .push(JsonObject::default().with("level", "warning").with("message", message));
        }
        let notifications = Some(notifications).filter(|all| !all.is_empty());
        let invocation = JsonObject::default()
            .with("executionSuccessful", totals.unreadable == 0)
            .with_some("toolExecutionNotifications", notifications);
        writeln!(out, "],\n\"invocations\":[{}]}}]}}", to_json(&invocation))
    }
}

/// Returns an object with a text.
fn text(text: &str) -> JsonObject {
    JsonObject::default().with("text", text)
}

/// Returns the location of a file: relative to the root of the repository, or absolute.
fn artifact_location(file: &FileLabel<'_>) -> JsonObject {
    let uri = file.uri();
    let base = (!uri.starts_with("file:")).then_some("%SRCROOT%");
    JsonObject::default().with("uri", uri).with_some("uriBaseId", base)
}
