//! What a check has found, as a value.

use std::fmt;

use crate::fault::{Done, Excerpt, Fault, Kind, Place, What, Why};

/// Something in a file that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Where it begins; columns count characters. Lines are those of the text; in header words,
    /// where a line end may be no text, those of the file.
    pub place: Place,
    /// Its column in bytes, counted from 1: how far it stands behind the byte that begins its
    /// line. Only where the [rules](super::Rules) ask for it.
    pub byte_column: Option<u64>,
    /// Its bytes. Nought where something is missing rather than wrong.
    pub len: u64,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Bytes that are not of the encoding.
    Malformed {
        /// Why they are not.
        why: Why,
        /// The first of them, and the one behind them that shows what is wrong.
        excerpt: Excerpt,
    },
    /// A byte order mark that is forbidden.
    Marked,
    /// No byte order mark, where one is required.
    Unmarked,
    /// A line ends in another way than it should.
    LineEnd {
        /// How it ends.
        found: LineEnd,
        /// How it should.
        expected: LineEnd,
    },
    /// NUL in an encoding that writes no text with it.
    Binary,
}

/// The end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// U+000A.
    Lf,
    /// U+000D U+000A.
    CrLf,
    /// U+000D, and no U+000A behind it.
    Cr,
}

/// The rule that a finding breaks, as programs know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The bytes are of the encoding.
    IllFormed,
    /// The file does not end inside a character.
    Truncated,
    /// There is a byte order mark, or none, as it is asked for.
    Mark,
    /// Lines end as it is asked for.
    Newline,
    /// The file is text.
    Binary,
}

impl Rule {
    /// Every rule, in the order of [`index`](Rule::index).
    pub const ALL: [Rule; 5] =
        [Rule::IllFormed, Rule::Truncated, Rule::Mark, Rule::Newline, Rule::Binary];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::IllFormed => "ill-formed",
            Rule::Truncated => "truncated",
            Rule::Mark => "bom",
            Rule::Newline => "newline",
            Rule::Binary => "binary",
        }
    }

    /// It in a sentence.
    pub const fn about(self) -> &'static str {
        match self {
            Rule::IllFormed => "All bytes are of the encoding.",
            Rule::Truncated => "The file does not end inside a character.",
            Rule::Mark => "The file begins with a byte order mark, or with none, as is asked for.",
            Rule::Newline => "Every line ends in the way that is asked for.",
            Rule::Binary => "The file is text: there is no NUL in it.",
        }
    }

    /// Its index among [`ALL`](Rule::ALL).
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Finding {
    /// The rule that it breaks.
    pub const fn rule(&self) -> Rule {
        match self.problem {
            Problem::Malformed { why, .. } => match why.kind() {
                Kind::Truncated => Rule::Truncated,
                Kind::IllFormed | Kind::Unencodable => Rule::IllFormed,
            },
            Problem::Marked | Problem::Unmarked => Rule::Mark,
            Problem::LineEnd { .. } => Rule::Newline,
            Problem::Binary => Rule::Binary,
        }
    }

    /// The first of the offending bytes, if the bytes themselves are at fault.
    pub fn bytes(&self) -> &[u8] {
        match &self.problem {
            Problem::Malformed { excerpt, .. } => {
                let shown = excerpt.bytes();
                &shown[..shown.len().min(usize::try_from(self.len).unwrap_or(usize::MAX))]
            }
            _ => &[],
        }
    }

    /// It in words, for a file that should be in the charset of this name.
    pub fn describe<'a>(&'a self, charset: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| match self.problem {
            Problem::Malformed { why, excerpt } => {
                let what = What::Malformed { len: self.len as usize, why };
                let fault = Fault { what, done: Done::Skipped, place: None, excerpt };
                write!(f, "{}", fault.describe(charset, charset))
            }
            Problem::Marked => f.write_str("the file begins with a byte order mark"),
            Problem::Unmarked => f.write_str("the file does not begin with a byte order mark"),
            Problem::LineEnd { found, expected } => {
                write!(f, "the line ends with {found} ({expected} expected)")
            }
            Problem::Binary => {
                f.write_str("NUL: this is binary or in another encoding; the rest is not checked")
            }
        })
    }
}

impl fmt::Display for LineEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineEnd::Lf => "LF",
            LineEnd::CrLf => "CR LF",
            LineEnd::Cr => "CR",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_stands_at_its_index() {
        for (index, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule.index(), index);
        }
    }

    #[test]
    fn the_byte_that_shows_what_is_wrong_is_not_among_the_offending_ones() {
        let excerpt = Excerpt::of(b"\xE9 ");
        let place = Place { offset: 3, line: 1, column: 4 };
        let problem = Problem::Malformed { why: Why::Continuation, excerpt };
        let finding = Finding { place, byte_column: None, len: 1, problem };
        assert_eq!(finding.bytes(), b"\xE9");
        let described = "E9 20 is not UTF-8 (continuation byte expected)";
        assert_eq!(finding.describe("UTF-8").to_string(), described);
    }
}
