//! Messages and the exit code.

use std::time::{Duration, Instant};

use super::{in_place, lines, summary};
#[cfg(unix)]
use crate::cli::command::at_once;
use crate::cli::command::{charpipe, create_directory, messages_of, shell};
use charpipe_test_support::{Requirement, require, watch};

#[test]
fn the_worst_of_all_files_is_the_exit_code() {
    let files: [(&str, &[u8]); 4] =
        [("good", b"\xC3\xA9"), ("invalid", b"\xFF"), ("plain", b"plain"), ("binary", b"\0")];
    for (names, code) in [
        (&["good", "plain"][..], 0),
        (&["good", "plain", "binary"], 1),
        (&["invalid", "good"], 1),
        (&["good", "nope", "invalid"], 2),
        (&["invalid", "nope"], 2),
    ] {
        let directory = create_directory(&files);
        let words = [&["-t", "utf-16"], names].concat();
        in_place(directory.path(), &words).code(code);
    }
}

#[test]
fn the_summary_counts_all_files() {
    let directory = create_directory(&[
        ("one", b"\xE9"),
        ("two", b"\xE8"),
        ("plain", b"plain"),
        ("binary", b"\0"),
        ("utf8", b"\xC3\xA9"),
    ]);
    let words = ["-f", "latin1", "one", "two", "plain", "binary", "utf8", "nope"];
    let run = in_place(directory.path(), &words).code(2);
    assert_eq!(summary(&run), "charpipe: 2 converted, 2 unchanged, 1 skipped, 1 failed");
}

#[cfg(unix)]
#[test]
fn verbose_reports_each_file_in_operand_order() {
    for jobs in ["-j1", "-j8"] {
        let directory =
            create_directory(&[("b", &vec![0xE9; 1 << 20]), ("a", b"plain"), ("c", b"\0")]);
        let words = ["-f", "latin1", "-v", jobs, "b", "a", "nope", "c"];
        let run = in_place(directory.path(), &words).code(2);
        assert_eq!(
            lines(&run),
            [
                "b: converted from ISO-8859-1 to UTF-8",
                "a: unchanged",
                "nope: cannot be read: No such file or directory",
                "c: skipped: binary file (contains NUL)",
            ],
            "{jobs}"
        );
    }
}

#[test]
fn errors_of_different_files_are_not_interleaved() {
    let invalid = [&b"\xFF "[..]; 200].concat();
    let names: Vec<_> = (10..30).map(|number| number.to_string()).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), &invalid[..])).collect();
    for option in ["-k", "--break-hard-links"] {
        let directory = create_directory(&files);
        let mut words = vec!["-f", "utf-8", "-c", "-v", "-j8", option];
        words.extend(names.iter().map(String::as_str));
        let run = in_place(directory.path(), &words).code(1);
        let messages = lines(&run);
        // 200 errors, the total, and that it was converted.
        assert_eq!(messages.len(), 20 * 202);
        for (lines, name) in messages.chunks(202).zip(&names) {
            assert!(lines.iter().all(|line| line.starts_with(name)), "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn quiet_reports_only_system_errors() {
    let directory = create_directory(&[("a", b"\xE9"), ("invalid", b"\xFF"), ("binary", b"\0")]);
    let run =
        in_place(directory.path(), &["-s", "-t", "utf-16", "invalid", "binary", "nope"]).code(2);
    assert_eq!(messages_of(&run), ["charpipe: nope: cannot be read: No such file or directory"]);
    in_place(directory.path(), &["-s", "-f", "latin1", "a"]).success().stderr("").stdout("");
}

#[cfg(unix)]
#[test]
fn progress_is_drawn_after_a_second_on_a_terminal_only() {
    let cases: [fn(); 2] =
        [progress_is_drawn_after_a_second, progress_is_not_drawn_without_a_terminal];
    at_once(cases, |case| case());
}

#[cfg(unix)]
fn progress_is_not_drawn_without_a_terminal() {
    let directory = create_directory(&[("a", b"\xE9")]);
    // Longer than the delay of the progress display.
    let script = "(echo a; sleep 1.3) | \"$@\" -i -f latin1 --files-from -";
    let run = shell(script).current_dir(&directory).assert().success();
    run.stderr("charpipe: 1 converted, 0 unchanged, 0 skipped, 0 failed\n");
}

#[cfg(unix)]
fn progress_is_drawn_after_a_second() {
    let directory = create_directory(&[("a", b"\xE9")]);
    if !require(Requirement::Program("script")) {
        return;
    }
    let program = env!("CARGO_BIN_EXE_charpipe");
    // Files are named until it is drawn, or for a minute. The first line of the file `shown` is the script.
    let until_drawn = "for i in $(seq 600); do grep -q '[1] file' shown && break; sleep 0.1; done";
    for (more, drawn) in [(until_drawn, true), (":", false)] {
        let pipe = format!("(echo a; {more}) | {program} -i --files-from -");
        let mut script = assert_cmd::Command::from_std(watch::command("script"));
        script
            .current_dir(&directory)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .args(["-qefc", &pipe, "shown"]);
        let begin = Instant::now();
        let run = script.write_stdin("").assert();
        // On a busy machine short work may take a second too.
        let is_long = drawn || begin.elapsed() > Duration::from_millis(900);
        let shown = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        let is_drawn = shown.contains("1 file, 1 B, ");
        assert!(is_drawn == drawn || is_long && is_drawn, "{shown:?}");
        assert!(shown.contains("charpipe: 0 converted, 0 unchanged"), "{shown:?}");
    }
}

#[cfg(unix)]
#[test]
fn full_stderr_changes_only_the_exit_code() {
    let directory = create_directory(&[("a", b"\xE9"), ("invalid", b"\xFF")]);
    for (words, code) in [("-f latin1 a", 2), ("-s -f latin1 -t utf-16 a", 0), ("invalid", 1)] {
        let script = format!("\"$@\" -i {words} 2>/dev/full");
        shell(&script).current_dir(&directory).assert().code(code);
    }
    assert_eq!(std::fs::read(directory.path().join("a")).unwrap(), b"\xFF\xFE\xC3\0\xA9\0");
}

#[test]
fn help_describes_in_place() {
    let run = charpipe().arg("--help").assert().success();
    let help = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    for option in ["--in-place", "--backup", "--dry-run", "--files-from", "--break-hard-links"] {
        assert!(help.contains(option), "{option}");
    }
}
