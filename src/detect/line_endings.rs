//! The line endings of a whole text.

use std::fmt;

use crate::line_ending::{LineEnding, line_endings};

/// Counts line endings in input that arrives in chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineEndingCounter {
    lf: u64,
    crlf: u64,
    cr: u64,
    /// Whether the last byte was a CR, which may be the first half of a CRLF.
    pending_cr: bool,
}

impl LineEndingCounter {
    /// Counts the line endings of the next bytes, in a superset of ASCII.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        let mut start = 0;
        if std::mem::take(&mut self.pending_cr) {
            start = usize::from(*first == b'\n');
            *(if start == 1 { &mut self.crlf } else { &mut self.cr }) += 1;
        }
        let bytes = &bytes[start..];
        for (index, ending) in line_endings(bytes) {
            match ending {
                LineEnding::Lf => self.lf += 1,
                LineEnding::CrLf => self.crlf += 1,
                LineEnding::Cr if index + 1 == bytes.len() => self.pending_cr = true,
                LineEnding::Cr => self.cr += 1,
            }
        }
    }

    /// Returns the line endings of the input if it ends here.
    pub(crate) fn result(&self) -> LineEndings {
        let cr = self.cr + u64::from(self.pending_cr);
        match (self.lf > 0, self.crlf > 0, cr > 0) {
            (false, false, false) => LineEndings::None,
            (true, false, false) => LineEndings::All(LineEnding::Lf),
            (false, true, false) => LineEndings::All(LineEnding::CrLf),
            (false, false, true) => LineEndings::All(LineEnding::Cr),
            _ => LineEndings::Mixed,
        }
    }
}

/// The line endings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndings {
    /// There are none.
    None,
    /// All lines end in this way.
    All(LineEnding),
    /// There are several kinds.
    Mixed,
}

impl fmt::Display for LineEndings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineEndings::None => "none",
            LineEndings::All(LineEnding::Lf) => "lf",
            LineEndings::All(LineEnding::CrLf) => "crlf",
            LineEndings::All(LineEnding::Cr) => "cr",
            LineEndings::Mixed => "mixed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_do_not_depend_on_chunk_size() {
        for (text, expected) in [
            ("", LineEndings::None),
            ("a", LineEndings::None),
            ("a\nb\n\n", LineEndings::All(LineEnding::Lf)),
            ("a\r\nb\r\n\r\n", LineEndings::All(LineEnding::CrLf)),
            ("a\rb\r\r", LineEndings::All(LineEnding::Cr)),
            ("\r", LineEndings::All(LineEnding::Cr)),
            ("a\nb\r\n", LineEndings::Mixed),
            ("\r\r\n", LineEndings::Mixed),
            ("\n\r", LineEndings::Mixed),
            ("a\r\nb\r", LineEndings::Mixed),
        ] {
            for size in 1..=text.len().max(1) {
                let mut counter = LineEndingCounter::default();
                text.as_bytes().chunks(size).for_each(|chunk| counter.feed(chunk));
                assert_eq!(counter.result(), expected, "{text:?} {size}");
            }
        }
    }
}
