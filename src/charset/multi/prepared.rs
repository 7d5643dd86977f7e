//! A decoder that is ready for a large input against the same one that is not.

use super::grid::Grid;
use super::quick;
use super::{ALL, columns};
use crate::charset::{Charset, Settings, stateful};
use crate::codec::{Decoder, Stop};
use crate::fault::Why;

/// Numbers that are the same each time (splitmix64).
fn numbers(mut seed: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    })
}

/// Runs of random bytes of one sort each: ASCII, lead bytes, 7-bit pairs, all bytes, and shifts.
fn bytes() -> Vec<u8> {
    let mut numbers = numbers(1);
    let mut bytes = Vec::new();
    while bytes.len() < 12_000 {
        let Some(kind) = numbers.next() else { break };
        let run = numbers.by_ref().take((kind >> 8) as usize % 30);
        match kind % 6 {
            0 => bytes.extend(run.map(|number| 0x20 + (number % 0x60) as u8)),
            1 => bytes.extend(run.map(|number| 0x81 + (number % 0x7E) as u8)),
            2 => bytes.extend(run.flat_map(|number| [0xB0 + (number % 24) as u8, 0xA1])),
            3 => bytes.extend(run.flat_map(|number| [0x30 + (number % 24) as u8, 0x21])),
            4 => bytes.extend(run.map(|number| number as u8)),
            _ => bytes.extend([&b"\x1B$B"[..], b"\x1B(B", b"\x0E", b"\x0F"][run.count() % 4]),
        }
    }
    bytes
}

/// Offset, length and reason of each fault.
type Faults = Vec<(usize, usize, Why)>;

fn decoded(decoder: &mut dyn Decoder, src: &[u8], room: usize) -> (Vec<u8>, Faults) {
    let (mut out, mut faults, mut read) = (Vec::new(), Vec::new(), 0);
    let mut dst = vec![0; room];
    loop {
        let progress = decoder.decode(&src[read..], &mut dst, true);
        out.extend_from_slice(&dst[..progress.written]);
        read += progress.read;
        match progress.stop {
            Stop::Input => return (out, faults),
            Stop::Output => assert!(progress.read + progress.written > 0, "no progress"),
            Stop::Fault(fault) => {
                faults.push((read, fault.len, fault.why));
                read += fault.next;
                decoder.resume(fault.then);
            }
        }
    }
}

fn all() -> impl Iterator<Item = &'static Charset> {
    ALL.iter().chain(stateful::ALL).copied()
}

#[test]
fn a_decoder_that_is_ready_for_much_decodes_what_another_one_does() {
    let src = bytes();
    for charset in all() {
        let plain = decoded(&mut *charset.decoder(&Settings::default()), &src, 1 << 18);
        for room in [16, 61, 1 << 18] {
            let mut ready = charset.decoder(&Settings::default());
            ready.prepare();
            assert!(decoded(&mut *ready, &src, room) == plain, "{} {room}", charset.name);
        }
    }
}

#[test]
fn each_pair_of_bytes_is_decoded_the_same() {
    let src: Vec<u8> = (0..=0xFFFF_u16).flat_map(u16::to_be_bytes).collect();
    for charset in all() {
        let plain = decoded(&mut *charset.decoder(&Settings::default()), &src, 1 << 18);
        let mut ready = charset.decoder(&Settings::default());
        ready.prepare();
        assert!(decoded(&mut *ready, &src, 1 << 18) == plain, "{}", charset.name);
    }
}

/// Grid, bytes, text: all but the last bytes are for the table.
const TEXTS: &[(Grid, &[u8], &str)] = &[
    (
        Grid::with_ascii(include_bytes!("grids/euc-kr.rows"), &columns::RIGHT),
        b"a\xB0\xA1 \xB0\xA1\xB0\xA1\xA5\xC1\xB0\xA1, \xB0\xA1\xB0\xA1\xB0\xA1\n",
        "a\u{AC00} \u{AC00}\u{AC00}\u{391}\u{AC00}, \u{AC00}\u{AC00}\u{AC00}\n",
    ),
    (
        Grid::with_ascii(include_bytes!("grids/sjis.rows"), &columns::SHIFT_JIS),
        b"\x5C\x88\x9F\x88\x9F\x7E\x88\x9F\x88\x9F\x88\x9F\x88\x9Fab",
        "\u{A5}\u{4E9C}\u{4E9C}\u{203E}\u{4E9C}\u{4E9C}\u{4E9C}\u{4E9C}ab",
    ),
    (
        Grid::bare(include_bytes!("grids/jisx0208.rows"), &columns::LEFT),
        b"\x30\x21\x30\x21\x30\x21\x30\x21\x26\x21\x30\x21\x30\x21\x30\x21",
        "\u{4E9C}\u{4E9C}\u{4E9C}\u{4E9C}\u{391}\u{4E9C}\u{4E9C}\u{4E9C}",
    ),
];

#[test]
fn the_table_reads_codes_of_one_byte_and_two_up_to_the_last_few() {
    for (grid, bytes, text) in TEXTS {
        let quick = quick::doubles(grid).expect("it has codes of two bytes");
        let (bytes, text) = (bytes.repeat(50), text.repeat(50));
        let mut dst = vec![0; 4 * bytes.len()];
        let (read, written) = quick.decode(&bytes, &mut dst);
        assert!(bytes.len() - read < 80, "{read} of {}", bytes.len());
        assert_eq!(dst[..written], text.as_bytes()[..written]);
    }
}

#[test]
fn the_table_stops_at_what_it_does_not_know() {
    let grid = Grid::with_ascii(include_bytes!("grids/euc-jp.rows"), &columns::RIGHT);
    let quick = quick::doubles(&grid).expect("it has codes of two bytes");
    for odd in [&b"\xFF"[..], b"\x80", b"\x8F\xB0\xA1", b"\xB0\x41", b"\xA9\xA1"] {
        for before in 0..12 {
            let bytes = [&b"\xB0\xA1".repeat(before), odd, &b"\xB0\xA1".repeat(60)].concat();
            let (read, written) = quick.decode(&bytes, &mut [0; 400]);
            assert_eq!((read, written), (2 * before, 3 * before), "{odd:02X?} {before}");
        }
    }
}
