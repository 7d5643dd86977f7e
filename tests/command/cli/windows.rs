//! Behavior on Windows.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::cli::command::{charpipe, create_directory, messages_of, names, plain, subcommand};

const LATIN1_TO_UTF8: [&str; 4] = ["-f", "latin1", "-t", "utf-8"];

const FILE_ATTRIBUTE_HIDDEN: u32 = 2;

/// Runs `charpipe -i` from Latin-1 to UTF-8 in a directory. Returns the exit code and the messages.
fn convert_in_place(directory: &Path, words: &[&str]) -> (i32, Vec<String>) {
    let mut command = charpipe();
    let run = command.current_dir(directory).arg("-i").args(LATIN1_TO_UTF8).args(words).assert();
    (run.get_output().status.code().unwrap(), messages_of(&run))
}

#[test]
fn bytes_on_pipes_are_unchanged() {
    let input = b"caf\xE9\r\na\n\x1Ab\r\0".repeat(1000);
    let expected = "café\r\na\n\x1Ab\r\0".repeat(1000);
    charpipe().args(LATIN1_TO_UTF8).write_stdin(input).assert().success().stdout(expected);
}

#[test]
fn exit_codes_are_those_of_other_systems() {
    for (words, input, code) in [
        (&["-f", "utf-8", "-t", "utf-16"][..], &b"a"[..], 0),
        (&["-f", "utf-8", "-t", "utf-16"], b"a\xFF", 1),
        (&["-f", "utf-8", "-t", "no such"], b"a", 2),
        (&["-f", "utf-8", "-t", "utf-16", "missing"], b"", 2),
        (&["check"], b"\xFF", 1),
    ] {
        charpipe().args(words).write_stdin(input).assert().code(code);
    }
}

#[test]
fn converted_file_keeps_attributes_and_creation_time() {
    let directory = create_directory(&[]);
    let path = directory.path().join("a");
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).attributes(FILE_ATTRIBUTE_HIDDEN);
    std::io::Write::write_all(&mut options.open(&path).unwrap(), b"caf\xE9\r\n").unwrap();
    let old = fs::metadata(&path).unwrap();
    let (code, _) = convert_in_place(directory.path(), &["a"]);
    assert_eq!((code, fs::read(&path).unwrap()), (0, "café\r\n".into()));
    let new = fs::metadata(&path).unwrap();
    assert_eq!(old.file_attributes() & FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_HIDDEN);
    assert_eq!(new.file_attributes(), old.file_attributes());
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn backup_has_the_old_content() {
    let directory = create_directory(&[("a.txt", b"caf\xE9\r\n")]);
    let (code, _) = convert_in_place(directory.path(), &["--backup=.bak", "a.txt"]);
    assert_eq!(code, 0);
    assert_eq!(names(directory.path()), ["a.txt", "a.txt.bak"]);
    assert_eq!(fs::read(directory.path().join("a.txt")).unwrap(), "café\r\n".as_bytes());
    assert_eq!(fs::read(directory.path().join("a.txt.bak")).unwrap(), b"caf\xE9\r\n");
    fs::write(directory.path().join("a.txt"), b"\xE9\n").unwrap();
    let (code, messages) = convert_in_place(directory.path(), &["--backup=.bak", "a.txt"]);
    assert_eq!(code, 2);
    let expected = "charpipe: a.txt: backup a.txt.bak already exists; not converted (use --force to replace it)";
    assert_eq!(messages[0], expected);
}

#[test]
fn failed_conversion_changes_nothing() {
    let content = b"caf\xC3\xA9 \xFF\r\n".repeat(30_000);
    let directory = create_directory(&[("a", &content)]);
    let mut command = charpipe();
    let command = command.current_dir(&directory).args(["-i", "-f", "utf-8", "-t", "utf-16", "a"]);
    command.assert().code(1);
    assert_eq!(names(directory.path()), ["a"]);
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), content);
}

#[test]
fn read_only_file_is_not_replaced() {
    let directory = create_directory(&[("a", b"caf\xE9")]);
    let path = directory.path().join("a");
    let set_read_only = |read_only| {
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(read_only);
        fs::set_permissions(&path, permissions).unwrap();
    };
    set_read_only(true);
    let (code, messages) = convert_in_place(directory.path(), &["a"]);
    assert_eq!((code, &*messages[0]), (2, "charpipe: a: cannot be written: is read-only"));
    let run = charpipe()
        .current_dir(&directory)
        .args(["-f", "utf-8", "-t", "utf-8", "-o", "a"])
        .write_stdin("x")
        .assert()
        .code(2);
    assert_eq!(messages_of(&run), ["charpipe: a: cannot be written: is read-only"]);
    assert_eq!(fs::read(&path).unwrap(), b"caf\xE9");
    set_read_only(false);
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn file_that_is_being_written_is_locked() {
    let directory = create_directory(&[("a", b"caf\xE9")]);
    let path = directory.path().join("a");
    let writer = OpenOptions::new().append(true).open(&path).unwrap();
    let (code, messages) = convert_in_place(directory.path(), &["a"]);
    assert_eq!((code, &*messages[0]), (2, "charpipe: a: is locked by another process"));
    drop(writer);
    // Readers that share everything, as most do, exclude nothing.
    let mut reader = File::open(&path).unwrap();
    assert_eq!(convert_in_place(directory.path(), &["a"]).0, 0);
    let mut old = Vec::new();
    reader.read_to_end(&mut old).unwrap();
    assert_eq!((old, fs::read(&path).unwrap()), (b"caf\xE9".to_vec(), "café".into()));
}

#[test]
fn hard_links_are_not_broken() {
    let directory = create_directory(&[("a", b"caf\xE9")]);
    fs::hard_link(directory.path().join("a"), directory.path().join("b")).unwrap();
    let (code, messages) = convert_in_place(directory.path(), &["a"]);
    assert_eq!(code, 2);
    assert!(
        messages[0].starts_with("charpipe: a: has 2 hard links; not converted"),
        "{messages:?}"
    );
}

#[test]
fn file_is_converted_once() {
    let directory = create_directory(&[("a", b"caf\xE9")]);
    let (code, messages) = convert_in_place(directory.path(), &["a", r".\A", "./a"]);
    assert_eq!(code, 0, "{messages:?}");
    assert_eq!(messages.last().unwrap(), "charpipe: 1 converted, 0 unchanged, 2 skipped, 0 failed");
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), "café".as_bytes());
}

/// Creates a file whose path has more than 260 characters.
fn create_long_path(directory: &Path) -> PathBuf {
    let mut path = fs::canonicalize(directory).unwrap();
    path.extend(["x".repeat(100), "y".repeat(100), "z".repeat(100)]);
    fs::create_dir_all(&path).unwrap();
    path.push("a.txt");
    fs::write(&path, b"caf\xE9").unwrap();
    path
}

#[test]
fn long_paths_are_found_and_converted() {
    let directory = create_directory(&[]);
    let path = create_long_path(directory.path());
    subcommand("check").current_dir(&directory).args(["-r", "."]).assert().code(1);
    let (code, messages) = convert_in_place(directory.path(), &["-r", "."]);
    assert_eq!((code, fs::read(&path).unwrap()), (0, "café".into()), "{messages:?}");
    let output = path.with_file_name("b.txt");
    let mut command = charpipe();
    command.args(["-f", "utf-8", "-t", "latin1", "-o"]).args([&output, &path]).assert().success();
    assert_eq!(fs::read(&output).unwrap(), b"caf\xE9");
}

#[test]
fn unusual_names_are_exact() {
    let surrogate = OsString::from_wide(&[0x61, 0xD800, 0x62]);
    let root = create_directory(&[]);
    let directory = fs::canonicalize(root.path()).unwrap();
    let mut created = 0;
    for name in ["日本語 😀".into(), "a;b 'c'".into(), "a.".into(), "nul.txt".into(), surrogate]
    {
        // Not every file system permits all of these.
        let path: PathBuf = directory.join::<OsString>(name);
        created += usize::from(fs::write(path, b"caf\xE9").is_ok());
    }
    assert!(created >= 3, "{created}");
    let (code, messages) = convert_in_place(root.path(), &["-r", "."]);
    assert_eq!(code, 0, "{messages:?}");
    let summary = format!("charpipe: {created} converted, 0 unchanged, 0 skipped, 0 failed");
    assert_eq!(*messages.last().unwrap(), summary);
    for entry in fs::read_dir(&directory).unwrap() {
        assert_eq!(fs::read(entry.unwrap().path()).unwrap(), "café".as_bytes());
    }
    subcommand("check").current_dir(&root).args(["-r", "."]).assert().success();
}

#[test]
fn walk_applies_ignore_rules_with_slashes() {
    let root = create_directory(&[(".gitignore", b"/out/\r\nsub/*.log\r\n")]);
    for path in ["out/a", "sub/b.log", "sub/deep/c.txt", "sub/d.txt"] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, b"\xFF").unwrap();
    }
    let paths = |directory: &Path, operand: &str| {
        let mut command = subcommand("check");
        let command = command.current_dir(directory).args(["-r", "--format", "json", operand]);
        let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let names =
            output.split("{\"file\":\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(paths(root.path(), "."), ["sub/d.txt", "sub/deep/c.txt"]);
    assert_eq!(paths(root.path(), r".\sub"), ["sub/d.txt", "sub/deep/c.txt"]);
    assert_eq!(paths(&root.path().join("sub"), "."), ["d.txt", "deep/c.txt"]);
}

#[test]
fn lines_of_a_list_may_end_with_cr_lf() {
    let directory = create_directory(&[("a", b"\xFF"), ("b", b"x"), ("c", b"\xFF")]);
    let mut command = subcommand("check");
    let command = command.current_dir(&directory).args(["--files-from", "-", "--format", "json"]);
    let run = command.write_stdin("a\r\nb\r\n").assert().code(1);
    let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(output.contains("\"file\":\"a\"") && !output.contains("\"file\":\"c\""), "{output}");
}

#[test]
fn directories_and_devices_are_recognized() {
    let directory = create_directory(&[("a", b"x")]);
    fs::create_dir(directory.path().join("d")).unwrap();
    let run = |words: &[&str]| {
        let mut command = charpipe();
        command.current_dir(&directory).args(["-f", "utf-8", "-t", "utf-8"]).args(words);
        let run = command.assert();
        (run.get_output().status.code().unwrap(), messages_of(&run))
    };
    assert_eq!(run(&["d"]), (2, vec!["charpipe: d: is a directory".to_owned()]));
    let message = "charpipe: --output: d is a directory; use --output-dir to write to files in it";
    assert_eq!(run(&["-o", "d", "a"]), (2, vec![message.to_owned()]));
    assert_eq!(run(&["-o", "NUL", "a"]), (0, Vec::new()));
    // An input under another name may be the output.
    assert_eq!(run(&["-o", "a", r".\A"]), (0, Vec::new()));
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), b"x");
    assert_eq!(names(directory.path()), ["a", "d"]);
}

#[test]
fn closed_pipe_ends_the_run_without_a_message() {
    let mut command = plain();
    command.args(["-f", "utf-8", "-t", "utf-16"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), &[b'x'; 100_000]);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
