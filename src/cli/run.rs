//! Carries a job out.

use std::io::{self, Read, Write};

use anyhow::{Context, Result, bail};
use charpipe::Error;
use charpipe::identity::Identity;
use charpipe::quote::Quoted;
use charpipe::sink::{Sink, Temporaries};
use charpipe::source::Source;
use rustix::io::Errno;

use super::descriptors::{Closed, closed_at_start};
use super::exit::{Status, reason};
use super::job::{Conversion, Input, Job, Output};
use super::order::Voice;
use super::report::{Faults, say};
use super::turn::{Outlet, Turn};
use super::{in_place, signals, terminal};

/// Carries a job out.
///
/// # Errors
///
/// What ends it before its time, a fault in the data excepted.
pub fn run(job: &Job, closed: Closed) -> Result<Status> {
    signals::survive_size_limit()?;
    match job {
        Job::Print(page) => print(page, closed),
        Job::Convert(conversion) => convert(conversion, closed),
        Job::InPlace(job) => in_place::run(job, closed),
    }
}

/// Prints a page.
///
/// # Errors
///
/// What keeps it from being printed.
pub fn print(page: &[u8], closed: Closed) -> Result<Status> {
    let mut sink = open_output(&Output::Stdout, closed, false)?;
    sink.write_all(page).with_context(|| write_error(&Output::Stdout))?;
    Ok(Status::Clean)
}

fn convert(job: &Conversion, closed: Closed) -> Result<Status> {
    let turn = Turn::new(job)?;
    refuse_own_input(job)?;
    let outlet = Outlet::new(open_output(&job.output, closed, job.always_named)?);
    let faults = Faults::new(&job.plan, job.telling, Voice::Direct);
    let mut run = Run { turn, outlet, faults, closed, trouble: false, refused: false };
    if job.announces {
        terminal::announce_reading("");
    }
    let stopped = match run.all(&job.inputs) {
        Ok(()) => false,
        Err(Error::Stopped(_)) => true,
        Err(Error::Write(error)) => return Err(error).context(write_error(&job.output)),
        Err(error) => return Err(error.into()),
    };
    let status = run.status();
    if !stopped && !run.trouble && !run.refused {
        run.outlet.tracked.sink.commit().with_context(|| job.output.name())?;
    } else if run.outlet.tracked.sink.is_withheld() {
        say(&format!("{}: not written", job.output.name()));
    }
    Ok(status)
}

/// A conversion under way.
struct Run {
    turn: Turn,
    outlet: Outlet,
    faults: Faults<'static>,
    closed: Closed,
    /// Whether some input could not be read.
    trouble: bool,
    /// Whether the encoding of some input is not known.
    refused: bool,
}

impl Run {
    fn all(&mut self, inputs: &[Input]) -> Result<(), Error> {
        for input in inputs {
            self.faults.begin(&input.name());
            if *input == Input::Stdin && self.closed.stdin {
                self.trouble = true;
                say("stdin is closed");
                continue;
            }
            let ended = match open(input) {
                Ok(source) => self.pour(source, input),
                Err(error) => {
                    self.cannot_read(input, &error);
                    continue;
                }
            };
            self.faults.end();
            ended?;
        }
        self.turn.pump.finish(&mut self.outlet, &mut self.faults)
    }

    /// Converts one input. All that the bytes read so far allow is written before the next read,
    /// which may have to wait.
    fn pour(&mut self, mut source: Source, input: &Input) -> Result<(), Error> {
        let head = match self.turn.head(&mut source) {
            Ok(head) => head,
            Err(error) => {
                self.cannot_read(input, &error);
                return Ok(());
            }
        };
        if let Err(unsuited) = self.turn.to(&head, &mut self.outlet, &mut self.faults)? {
            self.refused = true;
            say(&format!("{}: {unsuited}", input.name()));
            return Ok(());
        }
        let (pump, mut source) = (&mut self.turn.pump, head.as_slice().chain(source));
        loop {
            match source.read(pump.space()) {
                Ok(0) => break,
                Ok(bytes) => pump.filled(bytes, &mut self.outlet, &mut self.faults)?,
                Err(error) => {
                    self.trouble = true;
                    say(&format!("{}: {}", input.name(), reason(&error)));
                    break;
                }
            }
        }
        pump.end_of_file(&mut self.outlet, &mut self.faults)
    }

    fn cannot_read(&mut self, input: &Input, error: &io::Error) {
        self.trouble = true;
        say(&format!("{}: {}", input.name(), reason(error)));
    }

    fn status(&self) -> Status {
        match (self.trouble, self.faults.any() || self.refused) {
            (true, _) => Status::Trouble,
            (false, true) => Status::Faults,
            (false, false) => Status::Clean,
        }
    }
}

/// Opens an input.
pub fn open(input: &Input) -> io::Result<Source> {
    match input {
        Input::Stdin => Ok(Source::Stdin),
        Input::File(path) if closed_at_start().named_by(path).is_some() => Err(Errno::BADF.into()),
        Input::File(path) => Source::open(path),
    }
}

/// Opens an output.
pub fn open_output(output: &Output, closed: Closed, always_named: bool) -> Result<Sink> {
    match output {
        Output::Stdout if closed.stdout => bail!("stdout is closed"),
        Output::Stdout => Ok(Sink::Stdout),
        Output::File(path) => {
            if let Some(stream) = closed.named_by(path) {
                bail!("{stream} is closed");
            }
            let temporaries = temporaries(always_named);
            signals::remove_first(&temporaries)?;
            Sink::open(path, &temporaries).with_context(|| cannot_write(output))
        }
    }
}

/// A list for temporary files, which have a name from the start if so asked.
pub fn temporaries(always_named: bool) -> Temporaries {
    if always_named { Temporaries::always_named() } else { Temporaries::default() }
}

/// Refuses an output that is also an input: it would be lost, or never end.
fn refuse_own_input(job: &Conversion) -> Result<()> {
    // A file that cannot be looked at is told when it is opened.
    let output = match &job.output {
        Output::Stdout => Sink::Stdout.identity(),
        Output::File(path) => Identity::at(path),
    };
    let Ok(Some(output)) = output else { return Ok(()) };
    for input in &job.inputs {
        let identity = match input {
            Input::Stdin => Source::Stdin.identity(),
            Input::File(path) => Identity::at(path),
        };
        if identity.is_ok_and(|input| input == Some(output)) {
            bail!("{}: input file is output file", input.name());
        }
    }
    Ok(())
}

fn cannot_write(output: &Output) -> String {
    format!("{}: cannot be written", output.name())
}

fn write_error(output: &Output) -> String {
    match output {
        Output::Stdout => "write error".to_owned(),
        Output::File(_) => format!("{}: write error", output.name()),
    }
}

impl Output {
    fn name(&self) -> String {
        match self {
            Output::Stdout => "<stdout>".to_owned(),
            Output::File(path) => Quoted::path(path).to_string(),
        }
    }
}
