//! `docs/messages.md` has the messages of the source, and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::layers::source_files;

/// Files with messages, and the types whose `Display` writes them.
const SOURCES: [(&str, &str); 5] = [
    ("crates/encoding/src/conversion_error.rs", "ErrorMessage<'_>"),
    ("crates/encoding/src/conversion_error.rs", "MalformedReason"),
    ("crates/check/src/finding.rs", "FindingMessage<'_>"),
    ("crates/encoding/src/error.rs", "Error"),
    ("src/cli/fs/file_converter/error.rs", "FileError"),
];

/// Parts of messages that are not messages of their own.
const PARTS: [&str; 6] = [
    "encoding",
    "step",
    "transform",
    "replace=",
    " (see 'charpipe list --transforms')",
    " (see 'charpipe list' and 'charpipe list --transforms')",
];

/// A message of a function that `Display` calls.
const OF_FUNCTION: &str = "unknown … …";

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Whether a literal is more than punctuation around what is formatted.
fn has_words(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() >= 4
}

/// The string literals of Rust source, with `…` for what is formatted.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some((_, tail)) = rest.split_once('"') {
        // Character literals and other quotation marks do not occur in the functions that are read.
        let (mut text, mut characters) = (String::new(), tail.char_indices().peekable());
        let mut end = tail.len();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    end = at + 1;
                    break;
                }
                '\\' => match characters.next() {
                    // The rest of the literal follows the white space of the next line.
                    Some((_, '\n')) => {
                        while characters.next_if(|(_, next)| next.is_whitespace()).is_some() {}
                    }
                    Some((_, escaped)) => text.push(escaped),
                    None => {}
                },
                '{' => {
                    text.push('…');
                    for (_, next) in characters.by_ref() {
                        if next == '}' {
                            break;
                        }
                    }
                }
                _ => text.push(character),
            }
        }
        found.push(text);
        rest = &tail[end..];
    }
    found
}

/// The messages that the `Display` of a type writes.
fn messages(path: &str, name: &str) -> Vec<String> {
    let source = read(path);
    let start = format!("\nimpl fmt::Display for {name} {{\n");
    let (_, rest) = source.split_once(&start).unwrap_or_else(|| panic!("{path}: no {start}"));
    let (body, _) = rest.split_once("\n}\n").unwrap();
    literals(body)
        .into_iter()
        .filter(|text| has_words(text))
        .filter(|text| !PARTS.contains(&&**text))
        .collect()
}

/// The messages of the command line: the literals with which errors are made in the source of the command.
fn usage_messages() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in source_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli")) {
        let source = fs::read_to_string(path).unwrap();
        let source = source.split("\n#[cfg(test)]").next().unwrap();
        for call in ["bail!(", "anyhow!(", "UsageError("] {
            for (at, _) in source.match_indices(call) {
                let arguments = source[at + call.len()..].trim_start();
                if arguments.starts_with('"') {
                    found.extend(
                        literals(arguments).into_iter().next().filter(|text| has_words(text)),
                    );
                }
            }
        }
    }
    found
}

/// The messages of the page: the first cells of its tables.
fn documented(page: &str) -> BTreeSet<String> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `"));
    cells.map(|rest| rest.split_once("` |").unwrap().0.to_owned()).collect()
}

/// A message with U+XXXX is about any character.
fn with_any_character(message: &str) -> String {
    message.replace("U+…", "…")
}

#[test]
fn page_of_messages_has_those_of_the_source() {
    let page = documented(&read("docs/messages.md"));
    let source: BTreeSet<String> = SOURCES
        .iter()
        .flat_map(|(path, name)| messages(path, name))
        .map(|message| with_any_character(&message))
        .chain([OF_FUNCTION.to_owned()])
        .chain(usage_messages())
        .collect();
    assert!(source.len() > 130, "{source:#?}");
    let missing: Vec<_> = source.difference(&page).collect();
    let unknown: Vec<_> = page.difference(&source).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:#?}, unknown {unknown:#?}");
}

#[test]
fn every_message_has_advice() {
    let page = read("docs/messages.md");
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `")).collect();
    for row in &rows {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert!(cells.len() == 3 && cells.iter().all(|cell| !cell.is_empty()), "{row}");
    }
    assert!(rows.len() > 130, "{}", rows.len());
}

#[test]
fn options_of_the_page_exist() {
    let man_pages = ["", "-check", "-detect", "-fix", "-list", "-split"]
        .map(|name| read(&format!("docs/man/charpipe{name}.1")));
    let man_pages = man_pages.concat().replace("\\-", "-");
    let page = read("docs/messages.md");
    let options: BTreeSet<&str> = page
        .split(['`', ' ', '=', ':', ')'])
        .filter(|word| word.starts_with("--") && word[2..].starts_with(|c: char| c.is_alphabetic()))
        .collect();
    assert!(options.len() > 10, "{options:?}");
    for option in options {
        assert!(man_pages.contains(&format!("\\fB{option}\\fR")), "{option}");
    }
}
