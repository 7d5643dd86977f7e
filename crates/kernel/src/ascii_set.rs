//! Membership tests in sets of ASCII bytes, 16 bytes at a time.

use super::ascii;
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH, WideSimd};

/// A set of ASCII bytes.
///
/// The set contains a row for each low nibble, with a bit for each high nibble. Two table lookups
/// with [`shuffle8`](crate::simd::Lanes::shuffle8) classify any byte, whatever the set.
#[derive(Debug, Clone, Copy)]
pub struct AsciiByteSet {
    by_low_nibble: [u8; WIDTH],
}

/// The bit of each high nibble; bytes from 0x80 have none.
const HIGH_NIBBLE_BIT: [u8; WIDTH] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

impl AsciiByteSet {
    /// All ASCII bytes.
    pub const FULL: AsciiByteSet = AsciiByteSet { by_low_nibble: [0xFF; WIDTH] };

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

    /// Returns whether all ASCII bytes are members.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.by_low_nibble == AsciiByteSet::FULL.by_low_nibble
    }

    /// Copies the leading members of `src` that fit into `dst` and returns their number.
    pub fn copy_prefix(&self, src: &[u8], dst: &mut [u8]) -> usize {
        if self.is_full() {
            return ascii::copy(src, dst);
        }
        let mut copied = self.copy_bytes(src, dst, WIDTH / 2);
        // A shorter run is not worth the dispatch on the SIMD level.
        if copied == WIDTH / 2 {
            let (src, dst) = (&src[copied..], &mut dst[copied..]);
            let more = simd::run(CopyMembersKernel { set: self, src, dst });
            copied += more + self.copy_bytes(&src[more..], &mut dst[more..], WIDTH);
        }
        copied
    }

    /// Copies at most `max` leading members of `src` that fit into `dst` and returns their number.
    #[inline]
    fn copy_bytes(&self, src: &[u8], dst: &mut [u8], max: usize) -> usize {
        let mut copied = 0;
        for (byte, to) in src.iter().zip(dst).take(max) {
            if !self.contains(*byte) {
                break;
            }
            *to = *byte;
            copied += 1;
        }
        copied
    }

    /// Loads the set into wide vectors.
    #[inline(always)]
    pub fn wide_vectors<W: WideSimd>(&self, w: W) -> WideAsciiSetVectors<W> {
        WideAsciiSetVectors {
            by_low_nibble: w.load_repeated(&self.by_low_nibble),
            by_high_nibble: w.load_repeated(&HIGH_NIBBLE_BIT),
        }
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

/// An [`AsciiByteSet`] loaded into wide vectors.
#[derive(Debug, Clone, Copy)]
pub struct WideAsciiSetVectors<W: WideSimd> {
    by_low_nibble: W::Bytes,
    by_high_nibble: W::Bytes,
}

impl<W: WideSimd> WideAsciiSetVectors<W> {
    /// Returns a bit for each byte that is not a member, the first byte lowest.
    #[inline(always)]
    pub fn non_members(&self, w: W, bytes: W::Bytes) -> u64 {
        let low = w.and(bytes, w.splat8(0x0F));
        let high = w.and(w.shr16::<4>(bytes), w.splat8(0x0F));
        !w.test8(
            w.shuffle8_in_16(self.by_low_nibble, low),
            w.shuffle8_in_16(self.by_high_nibble, high),
        )
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

/// Copies the leading members, up to the last incomplete vector.
struct CopyMembersKernel<'a> {
    set: &'a AsciiByteSet,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for CopyMembersKernel<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        self.set.vectors(simd).copy_members(simd, self.src, self.dst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

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
            for first in (0..=255_u8).step_by(stride(35)) {
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

    #[test]
    fn copying_ends_before_the_first_other_byte() {
        let full = AsciiByteSet::new(|_| true);
        assert!(full.is_full());
        for (set, others) in
            [(AsciiByteSet::new(|byte| byte != b'~'), b"~\x80"), (full, b"\x80\xFF")]
        {
            let lens = (0..150).step_by(stride(59));
            let ends = lens.flat_map(|len| (0..=len).step_by(stride(23)).map(move |at| (len, at)));
            for (len, at) in ends {
                let mut src = vec![b'a'; len];
                if let Some(byte) = src.get_mut(at) {
                    *byte = others[at % 2];
                }
                for capacity in [at / 2, at, len, 160] {
                    let mut dst = vec![0; capacity];
                    let copied = set.copy_prefix(&src, &mut dst);
                    assert_eq!(copied, at.min(capacity), "{len} {at} {capacity}");
                    assert_eq!(dst[..copied], src[..copied]);
                }
            }
        }
    }
}
