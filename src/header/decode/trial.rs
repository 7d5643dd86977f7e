//! Tries how the base64 of two words goes together, where the first stops inside a quantum.
//!
//! Some mailers leave padding out, and some cut the base64 of a whole text anywhere. The first is
//! right if what it gives is of the charset; only if it is not, the second is tried.

use super::bytes::Cursor;
use super::gathered::{Filled, Gathered};
use super::join::{Neighbor, neighbor};
use super::labels::Labels;
use super::scan::{Seen, View};
use super::stand::{Joint, Stand};
use super::{SPACE, controls};
use crate::codec::{Decoder, Status};

/// Bytes that are tried at a time; those that the decoder leaves come again with the next.
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
    /// All bytes of the second word are of the charset.
    Good,
    /// Some byte is not.
    Invalid,
    /// More of the source must be seen.
    Open,
}

/// Bytes that wait for the decoder.
struct Waiting {
    bytes: [u8; 4 * BATCH],
    len: usize,
    /// How many there have been in all.
    fed: usize,
}

impl Trial<'_> {
    /// Decodes the bytes left of the first word and all of the second, joined in this way, and
    /// as many of the words after it as finish the last character.
    pub fn run(&mut self, unread: &[u8], cursor: Cursor, next: &Neighbor, joint: Joint) -> Verdict {
        self.decoder.restore_state(self.stand.inner);
        let mut waiting = Waiting { bytes: [0; 4 * BATCH], len: 0, fed: 0 };
        waiting.push(unread);
        let mut cursor = next.cursor(cursor, joint);
        // Bytes that have been read when those of the second word have been.
        let mut wanted = None;
        loop {
            let mut bytes = Gathered::<BATCH>::new(0, None);
            let filled = bytes.fill(&mut cursor, self.view.bytes, self.view.closed, BATCH);
            waiting.push(bytes.values());
            let sound = self.decode(&mut waiting, false);
            let end = match filled {
                _ if wanted.is_some_and(|wanted| waiting.fed - waiting.len >= wanted) => {
                    return Verdict::Good;
                }
                _ if !sound => return Verdict::Invalid,
                Filled::Full => continue,
                Filled::More => return Verdict::Open,
                Filled::End(end) => end,
            };
            wanted.get_or_insert(waiting.fed);
            if waiting.len == 0 {
                return Verdict::Good;
            }
            let after = match neighbor(self.view, &self.stand, self.labels, end + 2) {
                Seen::More => return Verdict::Open,
                Seen::It(after) if self.goes_on(&after, joint) => after,
                _ => return self.close(&mut waiting),
            };
            cursor = after.cursor(cursor, joint);
        }
    }

    fn goes_on(&self, after: &Neighbor, joint: Joint) -> bool {
        after.slot == self.stand.slot && !(after.weak && joint == Joint::Bytes)
    }

    /// Decodes what waits, as far as there is no error. Whether there was none.
    fn decode(&mut self, waiting: &mut Waiting, end: bool) -> bool {
        let mut space = [0; SPACE];
        let bytes = &waiting.bytes[..waiting.len];
        let progress = controls::decode(self.decoder, bytes, &mut space, end, self.raw);
        waiting.bytes.copy_within(progress.read..waiting.len, 0);
        waiting.len -= progress.read;
        !matches!(progress.status, Status::Error(_))
    }

    fn close(&mut self, waiting: &mut Waiting) -> Verdict {
        if self.decode(waiting, true) { Verdict::Good } else { Verdict::Invalid }
    }
}

impl Waiting {
    fn push(&mut self, bytes: &[u8]) {
        let len = bytes.len().min(self.bytes.len() - self.len);
        self.bytes[self.len..self.len + len].copy_from_slice(&bytes[..len]);
        self.len += len;
        self.fed += len;
    }
}
