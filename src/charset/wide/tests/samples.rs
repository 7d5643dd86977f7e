//! Conversions among these charsets and UTF-8, with known results.

use super::{Seen, decode, encode};
use crate::fault::Kind;

const SAMPLES: &str = include_str!("samples.tsv");

fn octets(hex: &str) -> Vec<u8> {
    let digits = if hex == "-" { "" } else { hex };
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(pair).collect()
}

/// What comes before the first fault, and its offset, length and kind.
fn up_to_fault(seen: &Seen) -> (String, String) {
    let text = |len: usize| String::from_utf8(seen.out[..len].to_vec()).unwrap();
    let Some(&(before, offset, len, why)) = seen.faults.first() else {
        return (text(seen.out.len()), "-".to_owned());
    };
    let kind = match why.kind() {
        Kind::IllFormed => "ill",
        Kind::Truncated => "trunc",
        Kind::Unencodable => "unenc",
    };
    (text(before), format!("{offset} {len} {kind}"))
}

#[test]
fn each_sample_converts_as_it_should() {
    for sample in SAMPLES.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = sample.split('\t').collect();
        let [from, to, mode, input, output, fault] = fields[..] else { panic!("{sample}") };
        let seen = decode(from, &octets(input));
        let (text, found) = match mode {
            "strict" => up_to_fault(&seen),
            "replace" => (seen.replaced(), "-".to_owned()),
            "ignore" => (String::from_utf8(seen.out).unwrap(), "-".to_owned()),
            _ => panic!("{sample}"),
        };
        assert_eq!(found, fault, "{sample}");
        assert_eq!(encode(to, &text), octets(output), "{sample}");
    }
}
