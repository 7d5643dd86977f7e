//! The report of GitLab's code quality: a list of violations in JSON.
//!
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>: each has a
//! description, the name of its check, a fingerprint, a path, a line and one of five severities.

use std::io::{self, Write};

use charpipe::check::{Finding, Rule};

use super::fingerprint::Fingerprints;
use super::format::{Format, Sum};
use super::line::{Line, Words};
use super::subject::Subject;
use crate::cli::json::{Inside, Text};

/// One object for each finding. A file that could not be read has no place in it.
#[derive(Default)]
pub struct GitLab {
    path: String,
    charset: &'static str,
    names: Fingerprints,
    any: bool,
    words: Words,
    line: Line,
}

impl Format for GitLab {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")
    }

    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.path, self.charset) = (Text(&file.text()).to_string(), file.charset);
        self.names.begin(file.path());
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let rule = finding.rule();
        let place = finding.place;
        let message = self.words.of(finding, || Inside(finding.describe(self.charset)));
        let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
        let line = self.line.text(comma).text("\n{\"description\":\"byte ").number(place.offset);
        let line = line.text(": ").text(message).text("\",\"check_name\":\"charpipe/");
        let line = line.text(rule.name()).text("\",\"fingerprint\":\"");
        let line = line.hexadecimal(self.names.next(rule)).text("\",\"severity\":\"");
        let line = line.text(severity(rule)).text("\",\"location\":{\"path\":").text(&self.path);
        line.text(",\"lines\":{\"begin\":").number(place.line).text("}}}").write(out)
    }

    fn end(&mut self, _: &Sum, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "]")
    }
}

/// Text that may have been lost weighs more than how it is set down.
fn severity(rule: Rule) -> &'static str {
    match rule {
        Rule::IllFormed | Rule::Truncated | Rule::Binary => "major",
        Rule::Mark | Rule::Newline => "minor",
    }
}
