//! What the pump does at a fault: ask the policy, tell the report, and go on.

use super::link::{Origin, Stage};
use super::room::{room, write};
use super::{Flow, Pump};
use crate::codec::State;
use crate::error::{Error, Stopped};
use crate::fault::{Done, Excerpt, Fault, Malformed, Unmappable, What};
use crate::filter::{MARK, NEXT_FILE, PAST};
use crate::policy::{Action, Offender};

impl Pump {
    /// Deals with bytes that link `at` has met at the front of its input.
    pub(super) fn malformed(
        &mut self,
        at: usize,
        bad: Malformed,
        flow: &mut Flow<'_>,
    ) -> Result<(), Error> {
        if self.closing && at <= self.chain.text {
            // The end is of our making, and what it cuts is no fault.
            self.step_over(at, bad);
            return Ok(());
        }
        if *self.policy.on_malformed(bad.why) == Action::Keep {
            return self.keep(at, bad, flow);
        }
        let done = self.answer_to(at, bad);
        let what = What::Malformed { len: bad.len, why: bad.why };
        self.tell(at, what, done, flow)?;

        let index = self.chain.links[at].input.position();
        let behind = at.max(self.chain.text) + 1;
        // Where nothing comes behind, nobody will ask where the answer stands.
        let asked = !self.answer.is_empty() && behind < self.chain.links.len();
        let origin = if asked { Origin::Answer(self.place(at, index)) } else { Origin::Step };
        self.step_over(at, bad);
        if self.answer.is_empty() {
            return Ok(());
        }
        let answer = std::mem::take(&mut self.answer);
        self.inject(behind, &answer, origin, flow)?;
        self.answer = answer;
        Ok(())
    }

    /// Finds the replacement for bytes that link `at` has met; says what that is to them.
    fn answer_to(&mut self, at: usize, bad: Malformed) -> Done {
        let unread = self.chain.links[at].input.unread();
        let offender = Offender::malformed(&unread[..bad.len.min(unread.len())], bad.why);
        let action = self.policy.on_malformed(bad.why);
        self.answer.clear();
        action.answer(offender, &mut self.substitutes, &mut self.answer)
    }

    /// Writes malformed bytes unchanged, past the encoder: first all that comes before them, since
    /// a later stage may hold some of it back, and errors in it.
    fn keep(&mut self, at: usize, bad: Malformed, flow: &mut Flow<'_>) -> Result<(), Error> {
        let after = at.max(self.chain.text) + 1;
        if bad.len > 0 {
            self.add_mark(flow)?;
        }
        for link in after..self.chain.links.len() {
            self.run(link, true, flow)?;
        }
        let done = self.answer_to(at, bad);
        self.tell(at, What::Malformed { len: bad.len, why: bad.why }, done, flow)?;
        let unread = self.chain.links[at].input.unread();
        let mut bytes = &unread[..bad.len.min(unread.len())];
        while !bytes.is_empty() {
            if self.out.room().is_empty() {
                write(&mut self.out, flow)?;
            }
            let room = self.out.room();
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            self.out.grow(count);
            bytes = &bytes[count..];
        }
        self.step_over(at, bad);
        Ok(())
    }

    /// Writes the byte order mark that comes before the first output, if it is still to come.
    fn add_mark(&mut self, flow: &mut Flow<'_>) -> Result<(), Error> {
        let Some(add) = self.chain.add else { return Ok(()) };
        let link = &mut self.chain.links[add.at];
        if link.stage.state() != State::START {
            return Ok(());
        }
        link.stage.resume(PAST);
        self.inject(add.at + 1, MARK, Origin::Step, flow)
    }

    fn step_over(&mut self, at: usize, bad: Malformed) {
        let link = &mut self.chain.links[at];
        link.input.take(bad.next);
        link.stage.resume(bad.then);
        if at <= self.chain.text {
            self.lines = self.lines.after_fault();
        }
        // Nothing after it is at the start of its file.
        if let Some(strip) = self.chain.strip {
            self.chain.links[strip].stage.resume(PAST);
        }
        if let Some(add) = self.chain.add
            && self.chain.links[add.at].stage.state() == NEXT_FILE
        {
            self.chain.links[add.at].stage.resume(PAST);
        }
    }

    /// Deals with a character that link `at` has met at the front of its input.
    pub(super) fn unmappable(
        &mut self,
        at: usize,
        bad: Unmappable,
        flow: &mut Flow<'_>,
    ) -> Result<(), Error> {
        let character = bad.character;
        let link = &self.chain.links[at];
        let (index, fresh) = (link.input.position(), link.fresh);
        self.answer.clear();
        if link.is_answer(index) {
            return self.reword(at, character);
        }
        let offender = Offender::unmappable(bad);
        let action = &self.policy.unmappable;
        let done = action.answer(offender, &mut self.substitutes, &mut self.answer);
        self.tell(at, What::unmappable(bad), done, flow)?;
        if at == self.chain.text + 1 && index >= fresh {
            let lines = self.lines_at(index - fresh).after_character(character);
            self.lines_seen = (index - fresh + character.len_utf8(), lines);
        }
        self.put_back(at, character)
    }

    /// A character of a replacement that the target lacks too gives way to the fallback, which it has.
    fn reword(&mut self, at: usize, character: char) -> Result<(), Error> {
        let fallback = self.substitutes.fallback;
        if fallback.contains(character) {
            return Err(Error::Stalled("fallback"));
        }
        self.answer.push_str(fallback);
        self.put_back(at, character)
    }

    /// Puts the answer in the place of the character that comes next.
    fn put_back(&mut self, at: usize, character: char) -> Result<(), Error> {
        let link = &mut self.chain.links[at];
        link.input.take(character.len_utf8());
        if !link.input.put_back(&self.answer) {
            return Err(Error::Stalled("answer"));
        }
        // Of a look-alike the rest may still stand behind what takes the place of its first character.
        link.answered = link.answered.max(link.input.position() + self.answer.len());
        Ok(())
    }

    /// Encodes the front of an answer straight into the output, if nothing waits before it; says
    /// how far it came. What is left, an encoder with look-ahead or one that lacks a character,
    /// goes the common way, which costs as much again as the fault.
    fn encode(&mut self, at: usize, text: &str, flow: &mut Flow<'_>) -> Result<usize, Error> {
        if at + 1 != self.chain.links.len() || !self.chain.links[at].input.unread().is_empty() {
            return Ok(0);
        }
        let (link, room) = room(&mut self.chain, &mut self.out, at, flow)?;
        let Stage::Encoder(encoder) = &mut link.stage else { return Ok(0) };
        let progress = encoder.encode(text, room, false);
        self.out.grow(progress.written);
        Ok(progress.read)
    }

    /// Sends text of our own into link `at`, or into the output.
    fn inject(
        &mut self,
        at: usize,
        mut text: &str,
        origin: Origin,
        flow: &mut Flow<'_>,
    ) -> Result<(), Error> {
        text = &text[self.encode(at, text, flow)?..];
        while !text.is_empty() {
            let last = at == self.chain.links.len();
            if last && self.out.room().len() < text.len() {
                self.write(flow)?;
            }
            let block = if last { &mut self.out } else { &mut self.chain.links[at].input };
            let fits = text.floor_char_boundary(block.room().len());
            if fits == 0 {
                return Err(Error::Stalled("answer"));
            }
            block.room()[..fits].copy_from_slice(&text.as_bytes()[..fits]);
            block.grow(fits);
            text = &text[fits..];
            if !last {
                self.chain.links[at].origin = origin;
                self.run(at, false, flow)?;
            }
        }
        Ok(())
    }

    /// Reports a fault; under the policy stop ends the run, after all before it is written.
    fn tell(
        &mut self,
        at: usize,
        what: What,
        done: Done,
        flow: &mut Flow<'_>,
    ) -> Result<(), Error> {
        let stopped = done == Done::Stopped;
        let mut fault = Fault { what, done, place: None, excerpt: Excerpt::default() };
        // Faults come by the million, and only the first are shown.
        let counted = !done.is_error() && flow.report.only_counts_conversions();
        let waits = !self.waiting.is_empty() && !flow.report.only_counts();
        if stopped || waits || !counted && flow.report.wants_place() {
            let index = self.chain.links[at].input.position();
            fault.excerpt = self.excerpt(at, what);
            fault.place = Some(self.place(at, index));
        }
        if stopped {
            // Whoever watches both sees the text first, then what is wrong behind it. And a stage
            // that looks ahead may still hold a fault, which stands before this one.
            self.close(at, flow)?;
            if at <= self.chain.text {
                self.report_waiting(flow);
            }
        }
        self.report(at, fault, flow);
        if !stopped {
            return Ok(());
        }
        let (from, to) = self.names;
        Err(Error::Stopped(Box::new(Stopped { fault, from, to })))
    }

    /// The bytes of an offender, and the one that should have gone on, which a reader wants to see.
    fn excerpt(&self, at: usize, what: What) -> Excerpt {
        let What::Malformed { len, why } = what else { return Excerpt::default() };
        let unread = self.chain.links[at].input.unread();
        let shown = len + why.telltale(&unread[..len.min(unread.len())]);
        let shown = &unread[..shown.min(unread.len())];
        if self.raw_lines.is_some() { Excerpt::of_text(shown) } else { Excerpt::of(shown) }
    }

    /// Makes link `at` and all behind it write what they hold back, whatever is still unread.
    fn close(&mut self, at: usize, flow: &mut Flow<'_>) -> Result<(), Error> {
        self.closing = true;
        if at > self.chain.text {
            loop {
                let (link, room) = room(&mut self.chain, &mut self.out, at, flow)?;
                match link.stage.flush(room) {
                    0 => break,
                    written => self.drain(at, written, false, flow)?,
                }
            }
        }
        for behind in at + 1..self.chain.links.len() {
            self.run(behind, true, flow)?;
        }
        self.write(flow)
    }
}
