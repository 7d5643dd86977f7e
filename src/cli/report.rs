//! What is told on the standard error: one line a fault, a total a file.
//!
//! Each line is one `write`, so that the lines of several processes do not mix. That a line could not
//! be written can be told by the exit code alone.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use charpipe::Tally;
use charpipe::detect::Confidence;
use charpipe::fault::{Done, Fault};
use charpipe::inplace::Told;
use charpipe::plan::{Encoding, Plan};
use charpipe::pump::Report;
use charpipe::quote::Quoted;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::descriptors::closed_at_start;
use super::job::Telling;
use super::order::Voice;
use super::{progress, terminal};

/// Bytes of a line, its end not counted, beyond which its middle is left out.
const LINE: usize = 380;
/// Faults of a file that are told one by one.
const FIRST: u64 = 10;

/// Tells the faults of one file after the other.
pub struct Faults<'a> {
    voice: Voice<'a>,
    telling: Telling,
    from: &'static str,
    to: &'static str,
    file: String,
    tally: Tally,
    told: u64,
    untold: u64,
    any: bool,
}

impl<'a> Faults<'a> {
    pub fn new(plan: &Plan, telling: Telling, voice: Voice<'a>) -> Faults<'a> {
        let (from, to) = (plan.from.charset.name, plan.to.charset.name);
        let file = String::new();
        Faults {
            voice,
            telling,
            from,
            to,
            file,
            tally: Tally::default(),
            told: 0,
            untold: 0,
            any: false,
        }
    }

    /// The faults from here on are in this file, whose name is safe to show.
    pub fn begin(&mut self, file: &str) {
        file.clone_into(&mut self.file);
        self.tally = Tally::default();
        (self.told, self.untold) = (0, 0);
    }

    /// The faults from here on are met by carrying out this plan.
    pub fn converting(&mut self, plan: &Plan) {
        (self.from, self.to) = (plan.from.charset.name, plan.to.charset.name);
    }

    /// Tells the total of a file, if there is one to tell.
    pub fn end(&mut self) {
        let Tally { skipped, replaced, kept, mut transliterated, mut escaped } = self.tally;
        if self.telling != Telling::Everything {
            (transliterated, escaped) = (0, 0);
        }
        let parts = [
            (skipped, "skipped"),
            (replaced, "replaced"),
            (kept, "kept"),
            (transliterated, "transliterated"),
            (escaped, "escaped"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, done)| format!("{count} {done}")).collect();
        if self.telling == Telling::Nothing || parts.is_empty() {
            return;
        }
        let mut line = format!("{}: {}", self.file, parts.join(", "));
        if self.untold > 0 {
            let s = if self.untold == 1 { "" } else { "s" };
            let _ = write!(line, " ({} more fault{s} not shown)", self.untold);
        }
        self.voice.say(&line);
    }

    /// Whether any file had an error.
    pub fn any(&self) -> bool {
        self.any
    }

    fn count(&mut self, fault: &Fault, count: u64) {
        self.any |= fault.done.is_error();
        self.tally.faults(fault, count);
    }

    fn tells_next(&self) -> bool {
        match self.telling {
            Telling::Nothing => false,
            Telling::TheFirst => self.told < FIRST,
            Telling::Everything => true,
        }
    }
}

impl Report for Faults<'_> {
    fn wants_place(&self) -> bool {
        self.tells_next()
    }

    fn only_counts(&self) -> bool {
        !self.tells_next()
    }

    fn only_counts_conversions(&self) -> bool {
        self.telling != Telling::Everything
    }

    fn faults(&mut self, fault: &Fault, count: u64) {
        self.count(fault, count);
        if fault.done.is_error() {
            self.untold += count;
        }
    }

    fn fault(&mut self, fault: &Fault) {
        self.count(fault, 1);
        if !fault.done.is_error() && self.only_counts_conversions() {
            return;
        }
        // Faults may come by the million: nothing is put into words that is not shown. The one
        // that ends the run is shown even if it is the eleventh.
        let stopped = fault.done == Done::Stopped && self.telling != Telling::Nothing;
        if !self.tells_next() && !stopped {
            self.untold += 1;
            return;
        }
        self.told += 1;
        let mut line = self.file.clone();
        if let Some(place) = fault.place {
            let _ = write!(line, ":{place}");
        }
        let _ = write!(line, ": {}", fault.describe(self.from, self.to));
        self.voice.say(&line);
    }
}

impl Told for Faults<'_> {
    fn begins(&mut self, plan: &Plan) {
        self.converting(plan);
    }

    /// A guess is told whatever else is not.
    fn detected(&mut self, encoding: &Encoding, confidence: Confidence) {
        if confidence == Confidence::Guess || self.telling == Telling::Everything {
            self.voice.say(&format!("{}: detected {encoding} ({confidence})", self.file));
        }
    }
}

/// Tells one line.
pub fn say(line: &str) {
    let line = format!("charpipe: {line}");
    write_line(&line);
}

/// Tells what is wrong with a command line: the parser's text, line by line.
pub fn usage(text: &str) {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let mut lines = text.lines();
    say(lines.next().unwrap_or_default());
    lines.for_each(write_line);
}

fn write_line(line: &str) {
    // The last guard: whatever has come this far, nothing that drives a terminal goes out.
    let end = if terminal::take_open_line() { "\n" } else { "" };
    let line = format!("{end}{}\n", Quoted::new(line).within(LINE));
    let closed = closed_at_start().stderr;
    if closed || progress::aside(|| write_all(line.as_bytes())).is_err() {
        LOST.store(true, Relaxed);
    }
}

/// Whether a line could not be written.
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether something that was to be told was not.
pub fn is_incomplete() -> bool {
    LOST.load(Relaxed)
}

fn write_all(mut bytes: &[u8]) -> Result<(), Errno> {
    let stderr = rustix::stdio::stderr();
    while !bytes.is_empty() {
        match rustix::io::write(stderr, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let awaited = PollFd::from_borrowed_fd(stderr, PollFlags::OUT);
                match poll(&mut [awaited], None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error),
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
