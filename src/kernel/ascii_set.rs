//! Membership tests in sets of ASCII bytes, 16 bytes at a time.

use super::simd::{AsArrays, Simd, WIDTH};

/// A set of ASCII bytes.
///
/// The set contains a row for each low nibble, with a bit for each high nibble. Two table lookups
/// with [`shuffle8`](Simd::shuffle8) classify any byte, whatever the set.
#[derive(Debug, Clone, Copy)]
pub struct AsciiByteSet {
    by_low_nibble: [u8; WIDTH],
}

/// The bit of each high nibble; bytes from 0x80 have none.
const HIGH_NIBBLE_BIT: [u8; WIDTH] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

impl AsciiByteSet {
    /// Creates the set of the ASCII bytes for which `contains` returns true.
    pub fn new(contains: impl Fn(u8) -> bool) -> AsciiByteSet {
        let mut by_low = [0; WIDTH];
        for byte in (0..0x80).filter(|byte| contains(*byte)) {
            by_low[usize::from(byte & 0xF)] |= 1 << (byte >> 4);
        }
        AsciiByteSet { by_low_nibble: by_low }
    }

    /// Returns whether a byte is a member.
    #[inline(always)]
    pub fn contains(&self, byte: u8) -> bool {
        let row = self.by_low_nibble[usize::from(byte & 0xF)];
        row & HIGH_NIBBLE_BIT[usize::from(byte >> 4)] != 0
    }

    /// Loads the set into vectors.
    #[inline(always)]
    pub fn vectors<S: Simd>(&self, simd: S) -> AsciiSetVectors<S> {
        AsciiSetVectors {
            by_low_nibble: simd.load(&self.by_low_nibble),
            by_high_nibble: simd.load(&HIGH_NIBBLE_BIT),
        }
    }
}

/// An [`AsciiByteSet`] loaded into vectors.
#[derive(Debug, Clone, Copy)]
pub struct AsciiSetVectors<S: Simd> {
    by_low_nibble: S::Bytes,
    by_high_nibble: S::Bytes,
}

impl<S: Simd> AsciiSetVectors<S> {
    /// Returns a bit for each byte that is not a member, the first byte lowest.
    #[inline(always)]
    pub fn non_members(&self, simd: S, bytes: S::Bytes) -> u32 {
        let low = simd.and(bytes, simd.splat8(0x0F));
        let high = simd.and(simd.shr16::<4>(bytes), simd.splat8(0x0F));
        let bits = simd
            .and(simd.shuffle8(self.by_low_nibble, low), simd.shuffle8(self.by_high_nibble, high));
        simd.movemask8(simd.eq8(bits, simd.splat8(0)))
    }

    /// Returns the number of members before the first byte that is not a member.
    #[inline(always)]
    pub fn prefix_len(&self, simd: S, bytes: S::Bytes) -> usize {
        (self.non_members(simd, bytes) | 1 << WIDTH).trailing_zeros() as usize
    }

    /// Copies the leading members of `src`, a vector at a time, and returns their number.
    #[inline(always)]
    pub fn copy_members(&self, simd: S, src: &[u8], dst: &mut [u8]) -> usize {
        let (from, _) = src.as_arrays::<WIDTH>();
        let (to, _) = dst.as_arrays_mut::<WIDTH>();
        let mut copied = 0;
        for (from, to) in from.iter().zip(to) {
            let bytes = simd.load(from);
            simd.store(bytes, to);
            let count = self.prefix_len(simd, bytes);
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
    use crate::kernel::simd::{Kernel, Level};

    struct NonMembersKernel<'a>(&'a AsciiByteSet, [u8; WIDTH]);

    impl Kernel for NonMembersKernel<'_> {
        type Output = (u32, usize);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> (u32, usize) {
            let (set, bytes) = (self.0.vectors(simd), simd.load(&self.1));
            (set.non_members(simd, bytes), set.prefix_len(simd, bytes))
        }
    }

    #[test]
    fn every_byte_is_classified_as_the_set_was_built() {
        let sets: [fn(u8) -> bool; 5] = [
            |byte| byte.is_ascii_alphanumeric(),
            |byte| byte.is_ascii_punctuation() && byte != b'+',
            |byte| byte % 7 == 0,
            |_| true,
            |_| false,
        ];
        for contains in sets {
            let set = AsciiByteSet::new(contains);
            for first in 0..=255_u8 {
                let bytes = std::array::from_fn(|lane| first.wrapping_add(3 * lane as u8));
                let is_other = bytes.map(|byte| !byte.is_ascii() || !contains(byte));
                let others = (0..WIDTH).map(|lane| u32::from(is_other[lane]) << lane).sum();
                let prefix = is_other.iter().position(|other| *other).unwrap_or(WIDTH);
                for level in Level::all() {
                    assert_eq!(
                        level.run(NonMembersKernel(&set, bytes)),
                        (others, prefix),
                        "{bytes:?}"
                    );
                }
            }
        }
    }
}
