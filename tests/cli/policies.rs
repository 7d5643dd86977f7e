//! What is written in the place of a fault, and which option decides.

use crate::command::charpipe;

/// 10 € in UTF-8 and a byte that is none, to ASCII.
const INPUT: &[u8] = "10 € ?\u{0}".as_bytes();

fn converted(words: &[&str], code: i32) -> String {
    let mut input = INPUT.to_vec();
    input.push(0xE9);
    let run = charpipe().args(words).write_stdin(input).assert().code(code);
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_fault_ends_the_run_unless_told_otherwise() {
    for words in [
        &["-t", "us-ascii"][..],
        &["-t", "us-ascii", "--on-error", "stop"],
        &["-t", "us-ascii//"],
        &["-f", "utf-8//IGNORE", "-t", "us-ascii"],
        &["-t", "us-ascii", "--on-invalid", "skip"],
    ] {
        assert_eq!(converted(words, 1), "10 ", "{words:?}");
    }
}

#[test]
fn c_and_skip_and_ignore_leave_out_both_kinds_of_faults() {
    for words in [
        &["-c", "-t", "us-ascii"][..],
        &["-t", "us-ascii", "--on-error", "skip"],
        &["-t", "us-ascii//IGNORE"],
        &["-t", "us-ascii//ignore//"],
    ] {
        assert_eq!(converted(words, 1), "10  ?\0", "{words:?}");
    }
}

#[test]
fn translit_writes_look_alikes_and_still_stops_at_what_is_no_character() {
    assert_eq!(converted(&["-t", "us-ascii//TRANSLIT"], 1), "10 EUR ?\0");
    assert_eq!(converted(&["-t", "us-ascii//TRANSLIT", "--on-invalid", "c"], 1), "10 EUR ?\0\\xE9");
}

#[test]
fn translit_and_ignore_go_together() {
    for to in ["us-ascii//TRANSLIT//IGNORE", "us-ascii//ignore//translit", "ascii//Ignore,Translit"]
    {
        assert_eq!(converted(&["-t", to], 1), "10 EUR ?\0", "{to}");
    }
}

#[test]
fn discarding_leaves_translit_its_look_alikes_as_in_iconv() {
    assert_eq!(converted(&["-c", "-t", "us-ascii//TRANSLIT"], 1), "10 EUR ?\0");
}

#[test]
fn an_unknown_ending_is_refused() {
    assert_eq!(converted(&["-t", "us-ascii//FROB"], 2), "");
}

#[test]
fn an_option_wins_over_an_ending() {
    let words = ["-t", "us-ascii//TRANSLIT//IGNORE", "--on-error", "xml"];
    assert_eq!(converted(&words, 1), "10 &#8364; ?\0&#65533;");
}

#[test]
fn the_more_specific_option_wins() {
    let words = ["-t", "us-ascii", "--on-unmappable", "unicode", "--on-error", "replace=*"];
    assert_eq!(converted(&words, 1), "10 <U+20AC> ?\0*");
    let words = ["-t", "us-ascii", "--on-error", "replace=*", "--on-invalid", "unicode"];
    assert_eq!(converted(&words, 1), "10 * ?\0<E9>");
    assert_eq!(converted(&["-c", "-t", "us-ascii", "--on-invalid", "percent"], 1), "10  ?\0%E9");
}

#[test]
fn the_last_of_c_and_on_error_wins() {
    assert_eq!(converted(&["-t", "us-ascii", "-c", "--on-error", "replace=*"], 1), "10 * ?\0*");
    assert_eq!(converted(&["-t", "us-ascii", "--on-error", "replace=*", "-c"], 1), "10  ?\0");
}

#[test]
fn an_unknown_action_is_refused() {
    for option in ["--on-error", "--on-invalid", "--on-unmappable"] {
        assert_eq!(converted(&[option, "frob"], 2), "");
    }
}

#[test]
fn a_replacement_that_the_target_lacks_is_refused() {
    assert_eq!(converted(&["-t", "us-ascii", "--on-error", "replace=é"], 2), "");
}

#[test]
fn a_byte_order_mark_is_kept_stripped_or_added() {
    for (what, input, output) in [
        (None, "\u{FEFF}a", "\u{FEFF}a"),
        (Some("keep"), "\u{FEFF}a", "\u{FEFF}a"),
        (Some("strip"), "\u{FEFF}a", "a"),
        (Some("strip"), "a", "a"),
        (Some("add"), "\u{FEFF}a", "\u{FEFF}a"),
        (Some("add"), "a", "\u{FEFF}a"),
    ] {
        let words = what.map(|what| format!("--bom={what}"));
        charpipe().args(words).write_stdin(input).assert().success().stdout(output);
    }
    charpipe().args(["--bom", "frob"]).assert().code(2);
}
