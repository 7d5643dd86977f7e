//! `--range`, its reports, and `charpipe split`.

#[cfg(unix)]
use std::fs::File;
#[cfg(unix)]
use std::io::{BufWriter, Write};
use std::path::Path;

use assert_cmd::Command;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cli::command::{charpipe, create_directory, subcommand};
use charpipe_test_support::XorShift;
use charpipe_test_support::watch;

const ENCODINGS: [&str; 6] = ["shift_jis", "utf-16", "gb18030", "utf-8", "utf-7", "ibm1047"];

/// Returns a text of Japanese and ASCII, with lines of different lengths.
fn text() -> String {
    let mut rng = XorShift::new(7);
    let words = ["日本", "ab", "語。", "テキスト", " "];
    (0..200).map(|_| rng.text(20, &words) + "\n").collect()
}

/// Returns a text that these encodings have.
fn text_for(encoding: &str) -> String {
    match encoding {
        "ibm1047" => text().replace(|character: char| !character.is_ascii(), "é"),
        _ => text(),
    }
}

fn encode(text: &str, encoding: &str) -> Vec<u8> {
    let run = charpipe().args(["-t", encoding]).write_stdin(text).assert().code(0);
    run.get_output().stdout.clone()
}

/// Runs the command and returns its exit code, output and messages.
fn run(command: &mut Command, directory: &TempDir) -> (i32, Vec<u8>, String) {
    let run = command.current_dir(directory).assert();
    let output = run.get_output();
    let messages = String::from_utf8(output.stderr.clone()).unwrap();
    (output.status.code().unwrap(), output.stdout.clone(), messages)
}

fn convert(directory: &TempDir, words: &[&str]) -> (i32, Vec<u8>, String) {
    run(charpipe().args(words), directory)
}

/// Returns the command `charpipe split`, which has no buffer.
fn split() -> Command {
    let mut command = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
    command.arg("split");
    command
}

fn report(directory: &TempDir, name: &str) -> Value {
    let text = std::fs::read(directory.path().join(name)).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn joined_ranges_are_the_whole_conversion() {
    for from in ENCODINGS {
        let text = text_for(from);
        let input = encode(&text, from);
        let directory = create_directory(&[("in", &input)]);
        for to in ["utf-8", "utf-16", "iso-2022-jp"] {
            let words = ["-f", from, "-t", to, "in", "--on-error=replace"];
            let (code, whole, _) = convert(&directory, &words);
            for parts in [1, 2, 5, 9] {
                let mut joined = Vec::new();
                for part in 1..=parts {
                    let range = format!("--range={part}/{parts}");
                    let (part_code, output, messages) =
                        convert(&directory, &[&words[..], &[&range]].concat());
                    assert!(part_code <= code, "{from} {to} {range}: {messages}");
                    joined.extend(output);
                }
                assert!(joined == whole, "{from} {to} in {parts} parts");
            }
        }
    }
}

#[test]
fn split_prints_ranges_whose_outputs_join() {
    for from in ENCODINGS {
        let text = text_for(from);
        let input = encode(&text, from);
        let directory = create_directory(&[("in", &input)]);
        for words in [&["-n", "5"][..], &["-n", "9999999999999999999"], &["-s", "1K"], &["-s", "1"]]
        {
            let (code, output, messages) =
                run(split().args(words).args(["-f", from, "in"]), &directory);
            assert_eq!((code, messages.as_str()), (0, ""));
            let output = String::from_utf8(output).unwrap();
            let mut end = 0;
            for range in output.lines() {
                let (start, next) = range.split_once('-').unwrap();
                assert_eq!(start.parse(), Ok(end), "{from} {words:?}");
                end = next.parse().unwrap();
            }
            assert_eq!(end, input.len(), "{from} {words:?}");
            let ranges: Vec<_> = output.lines().collect();
            assert!(ranges.len() > 4, "{from} {words:?}");
            // A range that is printed is not moved.
            let tried = ranges.iter().step_by(ranges.len().div_ceil(8));
            for range in tried {
                let (start, end) = range.split_once('-').unwrap();
                let words = ["-f", from, "in", "--range", range, "--report=r", "-o", "out"];
                assert_eq!(convert(&directory, &words).0, 0);
                let report = report(&directory, "r");
                assert_eq!(report["start"].to_string(), start);
                assert_eq!(report["end"].to_string(), end);
            }
        }
    }
}

#[test]
fn split_prints_json() {
    let directory = create_directory(&[("a\u{1B}", b"one\ntwo\nthree\n"), ("empty", b"")]);
    let words = ["-n2", "--json", "-f", "gbk", "-t", "utf-16", "a\u{1B}"];
    let (code, output, _) = run(split().args(words), &directory);
    let expected = json!({
        "file": "a\u{1B}",
        "size": 14,
        "from": "GBK",
        "to": "UTF-16",
        "needs_verification": false,
        "ranges": [{"start": 0, "end": 8}, {"start": 8, "end": 14}],
    });
    assert_eq!(code, 0);
    assert!(!output.contains(&0x1B));
    assert_eq!(serde_json::from_slice::<Value>(&output).unwrap(), expected);
    // An empty file may have an output.
    for parts in ["-n3", "-s1K"] {
        assert_eq!(run(split().args([parts, "empty"]), &directory).1, b"0-0\n");
    }
}

#[test]
fn a_range_of_many_errors_has_the_messages_of_the_whole() {
    let directory = create_directory(&[("in", "é€".repeat(2000).as_bytes())]);
    let words = ["-t", "latin1", "--on-error=replace", "in"];
    let whole = convert(&directory, &words);
    assert!(whole.2.contains("2000 errors"), "{}", whole.2);
    for more in [&["--range=1/1"][..], &["--range=1/1", "--report=r"]] {
        assert_eq!(convert(&directory, &[&words, more].concat()), whole, "{more:?}");
    }
    let report = report(&directory, "r");
    let listed = report["errors"].as_array().map_or(0, Vec::len);
    assert_eq!(listed + report["errors_not_listed"].as_u64().unwrap() as usize, 2000, "{report}");
}

#[test]
fn positions_are_those_in_the_whole_file() {
    let mut input = encode(&text(), "shift_jis");
    let mut rng = XorShift::new(11);
    for _ in 0..40 {
        let index = rng.below(input.len());
        input[index] = 0xFF;
    }
    let directory = create_directory(&[("in", &input)]);
    let messages = |text: &str| -> Vec<String> {
        let errors = text.lines().filter(|line| line.contains("byte "));
        errors.map(|line| line.trim_start_matches("charpipe: ").to_owned()).collect()
    };
    let words = ["-f", "shift_jis", "-c", "-v", "in"];
    let (code, whole, all) = convert(&directory, &words);
    assert_eq!(code, 1);
    let (mut joined, mut joined_messages, mut lines) = (Vec::new(), Vec::new(), 0);
    let mut errors = Vec::new();
    for part in 1..=7 {
        let [range, base] = [format!("--range={part}/7"), format!("--line-base={lines}")];
        let words = [&words[..], &[&range, &base, "--report=r"]].concat();
        let (_, output, messages_of_part) = convert(&directory, &words);
        joined.extend(output);
        joined_messages.extend(messages(&messages_of_part));
        let report = report(&directory, "r");
        lines += report["lines"].as_u64().unwrap();
        let listed = report["errors"].as_array().unwrap();
        assert_eq!(Some(listed.len() as u64), report["malformed"].as_u64());
        errors.extend(listed.iter().map(|error| {
            let message = error["message"].as_str().unwrap();
            format!("in:{}:{}: byte {}: {message}", error["line"], error["column"], error["offset"])
        }));
    }
    assert!(joined == whole);
    assert_eq!(joined_messages, messages(&all));
    assert_eq!(errors, joined_messages);
    assert_eq!(lines, whole.iter().filter(|byte| **byte == b'\n').count() as u64);
}

#[test]
fn checked_ranges_have_the_findings_of_the_whole_file() {
    for (encoding, byte) in [("shift_jis", 0xFF), ("utf-8", 0xFF), ("utf-16", 0xD8)] {
        let mut input = encode(&(text() + "end\r\n"), encoding);
        let mut rng = XorShift::new(3);
        for _ in 0..30 {
            let index = 2 + rng.below(input.len() / 2 - 2) * 2;
            input[index + 1] = byte;
        }
        let directory = create_directory(&[("in", &input)]);
        let check = |words: &[&str]| {
            let command = &mut subcommand("check");
            let words = [&["-e", encoding, "--format=gcc", "--newline=lf", "in"], words].concat();
            let (code, output, messages) = run(command.args(words), &directory);
            assert!(code < 2, "{messages}");
            String::from_utf8(output).unwrap()
        };
        let whole = check(&[]);
        assert!(whole.lines().count() >= 10);
        let (mut joined, mut lines) = (String::new(), 0);
        for part in 1..=6 {
            let [range, base] = [format!("--range={part}/6"), format!("--line-base={lines}")];
            joined += &check(&[&range, &base]);
            convert(&directory, &["-f", encoding, "-c", "in", &range, "--report=r", "-o", "out"]);
            lines += report(&directory, "r")["lines"].as_u64().unwrap();
        }
        assert_eq!(joined, whole, "{encoding}");
    }
}

#[test]
fn missing_byte_order_mark_is_found_in_the_first_range_only() {
    let directory = create_directory(&[("in", "a line\n".repeat(100).as_bytes())]);
    for (range, code) in [("--range=1/2", 1), ("--range=2/2", 0)] {
        let mut check = subcommand("check");
        let words = ["-e", "utf-8", "--bom=require", "--line-base=0", range, "in"];
        assert_eq!(run(check.args(words), &directory).0, code, "{range}");
    }
}

#[test]
fn report_of_all_of_a_file_as_a_range_is_that_of_the_file() {
    let directory = create_directory(&[("in", b"a\xFFb\nc\xFF\n")]);
    for format in ["text", "gcc", "json", "jsonl", "github", "gitlab", "sarif", "junit"] {
        let check = |words: &[&str]| {
            let words = [&["--format", format, "in"], words].concat();
            run(subcommand("check").args(words), &directory)
        };
        assert_eq!(check(&["--range", "0-"]), check(&[]), "{format}");
    }
}

#[test]
fn range_without_a_split_point_is_empty() {
    let directory = create_directory(&[("in", b"one long line\nend")]);
    let words = ["--range=2-9", "--report=r", "-o", "out", "in"];
    assert_eq!(convert(&directory, &words), (0, Vec::new(), String::new()));
    assert_eq!(std::fs::read(directory.path().join("out")).unwrap(), b"");
    let report = report(&directory, "r");
    assert_eq!(report["start"], report["end"]);
    assert_eq!(convert(&directory, &["--range=2-", "in"]).1, b"end");
    assert_eq!(convert(&directory, &["--range=0-1K", "in"]).1, b"one long line\nend");
    assert_eq!(convert(&directory, &["--range=100-", "in"]).1, b"");
}

#[test]
fn range_after_another_state_is_converted_again() {
    // The second line begins with two bytes of a character.
    let directory = create_directory(&[("in", b"\x1B$BF|\nK\\\x1B(B\nab\n")]);
    let words = ["-f", "iso-2022-jp", "in", "--report=r"];
    let message = "charpipe: ISO-2022-JP: cannot be converted in parts: the active character set \
        outlives a line (use --assume-line-start, and verify the reports)\n";
    let refused = convert(&directory, &[&words[..], &["--range=0-6"]].concat());
    assert_eq!(refused, (2, Vec::new(), message.to_owned()));
    let convert = |more: &[&str]| convert(&directory, &[&words[..], more].concat());
    let (code, output, messages) = convert(&["--range=0-6", "--assume-line-start"]);
    assert_eq!((code, output), (1, "日\n".into()));
    let first = report(&directory, "r");
    assert_eq!(first["ends_as_assumed"], false);
    assert_eq!(first["needs_verification"], true);
    let state = first["end_state"].as_str().unwrap();
    let expected =
        format!("charpipe: in: the next range must be converted with --start-state={state}\n");
    assert_eq!(messages, expected);
    assert_eq!(convert(&["--range=6-", "--assume-line-start"]).1, b"K\\\nab\n");
    let (code, output, _) = convert(&["--range=6-", "--start-state", state]);
    assert_eq!((code, output), (0, "本\nab\n".into()));
    let second = report(&directory, "r");
    assert_eq!(second["ends_as_assumed"], true);
    assert_eq!(second["start_state"], state);
}

#[test]
fn stopped_range_leaves_a_report_but_no_output() {
    let directory = create_directory(&[("in", b"ab\nc\xFFd\nef\n")]);
    let words = ["--range=3-8", "--line-base=1", "--report=r", "-o", "out", "in"];
    let (code, _, messages) = convert(&directory, &words);
    assert_eq!(code, 1);
    assert!(messages.starts_with("charpipe: in:2:2: byte 4: "), "{messages}");
    assert!(messages.ends_with("charpipe: out: not written because of errors\n"), "{messages}");
    assert!(!directory.path().join("out").exists());
    let report = report(&directory, "r");
    assert_eq!(
        [&report["stopped"], &report["start"], &report["end"]],
        [&json!(true), &json!(3), &json!(4)]
    );
    assert_eq!(report["errors"][0]["line"], 2);
}

#[test]
fn report_lists_ten_errors() {
    let directory = create_directory(&[("in", &b"a\xFFb\xFE".repeat(50))]);
    let words = ["-c", "-q", "--range=1/1", "--report=r", "-o", "out", "in"];
    for via in [&[][..], &["--via=latin1"]] {
        let words = [&words[..], via].concat();
        assert_eq!(convert(&directory, &words), (1, Vec::new(), String::new()));
        let report = report(&directory, "r");
        assert_eq!(report["errors"].as_array().unwrap().len(), 10);
        assert_eq!([&report["errors_not_listed"], &report["skipped"]], [&json!(90), &json!(100)]);
        assert_eq!(report["output_bytes"], 100);
    }
}

#[test]
fn split_refuses_what_the_conversion_of_a_range_refuses() {
    // Stripping is at the start of the text only, and ranges of this encoding begin after shifts.
    let directory = create_directory(&[("in", b"\x0E\x41\x41\x0F")]);
    let words = ["-f", "ibm939", "--bom=strip", "in"];
    let (code, _, message) = convert(&directory, &[&words[..], &["--range=1/2"]].concat());
    assert_eq!(code, 2, "{message}");
    let (code, output, split_message) = run(split().args(["-n", "2"]).args(words), &directory);
    assert_eq!((code, output, split_message), (2, Vec::new(), message));
}

#[test]
fn invalid_usage_is_rejected_with_the_reason() {
    let directory = create_directory(&[("in", b"text\n"), ("other", b"")]);
    for (words, message) in [
        (
            &["in", "--range=5"][..],
            "--range: \"5\" is not a range (expected A-B in bytes, or I/N for part I of N)",
        ),
        (&["in", "--range=9-5"], "--range: \"9-5\" ends before it begins"),
        (&["in", "--range=3/2"], "--range: \"3/2\" has fewer parts than the number of the part"),
        (&["--range=1/2"], "--range requires one FILE other than standard input"),
        (&["-", "--range=1/2"], "--range requires one FILE other than standard input"),
        (&["in", "other", "--range=1/2"], "--range requires one FILE other than standard input"),
        (&["in", "-i", "--range=1/2"], "--in-place cannot be used with --range"),
        (&["in", "--line-base=2"], "--line-base requires --range"),
        (&["in", "--report=r"], "--report requires --range"),
        (
            &["in", "--range=1/2", "--start-state=x"],
            "--start-state: not a state of a conversion (use that of the report of the preceding range)",
        ),
        (
            &["in", "--range=1/2", "--report=-"],
            "--report and the output must be different files (use --output)",
        ),
        (
            &["in", "-f", "detect", "--range=1/2"],
            "--range requires the name of the input encoding ('charpipe detect --name FILE' prints it)",
        ),
        (&["in", "-f", "utf-5", "--range=1/2"], "UTF-5: cannot be converted in parts: "),
        (&["in", "-t", "utf-7-imap", "--range=1/2"], "UTF-7-IMAP: cannot be converted in parts: "),
        (&["in", "-f", "rfc2047", "--range=1/2"], "RFC2047: cannot be converted in parts: "),
        (
            &["in", "--via", "nfc", "--range=1/2"],
            "nfc: cannot be converted in parts: it is a transform",
        ),
        (
            &["in", "-f", "utf-8,cp1252", "--range=1/2"],
            "UTF-8,CP1252: cannot be converted in parts: ",
        ),
        (&[".", "--range=1/2"], ".: Is a directory"),
        (
            &["/dev/null", "--range=1/2"],
            "/dev/null: ranges require a regular file (write the data to one first)",
        ),
        (&["missing", "--range=1/2"], "missing: No such file or directory"),
    ] {
        let (code, output, messages) = convert(&directory, words);
        assert_eq!((code, output), (2, Vec::new()), "{words:?}");
        assert!(messages.starts_with(&format!("charpipe: {message}")), "{words:?}: {messages}");
    }
    for (words, message) in [
        (&["in"][..], "split requires --parts or --size"),
        (&["-n1"], "split requires one FILE other than standard input"),
        (&["-n1", "-"], "split requires one FILE other than standard input"),
        (
            &["-s0", "in"],
            "--size: \"0\" is not a size in bytes (expected a number above 0, as 4096 or 64M)",
        ),
        (&["-s1", "-n1", "in"], "--size cannot be used with --parts"),
        (&["-n1", "-f", "iso-2022-jp", "in"], "ISO-2022-JP: cannot be converted in parts: "),
    ] {
        let (code, output, messages) = run(split().args(words), &directory);
        assert_eq!((code, output), (2, Vec::new()), "{words:?}");
        assert!(messages.starts_with(&format!("charpipe: {message}")), "{words:?}: {messages}");
    }
    for (words, message) in [
        (&["in", "--range=1/2", "--confusing"][..], "--range cannot be used with --confusing"),
        (&["in", "other", "--range=1/2"], "--range requires one FILE other than standard input"),
        (
            &["in", "--range=1/2", "-e", "utf-8", "-e", "cp1252"],
            "several encodings: cannot be converted in parts: ",
        ),
        (
            &["in", "--range=1/2", "--newline=same"],
            "consistent line endings: cannot be converted in parts: ",
        ),
    ] {
        let (code, output, messages) = run(subcommand("check").args(words), &directory);
        assert_eq!((code, output), (2, Vec::new()), "{words:?}");
        assert!(messages.starts_with(&format!("charpipe: {message}")), "{words:?}: {messages}");
    }
}

#[test]
fn input_is_never_the_output() {
    let directory = create_directory(&[("in", b"one\ntwo\n")]);
    // As in a whole conversion, a file that replaces its input appears at the end.
    let words = ["--range=1/2", "in", "-o", "in"];
    assert_eq!(convert(&directory, &words).0, 0);
    assert_eq!(std::fs::read(Path::new(directory.path()).join("in")).unwrap(), b"one\n");
}

/// With `CHARPIPE_TEST_EXHAUSTIVE=1` the line has a gigabyte.
#[cfg(unix)]
#[test]
fn a_long_line_is_converted_with_little_memory() {
    let is_exhaustive = charpipe_test_support::is_exhaustive();
    let unit_count = if is_exhaustive { 250_000_000 } else { 12_000_000 };
    // In UTF-16LE the line has 0A 00 at odd offsets.
    for (encoding, unit, text, line_feed) in [
        ("utf-16le", &b"\x01\x0A\x00\x4E"[..], "\u{A01}\u{4E00}", &b"\n\0"[..]),
        ("gb18030", b"\xBA\xBA\xD7\xD6", "汉字", b"\n"),
    ] {
        let directory = TempDir::new().unwrap();
        let write = |name: &str, unit: &[u8], line_feed: &[u8]| {
            let mut file = BufWriter::new(File::create(directory.path().join(name)).unwrap());
            file.write_all(line_feed).unwrap();
            (0..unit_count).for_each(|_| file.write_all(unit).unwrap());
            file.write_all(&[line_feed, line_feed].concat()).unwrap();
            file.flush().unwrap();
        };
        write("in", unit, line_feed);
        write("expected", text.as_bytes(), b"\n");
        let script = "ulimit -v 32768; for part in 1 2 3 4; do \
            \"$0\" -f $1 --range=$part/4 in || exit; done | cmp - expected";
        let mut shell = watch::command("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_charpipe"), encoding]);
        let result = run(&mut Command::from_std(shell), &directory);
        assert_eq!(result, (0, Vec::new(), String::new()), "{encoding}");
    }
}
