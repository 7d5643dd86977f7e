//! Binary files are not converted.

use std::fs;

use super::{in_place, lines, read, summary};
use crate::cli::command::{charpipe, create_directory, messages_of};
use charpipe_test_support::XorShift;

/// A file of each kind without NUL, and the reason why it is binary.
const FILES: [(&str, &[u8], &str); 4] = [
    ("archive", b"BZh91AY&SY\x94\xE5\xB7\x21", "file (bzip2 signature)"),
    ("codes", b"\x03\x9C\xE9\xC4\x11", "file or other encoding (contains control characters)"),
    ("document", b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", "file (PDF signature)"),
    (
        "noise",
        b"\x9D\xE2B\xF6\x8D\xB3)\xC7\xD8o\x84\xEEq\xFA\xA5[\xBF\x96\xCDx",
        "file or other encoding (looks like random bytes)",
    ),
];

#[test]
fn binary_operand_is_rejected_unless_forced() {
    for (name, content, reason) in FILES {
        let directory = create_directory(&[(name, content)]);
        let run = in_place(directory.path(), &["-f", "koi8-r", name]).code(1);
        assert_eq!(lines(&run), [format!("{name}: skipped: binary {reason}")]);
        assert_eq!(summary(&run), "charpipe: 0 converted, 0 unchanged, 1 skipped, 0 failed");
        assert!(read(directory.path(), name) == content, "{name}");
        in_place(directory.path(), &["-f", "koi8-r", "--force", name]).success();
        assert!(read(directory.path(), name) != content, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_walk_skips_binary_files_whatever_the_source_encoding_is() {
    for from in ["koi8-r", "auto", "detect"] {
        let directory = create_directory(&FILES.map(|(name, content, _)| (name, content)));
        let fallback = if from == "auto" { &["--default-encoding", "koi8-r"][..] } else { &[] };
        let words = |verbose| [&["-f", from, verbose, "-r", "."][..], fallback].concat();
        let run = in_place(directory.path(), &words("-k")).success();
        assert_eq!(summary(&run), "charpipe: 0 converted, 0 unchanged, 4 skipped, 0 failed");
        // Only those that may be text in another encoding are reported.
        let names = |lines: &[String]| -> Vec<String> {
            lines.iter().map(|line| line.split(':').next().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&lines(&run)), ["./codes", "./noise"], "{from}");
        let run = in_place(directory.path(), &words("-v")).success();
        assert_eq!(names(&lines(&run)), ["./archive", "./codes", "./document", "./noise"]);
        for (name, content, _) in FILES {
            assert!(read(directory.path(), name) == content, "{from} {name}");
        }
    }
}

#[test]
fn auto_without_a_default_encoding_skips_binary_files() {
    let directory = create_directory(&[("codes", FILES[1].1), ("text", b"caf\xE9 au lait\n")]);
    let run = in_place(directory.path(), &["-f", "auto", "-r", "."]).code(1);
    assert_eq!(summary(&run), "charpipe: 0 converted, 0 unchanged, 1 skipped, 1 failed");
}

#[test]
fn random_files_survive_a_walk() {
    let directory = create_directory(&[]);
    let mut random = XorShift::new(0x9E37_79B9_7F4A_7C15);
    let mut file = || (0..32).map(|_| random.byte() % 255 + 1).collect();
    let files: Vec<Vec<u8>> = (0..200).map(|_| file()).collect();
    for (number, content) in files.iter().enumerate() {
        fs::write(directory.path().join(number.to_string()), content).unwrap();
    }
    for from in ["latin1", "cp437", "detect"] {
        let words = ["-f", from, "-i", "-r", "."];
        let run = charpipe().current_dir(&directory).args(words).assert();
        let last = messages_of(&run).pop().unwrap();
        assert!(last.starts_with("charpipe: 0 converted, 0 unchanged, "), "{from}: {last}");
    }
    for (number, content) in files.iter().enumerate() {
        assert!(read(directory.path(), &number.to_string()) == *content);
    }
}

#[test]
fn text_with_control_characters_of_text_is_converted() {
    for (from, content, new) in [
        ("latin1", &b"\x1B[1mcaf\xE9\x1B[0m\x07\x0C\n"[..], "\x1B[1mcafé\x1B[0m\x07\x0C\n"),
        ("cp437", b"caf\x82\r\n\x1A", "café\r\n\x1A"),
        ("cp1252", b"\x93caf\xE9\x94\n", "“café”\n"),
        ("cp037", b"\x83\x81\x86\x51\x15", "café\u{85}"),
    ] {
        let directory = create_directory(&[("a", content)]);
        in_place(directory.path(), &["-f", from, "a"]).success();
        assert_eq!(read(directory.path(), "a"), new.as_bytes(), "{from}");
    }
}

#[test]
fn encoded_words_with_control_characters_are_text() {
    let directory = create_directory(&[("mail", b"Subject: =?utf-8?q?=01?= caf\xC3\xA9\n")]);
    let run = in_place(directory.path(), &["-f", "rfc2047", "--on-error", "skip", "mail"]).code(1);
    assert!(!lines(&run).concat().contains("binary"), "{:?}", lines(&run));
    assert_eq!(read(directory.path(), "mail"), "Subject:  café\n".as_bytes());
}
