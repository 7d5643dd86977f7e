//! UTF-5 (draft-jseng-utf5-00), as far as it is well-formed.
//!
//! A window of bytes is sorted into rows of bits, so that how many characters of one length stand
//! side by side is a matter of counting bits.

pub mod decode;
pub mod encode;
pub mod hex;

#[cfg(test)]
mod tests;
