//! `charpipe check`.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use assert_cmd::Command;

#[cfg(unix)]
use crate::cli::command::system_message;
use crate::cli::command::{
    charpipe, create_directory, messages_of, plain_subcommand, shell_subcommand, subcommand,
};

mod context;
#[cfg(unix)]
mod editorconfig;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod formats;
#[cfg(unix)]
mod gitattributes;
#[cfg(unix)]
mod names;
#[cfg(unix)]
mod reports;
mod rules;
mod stats;

fn check() -> Command {
    subcommand("check")
}

/// Returns the names of all formats, which the error message for an unknown format lists.
pub fn formats() -> Vec<String> {
    let run = check().arg("--format=?").assert().code(2);
    let messages = messages_of(&run).join("\n");
    let (_, list) = messages.split_once("[possible values: ").unwrap();
    let names: Vec<_> = list.split_once(']').unwrap().0.split(", ").map(str::to_owned).collect();
    assert!(names.len() >= 8, "{names:?}");
    names
}

/// Runs a check and returns the lines of its report.
fn lines(check: &mut Command, code: i32) -> Vec<String> {
    let run = check.assert().code(code);
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn clean_file_prints_no_output() {
    let directory =
        create_directory(&[("a", "é\r\n€\n".as_bytes()), ("empty", b""), ("b", b"\xEF\xBB\xBFx")]);
    let run = check().current_dir(&directory).args(["a", "empty", "b"]).assert();
    run.success().stdout("").stderr("");
}

#[test]
fn findings_have_line_column_offset_bytes_and_reason() {
    let directory = create_directory(&[
        ("a", b"one\ntwo \xC3\xA9\xE9 x\xFF\n"),
        ("b", &[0xFF; 30]),
        ("c", b"ab\xE2\x82"),
    ]);
    let reported =
        lines(check().current_dir(&directory).args(["--max-findings=all", "a", "b", "c"]), 1);
    assert_eq!(
        reported[0],
        "a:2:6: byte 10: invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)"
    );
    assert_eq!(
        reported[1],
        "a:2:9: byte 13: invalid UTF-8 sequence FF (no character starts with this byte)"
    );
    assert_eq!(
        reported[2],
        "b:1:1: byte 0: invalid UTF-8 sequence FF (no character starts with this byte)"
    );
    assert_eq!(
        reported[31],
        "b:1:30: byte 29: invalid UTF-8 sequence FF (no character starts with this byte)"
    );
    assert_eq!(reported[32], "c:1:3: byte 2: incomplete UTF-8 sequence E2 82 at end of input");
    assert_eq!(reported.len(), 33);
}

#[test]
fn the_worst_of_all_files_is_the_exit_code() {
    let directory = create_directory(&[("good", b"x"), ("invalid", b"\xFF")]);
    for (files, code) in [
        (&["good"][..], 0),
        (&["good", "invalid"], 1),
        (&["invalid", "good"], 1),
        (&["good", "nope"], 2),
        (&["nope", "invalid", "good"], 2),
    ] {
        for quiet in ["-q", "-s", "--format=text"] {
            check().current_dir(&directory).arg(quiet).args(files).assert().code(code);
        }
    }
}

#[cfg(unix)]
#[test]
fn unreadable_file_is_reported_and_the_others_are_checked() {
    let directory = create_directory(&[("invalid", b"\xFF")]);
    let run = check()
        .current_dir(&directory)
        .args(["nope", "/proc/self/mem", "invalid"])
        .assert()
        .code(2);
    assert_eq!(
        messages_of(&run),
        [
            "charpipe: nope: No such file or directory".to_owned(),
            format!("charpipe: /proc/self/mem: {}", system_message(rustix::io::Errno::IO)),
        ]
    );
    run.stdout(
        "invalid:1:1: byte 0: invalid UTF-8 sequence FF (no character starts with this byte)\n",
    );
}

#[test]
fn stdin_is_checked_without_operands_or_with_a_hyphen() {
    for words in [&[][..], &["-"]] {
        let reported = lines(check().args(words).write_stdin(b"a\xFF"), 1);
        assert_eq!(
            reported,
            ["<stdin>:1:2: byte 1: invalid UTF-8 sequence FF (no character starts with this byte)"]
        );
    }
}

#[test]
fn check_is_a_subcommand_only_as_the_first_argument() {
    let directory = create_directory(&[("check", b"caf\xE9")]);
    for words in [&["-f", "latin1", "check"][..], &["-flatin1", "--", "check"]] {
        charpipe().current_dir(&directory).args(words).assert().success().stdout("café");
    }
    check().current_dir(&directory).args(["-e", "latin1", "check"]).assert().success().stdout("");
    let reported = lines(check().current_dir(&directory).arg("./check"), 1);
    assert!(
        reported[0].starts_with("./check:1:4: byte 3: incomplete UTF-8 sequence E9 at end"),
        "{reported:?}"
    );
}

#[test]
fn max_findings_limits_the_findings_of_a_file() {
    let directory = create_directory(&[("a", &[0xFF; 15]), ("b", &[0xFF; 4]), ("c", &[0xFF; 3])]);
    let mut command = check();
    command.current_dir(&directory).args(["--max-findings=3", "a", "b", "c"]);
    assert_eq!(lines(&mut command, 1).len(), 9);
    let run = command.assert().code(1);
    assert_eq!(
        messages_of(&run),
        [
            "charpipe: a: 12 findings not shown (--max-findings=all shows them)",
            "charpipe: b: 1 finding not shown (--max-findings=all shows them)"
        ]
    );
}

#[test]
fn files_are_checked_in_the_encodings_that_are_detected() {
    let german = b"Das M\xE4dchen \xFCbt f\xFCr die Pr\xFCfung und h\xF6rt sch\xF6ne Musik.\n";
    let utf8 = "Das Mädchen\n".as_bytes();
    let directory = create_directory(&[
        ("a", german),
        ("b", utf8),
        ("c", &[utf8, b"\xFF\n"].concat()),
        ("d", b"\xFF\xFEa\0\n\0"),
        ("e", b"\x00\x01\x02"),
        ("f", b""),
        ("g.py", b"# coding: euc-jp\nx = '\xC6\xFC\xCB\xDC'\n"),
        ("h", b"\xFF\xFEa\0\x00\xD8\n\0"),
    ]);
    let run = |words: &[&str]| {
        let mut command = check();
        command.current_dir(&directory).args(words);
        lines(&mut command, 1)
    };
    let names = |found: Vec<String>| -> Vec<String> {
        found.iter().map(|line| line.split(": ").last().unwrap().to_owned()).collect()
    };
    let files = ["a", "b", "d", "e", "f", "g.py", "h"];
    let found = run(&[&["-e", "detect"], &files[..]].concat());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("e:1:1: byte 0: NUL byte"), "{found:?}");
    assert!(found[1].starts_with("h:1:2: byte 4: invalid UTF-16 sequence 00 D8"), "{found:?}");
    // In a directory binary files are skipped.
    assert_eq!(run(&["--encoding=Detect", "d", "h", "."]).len(), 3);
    let found = run(&["-e", "auto", "--max-findings=1", "a", "b", "c", "g.py"]);
    assert!(found.len() == 2 && found[1].starts_with("c:2:1:"), "{:?}", names(found));
    for (words, message) in [
        (&["-e", "utf-8"][..], "--encoding=detect cannot be used with other encodings (omit them)"),
        (
            &["--range=1/2"],
            "--encoding=detect cannot be used with --range ('charpipe detect --name FILE' \
             prints the name to use)",
        ),
        (&["--diff"], "--diff cannot be used with --encoding=detect (use the name of an encoding)"),
    ] {
        let mut command = check();
        let run = command.current_dir(&directory).args(["-e", "detect", "a"]).args(words);
        run.assert().code(2).stderr(format!("charpipe: {message}\n"));
    }
}

#[test]
fn text_has_ten_findings_of_a_file_by_default() {
    for (words, shown) in [
        (&[][..], 10),
        (&["--format=text"], 10),
        (&["--max-findings=12"], 12),
        (&["--max-findings=all"], 15),
        (&["--format=gcc"], 15),
        (&["--format=jsonl"], 15),
    ] {
        let mut command = check();
        let found = lines(command.args(words).write_stdin([0xFF; 15]), 1).len();
        assert_eq!(found, shown, "{words:?}");
    }
}

#[cfg(unix)]
#[test]
fn quiet_prints_no_findings_but_keeps_the_exit_code() {
    check().arg("-s").write_stdin(b"\xFF\xFF").assert().code(1).stdout("").stderr("");
    check().args(["--quiet", "--format=sarif"]).write_stdin("x").assert().code(0).stdout("");
    let run = check().args(["-s", "/nope"]).assert().code(2).stdout("");
    run.stderr("charpipe: /nope: No such file or directory\n");
}

#[test]
fn arguments_without_effect_are_rejected_before_reading() {
    for (words, message) in [
        (&["-e", "nonsense"][..], "unknown encoding \"nonsense\""),
        (&["-e", "utf-7:x"], "UTF-7: no option \"x\""),
        (&["--bom=strip"], "invalid value 'strip'"),
        (&["--newline=nel"], "invalid value 'nel'"),
        (&["--format=xml"], "invalid value 'xml'"),
        (&["--max-findings=x"], "invalid value 'x'"),
        (&["--hidden"], "--hidden requires --recursive or a PATH"),
        (&["--no-ignore", "--files-from=nope"], "--no-ignore requires --recursive or a PATH"),
        (&["-t", "utf-8"], "unexpected argument '-t'"),
        (&["-e", "latin1", "--bom=require"], "requiring a byte order mark: ISO-8859-1 cannot"),
        (&["-e", "utf-16", "--headers-only"], "--headers-only requires RFC2047"),
    ] {
        let run = check().args(words).write_stdin(b"\xFF").assert().code(2).stdout("");
        let messages = messages_of(&run);
        assert!(messages[0].contains(message), "{words:?}: {messages:?}");
    }
}

#[test]
fn check_has_its_own_help() {
    for words in ["-h", "--help"] {
        let help = lines(check().arg(words), 0).join("\n");
        assert!(help.contains("charpipe check [-e ENCODING]"), "{help}");
        assert!(!help.contains("buffer-size"), "{help}");
    }
    let version = format!("charpipe check {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(lines(check().arg("--version"), 0), [version]);
}

#[cfg(unix)]
#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    for format in formats() {
        let script = format!("printf '\\377' | \"$@\" --format {format} >/dev/full");
        let run = shell_subcommand("check", &script).assert().code(2);
        run.stderr("charpipe: write error: No space left on device\n");
        let script = format!("printf '\\377' | \"$@\" --format {format} >&-");
        shell_subcommand("check", &script)
            .assert()
            .code(2)
            .stderr("charpipe: standard output is closed\n");
    }
    let run = shell_subcommand("check", "\"$@\" <&-").assert().code(2);
    run.stderr("charpipe: <stdin>: is closed\n");
}

#[cfg(unix)]
#[test]
fn closed_pipe_ends_the_run_without_a_message() {
    let script =
        "head -c 3000000 /dev/zero | tr '\\0' '\\377' | \"$@\" --max-findings=all | head -n 1";
    let run = shell_subcommand("check", script).assert().success().stderr("");
    run.stdout(
        "<stdin>:1:1: byte 0: invalid UTF-8 sequence FF (no character starts with this byte)\n",
    );
}

#[cfg(unix)]
#[test]
fn output_file_is_not_checked() {
    let directory = create_directory(&[("a", b"\xFF\n"), ("b", b"\xFF\n")]);
    let run = shell_subcommand("check", "\"$@\" a b >> a").current_dir(&directory).assert().code(2);
    run.stderr("charpipe: a: input file is output file\n");
    let a = std::fs::read(directory.path().join("a")).unwrap();
    assert_eq!(
        a[2..],
        *b"b:1:1: byte 0: invalid UTF-8 sequence FF (no character starts with this byte)\n"
    );
    // In a directory the report is skipped without a message.
    let run =
        shell_subcommand("check", "\"$@\" -r . > report").current_dir(&directory).assert().code(1);
    run.stderr("");
}

#[test]
fn findings_are_printed_before_more_input_is_read() {
    // Nothing is reported while the first bytes are searched for NUL.
    let after_head: &[u8] = &[b"a\xFF".as_slice(), &[b'\n'; 9000]].concat();
    for (words, first, expected, then, expected_then) in [
        (
            &[][..],
            after_head,
            "1:2: byte 1: invalid UTF-8 sequence FF",
            &b"\xFE"[..],
            "9001:1: byte 9002: invalid UTF-8 sequence FE",
        ),
        (
            &["--binary=text"],
            b"a\xFF\n",
            "1:2: byte 1: invalid UTF-8 sequence FF",
            b"\xFE",
            "2:1: byte 3: invalid UTF-8 sequence FE",
        ),
        (
            &["-e", "utf-16le"],
            b"\0\xDC\n\0",
            "1:1: byte 0: invalid UTF-16LE sequence 00 DC",
            b"\0\xDC",
            "2:1: byte 4: invalid UTF-16LE sequence 00 DC",
        ),
    ] {
        let mut command = plain_subcommand("check");
        let command = command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        for (bytes, expected) in [(first, expected), (then, expected_then)] {
            input.write_all(bytes).unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert!(line.starts_with(&format!("<stdin>:{expected}")), "{words:?}: {line}");
        }
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
}

#[cfg(unix)]
#[test]
fn memory_does_not_grow_with_the_findings_in_any_format() {
    for format in formats() {
        // The limit is in kilobytes; the report is 20 times as long.
        let script = format!(
            "head -c 1000000 /dev/zero | tr '\\0' '\\377' | \
             (ulimit -v 40000; \"$@\" --buffer-size 65536 --max-findings all --format {format}) | wc -c"
        );
        let run = shell_subcommand("check", &script).assert().success().stderr("");
        let written = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        assert!(written.trim().parse::<u64>().unwrap() > 50_000_000, "{format}: {written}");
    }
}
