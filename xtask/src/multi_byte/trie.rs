//! The trie of one encoding.

use std::collections::{BTreeMap, BTreeSet};

use super::cell_pool::CellPool;
use super::sources::{CodeTable, TableSource};
use crate::map::CodeBytes;

/// Returns the words of a trie in little-endian order.
pub fn pack_trie(source: &TableSource, pool: &mut CellPool) -> Vec<u8> {
    let table = source.table();
    let mut words = vec![0, 0];
    TrieBuilder { source, table: &table, pool }.node(&mut words, &[]);
    words[0] = words.len() as u32;
    words.extend(source.decode_only.iter().flat_map(|(first, last)| [*first, *last]));
    words[1] = words.len() as u32;
    words.extend(decode_only_entries(source, &table).into_iter().flatten());
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

struct TrieBuilder<'a> {
    source: &'a TableSource,
    table: &'a CodeTable,
    pool: &'a mut CellPool,
}

impl TrieBuilder<'_> {
    /// Adds the node of the codes that begin with `lead`.
    fn node(&mut self, words: &mut Vec<u32>, lead: &[u8]) {
        let mut bytes: BTreeSet<u8> =
            self.codes_after(lead).map(|(code, _)| code[lead.len()]).collect();
        if bytes.iter().any(|byte| self.is_row(&[lead, &[*byte]].concat())) {
            // A lead byte without characters is a lead byte too: the following byte belongs to it.
            bytes.extend(self.source.shape.leads.iter().cloned().flatten());
        }
        let named = |byte: &u8| !(lead.is_empty() && self.is_ascii(*byte));
        let first = bytes.iter().copied().find(named).expect("a node is not empty");
        let last = *bytes.last().expect("a node is not empty");
        words.push(u32::from(first) | u32::from(last) << 8);
        let at = words.len();
        words.resize(at + usize::from(last - first) + 1, 0);
        for byte in bytes.range(first..) {
            let word = self.entry(words, &[lead, &[*byte]].concat());
            words[at + usize::from(byte - first)] = word;
        }
    }

    /// Whether exactly one byte follows these.
    fn is_row(&self, lead: &[u8]) -> bool {
        self.codes_after(lead).all(|(code, _)| code.len() == lead.len() + 1)
    }

    fn entry(&mut self, words: &mut Vec<u32>, lead: &[u8]) -> u32 {
        if let Some(text) = self.table.decode.get(lead) {
            let mut characters = text.chars();
            let character = characters.next().expect("a text is not empty");
            assert_eq!(characters.next(), None, "a code outside of rows is one character");
            return 1 << 28 | u32::from(character);
        }
        if self.is_row(lead) {
            return 2 << 28 | self.row(lead) as u32;
        }
        let node = words.len();
        self.node(words, lead);
        3 << 28 | node as u32
    }

    fn row(&mut self, lead: &[u8]) -> usize {
        let columns: Vec<u8> = self.source.shape.trails.iter().cloned().flatten().collect();
        let ends = self.codes_after(lead).all(|(code, _)| columns.contains(&code[lead.len()]));
        assert!(ends, "{}: {lead:02X?} has a trail out of the columns", self.source.file);
        let text = |trail: &u8| self.table.decode.get(&[lead, &[*trail]].concat());
        let texts: Vec<_> = columns.iter().map(|trail| text(trail).map(String::as_str)).collect();
        self.pool.add_row(&texts)
    }

    fn is_ascii(&self, byte: u8) -> bool {
        let itself = char::from(byte).to_string();
        self.source.ascii && byte.is_ascii() && self.table.decode.get(&[byte][..]) == Some(&itself)
    }

    fn codes_after(&self, lead: &[u8]) -> impl Iterator<Item = (&CodeBytes, &String)> {
        let all = self.table.decode.range(lead.to_vec()..);
        let prefix = lead.to_vec();
        all.take_while(move |(code, _)| code.starts_with(&prefix))
    }
}

/// Returns what the encoder needs besides: code points, and their codes with the first byte lowest.
fn decode_only_entries(source: &TableSource, table: &CodeTable) -> Vec<[u32; 2]> {
    let mut first: BTreeMap<char, &CodeBytes> = BTreeMap::new();
    for (code, text) in &table.decode {
        let mut characters = text.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else { continue };
        if source.is_decode_only(code) {
            continue;
        }
        let kept = first.entry(character).or_insert(code);
        if code.len() < kept.len() {
            *kept = code;
        }
    }
    let all: BTreeSet<char> = first.keys().chain(table.encode.keys()).copied().collect();
    let exceptions = all.into_iter().filter_map(|character| {
        let (made, wanted) = (first.get(&character).copied(), table.encode.get(&character));
        let other = made != wanted && (wanted.is_some() || source.is_complete());
        other.then(|| [u32::from(character), wanted.map_or(0, |code| little_endian(code))])
    });
    exceptions.collect()
}

fn little_endian(code: &[u8]) -> u32 {
    code.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}
