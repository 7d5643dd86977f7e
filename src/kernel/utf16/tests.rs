//! Both ways against the standard library, at every level.

use super::decode::Utf16DecodeKernel;
use super::encode::Utf16Sink;
use crate::kernel::simd::Level;
use crate::kernel::testing::{self, KernelTest};
use crate::kernel::utf8_decode::FromUtf8Kernel;

fn utf16_bytes(text: &str, big: bool) -> Vec<u8> {
    let order = if big { u16::to_be_bytes } else { u16::to_le_bytes };
    text.encode_utf16().flat_map(order).collect()
}

fn run_encoder<const BIG: bool, const PAIRS: bool>(
    level: Level,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    level.run(FromUtf8Kernel::<Utf16Sink<BIG, PAIRS>>::new(src, dst))
}

fn reference_encode<const BIG: bool, const PAIRS: bool>(src: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(src).ok()?;
    let all = PAIRS || text.chars().all(|character| character <= '\u{FFFF}');
    all.then(|| utf16_bytes(text, BIG))
}

fn run_decoder<const BIG: bool, const PAIRS: bool>(
    level: Level,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    level.run(Utf16DecodeKernel::<BIG, PAIRS> { src, dst })
}

fn reference_decode<const BIG: bool, const PAIRS: bool>(src: &[u8]) -> Option<Vec<u8>> {
    let order = if BIG { u16::from_be_bytes } else { u16::from_le_bytes };
    let (units, rest) = src.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|unit| order(*unit)).collect();
    let text = String::from_utf16(&units).ok().filter(|_| rest.is_empty())?;
    let all = PAIRS || text.chars().all(|character| character <= '\u{FFFF}');
    all.then(|| text.into_bytes())
}

const fn encoder<const BIG: bool, const PAIRS: bool>() -> KernelTest {
    let min_lens = (24, 56);
    KernelTest {
        run: run_encoder::<BIG, PAIRS>,
        reference: reference_encode::<BIG, PAIRS>,
        min_lens: min_lens,
    }
}

const fn decoder<const BIG: bool, const PAIRS: bool>() -> KernelTest {
    let min_lens = (22, 36);
    KernelTest {
        run: run_decoder::<BIG, PAIRS>,
        reference: reference_decode::<BIG, PAIRS>,
        min_lens: min_lens,
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
    for filler in [&[0x41_u16][..], &[0x4E2D], &[0xD83D, 0xDE00], &[0x41, 0xD83D, 0xDE00, 0xE9]] {
        for invalid in invalid {
            for position in 0..if cfg!(miri) { 10 } else { 50 } {
                let units = filler.iter().cycle().take(position).chain(invalid);
                let units = units.chain(filler.iter().cycle().take(80));
                let bytes: Vec<u8> = units.flat_map(|unit| unit.to_le_bytes()).collect();
                decoder::<false, true>().check(&bytes, 4 * bytes.len());
                decoder::<false, false>().check(&bytes, 4 * bytes.len());
            }
        }
    }
}
