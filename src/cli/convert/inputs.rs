//! Conversion of inputs, one after the other, to one output.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::advice::SAMPLE_LEN;
use crate::cli::closed_stdio::closed_at_start;
use crate::cli::error_printer::ErrorPrinter;
use crate::cli::exit::{ExitStatus, io_message};
use crate::cli::fs::byte_count::CountedReader;
use crate::cli::fs::input::{InputStream, PositionalFile};
use crate::cli::labels;
use crate::cli::messages::{self, Message, Verbosity, print_message};
use crate::cli::ordered_messages::MessageSink;
use crate::cli::paths::{FoundFile, PathError, SelectedFile};
use crate::cli::progress::ProgressDisplay;
use crate::cli::quote::Quoted;
use crate::cli::streams::Input;
use crate::cli::subcommand_names::similar_subcommand;
use crate::cli::terminal::{LineBatch, flush_lines};
use crate::cli::threads::thread_count;
use anyhow::{Context, Result};
use charpipe_encoding::Error;
use charpipe_transcode::parallel::{
    self, BlockSource, MIN_PARALLEL_SIZE, PoolOptions, ReadAt, StreamQueue,
};

use super::config::ConvertConfig;
use super::input_encoding::{PerInputTranscoder, TrackedOutput};
use super::name_prefix::NamePrefix;
use super::output::{
    INPUT_IS_OUTPUT, commit_output, give_sample, has_id, open_convert_output, report_not_written,
};

/// Converts the inputs.
///
/// # Errors
///
/// Returns an error if the conversion cannot be completed. Errors in the data are part of the status.
pub fn convert(config: &ConvertConfig) -> Result<ExitStatus> {
    let transcoder = PerInputTranscoder::new(config)?;
    let mut output = open_convert_output(config)?;
    output.prefix = config.named_files.as_ref().map(|_| NamePrefix::new(&config.options.to));
    let errors = ErrorPrinter::new(&config.options, config.verbosity, MessageSink::Immediate)
        .assuming_utf8(config.assumes_utf8);
    // Text on the same terminal would mix with the progress.
    let _progress = match config.verbosity != Verbosity::Quiet && !output.inner.shares_terminal {
        true => match &config.named_files {
            Some(files) => ProgressDisplay::of_files(files),
            None => ProgressDisplay::of_inputs(&config.inputs),
        },
        false => ProgressDisplay::hidden(),
    };
    let mut converter = Converter {
        transcoder,
        output,
        errors,
        jobs: config.jobs,
        io_failed: false,
        rejected: false,
    };
    if config.announce_stdin {
        messages::announce_stdin("");
    }
    let converted = match &config.named_files {
        Some(files) => converter.convert_all(files.files()),
        None => {
            let inputs = config.inputs.iter().cloned();
            converter.convert_all(inputs.map(|input| Ok(SelectedFile::from_operand(input))))
        }
    };
    let stopped = match converted {
        Ok(()) => false,
        Err(Error::Conversion(_)) => true,
        Err(Error::Io(error)) => return Err(error).context(config.output.write_error_message()),
        Err(error) => return Err(error.into()),
    };
    let status = converter.status();
    if !stopped && !converter.io_failed && !converter.rejected {
        commit_output(converter.output, config)?;
    } else {
        report_not_written(&converter.output, config);
    }
    Ok(status)
}

/// A running conversion.
struct Converter {
    transcoder: PerInputTranscoder,
    output: TrackedOutput,
    errors: ErrorPrinter<'static>,
    /// The number of threads, if it is given.
    jobs: Option<u32>,
    /// Whether an input could not be read.
    io_failed: bool,
    /// Whether the encoding of an input is unknown.
    rejected: bool,
}

impl Converter {
    fn convert_all(&mut self, files: impl Iterator<Item = FoundFile>) -> Result<(), Error> {
        for (index, found) in files.enumerate() {
            let file = match found {
                Ok(file) => file,
                Err(PathError { input, message }) => {
                    self.report_unreadable(&input, &message);
                    continue;
                }
            };
            let input = &file.input;
            self.errors.begin_file(&input.display_name());
            if *input == Input::Stdin && closed_at_start().stdin {
                self.io_failed = true;
                print_message(Message::error("standard input is closed"));
                continue;
            }
            if !self.begin_named_file(input)? {
                continue;
            }
            let ended = match file.open() {
                Ok(source) => self.convert_input(CountedReader(source), input),
                Err(error) => {
                    self.report_open_error(input, &error, index == 0);
                    continue;
                }
            };
            self.errors.end_file();
            ended?;
        }
        self.transcoder.transcoder.finish(&mut self.output, &mut self.errors)
    }

    /// Begins a file whose name precedes its lines, if there are names. Returns false for the output.
    fn begin_named_file(&mut self, input: &Input) -> Result<bool, Error> {
        let output = &mut self.output;
        let Some(prefix) = &mut output.prefix else { return Ok(true) };
        let line_end = prefix.begin_file(input)?;
        output.inner.write_all(line_end).map_err(Error::Io)?;
        let is_output = matches!(output.inner.sink.file_id(), Ok(Some(id)) if has_id(input, id));
        if is_output {
            self.report_unreadable(input, INPUT_IS_OUTPUT);
        }
        Ok(!is_output)
    }

    /// Converts one input. All output that the bytes read so far allow is written before the next
    /// read, which may block.
    fn convert_input(
        &mut self,
        mut source: CountedReader<InputStream>,
        input: &Input,
    ) -> Result<(), Error> {
        let prefix = match self.transcoder.read_prefix(&mut source) {
            Ok(prefix) => prefix,
            Err(error) => {
                self.report_read_error(input, &error);
                return Ok(());
            }
        };
        if let Err(rejected) =
            self.transcoder.switch_to(&prefix, &mut self.output, &mut self.errors)?
        {
            self.rejected = true;
            print_message(Message::about(&input.display_name()).with_error(&rejected));
            return Ok(());
        }
        let size = input.size();
        let file = self.may_use_threads(size).then(|| source.0.positional()).flatten();
        let start = Arc::<Mutex<Vec<u8>>>::default();
        let source = io::Cursor::new(prefix).chain(source);
        let source = SampledReader { source, start: start.clone(), remaining: SAMPLE_LEN };
        let processed = match self.convert_source(source, file, size) {
            Err(Error::Read(error)) => {
                self.report_read_error(input, &error);
                Ok(())
            }
            processed => processed,
        };
        let processed = processed.and_then(|()| {
            self.transcoder.transcoder.finish_input(&mut self.output, &mut self.errors)
        });
        give_sample(input, Some(&start), &mut self.errors);
        processed
    }

    /// Returns whether an input of this size may be converted on several threads.
    fn may_use_threads(&self, size: Option<u64>) -> bool {
        self.jobs.map_or(is_large(size), |jobs| jobs > 1)
    }

    /// Converts the rest of an input, on several threads if that was requested or gains something. `size` is
    /// the size of the input if it is a file, and `file` the file if it can be read at any offset.
    fn convert_source(
        &mut self,
        mut source: impl Read + Send + 'static,
        file: Option<PositionalFile>,
        size: Option<u64>,
    ) -> Result<(), Error> {
        let Converter { transcoder, output, errors, jobs, .. } = self;
        let PerInputTranscoder { transcoder, transcoder_options: options, .. } = transcoder;
        let measures = jobs.is_none() && is_large(size);
        let threads = match jobs {
            Some(jobs) => *jobs as usize,
            None if measures => thread_count(),
            None => 1,
        };
        if threads == 1 || !parallel::is_supported(options, transcoder) {
            let _batch = LineBatch::begin();
            return transcoder.process_reader(&mut source, output, errors);
        }
        let block_size = parallel::BLOCK_SIZE;
        let pool = PoolOptions { threads, block_size, another_thread: None };
        if measures {
            let file = file.as_ref().map(|file| file as &dyn ReadAt);
            let input = &mut source;
            return parallel::process_measured(
                transcoder, input, file, output, errors, options, pool,
            );
        }
        if size.is_some() {
            let source = match &file {
                Some(file) => BlockSource::File(file),
                None => BlockSource::Reader(Box::new(source)),
            };
            return parallel::process(transcoder, source, output, errors, options, pool);
        }
        let stream = StreamQueue::start(Box::new(source), block_size).map_err(Error::Read)?;
        let source = BlockSource::Stream(stream);
        parallel::process(transcoder, source, output, errors, options, pool)
    }

    /// Reports an input that cannot be opened. If it is the first operand, it may be a mistyped
    /// subcommand.
    fn report_open_error(&mut self, input: &Input, error: &io::Error, is_first: bool) {
        let operand = match input {
            Input::File(path) if error.kind() == io::ErrorKind::NotFound => path.to_str(),
            _ => None,
        };
        let reason = io_message(error);
        match operand.filter(|_| is_first).and_then(subcommand_hint) {
            Some(hint) => self.report_unreadable(input, &format!("{reason} ({hint})")),
            None => self.report_unreadable(input, &reason),
        }
    }

    fn report_read_error(&mut self, input: &Input, error: &io::Error) {
        self.report_unreadable(input, &io_message(error));
    }

    fn report_unreadable(&mut self, input: &Input, reason: &str) {
        self.io_failed = true;
        print_message(Message::about(&input.display_name()).with_error(reason));
    }

    fn status(&self) -> ExitStatus {
        match (self.io_failed, self.errors.any() || self.rejected) {
            (true, _) => ExitStatus::Failure,
            (false, true) => ExitStatus::DataErrors,
            (false, false) => ExitStatus::Success,
        }
    }
}

/// A reader that keeps a copy of the first bytes.
struct SampledReader<R> {
    source: R,
    start: Arc<Mutex<Vec<u8>>>,
    /// The number of bytes that are still to be copied.
    remaining: usize,
}

impl<R: Read> Read for SampledReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // It may wait.
        flush_lines();
        let count = self.source.read(buffer)?;
        if self.remaining > 0 {
            let copied = count.min(self.remaining);
            let mut start = self.start.lock().unwrap_or_else(PoisonError::into_inner);
            start.extend_from_slice(&buffer[..copied]);
            self.remaining -= copied;
        }
        Ok(count)
    }
}

/// Returns whether an input of this size is converted on several threads if that gains something.
fn is_large(size: Option<u64>) -> bool {
    size.is_some_and(|size| size >= MIN_PARALLEL_SIZE)
}

/// Returns a hint if an operand that is not a file resembles a subcommand.
fn subcommand_hint(operand: &str) -> Option<String> {
    match (operand, similar_subcommand(operand)) {
        (_, Some(name)) if name == operand => {
            Some("subcommands must be the first argument".to_owned())
        }
        (_, Some(name)) => Some(format!("did you mean the subcommand '{name}'?")),
        ("convert", None) => Some("a conversion has no subcommand".to_owned()),
        ("man" | "version", None) => Some(format!("did you mean 'charpipe --{operand}'?")),
        (chain, None) if labels::is_chain(chain) => {
            Some(format!("to convert in these steps use --chain={}", Quoted::new(chain)))
        }
        _ => None,
    }
}
