//! Names of files from a list, as `find` or `git ls-files` writes it.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStringExt;

use charpipe::input::InputStream;

use super::PathError;
use crate::cli::config::Input;
use crate::cli::convert;
use crate::cli::exit::io_message;

/// The longest name that is taken, in bytes: far more than Linux takes in a path (4096).
const MAX_NAME_LEN: usize = 64 * 1024;

/// A list that is read as its names are requested.
pub(super) enum FilesFrom {
    NotOpened(Input, u8),
    Open(Input, u8, BufReader<InputStream>),
    Done,
}

impl FilesFrom {
    pub(super) fn new(list: Input, terminator: u8) -> FilesFrom {
        FilesFrom::NotOpened(list, terminator)
    }

    fn open(&mut self) -> Result<(), PathError> {
        let FilesFrom::NotOpened(list, end) = self else { return Ok(()) };
        // Not the standard input of Rust's library: for that a descriptor that cannot be read is at
        // its end.
        let source = convert::open_input(list).map_err(|error| path_error(list, &error))?;
        *self = FilesFrom::Open(list.clone(), *end, BufReader::new(source));
        Ok(())
    }

    /// Reads one name; none at the end of the list.
    fn read_name(&mut self) -> Result<Option<Vec<u8>>, PathError> {
        self.open()?;
        let FilesFrom::Open(list, end, reader) = self else { return Ok(None) };
        let mut name = Vec::new();
        let mut bounded = reader.take(MAX_NAME_LEN as u64);
        bounded.read_until(*end, &mut name).map_err(|error| path_error(list, &error))?;
        if name.len() == MAX_NAME_LEN {
            let reason = "a name in it is too long; do its names end with NUL (-0)?";
            return Err(PathError { input: list.clone(), message: reason.to_owned() });
        }
        let whole = name.pop_if(|last| last == end).is_some() || !name.is_empty();
        Ok(whole.then_some(name))
    }
}

impl Iterator for FilesFrom {
    type Item = Result<Input, PathError>;

    /// An empty line names nothing. After an error the list is over.
    fn next(&mut self) -> Option<Result<Input, PathError>> {
        loop {
            match self.read_name() {
                Ok(Some(name)) if name.is_empty() => {}
                Ok(Some(name)) => return Some(Ok(Input::File(OsString::from_vec(name).into()))),
                Ok(None) => {
                    *self = FilesFrom::Done;
                    return None;
                }
                Err(lost) => {
                    *self = FilesFrom::Done;
                    return Some(Err(lost));
                }
            }
        }
    }
}

fn path_error(list: &Input, error: &io::Error) -> PathError {
    PathError { input: list.clone(), message: io_message(error) }
}
