//! The digits of values, reckoned four at a time in one word, which tables cannot do.

/// Four hexadecimal digits in the order they are written: `A` is seven positions after `9` + 1.
#[inline(always)]
fn hex4(value: u32, letters_from: u32, first: u32) -> u32 {
    let nibbles = value >> 12 & 0xF | value & 0xF00 | (value & 0xF0) << 12 | (value & 0xF) << 24;
    let letters = (nibbles + 0x0606_0606) >> 4 & letters_from;
    nibbles + 7 * letters + first
}

/// The four digits of 16 bits, the first of which begins a character.
#[inline(always)]
pub fn encode_leading(value: u32) -> [u8; 4] {
    hex4(value, 0x0101_0100, u32::from_le_bytes(*b"G000")).to_le_bytes()
}

/// The four digits of 16 bits inside a character.
#[inline(always)]
fn encode_trailing(value: u32) -> [u8; 4] {
    hex4(value, 0x0101_0101, u32::from_le_bytes(*b"0000")).to_le_bytes()
}

/// The spelling of a value: the first so many of eight bytes.
#[inline(always)]
pub fn encode_hex(value: u32) -> ([u8; 8], usize) {
    let len = digit_count(value);
    let upmost = value << (u32::BITS as usize - 4 * len);
    let ([a, b, c, d], [e, f, g, h]) =
        (encode_leading(upmost >> 16), encode_trailing(upmost & 0xFFFF));
    ([a, b, c, d, e, f, g, h], len)
}

/// Hexadecimal digits of a value, at least one.
pub fn digit_count(value: u32) -> usize {
    value.checked_ilog2().map_or(1, |bit| bit as usize / 4 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_21_bit_value_agrees_with_format() {
        for value in (0..=0x1F_FFFF).chain([0x7FFF_FFFF, 0x9ABC_DEF0, u32::MAX]) {
            let printed = format!("{value:X}");
            let first = value >> (4 * (printed.len() - 1));
            let head = char::from(b'G' + first as u8);
            let (bytes, len) = encode_hex(value);
            assert_eq!(bytes[..len], *format!("{head}{}", &printed[1..]).as_bytes());
        }
    }
}
