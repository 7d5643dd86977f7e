//! The table of all pairs of bytes, for decoders with much to read.
//!
//! It is built for a large input only: it costs as much as a hundred kilobytes of text.

use super::cells::{self, Text};
use super::columns;
use super::directory::{Entry, ROOT};
use super::grid::Grid;
use crate::kernel::octet::doubles::{Doubles, Shape};
use crate::kernel::octet::{Form, form_of};

/// The characters of all codes of one byte or two that are one character up to U+FFFF. Nothing for a
/// set without codes of two bytes.
pub fn doubles(grid: &Grid) -> Option<Doubles> {
    let mut singles = [0; 0x80];
    let mut forms = vec![0; 0x1_0000];
    let mut leads = 0..0;
    for byte in 0..=0xFF {
        let at = usize::from(byte);
        match (grid.directory.entry(ROOT, byte), singles.get_mut(at)) {
            (Entry::Row(row), _) => {
                fill(grid, row, forms.get_mut(at..)?);
                leads = if leads.is_empty() { at } else { leads.start }..at + 1;
            }
            (Entry::Character(character), Some(single)) => *single = form_of(character),
            (Entry::Nothing, Some(single)) if grid.ascii => *single = form_of(byte.into()),
            _ => {}
        }
    }
    let itself = (0..).zip(singles).all(|(byte, form)| form == form_of(char::from(byte)));
    let shape = match (grid.ascii, leads.start) {
        _ if leads.is_empty() => return None,
        (true, 0x80..) if itself => Shape::Ascii,
        (true, 0x80..) => Shape::Mixed,
        (true, _) => return None,
        (false, _) => Shape::Double,
    };
    if shape != Shape::Double {
        // A single byte stands in the table as the first of two, with nought behind it.
        forms[..0x80].copy_from_slice(&singles);
    }
    Some(Doubles { forms: forms.into_boxed_slice().try_into().ok()?, shape })
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
