//! A second run over files that are converted already.

use std::fs;

use super::{in_place, lines, read, summary};
use crate::cli::command::create_directory;

#[test]
fn second_run_leaves_converted_files_unchanged() {
    for (from, to) in [
        ("latin1", "utf-8"),
        ("utf-16le", "utf-8"),
        ("utf-16", "utf-8"),
        ("cp037", "utf-8"),
        ("latin1", "utf-16"),
        ("latin1", "utf-16le"),
        ("latin1", "utf-32"),
        ("utf-8", "utf-7"),
    ] {
        let text = |text: &str| charpipe::transcode("utf-8", from, text.as_bytes()).unwrap();
        let directory = create_directory(&[("a", &text("café\n")), ("b", &text("plain text\n"))]);
        let walk = || in_place(directory.path(), &["-f", from, "-t", to, "-r", "."]).success();
        walk();
        let files = ["a", "b"].map(|name| read(directory.path(), name));
        let expected = charpipe::transcode("utf-8", to, "café\n".as_bytes()).unwrap();
        assert_eq!(files[0], expected, "{from} {to}");
        let run = walk();
        let unchanged = "charpipe: 0 converted, 2 unchanged, 0 skipped, 0 failed";
        assert_eq!(summary(&run), unchanged, "{from} {to}");
        assert!(lines(&run).is_empty(), "{:?}", lines(&run));
        assert_eq!(["a", "b"].map(|name| read(directory.path(), name)), files, "{from} {to}");
    }
}

#[cfg(unix)]
#[test]
fn verbose_names_the_files_that_are_already_converted() {
    let directory = create_directory(&[("a", "é".as_bytes())]);
    let run = in_place(directory.path(), &["-f", "latin1", "-v", "-r", "."]).success();
    assert!(lines(&run)[0].starts_with("./a: already valid UTF-8; not converted"));
    let run = in_place(directory.path(), &["-f", "latin1", "-s", "a"]).success();
    run.stderr("");
}

#[test]
fn a_binary_file_that_is_valid_in_the_target_is_binary() {
    let directory = create_directory(&[("a", "é\0\u{1}".as_bytes())]);
    let run = in_place(directory.path(), &["-f", "latin1", "a"]).code(1);
    assert_eq!(lines(&run), ["a: skipped: binary file (contains NUL)"]);
}

#[test]
fn only_the_byte_order_mark_is_reported_where_nothing_else_changes() {
    for (content, from, bom, change) in [
        (&b"\xEF\xBB\xBFx"[..], "utf-8", "strip", "remove"),
        (b"x", "utf-8", "add", "add"),
        (b"\xFF\xFEx\0", "utf-16le", "strip", "remove"),
    ] {
        let directory = create_directory(&[("a", content)]);
        let words = ["-f", from, "-t", from, "--bom", bom];
        let run = in_place(directory.path(), &[&words[..], &["-n", "a"]].concat()).success();
        assert_eq!(lines(&run), [format!("a: would {change} byte order mark")]);
        let run = in_place(directory.path(), &[&words[..], &["-v", "a"]].concat()).success();
        let done = if change == "add" { "added" } else { "removed" };
        assert_eq!(lines(&run), [format!("a: {done} byte order mark")]);
        assert_eq!(summary(&run), "charpipe: 1 converted, 0 unchanged, 0 skipped, 0 failed");
    }
    let directory = create_directory(&[("a", b"\xEF\xBB\xBFx\xFF")]);
    let words = ["--bom", "strip", "--on-error", "replace", "-v", "a"];
    let run = in_place(directory.path(), &words).code(1);
    assert_eq!(lines(&run).pop().unwrap(), "a: changed");
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), "x\u{FFFD}".as_bytes());
}
