//! Conversion through `std::io`: [`transcode`] for slices, [`TranscodeReader`] and [`TranscodeWriter`]
//! for streams.

use std::fmt;
use std::io::{self, Read, Write};

use crate::options::TranscodeOptions;
use crate::transcoder::{ErrorReporter, Transcoder};
use charpipe_encoding::UTF_8;
use charpipe_encoding::bom::BOM;
use charpipe_encoding::codec::Status;
use charpipe_encoding::conversion_error::{ActionTaken, ErrorEvent};
use charpipe_encoding::error::Error;

/// Converts bytes from one encoding to another. Stops at the first error.
///
/// ```
/// assert_eq!(charpipe::transcode("latin1", "utf-8", b"caf\xE9")?, "café".as_bytes());
/// # Ok::<(), charpipe::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`Error::UnknownEncoding`] or [`Error::InvalidOption`] for an invalid label, and
/// [`Error::Conversion`] for the first error in the input.
pub fn transcode(from: &str, to: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
    TranscodeOptions::from_labels(from, to)?.transcode(input)
}

/// Converts a slice.
pub(crate) fn transcode_slice(options: &TranscodeOptions, input: &[u8]) -> Result<Vec<u8>, Error> {
    if let Some(output) = transform_slice(options, input) {
        return Ok(output);
    }
    let mut options = options.clone();
    options.buffer_size = options.buffer_size.min(input.len().max(MIN_SLICE_BUFFER));
    let mut writer = TranscodeWriter::new(Vec::new(), &options)?;
    writer.transcode(input)?;
    writer.finish_input()?;
    Ok(writer.inner)
}

/// Converts a slice without a transcoder, which takes a microsecond to build, if a transform of text is all there is to do
/// and the slice has no errors.
fn transform_slice(options: &TranscodeOptions, input: &[u8]) -> Option<Vec<u8>> {
    let mut codec = options.only_text_transform()?;
    let text = UTF_8.decode_strict(input).ok().filter(|text| !text.starts_with(BOM))?;
    let mut output = vec![0; text.len() + text.len() / 8 + SPARE_LEN];
    let (mut read, mut written) = (0, 0);
    loop {
        let progress = codec.transform_text(&text[read..], &mut output[written..], true);
        (read, written) = (read + progress.read, written + progress.written);
        match progress.status {
            Status::InputEmpty => break,
            Status::OutputFull => output.resize(2 * output.len() + codec.max_lookahead(), 0),
            Status::Error(_) => return None,
        }
    }
    output.truncate(written);
    Some(output)
}

/// The number of bytes by which a short output may be longer than the input before it is allocated again. For a long one it
/// is an eighth more, as Western letters with their marks take.
const SPARE_LEN: usize = 64;

/// The least size of the buffers for an input in memory, in bytes.
const MIN_SLICE_BUFFER: usize = 256;

/// The number of conversion errors by the action taken. Transliterated and escaped characters are not
/// counted by [`errors`](ErrorCounts::errors).
///
/// ```
/// use std::io::Read;
/// use charpipe::{ErrorAction, TranscodeOptions, TranscodeReader};
///
/// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII)
///     .on_malformed(ErrorAction::Skip)
///     .on_unmappable(ErrorAction::Transliterate);
/// let mut reader = TranscodeReader::new(&b"\xFF\xC3\xA9"[..], &options)?;
/// reader.read_to_end(&mut Vec::new())?;
/// let counts = reader.error_counts();
/// assert_eq!((counts.skipped, counts.transliterated, counts.errors()), (1, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErrorCounts {
    /// The number of errors for which nothing was written.
    pub skipped: u64,
    /// The number of errors for which other text was written.
    pub replaced: u64,
    /// The number of malformed sequences that were written unchanged.
    pub passed_through: u64,
    /// The number of transliterated characters, which are not errors.
    pub transliterated: u64,
    /// The number of characters written as an escape, which are not errors.
    pub escaped: u64,
}

impl ErrorCounts {
    /// Returns the number of errors: malformed sequences, regardless of the action, and characters that
    /// were lost. The conversion is complete if it is zero.
    ///
    /// ```
    /// assert_eq!(charpipe::ErrorCounts::default().errors(), 0);
    /// ```
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

/// A writer that converts its input and writes the result to another writer.
///
/// Each call of [`write`](Write::write) writes all output that its bytes allow. Call
/// [`finish`](TranscodeWriter::finish) at the end: dropping the writer loses output that the encoder has
/// buffered. After an error all calls, including `finish`, return an error, because it is not known
/// which bytes have been converted.
///
/// ```
/// use std::io::Write;
/// use charpipe::{TranscodeOptions, TranscodeWriter};
///
/// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_16BE);
/// let mut writer = TranscodeWriter::new(Vec::new(), &options)?;
/// writer.write_all("é".as_bytes())?;
/// assert_eq!(writer.finish()?, b"\0\xE9");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TranscodeWriter<W> {
    inner: W,
    transcoder: Transcoder,
    error_counts: ErrorCounts,
    state: WriterState,
}

/// Whether a [`TranscodeWriter`] accepts input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterState {
    Open,
    Finished,
    Failed,
}

impl<W: Write> TranscodeWriter<W> {
    /// Returns a writer that converts with these options.
    ///
    /// # Errors
    ///
    /// As [`TranscodeOptions::build`].
    pub fn new(inner: W, options: &TranscodeOptions) -> Result<TranscodeWriter<W>, Error> {
        Ok(TranscodeWriter {
            inner,
            transcoder: options.build()?,
            error_counts: ErrorCounts::default(),
            state: WriterState::Open,
        })
    }

    /// Ends the input and returns the inner writer.
    ///
    /// ```
    /// use charpipe::{TranscodeOptions, TranscodeWriter};
    ///
    /// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_16);
    /// let writer = TranscodeWriter::new(Vec::new(), &options)?;
    /// assert_eq!(writer.finish()?, b"");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns `InvalidData` if the input ends inside a character, an error of the inner writer, or an
    /// error if an earlier call failed.
    pub fn finish(mut self) -> io::Result<W> {
        self.try_finish()?;
        Ok(self.inner)
    }

    /// Ends the input and keeps the writer, to get the final error counts. Further calls do nothing.
    ///
    /// # Errors
    ///
    /// As [`finish`](TranscodeWriter::finish).
    pub fn try_finish(&mut self) -> io::Result<()> {
        Ok(self.finish_input()?)
    }

    /// Returns the counts of errors so far that did not stop the conversion.
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

    /// Starts a call that may fail. The writer has failed unless the call sets another state.
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
        let mut debug = f.debug_struct("TranscodeWriter");
        debug.field("inner", &self.inner).field("transcoder", &self.transcoder);
        debug.field("error_counts", &self.error_counts).field("state", &self.state).finish()
    }
}

/// A reader that converts what it reads from another reader.
///
/// A conversion error under the action `stop` is returned as an error of kind `InvalidData`, after all
/// output before it. After that `read` returns 0.
///
/// ```
/// use std::io::Read;
/// use charpipe::{TranscodeOptions, TranscodeReader};
///
/// let options = TranscodeOptions::new(charpipe::ISO_8859_1, charpipe::UTF_8);
/// let mut text = String::new();
/// TranscodeReader::new(&b"caf\xE9"[..], &options)?.read_to_string(&mut text)?;
/// assert_eq!(text, "café");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Returns a reader that converts with these options.
    ///
    /// # Errors
    ///
    /// As [`TranscodeOptions::build`].
    pub fn new(inner: R, options: &TranscodeOptions) -> Result<TranscodeReader<R>, Error> {
        Ok(TranscodeReader {
            inner,
            transcoder: options.build()?,
            error_counts: ErrorCounts::default(),
            output: Vec::new(),
            consumed: 0,
            is_finished: false,
            pending_error: None,
        })
    }

    /// Returns the counts of errors so far that did not stop the conversion.
    pub fn error_counts(&self) -> ErrorCounts {
        self.error_counts
    }

    /// Returns the inner reader. Input that was read from it but not returned yet is lost.
    ///
    /// ```
    /// use charpipe::{TranscodeOptions, TranscodeReader};
    ///
    /// let options = TranscodeOptions::new(charpipe::ISO_8859_1, charpipe::UTF_8);
    /// let reader = TranscodeReader::new(&b"abc"[..], &options)?;
    /// assert_eq!(reader.into_inner(), b"abc");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Reads and converts one buffer of input.
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
        let mut debug = f.debug_struct("TranscodeReader");
        debug.field("inner", &self.inner).field("transcoder", &self.transcoder);
        debug.field("error_counts", &self.error_counts).field("is_finished", &self.is_finished);
        debug.finish_non_exhaustive()
    }
}
