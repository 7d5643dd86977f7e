//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Vectorized loops over byte slices.
//!
//! A kernel converts the part of its input that is certainly well-formed and returns the numbers of
//! bytes read and written. It reports no errors: where it stops, the codec takes over. Each kernel
//! has a scalar reference implementation in its tests and must agree with it at every length and
//! alignment. Everything that depends on the processor is in [`simd`], which holds the only unsafe
//! code.
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * [`simd`], [`bulk_copy`], [`same_length_run`]: what depends on the processor, copies
//! * [`ascii`], [`ascii_set`], [`utf8`], [`utf8_bytes`], [`utf8_validate`], [`digit_lines`], [`hex`], [`compress`]: runs of ASCII and of UTF-8
//! * [`utf8_decode`], `utf8_decode_wide`, [`utf8_encode`], [`utf8_patterns`], [`utf8_replace`], [`utf8_to_utf16`], [`utf16`], [`utf32`]: Unicode encodings
//! * [`byte_table`], `byte_table_wide`, [`latin1`], [`dbcs`]: other encodings
//! * [`base64`], [`base64_bytes`], [`byte_escapes`], [`quoted_printable`], [`utf5`], [`utf7`]: encodings of bytes as text
//! * [`buffer`], [`count`], [`encoded_word_scan`], [`line_ending`], [`special_bytes`]: buffers, counts, searches

#![allow(missing_debug_implementations, reason = "kernels are not values to print")]

pub mod ascii;
pub mod ascii_set;
pub mod base64;
pub mod base64_bytes;
pub mod buffer;
pub mod bulk_copy;
pub mod byte_escapes;
pub mod byte_table;
mod byte_table_wide;
pub mod compress;
pub mod count;
pub mod dbcs;
pub mod digit_lines;
pub mod encoded_word_scan;
pub mod hex;
pub mod latin1;
pub mod line_ending;
pub mod quoted_printable;
pub mod same_length_run;
pub mod simd;
pub mod special_bytes;
#[cfg(test)]
mod testing;
pub mod utf16;
pub mod utf32;
pub mod utf5;
pub mod utf7;
pub mod utf8;
pub mod utf8_bytes;
pub mod utf8_decode;
pub mod utf8_decode_wide;
pub mod utf8_encode;
pub mod utf8_patterns;
pub mod utf8_replace;
pub mod utf8_to_utf16;
pub mod utf8_validate;
