//! Encodings that a text declares: which declarations count, and which the bytes contradict.

use std::io::Write;
use std::process::Stdio;

use charpipe::internals::detect::{Confidence, Detector, Evidence, detect};
use charpipe::transcode;

use charpipe_test_support::watch;
use charpipe_test_support::{XorShift, missing};

/// Returns the best encoding, whether it is declared, and the declaration with a `?` if it is not
/// confirmed. The same for chunks of any size.
fn detected(bytes: &[u8]) -> (String, bool, String) {
    let whole = detect(bytes);
    for size in [1, 2, 3, 7, 1023, 1024, 1025] {
        let mut detector = Detector::new();
        bytes.chunks(size).for_each(|chunk| detector.feed(chunk));
        assert_eq!(detector.finish(), whole, "{size}: {}", bytes.escape_ascii());
    }
    let best = whole.best();
    let is_declared = best.is_some_and(|best| matches!(best.evidence, Evidence::Declaration(_)));
    if is_declared {
        assert_eq!(best.map(|best| best.confidence), Some(Confidence::Certain));
    }
    let declared = whole.declaration.map_or(String::new(), |declaration| {
        format!("{}{}", declaration.label, if declaration.is_confirmed { "" } else { "?" })
    });
    (best.map_or(String::new(), |best| best.encoding.name().to_owned()), is_declared, declared)
}

fn xml(label: &str, to: &str, text: &str) -> Vec<u8> {
    let text = format!("<?xml version=\"1.0\" encoding=\"{label}\"?>\n<a>{text}</a>\n");
    transcode("UTF-8", to, text.as_bytes()).expect("a text of the encoding")
}

#[test]
fn declared_encoding_is_detected_if_the_bytes_confirm_it() {
    for (label, to, expected) in [
        ("ISO-8859-1", "ISO-8859-1", "ISO-8859-1"),
        ("ISO-8859-15", "ISO-8859-15", "ISO-8859-15"),
        ("windows-1252", "CP1252", "CP1252"),
        ("IBM850", "CP850", "IBM850"),
        ("macintosh", "MACINTOSH", "MACINTOSH"),
        ("UTF-16", "UTF-16LE", "UTF-16LE"),
        ("UTF-16", "UTF-16BE", "UTF-16BE"),
        ("utf-16le", "UTF-16LE", "UTF-16LE"),
        ("UTF-32", "UTF-32BE", "UTF-32BE"),
        ("UTF-32", "UTF-32LE", "UTF-32LE"),
        ("IBM037", "IBM037", "IBM037"),
        ("IBM500", "IBM500", "IBM500"),
    ] {
        let found = detected(&xml(label, to, "déjà vu"));
        assert_eq!(found, (expected.to_owned(), true, label.to_owned()), "{label}");
    }
    let japanese = detected(&xml("ISO-2022-JP", "ISO-2022-JP", "日本語"));
    assert_eq!(japanese, ("ISO-2022-JP".to_owned(), true, "ISO-2022-JP".to_owned()));
    let html = detected(b"<!doctype html><meta charset=\"ISO-8859-1\">caf\xE9 \x80");
    assert_eq!(html, ("whatwg:windows-1252".to_owned(), true, "ISO-8859-1".to_owned()));
    let python = detected(b"# coding: latin-1\nprint('caf\xE9')\n");
    assert_eq!(python, ("ISO-8859-1".to_owned(), true, "latin-1".to_owned()));
    // Text in ASCII is valid in the declared encoding.
    let ascii = detected(&xml("KOI8-R", "US-ASCII", "a"));
    assert_eq!(ascii, ("KOI8-R".to_owned(), true, "KOI8-R".to_owned()));
}

#[test]
fn bytes_take_precedence() {
    for (bytes, encoding, declared) in [
        (xml("ISO-8859-1", "UTF-8", "é"), "UTF-8", "ISO-8859-1?"),
        (xml("UTF-8", "UTF-8", "é"), "UTF-8", "UTF-8"),
        (xml("UTF-8", "US-ASCII", "e"), "US-ASCII", "UTF-8"),
        ([b"\xEF\xBB\xBF", &xml("KOI8-R", "UTF-8", "e")[..]].concat(), "UTF-8", "KOI8-R?"),
        ([b"\xEF\xBB\xBF", &xml("utf-8", "UTF-8", "e")[..]].concat(), "UTF-8", "utf-8"),
        (xml("UTF-16", "US-ASCII", "e"), "US-ASCII", "UTF-16?"),
        (xml("UTF-8", "UTF-16LE", "é"), "UTF-16LE", "UTF-8?"),
        (xml("UTF-7", "US-ASCII", "e"), "US-ASCII", ""),
        (xml("JAVA", "US-ASCII", "e"), "US-ASCII", ""),
        (b"# coding: latin-1\nno: \0\x01\x02".to_vec(), "", "latin-1?"),
        (b"\x89PNG\r\n\x1A\n# coding: latin-1\n".to_vec(), "", ""),
    ] {
        let found = detected(&bytes);
        let expected = (encoding.to_owned(), false, declared.to_owned());
        assert_eq!(found, expected, "{}", bytes.escape_ascii());
    }
    // The bytes are malformed in the declared encoding, at the start or far from it.
    let latin = "Grüße aus Köln, schöne Bücher, für möglich hält. ".repeat(60);
    let (encoding, is_declared, declared) = detected(&xml("UTF-8", "ISO-8859-1", &latin));
    assert_eq!((is_declared, declared.as_str()), (false, "UTF-8?"), "{encoding}");
    let (encoding, is_declared, declared) = detected(&xml("EUC-JP", "ISO-8859-1", &latin));
    assert_eq!((is_declared, declared.as_str()), (false, "EUC-JP?"), "{encoding}");
}

/// Returns the encoding that `tokenize.detect_encoding` of Python finds, for each of these texts.
fn python_encodings(texts: &[Vec<u8>]) -> Option<Vec<String>> {
    let code = "import sys, io, tokenize\n\
                for text in sys.stdin.buffer.read().split(b'\\0'):\n  \
                try: print(tokenize.detect_encoding(io.BytesIO(text).readline)[0])\n  \
                except SyntaxError: print('error')";
    let mut child = watch::command("python3")
        .args(["-IS", "-c", code])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().expect("piped").write_all(&texts.join(&0)).expect("python reads");
    let output = child.wait_with_output().expect("python ends");
    let lines = String::from_utf8(output.stdout).expect("names are ASCII");
    Some(lines.lines().map(str::to_owned).collect())
}

#[test]
fn coding_lines_agree_with_python() {
    let mut random = XorShift::new(0x2545_F491_4F6C_DD1D);
    let pieces = [
        "#",
        "#!",
        "coding",
        ":",
        "=",
        " ",
        "\t",
        "latin-1",
        "koi8-r",
        "x",
        "-*-",
        "\n",
        "\r\n",
        "encoding",
        "\x0C",
        "# coding: koi8-r",
        ";",
        "#!/usr/bin/python\n",
    ];
    let text = |random: &mut XorShift| {
        let count = 1 + random.below(12);
        (0..count).map(|_| pieces[random.below(pieces.len())]).collect::<String>().into_bytes()
    };
    let texts: Vec<Vec<u8>> = (0..2000).map(|_| text(&mut random)).collect();
    let Some(expected) = python_encodings(&texts) else {
        return missing("python3");
    };
    assert_eq!(expected.len(), texts.len());
    let mut declared = 0;
    for (text, expected) in texts.iter().zip(expected) {
        let found =
            detect(text).declaration.filter(|found| found.kind.to_string() == "coding line");
        let found = match found.as_ref().map(|found| found.encoding.name()) {
            Some("ISO-8859-1") => "iso-8859-1",
            Some("KOI8-R") => "koi8-r",
            Some(other) => other,
            None => "utf-8",
        };
        // Python rejects unknown names; here they are no declarations.
        if expected != "error" {
            // `koi8-r-` is another name of the same encoding.
            assert_eq!(found, expected.trim_end_matches('-'), "{}", text.escape_ascii());
            declared += u32::from(expected != "utf-8");
        }
    }
    assert!(declared > 100, "only {declared} texts declare an encoding");
}
