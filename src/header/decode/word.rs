//! Decodes the text of a word: bytes are gathered, and the decoder of the charset reads them.
//!
//! The decoder says how many bytes it has read; what it leaves, an unfinished character, stays in
//! the source. So a position in the source is all that has to be remembered of it.

use super::bytes::{Byte, Cursor, Next};
use super::gathered::{Filled, Gathered, Landing};
use super::stand::Stand;
use super::{Call, HeaderDecoder, Step, controls};
use crate::codec::{Progress, Status};
use crate::conversion_error::Malformed;

/// Bytes that are gathered first: errors come in large numbers, and each begins again. Nearly all that are
/// not of [one byte](HeaderDecoder::lone_error) are of four at the most.
const FEW: usize = 4;

/// Bytes that are gathered at a time when all goes well. More than any charset's window.
pub(super) const MANY: usize = 256;

impl HeaderDecoder {
    /// Decodes on in a word, and over its end if nothing of it is left.
    pub(super) fn word(&mut self, call: &mut Call<'_>) -> Step {
        let end = std::mem::take(&mut call.fresh_until);
        if end > 0 && self.clean_word(call, end) {
            return self.gathering(call, Self::end_of_word);
        }
        let mut bytes = Gathered::<FEW>::new(call.read, self.stand.joint);
        let ended = self.piece(call, &mut bytes, FEW)?;
        self.gathering(call, |header, call, bytes| {
            let (mut ended, mut most) = (ended, FEW);
            while !ended {
                most = (2 * most).min(MANY);
                bytes.begin(call.read, header.stand.joint);
                ended = header.piece(call, bytes, most)?;
            }
            bytes.begin(call.read, header.stand.joint);
            header.end_of_word(call, bytes)
        })
    }

    /// The error that the next byte of a word is by itself, if it is one: errors come in crowds,
    /// and most of them are single bytes. As [`piece`](HeaderDecoder::piece), but it keeps no
    /// note of where bytes come from.
    pub(super) fn lone_error(&mut self, src: &[u8], dst: &mut [u8]) -> Option<Malformed> {
        let stand = Stand::of(self.state);
        let Next::Byte(byte) = Cursor::new(stand.position(0)).next(src, false) else { return None };
        let decoder = self.decoders.get(stand.slot);
        decoder.restore_state(stand.inner);
        let progress = controls::decode(decoder, &[byte.value], dst, false, self.options.raw);
        let Status::Error(Malformed { len: 1, resume_len: 1, reason: why, resume_state: then }) =
            progress.status
        else {
            return None;
        };
        if (byte.from, progress.written) != (0, 0) {
            return None;
        }
        let Byte { to, after, .. } = byte;
        let then =
            Stand { inner: then, ..stand.at(Landing { position: after, joint: stand.joint }) };
        Some(Malformed::new(to, why, then.state()).with_resume_len(after.at))
    }

    /// Decodes up to `most` bytes of the word. Whether it has ended.
    fn piece<const N: usize>(
        &mut self,
        call: &mut Call<'_>,
        bytes: &mut Gathered<N>,
        most: usize,
    ) -> Result<bool, Status<Malformed>> {
        let mut cursor = Cursor::new(self.stand.position(call.read));
        let filled = bytes.fill(&mut cursor, call.src, call.end, most);
        let progress = self.decode_bytes(call, bytes.values(), false);
        self.advance(call, bytes, progress)?;
        match (progress.status, filled) {
            (Status::OutputFull, _) => Err(Status::OutputFull),
            (_, Filled::Full) => Ok(false),
            (_, Filled::More) => Err(Status::InputEmpty),
            (_, Filled::End(_)) => Ok(true),
        }
    }

    /// Does what needs a position to gather bytes in, which is large and made once.
    #[inline]
    fn gathering<T>(
        &mut self,
        call: &mut Call<'_>,
        work: impl FnOnce(&mut Self, &mut Call<'_>, &mut Gathered<MANY>) -> T,
    ) -> T {
        let (base, joint) = (call.read, self.stand.joint);
        let mut bytes = self.spare.take().unwrap_or_else(|| Box::new(Gathered::new(base, joint)));
        bytes.begin(base, joint);
        let result = work(self, call, &mut bytes);
        self.spare = Some(bytes);
        result
    }

    /// Decodes bytes of the word into the space of the call.
    pub(super) fn decode_bytes(
        &mut self,
        call: &mut Call<'_>,
        bytes: &[u8],
        end: bool,
    ) -> Progress<Malformed> {
        let decoder = self.decoders.get(self.stand.slot);
        decoder.restore_state(self.stand.inner);
        let progress = controls::decode(decoder, bytes, call.space(), end, self.options.raw);
        self.stand.inner = decoder.save_state();
        progress
    }

    /// Goes on as far as the decoder of the charset has come; its error is one of the source.
    pub(super) fn advance<const N: usize>(
        &mut self,
        call: &mut Call<'_>,
        bytes: &Gathered<N>,
        progress: Progress<Malformed>,
    ) -> Step {
        call.written += progress.written;
        let read = progress.read;
        let Status::Error(error) = progress.status else {
            self.land(call, bytes.after(read));
            return Ok(());
        };
        let something = error.len > 0;
        self.land(call, if something { bytes.start(read) } else { bytes.after(read) });
        let mut then = Stand { inner: error.resume_state, ..self.stand };
        let mut next = 0;
        if error.resume_len > 0
            && let Some(landing) = bytes.after(read + error.resume_len)
        {
            then = then.at(landing);
            next = landing.position.at - call.read;
        }
        let to = bytes.to(read..read + error.len);
        let len = to.map_or(0, |to| to - call.read);
        Err(Status::Error(Malformed::new(len, error.reason, then.state()).with_resume_len(next)))
    }

    fn land(&mut self, call: &mut Call<'_>, landing: Option<Landing>) {
        if let Some(landing) = landing {
            call.read = landing.position.at;
            self.stand = self.stand.at(landing);
        }
    }
}
