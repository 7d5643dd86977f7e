//! Looks at the files that a command line means.

use std::io::{self, BufWriter, Read, Write};

use anyhow::{Context, Result, bail};
use charpipe::detect::{Content, Detection, Detector};

use super::args::DetectArgs;
use super::output;
use crate::cli::closed_stdio::ClosedStdio;
use crate::cli::config::{Input, Output};
use crate::cli::convert::open_output;
use crate::cli::exit::{ExitStatus, io_message};
use crate::cli::messages::print_message;
use crate::cli::paths::{PathError, SelectedFile, Selection};
use crate::cli::terminal;
use crate::cli::terminal::LineTracker;

/// Bytes that are read at a time where nobody says so.
const BUFFER_SIZE: usize = 128 * 1024;

/// Runs `charpipe detect`.
///
/// # Errors
///
/// Returns an error if the usage is invalid or the output cannot be written.
pub fn run(args: &DetectArgs, closed: ClosedStdio) -> Result<ExitStatus> {
    let files = Selection::from_args(&args.paths, &args.path_args)?;
    if closed.stdin && files.files_from_stdin() {
        bail!("standard input is closed");
    }
    let out = BufWriter::new(LineTracker::new(open_output(&Output::Stdout, closed, false)?));
    if files.is_implied_stdin() {
        terminal::announce_stdin("; to examine this directory: charpipe detect -r .");
    }
    let run = DetectRunner {
        out,
        json: args.report.json,
        max_candidates: args.report.candidates.map_or(1, |most| most as usize),
        buffer: vec![0; args.buffer_size.map_or(BUFFER_SIZE, |bytes| bytes as usize)],
        closed,
        status: ExitStatus::Success,
    };
    run.detect_all(&files).context("write error")
}

/// A run under way.
struct DetectRunner {
    out: BufWriter<LineTracker>,
    json: bool,
    /// Candidates that are told of each file.
    max_candidates: usize,
    buffer: Vec<u8>,
    closed: ClosedStdio,
    status: ExitStatus,
}

impl DetectRunner {
    fn detect_all(mut self, files: &Selection) -> io::Result<ExitStatus> {
        for found in files.files() {
            match found {
                Ok(file) => match self.inspect(&file) {
                    Ok(found) => self.print_detection(&file.input, &found)?,
                    Err(reason) => self.report_unreadable(&file.input, &reason)?,
                },
                Err(PathError { input, message: reason }) => {
                    self.report_unreadable(&input, &reason)?
                }
            }
            // The next file may be a pipe, and wait.
            self.out.flush()?;
        }
        Ok(self.status)
    }

    fn inspect(&mut self, file: &SelectedFile) -> Result<Detection, String> {
        if file.input == Input::Stdin && self.closed.stdin {
            return Err("is closed".to_owned());
        }
        let mut source = file.open().map_err(|error| io_message(&error))?;
        let mut detector = Detector::new();
        while !detector.is_done() {
            match source.read(&mut self.buffer).map_err(|error| io_message(&error))? {
                0 => break,
                count => detector.feed(&self.buffer[..count]),
            }
        }
        Ok(detector.finish())
    }

    fn print_detection(&mut self, input: &Input, detection: &Detection) -> io::Result<()> {
        if detection.content == Content::Binary || detection.is_unknown_encoding() {
            self.status = self.status.max(ExitStatus::DataErrors);
        }
        let format = if self.json { output::json } else { output::text };
        self.out.write_all(format(input, detection, self.max_candidates).as_bytes())
    }

    /// Tells of what could not be read, and is told of it on the standard error in any form.
    fn report_unreadable(&mut self, input: &Input, reason: &str) -> io::Result<()> {
        self.status = ExitStatus::Failure;
        print_message(&format!("{}: {reason}", input.display_name()));
        if self.json {
            self.out.write_all(output::json_error(input, reason).as_bytes())?;
        }
        Ok(())
    }
}
