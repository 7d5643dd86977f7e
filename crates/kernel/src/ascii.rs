//! Runs of ASCII bytes.

use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};
use super::{bulk_copy, same_length_run};

/// The number of vectors tested at once.
pub const GROUP_VECTORS: usize = 4;

/// Copies the leading ASCII bytes of `src` that fit into `dst` and returns their number.
pub fn copy(src: &[u8], dst: &mut [u8]) -> usize {
    let len = src.len().min(dst.len());
    let (src, dst) = (&src[..len], &mut dst[..len]);
    let run = prefix_len(src);
    bulk_copy::copy(&src[..run], dst);
    run
}

/// Returns the number of leading ASCII bytes.
pub fn prefix_len(src: &[u8]) -> usize {
    match src.first_chunk() {
        Some(input) => match same_length_run::ascii_len(input) {
            WIDTH => simd::run(AsciiPrefixKernel(src)),
            // A run this short is not worth the dispatch on the SIMD level.
            count => count,
        },
        None => scalar_prefix_len(src),
    }
}

/// Returns `bytes` as text if all of them are ASCII.
#[allow(unsafe_code)]
#[inline]
pub fn text(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is valid UTF-8. To validate it a second time takes half of the time of a short text.
    bytes.is_ascii().then(|| unsafe { std::str::from_utf8_unchecked(bytes) })
}

fn scalar_prefix_len(src: &[u8]) -> usize {
    src.iter().position(|byte| !byte.is_ascii()).unwrap_or(src.len())
}

/// Returns whether all bytes of a group of vectors are ASCII.
#[inline(always)]
pub fn is_ascii_group<S: Simd>(simd: S, group: &[[u8; WIDTH]; GROUP_VECTORS]) -> bool {
    let [a, b, c, d] = group;
    let (a, b, c, d) = (simd.load(a), simd.load(b), simd.load(c), simd.load(d));
    simd.movemask8(simd.or(simd.or(a, b), simd.or(c, d))) == 0
}

struct AsciiPrefixKernel<'a>(&'a [u8]);

impl Kernel for AsciiPrefixKernel<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (vectors, rest) = self.0.as_arrays::<WIDTH>();
        let (groups, _) = vectors.as_arrays::<GROUP_VECTORS>();
        let all_ascii = |group: &&[[u8; WIDTH]; GROUP_VECTORS]| is_ascii_group(simd, group);
        let whole = groups.iter().take_while(all_ascii).count() * GROUP_VECTORS;
        for (index, vector) in vectors.iter().enumerate().skip(whole) {
            let high = simd.movemask8(simd.load(vector));
            if high != 0 {
                return index * WIDTH + high.trailing_zeros() as usize;
            }
        }
        vectors.len() * WIDTH + scalar_prefix_len(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

    #[test]
    fn prefix_len_and_copy_agree_with_scalar_at_every_length_and_alignment() {
        for len in (0..200).step_by(stride(75)) {
            for invalid in (0..=len).step_by(stride(15)) {
                for start in (0..WIDTH).step_by(stride(11)) {
                    let mut bytes = vec![b'x'; start + len];
                    if invalid < len {
                        bytes[start + invalid] = 0x80 | invalid as u8;
                    }
                    let src = &bytes[start..];
                    let expected = src.iter().take_while(|byte| byte.is_ascii()).count();
                    assert_eq!(prefix_len(src), expected, "{len} {invalid} {start}");
                    for level in Level::all() {
                        assert_eq!(
                            level.run(AsciiPrefixKernel(src)),
                            expected,
                            "{level:?} {len} {invalid} {start}"
                        );
                    }
                    for output_len in [0, 1, len / 2, len, len + 9] {
                        let mut dst = vec![0; output_len];
                        let copied = copy(src, &mut dst);
                        assert_eq!(copied, expected.min(output_len));
                        assert_eq!(dst[..copied], src[..copied]);
                    }
                }
            }
        }
    }
}
