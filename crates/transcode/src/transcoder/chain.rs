//! The chain of stages: decoder, filters and encoder, each with its input buffer.

use std::ops::Range;
use std::{iter, str};

use super::{RunContext, Transcoder};
use crate::chain_spec::ChainStep;
use crate::header;
use crate::options::{BomPolicy, EncodingSpec, TranscodeOptions};
use crate::transform_spec::TransformSpec;
use charpipe_encoding::bom::BomFilter;
use charpipe_encoding::codec::{
    ByteTransform, DecodeStage, EncodeStage, ErrorHandler, Progress, State, Status, TextTransform,
};
use charpipe_encoding::conversion_error::{Malformed, Position, StageLabel, Unmappable};
use charpipe_encoding::encoding::{self, BomHandling, EncodingOptions, MixedCounts};
use charpipe_encoding::error::Error;
use charpipe_kernel::buffer::Buffer;
use charpipe_mail::field_filter::FieldFilter;
use charpipe_transform::declaration::DeclarationFixer;
use charpipe_transform::{Direction, Transform, TransformCodecs};

/// The stages of a conversion, in order.
pub(super) struct Chain {
    pub stages: Vec<ChainLink>,
    /// The stage whose output is the text. Errors up to it are malformed input, and lines are counted
    /// in its output.
    pub text_stage: usize,
    /// The number of leading stages that are reset for each file. The others run across all files.
    pub per_file_stages: usize,
    /// The stage that strips a BOM from the start of each file. After a malformed sequence the text is
    /// no longer at the start.
    pub strip_stage: Option<usize>,
    /// The stage that adds a BOM to the start of the output.
    pub bom_insertion: Option<BomInsertion>,
}

/// A stage that adds a BOM to the start of the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct BomInsertion {
    pub stage: usize,
    /// Whether a BOM at the start of a later file is dropped.
    pub drops_later_bom: bool,
}

impl Chain {
    pub fn from_options(options: &TranscodeOptions, encoder: Box<dyn EncodeStage>) -> Chain {
        if let Some(chain) = Chain::between_bytes(options) {
            return chain;
        }
        let filter = |filter: BomFilter, is_ucs4| match is_ucs4 {
            true => Stage::ByteTransform(Box::new(filter) as Box<dyn ByteTransform>),
            false => Stage::TextTransform(Box::new(filter) as Box<dyn TextTransform>),
        };
        let ucs4 = (options.from.ucs4_codecs(), options.to.ucs4_codecs());
        let (decode, encode) = match ucs4 {
            (Some(from), Some(to)) if options.is_simple() => (
                Stage::ByteTransform((from.decoder)(&options.from.options)),
                Some(Stage::ByteTransform((to.encoder)(&options.to.options))),
            ),
            _ => (
                Stage::Decoder(options.from.encoding.decoder(&options.from.options)),
                // A decoder's output is UTF-8 already.
                (!encoding::is_utf8(options.to.encoding)).then_some(Stage::Encoder(encoder)),
            ),
        };
        let is_ucs4 = matches!(decode, Stage::ByteTransform(_));
        let (inner, outer) = split_transforms(&options.from.transforms);
        let mut stages = Vec::new();
        decode_transforms(outer, &mut stages);
        push_message_stages(options, &mut stages);
        let text_stage = stages.len();
        stages.push((decode, StageLabel::Main));
        let (mut strip, mut add) = (None, None);
        // The decoder may already have dropped a BOM; another U+FEFF after it is a character.
        let may_have_bom = options.from.encoding.bom_handling == BomHandling::Ignore;
        match options.bom {
            BomPolicy::Default | BomPolicy::Keep => {}
            BomPolicy::Add if options.to.encoding.bom_handling != BomHandling::DetectAndWrite => {
                add = Some(filter(BomFilter::ADD, is_ucs4));
            }
            // The encoder writes a BOM itself, so one in the text would be a second one.
            BomPolicy::Add | BomPolicy::Strip if may_have_bom => {
                strip = Some(stages.len());
                stages.push((filter(BomFilter::STRIP, is_ucs4), StageLabel::Main));
            }
            BomPolicy::Add | BomPolicy::Strip => {}
        }
        stages.extend(inner.iter().rev().map(|spec| transform_stage(spec, Direction::Decode)));
        for step in &options.via {
            match step {
                ChainStep::Transform(spec, direction) => {
                    stages.push(transform_stage(spec, *direction))
                }
                ChainStep::Reencode(spec) => reinterpret(spec, spec, &mut stages),
                ChainStep::Reinterpret { encode, decode } => {
                    reinterpret(encode, decode, &mut stages)
                }
            }
        }
        if options.fix_declaration {
            let fixer = DeclarationFixer::new(options.to.encoding);
            stages.push((Stage::TextTransform(Box::new(fixer)), StageLabel::Main));
        }
        let (inner, outer) = split_transforms(&options.to.transforms);
        stages.extend(inner.iter().map(|spec| transform_stage(spec, Direction::Encode)));
        push_header_text_stage(&options.to, &mut stages);
        // A header field, and the part of it that the encoder has buffered, ends with its file.
        let all = options.headers_only || header::is_header(options.to.encoding);
        let per_file = stages.len();
        let bom_insertion = add.map(|add| {
            stages.push((add, StageLabel::Main));
            BomInsertion { stage: stages.len() - 1, drops_later_bom: may_have_bom }
        });
        if let Some(mut encode) = encode {
            encode.restore_state(State::INITIAL);
            stages.push((encode, StageLabel::Main));
        }
        encode_transforms(outer, &mut stages);
        Chain {
            per_file_stages: if all { stages.len() } else { per_file },
            stages: link_stages(stages, options),
            text_stage,
            strip_stage: strip,
            bom_insertion,
        }
    }

    /// Returns the chain of a conversion from bytes to bytes, such as `base64..hex`, which needs no codecs.
    /// Lines are those of the first decoded bytes.
    fn between_bytes(options: &TranscodeOptions) -> Option<Chain> {
        let TranscodeOptions { from, to, via, bom, .. } = options;
        if ![from.encoding, to.encoding]
            .iter()
            .all(|encoding| *encoding == charpipe_encoding::ISO_8859_1)
            || !via.is_empty()
            || !options.header_fields.is_empty()
            || options.fix_declaration
            || *bom == BomPolicy::Add
            || from.transforms.is_empty() && to.transforms.is_empty()
            || !from.transforms.iter().chain(&to.transforms).all(TransformSpec::is_for_bytes)
        {
            return None;
        }
        let mut stages = Vec::new();
        decode_transforms(&from.transforms, &mut stages);
        let per_file_stages = stages.len();
        encode_transforms(&to.transforms, &mut stages);
        Some(Chain {
            stages: link_stages(stages, options),
            text_stage: per_file_stages.saturating_sub(1),
            per_file_stages,
            strip_stage: None,
            bom_insertion: None,
        })
    }
}

/// A stage with what messages call it.
type LabeledStage = (Stage, StageLabel);

/// Splits the transforms of an encoding into those of its text and those of its bytes. After a transform
/// of bytes one of text works on bytes too.
fn split_transforms(transforms: &[TransformSpec]) -> (&[TransformSpec], &[TransformSpec]) {
    let first = transforms.iter().position(TransformSpec::is_for_bytes);
    transforms.split_at(first.unwrap_or(transforms.len()))
}

/// Returns the stage of a transform.
fn transform_stage(spec: &TransformSpec, direction: Direction) -> LabeledStage {
    let stage = match (spec.transform.codecs, direction) {
        (TransformCodecs::Bytes { decoder, .. }, Direction::Decode) => {
            Stage::ByteTransform(decoder(&spec.options))
        }
        (TransformCodecs::Bytes { encoder, .. }, Direction::Encode) => {
            Stage::ByteTransform(encoder(&spec.options))
        }
        (TransformCodecs::Text { decoder: Some(decoder), .. }, Direction::Decode) => {
            Stage::TextTransform(decoder(&spec.options))
        }
        (TransformCodecs::Text { encoder, .. }, _) => Stage::TextTransform(encoder(&spec.options)),
    };
    let Transform { name, title, .. } = *spec.transform;
    (stage, StageLabel::Transform { name, title })
}

/// Adds stages that decode the transforms of bytes, the last one first.
fn decode_transforms(transforms: &[TransformSpec], stages: &mut Vec<LabeledStage>) {
    for spec in transforms.iter().rev() {
        push_between_bytes(transform_stage(spec, Direction::Decode), stages);
    }
}

/// Adds stages that encode the transforms of bytes, in order.
fn encode_transforms(transforms: &[TransformSpec], stages: &mut Vec<LabeledStage>) {
    for spec in transforms {
        push_between_bytes(transform_stage(spec, Direction::Encode), stages);
    }
}

/// Adds a stage between bytes. A transform of text reads and writes them as ISO-8859-1.
fn push_between_bytes(stage: LabeledStage, stages: &mut Vec<LabeledStage>) {
    if matches!(stage.0, Stage::ByteTransform(_)) {
        return stages.push(stage);
    }
    let (encoding, options) = (charpipe_encoding::ISO_8859_1, EncodingOptions::default());
    let label = StageLabel::Encoding(encoding.name());
    stages.push((Stage::Decoder(encoding.decoder(&options)), label));
    stages.push(stage);
    stages.push((Stage::Encoder(encoding.encoder(&options)), label));
}

/// Adds the stages between the bytes of messages and the decoder. They report no errors.
fn push_message_stages(options: &TranscodeOptions, stages: &mut Vec<LabeledStage>) {
    let TranscodeOptions { from, header_fields, .. } = options;
    if !header_fields.is_empty() {
        let filter = Stage::ByteTransform(Box::new(FieldFilter::new(header_fields)));
        stages.push((filter, StageLabel::Main));
    }
    push_header_byte_stage(from, stages);
}

/// Adds the stage that the decoder of header fields needs before it, if any.
fn push_header_byte_stage(spec: &EncodingSpec, stages: &mut Vec<LabeledStage>) {
    let stage = header::header_byte_stage(spec.encoding, &spec.options);
    stages.extend(stage.map(|stage| (Stage::ByteTransform(stage), StageLabel::Main)));
}

/// Adds the stage that the encoder of header fields needs before it, if any.
fn push_header_text_stage(spec: &EncodingSpec, stages: &mut Vec<LabeledStage>) {
    let stage = header::header_text_stage(spec.encoding, &spec.options);
    stages.extend(stage.map(|stage| (Stage::TextTransform(stage), StageLabel::Main)));
}

/// Adds stages that encode text and decode the bytes again.
fn reinterpret(encode: &EncodingSpec, decode: &EncodingSpec, stages: &mut Vec<LabeledStage>) {
    let (inner, outer) = split_transforms(&encode.transforms);
    stages.extend(inner.iter().map(|spec| transform_stage(spec, Direction::Encode)));
    push_header_text_stage(encode, stages);
    let label = StageLabel::Encoding(encode.encoding.name());
    stages.push((Stage::Encoder(encode.encoding.encoder(&encode.options)), label));
    encode_transforms(outer, stages);
    let (inner, outer) = split_transforms(&decode.transforms);
    decode_transforms(outer, stages);
    push_header_byte_stage(decode, stages);
    let label = StageLabel::Encoding(decode.encoding.name());
    stages.push((Stage::Decoder(decode.encoding.decoder(&decode.options)), label));
    stages.extend(inner.iter().rev().map(|spec| transform_stage(spec, Direction::Decode)));
}

/// The number of stages that have buffers of the requested size. Those of more stages are smaller, so that they
/// take as much memory together.
const MAX_FULL_BUFFERS: usize = 16;

pub(super) fn link_stages(stages: Vec<LabeledStage>, options: &TranscodeOptions) -> Vec<ChainLink> {
    let headroom = options
        .error_policy
        .unmappable
        .max_replacement_len()
        .max(options.error_policy.malformed.max_replacement_len());
    let buffer_size = match stages.len() {
        0..=MAX_FULL_BUFFERS => options.clamped_buffer_size(),
        count => (options.clamped_buffer_size() * MAX_FULL_BUFFERS / count).max(1),
    };
    let mut input_len = buffer_size;
    let mut links = Vec::new();
    for (stage, label) in stages {
        let max_lookahead = stage.max_lookahead();
        links.push(ChainLink { label, ..ChainLink::new(stage, input_len, headroom) });
        input_len = buffer_size.max(max_lookahead);
    }
    links
}

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
            last_call: StageCall { start, state: State::INITIAL, end: false },
            status: Status::InputEmpty,
            replay_cursor: ReplayCursor { read: start, written: 0, state: State::INITIAL },
        }
    }

    /// Adds `len` bytes of the file to the input.
    pub fn accept_input(&mut self, len: usize) {
        self.input.advance(len);
    }

    /// Returns whether the byte at `index` of the input belongs to a replacement. If it is unmappable,
    /// that is not an error of the input.
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

    /// Returns how often each encoding of a list was used since the last call.
    pub fn take_counts(&mut self) -> Option<MixedCounts> {
        match self {
            Stage::Decoder(decoder) => decoder.take_counts(),
            Stage::ByteTransform(_) | Stage::TextTransform(_) | Stage::Encoder(_) => None,
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

    pub fn name(&self) -> &'static str {
        match self {
            Stage::ByteTransform(_) => "byte transform",
            Stage::Decoder(_) => "decoder",
            Stage::TextTransform(_) => "text transform",
            Stage::Encoder(_) => "encoder",
        }
    }
}

/// Returns stage `at` and its output buffer, of at least its maximum lookahead.
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

/// Writes the converted bytes to the output.
pub(super) fn flush(output: &mut Buffer, context: &mut RunContext<'_>) -> Result<(), Error> {
    context.output.write_all(output.unread_bytes()).map_err(Error::Io)?;
    let all = output.unread_bytes().len();
    output.consume(all);
    output.compact();
    Ok(())
}

/// Returns the output buffer of the last stage, with space for at least `max_lookahead` bytes.
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

impl Transcoder {
    /// Writes the converted bytes to the output.
    pub(super) fn flush(&mut self, context: &mut RunContext<'_>) -> Result<(), Error> {
        flush(&mut self.output, context)
    }

    /// Moves the unread input of stage `at` to the start of its buffer, and records its positions.
    pub(super) fn carry_over(&mut self, at: usize) {
        let link = &self.chain.stages[at];
        let (first, count) = (link.input.position(), link.input.unread_bytes().len());
        if at > 0 && (count > 0 || !link.carried_bytes.is_empty()) {
            self.record_positions(at, first..first + count);
        }
        let link = &mut self.chain.stages[at];
        let shift = link.input.compact();
        link.new_input_start = link.input.position() + count;
        link.replacement_end = 0;
        if at == 0 {
            self.base_offset = self.base_offset.wrapping_add_signed(shift as i64);
            if let Some(source_lines) = &mut self.source_lines {
                source_lines.discard_before(
                    self.base_offset.wrapping_add(self.chain.stages[0].input.position() as u64),
                );
            }
        }
    }

    /// Records the positions of unread bytes, which replay cannot determine later, and whether they
    /// belong to a replacement. Recorded positions are kept, because errors may be frequent and each
    /// ends a call.
    fn record_positions(&mut self, at: usize, unread: Range<usize>) {
        let link = &mut self.chain.stages[at];
        let new_input_start = link.new_input_start;
        let mut carried = std::mem::take(&mut link.carried_bytes);
        let carried_start = new_input_start - carried.len();
        carried.drain(..carried.len().min(unread.start.saturating_sub(carried_start)));
        let is_replacement = matches!(link.origin, InputOrigin::Replacement(_));
        carried.extend(
            (new_input_start.max(unread.start)..unread.end)
                .map(|index| CarriedByte { position: self.position_of(at, index), is_replacement }),
        );
        // A replacement may start before the start of the text that it replaces.
        let missing = unread.len().saturating_sub(carried.len());
        if missing > 0 {
            let first_position = carried.first().map(|first| first.position);
            let position = first_position.unwrap_or_else(|| self.position_of(at, unread.start));
            let byte = CarriedByte { position, is_replacement: true };
            carried.splice(..0, iter::repeat_n(byte, missing));
        }
        let link = &mut self.chain.stages[at];
        let inserted = link.replacement_end.saturating_sub(unread.start).min(carried.len());
        carried[..inserted].iter_mut().for_each(|carried| carried.is_replacement = true);
        link.carried_bytes = carried;
    }
}
