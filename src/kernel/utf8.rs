//! How far bytes are UTF-8.

use super::front;

/// Bytes of a vector, roughly: below that its price of entry is not worth paying.
const FEW: usize = 16;

/// How many bytes at the front are UTF-8, and the length of what is none behind them, if that is
/// known.
///
/// The look at the first few is for faults that come in crowds, where it takes most of the time.
#[inline(always)]
pub fn check(bytes: &[u8]) -> (usize, Option<Option<usize>>) {
    let ascii = bytes.first_chunk().map_or(0, front::ones);
    match bytes.get(ascii) {
        Some(0x80..=0xC1 | 0xF5..=0xFF) => (ascii, Some(Some(1))),
        _ => check_more(bytes),
    }
}

fn check_more(bytes: &[u8]) -> (usize, Option<Option<usize>>) {
    let few = &bytes[..bytes.len().min(FEW)];
    match std::str::from_utf8(few).map_err(|error| (error.valid_up_to(), error.error_len())) {
        Err((valid, Some(len))) => return (valid, Some(Some(len))),
        Err((valid, None)) if few.len() == bytes.len() => return (valid, Some(None)),
        _ => {}
    }
    match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => (bytes.len(), None),
        Err(error) => (error.valid_up_to(), Some(error.error_len())),
    }
}

/// Copies the first `count` bytes. What stands behind them in `dst` may change.
///
/// A few are copied as a whole vector, which costs less than to ask how many.
#[inline]
pub fn copy(src: &[u8], dst: &mut [u8], count: usize) {
    match (src.first_chunk::<FEW>(), dst.first_chunk_mut::<FEW>()) {
        (Some(from), Some(to)) if count <= FEW => *to = *from,
        _ => dst[..count].copy_from_slice(&src[..count]),
    }
}

/// How many bytes at the front are whole characters of UTF-8.
pub fn prefix(bytes: &[u8]) -> usize {
    check(bytes).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_ends_where_the_plain_check_says() {
        let text = "aé€😀".repeat(20);
        for end in 0..text.len() {
            for bad in [&b""[..], b"\xFF", b"\xE2\x82", b"\xC3\x28 and on"] {
                let bytes = [&text.as_bytes()[..end], bad].concat();
                let plain = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
                assert_eq!(prefix(&bytes), plain, "{end} {bad:?}");
            }
        }
    }

    #[test]
    fn at_least_as_many_bytes_are_copied_as_are_asked_for() {
        let src: Vec<u8> = (0..60).collect();
        for count in 0..40 {
            for room in [count, count + 1, count + 16, 60] {
                for len in [count, count + 1, 60] {
                    let mut dst = vec![0xFF; room];
                    copy(&src[..len], &mut dst, count);
                    assert_eq!(dst[..count], src[..count], "{count} {room} {len}");
                }
            }
        }
    }
}
