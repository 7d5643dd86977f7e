//! The transliteration table in a compiled `LC_CTYPE` of the GNU C library.
//!
//! The file is an array of 32-bit numbers: a magic number, a count, and the offset of each item.
//! Numbers of items are those of `<langinfo.h>`, counted from `LC_CTYPE`'s first.

use std::collections::BTreeMap;

const MAGIC: u32 = 0x2009_0720;
const SIZE: usize = 61;
const FROM_INDEX: usize = 62;
const FROM_TABLE: usize = 63;
const TO_INDEX: usize = 64;
const TO_TABLE: usize = 65;

/// Candidates of each character, in the order in which they are tried.
pub type Candidates = BTreeMap<char, Vec<String>>;

/// Reads the table. None if the file is not of this form.
pub fn transliterations(file: &[u8]) -> Option<Candidates> {
    let word = |at: usize| Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?));
    let item = |number: usize| Some(word(8 + 4 * number)? as usize);
    let string = |table: usize, start: usize| {
        let characters = (start..).map(|at| word(item(table)? + 4 * at));
        let text = characters.map_while(|code| code.filter(|code| *code != 0));
        text.map(char::from_u32).collect::<Option<String>>()
    };
    (word(0)? == MAGIC).then_some(())?;
    let mut rows = Candidates::new();
    for row in 0..word(item(SIZE)?)? as usize {
        let from = string(FROM_TABLE, word(item(FROM_INDEX)? + 4 * row)? as usize)?;
        let mut at = word(item(TO_INDEX)? + 4 * row)? as usize;
        let mut candidates = Vec::new();
        // An empty string ends the list, but one that comes first is a candidate.
        loop {
            let text = string(TO_TABLE, at)?;
            at += text.chars().count() + 1;
            if text.is_empty() && !candidates.is_empty() {
                break;
            }
            let last = text.is_empty();
            candidates.push(text);
            if last {
                break;
            }
        }
        let mut characters = from.chars();
        let (Some(first), None) = (characters.next(), characters.next()) else { return None };
        rows.insert(first, candidates);
    }
    Some(rows)
}
