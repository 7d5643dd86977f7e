//! Octets to text where a letter and the mark behind it make one character.

use super::decoder::whole;
use super::pairs::{Key, Pairs};
use super::table::{Code, Kind, Table};
use crate::codec::{Decoder, Progress, Resume, State};
use crate::fault::{Malformed, Why};
use crate::kernel::octet::{self, form_of, write};

/// Decodes letters, looking at what follows them.
#[derive(Debug)]
pub struct Composing {
    table: octet::Table,
    marks: Box<Pairs>,
    /// Octets with which a mark makes something.
    letters: [bool; 0x100],
    /// The codes of a letter and two marks.
    longer: Vec<Code>,
}

/// What the octets at the front are together.
enum Found {
    /// This character, of so many octets.
    Together(char, usize),
    /// The first one stands alone.
    Alone,
    /// More has to be seen.
    Undecided,
}

/// Octets that are looked at together for marks.
const RUN: usize = octet::STEP;

/// Runs that are looked at before any is decoded, at the most. A call begins with one and doubles them:
/// a fault may stand anywhere in them, and the call that follows looks at the rest again.
const RUNS: usize = 64;

impl Composing {
    /// A decoder for this table.
    pub fn new(table: &Table) -> Composing {
        let codes = table.joined(Kind::Composed);
        let mut letters = [false; 0x100];
        for code in codes {
            letters[usize::from(code.bytes()[0])] = true;
        }
        let marks = Box::new(Pairs::new(codes, Key::Second));
        let longer = codes.iter().copied().filter(|code| code.bytes().len() == 3).collect();
        Composing { table: whole(table), marks, letters, longer }
    }

    /// What a letter and what follows it are together.
    fn first(&self, src: &[u8], end: bool) -> Found {
        let Some(mark) = src.get(1) else {
            let open = !end && self.letters[usize::from(src[0])];
            return if open { Found::Undecided } else { Found::Alone };
        };
        match self.marks.find(*mark, src[0]) {
            None => Found::Alone,
            Some(character) => self.second(src, character, end),
        }
    }

    /// The same where letter and mark are a character, and another mark may follow.
    fn second(&self, src: &[u8], character: char, end: bool) -> Found {
        let begins = |code: &&Code| src.starts_with(&code.bytes()[..2]);
        let mut longer = self.longer.iter().filter(begins).peekable();
        match src.get(2) {
            None if !end && longer.peek().is_some() => Found::Undecided,
            mark => match longer.find(|code| code.bytes().last() == mark) {
                Some(code) => Found::Together(code.character(), 3),
                None => Found::Together(character, 2),
            },
        }
    }

    /// Decodes octets behind each of which no mark stands, so many runs at the most. How many bytes it
    /// has read and written.
    fn run(&self, src: &[u8], dst: &mut [u8], runs: usize) -> (usize, usize) {
        let near = &src[..src.len().min(runs * RUN + 1)];
        if near.first().is_none_or(|first| self.table.form(*first) == 0) {
            return (0, 0);
        }
        let (behind, _) = near.get(1..).unwrap_or_default().as_chunks::<RUN>();
        let unmarked = |octets: &&[u8; RUN]| {
            !octets.iter().fold(false, |any, octet| any | self.marks.has(*octet))
        };
        let plain = behind.iter().take_while(unmarked).count() * RUN;
        if plain == 0 { (0, 0) } else { self.table.decode(&near[..plain], dst) }
    }
}

impl Resume for Composing {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl Decoder for Composing {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written, mut runs) = (0, 0, 1);
        while read < src.len() {
            let run = self.run(&src[read..], &mut dst[written..], runs);
            read += run.0;
            written += run.1;
            runs = RUNS.min(2 * runs);
            let near = src.len().min(read + RUN);
            while read < near {
                let (form, len) = match self.first(&src[read..], end) {
                    Found::Together(character, len) => (form_of(character), len),
                    Found::Alone => (self.table.form(src[read]), 1),
                    Found::Undecided => return Progress::input(read, written),
                };
                if form == 0 {
                    let fault = Malformed::new(1, Why::Stray, State::START);
                    return Progress::fault(read, written, fault);
                }
                let Some(put) = write(form, &mut dst[written..]) else {
                    return Progress::output(read, written);
                };
                written += put;
                read += len;
            }
        }
        Progress::input(read, written)
    }
}

#[cfg(test)]
mod tests {
    use crate::charset::walk::decode_every_way;

    #[test]
    fn a_letter_waits_for_its_marks_wherever_the_input_is_cut() {
        for (charset, octets, text) in [
            ("TCVN5712-1", &b"a\xB0b\xA9\xB0"[..], "\u{E0}b\u{1EA7}"),
            ("TCVN5712-1", b"a", "a"),
            ("CP1255", b"\xF9\xCC\xD1\xF9\xCCa", "\u{FB2C}\u{FB49}a"),
        ] {
            let decoded = decode_every_way(charset, octets);
            assert_eq!(decoded, (text.to_owned(), vec![]), "{charset} {octets:02X?}");
        }
    }
}
