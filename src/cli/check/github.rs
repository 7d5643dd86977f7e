//! Workflow commands of GitHub Actions, which become annotations of a pull request.
//!
//! <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>: lines and
//! columns count from 1. A value ends with the line, and a property also with `,` or `::`; what
//! would end them is written with `%`.

use std::fmt::{self, Display};
use std::io::{self, Write};

use charpipe::check::Finding;

use super::format::Format;
use super::line::{Line, Words};
use super::subject::Subject;
use super::telling::not_shown;

/// `::error file=…,line=…,col=…,title=…::MESSAGE`.
#[derive(Default)]
pub struct GitHub {
    file: String,
    charset: &'static str,
    words: Words,
    line: Line,
}

impl Format for GitHub {
    fn open(&mut self, file: &Subject<'_>, _: &mut dyn Write) -> io::Result<()> {
        (self.file, self.charset) = (property(&file.shown()), file.charset);
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let place = finding.place;
        let message = self.words.of(finding, || data(finding.describe(self.charset)));
        let line = self.line.text("::error file=").text(&self.file);
        let line = line.text(",line=").number(place.line).text(",col=").number(place.column);
        let line = line.text(",title=charpipe ").text(finding.rule().name());
        line.text("::byte ").number(place.offset).text(": ").text(message).text("\n").write(out)
    }

    fn omitted(&mut self, count: u64, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "::error file={},title=charpipe::{}", self.file, not_shown(count))
    }

    fn unread(&mut self, reason: &str, out: &mut dyn Write) -> io::Result<()> {
        let (file, reason) = (&self.file, data(reason));
        writeln!(out, "::error file={file},title=charpipe cannot read::{reason}")
    }
}

/// What stands behind `::`.
fn data(text: impl Display) -> impl Display {
    fmt::from_fn(move |f| {
        f.write_str(&text.to_string().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"))
    })
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).to_string().replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_value_is_escaped() {
        assert_eq!(data("50% a:b,c\r\n").to_string(), "50%25 a:b,c%0D%0A");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
    }
}
