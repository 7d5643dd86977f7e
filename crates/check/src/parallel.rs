//! Checks of one file on several threads.
//!
//! The threads of a [block pool](charpipe_transcode::block_pool) check blocks ahead of their turn, in an assumed state
//! of the checker. If the checker that has checked everything before a block is in that state, the findings of
//! the block are reported and the checker continues after it.

use std::io::{self, Read};
use std::sync::Arc;

use super::CheckOptions;
use super::checker::{Checker, CheckerKind};
use super::encoding_checker::{CheckState, EncodingChecker};
use super::finding::Finding;
use charpipe_encoding::error::Error;
use charpipe_transcode::block_pool::{
    BlockPool, BlockReader, BlockSource, BlockTask, Boundary, InputBlock, Joined, PoolOptions,
};

/// The size of a block, in bytes.
const BLOCK_SIZE: usize = 256 * 1024;

/// The number of bytes that a thread checks at a time: these and their text fit into the cache of a core.
const BUFFER_SIZE: usize = 32 * 1024;

/// The number of findings of a block after which the rest of it waits for its turn.
const FULL_FINDINGS: usize = 512;

/// The maximum number of findings of a block that are kept until its turn. A block with more is checked again
/// then.
const MAX_FINDINGS: usize = 2 * FULL_FINDINGS;

/// Receives the findings of a file.
pub trait FindingSink {
    /// Receives a finding.
    fn finding(&mut self, finding: &Finding) -> io::Result<()>;

    /// Called after each block, in order. Returns whether the rest of the file is to be checked.
    fn end_block(&mut self) -> io::Result<bool>;
}

impl Checker {
    /// Returns whether the rest of the file can be checked on several threads.
    #[doc(hidden)]
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
    #[doc(hidden)]
    pub fn process_in_parallel(
        &mut self,
        options: &CheckOptions,
        threads: usize,
        input: &mut (dyn Read + Send),
        sink: &mut (dyn FindingSink + Send),
    ) -> Result<(), Error> {
        let CheckerKind::Encoding(checker) = &mut self.0 else {
            return Err(Error::Internal("the check cannot run on several threads".into()));
        };
        let options =
            &CheckOptions { buffer_size: options.buffer_size.min(BUFFER_SIZE), ..options.clone() };
        let boundary = Boundary::after_line_feed(options.encoding.split_rule());
        let source = BlockSource::Reader(Box::new(input));
        let reader = BlockReader::new(source, checker.next_offset(), boundary);
        let pool = PoolOptions { threads, block_size: BLOCK_SIZE, another_thread: None };
        BlockPool::run(ParallelCheck { options }, reader, FindingJoiner { checker, sink }, pool).1
    }
}

/// What was found in a block ahead of its turn.
#[derive(Default)]
struct AheadFindings {
    checked: Option<CheckedAhead>,
    findings: Vec<Finding>,
    /// What checks blocks ahead.
    checker: Option<EncodingChecker>,
}

/// The end of a block that was checked ahead.
struct CheckedAhead {
    /// The assumed state at its start.
    assumed: Arc<CheckState>,
    /// The offset up to which it has been checked.
    end: u64,
    end_state: CheckState,
}

/// A check, shared by its threads.
struct ParallelCheck<'a> {
    options: &'a CheckOptions,
}

impl<'a> BlockTask for ParallelCheck<'a> {
    const THREAD_NAME: &'static str = "checker";
    type Ahead = AheadFindings;
    type Joiner = FindingJoiner<'a>;
    type State = CheckState;

    /// Checks a block from `start` on, as far as its findings can be kept.
    fn work_ahead(
        &self,
        pool: &BlockPool<'_, Self>,
        block: &mut InputBlock<AheadFindings>,
        start: u64,
        assumed: Arc<CheckState>,
    ) -> Result<bool, Error> {
        let mut ahead = std::mem::take(&mut block.ahead);
        let checker = match &mut ahead.checker {
            Some(checker) => checker,
            None => ahead.checker.insert(EncodingChecker::new(self.options)?),
        };
        let findings = &mut ahead.findings;
        findings.clear();
        checker.begin_ahead(&assumed, start);
        let (mut end, mut is_kept) = (start, true);
        while is_kept
            && end < block.end
            && !pool.is_turn_of(block)
            && findings.len() < FULL_FINDINGS
            && !checker.is_done()
        {
            let mut keep = |finding: &Finding| {
                if findings.len() == MAX_FINDINGS {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                findings.push(*finding);
                Ok(())
            };
            let len = pool.reader.fill(checker.input_buffer(), block, end, block.end);
            let len = len.map_err(Error::Read)?;
            is_kept = checker.process(len, &mut keep).is_ok();
            end += len as u64;
        }
        // The end of the check is not a state from which it continues.
        let end_state = checker.state().filter(|_| is_kept);
        ahead.checked = end_state.map(|end_state| CheckedAhead { assumed, end, end_state });
        let is_complete = ahead.checked.is_some() && end == block.end;
        block.ahead = ahead;
        Ok(is_complete)
    }

    /// Checks a block in its turn, or reports the findings in it.
    fn join(
        &self,
        pool: &BlockPool<'_, Self>,
        block: &mut InputBlock<AheadFindings>,
        joiner: &mut FindingJoiner<'a>,
    ) -> Result<Joined<CheckState>, Error> {
        let (mut was_useful, mut learned) = (None, None);
        let ahead = block.ahead.checked.take();
        if let Some(start) = block.start {
            joiner.process(pool, block, start)?;
            let state = joiner.checker.state().filter(CheckState::is_at_line_start).map(Arc::new);
            if let Some(state) = &state {
                pool.assume(|| state.clone());
            }
            if let Some(ahead) = ahead {
                let is_right = state.as_ref().is_some_and(|it| it.continues_as(&ahead.assumed));
                was_useful = Some(is_right);
                if is_right {
                    joiner.skip(&ahead, &block.ahead.findings)?;
                }
            }
            learned = state;
        }
        joiner.process(pool, block, block.end)?;
        let wants_more = joiner.sink.end_block().map_err(Error::Io)?;
        let is_last = !wants_more || joiner.checker.is_done();
        Ok(Joined { was_useful, learned, is_last })
    }
}

/// Checks or reports the blocks in order.
struct FindingJoiner<'a> {
    checker: &'a mut EncodingChecker,
    sink: &'a mut (dyn FindingSink + Send + 'a),
}

impl FindingJoiner<'_> {
    /// Reports what was found ahead, and continues after it.
    fn skip(&mut self, ahead: &CheckedAhead, findings: &[Finding]) -> Result<(), Error> {
        let lines = self.checker.lines_before();
        for finding in findings {
            let mut finding = *finding;
            finding.position.line += lines;
            self.sink.finding(&finding).map_err(Error::Io)?;
        }
        self.checker.resume(&ahead.end_state, ahead.end);
        self.checker.add_lines(lines);
        Ok(())
    }

    /// Checks the bytes of a block up to the offset `end`, from the next one on.
    fn process(
        &mut self,
        pool: &BlockPool<'_, ParallelCheck<'_>>,
        block: &InputBlock<AheadFindings>,
        end: u64,
    ) -> Result<(), Error> {
        let mut offset = self.checker.next_offset();
        while offset < end && !self.checker.is_done() {
            let space = self.checker.input_buffer();
            let len = pool.reader.fill(space, block, offset, end).map_err(Error::Read)?;
            self.checker.process(len, &mut |finding| self.sink.finding(finding))?;
            offset += len as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BomRule, NewlineRule, check};

    /// Keeps all findings.
    struct Findings(Vec<Finding>);

    impl FindingSink for Findings {
        fn finding(&mut self, finding: &Finding) -> io::Result<()> {
            self.0.push(*finding);
            Ok(())
        }

        fn end_block(&mut self) -> io::Result<bool> {
            Ok(true)
        }
    }

    /// Checks the first line, which decides on a byte order mark, and the rest on several threads.
    fn check_in_parallel(text: &[u8], options: &CheckOptions) -> Vec<Finding> {
        let mut checker = Checker::new(options).unwrap();
        let (mut findings, first) = (Findings(Vec::new()), crate::BINARY_SNIFF_LEN);
        checker.input_buffer()[..first].copy_from_slice(&text[..first]);
        checker.process(first, &mut |finding| findings.finding(finding)).unwrap();
        assert!(checker.can_check_in_parallel());
        checker.process_in_parallel(options, 3, &mut &text[first..], &mut findings).unwrap();
        checker.finish_input(&mut |finding| findings.finding(finding)).unwrap();
        findings.0
    }

    #[test]
    fn findings_of_several_threads_are_those_of_one() {
        let mut text = "\u{FEFF}".to_owned();
        for number in 0..60_000 {
            let line = match number % 5003 {
                0 => "\u{FEFF}mark\n",
                1 => "no-break\u{A0}space\n",
                2 => "carriage return\r\n",
                3 => "\u{202E}direction\n",
                _ => "a line of plain text\n",
            };
            text.push_str(line);
        }
        let mut text = text.into_bytes();
        for at in [300_000, 700_000, 1_100_000] {
            text[at] = 0xFF;
        }
        for bom in [BomRule::Any, BomRule::Require, BomRule::Forbid] {
            let mut options = CheckOptions::new(charpipe_encoding::UTF_8);
            (options.bom, options.newline, options.confusing) = (bom, NewlineRule::Lf, true);
            let expected = check(&text, &options).unwrap();
            assert!(expected.len() > 40, "{}", expected.len());
            assert_eq!(check_in_parallel(&text, &options), expected, "{bom:?}");
        }
    }
}
