//! Lines in the form of a compiler's messages, which editors read.
//!
//! The form is that of the GNU Coding Standards, section 4.4, "Formatting Error Messages". A column
//! counts bytes from 1, as editors read it (`%c` of Vim's `errorformat`) and as GCC writes it with
//! `-fdiagnostics-column-unit=byte`.

use std::io::{self, Write};

use charpipe::check::Finding;

use super::format::Format;
use super::subject::Subject;

/// `FILE:LINE:COLUMN: error: MESSAGE [RULE]`.
#[derive(Default)]
pub struct Gcc {
    file: String,
    charset: &'static str,
}

impl Format for Gcc {
    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.charset) = (file.shown(), file.charset);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let (line, column) = (finding.place.line, finding.byte_column.unwrap_or(1));
        let (message, rule) = (finding.describe(self.charset), finding.rule().name());
        writeln!(out, "{}:{line}:{column}: error: {message} [{rule}]", self.file)
    }
}
