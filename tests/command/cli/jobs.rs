//! Conversion of one input on several threads.

use std::fs;
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};

#[cfg(unix)]
use signal_hook::consts::SIGPIPE;

use crate::cli::command::{charpipe, create_directory, has_small_buffers, plain, subcommand};
#[cfg(unix)]
use charpipe_test_support::closed_pipe;
use charpipe_test_support::{is_exhaustive, sample_stride};

/// A line in GB18030 and in UTF-8.
const LINE: (&[u8], &str) =
    (b"\xD6\xD0\xCE\xC4\xB5\xC4\xD2\xBB\xD0\xD0 number one\n", "中文的一行 number one\n");

/// The number of lines of a file of about ten blocks, or two with small buffers.
fn line_count() -> usize {
    if has_small_buffers() { 20_000 } else { 100_000 }
}

/// Returns a file of some blocks.
fn lines() -> Vec<u8> {
    LINE.0.repeat(line_count())
}

/// Converts a file, or standard input if `is_piped`, and returns the exit code, the output and the messages.
fn run(directory: &Path, words: &[&str], is_piped: bool) -> (Option<i32>, Vec<u8>, String) {
    let mut command = charpipe();
    command.current_dir(directory).args(words);
    match is_piped {
        true => command.write_stdin(fs::read(directory.join("a")).unwrap()),
        false => command.arg("a"),
    };
    let Output { status, stdout, stderr } = command.output().unwrap();
    let messages = String::from_utf8(stderr).unwrap().replace("<stdin>", "a");
    (status.code(), stdout, messages)
}

#[test]
fn any_number_of_threads_gives_the_same_result() {
    let mut some_errors = lines();
    for at in (300_000..some_errors.len() - 1000).step_by(200_000) {
        some_errors[at / LINE.0.len() * LINE.0.len() + 12] = 0xFF;
    }
    let mut many_errors = lines();
    many_errors.iter_mut().step_by(5).for_each(|byte| *byte = 0xFF);
    let long_line: Vec<u8> = lines().into_iter().filter(|byte| *byte != b'\n').collect();
    for (content, has_errors) in
        [(lines(), false), (some_errors, true), (many_errors, true), (long_line, false)]
    {
        let directory = create_directory(&[("a", &content)]);
        for words in [
            &["-f", "gb18030"][..],
            &["-f", "gb18030", "-t", "utf-16", "--on-error", "replace"],
            &["-f", "gb18030", "-t", "latin1", "-c"],
            &["-f", "gb18030", "-t", "utf-7", "--on-error", "skip", "-q"],
        ] {
            let expected = run(directory.path(), &[words, &["-j1"]].concat(), false);
            assert_eq!(expected.0 != Some(0), has_errors || words.contains(&"latin1"), "{words:?}");
            let jobs: &[&str] = if is_exhaustive() { &["-j2", "-j3", "-j8"] } else { &["-j3"] };
            for &jobs in jobs {
                for is_piped in [false, true] {
                    let words = [words, &[jobs]].concat();
                    let (code, output, messages) = run(directory.path(), &words, is_piped);
                    assert_eq!((code, &messages), (expected.0, &expected.2), "{words:?}");
                    assert!(output == expected.1, "{words:?} {is_piped}");
                }
            }
        }
    }
}

#[test]
fn only_ten_errors_are_shown_in_order() {
    let mut content = lines();
    content.iter_mut().step_by(20_021).for_each(|byte| *byte = 0xFF);
    let directory = create_directory(&[("a", &content)]);
    let words = ["-f", "gb18030", "--on-error", "skip", "-j4"];
    let (code, _, messages) = run(directory.path(), &words, false);
    let offsets: Vec<u64> = messages
        .lines()
        .filter_map(|line| line.split_once(": byte ")?.1.split(':').next()?.parse().ok())
        .collect();
    assert_eq!((code, offsets.len()), (Some(1), 10), "{messages}");
    assert!(offsets.is_sorted());
    assert!(messages.lines().last().unwrap().contains("not shown)"), "{messages}");
}

#[test]
fn lines_are_written_before_the_next_is_read() {
    let mut command = plain();
    command.args(["-f", "gb18030", "-j4"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for _ in 0..50 {
        input.write_all(LINE.0).unwrap();
        let mut line = vec![0; LINE.1.len()];
        output.read_exact(&mut line).unwrap();
        assert_eq!(line, LINE.1.as_bytes());
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_error_ends_the_run_before_the_end_of_the_input() {
    let mut command = plain();
    command.args(["-j4"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"ab\xFFcd").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    drop(input);
}

#[cfg(unix)]
#[test]
fn a_closed_output_ends_the_run_before_the_end_of_the_input() {
    let mut command = plain();
    command.args(["-f", "gb18030", "-j4"]);
    command.stdin(Stdio::piped()).stdout(closed_pipe()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // It may end before it has read all.
    let _ = input.write_all(&LINE.0.repeat(10));
    assert_eq!(child.wait().unwrap().signal(), Some(SIGPIPE));
    drop(input);
}

#[test]
fn several_inputs_are_one_output() {
    let content = lines();
    let directory = create_directory(&[("a", &content), ("b", &content)]);
    let words = ["-f", "gb18030", "-t", "utf-16", "-j3", "a", "b", "a"];
    let run = charpipe().current_dir(&directory).args(words).output().unwrap();
    let mut expected = vec![0xFF, 0xFE];
    expected.extend(LINE.1.repeat(3 * line_count()).encode_utf16().flat_map(u16::to_le_bytes));
    assert!(run.stdout == expected);
}

#[test]
fn a_large_file_is_converted_in_place_by_all_threads() {
    let size = if has_small_buffers() { 1 << 20 } else { 33 << 20 };
    let count = size / LINE.0.len();
    let content = LINE.0.repeat(count);
    for jobs in ["-j1", "-j3"] {
        let directory = create_directory(&[("a", &content), ("b", b"\xD6\xD0"), ("c", b"plain")]);
        let words = ["-f", "gb18030", "-i", jobs, "a", "b", "c"];
        let run = charpipe().current_dir(&directory).args(words).assert().code(0);
        run.stderr("charpipe: 2 converted, 1 unchanged, 0 skipped, 0 failed\n");
        let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
        assert!(read("a") == LINE.1.repeat(count).as_bytes());
        assert_eq!(read("b"), "中".as_bytes());
        // An error leaves the file as it was.
        let mut invalid = content.clone();
        invalid[size - (1 << 18)] = 0xFF;
        fs::write(directory.path().join("a"), &invalid).unwrap();
        let run = charpipe().current_dir(&directory).args(&words[..5]).assert().code(1);
        let messages = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(
            messages.ends_with("0 converted, 0 unchanged, 0 skipped, 1 failed\n"),
            "{messages}"
        );
        assert!(read("a") == invalid);
    }
}

#[test]
fn checks_on_any_number_of_threads_find_the_same() {
    let few_lines = LINE.0.repeat(45_000);
    let mut some_errors = few_lines.clone();
    some_errors.iter_mut().step_by(100_007).for_each(|byte| *byte = 0xFF);
    some_errors[900_000..900_002].copy_from_slice(b"\r\n");
    let mut nul = some_errors.clone();
    nul[700_001] = 0;
    let mut many_errors = few_lines.clone();
    many_errors.iter_mut().step_by(1009).for_each(|byte| *byte = 0xFF);
    let escapes = b"\x1B$B0!\n0!\x1B(B abc \x80\n0!\n".repeat(20_000);
    let two_bytes: Vec<u8> = few_lines[..600_000].iter().flat_map(|byte| [*byte, 0]).collect();
    let mut utf_16 = [&b"\xFF\xFE"[..], &two_bytes].concat();
    utf_16[500_000..500_003].fill(0xD8);
    let contents = [few_lines, utf_16, escapes, some_errors, many_errors, nul];
    for (number, content) in contents.into_iter().enumerate() {
        let directory = create_directory(&[("a", &content)]);
        let all: [&[&str]; 5] = [
            &["-e", "gb18030", "--newline", "consistent"],
            &[
                "-e",
                "gb18030",
                "--format",
                "gcc",
                "--confusing",
                "--binary",
                "text",
                "--max-findings",
                "500",
            ],
            &["-e", "iso-2022-jp", "--max-findings", "100", "--newline", "crlf"],
            &["-e", "utf-16", "--ascii-only", "--max-findings", "300"],
            &["-e", "utf-8", "-l"],
        ];
        let stride = sample_stride(2);
        for words in all.into_iter().skip(number % stride).step_by(stride) {
            let run = |jobs| {
                let mut command = subcommand("check");
                command.current_dir(&directory).args(words).args([jobs, "a"]);
                let Output { status, stdout, stderr } = command.output().unwrap();
                (status.code(), stdout, String::from_utf8(stderr).unwrap())
            };
            let expected = run("-j1");
            for jobs in ["-j2", "-j5"] {
                let checked = run(jobs);
                let is_same = (checked.0, &checked.2) == (expected.0, &expected.2);
                assert!(is_same && checked.1 == expected.1, "{words:?} {jobs}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_depend_on_the_length_of_a_line() {
    let directory = create_directory(&[]);
    let size = if has_small_buffers() { 1 << 22 } else { 1 << 28 };
    fs::File::create(directory.path().join("a")).unwrap().set_len(size).unwrap();
    for source in ["\"$@\" a", "cat a | \"$@\""] {
        // Most of it is address space of the stacks of the threads.
        let script = format!("ulimit -v 120000; {source} | wc -c");
        let mut command = crate::cli::command::shell(&script);
        command.env("MALLOC_ARENA_MAX", "1").current_dir(&directory).args([
            "-f",
            "windows-1252",
            "-t",
            "utf-8",
            "-j3",
        ]);
        command.assert().code(0).stderr("").stdout(format!("{size}\n"));
    }
}

#[test]
fn the_number_of_threads_is_limited() {
    for jobs in ["0", "33", "x"] {
        charpipe().args(["-j", jobs]).assert().code(2);
    }
}
