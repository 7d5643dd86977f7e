//! Checks the files that a command line means.

use std::io::{self, Read};

use anyhow::{Context, Result, bail};
use charpipe::check::{CheckOptions, Checker};
use charpipe::file_id::FileId;
use charpipe::input::InputStream;
use charpipe::output::OutputStream;

use super::args::CheckArgs;
use super::file_label::FileLabel;
use super::format;
use super::reporter::Reporter;
use crate::cli::closed_stdio::ClosedStdio;
use crate::cli::config::{self, Input, Output};
use crate::cli::convert::open_output;
use crate::cli::exit::{ExitStatus, io_message};
use crate::cli::paths::{PathError, SelectedFile, Selection};
use crate::cli::terminal;

/// Runs `charpipe check`.
///
/// # Errors
///
/// Returns an error if the usage is invalid or the output cannot be written.
pub fn run(args: &CheckArgs, closed: ClosedStdio) -> Result<ExitStatus> {
    let rules = rules(args)?;
    let checker = Checker::new(&rules)?;
    let files = Selection::from_args(&args.paths, &args.path_args)?;
    if closed.stdin && files.files_from_stdin() {
        bail!("standard input is closed");
    }
    let format = args.report.format.as_deref().unwrap_or("text");
    let format = if args.report.silent { None } else { format::by_name(format) };
    let sink = match format {
        Some(_) => open_output(&Output::Stdout, closed, false)?,
        None => OutputStream::Stdout,
    };
    let output = if format.is_some() { sink.file_id().ok().flatten() } else { None };
    let reporter = Reporter::new(format, sink, args.report.max_findings.unwrap_or(u64::MAX));
    let encoding = rules.encoding.encoding.name;
    if files.is_implied_stdin() && !args.report.silent {
        terminal::announce_stdin("; to check this directory: charpipe check -r .");
    }
    let (named, recursive) = (config::inputs_from_args(&args.paths), args.path_args.recursive);
    let run = CheckRunner {
        checker,
        reporter: reporter,
        encoding: encoding,
        output,
        operands: named,
        recursive,
        closed,
        io_failed: false,
    };
    run.check_all(&files).context("write error")
}

fn rules(args: &CheckArgs) -> Result<CheckOptions> {
    let encoding =
        config::parse_encoding_without_suffixes("--encoding", args.rules.encoding.as_deref())?;
    let mut rules = CheckOptions::new(encoding);
    // The parser takes only the words that there are.
    rules.bom = args.rules.bom.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    rules.newline = args.rules.newline.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    rules.binary_files =
        args.rules.binary.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    rules.headers_only = args.rules.headers_only;
    rules.byte_columns = args.report.format.as_deref() == Some("gcc");
    if let Some(bytes) = args.buffer_size {
        rules.buffer_size = bytes as usize;
    }
    Ok(rules)
}

/// A check under way.
struct CheckRunner {
    checker: Checker,
    reporter: Reporter,
    encoding: &'static str,
    /// The file after the standard output: it must not be read while it grows.
    output: Option<FileId>,
    /// The operands.
    operands: Vec<Input>,
    recursive: bool,
    closed: ClosedStdio,
    /// Whether something could not be read.
    io_failed: bool,
}

impl CheckRunner {
    fn check_all(mut self, files: &Selection) -> io::Result<ExitStatus> {
        self.reporter.begin()?;
        for found in files.files() {
            match found {
                Ok(selected) => self.check_file(&selected)?,
                Err(error) => self.path_error(error)?,
            }
        }
        let totals = self.reporter.end()?;
        Ok(match (self.io_failed, totals.with_findings) {
            (true, _) => ExitStatus::Failure,
            (false, 0) => ExitStatus::Success,
            (false, _) => ExitStatus::DataErrors,
        })
    }

    fn check_file(&mut self, selected: &SelectedFile) -> io::Result<()> {
        let file = FileLabel { input: &selected.input, encoding: self.encoding };
        let read = match self.open(selected) {
            Ok(Some(source)) => self.check_source(source, &file)?,
            Ok(None) => return Ok(()),
            Err(reason) => {
                self.reporter.unreadable(&file, &reason)?;
                false
            }
        };
        self.io_failed |= !read;
        self.reporter.end_file(&file, read)
    }

    /// Something was named that is no file to read.
    fn path_error(&mut self, lost: PathError) -> io::Result<()> {
        self.io_failed = true;
        let file = FileLabel { input: &lost.input, encoding: self.encoding };
        self.reporter.unreadable(&file, &lost.message)?;
        self.reporter.end_file(&file, false)
    }

    /// Opens a file; nothing if it is the report itself, which has come up in a directory.
    fn open(&self, selected: &SelectedFile) -> Result<Option<InputStream>, String> {
        let input = &selected.input;
        if *input == Input::Stdin && self.closed.stdin {
            return Err("is closed".to_owned());
        }
        let source = selected.open().map_err(|error| io_message(&error))?;
        let same = self.output.is_some() && source.file_id().is_ok_and(|own| own == self.output);
        match same {
            true if self.recursive && !self.operands.contains(input) => Ok(None),
            true => Err("input file is output file".to_owned()),
            false => Ok(Some(source)),
        }
    }

    /// Checks one file; says whether all of it could be read. All that the bytes read so far
    /// allow is written before the next read, which may have to wait.
    fn check_source(&mut self, mut source: InputStream, file: &FileLabel<'_>) -> io::Result<bool> {
        let (checker, reporter) = (&mut self.checker, &mut self.reporter);
        let mut read = true;
        while !checker.is_done() {
            match source.read(checker.input_buffer()) {
                Ok(0) => break,
                Ok(bytes) => {
                    let mut out = |finding: &_| reporter.finding(file, finding);
                    checker.process(bytes, &mut out).map_err(io::Error::from)?;
                }
                Err(error) => {
                    // That it breaks off here is not the file's error.
                    checker.skip_rest();
                    reporter.unreadable(file, &io_message(&error))?;
                    read = false;
                }
            }
            if reporter.is_quiet() && reporter.found() > 0 {
                checker.skip_rest();
            }
            reporter.flush()?;
        }
        let mut out = |finding: &_| reporter.finding(file, finding);
        checker.finish_input(&mut out).map_err(io::Error::from)?;
        Ok(read)
    }
}
