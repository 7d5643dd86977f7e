//! A fingerprint of the table of an encoding.

use charpipe::internals::codec::{State, Status};
use charpipe::internals::encoding::{self, EncodingOptions};

/// FNV-1a, 64 bits, of all that codes of one and two bytes decode to, and of all that the characters
/// of the Basic Multilingual Plane encode to.
pub fn fingerprint(name: &str) -> String {
    let encoding = encoding::for_label(name).unwrap();
    let mut print: u64 = 0xCBF2_9CE4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0xFF]) {
            print = (print ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
    };
    let mut space = [0; 64];
    let mut decoder = encoding.decoder(&EncodingOptions::default());
    let one = (0..=0xFF_u8).map(|byte| vec![byte]);
    let two = (0..=0xFFFF_u16).map(|two| two.to_be_bytes().to_vec());
    for code in one.chain(two) {
        decoder.restore_state(State::INITIAL);
        let progress = decoder.decode(&code, &mut space, true);
        let given = progress.status == Status::InputEmpty;
        add(if given { &space[..progress.written] } else { &[0xFE] });
    }
    let mut encoder = encoding.encoder(&EncodingOptions::default());
    for character in '\0'..='\u{FFFF}' {
        encoder.restore_state(State::INITIAL);
        let progress = encoder.encode(character.encode_utf8(&mut [0; 4]), &mut space, true);
        let given = progress.status == Status::InputEmpty;
        add(if given { &space[..progress.written] } else { &[0xFE] });
    }
    format!("{print:016x}")
}
