//! What was meant by an option that a command does not have.

use clap::{Arg, Command};

use crate::cli::{args, subcommand};

/// Options of other programs, the option that does it here, and how that is written.
const FOREIGN_OPTIONS: [(&str, &str, &str); 14] = [
    ("-q", "silent", "--silent"),
    ("--quiet", "silent", "--silent"),
    ("-b", "backup", "--backup"),
    ("--exclude", "glob", "--glob '!GLOB'"),
    ("--include", "glob", "--glob GLOB"),
    ("--encoding", "from", "--from"),
    ("--from", "encoding", "--encoding"),
    ("-f", "encoding", "--encoding"),
    ("-t", "encoding", "--encoding"),
    ("--format", "json", "--json"),
    ("--json", "format", "--format=json"),
    ("--jsonl", "format", "--format=jsonl"),
    ("json", "json", "--json"),
    ("tsv", "tsv", "--tsv"),
];

/// A tip about an unknown option of a command, if there is one that does what was meant, or if
/// another subcommand has it.
pub fn suggest(option: &str, command: &Command) -> Option<String> {
    let is_meant = |(foreign, own, _): &&(&str, &str, &str)| {
        *foreign == option && has_option(command, &format!("--{own}"))
    };
    let habit = FOREIGN_OPTIONS.iter().find(is_meant);
    if let Some((_, _, written)) = habit {
        return Some(format!("use {written}"));
    }
    let owners: Vec<_> = all_commands()
        .filter(|(_, other)| has_option(other, option))
        .map(|(name, _)| name)
        .collect();
    (!owners.is_empty()).then(|| format!("{option} is an option of {}", owners.join(" and ")))
}

/// Whether an option of a command may have been meant by one that it does not have: by its beginning, or
/// with a letter or two mistyped. The options for tests are not for users.
pub fn is_similar(known: &str, option: &str, command: &Command) -> bool {
    if command.get_arguments().any(|arg| arg.is_hide_set() && matches_flag(arg, known)) {
        return false;
    }
    let [known, option] = [known, option].map(|text| text.trim_start_matches('-'));
    let is_prefix = option.len() > 2 && known.starts_with(option);
    let distance = strsim::damerau_levenshtein(known, option);
    is_prefix || known.chars().next() == option.chars().next() && distance <= option.len() / 3
}

/// Every command line with its name.
fn all_commands() -> impl Iterator<Item = (String, Command)> {
    let subcommands = subcommand::ALL
        .iter()
        .map(|subcommand| (format!("'charpipe {}'", subcommand.name), (subcommand.command)()));
    std::iter::once(("'charpipe' without a verb".to_owned(), args::command())).chain(subcommands)
}

fn has_option(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|arg| !arg.is_hide_set() && matches_flag(arg, option))
}

/// Whether this is the argument that is written so, with its hyphens.
fn matches_flag(arg: &Arg, option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some_and(|short| option == format!("-{short}")),
    }
}
