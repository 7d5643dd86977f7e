//! Escapes with values from the specifications.

use super::super::text_testing::{decode, decode_every_way, encode_every_way};
use charpipe_encoding::conversion_error::MalformedReason::{
    InvalidCharacter, InvalidEscape, OutOfRange, Surrogate, Truncated, UnknownName,
    UnpairedSurrogate,
};

#[test]
fn decoders_read_every_escape() {
    for (name, text, expected) in [
        ("java", r#"\b\t\n\f\r\"\'\\\s"#, "\u{8}\t\n\u{C}\r\"'\\ "),
        ("java", r"\0\7\12\177\377\400\78\u20ac\uuu20AC", "\0\u{7}\n\u{7F}\u{FF} 0\u{7}8€€"),
        ("java", r"\ud83d\ude00\uD83D\uuDE00 \\u20ac \u005cn", "😀😀 \\u20ac \\n"),
        ("java", "a\\\nb\\\r\nc\\\rd", "abcd"),
        ("json", r#"\"\\\/\b\f\n\r\t\u00e9\uD834\uDD1E"#, "\"\\/\u{8}\u{C}\n\r\té𝄞"),
        ("json", "{\"a\": \"\\u00e9\"}\n", "{\"a\": \"é\"}\n"),
        ("c", r#"\a\b\t\n\v\f\r\"\\\'\?"#, "\u{7}\u{8}\t\n\u{B}\u{C}\r\"\\'?"),
        ("c", r"\0\12\1012\x41\x0000041 \x41g", "\0\nA2AA Ag"),
        ("c", r"\303\251\xc3\xa9\342\x82\254\360\237\230\200", "éé€😀"),
        ("c", r"\u20ac\U0001F600\u0024", "€😀$"),
        ("c", "a\\\nb\\\r\nc", "abc"),
        ("rust", r#"\t\n\r\0\"\\\'\x41\x7f\u{e9}\u{1_F60_0_}\u{00e9}"#, "\t\n\r\0\"\\'A\u{7F}é😀é"),
        ("rust", "a\\\n   \t\r\n  b \\\r\n c\\\n", "ab c"),
        (
            "python",
            r#"\\\'\"\a\b\f\n\r\t\v\0\101\377\777"#,
            "\\'\"\u{7}\u{8}\u{C}\n\r\t\u{B}\0A\u{FF}\u{1FF}",
        ),
        ("python", r"\xe9\u20ac\U0001F600\q\é \8", "é€😀\\q\\é \\8"),
        ("python", "a\\\nb\\\r\nc\\\rd", "abcd"),
        (
            "python",
            r"\N{EURO SIGN}\N{latin small letter e with acute}\N{HANGUL SYLLABLE GA}",
            "€é가",
        ),
        (
            "names",
            r"\N{EURO SIGN} \N{U+1F600}\N{U+e9}\N{CJK UNIFIED IDEOGRAPH-4E00}\N{LINE FEED}",
            "€ 😀é一\n",
        ),
        (
            "names",
            r"\n \N \N{} \N{NO SUCH NAME} \N{U+110000} \N{U+} \N{U+D800} \x \",
            r"\n \N \N{} \N{NO SUCH NAME} \N{U+110000} \N{U+} \N{U+D800} \x \",
        ),
        ("go", r#"\a\b\f\n\r\t\v\\\"\'"#, "\u{7}\u{8}\u{C}\n\r\t\u{B}\\\"'"),
        ("go", r"\101\x412\303\251\xc3\xa9\u20ac\U0001F600", "AA2éé€😀"),
        ("javascript", r#"\b\t\n\v\f\r\"\'\\\/\q\é\0"#, "\u{8}\t\n\u{B}\u{C}\r\"'\\/qé\0"),
        ("javascript", r"\xe9\u20ac\u{1F600}\u{00000041}\ud83d\ude00\101\4001", "é€😀A😀A 01"),
        ("javascript", "a\\\nb\\\r\nc\\\u{2028}d\u{2028}", "abcd\u{2028}"),
        ("swift", r#"\0\\\t\n\r\"\'\u{e9}\u{0001F600}"#, "\0\\\t\n\r\"'é😀"),
        ("postgres", r"\b\f\n\r\t\\\'\q\é", "\u{8}\u{C}\n\r\t\\'qé"),
        ("postgres", r"\303\251\xc3\xa9\x41B\xAg\101\u20ac\U0001F600\ud83d\ude00", "ééAB\ngA€😀😀"),
        ("sql", r"d\0061t\+000061 \\ \20AC\+01f600\d83d\DE00 it''s '", "data \\ €😀😀 it's '"),
        ("css", r#"\20AC x\20acx\0020acx\1F600  x"#, "€x€x€x😀 x"),
        ("css", "\\e9\r\nx\\e9\tx\\E9\r\rx\\e9g", "éxéxé\rxég"),
        ("css", "a\\\nb\\\r\nc\\\u{C}d\\\"\\\\\\g\\é", "abcd\"\\gé"),
        (
            "rtf",
            r"caf\'e9 \'80\u8364?\u8364\'80\u-10179?\u-8704?\u-10240?\u-8193?\u8217 'x \u233\{a",
            "café €€€😀\u{103FF}’x éa",
        ),
        ("rtf", "a\\tab b\\par\nc\\par\r\nd\\line e\\par\\par x\\\n", "a\tb\nc\r\nd\ne\n\nx\n"),
        ("rtf", r"\{\\\}\~\_\-\ldblquote x\rdblquote\emdash y", "{\\}\u{A0}\u{2011}\u{AD}“x”—y"),
        ("rtf", r"{\b\fs24\pard\uc1\ul x}\par2\*\tabx", r"{\b\fs24\pard\uc1\ul x}\par2\*\tabx"),
        ("percent-u", "%u20AC%E9%uD83D%ude00%41%zz%u12%4", "€é😀A%zz%u12%4"),
        ("percent-u", "100%", "100%"),
        (
            "u-plus",
            "U+20AC U+00e9x U+1F600U+0041 U+10FFFF U+12 U+110000 U+D800 U UU+",
            "€ éx 😀A \u{10FFFF} U+12 U+110000 U+D800 U UU+",
        ),
    ] {
        assert_eq!(decode(name, text), expected, "{name}: {text}");
    }
}

#[test]
fn decoders_report_invalid_escapes() {
    for (name, text, expected, errors) in [
        (
            "java",
            r"\q \é \u20g0 \u\x41",
            "� � �g0 ��41",
            vec![
                (0, 2, InvalidEscape),
                (3, 3, InvalidEscape),
                (7, 4, InvalidEscape),
                (14, 2, InvalidEscape),
                (16, 2, InvalidEscape),
            ],
        ),
        (
            "json",
            r"\ud83d \ude00 \ud83d\u0041 \ud83d\",
            "� � �A ��",
            vec![
                (0, 6, UnpairedSurrogate),
                (7, 6, UnpairedSurrogate),
                (14, 6, UnpairedSurrogate),
                (27, 6, UnpairedSurrogate),
                (33, 1, Truncated),
            ],
        ),
        (
            "json",
            "\\a\\0\\\n\\'",
            "����",
            vec![
                (0, 2, InvalidEscape),
                (2, 2, InvalidEscape),
                (4, 2, InvalidEscape),
                (6, 2, InvalidEscape),
            ],
        ),
        ("json", r"\u12", "�", vec![(0, 4, Truncated)]),
        (
            "c",
            r"\q\x\400\x100\u12",
            "�����",
            vec![
                (0, 2, InvalidEscape),
                (2, 2, InvalidEscape),
                (4, 4, OutOfRange),
                (8, 5, OutOfRange),
                (13, 4, Truncated),
            ],
        ),
        (
            "c",
            r"\303x\251\303\303\251\303",
            "�x��é�",
            vec![
                (0, 4, InvalidEscape),
                (5, 4, InvalidEscape),
                (9, 4, InvalidEscape),
                (21, 4, InvalidEscape),
            ],
        ),
        ("c", r"\ud83d\U00110000", "��", vec![(0, 6, Surrogate), (6, 10, OutOfRange)]),
        (
            "rust",
            r"\x80\xg\u{}\u{_1}\u{1234567}\u12\u{d800}\u{110000}\a",
            "��g�}�_1}�7}�12���",
            vec![
                (0, 4, OutOfRange),
                (4, 2, InvalidEscape),
                (7, 3, InvalidEscape),
                (11, 3, InvalidEscape),
                (17, 9, InvalidEscape),
                (28, 2, InvalidEscape),
                (32, 8, Surrogate),
                (40, 10, OutOfRange),
                (50, 2, InvalidEscape),
            ],
        ),
        (
            "python",
            r"\x4g\N{EURO SEAL}\N{}\N-\ud83d\ude00\U00110000\",
            "�g��}�-����",
            vec![
                (0, 3, InvalidEscape),
                (4, 13, UnknownName),
                (17, 3, InvalidEscape),
                (21, 2, InvalidEscape),
                (24, 6, Surrogate),
                (30, 6, Surrogate),
                (36, 10, OutOfRange),
                (46, 1, Truncated),
            ],
        ),
        (
            "go",
            r"\12\x4g\x80\400\ud800\q",
            "��g����",
            vec![
                (0, 3, InvalidEscape),
                (3, 3, InvalidEscape),
                (7, 4, InvalidEscape),
                (11, 4, OutOfRange),
                (15, 6, Surrogate),
                (21, 2, InvalidEscape),
            ],
        ),
        (
            "swift",
            r"\x41\u{1_0}\u{000000041}\u41",
            "�41�_0}�1}�41",
            vec![
                (0, 2, InvalidEscape),
                (4, 4, InvalidEscape),
                (11, 11, InvalidEscape),
                (24, 2, InvalidEscape),
            ],
        ),
        (
            "javascript",
            r"\x4\u{}\u12",
            "��}�",
            vec![(0, 3, InvalidEscape), (3, 3, InvalidEscape), (7, 4, Truncated)],
        ),
        (
            "sql",
            r"\g\12 \+110000\d83dx\",
            "�� ��x�",
            vec![
                (0, 2, InvalidEscape),
                (2, 3, InvalidEscape),
                (6, 8, OutOfRange),
                (14, 5, UnpairedSurrogate),
                (20, 1, Truncated),
            ],
        ),
        (
            "css",
            r"\0 \110000 \d800\",
            "� � ��",
            vec![(0, 2, OutOfRange), (3, 7, OutOfRange), (11, 5, Surrogate), (16, 1, Truncated)],
        ),
        (
            "rtf",
            r"\'8g\'81\u-10179?x\u99999?\",
            "�g��x�?�",
            vec![
                (0, 3, InvalidEscape),
                (4, 4, InvalidEscape),
                (8, 9, UnpairedSurrogate),
                (18, 7, OutOfRange),
                (26, 1, Truncated),
            ],
        ),
        (
            "percent-u:strict",
            "%zz%u12%uD83D",
            "�zz��",
            vec![(0, 1, InvalidEscape), (3, 4, InvalidEscape), (7, 6, UnpairedSurrogate)],
        ),
        (
            "u-plus:strict",
            "U+12 U+110000 U",
            "� � U",
            vec![(0, 4, InvalidEscape), (5, 8, OutOfRange)],
        ),
    ] {
        assert_eq!(decode_every_way(name, text), (expected.to_owned(), errors), "{name}: {text}");
    }
}

#[test]
fn numbers_of_rtf_code_units_have_16_bits_with_or_without_sign() {
    let (text, errors) = decode_every_way("rtf", r"\u-32768?\u32768?\u65535?");
    assert_eq!((&*text, errors), ("\u{8000}\u{8000}\u{FFFF}", vec![]));
    for (text, len) in [(r"\u-32769", 8), (r"\u65536", 7)] {
        assert_eq!(decode_every_way("rtf", text).1, [(0, len, OutOfRange)], "{text}");
    }
}

#[test]
fn longest_escapes_are_limited() {
    let digits = |count| format!("\\x{}41", "0".repeat(count));
    assert_eq!(decode("c", &digits(123)), "A");
    let (text, errors) = decode_every_way("c", &digits(200));
    assert_eq!(
        (&*text, errors),
        (format!("\u{FFFD}{}41", "0".repeat(200)).as_str(), vec![(0, 2, InvalidEscape)])
    );
    let (text, errors) = decode_every_way("java", &format!("\\{}0041", "u".repeat(200)));
    assert_eq!((text.len(), errors), (3 + 199 + 4, vec![(0, 2, InvalidEscape)]));
    let (text, errors) = decode_every_way("rust", &format!("\\u{{4{}1}}", "_".repeat(200)));
    assert_eq!((text.len(), errors), (3 + 2 + 200 + 2, vec![(0, 2, InvalidEscape)]));
}

#[test]
fn strict_decoders_report_characters_that_must_be_escaped() {
    for (label, text, errors) in [
        (
            "json:strict",
            "é'\"\t\n\u{7F}",
            vec![(3, 1, InvalidCharacter), (4, 1, InvalidCharacter), (5, 1, InvalidCharacter)],
        ),
        (
            "java:strict",
            "é'\"\t\n\r",
            vec![(3, 1, InvalidCharacter), (5, 1, InvalidCharacter), (6, 1, InvalidCharacter)],
        ),
        ("c:strict", "'\"\t\n", vec![(1, 1, InvalidCharacter), (3, 1, InvalidCharacter)]),
        ("rust:strict", "'\"\t\n", vec![(1, 1, InvalidCharacter)]),
        ("python:strict", r"\q\é", vec![(0, 2, InvalidEscape), (2, 3, InvalidEscape)]),
    ] {
        assert_eq!(decode_every_way(label, text).1, errors, "{label}");
    }
}

#[test]
fn encoders_write_what_may_be_in_a_literal() {
    let text = "a\\b\"c'\n\r\t\u{0}\u{1}\u{7}\u{8}\u{B}\u{C}\u{1B}9\u{7F}\u{85}é€😀?";
    for (name, expected, ascii) in [
        (
            "java",
            r#"a\\b\"c'\n\r\t\u0000\u0001\u0007\b\u000b\f\u001b9\u007f"#,
            r"\u0085\u00e9\u20ac\ud83d\ude00?",
        ),
        (
            "json",
            "a\\\\b\\\"c'\\n\\r\\t\\u0000\\u0001\\u0007\\b\\u000b\\f\\u001b9\u{7F}",
            r"\u0085\u00e9\u20ac\ud83d\ude00?",
        ),
        ("c", r#"a\\b\"c'\n\r\t\000\001\a\b\v\f\0339\177"#, r"\302\205\u00e9\u20ac\U0001f600?"),
        (
            "rust",
            r#"a\\b\"c'\n\r\t\0\u{1}\u{7}\u{8}\u{b}\u{c}\u{1b}9\u{7f}"#,
            r"\u{85}\u{e9}\u{20ac}\u{1f600}?",
        ),
        ("python", r#"a\\b\"c'\n\r\t\x00\x01\a\b\v\f\x1b9\x7f"#, r"\x85\xe9\u20ac\U0001f600?"),
        ("go", r#"a\\b\"c'\n\r\t\x00\x01\a\b\v\f\x1b9\x7f"#, r"\u0085\u00e9\u20ac\U0001f600?"),
        (
            "javascript",
            r#"a\\b\"c'\n\r\t\u0000\u0001\u0007\b\v\f\u001b9\u007f"#,
            r"\u0085\u00e9\u20ac\ud83d\ude00?",
        ),
        (
            "swift",
            r#"a\\b\"c'\n\r\t\0\u{1}\u{7}\u{8}\u{b}\u{c}\u{1b}9\u{7f}"#,
            r"\u{85}\u{e9}\u{20ac}\u{1f600}?",
        ),
        (
            "postgres",
            r#"a\\b"c\'\n\r\t\x00\x01\x07\b\x0b\f\x1b9\x7f"#,
            r"\u0085\u00e9\u20ac\U0001f600?",
        ),
    ] {
        let encoded = encode_every_way(name, text);
        assert_eq!(encoded, format!("{expected}\u{85}é€😀?"), "{name}");
        assert_eq!(decode(name, &encoded), text, "{name}");
        let encoded = encode_every_way(&format!("{name}:ascii"), text);
        let expected = expected.replace('\u{7F}', "\\u007f");
        assert_eq!(encoded, format!("{expected}{ascii}"), "{name}");
        assert_eq!(decode(&format!("{name}:strict"), &encoded), text, "{name}");
        assert_eq!(encode_every_way(&format!("{name}:lines"), "a\nb\t\n"), "a\nb\\t\n", "{name}");
    }
}

#[test]
fn unicode_escapes_alone_are_decoded() {
    for (name, text, expected) in [
        ("json", r#"{"é": "\u00e9\u20AC\ud83d\ude00\u0041\n\"\\\/"}"#, r#"{"é": "é€😀A\n\"\\\/"}"#),
        ("java", "p=C:\\\\temp\nm=a\\nb\\:\\\nc=\\uu00e9\n", "p=C:\\\\temp\nm=a\\nb\\:\\\nc=é\n"),
        // An odd number of backslashes before `u` is an escape, an even one is none.
        ("json", r"\u00e9 \\u00e9 \\\u00e9 \\\\u00e9", r"é \\u00e9 \\é \\\\u00e9"),
        // What would be syntax.
        (
            "json",
            r#"\u0022 \u005c \u005C\u0022 \u002f \u0027 \u003c"#,
            r#"\u0022 \u005c \u005C\u0022 \u002f \u0027 \u003c"#,
        ),
        (
            "json",
            r"\u0000\u001f\u007f\u0085\u009f\u2028\u2029\ufeff",
            r"\u0000\u001f\u007f\u0085\u009f\u2028\u2029\ufeff",
        ),
        (
            "java",
            r"\u005c\u00e9 a\u003db\u003ac\u0020d\u0023\u0021",
            r"\u005cé a\u003db\u003ac\u0020d\u0023\u0021",
        ),
        // Unpaired surrogates, and what is not an escape.
        ("json", r"\ud83d\u00e9 \ude00\ud83d \ud83d\ud83d\ude00", r"\ud83dé \ude00\ud83d \ud83d😀"),
        (
            "json",
            r"\u12 \u00g9 \U000000e9 \u{e9} \uu00e9 \xe9 \",
            r"\u12 \u00g9 \U000000e9 \u{e9} \uu00e9 \xe9 \",
        ),
        ("json", r"\u00e", r"\u00e"),
        (
            "c",
            r"\303\251 \1\u0031 \u00e9\U0001F600\u0085 \n\u0041",
            r"\303\251 \1\u0031 é😀\u0085 \n\u0041",
        ),
        (
            "python",
            r"\xe9 \x4\u0031\u00e9\U0001F600 \N{EURO SIGN} \U00110000",
            r"\xe9 \x4\u0031é😀 \N{EURO SIGN} \U00110000",
        ),
        ("rust", r"\u{e9}\u{1F600}\u{41}\u{d800}\u{110000} \n", r"é😀\u{41}\u{d800}\u{110000} \n"),
    ] {
        let label = format!("{name}:unicode");
        assert_eq!(decode(&label, text), expected, "{label}: {text}");
    }
    let (text, errors) = decode_every_way("json:unicode,strict", r"\q \u12\ud83d \u00e9\u0022");
    let expected = (r"\q �� é\u0022", vec![(3, 4, InvalidEscape), (7, 6, UnpairedSurrogate)]);
    assert_eq!((&*text, errors), expected);
    let long = format!("\\{}00e9", "u".repeat(200));
    assert_eq!(decode("java:unicode", &long), long);
}

#[test]
fn unicode_escapes_alone_are_encoded() {
    let text = "C:\\temp\\\\é\"\n\t\u{7F}\u{85}é€😀\u{FEFF}'\\n\\u00e9";
    for (name, expected) in [
        ("java", r"\u0085\u00e9\u20ac\ud83d\ude00\ufeff"),
        ("json", r"\u0085\u00e9\u20ac\ud83d\ude00\ufeff"),
        ("c", "\u{85}\\u00e9\\u20ac\\U0001f600\\ufeff"),
        ("rust", r"\u{85}\u{e9}\u{20ac}\u{1f600}\u{feff}"),
        ("python", r"\u0085\u00e9\u20ac\U0001f600\ufeff"),
    ] {
        let label = format!("{name}:unicode");
        let e_acute = if name == "rust" { r"\u{e9}" } else { r"\u00e9" };
        let encoded = encode_every_way(&label, text);
        assert_eq!(
            encoded,
            format!("C:\\temp\\\\{e_acute}\"\n\t\u{7F}{expected}'\\n\\u00e9"),
            "{label}"
        );
        // What was escaped before, and is decoded, is encoded to the same.
        assert_eq!(encode_every_way(&label, &decode(&label, &encoded)), encoded, "{label}");
    }
    // After an odd number of backslashes `\u00e9` would be text.
    assert_eq!(encode_every_way("java:unicode", r"\é \\é \\\éé \"), r"\é \\\u00e9 \\\é\u00e9 \");
}

#[test]
fn encoders_write_other_escapes() {
    for (label, text, expected) in [
        ("sql", "it's \\ é€😀\n", r"it''s \\ \00E9\20AC\+01F600".to_owned() + "\n"),
        ("css", "\"a\\\n\u{7F}\0é", "\\\"a\\\\\\a \\7f \\fffd é".to_owned()),
        ("css:ascii", "é😀 x", r"\e9 \1f600  x".to_owned()),
        ("css:unicode", "\"é\\é\\\\é\"", "\"\\e9 \\é\\\\\\e9 \"".to_owned()),
        (
            "rtf",
            "{a}\\\té’😀\u{A0}\u{AD}\u{2011}\n\r\n\r",
            "\\{a\\}\\\\\\tab \\u233?\\u8217?\\u-10179?\\u-8704?\\~\\-\\_\\par\n\\par\r\n\r"
                .to_owned(),
        ),
        ("rtf:unicode", "{\\b é\u{A0}}\n", "{\\b \\u233?\\u160?}\n".to_owned()),
        ("percent-u", "aé€😀 +%@*_-./", "a%E9%u20AC%uD83D%uDE00%20+%25@*_-./".to_owned()),
        (
            "names",
            "é€ \\x \\Nx \u{80}\u{E000}",
            r"\N{LATIN SMALL LETTER E WITH ACUTE}\N{EURO SIGN} \x \N{REVERSE SOLIDUS}Nx \N{U+0080}\N{U+E000}".to_owned(),
        ),
        ("u-plus", "é😀 U+00E9 éa Ux U", "U+00E9U+1F600 U+0055+00E9 U+00E9U+0061 Ux U".to_owned()),
    ] {
        assert_eq!(encode_every_way(label, text), expected, "{label}");
    }
}

#[test]
fn other_unicode_escapes_alone_are_decoded() {
    for (label, text, expected) in [
        (
            "css:unicode",
            r#"a::before { content: "\20AC \"\41 \a x\\e9 \g\110000 \"#,
            r#"a::before { content: "€\"\41 \a x\\e9 \g\110000 \"#,
        ),
        (
            "rtf:unicode",
            r"{\rtf1\ansi caf\'e9 \'41\{\\'e9\}\~\-\par\u8364?\emdash x\u-10179?\'81\",
            r"{\rtf1\ansi café \'41\{\\'e9\}\~\-\par€—x\u-10179?\'81\",
        ),
        ("go:unicode", r"\xc3\u00e9\U0001F600\n", r"\xc3é😀\n"),
        ("javascript:unicode", r"\xe9\u00e9\u{1F600}\u{41}\u0041", r"\xe9é😀\u{41}\u0041"),
    ] {
        assert_eq!(decode(label, text), expected, "{label}");
    }
}
