//! The job of converting files where they stand.

use std::ffi::OsStr;
use std::thread;

use anyhow::{Result, bail};
use charpipe::detect::Confidence;
use charpipe::inplace::Rewriting;

use super::{Telling, input, min_confidence, plan, telling};
use crate::cli::args::Args;
use crate::cli::paths::Selection;

/// Converts files where they stand.
#[derive(Debug)]
pub struct InPlaceJob {
    pub rewriting: Rewriting,
    pub selection: Selection,
    /// Files at once.
    pub jobs: u32,
    /// Whether the first file that fails is the last that is begun.
    pub fail_fast: bool,
    pub telling: Telling,
    pub always_named: bool,
}

pub(super) fn resolve(args: &Args) -> Result<InPlaceJob> {
    let words = &args.in_place;
    if args.output.is_some() {
        bail!("--in-place writes into the files themselves, and --output into another");
    }
    let operands = args.files.iter().map(|file| input(file)).collect();
    let mut selection = Selection::new(operands, &args.which)?;
    if selection.is_empty() {
        bail!("--in-place needs the name of a file");
    }
    if selection.names_stdin() {
        bail!("the standard input cannot be converted in place");
    }
    if let Some(suffix) = &words.backup {
        selection = selection.without(checked(suffix)?);
    }
    let (plan, origin) = plan(args)?;
    let min_confidence = min_confidence(args, &origin)?.unwrap_or(Confidence::Likely);
    let rewriting = Rewriting {
        plan,
        origin,
        backup: words.backup.clone(),
        dry_run: words.dry_run,
        keep_mtime: words.keep_mtime,
        break_hard_links: words.break_hard_links,
        force: words.force,
        min_confidence,
    };
    // Names of one file are parted one after the other, in their order.
    let most = if words.break_hard_links { 1 } else { u32::MAX };
    let (jobs, telling) = (words.jobs.unwrap_or_else(usual_jobs).min(most), telling(args));
    let (fail_fast, always_named) = (words.fail_fast, args.always_named);
    Ok(InPlaceJob { rewriting, selection, jobs, fail_fast, telling, always_named })
}

/// As many as there are processors; but where one file waits for the disk another may go on.
fn usual_jobs() -> u32 {
    thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 8) as u32)
}

/// A suffix that makes another name in the same folder.
fn checked(suffix: &OsStr) -> Result<&OsStr> {
    if suffix.is_empty() {
        bail!("--backup: the suffix is empty");
    }
    if suffix.as_encoded_bytes().contains(&b'/') {
        bail!("--backup: the suffix has a slash in it, and would name another folder");
    }
    Ok(suffix)
}
