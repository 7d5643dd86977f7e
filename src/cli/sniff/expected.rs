//! The encoding of a file that should be in a given encoding.

use std::io::{self, Read, Sink, Write};

use super::resolution::{Resolution, resolve_by_detection};
use charpipe_detect::{self as detect, DetectionHints, Detector, Utf8Sniffer};
use charpipe_encoding::encoding::{self, BomHandling, Encoding};
use charpipe_transcode::io::TranscodeWriter;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};

/// The encoding that files should be in, and that of the files that are not.
///
/// A file is in the encoding that its byte order mark denotes. Otherwise it is in UTF-8 if it is valid
/// UTF-8 with a character outside ASCII; in the expected encoding if it is valid in that; else in the other
/// encoding.
#[derive(Debug, Clone)]
pub struct ExpectedEncoding {
    pub expected: EncodingSpec,
    pub other: OtherEncoding,
}

/// The encoding of files that are not in the expected encoding.
#[derive(Debug, Clone)]
pub enum OtherEncoding {
    /// It is unknown.
    Unknown,
    /// It is given.
    Fixed(EncodingSpec),
    /// It is detected, with these hints.
    Detect(DetectionHints),
}

impl ExpectedEncoding {
    /// Determines the encoding of a whole input.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading.
    pub fn resolve(&self, input: &mut dyn Read) -> io::Result<Resolution> {
        let mut sniffer = ExpectedSniffer::new(self);
        detect::read_chunks(input, |chunk| {
            sniffer.feed(chunk);
            false
        })?;
        sniffer.evidence.finish();
        let is_valid = sniffer.validator.take().is_some_and(|writer| writer.finish().is_ok());
        Ok(sniffer.resolve(is_valid, Detector::finish))
    }

    /// Determines the encoding of an input from its first bytes.
    pub fn resolve_prefix(&self, bytes: &[u8]) -> Resolution {
        let mut sniffer = ExpectedSniffer::new(self);
        sniffer.feed(bytes);
        let is_valid = sniffer.validator.is_some();
        sniffer.resolve(is_valid, Detector::finish_truncated)
    }
}

/// The evidence in an input that it is in another encoding than the expected one.
#[derive(Debug)]
pub struct EncodingEvidence {
    expected: EncodingSpec,
    /// The first four bytes, or fewer.
    first_bytes: Vec<u8>,
    is_ascii: bool,
    /// Whether there are control characters that ASCII text does not contain.
    has_controls: bool,
    utf8: Utf8Sniffer,
}

impl EncodingEvidence {
    pub fn new(expected: &EncodingSpec) -> EncodingEvidence {
        let expected = expected.clone();
        let utf8 = Utf8Sniffer::default();
        let (first_bytes, is_ascii, has_controls) = (Vec::new(), true, false);
        EncodingEvidence { expected, first_bytes, is_ascii, has_controls, utf8 }
    }

    /// Examines the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let missing = 4usize.saturating_sub(self.first_bytes.len()).min(bytes.len());
        self.first_bytes.extend_from_slice(&bytes[..missing]);
        self.is_ascii &= bytes.is_ascii();
        let is_control =
            |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t'..=b'\r' | 0x1B);
        self.has_controls = self.has_controls || self.is_ascii && bytes.iter().any(is_control);
        self.utf8.feed(bytes);
    }

    /// Ends the input.
    pub fn finish(&mut self) {
        self.utf8.finish();
    }

    /// Returns the encoding that the byte order mark denotes, or UTF-8 if the input is valid UTF-8 and not
    /// text in the expected encoding as well.
    pub fn encoding(&self) -> Option<EncodingSpec> {
        if let Some(encoding) = self.bom_encoding() {
            return Some(encoding);
        }
        // Text in the expected encoding may be ASCII, as in UTF-5; ASCII is evidence of UTF-8 only if letters are other
        // bytes, as in EBCDIC.
        let writes_ascii = || {
            let options = TranscodeOptions::new(charpipe_encoding::UTF_8, self.expected.clone());
            options.transcode(b"a").is_ok_and(|text| text.iter().all(u8::is_ascii_graphic))
        };
        let is_utf8 = encoding::is_utf8(self.expected.encoding);
        let is_found = self.utf8.is_valid_utf8()
            && !self.utf8.has_nul()
            && (is_utf8 || !self.is_ascii || !self.has_controls && !writes_ascii());
        is_found.then(|| charpipe_encoding::UTF_8.into())
    }

    /// Returns the name of the encoding if the text is not that in the expected one.
    pub fn other_encoding(&self) -> Option<&'static str> {
        let options = TranscodeOptions::new(self.expected.clone(), charpipe_encoding::UTF_8);
        // Variants of UTF-8.
        if options.transcode("é".as_bytes()).is_ok_and(|text| text == "é".as_bytes()) {
            return None;
        }
        let found = self.encoding().filter(|_| !self.first_bytes.is_empty())?.encoding.name();
        let is_expected = found == self.expected.encoding.name()
            || is_byte_order_of(found, self.expected.encoding);
        (!is_expected).then_some(found)
    }

    /// Returns the encoding that the byte order mark denotes. Its decoder keeps the mark, unless the
    /// expected encoding is one that reads and writes it.
    fn bom_encoding(&self) -> Option<EncodingSpec> {
        let (encoding, _) = Encoding::for_bom(&self.first_bytes)?;
        let expected = self.expected.encoding;
        match expected.bom_handling {
            // The encoder writes the other byte order.
            BomHandling::DetectAndWrite
                if encoding.name().ends_with("BE")
                    && is_byte_order_of(encoding.name(), expected) =>
            {
                Some(encoding.into())
            }
            BomHandling::DetectAndWrite => self.utf8.encoding().map(Into::into),
            _ => Some(encoding.into()),
        }
    }
}

/// Returns whether an encoding is one in either byte order, with this one, as UTF-16 and UTF-16BE.
pub(super) fn is_byte_order_of(name: &str, encoding: &Encoding) -> bool {
    encoding.bom_handling == BomHandling::DetectAndWrite
        && name.strip_prefix(encoding.name()).is_some_and(|order| ["BE", "LE"].contains(&order))
}

/// Collects the evidence in an input, and whether it is valid.
struct ExpectedSniffer<'a> {
    encodings: &'a ExpectedEncoding,
    evidence: EncodingEvidence,
    /// Decodes the input in the expected encoding, unless that is UTF-8. `None` after an error.
    validator: Option<TranscodeWriter<Sink>>,
    detector: Option<Detector>,
}

impl ExpectedSniffer<'_> {
    fn new(encodings: &ExpectedEncoding) -> ExpectedSniffer<'_> {
        let ExpectedEncoding { expected, other } = encodings;
        let options = TranscodeOptions::new(expected.clone(), charpipe_encoding::UTF_8);
        let is_utf8 = encoding::is_utf8(expected.encoding);
        let validator = (!is_utf8).then(|| TranscodeWriter::new(io::sink(), &options).ok());
        let detector = match other {
            OtherEncoding::Detect(hints) => Some(Detector::with_hints(hints)),
            OtherEncoding::Unknown | OtherEncoding::Fixed(_) => None,
        };
        ExpectedSniffer {
            encodings,
            evidence: EncodingEvidence::new(expected),
            validator: validator.flatten(),
            detector,
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.evidence.feed(bytes);
        if let Some(validator) = &mut self.validator {
            if validator.write_all(bytes).is_err() {
                self.validator = None;
            }
        }
        if let Some(detector) = self.detector.as_mut().filter(|detector| !detector.is_done()) {
            detector.feed(bytes);
        }
    }

    /// Returns the result. `is_valid` says whether the input is valid in the expected encoding if that is
    /// not UTF-8.
    fn resolve(
        self,
        is_valid: bool,
        finish: impl FnOnce(Detector) -> detect::Detection,
    ) -> Resolution {
        let ExpectedEncoding { expected, other } = self.encodings;
        let found = Resolution::Encoding;
        if let Some(encoding) = self.evidence.encoding() {
            return found(encoding);
        }
        let has_nul = self.evidence.utf8.has_nul();
        if is_valid && (!has_nul || expected.can_contain_nul()) {
            return found(expected.clone());
        }
        match (other, self.detector) {
            (OtherEncoding::Fixed(encoding), _) => found(encoding.clone()),
            (_, Some(detector)) => resolve_by_detection(finish(detector)).resolution,
            _ if has_nul => Resolution::Binary,
            _ => Resolution::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(expected: &str, other: &OtherEncoding, bytes: &[u8]) -> String {
        let expected = expected.parse().unwrap();
        let encodings = ExpectedEncoding { expected, other: other.clone() };
        match encodings.resolve(&mut &*bytes).unwrap() {
            Resolution::Encoding(encoding) => encoding.to_string(),
            Resolution::Detected(detected) => detected.encoding.to_string(),
            Resolution::Unknown => "unknown".to_owned(),
            Resolution::Binary => "binary".to_owned(),
        }
    }

    #[test]
    fn evidence_precedes_the_expected_encoding() {
        let latin1 = OtherEncoding::Fixed(charpipe_encoding::ISO_8859_1.into());
        for (expected, other, bytes, found) in [
            ("utf-8", &OtherEncoding::Unknown, &b""[..], "UTF-8"),
            ("utf-8", &OtherEncoding::Unknown, b"a\n", "UTF-8"),
            ("utf-8", &OtherEncoding::Unknown, "é".as_bytes(), "UTF-8"),
            ("utf-8", &OtherEncoding::Unknown, b"\xEF\xBB\xBFa", "UTF-8"),
            ("utf-8", &OtherEncoding::Unknown, b"\xFF\xFEa\0", "UTF-16LE"),
            ("utf-8", &OtherEncoding::Unknown, b"\xE9", "unknown"),
            ("utf-8", &OtherEncoding::Unknown, b"caf\xC3", "unknown"),
            ("utf-8", &OtherEncoding::Unknown, b"a\0\xE9", "binary"),
            ("utf-8", &OtherEncoding::Unknown, b"a\0", "binary"),
            ("utf-8", &latin1, b"\xE9", "ISO-8859-1"),
            ("utf-8", &latin1, "é".as_bytes(), "UTF-8"),
            ("latin1", &OtherEncoding::Unknown, b"caf\xE9", "ISO-8859-1"),
            ("latin1", &OtherEncoding::Unknown, b"plain", "ISO-8859-1"),
            ("latin1", &OtherEncoding::Unknown, "é".as_bytes(), "UTF-8"),
            ("us-ascii", &OtherEncoding::Unknown, b"caf\xE9", "unknown"),
            ("us-ascii", &latin1, b"caf\xE9", "ISO-8859-1"),
            ("utf-16le", &OtherEncoding::Unknown, b"a\0\n\0", "UTF-16LE"),
            ("utf-16le", &OtherEncoding::Unknown, b"abcd", "UTF-8"),
            ("utf-16le", &OtherEncoding::Unknown, b"\xFE\xFF\0a", "UTF-16BE"),
            ("utf-16", &OtherEncoding::Unknown, b"\xFF\xFEa\0", "UTF-16"),
            ("utf-16", &OtherEncoding::Unknown, b"\xFE\xFF\0a", "UTF-16BE"),
            ("utf-5", &OtherEncoding::Unknown, b"K1", "UTF-5"),
            ("ibm1047", &OtherEncoding::Unknown, b"plain", "UTF-8"),
            ("ibm1047", &OtherEncoding::Unknown, b"\x83\x81\x86\x85", "IBM1047"),
            ("utf-7", &OtherEncoding::Unknown, b"caf+AOk-", "UTF-7"),
        ] {
            assert_eq!(resolve(expected, other, bytes), found, "{expected}: {bytes:?}");
        }
    }

    #[test]
    fn other_files_are_detected() {
        let text = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(4);
        let options = TranscodeOptions::new(charpipe_encoding::UTF_8, charpipe_encoding::KOI8_R);
        let bytes = options.transcode(text.as_bytes()).unwrap();
        let detected = detect::detect(&bytes).best().unwrap().source_encoding().name();
        assert_ne!(detected, "UTF-8");
        let other = OtherEncoding::Detect(DetectionHints::new());
        assert_eq!(resolve("utf-8", &other, &bytes), detected);
        assert_eq!(resolve("utf-8", &other, text.as_bytes()), "UTF-8");
    }

    #[test]
    fn prefix_may_end_inside_a_character() {
        for (expected, bytes, found) in
            [("utf-8", &b"caf\xC3"[..], "UTF-8"), ("utf-16le", b"a\0b", "UTF-16LE")]
        {
            let expected = expected.parse().unwrap();
            let encodings = ExpectedEncoding { expected, other: OtherEncoding::Unknown };
            match encodings.resolve_prefix(bytes) {
                Resolution::Encoding(encoding) => assert_eq!(encoding.to_string(), found),
                other => panic!("{other:?}"),
            }
        }
    }
}
