//! Copies of any length.

/// The length of the pieces that are copied at once.
///
/// For more than 2 to 4 KiB, `memmove` of glibc uses `rep movsb`. On AMD processors that takes 0.3
/// nanoseconds per byte instead of 0.02 if the addresses differ by 1 to 63 bytes modulo 4 KiB, the
/// destination being the higher one.
const PIECE_LEN: usize = 1024;

/// Copies `src` to the start of `dst`, which is at least as long.
#[inline]
pub fn copy(src: &[u8], dst: &mut [u8]) {
    let dst = &mut dst[..src.len()];
    for (from, to) in src.chunks(PIECE_LEN).zip(dst.chunks_mut(PIECE_LEN)) {
        to.copy_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_copied_at_every_length_around_the_pieces() {
        for len in [0, 1, 1023, 1024, 1025, 2048, 5000] {
            let src: Vec<u8> = (0..len).map(|index| (index % 251) as u8).collect();
            let mut dst = vec![0xFF; len + 3];
            copy(&src, &mut dst);
            assert_eq!(dst, [&src[..], &[0xFF; 3]].concat());
        }
    }
}
