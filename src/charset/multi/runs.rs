//! The quick loop of an encoder with shifts: runs of ASCII, and runs of characters of three bytes in
//! UTF-8 with codes of two.
//!
//! Between two shifts there is often but a word: what reads text by stretches is not worth its start.
//! The loop converts what is certain and says how far it came; it finds no faults.

use super::reverse::{Code, Reverse};
use crate::kernel::front::{self, Length, NEAR};

/// What the quick loop must know of ASCII.
#[derive(Debug)]
pub struct Runs {
    /// For each character of ASCII its code; 0 where it has none or needs a closer look.
    ascii: [Code; 0x80],
}

impl Runs {
    /// Runs of what this table encodes. `odd`: characters that need a closer look.
    pub fn new(reverse: &Reverse, odd: impl Fn(char) -> bool) -> Runs {
        let ascii = std::array::from_fn(|byte| {
            let character = char::from(byte as u8);
            if odd(character) { 0 } else { reverse.plain(character) }
        });
        Runs { ascii }
    }

    /// Encodes characters at the front of `src`, which is UTF-8, while `dst` has room to spare and
    /// each has a code with this mark. Says how many bytes it has read and written.
    pub fn encode(
        &self,
        reverse: &Reverse,
        mark: Code,
        src: &[u8],
        dst: &mut [u8],
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(near) = src[read..].first_chunk::<NEAR>()
            && let Some(room) = dst[written..].first_chunk_mut::<NEAR>()
        {
            let (taken, put, all) = match front::length(near) {
                Length::One => self.ones(mark, near, room),
                Length::Three => self.threes(reverse, mark, near, room),
                Length::Two | Length::Four => break,
            };
            read += taken;
            written += put;
            if !all {
                break;
            }
        }
        (read, written)
    }

    /// Encodes the ASCII in front. Bytes read and written, and whether all of it had codes.
    #[inline(always)]
    fn ones(&self, mark: Code, near: &[u8; NEAR], room: &mut [u8; NEAR]) -> (usize, usize, bool) {
        for (at, (byte, room)) in near.iter().zip(room).enumerate() {
            let Some(code) = self.ascii.get(usize::from(*byte)) else { return (at, at, true) };
            let code = code ^ mark;
            if code == 0 || code > 0xFF {
                return (at, at, false);
            }
            *room = code as u8;
        }
        (NEAR, NEAR, true)
    }

    /// Encodes the characters of three bytes in front, and a character of ASCII behind them: mostly
    /// it is one. Bytes read and written, and whether all of them had codes.
    #[inline(always)]
    fn threes(
        &self,
        reverse: &Reverse,
        mark: Code,
        near: &[u8; NEAR],
        room: &mut [u8; NEAR],
    ) -> (usize, usize, bool) {
        let (count, values) = front::threes(near);
        let codes = values.map(|value| reverse.slot(value) ^ mark);
        let two = |code: &Code| matches!(code, 0x100..=0xFFFF);
        for (room, code) in room.as_chunks_mut().0.iter_mut().zip(codes) {
            *room = (code as u16).to_le_bytes();
        }
        if count == codes.len() && codes.iter().fold(true, |all, code| all & two(code)) {
            return (12, 8, true);
        }
        let run = codes.iter().take(count).take_while(|code| two(code)).count();
        let behind = self.ascii.get(usize::from(near[3 * run])).map(|code| code ^ mark);
        match behind {
            Some(code @ 1..=0xFF) => {
                room[2 * run] = code as u8;
                (3 * run + 1, 2 * run + 1, true)
            }
            _ => (3 * run, 2 * run, run == count && run > 0),
        }
    }
}
