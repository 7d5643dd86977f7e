//! Converts files in place, or each to an output of its own, and reports the outcome.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::cli::fs::file_converter::{
    Destination, FileClaim, FileConverter, FileConverterOptions, FileError, FileOutcome, Outputs,
    SpareThreads,
};
use crate::cli::fs::output::TempFileRegistry;
use crate::cli::quote::Quoted;
use crate::cli::sniff::InputEncoding;
use crate::cli::sys::preserve::PreserveError;
use anyhow::{Context, Result, bail};
use charpipe_detect::binary::BinaryReason;
use charpipe_transcode::io::ErrorCounts;
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

use super::error_printer::ErrorPrinter;
use super::exit::{ExitStatus, error_chain};
use super::messages::{Message, Verbosity, print_message};
use super::ordered_messages::{MessageQueue, MessageSink};
use super::paths::{PathError, SelectedFile, SelectedFiles, Selection};
use super::progress::ProgressDisplay;
use super::shared_args::ReplaceArgs;
use super::streams::{Input, Output};
use super::threads::thread_count;
use super::{cleanup, color};

mod diff;
pub mod fixes;

use diff::{DiffWriter, FileChange};
use fixes::{FileFix, FixAction, FixConfig, FixSet};

/// The configuration of a conversion in place, or of each file to an output of its own.
#[derive(Debug)]
pub struct ConvertFilesConfig {
    pub options: FileConverterOptions,
    /// Where the outputs go if not in place.
    pub destination: Option<Destination>,
    pub selection: Selection,
    /// The number of threads, which convert files in parallel and, if there are fewer files, parts of one.
    pub jobs: u32,
    /// Whether to stop after the first failed file.
    pub fail_fast: bool,
    pub verbosity: Verbosity,
    pub named_temp_files: bool,
    /// Whether the input encoding is UTF-8 because none was given.
    pub assumes_utf8: bool,
    /// Whether to print the changes instead of making them: those of a fix, or else of a repair.
    pub diff: bool,
    /// The rules of `charpipe fix`, if this is one.
    pub fix: Option<FixConfig>,
}

/// A file to convert.
struct ClaimedFile {
    selected: SelectedFile,
    /// The converter that claimed it.
    converter: Arc<FileConverter>,
    /// How it is fixed, for `fix`.
    fix: Option<Arc<FileFix>>,
    /// The result of claiming the file; `None` if it was claimed under another name.
    claim: Result<Option<FileClaim>, FileError>,
}

/// Converts files in place, or each to an output of its own.
///
/// # Errors
///
/// Returns an error if no file can be converted. Errors of one file are reported and counted.
pub fn run(config: &ConvertFilesConfig) -> Result<ExitStatus> {
    let temp_files = TempFileRegistry::new(config.named_temp_files);
    cleanup::install(&temp_files)?;
    let converter = FileConverter::new(config.options.clone(), temp_files)?;
    let mut selection = config.selection.clone();
    let outputs = open_outputs(config)?;
    if let Some(directory) = outputs.as_ref().and_then(Outputs::directory) {
        selection = selection.exclude_directory(directory).context("output directory")?;
    }
    let spare_threads = Arc::<SpareThreads>::default();
    let runner = ConvertFilesRunner {
        config,
        converter: Arc::new(
            converter.with_outputs(outputs).with_spare_threads(spare_threads.clone()),
        ),
        spare_threads,
        fixes: config.fix.as_ref().map(|fix| Mutex::new(FixSet::new(fix))),
        files: Mutex::new((0, selection.files())),
        queue: MessageQueue::default(),
        summary: Mutex::default(),
        stopped: AtomicBool::new(false),
        output_error: Mutex::default(),
        progress: match config.verbosity {
            Verbosity::Quiet => ProgressDisplay::hidden(),
            Verbosity::Normal | Verbosity::Verbose => ProgressDisplay::of_files(&selection),
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
    runner.finish().context("write error")
}

/// Opens the destination of the outputs, if the files are not converted in place.
fn open_outputs(config: &ConvertFilesConfig) -> Result<Option<Outputs>> {
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
struct ConvertFilesRunner<'a> {
    config: &'a ConvertFilesConfig,
    converter: Arc<FileConverter>,
    /// The threads that have ended.
    spare_threads: Arc<SpareThreads>,
    /// How files are fixed, for `fix`.
    fixes: Option<Mutex<FixSet>>,
    /// The number of the next file, and the remaining files.
    files: Mutex<(u64, SelectedFiles)>,
    queue: MessageQueue,
    summary: Mutex<ConvertFilesSummary>,
    /// Whether to start no more files.
    stopped: AtomicBool,
    /// The error of writing to standard output.
    output_error: Mutex<Option<io::Error>>,
    progress: ProgressDisplay,
}

/// The number of files by outcome, and the most severe status.
#[derive(Debug, Default)]
struct ConvertFilesSummary {
    converted: u64,
    unchanged: u64,
    skipped: u64,
    failed: u64,
    status: ExitStatus,
}

impl ConvertFilesRunner<'_> {
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
        // With one CPU, a second thread is useful only for another file.
        if thread_count() > 1 {
            self.spare_threads.add(1);
        }
    }

    /// Returns the next file and the number of files before it. Files are claimed in order, so that
    /// the first name of a file is used.
    fn next_file(&self) -> Option<(u64, Result<ClaimedFile, PathError>)> {
        if self.stopped.load(Relaxed) {
            return None;
        }
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, files) = &mut *files;
        let file = loop {
            match files.next()? {
                Ok(SelectedFile { input: Input::Stdin, .. }) => {}
                Ok(selected) => break Ok(self.claim(selected)),
                Err(error) => break Err(error),
            }
        };
        *number += 1;
        Some((*number - 1, file))
    }

    fn claim(&self, selected: SelectedFile) -> ClaimedFile {
        let fix = self.fixes.as_ref().map(|fixes| {
            let mut fixes = fixes.lock().unwrap_or_else(PoisonError::into_inner);
            fixes.get(&selected, &self.converter)
        });
        let (fix, converter) = match fix.transpose() {
            Ok(Some(fix)) => (Some(fix.clone()), Ok(fix.converter.clone())),
            Ok(None) => (None, Ok(self.converter.clone())),
            Err(error) => (None, Err(error)),
        };
        let (converter, claim) = match converter {
            Ok(converter) => {
                let SelectedFile { input, entry, relative_path } = &selected;
                let claim = match (converter.outputs(), entry, input) {
                    (_, _, Input::Stdin) => Ok(None),
                    (Some(outputs), entry, Input::File(path)) => {
                        let entry = entry.as_ref();
                        converter.claim_output(outputs, path, entry, relative_path).map(Some)
                    }
                    (None, Some(entry), _) => converter.claim_entry(entry),
                    (None, None, Input::File(path)) => converter.claim(path),
                };
                (converter, claim)
            }
            Err(error) => (self.converter.clone(), Err(error)),
        };
        ClaimedFile { selected, converter, fix, claim }
    }

    /// Converts one file and reports the outcome. Returns whether it failed.
    fn convert(&self, found: ClaimedFile, sink: MessageSink<'_>) -> bool {
        let ClaimedFile { selected, mut converter, fix, mut claim } = found;
        let in_directory = selected.entry.is_some();
        let name = selected.input.display_name();
        let mut changes = Vec::new();
        let mut kept = None;
        if let (Some(fix), Ok(Some(claimed))) = (&fix, &claim) {
            match fix.examine(claimed, self.config.verbosity == Verbosity::Verbose) {
                Ok(FixAction::Exclude) => kept = Some(FileOutcome::Excluded),
                Ok(FixAction::Keep) => kept = Some(FileOutcome::Unchanged),
                Ok(FixAction::Fix(other, found)) => (converter, changes) = (other, found),
                Err(error) => claim = Err(error),
            }
        }
        let options = &converter.options().transcode_options;
        let mut errors = ErrorPrinter::new(options, self.config.verbosity, sink)
            .assuming_utf8(self.config.assumes_utf8);
        errors.reports_mixed |=
            self.config.options.dry_run && self.config.verbosity == Verbosity::Normal;
        errors.begin_file(&name);
        let output = match &claim {
            Ok(Some(claim)) => claim.output_path().map(|path| Quoted::from_path(path).to_string()),
            _ => None,
        };
        let outcome = claim.and_then(|claim| match claim {
            Some(_) if kept.is_some() => Ok(kept.take().unwrap_or(FileOutcome::Unchanged)),
            Some(claim) => converter.convert(claim, &mut errors),
            None => Ok(FileOutcome::AlreadyProcessed),
        });
        errors.end_file();
        match outcome {
            Ok(outcome) => {
                let status = self.status_of(&outcome, errors.any(), in_directory);
                let only_bom = only_bom_changed(options, &outcome) && !errors.any();
                match (&self.config.fix, &outcome) {
                    (_, FileOutcome::Converted(from)) if self.config.diff => {
                        self.print_diff(&selected, from, &converter, sink);
                    }
                    (Some(_), FileOutcome::Converted(from)) => {
                        let input_encoding = &converter.options().input_encoding;
                        let options = input_encoding.options_for(options, from.clone());
                        self.report_fix(&name, &options, &changes, sink);
                    }
                    _ if only_bom => self.report_bom_change(&name, output.as_deref(), sink),
                    _ => {
                        let output = output.as_deref();
                        self.report_outcome(&name, &outcome, in_directory, output, sink);
                    }
                }
                self.count(self.counter(&outcome), status);
                false
            }
            Err(failure) => {
                self.report_failure(&name, failure, sink);
                true
            }
        }
    }

    /// Reports and counts a file that was not converted.
    fn report_failure(&self, name: &str, failure: FileError, sink: MessageSink<'_>) {
        let about_data = failure.is_data_error();
        if !matches!(failure, FileError::Conversion(_)) {
            let message = match &self.config.fix {
                Some(fix) if fix.is_check => with_check_hint(failure),
                Some(_) => with_fix_hint(failure),
                None => with_hint(failure),
            };
            sink.send(Message::about(name).with_error(&message));
        }
        let status = if about_data { ExitStatus::DataErrors } else { ExitStatus::Failure };
        self.count(|counts| &mut counts.failed, status);
    }

    /// Returns the exit code of a file with this outcome.
    fn status_of(&self, outcome: &FileOutcome, has_errors: bool, in_directory: bool) -> ExitStatus {
        use BinaryReason::{Nul, Signature};
        let is_error = match (&self.config.fix, outcome) {
            // A hook that changes files fails, so that the changes are looked at.
            (Some(_), FileOutcome::Converted(_)) => true,
            // A hook is called with the names of all files. One that may be text is an error.
            (Some(_), FileOutcome::Binary(reason)) => !matches!(reason, Nul | Signature(_)),
            // A directory may contain images. A user who names one did not get the result.
            (None, FileOutcome::Binary(_)) => !in_directory,
            _ => false,
        };
        match has_errors || is_error {
            true => ExitStatus::DataErrors,
            false => ExitStatus::Success,
        }
    }

    /// Reports a file that was fixed.
    fn report_fix(
        &self,
        name: &str,
        options: &TranscodeOptions,
        changes: &[String],
        sink: MessageSink<'_>,
    ) {
        let (from, to) = (options.from.encoding.name(), options.to.encoding.name());
        let would_be = if self.config.options.dry_run { "would be " } else { "" };
        let conversion = (from != to).then(|| format!("converted from {from} to {to}"));
        let shown = match self.config.verbosity {
            Verbosity::Verbose => changes,
            Verbosity::Normal | Verbosity::Quiet => &[],
        };
        let changes: Vec<&str> = conversion.iter().chain(shown).map(String::as_str).collect();
        let line = match &changes[..] {
            [] => format!("{would_be}fixed"),
            changes => format!("{would_be}fixed ({})", changes.join("; ")),
        };
        self.report_line(name, &line, true, None, sink);
    }

    /// Prints what would change in a file, which is read once more.
    fn print_diff(
        &self,
        selected: &SelectedFile,
        from: &EncodingSpec,
        converter: &FileConverter,
        sink: MessageSink<'_>,
    ) {
        let name = selected.input.display_name();
        let FileConverterOptions { transcode_options, input_encoding, .. } = converter.options();
        let options = &input_encoding.options_for(transcode_options, from.clone());
        let change = FileChange {
            name: &name,
            from,
            to: if self.config.fix.is_some() { &options.to } else { from },
            bom: options.bom,
            newline: fixes::new_line_ending(options),
            fix_declaration: options.fix_declaration,
            steps: if fixes::text_steps(options).is_empty() { &[] } else { &options.via },
            is_colored: color::stdout_is_colored(),
        };
        let result = selected.open().map_err(FileError::Read).and_then(|mut source| {
            let output = Output::Stdout.open(false);
            let output = output.map_err(|error| FileError::Write(io::Error::other(error)))?;
            let mut writer = DiffWriter::new(output, &change);
            let decoder =
                TranscodeOptions::new(from.clone(), charpipe_encoding::UTF_8).bom(BomPolicy::Keep);
            let mut transcoder = decoder.build()?;
            transcoder.process_reader(&mut source, &mut writer, &mut ErrorCounts::default())?;
            transcoder.finish_input(&mut writer, &mut ErrorCounts::default())?;
            transcoder.finish(&mut writer, &mut ErrorCounts::default())?;
            writer.finish().map_err(FileError::Write)
        });
        match result {
            Ok(()) => {}
            Err(FileError::Write(error)) => {
                *self.output_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                self.stopped.store(true, Relaxed);
            }
            // The file has been changed since.
            Err(error) => {
                sink.send(Message::about(&name).with_error(&with_hint(error)));
                self.count(|counts| &mut counts.failed, ExitStatus::Failure);
            }
        }
    }

    /// Reports the outcome of a file, if that was requested or is important.
    fn report_outcome(
        &self,
        name: &str,
        outcome: &FileOutcome,
        in_directory: bool,
        output: Option<&str>,
        sink: MessageSink<'_>,
    ) {
        let FileConverterOptions { transcode_options: options, dry_run, .. } = &self.config.options;
        let copied = if *dry_run { "would be copied unchanged" } else { "copied unchanged" };
        let (line, important) = match outcome {
            FileOutcome::Converted(from) => {
                let (from, to) = (from.encoding.name(), options.to.encoding.name());
                let would_be = if *dry_run { "would be " } else { "" };
                let done = match from == to {
                    true => "changed".to_owned(),
                    false => format!("converted from {from} to {to}"),
                };
                (format!("{would_be}{done}"), *dry_run)
            }
            FileOutcome::Unchanged if output.is_some() => (copied.to_owned(), false),
            FileOutcome::Unchanged => ("unchanged".to_owned(), false),
            FileOutcome::AlreadyConverted(encoding) => {
                let done = if output.is_some() { copied } else { "not converted" };
                let hint = self.auto_hint(encoding);
                (format!("already valid {encoding}; {done}{hint}"), !in_directory)
            }
            FileOutcome::AlreadyProcessed => ("skipped: already processed".to_owned(), false),
            FileOutcome::Excluded => {
                ("skipped: binary file (.gitattributes)".to_owned(), !in_directory)
            }
            FileOutcome::Binary(reason) => {
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
    fn counter(&self, outcome: &FileOutcome) -> fn(&mut ConvertFilesSummary) -> &mut u64 {
        match outcome {
            FileOutcome::Converted(_) => |counts| &mut counts.converted,
            FileOutcome::Unchanged | FileOutcome::AlreadyConverted(_) => {
                |counts| &mut counts.unchanged
            }
            FileOutcome::Binary(_) if self.copies_binary_files() => |counts| &mut counts.unchanged,
            FileOutcome::AlreadyProcessed | FileOutcome::Binary(_) | FileOutcome::Excluded => {
                |counts| &mut counts.skipped
            }
        }
    }

    /// Reports that the BOM is the only change.
    fn report_bom_change(&self, name: &str, output: Option<&str>, sink: MessageSink<'_>) {
        let FileConverterOptions { transcode_options: options, dry_run, .. } = &self.config.options;
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
                    from.encoding.name()
                )
            }
            _ => String::new(),
        }
    }

    fn count(&self, counter: fn(&mut ConvertFilesSummary) -> &mut u64, status: ExitStatus) {
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        *counter(&mut summary) += 1;
        summary.status = summary.status.max(status);
    }

    /// Prints the summary and returns the status, or the error of writing to standard output.
    fn finish(self) -> io::Result<ExitStatus> {
        drop(self.progress);
        if let Some(error) = self.output_error.into_inner().unwrap_or_else(PoisonError::into_inner)
        {
            return Err(error);
        }
        let fixes = self.fixes.map(Mutex::into_inner);
        let has_rule_errors =
            fixes.is_some_and(|it| it.unwrap_or_else(PoisonError::into_inner).has_errors);
        let summary = self.summary.into_inner().unwrap_or_else(PoisonError::into_inner);
        if self.config.verbosity != Verbosity::Quiet {
            let done = if self.config.fix.is_some() { "fixed" } else { "converted" };
            let would_be = if self.config.options.dry_run { "would be " } else { "" };
            let ConvertFilesSummary { converted, unchanged, skipped, failed, .. } = summary;
            let unchanged_name = match (&self.config.destination, self.config.options.dry_run) {
                (None, _) => "unchanged",
                (Some(_), false) => "copied unchanged",
                (Some(_), true) => "would be copied unchanged",
            };
            print_message(&format!(
                "{converted} {would_be}{done}, {unchanged} {unchanged_name}, {skipped} skipped, {failed} failed"
            ));
        }
        Ok(if has_rule_errors { ExitStatus::Failure } else { summary.status })
    }
}

/// Returns the options of a converter of files for a conversion.
pub fn converter_options(args: &ReplaceArgs, options: TranscodeOptions) -> FileConverterOptions {
    FileConverterOptions {
        backup_suffix: args.backup.clone(),
        dry_run: args.dry_run,
        keep_mtime: args.keep_mtime,
        break_hard_links: args.break_hard_links,
        force: args.force,
        preserve: args.preserve(),
        ..FileConverterOptions::new(options)
    }
}

/// Returns the suffix if it results in another name in the same directory.
pub fn validate_suffix<'a>(option: &str, suffix: &'a OsStr) -> Result<&'a OsStr> {
    if suffix.is_empty() {
        bail!("{option}: the suffix is empty (expected one such as .new)");
    }
    if suffix.as_encoded_bytes().contains(&b'/') {
        bail!("{option}: the suffix contains a slash (it is added to the file name)");
    }
    Ok(suffix)
}

/// Returns whether only the BOM can have changed: these encodings have one representation of each
/// text.
fn only_bom_changed(options: &TranscodeOptions, outcome: &FileOutcome) -> bool {
    let to = options.to.encoding.name();
    let unique = ["UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"].contains(&to);
    options.is_simple()
        && unique
        && matches!(outcome, FileOutcome::Converted(from) if from.encoding.name() == to)
}

/// Returns the message of an error of a fix, with the option that avoids it, if there is one.
pub fn with_fix_hint(error: FileError) -> String {
    match error {
        FileError::UnknownEncoding(Some(ref found)) => {
            format!("{error} ({}: use --from {})", found.summary(), found.encoding)
        }
        FileError::UnknownEncoding(None) => {
            format!("{error} (use --from ENCODING, or --from detect)")
        }
        _ => with_hint(error),
    }
}

/// Returns the message of an error of `check --diff`, which does not have the options of a fix.
fn with_check_hint(error: FileError) -> String {
    match error {
        FileError::UnknownEncoding(Some(ref found)) => {
            let (summary, label) = (found.summary(), &found.encoding);
            format!("{error} ({summary}: use 'charpipe fix --diff --from {label}')")
        }
        FileError::UnknownEncoding(None) => {
            format!("{error} (use 'charpipe fix --diff --from ENCODING', or '--from detect')")
        }
        _ => with_hint(error),
    }
}

/// Returns the message of an error, with the option that avoids it, if there is one.
pub fn with_hint(error: FileError) -> String {
    let hint = match error {
        FileError::UnknownEncoding(Some(ref found)) => {
            let (summary, label) = (found.summary(), &found.encoding);
            return format!("{error} ({summary}: use --default-encoding {label})");
        }
        FileError::OutputReadOnly(_) => " (use --force to replace it)",
        FileError::OutputHardLinked(..) => " (use --break-hard-links)",
        FileError::LowConfidence(_) => " (use --from ENCODING or --accept-guess)",
        FileError::DetectionFailed => " (use --from ENCODING)",
        FileError::UnknownEncoding(None) => " (use --default-encoding)",
        FileError::HardLinked(_) => " (use --break-hard-links)",
        FileError::BackupExists(_) => " (use --force to replace it)",
        _ => match preserve_hint(&error) {
            Some(hint) => return error_chain(&error.into()) + &hint,
            None => "",
        },
    };
    error_chain(&error.into()) + hint
}

/// Returns a hint if the error was caused by metadata that could not be preserved.
pub fn preserve_hint(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let cause = error.source()?.downcast_ref::<io::Error>()?;
    PreserveError::names_in(cause).map(|names| format!(" (use --no-preserve={names})"))
}
