//! Text to octets.

use super::table::{Code, Table};
use crate::codec::{Encoder, Progress, Resume, State};
use crate::fault::Unmappable;
use crate::kernel::octet::answers::{Answer, Answers, OCTET};
use crate::kernel::octet::{STEP, form, write};
use crate::mend;

/// Encodes each character by what the table makes of it.
#[derive(Debug)]
pub struct Characters {
    codes: &'static [Code],
    answers: Answers,
}

/// Of an answer: the number of a code, for those of two bytes and more.
const CODE: Answer = 0x8000;

impl Characters {
    /// An encoder for this table.
    ///
    /// Where several codes mean the same, that which is only for encoding wins, then the lowest
    /// octet, then the first of the codes.
    pub fn new(table: &Table) -> Characters {
        let (only, both) = table.parted();
        let own = (0..=0xFF).rev().filter_map(|octet| {
            table.character(octet).map(|character| (character, OCTET | Answer::from(octet)))
        });
        let number = |first: usize| {
            move |(index, code): (usize, &Code)| (code.character(), answer(first + index, code))
        };
        let joined = both.iter().enumerate().rev().map(number(only.len()));
        let answers = Answers::new(joined.chain(own).chain(only.iter().enumerate().map(number(0))));
        Characters { codes: table.codes(), answers }
    }
}

fn answer(index: usize, code: &Code) -> Answer {
    match code.bytes() {
        [] => 0,
        [octet] => OCTET | Answer::from(*octet),
        _ => CODE | index as Answer,
    }
}

impl Resume for Characters {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        4
    }
}

impl Encoder for Characters {
    fn encode(&mut self, src: &str, dst: &mut [u8], _end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let done = self.answers.encode(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            // The bulk stops for little room, a short text or an odd character: step past it.
            for character in src[read..].chars().take(STEP) {
                let form = match self.answers.of(character) {
                    0 => return Progress::fault(read, written, Unmappable::new(character)),
                    code if code & CODE != 0 => self.codes[usize::from(code & !CODE)].form(),
                    octet => form(&[octet as u8]),
                };
                let Some(len) = write(form, &mut dst[written..]) else {
                    return Progress::output(read, written);
                };
                written += len;
                read += character.len_utf8();
            }
        }
        Progress::input(read, written)
    }

    fn lacks(&self, src: &str, most: usize) -> (usize, usize) {
        mend::count(src, most, |character| self.answers.of(character) == 0)
    }
}
