//! The report of GitLab's code quality: a list of violations in JSON.
//!
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>: each has a
//! description, the name of its check, a fingerprint, a path, a line and one of five severities.

use std::io::{self, Write};

use charpipe::check::{Finding, Rule};

use super::fingerprint::Fingerprints;
use super::format::{Format, Sum};
use super::subject::Subject;
use crate::cli::json::Text;

/// One object for each finding. A file that could not be read has no place in it.
#[derive(Default)]
pub struct GitLab {
    path: String,
    charset: &'static str,
    names: Fingerprints,
    any: bool,
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
        let (offset, line) = (finding.place.offset, finding.place.line);
        let message = finding.describe(self.charset);
        let description = Text(format_args!("byte {offset}: {message}"));
        let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
        write!(out, "{comma}\n{{\"description\":{description},")?;
        write!(out, "\"check_name\":\"charpipe/{}\",", rule.name())?;
        write!(out, "\"fingerprint\":\"{:032x}\",", self.names.next(rule))?;
        write!(out, "\"severity\":\"{}\",", severity(rule))?;
        write!(out, "\"location\":{{\"path\":{},\"lines\":{{\"begin\":{line}}}}}}}", self.path)
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
