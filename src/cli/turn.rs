//! The pump whose turn it is: one after the other where inputs differ in encoding.

use std::fmt;
use std::io::{self, Read, Write};

use charpipe::Error;
use charpipe::auto::{Origin, PREFIX, Verdict};
use charpipe::charset::Mark;
use charpipe::detect::Confidence;
use charpipe::inplace::{Failure, Told};
use charpipe::plan::{Bom, Encoding, Plan};
use charpipe::pump::Pump;
use charpipe::sink::Sink;

use super::job::Conversion;
use super::remedy::with_remedy;
use super::report::Faults;
use super::terminal::Tracked;

/// The pump at work, and how it is found out which comes next.
pub struct Turn {
    pub pump: Pump,
    plan: Plan,
    origin: Origin,
    min_confidence: Confidence,
}

/// The output, and whether anything has come out: the mark with it, if there is to be one.
pub struct Outlet {
    pub tracked: Tracked,
    begun: bool,
}

/// Why an input does not get its turn.
#[derive(Debug)]
pub enum Unsuited {
    /// Its encoding is not known.
    Unknown,
    /// The detector does not know its encoding.
    Undetected,
    /// The detector names this encoding, but with less confidence than required.
    Unsure(Encoding, Confidence),
    /// It is no text.
    Binary,
    /// The output begins with a mark of its own for each encoding.
    Other(Encoding, Encoding),
}

impl Turn {
    /// # Errors
    ///
    /// As [`Plan::pump`].
    pub fn new(job: &Conversion) -> Result<Turn, Error> {
        let (plan, origin) = (job.plan.clone(), job.origin.clone());
        let pump = origin.plan(&plan, plan.from.clone()).pump()?;
        Ok(Turn { pump, plan, origin, min_confidence: job.min_confidence })
    }

    /// As much of the beginning of an input as has to be looked at. How the input comes in, in
    /// pieces or as a file, makes no difference.
    ///
    /// # Errors
    ///
    /// What reading answers.
    pub fn head(&self, source: &mut impl Read) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        if self.origin.looks() {
            source.take(PREFIX as u64).read_to_end(&mut head)?;
        }
        Ok(head)
    }

    /// Makes it the turn of an input that begins like this.
    ///
    /// # Errors
    ///
    /// As [`Pump::finish`], for the pump whose turn it was.
    pub fn to(
        &mut self,
        head: &[u8],
        outlet: &mut Outlet,
        faults: &mut Faults<'_>,
    ) -> Result<Result<(), Unsuited>, Error> {
        if head.is_empty() {
            // There is nothing to look at, or it has not to be looked at.
            return Ok(Ok(()));
        }
        let verdict = match head.len() {
            PREFIX => self.origin.of_prefix(head),
            _ => self.origin.of(&mut &*head).map_err(Error::Write)?,
        };
        let (from, confidence) = match (verdict, &self.origin) {
            (Verdict::Is(from, confidence), _) => (from, confidence),
            (Verdict::Binary, Origin::Detect) => return Ok(Err(Unsuited::Binary)),
            (Verdict::Unknown, Origin::Detect) => return Ok(Err(Unsuited::Undetected)),
            (Verdict::Binary | Verdict::Unknown, _) => return Ok(Err(Unsuited::Unknown)),
        };
        if let Some(confidence) = confidence {
            if confidence < self.min_confidence {
                return Ok(Err(Unsuited::Unsure(from, confidence)));
            }
            faults.detected(&from, confidence);
        }
        if from.to_string() == self.plan.from.to_string() {
            return Ok(Ok(()));
        }
        if outlet.begun && self.plan.to.charset.mark == Mark::Written {
            return Ok(Err(Unsuited::Other(from, self.plan.from.clone())));
        }
        self.pump.finish(outlet, faults)?;
        if outlet.begun && self.plan.bom == Bom::Add {
            // The mark is there by now.
            self.plan.bom = Bom::Strip;
        }
        self.plan.from = from;
        self.pump = self.origin.plan(&self.plan, self.plan.from.clone()).pump()?;
        faults.converting(&self.plan);
        Ok(Ok(()))
    }
}

impl Outlet {
    pub fn new(sink: Sink) -> Outlet {
        Outlet { tracked: Tracked::new(sink), begun: false }
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.tracked.write(bytes)?;
        self.begun |= count > 0;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tracked.flush()
    }
}

impl fmt::Display for Unsuited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuited::Unknown => f.write_str(&with_remedy(Failure::Unknown)),
            Unsuited::Undetected => f.write_str(&with_remedy(Failure::Undetected)),
            Unsuited::Unsure(encoding, confidence) => {
                let failure = Failure::Unsure(encoding.to_string(), *confidence);
                f.write_str(&with_remedy(failure))
            }
            Unsuited::Binary => f.write_str("binary file"),
            Unsuited::Other(this, last) => {
                write!(f, "is {this}, but what came before is {last}: convert one at a time")
            }
        }
    }
}
