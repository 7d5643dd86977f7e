//! Both ways against the standard library, at every level.

use super::decode::Decode;
use super::encode::Values;
use crate::kernel::from_text::Encode;
use crate::kernel::samples::{self, Kernel};
use crate::kernel::simd::Level;

fn octets(text: &str, big: bool) -> Vec<u8> {
    let order = if big { u32::to_be_bytes } else { u32::to_le_bytes };
    text.chars().map(u32::from).flat_map(order).collect()
}

fn encode<const BIG: bool>(level: Level, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    level.run(Encode::<Values<BIG>>::new(src, dst))
}

fn encoded<const BIG: bool>(src: &[u8]) -> Option<Vec<u8>> {
    str::from_utf8(src).ok().map(|text| octets(text, BIG))
}

fn decode<const BIG: bool>(level: Level, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    level.run(Decode::<BIG> { src, dst })
}

fn decoded<const BIG: bool>(src: &[u8]) -> Option<Vec<u8>> {
    let order = if BIG { u32::from_be_bytes } else { u32::from_le_bytes };
    let (values, rest) = src.as_chunks::<4>();
    let characters = values.iter().map(|value| char::from_u32(order(*value)));
    characters.collect::<Option<String>>().filter(|_| rest.is_empty()).map(String::into_bytes)
}

const fn encoder<const BIG: bool>() -> Kernel {
    Kernel { run: encode::<BIG>, twin: encoded::<BIG>, least: (24, 100) }
}

const fn decoder<const BIG: bool>() -> Kernel {
    Kernel { run: decode::<BIG>, twin: decoded::<BIG>, least: (36, 36) }
}

#[test]
fn both_ways_agree_with_the_standard_library_at_every_length_place_and_room() {
    for text in samples::plain() {
        encoder::<false>().check_in_rooms(text.as_bytes());
        encoder::<true>().check_in_rooms(text.as_bytes());
        decoder::<false>().check_in_rooms(&octets(&text, false));
        decoder::<true>().check_in_rooms(&octets(&text, true));
        if text.len() % 7 == 0 {
            encoder::<true>().check_at_places(text.as_bytes());
            decoder::<true>().check_at_places(&octets(&text, true));
        }
    }
}

#[test]
fn both_ways_agree_wherever_an_odd_character_stands() {
    for text in samples::odd() {
        let room = 4 * text.len() + 64;
        encoder::<false>().check(text.as_bytes(), room);
        decoder::<false>().check(&octets(&text, false), room);
    }
}

#[test]
fn decoding_stops_at_what_is_no_character_wherever_it_stands() {
    for bad in [0xD800_u32, 0xDFFF, 0x11_0000, 0x20_0041, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] {
        for filler in ["a", "中", "🎂", "a🎂é中"] {
            for place in 0..if cfg!(miri) { 10 } else { 50 } {
                let value = |character| u32::from(character);
                let front = filler.chars().cycle().take(place).map(value);
                let behind = filler.chars().cycle().take(20).map(value);
                let all = front.chain([bad]).chain(behind);
                let octets: Vec<u8> = all.flat_map(u32::to_le_bytes).collect();
                decoder::<false>().check(&octets, 4 * octets.len());
            }
        }
    }
}
