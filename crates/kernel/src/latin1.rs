//! ISO-8859-1 to and from UTF-8.

use super::simd::{self, AsArrays, DoubleBytes, Kernel, Lanes, Simd, WIDE_WIDTH, WIDTH, WideSimd};
use super::utf8_decode::{self, Block, FromUtf8Kernel, UnitLanes, UnitSink};
use super::utf8_decode_wide::{WideBlock, WideUnits};
use super::utf8_encode::{self, MAX_DOUBLE_OUTPUT};

/// Encodes a prefix of `src`, up to the first character above U+00FF, while `dst` has space left.
/// Returns the numbers of bytes read and written.
pub fn encode(src: &str, dst: &mut [u8]) -> (usize, usize) {
    simd::run(Latin1EncodeKernel { src: src.as_bytes(), dst })
}

/// Encodes like [`encode`], but `src` need not be valid: up to the first malformed sequence at most.
/// Without wide vectors, only ASCII is encoded.
pub fn encode_unvalidated(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(UnvalidatedEncodeKernel { src, dst })
}

struct Latin1EncodeKernel<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for Latin1EncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        FromUtf8Kernel::<Latin1Sink>::new(self.src, self.dst).run(s)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let Latin1EncodeKernel { src, dst } = self;
        let (read, written) = match src.first_chunk() {
            Some(start) if !has_unmappable(w, start) => encode_wide(w, src, dst),
            _ => (0, 0),
        };
        let rest = Latin1EncodeKernel { src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

struct UnvalidatedEncodeKernel<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for UnvalidatedEncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let ascii = utf8_decode::encode_ascii::<S, Latin1Sink>(s, self.src, self.dst);
        (ascii, ascii)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        encode_wide(w, self.src, self.dst)
    }
}

/// Returns whether one of the characters at the start, of which a narrow step would encode some, is
/// above U+00FF. Between frequent errors a wide step would be in vain.
#[inline(always)]
fn has_unmappable<W: WideSimd>(w: W, start: &[u8; WIDTH]) -> bool {
    w.at_least8(w.load_prefix(start), w.splat8(Latin1Sink::STOP_LEAD)) != 0
}

/// Encodes characters up to U+00FF with wide vectors, up to the first malformed sequence at most.
/// Returns the numbers of bytes read and written.
#[inline(always)]
fn encode_wide<W: WideSimd>(w: W, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    if let (Some(bytes), Some(output)) = (src.first_chunk(), dst.first_chunk_mut()) {
        let bytes = w.load(bytes);
        let before = w.concat_last16::<15>(w.splat8(0), bytes);
        if let Some(count) = encode_wide_step(w, before, bytes, output) {
            (read, written) = (WIDE_WIDTH, count);
        }
    }
    'text: while read > 0 {
        for _ in 0..WIDE_STEPS_PER_ASCII_TEST {
            let Some(window) = src[read - 1..].first_chunk::<{ 1 + WIDE_WIDTH }>() else {
                break 'text;
            };
            let (Some(before), Some(bytes)) = (window.first_chunk(), window.last_chunk()) else {
                break 'text;
            };
            let Some(output) = dst[written..].first_chunk_mut() else { break 'text };
            let Some(count) = encode_wide_step(w, w.load(before), w.load(bytes), output) else {
                break 'text;
            };
            read += WIDE_WIDTH;
            written += count;
        }
        if src[read - 1] < 0xC0 {
            let ascii = copy_ascii_wide(w, &src[read..], &mut dst[written..]);
            read += ascii;
            written += ascii;
        }
    }
    // The lead byte of a character that the vectors do not have whole is read again.
    let is_split = read > 0 && src[read - 1] >= 0xC0;
    (read - usize::from(is_split), written)
}

/// The number of wide steps between two tests for ASCII.
const WIDE_STEPS_PER_ASCII_TEST: usize = 4;

/// Copies the leading groups of wide vectors that are all ASCII. Returns the number of bytes.
#[inline(always)]
pub fn copy_ascii_wide<W: WideSimd>(w: W, src: &[u8], dst: &mut [u8]) -> usize {
    let groups = src.as_arrays::<WIDE_WIDTH>().0.as_arrays::<2>().0;
    let outputs = dst.as_arrays_mut::<WIDE_WIDTH>().0.as_arrays_mut::<2>().0;
    let mut read = 0;
    for ([a, b], [first, last]) in groups.iter().zip(outputs) {
        let (a, b) = (w.load(a), w.load(b));
        if w.movemask8(w.or(a, b)) != 0 {
            break;
        }
        w.store(a, first);
        w.store(b, last);
        read += 2 * WIDE_WIDTH;
    }
    read
}

/// Encodes the characters that end in 64 bytes of UTF-8; `before` are the bytes before each. Returns
/// the number of bytes written, or `None` if there is a character above U+00FF or a malformed sequence.
#[inline(always)]
fn encode_wide_step<W: WideSimd>(
    w: W,
    before: W::Bytes,
    bytes: W::Bytes,
    output: &mut [u8; WIDE_WIDTH],
) -> Option<usize> {
    let is_lead = |bytes| w.eq8(w.and(bytes, w.splat8(0xFE)), w.splat8(0xC2));
    let leads = w.at_least8(bytes, w.splat8(0xC0));
    let trails = w.movemask8(bytes) & !leads;
    if (leads ^ is_lead(bytes)) | (trails ^ is_lead(before)) != 0 {
        return None;
    }
    // A continuation byte after C2 is the character itself, and 0x40 less than it after C3.
    let after_c3 = w.eq8(before, w.splat8(0xC3));
    let values = w.select8(after_c3, w.add8(bytes, w.splat8(0x40)), bytes);
    w.store(w.compress8(!leads, values), output);
    Some(WIDE_WIDTH - leads.count_ones() as usize)
}

struct Latin1Sink;

impl UnitSink for Latin1Sink {
    const UNIT_LEN: usize = 1;
    const MAX_OUTPUT: usize = 2 * WIDTH;
    /// The lead byte of U+0100.
    const STOP_LEAD: u8 = 0xC4;
    const LONG_UNITS: usize = 1;

    #[inline(always)]
    fn up_to_4_bytes<L: Lanes>(_: L, _: &Block<L::Bytes>) -> Option<UnitLanes<L::Bytes>> {
        None
    }

    #[inline(always)]
    fn write_ascii<S: Simd>(s: S, bytes: DoubleBytes<S>, output: &mut [u8]) {
        if let Some(output) = output.first_chunk_mut() {
            s.double().store(bytes, output);
        }
    }

    #[inline(always)]
    fn write_half<S: Simd, const LAST: bool>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]) {
        if let Some(output) = output.first_chunk_mut() {
            let units = UnitLanes::zip_half::<S, LAST>(s, lanes.low, s.splat8(0));
            let units = lanes.compress::<S, LAST>(s, units);
            s.store(s.narrow16(units, units), output);
        }
    }

    #[inline(always)]
    fn wide_up_to_4_bytes<W: WideSimd>(
        _: W,
        _: &WideBlock<W::Bytes>,
    ) -> Option<WideUnits<W::Bytes>> {
        None
    }

    #[inline(always)]
    fn write_wide_ascii<W: WideSimd>(w: W, bytes: W::Bytes, output: &mut [u8]) {
        if let Some(output) = output.first_chunk_mut() {
            w.store(bytes, output);
        }
    }

    #[inline(always)]
    fn write_wide<W: WideSimd>(w: W, units: WideUnits<W::Bytes>, output: &mut [u8]) {
        if let Some(output) = output.first_chunk_mut() {
            w.store(w.compress8(units.set, units.low), output);
        }
    }
}

/// Decodes a prefix of `src` while `dst` has space left. Returns the numbers of bytes read and
/// written.
pub fn decode(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(Latin1DecodeKernel { src, dst })
}

struct Latin1DecodeKernel<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for Latin1DecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Latin1DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'bytes: loop {
            let ascii =
                utf8_decode::encode_ascii::<S, Latin1Sink>(s, &src[read..], &mut dst[written..]);
            read += ascii;
            written += ascii;
            for _ in 0..STEPS_PER_ASCII_TEST {
                let Some(bytes) = src[read..].first_chunk() else { break 'bytes };
                let Some(output) = dst[written..].first_chunk_mut() else { break 'bytes };
                written += decode_vector(s, s.load(bytes), output);
                read += WIDTH;
            }
        }
        (read, written)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let Latin1DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'bytes: loop {
            let ascii = copy_ascii_wide(w, &src[read..], &mut dst[written..]);
            read += ascii;
            written += ascii;
            for _ in 0..WIDE_STEPS_PER_ASCII_TEST {
                let Some(bytes) = src[read..].first_chunk() else { break 'bytes };
                let Some(output) = dst[written..].first_chunk_mut() else { break 'bytes };
                written += decode_wide_step(w, w.load(bytes), output);
                read += WIDE_WIDTH;
            }
        }
        let rest = Latin1DecodeKernel { src: &src[read..], dst: &mut dst[written..] };
        let (more_read, more_written) = rest.run(w.narrow());
        (read + more_read, written + more_written)
    }
}

/// The number of steps of 16 bytes of the decoder between two tests for ASCII.
const STEPS_PER_ASCII_TEST: usize = 4;

/// The number of bytes in half a wide vector.
const HALF_WIDTH: usize = WIDE_WIDTH / 2;

/// The output capacity that a wide step of the decoder needs.
const WIDE_STEP_OUTPUT: usize = 2 * WIDE_WIDTH;

/// Decodes 64 bytes and returns the number of bytes written.
#[inline(always)]
fn decode_wide_step<W: WideSimd>(
    w: W,
    bytes: W::Bytes,
    output: &mut [u8; WIDE_STEP_OUTPUT],
) -> usize {
    /// A byte that UTF-8 does not have, instead of the lead byte of ASCII.
    const ABSENT: u8 = 0xFF;
    let (long, odd) = (w.movemask8(bytes), w.at_least8(bytes, w.splat8(0xC0)));
    let leads = w.select8(odd, w.splat8(0xC3), w.splat8(0xC2));
    let leads = w.select8(long, leads, w.splat8(ABSENT));
    let lasts = w.select8(odd, w.sub8(bytes, w.splat8(0x40)), bytes);
    let mut written = 0;
    for (half, pairs) in simd::zip_wide(w, leads, lasts).into_iter().enumerate() {
        let present = !w.eq8(pairs, w.splat8(ABSENT));
        utf8_encode::store_wide_at(w, w.compress8(present, pairs), output, written);
        let long = (long >> (half * HALF_WIDTH)) as u32;
        written += HALF_WIDTH + long.count_ones() as usize;
    }
    written
}

/// Decodes 16 bytes and returns the number of bytes written.
#[inline(always)]
fn decode_vector<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8; MAX_DOUBLE_OUTPUT]) -> usize {
    if s.movemask8(bytes) == 0 {
        utf8_encode::store_at(s, bytes, output, 0);
        return WIDTH;
    }
    let zero = s.splat8(0);
    let units = s.join([s.zip_low8(bytes, zero), s.zip_high8(bytes, zero)]);
    utf8_encode::encode_double_2byte(s, units, output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::{self, KernelTest};

    fn latin1_bytes(text: &str) -> Option<Vec<u8>> {
        text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
    }

    const ENCODER: KernelTest = KernelTest {
        run: |level: Level, src, dst| level.run(Latin1EncodeKernel { src, dst }),
        reference: |src| latin1_bytes(std::str::from_utf8(src).ok()?),
        min_lens: (24, 34),
    };

    const DECODER: KernelTest = KernelTest {
        run: |level: Level, src, dst| level.run(Latin1DecodeKernel { src, dst }),
        reference: |src| Some(src.iter().copied().map(char::from).collect::<String>().into_bytes()),
        min_lens: (WIDTH, MAX_DOUBLE_OUTPUT),
    };

    #[test]
    fn both_directions_agree_with_reference_at_every_length_and_alignment() {
        for text in testing::uniform_texts() {
            ENCODER.check_output_sizes(text.as_bytes());
            if let Some(bytes) = latin1_bytes(&text) {
                DECODER.check_output_sizes(&bytes);
                ENCODER.check_alignments(text.as_bytes());
                DECODER.check_alignments(&bytes);
            }
        }
    }

    #[test]
    fn unvalidated_text_is_encoded_up_to_malformed_sequences_at_most() {
        for filler in ["a", "\u{E9}", "a\u{E9}", "\u{BF}aa"] {
            for invalid in testing::MALFORMED.into_iter().step_by(testing::stride(5)) {
                for len in (0..150).step_by(testing::stride(67)) {
                    let text: String = filler.chars().cycle().take(len).collect();
                    let src = [text.as_bytes(), invalid, filler.repeat(150).as_bytes()].concat();
                    let all = src.utf8_chunks().next().map_or("", |chunk| chunk.valid());
                    for level in Level::all() {
                        let mut dst = vec![0; src.len() + 64];
                        let kernel = UnvalidatedEncodeKernel { src: &src, dst: &mut dst };
                        let (read, written) = level.run(kernel);
                        let context = format!("{level:?} {filler} {invalid:X?} {len}");
                        let expected = all.get(..read).and_then(latin1_bytes);
                        assert_eq!(Some(&dst[..written]), expected.as_deref(), "{context}: {read}");
                    }
                }
            }
        }
    }

    #[test]
    fn both_directions_agree_with_edge_characters_at_every_position() {
        for text in testing::edge_cases() {
            ENCODER.check(text.as_bytes(), text.len() + 64);
            if let Some(bytes) = latin1_bytes(&text) {
                DECODER.check(&bytes, 2 * bytes.len() + 64);
            }
        }
    }
}
