//! The stages of a conversion, from its options.

use super::{BomInsertion, Chain, ChainLink, Stage};
use crate::chain_spec::ChainStep;
use crate::header;
use crate::options::{BomPolicy, EncodingSpec, TranscodeOptions};
use crate::transform_spec::TransformSpec;
use charpipe_encoding::bom::BomFilter;
use charpipe_encoding::codec::{ByteTransform, DecodeStage, EncodeStage, State, TextTransform};
use charpipe_encoding::conversion_error::StageLabel;
use charpipe_encoding::encoding::{self, BomHandling, EncodingOptions, SharedCounter};
use charpipe_kernel::buffer::Buffer;
use charpipe_mail::field_filter::FieldFilter;
use charpipe_transform::declaration::DeclarationFixer;
use charpipe_transform::{Direction, TransformCodecs};

impl Chain {
    /// Returns the chain of a conversion, with this encoder of the target encoding.
    pub fn from_options(options: &TranscodeOptions, encoder: Box<dyn EncodeStage>) -> Chain {
        if let Some(chain) = Chain::between_bytes(options) {
            return chain;
        }
        let MainCodecs { decode, encode, mixed_counter } = MainCodecs::new(options, encoder);
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
                add = Some(bom_stage(BomFilter::ADD, is_ucs4));
            }
            // The encoder writes a BOM itself, so one in the text would be a second one.
            BomPolicy::Add | BomPolicy::Strip if may_have_bom => {
                strip = Some(stages.len());
                stages.push((bom_stage(BomFilter::STRIP, is_ucs4), StageLabel::Main));
            }
            BomPolicy::Add | BomPolicy::Strip => {}
        }
        stages.extend(inner.iter().rev().map(|spec| transform_stage(spec, Direction::Decode)));
        options.via.iter().for_each(|step| push_step(step, &mut stages));
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
        let per_file_stages = if all { stages.len() } else { per_file };
        Chain {
            strip_stage: strip,
            bom_insertion,
            mixed_counter,
            ..Chain::new(stages, text_stage, per_file_stages, options)
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
        let text_stage = per_file_stages.saturating_sub(1);
        Some(Chain::new(stages, text_stage, per_file_stages, options))
    }

    /// Returns a chain of these stages, without stages for BOMs.
    pub fn new(
        stages: Vec<LabeledStage>,
        text_stage: usize,
        per_file_stages: usize,
        options: &TranscodeOptions,
    ) -> Chain {
        let stages = link_stages(stages, options);
        let max_lookahead = stages.iter().map(|link| link.max_lookahead).max().unwrap_or(1);
        let buffer_size = options.clamped_buffer_size();
        Chain {
            stages,
            text_stage,
            per_file_stages,
            strip_stage: None,
            bom_insertion: None,
            mixed_counter: None,
            // Each step needs `max_lookahead` bytes of space after a full buffer of unwritten output.
            // Otherwise a stage with a long lookahead would cause one write per error.
            output: Buffer::new(0, buffer_size + max_lookahead),
            buffer_size,
        }
    }
}

/// The stages of the source and the target encoding.
struct MainCodecs {
    decode: Stage,
    /// `None` if the output of the decoder is in the target encoding.
    encode: Option<Stage>,
    /// The counter of what is decoded, if the source encoding is a list of encodings.
    mixed_counter: Option<SharedCounter>,
}

impl MainCodecs {
    fn new(options: &TranscodeOptions, encoder: Box<dyn EncodeStage>) -> MainCodecs {
        match (options.from.ucs4_codecs(), options.to.ucs4_codecs()) {
            (Some(from), Some(to)) if options.is_simple() => MainCodecs {
                decode: Stage::ByteTransform((from.decoder)(&options.from.options)),
                encode: Some(Stage::ByteTransform((to.encoder)(&options.to.options))),
                mixed_counter: None,
            },
            _ => {
                let (decoder, mixed_counter) = counting_decoder(&options.from);
                // A decoder's output is UTF-8 already.
                let is_utf8 = encoding::is_utf8(options.to.encoding);
                let encode = (!is_utf8).then_some(Stage::Encoder(encoder));
                MainCodecs { decode: Stage::Decoder(decoder), encode, mixed_counter }
            }
        }
    }
}

/// Returns the stage of a filter of BOMs in UTF-8, or in UCS-4.
fn bom_stage(filter: BomFilter, is_ucs4: bool) -> Stage {
    match is_ucs4 {
        true => Stage::ByteTransform(Box::new(filter) as Box<dyn ByteTransform>),
        false => Stage::TextTransform(Box::new(filter) as Box<dyn TextTransform>),
    }
}

/// A stage with what messages call it.
pub type LabeledStage = (Stage, StageLabel);

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
    (stage, StageLabel::Transform(spec.transform))
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

/// Returns a decoder, and the counter of what it decodes if the encoding is a list of encodings.
fn counting_decoder(from: &EncodingSpec) -> (Box<dyn DecodeStage>, Option<SharedCounter>) {
    match from.encoding.factory.list() {
        Some(list) => {
            let (decoder, counter) = list.counting_decoder(&from.options);
            (decoder, Some(counter))
        }
        None => (from.encoding.decoder(&from.options), None),
    }
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

/// Adds the stages of a step between the source and the target encoding.
fn push_step(step: &ChainStep, stages: &mut Vec<LabeledStage>) {
    match step {
        ChainStep::Transform(spec, direction) => stages.push(transform_stage(spec, *direction)),
        ChainStep::Reencode(spec) => reinterpret(spec, spec, stages),
        ChainStep::Reinterpret { encode, decode } => reinterpret(encode, decode, stages),
    }
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

fn link_stages(stages: Vec<LabeledStage>, options: &TranscodeOptions) -> Vec<ChainLink> {
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

#[cfg(test)]
mod tests {
    use crate::options::TranscodeOptions;

    fn convert(from: &str, to: &str, input: &[u8]) -> Vec<u8> {
        TranscodeOptions::from_labels(from, to).unwrap().transcode(input).unwrap()
    }

    #[test]
    fn transforms_of_text_after_those_of_bytes_see_latin1() {
        let text = convert("latin1/byte-escapes/crlf", "utf-8", b"\xE9\r\n\\xEA\r\n");
        assert_eq!(text, "é\nê\n".as_bytes());
        // The two bytes of a character are two characters of ISO-8859-1.
        let text = convert("utf-8/byte-escapes/html", "utf-8", b"&#xC3;&#xA9;");
        assert_eq!(text, "é".as_bytes());
    }
}
