//! The transcoder after `std::io`: [`convert`] for bytes at hand, [`Reader`] and [`Writer`] for streams.

use std::fmt;
use std::io::{self, Read, Write};

use crate::conversion_error::{ActionTaken, ErrorEvent};
use crate::error::Error;
use crate::options::{EncodingSpec, TranscodeOptions};
use crate::transcoder::{ErrorReporter, Transcoder};

/// Converts bytes from one encoding to another, and stops at the first error.
///
/// ```
/// assert_eq!(charpipe::convert("latin1", "utf-8", b"caf\xE9")?, "café".as_bytes());
/// # Ok::<(), charpipe::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnknownEncoding`] and [`Error::InvalidOption`] for a name, [`Error::Stopped`] for an error.
pub fn transcode(from: &str, to: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
    let options = TranscodeOptions::new(from.parse::<EncodingSpec>()?, to.parse::<EncodingSpec>()?);
    let mut writer = TranscodeWriter::new(Vec::new(), &options)?;
    writer.transcode(input)?;
    writer.finish_input()?;
    Ok(writer.inner)
}

/// How many errors have been met, and what was done about them. Only some of them are
/// [errors](Tally::errors).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErrorCounts {
    /// Offenders in whose position nothing was written.
    pub skipped: u64,
    /// Offenders in whose position something else was written.
    pub replaced: u64,
    /// Malformed sequences that were written unchanged.
    pub passed_through: u64,
    /// Characters that were written as an equivalent, which is not an error.
    pub transliterated: u64,
    /// Characters that were written as an escape, which is not an error.
    pub escaped: u64,
}

impl ErrorCounts {
    /// How many errors there were: malformed sequences, whatever was done about them, and
    /// characters that were lost. With zero the conversion is complete.
    pub const fn errors(&self) -> u64 {
        self.skipped + self.replaced + self.passed_through
    }
}

impl ErrorReporter for ErrorCounts {
    fn wants_position(&self) -> bool {
        false
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.repeated_error(error, 1);
    }

    fn counts_only(&self) -> bool {
        true
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        match error.action_taken {
            ActionTaken::Skipped => self.skipped += count,
            ActionTaken::Replaced => self.replaced += count,
            ActionTaken::PassedThrough => self.passed_through += count,
            ActionTaken::Transliterated => self.transliterated += count,
            ActionTaken::Escaped => self.escaped += count,
            ActionTaken::Stopped => {}
        }
    }
}

/// Converts what is written to it and writes that on.
///
/// Each call of [`write`](Write::write) writes on all that its bytes allow. The end must be told
/// with [`finish`](Writer::finish): a writer that is dropped loses what its encoder holds back.
/// After an error nothing more can be written, and the end is an error too: nobody could say which
/// of the bytes have come through.
pub struct TranscodeWriter<W> {
    inner: W,
    transcoder: Transcoder,
    error_counts: ErrorCounts,
    state: WriterState,
}

/// Whether a [`Writer`] takes any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterState {
    Open,
    Finished,
    Failed,
}

impl<W: Write> TranscodeWriter<W> {
    /// A writer that carries out a options.
    ///
    /// # Errors
    ///
    /// As [`Options::transcoder`].
    pub fn new(inner: W, options: &TranscodeOptions) -> Result<TranscodeWriter<W>, Error> {
        Ok(TranscodeWriter {
            inner,
            transcoder: options.build()?,
            error_counts: ErrorCounts::default(),
            state: WriterState::Open,
        })
    }

    /// Ends the input and gives the inner writer back.
    ///
    /// # Errors
    ///
    /// `InvalidData` if the input ends inside a character; whatever the inner writer says; an
    /// earlier error.
    pub fn finish(mut self) -> io::Result<W> {
        self.try_finish()?;
        Ok(self.inner)
    }

    /// Ends the input and keeps the writer, so that the tally is there with the last error in it.
    /// To do so again does nothing.
    ///
    /// # Errors
    ///
    /// As [`finish`](Writer::finish).
    pub fn try_finish(&mut self) -> io::Result<()> {
        Ok(self.finish_input()?)
    }

    /// Errors so far that did not stop the conversion.
    pub fn error_counts(&self) -> ErrorCounts {
        self.error_counts
    }

    fn transcode(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        self.begin_call()?;
        while !bytes.is_empty() {
            let space = self.transcoder.input_buffer();
            let count = bytes.len().min(space.len());
            space[..count].copy_from_slice(&bytes[..count]);
            self.transcoder.process(count, &mut self.inner, &mut self.error_counts)?;
            bytes = &bytes[count..];
        }
        self.state = WriterState::Open;
        Ok(())
    }

    fn finish_input(&mut self) -> Result<(), Error> {
        if self.state == WriterState::Finished {
            return Ok(());
        }
        self.begin_call()?;
        self.transcoder.finish_input(&mut self.inner, &mut self.error_counts)?;
        self.transcoder.finish(&mut self.inner, &mut self.error_counts)?;
        self.state = WriterState::Finished;
        Ok(())
    }

    /// Begins what may fail: it counts as failed until it is said otherwise.
    fn begin_call(&mut self) -> Result<(), Error> {
        if self.state != WriterState::Open {
            let reason = match self.state {
                WriterState::Finished => "the input has ended",
                WriterState::Open | WriterState::Failed => "an earlier error ended the conversion",
            };
            return Err(Error::Io(io::Error::other(reason)));
        }
        self.state = WriterState::Failed;
        Ok(())
    }
}

impl<W: Write> Write for TranscodeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.transcode(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: fmt::Debug> fmt::Debug for TranscodeWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Writer");
        debug.field("inner", &self.inner).field("pump", &self.transcoder);
        debug.field("tally", &self.error_counts).field("phase", &self.state).finish()
    }
}

/// Reads from another reader and gives what it reads converted.
///
/// An error under the policy stop is an error of kind `InvalidData`, after all before it was given;
/// after it there is nothing more to read.
pub struct TranscodeReader<R> {
    inner: R,
    transcoder: Transcoder,
    error_counts: ErrorCounts,
    output: Vec<u8>,
    consumed: usize,
    is_finished: bool,
    pending_error: Option<Error>,
}

impl<R: Read> TranscodeReader<R> {
    /// A reader that carries out a options.
    ///
    /// # Errors
    ///
    /// As [`Options::transcoder`].
    pub fn new(inner: R, options: &TranscodeOptions) -> Result<TranscodeReader<R>, Error> {
        let (transcoder, counts) = (options.build()?, ErrorCounts::default());
        let ready = Vec::new();
        Ok(TranscodeReader {
            inner,
            transcoder: transcoder,
            error_counts: counts,
            output: ready,
            consumed: 0,
            is_finished: false,
            pending_error: None,
        })
    }

    /// Errors so far that did not stop the conversion.
    pub fn error_counts(&self) -> ErrorCounts {
        self.error_counts
    }

    /// Gives the inner reader back; what has been read from it but not yet from here is lost.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Reads and converts one block.
    fn refill(&mut self) -> io::Result<()> {
        self.output.clear();
        self.consumed = 0;
        let count = self.inner.read(self.transcoder.input_buffer())?;
        let mut convert = || {
            if count > 0 {
                return self.transcoder.process(count, &mut self.output, &mut self.error_counts);
            }
            self.is_finished = true;
            self.transcoder.finish_input(&mut self.output, &mut self.error_counts)?;
            self.transcoder.finish(&mut self.output, &mut self.error_counts)
        };
        self.pending_error = convert().err();
        Ok(())
    }
}

impl<R: Read> Read for TranscodeReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.consumed == self.output.len() {
            if let Some(error) = self.pending_error.take() {
                self.is_finished = true;
                return Err(error.into());
            }
            if self.is_finished || buffer.is_empty() {
                return Ok(0);
            }
            self.refill()?;
        }
        let count = buffer.len().min(self.output.len() - self.consumed);
        buffer[..count].copy_from_slice(&self.output[self.consumed..self.consumed + count]);
        self.consumed += count;
        Ok(count)
    }
}

impl<R: fmt::Debug> fmt::Debug for TranscodeReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Reader");
        debug.field("inner", &self.inner).field("pump", &self.transcoder);
        debug
            .field("tally", &self.error_counts)
            .field("ended", &self.is_finished)
            .finish_non_exhaustive()
    }
}
