//! Conversion of one input on several threads.
//!
//! The threads of a [block pool](crate::block_pool) convert blocks ahead of their turn into buffers, in an assumed
//! state of the transcoder. If the conversion of everything before a block has led to that state, the buffer is
//! what it would have continued with, and is written. The [split rules](crate::split) make sure that this holds for
//! most encodings.
//!
//! The thread whose turn it is converts the rest of its block directly to the output. Only a state is passed from
//! thread to thread if blocks end at boundaries; otherwise the transcoder that has converted one block also
//! converts the line that the next one begins with. An error that stops the conversion, and more output or errors
//! than are kept, wait for the turn of the block.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use crate::block_pool::{BlockPool, BlockReader, BlockTask, Boundary, InputBlock, Joined};
use crate::options::TranscodeOptions;
use crate::transcoder::position::LineColumn;
use crate::transcoder::{ErrorReporter, Transcoder};
use charpipe_encoding::codec::State;
use charpipe_encoding::error::Error;

mod event_log;
mod joiner;
mod measured;

pub use crate::block_pool::{BlockSource, PoolOptions, ReadAt, StreamQueue};
use event_log::{EventLog, Wanted};
use joiner::Joiner;
pub use measured::{FAST, MIN_PARALLEL_SIZE, SAMPLE_LEN, process_measured};

/// The size of a block, in bytes. 128 MiB of Chinese in GB18030 take 107 milliseconds of CPU time with two
/// threads, 116 with blocks of half the size, 109 with twice the size, and 107 with one thread; in UTF-16LE it
/// is 50, 54, 51 and 43.
pub const BLOCK_SIZE: usize = 256 * 1024;

/// The maximum buffer size of a transcoder that converts a block: its buffers and the output that it keeps are
/// to fit into the cache of a core. 128 MiB of Chinese in UTF-16LE take 50 milliseconds of CPU time with
/// 32 KiB or 64 KiB, and 54 with 128 KiB.
const BUFFER_SIZE: usize = 32 * 1024;

/// The maximum length of the output of a block that its transcoder keeps until its turn, as a multiple of the
/// length of the block.
const MAX_EXPANSION: usize = 4;

/// Returns whether conversions with these options can run on several threads.
pub fn is_supported(options: &TranscodeOptions, transcoder: &Transcoder) -> bool {
    // The counts of a list are not part of its state.
    transcoder.can_resume() && options.from.encoding.factory.list().is_none()
}

/// Converts all bytes of `source` as [`Transcoder::process_reader`] does, on several threads.
///
/// # Errors
///
/// As [`Transcoder::process_reader`].
pub fn process<'a>(
    transcoder: &'a mut Transcoder,
    source: BlockSource<'a>,
    output: &'a mut (dyn Write + Send + 'a),
    reporter: &'a mut (dyn ErrorReporter + Send + 'a),
    options: &'a TranscodeOptions,
    pool: PoolOptions<'a>,
) -> Result<(), Error> {
    let boundary = Boundary::from_options(options);
    let options =
        &TranscodeOptions { buffer_size: options.buffer_size.min(BUFFER_SIZE), ..options.clone() };
    let conversion = ParallelConversion { options, wanted: Mutex::new(Wanted::by(reporter)) };
    let reader = BlockReader::new(source, transcoder.next_offset(), boundary);
    let joiner = Joiner { transcoder, resumption: None, output, reporter };
    let (joiner, result) = BlockPool::run(conversion, reader, joiner, pool);
    if let Some(Joiner { transcoder, resumption: Some(resumption), .. }) = joiner {
        resumption.resume(transcoder);
    }
    result
}

/// What was converted of a block ahead of its turn.
#[derive(Default)]
struct AheadOutput {
    converted: Option<ConvertedAhead>,
    /// The transcoder that converts blocks ahead, and keeps their output.
    transcoder: Option<Transcoder>,
}

/// The end of a block that was converted ahead.
struct ConvertedAhead {
    /// The assumed state at its start.
    assumed: Arc<[State]>,
    log: EventLog,
    /// Whether an error stopped it, or more output or errors than are kept.
    is_stopped: bool,
}

/// A conversion, shared by its threads.
struct ParallelConversion<'a> {
    /// The options of the transcoders of blocks.
    options: &'a TranscodeOptions,
    /// What the reporter wants.
    wanted: Mutex<Wanted>,
}

impl<'a> BlockTask for ParallelConversion<'a> {
    const THREAD_NAME: &'static str = "converter";
    type Ahead = AheadOutput;
    type Joiner = Joiner<'a>;
    type State = [State];

    /// Converts a block from `start` on into its buffer, up to its end or until it is its turn.
    fn work_ahead(
        &self,
        pool: &BlockPool<'_, Self>,
        block: &mut InputBlock<AheadOutput>,
        start: u64,
        assumed: Arc<[State]>,
    ) -> Result<bool, Error> {
        let mut transcoder = match block.ahead.transcoder.take() {
            Some(transcoder) => transcoder,
            None => self.options.build()?,
        };
        transcoder.resume(&assumed, start, LineColumn::START);
        let max_output = MAX_EXPANSION * pool.options.block_size;
        transcoder.hold_output(max_output);
        let mut log = EventLog::new(*self.wanted.lock().unwrap_or_else(PoisonError::into_inner));
        let (mut end, mut is_stopped, mut expected) = (start, false, 0);
        while end < block.end
            && !pool.is_turn_of(block)
            && transcoder.held_output_len() + expected <= max_output
            && !log.is_full()
        {
            // The end of the file or an error is found again in the turn of the block.
            let space = transcoder.input_buffer();
            let Ok(len @ 1..) = pool.reader.fill(space, block, end, block.end) else {
                break;
            };
            let held = transcoder.held_output_len();
            // More output than is kept is an error, because nothing else can keep it.
            let mut no_space: &mut [u8] = &mut [];
            let result = transcoder.process(len, &mut no_space, &mut log);
            if result.is_err() || log.has_overflowed() {
                // It is converted again in its turn, and then an error is reported.
                is_stopped = true;
                break;
            }
            end += len as u64;
            expected = (transcoder.held_output_len() - held) * BUFFER_SIZE.div_ceil(len);
        }
        block.ahead.transcoder = Some(transcoder);
        block.ahead.converted = Some(ConvertedAhead { assumed, log, is_stopped });
        Ok(end >= block.end && !is_stopped)
    }

    /// Converts or writes the block whose turn it is.
    fn join(
        &self,
        pool: &BlockPool<'_, Self>,
        block: &mut InputBlock<AheadOutput>,
        joiner: &mut Joiner<'a>,
    ) -> Result<Joined<[State]>, Error> {
        let result = joiner.join(block, pool);
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Wanted::by(joiner.reporter);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_policy::{ErrorAction, ErrorPolicy};
    use charpipe_encoding::conversion_error::ErrorEvent;

    /// Keeps all errors, with their positions.
    #[derive(Default)]
    struct Collected(Vec<ErrorEvent>);

    impl ErrorReporter for Collected {
        fn wants_position(&self) -> bool {
            true
        }

        fn error(&mut self, error: &ErrorEvent) {
            self.0.push(*error);
        }
    }

    /// Lines of different lengths, each third with a byte that is malformed in all of the encodings below.
    fn lines(line: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        for index in 0..300 {
            text.extend(line.repeat(index % 5));
            text.extend_from_slice(if index % 3 == 0 { b"\xFF\n" } else { b"a\n" });
        }
        text
    }

    #[test]
    fn threads_write_and_report_what_one_thread_does() {
        let cases: [(&str, &str, &[u8]); 4] = [
            ("gb18030", "utf-8", b"\xD6\xD0\x81\x30\x84\x36"),
            ("utf-8", "latin1", "é€".as_bytes()),
            ("iso-2022-jp", "utf-8", b"\x1B$B0!\x1B(B"),
            ("shift_jis", "iso-2022-kr", b"\x93\xFA\x83\x5C"),
        ];
        for (from, to, line) in cases {
            let mut options = TranscodeOptions::from_labels(from, to).unwrap();
            let replace = ErrorAction::Replace(Some("?".into()));
            options.error_policy = ErrorPolicy { malformed: replace.clone(), unmappable: replace };
            let input = lines(line);
            let (mut expected, mut expected_errors) = (Vec::new(), Collected::default());
            let mut one = options.build().unwrap();
            one.process_reader(&mut &input[..], &mut expected, &mut expected_errors).unwrap();
            one.finish(&mut expected, &mut expected_errors).unwrap();
            assert!(expected_errors.0.len() >= 100, "{from}");
            assert!(is_supported(&options, &options.build().unwrap()), "{from}");
            for (threads, block_size) in [(1, 50), (2, 16), (2, 300), (4, 64), (3, 1 << 20)] {
                let mut transcoder = options.build().unwrap();
                let (mut output, mut errors) = (Vec::new(), Collected::default());
                let pool = PoolOptions { threads, block_size, another_thread: None };
                let source = BlockSource::Reader(Box::new(&input[..]));
                process(&mut transcoder, source, &mut output, &mut errors, &options, pool).unwrap();
                transcoder.finish(&mut output, &mut errors).unwrap();
                assert!(output == expected, "{from} {threads} {block_size}");
                assert!(errors.0 == expected_errors.0, "{from} {threads} {block_size}");
            }
        }
    }

    #[test]
    fn an_error_that_stops_is_that_of_the_first_block_that_has_one() {
        let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
        let mut input = b"one\n".repeat(100);
        input.extend_from_slice(b"two \xFF\nthree \xFF\n");
        input.extend(b"four\n".repeat(100));
        for (threads, block_size) in [(1, 50), (2, 16), (4, 64)] {
            let mut transcoder = options.build().unwrap();
            let (mut output, mut errors) = (Vec::new(), Collected::default());
            let pool = PoolOptions { threads, block_size, another_thread: None };
            let source = BlockSource::Reader(Box::new(&input[..]));
            let result = process(&mut transcoder, source, &mut output, &mut errors, &options, pool);
            let Err(Error::Conversion(error)) = result else { panic!("{result:?}") };
            let position = error.position().unwrap();
            assert_eq!((position.offset, position.line, position.column), (404, 101, 5));
            assert_eq!(output, [&b"one\n".repeat(100)[..], b"two "].concat());
            assert_eq!(errors.0.len(), 1);
        }
    }

    #[test]
    fn lists_of_encodings_are_not_converted_on_threads() {
        let options = TranscodeOptions::from_labels("utf-8,latin1", "utf-8").unwrap();
        assert!(!is_supported(&options, &options.build().unwrap()));
    }
}
