//! A reader of text in an encoding that a byte order mark may declare.

use std::io::{self, Chain, Cursor, Read};
use std::{fmt, mem};

use crate::error_policy::ErrorAction;
use crate::io::{ErrorCounts, TranscodeReader};
use crate::options::TranscodeOptions;
use charpipe_encoding::encoding::{self, Encoding};

/// The length of the longest byte order mark, in bytes.
const MAX_BOM_LEN: u64 = 4;

/// A reader that decodes what it reads from another reader to UTF-8. A byte order mark at the start
/// selects the encoding, and is removed. Without one the input is in the default encoding, UTF-8 unless
/// [`with_encoding`](DecodeReader::with_encoding) sets another one.
///
/// Each malformed sequence becomes U+FFFD, unless the reader is [`strict`](DecodeReader::strict).
///
/// ```
/// use std::io::Read;
/// use charpipe::DecodeReader;
///
/// let mut text = String::new();
/// DecodeReader::new(&b"\xFF\xFEh\0\xE9\0"[..]).read_to_string(&mut text)?;
/// assert_eq!(text, "hé");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct DecodeReader<R> {
    state: ReaderState<R>,
    default: &'static Encoding,
    action: ErrorAction,
}

enum ReaderState<R> {
    /// Nothing has been read.
    Start(R),
    /// The encoding is known.
    Decoding(&'static Encoding, Box<TranscodeReader<Chain<Cursor<Vec<u8>>, R>>>),
    /// The start could not be read.
    Failed,
}

impl<R: Read> DecodeReader<R> {
    /// Returns a reader of text in UTF-8, unless a byte order mark declares UTF-16 or UTF-32.
    ///
    /// ```
    /// let text = std::io::read_to_string(charpipe::DecodeReader::new(&b"\xFE\xFF\0a"[..]))?;
    /// assert_eq!(text, "a");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(inner: R) -> DecodeReader<R> {
        let action = ErrorAction::Replace(None);
        DecodeReader { state: ReaderState::Start(inner), default: encoding::utf8(), action }
    }

    /// Sets the encoding of input without a byte order mark.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let reader = charpipe::DecodeReader::new(&b"caf\xE9"[..]);
    /// let mut text = String::new();
    /// reader.with_encoding(charpipe::WINDOWS_1252).read_to_string(&mut text)?;
    /// assert_eq!(text, "café");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn with_encoding(mut self, encoding: &'static Encoding) -> DecodeReader<R> {
        self.default = encoding;
        self
    }

    /// Makes a malformed sequence an error of kind [`InvalidData`](io::ErrorKind::InvalidData).
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut reader = charpipe::DecodeReader::new(&b"caf\xE9"[..]).strict();
    /// let error = reader.read_to_string(&mut String::new()).unwrap_err();
    /// assert_eq!(error.to_string(), "1:4: byte 3: incomplete UTF-8 sequence E9 at end of input");
    /// ```
    #[must_use]
    pub fn strict(mut self) -> DecodeReader<R> {
        self.action = ErrorAction::Stop;
        self
    }

    /// Returns the encoding of the input, if it has been determined: after the first read.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut reader = charpipe::DecodeReader::new(&b"\xFE\xFF\0a"[..]);
    /// assert_eq!(reader.encoding(), None);
    /// reader.read_to_string(&mut String::new())?;
    /// assert_eq!(reader.encoding(), Some(charpipe::UTF_16BE));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn encoding(&self) -> Option<&'static Encoding> {
        match &self.state {
            ReaderState::Decoding(encoding, _) => Some(encoding),
            ReaderState::Start(_) | ReaderState::Failed => None,
        }
    }

    /// Returns the number of malformed sequences so far.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut reader = charpipe::DecodeReader::new(&b"a\xFFb"[..]);
    /// reader.read_to_string(&mut String::new())?;
    /// assert_eq!(reader.error_counts().replaced, 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn error_counts(&self) -> ErrorCounts {
        match &self.state {
            ReaderState::Decoding(_, reader) => reader.error_counts(),
            ReaderState::Start(_) | ReaderState::Failed => ErrorCounts::default(),
        }
    }

    /// Reads the first bytes and determines the encoding.
    fn start(&mut self, mut inner: R) -> io::Result<()> {
        let mut first_bytes = Vec::new();
        inner.by_ref().take(MAX_BOM_LEN).read_to_end(&mut first_bytes)?;
        let (encoding, bom_len) = Encoding::for_bom(&first_bytes).unwrap_or((self.default, 0));
        first_bytes.drain(..bom_len);
        let mut options = TranscodeOptions::new(encoding, encoding::utf8());
        options.error_policy.malformed = self.action.clone();
        // Values above U+10FFFF of UCS-4, which are valid in it, but not characters of Unicode.
        options.error_policy.unmappable = self.action.clone();
        let reader = TranscodeReader::new(Cursor::new(first_bytes).chain(inner), &options)?;
        self.state = ReaderState::Decoding(encoding, Box::new(reader));
        Ok(())
    }
}

impl<R: Read> Read for DecodeReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match mem::replace(&mut self.state, ReaderState::Failed) {
            ReaderState::Start(inner) => self.start(inner)?,
            state => self.state = state,
        }
        match &mut self.state {
            ReaderState::Decoding(_, reader) => reader.read(buffer),
            ReaderState::Start(_) | ReaderState::Failed => {
                Err(io::Error::other("an earlier read failed"))
            }
        }
    }
}

impl<R> fmt::Debug for DecodeReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("DecodeReader");
        debug.field("default", &self.default).field("action", &self.action).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_select_the_encoding() {
        for (input, encoding, text) in [
            (&b"\xEF\xBB\xBFa"[..], charpipe_encoding::UTF_8, "a"),
            (b"\xEF\xBB", charpipe_encoding::ISO_8859_1, "ï»"),
            (b"\xFF\xFEa\0", charpipe_encoding::UTF_16LE, "a"),
            (b"\xFE\xFF\0a", charpipe_encoding::UTF_16BE, "a"),
            (b"\xFF\xFE\0\0a\0\0\0", charpipe_encoding::UTF_32LE, "a"),
            (b"\0\0\xFE\xFF\0\0\0a", charpipe_encoding::UTF_32BE, "a"),
            (b"\xFF\xFE\xFF\xFEa\0", charpipe_encoding::UTF_16LE, "\u{FEFF}a"),
            (b"caf\xE9", charpipe_encoding::ISO_8859_1, "café"),
            (b"", charpipe_encoding::ISO_8859_1, ""),
        ] {
            let mut reader =
                DecodeReader::new(input).with_encoding(charpipe_encoding::ISO_8859_1).strict();
            let mut decoded = String::new();
            reader.read_to_string(&mut decoded).unwrap();
            assert_eq!((decoded.as_str(), reader.encoding()), (text, Some(encoding)));
        }
    }

    #[test]
    fn values_above_unicode_are_replaced() {
        let ucs4 = charpipe_encoding::Encoding::for_label(b"UCS-4LE").unwrap();
        let input = b"a\0\0\0\x1B$)A";
        let mut reader = DecodeReader::new(&input[..]).with_encoding(ucs4);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), reader.error_counts().errors()), ("a\u{FFFD}", 1));
        let mut reader = DecodeReader::new(&input[..]).with_encoding(ucs4).strict();
        assert!(reader.read_to_string(&mut text).is_err());
    }

    #[test]
    fn errors_are_counted_unless_the_reader_is_strict() {
        let mut reader = DecodeReader::new(&b"a\xFFb\xFF"[..]);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), reader.error_counts().errors()), ("a\u{FFFD}b\u{FFFD}", 2));
    }
}
