//! The sets of characters that RFC 1642 names, and the two base64 alphabets.

use crate::kernel::base64;

/// A set of ASCII characters, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AsciiSet(u128);

/// The first of the two sets of octets that may stand for themselves (RFC 1642, set D).
pub(super) const D: AsciiSet =
    AsciiSet::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:?");

/// The second one, which mail gateways may damage (RFC 1642, set O).
pub(super) const O: AsciiSet = AsciiSet::of(b"!\"#$%&*;<=>@[]^_`{|}");

/// White space that may stand for itself (RFC 1642, rule 3).
pub(super) const RULE_3: AsciiSet = AsciiSet::of(b" \t\r\n");

/// The printable characters and the space, 20 to 7E (RFC 3501, section 5.1.3).
pub(super) const PRINTABLE: AsciiSet = AsciiSet(u128::MAX << 0x20).without(AsciiSet::of(b"\x7F"));

/// All of ASCII.
pub(super) const ASCII: AsciiSet = AsciiSet(u128::MAX);

impl AsciiSet {
    pub(super) const EMPTY: AsciiSet = AsciiSet(0);

    /// The set of these members, which are below 80.
    pub(super) const fn of(members: &[u8]) -> AsciiSet {
        let mut bits = 0;
        let mut index = 0;
        while index < members.len() {
            bits |= 1 << members[index];
            index += 1;
        }
        AsciiSet(bits)
    }

    /// The members of either set.
    pub(super) const fn or(self, other: AsciiSet) -> AsciiSet {
        AsciiSet(self.0 | other.0)
    }

    /// The members that the other set has not.
    pub(super) const fn without(self, other: AsciiSet) -> AsciiSet {
        AsciiSet(self.0 & !other.0)
    }

    /// Whether a code point, or an octet, is a member.
    pub(super) const fn has(self, value: u32) -> bool {
        value < 0x80 && self.0 >> value & 1 == 1
    }

    /// The same set as a table over all octets, which a loop asks faster.
    pub(super) fn table(self) -> [bool; 256] {
        std::array::from_fn(|octet| self.has(octet as u32))
    }
}

/// A base64 alphabet: the octet of each 6-bit value, and the value of each octet.
#[derive(Debug)]
pub(super) struct Alphabet {
    digits: [u8; 64],
    values: [u8; 256],
}

/// RFC 1521's alphabet (RFC 1642, set B).
pub(super) static BASE64: Alphabet = Alphabet::ending_in(b"+/");

/// The same with `,` for `/`, which separates levels of mailbox names (RFC 3501, section 5.1.3).
pub(super) static MAILBOX: Alphabet = Alphabet::ending_in(b"+,");

/// Stands in [`Alphabet::values`] for an octet outside the alphabet.
const NO_DIGIT: u8 = 0xFF;

impl Alphabet {
    const fn ending_in(last: &[u8; 2]) -> Alphabet {
        let mut digits = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789__";
        digits[62] = last[0];
        digits[63] = last[1];
        let mut values = [NO_DIGIT; 256];
        let mut value = 0;
        while value < 64 {
            values[digits[value] as usize] = value as u8;
            value += 1;
        }
        Alphabet { digits, values }
    }

    /// The octet of the six lowest bits of `value`.
    pub(super) fn digit(&self, value: u64) -> u8 {
        self.digits[(value & 0x3F) as usize]
    }

    /// The six bits of an octet of the alphabet.
    pub(super) fn value(&self, octet: u8) -> Option<u64> {
        let value = self.values[usize::from(octet)];
        (value != NO_DIGIT).then_some(u64::from(value))
    }

    /// The same alphabet for kernels.
    pub(super) fn vectors(&self) -> base64::Alphabet {
        base64::Alphabet::ending_in(self.digits[63])
    }

    /// The alphabet as a set.
    pub(super) fn set(&self) -> AsciiSet {
        AsciiSet::of(&self.digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_are_apart_and_leave_out_plus_backslash_and_tilde() {
        assert_eq!(D.0.count_ones(), 71);
        assert_eq!(O.0.count_ones(), 20);
        assert_eq!(D.0 & O.0, 0);
        let named = D.or(O).or(AsciiSet::of(b" "));
        assert_eq!(PRINTABLE.without(named), AsciiSet::of(b"+\\~"));
        assert_eq!(PRINTABLE.0.count_ones(), 95);
    }

    #[test]
    fn every_digit_has_its_value_and_no_other_octet_has_one() {
        for (alphabet, last) in [(&BASE64, b'/'), (&MAILBOX, b',')] {
            assert_eq!(alphabet.digit(63), last);
            for value in 0..64 {
                assert_eq!(alphabet.value(alphabet.digit(value)), Some(value));
            }
            let digits = (0..=255).filter(|octet| alphabet.value(*octet).is_some()).count();
            assert_eq!(digits, 64);
        }
    }
}
