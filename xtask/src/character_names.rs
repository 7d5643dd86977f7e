//! The names of characters, packed from those of the package unicode_names2.
//!
//! `crates/transform/src/character_name/table.rs` describes the format of the files.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::GeneratedFile;

/// The maximum number of names in a block.
const BLOCK_LEN: usize = 16;

/// The length of the part of the words that two bytes can refer to.
const NEAR_LEN: usize = 1 << 15;

/// Returns the files of `crates/transform/src/character_name/`.
pub fn tables() -> Vec<GeneratedFile> {
    let named = ('\0'..=char::MAX).filter_map(|character| {
        let name = unicode_names2::name(character)?.to_string();
        (!is_algorithmic(character, &name)).then(|| (u32::from(character), name))
    });
    let names: Vec<(u32, String)> = named.collect();
    let (words, offsets) = word_list(&names);
    let (mut blocks, mut coded) = (Vec::new(), Vec::new());
    let mut previous: Option<(u32, Vec<&str>)> = None;
    let mut block_len = 0;
    for (code_point, name) in &names {
        let follows = previous.as_ref().is_some_and(|(before, _)| before + 1 == *code_point);
        if !follows || block_len == BLOCK_LEN {
            blocks.extend_from_slice(&code_point.to_le_bytes()[..3]);
            blocks.extend_from_slice(&u32::try_from(coded.len()).unwrap().to_le_bytes()[..3]);
            (previous, block_len) = (None, 0);
        }
        let name: Vec<&str> = name.split(' ').collect();
        let before = previous.as_ref().map_or(&[][..], |(_, name)| name);
        let common = before.iter().zip(&name).take_while(|(one, other)| one == other).count();
        coded.push(u8::try_from(common << 4 | (name.len() - common)).unwrap());
        assert!(common < 16 && name.len() - common < 16, "{name:?}");
        for word in &name[common..] {
            let offset = offsets[word];
            if offset >= NEAR_LEN {
                coded.push(0x80 | u8::try_from(offset >> 16).unwrap());
            }
            coded.extend_from_slice(&u16::try_from(offset & 0xFFFF).unwrap().to_be_bytes());
        }
        (previous, block_len) = (Some((*code_point, name)), block_len + 1);
    }
    let file = |name: &str, contents| GeneratedFile {
        path: format!("crates/transform/src/character_name/{name}"),
        contents,
    };
    vec![file("words.bin", words), file("blocks.bin", blocks), file("names.bin", coded)]
}

/// Returns whether a name is made from the code point.
fn is_algorithmic(character: char, name: &str) -> bool {
    name.starts_with("HANGUL SYLLABLE ")
        || name.ends_with(&format!("-{:04X}", u32::from(character)))
}

/// Returns all words with a line feed after each, the most frequent first, and the offset of each.
fn word_list(names: &[(u32, String)]) -> (Vec<u8>, BTreeMap<&str, usize>) {
    let mut counts = BTreeMap::new();
    for word in names.iter().flat_map(|(_, name)| name.split(' ')) {
        *counts.entry(word).or_insert(0) += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(word, count)| (Reverse(*count), *word));
    let (mut words, mut offsets) = (Vec::new(), BTreeMap::new());
    for (word, _) in counts {
        offsets.insert(word, words.len());
        words.extend_from_slice(word.as_bytes());
        words.push(b'\n');
    }
    (words, offsets)
}
