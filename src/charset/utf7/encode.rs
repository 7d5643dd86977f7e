//! The encoder of UTF-7 and of its mailbox form.

use super::sets::{Alphabet, AsciiSet};
use crate::codec::{Encoder, Progress, Resume, State};
use crate::fault::Unmappable;
use crate::kernel::set::Set;
use crate::kernel::utf7::encode::{Form, encode};

/// What tells one form, or one setting, from another.
pub(super) struct Rules {
    /// The octet that begins a run.
    pub shift: u8,
    pub alphabet: &'static Alphabet,
    /// Octets that stand for themselves.
    pub direct: [bool; 256],
    /// Characters that a run must close before with a `-`.
    pub hyphen_before: AsciiSet,
    /// Whether the shift character stays in a run that is open.
    pub shift_in_run: bool,
}

impl Rules {
    /// What the kernel has to know of them.
    fn form(&self) -> Form {
        Form {
            shift: self.shift,
            direct: Set::new(|octet| self.direct[usize::from(octet)]),
            alphabet: self.alphabet.vectors(),
            hyphen_before: self.hyphen_before.table(),
            shift_in_run: self.shift_in_run,
        }
    }
}

/// Bits of a run that do not fill an octet yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pending {
    pub bits: u64,
    /// How many: 0, 2 or 4.
    pub len: usize,
}

impl Pending {
    pub(super) const NONE: Pending = Pending { bits: 0, len: 0 };
}

/// The octets of one character, at most: six digits of a pair, or in their place a shift and five.
const LONGEST: usize = 6;

/// Stands in the state's bits for a run; below it are three bits of length and four of the rest.
const IN_RUN: u64 = 1 << 7;

/// Both forms' encoder.
pub(super) struct Utf7Encoder {
    rules: Rules,
    form: Form,
    /// The run that is open.
    run: Option<Pending>,
}

impl Utf7Encoder {
    pub(super) fn new(rules: Rules) -> Utf7Encoder {
        Utf7Encoder { form: rules.form(), rules, run: None }
    }
}

impl Resume for Utf7Encoder {
    fn state(&self) -> State {
        match self.run {
            None => State::START,
            Some(Pending { bits, len }) => State::new(IN_RUN | (len as u64) << 4 | bits),
        }
    }

    fn resume(&mut self, at: State) {
        let bits = at.bits();
        self.run = (bits & IN_RUN != 0)
            .then_some(Pending { bits: bits & 0xF, len: (bits >> 4 & 0b110) as usize });
    }

    fn window(&self) -> usize {
        LONGEST
    }
}

impl Encoder for Utf7Encoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            if let None | Some(Pending::NONE) = self.run {
                let in_run = self.run.is_some();
                let reached = encode(&self.form, in_run, &src[read..], &mut dst[written..]);
                read += reached.read;
                written += reached.written;
                self.run = reached.in_run.then_some(Pending::NONE);
            }
            let next = src[read..].chars().next();
            let mut octets = Octets::default();
            let run = match (next, self.run) {
                (Some(character), run) => self.rules.put(character, run, &mut octets),
                (None, Some(run)) if end => self.rules.close(run, true, &mut octets),
                (None, _) => return Progress::input(read, written),
            };
            if !octets.copy_to(&mut dst[written..]) {
                return Progress::output(read, written);
            }
            written += octets.len;
            read += next.map_or(0, char::len_utf8);
            self.run = run;
        }
    }
}

impl Rules {
    /// Encodes a character; gives back the run that is open behind it.
    fn put(&self, character: char, run: Option<Pending>, to: &mut Octets) -> Option<Pending> {
        let is_shift = character == char::from(self.shift);
        let is_direct = character.is_ascii() && self.direct[character as usize];
        match run {
            Some(run) if is_direct || is_shift && !self.shift_in_run => {
                self.close(run, self.hyphen_before.has(character.into()), to);
            }
            Some(run) => return Some(self.digits(character, run, to)),
            None => {}
        }
        if is_direct {
            to.push(character as u8);
            return None;
        }
        to.push(self.shift);
        if is_shift {
            to.push(b'-');
            return None;
        }
        Some(self.digits(character, Pending::NONE, to))
    }

    /// Puts the UTF-16 of a character behind the pending bits, and out what fills octets.
    fn digits(&self, character: char, run: Pending, to: &mut Octets) -> Pending {
        let Pending { mut bits, mut len } = run;
        for unit in character.encode_utf16(&mut [0; 2]) {
            bits = bits << 16 | u64::from(*unit);
            len += 16;
        }
        while len >= 6 {
            len -= 6;
            to.push(self.alphabet.digit(bits >> len));
        }
        Pending { bits: bits & ((1 << len) - 1), len }
    }

    /// Fills the last octet of a run with zeros.
    fn close(&self, run: Pending, hyphen: bool, to: &mut Octets) -> Option<Pending> {
        if run.len > 0 {
            to.push(self.alphabet.digit(run.bits << (6 - run.len)));
        }
        if hyphen {
            to.push(b'-');
        }
        None
    }
}

/// The octets of one character, which are written together or not at all.
#[derive(Default)]
struct Octets {
    octets: [u8; LONGEST],
    len: usize,
}

impl Octets {
    fn push(&mut self, octet: u8) {
        self.octets[self.len] = octet;
        self.len += 1;
    }

    /// Whether there was room.
    fn copy_to(&self, dst: &mut [u8]) -> bool {
        let Some(room) = dst.get_mut(..self.len) else { return false };
        room.copy_from_slice(&self.octets[..self.len]);
        true
    }
}
