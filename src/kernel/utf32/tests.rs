//! Both ways against the standard library, at every level.

use super::decode::Utf32DecodeKernel;
use super::encode::Utf32Sink;
use crate::kernel::simd::Level;
use crate::kernel::testing::{self, KernelTest};
use crate::kernel::utf8_decode::FromUtf8Kernel;

fn utf32_bytes(text: &str, big: bool) -> Vec<u8> {
    let order = if big { u32::to_be_bytes } else { u32::to_le_bytes };
    text.chars().map(u32::from).flat_map(order).collect()
}

fn run_encoder<const BIG: bool>(level: Level, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    level.run(FromUtf8Kernel::<Utf32Sink<BIG>>::new(src, dst))
}

fn reference_encode<const BIG: bool>(src: &[u8]) -> Option<Vec<u8>> {
    str::from_utf8(src).ok().map(|text| utf32_bytes(text, BIG))
}

fn run_decoder<const BIG: bool>(level: Level, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    level.run(Utf32DecodeKernel::<BIG> { src, dst })
}

fn reference_decode<const BIG: bool>(src: &[u8]) -> Option<Vec<u8>> {
    let order = if BIG { u32::from_be_bytes } else { u32::from_le_bytes };
    let (values, rest) = src.as_chunks::<4>();
    let characters = values.iter().map(|value| char::from_u32(order(*value)));
    characters.collect::<Option<String>>().filter(|_| rest.is_empty()).map(String::into_bytes)
}

const fn encoder<const BIG: bool>() -> KernelTest {
    KernelTest { run: run_encoder::<BIG>, reference: reference_encode::<BIG>, min_lens: (24, 100) }
}

const fn decoder<const BIG: bool>() -> KernelTest {
    KernelTest { run: run_decoder::<BIG>, reference: reference_decode::<BIG>, min_lens: (36, 36) }
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
fn both_directions_agree_with_edge_characters_at_every_position() {
    for text in testing::edge_cases() {
        let output_len = 4 * text.len() + 64;
        encoder::<false>().check(text.as_bytes(), output_len);
        decoder::<false>().check(&utf32_bytes(&text, false), output_len);
    }
}

#[test]
fn decoding_stops_at_an_invalid_value_at_every_position() {
    for invalid in [0xD800_u32, 0xDFFF, 0x11_0000, 0x20_0041, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF]
    {
        for filler in ["a", "中", "🎂", "a🎂é中"] {
            for position in 0..if cfg!(miri) { 10 } else { 50 } {
                let value = |character| u32::from(character);
                let front = filler.chars().cycle().take(position).map(value);
                let after = filler.chars().cycle().take(20).map(value);
                let all = front.chain([invalid]).chain(after);
                let bytes: Vec<u8> = all.flat_map(u32::to_le_bytes).collect();
                decoder::<false>().check(&bytes, 4 * bytes.len());
            }
        }
    }
}
