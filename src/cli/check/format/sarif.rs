//! SARIF 2.1.0 (OASIS), which code scanning services read: one run with a result for each finding.
//!
//! Columns count code points from 1, as `columnKind` declares (section 3.14.17). A region has the
//! position in bytes too (section 3.30.11).

use std::io::{self, Write};

use crate::check::{Finding, FindingKind, Rule};
use serde::Serialize;

use super::super::file_label::FileLabel;
use super::super::line_buffer::{LineBuffer, MessageCache};
use super::{CheckTotals, Formatter, findings_not_shown};
use crate::cli::json::{to_json, to_json_members, to_json_string};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/\
                      sarif-schema-2.1.0.json";

/// The maximum number of unreadable files to list. The list follows the results, so that it has to
/// be kept in memory; further files are only counted.
const MAX_UNREADABLE_NOTES: usize = 1000;

/// One run of the tool.
#[derive(Default)]
pub struct SarifFormatter {
    location: ArtifactLocation,
    location_json: String,
    encoding: &'static str,
    has_results: bool,
    /// Files that could not be read, with the reason.
    unreadable: Vec<(ArtifactLocation, String)>,
    /// Findings in all files that are not shown.
    omitted: u64,
    messages: MessageCache,
    buffer: LineBuffer,
}

impl Formatter for SarifFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let log = to_json_members(&LogHead { schema: SCHEMA, version: "2.1.0" });
        let rules = Rule::ALL.map(|rule| RuleDescriptor {
            id: rule.name(),
            short_description: Message { text: rule.description() },
        });
        let driver = Driver { name: "charpipe", version: env!("CARGO_PKG_VERSION"), rules };
        let run = RunHead { tool: Tool { driver }, column_kind: "unicodeCodePoints" };
        write!(out, "{{{log},\"runs\":[{{\n{},\n\"results\":[", to_json_members(&run))
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.location, self.encoding) = (ArtifactLocation::new(file), file.encoding);
        self.location_json = to_json(&self.location);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let rule = finding.rule();
        let comma = if std::mem::replace(&mut self.has_results, true) { ",\n" } else { "\n" };
        let message = self.messages.get(finding, || to_json_string(finding.display(self.encoding)));
        let line = self.buffer.text(comma).text("{\"ruleId\":\"").text(rule.name());
        let line = line.text("\",\"ruleIndex\":").number(rule.index() as u64);
        let line = line.text(",\"level\":\"error\",\"message\":{\"text\":").text(message);
        let line = line.text("},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":");
        region(finding, line.text(&self.location_json)).text("}}]}").write_to(out)
    }

    fn unreadable(&mut self, reason: &str, _: &mut dyn Write) -> io::Result<()> {
        if self.unreadable.len() < MAX_UNREADABLE_NOTES {
            self.unreadable.push((self.location.clone(), reason.to_owned()));
        }
        Ok(())
    }

    fn omitted(&mut self, count: u64, _: &mut dyn Write) -> io::Result<()> {
        self.omitted += count;
        Ok(())
    }

    fn end(&mut self, totals: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        let not_listed = totals.unreadable.saturating_sub(self.unreadable.len() as u64);
        let not_listed = (not_listed > 0)
            .then(|| ("error", format!("{not_listed} more files could not be read")));
        let omitted =
            (self.omitted > 0).then(|| ("warning", findings_not_shown(self.omitted).to_string()));
        let listed = self.unreadable.iter().map(|(location, reason)| Notification {
            level: "error",
            message: Message { text: reason },
            locations: Some([Location {
                physical_location: PhysicalLocation { artifact_location: location },
            }]),
        });
        let counts = not_listed.iter().chain(&omitted).map(|(level, text)| Notification {
            level,
            message: Message { text },
            locations: None,
        });
        let invocation = Invocation {
            execution_successful: totals.unreadable == 0,
            tool_execution_notifications: listed.chain(counts).collect(),
        };
        writeln!(out, "],\n\"invocations\":{}}}]}}", to_json(&[invocation]))
    }
}

/// Appends the region of a finding. It has an end, because a region without one extends to the end
/// of the line.
fn region<'a>(finding: &Finding, line: &'a mut LineBuffer) -> &'a mut LineBuffer {
    let position = finding.position;
    let columns = u64::from(finding.kind != FindingKind::MissingBom);
    let line = line.text(",\"region\":{\"startLine\":").number(position.line);
    let line = line.text(",\"startColumn\":").number(position.column);
    let line = line.text(",\"endColumn\":").number(position.column + columns);
    let line = line.text(",\"byteOffset\":").number(position.offset);
    line.text(",\"byteLength\":").number(finding.len).text("}")
}

#[derive(Serialize)]
struct LogHead {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RunHead {
    tool: Tool,
    column_kind: &'static str,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: [RuleDescriptor; Rule::ALL.len()],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleDescriptor {
    id: &'static str,
    short_description: Message<'static>,
}

#[derive(Serialize)]
struct Message<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'a> {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
struct Notification<'a> {
    level: &'a str,
    message: Message<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[Location<'a>; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: PhysicalLocation<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation<'a> {
    artifact_location: &'a ArtifactLocation,
}

#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

impl ArtifactLocation {
    /// Returns the location of a file: relative to the root of the repository, or absolute.
    fn new(file: &FileLabel<'_>) -> ArtifactLocation {
        let is_absolute = file.bytes().starts_with(b"/");
        ArtifactLocation { uri: file.uri(), uri_base_id: (!is_absolute).then_some("%SRCROOT%") }
    }
}
