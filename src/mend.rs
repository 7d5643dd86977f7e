//! Faults that are answered without the call being left.
//!
//! A codec stops at each fault, which is dear where there is nothing but faults. For a caller that
//! would do about each what it has done about the one before, the loops here go on instead. They
//! stand outside the codecs: what is a fault, and what to write, is said by others.

use crate::codec::{Decoder, Encoder, Progress, State, Stop};
use crate::fault::{Kind, Malformed, Unmappable, Why};

mod row;

use row::{Offender, Row, Stamp, repeat};

/// Has the answers to faults, and counts them.
pub trait Mender {
    /// Finds the answer to bytes that are no character; says whether there is one to be written by
    /// the codec's side.
    fn malformed(&mut self, bytes: &[u8], why: Why) -> bool;

    /// Finds the answer to a character.
    fn unmappable(&mut self, fault: Unmappable) -> bool;

    /// The answer that was found last.
    fn answer(&self) -> &str;

    /// What takes the place of a character of the answer that the target lacks as well.
    fn fallback(&self) -> &str;

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
        let kind = bad.why.kind();
        if !row.is_of(kind) {
            let bytes = &rest[..bad.len.min(rest.len())];
            let find = |mender: &mut dyn Mender| mender.malformed(bytes, bad.why);
            if row.ask(Offender::of(bytes, bad.why), find).is_none() {
                return Progress::fault(read, written, bad);
            }
        }
        let Some(len) = row.put(room) else {
            // There will be room when this has gone, if there ever is.
            return match written {
                0 => Progress::fault(read, written, bad),
                _ => Progress::output(read, written),
            };
        };
        let times = row_of(decoder, bad, rest, || most(len, room));
        written += repeat(room, len, times);
        row.times += times;
        read += times * bad.next;
        decoder.resume(bad.then);
    }
}

/// How many answers of this length there is room for.
#[inline]
fn most(len: usize, room: &[u8]) -> usize {
    room.len().checked_div(len).unwrap_or(usize::MAX)
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
    // What the answer was encoded to, in a state that it left as it was.
    let mut stamp: Option<(State, Stamp)> = None;
    loop {
        let progress = encoder.encode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Stop::Fault(bad) = progress.stop else {
            return Progress { read, written, stop: progress.stop };
        };
        if !row.is_of(Kind::Unencodable) {
            match row.ask(Offender::Character(bad), |mender| mender.unmappable(bad)) {
                None => return Progress::fault(read, written, bad),
                Some(true) => stamp = None,
                Some(false) => {}
            }
        }
        let (state, room) = (encoder.state(), &mut dst[written..]);
        let known = stamp.filter(|(at, _)| *at == state).and_then(|(_, stamp)| stamp.put(room));
        let Some(len) = known.or_else(|| write(encoder, &row, room)) else {
            return Progress::fault(read, written, bad);
        };
        let mut times = 1;
        read += bad.character.len_utf8();
        if encoder.state() == state {
            if known.is_none() {
                stamp = Stamp::new(&room[..len]).map(|stamp| (state, stamp));
            }
            if row.is_of(Kind::Unencodable) {
                let (characters, bytes) = encoder.lacks(&src[read..], most(len, room) - 1);
                times += characters;
                read += bytes;
            }
        }
        written += repeat(room, len, times);
        row.times += times;
    }
}

/// Encodes an answer. Bytes written, or nothing if there is no room or something is held back.
fn write<E: Encoder + ?Sized>(encoder: &mut E, row: &Row<'_>, room: &mut [u8]) -> Option<usize> {
    let before = encoder.state();
    let written = write_all(encoder, row.text(), row.fallback(), room);
    if written.is_none() {
        encoder.resume(before);
    }
    written
}

/// Encodes a text, and the fallback in place of each character that is lacking.
fn write_all<E: Encoder + ?Sized>(
    encoder: &mut E,
    mut text: &str,
    fallback: &str,
    room: &mut [u8],
) -> Option<usize> {
    let mut written = 0;
    while !text.is_empty() {
        let own = encoder.encode(text, &mut room[written..], false);
        text = &text[own.read..];
        written += own.written;
        match own.stop {
            Stop::Fault(bad) => {
                text = &text[bad.character.len_utf8()..];
                let instead = encoder.encode(fallback, &mut room[written..], false);
                written += instead.written;
                if instead.read < fallback.len() {
                    return None;
                }
            }
            _ if text.is_empty() => {}
            Stop::Input | Stop::Output => return None,
        }
    }
    Some(written)
}

/// What [`Encoder::lacks`] answers, where each character by itself is lacking or not.
#[inline]
pub(crate) fn count(src: &str, most: usize, lacking: impl Fn(char) -> bool) -> (usize, usize) {
    let mut rest = src.chars();
    let row = rest.by_ref().take(most).take_while(|character| lacking(*character));
    row.fold((0, 0), |(count, bytes), character| (count + 1, bytes + character.len_utf8()))
}
