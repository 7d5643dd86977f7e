//! Labels of databases, editors and languages: each resolves to what the program means, or is
//! refused with a reason.

use charpipe::EncodingSpec;
use charpipe::internals::encoding::{LookupError, for_label, lookup_label};
use charpipe::transcode;

/// The names and aliases of the text codecs of CPython 3.11.
const PYTHON_CODECS: &str = include_str!("../../data/names/python-3.11.txt");

fn assert_all_resolve(labels: &[(&str, &str)]) {
    for (label, name) in labels {
        assert_eq!(for_label(label).map(|found| found.name()), Some(*name), "{label}");
    }
}

#[test]
fn bare_numbers_are_windows_code_pages() {
    assert_all_resolve(&[
        ("65001", "UTF-8"),
        ("65000", "UTF-7"),
        ("1200", "UTF-16LE"),
        ("1201", "UTF-16BE"),
        ("12000", "UTF-32LE"),
        ("12001", "UTF-32BE"),
        ("20127", "US-ASCII"),
        ("28591", "ISO-8859-1"),
        ("28605", "ISO-8859-15"),
        ("20866", "KOI8-R"),
        ("21866", "KOI8-U"),
        ("10000", "whatwg:macintosh"),
        ("10007", "whatwg:x-mac-cyrillic"),
        ("20932", "EUC-JP-MS"),
        ("50220", "whatwg:ISO-2022-JP"),
        ("50221", "ISO-2022-JP-MS"),
        ("51932", "whatwg:EUC-JP"),
        ("51949", "EUC-KR"),
        ("52936", "HZ"),
        ("54936", "GB18030"),
        ("720", "cp720"),
        ("1252", "CP1252"),
        ("1361", "JOHAB"),
    ]);
}

#[test]
fn names_of_databases_resolve() {
    assert_all_resolve(&[
        ("utf8mb4", "UTF-8"),
        ("utf8mb3", "UTF-8"),
        ("latin1", "ISO-8859-1"),
        ("eucjpms", "EUC-JP-MS"),
        ("ujis", "EUC-JP"),
        ("dec8", "DEC-MCS"),
        ("hp8", "HP-ROMAN8"),
        ("WIN1251", "CP1251"),
        ("WIN866", "IBM866"),
        ("KOI8R", "KOI8-R"),
        ("LATIN10", "ISO-8859-16"),
        ("AL32UTF8", "UTF-8"),
        ("AL16UTF16", "UTF-16BE"),
        ("AL16UTF16LE", "UTF-16LE"),
        ("WE8ISO8859P1", "ISO-8859-1"),
        ("WE8MSWIN1252", "CP1252"),
        ("CL8MSWIN1251", "CP1251"),
        ("JA16SJISTILDE", "CP932"),
        ("JA16EUCTILDE", "EUC-JP-MS"),
        ("ZHS16GBK", "CP936"),
        ("KO16MSWIN949", "UHC"),
        ("US7ASCII", "US-ASCII"),
        ("WE8EBCDIC1047", "IBM1047"),
        ("TH8TISASCII", "TIS-620"),
    ]);
}

#[test]
fn names_of_editors_resolve() {
    assert_all_resolve(&[
        ("utf-8-unix", "UTF-8"),
        ("latin-1-unix", "ISO-8859-1"),
        ("UTF-8-UNIX", "UTF-8"),
        ("iso-latin-2", "ISO-8859-2"),
        ("prefer-utf-8", "UTF-8"),
        ("utf-8-with-signature-unix", "UTF-8-SIG"),
        ("8bit-cp437", "IBM437"),
        ("2byte-euc-jp", "EUC-JP"),
        ("ucs-2le", "UCS-2LE"),
    ]);
    for label in ["utf-5-unixx", "-unix", "8bit-", "8bit-8bit-cp437", "no-such-unix"] {
        assert!(for_label(label).is_none(), "{label}");
    }
}

#[test]
fn labels_with_a_byte_order_mark_consume_and_write_one() {
    for (label, text, bytes) in [
        ("utf-8-sig", "a", &b"\xEF\xBB\xBFa"[..]),
        ("UTF-8-BOM", "é", b"\xEF\xBB\xBF\xC3\xA9"),
        ("utf-8-with-signature", "a", b"\xEF\xBB\xBFa"),
        ("UTF-16LE-BOM", "a", b"\xFF\xFEa\0"),
        ("utf-16le-with-signature", "a", b"\xFF\xFEa\0"),
        ("UTF-16BE-BOM", "a", b"\xFE\xFF\0a"),
        ("utf-16be-with-signature", "a", b"\xFE\xFF\0a"),
        ("UTF-32BE-BOM", "a", b"\0\0\xFE\xFF\0\0\0a"),
        ("UTF-32LE-BOM", "a", b"\xFF\xFE\0\0a\0\0\0"),
        ("utf-8-sig", "", b""),
    ] {
        assert_eq!(transcode("utf-8", label, text.as_bytes()).unwrap(), bytes, "to {label}");
        assert_eq!(transcode(label, "utf-8", bytes).unwrap(), text.as_bytes(), "from {label}");
    }
    assert_eq!(transcode("utf-8-sig", "utf-8", b"no mark").unwrap(), b"no mark");
    assert_eq!(transcode("utf-8-sig", "latin1", b"\xEF\xBB\xBF\xC3\xA9").unwrap(), b"\xE9");
    let twice = b"\xEF\xBB\xBF\xEF\xBB\xBFa";
    assert_eq!(transcode("utf-8-sig", "utf-8", twice).unwrap(), twice[3..]);
}

#[test]
fn line_endings_in_a_label_are_rejected_with_a_hint() {
    for label in ["utf-8-dos", "latin-1-mac", "UTF-16LE-DOS"] {
        let error = label.parse::<EncodingSpec>().unwrap_err().to_string();
        assert!(error.contains("instead of -dos write /crlf"), "{label}: {error}");
    }
    assert_eq!(lookup_label("no-such-dos"), Err(LookupError::Unknown));
}

#[test]
fn python_codecs_resolve_or_are_rejected_with_a_reason() {
    let mut refused = Vec::new();
    for label in PYTHON_CODECS.lines() {
        match lookup_label(label) {
            Ok(_) => {}
            Err(LookupError::Unsupported(reason)) => {
                assert!(!reason.is_empty());
                refused.push(label);
            }
            Err(why) => panic!("{label}: {why:?}"),
        }
    }
    let expected = "ansi charmap dbcs idna jisx0213 mbcs oem punycode raw_unicode_escape s_jis_2004 \
                    sjis_2004 undefined unicode_escape";
    assert_eq!(refused.join(" "), expected);
}

#[test]
fn python_mac_names_have_python_tables() {
    for (label, byte, text) in [
        ("mac_roman", 0xDB, "€"),
        ("mac_iceland", 0xDB, "€"),
        ("mac_greek", 0x9C, "€"),
        ("mac_croatian", 0xDB, "€"),
        ("mac_turkish", 0xF0, "\u{F8FF}"),
        ("mac_romanian", 0xAF, "Ș"),
        ("mac_cyrillic", 0xFF, "€"),
        ("mac_arabic", 0xA0, " "),
        ("mac_farsi", 0xB0, "۰"),
        ("MacRoman", 0xDB, "¤"),
        ("MacIceland", 0xD7, "◊"),
        ("libiconv:MacUkraine", 0xA2, "Ґ"),
        ("MacUkraine", 0xA2, "Ґ"),
        ("MS874", 0x80, "€"),
        ("x-windows-874", 0x80, "€"),
        ("cp720", 0x1A, "\u{1A}"),
        ("cp720", 0x80, "\u{80}"),
    ] {
        assert_eq!(transcode(label, "utf-8", &[byte]).unwrap(), text.as_bytes(), "{label}");
    }
    assert_eq!(transcode("ibm-971", "utf-8", b"\xB0\xA1").unwrap(), "가".as_bytes());
}
