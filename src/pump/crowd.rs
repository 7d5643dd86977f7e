//! Faults that come in crowds, of which only the number is wanted.
//!
//! The first faults of a file are told one by one, each with its place. Of a million more a reader
//! only wants to know that there were a million. From there on the stages mend them by themselves,
//! no lines are counted, and the report is told of whole rows of faults that are alike.

use super::answer::done;
use super::{Flow, Pump, Report};
use crate::codec::State;
use crate::fault::{Done, Excerpt, Fault, Unmappable, What, Why};
use crate::header;
use crate::mend::Mender;
use crate::plan::Plan;
use crate::policy::{Action, Offender, Policy};

/// Whether faults may be mended at all under this plan. A fault that ends the run has to be placed.
/// Beside header words, what an answer is depends on where it stands.
pub(super) fn suits(plan: &Plan) -> bool {
    let Policy { invalid, unmappable } = &plan.policy;
    let ends = [&plan.from, &plan.to];
    ![invalid, unmappable].contains(&&Action::Stop)
        && !ends.iter().any(|end| header::is_header(end.charset))
}

impl Pump {
    /// Whether faults from here on are only counted, up to the end of the file.
    pub(super) fn only_counts(&self, flow: &Flow<'_>) -> bool {
        let at_start = |strip: usize| self.chain.links[strip].stage.state() == State::START;
        self.mends && flow.report.only_counts() && !self.chain.strip.is_some_and(at_start)
    }
}

/// Answers faults by a policy, and counts those that are alike.
pub(super) struct Crowd<'a> {
    policy: &'a Policy,
    fallback: &'static str,
    answer: &'a mut String,
    report: &'a mut dyn Report,
    /// The fault that was asked about last, and what is done about it.
    asked: Option<(What, Done)>,
    /// Faults like this have been met so many times in a row.
    row: Option<(What, Done, u64)>,
}

impl<'a> Crowd<'a> {
    pub fn new(
        policy: &'a Policy,
        fallback: &'static str,
        answer: &'a mut String,
        report: &'a mut dyn Report,
    ) -> Crowd<'a> {
        Crowd { policy, fallback, answer, report, asked: None, row: None }
    }

    /// Tells the report of the last row.
    fn tell(&mut self) {
        if let Some((what, done, count)) = self.row.take() {
            let fault = Fault { what, done, place: None, excerpt: Excerpt::default() };
            self.report.faults(&fault, count);
        }
    }
}

impl Drop for Crowd<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}

/// What a stage is given to mend with.
pub(super) fn mender<'a>(crowd: &'a mut Option<Crowd<'_>>) -> Option<&'a mut dyn Mender> {
    crowd.as_mut().map(|crowd| crowd as &mut dyn Mender)
}

impl Mender for Crowd<'_> {
    fn malformed(&mut self, bytes: &[u8], why: Why) -> Option<&str> {
        let what = What::Malformed { len: bytes.len(), why };
        let action = self.policy.on_malformed(why);
        let same = self.asked.is_some_and(|(asked, _)| asked == what);
        match action {
            // What is kept may be lacking in the target, and is no fault of the input then.
            Action::Keep => return None,
            Action::Skip | Action::Replace(_) | Action::Translit if same => {}
            _ => {
                self.answer.clear();
                action.answer(Offender::malformed(bytes, why), self.fallback, self.answer);
                self.asked = Some((what, done(action, self.answer)));
            }
        }
        Some(self.answer)
    }

    fn unmappable(&mut self, fault: Unmappable) -> Option<&str> {
        let action = &self.policy.unmappable;
        self.answer.clear();
        let value = Offender::Value(fault.character.into());
        action.answer(value, self.fallback, self.answer);
        self.asked = Some((What::unmappable(fault), done(action, self.answer)));
        Some(self.answer)
    }

    #[inline]
    fn count(&mut self, times: usize) {
        let Some((asked, done)) = self.asked else { return };
        match &mut self.row {
            Some((what, _, count)) if *what == asked => *count += times as u64,
            _ => {
                self.tell();
                self.row = Some((asked, done, times as u64));
            }
        }
    }
}
