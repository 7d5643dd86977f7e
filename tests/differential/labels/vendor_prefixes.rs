//! Names as browsers, the GNU C library and GNU libiconv mean them, and names in mail.

use std::collections::BTreeMap;

use charpipe::EncodingSpec;
use charpipe::internals::encoding::{ALL, alias, for_label, for_mime_label};

/// The labels of the Encoding Standard and what each names, as encoding_rs has them.
const WHATWG_LABELS: &str = include_str!("../../../crates/encoding/src/encoding/vendor/whatwg.tsv");

/// Labels with another meaning in one of the libraries, and that meaning.
const DIFFERING_LABELS: &str =
    include_str!("../../../crates/encoding/src/encoding/vendor/overrides.tsv");

/// The encoding that has exactly this name.
fn encoding_of(label: &str) -> Option<&'static str> {
    alias::all().find(|it| it.name().eq_ignore_ascii_case(label)).map(|it| it.encoding)
}

/// The replacement of an encoding whose table is not registered: the first registered one.
fn resolves_to(encoding: &str) -> Option<&'static str> {
    let own = format!("whatwg:{encoding}");
    let plain = match encoding {
        "Big5" => "BIG5HKSCS",
        "EUC-KR" => "UHC",
        "GBK" => "GB18030",
        "ISO-8859-8-I" => "ISO-8859-8",
        "Shift_JIS" => "CP932",
        "replacement" => "",
        same => encoding_of(same).unwrap(),
    };
    let there = |wanted: &str| {
        let same = |name: &&str| name.eq_ignore_ascii_case(wanted);
        ALL.iter().map(|registered| registered.name()).find(same)
    };
    there(&own).or_else(|| there(plain))
}

#[test]
fn encoding_standard_labels_resolve() {
    let mut count = 0;
    for line in WHATWG_LABELS.lines() {
        let mut fields = line.split('\t');
        let (label, encoding) = (fields.next().unwrap(), fields.next().unwrap());
        let expected = resolves_to(encoding);
        for label in [label.to_owned(), label.to_uppercase(), format!(" {label}\t")] {
            let found = for_label(&format!("whatwg:{label}")).map(|found| found.name());
            assert_eq!(found, expected, "{label:?}");
        }
        count += 1;
    }
    assert_eq!(count, 228);
}

#[test]
fn browser_labels_differ_from_iconv() {
    for (label, encoding) in [
        ("latin1", "windows-1252"),
        ("ascii", "windows-1252"),
        ("iso-8859-9", "windows-1254"),
        ("iso-8859-11", "windows-874"),
        ("gb2312", "GBK"),
        ("gb_2312-80", "GBK"),
        ("ks_c_5601-1987", "EUC-KR"),
        ("ms932", "Shift_JIS"),
        ("utf-16", "UTF-16LE"),
        ("unicode-1-1-utf-8", "UTF-8"),
    ] {
        let found = for_label(&format!("whatwg:{label}")).map(|found| found.name());
        assert_eq!(found, resolves_to(encoding), "{label}");
    }
    for label in ["utf-7", "cp437", "glibc:utf-8", "no-such-label", ""] {
        assert!(for_label(&format!("whatwg:{label}")).is_none(), "{label}");
    }
}

#[test]
fn vendor_prefix_accepts_only_names_of_that_vendor() {
    for (prefix, user) in [("glibc:", alias::GLIBC), ("libiconv:", alias::LIBICONV)] {
        // The encodings of this vendor, by the plain ones that they replace.
        let mut own_encodings = BTreeMap::new();
        for own in ALL.iter().map(|encoding| encoding.name()) {
            if let Some(encoding) = own.strip_prefix(prefix).and_then(encoding_of) {
                own_encodings.entry(encoding).or_insert(own);
            }
        }
        for known in alias::all() {
            let label = format!("{prefix}{}", known.name());
            let plain = ALL.iter().find(|encoding| encoding.name() == known.encoding);
            if known.sources & user != 0 {
                let found = for_label(&label).map(|found| found.name());
                let own = own_encodings.get(known.encoding).copied();
                let differs = DIFFERING_LABELS.lines().filter_map(|line| line.split_once('\t'));
                let mut differs = differs.filter(|(known, _)| known.eq_ignore_ascii_case(&label));
                let expected = differs.next().map(|(_, encoding)| encoding).or(own);
                assert_eq!(found, expected.or(plain.map(|it| it.name())), "{label}");
            }
        }
    }
    for label in ["glibc:utf-5", "libiconv:ibm-1208", "glibc:latin-1x", "libiconv:", "glibc:C99"] {
        assert!(for_label(label).is_none(), "{label}");
    }
}

#[test]
fn prefixes_years_and_options_can_be_combined() {
    for (label, printed) in [
        ("ISO_8859-1:1987", "ISO-8859-1"),
        ("glibc:ISO_8859-1:1987", "ISO-8859-1"),
        ("UTF-7:close=always", "UTF-7:close=always"),
        ("glibc:UTF-7:close=always", "UTF-7:close=always"),
        ("libiconv:utf-7:close=always,optional=direct", "UTF-7:close=always,optional=direct"),
        ("whatwg:utf8", "UTF-8"),
        ("ISO_646.IRV:1991", "US-ASCII"),
        ("10646-1:1993/UCS4/", "UCS-4"),
        ("ISO-10646/UTF8/", "UTF-8"),
        ("utf-8/", "UTF-8"),
    ] {
        let encoding: EncodingSpec = label.parse().unwrap();
        assert_eq!(encoding.to_string(), printed, "{label}");
    }
    for (label, message) in [
        ("whatwg:utf-7", "unknown encoding \"whatwg:utf-7\""),
        ("whatwg:utf-7:close=always", "unknown encoding \"whatwg:utf-7:close=always\""),
        ("nosuchname:close=always", "unknown encoding \"nosuchname\""),
    ] {
        let error = label.parse::<EncodingSpec>().unwrap_err();
        assert_eq!(error.to_string(), message, "{label}");
    }
    assert!("utf-8:2004".parse::<EncodingSpec>().is_err());
}

#[test]
fn encodings_with_a_year_are_distinct() {
    for name in ["BIG5-HKSCS:2004", "GB18030:2005", "BIG5-HKSCS:1999"] {
        if ALL.iter().any(|registered| registered.name() == name) {
            let encoding: EncodingSpec = name.to_lowercase().parse().unwrap();
            assert_eq!(encoding.encoding.name(), name);
        }
    }
}

#[test]
fn mail_labels_are_matched_leniently() {
    for (label, encoding) in [
        ("utf8", "UTF-8"),
        ("UTF 8", "UTF-8"),
        ("koi8_r", "KOI8-R"),
        ("koi8r", "KOI8-R"),
        ("ks_c_5601-1987", "EUC-KR"),
        ("x-sjis", "Shift_JIS"),
        ("cp1250", "windows-1250"),
        ("CP-1252", "windows-1252"),
        ("windows1252", "windows-1252"),
        ("gb_2312-80", "GBK"),
        ("x-gbk", "GBK"),
        ("iso8859-1", "windows-1252"),
        ("iso-8859-1", "windows-1252"),
        ("big5-hkscs", "Big5"),
        ("euckr", "EUC-KR"),
        ("ms936", "GBK"),
        ("cp936", "GBK"),
        ("windows-936", "GBK"),
        ("gbk", "GBK"),
        ("gb2312", "GBK"),
        ("euc-cn", "GBK"),
        ("csgb2312", "GBK"),
        ("iso-ir-58", "GBK"),
        ("ms932", "Shift_JIS"),
        ("cp932", "Shift_JIS"),
        ("windows-932", "Shift_JIS"),
        ("windows-31j", "Shift_JIS"),
        ("cp949", "EUC-KR"),
        ("ms949", "EUC-KR"),
        ("uhc", "EUC-KR"),
        ("windows-949", "EUC-KR"),
        ("csbig5", "Big5"),
        ("819", "windows-1252"),
        ("8859_1", "windows-1252"),
        ("ansi_x3.4-1968", "windows-1252"),
        ("8859_9", "windows-1254"),
    ] {
        let expected = resolves_to(encoding).or_else(|| for_label(label).map(|found| found.name()));
        assert_eq!(for_mime_label(label).map(|found| found.name()), expected, "{label}");
    }
    for (label, registered) in [
        ("cp-850", "IBM850"),
        ("cp950", "CP950"),
        ("ms950", "CP950"),
        ("x-windows-950", "CP950"),
        ("johab", "JOHAB"),
        ("utf-16", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("iso-2022-cn", "ISO-2022-CN"),
        ("iso-2022-kr", "ISO-2022-KR"),
        ("hz-gb-2312", "HZ"),
        ("utf-7", "UTF-7"),
        ("unicode-1-1-utf-7", "UTF-7"),
    ] {
        let there = ALL.iter().find(|known| known.name() == registered).map(|known| known.name());
        assert_eq!(for_mime_label(label).map(|found| found.name()), there, "{label}");
    }
}

#[test]
fn non_mail_encodings_are_not_found_as_mail_labels() {
    let long = "utf8".repeat(1000);
    for label in [
        "utf-5",
        "mutf-8",
        "java",
        "c99",
        "rfc2047",
        "whatwg:utf8",
        "glibc:utf8",
        "utf-7:close=always",
        "replacement",
        "",
        "utf-8\0x",
        "\u{212A}oi8-r",
        &long,
    ] {
        assert!(for_mime_label(label).is_none(), "{label:?}");
    }
}
