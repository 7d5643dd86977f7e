//! TSCII: Tamil in visual order (TSCII 1.7, as in glibc).
//!
//! Bytes below 80 are ASCII. A byte above is a letter, a vowel sign, or a letter with its sign.
//! Three of the vowel signs precede their consonant (A6, A7, A8), and two of them form another sign
//! with a following A1 or AA; in Unicode a sign always follows its consonant. So a code has one to
//! three bytes, and the longest match is taken. Likewise one to four characters have a code, and
//! the longest match is taken. In both directions input that could still become a longer match is
//! left unread.

use std::sync::LazyLock;

use super::{CodecFactory, Encoding, EncodingOptions};
use crate::codec::{Checkpoint, DecodeStage, EncodeStage, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::encoding::split_rule::{SplitRule, SplitTarget};
use charpipe_kernel as kernel;
use charpipe_kernel::hex::VALUES;

/// Tamil in visual order.
pub static TSCII: Encoding =
    Encoding::new("TSCII", "Tamil and ASCII, in visual order (TSCII 1.7)", &TsciiFactory);

/// Makes the codecs from the table of codes.
#[derive(Debug)]
struct TsciiFactory;

impl CodecFactory for TsciiFactory {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn DecodeStage> {
        Box::new(TsciiCodec(&DECODED))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn EncodeStage> {
        Box::new(TsciiCodec(&ENCODED))
    }

    fn split_rule(&self, _: &EncodingOptions) -> SplitRule {
        SplitRule::AFTER_LINE_FEED.with_target(SplitTarget::AfterLineFeed { header: false })
    }

    fn engine(&self) -> Option<&'static str> {
        Some("codes of several characters")
    }
}

/// The length of the longest text of a code in bytes.
const MAX_LOOKAHEAD: usize = 12;

/// The decoder or the encoder, both stateless.
struct TsciiCodec(&'static TsciiDirection);

/// The codes in each direction, which all codecs share.
static DECODED: LazyLock<TsciiDirection> =
    LazyLock::new(|| TsciiDirection::new(TsciiCode::bytes, |code| !code.is_only_encoded));
static ENCODED: LazyLock<TsciiDirection> =
    LazyLock::new(|| TsciiDirection::new(TsciiCode::text, |_| true));

/// Why conversion stops.
enum StopReason {
    InputEmpty,
    OutputFull,
    NoMatch,
}

impl TsciiCodec {
    /// Converts as much as possible; returns the number of bytes read and written, and why it
    /// stops. `lead_len` returns the number of bytes that identify the first item of a code, from
    /// its first byte.
    #[inline(always)]
    fn convert(
        &self,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
        lead_len: fn(u8) -> usize,
    ) -> (usize, usize, StopReason) {
        let (mut read, mut written) = (0, 0);
        loop {
            let Some(first) = src.get(read) else { return (read, written, StopReason::InputEmpty) };
            if first.is_ascii() {
                let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
                if ascii == 0 {
                    return (read, written, StopReason::OutputFull);
                }
                read += ascii;
                written += ascii;
                continue;
            }
            match self.0.longest_match(&src[read..], lead_len(*first), end) {
                LongestMatch::NeedMore => return (read, written, StopReason::InputEmpty),
                LongestMatch::NoMatch => return (read, written, StopReason::NoMatch),
                LongestMatch::Match(target, len) => {
                    let Some(space) = dst[written..].get_mut(..target.len()) else {
                        return (read, written, StopReason::OutputFull);
                    };
                    space.copy_from_slice(target);
                    written += target.len();
                    read += len;
                }
            }
        }
    }
}

/// Returns the length of a non-ASCII character in UTF-8.
fn utf8_len(first: u8) -> usize {
    first.leading_ones() as usize
}

impl Checkpoint for TsciiCodec {
    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl DecodeStage for TsciiCodec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (read, written, stop_reason) = self.convert(src, dst, end, |_| 1);
        match stop_reason {
            StopReason::InputEmpty => Progress::input_empty(read, written),
            StopReason::OutputFull => Progress::output_full(read, written),
            StopReason::NoMatch => {
                let error = Malformed::new(1, MalformedReason::InvalidLeadByte, State::INITIAL);
                Progress::error(read, written, error)
            }
        }
    }
}

impl EncodeStage for TsciiCodec {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (read, written, stop_reason) = self.convert(src.as_bytes(), dst, end, utf8_len);
        match (stop_reason, src[read..].chars().next()) {
            (StopReason::NoMatch, Some(character)) => {
                Progress::error(read, written, Unmappable::new(character))
            }
            (StopReason::OutputFull, _) => Progress::output_full(read, written),
            _ => Progress::input_empty(read, written),
        }
    }
}

/// One code per line: its bytes, and its characters. `>` marks a code that is only encoded. Of two codes
/// with the same characters the higher one is encoded. From the GNU C library 2.36, whose encoder does not
/// put a sign before the last letter of `>8AC3`.
const CODES: &str = include_str!("tscii/codes.tsv");

/// A code in one direction: its source, and its target.
type CodePair = (CodeText, CodeText);

/// The bytes of a code, or its characters in UTF-8. The order is that of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CodeText {
    /// The bytes, followed by zeros.
    bytes: [u8; MAX_LOOKAHEAD],
    len: u8,
}

impl CodeText {
    const EMPTY: CodeText = CodeText { bytes: [0; MAX_LOOKAHEAD], len: 0 };

    fn push(&mut self, more: &[u8]) {
        let len = usize::from(self.len);
        self.bytes[len..len + more.len()].copy_from_slice(more);
        self.len += more.len() as u8;
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// A line of the table.
struct TsciiCode {
    bytes: CodeText,
    utf8: CodeText,
    is_only_encoded: bool,
}

impl TsciiCode {
    fn all() -> impl Iterator<Item = TsciiCode> {
        CODES.lines().filter_map(|line| {
            let is_only_encoded = line.starts_with('>');
            let line = &line.as_bytes()[usize::from(is_only_encoded)..];
            let tab = line.iter().position(|byte| *byte == b'\t')?;
            let (mut bytes, mut utf8) = (CodeText::EMPTY, CodeText::EMPTY);
            line[..tab].chunks(2).for_each(|digits| bytes.push(&[hex_value(digits) as u8]));
            for digits in line[tab + 1..].split(|byte| *byte == b' ') {
                utf8.push(char::from_u32(hex_value(digits))?.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Some(TsciiCode { bytes, utf8, is_only_encoded })
        })
    }

    /// Returns the code from bytes to UTF-8.
    fn bytes(self) -> CodePair {
        (self.bytes, self.utf8)
    }

    /// Returns the code from UTF-8 to bytes.
    fn text(self) -> CodePair {
        (self.utf8, self.bytes)
    }
}

fn hex_value(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |value, digit| value << 4 | u32::from(VALUES[usize::from(*digit)]))
}

/// The codes in one direction.
struct TsciiDirection {
    /// The codes, sorted by their source.
    pairs: Vec<CodePair>,
    /// For each byte the index of the first code that begins with it or a higher one, so that bytes
    /// that begin no code need no search: they may come by the million.
    first_index: [u16; 0x101],
}

/// The result of a search at the start of the source.
enum LongestMatch<'a> {
    /// The target of the longest code, and the length of its source.
    Match(&'a [u8], usize),
    /// No code.
    NoMatch,
    /// The result depends on input that is not available yet.
    NeedMore,
}

impl TsciiDirection {
    /// Collects the codes for which `is_used` returns true, in one direction.
    fn new(
        direction: fn(TsciiCode) -> CodePair,
        is_used: fn(&TsciiCode) -> bool,
    ) -> TsciiDirection {
        let mut codes: Vec<CodePair> = TsciiCode::all().filter(is_used).map(direction).collect();
        codes.sort_unstable();
        let index_of = |byte| codes.partition_point(|(code, _)| usize::from(code.bytes[0]) < byte);
        let first_index = std::array::from_fn(|byte| index_of(byte) as u16);
        TsciiDirection { pairs: codes, first_index }
    }

    /// Returns the longest code at the start of `src`, which is not empty and whose first byte or
    /// character has `lead_len` bytes; `end` means that nothing follows.
    fn longest_match(&self, src: &[u8], lead_len: usize, end: bool) -> LongestMatch<'_> {
        let mut longest = LongestMatch::NoMatch;
        let byte = usize::from(src[0]);
        let codes = &self.pairs[self.first_index[byte].into()..self.first_index[byte + 1].into()];
        let lead_bytes = &src[..lead_len.min(src.len())];
        // A code that is a prefix of another one comes before it.
        let from = codes.partition_point(|(code, _)| code.as_slice() < lead_bytes);
        for (code, target) in &codes[from..] {
            let code = code.as_slice();
            if !code.starts_with(lead_bytes) {
                break;
            }
            if src.starts_with(code) {
                longest = LongestMatch::Match(target.as_slice(), code.len());
            } else if !end && code.starts_with(src) {
                return LongestMatch::NeedMore;
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode_every_way, encode_every_way};
    use super::*;

    /// Words as the GNU C library 2.36 converts them in both directions.
    #[test]
    fn vowel_signs_precede_consonants_in_bytes_and_follow_in_text() {
        for (bytes, text) in [
            (&b"\xBE\xC1\xA2\xFA"[..], "\u{BA4}\u{BAE}\u{BBF}\u{BB4}\u{BCD}"),
            (b"\xA6\xB8", "\u{B95}\u{BC6}"),
            (b"\xA6\xB8\xA1", "\u{B95}\u{BCA}"),
            (b"\xA7\xB8\xAA", "\u{B95}\u{BCC}"),
            (b"\xA8\xB8A", "\u{B95}\u{BC8}A"),
            (b"\xA6\xA1", "\u{BCA}"),
            (
                b"\x82\x87\x8C",
                "\u{BB8}\u{BCD}\u{BB0}\u{BC0}\u{B95}\u{BCD}\u{BB7}\u{B95}\u{BCD}\u{BB7}\u{BCD}",
            ),
            (b"\x8A\xC3\xA8", "\u{BB8}\u{BCD}\u{BB0}\u{BC8}"),
            (b"\x8A\xA4\x8B\xA5", "\u{BB8}\u{BC1}\u{BB9}\u{BC2}"),
            (b"\xFEA", "\u{B87}A"),
        ] {
            let (decoded, encoded) =
                (decode_every_way("TSCII", bytes), encode_every_way("TSCII", text));
            assert_eq!(decoded, (text.to_owned(), vec![]), "{bytes:02X?}");
            assert_eq!(encoded, (bytes.to_vec(), vec![]), "{text}");
        }
    }

    #[test]
    fn unassigned_bytes_and_unmappable_characters_are_reported() {
        let stray = |at| (at, 1, MalformedReason::InvalidLeadByte);
        let read = decode_every_way("TSCII", b"\xA0\xA6\xFFa");
        assert_eq!(read, ("\u{FFFD}\u{BC6}\u{FFFD}a".to_owned(), vec![stray(0), stray(2)]));
        let written = encode_every_way("TSCII", "\u{B95}\u{B96}\u{BC6}\u{E9}");
        assert_eq!(written, (b"\xB8\xA6".to_vec(), vec![(3, '\u{B96}'), (9, '\u{E9}')]));
    }
}
