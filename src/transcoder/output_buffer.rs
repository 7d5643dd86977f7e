//! Where a link writes: the block of the next one, or the output.

use super::buffer::Buffer;
use super::chain::Chain;
use super::stage::ChainLink;
use super::{RunContext, Transcoder};
use crate::error::Error;

impl Transcoder {
    /// Writes out what has come through the chain.
    pub(super) fn flush(&mut self, context: &mut RunContext<'_>) -> Result<(), Error> {
        flush(&mut self.output, context)
    }
}

/// A link, and the space for what it writes next: at least its window.
pub(super) fn output_buffer<'a>(
    chain: &'a mut Chain,
    output: &'a mut Buffer,
    at: usize,
    context: &mut RunContext<'_>,
) -> Result<(&'a mut ChainLink, &'a mut [u8]), Error> {
    let (before, after) = chain.stages.split_at_mut(at + 1);
    let link = &mut before[at];
    let space = match after.first_mut() {
        Some(next) => next.input.spare_mut(),
        None => final_output_buffer(output, link.max_lookahead, context)?,
    };
    Ok((link, space))
}

/// Writes out what has come through a chain.
pub(super) fn flush(output: &mut Buffer, context: &mut RunContext<'_>) -> Result<(), Error> {
    context.output.write_all(output.unread_bytes()).map_err(Error::Io)?;
    let all = output.unread_bytes().len();
    output.consume(all);
    output.compact();
    Ok(())
}

/// The space for what the last link writes, of at least its window.
pub(super) fn final_output_buffer<'a>(
    output: &'a mut Buffer,
    max_lookahead: usize,
    context: &mut RunContext<'_>,
) -> Result<&'a mut [u8], Error> {
    if output.spare_mut().len() < max_lookahead {
        flush(output, context)?;
    }
    Ok(output.spare_mut())
}
