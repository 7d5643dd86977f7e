//! Loops that answer "how far", never "why".
//!
//! A kernel converts as much as it is certain about and says how far it came. It knows no errors:
//! at the first doubt the codec takes over. Each has a plain twin in its tests that it must agree
//! with at every length and alignment. This is the only directory where unsafe code may stand; what
//! depends on a processor is in `simd` alone.

pub mod ascii;
pub mod ascii_set;
pub mod base64;
pub mod byte_table;
pub mod compress;
pub mod count;
pub mod dbcs;
pub mod encoded_word_scan;
pub mod latin1;
pub mod same_length_run;
pub mod simd;
#[cfg(test)]
mod testing;
pub mod utf16;
pub mod utf32;
pub mod utf5;
pub mod utf7;
pub mod utf8;
pub mod utf8_decode;
pub mod utf8_encode;
pub mod utf8_to_utf16;
