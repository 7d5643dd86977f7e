//! From a options to the links of a chain.

use std::ops::Range;
use std::{iter, str};

use super::{RunContext, Transcoder};
use crate::bom::BomFilter;
use crate::codec::{
    ByteTransform, Decoder, Encoder, ErrorHandler, Progress, State, Status, TextTransform,
};
use crate::conversion_error::{Malformed, Position, Unmappable};
use crate::encoding::{self, BomHandling, Ucs4Codecs};
use crate::error::Error;
use crate::header;
use crate::kernel::buffer::Buffer;
use crate::options::{BomPolicy, TranscodeOptions};

/// The links of a chain, and what their order means.
pub(super) struct Chain {
    pub stages: Vec<ChainLink>,
    /// The link whose output is the text: errors before it are the source's, and lines are
    /// counted after it.
    pub text_stage: usize,
    /// So many links begin again with each file; the others run on over all of them.
    pub per_file_stages: usize,
    /// The link that strips a mark from the start of each file. What is no character may stand
    /// there instead, and then nothing after it is at the start.
    pub strip_stage: Option<usize>,
    /// The link that adds a mark to the start of the output.
    pub bom_insertion: Option<BomInsertion>,
}

/// A link that adds a mark to the start of the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct BomInsertion {
    pub stage: usize,
    /// Whether a later file may begin with a mark of its own, which is dropped.
    pub drops_later_bom: bool,
}

impl Chain {
    pub fn from_options(options: &TranscodeOptions) -> Chain {
        let filter = |opening: BomFilter, is_ucs4| match is_ucs4 {
            true => Stage::ByteTransform(Box::new(opening) as Box<dyn ByteTransform>),
            false => Stage::TextTransform(Box::new(opening) as Box<dyn TextTransform>),
        };
        let (decode, encode) = match ucs4_codecs(options) {
            Some((from, to)) => (
                Stage::ByteTransform((from.decoder)(&options.from.options)),
                Some(Stage::ByteTransform((to.encoder)(&options.to.options))),
            ),
            None => (
                Stage::Decoder(options.from.encoding.decoder(&options.from.options)),
                // Text is UTF-8 already: a decoder writes straight into the output.
                (!encoding::is_utf8(options.to.encoding))
                    .then(|| Stage::Encoder(options.to.encoding.encoder(&options.to.options))),
            ),
        };
        let is_wide = matches!(decode, Stage::ByteTransform(_));
        let mut stages = vec![decode];
        let (mut strip, mut add) = (None, None);
        // What the decoder has not dropped; another mark after that is a character.
        let may_be_marked = options.from.encoding.bom_handling == BomHandling::Ignore;
        match options.bom {
            BomPolicy::Default | BomPolicy::Keep => {}
            BomPolicy::Add if options.to.encoding.bom_handling != BomHandling::DetectAndWrite => {
                add = Some(BomInsertion { stage: stages.len(), drops_later_bom: may_be_marked });
                stages.push(filter(BomFilter::ADD, is_wide));
            }
            // The encoder writes a mark of its own, so that of the text would be a second one.
            BomPolicy::Add | BomPolicy::Strip if may_be_marked => {
                strip = Some(stages.len());
                stages.push(filter(BomFilter::STRIP, is_wide));
            }
            BomPolicy::Add | BomPolicy::Strip => {}
        }
        // A record of header lines, and what its encoder holds of it, ends with its file.
        let all = options.headers_only || header::is_header(options.to.encoding);
        let per_file = if strip.is_some() { 2 } else { 1 };
        stages.extend(encode);
        let per_file = if all { stages.len() } else { per_file };
        Chain {
            stages: link_stages(stages, options),
            text_stage: 0,
            per_file_stages: per_file,
            strip_stage: strip,
            bom_insertion: add,
        }
    }
}

pub(super) fn link_stages(stages: Vec<Stage>, options: &TranscodeOptions) -> Vec<ChainLink> {
    let headroom = options
        .error_policy
        .unmappable
        .max_replacement_len()
        .max(options.error_policy.malformed.max_replacement_len());
    let mut input_len = options.clamped_buffer_size();
    let mut links = Vec::new();
    for stage in stages {
        let max_lookahead = stage.max_lookahead();
        links.push(ChainLink::new(stage, input_len, headroom));
        input_len = options.clamped_buffer_size().max(max_lookahead);
    }
    links
}

/// The two halves of the 31-bit path, if both ends have such values.
fn ucs4_codecs(options: &TranscodeOptions) -> Option<(&'static Ucs4Codecs, &'static Ucs4Codecs)> {
    let half = |encoding: &crate::options::EncodingSpec| {
        let wide = encoding.encoding.ucs4.as_ref()?;
        (wide.is_enabled)(&encoding.options).then_some(wide)
    };
    Some((half(&options.from)?, half(&options.to)?))
}

// A stage and the block of input that waits for it.

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

// Where a link writes: the block of the next one, or the output.

impl Transcoder {
    /// Writes out what has come through the chain.
    pub(super) fn flush(&mut self, context: &mut RunContext<'_>) -> Result<(), Error> {
        flush(&mut self.output, context)
    }
}

/// A link, and the space for what it writes next: at least its window.
pub(super) fn output_buffer<'a>(
    chain: &'a mut Chain,
    output: &'a mut Buffer,
    at: usize,
    context: &mut RunContext<'_>,
) -> Result<(&'a mut ChainLink, &'a mut [u8]), Error> {
    let (before, after) = chain.stages.split_at_mut(at + 1);
    let link = &mut before[at];
    let space = match after.first_mut() {
        Some(next) => next.input.spare_mut(),
        None => final_output_buffer(output, link.max_lookahead, context)?,
    };
    Ok((link, space))
}

/// Writes out what has come through a chain.
pub(super) fn flush(output: &mut Buffer, context: &mut RunContext<'_>) -> Result<(), Error> {
    context.output.write_all(output.unread_bytes()).map_err(Error::Io)?;
    let all = output.unread_bytes().len();
    output.consume(all);
    output.compact();
    Ok(())
}

/// The space for what the last link writes, of at least its window.
pub(super) fn final_output_buffer<'a>(
    output: &'a mut Buffer,
    max_lookahead: usize,
    context: &mut RunContext<'_>,
) -> Result<&'a mut [u8], Error> {
    if output.spare_mut().len() < max_lookahead {
        flush(output, context)?;
    }
    Ok(output.spare_mut())
}

// What a step leaves unread, carried over to the next.

impl Transcoder {
    /// Moves what a link left unread to the front of its block, and notes where it came from.
    pub(super) fn carry_over(&mut self, at: usize) {
        let link = &self.chain.stages[at];
        let (first, count) = (link.input.position(), link.input.unread_bytes().len());
        if at > 0 && (count > 0 || !link.carried_bytes.is_empty()) {
            self.record_positions(at, first..first + count);
        }
        let link = &mut self.chain.stages[at];
        let by = link.input.compact();
        link.new_input_start = link.input.position() + count;
        link.replacement_end = 0;
        if at == 0 {
            self.base_offset = self.base_offset.wrapping_add_signed(by as i64);
            if let Some(source_lines) = &mut self.source_lines {
                source_lines.discard_before(
                    self.base_offset.wrapping_add(self.chain.stages[0].input.position() as u64),
                );
            }
        }
    }

    /// Notes the positions of what a link leaves unread, which cannot be requested later, and what of it
    /// is an answer. Those that are known from the last time are kept: errors come in large numbers, and
    /// each ends a step.
    fn record_positions(&mut self, at: usize, unread: Range<usize>) {
        let link = &mut self.chain.stages[at];
        let fresh = link.new_input_start;
        let mut carried = std::mem::take(&mut link.carried_bytes);
        let known = fresh - carried.len();
        carried.drain(..carried.len().min(unread.start.saturating_sub(known)));
        let replacement = matches!(link.origin, InputOrigin::Replacement(_));
        carried.extend((fresh.max(unread.start)..unread.end).map(|index| CarriedByte {
            position: self.position_of(at, index),
            is_replacement: replacement,
        }));
        // An answer may reach further to the front than what it stands for.
        let ours = unread.len().saturating_sub(carried.len());
        if ours > 0 {
            let known = carried.first().map(|first| first.position);
            let position = known.unwrap_or_else(|| self.position_of(at, unread.start));
            carried.splice(
                ..0,
                iter::repeat_n(CarriedByte { position: position, is_replacement: true }, ours),
            );
        }
        let link = &mut self.chain.stages[at];
        let put_back = link.replacement_end.saturating_sub(unread.start).min(carried.len());
        carried[..put_back].iter_mut().for_each(|carried| carried.is_replacement = true);
        link.carried_bytes = carried;
    }
}
