//! Rules of `.gitattributes`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use super::{check, lines};
use crate::cli::command::{
    as_unprivileged_user, messages_of, subcommand, subcommand_as_unprivileged_user,
};
use charpipe_test_support::{Requirement, missing, require, watch};

fn git(directory: &Path, words: &[&str]) -> Option<Output> {
    let mut command = watch::command("git");
    command.current_dir(directory).args(words).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("GIT_CONFIG_SYSTEM", "/dev/null").env("GIT_ATTR_NOSYSTEM", "1").output().ok()
}

fn write(directory: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Creates the root of a repository with files.
fn repository(files: &[(&str, &[u8])]) -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join(".git")).unwrap();
    files.iter().for_each(|(name, content)| write(directory.path(), name, content));
    directory
}

const LF_AND_CRLF: &[u8] = b"a\nb\r\n";

#[test]
fn line_endings_are_those_that_git_reports() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    if !git(root, &["init", "-q"]).is_some_and(|run| run.status.success()) {
        return missing("git");
    }
    write(
        root,
        ".gitattributes",
        "\u{FEFF}* text=auto\n  *.bat\ttext   eol=crlf\r\n*.sh text eol=lf\n*.svg -text\n*.raw -text eol=crlf\n\
         *.un text\n*.un !text !eol\n[attr]win text eol=crlf\n*.win win\n*.notwin win\n*.notwin -win\n\
         *.bin binary\n*.textbin binary text\n*.bintext text binary\n\"q \\\"\\143*\" eol=lf\n\
         !*.neg eol=lf\ndir/ eol=crlf\n/top eol=lf\nsub/*.deep eol=lf\n**/any eol=crlf\n*.old !text crlf eol=crlf\n\
         *.oldin !text crlf=input\n*.oldno !text -crlf eol=lf\n*.other text=other eol=lf\n# *.c eol=lf\n*.in text=input\n\
         *.later eol=crlf\n*.later eol=lf\n*.twice eol=lf eol=crlf\n[!a]x eol=lf\n*.info eol=crlf\n",
    );
    write(
        root,
        "sub/.gitattributes",
        "*.sh eol=crlf\n[attr]late eol=lf\n*.late late\n*.w2 win\n*.un eol=lf\n",
    );
    let long = format!("{} eol=lf\n*.ok eol=lf\n", "x".repeat(2040));
    write(root, "long/.gitattributes", long);
    write(root, ".git/info/attributes", "*.info eol=lf\nsub/*.cmd eol=lf\n");
    let names = [
        "a.bat",
        "a.sh",
        "a.svg",
        "a.raw",
        "a.un",
        "a.win",
        "a.notwin",
        "a.textbin",
        "a.bintext",
        "q \"c d",
        "a.neg",
        "dir/a",
        "top",
        "sub/top",
        "sub/a.deep",
        "sub/x/a.deep",
        "any",
        "sub/x/any",
        "a.old",
        "a.oldin",
        "a.oldno",
        "a.other",
        "a.c",
        "a.in",
        "a.later",
        "a.twice",
        "bx",
        "ax",
        "a.info",
        "sub/a.sh",
        "sub/x/a.sh",
        "sub/a.late",
        "sub/a.w2",
        "sub/a.un",
        "sub/a.cmd",
        "a.cmd",
        "long/a.ok",
        "plain",
    ];
    names.iter().for_each(|name| write(root, name, LF_AND_CRLF));
    let mut newlines = 0;
    for name in names {
        let run = git(root, &["ls-files", "--eol", "-z", "-o", "--", name]).unwrap();
        let listed = String::from_utf8(run.stdout).unwrap();
        let attributes = listed.split_once("attr/").unwrap().1.split('\t').next().unwrap();
        let expected = match attributes {
            it if it.contains("-text") => "",
            it if it.contains("eol=lf") => "expected LF",
            it if it.contains("eol=crlf") => "expected CRLF",
            // The configuration.
            _ => "",
        };
        let run = check().current_dir(root).args(["--", name]).assert();
        let report = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        assert_eq!(report.is_empty(), expected.is_empty(), "{name} {attributes} {report}");
        assert!(report.contains(expected), "{name} {attributes} {report}");
        newlines += usize::from(!expected.is_empty());
    }
    assert!(newlines > 15, "{newlines}");
}

#[test]
fn encodings_have_the_byte_order_mark_that_git_requires() {
    let directory = repository(&[(
        ".gitattributes",
        b"*.16 working-tree-encoding=UTF-16\n*.le working-tree-encoding=utf-16le\n*.bom working-tree-encoding=UTF-16LE-BOM\n\
          *.l1 working-tree-encoding=ISO-8859-1\n*.u8 working-tree-encoding=UTF-8\n",
    )]);
    for (name, content, is_valid) in [
        ("a.16", &b"\xFF\xFEa\0"[..], true),
        ("b.16", b"\xFE\xFF\0a", true),
        ("c.16", b"a\0", false),
        ("a.le", b"a\0", true),
        ("b.le", b"\xFF\xFEa\0", false),
        ("a.bom", b"\xFF\xFEa\0", true),
        ("b.bom", b"a\0", false),
        ("a.l1", b"\xE9", true),
        ("b.l1", "é".as_bytes(), false),
        ("a.u8", "é".as_bytes(), true),
        ("b.u8", b"\xE9", false),
    ] {
        write(directory.path(), name, content);
        let code = i32::from(!is_valid);
        let run = check().current_dir(&directory).arg(name).assert();
        assert_eq!(run.get_output().status.code(), Some(code), "{name}");
        let fixed = subcommand("fix").current_dir(&directory).arg(name).assert();
        assert_eq!(fixed.get_output().status.code(), Some(code), "{name}");
        if name != "b.u8" {
            check().current_dir(&directory).arg(name).assert().code(0);
        }
    }
    let mut command = check();
    let command = command.current_dir(&directory).args(["--no-gitattributes", "a.l1"]);
    assert_eq!(lines(command, 1).len(), 1);
}

#[test]
fn attributes_precede_options_in_check_and_fix() {
    let directory = repository(&[
        (".gitattributes", b"*.bat eol=crlf\n*.svg -text\n*.dat binary\n"),
        (".editorconfig", b"root = true\n[*]\nend_of_line = lf\n"),
        ("a.bat", b"a\r\n"),
        ("a.dat", b"\xFF\r\n"),
        ("a.svg", b"a\r\n"),
        ("a.txt", b"a\r\n"),
    ]);
    for option in ["--newline=lf", "--editorconfig"] {
        let mut command = check();
        let reported = lines(command.current_dir(&directory).args([option, "."]), 1);
        assert_eq!(reported, ["./a.txt:1:2: byte 1: line ends with CRLF (expected LF)"]);
        let mut command = subcommand("fix");
        let run = command.current_dir(&directory).args([option, "-n", "-v", "."]).assert().code(1);
        let rule = if option == "--editorconfig" { " by .editorconfig" } else { "" };
        assert_eq!(
            messages_of(&run),
            [
                "charpipe: ./a.bat: unchanged".to_owned(),
                "charpipe: ./a.dat: skipped: binary file (.gitattributes)".to_owned(),
                "charpipe: ./a.svg: unchanged".to_owned(),
                format!("charpipe: ./a.txt: would be fixed (1 line ending changed to LF{rule})"),
                "charpipe: 1 would be fixed, 2 unchanged, 1 skipped, 0 failed".to_owned(),
            ]
        );
    }
}

#[test]
fn only_files_of_the_repository_are_read() {
    let directory = TempDir::new().unwrap();
    write(directory.path(), ".gitattributes", "* eol=crlf\n");
    write(directory.path(), "repo/a", "x\n");
    let run = || check().current_dir(directory.path().join("repo")).arg("a").assert();
    // Without a repository attributes have no meaning, and those above it do not apply.
    run().code(0);
    fs::create_dir(directory.path().join("repo/.git")).unwrap();
    run().code(0);
    write(directory.path(), "rules", "* eol=crlf\n");
    std::os::unix::fs::symlink("../rules", directory.path().join("repo/.gitattributes")).unwrap();
    run().code(0);
    fs::remove_file(directory.path().join("repo/.gitattributes")).unwrap();
    write(directory.path(), "repo/.gitattributes", "* eol=crlf\n");
    run().code(1);
    write(directory.path(), "repo/.gitattributes", vec![b'#'; (1 << 20) + 1]);
    assert!(messages_of(&run().code(2))[0].ends_with(".gitattributes: exceeds 1024 KiB"));
}

#[test]
fn unknown_encodings_are_reported_with_their_line() {
    for value in ["=nope", "", "=utf-8/base64"] {
        let text = format!("# x\n* working-tree-encoding{value}\n");
        let directory = repository(&[(".gitattributes", text.as_bytes()), ("a", b"x")]);
        let run = check().current_dir(&directory).arg("a").assert().code(2);
        let messages = messages_of(&run);
        assert!(messages[0].contains(".gitattributes:2: "), "{messages:?}");
        assert!(messages[0].contains("working-tree-encoding"), "{messages:?}");
    }
}

#[test]
fn errors_in_files_with_rules_are_bounded() {
    for (name, text) in [
        (".gitattributes", "* working-tree-encoding=x\n".repeat(1000)),
        (".editorconfig", format!("[*]\n{}", "charset=x\n".repeat(1000))),
    ] {
        let directory = repository(&[(name, text.as_bytes()), ("a", b"x\n")]);
        let mut command = subcommand("check");
        let run = command.current_dir(&directory).args(["--editorconfig", "."]).assert().code(2);
        let messages = messages_of(&run);
        assert_eq!(messages.len(), 11, "{messages:?}");
        assert!(messages[10].ends_with(&format!("{name}: 990 more errors")), "{messages:?}");
    }
}

#[test]
fn private_repository_of_another_user_above_the_start_is_ignored() {
    if !require(Requirement::Superuser) || as_unprivileged_user().is_none() {
        return;
    }
    let directory = repository(&[
        (".gitattributes", b"*.txt eol=lf\n"),
        (".gitignore", b"*.log\n"),
        (".git/info/attributes", b"*.txt -text\n"),
        (".git/info/exclude", b"*.tmp\n"),
        ("sub/deep/a.txt", b"caf\xC3\xA9\n"),
    ]);
    let root = directory.path();
    let set = |name: &str, mode| {
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    set(".", 0o755);
    set(".git", 0o700);
    // The start directory is that of root, or of the user.
    for (owner, is_unreadable) in [(0, false), (0, true), (65534, false), (65534, true)] {
        for name in ["sub", "sub/deep", "sub/deep/a.txt"] {
            chown(root.join(name), Some(owner), Some(owner)).unwrap();
        }
        for name in [".gitattributes", ".gitignore"] {
            set(name, if is_unreadable { 0o600 } else { 0o644 });
        }
        for words in [["check", "."], ["fix", "."], ["check", "deep/a.txt"], ["fix", "deep/a.txt"]]
        {
            let mut command = subcommand_as_unprivileged_user(words[0]).unwrap();
            let run = command.current_dir(root.join("sub")).arg(words[1]).output().unwrap();
            let messages = String::from_utf8(run.stderr).unwrap();
            let case = format!("{owner} {is_unreadable} {words:?}: {messages}");
            assert_eq!(run.status.code(), Some(0), "{case}");
            let reason = "ignored: it is owned by another user and above the start directory";
            let notes = messages.lines().filter(|line| !line.contains("0 fixed, 1 unchanged"));
            assert!(notes.clone().all(|line| line.ends_with(reason)), "{case}");
            assert!(notes.count() <= 4, "{case}");
        }
    }
}
