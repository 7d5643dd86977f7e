//! A conversion in the flavor of libiconv: each input is a text of its own, and all are converted.

use std::io::{self, Cursor as BytesCursor, Read, Write, stderr};

use crate::cli::exit::io_message;
use crate::cli::fs::input::InputStream;
use crate::cli::fs::output::OutputStream;
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorClass, ErrorEvent, ErrorKind, MalformedReason, Position,
};
use charpipe_encoding::error::Error;
use charpipe_iconv::arguments::ConversionArguments;
use charpipe_iconv::libiconv::{NameArgument, NamedEncoding, Suffixes, conversion_options};
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};
use charpipe_transcode::transcoder::ErrorReporter;

use super::files::{IconvOutputFile, open_input};
use super::position::{self, Cursor, RecordingReader};
use super::text::{Failure, print_message};

/// Converts the inputs. Returns whether everything was converted.
///
/// # Errors
///
/// Returns [`Failure`] if an encoding is unknown or the output cannot be written.
pub fn convert(arguments: &ConversionArguments) -> Result<bool, Failure> {
    // Without a name the encoding is that of the locale.
    let [from_name, to_name] =
        [&arguments.from, &arguments.to].map(|name| name.as_deref().unwrap_or(b"char"));
    let (from, to) = (NameArgument::parse(from_name), NameArgument::parse(to_name));
    let suffixes = from.suffixes.union(to.suffixes);
    let from = from.resolve().ok_or_else(|| report_unsupported(arguments, b"from ", from_name))?;
    let to = to.resolve().and_then(NamedEncoding::for_output);
    let to = to.ok_or_else(|| report_unsupported(arguments, b"to ", to_name))?;
    let is_east_asian = position::is_east_asian(to.encoding)
        || matches!(&from, NamedEncoding::One(from) if position::is_east_asian(from.encoding));
    let options = conversion_options(arguments, to, suffixes).map_err(|message| {
        print_message(&arguments.program, &[message.as_bytes()]);
        Failure::Reported
    })?;
    let output = IconvOutputFile::Stream(OutputStream::Stdout);
    let mut conversion =
        LibiconvConversion { arguments, from, options, suffixes, is_east_asian, output };
    let stdin = [b"-".to_vec()];
    let inputs = if arguments.inputs.is_empty() { &stdin[..] } else { &arguments.inputs };
    let mut succeeded = true;
    for name in inputs {
        succeeded &= conversion.convert_input(name)?;
    }
    Ok(succeeded)
}

fn report_unsupported(arguments: &ConversionArguments, preposition: &[u8], name: &[u8]) -> Failure {
    let program = &arguments.program;
    print_message(program, &[b"conversion ", preposition, name, b" unsupported"]);
    let list = [b"try '", &program[..], b" -l' to get the list of supported encodings"];
    print_message(program, &list);
    Failure::Reported
}

/// A running conversion.
struct LibiconvConversion<'a> {
    arguments: &'a ConversionArguments,
    from: NamedEncoding,
    /// The options but for the encoding of the input.
    options: TranscodeOptions,
    suffixes: Suffixes,
    is_east_asian: bool,
    output: IconvOutputFile,
}

impl LibiconvConversion<'_> {
    /// Converts one input. Returns whether everything was converted.
    fn convert_input(&mut self, name: &[u8]) -> Result<bool, Failure> {
        let source = match open_input(name) {
            Ok(source) => source,
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                self.report_read_error(name, &error);
                return Ok(false);
            }
            Err(error) => {
                let reason = io_message(&error);
                print_message(&self.arguments.program, &[name, b": ", reason.as_bytes()]);
                return Ok(false);
            }
        };
        let opened = self.open(source);
        let Some((from, mut reader)) =
            opened.map_err(|error| self.report_read_error(name, &error)).ok()
        else {
            return Ok(false);
        };
        let mut options = self.options.clone();
        options.from = from.clone();
        let mut errors = InputErrors::default();
        let transcoder = options.build();
        let result = transcoder.and_then(|mut transcoder| {
            transcoder.process_reader(&mut reader, &mut self.output, &mut errors)?;
            transcoder.finish_input(&mut self.output, &mut errors)?;
            transcoder.finish(&mut self.output, &mut errors)
        });
        match result {
            Ok(()) => {}
            Err(Error::Conversion(error)) => {
                let position = error.position();
                let offset = position.map_or(reader.len, |position| position.offset);
                let message = match error.event.class() {
                    ErrorClass::Truncated => INCOMPLETE,
                    _ => "cannot convert",
                };
                self.report(name, message, self.cursor(&from, &reader, offset, position));
                return Ok(false);
            }
            Err(Error::Read(error)) => {
                self.report_read_error(name, &error);
                return Ok(false);
            }
            Err(error) => return Err(self.failure(error)),
        }
        if errors.truncated_len > 0 {
            let offset = reader.len.saturating_sub(errors.truncated_len as u64);
            let cursor = self.cursor(&from, &reader, offset, errors.truncated_at);
            self.report(name, INCOMPLETE, cursor);
        }
        // What a suffix skips is not an error.
        let skipped = errors.skipped_malformed && !self.suffixes.skips_malformed
            || errors.skipped_character && !self.suffixes.skips_unmappable;
        Ok(errors.truncated_len == 0 && !skipped)
    }

    /// Reports an error that ends the command.
    fn failure(&self, error: Error) -> Failure {
        match error {
            Error::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                return Failure::BrokenPipe(error);
            }
            Error::Io(_) => print_message(&self.arguments.program, &[b"I/O error"]),
            error => print_message(&self.arguments.program, &[error.to_string().as_bytes()]),
        }
        Failure::Reported
    }

    /// Determines the byte order of an input. Returns its encoding and what follows the BOM.
    fn open(
        &self,
        mut source: InputStream,
    ) -> io::Result<(EncodingSpec, RecordingReader<impl Read + use<>>)> {
        let mut start = Vec::new();
        source.by_ref().take(self.from.bom_len() as u64).read_to_end(&mut start)?;
        let (encoding, bom_len) = self.from.for_input(&start).ok_or(io::ErrorKind::Unsupported)?;
        start.drain(..bom_len);
        Ok((encoding, RecordingReader::new(BytesCursor::new(start).chain(source))))
    }

    /// Returns the position after the first `offset` bytes of an input. Of a long input, the column
    /// counts characters.
    fn cursor<R>(
        &self,
        from: &EncodingSpec,
        reader: &RecordingReader<R>,
        offset: u64,
        position: Option<Position>,
    ) -> Cursor {
        let input = usize::try_from(offset).ok().and_then(|len| reader.recorded.get(..len));
        match (input, position) {
            (None, Some(Position { line, column, .. })) => {
                Cursor { line, column: column.saturating_sub(1) }
            }
            (input, _) => {
                let input = input.unwrap_or(&reader.recorded);
                Cursor::after(input, from, &self.options.error_policy.malformed, self.is_east_asian)
            }
        }
    }

    fn report(&self, name: &[u8], what: &str, cursor: Cursor) {
        if self.arguments.silent {
            return;
        }
        let Cursor { line, column } = cursor;
        if column > 0 {
            // Ends a line of output that a terminal shows.
            let _: io::Result<()> = stderr().write_all(b"\n");
        }
        let position = format!(":{line}:{column}: {what}");
        print_message(&self.arguments.program, &[display_name(name), position.as_bytes()]);
    }

    fn report_read_error(&self, name: &[u8], error: &io::Error) {
        let message = format!(": I/O error: {}", io_message(error));
        print_message(&self.arguments.program, &[display_name(name), message.as_bytes()]);
    }
}

/// The message about input that ends in a character.
const INCOMPLETE: &str = "incomplete character or shift sequence";

fn display_name(name: &[u8]) -> &[u8] {
    if name == b"-" { b"(stdin)" } else { name }
}

/// Records the errors of an input.
#[derive(Debug, Default)]
struct InputErrors {
    skipped_malformed: bool,
    skipped_character: bool,
    /// The number of bytes of an incomplete character at the end.
    truncated_len: usize,
    /// Where that character begins.
    truncated_at: Option<Position>,
}

impl ErrorReporter for InputErrors {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        let is_skipped = error.action_taken == ActionTaken::Skipped;
        match error.kind {
            ErrorKind::Malformed { len, reason: MalformedReason::Truncated } => {
                self.truncated_len = len.max(1);
                self.truncated_at = error.position;
            }
            ErrorKind::Malformed { .. } => self.skipped_malformed |= is_skipped,
            _ => self.skipped_character |= is_skipped,
        }
    }
}
