//! Words by the letter of RFC 2047.

use crate::rfc2047_decode::walk::every_way;

/// Each text decodes so without an error, whole and in pieces.
fn decodes(cases: &[(&str, &str)]) {
    for (input, expected) in cases {
        let (output, errors) = every_way("rfc2047:strict", input.as_bytes());
        assert_eq!((output.as_str(), errors.as_slice()), (*expected, &[][..]), "{input:?}");
    }
}

/// Each text comes out as it is.
fn stays(cases: &[&str]) {
    decodes(&cases.iter().map(|case| (*case, *case)).collect::<Vec<_>>());
}

#[test]
fn words_are_delimited_by_white_space_and_the_ends_of_the_field() {
    decodes(&[
        ("=?utf-8?q?a?=", "a"),
        ("Subject:=?utf-8?q?a?=", "Subject:a"),
        ("Subject: x =?utf-8?B?w6k=?=\r\n y\r\n", "Subject: x é\r\n y\r\n"),
        ("X: a\n\t=?utf-8?q?a?=\nX: b", "X: a\n\ta\nX: b"),
        ("To: =?utf-8?q?a?= <a@b>", "To: a <a@b>"),
        (
            "To: (=?utf-8?q?a?=) <a@b> (x =?utf-8?q?b=28?= (=?utf-8?q?c?=))",
            "To: (a) <a@b> (x b( (c))",
        ),
        ("(=?utf-8?q?a?= b)", "(a b)"),
        ("=?utf-8*en?q?=c3=A9?=", "é"),
    ]);
    stays(&[
        "x=?utf-8?q?a?=",
        "=?utf-8?q?a?=x",
        "=?utf-8?q?a?==?utf-8?q?b?=",
        "\"=?utf-8?q?a?=\"",
        "Subject: (=?utf-8?q?a?=)",
        "To: =?utf-8?q?a?=(x)",
        "To: =?utf-8?q?a?=<a@b>",
        "To: =?utf-8?q?a?=@b",
        "To: \" =?utf-8?q?a?= \" <a@b>",
        "To: < =?utf-8?q?a?= >",
        "To: =?utf-8?q?a.b?= <a@b>",
        "To: (=?utf-8?q?a)?=)",
        "Content-Type: =?utf-8?q?a?=",
        "Received: x (=?utf-8?q?a?=)",
    ]);
}

#[test]
fn what_section_2_does_not_allow_is_text() {
    let longest = format!("=?utf-8?q?{}?=", "a".repeat(63));
    let longer = format!("=?utf-8?q?{}?=", "a".repeat(64));
    decodes(&[(&longest, &"a".repeat(63))]);
    decodes(&[("=?utf-8?q?a?= x?utf-8?q?b?=", "a x?utf-8?q?b?=")]);
    stays(&[
        &longer,
        "=?utf-8?q??=",
        "=?utf-8?q?a b?=",
        "=?utf-8?q?a\r\n b?=",
        "=?utf-8?q?a?b?=",
        "=?utf-8?q?a??=",
        "=?utf-8?q?caf\u{E9}?=",
        "=?ut.f?q?a?=",
        "=?*en?q?a?=",
        "=?utf-8?x?a?=",
        "=?utf-8?qq?a?=",
        "=?no-such?q?a?=",
        "=?utf-8?q?a",
        "=?utf-8?q?a?",
    ]);
}

#[test]
fn white_space_vanishes_between_words_and_nothing_is_joined() {
    decodes(&[
        ("=?utf-8?q?a?= =?utf-8?q?b?=", "ab"),
        ("=?utf-8?q?a?= \r\n \t=?utf-8?b?Yg==?=  =?latin1?q?c?= d", "abc d"),
        ("=?utf-8?q?a?= =?none?q?b?= =?utf-8?q?c?=", "a =?none?q?b?= c"),
        ("=?utf-8?q?a?=\n=?utf-8?q?b?=", "a\nb"),
        ("=?utf-8?q?a?= ", "a "),
        ("=?utf-7?q?+AOk-?= =?utf-7?q?+AOk-?=", "éé"),
    ]);
    let (output, errors) =
        every_way("rfc2047:strict", b"=?utf-8?q?=E2?= =?utf-8?q?=82=AC?= =?utf-8?q?a?=");
    assert_eq!((output.as_str(), errors.len()), ("\u{FFFD} \u{FFFD} a", 2));
}
