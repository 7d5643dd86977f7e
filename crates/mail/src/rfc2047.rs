//! RFC 2047: text in header fields of mail, written in ASCII as encoded-words.
//!
//! An encoded-word such as `=?utf-8?Q?caf=C3=A9?=` names a charset and carries bytes of it in
//! base64 (B) or nearly unchanged (Q). [`RFC_2047`] is not an encoding of its own but is used as
//! one: its decoder replaces encoded-words by their text and copies everything else, and its
//! encoder writes encoded-words where they are needed.
//!
//! Both work on header fields: a line and the lines after it that begin with white space. One that
//! begins with a field name follows the rules of that field; any other is a value.
//!
//! For header fields in memory there are [`decode`] and [`encode`]:
//!
//! ```
//! use charpipe::rfc2047;
//!
//! assert_eq!(rfc2047::decode(b"Subject: =?utf-8?Q?caf=C3=A9?="), "Subject: caf\u{E9}");
//! assert_eq!(rfc2047::encode("To: Zo\u{EB} <z@x>").unwrap(), "To: =?UTF-8?Q?Zo=C3=AB?= <z@x>");
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::str;

use charpipe_encoding::codec::{
    ByteTransform, Checkpoint, DecodeStage, EncodeStage, Progress, Status, TextTransform,
};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::split_rule::SplitRule;
use charpipe_encoding::encoding::{
    CodecFactory, Encoding, EncodingOptions, OptionSpec, OptionValues,
};

mod address_lexer;
mod decode;
mod encode;
mod field;
mod parameters;
mod scanner;
mod state;
mod transfer_encoding;

#[cfg(fuzzing)]
#[doc(hidden)]
pub use work_counter::take as take_work_counter;

/// Counts how often bytes of header fields are examined, in tests and in fuzzing: so a test proves
/// without a clock that decoding takes linear time.
mod work_counter {
    #[cfg(any(test, fuzzing))]
    use std::cell::Cell;

    #[cfg(any(test, fuzzing))]
    thread_local! {
        static EXAMINED: Cell<u64> = const { Cell::new(0) };
    }

    /// Adds the number of bytes that a loop examines. Does nothing in other builds.
    #[inline(always)]
    pub fn add(_bytes: usize) {
        #[cfg(any(test, fuzzing))]
        EXAMINED.set(EXAMINED.get() + _bytes as u64);
    }

    /// Returns the number that this thread has added since the last call.
    #[cfg(any(test, fuzzing))]
    pub fn take() -> u64 {
        EXAMINED.take()
    }
}

/// The option that converts parameters of RFC 2231, in stages of their own.
const PARAMETERS: &str = "rfc2231";

/// Creates the stage before the decoder that rewrites parameters.
#[doc(hidden)]
pub fn parameter_decoder(options: &EncodingOptions) -> Box<dyn ByteTransform> {
    Box::new(parameters::ParameterDecoder::new(options))
}

/// Creates the stage before the encoder that encodes parameters.
#[doc(hidden)]
pub fn parameter_encoder() -> Box<dyn TextTransform> {
    Box::new(parameters::ParameterEncoder::default())
}

/// The encoding of header lines, by RFC 2047.
///
/// ```
/// let options = charpipe::TranscodeOptions::new(&charpipe::rfc2047::RFC_2047, charpipe::UTF_8);
/// assert_eq!(options.transcode(b"Subject: =?utf-8?q?=C3=A9?=")?, "Subject: é".as_bytes());
/// # Ok::<(), charpipe::Error>(())
/// ```
pub static RFC_2047: Encoding = Encoding::new(
    "RFC2047",
    "Header lines with encoded-words (RFC 2047)",
    &HeaderFactory,
)
.with_options(&[
    OptionSpec {
        name: "charset",
        values: OptionValues::Encoding,
        description: "charset of the encoded-words [default: UTF-8]",
    },
    OptionSpec {
        name: "encoding",
        values: OptionValues::Choice(&["auto", "b", "q"]),
        description: "write encoded-words in base64 (b), in Q, or in whichever is shorter",
    },
    OptionSpec {
        name: "strict",
        values: OptionValues::Flag,
        description: "enforce RFC 2047 strictly and report encoded-words that violate it",
    },
    OptionSpec {
        name: PARAMETERS,
        values: OptionValues::Flag,
        description: "also convert parameters of Content-Type and Content-Disposition, such as \
                          filename*=utf-8''caf%C3%A9 (RFC 2231)",
    },
]);

#[derive(Debug)]
struct HeaderFactory;

impl CodecFactory for HeaderFactory {
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn DecodeStage> {
        Box::new(decode::HeaderDecoder::new(options))
    }

    fn encoder(&self, options: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(encode::HeaderEncoder::new(options))
    }

    fn default_replacement(&self) -> Option<&'static str> {
        // Only ASCII can be written where no encoded-word is allowed.
        Some("?")
    }

    fn counts_source_lines(&self) -> bool {
        true
    }

    fn split_rule(&self, _options: &EncodingOptions) -> SplitRule {
        SplitRule::unsplittable("a header field may continue on the next line")
    }
}

/// Decodes header fields, and replaces each malformed sequence by U+FFFD.
///
/// ```
/// use charpipe::rfc2047;
///
/// assert_eq!(rfc2047::decode(b"=?iso-8859-1?Q?caf=E9?="), "café");
/// assert_eq!(rfc2047::decode(b"=?utf-8?Q?caf=E9?="), "caf\u{FFFD}");
/// ```
pub fn decode(header: &[u8]) -> Cow<'_, str> {
    decode_with(header, |_, _| ())
}

/// Decodes header fields as [`decode`] does, and passes the range of each malformed sequence in
/// `header` to `report`, with what is wrong with it.
///
/// ```
/// let mut ranges = Vec::new();
/// charpipe::rfc2047::decode_with(b"a =?utf-8?Q?=FF?=", |range, _| ranges.push(range));
/// assert_eq!(ranges, [12..15]);
/// ```
pub fn decode_with(
    header: &[u8],
    mut report: impl FnMut(Range<usize>, MalformedReason),
) -> Cow<'_, str> {
    let has_words = memchr::memmem::find(header, b"=?").is_some();
    if let (Ok(text), false) = (str::from_utf8(header), has_words) {
        return Cow::Borrowed(text);
    }
    let mut decoder = decode::HeaderDecoder::new(&EncodingOptions::default());
    let (mut text, mut at, mut buffer) = (String::new(), 0, vec![0; decoder.max_lookahead()]);
    loop {
        let Progress { read, written, status } = decoder.decode(&header[at..], &mut buffer, true);
        text.push_str(&String::from_utf8_lossy(&buffer[..written]));
        at += read;
        match status {
            Status::InputEmpty => return Cow::Owned(text),
            Status::OutputFull => {}
            Status::Error(error) => {
                report(at..at + error.len, error.reason);
                text.push(char::REPLACEMENT_CHARACTER);
                at += error.resume_len;
                decoder.restore_state(error.resume_state);
            }
        }
    }
}

/// Encodes header fields, with encoded-words in UTF-8.
///
/// ```
/// use charpipe::rfc2047;
///
/// assert_eq!(rfc2047::encode("Subject: café").unwrap(), "Subject: =?UTF-8?B?Y2Fmw6k=?=");
/// assert_eq!(rfc2047::encode("To: zoë@example.org").unwrap_err(), 6..8);
/// ```
///
/// # Errors
///
/// The range of the first character in `text` that is not ASCII in an address or another position where
/// no encoded-word is allowed.
pub fn encode(text: &str) -> Result<Cow<'_, str>, Range<usize>> {
    let mut encoder = encode::HeaderEncoder::new(&EncodingOptions::default());
    let (mut encoded, mut at, mut buffer) = (String::new(), 0, vec![0; encoder.max_lookahead()]);
    loop {
        let Progress { read, written, status } = encoder.encode(&text[at..], &mut buffer, true);
        encoded.push_str(&String::from_utf8_lossy(&buffer[..written]));
        at += read;
        match status {
            Status::InputEmpty if encoded == text => return Ok(Cow::Borrowed(text)),
            Status::InputEmpty => return Ok(Cow::Owned(encoded)),
            Status::OutputFull => {}
            Status::Error(error) => return Err(at..at + error.character.len_utf8()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_encoded_words_is_borrowed() {
        for text in ["", "Subject: caf\u{E9}\n", "a = b? c\n d"] {
            assert!(matches!(decode(text.as_bytes()), Cow::Borrowed(found) if found == text));
        }
        for text in ["", "Subject: plain\r\n", "To: a <a@b>\n"] {
            assert!(matches!(encode(text), Ok(Cow::Borrowed(found)) if found == text));
        }
    }

    #[test]
    fn errors_have_their_ranges() {
        let header = b"a =?utf-8?q?=FF?= \xE9 =?utf-8?b?4oI?=";
        let mut errors = Vec::new();
        let text = decode_with(header, |range, why| errors.push((&header[range], why)));
        assert_eq!(text, "a \u{FFFD} \u{FFFD} \u{FFFD}");
        let expected: [(&[u8], _); 3] = [
            (b"=FF", MalformedReason::InvalidLeadByte),
            (b"\xE9", MalformedReason::MissingTrailByte),
            (b"4oI", MalformedReason::SplitCharacter),
        ];
        assert_eq!(errors, expected);
        assert_eq!(encode("To: <caf\u{E9}@x>"), Err(8..10));
    }

    #[test]
    fn long_text_comes_back() {
        let text = format!("Subject: {}", "caf\u{E9} ".repeat(4_000));
        let encoded = encode(&text).unwrap();
        assert!(encoded.is_ascii());
        let fold = |text: &str| text.replace("\n ", "");
        assert_eq!(fold(&decode(encoded.as_bytes())), fold(&text));
    }
}
