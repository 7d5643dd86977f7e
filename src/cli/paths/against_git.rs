//! Random ignore rules, with git as the judge.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use charpipe_test_support::{XorShift, missing, random, sample_count};

use super::git_testing::{create_repository, git, random_path, random_pattern};
use super::patterns::{IgnorePatterns, PatternMatch};
use super::tests::selected_paths_of;

/// The number of paths that are matched with each list of patterns.
const PATHS_PER_LIST: usize = 24;

/// Returns the text of a `.gitignore`.
fn random_list(random: &mut XorShift) -> Vec<u8> {
    let mut text = if random.below(20) == 0 { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
    for _ in 0..=random.below(3) {
        if random.below(5) == 0 {
            text.push(b'!');
        }
        text.extend(random_pattern(random));
        text.extend_from_slice(
            random.one(&[b"\n", b"\n", b"\n", b"/\n", b"\r\n", b" \n", b"\t\n", b"\0a\n"]),
        );
    }
    text
}

/// Returns whether a file is ignored: it, or one of the directories that contain it.
fn is_ignored(patterns: &IgnorePatterns, path: &[u8]) -> bool {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let mut directories = slashes.map(|(index, _)| &path[..index]);
    let is_match = |path: &[u8], is_directory| {
        patterns.match_path(path, is_directory) == Some(PatternMatch::Ignored)
    };
    directories.any(|directory| is_match(directory, true)) || is_match(path, false)
}

#[test]
fn random_patterns_ignore_what_git_ignores() {
    let Some(repository) = create_repository() else { return missing("git") };
    let random = &mut random(1);
    let (mut input, mut cases) = (Vec::new(), Vec::new());
    for number in 0..sample_count(30_000, 40) {
        let directory = repository.path().join(number.to_string());
        fs::create_dir(&directory).unwrap();
        let list = random_list(random);
        fs::write(directory.join(".gitignore"), &list).unwrap();
        for _ in 0..PATHS_PER_LIST {
            let path = random_path(random);
            input.extend_from_slice(format!("{number}/").as_bytes());
            input.extend_from_slice(&path);
            input.push(0);
            cases.push((list.clone(), path));
        }
    }
    let words = ["check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"];
    let found = git(repository.path(), &words, &input);
    assert_eq!(found.len(), 4 * cases.len());
    let mut wrong = BTreeSet::new();
    let mut ignored_count = 0;
    for ((list, path), found) in cases.iter().zip(found.chunks(4)) {
        let expected = !found[2].is_empty() && !found[2].starts_with(b"!");
        ignored_count += usize::from(expected);
        if is_ignored(&IgnorePatterns::parse(list), path) != expected {
            wrong.insert(format!("{expected} {} {}", list.escape_ascii(), path.escape_ascii()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), cases.len());
    assert!(ignored_count > cases.len() / 20, "{ignored_count} of {}", cases.len());
}

#[test]
fn walk_finds_the_files_that_git_does_not_ignore() {
    let Some(repository) = create_repository() else { return missing("git") };
    let random = &mut random(2);
    let write = |directory: &Path, name: &[u8], content: &[u8]| {
        let path = directory.join(OsStr::from_bytes(name));
        // A name may be that of a file and that of a directory.
        let _ = fs::create_dir_all(path.parent().unwrap());
        let _ = fs::write(path, content);
    };
    for number in 0..sample_count(2000, 20) {
        let directory = repository.path().join(number.to_string());
        let paths: Vec<_> = (0..8).map(|_| random_path(random)).collect();
        for path in &paths {
            write(&directory, path, b"");
        }
        write(&directory, b".gitignore", &random_list(random));
        if let Some(slash) = paths[0].iter().position(|byte| *byte == b'/') {
            let name = [&paths[0][..slash], b"/.gitignore"].concat();
            write(&directory, &name, &random_list(random));
        }
    }
    write(repository.path(), b".git/info/exclude", b"b*\n!b1\n");
    let listed = git(repository.path(), &["ls-files", "-o", "--exclude-standard", "-z"], b"");
    let expected: BTreeSet<Vec<u8>> = listed.into_iter().collect();
    let found: BTreeSet<Vec<u8>> = selected_paths_of(repository.path()).collect();
    let wrong: Vec<_> = found.symmetric_difference(&expected).collect();
    let wrong: Vec<_> = wrong.iter().map(|path| path.escape_ascii().to_string()).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), expected.len());
}
