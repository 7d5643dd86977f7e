//! The words of `charpipe check`, as they are.

use std::ffi::OsString;

use charpipe::check::{BinaryFiles, BomRule, NewlineRule};
use clap::{CommandFactory, Parser};

use super::format;
use crate::cli::args::{MAX_BUFFER_SIZE, PathArgs};
use crate::cli::check::help;

/// Find all that is wrong with files
#[derive(Debug, Parser)]
#[command(
    name = "charpipe-check",
    bin_name = "charpipe check",
    display_name = "charpipe check",
    version,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE,
    args_override_self = true
)]
pub struct CheckArgs {
    /// Encoding that the files should be in [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING", long_help = help::ENCODING)]
    pub encoding: Option<OsString>,

    /// What to ask of a byte order mark [default: any]
    #[arg(long, value_name = "RULE", value_parser = BomRule::NAMES.map(rule_name), long_help = help::BOM)]
    pub bom: Option<String>,

    /// What to ask of line ends [default: any]
    #[arg(long, value_name = "RULE", value_parser = NewlineRule::NAMES.map(rule_name))]
    #[arg(long_help = help::NEWLINE)]
    pub newline: Option<String>,

    /// What to make of a file that holds NUL [default: report]
    #[arg(long, value_name = "RULE", value_parser = BinaryFiles::NAMES.map(rule_name))]
    #[arg(long_help = help::BINARY)]
    pub binary: Option<String>,

    /// Check only the header lines of each message, for RFC2047
    #[arg(long, long_help = help::MESSAGE)]
    pub message: bool,

    #[command(flatten)]
    pub path_args: PathArgs,

    /// Form in which findings are told [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format::names(), long_help = help::FORMAT)]
    pub format: Option<String>,

    /// Tell at most N findings of each file; the rest are counted
    #[arg(long, value_name = "N")]
    pub max_errors: Option<u64>,

    /// Tell no findings; the exit code still does
    #[arg(short, long)]
    pub silent: bool,

    /// Bytes to check at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_BUFFER_SIZE))]
    pub block_size: Option<u32>,

    /// Files to check; - or none is the standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<OsString>,
}

fn rule_name<T>((name, _): (&'static str, T)) -> &'static str {
    name
}

/// The command line's description, from which pages are made.
pub fn command() -> clap::Command {
    CheckArgs::command()
}
