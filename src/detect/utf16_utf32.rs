//! UTF-16 and UTF-32, with the byte order mark or without.

use super::prober::DecoderProber;

/// What is tried without a mark. UTF-32 comes first: hardly anything else is valid in it.
const BOMLESS_ENCODINGS: [&str; 4] = ["UTF-32LE", "UTF-32BE", "UTF-16LE", "UTF-16BE"];

/// Trials over the whole input.
#[derive(Default)]
pub(super) struct Utf16Utf32Prober {
    probers: Vec<DecoderProber>,
    /// Whether a mark says which it is.
    has_bom: bool,
}

impl Utf16Utf32Prober {
    /// Begins: with the encoding that a mark calls for, else with every one.
    pub(super) fn start(&mut self, bom_encoding: Option<&str>) {
        let names = bom_encoding.as_ref().map_or(&BOMLESS_ENCODINGS[..], std::slice::from_ref);
        self.probers = names.iter().filter_map(|name| DecoderProber::for_label(name)).collect();
        self.has_bom = bom_encoding.is_some();
        if self.has_bom {
            self.probers.iter_mut().for_each(DecoderProber::continue_after_errors);
        }
    }

    /// Looks at the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        self.probers.iter_mut().for_each(|prober| prober.feed(bytes));
        if !self.has_bom {
            self.probers.retain(DecoderProber::is_alive);
        }
    }

    /// The input ends here.
    pub(super) fn finish(&mut self) {
        self.probers.iter_mut().for_each(DecoderProber::finish);
    }

    /// Whether nothing is left to try.
    pub(super) fn is_exhausted(&self) -> bool {
        self.probers.is_empty()
    }

    /// What the mark calls for.
    pub(super) fn marked(&self) -> Option<&DecoderProber> {
        self.probers.first().filter(|_| self.has_bom)
    }

    /// What the input looks like without a mark, the best first.
    pub(super) fn ranked_probers(&self) -> Vec<&DecoderProber> {
        let is_plausible = |prober: &&DecoderProber| {
            let is_fragment = prober.is_truncated() && prober.stats.is_too_short();
            prober.is_alive() && prober.stats.is_plausible() && !is_fragment
        };
        let mut plausible: Vec<&DecoderProber> = self.probers.iter().filter(is_plausible).collect();
        // The sort keeps UTF-32 in front where both are the same.
        plausible.sort_by_key(|trial| std::cmp::Reverse(trial.stats.anchors()));
        plausible
    }
}
