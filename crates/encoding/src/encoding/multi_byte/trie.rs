//! The trie of an encoding: what each lead byte leads to.
//!
//! A trie is a file of 32-bit little-endian words: two indexes, the nodes from word 2 on, and the
//! two lists that the indexes refer to.
//!
//! A node has a word for its first and last byte (in bits 0 to 7 and 8 to 15), and then one for
//! each byte from the first to the last. The upper four bits of such a word are the kind of the
//! entry, and the others its value:
//!
//! | bits | meaning |
//! |---|---|
//! | 0 | invalid |
//! | 1 | the byte ends a code, of the character with this code point |
//! | 2 | one more byte follows; its row begins at this cell |
//! | 3 | more bytes follow; the next byte's node begins at this word |
//!
//! The list at the first index has the codes that are decoded but not encoded: the first and the
//! last of each range, as big-endian numbers. The list at the second index extends to the end and
//! has the characters with another code in the encoder than in the decoder: a code point, and a
//! [`CodeBytes`](super::encode_table::CodeBytes), or 0 if the character is unmappable.

use std::ops::Range;

use charpipe_kernel::simd::as_arrays;

/// The words of a trie.
#[derive(Debug, Clone, Copy)]
pub struct LeadTrie(&'static [[u8; 4]]);

/// The entry of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrieEntry {
    Invalid,
    Character(char),
    Row(usize),
    Node(usize),
}

impl TrieEntry {
    /// Returns the row of a word, which nearly all words have.
    #[inline(always)]
    pub fn row_from_word(word: u32) -> Option<usize> {
        (word >> 28 == 2).then_some((word & 0x0FFF_FFFF) as usize)
    }

    #[inline(always)]
    pub fn from_word(word: u32) -> TrieEntry {
        let value = word & 0x0FFF_FFFF;
        match word >> 28 {
            1 => char::from_u32(value).map_or(TrieEntry::Invalid, TrieEntry::Character),
            2 => TrieEntry::Row(value as usize),
            3 => TrieEntry::Node(value as usize),
            _ => TrieEntry::Invalid,
        }
    }
}

/// The node of the first byte.
pub const ROOT: usize = 2;

impl LeadTrie {
    pub const fn new(file: &'static [u8]) -> LeadTrie {
        LeadTrie(as_arrays(file).0)
    }

    pub fn address(self) -> usize {
        self.0.as_ptr().addr()
    }

    #[inline(always)]
    fn word(self, at: usize) -> u32 {
        self.0.get(at).map_or(0, |word| u32::from_le_bytes(*word))
    }

    /// Returns the first and the last byte of a node.
    #[inline(always)]
    pub fn byte_range(self, node: usize) -> (u8, u8) {
        let [first, last, ..] = self.word(node).to_le_bytes();
        (first, last)
    }

    /// Returns the first byte of the root, and the words of its entries.
    #[inline(always)]
    pub fn root_entries(self) -> (u8, &'static [[u8; 4]]) {
        let (first, last) = self.byte_range(ROOT);
        let len = usize::from(last - first) + 1;
        (first, self.0.get(ROOT + 1..ROOT + 1 + len).unwrap_or_default())
    }

    #[inline(always)]
    pub fn entry(self, node: usize, byte: u8) -> TrieEntry {
        let (first, last) = self.byte_range(node);
        if byte < first || byte > last {
            return TrieEntry::Invalid;
        }
        TrieEntry::from_word(self.word(node + 1 + usize::from(byte - first)))
    }

    /// Returns the ranges of codes that are not encoded, as first and last.
    pub fn decode_only(self) -> impl Iterator<Item = (u32, u32)> {
        self.word_pairs(self.word(0)..self.word(1))
    }

    /// Returns the characters with another code in the encoder, and these codes.
    pub fn one_way(self) -> impl Iterator<Item = (char, u32)> {
        let all = self.word_pairs(self.word(1)..self.0.len() as u32);
        all.filter_map(|(value, code)| char::from_u32(value).map(|character| (character, code)))
    }

    fn word_pairs(self, within: Range<u32>) -> impl Iterator<Item = (u32, u32)> {
        within.step_by(2).map(move |at| (self.word(at as usize), self.word(at as usize + 1)))
    }
}
