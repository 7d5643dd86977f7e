//! Bytes to decode: those that mean something in some encoding, in every short order, and what
//! the encoding's own encoder writes, whole and damaged.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::codec_pair::{CodecCase, ENCODERS};
use crate::counted_driver::{drive, single_chunk};
use crate::texts;
use charpipe_test_support::XorShift;

/// Controls, digits, letters, shift characters, leads and trails, and what lies on either side.
const INTERESTING_BYTES: &[u8] = &[
    0x00, 0x09, 0x0A, 0x0D, 0x20, 0x26, 0x2B, 0x2D, 0x2F, 0x30, 0x41, 0x47, 0x48, 0x5C, 0x61, 0x7A,
    0x7E, 0x7F, 0x80, 0x84, 0x88, 0x8F, 0x90, 0x9F, 0xA0, 0xA1, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
    0xE1, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xF8, 0xFC, 0xFD, 0xFE, 0xFF, 0xD8, 0xDC,
];

const FEW_BYTES: &[u8] = &[0x00, 0x0A, 0x2B, 0x2D, 0x41, 0x47, 0x80, 0xA0, 0xD8, 0xED, 0xF0, 0xFF];

/// Of the encoded texts up to `.0` bytes, every `.1`th is damaged at every position.
const SHORT_INPUT: usize = 32;
const CORRUPTED_COUNT: usize = 20;

/// Bytes for every encoding: each one, each two and three of those above, and some at random.
fn common_inputs() -> &'static [Vec<u8>] {
    static COMMON: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    COMMON.get_or_init(|| {
        let mut inputs = vec![Vec::new()];
        inputs.extend((0..=0xFF).map(|byte| vec![byte]));
        for one in INTERESTING_BYTES {
            inputs.extend(INTERESTING_BYTES.iter().map(|two| vec![*one, *two]));
        }
        for one in FEW_BYTES {
            for two in FEW_BYTES {
                inputs.extend(FEW_BYTES.iter().map(|three| vec![*one, *two, *three]));
            }
        }
        let mut random = XorShift::new(0x3629);
        inputs.extend((0..600).map(|_| random.some(12, INTERESTING_BYTES)));
        inputs.extend((0..600).map(|_| random.some(8, FEW_BYTES)));
        inputs
    })
}

/// All bytes that the decoders of this encoding are given.
pub fn inputs(stage: &CodecCase) -> Vec<Vec<u8>> {
    let mut inputs: BTreeSet<Vec<u8>> = common_inputs().iter().cloned().collect();
    let encoded = encoded_texts(stage);
    let alphabet: BTreeSet<u8> = encoded.iter().flatten().copied().collect();
    let alphabet = Vec::from_iter(alphabet);
    let mut random = XorShift::new(0x1642);
    if !alphabet.is_empty() {
        inputs.extend((0..600).map(|_| random.some(12, &alphabet)));
    }
    for bytes in encoded.iter().filter(|bytes| bytes.len() <= SHORT_INPUT).step_by(CORRUPTED_COUNT)
    {
        inputs.extend(corrupted(bytes, &mut random, &alphabet));
    }
    inputs.extend(encoded);
    inputs.into_iter().collect()
}

/// Returns the encoded texts, without unmappable characters.
fn encoded_texts(stage: &CodecCase) -> BTreeSet<Vec<u8>> {
    let mut encoded = BTreeSet::new();
    for part in ENCODERS {
        let encoder = stage.with_kind(*part);
        if let Some(mut half) = encoder.create() {
            for text in texts::inputs(*part).iter().filter(|text| text.len() > 3) {
                half.restore_state(Default::default());
                let transcript = drive(&mut half, text, &single_chunk(), &mut |_, _| Ok(()));
                encoded.extend(transcript.map(|transcript| transcript.out));
            }
        }
    }
    encoded
}

/// These bytes truncated at every position, and with one of them changed at every position.
fn corrupted(bytes: &[u8], random: &mut XorShift, alphabet: &[u8]) -> Vec<Vec<u8>> {
    let mut damaged = Vec::new();
    for at in 0..bytes.len() {
        damaged.push(bytes[..at].to_vec());
        let other =
            [random.one(INTERESTING_BYTES), random.one(alphabet), bytes[at] ^ 1 << random.below(8)];
        for byte in other {
            let mut changed = bytes.to_vec();
            changed[at] = byte;
            damaged.push(changed);
        }
    }
    damaged
}
