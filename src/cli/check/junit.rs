//! JUnit's form of test reports in XML, which most CI services show.
//!
//! There is no standard; this keeps to what the schemas of Jenkins and Windy Road have in common.
//! A file is a suite of one test, so that the counts, which stand before the findings, need not
//! wait for the last of them.

use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};

use charpipe::check::Finding;
use charpipe::quote::is_printable;

use super::format::{Format, Sum};
use super::line::{Line, Words};
use super::subject::Subject;
use super::telling::not_shown;

/// One test for each file; its failure lists the findings.
#[derive(Default)]
pub struct JUnit {
    /// The file in an attribute, and at the start of a line.
    file: String,
    file_first: String,
    charset: &'static str,
    open: Open,
    words: Words,
    line: Line,
}

/// How much of the test of a file has been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Open {
    #[default]
    Nothing,
    Failure,
    Test,
}

impl JUnit {
    fn test(&self, failures: u8, errors: u8, out: &mut dyn Write) -> io::Result<()> {
        let file = &self.file;
        write!(out, "<testsuite name=\"{file}\" tests=\"1\" failures=\"{failures}\"")?;
        writeln!(out, " errors=\"{errors}\" skipped=\"0\">")?;
        write!(out, "<testcase classname=\"charpipe.check\" name=\"{file}\" time=\"0\"")
    }
}

impl Format for JUnit {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>")
    }

    fn clean(&mut self, file: &Subject<'_>, out: &mut dyn Write) -> io::Result<()> {
        self.file = xml(file.shown()).to_string();
        self.test(0, 0, out)?;
        writeln!(out, "/>\n</testsuite>")
    }

    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.charset) = (xml(file.shown()).to_string(), file.charset);
        self.file_first = xml(file.shown_first()).to_string();
        self.open = Open::Nothing;
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let place = finding.place;
        if self.open == Open::Nothing {
            self.test(1, 0, out)?;
            let rule = finding.rule().name();
            let message = xml(finding.describe(self.charset));
            writeln!(out, ">\n<failure type=\"{rule}\" message=\"{place}: {message}\">")?;
            self.open = Open::Failure;
        }
        let message = self.words.of(finding, || xml(finding.describe(self.charset)));
        let line = self.line.text(&self.file_first).text(":").place(place);
        line.text(": ").text(message).text("\n").write(out)
    }

    fn omitted(&mut self, count: u64, out: &mut dyn Write) -> io::Result<()> {
        let text = not_shown(count);
        match self.open {
            Open::Nothing => {
                self.test(1, 0, out)?;
                write!(out, ">\n<failure type=\"findings\" message=\"{text}\">")?;
                self.open = Open::Failure;
                Ok(())
            }
            Open::Failure => writeln!(out, "{text}"),
            // The test is an error, which counts more.
            Open::Test => Ok(()),
        }
    }

    fn unread(&mut self, reason: &str, out: &mut dyn Write) -> io::Result<()> {
        match self.open {
            Open::Nothing => {
                self.test(0, 1, out)?;
                writeln!(out, ">")?;
            }
            Open::Failure => writeln!(out, "</failure>")?,
            Open::Test => {}
        }
        self.open = Open::Test;
        writeln!(out, "<error type=\"unreadable\" message=\"{}\"/>", xml(reason))
    }

    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.open == Open::Failure {
            writeln!(out, "</failure>")?;
        }
        writeln!(out, "</testcase>\n</testsuite>")
    }

    fn end(&mut self, _: &Sum, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "</testsuites>")
    }
}

/// Text in an element or an attribute (XML 1.0, section 2.4). It must be free of controls, most
/// of which XML cannot have at all.
fn xml(text: impl Display) -> impl Display {
    fmt::from_fn(move |f| {
        for character in text.to_string().chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // XML has no U+FFFE and no U+FFFF.
                '\u{FFFE}' | '\u{FFFF}' => f.write_char('\u{FFFD}')?,
                _ if is_printable(character) => f.write_char(character)?,
                _ => write!(f, "\\u{{{:X}}}", u32::from(character))?,
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_would_take_for_markup_or_refuses_is_written_otherwise() {
        assert_eq!(xml("a<b>&\"'c").to_string(), "a&lt;b&gt;&amp;&quot;'c");
        assert_eq!(xml("\u{FFFF}\x01").to_string(), "\u{FFFD}\\u{1}");
    }
}
