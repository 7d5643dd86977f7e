//! How the codes of an encoding are built, and what each decodes to.

use super::cells::{self, OneOrTwoChars};
use super::gb18030_ranges::Gb18030Ranges;
use super::trail_bytes::{self, TrailIndex};
use super::trie::{LeadTrie, ROOT, TrieEntry};
use crate::conversion_error::MalformedReason;

/// The codes of one encoding: a directory of its lead bytes, over the cells that all share.
#[derive(Debug, Clone, Copy)]
pub struct MultiByteMapping {
    /// What each lead byte leads to.
    pub trie: LeadTrie,
    /// Which column a byte after a lead byte means.
    pub trail_index: &'static TrailIndex,
    /// Whether the bytes below the first of the directory are ASCII, each itself.
    pub ascii: bool,
    /// The four-byte codes of GB 18030.
    pub gb18030_ranges: Option<Gb18030Ranges>,
}

/// A whole code: its length in bytes, and what it decodes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodedCode {
    pub len: usize,
    pub chars: OneOrTwoChars,
}

/// Bytes that the plain loop may write at a time.
const WRITE_LEN: usize = 4;

/// The three bytes of UTF-8 of a plain cell, and one more of no meaning.
#[inline(always)]
fn utf8_3(cell: u16) -> [u8; WRITE_LEN] {
    let value = u32::from(cell);
    let bytes =
        (0xE0 | value >> 12) | (0x80 | value >> 6 & 0x3F) << 8 | (0x80 | value & 0x3F) << 16;
    bytes.to_le_bytes()
}

/// Why there is no whole code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingError {
    /// The bytes end within it.
    Incomplete,
    /// The first bytes, so many, are none.
    Malformed(usize, MalformedReason),
}

impl MultiByteMapping {
    /// An encoding whose bytes 00 to 7F are ASCII, but for those that its directory names.
    pub const fn with_ascii(file: &'static [u8], columns: &'static TrailIndex) -> MultiByteMapping {
        let directory = LeadTrie::new(file);
        MultiByteMapping {
            trie: directory,
            trail_index: columns,
            ascii: true,
            gb18030_ranges: None,
        }
    }

    /// An encoding of nothing but what its directory names.
    pub const fn without_ascii(
        file: &'static [u8],
        columns: &'static TrailIndex,
    ) -> MultiByteMapping {
        MultiByteMapping { ascii: false, ..MultiByteMapping::with_ascii(file, columns) }
    }

    /// ASCII and nothing else.
    pub const fn ascii_only() -> MultiByteMapping {
        // A node of the byte 80, which leads nowhere.
        MultiByteMapping::with_ascii(
            &[4, 0, 0, 0, 4, 0, 0, 0, 0x80, 0x80, 0, 0, 0, 0, 0, 0],
            &trail_bytes::GL_94,
        )
    }

    /// The same, with four-byte codes.
    pub const fn with_gb18030_ranges(self, ranges: Gb18030Ranges) -> MultiByteMapping {
        MultiByteMapping { gb18030_ranges: Some(ranges), ..self }
    }

    /// Decodes single characters and plain two-byte codes, up to any other and while there is space
    /// enough. Says how many bytes it has read and written. Where `copied`, two ASCII bytes in a row
    /// are left to the loop that copies them.
    #[inline(always)]
    pub fn decode_fast(&self, src: &[u8], dst: &mut [u8], copied: bool) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        let (first, root) = self.trie.root_entries();
        while let Some(&[lead, trail]) = src[read..].first_chunk::<2>()
            && let Some(space) = dst[written..].first_chunk_mut::<WRITE_LEN>()
        {
            let Some(word) = root.get(usize::from(lead.wrapping_sub(first))) else {
                if !self.ascii || copied && trail.is_ascii() || !lead.is_ascii() {
                    break;
                }
                space[0] = lead;
                written += 1;
                read += 1;
                continue;
            };
            let word = u32::from_le_bytes(*word);
            let Some(row) = TrieEntry::row_from_word(word) else {
                let TrieEntry::Character(character) = TrieEntry::from_word(word) else { break };
                written += character.encode_utf8(space).len();
                read += 1;
                continue;
            };
            let column = self.trail_index[usize::from(trail)];
            let cell = cells::cell(row + usize::from(column));
            if column == trail_bytes::NOT_A_TRAIL || !cells::is_single_bmp(cell) {
                break;
            }
            *space = utf8_3(cell);
            written += 3;
            read += 2;
        }
        (read, written)
    }

    /// The first code of `src`, which is not empty.
    pub fn decode_one(&self, src: &[u8]) -> Result<DecodedCode, MappingError> {
        let mut node = ROOT;
        for (index, &byte) in src.iter().enumerate() {
            let len = index + 1;
            match self.trie.entry(node, byte) {
                TrieEntry::Character(character) => {
                    return Ok(DecodedCode { len, chars: character.into() });
                }
                TrieEntry::Row(row) => return self.decode_trail(row, src, len),
                TrieEntry::Node(next) => node = next,
                TrieEntry::Invalid if index == 0 && self.ascii && byte.is_ascii() => {
                    return Ok(DecodedCode { len, chars: char::from(byte).into() });
                }
                TrieEntry::Invalid if index == 0 => {
                    return Err(MappingError::Malformed(1, MalformedReason::InvalidLeadByte));
                }
                TrieEntry::Invalid => return Err(self.malformed(&src[..len])),
            }
        }
        Err(MappingError::Incomplete)
    }

    /// The code that the byte after the first `leads` ends.
    fn decode_trail(
        &self,
        row: usize,
        src: &[u8],
        leads: usize,
    ) -> Result<DecodedCode, MappingError> {
        let &trail = src.get(leads).ok_or(MappingError::Incomplete)?;
        let len = leads + 1;
        match (self.trail_index[usize::from(trail)], self.gb18030_ranges) {
            (trail_bytes::NOT_A_TRAIL, Some(linear)) if trail.is_ascii_digit() => {
                linear.decode_one(src)
            }
            (trail_bytes::NOT_A_TRAIL, _) => Err(self.malformed(&src[..len])),
            (column, _) => match cells::decode_cell(row, usize::from(column)) {
                Some(text) => Ok(DecodedCode { len, chars: text }),
                None => Err(self.unassigned(&src[..len])),
            },
        }
    }

    /// A code whose last byte does not belong there. It is part of the offender or shows what is
    /// wrong with it.
    fn malformed(&self, code: &[u8]) -> MappingError {
        let offender = self.malformed_len(code);
        let whole = offender == code.len();
        MappingError::Malformed(
            offender,
            if whole { MalformedReason::Unassigned } else { MalformedReason::MissingTrailByte },
        )
    }

    fn unassigned(&self, code: &[u8]) -> MappingError {
        MappingError::Malformed(self.malformed_len(code), MalformedReason::Unassigned)
    }

    /// How much of an invalid code is the offender: not an ASCII byte after the first, nor what follows
    /// that. Where no byte is ASCII, as in the bare sets, all of it.
    fn malformed_len(&self, code: &[u8]) -> usize {
        let whole = code.len();
        if !self.ascii {
            return whole;
        }
        code.iter().skip(1).position(u8::is_ascii).map_or(whole, |at| at + 1)
    }
}
