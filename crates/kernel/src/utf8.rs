//! Validation of UTF-8.

use super::{bulk_copy, same_length_run, utf8_validate};

/// The minimum length for vector code, in bytes: below it, the setup costs more than it gains.
const MIN_SIMD_LEN: usize = 16;

/// Returns the length of the valid prefix and, if it does not end at the end of `bytes`, the length
/// of the invalid sequence after it, which is `None` if that sequence is incomplete.
///
/// The first prefix bytes are checked separately because of input with many errors, where a call
/// returns soon and its setup takes most of the time.
#[inline(always)]
pub fn validate(bytes: &[u8]) -> (usize, Option<Option<usize>>) {
    let ascii = bytes.first_chunk().map_or(0, same_length_run::ascii_len);
    match bytes.get(ascii) {
        Some(0x80..=0xC1 | 0xF5..=0xFF) => (ascii, Some(Some(1))),
        _ => validate_long(bytes),
    }
}

fn validate_long(bytes: &[u8]) -> (usize, Option<Option<usize>>) {
    let prefix = &bytes[..bytes.len().min(MIN_SIMD_LEN)];
    match std::str::from_utf8(prefix).map_err(|error| (error.valid_up_to(), error.error_len())) {
        Err((valid, Some(len))) => return (valid, Some(Some(len))),
        Err((valid, None)) if prefix.len() == bytes.len() => return (valid, Some(None)),
        _ => {}
    }
    utf8_validate::validate(bytes)
}

/// Returns the last character boundary up to `index`. Same as the method of `str`, which is stable
/// since Rust 1.91.
#[inline]
pub fn floor_char_boundary(text: &str, index: usize) -> usize {
    if index >= text.len() {
        return text.len();
    }
    (0..=index).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns the last index up to `index`, which is not the end, at which a character begins.
pub fn floor_char_boundary_of_bytes(text: &[u8], mut index: usize) -> usize {
    while index > 0 && text[index] & 0xC0 == 0x80 {
        index -= 1;
    }
    index
}

/// Copies the first `count` bytes. Bytes after them in `dst` may be overwritten.
///
/// Short copies are of a whole vector, which is faster than a copy of variable length.
#[inline]
pub fn copy_prefix(src: &[u8], dst: &mut [u8], count: usize) {
    match (src.first_chunk::<MIN_SIMD_LEN>(), dst.first_chunk_mut::<MIN_SIMD_LEN>()) {
        (Some(from), Some(to)) if count <= MIN_SIMD_LEN => *to = *from,
        _ => bulk_copy::copy(&src[..count], dst),
    }
}

/// Returns the number of leading bytes that are complete, valid UTF-8.
pub fn valid_prefix_len(bytes: &[u8]) -> usize {
    validate(bytes).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stride;

    #[test]
    fn valid_prefix_agrees_with_std() {
        let text = "aé€😀".repeat(20);
        for end in (0..text.len()).step_by(stride(27)) {
            for invalid in [&b""[..], b"\xFF", b"\xE2\x82", b"\xC3\x28 and on"] {
                let bytes = [&text.as_bytes()[..end], invalid].concat();
                let expected = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
                assert_eq!(valid_prefix_len(&bytes), expected, "{end} {invalid:?}");
            }
        }
    }

    #[test]
    fn at_least_the_requested_bytes_are_copied() {
        let src: Vec<u8> = (0..60).collect();
        for count in (0..40).step_by(stride(15)) {
            for output_len in [count, count + 1, count + 16, 60] {
                for len in [count, count + 1, 60] {
                    let mut dst = vec![0xFF; output_len];
                    copy_prefix(&src[..len], &mut dst, count);
                    assert_eq!(dst[..count], src[..count], "{count} {output_len} {len}");
                }
            }
        }
    }
}
