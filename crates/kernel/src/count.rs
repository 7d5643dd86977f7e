//! Counting bytes of a class.

use super::simd::{self, AsArrays, Kernel, Simd, WIDE_WIDTH, WIDTH, WideSimd};

/// Returns the number of line feeds.
pub fn count_newlines(bytes: &[u8]) -> u64 {
    simd::run(CountKernel(bytes, Newlines))
}

/// Returns the number of characters in UTF-8, also of the longer sequences of RFC 2044: the number
/// of lead bytes.
pub fn count_chars(bytes: &[u8]) -> u64 {
    simd::run(CountKernel(bytes, LeadBytes))
}

/// Returns the number of leading bytes that equal `byte`.
pub fn run_length(bytes: &[u8], byte: u8) -> usize {
    let (chunks, _) = bytes.as_arrays::<WIDTH>();
    let whole = WIDTH * chunks.iter().take_while(|chunk| **chunk == [byte; WIDTH]).count();
    whole + bytes[whole..].iter().take_while(|other| **other == byte).count()
}

/// A class of bytes to count.
trait ByteClass {
    /// Returns a mask of the bytes in this class.
    fn mask<S: Simd>(s: S, bytes: S::Bytes) -> S::Bytes;

    /// Returns the bytes in this class.
    fn wide_mask<W: WideSimd>(w: W, bytes: W::Bytes) -> u64;

    /// Returns whether `byte` is in this class.
    fn contains(byte: u8) -> bool;
}

struct Newlines;

impl ByteClass for Newlines {
    #[inline(always)]
    fn mask<S: Simd>(s: S, bytes: S::Bytes) -> S::Bytes {
        s.eq8(bytes, s.splat8(b'\n'))
    }

    #[inline(always)]
    fn wide_mask<W: WideSimd>(w: W, bytes: W::Bytes) -> u64 {
        w.eq8(bytes, w.splat8(b'\n'))
    }

    #[inline(always)]
    fn contains(byte: u8) -> bool {
        byte == b'\n'
    }
}

struct LeadBytes;

impl ByteClass for LeadBytes {
    #[inline(always)]
    fn mask<S: Simd>(s: S, bytes: S::Bytes) -> S::Bytes {
        // As signed numbers, continuation bytes are the lowest.
        s.gt_i8(bytes, s.splat8(0xBF))
    }

    #[inline(always)]
    fn wide_mask<W: WideSimd>(w: W, bytes: W::Bytes) -> u64 {
        w.gt_i8(bytes, w.splat8(0xBF))
    }

    #[inline(always)]
    fn contains(byte: u8) -> bool {
        byte & 0xC0 != 0x80
    }
}

/// The number of vectors counted in parallel.
const GROUP_VECTORS: usize = 4;

/// The number of groups before an 8-bit lane can overflow.
const MAX_GROUPS: usize = u8::MAX as usize;

struct CountKernel<'a, K>(&'a [u8], K);

impl<K: ByteClass> Kernel for CountKernel<'_, K> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> u64 {
        let (vectors, _) = self.0.as_arrays::<WIDTH>();
        let (groups, _) = vectors.as_arrays::<GROUP_VECTORS>();
        let mut count = 0;
        for some in groups.chunks(MAX_GROUPS) {
            let zero = s.splat8(0);
            let (mut a, mut b, mut c, mut d) = (zero, zero, zero, zero);
            // Each matching byte of a mask is -1.
            for group in some {
                a = s.sub8(a, K::mask(s, s.load(&group[0])));
                b = s.sub8(b, K::mask(s, s.load(&group[1])));
                c = s.sub8(c, K::mask(s, s.load(&group[2])));
                d = s.sub8(d, K::mask(s, s.load(&group[3])));
            }
            count += sum_bytes(s, a) + sum_bytes(s, b) + sum_bytes(s, c) + sum_bytes(s, d);
        }
        let rest = &self.0[groups.len() * GROUP_VECTORS * WIDTH..];
        count + rest.iter().filter(|byte| K::contains(**byte)).count() as u64
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> u64 {
        let (vectors, rest) = self.0.as_arrays::<WIDE_WIDTH>();
        let mut count = 0;
        for bytes in vectors {
            count += u64::from(K::wide_mask(w, w.load(bytes)).count_ones());
        }
        // The zeros after the rest do not count.
        let within = K::wide_mask(w, w.load_prefix(rest)) & ((1 << rest.len()) - 1);
        count + u64::from(within.count_ones())
    }
}

/// Returns the sum of 16 bytes.
#[inline(always)]
fn sum_bytes<S: Simd>(s: S, bytes: S::Bytes) -> u64 {
    let mut lanes = [0; WIDTH];
    s.store(bytes, &mut lanes);
    lanes.into_iter().map(u64::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

    #[test]
    fn counts_agree_with_scalar_at_every_length_and_alignment() {
        let text = "\n\naé\n€😀\u{80}\n\n\n".repeat(20);
        for start in (0..WIDTH).step_by(stride(11)) {
            for end in (start..text.len().min(start + 200)).step_by(stride(59)) {
                check_counts(&text.as_bytes()[start..end]);
            }
        }
    }

    #[test]
    fn counting_continues_after_a_lane_is_full() {
        check_counts(&vec![b'\n'; 3 * MAX_GROUPS * GROUP_VECTORS * WIDTH + 77]);
        check_counts(&vec![b'x'; 2 * MAX_GROUPS * GROUP_VECTORS * WIDTH]);
        check_counts(&vec![0xBF; 2 * MAX_GROUPS * GROUP_VECTORS * WIDTH]);
    }

    #[test]
    fn run_length_ends_at_the_first_different_byte() {
        for count in (0..70).step_by(stride(27)) {
            for rest in [&b""[..], b"b", b"baaaaaaaaaaaaaaaaaaaaaaa"] {
                let bytes = [&b"a".repeat(count), rest].concat();
                assert_eq!(run_length(&bytes, b'a'), count);
            }
        }
    }

    fn check_counts(bytes: &[u8]) {
        let feeds = bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
        let leads = bytes.iter().filter(|byte| !(0x80..0xC0).contains(*byte)).count() as u64;
        for level in Level::all() {
            assert_eq!(level.run(CountKernel(bytes, Newlines)), feeds, "{level:?}");
            assert_eq!(level.run(CountKernel(bytes, LeadBytes)), leads, "{level:?}");
        }
    }
}
