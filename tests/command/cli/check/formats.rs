//! Formats with one line per finding, and JSON, parsed as their readers do.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::Value;
use tempfile::TempDir;

use super::check;
use crate::cli::command::create_directory;

/// A finding in the [`sample`]: path, rule, line, column, byte column, offset, length.
pub type ExpectedFinding = (&'static [u8], &'static str, u64, u64, u64, u64, u64);

const UNUSUAL_NAME: &[u8] = b"a, b: 100%\x1B.txt";
const LATIN: &[u8] = b"n\xE9\"<&.txt";

pub const FOUND: [ExpectedFinding; 5] = [
    (UNUSUAL_NAME, "ill-formed", 1, 2, 3, 2, 1),
    (UNUSUAL_NAME, "newline", 2, 1, 1, 6, 2),
    (UNUSUAL_NAME, "truncated", 3, 2, 5, 12, 2),
    (LATIN, "ill-formed", 1, 1, 1, 0, 1),
    (b"dir/picture", "binary", 1, 3, 3, 2, 1),
];

/// Creates files with unusual names that have every kind of finding, and a clean file.
pub fn sample() -> TempDir {
    let directory = create_directory(&[("clean", b"ok\n")]);
    fs::create_dir(directory.path().join("dir")).unwrap();
    for (name, content) in [
        (UNUSUAL_NAME, &b"\xC3\xA9\xFF x\n\r\n\xF0\x9F\x98\x80\xE2\x82"[..]),
        (LATIN, b"\xFE"),
        (b"dir/picture", b"\xFF\xFD\0\0"),
    ] {
        fs::write(directory.path().join(OsStr::from_bytes(name)), content).unwrap();
    }
    directory
}

/// Returns the report on the sample and a missing file.
pub fn print(format: &str) -> String {
    let directory = sample();
    let mut command = check();
    command.current_dir(&directory).args(["--newline=lf", "--format", format, "./clean"]);
    command
        .arg(OsStr::from_bytes(UNUSUAL_NAME))
        .arg(OsStr::from_bytes(LATIN))
        .args(["./dir/picture", "nope"]);
    let run = command.assert().code(2).stderr("charpipe: nope: No such file or directory\n");
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

/// Returns the report on a clean file.
pub fn print_clean(format: &str) -> String {
    let directory = sample();
    let run = check().current_dir(&directory).args(["--format", format, "clean"]).assert();
    String::from_utf8(run.success().get_output().stdout.clone()).unwrap()
}

/// Returns a path with escapes for bytes that are not UTF-8 or not printable.
pub fn shown(path: &[u8]) -> String {
    let text = String::from_utf8_lossy(path).replace('\x1B', "\\x1B");
    text.replace('\u{FFFD}', "\\xE9")
}

#[test]
fn line_formats_print_no_clean_files() {
    for format in ["text", "gcc", "jsonl", "github"] {
        assert_eq!(print_clean(format), "", "{format}");
    }
}

#[test]
fn gcc_has_file_line_and_column_in_bytes_before_the_message() {
    let text = print("gcc");
    let lines: Vec<_> = text.lines().collect();
    for (line, (path, rule, row, _, byte_column, ..)) in lines.iter().zip(FOUND) {
        let head = format!("{}:{row}:{byte_column}: error: ", shown(path));
        let tail = format!(" [{rule}]");
        assert!(line.starts_with(&head) && line.ends_with(&tail), "{line} {head}");
    }
    assert_eq!(lines.len(), FOUND.len());
}

fn expect_json(found: &Value, expected: &ExpectedFinding) {
    let (_, rule, line, column, _, offset, length) = *expected;
    for (member, value) in [("line", line), ("column", column), ("offset", offset)] {
        assert_eq!(found[member], value, "{member}: {found}");
    }
    assert_eq!((&found["rule"], &found["length"]), (&rule.into(), &length.into()), "{found}");
    assert!(found["message"].as_str().is_some_and(|text| !text.is_empty()), "{found}");
    let bytes = found["bytes"].as_str().map_or(0, |bytes| bytes.len() as u64 / 2);
    let at_error = matches!(rule, "ill-formed" | "truncated");
    assert_eq!(bytes, if at_error { length } else { 0 }, "{found}");
}

fn expect_name(file: &Value, path: &[u8]) {
    assert_eq!(file["file"], String::from_utf8_lossy(path).as_ref());
    match std::str::from_utf8(path) {
        Ok(_) => assert_eq!(file["uri"], Value::Null),
        Err(_) => assert_eq!(file["uri"], "n%E9%22%3C%26.txt"),
    }
}

#[test]
fn jsonl_has_a_whole_object_in_each_line() {
    let text = print("jsonl");
    let objects: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (object, expected) in objects.iter().zip(&FOUND) {
        assert_eq!(object["type"], "finding");
        expect_name(object, expected.0);
        expect_json(object, expected);
    }
    assert_eq!(objects.len(), FOUND.len() + 1);
    let last = &objects[FOUND.len()];
    let error = serde_json::json!({
        "type": "error", "file": "nope", "message": "No such file or directory",
    });
    assert_eq!(*last, error);
}

#[test]
fn json_document_has_all_files_with_findings_or_errors() {
    let document: Value = serde_json::from_str(&print("json")).unwrap();
    assert_eq!(document["tool"], "charpipe");
    let files = document["files"].as_array().unwrap();
    let mut expected = FOUND.iter();
    for file in &files[..3] {
        assert_eq!(file["encoding"], "UTF-8");
        for found in file["findings"].as_array().unwrap() {
            let expected = expected.next().unwrap();
            expect_name(file, expected.0);
            expect_json(found, expected);
        }
    }
    assert!(expected.next().is_none());
    assert_eq!((files.len(), &files[3]["file"]), (4, &"nope".into()));
    assert_eq!(files[3]["error"], "No such file or directory");
    let summary =
        serde_json::json!({"clean": 1, "with_findings": 3, "unreadable": 1, "findings": 5});
    assert_eq!(document["summary"], summary);

    let clean: Value = serde_json::from_str(&print_clean("json")).unwrap();
    assert_eq!(clean["files"], serde_json::json!([]));
    assert_eq!(clean["summary"]["clean"], 1);
}

/// Parses a workflow command as the runner does (`ActionCommand.cs`): properties end with `,`, the
/// command with `::`, and only these five sequences are unescaped.
fn workflow_command(line: &str) -> (String, Vec<(String, String)>, String) {
    let (head, data) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
    let (name, properties) = head.split_once(' ').unwrap();
    let data = data.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
    let value = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":");
        text.replace("%2C", ",").replace("%25", "%")
    };
    let property = |text: &str| {
        let (name, text) = text.split_once('=').unwrap();
        (name.to_owned(), value(text))
    };
    (name.to_owned(), properties.split(',').map(property).collect(), data)
}

#[test]
fn github_reads_an_annotation_from_each_line() {
    let text = print("github");
    let lines: Vec<_> = text.lines().collect();
    for (line, (path, rule, row, column, _, offset, _)) in lines.iter().zip(FOUND) {
        let (name, properties, message) = workflow_command(line);
        assert_eq!(name, "error");
        let expected = [
            ("file", shown(path)),
            ("line", row.to_string()),
            ("col", column.to_string()),
            ("title", format!("charpipe {rule}")),
        ];
        assert_eq!(properties, expected.map(|(name, value)| (name.to_owned(), value)));
        assert!(message.starts_with(&format!("byte {offset}: ")), "{message}");
    }
    assert_eq!(lines.len(), FOUND.len() + 1);
    assert_eq!(lines[5], "::error file=nope,title=charpipe cannot read::No such file or directory");
}
