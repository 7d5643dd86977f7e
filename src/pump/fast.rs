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
#[derive(Default)]
pub(super) struct Detour {
    length: usize,
    /// Index into the first link's input where it ends.
    end: usize,
}

impl Detour {
    /// The pair came so far and stands at `position` of the input: where to try it again.
    fn set(&mut self, came: usize, position: usize) {
        self.length = if came < SHORT { self.length.saturating_mul(2).max(SHORT) } else { SHORT };
        self.end = position.saturating_add(self.length);
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
        let position = self.chain.links[0].input.position();
        if position < detour.end {
            return Ok(detour.end - position);
        }
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
        detour.set(came, self.chain.links[0].input.position());
        Ok(detour.length)
    }

    /// Whether no stage remembers or holds anything, so that it does not matter who converts.
    fn at_rest(&self) -> bool {
        let links = &self.chain.links;
        links.iter().all(|link| link.stage.state() == State::START)
            && links[1..].iter().all(|link| link.input.unread().is_empty())
    }
}
