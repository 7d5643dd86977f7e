//! Converts files in memory with some options, and keeps the results.

use charpipe::Error;
use charpipe::ErrorEvent;
use charpipe::ErrorReporter;
use charpipe::TranscodeOptions;
use charpipe::internals::error_policy::ErrorPolicy;

/// The output, the errors with their positions, and whether one of them ended the run.
#[derive(Default, Debug, PartialEq, Eq, Clone)]
pub struct ConversionOutcome {
    pub output: Vec<u8>,
    pub errors: Vec<ErrorEvent>,
    pub stopped: bool,
}

struct ErrorRecorder<'a>(&'a mut Vec<ErrorEvent>);

impl ErrorReporter for ErrorRecorder<'_> {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.0.push(*error);
    }
}

pub fn conversion_options(
    from: &str,
    to: &str,
    invalid: &str,
    unmappable: &str,
) -> TranscodeOptions {
    let mut options = TranscodeOptions::from_labels(from, to).unwrap();
    let (invalid, unmappable) = (invalid.parse().unwrap(), unmappable.parse().unwrap());
    options.error_policy = ErrorPolicy { malformed: invalid, unmappable };
    options
}

pub fn run_conversion(options: &TranscodeOptions, files: &[&[u8]]) -> ConversionOutcome {
    let mut outcome = ConversionOutcome::default();
    match feed_files(options, files, &mut outcome.output, &mut ErrorRecorder(&mut outcome.errors)) {
        Ok(()) => {}
        Err(Error::Conversion(_)) => outcome.stopped = true,
        Err(error) => panic!("{error}"),
    }
    outcome
}

/// Converts a file that is read in parts, which end at `cuts`.
pub fn run_cut_conversion(
    options: &TranscodeOptions,
    file: &[u8],
    cuts: &[usize],
) -> ConversionOutcome {
    let mut outcome = ConversionOutcome::default();
    let mut recorder = ErrorRecorder(&mut outcome.errors);
    let mut convert = || {
        let mut transcoder = options.build()?;
        let (output, mut start) = (&mut outcome.output, 0);
        for end in cuts.iter().copied().chain([file.len()]) {
            let part = &file[start..end];
            transcoder.input_buffer()[..part.len()].copy_from_slice(part);
            transcoder.process(part.len(), output, &mut recorder)?;
            start = end;
        }
        transcoder.finish_input(output, &mut recorder)?;
        transcoder.finish(output, &mut recorder)
    };
    match convert() {
        Ok(()) => {}
        Err(Error::Conversion(_)) => outcome.stopped = true,
        Err(error) => panic!("{error}"),
    }
    outcome
}

/// Converts with these options and reports the errors to this reporter.
pub fn feed_files(
    options: &TranscodeOptions,
    files: &[&[u8]],
    output: &mut Vec<u8>,
    report: &mut dyn ErrorReporter,
) -> Result<(), Error> {
    let mut transcoder = options.build()?;
    for file in files {
        let mut rest = *file;
        while !rest.is_empty() {
            let space = transcoder.input_buffer();
            let count = space.len().min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            transcoder.process(count, output, report)?;
            rest = &rest[count..];
        }
        transcoder.finish_input(output, report)?;
    }
    transcoder.finish(output, report)
}
