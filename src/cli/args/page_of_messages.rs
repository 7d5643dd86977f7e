//! `docs/messages.md` has the messages about arguments that are made of the definitions of options.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::*;

/// Command lines that the parser rejects, and what its message consists of, with `…` for what differs.
const REJECTED: [(&[&str], &str); 9] = [
    (&["charpipe", "--no-such-option"], "unexpected argument '…' found"),
    (
        &["charpipe", "fix", "--quiet=1"],
        "unexpected value '…' for '…' found; no more were expected",
    ),
    (&["charpipe", "--to"], "a value is required for '…' but none was supplied"),
    (&["charpipe", "--bom="], "a value is required for '…' but none was supplied"),
    (&["charpipe", "--bom=x"], "invalid value '…' for '…'"),
    (&["charpipe", "-i", "--jobs=x"], "invalid value '…' for '…': expected a number"),
    (&["charpipe", "-i", "--jobs=0"], "invalid value '…' for '…': expected a number from … to …"),
    (&["charpipe", "split", "-n0"], "invalid value '…' for '…': expected a number, at least …"),
    (&["charpipe", "install-links"], "the following required arguments were not provided:"),
];

/// The rows of a section of the page, each with its cells.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/messages.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, section) = page.split_once(&format!("\n### {heading}\n")).expect(heading);
    let section = section.split("\n#").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = |row: &str| row.split(" | ").map(|cell| cell.replace('`', "")).collect();
    rows.map(cells).collect()
}

fn commands(root: &Command) -> impl Iterator<Item = &Command> {
    std::iter::once(root).chain(root.get_subcommands())
}

#[test]
fn page_has_every_option_that_requires_another() {
    let root = command();
    let messages: BTreeSet<String> = commands(&root)
        .flat_map(|command| {
            requirements(command)
                .filter_map(|(option, required)| requirement_message(command, option, required))
        })
        .collect();
    let page: BTreeSet<_> =
        rows("Options that require others").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(page, messages, "{messages:#?}");
}

#[test]
fn page_has_every_option_that_excludes_others() {
    let root = command();
    let mut others: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for command in commands(&root) {
        for arg in command.get_arguments() {
            for other in command.get_arg_conflicts_with(arg) {
                let (one, other) = (option_name(arg), option_name(other));
                others.entry(one.clone()).or_default().insert(other.clone());
                others.entry(other).or_default().insert(one);
            }
        }
    }
    let expected: Vec<_> = others
        .into_iter()
        .map(|(option, others)| {
            let others: Vec<_> = others.into_iter().collect();
            [format!("{option} cannot be used with …"), others.join(", ")]
        })
        .collect();
    let page: Vec<_> = rows("Options that exclude others")
        .into_iter()
        .map(|row| [row[0].clone(), row[1].clone()])
        .collect();
    assert_eq!(page, expected, "{expected:#?}");
}

#[test]
fn page_has_the_messages_of_the_parser() {
    for (arguments, pattern) in REJECTED {
        let argv: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let message = parse(&argv).unwrap_err().to_string();
        let message = message.trim_start_matches("error: ");
        let mut rest = message.lines().next().unwrap();
        for part in pattern.split('…') {
            let at = rest.find(part).unwrap_or_else(|| panic!("{arguments:?}: {message}"));
            rest = &rest[at + part.len()..];
        }
        assert!(rest.is_empty() || pattern.ends_with('…'), "{arguments:?}: {message}");
    }
    let page: BTreeSet<_> =
        rows("Messages of the parser").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(page, REJECTED.map(|(_, pattern)| pattern.to_owned()).into());
}
