//! `docs/charsets.md` is made from the charsets themselves. With `CHARPIPE_BLESS=1` in the
//! environment this test writes the page; without, it holds the page to them.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use charpipe::charset::{ALL, Charset, Key, Mark, Settings, Values, name};

const PAGE: &str = "docs/charsets.md";

const HEAD: &str = "\
# Charsets

This page is made from the program (`CHARPIPE_BLESS=1 cargo test --test charset_list`).

Case, punctuation and leading zeros in a name do not count: `utf8`, `UTF_8` and `Utf-08` are
`UTF-8`. Options stand behind a colon, with commas between them: `utf-7:close=always,set-o=direct`.
A flag is set by its name alone or by `=yes`, for which `on`, `true`, `1` and `allow` may stand as
well, and unset by `=no`, or `off`, `false` and `0`. The words behind a name say who uses it; `RFC`
is any specification that defines the charset.

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
    let mut page = HEAD.to_owned();
    page.push_str("| charset | what it is |\n|---|---|\n");
    for charset in ALL {
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let anchor: String = charset.name.to_lowercase().chars().filter(kept).collect();
        let _ = writeln!(page, "| [{}](#{anchor}) | {} |", charset.name, cell(charset.about));
    }
    for charset in ALL {
        section(charset, &mut page);
    }
    page
}

fn section(charset: &Charset, page: &mut String) {
    let _ = write!(page, "\n## {}\n\n{}.\n", charset.name, charset.about);
    page.push_str(match charset.mark {
        Mark::Character => "",
        Mark::Obeyed => "\nA byte order mark is obeyed and dropped; none is written.\n",
        Mark::Written => "\nA byte order mark is obeyed and dropped; the output begins with one.\n",
    });
    if let Some(reach) = reach(charset) {
        let _ = writeln!(page, "\n{reach}");
    }
    if !charset.options.is_empty() {
        page.push_str("\n| option | values | default | what it does |\n|---|---|---|---|\n");
        for key in charset.options {
            option(key, page);
        }
    }
    if charset.aliases().next().is_some() {
        page.push_str("\nOther names:\n\n");
        for alias in charset.aliases() {
            let users: Vec<_> = name::labels(alias.sources).collect();
            let _ = writeln!(page, "- `{}` ({})", alias.name, users.join(", "));
        }
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
    };
    let _ = writeln!(page, "| `{}` | {values} | {default} | {} |", key.name, cell(key.about));
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
