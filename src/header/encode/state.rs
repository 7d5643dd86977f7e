//! All that the encoder remembers between two calls, and how it stands in 64 bits.

use super::line::{Content, Line};
use super::position::{Bracket, Position};
use crate::codec::State;
use crate::header::field::Field;

/// What the encoder is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// At the front of a line, where a record may begin.
    Front,
    /// Between two tokens.
    Between,
    /// Within a token that stays as it is.
    Plain,
    /// Within a token of an address that stays as it is, and has what cannot.
    Barred,
    /// Within a token that has to be encoded, or at its end, mostly after a word.
    Run,
}

/// What was written last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// The line begins here, or what stands before is the name of a field.
    Nothing,
    Blank,
    Plain,
    Word,
}

/// How the lines of the input end, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    Unknown,
    Lf,
    CrLf,
}

/// How far the encoder has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    pub mode: Mode,
    pub last: Last,
    pub line_end: LineEnd,
    /// Whether a record has begun, which a line with white space in front continues.
    pub begun: bool,
    /// Whether this run goes out in UTF-8, because the charset cannot express it.
    pub utf8: bool,
    pub line: Line,
    pub position: Position,
}

impl LineEnd {
    pub fn bytes(self) -> &'static [u8] {
        if self == LineEnd::CrLf { b"\r\n" } else { b"\n" }
    }
}

/// Takes fields of some bits out of a word, lowest first, or puts them in.
struct Bits {
    word: u64,
    at: u32,
}

impl Bits {
    fn put(&mut self, value: u64, bits: u32) {
        self.word |= value << self.at;
        self.at += bits;
    }

    fn take(&mut self, bits: u32) -> u64 {
        let value = self.word >> self.at & ((1 << bits) - 1);
        self.at += bits;
        value
    }

    fn flag(&mut self) -> bool {
        self.take(1) == 1
    }

    /// One of these; what no value stands for is the first.
    fn one_of<T: Copy>(&mut self, values: &[T], bits: u32) -> T {
        let index = self.take(bits) as usize;
        values[if index < values.len() { index } else { 0 }]
    }
}

const MODES: [Mode; 5] = [Mode::Front, Mode::Between, Mode::Plain, Mode::Barred, Mode::Run];
const LASTS: [Last; 4] = [Last::Nothing, Last::Blank, Last::Plain, Last::Word];
const LINE_ENDS: [LineEnd; 3] = [LineEnd::Unknown, LineEnd::Lf, LineEnd::CrLf];
const CONTENTS: [Content; 4] = [Content::Nothing, Content::Blank, Content::Name, Content::Text];
const FIELDS: [Field; 3] = [Field::Text, Field::Addresses, Field::Verbatim];
const BRACKETS: [Bracket; 3] = [Bracket::None, Bracket::Angle, Bracket::Square];

/// Where a value stands in its list.
fn index<T: PartialEq>(values: &[T], value: &T) -> u64 {
    values.iter().position(|known| known == value).unwrap_or(0) as u64
}

impl Now {
    pub fn pack(&self) -> State {
        let Now { line, position, .. } = self;
        let mut bits = Bits { word: 0, at: 0 };
        bits.put(index(&MODES, &self.mode), 3);
        bits.put(index(&LASTS, &self.last), 2);
        bits.put(index(&LINE_ENDS, &self.line_end), 2);
        bits.put(self.begun.into(), 1);
        bits.put(self.utf8.into(), 1);
        bits.put(line.column() as u64, 7);
        bits.put(index(&CONTENTS, &line.content), 2);
        bits.put(line.has_word.into(), 1);
        bits.put(index(&FIELDS, &position.field), 2);
        bits.put(position.depth.into(), 16);
        bits.put(index(&BRACKETS, &position.bracket), 2);
        bits.put(position.quoted.into(), 1);
        bits.put(position.after_at.into(), 1);
        State::new(bits.word)
    }

    pub fn unpack(state: State) -> Now {
        let mut bits = Bits { word: state.bits(), at: 0 };
        Now {
            mode: bits.one_of(&MODES, 3),
            last: bits.one_of(&LASTS, 2),
            line_end: bits.one_of(&LINE_ENDS, 2),
            begun: bits.flag(),
            utf8: bits.flag(),
            line: Line::new(bits.take(7) as usize, bits.one_of(&CONTENTS, 2), bits.flag()),
            position: Position {
                field: bits.one_of(&FIELDS, 2),
                depth: bits.take(16) as u16,
                bracket: bits.one_of(&BRACKETS, 2),
                quoted: bits.flag(),
                after_at: bits.flag(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_state_is_the_front_of_a_text_of_which_nothing_is_known() {
        let now = Now::unpack(State::INITIAL);
        assert_eq!((now.mode, now.last), (Mode::Front, Last::Nothing));
        assert_eq!((now.line_end, now.begun), (LineEnd::Unknown, false));
        assert_eq!((now.line, now.position), (Line::NEW, Position::new(Field::Text)));
        assert_eq!(now.pack(), State::INITIAL);
    }

    #[test]
    fn each_state_comes_back_as_it_was() {
        for (index, mode) in MODES.into_iter().enumerate() {
            for (last, line_end, content, field, bracket) in [
                (Last::Plain, LineEnd::Lf, Content::Blank, Field::Text, Bracket::None),
                (Last::Blank, LineEnd::CrLf, Content::Name, Field::Addresses, Bracket::Angle),
                (Last::Word, LineEnd::Unknown, Content::Text, Field::Verbatim, Bracket::Square),
            ] {
                for flag in [false, true] {
                    let line = Line::new(50 * index, content, flag);
                    let depth = 16_000 * index as u16;
                    let position =
                        Position { field, depth, bracket, quoted: flag, after_at: !flag };
                    let (begun, utf8) = (flag, !flag);
                    let now = Now { mode, last, line_end, begun, utf8, line, position };
                    assert_eq!(Now::unpack(now.pack()), now);
                }
            }
        }
    }
}
