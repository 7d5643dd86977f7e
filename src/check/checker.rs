//! The loop of a check: bytes in, through a decoder, findings out.

use std::fmt;

use super::examine::{Examiner, Piece};
use super::source::{Decoded, InPlace};
use super::{Binary, Findings, HEAD, Mark, Rules};
use crate::charset;
use crate::codec::{State, Stop};
use crate::error::Error;
use crate::fault::{Excerpt, Malformed};
use crate::kernel;
use crate::plan::{Encoding, Plan};
use crate::policy;
use crate::pump::link::{Link, Met, Stage};
use crate::pump::locate::SCRATCH;
use crate::pump::message::Message;

/// The machine that holds one file after the other to some [`Rules`].
///
/// Read input into [`space`](Checker::space), say how much with [`filled`](Checker::filled), and
/// end with [`end_of_file`](Checker::end_of_file) after each file. After an error the checker is of
/// no more use.
pub struct Checker {
    link: Link,
    text: Box<[u8]>,
    scratch: Box<[u8]>,
    examiner: Examiner,
    binary: Binary,
    /// Whether NUL makes a file binary.
    nul_tells: bool,
    /// Whether text may be examined where it stands.
    is_utf8: bool,
    message: Option<Message>,
    block: usize,
    /// Bytes in the space that the link has not been given yet.
    waiting: usize,
    phase: Phase,
    /// Offset in the file of index 0 of the link's block; wraps below nought.
    base: u64,
}

/// How far a file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Its first bytes are being gathered, as NUL may be among them.
    Head,
    /// It is being checked.
    Body,
    /// Nothing of the rest can change anything.
    Settled,
}

impl Checker {
    /// A checker for these rules.
    ///
    /// # Errors
    ///
    /// [`Error::Inexpressible`] if a byte order mark is required that the encoding lacks;
    /// [`Error::NoMessage`] if a message is to be checked in an encoding that does not keep ASCII.
    pub fn new(rules: &Rules) -> Result<Checker, Error> {
        let (charset, settings) = (rules.encoding.charset, &rules.encoding.settings);
        let mut encoder = charset.encoder(settings);
        if rules.mark == Mark::Require
            && let Some(character) = policy::inexpressible(&mut *encoder, "\u{FEFF}")
        {
            let action = "requiring a byte order mark".to_owned();
            return Err(Error::Inexpressible { character, action, charset: charset.name });
        }
        if rules.message && !rules.encoding.keeps_ascii() {
            return Err(Error::NoMessage { from: charset.name, to: charset.name });
        }
        let block = rules.block.clamp(1, Plan::LARGEST_BLOCK);
        let link = Link::new(stage(&rules.encoding), block + HEAD, 0);
        let window = link.window;
        let mut checker = Checker {
            text: vec![0; block.max(HEAD).max(window)].into_boxed_slice(),
            scratch: vec![0; SCRATCH.max(window)].into_boxed_slice(),
            examiner: Examiner::new(rules),
            binary: rules.binary,
            nul_tells: rules.binary != Binary::Text && !rules.encoding.writes_nul(),
            is_utf8: charset::is_utf8(charset),
            message: rules.message.then(Message::default),
            block,
            waiting: 0,
            phase: Phase::Head,
            base: 0,
            link,
        };
        checker.begin();
        Ok(checker)
    }

    /// Where to put the next input. Never empty.
    pub fn space(&mut self) -> &mut [u8] {
        let room = &mut self.link.input.room()[self.waiting..];
        let most = self.block.min(room.len());
        &mut room[..most]
    }

    /// Whether the rest of the file cannot change anything, so that it need not be read.
    pub fn is_settled(&self) -> bool {
        self.phase == Phase::Settled
    }

    /// Passes over the rest of the file.
    pub fn settle(&mut self) {
        self.phase = Phase::Settled;
    }

    /// Checks `bytes` bytes that were put into [`space`](Checker::space).
    ///
    /// # Errors
    ///
    /// [`Error::Write`] with what `out` answers.
    pub fn filled(&mut self, bytes: usize, out: Findings<'_>) -> Result<(), Error> {
        match self.phase {
            Phase::Settled => return Ok(()),
            Phase::Head if self.waiting + bytes < HEAD => {
                self.waiting += bytes;
                return Ok(());
            }
            Phase::Head | Phase::Body => self.waiting += bytes,
        }
        self.release(out)
    }

    /// Ends one file: a character that it cuts is a finding, and what follows begins anew.
    ///
    /// # Errors
    ///
    /// As [`filled`](Checker::filled).
    pub fn end_of_file(&mut self, out: Findings<'_>) -> Result<(), Error> {
        if self.phase == Phase::Head {
            self.release(out)?;
        }
        if self.phase != Phase::Settled {
            self.finish(out)?;
        }
        self.begin();
        Ok(())
    }

    fn begin(&mut self) {
        let unread = self.link.input.unread().len();
        self.link.input.take(unread);
        self.link.input.settle();
        self.link.stage.resume(State::START);
        self.base = (self.link.input.position() as u64).wrapping_neg();
        self.examiner.reset();
        self.message = self.message.map(|_| Message::default());
        (self.waiting, self.phase) = (0, if self.nul_tells { Phase::Head } else { Phase::Body });
    }

    /// Gives the link what waits for it, as far as it counts.
    fn release(&mut self, out: Findings<'_>) -> Result<(), Error> {
        let whole = std::mem::take(&mut self.waiting);
        let given = self.given();
        let fresh = &self.link.input.room()[..whole];
        let count = self.message.as_mut().map_or(whole, |message| message.head(fresh));
        let nul = self.nul_tells.then(|| memchr::memchr(0, &fresh[..count])).flatten();
        let early = self.phase == Phase::Head;
        self.phase = Phase::Body;
        if let Some(raw) = &mut self.examiner.raw {
            raw.note(given, &fresh[..count]);
        }
        if let Some(nul) = nul {
            return self.nul(nul, early && nul < HEAD, out);
        }
        self.link.input.grow(count);
        if count < whole {
            return self.finish(out);
        }
        self.run(false, out)
    }

    /// The first NUL stands at this index of what comes next, early or late in the file.
    fn nul(&mut self, index: usize, early: bool, out: Findings<'_>) -> Result<(), Error> {
        let offset = self.given() + index as u64;
        self.examiner.stop_at(if early { 0 } else { offset });
        self.link.input.grow(index + 1);
        self.finish(out)?;
        match self.binary {
            Binary::Skip => Ok(()),
            Binary::Report | Binary::Text => self.examiner.binary(offset, out),
        }
    }

    /// Ends what the link has been given.
    fn finish(&mut self, out: Findings<'_>) -> Result<(), Error> {
        self.run(true, out)?;
        self.phase = Phase::Settled;
        self.examiner.end(self.offset(), out)
    }

    /// Runs the decoder over all that it can decode.
    fn run(&mut self, end: bool, out: Findings<'_>) -> Result<(), Error> {
        loop {
            if self.is_utf8 {
                self.in_place(out)?;
            }
            let (read, written) = self.link.step(&mut self.text, end, None);
            self.examine(written, out)?;
            match self.link.stop {
                Stop::Input => break,
                Stop::Output if (read, written) == (0, 0) => return Err(Error::Stalled("decoder")),
                Stop::Output => {}
                Stop::Fault(Met::Malformed(bad)) => self.malformed(bad, out)?,
                Stop::Fault(Met::Unmappable(_)) => return Err(Error::Stalled("decoder")),
            }
        }
        if let Some(raw) = &mut self.examiner.raw {
            raw.forget(self.base.wrapping_add(self.link.input.position() as u64));
        }
        let by = self.link.input.settle();
        self.base = self.base.wrapping_add_signed(by as i64);
        Ok(())
    }

    /// Offset of the first byte that has not been read.
    fn offset(&self) -> u64 {
        self.base.wrapping_add(self.link.input.position() as u64)
    }

    /// Offset behind the last byte that the link has been given.
    fn given(&self) -> u64 {
        self.offset() + self.link.input.unread().len() as u64
    }

    /// Examines UTF-8 where it stands, without a decoder, up to the first doubt.
    fn in_place(&mut self, out: Findings<'_>) -> Result<(), Error> {
        let start = self.offset();
        let unread = self.link.input.unread();
        let valid = kernel::utf8::prefix(unread);
        let piece = Piece { text: &unread[..valid], source: &mut InPlace(start) };
        self.examiner.text(piece, out)?;
        self.link.input.take(valid);
        Ok(())
    }

    /// Examines what the last step of the decoder has written.
    fn examine(&mut self, written: usize, out: Findings<'_>) -> Result<(), Error> {
        let (base, link, scratch) = (self.base, &mut self.link, &mut self.scratch);
        let mut source = Decoded { base, link, scratch };
        let piece = Piece { text: &self.text[..written], source: &mut source };
        self.examiner.text(piece, out)
    }

    /// Tells of bytes at the front of the input and steps over them.
    fn malformed(&mut self, bad: Malformed, out: Findings<'_>) -> Result<(), Error> {
        let offset = self.offset();
        let unread = self.link.input.unread();
        let shown = bad.len + bad.why.telltale(&unread[..bad.len.min(unread.len())]);
        let shown = &unread[..shown.min(unread.len())];
        let words = self.examiner.raw.is_some();
        let excerpt = if words { Excerpt::of_text(shown) } else { Excerpt::of(shown) };
        self.examiner.fault(offset, bad, excerpt, out)?;
        self.link.input.take(bad.next);
        self.link.stage.resume(bad.then);
        Ok(())
    }
}

/// What decodes this encoding, values above U+10FFFF included where it has them.
fn stage(encoding: &Encoding) -> Stage {
    match &encoding.charset.wide {
        Some(wide) if (wide.holds)(&encoding.settings) => {
            Stage::Surface((wide.decoder)(&encoding.settings))
        }
        _ => Stage::Decoder(encoding.charset.decoder(&encoding.settings)),
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("phase", &self.phase).finish_non_exhaustive()
    }
}
