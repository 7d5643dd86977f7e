//! From text to UTF-5.

use super::digits::spell;
use crate::kernel::front;
use crate::kernel::simd::{self, Loop, Simd, WIDTH};
use crate::kernel::utf7::units;

/// Bytes that are sorted together.
const WINDOW: usize = 64;
/// Bytes that must be there: a step may begin at the last of a window.
pub(super) const NEAR: usize = WINDOW + 2 * WIDTH;
/// Octets that there must be room for, those included that the next step overwrites.
pub(super) const ROOM: usize = 2 * WIDTH + WIDTH;

/// Encodes `text` from its front on, until the room might not do or the end is near. Bytes read and
/// octets written; what stands in `dst` behind them is of no meaning.
#[inline]
pub fn encode(text: &str, dst: &mut [u8]) -> (usize, usize) {
    if text.len() < NEAR || dst.len() < ROOM {
        return (0, 0);
    }
    simd::run(Encode { text, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn at(level: simd::Level, text: &str, dst: &mut [u8]) -> (usize, usize) {
    level.run(Encode { text, dst })
}

struct Encode<'a> {
    text: &'a str,
    dst: &'a mut [u8],
}

impl Loop for Encode<'_> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Encode { text, mut dst } = self;
        let (mut src, room) = (text.as_bytes(), dst.len());
        let writer = Writer { simd, hex: simd.load(b"0123456789ABCDEF") };
        loop {
            let count = writer.ascii(src, dst);
            src = &src[count..];
            dst = &mut dst[2 * count..];
            let Some(near) = src.first_chunk() else { break };
            if dst.len() < ROOM {
                break;
            }
            let (read, written) = writer.window(near, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        (text.len() - src.len(), room - dst.len())
    }
}

/// For each byte of a window a bit, that of the first one lowest.
#[derive(Default)]
struct Window {
    /// ASCII from U+0010 on.
    ones: u64,
    /// First bytes of characters to U+00FF, to U+07FF, to U+0FFF and to U+FFFF.
    latin: u64,
    twos: u64,
    short: u64,
    threes: u64,
}

const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;

/// How many of the characters from `at` on have their first bytes in `leads`, up to `most`.
#[inline(always)]
fn count(leads: u64, at: usize, len: usize, pattern: u64, most: usize) -> usize {
    (((leads >> at) ^ pattern).trailing_zeros() as usize / len).min(most)
}

struct Writer<S: Simd> {
    simd: S,
    hex: S::Bytes,
}

impl<S: Simd> Writer<S> {
    #[inline(always)]
    fn sort(&self, near: &[u8; NEAR]) -> Window {
        let (simd, mut window) = (self.simd, Window::default());
        for (index, text) in near.as_chunks().0.iter().take(WINDOW / WIDTH).enumerate() {
            let text = simd.load(text);
            // With sign, all first bytes are above all continuation bytes and below ASCII.
            let from = |first: u8| {
                let below = simd.splat8(first.wrapping_sub(1));
                u64::from(simd.mask8(simd.greater_signed8(text, below))) << (index * WIDTH)
            };
            let [one, latin, two, short, three, four] =
                [0x10, 0xC0, 0xC4, 0xE0, 0xE1, 0xF0].map(from);
            window.ones |= one;
            window.latin |= latin & !two;
            window.twos |= two & !short;
            window.short |= short & !three;
            window.threes |= three & !four;
        }
        window
    }

    /// Writes whole vectors of ASCII from U+0010 on; says how many bytes that is.
    #[inline(always)]
    fn ascii(&self, src: &[u8], dst: &mut [u8]) -> usize {
        let simd = self.simd;
        let to = dst.as_chunks_mut::<WIDTH>().0.as_chunks_mut::<2>().0;
        let vectors = src.as_chunks::<WIDTH>().0.iter().zip(to);
        let mut count = 0;
        for (text, [first, second]) in vectors {
            let text = simd.load(text);
            if simd.mask8(simd.greater_signed8(text, simd.splat8(0x0F))) != 0xFFFF {
                break;
            }
            let pairs = self.pairs(text);
            simd.store(pairs[0], first);
            simd.store(pairs[1], second);
            count += WIDTH;
        }
        count
    }

    /// Writes the characters that begin in a window. Bytes read and octets written.
    #[inline(always)]
    fn window(&self, near: &[u8; NEAR], mut dst: &mut [u8]) -> (usize, usize) {
        let (window, room) = (self.sort(near), dst.len());
        let mut at = 0;
        while at < WINDOW
            && let Some(to) = dst.first_chunk_mut()
        {
            let (read, written) = self.step(&near[at..], &window, at, to);
            at += read;
            dst = &mut dst[written..];
        }
        (at, room - dst.len())
    }

    /// Writes the characters of one sort that stand at `at`.
    #[inline(always)]
    fn step(&self, text: &[u8], window: &Window, at: usize, to: &mut [u8; ROOM]) -> (usize, usize) {
        let simd = self.simd;
        let Some(near) = text.first_chunk::<{ WIDTH + 2 }>() else { return (0, 0) };
        let Some(vector) = near.first_chunk::<WIDTH>() else { return (0, 0) };
        match near[0] {
            control @ 0x00..=0x0F => {
                to[0] = b'G' + control;
                (1, 1)
            }
            0x10..=0x7F => {
                let count = count(window.ones, at, 1, u64::MAX, WIDTH);
                self.twos(simd.load(vector), to);
                (count, 2 * count)
            }
            0xC0..=0xC3 => {
                let count = count(window.latin, at, 2, EVERY_SECOND, WIDTH / 2);
                let units = simd.and(units::twos(simd, vector), simd.splat16(0xFF));
                self.twos(simd.pack16(units, units), to);
                (2 * count, 2 * count)
            }
            0xC4..=0xDF => {
                let count = count(window.twos, at, 2, EVERY_SECOND, WIDTH / 2);
                self.threes(units::twos(simd, vector), to);
                (2 * count, 3 * count)
            }
            0xE0 => {
                let count = count(window.short, at, 3, EVERY_THIRD, 6);
                self.threes(units::threes(simd, near), to);
                (3 * count, 3 * count)
            }
            0xE1..=0xEF => {
                let count = count(window.threes, at, 3, EVERY_THIRD, 6);
                self.fours(units::threes(simd, near), to);
                (3 * count, 4 * count)
            }
            _ => (4, one(front::four(vector), to)),
        }
    }

    #[inline(always)]
    fn store(&self, octets: S::Bytes, to: &mut [u8; ROOM], at: usize) {
        if let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
            self.simd.store(octets, to);
        }
    }

    /// The digits of the low halves of octets.
    #[inline(always)]
    fn low(&self, octets: S::Bytes) -> S::Bytes {
        self.simd.shuffle8(self.hex, self.simd.and(octets, self.simd.splat8(0x0F)))
    }

    /// Two digits of each octet, the first one a head.
    #[inline(always)]
    fn pairs(&self, octets: S::Bytes) -> [S::Bytes; 2] {
        let simd = self.simd;
        let high = simd.and(simd.down16::<4>(octets), simd.splat8(0x0F));
        let (heads, digits) = (simd.add8(high, simd.splat8(b'G')), self.low(octets));
        [simd.zip_low8(heads, digits), simd.zip_high8(heads, digits)]
    }

    /// Two digits of each octet.
    #[inline(always)]
    fn twos(&self, octets: S::Bytes, to: &mut [u8; ROOM]) {
        let [first, second] = self.pairs(octets);
        self.store(first, to, 0);
        self.store(second, to, WIDTH);
    }

    /// Three digits of each unit.
    #[inline(always)]
    fn threes(&self, units: S::Bytes, to: &mut [u8; ROOM]) {
        const CLOSE: [u8; WIDTH] = [1, 2, 0, 5, 6, 4, 9, 10, 8, 13, 14, 12, 128, 128, 128, 128];
        let (simd, close) = (self.simd, self.simd.load(&CLOSE));
        let heads = simd.add16(simd.and(units, simd.splat16(0x0F00)), simd.splat16(0x4700));
        let last = simd.and(self.low(units), simd.splat16(0x00FF));
        let middle = self.low(simd.down16::<4>(units));
        let ends = simd.or(heads, last);
        let first = simd.shuffle8(simd.zip_low16(ends, middle), close);
        self.store(first, to, 0);
        self.store(simd.shuffle8(simd.zip_high16(ends, middle), close), to, 12);
    }

    /// Four digits of each unit.
    #[inline(always)]
    fn fours(&self, units: S::Bytes, to: &mut [u8; ROOM]) {
        let simd = self.simd;
        // The digits of each octet stand in the order of their octets: the low one first.
        let (even, odd) = (self.low(simd.down16::<4>(units)), self.low(units));
        let head = simd.and(simd.down16::<4>(units), simd.splat16(0x0F00));
        let head = simd.add16(head, simd.splat16(0x4700));
        let even = simd.or(head, simd.and(even, simd.splat16(0x00FF)));
        const CLOSE: [u8; WIDTH] = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
        let close = simd.load(&CLOSE);
        self.store(simd.shuffle8(simd.zip_low8(even, odd), close), to, 0);
        self.store(simd.shuffle8(simd.zip_high8(even, odd), close), to, WIDTH);
    }
}

/// Writes the digits of a value; says how many.
#[inline(always)]
fn one(value: u32, to: &mut [u8; ROOM]) -> usize {
    let (octets, len) = spell(value);
    to[..8].copy_from_slice(&octets);
    len
}
