//! Conversion of one input on several threads.
//!
//! The input is divided into blocks. Each thread takes the next block, assumes the state of the transcoder
//! after the first line feed in it, and converts what comes after that into a buffer. When it is the turn of
//! the block, everything before it has been converted. If that has led to the assumed state, the buffer is
//! what the conversion so far would have continued with; it is written, and the rest of the block is
//! converted directly to the output. Otherwise the buffer is dropped and the block is converted again. So the
//! output, the errors and their order do not depend on the number of threads or on how good the
//! assumption is: that is a matter of speed only. The [split rules](crate::split) make sure that it holds
//! for most encodings, and the assumed state is that after an earlier line feed of the same input.
//!
//! Each thread reads its own blocks of a file into its transcoder. A block then ends after the first line
//! feed of the next one, where that one begins, so that only a state is passed from thread to
//! thread. The blocks of a reader or a stream end anywhere; the transcoder that has converted one also
//! converts the line that the next one begins with.
//!
//! Blocks that cannot be converted ahead wait for their turn: those without a line feed, with more output
//! or errors than are kept, or with an error that stops the conversion. So the memory of a block is bounded,
//! and so is the number of blocks, whatever the number of threads.
//!
//! A thread whose block is complete before its turn takes another one, and the thread that converts what
//! comes before writes it. Nothing waits for further input before what has been read is written: a stream is
//! read by a thread of its own, for which no other thread waits.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::options::TranscodeOptions;
use crate::transcoder::position::LineColumn;
use crate::transcoder::{ErrorReporter, Transcoder};
use charpipe_encoding::codec::State;
use charpipe_encoding::error::Error;

mod block;
mod block_buffer;
mod boundary;
mod event_log;
mod joiner;
mod measured;
mod stream;
mod transcoder;

pub use block::BlockSource;
pub use block::ReadAt;
use block::{Ahead, Block, BlockReader, Part};
pub use boundary::Boundary;
use event_log::{EventLog, Wanted};
use joiner::{JoinResult, Joiner};
pub use measured::{FAST, MIN_PARALLEL_SIZE, SAMPLE_LEN, process_measured};
pub use stream::StreamQueue;
pub use transcoder::ParallelTranscoder;

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

/// The maximum number of blocks that are taken and not written yet, and so of threads. Each takes up to
/// 1.4 MiB: its bytes, four times as much output, and the buffers of its transcoder.
const MAX_BLOCKS: usize = 12;

/// After how many blocks in a row that were converted ahead in vain blocks are no longer converted ahead for a while.
const MAX_MISSES: u32 = 2;

/// The maximum number of blocks that are then converted one after the other.
const MAX_PAUSE: u64 = 1024;

/// How to run threads.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "it contains codecs")]
pub struct ParallelOptions<'a> {
    /// The options of the transcoder.
    pub options: &'a TranscodeOptions,
    /// The number of threads, the calling one included.
    pub threads: usize,
    /// The number of bytes of a block.
    pub block_size: usize,
    /// Returns whether another thread may be started, called from time to time.
    pub another_thread: Option<&'a (dyn Fn() -> bool + Sync)>,
}

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
    parallel: &'a ParallelOptions<'a>,
) -> Result<(), Error> {
    let offset = transcoder.next_offset();
    let stream = match &source {
        BlockSource::File(_) | BlockSource::Reader(_) => None,
        BlockSource::Stream(queue) => Some(queue.clone()),
    };
    let wanted = Wanted::by(reporter);
    let run = Run {
        parallel,
        options: TranscodeOptions {
            buffer_size: parallel.options.buffer_size.min(BUFFER_SIZE),
            ..parallel.options.clone()
        },
        reader: BlockReader::new(source, offset, Boundary::from_options(parallel.options)),
        stream,
        turn: AtomicU64::new(0),
        state: Mutex::new(RunState {
            next: 0,
            taken: 0,
            threads: 1,
            completed: BTreeMap::new(),
            offset,
            end_index: u64::MAX,
            joiner: Some(Joiner { transcoder, resumption: None, output, reporter }),
            assumed: None,
            wanted,
            misses: 0,
            pause_until: 0,
            pause: 1,
            error: None,
            read_error: None,
            is_stopped: false,
            waiting: 0,
            waiting_for_space: 0,
            blocks: Vec::new(),
        }),
        changed: Condvar::new(),
        space: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 1..parallel.threads.min(MAX_BLOCKS) {
            run.start_thread(scope);
        }
        run.work(Some(scope));
    });
    let state = run.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(Joiner { transcoder, resumption: Some(resumption), .. }) = state.joiner {
        resumption.resume(transcoder);
    }
    let error = state.error.or(state.read_error.map(Error::Read));
    error.map_or(Ok(()), Err)
}

struct RunState<'a> {
    /// The index of the block whose turn it is.
    next: u64,
    /// The number of blocks that have been taken.
    taken: u64,
    /// The offset of the next block, if they are blocks of a file.
    offset: u64,
    /// The index of the first block after the end of the input, as far as that is known.
    end_index: u64,
    /// The number of threads.
    threads: usize,
    /// The blocks after it that are complete.
    completed: BTreeMap<u64, Block>,
    /// `None` while a thread has it.
    joiner: Option<Joiner<'a>>,
    /// The state that is assumed at the boundaries of blocks.
    assumed: Option<Arc<[State]>>,
    wanted: Wanted,
    /// The number of blocks since the last one that was not converted ahead in vain.
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
    /// The number of threads that wait until fewer blocks are taken that are not written yet.
    waiting_for_space: usize,
    /// Blocks to use again.
    blocks: Vec<Block>,
}

impl RunState<'_> {
    /// Records what converting a block has shown about the assumed state.
    fn update(&mut self, JoinResult { was_useful, learned, is_last }: JoinResult) {
        if is_last {
            self.end_index = self.end_index.min(self.next);
        }
        match was_useful {
            Some(true) => (self.misses, self.pause) = (0, 1),
            Some(false) => self.misses += 1,
            None => {}
        }
        if was_useful != Some(true) && learned.is_some() {
            self.assumed = learned;
        }
        if self.misses > MAX_MISSES {
            self.misses = 0;
            self.pause_until = self.taken + self.pause;
            self.pause = (2 * self.pause).min(MAX_PAUSE);
        }
    }

    /// Returns whether the block with this index is not to be converted.
    fn is_over(&self, index: u64) -> bool {
        self.is_stopped || index >= self.end_index
    }
}

/// A conversion, shared by its threads.
struct Run<'a> {
    parallel: &'a ParallelOptions<'a>,
    /// The options of the transcoders of blocks.
    options: TranscodeOptions,
    reader: BlockReader<'a>,
    /// The index of the block that can be converted in its turn.
    turn: AtomicU64,
    /// The stream that is read, to stop waiting for it.
    stream: Option<Arc<StreamQueue>>,
    state: Mutex<RunState<'a>>,
    changed: Condvar,
    space: Condvar,
}

/// Stops a conversion if a thread panics, so that the others do not wait for it.
struct PanicGuard<'a, 'b>(&'a Run<'b>);

impl Drop for PanicGuard<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(&mut self.0.lock(), Some(Error::Internal("a thread panicked".into())));
        }
    }
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
        // Those that are ahead of the others are not woken for each block.
        let has_space = state.taken - state.next <= state.threads as u64;
        if state.waiting_for_space > 0 && (has_space || state.is_over(state.taken)) {
            self.space.notify_all();
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
        let mut block = Block::default();
        while self.take_block(&mut block) {
            block = self.convert(block);
            if let (Some(scope), Some(another_thread)) = (scope, self.parallel.another_thread) {
                if another_thread() && self.lock().threads < MAX_BLOCKS {
                    self.start_thread(scope);
                }
            }
        }
    }

    /// Takes the next block. Waits while too many have been taken that are not written yet. Returns `false`
    /// at the end of the input.
    fn take_block(&self, block: &mut Block) -> bool {
        let mut state = self.lock();
        let max_blocks = (2 * state.threads + 1).min(MAX_BLOCKS) as u64;
        while !state.is_over(state.taken) && state.taken - state.next >= max_blocks {
            state.waiting_for_space += 1;
            state = self.space.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting_for_space -= 1;
        }
        if state.is_over(state.taken) {
            return false;
        }
        let (index, offset) = (state.taken, state.offset);
        let mut len = self.parallel.block_size.max(1);
        if self.stream.is_none() && index < self.parallel.threads as u64 {
            // The turns of the threads are spread over the time that a block takes.
            let part = len as u64 * (index + 1) / self.parallel.threads as u64;
            len = usize::try_from(part).unwrap_or(len).max(1);
        }
        state.taken += 1;
        state.offset += len as u64;
        drop(state);
        let result = self.reader.read(block, &Part { index, offset, len });
        let is_empty = block.end == block.offset;
        if is_empty || result.is_err() {
            let mut state = self.lock();
            if let Err(error) = result {
                // What was read before the error is still converted.
                state.read_error.get_or_insert(error);
            }
            if is_empty {
                state.end_index = state.end_index.min(block.index);
                self.notify(&state);
                return false;
            }
        }
        true
    }

    /// Converts a block, ahead of its turn if possible. Returns a block to use again.
    fn convert(&self, mut block: Block) -> Block {
        let mut state = self.lock();
        loop {
            if state.is_over(block.index) {
                return block;
            }
            if state.next == block.index {
                if let Some(joiner) = state.joiner.take() {
                    return self.join(state, joiner, block);
                }
            }
            let assumed = state.assumed.clone().filter(|_| block.index >= state.pause_until);
            if let (Some(assumed), Some(start)) = (assumed, block.start) {
                let wanted = state.wanted;
                drop(state);
                match self.convert_ahead(&mut block, start, assumed, wanted) {
                    Ok(()) => break,
                    Err(error) => {
                        self.stop(&mut self.lock(), Some(error));
                        return block;
                    }
                }
            }
            state = self.wait(state);
        }
        // What is not complete continues in its turn.
        let mut state = self.lock();
        let is_complete =
            block.ahead.as_ref().is_some_and(|ahead| ahead.end >= block.end && !ahead.is_stopped);
        while !is_complete
            && !state.is_over(block.index)
            && (state.next != block.index || state.joiner.is_none())
        {
            state = self.wait(state);
        }
        if state.is_over(block.index) {
            return block;
        }
        let joiner = if state.next == block.index { state.joiner.take() } else { None };
        match joiner {
            Some(joiner) => self.join(state, joiner, block),
            None => {
                state.completed.insert(block.index, block);
                state.blocks.pop().unwrap_or_default()
            }
        }
    }

    /// Converts a block from `start` on into its buffer, up to its end or until it is its turn.
    fn convert_ahead(
        &self,
        block: &mut Block,
        start: u64,
        assumed: Arc<[State]>,
        wanted: Wanted,
    ) -> Result<(), Error> {
        let mut transcoder = match block.transcoder.take() {
            Some(transcoder) => transcoder,
            None => self.options.build()?,
        };
        transcoder.resume(&assumed, start, LineColumn::START);
        let max_output = MAX_EXPANSION * self.parallel.block_size;
        transcoder.hold_output(max_output);
        let mut log = EventLog::new(wanted);
        let (mut end, mut is_stopped, mut expected) = (start, false, 0);
        while end < block.end
            && self.turn.load(Relaxed) != block.index
            && transcoder.held_output_len() + expected <= max_output
            && !log.is_full()
        {
            // The end of the file or an error is found again in the turn of the block.
            let Ok(len @ 1..) = self.reader.fill(&mut transcoder, block, end, block.end) else {
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
        block.transcoder = Some(transcoder);
        block.ahead = Some(Ahead { end, assumed, log, is_stopped });
        Ok(())
    }

    /// Converts or writes the block whose turn it is, and those after it that are complete. Returns a block
    /// to use again.
    fn join<'b>(
        &'b self,
        mut state: MutexGuard<'b, RunState<'a>>,
        mut joiner: Joiner<'a>,
        mut block: Block,
    ) -> Block {
        loop {
            drop(state);
            let on_state = |states: &[State]| {
                let mut state = self.lock();
                if state.assumed.is_none() {
                    state.assumed = Some(states.into());
                    self.notify(&state);
                }
            };
            let result = joiner.join(&mut block, &self.reader, &on_state);
            let wanted = Wanted::by(joiner.reporter);
            state = self.lock();
            state.next += 1;
            match result {
                Ok(result) => state.update(result),
                Err(error) => {
                    self.stop(&mut state, Some(error));
                    return block;
                }
            }
            state.wanted = wanted;
            let next = state.next;
            match state.completed.remove(&next) {
                Some(next) if !state.is_over(next.index) => {
                    self.notify(&state);
                    state.blocks.push(std::mem::replace(&mut block, next));
                }
                _ => {
                    state.joiner = Some(joiner);
                    self.turn.store(next, Relaxed);
                    self.notify(&state);
                    return block;
                }
            }
        }
    }
}
