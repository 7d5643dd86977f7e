//! The traits of decoders and encoders, and their contract.
//!
//! A codec converts part of its input into part of its output, in buffers that the caller owns. It
//! returns the number of bytes read, the number of bytes written and a [`Status`]. It does not
//! allocate, does no I/O, does not apply an error policy and never panics. Everything that it keeps
//! between two calls fits in a [`State`], so a caller can save the state and convert the same bytes
//! again. That is how the position of an error is found without recording offsets during conversion.
//!
//! # The eight clauses
//!
//! 1. **Progress.** With an output buffer of [`max_lookahead()`](Checkpoint::max_lookahead) bytes a
//!    call reads or writes something, or returns [`Status::InputEmpty`] or [`Status::Error`].
//! 2. **Atomicity.** Bytes read, bytes written and the state change together or not at all. Only
//!    with an error may an encoder that looks ahead record in its state what it has found, to avoid
//!    looking again; that changes no result.
//! 3. **Lookahead.** [`Status::InputEmpty`] leaves at most `max_lookahead()` bytes unread, and none
//!    if `end` is true.
//! 4. **Whole characters.** The output of a decoder is valid UTF-8 at every return.
//! 5. **Errors are not consumed.** `src[read..read + len]` is the malformed sequence, and the state
//!    is the one before it. The error says where to resume: at `read + resume_len`, in
//!    `resume_state`. A codec never writes U+FFFD or `?` by itself.
//! 6. **Purity.** No allocation, no I/O, no error policy and no panic in a call. Construction may
//!    allocate.
//! 7. **Replay.** The same state and the same bytes give the same result.
//! 8. **End.** With `end` and no input left a call flushes (shifts back, pads), and may be repeated
//!    until it returns [`Status::InputEmpty`].
//!
//! # Frequent errors
//!
//! [`decode_with_handler`](DecodeStage::decode_with_handler) and
//! [`encode_with_handler`](EncodeStage::encode_with_handler) are loops over single calls, with an
//! [`ErrorHandler`], and compiled into each codec. [`Replacements`] keep what the handler has determined:
//! a replacement for all errors of a class, or those of the last errors. After an error a codec
//! receives few bytes, which it converts without a kernel.
//!
//! A call costs as much as ten characters, which is too much if every other one is an error. With
//! [`decode_replacing`](DecodeStage::decode_replacing) and [`encode_replacing`](EncodeStage::encode_replacing)
//! a codec converts one character after the other, and writes replacements in between. A codec needs only a
//! function that converts one character; UTF-8, UTF-16 and Latin-1 replace blocks if all replacements are the
//! same. [`repeat_count`](DecodeStage::repeat_count) finds runs of the same byte. The results are those
//! of calls that stop at each error. The three may handle fewer errors than they could; the default
//! implementations handle none. `docs/speed.md` compares them with `iconv -c`.
//!
//! `tests/contract/` checks every registered codec against each clause, and its handling of errors against single
//! calls.

use crate::conversion_error::{Malformed, Unmappable};
use crate::error_handler;
pub use crate::error_handler::{ErrorHandler, ReplacementCache, Replacements};

/// The result of one call: the numbers of bytes read and written, and why it returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Progress<E> {
    /// The number of bytes read from `src`.
    pub read: usize,
    /// The number of bytes written to `dst`. The contents of `dst` after them are unspecified.
    pub written: usize,
    /// Why the call returned.
    pub status: Status<E>,
}

/// Why a call returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status<E> {
    /// The input is exhausted, or the bytes left do not make a complete unit yet.
    InputEmpty,
    /// The output buffer has no space for the next unit.
    OutputFull,
    /// The next bytes or the next character cannot be converted.
    Error(E),
}

impl<E> Progress<E> {
    /// Returns a result with the status [`Status::InputEmpty`].
    pub const fn input_empty(read: usize, written: usize) -> Self {
        Progress { read, written, status: Status::InputEmpty }
    }

    /// Returns a result with the status [`Status::OutputFull`].
    pub const fn output_full(read: usize, written: usize) -> Self {
        Progress { read, written, status: Status::OutputFull }
    }

    /// Returns a result with the status [`Status::Error`].
    pub const fn error(read: usize, written: usize, error: E) -> Self {
        Progress { read, written, status: Status::Error(error) }
    }
}

impl<E> Progress<E> {
    /// Returns the result of a call with the whole input, of `len` bytes.
    #[inline]
    pub fn of_whole_input(&self, len: usize) -> WholeResult {
        match self.status {
            Status::InputEmpty if self.read == len => WholeResult::Written(self.written),
            Status::OutputFull => WholeResult::OutputFull,
            _ => WholeResult::Other,
        }
    }
}

/// The result of a call with the whole input, in few bytes: to copy a [`Progress`] takes as long as to
/// convert some characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeResult {
    /// All has been read, and this number of bytes written.
    Written(usize),
    /// The output buffer had no space for the next unit.
    OutputFull,
    /// The next bytes or the next character cannot be converted, or the input is incomplete.
    Other,
}

/// The state of a codec between two calls: 64 bits of its own, and 64 bits of a nested codec.
///
/// The meaning of the bits is private to the codec. [`State::INITIAL`] is the state of every codec
/// before its first call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct State {
    bits: u64,
    inner: u64,
}

impl State {
    /// The state of a codec before its first call.
    pub const INITIAL: State = State::new(0);

    /// Returns a state with the given bits and no nested state.
    pub const fn new(bits: u64) -> State {
        State { bits, inner: 0 }
    }

    /// Returns the bits of this state.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Returns this state with the state of a nested codec, which must have no nested codec itself.
    pub const fn with_inner(self, inner: State) -> State {
        State { bits: self.bits, inner: inner.bits }
    }

    /// Returns the state of the nested codec.
    pub const fn inner(self) -> State {
        State::new(self.inner)
    }
}

/// A codec whose state can be saved and restored. A stateless codec needs neither method.
pub trait Checkpoint: Send + Sync {
    /// Returns the current state.
    fn save_state(&self) -> State {
        State::INITIAL
    }

    /// Restores a state that [`save_state`](Checkpoint::save_state) returned or an error contains.
    fn restore_state(&mut self, _state: State) {}

    /// Returns the output buffer size, in bytes, that always allows progress. It is also the maximum
    /// number of bytes that a call may leave unread while it needs more input. At most 64 for the
    /// encodings, and at most 4,096 for the transforms and for lists of encodings.
    fn max_lookahead(&self) -> usize;
}

/// Converts bytes to bytes: a transfer encoding, or one half of the UCS-4 path.
pub trait ByteTransform: Checkpoint {
    /// Converts as much of `src` as fits into `dst`. `end` means that no input follows `src`.
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed>;
}

/// Converts bytes to UTF-8.
pub trait DecodeStage: Checkpoint {
    /// Decodes as much of `src` as fits into `dst`, which is valid UTF-8 up to `written`. `end`
    /// means that no input follows `src`.
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed>;

    /// Decodes like [`decode`](DecodeStage::decode), but writes the replacement that `handler` returns
    /// for an error and continues. Returns an error only if the handler has no replacement for it.
    fn decode_with_handler(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
        handler: &mut dyn ErrorHandler,
    ) -> Progress<Malformed> {
        error_handler::decode_with_handler(self, src, dst, end, handler)
    }

    /// Returns how many times the malformed sequence at the start of `src` is repeated there without
    /// a gap, at least 1. May return less than the true number.
    fn repeat_count(&self, _src: &[u8], _error: Malformed) -> usize {
        1
    }

    /// Decodes like [`decode`](DecodeStage::decode), but writes the replacement for each malformed sequence
    /// and continues, as long as errors are frequent and have one. May stop between any two characters or
    /// errors, and then is in the state there. Returns the numbers of bytes read and written.
    fn decode_replacing(
        &mut self,
        _src: &[u8],
        _dst: &mut [u8],
        _errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        (0, 0)
    }
}

/// Converts UTF-8 to UTF-8: a normalization, an escape syntax, a form of line endings. The lengths of a
/// malformed sequence are bytes of `src`.
pub trait TextTransform: Checkpoint {
    /// Converts as much of `src` as fits into `dst`. `end` means that no input follows `src`.
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed>;
}

/// Converts UTF-8 to bytes.
pub trait EncodeStage: Checkpoint {
    /// Encodes as much of `src` as fits into `dst`. `end` means that no input follows `src`.
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable>;

    /// Encodes like [`encode`](EncodeStage::encode), but encodes the replacement that `handler` returns
    /// for an error and continues. Returns an error if the handler has no replacement for it, or if
    /// the encoder cannot write the whole replacement immediately.
    fn encode_with_handler(
        &mut self,
        src: &str,
        dst: &mut [u8],
        end: bool,
        handler: &mut dyn ErrorHandler,
    ) -> Progress<Unmappable> {
        error_handler::encode_with_handler(self, src, dst, end, handler)
    }

    /// Encodes a prefix of `src`, which need not be valid UTF-8, up to the first malformed sequence or
    /// unmappable character at most. Returns the numbers of bytes read, in whole characters, and
    /// written.
    ///
    /// An encoder that can validate while it encodes saves the separate validation of its input. What
    /// this leaves over is validated and passed to [`encode`](EncodeStage::encode).
    fn encode_unvalidated(&mut self, _src: &[u8], _dst: &mut [u8]) -> (usize, usize) {
        (0, 0)
    }

    /// Encodes like [`encode`](EncodeStage::encode), but writes the replacement for each unmappable character
    /// and continues, as long as errors are frequent and have one that is encoded already. May stop between
    /// any two characters, and then is in the state there. An encoder with states has to compare its state with
    /// that before the replacements. Returns the numbers of bytes read and written.
    fn encode_replacing(
        &mut self,
        _src: &str,
        _dst: &mut [u8],
        _errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        (0, 0)
    }
}
