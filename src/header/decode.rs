//! From header lines to text.
//!
//! What the words say is decoded and all else copied. The decoder works on any piece of the input
//! at a time and looks at most [`REACH`] bytes ahead; what it has not decided yet it leaves unread,
//! an unfinished character of a word for one. So all that it remembers is a
//! [`Stand`](stand::Stand), and any error has the bytes that caused it.

use crate::codec::{Checkpoint, Decoder, Progress, State, Status};
use crate::conversion_error::Malformed;
use crate::encoding::{self, EncodingOptions};

mod bytes;
mod clean;
mod controls;
mod gathered;
mod join;
mod labels;
mod lenient;
mod position;
mod scan;
mod stand;
mod strict;
mod text;
mod trial;
mod word;
#[cfg(test)]
mod work;

use gathered::Gathered;
use labels::{Decoders, Labels};
use scan::View;
use stand::{Mode, Stand};
use word::MANY;

/// How many bytes the decoder looks ahead from what is unread. A word that does not end within
/// them is text. Of what follows a word, the white space and the next word must end within them,
/// counted from the word's last unread character; else the white space is text.
pub(super) const REACH: usize = 64 * 1024;

/// Room that one step needs in which characters are put together over the end of a word, or a
/// strict word is written: the most that any step needs.
const SPACE: usize = 1024;

/// Decodes words and copies what stands between them.
pub(super) struct HeaderDecoder {
    options: Options,
    state: State,
    /// The state in parts, within a call.
    stand: Stand,
    /// Copies text.
    utf8: Box<dyn Decoder>,
    decoders: Decoders,
    labels: Labels,
    /// Where bytes are gathered, while nobody does.
    spare: Option<Box<Gathered<MANY>>>,
}

/// What the options ask for.
#[derive(Debug, Clone, Copy)]
struct Options {
    /// Whether each record is a bare value.
    bare: bool,
    /// Whether controls may come out of words.
    raw: bool,
    strict: bool,
}

impl HeaderDecoder {
    pub fn new(options: &EncodingOptions) -> HeaderDecoder {
        HeaderDecoder {
            options: Options {
                bare: options.is_choice("fields", "raw"),
                raw: options.is_choice("controls", "raw"),
                strict: options.flag("strict"),
            },
            state: State::INITIAL,
            stand: Stand::default(),
            utf8: encoding::utf8().decoder(&EncodingOptions::default()),
            decoders: Decoders::new(),
            labels: Labels::new(options.flag("strict")),
            spare: Some(Box::new(Gathered::new(0, None))),
        }
    }
}

impl Checkpoint for HeaderDecoder {
    fn save_state(&self) -> State {
        self.state
    }

    fn restore_state(&mut self, at: State) {
        self.state = at;
    }

    fn max_lookahead(&self) -> usize {
        REACH
    }
}

impl Decoder for HeaderDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        if let Some(error) = self.error_at_front(src, dst) {
            return Progress::error(0, 0, error);
        }
        let mut call = Call { src, dst, end, read: 0, written: 0, fresh_until: 0 };
        self.stand = Stand::of(self.state);
        let stop = loop {
            let step = match self.stand.mode {
                Mode::Word => self.word(&mut call),
                Mode::Record | Mode::Line | Mode::Text => self.text(&mut call),
            };
            if let Err(stop) = step {
                break stop;
            }
        };
        // What was decided without a byte is decided again by the next call.
        if (call.read, call.written) != (0, 0) {
            self.state = self.stand.state();
        }
        Progress { read: call.read, written: call.written, status: stop }
    }
}

impl HeaderDecoder {
    /// The error that comes next, if it is one of a kind that comes in crowds: a single byte of
    /// text, or a single byte of a word.
    fn error_at_front(&mut self, src: &[u8], dst: &mut [u8]) -> Option<Malformed> {
        if Stand::is_in_word(self.state) {
            return self.lone_error(src, dst);
        }
        let [byte @ (0x80..=0xC1 | 0xF5..=0xFF), ..] = src else { return None };
        let then = Stand::after_error(self.state, *byte)?;
        Some(Malformed::new(1, encoding::not_utf8(&src[..1]), then))
    }
}

/// One step: on to the next, or why there is none.
type Step = Result<(), Status<Malformed>>;

/// The buffers of a call, and how far it has come.
struct Call<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
    read: usize,
    written: usize,
    /// Where the text of a word ends that has just been entered; else zero.
    fresh_until: usize,
}

impl<'a> Call<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.src[self.read..]
    }

    fn space(&mut self) -> &mut [u8] {
        &mut self.dst[self.written..]
    }

    /// The source as far as the decoder may look. Indexes are those of the source.
    fn view(&self) -> View<'a> {
        let reach = self.read.saturating_add(REACH);
        if reach > self.src.len() {
            return View { bytes: self.src, closed: self.end };
        }
        View { bytes: &self.src[..reach], closed: true }
    }

    /// Goes on only with the most space that a step needs.
    fn needs_space(&self) -> Step {
        if self.dst.len() - self.written < SPACE { Err(Status::OutputFull) } else { Ok(()) }
    }
}
