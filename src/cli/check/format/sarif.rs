//! SARIF 2.1.0 (OASIS), which code scanning services read: one run with a result for each finding.
//!
//! Columns count code points from 1, as `columnKind` declares (section 3.14.17). A region has the
//! position in bytes too (section 3.30.11).

use std::io::{self, Write};

use charpipe_check::{Finding, FindingKind, Rule};
use serde_json::{Value, json};

use super::formatter::{Formatter, findings_not_shown, without_comma};
use crate::cli::check::line_buffer::FindingLines;
use crate::cli::check::message::MessageOfFinding;
use crate::cli::check::stats::CheckTotals;
use crate::cli::file_label::FileLabel;
use crate::cli::json::{to_json, to_json_members, to_json_string};
use charpipe_encoding::conversion_error::Position;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/\
                      sarif-schema-2.1.0.json";

/// The maximum number of unreadable files to list. The list follows the results, so that it has to
/// be kept in memory; further files are only counted.
const MAX_UNREADABLE_NOTES: usize = 1000;

/// One run of the tool.
#[derive(Default)]
pub struct SarifFormatter {
    location: Value,
    location_json: String,
    encoding: &'static str,
    has_results: bool,
    /// Files that could not be read, with the reason.
    notifications: Vec<Value>,
    /// Findings in all files that are not shown.
    omitted: u64,
    lines: FindingLines,
}

impl Formatter for SarifFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let log = to_json_members(&json!({ "$schema": SCHEMA, "version": "2.1.0" }));
        let rules = Rule::ALL.map(
            |rule| json!({ "id": rule.name(), "shortDescription": { "text": rule.description() } }),
        );
        let version = env!("CARGO_PKG_VERSION");
        let driver = json!({ "name": "charpipe", "version": version, "rules": rules });
        let run = json!({ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints" });
        write!(out, "{{{log},\"runs\":[{{\n{},\n\"results\":[", to_json_members(&run))
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
            let location = json!({ "physicalLocation": { "artifactLocation": self.location } });
            let message = json!({ "text": reason });
            self.notifications
                .push(json!({ "level": "error", "message": message, "locations": [location] }));
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
            let text = format!("{not_listed} more files could not be read");
            notifications.push(json!({ "level": "error", "message": { "text": text } }));
        }
        if self.omitted > 0 {
            let text = findings_not_shown(self.omitted);
            notifications.push(json!({ "level": "warning", "message": { "text": text } }));
        }
        let mut invocation = json!({ "executionSuccessful": totals.unreadable == 0 });
        if !notifications.is_empty() {
            invocation["toolExecutionNotifications"] = notifications.into();
        }
        writeln!(out, "],\n\"invocations\":{}}}]}}", to_json(&[invocation]))
    }
}

/// Returns the location of a file: relative to the root of the repository, or absolute.
fn artifact_location(file: &FileLabel<'_>) -> Value {
    match file.uri().starts_with("file:") {
        true => json!({ "uri": file.uri() }),
        false => json!({ "uri": file.uri(), "uriBaseId": "%SRCROOT%" }),
    }
}
