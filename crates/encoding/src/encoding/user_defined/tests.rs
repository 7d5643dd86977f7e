use crate::conversion_error::{ErrorKind, MalformedReason};
use crate::encoding::testing::{LabeledEncoding, decode_in_every_way, encode_in_every_way};
use crate::encoding::{Encoding, EncodingOptions};
use crate::error::Error;

fn load(file: &str) -> &'static Encoding {
    Encoding::from_mapping("dir/machine.map", file.as_bytes()).unwrap()
}

/// Returns the line and the reason of the error in a file.
fn error(file: &[u8]) -> (usize, String) {
    match Encoding::from_mapping("machine", file) {
        Err(Error::InvalidMapping { path, line, reason }) => {
            assert_eq!(path, "machine");
            (line, reason)
        }
        other => panic!("{other:?}"),
    }
}

/// A double-byte encoding with fallbacks in both directions, as the ICU User Guide describes the format.
const UCM: &str = "\
# Comment with \u{E9}
<code_set_name> \"test-dbcs\"
<uconv_class> \"MBCS\"
<mb_cur_max> 2
<icu:state> 0-7f, 81:1
<icu:state> 40-7e
CHARMAP
<U0041> \\x41 |0
<U00E9> \\x81\\x40 |0 # letter
<U00C9> \\x81\\x40 |1
<U00A0> \\x81\\x41 |3
<U0041>+<U0300> \\x81\\x42 |0
<U2026> \\x1A |2
<U0100> \\x81\\x43 |4
<U0020> \\x20
END CHARMAP
";

#[test]
fn ucm_file_has_fallbacks_and_sequences() {
    let encoding = load(UCM);
    assert_eq!(encoding.name(), "test-dbcs");
    assert_eq!(encoding.decode(b"A\x81\x40 \x81\x41\x81\x42"), ("Aé \u{A0}A\u{300}".into(), false));
    let encoded = encoding.encode("AéÉ A\u{300}AĀ");
    assert_eq!(encoded, (b"A\x81\x40\x81\x40 \x81\x42A\x81\x43"[..].into(), false));
    for unmappable in ["\u{A0}", "…", "\u{300}"] {
        assert!(encoding.encode_strict(unmappable).is_err(), "{unmappable:?}");
    }
    assert!(encoding.decode_strict(b"\x81\x43").is_err());
}

#[test]
fn charmap_has_ranges_sequences_and_its_own_escape() {
    let encoding = load(
        "<code_set_name> TEST-EUC\n<comment_char> %\n<escape_char> /\n% alias X\nCHARMAP\n\
         <U0041>     /x41         LATIN CAPITAL LETTER A\n\
         <U4E00>..<U4E02> /xb0/xfd <CJK>\n\
         <U0042> /d066 LATIN CAPITAL LETTER B\n<U0043> /103\n\
         %IRREVERSIBLE%<U0061> /xc1 a\n\
         <U0BB8><U0BCD> /xc2\n% comment\nEND CHARMAP\n\nWIDTH\n<U4E00>...<U4E02> 2\nEND WIDTH\n",
    );
    assert_eq!(encoding.name(), "TEST-EUC");
    let text = "A\u{4E00}\u{4E01}\u{4E02}BC\u{BB8}\u{BCD}";
    let bytes = b"A\xB0\xFD\xB0\xFE\xB0\xFFBC\xC2";
    assert_eq!(encoding.decode_strict(bytes).unwrap(), text);
    assert_eq!(encoding.encode_strict(text).unwrap(), bytes.as_slice());
    assert_eq!(encoding.decode_strict(b"\xC1").unwrap(), "a");
    assert!(encoding.encode_strict("a").is_err());
}

#[test]
fn two_columns_are_codes_and_characters() {
    let encoding = load(
        "\u{FEFF}# Name: a table\r\n0x41\t0x0041\t# LATIN CAPITAL LETTER A\r\n0x80\t\t#UNDEFINED\r\n\
         0xA1 0x00A5\n0xA2 U+00A5\n0x8140 0x1F600\n0xC3 0x304B+0x309A\n0xC4 U+304D+309A\n\x1A",
    );
    assert_eq!(encoding.name(), "machine");
    let text = "A¥¥😀か\u{309A}き\u{309A}";
    assert_eq!(encoding.decode_strict(b"A\xA1\xA2\x81\x40\xC3\xC4").unwrap(), text);
    // The first code of a character is encoded.
    assert_eq!(encoding.encode_strict(text).unwrap(), b"A\xA1\xA1\x81\x40\xC3\xC4".as_slice());
    assert!(encoding.decode_strict(b"\x80").is_err());
}

#[test]
fn malformed_sequences_end_before_ascii() {
    let ascii: String = (0..128).map(|byte| format!("0x{byte:02X} 0x{byte:04X}\n")).collect();
    // A code of two characters does not change that ASCII is encoded as itself.
    let encoding = load(&(ascii + "0x8FA1A2 0x4E00\n0x81A1 0x4E01\n0x81A2 0x41+0x300\n"));
    let error = |bytes: &[u8]| match encoding.decode_strict(bytes).unwrap_err().event.kind {
        ErrorKind::Malformed { len, reason } => (reason, len),
        other => panic!("{other:?}"),
    };
    assert_eq!(error(b"a\xFFb"), (MalformedReason::InvalidLeadByte, 1));
    assert_eq!(error(b"a\x81\"b"), (MalformedReason::MissingTrailByte, 1));
    assert_eq!(error(b"a\x8F\xA1b"), (MalformedReason::MissingTrailByte, 2));
    assert_eq!(error(b"a\x8F\xA2b"), (MalformedReason::Unassigned, 2));
    assert_eq!(error(b"a\x8F\xA1"), (MalformedReason::Truncated, 2));
    assert_eq!(encoding.decode(b"\x81\"\x8F\xA1\xA2"), ("\u{FFFD}\"\u{4E00}".into(), true));
}

#[test]
fn runs_of_ascii_are_copied_between_other_codes() {
    let ascii: String = (0..128).map(|byte| format!("0x{byte:02X} 0x{byte:04X}\n")).collect();
    // Without codes of several characters, which would be looked for at each character.
    let encoding = load(&(ascii + "0x8FA1A2 0x4E00\n"));
    let labeled = || LabeledEncoding { encoding, options: EncodingOptions::default() };
    let (text, bytes) = ("abc\0\u{4E00}\u{4E00}d ef\n", b"abc\0\x8F\xA1\xA2\x8F\xA1\xA2d ef\n");
    assert_eq!(encode_in_every_way(labeled(), text), (bytes.to_vec(), vec![]));
    assert_eq!(decode_in_every_way(labeled(), bytes), (text.to_owned(), vec![]));
    assert_eq!(encode_in_every_way(labeled(), "aéb"), (b"ab".to_vec(), vec![(1, 'é')]));
}

#[test]
fn every_split_gives_the_same_result() {
    let encoding = load(
        "0x41 0x41\n0x8140 0x41+0x300\n0x8141 0x41+0x300+0x301\n0x82A0A1A2 0x1F600\n0x42 0x300\n0x0D 0x0D\n\
         0x0A 0x0A\n0x8130 0x42+0x43\n",
    );
    let labeled = || LabeledEncoding { encoding, options: EncodingOptions::default() };
    let text = "AA\u{300}A\u{300}\u{301}😀\u{300}BC\r\n";
    let bytes = b"A\x81\x40\x81\x41\x82\xA0\xA1\xA2B\x81\x30\r\n";
    assert_eq!(encode_in_every_way(labeled(), text), (bytes.to_vec(), vec![]));
    assert_eq!(decode_in_every_way(labeled(), bytes), (text.to_owned(), vec![]));
    // B is the start of a text only, and \u{301} the end of one.
    let encoded = encode_in_every_way(labeled(), "BA\u{301}B");
    assert_eq!(encoded, (b"A".to_vec(), vec![(0, 'B'), (2, '\u{301}'), (4, 'B')]));
    let decoded = decode_in_every_way(labeled(), b"\x81Z\x82\xA0\xA1A\x82\xA0");
    let errors = [
        (0, 2, MalformedReason::Unassigned),
        (2, 4, MalformedReason::Unassigned),
        (6, 2, MalformedReason::Truncated),
    ];
    assert_eq!(decoded, ("\u{FFFD}\u{FFFD}\u{FFFD}".to_owned(), errors.to_vec()));
}

#[test]
fn longest_code_is_decoded() {
    let encoding = load("0x1B 0xA0\n0x1B65 0x20AC\n0x1B6566 0x41\n0x66 0x66\n0x67 0x67\n");
    let labeled = LabeledEncoding { encoding, options: EncodingOptions::default() };
    let decoded = decode_in_every_way(labeled, b"\x1Bg\x1Be\x1Bef\x1Bee\x1B");
    let text = "\u{A0}g€A€\u{FFFD}\u{A0}";
    assert_eq!(decoded, (text.to_owned(), vec![(9, 1, MalformedReason::InvalidLeadByte)]));
}

#[test]
fn many_sequences_are_searched_in_logarithmic_time() {
    // Quadratic time would be minutes.
    let characters = ('\u{4E00}'..).zip(0x8000_0000_u32..).take(20_000);
    let lines = characters.map(|(it, code)| format!("0x{code:08X} 0x41+0x{:04X}\n", u32::from(it)));
    let encoding = load(&(lines.collect::<String>() + "0x41 0x41\n"));
    let text = "A".repeat(200_000);
    assert_eq!(encoding.encode_strict(&text).unwrap(), text.as_bytes());
}

#[test]
fn files_are_split_where_a_byte_is_a_line_feed() {
    let ascii: String = (0..128).map(|byte| format!("0x{byte:02X} 0x{byte:04X}\n")).collect();
    for (codes, points) in [
        ("", "after any byte"),
        ("0x81A1 0x4E00\n", "after 0A"),
        ("0x810A 0x4E00\n", "nowhere: no byte is always a line feed"),
    ] {
        let rule = load(&(ascii.clone() + codes)).split_rule();
        assert_eq!(rule.source.to_string(), points, "{codes}");
    }
    // A malformed sequence may end with the line feed.
    let rule = load("0x25 0x0A\n0x4141 0x4E00\n").split_rule();
    assert_eq!(rule.source.to_string(), "nowhere: no byte is always a line feed");
}

#[test]
fn errors_have_the_line_and_the_reason() {
    let charmap =
        |line: &str| format!("<code_set_name> X\nCHARMAP\n<U0041> \\x41\n{line}\nEND CHARMAP\n");
    for (file, line, part) in [
        (String::new(), 1, "no mappings"),
        ("0x80\n".into(), 1, "no mappings"),
        ("\x1F\u{8B}".into(), 1, "expected"),
        ("# x\n0x80 euro".into(), 2, "code point in hexadecimal"),
        ("0x80 0x110000".into(), 1, "code point"),
        ("0x80 0xD800".into(), 1, "code point"),
        ("0x80 +".into(), 1, "code point"),
        ("80 0x20AC".into(), 1, "bytes of a code in hexadecimal"),
        ("0x8 0x20AC".into(), 1, "bytes of a code in hexadecimal"),
        ("0x80 0x20AC 0x20".into(), 1, "expected a code and a character"),
        ("0x8081828384 0x20AC".into(), 1, "one to 4 bytes"),
        ("0x80 0x41+0x42+0x43+0x44+0x45".into(), 1, "one to 4 characters"),
        ("0x80 0x20AC\n0x81 0x41\n0x80 0x41".into(), 3, "another character in line 1"),
        (charmap("<A> \\x42"), 4, "name of a character"),
        (charmap("<U0042> /x42"), 4, "bytes of a code, as in \\x81\\xA4"),
        (charmap("<U0042> \\xFFF"), 4, "bytes of a code"),
        (charmap("<U0042> \\d256"), 4, "bytes of a code"),
        (charmap("<U0042>"), 4, "bytes of a code"),
        (charmap("<U0042>..<U0041> \\x42"), 4, "range of characters"),
        (charmap("<U0042>..<U0052> \\xF5"), 4, "above FF"),
        (charmap("<U0042>").replace("END CHARMAP\n", ""), 4, "bytes of a code"),
        (charmap("").replace("END CHARMAP\n", ""), 5, "END CHARMAP is missing"),
        (
            charmap("").replace("<code_set_name> X", "<code_set_name> \"\x07\""),
            1,
            "expected a name",
        ),
        (
            charmap("").replace("CHARMAP\n<", "<uconv_class> \"EBCDIC_STATEFUL\"\nCHARMAP\n<"),
            2,
            "shift states",
        ),
        // It is shown in messages.
        (charmap("").replace("CHARMAP\n<", "<escape_char> \u{1B}\nCHARMAP\n<"), 2, "punctuation"),
        (charmap("").replace("CHARMAP\n<", "<icu:base> \"ibm-1\"\nCHARMAP\n<"), 2, "extensions"),
    ] {
        let (found, reason) = error(file.as_bytes());
        assert!(found == line && reason.contains(part), "{file:?}: {found}: {reason}");
    }
    assert!(error(b"\x1F\x8B\x08").1.contains("gunzip"));
}

#[test]
fn any_bytes_are_a_mapping_or_an_error() {
    // Each prefix, and each with one byte replaced.
    for len in 0..UCM.len() {
        let mut file = UCM.as_bytes()[..len].to_vec();
        let _ = Encoding::from_mapping("x", &file);
        for byte in [0, b'<', b'>', b'.', b'\\', b'\n', 0xFF] {
            if let Some(last) = file.last_mut() {
                *last = byte;
            }
            let whole = [&file, &UCM.as_bytes()[len..]].concat();
            let _ = Encoding::from_mapping("x", &whole);
        }
    }
}
