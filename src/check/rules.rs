//! What a check asks of a text beyond its encoding.

use std::fmt;
use std::str::FromStr;

/// What to ask of a byte order mark, U+FEFF at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// There may be one.
    #[default]
    Any,
    /// There must be none.
    Forbid,
    /// There must be one, unless the file is empty.
    Require,
}

/// What to ask of the ends of lines: LF, CR LF, and CR that no LF follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Newline {
    /// Each may be any of them.
    #[default]
    Any,
    /// Each must be LF.
    Lf,
    /// Each must be CR LF.
    CrLf,
    /// Each must be what the first one of the file is.
    Same,
}

/// What to make of a file that holds NUL, though its encoding writes no text with that byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Binary {
    /// One finding; the rest of the file is not checked.
    #[default]
    Report,
    /// No finding; the file, or the rest of it, is not checked.
    Skip,
    /// NUL is a character as any other.
    Text,
}

/// A word that names no rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRule {
    words: Vec<&'static str>,
}

impl Mark {
    /// Every rule and its word.
    pub const WORDS: [(&'static str, Mark); 3] =
        [("any", Mark::Any), ("forbid", Mark::Forbid), ("require", Mark::Require)];
}

impl Newline {
    /// Every rule and its word.
    pub const WORDS: [(&'static str, Newline); 4] = [
        ("any", Newline::Any),
        ("lf", Newline::Lf),
        ("crlf", Newline::CrLf),
        ("same", Newline::Same),
    ];
}

impl Binary {
    /// Every rule and its word.
    pub const WORDS: [(&'static str, Binary); 3] =
        [("report", Binary::Report), ("skip", Binary::Skip), ("text", Binary::Text)];
}

fn named<T: Copy>(words: &[(&'static str, T)], word: &str) -> Result<T, UnknownRule> {
    let found = words.iter().find(|(known, _)| *known == word);
    let unknown = || UnknownRule { words: words.iter().map(|(known, _)| *known).collect() };
    found.map(|(_, rule)| *rule).ok_or_else(unknown)
}

impl FromStr for Mark {
    type Err = UnknownRule;

    fn from_str(word: &str) -> Result<Mark, UnknownRule> {
        named(&Mark::WORDS, word)
    }
}

impl FromStr for Newline {
    type Err = UnknownRule;

    fn from_str(word: &str) -> Result<Newline, UnknownRule> {
        named(&Newline::WORDS, word)
    }
}

impl FromStr for Binary {
    type Err = UnknownRule;

    fn from_str(word: &str) -> Result<Binary, UnknownRule> {
        named(&Binary::WORDS, word)
    }
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {} expected", self.words.join(", "))
    }
}

impl std::error::Error for UnknownRule {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_named_by_its_word_alone() {
        assert_eq!("require".parse(), Ok(Mark::Require));
        assert_eq!("crlf".parse(), Ok(Newline::CrLf));
        assert_eq!("text".parse(), Ok(Binary::Text));
        let refused = "CRLF".parse::<Newline>().unwrap_err().to_string();
        assert_eq!(refused, "one of any, lf, crlf, same expected");
    }
}
