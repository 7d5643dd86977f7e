//! The content of files converted in place.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use super::{in_place, lines, read, summary};
use crate::cli::command::{create_directory, names};

#[test]
fn file_is_converted_in_place() {
    let directory = create_directory(&[("a", b"caf\xE9\n")]);
    let run = in_place(directory.path(), &["-f", "latin1", "-t", "utf-8", "a"]).success();
    assert_eq!(summary(&run), "charpipe: 1 converted, 0 unchanged, 0 skipped, 0 failed");
    run.stdout("");
    assert_eq!(read(directory.path(), "a"), "café\n".as_bytes());
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn content_of_any_length_is_converted_whole() {
    for length in [0, 1, 65_535, 65_536, 65_537, 300_000] {
        // The first difference follows a prefix that is the same in both encodings.
        for same in [0, length / 2, length] {
            let old = [vec![b'a'; same], vec![0xE9; length - same]].concat();
            let directory = create_directory(&[("f", &old)]);
            in_place(directory.path(), &["-f", "latin1", "f"]).success();
            let new = "a".repeat(same) + &"é".repeat(length - same);
            assert!(read(directory.path(), "f") == new.as_bytes(), "{length} {same}");
        }
    }
}

#[test]
fn content_may_become_shorter_by_its_end_alone() {
    let directory = create_directory(&[("a", b"text\xFF")]);
    in_place(directory.path(), &["-c", "-s", "a"]).code(1);
    assert_eq!(read(directory.path(), "a"), b"text");
}

#[test]
fn a_file_that_would_not_change_is_not_written() {
    let directory = create_directory(&[("a", b"plain\n"), ("empty", b"")]);
    let before = ["a", "empty"].map(|name| fs::metadata(directory.path().join(name)).unwrap());
    let run = in_place(directory.path(), &["-f", "latin1", "--backup", "a", "empty"]).success();
    assert_eq!(summary(&run), "charpipe: 0 converted, 2 unchanged, 0 skipped, 0 failed");
    for (name, before) in ["a", "empty"].iter().zip(before) {
        let after = fs::metadata(directory.path().join(name)).unwrap();
        assert_eq!((before.ino(), before.ctime_nsec()), (after.ino(), after.ctime_nsec()));
    }
    assert_eq!(names(directory.path()), ["a", "empty"]);
}

#[test]
fn error_leaves_the_file_unchanged() {
    let directory = create_directory(&[("a", b"good\xE9text")]);
    let before = fs::metadata(directory.path().join("a")).unwrap();
    let run = in_place(directory.path(), &["-f", "utf-8", "-t", "utf-16", "a"]).code(1);
    let expected =
        "a:1:5: byte 4: invalid UTF-8 sequence E9 (followed by 74; continuation byte expected)";
    assert_eq!(lines(&run), [expected]);
    assert_eq!(summary(&run), "charpipe: 0 converted, 0 unchanged, 0 skipped, 1 failed");
    let after = fs::metadata(directory.path().join("a")).unwrap();
    assert_eq!((before.ino(), before.ctime_nsec()), (after.ino(), after.ctime_nsec()));
    assert_eq!(read(directory.path(), "a"), b"good\xE9text");
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn non_stopping_policy_converts_a_file_with_errors() {
    for (action, new) in [("skip", "ab"), ("replace=?", "a?b"), ("xml", "a&#65533;b")] {
        let directory = create_directory(&[("a", b"a\xFFb")]);
        let run = in_place(directory.path(), &["--on-error", action, "a"]).code(1);
        assert_eq!(summary(&run), "charpipe: 1 converted, 0 unchanged, 0 skipped, 0 failed");
        assert_eq!(read(directory.path(), "a"), new.as_bytes());
    }
}

#[test]
fn a_file_that_is_already_converted_is_unchanged_unless_forced() {
    for (from, to, content, twice) in [
        ("latin1", "utf-8", &b"caf\xC3\xA9"[..], &b"caf\xC3\x83\xC2\xA9"[..]),
        ("utf-8", "utf-7", b"caf+AOk-", b"caf+-AOk-"),
    ] {
        let directory = create_directory(&[("a", content)]);
        let run = in_place(directory.path(), &["-f", from, "-t", to, "a"]).success();
        let mut expected = format!("a: already valid {}; not converted", to.to_uppercase());
        if to == "utf-8" {
            expected.push_str(
                " (for files in either encoding use -f auto --default-encoding ISO-8859-1)",
            );
        }
        assert_eq!(lines(&run), [expected]);
        assert_eq!(summary(&run), "charpipe: 0 converted, 1 unchanged, 0 skipped, 0 failed");
        assert_eq!(read(directory.path(), "a"), content);
        in_place(directory.path(), &["-f", from, "-t", to, "--force", "a"]).success();
        assert_eq!(read(directory.path(), "a"), twice);
    }
}

#[test]
fn ambiguous_file_is_not_considered_converted() {
    for (from, to, content, new) in [
        // ASCII is valid in both.
        ("utf-7", "utf-8", &b"caf+AOk-"[..], "café".as_bytes()),
        ("utf-8", "utf-7", b"1 + 1", b"1 +- 1"),
        // Bytes above 7F are unchanged.
        ("utf-8", "utf-8", "\u{FEFF}é".as_bytes(), "é".as_bytes()),
        ("latin1", "utf-8", b"\xC3\xA9\xE9", "Ã©é".as_bytes()),
    ] {
        let directory = create_directory(&[("a", content)]);
        in_place(directory.path(), &["-f", from, "-t", to, "--bom", "strip", "a"]).success();
        assert_eq!(read(directory.path(), "a"), new, "{from} {to}");
    }
}

#[test]
fn file_with_nul_is_skipped_with_a_message() {
    // Far after the beginning, too.
    for content in [b"\x89PNG\0\xE9".to_vec(), [vec![0xE9; 200_000], vec![0]].concat()] {
        let directory = create_directory(&[("a", &content)]);
        let run = in_place(directory.path(), &["-f", "latin1", "a"]).code(1);
        assert_eq!(lines(&run), ["a: skipped: binary file (contains NUL)"]);
        assert_eq!(summary(&run), "charpipe: 0 converted, 0 unchanged, 1 skipped, 0 failed");
        assert!(read(directory.path(), "a") == content);
        in_place(directory.path(), &["-f", "latin1", "--force", "a"]).success();
        assert!(read(directory.path(), "a") != content);
    }
    let directory = create_directory(&[("a", b"c\0a\0f\0\xE9\0")]);
    in_place(directory.path(), &["-f", "utf-16le", "a"]).success();
    assert_eq!(read(directory.path(), "a"), "café".as_bytes());
}

#[test]
fn auto_uses_bom_then_utf8_then_the_default_encoding() {
    for (content, fallback, new) in [
        (&b"\xFF\xFEc\0\xE9\0"[..], None, "cé".as_bytes()),
        (b"\xFE\xFF\0c\0\xE9", Some("latin1"), "cé".as_bytes()),
        ("cé".as_bytes(), Some("latin1"), "cé".as_bytes()),
        (b"c\xE9", Some("latin1"), "cé".as_bytes()),
    ] {
        let directory = create_directory(&[("a", content)]);
        let fallback = fallback.map(|name| ["--default-encoding", name]);
        let words = [&["-f", "auto", "a"][..], fallback.as_ref().map_or(&[], |words| words)];
        in_place(directory.path(), &words.concat()).success();
        assert_eq!(read(directory.path(), "a"), new, "{content:?}");
    }
}

#[test]
fn file_with_nul_is_an_error_only_if_it_is_an_operand() {
    let directory = create_directory(&[("picture", b"\x89PNG\0"), ("list", b"picture\n")]);
    for (words, code) in [
        (&["picture"][..], 1),
        (&["-s", "picture"], 1),
        (&["--files-from", "list"], 1),
        (&["-r", "picture"], 1),
        (&["-r", "."], 0),
    ] {
        in_place(directory.path(), &[&["-f", "latin1"], words].concat()).code(code);
    }
}

#[test]
fn auto_rejects_undetectable_files() {
    let directory = create_directory(&[("a", b"c\xE9"), ("nul", b"a\0b")]);
    let run = in_place(directory.path(), &["-f", "auto", "-t", "utf-16", "a", "nul"]).code(1);
    assert_eq!(
        lines(&run),
        [
            "a: cannot determine encoding: no BOM and not valid UTF-8 (use --default-encoding)",
            "nul: skipped: binary file (contains NUL)"
        ]
    );
    assert_eq!(read(directory.path(), "a"), b"c\xE9");
}

#[test]
fn auto_reports_errors_in_the_detected_encoding() {
    let directory = create_directory(&[("a", b"\xFF\xFE\x00\xD8a\0")]);
    let run = in_place(directory.path(), &["-f", "auto", "a"]).code(1);
    assert!(lines(&run)[0].contains("invalid UTF-16 sequence "), "{:?}", lines(&run));
}

#[test]
fn dry_run_reports_and_writes_no_file() {
    let directory = create_directory(&[("a", b"\xE9"), ("b", b"plain"), ("c", b"\xC3\xA9")]);
    let words = ["-f", "latin1", "-n", "--backup", "a", "b", "c"];
    let run = in_place(directory.path(), &words).success();
    assert_eq!(lines(&run)[0], "a: would be converted from ISO-8859-1 to UTF-8");
    assert!(lines(&run)[1].starts_with("c: already valid UTF-8; not converted"));
    let expected = "charpipe: 1 would be converted, 2 unchanged, 0 skipped, 0 failed";
    assert_eq!(summary(&run), expected);
    assert_eq!(read(directory.path(), "a"), b"\xE9");
    assert_eq!(names(directory.path()), ["a", "b", "c"]);
}

#[test]
fn modification_time_is_kept_on_request() {
    for (option, kept) in [("-k", true), ("-s", false)] {
        let directory = create_directory(&[("a", b"\xE9")]);
        let path = directory.path().join("a");
        let then = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_000);
        fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        in_place(directory.path(), &["-f", "latin1", option, "a"]).success();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(modified == then, kept, "{option}");
    }
}

#[test]
fn transliterated_and_escaped_files_count_as_converted() {
    for action in ["translit", "xml"] {
        let directory = create_directory(&[("a", "é€".as_bytes()), ("b", "é".as_bytes())]);
        let words = ["-t", "ascii", "--on-unmappable", action, "a", "b"];
        let run = in_place(directory.path(), &words).success();
        assert_eq!(lines(&run), [""; 0]);
        assert_eq!(summary(&run), "charpipe: 2 converted, 0 unchanged, 0 skipped, 0 failed");
    }
    let directory = create_directory(&[("a", "é".as_bytes()), ("lossy", "éя".as_bytes())]);
    let run = in_place(directory.path(), &["-t", "ascii//TRANSLIT", "a", "lossy"]).code(1);
    assert_eq!(lines(&run)[1], "lossy: 1 error: 1 replaced");
    assert_eq!(read(directory.path(), "lossy"), b"e?");
}

#[test]
fn bom_is_stripped_from_a_file_with_kept_malformed_bytes() {
    let directory = create_directory(&[("a", b"\xEF\xBB\xBFcaf\xE9\n")]);
    let words = ["--bom", "strip", "--on-invalid", "keep", "a"];
    let run = in_place(directory.path(), &words).code(1);
    assert_eq!(lines(&run)[1], "a: 1 error: 1 kept");
    assert_eq!(summary(&run), "charpipe: 1 converted, 0 unchanged, 0 skipped, 0 failed");
    assert_eq!(read(directory.path(), "a"), b"caf\xE9\n");
    in_place(directory.path(), &words).code(1);
    assert_eq!(read(directory.path(), "a"), b"caf\xE9\n");
}

#[test]
fn bom_that_determined_the_encoding_is_consumed_unless_kept() {
    for from in ["auto", "detect"] {
        let directory = create_directory(&[("a", "\u{FEFF}é\n".as_bytes())]);
        in_place(directory.path(), &["-f", from, "--bom", "keep", "a"]).success();
        assert_eq!(read(directory.path(), "a"), "\u{FEFF}é\n".as_bytes());
        in_place(directory.path(), &["-f", from, "a"]).success();
        assert_eq!(read(directory.path(), "a"), "é\n".as_bytes());
    }
}
