//! Lines for people, in the form in which a conversion tells faults.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::format::Format;
use super::line::{Line, Words};
use super::subject::Subject;

/// `FILE:LINE:COLUMN: byte OFFSET: MESSAGE`. Columns count characters.
#[derive(Default)]
pub struct Text {
    file: String,
    charset: &'static str,
    words: Words,
    line: Line,
}

impl Format for Text {
    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.charset) = (file.input.name(), file.charset);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let message = self.words.of(finding, || finding.describe(self.charset));
        let line = self.line.text(&self.file).text(":").place(finding.place);
        line.text(": ").text(message).text("\n").write(out)
    }
}
