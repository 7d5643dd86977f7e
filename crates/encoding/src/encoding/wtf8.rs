//! WTF-8: UTF-8 with surrogate code points, for ill-formed UTF-16 such as file names of Windows.
//!
//! A lone surrogate is valid in WTF-8, but a character in no other encoding. It is reported as
//! [`MalformedReason::SurrogateCodePoint`] of 3 bytes, so that error actions receive its value. A pair
//! of surrogates must be one character of 4 bytes (section 3.1); otherwise all 6 bytes are malformed.
//! Everything else, and encoding, is as in UTF-8.

use super::utf8::Utf8Codec;
use super::{Encoding, FnFactory};
use crate::codec::{Checkpoint, DecodeStage, Progress, State, Status};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::encoding::split_rule::SplitRule;

/// Wobbly Transformation Format, 8 bits.
pub static WTF_8: Encoding = Encoding::new(
    "WTF-8",
    "UTF-8 with lone surrogates (simonsapin.github.io/wtf-8)",
    &FnFactory {
        decoder: |_| Box::new(Wtf8Decoder),
        encoder: |_| Box::new(Utf8Codec),
        split_rule: |_| SplitRule::AFTER_LINE_FEED,
    },
);

/// The length of a surrogate in bytes.
const SURROGATE_LEN: usize = 3;

/// The decoder, stateless.
struct Wtf8Decoder;

impl Checkpoint for Wtf8Decoder {
    fn max_lookahead(&self) -> usize {
        2 * SURROGATE_LEN
    }
}

impl DecodeStage for Wtf8Decoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let progress = Utf8Codec.decode(src, dst, end);
        match progress.status {
            Status::Error(Malformed { reason: MalformedReason::Surrogate, .. }) => {
                let status = surrogate_status(&src[progress.read..], end);
                Progress { status, ..progress }
            }
            _ => progress,
        }
    }
}

/// Returns the status for the lead byte and the second byte of a surrogate at the start of `src`.
fn surrogate_status(src: &[u8], end: bool) -> Status<Malformed> {
    let error = |len, reason| Status::Error(Malformed::new(len, reason, State::INITIAL));
    let surrogate = match read_surrogate(src) {
        Surrogate::Found(value) => value,
        Surrogate::Incomplete if end => return error(src.len(), MalformedReason::Truncated),
        Surrogate::Incomplete => return Status::InputEmpty,
        Surrogate::Other => return error(2, MalformedReason::MissingTrailByte),
    };
    if surrogate < 0xDC00 {
        match read_surrogate(&src[SURROGATE_LEN..]) {
            Surrogate::Found(0xDC00..) => {
                return error(2 * SURROGATE_LEN, MalformedReason::Surrogate);
            }
            Surrogate::Incomplete if !end => return Status::InputEmpty,
            _ => {}
        }
    }
    error(SURROGATE_LEN, MalformedReason::SurrogateCodePoint(surrogate))
}

/// What the source starts with.
enum Surrogate {
    Found(u32),
    Incomplete,
    Other,
}

fn read_surrogate(src: &[u8]) -> Surrogate {
    let bits = |byte: u8| u32::from(byte & 0x3F);
    match *src {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Surrogate::Found(0xD000 | bits(second) << 6 | bits(third))
        }
        [] | [0xED] | [0xED, 0xA0..=0xBF] => Surrogate::Incomplete,
        _ => Surrogate::Other,
    }
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason::{
        InvalidLeadByte, MissingTrailByte, Overlong, Surrogate, SurrogateCodePoint, Truncated,
    };
    use crate::encoding::testing::{Error, assert_decodes, decode, encode};

    #[test]
    fn text_has_the_same_bytes_as_in_utf_8() {
        let text: String = ('\0'..=char::MAX).collect();
        assert!(encode("WTF-8", &text) == (text.clone().into_bytes(), vec![]));
        assert!(decode("WTF-8", text.as_bytes()) == (text, vec![]));
    }

    #[test]
    fn surrogates_are_reported_with_their_values() {
        let cases: &[(&[u8], &str, &[Error])] = &[
            // Section 3.2 of the specification: U+D83D and U+DCA9 alone, and U+1F4A9.
            (b"\xED\xA0\xBD", "\u{FFFD}", &[(0, 3, SurrogateCodePoint(0xD83D))]),
            (b"\xED\xB2\xA9", "\u{FFFD}", &[(0, 3, SurrogateCodePoint(0xDCA9))]),
            (b"\xF0\x9F\x92\xA9", "\u{1F4A9}", &[]),
            // A pair must not be written as two surrogates.
            (b"\xED\xA0\xBD\xED\xB2\xA9a", "\u{FFFD}a", &[(0, 6, Surrogate)]),
            // The first and last of each kind.
            (b"a\xED\xA0\x80b", "a\u{FFFD}b", &[(1, 3, SurrogateCodePoint(0xD800))]),
            (b"a\xED\xAF\xBFb", "a\u{FFFD}b", &[(1, 3, SurrogateCodePoint(0xDBFF))]),
            (b"a\xED\xB0\x80b", "a\u{FFFD}b", &[(1, 3, SurrogateCodePoint(0xDC00))]),
            (b"a\xED\xBF\xBFb", "a\u{FFFD}b", &[(1, 3, SurrogateCodePoint(0xDFFF))]),
            // Two of the same kind, and a trail surrogate before a lead surrogate, are alone.
            (
                b"\xED\xB0\x80\xED\xA0\x80\xED\xA0\x81",
                "\u{FFFD}\u{FFFD}\u{FFFD}",
                &[
                    (0, 3, SurrogateCodePoint(0xDC00)),
                    (3, 3, SurrogateCodePoint(0xD800)),
                    (6, 3, SurrogateCodePoint(0xD801)),
                ],
            ),
            (
                b"\xED\xA0\x80\xED\x9F\xBF",
                "\u{FFFD}\u{D7FF}",
                &[(0, 3, SurrogateCodePoint(0xD800))],
            ),
            // Incomplete ones.
            (b"\xED\xA0", "\u{FFFD}", &[(0, 2, Truncated)]),
            (b"\xED\xA0a", "\u{FFFD}a", &[(0, 2, MissingTrailByte)]),
            (
                b"\xED\xA0\x80\xED",
                "\u{FFFD}\u{FFFD}",
                &[(0, 3, SurrogateCodePoint(0xD800)), (3, 1, Truncated)],
            ),
            (
                b"\xED\xA0\x80\xED\xB0a",
                "\u{FFFD}\u{FFFD}a",
                &[(0, 3, SurrogateCodePoint(0xD800)), (3, 2, MissingTrailByte)],
            ),
            // Other errors are those of UTF-8.
            (
                b"\xC0\x80\xFF",
                "\u{FFFD}\u{FFFD}\u{FFFD}",
                &[(0, 1, Overlong), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
            ),
        ];
        for (bytes, text, errors) in cases {
            assert_decodes("WTF-8", bytes, text, errors);
        }
    }

    #[test]
    fn every_lone_surrogate_has_the_bytes_of_its_value() {
        for value in 0xD800..0xE000_u32 {
            let byte = |shift: u32| 0x80 | (value >> shift & 0x3F) as u8;
            let bytes = [0xE0 | (value >> 12) as u8, byte(6), byte(0)];
            assert_eq!(decode("WTF-8", &bytes).1, [(0, 3, SurrogateCodePoint(value))]);
        }
    }
}
