//! Parameters of header fields by RFC 2231, both ways.

use std::fmt::Write as _;

use charpipe::{ErrorEvent, ErrorReporter, TranscodeOptions};

use crate::transform::tools::run;
use charpipe_test_support::{Requirement, XorShift, require};

const DECODED: (&str, &str) = ("rfc2047:rfc2231", "utf-8");
const ENCODED: (&str, &str) = ("utf-8", "rfc2047:rfc2231");

#[derive(Default)]
struct Offsets(Vec<(u64, u64, u64)>);

impl ErrorReporter for Offsets {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        let position = error.position.expect("it is wanted");
        self.0.push((position.offset, position.line, position.column));
    }
}

/// Converts with buffers of every small size, and with a large one. Returns the text, and the offset,
/// line and column of each error.
fn convert_with_errors((from, to): (&str, &str), input: &[u8]) -> (String, Vec<(u64, u64, u64)>) {
    let convert = |size: usize| {
        let options = TranscodeOptions::from_labels(from, to).expect("labels").buffer_size(size);
        let mut transcoder = options.build().expect("valid options");
        let (mut out, mut errors) = (Vec::new(), Offsets::default());
        transcoder.process_reader(&mut &*input, &mut out, &mut errors).expect("no errors stop it");
        transcoder.finish_input(&mut out, &mut errors).expect("no errors stop it");
        transcoder.finish(&mut out, &mut errors).expect("no errors stop it");
        (String::from_utf8(out).expect("UTF-8"), errors.0)
    };
    let whole = convert(1 << 16);
    for size in [1, 2, 3, 7, 16] {
        assert_eq!(convert(size), whole, "{size}: {}", input.escape_ascii());
    }
    whole
}

fn convert(encodings: (&str, &str), input: &str) -> String {
    let (text, errors) = convert_with_errors(encodings, input.as_bytes());
    assert_eq!(errors, [], "{input:?}");
    text
}

#[test]
fn examples_of_the_rfc_are_decoded() {
    // Sections 3, 4 and 4.1.
    for (field, expected) in [
        (
            "Content-Type: message/external-body; access-type=URL;\n URL*0=\"ftp://\";\n \
             URL*1=\"cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar\"\n",
            "Content-Type: message/external-body; access-type=URL;\n \
             URL=\"ftp://cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar\"\n",
        ),
        (
            "Content-Type: application/x-stuff;\n \
             title*=us-ascii'en-us'This%20is%20%2A%2A%2Afun%2A%2A%2A\n",
            "Content-Type: application/x-stuff;\n title=\"This is ***fun***\"\n",
        ),
        (
            "Content-Type: application/x-stuff\n ;title*0*=us-ascii'en'This%20is%20even%20more%20\n \
             ;title*1*=%2A%2A%2Afun%2A%2A%2A%20\n ;title*2=\"isn't it!\"\n",
            "Content-Type: application/x-stuff\n ;title=\"This is even more ***fun*** isn't it!\"\n",
        ),
    ] {
        assert_eq!(convert(DECODED, field), expected);
    }
}

#[test]
fn values_are_decoded_in_their_encoding() {
    for (parameters, expected) in [
        ("a*=utf-8''caf%C3%A9", "a=\"café\""),
        ("a*=UTF-8'fr'caf%c3%a9; b=c", "a=\"café\"; b=c"),
        ("a*=iso-8859-1''%E9", "a=\"é\""),
        ("a*=iso-2022-jp''%1B$B$%22%1B(B", "a=\"あ\""),
        ("a*=''%C3%A9", "a=\"é\""),
        ("A*0*=utf-8''%C3;a*1*=%A9", "A=\"é\""),
        ("a*0*=utf-8''%C3%A9; a*1=%41; a*2*=%41", "a=\"é%41A\""),
        ("a*0=b;a*1=\"c d\"", "a=\"bc d\""),
        ("a*0=\"b\\\"\";a*1=c\\", "a=\"b\\\"c\\\\\""),
        ("a*=utf-8''%22%5C", "a=\"\\\"\\\\\""),
        ("a*=utf-8''%4", "a=\"%4\""),
        ("a*=utf-8''%G1%", "a=\"%G1%\""),
        ("a*=utf-8''", "a=\"\""),
        ("a*=utf-8''_=?x?=", "a=\"_=?x?=\""),
        ("a=\"=?utf-8?Q?=C3=A9?=\"", "a=\"é\""),
    ] {
        for name in ["Content-Disposition", "content-type"] {
            let field = format!("{name}: x; {parameters}\n");
            assert_eq!(convert(DECODED, &field), format!("{name}: x; {expected}\n"));
            let strict = ("rfc2047:rfc2231,strict", "utf-8");
            assert_eq!(convert(strict, &field), format!("{name}: x; {expected}\n"));
        }
    }
}

#[test]
fn everything_else_remains() {
    for text in [
        "Subject: x; a*=utf-8''%C3%A9\n",
        "Content-Type: x; a*=nonsense''%C3%A9\n",
        "Content-Type: x; a*1*=utf-8''b; a*0*=c\n",
        "Content-Type: x; a*0=b; a*2=c\n",
        "Content-Type: x; a*0=b; a*1*=%41\n",
        "Content-Type: x; a*=b\n",
        "Content-Type: x; a*=b'c\n",
        "Content-Type: x; a*00=b; a*x=c; a**=d; *=e\n",
        "Content-Type: x; a=\"; b*=utf-8''%41\"; c (; d*=utf-8''%41)\n",
        "Content-Type: x; a*0=\"b\n",
        "Content-Type: x; a=b;\n\nc*=utf-8''%41\n",
        "Content-Type-X: x; a*=utf-8''%41\n",
        "Content-Type",
    ] {
        assert_eq!(convert(DECODED, text), text);
    }
    let long = format!("Content-Type: x; a*=utf-8''{}; b*=utf-8''%41\n", "b".repeat(4100));
    assert!(convert(DECODED, &long) == long.replace("b*=utf-8''%41", "b=\"A\""));
    // Without the option.
    let field = "Content-Type: x; a*=utf-8''%C3%A9\n";
    assert_eq!(convert(("rfc2047", "utf-8"), field), field);
    assert_eq!(convert(("utf-8", "rfc2047"), field), field);
}

#[test]
fn errors_have_the_position_of_their_bytes() {
    let field = b"Subject: a\nContent-Type: x;\n a*0*=utf-8''b%FFc;\n a*1*=%C3\n";
    let (text, errors) = convert_with_errors(DECODED, field);
    assert_eq!(text, "Subject: a\nContent-Type: x;\n a=\"b\u{FFFD}c\u{FFFD}\"\n");
    let offset = |part: &[u8]| field.windows(part.len()).position(|at| at == part).expect("in it");
    let (first, second) = (offset(b"%FF") as u64, offset(b"%C3") as u64);
    assert_eq!(errors, [(first, 3, 15), (second, 4, 7)]);
}

#[test]
fn values_that_are_not_ascii_are_encoded() {
    for (field, expected) in [
        ("Content-Disposition: x; a=\"é\"\n", "Content-Disposition: x; a*=UTF-8''%C3%A9\n"),
        ("Content-Type: x; a=é; b=c\n", "Content-Type: x; a*=UTF-8''%C3%A9; b=c\n"),
        (
            "Content-Type: x;\n a=\"é \\\"\\\\*'%\"\n",
            "Content-Type: x;\n a*=UTF-8''%C3%A9%20%22%5C%2A%27%25\n",
        ),
        ("Content-Type: x; a=\"b c\"; d=\"e\\\\\"\n", "Content-Type: x; a=\"b c\"; d=\"e\\\\\"\n"),
        ("Content-Type: x; a=\"é\n b\"\n", "Content-Type: x; a*=UTF-8''%C3%A9%20b\n"),
        ("Content-Type: x; a*=UTF-8''%C3%A9\n", "Content-Type: x; a*=UTF-8''%C3%A9\n"),
        ("Subject: x; a=\"é\"\n", "Subject: x; =?UTF-8?B?YT0iw6ki?=\n"),
    ] {
        assert_eq!(convert(ENCODED, field), expected);
    }
}

#[test]
fn long_values_are_divided_into_lines() {
    for newline in ["\n", "\r\n"] {
        let value = "é".repeat(30);
        let field = format!("Content-Disposition: attachment; filename=\"{value}\"{newline}");
        let encoded = convert(ENCODED, &field);
        assert!(
            encoded.starts_with(&format!("Content-Disposition: attachment;{newline} filename*0*="))
        );
        assert!(encoded.split(newline).all(|line| line.len() <= 76 && !line.contains('\n')));
        assert_eq!(encoded.matches(newline).count(), 5);
        let folded =
            format!("Content-Disposition: attachment;{newline} filename=\"{value}\"{newline}");
        assert_eq!(convert(DECODED, &encoded), folded);
    }
}

#[test]
fn values_that_are_too_long_are_reported() {
    for (quote, position) in [("\"", "1:3021: byte 3020"), ("", "1:3020: byte 3019")] {
        let field = format!("Content-Type: x; a={quote}{}é{quote}\n", "b".repeat(3000));
        let options = TranscodeOptions::from_labels(ENCODED.0, ENCODED.1).expect("labels");
        let error = options.transcode(field.as_bytes()).expect_err("it cannot be encoded");
        let expected = format!("{position}: U+00E9 is not allowed");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

/// Returns a value of random characters.
fn value(random: &mut XorShift, max: usize) -> String {
    let characters: Vec<char> = "abc019 ._-%*'\"\\();=?é日😀\u{A0}".chars().collect();
    (0..random.below(max + 1)).map(|_| characters[random.below(characters.len())]).collect()
}

/// Writes a value as a quoted-string.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[test]
fn random_values_come_back() {
    let mut random = XorShift::new(0x5DEE_CE66_D1CE_4E5B);
    for _ in 0..300 {
        let (first, second) = (value(&mut random, 60), value(&mut random, 10));
        let field =
            format!("Content-Disposition: x; a={}; b={}\n", quoted(&first), quoted(&second));
        let encoded = convert(ENCODED, &field);
        assert!(encoded.is_ascii());
        let unfolded = convert(DECODED, &encoded).replace(";\n ", "; ");
        assert_eq!(unfolded, field, "{encoded}");
    }
}

#[test]
fn values_in_random_parts_are_decoded() {
    let mut random = XorShift::new(0x2545_F491_4F6C_DD1D);
    for _ in 0..300 {
        let value = value(&mut random, 30);
        let (mut field, mut number, mut at) = ("Content-Type: x".to_owned(), 0, 0);
        let bytes = value.as_bytes();
        let newline = if random.below(2) == 0 { "\n" } else { "\r\n" };
        while at < bytes.len() || number == 0 {
            let part = &bytes[at..(at + random.below(8)).min(bytes.len())];
            let space = ["", " ", "\n ", "\n\t"][random.below(4)].replace('\n', newline);
            write!(field, "{}; {space}a*{number}*=", &space).expect("a string");
            field += if number == 0 { "utf-8'x'" } else { "" };
            for byte in part {
                match byte.is_ascii_alphanumeric() && random.below(2) == 0 {
                    true => field.push(char::from(*byte)),
                    false => write!(field, "%{byte:02x}").expect("a string"),
                }
            }
            at += part.len();
            number += 1;
        }
        let decoded = convert(DECODED, &format!("{field}{newline}"));
        let (_, after) = decoded.split_once("a=").expect("a parameter");
        assert_eq!(after, format!("{}{newline}", quoted(&value)), "{field:?}");
    }
}

#[test]
fn python_reads_and_writes_the_same_values() {
    if !require(Requirement::Program("python3")) {
        return;
    }
    let mut random = XorShift::new(0x9E37_79B9_7F4A_7C15);
    let values: Vec<String> = (0..100).map(|_| value(&mut random, 40) + "é").collect();
    let messages = values.iter().map(|value| {
        let field = format!("Content-Disposition: x; filename={}\n\n", quoted(value));
        convert(ENCODED, &field)
    });
    // Messages and values are separated by NUL.
    let messages = messages.collect::<Vec<_>>().join("\0");
    let code = "import sys, email, email.utils\nfor message in sys.stdin.buffer.read().split(b'\\0'):\n  \
                name = email.message_from_bytes(message).get_param('filename', header='content-disposition')\n  \
                name = email.utils.collapse_rfc2231_value(name)\n  \
                sys.stdout.buffer.write(name.encode() + b'\\0')";
    let read = run("python3", &["-IS", "-c", code], messages.as_bytes()).expect("python runs");
    assert_eq!(String::from_utf8(read).expect("UTF-8"), values.join("\0") + "\0");

    let code = "import sys, email.message\nfor value in sys.stdin.buffer.read().decode().split('\\0'):\n  \
                message = email.message.Message()\n  \
                message.add_header('Content-Disposition', 'x', filename=('utf-8', '', value))\n  \
                sys.stdout.buffer.write(message.as_bytes() + b'\\0')";
    let written = run("python3", &["-IS", "-c", code], values.join("\0").as_bytes());
    let written = String::from_utf8(written.expect("python runs")).expect("UTF-8");
    for (message, value) in written.split_terminator('\0').zip(&values) {
        let decoded = convert(DECODED, message);
        let (_, after) = decoded.split_once("filename=").expect("a parameter");
        assert_eq!(after, format!("{}\n\n", quoted(value)), "{message:?}");
    }
}
