//! The loop of decoders of digits in lines.

/// Decodes vectors of `N` digits, of which each `DIGITS` are a group of `BYTES` bytes, and skips CR LF
/// and LF between groups. `decode_vector` writes the bytes of a vector and returns a bit for each byte
/// that is not a digit, the first one lowest. Returns the numbers of bytes read and written.
#[inline(always)]
pub fn decode<const N: usize, const DIGITS: usize, const BYTES: usize>(
    src: &[u8],
    dst: &mut [u8],
    decode_vector: impl Fn(&[u8; N], &mut [u8; N]) -> u64,
) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while let (Some(from), Some(to)) = (src[read..].first_chunk(), dst[written..].first_chunk_mut())
    {
        let non_digits = decode_vector(from, to);
        if non_digits == 0 {
            read += N;
            written += N / DIGITS * BYTES;
            continue;
        }
        let digits = non_digits.trailing_zeros() as usize;
        let groups = digits / DIGITS;
        read += DIGITS * groups;
        written += BYTES * groups;
        if digits % DIGITS != 0 {
            break;
        }
        match src[read..] {
            [b'\n', ..] => read += 1,
            [b'\r', b'\n', ..] => read += 2,
            _ => break,
        }
    }
    (read, written)
}
