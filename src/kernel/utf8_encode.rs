//! UTF-16 code units and UTF-32 values to UTF-8, without a branch per character.
//!
//! For each code unit the last two bytes of its UTF-8 sequence, the bytes before them and its
//! length are computed as if it had any length, and then the bytes that exist are packed.

use super::compress;
use super::simd::Simd;

/// The number of code units in a vector.
const LANES: usize = 8;

/// The maximum length of [`LANES`] characters in bytes.
pub const MAX_ENCODED_LEN: usize = 4 * LANES;

/// Encodes eight code units and returns the number of bytes written, or `None` if one is a
/// surrogate.
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
    none.then(|| encode_3byte(s, units, output))
}

/// Returns a mask of the code units that are surrogates.
#[inline(always)]
pub fn surrogate_mask<S: Simd>(s: S, units: S::Bytes) -> S::Bytes {
    s.eq16(s.and(units, s.splat16(0xF800)), s.splat16(0xD800))
}

/// Encodes eight code units up to U+07FF and returns the number of bytes written.
#[inline(always)]
pub fn encode_2byte<S: Simd>(s: S, units: S::Bytes, output: &mut [u8; MAX_ENCODED_LEN]) -> usize {
    let ascii = le_mask(s, units, 0x7F);
    let bytes = s.select(ascii, units, two_byte_sequences(s, units));
    let single = s.movemask8(s.narrow16(s.and(ascii, s.splat16(0xFF)), s.splat8(0)));
    let (bytes, len) = compress::compress_1or2(s, bytes, single);
    store_at(s, bytes, output, 0);
    len
}

/// Returns the UTF-8 of eight code units from U+0080 to U+07FF, two bytes each.
#[inline(always)]
pub fn two_byte_sequences<S: Simd>(s: S, units: S::Bytes) -> S::Bytes {
    let bits = s.or(s.shr16::<6>(units), s.and(s.shl16::<8>(units), s.splat16(0x3F00)));
    s.or(bits, s.splat16(0x80C0))
}

/// Returns the UTF-8 of eight code units from U+0800, three bytes each: four in each vector.
#[inline(always)]
pub fn three_byte_sequences<S: Simd>(s: S, units: S::Bytes) -> [S::Bytes; 2] {
    let zero = s.splat8(0);
    let tails = last_two_bytes(s, units, zero, zero);
    let leads = three_byte_leads(s, units);
    let (first, _) = compress::compress_utf8(s, s.zip_low16(tails, leads), 0);
    let (last, _) = compress::compress_utf8(s, s.zip_high16(tails, leads), 0);
    [first, last]
}

/// Encodes eight code units, none of which is a surrogate, and returns the number of bytes written.
#[inline(always)]
pub fn encode_3byte<S: Simd>(s: S, units: S::Bytes, output: &mut [u8; MAX_ENCODED_LEN]) -> usize {
    let (ascii, two) = (le_mask(s, units, 0x7F), le_mask(s, units, 0x7FF));
    let tails = last_two_bytes(s, units, ascii, two);
    write_compressed(s, tails, three_byte_leads(s, units), length_codes(s, ascii, two), output)
}

/// Returns the lead bytes of three-byte sequences, in the low byte of each lane.
#[inline(always)]
fn three_byte_leads<S: Simd>(s: S, units: S::Bytes) -> S::Bytes {
    s.or(s.shr16::<12>(units), s.splat16(0xE0))
}

/// Returns the number of bytes that each code unit takes in UTF-8, two bits a unit, the first unit
/// lowest: 3 is one byte, 2 two bytes and 0 three bytes.
#[inline(always)]
pub fn unit_length_codes<S: Simd>(s: S, units: S::Bytes) -> u32 {
    length_codes(s, le_mask(s, units, 0x7F), le_mask(s, units, 0x7FF))
}

/// Encodes code units with surrogate pairs: two bytes for each half. All surrogates must be in
/// pairs; `lows` are the low ones. `before` has the previous vector, for a pair across the
/// boundary. Returns the number of bytes written.
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
    let unpaired = last_two_bytes(s, units, ascii, two);

    // The third byte of the sequence has two bits of the high surrogate.
    let high = s.concat_bytes::<14>(before, units);
    let bits = s.shl16::<4>(s.and(high, splat(0x03)));
    let low = s.or(s.and_not(unpaired, splat(0x30)), bits);

    // Its first two bytes come from the high surrogate alone.
    let value = s.add16(s.and(units, splat(0x3FF)), splat(0x40));
    let second = s.and(s.shl16::<6>(value), splat(0x3F00));
    let high = s.or(s.or(s.shr16::<8>(value), second), splat(0x80F0));

    let tails = s.select(surrogates, s.select(lows, low, high), unpaired);
    let codes = length_codes(s, ascii, s.or(two, surrogates));
    write_compressed(s, tails, three_byte_leads(s, units), codes, output)
}

/// Returns a mask of the code units up to a limit.
#[inline(always)]
fn le_mask<S: Simd>(s: S, units: S::Bytes, limit: u16) -> S::Bytes {
    s.eq16(s.min16(units, s.splat16(limit)), units)
}

/// Returns the last two bytes of each sequence, the last byte high.
#[inline(always)]
fn last_two_bytes<S: Simd>(s: S, units: S::Bytes, ascii: S::Bytes, two: S::Bytes) -> S::Bytes {
    let splat = |value| s.splat16(value);
    let up = s.shl16::<8>(units);
    let bits = s.or(s.and(s.shr16::<6>(units), splat(0x3F)), s.and(up, splat(0x3F00)));
    let tags = s.or(s.and(two, splat(0x40)), splat(0x8080));
    s.select(ascii, up, s.or(bits, tags))
}

/// Returns the length codes of [`compress::compress_utf8`] from the masks of units of one byte and
/// of up to two bytes.
#[inline(always)]
fn length_codes<S: Simd>(s: S, ascii: S::Bytes, two: S::Bytes) -> u32 {
    s.movemask8(s.select(s.splat16(0xFF00), two, ascii))
}

/// Encodes eight 32-bit scalar values and returns the number of bytes written.
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

/// Returns the UTF-8 sequences of four values, in the layout of [`compress::compress_utf8`], and
/// their length codes, each bit as a byte.
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
    // The lead byte of three bytes has 0x60 more; all other bits there are at most 0x40.
    let tags = s.or(splat(0xF080_8080), s.and(two, splat(0x40)));
    let tags = s.or(tags, s.and(three, splat(0x60_0000)));
    let sequences = s.select(ascii, up, s.or(s.or(first, last), tags));
    let four = s.and_not(splat(0xFF), three);
    let codes = s.or(s.or(s.and(ascii, splat(0xFF)), four), s.and(two, splat(0xFF00)));
    [sequences, codes]
}

/// Packs and writes eight sequences. Returns the number of bytes written.
#[inline(always)]
fn write_compressed<S: Simd>(
    s: S,
    tails: S::Bytes,
    leads: S::Bytes,
    codes: u32,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> usize {
    let (first, len) = compress::compress_utf8(s, s.zip_low16(tails, leads), codes);
    let (last, more) = compress::compress_utf8(s, s.zip_high16(tails, leads), codes >> 8);
    store_at(s, first, output, 0);
    store_at(s, last, output, len);
    len + more
}

/// Writes a vector at an offset, if the output has space for all of it.
#[inline(always)]
pub fn store_at<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8], at: usize) {
    if let Some(output) = output.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        s.store(bytes, output);
    }
}
