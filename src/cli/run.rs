//! From the arguments to the command that they call.

use std::ffi::OsString;

use anyhow::Result;

use super::args::{self, ParsedArguments, Subcommand};
use super::convert::args::ConvertArgs;
use super::exit::ExitStatus;
use super::streams::print;
use super::sys::process;
use super::{
    check, completion_scripts, completions, convert, detect, fix, help_topic, iconv, list,
    man_pages, show, split,
};

/// Runs the command with these arguments and returns the exit status.
///
/// # Errors
///
/// Returns an error if the usage is invalid, or the command cannot be completed. Errors in the data are part
/// of the status.
pub fn run(argv: &[OsString]) -> Result<ExitStatus> {
    let parsed = match completions::requested_candidates(argv) {
        Some(candidates) => ParsedArguments::Text(candidates),
        None => args::parse(argv)?,
    };
    if let Some(choice) = parsed.color() {
        choice.apply();
    }
    process::ignore_sigxfsz()?;
    match parsed {
        ParsedArguments::Text(text) => print(text.as_bytes()),
        ParsedArguments::Convert(args) => run_conversion(&args),
        ParsedArguments::Subcommand(subcommand) => match subcommand.requested_man_page() {
            Some(name) => print(man_pages::page(Some(name))),
            None => run_subcommand(*subcommand),
        },
    }
}

/// Runs the command without a subcommand.
fn run_conversion(args: &ConvertArgs) -> Result<ExitStatus> {
    if let Some(format) = args.print.list {
        return print(&list::encoding_list(format.unwrap_or_else(list::ListFormat::for_output)));
    }
    if args.other.man {
        return print(man_pages::page(None));
    }
    if let Some(shell) = args.print.completions {
        return print(completion_scripts::script(shell).as_bytes());
    }
    convert::run(args)
}

fn run_subcommand(subcommand: Subcommand) -> Result<ExitStatus> {
    match subcommand {
        Subcommand::Check(args) if args.report.diff => fix::run_check_diff(args),
        Subcommand::Check(args) => check::run(&args),
        Subcommand::Detect(args) => detect::run(&args),
        Subcommand::Fix(args) => fix::run(&args),
        Subcommand::List(args) => list::run(&args),
        Subcommand::Show(args) => show::run(&args),
        Subcommand::Split(args) => split::run(&args),
        Subcommand::Repair(args) => convert::run(&args.into_conversion()),
        Subcommand::Help(args) => help_topic::run(&args),
        // Other arguments have a command line of their own.
        Subcommand::Iconv(_) => print(man_pages::page(Some("iconv"))),
        Subcommand::InstallLinks(args) => iconv::install_links(&args),
    }
}
