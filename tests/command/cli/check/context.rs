//! `check --context`: the lines of findings.

use crate::cli::command::{create_directory, subcommand};

/// Checks an input with these arguments in buffers of many sizes, and returns what is printed without the findings.
fn context(words: &[&str], input: &[u8]) -> Vec<String> {
    let run = |buffer: &str| {
        let mut command = subcommand("check");
        command.args(words).args(["--buffer-size", buffer]).write_stdin(input);
        let run = command.assert().code(1);
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    let printed = run("65536");
    for buffer in ["1", "2", "3", "7", "100"] {
        assert_eq!(run(buffer), printed, "{words:?} {buffer}");
    }
    let lines = printed.lines().filter(|line| !line.starts_with("<stdin>:"));
    lines.map(str::to_owned).collect()
}

#[test]
fn malformed_bytes_are_escaped_and_marked() {
    let text = b"one\ntwo\ncaf\xE9 au lait \xFF\xFE x\nfour\nfive\n";
    let line = ["  3 | caf\\xE9 au lait \\xFF\\xFE x", "    |    ^^^^         ^^^^^^^^"];
    assert_eq!(context(&["-C0"], text), line);
    assert_eq!(context(&["-C", "1"], text), [&["  2 | two"], &line[..], &["  4 | four"]].concat());
    let whole = [&["  1 | one", "  2 | two"], &line[..], &["  4 | four", "  5 | five"]].concat();
    assert_eq!(context(&["--context=9"], text), whole);
}

#[test]
fn marks_are_under_wide_and_escaped_characters() {
    assert_eq!(
        context(
            &["-C0"],
            "日本\u{1B}[31m\u{202E}\t".bytes().chain(*b"\xFE ##[x]").collect::<Vec<_>>().as_slice()
        ),
        ["  1 | 日本\\x1B[31m\\u{202E}    \\xFE #\\x23[x]", "    |                         ^^^^",]
    );
    assert_eq!(
        context(&["-C0", "--confusing"], "p\u{430}ypal \u{200B}x\n".as_bytes()),
        ["  1 | p\u{430}ypal \\u{200B}x", "    |  ^     ^^^^^^^^"]
    );
}

#[test]
fn line_endings_are_shown_where_they_are_findings() {
    assert_eq!(
        context(&["-C1", "--newline=crlf"], b"a\r\nb\nc\r\n"),
        ["  1 | a", "  2 | b\\n", "    |  ^^", "  3 | c"]
    );
}

#[test]
fn lines_of_all_encodings_are_decoded() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let malformed =
        [&utf16("\u{FEFF}eins\nzwei\n")[..], b"\x00\xD8a\0\n\0", &utf16("drei\n")].concat();
    let expected = ["  2 | zwei", "  3 | \\x00\\xD8a", "    | ^^^^^^^^", "  4 | drei"];
    assert_eq!(context(&["-C1", "-e", "utf-16"], &malformed), expected);
    assert_eq!(context(&["-C1", "-e", "utf-16le"], &malformed), expected);
    let japanese = b"\x1B$BF|K\\\x1B(B\n\x1B$BF|\xFF\x1B(B abc\n";
    assert_eq!(
        context(&["-C1", "-e", "iso-2022-jp"], japanese),
        ["  1 | 日本", "  2 | 日\\xFF abc", "    |   ^^^^"]
    );
    // EBCDIC, whose line feed is 25.
    assert_eq!(
        context(&["-C1", "-e", "ibm1047", "--ascii-only"], b"\xC1\x25\xC2\x4A\x25\xC3\x25"),
        ["  1 | A", "  2 | B¢", "    |  ^", "  3 | C"]
    );
}

#[test]
fn long_lines_are_cut_around_each_finding() {
    let text = [&b"x".repeat(100_000)[..], b"\xFF", &b"y".repeat(100_000), b"\xFE\nz\n"].concat();
    let x = "x".repeat(40);
    let y = "y".repeat(56);
    assert_eq!(
        context(&["-C0"], &text),
        [
            format!("  1 | …{x}\\xFF{y}…"),
            format!("    | {}^^^^", " ".repeat(41)),
            format!("  1 | …{}\\xFE", "y".repeat(40)),
            format!("    | {}^^^^", " ".repeat(41)),
        ]
    );
    // The width counts characters, not bytes.
    for letter in ["é", "\u{1D400}"] {
        let text = [b"\xFF", letter.repeat(200).as_bytes(), b"\n"].concat();
        let expected = [format!("  1 | \\xFF{}…", letter.repeat(96)), "    | ^^^^".to_owned()];
        assert_eq!(context(&["-C0"], &text), expected);
    }
}

#[test]
fn context_is_that_of_text_reports() {
    let directory = create_directory(&[("a", b"\xFF\n")]);
    for (words, message) in [
        (&["-q"][..], "--context cannot be used with --quiet"),
        (&["-l"], "--context cannot be used with --files-with-findings"),
        (&["--format=json"], "--context cannot be used with --format=json (only with text)"),
        (&["--range=1/2"], "cannot be used with"),
        (&["--context=101"], "invalid value '101'"),
    ] {
        let mut command = subcommand("check");
        let run = command.current_dir(&directory).args(["-C1", "a"]).args(words).assert().code(2);
        let output = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(output.contains(message), "{words:?}: {output}");
    }
}
