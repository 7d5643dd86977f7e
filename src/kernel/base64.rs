//! Base64: 16 digits of 6 bits for 12 octets, and back.
//!
//! The octets come and go as six units of 16 bits, which is what UTF-7 makes of them. The order of
//! the octets in a unit is a matter of the shuffles, which are needed in any case.

use super::set::{self, Set};
use super::simd::{Simd, WIDTH};

/// Units in 16 digits.
pub const UNITS: usize = 6;

/// An alphabet that ends in the letters, the digits, `+` and one octet more from 20 to 2F.
#[derive(Debug, Clone, Copy)]
pub struct Alphabet {
    set: Set,
    last: u8,
    /// What to add to a value, by kind of value.
    to_digit: [u8; WIDTH],
    /// What to add to a digit, by the high half of it; one lower for the last digit.
    to_value: [u8; WIDTH],
}

/// What turns into digits the values of each kind: 26 to 51 first, then each number from 52 to 63,
/// then 0 to 25.
const CAPITALS: usize = 13;

impl Alphabet {
    /// The alphabet with this octet for the value 63.
    pub fn ending_in(last: u8) -> Alphabet {
        let mut to_digit = [b'0'.wrapping_sub(52); WIDTH];
        to_digit[0] = b'a' - 26;
        to_digit[11] = b'+'.wrapping_sub(62);
        to_digit[12] = last.wrapping_sub(63);
        to_digit[CAPITALS] = b'A';
        let mut to_value = [0; WIDTH];
        to_value[1] = 63_u8.wrapping_sub(last);
        to_value[2] = 62 - b'+';
        to_value[3] = 52_u8.wrapping_sub(b'0');
        to_value[4..6].fill(0_u8.wrapping_sub(b'A'));
        to_value[6..8].fill(26_u8.wrapping_sub(b'a'));
        let is_digit = |octet: u8| octet.is_ascii_alphanumeric() || octet == b'+' || octet == last;
        Alphabet { set: Set::new(is_digit), last, to_digit, to_value }
    }

    /// The same alphabet in registers.
    #[inline(always)]
    pub fn vectors<S: Simd>(&self, simd: S) -> Vectors<S> {
        Vectors {
            set: self.set.vectors(simd),
            last: simd.splat8(self.last),
            to_digit: simd.load(&self.to_digit),
            to_value: simd.load(&self.to_value),
        }
    }
}

/// An [`Alphabet`] in registers.
#[derive(Debug, Clone, Copy)]
pub struct Vectors<S: Simd> {
    set: set::Vectors<S>,
    last: S::Bytes,
    to_digit: S::Bytes,
    to_value: S::Bytes,
}

/// For each two digits the octets that carry their bits, the second one first.
const SPREAD: [u8; WIDTH] = [0, 1, 3, 0, 5, 2, 4, 5, 6, 7, 9, 6, 11, 8, 10, 11];
/// The three octets of four digits, which stand in the order of a number, as units.
const GATHER: [u8; WIDTH] = [1, 2, 6, 0, 4, 5, 9, 10, 14, 8, 12, 13, 0x80, 0x80, 0x80, 0x80];

impl<S: Simd> Vectors<S> {
    /// A bit for each octet that is no digit, the first one lowest.
    #[inline(always)]
    pub fn others(&self, simd: S, octets: S::Bytes) -> u32 {
        self.set.others(simd, octets)
    }

    /// The 16 digits of the first six units.
    #[inline(always)]
    pub fn digits(&self, simd: S, units: S::Bytes) -> S::Bytes {
        let spread = simd.shuffle8(units, simd.load(&SPREAD));
        // Of each 32 bits the digits from the first on: bits 10 to 15, 4 to 9, 22 to 27, 16 to 21.
        let even = simd.and(spread, simd.splat32(0x0FC0_FC00));
        let odd = simd.and(spread, simd.splat32(0x003F_03F0));
        let even = simd.mul_high16(even, simd.splat32(1 << 26 | 1 << 6));
        let odd = simd.mul_low16(odd, simd.splat32(1 << 24 | 1 << 4));
        let values = simd.or(even, odd);
        let kind = simd.sub_to_nought8(values, simd.splat8(51));
        let capital = simd.greater_signed8(simd.splat8(26), values);
        let kind = simd.or(kind, simd.and(capital, simd.splat8(CAPITALS as u8)));
        simd.add8(values, simd.shuffle8(self.to_digit, kind))
    }

    /// The six units of 16 digits, and two of nought. What is no digit counts as nought where
    /// `keep` is, too.
    #[inline(always)]
    pub fn units(&self, simd: S, digits: S::Bytes, keep: S::Bytes) -> S::Bytes {
        let high = simd.and(simd.down16::<4>(digits), simd.splat8(0x0F));
        let kind = simd.add8(high, simd.equal8(digits, self.last));
        let kind = simd.and(kind, simd.splat8(0x0F));
        let values = simd.and(simd.add8(digits, simd.shuffle8(self.to_value, kind)), keep);
        let pairs = simd.mul_add8(values, simd.splat16(0x01_40));
        let fours = simd.mul_add16(pairs, simd.splat32(0x1_1000));
        simd.shuffle8(fours, simd.load(&GATHER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::{Level, Loop};

    /// Digits of units, and what is no digit and the units among octets.
    struct BothWays<'a>(&'a Alphabet, [u8; WIDTH], [u8; WIDTH]);

    impl Loop for BothWays<'_> {
        type Answer = ([u8; WIDTH], u32, [u8; WIDTH]);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> Self::Answer {
            let BothWays(alphabet, units, octets) = self;
            let (alphabet, octets) = (alphabet.vectors(simd), simd.load(&octets));
            let (mut digits, mut back) = ([0; WIDTH], [0; WIDTH]);
            simd.store(alphabet.digits(simd, simd.load(&units)), &mut digits);
            simd.store(alphabet.units(simd, octets, simd.splat8(0xFF)), &mut back);
            (digits, alphabet.others(simd, octets), back)
        }
    }

    #[test]
    fn each_value_has_its_digit_in_each_place_and_each_other_octet_is_told() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
        for last in [b'/', b','] {
            let alphabet = Alphabet::ending_in(last);
            let of_value: Vec<u8> = letters.bytes().chain([last]).collect();
            for first in 0..64 {
                let values: [usize; WIDTH] = std::array::from_fn(|place| (first + 5 * place) % 64);
                let bits = values.iter().fold(0_u128, |bits, value| bits << 6 | *value as u128);
                let mut units = [0; WIDTH];
                for (lane, unit) in units.as_chunks_mut().0.iter_mut().take(UNITS).enumerate() {
                    *unit = ((bits >> (16 * (UNITS - 1 - lane))) as u16).to_le_bytes();
                }
                let digits = values.map(|value| of_value[value]);
                for level in Level::all() {
                    let found = level.run(BothWays(&alphabet, units, digits));
                    assert_eq!(found, (digits, 0, units), "{level:?} {first}");
                }
            }
            for octet in 0..=255 {
                let others = if of_value.contains(&octet) { 0 } else { 0xFFFF };
                for level in Level::all() {
                    let (_, found, _) = level.run(BothWays(&alphabet, [0; WIDTH], [octet; WIDTH]));
                    assert_eq!(found, others, "{level:?} {octet}");
                }
            }
        }
    }
}
