//! Checks of one file on several threads.
//!
//! The file is read in blocks, which the threads take in turn. Each assumes the state of the checker after the
//! first line feed in its block and checks what comes after that. When it is the turn of the block,
//! the checker that has checked everything before it checks the line that the block begins with. If it is then
//! in the assumed state, the findings of the block are reported and the checker continues after it.
//! Otherwise it checks the block itself. So the findings and their order do not depend on the number of
//! threads.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::CheckOptions;
use super::checker::{Checker, CheckerKind};
use super::encoding_checker::{CheckState, EncodingChecker};
use super::finding::Finding;
use charpipe_encoding::error::Error;
use charpipe_transcode::parallel::Boundary;

/// The size of a block, in bytes.
const BLOCK_SIZE: usize = 256 * 1024;

/// The number of bytes that a thread checks at a time: these and their text fit into the cache of a core.
const BUFFER_SIZE: usize = 32 * 1024;

/// The number of blocks that wait for a thread, or that it has checked before their turn.
const BLOCKS_PER_THREAD: usize = 2;

/// The maximum number of threads. So the memory of all blocks is bounded.
const MAX_THREADS: usize = 12;

/// The number of findings of a block after which the rest of it waits for its turn.
const FULL_FINDINGS: usize = 512;

/// The maximum number of findings of a block that are kept until its turn. A block with more is checked again
/// then.
const MAX_FINDINGS: usize = 2 * FULL_FINDINGS;

/// After how many blocks in a row that were checked ahead in vain the rest of the file is checked on one thread.
const MAX_MISSES: u32 = 16;

/// Receives the findings of a file.
pub trait FindingSink {
    /// Receives a finding.
    fn finding(&mut self, finding: &Finding) -> io::Result<()>;

    /// Called after each block, in order. Returns whether the rest of the file is to be checked.
    fn end_block(&mut self) -> io::Result<bool>;
}

/// A block of the file, and what checking it ahead has found.
struct Block {
    bytes: Vec<u8>,
    offset: u64,
    /// The index after the first line feed.
    start: Option<usize>,
    assumed: Option<Arc<CheckState>>,
    /// The index up to which it has been checked.
    end: usize,
    end_state: Option<CheckState>,
    findings: Vec<Finding>,
}

impl Checker {
    /// Returns whether the rest of the file can be checked on several threads.
    pub fn can_check_in_parallel(&self) -> bool {
        matches!(&self.0, CheckerKind::Encoding(checker) if checker.can_skip_blocks())
    }

    /// Checks the rest of a file on several threads, except for [`finish_input`](Checker::finish_input).
    /// The options are those of the checker.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Read`] if reading fails, after everything before it has been checked, and
    /// [`Error::Io`] with the error of `sink`.
    pub fn process_in_parallel(
        &mut self,
        options: &CheckOptions,
        threads: usize,
        input: &mut dyn Read,
        sink: &mut dyn FindingSink,
    ) -> Result<(), Error> {
        let CheckerKind::Encoding(checker) = &mut self.0 else {
            return Err(Error::Internal("the check cannot run on several threads".into()));
        };
        let options =
            CheckOptions { buffer_size: options.buffer_size.min(BUFFER_SIZE), ..options.clone() };
        let boundary = Boundary::after_line_feed(options.encoding.split_rule());
        thread::scope(|scope| {
            let mut workers = Vec::new();
            for _ in 0..threads.clamp(1, MAX_THREADS) {
                let mut worker = EncodingChecker::new(&options)?;
                let (to_worker, blocks) = sync_channel(BLOCKS_PER_THREAD);
                let (to_joiner, checked) = sync_channel(BLOCKS_PER_THREAD);
                let run = move || run_worker(&mut worker, &blocks, &to_joiner);
                let thread = thread::Builder::new().name("checker".into());
                match thread.spawn_scoped(scope, run) {
                    Ok(_) => workers.push((to_worker, checked)),
                    Err(_) => break,
                }
            }
            Joiner { checker, boundary, sink, assumed: None, misses: 0 }.run(&workers, input)
        })
    }
}

/// Checks the blocks that are received, until there are none.
fn run_worker(worker: &mut EncodingChecker, blocks: &Receiver<Block>, checked: &SyncSender<Block>) {
    for mut block in blocks {
        block.check_ahead(worker);
        if checked.send(block).is_err() {
            return;
        }
    }
}

impl Block {
    /// Checks what follows the first line feed, as far as its findings can be kept.
    fn check_ahead(&mut self, worker: &mut EncodingChecker) {
        let (Some(start), Some(assumed)) = (self.start, &self.assumed) else { return };
        worker.begin_ahead(assumed, self.offset + start as u64);
        self.end = start;
        let findings = &mut self.findings;
        while self.end < self.bytes.len() && findings.len() < FULL_FINDINGS && !worker.is_done() {
            let mut keep = |finding: &Finding| {
                if findings.len() == MAX_FINDINGS {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                findings.push(*finding);
                Ok(())
            };
            let len = fill(worker, &self.bytes[self.end..]);
            if worker.process(len, &mut keep).is_err() {
                return;
            }
            self.end += len;
        }
        // The end of the check is not a state from which it continues.
        self.end_state = worker.state();
    }
}

/// Copies the start of `bytes` into the input buffer. Returns its length.
fn fill(checker: &mut EncodingChecker, bytes: &[u8]) -> usize {
    let space = checker.input_buffer();
    let len = space.len().min(bytes.len());
    space[..len].copy_from_slice(&bytes[..len]);
    len
}

/// Checks or reports the blocks in order.
struct Joiner<'a> {
    checker: &'a mut EncodingChecker,
    boundary: Boundary,
    sink: &'a mut dyn FindingSink,
    /// The state after an earlier line feed.
    assumed: Option<Arc<CheckState>>,
    /// The number of blocks since the last one that was not checked ahead in vain.
    misses: u32,
}

impl Joiner<'_> {
    fn run(
        &mut self,
        workers: &[(SyncSender<Block>, Receiver<Block>)],
        input: &mut dyn Read,
    ) -> Result<(), Error> {
        let (mut sent, mut joined) = (0, 0);
        let mut offset = self.checker.next_offset();
        let mut spare = Vec::new();
        let mut read_result = Ok(true);
        loop {
            // The first block is checked here, to learn a state to assume.
            let max_ahead = match self.assumed {
                Some(_) => BLOCKS_PER_THREAD * workers.len(),
                None => 0,
            };
            while matches!(read_result, Ok(true)) && sent - joined <= max_ahead {
                let mut bytes: Vec<u8> = spare.pop().unwrap_or_default();
                bytes.clear();
                let is_read = input.take(BLOCK_SIZE as u64).read_to_end(&mut bytes);
                read_result = is_read.map(|_| !bytes.is_empty());
                if bytes.is_empty() {
                    break;
                }
                let block = Block {
                    start: self.boundary.find(&bytes, offset),
                    assumed: self.assumed.clone(),
                    offset,
                    end: 0,
                    end_state: None,
                    findings: Vec::new(),
                    bytes,
                };
                offset += block.bytes.len() as u64;
                let Some((worker, _)) = workers.get(sent % workers.len().max(1)) else {
                    if !self.join(&block)? {
                        return Ok(());
                    }
                    continue;
                };
                worker
                    .send(block)
                    .map_err(|_| Error::Internal("a thread of the check has ended".into()))?;
                sent += 1;
            }
            if sent == joined {
                return read_result.map(drop).map_err(Error::Read);
            }
            let (_, checked) = &workers[joined % workers.len()];
            let block = checked
                .recv()
                .map_err(|_| Error::Internal("a thread of the check has ended".into()))?;
            joined += 1;
            if !self.join(&block)? {
                return Ok(());
            }
            spare.push(block.bytes);
        }
    }

    /// Checks a block in its turn, or reports the findings in it. Returns whether the rest of the file is to
    /// be checked.
    fn join(&mut self, block: &Block) -> Result<bool, Error> {
        let start = block.start.unwrap_or(block.bytes.len());
        self.process(&block.bytes[..start])?;
        let mut checked = start;
        let state = self.checker.state();
        if let (Some(end_state), Some(assumed)) = (&block.end_state, &block.assumed) {
            if state.as_ref().is_some_and(|state| state.continues_as(assumed)) {
                let lines = self.checker.lines_before();
                for finding in &block.findings {
                    let mut finding = *finding;
                    finding.position.line += lines;
                    self.sink.finding(&finding).map_err(Error::Io)?;
                }
                self.checker.resume(end_state, block.offset + block.end as u64);
                self.checker.add_lines(lines);
                checked = block.end;
            }
        }
        if checked > start {
            self.misses = 0;
        } else if block.start.is_some() {
            self.misses += u32::from(block.assumed.is_some());
            let state = state.filter(|state| state.is_at_line_start() && self.misses <= MAX_MISSES);
            self.assumed = state.map(Arc::new);
        }
        self.process(&block.bytes[checked..])?;
        Ok(self.sink.end_block().map_err(Error::Io)? && !self.checker.is_done())
    }

    /// Checks bytes directly.
    fn process(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() && !self.checker.is_done() {
            let len = fill(self.checker, bytes);
            self.checker.process(len, &mut |finding| self.sink.finding(finding))?;
            bytes = &bytes[len..];
        }
        Ok(())
    }
}
