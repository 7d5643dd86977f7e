//! Where the bytes go: the standard output, a device, or a file that is replaced as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::io::Errno;

use crate::identity::Identity;
use crate::patience;

mod inherited;
pub(crate) mod likeness;
pub(crate) mod place;
pub(crate) mod replacement;
pub(crate) mod restriction;
mod standing;
pub(crate) mod temporary;

pub use replacement::{Replacement, Uncommitted};
pub use standing::descriptor;
pub use temporary::{Temporaries, is_temporary};

/// An open output. Every write goes to the kernel before it returns.
#[derive(Debug)]
pub enum Sink {
    /// The standard output.
    Stdout,
    /// A device, FIFO or the like, or an open descriptor: written as it stands.
    Direct(File),
    /// A regular file, new or old, that appears only when all went well.
    Replacing(Replacement),
}

impl Sink {
    /// Opens an output by its path. A regular file and a path where nothing is yet get a
    /// [`Replacement`]; anything else is written directly, and so is an open descriptor that the
    /// path stands for (`/dev/stdout`, `/dev/fd/3`) and that the process was started with. A
    /// temporary file stands in the list as long
    /// as it has a name of its own.
    ///
    /// # Errors
    ///
    /// What the system answers; [`io::ErrorKind::IsADirectory`] for a directory. A file with
    /// several hard links is refused.
    pub fn open(path: &Path, list: &Temporaries) -> io::Result<Sink> {
        match standing::descriptor(path) {
            Some(1) => return Ok(Sink::Stdout),
            Some(number) => return Ok(Sink::Direct(standing::copy(number)?)),
            None => {}
        }
        let found = fs::metadata(path);
        match found {
            Ok(found) if found.is_dir() => Err(Errno::ISDIR.into()),
            Ok(found) if !found.is_file() => {
                Ok(Sink::Direct(OpenOptions::new().write(true).open(path)?))
            }
            Ok(found) => Ok(Sink::Replacing(Replacement::of(path, Some(&found), list)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Sink::Replacing(Replacement::of(path, None, list)?))
            }
            Err(error) => Err(error),
        }
    }

    /// The regular file or FIFO that this output is, if it is one.
    ///
    /// # Errors
    ///
    /// What `fstat` answers.
    pub fn identity(&self) -> io::Result<Option<Identity>> {
        Identity::of(self.descriptor())
    }

    /// Whether nothing is seen of the output before it is [committed](Sink::commit).
    pub fn is_withheld(&self) -> bool {
        matches!(self, Sink::Replacing(_))
    }

    /// Says that all went well: only now a replacement takes its place, on disk when this
    /// returns. A sink that is dropped instead leaves no trace of it.
    ///
    /// # Errors
    ///
    /// What `fsync` or `rename` answers; the old file then stands as it was. If only the folder
    /// could not be put on disk, the new file stands in its place already:
    /// [`Uncommitted`] says which.
    pub fn commit(self) -> Result<(), Uncommitted> {
        match self {
            Sink::Replacing(replacement) => replacement.commit(|_| Ok(())),
            Sink::Stdout | Sink::Direct(_) => Ok(()),
        }
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Sink::Stdout => rustix::stdio::stdout(),
            Sink::Direct(file) => file.as_fd(),
            Sink::Replacing(replacement) => replacement.descriptor(),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        patience::write(self.descriptor(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
