//! A fingerprint of the table of an encoding.

use charpipe::charset::{self, Settings};
use charpipe::codec::{State, Stop};

/// FNV-1a, 64 bits, of all that codes of one and two bytes decode to, and of all that the characters
/// of the Basic Multilingual Plane encode to.
pub fn fingerprint(name: &str) -> String {
    let charset = charset::find(name).unwrap();
    let mut print: u64 = 0xCBF2_9CE4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0xFF]) {
            print = (print ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
    };
    let mut room = [0; 64];
    let mut decoder = charset.decoder(&Settings::default());
    let one = (0..=0xFF_u8).map(|byte| vec![byte]);
    let two = (0..=0xFFFF_u16).map(|two| two.to_be_bytes().to_vec());
    for code in one.chain(two) {
        decoder.resume(State::START);
        let progress = decoder.decode(&code, &mut room, true);
        let given = progress.stop == Stop::Input;
        add(if given { &room[..progress.written] } else { &[0xFE] });
    }
    let mut encoder = charset.encoder(&Settings::default());
    for character in '\0'..='\u{FFFF}' {
        encoder.resume(State::START);
        let progress = encoder.encode(character.encode_utf8(&mut [0; 4]), &mut room, true);
        let given = progress.stop == Stop::Input;
        add(if given { &room[..progress.written] } else { &[0xFE] });
    }
    format!("{print:016x}")
}
