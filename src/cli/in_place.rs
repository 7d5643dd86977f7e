//! Converts files in place, or each to an output of its own, and reports the outcome.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::cli::fs::in_place::{
    Destination, FileClaim, InPlaceConverter, InPlaceError, InPlaceOptions, InPlaceOutcome, Outputs,
};
use crate::cli::quote::Quoted;
use crate::cli::sniff::InputEncoding;
use crate::detect::Confidence;
use crate::detect::binary::BinaryReason;
use crate::options::{BomPolicy, TranscodeOptions};
use anyhow::{Context, Result};

use super::config::{InPlaceConfig, Input, Verbosity};
use super::convert::{preserve_hint, temp_files};
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

/// Converts files in place, or each to an output of its own.
///
/// # Errors
///
/// Returns an error if no file can be converted. Errors of one file are reported and counted.
pub fn run(config: &InPlaceConfig) -> Result<ExitStatus> {
    let temp_files = temp_files(config.named_temp_files);
    process::install_cleanup(&temp_files)?;
    let in_place = InPlaceConverter::new(config.options.clone(), temp_files)?;
    let mut selection = config.selection.clone();
    let outputs = open_outputs(config)?;
    if let Some(directory) = outputs.as_ref().and_then(Outputs::directory) {
        selection = selection.exclude_directory(directory).context("output directory")?;
    }
    let runner = InPlaceRunner {
        config,
        in_place: in_place.with_outputs(outputs),
        files: Mutex::new((0, selection.files())),
        queue: MessageQueue::default(),
        summary: Mutex::default(),
        stopped: AtomicBool::new(false),
        progress: match config.verbosity {
            Verbosity::Quiet => Progress::hidden(),
            Verbosity::Normal | Verbosity::Verbose => Progress::of_files(&selection),
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

/// Opens the destination of the outputs, if the files are not converted in place.
fn open_outputs(config: &InPlaceConfig) -> Result<Option<Outputs>> {
    let Some(destination) = &config.destination else { return Ok(None) };
    let operands = config.selection.operands().iter().filter_map(|input| match input {
        Input::File(path) => Some(&**path),
        Input::Stdin => None,
    });
    let directories = operands.clone().filter(|path| path.is_dir());
    let name = || {
        let directory = destination.directory.as_deref().unwrap_or(Path::new(""));
        format!("output directory {}", Quoted::from_path(directory))
    };
    let opened = destination.clone().open(directories, config.options.dry_run);
    let outputs = opened.with_context(name)?;
    operands.for_each(|path| outputs.register_input(path));
    Ok(Some(outputs))
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
                Ok(SelectedFile { input: Input::File(path), entry, relative_path }) => {
                    let claim = match (self.in_place.outputs(), &entry) {
                        (Some(outputs), entry) => {
                            let entry = entry.as_ref();
                            let in_place = &self.in_place;
                            in_place.claim_output(outputs, &path, entry, &relative_path).map(Some)
                        }
                        (None, Some(entry)) => self.in_place.claim_entry(entry),
                        (None, None) => self.in_place.claim(&path),
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
        let output = match &claim {
            Ok(Some(claim)) => claim.output_path().map(|path| Quoted::from_path(path).to_string()),
            _ => None,
        };
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
                    self.report_bom_change(&name, output.as_deref(), sink);
                } else {
                    self.report_outcome(&name, &outcome, in_directory, output.as_deref(), sink);
                }
                self.count(self.counter(&outcome), status);
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
        output: Option<&str>,
        sink: MessageSink<'_>,
    ) {
        let InPlaceOptions { transcode_options: options, dry_run, .. } = &self.config.options;
        let copied = if *dry_run { "would be copied unchanged" } else { "copied unchanged" };
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
            InPlaceOutcome::Unchanged if output.is_some() => (copied.to_owned(), false),
            InPlaceOutcome::Unchanged => ("unchanged".to_owned(), false),
            InPlaceOutcome::AlreadyConverted(encoding) => {
                let done = if output.is_some() { copied } else { "not converted" };
                let hint = self.auto_hint(encoding);
                (format!("already valid {encoding}; {done}{hint}"), !in_directory)
            }
            InPlaceOutcome::AlreadyProcessed => ("skipped: already processed".to_owned(), false),
            InPlaceOutcome::Binary(reason) => {
                let done = if self.copies_binary_files() { copied } else { "skipped" };
                match reason {
                    BinaryReason::Signature(_) | BinaryReason::Nul => {
                        (format!("{done}: binary file ({reason})"), !in_directory)
                    }
                    // It might be text in another encoding, so this is important in a directory, too.
                    _ => (format!("{done}: binary file or other encoding ({reason})"), true),
                }
            }
        };
        self.report_line(name, &line, important, output, sink);
    }

    /// Returns whether binary files are copied to the output directory.
    fn copies_binary_files(&self) -> bool {
        self.config.destination.as_ref().is_some_and(Destination::copies_binary_files)
    }

    /// Returns the counter of the summary for an outcome.
    fn counter(&self, outcome: &InPlaceOutcome) -> fn(&mut InPlaceSummary) -> &mut u64 {
        match outcome {
            InPlaceOutcome::Converted(_) => |counts| &mut counts.converted,
            InPlaceOutcome::Unchanged | InPlaceOutcome::AlreadyConverted(_) => {
                |counts| &mut counts.unchanged
            }
            InPlaceOutcome::Binary(_) if self.copies_binary_files() => {
                |counts| &mut counts.unchanged
            }
            InPlaceOutcome::AlreadyProcessed | InPlaceOutcome::Binary(_) => {
                |counts| &mut counts.skipped
            }
        }
    }

    /// Reports that the BOM is the only change.
    fn report_bom_change(&self, name: &str, output: Option<&str>, sink: MessageSink<'_>) {
        let InPlaceOptions { transcode_options: options, dry_run, .. } = &self.config.options;
        let done = match (options.bom == BomPolicy::Add, *dry_run) {
            (true, false) => "added",
            (true, true) => "would add",
            (false, false) => "removed",
            (false, true) => "would remove",
        };
        self.report_line(name, &format!("{done} byte order mark"), *dry_run, output, sink);
    }

    fn report_line(
        &self,
        name: &str,
        line: &str,
        important: bool,
        output: Option<&str>,
        sink: MessageSink<'_>,
    ) {
        let verbosity = self.config.verbosity;
        if verbosity == Verbosity::Verbose || verbosity == Verbosity::Normal && important {
            let to = output.filter(|_| !line.starts_with("skipped")).map(|to| format!(" -> {to}"));
            let name = format!("{name}{}", to.unwrap_or_default());
            sink.send(Message::about(&name).with_text(line));
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
            let unchanged_name = match (&self.config.destination, self.config.options.dry_run) {
                (None, _) => "unchanged",
                (Some(_), false) => "copied unchanged",
                (Some(_), true) => "would be copied unchanged",
            };
            print_message(&format!(
                "{converted} {done}, {unchanged} {unchanged_name}, {skipped} skipped, {failed} failed"
            ));
        }
        summary.status
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
        InPlaceError::OutputReadOnly(_) => " (use --force to replace it)",
        InPlaceError::OutputHardLinked(..) => " (use --break-hard-links)",
        InPlaceError::LowConfidence(_, Confidence::Guess) => " (use --min-confidence guess)",
        InPlaceError::LowConfidence(..) => " (use --min-confidence likely)",
        InPlaceError::UnknownEncoding => " (use --default-encoding)",
        InPlaceError::HardLinked(_) => " (use --break-hard-links)",
        InPlaceError::BackupExists(_) => " (use --force to replace it)",
        _ => match preserve_hint(&error) {
            Some(hint) => return error_chain(&error.into()) + &hint,
            None => "",
        },
    };
    error_chain(&error.into()) + hint
}
