//! From a options to the links of a chain.

use super::stage::{ChainLink, Stage};
use crate::bom::BomFilter;
use crate::codec::{ByteTransform, TextTransform};
use crate::encoding::{self, BomHandling, Ucs4Codecs};
use crate::options::{BomPolicy, TranscodeOptions};
use crate::rfc2047;

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
        let all = options.headers_only || rfc2047::is_header(options.to.encoding);
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
