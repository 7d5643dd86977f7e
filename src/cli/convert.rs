//! Runs a command.

use std::fs;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::cli::fs::byte_count::CountedReader;
use crate::cli::fs::file_id::FileId;
use crate::cli::fs::input::{InputStream, PositionalFile};
use crate::cli::fs::output::{CommitError, OutputStream};
use crate::cli::fs::preserve::PreserveError;
use crate::cli::quote::Quoted;
use anyhow::{Context, Result, anyhow, bail};
use charpipe_encoding::Error;
use charpipe_transcode::parallel::{
    self, BlockSource, MIN_PARALLEL_SIZE, ParallelOptions, ReadAt, StreamQueue,
};

use super::advice::{SAMPLE_LEN, Sample};
use super::args::Subcommand;
use super::closed_stdio::closed_at_start;
use super::config::{self, Command, ConvertConfig};
use super::error_printer::ErrorPrinter;
use super::exit::{ExitStatus, error_chain, io_message};
use super::messages::{self, Message, Verbosity, print_message};
use super::ordered_messages::MessageSink;
use super::progress::Progress;
use super::streams::{Input, Output, print};
use super::subcommand_names::similar_subcommand;
use super::sys::process;
use super::{check, convert_files, detect, iconv, list, range, show, split};

pub mod args;
mod input_encoding;
pub mod range_report;

use input_encoding::{PerInputTranscoder, TrackedOutput};

/// Runs a command and returns the exit status.
///
/// # Errors
///
/// Returns an error if the command cannot be completed. Errors in the data are part of the status.
pub fn run(command: &Command) -> Result<ExitStatus> {
    process::ignore_sigxfsz()?;
    match command {
        Command::Print(text) => print(text),
        Command::Convert(config) => match &config.range {
            Some(range) => range::convert_range(config, range),
            None => convert(config),
        },
        Command::ConvertFiles(config) => convert_files::run(config),
        Command::Subcommand(subcommand) => match &**subcommand {
            Subcommand::Check(args) => check::run(args),
            Subcommand::Detect(args) => detect::run(args),
            Subcommand::List(args) => list::run(args),
            Subcommand::Show(args) => show::run(args),
            Subcommand::Split(args) => split::run(args),
            // They are conversions.
            Subcommand::Fix(_) => Err(Error::Internal("fix is a conversion".into()).into()),
            Subcommand::Repair(_) => Err(Error::Internal("repair is a conversion".into()).into()),
            // Only its manual page is requested here.
            Subcommand::Iconv(_) => {
                Err(Error::Internal("iconv has a command line of its own".into()).into())
            }
            Subcommand::InstallLinks(args) => iconv::install_links(args),
        },
    }
}

fn convert(config: &ConvertConfig) -> Result<ExitStatus> {
    let transcoder = PerInputTranscoder::new(config)?;
    let output = open_convert_output(config)?;
    let errors = ErrorPrinter::new(&config.options, config.verbosity, MessageSink::Immediate)
        .assuming_utf8(config.assumes_utf8);
    // Text on the same terminal would mix with the progress.
    let _progress = match config.verbosity != Verbosity::Quiet && !output.inner.shares_terminal {
        true => Progress::of_inputs(&config.inputs),
        false => Progress::hidden(),
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
    let stopped = match converter.convert_all(&config.inputs) {
        Ok(()) => false,
        Err(Error::Conversion(_)) => true,
        Err(Error::Io(error)) => return Err(error).context(config.output.write_error_message()),
        Err(error) => return Err(error.into()),
    };
    let status = converter.status();
    if !stopped && !converter.io_failed && !converter.rejected {
        commit_output(converter.output, config)?;
    } else if converter.output.inner.sink.is_atomic() {
        let name = config.output.display_name();
        print_message(Message::about(&name).with_text("not written because of errors"));
    }
    Ok(status)
}

/// Commits the output of a conversion without errors.
pub fn commit_output(output: TrackedOutput, config: &ConvertConfig) -> Result<()> {
    let committed = output.inner.sink.commit();
    committed.map_err(with_preserve_hint).with_context(|| config.output.display_name())
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
    fn convert_all(&mut self, inputs: &[Input]) -> Result<(), Error> {
        for input in inputs {
            self.errors.begin_file(&input.display_name());
            if *input == Input::Stdin && closed_at_start().stdin {
                self.io_failed = true;
                print_message(Message::error("standard input is closed"));
                continue;
            }
            let ended = match input.open() {
                Ok(source) => self.convert_input(CountedReader(source), input),
                Err(error) => {
                    self.report_open_error(input, &error, inputs);
                    continue;
                }
            };
            self.errors.end_file();
            ended?;
        }
        self.transcoder.transcoder.finish(&mut self.output, &mut self.errors)
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
            return transcoder.process_reader(&mut source, output, errors);
        }
        let (block_size, another_thread) = (parallel::BLOCK_SIZE, None);
        let parallel = ParallelOptions { options, threads, block_size, another_thread };
        if measures {
            let file = file.as_ref().map(|file| file as &dyn ReadAt);
            let input = &mut source;
            return parallel::process_measured(transcoder, input, file, output, errors, &parallel);
        }
        if size.is_some() {
            let source = match &file {
                Some(file) => BlockSource::File(file),
                None => BlockSource::Reader(Box::new(source)),
            };
            return parallel::process(transcoder, source, output, errors, &parallel);
        }
        let stream = StreamQueue::start(Box::new(source), block_size).map_err(Error::Read)?;
        let source = BlockSource::Stream(stream);
        parallel::process(transcoder, source, output, errors, &parallel)
    }

    /// Reports an input that cannot be opened. If it is the first operand, it may be a mistyped
    /// subcommand.
    fn report_open_error(&mut self, input: &Input, error: &io::Error, inputs: &[Input]) {
        let operand = match input {
            Input::File(path) if error.kind() == io::ErrorKind::NotFound => path.to_str(),
            _ => None,
        };
        let is_first = inputs.first() == Some(input);
        match operand.filter(|_| is_first).and_then(subcommand_hint) {
            Some(hint) => {
                self.io_failed = true;
                let (name, reason) = (input.display_name(), io_message(error));
                print_message(Message::about(&name).with_error(&format!("{reason} ({hint})")));
            }
            None => self.report_read_error(input, error),
        }
    }

    fn report_read_error(&mut self, input: &Input, error: &io::Error) {
        self.io_failed = true;
        print_message(Message::about(&input.display_name()).with_error(&io_message(error)));
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

/// Passes the sample of an input that advice needs: of the file, if it is one, so that the advice does not depend on what
/// was read until an error, or else of the first bytes that were read.
pub fn give_sample(input: &Input, first: Option<&Mutex<Vec<u8>>>, errors: &mut ErrorPrinter<'_>) {
    let Some(start) = errors.wanted_sample() else { return };
    let first = first.map(|first| first.lock().unwrap_or_else(PoisonError::into_inner));
    let first = first.as_deref().map_or(&[][..], Vec::as_slice);
    let file = match input {
        // Opening a FIFO again would block.
        Input::File(path) if fs::metadata(path).is_ok_and(|status| status.is_file()) => {
            input.open().ok().and_then(|stream| stream.positional())
        }
        _ => None,
    };
    let mut bytes = vec![0; SAMPLE_LEN];
    let len = file.and_then(|file| file.read_at(&mut bytes, start).ok()).unwrap_or(0);
    match len {
        0 => errors.sample(Sample { start: 0, bytes: first }),
        len => errors.sample(Sample { start, bytes: &bytes[..len] }),
    }
}

/// Returns whether an input of this size is converted on several threads if that gains something.
fn is_large(size: Option<u64>) -> bool {
    size.is_some_and(|size| size >= MIN_PARALLEL_SIZE)
}

/// Returns the number of CPUs, up to 8.
pub fn thread_count() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(8))
}

/// Returns a hint if an operand that is not a file resembles a subcommand.
fn subcommand_hint(operand: &str) -> Option<String> {
    match (operand, similar_subcommand(operand)) {
        (_, Some(name)) if name == operand => {
            Some("subcommands must be the first argument".to_owned())
        }
        (_, Some(name)) => Some(format!("did you mean the subcommand '{name}'?")),
        ("help", None) => Some("did you mean 'charpipe --help'?".to_owned()),
        ("convert", None) => Some("a conversion has no subcommand".to_owned()),
        ("man" | "version", None) => Some(format!("did you mean 'charpipe --{operand}'?")),
        (chain, None) if config::is_chain(chain) => {
            Some(format!("to convert in these steps use --chain={}", Quoted::new(chain)))
        }
        _ => None,
    }
}

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

/// Rejects an output that is also an input: the input would be truncated, or grow without end.
fn reject_output_as_input(config: &ConvertConfig) -> Result<()> {
    // Errors are ignored here; opening the file will report them.
    let output = match &config.output {
        Output::Stdout => OutputStream::Stdout.file_id(),
        Output::File(path) => FileId::from_path(path),
    };
    let Ok(Some(output)) = output else { return Ok(()) };
    for input in &config.inputs {
        let identity = match input {
            Input::Stdin => InputStream::Stdin.file_id(),
            Input::File(path) => FileId::from_path(path),
        };
        if identity.is_ok_and(|input| input == Some(output)) {
            bail!("{}: input file is output file", input.display_name());
        }
    }
    Ok(())
}

/// Adds the option that avoids the error, if metadata could not be preserved.
fn with_preserve_hint(error: CommitError) -> anyhow::Error {
    match preserve_hint(&error) {
        Some(hint) => anyhow!("{}{hint}", error_chain(&error.into())),
        None => error.into(),
    }
}

/// Returns a hint if the error was caused by metadata that could not be preserved.
pub fn preserve_hint(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let cause = error.source()?.downcast_ref::<io::Error>()?;
    PreserveError::names_in(cause).map(|names| format!(" (use --no-preserve={names})"))
}
