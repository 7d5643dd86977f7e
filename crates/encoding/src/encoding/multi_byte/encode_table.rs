//! The table from characters to codes, which inverts mappings.

use super::cells;
use super::mapping::{self, MultiByteMapping};
use super::trie::{ROOT, TrieEntry};
use charpipe_kernel::dbcs::BMP_LEN;
pub use charpipe_kernel::dbcs::CodeBytes;

/// Flags the index of a prefix in place of a code. No four-byte code ends with this byte.
const PREFIX_FLAG: CodeBytes = 0x0100_0000;

/// The number of code points in the table: planes 0 to 2.
const CODE_POINT_LIMIT: usize = 0x3_0000;

/// The codes of all characters.
#[derive(Debug)]
pub struct MultiByteEncodeTable {
    /// By code point. The system does not allocate pages that are never written.
    codes: Box<[CodeBytes; CODE_POINT_LIMIT]>,
    /// The codes of characters that have another code together with the next one.
    prefixes: Vec<CodeBytes>,
    followers: Vec<Follower>,
}

/// A character that has a code together with the one before it.
#[derive(Debug)]
struct Follower {
    /// The index of the one before it among the prefixes.
    prefix: usize,
    character: char,
    code: CodeBytes,
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
        let pairs = cells::PAIRS.len();
        MultiByteEncodeTable {
            codes,
            prefixes: Vec::with_capacity(pairs),
            followers: Vec::with_capacity(pairs),
        }
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

    /// Encodes a prefix of `src`, which need not be valid UTF-8, while `dst` has space for any code: up to
    /// the first malformed sequence, character above U+FFFF or character without a code of its own at most.
    /// Returns the numbers of bytes read and written.
    pub fn encode_unvalidated(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(space) = dst[written..].first_chunk_mut::<4>() {
            let (value, len) = match src[read..] {
                [lead @ 0xE0..=0xEF, middle @ 0x80..=0xBF, last @ 0x80..=0xBF, ..] => {
                    let tail = |byte: u8| u32::from(byte & 0x3F);
                    (u32::from(lead & 0x0F) << 12 | tail(middle) << 6 | tail(last), 3)
                }
                [lead @ 0xC2..=0xDF, last @ 0x80..=0xBF, ..] => {
                    (u32::from(lead & 0x1F) << 6 | u32::from(last & 0x3F), 2)
                }
                [byte @ ..0x80, ..] => (u32::from(byte), 1),
                _ => break,
            };
            let code = self.entry(value);
            // Surrogates have no codes.
            if code == 0 || is_prefix(code) || len == 3 && value < 0x800 {
                break;
            }
            *space = code.to_le_bytes();
            written += code_len(code);
            read += len;
        }
        (read, written)
    }

    /// Returns the code of the first character or two of `text`.
    pub fn encode_first(&self, text: &str, end: bool) -> EncodeStep {
        let mut characters = text.chars();
        let Some(first) = characters.next() else { return EncodeStep::NeedMore };
        let entry = self.entry(first.into());
        let len = first.len_utf8();
        let (prefix, single) = match prefix_index(entry) {
            Some(index) => (index, self.prefixes.get(index).copied().unwrap_or(0)),
            None if entry == 0 => return EncodeStep::Unmappable,
            None => return EncodeStep::Code(entry, len),
        };
        let Some(next) = characters.next() else {
            return match (single, end) {
                (_, false) => EncodeStep::NeedMore,
                (0, true) => EncodeStep::Unmappable,
                (code, true) => EncodeStep::Code(code, len),
            };
        };
        let is_next = |it: &&Follower| (it.prefix, it.character) == (prefix, next);
        match (self.followers.iter().find(is_next), single) {
            (Some(follower), _) => EncodeStep::Code(follower.code, len + next.len_utf8()),
            (None, 0) => EncodeStep::Unmappable,
            (None, code) => EncodeStep::Code(code, len),
        }
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

    /// Removes the codes of these characters, which must be all that have one.
    pub fn remove_all(&mut self, characters: &[char]) {
        characters.iter().for_each(|character| self.insert(*character, 0));
        self.prefixes.clear();
        self.followers.clear();
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
        let new_prefix = self.prefixes.len();
        let Some(entry) = self.entry_mut(first) else { return };
        let prefix = match prefix_index(*entry) {
            Some(prefix) => prefix,
            None => {
                let single = std::mem::replace(entry, PREFIX_FLAG + new_prefix as CodeBytes);
                self.prefixes.push(single);
                new_prefix
            }
        };
        let is_same = |it: &Follower| (it.prefix, it.character) == (prefix, second);
        if !self.followers.iter().any(is_same) {
            self.followers.push(Follower { prefix, character: second, code });
        }
    }
}

fn is_prefix(entry: CodeBytes) -> bool {
    entry >> 24 == 1
}

fn prefix_index(entry: CodeBytes) -> Option<usize> {
    is_prefix(entry).then(|| (entry - PREFIX_FLAG) as usize)
}

/// The codes of a mapping, which an encoder adds to its table when the first character needs them.
#[derive(Debug)]
pub struct TableSource {
    mapping: MultiByteMapping,
    tag: CodeBytes,
    /// Whether characters that the mapping encodes otherwise than it decodes have those codes.
    has_one_way: bool,
    /// Sorted ranges of big-endian codes that are not encoded.
    decode_only: Vec<(u32, u32)>,
}

impl TableSource {
    /// Returns the codes of a mapping, each with `tag` above it.
    pub fn new(mapping: &MultiByteMapping, tag: CodeBytes) -> TableSource {
        let mut decode_only: Vec<_> = mapping.trie.decode_only().collect();
        decode_only.sort_unstable();
        TableSource { mapping: *mapping, tag, has_one_way: true, decode_only }
    }

    /// Returns the codes of a mapping that it also decodes, each with `tag` above it.
    pub fn without_one_way(mapping: &MultiByteMapping, tag: CodeBytes) -> TableSource {
        TableSource { has_one_way: false, ..TableSource::new(mapping, tag) }
    }

    /// Adds the codes to a table; does not allocate for a table without pairs of characters. If a
    /// character has several codes, the shortest one is used, and among these the first; codes of an
    /// earlier mapping are kept.
    pub fn add_to(&self, table: &mut MultiByteEncodeTable) {
        self.add(table, None);
    }

    /// Does the same for the codes of one character, and of it and another one.
    pub fn add_character(&self, table: &mut MultiByteEncodeTable, character: char) {
        if self.tag == 0 || table.entry(character.into()) == 0 || cells::begins_pair(character) {
            self.add(table, Some(character));
        }
    }

    fn add(&self, table: &mut MultiByteEncodeTable, only: Option<char>) {
        let mapping = &self.mapping;
        let mut trail_bytes = [(0, 0); 0x100];
        let mut trail_count = 0;
        for (byte, column) in (0..=0xFF).zip(mapping.trail_index) {
            if *column != mapping::NOT_A_TRAIL {
                trail_bytes[trail_count] = (byte, *column);
                trail_count += 1;
            }
        }
        let trail_bytes = &trail_bytes[..trail_count];
        let mut builder = EncodeTableBuilder {
            table,
            source: self,
            trail_bytes,
            only,
            adds_pairs: false,
            has_pairs: false,
        };
        builder.add_all();
        if builder.has_pairs || only.is_some_and(cells::begins_pair) {
            // The codes of single characters are complete only now.
            builder.adds_pairs = true;
            builder.add_all();
        }
    }

    /// Sets the codes of those characters that the mapping encodes otherwise than it decodes.
    pub fn apply_one_way(
        &self,
        table: &mut MultiByteEncodeTable,
        is_applied: impl Fn(char) -> bool,
    ) {
        for (character, code) in self.mapping.trie.one_way() {
            if self.has_one_way && is_applied(character) {
                table.insert(character, if code == 0 { 0 } else { self.tag | code });
            }
        }
    }

    /// Returns whether a byte of ASCII is encoded as itself.
    pub fn is_ascii(&self, byte: u8) -> bool {
        let itself = char::from(byte);
        let mapping = &self.mapping;
        mapping.ascii
            && mapping.decode_one(&[byte]).is_ok_and(|code| code.chars == itself.into())
            && mapping.trie.one_way().all(|(character, _)| character != itself)
            && !self.has_decode_only(byte.into(), byte.into())
    }

    /// Returns whether any of these codes is not encoded.
    fn has_decode_only(&self, first: u32, last: u32) -> bool {
        let after = self.decode_only.partition_point(|(start, _)| *start <= last);
        after.checked_sub(1).is_some_and(|at| first <= self.decode_only[at].1)
    }
}

/// Returns the length of a code without a tag in bytes.
pub fn code_len(code: CodeBytes) -> usize {
    4 - code.leading_zeros() as usize / 8
}

struct EncodeTableBuilder<'a> {
    table: &'a mut MultiByteEncodeTable,
    source: &'a TableSource,
    /// The trail bytes and their columns.
    trail_bytes: &'a [(u8, u8)],
    /// The character whose codes are added, or `None` for all codes.
    only: Option<char>,
    /// Whether the codes of two characters are added, or those of one.
    adds_pairs: bool,
    /// Whether there are codes of two characters.
    has_pairs: bool,
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
    fn add_all(&mut self) {
        let mapping = &self.source.mapping;
        if mapping.ascii {
            let (first, _) = mapping.trie.byte_range(ROOT);
            let ascii = match self.only {
                None => 0..first.min(0x80),
                Some(character) if u32::from(character) < u32::from(first.min(0x80)) => {
                    character as u8..character as u8 + 1
                }
                Some(_) => 0..0,
            };
            for byte in ascii {
                self.add_code(char::from(byte).into(), PartialCode::default().with_byte(byte));
            }
        }
        self.add_node(ROOT, PartialCode::default());
    }

    fn add_node(&mut self, node: usize, lead: PartialCode) {
        let trie = self.source.mapping.trie;
        let (first, last) = trie.byte_range(node);
        for byte in first..=last {
            let bytes = lead.with_byte(byte);
            match trie.entry(node, byte) {
                TrieEntry::Invalid => {}
                TrieEntry::Character(character) => {
                    if self.only.is_none_or(|only| only == character) {
                        self.add_code(character.into(), bytes);
                    }
                }
                TrieEntry::Row(row) => match self.only {
                    None => self.add_row(row, bytes),
                    Some(character) => self.search_row(character, row, bytes),
                },
                TrieEntry::Node(next) => self.add_node(next, bytes),
            }
        }
    }

    fn add_row(&mut self, row: usize, lead: PartialCode) {
        let (first, last) = (lead.with_byte(0).big_endian, lead.with_byte(0xFF).big_endian);
        let is_fast = !self.adds_pairs && !self.source.has_decode_only(first, last);
        let (code, shift) = (self.source.tag | lead.little_endian, 8 * lead.len);
        for &(trail, column) in self.trail_bytes {
            let cell = cells::cell(row + usize::from(column));
            // The fast path, which nearly all cells take.
            if is_fast && cells::is_single_bmp(cell) {
                let entry = self.table.bmp_entry_mut(cell);
                if *entry == 0 {
                    *entry = code | CodeBytes::from(trail) << shift;
                    continue;
                }
            }
            if cell == 0 || self.adds_pairs && !cells::is_pair(cell) {
                continue;
            }
            if let Some(text) = cells::decode_cell(row, usize::from(column)) {
                self.add_code(text, lead.with_byte(trail));
            }
        }
    }

    /// Adds the codes of one character in a row.
    fn search_row(&mut self, character: char, row: usize, lead: PartialCode) {
        let columns = self.trail_bytes.len();
        for pattern in cells::patterns(character, self.adds_pairs) {
            cells::find_in_row(row, columns, pattern, |column| {
                let (trail, column) = self.trail_bytes[column];
                let text = cells::decode_cell(row, usize::from(column));
                if let Some(text) = text.filter(|text| text.first == character) {
                    self.add_code(text, lead.with_byte(trail));
                }
            });
        }
    }

    fn add_code(&mut self, text: cells::OneOrTwoChars, bytes: PartialCode) {
        if self.source.has_decode_only(bytes.big_endian, bytes.big_endian) {
            return;
        }
        let tag = self.source.tag;
        let code = tag | bytes.little_endian;
        match text.second {
            Some(second) if self.adds_pairs => self.table.insert_pair((text.first, second), code),
            Some(_) => self.has_pairs = true,
            None if self.adds_pairs => {}
            None => {
                // Codes with a tag are those of earlier sets, or of the same set, whose codes have one length.
                let len = bytes.len as usize;
                let is_better = |existing| tag != 0 || code_len(existing) <= len;
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
