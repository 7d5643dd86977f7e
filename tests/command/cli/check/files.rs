//! The files that are checked, and their names in the reports.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::{check, formats, lines};
use crate::cli::command::{create_directory, messages_of, shell, shell_subcommand};
use charpipe_test_support::watch;

#[test]
fn directories_are_entered() {
    let directory =
        create_directory(&[("z", b"\xFF"), (".gitignore", b"ignored\n"), ("ignored", b"\xFF")]);
    fs::create_dir(directory.path().join("a")).unwrap();
    fs::write(directory.path().join("a/b.txt"), b"\xFF").unwrap();
    fs::write(directory.path().join("a/.hidden"), b"\xFF").unwrap();
    for (words, expected) in [
        (&["-r", "."][..], &["./a/b.txt", "./z"][..]),
        (&["-r"], &["./a/b.txt", "./z"]),
        (&["-r", "a", "z"], &["a/b.txt", "z"]),
        (&["-r", "--glob=*.txt", "."], &["./a/b.txt"]),
        (&["-r", "--hidden", "a"], &["a/.hidden", "a/b.txt"]),
        (&["-r", "ignored"], &["ignored"]),
        (&["."], &["./a/b.txt", "./z"]),
        (&["a", "z"], &["a/b.txt", "z"]),
        (&["--glob=*.txt", "."], &["./a/b.txt"]),
        (&["--exclude=z", "--hidden", "."], &["./.gitignore", "./a/.hidden", "./a/b.txt"][1..]),
        (&["--no-ignore", "."], &["./a/b.txt", "./ignored", "./z"]),
        (&["ignored"], &["ignored"]),
    ] {
        let reported = lines(check().current_dir(&directory).args(words), 1);
        let files: Vec<_> = reported.iter().map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(files, expected, "{words:?}");
    }
}

#[test]
fn directories_in_a_list_are_entered_only_with_recursive() {
    // As those of `find`, whose list has their files too.
    let directory = create_directory(&[("list", b"sub\nsub/a\n")]);
    fs::create_dir(directory.path().join("sub")).unwrap();
    fs::write(directory.path().join("sub/a"), b"\xFF").unwrap();
    let mut command = check();
    let run = command.current_dir(&directory).args(["--files-from", "list"]).assert().code(2);
    assert_eq!(messages_of(&run), ["charpipe: sub: is a directory (use -r)"]);
    assert_eq!(String::from_utf8_lossy(&run.get_output().stdout).lines().count(), 1);
    let mut command = check();
    let reported = lines(command.current_dir(&directory).args(["-r", "--files-from", "list"]), 1);
    assert_eq!(reported.len(), 2);
}

#[test]
fn names_may_come_from_a_list() {
    let directory =
        create_directory(&[("a b", b"\xFF"), ("c\nd", b"\xFF"), ("list", b"a b\nnope\n")]);
    let run = check().current_dir(&directory).args(["--files-from", "list"]).assert().code(2);
    assert_eq!(messages_of(&run), ["charpipe: nope: No such file or directory"]);
    let mut command = check();
    command.current_dir(&directory).args(["--files-from=-", "-0"]).write_stdin("a b\0c\nd\0");
    let reported = lines(&mut command, 1);
    assert!(
        reported[0].starts_with("a b:1:1:") && reported[1].starts_with("c\\x0Ad:1:1:"),
        "{reported:?}"
    );
    let mut command = check();
    command.current_dir(&directory).args(["--files-from=-"]).write_stdin("");
    command.assert().success().stdout("");
}

#[test]
fn stdin_cannot_be_both_the_list_and_a_file() {
    let run = check().args(["--files-from", "-", "-"]).write_stdin("invalid\n").assert().code(2);
    run.stderr(
        "charpipe: standard input cannot be both a file and the list of files \
         (write the list to a file)\n",
    );
}

#[test]
fn file_names_are_escaped_in_every_format() {
    let name = OsStr::from_bytes(b"x\x1B[31m\xE9\xE2\x80\xAE\n");
    let directory = create_directory(&[]);
    fs::write(directory.path().join(name), b"\xFF\x1B\n").unwrap();
    for format in formats() {
        let mut command = check();
        let reported =
            lines(command.current_dir(&directory).args(["--format", &format]).arg(name), 1);
        let raw = |c: char| c.is_control() || c == '\u{202E}';
        assert!(reported.iter().all(|line| !line.contains(raw)), "{format}: {reported:?}");
        assert!(reported.iter().any(|line| line.contains('x')), "{format}: {reported:?}");
    }
}

#[test]
fn text_lines_are_shorter_than_400_bytes() {
    let name = "\u{202E}".repeat(80);
    let directory = create_directory(&[(&name, b"\xFF")]);
    let reported = lines(check().current_dir(&directory).arg(&name), 1);
    assert!(
        reported[0].len() < 400 && reported[0].ends_with("(no character starts with this byte)"),
        "{reported:?}"
    );
}

#[test]
fn ten_thousand_files_are_checked_in_one_run() {
    let directory = create_directory(&[]);
    for number in 0..10_000 {
        let content: &[u8] = if number % 1000 == 0 { b"\xFF" } else { b"x\n" };
        fs::write(directory.path().join(number.to_string()), content).unwrap();
    }
    assert_eq!(lines(check().current_dir(&directory).arg("-r"), 1).len(), 10);
}

#[test]
fn git_file_is_not_followed() {
    let directory = create_directory(&[("invalid", b"\xFF")]);
    let gitdir = directory.path().join("gitdir");
    fs::create_dir(&gitdir).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, gitdir.join("commondir"), fifo, mode, 0).unwrap();
    let long = fs::File::create(directory.path().join("long")).unwrap();
    long.set_len(1 << 30).unwrap();
    for content in [format!("gitdir: {}\n", gitdir.display()), "gitdir: /dev/zero\n".to_owned()] {
        fs::write(directory.path().join(".git"), content).unwrap();
        let mut command = check();
        command.current_dir(&directory).args(["-r", "--glob=invalid"]);
        command.timeout(std::time::Duration::from_secs(60));
        assert_eq!(lines(&mut command, 1).len(), 1);
    }
    fs::rename(directory.path().join("long"), directory.path().join(".git")).unwrap();
    let mut command = check();
    command.current_dir(&directory).args(["-r", "."]).timeout(std::time::Duration::from_secs(60));
    assert_eq!(lines(&mut command, 1).len(), 1);
}

#[test]
fn tree_of_any_depth_is_checked_with_sixteen_descriptors() {
    let directory = create_directory(&[("invalid", b"\xFF")]);
    let script = "for i in $(seq 200); do mkdir d; cp invalid d; cd -P d; done";
    let built = watch::command("sh").current_dir(&directory).args(["-c", script]).status();
    assert!(built.unwrap().success());
    let mut command = shell_subcommand("check", "ulimit -n 16; exec \"$@\" -r .");
    assert_eq!(lines(command.current_dir(&directory), 1).len(), 201);
    let mut command = shell("ulimit -n 16; exec \"$@\" -i -j1 -f latin1 -r .");
    let run = command.current_dir(&directory).assert().success();
    assert_eq!(messages_of(&run), ["charpipe: 201 converted, 0 unchanged, 0 skipped, 0 failed"]);
}

#[test]
fn list_that_is_an_output_is_rejected() {
    for (command, words, redirection) in [
        ("check", "--newline=crlf --format=jsonl", ">>"),
        ("check", "-l", ">>"),
        ("check", "--diff --newline=crlf", ">>"),
        ("check", "", "2>>"),
        ("detect", "", ">>"),
        ("fix", "-n -v", "2>>"),
        ("repair", "-n -v", "2>>"),
    ] {
        let directory = create_directory(&[("a", b"x\n"), ("list", b"a\na\nmissing\n")]);
        let script = format!("\"$@\" {words} --files-from list {redirection} list");
        let run = shell_subcommand(command, &script).current_dir(&directory).assert().code(2);
        drop(run);
        let list = fs::read(directory.path().join("list")).unwrap();
        assert!(list.len() < 1000, "{command} {words}: {}", list.len());
    }
}

#[test]
fn files_with_rules_that_are_the_output_are_rejected() {
    for (name, words) in
        [(".gitignore", ""), (".editorconfig", "--editorconfig"), (".gitattributes", "")]
    {
        let directory = create_directory(&[("a", b"\xFF"), (name, b"# x\n")]);
        fs::create_dir(directory.path().join(".git")).unwrap();
        let script = format!("\"$@\" {words} . >> {name}");
        let run = shell_subcommand("check", &script).current_dir(&directory).assert().code(2);
        let messages = messages_of(&run);
        assert!(messages[0].contains("input file is output file"), "{messages:?}");
    }
}
