//! The table of the README about other programs: what it says of those that are installed is what they do.

use std::fs;
use std::path::Path;

use charpipe_test_support::{Requirement, require, watch};

/// A cell of the table, and a command that shows it.
struct Claim {
    row: &'static str,
    column: &'static str,
    cell: &'static str,
    command: &'static str,
    output: &'static str,
}

const fn claim(
    row: &'static str,
    column: &'static str,
    cell: &'static str,
    command: &'static str,
    output: &'static str,
) -> Claim {
    Claim { row, column, cell, command, output }
}

const GLIBC: &str = "iconv (glibc)";
const ICU: &str = "uconv (ICU)";
const RECODE: &str = "recode";

/// `printf` writes two malformed bytes, at offsets 1 and 3.
const CLAIMS: &[Claim] = &[
    claim(
        "position of an error",
        GLIBC,
        "byte offset",
        r"printf 'a\351b\351\n' | iconv -f utf-8 -t utf-16 2>&1 >/dev/null | sed 's/.* //'",
        "1",
    ),
    claim(
        "position of an error",
        ICU,
        "byte offset",
        r"printf 'a\351b\351\n' | uconv -f utf-8 -t utf-16 2>&1 >/dev/null | grep -o 'byte position [0-9]*'",
        "byte position 1",
    ),
    claim(
        "position of an error",
        RECODE,
        "no",
        r"printf 'a\351b\351\n' | recode utf-8..utf-16 2>&1 >/dev/null | grep -c '[0-9] *$'",
        "0",
    ),
    claim(
        "report every error",
        GLIBC,
        "no",
        r"printf 'a\351b\351\n' | iconv -c -f utf-8 -t utf-16 2>&1 >/dev/null | grep -c position",
        "0",
    ),
    claim(
        "report every error",
        ICU,
        "no",
        r"printf 'a\351b\351\n' | uconv -i -f utf-8 -t utf-16 2>&1 >/dev/null | grep -c position",
        "0",
    ),
    claim(
        "unconvertible input",
        GLIBC,
        "stop, skip, transliterate",
        "echo 'a“b' | iconv -f utf-8 -t us-ascii 2>/dev/null; echo; echo 'a“b' | iconv -c -f utf-8 -t us-ascii; \
         echo 'a“b' | iconv -f utf-8 -t us-ascii//TRANSLIT",
        "a\nab\na\"b",
    ),
    claim(
        "unconvertible input",
        ICU,
        "stop, skip, replace, escape",
        "for callback in stop skip substitute escape-xml-hex; do \
         echo 'a€b' | uconv -f utf-8 -t us-ascii --callback $callback 2>/dev/null | tr '\\032' '?'; echo; done",
        "a\nab\n\na?b\n\na&#x20AC;b",
    ),
    claim(
        "convert in place",
        RECODE,
        "yes",
        r"file=$(mktemp); printf '\351\n' > $file; recode latin1..utf-8 $file; cat $file; rm $file",
        "é",
    ),
    claim(
        "transliteration between scripts",
        ICU,
        "yes",
        "echo Москва | uconv -x any-latin",
        "Moskva",
    ),
    claim(
        "base64, quoted-printable, line endings, entities",
        RECODE,
        "yes",
        "printf abc | recode data..base64; printf '&eacute;\\n' | recode html..utf-8; printf '=E9\\n' | recode latin1/qp..utf-8",
        "YWJj\né\né",
    ),
    claim(
        "Unicode normalization",
        ICU,
        "yes",
        "printf é | uconv -x nfd | od -An -tx1",
        " 65 cc 81",
    ),
];

/// The cells of the table: the head, then the rows.
fn table(page: &str) -> Vec<Vec<&str>> {
    let (_, rest) = page.split_once("## Beside other tools\n").unwrap();
    let lines = rest.lines().skip_while(|line| !line.starts_with('|'));
    let rows =
        lines.take_while(|line| line.starts_with('|')).filter(|line| !line.starts_with("|---"));
    rows.map(|line| line[1..line.len() - 1].split('|').map(str::trim).collect()).collect()
}

#[test]
fn readme_says_what_other_programs_do() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let table = table(&page);
    assert!(table.len() > 8, "{table:?}");
    for Claim { row, column, cell, command, output } in CLAIMS {
        let index = table[0].iter().position(|head| head == column).unwrap();
        let found = table.iter().find(|cells| cells[0] == *row).unwrap_or_else(|| panic!("{row}"));
        assert_eq!(found[index], *cell, "{row}, {column}");
        let program = column.split(' ').next().unwrap();
        if !require(Requirement::Program(program)) {
            continue;
        }
        let run =
            watch::command("sh").args(["-c", command]).env("LC_ALL", "C.UTF-8").output().unwrap();
        let printed = String::from_utf8(run.stdout).unwrap();
        assert_eq!(printed.trim_end_matches('\n'), *output, "{row}, {column}: {command}");
    }
}
