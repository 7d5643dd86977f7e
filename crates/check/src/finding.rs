//! Findings of a check.

use std::fmt;

use super::{Confusion, LineEnding};
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorClass, ErrorEvent, ErrorKind, Excerpt, MalformedReason, Position, StageLabel,
};
use charpipe_encoding::encoding::Encoding;
use charpipe_transform::declaration::MAX_LABEL_LEN;

/// A violation of a rule in a file.
///
/// ```
/// use charpipe::check::{CheckOptions, Rule, check};
///
/// let findings = check(b"ab\xFF", &CheckOptions::new(charpipe::UTF_8))?;
/// assert_eq!((findings[0].position.column, findings[0].len), (3, 1));
/// assert_eq!(findings[0].rule(), Rule::IllFormed);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Where it begins. Columns count characters. Lines are those of the decoded text, except in RFC
    /// 2047 input, where they are those of the file because a line ending between encoded-words is not
    /// text.
    pub position: Position,
    /// The column in bytes, counted from 1: the distance from the first byte of the line. `None` unless
    /// requested with [`CheckOptions::byte_columns`](super::CheckOptions::byte_columns).
    pub byte_column: Option<u64>,
    /// The number of bytes it affects, zero where something is missing.
    pub len: u64,
    /// The kind of violation.
    #[doc(hidden)]
    pub kind: FindingKind,
    /// The index of the encoding it refers to: 0 for [`CheckOptions::encoding`](super::CheckOptions::encoding),
    /// then those of [`CheckOptions::alternatives`](super::CheckOptions::alternatives).
    pub encoding_index: usize,
}

/// The kind of a finding.
///
/// ```
/// use charpipe_check::{CheckOptions, FindingKind, check};
///
/// let findings = check(b"a\0", &CheckOptions::new(charpipe::UTF_8))?;
/// assert_eq!(findings[0].kind, FindingKind::Binary);
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// A malformed sequence.
    Malformed {
        /// Why it is malformed.
        reason: MalformedReason,
        /// Its first bytes, and the byte after them if that shows the error.
        excerpt: Excerpt,
        /// The stage of the chain that found it.
        #[doc(hidden)]
        stage: StageLabel,
    },
    /// A byte order mark that is forbidden.
    UnexpectedBom,
    /// A required byte order mark is missing.
    MissingBom,
    /// A line ending that violates the rule.
    WrongLineEnding {
        /// The line ending of the line.
        found: LineEnding,
        /// The line ending that the rule requires.
        expected: LineEnding,
    },
    /// A file that is valid in the expected encoding, but in another one by its byte order mark, or because
    /// it is valid UTF-8. Only the command reports it.
    OtherEncoding {
        /// The name of the encoding.
        found: &'static str,
    },
    /// A declaration of another encoding.
    WrongDeclaration {
        /// The name in the declaration.
        label: DeclaredLabel,
    },
    /// NUL in an encoding whose text does not contain it.
    Binary,
    /// NUL in an encoding whose text does not contain it, in a file with the byte order mark of another one.
    OtherBom {
        /// The encoding of the byte order mark.
        bom: &'static Encoding,
    },
    /// A character outside ASCII.
    NotAscii {
        /// Its code point.
        code_point: u32,
    },
    /// A confusing character.
    Confusing {
        /// Its code point.
        code_point: u32,
        /// Why it is confusing.
        confusion: Confusion,
    },
}

/// The name of an encoding in a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeclaredLabel {
    /// Printable ASCII.
    bytes: [u8; MAX_LABEL_LEN],
    len: u8,
}

impl DeclaredLabel {
    pub(super) fn new(label: &str) -> DeclaredLabel {
        let mut bytes = [0; MAX_LABEL_LEN];
        let printable = label.bytes().filter(|byte| matches!(byte, b' '..=b'~'));
        let len = bytes.iter_mut().zip(printable).map(|(to, byte)| *to = byte).count();
        DeclaredLabel { bytes, len: len as u8 }
    }

    /// Returns the name, without characters that are not printable ASCII.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Debug for DeclaredLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for DeclaredLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The rule that a finding violates, as machine-readable output formats name it.
///
/// ```
/// assert_eq!(charpipe::check::Rule::IllFormed.name(), "ill-formed");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// All bytes are valid in the encoding.
    IllFormed,
    /// The file does not end inside a character.
    Truncated,
    /// The file is not in another encoding.
    Encoding,
    /// The file obeys the [`BomRule`](super::BomRule).
    Bom,
    /// The file obeys the [`NewlineRule`](super::NewlineRule).
    Newline,
    /// The encoding that the file declares is the expected one.
    Declaration,
    /// The file is text.
    Binary,
    /// All characters are ASCII.
    NonAscii,
    /// No character changes the direction of the text.
    BidiControl,
    /// No character is invisible.
    Invisible,
    /// No character other than U+0020 is displayed as a space.
    Space,
    /// No word has letters of several scripts.
    MixedScripts,
}

/// How serious the violation of a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Text may have been lost or may mislead.
    Major,
    /// Text is what it should be, in another form.
    Minor,
}

/// A rule with what output formats need of it.
struct RuleRow {
    rule: Rule,
    name: &'static str,
    severity: Severity,
    description: &'static str,
}

const fn row(
    rule: Rule,
    name: &'static str,
    severity: Severity,
    description: &'static str,
) -> RuleRow {
    RuleRow { rule, name, severity, description }
}

/// Every rule, in the order of the variants.
#[rustfmt::skip]
const RULES: [RuleRow; 12] = [
    row(Rule::IllFormed, "ill-formed", Severity::Major, "Every byte sequence is valid in the expected encoding."),
    row(Rule::Truncated, "truncated", Severity::Major, "The file does not end inside a character."),
    row(Rule::Encoding, "encoding", Severity::Major, "The file is not in another encoding by its byte order mark or because it is valid UTF-8."),
    row(Rule::Bom, "bom", Severity::Minor, "The file begins with a byte order mark, or does not, as the options require."),
    row(Rule::Newline, "newline", Severity::Minor, "Every line ends with the required line ending."),
    row(Rule::Declaration, "declaration", Severity::Major, "The encoding that the file declares is the expected one, or has the same text."),
    row(Rule::Binary, "binary", Severity::Major, "The file is text: it does not contain NUL."),
    row(Rule::NonAscii, "non-ascii", Severity::Minor, "All characters are ASCII."),
    row(Rule::BidiControl, "bidi-control", Severity::Major, "No character changes the direction of the text, which is displayed in another order."),
    row(Rule::Invisible, "invisible", Severity::Minor, "No character is invisible."),
    row(Rule::Space, "space", Severity::Minor, "No character but U+0020 looks like a space, and no character but a line ending separates lines."),
    row(Rule::MixedScripts, "mixed-scripts", Severity::Major, "No word has letters of several of the scripts Latin, Cyrillic and Greek, some of whose letters look the same."),
];

impl Rule {
    /// Every rule, in the order of [`index`](Rule::index).
    pub const ALL: [Rule; RULES.len()] = {
        let mut all = [Rule::IllFormed; RULES.len()];
        let mut index = 0;
        while index < all.len() {
            all[index] = RULES[index].rule;
            assert!(all[index] as usize == index, "the rows are in the order of the variants");
            index += 1;
        }
        all
    };

    /// Returns the identifier of the rule.
    pub const fn name(self) -> &'static str {
        RULES[self as usize].name
    }

    /// Returns how serious a violation is.
    #[doc(hidden)]
    #[doc(hidden)]
    pub const fn severity(self) -> Severity {
        RULES[self as usize].severity
    }

    /// Returns the rule as a sentence.
    pub const fn description(self) -> &'static str {
        RULES[self as usize].description
    }

    /// Returns the index of the rule in [`ALL`](Rule::ALL).
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Finding {
    /// Returns a finding of the whole file.
    #[doc(hidden)]
    pub fn of_file(kind: FindingKind, byte_columns: bool) -> Finding {
        let position = Position { offset: 0, line: 1, column: 1 };
        Finding { byte_column: byte_columns.then_some(1), ..Finding::new(position, 0, kind) }
    }

    /// Returns a finding of `len` bytes.
    #[doc(hidden)]
    pub fn new(position: Position, len: u64, kind: FindingKind) -> Finding {
        Finding { position, byte_column: None, len, kind, encoding_index: 0 }
    }

    /// Returns the rule that the finding violates.
    pub const fn rule(&self) -> Rule {
        match self.kind {
            FindingKind::Malformed { reason, .. } => match reason.class() {
                ErrorClass::Truncated => Rule::Truncated,
                ErrorClass::Malformed | ErrorClass::Unmappable => Rule::IllFormed,
            },
            FindingKind::UnexpectedBom | FindingKind::MissingBom => Rule::Bom,
            FindingKind::WrongLineEnding { .. } => Rule::Newline,
            FindingKind::OtherEncoding { .. } => Rule::Encoding,
            FindingKind::WrongDeclaration { .. } => Rule::Declaration,
            FindingKind::Binary | FindingKind::OtherBom { .. } => Rule::Binary,
            FindingKind::NotAscii { .. } => Rule::NonAscii,
            FindingKind::Confusing { confusion, .. } => match confusion {
                Confusion::Bidi => Rule::BidiControl,
                Confusion::Invisible | Confusion::Control => Rule::Invisible,
                Confusion::Space | Confusion::LineSeparator => Rule::Space,
                Confusion::MixedScripts(_) => Rule::MixedScripts,
            },
        }
    }

    /// Returns the first bytes of a malformed sequence; empty for other kinds of findings.
    ///
    /// ```
    /// use charpipe::check::{CheckOptions, check};
    ///
    /// let findings = check(b"a\xE2\x82 b", &CheckOptions::new(charpipe::UTF_8))?;
    /// assert_eq!(findings[0].malformed_bytes(), b"\xE2\x82");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn malformed_bytes(&self) -> &[u8] {
        match &self.kind {
            FindingKind::Malformed { excerpt, .. } => {
                let shown = excerpt.bytes();
                &shown[..shown.len().min(usize::try_from(self.len).unwrap_or(usize::MAX))]
            }
            _ => &[],
        }
    }

    /// Returns the code point of the character that the finding is about, if it is about one.
    pub const fn code_point(&self) -> Option<u32> {
        match self.kind {
            FindingKind::NotAscii { code_point } | FindingKind::Confusing { code_point, .. } => {
                Some(code_point)
            }
            _ => None,
        }
    }

    /// Returns the message for the finding in a file that is expected to be in this encoding.
    ///
    /// ```
    /// use charpipe::check::{CheckOptions, check};
    ///
    /// let findings = check(b"a\xE2\x82", &CheckOptions::new(charpipe::UTF_8))?;
    /// let message = findings[0].display("UTF-8").to_string();
    /// assert_eq!(message, "incomplete UTF-8 sequence E2 82 at end of input");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn display<'a>(&'a self, encoding: &'a str) -> impl fmt::Display + 'a {
        FindingMessage { finding: self, encoding }
    }
}

/// A finding in a file that is expected to be in an encoding.
struct FindingMessage<'a> {
    finding: &'a Finding,
    encoding: &'a str,
}

impl fmt::Display for FindingMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.finding.kind {
            FindingKind::Malformed { reason, excerpt, stage } => {
                let kind = ErrorKind::Malformed { len: self.finding.len as usize, reason };
                let error = ErrorEvent::new(kind, ActionTaken::Skipped, None, excerpt, stage);
                write!(f, "{}", error.display(self.encoding, self.encoding))
            }
            FindingKind::UnexpectedBom => f.write_str("unexpected byte order mark"),
            FindingKind::MissingBom => f.write_str("missing byte order mark"),
            FindingKind::WrongLineEnding { found, expected } => {
                write!(f, "line ends with {found} (expected {expected})")
            }
            FindingKind::OtherEncoding { found } => {
                write!(f, "file is in {found} (expected {})", self.encoding)
            }
            FindingKind::WrongDeclaration { label } => {
                write!(f, "declared encoding is {label} (expected {})", self.encoding)
            }
            FindingKind::Binary => {
                f.write_str("NUL byte: file is binary or in another encoding; stopped checking")
            }
            FindingKind::OtherBom { bom } => {
                write!(
                    f,
                    "byte order mark of {}: file is not in {}; stopped checking",
                    bom.name(),
                    self.encoding
                )
            }
            FindingKind::NotAscii { code_point } => write!(f, "U+{code_point:04X} is not ASCII"),
            FindingKind::Confusing { code_point, confusion } => {
                write!(f, "U+{code_point:04X} {confusion}")
            }
        }
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
        let (position, stage) = (Position { offset: 3, line: 1, column: 4 }, StageLabel::Main);
        let kind =
            FindingKind::Malformed { reason: MalformedReason::MissingTrailByte, excerpt, stage };
        let finding = Finding { position, byte_column: None, len: 1, kind, encoding_index: 0 };
        assert_eq!(finding.malformed_bytes(), b"\xE9");
        let described = "invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)";
        assert_eq!(finding.display("UTF-8").to_string(), described);
    }
}
