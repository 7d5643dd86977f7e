//! The seam at which a direct pair takes over from the chain.
//!
//! A pair goes first and says how far it came; at a doubt the chain does a little and the pair is
//! tried again. Where the pair gets nowhere, on Greek where it knows ASCII, the chain is given
//! ever more, so that trying costs nothing that counts.

use super::{Flow, Pump};
use crate::codec::State;
use crate::error::Error;

/// Bytes of text that the chain is given at first.
const SHORT: usize = 64;

/// How much the chain does before the pair is tried again.
pub(super) struct Detour(usize);

impl Default for Detour {
    fn default() -> Self {
        Detour(SHORT)
    }
}

impl Pump {
    /// Lets the pair go as far as it can; says how many bytes of text the chain may write then.
    pub(super) fn shortcut(
        &mut self,
        detour: &mut Detour,
        flow: &mut Flow<'_>,
    ) -> Result<usize, Error> {
        let Some(pair) = self.pair else { return Ok(usize::MAX) };
        let mut came = 0;
        while self.at_rest() {
            if self.out.room().len() < SHORT {
                self.write(flow)?;
            }
            let input = &mut self.chain.links[0].input;
            let room = self.out.room();
            let (read, written) = pair.advance(input.unread(), room);
            if read == 0 {
                break;
            }
            self.lines = self.lines.after(pair.text(&input.unread()[..read], &room[..written]));
            input.take(read);
            self.out.grow(written);
            came += read;
        }
        detour.0 = if came < SHORT { detour.0.saturating_mul(2) } else { SHORT };
        Ok(detour.0)
    }

    /// Whether no stage remembers or holds anything, so that it does not matter who converts.
    fn at_rest(&self) -> bool {
        let links = &self.chain.links;
        links.iter().all(|link| link.stage.state() == State::START)
            && links[1..].iter().all(|link| link.input.unread().is_empty())
    }
}
