//! The Code Quality report of GitLab: a JSON array of violations.
//!
//! <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>: each has a
//! description, the name of its check, a fingerprint, a path, a line and one of five severities.

use std::io::{self, Write};

use charpipe_check::{Finding, Rule, Severity};

use super::formatter::{Formatter, without_comma};
use crate::cli::check::line_buffer::FindingLines;
use crate::cli::check::message::MessageOfFinding;
use crate::cli::check::stats::CheckTotals;
use crate::cli::file_label::FileLabel;
use crate::cli::json::{to_json, to_json_string};

/// One violation for each finding. The format cannot report a file that could not be read.
#[derive(Default)]
pub struct GitLabFormatter {
    /// The path as a JSON string.
    path: String,
    encoding: &'static str,
    fingerprints: Fingerprints,
    has_findings: bool,
    lines: FindingLines,
}

impl Formatter for GitLabFormatter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")
    }

    fn begin_file(&mut self, file: &FileLabel<'_>, _: &mut dyn Write) -> io::Result<()> {
        self.lines.begin_file();
        (self.path, self.encoding) = (to_json(&file.lossy()), file.encoding);
        self.fingerprints.begin_file(&file.bytes());
        Ok(())
    }

    fn finding(&mut self, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
        let rule = finding.rule();
        let is_first = !std::mem::replace(&mut self.has_findings, true);
        self.lines.format(
            finding,
            &[finding.position.offset, finding.position.line],
            || to_json_string(MessageOfFinding { finding, encoding: self.encoding }),
            |line, message| {
                line.text(",\n{\"description\":\"byte ").number();
                // The message continues the string that is open.
                line.text(": ").text(&message[1..]).text(",\"check_name\":\"charpipe/");
                line.text(rule.name()).text("\",\"fingerprint\":\"").fingerprint();
                line.text("\",\"severity\":\"").text(severity(rule));
                line.text("\",\"location\":{\"path\":").text(&self.path);
                line.text(",\"lines\":{\"begin\":").number().text("}}}");
            },
        );
        let line = self.lines.with_fingerprint(self.fingerprints.next(rule));
        out.write_all(without_comma(line, is_first))
    }

    fn end(&mut self, _: &CheckTotals, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "]")
    }
}

/// Returns the severity of a rule.
fn severity(rule: Rule) -> &'static str {
    match rule.severity() {
        Severity::Major => "major",
        Severity::Minor => "minor",
    }
}

/// Generates the fingerprints by which GitLab recognizes a violation in a later run.
///
/// A fingerprint is a hash of the path, the rule, and the number of earlier findings of that rule
/// in the file. Unlike an offset or a line number, it does not change when text is inserted or
/// removed elsewhere.
#[derive(Debug, Default)]
struct Fingerprints {
    path: u128,
    counts: [u64; Rule::ALL.len()],
    /// The rule of the last finding, its number without the last byte, and the hash up to that byte.
    last: Option<(Rule, u64, u128)>,
}

impl Fingerprints {
    /// Begins a file with the given path.
    fn begin_file(&mut self, path: &[u8]) {
        *self = Fingerprints { path: fnv1a(FNV_BASIS, path), ..Fingerprints::default() };
    }

    /// Returns the fingerprint of the next finding, which violates `rule`.
    fn next(&mut self, rule: Rule) -> u128 {
        let count = &mut self.counts[rule.index()];
        *count += 1;
        let [leading @ .., last] = count.to_be_bytes();
        let hash = match self.last {
            Some((known, number, hash)) if (known, number) == (rule, *count >> 8) => hash,
            _ => {
                // No path contains NUL, so different findings never hash the same bytes.
                let hash = fnv1a(fnv1a(self.path, b"\0"), rule.name().as_bytes());
                fnv1a(hash, &leading)
            }
        };
        self.last = Some((rule, *count >> 8, hash));
        fnv1a(hash, &[last])
    }
}

// FNV-1a of 128 bits (Internet-Draft eastlake-fnv, section 5).
const FNV_BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
const FNV_PRIME: u128 = (1 << 88) + 0x13B;

fn fnv1a(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(FNV_PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_fnv_1a() {
        assert_eq!(fnv1a(FNV_BASIS, b""), FNV_BASIS);
        assert_eq!(fnv1a(FNV_BASIS, b"a"), 0xD228_CB69_6F1A_8CAF_7891_2B70_4E4A_8964);
        assert_eq!(fnv1a(FNV_BASIS, b"foobar"), 0x343E_1662_793C_64BF_6F0D_3597_BA44_6F18);
    }

    #[test]
    fn fingerprint_hashes_path_rule_and_number() {
        let mut fingerprints = Fingerprints::default();
        for path in [&b"a"[..], b"dir/b"] {
            fingerprints.begin_file(path);
            for number in 1..=600_u64 {
                // One rule alternates with another up to a point.
                let rules = [Rule::Newline, Rule::IllFormed];
                for rule in &rules[..if number < 250 { 2 } else { 1 }] {
                    let name = rule.name().as_bytes();
                    let hashed = [path, b"\0", name, &number.to_be_bytes()].concat();
                    assert_eq!(fingerprints.next(*rule), fnv1a(FNV_BASIS, &hashed));
                }
            }
        }
    }

    #[test]
    fn fingerprints_are_unique_and_stable() {
        let run = |path: &[u8]| {
            let mut fingerprints = Fingerprints::default();
            fingerprints.begin_file(path);
            let rules = [Rule::IllFormed, Rule::Newline, Rule::IllFormed, Rule::Newline];
            rules.map(|rule| fingerprints.next(rule))
        };
        assert_eq!(run(b"a"), run(b"a"));
        let mut all = [run(b"a"), run(b"b")].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 8);
    }
}
