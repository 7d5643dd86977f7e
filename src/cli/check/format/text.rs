//! Lines for people (`text`), and lines like those of a compiler for editors (`gcc`).

use std::io::{self, Write};

use crate::cli::color::{self, Role};
use charpipe_check::Finding;
use charpipe_encoding::conversion_error::Position;

use super::formatter::Formatter;
use crate::cli::check::line_buffer::FindingLines;
use crate::cli::check::message::MessageOfFinding;
use crate::cli::check::stats::{CheckStats, CheckTotals};
use crate::cli::file_label::FileLabel;

/// `FILE:LINE:COLUMN: byte OFFSET: MESSAGE`, as a conversion reports errors. Columns count
/// characters.
#[derive(Default)]
pub struct TextFormatter {
    /// The escape sequences around a position, if the report is colored.
    position_escapes: Option<(String, String)>,
    has_findings: bool,
    file: String,
    encoding: &'static str,
    lines: FindingLines,
}

impl Formatter for TextFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.lines.begin_file();
        (self.file, self.encoding) = (file.input.display_name(), file.encoding);
        self.position_escapes = color::stdout_is_colored().then(|| Role::Position.escapes());
        if self.position_escapes.is_some() {
            self.file = Role::Path.paint(&self.file);
        }
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        self.has_findings = true;
        let (encoding, is_colored) = (self.encoding, self.position_escapes.is_some());
        let message = || {
            let message = MessageOfFinding { finding, encoding }.to_string();
            if is_colored { color::paint_reason(&message) } else { message }
        };
        let (start, end) = match &self.position_escapes {
            Some((start, end)) => (start.as_str(), end.as_str()),
            None => ("", ""),
        };
        let Position { offset, line, column } = finding.position;
        out.write_all(self.lines.format(
            finding,
            &[line, column, offset],
            message,
            |line, message| {
                line.text(&self.file).text(":").text(start).number().text(":").number();
                line.text(end).text(": byte ").number().text(": ").text(message).text("\n");
            },
        ))
    }

    fn stats(
        &mut self,
        stats: &CheckStats,
        totals: &CheckTotals,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let separator = if self.has_findings { "\n" } else { "" };
        write!(out, "{separator}{}", stats.tables(totals))
    }
}

/// `FILE:LINE:COLUMN: error: MESSAGE [RULE]` (GNU Coding Standards, section 4.4, "Formatting Error
/// Messages"). Columns count bytes from 1, as editors expect (`%c` of Vim's `errorformat`) and as
/// GCC writes them with `-fdiagnostics-column-unit=byte`.
#[derive(Default)]
pub struct GccFormatter {
    file: String,
    encoding: &'static str,
    lines: FindingLines,
}

impl Formatter for GccFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.lines.begin_file();
        (self.file, self.encoding) = (file.display_at_line_start(), file.encoding);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let numbers = [finding.position.line, finding.byte_column.unwrap_or(1)];
        out.write_all(self.lines.format(
            finding,
            &numbers,
            || MessageOfFinding { finding, encoding: self.encoding },
            |line, message| {
                line.text(&self.file).text(":").number().text(":").number();
                line.text(": error: ").text(message);
                line.text(" [").text(finding.rule().name()).text("]\n");
            },
        ))
    }
}
