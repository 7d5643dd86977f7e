//! `docs/messages.md` has the messages of the source, and no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::layers::source_files;

/// Files with messages, and the lines at which the items that write them begin.
const SOURCES: [(&str, &str); 11] = [
    ("crates/encoding/src/conversion_error.rs", "impl fmt::Display for ErrorMessage<'_> {"),
    ("crates/encoding/src/conversion_error.rs", "impl fmt::Display for MalformedReason {"),
    ("crates/encoding/src/encoding/options.rs", "impl fmt::Display for OptionError {"),
    ("crates/encoding/src/error.rs", "impl fmt::Display for Error {"),
    ("crates/check/src/finding.rs", "impl fmt::Display for FindingMessage<'_> {"),
    ("crates/transcode/src/encoding_list.rs", "fn check_members("),
    (
        "crates/transcode/src/error_policy.rs",
        "fn from_str(name: &str) -> Result<ErrorAction, String> {",
    ),
    ("src/cli/fs/file_converter/error.rs", "impl fmt::Display for FileError {"),
    ("src/cli/check/editorconfig.rs", "fn parse_value<T: Copy>("),
    ("src/cli/args.rs", "fn find_detached_suffix("),
    ("src/cli/args.rs", "fn find_exclusive_conflict("),
];

/// Files in which errors are made by [`CALLS`]. Those of `iconv` are the messages of other programs.
const DIRECTORY: &str = "src/cli";
const FILES: [&str; 3] = [
    "crates/transcode/src/chain_spec.rs",
    "crates/transcode/src/options.rs",
    "crates/transcode/src/split/range.rs",
];

/// What makes an error of a message, and whether the message is the second argument.
const CALLS: [(&str, bool); 15] = [
    ("bail!(", false),
    ("anyhow!(", false),
    ("UsageError(", false),
    ("Err(", false),
    ("Error::other(", false),
    ("Error::new(", true),
    ("invalid(", true),
    ("context(", false),
    ("ok_or(", false),
    ("ok_or_else(|| ", false),
    ("map_err(|_| ", false),
    ("let reason = ", false),
    ("reason: ", false),
    ("ok_or_else(|| {", false),
    ("let message = ", false),
];

/// Calls around a message.
const WRAPPERS: [&str; 3] = ["io::Error::other(", "format!(", "anyhow!("];

/// Parts of messages that are not messages of their own.
const PARTS: [&str; 12] = [
    "encoding",
    "step",
    "transform",
    "replace=",
    " (see 'charpipe list --transforms')",
    " (see 'charpipe list' and 'charpipe list --transforms')",
    "unset",
    "--backup",
    "--chain",
    "color",
    "output directory",
    // No command passes another value of `--bom`.
    "keep, strip or add expected",
];

/// Sections of the page that a test in `src/cli/args` compares with the definitions of options.
const OF_THE_DEFINITIONS: [&str; 3] =
    ["Options that require others", "Options that exclude others", "Messages of the parser"];

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

/// The messages in an item that begins with a line.
fn messages(path: &str, start: &str) -> Vec<String> {
    let source = read(path);
    let (before, rest) = source.split_once(start).unwrap_or_else(|| panic!("{path}: no {start}"));
    let indent = before.rsplit('\n').next().unwrap();
    let (body, _) = rest.split_once(&format!("\n{indent}}}\n")).unwrap();
    literals(body)
}

/// The text of an argument: a literal, also in a call or a constant.
fn text_of_argument(mut argument: &str, source: &str) -> Option<String> {
    argument = argument.trim_start();
    while let Some(rest) = WRAPPERS.iter().find_map(|wrapper| argument.strip_prefix(wrapper)) {
        argument = rest.trim_start();
    }
    if argument.starts_with('"') {
        return literals(argument).into_iter().next();
    }
    let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
    let name = argument.split(|c| !is_name(c)).next().filter(|name| name.len() > 3)?;
    let (_, value) = source.split_once(&format!("const {name}: &str ="))?;
    literals(value).into_iter().next()
}

/// The messages of errors that a file makes by [`CALLS`].
fn messages_of_calls(path: &Path) -> Vec<String> {
    let source = fs::read_to_string(path).unwrap();
    let source = source.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    let mut found = Vec::new();
    for (call, is_second) in CALLS {
        for (at, _) in source.match_indices(call) {
            let arguments = &source[at + call.len()..];
            let argument = match is_second {
                true => arguments.split_once(',').map_or("", |(_, second)| second),
                false => arguments,
            };
            found.extend(text_of_argument(argument, source));
        }
    }
    found
}

/// The messages of the source, with `…` for what is formatted.
fn messages_of_the_source() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_message_file = |path: &PathBuf| {
        !path.ends_with("tests.rs") && !path.starts_with(root.join(DIRECTORY).join("iconv"))
    };
    let files = source_files(&root.join(DIRECTORY)).into_iter().filter(is_message_file);
    let files = files.chain(FILES.map(|path| root.join(path)));
    SOURCES
        .iter()
        .flat_map(|(path, start)| messages(path, start))
        .chain(files.flat_map(|path| messages_of_calls(&path)))
        .filter(|text| has_words(text) && !PARTS.contains(&&**text))
        .map(|message| with_any_character(&message))
        .chain([OF_FUNCTION.to_owned()])
        .collect()
}

/// The messages of the page: the first cells of its tables.
fn documented(page: &str) -> BTreeSet<String> {
    let sections = page.split("\n#").filter(|section| {
        let heading = section.lines().next().unwrap().trim_start_matches(['#', ' ']);
        !OF_THE_DEFINITIONS.contains(&heading)
    });
    let cells = sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("| `"));
    cells.map(|rest| rest.split_once("` |").unwrap().0.to_owned()).collect()
}

/// A message with U+XXXX is about any character.
fn with_any_character(message: &str) -> String {
    message.replace("U+…", "…")
}

#[test]
fn page_of_messages_has_those_of_the_source() {
    let page = documented(&read("docs/messages.md"));
    let source = messages_of_the_source();
    assert!(source.len() > 200, "{source:#?}");
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
    assert!(rows.len() > 270, "{}", rows.len());
}

#[test]
fn options_of_the_page_exist() {
    let man_pages = ["", "-check", "-detect", "-fix", "-list", "-repair", "-show", "-split"]
        .map(|name| read(&format!("docs/man/charpipe{name}.1")));
    let man_pages = man_pages.concat().replace("\\-", "-");
    let page = read("docs/messages.md");
    let options: BTreeSet<&str> = page
        .split(['`', ' ', '=', ':', ')', ',', ';'])
        .filter(|word| word.starts_with("--") && word[2..].starts_with(|c: char| c.is_alphabetic()))
        .collect();
    assert!(options.len() > 10, "{options:?}");
    for option in options {
        assert!(man_pages.contains(&format!("\\fB{option}\\fR")), "{option}");
    }
}
