//! Codes of one byte and two to text, by a table of all pairs of bytes.
//!
//! Where codes begin hangs on all that stands before, but only the high bits of the bytes matter for
//! it: eight of them at a time are looked up, which takes no branch. Each code becomes a unit of 16
//! bits, its first byte lowest, and the table has a form for each unit.

use super::{Form, HALF, ascii_runs, length, put};
use crate::kernel::simd::{self, Loop, Simd, WIDTH};

/// How codes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Bytes below 80 are ASCII, all others lead.
    Ascii,
    /// Bytes below 80 are characters, all others lead.
    Mixed,
    /// All codes have two bytes.
    Double,
}

/// What a charset decodes to.
#[derive(Debug)]
pub struct Doubles {
    /// The form of each unit; nought where there is no character.
    pub forms: Box<[Form; 0x1_0000]>,
    /// How its codes are told apart.
    pub shape: Shape,
}

impl Doubles {
    /// Decodes codes at the front of `src` that are in the table, while `dst` has room to spare. Says
    /// how many bytes it has read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.shape {
            Shape::Double => self.pairs(src, dst),
            Shape::Ascii | Shape::Mixed => simd::run(Decode { doubles: self, src, dst }),
        }
    }

    /// The same where there is nothing but pairs. Between two shifts there is often but a word of
    /// them: a few at a time cost least.
    fn pairs(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(near) = src[read..].first_chunk::<{ 2 * FEW }>()
            && let Some(room) = dst[written..].first_chunk_mut::<{ 4 * FEW }>()
        {
            let word = u64::from_le_bytes(*near);
            let forms = [0, 16, 32, 48].map(|shift| self.form((word >> shift) as u16));
            let (mut at, mut good) = (0, 0);
            for form in forms.into_iter().take_while(|form| *form != 0) {
                room[at..at + 4].copy_from_slice(&form.to_le_bytes());
                at += length(form);
                good += 1;
            }
            read += 2 * good;
            written += at;
            if good < FEW {
                break;
            }
        }
        (read, written)
    }

    /// The form of a unit.
    #[inline(always)]
    fn form(&self, unit: u16) -> Form {
        self.forms[usize::from(unit)]
    }
}

/// Pairs that are looked up together where there is nothing else.
const FEW: usize = 4;

/// Bytes whose high bits are looked at together.
const BLOCK: usize = 64;

/// The leads of a block of nothing but pairs.
const LEADS: u64 = 0x5555_5555_5555_5555;

/// Bytes that must be there: a vector may begin at the last byte but a few.
const NEAR: usize = BLOCK + WIDTH;

/// Blocks of a stretch at the most.
const MOST: usize = 4;

/// Bytes that so many blocks may need room for.
const fn room(blocks: usize) -> usize {
    3 * (BLOCK * blocks + HALF) + 1
}

struct Decode<'a> {
    doubles: &'a Doubles,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Loop for Decode<'_> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Decode { doubles, src, dst } = self;
        let (mut read, mut written, mut blocks) = (0, 0, 1);
        let mut units = [0; MOST * BLOCK + 2 * WIDTH];
        loop {
            if doubles.shape == Shape::Ascii {
                let run = ascii_runs(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            while blocks > 0 && room(blocks) > dst.len() - written {
                blocks -= 1;
            }
            let (taken, count) = take(simd, &src[read..], blocks, &mut units);
            if taken == 0 {
                return (read, written);
            }
            let (good, put) = put_all(doubles, &mut units, count, &mut dst[written..]);
            written += put;
            if good < count {
                let bytes =
                    units[..good].iter().map(|unit| 1 + usize::from(unit >> 7 & 1)).sum::<usize>();
                return (read + bytes, written);
            }
            read += taken;
            blocks = (2 * blocks).min(MOST);
        }
    }
}

/// The units of the codes that begin in so many blocks: bytes, and units.
#[inline(always)]
fn take<S: Simd>(
    simd: S,
    src: &[u8],
    blocks: usize,
    units: &mut [u16; MOST * BLOCK + 2 * WIDTH],
) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    for _ in 0..blocks {
        let Some(near) = src[at..].first_chunk::<NEAR>() else { break };
        let mut high = high_bits(simd, near);
        if high & LEADS == LEADS {
            for (unit, pair) in units[count..].iter_mut().zip(near[..BLOCK].as_chunks().0) {
                *unit = u16::from_le_bytes(*pair);
            }
            count += BLOCK / 2;
            at += BLOCK;
            continue;
        }
        let mut within = 0;
        while within <= BLOCK - EIGHT {
            let Some(from) = near[within..].first_chunk() else { break };
            let Some(to) = units[count..].first_chunk_mut() else { break };
            let codes = &CODES[high as usize & 0xFF];
            store(simd, simd.shuffle8(simd.load(from), simd.load(&codes.octets)), to);
            count += usize::from(codes.count);
            within += usize::from(codes.bytes);
            high >>= codes.bytes & 0x3F;
        }
        at += within;
    }
    (at, count)
}

/// The high bit of each byte of a block, that of the first one lowest.
#[inline(always)]
fn high_bits<S: Simd>(simd: S, near: &[u8; NEAR]) -> u64 {
    let mut high = 0;
    for (index, vector) in near[..BLOCK].as_chunks().0.iter().enumerate() {
        high |= u64::from(simd.mask8(simd.load(vector))) << (WIDTH * index);
    }
    high
}

#[inline(always)]
fn store<S: Simd>(simd: S, vector: S::Bytes, to: &mut [u16; WIDTH / 2]) {
    let mut octets = [0; WIDTH];
    simd.store(vector, &mut octets);
    for (unit, octets) in to.iter_mut().zip(octets.as_chunks().0) {
        *unit = u16::from_le_bytes(*octets);
    }
}

/// Writes the forms of the first units, so many: units up to one that has none, and bytes.
#[inline(always)]
fn put_all(
    doubles: &Doubles,
    units: &mut [u16; MOST * BLOCK + 2 * WIDTH],
    count: usize,
    dst: &mut [u8],
) -> (usize, usize) {
    // The last group is filled up with the first unit.
    let first = units[0];
    if let Some(behind) = units[count..].first_chunk_mut::<HALF>() {
        *behind = [first; HALF];
    }
    let (mut good, mut written) = (0, 0);
    for group in units[..count.next_multiple_of(HALF)].as_chunks::<HALF>().0 {
        let forms = group.map(|unit| doubles.form(unit));
        let Some(more) = put(forms, &mut dst[written..]) else { break };
        good += HALF;
        written += more;
    }
    if good >= count {
        return (count, written - (good - count) * length(doubles.form(first)));
    }
    for unit in &units[good..count] {
        let form = doubles.form(*unit);
        let Some(room) = dst[written..].first_chunk_mut() else { break };
        if form == 0 {
            break;
        }
        *room = form.to_le_bytes();
        written += length(form);
        good += 1;
    }
    (good, written)
}

/// Bytes whose high bits are one index.
const EIGHT: usize = 8;

/// The codes that begin in eight bytes.
#[derive(Clone, Copy)]
struct Codes {
    /// For each octet of the units the place of its byte; 80 for nought.
    octets: [u8; WIDTH],
    count: u8,
    /// Eight, or nine where the last code reaches beyond.
    bytes: u8,
}

/// By the high bits of the bytes, that of the first one lowest.
static CODES: [Codes; 256] = {
    let mut all = [Codes { octets: [0x80; WIDTH], count: 0, bytes: 0 }; 256];
    let mut high = 0;
    while high < all.len() {
        let codes = &mut all[high];
        while (codes.bytes as usize) < EIGHT {
            let at = 2 * codes.count as usize;
            codes.octets[at] = codes.bytes;
            if high >> codes.bytes & 1 == 1 {
                codes.bytes += 1;
                codes.octets[at + 1] = codes.bytes;
            }
            codes.bytes += 1;
            codes.count += 1;
        }
        high += 1;
    }
    all
};

#[cfg(test)]
mod tests;
