//! The ranges of the four-byte codes of GB 18030.

use crate::archive;

/// Linear indexes below this one are of plane 0.
const PLANE_1_START: u32 = 189_000;

/// Returns the ranges of a map: the first linear index and code point of each, in 16 bits.
pub fn pack_ranges(map: &str) -> Vec<u8> {
    let map = archive::map(map);
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    let mut next = (0, 0);
    for (code, text) in map.decode.iter().filter(|(code, _)| code.len() == 4) {
        let number = linear_index(code);
        if number >= PLANE_1_START {
            break;
        }
        let value = text.chars().next().map_or(0, u32::from);
        if number != next.0 {
            ranges.push((next.0, 0));
        }
        if (number, value) != next {
            ranges.push((number, value));
        }
        next = (number + 1, value + 1);
    }
    ranges.push((next.0, 0));
    let halves = |(number, value): (u32, u32)| [number as u16, value as u16];
    ranges.into_iter().flat_map(halves).flat_map(u16::to_le_bytes).collect()
}

fn linear_index(code: &[u8]) -> u32 {
    let positions = [(0x81, 12_600), (0x30, 1260), (0x81, 10), (0x30, 1)];
    code.iter().zip(positions).map(|(byte, (first, weight))| u32::from(byte - first) * weight).sum()
}
