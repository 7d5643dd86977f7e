//! What ends a run, or keeps one from beginning.

use std::{fmt, io};

use crate::conversion_error::ErrorEvent;
use crate::encoding::OptionError;

/// What ended a run, or kept it from beginning.
///
/// An error in the data is an error only under a policy that says stop.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An error in the data, under the policy [`Stop`](crate::policy::Action::Stop).
    Conversion(Box<ConversionError>),
    /// Writing the output failed.
    Io(io::Error),
    /// No encoding has this name; the nearest that there are.
    UnknownEncoding {
        /// The name as it was given.
        label: String,
        /// Names like it, the best first.
        suggestions: Vec<&'static str>,
    },
    /// Encodings that differ have this name but for punctuation.
    AmbiguousLabel {
        /// The name as it was given.
        label: String,
        /// The names that it may stand for.
        candidates: Vec<&'static str>,
    },
    /// Other programs have this label for something that is not supported.
    UnsupportedEncoding {
        /// The label as it was given.
        label: String,
        /// Why it is not supported.
        reason: &'static str,
    },
    /// An encoding was given an option that it does not take.
    InvalidOption {
        /// The encoding.
        encoding: &'static str,
        /// What is wrong with the option.
        reason: OptionError,
    },
    /// What a policy, or the adding of a mark, would write cannot be expressed in the target.
    UnmappableReplacement {
        /// The first character that cannot.
        character: char,
        /// What would have written it: a policy, or the adding of a byte order mark.
        action: String,
        /// The target.
        encoding: &'static str,
    },
    /// A message was to be converted, of which the header lines are RFC 2047's on neither side, or
    /// whose body would be in another encoding than they.
    UnsupportedHeaderMode {
        /// The encoding of the input.
        from: &'static str,
        /// The encoding of the output.
        to: &'static str,
    },
    /// Malformed bytes were to be kept, but the target is not a stateless superset of ASCII.
    UnsupportedPassThrough {
        /// The target.
        to: &'static str,
    },
    /// Unmappable characters were to be kept, but only malformed bytes can be.
    UnmappablePassThrough,
    /// A codec broke its contract: it neither went on nor said why not. A mistake in charpipe.
    Internal(&'static str),
}

/// The error that stopped a run, and the encodings between which it was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversionError {
    /// The error.
    pub event: ErrorEvent,
    /// The encoding of the input.
    pub from: &'static str,
    /// The encoding of the output.
    pub to: &'static str,
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.event.position {
            write!(f, "{position}: ")?;
        }
        self.event.display(self.from, self.to).fmt(f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Conversion(stopped) => stopped.fmt(f),
            Error::Io(error) => write!(f, "write error: {error}"),
            Error::UnknownEncoding { label: name, suggestions } if suggestions.is_empty() => {
                write!(f, "unknown encoding {name:?}")
            }
            Error::UnknownEncoding { label: name, suggestions: nearest } => {
                write!(f, "unknown encoding {name:?} (did you mean {}?)", nearest.join(", "))
            }
            Error::AmbiguousLabel { label: name, candidates } => {
                write!(f, "ambiguous encoding {name:?} (one of {})", candidates.join(", "))
            }
            Error::UnsupportedEncoding { label: name, reason } => {
                write!(f, "encoding {name:?} is not supported: {reason}")
            }
            Error::InvalidOption { encoding, reason } => {
                write!(f, "{encoding}: {reason}")
            }
            Error::UnmappableReplacement { character, action, encoding } => {
                let code = u32::from(*character);
                write!(f, "{action}: U+{code:04X} cannot be expressed in {encoding}")
            }
            Error::UnsupportedHeaderMode { from, to } => {
                write!(
                    f,
                    "header lines of a message go between RFC2047 and a superset of ASCII, not \
                     from {from} to {to}"
                )
            }
            Error::UnsupportedPassThrough { to } => {
                write!(
                    f,
                    "keep: bytes cannot be written unchanged into {to}, which is not a stateless \
                     superset of ASCII; use keep-text, replace or skip"
                )
            }
            Error::UnmappablePassThrough => f.write_str(
                "keep and keep-text are for malformed bytes; use another action for \
                     characters that the output encoding lacks",
            ),
            Error::Internal(stage) => write!(f, "the {stage} stage broke its contract"),
        }
    }
}

impl std::error::Error for ConversionError {}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// For `std::io` at the edge: what is wrong with the data is `InvalidData`.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error {
            Error::Io(error) => error,
            Error::Conversion(_) => io::Error::new(io::ErrorKind::InvalidData, error),
            Error::Internal(_) => io::Error::other(error),
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        }
    }
}
