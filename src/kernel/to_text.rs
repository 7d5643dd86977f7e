//! Units of other encodings to UTF-8, without a branch for a character.
//!
//! Of each unit the last octet of its UTF-8 form, those in front of it and how long it is are
//! worked out as if it were of every length, and then the octets that are wanted are brought
//! together.

use super::gather;
use super::simd::Simd;

/// Units of a vector.
const UNITS: usize = 8;

/// Octets that so many characters may take.
pub const ROOM: usize = 4 * UNITS;

/// Writes units if none is a surrogate; says how many octets.
#[inline(always)]
pub fn units<S: Simd>(s: S, units: S::Bytes, room: &mut [u8; ROOM]) -> Option<usize> {
    let two = up_to(s, units, 0x7FF);
    if s.mask8(two) == 0xFFFF {
        return Some(of_two(s, units, room));
    }
    let none = s.mask8(surrogates(s, units)) == 0;
    none.then(|| of_three(s, units, two, room))
}

/// The units that are surrogates.
#[inline(always)]
pub fn surrogates<S: Simd>(s: S, units: S::Bytes) -> S::Bytes {
    s.equal16(s.and(units, s.splat16(0xF800)), s.splat16(0xD800))
}

/// Writes units up to U+07FF; says how many octets.
#[inline(always)]
pub fn of_two<S: Simd>(s: S, units: S::Bytes, room: &mut [u8; ROOM]) -> usize {
    let ascii = up_to(s, units, 0x7F);
    let bits = s.or(s.down16::<6>(units), s.and(s.up16::<8>(units), s.splat16(0x3F00)));
    let octets = s.select(ascii, units, s.or(bits, s.splat16(0x80C0)));
    let single = s.mask8(s.pack16(s.and(ascii, s.splat16(0xFF)), s.splat8(0)));
    let (octets, len) = gather::pairs(s, octets, single);
    put(s, octets, room, 0);
    len
}

/// Writes units that are no surrogates; `two` are those up to U+07FF.
#[inline(always)]
fn of_three<S: Simd>(s: S, units: S::Bytes, two: S::Bytes, room: &mut [u8; ROOM]) -> usize {
    let ascii = up_to(s, units, 0x7F);
    let tails = tails(s, units, ascii, two);
    let first = s.or(s.down16::<12>(units), s.splat16(0xE0));
    write(s, tails, first, codes(s, ascii, two), room)
}

/// Writes units in which all surrogates, of which these are `lows`, stand in pairs: two octets each.
/// What stands `before` the units matters where a low one comes first.
#[inline(always)]
pub fn pairs<S: Simd>(
    s: S,
    before: S::Bytes,
    units: S::Bytes,
    surrogates: S::Bytes,
    lows: S::Bytes,
    room: &mut [u8; ROOM],
) -> usize {
    let splat = |value| s.splat16(value);
    let (ascii, two) = (up_to(s, units, 0x7F), up_to(s, units, 0x7FF));
    let plain = tails(s, units, ascii, two);

    // The third octet of a pair has two bits of the high surrogate.
    let high = s.window::<14>(before, units);
    let bits = s.up16::<4>(s.and(high, splat(0x03)));
    let low = s.or(s.and_not(plain, splat(0x30)), bits);

    // Its first two are wholly of the high one.
    let value = s.add16(s.and(units, splat(0x3FF)), splat(0x40));
    let second = s.and(s.up16::<6>(value), splat(0x3F00));
    let high = s.or(s.or(s.down16::<8>(value), second), splat(0x80F0));

    let tails = s.select(surrogates, s.select(lows, low, high), plain);
    let first = s.or(s.down16::<12>(units), splat(0xE0));
    write(s, tails, first, codes(s, ascii, s.or(two, surrogates)), room)
}

/// The units up to a limit.
#[inline(always)]
fn up_to<S: Simd>(s: S, units: S::Bytes, limit: u16) -> S::Bytes {
    s.equal16(s.min16(units, s.splat16(limit)), units)
}

/// The last two octets of each form, the last one high.
#[inline(always)]
fn tails<S: Simd>(s: S, units: S::Bytes, ascii: S::Bytes, two: S::Bytes) -> S::Bytes {
    let splat = |value| s.splat16(value);
    let up = s.up16::<8>(units);
    let bits = s.or(s.and(s.down16::<6>(units), splat(0x3F)), s.and(up, splat(0x3F00)));
    let marks = s.or(s.and(two, splat(0x40)), splat(0x8080));
    s.select(ascii, up, s.or(bits, marks))
}

/// The codes of lengths, two bits a unit.
#[inline(always)]
fn codes<S: Simd>(s: S, ascii: S::Bytes, two: S::Bytes) -> u32 {
    s.mask8(s.select(s.splat16(0xFF00), two, ascii))
}

/// Writes eight values of 32 bits that are characters; says how many octets.
#[inline(always)]
pub fn long<S: Simd>(s: S, a: S::Bytes, b: S::Bytes, room: &mut [u8; ROOM]) -> usize {
    let ([a, short_a], [b, short_b]) = (long_forms(s, a), long_forms(s, b));
    let codes = s.mask8(s.pack32(short_a, short_b));
    let (first, len) = gather::forms(s, a, codes);
    let (last, more) = gather::forms(s, b, codes >> 8);
    put(s, first, room, 0);
    put(s, last, room, len);
    len + more
}

/// Forms of four values, and where they are shorter than the longest: the two bits of the code as
/// two octets.
#[inline(always)]
fn long_forms<S: Simd>(s: S, values: S::Bytes) -> [S::Bytes; 2] {
    let splat = |value| s.splat32(value);
    let none_of = |bits| s.equal32(s.and(values, splat(bits)), splat(0));
    let (ascii, two, three) = (none_of(!0x7F), none_of(!0x7FF), none_of(!0xFFFF));
    let up = s.up32::<8>(values);
    let last = s.or(s.and(up, splat(0x3F00)), s.and(s.down32::<6>(values), splat(0x3F)));
    let first = s.or(
        s.and(s.up32::<4>(values), splat(0x3F_0000)),
        s.and(s.up32::<6>(values), splat(0x0700_0000)),
    );
    // A form of three has 60 more in its first octet, as what else has no more than 40 there.
    let marks = s.or(splat(0xF080_8080), s.and(two, splat(0x40)));
    let marks = s.or(marks, s.and(three, splat(0x60_0000)));
    let forms = s.select(ascii, up, s.or(s.or(first, last), marks));
    let four = s.and_not(splat(0xFF), three);
    let codes = s.or(s.or(s.and(ascii, splat(0xFF)), four), s.and(two, splat(0xFF00)));
    [forms, codes]
}

/// Writes eight forms.
#[inline(always)]
fn write<S: Simd>(
    s: S,
    tails: S::Bytes,
    fronts: S::Bytes,
    codes: u32,
    room: &mut [u8; ROOM],
) -> usize {
    let (first, len) = gather::forms(s, s.zip_low16(tails, fronts), codes);
    let (last, more) = gather::forms(s, s.zip_high16(tails, fronts), codes >> 8);
    put(s, first, room, 0);
    put(s, last, room, len);
    len + more
}

#[inline(always)]
fn put<S: Simd>(s: S, octets: S::Bytes, room: &mut [u8], at: usize) {
    if let Some(room) = room.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        s.store(octets, room);
    }
}
