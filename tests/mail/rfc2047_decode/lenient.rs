//! The rules of lenient decoding, each with what it does and what it must not do.

use crate::rfc2047_decode::walk::every_way;

/// Each text decodes like this, whole and in pieces; U+FFFD is an error.
fn decodes(from: &str, cases: &[(&str, &str)]) {
    for (input, expected) in cases {
        let (output, _) = every_way(from, input.as_bytes());
        assert_eq!(output, *expected, "{from} {input:?}");
    }
}

#[test]
fn a_word_needs_no_limits_and_no_boundaries() {
    let long = "a".repeat(3000);
    let longer = format!("=?utf-8?q?{long}?=");
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?q?caf=C3=A9?=", "café"),
            ("=?UTF-8?Q?caf=c3=a9?=", "café"),
            ("=?utf-8?B?Y2Fmw6k=?=", "café"),
            ("=?utf-8*fr?b?Y2Fmw6k=?=", "café"),
            ("=?utf-8*?q?a?=", "a"),
            ("x=?utf-8?q?a?=y", "xay"),
            ("\"=?utf-8?q?a?=\"", "\"a\""),
            ("(=?utf-8?q?a?=)", "(a)"),
            ("=?utf-8?q??=", ""),
            ("a=?utf-8?b??=b", "ab"),
            ("=?utf-8?q?a b\tc?=", "a b\tc"),
            ("=?utf-8?q?a\r\n b?=", "a b"),
            ("=?utf-8?b?Y2Fm\r\n w6k=?=", "café"),
            ("=?*en?q?a?=", "=?*en?q?a?="),
            ("=??q?a?=", "=??q?a?="),
            ("=?utf 8?q?a?=", "=?utf 8?q?a?="),
            ("=?utf-8?x?a?=", "=?utf-8?x?a?="),
            ("=?utf-8?q", "=?utf-8?q"),
            ("=?utf-8?q?a", "=?utf-8?q?a"),
            ("=?utf-8?q?a?", "=?utf-8?q?a?"),
            ("=", "="),
            ("=?", "=?"),
        ],
    );
    assert_eq!(every_way_once("rfc2047", longer.as_bytes()), long);
}

fn every_way_once(from: &str, input: &[u8]) -> String {
    crate::rfc2047_decode::driver::text(from, input, 100)
}

#[test]
fn the_end_is_the_first_one_after_the_third_question_mark() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?q?=C3=A9?=", "é"),
            ("=?utf-8?q?what??=", "what?"),
            ("=?utf-8?q?a?b?=", "a?b"),
            ("=?utf-8?q?a?==?utf-8?q?b?=", "ab"),
            ("=?utf-8?q?a?= ?=", "a ?="),
            ("=?utf-8?q?=?=", "="),
            ("=?=?utf-8?q?a?=", "=?a"),
            ("=?utf-8?q?=?utf-8?q?a?=", "=?utf-8?q?a"),
            ("=?utf-8?q?false =?utf-8?q?a?=", "=?utf-8?q?false a"),
            ("=?utf-8?b?=?latin1?q?=E9?=", "=?utf-8?b?é"),
            ("=?no-such?q?a?=?utf-8?q?b?=", "=?no-such?q?a?=?utf-8?q?b?="),
        ],
    );
}

#[test]
fn white_space_vanishes_only_between_two_words_that_decode() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?q?a?= =?utf-8?q?b?=", "ab"),
            ("=?utf-8?q?a?= \t  =?latin1?q?b?=", "ab"),
            ("=?utf-8?q?a?=\r\n =?utf-8?q?b?=", "ab"),
            ("=?utf-8?q?a?=\n\t=?utf-8?q?b?=", "ab"),
            ("=?utf-8?q?a?= \r\n \r\n\t=?utf-8?q?b?=", "ab"),
            ("=?utf-8?q?a?= =?none?q?b?= =?utf-8?q?c?=", "a =?none?q?b?= c"),
            ("=?utf-8?q?a?= =?utf-8?b?***?=", "a =?utf-8?b?***?="),
            ("=?utf-8?q?a?= =?utf-8?x?b?=", "a =?utf-8?x?b?="),
            ("=?utf-8?q?a?= =?utf-8?q?b", "a =?utf-8?q?b"),
            ("=?utf-8?q?a?=  b  =?utf-8?q?c?=", "a  b  c"),
            ("=?utf-8?q?a?= \r\n b", "a \r\n b"),
            (" =?utf-8?q?a?= ", " a "),
            ("=?utf-8?q?a?= \r =?utf-8?q?b?=", "a \r b"),
            ("=?utf-8?q?_a_?= =?utf-8?q?_b_?=", " a  b "),
        ],
    );
}

#[test]
fn a_newline_without_white_space_ends_the_record() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?q?a?=\n=?utf-8?q?b?=", "a\nb"),
            ("=?utf-8?q?a?=\r\n=?utf-8?q?b?=\r\n", "a\r\nb\r\n"),
            ("=?utf-8?q?a?= \n=?utf-8?q?b?=", "a \nb"),
            ("=?utf-8?q?=C3?=\n=?utf-8?q?=A9?=", "\u{FFFD}\n\u{FFFD}"),
            ("=?utf-8?q?a\nb?=", "=?utf-8?q?a\nb?="),
            ("=?utf-8?q?a\n", "=?utf-8?q?a\n"),
            ("=?utf-8?q?a?=\n", "a\n"),
            ("=?utf-8?q?a?=\n ", "a\n "),
            ("\n\n =?utf-8?q?a?=\n\n", "\n\n a\n\n"),
        ],
    );
}

#[test]
fn bytes_of_neighbors_of_one_charset_are_joined() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?q?=E2?= =?utf-8?q?=82=AC?=", "€"),
            ("=?utf-8?q?=E2?=\r\n =?UTF8*en?b?gqw=?=", "€"),
            ("=?utf-8?b?4g==?= =?utf-8?q?=82?= =?utf-8?b?rA==?=", "€"),
            ("=?utf-8?q?=E2?==?utf-8?q?=82=AC?=", "€"),
            ("=?utf-8?q?=E2?= =?utf-8?q??= =?utf-8?q?=82=AC?=", "€"),
            ("=?utf-16be?q?=20?= =?utf-16be?q?=AC?=", "€"),
            ("=?utf-8?q?=E2?= =?latin1?q?=A9?=", "\u{FFFD}©"),
            ("=?utf-8?q?=E2?= =?none?q?=82=AC?=", "\u{FFFD} =?none?q?=82=AC?="),
            ("=?utf-8?q?=E2?= x =?utf-8?q?=82?=", "\u{FFFD} x \u{FFFD}"),
            ("=?utf-8?q?=E2=82?= =?utf-8?q?a?=", "\u{FFFD}a"),
        ],
    );
    let (output, _) = every_way("rfc2047", b"=?utf-8?q?=E2?=\x82\xAC");
    assert_eq!(output, "\u{FFFD}\u{FFFD}\u{FFFD}");
    let (output, _) = every_way("rfc2047", b"\xE2=?utf-8?q?=82=AC?=");
    assert_eq!(output, "\u{FFFD}\u{FFFD}\u{FFFD}");
}

#[test]
fn a_shift_state_goes_on_only_where_a_word_has_not_shifted_back() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-7?q?+AOk-?= =?utf-7?q?+AOk-?=", "éé"),
            // The rest of the first run is padding, so the second is text again.
            ("=?utf-7?q?+AOk?= =?utf-7?q?+AOk?=", "éé"),
            ("=?utf-7?q?+AOk?= =?utf-7?q?a?=", "éa"),
            ("=?utf-7?q?+AO?= =?utf-7?q?k-?=", "é"),
            ("=?utf-7?q?+AO?= =?utf-8?q?k-?=", "\u{FFFD}k-"),
            ("=?utf-16?q?=FF=FEa=00?= =?utf-16?q?b=00?=", "ab"),
            ("=?utf-16?q?=FF=FEa=00?= =?utf-16?q?=FE=FF=00b?=", "ab"),
            // Without a byte order mark it is big-endian (RFC 2781, section 4.3).
            ("=?utf-16?B?AGEA6Q==?=", "aé"),
            ("=?utf-16?q?=00a?= =?utf-16?q?=00b?=", "ab"),
            ("=?utf-32?B?AAAAYQ==?=", "a"),
            ("=?iso-10646-ucs-2?B?AGE=?=", "a"),
            ("=?utf-16le?B?YQA=?=", "a"),
        ],
    );
}

#[test]
fn q_is_read_generously() {
    decodes(
        "rfc2047",
        &[
            ("=?latin1?q?a_b=5F?=", "a b_"),
            ("=?latin1?q?=e9=E9=eE?=", "ééî"),
            ("=?latin1?q?1=1=x=1x==?=", "1=1=x=1x=="),
            ("=?latin1?q?a=?=", "a="),
            ("=?utf-8?Q?1+1=?=", "1+1="),
            ("=?utf-8?q?a=?= =?utf-8?q?41?=", "a=41"),
            ("=?latin1?q?a=3?=", "a=3"),
            ("=?latin1?q?a ?=", "a "),
            ("=?utf-8?q?é?=", "é"),
        ],
    );
    let (output, _) = every_way("rfc2047", b"=?latin1?q?\xE9?= =?utf-8?q?\xC3\xA9?=");
    assert_eq!(output, "éé");
}

#[test]
fn base64_is_read_generously() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?b?Y2Fmw6k?=", "café"),
            ("=?utf-8?b?Y2 Fm\tw6\r\n k=?=", "café"),
            ("=?utf-8?b?Y2F=Zg==Zm8=?=", "caffo"),
            ("=?utf-8?b?-Y*2.Fm!?=", "caf"),
            ("=?utf-8?b?Y2Fmw6k=====?=", "café"),
            ("=?utf-8?b?Y2FmY?=", "caf"),
            ("=?utf-8?b?Y?=", "=?utf-8?b?Y?="),
            ("=?utf-8?b?=?=", "=?utf-8?b?=?="),
            ("=?utf-8?b?...?=", "=?utf-8?b?...?="),
        ],
    );
}

#[test]
fn base64_that_was_cut_anywhere_is_put_together_only_if_bytes_are_not() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?b?5Lit5?= =?utf-8?b?paH?=", "中文"),
            ("=?utf-8?b?JQ?= =?utf-8?b?JQ?=", "%%"),
            ("=?utf-8?b?5Lit5p?= =?utf-8?b?aH?=", "中文"),
            ("=?utf-8?b?5Lit5pa?= =?utf-8?b?H?=", "中文"),
            ("=?utf-8?b?5Lit5?= =?utf-8?b?p?= =?utf-8?b?aH?=", "中文"),
            ("=?utf-8?b?5L?= =?utf-8?b?it5paH?=", "中文"),
            ("=?utf-8?b?w6?= =?utf-8?b?k=?=", "é"),
            // A character that is cut between bytes, without padding.
            ("=?utf-8?b?JQ?= =?utf-8?b?4g?= =?utf-8?b?gqw?=", "%€"),
            // Neither is right: bytes.
            ("=?utf-8?b?JQ?= =?utf-8?b?/w==?=", "%\u{FFFD}"),
            // Nothing is left over, or only one of them is base64.
            ("=?utf-8?b?5Lit?= =?utf-8?b?paH?=", "中\u{FFFD}\u{FFFD}"),
            ("=?utf-8?b?JQ==?= =?utf-8?b?/w==?=", "%\u{FFFD}"),
            ("=?utf-8?b?5Lit5?= =?utf-8?q?paH?=", "中paH"),
            ("=?utf-8?b?5Lit5?= =?latin1?b?paH?=", "中¥¡"),
            // A few bits are a word only where they are missed.
            ("=?utf-8?b?JQ?= =?utf-8?b?J?=", "% =?utf-8?b?J?="),
            ("=?utf-8?b?JQ==?= =?utf-8?b?J?=", "% =?utf-8?b?J?="),
        ],
    );
}

#[test]
fn a_word_of_an_unknown_charset_is_left_and_spoils_nothing() {
    decodes(
        "rfc2047",
        &[
            ("a =?x-none?q?=41?= =?utf-8?q?b?=", "a =?x-none?q?=41?= b"),
            ("=?rfc2047?q?=41?=", "=?rfc2047?q?=41?="),
            ("=?utf-5?q?=41?=", "=?utf-5?q?=41?="),
            ("=?utf-7-imap?q?a?=", "=?utf-7-imap?q?a?="),
            ("=?utf8?q?=C3=A9?= =?UTF_8?q?=C3=A9?=", "éé"),
        ],
    );
}

#[test]
fn words_are_decoded_once() {
    decodes(
        "rfc2047",
        &[
            ("=?utf-8?q?=3D=3Futf-8=3Fq=3Fa=3F=3D?=", "=?utf-8?q?a?="),
            ("=?utf-8?b?PT91dGYtOD9xP2E/PQ==?=", "=?utf-8?q?a?="),
            ("=?utf-8?q?=3D?=?utf-8?q?a?=", "=?utf-8?q?a?="),
        ],
    );
}

#[test]
fn controls_in_words_are_errors() {
    let cases = [
        ("a=0D=0Ab", 2),
        ("=00", 1),
        ("=1B[2J", 1),
        ("=7F", 1),
        ("=C2=85", 1),
        ("=E2=80=A8=E2=80=A9", 2),
        ("\u{1B}\r\u{0}", 3),
        ("a=09b", 0),
        ("=C2=A0", 0),
        ("=E2=80=AA", 0),
    ];
    for (text, controls) in cases {
        let input = format!("=?utf-8?q?{text}?=");
        let (output, errors) = every_way("rfc2047", input.as_bytes());
        assert_eq!(errors.len(), controls, "{text:?}");
        assert!(!output.contains(['\r', '\n', '\0', '\u{1B}', '\u{7F}', '\u{85}', '\u{2028}']));
        assert_eq!(output.matches('\u{FFFD}').count(), controls, "{text:?}");
    }
    // Raw bytes outside encoded-words are unchanged.
    decodes("rfc2047", &[("a\0\u{1B}\r\u{85} =?utf-8?q?b?=", "a\0\u{1B}\r\u{85} b")]);
    decodes("rfc2047", &[("=?utf-16be?q?=00=0D=00=0A?=", "\u{FFFD}\u{FFFD}")]);
    decodes("rfc2047", &[("=?utf-16be?q?=0A=00?=", "\u{A00}")]);
}

#[test]
fn fields_have_their_rules() {
    let word = "=?utf-8?q?a?=";
    for (input, expected) in [
        ("Subject: W", "Subject: a"),
        ("X-Any:W", "X-Any:a"),
        ("W: x", "a: x"),
        ("To: W <W@x>", "To: a <W@x>"),
        ("From: W@x (W)", "From: W@x (a)"),
        ("Cc: x@W", "Cc: x@W"),
        ("Cc: W W@x", "Cc: a W@x"),
        ("Bcc: \"W\" <b@x>, W <W>", "Bcc: \"a\" <b@x>, a <W>"),
        ("To: \"x <\" W <x>\r\n\tW <W>", "To: \"x <\" a <x>\r\n\ta <W>"),
        ("To: (x < W) <W>", "To: (x < a) <W>"),
        ("To: (\\) <W)", "To: (\\) <a)"),
        ("To: <x\nTo: W", "To: <x\nTo: a"),
        ("Received: W (W)", "Received: W (W)"),
        ("Content-Type: x;\r\n name=\"W\"", "Content-Type: x;\r\n name=\"W\""),
        ("Date: W\nSubject: W", "Date: W\nSubject: a"),
        ("DKIM-Signature: W\nW", "DKIM-Signature: W\na"),
        (" Date: W", " Date: a"),
    ] {
        let (input, expected) = (input.replace('W', word), expected.replace('W', word));
        decodes("rfc2047", &[(&input, &expected)]);
    }
}

#[test]
fn ms936_is_decoded_as_gbk_of_the_encoding_standard() {
    for label in ["ms936", "cp936", "windows-936", "gbk", "gb2312", "gb_2312-80", "euc-cn"] {
        let euro = format!("=?{label}?Q?=80=A2=E3?=");
        let four = format!("=?{label}?B?lTKCNg==?=");
        decodes("rfc2047", &[(&euro, "€€"), (&four, "\u{20000}")]);
    }
}
