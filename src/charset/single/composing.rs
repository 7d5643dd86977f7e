//! Octets to text where a letter and the mark behind it make one character.

use super::decoder::Octets;
use super::table::{Code, Kind, Table};
use crate::codec::{Decoder, Progress, Resume, State, Stop};
use crate::fault::Malformed;

/// Decodes letters, looking at what follows them.
#[derive(Debug)]
pub struct Composing {
    plain: Octets,
    /// In the order of their bytes.
    codes: &'static [Code],
    /// Octets that end a code, and octets that begin one.
    marks: [bool; 0x100],
    letters: [bool; 0x100],
}

/// What the octets at the front may be together.
enum Found {
    /// This character, of so many octets.
    Together(char, usize),
    /// Each stands alone.
    Apart,
    /// More has to be seen.
    Undecided,
}

impl Composing {
    /// A decoder for this table.
    pub fn new(table: Table) -> Composing {
        let codes = composed(&table);
        let (mut marks, mut letters) = ([false; 0x100], [false; 0x100]);
        for bytes in codes.iter().map(Code::bytes) {
            letters[usize::from(bytes[0])] = true;
            for mark in &bytes[1..] {
                marks[usize::from(*mark)] = true;
            }
        }
        Composing { plain: Octets::new(table), codes, marks, letters }
    }

    /// Octets at the front of `src` that may be decoded alone: up to a letter that a mark follows,
    /// or that nothing follows yet.
    fn alone(&self, src: &[u8], end: bool) -> usize {
        let behind = src.iter().skip(1).position(|octet| self.marks[usize::from(*octet)]);
        match (behind, src) {
            (Some(letter), _) => letter,
            (None, [.., last]) if !end && self.letters[usize::from(*last)] => src.len() - 1,
            _ => src.len(),
        }
    }

    fn together(&self, src: &[u8], end: bool) -> Found {
        let mut found = Found::Apart;
        for len in 2.. {
            let Some(front) = src.get(..len) else {
                return if end { found } else { Found::Undecided };
            };
            let at = self.codes.partition_point(|code| code.bytes() < front);
            match self.codes.get(at) {
                Some(code) if code.bytes() == front => {
                    found = Found::Together(code.character(), len);
                }
                Some(code) if code.bytes().starts_with(front) => {}
                _ => return found,
            }
            let longer = self.codes.get(at + 1).map(Code::bytes);
            if !longer.is_some_and(|bytes| bytes.starts_with(front)) {
                return found;
            }
        }
        found
    }
}

/// The codes of letters with marks, which say whether a table needs this decoder.
pub fn composed(table: &Table) -> &'static [Code] {
    let (_, codes) = table.parted();
    if codes.first().is_some_and(|code| code.kind == Kind::Composed) { codes } else { &[] }
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
        let (mut read, mut written) = (0, 0);
        loop {
            let mut alone = self.alone(&src[read..], end);
            if alone == 0 && read < src.len() {
                match self.together(&src[read..], end) {
                    Found::Undecided => return Progress::input(read, written),
                    Found::Apart => alone = 1,
                    Found::Together(character, len) => {
                        if dst.len() - written < character.len_utf8() {
                            return Progress::output(read, written);
                        }
                        written += character.encode_utf8(&mut dst[written..]).len();
                        read += len;
                        continue;
                    }
                }
            }
            let near = &src[read..read + alone];
            let mut progress = self.plain.decode(near, &mut dst[written..], true);
            progress.read += read;
            progress.written += written;
            (read, written) = (progress.read, progress.written);
            if progress.stop != Stop::Input || read == src.len() {
                return progress;
            }
        }
    }
}
