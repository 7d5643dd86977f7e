//! What the bytes of an input say of their own encoding beyond doubt.
//!
//! A byte order mark, and then UTF-8, which text in another encoding hardly ever is by chance.

use std::io::{self, Read};

use crate::plan::Encoding;

/// Byte order marks, longer ones before what they begin with, and the charset that obeys them (The
/// Unicode Standard, section 23.8).
const MARKS: [(&[u8], &str); 5] = [
    (b"\xFF\xFE\0\0", "UTF-32"),
    (b"\0\0\xFE\xFF", "UTF-32"),
    (b"\xFF\xFE", "UTF-16"),
    (b"\xFE\xFF", "UTF-16"),
    (b"\xEF\xBB\xBF", "UTF-8"),
];

/// Bytes that are read at a time.
const BLOCK: usize = 64 * 1024;

/// What the bytes of an input have shown so far.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    head: Vec<u8>,
    /// The beginning of a character that the bytes so far cut off.
    cut: Vec<u8>,
    malformed: bool,
    nul: bool,
}

impl Evidence {
    /// Looks at a whole input.
    ///
    /// # Errors
    ///
    /// What reading answers.
    pub fn of(input: &mut dyn Read) -> io::Result<Evidence> {
        let mut evidence = Evidence::default();
        let mut space = vec![0; BLOCK];
        loop {
            match input.read(&mut space)? {
                0 => break,
                count => evidence.add(&space[..count]),
            }
        }
        evidence.end();
        Ok(evidence)
    }

    /// Looks at the beginning of an input; a character that it cuts off counts for nothing.
    pub fn of_prefix(bytes: &[u8]) -> Evidence {
        let mut evidence = Evidence::default();
        evidence.add(bytes);
        evidence
    }

    /// The encoding, if the bytes say which it is. NUL is in no text of UTF-8, but in UTF-16
    /// without a mark.
    pub fn encoding(&self) -> Option<Encoding> {
        let plain = (!self.malformed && !self.nul).then_some("UTF-8");
        self.mark().or(plain)?.parse().ok()
    }

    /// Whether there was a NUL.
    pub fn has_nul(&self) -> bool {
        self.nul
    }

    /// The charset that the byte order mark calls for, if there is one.
    pub(crate) fn mark(&self) -> Option<&'static str> {
        MARKS.iter().find(|(mark, _)| self.head.starts_with(mark)).map(|(_, name)| *name)
    }

    /// Whether all is valid UTF-8.
    pub(crate) fn is_utf_8(&self) -> bool {
        !self.malformed
    }

    /// Looks at the next bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let missing = 4usize.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        self.nul |= memchr::memchr(0, bytes).is_some();
        if !self.malformed {
            self.validate(bytes);
        }
    }

    /// The input ends here.
    pub(crate) fn end(&mut self) {
        self.malformed |= !self.cut.is_empty();
    }

    fn validate(&mut self, mut bytes: &[u8]) {
        while let (false, Some((first, rest))) = (self.cut.is_empty(), bytes.split_first()) {
            self.cut.push(*first);
            bytes = rest;
            match std::str::from_utf8(&self.cut) {
                Ok(_) => self.cut.clear(),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => {
                    self.malformed = true;
                    return;
                }
            }
        }
        if let Err(error) = simdutf8::compat::from_utf8(bytes) {
            self.malformed = error.error_len().is_some();
            self.cut = bytes[error.valid_up_to()..].to_vec();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_counts_first_then_utf_8_and_nothing_else() {
        for (bytes, name) in [
            (&b"\xEF\xBB\xBFabc"[..], Some("UTF-8")),
            (b"\xFF\xFEa\0", Some("UTF-16")),
            (b"\xFE\xFF\0a", Some("UTF-16")),
            (b"\xFF\xFE\0\0a\0\0\0", Some("UTF-32")),
            (b"\0\0\xFE\xFF\0\0\0a", Some("UTF-32")),
            (b"", Some("UTF-8")),
            (b"plain", Some("UTF-8")),
            ("na\u{EF}ve \u{1F600}".as_bytes(), Some("UTF-8")),
            (b"na\xEFve", None),
            (b"cut \xE2\x82", None),
            (b"a\0b\0", None),
            (b"\xED\xA0\x80", None),
        ] {
            let evidence = Evidence::of(&mut &*bytes).unwrap();
            assert_eq!(evidence.encoding().map(|e| e.charset.name), name, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_found_does_not_depend_on_how_the_input_is_cut() {
        for bytes in ["aé€😀z".as_bytes(), b"a\xC3\xA9\xE2\x82", b"\xF0\x9F\x98x", b"\xFF\xFEa\0"]
        {
            let whole = Evidence::of(&mut &*bytes).unwrap().encoding();
            for cut in 0..=bytes.len() {
                let mut parts = bytes[..cut].chain(&bytes[cut..]);
                let parts = Evidence::of(&mut parts).unwrap().encoding();
                let names = [&whole, &parts].map(|e| e.as_ref().map(|e| e.charset.name));
                assert_eq!(names[0], names[1], "{bytes:?} {cut}");
            }
        }
    }

    #[test]
    fn a_prefix_may_cut_a_character() {
        for (bytes, certain) in [(&b"a\xE2\x82"[..], true), (b"a\xE2\x82a", false)] {
            let found = Evidence::of_prefix(bytes).encoding();
            assert_eq!(found.is_some(), certain, "{bytes:?}");
        }
    }
}
