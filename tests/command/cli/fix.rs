//! `charpipe fix`, and `check --diff`.

use std::fs;
use std::path::Path;

use assert_cmd::assert::Assert;

use crate::cli::command::{charpipe, create_directory, messages_of, names, subcommand};

mod random;

const LATIN1: &[u8] = b"caf\xE9\n";
const UTF8: &[u8] = b"caf\xC3\xA9\n";
/// UTF-8 with a byte order mark and CRLF.
const WINDOWS: &[u8] = b"\xEF\xBB\xBFcaf\xC3\xA9\r\nb\n";
/// UTF-16 with a byte order mark and CRLF.
const UTF16: &[u8] = b"\xFF\xFEa\0\r\0\n\0";
const BINARY: &[u8] = b"x\0\r\ny";

/// The rules that files become UTF-8 without a byte order mark and with LF by.
const UNIX: [&str; 2] = ["--newline=lf", "--bom=forbid"];

fn fix(directory: &Path, words: &[&str]) -> Assert {
    subcommand("fix").current_dir(directory).args(words).assert()
}

/// Fixes a file with this content, and returns the exit code and the new content.
fn fixed(content: &[u8], words: &[&str]) -> (i32, Vec<u8>) {
    let directory = create_directory(&[("a", content)]);
    let run = fix(directory.path(), &[words, &["a"]].concat());
    let code = run.get_output().status.code().unwrap();
    (code, fs::read(directory.path().join("a")).unwrap())
}

fn stdout(run: &Assert) -> String {
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

#[test]
fn rules_of_the_command_line_apply_to_all_files() {
    let directory = create_directory(&[
        ("binary", BINARY),
        ("good", UTF8),
        ("utf16", UTF16),
        ("windows", WINDOWS),
    ]);
    let words = [&UNIX[..], &["."]].concat();
    let run = fix(directory.path(), &words).code(1).stdout("");
    assert_eq!(
        messages_of(&run),
        [
            "charpipe: ./utf16: fixed (converted from UTF-16LE to UTF-8)",
            "charpipe: ./windows: fixed",
            "charpipe: 2 fixed, 1 unchanged, 1 skipped, 0 failed",
        ]
    );
    let expected: [(&str, &[u8]); 4] =
        [("binary", BINARY), ("good", UTF8), ("utf16", b"a\n"), ("windows", b"caf\xC3\xA9\nb\n")];
    for (name, content) in expected {
        assert_eq!(fs::read(directory.path().join(name)).unwrap(), content, "{name}");
    }
    let run = fix(directory.path(), &words).code(0);
    let summary = ["charpipe: 0 fixed, 3 unchanged, 1 skipped, 0 failed"];
    assert_eq!(messages_of(&run), summary);
}

#[test]
fn rules_decide_what_changes() {
    for (content, words, code, expected) in [
        (&b"a\r\nb\rc\n"[..], &["--newline=lf"][..], 1, &b"a\nb\nc\n"[..]),
        (b"a\r\nb\rc\n", &[], 0, b"a\r\nb\rc\n"),
        (b"a\r\nb\rc\n", &["--newline=crlf"], 1, b"a\r\nb\r\nc\r\n"),
        (b"a\r\nb\rc\n", &["--newline=cr"], 1, b"a\rb\rc\r"),
        (b"a\r\nb\rc\n", &["--newline=any"], 0, b"a\r\nb\rc\n"),
        (b"\xEF\xBB\xBFa", &["--bom=forbid"], 1, b"a"),
        (b"\xEF\xBB\xBFa", &[], 0, b"\xEF\xBB\xBFa"),
        (b"\xEF\xBB\xBFa", &["--bom=any"], 0, b"\xEF\xBB\xBFa"),
        (b"\xEF\xBB\xBFa", &["--bom=require"], 0, b"\xEF\xBB\xBFa"),
        (b"a", &["--bom=require"], 1, b"\xEF\xBB\xBFa"),
        (b"", &["--bom=require"], 0, b""),
        (b"", &[], 0, b""),
        (UTF16, &["--bom=any"], 1, b"a\r\n"),
        (UTF16, &["--newline=lf"], 1, b"a\n"),
        (b"\xFE\xFF\0a", &["-e", "utf-16"], 0, b"\xFE\xFF\0a"),
        (b"\xFE\xFF\0a", &["-e", "utf-16le"], 1, b"\xFF\xFEa\0"),
        (LATIN1, &["-f", "latin1"], 1, UTF8),
        (UTF8, &["-f", "latin1"], 0, UTF8),
        (LATIN1, &["-e", "latin1"], 0, LATIN1),
        (UTF8, &["-e", "latin1"], 1, LATIN1),
        (WINDOWS, &["-e", "latin1"], 1, b"caf\xE9\r\nb\n"),
        (WINDOWS, &["-e", "latin1", "--newline=lf"], 1, b"caf\xE9\nb\n"),
        (UTF16, &["-e", "utf-16le"], 0, UTF16),
        (UTF16, &["-e", "utf-16le", "--newline=lf"], 1, b"\xFF\xFEa\0\n\0"),
        (UTF16, &["-e", "utf-16le", "--bom=forbid"], 1, b"a\0\r\0\n\0"),
        (b"a\0\r\0\n\0", &["-e", "utf-16le", "--newline=lf"], 1, b"a\0\n\0"),
        (UTF16, &["-e", "utf-16", "--newline=lf"], 1, b"\xFF\xFEa\0\n\0"),
        (b"a\n", &["-e", "utf-16le", "--bom=require"], 1, b"\xFF\xFEa\0\n\0"),
    ] {
        assert_eq!(fixed(content, words), (code, expected.to_vec()), "{content:?} {words:?}");
        // What is fixed stays so.
        assert_eq!(fixed(expected, words), (0, expected.to_vec()), "{expected:?} {words:?}");
    }
}

#[test]
fn checked_files_have_no_findings_after_a_fix() {
    for rules in [
        &["--newline=lf", "--bom=forbid"][..],
        &["--newline=crlf", "--bom=require"],
        &["--newline=cr", "--bom=forbid", "-e", "latin1"],
        &["--newline=crlf", "--bom=require", "-e", "utf-16be"],
    ] {
        let files = [("a", WINDOWS), ("b", UTF16), ("c", UTF8), ("d", b"a\rb\r\n")];
        let directory = create_directory(&files);
        let words = [rules, &["."]].concat();
        fix(directory.path(), &words).code(1);
        subcommand("check").current_dir(&directory).args(&words).assert().code(0).stdout("");
        fix(directory.path(), &words).code(0);
    }
}

#[test]
fn file_that_cannot_be_decoded_is_reported_and_not_changed() {
    let directory = create_directory(&[("a", LATIN1), ("b", WINDOWS), ("c", b"\xFF\xFEa\0\0\xD8")]);
    let run = fix(directory.path(), &[&UNIX[..], &["a", "b", "c"]].concat()).code(1);
    let messages = messages_of(&run);
    assert_eq!(
        messages[0],
        "charpipe: a: cannot determine encoding: no BOM and not valid UTF-8 (use --from ENCODING, or --from detect)"
    );
    assert_eq!(messages[1], "charpipe: b: fixed");
    assert!(messages[2].starts_with("charpipe: c:1:3: byte 4: "), "{messages:?}");
    assert_eq!(messages[3], "charpipe: 1 fixed, 0 unchanged, 0 skipped, 2 failed");
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), LATIN1);
    assert_eq!(fs::read(directory.path().join("c")).unwrap(), b"\xFF\xFEa\0\0\xD8");
    fix(directory.path(), &["b", "a"]).code(1);
    fix(directory.path(), &["b", "missing", "a"]).code(2);
    // U+20AC cannot be encoded.
    let euro = "€\n".as_bytes();
    assert_eq!(fixed(euro, &["-e", "latin1"]), (1, euro.to_vec()));
}

#[test]
fn binary_files_are_skipped_without_an_error() {
    assert_eq!(fixed(BINARY, &[]), (0, BINARY.to_vec()));
    let directory = create_directory(&[("a", BINARY)]);
    let run = fix(directory.path(), &["a"]).code(0);
    assert_eq!(messages_of(&run)[0], "charpipe: a: skipped: binary file (contains NUL)");
}

#[test]
fn other_files_can_be_detected() {
    let text = "Съешь же ещё этих мягких французских булок, да выпей чаю.\r\n".repeat(4);
    let options = charpipe::TranscodeOptions::from_labels("utf-8", "koi8-r").unwrap();
    let koi8 = options.transcode(text.as_bytes()).unwrap();
    let expected = text.replace('\r', "").into_bytes();
    let words = ["-f", "detect", "--newline=lf"];
    assert_eq!(fixed(&koi8, &words), (1, expected.clone()));
    assert_eq!(fixed(&expected, &["-f", "detect"]), (0, expected));
    assert_eq!(fixed(&koi8, &["-f", "auto"]), (1, koi8));
}

#[test]
fn dry_run_and_diff_change_nothing() {
    let directory = create_directory(&[("a", WINDOWS), ("b", UTF8)]);
    let words = |rest: &'static [&str]| [&UNIX[..], rest].concat();
    let run = fix(directory.path(), &words(&["-n", "a", "b"])).code(1).stdout("");
    assert_eq!(
        messages_of(&run),
        [
            "charpipe: a: would be fixed",
            "charpipe: 1 would be fixed, 1 unchanged, 0 skipped, 0 failed",
        ]
    );
    let run = fix(directory.path(), &words(&["--diff", "-q", "a", "b"])).code(1).stderr("");
    let expected = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-\\u{FEFF}café␍␊\n+café␊\n b\n";
    assert_eq!(stdout(&run), expected);
    fix(directory.path(), &words(&["--diff", "-q", "b"])).code(0).stdout("").stderr("");
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), WINDOWS);
    assert_eq!(names(directory.path()), ["a", "b"]);
}

#[test]
fn diff_of_a_repair_has_the_lines_that_it_changes() {
    let plain = "plain text of a line\n".repeat(9);
    let text = format!("{plain}gr\u{c3}\u{bc}n\nit\u{92}s plain\r\ncaf\u{e9}");
    let directory = create_directory(&[("a", text.as_bytes()), ("b", "caf\u{e9}\n".as_bytes())]);
    for words in [&["--diff", "-q", "a", "b"][..], &["--diff", "-i", "-r", "-q", "."]] {
        let mut command = subcommand("repair");
        let run = command.current_dir(&directory).args(words).assert().code(0).stderr("");
        let name = if words.contains(&".") { "./a" } else { "a" };
        let expected = "@@ -7,6 +7,6 @@\n plain text of a line\n plain text of a line\n \
                        plain text of a line\n-gr\u{c3}\u{bc}n\n-it\\u{92}s plain\n+gr\u{fc}n\n+it\u{2019}s plain\n \
                        caf\u{e9}\n\\ No newline at end of file\n";
        assert_eq!(stdout(&run), format!("--- {name}\n+++ {name}\n{expected}"), "{words:?}");
    }
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), text.as_bytes());
    let message = "charpipe: --diff requires at least one FILE\n";
    subcommand("repair").arg("--diff").write_stdin("").assert().code(2).stderr(message);
}

#[test]
fn diff_of_another_encoding_is_decoded() {
    let directory = create_directory(&[("a", b"plain\ncaf\xE9\nx\x1B[31m\x07\xE9\n")]);
    let run = fix(directory.path(), &["--diff", "-f", "latin1", "a"]).code(1);
    let expected = "--- a\tISO-8859-1\n+++ a\tUTF-8\n@@ -1,3 +1,3 @@\n plain\n-café\n-x\\x1B[31m\\x07é\n\
                    +café\n+x\\x1B[31m\\x07é\n";
    assert_eq!(stdout(&run), expected);
}

#[test]
fn check_prints_the_diff_of_its_own_rules() {
    let directory = create_directory(&[("a", WINDOWS), ("b", LATIN1), ("c", b"x\r\n")]);
    let check = |words: &[&str]| {
        subcommand("check").current_dir(&directory).arg("--diff").args(words).assert()
    };
    check(&["a", "c"]).code(0).stdout("");
    let expected = "--- a\n+++ a\n@@ -1,2 +1,2 @@\n-\\u{FEFF}café␍␊\n+\\u{FEFF}café␊\n b\n";
    check(&["--newline=lf", "a"]).code(1).stdout(expected);
    let run = check(&["b"]).code(1).stdout("");
    assert!(messages_of(&run)[0].starts_with("charpipe: b: cannot determine encoding"));
    check(&["missing"]).code(2);
    for words in [
        &["-"][..],
        &["--newline=same", "a"],
        &["-e", "utf-8", "-e", "latin1", "a"],
        &["-e", "utf-8/nfc", "a"],
        &["--confusing", "a"],
        &["--stats", "a"],
        &["-q", "a"],
        &["--format=json", "a"],
    ] {
        check(words).code(2).stdout("");
    }
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), WINDOWS);
}

#[test]
fn rejected_combinations_name_the_remedy() {
    for (words, message) in [
        (
            &["fix", "-", "a"][..],
            "standard input cannot be fixed together with files (fix it in another run)",
        ),
        (
            &["check", "--diff", "--newline=same", "a"],
            "--diff cannot be used with --newline=same (use lf, crlf or cr)",
        ),
        (
            &["check", "--diff", "-e", "utf-8", "-e", "latin1", "a"],
            "--diff cannot be used with several --encoding (use one)",
        ),
        (&["-o", "", "a"], "--output: the file name is empty (use - for standard output)"),
    ] {
        let run = charpipe().args(words).assert().code(2);
        run.stdout("").stderr(format!("charpipe: {message}\n"));
    }
}

#[test]
fn standard_input_is_converted_to_standard_output() {
    let run =
        |words: &[&str], input: &[u8]| subcommand("fix").args(words).write_stdin(input).assert();
    run(&UNIX, WINDOWS).code(0).stdout(&b"caf\xC3\xA9\nb\n"[..]).stderr("");
    run(&[], WINDOWS).code(0).stdout(WINDOWS).stderr("");
    run(&["-"], UTF16).code(0).stdout("a\r\n");
    run(&["-f", "latin1", "--newline=lf"], b"caf\xE9\r\n").code(0).stdout(UTF8);
    run(&["--newline=crlf", "--bom=require"], UTF8).stdout(&b"\xEF\xBB\xBFcaf\xC3\xA9\r\n"[..]);
    let failed = run(&[], LATIN1).code(1).stdout("");
    assert!(messages_of(&failed)[0].ends_with("(use --from ENCODING, or --from detect)"));
    for words in [&["--diff"][..], &["-n", "-"], &["-b"], &["-", "a"], &["-j2"]] {
        run(words, UTF8).code(2).stdout("");
    }
}

const NO_PATH: &str = "fix requires a PATH; use . for the current directory\n";

#[test]
fn options_for_directories_require_a_path() {
    let directory = create_directory(&[("a", WINDOWS)]);
    for words in [&["-r"][..], &["--glob=*"], &["-r", "-n"], &["--hidden"], &["-r", "--diff"]] {
        let run = subcommand("fix").current_dir(&directory).args(words).write_stdin(UTF8).assert();
        run.code(2).stdout("").stderr(format!("charpipe: {NO_PATH}"));
    }
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), WINDOWS);
    let mut command = subcommand("fix");
    let words = [&UNIX[..], &["--files-from=-"]].concat();
    command.current_dir(&directory).args(words).write_stdin("a\n").assert().code(1);
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), b"caf\xC3\xA9\nb\n");
}

#[cfg(unix)]
#[test]
fn current_directory_is_not_fixed_on_a_terminal_unless_named() {
    use crate::cli::command::plain_subcommand;
    use crate::cli::terminal::run;
    let directory = create_directory(&[("a", WINDOWS), ("list", b"a\n")]);
    let on_terminal = |words: &[&str]| {
        let mut command = plain_subcommand("fix");
        run(command.current_dir(&directory).args(words).env("TERM", "dumb"), b"")
    };
    for words in [&[][..], &["-r"], &["-n"], &["--diff"], &["-f", "latin1"]] {
        assert_eq!(on_terminal(words), format!("charpipe: {NO_PATH}"), "{words:?}");
    }
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), WINDOWS);
    assert!(
        on_terminal(&["-n", "--newline=lf", "."]).starts_with("charpipe: ./a: would be fixed\n")
    );
    let listed = on_terminal(&["-n", "--newline=lf", "--files-from=list"]);
    assert!(listed.starts_with("charpipe: a: would be fixed\n"));
    assert!(on_terminal(&["--newline=lf", "."]).starts_with("charpipe: ./a: fixed\n"));
}

#[test]
fn encodings_with_transforms_and_of_headers_are_rejected() {
    let directory = create_directory(&[("a", UTF8)]);
    for label in ["utf-8/nfc", "utf-8/base64", "rfc2047", "latin1//TRANSLIT", "nonsense"] {
        fix(directory.path(), &["-e", label, "a"]).code(2);
    }
    fix(directory.path(), &["--min-confidence=likely", "a"]).code(2);
}

#[test]
fn declarations_are_changed_on_request() {
    let (python, html) = ("# coding: latin-1\n# é\n", "<meta charset=koi8-r>é\n");
    let files = [("a.py", python.as_bytes()), ("b.html", html.as_bytes()), ("c.txt", UTF8)];
    let directory = create_directory(&files);
    fix(directory.path(), &["."]).code(0);
    subcommand("check").current_dir(&directory).arg(".").assert().code(1);
    let diff = fix(directory.path(), &["--fix-declaration", "--diff", "-q", "."]).code(1);
    let expected = "--- ./a.py\n+++ ./a.py\n@@ -1,2 +1,2 @@\n-# coding: latin-1\n+# coding: utf-8\n # é\n\
                    --- ./b.html\n+++ ./b.html\n@@ -1,1 +1,1 @@\n\
                    -<meta charset=koi8-r>é\n+<meta charset=utf-8>é\n";
    assert_eq!(stdout(&diff), expected);
    let run = fix(directory.path(), &["--fix-declaration", "-n", "-v", "a.py"]).code(1);
    let expected = "charpipe: a.py: would be fixed (declaration of the encoding changed)";
    assert_eq!(messages_of(&run)[0], expected);
    let run = fix(directory.path(), &["--fix-declaration", "."]).code(1);
    let expected = [
        "charpipe: ./a.py: fixed",
        "charpipe: ./b.html: fixed",
        "charpipe: 2 fixed, 1 unchanged, 0 skipped, 0 failed",
    ];
    assert_eq!(messages_of(&run), expected);
    for (name, expected) in
        [("a.py", python.replace("latin-1", "utf-8")), ("b.html", html.replace("koi8-r", "utf-8"))]
    {
        assert_eq!(fs::read_to_string(directory.path().join(name)).unwrap(), expected);
    }
    subcommand("check").current_dir(&directory).arg(".").assert().code(0).stdout("");
    fix(directory.path(), &["--fix-declaration", "."]).code(0);
    let words = ["--fix-declaration", "-f", "latin1", "--newline=lf"];
    let run =
        subcommand("fix").args(words).write_stdin(&b"# coding: latin-1\n#\xE9\r\n"[..]).assert();
    run.code(0).stdout("# coding: utf-8\n#é\n");
}

#[test]
fn backups_are_kept() {
    let directory = create_directory(&[("a", WINDOWS), ("b", UTF8)]);
    fix(directory.path(), &["-b", "--newline=lf", "."]).code(1);
    assert_eq!(names(directory.path()), ["a", "a~", "b"]);
    assert_eq!(fs::read(directory.path().join("a~")).unwrap(), WINDOWS);
    // The backup is not a file to fix.
    fix(directory.path(), &["-b", "--newline=lf", "."]).code(0);
}

#[test]
fn editorconfig_rules_apply_to_each_file() {
    let config = "root = true\n[*]\ncharset = utf-8\nend_of_line = lf\n[*.bat]\nend_of_line = crlf\n\
                  [*.csv]\ncharset = utf-8-bom\n[*.rc]\ncharset = utf-16le\n[*.old]\ncharset = latin1\n";
    let directory = create_directory(&[
        (".editorconfig", config.as_bytes()),
        ("a.bat", b"a\n"),
        ("a.csv", b"a\r\n"),
        ("a.old", WINDOWS),
        ("a.rc", UTF16),
        ("a.txt", WINDOWS),
    ]);
    let words = ["--editorconfig", "--newline=lf", "-j3", "."];
    let run = fix(directory.path(), &[&["--diff", "-q"], &words[..]].concat()).code(1);
    assert_eq!(stdout(&run).matches("@@ -").count(), 5);
    fix(directory.path(), &words).code(1);
    let expected: [(&str, &[u8]); 5] = [
        ("a.bat", b"a\r\n"),
        ("a.csv", b"\xEF\xBB\xBFa\n"),
        ("a.old", b"caf\xE9\nb\n"),
        ("a.rc", b"\xFF\xFEa\0\n\0"),
        ("a.txt", b"caf\xC3\xA9\nb\n"),
    ];
    for (name, content) in expected {
        assert_eq!(fs::read(directory.path().join(name)).unwrap(), content, "{name}");
    }
    fix(directory.path(), &words).code(0);
    fs::write(directory.path().join(".editorconfig"), "[*]\ncharset = utf8\n").unwrap();
    let run = fix(directory.path(), &words).code(2);
    assert!(messages_of(&run)[0].contains("unknown charset \"utf8\""));
}

/// Contents that differ in each rule.
const CONTENTS: [&[u8]; 12] = [
    b"",
    b"a\n",
    UTF8,
    WINDOWS,
    UTF16,
    LATIN1,
    BINARY,
    b"a\r\nb\rc\n",
    b"\xFE\xFF\0\xE9\0\r\0\n",
    b"a\0\r\0\n\0",
    b"# coding: latin-1\n",
    b"# coding: latin-1\n# caf\xC3\xA9\n",
];

#[test]
fn exactly_the_files_that_check_reports_are_fixed() {
    let encodings = ["utf-8", "latin1", "cp1252", "utf-16le", "utf-16be", "utf-16", "gb18030"];
    for encoding in encodings {
        for newline in ["any", "lf", "crlf", "cr"] {
            for bom in ["any", "forbid", "require"] {
                let names: Vec<String> =
                    (0..CONTENTS.len()).map(|index| format!("f{index:02}")).collect();
                let files: Vec<(&str, &[u8])> =
                    names.iter().map(String::as_str).zip(CONTENTS).collect();
                let directory = create_directory(&files);
                let (newline, bom) = (format!("--newline={newline}"), format!("--bom={bom}"));
                let words = ["-e", encoding, &newline, &bom];
                let mut check = subcommand("check");
                let check = check.current_dir(&directory).args(words).args(["-l", "."]).assert();
                if check.get_output().status.code() == Some(2)
                    || encoding == "utf-16" && bom == "--bom=forbid"
                {
                    // The encoding has no byte order mark, or always has one.
                    fix(directory.path(), &[&words[..], &["."]].concat()).code(2);
                    continue;
                }
                let found = stdout(&check);
                let reported: Vec<_> = found.lines().map(|name| &name[2..]).collect();
                fix(directory.path(), &[&words[..], &["."]].concat());
                for (name, content) in &files {
                    let new = fs::read(directory.path().join(name)).unwrap();
                    let is_reported = reported.contains(name);
                    // A file in an unknown encoding, and a wrong declaration, are reported and not changed.
                    assert!(new == *content || is_reported, "{words:?} {content:?} {new:?}");
                    let can_be_fixed = ![LATIN1, b"a\0\r\0\n\0"].contains(content)
                        && !content.starts_with(b"# ")
                        && *content != BINARY;
                    assert!(
                        !is_reported || new != *content || !can_be_fixed,
                        "{words:?} {content:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn reasons_are_listed_with_the_file_that_has_the_rule() {
    let config = "root = true\n[*.e]\nend_of_line = lf\n[*.b]\ncharset = utf-8\n";
    let files = [
        (".editorconfig", config.as_bytes()),
        ("a.e", WINDOWS),
        ("b.b", WINDOWS),
        ("c", UTF16),
        ("d", UTF8),
    ];
    let directory = create_directory(&files);
    let words = ["--editorconfig", "--newline=crlf", "-n", "-v", "."];
    assert_eq!(
        messages_of(&fix(directory.path(), &words).code(1)),
        [
            "charpipe: ./a.e: would be fixed (1 line ending changed to LF by .editorconfig)",
            "charpipe: ./b.b: would be fixed (byte order mark removed by .editorconfig; 1 line ending \
             changed to CRLF)",
            "charpipe: ./c: would be fixed (converted from UTF-16LE to UTF-8)",
            "charpipe: ./d: would be fixed (1 line ending changed to CRLF)",
            "charpipe: 4 would be fixed, 0 unchanged, 0 skipped, 0 failed",
        ]
    );
}

#[test]
fn unreadable_rules_protect_a_file() {
    let directory = create_directory(&[("a", WINDOWS), (".editorconfig", b"[*]\nx=\xFF\n")]);
    let run = fix(directory.path(), &["--editorconfig", "--newline=lf", "a"]).code(2);
    let expected = "charpipe: a: not fixed: the rules for it could not be read";
    assert_eq!(messages_of(&run)[1], expected);
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), WINDOWS);
}

#[cfg(unix)]
#[test]
fn file_with_two_names_is_fixed_once() {
    let directory =
        create_directory(&[(".editorconfig", b"[*.b]\nend_of_line = cr\n"), ("x.a", WINDOWS)]);
    std::os::unix::fs::symlink("x.a", directory.path().join("x.b")).unwrap();
    let words = ["--editorconfig", "--newline=lf", "-v", "x.a", "x.b"];
    let run = fix(directory.path(), &words).code(1);
    assert_eq!(messages_of(&run)[1], "charpipe: x.b: skipped: already processed");
    fs::hard_link(directory.path().join("x.a"), directory.path().join("y")).unwrap();
    let run = fix(directory.path(), &["--newline=crlf", "y"]).code(2);
    assert!(messages_of(&run)[0].contains("has 2 hard links"));
}

#[cfg(target_os = "linux")]
#[test]
fn closed_or_full_output_of_a_diff_is_an_error() {
    use crate::cli::command::shell_subcommand;
    let directory = create_directory(&[("a", WINDOWS)]);
    for output in ["> /dev/full", ">&-"] {
        let script = format!("\"$@\" --diff --newline=lf a {output}");
        shell_subcommand("fix", &script).current_dir(&directory).assert().code(2);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_further_file_is_read_if_a_diff_cannot_be_written() {
    use crate::cli::command::shell_subcommand;
    let directory = create_directory(&[("a", WINDOWS)]);
    let script = "\"$@\" --jobs=1 --diff --newline=lf a missing > /dev/full";
    let run = shell_subcommand("fix", script).current_dir(&directory).assert().code(2);
    run.stderr("charpipe: write error: No space left on device\n");
}

#[test]
fn declaration_follows_the_encoding_of_a_file_that_is_not_text_in_the_new_one() {
    // As UTF-16 the bytes, whose number is odd, contain no declaration that a check could find.
    let xml = |label: &str| format!("<?xml version=\"1.0\" encoding=\"{label}\"?><a>né</a>\n");
    let latin1: Vec<u8> = xml("ISO-8859-1").chars().map(|it| u32::from(it) as u8).collect();
    let words = ["-e", "utf-16le", "-f", "latin1", "--fix-declaration"];
    let utf_16: Vec<u8> = xml("UTF-16LE").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (code, content) = fixed(&latin1, &words);
    assert_eq!((code, content.escape_ascii().to_string()), (1, utf_16.escape_ascii().to_string()));
}

#[test]
fn characters_are_changed_on_request() {
    let zero_width = &["--via", "remove-zero-width,nbsp-to-space"][..];
    for (words, content, code, expected) in [
        (zero_width, "a\u{200B}b\u{A0}c\n", 1, "ab c\n"),
        (zero_width, "plain é\n", 0, "plain é\n"),
        // The byte order mark is a character of the set, but a rule of its own.
        (zero_width, "\u{FEFF}a\u{200B}b\u{FEFF}\n", 1, "\u{FEFF}ab\n"),
        (zero_width, "\u{FEFF}plain\n", 0, "\u{FEFF}plain\n"),
        (&["--via=remove-zero-width", "--bom=forbid"], "\u{FEFF}plain\n", 1, "plain\n"),
        (&["--newline=lf", "--via=ascii-punctuation", "--via=nfc"], "“e\u{301}”\r\n", 1, "\"é\"\n"),
        (&["--repair", "--newline=lf"], "cafÃ© \u{93}x\u{94}\r\n", 1, "café “x”\n"),
        (&["--repair", "--via=ascii-punctuation"], "â€œcafÃ©â€\u{9D}\n", 1, "\"café\"\n"),
        (&["--repair"], "café\n", 0, "café\n"),
        (&["--via", "remove-controls"], "a\u{B}\u{1B}\tb\n", 1, "a\tb\n"),
        (
            &["--via", "remove-zero-width:keep-joiners"],
            "👩\u{200D}🔬\u{200B}\n",
            1,
            "👩\u{200D}🔬\n",
        ),
    ] {
        let (found, text) = fixed(content.as_bytes(), words);
        assert_eq!(
            (found, String::from_utf8(text).unwrap().as_str()),
            (code, expected),
            "{words:?}"
        );
        assert_eq!(fixed(expected.as_bytes(), words), (0, expected.into()), "{words:?} again");
    }
    // In other encodings, which are converted, too.
    let latin1 = [&["-f", "latin1"][..], zero_width].concat();
    assert_eq!(fixed(b"caf\xE9\xA0\n", &latin1), (1, "café \n".into()));
    assert_eq!(fixed(b"\xFF\xFEa\0\x0B\x20", zero_width), (1, b"a".into()));
    assert_eq!(fixed(b"caf\xE9\xA0\n", zero_width), (1, b"caf\xE9\xA0\n".into()));
    // What is malformed in the other encoding, too, is an error of the conversion, also with reasons.
    let directory = create_directory(&[("a", b"caf\xE9\x81\n")]);
    let words = ["-v", "-f", "windows-1252", "--via", "nbsp-to-space", "a"];
    let messages = messages_of(&fix(directory.path(), &words).code(1));
    assert!(messages[0].contains("a:1:5: byte 4: invalid CP1252 sequence 81"), "{messages:?}");
}

#[test]
fn changed_characters_are_reported_and_shown() {
    let files: [(&str, &[u8]); 2] =
        [("a", "é\u{200B}\n\u{A0}x\r\n".as_bytes()), ("b", "\u{FEFF}ok\n".as_bytes())];
    let directory = create_directory(&files);
    let words = ["--newline=lf", "--via=remove-zero-width,nbsp-to-space", "-v", "a", "b"];
    let run = fix(directory.path(), &[&words[..], &["-n"]].concat()).code(1);
    let changes = "1 line ending changed to LF; characters changed";
    assert_eq!(
        messages_of(&run)[..2],
        [format!("charpipe: a: would be fixed ({changes})"), "charpipe: b: unchanged".to_owned()]
    );
    let run = fix(directory.path(), &[&words[..], &["-q", "--diff"]].concat()).code(1);
    let lines = ["@@ -1,2 +1,2 @@", "-é\\u{200B}", "-\\u{a0}x␍␊", "+é", "+ x␊"];
    assert_eq!(stdout(&run), format!("--- a\n+++ a\n{}\n", lines.join("\n")));
    for (name, content) in files {
        assert_eq!(fs::read(directory.path().join(name)).unwrap(), content, "{name}");
    }
    let mut command = subcommand("fix");
    command.args(["--via", "remove-zero-width"]).write_stdin("a\u{200B}b");
    command.assert().code(0).stdout("ab");
}

#[test]
fn only_transforms_that_clean_up_text_are_accepted() {
    for (step, message) in [
        ("html", "--via: html cannot be used with fix (only remove-zero-width, "),
        ("latin-ascii", "--via: latin-ascii cannot be used with fix (only "),
        ("koi8-r", "--via: KOI8-R cannot be used with fix (only "),
        ("base64", "--via: base64: this transform needs bytes"),
        ("nope", "--via: unknown step \"nope\""),
    ] {
        let run = fix(Path::new("."), &["--via", step, "."]).code(2);
        let messages = messages_of(&run);
        assert!(messages[0].contains(message), "{messages:?}");
    }
}

#[test]
fn check_names_the_fix_of_confusing_characters() {
    let text = "a\u{200B}\u{A0}\u{202E}\n";
    let directory = create_directory(&[("a", text.as_bytes()), ("b", "аnd\n".as_bytes())]);
    let advice = "charpipe: use 'charpipe fix --via nbsp-to-space,remove-bidi-controls,remove-zero-width \
                  PATH' to remove or replace such characters";
    for (words, expected) in [
        (&["--confusing", "a"][..], &[advice][..]),
        // A letter of another script has no fix.
        (&["--confusing", "b"], &[]),
        (&["--confusing", "-q", "a"], &[]),
        (&["--confusing", "--format=json", "a"], &[]),
        (&["--confusing", "-l", "a"], &[]),
        (&["--ascii-only", "a"], &[]),
    ] {
        let run = subcommand("check").current_dir(&directory).args(words).assert().code(1);
        assert_eq!(messages_of(&run), expected, "{words:?}");
    }
    let steps = "nbsp-to-space,remove-bidi-controls,remove-zero-width";
    fix(directory.path(), &["--via", steps, "a"]).code(1);
    subcommand("check").current_dir(&directory).args(["--confusing", "a"]).assert().code(0);
}
