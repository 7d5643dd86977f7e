//! From a plan to the links of a chain.

use super::link::{Link, Stage};
use crate::charset::{self, Mark, Wide};
use crate::codec::{Filter, Surface};
use crate::filter::Opening;
use crate::header;
use crate::plan::{Bom, Plan};

/// The links of a chain, and what their order means.
pub(super) struct Chain {
    pub links: Vec<Link>,
    /// The link whose output is the text: faults before it are the source's, and lines are
    /// counted behind it.
    pub text: usize,
    /// So many links begin anew with each file; the others run on over all of them.
    pub per_file: usize,
    /// The link that strips a mark from the start of each file. What is no character may stand
    /// there instead, and then nothing behind it is at the start.
    pub strip: Option<usize>,
    /// The link that adds a mark to the start of the output.
    pub add: Option<Add>,
}

/// A link that adds a mark to the start of the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Add {
    pub at: usize,
    /// Whether a later file may begin with a mark of its own, which is dropped.
    pub drops: bool,
}

impl Chain {
    pub fn of(plan: &Plan) -> Chain {
        let filter = |opening: Opening, wide| match wide {
            true => Stage::Surface(Box::new(opening) as Box<dyn Surface>),
            false => Stage::Filter(Box::new(opening) as Box<dyn Filter>),
        };
        let (decode, encode) = match wide(plan) {
            Some((from, to)) => (
                Stage::Surface((from.decoder)(&plan.from.settings)),
                Some(Stage::Surface((to.encoder)(&plan.to.settings))),
            ),
            None => (
                Stage::Decoder(plan.from.charset.decoder(&plan.from.settings)),
                // Text is UTF-8 already: a decoder writes straight into the output.
                (!charset::is_utf8(plan.to.charset))
                    .then(|| Stage::Encoder(plan.to.charset.encoder(&plan.to.settings))),
            ),
        };
        let is_wide = matches!(decode, Stage::Surface(_));
        let mut stages = vec![decode];
        let (mut strip, mut add) = (None, None);
        // What the decoder has not dropped; another mark after that is a character.
        let may_be_marked = plan.from.charset.mark == Mark::Character;
        match plan.bom {
            Bom::Default | Bom::Keep => {}
            Bom::Add if plan.to.charset.mark != Mark::Written => {
                add = Some(Add { at: stages.len(), drops: may_be_marked });
                stages.push(filter(Opening::ADD, is_wide));
            }
            // The encoder writes a mark of its own, so that of the text would be a second one.
            Bom::Add | Bom::Strip if may_be_marked => {
                strip = Some(stages.len());
                stages.push(filter(Opening::STRIP, is_wide));
            }
            Bom::Add | Bom::Strip => {}
        }
        // A record of header lines, and what its encoder holds of it, ends with its file.
        let all = plan.message || header::is_header(plan.to.charset);
        let per_file = if strip.is_some() { 2 } else { 1 };
        stages.extend(encode);
        let per_file = if all { stages.len() } else { per_file };
        Chain { links: links(stages, plan), text: 0, per_file, strip, add }
    }
}

pub(super) fn links(stages: Vec<Stage>, plan: &Plan) -> Vec<Link> {
    let headroom = plan.policy.unmappable.longest().max(plan.policy.invalid.longest());
    let mut room = plan.block();
    let mut links = Vec::new();
    for stage in stages {
        let window = stage.window();
        links.push(Link::new(stage, room, headroom));
        room = plan.block().max(window);
    }
    links
}

/// The two halves of the 31-bit path, if both ends have such values.
fn wide(plan: &Plan) -> Option<(&'static Wide, &'static Wide)> {
    let half = |encoding: &crate::plan::Encoding| {
        let wide = encoding.charset.wide.as_ref()?;
        (wide.holds)(&encoding.settings).then_some(wide)
    };
    Some((half(&plan.from)?, half(&plan.to)?))
}
