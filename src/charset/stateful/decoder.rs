//! The decoder of all charsets with shifts.

use super::shifts::Shifts;
use super::{Act, ESCAPE, Manner, Newline, Scheme, Set, Slot, WINDOW};
use crate::charset::multi::cells::Text;
use crate::charset::multi::grid::Trouble;
use crate::charset::multi::quick;
use crate::codec::{Decoder, Progress, Resume, State};
use crate::fault::{Malformed, Why};
use crate::kernel::octet::doubles::Doubles;

pub struct SchemeDecoder {
    scheme: &'static Scheme,
    shifts: Shifts,
    /// The ASCII bytes that the first set may copy without a look.
    copied: [bool; 0x80],
    /// What each byte begins.
    opens: [Opens; 256],
    /// Tables of the sets for large inputs, once there are any.
    quick: Box<[Option<Doubles>]>,
}

/// What a byte begins.
#[derive(Clone, Copy)]
enum Opens {
    /// No sequence.
    Nothing,
    /// A sequence of several bytes, or one that does more than the others.
    Sequence,
    /// The sequence that it is by itself, which makes this set the one in use.
    Lock(u8),
    /// The same for G1.
    ShiftOut,
}

/// What the next bytes are: so many, this text, and the shifts behind it.
struct Step {
    len: usize,
    text: Option<Text>,
    shifts: Shifts,
}

impl SchemeDecoder {
    pub fn new(scheme: &'static Scheme) -> SchemeDecoder {
        let mut opens = [Opens::Nothing; 256];
        for (bytes, act) in scheme.sequences {
            opens[usize::from(bytes[0])] = match (bytes.len(), act) {
                (1, Act::Lock(set)) => Opens::Lock(*set),
                (1, Act::ShiftOut) => Opens::ShiftOut,
                _ => Opens::Sequence,
            };
        }
        let ascii = scheme.sets[0].grid.ascii;
        let copied = std::array::from_fn(|byte| {
            let ends = byte == usize::from(b'\n') && scheme.newline != Newline::Keeps;
            ascii && !ends && matches!(opens[byte], Opens::Nothing)
        });
        SchemeDecoder { scheme, shifts: Shifts::default(), copied, opens, quick: Box::default() }
    }

    fn set(&self, number: u8) -> &'static Set {
        // Every number is that of a set, since the scheme names it.
        self.scheme.sets.get(usize::from(number)).unwrap_or(&self.scheme.sets[0])
    }

    /// The set that a byte by itself makes the one in use.
    fn lock(&self, byte: u8) -> Option<u8> {
        match self.opens[usize::from(byte)] {
            Opens::Lock(set) => Some(set),
            Opens::ShiftOut => Some(self.designated(Slot::G1)).filter(|set| *set != 0),
            _ => None,
        }
    }

    /// Decodes what is plain in the set in use, while there is room enough.
    fn run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let grid = &self.set(self.shifts.current).grid;
        if let Some(Some(quick)) = self.quick.get(usize::from(self.shifts.current)) {
            let (read, written) = quick.decode(src, dst);
            if read > 0 {
                return (read, written);
            }
        }
        if !grid.ascii {
            return grid.plain(src, dst, false);
        }
        if self.shifts.current != 0 {
            return (0, 0);
        }
        let plain = |byte: &u8| self.copied.get(usize::from(*byte)).copied().unwrap_or(false);
        let mut copied = 0;
        // Byte by byte: between shifts there is mostly one word or one space.
        for (byte, room) in src.iter().take_while(|byte| plain(byte)).zip(dst) {
            *room = *byte;
            copied += 1;
        }
        (copied, copied)
    }

    /// What stands at the front of `src`, which is not empty.
    fn step(&self, src: &[u8]) -> Result<Step, Trouble> {
        if !matches!(self.opens[usize::from(src[0])], Opens::Nothing) {
            return self.sequence(src);
        }
        let control = self.scheme.controls && is_control(src[0]);
        let text = match self.set(self.shifts.current) {
            _ if control => return Ok(self.control(src[0])),
            set => set.grid.unit(src).map_err(|trouble| self.without_others(trouble, src))?,
        };
        Ok(Step { len: text.len, text: Some(text.text), shifts: self.shifts.busy() })
    }

    fn control(&self, byte: u8) -> Step {
        let newline = byte == b'\n';
        let shifts = if newline { self.shifts.newline(self.scheme) } else { self.shifts };
        Step { len: 1, text: Some(char::from(byte).into()), shifts }
    }

    fn sequence(&self, src: &[u8]) -> Result<Step, Trouble> {
        // The first byte is looked at first: SO without a set may come by the million.
        let known = |(bytes, _): &&(&[u8], Act)| bytes[0] == src[0] && src.starts_with(bytes);
        let Some((bytes, act)) = self.scheme.sequences.iter().find(known) else {
            let unfinished = self.scheme.sequences.iter().any(|(bytes, _)| bytes.starts_with(src));
            return Err(if unfinished {
                Trouble::Unfinished
            } else {
                Trouble::Bad(1, Why::Escape)
            });
        };
        let mut step = Step { len: bytes.len(), text: None, shifts: self.shifts };
        match *act {
            Act::Lock(set) => {
                step.shifts.current = set;
                step.shifts.idle = self.scheme.manner == Manner::Web;
            }
            Act::Designate(slot, set) => step.shifts.designate(slot, set),
            Act::ShiftOut => match self.designated(Slot::G1) {
                0 => return Err(Trouble::Bad(step.len, Why::Shift)),
                set => step.shifts.current = set,
            },
            Act::Single(slot) => return self.single(slot, step, src),
            Act::Character(character) => step.text = Some(character.into()),
            Act::Refused => return Err(Trouble::Bad(step.len, Why::Stray)),
            Act::Nothing => {}
        }
        Ok(step)
    }

    /// What is designated in a slot, or 0.
    fn designated(&self, slot: Slot) -> u8 {
        match self.shifts.designated(slot) {
            0 if slot == Slot::G1 && !self.scheme.header.is_empty() => 1,
            set => set,
        }
    }

    /// The single shift of `step` with the character behind it.
    fn single(&self, slot: Slot, step: Step, src: &[u8]) -> Result<Step, Trouble> {
        let rest = &src[step.len..];
        let set = match self.designated(slot) {
            0 => return Err(Trouble::Bad(step.len, Why::Shift)),
            _ if rest.is_empty() => return Err(Trouble::Unfinished),
            set => self.set(set),
        };
        match set.grid.unit(rest).map_err(|trouble| self.without_others(trouble, rest)) {
            Ok(unit) => Ok(Step { len: step.len + unit.len, text: Some(unit.text), ..step }),
            Err(Trouble::Bad(..)) if is_control(rest[0]) => Err(Trouble::Bad(step.len, Why::Shift)),
            Err(Trouble::Bad(len, why)) => Err(Trouble::Bad(step.len + len, why)),
            Err(Trouble::Unfinished) => Err(Trouble::Unfinished),
        }
    }

    /// A bad code without a byte behind its first that stands for itself: a control character,
    /// which may begin a sequence, or on the web ESC alone.
    fn without_others(&self, trouble: Trouble, src: &[u8]) -> Trouble {
        let itself = |byte: &u8| match self.scheme.manner {
            Manner::Lenient => is_control(*byte),
            Manner::Web => *byte == ESCAPE,
        };
        match trouble {
            Trouble::Bad(len, _) if len > 1 && src[1..len].iter().any(itself) => {
                Trouble::Bad(1, Why::Continuation)
            }
            trouble => trouble,
        }
    }

    /// What is wrong with `rest`, behind which nothing follows if it is unfinished.
    fn fault(&self, trouble: Trouble, rest: &[u8]) -> Malformed {
        let escape = self.scheme.manner == Manner::Web && rest[0] == ESCAPE;
        let (len, why) = match trouble {
            Trouble::Unfinished if escape => (1, Why::Truncated),
            Trouble::Unfinished => (rest.len(), Why::Truncated),
            Trouble::Bad(len, why) => (len, why),
        };
        Malformed::new(len, why, self.shifts.busy().into())
    }
}

fn is_control(byte: u8) -> bool {
    byte <= 0x20 || byte == 0x7F
}

impl Resume for SchemeDecoder {
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

impl Decoder for SchemeDecoder {
    fn prepare(&mut self) {
        self.quick = self.scheme.sets.iter().map(|set| quick::doubles(&set.grid)).collect();
    }

    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            self.shifts.idle &= more == 0;
            let rest = &src[read..];
            let Some(&byte) = rest.first() else { return Progress::input(read, written) };
            if let Some(set) = self.lock(byte) {
                self.shifts.current = set;
                read += 1;
                continue;
            }
            let step = match self.step(rest) {
                Ok(step) if self.shifts.idle && step.text.is_none() => {
                    let fault = Malformed::new(step.len, Why::Doubled, step.shifts.into());
                    return Progress::fault(read, written, fault);
                }
                Ok(step) => step,
                Err(Trouble::Unfinished) if !end => return Progress::input(read, written),
                Err(trouble) => return Progress::fault(read, written, self.fault(trouble, rest)),
            };
            if let Some(text) = step.text {
                if dst.len() - written < text.len() {
                    return Progress::output(read, written);
                }
                text.put(&mut dst[written..]);
                written += text.len();
            }
            read += step.len;
            self.shifts = step.shifts;
        }
    }
}
