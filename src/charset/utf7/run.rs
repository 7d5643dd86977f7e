//! The bits of a base64 run, seen as UTF-16 from where the reader stands.
//!
//! Units of 16 bits and octets of 6 meet only every third unit, so an octet may carry the end of
//! one unit and the beginning of the next. Such an octet stays unread until its last bits are
//! used; how many are used so far is all that a reader has to remember, and a fault begins of
//! itself at the first octet that carries a bit of the offender.
//!
//! | bits taken | octets of the next unit | of these used up | bits taken then |
//! |-----------:|------------------------:|-----------------:|----------------:|
//! |          0 |                       3 |                2 |               4 |
//! |          4 |                       4 |                3 |               2 |
//! |          2 |                       3 |                3 |               0 |

use super::sets::Alphabet;

/// The most octets that carry bits of one character: of a surrogate pair.
pub(super) const LONGEST: usize = 6;

/// Bits that [`LONGEST`] octets hold.
const WIDTH: usize = 6 * LONGEST;

/// How many bits of the next unread octet have been taken: 0, 2 or 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken(usize);

/// A stretch of bits that begins where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// Octets that carry its bits.
    pub octets: usize,
    /// Those of them that carry no other bits behind it.
    pub used_up: usize,
    /// Where the reader stands behind it.
    pub then: Taken,
}

impl Taken {
    pub(super) const NONE: Taken = Taken(0);

    /// From a number that [`bits`](Taken::bits) gave.
    pub(super) const fn new(bits: u64) -> Taken {
        Taken((bits % 6) as usize)
    }

    pub(super) const fn bits(self) -> u64 {
        self.0 as u64
    }

    /// What a number of 16-bit units takes up from here.
    pub(super) const fn extent(self, units: usize) -> Extent {
        let end = self.0 + 16 * units;
        Extent { octets: end.div_ceil(6), used_up: end / 6, then: Taken(end % 6) }
    }
}

/// The next octets of a run, no more than make one character.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    /// How many they are, at most [`LONGEST`].
    pub octets: usize,
    /// Their bits behind those taken, uppermost first.
    bits: u64,
    /// How many bits that is.
    len: usize,
}

/// What the next bits of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A whole character, and its extent.
    Character(char, Extent),
    /// Half of a surrogate pair, the other half of which does not stand beside it.
    Unpaired(Extent),
    /// The first half of a pair, and less than a unit behind it.
    Pending,
    /// Less than a unit.
    Short,
}

impl Ahead {
    /// The octets of `alphabet` at the front of `src`, of the first of which some bits are taken.
    pub(super) fn new(src: &[u8], taken: Taken, alphabet: &Alphabet) -> Ahead {
        let values = src.iter().take(LONGEST).map_while(|octet| alphabet.value(*octet));
        let (mut octets, mut bits) = (0, 0);
        for value in values {
            octets += 1;
            bits |= value << (WIDTH - 6 * octets);
        }
        let len = (6 * octets).saturating_sub(taken.0);
        Ahead { octets, bits: bits << (u64::BITS as usize - WIDTH + taken.0), len }
    }

    /// What comes next.
    pub(super) fn next(&self, taken: Taken) -> Next {
        let Some(first) = self.unit(0) else { return Next::Short };
        match (first, self.unit(1)) {
            (0xD800..=0xDBFF, None) => Next::Pending,
            (0xD800..=0xDBFF, Some(second @ 0xDC00..=0xDFFF)) => {
                let value = 0x1_0000 + ((first & 0x3FF) << 10 | second & 0x3FF);
                Next::character(value, taken.extent(2))
            }
            _ => Next::character(first, taken.extent(1)),
        }
    }

    /// Whether less than a unit is there and of that no bit is set.
    pub(super) fn is_blank(&self) -> bool {
        self.len < 16 && self.bits == 0
    }

    /// Whether the bits that are there are no more than pad a run to a whole octet.
    pub(super) fn is_padding(&self) -> bool {
        self.len < 6
    }

    fn unit(&self, index: usize) -> Option<u32> {
        let shift = u64::BITS as usize - 16 * (index + 1);
        (self.len >= 16 * (index + 1)).then_some((self.bits >> shift) as u32 & 0xFFFF)
    }
}

impl Next {
    fn character(value: u32, extent: Extent) -> Next {
        match char::from_u32(value) {
            Some(character) => Next::Character(character, extent),
            None => Next::Unpaired(extent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sets::BASE64;
    use super::*;

    #[test]
    fn three_units_take_up_eight_octets_as_the_table_says() {
        let mut taken = Taken::NONE;
        for (bits, octets, used_up, then) in [(0, 3, 2, 4), (4, 4, 3, 2), (2, 3, 3, 0)] {
            assert_eq!(taken, Taken(bits));
            let extent = taken.extent(1);
            assert_eq!(extent, Extent { octets, used_up, then: Taken(then) });
            taken = extent.then;
        }
    }

    #[test]
    fn six_octets_hold_a_pair_wherever_it_begins() {
        // U+10FFFF is DBFF DFFF; the bits in front of it are those of a unit before.
        for (src, taken) in [(b"2//f/8", 0), (b"Db/9//", 4), (b"Nv/3/8", 2)] {
            let taken = Taken(taken);
            let next = Ahead::new(src, taken, &BASE64).next(taken);
            assert!(
                matches!(next, Next::Character('\u{10FFFF}', extent) if extent.octets <= LONGEST),
                "{src:?} {next:?}"
            );
        }
    }
}
