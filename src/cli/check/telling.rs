//! Findings on their way to the standard output.

use std::fmt;
use std::io::{self, BufWriter, Write};

use charpipe::check::Finding;
use charpipe::sink::Sink;

use super::format::{Format, Sum};
use super::subject::Subject;
use crate::cli::report::say;
use crate::cli::terminal::Tracked;

/// Bytes that are written at a time.
const BUFFER: usize = 64 * 1024;

/// How many findings are not shown, in words.
pub fn not_shown(count: u64) -> impl fmt::Display {
    let s = if count == 1 { "" } else { "s" };
    fmt::from_fn(move |f| write!(f, "{count} finding{s} not shown"))
}

/// Tells what is found, file by file, and counts it.
pub struct Telling {
    /// Nothing is told without one.
    format: Option<Box<dyn Format>>,
    out: BufWriter<Tracked>,
    /// Findings of a file that are told.
    most: u64,
    /// Findings of this file.
    found: u64,
    /// Whether the format knows of this file.
    open: bool,
    sum: Sum,
}

impl Telling {
    pub fn new(format: Option<Box<dyn Format>>, sink: Sink, most: u64) -> Telling {
        let out = BufWriter::with_capacity(BUFFER, Tracked::new(sink));
        Telling { format, out, most, found: 0, open: false, sum: Sum::default() }
    }

    /// Whether it only matters if there is a finding, not how many.
    pub fn is_silent(&self) -> bool {
        self.format.is_none()
    }

    pub fn begin(&mut self) -> io::Result<()> {
        let Some(format) = &mut self.format else { return Ok(()) };
        format.begin(&mut self.out)
    }

    pub fn finding(&mut self, file: &Subject<'_>, finding: &Finding) -> io::Result<()> {
        self.found += 1;
        self.sum.findings += 1;
        self.open(file)?;
        if self.found > self.most {
            return Ok(());
        }
        let Some(format) = &mut self.format else { return Ok(()) };
        format.finding(finding, &mut self.out)
    }

    /// Findings of this file so far.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// The file could not be read, or not to its end.
    pub fn unread(&mut self, file: &Subject<'_>, reason: &str) -> io::Result<()> {
        say(&format!("{}: {reason}", file.input.name()));
        self.sum.unread += 1;
        self.open(file)?;
        let Some(format) = &mut self.format else { return Ok(()) };
        format.unread(reason, &mut self.out)
    }

    /// Ends a file that could be read, or not.
    pub fn end_file(&mut self, file: &Subject<'_>, read: bool) -> io::Result<()> {
        let found = std::mem::take(&mut self.found);
        let open = std::mem::take(&mut self.open);
        match (found, read) {
            (0, true) => self.sum.clean += 1,
            (0, false) => {}
            _ => self.sum.faulty += 1,
        }
        let Some(format) = &mut self.format else { return Ok(()) };
        let omitted = found.saturating_sub(self.most);
        if omitted > 0 {
            say(&format!("{}: {}", file.input.name(), not_shown(omitted)));
            format.omitted(omitted, &mut self.out)?;
        }
        if open {
            format.close(&mut self.out)?;
        } else if read && found == 0 {
            format.clean(file, &mut self.out)?;
        }
        Ok(())
    }

    /// Writes all that has been told so far: the next read may have to wait.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.out.buffer().is_empty() { Ok(()) } else { self.out.flush() }
    }

    /// Ends the telling; says what has come of all files.
    pub fn end(mut self) -> io::Result<Sum> {
        if let Some(format) = &mut self.format {
            format.end(&self.sum, &mut self.out)?;
        }
        self.out.flush()?;
        Ok(self.sum)
    }

    /// Makes sure that the format knows of this file.
    fn open(&mut self, file: &Subject<'_>) -> io::Result<()> {
        match &mut self.format {
            Some(format) if !std::mem::replace(&mut self.open, true) => {
                format.open(file, &mut self.out)
            }
            _ => Ok(()),
        }
    }
}
