//! Faults that are answered without the call being left.
//!
//! A codec stops at each fault, which is dear where there is nothing but faults. For a caller that
//! would do about each what it has done about the one before, the loops here go on instead. They
//! stand outside the codecs: what is a fault, and what to write, is said by others.

use crate::codec::{Decoder, Encoder, Progress, Stop};
use crate::fault::{Malformed, Unmappable, Why};

/// Has the answers to faults, and counts them.
pub trait Mender {
    /// What to write in the place of bytes that are no character; nothing if that is for the
    /// caller to do.
    fn malformed(&mut self, bytes: &[u8], why: Why) -> Option<&str>;

    /// What to write in the place of a character; nothing if that is for the caller to do.
    fn unmappable(&mut self, fault: Unmappable) -> Option<&str>;

    /// The last answer has been written, so many times.
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
    loop {
        let progress = decoder.decode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Stop::Fault(bad) = progress.stop else {
            return Progress { read, written, stop: progress.stop };
        };
        let (rest, room) = (&src[read..], &mut dst[written..]);
        let Some(answer) = mender.malformed(&rest[..bad.len.min(rest.len())], bad.why) else {
            return Progress::fault(read, written, bad);
        };
        let most = room.len().checked_div(answer.len()).unwrap_or(usize::MAX);
        if most == 0 {
            // There will be room when this has gone, if there ever is.
            return match written {
                0 => Progress::fault(read, written, bad),
                _ => Progress::output(read, written),
            };
        }
        let times = if bad.next == bad.len { decoder.repeats(rest, bad).min(most) } else { 1 };
        written += fill(room, answer.as_bytes(), times);
        mender.count(times);
        read += times * bad.next;
        decoder.resume(bad.then);
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
    loop {
        let progress = encoder.encode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Stop::Fault(bad) = progress.stop else {
            return Progress { read, written, stop: progress.stop };
        };
        let Some(answer) = mender.unmappable(bad) else {
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
        mender.count(1);
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
