//! From UTF-7 to text.

use super::text::{self, Kinds};
use super::{Step, WINDOW, copy};
use crate::kernel::base64::{self, Alphabet};
use crate::kernel::set::{self, Set};
use crate::kernel::simd::{self, Loop, Simd, WIDTH};

/// What tells one form, or one setting, from another.
#[derive(Debug, Clone)]
pub struct Form {
    /// The octet that begins a run.
    pub shift: u8,
    /// Octets that stand for themselves outside a run.
    pub direct: Set,
    /// The digits.
    pub alphabet: Alphabet,
    /// Whether characters below 80 may be in base64.
    pub ascii_in_run: bool,
    /// Whether a run needs its `-`, and no run may stand directly behind another.
    pub one_spelling: bool,
}

/// Where the reader stands: outside a run, or inside one with so many bits of the next octet
/// taken.
pub type Run = Option<u8>;

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    /// Octets taken.
    pub read: usize,
    /// Bytes put.
    pub written: usize,
    /// Where the reader stands there.
    pub run: Run,
}

/// Digits of a step.
const DIGITS: usize = 2 * WIDTH;
/// Octets that must be there: a step may begin at the last of a window.
pub(super) const NEAR: usize = WINDOW + DIGITS;
/// Bytes that there must be room for: a step, and what may follow it in a window.
pub(super) const ROOM: usize = text::ROOM + WINDOW;

/// Decodes what is well-formed at the front of `src`, from the outside of a run or from where no
/// bits of the next digit are taken. Stops in front of what is not, and where the room might not
/// do or the end of `src` is near.
#[inline]
pub fn decode(form: &Form, in_run: bool, src: &[u8], dst: &mut [u8]) -> Reached {
    if src.len() < NEAR || dst.len() < ROOM {
        return Reached { read: 0, written: 0, run: in_run.then_some(0) };
    }
    simd::run(Decode { form, in_run, src, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn at(
    level: simd::Level,
    form: &Form,
    in_run: bool,
    src: &[u8],
    dst: &mut [u8],
) -> Reached {
    level.run(Decode { form, in_run, src, dst })
}

struct Decode<'a> {
    form: &'a Form,
    in_run: bool,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Loop for Decode<'_> {
    type Answer = Reached;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Reached {
        let Decode { form, in_run, mut src, mut dst } = self;
        let (there, room) = (src.len(), dst.len());
        let (direct, alphabet) = (form.direct.vectors(simd), form.alphabet.vectors(simd));
        let mut reader = Reader { simd, form, direct, alphabet, in_run, pending: None };
        let mut certain = true;
        while certain {
            if !reader.in_run {
                let copied = direct.copy(simd, src, dst);
                src = &src[copied..];
                dst = &mut dst[copied..];
            }
            let Some(near) = src.first_chunk() else { break };
            if dst.len() < ROOM || !reader.in_run && near[0] != form.shift {
                break;
            }
            let (read, written);
            (read, written, certain) = reader.window(near, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        let (read, written) = (there - src.len(), room - dst.len());
        match reader.pending {
            None => Reached { read, written, run: reader.in_run.then_some(0) },
            // Two bits of the third digit from the end belong to the unit before.
            Some(_) => Reached { read: read - 3, written, run: Some(2) },
        }
    }
}

/// What reads runs and what stands between them.
struct Reader<'a, S: Simd> {
    simd: S,
    form: &'a Form,
    direct: set::Vectors<S>,
    alphabet: base64::Vectors<S>,
    in_run: bool,
    /// The first half of a surrogate pair, if the last digits ended in one.
    pending: Option<u16>,
}

/// For each octet of a window a bit, that of the first one lowest.
struct Window {
    digits: u64,
    direct: u64,
    hyphens: u64,
}

/// The places of digits.
const PLACES: [[u8; WIDTH]; 2] = {
    let mut places = [[0; WIDTH]; 2];
    let mut place = 0;
    while place < DIGITS {
        places[place / WIDTH][place % WIDTH] = place as u8;
        place += 1;
    }
    places
};

/// A bit for each number of digits that a whole number of units can have.
const WHOLE: u64 = 0x1_4949_4949;

impl<S: Simd> Reader<'_, S> {
    #[inline(always)]
    fn sort(&self, near: &[u8; NEAR]) -> Window {
        let mut window = Window { digits: 0, direct: 0, hyphens: 0 };
        let simd = self.simd;
        for (index, octets) in near.as_chunks().0.iter().take(WINDOW / WIDTH).enumerate() {
            let octets = simd.load(octets);
            let hyphens = simd.mask8(simd.equal8(octets, simd.splat8(b'-')));
            window.digits |= u64::from(self.alphabet.others(simd, octets)) << (index * WIDTH);
            window.direct |= u64::from(self.direct.others(simd, octets)) << (index * WIDTH);
            window.hyphens |= u64::from(hyphens) << (index * WIDTH);
        }
        Window { digits: !window.digits, direct: !window.direct, ..window }
    }

    /// Reads the runs that end in a window, and what stands between them. Octets read and bytes
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
                        certain = at >= WINDOW || near[at] == self.form.shift;
                    }
                }
                Step::Cut => break,
                Step::Doubt => certain = false,
            }
        }
        (at, room - dst.len(), certain)
    }

    /// Reads a run, or as much of it as is read at a time, from the shift at `at` on or from inside.
    #[inline(always)]
    fn step(&mut self, near: &[u8; NEAR], window: &Window, at: usize, to: &mut [u8; ROOM]) -> Step {
        let shift = usize::from(!self.in_run);
        let from = at + shift;
        let count = (window.digits >> at >> shift).trailing_ones() as usize;
        if count >= DIGITS {
            return match self.digits::<2>(near, from, DIGITS, to) {
                Some(written) => Step::Inside(shift + DIGITS, written),
                None => Step::Doubt,
            };
        }
        let behind = from + count;
        if behind >= WINDOW {
            return Step::Cut;
        }
        let hyphen = window.hyphens >> behind & 1 == 1;
        let is_run = self.in_run || count > 0;
        if self.form.one_spelling && is_run && !(hyphen && near[behind + 1] != self.form.shift) {
            return Step::Doubt;
        }
        let written = match count {
            0 if !is_run => {
                to[0] = self.form.shift;
                hyphen.then_some(1)
            }
            0..=WIDTH => self.digits::<1>(near, from, count, to),
            _ => self.digits::<2>(near, from, count, to),
        };
        match written {
            Some(written) => Step::Outside(behind + usize::from(hyphen) - at, written),
            None => Step::Doubt,
        }
    }

    /// Writes the characters of some digits, up to `N` vectors of them, if that can be done.
    #[inline(always)]
    fn digits<const N: usize>(
        &mut self,
        near: &[u8; NEAR],
        from: usize,
        count: usize,
        to: &mut [u8; ROOM],
    ) -> Option<usize> {
        let simd = self.simd;
        let octets: &[[u8; WIDTH]; N] = near[from..].as_chunks().0.first_chunk()?;
        let limit = simd.splat8(count as u8);
        let units: [S::Bytes; N] = std::array::from_fn(|vector| {
            let keep = simd.greater_signed8(limit, simd.load(&PLACES[vector]));
            self.alphabet.units(simd, simd.load(&octets[vector]), keep)
        });
        let (kinds, digits) = (Kinds::of(simd, units), count);
        let count = 3 * digits / 8;
        let is_whole = WHOLE >> digits & 1 == 1 && kinds.ends(count);
        if !is_whole || !self.form.ascii_in_run && kinds.has_ascii(count) {
            return None;
        }
        let to = to.first_chunk_mut()?;
        if text::has_surrogates(simd, units) || self.pending.is_some() {
            let mut lanes = [[0; WIDTH]; 2];
            for (units, lanes) in units.into_iter().zip(&mut lanes) {
                simd.store(units, lanes);
            }
            pairs(&lanes, count, &mut self.pending, to)
        } else {
            Some(text::write(simd, units, kinds, count, to))
        }
    }
}

/// Writes the first `count` units, among which are surrogates, if each has its partner or may
/// still have one.
#[inline(never)]
fn pairs(
    octets: &[[u8; WIDTH]; 2],
    count: usize,
    pending: &mut Option<u16>,
    to: &mut [u8; text::ROOM],
) -> Option<usize> {
    let units = octets.iter().flat_map(|octets| octets[..12].as_chunks().0);
    let units = units.take(count).map(|unit| u16::from_le_bytes(*unit));
    let mut written = 0;
    let mut high = *pending;
    for unit in units {
        let value = match (high.take(), unit) {
            (None, 0xD800..0xDC00) => {
                high = Some(unit);
                continue;
            }
            (Some(first), 0xDC00..0xE000) => {
                0x1_0000 + (u32::from(first & 0x3FF) << 10 | u32::from(unit & 0x3FF))
            }
            (None, _) => u32::from(unit),
            _ => return None,
        };
        let character = char::from_u32(value)?;
        written += character.encode_utf8(&mut to[written..]).len();
    }
    if high.is_some() && count < 12 {
        return None;
    }
    *pending = high;
    Some(written)
}
