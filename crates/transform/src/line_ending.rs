//! Line endings other than LF.
//!
//! An encoder converts every line ending of the text, LF, CRLF and CR, to its own, as "universal
//! newlines" of Python do, so a text with CRLF is not doubled to CRCRLF. With `keep-cr`, a CR that is
//! not followed by LF is a character of the line, as for dos2unix and unix2dos; progress displays in
//! logs have such CRs.
//!
//! A decoder reads a text all of whose lines end in its own form, and writes LF. A CR or LF that is not
//! part of such a line ending is an error. To accept text of any form, encode to `lf` instead.
//!
//! U+0085 and U+2028 are line endings only for `nel` and `ls`, and VT, FF and U+2029 never are: in most
//! texts they are not meant as ends of lines, and no program that converts line endings takes them as
//! such.

use memchr::{memchr, memchr2};

use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::bulk_copy;
use charpipe_kernel::line_ending::LineEndingConversion;

const KEEP_CR: &str = "keep-cr";

static OPTIONS: [OptionSpec; 1] = [OptionSpec {
    name: KEEP_CR,
    values: OptionValues::Flag,
    description: "encode: a CR without LF is not a line ending, as for dos2unix",
}];

/// Defines a transform for a form of line endings.
macro_rules! line_endings {
    ($($(#[$doc:meta])* $id:ident, $name:literal, $aliases:expr, $newline:literal, $title:literal, $description:literal;)+) => {
        $(
            $(#[$doc])*
            pub static $id: Transform = Transform {
                name: $name,
                aliases: &$aliases,
                title: $title,
                description: $description,
                options: &OPTIONS,
                codecs: TransformCodecs::Text {
                    decoder: Some(|_| Box::new(LineEndingDecoder::new($newline))),
                    encoder: |options| Box::new(LineEndingEncoder::new($newline, options)),
                },
            };
        )+
    };
}

line_endings! {
    /// U+000A.
    LF, "lf", [], "\n", "LF", "Line endings of Unix, LF";
    /// U+000D U+000A.
    CRLF, "crlf", ["cr-lf"], "\r\n", "CRLF", "Line endings of Windows and of the internet, CRLF";
    /// U+000D.
    CR, "cr", [], "\r", "CR", "Line endings of the classic Mac OS, CR";
    /// U+0085.
    NEL, "nel", [], "\u{85}", "NEL", "Line endings of EBCDIC, NEL: U+0085";
    /// U+2028.
    LS, "ls", [], "\u{2028}", "LS", "The line separator of Unicode, U+2028";
}

/// Writes every line ending in one form.
struct LineEndingEncoder {
    newline: &'static str,
    /// Whether a CR without LF is not a line ending.
    keeps_cr: bool,
    /// Whether the last character was a CR, whose line ending is written.
    is_after_cr: bool,
    lines: LineEndingConversion,
}

impl LineEndingEncoder {
    fn new(newline: &'static str, options: &EncodingOptions) -> LineEndingEncoder {
        LineEndingEncoder {
            newline,
            keeps_cr: options.flag(KEEP_CR),
            is_after_cr: false,
            lines: LineEndingConversion { accepts_lf: true, newline: newline.as_bytes() },
        }
    }

    /// Returns the number of bytes before the next line ending that is written differently, or may be.
    fn plain_len(&self, src: &[u8]) -> usize {
        let next = match self.newline {
            "\n" => memchr(b'\r', src),
            _ => memchr2(b'\r', b'\n', src),
        };
        next.unwrap_or(src.len())
    }
}

impl Checkpoint for LineEndingEncoder {
    fn save_state(&self) -> State {
        State::new(u64::from(self.is_after_cr))
    }

    fn restore_state(&mut self, at: State) {
        self.is_after_cr = at != State::INITIAL;
    }

    fn max_lookahead(&self) -> usize {
        4
    }
}

impl TextTransform for LineEndingEncoder {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let src = src.as_bytes();
        let newline = self.newline.as_bytes();
        let (mut read, mut written) = (0, 0);
        let mut is_after_cr = false;
        if self.is_after_cr && src.first() == Some(&b'\n') {
            read = 1;
        }
        let is_full = loop {
            let lines = self.lines.convert(&src[read..], &mut dst[written..]);
            (read, written) = (read + lines.0, written + lines.1);
            let run = self.plain_len(&src[read..]);
            let copied = copy_whole_characters(&src[read..], run, &mut dst[written..]);
            (read, written) = (read + copied, written + copied);
            if copied < run {
                break true;
            }
            let Some(&byte) = src.get(read) else { break false };
            let following = src.get(read + 1);
            let (len, text) = match (byte, following) {
                (b'\r', None) if self.keeps_cr && !end => break false,
                (b'\r', Some(b'\n')) => (2, newline),
                (b'\r', _) if self.keeps_cr => (1, &b"\r"[..]),
                _ => (1, newline),
            };
            let Some(to) = dst.get_mut(written..written + text.len()) else { break true };
            to.copy_from_slice(text);
            (read, written) = (read + len, written + text.len());
            is_after_cr = byte == b'\r' && following.is_none() && !self.keeps_cr && !end;
        };
        // Without progress the state may not change.
        if read > 0 {
            self.is_after_cr = is_after_cr;
        }
        match is_full {
            true => Progress::output_full(read, written),
            false => Progress::input_empty(read, written),
        }
    }
}

/// Reads line endings of one form, and writes LF.
struct LineEndingDecoder {
    newline: &'static str,
}

impl LineEndingDecoder {
    fn new(newline: &'static str) -> LineEndingDecoder {
        LineEndingDecoder { newline }
    }

    /// Returns the number of bytes before the next line ending that is not LF, or is invalid.
    fn plain_len(&self, src: &[u8]) -> usize {
        let next = match self.newline {
            "\n" => memchr(b'\r', src),
            "\r\n" | "\r" => memchr2(b'\r', b'\n', src),
            other => memchr::memchr3(b'\r', b'\n', other.as_bytes()[0], src),
        };
        next.unwrap_or(src.len())
    }
}

impl Checkpoint for LineEndingDecoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl TextTransform for LineEndingDecoder {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let src = src.as_bytes();
        let newline = self.newline.as_bytes();
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            if self.newline == "\r\n" {
                let lines = LineEndingConversion { accepts_lf: false, newline: b"\n" };
                let lines = lines.convert(&src[read..], &mut dst[written..]);
                (read, written) = (read + lines.0, written + lines.1);
            }
            let run = self.plain_len(&src[read..]);
            let copied = copy_whole_characters(&src[read..], run, &mut dst[written..]);
            (read, written) = (read + copied, written + copied);
            if copied < run {
                return Progress::output_full(read, written);
            }
            let rest = &src[read..];
            if rest.is_empty() || rest.len() < newline.len() && newline.starts_with(rest) && !end {
                break;
            }
            let (len, text) = if rest.starts_with(newline) {
                (newline.len(), &b"\n"[..])
            } else if rest[0].is_ascii() {
                let error = Malformed::new(1, MalformedReason::InvalidLineEnding, State::INITIAL);
                return Progress::error(read, written, error);
            } else {
                // Another character with the same lead byte.
                let len = 1 + rest[1..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
                (len, &rest[..len])
            };
            let Some(to) = dst.get_mut(written..written + text.len()) else {
                return Progress::output_full(read, written);
            };
            to.copy_from_slice(text);
            (read, written) = (read + len, written + text.len());
        }
        Progress::input_empty(read, written)
    }
}

/// Copies up to `len` bytes of text, at whose end a character begins, and returns their number.
fn copy_whole_characters(src: &[u8], len: usize, dst: &mut [u8]) -> usize {
    let mut count = len;
    if dst.len() < len {
        count = charpipe_kernel::utf8::floor_char_boundary_of_bytes(src, dst.len());
    }
    bulk_copy::copy(&src[..count], dst);
    count
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{decode, decode_every_way, encode_every_way};
    use charpipe_encoding::conversion_error::MalformedReason::InvalidLineEnding;

    const MIXED: &str = "a\nb\r\nc\rd\r\r\n\n\ré\u{85}\u{2028}\n\r";

    #[test]
    fn encoder_converts_every_line_ending() {
        for (name, newline) in
            [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r"), ("nel", "\u{85}"), ("ls", "\u{2028}")]
        {
            let expected = MIXED.replace("\r\n", "\n").replace('\r', "\n").replace('\n', newline);
            assert_eq!(encode_every_way(name, MIXED), expected, "{name}");
            let lf = "one\ntwo é\n\nthree";
            assert_eq!(decode(name, &lf.replace('\n', newline)), lf, "{name}");
        }
    }

    #[test]
    fn lone_cr_can_be_kept() {
        assert_eq!(encode_every_way("lf:keep-cr", "1%\r2%\r\n\r\r\n\r"), "1%\r2%\n\r\n\r");
        assert_eq!(encode_every_way("crlf:keep-cr", "1%\r2%\n\r\r\n\r"), "1%\r2%\r\n\r\r\n\r");
    }

    #[test]
    fn decoder_reports_other_line_endings() {
        for (name, text, expected, errors) in [
            ("lf", "a\nb\r\n", "a\nb\u{FFFD}\n", vec![3]),
            (
                "crlf",
                "a\r\nb\nc\rd\r\r\n\r",
                "a\nb\u{FFFD}c\u{FFFD}d\u{FFFD}\n\u{FFFD}",
                vec![4, 6, 8, 11],
            ),
            ("cr", "a\rb\r\n", "a\nb\n\u{FFFD}", vec![4]),
            ("nel", "a\u{85}é\u{84}\r\n", "a\né\u{84}\u{FFFD}\u{FFFD}", vec![7, 8]),
            ("ls", "a\u{2028}\u{2029}€\n", "a\n\u{2029}€\u{FFFD}", vec![10]),
        ] {
            let errors = errors.into_iter().map(|at| (at, 1, InvalidLineEnding)).collect();
            assert_eq!(decode_every_way(name, text), (expected.to_owned(), errors), "{name}");
        }
    }
}
