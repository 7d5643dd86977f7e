//! Unusual environments: closed and full descriptors, an output that is also an input.

use std::fs;

use crate::cli::command::{
    charpipe, create_directory, messages_of, names, shell, subcommand, system_message,
};
use charpipe_test_support::watch;

#[test]
fn a_full_device_is_an_error_for_every_kind_of_output() {
    for words in ["in", "-h", "--help", "-V", "--list", "--man", "--completions bash"] {
        let directory = create_directory(&[("in", b"x")]);
        let run = shell(&format!("\"$@\" {words} >/dev/full")).current_dir(&directory).assert();
        run.code(2).stderr("charpipe: write error: No space left on device\n");
    }
}

#[test]
fn a_closed_standard_output_is_an_error_for_every_kind_of_output() {
    for words in ["in", "/dev/null", "--help", "--list", "--man", "--completions fish"] {
        let directory = create_directory(&[("in", b"x")]);
        let run = shell(&format!("\"$@\" {words} >&-")).current_dir(&directory).assert();
        run.code(2).stderr("charpipe: standard output is closed\n");
    }
}

#[test]
fn closed_stdout_does_not_affect_file_output() {
    let directory = create_directory(&[("in", b"x")]);
    shell("\"$@\" -o out in >&-").current_dir(&directory).assert().success();
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), b"x");
}

#[test]
fn a_standard_output_that_is_only_for_reading_is_an_error() {
    let run = shell("printf x | \"$@\" 1</dev/null").assert().code(2);
    run.stderr("charpipe: write error: Bad file descriptor\n");
}

#[test]
fn a_closed_standard_input_is_an_error_if_it_is_to_be_read() {
    let directory = create_directory(&[("in", b"x")]);
    let run = shell("\"$@\" - in <&-").current_dir(&directory).assert().code(2);
    run.stdout("x").stderr("charpipe: standard input is closed\n");
    shell("\"$@\" in <&-").current_dir(&directory).assert().success().stdout("x");
}

#[test]
fn a_standard_input_that_is_only_for_writing_is_an_error() {
    let run = shell("\"$@\" 0>/dev/null").assert().code(2);
    run.stderr("charpipe: <stdin>: Bad file descriptor\n");
}

#[test]
fn directory_as_stdin_is_an_error() {
    let run = shell("\"$@\" < /").assert().code(2);
    run.stderr("charpipe: <stdin>: Is a directory\n");
}

#[test]
fn input_failing_midway_is_reported_and_the_next_is_read() {
    let directory = create_directory(&[("in", b"x")]);
    // Nothing is mapped at the beginning of the address space, so reading it is an I/O error.
    let run = charpipe().current_dir(&directory).args(["/proc/self/mem", "in"]).assert().code(2);
    run.stdout("x")
        .stderr(format!("charpipe: /proc/self/mem: {}\n", system_message(rustix::io::Errno::IO)));
    // The program of GNU libiconv has another exit status.
    let mut libiconv = subcommand("iconv");
    libiconv.env("CHARPIPE_ICONV", "libiconv").args(["-f", "utf-16", "/proc/self/mem"]);
    libiconv.assert().code(1).stdout("");
}

#[test]
fn a_closed_or_full_standard_error_changes_no_exit_code() {
    for redirection in ["2>&-", "2>/dev/full", "2>&- <&-"] {
        for (words, code) in
            [("-c invalid", 1), ("invalid", 1), ("nope", 2), ("-f nope", 2), ("--x", 2)]
        {
            let directory = create_directory(&[("invalid", b"\xFF")]);
            let script = format!("\"$@\" {words} {redirection}");
            shell(&script).current_dir(&directory).assert().code(code);
        }
    }
}

#[test]
fn all_descriptors_closed_is_an_error_like_any_other() {
    shell("\"$@\" <&- >&- 2>&-").assert().code(2);
}

#[test]
fn file_appended_to_itself_is_rejected_before_reading() {
    let directory = create_directory(&[("a", b"text"), ("b", b"more")]);
    let run = shell("\"$@\" b a >> a").current_dir(&directory).assert().code(2);
    run.stderr("charpipe: a: input file is output file\n");
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), b"text");
}

#[test]
fn file_overwriting_itself_is_rejected() {
    let directory = create_directory(&[("a", b"text")]);
    let run = shell("\"$@\" a > a").current_dir(&directory).assert().code(2);
    run.stderr("charpipe: a: input file is output file\n");
    let run = shell("\"$@\" < a >> a").current_dir(&directory).assert().code(2);
    run.stderr("charpipe: <stdin>: input file is output file\n");
}

#[test]
fn pipe_as_both_input_and_output_is_rejected() {
    let directory = create_directory(&[("in", b"text\n")]);
    for words in [
        "cat in | \"$@\" -o /dev/stdin",
        "cat in | \"$@\" -o /dev/fd/0 -",
        "cat in | \"$@\" /dev/stdin -o /proc/self/fd/0",
        "mkfifo a; cat in 1<>a & \"$@\" <>a >&0",
        "mkfifo b; \"$@\" -o b <>b",
        "mkfifo c; \"$@\" c 1<>c",
    ] {
        let mut shell = shell(words);
        let shell = shell.current_dir(&directory).timeout(std::time::Duration::from_secs(60));
        let messages = messages_of(&shell.assert().code(2));
        assert!(messages[0].ends_with(": input file is output file"), "{words}: {messages:?}");
    }
}

#[test]
fn a_terminal_or_device_may_be_both_input_and_output() {
    shell("\"$@\" /dev/null > /dev/null").assert().success();
    shell("\"$@\" < /dev/null > /dev/null").assert().success();
}

#[test]
fn locale_has_no_effect() {
    for locale in ["C", "en_US.ISO-8859-1", "tr_TR.UTF-8", "nonsense"] {
        let run =
            charpipe().env("LC_ALL", locale).args(["-t", "us-ascii"]).write_stdin("é").assert();
        let messages = messages_of(&run.code(1));
        assert_eq!(
            messages,
            ["charpipe: <stdin>:1:1: byte 0: U+00E9 cannot be encoded in US-ASCII"]
        );
    }
}

#[test]
fn out_of_memory_is_one_line_and_exit_code_2() {
    let program = env!("CARGO_BIN_EXE_charpipe");
    let directory = create_directory(&[("old", b"as it was"), ("in", b"caf\xE9")]);
    fs::create_dir(directory.path().join("t")).unwrap();
    // Address space in units of 1000 KiB: the program itself takes up to 20.
    let (few, many) = ([17, 18, 19, 20, 21, 22], [20, 22, 24, 26, 28, 30]);
    for (words, limits) in [
        ("-f latin1 in --buffer-size 16777216", many),
        ("-f latin1 -o old in --buffer-size 16777216", many),
        ("check in --buffer-size 16777216", many),
        ("-i -f latin1 -j4 -r t", few),
        ("-i -f latin1 -j4 -r t", many),
        ("-f detect in", few),
        ("detect in", few),
        ("list --json", few),
        ("--man", few),
    ] {
        let mut exhausted = 0;
        for limit in limits {
            for name in 0..8 {
                let path = directory.path().join("t").join(name.to_string());
                fs::write(path, [0xE9; 10_000]).unwrap();
            }
            let script = format!("ulimit -v {limit}000; exec {program} {words}");
            let mut shell = assert_cmd::Command::from_std(watch::command("sh"));
            shell.args(["-c", &script]).env("RUST_BACKTRACE", "1").current_dir(&directory);
            shell.envs([watch::NO_PROFILE]);
            let run = shell.timeout(std::time::Duration::from_secs(60)).assert();
            let printed = messages_of(&run);
            let code = run.get_output().status.code();
            // Without memory for it or for a thread the C library ends the process itself.
            let by_libc = |line: &String| {
                ["libraries", "'main'", "TLS destructor"].iter().any(|words| line.contains(words))
            };
            if code.is_none() || printed.iter().any(by_libc) {
                continue;
            }
            assert!(code <= Some(2), "{words} {limit}: {printed:?}");
            let is_ours =
                |line: &String| line.starts_with("charpipe: ") && !line.contains("internal error");
            assert!(printed.iter().all(is_ours), "{words} {limit}: {printed:?}");
            assert_eq!(names(directory.path()), ["in", "old", "t"], "{words} {limit}");
            exhausted += usize::from(printed == ["charpipe: out of memory"]);
            assert_eq!(fs::read(directory.path().join("old")).unwrap().len(), {
                if words.contains("-o") && code == Some(0) { 5 } else { 9 }
            });
            fs::write(directory.path().join("old"), "as it was").unwrap();
        }
        assert!(exhausted > 0 || !words.contains("block"), "{words}");
    }
}
