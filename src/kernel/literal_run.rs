//! Copies a run of bytes that a transfer encoding writes as themselves.

use super::ascii_set::AsciiByteSet;
use super::simd::{self, Kernel, Simd};

/// Copies the leading members of `src` while they fit into `dst`, and returns their number.
pub fn copy(set: &AsciiByteSet, src: &[u8], dst: &mut [u8]) -> usize {
    simd::run(CopyKernel { set, src, dst })
}

struct CopyKernel<'a> {
    set: &'a AsciiByteSet,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for CopyKernel<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> usize {
        let CopyKernel { set, src, dst } = self;
        let mut copied = set.vectors(simd).copy_members(simd, src, dst);
        // Where the vectors end, at the end of either slice, and where they stopped early.
        for (to, from) in dst[copied..].iter_mut().zip(&src[copied..]) {
            if !set.contains(*from) {
                break;
            }
            *to = *from;
            copied += 1;
        }
        copied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    #[test]
    fn run_ends_at_the_first_other_byte_or_at_the_end_of_a_slice() {
        let set = AsciiByteSet::new(|byte| byte.is_ascii_alphabetic());
        for other in [b'0', b'@', b'[', 0, 0x7F, 0x80, 0xE1, 0xFF] {
            for len in 0..100 {
                for space in [0, 1, 15, 16, 17, 31, 40, 100] {
                    for at in (0..len).step_by(7) {
                        let mut src = vec![b'k'; len];
                        src[at] = other;
                        for level in Level::all() {
                            let mut dst = vec![0; space];
                            let kernel = CopyKernel { set: &set, src: &src, dst: &mut dst };
                            let copied = level.run(kernel);
                            assert_eq!(copied, at.min(space), "{level:?} {len} {other:02X}");
                            assert_eq!(dst[..copied], src[..copied]);
                        }
                    }
                }
            }
        }
    }
}
