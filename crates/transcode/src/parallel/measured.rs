//! Converts a large file on several threads if the conversion is slow enough to gain by it.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use super::{BlockSource, PoolOptions, ReadAt, process};
use crate::options::TranscodeOptions;
use crate::transcoder::{ErrorReporter, Transcoder};
use charpipe_encoding::error::Error;

/// The size of a file, in bytes, from which on it is converted on several threads if that gains something.
pub const MIN_PARALLEL_SIZE: u64 = 32 << 20;

/// The speed, in bytes per second, from which on several threads gain nothing: reading and writing take most
/// of the time.
pub const FAST: f64 = 2e9;

/// The number of bytes of which the speed is measured.
pub const SAMPLE_LEN: usize = 4 << 20;

/// Converts all bytes of a large file. The first ones are read from `input` and converted on the calling
/// thread, and the rest on several threads if that is slow enough to gain by it. They read `file` if it is
/// given, which has the same bytes.
///
/// # Errors
///
/// As [`Transcoder::process_reader`].
pub fn process_measured(
    transcoder: &mut Transcoder,
    input: &mut (dyn Read + Send),
    file: Option<&dyn ReadAt>,
    output: &mut (dyn Write + Send),
    reporter: &mut (dyn ErrorReporter + Send),
    options: &TranscodeOptions,
    pool: PoolOptions<'_>,
) -> Result<(), Error> {
    let (mut sampled, mut fastest) = (0, 0_f64);
    let mut threads = pool.threads;
    loop {
        let len = match input.read(transcoder.input_buffer()) {
            Ok(0) => return Ok(()),
            Ok(len) => len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::Read(error)),
        };
        let mut output = TimedWriter { inner: &mut *output, time: Duration::ZERO };
        let start = Instant::now();
        transcoder.process(len, &mut output, reporter)?;
        // The best of some is independent of other programs.
        let time = start.elapsed().saturating_sub(output.time).as_secs_f64();
        fastest = fastest.max(len as f64 / time.max(1e-9));
        sampled += len;
        if sampled < SAMPLE_LEN {
            continue;
        }
        if fastest >= FAST {
            return transcoder.process_reader(&mut &mut *input, output.inner, reporter);
        }
        threads += usize::from(threads == 1 && pool.another_thread.is_some_and(|it| it()));
        if threads > 1 {
            let pool = PoolOptions { threads, ..pool };
            let source = match file {
                Some(file) => BlockSource::File(file),
                None => BlockSource::Reader(Box::new(input)),
            };
            return process(transcoder, source, output.inner, reporter, options, pool);
        }
    }
}

/// Measures the time of writing.
struct TimedWriter<'a> {
    inner: &'a mut (dyn Write + Send),
    time: Duration,
}

impl Write for TimedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let start = Instant::now();
        let count = self.inner.write(bytes);
        self.time += start.elapsed();
        count
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::io::ErrorCounts;

    /// A file in memory that notes whether threads have read it.
    struct File<'a> {
        content: &'a [u8],
        is_read: AtomicBool,
    }

    impl ReadAt for File<'_> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.is_read.store(true, Ordering::Relaxed);
            self.content.get(offset as usize..).unwrap_or_default().read(buffer)
        }
    }

    #[test]
    fn one_thread_asks_for_another_if_the_conversion_is_slow() {
        // More than are measured; each pair of bytes is U+4E2D.
        let input = [0xD6, 0xD0].repeat(SAMPLE_LEN / 2 + 1000);
        let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
        let is_asked = AtomicBool::new(false);
        let another_thread = || {
            is_asked.store(true, Ordering::Relaxed);
            true
        };
        let pool =
            PoolOptions { threads: 1, block_size: 1 << 20, another_thread: Some(&another_thread) };
        let file = File { content: &input, is_read: AtomicBool::new(false) };
        let mut transcoder = options.build().unwrap();
        let (mut output, mut counts) = (Vec::new(), ErrorCounts::default());
        process_measured(
            &mut transcoder,
            &mut &input[..],
            Some(&file),
            &mut output,
            &mut counts,
            &options,
            pool,
        )
        .unwrap();
        transcoder.finish(&mut output, &mut counts).unwrap();
        assert!(is_asked.into_inner() && file.is_read.into_inner());
        assert!(output == "中".repeat(SAMPLE_LEN / 2 + 1000).into_bytes());
    }
}
