//! Every subcommand with every standard stream closed, full or turned round.

use crate::cli::command::{create_directory, messages_of, shell};
use charpipe_test_support::{missing, watch};

/// A command line that reads `in` and not the standard input, and whether it writes to the standard
/// output.
const SUBCOMMANDS: [(&str, bool); 11] = [
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

/// The command without block size, which not every subcommand takes.
fn run(words: &str, streams: &str) -> assert_cmd::assert::Assert {
    let directory = create_directory(&[("in", b"text\n"), ("old", b"\xE9\n")]);
    let program = env!("CARGO_BIN_EXE_charpipe");
    let script = format!("{program} {words} {streams}");
    let mut shell = assert_cmd::Command::from_std(watch::command("sh"));
    shell.args(["-c", &script]).current_dir(&directory).timeout(std::time::Duration::from_secs(60));
    let run = shell.assert();
    if words.contains("old") {
        assert_eq!(
            std::fs::read(directory.path().join("old")).unwrap(),
            "é\n".as_bytes(),
            "{streams}"
        );
    }
    run
}

#[test]
fn unwritable_output_is_an_error_of_every_subcommand() {
    for (words, writes) in SUBCOMMANDS {
        for output in [">&-", ">/dev/full", "1</dev/null", ">&- <&-", ">/dev/full </"] {
            let run = run(words, output);
            let run = if writes { run.code(2) } else { run.code(0) };
            assert!(!messages_of(&run).is_empty(), "{words} {output}");
        }
        // Where nothing can be reported either, the exit code does it.
        for output in [">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&- 2>&-"] {
            run(words, output).code(2);
        }
    }
}

#[test]
fn unwritable_stderr_matters_only_if_there_are_messages() {
    for (words, _) in SUBCOMMANDS {
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
fn lost_messages_of_a_guess_or_dry_run_change_the_exit_code() {
    for words in ["-i -n -f latin1 old", "-v -f detect -t utf-16 in"] {
        let program = env!("CARGO_BIN_EXE_charpipe");
        for (errors, code) in [("2>/dev/null", 0), ("2>/dev/full", 2), ("2>&-", 2)] {
            let directory = create_directory(&[("in", b"text\n"), ("old", b"\xE9\n")]);
            let mut shell = assert_cmd::Command::from_std(watch::command("sh"));
            let script = format!("{program} {words} {errors} >/dev/null");
            shell.args(["-c", &script]).current_dir(&directory).assert().code(code);
        }
    }
}

#[test]
fn unreadable_stdin_is_an_error_of_every_subcommand() {
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
            assert!(!messages_of(&run).is_empty(), "{words} {input}");
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
        assert!(!messages_of(&run).is_empty(), "{words}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn closed_streams_are_null_devices_while_the_command_runs() {
    let directory = create_directory(&[]);
    for streams in ["<&-", ">&-", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"] {
        // The shell continues when the command has opened the input.
        let script = format!(
            "rm -f fifo; mkfifo fifo; \"$@\" -f latin1 -o out fifo {streams} & exec 3>fifo; \
             for number in 0 1 2; do readlink /proc/$!/fd/$number; done; exec 3>&-; wait"
        );
        let run = shell(&script).current_dir(&directory).assert();
        let links = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        let null_devices = links.lines().filter(|link| *link == "/dev/null").count();
        assert!(null_devices >= streams.matches("&-").count(), "{streams}: {links}");
        assert!(!links.contains("fifo") && !links.contains("out"), "{streams}: {links}");
    }
}

#[test]
fn deleted_current_directory_matters_only_to_relative_paths() {
    let script = "cd \"$(mktemp -d)\" && rmdir \"$PWD\" && ";
    for (words, code) in [
        ("printf x | \"$@\"", 0),
        ("\"$@\" /dev/null", 0),
        ("\"$@\" nothing", 2),
        ("printf x | \"$@\" -o out", 2),
        ("\"$@\" -i -r .", 2),
    ] {
        let run = shell(&format!("{script} {words}")).assert().code(code);
        assert_eq!(messages_of(&run).is_empty(), code == 0, "{words}");
    }
}

#[test]
fn environment_variables_do_not_change_the_output() {
    for variables in [
        "LC_ALL=tr_TR.UTF-8",
        "LC_ALL=C LANG=junk",
        "ENCODING=latin1",
        "TZ=:/dev/zero",
        "TMPDIR=/nowhere",
        "HOME=/nowhere PATH=",
        "GCONV_PATH=/tmp ICONV_PATH=/tmp",
        "RUST_BACKTRACE=1 RUST_LOG=trace",
        "COLUMNS=1 TERM=junk NO_COLOR=",
        "LINES=x CLICOLOR_FORCE=1",
    ] {
        let script = format!(
            "printf 'caf\\351 I\\n' | env -i LLVM_PROFILE_FILE=/dev/null {variables} \"$@\" -f LATIN1 -t utf-8"
        );
        shell(&script).assert().success().stdout("café I\n").stderr("");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn closed_streams_are_occupied_without_dev_null() {
    for streams in ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"] {
        let directory = create_directory(&[("in", b"\xE9\n")]);
        // The path selects the calls that fail. With -i the command has a socket for signals.
        let script = format!(
            "rm -f fifo; mkfifo fifo; \
             strace -f -o log -P /dev/null -e trace=?open,openat -e inject=?open,openat:error=ENOENT \
             sh -c 'echo $$ >number; exec \"$@\" -q -i -f latin1 --files-from fifo {streams}' sh \"$@\" & \
             exec 3>fifo; \
             for number in 0 1 2; do readlink /proc/$(cat number)/fd/$number; done; \
             echo in >&3; exec 3>&-; wait"
        );
        let run = shell(&script).current_dir(&directory).assert();
        let printed = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        if printed.contains("strace") {
            return missing("the permission to trace with strace");
        }
        let links = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        let log = std::fs::read_to_string(directory.path().join("log")).unwrap();
        assert!(log.contains("ENOENT"), "{log}");
        let pipes = links.lines().filter(|link| link.starts_with("pipe:")).count();
        assert!(pipes >= streams.matches("&-").count(), "{streams}: {links} {log}");
        assert!(!links.contains("socket"), "{streams}: {links}");
        assert_eq!(std::fs::read(directory.path().join("in")).unwrap(), "é\n".as_bytes());
    }
}
