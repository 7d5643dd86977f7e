//! Base64 encoding and decoding of 16 digits at a time, that is, 12 bytes.
//!
//! For UTF-7 the bytes are six UTF-16 code units. Swapping the bytes of a unit costs nothing: it is
//! part of shuffles that are needed anyway.

use super::ascii_set::{self, AsciiByteSet};
use super::simd::{Simd, WIDE_WIDTH, WIDTH, WideSimd};

/// The number of code units in 16 digits.
pub const UNITS_PER_VECTOR: usize = 6;

/// A base64 alphabet: letters, digits, and two more that differ between the variants.
#[derive(Debug, Clone, Copy)]
pub struct Base64Alphabet {
    digit_set: AsciiByteSet,
    last_digit: u8,
    /// What leads from the high nibble of the last digit to its entry in `to_value`, which is 1.
    last_shift: u8,
    /// The offset from a value to its digit, by kind of value.
    to_digit: [u8; WIDTH],
    /// The offset from a digit to its value, by the high nibble.
    to_value: [u8; WIDTH],
    /// The digit of each value.
    digits: [u8; WIDE_WIDTH],
    /// The value of each byte below 0x80, or [`NON_DIGIT`].
    values: [[u8; WIDE_WIDTH]; 2],
}

/// In the table of values, a byte that is not a digit.
const NON_DIGIT: u8 = 0x80;

/// The index in `to_digit` of the values 0 to 25. Index 0 is for 26 to 51, and 1 to 12 are for the
/// values 52 to 63.
const UPPERCASE_KIND: usize = 13;

impl Base64Alphabet {
    /// Creates the alphabet with `+` and the given digit, from 0x20 to 0x2F, for the values 62 and
    /// 63.
    pub fn with_last_digit(last: u8) -> Base64Alphabet {
        Base64Alphabet::with_last_digits(b'+', last)
    }

    /// Creates the alphabet with these digits for the values 62 and 63. The first one must be from
    /// 0x20 to 0x2F.
    pub fn with_last_digits(first: u8, last: u8) -> Base64Alphabet {
        let mut to_digit = [b'0'.wrapping_sub(52); WIDTH];
        to_digit[0] = b'a' - 26;
        to_digit[11] = first.wrapping_sub(62);
        to_digit[12] = last.wrapping_sub(63);
        to_digit[UPPERCASE_KIND] = b'A';
        let mut to_value = [0; WIDTH];
        to_value[1] = 63_u8.wrapping_sub(last);
        to_value[2] = 62 - first;
        to_value[3] = 52_u8.wrapping_sub(b'0');
        to_value[4..6].fill(0_u8.wrapping_sub(b'A'));
        to_value[6..8].fill(26_u8.wrapping_sub(b'a'));
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == first || byte == last;
        let mut digits = [0; WIDE_WIDTH];
        let known = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain([first, last]);
        let mut values = [[NON_DIGIT; WIDE_WIDTH]; 2];
        for ((slot, digit), value) in digits.iter_mut().zip(known).zip(0..) {
            *slot = digit;
            values[usize::from(digit) / WIDE_WIDTH][usize::from(digit) % WIDE_WIDTH] = value;
        }
        Base64Alphabet {
            digits,
            values,
            digit_set: AsciiByteSet::new(is_digit),
            last_digit: last,
            last_shift: 1_u8.wrapping_sub(last >> 4),
            to_digit,
            to_value,
        }
    }

    /// Returns the digit of a value below 64.
    pub fn digit(&self, value: usize) -> u8 {
        self.digits[value]
    }

    /// Returns the value of a digit; of another byte below 0x80 a number of at least 64.
    #[inline(always)]
    pub fn value(&self, digit: u8) -> u8 {
        self.values[usize::from(digit) / WIDE_WIDTH % 2][usize::from(digit) % WIDE_WIDTH]
    }

    /// Loads the alphabet into vectors.
    #[inline(always)]
    pub fn vectors<S: Simd>(&self, simd: S) -> AlphabetVectors<S> {
        AlphabetVectors {
            digit_set: self.digit_set.vectors(simd),
            last_digit: simd.splat8(self.last_digit),
            last_shift: simd.splat8(self.last_shift),
            to_digit: simd.load(&self.to_digit),
            to_value: simd.load(&self.to_value),
        }
    }
}

/// The number of bytes in 64 digits.
pub const BYTES_PER_WIDE_VECTOR: usize = WIDE_WIDTH / 4 * 3;

impl Base64Alphabet {
    /// Returns the 64 digits of the first 48 bytes.
    #[inline(always)]
    pub fn encode_wide<W: WideSimd>(&self, w: W, bytes: W::Bytes) -> W::Bytes {
        /// The bytes of every four digits, as in [`ENCODE_BYTES_SHUFFLE`].
        const SPREAD: [u8; WIDE_WIDTH] = {
            let mut indexes = [0; WIDE_WIDTH];
            let mut at = 0;
            while at < WIDE_WIDTH {
                let part = at / WIDTH * (WIDTH / 4 * 3);
                indexes[at] = ENCODE_BYTES_SHUFFLE[at % WIDTH] + part as u8;
                at += 1;
            }
            indexes
        };
        /// The first bit of each digit in every eight bytes.
        const DIGIT_BITS: [u8; WIDTH] =
            [10, 4, 22, 16, 42, 36, 54, 48, 10, 4, 22, 16, 42, 36, 54, 48];
        let spread = w.permute8(bytes, w.load(&SPREAD));
        w.permute8(w.load(&self.digits), w.multishift8(w.load_repeated(&DIGIT_BITS), spread))
    }

    /// Returns the 48 bytes of 64 digits, and a bit for each byte that is not a digit. Four bytes that
    /// are not all digits give any three bytes.
    #[inline(always)]
    pub fn decode_wide<W: WideSimd>(&self, w: W, digits: W::Bytes) -> (W::Bytes, u64) {
        /// The bytes of every four digits, as in [`DECODE_BYTES_SHUFFLE`], and 16 more.
        const GATHER: [u8; WIDE_WIDTH] = {
            let mut indexes = [0; WIDE_WIDTH];
            let mut at = 0;
            while at < BYTES_PER_WIDE_VECTOR {
                indexes[at] = (at / 3 * 4 + 2 - at % 3) as u8;
                at += 1;
            }
            indexes
        };
        let [low, high] = &self.values;
        let values = w.permute8_of_2(w.load(low), w.load(high), digits);
        let non_digits = w.movemask8(w.or(values, digits));
        let pairs = w.mul_add_pairs8(values, w.splat16(0x01_40));
        let fours = w.mul_add_pairs16(pairs, w.splat32(0x1_1000));
        (w.permute8(fours, w.load(&GATHER)), non_digits)
    }
}

/// A [`Base64Alphabet`] loaded into vectors.
#[derive(Debug, Clone, Copy)]
pub struct AlphabetVectors<S: Simd> {
    digit_set: ascii_set::AsciiSetVectors<S>,
    last_digit: S::Bytes,
    last_shift: S::Bytes,
    to_digit: S::Bytes,
    to_value: S::Bytes,
}

/// For each pair of digits the two bytes that contain their bits, the second byte first. The bytes of
/// code units are swapped.
const ENCODE_UNITS_SHUFFLE: [u8; WIDTH] = [0, 1, 3, 0, 5, 2, 4, 5, 6, 7, 9, 6, 11, 8, 10, 11];
const ENCODE_BYTES_SHUFFLE: [u8; WIDTH] = [1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10];
/// Reorders the three bytes of every four digits, least significant first, into code units.
const DECODE_UNITS_SHUFFLE: [u8; WIDTH] =
    [1, 2, 6, 0, 4, 5, 9, 10, 14, 8, 12, 13, 0x80, 0x80, 0x80, 0x80];
/// Reorders them into bytes.
const DECODE_BYTES_SHUFFLE: [u8; WIDTH] =
    [2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0x80, 0x80, 0x80, 0x80];

impl<S: Simd> AlphabetVectors<S> {
    /// Returns a bit for each byte that is not a digit, the first byte lowest.
    #[inline(always)]
    pub fn non_digits(&self, simd: S, bytes: S::Bytes) -> u32 {
        self.digit_set.non_members(simd, bytes)
    }

    /// Returns the 16 digits of the first six code units.
    #[inline(always)]
    pub fn encode_units(&self, simd: S, units: S::Bytes) -> S::Bytes {
        self.encode_spread(simd, simd.shuffle8(units, simd.load(&ENCODE_UNITS_SHUFFLE)))
    }

    /// Returns the 16 digits of the first 12 bytes.
    #[inline(always)]
    pub fn encode_bytes(&self, simd: S, bytes: S::Bytes) -> S::Bytes {
        self.encode_spread(simd, simd.shuffle8(bytes, simd.load(&ENCODE_BYTES_SHUFFLE)))
    }

    #[inline(always)]
    fn encode_spread(&self, simd: S, spread: S::Bytes) -> S::Bytes {
        // The digits in each 32 bits, in order: bits 10 to 15, 4 to 9, 22 to 27, 16 to 21.
        let even = simd.and(spread, simd.splat32(0x0FC0_FC00));
        let odd = simd.and(spread, simd.splat32(0x003F_03F0));
        let even = simd.mul_high16(even, simd.splat32(1 << 26 | 1 << 6));
        let odd = simd.mul_low16(odd, simd.splat32(1 << 24 | 1 << 4));
        let values = simd.or(even, odd);
        let kind = simd.saturating_sub8(values, simd.splat8(51));
        let uppercase = simd.gt_i8(simd.splat8(26), values);
        let kind = simd.or(kind, simd.and(uppercase, simd.splat8(UPPERCASE_KIND as u8)));
        simd.add8(values, simd.shuffle8(self.to_digit, kind))
    }

    /// Returns the six code units of 16 digits, and two that are zero. Bytes where `keep` is zero
    /// count as the digit of zero; all others must be digits.
    #[inline(always)]
    pub fn decode_digits(&self, simd: S, digits: S::Bytes, keep: S::Bytes) -> S::Bytes {
        let fours = self.decode_fours(simd, digits, keep);
        simd.shuffle8(fours, simd.load(&DECODE_UNITS_SHUFFLE))
    }

    /// Returns the 12 bytes of 16 digits, and four that are zero. Four bytes that are not all digits
    /// give any three bytes.
    #[inline(always)]
    pub fn decode_to_bytes(&self, simd: S, digits: S::Bytes) -> S::Bytes {
        let fours = self.decode_fours(simd, digits, simd.splat8(0x3F));
        simd.shuffle8(fours, simd.load(&DECODE_BYTES_SHUFFLE))
    }

    /// Returns the 24 bits of every four digits.
    #[inline(always)]
    fn decode_fours(&self, simd: S, digits: S::Bytes, keep: S::Bytes) -> S::Bytes {
        let high = simd.and(simd.shr16::<4>(digits), simd.splat8(0x0F));
        let shift = simd.and(simd.eq8(digits, self.last_digit), self.last_shift);
        let kind = simd.and(simd.add8(high, shift), simd.splat8(0x0F));
        let values = simd.and(simd.add8(digits, simd.shuffle8(self.to_value, kind)), keep);
        let pairs = simd.mul_add_pairs8(values, simd.splat16(0x01_40));
        simd.mul_add_pairs16(pairs, simd.splat32(0x1_1000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{AsArrays, Kernel, Level};
    use crate::testing::stride;

    /// Encodes the first vector; classifies and decodes the second one.
    struct EncodeDecodeKernel<'a>(&'a Base64Alphabet, [u8; WIDTH], [u8; WIDTH]);

    impl Kernel for EncodeDecodeKernel<'_> {
        type Output = ([u8; WIDTH], u32, [u8; WIDTH]);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Output {
            let EncodeDecodeKernel(alphabet, units, bytes) = self;
            let (alphabet, bytes) = (alphabet.vectors(simd), simd.load(&bytes));
            let (mut digits, mut back) = ([0; WIDTH], [0; WIDTH]);
            simd.store(alphabet.encode_units(simd, simd.load(&units)), &mut digits);
            simd.store(alphabet.decode_digits(simd, bytes, simd.splat8(0xFF)), &mut back);
            (digits, alphabet.non_digits(simd, bytes), back)
        }
    }

    #[test]
    fn every_value_has_its_digit_and_other_bytes_are_flagged() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
        for last in [b'/', b','] {
            let alphabet = Base64Alphabet::with_last_digit(last);
            let of_value: Vec<u8> = letters.bytes().chain([last]).collect();
            for first in (0..64).step_by(stride(19)) {
                let values: [usize; WIDTH] = std::array::from_fn(|lane| (first + 5 * lane) % 64);
                let bits = values.iter().fold(0_u128, |bits, value| bits << 6 | *value as u128);
                let mut units = [0; WIDTH];
                for (lane, unit) in
                    units.as_arrays_mut().0.iter_mut().take(UNITS_PER_VECTOR).enumerate()
                {
                    *unit = ((bits >> (16 * (UNITS_PER_VECTOR - 1 - lane))) as u16).to_le_bytes();
                }
                let digits = values.map(|value| of_value[value]);
                for level in Level::all() {
                    let found = level.run(EncodeDecodeKernel(&alphabet, units, digits));
                    assert_eq!(found, (digits, 0, units), "{level:?} {first}");
                }
            }
            for byte in (0..=255).step_by(stride(15)) {
                let others = if of_value.contains(&byte) { 0 } else { 0xFFFF };
                for level in Level::all() {
                    let (_, found, _) =
                        level.run(EncodeDecodeKernel(&alphabet, [0; WIDTH], [byte; WIDTH]));
                    assert_eq!(found, others, "{level:?} {byte}");
                }
            }
        }
    }
}
