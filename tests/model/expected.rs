//! What must come out: one character after the other, with nothing held back and nothing shared.

use std::collections::HashMap;
use std::sync::LazyLock;

use charpipe::fault::{Done, Kind, Place};
use charpipe::plan::Bom;

use crate::sources::Item;

/// Each target with the number of code points it has from U+0000 on.
pub const TARGETS: [(&str, u32); 6] = [
    ("utf-8", 0x11_0000),
    ("utf-16", 0x11_0000),
    ("utf-16le", 0x11_0000),
    ("utf-7", 0x11_0000),
    ("latin1", 0x100),
    ("ascii", 0x80),
];

pub const ACTIONS: [&str; 7] =
    ["stop", "skip", "replace", "replace=", "replace=[out of order]", "backslash", "translit"];

static LOOK_ALIKES: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
    let rows = include_str!("../../src/policy/translit.tsv").lines();
    let row = |row: &'static str| {
        let (code, text) = row.split_once('\t')?;
        Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, text))
    };
    rows.filter_map(row).collect()
});

/// The answer of an action to some bytes or to a character; none where it ends the run.
fn answer(action: &str, offender: Result<char, &[u8]>, fallback: &str) -> Option<String> {
    Some(match (action, offender) {
        ("stop", _) => return None,
        ("skip", _) => String::new(),
        ("replace", _) | ("translit", Err(_)) => fallback.to_owned(),
        ("translit", Ok(character)) => {
            LOOK_ALIKES.get(&character).map_or(fallback, |text| *text).to_owned()
        }
        ("backslash", Ok(character)) => format!("\\u{{{:X}}}", u32::from(character)),
        ("backslash", Err(bytes)) => bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect(),
        _ => action.strip_prefix("replace=").unwrap().to_owned(),
    })
}

/// Kind, length of what is ill-formed, the character, what was done, and the place.
pub type Met = (Kind, usize, Option<char>, Done, Place);

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub output: Vec<u8>,
    pub met: Vec<Met>,
    pub stopped: bool,
}

/// A conversion, as the model sees it.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Index into [`TARGETS`].
    pub target: usize,
    pub bom: Bom,
    pub invalid: &'static str,
    pub unmappable: &'static str,
}

impl Rules {
    /// The outcome for the items of these files, each with its offset.
    pub fn outcome(&self, files: impl IntoIterator<Item = Vec<(u64, Item)>>) -> Outcome {
        let mut outcome = Outcome::default();
        let mut text = String::new();
        let stops = |items| self.one_file(items, &mut text, &mut outcome.met).is_none();
        outcome.stopped = files.into_iter().any(stops);
        outcome.output =
            charpipe::convert("utf-8", TARGETS[self.target].0, text.as_bytes()).unwrap();
        outcome
    }

    /// Gives nothing if it stops.
    fn one_file(
        &self,
        items: Vec<(u64, Item)>,
        text: &mut String,
        met: &mut Vec<Met>,
    ) -> Option<()> {
        let (mut line, mut column, mut at_start) = (1, 1, true);
        for (offset, item) in items {
            let place = Place { offset, line, column };
            (line, column) = match item {
                Item::Character('\n') => (line + 1, 1),
                _ => (line, column + 1),
            };
            let is_mark = item == Item::Character('\u{FEFF}');
            if is_mark && at_start && self.strips(text) {
                at_start = false;
                continue;
            }
            let written = self.written(&item, place, met)?;
            // A mark behind something that is no character does not stand first in the file, but
            // may well come first in the output.
            at_start &= self.bom == Bom::Add && written.is_empty();
            let adds = self.bom == Bom::Add && !self.marks() && text.is_empty();
            if adds && !is_mark && !written.is_empty() {
                text.push('\u{FEFF}');
            }
            text.push_str(&written);
        }
        Some(())
    }

    /// Whether the target begins with a mark of its own.
    fn marks(&self) -> bool {
        TARGETS[self.target].0 == "utf-16"
    }

    /// Whether a mark that stands first in a file goes.
    fn strips(&self, text: &str) -> bool {
        match self.bom {
            Bom::Keep => false,
            Bom::Strip => true,
            Bom::Add => self.marks() && text.is_empty(),
        }
    }

    /// What is written for an item; nothing if it stops the run.
    fn written(&self, item: &Item, place: Place, met: &mut Vec<Met>) -> Option<String> {
        let limit = TARGETS[self.target].1;
        let fallback = if limit > 0xFFFD { "\u{FFFD}" } else { "?" };
        let (kind, len, own, answer) = match item {
            Item::Character(own) if u32::from(*own) < limit => return Some(own.to_string()),
            Item::Character(own) => {
                (Kind::Unencodable, 0, Some(*own), answer(self.unmappable, Ok(*own), fallback))
            }
            Item::Bad(kind, bytes) => {
                (*kind, bytes.len(), None, answer(self.invalid, Err(bytes), fallback))
            }
        };
        let done = match answer.as_deref() {
            None => Done::Stopped,
            Some("") => Done::Skipped,
            Some(_) => Done::Replaced,
        };
        met.push((kind, len, own, done, place));
        answer
    }
}
