//! Findings on their way to the standard output.

use std::fmt;
use std::io::{self, BufWriter, Write};

use charpipe::check::Finding;
use charpipe::output::OutputStream;

use super::file_label::FileLabel;
use super::format::{CheckTotals, Formatter};
use crate::cli::messages::print_message;
use crate::cli::terminal::LineTracker;

/// Bytes that are written at a time.
const BUFFER_SIZE: usize = 64 * 1024;

/// How many findings are not shown, in words.
pub fn findings_not_shown(count: u64) -> impl fmt::Display {
    let s = if count == 1 { "" } else { "s" };
    fmt::from_fn(move |f| write!(f, "{count} finding{s} not shown"))
}

/// Tells what is found, file by file, and counts it.
pub struct Reporter {
    /// Nothing is told without one.
    format: Option<Box<dyn Formatter>>,
    out: BufWriter<LineTracker>,
    /// Findings of a file that are told.
    max_findings: u64,
    /// Findings of this file.
    file_findings: u64,
    /// Whether the format knows of this file.
    file_begun: bool,
    totals: CheckTotals,
}

impl Reporter {
    pub fn new(
        format: Option<Box<dyn Formatter>>,
        sink: OutputStream,
        max_findings: u64,
    ) -> Reporter {
        let out = BufWriter::with_capacity(BUFFER_SIZE, LineTracker::new(sink));
        Reporter {
            format,
            out,
            max_findings: max_findings,
            file_findings: 0,
            file_begun: false,
            totals: CheckTotals::default(),
        }
    }

    /// Whether it only matters if there is a finding, not how many.
    pub fn is_quiet(&self) -> bool {
        self.format.is_none()
    }

    pub fn begin(&mut self) -> io::Result<()> {
        let Some(format) = &mut self.format else { return Ok(()) };
        format.begin(&mut self.out)
    }

    pub fn finding(&mut self, file: &FileLabel<'_>, finding: &Finding) -> io::Result<()> {
        self.file_findings += 1;
        self.totals.findings += 1;
        self.open(file)?;
        if self.file_findings > self.max_findings {
            return Ok(());
        }
        let Some(format) = &mut self.format else { return Ok(()) };
        format.finding(finding, &mut self.out)
    }

    /// Findings of this file so far.
    pub fn found(&self) -> u64 {
        self.file_findings
    }

    /// The file could not be read, or not to its end.
    pub fn unreadable(&mut self, file: &FileLabel<'_>, reason: &str) -> io::Result<()> {
        print_message(&format!("{}: {reason}", file.input.display_name()));
        self.totals.unreadable += 1;
        self.open(file)?;
        let Some(format) = &mut self.format else { return Ok(()) };
        format.unreadable(reason, &mut self.out)
    }

    /// Ends a file that could be read, or not.
    pub fn end_file(&mut self, file: &FileLabel<'_>, read: bool) -> io::Result<()> {
        let count = std::mem::take(&mut self.file_findings);
        let open = std::mem::take(&mut self.file_begun);
        match (count, read) {
            (0, true) => self.totals.clean_files += 1,
            (0, false) => {}
            _ => self.totals.with_findings += 1,
        }
        let Some(format) = &mut self.format else { return Ok(()) };
        let omitted = count.saturating_sub(self.max_findings);
        if omitted > 0 {
            print_message(&format!(
                "{}: {}",
                file.input.display_name(),
                findings_not_shown(omitted)
            ));
            format.omitted(omitted, &mut self.out)?;
        }
        if open {
            format.end_file(&mut self.out)?;
        } else if read && count == 0 {
            format.clean_file(file, &mut self.out)?;
        }
        Ok(())
    }

    /// Writes all that has been told so far: the next read may have to wait.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.out.buffer().is_empty() { Ok(()) } else { self.out.flush() }
    }

    /// Ends the telling; says what has come of all files.
    pub fn end(mut self) -> io::Result<CheckTotals> {
        if let Some(format) = &mut self.format {
            format.end(&self.totals, &mut self.out)?;
        }
        self.out.flush()?;
        Ok(self.totals)
    }

    /// Makes sure that the format knows of this file.
    fn open(&mut self, file: &FileLabel<'_>) -> io::Result<()> {
        match &mut self.format {
            Some(format) if !std::mem::replace(&mut self.file_begun, true) => {
                format.begin_file(file, &mut self.out)
            }
            _ => Ok(()),
        }
    }
}
