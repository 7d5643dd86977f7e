//! How far bytes are UTF-8.

/// Bytes of a vector, roughly: below that its price of entry is not worth paying.
const FEW: usize = 16;

/// How many bytes at the front are whole characters of UTF-8.
///
/// The look at the first few is for faults that come in crowds.
pub fn prefix(bytes: &[u8]) -> usize {
    let few = &bytes[..bytes.len().min(FEW)];
    match std::str::from_utf8(few) {
        Err(error) if error.error_len().is_some() => return error.valid_up_to(),
        _ => {}
    }
    match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => text.len(),
        Err(error) => error.valid_up_to(),
    }
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
}
