//! The files of `iconv`: its inputs, and the output, which is standard output or a file that changes only if the
//! conversion succeeds.

use std::env;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::Path;

use crate::cli::cleanup;
use crate::cli::closed_stdio::closed_at_start;
use crate::cli::fs::directory::{Directory, FileEntry};
use crate::cli::fs::input::InputStream;
use crate::cli::fs::output::temp_file::TempFile;
use crate::cli::fs::output::{CommitError, OutputStream, TempFileRegistry};
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::preserve::Preserve;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::stdio::{self, closed_error};
use crate::cli::sys::{CreateMode, access};

use super::text::os_string;

/// Opens the input with this name; `-` means standard input.
///
/// # Errors
///
/// Returns the error of the system.
pub fn open_input(name: &[u8]) -> io::Result<InputStream> {
    let name = os_string(name);
    if name == "-" {
        return Ok(InputStream::Stdin);
    }
    match closed_at_start().closed_stream_at(Path::new(&name)) {
        Some(_) => Err(closed_error()),
        None => InputStream::open(Path::new(&name)),
    }
}

/// An open output. It may be one of the inputs.
pub enum IconvOutputFile {
    /// Standard output, a device, or a new file that replaces the old one.
    Stream(OutputStream),
    /// An existing file that cannot be replaced by another one, because it has several hard links or
    /// its owner or directory would not allow it. The text is written to a temporary file, which is
    /// copied at the end.
    Rewritten(File, TempFile),
}

impl IconvOutputFile {
    /// Opens the output with this name; `-` and none mean standard output.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn open(path: Option<&[u8]>) -> io::Result<IconvOutputFile> {
        match path {
            None | Some(b"-") => Ok(IconvOutputFile::Stream(OutputStream::Stdout)),
            Some(path) => open(Path::new(&os_string(path))),
        }
    }

    /// Returns the identity of an output that is written while inputs are read.
    pub fn file_id(&self) -> Option<FileId> {
        match self {
            IconvOutputFile::Stream(stream) if !stream.is_atomic() => {
                stream.file_id().ok().flatten()
            }
            _ => None,
        }
    }

    /// Makes the output visible. A file is created even if nothing was written.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn commit(self) -> io::Result<()> {
        match self {
            IconvOutputFile::Stream(stream) => stream.commit().map_err(|error| match error {
                CommitError::NotCommitted(error) | CommitError::NotDurable(error) => error,
            }),
            IconvOutputFile::Rewritten(file, text) => rewrite(file, text),
        }
    }
}

impl Write for IconvOutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            IconvOutputFile::Stream(OutputStream::Stdout) if closed_at_start().stdout => {
                Err(closed_error())
            }
            IconvOutputFile::Stream(stream) => stream.write(bytes),
            IconvOutputFile::Rewritten(_, text) => stdio::write(stdio::of_file(&text.file), bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<IconvOutputFile> {
    if path.as_os_str().is_empty() {
        return Err(File::open(path).err().unwrap_or_else(|| io::ErrorKind::NotFound.into()));
    }
    if closed_at_start().closed_stream_at(path).is_some() {
        return Err(closed_error());
    }
    let existing = FileStatus::at(path).ok().filter(FileStatus::is_file);
    let temp_files = TempFileRegistry::default();
    cleanup::install(&temp_files).map_err(io::Error::other)?;
    if existing.as_ref().is_some_and(|existing| !may_be_replaced(existing)) {
        return open_to_rewrite(path, &temp_files);
    }
    match OutputStream::open(path, Preserve::default(), &temp_files) {
        Ok(stream) => Ok(IconvOutputFile::Stream(stream)),
        Err(error) if existing.is_some() => open_to_rewrite(path, &temp_files).map_err(|_| error),
        Err(error) => Err(error),
    }
}

/// Returns whether a new file can replace this one: no other name leads to it, and the new
/// file can get the same owner.
fn may_be_replaced(existing: &FileStatus) -> bool {
    existing.links() == 1 && access::can_keep_owner(existing)
}

fn open_to_rewrite(path: &Path, registry: &TempFileRegistry) -> io::Result<IconvOutputFile> {
    let file = OpenOptions::new().write(true).open(path)?;
    let create = |target| TempFile::create(target, CreateMode::Private, registry);
    let text = FileEntry::resolve(path).and_then(create).or_else(|_| {
        let directory = Directory::open(&env::temp_dir())?;
        create(directory.entry(OsStr::new("iconv"))?)
    })?;
    Ok(IconvOutputFile::Rewritten(file, text))
}

/// Replaces the content of a file. A shorter text is written before the file is truncated, so that the
/// blocks it needs are available.
fn rewrite(mut file: File, mut text: TempFile) -> io::Result<()> {
    text.file.rewind()?;
    let len = io::copy(&mut text.file, &mut file)?;
    file.set_len(len)?;
    file.sync_all()
}
