//! Messages about findings, with the names of characters.

use std::fmt;

use crate::cli::character_name::CharacterName;
use charpipe_check::{Finding, FindingKind};

/// The message for a finding in a file that is expected to be in an encoding.
pub struct MessageOfFinding<'a> {
    pub finding: &'a Finding,
    pub encoding: &'a str,
}

impl fmt::Display for MessageOfFinding<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.finding.kind {
            FindingKind::NotAscii { code_point } => {
                write!(f, "U+{code_point:04X} {} is not ASCII", CharacterName(code_point))
            }
            FindingKind::Confusing { code_point, confusion } => {
                write!(f, "U+{code_point:04X} {} {confusion}", CharacterName(code_point))
            }
            _ => write!(f, "{}", self.finding.display(self.encoding)),
        }
    }
}
