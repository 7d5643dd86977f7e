//! What a step leaves unread, carried over to the next.

use std::ops::Range;

use super::Pump;
use super::link::{Carried, Origin};

impl Pump {
    /// Moves what a link left unread to the front of its block, and notes where it came from.
    pub(super) fn carry(&mut self, at: usize) {
        let link = &self.chain.links[at];
        let (first, count) = (link.input.position(), link.input.unread().len());
        if at > 0 && (count > 0 || !link.carried.is_empty()) {
            self.note_places(at, first..first + count);
        }
        let link = &mut self.chain.links[at];
        let by = link.input.settle();
        link.fresh = link.input.position() + count;
        link.answered = 0;
        if at == 0 {
            self.base = self.base.wrapping_add_signed(by as i64);
            if let Some(raw) = &mut self.raw_lines {
                raw.forget(self.base.wrapping_add(self.chain.links[0].input.position() as u64));
            }
        }
    }

    /// Notes the places of what a link leaves unread, which cannot be asked for later, and what of it
    /// is an answer. Those that are known from the last time are kept: errors come in large numbers, and
    /// each ends a step.
    fn note_places(&mut self, at: usize, unread: Range<usize>) {
        let link = &mut self.chain.links[at];
        let fresh = link.fresh;
        let mut carried = std::mem::take(&mut link.carried);
        let known = fresh - carried.len();
        carried.drain(..carried.len().min(unread.start.saturating_sub(known)));
        let answer = matches!(link.origin, Origin::Answer(_));
        carried.extend(
            (fresh.max(unread.start)..unread.end)
                .map(|index| Carried { place: self.place(at, index), answer }),
        );
        // An answer may reach further to the front than what it stands for.
        let ours = unread.len().saturating_sub(carried.len());
        if ours > 0 {
            let known = carried.first().map(|first| first.place);
            let place = known.unwrap_or_else(|| self.place(at, unread.start));
            carried.splice(..0, std::iter::repeat_n(Carried { place, answer: true }, ours));
        }
        let link = &mut self.chain.links[at];
        let put_back = link.answered.saturating_sub(unread.start).min(carried.len());
        carried[..put_back].iter_mut().for_each(|carried| carried.answer = true);
        link.carried = carried;
    }
}
