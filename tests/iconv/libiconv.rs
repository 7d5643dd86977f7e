//! The flavor of GNU libiconv, compared with stored results.
//!
//! `libiconv.tsv` has the results of the library as the npm package `iconv` 3.0.1 contains it (about
//! version 1.15), called as `iconv` of libiconv 1.18 calls it. It is written with `CHARPIPE_BLESS=1` and
//! `CHARPIPE_TEST_LIBICONV=PROGRAM`.

use std::collections::BTreeSet;
use std::{env, fs, thread};

use crate::program::{Outcome, Program, fixtures};
use crate::recorded;
use charpipe_test_support::sample_stride;

const RECORDED: &str = include_str!("libiconv.tsv");

const HEADER: &str =
    "# Results of GNU libiconv: the command, the exit code, standard output and error.\n";

/// One of this number of vectors is run by default, and every one with `CHARPIPE_TEST_EXHAUSTIVE=1`.
const SAMPLE_STRIDE: usize = 23;

/// The standard input of every run.
const STDIN: &[u8] = b"in\xC3\xA9\n";

type Vector = (&'static str, Vec<String>);

/// The locales of the vectors.
const UTF_8: &str = "C.UTF-8";
const C: &str = "C";

fn vectors() -> BTreeSet<Vector> {
    let mut vectors = BTreeSet::new();
    options(&mut vectors);
    formats(&mut vectors);
    names(&mut vectors);
    errors(&mut vectors);
    inputs(&mut vectors);
    vectors
}

fn add(vectors: &mut BTreeSet<Vector>, locale: &'static str, words: &[&str]) {
    vectors.insert((locale, words.iter().map(|word| (*word).to_owned()).collect()));
}

fn options(vectors: &mut BTreeSet<Vector>) {
    let mut add = |words: &[&str]| add(vectors, UTF_8, words);
    for name in [
        "from-code",
        "to-code",
        "list",
        "byte-subst",
        "unicode-subst",
        "widechar-subst",
        "silent",
        "output",
        "binary",
        "nothing",
    ] {
        for len in 0..=name.len() {
            let prefix = format!("--{}", &name[..len]);
            // A list is compared by another test.
            if prefix == "--" || "--list".starts_with(&prefix) {
                continue;
            }
            for argument in [prefix.clone(), format!("{prefix}=utf-8")] {
                add(&[&argument]);
                add(&[&argument, "latin1", "ok"]);
            }
        }
    }
    for words in [
        "-x",
        "-cx",
        "-f",
        "-t",
        "-o",
        "-o x",
        "-cf",
        "-",
        "--",
        "-l=",
        "-V",
        "-?",
        "-h",
        "--li=a",
        "-l -l",
        "-l x",
        "x -l",
        "-l -c",
        "-l --",
        "-cs ok",
        "-sc text",
        "-c -c -s ok",
        "-f latin1 -f utf-8 ok",
        "-t latin1 --to-code utf-8 ok",
        "--from-code=latin1 --from-code=utf-8",
        "-flatin1 ok",
        "-tlatin1 ok",
        "-f latin1 -- ok",
        "-f latin1 ok -t utf-8",
        "-- -x",
        "-x -- ok",
        "ok -c",
        "- ok -",
        "missing",
        "missing ok",
        "ok missing text",
        "directory",
        "ok directory text",
        "-s missing",
        "-s directory",
        "--silent invalid",
        "-s -f utf-8 -t ascii text",
        "--verbose ok",
        "--usage",
        "--unicode-subst=%u --unicode-subst=%x -t ascii text",
        "--byte-subst=%u --byte-subst=%x invalid",
    ] {
        add(&words.split(' ').collect::<Vec<_>>());
    }
}

fn formats(vectors: &mut BTreeSet<Vector>) {
    for format in [
        "",
        "x",
        "%u",
        "%o",
        "%x",
        "%X",
        "%%",
        "%5%",
        "%d",
        "%i",
        "%s",
        "%c",
        "%n",
        "%e",
        "%p",
        "%",
        "%%%",
        "a%",
        "%08",
        "%8.",
        "%.",
        "%*u",
        "%.*u",
        "%5*u",
        "%1$u",
        "%lu",
        "%hhx",
        "%Lx",
        "%qx",
        "%jx",
        "%zu",
        "%tx",
        "%Zu",
        "%u%u",
        "%u %x %o",
        "%u%%%x",
        "%8u",
        "%-8u|",
        "%08u",
        "%+u",
        "% u",
        "%#x",
        "%#X",
        "%#o",
        "%#010x",
        "%-010x|",
        "%.0u",
        "%.u",
        "%.6x",
        "%10.6x",
        "%-10.6x|",
        "%010.6x",
        "%#10.6o",
        "%'u",
        "<U+%04X>",
        "&#%u;",
        "&#x%x;",
        "\\x%02x",
        "\u{e9}%u",
        "\u{4e2d}",
        "%\u{e9}",
        "%I64u",
        "% -+#0'8x|",
    ] {
        for option in ["--unicode-subst", "--byte-subst", "--widechar-subst"] {
            let attached = format!("{option}={format}");
            add(vectors, UTF_8, &[&attached, "-f", "utf-8", "-t", "latin1", "worse"]);
            add(vectors, UTF_8, &[option, format, "-t", "utf-8", "invalid"]);
        }
    }
}

fn names(vectors: &mut BTreeSet<Vector>) {
    for name in [
        "",
        "char",
        "CHAR",
        "wchar_t",
        "utf-8",
        "UTF-8",
        "Utf-8",
        "utf-16",
        "utf-16be",
        "utf-16le",
        "utf-32",
        "utf-32be",
        "utf-32le",
        "ucs-2",
        "ucs-2be",
        "ucs-2le",
        "ucs-2-internal",
        "ucs-2-swapped",
        "ucs-4",
        "ucs-4be",
        "ucs-4le",
        "ucs-4-internal",
        "ucs-4-swapped",
        "utf-7",
        "c99",
        "java",
        "ascii",
        "us-ascii",
        "latin1",
        "LATIN1",
        "iso-8859-1",
        "ISO_8859-1:1987",
        "iso-8859-2",
        "iso-8859-15",
        "cp1252",
        "windows-1252",
        "koi8-r",
        "cp866",
        "cp437",
        "macintosh",
        "mac",
        "euc-jp",
        "shift_jis",
        "sjis",
        "cp932",
        "iso-2022-jp",
        "iso-2022-jp-2",
        "iso-2022-kr",
        "gb2312",
        "gbk",
        "cp936",
        "gb18030",
        "hz",
        "big5",
        "cp950",
        "big5-hkscs",
        "euc-kr",
        "cp949",
        "johab",
        "euc-tw",
        "iso-2022-cn",
        "tcvn",
        "viscii",
        "tis-620",
        "armscii-8",
        "georgian-ps",
        "koi8-t",
        "pt154",
        "csucs4",
        "csunicode",
        "unicode-1-1",
        "ucs4x",
        "latin99",
        "nope",
        "utf_8x",
        "no such",
        "/",
        "utf-8//FOO",
        "utf-8,TRANSLIT",
        "\u{e9}",
    ] {
        for input in ["text", "empty", "utf16", "kana"] {
            add(vectors, UTF_8, &["-f", name, "-t", "utf-8", input]);
        }
        for input in ["text", "empty", "punctuation"] {
            add(vectors, UTF_8, &["-f", "utf-8", "-t", name, input]);
        }
        add(vectors, UTF_8, &["-f", name]);
        add(vectors, UTF_8, &["-t", name]);
        add(vectors, C, &["-t", name, "text"]);
    }
}

fn errors(vectors: &mut BTreeSet<Vector>) {
    let inputs = ["text", "worse", "truncated", "surrogate", "punctuation"];
    for to in ["ascii", "latin1", "koi8-r", "utf-8", "ucs-2", "utf-16", "iso-2022-jp"] {
        for suffix in ["", "//TRANSLIT", "//IGNORE", "//ignore//translit"] {
            let to = format!("{to}{suffix}");
            for input in inputs {
                for options in [
                    &[][..],
                    &["-c"],
                    &["-s"],
                    &["--unicode-subst=<U+%04X>"],
                    &["--byte-subst=<%02x>"],
                ] {
                    add(vectors, UTF_8, &[options, &["-f", "utf-8", "-t", &to, input]].concat());
                }
                let both = ["--byte-subst=%o", "--unicode-subst=%x"];
                add(
                    vectors,
                    UTF_8,
                    &[&both[..], &["-c", "-f", "utf-8", "-t", &to, input]].concat(),
                );
                add(vectors, UTF_8, &[&both[..], &["-f", "utf-8", "-t", &to, input]].concat());
            }
        }
    }
    for from in [
        "utf-16",
        "utf-16le",
        "ucs-2",
        "ucs-4",
        "utf-32",
        "utf-7",
        "ascii",
        "gbk",
        "big5",
        "iso-2022-jp",
        "c99",
    ] {
        for input in inputs.iter().chain(&["wide", "kana-open", "utf16", "kana"]) {
            for options in [&[][..], &["-c"], &["--byte-subst=<%02x>", "--unicode-subst=<%x>"]] {
                add(vectors, UTF_8, &[options, &["-f", from, "-t", "utf-8", input]].concat());
            }
        }
    }
}

fn inputs(vectors: &mut BTreeSet<Vector>) {
    for files in [
        &["ok", "text"][..],
        &["invalid", "ok"],
        &["truncated", "rest"],
        &["text", "missing", "ok"],
        &["-", "ok"],
        &["-", "-"],
        &["utf16", "utf16"],
        &["kana", "kana-open", "ok"],
        &["empty", "ok"],
        &["worse", "invalid", "truncated"],
        &["directory", "ok"],
        &["./ok", "ok"],
    ] {
        for words in [
            &["-f", "utf-8", "-t", "latin1"][..],
            &["-t", "utf-16"],
            &["-f", "utf-16"],
            &["-c", "-t", "iso-2022-jp"],
            &["-f", "iso-2022-jp", "-t", "euc-jp"],
            &["-s"],
        ] {
            add(vectors, UTF_8, &[words, files].concat());
        }
        add(vectors, C, &[&["-t", "utf-8"], files].concat());
    }
}

/// The command, which is the key of a stored result.
fn display((locale, words): &Vector) -> String {
    let words = words.iter().map(|word| format!(" {word:?}")).collect::<String>();
    format!("LC_ALL={locale} iconv{words}")
}

fn run(program: &Program, (locale, words): &Vector, directory: &std::path::Path) -> Outcome {
    let variables = [("LC_ALL", *locale), ("CHARPIPE_ICONV", "libiconv")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    program.run(directory, &variables, words, STDIN)
}

/// Runs the vectors, several at a time.
fn run_all(program: &Program, vectors: &[Vector]) -> Vec<Outcome> {
    let directory = fixtures();
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let chunk_len = vectors.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let chunks = vectors.chunks(chunk_len).map(|chunk| {
            let directory = directory.path();
            scope.spawn(move || {
                chunk.iter().map(|vector| run(program, vector, directory)).collect::<Vec<_>>()
            })
        });
        let chunks: Vec<_> = chunks.collect();
        chunks.into_iter().flat_map(|chunk| chunk.join().unwrap()).collect()
    })
}

#[test]
fn every_vector_has_the_result_of_libiconv() {
    let mut vectors: Vec<Vector> = vectors().into_iter().collect();
    if let Some(program) = reference() {
        vectors.push(list_vector());
        let outcomes = run_all(&program, &vectors);
        let rows: Vec<_> = vectors.iter().map(display).zip(outcomes).collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/iconv/libiconv.tsv");
        fs::write(path, recorded::page(HEADER, &rows)).unwrap();
        return;
    }
    let vectors: Vec<_> = vectors.into_iter().step_by(sample_stride(SAMPLE_STRIDE)).collect();
    let stored = recorded::parse(RECORDED);
    let (mut failures, mut intended) = (0, [0; DIFFERENCES.len()]);
    for (vector, found) in vectors.iter().zip(run_all(&Program::charpipe(), &vectors)) {
        let key = display(vector);
        let expected = &stored[key.as_str()];
        if found == *expected {
            continue;
        }
        match DIFFERENCES.iter().position(|(_, applies)| applies(vector, expected, &found)) {
            Some(index) => intended[index] += 1,
            None => {
                failures += 1;
                println!("{key}\n  libiconv: {}\n  charpipe: {}", show(expected), show(&found));
            }
        }
    }
    println!("{} vectors", vectors.len());
    for ((reason, _), count) in DIFFERENCES.iter().zip(intended) {
        println!("{count} times: {reason}");
    }
    assert_eq!(failures, 0, "of {} vectors", vectors.len());
}

fn list_vector() -> Vector {
    (UTF_8, vec!["-l".to_owned()])
}

fn reference() -> Option<Program> {
    env::var_os("CHARPIPE_BLESS")?;
    env::var_os("CHARPIPE_TEST_LIBICONV").map(|path| Program::at(path.into()))
}

fn show(outcome: &Outcome) -> String {
    let Outcome { status, stdout, stderr, .. } = outcome;
    format!("{status} [{}] [{}]", stdout.escape_ascii(), stderr.escape_ascii())
}

type Difference = (&'static str, fn(&Vector, &Outcome, &Outcome) -> bool);

/// Intended differences.
const DIFFERENCES: [Difference; 10] = [
    ("charpipe knows more names", |_, libiconv, _| {
        String::from_utf8_lossy(&libiconv.stderr).contains(" unsupported\n")
    }),
    ("with IGNORE an incomplete character is not substituted", |vector, libiconv, charpipe| {
        has(vector, "--byte-subst")
            && has_ignoring_name(vector)
            && is_incomplete(libiconv)
            && libiconv.stderr == charpipe.stderr
            && libiconv.stdout.starts_with(&charpipe.stdout)
    }),
    ("no BOM precedes a substitution", |vector, libiconv, charpipe| {
        has(vector, "--byte-subst")
            && has(vector, "utf-16")
            && is_incomplete(libiconv)
            && libiconv.stderr == charpipe.stderr
    }),
    ("output ends in the initial state after a stop", |vector, libiconv, charpipe| {
        is_stateful(vector)
            && libiconv.status == 1
            && libiconv.stderr == charpipe.stderr
            && charpipe.stdout.starts_with(&libiconv.stdout)
    }),
    ("a substitution is encoded in the state of the output", |vector, libiconv, charpipe| {
        has(vector, "-subst") && is_stateful(vector) && libiconv.stderr == charpipe.stderr
    }),
    ("ESC is not text of ISO-2022 encodings: it would change its state", |vector, _, _| {
        is_stateful(vector) && has(vector, "kana")
    }),
    ("a substitution that cannot be encoded is reported at the start", |_, _, charpipe| {
        String::from_utf8_lossy(&charpipe.stderr).contains("substitution to target encoding")
    }),
    ("non-ASCII bytes are malformed in HZ", |vector, _, _| has(vector, "hz")),
    ("an invalid second byte is part of the malformed sequence", |vector, _, _| {
        vector.1.windows(2).any(|words| words[0] == "-f" && ["gbk", "big5"].contains(&&*words[1]))
    }),
    ("numbers above 7FFFFFFF are malformed in UCS-4", |vector, _, _| {
        has(vector, "ucs-4") || has(vector, "csucs4") || has(vector, "wchar_t")
    }),
];

fn has((_, words): &Vector, part: &str) -> bool {
    words.iter().any(|word| word.contains(part))
}

fn has_ignoring_name((_, words): &Vector) -> bool {
    words.iter().any(|word| word.to_ascii_uppercase().contains("//IGNORE"))
}

fn is_stateful(vector: &Vector) -> bool {
    has(vector, "iso-2022") || has(vector, "hz")
}

fn is_incomplete(outcome: &Outcome) -> bool {
    String::from_utf8_lossy(&outcome.stderr).contains("incomplete character")
}

#[test]
fn list_has_the_groups_of_libiconv() {
    let stored = recorded::parse(RECORDED);
    let vector = list_vector();
    let expected = &stored[display(&vector).as_str()];
    let found = run(&Program::charpipe(), &vector, fixtures().path());
    let groups = |outcome: &Outcome| -> Vec<BTreeSet<String>> {
        let text = String::from_utf8(outcome.stdout.clone()).unwrap();
        text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    };
    let ours = groups(&found);
    for theirs in groups(expected) {
        assert!(ours.iter().any(|group| group.is_superset(&theirs)), "{theirs:?}");
    }
}

#[test]
fn help_and_version_do_not_name_another_program() {
    let directory = fixtures();
    for (argument, start) in
        [("--help", "Usage: iconv [OPTION...]"), ("--version", "iconv (charpipe) ")]
    {
        let vector = (UTF_8, vec![argument.to_owned()]);
        let found = run(&Program::charpipe(), &vector, directory.path());
        let text = String::from_utf8(found.stdout).unwrap();
        assert!(text.starts_with(start), "{text}");
        assert!(!text.contains("libiconv") && !text.contains("GLIBC"), "{text}");
        assert_eq!((found.status, found.stderr), (0, Vec::new()));
    }
}

#[test]
fn unknown_flavor_is_an_error() {
    let variables = [("CHARPIPE_ICONV".to_owned(), "musl".to_owned())];
    let found = Program::charpipe().run(fixtures().path(), &variables, &["ok"], b"");
    let message = b"iconv: CHARPIPE_ICONV must be glibc or libiconv\n";
    assert_eq!((found.status, &found.stderr[..]), (1, &message[..]));
}

/// A long input, of which only the start is kept to compute columns.
#[test]
fn lines_are_counted_in_long_inputs() {
    let mut input = "line\n".repeat(300_000).into_bytes();
    input.extend_from_slice(b"ab\xFF");
    let variables = [("CHARPIPE_ICONV".to_owned(), "libiconv".to_owned())];
    let arguments = ["-f", "utf-8", "-t", "latin1"];
    let found = Program::charpipe().run(fixtures().path(), &variables, &arguments, &input);
    assert_eq!(found.stderr, b"\niconv: (stdin):300001:2: cannot convert\n");
}

/// Scripts look for these options in the flavor of glibc too.
#[test]
fn substitutions_are_options_of_both_flavors() {
    let directory = fixtures();
    let run = |words: &[&str]| Program::charpipe().run(directory.path(), &[], words, STDIN);
    let words =
        ["--unicode-subst=<U+%04X>", "--byte-subst", "<%02x>", "-f", "utf-8", "-t", "ascii"];
    let found = run(&[&words[..], &["worse"]].concat());
    assert_eq!((found.status, &found.stdout[..]), (0, &b"a<U+4E2D>b<ff><U+00E9>"[..]));
    let found = run(&[&words[..], &["-t", "ascii//TRANSLIT", "text"]].concat());
    assert_eq!((found.status, &found.stdout[..]), (0, &b"cafe <U+4E2D> x\n"[..]));
    let found = run(&[&words[..], &["-c", "worse"]].concat());
    assert_eq!((found.status, &found.stdout[..]), (1, &b"ab"[..]));
    let found = run(&["--unicode-subst=%d"]);
    let message = b"iconv: --unicode-subst argument: The character 'd' is not a valid conversion specifier.\n";
    assert_eq!((found.status, &found.stderr[..]), (1, &message[..]));
}
