//! `charpipe list`.

use anyhow::Result;

use super::{ListFormat, encoding_list};
use crate::cli::args::HelpArgs;
use crate::cli::closed_stdio::ClosedStdio;
use crate::cli::convert::print;
use crate::cli::exit::ExitStatus;

const USAGE: &str = "charpipe list [--json | --tsv]";

const ABOUT: &str = "\
List encodings and their aliases.

By default each line has the name of an encoding and its aliases. --from and --to accept every \
name.";

const JSON: &str = "\
Print JSON

An array of objects with name, description, category, mime (the preferred MIME name), \
windows_code_page, decode, encode, and aliases, each with its sources.";

const AFTER: &str = "\
Exit code:
  0  the list was written
  2  wrong usage, or the output could not be written

Examples:
  charpipe list --tsv | cut -f 1,2
      Print each encoding with its MIME name.
  charpipe list --json | jq -r '.[] | select(.windows_code_page) | \"\\(.windows_code_page) \\(.name)\"'
      Print each Windows code page with its encoding.";

/// List encodings and their aliases
#[derive(Debug, clap::Args)]
#[command(
    display_name = "charpipe list",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = ABOUT,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long, overrides_with = "tsv", long_help = JSON)]
    json: bool,

    /// Print a table with tab-separated columns and a header line
    #[arg(long, overrides_with = "json")]
    tsv: bool,

    #[command(flatten)]
    other: HelpArgs,
}

/// Prints the list of encodings.
///
/// # Errors
///
/// Returns an error if the list cannot be written.
pub fn run(args: &ListArgs, closed: ClosedStdio) -> Result<ExitStatus> {
    let format = match (args.json, args.tsv) {
        (true, _) => ListFormat::Json,
        (false, true) => ListFormat::Tsv,
        (false, false) => ListFormat::Plain,
    };
    print(&encoding_list(format), closed)
}
