//! Converts files in place and reports the outcome.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::cli::fs::in_place::{
    FileClaim, InPlaceConverter, InPlaceError, InPlaceOptions, InPlaceOutcome,
};
use crate::cli::sniff::InputEncoding;
use crate::detect::Confidence;
use crate::detect::binary::BinaryReason;
use crate::options::{BomPolicy, TranscodeOptions};
use anyhow::{Context, Result};

use super::config::{InPlaceConfig, Input, Verbosity};
use super::convert::temp_files;
use super::exit::{ExitStatus, error_chain};
use super::messages::{ErrorPrinter, Message, print_message};
use super::ordered_messages::{MessageQueue, MessageSink};
use super::paths::{PathError, SelectedFile, SelectedFiles};
use super::progress::Progress;
use super::sys::process;

/// A file to convert.
struct FoundFile {
    path: PathBuf,
    /// The result of claiming the file; `None` if it was claimed under another name.
    claim: Result<Option<FileClaim>, InPlaceError>,
    /// Whether it was found in a directory rather than named itself.
    in_directory: bool,
}

/// Converts files in place.
///
/// # Errors
///
/// Returns an error if no file can be converted. Errors of one file are reported and counted.
pub fn run(config: &InPlaceConfig) -> Result<ExitStatus> {
    let temp_files = temp_files(config.named_temp_files);
    process::install_cleanup(&temp_files)?;
    let runner = InPlaceRunner {
        config,
        in_place: InPlaceConverter::new(config.options.clone(), temp_files)?,
        files: Mutex::new((0, config.selection.files())),
        queue: MessageQueue::default(),
        summary: Mutex::default(),
        stopped: AtomicBool::new(false),
        progress: match config.verbosity {
            Verbosity::Quiet => Progress::hidden(),
            Verbosity::Normal | Verbosity::Verbose => Progress::of_files(&config.selection),
        },
    };
    thread::scope(|scope| {
        for _ in 1..config.jobs {
            let worker = thread::Builder::new().name("worker".into());
            worker.spawn_scoped(scope, || runner.work()).context("cannot start a thread")?;
        }
        runner.work();
        anyhow::Ok(())
    })?;
    Ok(runner.finish())
}

/// A run, shared by its threads.
struct InPlaceRunner<'a> {
    config: &'a InPlaceConfig,
    in_place: InPlaceConverter,
    /// The number of the next file, and the remaining files.
    files: Mutex<(u64, SelectedFiles)>,
    queue: MessageQueue,
    summary: Mutex<InPlaceSummary>,
    /// Whether to start no more files.
    stopped: AtomicBool,
    progress: Progress,
}

/// The number of files by outcome, and the most severe status.
#[derive(Debug, Default)]
struct InPlaceSummary {
    converted: u64,
    unchanged: u64,
    skipped: u64,
    failed: u64,
    status: ExitStatus,
}

impl InPlaceRunner<'_> {
    fn work(&self) {
        while let Some((number, file)) = self.next_file() {
            let sink = MessageSink::Ordered(&self.queue, number);
            let failed = match file {
                Ok(found) => self.convert(found, sink),
                Err(error) => {
                    let name = error.input.display_name();
                    sink.send(Message::about(&name).with_error(&error.message));
                    self.count(|counts| &mut counts.failed, ExitStatus::Failure);
                    true
                }
            };
            self.queue.finish(number);
            self.progress.finish_file();
            if failed && self.config.fail_fast {
                self.stopped.store(true, Relaxed);
            }
        }
    }

    /// Returns the next file and the number of files before it. Files are claimed in order, so that
    /// the first name of a file is used.
    fn next_file(&self) -> Option<(u64, Result<FoundFile, PathError>)> {
        if self.stopped.load(Relaxed) {
            return None;
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, files) = &mut *files;
        let file = loop {
            match files.next()? {
                Ok(SelectedFile { input: Input::File(path), entry }) => {
                    let claim = match &entry {
                        Some(entry) => self.in_place.claim_entry(entry),
                        None => self.in_place.claim(&path),
                    };
                    break Ok(FoundFile { path, claim, in_directory: entry.is_some() });
                }
                Ok(SelectedFile { input: Input::Stdin, .. }) => {}
                Err(error) => break Err(error),
            }
        };
        *number += 1;
        Some((*number - 1, file))
    }

    /// Converts one file and reports the outcome. Returns whether it failed.
    fn convert(&self, found: FoundFile, sink: MessageSink<'_>) -> bool {
        let FoundFile { path, claim, in_directory } = found;
        let name = Input::File(path).display_name();
        let mut errors =
            ErrorPrinter::new(&self.config.options.transcode_options, self.config.verbosity, sink);
        errors.reports_mixed |=
            self.config.options.dry_run && self.config.verbosity == Verbosity::Normal;
        errors.begin_file(&name);
        let outcome = claim.and_then(|claim| match claim {
            Some(claim) => self.in_place.convert(claim, &mut errors),
            None => Ok(InPlaceOutcome::AlreadyProcessed),
        });
        errors.end_file();
        match outcome {
            Ok(outcome) => {
                // A directory may contain images. A user who names one did not get the result.
                let not_converted = matches!(outcome, InPlaceOutcome::Binary(_)) && !in_directory;
                let status = if errors.any() || not_converted {
                    ExitStatus::DataErrors
                } else {
                    ExitStatus::Success
                };
                let only_bom = only_bom_changed(&self.config.options.transcode_options, &outcome)
                    && !errors.any();
                if only_bom {
                    self.report_bom_change(&name, sink);
                } else {
                    self.report_outcome(&name, &outcome, in_directory, sink);
                }
                self.count(counter(&outcome), status);
                false
            }
            Err(failure) => {
                let about_data = failure.is_data_error();
                if !matches!(failure, InPlaceError::Conversion(_)) {
                    sink.send(Message::about(&name).with_error(&with_hint(failure)));
                }
                let status = if about_data { ExitStatus::DataErrors } else { ExitStatus::Failure };
                self.count(|counts| &mut counts.failed, status);
                true
            }
        }
    }

    /// Reports the outcome of a file, if that was requested or is important.
    fn report_outcome(
        &self,
        name: &str,
        outcome: &InPlaceOutcome,
        in_directory: bool,
        sink: MessageSink<'_>,
    ) {
        let InPlaceOptions { transcode_options: options, dry_run, .. } = &self.config.options;
        let (line, important) = match outcome {
            InPlaceOutcome::Converted(from) => {
                let (from, to) = (from.encoding.name, options.to.encoding.name);
                let would_be = if *dry_run { "would be " } else { "" };
                let done = match from == to {
                    true => "changed".to_owned(),
                    false => format!("converted from {from} to {to}"),
                };
                (format!("{would_be}{done}"), *dry_run)
            }
            InPlaceOutcome::Unchanged => ("unchanged".to_owned(), false),
            InPlaceOutcome::AlreadyConverted(encoding) => (
                format!("already valid {encoding}; not converted{}", self.auto_hint(encoding)),
                !in_directory,
            ),
            InPlaceOutcome::AlreadyProcessed => ("skipped: already processed".to_owned(), false),
            InPlaceOutcome::Binary(reason @ (BinaryReason::Signature(_) | BinaryReason::Nul)) => {
                (format!("skipped: binary file ({reason})"), !in_directory)
            }
            // It might be text in another encoding, so this is important in a directory, too.
            InPlaceOutcome::Binary(reason) => {
                (format!("skipped: binary file or other encoding ({reason})"), true)
            }
        };
        self.report_line(name, &line, important, sink);
    }

    /// Reports that the BOM is the only change.
    fn report_bom_change(&self, name: &str, sink: MessageSink<'_>) {
        let InPlaceOptions { transcode_options: options, dry_run, .. } = &self.config.options;
        let done = match (options.bom == BomPolicy::Add, *dry_run) {
            (true, false) => "added",
            (true, true) => "would add",
            (false, false) => "removed",
            (false, true) => "would remove",
        };
        self.report_line(name, &format!("{done} byte order mark"), *dry_run, sink);
    }

    fn report_line(&self, name: &str, line: &str, important: bool, sink: MessageSink<'_>) {
        let verbosity = self.config.verbosity;
        if verbosity == Verbosity::Verbose || verbosity == Verbosity::Normal && important {
            sink.send(Message::about(name).with_text(line));
        }
    }

    /// Returns a hint for converting a mix of files, if those in `encoding` can be recognized.
    fn auto_hint(&self, encoding: &str) -> String {
        match &self.config.options.input_encoding {
            InputEncoding::Fixed(from) if encoding == "UTF-8" => {
                format!(
                    " (for files in either encoding use -f auto --default-encoding {})",
                    from.encoding.name
                )
            }
            _ => String::new(),
        }
    }

    fn count(&self, counter: fn(&mut InPlaceSummary) -> &mut u64, status: ExitStatus) {
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        *counter(&mut summary) += 1;
        summary.status = summary.status.max(status);
    }

    /// Prints the summary and returns the status.
    fn finish(self) -> ExitStatus {
        drop(self.progress);
        let summary = self.summary.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.config.verbosity != Verbosity::Quiet {
            let done = if self.config.options.dry_run { "would be converted" } else { "converted" };
            let InPlaceSummary { converted, unchanged, skipped, failed, .. } = summary;
            print_message(&format!(
                "{converted} {done}, {unchanged} unchanged, {skipped} skipped, {failed} failed"
            ));
        }
        summary.status
    }
}

/// Returns the counter of the summary for an outcome.
fn counter(outcome: &InPlaceOutcome) -> fn(&mut InPlaceSummary) -> &mut u64 {
    match outcome {
        InPlaceOutcome::Converted(_) => |counts| &mut counts.converted,
        InPlaceOutcome::Unchanged | InPlaceOutcome::AlreadyConverted(_) => {
            |counts| &mut counts.unchanged
        }
        InPlaceOutcome::AlreadyProcessed | InPlaceOutcome::Binary(_) => {
            |counts| &mut counts.skipped
        }
    }
}

/// Returns whether only the BOM can have changed: these encodings have one representation of each
/// text.
fn only_bom_changed(options: &TranscodeOptions, outcome: &InPlaceOutcome) -> bool {
    let to = options.to.encoding.name;
    let unique = ["UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"].contains(&to);
    options.is_simple()
        && unique
        && matches!(outcome, InPlaceOutcome::Converted(from) if from.encoding.name == to)
}

/// Returns the message of an error, with the option that avoids it, if there is one.
pub fn with_hint(error: InPlaceError) -> String {
    let hint = match error {
        InPlaceError::LowConfidence(_, Confidence::Guess) => " (use --min-confidence guess)",
        InPlaceError::LowConfidence(..) => " (use --min-confidence likely)",
        InPlaceError::UnknownEncoding => " (use --default-encoding)",
        InPlaceError::HardLinked(_) => " (use --break-hard-links)",
        InPlaceError::BackupExists(_) => " (use --force to replace it)",
        _ => "",
    };
    error_chain(&error.into()) + hint
}
