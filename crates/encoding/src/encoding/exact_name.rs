//! Names of encodings as the iconv of glibc compares them: in any case, but exactly.
//!
//! The names of `alias/aliases.tsv` are hashed at compile time, together with the encoding that each of
//! them means in glibc, or in another program if glibc does not have the name. A lookup compares with
//! one or two names, since `iconv_open` is often called for each string.

use super::alias::{ALIASES, LabelRow, split_fields};
use super::vendor::{GLIBC_PREFIX, OVERRIDES};
use super::{ALL, Encoding, lookup};

/// The number of slots, a power of two. Two thirds of them are used.
const SLOT_COUNT: usize = 4096;

/// The index of a name whose encoding charpipe does not support.
const UNSUPPORTED: u16 = u16::MAX;

/// A name.
#[derive(Clone, Copy)]
struct Slot {
    /// The byte after the start of its line in the table of aliases; 0 in an unused slot. The high half is first, so that a
    /// slot has six bytes.
    line: [u16; 2],
    /// The index of its encoding in [`ALL`], or [`UNSUPPORTED`].
    encoding: u16,
}

impl Slot {
    const fn new(line: usize, encoding: u16) -> Slot {
        Slot { line: [(line >> 16) as u16, line as u16], encoding }
    }

    const fn line(self) -> usize {
        (self.line[0] as usize) << 16 | self.line[1] as usize
    }
}

#[allow(long_running_const_eval, reason = "it reads 90 KB")]
static SLOTS: [Slot; SLOT_COUNT] = build();

/// Returns the encoding that glibc, or else another program, calls by exactly this name, in any case.
pub fn for_exact_name(name: &str) -> Option<&'static Encoding> {
    let slot = SLOTS[find(&SLOTS, name.as_bytes())];
    if slot.line() == 0 { None } else { ALL.get(usize::from(slot.encoding)).copied() }
}

/// Returns the line of the table of aliases with exactly this name, in any case.
pub fn alias_line(name: &str) -> Option<LabelRow> {
    let start = SLOTS[find(&SLOTS, name.as_bytes())].line().checked_sub(1)?;
    ALIASES.0[start..].lines().next().map(split_fields)
}

/// Returns the slot of a name, or the unused one in which it would be.
const fn find(slots: &[Slot; SLOT_COUNT], name: &[u8]) -> usize {
    // FNV-1a.
    let (mut hash, mut at) = (0x811C_9DC5_u32, 0);
    while at < name.len() {
        hash = (hash ^ name[at].to_ascii_lowercase() as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    let mut slot = (hash ^ (hash >> 16)) as usize % SLOT_COUNT;
    while slots[slot].line() != 0 && !is_name_at(slots[slot].line() - 1, name) {
        slot = (slot + 1) % SLOT_COUNT;
    }
    slot
}

/// Returns whether a line of the table of aliases has this name, in any case.
const fn is_name_at(start: usize, name: &[u8]) -> bool {
    let (text, mut at) = (ALIASES.0.as_bytes(), 0);
    while at < name.len() {
        if !text[start + at].eq_ignore_ascii_case(&name[at]) {
            return false;
        }
        at += 1;
    }
    text[start + at] == b'\t'
}

const fn build() -> [Slot; SLOT_COUNT] {
    let mut slots = [Slot::new(0, UNSUPPORTED); SLOT_COUNT];
    let text = ALIASES.0.as_bytes();
    let mut start = 0;
    while start < text.len() {
        let name_end = end_of_field(text, start);
        let encoding_end = end_of_field(text, name_end + 1);
        let slot = find(&slots, range(text, start, name_end));
        let encoding = index_of(range(text, name_end + 1, encoding_end));
        slots[slot] = Slot::new(start + 1, encoding);
        start = encoding_end;
        while text[start] != b'\n' {
            start += 1;
        }
        start += 1;
    }
    add_overrides(slots)
}

/// Replaces the encodings of names that mean another one in glibc.
const fn add_overrides(mut slots: [Slot; SLOT_COUNT]) -> [Slot; SLOT_COUNT] {
    let (text, prefix) = (OVERRIDES.0.as_bytes(), GLIBC_PREFIX.as_bytes());
    let mut start = 0;
    while start < text.len() {
        let name_end = end_of_field(text, start);
        let encoding_end = end_of_field(text, name_end + 1);
        let mut at = 0;
        while at < prefix.len() && text[start + at] == prefix[at] {
            at += 1;
        }
        if at == prefix.len() {
            let slot = find(&slots, range(text, start + at, name_end));
            assert!(slots[slot].line() != 0, "an override has a name that is not in the table");
            slots[slot].encoding = index_of(range(text, name_end + 1, encoding_end));
        }
        start = encoding_end + 1;
    }
    slots
}

const fn index_of(name: &[u8]) -> u16 {
    match lookup::position_of(name) {
        Some(index) => index,
        None => UNSUPPORTED,
    }
}

/// Returns the end of the field that begins at `at`.
const fn end_of_field(text: &[u8], mut at: usize) -> usize {
    while text[at] != b'\t' && text[at] != b'\n' {
        at += 1;
    }
    at
}

/// Returns `text[start..end]`.
const fn range(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.split_at(end).0.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{alias, for_label};

    /// The encoding that the lookup of labels finds.
    fn reference(name: &str) -> Option<&'static Encoding> {
        let known = alias::all().find(|alias| alias.name.eq_ignore_ascii_case(name))?;
        let prefixed = format!("{GLIBC_PREFIX}{name}");
        let is_override = OVERRIDES.lines().any(|line| line.0.eq_ignore_ascii_case(&prefixed));
        let is_in_glibc = is_override || known.sources & alias::GLIBC != 0;
        is_in_glibc.then(|| for_label(&prefixed)).flatten().or_else(|| for_label(name))
    }

    #[test]
    fn every_name_is_found_in_any_case() {
        let mut count = 0;
        for alias in alias::all() {
            for name in [alias.name.to_ascii_uppercase(), alias.name.to_ascii_lowercase()] {
                assert_eq!(for_exact_name(&name), reference(&name), "{name}");
                assert_eq!(alias_line(&name).map(|line| line.0), Some(alias.name));
            }
            count += 1;
        }
        assert!(count > 2500, "{count}");
    }

    #[test]
    fn other_names_are_not_found() {
        for name in ["", "utf_8", "utf-", "utf-88", "utf-8\t", "utf--8", "é", "glibc:utf-8", "\n"]
        {
            assert!(for_exact_name(name).is_none() && alias_line(name).is_none(), "{name:?}");
        }
    }
}
