//! The line endings of a whole text.

use std::fmt;

use memchr::{memchr, memchr2};

use charpipe_encoding::line_ending::LineEnding;

/// The number of bytes that are searched at once.
const BLOCK_LEN: usize = 64;

/// Finds the kinds of line endings in input that arrives in chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineEndingScanner {
    has_lf: bool,
    has_crlf: bool,
    has_cr: bool,
    /// Whether the last byte was a CR, which may be the first half of a CRLF.
    pending_cr: bool,
}

impl LineEndingScanner {
    /// Searches the next bytes, in a superset of ASCII.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        if std::mem::take(&mut self.pending_cr) {
            if *first == b'\n' {
                self.has_crlf = true;
                bytes = &bytes[1..];
            } else {
                self.has_cr = true;
            }
        }
        while let Some(index) = self.find_other(bytes) {
            let ending = LineEnding::at(bytes, index);
            bytes = &bytes[index + ending.byte_len()..];
            match ending {
                LineEnding::Lf => self.has_lf = true,
                LineEnding::CrLf => self.has_crlf = true,
                LineEnding::Cr if bytes.is_empty() => self.pending_cr = true,
                LineEnding::Cr => self.has_cr = true,
            }
        }
    }

    /// Returns the index of the next line ending that may be of another kind than those before. In mixed
    /// line endings there is none.
    fn find_other(&self, bytes: &[u8]) -> Option<usize> {
        match (self.has_lf, self.has_crlf, self.has_cr) {
            (false, false, false) => memchr2(b'\r', b'\n', bytes),
            (true, false, false) => memchr(b'\r', bytes),
            (false, true, false) => find_other_than_crlf(bytes),
            // Alone or as the end of a CRLF, it is of another kind.
            (false, false, true) => memchr(b'\n', bytes),
            _ => None,
        }
    }

    /// Returns the line endings of the input if it ends here.
    pub(crate) fn result(&self) -> LineEndings {
        match (self.has_lf, self.has_crlf, self.has_cr || self.pending_cr) {
            (false, false, false) => LineEndings::None,
            (true, false, false) => LineEndings::All(LineEnding::Lf),
            (false, true, false) => LineEndings::All(LineEnding::CrLf),
            (false, false, true) => LineEndings::All(LineEnding::Cr),
            _ => LineEndings::Mixed,
        }
    }
}

/// Returns the index of the first CR or LF that is not part of a CRLF.
fn find_other_than_crlf(bytes: &[u8]) -> Option<usize> {
    let (first, last) = (bytes.first()?, bytes.len() - 1);
    if *first == b'\n' {
        return Some(0);
    }
    let differs = |(byte, next): (&u8, &u8)| (*byte == b'\r') != (*next == b'\n');
    let pairs = bytes[..last].chunks(BLOCK_LEN).zip(bytes[1..].chunks(BLOCK_LEN));
    for (block, (firsts, seconds)) in pairs.enumerate() {
        let pairs = || firsts.iter().zip(seconds);
        if pairs().fold(false, |found, pair| found | differs(pair)) {
            let index = block * BLOCK_LEN + pairs().position(differs)?;
            return Some(if bytes[index] == b'\r' { index } else { index + 1 });
        }
    }
    (bytes[last] == b'\r').then_some(last)
}

/// The line endings of a text.
///
/// ```
/// use charpipe_detect::{LineEndings, detect};
///
/// assert_eq!(detect(b"a\nb\r\n").line_endings, LineEndings::Mixed);
/// ```
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
    fn result_does_not_depend_on_chunk_size() {
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
                let mut scanner = LineEndingScanner::default();
                text.as_bytes().chunks(size).for_each(|chunk| scanner.feed(chunk));
                assert_eq!(scanner.result(), expected, "{text:?} {size}");
            }
        }
    }

    #[test]
    fn deviation_is_found_at_every_index() {
        for ending in ["\n", "\r\n", "\r"] {
            let text = format!("word{ending}{ending}another{ending}").repeat(20);
            let ends = |text: &str| {
                let mut scanner = LineEndingScanner::default();
                scanner.feed(text.as_bytes());
                scanner.result()
            };
            let expected = ends(ending);
            assert_eq!(ends(&text), expected);
            for index in
                (0..=text.len()).filter(|index| ending != "\r\n" || !text[..*index].ends_with('\r'))
            {
                for other in ["\n", "\r\n", "\r"].into_iter().filter(|other| *other != ending) {
                    let (before, after) = text.split_at(index);
                    let joins = other == "\r" && after.starts_with('\n')
                        || other == "\n" && before.ends_with('\r')
                        || before.ends_with('\r') && other.starts_with('\n');
                    let found = ends(&[before, other, after].concat());
                    if !joins {
                        assert_eq!(found, LineEndings::Mixed, "{ending:?} {other:?} {index}");
                    }
                }
            }
        }
    }
}
