//! The encoder of all charsets with shifts.

use super::shifts::Shifts;
use super::{Act, Manner, Newline, Reach, SHIFT_OUT, Scheme, Slot, WINDOW};
use crate::charset::multi::invert;
use crate::charset::multi::reverse::{Code, Encoded, Reverse};
use crate::charset::multi::runs::Runs;
use crate::charset::multi::text;
use crate::codec::{Encoder, Progress, Resume, State};
use crate::fault::Unmappable;

pub struct SchemeEncoder {
    scheme: &'static Scheme,
    reverse: Reverse,
    runs: Runs,
    shifts: Shifts,
}

/// The mark of the codes of a set: its number and one, above the code.
fn mark(set: usize) -> Code {
    (set as Code + 1) << 16
}

/// The bytes of a code, without its mark.
fn bytes(code: Code) -> ([u8; 2], usize) {
    let [first, second, ..] = code.to_le_bytes();
    ([first, second], if second == 0 { 1 } else { 2 })
}

impl SchemeEncoder {
    pub fn new(scheme: &'static Scheme) -> SchemeEncoder {
        let mut reverse = Reverse::new();
        let encoded = || {
            let sets = scheme.sets.iter().enumerate();
            sets.filter(|(_, set)| !matches!(set.reach, Reach::Never))
        };
        encoded().for_each(|(number, set)| invert::add(&mut reverse, &set.grid, mark(number)));
        encoded().for_each(|(number, set)| invert::correct(&mut reverse, &set.grid, mark(number)));
        let firsts = scheme.sequences.iter().map(|(sequence, _)| char::from(sequence[0]));
        firsts.for_each(|first| reverse.insert(first, 0));
        for (sequence, act) in scheme.sequences {
            if let (Act::Character(character), [first, second]) = (act, sequence) {
                let code = u16::from_le_bytes([*first, *second]);
                reverse.insert(*character, mark(0) | Code::from(code));
            }
        }
        for (half, full) in ('\u{FF61}'..).zip(scheme.folded.chars()) {
            reverse.insert(half, reverse.plain(full));
        }
        let newline = scheme.newline != Newline::Keeps;
        let runs = Runs::new(&reverse, |character| newline && character == '\n');
        SchemeEncoder { scheme, reverse, runs, shifts: Shifts::default() }
    }

    /// Encodes characters of the set in use, while there is room enough.
    fn run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        if !self.shifts.begun && !self.scheme.header.is_empty() {
            return (0, 0);
        }
        let wanted = mark(self.shifts.current.into());
        self.runs.encode(&self.reverse, wanted, src.as_bytes(), dst)
    }

    /// The code of the first character of `text`, or of the first two.
    fn next(&self, text: &str, end: bool) -> Encoded {
        match text::first(text, 0).map(|(character, len)| (self.reverse.plain(character), len)) {
            None | Some((0, _)) => self.reverse.first(text, end),
            Some((code, len)) => Encoded::Code(code, len),
        }
    }

    /// The error of a character without a code. The Encoding Standard, section 12.2.2, has U+FFFD as
    /// the code point of one that begins a sequence.
    fn unmappable(&self, character: char) -> Unmappable {
        match (self.scheme.manner, character) {
            (Manner::Web, '\u{0E}' | '\u{0F}' | '\u{1B}') => Unmappable::hidden(character),
            _ => Unmappable::new(character),
        }
    }

    /// What leads to a set, and the shifts behind it.
    fn lead(&self, set: u8, out: &mut Written) -> Shifts {
        let mut shifts = self.shifts;
        if !shifts.begun && !self.scheme.header.is_empty() {
            out.put(self.scheme.header);
            shifts.begun = true;
            shifts.designate(Slot::G1, 1);
        }
        match self.scheme.sets[usize::from(set)].reach {
            Reach::Locked(sequence) => {
                if shifts.current != set {
                    out.put(sequence);
                    shifts.current = set;
                }
            }
            Reach::Shifted(designation) => {
                if shifts.designated(Slot::G1) != set {
                    out.put(designation);
                    shifts.designate(Slot::G1, set);
                }
                if shifts.current != set {
                    out.put(SHIFT_OUT);
                    shifts.current = set;
                }
            }
            Reach::Single(slot, designation, shift) => {
                if shifts.designated(slot) != set {
                    out.put(designation);
                    shifts.designate(slot, set);
                }
                out.put(shift);
            }
            Reach::Never => {}
        }
        shifts
    }

    /// Whether the set in use has a byte of ASCII too, and there is no need to leave it.
    fn stays(&self, set: u8, byte: u8) -> bool {
        let current = &self.scheme.sets[usize::from(self.shifts.current)].grid;
        self.scheme.manner == Manner::Web
            && (set, current.ascii) == (0, true)
            && current.unit(&[byte]).is_ok_and(|unit| unit.text == char::from(byte).into())
    }

    /// The bytes of a code, with what leads to its set, and the shifts behind it.
    fn step(&self, code: Code, character: char) -> (Written, Shifts) {
        let mut out = Written::default();
        let (bytes, count) = bytes(code);
        let set = (code >> 16) as u8 - 1;
        let set = if self.stays(set, bytes[0]) { self.shifts.current } else { set };
        let mut shifts = self.lead(set, &mut out);
        out.put(&bytes[..count]);
        if character == '\n' {
            shifts = shifts.newline(self.scheme);
        }
        (out, shifts)
    }

    /// What leads back to the set of the beginning.
    fn back(&self) -> (Written, Shifts) {
        let mut out = Written::default();
        let shifts = if self.shifts.current == 0 { self.shifts } else { self.lead(0, &mut out) };
        (out, shifts)
    }
}

/// Bytes to be written all or none, the first lowest.
#[derive(Default)]
struct Written {
    bytes: u128,
    len: usize,
}

impl Written {
    fn put(&mut self, more: &[u8]) {
        for byte in more {
            self.bytes |= u128::from(*byte) << ((8 * self.len) & 0x7F);
            self.len += 1;
        }
    }

    /// Copies all to the front of `dst` if they fit there.
    fn copy(&self, dst: &mut [u8]) -> bool {
        let bytes = self.bytes.to_le_bytes();
        if let Some(room) = dst.first_chunk_mut() {
            *room = bytes;
            return true;
        }
        let fits = dst.get_mut(..self.len);
        fits.map(|room| room.copy_from_slice(&bytes[..self.len])).is_some()
    }
}

impl Resume for SchemeEncoder {
    fn state(&self) -> State {
        self.shifts.into()
    }

    fn resume(&mut self, at: State) {
        self.shifts = at.into();
    }

    fn window(&self) -> usize {
        WINDOW
    }
}

impl Encoder for SchemeEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            let rest = &src[read..];
            let (out, shifts, len) = match (rest.chars().next(), self.next(rest, end)) {
                (Some(character), Encoded::Nothing) => {
                    return Progress::fault(read, written, self.unmappable(character));
                }
                (Some(character), Encoded::Code(code, len)) => {
                    let (out, shifts) = self.step(code, character);
                    (out, shifts, len)
                }
                (None, _) if end && self.shifts.current != 0 => {
                    let (out, shifts) = self.back();
                    (out, shifts, 0)
                }
                _ => return Progress::input(read, written),
            };
            if !out.copy(&mut dst[written..]) {
                return Progress::output(read, written);
            }
            written += out.len;
            read += len;
            self.shifts = shifts;
        }
    }
}
