//! What a check has found, as a value.

use std::fmt;

use crate::conversion_error::{
    ActionTaken, ErrorClass, ErrorEvent, ErrorKind, Excerpt, MalformedReason, Position,
};

/// Something in a file that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Where it begins; columns count characters. Lines are those of the text; in header words,
    /// where a line end may be no text, those of the file.
    pub position: Position,
    /// Its column in bytes, counted from 1: how far it stands after the byte that begins its
    /// line. Only where the [rules](super::Rules) ask for it.
    pub byte_column: Option<u64>,
    /// Its bytes. Zero where something is missing rather than wrong.
    pub len: u64,
    /// What is wrong.
    pub kind: FindingKind,
}

/// What is wrong at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// Bytes that are not of the encoding.
    Malformed {
        /// Why they are not.
        reason: MalformedReason,
        /// The first of them, and the one after them that shows what is wrong.
        excerpt: Excerpt,
    },
    /// A byte order mark that is forbidden.
    UnexpectedBom,
    /// No byte order mark, where one is required.
    MissingBom,
    /// A line ends in another way than it should.
    WrongLineEnding {
        /// How it ends.
        found: LineEnding,
        /// How it should.
        expected: LineEnding,
    },
    /// NUL in an encoding that writes no text with it.
    Binary,
}

/// The end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// U+000A.
    Lf,
    /// U+000D U+000A.
    CrLf,
    /// U+000D, and no U+000A after it.
    Cr,
}

/// The rule that a finding breaks, as programs know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The bytes are of the encoding.
    IllFormed,
    /// The file does not end inside a character.
    Truncated,
    /// There is a byte order mark, or none, as it is requested.
    Bom,
    /// Lines end as it is requested.
    Newline,
    /// The file is text.
    Binary,
}

impl Rule {
    /// Every rule, in the order of [`index`](Rule::index).
    pub const ALL: [Rule; 5] =
        [Rule::IllFormed, Rule::Truncated, Rule::Bom, Rule::Newline, Rule::Binary];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::IllFormed => "ill-formed",
            Rule::Truncated => "truncated",
            Rule::Bom => "bom",
            Rule::Newline => "newline",
            Rule::Binary => "binary",
        }
    }

    /// It in a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Rule::IllFormed => "All bytes are of the encoding.",
            Rule::Truncated => "The file does not end inside a character.",
            Rule::Bom => "The file begins with a byte order mark, or with none, as is asked for.",
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
        match self.kind {
            FindingKind::Malformed { reason: why, .. } => match why.class() {
                ErrorClass::Truncated => Rule::Truncated,
                ErrorClass::Malformed | ErrorClass::Unmappable => Rule::IllFormed,
            },
            FindingKind::UnexpectedBom | FindingKind::MissingBom => Rule::Bom,
            FindingKind::WrongLineEnding { .. } => Rule::Newline,
            FindingKind::Binary => Rule::Binary,
        }
    }

    /// The first of the offending bytes, if the bytes themselves are at error.
    pub fn malformed_bytes(&self) -> &[u8] {
        match &self.kind {
            FindingKind::Malformed { excerpt, .. } => {
                let shown = excerpt.bytes();
                &shown[..shown.len().min(usize::try_from(self.len).unwrap_or(usize::MAX))]
            }
            _ => &[],
        }
    }

    /// It in words, for a file that should be in the encoding of this name.
    pub fn display<'a>(&'a self, encoding: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| match self.kind {
            FindingKind::Malformed { reason: why, excerpt } => {
                let kind = ErrorKind::Malformed { len: self.len as usize, reason: why };
                let error = ErrorEvent {
                    kind,
                    action_taken: ActionTaken::Skipped,
                    position: None,
                    excerpt,
                };
                write!(f, "{}", error.display(encoding, encoding))
            }
            FindingKind::UnexpectedBom => f.write_str("the file begins with a byte order mark"),
            FindingKind::MissingBom => {
                f.write_str("the file does not begin with a byte order mark")
            }
            FindingKind::WrongLineEnding { found, expected } => {
                write!(f, "the line ends with {found} ({expected} expected)")
            }
            FindingKind::Binary => {
                f.write_str("NUL: this is binary or in another encoding; the rest is not checked")
            }
        })
    }
}

impl fmt::Display for LineEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineEnding::Lf => "LF",
            LineEnding::CrLf => "CR LF",
            LineEnding::Cr => "CR",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_index_matches_position_in_all() {
        for (index, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule.index(), index);
        }
    }

    #[test]
    fn context_byte_is_not_one_of_the_malformed_bytes() {
        let excerpt = Excerpt::hex(b"\xE9 ");
        let position = Position { offset: 3, line: 1, column: 4 };
        let kind = FindingKind::Malformed { reason: MalformedReason::MissingTrailByte, excerpt };
        let finding = Finding { position: position, byte_column: None, len: 1, kind: kind };
        assert_eq!(finding.malformed_bytes(), b"\xE9");
        let described = "invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)";
        assert_eq!(finding.display("UTF-8").to_string(), described);
    }
}
