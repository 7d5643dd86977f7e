//! The forms in which findings are told.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::file_label::FileLabel;
use super::{gcc, github, gitlab, json, junit, sarif, text};

/// A form in which findings are told. Everything is written as it comes; nothing grows with the
/// number of findings.
///
/// For each file there is one call of `clean`, or one of `open`, then `finding` and `unread` in the
/// order in which things are met, perhaps one of `omitted`, and one of `close`.
pub trait Formatter {
    /// Before the first file.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// A file with which nothing is wrong.
    fn clean_file(&mut self, _file: &FileLabel<'_>, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Something is to be told of this file.
    fn begin_file(&mut self, file: &FileLabel<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Something is wrong with it.
    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()>;

    /// The given number of further findings of this file is not shown.
    fn omitted(&mut self, _count: u64, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// It could not be read, or not to its end, for this reason.
    fn unreadable(&mut self, _reason: &str, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// That was all about this file.
    fn end_file(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// After the last file.
    fn end(&mut self, _sum: &CheckTotals, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// What has come of all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckTotals {
    /// Files with which nothing is wrong.
    pub clean_files: u64,
    /// Files with findings.
    pub with_findings: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Findings in all files.
    pub findings: u64,
}

/// A format and how it is made.
type FormatEntry = (&'static str, fn() -> Box<dyn Formatter>);

/// Every format by its name, the default first.
const FORMATS: [FormatEntry; 8] = [
    ("text", || Box::new(text::TextFormatter::default())),
    ("gcc", || Box::new(gcc::GccFormatter::default())),
    ("json", || Box::new(json::JsonFormatter::default())),
    ("jsonl", || Box::new(json::JsonLinesFormatter::default())),
    ("github", || Box::new(github::GitHubFormatter::default())),
    ("gitlab", || Box::new(gitlab::GitLabFormatter::default())),
    ("sarif", || Box::new(sarif::SarifFormatter::default())),
    ("junit", || Box::new(junit::JUnitFormatter::default())),
];

/// The names of all formats.
pub fn names() -> [&'static str; FORMATS.len()] {
    FORMATS.map(|(name, _)| name)
}

/// The format of this name.
pub fn by_name(name: &str) -> Option<Box<dyn Formatter>> {
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
