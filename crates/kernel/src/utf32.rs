//! UTF-32 to and from UTF-8.

use super::simd::{
    self, AsArrays, DOUBLE_WIDTH, DoubleBytes, Kernel, Lanes, Simd, WIDE_WIDTH, WIDTH, WideSimd,
};
use super::utf8_decode::{
    self, Block, FromUnvalidatedKernel, FromUtf8Kernel, UnitLanes, UnitSink, at_least,
};
use super::utf8_decode_wide::{WideBlock, WideUnits};
use super::utf8_encode::{self, DoubleUnits, MAX_ENCODED_LEN, MAX_WIDE_OUTPUT};

/// Decodes a prefix of `src` while `dst` has space left, up to the first invalid value. Returns the
/// numbers of bytes read and written.
pub fn decode(src: &[u8], dst: &mut [u8], big: bool) -> (usize, usize) {
    if big {
        simd::run(Utf32DecodeKernel::<true> { src, dst })
    } else {
        simd::run(Utf32DecodeKernel::<false> { src, dst })
    }
}

/// Decodes UTF-32, big-endian if `BIG`.
struct Utf32DecodeKernel<'a, const BIG: bool> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

/// The number of values in a block.
const BLOCK_VALUES: usize = DOUBLE_WIDTH / 4;

/// The number of blocks tested for ASCII at once.
const ASCII_GROUP_BLOCKS: usize = 4;

/// The number of single blocks, which are for values above U+FFFF and the end, before two are tried
/// again.
const BLOCKS_PER_DOUBLE_TEST: usize = 4;

impl<const BIG: bool> Kernel for Utf32DecodeKernel<'_, BIG> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Utf32DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'text: loop {
            let ascii = decode_ascii::<S, BIG>(s, &src[read..], &mut dst[written..]);
            read += 4 * ascii;
            written += ascii;
            let (more_read, more_written, is_ascii) = utf8_encode::encode_doubles(
                s,
                &src[read..],
                &mut dst[written..],
                #[inline(always)]
                |blocks| load_units::<S, BIG>(s, blocks),
            );
            read += more_read;
            written += more_written;
            if is_ascii {
                continue;
            }
            for _ in 0..BLOCKS_PER_DOUBLE_TEST {
                let Some(bytes) = src[read..].first_chunk() else { break 'text };
                let Some(output) = dst[written..].first_chunk_mut() else { break 'text };
                let Some(count) = decode_block::<S, BIG>(s, bytes, output) else { break 'text };
                read += DOUBLE_WIDTH;
                written += count;
            }
        }
        (read, written)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let Utf32DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'text: loop {
            let ascii = decode_ascii_wide::<W, BIG>(w, &src[read..], &mut dst[written..]);
            read += 4 * ascii;
            written += ascii;
            for _ in 0..WIDE_BLOCKS_PER_ASCII_TEST {
                let Some(bytes) = src[read..].first_chunk() else { break 'text };
                let Some(output) = dst[written..].first_chunk_mut::<MAX_WIDE_OUTPUT>() else {
                    break 'text;
                };
                let values = load_wide_values::<W, BIG>(w, bytes);
                let Some(count) = utf8_encode::encode_wide_u32(w, values, output) else {
                    break 'text;
                };
                read += WIDE_BLOCK_LEN;
                written += count;
            }
        }
        let rest = Utf32DecodeKernel::<BIG> { src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

/// The number of bytes in a block of two wide vectors.
const WIDE_BLOCK_LEN: usize = 2 * WIDE_WIDTH;

/// The number of wide blocks between two tests for ASCII.
const WIDE_BLOCKS_PER_ASCII_TEST: usize = 4;

#[inline(always)]
fn load_wide_values<W: WideSimd, const BIG: bool>(
    w: W,
    bytes: &[u8; WIDE_BLOCK_LEN],
) -> [W::Bytes; 2] {
    let [a, b] = bytes.as_arrays().0 else { return [w.splat8(0); 2] };
    let (a, b) = (w.load(a), w.load(b));
    let swapped = w.load_repeated(&BYTE_SWAP);
    if BIG { [w.shuffle8_in_16(a, swapped), w.shuffle8_in_16(b, swapped)] } else { [a, b] }
}

/// Decodes the leading groups of four wide vectors that are all ASCII. Returns the number of values.
#[inline(always)]
fn decode_ascii_wide<W: WideSimd, const BIG: bool>(w: W, src: &[u8], dst: &mut [u8]) -> usize {
    /// The first bytes of each lane, then the second ones and so on.
    const TRANSPOSE: [u8; WIDE_WIDTH] = {
        let mut indexes = [0; WIDE_WIDTH];
        let mut lane = 0;
        while lane < WIDE_WIDTH {
            indexes[lane] = (lane % 16 * 4 + lane / 16) as u8;
            lane += 1;
        }
        indexes
    };
    let transpose = w.load(&TRANSPOSE);
    let others = w.splat32(if BIG { !0x7F00_0000 } else { !0x7F });
    let groups = src.as_arrays::<WIDE_WIDTH>().0.as_arrays::<4>().0;
    let mut read = 0;
    for (group, output) in groups.iter().zip(dst.as_arrays_mut::<WIDE_WIDTH>().0) {
        let [a, b, c, d] =
            [w.load(&group[0]), w.load(&group[1]), w.load(&group[2]), w.load(&group[3])];
        if w.test8(w.or(w.or(a, b), w.or(c, d)), others) != 0 {
            break;
        }
        let lanes = if BIG {
            let first = w.or(w.shr32::<24>(a), w.shr32::<16>(b));
            w.or(first, w.or(w.shr32::<8>(c), d))
        } else {
            let last = w.or(w.shl32::<16>(c), w.shl32::<24>(d));
            w.or(w.or(a, w.shl32::<8>(b)), last)
        };
        w.store(w.permute8(lanes, transpose), output);
        read += WIDE_WIDTH;
    }
    read
}

const BYTE_SWAP: [u8; WIDTH] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];

#[inline(always)]
fn in_order<S: Simd, const BIG: bool>(s: S, values: DoubleBytes<S>) -> DoubleBytes<S> {
    if BIG { s.double().shuffle8(values, s.join([s.load(&BYTE_SWAP); 2])) } else { values }
}

/// Loads eight values.
#[inline(always)]
fn load_halves<S: Simd, const BIG: bool>(s: S, [a, b]: [&[u8; WIDTH]; 2]) -> DoubleBytes<S> {
    in_order::<S, BIG>(s, s.join([s.load(a), s.load(b)]))
}

/// Loads 16 values.
#[inline(always)]
fn load_units<S: Simd, const BIG: bool>(s: S, bytes: &[u8; 2 * DOUBLE_WIDTH]) -> DoubleUnits<S> {
    let [a, b, c, d] = bytes.as_arrays().0 else { return DoubleUnits::Long };
    let (first, last) = (load_halves::<S, BIG>(s, [a, c]), load_halves::<S, BIG>(s, [b, d]));
    let d = s.double();
    let all = d.or(first, last);
    if d.are_clear(all, d.splat32(!0x7F)) {
        return utf8_encode::narrow_ascii(s, d.narrow32(first, last));
    }
    match d.are_clear(all, d.splat32(0xFFFF_0000)) {
        true => DoubleUnits::Units(d.narrow32(first, last)),
        false => DoubleUnits::Long,
    }
}

/// Decodes the leading groups of blocks that are all ASCII. Returns the number of values.
#[inline(always)]
fn decode_ascii<S: Simd, const BIG: bool>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (vectors, _) = src.as_arrays::<WIDTH>();
    let (groups, _) = vectors.as_arrays::<{ 2 * ASCII_GROUP_BLOCKS }>();
    let (outputs, _) = dst.as_arrays_mut::<DOUBLE_WIDTH>();
    let (d, mut read) = (s.double(), 0);
    for (group, output) in groups.iter().zip(outputs) {
        let [a, b, c, fourth, e, f, g, h] = group;
        let first = load_halves::<S, BIG>(s, [a, e]);
        let second = load_halves::<S, BIG>(s, [b, f]);
        let third = load_halves::<S, BIG>(s, [c, g]);
        let last = load_halves::<S, BIG>(s, [fourth, h]);
        let all = d.or(d.or(first, second), d.or(third, last));
        if !d.are_clear(all, d.splat32(!0x7F)) {
            break;
        }
        d.store(d.narrow16(d.narrow32(first, second), d.narrow32(third, last)), output);
        read += ASCII_GROUP_BLOCKS * BLOCK_VALUES;
    }
    read
}

/// Decodes eight values and returns the number of bytes written, or `None` if one is invalid.
#[inline(always)]
fn decode_block<S: Simd, const BIG: bool>(
    s: S,
    bytes: &[u8; DOUBLE_WIDTH],
    output: &mut [u8; MAX_ENCODED_LEN],
) -> Option<usize> {
    let d = s.double();
    let values = in_order::<S, BIG>(s, d.load(bytes));
    if d.are_clear(values, d.splat32(0xFFFF_0000)) {
        let [a, b] = s.split(values);
        return utf8_encode::encode_units(s, s.narrow32(a, b), output);
    }
    // The highest bit of each value that is invalid.
    let invalid = not_scalar_value(d, values);
    if d.are_clear(invalid, d.splat32(1 << 31)) {
        return Some(utf8_encode::encode_u32(s, values, output));
    }
    None
}

/// Sets the highest bit of each value that is a surrogate or above U+10FFFF.
#[inline(always)]
fn not_scalar_value<L: Lanes>(l: L, values: L::Bytes) -> L::Bytes {
    let surrogates = l.eq32(l.and(values, l.splat32(0xFFFF_F800)), l.splat32(0xD800));
    let beyond = l.add32(values, l.splat32(0x7FFF_FFFF - 0x10_FFFF));
    l.or(surrogates, l.or(values, beyond))
}

/// Encodes a prefix of `src` while `dst` has space left. Returns the numbers of bytes read and
/// written.
pub fn encode(src: &str, dst: &mut [u8], big: bool) -> (usize, usize) {
    let src = src.as_bytes();
    if big {
        simd::run(FromUtf8Kernel::<Utf32Sink<true>>::new(src, dst))
    } else {
        simd::run(FromUtf8Kernel::<Utf32Sink<false>>::new(src, dst))
    }
}

/// Encodes a prefix of `src`, which need not be valid UTF-8, while `dst` has space left: up to the first
/// malformed sequence at most. Returns the numbers of bytes read, in whole characters, and written.
pub fn encode_unvalidated(src: &[u8], dst: &mut [u8], big: bool) -> (usize, usize) {
    if big {
        simd::run(FromUnvalidatedKernel::<Utf32Sink<true>>::new(src, dst))
    } else {
        simd::run(FromUnvalidatedKernel::<Utf32Sink<false>>::new(src, dst))
    }
}

/// Writes UTF-32, big-endian if `BIG`.
struct Utf32Sink<const BIG: bool>;

impl<const BIG: bool> Utf32Sink<BIG> {
    /// Orders a less and a more significant part for memory.
    #[inline(always)]
    fn ordered<T>(low: T, high: T) -> [T; 2] {
        if BIG { [high, low] } else { [low, high] }
    }

    /// The lanes of the least significant bytes of values.
    const BYTE_0: u64 = if BIG { 0x8888_8888_8888_8888 } else { 0x1111_1111_1111_1111 };
    /// The lanes of the second bytes.
    const BYTE_1: u64 = if BIG { Self::BYTE_0 >> 1 } else { Self::BYTE_0 << 1 };
    /// The lanes of the third bytes.
    const BYTE_2: u64 = if BIG { Self::BYTE_0 >> 2 } else { Self::BYTE_0 << 2 };

    /// Returns indexes that expand 16 bytes of a vector to values, or in the second byte of a value
    /// those of a second vector.
    #[inline(always)]
    fn quarter<W: WideSimd>(w: W, quarter: usize) -> W::Bytes {
        const fn indexes(quarter: u8, second_byte: usize) -> [u8; WIDE_WIDTH] {
            let mut indexes = [0; WIDE_WIDTH];
            let mut lane = 0;
            while lane < WIDE_WIDTH {
                let second = if lane % 4 == second_byte { WIDE_WIDTH as u8 } else { 0 };
                indexes[lane] = quarter * WIDTH as u8 + lane as u8 / 4 + second;
                lane += 1;
            }
            indexes
        }
        const LITTLE: [[u8; WIDE_WIDTH]; 4] =
            [indexes(0, 1), indexes(1, 1), indexes(2, 1), indexes(3, 1)];
        const BIG_ENDIAN: [[u8; WIDE_WIDTH]; 4] =
            [indexes(0, 2), indexes(1, 2), indexes(2, 2), indexes(3, 2)];
        w.load(if BIG { &BIG_ENDIAN[quarter] } else { &LITTLE[quarter] })
    }

    /// Stores 32 values from their bytes, which are at the start of vectors, from this quarter of the
    /// vectors on.
    #[inline(always)]
    fn store_half<W: WideSimd>(
        w: W,
        units: WideUnits<W::Bytes>,
        first: usize,
        output: &mut [[u8; WIDE_WIDTH]],
    ) {
        for (index, output) in output.iter_mut().enumerate().take(2) {
            let indexes = Self::quarter(w, first + index);
            let values = w.permute8_of_2(units.low, units.high, indexes);
            let values = w.select8(Self::BYTE_0 | Self::BYTE_1, values, w.splat8(0));
            let values = match units.top {
                Some(top) => w.select8(Self::BYTE_2, w.permute8(top, indexes), values),
                None => values,
            };
            w.store(values, output);
        }
    }

    /// Writes eight values from their low and their high 16 bits, in the order of bytes of the output.
    #[inline(always)]
    fn store_values<S: Simd>(s: S, units: S::Bytes, tops: Option<S::Bytes>, output: &mut [u8]) {
        let Some(output) = output.first_chunk_mut() else { return };
        let values = match tops {
            None if !BIG => s.widen16(units),
            _ => {
                let [a, b] = Self::ordered(units, tops.unwrap_or(s.splat8(0)));
                s.join([s.zip_low16(a, b), s.zip_high16(a, b)])
            }
        };
        s.double().store(values, output);
    }
}

impl<const BIG: bool> UnitSink for Utf32Sink<BIG> {
    const UNIT_LEN: usize = 4;
    const MAX_OUTPUT: usize = 6 * WIDTH;
    const STOP_LEAD: u8 = 0xF0;
    const LONG_UNITS: usize = 1;

    #[inline(always)]
    fn up_to_4_bytes<L: Lanes>(l: L, block: &Block<L::Bytes>) -> Option<UnitLanes<L::Bytes>> {
        Some(scalar_value_lanes(l, block))
    }

    #[inline(always)]
    fn write_ascii<S: Simd>(s: S, bytes: DoubleBytes<S>, output: &mut [u8]) {
        let (zero, outputs) = (s.splat8(0), output.as_arrays_mut::<{ 2 * DOUBLE_WIDTH }>().0);
        for (bytes, output) in s.split(bytes).into_iter().zip(outputs) {
            let [a, b] = Self::ordered(bytes, zero);
            let (first, last) = output.split_at_mut(DOUBLE_WIDTH);
            Self::store_values(s, s.zip_low8(a, b), None, first);
            Self::store_values(s, s.zip_high8(a, b), None, last);
        }
    }

    #[inline(always)]
    fn write_half<S: Simd, const LAST: bool>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]) {
        let zero = s.splat8(0);
        let [a, b] = Self::ordered(lanes.low, lanes.high);
        let units = lanes.compress::<S, LAST>(s, UnitLanes::zip_half::<S, LAST>(s, a, b));
        let tops = match lanes.top {
            Some(top) => {
                let [a, b] = Self::ordered(top, zero);
                Some(lanes.compress::<S, LAST>(s, UnitLanes::zip_half::<S, LAST>(s, a, b)))
            }
            None => None,
        };
        Self::store_values(s, units, tops, output);
    }

    #[inline(always)]
    fn wide_up_to_4_bytes<W: WideSimd>(
        w: W,
        block: &WideBlock<W::Bytes>,
    ) -> Option<WideUnits<W::Bytes>> {
        Some(wide_scalar_values(w, block))
    }

    #[inline(always)]
    fn write_wide_ascii<W: WideSimd>(w: W, bytes: W::Bytes, output: &mut [u8]) {
        let (outputs, _) = output.as_arrays_mut::<WIDE_WIDTH>();
        for (quarter, output) in outputs.iter_mut().enumerate().take(4) {
            let values = w.permute8(bytes, Self::quarter(w, quarter));
            w.store(w.select8(Self::BYTE_0, values, w.splat8(0)), output);
        }
    }

    #[inline(always)]
    fn write_wide<W: WideSimd>(w: W, units: WideUnits<W::Bytes>, output: &mut [u8]) {
        let count = units.set.count_ones() as usize;
        let (outputs, _) = output.as_arrays_mut::<WIDE_WIDTH>();
        let Some((first, last)) = outputs.split_at_mut_checked(2) else { return };
        let units = WideUnits {
            low: w.compress8(units.set, units.low),
            high: w.compress8(units.set, units.high),
            top: units.top.map(
                #[inline(always)]
                |top| w.compress8(units.set, top),
            ),
            set: units.set,
        };
        Self::store_half(w, units, 0, first);
        if count > WIDE_WIDTH / 2 {
            Self::store_half(w, units, 2, last);
        }
    }
}

/// Returns the values of the positions of a block. A four-byte character has its value at its last
/// byte.
#[inline(always)]
fn wide_scalar_values<W: WideSimd>(w: W, block: &WideBlock<W::Bytes>) -> WideUnits<W::Bytes> {
    let splat = |value| w.splat8(value);
    let WideBlock { first, second, .. } = *block;
    let is_end = w.at_least8(block.third, splat(0xF0));
    let unit = block.up_to_3_bytes(w);
    let upper = w.and(w.shl16::<4>(second), splat(0xF0));
    let middle = w.and(w.shr16::<2>(first), splat(0x0F));
    let lead = w.and(w.shl16::<2>(block.third), splat(0x1C));
    let top = w.or(lead, w.and(w.shr16::<4>(second), splat(0x03)));
    WideUnits {
        high: w.select8(is_end, w.or(upper, middle), unit.high),
        top: Some(w.select8(is_end, top, splat(0))),
        ..unit
    }
}

/// Returns the values of the positions of a step. A four-byte character has its value at its last byte.
#[inline(always)]
fn scalar_value_lanes<L: Lanes>(l: L, block: &Block<L::Bytes>) -> UnitLanes<L::Bytes> {
    let splat = |value| l.splat8(value);
    let Block { third, second, first, last, .. } = *block;
    let four = at_least(l, third, 0xF0);
    let three = l.or(at_least(l, second, 0xE0), four);
    let upper = l.select(three, l.and(l.shl16::<4>(second), splat(0xF0)), splat(0));
    let lead = l.and(l.shl16::<2>(third), splat(0x1C));
    let top = l.or(lead, l.and(l.shr16::<4>(second), splat(0x03)));
    UnitLanes {
        low: utf8_decode::low_bits(l, first, last),
        high: l.select(last, l.or(upper, utf8_decode::middle_bits(l, first)), splat(0)),
        top: Some(l.select(four, top, splat(0))),
        mask: block.char_ends(l),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, KernelTest};

    fn utf32_bytes(text: &str, big: bool) -> Vec<u8> {
        let order = if big { u32::to_be_bytes } else { u32::to_le_bytes };
        text.chars().map(u32::from).flat_map(order).collect()
    }

    fn reference_encode<const BIG: bool>(src: &[u8]) -> Option<Vec<u8>> {
        std::str::from_utf8(src).ok().map(|text| utf32_bytes(text, BIG))
    }

    fn reference_decode<const BIG: bool>(src: &[u8]) -> Option<Vec<u8>> {
        let order = if BIG { u32::from_be_bytes } else { u32::from_le_bytes };
        let (values, rest) = src.as_arrays::<4>();
        let characters = values.iter().map(|value| char::from_u32(order(*value)));
        characters.collect::<Option<String>>().filter(|_| rest.is_empty()).map(String::into_bytes)
    }

    const fn encoder<const BIG: bool>() -> KernelTest {
        KernelTest {
            run: |level, src, dst| level.run(FromUtf8Kernel::<Utf32Sink<BIG>>::new(src, dst)),
            reference: reference_encode::<BIG>,
            min_lens: (24, 100),
        }
    }

    /// It may stop anywhere.
    const fn unvalidated_encoder<const BIG: bool>() -> KernelTest {
        KernelTest {
            run: |level, src, dst| {
                level.run(FromUnvalidatedKernel::<Utf32Sink<BIG>>::new(src, dst))
            },
            reference: reference_encode::<BIG>,
            min_lens: (isize::MAX as usize, 256),
        }
    }

    const fn decoder<const BIG: bool>() -> KernelTest {
        KernelTest {
            run: |level, src, dst| level.run(Utf32DecodeKernel::<BIG> { src, dst }),
            reference: reference_decode::<BIG>,
            min_lens: (36, 36),
        }
    }

    #[test]
    fn both_directions_agree_with_std_at_every_length_and_alignment() {
        for text in testing::uniform_texts() {
            encoder::<false>().check_output_sizes(text.as_bytes());
            encoder::<true>().check_output_sizes(text.as_bytes());
            decoder::<false>().check_output_sizes(&utf32_bytes(&text, false));
            decoder::<true>().check_output_sizes(&utf32_bytes(&text, true));
            if text.len() % 7 == 0 {
                encoder::<true>().check_alignments(text.as_bytes());
                decoder::<true>().check_alignments(&utf32_bytes(&text, true));
            }
        }
    }

    #[test]
    fn unvalidated_text_is_encoded_up_to_malformed_sequences_at_most() {
        for text in testing::uniform_texts() {
            unvalidated_encoder::<false>().check_output_sizes(text.as_bytes());
        }
        unvalidated_encoder::<false>().check_malformed();
        let text = "a line of ASCII, é中🎂 ".repeat(100) + &"plain ".repeat(200);
        unvalidated_encoder::<true>().check_wide_converts_most_of(&text);
    }

    #[test]
    fn both_directions_agree_with_edge_characters_at_every_position() {
        for text in testing::edge_cases() {
            let output_len = 4 * text.len() + 64;
            encoder::<false>().check(text.as_bytes(), output_len);
            decoder::<false>().check(&utf32_bytes(&text, false), output_len);
        }
    }

    #[test]
    fn decoding_stops_at_an_invalid_value_at_every_position() {
        for invalid in
            [0xD800_u32, 0xDFFF, 0x11_0000, 0x20_0041, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
        {
            for filler in ["a", "中", "🎂", "a🎂é中"] {
                for position in (0..50).step_by(testing::stride(23)) {
                    let value = |character| u32::from(character);
                    let before = filler.chars().cycle().take(position).map(value);
                    let after = filler.chars().cycle().take(20).map(value);
                    let all = before.chain([invalid]).chain(after);
                    let bytes: Vec<u8> = all.flat_map(u32::to_le_bytes).collect();
                    decoder::<false>().check(&bytes, 4 * bytes.len());
                }
            }
        }
    }
}
