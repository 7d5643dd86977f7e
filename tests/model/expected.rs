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

/// What can be done about malformed bytes only, toward those of the targets that are supersets of
/// ASCII.
pub const KEEP: &str = "keep";
pub const KEEPS: [&str; 3] = ["utf-8", "latin1", "ascii"];

/// The candidates of each character.
static TRANSLITERATIONS: LazyLock<HashMap<char, Vec<&str>>> = LazyLock::new(|| {
    let rows = include_str!("../../src/policy/translit.tsv").lines();
    let row = |row: &'static str| {
        let (code, text) = row.split_once('\t')?;
        let candidates = text.split('\t').collect();
        Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, candidates))
    };
    rows.filter_map(row).collect()
});

/// What an action does about some bytes or a character, toward a target with the characters below
/// `limit`; and the text that it writes.
fn answer(action: &str, offender: Result<char, &[u8]>, limit: u32) -> (Done, String) {
    let replaced = |text: &str| match text {
        "" => (Done::Skipped, String::new()),
        text => (Done::Replaced, text.to_owned()),
    };
    let fallback = if limit > 0xFFFD { "\u{FFFD}" } else { "?" };
    let encodes = |text: &str| text.chars().all(|character| u32::from(character) < limit);
    match (action, offender) {
        ("stop", _) => (Done::Stopped, String::new()),
        ("skip", _) => replaced(""),
        ("replace", _) | ("translit", Err(_)) => replaced(fallback),
        ("translit", Ok(character)) => {
            let mut candidates = TRANSLITERATIONS.get(&character).into_iter().flatten();
            match candidates.find(|text| encodes(text)) {
                Some(text) => (Done::Transliterated, (*text).to_owned()),
                None => replaced(fallback),
            }
        }
        ("backslash", Ok(character)) => {
            (Done::Escaped, format!("\\u{{{:X}}}", u32::from(character)))
        }
        ("backslash", Err(bytes)) => {
            replaced(&bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect::<String>())
        }
        _ => replaced(action.strip_prefix("replace=").unwrap()),
    }
}

/// Kind, length of what is ill-formed, the character, what was done, and the place.
pub type Met = (Kind, usize, Option<char>, Done, Place);

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub output: Vec<u8>,
    pub met: Vec<Met>,
    pub stopped: bool,
}

/// A piece of the output.
enum Piece {
    Text(String),
    /// Bytes of the input.
    Kept(Vec<u8>),
}

impl Piece {
    fn is_empty(&self) -> bool {
        matches!(self, Piece::Text(text) if text.is_empty())
    }
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
        let mut pieces = Vec::new();
        let stops = |items| self.one_file(items, &mut pieces, &mut outcome.met).is_none();
        outcome.stopped = files.into_iter().any(stops);
        outcome.output = self.joined(pieces);
        outcome
    }

    /// The pieces as bytes of the target: text in one go, if nothing is kept.
    fn joined(&self, pieces: Vec<Piece>) -> Vec<u8> {
        let (mut output, mut text) = (Vec::new(), String::new());
        let encoded = |text: &mut String| {
            let text = std::mem::take(text);
            charpipe::convert("utf-8", TARGETS[self.target].0, text.as_bytes()).unwrap()
        };
        for piece in pieces {
            match piece {
                Piece::Text(more) => text.push_str(&more),
                Piece::Kept(bytes) => {
                    output.extend(encoded(&mut text));
                    output.extend(bytes);
                }
            }
        }
        output.extend(encoded(&mut text));
        output
    }

    /// Gives nothing if it stops.
    fn one_file(
        &self,
        items: Vec<(u64, Item)>,
        pieces: &mut Vec<Piece>,
        met: &mut Vec<Met>,
    ) -> Option<()> {
        let (mut line, mut column, mut at_start) = (1, 1, true);
        let begun = !pieces.is_empty();
        for (offset, item) in items {
            let place = Place { offset, line, column };
            (line, column) = match item {
                Item::Character('\n') => (line + 1, 1),
                _ => (line, column + 1),
            };
            let is_mark = item == Item::Character('\u{FEFF}');
            if std::mem::take(&mut at_start) && is_mark && self.strips(begun) {
                continue;
            }
            let written = self.written(&item, place, met)?;
            let adds = self.bom == Bom::Add && !self.marks() && pieces.is_empty();
            if adds && !is_mark && !written.is_empty() {
                pieces.push(Piece::Text("\u{FEFF}".to_owned()));
            }
            if !written.is_empty() {
                pieces.push(written);
            }
        }
        Some(())
    }

    /// Whether the target begins with a mark of its own.
    fn marks(&self) -> bool {
        TARGETS[self.target].0 == "utf-16"
    }

    /// Whether a mark that comes first in a file goes; that of the output may have been written.
    fn strips(&self, begun: bool) -> bool {
        match self.bom {
            Bom::Default | Bom::Keep => false,
            Bom::Strip => true,
            Bom::Add => self.marks() || begun,
        }
    }

    /// What is written for an item; nothing if it stops the run.
    fn written(&self, item: &Item, place: Place, met: &mut Vec<Met>) -> Option<Piece> {
        let limit = TARGETS[self.target].1;
        let (kind, len, own, (done, piece)) = match item {
            Item::Character(own) if u32::from(*own) < limit => {
                return Some(Piece::Text(own.to_string()));
            }
            Item::Character(own) => {
                let (done, text) = answer(self.unmappable, Ok(*own), limit);
                (Kind::Unencodable, 0, Some(*own), (done, Piece::Text(text)))
            }
            Item::Bad(kind, bytes) if self.invalid == KEEP => {
                (*kind, bytes.len(), None, (Done::Kept, Piece::Kept(bytes.clone())))
            }
            Item::Bad(kind, bytes) => {
                let (done, text) = answer(self.invalid, Err(bytes), limit);
                (*kind, bytes.len(), None, (done, Piece::Text(text)))
            }
        };
        met.push((kind, len, own, done, place));
        (done != Done::Stopped).then_some(piece)
    }
}
