//! A stream that a thread of its own reads, so that nothing waits for a read that may never return.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::block_buffer::BlockBuffer;

/// The maximum number of blocks that are read ahead.
const MAX_BLOCKS: usize = 4;

/// The blocks of a stream that have been read.
///
/// A block is as long as one read, or longer if no thread has requested it before the next one. So whatever
/// has been read can be converted at once.
#[derive(Debug)]
pub struct StreamQueue {
    state: Mutex<StreamState>,
    changed: Condvar,
    block_size: usize,
}

#[derive(Debug, Default)]
struct StreamState {
    blocks: VecDeque<BlockBuffer>,
    /// Buffers for further blocks.
    spare: Vec<BlockBuffer>,
    /// The result at the end of the stream.
    ended: Option<io::Result<()>>,
    is_closed: bool,
}

impl StreamQueue {
    /// Starts a thread that reads `source`. It ends with the stream, or at the first read after the queue is
    /// closed; no other thread waits for it.
    ///
    /// # Errors
    ///
    /// Returns the error of starting a thread.
    pub fn start(source: Box<dyn Read + Send>, block_size: usize) -> io::Result<Arc<StreamQueue>> {
        let queue = Arc::new(StreamQueue {
            state: Mutex::default(),
            changed: Condvar::new(),
            block_size: block_size.max(1),
        });
        let reader = queue.clone();
        thread::Builder::new().name("reader".into()).spawn(move || {
            let _guard = EndGuard(&reader);
            reader.read_all(source);
        })?;
        Ok(queue)
    }

    fn read_all(&self, mut source: Box<dyn Read + Send>) {
        let mut buffer = BlockBuffer::default();
        loop {
            match buffer.read_once(&mut source, self.block_size) {
                Ok(0) => return self.end(Ok(())),
                Ok(_) => {}
                Err(error) => return self.end(Err(error)),
            }
            match self.push(buffer) {
                Some(spare) => buffer = spare,
                None => return,
            }
        }
    }

    /// Adds a block. Returns another buffer, or `None` if the queue is closed.
    fn push(&self, mut block: BlockBuffer) -> Option<BlockBuffer> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(last) = state.blocks.back_mut() {
                if last.try_append(&block, self.block_size) {
                    block.clear();
                    return Some(block);
                }
            }
            if state.blocks.len() < MAX_BLOCKS {
                state.blocks.push_back(block);
                self.changed.notify_all();
                return Some(state.spare.pop().unwrap_or_default());
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for the next block, which replaces `block`. Nothing at the end of the stream.
    ///
    /// # Errors
    ///
    /// Returns the error of reading the stream, once.
    pub(super) fn next_block(&self, block: &mut BlockBuffer) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return Ok(());
            }
            if let Some(next) = state.blocks.pop_front() {
                let mut spare = std::mem::replace(block, next);
                spare.clear();
                state.spare.push(spare);
                self.changed.notify_all();
                return Ok(());
            }
            if let Some(ended) = &mut state.ended {
                return std::mem::replace(ended, Ok(()));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the queue: no more blocks are returned.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn end(&self, result: io::Result<()>) {
        self.lock().ended.get_or_insert(result);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, StreamState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a queue if its thread panics.
struct EndGuard<'a>(&'a StreamQueue);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(Err(io::Error::other("the reader failed")));
        }
    }
}
