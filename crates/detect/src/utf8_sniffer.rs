//! Recognizes encodings that leave no doubt: by a byte order mark, or as valid UTF-8, which text in another
//! encoding hardly ever is by chance.

use std::io::{self, Read};

use charpipe_encoding::encoding::{self, Encoding};
use charpipe_kernel::{ascii, utf8};

/// Searches an input for a byte order mark, malformed UTF-8 and NUL.
#[derive(Debug, Clone, Default)]
pub struct Utf8Sniffer {
    first_bytes: Vec<u8>,
    /// The incomplete sequence at the end of the bytes so far.
    incomplete: Vec<u8>,
    malformed: bool,
    has_nul: bool,
    has_non_ascii: bool,
}

impl Utf8Sniffer {
    /// Examines a whole input.
    ///
    /// # Errors
    ///
    /// Returns the error of reading.
    pub fn from_reader(input: &mut dyn Read) -> io::Result<Utf8Sniffer> {
        let mut sniffer = Utf8Sniffer::default();
        super::read_chunks(input, |chunk| {
            sniffer.feed(chunk);
            false
        })?;
        sniffer.finish();
        Ok(sniffer)
    }

    /// Examines the beginning of an input. An incomplete sequence at its end is not an error.
    pub fn from_prefix(bytes: &[u8]) -> Utf8Sniffer {
        let mut sniffer = Utf8Sniffer::default();
        sniffer.feed(bytes);
        sniffer
    }

    /// Returns the encoding if it is certain. Text in UTF-8 does not contain NUL; text in UTF-16 without a
    /// byte order mark does.
    pub fn encoding(&self) -> Option<&'static Encoding> {
        let utf8 = (!self.malformed && !self.has_nul).then_some("UTF-8");
        encoding::for_label(self.bom_encoding().or(utf8)?)
    }

    /// Returns whether the input contains NUL.
    pub fn has_nul(&self) -> bool {
        self.has_nul
    }

    /// Returns whether the input is empty.
    pub fn is_empty(&self) -> bool {
        self.first_bytes.is_empty()
    }

    /// Returns whether the input is ASCII.
    pub fn is_ascii(&self) -> bool {
        !self.has_non_ascii
    }

    /// Returns the encoding declared by the byte order mark, if there is one.
    pub(crate) fn bom_encoding(&self) -> Option<&'static str> {
        // The encodings that read the byte order mark themselves.
        Encoding::for_bom(&self.first_bytes).map(|(encoding, _)| match encoding.name() {
            "UTF-16LE" | "UTF-16BE" => "UTF-16",
            "UTF-32LE" | "UTF-32BE" => "UTF-32",
            name => name,
        })
    }

    /// Returns whether the input is valid UTF-8.
    pub fn is_valid_utf8(&self) -> bool {
        !self.malformed
    }

    /// Examines the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let missing = 4usize.saturating_sub(self.first_bytes.len()).min(bytes.len());
        self.first_bytes.extend_from_slice(&bytes[..missing]);
        self.has_non_ascii = self.has_non_ascii || ascii::prefix_len(bytes) < bytes.len();
        self.has_nul = self.has_nul || memchr::memchr(0, bytes).is_some();
        if !self.malformed {
            self.validate_utf8(bytes);
        }
    }

    /// Ends the input.
    pub fn finish(&mut self) {
        self.malformed |= !self.incomplete.is_empty();
    }

    fn validate_utf8(&mut self, mut bytes: &[u8]) {
        while let (false, Some((first, rest))) = (self.incomplete.is_empty(), bytes.split_first()) {
            self.incomplete.push(*first);
            bytes = rest;
            match std::str::from_utf8(&self.incomplete) {
                Ok(_) => self.incomplete.clear(),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => {
                    self.malformed = true;
                    return;
                }
            }
        }
        if let (valid, Some(invalid_len)) = utf8::validate(bytes) {
            match invalid_len {
                Some(_) => self.malformed = true,
                None => self.incomplete.extend_from_slice(&bytes[valid..]),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bom_is_checked_before_utf8_validity() {
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
            let sniffer = Utf8Sniffer::from_reader(&mut &*bytes).unwrap();
            assert_eq!(sniffer.encoding().map(Encoding::name), name, "{bytes:?}");
        }
    }

    #[test]
    fn result_does_not_depend_on_input_splits() {
        for bytes in ["aé€😀z".as_bytes(), b"a\xC3\xA9\xE2\x82", b"\xF0\x9F\x98x", b"\xFF\xFEa\0"]
        {
            let whole = Utf8Sniffer::from_reader(&mut &*bytes).unwrap().encoding();
            for cut in 0..=bytes.len() {
                let mut parts = bytes[..cut].chain(&bytes[cut..]);
                let parts = Utf8Sniffer::from_reader(&mut parts).unwrap().encoding();
                let names = [&whole, &parts].map(|e| e.map(Encoding::name));
                assert_eq!(names[0], names[1], "{bytes:?} {cut}");
            }
        }
    }

    #[test]
    fn prefix_may_split_a_character() {
        for (bytes, certain) in [(&b"a\xE2\x82"[..], true), (b"a\xE2\x82a", false)] {
            let found = Utf8Sniffer::from_prefix(bytes).encoding();
            assert_eq!(found.is_some(), certain, "{bytes:?}");
        }
    }
}
