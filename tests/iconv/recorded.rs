//! Results of glibc 2.41 that differ from those of an older version.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use crate::program::Outcome;

const RECORDED: &str = include_str!("glibc-2.41.tsv");

const HEADER: &str = "\
# Results of iconv of the GNU C library 2.41 that differ from those of 2.36: the command, the exit
# code, standard output and error, and files that were written.
";

/// Returns the stored results of glibc 2.41 by their vectors.
pub fn outcomes() -> HashMap<&'static str, Outcome> {
    parse(RECORDED)
}

/// Returns the file with these results of glibc 2.41.
pub fn glibc_page(rows: &[(String, Outcome)]) -> String {
    page(HEADER, rows)
}

/// Returns the results of a file by their vectors.
pub fn parse(page: &'static str) -> HashMap<&'static str, Outcome> {
    let rows = page.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let fields: Vec<&str> = row.split('\t').collect();
        let [vector, status, stdout, stderr, ref files @ ..] = fields[..] else { panic!("{row}") };
        let files = files.iter().map(|field| {
            let (name, content) = field.split_once('=').unwrap();
            (name.to_owned(), unescape(content))
        });
        let outcome = Outcome {
            status: status.parse().unwrap(),
            stdout: unescape(stdout),
            stderr: unescape(stderr),
            files: files.collect::<BTreeMap<_, _>>(),
        };
        (vector, outcome)
    })
    .collect()
}

/// Returns a file with these results.
pub fn page(header: &str, rows: &[(String, Outcome)]) -> String {
    let mut page = header.to_owned();
    for (vector, outcome) in rows {
        let (stdout, stderr) = (outcome.stdout.escape_ascii(), outcome.stderr.escape_ascii());
        write!(page, "{vector}\t{}\t{stdout}\t{stderr}", outcome.status).unwrap();
        for (name, content) in &outcome.files {
            write!(page, "\t{name}={}", content.escape_ascii()).unwrap();
        }
        page.push('\n');
    }
    page
}

/// Reverses `escape_ascii`.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match (byte, byte == b'\\') {
            (plain, false) => plain,
            (_, true) => match rest.next().unwrap() {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                b'x' => {
                    let digits = [rest.next().unwrap(), rest.next().unwrap()];
                    u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                quoted => quoted,
            },
        });
    }
    bytes
}

#[test]
fn escapes_are_reversible() {
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(unescape(&bytes.escape_ascii().to_string()), bytes);
}
