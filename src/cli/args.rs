//! The words of a command line, as they are: nothing is looked up and nothing is judged here.

use std::ffi::OsString;

use charpipe::plan::Plan;
use charpipe::quote::Quoted;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use clap_complete::Shell;

use super::exit::Usage;
use super::list::Form;
use super::{help, verb};

mod alone;
mod in_place;
mod tip;
mod which;

pub use in_place::InPlaceWords;
pub use which::Which;

/// The largest block that can be asked for, in bytes.
pub const LARGEST_BLOCK: i64 = Plan::LARGEST_BLOCK as i64;

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
pub struct Args {
    /// Encoding of the input, or auto [default: UTF-8]
    #[arg(short, long, alias = "from-code", value_name = "CHARSET", long_help = help::FROM)]
    pub from: Option<OsString>,

    /// Encoding of the output [default: UTF-8]
    #[arg(short, long, alias = "to-code", value_name = "CHARSET", long_help = help::TO)]
    pub to: Option<OsString>,

    /// Write to FILE, which is replaced only when all went well
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(allow_hyphen_values = true, long_help = help::OUTPUT)]
    pub output: Option<OsString>,

    /// Encoding of an input of which --from auto does not find it out
    #[arg(long, value_name = "CHARSET")]
    pub fallback: Option<OsString>,

    /// Least confidence for --from detect: guess, likely or certain
    #[arg(long, value_name = "LEVEL", value_parser = ["guess", "likely", "certain"])]
    #[arg(long_help = help::MIN_CONFIDENCE)]
    pub min_confidence: Option<String>,

    /// Leave out what cannot be converted, as --on-error skip
    #[arg(short = 'c', overrides_with = "on_error")]
    pub discard: bool,

    /// What to do about faults: stop, skip, replace[=TEXT], xml, …
    #[arg(long, value_name = "ACTION", long_help = help::on_error(), overrides_with = "discard")]
    pub on_error: Option<OsString>,

    /// The same, for bytes that are no character
    #[arg(long, value_name = "ACTION")]
    pub on_invalid: Option<OsString>,

    /// The same, for characters that the output encoding lacks
    #[arg(long, value_name = "ACTION")]
    pub on_unmappable: Option<OsString>,

    /// Keep to RFC 2047 to the letter, and find fault with words that do not
    #[arg(long, long_help = help::STRICT)]
    pub strict: bool,

    /// Convert only the header lines of each message, for RFC2047
    #[arg(long, long_help = help::MESSAGE)]
    pub message: bool,

    /// What to do about a byte order mark
    #[arg(long, value_name = "WHAT", value_parser = ["keep", "strip", "add"], long_help = help::BOM)]
    pub bom: Option<String>,

    /// Do not tell faults; the exit code still does
    #[arg(short, long, overrides_with = "verbose")]
    pub silent: bool,

    /// Tell every fault, not only the first ten of a file; with -i tell of every file
    #[arg(short, long, overrides_with = "silent")]
    pub verbose: bool,

    /// List the charsets with all their names
    #[arg(short, long, value_name = "FORM", value_enum, num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "plain")]
    pub list: Option<Form>,

    /// Print completions for a shell
    #[arg(long, value_name = "SHELL")]
    pub completions: Option<Shell>,

    /// Print the manual page
    #[arg(long)]
    pub man: bool,

    #[command(flatten)]
    pub in_place: InPlaceWords,

    #[command(flatten)]
    pub which: Which,

    /// Bytes to convert at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=LARGEST_BLOCK))]
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
pub enum Words<A = Args> {
    Args(Box<A>),
    /// It asks for this page, `--help` or `--version`.
    Page(String),
}

/// Reads a command line.
///
/// # Errors
///
/// [`Usage`] for what no command line can say.
pub fn parse<A: Parser>(words: &[OsString]) -> Result<Words<A>, Usage> {
    let parsed = A::command().try_get_matches_from(words).and_then(|matches| {
        let conflict = alone::conflict(&A::command(), &matches);
        A::from_arg_matches(&matches).map(|args| (args, conflict))
    });
    let error = match parsed {
        Ok((_, Some(conflict))) => return Err(Usage(conflict)),
        Ok((args, None)) => return Ok(Words::Args(Box::new(args))),
        Err(error) => error,
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Ok(Words::Page(error.render().to_string()))
        }
        _ => Err(Usage(quoted(with_own_tip(error, &A::command())).render().to_string())),
    }
}

/// The same error with tips that are right. The parser would have any unknown option passed as the name
/// of a file, and finds values similar that have nothing in common; it lists them all anyway.
fn with_own_tip(mut error: clap::Error, command: &clap::Command) -> clap::Error {
    error.remove(ContextKind::Suggested);
    error.remove(ContextKind::SuggestedValue);
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let similar = error.get(ContextKind::SuggestedArg);
    let is_alike =
        matches!(similar, Some(ContextValue::String(it)) if tip::is_alike(it, option, command));
    let own = tip::of(option, command);
    if own.is_some() || !is_alike {
        error.remove(ContextKind::SuggestedArg);
    }
    if let Some(tip) = own {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The same error with every word of the command line spelled out: the parser drops some of what
/// would drive a terminal and breaks its lines at a line feed, whoever it comes from.
fn quoted(mut error: clap::Error) -> clap::Error {
    let hostile: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(word) if !Quoted::new(word).is_plain() => {
                Some((kind, Quoted::new(word).to_string()))
            }
            _ => None,
        })
        .collect();
    for (kind, word) in hostile {
        error.insert(kind, ContextValue::String(word));
    }
    error
}

/// The command line's description, from which the manual is made.
pub fn command() -> clap::Command {
    Args::command()
}

/// The same with the verbs, but without the options that only tests use: completions show hidden
/// ones.
pub fn shown() -> clap::Command {
    let shown = |name, whole: clap::Command| {
        let shown = whole.get_arguments().filter(|option| !option.is_hide_set()).cloned();
        clap::Command::new(name).version(env!("CARGO_PKG_VERSION")).args(shown)
    };
    let verbs = verb::ALL.iter().map(|verb| {
        let command = (verb.command)();
        let about = command.get_about().cloned().unwrap_or_default();
        shown(verb.name, command).about(about)
    });
    shown("charpipe", command()).subcommands(verbs).disable_help_subcommand(true)
}
