//! Line endings and the scanner that finds them.

use std::fmt;

use memchr::memchr2_iter;

/// The characters that end a line.
///
/// ```
/// use charpipe::internals::check::{CheckOptions, FindingKind, LineEnding, NewlineRule, check};
///
/// let mut options = CheckOptions::new(charpipe::UTF_8);
/// options.newline = NewlineRule::Lf;
/// match check(b"a\r\n", &options)?[0].kind {
///     FindingKind::WrongLineEnding { found, .. } => assert_eq!(found, LineEnding::CrLf),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// U+000A.
    Lf,
    /// U+000D U+000A.
    CrLf,
    /// U+000D that is not followed by U+000A.
    Cr,
}

impl LineEnding {
    /// Returns the length in bytes, in ASCII and its supersets.
    pub const fn byte_len(self) -> usize {
        match self {
            LineEnding::Lf | LineEnding::Cr => 1,
            LineEnding::CrLf => 2,
        }
    }

    /// Returns the line ending whose first byte, CR or LF, is at `index` of `text`. A CR at the end of
    /// `text` is reported as [`LineEnding::Cr`], although an LF may follow in the next chunk.
    pub fn at(text: &[u8], index: usize) -> LineEnding {
        match (text[index], text.get(index + 1)) {
            (b'\n', _) => LineEnding::Lf,
            (_, Some(b'\n')) => LineEnding::CrLf,
            _ => LineEnding::Cr,
        }
    }
}

impl fmt::Display for LineEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineEnding::Lf => "LF",
            LineEnding::CrLf => "CRLF",
            LineEnding::Cr => "CR",
        })
    }
}

/// Returns the index and kind of each line ending of `text`, in order. As with [`LineEnding::at`], a CR
/// at the end of `text` may be the first half of a CRLF.
pub fn line_endings(text: &[u8]) -> impl Iterator<Item = (usize, LineEnding)> {
    let mut crlf_lf = None;
    memchr2_iter(b'\r', b'\n', text).filter_map(move |index| {
        if crlf_lf == Some(index) {
            return None;
        }
        let found = LineEnding::at(text, index);
        crlf_lf = (found == LineEnding::CrLf).then_some(index + 1);
        Some((index, found))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_ending_is_found_once() {
        use LineEnding::{Cr, CrLf, Lf};
        let found: Vec<_> = line_endings(b"a\nb\r\nc\rd\r\r\n\n\r").collect();
        let expected = [(1, Lf), (3, CrLf), (6, Cr), (8, Cr), (9, CrLf), (11, Lf), (12, Cr)];
        assert_eq!(found, expected);
        for (index, ending) in found {
            assert_eq!(LineEnding::at(b"a\nb\r\nc\rd\r\r\n\n\r", index), ending);
        }
    }
}
