//! Octets to decode: those that mean something in some charset, in every short order, and what
//! the charset's own encoder writes, whole and damaged.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::half::{ENCODERS, Stage};
use crate::random::Random;
use crate::texts;
use crate::walk::{at_once, walk};

/// Controls, digits, letters, shift characters, leads and trails, and what lies on either side.
const OCTETS: &[u8] = &[
    0x00, 0x09, 0x0A, 0x0D, 0x20, 0x26, 0x2B, 0x2D, 0x2F, 0x30, 0x41, 0x47, 0x48, 0x5C, 0x61, 0x7A,
    0x7E, 0x7F, 0x80, 0x84, 0x88, 0x8F, 0x90, 0x9F, 0xA0, 0xA1, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0,
    0xE1, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xF8, 0xFC, 0xFD, 0xFE, 0xFF, 0xD8, 0xDC,
];

const FEW: &[u8] = &[0x00, 0x0A, 0x2B, 0x2D, 0x41, 0x47, 0x80, 0xA0, 0xD8, 0xED, 0xF0, 0xFF];

/// Of the encoded texts up to so many octets, every so many is damaged at every place.
const SHORT: usize = 32;
const DAMAGED: usize = 20;

/// Octets for every charset: each one, each two and three of those above, and some at random.
fn common() -> &'static [Vec<u8>] {
    static COMMON: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    COMMON.get_or_init(|| {
        let mut inputs = vec![Vec::new()];
        inputs.extend((0..=0xFF).map(|octet| vec![octet]));
        for one in OCTETS {
            inputs.extend(OCTETS.iter().map(|two| vec![*one, *two]));
        }
        for one in FEW {
            for two in FEW {
                inputs.extend(FEW.iter().map(|three| vec![*one, *two, *three]));
            }
        }
        let mut random = Random::new(0x3629);
        inputs.extend((0..600).map(|_| random.some(12, OCTETS)));
        inputs.extend((0..600).map(|_| random.some(8, FEW)));
        inputs
    })
}

/// All octets that the decoders of this charset are given.
pub fn inputs(stage: &Stage) -> Vec<Vec<u8>> {
    let mut inputs: BTreeSet<Vec<u8>> = common().iter().cloned().collect();
    let encoded = encoded(stage);
    let alphabet: BTreeSet<u8> = encoded.iter().flatten().copied().collect();
    let alphabet = Vec::from_iter(alphabet);
    let mut random = Random::new(0x1642);
    if !alphabet.is_empty() {
        inputs.extend((0..600).map(|_| random.some(12, &alphabet)));
    }
    for octets in encoded.iter().filter(|octets| octets.len() <= SHORT).step_by(DAMAGED) {
        inputs.extend(damaged(octets, &mut random, &alphabet));
    }
    inputs.extend(encoded);
    inputs.into_iter().collect()
}

/// What the charset's encoders make of the texts, without the characters that it has no code for.
fn encoded(stage: &Stage) -> BTreeSet<Vec<u8>> {
    let mut encoded = BTreeSet::new();
    for part in ENCODERS {
        let encoder = stage.beside(*part);
        if let Some(mut half) = encoder.make() {
            for text in texts::inputs(*part).iter().filter(|text| text.len() > 3) {
                half.resume(Default::default());
                let transcript = walk(&mut half, text, &at_once(), &mut |_, _| Ok(()));
                encoded.extend(transcript.map(|transcript| transcript.out));
            }
        }
    }
    encoded
}

/// These octets cut short at every place, and with one of them changed at every place.
fn damaged(octets: &[u8], random: &mut Random, alphabet: &[u8]) -> Vec<Vec<u8>> {
    let mut damaged = Vec::new();
    for at in 0..octets.len() {
        damaged.push(octets[..at].to_vec());
        let other = [random.one(OCTETS), random.one(alphabet), octets[at] ^ 1 << random.below(8)];
        for octet in other {
            let mut changed = octets.to_vec();
            changed[at] = octet;
            damaged.push(changed);
        }
    }
    damaged
}
