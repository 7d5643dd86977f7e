//! Where charpipe and its peers differ, and why. Any other difference is a mistake of charpipe's or
//! a row that is missing here.

mod encoding;
mod forms;
mod imap;
mod utf7;

use crate::families::Family;
use crate::peers::Peer;

/// Which of the two conversions of a charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    Decode,
    Encode,
}

/// A disagreement that is known.
#[derive(Debug)]
pub struct Row {
    pub peer: Peer,
    pub charset: &'static str,
    /// What charpipe decodes it to, or encodes it from.
    pub pivot: &'static str,
    pub direction: Direction,
    /// The inputs, as the tests tell them.
    pub family: Family,
    /// What can be said of the peer's answer to all of them.
    pub rule: Rule,
    /// The inputs in words.
    pub inputs: &'static str,
    /// What the peer does with them.
    pub theirs: &'static str,
    /// What charpipe does with them.
    pub ours: &'static str,
    /// Why charpipe does it so.
    pub why: &'static str,
    /// Inputs that show it.
    pub examples: &'static [Example],
}

/// What most rows have in common, for the tables to fill in.
const BLANK: Row = Row {
    peer: Peer::Glibc,
    charset: "",
    pivot: "UTF-8",
    direction: Direction::Decode,
    family: Family::Any,
    rule: Rule::Accepts,
    inputs: "",
    theirs: "",
    ours: "",
    why: "",
    examples: &[],
};

/// What can be said of a peer's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// It is charpipe's answer with this charset and this pivot.
    SameAs(&'static str, &'static str),
    /// It is charpipe's answer with the policy skip.
    Skips,
    /// The peer accepts the input; the examples show with which result.
    Accepts,
}

/// An input, and the two answers to it. Text to be encoded stands in UTF-8.
#[derive(Debug)]
pub struct Example {
    pub input: &'static [u8],
    pub theirs: Said,
    pub ours: Said,
}

/// An answer as a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Gives(&'static [u8]),
    Refuses,
}

/// An input that the peer accepts and charpipe refuses.
pub const fn refused(input: &'static [u8], theirs: &'static [u8]) -> Example {
    Example { input, theirs: Said::Gives(theirs), ours: Said::Refuses }
}

/// An input that charpipe accepts and the peer refuses.
pub const fn accepted(input: &'static [u8], ours: &'static [u8]) -> Example {
    Example { input, theirs: Said::Refuses, ours: Said::Gives(ours) }
}

/// An input that both accept, with different results.
pub const fn both(input: &'static [u8], theirs: &'static [u8], ours: &'static [u8]) -> Example {
    Example { input, theirs: Said::Gives(theirs), ours: Said::Gives(ours) }
}

/// All rows.
pub fn all() -> impl Iterator<Item = &'static Row> {
    [forms::ROWS, utf7::ROWS, imap::ROWS, encoding::ROWS].into_iter().flatten()
}
