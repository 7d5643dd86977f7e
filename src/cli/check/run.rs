//! Checks the files that a command line means.

use std::ffi::OsString;
use std::io::{self, Read};

use anyhow::{Context, Result, bail};
use charpipe::check::{Checker, Rules};
use charpipe::identity::Identity;
use charpipe::sink::Sink;
use charpipe::source::Source;

use super::args::Args;
use super::format;
use super::subject::Subject;
use super::telling::Telling;
use crate::cli::args::{self, Words};
use crate::cli::descriptors::Closed;
use crate::cli::exit::{Status, reason};
use crate::cli::job::{self, Input, Output};
use crate::cli::paths::{Lost, Selected, Selection};
use crate::cli::run::{open_output, print};
use crate::cli::{signals, terminal};

/// Checks what these words mean, of which the first is the verb.
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
    let rules = rules(&args)?;
    let checker = Checker::new(&rules)?;
    let files = Selection::of(&args.paths, &args.which)?;
    if closed.stdin && files.reads_stdin() {
        bail!("stdin is closed");
    }
    let format = args.format.as_deref().unwrap_or("text");
    let format = if args.silent { None } else { format::named(format) };
    let sink = match format {
        Some(_) => open_output(&Output::Stdout, closed, false)?,
        None => Sink::Stdout,
    };
    let output = if format.is_some() { sink.identity().ok().flatten() } else { None };
    let telling = Telling::new(format, sink, args.max_faults.unwrap_or(u64::MAX));
    let charset = rules.encoding.charset.name;
    if files.is_implied_stdin() && !args.silent {
        terminal::announce_reading("; to check this directory: charpipe check -r .");
    }
    let (named, recursive) = (job::inputs(&args.paths), args.which.recursive);
    let run = Run { checker, telling, charset, output, named, recursive, closed, trouble: false };
    run.all(&files).context("write error")
}

fn rules(args: &Args) -> Result<Rules> {
    let encoding = job::encoding_without_endings("--encoding", args.encoding.as_deref())?;
    let mut rules = Rules::new(encoding);
    // The parser takes only the words that there are.
    rules.mark = args.bom.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    rules.newline = args.newline.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    rules.binary = args.binary.as_deref().map(str::parse).transpose()?.unwrap_or_default();
    rules.message = args.message;
    rules.byte_columns = args.format.as_deref() == Some("gcc");
    if let Some(bytes) = args.block_size {
        rules.block = bytes as usize;
    }
    Ok(rules)
}

/// A check under way.
struct Run {
    checker: Checker,
    telling: Telling,
    charset: &'static str,
    /// The file behind the standard output: it must not be read while it grows.
    output: Option<Identity>,
    /// The operands.
    named: Vec<Input>,
    recursive: bool,
    closed: Closed,
    /// Whether something could not be read.
    trouble: bool,
}

impl Run {
    fn all(mut self, files: &Selection) -> io::Result<Status> {
        self.telling.begin()?;
        for found in files.files() {
            match found {
                Ok(selected) => self.file(&selected)?,
                Err(lost) => self.lost(lost)?,
            }
        }
        let sum = self.telling.end()?;
        Ok(match (self.trouble, sum.faulty) {
            (true, _) => Status::Trouble,
            (false, 0) => Status::Clean,
            (false, _) => Status::Faults,
        })
    }

    fn file(&mut self, selected: &Selected) -> io::Result<()> {
        let file = Subject { input: &selected.input, charset: self.charset };
        let read = match self.open(selected) {
            Ok(Some(source)) => self.pour(source, &file)?,
            Ok(None) => return Ok(()),
            Err(reason) => {
                self.telling.unread(&file, &reason)?;
                false
            }
        };
        self.trouble |= !read;
        self.telling.end_file(&file, read)
    }

    /// Something was named that is no file to read.
    fn lost(&mut self, lost: Lost) -> io::Result<()> {
        self.trouble = true;
        let file = Subject { input: &lost.input, charset: self.charset };
        self.telling.unread(&file, &lost.reason)?;
        self.telling.end_file(&file, false)
    }

    /// Opens a file; nothing if it is the report itself, which has come up in a folder.
    fn open(&self, selected: &Selected) -> Result<Option<Source>, String> {
        let input = &selected.input;
        if *input == Input::Stdin && self.closed.stdin {
            return Err("is closed".to_owned());
        }
        let source = selected.open().map_err(|error| reason(&error))?;
        let same = self.output.is_some() && source.identity().is_ok_and(|own| own == self.output);
        match same {
            true if self.recursive && !self.named.contains(input) => Ok(None),
            true => Err("input file is output file".to_owned()),
            false => Ok(Some(source)),
        }
    }

    /// Checks one file; says whether all of it could be read. All that the bytes read so far
    /// allow is written before the next read, which may have to wait.
    fn pour(&mut self, mut source: Source, file: &Subject<'_>) -> io::Result<bool> {
        let (checker, telling) = (&mut self.checker, &mut self.telling);
        let mut read = true;
        while !checker.is_settled() {
            match source.read(checker.space()) {
                Ok(0) => break,
                Ok(bytes) => {
                    let mut out = |finding: &_| telling.finding(file, finding);
                    checker.filled(bytes, &mut out).map_err(io::Error::from)?;
                }
                Err(error) => {
                    // That it breaks off here is not the file's fault.
                    checker.settle();
                    telling.unread(file, &reason(&error))?;
                    read = false;
                }
            }
            if telling.is_silent() && telling.found() > 0 {
                checker.settle();
            }
            telling.flush()?;
        }
        let mut out = |finding: &_| telling.finding(file, finding);
        checker.end_of_file(&mut out).map_err(io::Error::from)?;
        Ok(read)
    }
}
