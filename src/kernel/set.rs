//! Sets of ASCII octets, asked for 16 octets at a time.

use super::simd::{Simd, WIDTH};

/// A set of octets below 80.
///
/// For each low half of an octet there is a bit for each high half, so that two look-ups by
/// [`shuffle8`](Simd::shuffle8) tell what any octet is, whatever the set.
#[derive(Debug, Clone, Copy)]
pub struct Set {
    by_low: [u8; WIDTH],
}

/// The bit of each high half; 80 and above have none.
const BIT_OF_HIGH: [u8; WIDTH] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

impl Set {
    /// The set of the octets below 80 that `has` says.
    pub fn new(has: impl Fn(u8) -> bool) -> Set {
        let mut by_low = [0; WIDTH];
        for octet in (0..0x80).filter(|octet| has(*octet)) {
            by_low[usize::from(octet & 0xF)] |= 1 << (octet >> 4);
        }
        Set { by_low }
    }

    /// The same set in registers.
    #[inline(always)]
    pub fn vectors<S: Simd>(&self, simd: S) -> Vectors<S> {
        Vectors { by_low: simd.load(&self.by_low), by_high: simd.load(&BIT_OF_HIGH) }
    }
}

/// A [`Set`] in registers.
#[derive(Debug, Clone, Copy)]
pub struct Vectors<S: Simd> {
    by_low: S::Bytes,
    by_high: S::Bytes,
}

impl<S: Simd> Vectors<S> {
    /// A bit for each octet that is no member, the first one lowest.
    #[inline(always)]
    pub fn others(&self, simd: S, octets: S::Bytes) -> u32 {
        let low = simd.and(octets, simd.splat8(0x0F));
        let high = simd.and(simd.down16::<4>(octets), simd.splat8(0x0F));
        let bits = simd.and(simd.shuffle8(self.by_low, low), simd.shuffle8(self.by_high, high));
        simd.mask8(simd.equal8(bits, simd.splat8(0)))
    }

    /// How many members stand in front of the first octet that is none.
    #[inline(always)]
    pub fn prefix(&self, simd: S, octets: S::Bytes) -> usize {
        (self.others(simd, octets) | 1 << WIDTH).trailing_zeros() as usize
    }

    /// Copies the members at the front of `src`, a vector at a time; says how many.
    #[inline(always)]
    pub fn copy(&self, simd: S, src: &[u8], dst: &mut [u8]) -> usize {
        let (from, _) = src.as_chunks::<WIDTH>();
        let (to, _) = dst.as_chunks_mut::<WIDTH>();
        let mut copied = 0;
        for (from, to) in from.iter().zip(to) {
            let octets = simd.load(from);
            simd.store(octets, to);
            let count = self.prefix(simd, octets);
            copied += count;
            if count < WIDTH {
                break;
            }
        }
        copied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::{Level, Loop};

    struct Others<'a>(&'a Set, [u8; WIDTH]);

    impl Loop for Others<'_> {
        type Answer = (u32, usize);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> (u32, usize) {
            let (set, octets) = (self.0.vectors(simd), simd.load(&self.1));
            (set.others(simd, octets), set.prefix(simd, octets))
        }
    }

    #[test]
    fn every_octet_is_a_member_or_not_as_the_set_was_told() {
        let sets: [fn(u8) -> bool; 5] = [
            |octet| octet.is_ascii_alphanumeric(),
            |octet| octet.is_ascii_punctuation() && octet != b'+',
            |octet| octet.is_multiple_of(7),
            |_| true,
            |_| false,
        ];
        for has in sets {
            let set = Set::new(has);
            for first in 0..=255_u8 {
                let octets = std::array::from_fn(|lane| first.wrapping_add(3 * lane as u8));
                let is_other = octets.map(|octet| !octet.is_ascii() || !has(octet));
                let others = (0..WIDTH).map(|lane| u32::from(is_other[lane]) << lane).sum();
                let prefix = is_other.iter().position(|other| *other).unwrap_or(WIDTH);
                for level in Level::all() {
                    assert_eq!(level.run(Others(&set, octets)), (others, prefix), "{octets:?}");
                }
            }
        }
    }
}
