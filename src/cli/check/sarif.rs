//! SARIF 2.1.0 (OASIS), which code scanning services read: one run, one result for each finding.
//!
//! Columns count code points from 1, and the run says so (`columnKind`, section 3.14.17). A region
//! gives the bytes as well (section 3.30.11).

use std::io::{self, Write};

use charpipe::check::{Finding, Problem, Rule};

use super::format::{Format, Sum};
use super::line::{Line, Words};
use super::subject::Subject;
use super::telling::not_shown;
use super::uri;
use crate::cli::json::Text;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/\
                      sarif-schema-2.1.0.json";

/// Files that could not be read are listed behind the findings, so they have to be kept; of more
/// than these only the number is told.
const UNREAD: usize = 1000;

/// One run of the tool.
#[derive(Default)]
pub struct Sarif {
    location: String,
    charset: &'static str,
    any: bool,
    notes: Vec<String>,
    /// Findings of all files that are not shown.
    omitted: u64,
    words: Words,
    line: Line,
}

impl Format for Sarif {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        writeln!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{")?;
        write!(out, "\"tool\":{{\"driver\":{{\"name\":\"charpipe\",\"version\":\"{version}\",")?;
        write!(out, "\"rules\":[")?;
        for rule in Rule::ALL {
            let comma = if rule.index() > 0 { "," } else { "" };
            let (name, about) = (rule.name(), rule.about());
            write!(out, "{comma}\n{{\"id\":\"{name}\",")?;
            write!(out, "\"shortDescription\":{{\"text\":\"{about}\"}}}}")?;
        }
        writeln!(out, "]}}}},")?;
        write!(out, "\"columnKind\":\"unicodeCodePoints\",\n\"results\":[")
    }

    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.location, self.charset) = (location(file), file.charset);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let rule = finding.rule();
        let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
        let message = self.words.of(finding, || Text(finding.describe(self.charset)));
        let line = self.line.text(comma).text("\n{\"ruleId\":\"").text(rule.name());
        let line = line.text("\",\"ruleIndex\":").number(rule.index() as u64);
        let line = line.text(",\"level\":\"error\",\"message\":{\"text\":").text(message);
        let line = line.text("},\"locations\":[{\"physicalLocation\":{").text(&self.location);
        region(finding, line.text(",")).text("}}]}").write(out)
    }

    fn unread(&mut self, reason: &str, _: &mut dyn Write) -> io::Result<()> {
        if self.notes.len() < UNREAD {
            let (message, location) = (Text(reason).to_string(), &self.location);
            self.notes.push(format!(
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

    fn end(&mut self, sum: &Sum, out: &mut dyn Write) -> io::Result<()> {
        let more = sum.unread.saturating_sub(self.notes.len() as u64);
        if more > 0 {
            let text = format!("{more} more files could not be read");
            self.notes.push(format!("{{\"level\":\"error\",\"message\":{{\"text\":\"{text}\"}}}}"));
        }
        if self.omitted > 0 {
            let text = not_shown(self.omitted);
            self.notes
                .push(format!("{{\"level\":\"warning\",\"message\":{{\"text\":\"{text}\"}}}}"));
        }
        write!(out, "],\n\"invocations\":[{{\"executionSuccessful\":{}", sum.unread == 0)?;
        if !self.notes.is_empty() {
            write!(out, ",\n\"toolExecutionNotifications\":[\n{}]", self.notes.join(",\n"))?;
        }
        writeln!(out, "}}]}}]}}")
    }
}

/// The `artifactLocation` of a file: below the root of the repository unless it is absolute.
fn location(file: &Subject<'_>) -> String {
    let path = file.path();
    let uri = if file.is_stdin() { "stdin".to_owned() } else { uri::reference(path) };
    let base = if path.starts_with(b"/") { "" } else { ",\"uriBaseId\":\"%SRCROOT%\"" };
    format!("\"artifactLocation\":{{\"uri\":\"{uri}\"{base}}}")
}

/// Without an end a region would reach to the end of the line.
fn region<'a>(finding: &Finding, line: &'a mut Line) -> &'a mut Line {
    let place = finding.place;
    let columns = u64::from(finding.problem != Problem::Unmarked);
    let line = line.text("\"region\":{\"startLine\":").number(place.line);
    let line = line.text(",\"startColumn\":").number(place.column);
    let line = line.text(",\"endColumn\":").number(place.column + columns);
    let line = line.text(",\"byteOffset\":").number(place.offset);
    line.text(",\"byteLength\":").number(finding.len).text("}")
}
