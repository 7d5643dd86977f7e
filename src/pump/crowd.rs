//! Faults that come in crowds, of which only the number is wanted.
//!
//! The first faults of a file are told one by one, each with its place. Of a million more a reader
//! only wants to know that there were a million. From there on the stages mend them by themselves,
//! no lines are counted, and the report is told of whole rows of faults that are alike.

use super::answer::done;
use super::{Flow, Pump, Report};
use crate::charset;
use crate::codec::State;
use crate::fault::{Excerpt, Fault, Unmappable, What, Why};
use crate::header;
use crate::mend::Mender;
use crate::plan::Plan;
use crate::policy::{Action, Offender, Policy};

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

impl Pump {
    /// Whether the faults of link `at` from here on are only counted, up to the end of the file.
    pub(super) fn only_counts(&self, at: usize, flow: &Flow<'_>) -> bool {
        let Mends { source, target } = self.mends;
        let mends = if at <= self.chain.text { source } else { target };
        let at_start = |strip: usize| self.chain.links[strip].stage.state() == State::START;
        mends && flow.report.only_counts() && !self.chain.strip.is_some_and(at_start)
    }
}

/// Answers faults by a policy, and counts those that are alike.
pub(super) struct Crowd<'a> {
    policy: &'a Policy,
    fallback: &'static str,
    answer: &'a mut String,
    report: &'a mut dyn Report,
    /// The fault that was asked about last.
    asked: Option<Fault>,
    /// Whether its answer is that to all of its kind.
    fixed: bool,
}

impl<'a> Crowd<'a> {
    pub fn new(
        policy: &'a Policy,
        fallback: &'static str,
        answer: &'a mut String,
        report: &'a mut dyn Report,
    ) -> Crowd<'a> {
        Crowd { policy, fallback, answer, report, asked: None, fixed: false }
    }

    fn find(&mut self, what: What, action: &Action, offender: Offender<'_>) {
        self.answer.clear();
        action.answer(offender, self.fallback, self.answer);
        let done = done(action, self.answer);
        self.asked = Some(Fault { what, done, place: None, excerpt: Excerpt::default() });
    }
}

/// What a stage is given to mend with.
pub(super) fn mender<'a>(crowd: &'a mut Option<Crowd<'_>>) -> Option<&'a mut dyn Mender> {
    crowd.as_mut().map(|crowd| crowd as &mut dyn Mender)
}

impl Mender for Crowd<'_> {
    fn malformed(&mut self, bytes: &[u8], why: Why) -> bool {
        let action = self.policy.on_malformed(why);
        if matches!(action, Action::Keep | Action::Stop) {
            // What is kept may be lacking in the target, and is no fault of the input then.
            return false;
        }
        // What looks like a character does not look like bytes.
        self.fixed = !matches!(action, Action::Escape(_));
        let what = What::Malformed { len: bytes.len(), why };
        self.find(what, action, Offender::malformed(bytes, why));
        true
    }

    fn unmappable(&mut self, fault: Unmappable) -> bool {
        let action = &self.policy.unmappable;
        self.fixed = !matches!(action, Action::Escape(_) | Action::Translit);
        let value = Offender::Value(fault.value());
        self.find(What::unmappable(fault), action, value);
        true
    }

    fn answer(&self) -> &str {
        self.answer
    }

    fn fallback(&self) -> &str {
        self.fallback
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
