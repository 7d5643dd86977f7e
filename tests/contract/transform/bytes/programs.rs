//! Comparison with other programs, as far as they are installed.

use super::random::plain;
use crate::codec_driver::Transcript;
use crate::transform::driver::{Direction, convert};
use crate::transform::tools::run;
use charpipe_test_support::{Requirement, XorShift, require};

/// The number of inputs for each command.
const INPUTS: usize = 7;

/// The size of the largest inputs.
const LARGE: usize = 100_000;

fn inputs() -> impl Iterator<Item = Vec<u8>> {
    let mut random = XorShift::new(0xDEAD_BEEF_CAFE_F00D);
    let mut fixed = vec![Vec::new(), b"a".to_vec(), vec![0; 57], vec![0xFF; 58]];
    fixed.extend((4..INPUTS).map(|index| {
        let max = if index % 4 == 0 { LARGE } else { 500 };
        plain(&mut random, max)
    }));
    fixed.into_iter()
}

fn shown(input: &[u8]) -> String {
    input[..input.len().min(300)].escape_ascii().to_string()
}

fn transformed(label: &str, direction: Direction, input: &[u8]) -> Vec<u8> {
    let Transcript { out, errors } = convert(label, direction, input);
    assert_eq!(errors, [], "{label} {direction:?}: b\"{}\"", shown(input));
    out
}

/// Compares what the encoder writes with what a program writes, and decodes that.
fn compare_encoder(label: &str, program: &str, args: &[&str]) {
    for input in inputs() {
        let Some(expected) = run(program, args, &input) else { continue };
        let out = transformed(label, Direction::Encode, &input);
        assert!(out == expected, "{label}, {program} {args:?}: b\"{}\"", shown(&input));
        let back = transformed(label, Direction::Decode, &expected);
        assert!(back == input, "{label}, {program} {args:?}: b\"{}\"", shown(&expected));
    }
}

/// Checks that a program decodes what the encoder writes.
fn check_encoder(label: &str, program: &str, args: &[&str]) {
    for input in inputs() {
        let out = transformed(label, Direction::Encode, &input);
        let Some(back) = run(program, args, &out) else {
            panic!("{program} {args:?} rejects b\"{}\"", shown(&out));
        };
        assert!(back == input, "{label}, {program} {args:?}: b\"{}\"", shown(&input));
    }
}

/// Checks that the decoder decodes what a program writes.
fn check_decoder(label: &str, program: &str, args: &[&str]) {
    for input in inputs() {
        let Some(encoded) = run(program, args, &input) else { continue };
        let out = transformed(label, Direction::Decode, &encoded);
        assert!(out == input, "{label}, {program} {args:?}: b\"{}\"", shown(&encoded));
    }
}

/// Returns arguments that write the value of an expression over the input `d`, without the packages
/// of the site, which make the start slow.
fn python(code: &str) -> [String; 3] {
    let imports =
        "import sys, base64, binascii, codecs, quopri, urllib.parse\nd = sys.stdin.buffer.read()\n";
    ["-IS".to_owned(), "-c".to_owned(), format!("{imports}sys.stdout.buffer.write({code})")]
}

#[test]
fn base_encodings_agree_with_coreutils() {
    if !require(Requirement::Program("basenc")) {
        return;
    }
    for (label, option) in [
        ("base64", "--base64"),
        ("base64url:line=76,padding=yes", "--base64url"),
        ("base32", "--base32"),
        ("base32hex", "--base32hex"),
        ("hex", "--base16"),
    ] {
        compare_encoder(label, "basenc", &[option]);
        for line in ["0", "1", "61", "64", "1000"] {
            let with_line = format!("{},line={line}", label.replace(":line=76", ":"));
            let with_line =
                if label.contains(':') { with_line } else { with_line.replace(',', ":") };
            compare_encoder(&with_line, "basenc", &[option, "-w", line]);
        }
    }
    check_encoder("base64:line=20", "base64", &["-d"]);
}

#[test]
fn transfer_encodings_agree_with_python() {
    if !require(Requirement::Program("python3")) {
        return;
    }
    let encoders = [
        ("base64", "base64.encodebytes(d)"),
        ("base64:line=0", "base64.b64encode(d)"),
        ("base64url:padding=yes", "base64.urlsafe_b64encode(d)"),
        ("base32:line=0", "base64.b32encode(d)"),
        ("base32hex:line=0", "base64.b32hexencode(d)"),
        ("hex:line=0", "base64.b16encode(d)"),
        ("hex:line=0,case=lower", "binascii.hexlify(d)"),
        ("percent", "urllib.parse.quote(d, safe='').encode()"),
        ("form", "urllib.parse.quote_plus(d, safe='*').replace('~', '%7E').encode()"),
    ];
    for (label, code) in encoders {
        let args = python(code);
        compare_encoder(label, "python3", &args.each_ref().map(String::as_str));
    }
    for (label, code) in [
        ("qp", "quopri.decodestring(d)"),
        ("qp:binary", "binascii.a2b_qp(d)"),
        ("percent:keep=reserved", "urllib.parse.unquote_to_bytes(d)"),
        ("form", "urllib.parse.unquote_to_bytes(d.replace(b'+', b' '))"),
        ("byte-escapes", "codecs.escape_decode(d)[0]"),
        ("byte-escapes:form=octal", "codecs.escape_decode(d)[0]"),
        ("byte-escapes:simple", "eval(b'b\"' + d + b'\"')"),
        ("byte-escapes:simple,form=octal", "eval(b'b\"' + d + b'\"')"),
        ("uu", "b''.join(binascii.a2b_uu(line) for line in d.splitlines()[1:-1])"),
    ] {
        let args = python(code);
        check_encoder(label, "python3", &args.each_ref().map(String::as_str));
    }
    for code in ["codecs.escape_encode(d)[0]", "repr(d)[2:-1].encode()"] {
        let args = python(code);
        let args = args.each_ref().map(String::as_str);
        check_decoder("byte-escapes:simple,strict", "python3", &args);
    }
    let args = python("binascii.b2a_qp(d, istext=False)");
    check_decoder("qp", "python3", &args.each_ref().map(String::as_str));
}

#[test]
fn quoted_printable_agrees_with_recode() {
    if !require(Requirement::Program("recode")) {
        return;
    }
    check_encoder("qp:binary", "recode", &["/qp.."]);
    check_encoder("base64", "recode", &["/b64.."]);
    check_decoder("qp", "recode", &["../qp"]);
    check_decoder("base64", "recode", &["../b64"]);
}

#[test]
fn byte_escapes_agree_with_printf() {
    if !require(Requirement::Program("bash")) {
        return;
    }
    // Shells have no NUL in variables. `read` fails at the end of the input, which has no NUL.
    let decode = ["-c", "IFS= read -rd '' text; printf %b \"$text\""];
    for input in inputs().filter(|input| input.len() < 10_000) {
        for options in ["", "simple"] {
            let label = format!("byte-escapes:{options}");
            let escaped = transformed(&label, Direction::Encode, &input);
            // `printf %b` keeps the backslash of `\"`.
            if escaped.contains(&0) || input.contains(&b'"') {
                continue;
            }
            let out = run("bash", &decode, &escaped).expect("bash decodes");
            assert!(out == input, "{label}: b\"{}\"", shown(&escaped));
        }
    }
    // Octal escapes of one to three digits.
    let plain: Vec<u8> = (1..=u8::MAX).collect();
    let escaped: String = plain.iter().map(|byte| format!("\\{byte:o}\\x{byte:02x}")).collect();
    let out = run("bash", &decode, escaped.as_bytes()).expect("bash decodes");
    assert_eq!(transformed("byte-escapes:simple", Direction::Decode, escaped.as_bytes()), out);
}

#[test]
fn uuencode_agrees_with_sharutils() {
    if !require(Requirement::Program("uuencode")) || !require(Requirement::Program("uudecode")) {
        return;
    }
    compare_encoder("uu", "uuencode", &["/dev/stdout"]);
    check_decoder("uu", "uuencode", &["a name"]);
    check_encoder("uu", "uudecode", &["-o", "/dev/stdout"]);
}
