//! Blocks of the Basic Multilingual Plane, both ways and without a branch for a character.
//!
//! A block is worked out as a whole, what each of its places would be and how far that goes, and
//! then each place is written over what the one before it wrote too much. Which form comes next is
//! not asked, so text of mixed forms costs what text of one form does. A loop that asked was half
//! as fast on Cyrillic words in random order as on a text so short that a processor learns it by
//! heart, and a third slower there than this one.
//!
//! All forms are worked out before one is chosen, and each array has a loop of its own, which
//! leaves a compiler free to do many places at once. Blocks of 8 units were unrolled instead, and
//! decoded at little more than half the speed. Both ways are out of line, which leaves the callers'
//! loops over single characters their registers: words with emoji were encoded a tenth faster.
//!
//! Surrogates, characters above U+FFFF and what is too short for a block are left to the caller.

use super::order::Order;

/// Units of a block of UTF-16.
const UNITS: usize = 16;

/// Room for as many forms of 3 bytes, the last of which is written as 4.
const UNITS_ROOM: usize = 3 * UNITS + 1;

/// What each unit of a block is in UTF-8: up to 4 bytes, the first one lowest, and how many.
type Forms = ([u32; UNITS], [u8; UNITS]);

/// Decodes blocks that are not all ASCII; says bytes read and written.
#[inline(never)]
pub fn decode<O: Order>(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while let Some(octets) = src[read..].first_chunk::<{ 2 * UNITS }>()
        && let Some(room) = dst[written..].first_chunk_mut::<UNITS_ROOM>()
    {
        let units = units::<O>(octets);
        let ascii = units.iter().fold(0, |all, unit| all | unit) < 0x80;
        if ascii || units.iter().fold(false, |any, unit| any | is_surrogate(*unit)) {
            break;
        }
        written += write_forms(forms(&units), room);
        read += 2 * UNITS;
    }
    (read, written)
}

fn units<O: Order>(octets: &[u8; 2 * UNITS]) -> [u16; UNITS] {
    let mut units = [0; UNITS];
    for (unit, octets) in units.iter_mut().zip(octets.as_chunks().0) {
        *unit = O::unit(*octets);
    }
    units
}

fn is_surrogate(unit: u16) -> bool {
    unit & 0xF800 == 0xD800
}

/// Of units without surrogates.
fn forms(units: &[u16; UNITS]) -> Forms {
    (units.map(form), units.map(width))
}

fn form(unit: u16) -> u32 {
    let unit = u32::from(unit);
    let two = 0x80C0 | unit >> 6 | (unit & 0x3F) << 8;
    let three = 0x80_80E0 | unit >> 12 | (unit >> 6 & 0x3F) << 8 | (unit & 0x3F) << 16;
    if unit < 0x80 {
        unit
    } else if unit < 0x800 {
        two
    } else {
        three
    }
}

fn width(unit: u16) -> u8 {
    1 + u8::from(unit >= 0x80) + u8::from(unit >= 0x800)
}

/// Says how many bytes.
fn write_forms((forms, widths): Forms, room: &mut [u8; UNITS_ROOM]) -> usize {
    let mut at = 0;
    for (form, width) in forms.into_iter().zip(widths) {
        room[at..at + 4].copy_from_slice(&form.to_le_bytes());
        at += usize::from(width);
    }
    at
}

/// Bytes of a block of UTF-8.
const BYTES: usize = 32;

/// The same and the rest of a character that begins in its last byte.
const BYTES_SEEN: usize = BYTES + 2;

/// The unit that each byte of a block would begin, and 1 where it does, 0 where not.
type Values = ([u16; BYTES], [u8; BYTES]);

/// Encodes blocks that are not all ASCII; says bytes read and written.
///
/// `src` is UTF-8. A block may begin inside a character, whose units were written with its first
/// bytes.
#[inline(never)]
pub fn encode<O: Order>(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    while let Some(bytes) = src[read..].first_chunk::<BYTES_SEEN>()
        && let Some(room) = dst[written..].first_chunk_mut::<{ 2 * BYTES }>()
    {
        let block = &bytes[..BYTES];
        if block.is_ascii() || block.iter().fold(false, |any, byte| any | (*byte >= 0xF0)) {
            break;
        }
        written += write_units::<O>(&values(bytes), room);
        read += BYTES;
    }
    let inside = src[read..].iter().take_while(|byte| is_trail(**byte)).count();
    (read + inside, written)
}

fn is_trail(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Of bytes without leads of 4.
fn values(bytes: &[u8; BYTES_SEEN]) -> Values {
    let (mut values, mut counts) = ([0; BYTES], [0; BYTES]);
    for (at, value) in values.iter_mut().enumerate() {
        *value = value_of([bytes[at], bytes[at + 1], bytes[at + 2]].map(u16::from));
    }
    for (count, byte) in counts.iter_mut().zip(bytes) {
        *count = u8::from(!is_trail(*byte));
    }
    (values, counts)
}

fn value_of([lead, second, third]: [u16; 3]) -> u16 {
    let two = (lead & 0x1F) << 6 | second & 0x3F;
    let three = lead << 12 | (second & 0x3F) << 6 | third & 0x3F;
    if lead < 0x80 {
        lead
    } else if lead < 0xE0 {
        two
    } else {
        three
    }
}

/// Says how many bytes.
///
/// Out of line, where the arrays are in memory: taking each place out of a vector was a sixth
/// slower.
#[inline(never)]
fn write_units<O: Order>((values, counts): &Values, room: &mut [u8; 2 * BYTES]) -> usize {
    let (room, _) = room.as_chunks_mut::<2>();
    let mut at = 0;
    for (value, count) in values.iter().zip(counts) {
        room[at % BYTES] = O::octets(*value);
        at += usize::from(*count);
    }
    2 * at
}
