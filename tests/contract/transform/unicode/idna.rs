//! IdnaTestV2.txt of Unicode, whole.

use crate::transform::driver::{Direction, TransformCase};

/// A line: the source, and ToUnicode and ToASCII with their status codes.
struct Row {
    source: String,
    unicode: (String, Vec<&'static str>),
    ascii: (String, Vec<&'static str>),
}

fn rows() -> impl Iterator<Item = Row> {
    let lines = include_str!("../data/idna.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let mut columns = line.split('\t').chain(std::iter::repeat(""));
        let mut column = || columns.next().unwrap_or_default();
        let (source, unicode, status) = (value(column()), column(), column());
        let (ascii, ascii_status) = (column(), column());
        let unicode = if unicode.is_empty() { source.clone() } else { value(unicode) };
        let ascii = if ascii.is_empty() { unicode.clone() } else { value(ascii) };
        let ascii_status = if ascii_status.is_empty() { status } else { ascii_status };
        Row { source, unicode: (unicode, codes(status)), ascii: (ascii, codes(ascii_status)) }
    })
}

fn codes(status: &'static str) -> Vec<&'static str> {
    status.split(',').filter(|code| !matches!(*code, "" | "-")).collect()
}

/// Returns a value with its escapes replaced. A lone surrogate is left as an escape.
fn value(text: &str) -> String {
    if text == "\"\"" {
        return String::new();
    }
    let mut value = String::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        let (digits, after) = match escape.strip_prefix("x{").and_then(|it| it.split_once('}')) {
            Some(braced) => braced,
            None => escape[1..].split_at(4),
        };
        value.push_str(before);
        match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
            Some(character) => value.push(character),
            None => value.push_str(&format!("\\u{digits}")),
        }
        rest = after;
    }
    value + rest
}

/// The ASCII characters that are forbidden in domain names of URLs (URL Standard, section 3.5), besides
/// control characters.
const FORBIDDEN: &str = " \"#%/:<>?@[\\]^`{|}";

/// Returns whether a status code is an error here too. The test is made for other flags of UTS #46:
/// CheckHyphens, UseSTD3ASCIIRules, and VerifyDnsLength also in ToUnicode and for the dot of the root.
fn is_error_here(code: &str, direction: Direction, source: &str, expected: &str) -> bool {
    match code {
        // Hyphens.
        "V2" | "V3" => false,
        // Characters besides letters, digits and hyphens.
        "U1" => expected.contains(|it: char| it.is_ascii_control() || FORBIDDEN.contains(it)),
        // An empty label in ToUnicode.
        "X4_2" => false,
        // Lengths. An empty line is copied.
        "A4_1" | "A4_2" if source.is_empty() => false,
        "A4_2" if direction == Direction::Encode => {
            let labels = expected.strip_suffix('.').unwrap_or(expected).split('.');
            labels.into_iter().any(|label| !(1..=63).contains(&label.len()))
        }
        _ => true,
    }
}

#[test]
fn names_are_those_of_idna_test_v2() {
    assert!(accepted_names("idna", is_error_here) > 1_200);
}

#[test]
fn names_with_all_flags_are_those_of_idna_test_v2() {
    let accepted =
        accepted_names("idna:ascii=std3,check-hyphens,dns-length=strict", |code, _, source, _| {
            match code {
                // ToUnicode has no VerifyDnsLength.
                "X4_2" => false,
                // An empty line is copied.
                "A4_1" | "A4_2" => !source.is_empty(),
                _ => true,
            }
        });
    assert!(accepted > 1_200);
}

/// Verifies all rows with a transform. Returns the number of names that were converted.
fn accepted_names(
    label: &str,
    is_error_here: impl Fn(&str, Direction, &str, &str) -> bool,
) -> usize {
    let mut accepted = 0;
    let mut wrong = Vec::new();
    for row in rows() {
        let sides = [(Direction::Decode, row.unicode), (Direction::Encode, row.ascii)];
        for (direction, (expected, codes)) in sides {
            let result = TransformCase::new(label, direction).convert(row.source.as_bytes());
            let output = String::from_utf8(result.out).unwrap();
            let found = result.errors.is_empty().then_some(output);
            let is_error =
                codes.iter().any(|code| is_error_here(code, direction, &row.source, &expected));
            let is_expected = match &found {
                Some(found) => !is_error && *found == expected,
                None => is_error,
            };
            accepted += usize::from(found.is_some());
            if !is_expected {
                let source = &row.source;
                wrong.push(format!(
                    "{direction:?} {source:?}: {found:?}, not {expected:?} {codes:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    accepted
}
