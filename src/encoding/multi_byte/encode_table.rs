//! The table from characters to codes, which inverts mappings when an encoder is constructed.

use super::cells;
use super::mapping::{self, MultiByteMapping};
use super::trie::{ROOT, TrieEntry};
use crate::kernel::dbcs::BMP_LEN;
pub use crate::kernel::dbcs::CodeBytes;

/// Flags the index of a [`SequencePrefix`] in place of a code. No four-byte code ends with this
/// byte.
const PREFIX_FLAG: CodeBytes = 0x0100_0000;

/// The number of code points in the table: planes 0 to 2.
const CODE_POINT_LIMIT: usize = 0x3_0000;

/// The codes of all characters.
#[derive(Debug)]
pub struct MultiByteEncodeTable {
    /// By code point. The system does not allocate pages that are never written.
    codes: Box<[CodeBytes; CODE_POINT_LIMIT]>,
    prefixes: Vec<SequencePrefix>,
}

/// A character that has another code together with the next one.
#[derive(Debug)]
struct SequencePrefix {
    single: CodeBytes,
    followers: Vec<(char, CodeBytes)>,
}

/// The result of looking a character up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeStep {
    /// The character has no code.
    Unmappable,
    /// The code, and the length of its text in bytes.
    Code(CodeBytes, usize),
    /// The code depends on text that is not available yet.
    NeedMore,
}

impl MultiByteEncodeTable {
    pub fn new() -> MultiByteEncodeTable {
        let codes = vec![0; CODE_POINT_LIMIT]
            .into_boxed_slice()
            .try_into()
            .expect("the length is CODE_POINT_LIMIT");
        MultiByteEncodeTable { codes, prefixes: Vec::new() }
    }

    /// Returns the codes of the characters up to U+FFFF.
    pub fn bmp_codes(&self) -> &[CodeBytes; BMP_LEN] {
        self.codes.first_chunk().expect("there are more")
    }

    /// Returns the code of the character with this code point, a flagged prefix, or 0.
    #[inline(always)]
    pub fn entry(&self, value: u32) -> CodeBytes {
        self.codes.get(value as usize).copied().unwrap_or(0)
    }

    /// Returns the code of a character if it does not depend on the next one, or else 0.
    #[inline(always)]
    pub fn single(&self, character: char) -> CodeBytes {
        let entry = self.entry(character.into());
        if is_prefix(entry) { 0 } else { entry }
    }

    /// Returns the code of the first character or two of `text`.
    pub fn encode_first(&self, text: &str, end: bool) -> EncodeStep {
        let mut characters = text.chars();
        let Some(first) = characters.next() else { return EncodeStep::NeedMore };
        let entry = self.entry(first.into());
        let (len, prefix) = (first.len_utf8(), self.prefix(entry));
        match (entry, prefix, characters.next()) {
            (_, Some(_), None) if !end => EncodeStep::NeedMore,
            (_, Some(prefix), next) => match next.and_then(|next| prefix.code_with(next)) {
                Some((code, more)) => EncodeStep::Code(code, len + more),
                None if prefix.single == 0 => EncodeStep::Unmappable,
                None => EncodeStep::Code(prefix.single, len),
            },
            (0, None, _) => EncodeStep::Unmappable,
            (code, None, _) => EncodeStep::Code(code, len),
        }
    }

    fn prefix(&self, entry: CodeBytes) -> Option<&SequencePrefix> {
        is_prefix(entry).then(|| self.prefixes.get((entry - PREFIX_FLAG) as usize)).flatten()
    }

    /// Returns the entry of a character up to U+FFFF.
    #[inline(always)]
    pub fn bmp_entry_mut(&mut self, value: u16) -> &mut CodeBytes {
        &mut self.codes[usize::from(value)]
    }

    #[inline(always)]
    fn entry_mut(&mut self, character: char) -> Option<&mut CodeBytes> {
        self.codes.get_mut(u32::from(character) as usize)
    }

    /// Sets the code of a character, unless it has one for which `is_better` returns true.
    #[inline(always)]
    pub fn insert_if_better(
        &mut self,
        character: char,
        code: CodeBytes,
        is_better: impl Fn(CodeBytes) -> bool,
    ) {
        if let Some(entry) = self.entry_mut(character) {
            if *entry == 0 || !is_better(*entry) {
                *entry = code;
            }
        }
    }

    /// Sets or, with 0, removes the code of a character.
    pub fn insert(&mut self, character: char, code: CodeBytes) {
        if let Some(entry) = self.entry_mut(character) {
            *entry = code;
        }
    }

    /// Sets the code of two adjacent characters, unless they have one. The code of the first one by
    /// itself must be set before.
    pub fn insert_pair(&mut self, (first, second): (char, char), code: CodeBytes) {
        let flagged_index = PREFIX_FLAG + self.prefixes.len() as CodeBytes;
        let Some(entry) = self.entry_mut(first) else { return };
        let old = if is_prefix(*entry) { *entry } else { std::mem::replace(entry, flagged_index) };
        if !is_prefix(old) {
            self.prefixes.push(SequencePrefix { single: old, followers: Vec::new() });
        }
        let at = if is_prefix(old) { old } else { flagged_index } - PREFIX_FLAG;
        let followers = &mut self.prefixes[at as usize].followers;
        if followers.iter().all(|(existing, _)| *existing != second) {
            followers.push((second, code));
        }
    }
}

impl SequencePrefix {
    /// Returns the code together with this character, and the length of the character in bytes.
    fn code_with(&self, next: char) -> Option<(CodeBytes, usize)> {
        let found = self.followers.iter().find(|(second, _)| *second == next);
        found.map(|(second, code)| (*code, second.len_utf8()))
    }
}

fn is_prefix(entry: CodeBytes) -> bool {
    entry >> 24 == 1
}

/// Adds the codes of a mapping, each with `tag` above it. If a character has several codes, the
/// shortest one is used, and among these the first; codes of an earlier mapping are kept.
pub fn add_mapping(table: &mut MultiByteEncodeTable, mapping: &MultiByteMapping, tag: CodeBytes) {
    let mut decode_only: Vec<_> = mapping.trie.decode_only().collect();
    decode_only.sort_unstable();
    let columns = (0..=0xFF).zip(mapping.trail_index.iter().copied());
    let trail_bytes = columns.filter(|(_, column)| *column != mapping::NOT_A_TRAIL).collect();
    let mut builder =
        EncodeTableBuilder { table, mapping, tag, decode_only, trail_bytes, pairs: Vec::new() };
    if mapping.ascii {
        let (first, _) = mapping.trie.byte_range(ROOT);
        for byte in 0..first.min(0x80) {
            builder.add_code(char::from(byte).into(), PartialCode::default().with_byte(byte));
        }
    }
    builder.add_node(ROOT, PartialCode::default());
    let pairs = builder.pairs;
    // The codes of single characters are complete only now.
    for (pair, code) in pairs {
        table.insert_pair(pair, code);
    }
}

/// Sets the codes of the characters that a mapping encodes otherwise than it decodes.
pub fn apply_one_way(table: &mut MultiByteEncodeTable, mapping: &MultiByteMapping, tag: CodeBytes) {
    for (character, code) in mapping.trie.one_way() {
        table.insert(character, if code == 0 { 0 } else { tag | code });
    }
}

/// Returns the length of a code without a tag in bytes.
pub fn code_len(code: CodeBytes) -> usize {
    4 - code.leading_zeros() as usize / 8
}

struct EncodeTableBuilder<'a> {
    table: &'a mut MultiByteEncodeTable,
    mapping: &'a MultiByteMapping,
    tag: CodeBytes,
    /// Sorted ranges of big-endian codes.
    decode_only: Vec<(u32, u32)>,
    /// The trail bytes and their columns.
    trail_bytes: Vec<(u8, u8)>,
    pairs: Vec<((char, char), CodeBytes)>,
}

/// The bytes of a code so far.
#[derive(Clone, Copy, Default)]
struct PartialCode {
    /// The first byte lowest.
    little_endian: CodeBytes,
    /// The first byte highest.
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
        let trie = self.mapping.trie;
        let (first, last) = trie.byte_range(node);
        for byte in first..=last {
            let bytes = lead.with_byte(byte);
            match trie.entry(node, byte) {
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
            // The fast path, which nearly all cells take.
            if all_encoded && cells::is_single_bmp(cell) {
                let entry = self.table.bmp_entry_mut(cell);
                if *entry == 0 {
                    *entry = code | CodeBytes::from(trail) << shift;
                    continue;
                }
            }
            if cell == 0 {
                continue;
            }
            if let Some(text) = cells::decode_cell(row, usize::from(column)) {
                self.add_code(text, lead.with_byte(trail));
            }
        }
    }

    /// Returns whether any of these codes is not encoded.
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
                let is_better =
                    |existing: CodeBytes| self.tag != 0 || code_len(existing) <= bytes.len as usize;
                self.table.insert_if_better(text.first, code, is_better);
            }
        }
    }
}

/// Returns the character at this byte offset of a text and its length, or `None` at the end.
///
/// Characters of three bytes come first, because most characters of these encodings have three.
#[inline(always)]
pub fn char_at(text: &str, at: usize) -> Option<(char, usize)> {
    let bytes = &text.as_bytes()[at..];
    if let Some([lead @ 0xE0..=0xEF, second, third]) = bytes.first_chunk::<3>() {
        let tail = |byte: &u8| u32::from(byte & 0x3F);
        let value = u32::from(lead & 0x0F) << 12 | tail(second) << 6 | tail(third);
        return char::from_u32(value).map(|character| (character, 3));
    }
    let character = text[at..].chars().next()?;
    Some((character, character.len_utf8()))
}
