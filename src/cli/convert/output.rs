//! The output of a conversion, and what is printed after it.

use std::fs::{self, Metadata};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, bail};
use charpipe_transcode::parallel::ReadAt;

use crate::cli::advice::{InputSample, SAMPLE_LEN};
use crate::cli::convert_files::preserve_hint;
use crate::cli::error_printer::ErrorPrinter;
use crate::cli::exit::error_chain;

use crate::cli::fs::input::InputStream;
use crate::cli::fs::output::{CommitError, OutputStream};
use crate::cli::messages::{Message, print_message};
use crate::cli::streams::{Input, Output};
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::status::FileStatus;

use super::config::ConvertConfig;
use super::input_encoding::TrackedOutput;

/// Opens the output. A file that is replaced at the end may also be an input.
pub fn open_convert_output(config: &ConvertConfig) -> Result<TrackedOutput> {
    let may_be_replaced = match &config.output {
        Output::Stdout => false,
        Output::File(path) => fs::metadata(path).is_ok_and(|status| status.is_file()),
    };
    if !may_be_replaced {
        // Opening a pipe may block.
        reject_output_as_input(config)?;
    }
    let sink = config.output.open_preserving(config.preserve, config.named_temp_files)?;
    if may_be_replaced && !sink.is_atomic() {
        reject_output_as_input(config)?;
    }
    Ok(TrackedOutput::new(sink))
}

/// The message about an output that is also an input.
pub const INPUT_IS_OUTPUT: &str = "input file is output file";

/// Rejects an output that is also an input: the input would be truncated, or grow without end.
fn reject_output_as_input(config: &ConvertConfig) -> Result<()> {
    // Errors are ignored here; opening the file will report them.
    let output = match &config.output {
        Output::Stdout => OutputStream::Stdout.file_id(),
        Output::File(path) => FileStatus::at(path).map(|status| status.file_id()),
    };
    let Ok(Some(output)) = output else { return Ok(()) };
    match config.inputs.iter().find(|input| has_id(input, output)) {
        Some(input) => bail!("{}: {INPUT_IS_OUTPUT}", input.display_name()),
        None => Ok(()),
    }
}

/// Returns whether an input is the file with this identity.
pub fn has_id(input: &Input, id: FileId) -> bool {
    let identity = match input {
        Input::Stdin => InputStream::Stdin.file_id(),
        Input::File(path) => FileStatus::at(path).map(|status| status.file_id()),
    };
    identity.is_ok_and(|identity| identity == Some(id))
}

/// Commits the output of a conversion without errors.
pub fn commit_output(output: TrackedOutput, config: &ConvertConfig) -> Result<()> {
    let committed = output.inner.sink.commit();
    committed.map_err(with_preserve_hint).with_context(|| config.output.display_name())
}

/// Reports that an output that appears only on success was not written.
pub fn report_not_written(output: &TrackedOutput, config: &ConvertConfig) {
    if output.inner.sink.is_atomic() {
        let name = config.output.display_name();
        print_message(Message::about(&name).with_text("not written because of errors"));
    }
}

/// Adds the option that avoids the error, if metadata could not be preserved.
fn with_preserve_hint(error: CommitError) -> anyhow::Error {
    match preserve_hint(&error) {
        Some(hint) => anyhow!("{}{hint}", error_chain(&error.into())),
        None => error.into(),
    }
}

/// Passes the sample of an input that advice needs: of the file, if it is one, so that the advice does not depend on what
/// was read until an error, or else of the first bytes that were read.
pub fn give_sample(input: &Input, first: Option<&Mutex<Vec<u8>>>, errors: &mut ErrorPrinter<'_>) {
    let Some(start) = errors.wanted_sample() else { return };
    let first = first.map(|first| first.lock().unwrap_or_else(PoisonError::into_inner));
    let first = first.as_deref().map_or(&[][..], Vec::as_slice);
    let status = match input {
        // Opening a FIFO again would block.
        Input::File(path) => fs::metadata(path).ok().filter(Metadata::is_file),
        _ => None,
    };
    // The files of `/proc` have the size 0.
    let len = match status.as_ref().map_or(0, Metadata::len) {
        0 => SAMPLE_LEN,
        len => len.saturating_sub(start).min(SAMPLE_LEN as u64) as usize,
    };
    let mut bytes = vec![0; len];
    let file = status.and_then(|_| input.open().ok()?.positional());
    let len = file.and_then(|file| file.read_at(&mut bytes, start).ok()).unwrap_or(0);
    match len {
        0 => errors.sample(InputSample { start: 0, bytes: first }),
        len => errors.sample(InputSample { start, bytes: &bytes[..len] }),
    }
}
