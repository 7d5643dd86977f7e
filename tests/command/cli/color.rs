//! Colors in messages, findings and help.

use assert_cmd::Command;

use crate::cli::command::{charpipe, create_directory, subcommand};
#[cfg(unix)]
use crate::cli::command::{plain, plain_subcommand};
#[cfg(unix)]
use crate::cli::terminal::{run, terminal};
use charpipe_test_support::watch;

const COLORED_MESSAGE: &str = "\x1b[1mcharpipe:\x1b[0m \x1b[35mnope\x1b[0m: \x1b[1m\x1b[31mNo such file or directory\x1b[0m\n";
const PLAIN_MESSAGE: &str = "charpipe: nope: No such file or directory\n";
const COLORED_FINDING: &str = "\x1b[35mwrong.txt\x1b[0m:\x1b[32m2:1\x1b[0m: byte 3: \
    \x1b[1m\x1b[31minvalid UTF-8 sequence FF\x1b[0m (no character starts with this byte)\n";
const PLAIN_FINDING: &str =
    "wrong.txt:2:1: byte 3: invalid UTF-8 sequence FF (no character starts with this byte)\n";

#[cfg(unix)]
#[test]
fn messages_are_colored_on_a_terminal() {
    for (variables, expected) in [
        (&[][..], COLORED_MESSAGE),
        (&[("NO_COLOR", "1")], PLAIN_MESSAGE),
        (&[("NO_COLOR", "")], COLORED_MESSAGE),
        (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], PLAIN_MESSAGE),
        (&[("CLICOLOR", "0")], PLAIN_MESSAGE),
        (&[("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")], COLORED_MESSAGE),
        (&[("TERM", "dumb")], PLAIN_MESSAGE),
    ] {
        let mut command = plain();
        command.arg("nope").env("TERM", "xterm").envs(variables.iter().copied());
        assert_eq!(run(&mut command, b""), expected, "{variables:?}");
    }
    for (choice, expected) in [("always", COLORED_MESSAGE), ("never", PLAIN_MESSAGE)] {
        let mut command = plain();
        command.args(["nope", "--color", choice]).env("TERM", "xterm");
        // The option has precedence over the environment.
        command.env(if choice == "always" { "NO_COLOR" } else { "CLICOLOR_FORCE" }, "1");
        assert_eq!(run(&mut command, b""), expected, "{choice}");
    }
}

#[test]
fn messages_are_colored_elsewhere_on_request() {
    charpipe().arg("nope").assert().stderr(PLAIN_MESSAGE);
    charpipe().args(["nope", "--color=always"]).assert().stderr(COLORED_MESSAGE);
    charpipe().arg("nope").env("CLICOLOR_FORCE", "1").assert().stderr(COLORED_MESSAGE);
    charpipe().arg("nope").env("CLICOLOR_FORCE", "0").assert().stderr(PLAIN_MESSAGE);
    let both = ["nope", "--color=always", "--color=auto"];
    charpipe().args(both).assert().stderr(PLAIN_MESSAGE);
    for name in ["check", "detect"] {
        let command = &mut subcommand(name);
        command.args(["nope", "--color=always"]).assert().code(2).stderr(COLORED_MESSAGE);
    }
}

#[test]
fn position_and_reason_of_a_conversion_error_are_colored() {
    let directory = create_directory(&[("wrong.txt", b"ok\n\xFF")]);
    let run = charpipe()
        .current_dir(&directory)
        .args(["-f", "utf-8", "--color=always", "wrong.txt"])
        .assert();
    let expected = format!("\x1b[1mcharpipe:\x1b[0m {COLORED_FINDING}");
    run.code(1).stdout("ok\n").stderr(expected);
}

#[test]
fn only_findings_for_people_are_colored() {
    let directory = create_directory(&[("wrong.txt", b"ok\n\xFF")]);
    let check = |words: &[&str]| {
        let run = subcommand("check").current_dir(&directory).arg("wrong.txt").args(words).assert();
        String::from_utf8(run.code(1).get_output().stdout.clone()).unwrap()
    };
    assert_eq!(check(&[]), PLAIN_FINDING);
    assert_eq!(check(&["--color=always"]), COLORED_FINDING);
    for format in ["gcc", "json", "jsonl", "github", "gitlab", "sarif", "junit"] {
        let report = check(&["--color=always", "--format", format]);
        assert_eq!(report, check(&["--color=never", "--format", format]));
        assert!(!report.contains('\x1b'), "{format}");
    }
}

#[test]
fn only_the_name_is_colored_in_detected_encodings() {
    let directory = create_directory(&[("a.txt", "é\n".as_bytes())]);
    let detect = |words: &[&str]| {
        let run = subcommand("detect").current_dir(&directory).arg("a.txt").args(words).assert();
        String::from_utf8(run.success().get_output().stdout.clone()).unwrap()
    };
    assert_eq!(detect(&["--color=always"]), "\x1b[35ma.txt\x1b[0m: UTF-8, certain, lf\n");
    assert!(!detect(&["--color=always", "--json"]).contains('\x1b'));
    let mut list = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
    let list = list.args(["list", "--color=always"]).assert().success();
    assert!(!list.get_output().stdout.contains(&0x1B));
}

#[cfg(unix)]
#[test]
fn standard_output_and_standard_error_are_decided_separately() {
    let directory = create_directory(&[("wrong.txt", b"ok\n\xFF")]);
    let command = || {
        let mut command = plain_subcommand("check");
        command.current_dir(&directory).args(["wrong.txt", "nope"]).env("TERM", "xterm");
        command
    };
    let (user, program) = terminal();
    let output = command().stderr(program.try_clone().unwrap()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), PLAIN_FINDING);
    drop(program);
    drop(user);
    let (_user, program) = terminal();
    let output = command().stdout(program).stderr(std::process::Stdio::piped()).spawn();
    let output = output.unwrap().wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), PLAIN_MESSAGE);
}

/// The colors of git.
const COLORED_DIFF: &str = "\x1b[1m--- a\x1b[0m\n\x1b[1m+++ a\x1b[0m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n\
    \x20x\n\x1b[31m-\\x1B[34my␍␊\x1b[0m\n\x1b[32m+\\x1B[34my␊\x1b[0m\n";
const PLAIN_DIFF: &str = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-\\x1B[34my␍␊\n+\\x1B[34my␊\n";

#[cfg(unix)]
#[test]
fn diffs_are_colored_on_a_terminal() {
    let directory = create_directory(&[("a", b"x\n\x1b[34my\r\n")]);
    for (name, words) in [
        ("fix", &["--diff", "-q", "--newline=lf", "a"][..]),
        ("check", &["--diff", "--newline=lf", "a"]),
    ] {
        let shown = |more: &[&str], variables: &[(&str, &str)]| {
            let mut command = plain_subcommand(name);
            command.current_dir(&directory).args(words).args(more).env("TERM", "xterm");
            let text = run(command.envs(variables.iter().copied()), b"");
            // The messages of `check --diff` follow.
            let len = text.find("charpipe:").unwrap_or(text.len());
            text[..len].trim_end_matches("\x1b[1m").to_owned()
        };
        assert_eq!(shown(&[], &[]), COLORED_DIFF, "{name}");
        assert_eq!(shown(&["--color=never"], &[]), PLAIN_DIFF, "{name}");
        assert_eq!(shown(&[], &[("NO_COLOR", "1")]), PLAIN_DIFF, "{name}");
    }
}

#[test]
fn diffs_are_colored_elsewhere_on_request() {
    let directory = create_directory(&[("a", b"x\n\x1b[34my\r\n")]);
    let fix = |words: &[&str]| {
        let mut command = subcommand("fix");
        command
            .current_dir(&directory)
            .args(["--diff", "-q", "--newline=lf", "a"])
            .args(words)
            .assert()
            .code(1)
    };
    fix(&[]).stdout(PLAIN_DIFF);
    fix(&["--color=always"]).stdout(COLORED_DIFF);
}

/// Returns the escape sequences of a text, in order.
fn escapes(text: &str) -> Vec<&str> {
    let parts = text.split('\x1b').skip(1);
    parts.map(|part| &part[..=part.find('m').unwrap_or(part.len() - 1)]).collect()
}

const OURS: [&str; 7] = ["[0m", "[1m", "[4m", "[31m", "[32m", "[35m", "[36m"];

#[cfg(unix)]
#[test]
fn hostile_names_add_no_escape_sequences() {
    for name in ["\x1b[34mred", "a\x1b]0;title\x07", "\u{9b}34m", "a\r\n\x1b[2J"] {
        let directory = create_directory(&[(name, b"\xFF")]);
        let on_terminal = |words: &[&str]| {
            let mut command = match words[0] {
                "check" | "detect" | "fix" => plain_subcommand(words[0]),
                _ => plain(),
            };
            let others = words.iter().filter(|word| !["check", "detect", "fix", ""].contains(word));
            run(command.current_dir(&directory).args(others).env("TERM", "xterm"), b"")
        };
        for words in [
            &["", name, "missing", "-o", "/dev/null"][..],
            &["", "-f", name],
            &["", "--on-error", name],
            &["", &format!("--{name}")],
            &["", "-i", "-v", name, "-f", "latin1", "-n"],
            &["check", name],
            &["check", "--format=gcc", name],
            &["check", &format!("{name}x")],
            &["detect", name],
            &["fix", "-f", "latin1", "--diff", name],
        ] {
            let text = on_terminal(words);
            assert!(!text.is_empty(), "{words:?}");
            assert!(escapes(&text).iter().all(|escape| OURS.contains(escape)), "{text:?}");
            assert!(!text.contains(['\r', '\x07', '\u{9b}']), "{text:?}");
        }
    }
}

#[test]
fn help_and_usage_errors_are_colored_alike() {
    let help = |words: &[&str]| {
        let run = charpipe().args(words).env("COLUMNS", "80").assert().success();
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    for option in ["-h", "--help"] {
        let (plain, colored) = (help(&[option]), help(&["--color=always", option]));
        assert!(!plain.contains('\x1b'));
        assert!(escapes(&colored).iter().all(|escape| OURS.contains(escape)));
        for heading in ["Usage:", "Commands:", "Examples:"] {
            assert!(colored.contains(&format!("\x1b[1m\x1b[4m{heading}\x1b[0m")), "{heading}");
        }
        let mut stripped = colored.clone();
        for escape in OURS {
            stripped = stripped.replace(&format!("\x1b{escape}"), "");
        }
        assert_eq!(stripped, plain);
    }
    let run = charpipe().args(["--color=always", "--recursiv"]).assert().code(2);
    let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("\x1b[1mcharpipe:\x1b[0m \x1b[1m\x1b[31munexpected"), "{text:?}");
    assert!(text.contains("\n\x1b[32m  tip:\x1b[0m a similar"), "{text:?}");
}

#[test]
fn color_may_be_given_with_options_that_only_print() {
    for option in ["--list", "--man", "--completions=bash", "--help", "--version"] {
        charpipe().args(["--color=never", option]).assert().success();
    }
    let run = charpipe().arg("--color=sometimes").assert().code(2);
    let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(text.contains("'sometimes'") && text.contains("auto, always, never"), "{text}");
}
