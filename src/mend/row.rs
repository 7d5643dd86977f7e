//! Faults in a row that have one answer.

use super::Mender;
use crate::fault::Kind;

/// Faults in a row that have one answer, which is asked for once.
pub struct Row<'a> {
    mender: &'a mut dyn Mender,
    /// The kind of fault that it is the answer to, if it holds for all of that kind.
    kind: Option<Kind>,
    /// The answer, if it is short.
    stamp: Option<Stamp>,
    /// Faults answered so and not counted yet.
    pub times: usize,
}

impl<'a> Row<'a> {
    pub fn new(mender: &'a mut dyn Mender) -> Row<'a> {
        Row { mender, kind: None, stamp: None, times: 0 }
    }

    /// Whether the answer is known to be that to all faults of this kind.
    #[inline]
    pub fn is_of(&self, kind: Kind) -> bool {
        self.kind == Some(kind)
    }

    /// Has the answer to a fault found; says whether there is one to be written here.
    pub fn ask(&mut self, kind: Kind, find: impl FnOnce(&mut dyn Mender) -> bool) -> bool {
        self.count();
        self.kind = None;
        if !find(self.mender) {
            return false;
        }
        self.stamp = Stamp::new(self.mender.answer().as_bytes());
        self.kind = self.mender.is_fixed().then_some(kind);
        true
    }

    /// The answer that was found last.
    pub fn text(&self) -> &str {
        self.mender.answer()
    }

    /// Writes the answer that was found last, if there is room. Bytes written.
    #[inline]
    pub fn put(&self, room: &mut [u8]) -> Option<usize> {
        match self.stamp {
            Some(stamp) => stamp.put(room),
            None => put(self.text().as_bytes(), room),
        }
    }

    fn count(&mut self) {
        if self.times > 0 {
            self.mender.count(self.times);
            self.times = 0;
        }
    }
}

impl Drop for Row<'_> {
    fn drop(&mut self) {
        self.count();
    }
}

/// The most bytes of a stamp: what one store writes.
const MOST: usize = 8;

/// A few bytes that are written again and again.
#[derive(Clone, Copy)]
pub struct Stamp {
    bytes: [u8; MOST],
    len: usize,
}

impl Stamp {
    /// A stamp of these bytes, if they are few.
    pub fn new(few: &[u8]) -> Option<Stamp> {
        let mut bytes = [0; MOST];
        bytes.get_mut(..few.len())?.copy_from_slice(few);
        Some(Stamp { bytes, len: few.len() })
    }

    /// Writes it, if there is room. Bytes written.
    #[inline]
    pub fn put(&self, room: &mut [u8]) -> Option<usize> {
        match room.first_chunk_mut() {
            // What stands behind them has no meaning, and a length that is known is faster.
            Some(room) => {
                *room = self.bytes;
                Some(self.len)
            }
            None => put(&self.bytes[..self.len], room),
        }
    }
}

fn put(bytes: &[u8], room: &mut [u8]) -> Option<usize> {
    room.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}

/// Has the first `len` bytes stand so many times, for which there is room. Bytes written.
#[inline]
pub fn repeat(room: &mut [u8], len: usize, times: usize) -> usize {
    if times == 1 {
        return len;
    }
    let (all, mut done) = (times * len, len);
    while done < all {
        let more = done.min(all - done);
        room.copy_within(..more, done);
        done += more;
    }
    all
}
