//! The codes of a mapping file as a trie over their bytes.

use super::mapping_file::Mapping;
use super::{InvalidMapping, MappingResult};

/// The codes as a trie over their bytes.
///
/// A node is a word with its first and its last byte, the entry of the bytes before it if they are a code, and then an entry
/// for each byte from the first to the last. The upper four bits of an entry are its kind, and the others its value: 0 for no
/// code, 1 and a code point, 2 and the index of a text, 3 and the index of the node of the next byte.
#[derive(Debug)]
pub(super) struct CodeTrie {
    words: Vec<u32>,
    /// The texts of several characters.
    texts: Vec<Box<str>>,
}

/// The bits of a word that are its value.
const VALUE_BITS: u32 = 0x0FFF_FFFF;

/// What a byte of a code leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrieEntry<'a> {
    None,
    Character(char),
    Text(&'a str),
    Node(usize),
}

impl CodeTrie {
    /// Returns the trie of mappings in the order of their codes.
    pub fn new(mappings: &[Mapping]) -> MappingResult<CodeTrie> {
        let mut trie = CodeTrie { words: Vec::new(), texts: Vec::new() };
        trie.add_node(mappings, 0)?;
        Ok(trie)
    }

    /// Adds the node of codes that have `depth` bytes in common, and those after it. Returns its index.
    fn add_node(&mut self, mappings: &[Mapping], depth: usize) -> MappingResult<usize> {
        let node = self.words.len();
        let len = mappings.iter().take_while(|it| usize::from(it.code.len) == depth).count();
        let (own, longer) = mappings.split_at(len);
        let own = self.add_text(own)?;
        let byte = |mapping: &Mapping| mapping.code.bytes[depth];
        let (Some(first), Some(last)) = (longer.first().map(byte), longer.last().map(byte)) else {
            self.words.extend([0x00FF, own]);
            return Ok(node);
        };
        self.words.extend([u32::from_le_bytes([first, last, 0, 0]), own]);
        self.words.resize(node + 3 + usize::from(last - first), 0);
        for group in longer.chunk_by(|one, other| byte(one) == byte(other)) {
            let is_longer = |mapping: &Mapping| usize::from(mapping.code.len) > depth + 1;
            let word = match group.iter().any(is_longer) {
                true => 3 << 28 | self.add_node(group, depth + 1)? as u32,
                false => self.add_text(group)?,
            };
            self.words[node + 2 + usize::from(byte(&group[0]) - first)] = word;
        }
        Ok(node)
    }

    /// Adds the text of the mappings of one code. Returns its entry, 0 if there is none.
    fn add_text(&mut self, mappings: &[Mapping]) -> MappingResult<u32> {
        let Some((first, rest)) = mappings.split_first() else { return Ok(0) };
        if let Some(other) = rest.iter().find(|other| other.text != first.text) {
            let reason = format!("the code has another character in line {}", first.line);
            return Err(InvalidMapping::new(other.line, reason));
        }
        let mut characters = first.text.chars();
        Ok(match (characters.next(), characters.next()) {
            (Some(character), None) => 1 << 28 | u32::from(character),
            _ => {
                self.texts.push(first.text.as_str().into());
                2 << 28 | (self.texts.len() - 1) as u32
            }
        })
    }

    /// Returns what a byte after a node leads to.
    #[inline]
    pub fn entry(&self, node: usize, byte: u8) -> TrieEntry<'_> {
        let [first, last, ..] = self.words[node].to_le_bytes();
        if !(first..=last).contains(&byte) {
            return TrieEntry::None;
        }
        self.entry_at(node + 2 + usize::from(byte - first))
    }

    /// Returns the entry of the bytes before a node.
    pub fn own_entry(&self, node: usize) -> TrieEntry<'_> {
        self.entry_at(node + 1)
    }

    #[inline]
    fn entry_at(&self, at: usize) -> TrieEntry<'_> {
        let word = self.words.get(at).copied().unwrap_or(0);
        let value = word & VALUE_BITS;
        match word >> 28 {
            1 => char::from_u32(value).map_or(TrieEntry::None, TrieEntry::Character),
            2 => {
                self.texts.get(value as usize).map_or(TrieEntry::None, |text| TrieEntry::Text(text))
            }
            3 => TrieEntry::Node(value as usize),
            _ => TrieEntry::None,
        }
    }

    /// Returns the character of a byte that is a code.
    pub fn character(&self, byte: u8) -> Option<char> {
        match self.entry(0, byte) {
            TrieEntry::Character(character) => Some(character),
            _ => None,
        }
    }
}
