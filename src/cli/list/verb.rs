//! `charpipe list`: the same list by a verb.

use std::ffi::OsString;

use anyhow::Result;
use clap::{CommandFactory, Parser};

use super::{Form, charsets};
use crate::cli::args::{self, Words};
use crate::cli::descriptors::Closed;
use crate::cli::exit::Status;
use crate::cli::run::print;
use crate::cli::signals;

const USAGE: &str = "charpipe list [--json | --tsv]";

const ABOUT: &str = "\
List the charsets with all their names.

Without an option, one charset a line: its own name, then the others. Every name can be given to \
--from and --to.";

const AFTER: &str = "\
Exit code:
  0  the list was written
  2  wrong usage, or the output could not be written

Examples:
  charpipe list --tsv | cut -f 1,2
      Each charset with its name in MIME.
  charpipe list --json | jq -r '.[] | select(.windows) | \"\\(.windows) \\(.name)\"'
      Each code page of Windows with its charset.";

/// List the charsets with all their names
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
struct Args {
    /// An array of objects: name, about, kind, mime, windows, decode, encode, aliases and who uses them
    #[arg(long, overrides_with = "tsv")]
    json: bool,

    /// The same as a table, with tabs between the columns and their names in the first line
    #[arg(long, overrides_with = "json")]
    tsv: bool,
}

/// The command line's description, from which pages are made.
pub fn command() -> clap::Command {
    Args::command()
}

/// Prints the list that these words ask for, of which the first is the verb.
///
/// # Errors
///
/// Wrong usage, or what keeps the list from being printed.
pub fn run(words: &[OsString], closed: Closed) -> Result<Status> {
    signals::survive_size_limit()?;
    let args: Args = match args::parse(words)? {
        Words::Page(page) => return print(page.as_bytes(), closed),
        Words::Args(args) => *args,
    };
    let form = match (args.json, args.tsv) {
        (true, _) => Form::Json,
        (false, true) => Form::Tsv,
        (false, false) => Form::Plain,
    };
    print(&charsets(form), closed)
}
