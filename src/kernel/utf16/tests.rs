//! Both ways against the standard library, at every level.

use super::decode::Decode;
use super::encode::Units;
use crate::kernel::from_text::Encode;
use crate::kernel::samples::{self, Kernel};
use crate::kernel::simd::Level;

fn octets(text: &str, big: bool) -> Vec<u8> {
    let order = if big { u16::to_be_bytes } else { u16::to_le_bytes };
    text.encode_utf16().flat_map(order).collect()
}

fn encode<const BIG: bool, const PAIRS: bool>(
    level: Level,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    level.run(Encode::<Units<BIG, PAIRS>>::new(src, dst))
}

fn encoded<const BIG: bool, const PAIRS: bool>(src: &[u8]) -> Option<Vec<u8>> {
    let text = str::from_utf8(src).ok()?;
    let all = PAIRS || text.chars().all(|character| character <= '\u{FFFF}');
    all.then(|| octets(text, BIG))
}

fn decode<const BIG: bool, const PAIRS: bool>(
    level: Level,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    level.run(Decode::<BIG, PAIRS> { src, dst })
}

fn decoded<const BIG: bool, const PAIRS: bool>(src: &[u8]) -> Option<Vec<u8>> {
    let order = if BIG { u16::from_be_bytes } else { u16::from_le_bytes };
    let (units, rest) = src.as_chunks::<2>();
    let units: Vec<u16> = units.iter().map(|unit| order(*unit)).collect();
    let text = String::from_utf16(&units).ok().filter(|_| rest.is_empty())?;
    let all = PAIRS || text.chars().all(|character| character <= '\u{FFFF}');
    all.then(|| text.into_bytes())
}

const fn encoder<const BIG: bool, const PAIRS: bool>() -> Kernel {
    let least = (24, 56);
    Kernel { run: encode::<BIG, PAIRS>, twin: encoded::<BIG, PAIRS>, least }
}

const fn decoder<const BIG: bool, const PAIRS: bool>() -> Kernel {
    let least = (22, 36);
    Kernel { run: decode::<BIG, PAIRS>, twin: decoded::<BIG, PAIRS>, least }
}

#[test]
fn encoding_agrees_with_the_standard_library_at_every_length_place_and_room() {
    for text in samples::plain() {
        encoder::<false, true>().check_in_rooms(text.as_bytes());
        encoder::<true, true>().check_in_rooms(text.as_bytes());
        encoder::<false, false>().check_in_rooms(text.as_bytes());
        if text.len() % 7 == 0 {
            encoder::<false, true>().check_at_places(text.as_bytes());
        }
    }
}

#[test]
fn decoding_agrees_with_the_standard_library_at_every_length_place_and_room() {
    for text in samples::plain() {
        decoder::<false, true>().check_in_rooms(&octets(&text, false));
        decoder::<true, true>().check_in_rooms(&octets(&text, true));
        decoder::<false, false>().check_in_rooms(&octets(&text, false));
        if text.len() % 7 == 0 {
            decoder::<false, true>().check_at_places(&octets(&text, false));
        }
    }
}

#[test]
fn both_ways_agree_wherever_an_odd_character_stands() {
    for text in samples::odd() {
        let room = 4 * text.len() + 64;
        encoder::<true, true>().check(text.as_bytes(), room);
        encoder::<true, false>().check(text.as_bytes(), room);
        decoder::<true, true>().check(&octets(&text, true), room);
        decoder::<true, false>().check(&octets(&text, true), room);
    }
}

#[test]
fn decoding_stops_at_a_surrogate_without_its_other_half_wherever_it_stands() {
    let bad: [&[u16]; 8] = [
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
        for bad in bad {
            for place in 0..if cfg!(miri) { 10 } else { 50 } {
                let units = filler.iter().cycle().take(place).chain(bad);
                let units = units.chain(filler.iter().cycle().take(80));
                let octets: Vec<u8> = units.flat_map(|unit| unit.to_le_bytes()).collect();
                decoder::<false, true>().check(&octets, 4 * octets.len());
                decoder::<false, false>().check(&octets, 4 * octets.len());
            }
        }
    }
}
