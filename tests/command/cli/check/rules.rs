//! The rules for byte order marks, line endings, binary files and encodings.

use super::{check, lines};
use crate::cli::command::create_directory;

#[test]
fn a_byte_order_mark_is_forbidden_or_required() {
    let directory =
        create_directory(&[("with", b"\xEF\xBB\xBFx"), ("without", b"x"), ("empty", b"")]);
    let all = ["with", "without", "empty"];
    for (rule, expected) in [
        ("any", &[][..]),
        ("forbid", &["with:1:1: byte 0: unexpected byte order mark"]),
        ("require", &["without:1:1: byte 0: missing byte order mark"]),
    ] {
        let code = i32::from(!expected.is_empty());
        let reported = lines(check().current_dir(&directory).args(["--bom", rule]).args(all), code);
        assert_eq!(reported, expected, "{rule}");
    }
}

#[test]
fn line_endings_that_break_the_rule_are_reported() {
    let mixed = "é\nb\r\nc\rd\n";
    for (rule, expected) in [
        ("any", &[][..]),
        (
            "lf",
            &[
                "<stdin>:2:2: byte 4: line ends with CRLF (expected LF)",
                "<stdin>:3:2: byte 7: line ends with CR (expected LF)",
            ],
        ),
        (
            "crlf",
            &[
                "<stdin>:1:2: byte 2: line ends with LF (expected CRLF)",
                "<stdin>:3:2: byte 7: line ends with CR (expected CRLF)",
                "<stdin>:3:4: byte 9: line ends with LF (expected CRLF)",
            ],
        ),
        (
            "same",
            &[
                "<stdin>:2:2: byte 4: line ends with CRLF (expected LF)",
                "<stdin>:3:2: byte 7: line ends with CR (expected LF)",
            ],
        ),
    ] {
        let code = i32::from(!expected.is_empty());
        let reported = lines(check().args(["--newline", rule]).write_stdin(mixed), code);
        assert_eq!(reported, expected, "{rule}");
    }
}

#[test]
fn a_wrong_declaration_is_reported_by_default() {
    let html = "<!DOCTYPE html>\n<meta charset=ISO-8859-1>\n<p>é\n";
    let expected = ["<stdin>:2:15: byte 30: declared encoding is ISO-8859-1 (expected UTF-8)"];
    assert_eq!(lines(check().write_stdin(html), 1), expected);
    assert_eq!(lines(check().arg("--declaration=match").write_stdin(html), 1), expected);
    for words in [&["--declaration=any"][..], &["-e", "utf-8/nfc"], &["--mojibake"]] {
        assert!(lines(check().args(words).write_stdin(html), 0).is_empty(), "{words:?}");
    }
    let ascii = html.replace('é', "e");
    assert!(lines(check().write_stdin(ascii), 0).is_empty());
    let latin1 = html.chars().map(|character| character as u8).collect::<Vec<_>>();
    assert!(lines(check().args(["-e", "latin1"]).write_stdin(latin1.clone()), 0).is_empty());
    assert!(lines(check().args(["-e", "utf-8", "-e", "latin1"]).write_stdin(latin1), 0).is_empty());
    let both = ["<stdin>:2:26: byte 41: line ends with CRLF (expected LF)", expected[0]];
    let crlf = html.replacen(">\n<p>", ">\r\n<p>", 1);
    assert_eq!(lines(check().arg("--newline=lf").write_stdin(crlf), 1), both);
    check().args(["--diff", "--declaration=match", "a"]).assert().code(2);
    check().args(["--declaration=other", "a"]).assert().code(2);
}

#[test]
fn a_wrong_declaration_is_a_finding_in_every_format() {
    let directory = create_directory(&[("a.py", "# coding: koi8-r\n# é\n".as_bytes())]);
    let message = "declared encoding is koi8-r (expected UTF-8)";
    for (format, rule) in [
        ("text", "a.py:1:11: byte 10: "),
        ("gcc", "a.py:1:11: "),
        ("json", "\"rule\":\"declaration\",\"line\":1,\"column\":11,\"offset\":10,\"length\":6,"),
        ("jsonl", "\"rule\":\"declaration\",\"line\":1,\"column\":11,\"offset\":10,\"length\":6,"),
        ("github", "file=a.py,line=1,col=11,title=charpipe declaration::"),
        ("gitlab", "\"check_name\":\"charpipe/declaration\""),
        ("sarif", "\"ruleId\":\"declaration\""),
        ("junit", "1:11"),
    ] {
        let report = check().current_dir(&directory).args(["--format", format, "a.py"]).assert();
        let report = String::from_utf8(report.code(1).get_output().stdout.clone()).unwrap();
        assert!(report.contains(message), "{format}: {report}");
        assert!(report.contains(rule), "{format}: {report}");
    }
}

#[test]
fn a_binary_file_is_one_finding_or_none() {
    let picture = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\xFF\xFF\xFF\xFF";
    let one =
        "<stdin>:3:1: byte 8: NUL byte: file is binary or in another encoding; stopped checking";
    for (rule, count) in [("report", 1), ("skip", 0), ("text", 5)] {
        let code = i32::from(count > 0);
        let reported = lines(check().args(["--binary", rule]).write_stdin(picture), code);
        assert_eq!(reported.len(), count, "{rule}: {reported:?}");
        assert_eq!(reported.first().is_some_and(|line| line == one), rule == "report");
    }
}

#[test]
fn binary_files_in_directories_are_skipped() {
    let picture = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\xFF";
    let late = [&b"\xFF\n"[..], &[b'a'; 9000], b"\0\xFF"].concat();
    let directory = create_directory(&[
        ("a.png", picture),
        ("b.pdf", b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"),
        ("c.bin", b"x\0\xFF"),
        ("d.late", &late),
        ("e.utf16", b"\xFF\xFEa\0"),
        ("f.utf32", b"\0\0\xFE\xFF\0\0\0a"),
        ("g.txt", b"\xFF"),
    ]);
    let names = |words: &[&str]| {
        let mut command = check();
        let reported = lines(command.current_dir(&directory).arg("-l").args(words), 1);
        reported.iter().map(|name| name.trim_start_matches("./").to_owned()).collect::<Vec<_>>()
    };
    // A file with a byte order mark is text in another encoding.
    assert_eq!(names(&["."]), ["d.late", "e.utf16", "f.utf32", "g.txt"]);
    assert_eq!(names(&["-r"]), names(&["."]));
    assert_eq!(names(&["--binary=report", "."]).len(), 7);
    assert_eq!(names(&["--binary=skip", "."]), ["b.pdf", "d.late", "g.txt"]);
    assert_eq!(names(&["a.png", "b.pdf", "c.bin"]), ["a.png", "b.pdf", "c.bin"]);
    let mut command = check();
    let command = command.current_dir(&directory).args(["--buffer-size=1", "-l", "."]);
    assert_eq!(lines(command, 1).len(), 4);
}

#[test]
fn valid_files_in_another_encoding_are_reported() {
    let utf8 = "café\n".as_bytes();
    for (encoding, content, found) in [
        ("latin1", utf8, Some("UTF-8 (expected ISO-8859-1)")),
        ("latin1", b"caf\xE9\n", None),
        ("latin1", b"cafe\n", None),
        ("latin1", b"\xEF\xBB\xBFa", Some("UTF-8 (expected ISO-8859-1)")),
        ("utf-16le", b"ab", Some("UTF-8 (expected UTF-16LE)")),
        ("utf-16le", b"\xFE\xFF\0a", Some("UTF-16BE (expected UTF-16LE)")),
        ("utf-16", b"\xFE\xFF\0a", None),
        ("ibm1047", b"\x83\x81", None),
        ("wtf-8", utf8, None),
        ("latin1", b"", None),
        ("utf-16le", b"", None),
    ] {
        let reported =
            lines(check().args(["-e", encoding]).write_stdin(content), i32::from(found.is_some()));
        let expected = found.map(|found| format!("<stdin>:1:1: byte 0: file is in {found}"));
        assert_eq!(reported, Vec::from_iter(expected), "{encoding} {content:?}");
    }
    // Any file may be in one of several encodings.
    check().args(["-e", "us-ascii", "-e", "latin1"]).write_stdin(utf8).assert().success();
    for words in [&["-j4"][..], &["--format=json"], &["--buffer-size=1"]] {
        check().args(["-e", "latin1"]).args(words).write_stdin(utf8).assert().code(1);
    }
}

#[test]
fn mojibake_is_reported_with_its_repair() {
    let long = "\u{c3}\u{a9}\u{c3}\u{a8}".repeat(8);
    for (words, text, expected) in [
        (&[][..], "gr\u{c3}\u{bc}n\n".as_bytes(), "\"\u{c3}\u{bc}\" for \"\u{fc}\""),
        (&["-e", "latin1"], b"gr\xC3\xBCn\n", "\"\u{c3}\u{bc}\" for \"\u{fc}\""),
        (
            &[],
            "d\u{c3}\u{a2}\u{e2}\u{201a}\u{ac}\u{e2}\u{201e}\u{a2}t\n".as_bytes(),
            "\"\u{c3}\u{a2}\u{e2}\u{201a}\u{ac}\u{e2}\u{201e}\u{a2}\" for \"\u{2019}\"",
        ),
        (
            &[],
            long.as_bytes(),
            "\"\u{c3}\u{a9}\u{c3}\u{a8}\u{c3}\u{a9}\u{c3}\u{a8}\u{c3}\u{a9}\u{c3}\u{a8}\"\u{2026}",
        ),
    ] {
        let mut command = check();
        let found = lines(command.arg("--mojibake").args(words).write_stdin(text), 1);
        let (_, message) = found[0].split_once("another encoding: ").expect("mojibake");
        assert_eq!(message, expected, "{words:?}");
    }
}

#[test]
fn mojibake_combines_with_all_rules() {
    let text = b"\xC3\x83\xC2\xA9\r\nx\xE2\x80\x8By\n\xFF \xC3\x83\xC2\xA9\n";
    let rules = ["--newline=lf", "--bom=require", "--confusing", "--ascii-only"];
    let run = |words: &[&str], buffer: &str| {
        let mut command = check();
        let buffer = ["--max-findings=all", "--buffer-size", buffer];
        lines(command.args(words).args(buffer).write_stdin(&text[..]), 1)
    };
    let mojibake = run(&["--mojibake"], "64");
    let is_mojibake = |line: &&String| line.contains("UTF-8 decoded in another encoding");
    assert_eq!(mojibake.iter().filter(is_mojibake).count(), 2, "{mojibake:?}");
    let others = run(&rules, "64");
    let all = run(&[&rules[..], &["--mojibake"]].concat(), "64");
    for buffer in ["1", "2", "3", "7", "100000"] {
        assert_eq!(run(&[&rules[..], &["--mojibake"]].concat(), buffer), all, "{buffer}");
    }
    let (found, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|line| is_mojibake(&line));
    assert_eq!(rest, others);
    let expected: Vec<_> = mojibake.into_iter().filter(|line| is_mojibake(&line)).collect();
    assert_eq!(found, expected);
    for rule in rules {
        assert!(run(&["--mojibake", rule], "64").len() > 2, "{rule}");
    }
    // NUL ends the check as without the rule.
    let picture = [b"\xC3\x83\xC2\xA9\r\n\0".as_slice(), &[b'x'; 9000]].concat();
    let mut command = check();
    let reported = lines(command.args(["--mojibake", "--newline=lf"]).write_stdin(picture), 1);
    assert!(reported.len() == 1 && reported[0].contains("NUL byte"), "{reported:?}");
    let mut command = check();
    let mail = "A: Ã©\n\nÃ©\r\n";
    let command = command.args(["--mojibake", "--headers-only"]).write_stdin(mail);
    assert_eq!(lines(command, 1).len(), 1);
}

#[test]
fn files_are_checked_against_any_encoding_with_options() {
    for (encoding, valid, invalid, expected) in [
        ("us-ascii", "x", &b"x\xE9"[..], "1:2: byte 1: invalid US-ASCII sequence E9 (no character"),
        ("utf-16le", "x\0", b"x\0\0\xDC", "1:2: byte 2: invalid UTF-16LE sequence 00 DC (unpaired"),
        (
            "utf-7:reject=do",
            "+AOk-",
            b"+ADw-",
            "1:1: byte 1: invalid UTF-7 sequence 41 44 77 (ASCII must",
        ),
        (
            "utf-5",
            "K1",
            b"k1",
            "1:1: byte 0: invalid UTF-5 sequence 6B (no character starts with this byte)",
        ),
        (
            "ucs-4",
            "\x7F\x01\x01\x01",
            b"\xFF\0\0\0",
            "1:1: byte 0: invalid UCS-4 sequence FF 00 00 00 (",
        ),
    ] {
        check().args(["-e", encoding]).write_stdin(valid).assert().success().stdout("");
        let found = lines(check().args(["--encoding", encoding]).write_stdin(invalid), 1);
        assert!(found[0].starts_with(&format!("<stdin>:{expected}")), "{encoding}: {found:?}");
    }
}

#[test]
fn only_the_header_of_a_message_is_checked() {
    let mail = b"A: x\n B\xFF\n\nbody \xFF \0\n";
    let reported = lines(check().arg("--headers-only").write_stdin(mail), 1);
    assert_eq!(
        reported,
        ["<stdin>:2:3: byte 7: invalid UTF-8 sequence FF (no character starts with this byte)"]
    );
}

#[test]
fn characters_outside_ascii_are_reported_with_their_names() {
    let text = "x\né\u{1}\u{E000}\u{FFFE}한";
    let expected = [
        "<stdin>:2:1: byte 2: U+00E9 LATIN SMALL LETTER E WITH ACUTE is not ASCII",
        "<stdin>:2:3: byte 5: U+E000 <private-use-E000> is not ASCII",
        "<stdin>:2:4: byte 8: U+FFFE <noncharacter-FFFE> is not ASCII",
        "<stdin>:2:5: byte 11: U+D55C HANGUL SYLLABLE HAN is not ASCII",
    ];
    assert_eq!(lines(check().arg("--ascii-only").write_stdin(text), 1), expected);
    let mut command = check();
    let command = command.args(["--ascii-only", "-e", "windows-1252", "--max-findings=1"]);
    let reported = lines(command.write_stdin(&b"\x80\xFF"[..]), 1);
    assert_eq!(reported, ["<stdin>:1:1: byte 0: U+20AC EURO SIGN is not ASCII"]);
}

#[test]
fn confusing_characters_are_reported_with_their_names() {
    let text = "if (isAdmin\u{202E}) {\u{A0}\n\u{200B}p\u{430}ypal\u{2028}\n";
    let expected = [
        "<stdin>:1:12: byte 11: U+202E RIGHT-TO-LEFT OVERRIDE changes the direction of the text",
        "<stdin>:1:16: byte 17: U+00A0 NO-BREAK SPACE looks like a space",
        "<stdin>:2:1: byte 20: U+200B ZERO WIDTH SPACE is invisible",
        "<stdin>:2:3: byte 24: U+0430 CYRILLIC SMALL LETTER A is in a word with Latin letters",
        "<stdin>:2:8: byte 30: U+2028 LINE SEPARATOR is not a line ending for most programs",
    ];
    assert_eq!(lines(check().arg("--confusing").write_stdin(text), 1), expected);
    check().write_stdin(text).assert().success();
}

#[test]
fn every_format_has_the_rules_about_characters() {
    let text = "é\u{202E}\u{200B}\u{A0}p\u{430}";
    let rules = ["non-ascii", "bidi-control", "invisible", "space", "mixed-scripts"];
    for format in super::formats() {
        let mut command = check();
        let command = command.args(["--ascii-only", "--confusing", "--format", &format]);
        let report = lines(command.write_stdin(text), 1).join("\n");
        let names = ["U+00E9 LATIN SMALL LETTER E WITH ACUTE", "U+200B ZERO WIDTH SPACE"];
        assert!(names.iter().all(|name| report.contains(name)), "{format}: {report}");
        // The text format has no rules, and JUnit that of the first finding.
        let count = match &*format {
            "text" => 0,
            "junit" => 1,
            _ => rules.len(),
        };
        assert!(rules[..count].iter().all(|rule| report.contains(rule)), "{format}: {report}");
    }
}

#[test]
fn file_may_be_in_any_of_several_encodings() {
    let directory = create_directory(&[
        ("both", b"a"),
        ("latin", b"caf\xE9\r\n"),
        ("neither", b"\xE9\x81"),
        ("utf8", "é\r\n".as_bytes()),
    ]);
    let mut command = check();
    let words = ["-e", "utf-8", "-e", "windows-1252", "--newline=lf", "--format=json", "."];
    let reported = lines(command.current_dir(&directory).args(words), 1).join("\n");
    for part in [
        "{\"file\":\"latin\",\"encoding\":\"CP1252\",\"findings\":[\n{\"rule\":\"newline\"",
        "{\"file\":\"neither\",\"encoding\":\"CP1252\",\"findings\":[\n{\"rule\":\"ill-formed\",\"line\":1,\"column\":2",
        "{\"file\":\"utf8\",\"encoding\":\"UTF-8\",\"findings\":[\n{\"rule\":\"newline\"",
    ] {
        assert!(reported.contains(part), "{part} {reported}");
    }
    assert!(!reported.contains("both"));
}
