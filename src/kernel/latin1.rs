//! ISO-8859-1 to and from UTF-8.

use super::simd::{self, Kernel, Simd, WIDTH, WideSimd};
use super::utf8_decode::{self, FromUtf8Kernel, InputWindow, UnitLanes, UnitSink};
use super::utf8_decode_wide::{WideBlock, WideUnits};
use super::utf8_encode::{self, MAX_ENCODED_LEN};

/// Encodes a prefix of `src`, up to the first character above U+00FF, while `dst` has space left.
/// Returns the numbers of bytes read and written.
pub fn encode(src: &str, dst: &mut [u8]) -> (usize, usize) {
    simd::run(FromUtf8Kernel::<Latin1Sink>::new(src.as_bytes(), dst))
}

struct Latin1Sink;

impl UnitSink for Latin1Sink {
    const UNIT_LEN: usize = 1;
    const MAX_OUTPUT: usize = 2 * WIDTH;
    /// The lead byte of U+0100.
    const STOP_LEAD: u8 = 0xC4;
    const LONG_UNITS: usize = 1;

    #[inline(always)]
    fn up_to_4_bytes<S: Simd>(_: S, _: &InputWindow) -> Option<UnitLanes<S::Bytes>> {
        None
    }

    #[inline(always)]
    fn write_ascii<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8]) {
        if let Some(output) = output.first_chunk_mut() {
            s.store(bytes, output);
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
            for _ in 0..utf8_decode::ASCII_GROUP_VECTORS {
                let Some(bytes) = src[read..].first_chunk() else { break 'bytes };
                let Some(output) = dst.get_mut(written..written + 2 * MAX_ENCODED_LEN) else {
                    break 'bytes;
                };
                written += decode_vector(s, s.load(bytes), output);
                read += WIDTH;
            }
        }
        (read, written)
    }
}

/// Decodes 16 bytes and returns the number of bytes written.
#[inline(always)]
fn decode_vector<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8]) -> usize {
    if s.movemask8(bytes) == 0 {
        if let Some(output) = output.first_chunk_mut() {
            s.store(bytes, output);
        }
        return WIDTH;
    }
    let units = [s.zip_low8(bytes, s.splat8(0)), s.zip_high8(bytes, s.splat8(0))];
    let mut written = 0;
    for units in units {
        if let Some(output) = output[written..].first_chunk_mut() {
            written += utf8_encode::encode_2byte(s, units, output);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;
    use crate::kernel::testing::{self, KernelTest};

    fn latin1_bytes(text: &str) -> Option<Vec<u8>> {
        text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
    }

    const ENCODER: KernelTest = KernelTest {
        run: |level: Level, src, dst| level.run(FromUtf8Kernel::<Latin1Sink>::new(src, dst)),
        reference: |src| latin1_bytes(std::str::from_utf8(src).ok()?),
        min_lens: (24, 34),
    };

    const DECODER: KernelTest = KernelTest {
        run: |level: Level, src, dst| level.run(Latin1DecodeKernel { src, dst }),
        reference: |src| Some(src.iter().copied().map(char::from).collect::<String>().into_bytes()),
        min_lens: (WIDTH, 2 * MAX_ENCODED_LEN),
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
    fn both_directions_agree_with_edge_characters_at_every_position() {
        for text in testing::edge_cases() {
            ENCODER.check(text.as_bytes(), text.len() + 64);
            if let Some(bytes) = latin1_bytes(&text) {
                DECODER.check(&bytes, 2 * bytes.len() + 64);
            }
        }
    }
}
