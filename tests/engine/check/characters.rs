//! Characters outside ASCII, and confusing ones.

use charpipe::check::{CheckOptions, Checker, Finding, NewlineRule};
use charpipe_test_support::sample_count;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::check::driver::{BUFFER_SIZES, check_file, check_files, finding_rows, rules};

fn confusing(encoding: &str) -> CheckOptions {
    let mut options = rules(encoding);
    options.confusing = true;
    options
}

/// The rule and code point of each finding.
fn found(text: &str) -> Vec<(&'static str, u32)> {
    let row = |finding: &Finding| (finding.rule().name(), finding.code_point().unwrap_or(0));
    check_file(confusing("utf-8"), text.as_bytes()).iter().map(row).collect()
}

#[test]
fn characters_outside_ascii_are_reported_in_any_encoding() {
    for (encoding, file, expected) in [
        ("utf-8", &b"a\n\xC3\xA9\xE2\x82\xAC"[..], &[(2, 2, 2, 1, 1), (4, 3, 2, 2, 3)][..]),
        ("latin1", b"caf\xE9", &[(3, 1, 1, 4, 4)]),
        ("utf-16le", b"a\0\xE9\0\x3D\xD8\0\xDE", &[(2, 2, 1, 2, 3), (4, 4, 1, 3, 5)]),
        // The last digit also has bits of what follows.
        ("utf-7", b"a+AOk-b", &[(2, 2, 1, 2, 3)]),
        ("utf-8", b"\xEF\xBB\xBFa", &[]),
        ("utf-8", b"\xEF\xBB\xBF\xEF\xBB\xBF", &[(3, 3, 1, 2, 4)]),
        ("utf-16", b"\xFF\xFEa\0", &[]),
        ("utf-8", b"a\x7F\0", &[]),
    ] {
        let mut options = rules(encoding);
        options.ascii_only = true;
        options.binary_files = charpipe::internals::check::BinaryFiles::Text;
        let expected: Vec<_> = expected
            .iter()
            .map(|(offset, len, line, column, bytes)| {
                ("non-ascii", *offset, *len, *line, *column, *bytes)
            })
            .collect();
        assert_eq!(finding_rows(options, file), expected, "{encoding} {file:02X?}");
    }
}

#[test]
fn values_above_unicode_are_not_ascii() {
    let mut options = rules("ucs-4");
    options.ascii_only = true;
    let found = check_file(options, b"\0\0\0a\x7F\xFF\xFF\xFF\0\x11\0\0");
    let code_points: Vec<_> = found.iter().map(|finding| finding.code_point()).collect();
    assert_eq!(code_points, [Some(0x7FFF_FFFF), Some(0x11_0000)]);
}

#[test]
fn confusing_characters_are_reported() {
    for (text, expected) in [
        ("if (a\u{202E}b\u{2066}c", &[("bidi-control", 0x202E), ("bidi-control", 0x2066)][..]),
        ("a\u{200E}", &[("bidi-control", 0x200E)]),
        ("שלום\na\u{200F}", &[("bidi-control", 0x200F)]),
        ("pass\u{200B}word", &[("invisible", 0x200B)]),
        ("a\u{200D}b\u{200C}", &[("invisible", 0x200D), ("invisible", 0x200C)]),
        ("👩\u{200D}x", &[("invisible", 0x200D)]),
        ("👩\u{200D}", &[("invisible", 0x200D)]),
        (
            "co\u{AD}op\u{2060}\u{2062}\u{3164}",
            &[
                ("invisible", 0xAD),
                ("invisible", 0x2060),
                ("invisible", 0x2062),
                ("invisible", 0x3164),
            ],
        ),
        ("\u{FEFF}a\u{FEFF}", &[("invisible", 0xFEFF)]),
        ("a\u{FE0F}❤\u{FE0F}\u{FE0F}", &[("invisible", 0xFE0F), ("invisible", 0xFE0F)]),
        ("😀\u{E0100}", &[("invisible", 0xE0100)]),
        ("a\u{E0061}", &[("invisible", 0xE0061)]),
        // Tags that hide text after a flag.
        (
            "🏴\u{E0061}\u{E0062}\u{E0063}\u{E0064}\u{E0065}\u{E0066}\u{E0067}\u{E007F}",
            &[("invisible", 0xE0067), ("invisible", 0xE007F)],
        ),
        ("🏴\u{E007F}", &[("invisible", 0xE007F)]),
        ("x\u{A0}= 5", &[("space", 0xA0)]),
        ("x\u{A0}", &[("space", 0xA0)]),
        ("x\u{202F}y\u{2003}", &[("space", 0x202F), ("space", 0x2003)]),
        ("x\u{3000}y", &[("space", 0x3000)]),
        ("日本\u{3000}\u{3000}x", &[("space", 0x3000)]),
        ("a\u{2028}b\u{2029}", &[("space", 0x2028), ("space", 0x2029)]),
        ("p\u{430}ypal", &[("mixed-scripts", 0x430)]),
        // Once in a word, at the first letter of another script.
        (
            "\u{440}\u{430}ypal p\u{430}yp\u{430}l",
            &[("mixed-scripts", u32::from(b'y')), ("mixed-scripts", 0x430)],
        ),
        ("H2\u{41E}", &[("mixed-scripts", 0x41E)]),
        ("a\u{301}\u{43E}", &[("mixed-scripts", 0x43E)]),
        ("\u{391}pple", &[("mixed-scripts", u32::from(b'p'))]),
        ("\u{391}\u{410}", &[("mixed-scripts", 0x410)]),
    ] {
        assert_eq!(found(text), expected, "{text:?}");
    }
}

#[test]
fn usual_occurrences_are_not_reported() {
    for text in [
        "\u{FEFF}text",
        "naïve Füße — “quotes” €",
        "👩\u{200D}🚀 👨\u{200D}👩\u{200D}👧 ❤\u{FE0F}\u{200D}🔥 👩🏽\u{200D}⚕\u{FE0F} 👁\u{FE0F}\u{200D}🗨\u{FE0F}",
        "1\u{FE0F}\u{20E3} #\u{FE0F}\u{20E3} ©\u{FE0F} ☎\u{FE0E}",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        "می\u{200C}خواهم क्\u{200D}ष ක්\u{200D}ර",
        "ภาษา\u{200B}ไทย ភាសា\u{200B}ខ្មែរ",
        "葛\u{E0100} 辻\u{FE00} ≨\u{FE00}",
        "שלום\u{200F}! abc\u{200E}",
        "ᠮᠣᠩ\u{180B}ᠭᠣᠯ\u{180E}ᠠ",
        "«\u{A0}oui\u{A0}» ‹\u{202F}non\u{202F}›",
        "quoi\u{202F}? 10\u{202F}000 5\u{202F}%",
        "\u{3000}日本\u{3000}語。\u{3000}\n\u{3000}\u{3000}中文",
        "слово word λέξη слово-word сл_w",
        "Δt = 5 μs, 3 kΩ, 2 k\u{2126}, σx",
        "5\u{B5}m 日本x ʼn",
    ] {
        assert_eq!(found(text), [], "{text:?}");
    }
}

#[test]
fn confusing_characters_have_their_positions_in_any_encoding() {
    let mut options = confusing("utf-16le");
    options.newline = NewlineRule::Lf;
    let file: Vec<u8> = "é\r\n\u{A0}x\r".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let expected =
        [("newline", 2, 4, 1, 2, 3), ("space", 6, 2, 2, 1, 1), ("newline", 10, 2, 2, 3, 5)];
    assert_eq!(finding_rows(options, &file), expected);
    // A NO-BREAK SPACE that waits for the next character.
    let found = finding_rows(confusing("windows-1252"), b"x\xA0\xBB y\xA0\x81\xA0");
    let expected =
        [("space", 5, 1, 1, 6, 6), ("ill-formed", 6, 1, 1, 7, 7), ("space", 7, 1, 1, 8, 8)];
    assert_eq!(found, expected);
}

#[test]
fn malformed_sequence_ends_a_word() {
    assert_eq!(finding_rows(confusing("utf-8"), b"a\xFF\xD0\xB0").len(), 1);
}

#[test]
fn rules_about_characters_combine_with_transforms_of_text_only() {
    for confusing in [false, true] {
        let mut options = rules("utf-8/base64");
        (options.ascii_only, options.confusing) = (!confusing, confusing);
        assert!(Checker::new(&options).is_err());
        options.encoding = "utf-8/nfc".parse().unwrap();
        let file = "e\u{301} \u{A0}".as_bytes();
        let found = finding_rows(options, file);
        // U+0301 is at offset 1, U+00A0 at 4.
        let expected = match confusing {
            true => vec![("ill-formed", 1), ("space", 4)],
            false => vec![("ill-formed", 1), ("non-ascii", 1), ("non-ascii", 4)],
        };
        let found: Vec<_> = found.iter().map(|row| (row.0, row.1)).collect();
        assert_eq!(found, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample_count(300, 3) as u32))]

    /// The context of a character is the same wherever the text is cut.
    #[test]
    fn findings_do_not_depend_on_the_buffer(
        characters in vec(
            select(vec!['a', 'b', '1', ' ', '\n', '\r', '-', '«', '»', 'é', 'ж', 'α', 'μ', '\u{301}', '\u{A0}',
                '\u{202F}', '\u{3000}', '日', '👩', '🏴', '\u{200D}', '\u{200C}', '\u{200B}', '\u{200F}', 'ש',
                'ไ', 'क', '\u{FE0F}', '\u{E0067}', '\u{E007F}', '\u{FEFF}', '\u{202E}', '\0']),
            0..300,
        ),
        ascii_only in any::<bool>(),
        newline in select(vec![NewlineRule::Any, NewlineRule::Lf, NewlineRule::Consistent]),
        buffer_size in select(BUFFER_SIZES.to_vec()),
    ) {
        let text: String = characters.into_iter().collect();
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for (encoding, file) in [("utf-8", text.as_bytes()), ("utf-16be", &utf16)] {
            let mut options = confusing(encoding);
            (options.ascii_only, options.newline) = (ascii_only, newline);
            let whole = check_files(&options, &[file]).remove(0);
            prop_assert!(whole.is_sorted_by_key(|finding| finding.position.offset));
            options.buffer_size = buffer_size;
            prop_assert_eq!(check_files(&options, &[file]).remove(0), whole);
        }
    }
}
