//! Runs of ASCII.

use super::front;
use super::simd::{self, Loop, Simd, WIDTH};

/// Vectors that are looked at together.
const VECTORS: usize = 4;

/// Copies the ASCII bytes at the front of `src`, as many as fit into `dst`; says how many.
pub fn copy(src: &[u8], dst: &mut [u8]) -> usize {
    let near = src.len().min(dst.len());
    let (src, dst) = (&src[..near], &mut dst[..near]);
    let run = prefix(src);
    dst[..run].copy_from_slice(&src[..run]);
    run
}

/// How many bytes at the front of `src` are ASCII.
pub fn prefix(src: &[u8]) -> usize {
    match src.first_chunk() {
        Some(near) => match front::ones(near) {
            WIDTH => simd::run(Prefix(src)),
            // So few bytes are not worth a choice of instructions.
            count => count,
        },
        None => few_prefix(src),
    }
}

fn few_prefix(src: &[u8]) -> usize {
    src.iter().position(|byte| !byte.is_ascii()).unwrap_or(src.len())
}

struct Prefix<'a>(&'a [u8]);

impl Loop for Prefix<'_> {
    type Answer = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let (vectors, rest) = self.0.as_chunks::<WIDTH>();
        let (groups, _) = vectors.as_chunks::<VECTORS>();
        let all_ascii = |group: &[[u8; WIDTH]; VECTORS]| {
            let [a, b, c, d] = group.each_ref().map(|vector| simd.load(vector));
            simd.mask8(simd.or(simd.or(a, b), simd.or(c, d))) == 0
        };
        let whole = groups.iter().take_while(|group| all_ascii(group)).count() * VECTORS;
        for (index, vector) in vectors.iter().enumerate().skip(whole) {
            let high = simd.mask8(simd.load(vector));
            if high != 0 {
                return index * WIDTH + high.trailing_zeros() as usize;
            }
        }
        vectors.len() * WIDTH + few_prefix(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    #[test]
    fn prefix_and_copy_agree_with_the_plain_loop_at_every_length_and_alignment() {
        for len in 0..200 {
            for bad in 0..=len {
                for start in 0..WIDTH {
                    let mut bytes = vec![b'x'; start + len];
                    if bad < len {
                        bytes[start + bad] = 0x80 | bad as u8;
                    }
                    let src = &bytes[start..];
                    let plain = src.iter().take_while(|byte| byte.is_ascii()).count();
                    assert_eq!(prefix(src), plain, "{len} {bad} {start}");
                    for level in Level::all() {
                        assert_eq!(level.run(Prefix(src)), plain, "{level:?} {len} {bad} {start}");
                    }
                    for room in [0, 1, len / 2, len, len + 9] {
                        let mut dst = vec![0; room];
                        let copied = copy(src, &mut dst);
                        assert_eq!(copied, plain.min(room));
                        assert_eq!(dst[..copied], src[..copied]);
                    }
                }
            }
        }
    }
}
