//! The draft's rules and examples, what is no UTF-5, and the options.

use crate::conversion_error::MalformedReason;
use crate::encoding::testing::{
    Error, decode, decode_every_way, encode, encode_every_way, widen_every_way,
};

/// The short cut at the end of the draft's section 3, without leading zeros.
fn reference_encode(value: u32) -> String {
    let hex = format!("{value:X}");
    let first = u8::from_str_radix(&hex[..1], 16).unwrap();
    format!("{}{}", char::from(b'G' + first), &hex[1..])
}

#[test]
fn every_scalar_value_matches_reference_both_ways() {
    let text: String = ('\0'..=char::MAX).collect();
    let spelt: String = text.chars().map(|c| reference_encode(u32::from(c))).collect();
    assert!(encode("UTF-5", &text) == (spelt.clone().into_bytes(), vec![]));
    assert!(decode("UTF-5", spelt.as_bytes()) == (text, vec![]));
}

/// The draft's section 3; the bytes, which some copies lack, are in draft-jseng-utf5-01.
#[test]
fn the_examples_of_the_draft_hold() {
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
    assert_eq!(decode_with_spans("UTF-5:case=fold", "w@K1"), ("A".into(), vec![(0, 1), (1, 1)]));
    assert_eq!(decode_with_spans("UTF-5:case=exact", "M5e5"), ("e".into(), vec![(2, 1), (3, 1)]));
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
    let (bytes, errors) = widen_every_way("UTF-5:ucs4", b"NFFFFFFFO0000000K1");
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
    assert_eq!(decode_with_spans("UTF-5:dns", "M6N2.M5E5.IE"), ("fr.\u{65E5}..".into(), vec![]));
    assert_eq!(decode_with_spans("UTF-5", "M6N2.M5E5"), ("fr\u{65E5}".into(), vec![(4, 1)]));
    assert_eq!(encode_to_string("UTF-5", "."), "IE");
}
