//! Lines in the form of a compiler's messages, which editors read.
//!
//! The form is that of the GNU Coding Standards, section 4.4, "Formatting Error Messages". A column
//! counts bytes from 1, as editors read it (`%c` of Vim's `errorformat`) and as GCC writes it with
//! `-fdiagnostics-column-unit=byte`.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::format::Format;
use super::line::{Line, Words};
use super::subject::Subject;

/// `FILE:LINE:COLUMN: error: MESSAGE [RULE]`.
#[derive(Default)]
pub struct Gcc {
    file: String,
    charset: &'static str,
    words: Words,
    line: Line,
}

impl Format for Gcc {
    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.charset) = (file.shown_first(), file.charset);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let message = self.words.of(finding, || finding.describe(self.charset));
        let line = self.line.text(&self.file).text(":").number(finding.place.line);
        let line = line.text(":").number(finding.byte_column.unwrap_or(1));
        let line = line.text(": error: ").text(message);
        line.text(" [").text(finding.rule().name()).text("]\n").write(out)
    }
}
