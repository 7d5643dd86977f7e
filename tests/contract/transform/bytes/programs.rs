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

/// What converts inputs for a comparison.
#[derive(Debug, Clone, Copy)]
enum Converter<'a> {
    /// A program with its arguments, which is started for each input.
    Program(&'a str, &'a [&'a str]),
    /// An expression of Python over the input `d`, for all inputs at once: a start takes longer than they do.
    Python(&'a str),
}

impl Converter<'_> {
    /// Returns what it writes for each input, or `None` for those that it rejects.
    fn outputs(self, inputs: &[Vec<u8>]) -> Vec<Option<Vec<u8>>> {
        match self {
            Converter::Program(program, args) => {
                inputs.iter().map(|input| run(program, args, input)).collect()
            }
            Converter::Python(code) => python_outputs(code, inputs),
        }
    }
}

/// Evaluates an expression for each input, without the packages of the site, which make the start slow. Inputs and
/// outputs are preceded by lines with their length, which is -1 for an exception.
fn python_outputs(code: &str, inputs: &[Vec<u8>]) -> Vec<Option<Vec<u8>>> {
    let script = format!(
        "import sys, base64, binascii, codecs, quopri, urllib.parse
source, sink = sys.stdin.buffer, sys.stdout.buffer
while line := source.readline():
    d = source.read(int(line))
    try: result = {code}
    except Exception: sink.write(b'-1\\n')
    else: sink.write(b'%d\\n' % len(result) + result)
"
    );
    let lines =
        inputs.iter().map(|input| [format!("{}\n", input.len()).as_bytes(), input].concat());
    let input = lines.collect::<Vec<_>>().concat();
    let output = run("python3", &["-IS", "-c", &script], &input).expect("the script ends");
    let mut rest = &output[..];
    let mut outputs = Vec::new();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let length = str::from_utf8(&rest[..end]).unwrap();
        let (result, after) = rest[end + 1..].split_at(length.parse().unwrap_or(0));
        outputs.push((length != "-1").then(|| result.to_vec()));
        rest = after;
    }
    assert_eq!(outputs.len(), inputs.len(), "{code}");
    outputs
}

/// Compares what the encoder writes with what a program writes, and decodes that.
fn compare_encoder(label: &str, converter: Converter) {
    let inputs: Vec<_> = inputs().collect();
    for (input, expected) in inputs.iter().zip(converter.outputs(&inputs)) {
        let Some(expected) = expected else { continue };
        let out = transformed(label, Direction::Encode, input);
        assert!(out == expected, "{label}, {converter:?}: b\"{}\"", shown(input));
        let back = transformed(label, Direction::Decode, &expected);
        assert!(back == *input, "{label}, {converter:?}: b\"{}\"", shown(&expected));
    }
}

/// Checks that a program decodes what the encoder writes.
fn check_encoder(label: &str, converter: Converter) {
    let inputs: Vec<_> = inputs().collect();
    let encode = |input: &Vec<u8>| transformed(label, Direction::Encode, input);
    let encoded: Vec<_> = inputs.iter().map(encode).collect();
    for ((input, out), back) in inputs.iter().zip(&encoded).zip(converter.outputs(&encoded)) {
        let Some(back) = back else {
            panic!("{converter:?} rejects b\"{}\"", shown(out));
        };
        assert!(back == *input, "{label}, {converter:?}: b\"{}\"", shown(input));
    }
}

/// Checks that the decoder decodes what a program writes.
fn check_decoder(label: &str, converter: Converter) {
    let inputs: Vec<_> = inputs().collect();
    for (input, encoded) in inputs.iter().zip(converter.outputs(&inputs)) {
        let Some(encoded) = encoded else { continue };
        let out = transformed(label, Direction::Decode, &encoded);
        assert!(out == *input, "{label}, {converter:?}: b\"{}\"", shown(&encoded));
    }
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
        compare_encoder(label, Converter::Program("basenc", &[option]));
        for line in ["0", "1", "61", "64", "1000"] {
            let with_line = format!("{},line={line}", label.replace(":line=76", ":"));
            let with_line =
                if label.contains(':') { with_line } else { with_line.replace(',', ":") };
            compare_encoder(&with_line, Converter::Program("basenc", &[option, "-w", line]));
        }
    }
    check_encoder("base64:line=20", Converter::Program("base64", &["-d"]));
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
        compare_encoder(label, Converter::Python(code));
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
        check_encoder(label, Converter::Python(code));
    }
    for code in ["codecs.escape_encode(d)[0]", "repr(d)[2:-1].encode()"] {
        check_decoder("byte-escapes:simple,strict", Converter::Python(code));
    }
    check_decoder("qp", Converter::Python("binascii.b2a_qp(d, istext=False)"));
}

#[test]
fn quoted_printable_agrees_with_recode() {
    if !require(Requirement::Program("recode")) {
        return;
    }
    check_encoder("qp:binary", Converter::Program("recode", &["/qp.."]));
    check_encoder("base64", Converter::Program("recode", &["/b64.."]));
    check_decoder("qp", Converter::Program("recode", &["../qp"]));
    check_decoder("base64", Converter::Program("recode", &["../b64"]));
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
    compare_encoder("uu", Converter::Program("uuencode", &["/dev/stdout"]));
    check_decoder("uu", Converter::Program("uuencode", &["a name"]));
    check_encoder("uu", Converter::Program("uudecode", &["-o", "/dev/stdout"]));
}
