//! The conversion of blocks in their order.

use std::io::Write;

use super::{AheadOutput, ParallelConversion};
use crate::block_pool::{BlockPool, InputBlock, Joined};
use crate::transcoder::position::LineColumn;
use crate::transcoder::{ErrorReporter, Transcoder};
use charpipe_encoding::codec::State;
use charpipe_encoding::error::Error;

/// What converts blocks in order. At most one thread has it.
///
/// After a block that ends at a boundary only the state is passed on, and the thread keeps its transcoder,
/// so that no buffer moves from the cache of one core to that of another.
pub(super) struct Joiner<'a> {
    /// The transcoder of everything before the next block, unless there is a `resumption`.
    pub transcoder: &'a mut Transcoder,
    pub resumption: Option<Resumption>,
    pub output: &'a mut (dyn Write + Send + 'a),
    pub reporter: &'a mut (dyn ErrorReporter + Send + 'a),
}

/// How to continue the conversion with any transcoder.
pub(super) struct Resumption {
    states: Vec<State>,
    offset: u64,
    at: LineColumn,
}

impl Resumption {
    pub(super) fn resume(self, transcoder: &mut Transcoder) {
        transcoder.resume(&self.states, self.offset, self.at);
    }
}

impl Joiner<'_> {
    /// Returns the offset of the next byte.
    fn offset(&self) -> u64 {
        self.resumption.as_ref().map_or_else(|| self.transcoder.next_offset(), |it| it.offset)
    }

    /// Returns the states of the stages unless there are unread bytes.
    fn states(&self) -> Option<Vec<State>> {
        self.resumption
            .as_ref()
            .map_or_else(|| self.transcoder.stage_states(), |it| Some(it.states.clone()))
    }

    /// Converts the bytes of a block up to the offset `end`, from the next one on. Returns `false` at the end
    /// of the input.
    fn process(
        &mut self,
        pool: &BlockPool<'_, ParallelConversion<'_>>,
        block: &InputBlock<AheadOutput>,
        end: u64,
    ) -> Result<bool, Error> {
        if let Some(resumption) = self.resumption.take() {
            resumption.resume(self.transcoder);
        }
        let mut offset = self.transcoder.next_offset();
        while offset < end {
            let space = self.transcoder.input_buffer();
            let len = pool.reader.fill(space, block, offset, end).map_err(Error::Read)?;
            if len == 0 {
                return Ok(false);
            }
            self.transcoder.process(len, self.output, self.reporter)?;
            offset += len as u64;
        }
        Ok(true)
    }

    /// Converts a block in its turn, or writes what it was converted to. The state at the boundary is assumed
    /// as soon as it is known.
    pub(super) fn join(
        &mut self,
        block: &mut InputBlock<AheadOutput>,
        pool: &BlockPool<'_, ParallelConversion<'_>>,
    ) -> Result<Joined<[State]>, Error> {
        let mut result = Joined { was_useful: None, learned: None, is_last: false };
        let mut is_swapped = false;
        let from = self.offset();
        let ahead = block.ahead.converted.take();
        if let Some(start) = block.start.filter(|start| *start >= from) {
            if start > from && !self.process(pool, block, start)? {
                return Ok(Joined { is_last: true, ..result });
            }
            let states = self.states();
            if let Some(states) = &states {
                pool.assume(|| states[..].into());
            }
            if let (Some(ahead), Some(transcoder)) = (ahead, &mut block.ahead.transcoder) {
                let is_right = states.as_deref() == Some(&*ahead.assumed);
                let is_useful = is_right && !ahead.is_stopped;
                result.was_useful = Some(is_useful);
                if is_useful {
                    let at = match self.resumption.take() {
                        Some(resumption) => resumption.at,
                        None => self.transcoder.line_column(),
                    };
                    ahead.log.replay(at, self.reporter);
                    transcoder.rebase_lines(at);
                    std::mem::swap(self.transcoder, transcoder);
                    is_swapped = true;
                    self.transcoder.release_output(&mut *self.output).map_err(Error::Io)?;
                }
            }
            result.learned = states.map(Into::into);
        }
        result.is_last = !self.process(pool, block, block.end)?;
        pool.reader.count(self.transcoder.next_offset().saturating_sub(from));
        if let (true, Some(transcoder)) = (is_swapped, &mut block.ahead.transcoder) {
            if let Some(states) = self.transcoder.stage_states() {
                let (offset, at) = (self.transcoder.next_offset(), self.transcoder.line_column());
                self.resumption = Some(Resumption { states, offset, at });
                std::mem::swap(self.transcoder, transcoder);
            }
        }
        Ok(result)
    }
}
