//! Decodes whole lines of uuencoded data.

use super::simd::{self, Kernel, Simd, WIDTH};

/// The first digit, whose value is zero; the last one has the value zero too.
const FIRST_DIGIT: u8 = b' ';

/// The number of bytes of a vector of digits.
const VECTOR_BYTES: usize = WIDTH / 4 * 3;

/// The bytes of four digits in each 32 bits, in order.
const BYTES: [u8; WIDTH] = [2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0x80, 0x80, 0x80, 0x80];

/// Decodes lines that have as many digits as they say, for a multiple of three bytes. Stops before
/// other lines, and shortly before the end of a slice. Returns the numbers of bytes read and
/// written.
pub fn decode_lines(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(DecodeKernel { src, dst })
}

struct DecodeKernel<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for DecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        while let Some(&first) = src.get(read) {
            let len = usize::from(first.wrapping_sub(FIRST_DIGIT));
            if !(1..0x40).contains(&len) || len % 3 != 0 {
                break;
            }
            let digits_len = len / 3 * 4;
            // Whole vectors are read and written.
            let (Some(line), Some(to)) =
                (src[read + 1..].get(..digits_len + WIDTH), dst[written..].get_mut(..len + WIDTH))
            else {
                break;
            };
            let mut is_valid = true;
            let (mut at, mut to_at) = (0, 0);
            while at < digits_len {
                let (Some(from), Some(to)) =
                    (line[at..].first_chunk(), to[to_at..].first_chunk_mut())
                else {
                    break;
                };
                let values = simd.sub8(simd.load(from), simd.splat8(FIRST_DIGIT));
                let excess = simd.saturating_sub8(values, simd.splat8(0x40));
                let digits = simd.movemask8(simd.eq8(excess, simd.splat8(0)));
                is_valid &= (digits | !0 << (digits_len - at).min(WIDTH)) & 0xFFFF == 0xFFFF;
                let values = simd.and(values, simd.splat8(0x3F));
                let pairs = simd.mul_add_pairs8(values, simd.splat16(0x01_40));
                let fours = simd.mul_add_pairs16(pairs, simd.splat32(0x1_1000));
                simd.store(simd.shuffle8(fours, simd.load(&BYTES)), to);
                at += WIDTH;
                to_at += VECTOR_BYTES;
            }
            let newline_len = match line[digits_len..] {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => 0,
            };
            if !is_valid || newline_len == 0 {
                break;
            }
            read += 1 + digits_len + newline_len;
            written += len;
        }
        (read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;

    /// Encodes a line bit by bit.
    fn line(bytes: &[u8], newline: &str) -> Vec<u8> {
        let mut out = vec![FIRST_DIGIT + bytes.len() as u8];
        for group in bytes.chunks(3) {
            let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte));
            out.extend([18, 12, 6, 0].map(|shift| match (bits >> shift & 0x3F) as u8 {
                0 => b'`',
                value => FIRST_DIGIT + value,
            }));
        }
        out.extend(newline.as_bytes());
        out
    }

    #[test]
    fn whole_lines_of_every_length_are_decoded() {
        for len in (3..64).step_by(3) {
            let bytes: Vec<u8> = (0..len).map(|index| (index * 89 + len) as u8).collect();
            for newline in ["\n", "\r\n"] {
                let encoded = line(&bytes, newline);
                let src = [encoded.repeat(3), b"`\nend\n".to_vec(), vec![0xFF; 40]].concat();
                for level in Level::all() {
                    let mut dst = vec![0; 3 * len + 80];
                    let done = level.run(DecodeKernel { src: &src, dst: &mut dst });
                    assert_eq!(done, (3 * encoded.len(), 3 * len), "{level:?}");
                    assert_eq!(dst[..3 * len], bytes.repeat(3), "{level:?}");
                }
            }
        }
    }

    #[test]
    fn other_lines_are_left() {
        let good = line(b"abcdef", "\n");
        for other in ["b", "\u{E9}", "#abc\n", "#abcd ", "#abcde\n", "#ABCa\n", "!AA``\n", "end\n"]
        {
            let src = [&good[..], other.as_bytes(), &good.repeat(9)].concat();
            for level in Level::all() {
                let mut dst = [0; 200];
                let done = level.run(DecodeKernel { src: &src, dst: &mut dst });
                assert_eq!(done, (good.len(), 6), "{level:?} {other}");
            }
        }
        for byte in 0..=255 {
            for at in 1..=60 {
                let mut src = line(&[7; 45], "\n").repeat(2);
                src[at] = byte;
                let expected = if (b' '..=b'`').contains(&byte) { (62, 45) } else { (0, 0) };
                for level in Level::all() {
                    let mut dst = [0; 70];
                    let done = level.run(DecodeKernel { src: &src, dst: &mut dst });
                    assert_eq!(done, expected, "{level:?} {byte:02X} {at}");
                }
            }
        }
    }
}
