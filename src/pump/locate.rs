//! Where in the input something stands, found by running stages again.
//!
//! Nothing is recorded on the way but one state a step. A stage's output is drained before the
//! stage runs again, so while a later stage works, the bytes from which its input was made are
//! still there: running the stage once more from the noted state, up to the byte in question,
//! finds the byte of its own input, and so on back to the file.

use super::Pump;
use super::lines::Lines;
use super::link::{Cursor, Link, Origin};
use crate::fault::Place;

/// Room for what is written again.
pub(crate) const SCRATCH: usize = 4096;

impl Pump {
    /// The place of the byte at `index` of the input block of link `at`.
    pub(super) fn place(&mut self, at: usize, index: usize) -> Place {
        if at == 0 {
            return self.place_at(self.base.wrapping_add(index as u64), self.lines);
        }
        let link = &self.chain.links[at];
        if index == link.input.position() && link.input.unread().is_empty() {
            // Something is missing at the end, so it is the end of what came before as well.
            return self.place(at - 1, self.chain.links[at - 1].input.position());
        }
        if let Some(carried) = link.carried_at(index) {
            return carried.place;
        }
        match link.origin {
            Origin::Step => {}
            Origin::Answer(place) => return place,
            Origin::Mended => return self.place(at - 1, self.chain.links[at - 1].input.position()),
        }
        let written = index.saturating_sub(link.fresh);
        let source = replay(&mut self.chain.links[at - 1], &mut self.scratch, written);
        let before = self.place(at - 1, source);
        if at - 1 != self.chain.text {
            return before;
        }
        let lines = self.lines_at(written);
        self.place_at(before.offset, lines)
    }

    /// Lines and columns at a byte of what the text stage wrote last.
    ///
    /// Answers overwrite text that has been taken, so this must be asked before one is put there;
    /// the cursor moves forward, so that many faults stay linear.
    pub(super) fn lines_at(&mut self, written: usize) -> Lines {
        let Some(next) = self.chain.links.get(self.chain.text + 1) else { return self.lines };
        let (seen, lines) = self.lines_seen;
        if written < seen {
            return lines;
        }
        let text = next.input.since(next.fresh + seen);
        let lines = lines.after(&text[..(written - seen).min(text.len())]);
        self.lines_seen = (written, lines);
        lines
    }

    fn place_at(&self, offset: u64, lines: Lines) -> Place {
        let raw = self.raw_lines.as_ref().map(|raw| raw.at(offset).0);
        let Lines { line, column } = raw.unwrap_or(lines);
        Place { offset, line, column }
    }
}

/// Index into the input of `link` of the first byte that carries byte `target` of what its last
/// step wrote.
pub(crate) fn replay(link: &mut Link, scratch: &mut [u8], target: usize) -> usize {
    let now = link.stage.state();
    let mut cursor = link.cursor;
    if cursor.written > target {
        cursor = Cursor { read: link.step.from, written: 0, state: link.step.state };
    }
    link.stage.resume(cursor.state);
    approach(link, scratch, target, &mut cursor);
    while least(link, scratch, target, &mut cursor) {}
    link.cursor = cursor;
    link.stage.resume(now);
    cursor.read
}

/// Index into the input of `link` behind the last byte that carries the character of `len` bytes
/// that begins at byte `target` of what its last step wrote. A byte that carries bits of the next
/// character as well belongs to that.
pub(crate) fn replay_past(link: &mut Link, scratch: &mut [u8], target: usize, len: usize) -> usize {
    replay(link, scratch, target);
    let now = link.stage.state();
    let mut cursor = link.cursor;
    link.stage.resume(cursor.state);
    while cursor.written < target + len && least(link, scratch, target + len, &mut cursor) {}
    link.cursor = cursor;
    link.stage.resume(now);
    cursor.read
}

/// Runs on with just the room that is left up to the target.
fn approach(link: &mut Link, scratch: &mut [u8], target: usize, cursor: &mut Cursor) {
    while cursor.written < target {
        let room = (target - cursor.written).min(scratch.len());
        let src = link.input.since(cursor.read);
        // Text is checked before it is run again: the whole block, at every fault, is too much.
        let near = &src[..src.len().min(room + link.window)];
        let end = link.step.end && near.len() == src.len();
        let (read, written) = link.stage.replay(near, &mut scratch[..room], end);
        cursor.read += read;
        cursor.written += written;
        cursor.state = link.stage.state();
        if read == 0 && written == 0 {
            return;
        }
    }
}

/// Feeds as few bytes as move something; says whether to go on. What moves without output, a shift
/// or a mark, stands before the target; what would write past it holds it. Where a window and a
/// byte move nothing, nothing ever will (third clause of the contract).
fn least(link: &mut Link, scratch: &mut [u8], target: usize, cursor: &mut Cursor) -> bool {
    let all = link.input.since(cursor.read);
    let (most, whole) = (all.len().min(link.window + 1), all.len());
    let ample = scratch.len();
    let mut feed = |count: usize, room: usize| {
        link.stage.resume(cursor.state);
        let src = &link.input.since(cursor.read)[..count];
        link.stage.replay(src, &mut scratch[..room], link.step.end && count == whole)
    };
    let Some(count) = first_that_moves(most, &mut |count| feed(count, ample) != (0, 0)) else {
        link.stage.resume(cursor.state);
        return false;
    };
    let (mut read, mut written) = feed(count, ample);
    if cursor.written + written > target {
        // What only moves once the target is in sight stands before it too, as `approach` has it.
        (read, written) = feed(count, target.saturating_sub(cursor.written));
        if (read, written) == (0, 0) {
            link.stage.resume(cursor.state);
            return false;
        }
    }
    cursor.read += read;
    cursor.written += written;
    cursor.state = link.stage.state();
    true
}

/// The least count from 1 to `most` that moves something. More bytes never move less, and a window
/// may be many thousands: it is doubled first, then halved in.
fn first_that_moves(most: usize, moves: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
    if most == 0 {
        return None;
    }
    let (mut still, mut high) = (0, 1);
    while !moves(high) {
        if high == most {
            return None;
        }
        (still, high) = (high, (2 * high).min(most));
    }
    while high - still > 1 {
        let middle = still + (high - still) / 2;
        if moves(middle) { high = middle } else { still = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_count_that_moves_something_is_found() {
        for most in 0..70 {
            for least in 1..80 {
                let mut asked = 0;
                let found = first_that_moves(most, &mut |count| {
                    asked += 1;
                    assert!(count <= most);
                    count >= least
                });
                assert_eq!(found, (least <= most).then_some(least), "{most} {least}");
                assert!(asked < 16, "{most} {least}");
            }
        }
    }
}
