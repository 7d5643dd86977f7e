//! The table of commands of other programs in docs/chains.md: each line writes what the other
//! program writes, if that is installed.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use crate::examples::{REPOSITORY_ROOT, install};
use charpipe_test_support::{Requirement, require, watch};

/// The inputs by name.
const INPUTS: [(&str, &[u8]); 16] = [
    ("latin1", b"Gr\xFC\xDFe aus K\xF6ln\nzweite Zeile\n"),
    ("latin1-crlf", b"Gr\xFC\xDFe aus K\xF6ln\r\nzweite Zeile\r\n"),
    ("utf-8", "Grüße, ﬁn é e\u{301}\nzweite Zeile, 12 €\n".as_bytes()),
    ("utf-8-bom", "\u{FEFF}Grüße\n".as_bytes()),
    ("utf-8-crlf", "Grüße\r\nzweite Zeile\r\n".as_bytes()),
    ("utf-8-cr", "Grüße\rzweite Zeile\r".as_bytes()),
    ("base64", b"R3LDvMOfZSBhdXMgS8O2bG4K\n"),
    ("qp", b"Gr=C3=BC=C3=9Fe aus K=C3=B6ln, eine lange Zei=\nle\n"),
    ("html", b"caf&eacute; &lt;b&gt; &#8364;\n"),
    ("japanese", "日本語のテキスト\n二行目\n".as_bytes()),
    ("japanese-crlf", "日本語\r\n二行目\r\n".as_bytes()),
    ("widths", "ＡＢＣ“ｶﾞｷ”\u{3000}。＜\n".as_bytes()),
    ("markup", "<b>é</b> & €…\n".as_bytes()),
    ("sjis", b"\x93\xFA\x96{\x8C\xEA\n"),
    (
        "russian",
        b"\xF1\xFA\xE5\xF8\xFC \xE5\xF9\xB8 \xFD\xF2\xE8\xF5 \xEC\xFF\xE3\xEA\xE8\xF5 \xF4\xF0\xE0\xED\xF6\xF3\xE7\xF1\xEA\xE8\xF5 \xE1\xF3\xEB\xEE\xEA, \xE4\xE0 \xE2\xFB\xEF\xE5\xE9 \xF7\xE0\xFE\n",
    ),
    ("hex", b"0148656C6C6FFF"),
];

/// A line of the table.
#[derive(Debug)]
struct Row<'a> {
    input: &'a str,
    program: &'a str,
    charpipe: &'a str,
}

fn rows(page: &str) -> Vec<Row<'_>> {
    let table = page.split_once("<!-- compare -->").unwrap().1;
    let lines = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    lines
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<_> = line
                .trim_matches('|')
                .split(" | ")
                .map(|cell| cell.trim().trim_matches('`'))
                .collect();
            let [input, program, charpipe] = cells[..] else { panic!("{line}") };
            Row { input, program, charpipe }
        })
        .collect()
}

/// Runs a command with an input. Returns what it writes, or `None` if it fails.
fn output(command: &str, input: &[u8], directory: &Path) -> Option<Vec<u8>> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = watch::command("sh")
        .args(["-c", command])
        .env("PATH", format!("{}:{path}", directory.display()))
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    output.status.success().then_some(output.stdout)
}

#[test]
fn commands_of_other_programs_have_the_same_output() {
    let page = std::fs::read_to_string(Path::new(REPOSITORY_ROOT).join("docs/chains.md")).unwrap();
    let rows = rows(&page);
    assert!(rows.len() > 30, "{}", rows.len());
    let directory = tempfile::tempdir().unwrap();
    install(directory.path());
    let (mut compared, mut wrong) = (0, 0);
    for Row { input: name, program, charpipe } in &rows {
        let (_, input) =
            INPUTS.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("{name}"));
        let Some(ours) = output(charpipe, input, directory.path()) else {
            eprintln!("{charpipe} fails");
            wrong += 1;
            continue;
        };
        if !require(Requirement::Program(program.split(' ').next().unwrap())) {
            continue;
        }
        let theirs =
            output(program, input, directory.path()).unwrap_or_else(|| panic!("{program} fails"));
        compared += 1;
        if ours != theirs {
            eprintln!("{charpipe}: {}\n{program}: {}", ours.escape_ascii(), theirs.escape_ascii());
            wrong += 1;
        }
    }
    eprintln!("{compared} of {} compared", rows.len());
    assert_eq!(wrong, 0, "number of lines that differ");
}
