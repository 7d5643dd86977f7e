//! Declarations of the encoding: as evidence of `-f auto`, and changed with `--fix-declaration`.

use std::fs;

use crate::cli::command::{charpipe, create_directory, messages_of, subcommand};

const XML: &[u8] =
    b"<?xml version=\"1.0\" encoding='ISO-8859-1'?>\n<a b=\"encoding='KOI8-R'\">\xE9</a>\n";
const XML_UTF8: &str =
    "<?xml version=\"1.0\" encoding='UTF-8'?>\n<a b=\"encoding='KOI8-R'\">é</a>\n";

#[test]
fn declared_encoding_is_the_input_encoding() {
    for from in ["auto", "detect"] {
        let run = charpipe().args(["-f", from, "-t", "utf-8"]).write_stdin(XML).assert().success();
        run.stdout(XML_UTF8.replace("UTF-8", "ISO-8859-1")).stderr("");
        let html = b"<!DOCTYPE html><meta charset=shift_jis>\x82\xA0";
        let run = charpipe().args(["-f", from]).write_stdin(&html[..]).assert().success();
        run.stdout("<!DOCTYPE html><meta charset=shift_jis>あ").stderr("");
    }
    // It takes precedence over the default.
    let words = ["-f", "auto", "--default-encoding", "koi8-r"];
    let run = charpipe().args(words).write_stdin(&b"# coding: latin-1\n# \xE9"[..]).assert();
    run.success().stdout("# coding: latin-1\n# é").stderr("");
}

/// A CSS file, a document of LaTeX and a message catalog in their declared encodings, and after the conversion to UTF-8.
const DECLARED: [(&str, &[u8], &str); 3] = [
    (
        "a.css",
        b"@charset \"iso-8859-2\";\na { content: \"\xB1\" }\n",
        "@charset \"utf-8\";\na { content: \"ą\" }\n",
    ),
    (
        "a.tex",
        b"\\documentclass{article}\n\\usepackage[latin2]{inputenc}\n\\begin{document}\n\xB1\n",
        "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\begin{document}\ną\n",
    ),
    (
        "pl.po",
        b"# Polish\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=ISO-8859-2\\n\"\n\nmsgid \"a\"\nmsgstr \"\xB1\"\n",
        "# Polish\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\nmsgid \"a\"\nmsgstr \"ą\"\n",
    ),
];

#[test]
fn css_files_documents_and_message_catalogs_declare_their_encoding() {
    let directory = create_directory(&DECLARED.map(|(name, old, _)| (name, old)));
    let names = DECLARED.map(|(name, ..)| name);
    let mut check = subcommand("check");
    let run = check.current_dir(&directory).args(["-e", "latin1"]).args(names).assert().code(1);
    let report = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let positions = ["a.css:1:11: byte 10: ", "a.tex:2:13: byte 36: ", "pl.po:4:36: byte 63: "];
    assert!(positions.iter().all(|position| report.contains(position)), "{report}");
    let words = ["-i", "-f", "auto", "--fix-declaration"];
    charpipe().current_dir(&directory).args(words).args(names).assert().success();
    for (name, _, new) in DECLARED {
        assert_eq!(fs::read_to_string(directory.path().join(name)).unwrap(), new);
    }
    subcommand("check").current_dir(&directory).args(names).assert().success();
}

#[test]
fn declaration_of_a_long_stream_counts_for_ascii() {
    // The first 64 KiB, from which the encoding is determined, are ASCII.
    let start = format!("# coding: latin-1\n{}", "a\n".repeat(40_000));
    let input = [start.as_bytes(), b"\xE9"].concat();
    let run = charpipe().args(["-f", "auto"]).write_stdin(input).assert().success();
    run.stdout(start + "é").stderr("");
}

#[test]
fn contradicted_declaration_is_reported_and_ignored() {
    let input = "# coding: koi8-r\n# é\n";
    let message = "charpipe: <stdin>: coding line says koi8-r, which the bytes contradict";
    for from in ["auto", "detect"] {
        let run = charpipe().args(["-f", from]).write_stdin(input).assert().success();
        assert_eq!(messages_of(&run), [message]);
        run.stdout(input);
        charpipe().args(["-q", "-f", from]).write_stdin(input).assert().success().stderr("");
    }
    let malformed = &b"# coding: utf-8\n# \xE9\n"[..];
    let run = charpipe().args(["-f", "auto"]).write_stdin(malformed).assert().code(1);
    assert_eq!(messages_of(&run)[0], message.replace("koi8-r", "utf-8"));
}

#[test]
fn detect_names_the_declaration() {
    let directory = create_directory(&[
        ("a.xml", XML),
        ("b.xml", XML_UTF8.replace("UTF-8", "KOI8-R").as_bytes()),
        ("c.xml", XML_UTF8.as_bytes()),
    ]);
    let files = ["a.xml", "b.xml", "c.xml"];
    let run = subcommand("detect").current_dir(&directory).args(files).assert().success();
    run.stdout(
        "a.xml: ISO-8859-1, certain, lf, XML declaration\n\
         b.xml: UTF-8, certain, lf, XML declaration says KOI8-R\n\
         c.xml: UTF-8, certain, lf\n",
    );
    let mut command = subcommand("detect");
    let run = command.current_dir(&directory).arg("--json").args(files).assert().success();
    let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let records: Vec<serde_json::Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records[0]["reason"], "declared by XML declaration");
    assert_eq!(
        records[1]["declaration"],
        serde_json::json!({"kind": "XML declaration", "label": "KOI8-R", "encoding": "KOI8-R",
            "confirmed": false})
    );
    assert_eq!(records[2]["declaration"]["confirmed"], true);
}

#[test]
fn declaration_is_changed_with_the_bytes() {
    for size in ["1", "2", "3", "7", "100", "1000", "100000"] {
        for (to, name) in [
            ("utf-8", "UTF-8"),
            ("utf-16le", "UTF-16LE"),
            ("utf-16", "UTF-16"),
            ("cp1252", "windows-1252"),
            ("ibm037", "IBM037"),
            ("utf-7", "UTF-7"),
            ("utf-8/base64", "UTF-8"),
        ] {
            let words = ["-f", "auto", "-t", to, "--fix-declaration", "--buffer-size", size];
            let run = charpipe().args(words).write_stdin(XML).assert().success().stderr("");
            let output = run.get_output().stdout.clone();
            let back = charpipe().args(["-f", to]).write_stdin(output).assert().success();
            back.stdout(XML_UTF8.replace("UTF-8", name));
        }
    }
}

#[test]
fn positions_are_those_of_the_input() {
    let input = "<?xml version='1.0' encoding='UTF-8'?>\n<a>é</a>€";
    let words = ["-t", "latin1", "--fix-declaration"];
    let run = charpipe().args(words).write_stdin(input).assert().code(1);
    let message = "charpipe: <stdin>:2:9: byte 48: U+20AC cannot be encoded in ISO-8859-1";
    assert_eq!(messages_of(&run), [message]);
    run.stdout(&b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<a>\xE9</a>"[..]);
}

#[test]
fn each_input_and_file_has_its_declaration() {
    let python = b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\n# coding: latin-1 \xE9\n";
    let fixed = "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n# coding: latin-1 é\n";
    let html = b"<meta content='text/html; charset=ISO-8859-1' http-equiv=Content-Type>\xE9\n";
    let html_utf8 = "<meta content='text/html; charset=UTF-8' http-equiv=Content-Type>é\n";
    let plain = "é charset=latin1 encoding='latin1'\n";
    let directory =
        create_directory(&[("a.py", python), ("b.html", html), ("c.txt", plain.as_bytes())]);
    let files = ["a.py", "b.html", "c.txt"];
    let expected = [fixed, html_utf8, plain];
    let words = ["-f", "auto", "--fix-declaration"];
    let mut command = charpipe();
    let run = command.current_dir(&directory).args(words).args(files).assert();
    run.success().stdout(expected.concat()).stderr("");
    let mut command = charpipe();
    command.current_dir(&directory).args(words).args(["-o", "out", "a.py"]).assert().success();
    assert_eq!(fs::read_to_string(directory.path().join("out")).unwrap(), fixed);
    let mut command = charpipe();
    let run = command.current_dir(&directory).args(words).arg("-i").args(files).assert().success();
    let summary = "charpipe: 2 converted, 1 unchanged, 0 skipped, 0 failed";
    assert_eq!(messages_of(&run), [summary]);
    for (file, expected) in files.into_iter().zip(expected) {
        assert_eq!(fs::read_to_string(directory.path().join(file)).unwrap(), expected);
    }
    // The second time there is nothing to do.
    let mut command = charpipe();
    let run = command.current_dir(&directory).args(words).arg("-i").args(files).assert().success();
    assert_eq!(messages_of(&run), ["charpipe: 0 converted, 3 unchanged, 0 skipped, 0 failed"]);
}

#[test]
fn wrong_declaration_alone_is_changed_in_place() {
    let wrong = XML_UTF8.replace("UTF-8", "ISO-8859-1");
    let directory = create_directory(&[("a.xml", wrong.as_bytes())]);
    let words = ["-i", "-v", "-f", "auto", "--fix-declaration", "a.xml"];
    let run = charpipe().current_dir(&directory).args(words).assert().success();
    let lines = messages_of(&run);
    assert_eq!(lines[1], "charpipe: a.xml: changed", "{lines:?}");
    assert_eq!(fs::read_to_string(directory.path().join("a.xml")).unwrap(), XML_UTF8);
}
