//! A path as a reference of RFC 3986, exact for names in any bytes.

use std::fmt::Write;

/// A relative path as a relative reference, an absolute one as a `file` URI (RFC 8089). Slashes
/// stand; of the rest all but RFC 3986's unreserved characters are written with `%`.
pub fn reference(path: &[u8]) -> String {
    let mut uri = String::with_capacity(path.len() + 8);
    if path.starts_with(b"/") {
        uri.push_str("file://");
    }
    for &byte in path {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_path_can_be_encoded() {
        for (path, uri) in [
            (&b"src/main.rs"[..], "src/main.rs"),
            (b"/tmp/a b", "file:///tmp/a%20b"),
            (b"c:d", "c%3Ad"),
            (b"100%#?", "100%25%23%3F"),
            (b"caf\xE9", "caf%E9"),
            ("é".as_bytes(), "%C3%A9"),
        ] {
            assert_eq!(reference(path), uri);
        }
    }
}
