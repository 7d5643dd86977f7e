//! Where a link writes: the block of the next one, or the output.

use super::chain::Chain;
use super::link::Link;
use super::{Flow, Pump};
use crate::error::Error;
use crate::kernel::block::Block;

impl Pump {
    /// Writes out what has come through the chain.
    pub(super) fn write(&mut self, flow: &mut Flow<'_>) -> Result<(), Error> {
        write(&mut self.out, flow)
    }
}

/// A link, and the room for what it writes next: at least its window.
pub(super) fn room<'a>(
    chain: &'a mut Chain,
    out: &'a mut Block,
    at: usize,
    flow: &mut Flow<'_>,
) -> Result<(&'a mut Link, &'a mut [u8]), Error> {
    let (before, behind) = chain.links.split_at_mut(at + 1);
    let link = &mut before[at];
    let room = match behind.first_mut() {
        Some(next) => next.input.room(),
        None => last_room(out, link.window, flow)?,
    };
    Ok((link, room))
}

/// Writes out what has come through a chain.
pub(super) fn write(out: &mut Block, flow: &mut Flow<'_>) -> Result<(), Error> {
    flow.out.write_all(out.unread()).map_err(Error::Write)?;
    let all = out.unread().len();
    out.take(all);
    out.settle();
    Ok(())
}

/// The room for what the last link writes, of at least its window.
pub(super) fn last_room<'a>(
    out: &'a mut Block,
    window: usize,
    flow: &mut Flow<'_>,
) -> Result<&'a mut [u8], Error> {
    if out.room().len() < window {
        write(out, flow)?;
    }
    Ok(out.room())
}
