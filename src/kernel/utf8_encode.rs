//! Units of other encodings to UTF-8, without a branch for a character.
//!
//! Of each unit the last byte of its UTF-8 form, those before it and how long it is are
//! worked out as if it were of every length, and then the bytes that are wanted are brought
//! together.

use super::compress;
use super::simd::Simd;

/// Units of a vector.
const LANES: usize = 8;

/// Bytes that so many characters may take.
pub const MAX_ENCODED_LEN: usize = 4 * LANES;

/// Writes units if none is a surrogate; says how many bytes.
#[inline(always)]
pub fn encode_units<S: Simd>(
    s: S,
    units: S::Bytes,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> Option<usize> {
    let two = le_mask(s, units, 0x7FF);
    if s.movemask8(two) == 0xFFFF {
        return Some(encode_2byte(s, units, output));
    }
    let none = s.movemask8(surrogate_mask(s, units)) == 0;
    none.then(|| encode_3byte(s, units, two, output))
}

/// The units that are surrogates.
#[inline(always)]
pub fn surrogate_mask<S: Simd>(s: S, units: S::Bytes) -> S::Bytes {
    s.eq16(s.and(units, s.splat16(0xF800)), s.splat16(0xD800))
}

/// Writes units up to U+07FF; says how many bytes.
#[inline(always)]
pub fn encode_2byte<S: Simd>(s: S, units: S::Bytes, output: &mut [u8; MAX_ENCODED_LEN]) -> usize {
    let ascii = le_mask(s, units, 0x7F);
    let bits = s.or(s.shr16::<6>(units), s.and(s.shl16::<8>(units), s.splat16(0x3F00)));
    let bytes = s.select(ascii, units, s.or(bits, s.splat16(0x80C0)));
    let single = s.movemask8(s.narrow16(s.and(ascii, s.splat16(0xFF)), s.splat8(0)));
    let (bytes, len) = compress::compress_1or2(s, bytes, single);
    store_at(s, bytes, output, 0);
    len
}

/// Writes units that are no surrogates; `two` are those up to U+07FF.
#[inline(always)]
fn encode_3byte<S: Simd>(
    s: S,
    units: S::Bytes,
    two: S::Bytes,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> usize {
    let ascii = le_mask(s, units, 0x7F);
    let tails = last_two_bytes(s, units, ascii, two);
    let first = s.or(s.shr16::<12>(units), s.splat16(0xE0));
    write_compressed(s, tails, first, length_codes(s, ascii, two), output)
}

/// Writes units in which all surrogates, of which these are `lows`, stand in pairs: two bytes each.
/// What stands `before` the units matters where a low one comes first.
#[inline(always)]
pub fn encode_surrogate_pairs<S: Simd>(
    s: S,
    before: S::Bytes,
    units: S::Bytes,
    surrogates: S::Bytes,
    lows: S::Bytes,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> usize {
    let splat = |value| s.splat16(value);
    let (ascii, two) = (le_mask(s, units, 0x7F), le_mask(s, units, 0x7FF));
    let plain = last_two_bytes(s, units, ascii, two);

    // The third byte of a pair has two bits of the high surrogate.
    let high = s.concat_bytes::<14>(before, units);
    let bits = s.shl16::<4>(s.and(high, splat(0x03)));
    let low = s.or(s.and_not(plain, splat(0x30)), bits);

    // Its first two are wholly of the high one.
    let value = s.add16(s.and(units, splat(0x3FF)), splat(0x40));
    let second = s.and(s.shl16::<6>(value), splat(0x3F00));
    let high = s.or(s.or(s.shr16::<8>(value), second), splat(0x80F0));

    let tails = s.select(surrogates, s.select(lows, low, high), plain);
    let first = s.or(s.shr16::<12>(units), splat(0xE0));
    write_compressed(s, tails, first, length_codes(s, ascii, s.or(two, surrogates)), output)
}

/// The units up to a limit.
#[inline(always)]
fn le_mask<S: Simd>(s: S, units: S::Bytes, limit: u16) -> S::Bytes {
    s.eq16(s.min16(units, s.splat16(limit)), units)
}

/// The last two bytes of each form, the last one high.
#[inline(always)]
fn last_two_bytes<S: Simd>(s: S, units: S::Bytes, ascii: S::Bytes, two: S::Bytes) -> S::Bytes {
    let splat = |value| s.splat16(value);
    let up = s.shl16::<8>(units);
    let bits = s.or(s.and(s.shr16::<6>(units), splat(0x3F)), s.and(up, splat(0x3F00)));
    let marks = s.or(s.and(two, splat(0x40)), splat(0x8080));
    s.select(ascii, up, s.or(bits, marks))
}

/// The codes of lengths, two bits a unit.
#[inline(always)]
fn length_codes<S: Simd>(s: S, ascii: S::Bytes, two: S::Bytes) -> u32 {
    s.movemask8(s.select(s.splat16(0xFF00), two, ascii))
}

/// Writes eight values of 32 bits that are characters; says how many bytes.
#[inline(always)]
pub fn encode_u32<S: Simd>(
    s: S,
    a: S::Bytes,
    b: S::Bytes,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> usize {
    let ([a, short_a], [b, short_b]) = (utf8_lanes_u32(s, a), utf8_lanes_u32(s, b));
    let codes = s.movemask8(s.narrow32(short_a, short_b));
    let (first, len) = compress::compress_utf8(s, a, codes);
    let (last, more) = compress::compress_utf8(s, b, codes >> 8);
    store_at(s, first, output, 0);
    store_at(s, last, output, len);
    len + more
}

/// Forms of four values, and where they are shorter than the longest: the two bits of the code as
/// two bytes.
#[inline(always)]
fn utf8_lanes_u32<S: Simd>(s: S, values: S::Bytes) -> [S::Bytes; 2] {
    let splat = |value| s.splat32(value);
    let none_of = |bits| s.eq32(s.and(values, splat(bits)), splat(0));
    let (ascii, two, three) = (none_of(!0x7F), none_of(!0x7FF), none_of(!0xFFFF));
    let up = s.shl32::<8>(values);
    let last = s.or(s.and(up, splat(0x3F00)), s.and(s.shr32::<6>(values), splat(0x3F)));
    let first = s.or(
        s.and(s.shl32::<4>(values), splat(0x3F_0000)),
        s.and(s.shl32::<6>(values), splat(0x0700_0000)),
    );
    // A form of three has 60 more in its first byte, as what else has no more than 40 there.
    let marks = s.or(splat(0xF080_8080), s.and(two, splat(0x40)));
    let marks = s.or(marks, s.and(three, splat(0x60_0000)));
    let forms = s.select(ascii, up, s.or(s.or(first, last), marks));
    let four = s.and_not(splat(0xFF), three);
    let codes = s.or(s.or(s.and(ascii, splat(0xFF)), four), s.and(two, splat(0xFF00)));
    [forms, codes]
}

/// Writes eight forms.
#[inline(always)]
fn write_compressed<S: Simd>(
    s: S,
    tails: S::Bytes,
    fronts: S::Bytes,
    codes: u32,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> usize {
    let (first, len) = compress::compress_utf8(s, s.zip_low16(tails, fronts), codes);
    let (last, more) = compress::compress_utf8(s, s.zip_high16(tails, fronts), codes >> 8);
    store_at(s, first, output, 0);
    store_at(s, last, output, len);
    len + more
}

#[inline(always)]
fn store_at<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8], at: usize) {
    if let Some(output) = output.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        s.store(bytes, output);
    }
}
