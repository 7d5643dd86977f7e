//! Faults that are answered without the call being left.
//!
//! A codec stops at each fault, which is dear where there is nothing but faults. For a caller that
//! would do about each what it has done about the one before, the loops here go on instead. They
//! stand outside the codecs: what is a fault, and what to write, is said by others.

use crate::codec::{Decoder, Encoder, Progress, Stop};
use crate::fault::{Kind, Malformed, Unmappable, Why};

/// Has the answers to faults, and counts them.
pub trait Mender {
    /// Finds the answer to bytes that are no character; says whether there is one to be written by
    /// the codec's side.
    fn malformed(&mut self, bytes: &[u8], why: Why) -> bool;

    /// Finds the answer to a character.
    fn unmappable(&mut self, fault: Unmappable) -> bool;

    /// The answer that was found last.
    fn answer(&self) -> &str;

    /// Whether it is the answer to all faults of its kind.
    fn is_fixed(&self) -> bool;

    /// It has been written, so many times.
    fn count(&mut self, times: usize);
}

/// What [`Decoder::mend`] does, with calls that the compiler sees through.
#[inline]
pub(crate) fn decode<D: Decoder + ?Sized>(
    decoder: &mut D,
    src: &[u8],
    dst: &mut [u8],
    end: bool,
    mender: &mut dyn Mender,
) -> Progress<Malformed> {
    let (mut read, mut written) = (0, 0);
    let mut row = Row::new(mender);
    loop {
        let progress = decoder.decode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Stop::Fault(bad) = progress.stop else {
            return Progress { read, written, stop: progress.stop };
        };
        let (rest, room) = (&src[read..], &mut dst[written..]);
        let offender = &rest[..bad.len.min(rest.len())];
        let ask = |mender: &mut dyn Mender| mender.malformed(offender, bad.why);
        let Some(answer) = row.answer(bad.why.kind(), ask) else {
            return Progress::fault(read, written, bad);
        };
        if answer.len() > room.len() {
            // There will be room when this has gone, if there ever is.
            return match written {
                0 => Progress::fault(read, written, bad),
                _ => Progress::output(read, written),
            };
        }
        let times = row_of(decoder, bad, rest, || match answer.len() {
            0 => usize::MAX,
            len => room.len() / len,
        });
        written += fill(room, answer.as_bytes(), times);
        row.times += times;
        read += times * bad.next;
        decoder.resume(bad.then);
    }
}

/// How many times a fault at the front of `src` stands there in a row, up to `most`.
#[inline]
fn row_of<D: Decoder + ?Sized>(
    decoder: &D,
    bad: Malformed,
    src: &[u8],
    most: impl FnOnce() -> usize,
) -> usize {
    // A glance spares most faults the question.
    if bad.next != bad.len || src.get(bad.len) != src.first() {
        return 1;
    }
    let most = most().saturating_mul(bad.len);
    decoder.repeats(&src[..src.len().min(most)], bad)
}

/// Faults in a row that have one answer, which is asked for once.
struct Row<'a> {
    mender: &'a mut dyn Mender,
    /// The kind of fault that it is the answer to, if it holds for all of that kind.
    kind: Option<Kind>,
    /// Faults answered so and not counted yet.
    times: usize,
}

impl<'a> Row<'a> {
    fn new(mender: &'a mut dyn Mender) -> Row<'a> {
        Row { mender, kind: None, times: 0 }
    }

    /// The answer to a fault of this kind, if there is one to be written here.
    #[inline]
    fn answer(&mut self, kind: Kind, ask: impl FnOnce(&mut dyn Mender) -> bool) -> Option<&str> {
        if self.kind != Some(kind) {
            self.count();
            self.kind = None;
            if !ask(self.mender) {
                return None;
            }
            self.kind = self.mender.is_fixed().then_some(kind);
        }
        Some(self.mender.answer())
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

/// What [`Encoder::mend`] does, with calls that the compiler sees through.
#[inline]
pub(crate) fn encode<E: Encoder + ?Sized>(
    encoder: &mut E,
    src: &str,
    dst: &mut [u8],
    end: bool,
    mender: &mut dyn Mender,
) -> Progress<Unmappable> {
    let (mut read, mut written) = (0, 0);
    let mut row = Row::new(mender);
    loop {
        let progress = encoder.encode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Stop::Fault(bad) = progress.stop else {
            return Progress { read, written, stop: progress.stop };
        };
        let ask = |mender: &mut dyn Mender| mender.unmappable(bad);
        let Some(answer) = row.answer(Kind::Unencodable, ask) else {
            return Progress::fault(read, written, bad);
        };
        if !answer.is_empty() {
            let before = encoder.state();
            let own = encoder.encode(answer, &mut dst[written..], false);
            // No room, something that is held back, or a look-alike that is lacking too.
            if own.read < answer.len() {
                encoder.resume(before);
                return Progress::fault(read, written, bad);
            }
            written += own.written;
        }
        row.times += 1;
        read += bad.character.len_utf8();
    }
}

/// Writes an answer so many times, for which there is room. Bytes written.
#[inline]
fn fill(room: &mut [u8], answer: &[u8], times: usize) -> usize {
    let all = times * answer.len();
    let mut done = answer.len().min(all);
    room[..done].copy_from_slice(&answer[..done]);
    while done < all {
        let more = done.min(all - done);
        room.copy_within(..more, done);
        done += more;
    }
    all
}
