//! A stage and the block of input that waits for it.

use std::str;

use crate::codec::{Decoder, Encoder, Filter, Mender, Progress, State, Stop, Surface};
use crate::fault::{Malformed, Place, Unmappable};
use crate::kernel::block::Block;

/// Any stage of a chain.
pub(crate) enum Stage {
    Surface(Box<dyn Surface>),
    Decoder(Box<dyn Decoder>),
    Filter(Box<dyn Filter>),
    Encoder(Box<dyn Encoder>),
}

/// Any fault of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Met {
    Malformed(Malformed),
    Unmappable(Unmappable),
}

/// One call of a stage, as far as it can be run again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Index into the input block where the call began.
    pub from: usize,
    /// The state in which it began.
    pub state: State,
    /// Whether the input was said to end there.
    pub end: bool,
}

/// How far a [`Step`] has been run again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    pub read: usize,
    pub written: usize,
    pub state: State,
}

/// Where the input of a link comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin {
    /// From the last step of the link before it (or from the file, for the first link).
    Step,
    /// From the answer to a fault at this place.
    Answer(Place),
    /// From a step that has mended what was malformed. Nobody will ask where in it something is.
    Mended,
}

/// A byte that a step left unread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carried {
    pub place: Place,
    /// Whether it is of the answer to a fault.
    pub answer: bool,
}

pub(crate) struct Link {
    pub stage: Stage,
    /// The stage's window, in bytes.
    pub window: usize,
    pub input: Block,
    /// The bytes that an earlier step left unread; they come first in `input`.
    pub carried: Vec<Carried>,
    /// Index into `input` behind the carried bytes, where what `origin` names begins.
    pub fresh: usize,
    pub origin: Origin,
    /// Index into `input` behind the last answer put back: what stands before it are our words.
    pub answered: usize,
    pub step: Step,
    /// Why the last step ended.
    pub stop: Stop<Met>,
    pub cursor: Cursor,
    /// Bytes until the input counts as large.
    small_for: usize,
}

/// Bytes of an input that is large: twice what a table for it costs.
const LARGE: usize = 1 << 18;

impl Link {
    /// A link that takes up to `room` bytes at a time, and holds answers of `headroom` bytes.
    pub fn new(stage: Stage, room: usize, headroom: usize) -> Link {
        let window = stage.window();
        let input = Block::new(headroom, room + window);
        let fresh = input.position();
        let step = Step { from: fresh, state: State::START, end: false };
        let cursor = Cursor { read: fresh, written: 0, state: State::START };
        let origin = Origin::Step;
        Link {
            stage,
            window,
            input,
            carried: Vec::new(),
            fresh,
            origin,
            answered: 0,
            step,
            stop: Stop::Input,
            cursor,
            small_for: LARGE,
        }
    }

    /// Says that bytes were put into the input, which comes from outside. When they have become
    /// many, gets the stage ready for many more.
    pub fn take_in(&mut self, bytes: usize) {
        self.input.grow(bytes);
        if self.small_for > 0 {
            self.small_for = self.small_for.saturating_sub(bytes);
            if let (0, Stage::Decoder(stage)) = (self.small_for, &mut self.stage) {
                stage.prepare();
            }
        }
    }

    /// Whether the byte at this index of the input is of the answer to an error: if the target lacks
    /// it, that is not an error of the input.
    pub fn is_answer(&self, index: usize) -> bool {
        index < self.answered
            || match self.carried_at(index) {
                Some(carried) => carried.answer,
                None => matches!(self.origin, Origin::Answer(_)) && index >= self.fresh,
            }
    }

    /// Whether there may be the answer to an error anywhere in the input.
    pub fn holds_answer(&self) -> bool {
        let first = self.fresh - self.carried.len();
        let unread = self.input.position().saturating_sub(first).min(self.carried.len());
        self.input.position() < self.answered
            || matches!(self.origin, Origin::Answer(_))
            || self.carried[unread..].iter().any(|carried| carried.answer)
    }

    /// What is known of the byte at this index of the input, if an earlier step left it unread.
    pub fn carried_at(&self, index: usize) -> Option<Carried> {
        let first = self.fresh - self.carried.len();
        if index < self.fresh {
            self.carried.get(index.saturating_sub(first)).copied()
        } else {
            None
        }
    }

    /// Calls the stage on what is unread and takes what it read. Bytes read and bytes written.
    pub fn step(
        &mut self,
        dst: &mut [u8],
        end: bool,
        mender: Option<&mut dyn Mender>,
    ) -> (usize, usize) {
        let from = self.input.position();
        self.step = Step { from, state: self.stage.state(), end };
        self.cursor = Cursor { read: from, written: 0, state: self.step.state };
        let (input, stop) = (&mut self.input, &mut self.stop);
        let (read, written) = match &mut self.stage {
            Stage::Surface(stage) => {
                keep(stage.convert(input.unread(), dst, end), Met::Malformed, stop)
            }
            Stage::Decoder(stage) => {
                let src = input.unread();
                let progress = match mender {
                    Some(mender) => stage.mend(src, dst, end, mender),
                    None => stage.decode(src, dst, end),
                };
                keep(progress, Met::Malformed, stop)
            }
            Stage::Filter(stage) => {
                keep(stage.filter(input.text(), dst, end), |never| match never {}, stop)
            }
            Stage::Encoder(stage) => {
                let src = input.text();
                let progress = match mender {
                    Some(mender) => stage.mend(src, dst, end, mender),
                    None => stage.encode(src, dst, end),
                };
                keep(progress, Met::Unmappable, stop)
            }
        };
        input.take(read);
        (read, written)
    }
}

/// Keeps why a call returned. Bytes read and bytes written.
///
/// In one step, from where the codec put it to where the pump looks for it: handed on through
/// results, a fault was stored in small pieces and loaded in large ones, for which the processor
/// waits. 100 MB of FF with -c took 4.2 seconds so, and takes 3.1.
#[inline(always)]
fn keep<F>(
    progress: Progress<F>,
    met: impl FnOnce(F) -> Met,
    stop: &mut Stop<Met>,
) -> (usize, usize) {
    *stop = match progress.stop {
        Stop::Input => Stop::Input,
        Stop::Output => Stop::Output,
        Stop::Fault(fault) => Stop::Fault(met(fault)),
    };
    (progress.read, progress.written)
}

impl Stage {
    /// Runs bytes again that the stage has seen before. Bytes read and bytes written.
    pub fn replay(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> (usize, usize) {
        fn far<F>(progress: Progress<F>) -> (usize, usize) {
            (progress.read, progress.written)
        }
        let text = |src| match str::from_utf8(src) {
            Ok(text) => text,
            Err(error) => str::from_utf8(&src[..error.valid_up_to()]).unwrap_or(""),
        };
        match self {
            Stage::Surface(stage) => far(stage.convert(src, dst, end)),
            Stage::Decoder(stage) => far(stage.decode(src, dst, end)),
            Stage::Filter(stage) => far(stage.filter(text(src), dst, end)),
            Stage::Encoder(stage) => far(stage.encode(text(src), dst, end)),
        }
    }

    /// Makes the stage write some of what it holds back. Bytes written; nought when that is all.
    pub fn flush(&mut self, dst: &mut [u8]) -> usize {
        self.replay(&[], dst, true).1
    }

    pub fn state(&self) -> State {
        match self {
            Stage::Surface(surface) => surface.state(),
            Stage::Decoder(decoder) => decoder.state(),
            Stage::Filter(filter) => filter.state(),
            Stage::Encoder(encoder) => encoder.state(),
        }
    }

    pub fn resume(&mut self, at: State) {
        match self {
            Stage::Surface(surface) => surface.resume(at),
            Stage::Decoder(decoder) => decoder.resume(at),
            Stage::Filter(filter) => filter.resume(at),
            Stage::Encoder(encoder) => encoder.resume(at),
        }
    }

    pub fn window(&self) -> usize {
        match self {
            Stage::Surface(surface) => surface.window(),
            Stage::Decoder(decoder) => decoder.window(),
            Stage::Filter(filter) => filter.window(),
            Stage::Encoder(encoder) => encoder.window(),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Stage::Surface(_) => "surface",
            Stage::Decoder(_) => "decoder",
            Stage::Filter(_) => "filter",
            Stage::Encoder(_) => "encoder",
        }
    }
}
