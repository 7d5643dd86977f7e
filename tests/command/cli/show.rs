//! `charpipe show`.

use assert_cmd::Command;

use crate::cli::command::create_directory;
use charpipe_test_support::watch;

fn show(words: &[&str]) -> Command {
    let mut command = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
    command.arg("show").args(words);
    command
}

const HEADER: &str =
    "  offset  bytes        code point      name                                      script\n";

#[test]
fn text_operand_has_a_row_for_each_character() {
    let expected = HEADER.to_owned()
        + "       0  C3 A9        U+00E9      é   LATIN SMALL LETTER E WITH ACUTE           Latin\n"
        + "       2  E2 80 AE     U+202E          RIGHT-TO-LEFT OVERRIDE                    Common\n"
        + "       5  E4 B8 AD     U+4E2D      中  CJK UNIFIED IDEOGRAPH-4E2D                Han\n";
    show(&["é\u{202E}中"]).assert().code(0).stdout(expected).stderr("");
}

/// In the Encoding Standard, the pointers 1133, 1135, 1164 and 1166 of Big5 are two code points each.
#[test]
fn each_character_of_one_code_has_a_row() {
    let expected = HEADER.to_owned()
        + "       0  88 62        U+00CA      Ê   LATIN CAPITAL LETTER E WITH CIRCUMFLEX    Latin\n"
        + "       0               U+0304      ◌\u{304}   COMBINING MACRON                          Inherited\n";
    show(&["-f", "big5-hkscs"]).write_stdin(b"\x88\x62").assert().code(0).stdout(expected);
}

#[test]
fn file_is_shown_unless_its_name_is_meant_as_text() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let run = |words: &[&str]| {
        let run = show(words).current_dir(&directory).assert();
        let output = run.get_output();
        (output.status.code(), String::from_utf8(output.stdout.clone()).unwrap())
    };
    let (code, output) = run(&["-f", "latin1", "a"]);
    assert!(code == Some(0) && output.contains("U+00E9"), "{output}");
    let (code, output) = run(&["a"]);
    assert!(
        code == Some(1) && output.contains("E9                           invalid in UTF-8: "),
        "{output}"
    );
    let (code, output) = run(&["--text", "a"]);
    assert!(code == Some(0) && output.contains("LATIN SMALL LETTER A "), "{output}");
    let message = "charpipe: b: No such file or directory\n";
    show(&["-f", "latin1", "b"]).current_dir(&directory).assert().code(2).stderr(message);
}

#[test]
fn stdin_is_shown_as_json() {
    let expected = concat!(
        r#"{"offset":0,"bytes":"1B","code_point":"U+001B","character":"\u001b","name":"ESCAPE","script":"Common"}"#,
        "\n",
        r#"{"offset":1,"bytes":"C3","error":"invalid in UTF-8: continuation byte expected"}"#,
        "\n",
        r#"{"offset":2,"bytes":"78","code_point":"U+0078","character":"x","name":"LATIN SMALL LETTER X","script":"Latin"}"#,
        "\n",
    );
    show(&["--json"]).write_stdin(b"\x1B\xC3x").assert().code(1).stdout(expected);
}

#[test]
fn no_output_byte_is_a_control_character() {
    let input: Vec<u8> =
        (0..=u8::MAX).chain("\u{85}\u{9B}\u{202E}\u{E0041}\u{FEFF}".bytes()).collect();
    for words in [&[][..], &["-f", "latin1"], &["-f", "utf-16"], &["--json"]] {
        let run = show(words).write_stdin(input.clone()).assert();
        let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        let is_hidden =
            |it: char| it.is_control() && it != '\n' || "\u{202E}\u{E0041}\u{FEFF}".contains(it);
        assert!(!output.contains(is_hidden), "{words:?}");
    }
}

#[test]
fn invalid_usage_is_rejected() {
    for (words, message) in [
        (&["-f", "latn1"][..], "unknown encoding \"latn1\" (did you mean latin1?)"),
        (&["-f", "utf-8/qp"], "--from accepts only an encoding here; decode /qp first"),
        (&["--text", "-f", "latin1", "x"], "--text cannot be used with --from"),
    ] {
        show(words).assert().code(2).stdout("").stderr(format!("charpipe: {message}\n"));
    }
}
