//! From units of 16 bits to UTF-8.

use crate::kernel::simd::{Simd, WIDTH};
use crate::kernel::to_text;

/// Two bits for each of twelve units: 00, 01 or 11 for one to three octets of UTF-8.
#[derive(Debug, Clone, Copy)]
pub struct Kinds(u32);

/// What [`Kinds`] are if all units have two octets.
const TWOS: u32 = 0x55_5555;
const LANES: u32 = 0xFFF;

impl Kinds {
    /// Of six units, or six units more.
    #[inline(always)]
    pub fn of<S: Simd, const N: usize>(simd: S, units: [S::Bytes; N]) -> Kinds {
        let kinds = units.map(|units| {
            let below =
                |bits: u16| simd.equal16(simd.and(units, simd.splat16(bits)), simd.splat16(0));
            // Below 80 in the lower octet of the lane, below 800 in the upper one.
            let (two, three) = (simd.splat16(0x00FF), simd.splat16(0xFF00));
            let small = simd.or(simd.and(below(0xFF80), two), simd.and(below(0xF800), three));
            !simd.mask8(small) & LANES
        });
        Kinds(kinds.into_iter().rev().fold(0, |kinds, more| kinds << 12 | more))
    }

    /// Whether all from the unit `count` on are below 80.
    #[inline(always)]
    pub fn ends(self, count: usize) -> bool {
        self.0 >> (2 * count) == 0
    }

    /// Whether one of the first `count` is below 80.
    #[inline(always)]
    pub fn has_ascii(self, count: usize) -> bool {
        !self.0 & first(TWOS, count) != 0
    }

    /// Octets of the first `count`, if no other has more than one.
    #[inline(always)]
    fn octets(self, count: usize) -> usize {
        count + self.0.count_ones() as usize
    }
}

/// The bits of the first `count` units.
#[inline(always)]
fn first(bits: u32, count: usize) -> u32 {
    bits & !(u32::MAX << (2 * count))
}

/// Two bits for each unit that is half of a surrogate pair, those of the first one lowest.
#[inline(always)]
pub fn surrogates<S: Simd>(simd: S, units: S::Bytes) -> u32 {
    simd.mask8(to_text::surrogates(simd, units))
}

/// Whether one of the units is half of a surrogate pair.
#[inline(always)]
pub fn has_surrogates<S: Simd, const N: usize>(simd: S, units: [S::Bytes; N]) -> bool {
    units.into_iter().fold(0, |all, units| all | surrogates(simd, units)) != 0
}

/// Bytes that [`write`] may write: the longest forms, and what the last store writes too much.
pub const ROOM: usize = 3 * 12 + WIDTH;

/// Writes the first `count` of the units, none of which is a surrogate and of which the others
/// are nought; says how many bytes that is.
#[inline(always)]
pub fn write<S: Simd, const N: usize>(
    simd: S,
    units: [S::Bytes; N],
    kinds: Kinds,
    count: usize,
    to: &mut [u8; ROOM],
) -> usize {
    if kinds.0 == first(TWOS, count) {
        for (index, units) in units.into_iter().enumerate() {
            store(simd, twos(simd, units), to, 12 * index);
        }
    } else if kinds.0 == first(u32::MAX, count) {
        for (index, units) in units.into_iter().enumerate() {
            let [four, two] = threes(simd, units);
            store(simd, four, to, 18 * index);
            store(simd, two, to, 18 * index + 12);
        }
    } else {
        mixed(simd, units, kinds, to);
    }
    kinds.octets(count)
}

#[inline(always)]
fn store<S: Simd>(simd: S, bytes: S::Bytes, to: &mut [u8; ROOM], at: usize) {
    if let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
        simd.store(bytes, to);
    }
}

/// The low six bits, as a continuation byte.
#[inline(always)]
fn low<S: Simd>(simd: S, units: S::Bytes) -> S::Bytes {
    simd.or(simd.and(units, simd.splat16(0x3F)), simd.splat16(0x80))
}

/// The bytes of units of two bytes each.
#[inline(always)]
pub fn twos<S: Simd>(simd: S, units: S::Bytes) -> S::Bytes {
    let lead = simd.or(simd.down16::<6>(units), simd.splat16(0xC0));
    simd.or(lead, simd.up16::<8>(low(simd, units)))
}

/// The first two bytes of units of three bytes each.
#[inline(always)]
fn front<S: Simd>(simd: S, units: S::Bytes) -> S::Bytes {
    let lead = simd.or(simd.down16::<12>(units), simd.splat16(0xE0));
    simd.or(lead, simd.up16::<8>(low(simd, simd.down16::<6>(units))))
}

/// The bytes of four units of three bytes each, and of the units behind them.
#[inline(always)]
pub fn threes<S: Simd>(simd: S, units: S::Bytes) -> [S::Bytes; 2] {
    let (front, last) = (front(simd, units), low(simd, units));
    let close = simd.load(&CLOSE[0xFF]);
    [simd.zip_low16(front, last), simd.zip_high16(front, last)]
        .map(|spread| simd.shuffle8(spread, close))
}

/// Units of any of the three lengths.
#[inline(always)]
fn mixed<S: Simd, const N: usize>(
    simd: S,
    units: [S::Bytes; N],
    kinds: Kinds,
    to: &mut [u8; ROOM],
) {
    let (mut at, mut kinds) = (0, kinds.0);
    for units in units {
        let above = |bits: u16| simd.equal16(simd.and(units, simd.splat16(bits)), simd.splat16(0));
        let short = simd.select(above(0xFF80), units, twos(simd, units));
        let front = simd.select(above(0xF800), short, front(simd, units));
        let last = low(simd, units);
        for (spread, lanes) in [(simd.zip_low16(front, last), 4), (simd.zip_high16(front, last), 2)]
        {
            let kind = kinds & !(u32::MAX << (2 * lanes));
            let close = simd.load(&CLOSE[kind as usize]);
            store(simd, simd.shuffle8(spread, close), to, at);
            at += lanes + kind.count_ones() as usize;
            kinds >>= 2 * lanes;
        }
    }
}

/// For the kinds of four units, whose bytes stand at the front of 32 bits each: the bytes side by
/// side.
static CLOSE: [[u8; WIDTH]; 0x100] = close();

const fn close() -> [[u8; WIDTH]; 0x100] {
    let mut close = [[0x80; WIDTH]; 0x100];
    let mut kinds: usize = 0;
    while kinds < 0x100 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            let len = 1 + (kinds >> (2 * lane) & 0b11).count_ones() as usize;
            let mut byte = 0;
            while byte < len {
                close[kinds][at] = (4 * lane + byte) as u8;
                at += 1;
                byte += 1;
            }
            lane += 1;
        }
        kinds += 1;
    }
    close
}
