//! Error actions, and which option selects them.

use crate::cli::command::{charpipe, create_directory, messages_of};

/// 10 € in UTF-8 and an invalid byte, to ASCII.
const INPUT: &[u8] = "10 € ?\u{0}".as_bytes();

fn converted(words: &[&str], code: i32) -> String {
    let mut input = INPUT.to_vec();
    input.push(0xE9);
    let run = charpipe().args(words).write_stdin(input).assert().code(code);
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

#[test]
fn error_stops_the_run_by_default() {
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
fn c_skip_and_ignore_skip_both_kinds_of_errors() {
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
fn translit_transliterates_and_stops_at_malformed_bytes() {
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
fn c_keeps_transliterations_as_in_iconv() {
    assert_eq!(converted(&["-c", "-t", "us-ascii//TRANSLIT"], 1), "10 EUR ?\0");
}

#[test]
fn unknown_suffix_is_rejected() {
    assert_eq!(converted(&["-t", "us-ascii//FROB"], 2), "");
}

#[test]
fn option_overrides_a_suffix() {
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
fn unknown_action_is_rejected() {
    for option in ["--on-error", "--on-invalid", "--on-unmappable"] {
        assert_eq!(converted(&[option, "frob"], 2), "");
    }
}

#[test]
fn unmappable_replacement_is_rejected() {
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

/// Converts to US-ASCII. Returns the output and the messages.
fn to_ascii(words: &[&str], input: &[u8], code: i32) -> (String, Vec<String>) {
    let run =
        charpipe().args(["-f", "utf-8", "-t", "us-ascii"]).args(words).write_stdin(input).assert();
    let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let reported = messages_of(&run);
    run.code(code);
    (output, reported)
}

#[test]
fn requested_transliteration_and_escapes_exit_with_0_silently() {
    for (words, output) in [
        (&["--on-unmappable", "translit"][..], "naive EUR 1/2 "),
        (&["--on-error", "translit"], "naive EUR 1/2 "),
        (&["--on-error", "xml"], "nai&#776;ve &#8364;&#189;"),
        (&["--on-error", "xml-hex"], "nai&#x308;ve &#x20AC;&#xBD;"),
        (&["--on-error", "java"], r"nai\u0308ve \u20AC\u00BD"),
        (&["--on-error", "c"], r"nai\u0308ve \u20AC\u00BD"),
        (&["--on-error", "backslash"], r"nai\u{308}ve \u{20AC}\u{BD}"),
        (&["--on-error", "unicode"], "nai<U+0308>ve <U+20AC><U+00BD>"),
        (&["--on-error", "percent"], "nai%CC%88ve %E2%82%AC%C2%BD"),
    ] {
        let expected = (output.to_owned(), vec![]);
        assert_eq!(to_ascii(words, "nai\u{308}ve €½".as_bytes(), 0), expected, "{words:?}");
    }
}

#[test]
fn lost_characters_and_malformed_bytes_exit_with_1() {
    for (words, input, output) in [
        // No candidate can be encoded.
        (&["--on-error", "translit"][..], "éя".as_bytes(), "e?"),
        (&["--on-error", "replace"], "é".as_bytes(), "?"),
        (&["--on-error", "replace=e"], "é".as_bytes(), "e"),
        (&["--on-error", "replace="], "é".as_bytes(), ""),
        (&["-c"], "é".as_bytes(), ""),
        (&["--on-error", "xml"], b"\xE9", "&#65533;"),
        (&["--on-error", "c"], b"\xE9", r"\xE9"),
        (&["--on-error", "percent"], b"\xC3", "%C3"),
        (&["--on-error", "translit"], b"\xC3", "?"),
    ] {
        let (text, reported) = to_ascii(words, input, 1);
        assert_eq!((text.as_str(), reported.len()), (output, 2), "{words:?} {reported:?}");
    }
    // A number above U+10FFFF is not a character.
    let words = ["-f", "ucs-4", "-t", "ascii", "--on-error", "c"];
    let run = charpipe().args(words).write_stdin(b"\x7F\xFF\xFF\xFF").assert().code(1);
    run.stdout(r"\U7FFFFFFF");
}

#[test]
fn transliteration_takes_the_first_candidate_that_the_target_encodes() {
    let input = "\u{2032}\u{2033}\u{3000}\u{2103}\u{FFE5}\u{FFE1}ﬁ";
    let latin1 = charpipe().args(["-t", "latin1//TRANSLIT"]).write_stdin(input).assert();
    latin1.success().stdout(&b"\xB4\xB4\xB4 \xB0C\xA5\xA3fi"[..]).stderr("");
    let (text, _) = to_ascii(&["--on-error", "translit"], input.as_bytes(), 1);
    assert_eq!(text, "?? ???fi");
}

#[test]
fn verbose_reports_conversions_and_the_total_names_them() {
    let (_, reported) = to_ascii(&["-v", "--on-unmappable", "translit"], "a\né€".as_bytes(), 0);
    assert_eq!(
        reported,
        [
            "charpipe: <stdin>:2:1: byte 2: U+00E9 cannot be encoded in US-ASCII",
            "charpipe: <stdin>:2:2: byte 4: U+20AC cannot be encoded in US-ASCII",
            "charpipe: <stdin>: 2 transliterated",
        ]
    );
    let (_, reported) = to_ascii(&["-v", "--on-error", "xml"], b"\xC3\xA9\xFF", 1);
    assert_eq!(reported[2..], ["charpipe: <stdin>: 1 error: 1 replaced; 1 escaped"]);
}

#[test]
fn conversions_do_not_use_up_the_errors_that_are_shown() {
    let input = ["é".repeat(5000).as_bytes(), "я".repeat(12).as_bytes()].concat();
    let (_, reported) = to_ascii(&["--on-error", "translit"], &input, 1);
    assert_eq!(reported.len(), 11);
    assert_eq!(
        reported[0],
        "charpipe: <stdin>:1:5001: byte 10000: U+044F cannot be encoded in US-ASCII"
    );
    assert_eq!(reported[10], "charpipe: <stdin>: 12 errors: 12 replaced (2 not shown)");
}

#[test]
fn keep_writes_malformed_bytes_unchanged() {
    let input = b"\xE9t\xE9 \xE2\x82\r\n\xC3\xA9\xF0\x9F";
    for (words, output) in [
        (&["--on-invalid", "keep"][..], input.to_vec()),
        (&["--on-error", "keep"], input.to_vec()),
        (&["--on-error", "keep", "--bom", "add"], [b"\xEF\xBB\xBF", &input[..]].concat()),
        (&["--on-error", "keep", "-t", "cp1252"], b"\xE9t\xE9 \xE2\x82\r\n\xE9\xF0\x9F".to_vec()),
    ] {
        let run = charpipe().args(words).write_stdin(&input[..]).assert().code(1).stdout(output);
        assert_eq!(
            messages_of(&run).last().unwrap(),
            "charpipe: <stdin>: 4 errors: 4 kept",
            "{words:?}"
        );
    }
}

#[test]
fn keep_stops_at_an_unmappable_character() {
    let words = ["-t", "latin1", "--on-error", "keep"];
    let run = charpipe().args(words).write_stdin(b"\xFF\xE2\x82\xAC").assert().code(1);
    run.stdout(&b"\xFF"[..]);
    let words = ["-t", "latin1//TRANSLIT", "--on-error", "keep"];
    let run = charpipe().args(words).write_stdin(b"\xFF\xE2\x82\xAC").assert().code(1);
    run.stdout(&b"\xFFEUR"[..]);
}

#[test]
fn unsupported_keep_is_rejected_before_reading() {
    for to in ["utf-16", "utf-16le", "utf-32", "utf-7", "cp037", "iso-2022-jp", "hz", "rfc2047"] {
        let words = ["-t", to, "--on-invalid", "keep"];
        let run = charpipe().args(words).write_stdin("a").assert().code(2).stdout("");
        assert!(
            messages_of(&run)[0].contains("keep: bytes cannot be written unchanged in"),
            "{to}"
        );
        let words = ["-t", to, "--on-invalid", "keep-text"];
        charpipe().args(words).write_stdin("a").assert().success();
    }
    let run = charpipe().args(["--on-unmappable", "keep"]).write_stdin("a").assert().code(2);
    assert!(
        messages_of(&run.stdout(""))[0]
            .contains("keep and keep-text apply only to malformed bytes")
    );
}

#[test]
fn keep_text_counts_what_it_replaces_as_replaced() {
    let input = b"a =?utf-8?b?!?= \xFF\n";
    for words in [&["--strict"][..], &["--strict", "--on-error", "keep-text"]] {
        let run = charpipe().args(["-f", "rfc2047"]).args(words).write_stdin(&input[..]).assert();
        assert_eq!(
            messages_of(&run).last().unwrap(),
            "charpipe: <stdin>: 2 errors: 1 replaced, 1 kept"
        );
        run.code(1).stdout("a =?utf-8?b?!?= \u{FFFD}\n");
    }
    let words = ["-f", "rfc2047", "--strict", "--on-error", "keep"];
    let run = charpipe().args(words).write_stdin(&input[..]).assert().code(1);
    assert_eq!(messages_of(&run).last().unwrap(), "charpipe: <stdin>: 2 errors: 2 kept");
    run.stdout(&input[..]);
}

#[test]
fn add_leaves_no_bom_between_inputs() {
    let directory = create_directory(&[
        ("plain", b"a"),
        ("marked", b"\xEF\xBB\xBFb"),
        ("twice", b"\xEF\xBB\xBF\xEF\xBB\xBFc"),
        ("invalid", b"\xFF\xEF\xBB\xBFd"),
        ("empty", b""),
    ]);
    let mark = "\u{FEFF}";
    for (files, text) in [
        (&["plain", "marked", "marked"][..], format!("{mark}abb")),
        (&["marked", "marked"], format!("{mark}bb")),
        (&["empty", "marked", "empty", "marked"], format!("{mark}bb")),
        (&["plain", "twice"], format!("{mark}a{mark}c")),
        (&["plain", "invalid"], format!("{mark}a{mark}d")),
    ] {
        for to in ["utf-8", "utf-16le", "utf-16be", "utf-7"] {
            let mut command = charpipe();
            command.current_dir(&directory).args(["-c", "--bom", "add", "-t", to]).args(files);
            let expected = charpipe::transcode("utf-8", to, text.as_bytes()).unwrap();
            command.assert().stdout(expected);
        }
        // The encoder of UTF-16 writes the BOM itself.
        let mut command = charpipe();
        command.current_dir(&directory).args(["-c", "--bom", "add", "-t", "utf-16"]).args(files);
        let text = text.strip_prefix(mark).unwrap();
        command.assert().stdout(charpipe::transcode("utf-8", "utf-16", text.as_bytes()).unwrap());
    }
}

#[test]
fn transliterations_of_a_language_apply_on_request() {
    for (words, text, expected) in [
        (&["-t", "ascii//TRANSLIT"][..], "Äpfel é å", "Apfel e a"),
        (
            &["-t", "ascii//TRANSLIT", "--translit-lang", "de"],
            "Äpfel é å ß €",
            "AEpfel e aa ss EUR",
        ),
        (
            &["-t", "ascii", "--on-unmappable=translit", "--translit-lang=uk_UA.UTF-8"],
            "Київ",
            "Kyyiv",
        ),
        (&["-t", "latin1//TRANSLIT", "--translit-lang", "nn"], "ø ő", "\u{F8} o"),
    ] {
        let encoded: Vec<u8> = expected.chars().map(|character| character as u8).collect();
        charpipe().args(words).write_stdin(text).assert().code(0).stdout(encoded);
    }
    for (words, message) in [
        (
            &["--translit-lang=de"][..],
            "charpipe: --translit-lang requires --on-unmappable translit, ",
        ),
        (
            &["-t", "ascii//TRANSLIT", "--translit-lang", "en\u{1b}"],
            "charpipe: --translit-lang: no transliterations of \"en\\x1B\" (only da, de, ",
        ),
    ] {
        let run = charpipe().args(words).write_stdin("").assert().code(2);
        let messages = messages_of(&run);
        assert!(messages[0].starts_with(message), "{messages:?}");
    }
}
