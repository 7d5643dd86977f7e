//! The names of the files with findings, or of those without.

use std::io::{self, Write};

use charpipe_check::Finding;

use super::formatter::Formatter;
use crate::cli::file_label::FileLabel;

/// One name per line, quoted as in messages, or the exact names, each followed by NUL.
pub struct NameFormatter {
    /// Whether the files with findings are listed.
    pub with_findings: bool,
    pub null: bool,
    /// The name of the current file, until it has been printed.
    name: Option<Vec<u8>>,
}

impl NameFormatter {
    pub fn new(with_findings: bool, null: bool) -> NameFormatter {
        NameFormatter { with_findings, null, name: None }
    }

    /// Returns the line with the name of a file.
    fn line(&self, file: &FileLabel<'_>) -> Vec<u8> {
        match self.null {
            true => [file.exact_name(), b"\0"].concat(),
            false => format!("{}\n", file.quoted_name()).into_bytes(),
        }
    }
}

impl Formatter for NameFormatter {
    fn clean_file(&mut self, file: &FileLabel<'_>, out: &mut dyn Write) -> io::Result<()> {
        if self.with_findings { Ok(()) } else { out.write_all(&self.line(file)) }
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.name = self.with_findings.then(|| self.line(file));
        Ok(())
    }

    fn finding(&mut self, _: &Finding, out: &mut dyn Write) -> io::Result<()> {
        self.name.take().map_or(Ok(()), |name| out.write_all(&name))
    }
}
