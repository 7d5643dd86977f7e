//! Mojibake: UTF-8 that was decoded in another encoding, as "Ã©" for "é".
//!
//! The encoder repairs garbled text (see [`repair`](crate::repair)). The decoder, for checks, reports it
//! as an error instead. Both find the same text: the decoder assumes that what it reports was repaired.
//!
//! Whether text is garbled depends on the two characters before it, on the characters up to the first
//! one that no code page has, and on whether another repair in the line had the same code page. A
//! longer run than [`MAX_RUN`] bytes is repaired in pieces.

use memchr::memchr;

use super::{Transform, TransformCodecs};
use crate::codec::{Checkpoint, Progress, State, TextTransform};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::kernel::ascii;
use crate::repair::{Found, Repairer};

/// Repairs UTF-8 that was decoded in another encoding.
pub static MOJIBAKE: Transform = Transform {
    name: "mojibake",
    aliases: &[],
    title: "text",
    description: "Repairs UTF-8 that was read in another encoding, as \"Ã©\"; decoded, it is an error",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(MojibakeCodec::new(Mode::Report))),
        encoder: |_| Box::new(MojibakeCodec::new(Mode::Repair)),
    },
};

/// The maximum length of a run that is examined at once, in bytes.
const MAX_RUN: usize = 4080;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Repair,
    Report,
}

/// Repairs garbled text, or reports it.
struct MojibakeCodec {
    mode: Mode,
    repairer: Repairer,
    context: Context,
}

/// What the codec remembers of the text before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Context {
    /// The last two characters, after repair; line feeds at the start.
    last: [char; 2],
    /// The code page of the last repair in this line.
    page: Option<usize>,
}

impl Context {
    const INITIAL: Context = Context { last: ['\n', '\n'], page: None };

    /// Notes that `text` follows.
    fn advance(&mut self, text: &str) {
        let mut chars = text.chars().rev();
        match (chars.next(), chars.next()) {
            (Some(last), Some(first)) => self.last = [first, last],
            (Some(last), None) => self.last = [self.last[1], last],
            _ => {}
        }
        if self.page.is_some() && memchr(b'\n', text.as_bytes()).is_some() {
            self.page = None;
        }
    }

    /// Notes that repaired text follows.
    fn advance_repaired(&mut self, text: &[char], page: usize) {
        match *text {
            [.., first, last] => self.last = [first, last],
            [last] => self.last = [self.last[1], last],
            [] => {}
        }
        self.page = Some(page);
    }

    /// The bits of the state. Those of [`Context::INITIAL`] are zero.
    fn to_bits(self) -> u64 {
        let [first, last] = self.last.map(|character| u64::from(u32::from(character) ^ 0x0A));
        let page = self.page.map_or(0, |page| page as u64 + 1);
        first | last << 21 | page << 42
    }

    fn from_bits(bits: u64) -> Context {
        let character = |bits: u64| {
            char::from_u32((bits & 0x1F_FFFF) as u32 ^ 0x0A).unwrap_or(char::REPLACEMENT_CHARACTER)
        };
        Context {
            last: [character(bits), character(bits >> 21)],
            page: ((bits >> 42) as usize).checked_sub(1),
        }
    }
}

impl MojibakeCodec {
    fn new(mode: Mode) -> MojibakeCodec {
        MojibakeCodec { mode, repairer: Repairer::new(MAX_RUN / 2), context: Context::INITIAL }
    }

    /// Returns the length of the text that is certainly not garbled, and whether two characters follow it
    /// that can start garbled text. If not, what follows is an incomplete pair.
    fn find_suspicious(&self, src: &str, end: bool) -> (usize, bool) {
        let mut at = 0;
        loop {
            at += ascii::prefix_len(&src.as_bytes()[at..]);
            let mut chars = src[at..].chars();
            let Some(mut character) = chars.next() else { return (src.len(), false) };
            while !character.is_ascii() {
                let len = character.len_utf8();
                let leads = self.repairer.lead_pages(character);
                let Some(next) = chars.next() else {
                    let is_incomplete = leads != 0 && !end;
                    return (if is_incomplete { at } else { src.len() }, false);
                };
                if leads & self.repairer.continuation_pages(next) != 0 {
                    return (at, true);
                }
                at += len;
                character = next;
            }
        }
    }

    /// Collects the run at the start of `src`. Returns the character after it, or nothing if more input
    /// is needed to know it.
    fn collect_run(&mut self, src: &str, end: bool) -> Option<char> {
        self.repairer.clear();
        let mut len = 0;
        for character in src.chars() {
            if len + character.len_utf8() > MAX_RUN || !self.repairer.push(character) {
                return Some(character);
            }
            len += character.len_utf8();
        }
        end.then_some('\n')
    }
}

impl Checkpoint for MojibakeCodec {
    fn save_state(&self) -> State {
        State::new(self.context.to_bits())
    }

    fn restore_state(&mut self, state: State) {
        self.context = Context::from_bits(state.bits());
    }

    fn max_lookahead(&self) -> usize {
        4096
    }
}

impl TextTransform for MojibakeCodec {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &src[read..];
            let (len, is_suspicious) = self.find_suspicious(rest, end);
            let copied = floor_char_boundary(rest, len.min(dst.len() - written));
            dst[written..written + copied].copy_from_slice(&rest.as_bytes()[..copied]);
            self.context.advance(&rest[..copied]);
            (read, written) = (read + copied, written + copied);
            if copied < len {
                return Progress::output_full(read, written);
            }
            if !is_suspicious {
                return Progress::input_empty(read, written);
            }
            let rest = &src[read..];
            let Some(after) = self.collect_run(rest, end) else {
                return Progress::input_empty(read, written);
            };
            let Context { last, page } = self.context;
            match self.repairer.examine(last, after, page) {
                Found::Text(count) => {
                    let len = prefix_of_chars(rest, count);
                    let Some(space) = dst[written..].get_mut(..len) else {
                        return Progress::output_full(read, written);
                    };
                    space.copy_from_slice(&rest.as_bytes()[..len]);
                    self.context.advance(&rest[..len]);
                    (read, written) = (read + len, written + len);
                }
                Found::Mojibake { len: count, page } => {
                    let len = prefix_of_chars(rest, count);
                    let mut context = self.context;
                    context.advance_repaired(self.repairer.replacement(), page);
                    if self.mode == Mode::Report {
                        let state = State::new(context.to_bits());
                        let error = Malformed::new(len, MalformedReason::Mojibake, state);
                        return Progress::error(read, written, error);
                    }
                    let repaired = self.repairer.replacement().iter();
                    if repaired.clone().map(|character| character.len_utf8()).sum::<usize>()
                        > dst.len() - written
                    {
                        return Progress::output_full(read, written);
                    }
                    for character in repaired {
                        written += character.encode_utf8(&mut dst[written..]).len();
                    }
                    read += len;
                    self.context = context;
                }
            }
        }
    }
}

/// Returns the length of the first `count` characters, in bytes.
fn prefix_of_chars(text: &str, count: usize) -> usize {
    text.chars().take(count).map(char::len_utf8).sum()
}

/// Returns the greatest index up to `index` between two characters.
fn floor_char_boundary(text: &str, index: usize) -> usize {
    (0..=index).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
