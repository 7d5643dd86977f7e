//! The table of all pairs of bytes, for decoders with much to read.
//!
//! It is built for a large input only: it costs as much as a hundred kilobytes of text.

use super::cells::{self, OneOrTwoChars};
use super::mapping::MultiByteMapping;
use super::trail_bytes;
use super::trie::{ROOT, TrieEntry};
use crate::kernel::byte_table::{Utf8Bytes, utf8_bytes_of};
use crate::kernel::dbcs::{LeadRule, PairTable};

/// The characters of all codes of one byte or two that are one character up to U+FFFF. Nothing for a
/// set without codes of two bytes.
pub fn build_pair_table(mapping: &MultiByteMapping) -> Option<PairTable> {
    let mut singles = [0; 0x80];
    let mut forms = vec![0; 0x1_0000];
    let mut leads = 0..0;
    for byte in 0..=0xFF {
        let at = usize::from(byte);
        match (mapping.trie.entry(ROOT, byte), singles.get_mut(at)) {
            (TrieEntry::Row(row), _) => {
                fill_row(mapping, row, forms.get_mut(at..)?);
                leads = if leads.is_empty() { at } else { leads.start }..at + 1;
            }
            (TrieEntry::Character(character), Some(single)) => *single = utf8_bytes_of(character),
            (TrieEntry::Invalid, Some(single)) if mapping.ascii => {
                *single = utf8_bytes_of(byte.into())
            }
            _ => {}
        }
    }
    let itself = (0..).zip(singles).all(|(byte, form)| form == utf8_bytes_of(char::from(byte)));
    let shape = match (mapping.ascii, leads.start) {
        _ if leads.is_empty() => return None,
        (true, 0x80..) if itself => LeadRule::AsciiSingles,
        (true, 0x80..) => LeadRule::MappedSingles,
        (true, _) => return None,
        (false, _) => LeadRule::PairsOnly,
    };
    if shape != LeadRule::PairsOnly {
        // A single byte stands in the table as the first of two, with zero after it.
        forms[..0x80].copy_from_slice(&singles);
    }
    Some(PairTable { utf8: forms.into_boxed_slice().try_into().ok()?, lead_rule: shape })
}

/// Fills in the characters of a row.
fn fill_row(mapping: &MultiByteMapping, row: usize, pairs: &mut [Utf8Bytes]) {
    for (pair, column) in pairs.iter_mut().step_by(0x100).zip(mapping.trail_index) {
        if *column != trail_bytes::NOT_A_TRAIL
            && let Some(OneOrTwoChars { first: first @ ..='\u{FFFF}', second: None }) =
                cells::decode_cell(row, usize::from(*column))
        {
            *pair = utf8_bytes_of(first);
        }
    }
}
