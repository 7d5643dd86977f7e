//! Turns grids round: fills the table of an encoder with all that they decode.

use super::cells;
use super::columns;
use super::directory::{Entry, ROOT};
use super::grid::Grid;
use super::reverse::{Code, Reverse};

/// Adds the codes of a grid, with `mark` set above each. Of several codes of one character the
/// shortest stays, and of these the first; but none takes the place of a code of another grid.
pub fn add(reverse: &mut Reverse, grid: &Grid, mark: Code) {
    let mut decode_only: Vec<_> = grid.directory.decode_only().collect();
    decode_only.sort_unstable();
    let columns = (0..=0xFF).zip(grid.columns.iter().copied());
    let trails = columns.filter(|(_, column)| *column != columns::NONE).collect();
    let mut inversion = Inversion { reverse, grid, mark, decode_only, trails, pairs: Vec::new() };
    if grid.ascii {
        let (first, _) = grid.directory.bounds(ROOT);
        for byte in 0..first.min(0x80) {
            inversion.offer(char::from(byte).into(), Bytes::default().then(byte));
        }
    }
    inversion.node(ROOT, Bytes::default());
    let pairs = inversion.pairs;
    // Only now is it known what the first of two is alone.
    for (pair, code) in pairs {
        reverse.offer_pair(pair, code);
    }
}

/// Makes the characters that are encoded otherwise than a grid decodes be so.
pub fn correct(reverse: &mut Reverse, grid: &Grid, mark: Code) {
    for (character, code) in grid.directory.one_way() {
        reverse.insert(character, if code == 0 { 0 } else { mark | code });
    }
}

/// How many bytes a code without a mark has.
pub fn length(code: Code) -> usize {
    4 - code.leading_zeros() as usize / 8
}

struct Inversion<'a> {
    reverse: &'a mut Reverse,
    grid: &'a Grid,
    mark: Code,
    /// First and last, the first byte of each highest; in order, so that a code is soon found.
    decode_only: Vec<(u32, u32)>,
    /// The bytes that may end a code, and their columns.
    trails: Vec<(u8, u8)>,
    pairs: Vec<((char, char), Code)>,
}

/// Bytes of a code so far.
#[derive(Clone, Copy, Default)]
struct Bytes {
    /// The first lowest.
    little: Code,
    /// The first highest.
    big: u32,
    count: u32,
}

impl Bytes {
    fn then(self, byte: u8) -> Bytes {
        Bytes {
            little: self.little | u32::from(byte) << (8 * self.count),
            big: self.big << 8 | u32::from(byte),
            count: self.count + 1,
        }
    }
}

impl Inversion<'_> {
    fn node(&mut self, node: usize, lead: Bytes) {
        let directory = self.grid.directory;
        let (first, last) = directory.bounds(node);
        for byte in first..=last {
            let bytes = lead.then(byte);
            match directory.entry(node, byte) {
                Entry::Nothing => {}
                Entry::Character(character) => self.offer(character.into(), bytes),
                Entry::Row(row) => self.row(row, bytes),
                Entry::Node(next) => self.node(next, bytes),
            }
        }
    }

    fn row(&mut self, row: usize, lead: Bytes) {
        let all_encoded = !self.any_decode_only(lead.then(0).big, lead.then(0xFF).big);
        let (code, shift) = (self.mark | lead.little, 8 * lead.count);
        for at in 0..self.trails.len() {
            let (trail, column) = self.trails[at];
            let cell = cells::cell(row + usize::from(column));
            // Nearly all are so: the rest is what takes time.
            if all_encoded && cells::is_plain(cell) {
                let slot = self.reverse.short(cell);
                if *slot == 0 {
                    *slot = code | Code::from(trail) << shift;
                    continue;
                }
            }
            if cell != 0
                && let Some(text) = cells::text(row, usize::from(column))
            {
                self.offer(text, lead.then(trail));
            }
        }
    }

    /// Whether any of these codes is never encoded.
    fn any_decode_only(&self, first: u32, last: u32) -> bool {
        let behind = self.decode_only.partition_point(|(start, _)| *start <= last);
        behind.checked_sub(1).is_some_and(|at| first <= self.decode_only[at].1)
    }

    fn offer(&mut self, text: cells::Text, bytes: Bytes) {
        if self.any_decode_only(bytes.big, bytes.big) {
            return;
        }
        let code = self.mark | bytes.little;
        match text.second {
            Some(second) => self.pairs.push(((text.first, second), code)),
            None => {
                let stays = |old: Code| self.mark != 0 || length(old) <= bytes.count as usize;
                self.reverse.offer(text.first, code, stays);
            }
        }
    }
}
