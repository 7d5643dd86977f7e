//! Units to text, in an order that is known.

use super::order::Order;
use crate::codec::{Progress, State};
use crate::fault::{Malformed, Why};
use crate::kernel;

/// The characters that go one by one before the kernel is asked again.
const FEW: usize = 16;

/// Decodes units of the order `O`, with surrogate pairs if `PAIRS`; faults go on in `then`.
#[inline]
pub fn decode<O: Order, const PAIRS: bool>(
    src: &[u8],
    dst: &mut [u8],
    end: bool,
    then: State,
) -> Progress<Malformed> {
    let (mut read, mut written) = (0, 0);
    loop {
        // The kernel comes second: it gets nowhere where faults stand side by side.
        for _ in 0..FEW {
            let (character, len) = match first::<O, PAIRS>(&src[read..], end) {
                First::Character(character, len) => (character, len),
                First::Unfinished => return Progress::input(read, written),
                First::IllFormed(len, why) => {
                    return Progress::fault(read, written, Malformed::new(len, why, then));
                }
            };
            if dst.len() - written < character.len_utf8() {
                return Progress::output(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += len;
        }
        let (octets, bytes) =
            kernel::utf16::decode(&src[read..], &mut dst[written..], O::BIG, PAIRS);
        read += octets;
        written += bytes;
    }
}

/// How many times the unit at the front, which is a fault, is one in a row.
pub fn repeats<O: Order, const PAIRS: bool>(src: &[u8]) -> usize {
    let (units, _) = src.as_chunks();
    let Some(&front) = units.first() else { return 1 };
    let same = units.iter().take_while(|unit| **unit == front).count();
    match O::unit(front) {
        // What stands behind the last of them may be its other half.
        0xD800..=0xDBFF if PAIRS => same.saturating_sub(1).max(1),
        0xD800..=0xDFFF => same,
        _ => 1,
    }
}

/// What stands at the front of the source.
enum First {
    /// A character, and its octets.
    Character(char, usize),
    /// Nothing, or what may yet become a character.
    Unfinished,
    /// No character, and its octets.
    IllFormed(usize, Why),
}

#[inline]
fn first<O: Order, const PAIRS: bool>(src: &[u8], end: bool) -> First {
    let Some(&octets) = src.first_chunk() else { return cut(src, end) };
    let unit = O::unit(octets);
    match unit {
        0xD800..=0xDFFF if !PAIRS => First::IllFormed(2, Why::Surrogate),
        0xD800..=0xDBFF => match src[2..].first_chunk() {
            None => cut(src, end),
            Some(&octets) => pair(unit, O::unit(octets)),
        },
        unit => char::from_u32(u32::from(unit))
            .map_or(First::IllFormed(2, Why::Unpaired), |character| First::Character(character, 2)),
    }
}

/// The source stops before its first character does.
fn cut(src: &[u8], end: bool) -> First {
    if end && !src.is_empty() {
        First::IllFormed(src.len(), Why::Truncated)
    } else {
        First::Unfinished
    }
}

fn pair(high: u16, next: u16) -> First {
    let bits = |unit: u16| u32::from(unit & 0x3FF);
    match char::from_u32(0x1_0000 + (bits(high) << 10 | bits(next))) {
        Some(character) if (0xDC00..=0xDFFF).contains(&next) => First::Character(character, 4),
        _ => First::IllFormed(2, Why::Unpaired),
    }
}
