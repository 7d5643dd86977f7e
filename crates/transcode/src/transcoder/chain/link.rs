//! A stage with its input buffer, and what is needed to replay its last call.

use super::{Stage, StageError};
use charpipe_encoding::codec::{ErrorHandler, Progress, State, Status};
use charpipe_encoding::conversion_error::{Malformed, Position, StageLabel};
use charpipe_kernel::buffer::Buffer;

/// The parameters of a stage's last call, to replay it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StageCall {
    /// The index into the input buffer where the call began.
    pub start: usize,
    /// The state in which it began.
    pub state: State,
    /// Whether it was the end of the input.
    pub end: bool,
}

/// The progress of replaying a [`StageCall`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplayCursor {
    pub read: usize,
    pub written: usize,
    pub state: State,
}

/// The origin of a stage's input.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InputOrigin {
    /// The last call of the previous stage, or the file for the first stage.
    Stage,
    /// The replacement for an error at this position.
    Replacement(Position),
    /// A call that handled errors in bulk. Positions are not needed.
    Recovered,
}

/// A byte that an earlier call left unread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CarriedByte {
    pub position: Position,
    /// Whether it belongs to the replacement for an error.
    pub is_replacement: bool,
}

/// A stage with its input buffer.
#[allow(missing_debug_implementations, reason = "codecs have no representation as text")]
pub struct ChainLink {
    pub stage: Stage,
    /// What messages call the stage.
    pub label: StageLabel,
    /// The stage's maximum lookahead, in bytes.
    pub max_lookahead: usize,
    pub input: Buffer,
    /// The bytes that an earlier call left unread; they come first in `input`.
    pub(crate) carried_bytes: Vec<CarriedByte>,
    /// The index into `input` after the carried bytes, where the input from `origin` begins.
    pub new_input_start: usize,
    pub(crate) origin: InputOrigin,
    /// The index into `input` after the last replacement that was inserted there.
    pub replacement_end: usize,
    /// The index at which the character was that it replaces.
    pub replaced_index: usize,
    pub(crate) last_call: StageCall,
    /// The status of the last call.
    pub status: Status<StageError>,
    pub(crate) replay_cursor: ReplayCursor,
}

impl ChainLink {
    /// Returns a stage that takes up to `input_len` bytes at a time, with space for replacements of
    /// `headroom` bytes before them.
    pub fn new(stage: Stage, input_len: usize, headroom: usize) -> ChainLink {
        let max_lookahead = stage.max_lookahead();
        let input = Buffer::new(headroom, input_len + max_lookahead);
        let start = input.position();
        ChainLink {
            stage,
            label: StageLabel::Main,
            max_lookahead,
            input,
            carried_bytes: Vec::new(),
            new_input_start: start,
            origin: InputOrigin::Stage,
            replacement_end: 0,
            replaced_index: 0,
            last_call: StageCall { start, state: State::INITIAL, end: false },
            status: Status::InputEmpty,
            replay_cursor: ReplayCursor { read: start, written: 0, state: State::INITIAL },
        }
    }

    /// Adds `len` bytes of the file to the input.
    pub fn accept_input(&mut self, len: usize) {
        self.input.advance(len);
    }

    /// Returns whether the byte at `index` of the input belongs to a replacement. If it is unmappable
    /// or malformed, that is not an error of the input.
    pub fn is_replacement(&self, index: usize) -> bool {
        index < self.replacement_end
            || match self.carried_at(index) {
                Some(carried) => carried.is_replacement,
                None => {
                    matches!(self.origin, InputOrigin::Replacement(_))
                        && index >= self.new_input_start
                }
            }
    }

    /// Returns whether the unread input may contain a replacement.
    pub fn contains_replacement(&self) -> bool {
        self.input.position() < self.replacement_end
            || matches!(self.origin, InputOrigin::Replacement(_))
            || self.unread_carried_bytes().iter().any(|carried| carried.is_replacement)
    }

    /// Returns the bytes that an earlier call left unread and that are unread still.
    pub(crate) fn unread_carried_bytes(&self) -> &[CarriedByte] {
        let first = self.new_input_start - self.carried_bytes.len();
        let read = self.input.position().saturating_sub(first).min(self.carried_bytes.len());
        &self.carried_bytes[read..]
    }

    /// Returns the byte at `index` of the input, if an earlier call left it unread.
    pub(crate) fn carried_at(&self, index: usize) -> Option<CarriedByte> {
        let first = self.new_input_start - self.carried_bytes.len();
        if index < self.new_input_start {
            self.carried_bytes.get(index.saturating_sub(first)).copied()
        } else {
            None
        }
    }

    /// Records a call of the stage that begins at the index `start` of the input, for its replay.
    pub fn record_call(&mut self, start: usize, end: bool) {
        let state = self.stage.save_state();
        self.last_call = StageCall { start, state, end };
        self.replay_cursor = ReplayCursor { read: start, written: 0, state };
    }

    /// Calls the stage on the unread input. Returns the numbers of bytes read and written.
    pub fn call_stage(
        &mut self,
        dst: &mut [u8],
        end: bool,
        handler: Option<&mut dyn ErrorHandler>,
    ) -> (usize, usize) {
        self.record_call(self.input.position(), end);
        let (input, status) = (&mut self.input, &mut self.status);
        let (read, written) = match &mut self.stage {
            Stage::ByteTransform(stage) => store_status(
                stage.transform_bytes(input.unread_bytes(), dst, end),
                StageError::Malformed,
                status,
            ),
            Stage::Decoder(stage) => {
                let src = input.unread_bytes();
                let progress = match handler {
                    Some(handler) => stage.decode_with_handler(src, dst, end, handler),
                    None => stage.decode(src, dst, end),
                };
                store_status(progress, StageError::Malformed, status)
            }
            Stage::TextTransform(stage) => store_status(
                stage.transform_text(input.unread_text(), dst, end),
                StageError::Malformed,
                status,
            ),
            Stage::Encoder(stage) => {
                let src = input.unread_text();
                let progress = match handler {
                    Some(handler) => stage.encode_with_handler(src, dst, end, handler),
                    None => stage.encode(src, dst, end),
                };
                store_status(progress, StageError::Unmappable, status)
            }
        };
        input.consume(read);
        (read, written)
    }

    /// Drops the unread input.
    pub(crate) fn drop_input(&mut self) {
        self.input.consume(self.input.unread_bytes().len());
        self.input.compact();
        self.carried_bytes.clear();
        self.new_input_start = self.input.position();
        self.replacement_end = 0;
        self.origin = InputOrigin::Stage;
        self.status = Status::InputEmpty;
        self.record_call(self.new_input_start, false);
    }

    /// Resumes after a malformed sequence at the start of the unread input.
    pub(crate) fn resume_after(&mut self, error: Malformed) {
        self.input.consume(error.resume_len);
        self.stage.restore_state(error.resume_state);
    }
}

/// Stores the status of a call. Returns the numbers of bytes read and written.
///
/// The status is written directly to its final location. Returned through several results it was
/// stored in small parts and loaded in large ones, which stalls the processor: 100 MB of FF with -c
/// took 4.2 seconds that way, and takes 3.1.
#[inline(always)]
fn store_status<E>(
    progress: Progress<E>,
    wrap: impl FnOnce(E) -> StageError,
    status: &mut Status<StageError>,
) -> (usize, usize) {
    *status = match progress.status {
        Status::InputEmpty => Status::InputEmpty,
        Status::OutputFull => Status::OutputFull,
        Status::Error(error) => Status::Error(wrap(error)),
    };
    (progress.read, progress.written)
}
