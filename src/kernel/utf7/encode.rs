//! From text to UTF-7.

use super::{Step, WINDOW, copy, units};
use crate::kernel::base64::{self, Alphabet, UNITS};
use crate::kernel::set::{self, Set};
use crate::kernel::simd::{self, Loop, Simd, WIDTH};

/// What tells one form, or one setting, from another.
#[derive(Debug, Clone)]
pub struct Form {
    /// The octet that begins a run.
    pub shift: u8,
    /// Octets that stand for themselves.
    pub direct: Set,
    /// The digits.
    pub alphabet: Alphabet,
    /// Octets that a run must close before with a `-`.
    pub hyphen_before: [bool; 256],
    /// Whether the shift character stays in a run that is open.
    pub shift_in_run: bool,
}

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Bytes taken.
    pub read: usize,
    /// Octets put.
    pub written: usize,
    /// Whether a run is open there. No bits of it are left over.
    pub in_run: bool,
}

/// Bytes that must be there: a step may begin at the last of a window, and looks at twelve units
/// of three bytes and a few more.
pub(super) const NEAR: usize = WINDOW + 3 * 2 * UNITS + 4;
/// Octets that there must be room for: a shift, digits, a `-`, and what may follow in a window.
pub(super) const ROOM: usize = 1 + 2 * WIDTH + 1 + WINDOW;

/// Encodes `text` from its front on, from the outside of a run or from where no bits of it are left
/// over. Stops where the room might not do or the end is near, and seldom elsewhere.
#[inline]
pub fn encode(form: &Form, in_run: bool, text: &str, dst: &mut [u8]) -> Reached {
    if text.len() < NEAR || dst.len() < ROOM {
        return Reached { read: 0, written: 0, in_run };
    }
    simd::run(Encode { form, in_run, text, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn at(
    level: simd::Level,
    form: &Form,
    in_run: bool,
    text: &str,
    dst: &mut [u8],
) -> Reached {
    level.run(Encode { form, in_run, text, dst })
}

struct Encode<'a> {
    form: &'a Form,
    in_run: bool,
    text: &'a str,
    dst: &'a mut [u8],
}

impl Loop for Encode<'_> {
    type Answer = Reached;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Reached {
        let Encode { form, in_run, text, mut dst } = self;
        let (mut src, room) = (text.as_bytes(), dst.len());
        let (direct, alphabet) = (form.direct.vectors(simd), form.alphabet.vectors(simd));
        let mut writer = Writer { simd, form, direct, alphabet, in_run };
        let mut certain = true;
        while certain {
            if !writer.in_run {
                let copied = direct.copy(simd, src, dst);
                src = &src[copied..];
                dst = &mut dst[copied..];
            }
            let Some(near) = src.first_chunk() else { break };
            if dst.len() < ROOM {
                break;
            }
            let (read, written);
            (read, written, certain) = writer.window(near, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        Reached { read: text.len() - src.len(), written: room - dst.len(), in_run: writer.in_run }
    }
}

struct Writer<'a, S: Simd> {
    simd: S,
    form: &'a Form,
    direct: set::Vectors<S>,
    alphabet: base64::Vectors<S>,
    in_run: bool,
}

/// For each byte of a window a bit, that of the first one lowest.
#[derive(Default)]
struct Window {
    /// Stands for itself.
    direct: u64,
    /// Does not end a run.
    inside: u64,
    ascii: u64,
    /// First bytes of two, three and four.
    twos: u64,
    threes: u64,
    fours: u64,
}

const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

/// The first so many units of two vectors, six in each, that come from so many bytes.
struct Run<S: Simd> {
    units: [S::Bytes; 2],
    count: usize,
    read: usize,
}

impl<S: Simd> Writer<'_, S> {
    #[inline(always)]
    fn sort(&self, near: &[u8; NEAR]) -> Window {
        let mut window = Window::default();
        let simd = self.simd;
        for (index, text) in near.as_chunks().0.iter().take(WINDOW / WIDTH).enumerate() {
            let text = simd.load(text);
            let high = |bits: u8, value: u8| {
                simd.mask8(simd.equal8(simd.and(text, simd.splat8(bits)), simd.splat8(value)))
            };
            let (twos, threes, fours) = (high(0xE0, 0xC0), high(0xF0, 0xE0), high(0xF8, 0xF0));
            let shifts = simd.mask8(simd.equal8(text, simd.splat8(self.form.shift)));
            let others = self.direct.others(simd, text);
            let ends = if self.form.shift_in_run { 0 } else { shifts };
            let at = index * WIDTH;
            window.direct |= u64::from(!others & 0xFFFF) << at;
            window.inside |= u64::from(others & !ends) << at;
            window.ascii |= u64::from(!simd.mask8(text) & 0xFFFF) << at;
            window.twos |= u64::from(twos) << at;
            window.threes |= u64::from(threes) << at;
            window.fours |= u64::from(fours) << at;
        }
        window
    }

    /// Writes the runs that end in a window, and what stands between them. Bytes read and octets
    /// written, and whether there was no doubt.
    #[inline(always)]
    fn window(&mut self, near: &[u8; NEAR], mut dst: &mut [u8]) -> (usize, usize, bool) {
        let (window, room) = (self.sort(near), dst.len());
        let (mut at, mut certain) = (0, true);
        while at < WINDOW
            && certain
            && let Some(to) = dst.first_chunk_mut()
        {
            match self.step(near, &window, at, to) {
                Step::Inside(read, written) => {
                    self.in_run = true;
                    at += read;
                    dst = &mut dst[written..];
                }
                Step::Outside(read, written) => {
                    self.in_run = false;
                    at += read;
                    dst = &mut dst[written..];
                    if at < WINDOW {
                        let copied = copy(near, at, window.direct, dst);
                        at += copied;
                        dst = &mut dst[copied..];
                    }
                }
                Step::Cut => break,
                Step::Doubt => certain = false,
            }
        }
        (at, room - dst.len(), certain)
    }

    /// Writes a run, or as much of it as is written at a time, or a shift that stands for itself.
    #[inline(always)]
    fn step(&self, near: &[u8; NEAR], window: &Window, at: usize, to: &mut [u8; ROOM]) -> Step {
        to[0] = self.form.shift;
        if !self.in_run && near[at] == self.form.shift {
            to[1] = b'-';
            return Step::Outside(1, 2);
        }
        let len = (window.inside >> at).trailing_ones() as usize;
        let is_cut = at + len == WINDOW;
        let shift = usize::from(!self.in_run);
        match self.units(near, window, at, len) {
            Some(run) if run.read < len => {
                Step::Inside(run.read, shift + self.digits(&run, &mut to[shift..]))
            }
            Some(run) if !is_cut => {
                let written = shift + self.digits(&run, &mut to[shift..]);
                to[written] = b'-';
                let hyphen = self.form.hyphen_before[usize::from(near[at + len])];
                Step::Outside(len, written + usize::from(hyphen))
            }
            // From the front of a window more of the run will be in sight.
            _ if is_cut && at > 0 => Step::Cut,
            _ => Step::Doubt,
        }
    }

    /// The next units of a run that goes on for `len` bytes: all of them, or a number that leaves
    /// no bits over.
    #[inline(always)]
    fn units(&self, near: &[u8; NEAR], window: &Window, at: usize, len: usize) -> Option<Run<S>> {
        let (simd, text) = (self.simd, &near[at..]);
        let are = |leads: u64, pattern: u64, len: usize| {
            ((leads >> at) ^ pattern) & !(u64::MAX << len) == 0
        };
        let (two, three, one) = (len.min(4 * UNITS), len.min(6 * UNITS), len.min(UNITS));
        if are(window.twos, EVERY_SECOND, two) {
            let (first, second) = (text.first_chunk()?, text[2 * UNITS..].first_chunk()?);
            let units = [units::twos(simd, first), units::twos(simd, second)];
            Some(Run { units, count: two / 2, read: two })
        } else if are(window.threes, EVERY_THIRD, three) {
            let (first, second) = (text.first_chunk()?, text[3 * UNITS..].first_chunk()?);
            let units = [units::threes(simd, first), units::threes(simd, second)];
            Some(Run { units, count: three / 3, read: three })
        } else if are(window.ascii, u64::MAX, one) {
            let units = units::ones(simd, text.first_chunk()?);
            Some(Run { units: [units; 2], count: one, read: one })
        } else if are(window.fours, EVERY_FOURTH, two) {
            let (first, second) = (text.first_chunk()?, text[2 * UNITS..].first_chunk()?);
            let units = [units::fours(simd, first), units::fours(simd, second)];
            Some(Run { units, count: two / 2, read: two })
        } else {
            let (lanes, count, read) = units::mixed(text, len)?;
            Some(Run { units: lanes.map(|lanes| simd.load(&lanes)), count, read })
        }
    }

    /// Writes the digits of some units; says how many.
    #[inline(always)]
    fn digits(&self, run: &Run<S>, to: &mut [u8]) -> usize {
        let simd = self.simd;
        let limit = simd.splat8(2 * run.count as u8);
        let digits = |vector: usize| {
            let keep = simd.greater_signed8(limit, simd.load(&PLACES[vector]));
            self.alphabet.digits(simd, simd.and(run.units[vector], keep))
        };
        if let Some(to) = to.first_chunk_mut() {
            simd.store(digits(0), to);
        }
        if run.count > UNITS
            && let Some(to) = to[WIDTH..].first_chunk_mut()
        {
            simd.store(digits(1), to);
        }
        (8 * run.count).div_ceil(3)
    }
}

/// The places of the octets of units.
const PLACES: [[u8; WIDTH]; 2] = {
    let mut places = [[0; WIDTH]; 2];
    let mut place = 0;
    while place < 2 * WIDTH {
        places[place / WIDTH][place % WIDTH] = (place / WIDTH * 2 * UNITS + place % WIDTH) as u8;
        place += 1;
    }
    places
};
