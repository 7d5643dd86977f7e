//! Test reports in the XML format of JUnit, which most CI services display.
//!
//! No standard exists; the report uses only what the schemas of Jenkins and Windy Road have in
//! common. Each file is a suite of one test, so that the counts, which precede the findings, are
//! known before the last finding.

use std::fmt::Display;
use std::io::{self, Write};

use crate::cli::quote::is_printable;
use charpipe_check::Finding;
use charpipe_encoding::conversion_error::Position;

use super::formatter::{Formatter, findings_not_shown};
use crate::cli::check::line_buffer::FindingLines;
use crate::cli::check::message::MessageOfFinding;
use crate::cli::check::stats::CheckTotals;
use crate::cli::file_label::FileLabel;

/// One test per file; its failure lists the findings.
#[derive(Default)]
pub struct JUnitFormatter {
    /// The name of the file as an attribute value.
    file: String,
    /// The name of the file at the start of a line.
    line_prefix: String,
    encoding: &'static str,
    element: OpenElement,
    lines: FindingLines,
}

/// The element that is open in the report of the current file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum OpenElement {
    #[default]
    None,
    Failure,
    TestCase,
}

impl JUnitFormatter {
    fn begin_test_case(&self, failures: u8, errors: u8, out: &mut dyn Write) -> io::Result<()> {
        let file = &self.file;
        write!(out, "<testsuite name=\"{file}\" tests=\"1\" failures=\"{failures}\"")?;
        writeln!(out, " errors=\"{errors}\" skipped=\"0\">")?;
        write!(out, "<testcase classname=\"charpipe.check\" name=\"{file}\" time=\"0\"")
    }
}

impl Formatter for JUnitFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>")
    }

    fn clean_file(&mut self, file: &FileLabel<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.file = escape_xml(file.display());
        self.begin_test_case(0, 0, out)?;
        writeln!(out, "/>\n</testsuite>")
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.lines.begin_file();
        (self.file, self.encoding) = (escape_xml(file.display()), file.encoding);
        self.line_prefix = escape_xml(file.display_at_line_start());
        self.element = OpenElement::None;
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let position = finding.position;
        if self.element == OpenElement::None {
            self.begin_test_case(1, 0, out)?;
            let rule = finding.rule().name();
            let message = escape_xml(MessageOfFinding { finding, encoding: self.encoding });
            writeln!(out, ">\n<failure type=\"{rule}\" message=\"{position}: {message}\">")?;
            self.element = OpenElement::Failure;
        }
        let Position { offset, line, column } = position;
        out.write_all(self.lines.format(
            finding,
            &[line, column, offset],
            || escape_xml(MessageOfFinding { finding, encoding: self.encoding }),
            |line, message| {
                line.text(&self.line_prefix).text(":").number().text(":").number();
                line.text(": byte ").number().text(": ").text(message).text("\n");
            },
        ))
    }

    fn omitted(&mut self, count: u64, out: &mut dyn Write) -> io::Result<()> {
        let text = findings_not_shown(count);
        match self.element {
            OpenElement::None => {
                self.begin_test_case(1, 0, out)?;
                write!(out, ">\n<failure type=\"findings\" message=\"{text}\">")?;
                self.element = OpenElement::Failure;
                Ok(())
            }
            OpenElement::Failure => writeln!(out, "{text}"),
            // The test is already an error, which is more severe than a failure.
            OpenElement::TestCase => Ok(()),
        }
    }

    fn unreadable(&mut self, reason: &str, out: &mut dyn Write) -> io::Result<()> {
        match self.element {
            OpenElement::None => {
                self.begin_test_case(0, 1, out)?;
                writeln!(out, ">")?;
            }
            OpenElement::Failure => writeln!(out, "</failure>")?,
            OpenElement::TestCase => {}
        }
        self.element = OpenElement::TestCase;
        writeln!(out, "<error type=\"unreadable\" message=\"{}\"/>", escape_xml(reason))
    }

    fn end_file(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.element == OpenElement::Failure {
            writeln!(out, "</failure>")?;
        }
        writeln!(out, "</testcase>\n</testsuite>")
    }

    fn end(&mut self, _: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</testsuites>")
    }
}

/// Escapes the text of an element or attribute (XML 1.0, section 2.4). Control characters are
/// escaped as `\u{...}`, because most of them are not allowed in XML even as references.
fn escape_xml(text: impl Display) -> String {
    let mut escaped = String::new();
    for character in text.to_string().chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML does not allow U+FFFE and U+FFFF.
            '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            _ if is_printable(character) => escaped.push(character),
            _ => escaped.push_str(&format!("\\u{{{:X}}}", u32::from(character))),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_forbidden_characters_are_escaped_in_xml() {
        assert_eq!(escape_xml("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;'c");
        assert_eq!(escape_xml("\u{FFFF}\x01"), "\u{FFFD}\\u{1}");
    }
}
