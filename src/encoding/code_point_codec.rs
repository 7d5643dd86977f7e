//! The engine of all encodings that are read one value at a time and may hold 31-bit values.
//!
//! An encoding says as a [`Form`] how one value stands in bytes. The engine makes four codecs of
//! that: bytes to text and text to bytes, and, for values above U+10FFFF, the same two with
//! RFC 2044's 1 to 6 bytes in place of text. Text is UTF-8, which is the lower part of that form,
//! so one loop writes both; only the highest value differs.

pub(super) mod rfc2044;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod tests;

use super::{EncodingOptions, Ucs4Codecs};
use crate::codec::{ByteTransform, Checkpoint, Decoder, Encoder, Progress, State};
use crate::conversion_error::{Malformed, MalformedReason, Unmappable};

/// The highest value that text can hold.
pub(super) const MAX_UNICODE: u32 = 0x10_FFFF;
/// The highest value of ISO/IEC 10646 as first published, and of RFC 2044.
pub(super) const MAX_UCS4: u32 = 0x7FFF_FFFF;

/// How one value stands in bytes.
pub(super) trait CodePointFormat: Send + Sync {
    /// See [`Resume::window`].
    const MAX_LOOKAHEAD: usize;

    /// The highest value of the encoding, [`UNICODE`] or [`UCS`].
    fn max_value(&self) -> u32;

    /// Reads as many whole characters from the front of `src` into UTF-8 as a tight loop is
    /// certain of; says how many bytes were read and written. May do nothing.
    fn decode_run(&self, _src: &[u8], _dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        (0, 0)
    }

    /// Writes as many characters from the front of `text` as a tight loop has the space for; says
    /// how many bytes were read and written. May do nothing.
    fn encode_run(&self, _text: &str, _dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        (0, 0)
    }

    /// Reads what stands at the start of `src`, which is not empty; `end` says that nothing
    /// follows `src`. The state becomes that after the item, be it good or invalid.
    fn read_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult;

    /// Writes a value that is no surrogate and not above [`highest`](Form::highest) at the start
    /// of `dst`; says how many bytes that took, or nothing and leaves the state if there is too
    /// little space.
    fn write_one(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize>;

    /// Writes what the values so far have left unwritten, because none follows; says how many bytes
    /// that took, or nothing and leaves the state if there is too little space.
    fn finish(&self, _dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        Some(0)
    }
}

/// What stands at the start of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadResult {
    /// A value in `len` bytes. Surrogates and values that are too high are refused by the engine.
    CodePoint { value: u32, len: usize },
    /// So many bytes that mean no character, such as a byte order mark.
    Skip { len: usize },
    /// The beginning of something that is not all there yet. Never when nothing follows.
    NeedMore,
    /// So many bytes that are no character.
    Malformed { len: usize, reason: MalformedReason },
}

/// Bytes of the 31-bit pivot that are checked for text at a time: enough for a run, and few
/// enough to check again after each value that is none.
const INPUT_CHUNK: usize = 256;

/// The text at the start of the 31-bit pivot, or the beginning of it.
fn text(src: &[u8]) -> &str {
    let near = &src[..src.len().min(INPUT_CHUNK)];
    str::from_utf8(near)
        .unwrap_or_else(|error| str::from_utf8(&near[..error.valid_up_to()]).unwrap_or_default())
}

/// The 31-bit path of an encoding.
pub(super) const fn ucs4_codecs(
    holds: fn(&EncodingOptions) -> bool,
    decoder: fn(&EncodingOptions) -> Box<dyn ByteTransform>,
    encoder: fn(&EncodingOptions) -> Box<dyn ByteTransform>,
) -> Option<Ucs4Codecs> {
    Some(Ucs4Codecs { is_enabled: holds, decoder, encoder })
}

/// From the encoding to text, or to 1 to 6 bytes.
pub(super) struct FormatDecoder<F> {
    format: F,
    state: u64,
}

impl<F: CodePointFormat> FormatDecoder<F> {
    pub(super) fn new(form: F) -> FormatDecoder<F> {
        FormatDecoder { format: form, state: State::INITIAL.bits() }
    }

    /// Reads values up to `top`, which is what the pivot can hold.
    #[inline(always)]
    fn read(&mut self, src: &[u8], dst: &mut [u8], end: bool, top: u32) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let run = self.format.decode_run(&src[read..], &mut dst[written..], &mut self.state);
            read += run.0;
            written += run.1;
            if read == src.len() {
                return Progress::input_empty(read, written);
            }
            let mut then = self.state;
            let invalid = match self.format.read_one(&src[read..], end, &mut then) {
                ReadResult::CodePoint { value, len } => {
                    match above_limit(value, self.format.max_value(), top) {
                        Some(reason) => Some((len, reason)),
                        None => match rfc2044::put(value, &mut dst[written..]) {
                            Some(put) => {
                                read += len;
                                written += put;
                                None
                            }
                            None => return Progress::output_full(read, written),
                        },
                    }
                }
                ReadResult::Skip { len } => {
                    read += len;
                    None
                }
                ReadResult::NeedMore => return Progress::input_empty(read, written),
                ReadResult::Malformed { len, reason: why } => Some((len, why)),
            };
            if let Some((len, why)) = invalid {
                let error = Malformed::new(len, why, State::new(then));
                return Progress::error(read, written, error);
            }
            self.state = then;
        }
    }
}

/// Why a value cannot pass from an encoding that goes up to `highest` to a pivot that holds `top`.
fn above_limit(value: u32, highest: u32, top: u32) -> Option<MalformedReason> {
    match value {
        0xD800..=0xDFFF => Some(MalformedReason::Surrogate),
        _ if value > highest => Some(MalformedReason::OutOfRange),
        _ if value > top => Some(MalformedReason::AboveUnicode(value)),
        _ => None,
    }
}

/// From text, or from 1 to 6 bytes, to the encoding.
pub(super) struct FormatEncoder<F> {
    format: F,
    state: u64,
}

/// What stands at the start of the pivot.
enum NextValue<E> {
    Value { value: u32, len: usize },
    Input,
    Error(E),
}

impl<F: CodePointFormat> FormatEncoder<F> {
    pub(super) fn new(form: F) -> FormatEncoder<F> {
        FormatEncoder { format: form, state: State::INITIAL.bits() }
    }

    /// Writes runs of the text that `text` finds at each position, and what `next` finds there; it
    /// is told the state for its errors.
    #[inline(always)]
    fn write<'a, E>(
        &mut self,
        dst: &mut [u8],
        end: bool,
        text: impl Fn(usize) -> &'a str,
        next: impl Fn(usize, State) -> NextValue<E>,
    ) -> Progress<E> {
        let (mut read, mut written) = (0, 0);
        loop {
            let run = self.format.encode_run(text(read), &mut dst[written..], &mut self.state);
            read += run.0;
            written += run.1;
            match next(read, State::new(self.state)) {
                NextValue::Value { value, len } => {
                    let Some(put) =
                        self.format.write_one(value, &mut dst[written..], &mut self.state)
                    else {
                        return Progress::output_full(read, written);
                    };
                    read += len;
                    written += put;
                }
                NextValue::Input if end => {
                    return match self.format.finish(&mut dst[written..], &mut self.state) {
                        Some(put) => Progress::input_empty(read, written + put),
                        None => Progress::output_full(read, written),
                    };
                }
                NextValue::Input => return Progress::input_empty(read, written),
                NextValue::Error(error) => return Progress::error(read, written, error),
            }
        }
    }
}

impl<F: CodePointFormat> Checkpoint for FormatDecoder<F> {
    fn save_state(&self) -> State {
        State::new(self.state)
    }

    fn restore_state(&mut self, at: State) {
        self.state = at.bits();
    }

    fn max_lookahead(&self) -> usize {
        F::MAX_LOOKAHEAD
    }
}

impl<F: CodePointFormat> Checkpoint for FormatEncoder<F> {
    fn save_state(&self) -> State {
        State::new(self.state)
    }

    fn restore_state(&mut self, at: State) {
        self.state = at.bits();
    }

    fn max_lookahead(&self) -> usize {
        F::MAX_LOOKAHEAD
    }
}

impl<F: CodePointFormat> Decoder for FormatDecoder<F> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.read(src, dst, end, MAX_UNICODE)
    }
}

impl<F: CodePointFormat> ByteTransform for FormatDecoder<F> {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.read(src, dst, end, MAX_UCS4)
    }
}

impl<F: CodePointFormat> Encoder for FormatEncoder<F> {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let next = |at: usize, _| match src[at..].chars().next() {
            Some(character) => {
                NextValue::Value { value: u32::from(character), len: character.len_utf8() }
            }
            None => NextValue::Input,
        };
        self.write(dst, end, |at| &src[at..], next)
    }
}

impl<F: CodePointFormat> ByteTransform for FormatEncoder<F> {
    /// At error are only bytes that are not well-formed, and values that the options of the
    /// encoding exclude, which [`Wide::holds`] tells beforehand.
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let highest = self.format.max_value();
        let next = |at: usize, state| {
            let error = |len, reason| NextValue::Error(Malformed::new(len, reason, state));
            match rfc2044::take(&src[at..], end) {
                ReadResult::CodePoint { value, len } => match above_limit(value, highest, MAX_UCS4)
                {
                    None => NextValue::Value { value, len },
                    Some(why) => error(len, why),
                },
                ReadResult::Malformed { len, reason: why } => error(len, why),
                ReadResult::Skip { .. } | ReadResult::NeedMore => NextValue::Input,
            }
        };
        self.write(dst, end, |at| text(&src[at..]), next)
    }
}
