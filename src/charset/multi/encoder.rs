//! The encoder of all charsets that are nothing but a grid.

use super::decoder::WINDOW;
use super::grid::Grid;
use super::invert;
use super::linear::Linear;
use super::reverse::{Code, Encoded, Reverse};
use super::text;
use crate::codec::{Encoder, Progress, Resume, State};
use crate::fault::Unmappable;
use crate::kernel::octet::codes::Codes;

/// Bytes of text that go one character at a time where runs end.
const STRETCH: usize = 16;

/// Remembers nothing: a character that may mean another code with the next stays unread.
pub struct GridEncoder {
    reverse: Reverse,
    linear: Option<Linear>,
    /// Whether ASCII is encoded as itself.
    straight: bool,
    /// Whether NUL is. Its code cannot stand in the table, where 0 is none.
    null: bool,
}

impl GridEncoder {
    pub fn new(grid: &Grid) -> GridEncoder {
        let mut reverse = Reverse::new();
        invert::add(&mut reverse, grid, 0);
        invert::correct(&mut reverse, grid, 0);
        let itself = |byte: u8| reverse.plain(char::from(byte)) == Code::from(byte);
        let straight = grid.ascii && (1..0x80).all(itself);
        let linear = grid.linear.filter(|linear| linear.encodes);
        GridEncoder { reverse, straight, linear, null: grid.ascii }
    }

    /// Encodes what needs no look at what follows, while there is room enough.
    fn run(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        loop {
            let codes = Codes { table: self.reverse.short_codes(), ascii: self.straight };
            let (more, put) = codes.encode(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            let (more, put) = self.plain(&src[read..], &mut dst[written..]);
            if more == 0 {
                return (read, written);
            }
            read += more;
            written += put;
        }
    }

    /// Encodes some characters, up to one that has to be looked at closely.
    fn plain(&self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while read < STRETCH
            && let Some(room) = dst[written..].first_chunk_mut::<4>()
            && let Some((character, len)) = text::first(src, read)
        {
            let code = self.reverse.plain(character);
            if code == 0 {
                break;
            }
            *room = code.to_le_bytes();
            written += invert::length(code);
            read += len;
        }
        (read, written)
    }

    /// What the first character or two of `text` are encoded to.
    fn step(&self, text: &str, end: bool) -> Step {
        let Some(character) = text.chars().next() else { return Step::Undecided };
        if character == '\0' && self.null {
            return Step::Code([0; 4], 1, 1);
        }
        match self.reverse.first(text, end) {
            Encoded::Undecided => Step::Undecided,
            Encoded::Code(code, len) => Step::Code(code.to_le_bytes(), invert::length(code), len),
            Encoded::Nothing => match self.linear.and_then(|linear| linear.code(character)) {
                Some(code) => Step::Code(code, 4, character.len_utf8()),
                None => Step::Nothing(character),
            },
        }
    }
}

/// What comes next.
enum Step {
    /// These bytes, so many of them, for so many bytes of text.
    Code([u8; 4], usize, usize),
    /// A character without a code.
    Nothing(char),
    /// What the text that is not there yet decides.
    Undecided,
}

impl Resume for GridEncoder {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        WINDOW
    }
}

impl Encoder for GridEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            match self.step(&src[read..], end) {
                Step::Undecided => return Progress::input(read, written),
                Step::Nothing(character) => {
                    return Progress::fault(read, written, Unmappable::new(character));
                }
                Step::Code(_, count, _) if dst.len() - written < count => {
                    return Progress::output(read, written);
                }
                Step::Code(bytes, count, len) => {
                    dst[written..written + count].copy_from_slice(&bytes[..count]);
                    written += count;
                    read += len;
                }
            }
        }
    }

    fn lacks(&self, src: &str, most: usize) -> (usize, usize) {
        let (mut count, mut read) = (0, 0);
        while count < most
            && let Step::Nothing(character) = self.step(&src[read..], false)
        {
            count += 1;
            read += character.len_utf8();
        }
        (count, read)
    }
}
