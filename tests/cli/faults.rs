//! How faults are told.

use std::fs;

use crate::command::{charpipe, folder, told};

#[test]
fn a_fault_is_told_with_file_line_column_offset_bytes_and_reason() {
    let folder = folder(&[("mail.txt", "one\ntwo é".as_bytes())]);
    let path = folder.path().join("mail.txt");
    let content = [fs::read(&path).unwrap(), b"\xE9 ".to_vec()].concat();
    fs::write(&path, content).unwrap();
    let run = charpipe().current_dir(&folder).arg("mail.txt").assert().code(1);
    run.stdout("one\ntwo é").stderr(
        "charpipe: mail.txt:2:6: byte 10: E9 20 is not UTF-8 (continuation byte expected)\n",
    );
}

#[test]
fn a_character_that_the_target_lacks_is_told_by_its_code_point() {
    let run = charpipe().args(["-t", "us-ascii"]).write_stdin("a\n€").assert().code(1);
    run.stderr("charpipe: <stdin>:2:1: byte 2: U+20AC is not in US-ASCII\n");
}

#[test]
fn offsets_and_lines_begin_anew_in_each_file() {
    let folder = folder(&[("a", b"x\n\xFF"), ("b", b"y\n\n\xFE")]);
    let run = charpipe().current_dir(&folder).args(["-c", "a", "b"]).assert().code(1);
    let told = told(&run);
    assert!(told[0].starts_with("charpipe: a:2:1: byte 2: FF "), "{told:?}");
    assert_eq!(told[1], "charpipe: a: 1 skipped");
    assert!(told[2].starts_with("charpipe: b:3:1: byte 3: FE "), "{told:?}");
    assert_eq!(told[3], "charpipe: b: 1 skipped");
}

#[test]
fn ten_faults_of_a_file_are_told_and_the_rest_are_counted() {
    let folder = folder(&[("a", &[0xFF; 15]), ("b", &[0xFF; 11]), ("c", &[0xFF; 10])]);
    let run = charpipe().current_dir(&folder).args(["-c", "a", "b", "c"]).assert().code(1);
    let told = told(&run);
    assert_eq!(told.len(), 33, "{told:?}");
    assert_eq!(told[10], "charpipe: a: 15 skipped (5 more faults not shown)");
    assert_eq!(told[21], "charpipe: b: 11 skipped (1 more fault not shown)");
    assert_eq!(told[32], "charpipe: c: 10 skipped");
}

#[test]
fn verbose_tells_every_fault() {
    let run = charpipe().args(["-c", "-v"]).write_stdin([0xFF; 100]).assert().code(1);
    let told = told(&run);
    assert_eq!(told.len(), 101);
    assert!(told[99].starts_with("charpipe: <stdin>:1:100: byte 99: FF "), "{}", told[99]);
    assert_eq!(told[100], "charpipe: <stdin>: 100 skipped");
}

#[test]
fn the_total_tells_what_was_left_out_from_what_was_replaced() {
    let words = ["--on-invalid", "skip", "--on-unmappable", "replace", "-t", "us-ascii"];
    let run = charpipe().args(words).write_stdin(b"\xFF\xC3\xA9\xFF").assert().code(1);
    let told = told(&run);
    assert_eq!(told.last().unwrap(), "charpipe: <stdin>: 2 skipped, 1 replaced");
}

#[test]
fn a_fault_that_stops_the_run_behind_others_is_told_with_their_total() {
    let words = ["--on-invalid", "skip", "-t", "us-ascii"];
    let input = [&[0xFF; 12][..], "é".as_bytes()].concat();
    let run = charpipe().args(words).write_stdin(input).assert().code(1);
    let told = told(&run);
    assert_eq!(told.len(), 12, "{told:?}");
    assert!(told[10].ends_with("U+00E9 is not in US-ASCII"), "{told:?}");
    assert_eq!(told[11], "charpipe: <stdin>: 12 skipped (2 more faults not shown)");
}

#[test]
fn silent_tells_no_fault_but_keeps_the_exit_code() {
    for option in ["-s", "--silent"] {
        charpipe().args([option]).write_stdin(b"\xFF").assert().code(1).stderr("");
        charpipe().args([option, "-c"]).write_stdin(b"\xFF").assert().code(1).stderr("");
    }
}

#[test]
fn silent_does_not_silence_what_cannot_be_read() {
    let run = charpipe().args(["-s", "/nope"]).assert().code(2);
    run.stderr("charpipe: /nope: No such file or directory\n");
}

#[test]
fn the_input_ending_inside_a_character_is_told_apart() {
    let run = charpipe().write_stdin(b"ab\xE2\x82").assert().code(1).stdout("ab");
    let told = told(&run);
    assert!(told[0].starts_with("charpipe: <stdin>:1:3: byte 2: E2 82 "), "{told:?}");
    assert!(told[0].contains("the input ends inside"), "{told:?}");
}

#[test]
fn a_line_is_shorter_than_400_bytes_whatever_it_tells() {
    let name = "\u{202E}".repeat(80);
    let folder = folder(&[(&name, b"\xFF")]);
    let long = "x".repeat(4000);
    let action = format!("replace={}", "€".repeat(3000));
    for words in [
        &[&name[..]][..],
        &["-c", &name],
        &["-f", &long],
        &["--on-error", &long],
        &[&long],
        &["-t", "us-ascii", "--on-error", &action],
        &["--bom", &long],
        &["--block-size", &long],
        &["--completions", &long],
    ] {
        let run = charpipe().current_dir(&folder).args(words).assert().failure();
        for line in told(&run) {
            assert!(line.len() < 400, "{} bytes: {line}", line.len());
        }
    }
}
