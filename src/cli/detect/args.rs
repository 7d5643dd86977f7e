//! The words of `charpipe detect`, as they are.

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

use super::help;
use crate::cli::args::{MAX_BUFFER_SIZE, PathArgs};

/// Find out in which encodings files are
#[derive(Debug, Parser)]
#[command(
    name = "charpipe-detect",
    bin_name = "charpipe detect",
    display_name = "charpipe detect",
    version,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE,
    args_override_self = true
)]
pub struct DetectArgs {
    /// One object a line, in JSON
    #[arg(long, long_help = help::JSON)]
    pub json: bool,

    /// Tell up to N encodings of each file, the best first [default: 1]
    #[arg(long, value_name = "N", long_help = help::CANDIDATES)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub candidates: Option<u32>,

    #[command(flatten)]
    pub path_args: PathArgs,

    /// Bytes to look at at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_BUFFER_SIZE))]
    pub block_size: Option<u32>,

    /// Files to look at; - or none is the standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<OsString>,
}

/// The command line's description, from which pages are made.
pub fn command() -> clap::Command {
    DetectArgs::command()
}
