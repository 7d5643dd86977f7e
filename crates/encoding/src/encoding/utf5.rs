//! UTF-5 (draft-jseng-utf5-00, July 1999): a value as hexadecimal digits, of which the first has
//! letters of its own.
//!
//! There are no leading zeros. The first digit is one of G to V, the others are 0 to 9 and A to F,
//! so a character ends where the next begins. All text becomes letters and digits: LF is `Q`, and
//! truncated text is still well-formed. The specification's formula for the number of bytes is
//! wrong for 0, 1 and every power of 16; a value of n hexadecimal digits has n bytes, and 0 has
//! one.

use super::code_point_codec::{
    CodePointFormat, MAX_UCS4, MAX_UNICODE, ReadResult, format_factory, ucs4_codecs,
};
use super::{Encoding, EncodingOptions, OptionSpec, OptionValues};
use crate::conversion_error::MalformedReason;
use crate::encoding::split_rule::{SplitPoints, SplitRule, SplitTarget};
use charpipe_kernel::utf5::{self, decode, encode, encode_hex};

/// UTF-5 of draft-jseng-utf5-00.
pub static UTF_5: Encoding = Encoding {
    options: OPTIONS,
    ucs4: ucs4_codecs!(|options| options.flag("ucs4"), Utf5Format::new),
    ..Encoding::new(
        "UTF-5",
        "Unicode in the letters A to V and digits (draft-jseng-utf5-00)",
        format_factory!(Utf5Format::new, split_rule),
    )
};

const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "eol",
        values: OptionValues::Choice(&["final", "reject", "skip", "keep"]),
        description: "raw CR and LF: one line ending dropped at the end of the input, none allowed, \
                all dropped, or all kept in both directions",
    },
    OptionSpec {
        name: "case",
        values: OptionValues::Choice(&["exact", "fold"]),
        description: "whether the decoder accepts lower case letters",
    },
    OptionSpec {
        name: "overlong",
        values: OptionValues::Flag,
        description: "the decoder accepts leading zeros, up to 31 bytes in all",
    },
    OptionSpec {
        name: "ucs4",
        values: OptionValues::Flag,
        description: "31-bit values, to and from the other encodings that have them",
    },
    OptionSpec {
        name: "wrap",
        values: OptionValues::Integer(8, 1_000_000),
        description: "the encoder ends a line after at most N bytes; decode it with eol=skip",
    },
    OptionSpec {
        name: "dns",
        values: OptionValues::Flag,
        description: "a full stop represents itself in both directions, as between the labels of a \
                domain name",
    },
];

fn split_rule(options: &EncodingOptions) -> SplitRule {
    if options.is_choice("eol", "keep") {
        SplitRule::AFTER_LINE_FEED.with_target(SplitTarget::AfterLineFeed { header: false })
    } else {
        SplitRule::new(SplitPoints::None { reason: "a line feed does not end a character" })
            .with_target(SplitTarget::None { reason: "the encoder counts the bytes of a line" })
    }
}

/// How the decoder treats CR and LF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Eol {
    Final,
    Reject,
    Skip,
    Keep,
}

struct Utf5Format {
    eol: Eol,
    fold_case: bool,
    allow_overlong: bool,
    dns: bool,
    max_value: u32,
    /// The maximum length of a line, without its line ending.
    max_line_len: u64,
}

impl Utf5Format {
    fn new(options: &EncodingOptions) -> Utf5Format {
        let eol = match () {
            () if options.is_choice("eol", "reject") => Eol::Reject,
            () if options.is_choice("eol", "skip") => Eol::Skip,
            () if options.is_choice("eol", "keep") => Eol::Keep,
            () => Eol::Final,
        };
        Utf5Format {
            eol,
            fold_case: options.is_choice("case", "fold"),
            allow_overlong: options.flag("overlong"),
            dns: options.flag("dns"),
            max_value: if options.flag("ucs4") { MAX_UCS4 } else { MAX_UNICODE },
            max_line_len: options.integer("wrap").map_or(u64::MAX, u64::from),
        }
    }
}

impl CodePointFormat for Utf5Format {
    const MAX_LOOKAHEAD: usize = MAX_LOOKAHEAD;

    fn max_value(&self) -> u32 {
        self.max_value
    }

    fn decode_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        // Errors and line endings are often adjacent; a run that begins with one is not worth a
        // call of the kernel.
        let classes = self.byte_classes();
        let is_head = |byte: &u8| matches!(classes[usize::from(*byte)], Utf5ByteClass::Lead(_));
        if *state == BETWEEN_CHARS && src.first().is_some_and(is_head) {
            decode(self.fold_case, src, dst)
        } else {
            (0, 0)
        }
    }

    fn encode_run(&self, text: &str, dst: &mut [u8], column: &mut u64) -> (usize, usize) {
        if self.dns || self.eol == Eol::Keep {
            return (0, 0);
        }
        let line = usize::try_from(self.max_line_len.saturating_sub(*column)).unwrap_or(usize::MAX);
        let output = dst.len().min(line);
        let (read, written) = encode(text, &mut dst[..output]);
        *column += written as u64;
        (read, written)
    }

    fn read_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult {
        self.decode_one(src, end, state)
    }

    fn write_one(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        self.encode_one(value, dst, state)
    }
}

/// The maximum length of a sequence that is examined. No valid one is longer than 8 bytes; a
/// malformed one of up to 31 bytes is reported with its exact length.
const MAX_LOOKAHEAD: usize = 32;

/// The states: between characters, or after a malformed sequence that was longer than the
/// lookahead.
const BETWEEN_CHARS: u64 = 0;
const SKIPPING_DIGITS: u64 = 1;

/// The role of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf5ByteClass {
    Lead(u8),
    Digit(u8),
    Other,
}

static BYTE_CLASSES: [Utf5ByteClass; 256] = byte_classes(false);
static FOLDED_BYTE_CLASSES: [Utf5ByteClass; 256] = byte_classes(true);

const fn byte_classes(fold: bool) -> [Utf5ByteClass; 256] {
    let mut classes = [Utf5ByteClass::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        let seen = if fold { (byte as u8).to_ascii_uppercase() } else { byte as u8 };
        classes[byte] = match seen {
            b'0'..=b'9' => Utf5ByteClass::Digit(seen - b'0'),
            b'A'..=b'F' => Utf5ByteClass::Digit(seen - b'A' + 10),
            b'G'..=b'V' => Utf5ByteClass::Lead(seen - b'G'),
            _ => Utf5ByteClass::Other,
        };
        byte += 1;
    }
    classes
}

impl Utf5Format {
    /// Returns the role of each byte.
    fn byte_classes(&self) -> &'static [Utf5ByteClass; 256] {
        if self.fold_case { &FOLDED_BYTE_CLASSES } else { &BYTE_CLASSES }
    }

    /// Reads one character or malformed sequence at the start of `src`, which is not empty.
    fn decode_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult {
        let classes = self.byte_classes();
        if *state == SKIPPING_DIGITS {
            let rest = src.iter().map(|byte| classes[usize::from(*byte)]);
            match rest.take_while(|class| matches!(class, Utf5ByteClass::Digit(_))).count() {
                0 => *state = BETWEEN_CHARS,
                len => return ReadResult::Skip { len },
            }
        }
        match (classes[usize::from(src[0])], src[0]) {
            (Utf5ByteClass::Lead(first), _) => {
                self.decode_sequence(classes, first, src, end, state)
            }
            (_, b'\r' | b'\n') => self.decode_eol(src, end),
            (_, b'.') if self.dns => ReadResult::CodePoint { value: u32::from(b'.'), len: 1 },
            _ => ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte },
        }
    }

    /// Reads a lead byte and the digits after it.
    fn decode_sequence(
        &self,
        classes: &[Utf5ByteClass; 256],
        first: u8,
        src: &[u8],
        end: bool,
        state: &mut u64,
    ) -> ReadResult {
        let (mut value, mut len) = (u32::from(first), 1);
        while let Some(&byte) = src[..src.len().min(MAX_LOOKAHEAD)].get(len) {
            let Utf5ByteClass::Digit(digit) = classes[usize::from(byte)] else { break };
            let space = value >> (u32::BITS - 4) == 0;
            // `u32::MAX` is above the maximum value, and further digits do not change it.
            value = if space { value << 4 | u32::from(digit) } else { u32::MAX };
            len += 1;
        }
        let overlong = first == 0 && len > 1;
        if len == MAX_LOOKAHEAD {
            *state = SKIPPING_DIGITS;
            let reason =
                if overlong { MalformedReason::Overlong } else { MalformedReason::OutOfRange };
            ReadResult::Malformed { len, reason }
        } else if len == src.len() && !end {
            ReadResult::NeedMore
        } else if overlong && !self.allow_overlong {
            ReadResult::Malformed { len, reason: MalformedReason::Overlong }
        } else {
            ReadResult::CodePoint { value, len }
        }
    }

    /// Reads the CR or LF at the start of `src`.
    fn decode_eol(&self, src: &[u8], end: bool) -> ReadResult {
        match (self.eol, src) {
            (Eol::Keep, _) => ReadResult::CodePoint { value: u32::from(src[0]), len: 1 },
            (Eol::Skip, _) => ReadResult::Skip { len: 1 },
            (Eol::Final, b"\n" | b"\r\n") if end => ReadResult::Skip { len: src.len() },
            (Eol::Final, b"\n" | b"\r" | b"\r\n") if !end => ReadResult::NeedMore,
            (Eol::Final | Eol::Reject, _) => {
                ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte }
            }
        }
    }
}

impl Utf5Format {
    /// Writes one character, and a line ending before it if the line would be too long. A CR or LF,
    /// which `eol=keep` passes through, begins a new line.
    fn encode_one(&self, value: u32, dst: &mut [u8], column: &mut u64) -> Option<usize> {
        if self.eol == Eol::Keep && matches!(value, 0x0A | 0x0D) {
            *dst.first_mut()? = value as u8;
            *column = 0;
            return Some(1);
        }
        let full_stop = self.dns && value == u32::from(b'.');
        let digit_count = if full_stop { 1 } else { utf5::digit_count(value) };
        let breaks = *column > 0 && *column + digit_count as u64 > self.max_line_len;
        let mut sequence = dst.get_mut(..usize::from(breaks) + digit_count)?;
        if breaks {
            sequence[0] = b'\n';
            sequence = &mut sequence[1..];
            *column = 0;
        }
        if full_stop {
            sequence[0] = b'.';
        } else {
            sequence.copy_from_slice(&encode_hex(value).0[..digit_count]);
        }
        *column += digit_count as u64;
        Some(usize::from(breaks) + digit_count)
    }
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason;
    use crate::encoding::testing::{
        Error, decode, decode_every_way, encode, encode_every_way, to_ucs4_every_way,
    };

    /// The encoding of section 3 of the specification, without leading zeros.
    fn reference_encode(value: u32) -> String {
        let hex = format!("{value:X}");
        let first = u8::from_str_radix(&hex[..1], 16).unwrap();
        format!("{}{}", char::from(b'G' + first), &hex[1..])
    }

    #[test]
    fn every_scalar_value_matches_reference_both_ways() {
        let text: String = ('\0'..=char::MAX).collect();
        let expected: String = text.chars().map(|c| reference_encode(u32::from(c))).collect();
        assert!(encode("UTF-5", &text) == (expected.clone().into_bytes(), vec![]));
        assert!(decode("UTF-5", expected.as_bytes()) == (text, vec![]));
    }

    /// The examples of section 3; the bytes, which some copies omit, are in draft-jseng-utf5-01.
    #[test]
    fn specification_examples_convert() {
        for (bytes, text) in [
            ("K1I262J91IE", "A\u{2262}\u{391}."),
            ("K8M9I0KDMFMDI0I63AI1", "Hi Mom \u{263A}!"),
            ("M5E5M72COA9E", "\u{65E5}\u{672C}\u{8A9E}"),
            ("M6N2", "fr"),
            ("PQTI0G", "\t\n\r \0"),
            ("H0FFFF", "\u{10FFFF}"),
            ("", ""),
        ] {
            assert_eq!(encode_to_string("UTF-5", text), bytes);
            assert_eq!(decode_every_way("UTF-5", bytes.as_bytes()), (text.to_owned(), vec![]));
        }
    }

    #[test]
    fn truncated_character_decodes_as_a_shorter_one() {
        for cut in 1..6 {
            let bytes = &b"H0FFFF"[..cut];
            assert_eq!(decode("UTF-5", bytes).1, [], "{cut}");
        }
    }

    #[test]
    fn errors_have_position_length_and_reason() {
        use MalformedReason::{InvalidLeadByte, OutOfRange, Overlong, Surrogate};
        let cases: &[(&str, &[Error], &str)] = &[
            ("GF", &[(0, 2, Overlong)], ""),
            ("K1G041K2", &[(2, 4, Overlong)], "AB"),
            ("G0000000000K1", &[(0, 11, Overlong)], "A"),
            ("TBFFK1", &[(0, 4, Surrogate)], "A"),
            ("T800K1", &[(0, 4, Surrogate)], "A"),
            ("TFFF", &[(0, 4, Surrogate)], ""),
            ("H10000", &[(0, 6, OutOfRange)], ""),
            ("H00000000", &[(0, 9, OutOfRange)], ""),
            ("NFFFFFFF", &[(0, 8, OutOfRange)], ""),
            ("H0000000000000041K1", &[(0, 17, OutOfRange)], "A"),
            ("1", &[(0, 1, InvalidLeadByte)], ""),
            ("FFK1", &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte)], "A"),
            ("k1K1", &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte)], "A"),
            ("K1.1K2", &[(2, 1, InvalidLeadByte), (3, 1, InvalidLeadByte)], "AB"),
            (
                "M5\nE5",
                &[(2, 1, InvalidLeadByte), (3, 1, InvalidLeadByte), (4, 1, InvalidLeadByte)],
                "e",
            ),
            (
                "K1@WXYZ",
                &[
                    (2, 1, InvalidLeadByte),
                    (3, 1, InvalidLeadByte),
                    (4, 1, InvalidLeadByte),
                    (5, 1, InvalidLeadByte),
                    (6, 1, InvalidLeadByte),
                ],
                "A",
            ),
            ("K1\u{80}", &[(2, 1, InvalidLeadByte), (3, 1, InvalidLeadByte)], "A"),
        ];
        for (input, errors, text) in cases {
            let decoded = decode_every_way("UTF-5", input.as_bytes());
            assert_eq!(decoded.1, *errors, "{input}");
            assert_eq!(decoded.0.replace('\u{FFFD}', ""), *text, "{input}");
        }
    }

    #[test]
    fn unbounded_sequence_is_one_error_in_constant_memory() {
        for digits in [30, 31, 32, 33, 64, 5_000] {
            let input = format!("K1V{}K2", "0".repeat(digits));
            let len = (1 + digits).min(32);
            let decoded = match digits {
                5_000 => decode("UTF-5", input.as_bytes()),
                _ => decode_every_way("UTF-5", input.as_bytes()),
            };
            let expected = ("A\u{FFFD}B".to_owned(), vec![(2, len, MalformedReason::OutOfRange)]);
            assert_eq!(decoded, expected, "{digits}");
        }
    }

    /// Offset and length of each error.
    type ErrorSpans = &'static [(usize, usize)];

    fn decode_with_spans(label: &str, input: &str) -> (String, Vec<(usize, usize)>) {
        let (text, errors) = decode_every_way(label, input.as_bytes());
        let spans = errors.iter().map(|error| (error.0, error.1)).collect();
        (text.replace('\u{FFFD}', ""), spans)
    }

    fn encode_to_string(label: &str, text: &str) -> String {
        String::from_utf8(encode_every_way(label, text).0).unwrap()
    }

    #[test]
    fn raw_line_breaks_follow_the_eol_option() {
        let cases: &[(&str, &str, &str, ErrorSpans)] = &[
            ("UTF-5", "K1\n", "A", &[]),
            ("UTF-5", "K1\r\n", "A", &[]),
            ("UTF-5", "\n", "", &[]),
            ("UTF-5", "\r\n", "", &[]),
            ("UTF-5", "K1\r", "A", &[(2, 1)]),
            ("UTF-5", "K1\n\n", "A", &[(2, 1)]),
            ("UTF-5", "K1\n\r\n", "A", &[(2, 1)]),
            ("UTF-5", "K1\r\r\n", "A", &[(2, 1)]),
            ("UTF-5", "K1\r\nK2", "AB", &[(2, 1), (3, 1)]),
            ("UTF-5:eol=final", "K1\nK2\n", "AB", &[(2, 1)]),
            ("UTF-5:eol=reject", "K1\n", "A", &[(2, 1)]),
            ("UTF-5:eol=reject", "K1\r\n", "A", &[(2, 1), (3, 1)]),
            ("UTF-5:eol=skip", "K1\r\n\nK2\r", "AB", &[]),
            ("UTF-5:eol=skip", "M5\nE5", "e", &[(3, 1), (4, 1)]),
            ("UTF-5:eol=keep", "K1\r\nK2\n", "A\r\nB\n", &[]),
            ("UTF-5:eol=keep", "K1QK2", "A\nB", &[]),
        ];
        for (label, input, text, spans) in cases {
            assert_eq!(
                decode_with_spans(label, input),
                (text.to_string(), spans.to_vec()),
                "{label} {input:?}"
            );
        }
        for label in ["UTF-5", "UTF-5:eol=reject", "UTF-5:eol=skip"] {
            assert_eq!(encode_to_string(label, "A\r\nB\n"), "K1TQK2Q");
        }
        assert_eq!(encode_to_string("UTF-5:eol=keep", "A\r\nB\n"), "K1\r\nK2\n");
    }

    #[test]
    fn fold_accepts_lowercase_letters() {
        assert_eq!(
            decode_with_spans("UTF-5:case=fold", "k1i262J91ie"),
            ("A\u{2262}\u{391}.".into(), vec![])
        );
        assert_eq!(
            decode_with_spans("UTF-5:case=fold", "w@K1"),
            ("A".into(), vec![(0, 1), (1, 1)])
        );
        assert_eq!(
            decode_with_spans("UTF-5:case=exact", "M5e5"),
            ("e".into(), vec![(2, 1), (3, 1)])
        );
        assert_eq!(encode_to_string("UTF-5:case=fold", "N"), "KE");
    }

    #[test]
    fn overlong_accepts_leading_zeros() {
        assert_eq!(decode_with_spans("UTF-5:overlong", "G041GFG"), ("A\u{F}\0".into(), vec![]));
        assert_eq!(
            decode_with_spans("UTF-5:overlong", "G0D800G0110000"),
            ("".into(), vec![(0, 6), (6, 8)])
        );
        let longest = format!("G{:0>30}", "41");
        assert_eq!(decode_with_spans("UTF-5:overlong", &longest), ("A".into(), vec![]));
        let longer = format!("G{:0>31}K1", "41");
        assert_eq!(decode_with_spans("UTF-5:overlong", &longer), ("A".into(), vec![(0, 32)]));
        assert_eq!(encode_to_string("UTF-5:overlong", "A"), "K1");
    }

    #[test]
    fn ucs4_passes_31_bits_but_not_into_text() {
        let beyond = [(0, 6, MalformedReason::AboveUnicode(0x11_0000))];
        assert_eq!(decode_every_way("UTF-5:ucs4", b"H10000").1, beyond);
        let (bytes, errors) = to_ucs4_every_way("UTF-5:ucs4", b"NFFFFFFFO0000000K1");
        assert_eq!(errors, [(8, 8, MalformedReason::OutOfRange)]);
        assert_eq!(bytes, b"\xFD\xBF\xBF\xBF\xBF\xBFA");
    }

    #[test]
    fn wrap_breaks_long_lines_between_characters() {
        for (label, text, bytes) in [
            ("UTF-5:wrap=8", "ABCD", "K1K2K3K4"),
            ("UTF-5:wrap=8", "ABCDE", "K1K2K3K4\nK5"),
            ("UTF-5:wrap=8", "ABC\u{263A}D", "K1K2K3\nI63AK4"),
            ("UTF-5:wrap=8", "\u{10FFFF}\u{10FFFF}", "H0FFFF\nH0FFFF"),
            ("UTF-5:wrap=8", "ABCD\nE", "K1K2K3K4\nQK5"),
            ("UTF-5:wrap=8,eol=keep", "ABCD\nEFGHI", "K1K2K3K4\nK5K6K7K8\nK9"),
            ("UTF-5:wrap=8,eol=keep", "AB\r\nCDEFG", "K1K2\r\nK3K4K5K6\nK7"),
            ("UTF-5:wrap=9,dns", "ABCD.E", "K1K2K3K4.\nK5"),
            ("UTF-5:wrap=8", "", ""),
        ] {
            assert_eq!(encode_to_string(label, text), bytes, "{label} {text:?}");
        }
        let text: String = ('\0'..='\u{4000}').collect();
        for wrap in [8, 9, 76, 1000] {
            let lines = encode(&format!("UTF-5:wrap={wrap}"), &text).0;
            assert!(lines.split(|byte| *byte == b'\n').all(|line| line.len() <= wrap));
            assert_eq!(decode("UTF-5:eol=skip", &lines).0, text);
        }
    }

    #[test]
    fn dns_keeps_full_stops_literal() {
        assert_eq!(encode_to_string("UTF-5:dns", "fr.\u{65E5}."), "M6N2.M5E5.");
        assert_eq!(
            decode_with_spans("UTF-5:dns", "M6N2.M5E5.IE"),
            ("fr.\u{65E5}..".into(), vec![])
        );
        assert_eq!(decode_with_spans("UTF-5", "M6N2.M5E5"), ("fr\u{65E5}".into(), vec![(4, 1)]));
        assert_eq!(encode_to_string("UTF-5", "."), "IE");
    }
}
