//! Faults that come in crowds, of which only the number is wanted.
//!
//! The first faults of a file are told one by one, each with its place. Of a million more a reader
//! only wants to know that there were a million. From there on the stages mend them by themselves,
//! no lines are counted, and the report is told of whole rows of faults that are alike.

use super::{Flow, Pump, Report};
use crate::charset;
use crate::codec::State;
use crate::fault::{Done, Excerpt, Fault, Unmappable, What, Why};
use crate::filter::NEXT_FILE;
use crate::header;
use crate::mend::Mender;
use crate::plan::Plan;
use crate::policy::{Action, Offender, Policy, Substitutes};

/// Which stages may mend what they find under a plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mends {
    source: bool,
    target: bool,
}

impl Mends {
    /// A fault that ends the run has to be placed, which it cannot be behind a source that mends.
    pub fn under(plan: &Plan) -> Mends {
        let Policy { invalid, unmappable } = &plan.policy;
        let target = plan.fast && *unmappable != Action::Stop;
        // What replaces bytes must not be unmappable itself: it would be counted once more.
        let source = plan.fast
            && *invalid != Action::Stop
            && (target || nothing_lacks(plan))
            && (!header::is_header(plan.to.charset) || invalid.repertoire().is_ascii());
        Mends { source, target }
    }
}

/// Whether every character of the source has a code in the target.
fn nothing_lacks(plan: &Plan) -> bool {
    let wide = plan.from.charset.wide.as_ref();
    charset::is_utf8(plan.to.charset) && !wide.is_some_and(|wide| (wide.holds)(&plan.from.settings))
}

/// What a stage may answer by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bulk {
    /// Nothing: each error is reported by itself.
    Nothing,
    /// Characters that are written as a transliteration or an escape, which are not errors.
    Conversions,
    /// All that the policy has an answer to.
    Everything,
}

impl Pump {
    /// What of link `at` is only counted from here on, up to the end of the file.
    pub(super) fn bulk(&self, at: usize, flow: &Flow<'_>) -> Bulk {
        let Mends { source, target } = self.mends;
        let is_source = at <= self.chain.text;
        let allowed = if is_source { source } else { target };
        if !allowed || self.awaits_mark() {
            Bulk::Nothing
        } else if flow.report.only_counts() {
            Bulk::Everything
        } else if !is_source && flow.report.only_counts_conversions() {
            Bulk::Conversions
        } else {
            Bulk::Nothing
        }
    }

    /// Whether a filter would drop a mark if it came next. A malformed sequence may come first
    /// instead, which only the ordinary path reports to the filter.
    fn awaits_mark(&self) -> bool {
        let state = |at: usize| self.chain.links[at].stage.state();
        self.chain.strip.is_some_and(|strip| state(strip) == State::START)
            || self.chain.add.is_some_and(|add| state(add.at) == NEXT_FILE)
    }
}

/// Answers faults by a policy, and counts those that are alike.
pub(super) struct Crowd<'a> {
    policy: &'a Policy,
    substitutes: &'a mut Substitutes,
    answer: &'a mut String,
    report: &'a mut dyn Report,
    bulk: Bulk,
    /// The fault that was asked about last.
    asked: Option<Fault>,
    /// Whether its answer is that to all of its kind.
    fixed: bool,
}

impl<'a> Crowd<'a> {
    /// What a stage may answer by itself, if there is anything.
    pub fn new(
        bulk: Bulk,
        policy: &'a Policy,
        substitutes: &'a mut Substitutes,
        answer: &'a mut String,
        report: &'a mut dyn Report,
    ) -> Option<Crowd<'a>> {
        let crowd = Crowd { policy, substitutes, answer, report, bulk, asked: None, fixed: false };
        (bulk != Bulk::Nothing).then_some(crowd)
    }

    /// Finds the replacement; says whether it may be written without a report.
    fn find(&mut self, what: What, action: &Action, offender: Offender<'_>) -> bool {
        self.answer.clear();
        let done = action.answer(offender, self.substitutes, self.answer);
        if done.is_error() && self.bulk == Bulk::Conversions || done == Done::Stopped {
            return false;
        }
        self.asked = Some(Fault { what, done, place: None, excerpt: Excerpt::default() });
        true
    }
}

/// What a stage is given to mend with.
pub(super) fn mender<'a>(crowd: &'a mut Option<Crowd<'_>>) -> Option<&'a mut dyn Mender> {
    crowd.as_mut().map(|crowd| crowd as &mut dyn Mender)
}

impl Mender for Crowd<'_> {
    fn malformed(&mut self, bytes: &[u8], why: Why) -> bool {
        let action = self.policy.on_malformed(why);
        if action.is_for_bytes() || *action == Action::Stop {
            // What is kept goes past the encoder, or may be lacking in the target.
            return false;
        }
        // What looks like a character does not look like bytes.
        self.fixed = !matches!(action, Action::Escape(_));
        let what = What::Malformed { len: bytes.len(), why };
        self.find(what, action, Offender::malformed(bytes, why))
    }

    fn unmappable(&mut self, fault: Unmappable) -> bool {
        let action = &self.policy.unmappable;
        self.fixed = !matches!(action, Action::Escape(_) | Action::Translit);
        self.find(What::unmappable(fault), action, Offender::unmappable(fault))
    }

    fn answer(&self) -> &str {
        self.answer
    }

    fn fallback(&self) -> &str {
        self.substitutes.fallback
    }

    fn is_fixed(&self) -> bool {
        self.fixed
    }

    fn count(&mut self, times: usize) {
        if let Some(fault) = &self.asked {
            self.report.faults(fault, times as u64);
        }
    }
}
