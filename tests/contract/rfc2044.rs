//! RFC 2044's form of 1 to 6 bytes, plainly.

/// The value's bytes.
pub fn byte_ranges(value: u32) -> Vec<u8> {
    let trails = match value {
        0..0x80 => return vec![value as u8],
        0x80..0x800 => 1,
        0x800..0x1_0000 => 2,
        0x1_0000..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        _ => 5,
    };
    // The lead has one bit set for each byte, then a clear one.
    let mark = 0xFF_u32 << (7 - trails) & 0xFF;
    let lead = mark | value >> (6 * trails);
    let trail = |index: u32| 0x80 | (value >> (6 * index) & 0x3F) as u8;
    std::iter::once(lead as u8).chain((0..trails).rev().map(trail)).collect()
}

/// Whether these are whole characters in shortest form, at most 7FFFFFFF and no surrogates.
pub fn is_well_formed(mut bytes: &[u8]) -> bool {
    while let Some(lead) = bytes.first() {
        let len = match lead.leading_ones() {
            0 => 1,
            ones @ 2..=6 => ones as usize,
            _ => return false,
        };
        let Some((character, rest)) = bytes.split_at_checked(len) else { return false };
        let bits = if len == 1 { 0x7F } else { 0x7F >> len };
        let first = u32::from(lead & bits);
        let value = character[1..].iter().fold(first, |sum, b| sum << 6 | u32::from(b & 0x3F));
        if (0xD800..0xE000).contains(&value) || byte_ranges(value) != character {
            return false;
        }
        bytes = rest;
    }
    true
}

#[test]
fn pivot_form_bounds_match_rfc_2044() {
    for (value, bytes) in [
        (0x7F, "\x7F".as_bytes()),
        (0x80, &[0xC2, 0x80]),
        (0x7FF, &[0xDF, 0xBF]),
        (0x800, &[0xE0, 0xA0, 0x80]),
        (0xFFFF, &[0xEF, 0xBF, 0xBF]),
        (0x1_0000, &[0xF0, 0x90, 0x80, 0x80]),
        (0x1F_FFFF, &[0xF7, 0xBF, 0xBF, 0xBF]),
        (0x20_0000, &[0xF8, 0x88, 0x80, 0x80, 0x80]),
        (0x3FF_FFFF, &[0xFB, 0xBF, 0xBF, 0xBF, 0xBF]),
        (0x400_0000, &[0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]),
        (0x7FFF_FFFF, &[0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]),
    ] {
        assert_eq!(self::byte_ranges(value), bytes, "{value:X}");
        assert!(is_well_formed(bytes));
        assert!(!is_well_formed(&bytes[..bytes.len() - 1]) || bytes.len() == 1);
    }
    for ill in [&[0xC1, 0xBF][..], &[0xED, 0xA0, 0x80], &[0x80], &[0xFE], &[0xE1, 0x41, 0x80]] {
        assert!(!is_well_formed(ill), "{ill:X?}");
    }
}
