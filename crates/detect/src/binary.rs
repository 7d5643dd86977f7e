//! Decides whether content is binary: not text in its encoding.
//!
//! This is checked before a file is converted in place, because converting a binary file destroys it.
//! [`detect`](crate) applies the same rules. There are four, and the first that applies is the
//! [`BinaryReason`]:
//!
//! 1. The content begins with the signature of a binary file format.
//! 2. It contains NUL, and text in its encoding does not.
//! 3. It contains control characters that are rare in text. One in [`STRICT_CHARS_PER_CONTROL`] characters
//!    is enough; but ASCII and valid UTF-8 may contain one in [`LENIENT_CHARS_PER_CONTROL`], because random
//!    bytes are hardly ever ASCII or valid UTF-8, and UTF-8 any number of C1 controls, which are garbled text.
//! 4. It is short, and neither its words nor the repetition of its bytes are those of text.
//!
//! The third and fourth rule are applied to the decoded text, so encodings that are not supersets of ASCII,
//! such as EBCDIC and UTF-16, do not need rules of their own.
//!
//! ```
//! use charpipe_detect::binary::{BinaryReason, scan_reader};
//!
//! let latin1 = charpipe::ISO_8859_1;
//! assert_eq!(scan_reader(&mut &b"caf\xE9\n"[..], Some(latin1))?, None);
//! let reason = scan_reader(&mut &b"\x03\x9C\xE9"[..], Some(latin1))?;
//! assert_eq!(reason, Some(BinaryReason::ControlChars));
//! assert_eq!(scan_reader(&mut &b"a\0"[..], Some(latin1))?, Some(BinaryReason::Nul));
//! assert_eq!(scan_reader(&mut &b"a\0"[..], Some(charpipe::UTF_16LE))?, None);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fmt;
use std::io::{self, Read};
use std::ops::ControlFlow;

use crate::{
    ChunkDecoder, ControlCharCounter, DecodedPiece, TextStats, Utf8Sniffer, WordShape, read_chunks,
};
use charpipe_encoding::encoding::{Encoding, EncodingOptions};

/// The number of characters per control character in binary content.
pub const STRICT_CHARS_PER_CONTROL: u64 = 256;

/// The number of characters per control character in binary content that is ASCII or valid UTF-8.
pub const LENIENT_CHARS_PER_CONTROL: u64 = 16;

/// The number of leading bytes to keep.
const HEAD_LEN: usize =
    if MAX_SIGNATURE_LEN > MAX_RANDOM_LEN { MAX_SIGNATURE_LEN } else { MAX_RANDOM_LEN };

/// The reason why content is considered binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryReason {
    /// It begins with the signature of this format.
    Signature(&'static str),
    /// It contains NUL.
    Nul,
    /// It contains control characters that text does not contain.
    ControlChars,
    /// It looks like random bytes.
    RandomBytes,
}

/// Examines content that arrives in chunks of any size.
pub struct BinaryScanner {
    /// The decoder of the content, or `None` to examine its bytes.
    decoder: Option<ChunkDecoder>,
    /// Whether text in the encoding contains NUL bytes, as in UTF-16.
    nul_is_text: bool,
    head: Vec<u8>,
    /// The decoded text, while it is short.
    text: String,
    len: u64,
    utf8_sniffer: Utf8Sniffer,
    control_chars: ControlCharCounter,
    text_stats: TextStats,
}

/// Examines a whole input.
///
/// # Errors
///
/// Returns the error of reading.
pub fn scan_reader(
    input: &mut dyn Read,
    encoding: Option<&'static Encoding>,
) -> io::Result<Option<BinaryReason>> {
    BinaryScanner::new(encoding).scan_reader(input)
}

impl BinaryScanner {
    /// Returns a scanner of text in this encoding, or in an unknown superset of ASCII.
    pub fn new(encoding: Option<&'static Encoding>) -> BinaryScanner {
        match encoding {
            Some(encoding) => BinaryScanner::with_options(encoding, &EncodingOptions::default()),
            None => BinaryScanner::with_decoder(None, false),
        }
    }

    /// Returns a scanner of text in this encoding with these options.
    #[doc(hidden)]
    pub fn with_options(encoding: &Encoding, options: &EncodingOptions) -> BinaryScanner {
        let decoder = ChunkDecoder::new(encoding, options);
        BinaryScanner::with_decoder(Some(decoder), encoding.can_contain_nul(options))
    }

    fn with_decoder(decoder: Option<ChunkDecoder>, nul_is_text: bool) -> BinaryScanner {
        BinaryScanner {
            decoder,
            nul_is_text,
            head: Vec::new(),
            text: String::new(),
            len: 0,
            utf8_sniffer: Utf8Sniffer::default(),
            control_chars: ControlCharCounter::default(),
            text_stats: TextStats::default(),
        }
    }

    /// Examines a whole input.
    ///
    /// # Errors
    ///
    /// Returns the error of reading.
    pub fn scan_reader(mut self, input: &mut dyn Read) -> io::Result<Option<BinaryReason>> {
        read_chunks(input, |chunk| {
            self.feed(chunk);
            self.is_done()
        })?;
        Ok(self.finish())
    }

    /// Examines the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        let head_space = HEAD_LEN.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..head_space]);
        self.utf8_sniffer.feed(bytes);
        self.decode(bytes, false);
    }

    /// Returns whether further content cannot change the result.
    pub fn is_done(&self) -> bool {
        let known = detect_signature(&self.head).is_some()
            || !self.nul_is_text && self.utf8_sniffer.has_nul();
        known && self.head.len() == HEAD_LEN
    }

    /// Ends the content and returns the reason why it is binary, `None` if it is text.
    pub fn finish(mut self) -> Option<BinaryReason> {
        self.utf8_sniffer.finish();
        self.decode(&[], true);
        if let Some(format) = detect_signature(&self.head) {
            return Some(BinaryReason::Signature(format));
        }
        if !self.nul_is_text && self.utf8_sniffer.has_nul() {
            return Some(BinaryReason::Nul);
        }
        let strict = !self.nul_is_text && !self.utf8_sniffer.is_valid_utf8();
        let is_utf8 = !self.nul_is_text && !strict;
        let counter = if is_utf8 { self.control_chars } else { self.control_chars.including_all() };
        if counter.exceeds_threshold(if strict {
            STRICT_CHARS_PER_CONTROL
        } else {
            LENIENT_CHARS_PER_CONTROL
        }) {
            return Some(BinaryReason::ControlChars);
        }
        let unlike_text = match self.nul_is_text {
            // A byte order mark is sufficient evidence of text.
            true => {
                self.utf8_sniffer.bom_encoding().is_none()
                    && self.len > 0
                    && !self.text_stats.may_be_text()
            }
            false => {
                strict && self.len <= MAX_RANDOM_LEN as u64 && looks_random(&self.head, &self.text)
            }
        };
        unlike_text.then_some(BinaryReason::RandomBytes)
    }

    fn decode(&mut self, bytes: &[u8], end: bool) {
        let is_short = self.len <= MAX_RANDOM_LEN as u64;
        let BinaryScanner { decoder, nul_is_text, text, control_chars, text_stats, .. } = self;
        let Some(decoder) = decoder else { return control_chars.feed(bytes) };
        decoder.decode(bytes, end, |piece| {
            if let DecodedPiece::Text(decoded) = piece {
                control_chars.feed_text(decoded);
                if *nul_is_text {
                    text_stats.feed(decoded);
                } else if is_short {
                    text.push_str(decoded);
                }
            }
            ControlFlow::Continue(())
        });
    }
}

impl fmt::Debug for BinaryScanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BinaryScanner")
            .field("utf8_sniffer", &self.utf8_sniffer)
            .field("control_chars", &self.control_chars)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for BinaryReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BinaryReason::Signature(format) => write!(f, "{format} signature"),
            BinaryReason::Nul => f.write_str("contains NUL"),
            BinaryReason::ControlChars => f.write_str("contains control characters"),
            BinaryReason::RandomBytes => f.write_str("looks like random bytes"),
        }
    }
}

/// Signatures of binary file formats: offset, bytes and name. `?` matches any byte.
///
/// Only signatures that text never begins with: they contain bytes that text does not contain, or a phrase
/// that is unique to the format. `MZ`, `BM`, `GIF89a` and the like are not included: text may begin with
/// them, and such files contain NUL anyway.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    // Compressed data and archives.
    (0, b"\x1F\x8B\x08", "gzip"),
    (0, b"PK\x03\x04", "ZIP"),
    (0, b"PK\x05\x06", "ZIP"),
    (0, b"7z\xBC\xAF\x27\x1C", "7z"),
    (0, b"\xFD7zXZ\0", "xz"),
    (0, b"BZh?1AY&SY", "bzip2"),
    (0, b"\x28\xB5\x2F\xFD", "zstd"),
    (0, b"\x04\x22\x4D\x18", "LZ4"),
    (0, b"LZIP\x01", "lzip"),
    (0, b"Rar!\x1A\x07", "RAR"),
    (0, b"!<arch>\n", "ar"),
    (257, b"ustar\0", "tar"),
    (257, b"ustar  \0", "tar"),
    // Images.
    (0, b"\x89PNG\r\n\x1A\n", "PNG"),
    (0, b"\xFF\xD8\xFF", "JPEG"),
    (0, b"GIF8?a????\x80", "GIF"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (0, b"RIFF????WEBPVP8", "WebP"),
    // Audio and video.
    (0, b"OggS\0", "Ogg"),
    (0, b"fLaC\0", "FLAC"),
    (0, b"ID3?\0", "MP3"),
    (0, b"RIFF????WAVEfmt ", "WAVE"),
    (0, b"RIFF????AVI LIST", "AVI"),
    (0, b"\x1A\x45\xDF\xA3", "Matroska"),
    // Documents and fonts.
    (0, b"%PDF-?.?\n", "PDF"),
    (0, b"%PDF-?.?\r", "PDF"),
    (0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "OLE"),
    (0, b"SQLite format 3\0", "SQLite"),
    (0, b"\0\x01\0\0\0", "TrueType"),
    (0, b"OTTO\0", "OpenType"),
    (0, b"wOFF\0\x01\0\0", "WOFF"),
    (0, b"wOFFOTTO", "WOFF"),
    (0, b"wOF2\0\x01\0\0", "WOFF2"),
    (0, b"wOF2OTTO", "WOFF2"),
    // Executables.
    (0, b"\x7FELF", "ELF"),
    (0, b"\xCA\xFE\xBA\xBE\0", "Java class"),
    (0, b"\xCF\xFA\xED\xFE?\0", "Mach-O"),
    (0, b"\0asm", "WebAssembly"),
    // Git.
    (0, b"PACK\0\0\0", "git pack"),
    (0, b"\xFFtOc\0", "git pack index"),
    (0, b"DIRC\0\0\0", "git index"),
];

/// The number of leading bytes that contain every signature.
const MAX_SIGNATURE_LEN: usize = {
    let (mut max, mut index) = (0, 0);
    while index < SIGNATURES.len() {
        let end = SIGNATURES[index].0 + SIGNATURES[index].1.len();
        max = if end > max { end } else { max };
        index += 1;
    }
    max
};

/// Returns the name of the format whose signature the content begins with.
pub fn detect_signature(head: &[u8]) -> Option<&'static str> {
    let matches_at = |offset: usize, pattern: &[u8]| {
        let bytes = head.get(offset..offset + pattern.len());
        bytes.is_some_and(|bytes| {
            bytes.iter().zip(pattern).all(|(byte, expected)| *expected == b'?' || byte == expected)
        })
    };
    let found = SIGNATURES.iter().find(|(offset, pattern, _)| matches_at(*offset, pattern));
    found.map(|(_, _, name)| *name)
}

/// The minimum length in bytes of content that can be recognized as random.
const MIN_RANDOM_LEN: usize = 12;

/// The maximum length in bytes of content that is checked for randomness. Longer random content contains
/// control characters.
pub(crate) const MAX_RANDOM_LEN: usize = 256;

/// At least one in this number of random bytes is not ASCII.
const BYTES_PER_NON_ASCII: u64 = 4;

/// At least one in this number of non-ASCII characters decoded from random bytes is an anomaly in its word.
const CHARS_PER_ANOMALY: u64 = 6;

/// Fewer than one in this number of pairs of random bytes are equal; text has more than twice as many.
const PAIRS_PER_REPETITION: usize = 50;

/// Returns whether short content looks like random bytes, which is decoded to `text`.
///
/// Random bytes do not have two properties of text: letters that form words, and repetition, as a few letters
/// make up most of a text. Content whose characters are not single bytes is not checked: whether it is
/// valid in its encoding is sufficient evidence.
pub(crate) fn looks_random(bytes: &[u8], text: &str) -> bool {
    if !has_few_repetitions(bytes) || text.chars().count() != bytes.len() {
        return false;
    }
    let shape = WordShape::from_text(text);
    shape.non_ascii * BYTES_PER_NON_ASCII >= bytes.len() as u64
        && shape.anomalies * CHARS_PER_ANOMALY >= shape.non_ascii
}

/// Returns whether the bytes of short content repeat less often than those of text.
pub(crate) fn has_few_repetitions(bytes: &[u8]) -> bool {
    let len = bytes.len();
    if !(MIN_RANDOM_LEN..=MAX_RANDOM_LEN).contains(&len) {
        return false;
    }
    let mut counts = [0_usize; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let equal_pairs: usize = counts.iter().map(|count| count * count.saturating_sub(1) / 2).sum();
    equal_pairs * PAIRS_PER_REPETITION < len * (len - 1) / 2
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;
    use crate::testing::{decode, encode};

    fn binary_reason(bytes: &[u8], encoding: &str) -> Option<BinaryReason> {
        let encoding = (!encoding.is_empty()).then(|| Encoding::lookup(encoding).unwrap());
        let whole = scan_reader(&mut &*bytes, encoding).unwrap();
        for size in [1, 2, 3, 7, 100] {
            let mut scanner = BinaryScanner::new(encoding);
            for chunk in bytes.chunks(size) {
                if scanner.is_done() {
                    break;
                }
                scanner.feed(chunk);
            }
            assert_eq!(scanner.finish(), whole, "{size}");
        }
        whole
    }

    #[test]
    fn scan_is_done_after_the_start_of_a_file_with_nul_or_a_signature() {
        let is_done = |start: &[u8]| {
            let mut scanner = BinaryScanner::new(None);
            scanner.feed(start);
            let is_early = scanner.is_done();
            scanner.feed(&[b'a'; HEAD_LEN]);
            (is_early, scanner.is_done())
        };
        assert_eq!(is_done(b"a\0"), (false, true));
        assert_eq!(is_done(b"\x89PNG\r\n\x1A\n"), (false, true));
        assert_eq!(is_done(b"a"), (false, false));
    }

    #[test]
    fn reason_depends_on_the_encoding() {
        let text = "Tout était prêt, à l’heure où l’été s’achève.\n".repeat(20);
        let in_encoding = |name: &str| encode(name, &text).unwrap();
        let stray = [&in_encoding("cp1252")[..], b"\x01"].concat();
        let many = [&in_encoding("cp1252")[..], &[1; 20]].concat();
        for (bytes, encoding, expected) in [
            (&b""[..], "latin1", None),
            (b"", "utf-16", None),
            (b"\xE9", "latin1", None),
            (b"caf\xE9\r\n\x1A", "cp437", None),
            (b"caf\xE9\0", "latin1", Some(BinaryReason::Nul)),
            (b"caf\xE9\x02", "latin1", Some(BinaryReason::ControlChars)),
            // C1 control characters, and letters with the same codes.
            (b"caf\x82 \x94 \x93\n", "latin1", Some(BinaryReason::ControlChars)),
            (b"caf\x82 \x94 \x93\n", "cp437", None),
            (&stray, "cp1252", None),
            (&many, "cp1252", Some(BinaryReason::ControlChars)),
            // Valid UTF-8 is evidence of text.
            ("é \u{16}é and some more text\n".as_bytes(), "utf-8", None),
            ("It\u{92}s \u{93}fine\u{94}\n".as_bytes(), "utf-8", None),
            // Vietnamese letters with the codes of control characters, and EBCDIC.
            (b"\x02\x05\x06 \xE9\n", "viscii", None),
            (b"\x83\x81\x86\x25", "cp037", None),
            (b"\x03\x11\x83\x81", "cp037", Some(BinaryReason::ControlChars)),
            (b"\x1B$)C\x0E0!\x0F\n", "iso-2022-kr", None),
            (b"a\0\xE9\0", "utf-16le", None),
            (b"\xE9\0", "utf-16le", None),
            (b"\x01\0\x02\0", "utf-16le", Some(BinaryReason::ControlChars)),
            (&in_encoding("utf-16"), "utf-16", None),
            (&in_encoding("utf-16le"), "latin1", Some(BinaryReason::Nul)),
            (
                b"\x9A\x30\x21\xB1\x7F\xA5\xC3\x14\xE1\xEE",
                "utf-16be",
                Some(BinaryReason::RandomBytes),
            ),
            (b"BZh91AY&SY\x94\xE5", "utf-16le", Some(BinaryReason::Signature("bzip2"))),
            (b"%PDF-1.4\n", "", Some(BinaryReason::Signature("PDF"))),
        ] {
            assert_eq!(binary_reason(bytes, encoding), expected, "{encoding} {bytes:?}");
        }
    }

    #[test]
    fn known_file_formats_are_detected() {
        let tar = [&[b'a'; 257][..], b"ustar\x0000"].concat();
        for (head, name) in [
            (&b"BZh91AY&SY\x94\xE5"[..], "bzip2"),
            (b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", "PDF"),
            (b"RIFF\x24\x08\x11\x01WAVEfmt \x10", "WAVE"),
            (b"\x89PNG\r\n\x1A\n\0", "PNG"),
            (&tar, "tar"),
        ] {
            assert_eq!(detect_signature(head), Some(name));
            assert_eq!(detect_signature(&head[..4]), None, "{name}");
        }
    }

    #[test]
    fn text_resembling_a_signature_is_not_detected() {
        for text in [
            "MZ is a signature",
            "BM",
            "PK, he said",
            "ID3 tags",
            "GIF89a is a format",
            "RIFF and RAFF",
            "PDF-1.7",
            "BZh9 is bzip2",
            "OggS",
            "ÿØÿ",
        ] {
            assert_eq!(detect_signature(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn short_text_in_wrong_encoding_does_not_look_random() {
        for sample in [
            "Съешь ещё этих мягких булок",
            "Grüße",
            "à côté d’où naît l’été",
            "± ½ § µ × ÷ ° ² ³ ¼ ¾ ¶ ·",
            "│ Файл │ Правка │ Вид │",
        ] {
            for name in ["CP1251", "KOI8-R", "IBM866", "ISO-8859-1", "IBM437"] {
                let Ok(bytes) = encode(name, sample) else { continue };
                for decoded_as in [name, "IBM850"] {
                    let text = decode(decoded_as, &bytes).unwrap();
                    let decoded = text.as_str();
                    assert!(
                        !looks_random(&bytes, decoded),
                        "{sample} in {name}, decoded as {decoded_as}"
                    );
                }
            }
        }
    }

    #[test]
    fn enough_random_bytes_look_random() {
        let bytes = b"\x9D\xE2B\xF6\x8D\xB3)\xC7\xD8o\x84\xEEq\xFA\xA5[\xBF\x96\xCDx";
        let is_random = |bytes: &[u8]| {
            let text = decode("KOI8-R", bytes).unwrap();
            looks_random(bytes, &text)
        };
        assert!(is_random(bytes));
        assert!(!is_random(&bytes[..MIN_RANDOM_LEN - 1]));
        assert!(!is_random(&bytes.repeat(3)));
    }

    #[test]
    fn longest_content_that_can_look_random_is_recognized_with_its_last_byte() {
        // From a Lehmer generator, without control characters.
        let bytes: Vec<u8> = iter::successors(Some(1_u64), |x| Some(x * 48_271 % 0x7FFF_FFFF))
            .map(|x| (x >> 8) as u8)
            .filter(|byte| byte & 0x60 != 0)
            .take(MAX_RANDOM_LEN + 1)
            .collect();
        let random = Some(BinaryReason::RandomBytes);
        assert_eq!(binary_reason(&bytes[..MAX_RANDOM_LEN], "KOI8-R"), random);
        assert_eq!(binary_reason(&bytes, "KOI8-R"), None);
    }
}
