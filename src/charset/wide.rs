//! The engine of all charsets that are read one value at a time and may hold 31-bit values.
//!
//! A charset says as a [`Form`] how one value stands in octets. The engine makes four codecs of
//! that: octets to text and text to octets, and, for values above U+10FFFF, the same two with
//! RFC 2044's 1 to 6 octets in place of text. Text is UTF-8, which is the lower part of that form,
//! so one loop writes both; only the highest value differs.

pub(super) mod octets;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod tests;

use super::{Settings, Wide};
use crate::codec::{Decoder, Encoder, Progress, Resume, State, Surface};
use crate::fault::{Malformed, Unmappable, Why};

/// The highest value that text can hold.
pub(super) const UNICODE: u32 = 0x10_FFFF;
/// The highest value of ISO/IEC 10646 as first published, and of RFC 2044.
pub(super) const UCS: u32 = 0x7FFF_FFFF;

/// How one value stands in octets.
pub(super) trait Form: Send + Sync {
    /// See [`Resume::window`].
    const WINDOW: usize;

    /// The highest value of the charset, [`UNICODE`] or [`UCS`].
    fn highest(&self) -> u32;

    /// Reads as many whole characters from the front of `src` into UTF-8 as a tight loop is
    /// certain of; says how many octets were read and written. May do nothing.
    fn read_run(&self, _src: &[u8], _dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        (0, 0)
    }

    /// Writes as many characters from the front of `text` as a tight loop has the room for; says
    /// how many octets were read and written. May do nothing.
    fn write_run(&self, _text: &str, _dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        (0, 0)
    }

    /// Reads what stands at the front of `src`, which is not empty; `end` says that nothing
    /// follows `src`. The state becomes that behind the item, be it good or bad.
    fn take(&self, src: &[u8], end: bool, state: &mut u64) -> Taken;

    /// Writes a value that is no surrogate and not above [`highest`](Form::highest) at the front
    /// of `dst`; says how many octets that took, or nothing and leaves the state if there is too
    /// little room.
    fn put(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize>;

    /// Writes what the values so far have left unwritten, because none follows; says how many bytes
    /// that took, or nothing and leaves the state if there is too little space.
    fn finish(&self, _dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        Some(0)
    }
}

/// What stands at the front of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// A value in `len` octets. Surrogates and values that are too high are refused by the engine.
    Value { value: u32, len: usize },
    /// So many octets that mean no character, such as a byte order mark.
    Nothing { len: usize },
    /// The beginning of something that is not all there yet. Never when nothing follows.
    More,
    /// So many octets that are no character.
    Bad { len: usize, why: Why },
}

/// Octets of the 31-bit pivot that are checked for text at a time: enough for a run, and few
/// enough to check again behind each value that is none.
const NEAR: usize = 256;

/// The text at the front of the 31-bit pivot, or the beginning of it.
fn text(src: &[u8]) -> &str {
    let near = &src[..src.len().min(NEAR)];
    str::from_utf8(near)
        .unwrap_or_else(|error| str::from_utf8(&near[..error.valid_up_to()]).unwrap_or_default())
}

/// The 31-bit path of a charset.
pub(super) const fn wide(
    holds: fn(&Settings) -> bool,
    decoder: fn(&Settings) -> Box<dyn Surface>,
    encoder: fn(&Settings) -> Box<dyn Surface>,
) -> Option<Wide> {
    Some(Wide { holds, decoder, encoder })
}

/// From the charset to text, or to 1 to 6 octets.
pub(super) struct Reader<F> {
    form: F,
    state: u64,
}

impl<F: Form> Reader<F> {
    pub(super) fn new(form: F) -> Reader<F> {
        Reader { form, state: State::START.bits() }
    }

    /// Reads values up to `top`, which is what the pivot can hold.
    #[inline(always)]
    fn read(&mut self, src: &[u8], dst: &mut [u8], end: bool, top: u32) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let run = self.form.read_run(&src[read..], &mut dst[written..], &mut self.state);
            read += run.0;
            written += run.1;
            if read == src.len() {
                return Progress::input(read, written);
            }
            let mut then = self.state;
            let bad = match self.form.take(&src[read..], end, &mut then) {
                Taken::Value { value, len } => match refusal(value, self.form.highest(), top) {
                    Some(why) => Some((len, why)),
                    None => match octets::put(value, &mut dst[written..]) {
                        Some(put) => {
                            read += len;
                            written += put;
                            None
                        }
                        None => return Progress::output(read, written),
                    },
                },
                Taken::Nothing { len } => {
                    read += len;
                    None
                }
                Taken::More => return Progress::input(read, written),
                Taken::Bad { len, why } => Some((len, why)),
            };
            if let Some((len, why)) = bad {
                let fault = Malformed::new(len, why, State::new(then));
                return Progress::fault(read, written, fault);
            }
            self.state = then;
        }
    }
}

/// Why a value cannot pass from a charset that goes up to `highest` to a pivot that holds `top`.
fn refusal(value: u32, highest: u32, top: u32) -> Option<Why> {
    match value {
        0xD800..=0xDFFF => Some(Why::Surrogate),
        _ if value > highest => Some(Why::OutOfRange),
        _ if value > top => Some(Why::Beyond(value)),
        _ => None,
    }
}

/// From text, or from 1 to 6 octets, to the charset.
pub(super) struct Writer<F> {
    form: F,
    state: u64,
}

/// What stands at the front of the pivot.
enum Next<E> {
    Value { value: u32, len: usize },
    Input,
    Fault(E),
}

impl<F: Form> Writer<F> {
    pub(super) fn new(form: F) -> Writer<F> {
        Writer { form, state: State::START.bits() }
    }

    /// Writes runs of the text that `text` finds at each place, and what `next` finds there; it
    /// is told the state for its faults.
    #[inline(always)]
    fn write<'a, E>(
        &mut self,
        dst: &mut [u8],
        end: bool,
        text: impl Fn(usize) -> &'a str,
        next: impl Fn(usize, State) -> Next<E>,
    ) -> Progress<E> {
        let (mut read, mut written) = (0, 0);
        loop {
            let run = self.form.write_run(text(read), &mut dst[written..], &mut self.state);
            read += run.0;
            written += run.1;
            match next(read, State::new(self.state)) {
                Next::Value { value, len } => {
                    let Some(put) = self.form.put(value, &mut dst[written..], &mut self.state)
                    else {
                        return Progress::output(read, written);
                    };
                    read += len;
                    written += put;
                }
                Next::Input if end => {
                    return match self.form.finish(&mut dst[written..], &mut self.state) {
                        Some(put) => Progress::input(read, written + put),
                        None => Progress::output(read, written),
                    };
                }
                Next::Input => return Progress::input(read, written),
                Next::Fault(fault) => return Progress::fault(read, written, fault),
            }
        }
    }
}

impl<F: Form> Resume for Reader<F> {
    fn state(&self) -> State {
        State::new(self.state)
    }

    fn resume(&mut self, at: State) {
        self.state = at.bits();
    }

    fn window(&self) -> usize {
        F::WINDOW
    }
}

impl<F: Form> Resume for Writer<F> {
    fn state(&self) -> State {
        State::new(self.state)
    }

    fn resume(&mut self, at: State) {
        self.state = at.bits();
    }

    fn window(&self) -> usize {
        F::WINDOW
    }
}

impl<F: Form> Decoder for Reader<F> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.read(src, dst, end, UNICODE)
    }
}

impl<F: Form> Surface for Reader<F> {
    fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.read(src, dst, end, UCS)
    }
}

impl<F: Form> Encoder for Writer<F> {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let next = |at: usize, _| match src[at..].chars().next() {
            Some(character) => {
                Next::Value { value: u32::from(character), len: character.len_utf8() }
            }
            None => Next::Input,
        };
        self.write(dst, end, |at| &src[at..], next)
    }
}

impl<F: Form> Surface for Writer<F> {
    /// At fault are only octets that are not well-formed, and values that the settings of the
    /// charset exclude, which [`Wide::holds`] tells beforehand.
    fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let highest = self.form.highest();
        let next = |at: usize, state| {
            let fault = |len, why| Next::Fault(Malformed::new(len, why, state));
            match octets::take(&src[at..], end) {
                Taken::Value { value, len } => match refusal(value, highest, UCS) {
                    None => Next::Value { value, len },
                    Some(why) => fault(len, why),
                },
                Taken::Bad { len, why } => fault(len, why),
                Taken::Nothing { .. } | Taken::More => Next::Input,
            }
        };
        self.write(dst, end, |at| text(&src[at..]), next)
    }
}
