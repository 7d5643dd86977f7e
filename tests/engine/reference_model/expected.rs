//! The expected output, computed one character at a time.

use std::collections::HashMap;
use std::sync::LazyLock;

use charpipe::BomPolicy;
use charpipe::internals::conversion_error::{ActionTaken, ErrorClass, Position};

use crate::reference_model::sources::InputItem;

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

/// Error actions for malformed bytes only, for targets that are supersets of
/// ASCII.
pub const KEEP: &str = "keep";
pub const PASSTHROUGH_TARGETS: [&str; 3] = ["utf-8", "latin1", "ascii"];

/// The candidates of each character.
static TRANSLITERATIONS: LazyLock<HashMap<char, Vec<&str>>> = LazyLock::new(|| {
    let rows = include_str!("../../../crates/transcode/src/error_policy/translit.tsv").lines();
    let row = |row: &'static str| {
        let (code, text) = row.split_once('\t')?;
        let candidates = text.split('\t').collect();
        Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, candidates))
    };
    rows.filter_map(row).collect()
});

/// Returns the effect of an action on some bytes or a character, for a target with the characters below
/// `limit`; and the text that it writes.
fn replacement(
    action: &str,
    unconvertible: Result<char, &[u8]>,
    limit: u32,
) -> (ActionTaken, String) {
    let replaced = |text: &str| match text {
        "" => (ActionTaken::Skipped, String::new()),
        text => (ActionTaken::Replaced, text.to_owned()),
    };
    let fallback = if limit > 0xFFFD { "\u{FFFD}" } else { "?" };
    let encodes = |text: &str| text.chars().all(|character| u32::from(character) < limit);
    match (action, unconvertible) {
        ("stop", _) => (ActionTaken::Stopped, String::new()),
        ("skip", _) => replaced(""),
        ("replace", _) | ("translit", Err(_)) => replaced(fallback),
        ("translit", Ok(character)) => {
            let mut candidates = TRANSLITERATIONS.get(&character).into_iter().flatten();
            match candidates.find(|text| encodes(text)) {
                Some(text) => (ActionTaken::Transliterated, (*text).to_owned()),
                None => replaced(fallback),
            }
        }
        ("backslash", Ok(character)) => {
            (ActionTaken::Escaped, format!("\\u{{{:X}}}", u32::from(character)))
        }
        ("backslash", Err(bytes)) => {
            replaced(&bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect::<String>())
        }
        _ => replaced(action.strip_prefix("replace=").unwrap()),
    }
}

/// Kind, length of what is ill-formed, the character, what was done, and the position.
pub type ReportedError = (ErrorClass, usize, Option<char>, ActionTaken, Position);

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ModelOutput {
    pub output: Vec<u8>,
    pub errors: Vec<ReportedError>,
    pub stopped: bool,
}

/// A piece of the output.
enum OutputPiece {
    Text(String),
    /// Bytes of the input.
    Passthrough(Vec<u8>),
}

impl OutputPiece {
    fn is_empty(&self) -> bool {
        matches!(self, OutputPiece::Text(text) if text.is_empty())
    }
}

/// A conversion, as the model sees it.
#[derive(Debug, Clone)]
pub struct ReferenceModel {
    /// Index into [`TARGETS`].
    pub target: usize,
    pub bom: BomPolicy,
    pub invalid: &'static str,
    pub unmappable: &'static str,
}

impl ReferenceModel {
    /// The outcome for the items of these files, each with its offset.
    pub fn outcome(&self, files: impl IntoIterator<Item = Vec<(u64, InputItem)>>) -> ModelOutput {
        let mut outcome = ModelOutput::default();
        let mut pieces = Vec::new();
        let stops = |items| self.one_file(items, &mut pieces, &mut outcome.errors).is_none();
        outcome.stopped = files.into_iter().any(stops);
        outcome.output = self.join(pieces);
        outcome
    }

    /// The pieces as bytes of the target: text in one go, if nothing is kept.
    fn join(&self, pieces: Vec<OutputPiece>) -> Vec<u8> {
        let (mut output, mut text) = (Vec::new(), String::new());
        let encoded = |text: &mut String| {
            let text = std::mem::take(text);
            charpipe::transcode("utf-8", TARGETS[self.target].0, text.as_bytes()).unwrap()
        };
        for piece in pieces {
            match piece {
                OutputPiece::Text(more) => text.push_str(&more),
                OutputPiece::Passthrough(bytes) => {
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
        items: Vec<(u64, InputItem)>,
        pieces: &mut Vec<OutputPiece>,
        met: &mut Vec<ReportedError>,
    ) -> Option<()> {
        let (mut line, mut column, mut at_start) = (1, 1, true);
        let begun = !pieces.is_empty();
        for (offset, item) in items {
            let position = Position { offset, line, column };
            (line, column) = match item {
                InputItem::Character('\n') => (line + 1, 1),
                _ => (line, column + 1),
            };
            let is_mark = item == InputItem::Character('\u{FEFF}');
            if std::mem::take(&mut at_start) && is_mark && self.strips_bom(begun) {
                continue;
            }
            let written = self.written(&item, position, met)?;
            let adds = self.bom == BomPolicy::Add && !self.starts_with_bom() && pieces.is_empty();
            if adds && !is_mark && !written.is_empty() {
                pieces.push(OutputPiece::Text("\u{FEFF}".to_owned()));
            }
            if !written.is_empty() {
                pieces.push(written);
            }
        }
        Some(())
    }

    /// Whether the target begins with a mark of its own.
    fn starts_with_bom(&self) -> bool {
        TARGETS[self.target].0 == "utf-16"
    }

    /// Whether a mark that comes first in a file goes; that of the output may have been written.
    fn strips_bom(&self, begun: bool) -> bool {
        match self.bom {
            BomPolicy::Default | BomPolicy::Keep => false,
            BomPolicy::Strip => true,
            BomPolicy::Add => self.starts_with_bom() || begun,
        }
    }

    /// Returns the output of an item, or nothing if it stops the run.
    fn written(
        &self,
        item: &InputItem,
        position: Position,
        met: &mut Vec<ReportedError>,
    ) -> Option<OutputPiece> {
        let limit = TARGETS[self.target].1;
        let (kind, len, own, (done, piece)) = match item {
            InputItem::Character(own) if u32::from(*own) < limit => {
                return Some(OutputPiece::Text(own.to_string()));
            }
            InputItem::Character(own) => {
                let (done, text) = replacement(self.unmappable, Ok(*own), limit);
                (ErrorClass::Unmappable, 0, Some(*own), (done, OutputPiece::Text(text)))
            }
            InputItem::Malformed(kind, bytes) if self.invalid == KEEP => (
                *kind,
                bytes.len(),
                None,
                (ActionTaken::PassedThrough, OutputPiece::Passthrough(bytes.clone())),
            ),
            InputItem::Malformed(kind, bytes) => {
                let (done, text) = replacement(self.invalid, Err(bytes), limit);
                (*kind, bytes.len(), None, (done, OutputPiece::Text(text)))
            }
        };
        met.push((kind, len, own, done, position));
        (done != ActionTaken::Stopped).then_some(piece)
    }
}
