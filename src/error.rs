//! What ends a run, or keeps one from beginning.

use std::{fmt, io};

use crate::charset::BadSetting;
use crate::fault::Fault;

/// What ended a run, or kept it from beginning.
///
/// A fault in the data is an error only under a policy that says stop.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A fault in the data, under the policy [`Stop`](crate::policy::Action::Stop).
    Stopped(Box<Stopped>),
    /// Writing the output failed.
    Write(io::Error),
    /// No charset has this name; the nearest that there are.
    UnknownCharset {
        /// The name as it was given.
        name: String,
        /// Names like it, the best first.
        nearest: Vec<&'static str>,
    },
    /// Charsets that differ have this name but for punctuation.
    AmbiguousCharset {
        /// The name as it was given.
        name: String,
        /// The names that it may stand for.
        candidates: Vec<&'static str>,
    },
    /// Other programs have this label for something that is not supported.
    RefusedCharset {
        /// The label as it was given.
        name: String,
        /// Why it is not supported.
        reason: &'static str,
    },
    /// A charset was given an option that it does not take.
    BadSetting {
        /// The charset.
        charset: &'static str,
        /// What is wrong with the option.
        reason: BadSetting,
    },
    /// What a policy, or the adding of a mark, would write cannot be expressed in the target.
    Inexpressible {
        /// The first character that cannot.
        character: char,
        /// What would have written it: a policy, or the adding of a byte order mark.
        action: String,
        /// The target.
        charset: &'static str,
    },
    /// A message was to be converted, of which the header lines are RFC 2047's on neither side, or
    /// whose body would be in another encoding than they.
    NoMessage {
        /// The charset of the input.
        from: &'static str,
        /// The charset of the output.
        to: &'static str,
    },
    /// Malformed bytes were to be kept, but the target is not a stateless superset of ASCII.
    KeepsNoBytes {
        /// The target.
        to: &'static str,
    },
    /// Unmappable characters were to be kept, but only malformed bytes can be.
    KeepsNoCharacters,
    /// A codec broke its contract: it neither went on nor said why not. A mistake in charpipe.
    Stalled(&'static str),
}

/// The fault that stopped a run, and the charsets between which it was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    /// The fault.
    pub fault: Fault,
    /// The charset of the input.
    pub from: &'static str,
    /// The charset of the output.
    pub to: &'static str,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.fault.place {
            write!(f, "{place}: ")?;
        }
        self.fault.describe(self.from, self.to).fmt(f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Stopped(stopped) => stopped.fmt(f),
            Error::Write(error) => write!(f, "write error: {error}"),
            Error::UnknownCharset { name, nearest } if nearest.is_empty() => {
                write!(f, "unknown charset {name:?}")
            }
            Error::UnknownCharset { name, nearest } => {
                write!(f, "unknown charset {name:?} (did you mean {}?)", nearest.join(", "))
            }
            Error::AmbiguousCharset { name, candidates } => {
                write!(f, "ambiguous charset {name:?} (one of {})", candidates.join(", "))
            }
            Error::RefusedCharset { name, reason } => {
                write!(f, "encoding {name:?} is not supported: {reason}")
            }
            Error::BadSetting { charset, reason } => write!(f, "{charset}: {reason}"),
            Error::Inexpressible { character, action, charset } => {
                let code = u32::from(*character);
                write!(f, "{action}: U+{code:04X} cannot be expressed in {charset}")
            }
            Error::NoMessage { from, to } => {
                write!(
                    f,
                    "header lines of a message go between RFC2047 and a superset of ASCII, not \
                     from {from} to {to}"
                )
            }
            Error::KeepsNoBytes { to } => {
                write!(
                    f,
                    "keep: bytes cannot be written unchanged into {to}, which is not a stateless \
                     superset of ASCII; use keep-text, replace or skip"
                )
            }
            Error::KeepsNoCharacters => f.write_str(
                "keep and keep-text are for malformed bytes; use another action for \
                     characters that the output encoding lacks",
            ),
            Error::Stalled(stage) => write!(f, "the {stage} stage broke its contract"),
        }
    }
}

impl std::error::Error for Stopped {}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Write(error) => Some(error),
            _ => None,
        }
    }
}

/// For `std::io` at the edge: what is wrong with the data is `InvalidData`.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error {
            Error::Write(error) => error,
            Error::Stopped(_) => io::Error::new(io::ErrorKind::InvalidData, error),
            Error::Stalled(_) => io::Error::other(error),
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        }
    }
}
