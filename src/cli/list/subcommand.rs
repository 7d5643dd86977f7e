//! `charpipe list`: the same list by a subcommand.

use std::ffi::OsString;

use anyhow::Result;
use clap::{CommandFactory, Parser};

use super::{ListFormat, encoding_list};
use crate::cli::args::{self, Parsed};
use crate::cli::closed_stdio::ClosedStdio;
use crate::cli::convert::print;
use crate::cli::exit::ExitStatus;
use crate::cli::signals;

const USAGE: &str = "charpipe list [--json | --tsv]";

const ABOUT: &str = "\
List the encodings with all their names.

Without an option, one encoding a line: its own name, then the others. Every name can be given to \
--from and --to.";

const AFTER: &str = "\
Exit code:
  0  the list was written
  2  wrong usage, or the output could not be written

Examples:
  charpipe list --tsv | cut -f 1,2
      Each encoding with its name in MIME.
  charpipe list --json | jq -r '.[] | select(.windows) | \"\\(.windows) \\(.name)\"'
      Each code page of Windows with its encoding.";

/// List the encodings with all their names
#[derive(Debug, Parser)]
#[command(
    name = "charpipe-list",
    bin_name = "charpipe list",
    display_name = "charpipe list",
    version,
    long_about = ABOUT,
    after_long_help = AFTER,
    override_usage = USAGE,
    args_override_self = true
)]
struct ListArgs {
    /// An array of objects: name, about, kind, mime, windows, decode, encode, aliases and who uses them
    #[arg(long, overrides_with = "tsv")]
    json: bool,

    /// The same as a table, with tabs between the columns and their names in the first line
    #[arg(long, overrides_with = "json")]
    tsv: bool,
}

/// The command line's description, from which pages are made.
pub fn command() -> clap::Command {
    ListArgs::command()
}

/// Prints the list that these words ask for, of which the first is the subcommand.
///
/// # Errors
///
/// Wrong usage, or what keeps the list from being printed.
pub fn run(argv: &[OsString], closed: ClosedStdio) -> Result<ExitStatus> {
    signals::ignore_sigxfsz()?;
    let args: ListArgs = match args::parse(argv)? {
        Parsed::Text(page) => return print(page.as_bytes(), closed),
        Parsed::Args(args) => *args,
    };
    let format = match (args.json, args.tsv) {
        (true, _) => ListFormat::Json,
        (false, true) => ListFormat::Tsv,
        (false, false) => ListFormat::Plain,
    };
    print(&encoding_list(format), closed)
}
