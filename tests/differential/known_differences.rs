//! Where charpipe and its converters differ, and why. Any other difference is a mistake of charpipe's or
//! a row that is missing here.

mod encoding;
mod forms;
mod imap;
mod utf7;

use crate::converters::OtherConverter;
use crate::input_classes::InputClass;

/// Which of the two conversions of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    Decode,
    Encode,
}

/// A disagreement that is known.
#[derive(Debug)]
pub struct KnownDifference {
    pub converter: OtherConverter,
    pub encoding: &'static str,
    /// The encoding on the other side.
    pub pivot: &'static str,
    pub direction: Direction,
    /// The inputs, as the tests describe them.
    pub family: InputClass,
    /// The result of the converter for all of them.
    pub rule: DifferenceRule,
    /// The inputs in words.
    pub inputs: &'static str,
    /// The result of the converter.
    pub theirs: &'static str,
    /// The result of charpipe.
    pub ours: &'static str,
    /// Why charpipe does it so.
    pub reason: &'static str,
    /// Inputs that show it.
    pub examples: &'static [DifferenceExample],
}

/// The common members of most rows.
const BLANK: KnownDifference = KnownDifference {
    converter: OtherConverter::Glibc,
    encoding: "",
    pivot: "UTF-8",
    direction: Direction::Decode,
    family: InputClass::Any,
    rule: DifferenceRule::Accepts,
    inputs: "",
    theirs: "",
    ours: "",
    reason: "",
    examples: &[],
};

/// The result of a converter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceRule {
    /// The result of charpipe with this encoding and this pivot.
    SameResultAs(&'static str, &'static str),
    /// The result of charpipe with the action `skip`.
    Skips,
    /// The converter accepts the input; the examples show with which result.
    Accepts,
}

/// An input and the two results for it. Text to be encoded is in UTF-8.
#[derive(Debug)]
pub struct DifferenceExample {
    pub input: &'static [u8],
    pub theirs: ExpectedResult,
    pub ours: ExpectedResult,
}

/// A result as a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedResult {
    Converts(&'static [u8]),
    Refuses,
}

/// An input that the converter accepts and charpipe refuses.
pub const fn refused(input: &'static [u8], theirs: &'static [u8]) -> DifferenceExample {
    DifferenceExample {
        input,
        theirs: ExpectedResult::Converts(theirs),
        ours: ExpectedResult::Refuses,
    }
}

/// An input that charpipe accepts and the converter refuses.
pub const fn accepted(input: &'static [u8], ours: &'static [u8]) -> DifferenceExample {
    DifferenceExample {
        input,
        theirs: ExpectedResult::Refuses,
        ours: ExpectedResult::Converts(ours),
    }
}

/// An input that both accept, with different results.
pub const fn both(
    input: &'static [u8],
    theirs: &'static [u8],
    ours: &'static [u8],
) -> DifferenceExample {
    DifferenceExample {
        input,
        theirs: ExpectedResult::Converts(theirs),
        ours: ExpectedResult::Converts(ours),
    }
}

/// All rows.
pub fn all_differences() -> impl Iterator<Item = &'static KnownDifference> {
    [forms::ROWS, utf7::ROWS, imap::ROWS, encoding::ROWS].into_iter().flatten()
}
