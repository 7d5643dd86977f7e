//! Loops that answer "how far", never "why".
//!
//! A kernel converts as much as it is certain about and says how far it came. It knows no faults:
//! at the first doubt the codec takes over. Each has a plain twin in its tests that it must agree
//! with at every length and alignment. This is the only folder where unsafe code may stand; what
//! depends on a processor is in `simd` alone.

pub mod ascii;
pub mod base64;
pub mod block;
pub mod count;
pub mod from_text;
pub mod front;
pub mod gather;
pub mod header;
pub mod latin1;
pub mod octet;
#[cfg(test)]
mod samples;
pub mod set;
pub mod simd;
pub mod to_text;
pub mod utf16;
pub mod utf32;
pub mod utf5;
pub mod utf7;
pub mod utf8;
