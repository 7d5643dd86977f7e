//! A conversion in the flavor of glibc: all inputs are one text.

use std::io::{self, IsTerminal, Read, Write, stderr};

use crate::cli::exit::io_message;
use crate::cli::fs::input::InputStream;
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorClass, ErrorEvent, ErrorKind, MalformedReason,
};
use charpipe_encoding::error::Error;
use charpipe_iconv::arguments::ConversionArguments;
use charpipe_iconv::encoding_name::EncodingName;
use charpipe_iconv::locale::Locale;
use charpipe_iconv::{self as iconv, ErrorRules};
use charpipe_transcode::error_policy::ErrorAction;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};
use charpipe_transcode::transcoder::{ErrorReporter, Transcoder};

use super::files::{IconvOutputFile, open_input};
use super::text::{Failure, print_line, print_message, print_try_help, report_system_error};

/// Converts the inputs. Returns whether everything was converted.
///
/// # Errors
///
/// Returns [`Failure`] if the conversion could not be completed.
pub fn convert(arguments: &ConversionArguments) -> Result<bool, Failure> {
    let program = &arguments.program;
    let from_name = EncodingName::parse(arguments.from.as_deref().unwrap_or_default());
    let to_name = EncodingName::parse(arguments.to.as_deref().unwrap_or_default());
    let options = match (resolve(&from_name), resolve(&to_name)) {
        (Some(from), Some(to)) => conversion_options(arguments, from, to, &to_name),
        (from, to) => {
            report_unknown_encoding(arguments, from.is_none(), to.is_none());
            return Err(Failure::Reported);
        }
    };
    let transcoder = options.build().map_err(|error| {
        let reason = error.to_string();
        print_message(program, &[b"failed to start conversion processing: ", reason.as_bytes()]);
        Failure::Reported
    })?;
    let stops = options.error_policy.malformed != ErrorAction::Skip;
    let replaces = matches!(options.error_policy.unmappable, ErrorAction::Replace(_));
    let mut conversion = GlibcConversion {
        arguments,
        transcoder,
        encodings: (options.from.encoding.name(), options.to.encoding.name()),
        reports_skipped: to_name.ignores && !arguments.discard,
        output: LazyOutput { path: arguments.output.as_deref(), output: None },
        errors: ErrorSummary { wants_position: stops, replaces, ..ErrorSummary::default() },
        text_len: 0,
        failed: false,
    };
    conversion.convert_inputs()?;
    let GlibcConversion { output, errors, failed, .. } = conversion;
    let committed = output.output.map_or(Ok(()), IconvOutputFile::commit);
    committed
        .map_err(|error| report_system_error(program, "error while closing output file", error))?;
    Ok(!failed && !errors.skipped)
}

fn resolve(name: &EncodingName) -> Option<EncodingSpec> {
    // The locale is searched only for the empty name, which takes a hundred system calls.
    let encoding = match name.is_locale() {
        true => &Locale::from_environment().encoding,
        false => "",
    };
    name.resolve(encoding)
}

fn conversion_options(
    arguments: &ConversionArguments,
    from: EncodingSpec,
    to: EncodingSpec,
    to_name: &EncodingName,
) -> TranscodeOptions {
    let rules = ErrorRules {
        skips: arguments.discard || to_name.ignores,
        transliterates: to_name.transliterates,
        byte_format: arguments.byte_format.clone(),
        unicode_format: arguments.unicode_format.clone(),
    };
    iconv::conversion_options(from, to, &rules, Locale::from_environment)
}

fn report_unknown_encoding(arguments: &ConversionArguments, is_from: bool, is_to: bool) {
    let name = |argument: &Option<Vec<u8>>| match argument.as_deref() {
        None | Some(b"") => Locale::from_environment().encoding.clone().into_bytes(),
        Some(name) => name.to_vec(),
    };
    let (from, to) = (name(&arguments.from), name(&arguments.to));
    let message: &[&[u8]] = match (is_from, is_to) {
        (true, true) => &[b"conversions from `", &from, b"' and to `", &to, b"' are not supported"],
        (true, false) => &[b"conversion from `", &from, b"' is not supported"],
        (false, _) => &[b"conversion to `", &to, b"' is not supported"],
    };
    print_message(&arguments.program, message);
    print_try_help(&arguments.short_program);
}

/// A running conversion.
struct GlibcConversion<'a> {
    arguments: &'a ConversionArguments,
    transcoder: Transcoder,
    encodings: (&'static str, &'static str),
    /// Whether skipped input is reported and ends the conversion, as by `//IGNORE` without `-c`.
    reports_skipped: bool,
    output: LazyOutput<'a>,
    errors: ErrorSummary,
    /// The number of bytes before the current input that the transcoder counts as the same file.
    text_len: u64,
    /// Whether an input could not be opened.
    failed: bool,
}

impl GlibcConversion<'_> {
    /// Converts all inputs as one text.
    fn convert_inputs(&mut self) -> Result<(), Failure> {
        let arguments = self.arguments;
        let stdin = [b"-".to_vec()];
        let inputs = if arguments.inputs.is_empty() { &stdin[..] } else { &arguments.inputs };
        for (index, name) in inputs.iter().enumerate() {
            if arguments.verbose && !arguments.inputs.is_empty() {
                print_line(&[name, &b":"[..]].concat());
            }
            let source = match open_input(name) {
                Ok(source) => source,
                Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                    return Err(self.report_read_error(error));
                }
                Err(error) => {
                    let reason = io_message(&error);
                    let message =
                        [b"cannot open input file `", &name[..], b"': ", reason.as_bytes()];
                    print_message(&arguments.program, &message);
                    self.failed = true;
                    continue;
                }
            };
            let program = &arguments.program;
            self.output
                .open()
                .map_err(|error| report_system_error(program, "cannot open output file", error))?;
            let complete = self.convert_input(name, source, index + 1 == inputs.len())?;
            if self.reports_skipped && !complete {
                break;
            }
        }
        self.transcoder
            .finish_input(&mut self.output, &mut self.errors)
            .and_then(|()| self.transcoder.finish(&mut self.output, &mut self.errors))
            .map_err(|error| self.report_error(b"-", error))
    }

    /// Converts one input. Returns whether nothing was skipped.
    fn convert_input(
        &mut self,
        name: &[u8],
        mut source: InputStream,
        is_last: bool,
    ) -> Result<bool, Failure> {
        let output_id = self.output.output.as_ref().and_then(IconvOutputFile::file_id);
        let is_output = |id| id == output_id;
        let mut counted = if source.file_id().is_ok_and(|id| id.is_some() && is_output(id)) {
            // Otherwise the input would grow without end.
            let mut content = Vec::new();
            source.read_to_end(&mut content).map_err(|error| self.report_read_error(error))?;
            CountingReader { source: Box::new(io::Cursor::new(content)), len: 0 }
        } else {
            CountingReader { source: Box::new(source), len: 0 }
        };
        self.transcoder
            .process_reader(&mut counted, &mut self.output, &mut self.errors)
            .map_err(|error| self.report_error(name, error))?;
        let len = counted.len;
        // A character does not continue in the next input.
        if is_last || self.transcoder.has_unread_input() || self.reports_skipped {
            self.transcoder
                .finish_input(&mut self.output, &mut self.errors)
                .map_err(|error| self.report_error(name, error))?;
            self.text_len = 0;
        } else {
            self.text_len += len;
        }
        let truncated_len = std::mem::take(&mut self.errors.truncated_len);
        if self.reports_skipped && self.errors.skipped {
            self.print_illegal(len.saturating_sub(truncated_len as u64));
        } else if truncated_len > 0 {
            self.print_incomplete();
        }
        self.failed |= truncated_len > 0;
        Ok(truncated_len == 0 && !self.errors.skipped)
    }

    fn report_error(&self, name: &[u8], error: Error) -> Failure {
        let error = match error {
            Error::Conversion(error) => error,
            Error::Read(error) => return self.report_read_error(error),
            Error::Io(error) => {
                let what = "conversion stopped due to problem in writing the output";
                return report_system_error(&self.arguments.program, what, error);
            }
            error => {
                print_message(&self.arguments.program, &[error.to_string().as_bytes()]);
                return Failure::Reported;
            }
        };
        if error.event.class() == ErrorClass::Truncated {
            self.print_incomplete();
        } else {
            let offset = error.position().map_or(0, |position| position.offset);
            self.print_illegal(offset.saturating_sub(self.text_len));
        }
        if stderr().is_terminal() {
            let name = if name == b"-" { b"(stdin)" } else { name };
            let (from, to) = self.encodings;
            let position = error.position().map(|it| format!(":{}:{}", it.line, it.column));
            let reason =
                format!("{}: {}", position.unwrap_or_default(), error.event.display(from, to));
            print_message(&self.arguments.program, &[name, reason.as_bytes()]);
        }
        Failure::Reported
    }

    fn report_read_error(&self, error: io::Error) -> Failure {
        report_system_error(&self.arguments.program, "error while reading the input", error)
    }

    fn print_incomplete(&self) {
        let message = b"incomplete character or shift sequence at end of buffer";
        print_message(&self.arguments.program, &[message]);
    }

    fn print_illegal(&self, position: u64) {
        let message = format!("illegal input sequence at position {position}");
        print_message(&self.arguments.program, &[message.as_bytes()]);
    }
}

/// An output that is opened when the first input has been opened, so that a missing input changes
/// nothing.
struct LazyOutput<'a> {
    path: Option<&'a [u8]>,
    output: Option<IconvOutputFile>,
}

impl LazyOutput<'_> {
    fn open(&mut self) -> io::Result<()> {
        if self.output.is_none() {
            self.output = Some(IconvOutputFile::open(self.path)?);
        }
        Ok(())
    }
}

impl Write for LazyOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.output {
            Some(output) => output.write(bytes),
            // Nothing was read, so there is nothing to write.
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A reader that counts the bytes read.
struct CountingReader {
    source: Box<dyn Read>,
    len: u64,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.source.read(buffer)?;
        self.len += len as u64;
        Ok(len)
    }
}

/// Records the errors of a conversion.
#[derive(Debug, Default)]
struct ErrorSummary {
    wants_position: bool,
    /// Whether a replacement counts as skipped input.
    replaces: bool,
    /// Whether input was skipped.
    skipped: bool,
    /// The number of bytes of an incomplete character at the end that was skipped.
    truncated_len: usize,
}

impl ErrorReporter for ErrorSummary {
    fn wants_position(&self) -> bool {
        self.wants_position
    }

    fn counts_only(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.skipped |= self.replaces && error.action_taken == ActionTaken::Replaced;
        if let ErrorKind::Malformed { len, reason: MalformedReason::Truncated } = error.kind {
            self.truncated_len = len.max(1);
        } else if error.action_taken == ActionTaken::Skipped {
            self.skipped = true;
        }
    }

    fn repeated_error(&mut self, error: &ErrorEvent, _: u64) {
        self.error(error);
    }
}
