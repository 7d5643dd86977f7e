//! Conversion of one input on several threads.
//!
//! The input is read in blocks. Each thread takes the next block, assumes the state of the transcoder after
//! the first line feed in it, and converts what comes after that into a buffer. When it is the turn of the
//! block, the transcoder that has converted everything before it converts the line that the block
//! begins with. If it is then in the assumed state, the buffer is what it would have written; it
//! is written, and the transcoder of the block continues. Otherwise the buffer is dropped and the block is
//! converted again. So the output, the errors and their order do not depend on the number of
//! threads or on how good the assumption is: that is a matter of speed only. The [split
//! rules](crate::split) make sure that it holds for most encodings, and the assumed state is that after an
//! earlier line feed of the same input.
//!
//! Blocks that cannot be converted ahead wait for their turn: those without a line feed, with more output
//! or errors than are kept, or with an error that stops the conversion. Memory is therefore bounded.
//!
//! The thread whose block is complete first also writes the next ones if they are complete. Nothing
//! waits for further input before what has been read is written: a stream is read by a thread of its own,
//! for which no other thread waits.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
#[cfg(feature = "cli")]
use std::time::{Duration, Instant};

use crate::codec::State;
use crate::error::Error;
use crate::options::TranscodeOptions;
use crate::transcoder::position::LineColumn;
use crate::transcoder::{ErrorReporter, Transcoder};

mod block_buffer;
mod boundary;
mod event_log;
mod stream;
mod transcoder;

use block_buffer::BlockBuffer;
pub(crate) use boundary::Boundary;
use event_log::{EventLog, Wanted};
pub(crate) use stream::StreamQueue;
pub use transcoder::ParallelTranscoder;

/// The size of a block, in bytes. Larger ones leave the cache; smaller ones cost more switches of threads.
pub(crate) const BLOCK_SIZE: usize = 256 * 1024;

/// The buffer size of a transcoder that converts a block: the block, its output and these buffers are to fit
/// into the cache of a core. 256 MiB of Chinese in GB18030 take 0.34 seconds of CPU time with two threads
/// and 32 KiB, 0.36 with 64 KiB and 0.40 with 128 KiB, and 0.28 with one thread.
const BUFFER_SIZE: usize = 32 * 1024;

/// The size of a file, in bytes, from which on it is converted on several threads if that gains something.
#[cfg(feature = "cli")]
pub(crate) const MIN_PARALLEL_SIZE: u64 = 32 << 20;

/// The maximum length of the output of a block that is kept until its turn, as a multiple of the length of
/// the block.
const MAX_EXPANSION: usize = 4;

/// The length of the output of a block that its transcoder keeps, as a multiple of the length of the block.
const HELD_OUTPUT: usize = 2;

/// After how many wrong assumptions in a row blocks are no longer converted ahead for a while.
const MAX_MISSES: u32 = 2;

/// The maximum number of blocks that are then converted one after the other.
const MAX_PAUSE: u64 = 1024;

/// The speed, in bytes per second, from which on several threads gain nothing: reading and writing take most
/// of the time.
#[cfg(feature = "cli")]
pub(crate) const FAST: f64 = 2e9;

/// The number of bytes of which the speed is measured.
#[cfg(feature = "cli")]
pub(crate) const SAMPLE_LEN: usize = 4 << 20;

/// How to run threads.
#[derive(Clone, Copy)]
pub(crate) struct ParallelOptions<'a> {
    /// The options of the transcoder.
    pub options: &'a TranscodeOptions,
    /// The number of threads, the calling one included.
    pub threads: usize,
    /// The number of bytes of a block.
    pub block_size: usize,
    /// Returns whether another thread may be started, called from time to time.
    pub another_thread: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// Where blocks come from.
pub(crate) enum BlockSource<'a> {
    /// A file, whose reads do not wait for another process.
    File(Box<dyn Read + Send + 'a>),
    /// A stream.
    Stream(Arc<StreamQueue>),
}

/// Returns whether conversions with these options can run on several threads.
pub(crate) fn is_supported(options: &TranscodeOptions, transcoder: &Transcoder) -> bool {
    // The counts of a list are not part of its state.
    transcoder.can_resume() && options.from.encoding.factory.list().is_none()
}

/// Converts all bytes of `source` as [`Transcoder::process_reader`] does, on several threads.
///
/// # Errors
///
/// As [`Transcoder::process_reader`].
pub(crate) fn process<'a>(
    transcoder: &'a mut Transcoder,
    source: BlockSource<'a>,
    output: &'a mut (dyn Write + Send + 'a),
    reporter: &'a mut (dyn ErrorReporter + Send + 'a),
    parallel: &'a ParallelOptions<'a>,
) -> Result<(), Error> {
    let offset = transcoder.next_offset();
    let stream = match &source {
        BlockSource::File(_) => None,
        BlockSource::Stream(queue) => Some(queue.clone()),
    };
    let wanted = Wanted::by(reporter);
    let run = Run {
        parallel,
        options: TranscodeOptions {
            buffer_size: parallel.options.buffer_size.min(BUFFER_SIZE),
            ..parallel.options.clone()
        },
        boundary: Boundary::from_options(parallel.options),
        input: Mutex::new(BlockReader { source, offset, index: 0, is_ended: false }),
        stream,
        state: Mutex::new(RunState {
            next: 0,
            taken: 0,
            threads: 1,
            completed: BTreeMap::new(),
            joiner: Some(Joiner { transcoder, output, reporter }),
            assumed: None,
            wanted,
            misses: 0,
            pause_until: 0,
            pause: 1,
            error: None,
            read_error: None,
            is_stopped: false,
            waiting: 0,
            blocks: Vec::new(),
            transcoders: Vec::new(),
        }),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 1..parallel.threads {
            run.start_thread(scope);
        }
        run.work(Some(scope));
    });
    let state = run.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let error = state.error.or(state.read_error.map(Error::Read));
    error.map_or(Ok(()), Err)
}

/// Converts all bytes of a large file. The first ones are converted on the calling thread, and the rest on
/// several threads if that is slow enough to gain by it.
///
/// # Errors
///
/// As [`Transcoder::process_reader`].
#[cfg(feature = "cli")]
pub(crate) fn process_measured(
    transcoder: &mut Transcoder,
    input: &mut (dyn Read + Send),
    output: &mut (dyn Write + Send),
    reporter: &mut (dyn ErrorReporter + Send),
    parallel: &ParallelOptions<'_>,
) -> Result<(), Error> {
    let (mut sampled, mut fastest) = (0, 0_f64);
    let mut threads = parallel.threads;
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
        threads += usize::from(threads == 1 && parallel.another_thread.is_some_and(|it| it()));
        if threads > 1 {
            let parallel = ParallelOptions { threads, ..*parallel };
            let source = BlockSource::File(Box::new(input));
            return process(transcoder, source, output.inner, reporter, &parallel);
        }
    }
}

/// Measures the time of writing.
#[cfg(feature = "cli")]
struct TimedWriter<'a> {
    inner: &'a mut (dyn Write + Send),
    time: Duration,
}

#[cfg(feature = "cli")]
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

/// A block of the input, and what it was converted to.
#[derive(Default)]
struct Block {
    index: u64,
    /// The offset in the input.
    offset: u64,
    bytes: BlockBuffer,
    /// What was converted ahead.
    ahead: Option<Ahead>,
    /// The start of its output, if the transcoder could not keep all.
    output: Vec<u8>,
}

/// The end of a block that was converted ahead.
struct Ahead {
    /// The index in the block where it begins.
    start: usize,
    /// The index where the conversion ended: the end of the block unless there was too much output.
    end: usize,
    /// The assumed state at its start.
    assumed: Arc<[State]>,
    /// The transcoder after it, whose lines count from its start.
    transcoder: Transcoder,
    log: EventLog,
    /// Whether an error stopped it.
    is_stopped: bool,
}

/// Reads blocks.
struct BlockReader<'a> {
    source: BlockSource<'a>,
    offset: u64,
    index: u64,
    is_ended: bool,
}

/// What converts blocks in order. At most one thread has it.
struct Joiner<'a> {
    /// The transcoder of everything before the next block.
    transcoder: &'a mut Transcoder,
    output: &'a mut (dyn Write + Send + 'a),
    reporter: &'a mut (dyn ErrorReporter + Send + 'a),
}

/// What converting a block in its turn has shown about the assumed state.
#[derive(Default)]
struct JoinResult {
    /// Whether the assumption was right, if there was one.
    was_right: Option<bool>,
    /// The state after the first line feed, if that was not known.
    learned: Option<Arc<[State]>>,
}

struct RunState<'a> {
    /// The index of the block whose turn it is.
    next: u64,
    /// The number of blocks that have been taken.
    taken: u64,
    /// The number of threads.
    threads: usize,
    /// The blocks after it that are complete.
    completed: BTreeMap<u64, Block>,
    /// `None` while a thread has it.
    joiner: Option<Joiner<'a>>,
    /// The state that is assumed at the boundaries of blocks.
    assumed: Option<Arc<[State]>>,
    wanted: Wanted,
    /// The number of wrong assumptions since the last right one.
    misses: u32,
    /// The index of the first block that may be converted ahead.
    pause_until: u64,
    /// The length of the next pause.
    pause: u64,
    error: Option<Error>,
    /// The error of reading the input, after the last block.
    read_error: Option<io::Error>,
    /// Whether no more blocks are to be converted.
    is_stopped: bool,
    /// The number of threads that wait for a change.
    waiting: usize,
    /// Blocks and transcoders to use again.
    blocks: Vec<Block>,
    transcoders: Vec<Transcoder>,
}

impl RunState<'_> {
    /// Records what converting a block has shown about the assumed state.
    fn update(&mut self, JoinResult { was_right, learned }: JoinResult) {
        match was_right {
            Some(true) => (self.misses, self.pause) = (0, 1),
            Some(false) => self.misses += 1,
            None => {}
        }
        if was_right != Some(true) && learned.is_some() {
            self.assumed = learned;
        }
        if self.misses > MAX_MISSES {
            self.misses = 0;
            self.pause_until = self.taken + self.pause;
            self.pause = (2 * self.pause).min(MAX_PAUSE);
        }
    }

    /// Keeps the buffers and the transcoder of a block for another one.
    fn recycle(&mut self, mut block: Block) {
        self.transcoders.extend(block.ahead.take().map(|ahead| ahead.transcoder));
        self.blocks.push(block);
    }
}

/// A conversion, shared by its threads.
struct Run<'a> {
    parallel: &'a ParallelOptions<'a>,
    /// The options of the transcoders of blocks.
    options: TranscodeOptions,
    boundary: Boundary,
    input: Mutex<BlockReader<'a>>,
    /// The stream that is read, to stop waiting for it.
    stream: Option<Arc<StreamQueue>>,
    state: Mutex<RunState<'a>>,
    changed: Condvar,
}

/// Stops a conversion if a thread panics, so that the others do not wait for it.
struct PanicGuard<'a, 'b>(&'a Run<'b>);

impl Drop for PanicGuard<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(&mut self.0.lock(), Some(Error::Internal("worker")));
        }
    }
}

impl BlockReader<'_> {
    /// Reads the next block, which is empty at the end of the input.
    fn read(&mut self, block: &mut Block, block_size: usize) -> io::Result<()> {
        block.bytes.clear();
        if self.is_ended {
            return Ok(());
        }
        let result = match &mut self.source {
            BlockSource::File(file) => block.bytes.read_all(file, block_size),
            BlockSource::Stream(queue) => queue.next_block(&mut block.bytes),
        };
        self.is_ended = result.is_err() || block.bytes.is_empty();
        if !block.bytes.is_empty() {
            (block.index, block.offset) = (self.index, self.offset);
            self.index += 1;
            self.offset += block.bytes.len() as u64;
        }
        result
    }
}

impl Joiner<'_> {
    /// Converts bytes directly.
    fn process(&mut self, bytes: &[u8]) -> Result<(), Error> {
        process_bytes(self.transcoder, bytes, self.output, self.reporter)
    }

    /// Converts a block in its turn, or writes what it was converted to. The state at the boundary is passed
    /// to `on_state` as soon as it is known.
    fn join(
        &mut self,
        block: &mut Block,
        boundary: Boundary,
        on_state: &dyn Fn(&[State]),
    ) -> Result<JoinResult, Error> {
        let ahead = block.ahead.take();
        let start = match &ahead {
            Some(ahead) => Some(ahead.start),
            None => boundary.find(&block.bytes, block.offset),
        };
        let Some(start) = start else {
            self.process(&block.bytes)?;
            return Ok(JoinResult::default());
        };
        self.process(&block.bytes[..start])?;
        let state = self.transcoder.stage_states();
        if let Some(state) = &state {
            on_state(state);
        }
        let mut result = JoinResult { was_right: None, learned: state.clone().map(Into::into) };
        let mut converted = start;
        if let Some(mut ahead) = ahead {
            let is_right = state.as_deref() == Some(&*ahead.assumed);
            result.was_right = Some(is_right);
            if is_right && !ahead.is_stopped {
                let start = self.transcoder.line_column();
                ahead.log.replay(start, self.reporter);
                ahead.transcoder.rebase_lines(start);
                std::mem::swap(self.transcoder, &mut ahead.transcoder);
                self.output.write_all(&block.output).map_err(Error::Io)?;
                self.transcoder.release_output(&mut *self.output).map_err(Error::Io)?;
                converted = ahead.end;
            }
            block.ahead = Some(Ahead { log: EventLog::default(), ..ahead });
        }
        self.process(&block.bytes[converted..])?;
        Ok(result)
    }
}

/// Converts bytes with a transcoder.
fn process_bytes(
    transcoder: &mut Transcoder,
    mut bytes: &[u8],
    output: &mut dyn Write,
    reporter: &mut dyn ErrorReporter,
) -> Result<(), Error> {
    while !bytes.is_empty() {
        let len = fill(transcoder, bytes);
        transcoder.process(len, output, reporter)?;
        bytes = &bytes[len..];
    }
    Ok(())
}

/// Copies the start of `bytes` into the input buffer. Returns its length.
fn fill(transcoder: &mut Transcoder, bytes: &[u8]) -> usize {
    let space = transcoder.input_buffer();
    let len = space.len().min(bytes.len());
    space[..len].copy_from_slice(&bytes[..len]);
    len
}

impl<'a> Run<'a> {
    fn lock(&self) -> MutexGuard<'_, RunState<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for [`notify`](Run::notify).
    fn wait<'b>(&'b self, mut state: MutexGuard<'b, RunState<'a>>) -> MutexGuard<'b, RunState<'a>> {
        state.waiting += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes the threads that wait, after a change of the state. If there are none this is not a system call.
    fn notify(&self, state: &RunState<'a>) {
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Starts a thread. If the system refuses it, the others do its work.
    fn start_thread<'scope, 'env>(&'env self, scope: &'scope thread::Scope<'scope, 'env>) {
        let thread = thread::Builder::new().name("converter".into());
        if thread.spawn_scoped(scope, || self.work(None)).is_ok() {
            self.lock().threads += 1;
        }
    }

    /// Stops the conversion.
    fn stop(&self, state: &mut RunState<'a>, error: Option<Error>) {
        if state.error.is_none() {
            state.error = error;
        }
        state.is_stopped = true;
        if let Some(stream) = &self.stream {
            stream.close();
        }
        self.notify(state);
    }

    /// Converts blocks until there are none. `scope` is that of further threads, if this one starts them.
    fn work<'scope, 'env>(&'env self, scope: Option<&'scope thread::Scope<'scope, 'env>>) {
        let _guard = PanicGuard(self);
        while let Some(block) = self.take_block() {
            self.convert(block);
            if let (Some(scope), Some(another_thread)) = (scope, self.parallel.another_thread) {
                if another_thread() {
                    self.start_thread(scope);
                }
            }
        }
    }

    /// Takes the next block. Waits while too many have been taken that are not written yet.
    fn take_block(&self) -> Option<Block> {
        let mut state = self.lock();
        while !state.is_stopped && state.taken - state.next > 2 * state.threads as u64 {
            state = self.wait(state);
        }
        if state.is_stopped {
            return None;
        }
        state.taken += 1;
        let mut block = state.blocks.pop().unwrap_or_default();
        drop(state);
        let result = {
            let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
            input.read(&mut block, self.parallel.block_size.max(1))
        };
        if let Err(error) = result {
            // What was read before the error is still converted.
            self.lock().read_error.get_or_insert(error);
        }
        if block.bytes.is_empty() {
            let mut state = self.lock();
            state.taken -= 1;
            self.notify(&state);
            return None;
        }
        Some(block)
    }

    /// Converts a block, ahead of its turn if possible.
    fn convert(&self, mut block: Block) {
        let start = self.boundary.find(&block.bytes, block.offset);
        let mut state = self.lock();
        loop {
            if state.is_stopped {
                return;
            }
            if state.next == block.index {
                if let Some(joiner) = state.joiner.take() {
                    return self.join(state, joiner, block);
                }
            }
            let assumed = state.assumed.clone().filter(|_| block.index >= state.pause_until);
            if let (Some(assumed), Some(start)) = (assumed, start) {
                let (transcoder, wanted) = (state.transcoders.pop(), state.wanted);
                drop(state);
                match self.convert_ahead(&mut block, start, assumed, transcoder, wanted) {
                    Ok(()) => break,
                    Err(error) => return self.stop(&mut self.lock(), Some(error)),
                }
            }
            state = self.wait(state);
        }
        // What is not complete continues in its turn.
        let mut state = self.lock();
        let is_complete = block
            .ahead
            .as_ref()
            .is_some_and(|ahead| ahead.end == block.bytes.len() && !ahead.is_stopped);
        while !is_complete
            && !state.is_stopped
            && (state.next != block.index || state.joiner.is_none())
        {
            state = self.wait(state);
        }
        if state.is_stopped {
            return;
        }
        let joiner = if state.next == block.index { state.joiner.take() } else { None };
        match joiner {
            Some(joiner) => self.join(state, joiner, block),
            None => {
                state.completed.insert(block.index, block);
            }
        }
    }

    /// Converts a block from `start` on into its buffer.
    fn convert_ahead(
        &self,
        block: &mut Block,
        start: usize,
        assumed: Arc<[State]>,
        transcoder: Option<Transcoder>,
        wanted: Wanted,
    ) -> Result<(), Error> {
        let mut transcoder = match transcoder {
            Some(transcoder) => transcoder,
            None => self.options.build()?,
        };
        transcoder.resume(&assumed, block.offset + start as u64, LineColumn::START);
        transcoder.hold_output(HELD_OUTPUT * self.parallel.block_size);
        let mut log = EventLog::new(wanted);
        let max_output = MAX_EXPANSION * self.parallel.block_size;
        let (mut end, mut is_stopped) = (start, false);
        block.output.clear();
        while end < block.bytes.len() && block.output.len() < max_output && !log.is_full() {
            let len = fill(&mut transcoder, &block.bytes[end..]);
            if transcoder.process(len, &mut block.output, &mut log).is_err() {
                // It is converted again in its turn, and then the error is reported.
                is_stopped = true;
                break;
            }
            end += len;
        }
        block.ahead = Some(Ahead { start, end, assumed, transcoder, log, is_stopped });
        Ok(())
    }

    /// Converts or writes the block whose turn it is, and those after it that are complete.
    fn join<'b>(
        &'b self,
        mut state: MutexGuard<'b, RunState<'a>>,
        mut joiner: Joiner<'a>,
        mut block: Block,
    ) {
        loop {
            drop(state);
            let on_state = |states: &[State]| {
                let mut state = self.lock();
                if state.assumed.is_none() {
                    state.assumed = Some(states.into());
                    self.notify(&state);
                }
            };
            let result = joiner.join(&mut block, self.boundary, &on_state);
            let wanted = Wanted::by(joiner.reporter);
            state = self.lock();
            match result {
                Ok(result) => state.update(result),
                Err(error) => return self.stop(&mut state, Some(error)),
            }
            state.wanted = wanted;
            state.next += 1;
            state.recycle(block);
            self.notify(&state);
            let next = state.next;
            match state.completed.remove(&next) {
                Some(next) if !state.is_stopped => block = next,
                _ => {
                    state.joiner = Some(joiner);
                    return;
                }
            }
        }
    }
}
