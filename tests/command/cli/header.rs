//! Mail headers: which encoded-words the command converts, and which it leaves unchanged.

use std::fs;

use crate::cli::command::{charpipe, has_small_buffers, messages_of, shell, subcommand};

fn run(words: &[&str], input: &[u8], code: i32) -> (String, Vec<String>) {
    let run = charpipe().args(words).write_stdin(input).assert().code(code);
    (String::from_utf8(run.get_output().stdout.clone()).unwrap(), messages_of(&run))
}

#[test]
fn encoded_words_are_decoded_and_other_text_is_unchanged() {
    let line = b"Subject:  =?utf-8?Q?caf=C3=A9?=\n  =?iso-8859-1?b?6Q==?=  x \n";
    assert_eq!(run(&["-f", "rfc2047"], line, 0), ("Subject:  caféé  x \n".to_owned(), vec![]));
}

#[test]
fn malformed_encoded_word_is_replaced_and_reported_alone() {
    let line = b"a: =?utf-8?q?=C3?= =?utf-8?q?=C3=A9?=\n";
    let (text, messages) = run(&["-f", "rfc2047"], b"a: =?utf-8?q?=FF?= b =?utf-8?q?=C3=A9?=\n", 1);
    assert_eq!(text, "a: \u{FFFD} b é\n");
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("charpipe: <stdin>:1:14: byte 13: "), "{messages:?}");
    assert_eq!(messages[1], "charpipe: <stdin>: 1 error: 1 replaced");
    // The bytes of the two encoded-words form one character.
    assert_eq!(run(&["-f", "rfc2047"], line, 1).0, "a: \u{FFFD}é\n");
}

#[test]
fn error_after_removed_folding_has_the_line_of_the_file() {
    let lines = b"a: =?utf-8?q?b?=\n =?utf-8?q?c?=\nd\n=?utf-8?q?=FF?=\n";
    let (text, messages) = run(&["-f", "rfc2047"], lines, 1);
    assert_eq!(text, "a: bc\nd\n\u{FFFD}\n");
    assert!(messages[0].starts_with("charpipe: <stdin>:4:11: byte 44: "), "{messages:?}");
}

#[test]
fn error_actions_apply_to_encoded_words() {
    let line = b"=?utf-8?q?a=FFb?=\n";
    assert_eq!(run(&["-f", "rfc2047", "-c"], line, 1).0, "ab\n");
    assert_eq!(run(&["-f", "rfc2047", "--on-invalid", "stop"], line, 1).0, "a");
}

#[test]
fn encoded_words_add_no_line_breaks_or_control_characters() {
    let line = b"Subject: =?utf-8?q?a=0D=0ABcc:_x=00=1B[2J=7F=C2=9B=E2=80=A8b?=\n";
    let (text, messages) = run(&["-f", "rfc2047"], line, 1);
    let fffd = "\u{FFFD}";
    assert_eq!(text, format!("Subject: a{fffd}{fffd}Bcc: x{fffd}{fffd}[2J{fffd}{fffd}{fffd}b\n"));
    assert!(messages.iter().all(|line| !line.contains('\x1B')), "{messages:?}");
}

#[test]
fn structured_fields_follow_their_rules_by_default() {
    let lines = b"To: =?utf-8?q?a?= <=?utf-8?q?b?=@x>\nDate: =?utf-8?q?c?=\n";
    let kept = "To: a <=?utf-8?q?b?=@x>\nDate: =?utf-8?q?c?=\n";
    assert_eq!(run(&["-f", "rfc2047"], lines, 0).0, kept);
}

#[test]
fn strict_keeps_and_reports_a_malformed_encoded_word() {
    let line = b"Subject: =?utf-8?b?w6k?= =?utf-8?b?w6k=?= x=?utf-8?q?=C3=A9?=\n";
    let (text, messages) = run(&["-f", "rfc2047", "--strict"], line, 1);
    assert_eq!(text, "Subject: =?utf-8?b?w6k?= é x=?utf-8?q?=C3=A9?=\n");
    assert!(messages[0].starts_with("charpipe: <stdin>:1:10: byte 9: "), "{messages:?}");
    assert_eq!(messages[1], "charpipe: <stdin>: 1 error: 1 kept");
}

#[test]
fn strict_is_rejected_without_rfc2047() {
    let (_, messages) = run(&["--strict"], b"", 2);
    assert!(messages[0].contains("--strict requires RFC2047"), "{messages:?}");
}

#[test]
fn the_body_of_a_message_goes_out_byte_for_byte() {
    let message = b"Subject: =?utf-8?q?=C3=A9?=\r\n\r\n=?utf-8?q?=C3=A9?=\xFF\0\r\n";
    let run =
        charpipe().args(["-f", "rfc2047", "--headers-only"]).write_stdin(&message[..]).assert();
    let expected = b"Subject: \xC3\xA9\r\n\r\n=?utf-8?q?=C3=A9?=\xFF\0\r\n";
    run.success().stdout(&expected[..]).stderr("");
    let back =
        charpipe().args(["-t", "rfc2047", "--headers-only"]).write_stdin(&expected[..]).assert();
    let expected = b"Subject: =?UTF-8?B?w6k=?=\r\n\r\n=?utf-8?q?=C3=A9?=\xFF\0\r\n";
    back.success().stdout(&expected[..]).stderr("");
}

#[test]
fn each_file_is_a_message_of_its_own() {
    let message: &[u8] = b"A: =?utf-8?q?=C3=A9?=\n\n=?utf-8?q?a?=\n";
    let directory = crate::cli::command::create_directory(&[("one", message), ("two", message)]);
    let run = charpipe()
        .args(["-f", "rfc2047", "--headers-only", "one", "two"])
        .current_dir(&directory)
        .assert();
    let half = "A: é\n\n=?utf-8?q?a?=\n";
    run.success().stdout(format!("{half}{half}")).stderr("");
}

#[test]
fn message_requires_rfc2047_and_a_compatible_body() {
    for words in [
        &["--headers-only"][..],
        &["--headers-only", "-f", "latin1"],
        &["--headers-only", "-f", "rfc2047", "-t", "utf-16"],
        &["--headers-only", "-f", "utf-16", "-t", "rfc2047"],
    ] {
        let (text, messages) = run(words, b"A: b\n\n", 2);
        assert_eq!((text.as_str(), messages.len()), ("", 1), "{words:?} {messages:?}");
        assert!(messages[0].contains("--headers-only requires RFC2047"), "{messages:?}");
    }
}

#[test]
fn non_ascii_text_is_encoded_and_ascii_is_unchanged() {
    for (to, written) in [
        ("rfc2047", "Subject: a =?UTF-8?B?Y2Fmw6k=?= b\n"),
        ("rfc2047:latin1", "Subject: a =?ISO-8859-1?Q?caf=E9?= b\n"),
        ("rfc2047:charset=utf-8,encoding=q", "Subject: a =?UTF-8?Q?caf=C3=A9?= b\n"),
    ] {
        let text = "Subject: a café b\n".as_bytes();
        assert_eq!(run(&["-t", to], text, 0).0, written);
    }
    let plain = b"Subject: nothing to do\n\nbody\n";
    assert_eq!(run(&["-t", "rfc2047"], plain, 0).0.as_bytes(), plain);
}

#[test]
fn character_outside_encoded_word_positions_is_an_error() {
    let line = "Received: from é by x\n".as_bytes();
    let (text, messages) = run(&["-t", "rfc2047"], line, 1);
    assert_eq!(text, "Received: from ");
    let expected = "charpipe: <stdin>:1:16: byte 15: U+00E9 is not allowed here (no encoded-word may appear in this position)";
    assert_eq!(messages, [expected]);
    assert_eq!(run(&["-t", "rfc2047", "-c"], line, 1).0, "Received: from  by x\n");
}

#[test]
fn encoding_unsuitable_for_encoded_words_is_rejected() {
    for label in ["rfc2047", "utf-5", "no-such-encoding"] {
        let (_, messages) = run(&["-t", &format!("rfc2047:charset={label}")], b"", 2);
        assert!(messages[0].contains(label), "{messages:?}");
    }
}

#[cfg(unix)]
#[test]
fn pathological_headers_take_bounded_memory() {
    let size = if has_small_buffers() { 1 << 18 } else { 28 << 20 };
    for (front, piece, decoded) in [
        ("", "=?", "=?"),
        ("", "=?utf-8?q?", "=?utf-8?q?"),
        ("=?utf-8?q?", "a", "a"),
        ("To: ", "(", "("),
        // A header field of more than 64 KiB is copied.
        ("Subject: a\n ", "=?utf-8?q?=41?= ", "=?utf-8?q?=41?= "),
        ("=?utf-8?q?x?=", "                ", "                "),
        ("", "Subject: =?utf-8?q?=41?= \n =?utf-8?q?=41?=\n", "Subject: AA\n"),
    ] {
        let count = size / piece.len();
        let input = [front, &piece.repeat(count), "\n"].concat();
        let expected = [front, &decoded.repeat(count), "\n"].concat();
        let script = r#"ulimit -v 40000; exec "$@" -f rfc2047"#;
        let run = crate::cli::command::shell(script).write_stdin(input).assert().success();
        assert!(run.get_output().stdout == expected.as_bytes(), "{front:?} {piece:?}");
    }
}

#[test]
fn header_fields_are_unfolded() {
    let message = b"Subject: a\r\n =?utf-8?q?=C3=A9?=\r\nTo: b,\r\n\tc\r\n\r\nbody\r\n more\r\n";
    let (text, messages) = run(&["-f", "rfc2047", "--unfold"], message, 0);
    assert_eq!(text, "Subject: a \u{E9}\r\nTo: b,\tc\r\n\r\nbody\r\n more\r\n");
    assert_eq!(messages, [""; 0]);
    // Of any encoding.
    let utf16 = run(&["-t", "utf-16le"], b"A: b\n c\n", 0).0;
    assert_eq!(run(&["-f", "utf-16le", "--unfold"], utf16.as_bytes(), 0).0, "A: b c\n");
    assert_eq!(
        run(&["-t", "rfc2047", "--unfold"], "A: é\n ü\n".as_bytes(), 0).0,
        "A: =?UTF-8?B?w6kgw7w=?=\n"
    );
}

#[test]
fn selected_fields_of_a_mailbox_are_printed() {
    let mailbox = b"From a\nSubject: =?utf-8?q?=C3=A9?=\n =?utf-8?q?=C3=BC?=\nTo: =?utf-8?q?=FF?=\n\nSubject: no\n\n\
                    From b\nsubject: c\n d\nCc: e\n\n\xFF\n";
    let subject = &["-f", "rfc2047", "--field", "Subject"];
    assert_eq!(run(subject, mailbox, 0).0, "Subject: éü\nsubject: c\n d\n");
    let several = [&subject[..], &["--unfold", "--field=cc:"]].concat();
    for size in ["1", "2", "3", "7", "1000"] {
        let words = [&several[..], &["--buffer-size", size]].concat();
        assert_eq!(run(&words, mailbox, 0).0, "Subject: éü\nsubject: c d\nCc: e\n");
    }
    // Errors have the positions of the file.
    let (text, messages) = run(&["-f", "rfc2047", "--field", "to"], mailbox, 1);
    assert_eq!(text, "To: \u{FFFD}\n");
    assert!(messages[0].starts_with("charpipe: <stdin>:4:15: byte 69: "), "{messages:?}");
    assert_eq!(run(&["--field", "Cc"], mailbox, 0).0, "Cc: e\n");
}

#[test]
fn fields_of_several_files_follow_their_names() {
    let directory = tempfile::tempdir().unwrap();
    let messages: [(&str, &[u8]); 5] = [
        (
            "mail/cur/1.a:2,S",
            b"Subject: =?utf-8?q?=C3=A9?=\n =?utf-8?q?=C3=BC?=\nTo: x\n\nbody\nSubject: no\n",
        ),
        ("mail/new/2", b"subject: folded\r\n \tx\r\n\r\nbody\r\n"),
        // Without the end of its line.
        ("mail/new/3.\u{E9}", b"Subject: =?koi8-r?b?7cnS?="),
        ("mail/new/4\x1B[31m", b"To: y\nSubject: =?utf-8?q?=FF?=\n"),
        ("mail/.Sent/cur/5", b"Subject: sent\n"),
    ];
    for (name, content) in messages {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let run = |words: &[&str], code: i32| {
        let run = charpipe().args(words).current_dir(&directory).assert().code(code);
        (String::from_utf8_lossy(&run.get_output().stdout).into_owned(), messages_of(&run))
    };
    let subject = ["-f", "rfc2047", "--field", "Subject"];
    let lines = [
        "mail/cur/1.a:2,S: Subject: éü\n",
        "mail/new/2: subject: folded \tx\r\n",
        "mail/new/3.é: Subject: Мир\n",
        "mail/new/4\\x1B[31m: Subject: \u{FFFD}\n",
    ];
    for size in ["1", "2", "3", "7", "1000"] {
        let words = [&subject[..], &["-r", "--buffer-size", size, "mail"]].concat();
        let (text, messages) = run(&words, 1);
        assert_eq!(text, lines.concat());
        let position = "charpipe: mail/new/4\\x1B[31m:2:20: byte 25: ";
        assert!(messages[0].starts_with(position), "{messages:?}");
    }
    let some = |words: &[&str], code| run(&[&subject[..], words].concat(), code).0;
    assert_eq!(some(&["mail/new/2", "mail/cur/1.a:2,S"], 0), [lines[1], lines[0]].concat());
    assert_eq!(some(&["mail/cur/1.a:2,S"], 0), "Subject: éü\n");
    assert_eq!(some(&["-r", "--glob", "2*", "."], 0), format!("./{}", lines[1]));
    assert_eq!(some(&["-r", "--glob", "2*"], 0), format!("./{}", lines[1]));
    assert_eq!(some(&["-r", "--hidden", "mail/.Sent"], 0), "mail/.Sent/cur/5: Subject: sent\n");
    // What the output encoding does not have is escaped in names.
    let latin1 =
        run(&["-f", "rfc2047", "-c", "-t", "us-ascii", "--field", "Subject", "-r", "mail/new"], 1)
            .0;
    assert!(latin1.contains("mail/new/3.\\u{E9}: Subject: \nmail/new/4"), "{latin1}");
    for (words, code, message) in [
        (&["mail"][..], 2, "mail: is a directory (use -r)"),
        (&["mail/new/2", "mail/missing"], 2, "mail/missing: No such file or directory"),
        (
            &["-t", "utf-16", "-r", "mail"],
            2,
            "--field prints the names of several files, which requires an ASCII-compatible output encoding \
             without a byte order mark",
        ),
        (
            &["--range", "1/2", "-r", "mail"],
            2,
            "--range requires one FILE other than standard input",
        ),
    ] {
        let (_, messages) = run(&[&subject[..], words].concat(), code);
        assert_eq!(messages, [format!("charpipe: {message}")]);
    }
}

#[test]
fn output_in_the_directory_is_not_read() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a"), "Subject: x\n").unwrap();
    let run =
        shell("\"$@\" > b").args(["--field", "Subject", "-r"]).current_dir(&directory).assert();
    run.code(2).stderr("charpipe: ./b: input file is output file\n");
    assert_eq!(fs::read_to_string(directory.path().join("b")).unwrap(), "./a: Subject: x\n");
}

#[test]
fn selection_of_fields_requires_names_and_an_ascii_compatible_encoding() {
    for (words, message) in [
        (&["--field", "a b"][..], "\"a b\": this is not the name of a header field"),
        (&["--field", ""], "\"\": this is not the name of a header field"),
        (&["--field", "é"], "\"é\": this is not the name of a header field"),
        (
            &["--field", "To", "-f", "utf-16"],
            "To: header fields can be selected only in an ASCII-compatible encoding",
        ),
        (&["--field", "To", "-i", "x"], "--field cannot be used with --in-place"),
        (
            &["--field", "To", "-f", "rfc2047", "--headers-only"],
            "--field cannot be used with --headers-only",
        ),
    ] {
        let (text, messages) = run(words, b"To: a\n", 2);
        assert_eq!((text.as_str(), &messages[..]), ("", &[format!("charpipe: {message}")][..]));
    }
}

#[test]
fn parameters_are_checked_and_converted() {
    let field = b"Content-Type: a; name*=utf-8''caf%C3%A9%FF\n";
    let (text, messages) = run(&["-f", "rfc2047:rfc2231"], field, 1);
    assert_eq!(text, "Content-Type: a; name=\"café\u{FFFD}\"\n");
    assert!(messages[0].starts_with("charpipe: <stdin>:1:40: byte 39: "), "{messages:?}");
    let run = subcommand("check").args(["-e", "rfc2047:rfc2231"]).write_stdin(&field[..]).assert();
    assert!(messages_of(&run).is_empty());
    let found = String::from_utf8(run.code(1).get_output().stdout.clone()).unwrap();
    assert!(found.starts_with("<stdin>:1:40: byte 39: "), "{found}");
}
