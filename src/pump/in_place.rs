//! Input that is text already, used where it stands.
//!
//! Where the source is UTF-8 and nothing stands between the two codecs, the decoder would only copy.
//! So the valid text at the front of the block goes to the encoder, or to the output, as it is. No
//! fault is known here: at the first doubt the chain does a little, then this is tried again.
//! Output, faults and places are the same without, which `tests/conversion/in_place.rs` holds it to.

use super::crowd::{Bulk, Crowd, mender};
use super::link::Stage;
use super::room::{last_room, write};
use super::{Flow, Pump};
use crate::charset;
use crate::codec::Stop;
use crate::error::Error;
use crate::filter::PAST;
use crate::plan::Plan;

/// Bytes of text that the chain is given at first.
const SHORT: usize = 64;

/// Bytes of text that are written from where they stand. Fewer are gathered in a block, because
/// each write is a call of the system.
const MANY: usize = 4096;

/// How much the chain does before the text is tried again.
#[derive(Default)]
pub(super) struct Detour {
    length: usize,
    /// Index into the first link's input where it ends.
    end: usize,
}

impl Detour {
    /// So many bytes were used as they stand, up to `position` of the input: where to try again.
    /// Where faults stand close together the chain is given ever more, so that trying costs
    /// nothing that counts.
    fn set(&mut self, came: usize, position: usize) {
        self.length = if came < SHORT { self.length.saturating_mul(2).max(SHORT) } else { SHORT };
        self.end = position.saturating_add(self.length);
    }
}

/// Whether the input of this plan's chain is the text that the last codec wants.
pub(super) fn suits(plan: &Plan) -> bool {
    plan.fast && charset::is_utf8(plan.from.charset)
}

impl Pump {
    /// Uses text where it stands, as far as it goes; says how many bytes of text the chain may
    /// write then.
    pub(super) fn shortcut(
        &mut self,
        detour: &mut Detour,
        flow: &mut Flow<'_>,
    ) -> Result<usize, Error> {
        if !self.in_place {
            return Ok(usize::MAX);
        }
        let position = self.chain.links[0].input.position();
        if position < detour.end {
            return Ok(detour.end - position);
        }
        if self.is_clear() {
            let last = self.chain.links.len() - 1;
            match self.chain.links[last].stage {
                Stage::Encoder(_) => self.encode_in_place(last, flow)?,
                _ => self.pass_on(flow)?,
            }
        }
        let now = self.chain.links[0].input.position();
        detour.set(now - position, now);
        Ok(detour.length)
    }

    /// Whether text may go past the stages between the two codecs: none holds any, and a filter of
    /// marks is past the start.
    fn is_clear(&self) -> bool {
        self.chain.links[1..].iter().all(|link| {
            let passes = !matches!(link.stage, Stage::Filter(_)) || link.stage.state() == PAST;
            passes && link.input.unread().is_empty()
        })
    }

    /// UTF-8 to UTF-8.
    fn pass_on(&mut self, flow: &mut Flow<'_>) -> Result<(), Error> {
        let text = self.chain.links[0].input.text().as_bytes();
        let many = text.len() >= MANY;
        if many || self.out.room().len() < text.len() {
            write(&mut self.out, flow)?;
        }
        if many {
            flow.out.write_all(text).map_err(Error::Write)?;
        } else {
            self.out.room()[..text.len()].copy_from_slice(text);
            self.out.grow(text.len());
        }
        let read = text.len();
        self.took_text(read, self.bulk(0, flow) == Bulk::Everything);
        Ok(())
    }

    /// UTF-8 to any other charset.
    fn encode_in_place(&mut self, last: usize, flow: &mut Flow<'_>) -> Result<(), Error> {
        let unasked = self.bulk(0, flow) == Bulk::Everything;
        let bulk = self.bulk(last, flow);
        loop {
            let room = last_room(&mut self.out, self.chain.links[last].window, flow)?;
            let [source, .., target] = &mut self.chain.links[..] else { return Ok(()) };
            let (text, Stage::Encoder(encoder)) = (source.input.text(), &mut target.stage) else {
                return Ok(());
            };
            if text.is_empty() {
                return Ok(());
            }
            let (substitutes, answer) = (&mut self.substitutes, &mut self.answer);
            let mut crowd = Crowd::new(bulk, &self.policy, substitutes, answer, flow.report);
            let progress = match mender(&mut crowd) {
                Some(mender) => encoder.mend(text, room, false, mender),
                None => encoder.encode(text, room, false),
            };
            self.out.grow(progress.written);
            self.took_text(progress.read, unasked);
            if progress.read == 0 || progress.stop != Stop::Output {
                return Ok(());
            }
        }
    }

    /// So many bytes of text have been used, in which nobody or somebody may ask for a place.
    fn took_text(&mut self, read: usize, unasked: bool) {
        let input = &mut self.chain.links[0].input;
        if !unasked {
            self.lines = self.lines.after(&input.unread()[..read]);
        }
        input.take(read);
    }
}
