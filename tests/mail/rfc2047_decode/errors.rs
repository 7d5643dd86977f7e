//! Which bytes an error has, and why.

use charpipe::internals::conversion_error::MalformedReason;

use crate::rfc2047_decode::walk::every_way;

/// Bytes, and what is wrong with them.
type ExpectedError<'a> = (&'a [u8], MalformedReason);

/// Each input has these errors.
fn has(from: &str, cases: &[(&[u8], &[ExpectedError<'_>])]) {
    for (input, expected) in cases {
        let (_, errors) = every_way(from, input);
        let found: Vec<_> =
            errors.iter().map(|(at, len, why)| (&input[*at..at + len], *why)).collect();
        assert_eq!(found, *expected, "{from} {}", input.escape_ascii());
    }
}

#[test]
fn an_error_covers_the_encoded_bytes() {
    has(
        "rfc2047",
        &[
            (b"=?utf-8?q?a=E9b?=", &[(b"=E9", MalformedReason::MissingTrailByte)]),
            (
                b"=?utf-8?q?a\xFFb=FF?=",
                &[
                    (b"\xFF", MalformedReason::InvalidLeadByte),
                    (b"=FF", MalformedReason::InvalidLeadByte),
                ],
            ),
            (b"=?utf-8?q?=E2=82b?=", &[(b"=E2=82", MalformedReason::MissingTrailByte)]),
            (
                b"=?utf-8?q?=E2\r\n =82b?=",
                &[
                    (b"=E2", MalformedReason::MissingTrailByte),
                    (b"=82", MalformedReason::InvalidLeadByte),
                ],
            ),
            (b"=?utf-8?q?a\r\n\t\r\n =FF?=", &[(b"=FF", MalformedReason::InvalidLeadByte)]),
            (b"=?us-ascii?q?=C3=A9?=", &[]),
            (
                b"=?windows-1253?q?=D2a=FF?=",
                &[
                    (b"=D2", MalformedReason::InvalidLeadByte),
                    (b"=FF", MalformedReason::InvalidLeadByte),
                ],
            ),
            (b"=?utf-8?q?=0A?=", &[(b"=0A", MalformedReason::ControlInEncodedWord)]),
            (
                b"=?utf-16be?q?=00=0A=D8=00=00a?=",
                &[
                    (b"=00=0A", MalformedReason::ControlInEncodedWord),
                    (b"=D8=00", MalformedReason::UnpairedSurrogate),
                ],
            ),
        ],
    );
}

#[test]
fn a_control_character_is_an_error_without_the_shift_before_it() {
    let control = MalformedReason::ControlInEncodedWord;
    has(
        "rfc2047",
        &[
            (b"=?iso-2022-jp-3?q?=1B$B=00?=", &[(b"=00", control)]),
            (b"=?iso-2022-jp-3?q?a=1B$B=00?=", &[(b"=00", control)]),
            (b"=?iso-2022-kr?q?=1B$)C=0E=00?=", &[(b"=00", control)]),
            (b"=?bocu-1?q?=FF=19?=", &[(b"=19", control)]),
            (
                b"=?utf-8?q?=E2=80=A8=C2=85=00?=",
                &[(b"=E2=80=A8", control), (b"=C2=85", control), (b"=00", control)],
            ),
        ],
    );
}

#[test]
fn characters_of_base64_belong_to_every_byte_that_they_carry() {
    has(
        "rfc2047",
        &[
            (b"=?utf-8?b?/2Fi?=", &[(b"/2", MalformedReason::InvalidLeadByte)]),
            (b"=?utf-8?b?Yf9i?=", &[(b"f9", MalformedReason::InvalidLeadByte)]),
            (b"=?utf-8?b?YWL/?=", &[(b"L/", MalformedReason::InvalidLeadByte)]),
            (
                b"=?utf-8?b?//Fi?=",
                &[
                    (b"//", MalformedReason::InvalidLeadByte),
                    (b"/F", MalformedReason::MissingTrailByte),
                ],
            ),
            (b"=?utf-8?b?Y-f\r\n 9.i?=", &[(b"f\r\n 9", MalformedReason::InvalidLeadByte)]),
            (b"=?utf-8?b?YQ==/w==?=", &[(b"/w", MalformedReason::InvalidLeadByte)]),
        ],
    );
}

#[test]
fn a_character_split_by_an_encoded_word_is_not_truncated() {
    has(
        "rfc2047",
        &[
            (b"=?utf-8?q?a=E2=82?= b", &[(b"=E2=82", MalformedReason::SplitCharacter)]),
            (b"=?utf-8?q?a=E2=82?=", &[(b"=E2=82", MalformedReason::SplitCharacter)]),
            (b"=?utf-8?b?4oI?=", &[(b"4oI", MalformedReason::SplitCharacter)]),
            (
                b"=?utf-8?q?=E2?= =?utf-8?q?=82?=",
                &[(b"=E2?= =?utf-8?q?=82", MalformedReason::SplitCharacter)],
            ),
            (
                b"=?utf-8?q?=E2?= =?utf-8?q?=82a?=",
                &[(b"=E2?= =?utf-8?q?=82", MalformedReason::MissingTrailByte)],
            ),
            (b"=?utf-8?q?=E2?= =?utf-8?q?a?=", &[(b"=E2", MalformedReason::MissingTrailByte)]),
        ],
    );
}

#[test]
fn raw_bytes_outside_words_are_utf_8_or_errors() {
    has(
        "rfc2047",
        &[
            (b"a\xE9 b", &[(b"\xE9", MalformedReason::MissingTrailByte)]),
            (b"\xC3=?utf-8?q?a?=", &[(b"\xC3", MalformedReason::MissingTrailByte)]),
            (b"\xC3\n", &[(b"\xC3", MalformedReason::MissingTrailByte)]),
            (b"a\xE2\x82", &[(b"\xE2\x82", MalformedReason::Truncated)]),
            (
                b"Date: \xED\xA0\x80",
                &[
                    (b"\xED", MalformedReason::Surrogate),
                    (b"\xA0", MalformedReason::InvalidLeadByte),
                    (b"\x80", MalformedReason::InvalidLeadByte),
                ],
            ),
            (
                b"To: <\xFF=?utf-8?q?\xC0?=",
                &[
                    (b"\xFF", MalformedReason::InvalidLeadByte),
                    (b"\xC0", MalformedReason::Overlong),
                ],
            ),
        ],
    );
}

#[test]
fn a_malformed_strict_word_is_one_error() {
    let why = |text: &str, why| {
        let input = format!("x {text} y");
        has("rfc2047:strict", &[(input.as_bytes(), &[(text.as_bytes(), why)])]);
    };
    why("=?utf-8?b?Y2F?=", MalformedReason::InvalidBase64);
    why("=?utf-8?b?Y2F-?=", MalformedReason::InvalidBase64);
    why("=?utf-8?b?Y===?=", MalformedReason::InvalidBase64);
    why("=?utf-8?b?Zg==Zg==?=", MalformedReason::InvalidBase64);
    why("=?utf-8?q?a=?=", MalformedReason::InvalidQEncoding);
    why("=?utf-8?q?=4G?=", MalformedReason::InvalidQEncoding);
    why("=?utf-8?q?a=E9b?=", MalformedReason::InvalidForCharset);
    why("=?us-ascii?q?=E9?=", MalformedReason::InvalidForCharset);
    why("=?utf-8?q?a=E2=82?=", MalformedReason::SplitCharacter);
    why("=?utf-8?b?4oI=?=", MalformedReason::SplitCharacter);
    why("=?utf-8?q?a=0Ab?=", MalformedReason::ControlInEncodedWord);
}
