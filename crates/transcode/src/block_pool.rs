//! Threads that work on the blocks of one input ahead of their turn, and complete them in order.
//!
//! The input is divided into blocks. Each thread takes the next block, assumes the state after the first line feed
//! in it, and works on what comes after that. When it is the turn of the block, everything before it is complete.
//! If that has led to the assumed state, what was done ahead is used, and the rest of the block is done directly.
//! Otherwise the block is done again. So results and their order do not depend on the number of threads or on how
//! good the assumption is: that is a matter of speed only. The assumed state is that after an earlier line feed
//! of the same input.
//!
//! Each thread reads its own blocks of a file. A block then ends after the first line feed of the next one, where
//! that one begins. The blocks of a reader or a stream end anywhere; what completes one also does the line that
//! the next one begins with.
//!
//! Blocks of which nothing can be done ahead wait for their turn: those without a line feed, or with more results
//! than are kept. So the memory of a block is bounded, and so is the number of blocks, whatever the number of
//! threads.
//!
//! A thread whose block is complete before its turn takes another one, and the thread that completes what
//! comes before completes it. Nothing waits for further input before what has been read is written: a stream is
//! read by a thread of its own, for which no other thread waits.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use charpipe_encoding::error::Error;

mod block;
mod block_buffer;
mod boundary;
mod stream;

use block::BlockPart;
pub use block::{BlockReader, BlockSource, InputBlock, ReadAt};
pub use boundary::Boundary;
pub use stream::StreamQueue;

/// The maximum number of blocks that are taken and not complete yet, and so of threads. If they are converted, each
/// takes up to 1.4 MiB: its bytes, four times as much output, and the buffers of its transcoder.
const MAX_BLOCKS: usize = 12;

/// After how many blocks in a row that were worked on ahead in vain blocks wait for their turn for a while.
const MAX_MISSES: u32 = 2;

/// The maximum number of blocks that are then done one after the other.
const MAX_PAUSE: u64 = 1024;

/// How to run threads.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "it contains a function")]
pub struct PoolOptions<'a> {
    /// The number of threads, the calling one included.
    pub threads: usize,
    /// The number of bytes of a block.
    pub block_size: usize,
    /// Returns whether another thread may be started, called from time to time.
    pub another_thread: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// What is done with blocks.
pub trait BlockTask: Sync + Sized {
    /// The name of the threads that are started.
    const THREAD_NAME: &'static str;

    /// What was done of a block ahead of its turn, and buffers for that.
    type Ahead: Default + Send;
    /// What completes blocks in order. At most one thread has it.
    type Joiner: Send;
    /// The state at the start of a line.
    type State: ?Sized + Send + Sync;

    /// Works on a block from `start` on, up to its end or until it is its turn. Returns whether only its turn is
    /// left.
    ///
    /// # Errors
    ///
    /// An error ends the work on all blocks.
    fn work_ahead(
        &self,
        pool: &BlockPool<'_, Self>,
        block: &mut InputBlock<Self::Ahead>,
        start: u64,
        assumed: Arc<Self::State>,
    ) -> Result<bool, Error>;

    /// Completes the block whose turn it is.
    ///
    /// # Errors
    ///
    /// An error ends the work on all blocks.
    fn join(
        &self,
        pool: &BlockPool<'_, Self>,
        block: &mut InputBlock<Self::Ahead>,
        joiner: &mut Self::Joiner,
    ) -> Result<Joined<Self::State>, Error>;
}

/// What completing a block has shown.
#[derive(Debug)]
pub struct Joined<S: ?Sized> {
    /// Whether what was done ahead was used, if there was anything.
    pub was_useful: Option<bool>,
    /// The state at the first boundary, if that was not known.
    pub learned: Option<Arc<S>>,
    /// Whether the input has ended, or no more is wanted.
    pub is_last: bool,
}

struct PoolState<T: BlockTask> {
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
    completed: BTreeMap<u64, InputBlock<T::Ahead>>,
    /// `None` while a thread has it.
    joiner: Option<T::Joiner>,
    /// The state that is assumed at the boundaries of blocks.
    assumed: Option<Arc<T::State>>,
    /// The number of blocks since the last one that was not worked on ahead in vain.
    misses: u32,
    /// The index of the first block that may be worked on ahead.
    pause_until: u64,
    /// The length of the next pause.
    pause: u64,
    error: Option<Error>,
    /// The error of reading the input, after the last block.
    read_error: Option<io::Error>,
    /// Whether no more blocks are to be done.
    is_stopped: bool,
    /// Whether the last block that is wanted has been done.
    is_done: bool,
    /// The number of threads that wait for a change.
    waiting: usize,
    /// The number of threads that wait until fewer blocks are taken that are not complete.
    waiting_for_space: usize,
    /// Blocks to use again.
    blocks: Vec<InputBlock<T::Ahead>>,
}

impl<T: BlockTask> PoolState<T> {
    /// Records what completing a block has shown about the assumed state.
    fn update(&mut self, Joined { was_useful, learned, is_last }: Joined<T::State>) {
        if is_last {
            self.end_index = self.end_index.min(self.next);
            self.read_error = None;
            self.is_done = true;
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

    /// Returns whether the block with this index is not to be done.
    fn is_over(&self, index: u64) -> bool {
        self.is_stopped || index >= self.end_index
    }
}

/// Threads that work on the blocks of one input, shared by them.
#[allow(missing_debug_implementations, reason = "it contains codecs")]
pub struct BlockPool<'a, T: BlockTask> {
    task: T,
    /// How to run threads.
    pub options: PoolOptions<'a>,
    /// What the threads read.
    pub reader: BlockReader<'a>,
    /// The index of the block that can be completed.
    turn: AtomicU64,
    state: Mutex<PoolState<T>>,
    changed: Condvar,
    space: Condvar,
}

/// Stops the other threads if a thread panics, so that the others do not wait for it.
struct PanicGuard<'a, 'b, T: BlockTask>(&'a BlockPool<'b, T>);

impl<T: BlockTask> Drop for PanicGuard<'_, '_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop(&mut self.0.lock(), Some(Error::Internal("a thread panicked".into())));
        }
    }
}

impl<'a, T: BlockTask> BlockPool<'a, T> {
    /// Works on the blocks of `reader`. Returns the joiner, unless an error has ended it, and the first error.
    pub fn run(
        task: T,
        reader: BlockReader<'a>,
        joiner: T::Joiner,
        options: PoolOptions<'a>,
    ) -> (Option<T::Joiner>, Result<(), Error>) {
        let state = PoolState {
            next: 0,
            taken: 0,
            threads: 1,
            completed: BTreeMap::new(),
            offset: reader.offset,
            end_index: u64::MAX,
            joiner: Some(joiner),
            assumed: None,
            misses: 0,
            pause_until: 0,
            pause: 1,
            error: None,
            read_error: None,
            is_stopped: false,
            is_done: false,
            waiting: 0,
            waiting_for_space: 0,
            blocks: Vec::new(),
        };
        let pool = BlockPool {
            task,
            options,
            reader,
            turn: AtomicU64::new(0),
            state: Mutex::new(state),
            changed: Condvar::new(),
            space: Condvar::new(),
        };
        thread::scope(|scope| {
            for _ in 1..options.threads.min(MAX_BLOCKS) {
                pool.start_thread(scope);
            }
            pool.work(Some(scope));
        });
        let state = pool.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let error = state.error.or(state.read_error.map(Error::Read));
        (state.joiner, error.map_or(Ok(()), Err))
    }

    /// Returns whether it is the turn of a block.
    pub fn is_turn_of(&self, block: &InputBlock<T::Ahead>) -> bool {
        self.turn.load(Relaxed) == block.index
    }

    /// Makes `current` the state that is assumed, if there is none yet.
    pub fn assume(&self, current: impl FnOnce() -> Arc<T::State>) {
        let mut state = self.lock();
        if state.assumed.is_none() {
            state.assumed = Some(current());
            self.notify(&state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for [`notify`](BlockPool::notify).
    fn wait<'b>(&'b self, mut state: MutexGuard<'b, PoolState<T>>) -> MutexGuard<'b, PoolState<T>> {
        state.waiting += 1;
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes the threads that wait, after a change of the state. If there are none this is not a system call.
    fn notify(&self, state: &PoolState<T>) {
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
        let thread = thread::Builder::new().name(T::THREAD_NAME.into());
        if thread.spawn_scoped(scope, || self.work(None)).is_ok() {
            self.lock().threads += 1;
        }
    }

    /// Ends the work on all blocks.
    fn stop(&self, state: &mut PoolState<T>, error: Option<Error>) {
        if state.error.is_none() {
            state.error = error;
        }
        state.is_stopped = true;
        if let Some(stream) = &self.reader.stream {
            stream.close();
        }
        self.notify(state);
    }

    /// Works on blocks until there are none. `scope` is that of further threads, if this one starts them.
    fn work<'scope, 'env>(&'env self, scope: Option<&'scope thread::Scope<'scope, 'env>>) {
        let _guard = PanicGuard(self);
        let mut block = InputBlock::default();
        while self.take_block(&mut block) {
            block = self.complete(block);
            if let (Some(scope), Some(another_thread)) = (scope, self.options.another_thread) {
                if another_thread() && self.lock().threads < MAX_BLOCKS {
                    self.start_thread(scope);
                }
            }
        }
    }

    /// Takes the next block. Waits while too many have been taken that are not complete. Returns `false`
    /// at the end of the input.
    fn take_block(&self, block: &mut InputBlock<T::Ahead>) -> bool {
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
        let mut len = self.options.block_size.max(1);
        if self.reader.stream.is_none() && index < self.options.threads as u64 {
            // The turns of the threads are spread over the time that a block takes.
            let part = len as u64 * (index + 1) / self.options.threads as u64;
            len = usize::try_from(part).unwrap_or(len).max(1);
        }
        state.taken += 1;
        state.offset += len as u64;
        drop(state);
        let result = self.reader.read(block, &BlockPart { index, offset, len });
        let is_empty = block.end == block.offset;
        if is_empty || result.is_err() {
            let mut state = self.lock();
            // What was read before the error is still done. The threads that read after it may already have found the
            // end of the input, so `end_index` does not show whether the error is in what is wanted.
            if let Some(error) = result.err().filter(|_| !state.is_stopped && !state.is_done) {
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

    /// Completes a block, as far as possible ahead of its turn. Returns a block to use again.
    fn complete(&self, mut block: InputBlock<T::Ahead>) -> InputBlock<T::Ahead> {
        let mut state = self.lock();
        let is_complete = loop {
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
                drop(state);
                match self.task.work_ahead(self, &mut block, start, assumed) {
                    Ok(is_complete) => break is_complete,
                    Err(error) => {
                        self.stop(&mut self.lock(), Some(error));
                        return block;
                    }
                }
            }
            state = self.wait(state);
        };
        // What is not complete continues in its turn.
        let mut state = self.lock();
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

    /// Completes the block whose turn it is, and those after it of which only the turn is left. Returns a block
    /// to use again.
    fn join<'b>(
        &'b self,
        mut state: MutexGuard<'b, PoolState<T>>,
        mut joiner: T::Joiner,
        mut block: InputBlock<T::Ahead>,
    ) -> InputBlock<T::Ahead> {
        loop {
            drop(state);
            let result = self.task.join(self, &mut block, &mut joiner);
            state = self.lock();
            state.next += 1;
            match result {
                Ok(result) => state.update(result),
                Err(error) => {
                    self.stop(&mut state, Some(error));
                    return block;
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::ByteSet;
    use std::io::Read;

    /// The sum of the digits of the lines before, modulo 4, is the state of a line.
    struct AddingDigits {
        /// The line at which the work ends with an error.
        error_at: usize,
        /// The line after which no more are wanted.
        last_line: usize,
    }

    #[derive(Default)]
    struct AheadSums {
        assumed: Option<Arc<u8>>,
        sums: Vec<u8>,
        end: u64,
    }

    struct SumJoiner {
        sum: u8,
        offset: u64,
        sums: Vec<u8>,
    }

    type DigitPool<'a> = BlockPool<'a, AddingDigits>;

    fn add(
        pool: &DigitPool<'_>,
        block: &InputBlock<AheadSums>,
        from: u64,
        end: u64,
        sum: &mut u8,
    ) -> Vec<u8> {
        let (mut bytes, mut sums) = ([0], Vec::new());
        for offset in from..end {
            match pool.reader.fill(&mut bytes, block, offset, end).unwrap() {
                1 if bytes == *b"\n" => sums.push(*sum),
                1 => *sum = (*sum + bytes[0] - b'0') % 4,
                _ => break,
            }
        }
        sums
    }

    impl BlockTask for AddingDigits {
        const THREAD_NAME: &'static str = "adder";

        type Ahead = AheadSums;
        type Joiner = SumJoiner;
        type State = u8;

        fn work_ahead(
            &self,
            pool: &DigitPool<'_>,
            block: &mut InputBlock<AheadSums>,
            start: u64,
            assumed: Arc<u8>,
        ) -> Result<bool, Error> {
            let mut sum = *assumed;
            let sums = add(pool, block, start, block.end, &mut sum);
            let end = block.end;
            block.ahead = AheadSums { assumed: Some(assumed), sums, end };
            block.ahead.sums.push(sum);
            Ok(true)
        }

        fn join(
            &self,
            pool: &DigitPool<'_>,
            block: &mut InputBlock<AheadSums>,
            joiner: &mut SumJoiner,
        ) -> Result<Joined<u8>, Error> {
            let mut result = Joined { was_useful: None, learned: None, is_last: false };
            if let Some(start) = block.start.filter(|start| *start >= joiner.offset) {
                let before = add(pool, block, joiner.offset, start, &mut joiner.sum);
                joiner.sums.extend(before);
                joiner.offset = start;
                pool.assume(|| joiner.sum.into());
                let ahead = std::mem::take(&mut block.ahead);
                if let Some(assumed) = ahead.assumed {
                    result.was_useful = Some(*assumed == joiner.sum);
                    if *assumed == joiner.sum {
                        joiner.sums.extend(ahead.sums);
                        joiner.sum = joiner.sums.pop().unwrap();
                        joiner.offset = ahead.end;
                    }
                }
                result.learned = Some(joiner.sum.into());
            }
            let rest = add(pool, block, joiner.offset, block.end, &mut joiner.sum);
            joiner.sums.extend(rest);
            joiner.offset = joiner.offset.max(block.end);
            result.is_last = joiner.sums.len() > self.last_line;
            match joiner.sums.len() > self.error_at {
                true => Err(Error::Internal("too many lines".into())),
                false => Ok(result),
            }
        }
    }

    impl ReadAt for Vec<u8> {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let rest = self.get(offset as usize..).unwrap_or_default();
            let len = rest.len().min(buffer.len());
            buffer[..len].copy_from_slice(&rest[..len]);
            Ok(len)
        }
    }

    const ALL: AddingDigits = AddingDigits { error_at: usize::MAX, last_line: usize::MAX };

    fn run(
        task: AddingDigits,
        source: BlockSource<'_>,
        threads: usize,
        block_size: usize,
    ) -> (Option<Vec<u8>>, Result<(), Error>) {
        let boundary = Boundary::Byte { bytes: ByteSet::from_bytes(b"\n"), not_after: None };
        let joiner = SumJoiner { sum: 0, offset: 0, sums: Vec::new() };
        let options = PoolOptions { threads, block_size, another_thread: None };
        let reader = BlockReader::new(source, 0, boundary);
        let (joiner, result) = BlockPool::run(task, reader, joiner, options);
        (joiner.map(|joiner| joiner.sums), result)
    }

    /// Lines that mostly leave the state as it is.
    fn input() -> Vec<u8> {
        let line = |index: usize| match index % 61 {
            0 => "1\n",
            other => ["22\n", "112\n", "4040\n"][other % 3],
        };
        (0..2000).map(line).collect::<String>().into_bytes()
    }

    fn expected(input: &[u8]) -> Vec<u8> {
        let mut sum = 0;
        let lines = input.split_inclusive(|byte| *byte == b'\n');
        let add_line = |line: &[u8]| {
            sum = line[..line.len() - 1].iter().fold(sum, |sum, digit| (sum + digit - b'0') % 4);
            sum
        };
        lines.map(add_line).collect()
    }

    #[test]
    fn results_do_not_depend_on_threads_blocks_and_sources() {
        let input = input();
        let expected = expected(&input);
        for (threads, block_size) in [(1, 100), (2, 7), (3, 50), (4, 1000), (20, 16), (5, 1 << 20)]
        {
            let stream = StreamQueue::start(Box::new(io::Cursor::new(input.clone())), block_size);
            let sources = [
                BlockSource::File(&input),
                BlockSource::Reader(Box::new(&input[..])),
                BlockSource::Stream(stream.unwrap()),
            ];
            for source in sources {
                let (sums, result) = run(ALL, source, threads, block_size);
                assert!(result.is_ok());
                assert_eq!(sums.unwrap(), expected, "{threads} threads, {block_size} bytes");
            }
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let task = AddingDigits { error_at: 500, ..ALL };
        let (joiner, result) = run(task, BlockSource::Reader(Box::new(io::repeat(b'\n'))), 4, 64);
        assert!(joiner.is_none());
        assert!(matches!(result, Err(Error::Internal(_))));
    }

    #[test]
    fn the_joiner_can_end_the_work() {
        let task = AddingDigits { last_line: 500, ..ALL };
        let endless = BlockSource::Reader(Box::new(io::repeat(b'\n')));
        let (sums, result) = run(task, endless, 4, 64);
        assert!(result.is_ok());
        assert!((500..=600).contains(&sums.unwrap().len()));
    }

    struct Failing;

    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    #[test]
    fn what_precedes_a_read_error_is_done() {
        let input = input();
        let source = BlockSource::Reader(Box::new((&input[..]).chain(Failing)));
        let (sums, result) = run(ALL, source, 3, 300);
        assert_eq!(sums.unwrap(), expected(&input));
        assert!(matches!(result, Err(Error::Read(_))));
    }

    /// The other threads find the end of the input, perhaps before the error is recorded.
    #[test]
    fn a_read_error_is_returned_whichever_thread_is_first() {
        for _ in 0..ROUNDS {
            let source = BlockSource::Reader(Box::new(Failing));
            assert!(matches!(run(ALL, source, MAX_BLOCKS, 1).1, Err(Error::Read(_))));
        }
    }

    const ROUNDS: usize = 500;
}
