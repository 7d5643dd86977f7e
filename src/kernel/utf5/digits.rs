//! The digits of values, reckoned four at a time in one word, which tables cannot do.

/// Four hexadecimal digits in the order they are written: `A` is seven places behind `9` + 1.
#[inline(always)]
fn four(value: u32, letters_from: u32, first: u32) -> u32 {
    let nibbles = value >> 12 & 0xF | value & 0xF00 | (value & 0xF0) << 12 | (value & 0xF) << 24;
    let letters = (nibbles + 0x0606_0606) >> 4 & letters_from;
    nibbles + 7 * letters + first
}

/// The four digits of 16 bits, the first of which begins a character.
#[inline(always)]
pub fn from_head(value: u32) -> [u8; 4] {
    four(value, 0x0101_0100, u32::from_le_bytes(*b"G000")).to_le_bytes()
}

/// The four digits of 16 bits inside a character.
#[inline(always)]
fn inside(value: u32) -> [u8; 4] {
    four(value, 0x0101_0101, u32::from_le_bytes(*b"0000")).to_le_bytes()
}

/// The spelling of a value: the first so many of eight octets.
#[inline(always)]
pub fn spell(value: u32) -> ([u8; 8], usize) {
    let len = count(value);
    let upmost = value << (u32::BITS as usize - 4 * len);
    let ([a, b, c, d], [e, f, g, h]) = (from_head(upmost >> 16), inside(upmost & 0xFFFF));
    ([a, b, c, d, e, f, g, h], len)
}

/// Hexadecimal digits of a value, at least one.
pub fn count(value: u32) -> usize {
    value.checked_ilog2().map_or(1, |bit| bit as usize / 4 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_21_bits_is_spelt_as_its_number_is_printed() {
        for value in (0..=0x1F_FFFF).chain([0x7FFF_FFFF, 0x9ABC_DEF0, u32::MAX]) {
            let printed = format!("{value:X}");
            let first = value >> (4 * (printed.len() - 1));
            let head = char::from(b'G' + first as u8);
            let (octets, len) = spell(value);
            assert_eq!(octets[..len], *format!("{head}{}", &printed[1..]).as_bytes());
        }
    }
}
