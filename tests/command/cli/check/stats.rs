//! `--stats`.

use super::{check, lines};
use crate::cli::command::{create_directory, messages_of};

fn tree() -> tempfile::TempDir {
    create_directory(&[
        ("ascii", b"text\n"),
        ("bom", b"\xEF\xBB\xBFx\r\n"),
        ("cr", b"a\rb\r"),
        ("empty", b""),
        ("mixed", "é\r\né\n".as_bytes()),
        ("picture", b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0"),
    ])
}

#[test]
fn statistics_follow_the_findings() {
    let directory = tree();
    let reported =
        lines(check().current_dir(&directory).args(["--stats", "--binary=report", "."]), 1);
    let expected = [
        "./picture:3:1: byte 8: NUL byte: file is binary or in another encoding; stopped checking",
        "",
        "encoding      files  bytes",
        "US-ASCII          2      9",
        "UTF-8             2     13",
        "binary            1     19",
        "empty             1      0",
        "total             6     41",
        "",
        "line endings  files",
        "lf                1",
        "crlf              1",
        "cr                1",
        "mixed             1",
        "none              1",
        "",
        "files with a byte order mark: 1",
        "files with findings: 1",
        "findings: 1",
    ];
    assert_eq!(reported, expected);
    // An empty line separates them only from findings.
    let reported = lines(check().current_dir(&directory).args(["--stats", "ascii"]), 0);
    assert_eq!(reported[0], "encoding      files  bytes");
}

#[test]
fn statistics_are_part_of_json() {
    let directory = tree();
    let stats = "\"files\":2,\"bytes\":5,\"encodings\":[\
                 {\"encoding\":\"US-ASCII\",\"files\":1,\"bytes\":5},\
                 {\"encoding\":\"empty\",\"files\":1,\"bytes\":0}],\"byte_order_marks\":0,\
                 \"line_endings\":{\"lf\":1,\"crlf\":0,\"cr\":0,\"mixed\":0,\"none\":1}}";
    let mut command = check();
    let words = ["--stats", "--format=json", "ascii", "empty"];
    let reported = lines(command.current_dir(&directory).args(words), 0);
    assert_eq!(reported.last().unwrap(), &format!("\"stats\":{{{stats}}}"));
    let mut command = check();
    let words = ["--stats", "--format=jsonl", "ascii", "empty"];
    let reported = lines(command.current_dir(&directory).args(words), 0);
    assert_eq!(reported, [format!("{{\"type\":\"stats\",{stats}")]);
}

#[test]
fn files_are_read_to_their_end_and_unreadable_ones_are_not_counted() {
    let binary = [&b"\0"[..], &[b'x'; 500_000]].concat();
    let directory = create_directory(&[("binary", &binary), ("good", b"a\n")]);
    let mut command = check();
    let words = ["--stats", "--binary=skip", "binary", "nope", "good"];
    let run = command.current_dir(&directory).args(words).assert().code(2);
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(text.contains("\nbinary            1  500001\n"), "{text}");
    assert!(text.contains("\ntotal             2  500003\n"), "{text}");
}

#[test]
fn formats_without_statistics_are_rejected() {
    for format in ["gcc", "github", "gitlab", "sarif", "junit"] {
        let run = check().args(["--stats", "--format", format]).write_stdin("").assert().code(2);
        let message = format!(
            "charpipe: --stats cannot be used with --format={format} (only with text, json and jsonl)"
        );
        assert_eq!(messages_of(&run), [message]);
    }
    let run = check().args(["--stats", "-q"]).write_stdin("").assert().code(2);
    assert_eq!(messages_of(&run), ["charpipe: --stats cannot be used with --quiet"]);
}
