//! Runs a checker over files.

use charpipe::internals::check::{CheckOptions, Checker, Finding, FindingKind, LineEnding};

/// Sizes of blocks in which everything must come out the same.
pub const BUFFER_SIZES: [usize; 9] = [1, 2, 3, 5, 7, 64, 4096, 8191, 100_000];

pub fn rules(encoding: &str) -> CheckOptions {
    let mut rules = CheckOptions::new(encoding.parse::<charpipe::EncodingSpec>().unwrap());
    rules.byte_columns = true;
    rules
}

/// The findings of each file, in one run.
pub fn check_files(rules: &CheckOptions, files: &[&[u8]]) -> Vec<Vec<Finding>> {
    let mut checker = Checker::new(rules).unwrap();
    let check = |file: &&[u8]| {
        let mut rest = *file;
        let mut found = Vec::new();
        let mut note = |finding: &Finding| {
            found.push(*finding);
            Ok(())
        };
        while !rest.is_empty() {
            let space = checker.input_buffer();
            let count = space.len().min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            checker.process(count, &mut note).unwrap();
            rest = &rest[count..];
        }
        checker.finish_input(&mut note).unwrap();
        found
    };
    files.iter().map(check).collect()
}

/// The findings of one file, the same in blocks of every size.
pub fn check_file(mut rules: CheckOptions, file: &[u8]) -> Vec<Finding> {
    let found = check_files(&rules, &[file]).remove(0);
    for block in BUFFER_SIZES {
        rules.buffer_size = block;
        assert_eq!(check_files(&rules, &[file]).remove(0), found, "block {block}");
    }
    found
}

/// A finding as a table has it: rule, offset, length, line, column, column in bytes.
pub type FindingRow = (&'static str, u64, u64, u64, u64, u64);

pub fn finding_row(finding: &Finding) -> FindingRow {
    let position = finding.position;
    let bytes = finding.byte_column.unwrap();
    (finding.rule().name(), position.offset, finding.len, position.line, position.column, bytes)
}

pub fn finding_rows(rules: CheckOptions, file: &[u8]) -> Vec<FindingRow> {
    check_file(rules, file).iter().map(finding_row).collect()
}

/// How lines end, and how they should.
pub fn line_ends(findings: &[Finding]) -> Vec<(LineEnding, LineEnding)> {
    let ends = findings.iter().filter_map(|finding| match finding.kind {
        FindingKind::WrongLineEnding { found, expected } => Some((found, expected)),
        _ => None,
    });
    ends.collect()
}
