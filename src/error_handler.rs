//! Errors that are answered without the call being left.
//!
//! A codec stops at each error, which is dear where there is nothing but errors. For a caller that
//! would do about each what it has done about the one before, the loops here go on instead. They
//! stand outside the codecs: what is an error, and what to write, is said by others.

use crate::codec::{Decoder, Encoder, Progress, State, Status};
use crate::conversion_error::{ErrorClass, Malformed, MalformedReason, Unmappable};

/// Has the answers to errors, and counts them.
pub trait ErrorHandler {
    /// Finds the answer to bytes that are no character; says whether there is one to be written by
    /// the codec's side.
    fn on_malformed(&mut self, bytes: &[u8], reason: MalformedReason) -> bool;

    /// Finds the answer to a character.
    fn on_unmappable(&mut self, error: Unmappable) -> bool;

    /// The answer that was found last.
    fn replacement(&self) -> &str;

    /// What takes the position of a character of the answer that the target lacks as well.
    fn default_replacement(&self) -> &str;

    /// Whether it is the answer to all errors of its kind.
    fn is_constant(&self) -> bool;

    /// It has been written, so many times.
    fn add_count(&mut self, count: usize);
}

/// What [`Decoder::mend`] does, with calls that the compiler sees through.
#[inline]
pub(crate) fn decode_with_handler<D: Decoder + ?Sized>(
    decoder: &mut D,
    src: &[u8],
    dst: &mut [u8],
    end: bool,
    handler: &mut dyn ErrorHandler,
) -> Progress<Malformed> {
    let (mut read, mut written) = (0, 0);
    let mut repeated = RepeatedErrors::new(handler);
    loop {
        let progress = decoder.decode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Status::Error(error) = progress.status else {
            return Progress { read, written, status: progress.status };
        };
        let (rest, output) = (&src[read..], &mut dst[written..]);
        let kind = error.reason.class();
        if !repeated.handles_class(kind) {
            let bytes = &rest[..error.len.min(rest.len())];
            let find = |error_handler: &mut dyn ErrorHandler| {
                error_handler.on_malformed(bytes, error.reason)
            };
            if repeated.resolve(ErrorFingerprint::from_bytes(bytes, error.reason), find).is_none() {
                return Progress::error(read, written, error);
            }
        }
        let Some(len) = repeated.write(output) else {
            // There will be space when this has gone, if there ever is.
            return match written {
                0 => Progress::error(read, written, error),
                _ => Progress::output_full(read, written),
            };
        };
        let count = run_length(decoder, error, rest, || max_repeats(len, output));
        written += fill_repeated(output, len, count);
        repeated.uncounted += count;
        read += count * error.resume_len;
        decoder.restore_state(error.resume_state);
    }
}

/// How many answers of this length there is space for.
#[inline]
fn max_repeats(len: usize, output: &[u8]) -> usize {
    output.len().checked_div(len).unwrap_or(usize::MAX)
}

/// How many times an error at the start of `src` stands there in a row, up to `most`.
#[inline]
fn run_length<D: Decoder + ?Sized>(
    decoder: &D,
    error: Malformed,
    src: &[u8],
    max: impl FnOnce() -> usize,
) -> usize {
    // A glance spares most errors the question.
    if error.resume_len != error.len || src.get(error.len) != src.first() {
        return 1;
    }
    let most = max().saturating_mul(error.len);
    decoder.repeat_count(&src[..src.len().min(most)], error)
}

/// What [`Encoder::mend`] does, with calls that the compiler sees through.
#[inline]
pub(crate) fn encode_with_handler<E: Encoder + ?Sized>(
    encoder: &mut E,
    src: &str,
    dst: &mut [u8],
    end: bool,
    handler: &mut dyn ErrorHandler,
) -> Progress<Unmappable> {
    let (mut read, mut written) = (0, 0);
    let mut repeated = RepeatedErrors::new(handler);
    // What the answer was encoded to, in a state that it left as it was.
    let mut stamp: Option<(State, ShortBytes)> = None;
    loop {
        let progress = encoder.encode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Status::Error(error) = progress.status else {
            return Progress { read, written, status: progress.status };
        };
        if !repeated.handles_class(ErrorClass::Unmappable) {
            match repeated.resolve(ErrorFingerprint::Character(error), |error_handler| {
                error_handler.on_unmappable(error)
            }) {
                None => return Progress::error(read, written, error),
                Some(true) => stamp = None,
                Some(false) => {}
            }
        }
        let (state, output) = (encoder.save_state(), &mut dst[written..]);
        let known = stamp.filter(|(at, _)| *at == state).and_then(|(_, stamp)| stamp.write(output));
        let Some(len) = known.or_else(|| encode_replacement(encoder, &repeated, output)) else {
            return Progress::error(read, written, error);
        };
        let mut count = 1;
        read += error.character.len_utf8();
        if encoder.save_state() == state {
            if known.is_none() {
                stamp = ShortBytes::new(&output[..len]).map(|stamp| (state, stamp));
            }
            if repeated.handles_class(ErrorClass::Unmappable) {
                let (characters, bytes) =
                    encoder.unmappable_prefix(&src[read..], max_repeats(len, output) - 1);
                count += characters;
                read += bytes;
            }
        }
        written += fill_repeated(output, len, count);
        repeated.uncounted += count;
    }
}

/// Encodes an answer. Bytes written, or nothing if there is no space or something is held back.
fn encode_replacement<E: Encoder + ?Sized>(
    encoder: &mut E,
    repeated: &RepeatedErrors<'_>,
    output: &mut [u8],
) -> Option<usize> {
    let before = encoder.save_state();
    let written = encode_replacement_lossy(
        encoder,
        repeated.replacement(),
        repeated.default_replacement(),
        output,
    );
    if written.is_none() {
        encoder.restore_state(before);
    }
    written
}

/// Encodes a text, and the fallback in place of each character that is lacking.
fn encode_replacement_lossy<E: Encoder + ?Sized>(
    encoder: &mut E,
    mut text: &str,
    default_replacement: &str,
    output: &mut [u8],
) -> Option<usize> {
    let mut written = 0;
    while !text.is_empty() {
        let progress = encoder.encode(text, &mut output[written..], false);
        text = &text[progress.read..];
        written += progress.written;
        match progress.status {
            Status::Error(error) => {
                text = &text[error.character.len_utf8()..];
                let replacement_progress =
                    encoder.encode(default_replacement, &mut output[written..], false);
                written += replacement_progress.written;
                if replacement_progress.read < default_replacement.len() {
                    return None;
                }
            }
            _ if text.is_empty() => {}
            Status::InputEmpty | Status::OutputFull => return None,
        }
    }
    Some(written)
}

/// What [`Encoder::lacks`] answers, where each character by itself is lacking or not.
#[inline]
pub(crate) fn count_while(
    src: &str,
    max: usize,
    is_unmappable: impl Fn(char) -> bool,
) -> (usize, usize) {
    let mut rest = src.chars();
    let unmappable_run = rest.by_ref().take(max).take_while(|character| is_unmappable(*character));
    unmappable_run
        .fold((0, 0), |(count, bytes), character| (count + 1, bytes + character.len_utf8()))
}

// Errors in a row that have one answer.

/// Errors in a row that have one answer, which is requested once.
pub struct RepeatedErrors<'a> {
    handler: &'a mut dyn ErrorHandler,
    /// The kind of error that all have the answer that was found last, if that is so.
    class: Option<ErrorClass>,
    /// The error that it was found for, if only what is like it has the same.
    fingerprint: Option<ErrorFingerprint>,
    /// The answer, if it is short.
    short_replacement: Option<ShortBytes>,
    /// Errors answered so and not counted yet.
    pub uncounted: usize,
}

/// An error, as far as an answer may depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFingerprint {
    Character(Unmappable),
    /// The bytes, if they are few; so many, and why they are none.
    Bytes([u8; SHORT_LEN], usize, MalformedReason),
    /// It may differ from any other.
    Long(ErrorClass),
}

impl ErrorFingerprint {
    /// These bytes.
    #[inline]
    pub fn from_bytes(bytes: &[u8], reason: MalformedReason) -> ErrorFingerprint {
        let mut few = [0; SHORT_LEN];
        match few.get_mut(..bytes.len()) {
            Some(front) => {
                front.copy_from_slice(bytes);
                ErrorFingerprint::Bytes(few, bytes.len(), reason)
            }
            None => ErrorFingerprint::Long(reason.class()),
        }
    }

    const fn class(self) -> ErrorClass {
        match self {
            ErrorFingerprint::Character(_) => ErrorClass::Unmappable,
            ErrorFingerprint::Bytes(_, _, reason) => reason.class(),
            ErrorFingerprint::Long(kind) => kind,
        }
    }
}

impl<'a> RepeatedErrors<'a> {
    pub fn new(handler: &'a mut dyn ErrorHandler) -> RepeatedErrors<'a> {
        RepeatedErrors {
            handler,
            class: None,
            fingerprint: None,
            short_replacement: None,
            uncounted: 0,
        }
    }

    /// Whether the answer is known to be that to all errors of this kind.
    #[inline]
    pub fn handles_class(&self, kind: ErrorClass) -> bool {
        self.class == Some(kind)
    }

    /// Has the answer to an error found, if it is not that to the one before; says whether there is
    /// one to be written here, and whether it was found again.
    #[inline]
    pub fn resolve(
        &mut self,
        fingerprint: ErrorFingerprint,
        find: impl FnOnce(&mut dyn ErrorHandler) -> bool,
    ) -> Option<bool> {
        if self.fingerprint == Some(fingerprint) {
            return Some(false);
        }
        self.flush_count();
        (self.class, self.fingerprint) = (None, None);
        if !find(self.handler) {
            return None;
        }
        self.short_replacement = ShortBytes::new(self.handler.replacement().as_bytes());
        match fingerprint {
            _ if self.handler.is_constant() => self.class = Some(fingerprint.class()),
            ErrorFingerprint::Long(_) => {}
            _ => self.fingerprint = Some(fingerprint),
        }
        Some(true)
    }

    /// The answer that was found last.
    pub fn replacement(&self) -> &str {
        self.handler.replacement()
    }

    /// What takes the position of a character of the answer that is lacking too.
    pub fn default_replacement(&self) -> &str {
        self.handler.default_replacement()
    }

    /// Writes the answer that was found last, if there is space. Bytes written.
    #[inline]
    pub fn write(&self, output: &mut [u8]) -> Option<usize> {
        match self.short_replacement {
            Some(stamp) => stamp.write(output),
            None => write_bytes(self.replacement().as_bytes(), output),
        }
    }

    fn flush_count(&mut self) {
        if self.uncounted > 0 {
            self.handler.add_count(self.uncounted);
            self.uncounted = 0;
        }
    }
}

impl Drop for RepeatedErrors<'_> {
    fn drop(&mut self) {
        self.flush_count();
    }
}

/// The most bytes of a stamp: what one store writes.
const SHORT_LEN: usize = 8;

/// A few bytes that are written again and again.
#[derive(Clone, Copy)]
pub struct ShortBytes {
    bytes: [u8; SHORT_LEN],
    len: usize,
}

impl ShortBytes {
    /// A stamp of these bytes, if they are few.
    pub fn new(few: &[u8]) -> Option<ShortBytes> {
        let mut bytes = [0; SHORT_LEN];
        bytes.get_mut(..few.len())?.copy_from_slice(few);
        Some(ShortBytes { bytes, len: few.len() })
    }

    /// Writes it, if there is space. Bytes written.
    #[inline]
    pub fn write(&self, output: &mut [u8]) -> Option<usize> {
        match output.first_chunk_mut() {
            // What stands after them has no meaning, and a length that is known is faster.
            Some(space) => {
                *space = self.bytes;
                Some(self.len)
            }
            None => write_bytes(&self.bytes[..self.len], output),
        }
    }
}

fn write_bytes(bytes: &[u8], output: &mut [u8]) -> Option<usize> {
    output.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}

/// Has the first `len` bytes stand so many times, for which there is space. Bytes written.
#[inline]
pub fn fill_repeated(output: &mut [u8], len: usize, count: usize) -> usize {
    if count == 1 {
        return len;
    }
    let (all, mut done) = (count * len, len);
    while done < all {
        let more = done.min(all - done);
        output.copy_within(..more, done);
        done += more;
    }
    all
}
