//! The quick loop of a decoder: four codes of one byte or two at a time, by a table of all pairs of
//! bytes.
//!
//! The table is built for a large input only: it costs as much as a hundred kilobytes of text.
//! Where codes of one byte stand between codes of two cannot be foreseen, so nothing branches on
//! it. The loop converts what is certain and says how far it came; it finds no faults.

use super::cells::{self, Text};
use super::columns;
use super::directory::{Entry, ROOT};
use super::grid::Grid;
use crate::kernel::octet::{Form, form_of, length};

/// The lead bytes of a step, where each is above 7F.
const LEADS: u64 = 0x0080_0080_0080_0080;

/// Codes of a step.
const STEP: usize = 4;

/// Bytes that are looked at together.
const NEAR: usize = 16;

/// Bytes that a step may take: ASCII, or three bytes a code and what the last store writes too much.
const ROOM: usize = 20;

/// The characters of all codes of one byte or two that are one character up to U+FFFF.
#[derive(Debug)]
pub struct Quick {
    /// For each two bytes, the first lowest, the form of their character; nought where there is
    /// none.
    pairs: Box<[Form; 0x1_0000]>,
    /// For each byte below 80 the form of its character; nought where there is none.
    singles: [Form; 0x80],
    shape: Shape,
}

/// How the codes of a set are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Bytes below 80 are ASCII, all others lead.
    Ascii,
    /// Bytes below 80 are characters, all others lead.
    Mixed,
    /// All codes have two bytes.
    Double,
}

impl Quick {
    /// The characters of this grid. Nothing for a set without codes of two bytes.
    pub fn new(grid: &Grid) -> Option<Quick> {
        let mut singles = [0; 0x80];
        let mut pairs = vec![0; 0x1_0000];
        let mut leads = 0..0;
        for byte in 0..=0xFF {
            let at = usize::from(byte);
            match (grid.directory.entry(ROOT, byte), singles.get_mut(at)) {
                (Entry::Row(row), _) => {
                    fill(grid, row, pairs.get_mut(at..)?);
                    leads = if leads.is_empty() { at } else { leads.start }..at + 1;
                }
                (Entry::Character(character), Some(single)) => *single = form_of(character),
                (Entry::Nothing, Some(single)) if grid.ascii => *single = form_of(byte.into()),
                _ => {}
            }
        }
        let itself = (0..).zip(singles).all(|(byte, form)| form == byte | 1 << 30);
        let shape = match (grid.ascii, leads.start) {
            _ if leads.is_empty() => return None,
            (true, 0x80..) if itself => Shape::Ascii,
            (true, 0x80..) => Shape::Mixed,
            (true, _) => return None,
            (false, _) => Shape::Double,
        };
        Some(Quick { pairs: pairs.into_boxed_slice().try_into().ok()?, singles, shape })
    }

    /// Decodes codes at the front of `src` that are in the table, while `dst` has room to spare. Says
    /// how many bytes it has read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.shape {
            Shape::Ascii => self.steps::<true, true>(src, dst),
            Shape::Mixed => self.steps::<true, false>(src, dst),
            Shape::Double => self.steps::<false, false>(src, dst),
        }
    }

    #[inline(always)]
    fn steps<const MIXED: bool, const ASCII: bool>(
        &self,
        src: &[u8],
        dst: &mut [u8],
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(near) = src[read..].first_chunk::<NEAR>()
            && let Some(room) = dst[written..].first_chunk_mut::<ROOM>()
        {
            if ASCII && near.is_ascii() {
                room[..NEAR].copy_from_slice(near);
                read += NEAR;
                written += NEAR;
                continue;
            }
            let word = u128::from_le_bytes(*near) as u64;
            let forms: [Form; STEP] =
                std::array::from_fn(|lane| self.pairs[usize::from((word >> (16 * lane)) as u16)]);
            let singles = if MIXED { !word & LEADS } else { 0 };
            let (taken, put, all) = if singles == 0 {
                run(forms, room)
            } else {
                self.mixed(forms, singles.trailing_zeros() as usize / 16, near, room)
            };
            read += taken;
            written += put;
            if !all {
                break;
            }
        }
        (read, written)
    }

    /// Writes the first forms, so many, and the character of the single byte behind them. Bytes read
    /// and written, and whether each was one.
    #[inline(always)]
    fn mixed(
        &self,
        forms: [Form; STEP],
        count: usize,
        near: &[u8; NEAR],
        room: &mut [u8; ROOM],
    ) -> (usize, usize, bool) {
        let (mut at, mut all) = (0, true);
        for (lane, form) in forms.into_iter().enumerate() {
            put(form, room, at);
            at += if lane < count { length(form) } else { 0 };
            all &= lane >= count || form != 0;
        }
        if !all {
            return (0, 0, false);
        }
        let single = self.singles[usize::from(near[2 * (count & 3)] & 0x7F)];
        put(single, room, at);
        if single == 0 {
            return (2 * count, at, false);
        }
        (2 * count + 1, at + length(single), true)
    }
}

/// Writes forms side by side, up to one that is none. Bytes read and written, and whether each was
/// one.
#[inline(always)]
fn run(forms: [Form; STEP], room: &mut [u8; ROOM]) -> (usize, usize, bool) {
    let all = !forms.iter().fold(false, |any, form| any | (*form == 0));
    let mut at = 0;
    for form in forms {
        put(form, room, at);
        at += length(form);
    }
    if all {
        return (2 * STEP, at, true);
    }
    let good = forms.iter().take_while(|form| **form != 0);
    let (taken, put) = good.fold((0, 0), |(taken, put), form| (taken + 2, put + length(*form)));
    (taken, put, false)
}

/// Writes a form.
#[inline(always)]
fn put(form: Form, room: &mut [u8; ROOM], at: usize) {
    // Never more than 12; so the compiler knows too.
    let place = at & 0xF;
    room[place..place + 4].copy_from_slice(&form.to_le_bytes());
}

/// Fills in the characters of a row.
fn fill(grid: &Grid, row: usize, pairs: &mut [Form]) {
    for (pair, column) in pairs.iter_mut().step_by(0x100).zip(grid.columns) {
        if *column != columns::NONE
            && let Some(Text { first: first @ ..='\u{FFFF}', second: None }) =
                cells::text(row, usize::from(*column))
        {
            *pair = form_of(first);
        }
    }
}
