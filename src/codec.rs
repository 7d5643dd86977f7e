//! The contract that every stage of a chain keeps.
//!
//! A stage turns a piece of its input into a piece of its output, in buffers that the caller owns.
//! It says how far it came and why it stopped, and nothing else: it does not allocate, does no
//! I/O, knows no policy and never panics. All that it remembers between two calls fits in one
//! [`State`], so a caller can note where it was and run the same bytes again, which is how the
//! position of an error is found without any book-keeping on the way.
//!
//! # The eight clauses
//!
//! 1. **Progress.** With space for [`window()`](Resume::window) bytes a call reads or writes
//!    something, or stops with [`Stop::Input`] or [`Stop::Error`].
//! 2. **Whole units.** Bytes read, bytes written and state move together or not at all. Only with a
//!    error an encoder that looks ahead may note in its state what it has found, so as not to look
//!    again; that changes no result.
//! 3. **Tail.** [`Stop::Input`] leaves at most `window()` bytes unread, and none when `end`.
//! 4. **Whole characters.** What a decoder has written is valid UTF-8 at every return.
//! 5. **An error is not consumed.** `src[read..read + len]` is the offender and the state is that
//!    before it. The error itself says how to go on: at `read + next`, in the state `then`.
//!    A codec never writes U+FFFD or `?` on its own.
//! 6. **Pure.** No allocation, no I/O, no policy and no panic in a call; construction and
//!    [`prepare`](Decoder::prepare) may allocate.
//! 7. **Replay.** The same state and the same bytes give the same result.
//! 8. **End.** `end` with nothing left flushes (shifts back, pads), and may be repeated until
//!    [`Stop::Input`].
//!
//! `tests/contract/` holds every registered codec to each of them.

use std::convert::Infallible;

use crate::conversion_error::{Malformed, Unmappable};
use crate::error_handler;
pub use crate::error_handler::ErrorHandler;

/// How far one call came, and why it went no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Progress<F> {
    /// Bytes taken from the source.
    pub read: usize,
    /// Bytes put into the destination. What stands after them there has no meaning.
    pub written: usize,
    /// Why the call returned.
    pub status: Status<F>,
}

/// Why a call returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status<F> {
    /// What is left of the source, if anything, does not make a whole unit yet.
    InputEmpty,
    /// The destination has no space for the next unit.
    OutputFull,
    /// The next bytes or characters cannot be converted.
    Error(F),
}

impl<F> Progress<F> {
    /// Stopped for want of input.
    pub const fn input_empty(read: usize, written: usize) -> Self {
        Progress { read, written, status: Status::InputEmpty }
    }

    /// Stopped for want of space.
    pub const fn output_full(read: usize, written: usize) -> Self {
        Progress { read, written, status: Status::OutputFull }
    }

    /// Stopped at an error.
    pub const fn error(read: usize, written: usize, error: F) -> Self {
        Progress { read, written, status: Status::Error(error) }
    }
}

/// All that a codec remembers between two calls, in two words: its own, and one for a codec that
/// works inside it.
///
/// What the bits mean is the codec's own affair, but for one value: [`State::START`] is the state
/// of every codec that has seen nothing yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct State {
    bits: u64,
    inner: u64,
}

impl State {
    /// The state of a codec that has seen nothing yet.
    pub const INITIAL: State = State::new(0);

    /// A state with these bits.
    pub const fn new(bits: u64) -> State {
        State { bits, inner: 0 }
    }

    /// The bits of this state.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The same state, with that of a codec inside. Only a codec whose state is one word can be
    /// inside another: every encoding is.
    pub const fn with_inner(self, inner: State) -> State {
        State { bits: self.bits, inner: inner.bits }
    }

    /// The state of the codec inside.
    pub const fn inner(self) -> State {
        State::new(self.inner)
    }
}

/// A stage whose memory can be noted and put back. What is made of stages may go from one thread
/// to another.
pub trait Checkpoint: Send + Sync {
    /// What the codec remembers now.
    fn save_state(&self) -> State;

    /// Goes back to a state that [`state`](Resume::state) or an error has named.
    fn restore_state(&mut self, at: State);

    /// Bytes of space that always allow progress, and the most bytes of source that a call may
    /// leave unread for want of input. At most 64 for the encodings.
    fn max_lookahead(&self) -> usize;
}

/// Bytes to bytes: a transfer encoding, or one half of the 31-bit path.
pub trait ByteTransform: Checkpoint {
    /// Converts as much of `src` as fits into `dst`; `end` says that nothing follows `src`.
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed>;
}

/// Bytes to text.
pub trait Decoder: Checkpoint {
    /// Decodes as much of `src` as fits into `dst`, which is valid UTF-8 up to `written`; `end`
    /// says that nothing follows `src`.
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed>;

    /// Gets ready for a large input: builds tables that a small one is not worth. May allocate, at
    /// any time, and changes no result.
    fn prepare_for_large_input(&mut self) {}

    /// Decodes on after each error that the error handler has an answer to, which is written in its position.
    ///
    /// Stops as [`decode`](Decoder::decode) does, and at an error that has no answer.
    fn decode_with_handler(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
        handler: &mut dyn ErrorHandler,
    ) -> Progress<Malformed> {
        error_handler::decode_with_handler(self, src, dst, end, handler)
    }

    /// How many times the error that has been met at the start of `src` stands there in a row, with
    /// the same bytes, as far as that is known at a glance. At least once.
    fn repeat_count(&self, _src: &[u8], _error: Malformed) -> usize {
        1
    }
}

/// Text to text. A filter changes text; it never finds error with it.
pub trait TextTransform: Checkpoint {
    /// Filters as much of `src` as fits into `dst`; `end` says that nothing follows `src`.
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Infallible>;
}

/// Text to bytes.
pub trait Encoder: Checkpoint {
    /// Encodes as much of `src` as fits into `dst`; `end` says that nothing follows `src`.
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable>;

    /// Encodes on after each error that the error handler has an answer to, which is encoded in its position.
    ///
    /// Stops as [`encode`](Encoder::encode) does, and at an error that has no answer or whose answer
    /// this encoder does not write at once.
    fn encode_with_handler(
        &mut self,
        src: &str,
        dst: &mut [u8],
        end: bool,
        handler: &mut dyn ErrorHandler,
    ) -> Progress<Unmappable> {
        error_handler::encode_with_handler(self, src, dst, end, handler)
    }

    /// How many characters at the start of `src`, up to `most`, have no code here whatever stands
    /// after them, as far as that is known at a glance; and their bytes.
    fn unmappable_prefix(&self, _src: &str, _most: usize) -> (usize, usize) {
        (0, 0)
    }
}
