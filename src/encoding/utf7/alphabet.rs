//! The sets of characters that RFC 1642 names, and the two base64 alphabets.

use crate::kernel::base64;

/// A set of ASCII characters, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AsciiBitSet(u128);

/// The first of the two sets of bytes that may stand for themselves (RFC 1642, set D).
pub(super) const SET_D: AsciiBitSet = AsciiBitSet::from_bytes(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:?",
);

/// The second one, which mail gateways may damage (RFC 1642, set O).
pub(super) const SET_O: AsciiBitSet = AsciiBitSet::from_bytes(b"!\"#$%&*;<=>@[]^_`{|}");

/// White space that may stand for itself (RFC 1642, rule 3).
pub(super) const RULE_3: AsciiBitSet = AsciiBitSet::from_bytes(b" \t\r\n");

/// The printable characters and the space, 20 to 7E (RFC 3501, section 5.1.3).
pub(super) const PRINTABLE: AsciiBitSet =
    AsciiBitSet(u128::MAX << 0x20).difference(AsciiBitSet::from_bytes(b"\x7F"));

/// All of ASCII.
pub(super) const ASCII: AsciiBitSet = AsciiBitSet(u128::MAX);

impl AsciiBitSet {
    pub(super) const EMPTY: AsciiBitSet = AsciiBitSet(0);

    /// The set of these members, which are below 80.
    pub(super) const fn from_bytes(members: &[u8]) -> AsciiBitSet {
        let mut bits = 0;
        let mut index = 0;
        while index < members.len() {
            bits |= 1 << members[index];
            index += 1;
        }
        AsciiBitSet(bits)
    }

    /// The members of either set.
    pub(super) const fn union(self, other: AsciiBitSet) -> AsciiBitSet {
        AsciiBitSet(self.0 | other.0)
    }

    /// The members that the other set has not.
    pub(super) const fn difference(self, other: AsciiBitSet) -> AsciiBitSet {
        AsciiBitSet(self.0 & !other.0)
    }

    /// Whether a code point, or a byte, is a member.
    pub(super) const fn contains(self, value: u32) -> bool {
        value < 0x80 && self.0 >> value & 1 == 1
    }

    /// The same set as a table over all bytes, which a loop asks faster.
    pub(super) fn to_table(self) -> [bool; 256] {
        std::array::from_fn(|byte| self.contains(byte as u32))
    }
}

/// A base64 alphabet: the byte of each 6-bit value, and the value of each byte.
#[derive(Debug)]
pub(super) struct Utf7Alphabet {
    digits: [u8; 64],
    values: [u8; 256],
}

/// RFC 1521's alphabet (RFC 1642, set B).
pub(super) static BASE64: Utf7Alphabet = Utf7Alphabet::with_last_two(b"+/");

/// The same with `,` for `/`, which separates levels of mailbox names (RFC 3501, section 5.1.3).
pub(super) static IMAP_BASE64: Utf7Alphabet = Utf7Alphabet::with_last_two(b"+,");

/// Stands in [`Alphabet::values`] for a byte outside the alphabet.
const NOT_A_DIGIT: u8 = 0xFF;

impl Utf7Alphabet {
    const fn with_last_two(last: &[u8; 2]) -> Utf7Alphabet {
        let mut digits = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789__";
        digits[62] = last[0];
        digits[63] = last[1];
        let mut values = [NOT_A_DIGIT; 256];
        let mut value = 0;
        while value < 64 {
            values[digits[value] as usize] = value as u8;
            value += 1;
        }
        Utf7Alphabet { digits, values }
    }

    /// The byte of the six lowest bits of `value`.
    pub(super) fn digit(&self, value: u64) -> u8 {
        self.digits[(value & 0x3F) as usize]
    }

    /// The six bits of a byte of the alphabet.
    pub(super) fn value(&self, byte: u8) -> Option<u64> {
        let value = self.values[usize::from(byte)];
        (value != NOT_A_DIGIT).then_some(u64::from(value))
    }

    /// The same alphabet for kernels.
    pub(super) fn kernel_alphabet(&self) -> base64::Base64Alphabet {
        base64::Base64Alphabet::with_last_digit(self.digits[63])
    }

    /// The alphabet as a set.
    pub(super) fn as_set(&self) -> AsciiBitSet {
        AsciiBitSet::from_bytes(&self.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_disjoint_and_exclude_plus_backslash_and_tilde() {
        assert_eq!(SET_D.0.count_ones(), 71);
        assert_eq!(SET_O.0.count_ones(), 20);
        assert_eq!(SET_D.0 & SET_O.0, 0);
        let named = SET_D.union(SET_O).union(AsciiBitSet::from_bytes(b" "));
        assert_eq!(PRINTABLE.difference(named), AsciiBitSet::from_bytes(b"+\\~"));
        assert_eq!(PRINTABLE.0.count_ones(), 95);
    }

    #[test]
    fn only_digits_have_values() {
        for (alphabet, last) in [(&BASE64, b'/'), (&IMAP_BASE64, b',')] {
            assert_eq!(alphabet.digit(63), last);
            for value in 0..64 {
                assert_eq!(alphabet.value(alphabet.digit(value)), Some(value));
            }
            let digits = (0..=255).filter(|byte| alphabet.value(*byte).is_some()).count();
            assert_eq!(digits, 64);
        }
    }
}
