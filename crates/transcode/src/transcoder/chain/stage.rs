//! A stage: a codec or a transform of any kind.

use std::str;

use charpipe_encoding::codec::{
    ByteTransform, DecodeStage, EncodeStage, Progress, State, TextTransform,
};
use charpipe_encoding::conversion_error::{Malformed, Unmappable};

/// A stage of a chain.
#[allow(missing_debug_implementations, reason = "codecs have no representation as text")]
pub enum Stage {
    ByteTransform(Box<dyn ByteTransform>),
    Decoder(Box<dyn DecodeStage>),
    TextTransform(Box<dyn TextTransform>),
    Encoder(Box<dyn EncodeStage>),
}

/// An error of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageError {
    Malformed(Malformed),
    Unmappable(Unmappable),
}

impl Stage {
    /// Converts bytes again for a replay. Returns the numbers of bytes read and written.
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

    /// Writes output that the stage has buffered. Returns the number of bytes written, zero at the end.
    pub fn flush(&mut self, dst: &mut [u8]) -> usize {
        self.replay(&[], dst, true).1
    }

    pub fn save_state(&self) -> State {
        match self {
            Stage::ByteTransform(transform) => transform.save_state(),
            Stage::Decoder(decoder) => decoder.save_state(),
            Stage::TextTransform(transform) => transform.save_state(),
            Stage::Encoder(encoder) => encoder.save_state(),
        }
    }

    pub fn restore_state(&mut self, state: State) {
        match self {
            Stage::ByteTransform(transform) => transform.restore_state(state),
            Stage::Decoder(decoder) => decoder.restore_state(state),
            Stage::TextTransform(transform) => transform.restore_state(state),
            Stage::Encoder(encoder) => encoder.restore_state(state),
        }
    }

    pub fn max_lookahead(&self) -> usize {
        match self {
            Stage::ByteTransform(transform) => transform.max_lookahead(),
            Stage::Decoder(decoder) => decoder.max_lookahead(),
            Stage::TextTransform(transform) => transform.max_lookahead(),
            Stage::Encoder(encoder) => encoder.max_lookahead(),
        }
    }
}
