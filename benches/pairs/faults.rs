//! Inputs of nothing but faults, and what is left of them: by the standard library.

use std::fmt;

use charpipe::plan::Plan;
use charpipe::policy::{Action, Policy};

use super::answer;

/// From, what is repeated, and to which charsets.
const FAULTS: [(&str, &[u8], &[&str]); 6] = [
    ("utf-8", b"\xFF", &["utf-8", "utf-16le", "utf-7", "utf-5"]),
    ("utf-8", b"a\xFF", &["utf-8", "utf-16le"]),
    ("utf-8", b"\xE2\x82A", &["utf-8", "utf-16le"]),
    ("utf-16le", b"\x00\xD8", &["utf-8"]),
    ("utf-8", "中".as_bytes(), &["latin1", "us-ascii"]),
    ("utf-8", "жñ".as_bytes(), &["latin1", "us-ascii"]),
];

/// One line of the report.
pub struct Case {
    from: &'static str,
    unit: &'static [u8],
    to: &'static str,
    action: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { from, unit, to, action } = self;
        write!(f, "{from} > {to} ({unit:02X?}, {action})")
    }
}

pub fn cases() -> impl Iterator<Item = Case> {
    FAULTS.into_iter().flat_map(|(from, unit, targets)| {
        targets.iter().flat_map(move |&to| {
            ["skip", "replace"].into_iter().map(move |action| Case { from, unit, to, action })
        })
    })
}

impl Case {
    pub fn plan(&self) -> Plan {
        let encoding = |label: &str| label.parse().expect("named in the table");
        let mut plan = Plan::new(encoding(self.from), encoding(self.to));
        let action: Action = self.action.parse().expect("a word of the vocabulary");
        plan.policy = Policy { invalid: action.clone(), unmappable: action };
        plan
    }

    pub fn input(&self, size: usize) -> Vec<u8> {
        self.unit.repeat(size / self.unit.len())
    }

    /// What must come out: with each fault left out, or with what stands for it.
    pub fn output(&self, input: &[u8]) -> Vec<u8> {
        let text = match self.from {
            "utf-16le" => {
                let units = input.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit));
                char::decode_utf16(units).map(|one| one.unwrap_or('\u{FFFD}')).collect()
            }
            _ => String::from_utf8_lossy(input),
        };
        let limit = match self.to {
            "us-ascii" => 0x80,
            "latin1" => 0x100,
            _ => 0x11_0000,
        };
        let is_fault = |c: char| c == '\u{FFFD}' || u32::from(c) >= limit;
        let instead = if limit > 0xFFFD { "\u{FFFD}" } else { "?" };
        let left = match self.action {
            "skip" => text.replace(is_fault, ""),
            _ => text.replace(is_fault, instead),
        };
        answer::encoded(self.to, &left)
    }
}
