//! The kernels at every level against slow twins that know rows of bits.

use super::{decode, encode};
use crate::kernel::base64::Alphabet;
use crate::kernel::set::Set;
use crate::kernel::simd::Level;

const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn is_direct(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"'(),-./:? \t\r\n".contains(&octet)
}

fn digit(octet: u8) -> Option<usize> {
    DIGITS.bytes().position(|digit| digit == octet)
}

/// What well-formed octets mean, from a place with `taken` bits of a run's next octet taken.
fn text(wire: &[u8], taken: Option<u8>) -> String {
    let (mut units, mut at, mut taken) = (Vec::new(), 0, taken);
    loop {
        if let Some(skip) = taken.take() {
            let run = wire[at..].iter().map_while(|octet| digit(*octet));
            let bits: Vec<u16> = run
                .flat_map(|value| (0..6).rev().map(move |bit| (value >> bit & 1) as u16))
                .collect();
            at += bits.len() / 6 + usize::from(wire.get(at + bits.len() / 6) == Some(&b'-'));
            let whole = bits[usize::from(skip)..].chunks_exact(16);
            assert!(whole.remainder().len() < 6 && !whole.remainder().contains(&1));
            units.extend(whole.map(|bits| bits.iter().fold(0, |unit, bit| unit << 1 | bit)));
        }
        match wire[at..] {
            [] => return String::from_utf16(&units).unwrap(),
            [b'+', b'-', ..] => {
                units.push(u16::from(b'+'));
                at += 2;
            }
            [b'+', ..] => {
                taken = Some(0);
                at += 1;
            }
            [octet, ..] => {
                assert!(is_direct(octet));
                units.push(octet.into());
                at += 1;
            }
        }
    }
}

/// The octets of a text, from the outside of a run or from one that is open.
fn wire(text: &str, in_run: bool) -> Vec<u8> {
    let is_direct = |character: char| u8::try_from(character).is_ok_and(is_direct);
    let (mut octets, mut rest, mut in_run) = (Vec::new(), text, in_run);
    while let Some(first) = rest.chars().next() {
        let run = rest.find(is_direct).unwrap_or(rest.len());
        if in_run || run > 0 && first != '+' {
            octets.extend(b"+".iter().filter(|_| !in_run));
            let units: Vec<u16> = rest[..run].encode_utf16().collect();
            let bits = units.iter().flat_map(|unit| (0..16).rev().map(move |bit| unit >> bit & 1));
            let mut bits: Vec<u16> = bits.collect();
            bits.resize(bits.len().next_multiple_of(6), 0);
            let value =
                |bits: &[u16]| bits.iter().fold(0, |value, bit| value << 1 | usize::from(*bit));
            octets.extend(bits.chunks(6).map(|bits| DIGITS.as_bytes()[value(bits)]));
            rest = &rest[run..];
            let next = rest.bytes().next();
            octets
                .extend(next.filter(|next| *next == b'-' || digit(*next).is_some()).map(|_| b'-'));
            in_run = false;
        } else if first == '+' {
            octets.extend(b"+-");
            rest = &rest[1..];
        } else {
            octets.push(first as u8);
            rest = &rest[1..];
        }
    }
    octets
}

/// Texts with runs of every sort and length among direct characters, in an order by chance.
fn texts() -> impl Iterator<Item = String> {
    const SORTS: [&[char]; 8] = [
        &['a', 'Z', ' ', '-', '/'],
        &['é', 'ж', '\u{80}', '\u{7FF}'],
        &['中', '\u{800}', '\u{D7FF}', '\u{E000}', '\u{FFFF}'],
        &['😀', '\u{10000}', '\u{10FFFF}'],
        &['"', '=', '~', '\0', '\u{7F}'],
        &['é', '中', '😀', '+', '"'],
        &['+'],
        &['b'],
    ];
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = move |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as usize % limit
    };
    (0..400).map(move |round| {
        let longest = [3, 9, 30, 90][round % 4];
        let mut text = String::new();
        while text.len() < 300 {
            let sort = SORTS[below(SORTS.len())];
            for _ in 0..below(longest) {
                text.push(sort[below(sort.len())]);
            }
            text.push_str(["", "a", " b"][below(3)]);
        }
        text
    })
}

fn decoder() -> decode::Form {
    decode::Form {
        shift: b'+',
        direct: Set::new(is_direct),
        alphabet: Alphabet::ending_in(b'/'),
        ascii_in_run: true,
        one_spelling: false,
    }
}

fn encoder() -> encode::Form {
    let hyphen_before = |octet: usize| octet == usize::from(b'-') || digit(octet as u8).is_some();
    encode::Form {
        shift: b'+',
        direct: Set::new(is_direct),
        alphabet: Alphabet::ending_in(b'/'),
        hyphen_before: std::array::from_fn(hyphen_before),
        shift_in_run: true,
    }
}

#[test]
fn what_is_decoded_and_what_is_left_are_the_whole_text_at_every_level() {
    let form = decoder();
    for expected in texts() {
        let src = wire(&expected, false);
        assert_eq!(text(&src, None), expected);
        for room in [0, 115, 116, 131, 200, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; room];
                let reached = decode::at(level, &form, false, &src, &mut dst);
                // It may go back to the first half of a pair.
                let near = src.len() - reached.read < decode::NEAR + 3;
                let full = room - reached.written < decode::ROOM;
                assert!(near || full, "{level:?} stops early in {expected:?}");
                let read = String::from_utf8(dst[..reached.written].to_vec()).unwrap();
                let whole = read + &text(&src[reached.read..], reached.run);
                assert_eq!(whole, expected, "{level:?} {room} {reached:?}");
            }
        }
    }
}

#[test]
fn nothing_is_decoded_from_a_fault_on_wherever_it_stands() {
    let form = decoder();
    let long = "й".repeat(40) + " and " + &"中文😀".repeat(9) + &"z".repeat(90);
    let good = wire(&long, false);
    for at in 0..good.len() - 80 {
        for fault in [b'~', 0x80, 0xFF, b'\\'] {
            let mut src = good.clone();
            src[at] = fault;
            for level in Level::all() {
                let mut dst = vec![0x55; 2000];
                let reached = decode::at(level, &form, false, &src, &mut dst);
                let read = str::from_utf8(&dst[..reached.written]).unwrap();
                assert!(long.starts_with(read), "{level:?} {at} {fault}");
                let is_near = reached.read <= at && at < reached.read + decode::NEAR;
                assert!(is_near, "{level:?} {at} {fault} {reached:?}");
            }
        }
    }
}

#[test]
fn runs_that_mean_no_text_are_left_alone() {
    let form = decoder();
    // Lone halves of pairs, pairs in the wrong order, bits to spare, digits to spare, and no run.
    let bad =
        ["2D0-", "3AA-", "3gDYPQ-", "2D0AQQ-", "AOl-", "AOkA-", "AOkAAAA-", "A-", "AA-", "!", " "];
    for bad in bad {
        for before in 0..70 {
            let src = "x".repeat(before) + "+" + bad + &"y".repeat(150);
            for level in Level::all() {
                let mut dst = vec![0x55; 2000];
                let reached = decode::at(level, &form, false, src.as_bytes(), &mut dst);
                let expected = decode::Reached { read: before, written: before, run: None };
                assert_eq!(reached, expected, "{level:?} {bad} {before}");
            }
        }
    }
}

#[test]
fn a_form_of_one_spelling_wants_hyphens_and_no_neighbours_and_no_ascii() {
    let form = decode::Form { ascii_in_run: false, one_spelling: true, ..decoder() };
    for (src, read) in [
        ("+AOk-é", 5),
        ("+AOk.", 0),
        ("+AOk-+AOk-", 0),
        ("+AOk-+-", 0),
        ("+AEE-", 0),
        ("+AOkAQQ-", 0),
        ("+--", 3),
    ] {
        let (prefix, suffix) = ("x".repeat(20), "\u{7F}".repeat(150));
        let src = format!("{prefix}{src}{suffix}");
        for level in Level::all() {
            let mut dst = vec![0x55; 2000];
            let reached = decode::at(level, &form, false, src.as_bytes(), &mut dst);
            assert_eq!(reached.read, 20 + read, "{level:?} {src}");
        }
    }
}

#[test]
fn what_is_encoded_and_what_is_left_are_the_whole_text_at_every_level() {
    let form = encoder();
    for text in texts() {
        let expected = wire(&text, false);
        for room in [0, 97, 98, 120, 200, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; room];
                let reached = encode::at(level, &form, false, &text, &mut dst);
                let near = text.len() - reached.read < encode::NEAR;
                let full = room - reached.written < encode::ROOM;
                // A row of pairs and single units may never come to a multiple of three units.
                assert!(near || full || text.contains(|c| c > '\u{FFFF}'), "{level:?} {text:?}");
                let whole = [&dst[..reached.written], &wire(&text[reached.read..], reached.in_run)];
                let whole = String::from_utf8(whole.concat()).unwrap();
                assert_eq!(whole.as_bytes(), expected, "{level:?} {room} {reached:?}");
            }
        }
    }
}
