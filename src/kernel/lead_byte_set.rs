//! Membership tests in sets of UTF-8 lead bytes, 16 bytes at a time.

use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};

/// The number of vectors tested at once.
const GROUP_VECTORS: usize = 4;

/// A set of UTF-8 lead bytes. ASCII bytes and continuation bytes are always members, so a text
/// consists of members if the lead bytes of its characters do.
#[derive(Debug, Clone, Copy)]
pub struct LeadByteSet {
    /// For each low nibble a bit for each high nibble, see [`HIGH_NIBBLE_BIT`].
    by_low_nibble: [u8; WIDTH],
}

/// The bit of each high nibble: one for ASCII and continuation bytes, and one for each of C to F.
const HIGH_NIBBLE_BIT: [u8; WIDTH] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16];

impl LeadByteSet {
    /// Creates the set of the lead bytes in these inclusive ranges.
    pub const fn new(ranges: &[(u8, u8)]) -> LeadByteSet {
        let mut by_low_nibble = [1; WIDTH];
        let mut index = 0;
        while index < ranges.len() {
            let (mut byte, last) = ranges[index];
            while byte <= last {
                by_low_nibble[(byte & 0xF) as usize] |= HIGH_NIBBLE_BIT[(byte >> 4) as usize];
                byte += 1;
            }
            index += 1;
        }
        LeadByteSet { by_low_nibble }
    }

    /// Returns whether a byte is a member.
    #[inline(always)]
    pub const fn contains(&self, byte: u8) -> bool {
        let bit = HIGH_NIBBLE_BIT[(byte >> 4) as usize];
        self.by_low_nibble[(byte & 0xF) as usize] & bit != 0
    }

    /// Returns the number of members before the first byte that is not a member.
    pub fn prefix_len(&self, src: &[u8]) -> usize {
        match src.len() {
            0..WIDTH => self.scalar_prefix_len(src),
            _ => simd::run(PrefixKernel { set: self, src }),
        }
    }

    #[inline(always)]
    fn scalar_prefix_len(&self, src: &[u8]) -> usize {
        src.iter().position(|byte| !self.contains(*byte)).unwrap_or(src.len())
    }
}

struct PrefixKernel<'a> {
    set: &'a LeadByteSet,
    src: &'a [u8],
}

impl Kernel for PrefixKernel<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (by_low, by_high) = (simd.load(&self.set.by_low_nibble), simd.load(&HIGH_NIBBLE_BIT));
        let (vectors, rest) = self.src.as_arrays::<WIDTH>();
        let (groups, _) = vectors.as_arrays::<GROUP_VECTORS>();
        let mut whole = 0;
        for [a, b, c, d] in groups {
            let (a, b) = (others(simd, by_low, by_high, a), others(simd, by_low, by_high, b));
            let (c, d) = (others(simd, by_low, by_high, c), others(simd, by_low, by_high, d));
            if simd.movemask8(simd.or(simd.or(a, b), simd.or(c, d))) != 0 {
                break;
            }
            whole += GROUP_VECTORS;
        }
        for (index, vector) in vectors.iter().enumerate().skip(whole) {
            let mask = simd.movemask8(others(simd, by_low, by_high, vector));
            if mask != 0 {
                return index * WIDTH + mask.trailing_zeros() as usize;
            }
        }
        vectors.len() * WIDTH + self.set.scalar_prefix_len(rest)
    }
}

/// Returns a mask of the bytes that are not members.
#[inline(always)]
fn others<S: Simd>(simd: S, by_low: S::Bytes, by_high: S::Bytes, bytes: &[u8; WIDTH]) -> S::Bytes {
    let (bytes, nibble) = (simd.load(bytes), simd.splat8(0x0F));
    let (low, high) = (simd.and(bytes, nibble), simd.and(simd.shr16::<4>(bytes), nibble));
    let bits = simd.and(simd.shuffle8(by_low, low), simd.shuffle8(by_high, high));
    simd.eq8(bits, simd.splat8(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    #[test]
    fn prefix_len_agrees_with_scalar_at_every_length_and_for_every_byte() {
        let set = LeadByteSet::new(&[(0xC2, 0xCB), (0xCF, 0xD1), (0xE4, 0xE9), (0xF0, 0xF0)]);
        let is_member =
            |byte: u8| matches!(byte, 0..=0xBF | 0xC2..=0xCB | 0xCF..=0xD1 | 0xE4..=0xE9 | 0xF0);
        for byte in 0..=0xFF {
            assert_eq!(set.contains(byte), is_member(byte), "{byte:02X}");
            for len in 0..150_usize {
                for position in [0, 1, 15, 16, 17, 63, 64, 65, len / 2, len.saturating_sub(1)] {
                    let mut src = vec![b'a'; len];
                    if let Some(at) = src.get_mut(position) {
                        *at = byte;
                    }
                    let expected = match position < len && !is_member(byte) {
                        true => position,
                        false => len,
                    };
                    assert_eq!(set.prefix_len(&src), expected, "{byte:02X} {len} {position}");
                    for level in Level::all() {
                        let kernel = PrefixKernel { set: &set, src: &src };
                        assert_eq!(level.run(kernel), expected, "{level:?} {byte:02X}");
                    }
                }
            }
        }
    }
}
