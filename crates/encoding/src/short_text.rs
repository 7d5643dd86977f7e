//! The buffer that a short text is converted in, so that its `String` or `Vec` has the length that it needs.

/// The lengths of the buffer, in bytes: to clear a short one takes less time.
const LENS: [usize; 4] = [128, 256, 1024, 8192];

/// The greatest length of a buffer, in bytes.
pub const MAX_LEN: usize = LENS[3];

/// The greatest number of bytes of text for each byte of input in most encodings.
const MAX_EXPANSION: usize = 3;

/// The number of bytes after the last character that a kernel may need.
const SPARE_LEN: usize = 64;

/// The length of the shortest text that is validated with vectors, in bytes.
const MIN_VALIDATED_LEN: usize = 64;

/// Returns a length that the text of these bytes rarely exceeds, with space for a kernel.
pub fn text_len(bytes: &[u8]) -> usize {
    MAX_EXPANSION * bytes.len() + SPARE_LEN
}

/// Returns a length that the bytes of a text rarely exceed, with space for a kernel.
pub fn bytes_len(text: &str) -> usize {
    text.len() + SPARE_LEN
}

/// Calls `convert` with a buffer for an output of `len` bytes, or for a part of it.
#[inline]
pub fn with_buffer<T>(len: usize, convert: impl FnOnce(&mut [u8]) -> T) -> T {
    if len <= LENS[0] { convert(&mut [0; LENS[0]]) } else { with_long_buffer(len, convert) }
}

/// Does the same with a longer buffer. In a function of its own, because the stack of a page or more is probed.
#[inline(never)]
fn with_long_buffer<T>(len: usize, convert: impl FnOnce(&mut [u8]) -> T) -> T {
    if len <= LENS[1] {
        convert(&mut [0; LENS[1]])
    } else if len <= LENS[2] {
        convert(&mut [0; LENS[2]])
    } else {
        convert(&mut [0; LENS[3]])
    }
}

/// Returns the first `len` bytes of a buffer as text, if they are valid UTF-8.
///
/// The bytes after them may be overwritten: whole vectors are validated faster.
#[inline]
pub fn validate(buffer: &mut [u8], len: usize) -> Option<&str> {
    let end = len.max(MIN_VALIDATED_LEN);
    buffer[len..end].fill(0);
    simdutf8::basic::from_utf8(&buffer[..end]).ok()?.get(..len)
}

/// Returns the expected length of the output for the last `rest` bytes of input if `read` bytes before them were
/// converted to `written` bytes.
pub fn len_of_rest(written: usize, read: usize, rest: usize) -> usize {
    let expected = written as u128 * rest as u128 / read.max(1) as u128;
    (expected + expected / 64) as usize + SPARE_LEN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_length_is_validated() {
        for len in 0..200 {
            let mut buffer = [0xFF; 256];
            buffer[..len].fill(b'a');
            assert_eq!(validate(&mut buffer, len), Some(&*"a".repeat(len)));
            if len > 0 {
                buffer[len - 1] = 0xC3;
                buffer[len] = 0xA9;
                assert_eq!(validate(&mut buffer, len), None, "{len}");
            }
        }
    }
}
