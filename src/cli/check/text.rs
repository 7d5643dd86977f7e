//! Lines for people, in the form in which a conversion tells errors.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::file_label::FileLabel;
use super::format::Formatter;
use super::line_buffer::{LineBuffer, MessageCache};

/// `FILE:LINE:COLUMN: byte OFFSET: MESSAGE`. Columns count characters.
#[derive(Default)]
pub struct TextFormatter {
    file: String,
    encoding: &'static str,
    messages: MessageCache,
    buffer: LineBuffer,
}

impl Formatter for TextFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.encoding) = (file.input.display_name(), file.encoding);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let message = self.messages.of(finding, || finding.display(self.encoding));
        let line = self.buffer.text(&self.file).text(":").position(finding.position);
        line.text(": ").text(message).text("\n").write_to(out)
    }
}
