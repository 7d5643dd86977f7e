//! Encoded text decodes to itself, in both modes.

use charpipe::TranscodeOptions;
use charpipe::{TranscodeWriter, transcode};
use proptest::prelude::*;
use std::io::Write;

use crate::rfc2047_encode::reader::unfold;
use crate::rfc2047_encode::texts::{ANY, LATIN};
use crate::rfc2047_encode::walk::encode;
use charpipe_test_support::XorShift;

const LABELS: [&str; 8] = [
    "rfc2047",
    "rfc2047:encoding=b",
    "rfc2047:encoding=q",
    "rfc2047:iso-8859-1",
    "rfc2047:koi8-r",
    "rfc2047:iso-2022-jp",
    "rfc2047:gb18030",
    "rfc2047:utf-16",
];

/// The text of a header, and how many errors it has.
fn decode(from: &str, header: &str) -> (String, u64) {
    let options = TranscodeOptions::from_labels(from, "utf-8").unwrap();
    let mut writer = TranscodeWriter::new(Vec::new(), &options).unwrap();
    writer.write_all(header.as_bytes()).unwrap();
    writer.try_finish().unwrap();
    let tally = writer.error_counts();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    (text, tally.passed_through + tally.replaced + tally.skipped)
}

/// The text of an unstructured field comes back, except for control characters, which are errors in
/// encoded-words.
fn comes_back(text: &str) {
    let is_control = |c: char| c != '\t' && c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let text = format!("X: {}", text.replace(is_control, ""));
    for label in LABELS {
        let written = encode(label, &text);
        for from in ["rfc2047", "rfc2047:strict"] {
            let read = decode(from, &unfold(&written));
            assert_eq!(read, (text.clone(), 0), "{label} {from}\n{written}");
        }
    }
}

#[test]
fn what_headers_are_made_of_comes_back() {
    let mut random = XorShift::new(0x2231);
    for _ in 0..100 {
        for pieces in [ANY, LATIN] {
            comes_back(&random.text(40, pieces));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_text_without_line_ends_and_nul_comes_back(text in "[^\r\n\0]{0,200}") {
        comes_back(&text);
    }
}

#[test]
fn a_value_without_field_name_comes_back() {
    let text = "Grüße – 挨拶 =?utf-8?q?x?=";
    let written = transcode("utf-8", "rfc2047", text.as_bytes()).unwrap();
    assert_eq!(transcode("rfc2047", "utf-8", &written).unwrap(), text.as_bytes());
}
