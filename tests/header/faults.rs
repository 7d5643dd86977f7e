//! Which bytes a fault has, and why.

use charpipe::fault::Why;

use crate::walk::every_way;

/// Bytes, and what is wrong with them.
type Told<'a> = (&'a [u8], Why);

/// Each input has these faults.
fn has(from: &str, cases: &[(&[u8], &[Told<'_>])]) {
    for (input, expected) in cases {
        let (_, faults) = every_way(from, input);
        let found: Vec<_> =
            faults.iter().map(|(at, len, why)| (&input[*at..at + len], *why)).collect();
        assert_eq!(found, *expected, "{from} {}", input.escape_ascii());
    }
}

#[test]
fn a_fault_has_the_bytes_that_stand_for_the_octets() {
    has(
        "rfc2047",
        &[
            (b"=?utf-8?q?a=E9b?=", &[(b"=E9", Why::Continuation)]),
            (b"=?utf-8?q?a\xFFb=FF?=", &[(b"\xFF", Why::Stray), (b"=FF", Why::Stray)]),
            (b"=?utf-8?q?=E2=82b?=", &[(b"=E2=82", Why::Continuation)]),
            (b"=?utf-8?q?=E2\r\n =82b?=", &[(b"=E2", Why::Continuation), (b"=82", Why::Stray)]),
            (b"=?utf-8?q?a\r\n\t\r\n =FF?=", &[(b"=FF", Why::Stray)]),
            (b"=?us-ascii?q?=C3=A9?=", &[]),
            (b"=?windows-1253?q?=D2a=FF?=", &[(b"=D2", Why::Stray), (b"=FF", Why::Stray)]),
            (b"=?utf-8?q?=0A?=", &[(b"=0A", Why::Control)]),
            (
                b"=?utf-16be?q?=00=0A=D8=00=00a?=",
                &[(b"=00=0A", Why::Control), (b"=D8=00", Why::Unpaired)],
            ),
        ],
    );
}

#[test]
fn characters_of_base64_belong_to_every_octet_that_they_carry() {
    has(
        "rfc2047",
        &[
            (b"=?utf-8?b?/2Fi?=", &[(b"/2", Why::Stray)]),
            (b"=?utf-8?b?Yf9i?=", &[(b"f9", Why::Stray)]),
            (b"=?utf-8?b?YWL/?=", &[(b"L/", Why::Stray)]),
            (b"=?utf-8?b?//Fi?=", &[(b"//", Why::Stray), (b"/F", Why::Continuation)]),
            (b"=?utf-8?b?Y-f\r\n 9.i?=", &[(b"f\r\n 9", Why::Stray)]),
            (b"=?utf-8?b?YQ==/w==?=", &[(b"/w", Why::Stray)]),
        ],
    );
}

#[test]
fn a_character_that_a_word_cuts_is_no_end_of_the_input() {
    has(
        "rfc2047",
        &[
            (b"=?utf-8?q?a=E2=82?= b", &[(b"=E2=82", Why::CutByWord)]),
            (b"=?utf-8?q?a=E2=82?=", &[(b"=E2=82", Why::CutByWord)]),
            (b"=?utf-8?b?4oI?=", &[(b"4oI", Why::CutByWord)]),
            (b"=?utf-8?q?=E2?= =?utf-8?q?=82?=", &[(b"=E2?= =?utf-8?q?=82", Why::CutByWord)]),
            (b"=?utf-8?q?=E2?= =?utf-8?q?=82a?=", &[(b"=E2?= =?utf-8?q?=82", Why::Continuation)]),
            (b"=?utf-8?q?=E2?= =?utf-8?q?a?=", &[(b"=E2", Why::Continuation)]),
        ],
    );
}

#[test]
fn raw_bytes_outside_words_are_utf_8_or_faults() {
    has(
        "rfc2047",
        &[
            (b"a\xE9 b", &[(b"\xE9", Why::Continuation)]),
            (b"\xC3=?utf-8?q?a?=", &[(b"\xC3", Why::Continuation)]),
            (b"\xC3\n", &[(b"\xC3", Why::Continuation)]),
            (b"a\xE2\x82", &[(b"\xE2\x82", Why::Truncated)]),
            (
                b"Date: \xED\xA0\x80",
                &[(b"\xED", Why::Surrogate), (b"\xA0", Why::Stray), (b"\x80", Why::Stray)],
            ),
            (b"To: <\xFF=?utf-8?q?\xC0?=", &[(b"\xFF", Why::Stray), (b"\xC0", Why::Overlong)]),
        ],
    );
}

#[test]
fn a_malformed_strict_word_is_one_fault() {
    let why = |text: &str, why| {
        let input = format!("x {text} y");
        has("rfc2047:strict", &[(input.as_bytes(), &[(text.as_bytes(), why)])]);
    };
    why("=?utf-8?b?Y2F?=", Why::NotBase64);
    why("=?utf-8?b?Y2F-?=", Why::NotBase64);
    why("=?utf-8?b?Y===?=", Why::NotBase64);
    why("=?utf-8?b?Zg==Zg==?=", Why::NotBase64);
    why("=?utf-8?q?a=?=", Why::NotQ);
    why("=?utf-8?q?=4G?=", Why::NotQ);
    why("=?utf-8?q?a=E9b?=", Why::NotOfCharset);
    why("=?us-ascii?q?=E9?=", Why::NotOfCharset);
    why("=?utf-8?q?a=E2=82?=", Why::CutByWord);
    why("=?utf-8?b?4oI=?=", Why::CutByWord);
    why("=?utf-8?q?a=0Ab?=", Why::Control);
}
