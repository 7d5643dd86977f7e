//! The pump behind `std::io`: [`convert`] for bytes at hand, [`Reader`] and [`Writer`] for streams.

use std::fmt;
use std::io::{self, Read, Write};

use crate::error::Error;
use crate::fault::{Done, Fault};
use crate::plan::{Encoding, Plan};
use crate::pump::{Pump, Report};

/// Converts bytes from one encoding to another, and stops at the first fault.
///
/// ```
/// assert_eq!(charpipe::convert("latin1", "utf-8", b"caf\xE9")?, "café".as_bytes());
/// # Ok::<(), charpipe::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnknownCharset`] and [`Error::BadSetting`] for a name, [`Error::Stopped`] for a fault.
pub fn convert(from: &str, to: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
    let plan = Plan::new(from.parse::<Encoding>()?, to.parse::<Encoding>()?);
    let mut writer = Writer::new(Vec::new(), &plan)?;
    writer.push(input)?;
    writer.end()?;
    Ok(writer.inner)
}

/// How many faults have been met, and what was done about them. Only some of them are
/// [errors](Tally::errors).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Offenders in whose place nothing was written.
    pub skipped: u64,
    /// Offenders in whose place something else was written.
    pub replaced: u64,
    /// Malformed sequences that were written unchanged.
    pub kept: u64,
    /// Characters that were written as an equivalent, which is not an error.
    pub transliterated: u64,
    /// Characters that were written as an escape, which is not an error.
    pub escaped: u64,
}

impl Tally {
    /// How many errors there were: malformed sequences, whatever was done about them, and
    /// characters that were lost. With zero the conversion is complete.
    pub const fn errors(&self) -> u64 {
        self.skipped + self.replaced + self.kept
    }
}

impl Report for Tally {
    fn wants_place(&self) -> bool {
        false
    }

    fn fault(&mut self, fault: &Fault) {
        self.faults(fault, 1);
    }

    fn only_counts(&self) -> bool {
        true
    }

    fn faults(&mut self, fault: &Fault, count: u64) {
        match fault.done {
            Done::Skipped => self.skipped += count,
            Done::Replaced => self.replaced += count,
            Done::Kept => self.kept += count,
            Done::Transliterated => self.transliterated += count,
            Done::Escaped => self.escaped += count,
            Done::Stopped => {}
        }
    }
}

/// Converts what is written to it and writes that on.
///
/// Each call of [`write`](Write::write) writes on all that its bytes allow. The end must be told
/// with [`finish`](Writer::finish): a writer that is dropped loses what its encoder holds back.
/// After an error nothing more can be written, and the end is an error too: nobody could say which
/// of the bytes have come through.
pub struct Writer<W> {
    inner: W,
    pump: Pump,
    tally: Tally,
    phase: Phase,
}

/// Whether a [`Writer`] takes any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    Ended,
    Failed,
}

impl<W: Write> Writer<W> {
    /// A writer that carries out a plan.
    ///
    /// # Errors
    ///
    /// As [`Plan::pump`].
    pub fn new(inner: W, plan: &Plan) -> Result<Writer<W>, Error> {
        Ok(Writer { inner, pump: plan.pump()?, tally: Tally::default(), phase: Phase::Open })
    }

    /// Ends the input and gives the inner writer back.
    ///
    /// # Errors
    ///
    /// `InvalidData` if the input ends inside a character; whatever the inner writer says; an
    /// earlier error.
    pub fn finish(mut self) -> io::Result<W> {
        self.try_finish()?;
        Ok(self.inner)
    }

    /// Ends the input and keeps the writer, so that the tally is there with the last fault in it.
    /// To do so again does nothing.
    ///
    /// # Errors
    ///
    /// As [`finish`](Writer::finish).
    pub fn try_finish(&mut self) -> io::Result<()> {
        Ok(self.end()?)
    }

    /// Faults so far that did not stop the conversion.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    fn push(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        self.enter()?;
        while !bytes.is_empty() {
            let space = self.pump.space();
            let count = bytes.len().min(space.len());
            space[..count].copy_from_slice(&bytes[..count]);
            self.pump.filled(count, &mut self.inner, &mut self.tally)?;
            bytes = &bytes[count..];
        }
        self.phase = Phase::Open;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        if self.phase == Phase::Ended {
            return Ok(());
        }
        self.enter()?;
        self.pump.end_of_file(&mut self.inner, &mut self.tally)?;
        self.pump.finish(&mut self.inner, &mut self.tally)?;
        self.phase = Phase::Ended;
        Ok(())
    }

    /// Begins what may fail: it counts as failed until it is said otherwise.
    fn enter(&mut self) -> Result<(), Error> {
        if self.phase != Phase::Open {
            let why = match self.phase {
                Phase::Ended => "the input has ended",
                Phase::Open | Phase::Failed => "an earlier error ended the conversion",
            };
            return Err(Error::Write(io::Error::other(why)));
        }
        self.phase = Phase::Failed;
        Ok(())
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: fmt::Debug> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Writer");
        shown.field("inner", &self.inner).field("pump", &self.pump);
        shown.field("tally", &self.tally).field("phase", &self.phase).finish()
    }
}

/// Reads from another reader and gives what it reads converted.
///
/// A fault under the policy stop is an error of kind `InvalidData`, after all before it was given;
/// behind it there is nothing more to read.
pub struct Reader<R> {
    inner: R,
    pump: Pump,
    tally: Tally,
    ready: Vec<u8>,
    given: usize,
    ended: bool,
    failed: Option<Error>,
}

impl<R: Read> Reader<R> {
    /// A reader that carries out a plan.
    ///
    /// # Errors
    ///
    /// As [`Plan::pump`].
    pub fn new(inner: R, plan: &Plan) -> Result<Reader<R>, Error> {
        let (pump, tally) = (plan.pump()?, Tally::default());
        let ready = Vec::new();
        Ok(Reader { inner, pump, tally, ready, given: 0, ended: false, failed: None })
    }

    /// Faults so far that did not stop the conversion.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Gives the inner reader back; what has been read from it but not yet from here is lost.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Reads and converts one block.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        let count = self.inner.read(self.pump.space())?;
        let mut convert = || {
            if count > 0 {
                return self.pump.filled(count, &mut self.ready, &mut self.tally);
            }
            self.ended = true;
            self.pump.end_of_file(&mut self.ready, &mut self.tally)?;
            self.pump.finish(&mut self.ready, &mut self.tally)
        };
        self.failed = convert().err();
        Ok(())
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() {
            if let Some(error) = self.failed.take() {
                self.ended = true;
                return Err(error.into());
            }
            if self.ended || buffer.is_empty() {
                return Ok(0);
            }
            self.refill()?;
        }
        let count = buffer.len().min(self.ready.len() - self.given);
        buffer[..count].copy_from_slice(&self.ready[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

impl<R: fmt::Debug> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Reader");
        shown.field("inner", &self.inner).field("pump", &self.pump);
        shown.field("tally", &self.tally).field("ended", &self.ended).finish_non_exhaustive()
    }
}
