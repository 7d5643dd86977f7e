//! UTF-16 code units and UTF-32 values to UTF-8, without a branch per character.
//!
//! For each code unit the last two bytes of its UTF-8 sequence, the bytes before them and its
//! length are computed as if it had any length, and then the bytes that exist are packed.

use super::compress;
use super::simd::{DoubleBytes, Lanes, Simd, WIDE_WIDTH, WIDTH, WideSimd};

/// The number of code units in a vector.
const LANES: usize = 8;

/// The maximum length of `LANES` characters in bytes.
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
pub fn surrogate_mask<L: Lanes>(l: L, units: L::Bytes) -> L::Bytes {
    l.eq16(l.and(units, l.splat16(0xF800)), l.splat16(0xD800))
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
pub fn two_byte_sequences<L: Lanes>(l: L, units: L::Bytes) -> L::Bytes {
    let bits = l.or(l.shr16::<6>(units), l.and(l.shl16::<8>(units), l.splat16(0x3F00)));
    l.or(bits, l.splat16(0x80C0))
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
fn three_byte_leads<L: Lanes>(l: L, units: L::Bytes) -> L::Bytes {
    l.or(l.shr16::<12>(units), l.splat16(0xE0))
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
fn le_mask<L: Lanes>(l: L, units: L::Bytes, limit: u16) -> L::Bytes {
    l.eq16(l.min16(units, l.splat16(limit)), units)
}

/// Returns the last two bytes of each sequence, the last byte high.
#[inline(always)]
fn last_two_bytes<L: Lanes>(l: L, units: L::Bytes, ascii: L::Bytes, two: L::Bytes) -> L::Bytes {
    let splat = |value| l.splat16(value);
    let up = l.shl16::<8>(units);
    let bits = l.or(l.and(l.shr16::<6>(units), splat(0x3F)), l.and(up, splat(0x3F00)));
    let tags = l.or(l.and(two, splat(0x40)), splat(0x8080));
    l.select(ascii, up, l.or(bits, tags))
}

/// Returns the length codes of [`compress::compress_utf8`] from the masks of units of one byte and
/// of up to two bytes.
#[inline(always)]
fn length_codes<L: Lanes>(l: L, ascii: L::Bytes, two: L::Bytes) -> u32 {
    l.movemask8(l.select(l.splat16(0xFF00), two, ascii))
}

/// The output capacity that a step of 32 bytes needs.
pub const MAX_DOUBLE_OUTPUT: usize = 2 * MAX_ENCODED_LEN;

/// 16 characters.
pub enum DoubleUnits<S: Simd> {
    /// ASCII.
    Ascii(S::Bytes),
    /// Code units that are not all ASCII.
    Units(DoubleBytes<S>),
    /// Values above U+FFFF among them.
    Long,
}

/// The number of ASCII steps in a row after which [`encode_doubles`] returns.
const MAX_ASCII_STEPS: usize = 4;

/// Encodes 16 code units at a time as `load` returns them, up to a surrogate or a value above U+FFFF, or
/// to a run of ASCII. Returns the numbers of bytes read and written, and whether there is a run of ASCII.
///
/// Without the test for ASCII, a step of Western text takes half as long again.
#[inline(always)]
pub fn encode_doubles<S: Simd, const LEN: usize>(
    s: S,
    src: &[u8],
    dst: &mut [u8],
    load: impl Fn(&[u8; LEN]) -> DoubleUnits<S>,
) -> (usize, usize, bool) {
    let space = dst.len();
    let (mut input, mut output) = (src, dst);
    let mut ascii_steps = 0;
    while ascii_steps < MAX_ASCII_STEPS {
        let Some((bytes, rest)) = input.split_first_chunk() else { break };
        let Some(to) = output.first_chunk_mut() else { break };
        let count = match load(bytes) {
            DoubleUnits::Ascii(bytes) => {
                store_at(s, bytes, to, 0);
                ascii_steps += 1;
                WIDTH
            }
            DoubleUnits::Units(units) => {
                let Some(count) = encode_double(s, units, to) else { break };
                ascii_steps = 0;
                count
            }
            DoubleUnits::Long => break,
        };
        input = rest;
        output = &mut output[count..];
    }
    (src.len() - input.len(), space - output.len(), ascii_steps == MAX_ASCII_STEPS)
}

/// Narrows 16 code units that are ASCII.
#[inline(always)]
pub fn narrow_ascii<S: Simd>(s: S, units: DoubleBytes<S>) -> DoubleUnits<S> {
    let [first, last] = s.split(units);
    DoubleUnits::Ascii(s.narrow16(first, last))
}

/// Encodes 16 code units and returns the number of bytes written, or `None` if one is a surrogate.
#[inline(always)]
fn encode_double<S: Simd>(
    s: S,
    units: DoubleBytes<S>,
    output: &mut [u8; MAX_DOUBLE_OUTPUT],
) -> Option<usize> {
    let d = s.double();
    let (ascii, two) = (le_mask(d, units, 0x7F), le_mask(d, units, 0x7FF));
    if d.movemask8(two) == u32::MAX {
        return Some(encode_double_2byte(s, units, output));
    }
    if d.movemask8(surrogate_mask(d, units)) != 0 {
        return None;
    }
    let tails = last_two_bytes(d, units, ascii, two);
    let (leads, codes) = (three_byte_leads(d, units), length_codes(d, ascii, two));
    // Each has four sequences of both halves.
    let [first, third] = s.split(d.zip_low16(tails, leads));
    let [second, last] = s.split(d.zip_high16(tails, leads));
    let mut written = 0;
    for (index, sequences) in [first, second, third, last].into_iter().enumerate() {
        let (bytes, len) = compress::compress_utf8(s, sequences, codes >> (8 * index));
        store_at(s, bytes, output, written);
        written += len;
    }
    Some(written)
}

/// Encodes 16 code units up to U+07FF and returns the number of bytes written.
#[inline(always)]
pub fn encode_double_2byte<S: Simd>(
    s: S,
    units: DoubleBytes<S>,
    output: &mut [u8; MAX_DOUBLE_OUTPUT],
) -> usize {
    let d = s.double();
    let ascii = le_mask(d, units, 0x7F);
    let [first, last] = s.split(d.select(ascii, units, two_byte_sequences(d, units)));
    let single = d.movemask8(d.narrow16(d.and(ascii, d.splat16(0xFF)), d.splat8(0)));
    let (first, len) = compress::compress_1or2(s, first, single);
    let (last, more) = compress::compress_1or2(s, last, single >> 16);
    store_at(s, first, output, 0);
    store_at(s, last, output, len);
    len + more
}

/// Encodes eight 32-bit scalar values and returns the number of bytes written.
#[inline(always)]
pub fn encode_u32<S: Simd>(
    s: S,
    values: DoubleBytes<S>,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> usize {
    let d = s.double();
    let [sequences, short] = utf8_lanes_u32(d, values);
    let codes = d.movemask8(d.narrow32(short, d.splat8(0)));
    let [first, last] = s.split(sequences);
    let (first, len) = compress::compress_utf8(s, first, codes);
    let (last, more) = compress::compress_utf8(s, last, codes >> 16);
    store_at(s, first, output, 0);
    store_at(s, last, output, len);
    len + more
}

/// Returns the UTF-8 sequences of values, in the layout of [`compress::compress_utf8`], and
/// their length codes, each bit as a byte.
#[inline(always)]
fn utf8_lanes_u32<L: Lanes>(l: L, values: L::Bytes) -> [L::Bytes; 2] {
    let splat = |value| l.splat32(value);
    let ascii = l.eq32(l.and(values, splat(!0x7F)), splat(0));
    let two = l.eq32(l.and(values, splat(!0x7FF)), splat(0));
    let three = l.eq32(l.and(values, splat(!0xFFFF)), splat(0));
    let up = l.shl32::<8>(values);
    let last = l.or(l.and(up, splat(0x3F00)), l.and(l.shr32::<6>(values), splat(0x3F)));
    let first = l.or(
        l.and(l.shl32::<4>(values), splat(0x3F_0000)),
        l.and(l.shl32::<6>(values), splat(0x0700_0000)),
    );
    // The lead byte of three bytes has 0x60 more; all other bits there are at most 0x40.
    let tags = l.or(splat(0xF080_8080), l.and(two, splat(0x40)));
    let tags = l.or(tags, l.and(three, splat(0x60_0000)));
    let sequences = l.select(ascii, up, l.or(l.or(first, last), tags));
    let four = l.and_not(splat(0xFF), three);
    let codes = l.or(l.or(l.and(ascii, splat(0xFF)), four), l.and(two, splat(0xFF00)));
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

/// The output capacity that a step of 64 bytes needs.
pub const MAX_WIDE_OUTPUT: usize = 2 * WIDE_WIDTH;

/// A byte that UTF-8 does not have: marks the bytes of a wide vector that are not written.
const ABSENT: u8 = 0xFF;

/// For each byte of eight, the first bit of its part of a code unit, or of a 32-bit value.
const UNIT_PARTS: [u8; 16] = [6, 0, 22, 16, 38, 32, 54, 48, 6, 0, 22, 16, 38, 32, 54, 48];
const VALUE_PARTS: [u8; 16] = [18, 12, 6, 0, 50, 44, 38, 32, 18, 12, 6, 0, 50, 44, 38, 32];

/// Encodes 32 code units and returns the number of bytes written, or `None` if one is a surrogate.
#[inline(always)]
pub fn encode_wide<W: WideSimd>(
    w: W,
    units: W::Bytes,
    output: &mut [u8; MAX_WIDE_OUTPUT],
) -> Option<usize> {
    let long = w.at_least16(units, w.splat16(0x80));
    let three = w.at_least16(units, w.splat16(0x800));
    if three == 0 {
        return Some(encode_wide_2byte(w, units, long, output));
    }
    if wide_surrogates(w, units, 0xF800, 0xD800) != 0 {
        return None;
    }
    let lower = wide_sequences(w, w.widen16(units), long as u16, three as u16, 0);
    let upper = w.widen16(w.upper_half(units));
    let upper = wide_sequences(w, upper, (long >> 16) as u16, (three >> 16) as u16, 0);
    Some(write_wide(w, lower, upper, output))
}

/// Encodes 32 code units, or 31 if the last one is a high surrogate. `next` is the unit after each.
/// Returns the numbers of units read and bytes written, or `None` if a surrogate is unpaired.
#[inline(always)]
pub fn encode_wide_pairs<W: WideSimd>(
    w: W,
    units: W::Bytes,
    next: W::Bytes,
    output: &mut [u8; MAX_WIDE_OUTPUT],
) -> Option<(usize, usize)> {
    let long = w.at_least16(units, w.splat16(0x80));
    let three = w.at_least16(units, w.splat16(0x800));
    let high = wide_surrogates(w, units, 0xFC00, 0xD800);
    let low = wide_surrogates(w, units, 0xFC00, 0xDC00);
    if low != high << 1 {
        return None;
    }
    let absent = low | high & 1 << 31;
    let lower = PairHalf { units, next, high, long, three, absent };
    let upper = PairHalf {
        units: w.upper_half(units),
        next: w.upper_half(next),
        high: high >> 16,
        long: long >> 16,
        three: three >> 16,
        absent: absent >> 16,
    };
    Some((
        32 - (high >> 31) as usize,
        write_wide(w, lower.sequences(w), upper.sequences(w), output),
    ))
}

/// The first 16 of these code units, with bits for the units that are high surrogates, from U+0080,
/// from U+0800, and not written.
struct PairHalf<B> {
    units: B,
    /// The code unit after each.
    next: B,
    high: u32,
    long: u32,
    three: u32,
    absent: u32,
}

impl<B: Copy> PairHalf<B> {
    /// Returns the UTF-8 sequences, those of pairs in the lanes of high surrogates.
    #[inline(always)]
    fn sequences<W: WideSimd<Bytes = B>>(self, w: W) -> B {
        /// Removes the bits that mark surrogates, and adds 0x1_0000.
        const OFFSET: u32 = 0x1_0000_u32.wrapping_sub((0xD800 << 10) + 0xDC00);
        let (units, next) = (w.widen16(self.units), w.widen16(self.next));
        let pairs = w.add32(w.add32(w.shl32::<10>(units), next), w.splat32(OFFSET));
        let high = self.high as u16;
        let values = w.select32(high, pairs, units);
        let sequences = wide_sequences(w, values, self.long as u16, self.three as u16, high);
        w.select32(self.absent as u16, w.splat8(ABSENT), sequences)
    }
}

/// Encodes 32 scalar values in two vectors and returns the number of bytes written, or `None` if one
/// is invalid.
#[inline(always)]
pub fn encode_wide_u32<W: WideSimd>(
    w: W,
    values: [W::Bytes; 2],
    output: &mut [u8; MAX_WIDE_OUTPUT],
) -> Option<usize> {
    /// The first 16 bits of each 32.
    const EVEN_UNITS: [u8; WIDE_WIDTH] = {
        let mut indexes = [0; WIDE_WIDTH];
        let mut lane = 0;
        while lane < WIDE_WIDTH {
            indexes[lane] = (lane / 2 * 4 + lane % 2) as u8;
            lane += 1;
        }
        indexes
    };
    let (long, three) = (wide_at_least(w, values, 0x80), wide_at_least(w, values, 0x800));
    let [a, b] = values;
    if three == [0; 2] {
        let units = w.permute8_of_2(a, b, w.load(&EVEN_UNITS));
        let long = u32::from(long[1]) << 16 | u32::from(long[0]);
        return Some(encode_wide_2byte(w, units, long, output));
    }
    let (four, beyond) = (wide_at_least(w, values, 0x1_0000), wide_at_least(w, values, 0x11_0000));
    let surrogates = values.map(
        #[inline(always)]
        |values| w.eq32(w.and(values, w.splat32(0xFFFF_F800)), w.splat32(0xD800)),
    );
    if beyond[0] | beyond[1] | surrogates[0] | surrogates[1] != 0 {
        return None;
    }
    let a = wide_sequences(w, a, long[0], three[0], four[0]);
    let b = wide_sequences(w, b, long[1], three[1], four[1]);
    Some(write_wide(w, a, b, output))
}

/// Returns the values of two vectors that are not below a limit.
#[inline(always)]
fn wide_at_least<W: WideSimd>(w: W, [a, b]: [W::Bytes; 2], limit: u32) -> [u16; 2] {
    [w.at_least32(a, w.splat32(limit)), w.at_least32(b, w.splat32(limit))]
}

/// Encodes 32 code units up to U+07FF; `long` are those from U+0080. Returns the number of bytes
/// written.
#[inline(always)]
pub fn encode_wide_2byte<W: WideSimd>(
    w: W,
    units: W::Bytes,
    long: u32,
    output: &mut [u8; MAX_WIDE_OUTPUT],
) -> usize {
    let parts = w.and(w.multishift8(w.load_repeated(&UNIT_PARTS), units), w.splat8(0x3F));
    let pairs = w.or(parts, w.splat16(0x80C0));
    let single = w.or(w.shl16::<8>(units), w.splat16(ABSENT.into()));
    let bytes = w.select16(long, pairs, single);
    store_wide_at(w, w.compress8(present(w, bytes), bytes), output, 0);
    WIDE_WIDTH / 2 + long.count_ones() as usize
}

/// Returns the code units whose bits in `mask` are `value`.
#[inline(always)]
fn wide_surrogates<W: WideSimd>(w: W, units: W::Bytes, mask: u16, value: u16) -> u32 {
    w.eq16(w.and(units, w.splat16(mask)), w.splat16(value))
}

/// Returns the UTF-8 sequences of 16 values, right-aligned in their lanes, with [`ABSENT`] before
/// them. `long`, `three` and `four` are those from U+0080, from U+0800 and from U+10000.
#[inline(always)]
fn wide_sequences<W: WideSimd>(
    w: W,
    values: W::Bytes,
    long: u16,
    three: u16,
    four: u16,
) -> W::Bytes {
    let parts = w.and(w.multishift8(w.load_repeated(&VALUE_PARTS), values), w.splat8(0x3F));
    let tags = w.select32(three, w.splat32(0x8080_E0FF), w.splat32(0x80C0_FFFF));
    let tags = w.select32(four, w.splat32(0x8080_80F0), tags);
    let single = w.or(w.shl32::<24>(values), w.splat32(0x00FF_FFFF));
    w.select32(long, w.or(parts, tags), single)
}

/// Returns the bytes that are not [`ABSENT`].
#[inline(always)]
fn present<W: WideSimd>(w: W, bytes: W::Bytes) -> u64 {
    !w.eq8(bytes, w.splat8(ABSENT))
}

/// Writes the present bytes of two vectors and returns their number.
#[inline(always)]
fn write_wide<W: WideSimd>(
    w: W,
    lower: W::Bytes,
    upper: W::Bytes,
    output: &mut [u8; MAX_WIDE_OUTPUT],
) -> usize {
    let (first, last) = (present(w, lower), present(w, upper));
    let len = first.count_ones() as usize;
    store_wide_at(w, w.compress8(first, lower), output, 0);
    store_wide_at(w, w.compress8(last, upper), output, len);
    len + last.count_ones() as usize
}

/// Writes a wide vector at an offset, if the output has space for all of it.
#[inline(always)]
pub fn store_wide_at<W: WideSimd>(w: W, bytes: W::Bytes, output: &mut [u8], at: usize) {
    if let Some(output) = output.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        w.store(bytes, output);
    }
}
