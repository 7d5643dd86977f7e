//! How the codes of a charset are built, and what each decodes to.

use super::cells::{self, Text};
use super::columns::{self, Columns};
use super::directory::{Directory, Entry, ROOT};
use super::linear::Linear;
use crate::fault::Why;

/// The codes of one charset: a directory of its lead bytes, over the cells that all share.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// What each lead byte leads to.
    pub directory: Directory,
    /// Which column a byte behind a lead byte means.
    pub columns: &'static Columns,
    /// Whether the bytes below the first of the directory are ASCII, each itself.
    pub ascii: bool,
    /// The four-byte codes of GB 18030.
    pub linear: Option<Linear>,
}

/// A whole code: its length in bytes, and what it decodes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    pub len: usize,
    pub text: Text,
}

/// Bytes that the plain loop may write at a time.
const ROOM: usize = 4;

/// The three bytes of UTF-8 of a plain cell, and one more of no meaning.
#[inline(always)]
fn three(cell: u16) -> [u8; ROOM] {
    let value = u32::from(cell);
    let bytes =
        (0xE0 | value >> 12) | (0x80 | value >> 6 & 0x3F) << 8 | (0x80 | value & 0x3F) << 16;
    bytes.to_le_bytes()
}

/// Why there is no whole code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The bytes end within it.
    Unfinished,
    /// The first bytes, so many, are none.
    Bad(usize, Why),
}

impl Grid {
    /// A charset whose bytes 00 to 7F are ASCII, but for those that its directory names.
    pub const fn with_ascii(file: &'static [u8], columns: &'static Columns) -> Grid {
        let directory = Directory::new(file);
        Grid { directory, columns, ascii: true, linear: None }
    }

    /// A charset of nothing but what its directory names.
    pub const fn bare(file: &'static [u8], columns: &'static Columns) -> Grid {
        Grid { ascii: false, ..Grid::with_ascii(file, columns) }
    }

    /// ASCII and nothing else.
    pub const fn only_ascii() -> Grid {
        // A node of the byte 80, which leads nowhere.
        Grid::with_ascii(&[4, 0, 0, 0, 4, 0, 0, 0, 0x80, 0x80, 0, 0, 0, 0, 0, 0], &columns::LEFT)
    }

    /// The same, with four-byte codes.
    pub const fn with_linear(self, linear: Linear) -> Grid {
        Grid { linear: Some(linear), ..self }
    }

    /// Decodes single characters and plain two-byte codes, up to any other and while there is room
    /// enough. Says how many bytes it has read and written. Where `copied`, two ASCII bytes in a row
    /// are left to the loop that copies them.
    #[inline(always)]
    pub fn plain(&self, src: &[u8], dst: &mut [u8], copied: bool) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        let (first, root) = self.directory.root();
        while let Some(&[lead, trail]) = src[read..].first_chunk::<2>()
            && let Some(room) = dst[written..].first_chunk_mut::<ROOM>()
        {
            let Some(word) = root.get(usize::from(lead.wrapping_sub(first))) else {
                if !self.ascii || copied && trail.is_ascii() || !lead.is_ascii() {
                    break;
                }
                room[0] = lead;
                written += 1;
                read += 1;
                continue;
            };
            let word = u32::from_le_bytes(*word);
            let Some(row) = Entry::row(word) else {
                let Entry::Character(character) = Entry::of(word) else { break };
                written += character.encode_utf8(room).len();
                read += 1;
                continue;
            };
            let column = self.columns[usize::from(trail)];
            let cell = cells::cell(row + usize::from(column));
            if column == columns::NONE || !cells::is_plain(cell) {
                break;
            }
            *room = three(cell);
            written += 3;
            read += 2;
        }
        (read, written)
    }

    /// The first code of `src`, which is not empty.
    pub fn unit(&self, src: &[u8]) -> Result<Unit, Trouble> {
        let mut node = ROOT;
        for (index, &byte) in src.iter().enumerate() {
            let len = index + 1;
            match self.directory.entry(node, byte) {
                Entry::Character(character) => return Ok(Unit { len, text: character.into() }),
                Entry::Row(row) => return self.in_row(row, src, len),
                Entry::Node(next) => node = next,
                Entry::Nothing if index == 0 && self.ascii && byte.is_ascii() => {
                    return Ok(Unit { len, text: char::from(byte).into() });
                }
                Entry::Nothing if index == 0 => return Err(Trouble::Bad(1, Why::Stray)),
                Entry::Nothing => return Err(self.bad(&src[..len])),
            }
        }
        Err(Trouble::Unfinished)
    }

    /// The code that the byte behind the first `leads` ends.
    fn in_row(&self, row: usize, src: &[u8], leads: usize) -> Result<Unit, Trouble> {
        let &trail = src.get(leads).ok_or(Trouble::Unfinished)?;
        let len = leads + 1;
        match (self.columns[usize::from(trail)], self.linear) {
            (columns::NONE, Some(linear)) if trail.is_ascii_digit() => linear.unit(src),
            (columns::NONE, _) => Err(self.bad(&src[..len])),
            (column, _) => match cells::text(row, usize::from(column)) {
                Some(text) => Ok(Unit { len, text }),
                None => Err(self.unassigned(&src[..len])),
            },
        }
    }

    /// A code whose last byte does not belong there. It is part of the offender or shows what is
    /// wrong with it.
    fn bad(&self, code: &[u8]) -> Trouble {
        let offender = self.offender(code);
        let whole = offender == code.len();
        Trouble::Bad(offender, if whole { Why::Unassigned } else { Why::Continuation })
    }

    fn unassigned(&self, code: &[u8]) -> Trouble {
        Trouble::Bad(self.offender(code), Why::Unassigned)
    }

    /// How much of a bad code is the offender: not an ASCII byte behind the first, nor what follows
    /// that. Where no byte is ASCII, as in the bare sets, all of it.
    fn offender(&self, code: &[u8]) -> usize {
        let whole = code.len();
        if !self.ascii {
            return whole;
        }
        code.iter().skip(1).position(u8::is_ascii).map_or(whole, |at| at + 1)
    }
}
