//! The chain: the stages of a conversion, each with its input buffer, and the output.

use std::io::Write;

use charpipe_encoding::bom::{AFTER_START, AT_LATER_FILE};
use charpipe_encoding::codec::State;
use charpipe_encoding::encoding::SharedCounter;
use charpipe_encoding::error::Error;
use charpipe_kernel::buffer::Buffer;

mod build;
mod link;
mod stage;

pub use link::ChainLink;
pub(super) use link::{CarriedByte, InputOrigin, ReplayCursor};
pub use stage::{Stage, StageError};

/// The stages of a conversion, in order, and the output of the last one.
pub(super) struct Chain {
    pub stages: Vec<ChainLink>,
    /// The stage whose output is the text. Errors up to it are malformed input, and lines are counted
    /// in its output.
    pub text_stage: usize,
    /// The number of leading stages that are reset for each file. The others run across all files.
    pub per_file_stages: usize,
    /// The stage that strips a BOM from the start of each file. After a malformed sequence the text is
    /// no longer at the start.
    pub strip_stage: Option<usize>,
    /// The stage that adds a BOM to the start of the output.
    pub bom_insertion: Option<BomInsertion>,
    /// Counts what the decoder of a list of encodings decodes.
    pub mixed_counter: Option<SharedCounter>,
    /// The output that has not been written yet.
    pub output: Buffer,
    /// The maximum number of bytes that are read at a time.
    buffer_size: usize,
}

/// A stage that adds a BOM to the start of the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct BomInsertion {
    pub stage: usize,
    /// Whether a BOM at the start of a later file is dropped.
    pub drops_later_bom: bool,
}

impl Chain {
    /// Returns the space for the next input. It is never empty.
    pub fn input_space(&mut self) -> &mut [u8] {
        let space = self.stages[0].input.spare_mut();
        let max = self.buffer_size.min(space.len());
        &mut space[..max]
    }

    /// Returns stage `at` and its output buffer, of at least its maximum lookahead.
    pub fn output_buffer(
        &mut self,
        at: usize,
        writer: &mut dyn Write,
    ) -> Result<(&mut ChainLink, &mut [u8]), Error> {
        let (before, after) = self.stages.split_at_mut(at + 1);
        let link = &mut before[at];
        let space = match after.first_mut() {
            Some(next) => next.input.spare_mut(),
            None => final_output_buffer(&mut self.output, link.max_lookahead, writer)?,
        };
        Ok((link, space))
    }

    /// Returns the buffer that stage `at` writes to: the input of the next stage, or the output.
    pub fn buffer_after(&mut self, at: usize) -> &mut Buffer {
        match self.stages.get_mut(at + 1) {
            Some(next) => &mut next.input,
            None => &mut self.output,
        }
    }

    /// Writes the converted bytes.
    pub fn flush(&mut self, writer: &mut dyn Write) -> Result<(), Error> {
        flush(&mut self.output, writer)
    }

    /// Returns the states of the stages. What they have left unread is not part of them.
    pub fn states(&self) -> Vec<State> {
        self.stages.iter().map(|link| link.stage.save_state()).collect()
    }

    /// Returns whether no stage has unread bytes, and all output has been written.
    pub fn is_idle(&self) -> bool {
        self.output.unread_bytes().is_empty()
            && self.stages.iter().all(|link| link.input.unread_bytes().is_empty())
    }

    /// Continues with these states of the stages. Unread bytes and output are dropped.
    pub fn resume(&mut self, states: &[State]) {
        for (link, state) in self.stages.iter_mut().zip(states) {
            link.stage.restore_state(*state);
            link.drop_input();
        }
        let all = self.output.unread_bytes().len();
        self.output.consume(all);
        self.output.compact();
    }

    /// Resets the first `count` stages after the end of a file.
    pub fn reset_stages(&mut self, count: usize) {
        let has_started =
            |add: &BomInsertion| self.stages[add.stage].stage.save_state() != State::INITIAL;
        let started = self.bom_insertion.filter(|add| add.drops_later_bom && has_started(add));
        for link in &mut self.stages[..count] {
            link.stage.restore_state(State::INITIAL);
        }
        if let Some(add) = started {
            self.stages[add.stage].stage.restore_state(AT_LATER_FILE);
        }
    }

    /// Returns whether a BOM filter would drop a BOM that comes next. A malformed sequence may come
    /// first, which only the normal path reports to the filter.
    pub fn awaits_bom(&self) -> bool {
        let state = |at: usize| self.stages[at].stage.save_state();
        self.strip_stage.is_some_and(|strip| state(strip) == State::INITIAL)
            || self.bom_insertion.is_some_and(|add| state(add.stage) == AT_LATER_FILE)
    }

    /// Notes that the next text is not at the start of its file.
    pub fn leave_file_start(&mut self) {
        if let Some(strip) = self.strip_stage {
            self.stages[strip].stage.restore_state(AFTER_START);
        }
        if let Some(add) = self.bom_insertion {
            let stage = &mut self.stages[add.stage].stage;
            if stage.save_state() == AT_LATER_FILE {
                stage.restore_state(AFTER_START);
            }
        }
    }

    /// Returns the offset of the first byte that an earlier call of a stage has left unread, except for
    /// those of one stage.
    pub fn first_unread_offset(&self, except: Option<usize>) -> Option<u64> {
        let links = self.stages.iter().enumerate();
        let unread = links
            .filter(|(at, _)| Some(*at) != except)
            .filter_map(|(_, link)| link.unread_carried_bytes().first());
        unread.map(|carried| carried.position.offset).min()
    }
}

/// Writes the converted bytes.
pub(super) fn flush(output: &mut Buffer, writer: &mut dyn Write) -> Result<(), Error> {
    writer.write_all(output.unread_bytes()).map_err(Error::Io)?;
    let all = output.unread_bytes().len();
    output.consume(all);
    output.compact();
    Ok(())
}

/// Returns the output buffer of the last stage, with space for at least `max_lookahead` bytes.
pub(super) fn final_output_buffer<'a>(
    output: &'a mut Buffer,
    max_lookahead: usize,
    writer: &mut dyn Write,
) -> Result<&'a mut [u8], Error> {
    if output.spare_mut().len() < max_lookahead {
        flush(output, writer)?;
    }
    Ok(output.spare_mut())
}

/// Adds bytes to the output, after all that has been converted.
pub(super) fn write_unchanged(
    output: &mut Buffer,
    mut bytes: &[u8],
    writer: &mut dyn Write,
) -> Result<(), Error> {
    while !bytes.is_empty() {
        let space = final_output_buffer(output, 1, writer)?;
        let count = space.len().min(bytes.len());
        space[..count].copy_from_slice(&bytes[..count]);
        output.advance(count);
        bytes = &bytes[count..];
    }
    Ok(())
}
