//! Statistics of the checked files: what encodings, byte order marks and line endings they have.

use std::collections::BTreeMap;
use std::fmt::Write;

use charpipe_check::LineEnding;
use charpipe_detect::{Content, Detection, Evidence, LineEndings};

use crate::cli::json::JsonObject;

/// The counts of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckTotals {
    /// Files without findings.
    pub clean_files: u64,
    /// Files with findings.
    pub with_findings: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Findings in all files.
    pub findings: u64,
}

/// The statistics of a run.
#[derive(Debug, Default)]
pub struct CheckStats {
    /// The files that were read to their end.
    files: u64,
    bytes: u64,
    /// The files of each detected encoding.
    encodings: BTreeMap<&'static str, FileCounts>,
    /// Files with a byte order mark.
    byte_order_marks: u64,
    line_endings: LineEndingCounts,
}

#[derive(Debug, Clone, Copy, Default)]
struct FileCounts {
    files: u64,
    bytes: u64,
}

/// The files whose line endings are of each kind. Binary files are not counted.
#[derive(Debug, Clone, Copy, Default)]
struct LineEndingCounts {
    lf: u64,
    crlf: u64,
    cr: u64,
    mixed: u64,
    none: u64,
}

impl CheckTotals {
    pub fn json(&self) -> JsonObject {
        JsonObject::default()
            .with("clean", self.clean_files)
            .with("with_findings", self.with_findings)
            .with("unreadable", self.unreadable)
            .with("findings", self.findings)
    }
}

impl FileCounts {
    fn json(self) -> JsonObject {
        JsonObject::default().with("files", self.files).with("bytes", self.bytes)
    }
}

impl CheckStats {
    /// Adds a file of `bytes` bytes.
    pub fn add(&mut self, detection: &Detection, bytes: u64) {
        let encoding = match (detection.content, detection.best()) {
            (Content::Empty, _) => "empty",
            (Content::Binary, _) => "binary",
            (Content::Text, Some(best)) if best.evidence == Evidence::Ascii => "US-ASCII",
            (Content::Text, Some(best)) => best.encoding.name(),
            (Content::Text, None) => "unknown",
        };
        self.files += 1;
        self.bytes += bytes;
        let counts = self.encodings.entry(encoding).or_default();
        counts.files += 1;
        counts.bytes += bytes;
        self.byte_order_marks += u64::from(detection.has_bom);
        if detection.content == Content::Binary {
            return;
        }
        *match detection.line_endings {
            LineEndings::None => &mut self.line_endings.none,
            LineEndings::All(LineEnding::Lf) => &mut self.line_endings.lf,
            LineEndings::All(LineEnding::CrLf) => &mut self.line_endings.crlf,
            LineEndings::All(LineEnding::Cr) => &mut self.line_endings.cr,
            LineEndings::Mixed => &mut self.line_endings.mixed,
        } += 1;
    }

    pub fn json(&self) -> JsonObject {
        let row = |(encoding, counts): (&&'static str, &FileCounts)| {
            JsonObject::default().with("encoding", *encoding).with_members(&counts.json())
        };
        let LineEndingCounts { lf, crlf, cr, mixed, none } = self.line_endings;
        let line_endings = JsonObject::default()
            .with("lf", lf)
            .with("crlf", crlf)
            .with("cr", cr)
            .with("mixed", mixed)
            .with("none", none);
        FileCounts { files: self.files, bytes: self.bytes }
            .json()
            .with("encodings", self.encodings.iter().map(row).collect::<Vec<_>>())
            .with("byte_order_marks", self.byte_order_marks)
            .with("line_endings", line_endings)
    }

    /// Returns the statistics as tables.
    pub fn tables(&self, totals: &CheckTotals) -> String {
        let total = ("total", FileCounts { files: self.files, bytes: self.bytes });
        let encodings = self.encodings.iter().map(|(name, counts)| (*name, *counts));
        let rows: Vec<_> = encodings.chain([total]).collect();
        let name_len = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(12);
        let files_len = decimal_len(self.files).max(5);
        let bytes_len = decimal_len(self.bytes).max(5);
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{:name_len$}  {:>files_len$}  {:>bytes_len$}",
            "encoding", "files", "bytes"
        );
        for (name, FileCounts { files, bytes }) in rows {
            let _ = writeln!(text, "{name:name_len$}  {files:files_len$}  {bytes:bytes_len$}");
        }
        let _ = writeln!(text, "\n{:name_len$}  {:>files_len$}", "line endings", "files");
        let LineEndingCounts { lf, crlf, cr, mixed, none } = self.line_endings;
        let kinds = [("lf", lf), ("crlf", crlf), ("cr", cr), ("mixed", mixed), ("none", none)];
        for (name, files) in kinds.into_iter().filter(|(_, files)| *files > 0) {
            let _ = writeln!(text, "{name:name_len$}  {files:files_len$}");
        }
        let _ = writeln!(text, "\nfiles with a byte order mark: {}", self.byte_order_marks);
        let _ = writeln!(text, "files with findings: {}", totals.with_findings);
        let _ = writeln!(text, "findings: {}", totals.findings);
        text
    }
}

fn decimal_len(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}
