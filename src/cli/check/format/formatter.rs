//! What a format of the report writes.

use std::io::{self, Write};

use charpipe_check::Finding;

use crate::cli::check::stats::{CheckStats, CheckTotals};
use crate::cli::file_label::FileLabel;

/// A format of the report. Findings are written at once, so that memory does not grow with their
/// number.
///
/// For each file either `clean_file` is called, or `begin_file`, then `finding` and `unreadable`
/// in any order, `omitted` at most once, and `end_file`.
pub trait Formatter: Send {
    /// Writes the start of the report.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Reports a file without findings.
    fn clean_file(&mut self, _file: &FileLabel<'_>, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Begins a file with findings, or one that cannot be read.
    fn begin_file(&mut self, file: &FileLabel<'_>, out: &mut dyn Write) -> io::Result<()>;

    /// Reports a finding in the current file.
    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()>;

    /// Reports the number of findings in the current file beyond the limit.
    fn omitted(&mut self, _count: u64, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Reports that the current file could not be read to its end.
    fn unreadable(&mut self, _reason: &str, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Ends the current file.
    fn end_file(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Reports the statistics, after all files.
    fn stats(
        &mut self,
        _stats: &CheckStats,
        _totals: &CheckTotals,
        _out: &mut dyn Write,
    ) -> io::Result<()> {
        Ok(())
    }

    /// Writes the end of the report.
    fn end(&mut self, _totals: &CheckTotals, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Returns an element of a JSON array without the comma before it if it is the first.
pub fn without_comma(element: &[u8], is_first: bool) -> &[u8] {
    if is_first { element.strip_prefix(b",").unwrap_or(element) } else { element }
}

/// Describes the number of omitted findings.
pub fn findings_not_shown(count: u64) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} finding{s} not shown")
}
