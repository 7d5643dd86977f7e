//! A stage and the block of input that waits for it.

use std::str;

use super::buffer::Buffer;
use crate::codec::{
    ByteTransform, Decoder, Encoder, ErrorHandler, Progress, State, Status, TextTransform,
};
use crate::conversion_error::{Malformed, Position, Unmappable};

/// Any stage of a chain.
pub(crate) enum Stage {
    ByteTransform(Box<dyn ByteTransform>),
    Decoder(Box<dyn Decoder>),
    TextTransform(Box<dyn TextTransform>),
    Encoder(Box<dyn Encoder>),
}

/// Any error of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StageError {
    Malformed(Malformed),
    Unmappable(Unmappable),
}

/// One call of a stage, as far as it can be run again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StageCall {
    /// Index into the input block where the call began.
    pub start: usize,
    /// The state in which it began.
    pub state: State,
    /// Whether the input was said to end there.
    pub end: bool,
}

/// How far a [`Step`] has been run again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReplayCursor {
    pub read: usize,
    pub written: usize,
    pub state: State,
}

/// Where the input of a link comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InputOrigin {
    /// From the last step of the link before it (or from the file, for the first link).
    Stage,
    /// From the answer to an error at this position.
    Replacement(Position),
    /// From a step that has mended what was malformed. Nobody will ask where in it something is.
    Recovered,
}

/// A byte that a step left unread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CarriedByte {
    pub position: Position,
    /// Whether it is of the answer to an error.
    pub is_replacement: bool,
}

pub(crate) struct ChainLink {
    pub stage: Stage,
    /// The stage's window, in bytes.
    pub max_lookahead: usize,
    pub input: Buffer,
    /// The bytes that an earlier step left unread; they come first in `input`.
    pub carried_bytes: Vec<CarriedByte>,
    /// Index into `input` after the carried bytes, where what `origin` names begins.
    pub new_input_start: usize,
    pub origin: InputOrigin,
    /// Index into `input` after the last answer put back: what stands before it are our words.
    pub replacement_end: usize,
    pub last_call: StageCall,
    /// Why the last step ended.
    pub status: Status<StageError>,
    pub replay_cursor: ReplayCursor,
    /// Bytes until the input counts as large.
    bytes_until_large: usize,
}

/// Bytes of an input that is large: twice what a table for it costs.
const LARGE_INPUT_LEN: usize = 1 << 18;

impl ChainLink {
    /// A link that takes up to `space` bytes at a time, and holds answers of `headroom` bytes.
    pub fn new(stage: Stage, input_len: usize, headroom: usize) -> ChainLink {
        let max_lookahead = stage.max_lookahead();
        let input = Buffer::new(headroom, input_len + max_lookahead);
        let fresh = input.position();
        let step = StageCall { start: fresh, state: State::INITIAL, end: false };
        let cursor = ReplayCursor { read: fresh, written: 0, state: State::INITIAL };
        let origin = InputOrigin::Stage;
        ChainLink {
            stage,
            max_lookahead,
            input,
            carried_bytes: Vec::new(),
            new_input_start: fresh,
            origin,
            replacement_end: 0,
            last_call: step,
            status: Status::InputEmpty,
            replay_cursor: cursor,
            bytes_until_large: LARGE_INPUT_LEN,
        }
    }

    /// Says that bytes were put into the input, which comes from outside. When they have become
    /// many, gets the stage ready for many more.
    pub fn accept_input(&mut self, bytes: usize) {
        self.input.advance(bytes);
        if self.bytes_until_large > 0 {
            self.bytes_until_large = self.bytes_until_large.saturating_sub(bytes);
            if let (0, Stage::Decoder(stage)) = (self.bytes_until_large, &mut self.stage) {
                stage.prepare_for_large_input();
            }
        }
    }

    /// Whether the byte at this index of the input is of the answer to an error: if the target lacks
    /// it, that is not an error of the input.
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

    /// Whether there may be the answer to an error anywhere in the input.
    pub fn contains_replacement(&self) -> bool {
        let first = self.new_input_start - self.carried_bytes.len();
        let unread = self.input.position().saturating_sub(first).min(self.carried_bytes.len());
        self.input.position() < self.replacement_end
            || matches!(self.origin, InputOrigin::Replacement(_))
            || self.carried_bytes[unread..].iter().any(|carried| carried.is_replacement)
    }

    /// What is known of the byte at this index of the input, if an earlier step left it unread.
    pub fn carried_at(&self, index: usize) -> Option<CarriedByte> {
        let first = self.new_input_start - self.carried_bytes.len();
        if index < self.new_input_start {
            self.carried_bytes.get(index.saturating_sub(first)).copied()
        } else {
            None
        }
    }

    /// Calls the stage on what is unread and takes what it read. Bytes read and bytes written.
    pub fn call_stage(
        &mut self,
        dst: &mut [u8],
        end: bool,
        handler: Option<&mut dyn ErrorHandler>,
    ) -> (usize, usize) {
        let from = self.input.position();
        self.last_call = StageCall { start: from, state: self.stage.save_state(), end };
        self.replay_cursor = ReplayCursor { read: from, written: 0, state: self.last_call.state };
        let (input, stop) = (&mut self.input, &mut self.status);
        let (read, written) = match &mut self.stage {
            Stage::ByteTransform(stage) => store_status(
                stage.transform_bytes(input.unread_bytes(), dst, end),
                StageError::Malformed,
                stop,
            ),
            Stage::Decoder(stage) => {
                let src = input.unread_bytes();
                let progress = match handler {
                    Some(handler) => stage.decode_with_handler(src, dst, end, handler),
                    None => stage.decode(src, dst, end),
                };
                store_status(progress, StageError::Malformed, stop)
            }
            Stage::TextTransform(stage) => store_status(
                stage.transform_text(input.unread_text(), dst, end),
                |never| match never {},
                stop,
            ),
            Stage::Encoder(stage) => {
                let src = input.unread_text();
                let progress = match handler {
                    Some(handler) => stage.encode_with_handler(src, dst, end, handler),
                    None => stage.encode(src, dst, end),
                };
                store_status(progress, StageError::Unmappable, stop)
            }
        };
        input.consume(read);
        (read, written)
    }
}

/// Keeps why a call returned. Bytes read and bytes written.
///
/// In one step, from where the codec put it to where the transcoder looks for it: handed on through
/// results, an error was stored in small pieces and loaded in large ones, for which the processor
/// waits. 100 MB of FF with -c took 4.2 seconds so, and takes 3.1.
#[inline(always)]
fn store_status<F>(
    progress: Progress<F>,
    wrap: impl FnOnce(F) -> StageError,
    stop: &mut Status<StageError>,
) -> (usize, usize) {
    *stop = match progress.status {
        Status::InputEmpty => Status::InputEmpty,
        Status::OutputFull => Status::OutputFull,
        Status::Error(error) => Status::Error(wrap(error)),
    };
    (progress.read, progress.written)
}

impl Stage {
    /// Runs bytes again that the stage has seen before. Bytes read and bytes written.
    pub fn replay(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> (usize, usize) {
        fn lengths<F>(progress: Progress<F>) -> (usize, usize) {
            (progress.read, progress.written)
        }
        let text = |src| match str::from_utf8(src) {
            Ok(text) => text,
            Err(error) => str::from_utf8(&src[..error.valid_up_to()]).unwrap_or(""),
        };
        match self {
            Stage::ByteTransform(stage) => lengths(stage.transform_bytes(src, dst, end)),
            Stage::Decoder(stage) => lengths(stage.decode(src, dst, end)),
            Stage::TextTransform(stage) => lengths(stage.transform_text(text(src), dst, end)),
            Stage::Encoder(stage) => lengths(stage.encode(text(src), dst, end)),
        }
    }

    /// Makes the stage write some of what it holds back. Bytes written; zero when that is all.
    pub fn flush(&mut self, dst: &mut [u8]) -> usize {
        self.replay(&[], dst, true).1
    }

    pub fn save_state(&self) -> State {
        match self {
            Stage::ByteTransform(surface) => surface.save_state(),
            Stage::Decoder(decoder) => decoder.save_state(),
            Stage::TextTransform(filter) => filter.save_state(),
            Stage::Encoder(encoder) => encoder.save_state(),
        }
    }

    pub fn restore_state(&mut self, at: State) {
        match self {
            Stage::ByteTransform(surface) => surface.restore_state(at),
            Stage::Decoder(decoder) => decoder.restore_state(at),
            Stage::TextTransform(filter) => filter.restore_state(at),
            Stage::Encoder(encoder) => encoder.restore_state(at),
        }
    }

    pub fn max_lookahead(&self) -> usize {
        match self {
            Stage::ByteTransform(surface) => surface.max_lookahead(),
            Stage::Decoder(decoder) => decoder.max_lookahead(),
            Stage::TextTransform(filter) => filter.max_lookahead(),
            Stage::Encoder(encoder) => encoder.max_lookahead(),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Stage::ByteTransform(_) => "surface",
            Stage::Decoder(_) => "decoder",
            Stage::TextTransform(_) => "filter",
            Stage::Encoder(_) => "encoder",
        }
    }
}
