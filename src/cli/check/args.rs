//! Command-line definition of `charpipe check`.

use std::ffi::OsString;

use charpipe_check::{BinaryFiles, BomRule, DeclarationRule, NewlineRule};

use clap::builder::Resettable;

use super::format;
use crate::cli::check::help;
use crate::cli::shared_args::{HelpArgs, MAX_BUFFER_SIZE, MAX_JOBS, PathArgs, any_case};

/// Check that files are valid in an encoding
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe check",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE
)]
pub struct CheckArgs {
    #[command(flatten)]
    pub rules: RuleArgs,

    #[command(flatten)]
    pub path_args: PathArgs,

    #[command(flatten)]
    pub range: CheckRangeArgs,

    #[command(flatten)]
    pub report: ReportArgs,

    #[command(flatten)]
    pub other: HelpArgs,

    /// Number of threads, 1 to 32 [default: number of CPUs, up to 8]
    #[arg(short, long, value_name = "N", long_help = help::JOBS, conflicts_with = "diff")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_JOBS))]
    #[arg(help_heading = "Report")]
    pub jobs: Option<u32>,

    /// Number of bytes to check at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_BUFFER_SIZE))]
    pub buffer_size: Option<u32>,

    /// Files and directories to check; - for standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath, long_help = help::PATHS)]
    #[arg(help_heading = Resettable::Reset)]
    pub paths: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Rules")]
pub struct RuleArgs {
    /// Expected encoding; if given several times, any of them [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING", long_help = help::ENCODING)]
    pub encoding: Vec<OsString>,

    /// Byte order mark rule [default: any]
    #[arg(long, value_name = "RULE", ignore_case = true, long_help = help::BOM)]
    #[arg(value_parser = any_case(BomRule::NAMES.map(rule_name)))]
    pub bom: Option<String>,

    /// Line ending rule [default: any]
    #[arg(long, value_name = "STYLE", ignore_case = true)]
    #[arg(value_parser = any_case(NewlineRule::NAMES.map(rule_name)))]
    #[arg(long_help = help::NEWLINE)]
    pub newline: Option<String>,

    /// Rule for the encoding that XML, HTML and coding lines declare [default: match]
    #[arg(long, value_name = "RULE", value_parser = DeclarationRule::NAMES.map(rule_name))]
    #[arg(long_help = help::DECLARATION)]
    pub declaration: Option<String>,

    /// How to treat files containing NUL [default: report, but skip in directories]
    #[arg(long, value_name = "RULE", value_parser = BinaryFiles::NAMES.map(rule_name))]
    #[arg(long_help = help::BINARY)]
    pub binary: Option<String>,

    /// Take charset and end_of_line from .editorconfig files
    #[arg(long, long_help = help::EDITORCONFIG)]
    pub editorconfig: bool,

    /// Ignore .gitattributes files
    #[arg(long, long_help = help::NO_GITATTRIBUTES)]
    pub no_gitattributes: bool,

    /// Report characters outside ASCII
    #[arg(long, long_help = help::ASCII_ONLY)]
    pub ascii_only: bool,

    /// Report invisible and misleading characters
    #[arg(long, long_help = help::CONFUSING)]
    pub confusing: bool,

    /// Report UTF-8 that was decoded in another encoding, as "Ã©"
    #[arg(long, long_help = help::MOJIBAKE)]
    pub mojibake: bool,

    /// Check only message headers (requires RFC2047)
    #[arg(long, long_help = help::HEADERS_ONLY)]
    pub headers_only: bool,
}

/// The options that need the whole file.
const NOT_WITH_RANGE: [&str; 8] = [
    "context",
    "editorconfig",
    "mojibake",
    "headers_only",
    "confusing",
    "stats",
    "diff",
    "files_from",
];

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Parts of a file")]
pub struct CheckRangeArgs {
    /// Check only the lines that begin in a range of PATH: A-B in bytes, or I/N
    #[arg(long, value_name = "RANGE", long_help = help::RANGE, conflicts_with_all = NOT_WITH_RANGE)]
    pub range: Option<OsString>,

    /// Number of lines before the range, for the positions of findings [default: 0]
    #[arg(long, value_name = "N")]
    pub line_base: Option<u64>,
}

/// The options that have no effect on a list of names.
const NOT_WITH_NAMES: [&str; 5] = ["context", "format", "max_findings", "stats", "quiet"];

/// The options that have no effect on a diff.
const NOT_WITH_DIFF: [&str; 12] = [
    "context",
    "declaration",
    "format",
    "max_findings",
    "files_with_findings",
    "files_without_findings",
    "stats",
    "quiet",
    "ascii_only",
    "confusing",
    "mojibake",
    "headers_only",
];

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format::names(), long_help = format::help())]
    pub format: Option<String>,

    /// Show the line of each finding, with N lines before and after it [text format]
    #[arg(short = 'C', long, value_name = "N", long_help = help::CONTEXT)]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100), conflicts_with = "quiet")]
    pub context: Option<u32>,

    /// Report at most N findings per file; the rest are counted [default: 10 as text, else all]
    #[arg(long, value_name = "N|all", value_parser = parse_max_findings)]
    pub max_findings: Option<u64>,

    /// Print only the names of files with findings
    #[arg(short = 'l', long, long_help = help::FILES_WITH_FINDINGS)]
    #[arg(conflicts_with_all = NOT_WITH_NAMES)]
    pub files_with_findings: bool,

    /// Print only the names of files without findings
    #[arg(short = 'L', long, conflicts_with_all = NOT_WITH_NAMES)]
    #[arg(conflicts_with = "files_with_findings")]
    pub files_without_findings: bool,

    /// Print statistics: encodings, byte order marks, line endings
    #[arg(long, long_help = help::STATS, conflicts_with = "quiet")]
    pub stats: bool,

    /// Print what 'charpipe fix' would change, instead of the findings
    #[arg(long, long_help = help::DIFF, conflicts_with_all = NOT_WITH_DIFF)]
    pub diff: bool,

    /// Print nothing; only set the exit code
    #[arg(short, long, visible_short_alias = 's', visible_alias = "silent")]
    pub quiet: bool,
}

fn parse_max_findings(value: &str) -> Result<u64, String> {
    match value {
        "all" => Ok(u64::MAX),
        _ => value.parse().map_err(|_| "expected a number, or all".to_owned()),
    }
}

fn rule_name<T>((name, _): (&'static str, T)) -> &'static str {
    name
}
