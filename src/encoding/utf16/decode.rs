//! Units to text, in an order that is known.

use super::endian::Endian;
use crate::codec::{Progress, State};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::kernel;

/// The characters that go one by one before the kernel is asked again.
const SCALAR_LIMIT: usize = 16;

/// Decodes units of the order `O`, with surrogate pairs if `PAIRS`; errors go on in `then`.
#[inline]
pub fn decode<O: Endian, const PAIRS: bool>(
    src: &[u8],
    dst: &mut [u8],
    end: bool,
    then: State,
) -> Progress<Malformed> {
    let (mut read, mut written) = (0, 0);
    loop {
        // The kernel comes second: it gets nowhere where errors stand side by side.
        for _ in 0..SCALAR_LIMIT {
            let (character, len) = match read_first::<O, PAIRS>(&src[read..], end) {
                FirstUnit::Character(character, len) => (character, len),
                FirstUnit::Incomplete => return Progress::input_empty(read, written),
                FirstUnit::Malformed(len, reason) => {
                    return Progress::error(read, written, Malformed::new(len, reason, then));
                }
            };
            if dst.len() - written < character.len_utf8() {
                return Progress::output_full(read, written);
            }
            written += character.encode_utf8(&mut dst[written..]).len();
            read += len;
        }
        let (raw_bytes, bytes) =
            kernel::utf16::decode(&src[read..], &mut dst[written..], O::IS_BIG, PAIRS);
        read += raw_bytes;
        written += bytes;
    }
}

/// How many times the unit at the start, which is an error, is one in a row.
pub fn repeat_count<O: Endian, const PAIRS: bool>(src: &[u8]) -> usize {
    let (units, _) = src.as_chunks();
    let Some(&front) = units.first() else { return 1 };
    let same = units.iter().take_while(|unit| **unit == front).count();
    match O::unit_from_bytes(front) {
        // What stands after the last of them may be its other half.
        0xD800..=0xDBFF if PAIRS => same.saturating_sub(1).max(1),
        0xD800..=0xDFFF => same,
        _ => 1,
    }
}

/// What stands at the start of the source.
enum FirstUnit {
    /// A character, and its bytes.
    Character(char, usize),
    /// Nothing, or what may yet become a character.
    Incomplete,
    /// No character, and its bytes.
    Malformed(usize, MalformedReason),
}

#[inline]
fn read_first<O: Endian, const PAIRS: bool>(src: &[u8], end: bool) -> FirstUnit {
    let Some(&bytes) = src.first_chunk() else { return incomplete_or_truncated(src, end) };
    let unit = O::unit_from_bytes(bytes);
    match unit {
        0xD800..=0xDFFF if !PAIRS => FirstUnit::Malformed(2, MalformedReason::Surrogate),
        0xD800..=0xDBFF => match src[2..].first_chunk() {
            None => incomplete_or_truncated(src, end),
            Some(&raw_bytes) => read_pair(unit, O::unit_from_bytes(raw_bytes)),
        },
        unit => char::from_u32(u32::from(unit))
            .map_or(FirstUnit::Malformed(2, MalformedReason::UnpairedSurrogate), |character| {
                FirstUnit::Character(character, 2)
            }),
    }
}

/// The source stops before its first character does.
fn incomplete_or_truncated(src: &[u8], end: bool) -> FirstUnit {
    if end && !src.is_empty() {
        FirstUnit::Malformed(src.len(), MalformedReason::Truncated)
    } else {
        FirstUnit::Incomplete
    }
}

fn read_pair(high: u16, next: u16) -> FirstUnit {
    let bits = |unit: u16| u32::from(unit & 0x3FF);
    match char::from_u32(0x1_0000 + (bits(high) << 10 | bits(next))) {
        Some(character) if (0xDC00..=0xDFFF).contains(&next) => FirstUnit::Character(character, 4),
        _ => FirstUnit::Malformed(2, MalformedReason::UnpairedSurrogate),
    }
}
