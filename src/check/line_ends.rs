//! Line ends, seen in text that comes in pieces.

use memchr::{memchr_iter, memchr2_iter};

use super::finding::LineEnd;
use super::rules::Newline;

/// Holds the line ends of a file to a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineEnds {
    rule: Newline,
    /// How the first line ends, under [`Newline::Same`].
    first: Option<LineEnd>,
}

impl LineEnds {
    pub fn new(rule: Newline) -> LineEnds {
        LineEnds { rule, first: None }
    }

    /// Begins another file.
    pub fn reset(&mut self) {
        self.first = None;
    }

    pub fn are_checked(&self) -> bool {
        self.rule != Newline::Any
    }

    /// How this line should have ended, if otherwise.
    pub fn judge(&mut self, found: LineEnd) -> Option<LineEnd> {
        let expected = match self.rule {
            Newline::Any => return None,
            Newline::Lf => LineEnd::Lf,
            Newline::CrLf => LineEnd::CrLf,
            Newline::Same => *self.first.get_or_insert(found),
        };
        (found != expected).then_some(expected)
    }

    /// Where the next line end stands in `text` that may break the rule, and what it is. A CR at
    /// the very end is as good as one alone: the caller has to look behind it.
    pub fn next(&self, text: &[u8], from: usize) -> Option<(usize, LineEnd)> {
        let rest = text.get(from..)?;
        let at = match self.rule {
            Newline::Any => None,
            // A line end without CR is as it should be.
            Newline::Lf => memchr_iter(b'\r', rest).next(),
            Newline::CrLf => faulty_among_crlf(rest),
            Newline::Same if self.first == Some(LineEnd::Lf) => memchr_iter(b'\r', rest).next(),
            Newline::Same if self.first == Some(LineEnd::CrLf) => faulty_among_crlf(rest),
            Newline::Same => memchr2_iter(b'\r', b'\n', rest).next(),
        }?;
        let found = match (rest[at], rest.get(at + 1)) {
            (b'\n', _) => LineEnd::Lf,
            (_, Some(b'\n')) => LineEnd::CrLf,
            _ => LineEnd::Cr,
        };
        Some((from + at, found))
    }
}

/// The first CR or LF that does not belong to a CR LF.
fn faulty_among_crlf(text: &[u8]) -> Option<usize> {
    let mut good = None;
    for at in memchr2_iter(b'\r', b'\n', text) {
        if good == Some(at) {
            continue;
        }
        if text[at] == b'\n' || text.get(at + 1) != Some(&b'\n') {
            return Some(at);
        }
        good = Some(at + 1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(rule: Newline, text: &str) -> Vec<(usize, LineEnd)> {
        let mut ends = LineEnds::new(rule);
        let (mut from, mut all) = (0, Vec::new());
        while let Some((at, found)) = ends.next(text.as_bytes(), from) {
            if ends.judge(found).is_some() {
                all.push((at, found));
            }
            from = at + if found == LineEnd::CrLf { 2 } else { 1 };
        }
        all
    }

    #[test]
    fn each_line_end_that_breaks_the_rule_is_found_once() {
        use LineEnd::{Cr, CrLf, Lf};
        let text = "a\nb\r\nc\rd\r\r\n\n";
        for (rule, expected) in [
            (Newline::Any, vec![]),
            (Newline::Lf, vec![(3, CrLf), (6, Cr), (8, Cr), (9, CrLf)]),
            (Newline::CrLf, vec![(1, Lf), (6, Cr), (8, Cr), (11, Lf)]),
            (Newline::Same, vec![(3, CrLf), (6, Cr), (8, Cr), (9, CrLf)]),
        ] {
            assert_eq!(all(rule, text), expected, "{rule:?}");
        }
        assert_eq!(all(Newline::Same, "a\r\nb\r\nc\n\r"), [(7, Lf), (8, Cr)]);
        assert_eq!(all(Newline::Same, "a\rb\rc\n"), [(5, Lf)]);
    }
}
