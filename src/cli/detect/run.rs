//! Looks at the files that a command line means.

use std::ffi::OsString;
use std::io::{self, BufWriter, Read, Write};

use anyhow::{Context, Result, bail};
use charpipe::detect::{Content, Detection, Detector};

use super::args::Args;
use super::form;
use crate::cli::args::{self, Words};
use crate::cli::descriptors::Closed;
use crate::cli::exit::{Status, reason};
use crate::cli::job::{Input, Output};
use crate::cli::paths::{Lost, Selected, Selection};
use crate::cli::report::say;
use crate::cli::run::{open_output, print};
use crate::cli::terminal::Tracked;
use crate::cli::{signals, terminal};

/// Bytes that are read at a time where nobody says so.
const BLOCK: usize = 128 * 1024;

/// Looks at what these words mean, of which the first is the verb.
///
/// # Errors
///
/// What ends the run before its time: wrong usage, an output that cannot be written.
pub fn run(words: &[OsString], closed: Closed) -> Result<Status> {
    signals::survive_size_limit()?;
    let args: Args = match args::parse(words)? {
        Words::Page(page) => return print(page.as_bytes(), closed),
        Words::Args(args) => *args,
    };
    let files = Selection::of(&args.paths, &args.which)?;
    if closed.stdin && files.reads_stdin() {
        bail!("stdin is closed");
    }
    let out = BufWriter::new(Tracked::new(open_output(&Output::Stdout, closed, false)?));
    if files.is_implied_stdin() {
        terminal::announce_reading("; to look at this directory: charpipe detect -r .");
    }
    let run = Run {
        out,
        json: args.json,
        most: args.candidates.map_or(1, |most| most as usize),
        space: vec![0; args.block_size.map_or(BLOCK, |bytes| bytes as usize)],
        closed,
        worst: Status::Clean,
    };
    run.all(&files).context("write error")
}

/// A run under way.
struct Run {
    out: BufWriter<Tracked>,
    json: bool,
    /// Candidates that are told of each file.
    most: usize,
    space: Vec<u8>,
    closed: Closed,
    worst: Status,
}

impl Run {
    fn all(mut self, files: &Selection) -> io::Result<Status> {
        for found in files.files() {
            match found {
                Ok(file) => match self.look(&file) {
                    Ok(found) => self.tell(&file.input, &found)?,
                    Err(reason) => self.unread(&file.input, &reason)?,
                },
                Err(Lost { input, reason }) => self.unread(&input, &reason)?,
            }
            // The next file may be a pipe, and wait.
            self.out.flush()?;
        }
        Ok(self.worst)
    }

    fn look(&mut self, file: &Selected) -> Result<Detection, String> {
        if file.input == Input::Stdin && self.closed.stdin {
            return Err("is closed".to_owned());
        }
        let mut source = file.open().map_err(|error| reason(&error))?;
        let mut detector = Detector::new();
        while !detector.is_settled() {
            match source.read(&mut self.space).map_err(|error| reason(&error))? {
                0 => break,
                count => detector.add(&self.space[..count]),
            }
        }
        Ok(detector.finish())
    }

    fn tell(&mut self, input: &Input, found: &Detection) -> io::Result<()> {
        if found.content == Content::Binary || found.is_unknown() {
            self.worst = self.worst.max(Status::Faults);
        }
        let form = if self.json { form::object } else { form::lines };
        self.out.write_all(form(input, found, self.most).as_bytes())
    }

    /// Tells of what could not be read, and is told of it on the standard error in any form.
    fn unread(&mut self, input: &Input, reason: &str) -> io::Result<()> {
        self.worst = Status::Trouble;
        say(&format!("{}: {reason}", input.name()));
        if self.json {
            self.out.write_all(form::unread(input, reason).as_bytes())?;
        }
        Ok(())
    }
}
