//! Why a file was not converted.

use std::ffi::OsString;
use std::{fmt, io};

use crate::detect::Confidence;
use crate::error::{Error, Stopped};
use crate::quote::Quoted;
use crate::sink::Uncommitted;

/// Why a file was not converted. It stands as it was, except after [`Failure::Unsettled`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// A fault in the data, under the policy [`Stop`](crate::policy::Action::Stop).
    Stopped(Box<Stopped>),
    /// Its bytes do not say what its encoding is, and no other was named.
    Unknown,
    /// The detector does not know its encoding.
    Undetected,
    /// The detector names this encoding, but with less confidence than required.
    Unsure(String, Confidence),
    /// It is no regular file.
    Irregular,
    /// It has so many hard links, and replacing it would part them.
    Linked(u64),
    /// Another process has locked it.
    Busy,
    /// A file with the name of its backup is there already.
    BackedUp(OsString),
    /// It cannot be read.
    Read(io::Error),
    /// The new content cannot be written or put in its place.
    Write(io::Error),
    /// It is converted, but its folder may not be on disk: after a crash the old file may be back.
    Unsettled(io::Error),
    /// The plan cannot be carried out.
    Plan(Error),
}

impl Failure {
    /// Whether it is the data that does not suit, and nothing that the system has refused.
    pub fn is_about_data(&self) -> bool {
        use Failure::{Stopped, Undetected, Unknown, Unsure};
        matches!(self, Stopped(_) | Unknown | Undetected | Unsure(..))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stopped(stopped) => stopped.fmt(f),
            Failure::Unknown => f.write_str("has no byte order mark and is not UTF-8"),
            Failure::Undetected => f.write_str("is text in an encoding that is not known"),
            Failure::Unsure(encoding, confidence) => {
                write!(f, "detected {encoding} ({confidence}); not converted")
            }
            Failure::Irregular => f.write_str("is not a regular file"),
            Failure::Linked(links) => {
                write!(f, "has {links} hard links")
            }
            Failure::Busy => f.write_str("is locked by another process"),
            Failure::BackedUp(name) => {
                write!(f, "its backup {} is there already", Quoted::new(name))
            }
            Failure::Read(_) => f.write_str("cannot be read"),
            Failure::Write(_) => f.write_str("cannot be written"),
            Failure::Unsettled(_) => f.write_str("is converted, but its folder may not be on disk"),
            Failure::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Read(error) | Failure::Write(error) | Failure::Unsettled(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Uncommitted> for Failure {
    fn from(error: Uncommitted) -> Failure {
        match error {
            Uncommitted::Unchanged(error) => Failure::Write(error),
            Uncommitted::Unsettled(error) => Failure::Unsettled(error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Stopped(stopped) => Failure::Stopped(stopped),
            Error::Write(error) => Failure::Write(error),
            other => Failure::Plan(other),
        }
    }
}
