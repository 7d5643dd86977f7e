//! Other mail libraries decode the output of charpipe. If they are not installed,
//! the test says so and asks nothing.

use std::io::Write;
use std::process::Stdio;

use crate::rfc2047_encode::reader::unfold;
use crate::rfc2047_encode::texts::{ANY, LATIN};
use crate::rfc2047_encode::walk::encode;
use charpipe_test_support::watch;
use charpipe_test_support::{XorShift, missing};

/// Reads headers that end with NUL, writes what they say in UTF-8 the same way: Python's
/// `email.header` as its manual has it, and its parser of whole messages.
const PYTHON: &str = r#"
import sys
from email import policy
from email.header import decode_header, make_header
from email.parser import BytesParser
for header in sys.stdin.buffer.read().decode("ascii").split("\0")[:-1]:
    text = str(make_header(decode_header(header)))
    parser = BytesParser(policy=policy.default)
    again = parser.parsebytes(b"Subject: " + header.encode() + b"\n\n")["subject"]
    assert text == again, (header, text, again)
    sys.stdout.buffer.write(text.encode() + b"\0")
"#;

/// The same with Perl's Encode.
const PERL: &str = r#"
use Encode;
binmode STDOUT, ":utf8";
local $/ = "\0";
while (<STDIN>) { chomp; print Encode::decode("MIME-Header", $_), "\0"; }
"#;

const LABELS: [(&str, &[&str]); 6] = [
    ("rfc2047", ANY),
    ("rfc2047:encoding=b", ANY),
    ("rfc2047:encoding=q", ANY),
    ("rfc2047:iso-8859-1", LATIN),
    ("rfc2047:utf-16", ANY),
    ("rfc2047:utf-7", ANY),
];

#[test]
fn pythons_email_reads_what_was_meant() {
    reads("python3", &["-c", PYTHON]);
}

#[test]
fn perls_encode_reads_what_was_meant() {
    reads("perl", &["-e", PERL]);
}

fn reads(program: &str, words: &[&str]) {
    let asked = watch::command(program).args(words).stdin(Stdio::null()).output();
    if !asked.is_ok_and(|run| run.status.success()) {
        return missing(&format!("{program} and its library of mail"));
    }
    let mut random = XorShift::new(0x2045);
    let (mut texts, mut headers) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        for (label, pieces) in LABELS {
            // Decoders trim leading white space, and some controls.
            let text = format!("x {}", random.text(40, pieces)).replace(is_ascii_control, "");
            headers.push(unfold(&encode(label, &text)) + "\0");
            texts.push(text);
        }
    }
    let mut child = watch::command(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let all = headers.concat();
    let writer = std::thread::spawn(move || input.write_all(all.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let read = String::from_utf8(output.stdout).unwrap();
    let read: Vec<_> = read.split_terminator('\0').collect();
    assert_eq!(read.len(), texts.len());
    for ((read, text), header) in read.iter().zip(&texts).zip(&headers) {
        assert_eq!(read, text, "{program} {header}");
    }
}

fn is_ascii_control(character: char) -> bool {
    character.is_ascii_control() && character != '\t'
}
