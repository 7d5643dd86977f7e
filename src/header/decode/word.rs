//! Decodes the text of a word: octets are gathered, and the decoder of the charset reads them.
//!
//! The decoder says how many octets it has read; what it leaves, an unfinished character, stays in
//! the source. So a place in the source is all that has to be remembered of it.

use super::gathered::{Filled, Gathered, Landing};
use super::octets::{Cursor, Next, Octet};
use super::stand::Stand;
use super::{Call, HeaderDecoder, Step, controls};
use crate::codec::{Progress, Stop};
use crate::fault::Malformed;

/// Octets that are gathered first: errors come in large numbers, and each begins anew. Nearly all that are
/// not of [one octet](HeaderDecoder::lone_fault) are of four at the most.
const FEW: usize = 4;

/// Octets that are gathered at a time when all goes well. More than any charset's window.
pub(super) const MANY: usize = 256;

impl HeaderDecoder {
    /// Decodes on in a word, and over its end if nothing of it is left.
    pub(super) fn word(&mut self, call: &mut Call<'_>) -> Step {
        let end = std::mem::take(&mut call.fresh_until);
        if end > 0 && self.clean_word(call, end) {
            return self.gathering(call, Self::end_of_word);
        }
        let mut octets = Gathered::<FEW>::new(call.read, self.stand.joint);
        let ended = self.piece(call, &mut octets, FEW)?;
        self.gathering(call, |header, call, octets| {
            let (mut ended, mut most) = (ended, FEW);
            while !ended {
                most = (2 * most).min(MANY);
                octets.begin(call.read, header.stand.joint);
                ended = header.piece(call, octets, most)?;
            }
            octets.begin(call.read, header.stand.joint);
            header.end_of_word(call, octets)
        })
    }

    /// The fault that the next octet of a word is by itself, if it is one: faults come in crowds,
    /// and most of them are single octets. As [`piece`](HeaderDecoder::piece), but it keeps no
    /// note of where octets come from.
    pub(super) fn lone_fault(&mut self, src: &[u8], dst: &mut [u8]) -> Option<Malformed> {
        let stand = Stand::of(self.state);
        let Next::Octet(octet) = Cursor::new(stand.spot(0)).next(src, false) else { return None };
        let decoder = self.decoders.get(stand.slot);
        decoder.resume(stand.inner);
        let progress = controls::decode(decoder, &[octet.value], dst, false, self.options.raw);
        let Stop::Fault(Malformed { len: 1, next: 1, why, then }) = progress.stop else {
            return None;
        };
        if (octet.from, progress.written) != (0, 0) {
            return None;
        }
        let Octet { to, after, .. } = octet;
        let then = Stand { inner: then, ..stand.at(Landing { spot: after, joint: stand.joint }) };
        Some(Malformed::new(to, why, then.state()).stepping(after.at))
    }

    /// Decodes up to `most` octets of the word. Whether it has ended.
    fn piece<const N: usize>(
        &mut self,
        call: &mut Call<'_>,
        octets: &mut Gathered<N>,
        most: usize,
    ) -> Result<bool, Stop<Malformed>> {
        let mut cursor = Cursor::new(self.stand.spot(call.read));
        let filled = octets.fill(&mut cursor, call.src, call.end, most);
        let progress = self.decode_octets(call, octets.values(), false);
        self.advance(call, octets, progress)?;
        match (progress.stop, filled) {
            (Stop::Output, _) => Err(Stop::Output),
            (_, Filled::Full) => Ok(false),
            (_, Filled::More) => Err(Stop::Input),
            (_, Filled::End(_)) => Ok(true),
        }
    }

    /// Does what needs a place to gather octets in, which is large and made once.
    #[inline]
    fn gathering<T>(
        &mut self,
        call: &mut Call<'_>,
        work: impl FnOnce(&mut Self, &mut Call<'_>, &mut Gathered<MANY>) -> T,
    ) -> T {
        let (base, joint) = (call.read, self.stand.joint);
        let mut octets = self.spare.take().unwrap_or_else(|| Box::new(Gathered::new(base, joint)));
        octets.begin(base, joint);
        let result = work(self, call, &mut octets);
        self.spare = Some(octets);
        result
    }

    /// Decodes octets of the word into the room of the call.
    pub(super) fn decode_octets(
        &mut self,
        call: &mut Call<'_>,
        octets: &[u8],
        end: bool,
    ) -> Progress<Malformed> {
        let decoder = self.decoders.get(self.stand.slot);
        decoder.resume(self.stand.inner);
        let progress = controls::decode(decoder, octets, call.room(), end, self.options.raw);
        self.stand.inner = decoder.state();
        progress
    }

    /// Goes on as far as the decoder of the charset has come; its fault is one of the source.
    pub(super) fn advance<const N: usize>(
        &mut self,
        call: &mut Call<'_>,
        octets: &Gathered<N>,
        progress: Progress<Malformed>,
    ) -> Step {
        call.written += progress.written;
        let read = progress.read;
        let Stop::Fault(fault) = progress.stop else {
            self.land(call, octets.after(read));
            return Ok(());
        };
        let something = fault.len > 0;
        self.land(call, if something { octets.start(read) } else { octets.after(read) });
        let mut then = Stand { inner: fault.then, ..self.stand };
        let mut next = 0;
        if fault.next > 0
            && let Some(landing) = octets.after(read + fault.next)
        {
            then = then.at(landing);
            next = landing.spot.at - call.read;
        }
        let to = octets.to(read..read + fault.len);
        let len = to.map_or(0, |to| to - call.read);
        Err(Stop::Fault(Malformed::new(len, fault.why, then.state()).stepping(next)))
    }

    fn land(&mut self, call: &mut Call<'_>, landing: Option<Landing>) {
        if let Some(landing) = landing {
            call.read = landing.spot.at;
            self.stand = self.stand.at(landing);
        }
    }
}
