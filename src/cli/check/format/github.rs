//! Workflow commands of GitHub Actions, which become annotations of a pull request.
//!
//! <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>: lines and
//! columns count from 1. A line feed ends a value; `,` and `::` end a property. These characters
//! are percent-encoded.

use std::fmt::Display;
use std::io::{self, Write};

use charpipe_check::Finding;
use charpipe_encoding::conversion_error::Position;

use super::formatter::{Formatter, findings_not_shown};
use crate::cli::check::line_buffer::FindingLines;
use crate::cli::check::message::MessageOfFinding;
use crate::cli::file_label::FileLabel;

/// `::error file=…,line=…,col=…,title=…::MESSAGE`.
#[derive(Default)]
pub struct GitHubFormatter {
    file: String,
    encoding: &'static str,
    lines: FindingLines,
}

impl Formatter for GitHubFormatter {
    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.lines.begin_file();
        (self.file, self.encoding) = (escape_property(&file.display()), file.encoding);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let Position { offset, line, column } = finding.position;
        out.write_all(self.lines.format(
            finding,
            &[line, column, offset],
            || escape_data(MessageOfFinding { finding, encoding: self.encoding }),
            |line, message| {
                line.text("::error file=").text(&self.file).text(",line=").number();
                line.text(",col=").number().text(",title=charpipe ").text(finding.rule().name());
                line.text("::byte ").number().text(": ").text(message).text("\n");
            },
        ))
    }

    fn omitted(&mut self, count: u64, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "::error file={},title=charpipe::{}", self.file, findings_not_shown(count))
    }

    fn unreadable(&mut self, reason: &str, out: &mut dyn Write) -> io::Result<()> {
        let (file, reason) = (&self.file, escape_data(reason));
        writeln!(out, "::error file={file},title=charpipe cannot read::{reason}")
    }
}

/// Escapes the text after `::`.
fn escape_data(text: impl Display) -> String {
    text.to_string().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_delimiters_are_escaped() {
        assert_eq!(escape_data("50% a:b,c\r\n"), "50%25 a:b,c%0D%0A");
        assert_eq!(escape_property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
