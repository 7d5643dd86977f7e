//! `charpipe list`.

use assert_cmd::Command;
use charpipe::internals::encoding::ALL;

use crate::cli::command::{charpipe, create_directory, shell_subcommand};
use charpipe_test_support::watch;

fn list(words: &[&str]) -> String {
    let mut command = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
    let run = command.arg("list").args(words).assert().success().stderr("");
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

#[test]
fn pattern_finds_transforms_and_mail_headers_too() {
    for (pattern, name) in
        [("html", "html"), ("nfc", "nfc"), ("rfc2047", "RFC2047"), ("encoded-word", "RFC2047")]
    {
        let found = list(&[pattern]);
        let mut names = found.lines().map(|line| line.split(' ').next().unwrap());
        assert!(names.any(|found| found == name), "{pattern}: {found}");
    }
    let found = list(&["mail"]);
    for part in ["UTF-7-IMAP  ", "\nunfold  transform: "] {
        assert!(found.contains(part), "{found}");
    }
    // Options, if nothing else matches.
    let found = list(&["filename"]);
    assert!(found.starts_with("RFC2047:rfc2231  option: also convert parameters"), "{found}");
    for format in ["--json", "--tsv"] {
        let run = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")))
            .args(["list", format, "nfc"])
            .assert()
            .code(1);
        run.stderr("charpipe: no encoding matches \"nfc\", but a transform; use --transforms\n");
    }
    Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")))
        .args(["list", "no-such-name"])
        .assert()
        .code(1)
        .stdout("");
}

#[test]
fn list_prints_what_the_option_prints_as_plain_text() {
    charpipe().arg("--list=plain").assert().success().stdout(list(&[]));
}

#[test]
fn subcommand_prints_the_same_as_the_option() {
    for (word, option) in
        [(&[][..], "--list=plain"), (&["--json"], "--list=json"), (&["--tsv"], "--list=tsv")]
    {
        let run = charpipe().arg(option).assert().success();
        assert_eq!(list(word).as_bytes(), run.get_output().stdout);
    }
}

#[test]
fn tsv_and_json_have_the_same_content() {
    let table = list(&["--tsv"]);
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = [
        "name",
        "mime",
        "windows_code_page",
        "decode",
        "encode",
        "category",
        "aliases",
        "description",
    ];
    assert_eq!(lines.next().unwrap(), head);
    let objects: Vec<serde_json::Value> = serde_json::from_str(&list(&["--json"])).unwrap();
    assert_eq!(objects.len(), ALL.len());
    for object in objects {
        let line = lines.next().unwrap();
        assert_eq!(line.len(), head.len(), "{line:?}");
        for (cell, key) in line.iter().zip(head) {
            let expected = match &object[key] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::Bool(able) => if *able { "yes" } else { "no" }.to_owned(),
                serde_json::Value::Array(aliases) => with_sources(aliases),
                other => other.as_str().map_or(other.to_string(), str::to_owned),
            };
            assert_eq!(*cell, expected, "{key} of {}", object["name"]);
        }
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn tsv_and_json_of_transforms_have_the_same_content() {
    let table = list(&["--transforms", "--tsv"]);
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    assert_eq!(header, ["name", "between", "aliases", "options", "description"]);
    let objects: Vec<serde_json::Value> =
        serde_json::from_str(&list(&["--transforms", "--json"])).unwrap();
    let cell = |value: &serde_json::Value| match value {
        serde_json::Value::Array(items) => {
            items.iter().map(|item| item.as_str().unwrap()).collect::<Vec<_>>().join(", ")
        }
        value => value.as_str().unwrap().to_owned(),
    };
    let expected: Vec<Vec<String>> = objects
        .iter()
        .map(|object| header.iter().map(|column| cell(&object[*column])).collect())
        .collect();
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    assert_eq!(objects.len(), listed_names(&["--transforms"]).len());
}

fn with_sources(aliases: &[serde_json::Value]) -> String {
    let alias = |alias: &serde_json::Value| {
        let sources = alias["sources"].as_array().unwrap().iter();
        let sources: Vec<_> = sources.map(|source| source.as_str().unwrap()).collect();
        format!("{} ({})", alias["name"].as_str().unwrap(), sources.join(" "))
    };
    aliases.iter().map(alias).collect::<Vec<_>>().join(", ")
}

#[test]
fn mime_names_and_windows_code_pages_have_columns() {
    let table = list(&["--tsv"]);
    let cells = |name: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.split('\t').next() == Some(name)).unwrap();
        line.split('\t').skip(1).take(4).map(str::to_owned).collect()
    };
    assert_eq!(cells("CP1252"), ["windows-1252", "1252", "yes", "yes"]);
    assert_eq!(cells("UTF-8"), ["UTF-8", "65001", "yes", "yes"]);
}

#[test]
fn last_format_counts() {
    assert_eq!(list(&["--json", "--tsv"]), list(&["--tsv"]));
}

#[cfg(unix)]
#[test]
fn unwritable_list_is_reported() {
    let run = shell_subcommand("list", "\"$1\" list --tsv >/dev/full").assert().code(2);
    run.stderr("charpipe: write error: No space left on device\n");
}

/// Returns the first words of the lines of a list.
fn listed_names(words: &[&str]) -> Vec<String> {
    let first_word = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    list(words).lines().map(first_word).collect()
}

fn list_fails(words: &[&str], input: &[u8], code: i32, message: &str) {
    let mut command = Command::from_std(watch::command(env!("CARGO_BIN_EXE_charpipe")));
    let run = command.arg("list").args(words).write_stdin(input).assert().code(code).stdout("");
    assert_eq!(String::from_utf8_lossy(&run.get_output().stderr), format!("charpipe: {message}\n"));
}

#[test]
fn pattern_selects_by_name_alias_description_or_category() {
    assert_eq!(listed_names(&["MacCyrillic", "libiconv"]), ["libiconv:MacCyrillic"]);
    let cyrillic = listed_names(&["cyrillic"]);
    for name in ["ISO-8859-5", "CP1251", "KOI8-R", "IBM866"] {
        assert!(cyrillic.iter().any(|listed| listed == name), "{name}");
    }
    assert!(!cyrillic.iter().any(|listed| listed == "ISO-8859-1"));
    assert_eq!(listed_names(&["koi8_u"]), ["KOI8-U", "whatwg:KOI8-U"]);
    assert_eq!(listed_names(&["l1", "8859-01"]), ["ISO-8859-1", "ISO-8859-16"]);
    assert!(list(&["cp0819"]).contains(" [CP819]"), "{}", list(&["cp0819"]));
    assert_eq!(listed_names(&["--transforms", "uu"]), ["uuencode"]);
    let json: Vec<serde_json::Value> = serde_json::from_str(&list(&["--json", "koi8-t"])).unwrap();
    assert_eq!(json.iter().map(|it| it["name"].as_str().unwrap()).collect::<Vec<_>>(), ["KOI8-T"]);
}

#[test]
fn empty_list_is_reported_and_exits_with_1() {
    list_fails(&["no such"], b"", 1, "no encoding matches \"no such\"");
    list_fails(&["cyrillic", "chinese-x"], b"", 1, "no encoding matches \"cyrillic chinese-x\"");
    list_fails(&["tsv"], b"", 1, "no encoding matches \"tsv\"; use --tsv");
    list_fails(&["--transforms", "x\x1By"], b"", 1, "no transform matches \"x\\x1By\"");
    let message = "no encoding that matches has all characters of the text";
    list_fails(&["--for", "-", "iso-8859-1"], "中".as_bytes(), 1, message);
}

#[test]
fn for_lists_the_encodings_that_have_every_character() {
    let directory = create_directory(&[("euro", "\u{FEFF}café 1 €\n".as_bytes()), ("l1", b"\xE9")]);
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let parts = listed_names(&["--for", &path("euro"), "iso-8859"]);
    let parts: Vec<_> = parts.iter().filter(|name| name.starts_with("ISO-8859")).collect();
    assert_eq!(parts, ["ISO-8859-9E", "ISO-8859-15", "ISO-8859-16"]);
    let all = listed_names(&["--for", &path("l1"), "--from", "latin1"]);
    let contains = |name: &str| all.iter().any(|listed| listed == name);
    assert!(contains("UTF-8") && contains("ISO-8859-1") && contains("IBM850"));
    assert!(!contains("ISO-8859-5") && !contains("US-ASCII"));
}

#[test]
fn for_reports_invalid_text_and_unreadable_files() {
    let invalid = "<stdin>:1:1: byte 0: invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)";
    list_fails(&["--for", "-"], b"\xE9 ", 1, invalid);
    // Windows and Wine word it differently.
    let error = std::fs::metadata("/nope").unwrap_err().to_string();
    let reason = &error[..error.rfind(" (os error").unwrap()];
    list_fails(&["--for", "/nope"], b"", 2, &format!("/nope: {reason}"));
    list_fails(&["--from", "latin1"], b"", 2, "--from requires --for");
}

#[test]
fn about_describes_an_encoding_by_any_name() {
    let text = list(&["--about", "ms-ansi"]);
    assert!(text.starts_with("CP1252: Windows: Western European languages\n"), "{text}");
    for line in [
        "  MIME name            windows-1252",
        "  Windows code page    1252",
        "  ASCII-compatible     yes",
        "  undefined bytes      81 8D 8F 90 9D",
        "  glibc                ms-ansi is the same",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    }
    // The Encoding Standard decodes the five bytes as C1 controls.
    let whatwg = text.lines().find(|line| line.starts_with("  WHATWG")).unwrap();
    assert!(
        whatwg.contains("differs in decoding 81 8D 8F 90 9D, and in encoding 5 char"),
        "{whatwg}"
    );
    assert!(text.contains("\n  files can be split   after any byte\n"), "{text}");
    let utf7 = list(&["--about", "utf7"]);
    assert!(utf7.contains("\n  files can be split   after 0A\n"), "{utf7}");
    assert!(utf7.contains("\n  text can be split    after line feeds\n"), "{utf7}");
    assert!(utf7.contains("  option               close=needed|always  "), "{utf7}");
    list_fails(&["--about", "latn1"], b"", 2, "unknown encoding \"latn1\" (did you mean latin1?)");
    list_fails(
        &["--about", "utf8", "x"],
        b"",
        2,
        "--about cannot be used with a pattern (omit one of them)",
    );
}

#[test]
fn split_rules_depend_on_options_and_may_need_verification() {
    let imap = list(&["--about", "utf-7-imap"]);
    assert!(imap.contains("\n  text can be split    nowhere: line feeds are encoded"), "{imap}");
    let keep = list(&["--about", "utf-7-imap:eol=keep"]);
    assert!(keep.contains("\n  text can be split    after line feeds\n"), "{keep}");
    let jis = list(&["--about", "iso-2022-jp"]);
    assert!(jis.contains("\n  files can be split   nowhere: the active character set"), "{jis}");
    assert!(jis.contains("\n  with verification    after 0A\n"), "{jis}");
    let json: serde_json::Value = serde_json::from_str(&list(&["--json", "utf-16le"])).unwrap();
    let mut records = json.as_array().unwrap().iter();
    let rule = &records.find(|record| record["name"] == "UTF-16LE").unwrap()["split"];
    assert_eq!(rule["source"], "after 0A 00 at a multiple of 2 bytes");
    assert_eq!(rule["target"], "after any character");
}

#[test]
fn about_describes_a_transform() {
    let text = list(&["--about", "Quoted-Printable"]);
    assert!(text.starts_with("qp: Escapes such as =3D, "), "{text}");
    for line in ["  aliases              quoted-printable", "  transform of         bytes"] {
        assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    }
    let html = list(&["--about", "html:named"]);
    assert!(html.contains("\n  option               named  encode: write "), "{html}");
    // A name of both.
    let java = list(&["--about", "java"]);
    assert!(java.starts_with("JAVA: ") && java.contains("\n\njava: Escapes of Java: "), "{java}");
}

#[test]
fn about_idna_states_the_flags_of_uts_46() {
    let text = list(&["--about", "idna"]);
    let summary = text.lines().next().unwrap();
    assert!(summary.ends_with("(UTS #46, with CheckBidi and CheckJoiners)"), "{summary}");
    for (option, flag) in [
        ("ascii=", "(UseSTD3ASCIIRules, off by default)"),
        ("check-hyphens", "(CheckHyphens, off by default)"),
        ("dns-length=", "(VerifyDnsLength, on by default)"),
        ("transitional", "(Transitional_Processing, off by default)"),
    ] {
        let line =
            text.lines().find(|line| line.starts_with(&format!("  option               {option}")));
        assert!(line.is_some_and(|line| line.contains(flag)), "{option}\n{text}");
    }
}

#[test]
fn every_encoding_can_be_described() {
    // The comparison with tables takes a tenth of a second, or seconds if they are large.
    let is_exhaustive = charpipe_test_support::is_exhaustive();
    let is_small = |name: &str| name.starts_with("ISO-8859") || name.starts_with("UTF");
    let names = ALL.iter().map(|it| it.name()).filter(|name| is_exhaustive || is_small(name));
    for name in names.step_by(if is_exhaustive { 1 } else { 5 }) {
        let text = list(&["--about", name]);
        assert!(text.starts_with(&format!("{name}: ")), "{text}");
    }
}
