//! Lines for people (`text`), and lines like those of a compiler for editors (`gcc`).

use std::io::{self, Write};

use crate::check::Finding;
use crate::cli::color::{self, Role};
use crate::conversion_error::Position;

use super::super::file_label::FileLabel;
use super::super::line_buffer::{LineBuffer, MessageCache};
use super::super::message::FindingMessage;
use super::super::stats::CheckStats;
use super::{CheckTotals, Formatter};

/// `FILE:LINE:COLUMN: byte OFFSET: MESSAGE`, as a conversion reports errors. Columns count
/// characters.
#[derive(Default)]
pub struct TextFormatter {
    /// The escape sequences around a position, if the report is colored.
    position_escapes: Option<(String, String)>,
    has_findings: bool,
    file: String,
    encoding: &'static str,
    messages: MessageCache,
    buffer: LineBuffer,
}

impl Formatter for TextFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.encoding) = (file.input.display_name(), file.encoding);
        self.position_escapes = color::stdout_is_colored().then(|| Role::Position.escapes());
        if self.position_escapes.is_some() {
            self.file = Role::Path.paint(&self.file);
        }
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        self.has_findings = true;
        let message = FindingMessage { finding, encoding: self.encoding };
        let Some((start, end)) = &self.position_escapes else {
            let message = self.messages.get(finding, || message);
            let line = self.buffer.text(&self.file).text(":").position(finding.position);
            return line.text(": ").text(message).text("\n").write_to(out);
        };
        let message = self.messages.get(finding, || color::paint_reason(&message.to_string()));
        let Position { offset, line, column } = finding.position;
        let text = self.buffer.text(&self.file).text(":").text(start).number(line).text(":");
        let text = text.number(column).text(end).text(": byte ").number(offset);
        text.text(": ").text(message).text("\n").write_to(out)
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
    messages: MessageCache,
    buffer: LineBuffer,
}

impl Formatter for GccFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.encoding) = (file.display_at_line_start(), file.encoding);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let message =
            self.messages.get(finding, || FindingMessage { finding, encoding: self.encoding });
        let line = self.buffer.text(&self.file).text(":").number(finding.position.line);
        let line = line.text(":").number(finding.byte_column.unwrap_or(1));
        let line = line.text(": error: ").text(message);
        line.text(" [").text(finding.rule().name()).text("]\n").write_to(out)
    }
}
