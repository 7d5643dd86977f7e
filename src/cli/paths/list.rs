//! Names of files from a list, as `find` or `git ls-files` writes it.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStringExt;

use charpipe::source::Source;

use super::Lost;
use crate::cli::exit::reason;
use crate::cli::job::Input;
use crate::cli::run;

/// The longest name that is taken, in bytes: far more than Linux takes in a path (4096).
const LONGEST: usize = 64 * 1024;

/// A list that is read as its names are asked for.
pub(super) enum List {
    Closed(Input, u8),
    Open(Input, u8, BufReader<Source>),
    Over,
}

impl List {
    pub(super) fn new(list: Input, end: u8) -> List {
        List::Closed(list, end)
    }

    fn open(&mut self) -> Result<(), Lost> {
        let List::Closed(list, end) = self else { return Ok(()) };
        // Not the standard input of Rust's library: for that a descriptor that cannot be read is at
        // its end.
        let source = run::open(list).map_err(|error| lost(list, &error))?;
        *self = List::Open(list.clone(), *end, BufReader::new(source));
        Ok(())
    }

    /// Reads one name; none at the end of the list.
    fn read(&mut self) -> Result<Option<Vec<u8>>, Lost> {
        self.open()?;
        let List::Open(list, end, reader) = self else { return Ok(None) };
        let mut name = Vec::new();
        let mut bounded = reader.take(LONGEST as u64);
        bounded.read_until(*end, &mut name).map_err(|error| lost(list, &error))?;
        if name.len() == LONGEST {
            let reason = "a name in it is too long; do its names end with NUL (-0)?";
            return Err(Lost { input: list.clone(), reason: reason.to_owned() });
        }
        let whole = name.pop_if(|last| last == end).is_some() || !name.is_empty();
        Ok(whole.then_some(name))
    }
}

impl Iterator for List {
    type Item = Result<Input, Lost>;

    /// An empty line names nothing. After an error the list is over.
    fn next(&mut self) -> Option<Result<Input, Lost>> {
        loop {
            match self.read() {
                Ok(Some(name)) if name.is_empty() => {}
                Ok(Some(name)) => return Some(Ok(Input::File(OsString::from_vec(name).into()))),
                Ok(None) => {
                    *self = List::Over;
                    return None;
                }
                Err(lost) => {
                    *self = List::Over;
                    return Some(Err(lost));
                }
            }
        }
    }
}

fn lost(list: &Input, error: &io::Error) -> Lost {
    Lost { input: list.clone(), reason: reason(error) }
}
