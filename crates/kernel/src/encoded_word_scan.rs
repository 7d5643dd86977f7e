//! Header text before the first encoded-word (RFC 2047).

use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};

/// The number of bytes tested at once.
const STEP_LEN: usize = 4 * WIDTH;

/// Returns the number of leading ASCII bytes before the first `=?`. A `=` at the end of `src`
/// counts as its start.
pub fn ascii_before_encoded_word(src: &[u8]) -> usize {
    simd::run(EncodedWordScanKernel(src))
}

/// Returns the same, byte by byte.
#[inline(always)]
fn scalar_prefix_len(src: &[u8]) -> usize {
    let is_stop = |at: &usize| match src[*at] {
        b'=' => src.get(at + 1).is_none_or(|next| *next == b'?'),
        byte => !byte.is_ascii(),
    };
    (0..src.len()).find(is_stop).unwrap_or(src.len())
}

struct EncodedWordScanKernel<'a>(&'a [u8]);

impl Kernel for EncodedWordScanKernel<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (equals, question) = (simd.splat8(b'='), simd.splat8(b'?'));
        let stop = |bytes: &[u8; WIDTH], next: &[u8; WIDTH]| {
            let (bytes, next) = (simd.load(bytes), simd.load(next));
            simd.or(bytes, simd.and(simd.eq8(bytes, equals), simd.eq8(next, question)))
        };
        let mut at = 0;
        // One byte more than a step, since each byte is compared together with the next one.
        while let Some(window) = self.0[at..].first_chunk::<{ STEP_LEN + 1 }>() {
            let (bytes, next) = (window[..STEP_LEN].as_arrays().0, window[1..].as_arrays().0);
            let [a, b, c, d] = std::array::from_fn(|index| stop(&bytes[index], &next[index]));
            if simd.movemask8(simd.or(simd.or(a, b), simd.or(c, d))) != 0 {
                let [a, b, c, d] = [a, b, c, d].map(|stop| u64::from(simd.movemask8(stop)));
                let all = a | b << WIDTH | c << (2 * WIDTH) | d << (3 * WIDTH);
                return at + all.trailing_zeros() as usize;
            }
            at += STEP_LEN;
        }
        at + scalar_prefix_len(&self.0[at..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

    /// Scans byte by byte.
    fn reference(src: &[u8]) -> usize {
        let mut bytes = src.iter().peekable();
        let mut count = 0;
        while let Some(byte) = bytes.next() {
            let begins = *byte == b'=' && matches!(bytes.peek(), None | Some(b'?'));
            if *byte > 0x7F || begins {
                break;
            }
            count += 1;
        }
        count
    }

    #[test]
    fn scan_agrees_with_reference_at_every_length_and_alignment() {
        for stop in [&b"=?"[..], b"=", b"?", b"==?", b"\x80", b"\xFF=?", b"=\xBD"] {
            for len in (0..200).step_by(stride(75)) {
                for position in (0..=len).step_by(stride(19)) {
                    for start in [0, 1, 7, 15] {
                        let mut bytes = vec![b'a'; start + len];
                        let from = start + position.min(len);
                        let window = stop.len().min(bytes.len() - from);
                        bytes[from..from + window].copy_from_slice(&stop[..window]);
                        let src = &bytes[start..];
                        let expected = reference(src);
                        assert_eq!(
                            ascii_before_encoded_word(src),
                            expected,
                            "{len} {position} {start} {stop:?}"
                        );
                        for level in Level::all() {
                            assert_eq!(
                                level.run(EncodedWordScanKernel(src)),
                                expected,
                                "{level:?} {len} {position}"
                            );
                        }
                    }
                }
            }
        }
    }
}
