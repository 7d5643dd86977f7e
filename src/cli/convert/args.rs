//! The arguments of a conversion.

use std::ffi::OsString;

use clap::builder::Resettable;

use crate::cli::completion_scripts::Shell;
use crate::cli::detect::args::DetectionArgs;
use crate::cli::help;
use crate::cli::list::ListFormat;
use crate::cli::shared_args::{HelpArgs, PathArgs, ReplaceArgs, TestArgs, any_case};

/// The arguments of a conversion.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub io: InputOutputArgs,

    #[command(flatten)]
    pub errors: ErrorArgs,

    #[command(flatten)]
    pub per_file: PerFileArgs,

    #[command(flatten)]
    pub path_args: PathArgs,

    #[command(flatten)]
    pub range: RangeArgs,

    #[command(flatten)]
    pub rfc2047: Rfc2047Args,

    #[command(flatten)]
    pub print: PrintArgs,

    #[command(flatten)]
    pub testing: TestArgs,

    #[command(flatten)]
    pub other: HelpArgs,

    /// Whether to print what changes instead of changing files, for `charpipe repair`.
    #[arg(skip)]
    pub diff: bool,

    /// Input files; - or none for standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(help_heading = Resettable::Reset)]
    pub files: Vec<OsString>,
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Input and output")]
pub struct InputOutputArgs {
    /// Input encoding, or auto or detect [default: UTF-8]
    #[arg(short, long, alias = "from-code", value_name = "ENCODING", long_help = help::FROM)]
    pub from: Option<OsString>,

    /// Output encoding [default: UTF-8]
    #[arg(short, long, alias = "to-code", value_name = "ENCODING", long_help = help::TO)]
    pub to: Option<OsString>,

    /// Write to FILE atomically (only on success)
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(allow_hyphen_values = true, long_help = help::OUTPUT)]
    pub output: Option<OsString>,

    /// Steps between the encodings, separated by commas: nfc, lf, html:decode, …
    #[arg(long, value_name = "STEP", long_help = help::VIA)]
    pub via: Vec<OsString>,

    /// All steps of the conversion, as in base64..iso-2022-jp..nfc..utf-8/crlf
    #[arg(long, value_name = "STEPS", long_help = help::CHAIN)]
    #[arg(conflicts_with_all = ["from", "to", "via"])]
    pub chain: Option<OsString>,

    /// Convert line endings
    #[arg(long, value_name = "FORM", value_parser = any_case(["lf", "crlf", "cr"]), ignore_case = true)]
    #[arg(long_help = help::NEWLINE)]
    pub newline: Option<String>,

    /// Apply a Unicode normalization form
    #[arg(long, value_name = "FORM", ignore_case = true, long_help = help::NORMALIZE)]
    #[arg(value_parser = any_case(["nfc", "nfd", "nfkc", "nfkd"]))]
    pub normalize: Option<String>,

    /// Change the encoding that XML, HTML and coding lines declare
    #[arg(long, long_help = help::FIX_DECLARATION)]
    pub fix_declaration: bool,

    /// Encoding to assume if --from auto is inconclusive
    #[arg(long, value_name = "ENCODING")]
    pub default_encoding: Option<OsString>,

    #[command(flatten)]
    pub detection: DetectionArgs,

    /// Keep, strip or add a byte order mark
    #[arg(long, value_name = "MODE", ignore_case = true, long_help = help::BOM)]
    #[arg(value_parser = any_case(["keep", "strip", "add"]))]
    pub bom: Option<String>,
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Error handling")]
pub struct ErrorArgs {
    /// Discard unconvertible input (same as --on-error skip)
    #[arg(short = 'c', overrides_with = "on_error")]
    pub discard: bool,

    /// What to do on conversion errors: stop, skip, replace[=TEXT], xml, … [default: stop]
    #[arg(long, value_name = "ACTION", long_help = help::on_error(), overrides_with = "discard")]
    pub on_error: Option<OsString>,

    /// What to do with invalid input bytes [default: as --on-error]
    #[arg(long, value_name = "ACTION")]
    pub on_invalid: Option<OsString>,

    /// What to do with characters not in the output encoding [default: as --on-error]
    #[arg(long, value_name = "ACTION")]
    pub on_unmappable: Option<OsString>,

    /// Language whose transliterations apply, as in de: ä to ae
    #[arg(long, value_name = "LANG", long_help = help::translit_lang())]
    pub translit_lang: Option<OsString>,

    /// Suppress conversion error messages and summaries
    #[arg(short, long, visible_short_alias = 's', visible_alias = "silent")]
    #[arg(overrides_with = "verbose")]
    pub quiet: bool,

    /// Report every error (default: first 10 per file); with -i, list every file
    #[arg(short, long, overrides_with = "quiet")]
    pub verbose: bool,
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "In place or elsewhere")]
pub struct PerFileArgs {
    /// Convert files in place
    #[arg(short, long, long_help = help::IN_PLACE, conflicts_with = "output")]
    pub in_place: bool,

    /// Convert each file to a file of the same name in DIR
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    #[arg(long_help = help::OUTPUT_DIR, conflicts_with_all = ["output", "in_place"])]
    pub output_dir: Option<OsString>,

    /// Convert each FILE to FILE+SUFFIX, in the same directory or that of --output-dir
    #[arg(long, value_name = "SUFFIX", long_help = help::SUFFIX)]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["output", "in_place"])]
    pub suffix: Option<OsString>,

    #[command(flatten)]
    pub replace: ReplaceArgs,
}

impl PerFileArgs {
    /// Returns whether each file is converted to an output of its own.
    pub fn has_own_outputs(&self) -> bool {
        self.output_dir.is_some() || self.suffix.is_some()
    }
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Parts of a file")]
pub struct RangeArgs {
    /// Convert only the lines that begin in a range of FILE: A-B in bytes, or I/N
    #[arg(long, hide_long_help = true, value_name = "RANGE", long_help = help::RANGE)]
    #[arg(conflicts_with_all = ["in_place", "output_dir", "suffix", "jobs"])]
    pub range: Option<OsString>,

    /// Number of lines before the range, for the positions of errors [default: 0]
    #[arg(long, hide_long_help = true, value_name = "N")]
    pub line_base: Option<u64>,

    /// Assume the initial state after each line feed, to be verified by the reports
    #[arg(long, hide_long_help = true, long_help = help::ASSUME_LINE_START)]
    pub assume_line_start: bool,

    /// State in which the preceding range ended, from its report
    #[arg(long, hide_long_help = true, value_name = "STATE", long_help = help::START_STATE)]
    pub start_state: Option<String>,

    /// Write a report of the range to FILE, in JSON
    #[arg(long, hide_long_help = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(allow_hyphen_values = true, long_help = help::REPORT)]
    pub report: Option<OsString>,
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Mail headers")]
pub struct Rfc2047Args {
    /// Enforce RFC 2047 strictly
    #[arg(long, long_help = help::STRICT)]
    pub strict: bool,

    /// Convert only message headers; copy the body unchanged
    #[arg(long, long_help = help::HEADERS_ONLY)]
    pub headers_only: bool,

    /// Join the lines of each header field
    #[arg(long, long_help = help::UNFOLD)]
    pub unfold: bool,

    /// Print only the header fields of this name (may be repeated)
    #[arg(long, value_name = "NAME", long_help = help::FIELD)]
    #[arg(conflicts_with_all = ["in_place", "headers_only"])]
    pub field: Vec<OsString>,
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Other")]
pub struct PrintArgs {
    /// List encodings and their aliases [default: plain on a terminal, else iconv]
    #[arg(short, long, value_name = "FORMAT", value_enum, num_args = 0..=1, require_equals = true)]
    pub list: Option<Option<ListFormat>>,

    /// Print completions for a shell
    #[arg(long, value_name = "SHELL")]
    pub completions: Option<Shell>,
}
