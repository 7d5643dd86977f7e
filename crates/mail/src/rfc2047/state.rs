//! Packs the state of a codec into the 64 bits of a [`State`](charpipe_encoding::codec::State), and unpacks it.

/// A sequence of small numbers in 64 bits, the first in the lowest bits.
///
/// One function that passes each field through the packer does both: it appends the fields to a
/// packer that was made by [`writer`](BitPacker::writer), and one that was made by
/// [`reader`](BitPacker::reader) returns those that were appended.
pub struct BitPacker {
    pub bits: u64,
    used: u32,
    writes: bool,
}

impl BitPacker {
    #[inline(always)]
    pub fn writer() -> BitPacker {
        BitPacker { bits: 0, used: 0, writes: true }
    }

    #[inline(always)]
    pub fn reader(bits: u64) -> BitPacker {
        BitPacker { bits, used: 0, writes: false }
    }

    /// Passes a number of up to `width` bits.
    #[inline(always)]
    pub fn number(&mut self, width: u32, value: u64) -> u64 {
        let shift = self.used;
        self.used += width;
        if self.writes {
            self.bits |= value << shift;
            return value;
        }
        self.bits >> shift & ((1 << width) - 1)
    }

    #[inline(always)]
    pub fn flag(&mut self, value: bool) -> bool {
        self.number(1, value.into()) == 1
    }

    /// Passes the value at `index` of all values. An index out of bounds reads as the first value.
    #[inline(always)]
    pub fn one_of<T: Copy>(&mut self, width: u32, all: &[T], index: usize) -> T {
        let index = self.number(width, index as u64) as usize;
        all[if index < all.len() { index } else { 0 }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(bits: &mut BitPacker, (number, flag, letter): (u64, bool, char)) -> (u64, bool, char) {
        (
            bits.number(12, number),
            bits.flag(flag),
            bits.one_of(2, &['a', 'b', 'c'], letter as usize - 'a' as usize),
        )
    }

    #[test]
    fn fields_are_read_as_they_were_written() {
        for fields in [(0, false, 'a'), (4095, true, 'c'), (1, false, 'b')] {
            let mut writer = BitPacker::writer();
            pass(&mut writer, fields);
            let found = pass(&mut BitPacker::reader(writer.bits), (7, true, 'b'));
            assert_eq!(found, fields);
        }
        assert_eq!(pass(&mut BitPacker::reader(u64::MAX), (0, false, 'b')), (4095, true, 'a'));
    }
}
