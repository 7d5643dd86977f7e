//! Why a file was not converted.

use std::ffi::OsString;
use std::{fmt, io};

use crate::detect::Confidence;
use crate::error::{ConversionError, Error};
use crate::output::CommitError;
use crate::quote::Quoted;

/// Why a file was not converted. It stands as it was, except after [`Failure::Unsettled`].
#[derive(Debug)]
#[non_exhaustive]
pub enum InPlaceError {
    /// An error in the data, under the policy [`Stop`](crate::policy::Action::Stop).
    Conversion(Box<ConversionError>),
    /// Its bytes do not say what its encoding is, and no other was named.
    UnknownEncoding,
    /// The detector does not know its encoding.
    DetectionFailed,
    /// The detector names this encoding, but with less confidence than required.
    LowConfidence(String, Confidence),
    /// It is no regular file.
    NotRegularFile,
    /// It has so many hard links, and replacing it would part them.
    HardLinked(u64),
    /// Another process has locked it.
    Locked,
    /// A file with the name of its backup is there already.
    BackupExists(OsString),
    /// It cannot be read.
    Read(io::Error),
    /// The new content cannot be written or put in its position.
    Write(io::Error),
    /// It is converted, but its directory may not be on disk: after a crash the old file may be back.
    NotDurable(io::Error),
    /// The options cannot be carried out.
    InvalidOptions(Error),
}

impl InPlaceError {
    /// Whether it is the data that does not suit, and nothing that the system has refused.
    pub fn is_data_error(&self) -> bool {
        use InPlaceError::{Conversion, DetectionFailed, LowConfidence, UnknownEncoding};
        matches!(self, Conversion(_) | UnknownEncoding | DetectionFailed | LowConfidence(..))
    }
}

impl fmt::Display for InPlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InPlaceError::Conversion(stopped) => stopped.fmt(f),
            InPlaceError::UnknownEncoding => f.write_str("has no byte order mark and is not UTF-8"),
            InPlaceError::DetectionFailed => {
                f.write_str("is text in an encoding that is not known")
            }
            InPlaceError::LowConfidence(encoding, confidence) => {
                write!(f, "detected {encoding} ({confidence}); not converted")
            }
            InPlaceError::NotRegularFile => f.write_str("is not a regular file"),
            InPlaceError::HardLinked(links) => {
                write!(f, "has {links} hard links")
            }
            InPlaceError::Locked => f.write_str("is locked by another process"),
            InPlaceError::BackupExists(name) => {
                write!(f, "its backup {} is there already", Quoted::new(name))
            }
            InPlaceError::Read(_) => f.write_str("cannot be read"),
            InPlaceError::Write(_) => f.write_str("cannot be written"),
            InPlaceError::NotDurable(_) => {
                f.write_str("is converted, but its directory may not be on disk")
            }
            InPlaceError::InvalidOptions(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InPlaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            InPlaceError::Read(error)
            | InPlaceError::Write(error)
            | InPlaceError::NotDurable(error) => Some(error),
            _ => None,
        }
    }
}

impl From<CommitError> for InPlaceError {
    fn from(error: CommitError) -> InPlaceError {
        match error {
            CommitError::NotCommitted(error) => InPlaceError::Write(error),
            CommitError::NotDurable(error) => InPlaceError::NotDurable(error),
        }
    }
}

impl From<Error> for InPlaceError {
    fn from(error: Error) -> InPlaceError {
        match error {
            Error::Conversion(stopped) => InPlaceError::Conversion(stopped),
            Error::Read(error) => InPlaceError::Read(error),
            Error::Io(error) => InPlaceError::Write(error),
            other => InPlaceError::InvalidOptions(other),
        }
    }
}
