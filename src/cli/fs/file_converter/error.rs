//! Why a file was not converted.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

use charpipe_encoding::error::{ConversionError, Error};

use crate::cli::fs::output::CommitError;
use crate::cli::quote::Quoted;
use crate::cli::sniff::DetectedEncoding;

/// The reason why a file was not converted. The file is unchanged, except after
/// [`FileError::NotDurable`].
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// A conversion error under the action [`Stop`](charpipe_transcode::error_policy::ErrorAction::Stop).
    Conversion(Box<ConversionError>),
    /// The file has neither a byte order mark nor valid UTF-8, and no default encoding is given. It is likely in
    /// this encoding, if in any.
    UnknownEncoding(Option<Box<DetectedEncoding>>),
    /// The detector does not know the encoding.
    DetectionFailed,
    /// The detector returned this encoding, but with less confidence than required.
    LowConfidence(Box<DetectedEncoding>),
    /// A file with rules for it cannot be read.
    UnknownRules,
    /// It is not a regular file.
    NotRegularFile,
    /// It has this number of hard links, and replacing it would break them.
    HardLinked(u64),
    /// Another process has locked it.
    Locked,
    /// Its backup, of this name, already exists.
    BackupExists(OsString),
    /// It cannot be read.
    Read(io::Error),
    /// The new content cannot be written or renamed over the old.
    Write(io::Error),
    /// Its output at this path cannot be written.
    Output(PathBuf, io::Error),
    /// Its output at this path replaces a read-only file.
    OutputReadOnly(PathBuf),
    /// Its output at this path replaces a file with this number of hard links.
    OutputHardLinked(PathBuf, u64),
    /// Its output would be outside of the output directory.
    OutsideOutputDirectory,
    /// It is converted, but its directory could not be synced: the old file may be back after a crash.
    NotDurable(io::Error),
    /// The options are invalid.
    InvalidOptions(Error),
}

impl FileError {
    /// Returns whether the content of the file is the reason, rather than the system or the options.
    pub fn is_data_error(&self) -> bool {
        use FileError::{Conversion, DetectionFailed, LowConfidence, UnknownEncoding};
        matches!(self, Conversion(_) | UnknownEncoding(_) | DetectionFailed | LowConfidence(..))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Conversion(error) => error.fmt(f),
            FileError::UnknownEncoding(_) => {
                f.write_str("cannot determine encoding: no BOM and not valid UTF-8")
            }
            FileError::DetectionFailed => f.write_str("encoding could not be detected"),
            FileError::LowConfidence(detected) => write!(f, "{detected}; not converted"),
            FileError::UnknownRules => f.write_str("not fixed: the rules for it could not be read"),
            FileError::NotRegularFile => f.write_str("is not a regular file"),
            FileError::HardLinked(links) => {
                write!(f, "has {links} hard links; not converted")
            }
            FileError::Locked => f.write_str("is locked by another process"),
            FileError::BackupExists(name) => {
                write!(f, "backup {} already exists; not converted", Quoted::new(name))
            }
            FileError::Read(_) => f.write_str("cannot be read"),
            FileError::Write(_) => f.write_str("cannot be written"),
            FileError::Output(path, _) => write!(f, "cannot write {}", Quoted::from_path(path)),
            FileError::OutputReadOnly(path) => {
                write!(f, "cannot write {}: is read-only", Quoted::from_path(path))
            }
            FileError::OutputHardLinked(path, links) => {
                write!(f, "cannot write {}: has {links} hard links", Quoted::from_path(path))
            }
            FileError::OutsideOutputDirectory => {
                f.write_str("its output would be outside of the output directory")
            }
            FileError::NotDurable(_) => f.write_str(
                "converted, but syncing its directory failed; it may be lost after a crash",
            ),
            FileError::InvalidOptions(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            FileError::Read(error)
            | FileError::Write(error)
            | FileError::Output(_, error)
            | FileError::NotDurable(error) => Some(error),
            _ => None,
        }
    }
}

impl From<CommitError> for FileError {
    fn from(error: CommitError) -> FileError {
        match error {
            CommitError::NotCommitted(error) => FileError::Write(error),
            CommitError::NotDurable(error) => FileError::NotDurable(error),
        }
    }
}

impl From<Error> for FileError {
    fn from(error: Error) -> FileError {
        match error {
            Error::Conversion(error) => FileError::Conversion(error),
            Error::Read(error) => FileError::Read(error),
            Error::Io(error) => FileError::Write(error),
            other => FileError::InvalidOptions(other),
        }
    }
}
