//! Runs of ASCII.

const WORD: usize = size_of::<u64>();
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

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
    let (words, rest) = src.as_chunks::<WORD>();
    for (index, word) in words.iter().enumerate() {
        let high = u64::from_le_bytes(*word) & HIGH_BITS;
        if high != 0 {
            return index * WORD + high.trailing_zeros() as usize / 8;
        }
    }
    let tail = rest.iter().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
    src.len() - rest.len() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_and_copy_agree_with_the_plain_loop_at_every_length_and_alignment() {
        for len in 0..100 {
            for bad in 0..=len {
                for start in 0..8 {
                    let mut bytes = vec![b'x'; start + len];
                    if bad < len {
                        bytes[start + bad] = 0x80 | bad as u8;
                    }
                    let src = &bytes[start..];
                    let plain = src.iter().take_while(|byte| byte.is_ascii()).count();
                    assert_eq!(prefix(src), plain, "{len} {bad} {start}");
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
