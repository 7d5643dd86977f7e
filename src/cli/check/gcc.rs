//! Lines in the form of a compiler's messages, which editors read.
//!
//! The form is that of the GNU Coding Standards, section 4.4, "Formatting Error Messages". A column
//! counts bytes from 1, as editors read it (`%c` of Vim's `errorformat`) and as GCC writes it with
//! `-fdiagnostics-column-unit=byte`.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::file_label::FileLabel;
use super::format::Formatter;
use super::line_buffer::{LineBuffer, MessageCache};

/// `FILE:LINE:COLUMN: error: MESSAGE [RULE]`.
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
        let message = self.messages.of(finding, || finding.display(self.encoding));
        let line = self.buffer.text(&self.file).text(":").number(finding.position.line);
        let line = line.text(":").number(finding.byte_column.unwrap_or(1));
        let line = line.text(": error: ").text(message);
        line.text(" [").text(finding.rule().name()).text("]\n").write_to(out)
    }
}
