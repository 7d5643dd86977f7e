//! The words of a command line, as they are: nothing is looked up and nothing is judged here.

use std::ffi::OsString;

use charpipe::options::TranscodeOptions;
use charpipe::quote::Quoted;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use clap_complete::Shell;

use super::exit::UsageError;
use super::list::ListFormat;
use super::{help, subcommand};

mod exclusive;
mod in_place;
mod paths;
mod suggestions;

pub use in_place::InPlaceArgs;
pub use paths::PathArgs;

/// The largest block that can be requested, in bytes.
pub const MAX_BUFFER_SIZE: i64 = TranscodeOptions::MAX_BUFFER_SIZE as i64;

/// Convert text between encodings
#[derive(Debug, Parser)]
#[command(
    name = "charpipe",
    version,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE,
    args_override_self = true
)]
pub struct ConvertArgs {
    /// Encoding of the input, or auto [default: UTF-8]
    #[arg(short, long, alias = "from-code", value_name = "ENCODING", long_help = help::FROM)]
    pub from: Option<OsString>,

    /// Encoding of the output [default: UTF-8]
    #[arg(short, long, alias = "to-code", value_name = "ENCODING", long_help = help::TO)]
    pub to: Option<OsString>,

    /// Write to FILE, which is replaced only when all went well
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(allow_hyphen_values = true, long_help = help::OUTPUT)]
    pub output: Option<OsString>,

    /// Encoding of an input of which --from auto does not find it out
    #[arg(long, value_name = "ENCODING")]
    pub fallback: Option<OsString>,

    /// Least confidence for --from detect: guess, likely or certain
    #[arg(long, value_name = "LEVEL", value_parser = ["guess", "likely", "certain"])]
    #[arg(long_help = help::MIN_CONFIDENCE)]
    pub min_confidence: Option<String>,

    /// Leave out what cannot be converted, as --on-error skip
    #[arg(short = 'c', overrides_with = "on_error")]
    pub discard: bool,

    /// What to do about errors: stop, skip, replace[=TEXT], xml, …
    #[arg(long, value_name = "ACTION", long_help = help::on_error(), overrides_with = "discard")]
    pub on_error: Option<OsString>,

    /// The same, for bytes that are no character
    #[arg(long, value_name = "ACTION")]
    pub on_invalid: Option<OsString>,

    /// The same, for characters that the output encoding lacks
    #[arg(long, value_name = "ACTION")]
    pub on_unmappable: Option<OsString>,

    /// Keep to RFC 2047 to the letter, and find error with words that do not
    #[arg(long, long_help = help::STRICT)]
    pub strict: bool,

    /// Convert only the header lines of each message, for RFC2047
    #[arg(long, long_help = help::MESSAGE)]
    pub message: bool,

    /// What to do about a byte order mark
    #[arg(long, value_name = "WHAT", value_parser = ["keep", "strip", "add"], long_help = help::BOM)]
    pub bom: Option<String>,

    /// Do not tell errors; the exit code still does
    #[arg(short, long, overrides_with = "verbose")]
    pub silent: bool,

    /// Tell every error, not only the first ten of a file; with -i tell of every file
    #[arg(short, long, overrides_with = "silent")]
    pub verbose: bool,

    /// List the encodings with all their names
    #[arg(short, long, value_name = "FORM", value_enum, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "plain")]
    pub list: Option<ListFormat>,

    /// Print completions for a shell
    #[arg(long, value_name = "SHELL")]
    pub completions: Option<Shell>,

    /// Print the manual page
    #[arg(long)]
    pub man: bool,

    #[command(flatten)]
    pub in_place: InPlaceArgs,

    #[command(flatten)]
    pub path_args: PathArgs,

    /// Bytes to convert at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_BUFFER_SIZE))]
    pub block_size: Option<u32>,

    /// Convert everything through the pivot
    #[arg(long, hide = true)]
    pub no_fast_paths: bool,

    /// Give temporary files a name from the start
    #[arg(long, hide = true)]
    pub always_named: bool,

    /// Input files, read one after the other; - or none is the standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<OsString>,
}

/// A command line that says something.
#[derive(Debug)]
pub enum Parsed<A = ConvertArgs> {
    Args(Box<A>),
    /// It asks for this page, `--help` or `--version`.
    Text(String),
}

/// Reads a command line.
///
/// # Errors
///
/// [`Usage`] for what no command line can say.
pub fn parse<A: Parser>(argv: &[OsString]) -> Result<Parsed<A>, UsageError> {
    let parsed = A::command().try_get_matches_from(argv).and_then(|matches| {
        let conflict = exclusive::find_conflict(&A::command(), &matches);
        A::from_arg_matches(&matches).map(|args| (args, conflict))
    });
    let error = match parsed {
        Ok((_, Some(conflict))) => return Err(UsageError(conflict)),
        Ok((args, None)) => return Ok(Parsed::Args(Box::new(args))),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Ok(Parsed::Text(error.render().to_string()))
        }
        _ => Err(UsageError(
            sanitize_error(with_custom_tip(error, &A::command())).render().to_string(),
        )),
    }
}

/// The same error with tips that are right. The parser would have any unknown option passed as the name
/// of a file, and finds values similar that have nothing in common; it lists them all anyway.
fn with_custom_tip(mut error: clap::Error, command: &clap::Command) -> clap::Error {
    error.remove(ContextKind::Suggested);
    error.remove(ContextKind::SuggestedValue);
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let similar = error.get(ContextKind::SuggestedArg);
    let is_similar = matches!(similar, Some(ContextValue::String(it)) if suggestions::is_similar(it, option, command));
    let custom = suggestions::suggest(option, command);
    if custom.is_some() || !is_similar {
        error.remove(ContextKind::SuggestedArg);
    }
    if let Some(tip) = custom {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The same error with every word of the command line spelled out: the parser drops some of what
/// would drive a terminal and breaks its lines at a line feed, whoever it comes from.
fn sanitize_error(mut error: clap::Error) -> clap::Error {
    let unsafe_values: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(word) if !Quoted::new(word).is_plain() => {
                Some((kind, Quoted::new(word).to_string()))
            }
            _ => None,
        })
        .collect();
    for (kind, word) in unsafe_values {
        error.insert(kind, ContextValue::String(word));
    }
    error
}

/// The command line's description, from which the manual is made.
pub fn command() -> clap::Command {
    ConvertArgs::command()
}

/// The same with the subcommands, but without the options that only tests use: completions show hidden
/// ones.
pub fn completion_command() -> clap::Command {
    let shown = |name, whole: clap::Command| {
        let shown = whole.get_arguments().filter(|option| !option.is_hide_set()).cloned();
        clap::Command::new(name).version(env!("CARGO_PKG_VERSION")).args(shown)
    };
    let subcommands = subcommand::ALL.iter().map(|subcommand| {
        let command = (subcommand.command)();
        let about = command.get_about().cloned().unwrap_or_default();
        shown(subcommand.name, command).about(about)
    });
    shown("charpipe", command()).subcommands(subcommands).disable_help_subcommand(true)
}
