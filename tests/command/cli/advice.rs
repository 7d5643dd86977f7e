//! What the command advises after an error, or after text that was read without one.

use std::fs;

use assert_cmd::assert::Assert;

use crate::cli::command::{charpipe, create_directory, messages_of, subcommand};

fn convert(words: &[&str], input: &[u8]) -> Assert {
    let (mut command, options) = match words {
        ["check" | "fix" | "repair", options @ ..] => (subcommand(words[0]), options),
        options => (charpipe(), options),
    };
    command.args(options).write_stdin(input).assert()
}

/// Returns the messages after the first one for a file.
fn advice(words: &[&str], input: &[u8]) -> Vec<String> {
    let directory = create_directory(&[("input", input)]);
    let run = charpipe().current_dir(&directory).args(words).arg("input").assert().code(1);
    let messages = messages_of(&run);
    assert!(messages[0].contains(": byte "), "{messages:?}");
    messages[1..].iter().map(|line| line.replace("charpipe: input: ", "")).collect()
}

const GERMAN: &[u8] =
    b"Sch\xF6ne Gr\xFC\xDFe aus M\xFCnchen, wo die B\xE4ume gr\xFCn und die W\xE4nde wei\xDF sind.\n";
const GENERIC: &str = "UTF-8 was assumed; use -f ENCODING, or -f detect to detect it";

#[test]
fn assumed_encoding_is_named_with_a_likely_one() {
    assert_eq!(advice(&[], GERMAN), ["UTF-8 was assumed; CP1252 is likely: use -f CP1252"]);
    assert_eq!(
        advice(&["-t", "utf-16"], b"\xFF\xFEa\0b\0"),
        ["UTF-8 was assumed; UTF-16 is certain: use -f UTF-16"]
    );
    // Nothing says what these bytes are.
    assert_eq!(advice(&[], b"\xE9\xC0"), [GENERIC]);
}

#[test]
fn incomplete_character_at_the_end_of_the_input_makes_its_encoding_less_certain() {
    let text = b"\x93\xFA\x96\x7B\x8C\xEA\x82\xCC";
    let certain = advice(&["-t", "utf-16"], text);
    assert!(certain[0].ends_with("CP932 is certain: use -f CP932"), "{certain:?}");
    let likely = advice(&["-t", "utf-16"], &[&text[..], b"\x95"].concat());
    assert!(likely[0].ends_with("CP932 is likely: use -f CP932"), "{likely:?}");
}

#[test]
fn given_encoding_gets_no_advice() {
    for words in [
        &["-f", "utf-8"][..],
        &["--chain", "utf-8..utf-16"],
        &["-f", "auto", "--default-encoding", "ascii"],
    ] {
        assert!(advice(words, GERMAN).is_empty(), "{words:?}");
    }
    convert(&["-q"], GERMAN).code(1).stderr("");
}

#[test]
fn fix_names_the_likely_encoding() {
    let directory = create_directory(&[("a", GERMAN), ("b", b"x\xE9")]);
    let reason = "cannot determine encoding: no BOM and not valid UTF-8";
    let generic = "use --from ENCODING, or --from detect";
    let run = subcommand("fix").current_dir(&directory).args(["a", "b"]).assert().code(1);
    assert_eq!(
        messages_of(&run)[..2],
        [
            format!("charpipe: a: {reason} (CP1252 is likely: use --from CP1252)"),
            format!("charpipe: b: {reason} ({generic})")
        ]
    );
    let run = convert(&["fix"], GERMAN).code(1);
    let expected = format!("{reason} (CP1252 is likely: use --from CP1252)");
    assert_eq!(messages_of(&run), [format!("charpipe: <stdin>: {expected}")]);
    let run = subcommand("check").current_dir(&directory).args(["--diff", "a"]).assert().code(1);
    assert_eq!(
        messages_of(&run)[0],
        format!(
            "charpipe: a: {reason} (CP1252 is likely: use 'charpipe fix --diff --from CP1252')"
        )
    );
    let run = convert(&["-f", "auto"], GERMAN).code(1);
    let expected = format!("{reason} (CP1252 is likely: use --default-encoding CP1252)");
    assert_eq!(messages_of(&run), [format!("charpipe: <stdin>: {expected}")]);
}

#[test]
fn check_names_the_likely_encoding_once_for_each_file() {
    // The first bytes that are not ASCII are after more text than a sample has.
    let late = [&b"text\n".repeat(20_000), GERMAN].concat();
    let mixed = [&b"caf\xC3\xA9 ".repeat(50)[..], b"caf\xE9\n"].concat();
    let directory = create_directory(&[
        ("a", &GERMAN.repeat(3)),
        ("late", &late),
        ("mixed", &mixed),
        ("short", b"\xE9\xC0"),
        ("utf-16", b"\xFF\xFEa\0b\0"),
    ]);
    let check = |words: &[&str]| {
        let run = subcommand("check").current_dir(&directory).args(words).arg(".").assert().code(1);
        let is_count = |line: &String| line.ends_with("not shown (--max-findings=all shows them)");
        messages_of(&run).into_iter().filter(|line| !is_count(line)).collect::<Vec<_>>()
    };
    let advice = "UTF-8 was assumed; CP1252 is likely: use --encoding CP1252, or 'charpipe fix --from \
                  CP1252'";
    let expected = ["./a", "./late"].map(|file| format!("charpipe: {file}: {advice}"));
    for words in [&[][..], &["--format=text"], &["-j2"], &["--newline=lf"]] {
        assert_eq!(check(words), expected, "{words:?}");
    }
    for words in [
        &["-q"][..],
        &["-l"],
        &["-e", "utf-8"],
        &["--format=gcc"],
        &["--format=json"],
        &["--format=github"],
    ] {
        assert!(check(words).is_empty(), "{words:?}");
    }
    let run = convert(&["check", "--max-findings=all"], GERMAN).code(1);
    assert_eq!(messages_of(&run), [format!("charpipe: <stdin>: {advice}")]);
}

#[test]
fn few_errors_in_utf_8_do_not_question_it() {
    let input = b"caf\xC3\xA9 caf\xE9 \xC3\xA9\xC3\xA9 na\xC3\xAFve stra\xC3\x9Fe\n";
    assert_eq!(
        advice(&[], input),
        ["UTF-8 was assumed, and is likely; --on-error replace converts the rest"]
    );
    assert_eq!(advice(&["-c"], input), ["1 error: 1 skipped"]);
}

#[test]
fn advice_is_given_once_for_each_file() {
    let directory = create_directory(&[("a", GERMAN), ("b", b"text"), ("c", GERMAN)]);
    for words in [&["-c", "a", "b", "c"][..], &["-i", "-n", "-c", "a", "b", "c"]] {
        let run = charpipe().current_dir(&directory).args(words).assert();
        let messages = messages_of(&run);
        let advised: Vec<_> = messages.iter().filter(|line| line.contains("was assumed")).collect();
        assert_eq!(
            advised,
            [
                "charpipe: a: UTF-8 was assumed; CP1252 is likely: use -f CP1252",
                "charpipe: c: UTF-8 was assumed; CP1252 is likely: use -f CP1252"
            ],
            "{words:?}"
        );
    }
}

#[test]
fn late_errors_are_examined_where_they_are() {
    let input = [&b"plain text\n".repeat(10_000), GERMAN].concat();
    let directory = create_directory(&[("a", &input)]);
    let named = "charpipe: a: UTF-8 was assumed; CP1252 is likely: use -f CP1252";
    for words in [&["a"][..], &["-j", "4", "a"], &["-i", "a"], &["--range", "0-", "a"]] {
        let run = charpipe().current_dir(&directory).args(words).assert().code(1);
        let messages = messages_of(&run);
        assert!(messages[0].starts_with("charpipe: a:10001:4: byte 110003: "), "{messages:?}");
        assert_eq!(messages[1], named, "{words:?}");
    }
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), input);
    // A pipe cannot be read again, so that only its start is known.
    let run = convert(&[], &input).code(1);
    assert_eq!(messages_of(&run)[1], format!("charpipe: <stdin>: {GENERIC}"));
}

#[test]
fn byte_order_mark_for_another_target_can_be_stripped() {
    let hint = ", it is a byte order mark; use --bom strip\n";
    for (words, input) in [
        (&["-t", "latin1"][..], &b"\xEF\xBB\xBFa"[..]),
        (&["-f", "utf-16le", "-t", "koi8-r"], b"\xFF\xFEa\0"),
    ] {
        let run = convert(words, input).code(1);
        let reason = format!(
            "U+FEFF cannot be encoded in {}",
            if words.len() == 2 { "ISO-8859-1" } else { "KOI8-R" }
        );
        run.stderr(format!("charpipe: <stdin>:1:1: byte 0: {reason}{hint}"));
        convert(&[words, &["--bom", "strip"]].concat(), input).success().stdout("a");
    }
    // Elsewhere it is a character, which the option does not strip.
    let expected = "charpipe: <stdin>:1:2: byte 1: U+FEFF cannot be encoded in ISO-8859-1\n";
    convert(&["-t", "latin1"], "a\u{FEFF}".as_bytes()).code(1).stderr(expected);
}

#[test]
fn characters_that_can_be_composed_are_named() {
    for (from, target, input, composed) in [
        ("utf-8", "latin1", "cafe\u{301} x".as_bytes(), "é"),
        ("utf-8", "cp1258", "a\u{30A}".as_bytes(), "å"),
        ("utf-16le", "latin1", b"e\0\x01\x03", "é"),
        ("utf-8", "euc-kr", "\u{1100}\u{1161}".as_bytes(), "가"),
    ] {
        let words = ["-f", from, "-t", target];
        let expected = format!("{composed} is written as several characters; use --normalize nfc");
        assert_eq!(advice(&words, input), [expected], "{target}");
        convert(&[&words[..], &["--normalize", "nfc"]].concat(), input).success();
    }
    for (target, input) in [
        ("latin1", "x\u{301}"),
        ("latin1", "e\u{302}\u{301}"),
        ("latin1", "\u{301}"),
        ("koi8-r", "e\u{301}"),
        ("latin1", "€"),
    ] {
        assert!(advice(&["-t", target], input.as_bytes()).is_empty(), "{target} {input}");
    }
}

const WINDOWS: &str = "bytes such as 93 are control characters in ISO-8859-1; in windows-1252 it is “: \
                       for text of Windows use -f windows-1252";

#[test]
fn text_of_windows_that_is_read_as_iso_8859_is_reported() {
    let run = convert(&["-f", "latin1"], b"\x93x\x94\n").success();
    run.stdout("\u{93}x\u{94}\n").stderr(format!("charpipe: <stdin>: {WINDOWS}\n"));
    for (label, input, variant) in [
        ("iso-8859-2", &b"\x8A"[..], "windows-1250 it is Š"),
        ("iso-8859-5", b"\x80", "windows-1251 it is Ђ"),
        ("iso-8859-9", b"\x92", "windows-1254 it is ’"),
        ("iso-8859-15", b"\x80", "windows-1252 it is €"),
        ("iso-8859-1", b"L'HA\x9F-LES-ROSES", "windows-1252 it is Ÿ"),
    ] {
        let run = convert(&["-f", label], input).success();
        let messages = messages_of(&run);
        assert!(messages[0].contains(variant), "{label}: {messages:?}");
    }
}

#[test]
fn controls_that_are_no_text_of_windows_are_not_reported() {
    for (words, input) in [
        (&["-f", "latin1"][..], &b"caf\xE9 \xA0\xBF\n"[..]),
        (&["-q", "-f", "latin1"], b"\x93x\x94\n"),
        // 81 is nothing in windows-1252.
        (&["-f", "latin1"], b"\x93x\x94 \x81\n"),
        // Next line, and the start of a control sequence.
        (&["-f", "latin1"], b"a\x85b \x9B1mc\n"),
        (&["-f", "windows-1252"], b"\x93x\x94\n"),
        (&["-f", "latin1/base64"], b"k3iU\n"),
    ] {
        convert(words, input).success().stderr("");
    }
}

#[test]
fn text_of_windows_is_reported_once_for_each_file_that_is_converted() {
    let text = [&GERMAN.repeat(20), &b"Das ist ein \x93Test\x94.\n"[..]].concat();
    let directory = create_directory(&[("a", &text), ("b", GERMAN), ("c", &text)]);
    let expected = [format!("charpipe: a: {WINDOWS}"), format!("charpipe: c: {WINDOWS}")];
    let notes = |words: &[&str]| {
        let run = charpipe().current_dir(&directory).args(words).assert().success();
        let messages = messages_of(&run).into_iter().map(|line| line.to_owned());
        messages.filter(|line| line.contains("control characters")).collect::<Vec<_>>()
    };
    for words in [
        &["-f", "latin1", "a", "b", "c"][..],
        &["-j", "2", "-f", "latin1", "a", "b", "c"],
        &["-f", "latin1", "--output-dir", "d", "a", "b", "c"],
        &["-f", "latin1", "-i", "a", "b", "c"],
    ] {
        assert_eq!(notes(words), expected, "{words:?}");
    }
}

#[test]
fn nul_without_a_byte_order_mark_leads_to_detection() {
    let run = convert(&["-f", "auto"], b"a\0b\0").code(1);
    run.stderr(
        "charpipe: <stdin>: cannot determine encoding: no BOM, but NUL, as in UTF-16, UTF-32 and \
         binary files (use --from detect)\n",
    );
    let run = convert(&["-f", "auto"], GERMAN).code(1);
    run.stderr(
        "charpipe: <stdin>: cannot determine encoding: no BOM and not valid UTF-8 (CP1252 is \
         likely: use --default-encoding CP1252)\n",
    );
}

#[test]
fn check_names_the_byte_order_mark_of_another_encoding() {
    for (input, name) in [
        (&b"\xFF\xFEa\0\n\0"[..], "UTF-16LE"),
        (b"\xFE\xFF\0a", "UTF-16BE"),
        (b"\xFF\xFE\0\0a\0\0\0", "UTF-32LE"),
    ] {
        let run = convert(&["check"], input).code(1);
        run.stdout(format!(
            "<stdin>:1:1: byte 0: byte order mark of {name}: file is not in UTF-8; stopped checking\n"
        ));
    }
    let run = convert(&["check"], b"a\0").code(1);
    run.stdout(
        "<stdin>:1:2: byte 1: NUL byte: file is binary or in another encoding; stopped checking\n",
    );
    convert(&["check", "--binary=skip"], b"\xFF\xFEa\0").success().stdout("");
    convert(&["check", "-e", "utf-16"], b"\xFF\xFEa\0").success().stdout("");
}

#[test]
fn c1_controls_are_confusing_and_repaired() {
    let input = "\u{93}x\u{94} Ã© \u{85}\n".as_bytes();
    let run = convert(&["check", "--confusing", "--format=gcc"], input).code(1);
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let reasons: Vec<_> =
        text.lines().map(|line| line.contains("is a control character")).collect();
    assert_eq!(reasons, [true, true, false], "{text}");
    assert!(text.contains("U+0085 NEXT LINE is not a line ending for most programs"), "{text}");
    convert(&["repair"], input).success().stdout("“x” é \u{85}\n").stderr("");
}

#[test]
fn utf_8_that_is_read_as_java_is_reported() {
    let note = "charpipe: <stdin>: bytes such as C3 are ISO-8859-1 in JAVA, and here UTF-8: \
                for escapes in UTF-8 use -f utf-8/java:unicode\n";
    let input = "é \\u00e9\n".as_bytes();
    convert(&["-f", "java"], input).success().stdout("Ã© é\n").stderr(note);
    // The sample ends inside a character.
    let long = [&b"x"[..], &input.repeat(5000)].concat();
    convert(&["-f", "java"], &long).success().stderr(note);
    // The remedy has this result.
    convert(&["-f", "utf-8/java:unicode"], input).success().stdout("é é\n").stderr("");
    for (words, input) in [
        (&["-q", "-f", "java"][..], input),
        (&["-f", "java"], b"caf\xE9 \\u00e9\n"),
        (&["-f", "java"], b"caf\\u00e9\n"),
        (&["-f", "java/base64"], b"w6kK\n"),
    ] {
        convert(words, input).success().stderr("");
    }
}
