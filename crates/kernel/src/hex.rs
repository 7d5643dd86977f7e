//! Hexadecimal digits, 16 bytes or 16 digits at a time.

use super::digit_lines;
use super::simd::{self, Kernel, Simd, WIDTH, WideSimd};

/// The digits, in both cases.
pub const UPPERCASE: [u8; WIDTH] = *b"0123456789ABCDEF";
/// The digits in lower case.
pub const LOWERCASE: [u8; WIDTH] = *b"0123456789abcdef";

/// The value of each hexadecimal digit, and 0xFF for other bytes.
pub static VALUES: [u8; 256] = {
    let (mut values, mut byte) = ([0xFF; 256], 0);
    while byte < 256 {
        values[byte] = match byte as u8 {
            digit @ b'0'..=b'9' => digit - b'0',
            digit @ b'A'..=b'F' => digit - b'A' + 10,
            digit @ b'a'..=b'f' => digit - b'a' + 10,
            _ => 0xFF,
        };
        byte += 1;
    }
    values
};

/// Returns the byte with these two digits, of either case.
#[inline(always)]
pub fn decode_byte([high, low]: [u8; 2]) -> Option<u8> {
    let (high, low) = (VALUES[high as usize], VALUES[low as usize]);
    ((high | low) < 16).then_some(high << 4 | low)
}

/// Returns the two digits of a byte, in upper case.
#[inline(always)]
pub const fn encode_byte(byte: u8) -> [u8; 2] {
    [UPPERCASE[(byte >> 4) as usize], UPPERCASE[(byte & 0xF) as usize]]
}

/// Encodes 16 bytes at a time with these digits. Returns the numbers of bytes read and written.
pub fn encode(digits: &[u8; WIDTH], src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(HexEncodeKernel { digits, src, dst })
}

/// Decodes pairs of digits of either case, and skips CR LF and LF between pairs. Returns the numbers
/// of bytes read and written.
pub fn decode(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(HexDecodeKernel { src, dst })
}

/// Returns the value of each digit, of either case, and a mask of the bytes that are digits. The values
/// of other bytes are any up to 15.
#[inline(always)]
pub fn digit_values<S: Simd>(simd: S, bytes: S::Bytes) -> (S::Bytes, S::Bytes) {
    // 0 to 9 for decimal digits; 0 to 5 for letters, in either case.
    let decimal = simd.sub8(bytes, simd.splat8(b'0'));
    let letter = simd.sub8(simd.or(bytes, simd.splat8(0x20)), simd.splat8(b'a'));
    let zero = simd.splat8(0);
    let is_decimal = simd.eq8(simd.saturating_sub8(decimal, simd.splat8(9)), zero);
    let is_letter = simd.eq8(simd.saturating_sub8(letter, simd.splat8(5)), zero);
    let value = simd.select(is_decimal, decimal, simd.add8(letter, simd.splat8(10)));
    (simd.and(value, simd.splat8(0xF)), simd.or(is_decimal, is_letter))
}

/// The same for 64 bytes, with a set of those that are digits.
#[inline(always)]
pub fn digit_values_wide<W: WideSimd>(w: W, bytes: W::Bytes) -> (W::Bytes, u64) {
    let decimal = w.sub8(bytes, w.splat8(b'0'));
    let letter = w.sub8(w.or(bytes, w.splat8(0x20)), w.splat8(b'a'));
    let is_decimal = w.at_least8(w.splat8(9), decimal);
    let is_letter = w.at_least8(w.splat8(5), letter);
    let value = w.select8(is_decimal, decimal, w.add8(letter, w.splat8(10)));
    (w.and(value, w.splat8(0xF)), is_decimal | is_letter)
}

struct HexEncodeKernel<'a> {
    digits: &'a [u8; WIDTH],
    src: &'a [u8],
    dst: &'a mut [u8],
}

struct HexDecodeKernel<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for HexEncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let HexEncodeKernel { digits, src, dst } = self;
        let (digits, nibble) = (simd.load(digits), simd.splat8(0x0F));
        let (mut read, mut written) = (0, 0);
        while let Some(from) = src[read..].first_chunk::<WIDTH>() {
            let Some(to) = dst[written..].get_mut(..2 * WIDTH) else { break };
            let bytes = simd.load(from);
            let high = simd.shuffle8(digits, simd.and(simd.shr16::<4>(bytes), nibble));
            let low = simd.shuffle8(digits, simd.and(bytes, nibble));
            let (first, second) = to.split_at_mut(WIDTH);
            if let (Some(first), Some(second)) = (first.first_chunk_mut(), second.first_chunk_mut())
            {
                simd.store(simd.zip_low8(high, low), first);
                simd.store(simd.zip_high8(high, low), second);
            }
            read += WIDTH;
            written += 2 * WIDTH;
        }
        (read, written)
    }
}

impl Kernel for HexDecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        digit_lines::decode::<WIDTH, 2, 1>(
            self.src,
            self.dst,
            #[inline(always)]
            |from: &[u8; WIDTH], to: &mut [u8; WIDTH]| {
                let (value, is_digit) = digit_values(simd, simd.load(from));
                let pairs = simd.mul_add_pairs8(value, simd.splat16(0x01_10));
                simd.store(simd.narrow16(pairs, pairs), to);
                u64::from(!simd.movemask8(is_digit) & 0xFFFF)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

    #[test]
    fn every_byte_is_encoded_and_decoded() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        for level in Level::all() {
            for (digits, text) in
                [(&UPPERCASE, text.clone()), (&LOWERCASE, text.to_ascii_lowercase())]
            {
                let mut dst = [0; 512];
                let kernel = HexEncodeKernel { digits, src: &bytes, dst: &mut dst };
                assert_eq!(level.run(kernel), (256, 512), "{level:?}");
                assert_eq!(dst[..], *text.as_bytes(), "{level:?}");
                let mut dst = [0; 264];
                let kernel = HexDecodeKernel { src: text.as_bytes(), dst: &mut dst };
                assert_eq!(level.run(kernel), (512, 256), "{level:?}");
                assert_eq!(dst[..256], bytes, "{level:?}");
            }
        }
    }

    #[test]
    fn bytes_that_are_not_digits_stop_decoding() {
        for level in Level::all() {
            for byte in (0..=255_u8).step_by(stride(27)) {
                for at in (0..WIDTH).step_by(stride(11)) {
                    let mut src = [b'7'; WIDTH];
                    src[at] = byte;
                    let kernel = HexDecodeKernel { src: &src, dst: &mut [0; WIDTH] };
                    let expected = match byte {
                        _ if byte.is_ascii_hexdigit() => (16, 8),
                        b'\n' if at % 2 == 0 => (at + 1, at / 2),
                        _ => (at & !1, at / 2),
                    };
                    assert_eq!(level.run(kernel), expected, "{level:?} {byte:02X} {at}");
                }
            }
        }
    }
}
