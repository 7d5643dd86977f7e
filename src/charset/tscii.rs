//! TSCII: Tamil in the order in which it is written, not spoken (TSCII 1.7, as glibc has it).
//!
//! Octets below 80 are ASCII. An octet above is a letter, a sign, or a letter with its sign. Three of
//! the vowel signs stand before their consonant (A6, A7, A8), and with A1 or AA behind it two of them
//! are another sign; in Unicode a sign always follows. So a code may be of one to three octets, and the
//! longest that stands next is meant. The same goes for text: one to four characters together have a
//! code, and the most characters that have one are taken. Either way what may go on stays unread.

use super::{Charset, Codecs, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State};
use crate::fault::{Malformed, Unmappable, Why};
use crate::kernel;

mod codes;

use codes::{Code, Found, Side};

/// Tamil in the order of writing.
pub static TSCII: Charset = Charset {
    name: "TSCII",
    about: "Tamil and ASCII, with vowel signs where they are written (TSCII 1.7)",
    options: &[],
    mark: Mark::Character,
    codecs: &Written,
    wide: None,
};

/// Makes the codecs from the codes.
#[derive(Debug)]
struct Written;

impl Codecs for Written {
    fn decoder(&self, _: &Settings) -> Box<dyn Decoder> {
        Box::new(Tscii(Side::new(Code::octets, Code::decodes)))
    }

    fn encoder(&self, _: &Settings) -> Box<dyn Encoder> {
        Box::new(Tscii(Side::new(Code::text, Code::encodes)))
    }

    fn engine(&self) -> Option<&'static str> {
        Some("codes of several characters")
    }
}

/// Octets of the longest text of a code.
const WINDOW: usize = 12;

/// Either codec: it remembers nothing.
struct Tscii(Side);

/// Why a codec cannot go on.
enum Halt {
    Input,
    Output,
    Nothing,
}

impl Tscii {
    /// Converts what can be converted: octets read, octets written, and why it ends there. `lead`
    /// says how many octets the first one of a code begins.
    #[inline(always)]
    fn convert(
        &self,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
        lead: fn(u8) -> usize,
    ) -> (usize, usize, Halt) {
        let (mut read, mut written) = (0, 0);
        loop {
            let Some(first) = src.get(read) else { return (read, written, Halt::Input) };
            if first.is_ascii() {
                let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
                if ascii == 0 {
                    return (read, written, Halt::Output);
                }
                read += ascii;
                written += ascii;
                continue;
            }
            match self.0.first(&src[read..], lead(*first), end) {
                Found::Undecided => return (read, written, Halt::Input),
                Found::Nothing => return (read, written, Halt::Nothing),
                Found::Other(other, len) => {
                    let Some(room) = dst[written..].get_mut(..other.len()) else {
                        return (read, written, Halt::Output);
                    };
                    room.copy_from_slice(other);
                    written += other.len();
                    read += len;
                }
            }
        }
    }
}

/// Octets of a character of UTF-8 beyond ASCII.
fn length(first: u8) -> usize {
    first.leading_ones() as usize
}

impl Resume for Tscii {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        WINDOW
    }
}

impl Decoder for Tscii {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (read, written, halt) = self.convert(src, dst, end, |_| 1);
        match halt {
            Halt::Input => Progress::input(read, written),
            Halt::Output => Progress::output(read, written),
            Halt::Nothing => {
                let fault = Malformed::new(1, Why::Stray, State::START);
                Progress::fault(read, written, fault)
            }
        }
    }
}

impl Encoder for Tscii {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (read, written, halt) = self.convert(src.as_bytes(), dst, end, length);
        match (halt, src[read..].chars().next()) {
            (Halt::Nothing, Some(character)) => {
                Progress::fault(read, written, Unmappable::new(character))
            }
            (Halt::Output, _) => Progress::output(read, written),
            _ => Progress::input(read, written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::walk::{decode_every_way, encode_every_way};
    use super::*;

    /// Words as the GNU C library 2.36 converts them, both ways.
    #[test]
    fn signs_stand_before_their_consonant_in_octets_and_behind_it_in_text() {
        for (octets, text) in [
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
                (decode_every_way("TSCII", octets), encode_every_way("TSCII", text));
            assert_eq!(decoded, (text.to_owned(), vec![]), "{octets:02X?}");
            assert_eq!(encoded, (octets.to_vec(), vec![]), "{text}");
        }
    }

    #[test]
    fn octets_without_a_letter_and_characters_without_a_code_are_refused() {
        let stray = |at| (at, 1, Why::Stray);
        let read = decode_every_way("TSCII", b"\xA0\xA6\xFFa");
        assert_eq!(read, ("\u{FFFD}\u{BC6}\u{FFFD}a".to_owned(), vec![stray(0), stray(2)]));
        let written = encode_every_way("TSCII", "\u{B95}\u{B96}\u{BC6}\u{E9}");
        assert_eq!(written, (b"\xB8\xA6".to_vec(), vec![(3, '\u{B96}'), (9, '\u{E9}')]));
    }
}
