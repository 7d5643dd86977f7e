//! Text of header lines in which nothing has to be looked at.

use super::simd::{self, Kernel, Simd, WIDTH};

/// Bytes that are looked at together.
const STEP_LEN: usize = 4 * WIDTH;

/// How many bytes at the start of `src` are ASCII and stand before the first `=?`. A `=` at the
/// end may begin one.
pub fn ascii_before_encoded_word(src: &[u8]) -> usize {
    simd::run(EncodedWordScanKernel(src))
}

/// The same, byte by byte.
#[inline(always)]
fn scalar_prefix_len(src: &[u8]) -> usize {
    let is_odd = |at: &usize| match src[*at] {
        b'=' => src.get(at + 1).is_none_or(|next| *next == b'?'),
        byte => !byte.is_ascii(),
    };
    (0..src.len()).find(is_odd).unwrap_or(src.len())
}

struct EncodedWordScanKernel<'a>(&'a [u8]);

impl Kernel for EncodedWordScanKernel<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (equals, question) = (simd.splat8(b'='), simd.splat8(b'?'));
        let odd = |bytes: &[u8; WIDTH], next: &[u8; WIDTH]| {
            let (bytes, next) = (simd.load(bytes), simd.load(next));
            simd.or(bytes, simd.and(simd.eq8(bytes, equals), simd.eq8(next, question)))
        };
        let mut at = 0;
        // One byte more than a step, since each is seen with the one after it.
        while let Some(near) = self.0[at..].first_chunk::<{ STEP_LEN + 1 }>() {
            let (bytes, next) = (near[..STEP_LEN].as_chunks().0, near[1..].as_chunks().0);
            let [a, b, c, d] = std::array::from_fn(|index| odd(&bytes[index], &next[index]));
            if simd.movemask8(simd.or(simd.or(a, b), simd.or(c, d))) != 0 {
                let [a, b, c, d] = [a, b, c, d].map(|odd| u64::from(simd.movemask8(odd)));
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
    use crate::kernel::simd::Level;

    /// A loop that knows nothing of vectors, nor of ends.
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
        for odd in [&b"=?"[..], b"=", b"?", b"==?", b"\x80", b"\xFF=?", b"=\xBD"] {
            for len in 0..200 {
                for position in 0..=len {
                    for start in [0, 1, 7, 15] {
                        let mut bytes = vec![b'a'; start + len];
                        let from = start + position.min(len);
                        let near = odd.len().min(bytes.len() - from);
                        bytes[from..from + near].copy_from_slice(&odd[..near]);
                        let src = &bytes[start..];
                        let expected = reference(src);
                        assert_eq!(
                            ascii_before_encoded_word(src),
                            expected,
                            "{len} {position} {start} {odd:?}"
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
