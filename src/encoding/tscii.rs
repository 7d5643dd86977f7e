//! TSCII: Tamil in the order in which it is written, not spoken (TSCII 1.7, as glibc has it).
//!
//! Bytes below 80 are ASCII. A byte above is a letter, a sign, or a letter with its sign. Three of
//! the vowel signs stand before their consonant (A6, A7, A8), and with A1 or AA after it two of them
//! are another sign; in Unicode a sign always follows. So a code may be of one to three bytes, and the
//! longest that stands next is meant. The same goes for text: one to four characters together have a
//! code, and the most characters that have one are taken. Either way what may go on stays unread.

use super::{CodecFactory, Encoding, EncodingOptions};
use crate::codec::{Checkpoint, Decoder, Encoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};
use crate::kernel;

/// Tamil in the order of writing.
pub static TSCII: Encoding = Encoding::new(
    "TSCII",
    "Tamil and ASCII, with vowel signs where they are written (TSCII 1.7)",
    &TsciiFactory,
);

/// Makes the codecs from the codes.
#[derive(Debug)]
struct TsciiFactory;

impl CodecFactory for TsciiFactory {
    fn decoder(&self, _: &EncodingOptions) -> Box<dyn Decoder> {
        Box::new(TsciiCodec(TsciiDirection::new(TsciiCode::bytes, TsciiCode::is_decoded)))
    }

    fn encoder(&self, _: &EncodingOptions) -> Box<dyn Encoder> {
        Box::new(TsciiCodec(TsciiDirection::new(TsciiCode::text, TsciiCode::is_encoded)))
    }

    fn engine(&self) -> Option<&'static str> {
        Some("codes of several characters")
    }
}

/// Bytes of the longest text of a code.
const MAX_LOOKAHEAD: usize = 12;

/// Either codec: it remembers nothing.
struct TsciiCodec(TsciiDirection);

/// Why a codec cannot go on.
enum StopReason {
    InputEmpty,
    OutputFull,
    NoMatch,
}

impl TsciiCodec {
    /// Converts what can be converted: bytes read, bytes written, and why it ends there. `lead`
    /// says how many bytes the first one of a code begins.
    #[inline(always)]
    fn convert(
        &self,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
        lead: fn(u8) -> usize,
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
            match self.0.longest_match(&src[read..], lead(*first), end) {
                LongestMatch::NeedMore => return (read, written, StopReason::InputEmpty),
                LongestMatch::NoMatch => return (read, written, StopReason::NoMatch),
                LongestMatch::Match(other, len) => {
                    let Some(space) = dst[written..].get_mut(..other.len()) else {
                        return (read, written, StopReason::OutputFull);
                    };
                    space.copy_from_slice(other);
                    written += other.len();
                    read += len;
                }
            }
        }
    }
}

/// Bytes of a character of UTF-8 beyond ASCII.
fn utf8_len(first: u8) -> usize {
    first.leading_ones() as usize
}

impl Checkpoint for TsciiCodec {
    fn save_state(&self) -> State {
        State::INITIAL
    }

    fn restore_state(&mut self, _: State) {}

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl Decoder for TsciiCodec {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (read, written, halt) = self.convert(src, dst, end, |_| 1);
        match halt {
            StopReason::InputEmpty => Progress::input_empty(read, written),
            StopReason::OutputFull => Progress::output_full(read, written),
            StopReason::NoMatch => {
                let error = Malformed::new(1, MalformedReason::InvalidLeadByte, State::INITIAL);
                Progress::error(read, written, error)
            }
        }
    }
}

impl Encoder for TsciiCodec {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (read, written, halt) = self.convert(src.as_bytes(), dst, end, utf8_len);
        match (halt, src[read..].chars().next()) {
            (StopReason::NoMatch, Some(character)) => {
                Progress::error(read, written, Unmappable::new(character))
            }
            (StopReason::OutputFull, _) => Progress::output_full(read, written),
            _ => Progress::input_empty(read, written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode_every_way, encode_every_way};
    use super::*;

    /// Words as the GNU C library 2.36 converts them, both ways.
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

/// A code in a line: its bytes, and the characters that they are. `<` marks one that is only
/// decoded, `>` one that is only encoded. From the GNU C library 2.36, whose encoder does not put a
/// sign before the last letter of `>8AC3`.
const CODES: &str = include_str!("tscii/codes.tsv");

/// A code as it is converted: from these bytes to those.
type CodePair = (Vec<u8>, Vec<u8>);

/// A line of the codes.
struct TsciiCode {
    bytes: Vec<u8>,
    utf8: Vec<u8>,
    one_way: Option<char>,
}

impl TsciiCode {
    fn all() -> impl Iterator<Item = TsciiCode> {
        CODES.lines().filter_map(|line| {
            let only = line.chars().next().filter(|mark| "<>".contains(*mark));
            let (bytes, text) = line.trim_start_matches(['<', '>']).split_once('\t')?;
            let bytes = (0..bytes.len()).step_by(2).map(|at| &bytes[at..at + 2]);
            let bytes = bytes.filter_map(|byte| u8::from_str_radix(byte, 16).ok());
            let character = |number| char::from_u32(u32::from_str_radix(number, 16).ok()?);
            let text: String = text.split(' ').filter_map(character).collect();
            Some(TsciiCode { bytes: bytes.collect(), utf8: text.into_bytes(), one_way: only })
        })
    }

    /// From bytes to UTF-8.
    fn bytes(self) -> CodePair {
        (self.bytes, self.utf8)
    }

    /// From UTF-8 to bytes.
    fn text(self) -> CodePair {
        (self.utf8, self.bytes)
    }

    /// Whether it is decoded.
    fn is_decoded(&self) -> bool {
        self.one_way != Some('>')
    }

    /// Whether it is encoded.
    fn is_encoded(&self) -> bool {
        self.one_way != Some('<')
    }
}

/// The codes in one direction.
struct TsciiDirection {
    /// Sorted.
    pairs: Vec<CodePair>,
    /// For each byte the index of the first code that begins with it or a higher one, so that what
    /// begins none, which may come by the million, is no search.
    first_index: [u16; 0x101],
}

/// What stands next.
enum LongestMatch<'a> {
    /// This in place of so many bytes.
    Match(&'a [u8], usize),
    /// No code.
    NoMatch,
    /// What is not there yet decides.
    NeedMore,
}

impl TsciiDirection {
    /// The codes of which `is_of` holds, in this direction.
    fn new(direction: fn(TsciiCode) -> CodePair, is_of: fn(&TsciiCode) -> bool) -> TsciiDirection {
        let mut codes: Vec<CodePair> = TsciiCode::all().filter(is_of).map(direction).collect();
        codes.sort();
        let before = |byte| codes.partition_point(|(code, _)| usize::from(code[0]) < byte);
        let begin = std::array::from_fn(|raw_byte| before(raw_byte) as u16);
        TsciiDirection { pairs: codes, first_index: begin }
    }

    /// The longest code at the start of `src`, which is not empty and whose first byte or character has `lead` bytes;
    /// `end` says that nothing follows.
    fn longest_match(&self, src: &[u8], lead: usize, end: bool) -> LongestMatch<'_> {
        let mut found = LongestMatch::NoMatch;
        let byte = usize::from(src[0]);
        let codes = &self.pairs[self.first_index[byte].into()..self.first_index[byte + 1].into()];
        let lead = &src[..lead.min(src.len())];
        // A code that begins another one comes before it.
        let from = codes.partition_point(|(code, _)| &code[..] < lead);
        for (code, other) in codes[from..].iter().take_while(|two| two.0.starts_with(lead)) {
            if src.starts_with(code) {
                found = LongestMatch::Match(other, code.len());
            } else if !end && code.starts_with(src) {
                return LongestMatch::NeedMore;
            }
        }
        found
    }
}
