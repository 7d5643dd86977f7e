//! `charpipe install-links DIR`: makes `iconv` a link to charpipe.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::cli::exit::ExitStatus;
use crate::cli::quote::Quoted;
use crate::cli::shared_args::HelpArgs;
use crate::cli::sys::directory;

const USAGE: &str = "charpipe install-links DIR";

const ABOUT: &str = "\
Create links to charpipe.

Creates DIR/iconv, a link to charpipe (on Windows a hard link iconv.exe). Called by that name, \
charpipe replaces iconv. An existing file is not replaced, unless it is already that link.";

const AFTER: &str = "\
Exit code:
  0  the link exists
  2  wrong usage, or the link could not be created

Examples:
  charpipe install-links ~/.local/bin
      Use charpipe as iconv.";

/// Create links to charpipe: iconv
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe install-links",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = ABOUT,
    after_long_help = AFTER,
    override_usage = USAGE
)]
pub struct InstallLinksArgs {
    /// Directory for the links
    #[arg(value_name = "DIR", required_unless_present = "man")]
    #[arg(value_hint = clap::ValueHint::DirPath)]
    directory: Option<PathBuf>,

    #[command(flatten)]
    pub other: HelpArgs,
}

/// Creates the links. An existing file is not replaced.
///
/// # Errors
///
/// Returns an error if a link cannot be created.
pub fn run(args: &InstallLinksArgs) -> Result<ExitStatus> {
    let name = if cfg!(windows) { "iconv.exe" } else { "iconv" };
    let link = args.directory.clone().unwrap_or_default().join(name);
    let program = env::current_exe().context("cannot find the program")?;
    directory::create_program_link(&program, &link)
        .with_context(|| format!("{}: cannot be created", Quoted::from_path(&link)))?;
    Ok(ExitStatus::Success)
}
