//! `charpipe check`: checks that files are valid in an encoding, and reports each finding with its
//! position.

use std::io::{self, Read};

use crate::check::{CheckOptions, Checker};
use crate::cli::fs::byte_count;
use crate::cli::fs::file_id::FileId;
use crate::cli::fs::input::InputStream;
use crate::cli::fs::output::OutputStream;
use anyhow::{Context, Result};

use super::config::{self, Input, Output};
use super::convert::open_output;
use super::exit::{ExitStatus, io_message};
use super::paths::{PathError, SelectedFile, Selection};
use super::progress::Progress;
use super::terminal;

pub mod args;
pub mod file_label;
mod format;
mod help;
mod line_buffer;

use args::CheckArgs;
use file_label::FileLabel;
use format::Reporter;

/// Runs `charpipe check`.
///
/// # Errors
///
/// Returns an error if the usage is invalid or the output cannot be written.
pub fn run(args: &CheckArgs) -> Result<ExitStatus> {
    let options = check_options(args)?;
    let checker = Checker::new(&options)?;
    let files = Selection::from_args(&args.paths, &args.path_args)?;
    let report = &args.report;
    let format = report.format.as_deref().unwrap_or("text");
    let formatter = if report.quiet { None } else { format::by_name(format) };
    let sink = match formatter {
        Some(_) => open_output(&Output::Stdout, false)?,
        None => OutputStream::Stdout,
    };
    let output = if formatter.is_some() { sink.file_id().ok().flatten() } else { None };
    if files.is_implied_stdin() && !report.quiet {
        terminal::announce_stdin("; to check this directory: charpipe check -r .");
    }
    let runner = CheckRunner {
        checker,
        progress: match report.quiet {
            true => Progress::hidden(),
            false => Progress::of_files(&files),
        },
        reporter: Reporter::new(formatter, sink, report.max_findings.unwrap_or(u64::MAX)),
        encoding: options.encoding.encoding.name,
        output,
        operands: config::inputs_from_args(&args.paths),
        recursive: args.path_args.recursive,
        has_read_errors: false,
    };
    runner.check_all(&files).context("write error")
}

/// Returns the options of the check. The values of the rules are known to be valid.
fn check_options(args: &CheckArgs) -> Result<CheckOptions> {
    let rules = &args.rules;
    let mut encoding =
        config::parse_encoding_without_suffixes("--encoding", rules.encoding.as_deref())?;
    if rules.mojibake {
        encoding.transforms.insert(0, "mojibake".parse()?);
    }
    let mut options = CheckOptions::new(encoding);
    options.bom = rules.bom.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    options.newline = rules.newline.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    options.binary_files = rules.binary.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    options.headers_only = rules.headers_only;
    options.byte_columns = args.report.format.as_deref() == Some("gcc");
    if let Some(bytes) = args.buffer_size {
        options.buffer_size = bytes as usize;
    }
    Ok(options)
}

/// The state of a run.
struct CheckRunner {
    checker: Checker,
    reporter: Reporter,
    progress: Progress,
    encoding: &'static str,
    /// The file that is the standard output: it must not be read while the report is written.
    output: Option<FileId>,
    operands: Vec<Input>,
    recursive: bool,
    /// Whether a file could not be read.
    has_read_errors: bool,
}

impl CheckRunner {
    fn check_all(mut self, files: &Selection) -> io::Result<ExitStatus> {
        self.reporter.begin()?;
        for file in files.files() {
            match file {
                Ok(selected) => {
                    let start = byte_count::processed();
                    self.check_file(&selected)?;
                    self.progress.skip_rest(start, &selected);
                }
                Err(error) => self.path_error(error)?,
            }
            self.progress.finish_file();
        }
        let totals = self.reporter.end()?;
        Ok(match (self.has_read_errors, totals.with_findings) {
            (true, _) => ExitStatus::Failure,
            (false, 0) => ExitStatus::Success,
            (false, _) => ExitStatus::DataErrors,
        })
    }

    fn check_file(&mut self, selected: &SelectedFile) -> io::Result<()> {
        let file = FileLabel { input: &selected.input, encoding: self.encoding };
        let was_read = match self.open(selected) {
            Ok(Some(source)) => self.check_source(source, &file)?,
            Ok(None) => return Ok(()),
            Err(reason) => {
                self.reporter.unreadable(&file, &reason)?;
                false
            }
        };
        self.has_read_errors |= !was_read;
        self.reporter.end_file(&file, was_read)
    }

    /// Reports a path that cannot be checked.
    fn path_error(&mut self, error: PathError) -> io::Result<()> {
        self.has_read_errors = true;
        let file = FileLabel { input: &error.input, encoding: self.encoding };
        self.reporter.unreadable(&file, &error.message)?;
        self.reporter.end_file(&file, false)
    }

    /// Opens a file. Returns `None` for the report itself if it was found in a directory.
    fn open(&self, selected: &SelectedFile) -> Result<Option<InputStream>, String> {
        let input = &selected.input;
        let source = selected.open().map_err(|error| io_message(&error))?;
        let is_output =
            self.output.is_some() && source.file_id().is_ok_and(|file_id| file_id == self.output);
        match is_output {
            true if self.recursive && !self.operands.contains(input) => Ok(None),
            true => Err("input file is output file".to_owned()),
            false => Ok(Some(source)),
        }
    }

    /// Checks one file and returns whether it was read to its end. Findings are written before the
    /// next read, which may block.
    fn check_source(&mut self, mut source: InputStream, file: &FileLabel<'_>) -> io::Result<bool> {
        let (checker, reporter) = (&mut self.checker, &mut self.reporter);
        let mut was_read = true;
        while !checker.is_done() {
            match source.read(checker.input_buffer()) {
                Ok(0) => break,
                Ok(count) => {
                    byte_count::add(count as u64);
                    let mut report = |finding: &_| reporter.finding(file, finding);
                    checker.process(count, &mut report).map_err(io::Error::from)?;
                }
                Err(error) => {
                    // The end of what was read is not the end of the file.
                    checker.skip_rest();
                    reporter.unreadable(file, &io_message(&error))?;
                    was_read = false;
                }
            }
            if reporter.is_quiet() && reporter.file_findings > 0 {
                checker.skip_rest();
            }
            reporter.flush()?;
        }
        let mut report = |finding: &_| reporter.finding(file, finding);
        checker.finish_input(&mut report).map_err(io::Error::from)?;
        Ok(was_read)
    }
}
