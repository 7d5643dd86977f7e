//! Which files are converted.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{in_place, lines, read, summary};
use crate::cli::command::{charpipe, create_directory, names};

const OLD: &[u8] = b"\xE9";
const NEW: &[u8] = "é".as_bytes();

fn tree(files: &[&str]) -> TempDir {
    let tree = create_directory(&[]);
    for file in files {
        let path = tree.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, OLD).unwrap();
    }
    tree
}

/// The files of a tree that were converted.
fn converted<'a>(tree: &Path, files: &[&'a str]) -> Vec<&'a str> {
    files.iter().copied().filter(|file| read(tree, file) == NEW).collect()
}

#[test]
fn tree_is_converted_according_to_gitignore_globs_and_hidden() {
    let files = ["a.txt", "b.md", "out/c.txt", "sub/d.txt", ".conf/e.txt", ".git/f.txt"];
    for (words, expected) in [
        (&["-r"][..], &["a.txt", "b.md", "sub/d.txt"][..]),
        (&["-r", "--glob", "*.txt"], &["a.txt", "sub/d.txt"]),
        (&["-r", "--glob", "!*.txt"], &["b.md"]),
        (&["-r", "--hidden"], &["a.txt", "b.md", "sub/d.txt", ".conf/e.txt"]),
    ] {
        let tree = tree(&files);
        fs::write(tree.path().join(".gitignore"), "out\n").unwrap();
        let words = [&["-f", "latin1"], words, &["."]].concat();
        in_place(tree.path(), &words).success();
        assert_eq!(converted(tree.path(), &files), expected, "{words:?}");
    }
}

#[cfg(unix)]
#[test]
fn ignore_files_of_other_owners_above_the_start_are_not_read() {
    use std::os::unix::fs::chown;
    if !charpipe_test_support::require(charpipe_test_support::Requirement::Superuser) {
        return;
    }
    let note = |name: &str| {
        format!("{name}: ignored: it is owned by another user and above the start directory")
    };
    for (file, foreign) in [
        (".gitignore", ".gitignore"),
        (".git/info/exclude", ".git/info/exclude"),
        // The owner of `.git` decides what is in it.
        (".git/info/exclude", ".git"),
    ] {
        let tree = tree(&["sub/deep/a", "sub/b"]);
        let path = fs::canonicalize(&tree).unwrap();
        fs::create_dir_all(path.join(".git/info")).unwrap();
        fs::write(path.join(file), "a\n").unwrap();
        let run = |words: &[&str]| in_place(&path, &[&["-f", "latin1", "-r"], words].concat());
        assert_eq!(summary(&run(&["-n", "sub"]).success()), WOULD_CONVERT_B, "{file}");
        chown(path.join(foreign), Some(1), None).unwrap();
        // The owner of the start directory is trusted, and so is everything below it.
        chown(path.join("sub"), Some(1), None).unwrap();
        assert_eq!(summary(&run(&["-n", "sub"]).success()), WOULD_CONVERT_B, "{file}");
        chown(path.join("sub"), Some(0), None).unwrap();
        assert_eq!(summary(&run(&["-n", "."]).success()), WOULD_CONVERT_B, "{file}");
        let run = run(&["sub"]).success();
        assert!(lines(&run).contains(&note(path.join(foreign).to_str().unwrap())), "{run}");
        assert_eq!(converted(&path, &["sub/deep/a", "sub/b"]), ["sub/deep/a", "sub/b"], "{file}");
    }
}

#[cfg(unix)]
const WOULD_CONVERT_B: &str = "charpipe: 1 would be converted, 0 unchanged, 0 skipped, 0 failed";

#[test]
fn second_run_skips_existing_backups() {
    let tree = tree(&["a", "b"]);
    let words = ["-f", "latin1", "-t", "utf-16le", "--force", "--backup", "-r", "."];
    let run = in_place(tree.path(), &words).success();
    assert_eq!(summary(&run), "charpipe: 2 converted, 0 unchanged, 0 skipped, 0 failed");
    assert_eq!(names(tree.path()), ["a", "a~", "b", "b~"]);
    let run = in_place(tree.path(), &["-f", "utf-16", "-n", "--backup", "-r", "."]);
    assert!(!lines(&run).iter().any(|line| line.contains("~:")), "{:?}", lines(&run));
    assert_eq!(lines(&run).len(), 2);
}

#[test]
fn names_come_from_a_list() {
    for (option, list) in [("--files-from=-", "a\nb c\n"), ("-0", "a\0b c\0")] {
        let tree = tree(&["a", "b c", "d"]);
        let mut command = charpipe();
        command.current_dir(&tree).args(["-i", "-f", "latin1", "--files-from", "-", option]);
        command.write_stdin(list).assert().success();
        assert_eq!(converted(tree.path(), &["a", "b c", "d"]), ["a", "b c"], "{option}");
    }
}

#[cfg(unix)]
#[test]
fn a_list_that_is_missing_fails_and_the_operands_are_converted() {
    let tree = tree(&["a"]);
    let run = in_place(tree.path(), &["-f", "latin1", "--files-from", "nope", "a"]).code(2);
    assert_eq!(lines(&run), ["nope: No such file or directory"]);
    assert_eq!(read(tree.path(), "a"), NEW);
}

#[test]
fn run_continues_after_a_failure_unless_fail_fast() {
    for (words, expected) in [
        (&["-j1"][..], &["a", "c"][..]),
        (&["-j1", "--fail-fast"], &["a"]),
        (&["-j1", "--fail-fast", "--keep-going"], &["a", "c"]),
    ] {
        let tree = tree(&["a", "c"]);
        let words = [&["-f", "latin1"], words, &["a", "nope", "c"]].concat();
        in_place(tree.path(), &words).code(2);
        assert_eq!(converted(tree.path(), &["a", "c"]), expected, "{words:?}");
    }
}

#[test]
fn ten_thousand_files_are_converted() {
    // In memory where there is such a directory: as many syncs keep a disk busy for minutes.
    let tree = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    for sub in 0..100 {
        let sub = tree.path().join(format!("{sub}"));
        fs::create_dir(&sub).unwrap();
        for name in 0..100 {
            fs::write(sub.join(format!("{name}")), OLD).unwrap();
        }
    }
    let run = in_place(tree.path(), &["-f", "latin1", "-r", ".", "-j8"]).success();
    assert_eq!(summary(&run), "charpipe: 10000 converted, 0 unchanged, 0 skipped, 0 failed");
    for sub in 0..100 {
        let sub = tree.path().join(format!("{sub}"));
        assert_eq!(names(&sub).len(), 100);
        assert!((0..100).all(|name| read(&sub, &format!("{name}")) == NEW));
    }
    let run = in_place(tree.path(), &["-t", "utf-16", "-n", "-s", "-r", "."]).success();
    run.stderr("");
}
