//! Every verb with every standard stream closed, full or turned round.

use crate::command::{folder, shell, told};
use crate::watch;

/// A command line that reads `in` and not the standard input, and whether it writes to the standard
/// output.
const VERBS: [(&str, bool); 11] = [
    ("in", true),
    ("check --format json in", true),
    ("check --format sarif in", true),
    ("detect in", true),
    ("list", true),
    ("--list", true),
    ("--help", true),
    ("check --help", true),
    ("--man", true),
    ("--completions bash", true),
    ("-i -f latin1 old", false),
];

/// The command without block size, which not every verb takes.
fn run(words: &str, streams: &str) -> assert_cmd::assert::Assert {
    let folder = folder(&[("in", b"text\n"), ("old", b"\xE9\n")]);
    let program = env!("CARGO_BIN_EXE_charpipe");
    let script = format!("{program} {words} {streams}");
    let mut shell = assert_cmd::Command::from_std(watch::command("sh"));
    shell.args(["-c", &script]).current_dir(&folder).timeout(std::time::Duration::from_secs(20));
    let run = shell.assert();
    if words.contains("old") {
        assert_eq!(
            std::fs::read(folder.path().join("old")).unwrap(),
            "é\n".as_bytes(),
            "{streams}"
        );
    }
    run
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_of_every_verb_that_writes() {
    for (words, writes) in VERBS {
        for output in [">&-", ">/dev/full", "1</dev/null", ">&- <&-", ">/dev/full </"] {
            let run = run(words, output);
            let run = if writes { run.code(2) } else { run.code(0) };
            assert!(!told(&run).is_empty(), "{words} {output}");
        }
        // Where nothing can be reported either, the exit code does it.
        for output in [">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&- 2>&-"] {
            run(words, output).code(2);
        }
    }
}

#[test]
fn a_standard_error_that_cannot_be_written_matters_only_if_something_was_to_be_told() {
    for (words, _) in VERBS {
        for errors in ["2>&-", "2>/dev/full", "2</dev/null", "<&- 2>&-"] {
            let code = if words.starts_with("-i") { 2 } else { 0 };
            run(words, &format!("{errors} >/dev/null")).code(code);
            let missing = words.replace("in", "missing").replace("old", "missing");
            if words.ends_with("in") || words.ends_with("old") {
                let program = env!("CARGO_BIN_EXE_charpipe");
                let script = format!("{program} {missing} {errors} >/dev/null");
                assert_cmd::Command::from_std(watch::command("sh"))
                    .args(["-c", &script])
                    .assert()
                    .code(2);
            }
        }
    }
}

#[test]
fn who_could_not_be_told_of_a_guess_or_a_dry_run_gets_another_exit_code() {
    for words in ["-i -n -f latin1 old", "-v -f detect -t utf-16 in"] {
        let program = env!("CARGO_BIN_EXE_charpipe");
        for (errors, code) in [("2>/dev/null", 0), ("2>/dev/full", 2), ("2>&-", 2)] {
            let folder = folder(&[("in", b"text\n"), ("old", b"\xE9\n")]);
            let mut shell = assert_cmd::Command::from_std(watch::command("sh"));
            let script = format!("{program} {words} {errors} >/dev/null");
            shell.args(["-c", &script]).current_dir(&folder).assert().code(code);
        }
    }
}

#[test]
fn a_standard_input_that_cannot_be_read_is_an_error_of_every_verb_that_reads_it() {
    for words in [
        "",
        "-",
        "check",
        "check -",
        "detect",
        "-o out",
        "check --files-from -",
        "detect --files-from -",
    ] {
        for input in ["<&-", "</", "0>/dev/null", "</proc/self/mem"] {
            let run = run(words, input).code(2);
            assert!(!told(&run).is_empty(), "{words} {input}");
        }
    }
    for words in [
        "/dev/stdin",
        "check /proc/self/fd/0",
        "detect /dev/fd/0",
        "check --files-from /dev/stdin",
        "-i --files-from /dev/fd/0",
    ] {
        let run = run(words, "<&-").code(2);
        assert!(!told(&run).is_empty(), "{words}");
    }
}

#[test]
fn a_current_folder_that_is_gone_matters_only_to_what_is_in_it() {
    let script = "cd \"$(mktemp -d)\" && rmdir \"$PWD\" && ";
    for (words, code) in [
        ("printf x | \"$@\"", 0),
        ("\"$@\" /dev/null", 0),
        ("\"$@\" nothing", 2),
        ("printf x | \"$@\" -o out", 2),
        ("\"$@\" -i -r .", 2),
    ] {
        let run = shell(&format!("{script} {words}")).assert().code(code);
        assert_eq!(told(&run).is_empty(), code == 0, "{words}");
    }
}

#[test]
fn no_variable_of_the_environment_changes_the_output() {
    for variables in [
        "LC_ALL=tr_TR.UTF-8",
        "LC_ALL=C LANG=junk",
        "CHARSET=latin1",
        "TZ=:/dev/zero",
        "TMPDIR=/nowhere",
        "HOME=/nowhere PATH=",
        "GCONV_PATH=/tmp ICONV_PATH=/tmp",
        "RUST_BACKTRACE=1 RUST_LOG=trace",
        "COLUMNS=1 TERM=junk NO_COLOR=",
        "LINES=x CLICOLOR_FORCE=1",
    ] {
        let script =
            format!("printf 'caf\\351 I\\n' | env -i {variables} \"$@\" -f LATIN1 -t utf-8");
        shell(&script).assert().success().stdout("café I\n").stderr("");
    }
}
