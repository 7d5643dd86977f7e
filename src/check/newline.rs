//! Line ends, seen in text that comes in pieces.

use memchr::{memchr_iter, memchr2_iter};

use super::finding::LineEnding;
use super::rules::NewlineRule;

/// Holds the line ends of a file to a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewlineChecker {
    rule: NewlineRule,
    /// How the first line ends, under [`Newline::Same`].
    first: Option<LineEnding>,
}

impl NewlineChecker {
    pub fn new(rule: NewlineRule) -> NewlineChecker {
        NewlineChecker { rule, first: None }
    }

    /// Begins another file.
    pub fn reset(&mut self) {
        self.first = None;
    }

    pub fn is_enabled(&self) -> bool {
        self.rule != NewlineRule::Any
    }

    /// How this line should have ended, if otherwise.
    pub fn violation(&mut self, found: LineEnding) -> Option<LineEnding> {
        let expected = match self.rule {
            NewlineRule::Any => return None,
            NewlineRule::Lf => LineEnding::Lf,
            NewlineRule::CrLf => LineEnding::CrLf,
            NewlineRule::Consistent => *self.first.get_or_insert(found),
        };
        (found != expected).then_some(expected)
    }

    /// Where the next line end stands in `text` that may break the rule, and what it is. A CR at
    /// the very end is as good as one alone: the caller has to look after it.
    pub fn next_candidate(&self, text: &[u8], from: usize) -> Option<(usize, LineEnding)> {
        let rest = text.get(from..)?;
        let at = match self.rule {
            NewlineRule::Any => None,
            // A line end without CR is as it should be.
            NewlineRule::Lf => memchr_iter(b'\r', rest).next(),
            NewlineRule::CrLf => find_non_crlf(rest),
            NewlineRule::Consistent if self.first == Some(LineEnding::Lf) => {
                memchr_iter(b'\r', rest).next()
            }
            NewlineRule::Consistent if self.first == Some(LineEnding::CrLf) => find_non_crlf(rest),
            NewlineRule::Consistent => memchr2_iter(b'\r', b'\n', rest).next(),
        }?;
        let found = match (rest[at], rest.get(at + 1)) {
            (b'\n', _) => LineEnding::Lf,
            (_, Some(b'\n')) => LineEnding::CrLf,
            _ => LineEnding::Cr,
        };
        Some((from + at, found))
    }
}

/// The first CR or LF that does not belong to a CR LF.
fn find_non_crlf(text: &[u8]) -> Option<usize> {
    let mut crlf_end = None;
    for at in memchr2_iter(b'\r', b'\n', text) {
        if crlf_end == Some(at) {
            continue;
        }
        if text[at] == b'\n' || text.get(at + 1) != Some(&b'\n') {
            return Some(at);
        }
        crlf_end = Some(at + 1);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_violations(rule: NewlineRule, text: &str) -> Vec<(usize, LineEnding)> {
        let mut checker = NewlineChecker::new(rule);
        let (mut from, mut all) = (0, Vec::new());
        while let Some((at, found)) = checker.next_candidate(text.as_bytes(), from) {
            if checker.violation(found).is_some() {
                all.push((at, found));
            }
            from = at + if found == LineEnding::CrLf { 2 } else { 1 };
        }
        all
    }

    #[test]
    fn each_wrong_line_ending_is_found_once() {
        use LineEnding::{Cr, CrLf, Lf};
        let text = "a\nb\r\nc\rd\r\r\n\n";
        for (rule, expected) in [
            (NewlineRule::Any, vec![]),
            (NewlineRule::Lf, vec![(3, CrLf), (6, Cr), (8, Cr), (9, CrLf)]),
            (NewlineRule::CrLf, vec![(1, Lf), (6, Cr), (8, Cr), (11, Lf)]),
            (NewlineRule::Consistent, vec![(3, CrLf), (6, Cr), (8, Cr), (9, CrLf)]),
        ] {
            assert_eq!(find_violations(rule, text), expected, "{rule:?}");
        }
        assert_eq!(find_violations(NewlineRule::Consistent, "a\r\nb\r\nc\n\r"), [(7, Lf), (8, Cr)]);
        assert_eq!(find_violations(NewlineRule::Consistent, "a\rb\rc\n"), [(5, Lf)]);
    }
}
