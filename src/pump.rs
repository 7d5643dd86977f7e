//! The loop: bytes in, through the links of a chain, bytes out.
//!
//! Data runs one way. A link's output is drained through everything behind it before the link runs
//! again, so memory is one block a link whatever the input, all output that the input allows has
//! been written before more input is asked for, and a fault can be located by replay.
//! A codec never sees the pump, and a new codec never changes it.

use std::fmt;
use std::io::Write;

use crate::codec::Stop;
use crate::error::Error;
use crate::fault::Fault;
use crate::header;
use crate::kernel::block::Block;
use crate::plan::Plan;
use crate::policy::{Policy, Substitutes};

mod answer;
mod carry;
mod chain;
mod crowd;
mod in_place;
pub(crate) mod lines;
pub(crate) mod link;
pub(crate) mod locate;
pub(crate) mod message;
mod order;
pub(crate) mod raw_lines;
mod room;
#[cfg(test)]
mod tests;

use chain::Chain;
use crowd::{Bulk, Crowd, Mends};
use lines::Lines;
use link::{Met, Origin};
use message::Message;
use order::Waiting;
use raw_lines::RawLines;
use room::room;

/// Receives every conversion error, in the order of their positions in the input.
pub trait Report {
    /// Whether the next fault should come with its place and its bytes, which take time to find.
    fn wants_place(&self) -> bool;

    /// A fault was met, and this was done about it.
    fn fault(&mut self, fault: &Fault);

    /// Whether up to the end of the file nothing is wanted of faults but their number, so that they
    /// need not be told one by one, nor those of bytes before those of characters behind them.
    fn only_counts(&self) -> bool {
        false
    }

    /// Whether of characters that are transliterated or escaped, as the policy says, nothing is
    /// wanted but their number, so that they need not be reported one by one, nor before errors
    /// that come later. They are [not errors](crate::fault::Done::is_error).
    fn only_counts_conversions(&self) -> bool {
        self.only_counts()
    }

    /// So many faults of one kind were met of which only the number was wanted, the same was done
    /// about all, and this is the first of them.
    fn faults(&mut self, fault: &Fault, count: u64) {
        for _ in 0..count {
            self.fault(fault);
        }
    }
}

/// The machine that carries out a [`Plan`].
///
/// Read input into [`space`](Pump::space), say how much with [`filled`](Pump::filled), and end
/// with [`end_of_file`](Pump::end_of_file) after each file and [`finish`](Pump::finish) after the
/// last. After an error the pump is of no more use.
pub struct Pump {
    chain: Chain,
    out: Block,
    block: usize,
    policy: Policy,
    substitutes: Substitutes,
    answer: String,
    /// Errors of bytes that are reported after those of the text before them.
    waiting: Waiting,
    /// Whether the input is text that may be used where it stands.
    in_place: bool,
    /// Which stages may mend faults of which only the number is wanted.
    mends: Mends,
    names: (&'static str, &'static str),
    /// Offset in the file of index 0 of the first link's block; wraps below nought.
    base: u64,
    /// Where the text stage's last step began.
    lines: Lines,
    /// The lines of the file, where those of the text are others.
    raw_lines: Option<RawLines>,
    /// How far into the text stage's last output lines have been counted, and to what.
    lines_seen: (usize, Lines),
    scratch: Box<[u8]>,
    /// How far the message has come, if only the header block of one is to be converted.
    message: Option<Message>,
    /// Whether a fault has stopped the run and only what was held back is being written.
    closing: bool,
}

/// What a run writes to and tells.
struct Flow<'a> {
    out: &'a mut dyn Write,
    report: &'a mut dyn Report,
}

impl Pump {
    pub(crate) fn new(plan: &Plan, substitutes: Substitutes) -> Pump {
        Pump::over(Chain::of(plan), plan, substitutes)
    }

    fn over(chain: Chain, plan: &Plan, substitutes: Substitutes) -> Pump {
        let window = chain.links.iter().map(|link| link.window).max().unwrap_or(1);
        let base = (chain.links[0].input.position() as u64).wrapping_neg();
        Pump {
            chain,
            // Room for a window is asked for before each step, with a block full of output still
            // unwritten: else a stage that looks far ahead would cause a write a fault.
            out: Block::new(0, plan.block() + window),
            block: plan.block(),
            policy: plan.policy.clone(),
            substitutes,
            answer: String::with_capacity(256),
            waiting: Waiting::default(),
            in_place: in_place::suits(plan),
            mends: Mends::under(plan),
            names: (plan.from.charset.name, plan.to.charset.name),
            base,
            lines: Lines::START,
            raw_lines: header::is_header(plan.from.charset).then(RawLines::default),
            lines_seen: (0, Lines::START),
            scratch: vec![0; locate::SCRATCH.max(window)].into_boxed_slice(),
            message: plan.message.then(Message::default),
            closing: false,
        }
    }

    /// Where to put the next input. Never empty.
    pub fn space(&mut self) -> &mut [u8] {
        let room = self.chain.links[0].input.room();
        let most = self.block.min(room.len());
        &mut room[..most]
    }

    /// Converts `bytes` bytes that were put into [`space`](Pump::space), and writes all that can
    /// be written.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] at a fault under a policy that says so, after all before it has been
    /// written; [`Error::Write`].
    pub fn filled(
        &mut self,
        bytes: usize,
        out: &mut dyn Write,
        report: &mut dyn Report,
    ) -> Result<(), Error> {
        let flow = &mut Flow { out, report };
        if self.message.is_some() {
            return self.split(bytes, flow);
        }
        self.take_in(bytes);
        self.run(0, false, flow)?;
        self.report_encoded(flow);
        self.write(flow)
    }

    /// Gives the first link bytes that were put into its block.
    fn take_in(&mut self, bytes: usize) {
        let link = &mut self.chain.links[0];
        let input = &mut link.input;
        if let Some(raw) = &mut self.raw_lines {
            let index = input.position() + input.unread().len();
            raw.note(self.base.wrapping_add(index as u64), &input.room()[..bytes]);
        }
        link.take_in(bytes);
    }

    /// Ends one input file: a character that it cuts is a fault, and what follows begins anew.
    ///
    /// # Errors
    ///
    /// As [`filled`](Pump::filled).
    pub fn end_of_file(
        &mut self,
        out: &mut dyn Write,
        report: &mut dyn Report,
    ) -> Result<(), Error> {
        let flow = &mut Flow { out, report };
        self.end_links(self.chain.per_file, flow)?;
        self.report_waiting(flow);
        self.message = self.message.map(|_| Message::default());
        self.base = (self.chain.links[0].input.position() as u64).wrapping_neg();
        self.lines = Lines::START;
        self.raw_lines = self.raw_lines.take().map(|_| RawLines::default());
        self.write(flow)
    }

    /// Ends the output: the encoder writes what it holds back.
    ///
    /// # Errors
    ///
    /// As [`filled`](Pump::filled).
    pub fn finish(&mut self, out: &mut dyn Write, report: &mut dyn Report) -> Result<(), Error> {
        let flow = &mut Flow { out, report };
        for at in self.chain.per_file..self.chain.links.len() {
            self.run(at, true, flow)?;
        }
        self.write(flow)
    }

    /// Runs a link until it wants more input, and everything behind it with it.
    fn run(&mut self, at: usize, end: bool, flow: &mut Flow<'_>) -> Result<(), Error> {
        let mut detour = in_place::Detour::default();
        loop {
            let most = if at == 0 { self.shortcut(&mut detour, flow)? } else { usize::MAX };
            self.step(at, end, most, flow)?;
            match self.chain.links[at].stop {
                Stop::Input => break,
                Stop::Output => {}
                Stop::Fault(Met::Malformed(bad)) => self.malformed(at, bad, flow)?,
                Stop::Fault(Met::Unmappable(bad)) => self.unmappable(at, bad, flow)?,
            }
        }
        self.carry(at);
        Ok(())
    }

    /// Calls a link's stage once and drains what it wrote.
    fn step(
        &mut self,
        at: usize,
        end: bool,
        most: usize,
        flow: &mut Flow<'_>,
    ) -> Result<(), Error> {
        let bulk = match self.chain.links[at].holds_answer() {
            true => Bulk::Nothing,
            false => self.bulk(at, flow),
        };
        let (link, room) = room(&mut self.chain, &mut self.out, at, flow)?;
        let most = most.max(link.window).min(room.len());
        let room = &mut room[..most];
        let (substitutes, answer) = (&mut self.substitutes, &mut self.answer);
        let mut crowd = Crowd::new(bulk, &self.policy, substitutes, answer, flow.report);
        let moved = link.step(room, end, crowd::mender(&mut crowd));
        match moved {
            (0, 0) if link.stop == Stop::Output => Err(Error::Stalled(link.stage.name())),
            (_, 0) => Ok(()),
            (_, written) => self.drain(at, written, bulk == Bulk::Everything, flow),
        }
    }

    /// Passes on what a link wrote, in which answers may stand.
    fn drain(
        &mut self,
        at: usize,
        written: usize,
        mended: bool,
        flow: &mut Flow<'_>,
    ) -> Result<(), Error> {
        let last = at + 1 == self.chain.links.len();
        let target = if last { &mut self.out } else { &mut self.chain.links[at + 1].input };
        let text = &target.room()[..written];
        // Lines serve places, and where text was mended nobody asks for any.
        let after = (at == self.chain.text && !mended).then(|| self.lines.after(text));
        target.grow(written);
        if after.is_some() {
            self.lines_seen = (0, self.lines);
        }
        if !last {
            self.chain.links[at + 1].origin = if mended { Origin::Mended } else { Origin::Step };
            self.run(at + 1, false, flow)?;
        }
        if let Some(after) = after {
            self.lines = after;
        }
        Ok(())
    }
}

impl fmt::Debug for Pump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.names;
        let mut shown = f.debug_struct("Pump");
        shown.field("from", &from).field("to", &to).field("policy", &self.policy);
        shown.finish_non_exhaustive()
    }
}
