//! Suggestions in messages about the command line.

use std::process::Output;

use crate::cli::command::create_directory;
use charpipe_test_support::watch;

fn run(words: &[&str]) -> Output {
    let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
    command.args(words).output().unwrap()
}

/// Returns the message about a command line that is rejected.
fn error_of(words: &[&str]) -> String {
    let output = run(words);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {message}");
    assert!(output.stdout.is_empty(), "{words:?}");
    message
}

/// Returns the tip in the message.
fn tip_of(words: &[&str]) -> Option<String> {
    let message = error_of(words);
    let tips: Vec<_> = message.lines().filter_map(|line| line.strip_prefix("  tip: ")).collect();
    assert!(tips.len() < 2, "{message}");
    tips.first().map(|tip| (*tip).to_owned())
}

#[test]
fn non_character_encodings_are_identified() {
    for (label, is) in [
        ("qp", " but a transform: write it after an encoding, as in utf-8/qp"),
        ("Quoted-Printable", " but a transform: write it after an encoding, as in utf-8/qp"),
        ("base64", " but a transform: write it after an encoding, as in utf-8/base64"),
        ("uuencode", " but a transform: write it after an encoding, as in utf-8/uuencode"),
        ("html", " but a transform: write it after an encoding, as in utf-8/html, or with --via"),
        ("url", " but a transform: write it after an encoding, as in utf-8/percent"),
        ("rot13", " but a cipher"),
        ("gzip", " but a compression format; decompress it first"),
    ] {
        let expected = format!("charpipe: \"{label}\" is not a character encoding{is}\n");
        for words in [&["-f", label][..], &["-t", label], &["check", "-e", label]] {
            assert_eq!(error_of(words), expected);
        }
    }
}

#[test]
fn unknown_label_without_similar_ones_refers_to_the_list() {
    for label in ["foo", "sjs", "b", "text", "no such encoding"] {
        let expected =
            format!("charpipe: unknown encoding \"{label}\"; 'charpipe list' shows all names\n");
        assert_eq!(error_of(&["-t", label]), expected);
        assert_eq!(error_of(&["check", "-e", label]), expected);
    }
}

#[test]
fn auto_and_detect_are_valid_only_for_the_input() {
    for word in ["auto", "detect", "AUTO"] {
        let expected = format!(
            "charpipe: \"{word}\" is not an encoding; it is valid only as the value of --from\n"
        );
        for words in [&["-t", word][..], &["-f", "auto", "--default-encoding", word]] {
            assert_eq!(error_of(words), expected);
        }
        assert_eq!(error_of(&["-t", &format!("{word}//TRANSLIT")]), expected);
        assert!(run(&["-f", &format!("{word}//IGNORE")]).status.success());
    }
}

#[test]
fn mistyped_steps_have_suggestions() {
    for (words, expected) in [
        (&["--via", "htlm"][..], "--via: unknown step \"htlm\" (did you mean html?)"),
        (&["--via", "htlm:decode"], "--via: unknown step \"htlm\" (did you mean html?)"),
        (&["--via", "lattin1"], "--via: unknown step \"lattin1\" (did you mean latin1?)"),
        (
            &["--via", "no-such-step"],
            "--via: unknown step \"no-such-step\" (see 'charpipe list' and 'charpipe list --transforms')",
        ),
        (&["--chain", "latin1..bsae64"], "--chain: unknown step \"bsae64\" (did you mean base64?)"),
        (&["-t", "utf-8/bsae64"], "unknown transform \"bsae64\" (did you mean base64?)"),
        (&["-t", "utf-8/x"], "unknown transform \"x\" (see 'charpipe list --transforms')"),
        (
            &["-f", "latin1..utf-8"],
            "\"latin1..utf-8\" is a chain of steps; use --chain=latin1..utf-8",
        ),
    ] {
        assert_eq!(error_of(words), format!("charpipe: {expected}\n"));
    }
}

#[test]
fn codecs_of_python_and_java_that_are_no_encodings_lead_to_transforms() {
    for (label, expected) in [
        ("unicode_escape", "-f latin1 --via python:decode reads them"),
        ("raw-unicode-escape", "-f latin1 --via python:decode reads them"),
        ("string_escape", "-f latin1 --via python:decode reads them"),
        ("native2ascii", "--via java:decode reads them"),
        ("base64_codec", "as in utf-8/base64"),
        ("hex_codec", "as in utf-8/hex"),
        ("bz2_codec", "but a compression format"),
        ("rot_13", "but a cipher"),
    ] {
        let message = error_of(&["-f", label]);
        assert!(message.contains(expected), "{message}");
    }
    let mut command = crate::cli::command::charpipe();
    command
        .args(["-f", "latin1", "--via", "python:decode"])
        .write_stdin(b"\xE9\\xe9\\u20ac".as_slice());
    command.assert().success().stdout("éé€");
}

#[test]
fn values_are_accepted_in_any_case() {
    for (words, output) in [
        (&["--newline", "CRLF"][..], "e\u{301}\r\n"),
        (&["--normalize", "NFC"], "é\n"),
        (&["--bom=Strip"], "e\u{301}\n"),
        (&["check", "--newline=LF", "--bom=FORBID"], ""),
        (&["fix", "--newline=CRLF", "--bom=Any"], "e\u{301}\r\n"),
    ] {
        let mut command = match words[0] {
            "check" | "fix" => crate::cli::command::subcommand(words[0]),
            _ => crate::cli::command::charpipe(),
        };
        let options = words.iter().filter(|word| !matches!(**word, "check" | "fix"));
        let run = command.args(options).write_stdin("e\u{301}\n").assert().success();
        run.stdout(output);
    }
    assert!(error_of(&["--newline", "unix"]).contains("[possible values: lf, crlf, cr]"));
}

#[test]
fn invalid_numbers_are_explained() {
    for (words, expected) in [
        (&["-j", "abc"][..], "invalid value 'abc' for '--jobs <N>': expected a number\n"),
        (&["-j", "0"], "invalid value '0' for '--jobs <N>': expected a number from 1 to 32\n"),
        (&["check", "--max-findings=x"], "'--max-findings <N|all>': expected a number, or all\n"),
        (&["check", "--jobs=33"], "'--jobs <N>': expected a number from 1 to 32\n"),
        (&["detect", "--candidates=0"], "'--candidates <N>': expected a number, at least 1\n"),
        (&["split", "-n", "0", "a"], "'--parts <N>': expected a number, at least 1\n"),
    ] {
        let message = error_of(words);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn suffix_of_a_backup_must_be_attached() {
    let directory = create_directory(&[("a", b"text"), (".hidden", b"text")]);
    let run = |words: &[&str]| {
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        command.current_dir(&directory).args(words).output().unwrap()
    };
    for words in
        [&["-i", "--backup", ".bak", "a"][..], &["-i", "-b", ".bak", "a"], &["-ib", ".bak"]]
    {
        let output = run(words);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(message, "charpipe: --backup takes its value after '=': --backup=.bak\n");
        assert_eq!(output.status.code(), Some(2));
    }
    // These are files.
    assert_eq!(run(&["-i", "--backup", ".hidden", "a"]).status.code(), Some(0));
    assert_eq!(run(&["-i", "--backup", "./a"]).status.code(), Some(0));
}

#[test]
fn output_that_is_a_directory_leads_to_the_option_for_it() {
    let directory = create_directory(&[("a", b"text")]);
    std::fs::create_dir(directory.path().join("d")).unwrap();
    for name in ["new/", "d"] {
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        let output = command.current_dir(&directory).args(["-o", name, "a"]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let expected = "is a directory; use --output-dir to write to files in it";
        assert_eq!(message, format!("charpipe: --output: {name} {expected}\n"));
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn null_requires_the_list_that_it_is_for() {
    for words in [&["-0", "a"][..], &["-i", "-0", "a"]] {
        assert_eq!(error_of(words), "charpipe: --null requires --files-from\n");
    }
}

#[test]
fn diff_of_a_check_leads_to_an_option_of_fix() {
    let directory = create_directory(&[("a", b"x\xE9")]);
    for (command, hint) in [
        ("check", "(use 'charpipe fix --diff --from ENCODING', or '--from detect')"),
        ("fix", "(use --from ENCODING, or --from detect)"),
    ] {
        let mut call = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        let output = call.current_dir(&directory).args([command, "--diff", "a"]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.lines().next().unwrap().ends_with(hint), "{message}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn suffix_without_effect_is_rejected() {
    for (words, option) in [
        (&["check", "-e", "latin1//TRANSLIT"][..], "--encoding"),
        (&["-f", "auto", "--default-encoding", "latin1//IGNORE"], "--default-encoding"),
    ] {
        let expected = format!("charpipe: {option} accepts neither //TRANSLIT nor //IGNORE\n");
        assert_eq!(error_of(words), expected);
    }
    assert!(run(&["check", "-e", "latin1//"]).status.success());
}

#[test]
fn options_of_other_programs_get_a_suggestion() {
    for (words, expected) in [
        (&["check", "-t", "utf-8"][..], "use --encoding"),
        (&["check", "--json"], "use --format=json"),
        (&["detect", "--format", "json"], "use --json"),
        (&["check", "--fix"], "use 'charpipe fix'"),
        (&["--strip-bom"], "use --bom strip"),
        (&["--dos"], "use --newline crlf"),
        (&["--nfc"], "use --normalize nfc"),
        (&["--translit"], "use --to ENCODING//TRANSLIT"),
        (&["--detect"], "use --from detect"),
        (&["-w", "a"], "use --in-place"),
        (&["--dos2unix", "a"], "use --newline lf"),
        (&["--unix2dos", "a"], "use --newline crlf"),
        (&["-x", "any-nfc"], "use --via, as in --via nfc"),
        (&["-i.bak", "a"], "use --in-place --backup=.bak"),
        (&["-i~", "a"], "use --in-place --backup=~"),
        (&["-i=.bak", "a"], "use --in-place --backup=.bak"),
        (&["--in-place=.bak", "a"], "use --in-place --backup=.bak"),
        (&["repair", "-i.bak", "a"], "use --in-place --backup=.bak"),
    ] {
        assert_eq!(tip_of(words).as_deref(), Some(expected), "{words:?}");
    }
}

#[test]
fn unknown_option_leads_to_the_help_of_the_command() {
    for (words, tip) in [
        (&["--fast"][..], "'charpipe -h' shows the options"),
        (&["detect", "--fast"], "'charpipe detect -h' shows the options"),
    ] {
        assert_eq!(tip_of(words).as_deref(), Some(tip));
        assert_eq!(error_of(words).lines().count(), 2);
    }
}

#[test]
fn encoding_as_an_error_action_gets_a_hint() {
    for option in ["--on-invalid", "--on-error"] {
        let expected = format!(
            "charpipe: {option}: \"latin1\" is an encoding, not an error action; for text in two encodings use -f, as in -f utf-8,latin1\n"
        );
        assert_eq!(error_of(&[option, "latin1"]), expected);
        assert!(error_of(&[option, "latn1"]).contains(": unknown error action \"latn1\" "));
    }
    let message = error_of(&["--on-unmappable", "latin1"]);
    assert!(message.contains(": unknown error action \"latin1\" "), "{message}");
}

#[test]
fn utf_16_that_is_decoded_as_utf_8_gets_a_hint() {
    let hint = "; UTF-16 files start with FF FE or FE FF\n";
    for (input, has_hint) in [
        (&b"\xFF\xFEa\0"[..], true),
        (b"\xFE\xFF\0a", true),
        (b"a\xFF\xFE", false),
        (b"\xC0a", false),
    ] {
        let directory = create_directory(&[("a", input)]);
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        let output = command.current_dir(&directory).args(["a"]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let message = message.split_inclusive('\n').next().unwrap();
        assert_eq!(message.ends_with(hint), has_hint, "{message}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn several_lines_of_an_encoding_for_names_get_a_hint() {
    for (encoding, input, has_hint) in [
        ("utf-7-imap", &b"INBOX\nSent\n"[..], true),
        ("utf-5", b"K1\r\nI262", true),
        ("utf-5", b"K1!", false),
        ("utf-7", b"a\n\\", false),
    ] {
        let directory = create_directory(&[("a", input)]);
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        let output = command.current_dir(&directory).args(["-f", encoding, "a"]).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let hint = "; the option eol=keep accepts line endings\n";
        assert_eq!(message.ends_with(hint), has_hint, "{message}");
    }
}

#[test]
fn mistyped_subcommand_is_suggested() {
    for (arguments, hint) in [
        (&["chekc"][..], " (did you mean the subcommand 'check'?)"),
        (&["detct", "a"], " (did you mean the subcommand 'detect'?)"),
        (&["-v", "list"], " (subcommands must be the first argument)"),
        (&["convert", "a"], " (a conversion has no subcommand)"),
        (&["man"], " (did you mean 'charpipe --man'?)"),
        (&["version"], " (did you mean 'charpipe --version'?)"),
        (&["latin1..utf-8", "a"], " (to convert in these steps use --chain=latin1..utf-8)"),
        (&["../x..y"], ""),
        (&["a", "help"], ""),
        (&["a", "chekc"], ""),
        (&["missing"], ""),
    ] {
        let directory = create_directory(&[("a", b"text")]);
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        let output = command.current_dir(&directory).args(arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        let expected = format!("No such file or directory{hint}\n");
        assert!(message.ends_with(&expected), "{arguments:?}: {message}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn option_of_another_subcommand_is_identified() {
    for (words, expected) in [
        (
            &["-e", "latin1"][..],
            "-e is an option of 'charpipe check', 'charpipe fix' and 'charpipe repair'",
        ),
        (&["--max-findings", "3"], "--max-findings is an option of 'charpipe check'"),
        (
            &["check", "--on-error", "skip"],
            "--on-error is an option of 'charpipe' without a subcommand and 'charpipe repair'",
        ),
        (
            &["detect", "-s"],
            "-s is an option of 'charpipe' without a subcommand, 'charpipe check', 'charpipe fix', 'charpipe split', 'charpipe repair' and 'charpipe iconv'",
        ),
    ] {
        assert_eq!(tip_of(words).as_deref(), Some(expected), "{words:?}");
    }
}

#[test]
fn parser_suggestions_are_only_given_for_similar_options() {
    for (word, similar) in [
        ("--inplace", "--in-place"),
        ("--recurse", "--recursive"),
        ("--on-eror", "--on-error"),
        ("--verbos", "--verbose"),
        ("--dry", "--dry-run"),
    ] {
        let expected = format!("a similar argument exists: '{similar}'");
        assert_eq!(tip_of(&[word]), Some(expected));
    }
    let subcommands = [&[][..], &["check"], &["detect"], &["list"]];
    for word in
        ["-X", "-9", "--all", "--in", "--no-backup", "--quote", "--block", "--always", "-\u{1b}"]
    {
        for subcommand in subcommands {
            let tip = tip_of(&[subcommand, &[word][..]].concat());
            let command = [&["charpipe"], subcommand].concat().join(" ");
            assert_eq!(tip, Some(format!("'{command} -h' shows the options")), "{word}");
        }
    }
    // All possible values are listed anyway.
    for words in [&["--completions", "csh"][..], &["check", "--newline=nel"], &["--list=jsn"]] {
        assert_eq!(tip_of(words), None);
        assert!(error_of(words).contains("possible values:"));
    }
}

#[test]
fn arguments_ignored_by_printing_options_are_rejected() {
    for (words, message) in [
        (&["--list", "json"][..], "--list takes its value after '=': --list=json"),
        (&["-l", "tsv"], "--list takes its value after '=': --list=tsv"),
        (&["-l", "foo"], "--list cannot be used with an operand (\"foo\")"),
        (&["foo", "-l"], "--list cannot be used with an operand (\"foo\")"),
        (&["-l", "-f", "latin1"], "--list cannot be used with --from"),
        (&["-lv"], "--list cannot be used with --verbose"),
        (&["-c", "--list=json"], "--list cannot be used with -c"),
        (&["--list", "--man"], "--list cannot be used with --man"),
        (&["--man", "-"], "--man cannot be used with an operand (\"-\")"),
        (&["check", "--man", "a"], "--man cannot be used with an operand (\"a\")"),
        (&["list", "--man", "--tsv"], "--man cannot be used with --tsv"),
        (&["--completions", "zsh", "-i"], "--completions cannot be used with --in-place"),
    ] {
        assert_eq!(error_of(words), format!("charpipe: {message}\n"));
    }
}

#[test]
fn max_findings_zero_reports_the_omitted_count() {
    let directory = create_directory(&[("invalid", &[0xFF; 3]), ("good", b"text")]);
    for (format, shown) in [
        ("text", vec![]),
        ("gcc", vec![]),
        (
            "json",
            vec![
                "{\"file\":\"invalid\",",
                "\"findings\":[],\"omitted\":3}",
                "\"with_findings\":1",
                "\"findings\":3",
            ],
        ),
        ("jsonl", vec!["{\"type\":\"omitted\",\"file\":\"invalid\",\"findings\":3}"]),
        ("github", vec!["::error file=invalid,title=charpipe::3 findings not shown\n"]),
        ("gitlab", vec!["[]"]),
        (
            "sarif",
            vec![
                "\"results\":[]",
                "{\"level\":\"warning\",\"message\":{\"text\":\"3 findings not shown\"}}",
            ],
        ),
        (
            "junit",
            vec![
                "<testsuite name=\"invalid\" tests=\"1\" failures=\"1\"",
                "<failure type=\"findings\" message=\"3 findings not shown\"></failure>",
                "<testsuite name=\"good\" tests=\"1\" failures=\"0\"",
            ],
        ),
    ] {
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        let command =
            command.current_dir(&directory).args(["check", "--max-findings=0", "--format"]);
        let output = command.args([format, "invalid", "good"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(shown.iter().all(|part| text.contains(part)), "{format}: {text}");
        assert_eq!(text.is_empty(), shown.is_empty(), "{format}: {text}");
        assert!(!text.contains("invalid UTF-8 sequence"), "{format}: {text}");
        let message = String::from_utf8(output.stderr).unwrap();
        let expected = "charpipe: invalid: 3 findings not shown (--max-findings=all shows them)\n";
        assert_eq!(message, expected, "{format}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn omitted_findings_are_counted() {
    let directory = create_directory(&[("invalid", &[0xFF; 3])]);
    for (format, shown) in [
        ("json", "\n],\"omitted\":2}"),
        ("jsonl", "}\n{\"type\":\"omitted\",\"file\":\"invalid\",\"findings\":2}\n"),
        ("github", "\n::error file=invalid,title=charpipe::2 findings not shown\n"),
        ("sarif", "2 findings not shown"),
        ("junit", "\n2 findings not shown\n</failure>"),
    ] {
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        let command =
            command.current_dir(&directory).args(["check", "--max-findings=1", "--format"]);
        let output = command.args([format, "invalid"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains(shown) || text.contains(&shown.replace("\n]", "]")),
            "{format}: {text}"
        );
    }
}
