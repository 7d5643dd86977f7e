//! Runs git in a temporary repository, as the judge of patterns.

use std::fs::{self, File};
use std::path::Path;

use charpipe_test_support::{XorShift, watch};
use tempfile::TempDir;

/// Parts of names of files.
const NAME_PARTS: [&[u8]; 20] = [
    b"a",
    b"a",
    b"b",
    b"ab",
    b"c",
    b"A",
    b"1",
    b" ",
    b"-",
    b"!",
    b"#",
    b"[",
    b"]",
    b"\\",
    b"*",
    b"?",
    b"^",
    b".x",
    "é".as_bytes(),
    b"\x80",
];

/// Parts of patterns.
const PATTERN_PARTS: [&[u8]; 56] = [
    b"a",
    b"a",
    b"a",
    b"b",
    b"ab",
    b"c",
    b"A",
    b"1",
    b"*",
    b"*",
    b"**",
    b"***",
    b"/",
    b"/",
    b"/**",
    b"**/",
    b"/**/",
    b"?",
    b"[ab]",
    b"[!a]",
    b"[^a]",
    b"[a-c]",
    b"[c-a]",
    b"[]a]",
    b"[!]a]",
    b"[a-]",
    b"[-a]",
    b"[a\\]]",
    b"[\\a-c]",
    b"[[:alpha:]]",
    b"[[:digit:]1]",
    b"[![:upper:]]",
    b"[[:none:]]",
    b"[[:alpha:",
    b"[[.a.]]",
    b"[a",
    b"[a/b]",
    b"[!b]*",
    b"[]",
    b"]",
    b"\\",
    b"\\a",
    b"\\*",
    b"\\[",
    b"\\/",
    b" ",
    b"\\ ",
    b"!",
    b"#",
    b"\\!",
    b"-",
    b"^",
    b".x",
    b"{a,b}",
    "é".as_bytes(),
    b"\x80",
];

/// Creates an empty repository. Returns `None` if git cannot do so.
pub fn create_repository() -> Option<TempDir> {
    let directory = TempDir::new().unwrap();
    let mut command = watch::command("git");
    let run = command.current_dir(&directory).args(["init", "-q"]).output().ok()?;
    run.status.success().then_some(directory)
}

/// Runs git with an input, and returns the parts of its output, which NUL ends.
pub fn git(repository: &Path, words: &[&str], input: &[u8]) -> Vec<Vec<u8>> {
    let input_path = repository.join(".git/input");
    fs::write(&input_path, input).unwrap();
    let mut command = watch::command("git");
    command
        .current_dir(repository)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.args(["-c", "core.excludesFile=/dev/null", "-c", "core.attributesFile=/dev/null"]);
    command.env("GIT_ATTR_NOSYSTEM", "1").args(words).stdin(File::open(&input_path).unwrap());
    let run = command.output().unwrap();
    assert!(run.stdout.is_empty() || run.stdout.ends_with(b"\0"), "{}", run.stderr.escape_ascii());
    let mut parts: Vec<_> = run.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    parts.pop();
    parts
}

/// Returns a path of up to three names.
pub fn random_path(random: &mut XorShift) -> Vec<u8> {
    let name = |random: &mut XorShift| match random.some(2, &NAME_PARTS).concat() {
        name if name == b"." => b"a".to_vec(),
        name => name,
    };
    let names: Vec<_> = (0..=random.below(3)).map(|_| name(random)).collect();
    names.join(&b'/')
}

/// Returns a pattern, which may be empty or invalid.
pub fn random_pattern(random: &mut XorShift) -> Vec<u8> {
    let max_parts = 1 + random.below(5);
    random.some(max_parts, &PATTERN_PARTS).concat()
}
