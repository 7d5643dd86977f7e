//! The options that `-h` shows: those that most users need. `--help` shows all.

use clap::Command;
use clap::builder::Resettable;

/// The width for which the texts are written, in columns.
const WIDTH: usize = 80;

/// The options of a command that `-h` shows, and a shorter description where the definition has values or a default
/// that need more than a line.
struct ShortHelp {
    command: &'static str,
    options: &'static [(&'static str, &'static str)],
}

const CONVERSION: ShortHelp = ShortHelp {
    command: "charpipe",
    options: &[
        ("from", ""),
        ("to", ""),
        ("output", ""),
        ("in_place", ""),
        ("recursive", ""),
        ("discard", ""),
        ("on_error", "On errors: stop, skip, replace[=TEXT], xml, … [default: stop]"),
        ("newline", "Convert line endings to lf, crlf or cr"),
        ("bom", "Keep, strip or add a byte order mark"),
        ("via", "Steps between, as in nfc or html:decode"),
        ("verbose", "Report every error; with -i, list every file"),
        ("help", ""),
        ("version", ""),
    ],
};

const SUBCOMMANDS: &[ShortHelp] = &[
    ShortHelp {
        command: "split",
        options: &[
            ("parts", "Number of ranges"),
            ("size", "Size of the ranges in bytes, or in K, M, G or T"),
            ("from", ""),
            ("to", ""),
            ("json", "Print a JSON object"),
            ("help", ""),
        ],
    },
    ShortHelp {
        command: "check",
        options: &[
            ("encoding", "Expected encoding, may be repeated [default: UTF-8]"),
            ("bom", "Byte order mark: any, forbid or require"),
            ("newline", "Line endings: any, lf, crlf, cr or same"),
            ("ascii_only", ""),
            ("confusing", ""),
            ("mojibake", "Report UTF-8 decoded in another encoding, as \"Ã©\""),
            ("editorconfig", "Take rules from .editorconfig files"),
            ("exclude", "Exclude files and directories matching GLOB"),
            ("files_with_findings", ""),
            ("context", "Show findings marked, with N lines before and after"),
            ("format", "Output: text, gcc, json, github, sarif, junit, …"),
            ("diff", "Print what 'charpipe fix' would change"),
            ("help", ""),
        ],
    },
    ShortHelp {
        command: "detect",
        options: &[
            ("name", ""),
            ("brief", ""),
            ("json", ""),
            ("candidates", "Print up to N candidates per file [default: 1]"),
            ("lang", "Language that the text may be in, as pl or zh-Hant"),
            ("exclude", "Exclude files and directories matching GLOB"),
            ("help", ""),
        ],
    },
    ShortHelp {
        command: "fix",
        options: &[
            ("encoding", "Encoding that the files should be in [default: UTF-8]"),
            ("from", "Encoding of other files, or detect"),
            ("bom", "Byte order mark: any, forbid or require"),
            ("newline", "Line endings: any, lf, crlf or cr"),
            ("via", "Change characters: remove-zero-width, …"),
            ("editorconfig", ""),
            ("diff", "Print the changes as a diff, without writing"),
            ("dry_run", ""),
            ("backup", ""),
            ("exclude", "Exclude files and directories matching GLOB"),
            ("verbose", ""),
            ("help", ""),
        ],
    },
    ShortHelp {
        command: "repair",
        options: &[
            ("encoding", ""),
            ("output", ""),
            ("diff", ""),
            ("in_place", "Repair files in place"),
            ("backup", ""),
            ("dry_run", ""),
            ("recursive", ""),
            ("verbose", "List every file, and report every error"),
            ("help", ""),
        ],
    },
];

/// Returns the definition of the command line with the options that `-h` shows, in one group.
pub fn with_short_help(mut root: Command) -> Command {
    root.build();
    root = root.mut_subcommands(|command| command.term_width(WIDTH));
    for help in SUBCOMMANDS {
        root = root.mut_subcommand(help.command, |command| shorten(command, help));
    }
    // A command of the package, and not one that a newcomer calls.
    root = root.mut_subcommand("install-links", |command| command.hide(true));
    shorten(root, &CONVERSION).override_usage(super::help::SHORT_USAGE)
}

fn shorten(command: Command, help: &ShortHelp) -> Command {
    command.term_width(WIDTH).mut_args(|arg| {
        let id = arg.get_id().as_str();
        match help.options.iter().find(|(shown, _)| *shown == id) {
            None => arg.hide_short_help(true),
            Some((_, "")) => arg.help_heading(Resettable::Reset),
            Some((_, text)) => {
                arg.help_heading(Resettable::Reset).help(*text).hide_possible_values(true)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args;

    #[test]
    fn options_of_the_tables_exist() {
        let root = args::command();
        for help in SUBCOMMANDS.iter().chain([&CONVERSION]) {
            let command = root.find_subcommand(help.command).unwrap_or(&root);
            for (id, _) in help.options {
                let is_defined = command.get_arguments().any(|arg| arg.get_id() == id);
                assert!(is_defined, "{} {id}", help.command);
            }
        }
    }
}
