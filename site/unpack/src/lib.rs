//! Unpacks the module of `charpipe-site`. Browsers unpack only the formats of gzip, in which the module would take a third
//! more.
//!
//! A packed file consists of parts: a byte for the kind, the length of the packed part in four bytes, the lowest first,
//! and the part as a file of LZMA. Of the kind 1 the bytes are [interleaved](interleave), and the kind 2 are
//! [language models](language_models), which are not a file of LZMA.

use std::io::{self, Read};

use lzma_rust2::LzmaReader;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

pub mod language_models;
mod mixing;

/// The kinds of parts.
pub const LZMA: u8 = 0;
/// As [`LZMA`], with bytes that are to be interleaved.
pub const LZMA_OF_HALVES: u8 = 1;
/// Language models.
pub const LANGUAGE_MODELS: u8 = 2;

/// Unpacks a file.
///
/// # Errors
///
/// Returns the message if the file is damaged.
#[wasm_bindgen]
pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, JsError> {
    unpack_parts(packed).map_err(|error| JsError::new(&error.to_string()))
}

/// Unpacks a file.
///
/// # Errors
///
/// Returns an error if the file is damaged.
pub fn unpack_parts(mut packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    while !packed.is_empty() {
        let (header, rest) = packed.split_first_chunk::<5>().ok_or(io::ErrorKind::UnexpectedEof)?;
        let [kind, a, b, c, d] = *header;
        let len = u32::from_le_bytes([a, b, c, d]) as usize;
        let (part, rest) = rest.split_at_checked(len).ok_or(io::ErrorKind::UnexpectedEof)?;
        packed = rest;
        if kind == LANGUAGE_MODELS {
            unpacked.extend(language_models::unpack(part)?);
            continue;
        }
        let mut bytes = Vec::new();
        LzmaReader::new_mem_limit(part, u32::MAX, None)?.read_to_end(&mut bytes)?;
        match kind {
            LZMA_OF_HALVES => unpacked.extend(interleave(&bytes)),
            _ => unpacked.append(&mut bytes),
        }
    }
    Ok(unpacked)
}

/// Returns the bytes of which the first half has those with an even index, and the second half the others.
fn interleave(halves: &[u8]) -> impl Iterator<Item = u8> {
    let (even, odd) = halves.split_at(halves.len().div_ceil(2));
    let odd = odd.iter().copied().map(Some).chain(std::iter::repeat(None));
    even.iter().copied().zip(odd).flat_map(|(first, second)| std::iter::once(first).chain(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_interleaved() {
        assert_eq!(interleave(b"acebd").collect::<Vec<_>>(), b"abcde");
        assert_eq!(interleave(b"acbd").collect::<Vec<_>>(), b"abcd");
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        assert!(unpack_parts(b"\0\x05").is_err());
        assert!(unpack_parts(b"\0\x05\0\0\0ab").is_err());
    }
}
