//! `--editorconfig`.

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::{check, lines};
use crate::cli::command::messages_of;
use charpipe_test_support::{Requirement, require};

/// Creates a tree whose root ends the search for `.editorconfig` files.
fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (name, content) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    directory
}

#[test]
fn rules_of_the_nearest_section_apply() {
    let directory = tree(&[
        (".editorconfig", b"root = true\n[*]\ncharset = utf-8\nend_of_line = lf\n[*.bat]\nend_of_line = crlf\n[*.{rc,inf}]\ncharset = utf-16le\nend_of_line = unset\n[bom/*]\ncharset=utf-8-bom\n"),
        ("a.bat", b"ok\r\n"),
        ("b.bat", b"no\n"),
        ("bom/a", b"\xEF\xBB\xBFx"),
        ("bom/b", b"x"),
        ("crlf", b"a\r\n"),
        ("d.rc", b"\xFF\xFEa\0\r\0\n\0"),
        ("e.inf", b"a\0\0\xDC"),
        ("invalid", b"\xE9\n"),
        ("latin/.editorconfig", b"[*.txt]\ncharset = latin1\n"),
        ("latin/a.txt", b"\xE9\n"),
        ("latin/b", b"\xE9\n"),
        ("mac/.editorconfig", b"root=true\n[*]\nend_of_line=cr\n"),
        ("mac/a", b"\xEF\xBB\xBFa\rb\n"),
        ("mark", b"\xEF\xBB\xBFx\n"),
    ]);
    let expected = [
        "./b.bat:1:3: byte 2: line ends with LF (expected CRLF)",
        "./bom/b:1:1: byte 0: missing byte order mark",
        "./crlf:1:2: byte 1: line ends with CRLF (expected LF)",
        "./e.inf:1:2: byte 2: invalid UTF-16LE sequence 00 DC (unpaired surrogate)",
        "./invalid:1:1: byte 0: invalid UTF-8 sequence E9 (followed by 0A; continuation byte expected)",
        "./latin/b:1:1: byte 0: invalid UTF-8 sequence E9 (followed by 0A; continuation byte expected)",
        "./mac/a:1:5: byte 6: line ends with LF (expected CR)",
        "./mark:1:1: byte 0: unexpected byte order mark",
    ];
    let mut command = check();
    let reported = lines(command.current_dir(&directory).args(["--editorconfig", "."]), 1);
    assert_eq!(reported, expected);
    // The same files, by their names.
    let mut command = check();
    let command = command.current_dir(directory.path().join("latin"));
    assert_eq!(lines(command.args(["--editorconfig", "a.txt", "../latin/b"]), 1).len(), 1);
}

#[test]
fn options_apply_to_files_without_rules() {
    let directory = tree(&[
        (".editorconfig", b"root = true\n[utf8]\ncharset = utf-8\n[lf]\nend_of_line = lf\n"),
        ("utf8", b"\xE9\r\n"),
        ("lf", b"\xE9\r\n"),
        ("other", b"\xE9\n"),
    ]);
    let mut command = check();
    let words = ["--editorconfig", "-e", "latin1", "--newline=crlf", "utf8", "lf", "other"];
    let reported = lines(command.current_dir(&directory).args(words), 1);
    assert_eq!(
        reported,
        [
            "utf8:1:1: byte 0: invalid UTF-8 sequence E9 (followed by 0D; continuation byte expected)",
            "lf:1:2: byte 1: line ends with CRLF (expected LF)",
            "other:1:2: byte 1: line ends with LF (expected CRLF)",
        ]
    );
    // Standard input has no directory.
    let mut command = check();
    let command = command.current_dir(&directory).args(["--editorconfig", "-e", "latin1", "-"]);
    command.write_stdin(&b"\xE9"[..]).assert().success();
}

#[test]
fn errors_in_the_files_are_reported_once() {
    let directory = tree(&[
        (".editorconfig", b"root = true\n[*]\ncharset = utf8\nend_of_line = \x1B\n"),
        ("a", b"x"),
        ("b", b"\xFF"),
    ]);
    let run = check().current_dir(&directory).args(["--editorconfig", "."]).assert().code(2);
    let path = fs::canonicalize(directory.path()).unwrap().join(".editorconfig");
    let path = path.display();
    assert_eq!(
        messages_of(&run),
        [
            format!(
                "charpipe: {path}:3: unknown charset \"utf8\" (expected one of: latin1, utf-8, \
                 utf-8-bom, utf-16be, utf-16le)"
            ),
            format!(
                "charpipe: {path}:4: unknown end_of_line \"\\x1B\" (expected one of: lf, crlf, cr)"
            ),
        ]
    );
    assert_eq!(String::from_utf8_lossy(&run.get_output().stdout).lines().count(), 1);
}

#[test]
fn unusable_files_are_reported() {
    for (content, reason) in
        [(&b"[*]\ncharset = \xFF\n"[..], "is not valid UTF-8"), (&[b'#'; 70_000], "exceeds 64 KiB")]
    {
        let directory = tree(&[(".editorconfig", content), ("a", b"x")]);
        let run = check().current_dir(&directory).args(["--editorconfig", "a"]).assert().code(2);
        let messages = messages_of(&run);
        assert!(messages[0].ends_with(&format!(".editorconfig: {reason}")), "{messages:?}");
    }
    let directory =
        tree(&[("a", b"x"), ("rules", b"root = true\n[*]\nend_of_line = lf\n"), ("b", b"\r\n")]);
    let path = directory.path().join(".editorconfig");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let run = check().current_dir(&directory).args(["--editorconfig", "a"]).assert().code(2);
    assert!(messages_of(&run)[0].ends_with(".editorconfig: is not a regular file"));
    // A symbolic link is followed.
    fs::remove_file(&path).unwrap();
    symlink("rules", &path).unwrap();
    assert_eq!(lines(check().current_dir(&directory).args(["--editorconfig", "b"]), 1).len(), 1);
}

#[test]
fn rules_combine_with_all_options() {
    let directory = tree(&[
        (".editorconfig", b"root=true\n[*]\ncharset=latin1\nend_of_line = lf\n"),
        ("a", b"\xC3\xA9\xE9\r\n"),
    ]);
    let mut command = check();
    let command = command.current_dir(&directory).args(["--editorconfig", "--mojibake", "a"]);
    let reported = lines(command, 1);
    assert!(
        reported[0].starts_with("a:1:1: byte 0: UTF-8 decoded in another encoding"),
        "{reported:?}"
    );
    assert_eq!(reported[1..], ["a:1:4: byte 3: line ends with CRLF (expected LF)"]);
    let mut command = check();
    let command = command.current_dir(&directory).args(["--editorconfig", "--headers-only", "a"]);
    assert_eq!(lines(command, 1), ["a:1:4: byte 3: line ends with CRLF (expected LF)"]);
    // A rule that cannot be checked in the encoding of the command line is an error of the file.
    let directory = tree(&[(".editorconfig", b"root=true\n[*]\nend_of_line = lf\n"), ("a", b"x")]);
    let mut command = check();
    let words = ["--editorconfig", "-e", "utf-8/base64", "a"];
    let run = command.current_dir(&directory).args(words).assert().code(2);
    assert!(messages_of(&run)[0].starts_with("charpipe: a: "), "{:?}", messages_of(&run));
}

/// Many globs that differ from a long name only at its end.
fn hostile_config() -> Vec<u8> {
    let section = format!("[{}b]\nend_of_line = crlf\n", "*a".repeat(500));
    [b"root = true\n".to_vec(), section.repeat(60).into_bytes()].concat()
}

#[test]
fn hostile_globs_are_reported_once_and_not_used() {
    let name = "a".repeat(200);
    let names: Vec<String> = (0..2000).map(|index| format!("{name}{index}")).collect();
    let mut files = vec![(".editorconfig", hostile_config())];
    files.extend(names.iter().map(|name| (name.as_str(), b"x\n".to_vec())));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, &text[..])).collect();
    let directory = tree(&files);
    let start = std::time::Instant::now();
    let run = check().current_dir(&directory).args(["--editorconfig", "."]).assert().code(2);
    let messages = messages_of(&run);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].ends_with("matching its section names takes too long"), "{messages:?}");
    // Without a limit, each file takes 52 ms.
    assert!(start.elapsed().as_secs() < 30);
}

#[test]
fn files_of_other_owners_above_the_start_are_ignored() {
    if !require(Requirement::Superuser) {
        return;
    }
    let directory = tree(&[
        (".editorconfig", b"root = true\n[*]\nend_of_line = crlf\n"),
        ("sub/deep/a", b"x\n"),
        ("sub/.editorconfig", b"[*]\ncharset = utf-8\n"),
    ]);
    let owned = |path: &str, user: u32| {
        std::os::unix::fs::chown(directory.path().join(path), Some(user), None).unwrap();
    };
    owned(".editorconfig", 1);
    let run = |words: &[&str]| {
        let mut command = check();
        command.current_dir(directory.path().join("sub")).arg("--editorconfig").args(words).assert()
    };
    for words in [["."], ["deep"], ["deep/a"]] {
        let run = run(&words).code(0).stdout("");
        let messages = messages_of(&run);
        assert_eq!(messages.len(), 1, "{messages:?}");
        let reason = "ignored: it is owned by another user and above the start directory";
        assert!(messages[0].ends_with(reason), "{messages:?}");
    }
    // In the start directory or below it, and with its owner, files are read.
    let mut command = check();
    let command = command.current_dir(&directory).args(["--editorconfig", "."]);
    assert_eq!(lines(command, 1).len(), 1);
    owned("sub", 1);
    assert_eq!(messages_of(&run(&["."]).code(1)), [""; 0]);
    owned("sub", 0);
    owned(".editorconfig", 0);
    run(&["deep/a"]).code(1);
}
