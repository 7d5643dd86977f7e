//! The errors of calls: what stopped a conversion or prevented it from starting.

use std::borrow::Cow;
use std::{fmt, io};

use crate::conversion_error::{ErrorEvent, Position};
use crate::decoder::MalformedError;
use crate::encoder::UnmappableError;
use crate::encoding::{self, Encoding, LookupError, OptionError};
use charpipe_kernel::count::{count_chars, count_newlines};

/// An error that stopped a conversion or prevented it from starting.
///
/// ```
/// use charpipe::Error;
///
/// let error = charpipe::transcode("no-such-encoding", "utf-8", b"").unwrap_err();
/// assert!(matches!(error, Error::UnknownEncoding { .. }));
/// let error = charpipe::transcode("utf-8", "latin1", b"\xFF").unwrap_err();
/// assert!(matches!(error, Error::Conversion(_)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A conversion error under the action `stop`.
    Conversion(Box<ConversionError>),
    /// Reading the input failed.
    Read(io::Error),
    /// Writing the output failed.
    Io(io::Error),
    /// No encoding has this label.
    UnknownEncoding {
        /// The label.
        label: String,
        /// Similar labels, the most similar first.
        suggestions: Vec<&'static str>,
    },
    /// Several encodings have labels that differ from this one only in punctuation.
    AmbiguousLabel {
        /// The label.
        label: String,
        /// The labels that it could mean.
        candidates: Vec<&'static str>,
    },
    /// Other programs use this label for something that is not supported.
    UnsupportedEncoding {
        /// The label.
        label: String,
        /// Why it is not supported.
        reason: &'static str,
    },
    /// A mapping file does not define an encoding.
    InvalidMapping {
        /// The path of the file.
        path: String,
        /// The number of the line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// No transform has this name.
    UnknownTransform {
        /// The name.
        name: String,
        /// The names of similar transforms, the most similar first.
        suggestions: Vec<&'static str>,
    },
    /// A step between two encodings is neither an encoding nor a transform.
    UnknownStep {
        /// The step.
        name: String,
        /// The names of similar transforms, then those of similar encodings.
        suggestions: Vec<&'static str>,
    },
    /// A chain has a step in a position where it cannot run.
    InvalidChain {
        /// The step.
        step: String,
        /// Why it cannot run there, and what to write.
        reason: &'static str,
    },
    /// Encodings cannot be combined in a list.
    InvalidEncodingList {
        /// The encoding that cannot be in the list, or the list.
        encoding: String,
        /// Why not, and what to write.
        reason: &'static str,
    },
    /// The input cannot be converted in parts.
    Unsplittable {
        /// The encoding or the step that prevents it.
        step: String,
        /// Why.
        reason: &'static str,
    },
    /// An encoding option is unknown or has an invalid value.
    InvalidOption {
        /// The encoding.
        encoding: &'static str,
        /// The error in the option.
        #[doc(hidden)]
        reason: OptionError,
    },
    /// A replacement, an escape or a byte order mark cannot be encoded in the target encoding.
    UnmappableReplacement {
        /// The first unmappable character.
        character: char,
        /// What would write it: an error action, or adding a byte order mark.
        action: String,
        /// The target encoding.
        encoding: &'static str,
    },
    /// Only headers are to be converted, but neither encoding is RFC 2047, or the body could not be
    /// copied unchanged.
    UnsupportedHeaderMode {
        /// The source encoding.
        from: &'static str,
        /// The target encoding.
        to: &'static str,
    },
    /// Malformed bytes are to be passed through, but the target encoding is not a stateless superset
    /// of ASCII.
    UnsupportedPassThrough {
        /// The target encoding.
        to: &'static str,
    },
    /// Unmappable characters are to be passed through, which is possible only for malformed bytes.
    UnmappablePassThrough,
    /// What violated its contract: a codec that neither makes progress nor returns an error, or a call that
    /// must not occur. This is a bug.
    Internal(Cow<'static, str>),
}

/// The malformed sequence or unmappable character that stopped a conversion.
///
/// ```
/// let error = charpipe::UTF_8.decode_strict(b"ab\xFF").unwrap_err();
/// assert_eq!((error.from, error.position().unwrap().column), ("UTF-8", 3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversionError {
    /// The error event.
    pub event: ErrorEvent,
    /// The name of the source encoding.
    pub from: &'static str,
    /// The name of the target encoding.
    pub to: &'static str,
}

impl ConversionError {
    #[doc(hidden)]
    pub const fn new(event: ErrorEvent, from: &'static str, to: &'static str) -> ConversionError {
        ConversionError { event, from, to }
    }

    /// Returns the error of a decoder. `input` is the whole input, and `text` what was decoded before the
    /// error.
    pub(crate) fn from_malformed(
        error: &MalformedError,
        encoding: &'static Encoding,
        input: &[u8],
        text: &str,
    ) -> ConversionError {
        let offset = usize::try_from(error.offset).unwrap_or(input.len()).min(input.len());
        let (line, column) = match encoding.factory.counts_source_lines() {
            true => line_and_column(&input[..offset], |line| line.len() as u64),
            false => line_and_column(text.as_bytes(), count_chars),
        };
        let position = Some(Position { offset: error.offset, line, column });
        let event = ErrorEvent { position, ..error.event };
        ConversionError { event, from: encoding.name(), to: "UTF-8" }
    }

    /// Returns the error of an encoder. `text` is the whole text.
    pub(crate) fn from_unmappable(error: &UnmappableError, text: &str) -> ConversionError {
        let offset = usize::try_from(error.offset).unwrap_or(text.len());
        let before = text.get(..offset).unwrap_or(text).as_bytes();
        let (line, column) = line_and_column(before, count_chars);
        let position = Some(Position { offset: error.offset, line, column });
        let event = ErrorEvent { position, ..ErrorEvent::stopped_unmappable(error.unmappable) };
        ConversionError { event, from: "UTF-8", to: error.encoding }
    }

    /// Returns the position in the input, if it was determined.
    ///
    /// ```
    /// let error = charpipe::UTF_8.decode_strict(b"one\ntwo \xE9").unwrap_err();
    /// assert_eq!(error.position().unwrap().offset, 8);
    /// ```
    pub const fn position(&self) -> Option<Position> {
        self.event.position
    }
}

/// Returns the line after `before`, and the column after the last of its lines, of which `len` returns the
/// number of columns.
fn line_and_column(before: &[u8], len: impl Fn(&[u8]) -> u64) -> (u64, u64) {
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    (1 + count_newlines(before), 1 + len(&before[start..]))
}

impl Error {
    /// Returns the error of a label that identifies no encoding.
    pub fn from_lookup(label: &str, error: LookupError) -> Error {
        let label = label.to_owned();
        match error {
            LookupError::Unknown => {
                let suggestions = encoding::suggest(&label);
                Error::UnknownEncoding { label, suggestions }
            }
            LookupError::Ambiguous(candidates) => Error::AmbiguousLabel { label, candidates },
            LookupError::Unsupported(reason) => Error::UnsupportedEncoding { label, reason },
        }
    }
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
            Error::Conversion(error) => error.fmt(f),
            Error::Read(error) => write!(f, "read error: {error}"),
            Error::Io(error) => write!(f, "write error: {error}"),
            Error::UnknownEncoding { label, suggestions } => {
                write_unknown(f, "encoding", label, suggestions, "")
            }
            Error::AmbiguousLabel { label, candidates } => {
                write!(f, "ambiguous encoding name {label:?}: use {}", candidates.join(" or "))
            }
            Error::UnsupportedEncoding { label, reason } => {
                write!(f, "encoding {label:?} is not supported: {reason}")
            }
            Error::InvalidMapping { path, line, reason } => write!(f, "{path}:{line}: {reason}"),
            Error::UnknownTransform { name, suggestions } => {
                let hint = " (see 'charpipe list --transforms')";
                write_unknown(f, "transform", name, suggestions, hint)
            }
            Error::UnknownStep { name, suggestions } => {
                let hint = " (see 'charpipe list' and 'charpipe list --transforms')";
                write_unknown(f, "step", name, suggestions, hint)
            }
            Error::InvalidChain { step, reason } => write!(f, "{step}: {reason}"),
            Error::InvalidEncodingList { encoding, reason } => write!(f, "{encoding}: {reason}"),
            Error::Unsplittable { step, reason } => {
                write!(f, "{step}: cannot be converted in parts: {reason}")
            }
            Error::InvalidOption { encoding, reason } => write!(f, "{encoding}: {reason}"),
            Error::UnmappableReplacement { character, action, encoding } => {
                match action.strip_prefix("replace=") {
                    Some(text) => write!(f, "replacement {text:?} cannot be encoded in {encoding}"),
                    None if *character == '\u{FEFF}' => {
                        write!(f, "{action}: {encoding} cannot encode a byte order mark")
                    }
                    None => {
                        let code_point = u32::from(*character);
                        write!(f, "{action}: U+{code_point:04X} cannot be encoded in {encoding}")
                    }
                }
            }
            Error::UnsupportedHeaderMode { from, to } => write!(
                f,
                "--headers-only requires RFC2047 on one side and an ASCII-compatible encoding on \
                 the other (got {from} to {to})"
            ),
            Error::UnsupportedPassThrough { to } => write!(
                f,
                "keep: bytes cannot be written unchanged in {to}, which is not a stateless superset \
                 of ASCII; use keep-text, replace or skip"
            ),
            Error::UnmappablePassThrough => f.write_str(
                "keep and keep-text apply only to malformed bytes; use another action for \
                 unmappable characters",
            ),
            Error::Internal(what) => {
                write!(f, "internal error (please report this bug): {what}")
            }
        }
    }
}

/// Writes that the name is unknown as a `kind`, and similar names, or `hint` if there are none.
fn write_unknown(
    f: &mut fmt::Formatter<'_>,
    kind: &str,
    name: &str,
    suggestions: &[&str],
    hint: &str,
) -> fmt::Result {
    write!(f, "unknown {kind} {name:?}")?;
    match suggestions {
        [] => f.write_str(hint),
        _ => write!(f, " (did you mean {}?)", suggestions.join(", ")),
    }
}

impl std::error::Error for ConversionError {}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Read(error) | Error::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// Converts errors in the data to `InvalidData`, and invalid options to `InvalidInput`.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        match error {
            Error::Read(error) | Error::Io(error) => error,
            Error::Conversion(_) => io::Error::new(io::ErrorKind::InvalidData, error),
            Error::Internal(_) => io::Error::other(error),
            other => io::Error::new(io::ErrorKind::InvalidInput, other),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn position_of_an_error_has_line_and_column_of_the_text() {
        for (input, offset, line, column) in [
            (&b"\xFF"[..], 0, 1, 1),
            (b"one\ntwo \xE9", 8, 2, 5),
            (b"\n\xFF", 1, 2, 1),
            (b"\xC3\xA9\n\xE6\x97\xA5\xE6\x9C\xAC\xFF", 9, 2, 3),
        ] {
            let position = crate::UTF_8.decode_strict(input).unwrap_err().position().unwrap();
            let found = (position.offset, position.line, position.column);
            assert_eq!(found, (offset, line, column), "{input:02X?}");
        }
    }
}
