//! The report of a check: its formats, and the counts of findings.

use std::io::{self, BufWriter, Write};

use crate::cli::fs::output::OutputStream;
use charpipe_check::Finding;

use super::context::ContextPrinter;
use super::stats::{CheckStats, CheckTotals};
use crate::cli::file_label::FileLabel;
use crate::cli::messages::{Message, print_message};
use crate::cli::terminal::LineTracker;

mod formatter;
mod github;
mod gitlab;
mod json;
mod junit;
mod names;
mod sarif;
mod text;

use formatter::findings_not_shown;

pub use formatter::Formatter;
pub use names::NameFormatter;

/// Makes a formatter.
type Constructor = fn() -> Box<dyn Formatter>;

/// Every format: its name, its description and its constructor. The first is the default.
const FORMATS: [(&str, &str, Constructor); 8] = [
    ("text", "human-readable lines", new::<text::TextFormatter>),
    ("gcc", "compiler-style lines for editors; columns count bytes", new::<text::GccFormatter>),
    ("json", "one JSON document", new::<json::JsonFormatter>),
    ("jsonl", "JSON Lines", new::<json::JsonLinesFormatter>),
    ("github", "GitHub Actions annotations", new::<github::GitHubFormatter>),
    ("gitlab", "GitLab Code Quality report", new::<gitlab::GitLabFormatter>),
    ("sarif", "SARIF 2.1.0 for code scanning", new::<sarif::SarifFormatter>),
    ("junit", "JUnit XML test report", new::<junit::JUnitFormatter>),
];

fn new<F: Formatter + Default + 'static>() -> Box<dyn Formatter> {
    Box::new(F::default())
}

/// Returns the names of all formats.
pub fn names() -> [&'static str; FORMATS.len()] {
    FORMATS.map(|(name, _, _)| name)
}

/// Returns the long help text of `--format`.
pub fn help() -> String {
    let formats = FORMATS.map(|(name, description, _)| format!("{name}: {description}. ")).concat();
    format!(
        "Output format [default: text]\n\n{formats}Except in gcc, columns count characters.\n\n"
    )
}

/// The formats that have statistics.
pub const FORMATS_WITH_STATS: [&str; 3] = ["text", "json", "jsonl"];

/// Returns a new formatter for the format with the given name.
pub fn by_name(name: &str) -> Option<Box<dyn Formatter>> {
    FORMATS.iter().find(|(known, _, _)| *known == name).map(|(_, _, new)| new())
}

/// The size of the output buffer in bytes.
const BUFFER_SIZE: usize = 64 * 1024;

/// Counts findings and reports them to the standard output, file by file.
pub struct Reporter {
    /// None if findings are only counted.
    formatter: Option<Box<dyn Formatter>>,
    out: BufWriter<LineTracker>,
    /// The maximum number of findings to report per file.
    max_findings: u64,
    /// Whether the first finding in a file decides all that is reported about it.
    only_first_finding: bool,
    /// What prints findings with their lines.
    context: Option<ContextPrinter>,
    /// Findings in the current file so far.
    pub file_findings: u64,
    /// Whether the formatter has begun the current file.
    file_begun: bool,
    totals: CheckTotals,
}

impl Reporter {
    pub fn new(
        formatter: Option<Box<dyn Formatter>>,
        sink: OutputStream,
        max_findings: u64,
        only_first_finding: bool,
    ) -> Reporter {
        Reporter {
            only_first_finding,
            context: None,
            formatter,
            out: BufWriter::with_capacity(BUFFER_SIZE, LineTracker::new(sink)),
            max_findings,
            file_findings: 0,
            file_begun: false,
            totals: CheckTotals::default(),
        }
    }

    /// Sets the number of lines that are printed before and after that of a finding.
    pub fn set_context(&mut self, lines: usize) {
        self.context = Some(ContextPrinter::new(lines));
    }

    /// Returns what prints findings with their lines.
    pub fn context(&mut self) -> Option<&mut ContextPrinter> {
        self.context.as_mut()
    }

    /// Reports the findings whose lines have been read, all of them if the file has ended.
    pub fn print_context(&mut self, is_end: bool) -> io::Result<()> {
        let (Some(context), Some(formatter)) = (&mut self.context, &mut self.formatter) else {
            return Ok(());
        };
        while let Some((findings, lines)) = context.next_group(is_end) {
            for finding in &findings {
                formatter.finding(finding, &mut self.out)?;
            }
            self.out.write_all(lines.as_bytes())?;
        }
        context.trim();
        Ok(())
    }

    /// Returns whether the rest of the current file does not change the report.
    pub fn is_file_decided(&self) -> bool {
        self.only_first_finding && self.file_findings > 0
    }

    /// Writes the start of the report.
    pub fn begin(&mut self) -> io::Result<()> {
        match &mut self.formatter {
            Some(formatter) => formatter.begin(&mut self.out),
            None => Ok(()),
        }
    }

    /// Counts a finding, and reports it unless the file has more than the maximum number.
    pub fn finding(&mut self, file: &FileLabel<'_>, finding: &Finding) -> io::Result<()> {
        self.file_findings += 1;
        self.totals.findings += 1;
        self.begin_file(file)?;
        match (&mut self.formatter, &mut self.context) {
            _ if self.file_findings > self.max_findings => {}
            (Some(_), Some(context)) => context.add(finding),
            (Some(formatter), None) => formatter.finding(finding, &mut self.out)?,
            (None, _) => {}
        }
        Ok(())
    }

    /// Reports that a file could not be read to its end.
    pub fn unreadable(&mut self, file: &FileLabel<'_>, reason: &str) -> io::Result<()> {
        print_message(Message::about(&file.input.display_name()).with_error(reason));
        self.totals.unreadable += 1;
        self.begin_file(file)?;
        match &mut self.formatter {
            Some(formatter) => formatter.unreadable(reason, &mut self.out),
            None => Ok(()),
        }
    }

    /// Ends a file; `was_read` is whether it was read to its end.
    pub fn end_file(&mut self, file: &FileLabel<'_>, was_read: bool) -> io::Result<()> {
        self.print_context(true)?;
        let count = std::mem::take(&mut self.file_findings);
        let begun = std::mem::take(&mut self.file_begun);
        match (count, was_read) {
            (0, true) => self.totals.clean_files += 1,
            (0, false) => {}
            _ => self.totals.with_findings += 1,
        }
        let Some(formatter) = &mut self.formatter else { return Ok(()) };
        let omitted = count.saturating_sub(self.max_findings);
        if omitted > 0 {
            let name = file.input.display_name();
            let text = findings_not_shown(omitted) + " (--max-findings=all shows them)";
            print_message(Message::about(&name).with_text(&text));
            formatter.omitted(omitted, &mut self.out)?;
        }
        if begun {
            formatter.end_file(&mut self.out)
        } else if was_read && count == 0 {
            formatter.clean_file(file, &mut self.out)
        } else {
            Ok(())
        }
    }

    /// Writes the buffered output, because the next read may block.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.out.buffer().is_empty() { Ok(()) } else { self.out.flush() }
    }

    /// Writes the end of the report and returns the counts.
    pub fn end(mut self, stats: Option<&CheckStats>) -> io::Result<CheckTotals> {
        if let Some(formatter) = &mut self.formatter {
            if let Some(stats) = stats {
                formatter.stats(stats, &self.totals, &mut self.out)?;
            }
            formatter.end(&self.totals, &mut self.out)?;
        }
        self.out.flush()?;
        Ok(self.totals)
    }

    /// Begins a file unless the formatter has begun it already.
    fn begin_file(&mut self, file: &FileLabel<'_>) -> io::Result<()> {
        match &mut self.formatter {
            Some(formatter) if !std::mem::replace(&mut self.file_begun, true) => {
                formatter.begin_file(file, &mut self.out)
            }
            _ => Ok(()),
        }
    }
}
