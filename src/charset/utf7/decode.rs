//! The decoder of UTF-7 and of its mailbox form.

use super::run::{Ahead, Extent, LONGEST, Next, Taken};
use super::sets::{Alphabet, AsciiSet};
use crate::codec::{Decoder, Progress, Resume, State, Stop};
use crate::fault::{Malformed, Why};
use crate::kernel::set::Set;
use crate::kernel::utf7::decode::{Form, decode};

/// What tells one form, or one setting, from another.
pub(super) struct Rules {
    /// The octet that begins a run.
    pub shift: u8,
    pub alphabet: &'static Alphabet,
    /// Octets that stand for themselves outside a run.
    pub direct: [bool; 256],
    /// Characters that must not be in base64.
    pub needless: AsciiSet,
    /// Whether six or more bits may pad a run, if they are zero.
    pub pad: bool,
    /// Whether there is but one way to write a text: a run needs its `-`, and no run stands
    /// directly behind another.
    pub one_spelling: bool,
}

impl Rules {
    /// What the kernel has to know of them.
    fn form(&self) -> Form {
        Form {
            shift: self.shift,
            direct: Set::new(|octet| self.direct[usize::from(octet)]),
            alphabet: self.alphabet.vectors(),
            ascii_in_run: self.needless == AsciiSet::EMPTY,
            one_spelling: self.one_spelling,
        }
    }
}

/// Where the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Outside a run.
    Direct,
    /// Directly behind the `-` of a run, where another run is refused.
    Closed,
    /// Behind the bad end of a run: its `-` may follow, and no second fault is found.
    Closing,
    /// In a run.
    Run(Taken),
}

/// Stands in the state's bits for a run, above the bits taken.
const IN_RUN: u64 = 8;

impl Phase {
    fn state(self) -> State {
        State::new(match self {
            Phase::Direct => State::START.bits(),
            Phase::Closed => 1,
            Phase::Closing => 2,
            Phase::Run(taken) => IN_RUN + taken.bits(),
        })
    }

    fn of(state: State) -> Phase {
        match state.bits() {
            0 => Phase::Direct,
            1 => Phase::Closed,
            2 => Phase::Closing,
            bits => Phase::Run(Taken::new(bits.saturating_sub(IN_RUN))),
        }
    }
}

/// Both forms' decoder.
pub(super) struct Utf7Decoder {
    rules: Rules,
    form: Form,
    phase: Phase,
}

impl Utf7Decoder {
    pub(super) fn new(rules: Rules) -> Utf7Decoder {
        Utf7Decoder { form: rules.form(), rules, phase: Phase::Direct }
    }
}

impl Resume for Utf7Decoder {
    fn state(&self) -> State {
        self.phase.state()
    }

    fn resume(&mut self, at: State) {
        self.phase = Phase::of(at);
    }

    fn window(&self) -> usize {
        LONGEST
    }
}

impl Decoder for Utf7Decoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let mut text = Text { src, dst, end, read: 0, written: 0, next_try: 0 };
        let before = self.phase;
        loop {
            text.swiftly(&self.rules, &self.form, &mut self.phase);
            let step = match self.phase {
                Phase::Direct => self.rules.direct(&mut text),
                Phase::Closed => self.rules.closed(&text),
                Phase::Closing => self.rules.closing(&mut text),
                Phase::Run(taken) => self.rules.run(&mut text, taken),
            };
            match step {
                Ok(phase) => self.phase = phase,
                Err(stop) => {
                    // A phase that takes no octet is passed through again by the next call.
                    if (text.read, text.written) == (0, 0) {
                        self.phase = before;
                    }
                    return Progress { read: text.read, written: text.written, stop };
                }
            }
        }
    }
}

/// The phase behind one step, or why there was none.
type Step = Result<Phase, Stop<Malformed>>;

fn fault(len: usize, why: Why, then: Phase) -> Stop<Malformed> {
    Stop::Fault(Malformed::new(len, why, then.state()))
}

/// A fault in a unit, the last octet of which may carry bits of the next one.
fn bad_unit(unit: Extent, why: Why) -> Stop<Malformed> {
    let then = Phase::Run(unit.then).state();
    Stop::Fault(Malformed::new(unit.octets, why, then).stepping(unit.used_up))
}

impl Rules {
    fn direct(&self, text: &mut Text) -> Step {
        text.copy_while(&self.direct);
        match *text.rest() {
            [] => Err(Stop::Input),
            [octet, ..] if self.direct[usize::from(octet)] => Err(Stop::Output),
            [octet, ..] if octet != self.shift => Err(fault(1, Why::Stray, Phase::Direct)),
            [_] if text.end => Err(fault(1, Why::Truncated, Phase::Direct)),
            [_] => Err(Stop::Input),
            [_, b'-', ..] => {
                text.put(char::from(self.shift))?;
                text.read += 2;
                Ok(Phase::Direct)
            }
            [_, octet, ..] if self.alphabet.value(octet).is_none() => {
                Err(fault(1, Why::Shift, Phase::Direct))
            }
            _ => {
                text.read += 1;
                Ok(Phase::Run(Taken::NONE))
            }
        }
    }

    fn closed(&self, text: &Text) -> Step {
        match *text.rest() {
            [] => Err(Stop::Input),
            [octet] if octet == self.shift && !text.end => Err(Stop::Input),
            [octet, digit, ..] if octet == self.shift && self.alphabet.value(digit).is_some() => {
                Err(fault(1, Why::NullShift, Phase::Run(Taken::NONE)))
            }
            _ => Ok(Phase::Direct),
        }
    }

    fn closing(&self, text: &mut Text) -> Step {
        match text.rest() {
            [] => Err(Stop::Input),
            [b'-', ..] => Ok(self.hyphen(text)),
            _ => Ok(Phase::Direct),
        }
    }

    /// Takes the `-` of a run.
    fn hyphen(&self, text: &mut Text) -> Phase {
        text.read += 1;
        if self.one_spelling { Phase::Closed } else { Phase::Direct }
    }

    fn run(&self, text: &mut Text, taken: Taken) -> Step {
        let ahead = Ahead::new(text.rest(), taken, self.alphabet);
        match ahead.next(taken) {
            Next::Character(character, unit) if self.needless.has(character.into()) => {
                Err(bad_unit(unit, Why::Needless))
            }
            Next::Character(character, extent) => {
                text.put(character)?;
                text.read += extent.used_up;
                Ok(Phase::Run(extent.then))
            }
            Next::Unpaired(unit) => Err(bad_unit(unit, Why::Unpaired)),
            // More octets of the run may follow.
            _ if ahead.octets == text.rest().len() && !text.end => Err(Stop::Input),
            Next::Pending => Err(text.bad_end(&ahead, Why::Unpaired)),
            Next::Short if ahead.octets == 0 => self.terminator(text),
            Next::Short if ahead.is_blank() && (ahead.is_padding() || self.pad) => {
                text.read += ahead.octets;
                Ok(Phase::Run(Taken::NONE))
            }
            Next::Short if ahead.is_padding() => Err(text.bad_end(&ahead, Why::Padding)),
            Next::Short => Err(text.bad_end(&ahead, Why::Leftover)),
        }
    }

    /// What ends a run, all octets of which are read.
    fn terminator(&self, text: &mut Text) -> Step {
        match text.rest() {
            [b'-', ..] => Ok(self.hyphen(text)),
            _ if !self.one_spelling => Ok(Phase::Direct),
            [] => Err(fault(0, Why::Truncated, Phase::Direct)),
            _ => Err(fault(0, Why::Unclosed, Phase::Direct)),
        }
    }
}

/// Both buffers of a call, and how far it has come.
struct Text<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
    read: usize,
    written: usize,
    /// Where the kernel is worth another try.
    next_try: usize,
}

/// Octets that a kernel must have come for it to be worth a try at once.
const WORTH: usize = 16;

impl<'a> Text<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.src[self.read..]
    }

    /// Goes as far as the kernel does.
    fn swiftly(&mut self, rules: &Rules, form: &Form, phase: &mut Phase) {
        if self.read < self.next_try {
            return;
        }
        let in_run = match (*phase, self.rest().first()) {
            (Phase::Direct, Some(&octet)) => {
                if !rules.direct[usize::from(octet)] && octet != rules.shift {
                    return;
                }
                false
            }
            (Phase::Run(Taken::NONE), _) => true,
            _ => return,
        };
        let reached = decode(form, in_run, self.rest(), &mut self.dst[self.written..]);
        self.read += reached.read;
        self.written += reached.written;
        // Faults come in crowds.
        if reached.read < WORTH {
            self.next_try = self.read + WORTH;
        }
        *phase = match reached.run {
            Some(bits) => Phase::Run(Taken::new(bits.into())),
            None => Phase::Direct,
        };
    }

    fn copy_while(&mut self, direct: &[bool; 256]) {
        let (src, dst) = (self.rest(), &mut self.dst[self.written..]);
        let near = &src[..src.len().min(dst.len())];
        let run = near.iter().position(|octet| !direct[usize::from(*octet)]).unwrap_or(near.len());
        dst[..run].copy_from_slice(&near[..run]);
        self.read += run;
        self.written += run;
    }

    fn put(&mut self, character: char) -> Result<(), Stop<Malformed>> {
        let room = &mut self.dst[self.written..];
        if room.len() < character.len_utf8() {
            return Err(Stop::Output);
        }
        self.written += character.encode_utf8(room).len();
        Ok(())
    }

    /// The octets that are left of a run, as one fault.
    fn bad_end(&self, ahead: &Ahead, why: Why) -> Stop<Malformed> {
        let cut = ahead.octets == self.rest().len();
        fault(ahead.octets, if cut { Why::Truncated } else { why }, Phase::Closing)
    }
}
