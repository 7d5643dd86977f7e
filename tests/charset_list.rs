//! `docs/encodings.md` is made from the encodings themselves. With `CHARPIPE_BLESS=1` in the
//! environment this test writes the page; without, it holds the page to them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use charpipe::encoding::alias::{self, Alias, AliasSources};
use charpipe::encoding::{ALL, BomHandling, Encoding, EncodingOptions, OptionSpec, OptionValues};

const PAGE: &str = "docs/encodings.md";

const INTRODUCTION: &str = "\
# Encodings

This page is made from the program (`CHARPIPE_BLESS=1 cargo test --test charset_list`).

Case, punctuation and leading zeros in a name do not count: `utf8`, `UTF_8` and `Utf-08` are
`UTF-8`. Options stand behind a colon, with commas between them: `utf-7:close=always,optional=direct`.
A flag is set by its name alone or by `=yes`, for which `on`, `true`, `1` and `allow` may stand as
well, and unset by `=no`, or `off`, `false` and `0`. The words before names say who uses them; `RFC`
is any specification that defines the encoding, and `MIME` marks the name for mail.

";

/// The numbers of cells that differ, which `cargo test --test mappings` takes from the maps.
const DIFFERENCES: &str = "tests/mappings/differences.tsv";

const TABLES: &str = "\
## Where tables differ

The tables of encodings that glibc, libiconv or the Encoding Standard (WHATWG) has by the same name are those
of charpipe, but for the cells that are counted here. `libiconv:` and `whatwg:` in front of a name take the table
of the other. The three numbers are: cells with other contents, cells that only charpipe has, cells that only the
other has; first of codes and what they decode to, then of characters and what they are encoded to.
[Disagreements](disagreements.md) tells what other converters do beside their tables.

| encoding | other | its name | codes: otherwise, only charpipe, only the other | characters: the same |
|---|---|---|---|---|
";

#[test]
fn encodings_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = render_page();
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{PAGE} is out of date; set CHARPIPE_BLESS=1 to write it anew");
}

fn render_page() -> String {
    let mut names: HashMap<&str, Vec<Alias>> = HashMap::new();
    for known in alias::all() {
        names.entry(known.encoding).or_default().push(known);
    }
    let mut families: Vec<&str> = Vec::new();
    for encoding in ALL {
        if !families.contains(&encoding.category()) {
            families.push(encoding.category());
        }
    }
    let mut page = INTRODUCTION.to_owned();
    for family in families {
        let _ = write!(page, "## {family}\n\n| encoding | what it is | names |\n|---|---|---|\n");
        let members = || ALL.iter().filter(|encoding| encoding.category() == family);
        for encoding in members() {
            let names = names.get(encoding.name).map_or(String::new(), |names| by_source(names));
            let _ = writeln!(
                page,
                "| {} | {} | {names} |",
                cell(encoding.name),
                cell(encoding.description)
            );
        }
        page.push('\n');
        members().for_each(|encoding| details(encoding, &mut page));
    }
    page += TABLES;
    // Read now: a test that has run just before may have written it.
    let differences = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(DIFFERENCES));
    differences.unwrap().lines().for_each(|line| page += &difference_row(line));
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// Names, those with the same users together, the most widely used first.
fn by_source(names: &[Alias]) -> String {
    let mut groups: BTreeMap<(Reverse<u32>, AliasSources), Vec<&str>> = BTreeMap::new();
    for known in names {
        let users = (Reverse(known.sources.count_ones()), known.sources);
        groups.entry(users).or_default().push(known.name);
    }
    let group = |((_, sources), names): (&(_, AliasSources), &Vec<&str>)| {
        let users: Vec<_> = alias::source_names(*sources).collect();
        format!("{}: `{}`", users.join(", "), names.join("` `"))
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// What there is to say of an encoding beyond its line.
fn details(encoding: &Encoding, page: &mut String) {
    let mark = match encoding.bom_handling {
        BomHandling::Ignore => None,
        BomHandling::Detect => Some("A byte order mark is obeyed and dropped; none is written."),
        BomHandling::DetectAndWrite => {
            Some("A byte order mark is obeyed and dropped; the output begins with one.")
        }
    };
    let reach = extended_range(encoding);
    if mark.is_none() && reach.is_none() && encoding.options.is_empty() {
        return;
    }
    let _ = write!(page, "### {}\n\n", encoding.name);
    for sentence in mark.into_iter().chain(reach.as_deref()) {
        let _ = write!(page, "{sentence}\n\n");
    }
    if !encoding.options.is_empty() {
        page.push_str("| option | values | default | what it does |\n|---|---|---|---|\n");
        for key in encoding.options {
            option_entry(key, page);
        }
        page.push('\n');
    }
}

/// In words, when an encoding has values above U+10FFFF.
fn extended_range(encoding: &Encoding) -> Option<String> {
    let wide = encoding.ucs4.as_ref()?;
    if (wide.is_enabled)(&EncodingOptions::default()) {
        return Some("Has values up to 7FFFFFFF.".to_owned());
    }
    let opens = |key: &&OptionSpec| {
        EncodingOptions::parse(key.name, encoding.options)
            .is_ok_and(|options| (wide.is_enabled)(&options))
    };
    let key = encoding.options.iter().find(opens)?;
    Some(format!("With the option `{}` it has values up to 7FFFFFFF.", key.name))
}

fn option_entry(key: &OptionSpec, page: &mut String) {
    let (values, default) = match key.values {
        OptionValues::Choice(words) => {
            let all: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            (all.join(", "), format!("`{}`", words[0]))
        }
        OptionValues::Flag => ("flag".to_owned(), "no".to_owned()),
        OptionValues::Integer(low, high) => (format!("{low} to {high}"), "none".to_owned()),
        OptionValues::Encoding => ("an encoding".to_owned(), "UTF-8".to_owned()),
    };
    let _ = writeln!(page, "| `{}` | {values} | {default} | {} |", key.name, cell(key.description));
}

/// A line of the numbers as a row of the table.
fn difference_row(line: &str) -> String {
    let fields: Vec<&str> = line.split('\t').collect();
    let [encoding, map, numbers @ ..] = &fields[..] else { panic!("no such line: {line}") };
    let (origin, name) = map.split_once('/').expect("an origin and a name");
    let origin = match origin {
        "glibc" => "glibc 2.36",
        "libiconv" => "libiconv 1.19",
        "whatwg" => "WHATWG",
        _ => panic!("no such origin: {origin}"),
    };
    let (codes, characters) = numbers.split_at(3);
    let (codes, characters) = (codes.join(", "), characters.join(", "));
    format!("| {} | {origin} | {} | {codes} | {characters} |\n", cell(encoding), cell(name))
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
fn every_encoding_belongs_to_a_family() {
    for encoding in ALL {
        assert_ne!(encoding.category(), "Others", "{} is missing in family.tsv", encoding.name);
    }
}
