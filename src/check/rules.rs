//! What a check asks of a text beyond its encoding.

use std::fmt;
use std::str::FromStr;

/// What to ask of a byte order mark, U+FEFF at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BomRule {
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
pub enum NewlineRule {
    /// Each may be any of them.
    #[default]
    Any,
    /// Each must be LF.
    Lf,
    /// Each must be CR LF.
    CrLf,
    /// Each must be what the first one of the file is.
    Consistent,
}

/// What to make of a file that holds NUL, though its encoding writes no text with that byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BinaryFiles {
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
pub struct ParseRuleError {
    expected: Vec<&'static str>,
}

impl BomRule {
    /// Every rule and its word.
    pub const NAMES: [(&'static str, BomRule); 3] =
        [("any", BomRule::Any), ("forbid", BomRule::Forbid), ("require", BomRule::Require)];
}

impl NewlineRule {
    /// Every rule and its word.
    pub const NAMES: [(&'static str, NewlineRule); 4] = [
        ("any", NewlineRule::Any),
        ("lf", NewlineRule::Lf),
        ("crlf", NewlineRule::CrLf),
        ("same", NewlineRule::Consistent),
    ];
}

impl BinaryFiles {
    /// Every rule and its word.
    pub const NAMES: [(&'static str, BinaryFiles); 3] =
        [("report", BinaryFiles::Report), ("skip", BinaryFiles::Skip), ("text", BinaryFiles::Text)];
}

fn parse_rule<T: Copy>(names: &[(&'static str, T)], name: &str) -> Result<T, ParseRuleError> {
    let found = names.iter().find(|(known, _)| *known == name);
    let unknown = || ParseRuleError { expected: names.iter().map(|(known, _)| *known).collect() };
    found.map(|(_, rule)| *rule).ok_or_else(unknown)
}

impl FromStr for BomRule {
    type Err = ParseRuleError;

    fn from_str(name: &str) -> Result<BomRule, ParseRuleError> {
        parse_rule(&BomRule::NAMES, name)
    }
}

impl FromStr for NewlineRule {
    type Err = ParseRuleError;

    fn from_str(name: &str) -> Result<NewlineRule, ParseRuleError> {
        parse_rule(&NewlineRule::NAMES, name)
    }
}

impl FromStr for BinaryFiles {
    type Err = ParseRuleError;

    fn from_str(name: &str) -> Result<BinaryFiles, ParseRuleError> {
        parse_rule(&BinaryFiles::NAMES, name)
    }
}

impl fmt::Display for ParseRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {} expected", self.expected.join(", "))
    }
}

impl std::error::Error for ParseRuleError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_is_parsed_from_its_exact_name() {
        assert_eq!("require".parse(), Ok(BomRule::Require));
        assert_eq!("crlf".parse(), Ok(NewlineRule::CrLf));
        assert_eq!("text".parse(), Ok(BinaryFiles::Text));
        let refused = "CRLF".parse::<NewlineRule>().unwrap_err().to_string();
        assert_eq!(refused, "one of any, lf, crlf, same expected");
    }
}
