//! A transcoder that converts one input on several threads, as the command does.

use std::io::{self, Read, Write};

use charpipe::internals::parallel::{
    BLOCK_SIZE, BlockSource, PoolOptions, ReadAt, StreamQueue, is_supported, process,
};
use charpipe::{Error, ErrorReporter, TranscodeOptions, Transcoder};

/// A [`Transcoder`] that converts one input on several threads.
#[derive(Debug)]
pub struct ParallelTranscoder {
    options: TranscodeOptions,
    transcoder: Transcoder,
    threads: usize,
    block_size: usize,
}

impl ParallelTranscoder {
    /// Returns a transcoder that runs up to `threads` threads, the calling one included.
    ///
    /// # Errors
    ///
    /// As [`TranscodeOptions::build`].
    pub fn new(options: &TranscodeOptions, threads: usize) -> Result<ParallelTranscoder, Error> {
        Ok(ParallelTranscoder {
            options: options.clone(),
            transcoder: options.build()?,
            threads,
            block_size: BLOCK_SIZE,
        })
    }

    /// Sets the number of bytes that a thread converts at a time. Results do not depend on it.
    #[must_use]
    pub fn block_size(mut self, bytes: usize) -> ParallelTranscoder {
        self.block_size = bytes.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE);
        self
    }

    /// Converts all bytes of an input whose reads do not wait, such as a file.
    ///
    /// # Errors
    ///
    /// As [`Transcoder::process_reader`].
    pub fn process_reader(
        &mut self,
        input: &mut (impl Read + Send),
        output: &mut (impl Write + Send),
        reporter: &mut (impl ErrorReporter + Send),
    ) -> Result<(), Error> {
        if !is_supported(&self.options, &self.transcoder) {
            return self.transcoder.process_reader(input, output, reporter);
        }
        self.process(BlockSource::Reader(Box::new(input)), output, reporter)
    }

    /// Converts all bytes of a stream whose reads may wait, such as a pipe. Everything that has been read
    /// is written without waiting for more. If writing fails the function returns, and the thread that
    /// waits for the stream ends when it next returns from a read.
    ///
    /// # Errors
    ///
    /// As [`Transcoder::process_reader`].
    pub fn process_stream(
        &mut self,
        mut input: impl Read + Send + 'static,
        output: &mut (impl Write + Send),
        reporter: &mut (impl ErrorReporter + Send),
    ) -> Result<(), Error> {
        if !is_supported(&self.options, &self.transcoder) {
            return self.transcoder.process_reader(&mut input, output, reporter);
        }
        let stream = StreamQueue::start(Box::new(input), self.block_size).map_err(Error::Read)?;
        self.process(BlockSource::Stream(stream), output, reporter)
    }

    /// Converts all bytes of a file. Each thread reads its own part of it.
    ///
    /// # Errors
    ///
    /// As [`Transcoder::process_reader`].
    pub fn process_file(
        &mut self,
        input: &dyn ReadAt,
        output: &mut (impl Write + Send),
        reporter: &mut (impl ErrorReporter + Send),
    ) -> Result<(), Error> {
        if is_supported(&self.options, &self.transcoder) {
            return self.process(BlockSource::File(input), output, reporter);
        }
        let mut reader = FileReader { file: input, offset: 0 };
        self.transcoder.process_reader(&mut reader, output, reporter)
    }

    fn process(
        &mut self,
        source: BlockSource<'_>,
        output: &mut (dyn Write + Send),
        reporter: &mut (dyn ErrorReporter + Send),
    ) -> Result<(), Error> {
        let (threads, block_size) = (self.threads, self.block_size);
        let pool = PoolOptions { threads, block_size, another_thread: None };
        process(&mut self.transcoder, source, output, reporter, &self.options, pool)
    }

    /// Ends the input and the output.
    ///
    /// # Errors
    ///
    /// As [`Transcoder::finish`].
    pub fn finish(
        &mut self,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        self.transcoder.finish_input(output, reporter)?;
        self.transcoder.finish(output, reporter)
    }
}

/// Reads a file from an offset on.
struct FileReader<'a> {
    file: &'a dyn ReadAt,
    offset: u64,
}

impl Read for FileReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read_at(buffer, self.offset)?;
        self.file.count(len as u64);
        self.offset += len as u64;
        Ok(len)
    }
}
