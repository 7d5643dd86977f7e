//! Words: which tokens are encoded, in which form and charset, and where they are cut.

use crate::rfc2047_encode::walk::{encode, encode_every_way};

fn each(cases: &[(&str, &str, &str)]) {
    for (label, text, expected) in cases {
        let (written, errors) = encode_every_way(label, text);
        assert_eq!((written.as_str(), errors), (*expected, vec![]), "{label} {text:?}");
    }
}

#[test]
fn a_token_that_needs_it_is_encoded_and_the_others_stay() {
    each(&[
        ("rfc2047", "", ""),
        ("rfc2047", "plain", "plain"),
        ("rfc2047", "a \u{E9} b", "a =?UTF-8?B?w6k=?= b"),
        ("rfc2047:encoding=q", "a \u{E9} b", "a =?UTF-8?Q?=C3=A9?= b"),
        ("rfc2047:encoding=q", "a\u{E9}b", "=?UTF-8?Q?a=C3=A9b?="),
        ("rfc2047:encoding=q", "x=?y", "=?UTF-8?Q?x=3D=3Fy?="),
        ("rfc2047", "x=y ?z", "x=y ?z"),
        ("rfc2047:encoding=q", "=?utf-8?q?a?=", "=?UTF-8?Q?=3D=3Futf-8=3Fq=3Fa=3F=3D?="),
        ("rfc2047:encoding=q", "bell\u{7} a", "=?UTF-8?Q?bell=07?= a"),
        ("rfc2047:encoding=q", "nul\0 del\u{7F}", "=?UTF-8?Q?nul=00_del=7F?="),
        ("rfc2047:encoding=q", "cr\rlf", "=?UTF-8?Q?cr=0Dlf?="),
        ("rfc2047:encoding=q", "cr\r\r\nlf", "=?UTF-8?Q?cr=0D?=\r\nlf"),
    ]);
}

#[test]
fn white_space_between_two_such_tokens_goes_into_the_word_and_other_white_space_stays() {
    each(&[
        ("rfc2047:encoding=q", "\u{E9} \u{E9}", "=?UTF-8?Q?=C3=A9_=C3=A9?="),
        ("rfc2047:encoding=q", "\u{E9} \t \u{E9}", "=?UTF-8?Q?=C3=A9_=09_=C3=A9?="),
        ("rfc2047:encoding=q", "\u{E9}  a  \u{E9}", "=?UTF-8?Q?=C3=A9?=  a  =?UTF-8?Q?=C3=A9?="),
        ("rfc2047:encoding=q", "  \u{E9}\t ", "  =?UTF-8?Q?=C3=A9?=\t "),
        ("rfc2047:encoding=q", "\u{E9}\n \u{E9}", "=?UTF-8?Q?=C3=A9_=C3=A9?="),
        ("rfc2047:encoding=q", "a\n \u{E9}\n b", "a\n =?UTF-8?Q?=C3=A9?=\n b"),
        ("rfc2047:encoding=q", "\u{E9}\n\u{E9}\n", "=?UTF-8?Q?=C3=A9?=\n=?UTF-8?Q?=C3=A9?=\n"),
        ("rfc2047:encoding=q", "\u{E9}\r\n\r\n", "=?UTF-8?Q?=C3=A9?=\r\n\r\n"),
    ]);
}

#[test]
fn q_protects_all_but_letters_digits_and_five_marks() {
    // RFC 2047, section 5, rule 3.
    let text = "\u{E9}AZaz09!*+-/ _=?.,:;\"'#$%&()<>@[]\\^`{|}~";
    let written = encode("rfc2047:encoding=q", text);
    assert!(
        written.starts_with("=?UTF-8?Q?=C3=A9AZaz09!*+-/_=5F=3D=3F=2E=2C=3A=3B=22=27"),
        "{written}"
    );
    for mark in text.bytes().filter(|byte| byte.is_ascii_punctuation() && !b"!*+-/".contains(byte))
    {
        assert!(written.contains(&format!("={mark:02X}")), "{written}");
    }
}

#[test]
fn the_shorter_form_is_taken_and_q_if_they_are_alike() {
    each(&[
        // 6 against 4.
        ("rfc2047", "\u{E9}", "=?UTF-8?B?w6k=?="),
        // 9 against 8.
        ("rfc2047", "caf\u{E9}", "=?UTF-8?B?Y2Fmw6k=?="),
        // 8 against 8.
        ("rfc2047", "ab\u{E9}", "=?UTF-8?Q?ab=C3=A9?="),
        // 10 against 8.
        ("rfc2047", "abc\u{E9}d", "=?UTF-8?B?YWJjw6lk?="),
        // 12 against 12.
        ("rfc2047", "abcdef\u{E9}", "=?UTF-8?Q?abcdef=C3=A9?="),
        // 3 against 4.
        ("rfc2047:latin1", "\u{E9}", "=?ISO-8859-1?Q?=E9?="),
        ("rfc2047:latin1,encoding=b", "\u{E9}", "=?ISO-8859-1?B?6Q==?="),
    ]);
}

#[test]
fn a_charset_is_called_by_its_name_in_mail() {
    each(&[
        ("rfc2047:charset=latin1", "\u{E9}", "=?ISO-8859-1?Q?=E9?="),
        ("rfc2047:charset=ascii,encoding=q", "=?", "=?US-ASCII?Q?=3D=3F?="),
        ("rfc2047:charset=utf8", "\u{E9}", "=?UTF-8?B?w6k=?="),
        ("rfc2047:charset=utf-7,encoding=q", "\u{E9}", "=?UTF-7?Q?+AOk-?="),
        ("rfc2047:charset=utf-16be", "\u{E9}", "=?UTF-16BE?B?AOk=?="),
        // Readers join bytes, and a byte order mark within would be a character.
        ("rfc2047:charset=utf-16", "\u{E9}", "=?UTF-16BE?B?AOk=?="),
        ("rfc2047:charset=utf-32", "\u{E9}", "=?UTF-32BE?B?AAAA6Q==?="),
        // Bytes that are no ASCII go out in base64 whatever is requested.
        ("rfc2047:charset=utf-16be,encoding=q", "\u{E9}", "=?UTF-16BE?B?AOk=?="),
        ("rfc2047:charset=ucs-2be", "\u{E9}", "=?UNICODE-1-1?B?AOk=?="),
    ]);
}

#[test]
fn a_run_unmappable_in_the_charset_is_encoded_in_utf_8() {
    each(&[
        ("rfc2047:latin1", "\u{E9} \u{4E2D}", "=?UTF-8?B?w6kg5Lit?="),
        ("rfc2047:latin1", "\u{E9} a \u{4E2D}", "=?ISO-8859-1?Q?=E9?= a =?UTF-8?B?5Lit?="),
        ("rfc2047:ascii", "\u{E9} a =?", "=?UTF-8?B?w6k=?= a =?US-ASCII?B?PT8=?="),
        ("rfc2047:latin1", "\u{4E2D}\n\u{E9}\n", "=?UTF-8?B?5Lit?=\n=?ISO-8859-1?Q?=E9?=\n"),
    ]);
    // Too far away to be known: from there on.
    let text = "\u{E9}".repeat(5000) + "\u{4E2D}";
    let written = encode("rfc2047:latin1", &text);
    assert!(written.starts_with("=?ISO-8859-1?B?6enp"), "{written}");
    assert!(written.ends_with("?= =?UTF-8?B?5Lit?="), "{written}");
}

#[test]
fn a_word_is_cut_between_characters_at_75() {
    // 75 less 12 leave space for 60 digits: 45 bytes, and 22 characters of two bytes each.
    let written = encode("rfc2047:encoding=b", &"\u{E9}".repeat(30));
    let word = |triples, rest| format!("=?UTF-8?B?{}{rest}?=", "w6nDqcOp".repeat(triples));
    assert_eq!(written, format!("{}\n {}", word(7, "w6k="), word(2, "w6nDqQ==")));
    // Space for 10 times `=C3=A9` in 63.
    let written = encode("rfc2047:encoding=q", &"\u{E9}".repeat(11));
    assert_eq!(written, format!("=?UTF-8?Q?{}?=\n =?UTF-8?Q?=C3=A9?=", "=C3=A9".repeat(10)));
    // 63 letters fit in Q, and the last one takes the word to 75.
    let written = encode("rfc2047:encoding=q", &format!("{}=?", "x".repeat(63)));
    assert_eq!(written, format!("=?UTF-8?Q?{}?=\n =?UTF-8?Q?=3D=3F?=", "x".repeat(63)));
}

#[test]
fn marks_stay_with_their_base() {
    // Each pair is 1 + 2 bytes; the word would hold 63 ASCII characters.
    let text = format!("{}{}", "\u{E9}", "e\u{301}".repeat(40));
    for label in ["rfc2047:encoding=b", "rfc2047:encoding=q"] {
        for word in encode(label, &text).split("\n ").skip(1) {
            let begins = ["=?UTF-8?B?Zcy", "=?UTF-8?Q?e=CC=81"];
            assert!(begins.iter().any(|begin| word.starts_with(begin)), "{word}");
        }
    }
}

#[test]
fn a_stateful_charset_ends_each_word_in_ascii() {
    let written = encode("rfc2047:utf-7,encoding=q", &"\u{4E2D}".repeat(50));
    for word in written.split("\n ") {
        assert!(word.starts_with("=?UTF-7?Q?+") && word.ends_with("-?="), "{word}");
    }
}
