//! The forms in which findings are told.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::subject::Subject;
use super::{gcc, github, gitlab, json, junit, sarif, text};

/// A form in which findings are told. Everything is written as it comes; nothing grows with the
/// number of findings.
///
/// For each file there is one call of `clean`, or one of `open`, then `finding` and `unread` in the
/// order in which things are met, perhaps one of `omitted`, and one of `close`.
pub trait Format {
    /// Before the first file.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// A file with which nothing is wrong.
    fn clean(&mut self, _file: &Subject<'_>, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Something is to be told of this file.
    fn open(&mut self, file: &Subject<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Something is wrong with it.
    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()>;

    /// The given number of further findings of this file is not shown.
    fn omitted(&mut self, _count: u64, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// It could not be read, or not to its end, for this reason.
    fn unread(&mut self, _reason: &str, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// That was all about this file.
    fn close(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// After the last file.
    fn end(&mut self, _sum: &Sum, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// What has come of all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// Files with which nothing is wrong.
    pub clean: u64,
    /// Files with findings.
    pub faulty: u64,
    /// Files that could not be read.
    pub unread: u64,
    /// Findings in all files.
    pub findings: u64,
}

/// A format and how it is made.
type Named = (&'static str, fn() -> Box<dyn Format>);

/// Every format by its name, the default first.
const ALL: [Named; 8] = [
    ("text", || Box::new(text::Text::default())),
    ("gcc", || Box::new(gcc::Gcc::default())),
    ("json", || Box::new(json::Document::default())),
    ("jsonl", || Box::new(json::Lines::default())),
    ("github", || Box::new(github::GitHub::default())),
    ("gitlab", || Box::new(gitlab::GitLab::default())),
    ("sarif", || Box::new(sarif::Sarif::default())),
    ("junit", || Box::new(junit::JUnit::default())),
];

/// The names of all formats.
pub fn names() -> [&'static str; ALL.len()] {
    ALL.map(|(name, _)| name)
}

/// The format of this name.
pub fn named(name: &str) -> Option<Box<dyn Format>> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}
