//! The bits of a base64 run, seen as UTF-16 from where the reader stands.
//!
//! Units of 16 bits and bytes of 6 meet only every third unit, so a byte may carry the end of
//! one unit and the beginning of the next. Such a byte stays unread until its last bits are
//! used; how many are used so far is all that a reader has to remember, and an error begins of
//! itself at the first byte that carries a bit of the offender.
//!
//! | bits taken | bytes of the next unit | of these used up | bits taken then |
//! |-----------:|------------------------:|-----------------:|----------------:|
//! |          0 |                       3 |                2 |               4 |
//! |          4 |                       4 |                3 |               2 |
//! |          2 |                       3 |                3 |               0 |

use super::alphabet::Utf7Alphabet;

/// The most bytes that carry bits of one character: of a surrogate pair.
pub(super) const MAX_CHAR_LEN: usize = 6;

/// Bits that [`LONGEST`] bytes hold.
const MAX_CHAR_BITS: usize = 6 * MAX_CHAR_LEN;

/// How many bits of the next unread byte have been taken: 0, 2 or 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BitsTaken(usize);

/// A stretch of bits that begins where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BitRange {
    /// Bytes that carry its bits.
    pub bytes: usize,
    /// Those of them that carry no other bits after it.
    pub consumed: usize,
    /// Where the reader stands after it.
    pub bits_taken: BitsTaken,
}

impl BitsTaken {
    pub(super) const NONE: BitsTaken = BitsTaken(0);

    /// From a number that [`bits`](Taken::bits) gave.
    pub(super) const fn new(bits: u64) -> BitsTaken {
        BitsTaken((bits % 6) as usize)
    }

    pub(super) const fn bits(self) -> u64 {
        self.0 as u64
    }

    /// What a number of 16-bit units takes up from here.
    pub(super) const fn bit_range(self, units: usize) -> BitRange {
        let end = self.0 + 16 * units;
        BitRange { bytes: end.div_ceil(6), consumed: end / 6, bits_taken: BitsTaken(end % 6) }
    }
}

/// The next bytes of a run, no more than make one character.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitLookahead {
    /// How many they are, at most [`LONGEST`].
    pub bytes: usize,
    /// Their bits after those taken, uppermost first.
    bits: u64,
    /// How many bits that is.
    len: usize,
}

/// What the next bits of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunItem {
    /// A whole character, and its extent.
    Character(char, BitRange),
    /// Half of a surrogate pair, the other half of which does not stand beside it.
    UnpairedSurrogate(BitRange),
    /// The first half of a pair, and less than a unit after it.
    IncompletePair,
    /// Less than a unit.
    Incomplete,
}

impl BitLookahead {
    /// The bytes of `alphabet` at the start of `src`, of the first of which some bits are taken.
    pub(super) fn new(src: &[u8], taken: BitsTaken, alphabet: &Utf7Alphabet) -> BitLookahead {
        let values = src.iter().take(MAX_CHAR_LEN).map_while(|byte| alphabet.value(*byte));
        let (mut bytes, mut bits) = (0, 0);
        for value in values {
            bytes += 1;
            bits |= value << (MAX_CHAR_BITS - 6 * bytes);
        }
        let len = (6 * bytes).saturating_sub(taken.0);
        BitLookahead { bytes, bits: bits << (u64::BITS as usize - MAX_CHAR_BITS + taken.0), len }
    }

    /// What comes next.
    pub(super) fn next_item(&self, taken: BitsTaken) -> RunItem {
        let Some(first) = self.code_unit(0) else { return RunItem::Incomplete };
        match (first, self.code_unit(1)) {
            (0xD800..=0xDBFF, None) => RunItem::IncompletePair,
            (0xD800..=0xDBFF, Some(second @ 0xDC00..=0xDFFF)) => {
                let value = 0x1_0000 + ((first & 0x3FF) << 10 | second & 0x3FF);
                RunItem::from_value(value, taken.bit_range(2))
            }
            _ => RunItem::from_value(first, taken.bit_range(1)),
        }
    }

    /// Whether less than a unit is there and of that no bit is set.
    pub(super) fn is_zero(&self) -> bool {
        self.len < 16 && self.bits == 0
    }

    /// Whether the bits that are there are no more than pad a run to a whole byte.
    pub(super) fn is_padding(&self) -> bool {
        self.len < 6
    }

    fn code_unit(&self, index: usize) -> Option<u32> {
        let shift = u64::BITS as usize - 16 * (index + 1);
        (self.len >= 16 * (index + 1)).then_some((self.bits >> shift) as u32 & 0xFFFF)
    }
}

impl RunItem {
    fn from_value(value: u32, extent: BitRange) -> RunItem {
        match char::from_u32(value) {
            Some(character) => RunItem::Character(character, extent),
            None => RunItem::UnpairedSurrogate(extent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::alphabet::BASE64;
    use super::*;

    #[test]
    fn three_code_units_span_eight_base64_digits() {
        let mut taken = BitsTaken::NONE;
        for (bits, bytes, used_up, then) in [(0, 3, 2, 4), (4, 4, 3, 2), (2, 3, 3, 0)] {
            assert_eq!(taken, BitsTaken(bits));
            let extent = taken.bit_range(1);
            assert_eq!(extent, BitRange { bytes, consumed: used_up, bits_taken: BitsTaken(then) });
            taken = extent.bits_taken;
        }
    }

    #[test]
    fn six_bytes_hold_a_surrogate_pair_at_any_offset() {
        // U+10FFFF is DBFF DFFF; the bits before it are those of a unit before.
        for (src, taken) in [(b"2//f/8", 0), (b"Db/9//", 4), (b"Nv/3/8", 2)] {
            let taken = BitsTaken(taken);
            let next = BitLookahead::new(src, taken, &BASE64).next_item(taken);
            assert!(
                matches!(next, RunItem::Character('\u{10FFFF}', extent) if extent.bytes <= MAX_CHAR_LEN),
                "{src:?} {next:?}"
            );
        }
    }
}
