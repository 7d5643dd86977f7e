//! `docs/charsets.md` is made from the charsets themselves. With `CHARPIPE_BLESS=1` in the
//! environment this test writes the page; without, it holds the page to them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use charpipe::charset::name::{self, Name, Sources};
use charpipe::charset::{ALL, Charset, Key, Mark, Settings, Values};

const PAGE: &str = "docs/charsets.md";

const HEAD: &str = "\
# Charsets

This page is made from the program (`CHARPIPE_BLESS=1 cargo test --test charset_list`).

Case, punctuation and leading zeros in a name do not count: `utf8`, `UTF_8` and `Utf-08` are
`UTF-8`. Options stand behind a colon, with commas between them: `utf-7:close=always,set-o=direct`.
A flag is set by its name alone or by `=yes`, for which `on`, `true`, `1` and `allow` may stand as
well, and unset by `=no`, or `off`, `false` and `0`. The words before names say who uses them; `RFC`
is any specification that defines the charset, and `MIME` marks the name for mail.

";

/// The numbers of cells that differ, which `cargo test --test charmaps` takes from the maps.
const DIFFERENCES: &str = "tests/charmaps/differences.tsv";

const TABLES: &str = "\
## Where tables differ

The tables of charsets that glibc, libiconv or the Encoding Standard (WHATWG) has by the same name are those
of charpipe, but for the cells that are counted here. `libiconv:` and `whatwg:` in front of a name take the table
of the other. The three numbers are: cells with other contents, cells that only charpipe has, cells that only the
other has; first of codes and what they decode to, then of characters and what they are encoded to.
[Disagreements](disagreements.md) tells what other converters do beside their tables.

| charset | other | its name | codes: otherwise, only charpipe, only the other | characters: the same |
|---|---|---|---|---|
";

#[test]
fn the_page_of_charsets_is_that_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = page();
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{PAGE} is out of date; set CHARPIPE_BLESS=1 to write it anew");
}

fn page() -> String {
    let mut names: HashMap<&str, Vec<Name>> = HashMap::new();
    for known in name::all() {
        names.entry(known.charset).or_default().push(known);
    }
    let mut families: Vec<&str> = Vec::new();
    for charset in ALL {
        if !families.contains(&charset.family()) {
            families.push(charset.family());
        }
    }
    let mut page = HEAD.to_owned();
    for family in families {
        let _ = write!(page, "## {family}\n\n| charset | what it is | names |\n|---|---|---|\n");
        let members = || ALL.iter().filter(|charset| charset.family() == family);
        for charset in members() {
            let names = names.get(charset.name).map_or(String::new(), |names| by_source(names));
            let _ =
                writeln!(page, "| {} | {} | {names} |", cell(charset.name), cell(charset.about));
        }
        page.push('\n');
        members().for_each(|charset| details(charset, &mut page));
    }
    page += TABLES;
    // Read now: a test that has run just before may have written it.
    let differences = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(DIFFERENCES));
    differences.unwrap().lines().for_each(|line| page += &difference(line));
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// Names, those with the same users together, the most widely used first.
fn by_source(names: &[Name]) -> String {
    let mut groups: BTreeMap<(Reverse<u32>, Sources), Vec<&str>> = BTreeMap::new();
    for known in names {
        let users = (Reverse(known.sources.count_ones()), known.sources);
        groups.entry(users).or_default().push(known.name);
    }
    let group = |((_, sources), names): (&(_, Sources), &Vec<&str>)| {
        let users: Vec<_> = name::labels(*sources).collect();
        format!("{}: `{}`", users.join(", "), names.join("` `"))
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// What there is to say of a charset beyond its line.
fn details(charset: &Charset, page: &mut String) {
    let mark = match charset.mark {
        Mark::Character => None,
        Mark::Obeyed => Some("A byte order mark is obeyed and dropped; none is written."),
        Mark::Written => {
            Some("A byte order mark is obeyed and dropped; the output begins with one.")
        }
    };
    let reach = reach(charset);
    if mark.is_none() && reach.is_none() && charset.options.is_empty() {
        return;
    }
    let _ = write!(page, "### {}\n\n", charset.name);
    for sentence in mark.into_iter().chain(reach.as_deref()) {
        let _ = write!(page, "{sentence}\n\n");
    }
    if !charset.options.is_empty() {
        page.push_str("| option | values | default | what it does |\n|---|---|---|---|\n");
        for key in charset.options {
            option(key, page);
        }
        page.push('\n');
    }
}

/// In words, when a charset has values above U+10FFFF.
fn reach(charset: &Charset) -> Option<String> {
    let wide = charset.wide.as_ref()?;
    if (wide.holds)(&Settings::default()) {
        return Some("Has values up to 7FFFFFFF.".to_owned());
    }
    let opens = |key: &&Key| {
        Settings::parse(key.name, charset.options).is_ok_and(|settings| (wide.holds)(&settings))
    };
    let key = charset.options.iter().find(opens)?;
    Some(format!("With the option `{}` it has values up to 7FFFFFFF.", key.name))
}

fn option(key: &Key, page: &mut String) {
    let (values, default) = match key.values {
        Values::Words(words) => {
            let all: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            (all.join(", "), format!("`{}`", words[0]))
        }
        Values::Flag => ("flag".to_owned(), "no".to_owned()),
        Values::Number(low, high) => (format!("{low} to {high}"), "none".to_owned()),
        Values::Charset => ("a charset".to_owned(), "UTF-8".to_owned()),
    };
    let _ = writeln!(page, "| `{}` | {values} | {default} | {} |", key.name, cell(key.about));
}

/// A line of the numbers as a row of the table.
fn difference(line: &str) -> String {
    let fields: Vec<&str> = line.split('\t').collect();
    let [charset, map, numbers @ ..] = &fields[..] else { panic!("no such line: {line}") };
    let (origin, name) = map.split_once('/').expect("an origin and a name");
    let origin = match origin {
        "glibc" => "glibc 2.36",
        "libiconv" => "libiconv 1.19",
        "whatwg" => "WHATWG",
        _ => panic!("no such origin: {origin}"),
    };
    let (codes, characters) = numbers.split_at(3);
    let (codes, characters) = (codes.join(", "), characters.join(", "));
    format!("| {} | {origin} | {} | {codes} | {characters} |\n", cell(charset), cell(name))
}

/// Text as it may stand in a cell of a table.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for character in text.chars() {
        if r"\|*_`<".contains(character) {
            cell.push('\\');
        }
        cell.push(character);
    }
    cell
}

#[test]
fn every_charset_is_of_a_family() {
    for charset in ALL {
        assert_ne!(charset.family(), "Others", "{} is missing in family.tsv", charset.name);
    }
}
