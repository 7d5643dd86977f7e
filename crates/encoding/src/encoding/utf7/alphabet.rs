//! The character sets of RFC 1642, and the two base64 alphabets.

use charpipe_kernel::base64;

/// A set of ASCII characters, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AsciiBitSet(u128);

/// Set D of RFC 1642: bytes that may represent themselves.
pub(super) const SET_D: AsciiBitSet = AsciiBitSet::from_bytes(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:?",
);

/// Set O of RFC 1642: bytes that may represent themselves, but that mail gateways may corrupt.
pub(super) const SET_O: AsciiBitSet = AsciiBitSet::from_bytes(b"!\"#$%&*;<=>@[]^_`{|}");

/// Rule 3 of RFC 1642: white space that may represent itself.
pub(super) const RULE_3: AsciiBitSet = AsciiBitSet::from_bytes(b" \t\r\n");

/// The printable characters and the space, 20 to 7E (RFC 3501, section 5.1.3).
pub(super) const PRINTABLE: AsciiBitSet =
    AsciiBitSet(u128::MAX << 0x20).difference(AsciiBitSet::from_bytes(b"\x7F"));

/// All of ASCII.
pub(super) const ASCII: AsciiBitSet = AsciiBitSet(u128::MAX);

impl AsciiBitSet {
    pub(super) const EMPTY: AsciiBitSet = AsciiBitSet(0);

    /// Returns the set of these members, which are below 80.
    pub(super) const fn from_bytes(members: &[u8]) -> AsciiBitSet {
        let mut bits = 0;
        let mut index = 0;
        while index < members.len() {
            bits |= 1 << members[index];
            index += 1;
        }
        AsciiBitSet(bits)
    }

    /// Returns the members of either set.
    pub(super) const fn union(self, other: AsciiBitSet) -> AsciiBitSet {
        AsciiBitSet(self.0 | other.0)
    }

    /// Returns the members that are not in the other set.
    pub(super) const fn difference(self, other: AsciiBitSet) -> AsciiBitSet {
        AsciiBitSet(self.0 & !other.0)
    }

    /// Returns whether a code point or byte is a member.
    pub(super) const fn contains(self, value: u32) -> bool {
        value < 0x80 && self.0 >> value & 1 == 1
    }

    /// Returns the set as a table over all bytes, for faster lookup.
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

/// The alphabet of RFC 1521 (RFC 1642, set B).
pub(super) static BASE64: Utf7Alphabet = Utf7Alphabet::with_last_two(b"+/");

/// The alphabet with `,` in place of `/`, which separates levels of mailbox names (RFC 3501,
/// section 5.1.3).
pub(super) static IMAP_BASE64: Utf7Alphabet = Utf7Alphabet::with_last_two(b"+,");

/// The value of a byte outside the alphabet.
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

    /// Returns the byte of the six lowest bits of `value`.
    pub(super) fn digit(&self, value: u64) -> u8 {
        self.digits[(value & 0x3F) as usize]
    }

    /// Returns the six bits of a byte, or `None` for a byte outside the alphabet.
    pub(super) fn value(&self, byte: u8) -> Option<u64> {
        let value = self.values[usize::from(byte)];
        (value != NOT_A_DIGIT).then_some(u64::from(value))
    }

    pub(super) fn kernel_alphabet(&self) -> base64::Base64Alphabet {
        base64::Base64Alphabet::with_last_digit(self.digits[63])
    }

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
