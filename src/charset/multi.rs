//! Charsets of codes of one to four bytes without shifts: EUC, Shift_JIS, Big5, GBK, GB 18030, …
//!
//! One engine serves all of them. A charset is a [`Grid`](grid::Grid): a directory of what each lead
//! byte leads to, and cells that all charsets share. The files in `grids/` are made from the maps in
//! `tests/charmaps/`; nothing is unpacked when a decoder is made, and an encoder turns its grid
//! round.
//!
//! # What a fault is
//!
//! Bytes that are no code are one offender, up to and including the byte that shows it, but without
//! an ASCII byte behind the first byte, and without what follows that: a lead byte never takes a
//! quotation mark or a newline with it. Two exceptions: a four-byte code of GB 18030 of the right
//! shape is one offender, digits and all, and in a set without ASCII a bad pair is.
//! This is how the Encoding Standard counts.

mod bare;
pub(super) mod cells;
mod chinese;
pub(super) mod columns;
mod decoder;
mod directory;
mod encoder;
pub(super) mod grid;
pub(super) mod invert;
mod japanese;
mod korean;
mod linear;
#[cfg(test)]
mod prepared;
pub(super) mod quick;
pub(super) mod reverse;
pub(super) mod runs;
mod taiwanese;
#[cfg(test)]
mod tests;
pub(super) mod text;

use super::{Charset, Codecs, Mark, Settings, list};
use crate::codec::{Decoder, Encoder};
use decoder::GridDecoder;
use encoder::GridEncoder;
use grid::Grid;

const LISTS: &[&[&Charset]] =
    &[japanese::ALL, korean::ALL, chinese::ALL, taiwanese::ALL, bare::ALL];

/// All charsets that are nothing but a grid, in the order of the manual.
pub const ALL: &[&Charset] = &list::chained::<{ list::count(LISTS) }>(LISTS);

impl Codecs for Grid {
    fn decoder(&self, _: &Settings) -> Box<dyn Decoder> {
        Box::new(GridDecoder::new(*self))
    }

    fn encoder(&self, _: &Settings) -> Box<dyn Encoder> {
        Box::new(GridEncoder::new(self))
    }

    fn engine(&self) -> Option<&'static str> {
        Some(match (self.linear, self.ascii) {
            (Some(_), _) => "grid with four-byte codes",
            (None, true) => "grid with ASCII",
            (None, false) => "grid alone",
        })
    }
}

/// A charset that is nothing but a grid.
const fn charset(name: &'static str, about: &'static str, grid: &'static Grid) -> Charset {
    Charset { name, about, options: &[], mark: Mark::Character, codecs: grid, wide: None }
}
