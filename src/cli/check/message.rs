//! Messages about findings, with the names of characters.

use std::fmt;

use crate::cli::line_repairer::repair_line;
use crate::cli::quote::Quoted;
use charpipe_check::{Finding, FindingKind};
use charpipe_encoding::conversion_error::{Excerpt, MalformedReason};
use charpipe_transform::character_name::CharacterName;

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
            FindingKind::Malformed { reason: MalformedReason::Mojibake, excerpt, .. } => {
                let garbled = excerpt.bytes();
                let is_whole = garbled.len() < Excerpt::MAX_LEN;
                write!(f, "UTF-8 decoded in another encoding: \"{}\"", quoted(garbled))?;
                match repair_line(garbled).filter(|_| is_whole) {
                    Some(repaired) => write!(f, " for \"{}\"", quoted(&repaired)),
                    None => f.write_str(if is_whole { "" } else { "…" }),
                }
            }
            _ => write!(f, "{}", self.finding.display(self.encoding)),
        }
    }
}

/// Returns UTF-8 for a message, without a character that is cut.
fn quoted(text: &[u8]) -> String {
    let text = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    Quoted::new(text).to_string()
}
