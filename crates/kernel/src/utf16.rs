//! UTF-16 to and from UTF-8.

use super::simd::{
    self, AsArrays, DOUBLE_WIDTH, DoubleBytes, Kernel, Lanes, Simd, WIDE_WIDTH, WIDTH, WideSimd,
};
use super::utf8_decode::{
    self, Block, FromUnvalidatedKernel, FromUtf8Kernel, UnitLanes, UnitSink, at_least,
};
use super::utf8_decode_wide::{WideBlock, WideUnits};
use super::utf8_encode::{self, DoubleUnits, MAX_ENCODED_LEN, MAX_WIDE_OUTPUT};

/// Decodes a prefix of `src` while `dst` has space left, up to the first ill-formed code unit.
/// Surrogate pairs are well-formed only if `allow_pairs` is set. Returns the numbers of bytes read
/// and written.
pub fn decode(src: &[u8], dst: &mut [u8], big: bool, allow_pairs: bool) -> (usize, usize) {
    match (big, allow_pairs) {
        (false, true) => simd::run(Utf16DecodeKernel::<false, true> { src, dst }),
        (false, false) => simd::run(Utf16DecodeKernel::<false, false> { src, dst }),
        (true, true) => simd::run(Utf16DecodeKernel::<true, true> { src, dst }),
        (true, false) => simd::run(Utf16DecodeKernel::<true, false> { src, dst }),
    }
}

/// Decodes UTF-16, big-endian if `BIG`, with surrogate pairs if `PAIRS`.
struct Utf16DecodeKernel<'a, const BIG: bool, const PAIRS: bool> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

/// The number of vectors tested for ASCII at once.
const ASCII_GROUP_VECTORS: usize = 4;

/// The number of steps of 16 bytes, which are for surrogates and the end, before another of 32.
const STEPS_PER_DOUBLE_TEST: usize = 2;

impl<const BIG: bool, const PAIRS: bool> Kernel for Utf16DecodeKernel<'_, BIG, PAIRS> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Utf16DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        let mut before = s.splat8(0);
        let mut pending_high = 0;
        'text: loop {
            // A low surrogate must follow a pending high surrogate.
            if pending_high == 0 {
                let ascii = decode_ascii::<S, BIG>(s, &src[read..], &mut dst[written..]);
                read += 2 * ascii;
                written += ascii;
            }
            if pending_high == 0 {
                let (src, dst) = (&src[read..], &mut dst[written..]);
                let (more_read, more_written, is_ascii) = utf8_encode::encode_doubles(
                    s,
                    src,
                    dst,
                    #[inline(always)]
                    |bytes| load_double::<S, BIG>(s, bytes),
                );
                read += more_read;
                written += more_written;
                if is_ascii {
                    continue;
                }
            }
            for _ in 0..STEPS_PER_DOUBLE_TEST {
                let Some(bytes) = src[read..].first_chunk() else { break 'text };
                let Some(output) = dst[written..].first_chunk_mut() else { break 'text };
                let units = load_units::<S, BIG>(s, bytes);
                let Some(count) =
                    decode_vector::<S, PAIRS>(s, before, units, &mut pending_high, output)
                else {
                    break 'text;
                };
                before = units;
                read += WIDTH;
                written += count;
            }
        }
        // The pending high surrogate is read again; two of its bytes have been written.
        (read - 2 * pending_high as usize, written - 2 * pending_high as usize)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let Utf16DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'text: loop {
            for _ in 0..WIDE_STEPS_PER_ASCII_TEST {
                let Some(bytes) = src[read..].first_chunk() else { break 'text };
                let Some(output) = dst[written..].first_chunk_mut() else { break 'text };
                let Some((len, count)) = decode_wide_step::<W, BIG, PAIRS>(w, bytes, output) else {
                    break 'text;
                };
                read += len;
                written += count;
            }
            let ascii = decode_ascii_wide::<W, BIG>(w, &src[read..], &mut dst[written..]);
            read += 2 * ascii;
            written += ascii;
        }
        let rest = Utf16DecodeKernel::<BIG, PAIRS> { src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

/// The number of wide steps between two tests for ASCII.
const WIDE_STEPS_PER_ASCII_TEST: usize = 4;

/// The input of a wide step: a vector and the code unit after it.
type WideInput = [u8; WIDE_WIDTH + 2];

/// Decodes the code units of a wide vector, or all but a last high surrogate. Returns the numbers of
/// bytes read and written, or `None` if they are ill-formed.
#[inline(always)]
fn decode_wide_step<W: WideSimd, const BIG: bool, const PAIRS: bool>(
    w: W,
    input: &WideInput,
    output: &mut [u8; MAX_WIDE_OUTPUT],
) -> Option<(usize, usize)> {
    let units = load_wide_units::<W, BIG>(w, input.first_chunk()?);
    if let Some(count) = utf8_encode::encode_wide(w, units, output) {
        return Some((WIDE_WIDTH, count));
    }
    if !PAIRS {
        return None;
    }
    let next = load_wide_units::<W, BIG>(w, input.last_chunk()?);
    let (len, count) = utf8_encode::encode_wide_pairs(w, units, next, output)?;
    Some((2 * len, count))
}

#[inline(always)]
fn load_wide_units<W: WideSimd, const BIG: bool>(w: W, bytes: &[u8; WIDE_WIDTH]) -> W::Bytes {
    let units = w.load(bytes);
    if BIG { w.shuffle8_in_16(units, w.load_repeated(&BYTE_SWAP)) } else { units }
}

/// Decodes the leading pairs of wide vectors that are all ASCII. Returns the number of code units.
#[inline(always)]
fn decode_ascii_wide<W: WideSimd, const BIG: bool>(w: W, src: &[u8], dst: &mut [u8]) -> usize {
    /// The low byte of each code unit of two vectors.
    const fn low_bytes(first: u8) -> [u8; WIDE_WIDTH] {
        let mut indexes = [0; WIDE_WIDTH];
        let mut lane = 0;
        while lane < WIDE_WIDTH {
            indexes[lane] = first + 2 * lane as u8;
            lane += 1;
        }
        indexes
    }
    let low_bytes = w.load(&const { low_bytes(BIG as u8) });
    let others = w.splat16(if BIG { 0x80FF } else { 0xFF80 });
    let groups = src.as_arrays::<WIDE_WIDTH>().0.as_arrays::<2>().0;
    let mut read = 0;
    for ([a, b], output) in groups.iter().zip(dst.as_arrays_mut::<WIDE_WIDTH>().0) {
        let (a, b) = (w.load(a), w.load(b));
        if w.test8(w.or(a, b), others) != 0 {
            break;
        }
        w.store(w.permute8_of_2(a, b, low_bytes), output);
        read += WIDE_WIDTH;
    }
    read
}

const BYTE_SWAP: [u8; WIDTH] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];

#[inline(always)]
fn load_units<S: Simd, const BIG: bool>(s: S, bytes: &[u8; WIDTH]) -> S::Bytes {
    let units = s.load(bytes);
    if BIG { s.shuffle8(units, s.load(&BYTE_SWAP)) } else { units }
}

#[inline(always)]
fn in_order<S: Simd, const BIG: bool>(s: S, units: DoubleBytes<S>) -> DoubleBytes<S> {
    if BIG { s.double().shuffle8(units, s.join([s.load(&BYTE_SWAP); 2])) } else { units }
}

/// Loads 16 code units.
#[inline(always)]
fn load_double<S: Simd, const BIG: bool>(s: S, bytes: &[u8; DOUBLE_WIDTH]) -> DoubleUnits<S> {
    let d = s.double();
    let units = in_order::<S, BIG>(s, d.load(bytes));
    match d.are_clear(units, d.splat16(0xFF80)) {
        true => utf8_encode::narrow_ascii(s, units),
        false => DoubleUnits::Units(units),
    }
}

/// Decodes the leading groups of vectors that are all ASCII. Returns the number of code units.
#[inline(always)]
fn decode_ascii<S: Simd, const BIG: bool>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (vectors, _) = src.as_arrays::<WIDTH>();
    let (groups, _) = vectors.as_arrays::<ASCII_GROUP_VECTORS>();
    let (outputs, _) = dst.as_arrays_mut::<DOUBLE_WIDTH>();
    let (d, mut read) = (s.double(), 0);
    for ([a, b, c, last], output) in groups.iter().zip(outputs) {
        let first = in_order::<S, BIG>(s, s.join([s.load(a), s.load(c)]));
        let last = in_order::<S, BIG>(s, s.join([s.load(b), s.load(last)]));
        if !d.are_clear(d.or(first, last), d.splat16(0xFF80)) {
            break;
        }
        d.store(d.narrow16(first, last), output);
        read += ASCII_GROUP_VECTORS * WIDTH / 2;
    }
    read
}

/// Decodes a vector of code units and returns the number of bytes written, or `None` if they are
/// ill-formed. `pending_high` is 1 if the last unit before the vector is a high surrogate, and is
/// set for the next vector.
#[inline(always)]
fn decode_vector<S: Simd, const PAIRS: bool>(
    s: S,
    previous: S::Bytes,
    units: S::Bytes,
    pending_high: &mut u32,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> Option<usize> {
    if *pending_high == 0 {
        if let Some(count) = utf8_encode::encode_units(s, units, output) {
            return Some(count);
        }
    }
    if !PAIRS {
        return None;
    }
    let surrogates = utf8_encode::surrogate_mask(s, units);
    let lows = s.eq16(s.and(units, s.splat16(0xFC00)), s.splat16(0xDC00));
    let low = s.movemask8(lows);
    // Two bits per code unit.
    let high = s.movemask8(surrogates) & !low;
    if low != ((high << 2) | (3 * *pending_high)) & 0xFFFF {
        return None;
    }
    *pending_high = high >> 15;
    Some(utf8_encode::encode_surrogate_pairs(s, previous, units, surrogates, lows, output))
}

/// Encodes a prefix of `src` while `dst` has space left; without `allow_pairs`, up to the first
/// character above U+FFFF. Returns the numbers of bytes read and written.
pub fn encode(src: &str, dst: &mut [u8], big: bool, allow_pairs: bool) -> (usize, usize) {
    let src = src.as_bytes();
    match (big, allow_pairs) {
        (false, true) => simd::run(FromUtf8Kernel::<Utf16Sink<false, true>>::new(src, dst)),
        (false, false) => simd::run(FromUtf8Kernel::<Utf16Sink<false, false>>::new(src, dst)),
        (true, true) => simd::run(FromUtf8Kernel::<Utf16Sink<true, true>>::new(src, dst)),
        (true, false) => simd::run(FromUtf8Kernel::<Utf16Sink<true, false>>::new(src, dst)),
    }
}

/// Encodes a prefix of `src`, which need not be valid UTF-8, while `dst` has space left: up to the first
/// malformed sequence at most, and without `allow_pairs` up to the first character above U+FFFF. Returns
/// the numbers of bytes read, in whole characters, and written.
pub fn encode_unvalidated(
    src: &[u8],
    dst: &mut [u8],
    big: bool,
    allow_pairs: bool,
) -> (usize, usize) {
    match (big, allow_pairs) {
        (false, true) => simd::run(FromUnvalidatedKernel::<Utf16Sink<false, true>>::new(src, dst)),
        (false, false) => {
            simd::run(FromUnvalidatedKernel::<Utf16Sink<false, false>>::new(src, dst))
        }
        (true, true) => simd::run(FromUnvalidatedKernel::<Utf16Sink<true, true>>::new(src, dst)),
        (true, false) => simd::run(FromUnvalidatedKernel::<Utf16Sink<true, false>>::new(src, dst)),
    }
}

/// Writes UTF-16, big-endian if `BIG`, with surrogate pairs if `PAIRS`.
struct Utf16Sink<const BIG: bool, const PAIRS: bool>;

impl<const BIG: bool, const PAIRS: bool> Utf16Sink<BIG, PAIRS> {
    #[inline(always)]
    fn zip_ordered<S: Simd, const LAST: bool>(s: S, low: S::Bytes, high: S::Bytes) -> S::Bytes {
        let (a, b) = if BIG { (high, low) } else { (low, high) };
        UnitLanes::zip_half::<S, LAST>(s, a, b)
    }

    #[inline(always)]
    fn store_wide<W: WideSimd>(
        w: W,
        low: W::Bytes,
        high: W::Bytes,
        count: usize,
        output: &mut [u8],
    ) {
        let (a, b) = if BIG { (high, low) } else { (low, high) };
        if let Some([first, last]) = output.as_arrays_mut().0.first_chunk_mut() {
            w.store(simd::zip_wide_half::<W, false>(w, a, b), first);
            if count > WIDE_WIDTH / 2 {
                w.store(simd::zip_wide_half::<W, true>(w, a, b), last);
            }
        }
    }
}

impl<const BIG: bool, const PAIRS: bool> UnitSink for Utf16Sink<BIG, PAIRS> {
    const UNIT_LEN: usize = 2;
    const MAX_OUTPUT: usize = 3 * WIDTH;
    const STOP_LEAD: u8 = 0xF0;
    const LONG_UNITS: usize = 2;

    #[inline(always)]
    fn up_to_4_bytes<L: Lanes>(l: L, block: &Block<L::Bytes>) -> Option<UnitLanes<L::Bytes>> {
        if PAIRS { Some(surrogate_pair_lanes(l, block)) } else { None }
    }

    #[inline(always)]
    fn write_ascii<S: Simd>(s: S, bytes: DoubleBytes<S>, output: &mut [u8]) {
        let (zero, outputs) = (s.splat8(0), output.as_arrays_mut::<DOUBLE_WIDTH>().0);
        for (bytes, output) in s.split(bytes).into_iter().zip(outputs) {
            let first = Self::zip_ordered::<S, false>(s, bytes, zero);
            let last = Self::zip_ordered::<S, true>(s, bytes, zero);
            s.double().store(s.join([first, last]), output);
        }
    }

    #[inline(always)]
    fn write_half<S: Simd, const LAST: bool>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]) {
        if let Some(output) = output.first_chunk_mut() {
            let units = Self::zip_ordered::<S, LAST>(s, lanes.low, lanes.high);
            s.store(lanes.compress::<S, LAST>(s, units), output);
        }
    }

    #[inline(always)]
    fn wide_up_to_4_bytes<W: WideSimd>(
        w: W,
        block: &WideBlock<W::Bytes>,
    ) -> Option<WideUnits<W::Bytes>> {
        if PAIRS { Some(wide_surrogate_pairs(w, block)) } else { None }
    }

    #[inline(always)]
    fn write_wide_ascii<W: WideSimd>(w: W, bytes: W::Bytes, output: &mut [u8]) {
        Self::store_wide(w, bytes, w.splat8(0), WIDE_WIDTH, output);
    }

    #[inline(always)]
    fn write_wide<W: WideSimd>(w: W, units: WideUnits<W::Bytes>, output: &mut [u8]) {
        let (low, high) = (w.compress8(units.set, units.low), w.compress8(units.set, units.high));
        Self::store_wide(w, low, high, units.set.count_ones() as usize, output);
    }
}

/// Returns the code units of a block. A four-byte character has its high surrogate at its third byte
/// and its low surrogate at its last byte.
#[inline(always)]
fn wide_surrogate_pairs<W: WideSimd>(w: W, block: &WideBlock<W::Bytes>) -> WideUnits<W::Bytes> {
    let WideBlock { last, first, second, .. } = *block;
    let four = w.splat8(0xF0);
    let (is_high, is_low) = (w.at_least8(second, four), w.at_least8(block.third, four));
    let splat = |value| w.splat8(value);
    // A low surrogate takes its low bits from the last two bytes, as any other code unit.
    let unit = block.up_to_3_bytes(w);
    let low_surrogate = w.or(w.and(w.shr16::<2>(first), splat(0x03)), splat(0xDC));
    let high = w.select8(is_low, low_surrogate, unit.high);

    // Bits 10 to 15 of the character, minus 0x1_0000: the high surrogates begin at D7C0 + 40.
    let bits =
        w.or(w.and(w.shl16::<2>(first), splat(0xFC)), w.and(w.shr16::<4>(last), splat(0x03)));
    let carry = w.at_least8(bits, splat(0x40));
    let upper = w.sub8(second, splat(0xF0 - 0xD7));
    let upper = w.select8(carry, w.add8(upper, splat(1)), upper);
    WideUnits {
        low: w.select8(is_high, w.add8(bits, splat(0xC0)), unit.low),
        high: w.select8(is_high, upper, high),
        top: None,
        set: block.ends | is_high,
    }
}

/// Returns the code units of the positions of a step. A four-byte character has its high surrogate at its
/// third byte and its low surrogate at its last byte.
#[inline(always)]
fn surrogate_pair_lanes<L: Lanes>(l: L, block: &Block<L::Bytes>) -> UnitLanes<L::Bytes> {
    let splat = |value| l.splat8(value);
    let Block { third, second, first, last, .. } = *block;
    let (is_low, is_high) = (at_least(l, third, 0xF0), at_least(l, second, 0xF0));

    // A low surrogate takes its low bits from the last two bytes, as any other code unit.
    let unit = UnitLanes::up_to_3_bytes(l, block);
    let low_surrogate = l.or(l.and(utf8_decode::middle_bits(l, first), splat(0x03)), splat(0xDC));
    let high = l.select(is_low, low_surrogate, unit.high);

    // Bits 10 to 15 of the character, minus 0x1_0000: the high surrogates begin at D7C0 + 40.
    let bits =
        l.or(l.and(l.shl16::<2>(first), splat(0xFC)), l.and(l.shr16::<4>(last), splat(0x03)));
    let carry = l.eq8(l.max8(bits, splat(0x40)), bits);
    let upper = l.sub8(l.sub8(second, splat(0xF0 - 0xD7)), carry);
    UnitLanes {
        low: l.select(is_high, l.add8(bits, splat(0xC0)), unit.low),
        high: l.select(is_high, upper, high),
        top: None,
        mask: block.char_ends(l) | l.movemask8(is_high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, KernelTest};

    fn utf16_bytes(text: &str, big: bool) -> Vec<u8> {
        let order = if big { u16::to_be_bytes } else { u16::to_le_bytes };
        text.encode_utf16().flat_map(order).collect()
    }

    fn reference_encode<const BIG: bool, const PAIRS: bool>(src: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(src).ok()?;
        let all = PAIRS || text.chars().all(|character| character <= '\u{FFFF}');
        all.then(|| utf16_bytes(text, BIG))
    }

    fn reference_decode<const BIG: bool, const PAIRS: bool>(src: &[u8]) -> Option<Vec<u8>> {
        let order = if BIG { u16::from_be_bytes } else { u16::from_le_bytes };
        let (units, rest) = src.as_arrays::<2>();
        let units: Vec<u16> = units.iter().map(|unit| order(*unit)).collect();
        let text = String::from_utf16(&units).ok().filter(|_| rest.is_empty())?;
        let all = PAIRS || text.chars().all(|character| character <= '\u{FFFF}');
        all.then(|| text.into_bytes())
    }

    const fn encoder<const BIG: bool, const PAIRS: bool>() -> KernelTest {
        let min_lens = (24, 56);
        KernelTest {
            run: |level, src, dst| {
                level.run(FromUtf8Kernel::<Utf16Sink<BIG, PAIRS>>::new(src, dst))
            },
            reference: reference_encode::<BIG, PAIRS>,
            min_lens,
        }
    }

    /// It may stop anywhere.
    const fn unvalidated_encoder<const BIG: bool, const PAIRS: bool>() -> KernelTest {
        KernelTest {
            run: |level, src, dst| {
                level.run(FromUnvalidatedKernel::<Utf16Sink<BIG, PAIRS>>::new(src, dst))
            },
            reference: reference_encode::<BIG, PAIRS>,
            min_lens: (isize::MAX as usize, 128),
        }
    }

    const fn decoder<const BIG: bool, const PAIRS: bool>() -> KernelTest {
        let min_lens = (22, 36);
        KernelTest {
            run: |level, src, dst| level.run(Utf16DecodeKernel::<BIG, PAIRS> { src, dst }),
            reference: reference_decode::<BIG, PAIRS>,
            min_lens,
        }
    }

    #[test]
    fn encoding_agrees_with_std_at_every_length_and_alignment() {
        for text in testing::uniform_texts() {
            encoder::<false, true>().check_output_sizes(text.as_bytes());
            encoder::<true, true>().check_output_sizes(text.as_bytes());
            encoder::<false, false>().check_output_sizes(text.as_bytes());
            if text.len() % 7 == 0 {
                encoder::<false, true>().check_alignments(text.as_bytes());
            }
        }
    }

    #[test]
    fn unvalidated_text_is_encoded_up_to_malformed_sequences_at_most() {
        for text in testing::uniform_texts() {
            unvalidated_encoder::<false, true>().check_output_sizes(text.as_bytes());
            unvalidated_encoder::<true, false>().check_output_sizes(text.as_bytes());
        }
        unvalidated_encoder::<false, true>().check_malformed();
        let text = "a line of ASCII, é中🎂 ".repeat(100) + &"plain ".repeat(200);
        unvalidated_encoder::<true, true>().check_wide_converts_most_of(&text);
    }

    #[test]
    fn decoding_agrees_with_std_at_every_length_and_alignment() {
        for text in testing::uniform_texts() {
            decoder::<false, true>().check_output_sizes(&utf16_bytes(&text, false));
            decoder::<true, true>().check_output_sizes(&utf16_bytes(&text, true));
            decoder::<false, false>().check_output_sizes(&utf16_bytes(&text, false));
            if text.len() % 7 == 0 {
                decoder::<false, true>().check_alignments(&utf16_bytes(&text, false));
            }
        }
    }

    #[test]
    fn both_directions_agree_with_edge_characters_at_every_position() {
        for text in testing::edge_cases() {
            let output_len = 4 * text.len() + 64;
            encoder::<true, true>().check(text.as_bytes(), output_len);
            encoder::<true, false>().check(text.as_bytes(), output_len);
            decoder::<true, true>().check(&utf16_bytes(&text, true), output_len);
            decoder::<true, false>().check(&utf16_bytes(&text, true), output_len);
        }
    }

    #[test]
    fn decoding_stops_at_an_unpaired_surrogate_at_every_position() {
        let invalid: [&[u16]; 8] = [
            &[0xD800],
            &[0xDC00],
            &[0xDBFF, 0xDBFF, 0xDFFF],
            &[0xD800, 0xDC00, 0xDC00],
            &[0xDC00, 0xD800],
            &[0xD83D, 0x41],
            &[0x41, 0xDFFF],
            &[0xD800, 0xD800],
        ];
        for filler in [&[0x41_u16][..], &[0x4E2D], &[0xD83D, 0xDE00], &[0x41, 0xD83D, 0xDE00, 0xE9]]
        {
            for invalid in invalid.into_iter().step_by(testing::stride(3)) {
                for position in (0..50).step_by(testing::stride(23)) {
                    let units = filler.iter().cycle().take(position).chain(invalid);
                    let units = units.chain(filler.iter().cycle().take(80));
                    let bytes: Vec<u8> = units.flat_map(|unit| unit.to_le_bytes()).collect();
                    decoder::<false, true>().check(&bytes, 4 * bytes.len());
                    decoder::<false, false>().check(&bytes, 4 * bytes.len());
                }
            }
        }
    }
}
