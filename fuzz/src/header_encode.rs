//! Header lines that are written are ASCII, no line with a word is longer than 76 characters, and
//! they read as the text was.
//!
//! Input: one byte for the options, one for the field, two for the length of the text, then the
//! text.

use charpipe::{EncodingSpec, TranscodeOptions};

use super::conversion::{FuzzOutcome, run_options};
use super::params::FuzzInput;

const LABELS: &[&str] = &[
    "rfc2047",
    "rfc2047:encoding=b",
    "rfc2047:encoding=q",
    "rfc2047:iso-8859-1",
    "rfc2047:koi8-r",
    "rfc2047:iso-2022-jp",
    "rfc2047:gb18030",
    "rfc2047:utf-16",
    "rfc2047:utf-7",
];

/// Fronts of records: values alone, and fields of every kind.
const FIELD_PREFIXES: &[&str] =
    &["", "Subject: ", "From: ", "To:", "Received: ", "Comments: \r\n "];

/// Characters of a line with a word on it at the most (RFC 2047, section 2).
const MAX_LINE_LEN: usize = 76;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let label = bytes.choose(LABELS);
    let front = bytes.choose(FIELD_PREFIXES);
    let text = front.to_owned() + &String::from_utf8_lossy(&bytes.with_ascii_prefix());
    let encoding: EncodingSpec = label.parse().expect("a label");
    let written = encode(&encoding, &text, 1 << 16);
    assert!(written.out.is_ascii(), "{label}");
    if is_plain(&text) && !text.contains("=?") {
        assert_eq!(written.out, text.as_bytes(), "{label}: what is plain stays");
    }
    // The lookahead is examined again with each buffer, so long texts have larger buffers.
    let block = if text.len() < 500 { 1 + text.len() % 50 } else { text.len() / 10 };
    let small = encode(&encoding, &text, block);
    assert_eq!(small, written, "{label} in small blocks");
    if written.errors.is_empty() && !text.contains("=?") {
        check_line_lengths(&written.out);
    }
    if !text.contains(|c: char| c != '\t' && c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
    {
        check_round_trip(label, &text);
    }
}

/// Printable ASCII, blanks and line ends: no other control character, and no CR by itself.
fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
    text.replace("\r\n", "\n").bytes().all(plain)
}

fn encode(encoding: &EncodingSpec, text: &str, block: usize) -> FuzzOutcome {
    let mut options = TranscodeOptions::new(charpipe::UTF_8, encoding.clone());
    options.error_policy.unmappable = "skip".parse().expect("a word of the vocabulary");
    options.buffer_size = block;
    run_options(&options, text.as_bytes()).expect("no replacement is written")
}

fn check_line_lengths(written: &[u8]) {
    for line in written.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let has_word = line.windows(2).any(|two| two == b"=?");
        let shown = line.escape_ascii();
        assert!(!has_word || line.len() <= MAX_LINE_LEN, "{} characters: {shown}", line.len());
    }
}

/// The text of an unstructured field without control characters reads as it was, in both modes.
fn check_round_trip(label: &str, text: &str) {
    let text = format!("X: {text}");
    let written = encode(&label.parse().expect("a label"), &text, 1 << 16);
    assert_eq!(written.errors, [], "{label} can write all text");
    let unfolded = written.out.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n'));
    let unfolded: Vec<u8> = unfolded.collect();
    for from in ["rfc2047", "rfc2047:strict"] {
        let mut options =
            TranscodeOptions::new(from.parse::<EncodingSpec>().expect("a label"), charpipe::UTF_8);
        options.error_policy.malformed = "skip".parse().expect("a word of the vocabulary");
        let read = run_options(&options, &unfolded).expect("no replacement is written");
        assert_eq!(read.errors, [], "{label} {from}");
        let read = String::from_utf8_lossy(&read.out);
        assert_eq!(read, text, "{label} {from}: {}", written.out.escape_ascii());
    }
}
