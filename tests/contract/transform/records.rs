//! LDIF and vCards: what is read from the result by a parser in Python, and what it reads from the source.

use charpipe_test_support::{Requirement, require};

use crate::transform::driver::{Direction, convert};
use crate::transform::tools;

const SCRIPT: &str = include_str!("records.py");

/// The number of generated documents.
const COUNT: usize = 1000;

fn python(action: &str, input: &str) -> Vec<String> {
    let output =
        tools::run("python3", &["-c", SCRIPT, action, &COUNT.to_string()], input.as_bytes());
    let output = String::from_utf8(output.expect("the script succeeds")).expect("ASCII");
    output.lines().map(str::to_owned).collect()
}

fn to_hex(texts: &[String]) -> String {
    let hex = |text: &String| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    texts.iter().map(|text| hex(text) + "\n").collect()
}

fn from_hex(line: &str) -> String {
    let byte = |at| u8::from_str_radix(&line[at..at + 2], 16).expect("hexadecimal digits");
    String::from_utf8((0..line.len()).step_by(2).map(byte).collect()).expect("valid UTF-8")
}

/// Generates documents and converts them. Returns nothing if Python is not installed.
fn convert_generated(
    action: &str,
    label: &str,
    direction: Direction,
) -> Option<Vec<(String, String)>> {
    if !require(Requirement::Program("python3")) {
        return None;
    }
    let sources = python(action, "").into_iter().map(|line| from_hex(&line));
    let converted = sources.map(|source| {
        let transcript = convert(label, direction, source.as_bytes());
        assert_eq!(transcript.errors, [], "{source}");
        (source, String::from_utf8(transcript.out).expect("valid UTF-8"))
    });
    let converted: Vec<_> = converted.collect();
    assert_eq!(converted.len(), COUNT);
    let changed = converted.iter().filter(|(source, result)| source != result).count();
    assert!(changed > COUNT / 6, "{changed}");
    Some(converted)
}

/// Compares what a function reads from the sources and from the results.
fn compare(converted: &[(String, String)], action: &str) {
    let (sources, results): (Vec<_>, Vec<_>) = converted.iter().cloned().unzip();
    let expected = python(action, &to_hex(&sources));
    let read = python(action, &to_hex(&results));
    for ((source, result), (expected, read)) in converted.iter().zip(expected.iter().zip(&read)) {
        assert_eq!(expected, read, "{source}\n{result}");
    }
}

#[test]
fn decoded_ldif_has_the_same_values() {
    let Some(converted) = convert_generated("generate_ldif", "ldif", Direction::Decode) else {
        return;
    };
    compare(&converted, "read_ldif");
}

#[test]
fn encoded_ldif_has_the_same_values_in_ascii() {
    let Some(converted) = convert_generated("generate_raw_ldif", "ldif", Direction::Encode) else {
        return;
    };
    compare(&converted, "read_ldif");
    for (_, result) in converted {
        assert!(result.is_ascii(), "{result}");
        assert!(result.lines().all(|line| line.len() <= 76 || !line.contains("::")), "{result}");
    }
}

#[test]
fn decoded_vcards_have_the_same_values() {
    let Some(converted) = convert_generated("generate_vcard", "vcard", Direction::Encode) else {
        return;
    };
    compare(&converted, "read_vcard");
}

#[test]
fn escapes_of_vcards_become_characters() {
    let label = "vcard:text";
    let Some(converted) = convert_generated("generate_folded_vcard", label, Direction::Encode)
    else {
        return;
    };
    let (sources, results): (Vec<_>, Vec<_>) = converted.into_iter().unzip();
    let expected = python("read_folded_vcard", &to_hex(&sources));
    let script = "import sys\nfor line in sys.stdin: print(ascii(bytes.fromhex(line).decode()))";
    let output = tools::run("python3", &["-c", script], to_hex(&results).as_bytes());
    let output = String::from_utf8(output.expect("the script succeeds")).expect("ASCII");
    for (source, (result, expected)) in sources.iter().zip(output.lines().zip(&expected)) {
        assert_eq!(result, expected, "{source}");
    }
}
