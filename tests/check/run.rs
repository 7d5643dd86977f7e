//! Runs a checker over files.

use charpipe::check::{Checker, Finding, LineEnd, Problem, Rules};

/// Sizes of blocks in which everything must come out the same.
pub const BLOCKS: [usize; 9] = [1, 2, 3, 5, 7, 64, 4096, 8191, 100_000];

pub fn rules(encoding: &str) -> Rules {
    let mut rules = Rules::new(encoding.parse().unwrap());
    rules.byte_columns = true;
    rules
}

/// The findings of each file, in one run.
pub fn run(rules: &Rules, files: &[&[u8]]) -> Vec<Vec<Finding>> {
    let mut checker = Checker::new(rules).unwrap();
    let check = |file: &&[u8]| {
        let mut rest = *file;
        let mut found = Vec::new();
        let mut note = |finding: &Finding| {
            found.push(*finding);
            Ok(())
        };
        while !rest.is_empty() {
            let space = checker.space();
            let count = space.len().min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            checker.filled(count, &mut note).unwrap();
            rest = &rest[count..];
        }
        checker.end_of_file(&mut note).unwrap();
        found
    };
    files.iter().map(check).collect()
}

/// The findings of one file, the same in blocks of every size.
pub fn found(mut rules: Rules, file: &[u8]) -> Vec<Finding> {
    let found = run(&rules, &[file]).remove(0);
    for block in BLOCKS {
        rules.block = block;
        assert_eq!(run(&rules, &[file]).remove(0), found, "block {block}");
    }
    found
}

/// A finding as a table has it: rule, offset, length, line, column, column in bytes.
pub type Row = (&'static str, u64, u64, u64, u64, u64);

pub fn row(finding: &Finding) -> Row {
    let place = finding.place;
    let bytes = finding.byte_column.unwrap();
    (finding.rule().name(), place.offset, finding.len, place.line, place.column, bytes)
}

pub fn rows(rules: Rules, file: &[u8]) -> Vec<Row> {
    found(rules, file).iter().map(row).collect()
}

/// How lines end, and how they should.
pub fn line_ends(findings: &[Finding]) -> Vec<(LineEnd, LineEnd)> {
    let ends = findings.iter().filter_map(|finding| match finding.problem {
        Problem::LineEnd { found, expected } => Some((found, expected)),
        _ => None,
    });
    ends.collect()
}
