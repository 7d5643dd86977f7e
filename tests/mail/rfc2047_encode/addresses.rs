//! Address fields: phrases and comments are encoded, addresses never.

use crate::rfc2047_encode::reader::{check_lines, read_comments};
use crate::rfc2047_encode::walk::encode_every_way;

fn each(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let (written, errors) = encode_every_way("rfc2047:encoding=q", text);
        assert_eq!((written.as_str(), errors), (*expected, vec![]), "{text:?}");
    }
}

#[test]
fn a_quoted_string_that_needs_it_becomes_words_without_its_quotes() {
    each(&[
        ("To: \"M\u{FC}ller, J\" <a@b>", "To: =?UTF-8?Q?M=C3=BCller=2C_J?= <a@b>"),
        ("To: \"\u{E9} \\\"x\\\\\" <a@b>", "To: =?UTF-8?Q?=C3=A9_=22x=5C?= <a@b>"),
        ("To: \"plain, \\\"x\" <a@b>", "To: \"plain, \\\"x\" <a@b>"),
        ("To: \"=?utf-8?q?x?=\" <a@b>", "To: =?UTF-8?Q?=3D=3Futf-8=3Fq=3Fx=3F=3D?= <a@b>"),
        ("To: \"a\n \u{E9}\" <a@b>", "To: =?UTF-8?Q?a_=C3=A9?= <a@b>"),
        ("To: \"a\n b\" <a@b>", "To: \"a\n b\" <a@b>"),
        // An unclosed one is not a quoted-string.
        ("To: \"\u{E9} a", "To: =?UTF-8?Q?=22=C3=A9?= a"),
    ]);
}

#[test]
fn an_encoded_word_in_a_phrase_is_separate() {
    each(&[
        ("From: \u{E9}<a@b>", "From: =?UTF-8?Q?=C3=A9?= <a@b>"),
        ("Cc: a@b,\u{E9} <c@d>", "Cc: a@b, =?UTF-8?Q?=C3=A9?= <c@d>"),
        ("Cc: \u{E9}:a@b;", "Cc: =?UTF-8?Q?=C3=A9?= :a@b;"),
        ("From: \u{E9}(c)<a@b>", "From: =?UTF-8?Q?=C3=A9?= (c)<a@b>"),
        ("From: (c)\u{E9} <a@b>", "From: (c) =?UTF-8?Q?=C3=A9?= <a@b>"),
        ("From:\u{E9} <a@b>", "From:=?UTF-8?Q?=C3=A9?= <a@b>"),
    ]);
}

#[test]
fn a_run_joins_quoted_strings_and_atoms() {
    each(&[
        ("From: \u{E9} \u{E8} <a@b>", "From: =?UTF-8?Q?=C3=A9_=C3=A8?= <a@b>"),
        ("From: \u{E9} \"\u{E8}\" <a@b>", "From: =?UTF-8?Q?=C3=A9_=C3=A8?= <a@b>"),
        ("From: \"\u{E9}\" \u{E8} <a@b>", "From: =?UTF-8?Q?=C3=A9_=C3=A8?= <a@b>"),
        ("From: \"a b\"\u{E9} <a@b>", "From: =?UTF-8?Q?a_b=C3=A9?= <a@b>"),
        ("From: \u{E9} a \"b c\" <a@b>", "From: =?UTF-8?Q?=C3=A9?= a \"b c\" <a@b>"),
    ]);
}

#[test]
fn a_nul_after_a_backslash_is_kept() {
    // The encoder of the charset has encoded a backslash by itself before.
    let (text, expected) =
        ("Subject: \\\u{434}\nTo: \\\0", "Subject: =?KOI8-R?Q?=5C=C4?=\nTo: =?KOI8-R?Q?=5C=00?=");
    let (written, errors) = encode_every_way("rfc2047:koi8-r,encoding=q", text);
    assert_eq!((written.as_str(), errors), (expected, vec![]));
}

#[test]
fn in_comments_words_may_touch_parentheses() {
    each(&[
        ("To: a@b (\u{E9})", "To: a@b (=?UTF-8?Q?=C3=A9?=)"),
        ("To: a@b (x \u{E9} y)", "To: a@b (x =?UTF-8?Q?=C3=A9?= y)"),
        ("To: a@b (\u{E9}(x)\u{E9})", "To: a@b (=?UTF-8?Q?=C3=A9?=(x)=?UTF-8?Q?=C3=A9?=)"),
        ("To: a@b (\u{E9}\\)x)", "To: a@b (=?UTF-8?Q?=C3=A9=29x?=)"),
        ("To: a@b (\\\u{E9})", "To: a@b (=?UTF-8?Q?=C3=A9?=)"),
        ("To: a@b (x\\)y)", "To: a@b (x\\)y)"),
        ("To: (\"\u{E9}\") a@b", "To: (=?UTF-8?Q?=22=C3=A9=22?=) a@b"),
    ]);
}

#[test]
fn plain_addresses_stay_as_they_are() {
    each(&[
        ("To: a@b, \"c d\"@e (x), <f@[1.2.3.4]>\n", "To: a@b, \"c d\"@e (x), <f@[1.2.3.4]>\n"),
        ("To: =?x@b, <=?y@c>", "To: =?x@b, <=?y@c>"),
    ]);
}

#[test]
fn a_record_that_goes_on_keeps_its_rules() {
    each(&[
        ("To: a@b,\n \u{E9} <c@d>", "To: a@b,\n =?UTF-8?Q?=C3=A9?= <c@d>"),
        ("To: a@b\n\u{E9}<c@d>", "To: a@b\n=?UTF-8?Q?=C3=A9=3Cc=40d=3E?="),
        ("Subject: \u{E9}<c@d>", "Subject: =?UTF-8?Q?=C3=A9=3Cc=40d=3E?="),
    ]);
}

#[test]
fn what_touches_a_word_in_a_comment_fits_on_its_line() {
    for width in 20..70 {
        let text = format!("To: {} ({}) (\u{E9}, b)", "a".repeat(width), "\u{E9}".repeat(30));
        let (written, _) = encode_every_way("rfc2047", &text);
        check_lines(&text, &written);
        assert_eq!(read_comments(&written), text, "{written}");
    }
}
