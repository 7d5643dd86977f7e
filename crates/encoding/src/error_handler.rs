//! Error handling in bulk, inside one call of a codec.
//!
//! A codec returns at each error, which is slow for input that consists of errors. If the caller
//! would do the same for each of them, the loops here write the replacement and continue. The codec
//! still decides what is an error, and the [`ErrorHandler`] what to write for it.

use crate::codec::{DecodeStage, EncodeStage, Progress, State, Status};
use crate::conversion_error::{ErrorClass, Malformed, MalformedReason, Unmappable};
use charpipe_kernel::utf8_replace::{MAX_REPLACEMENT_LEN, Replaced};

/// The maximum number of bytes between two errors that are frequent.
const MAX_FREQUENT_GAP: usize = 32;

/// Provides the replacements for errors, and counts the errors.
pub trait ErrorHandler {
    /// Determines the replacement for a malformed sequence. Returns false if the caller must handle
    /// the error.
    fn on_malformed(&mut self, bytes: &[u8], reason: MalformedReason) -> bool;

    /// Determines the replacement for a character. Returns false if the caller must handle the error.
    fn on_unmappable(&mut self, error: Unmappable) -> bool;

    /// Returns the replacement that was determined last.
    fn replacement(&self) -> &str;

    /// Returns the text to write for an unmappable character of a replacement.
    fn default_replacement(&self) -> &str;

    /// Returns whether the replacement is the same for all errors of this class.
    fn is_constant(&self) -> bool;

    /// Adds `count` errors for which the replacement was written.
    fn add_count(&mut self, count: usize);
}

/// Implements [`DecodeStage::decode_with_handler`] with statically dispatched calls.
#[inline]
pub(crate) fn decode_with_handler<D: DecodeStage + ?Sized>(
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
        if !repeated.handles_class(error.reason.class()) {
            let bytes = &rest[..error.len.min(rest.len())];
            let find = |handler: &mut dyn ErrorHandler| handler.on_malformed(bytes, error.reason);
            if repeated.resolve(ErrorFingerprint::from_bytes(bytes, error.reason), find).is_none() {
                return Progress::error(read, written, error);
            }
        }
        let Some(len) = repeated.write(output) else {
            // A larger output buffer may have space for the replacement.
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
        if count == 1 && progress.read < MAX_FREQUENT_GAP {
            if let Some(replacement) = repeated.replacement_of(ErrorClass::Malformed) {
                let done = decoder.decode_replacing(&src[read..], &mut dst[written..], replacement);
                read += done.read;
                written += done.written;
                repeated.uncounted += done.errors;
            }
        }
    }
}

/// Returns how many replacements of `len` bytes fit into `output`.
#[inline]
fn max_repeats(len: usize, output: &[u8]) -> usize {
    output.len().checked_div(len).unwrap_or(usize::MAX)
}

/// Returns how many times the malformed sequence at the start of `src` is repeated, at most `max()`.
#[inline]
fn run_length<D: DecodeStage + ?Sized>(
    decoder: &D,
    error: Malformed,
    src: &[u8],
    max: impl FnOnce() -> usize,
) -> usize {
    // Comparing one byte avoids the call for most errors.
    if error.resume_len != error.len || src.get(error.len) != src.first() {
        return 1;
    }
    let max_len = max().saturating_mul(error.len);
    decoder.repeat_count(&src[..src.len().min(max_len)], error)
}

/// Implements [`EncodeStage::encode_with_handler`] with statically dispatched calls.
#[inline]
pub(crate) fn encode_with_handler<E: EncodeStage + ?Sized>(
    encoder: &mut E,
    src: &str,
    dst: &mut [u8],
    end: bool,
    handler: &mut dyn ErrorHandler,
) -> Progress<Unmappable> {
    let (mut read, mut written) = (0, 0);
    let mut repeated = RepeatedErrors::new(handler);
    // The encoded replacement, if encoding it did not change this state.
    let mut encoded: Option<(State, FewBytes)> = None;
    loop {
        let progress = encoder.encode(&src[read..], &mut dst[written..], end);
        read += progress.read;
        written += progress.written;
        let Status::Error(error) = progress.status else {
            return Progress { read, written, status: progress.status };
        };
        if !repeated.handles_class(ErrorClass::Unmappable) {
            let find = |handler: &mut dyn ErrorHandler| handler.on_unmappable(error);
            match repeated.resolve(ErrorFingerprint::Character(error), find) {
                None => return Progress::error(read, written, error),
                Some(true) => encoded = None,
                Some(false) => {}
            }
        }
        let (state, output) = (encoder.save_state(), &mut dst[written..]);
        let cached = encoded.filter(|(at, _)| *at == state);
        let cached_len = cached.and_then(|(_, bytes)| bytes.write(output));
        let Some(len) =
            cached_len.or_else(|| encode_replacement(encoder, repeated.handler, output))
        else {
            return Progress::error(read, written, error);
        };
        read += error.character.len_utf8();
        written += len;
        repeated.uncounted += 1;
        if encoder.save_state() != state {
            continue;
        }
        if cached_len.is_none() {
            encoded = FewBytes::new(&output[..len]).map(|bytes| (state, bytes));
        }
        let is_frequent = progress.read < MAX_FREQUENT_GAP;
        if is_frequent && repeated.handles_class(ErrorClass::Unmappable) {
            if let Some((_, replacement)) = encoded {
                let done = encoder.encode_replacing(&src[read..], &mut dst[written..], replacement);
                read += done.read;
                written += done.written;
                repeated.uncounted += done.errors;
            }
        }
    }
}

/// Encodes the replacement. Returns the number of bytes written, or `None` and the old state if it
/// does not fit or the encoder buffers a part of it.
fn encode_replacement<E: EncodeStage + ?Sized>(
    encoder: &mut E,
    handler: &dyn ErrorHandler,
    output: &mut [u8],
) -> Option<usize> {
    let before = encoder.save_state();
    let (text, default) = (handler.replacement(), handler.default_replacement());
    let written = encode_replacement_lossy(encoder, text, default, output);
    if written.is_none() {
        encoder.restore_state(before);
    }
    written
}

/// Encodes `text`, and `default_replacement` for each unmappable character of it.
fn encode_replacement_lossy<E: EncodeStage + ?Sized>(
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

/// The code of a character.
pub(crate) enum CharacterCode {
    /// The bytes, and their number.
    Bytes([u8; SHORT_LEN], usize),
    /// It is unmappable, whatever follows.
    None,
    /// It depends on what follows, or is too long.
    Unknown,
}

/// The number of characters without errors after which errors are no longer frequent.
const MAX_CLEAN_CHARACTERS: usize = 64;

/// Implements [`EncodeStage::encode_replacing`] with a function that returns the code of a character, given
/// the text from it on.
#[inline(always)]
pub(crate) fn replace_unmappable(
    src: &str,
    dst: &mut [u8],
    replacement: FewBytes,
    mut code_of: impl FnMut(char, &str) -> CharacterCode,
) -> Replaced {
    let (mut done, mut clean_characters) = (Replaced::default(), 0);
    let mut characters = src.chars();
    loop {
        let text = characters.as_str();
        let (Some(character), Some(space)) =
            (characters.next(), dst[done.written..].first_chunk_mut())
        else {
            return done;
        };
        let (bytes, len) = match code_of(character, text) {
            CharacterCode::Bytes(bytes, len) => {
                clean_characters += 1;
                (bytes, len)
            }
            CharacterCode::None => {
                clean_characters = 0;
                done.errors += 1;
                (replacement.bytes, replacement.len)
            }
            CharacterCode::Unknown => return done,
        };
        *space = bytes;
        done.read += character.len_utf8();
        done.written += len;
        if clean_characters == MAX_CLEAN_CHARACTERS {
            return done;
        }
    }
}

/// Caches the replacement for consecutive errors that have the same one.
struct RepeatedErrors<'a> {
    handler: &'a mut dyn ErrorHandler,
    /// The class of errors that all have the cached replacement.
    class: Option<ErrorClass>,
    /// The error that the cached replacement is for, if other errors may have others.
    fingerprint: Option<ErrorFingerprint>,
    /// The replacement, if it is short.
    short_replacement: Option<FewBytes>,
    /// The number of handled errors that have not been counted yet.
    uncounted: usize,
}

/// The parts of an error that a replacement may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorFingerprint {
    Character(Unmappable),
    /// A short malformed sequence: its bytes, their number and the reason.
    Bytes([u8; SHORT_LEN], usize, MalformedReason),
    /// A long malformed sequence, which is not compared.
    Long(ErrorClass),
}

impl ErrorFingerprint {
    #[inline]
    fn from_bytes(bytes: &[u8], reason: MalformedReason) -> ErrorFingerprint {
        let mut short = [0; SHORT_LEN];
        match short.get_mut(..bytes.len()) {
            Some(prefix) => {
                prefix.copy_from_slice(bytes);
                ErrorFingerprint::Bytes(short, bytes.len(), reason)
            }
            None => ErrorFingerprint::Long(reason.class()),
        }
    }

    const fn class(self) -> ErrorClass {
        match self {
            ErrorFingerprint::Character(_) => ErrorClass::Unmappable,
            ErrorFingerprint::Bytes(_, _, reason) => reason.class(),
            ErrorFingerprint::Long(class) => class,
        }
    }
}

impl<'a> RepeatedErrors<'a> {
    fn new(handler: &'a mut dyn ErrorHandler) -> RepeatedErrors<'a> {
        RepeatedErrors {
            handler,
            class: None,
            fingerprint: None,
            short_replacement: None,
            uncounted: 0,
        }
    }

    /// Returns whether the cached replacement is for all errors of this class.
    #[inline]
    fn handles_class(&self, class: ErrorClass) -> bool {
        self.class == Some(class)
    }

    /// Returns the cached replacement if it is short and for all errors of this class.
    #[inline]
    fn replacement_of(&self, class: ErrorClass) -> Option<FewBytes> {
        self.short_replacement.filter(|_| self.handles_class(class))
    }

    /// Determines the replacement for an error with `find`, unless the error equals the previous
    /// one. Returns whether `find` was called, or `None` if the caller must handle the error.
    #[inline]
    fn resolve(
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
        self.short_replacement = FewBytes::new(self.handler.replacement().as_bytes());
        match fingerprint {
            _ if self.handler.is_constant() => self.class = Some(fingerprint.class()),
            ErrorFingerprint::Long(_) => {}
            _ => self.fingerprint = Some(fingerprint),
        }
        Some(true)
    }

    /// Writes the replacement. Returns the number of bytes written, or `None` if it does not fit.
    #[inline]
    fn write(&self, output: &mut [u8]) -> Option<usize> {
        match self.short_replacement {
            Some(bytes) => bytes.write(output),
            None => write_bytes(self.handler.replacement().as_bytes(), output),
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

/// The maximum length of [`FewBytes`]: what a single store writes.
const SHORT_LEN: usize = MAX_REPLACEMENT_LEN;

/// A short byte string that is written repeatedly.
#[derive(Debug, Clone, Copy)]
pub struct FewBytes {
    /// The bytes, followed by zeros.
    pub(crate) bytes: [u8; SHORT_LEN],
    /// The number of bytes, at most 8.
    pub(crate) len: usize,
}

impl FewBytes {
    /// Returns a copy of `short`, or `None` if it is longer than 8 bytes.
    pub fn new(short: &[u8]) -> Option<FewBytes> {
        let mut bytes = [0; SHORT_LEN];
        bytes.get_mut(..short.len())?.copy_from_slice(short);
        Some(FewBytes { bytes, len: short.len() })
    }

    /// Writes the bytes. Returns their number, or `None` if they do not fit.
    #[inline]
    pub(crate) fn write(&self, output: &mut [u8]) -> Option<usize> {
        match output.first_chunk_mut() {
            // Bytes after the end of the output are unspecified, and a constant length is faster.
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

/// Repeats the first `len` bytes of `output` until they occur `count` times. Returns the number of
/// bytes written.
#[inline]
fn fill_repeated(output: &mut [u8], len: usize, count: usize) -> usize {
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
