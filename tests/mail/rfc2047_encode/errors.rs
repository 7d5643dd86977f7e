//! Characters that cannot be written: where encoded-words are not allowed, and with `strict`.

use charpipe::TranscodeOptions;
use charpipe::transcode;

use crate::rfc2047_encode::walk::encode_every_way;

/// A text, what is written of it, and the errors.
type Case<'a> = (&'a str, &'a str, &'a [(usize, char)]);

fn each(label: &str, cases: &[Case<'_>]) {
    for (text, expected, errors) in cases {
        let (written, met) = encode_every_way(label, text);
        assert_eq!((written.as_str(), met.as_slice()), (*expected, *errors), "{text:?}");
    }
}

#[test]
fn a_character_in_an_address_is_an_error() {
    each(
        "rfc2047:encoding=q",
        &[
            ("To: <j\u{F6}@b>", "To: <j@b>", &[(6, '\u{F6}')]),
            ("To: j\u{F6}@b", "To: j@b", &[(5, '\u{F6}')]),
            ("To: j@b\u{F6}.c", "To: j@b.c", &[(7, '\u{F6}')]),
            ("To: \u{F6}\u{E9}@b", "To: @b", &[(4, '\u{F6}'), (6, '\u{E9}')]),
            ("To: \u{F6}x\u{E9}@b c", "To: x@b c", &[(4, '\u{F6}'), (7, '\u{E9}')]),
            ("To: <\u{F6}\u{E9}> c", "To: <> c", &[(5, '\u{F6}'), (7, '\u{E9}')]),
            ("To: \"\u{F6} x\"@b", "To: \" x\"@b", &[(5, '\u{F6}')]),
            ("To: \"\u{F6}\".x @b", "To: \"\".x @b", &[(5, '\u{F6}')]),
            ("To: a@ \u{F6}", "To: a@ ", &[(7, '\u{F6}')]),
            ("To: a@[\u{F6}:\u{F6}]", "To: a@[:]", &[(7, '\u{F6}'), (10, '\u{F6}')]),
            ("To: <\"\\\u{F6}>\"@b>", "To: <\"\\>\"@b>", &[(7, '\u{F6}')]),
            ("To: \u{E9} \u{F6}@b", "To: =?UTF-8?Q?=C3=A9?= @b", &[(7, '\u{F6}')]),
        ],
    );
}

#[test]
fn a_character_in_a_field_for_machines_is_an_error() {
    each(
        "rfc2047",
        &[
            (
                "Received: \u{E9}x\n y\u{E9}\n",
                "Received: x\n y\n",
                &[(10, '\u{E9}'), (16, '\u{E9}')],
            ),
            ("Message-ID:\u{E9}", "Message-ID:", &[(11, '\u{E9}')]),
            ("Content-Type: x; name=\u{E9}", "Content-Type: x; name=", &[(22, '\u{E9}')]),
            ("Date: =?utf-8?q?x?=\n", "Date: =?utf-8?q?x?=\n", &[]),
        ],
    );
}

#[test]
fn a_line_end_of_a_field_for_machines_that_comes_in_two_pieces_is_still_one() {
    // 60 characters, a blank and a word of 28 are too many for a line.
    let text = format!("a\r\nDate: x\r\n{} \u{E9}\u{E9}\u{E9}\u{E9}\u{E9}", "x".repeat(60));
    let expected = format!("a\r\nDate: x\r\n{}\r\n =?UTF-8?B?w6nDqcOpw6nDqQ==?=", "x".repeat(60));
    assert_eq!(encode_every_way("rfc2047", &text), (expected, Vec::new()));
    for text in ["Received: x\r", "Received: \rx", "Received: x\r\r\n"] {
        assert_eq!(encode_every_way("rfc2047", text), (text.to_owned(), Vec::new()));
    }
    let error = encode_every_way("rfc2047", "Date: \r\u{E9}\r\n");
    assert_eq!(error, ("Date: \r\r\n".to_owned(), vec![(7, '\u{E9}')]));
}

#[test]
fn characters_unmappable_in_the_charset_are_errors_with_strict() {
    each(
        "rfc2047:latin1,strict",
        &[
            ("\u{E9}\u{4E2D}", "=?ISO-8859-1?Q?=E9?=", &[(2, '\u{4E2D}')]),
            ("\u{4E2D}\u{E9}", "=?ISO-8859-1?Q?=E9?=", &[(0, '\u{4E2D}')]),
            ("a \u{4E2D} b", "a  b", &[(2, '\u{4E2D}')]),
            ("From: \"\u{4E2D}\" <a@b>", "From:  <a@b>", &[(7, '\u{4E2D}')]),
            ("From: (\\\u{4E2D}) a@b", "From: () a@b", &[(8, '\u{4E2D}')]),
            (
                "\u{E9} \u{4E2D} \u{E9}",
                "=?ISO-8859-1?Q?=E9_?= =?ISO-8859-1?Q?_=E9?=",
                &[(3, '\u{4E2D}')],
            ),
        ],
    );
}

fn with_action(to: &str, action: &str, text: &str) -> String {
    let mut options = TranscodeOptions::from_labels("utf-8", to).unwrap();
    options.error_policy.unmappable = action.parse().unwrap();
    let mut written = Vec::new();
    let mut reader = charpipe::TranscodeReader::new(text.as_bytes(), &options).unwrap();
    std::io::Read::read_to_end(&mut reader, &mut written).unwrap();
    String::from_utf8(written).unwrap()
}

#[test]
fn every_action_has_a_replacement_where_encoded_words_are_not_allowed() {
    for (action, expected) in [
        ("replace", "?"),
        ("replace=?", "?"),
        ("replace=\u{E8}", "?"),
        ("skip", ""),
        ("translit", "e"),
        ("xml", "&#233;"),
    ] {
        for (before, after) in
            [("Received: ", "\n"), ("To: <", "@b>"), ("To: a@x", ""), ("To: ", "@b")]
        {
            let text = format!("{before}\u{E9}{after}");
            let expected = format!("{before}{expected}{after}");
            assert_eq!(with_action("rfc2047", action, &text), expected, "{action}");
        }
        let strict = with_action("rfc2047:latin1,strict", action, "a \u{4E2D}\u{E9} b");
        assert!(strict.starts_with("a ") && strict.ends_with(" b"), "{action} {strict}");
    }
}

#[test]
fn the_position_of_an_error_is_reported() {
    let error = transcode("utf-8", "rfc2047", "To: x\nReceived: a\u{E9}".as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("2:12: byte 17: U+00E9 "), "{error}");
}
