//! A charset put to the test: does its decoder read the input without a fault, and what comes out?

use crate::charset::{self, Charset, Settings};
use crate::codec::{Decoder, Stop};
use crate::fault::Why;

use super::sight::Sight;

/// Bytes of text that are decoded at a time.
const ROOM: usize = 16 * 1024;

/// A decoder at work on an input.
pub(super) struct Trial {
    pub(super) charset: &'static Charset,
    pub(super) sight: Sight,
    decoder: Box<dyn Decoder>,
    /// The beginning of a character that the bytes so far cut off.
    held: Vec<u8>,
    room: Vec<u8>,
    broken: bool,
    cut: bool,
    /// Whether the whole input is read, past errors and whatever the text looks like.
    whole: bool,
}

impl Trial {
    /// A trial of the charset of this name, if there is one.
    pub(super) fn of(name: &str) -> Option<Trial> {
        charset::find(name).map(Trial::new)
    }

    pub(super) fn new(charset: &'static Charset) -> Trial {
        let decoder = charset.decoder(&Settings::default());
        let (sight, held, room) = (Sight::default(), Vec::new(), vec![0; ROOM]);
        Trial { charset, sight, decoder, held, room, broken: false, cut: false, whole: false }
    }

    /// Makes the trial read the whole input, because there is no other candidate whose line ends
    /// could be reported.
    pub(super) fn read_all(&mut self) {
        self.whole = true;
    }

    /// Whether the charset has not failed yet.
    pub(super) fn stands(&self) -> bool {
        !self.broken && !self.sight.is_hopeless()
    }

    /// Whether the input ended inside a character.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Decodes the next bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.decode(bytes, false);
    }

    /// The input ends here.
    pub(super) fn end(&mut self) {
        self.decode(&[], true);
    }

    fn decode(&mut self, bytes: &[u8], end: bool) {
        let mut input = std::mem::take(&mut self.held);
        input.extend_from_slice(bytes);
        let mut read = 0;
        while self.whole || self.stands() {
            let progress = self.decoder.decode(&input[read..], &mut self.room, end);
            read += progress.read;
            let text = std::str::from_utf8(&self.room[..progress.written]);
            self.sight.add(text.unwrap_or("\0"));
            match progress.stop {
                Stop::Input => break,
                Stop::Output => {}
                Stop::Fault(fault) if end && fault.why == Why::Truncated => {
                    self.cut = true;
                    return;
                }
                Stop::Fault(fault) => {
                    self.broken = true;
                    // A CR before malformed bytes and an LF after them are two line ends.
                    self.sight.add("\u{FFFD}");
                    self.decoder.resume(fault.then);
                    read += fault.next;
                }
            }
        }
        input.drain(..read);
        self.held = input;
    }
}
