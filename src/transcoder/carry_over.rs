//! What a step leaves unread, carried over to the next.

use std::ops::Range;

use super::Transcoder;
use super::stage::{CarriedByte, InputOrigin};

impl Transcoder {
    /// Moves what a link left unread to the front of its block, and notes where it came from.
    pub(super) fn carry_over(&mut self, at: usize) {
        let link = &self.chain.stages[at];
        let (first, count) = (link.input.position(), link.input.unread_bytes().len());
        if at > 0 && (count > 0 || !link.carried_bytes.is_empty()) {
            self.record_positions(at, first..first + count);
        }
        let link = &mut self.chain.stages[at];
        let by = link.input.compact();
        link.new_input_start = link.input.position() + count;
        link.replacement_end = 0;
        if at == 0 {
            self.base_offset = self.base_offset.wrapping_add_signed(by as i64);
            if let Some(source_lines) = &mut self.source_lines {
                source_lines.discard_before(
                    self.base_offset.wrapping_add(self.chain.stages[0].input.position() as u64),
                );
            }
        }
    }

    /// Notes the positions of what a link leaves unread, which cannot be requested later, and what of it
    /// is an answer. Those that are known from the last time are kept: errors come in large numbers, and
    /// each ends a step.
    fn record_positions(&mut self, at: usize, unread: Range<usize>) {
        let link = &mut self.chain.stages[at];
        let fresh = link.new_input_start;
        let mut carried = std::mem::take(&mut link.carried_bytes);
        let known = fresh - carried.len();
        carried.drain(..carried.len().min(unread.start.saturating_sub(known)));
        let replacement = matches!(link.origin, InputOrigin::Replacement(_));
        carried.extend((fresh.max(unread.start)..unread.end).map(|index| CarriedByte {
            position: self.position_of(at, index),
            is_replacement: replacement,
        }));
        // An answer may reach further to the front than what it stands for.
        let ours = unread.len().saturating_sub(carried.len());
        if ours > 0 {
            let known = carried.first().map(|first| first.position);
            let position = known.unwrap_or_else(|| self.position_of(at, unread.start));
            carried.splice(
                ..0,
                std::iter::repeat_n(CarriedByte { position: position, is_replacement: true }, ours),
            );
        }
        let link = &mut self.chain.stages[at];
        let put_back = link.replacement_end.saturating_sub(unread.start).min(carried.len());
        carried[..put_back].iter_mut().for_each(|carried| carried.is_replacement = true);
        link.carried_bytes = carried;
    }
}
