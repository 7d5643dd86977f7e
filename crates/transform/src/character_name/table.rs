//! The names that are not made from the code point, in files that `cargo xtask generate` writes.
//!
//! `words.bin` has all words of the names, with a line feed after each. `names.bin` has the names in the order of
//! their code points: the number of words that a name has in common with the start of the one before, in the high four
//! bits of a byte, the number of its other words in the low ones, and the offsets of those in `words.bin`. An
//! offset has two bytes, big-endian, or three if the highest bit is set, which does not count.
//!
//! `blocks.bin` divides the names into blocks, whose first name is whole and whose code points have no gaps: the
//! first code point and the offset in `names.bin`, three bytes each, little-endian.

use std::fmt::{self, Write};

use charpipe_kernel::simd::as_arrays;
use memchr::memchr;

const WORDS: &str = include_str!("words.bin");
const NAMES: &[u8] = include_bytes!("names.bin");
const BLOCKS: &[[u8; 6]] = as_arrays(include_bytes!("blocks.bin")).0;

/// The maximum number of words in a name.
const MAX_WORDS: usize = 31;

/// A name.
pub struct TableName {
    /// The offsets of its words.
    words: [u32; MAX_WORDS],
    word_count: usize,
}

impl TableName {
    /// Returns the name of a code point, if it is in the table.
    pub fn of(code_point: u32) -> Option<TableName> {
        let following = BLOCKS.partition_point(|block| split(block).0 <= code_point);
        let (first, start) = split(BLOCKS.get(following.checked_sub(1)?)?);
        let end = BLOCKS.get(following).map_or(NAMES.len(), |block| split(block).1 as usize);
        let mut rest = NAMES.get(start as usize..end)?;
        let mut name = TableName { words: [0; MAX_WORDS], word_count: 0 };
        for _ in first..=code_point {
            rest = name.read_next(rest)?;
        }
        Some(name)
    }

    /// Reads the name after this one. Returns the bytes after it, or `None` at the end of the block.
    fn read_next<'a>(&mut self, names: &'a [u8]) -> Option<&'a [u8]> {
        let (counts, mut rest) = names.split_first()?;
        let common = usize::from(counts >> 4);
        self.word_count = common + usize::from(counts & 0x0F);
        for word in self.words.get_mut(common..self.word_count)? {
            let (offset, after) = match rest {
                [high @ 0x80..=0xFF, middle, low, after @ ..] => {
                    ([0, high & 0x7F, *middle, *low], after)
                }
                [high, low, after @ ..] => ([0, 0, *high, *low], after),
                _ => return None,
            };
            (*word, rest) = (u32::from_be_bytes(offset), after);
        }
        Some(rest)
    }
}

/// Calls a function with each code point that has a name here, and the name, in order.
pub fn for_each(mut visit: impl FnMut(u32, &TableName)) {
    for (index, block) in BLOCKS.iter().enumerate() {
        let (first, start) = split(block);
        let end = BLOCKS.get(index + 1).map_or(NAMES.len(), |block| split(block).1 as usize);
        let mut rest = NAMES.get(start as usize..end).unwrap_or_default();
        let mut name = TableName { words: [0; MAX_WORDS], word_count: 0 };
        let mut code_point = first;
        while let Some(after) = name.read_next(rest) {
            visit(code_point, &name);
            (code_point, rest) = (code_point + 1, after);
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, offset) in self.words[..self.word_count].iter().enumerate() {
            if index > 0 {
                f.write_char(' ')?;
            }
            let words = WORDS.get(*offset as usize..).unwrap_or_default();
            let len = memchr(b'\n', words.as_bytes()).unwrap_or(words.len());
            f.write_str(&words[..len])?;
        }
        Ok(())
    }
}

/// Returns the first code point of a block and the offset of its first name.
fn split([first_low, first_middle, first_high, low, middle, high]: &[u8; 6]) -> (u32, u32) {
    let first = u32::from_le_bytes([*first_low, *first_middle, *first_high, 0]);
    (first, u32::from_le_bytes([*low, *middle, *high, 0]))
}
