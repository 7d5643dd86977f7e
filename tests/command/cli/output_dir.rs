//! `--output-dir` and `--suffix`: each file is converted to a file of its own.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use assert_cmd::assert::Assert;
use tempfile::TempDir;

use crate::cli::command::{charpipe, create_directory, messages_of, names};

/// Runs `charpipe -f latin1` with these words in a directory.
fn run<S: AsRef<OsStr>>(directory: &Path, words: &[S]) -> Assert {
    charpipe().current_dir(directory).args(["-f", "latin1"]).args(words).assert()
}

fn read(directory: &Path, name: &str) -> Vec<u8> {
    fs::read(directory.join(name)).unwrap()
}

/// Returns the messages without `charpipe: `.
fn lines(run: &Assert) -> Vec<String> {
    let lines = messages_of(run);
    lines.iter().map(|line| line.strip_prefix("charpipe: ").unwrap().to_owned()).collect()
}

/// Creates a directory with these files, whose paths may contain slashes.
fn create_tree(files: &[(&str, &[u8])]) -> TempDir {
    let tree = TempDir::new().unwrap();
    for (name, content) in files {
        let path = tree.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    tree
}

/// Returns the sorted paths of all files below a directory.
fn paths(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for name in names(directory) {
        let path = directory.join(&name);
        if path.is_dir() && !path.is_symlink() {
            found.extend(paths(&path).iter().map(|below| format!("{name}/{below}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

const PNG: &[u8] = b"\x89PNG\r\n\x1A\n\0\0";

/// A tree with a file of each kind.
fn tree() -> TempDir {
    create_tree(&[
        ("src/a.txt", b"caf\xE9\n"),
        ("src/ascii", b"plain\n"),
        ("src/empty", b""),
        ("src/image.png", PNG),
        ("src/sub/deep/b", b"\xC5\n"),
        ("src/utf8", "é\n".as_bytes()),
        ("src/.hidden", b"\xE9"),
    ])
}

#[test]
fn each_file_is_converted_to_the_directory() {
    let directory = create_directory(&[("a", b"\xE9\n"), ("b", b"\xE8\n")]);
    let done = run(directory.path(), &["--output-dir", "new/out", "a", "b"]).success().stdout("");
    assert_eq!(lines(&done), ["2 converted, 0 copied unchanged, 0 skipped, 0 failed"]);
    assert_eq!(paths(directory.path()), ["a", "b", "new/out/a", "new/out/b"]);
    for (name, content) in [("a", "\u{E9}\n"), ("b", "\u{E8}\n")] {
        assert_eq!(read(directory.path(), &format!("new/out/{name}")), content.as_bytes());
        assert_eq!(read(directory.path(), name).len(), 2);
    }
}

#[test]
fn a_tree_is_mirrored_completely() {
    let tree = tree();
    let done = run(tree.path(), &["-v", "-r", "--output-dir", "out", "src"]).success();
    assert_eq!(
        lines(&done),
        [
            "src/a.txt -> out/a.txt: converted from ISO-8859-1 to UTF-8",
            "src/ascii -> out/ascii: copied unchanged",
            "src/empty -> out/empty: copied unchanged",
            "src/image.png -> out/image.png: copied unchanged: binary file (PNG signature)",
            "src/sub/deep/b -> out/sub/deep/b: converted from ISO-8859-1 to UTF-8",
            "src/utf8 -> out/utf8: already valid UTF-8; copied unchanged (for files in either encoding \
             use -f auto --default-encoding ISO-8859-1)",
            "2 converted, 4 copied unchanged, 0 skipped, 0 failed",
        ]
    );
    let out = tree.path().join("out");
    assert_eq!(paths(&out), ["a.txt", "ascii", "empty", "image.png", "sub/deep/b", "utf8"]);
    for (name, content) in [
        ("a.txt", "café\n".as_bytes()),
        ("ascii", b"plain\n"),
        ("empty", b""),
        ("image.png", PNG),
        ("sub/deep/b", "Å\n".as_bytes()),
        ("utf8", "é\n".as_bytes()),
    ] {
        assert_eq!(read(&out, name), content, "{name}");
    }
    assert_eq!(read(tree.path(), "src/a.txt"), b"caf\xE9\n");
}

#[test]
fn the_second_run_replaces_the_outputs() {
    let tree = tree();
    let words = ["-r", "--output-dir", "out", "src"];
    run(tree.path(), &words).success();
    fs::write(tree.path().join("src/a.txt"), b"\xE8").unwrap();
    let done = run(tree.path(), &words).success();
    assert_eq!(lines(&done), ["2 converted, 4 copied unchanged, 0 skipped, 0 failed"]);
    assert_eq!(read(tree.path(), "out/a.txt"), "è".as_bytes());
}

#[test]
fn trees_are_merged_and_other_operands_have_their_names() {
    let tree = create_tree(&[("x/a", b"\xE9"), ("y/sub/b", b"\xE9"), ("z/w/c", b"\xE9")]);
    run(tree.path(), &["-r", "--output-dir", "out", "x", "./y/", "z/w/../w/c"]).success();
    assert_eq!(paths(&tree.path().join("out")), ["a", "c", "sub/b"]);
}

#[test]
fn names_in_a_list_keep_their_directories() {
    let tree =
        create_tree(&[("x/a", b"\xE9"), ("y/a", b"\xE9"), ("top", b"\xE9"), ("z/b", b"\xE9")]);
    let absolute = tree.path().join("top").into_os_string().into_string().unwrap();
    let list = ["x/a", "./y/a", "top", "y/../top", &absolute, "z"].join("\n");
    fs::write(tree.path().join("list"), list).unwrap();
    let words = ["-r", "--output-dir", "out/out", "--files-from", "list"];
    let done = run(tree.path(), &words).code(2);
    let outside = "its output would be outside of the output directory";
    assert_eq!(
        lines(&done),
        [
            format!("y/../top: {outside}"),
            format!("{absolute}: {outside}"),
            "4 converted, 0 copied unchanged, 0 skipped, 2 failed".to_owned(),
        ]
    );
    assert_eq!(paths(&tree.path().join("out")), ["out/top", "out/x/a", "out/y/a", "out/z/b"]);
}

#[test]
fn the_output_directory_is_not_searched() {
    let tree = tree();
    for _ in 0..2 {
        let done = run(tree.path(), &["-r", "--output-dir", "src/out", "src"]).success();
        assert_eq!(lines(&done), ["2 converted, 4 copied unchanged, 0 skipped, 0 failed"]);
    }
    let out = ["a.txt", "ascii", "empty", "image.png", "sub/deep/b", "utf8"];
    assert_eq!(paths(&tree.path().join("src/out")), out);
}

#[test]
fn a_tree_in_the_output_directory_is_rejected() {
    let tree = tree();
    for (out, root, message) in [
        ("src", "src", "src: is the output directory"),
        ("src/sub/..", "src", "src: is the output directory"),
        (".", "src", "src: is in the output directory"),
    ] {
        let done = run(tree.path(), &["-r", "--output-dir", out, root]).code(2);
        assert_eq!(lines(&done)[0], message);
    }
    assert_eq!(paths(tree.path()).len(), 7);
}

#[test]
fn an_output_is_never_an_input() {
    let tree = create_tree(&[("a", b"\xE9 old"), ("x/a", b"\xE8"), ("x/x/a", b"\xEA")]);
    for (words, messages) in [
        (&["--output-dir", ".", "a"][..], &["a: cannot write ./a: input file is output file"][..]),
        // Neither the output of an earlier file nor that of a later one.
        (
            &["--output-dir", "x", "a", "x/a"],
            &[
                "a: cannot write x/a: is also an input",
                "x/a: cannot write x/a: input file is output file",
            ],
        ),
        (
            &["--output-dir", "x", "x/x/a", "x/a"],
            &[
                "x/x/a: cannot write x/a: is also an input",
                "x/a: cannot write x/a: input file is output file",
            ],
        ),
    ] {
        for option in ["-n", "-j1", "-j4"] {
            let done = run(tree.path(), &[words, &[option]].concat()).code(2);
            assert_eq!(&lines(&done)[..messages.len()], messages, "{words:?} {option}");
        }
    }
    assert_eq!(read(tree.path(), "a"), b"\xE9 old");
    assert_eq!(read(tree.path(), "x/a"), b"\xE8");
}

#[test]
fn an_output_of_this_run_is_not_converted_again() {
    let tree = create_tree(&[("a", b"\xE9"), ("list", b"a\nx/a\n")]);
    let words = ["-j1", "--output-dir", "x", "--files-from", "list"];
    let done = run(tree.path(), &words).code(2);
    assert_eq!(lines(&done)[0], "x/a: cannot write x/x/a: its input is an output of this run");
    assert_eq!(read(tree.path(), "x/a"), "é".as_bytes());
}

#[test]
fn two_files_never_have_the_same_output() {
    let tree =
        create_tree(&[("x/a", b"\xE9"), ("y/a", b"\xE8"), ("y/b", b"\xE8"), ("old/c", b"\xFF")]);
    fs::create_dir(tree.path().join("y/old")).unwrap();
    fs::write(tree.path().join("y/old/c"), b"ok").unwrap();
    for words in [&["x/a", "y/a", "y/b"][..], &["-r", "x", "y"], &["x/a", "x/a"]] {
        for option in ["-n", "-j1", "-j4"] {
            let out = TempDir::new_in(tree.path()).unwrap();
            let name = out.path().file_name().unwrap().to_str().unwrap();
            let words = [words, &[option, "--output-dir", name]].concat();
            let done = run(tree.path(), &words).code(2);
            let expected = format!("cannot write {name}/a: is already an output of this run");
            assert!(
                lines(&done)[usize::from(option == "-n")..]
                    .iter()
                    .any(|line| line.ends_with(&expected)),
                "{done}"
            );
            if option != "-n" {
                assert_eq!(read(out.path(), "a"), "é".as_bytes());
            }
        }
    }
    // Also if the first one cannot be converted.
    let done = charpipe()
        .current_dir(&tree)
        .args(["-f", "utf-8", "--output-dir", "out", "old/c", "y/old/c"])
        .assert()
        .code(2);
    assert!(lines(&done)[1].ends_with("is already an output of this run"), "{done}");
    assert!(paths(&tree.path().join("out")).is_empty());
}

#[test]
fn a_dry_run_writes_nothing() {
    let tree = tree();
    let done = run(tree.path(), &["-n", "-r", "--output-dir", "out", "src"]).success();
    assert_eq!(
        lines(&done),
        [
            "src/a.txt -> out/a.txt: would be converted from ISO-8859-1 to UTF-8",
            "src/sub/deep/b -> out/sub/deep/b: would be converted from ISO-8859-1 to UTF-8",
            "2 would be converted, 4 would be copied unchanged, 0 skipped, 0 failed",
        ]
    );
    assert_eq!(names(tree.path()), ["src"]);
    fs::create_dir_all(tree.path().join("out/a.txt")).unwrap();
    let done = run(tree.path(), &["-n", "-r", "--output-dir", "out", "src"]).code(2);
    assert!(lines(&done)[0].starts_with("src/a.txt: cannot write out/a.txt: "), "{done}");
}

#[test]
fn a_file_that_cannot_be_converted_keeps_its_old_output() {
    let tree = create_tree(&[("a", b"\xFF"), ("b", b"b"), ("out/a", b"old")]);
    let done = charpipe()
        .current_dir(&tree)
        .args(["-f", "utf-8", "-t", "us-ascii", "--output-dir", "out", "a", "b"])
        .assert()
        .code(1);
    assert_eq!(lines(&done)[1], "0 converted, 1 copied unchanged, 0 skipped, 1 failed");
    assert_eq!(read(tree.path(), "out/a"), b"old");
    assert_eq!(paths(&tree.path().join("out")), ["a", "b"]);
    let words =
        ["-f", "utf-8", "-t", "us-ascii", "--fail-fast", "-j1", "--output-dir", "new", "a", "b"];
    charpipe().current_dir(&tree).args(words).assert().code(1);
    assert!(paths(&tree.path().join("new")).is_empty());
}

#[test]
fn a_suffix_is_appended() {
    let tree = create_tree(&[("a.txt", b"\xE9"), ("sub/ascii", b"ok"), ("image", PNG)]);
    let done = run(tree.path(), &["--suffix", ".utf8", "a.txt", "sub/ascii", "image"]).code(1);
    assert_eq!(
        lines(&done),
        [
            "image: skipped: binary file (PNG signature)",
            "1 converted, 1 copied unchanged, 1 skipped, 0 failed",
        ]
    );
    assert_eq!(read(tree.path(), "a.txt.utf8"), "é".as_bytes());
    assert_eq!(paths(tree.path()), ["a.txt", "a.txt.utf8", "image", "sub/ascii", "sub/ascii.utf8"]);
    run(tree.path(), &["--suffix=.u", "--output-dir", "out", "a.txt"]).success();
    assert_eq!(paths(&tree.path().join("out")), ["a.txt.u"]);
}

#[test]
fn outputs_with_the_suffix_are_not_converted_again() {
    let tree = create_tree(&[("a", b"\xE9"), ("sub/b", b"\xE9")]);
    for _ in 0..2 {
        let done = run(tree.path(), &["-r", "--suffix", ".utf8", "."]).success();
        assert_eq!(lines(&done), ["2 converted, 0 copied unchanged, 0 skipped, 0 failed"]);
    }
    assert_eq!(paths(tree.path()), ["a", "a.utf8", "sub/b", "sub/b.utf8"]);
    let done = run(tree.path(), &["--suffix", ".utf8", "a", "a.utf8"]).code(2);
    assert_eq!(lines(&done)[0], "a: cannot write a.utf8: is also an input");
}

#[test]
fn force_converts_what_would_be_copied() {
    let tree = create_tree(&[("a", "é".as_bytes())]);
    run(tree.path(), &["--force", "--output-dir", "out", "a"]).success();
    assert_eq!(read(tree.path(), "out/a"), "Ã©".as_bytes());
}

#[test]
fn options_with_several_outputs() {
    let directory = create_directory(&[("a", b"\xE9")]);
    for (words, message) in [
        (&["--output-dir", "out"][..], "--output-dir requires at least one FILE"),
        (&["--suffix", "~"], "--suffix requires at least one FILE"),
        (
            &["--output-dir", "", "a"],
            "--output-dir: the directory name is empty (use . for the current directory)",
        ),
        (&["--suffix", "", "a"], "--suffix: the suffix is empty (expected one such as .new)"),
        (
            &["--suffix", "/x", "a"],
            "--suffix: the suffix contains a slash (it is added to the file name)",
        ),
        (&["--output-dir", "out", "-"], "standard input has no file name (use -o FILE)"),
        (&["--suffix", "~", "-i", "a"], "--suffix cannot be used with --in-place"),
        (&["--output-dir", "out", "-o", "b", "a"], "--output-dir cannot be used with --output"),
        (&["--output-dir", "out", "-b", "a"], "--backup requires --in-place"),
    ] {
        let done = run(directory.path(), words).code(2);
        assert_eq!(lines(&done)[0], message, "{words:?}");
    }
    let words = ["--output-dir", "none", "-t", "us-ascii", "--on-error", "replace=\u{E9}", "a"];
    run(directory.path(), &words).code(2);
    let done = run(directory.path(), &["--output-dir", "a", "a"]).code(2);
    assert!(lines(&done)[0].starts_with("output directory a: "), "{done}");
    let done = run(directory.path(), &["--output-dir", "out", "."]).code(2);
    assert_eq!(lines(&done)[0], ".: is a directory (use -r)");
    assert_eq!(names(directory.path()), ["a", "out"]);
}

#[test]
fn the_encoding_of_each_file_is_detected() {
    let directory = create_directory(&[("a", b"caf\xE9\n"), ("b", b"\xFE\xFF\0c\0\xE9")]);
    let words = ["-f", "auto", "--default-encoding", "latin1", "--output-dir", "out", "a", "b"];
    charpipe().current_dir(&directory).args(words).assert().success();
    assert_eq!(read(directory.path(), "out/a"), "café\n".as_bytes());
    assert_eq!(read(directory.path(), "out/b"), "cé".as_bytes());
}

/// Metadata, links and special files.
#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::cli::command::{as_unprivileged_user, shell};

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn new_outputs_have_the_permissions_of_their_files() {
        let tree =
            create_tree(&[("src/a", b"\xE9"), ("src/b", b"\xE9"), ("src/sub/deep/c", b"\xE9")]);
        let src = tree.path().join("src");
        for (name, mode) in [("a", 0o4755), ("b", 0o666), ("sub/deep/c", 0o600), ("sub", 0o711)] {
            set_mode(&src.join(name), mode);
        }
        set_mode(&src, 0o750);
        let words = "umask 022; \"$@\" -q -f latin1 -r --output-dir new/out src";
        shell(words).current_dir(&tree).assert().success();
        for (name, expected) in [
            ("a", 0o755),
            ("b", 0o644),
            ("sub/deep/c", 0o600),
            // A file is no more accessible than in the tree.
            ("sub", 0o711),
            ("", 0o750),
            ("..", 0o755),
        ] {
            let path = tree.path().join("new/out").join(name);
            assert_eq!(mode(&path), expected, "{name}");
        }
        let words = "umask 027; \"$@\" -q -f latin1 --no-preserve=mode --output-dir new src/a";
        shell(words).current_dir(&tree).assert().success();
        assert_eq!(mode(&tree.path().join("new/a")), 0o640);
    }

    #[test]
    fn replaced_outputs_keep_their_permissions() {
        let tree = create_tree(&[("a", b"\xE9"), ("out/a", b"old")]);
        set_mode(&tree.path().join("out/a"), 0o604);
        run(tree.path(), &["--output-dir", "out", "a"]).success();
        assert_eq!(mode(&tree.path().join("out/a")), 0o604);
    }

    #[test]
    fn the_modification_time_is_preserved_on_request() {
        let directory = create_directory(&[("a", b"\xE9"), ("ascii", b"x")]);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for name in ["a", "ascii"] {
            let file = fs::File::options().write(true).open(directory.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
        }
        for (option, expected) in [("-k", true), ("-v", false)] {
            run(directory.path(), &[option, "--output-dir", "out", "a", "ascii"]).success();
            for name in ["out/a", "out/ascii"] {
                let modified = fs::metadata(directory.path().join(name)).unwrap().modified();
                assert_eq!(modified.unwrap() == time, expected, "{option} {name}");
            }
        }
    }

    #[test]
    fn no_symbolic_link_in_the_directory_is_followed() {
        let tree = create_tree(&[("src/sub/a", b"\xE9"), ("src/b", b"\xE9"), ("other/b", b"old")]);
        fs::create_dir(tree.path().join("out")).unwrap();
        symlink("../other", tree.path().join("out/sub")).unwrap();
        symlink("../other/b", tree.path().join("out/b")).unwrap();
        for option in ["-n", "-v"] {
            let done = run(tree.path(), &[option, "-r", "--output-dir", "out", "src"]).code(2);
            assert_eq!(
                lines(&done)[..2],
                [
                    "src/b: cannot write out/b: is a symbolic link",
                    "src/sub/a: cannot write out/sub/a: out/sub is a symbolic link",
                ]
            );
        }
        assert_eq!(
            (read(tree.path(), "other/b"), paths(&tree.path().join("other"))),
            (b"old".to_vec(), vec!["b".to_owned()])
        );
        // The directory itself may be one.
        symlink("other", tree.path().join("link")).unwrap();
        run(tree.path(), &["--output-dir", "link", "src/b"]).success();
        assert_eq!(read(tree.path(), "other/b"), "é".as_bytes());
    }

    #[test]
    fn the_file_that_a_link_leads_to_is_converted() {
        let tree = create_tree(&[("a", b"\xE9"), ("sub/x", b"")]);
        symlink("../a", tree.path().join("sub/link")).unwrap();
        run(tree.path(), &["--output-dir", "out", "sub/link"]).success();
        assert_eq!(read(tree.path(), "out/link"), "é".as_bytes());
        run(tree.path(), &["--suffix", "~", "sub/link"]).success();
        assert_eq!(read(tree.path(), "sub/link~"), "é".as_bytes());
        assert!(!tree.path().join("out/link").is_symlink());
    }

    #[test]
    fn hard_links_each_have_an_output() {
        let directory = create_directory(&[("a", b"\xE9")]);
        fs::hard_link(directory.path().join("a"), directory.path().join("b")).unwrap();
        run(directory.path(), &["--output-dir", "out", "a", "b"]).success();
        assert_eq!(paths(&directory.path().join("out")), ["a", "b"]);
    }

    #[test]
    fn an_output_that_cannot_be_replaced_is_kept() {
        let tree = create_tree(&[("a", b"\xE9"), ("out/a", b"old")]);
        let out = tree.path().join("out/a");
        fs::hard_link(&out, tree.path().join("out/b")).unwrap();
        let words = ["--output-dir", "out", "a"];
        let done = run(tree.path(), &words).code(2);
        let message = "a: cannot write out/a: has 2 hard links (use --break-hard-links)";
        assert_eq!(lines(&done)[0], message);
        assert_eq!(read(tree.path(), "out/a"), b"old");
        run(tree.path(), &[&words[..], &["--break-hard-links"]].concat()).success();
        assert_eq!(
            (read(tree.path(), "out/a"), read(tree.path(), "out/b")),
            ("é".into(), b"old".to_vec())
        );
        fs::remove_file(&out).unwrap();
        fs::create_dir(&out).unwrap();
        run(tree.path(), &words).code(2);
        fs::remove_dir(&out).unwrap();
        make_fifo(&out);
        let done = run(tree.path(), &words).code(2);
        assert_eq!(lines(&done)[0], "a: cannot write out/a: is not a regular file");
    }

    fn make_fifo(path: &Path) {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path, fifo, mode, 0).unwrap();
    }

    #[test]
    fn a_read_only_output_is_replaced_only_by_force() {
        let Some(mut command) = as_unprivileged_user() else { return };
        let tree = create_tree(&[("a", b"\xE9"), ("out/a", b"old")]);
        set_mode(tree.path(), 0o777);
        set_mode(&tree.path().join("out"), 0o777);
        if charpipe_test_support::is_superuser() {
            std::os::unix::fs::chown(tree.path().join("out/a"), Some(65534), Some(65534)).unwrap();
        }
        set_mode(&tree.path().join("out/a"), 0o444);
        command.current_dir(&tree).args(["-f", "latin1", "--output-dir", "out", "a"]);
        let output = command.output().unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        let expected = "a: cannot write out/a: is read-only (use --force to replace it)";
        assert!(messages.contains(expected), "{messages}");
        assert_eq!(read(tree.path(), "out/a"), b"old");
        assert!(command.arg("--force").output().unwrap().status.success());
        assert_eq!(
            (read(tree.path(), "out/a"), mode(&tree.path().join("out/a"))),
            ("é".into(), 0o444)
        );
    }

    #[test]
    fn special_files_are_rejected() {
        let directory = create_directory(&[]);
        make_fifo(&directory.path().join("fifo"));
        let done = run(directory.path(), &["--output-dir", "out", "fifo", "missing"]).code(2);
        assert_eq!(lines(&done)[0], "fifo: is not a regular file");
        assert!(paths(&directory.path().join("out")).is_empty());
    }

    #[test]
    fn names_need_not_be_utf8() {
        use std::os::unix::ffi::OsStrExt;
        let directory = create_directory(&[]);
        let name = OsStr::from_bytes(b"n\xE9");
        fs::create_dir(directory.path().join("src")).unwrap();
        fs::write(directory.path().join("src").join(name), b"\xE9").unwrap();
        let done = run(directory.path(), &["-v", "-r", "--output-dir", "out", "src"]).success();
        let line = "src/n\\xE9 -> out/n\\xE9: converted from ISO-8859-1 to UTF-8";
        assert_eq!(lines(&done)[0], line);
        assert_eq!(fs::read(directory.path().join("out").join(name)).unwrap(), "é".as_bytes());
    }
}
