//! Tries how the base64 of two words goes together, where the first stops inside a quantum.
//!
//! Some mailers leave padding out, and some cut the base64 of a whole text anywhere. The first is
//! right if what it gives is of the charset; only if it is not, the second is tried.

use super::gathered::{Filled, Gathered};
use super::join::{Neighbour, neighbour};
use super::labels::Labels;
use super::octets::Cursor;
use super::scan::{Seen, View};
use super::stand::{Joint, Stand};
use super::{ROOM, controls};
use crate::codec::{Decoder, Stop};

/// Octets that are tried at a time; those that the decoder leaves come again with the next.
const BATCH: usize = 64;

/// A decoder that is set to the state at the end of the first word.
pub(super) struct Trial<'a> {
    pub stand: Stand,
    pub decoder: &'a mut dyn Decoder,
    pub labels: &'a mut Labels,
    pub view: &'a View<'a>,
    pub raw: bool,
}

/// What came of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All octets of the second word are of the charset.
    Good,
    /// Some octet is not.
    Bad,
    /// More of the source must be seen.
    Open,
}

/// Octets that wait for the decoder.
struct Waiting {
    octets: [u8; 4 * BATCH],
    len: usize,
    /// How many there have been in all.
    fed: usize,
}

impl Trial<'_> {
    /// Decodes the octets left of the first word and all of the second, joined in this way, and
    /// as many of the words behind it as finish the last character.
    pub fn run(
        &mut self,
        unread: &[u8],
        cursor: Cursor,
        next: &Neighbour,
        joint: Joint,
    ) -> Verdict {
        self.decoder.resume(self.stand.inner);
        let mut waiting = Waiting { octets: [0; 4 * BATCH], len: 0, fed: 0 };
        waiting.push(unread);
        let mut cursor = next.cursor(cursor, joint);
        // Octets that have been read when those of the second word have been.
        let mut wanted = None;
        loop {
            let mut octets = Gathered::<BATCH>::new(0, None);
            let filled = octets.fill(&mut cursor, self.view.bytes, self.view.closed, BATCH);
            waiting.push(octets.values());
            let sound = self.decode(&mut waiting, false);
            let end = match filled {
                _ if wanted.is_some_and(|wanted| waiting.fed - waiting.len >= wanted) => {
                    return Verdict::Good;
                }
                _ if !sound => return Verdict::Bad,
                Filled::Full => continue,
                Filled::More => return Verdict::Open,
                Filled::End(end) => end,
            };
            wanted.get_or_insert(waiting.fed);
            if waiting.len == 0 {
                return Verdict::Good;
            }
            let after = match neighbour(self.view, &self.stand, self.labels, end + 2) {
                Seen::More => return Verdict::Open,
                Seen::It(after) if self.goes_on(&after, joint) => after,
                _ => return self.close(&mut waiting),
            };
            cursor = after.cursor(cursor, joint);
        }
    }

    fn goes_on(&self, after: &Neighbour, joint: Joint) -> bool {
        after.slot == self.stand.slot && !(after.weak && joint == Joint::Octets)
    }

    /// Decodes what waits, as far as there is no fault. Whether there was none.
    fn decode(&mut self, waiting: &mut Waiting, end: bool) -> bool {
        let mut room = [0; ROOM];
        let octets = &waiting.octets[..waiting.len];
        let progress = controls::decode(self.decoder, octets, &mut room, end, self.raw);
        waiting.octets.copy_within(progress.read..waiting.len, 0);
        waiting.len -= progress.read;
        !matches!(progress.stop, Stop::Fault(_))
    }

    fn close(&mut self, waiting: &mut Waiting) -> Verdict {
        if self.decode(waiting, true) { Verdict::Good } else { Verdict::Bad }
    }
}

impl Waiting {
    fn push(&mut self, octets: &[u8]) {
        let len = octets.len().min(self.octets.len() - self.len);
        self.octets[self.len..self.len + len].copy_from_slice(&octets[..len]);
        self.len += len;
        self.fed += len;
    }
}
