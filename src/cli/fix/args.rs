//! Command-line definition of `charpipe fix`.

use std::ffi::OsString;

use clap::builder::Resettable;

use super::help;
use crate::cli::check::help::NO_GITATTRIBUTES;
use crate::cli::detect::args::DetectionArgs;
use crate::cli::help::FIX_DECLARATION;
use crate::cli::shared_args::{HelpArgs, PathArgs, ReplaceArgs, TestArgs, any_case};
use charpipe_check::BomRule;

/// Fix the encoding, BOM and line endings of files
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe fix",
    version,
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE,
    mut_arg("force", |arg| arg.help(help::FORCE).long_help(help::FORCE))
)]
pub struct FixArgs {
    #[command(flatten)]
    pub rules: FixRuleArgs,

    #[command(flatten)]
    pub changes: FixChangeArgs,

    #[command(flatten)]
    pub path_args: PathArgs,

    #[command(flatten)]
    pub testing: TestArgs,

    #[command(flatten)]
    pub other: HelpArgs,

    /// Files and directories to fix; - for standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath, long_help = help::PATHS)]
    #[arg(help_heading = Resettable::Reset)]
    pub paths: Vec<OsString>,
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Rules")]
pub struct FixRuleArgs {
    /// Encoding that the files should be in [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING")]
    pub encoding: Option<OsString>,

    /// Byte order mark rule [default: any]
    #[arg(long, value_name = "RULE", value_parser = any_case(BomRule::NAMES.map(|(name, _)| name)))]
    #[arg(ignore_case = true, long_help = help::BOM)]
    pub bom: Option<String>,

    /// Line ending rule [default: any]
    #[arg(long, value_name = "STYLE", ignore_case = true)]
    #[arg(value_parser = any_case(["any", "lf", "crlf", "cr"]))]
    #[arg(long_help = help::NEWLINE)]
    pub newline: Option<String>,

    /// Remove or replace characters, as with remove-zero-width
    #[arg(long, value_name = "STEPS", long_help = help::via())]
    pub via: Vec<OsString>,

    /// Repair text that was decoded in the wrong encoding
    #[arg(long, long_help = help::REPAIR)]
    pub repair: bool,

    /// Take charset and end_of_line from .editorconfig files
    #[arg(long, long_help = help::EDITORCONFIG)]
    pub editorconfig: bool,

    /// Ignore .gitattributes files
    #[arg(long, long_help = NO_GITATTRIBUTES)]
    pub no_gitattributes: bool,

    /// Change the encoding that XML, HTML and coding lines declare
    #[arg(long, long_help = FIX_DECLARATION)]
    pub fix_declaration: bool,

    /// Encoding of files that are not in the expected one, or detect
    #[arg(short, long, value_name = "ENCODING", long_help = help::FROM)]
    pub from: Option<OsString>,

    #[command(flatten)]
    pub detection: DetectionArgs,
}

#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Changes")]
pub struct FixChangeArgs {
    /// Print the changes as a diff, without writing
    #[arg(long, long_help = help::DIFF)]
    pub diff: bool,

    #[command(flatten)]
    pub replace: ReplaceArgs,

    /// Do not print the names of fixed files and the summary
    #[arg(short, long, visible_short_alias = 's', visible_alias = "silent")]
    #[arg(overrides_with = "verbose")]
    pub quiet: bool,

    /// List every file
    #[arg(short, long, overrides_with = "quiet")]
    pub verbose: bool,
}
