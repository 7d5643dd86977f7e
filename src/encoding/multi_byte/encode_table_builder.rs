//! Turns mappings round: fills the table of an encoder with all that they decode.

use super::cells;
use super::encode_table::{CodeBytes, MultiByteEncodeTable};
use super::mapping::MultiByteMapping;
use super::trail_bytes;
use super::trie::{ROOT, TrieEntry};

/// Adds the codes of a mapping, with `mark` set above each. Of several codes of one character the
/// shortest stays, and of these the first; but none takes the position of a code of another mapping.
pub fn add_mapping(table: &mut MultiByteEncodeTable, mapping: &MultiByteMapping, mark: CodeBytes) {
    let mut decode_only: Vec<_> = mapping.trie.decode_only().collect();
    decode_only.sort_unstable();
    let columns = (0..=0xFF).zip(mapping.trail_index.iter().copied());
    let trails = columns.filter(|(_, column)| *column != trail_bytes::NOT_A_TRAIL).collect();
    let mut inversion = EncodeTableBuilder {
        table,
        mapping,
        tag: mark,
        decode_only,
        trail_bytes: trails,
        pairs: Vec::new(),
    };
    if mapping.ascii {
        let (first, _) = mapping.trie.byte_range(ROOT);
        for byte in 0..first.min(0x80) {
            inversion.add_code(char::from(byte).into(), PartialCode::default().with_byte(byte));
        }
    }
    inversion.add_node(ROOT, PartialCode::default());
    let pairs = inversion.pairs;
    // Only now is it known what the first of two is alone.
    for (pair, code) in pairs {
        table.insert_pair(pair, code);
    }
}

/// Makes the characters that are encoded otherwise than a mapping decodes be so.
pub fn apply_one_way(
    table: &mut MultiByteEncodeTable,
    mapping: &MultiByteMapping,
    mark: CodeBytes,
) {
    for (character, code) in mapping.trie.one_way() {
        table.insert(character, if code == 0 { 0 } else { mark | code });
    }
}

/// How many bytes a code without a mark has.
pub fn code_len(code: CodeBytes) -> usize {
    4 - code.leading_zeros() as usize / 8
}

struct EncodeTableBuilder<'a> {
    table: &'a mut MultiByteEncodeTable,
    mapping: &'a MultiByteMapping,
    tag: CodeBytes,
    /// First and last, the first byte of each highest; in order, so that a code is soon found.
    decode_only: Vec<(u32, u32)>,
    /// The bytes that may end a code, and their columns.
    trail_bytes: Vec<(u8, u8)>,
    pairs: Vec<((char, char), CodeBytes)>,
}

/// Bytes of a code so far.
#[derive(Clone, Copy, Default)]
struct PartialCode {
    /// The first lowest.
    little_endian: CodeBytes,
    /// The first highest.
    big_endian: u32,
    len: u32,
}

impl PartialCode {
    fn with_byte(self, byte: u8) -> PartialCode {
        PartialCode {
            little_endian: self.little_endian | u32::from(byte) << (8 * self.len),
            big_endian: self.big_endian << 8 | u32::from(byte),
            len: self.len + 1,
        }
    }
}

impl EncodeTableBuilder<'_> {
    fn add_node(&mut self, node: usize, lead: PartialCode) {
        let directory = self.mapping.trie;
        let (first, last) = directory.byte_range(node);
        for byte in first..=last {
            let bytes = lead.with_byte(byte);
            match directory.entry(node, byte) {
                TrieEntry::Invalid => {}
                TrieEntry::Character(character) => self.add_code(character.into(), bytes),
                TrieEntry::Row(row) => self.add_row(row, bytes),
                TrieEntry::Node(next) => self.add_node(next, bytes),
            }
        }
    }

    fn add_row(&mut self, row: usize, lead: PartialCode) {
        let all_encoded =
            !self.has_decode_only(lead.with_byte(0).big_endian, lead.with_byte(0xFF).big_endian);
        let (code, shift) = (self.tag | lead.little_endian, 8 * lead.len);
        for at in 0..self.trail_bytes.len() {
            let (trail, column) = self.trail_bytes[at];
            let cell = cells::cell(row + usize::from(column));
            // Nearly all are so: the rest is what takes time.
            if all_encoded && cells::is_single_bmp(cell) {
                let slot = self.table.bmp_entry_mut(cell);
                if *slot == 0 {
                    *slot = code | CodeBytes::from(trail) << shift;
                    continue;
                }
            }
            if cell != 0
                && let Some(text) = cells::decode_cell(row, usize::from(column))
            {
                self.add_code(text, lead.with_byte(trail));
            }
        }
    }

    /// Whether any of these codes is never encoded.
    fn has_decode_only(&self, first: u32, last: u32) -> bool {
        let after = self.decode_only.partition_point(|(start, _)| *start <= last);
        after.checked_sub(1).is_some_and(|at| first <= self.decode_only[at].1)
    }

    fn add_code(&mut self, text: cells::OneOrTwoChars, bytes: PartialCode) {
        if self.has_decode_only(bytes.big_endian, bytes.big_endian) {
            return;
        }
        let code = self.tag | bytes.little_endian;
        match text.second {
            Some(second) => self.pairs.push(((text.first, second), code)),
            None => {
                let stays = |old: CodeBytes| self.tag != 0 || code_len(old) <= bytes.len as usize;
                self.table.insert_if_better(text.first, code, stays);
            }
        }
    }
}
