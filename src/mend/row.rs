//! Faults in a row that have one answer.

use super::Mender;
use crate::fault::{Kind, Unmappable, Why};

/// Faults in a row that have one answer, which is asked for once.
pub struct Row<'a> {
    mender: &'a mut dyn Mender,
    /// The kind of fault that all have the answer that was found last, if that is so.
    kind: Option<Kind>,
    /// The fault that it was found for, if only what is like it has the same.
    alike: Option<Offender>,
    /// The answer, if it is short.
    stamp: Option<Stamp>,
    /// Faults answered so and not counted yet.
    pub times: usize,
}

/// A fault, as far as an answer may depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offender {
    Character(Unmappable),
    /// The bytes, if they are few; so many, and why they are none.
    Bytes([u8; MOST], usize, Why),
    /// It may differ from any other.
    Long(Kind),
}

impl Offender {
    /// These bytes.
    #[inline]
    pub fn of(bytes: &[u8], why: Why) -> Offender {
        let mut few = [0; MOST];
        match few.get_mut(..bytes.len()) {
            Some(front) => {
                front.copy_from_slice(bytes);
                Offender::Bytes(few, bytes.len(), why)
            }
            None => Offender::Long(why.kind()),
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Offender::Character(_) => Kind::Unencodable,
            Offender::Bytes(_, _, why) => why.kind(),
            Offender::Long(kind) => kind,
        }
    }
}

impl<'a> Row<'a> {
    pub fn new(mender: &'a mut dyn Mender) -> Row<'a> {
        Row { mender, kind: None, alike: None, stamp: None, times: 0 }
    }

    /// Whether the answer is known to be that to all faults of this kind.
    #[inline]
    pub fn is_of(&self, kind: Kind) -> bool {
        self.kind == Some(kind)
    }

    /// Has the answer to a fault found, if it is not that to the one before; says whether there is
    /// one to be written here, and whether it was found anew.
    #[inline]
    pub fn ask(
        &mut self,
        offender: Offender,
        find: impl FnOnce(&mut dyn Mender) -> bool,
    ) -> Option<bool> {
        if self.alike == Some(offender) {
            return Some(false);
        }
        self.count();
        (self.kind, self.alike) = (None, None);
        if !find(self.mender) {
            return None;
        }
        self.stamp = Stamp::new(self.mender.answer().as_bytes());
        match offender {
            _ if self.mender.is_fixed() => self.kind = Some(offender.kind()),
            Offender::Long(_) => {}
            _ => self.alike = Some(offender),
        }
        Some(true)
    }

    /// The answer that was found last.
    pub fn text(&self) -> &str {
        self.mender.answer()
    }

    /// What takes the place of a character of the answer that is lacking too.
    pub fn fallback(&self) -> &str {
        self.mender.fallback()
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
