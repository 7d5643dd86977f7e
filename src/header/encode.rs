//! From text to header lines.
//!
//! Text goes token by token, where a token is what stands between white space. One that is ASCII
//! stays as it is. Those that have to be encoded are gathered into runs, with the white space
//! between them, and a run is cut into words, each in whichever form carries more of it.
//!
//! The encoder looks ahead, but never far, and from fixed positions of the text, so that the result
//! is the same however the text comes and goes:
//!
//! - [`sight::TOKEN`] bytes from where a token begins. In a longer one, all ASCII so far, a word
//!   begins in the middle, where the first other character stands.
//! - [`sight::GAP`] bytes from where white space begins. If there is more, it stays as it is
//!   before a word, and goes into words after one.
//! - [`RUN`] bytes from where a run begins, to know whether the charset can express it. If it
//!   turns out later that it cannot, the run goes on in UTF-8.
//! - [`FIRST_LINE`] bytes from where the text begins, to know how its lines end.

mod ahead;
mod chunk;
mod copy;
mod form;
mod layout;
mod line;
mod marks;
mod position;
mod run;
mod sight;
mod state;
mod step;
mod token;
mod word;

use self::ahead::Ahead;
use self::form::Form;
use self::line::{Content, Line};
use self::position::{Kind, Position, Zone};
use self::run::{From, Run};
use self::sight::{Gap, Sight};
use self::state::{Last, LineEnd, Mode, Now};
use self::step::Step;
use self::token::Token;
use self::word::Words;
use super::field::{self, Field, Front};
use crate::codec::{Checkpoint, Encoder, Progress, State};
use crate::conversion_error::Unmappable;
use crate::encoding::EncodingOptions;

/// Bytes of a run that are looked at to know whether the charset can express it.
const RUN: usize = 8 * 1024;

/// Bytes of the text that are looked at for its first line end.
const FIRST_LINE: usize = 8 * 1024;

/// More than all that is looked at from one position: a run, the white space and the token after it,
/// and a quoted-string at its end.
const WINDOW: usize = 32 * 1024;

/// Writes words for what a header line cannot hold.
pub(super) struct HeaderEncoder {
    charsets: Charsets,
    /// The run that is looked at. It is large, and filled in place.
    run: Run,
    /// What was found out about a run further on, within a call.
    ahead: Option<Ahead>,
    strict: bool,
    /// Whether a record that begins with the name of a field keeps to its rules.
    fields: bool,
    now: Now,
}

/// The charsets of words.
struct Charsets {
    /// The one that was requested.
    asked: Words,
    /// UTF-8, for what that one cannot express.
    utf8: Words,
}

impl Charsets {
    fn of(&mut self, now: Now) -> &mut Words {
        if now.utf8 { &mut self.utf8 } else { &mut self.asked }
    }
}

impl HeaderEncoder {
    pub fn new(options: &EncodingOptions) -> HeaderEncoder {
        let forms: &'static [Form] = match options {
            _ if options.is_choice("encoding", "b") => &[Form::B],
            _ if options.is_choice("encoding", "q") => &[Form::Q],
            _ => &[Form::B, Form::Q],
        };
        let charset = options.encoding("charset");
        HeaderEncoder {
            charsets: Charsets { asked: Words::new(charset, forms), utf8: Words::new(None, forms) },
            run: Run::new(),
            ahead: None,
            strict: options.flag("strict"),
            fields: !options.is_choice("fields", "raw"),
            now: Now::unpack(State::INITIAL),
        }
    }

    fn step(&mut self, sight: &Sight<'_>, space: &mut [u8]) -> Option<Step> {
        let mut now = self.now;
        if now.line_end == LineEnd::Unknown {
            now.line_end = first_line_end(sight)?;
        }
        match now.mode {
            Mode::Front => self.front(sight, space, now),
            Mode::Between => self.between(sight, space, now),
            Mode::Plain | Mode::Barred => self.within(sight, space, now),
            Mode::Run => match now.position.unit(sight, 0)?.kind {
                Kind::End => self.between(sight, space, now),
                _ if now.last == Last::Word => self.next_word(sight, space, now, From::Token),
                _ => self.first_word(sight, space, now, 0),
            },
        }
    }

    /// At the front of a line: a record begins, or goes on.
    fn front(&mut self, sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Step> {
        let now = Now { mode: Mode::Between, last: Last::Nothing, line: Line::NEW, ..now };
        if now.begun && matches!(sight.byte(0)?, Some(b' ' | b'\t')) {
            return self.between(sight, space, now);
        }
        let front = match self.fields {
            true => field::classify(sight.bytes(), sight.end()),
            false => Front::Bare,
        };
        let (field, length) = match front {
            // A reader would take that for a word.
            Front::Named(_, length)
                if sight.bytes()[..length].windows(2).any(|two| two == b"=?") =>
            {
                (Field::Text, 0)
            }
            Front::Named(field, length) => (field, length),
            Front::Bare => (Field::Text, 0),
            Front::Unfinished => return None,
        };
        let now = Now { begun: true, position: Position::new(field), ..now };
        if length == 0 {
            return self.between(sight, space, now);
        }
        let Some(name) = space.get_mut(..length) else { return Some(Step::Full) };
        name.copy_from_slice(&sight.bytes()[..length]);
        let line = now.line.with(length, Content::Name);
        Some(Step::Went { read: length, written: length, now: Now { line, ..now } })
    }

    /// At white space, or at a token.
    fn between(&mut self, sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Step> {
        let zone = now.position.zone();
        if zone == Zone::Verbatim {
            return copy::verbatim(sight, space, now);
        }
        let plain = match zone {
            _ if now.line.has_word => None,
            Zone::Text => copy::plain_text(sight, space, now),
            _ if now.last == Last::Nothing => copy::plain_addresses(sight, space, now),
            _ => None,
        };
        if plain.is_some() {
            return plain;
        }
        let gap = sight.gap(0)?;
        if gap.long {
            return match now.last {
                Last::Word => self.blank_word(sight, space, now, gap.end),
                _ => Some(copy::long_blanks(sight, space, now)),
            };
        }
        self.after_gap(sight, space, now, gap)
    }

    /// At white space of which the end is in sight, and perhaps a token after it.
    fn after_gap(
        &mut self,
        sight: &Sight<'_>,
        space: &mut [u8],
        now: Now,
        gap: Gap,
    ) -> Option<Step> {
        let after_word = now.last == Last::Word;
        let token = match gap.closes {
            true => None,
            false => Some(now.position.token(sight, gap.end)?),
        };
        match token {
            Some(Token::Coded) if after_word => self.next_word(sight, space, now, From::Gap),
            _ if after_word && (gap.closes || gap.folds(0)) && !now.line.fits(gap.first) => {
                self.blank_word(sight, space, now, gap.first)
            }
            None if gap.end == 0 => Some(copy::record_end(sight.line_end(0)?, sight, space, now)),
            None => Some(copy::blanks(sight, gap.end, space, now)),
            Some(_) if gap.folds(0) => Some(copy::blanks(sight, gap.last, space, now)),
            Some(Token::Coded) => self.first_word(sight, space, now, gap.end),
            Some(token) => self.plain(sight, space, now, gap.end, token),
        }
    }

    /// At a token that stays.
    fn token(
        &mut self,
        sight: &Sight<'_>,
        space: &mut [u8],
        now: Now,
        token: Token,
    ) -> Option<Step> {
        let mode = match token {
            Token::Special(byte) => return Some(copy::special(byte, space, now)),
            Token::Barred(_) => Mode::Barred,
            _ => Mode::Plain,
        };
        self.within(sight, space, Now { mode, ..now })
    }

    /// Within a token that stays.
    fn within(&mut self, sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Step> {
        match copy::token(sight, space, now)? {
            copy::Copied::Step(step) => {
                // What is found out about the token is kept, or a crowd of errors in it would have
                // each find it out again.
                if matches!(step, Step::Error(_)) && self.now.mode == Mode::Between {
                    self.now.mode = now.mode;
                }
                Some(step)
            }
            copy::Copied::After => self.between(sight, space, Now { mode: Mode::Between, ..now }),
            copy::Copied::Word => self.first_word(sight, space, now, 0),
        }
    }
}

/// How the first line ends.
fn first_line_end(sight: &Sight<'_>) -> Option<LineEnd> {
    let bytes = sight.bytes();
    let near = &bytes[..bytes.len().min(FIRST_LINE)];
    match memchr::memchr(b'\n', near) {
        Some(at) if at > 0 && near[at - 1] == b'\r' => Some(LineEnd::CrLf),
        None if near.len() < FIRST_LINE && !sight.end() => None,
        _ => Some(LineEnd::Lf),
    }
}

impl Checkpoint for HeaderEncoder {
    fn save_state(&self) -> State {
        self.now.pack()
    }

    fn restore_state(&mut self, at: State) {
        self.now = Now::unpack(at);
    }

    fn max_lookahead(&self) -> usize {
        WINDOW
    }
}

impl Encoder for HeaderEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        self.ahead = None;
        while read < src.len() {
            let sight = Sight::new(&src[read..], end);
            match self.step(&sight, &mut dst[written..]) {
                None => break,
                Some(Step::Full) => return Progress::output_full(read, written),
                Some(Step::Error(error)) => return Progress::error(read, written, error),
                Some(Step::Went { read: more, written: out, now }) => {
                    debug_assert!(more + out > 0, "a step goes somewhere");
                    read += more;
                    written += out;
                    self.now = now;
                    self.ahead = self.ahead.and_then(|ahead| ahead.nearer(more));
                }
            }
        }
        Progress::input_empty(read, written)
    }
}
