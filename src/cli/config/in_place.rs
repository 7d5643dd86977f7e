//! The job of converting files where they stand.

use std::ffi::OsStr;
use std::thread;

use anyhow::{Result, bail};
use charpipe::detect::Confidence;
use charpipe::in_place::InPlaceOptions;

use super::{Verbosity, input_from_arg, parse_min_confidence, parse_options, verbosity};
use crate::cli::args::ConvertArgs;
use crate::cli::paths::Selection;

/// Converts files where they stand.
#[derive(Debug)]
pub struct InPlaceConfig {
    pub rewriting: InPlaceOptions,
    pub selection: Selection,
    /// Files at once.
    pub jobs: u32,
    /// Whether the first file that fails is the last that is begun.
    pub fail_fast: bool,
    pub verbosity: Verbosity,
    pub named_temp_files: bool,
}

pub(super) fn from_args(args: &ConvertArgs) -> Result<InPlaceConfig> {
    let in_place = &args.in_place;
    if args.output.is_some() {
        bail!("--in-place writes into the files themselves, and --output into another");
    }
    let operands = args.files.iter().map(|file| input_from_arg(file)).collect();
    let mut selection = Selection::new(operands, &args.path_args)?;
    if selection.is_empty() {
        bail!("--in-place needs the name of a file");
    }
    if selection.operands_include_stdin() {
        bail!("the standard input cannot be converted in place");
    }
    if let Some(suffix) = &in_place.backup {
        selection = selection.exclude_suffix(validate_suffix(suffix)?);
    }
    let (options, origin) = parse_options(args)?;
    let min_confidence = parse_min_confidence(args, &origin)?.unwrap_or(Confidence::Likely);
    let rewriting = InPlaceOptions {
        transcode_options: options,
        input_encoding: origin,
        backup_suffix: in_place.backup.clone(),
        dry_run: in_place.dry_run,
        keep_mtime: in_place.keep_mtime,
        break_hard_links: in_place.break_hard_links,
        force: in_place.force,
        min_confidence,
    };
    // Names of one file are parted one after the other, in their order.
    let max_jobs = if in_place.break_hard_links { 1 } else { u32::MAX };
    let (jobs, verbosity) =
        (in_place.jobs.unwrap_or_else(default_jobs).min(max_jobs), verbosity(args));
    let (fail_fast, named_temp_files) = (in_place.fail_fast, args.always_named);
    Ok(InPlaceConfig {
        rewriting,
        selection,
        jobs,
        fail_fast,
        verbosity: verbosity,
        named_temp_files: named_temp_files,
    })
}

/// As many as there are processors; but where one file waits for the disk another may go on.
fn default_jobs() -> u32 {
    thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 8) as u32)
}

/// A suffix that makes another name in the same directory.
fn validate_suffix(suffix: &OsStr) -> Result<&OsStr> {
    if suffix.is_empty() {
        bail!("--backup: the suffix is empty");
    }
    if suffix.as_encoded_bytes().contains(&b'/') {
        bail!("--backup: the suffix has a slash in it, and would name another directory");
    }
    Ok(suffix)
}
