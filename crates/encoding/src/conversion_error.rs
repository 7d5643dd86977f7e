//! Errors in the data: malformed sequences and unmappable characters.
//!
//! Codecs return [`Malformed`] and [`Unmappable`]. The error policy of a transcoder decides what to do,
//! and its `ErrorReporter` receives an [`ErrorEvent`].
//! Only under the action `stop` does a call return an [`Error`](crate::Error).

use std::fmt;

use crate::codec::State;

/// A malformed sequence, and where to resume after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// The number of bytes in the sequence, which starts after the bytes read. Zero if something is
    /// missing at the end of the input.
    pub len: usize,
    /// Why the sequence is malformed.
    pub reason: MalformedReason,
    /// The number of bytes to skip to resume. Less than `len` if the last byte also contains bits of
    /// the next character, as in UTF-7.
    pub resume_len: usize,
    /// The state in which to resume.
    pub resume_state: State,
}

impl Malformed {
    /// Returns a malformed sequence of `len` bytes, after which decoding resumes in `resume_state`.
    pub const fn new(len: usize, reason: MalformedReason, resume_state: State) -> Malformed {
        Malformed { len, reason, resume_len: len, resume_state }
    }

    /// Returns the same error, resuming `resume_len` bytes after its first byte.
    pub const fn with_resume_len(self, resume_len: usize) -> Malformed {
        Malformed { resume_len, ..self }
    }
}

/// A character that the target encoding cannot represent. The encoder resumes after it in its
/// current state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmappable {
    /// The character.
    pub character: char,
    /// Whether the encoding has the character, but not in this position.
    pub not_allowed_here: bool,
    /// Whether error actions receive U+FFFD instead of the character.
    pub is_escape_forbidden: bool,
}

impl Unmappable {
    /// Returns the error for a character that is not in the encoding.
    pub const fn new(character: char) -> Unmappable {
        Unmappable { character, not_allowed_here: false, is_escape_forbidden: false }
    }

    /// Returns the error for a character that is not allowed in this position.
    pub const fn not_allowed_here(character: char) -> Unmappable {
        Unmappable { character, not_allowed_here: true, is_escape_forbidden: false }
    }

    /// Returns the error for a character that an escape must not reproduce.
    pub const fn without_escape(character: char) -> Unmappable {
        Unmappable { character, not_allowed_here: false, is_escape_forbidden: true }
    }

    /// Returns the code point that error actions receive.
    pub const fn code_point(&self) -> u32 {
        if self.is_escape_forbidden {
            char::REPLACEMENT_CHARACTER as u32
        } else {
            self.character as u32
        }
    }
}

/// An error in the data, and the action taken.
///
/// ```
/// let error = charpipe::UTF_8.decode_strict(b"a\xFF").unwrap_err();
/// assert!(error.event.is_error());
/// assert_eq!(error.event.position.unwrap().offset, 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorEvent {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The action taken.
    #[doc(hidden)]
    pub action_taken: ActionTaken,
    /// Its position, if `ErrorReporter::wants_position`
    /// returned true.
    pub position: Option<Position>,
    /// The first bytes of the malformed sequence and, for some reasons, the byte after it. Set
    /// together with `position`; empty for a character.
    #[doc(hidden)]
    pub excerpt: Excerpt,
    /// The stage of the chain that found it.
    #[doc(hidden)]
    pub stage: StageLabel,
}

/// What messages call a stage of the chain.
#[derive(Debug, Clone, Copy)]
pub enum StageLabel {
    /// The decoder of the source encoding, or the encoder of the target encoding.
    Main,
    /// An encoding between them, by name.
    Encoding(&'static str),
    /// A transform.
    Transform(&'static dyn TransformNames),
}

/// The names of a transform.
pub trait TransformNames: fmt::Debug + Sync {
    /// Returns the name in a chain.
    fn name(&self) -> &'static str;

    /// Returns the name in messages.
    fn title(&self) -> &'static str;
}

impl StageLabel {
    /// Returns the name of the encoding or the transform, or `main` for a main codec.
    fn name_or(self, main: &str) -> &str {
        match self {
            StageLabel::Main => main,
            StageLabel::Encoding(name) => name,
            StageLabel::Transform(transform) => transform.title(),
        }
    }
}

impl PartialEq for StageLabel {
    #[inline]
    fn eq(&self, other: &StageLabel) -> bool {
        match (self, other) {
            // Comparing empty strings may take a hundred nanoseconds, if their address is invalid.
            (StageLabel::Main, StageLabel::Main) => true,
            _ => self.name_or("") == other.name_or(""),
        }
    }
}

impl Eq for StageLabel {}

/// The kind of error, with its details.
///
/// ```
/// let error = charpipe::ISO_8859_1.encode_strict("3 €").unwrap_err();
/// assert_eq!(error.event.kind, charpipe::ErrorKind::Unmappable('€'));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A malformed sequence.
    Malformed {
        /// The number of bytes.
        len: usize,
        /// Why it is malformed.
        reason: MalformedReason,
    },
    /// A character that is not in the target encoding.
    Unmappable(char),
    /// A character that is not allowed in this position: a non-ASCII character where RFC 2047 does
    /// not allow an encoded-word.
    NotAllowedHere(char),
}

impl ErrorKind {
    /// Returns the kind of an encoder's error.
    pub const fn from_unmappable(error: Unmappable) -> ErrorKind {
        match error.not_allowed_here {
            true => ErrorKind::NotAllowedHere(error.character),
            false => ErrorKind::Unmappable(error.character),
        }
    }

    /// Returns the class of this kind.
    pub const fn class(&self) -> ErrorClass {
        match self {
            ErrorKind::Malformed { reason, .. } => reason.class(),
            ErrorKind::Unmappable(_) | ErrorKind::NotAllowedHere(_) => ErrorClass::Unmappable,
        }
    }
}

/// What was done about an error.
///
/// ```
/// let error = charpipe::ISO_8859_1.encode_strict("3 €").unwrap_err();
/// assert_eq!(error.event.action_taken, charpipe_encoding::ActionTaken::Stopped);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionTaken {
    /// The conversion stopped.
    Stopped,
    /// Nothing was written for it.
    Skipped,
    /// Other text was written for it: a replacement, or an escape of malformed bytes.
    Replaced,
    /// Its bytes were written unchanged.
    PassedThrough,
    /// A transliteration of the character was written. Does not count as an error.
    Transliterated,
    /// An escape of the character was written. Does not count as an error.
    Escaped,
}

impl ActionTaken {
    /// Returns whether it counts as an error: the input was malformed, or a character was lost.
    ///
    /// ```
    /// assert!(charpipe_encoding::ActionTaken::Skipped.is_error());
    /// assert!(!charpipe_encoding::ActionTaken::Transliterated.is_error());
    /// ```
    pub const fn is_error(self) -> bool {
        !matches!(self, ActionTaken::Transliterated | ActionTaken::Escaped)
    }
}

/// A position in an input file.
///
/// ```
/// let error = charpipe::UTF_8.decode_strict("é\n€\u{7F}".as_bytes()).err();
/// assert_eq!(error, None);
/// let position = charpipe::UTF_8.decode_strict(b"\xC3\xA9\n\xC3\xA9\xFF").unwrap_err().position().unwrap();
/// assert_eq!((position.offset, position.line, position.column), (5, 2, 2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The byte offset, from 0.
    pub offset: u64,
    /// The line, from 1. Lines end with U+000A.
    pub line: u64,
    /// The column, from 1, in characters; a malformed sequence counts as one. For RFC 2047, where
    /// folding white space is not part of the text, lines are those of the file and columns count
    /// bytes.
    pub column: u64,
}

impl ErrorEvent {
    /// Returns whether it counts as an error: the input was malformed, or a character was lost. An event of a
    /// character that was transliterated or escaped is none.
    pub const fn is_error(&self) -> bool {
        self.action_taken.is_error()
    }

    #[doc(hidden)]
    pub const fn new(
        kind: ErrorKind,
        action_taken: ActionTaken,
        position: Option<Position>,
        excerpt: Excerpt,
        stage: StageLabel,
    ) -> ErrorEvent {
        ErrorEvent { kind, action_taken, position, excerpt, stage }
    }

    /// Returns the event of a malformed sequence at the start of `unread` that stops a conversion.
    pub(crate) fn stopped(error: Malformed, unread: &[u8], is_header: bool) -> ErrorEvent {
        let Malformed { len, reason, .. } = error;
        let excerpt = Excerpt::of_malformed(unread, len, reason, is_header);
        let kind = ErrorKind::Malformed { len, reason };
        ErrorEvent {
            kind,
            action_taken: ActionTaken::Stopped,
            position: None,
            excerpt,
            stage: StageLabel::Main,
        }
    }

    /// Returns the class of this error.
    /// Returns the event of an unmappable character that stops a conversion, without a position.
    pub(crate) fn stopped_unmappable(error: Unmappable) -> ErrorEvent {
        ErrorEvent {
            kind: ErrorKind::from_unmappable(error),
            action_taken: ActionTaken::Stopped,
            position: None,
            excerpt: Excerpt::default(),
            stage: StageLabel::Main,
        }
    }

    #[doc(hidden)]
    pub const fn class(&self) -> ErrorClass {
        self.kind.class()
    }

    /// Returns a message that describes the error, given the names of the two encodings.
    ///
    /// ```
    /// let event = charpipe::ISO_8859_1.encode_strict("€").unwrap_err().event;
    /// let message = event.display("UTF-8", "ISO-8859-1").to_string();
    /// assert_eq!(message, "U+20AC cannot be encoded in ISO-8859-1");
    /// ```
    pub fn display<'a>(&'a self, from: &'a str, to: &'a str) -> impl fmt::Display + 'a {
        ErrorMessage { event: self, from, to }
    }
}

/// Writes the message of an error that a transform returned.
fn fmt_transform_error(
    f: &mut fmt::Formatter<'_>,
    event: &ErrorEvent,
    name: &str,
    title: &str,
) -> fmt::Result {
    let ErrorKind::Malformed { len, reason } = event.kind else { return Ok(()) };
    let (sequence, _) = event.excerpt.split_at(len);
    match (reason, reason.noun()) {
        (MalformedReason::Truncated, _) if len == 0 => write!(f, "unexpected end of {title}")?,
        (MalformedReason::Truncated, _) => {
            write!(f, "incomplete {title} sequence {sequence} at end of input")?
        }
        (MalformedReason::Mojibake, _) => write!(f, "{reason}: {sequence}")?,
        (_, Some(noun)) if len == 0 => write!(f, "invalid {title} {noun}")?,
        (_, Some(noun)) => write!(f, "invalid {title} {noun} {sequence}")?,
        (_, None) => write!(f, "invalid {title} sequence {sequence} ({reason})")?,
    }
    write!(f, " (in /{name})")
}

/// An error event in a conversion between two encodings.
struct ErrorMessage<'a> {
    event: &'a ErrorEvent,
    from: &'a str,
    to: &'a str,
}

impl fmt::Display for ErrorMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorMessage { event, from, to } = *self;
        if let StageLabel::Transform(transform) = event.stage {
            return fmt_transform_error(f, event, transform.name(), transform.title());
        }
        let (from, to) = (event.stage.name_or(from), event.stage.name_or(to));
        let (len, reason) = match event.kind {
            ErrorKind::Malformed { len, reason } => (len, reason),
            ErrorKind::Unmappable(character) => {
                return write!(f, "U+{:04X} cannot be encoded in {to}", u32::from(character));
            }
            ErrorKind::NotAllowedHere(character) => {
                return write!(
                    f,
                    "U+{:04X} is not allowed here (no encoded-word may appear in this position)",
                    u32::from(character)
                );
            }
        };
        let (sequence, following) = event.excerpt.split_at(len);
        match reason {
            MalformedReason::AboveUnicode(value) | MalformedReason::SurrogateCodePoint(value) => {
                write!(f, "U+{value:04X} cannot be encoded in {to} ({reason})")
            }
            MalformedReason::Truncated if len == 0 => f.write_str("unexpected end of input"),
            MalformedReason::Truncated => {
                write!(f, "incomplete {from} sequence {sequence} at end of input")
            }
            _ if reason.is_in_encoded_word() => write!(f, "{reason} ({sequence})"),
            _ if len == 0 => write!(f, "invalid {from} sequence ({reason})"),
            MalformedReason::InvalidLeadByte
                if from == "UTF-8" && matches!(sequence.bytes(), [0x80..=0xBF]) =>
            {
                write!(f, "invalid UTF-8 sequence {sequence} (unexpected continuation byte)")
            }
            _ if following.bytes().is_empty() => {
                write!(f, "invalid {from} sequence {sequence} ({reason})")
            }
            _ => {
                write!(f, "invalid {from} sequence {sequence} (followed by {following}; {reason})")
            }
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: byte {}", self.line, self.column, self.offset)
    }
}

/// Why a [sequence](Malformed) is malformed.
///
/// ```
/// use charpipe::{ErrorKind, MalformedReason};
///
/// let error = charpipe::UTF_8.decode_strict(b"\xE2\x82").unwrap_err();
/// assert_eq!(error.event.kind, ErrorKind::Malformed { len: 2, reason: MalformedReason::Truncated });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedReason {
    /// The input ends inside a character or a shift sequence.
    Truncated,
    /// A lead byte that is not followed by the required trail byte.
    MissingTrailByte,
    /// A byte that cannot start a character.
    InvalidLeadByte,
    /// A sequence of the right form that no character is assigned to.
    Unassigned,
    /// An escape sequence that the encoding does not have.
    UnknownEscapeSequence,
    /// An escape sequence directly after another one.
    ConsecutiveEscapes,
    /// A sequence that is longer than the shortest one for its value.
    Overlong,
    /// A sequence that encodes a surrogate, where only scalar values are allowed.
    Surrogate,
    /// A lead surrogate without a trail surrogate, or the reverse.
    UnpairedSurrogate,
    /// A value above the maximum of the encoding (U+10FFFF or 7FFFFFFF).
    OutOfRange,
    /// A shift character that nothing follows which it could shift.
    EmptyShift,
    /// Padding bits at the end of a base64 run that are not zero.
    NonZeroPadding,
    /// Bytes at the end of a base64 run that do not form a complete 16-bit code unit.
    IncompleteCodeUnit,
    /// A base64 run without the `-` that must end it.
    MissingShiftOut,
    /// A base64 run directly after another one.
    NullShift,
    /// An ASCII character in base64 that must be written directly.
    EncodedAscii,
    /// A control character or line separator in the decoded text of an encoded-word.
    ControlInEncodedWord,
    /// An encoded-word that ends inside a character.
    SplitCharacter,
    /// An encoded-word whose text is not valid base64.
    InvalidBase64,
    /// An encoded-word in Q encoding with a `=` that is not followed by two hexadecimal digits.
    InvalidQEncoding,
    /// An encoded-word whose bytes are not valid in the charset that it declares.
    InvalidForCharset,
    /// An escape sequence of a transform that is incomplete or has an invalid value.
    InvalidEscape,
    /// A character that is not in the alphabet of a transform.
    InvalidCharacter,
    /// Padding that is missing, in excess, or followed by more data.
    InvalidPadding,
    /// A line or a block whose length does not match its content.
    InvalidLength,
    /// A header or trailer that is missing or invalid.
    InvalidFraming,
    /// A checksum that does not match the data.
    ChecksumMismatch,
    /// A character reference or a name that is not defined.
    UnknownName,
    /// UTF-8 that was decoded in another encoding, as "Ã©" for "é".
    Mojibake,
    /// A line ending of another form than the text must have.
    InvalidLineEnding,
    /// A character at which the text stops being in a normalization form.
    NotNormalized,
    /// A line or run that one of several encodings has, but would encode as other bytes.
    Irreversible,
    /// A 31-bit value above U+10FFFF, which the source encoding has but the target cannot represent.
    AboveUnicode(u32),
    /// A surrogate code point, which only UCS-4 can represent.
    SurrogateCodePoint(u32),
}

/// The three classes of errors that messages and error policies distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The bytes are not valid in the source encoding.
    Malformed,
    /// The input ends inside a character or a shift sequence.
    Truncated,
    /// The target encoding cannot represent the character.
    Unmappable,
}

impl MalformedReason {
    /// Returns the class of this reason.
    pub const fn class(self) -> ErrorClass {
        match self {
            MalformedReason::Truncated => ErrorClass::Truncated,
            MalformedReason::AboveUnicode(_) | MalformedReason::SurrogateCodePoint(_) => {
                ErrorClass::Unmappable
            }
            _ => ErrorClass::Malformed,
        }
    }

    /// Returns whether the malformed sequence is an encoded-word or a part of one.
    const fn is_in_encoded_word(self) -> bool {
        matches!(
            self,
            MalformedReason::ControlInEncodedWord
                | MalformedReason::SplitCharacter
                | MalformedReason::InvalidBase64
                | MalformedReason::InvalidQEncoding
                | MalformedReason::InvalidForCharset
        )
    }

    /// Returns what a transform calls a sequence with this reason.
    const fn noun(self) -> Option<&'static str> {
        Some(match self {
            MalformedReason::InvalidEscape => "escape",
            MalformedReason::InvalidCharacter => "character",
            MalformedReason::InvalidPadding | MalformedReason::NonZeroPadding => "padding",
            MalformedReason::InvalidLength => "length",
            MalformedReason::InvalidFraming => "header or trailer",
            MalformedReason::ChecksumMismatch => "checksum",
            MalformedReason::UnknownName => "name",
            _ => return None,
        })
    }

    /// Returns the number of bytes after the malformed sequence to show in a message: 1 if the
    /// following byte is the reason why it is malformed.
    pub fn context_len(self, sequence: &[u8]) -> usize {
        match (self, sequence) {
            (MalformedReason::MissingTrailByte, _) => 1,
            // Valid lead bytes of UTF-8: E0 starts an overlong sequence only before 80 to 9F.
            (
                MalformedReason::Overlong
                | MalformedReason::Surrogate
                | MalformedReason::OutOfRange,
                [0xC2..=0xF4],
            ) => 1,
            _ => 0,
        }
    }
}

impl fmt::Display for MalformedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MalformedReason::Truncated => "incomplete at end of input",
            MalformedReason::MissingTrailByte => "continuation byte expected",
            MalformedReason::InvalidLeadByte => "no character starts with this byte",
            MalformedReason::Unassigned => "unassigned",
            MalformedReason::UnknownEscapeSequence => "unknown escape sequence",
            MalformedReason::ConsecutiveEscapes => "consecutive escape sequences",
            MalformedReason::Overlong => "overlong encoding",
            MalformedReason::Surrogate => "encodes a surrogate",
            MalformedReason::SurrogateCodePoint(_) => "surrogate",
            MalformedReason::UnpairedSurrogate => "unpaired surrogate",
            MalformedReason::OutOfRange => "value out of range",
            MalformedReason::EmptyShift => "empty shift sequence",
            MalformedReason::NonZeroPadding => "non-zero padding bits",
            MalformedReason::IncompleteCodeUnit => "incomplete code unit in base64",
            MalformedReason::MissingShiftOut => "'-' expected",
            MalformedReason::NullShift => "consecutive base64 runs",
            MalformedReason::EncodedAscii => "ASCII must not be base64-encoded",
            MalformedReason::ControlInEncodedWord => "control character in encoded-word",
            MalformedReason::SplitCharacter => "encoded-word ends inside a character",
            MalformedReason::InvalidBase64 => "invalid base64 in encoded-word",
            MalformedReason::InvalidQEncoding => "invalid Q escape in encoded-word",
            MalformedReason::InvalidForCharset => "encoded-word is not valid in its charset",
            MalformedReason::InvalidEscape => "invalid escape",
            MalformedReason::InvalidCharacter => "invalid character",
            MalformedReason::InvalidPadding => "invalid padding",
            MalformedReason::InvalidLength => "length does not match",
            MalformedReason::InvalidFraming => "header or trailer missing or invalid",
            MalformedReason::NotNormalized => "not normalized",
            MalformedReason::Irreversible => {
                "would be encoded as other bytes; allowed with the option lossy"
            }
            MalformedReason::ChecksumMismatch => "checksum does not match",
            MalformedReason::UnknownName => "unknown name",
            MalformedReason::Mojibake => "UTF-8 decoded in another encoding",
            MalformedReason::InvalidLineEnding => "unexpected line ending",
            MalformedReason::AboveUnicode(_) => "above U+10FFFF",
        })
    }
}

/// The first bytes of a malformed sequence, as messages show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Excerpt {
    bytes: [u8; Excerpt::MAX_LEN],
    len: u8,
    is_truncated: bool,
    /// Whether the bytes are shown as ASCII characters, as for encoded-words.
    is_ascii: bool,
}

impl Excerpt {
    /// The maximum number of bytes.
    pub const MAX_LEN: usize = 24;

    /// The maximum number of bytes that are shown as hexadecimal digits.
    const MAX_HEX_LEN: usize = 8;

    /// Returns the bytes of the malformed sequence of `len` bytes at the start of `unread`, and the byte
    /// after it if that is the reason.
    pub fn of_malformed(
        unread: &[u8],
        len: usize,
        reason: MalformedReason,
        is_header: bool,
    ) -> Excerpt {
        let len_shown = len + reason.context_len(&unread[..len.min(unread.len())]);
        let shown = &unread[..len_shown.min(unread.len())];
        if is_header { Excerpt::ascii(shown) } else { Excerpt::hex(shown) }
    }

    /// Returns the first bytes of `all`, to be shown as hexadecimal digits.
    pub fn hex(all: &[u8]) -> Excerpt {
        Excerpt::truncated(all, Self::MAX_HEX_LEN, false)
    }

    /// Returns the first bytes of `all`, to be shown as ASCII characters.
    pub fn ascii(all: &[u8]) -> Excerpt {
        Excerpt::truncated(all, Self::MAX_LEN, true)
    }

    fn truncated(all: &[u8], max: usize, is_ascii: bool) -> Excerpt {
        let len = all.len().min(max);
        let mut bytes = [0; Self::MAX_LEN];
        match all {
            // Most malformed sequences are single bytes.
            [only] => bytes[0] = *only,
            _ => bytes[..len].copy_from_slice(&all[..len]),
        }
        Excerpt { bytes, len: len as u8, is_truncated: all.len() > len, is_ascii }
    }

    /// Splits the excerpt into the malformed sequence of `len` bytes and the bytes after it.
    fn split_at(&self, len: usize) -> (Excerpt, Excerpt) {
        let (sequence, following) = self.bytes().split_at(len.min(self.bytes().len()));
        let part = |bytes| Excerpt::truncated(bytes, Self::MAX_LEN, self.is_ascii);
        (Excerpt { is_truncated: sequence.len() < len, ..part(sequence) }, part(following))
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ascii {
            let more = if self.is_truncated { " …" } else { "" };
            return write!(f, "\"{}\"{more}", self.bytes().escape_ascii());
        }
        for (index, byte) in self.bytes().iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{byte:02X}")?;
        }
        f.write_str(if self.is_truncated { " …" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_with_and_without_bytes() {
        for (bytes, reason, message) in [
            (
                &b"\xE9"[..],
                MalformedReason::InvalidLeadByte,
                "invalid A sequence E9 (no character starts with this byte)",
            ),
            (b"", MalformedReason::MissingShiftOut, "invalid A sequence ('-' expected)"),
            (b"\xE9", MalformedReason::Truncated, "incomplete A sequence E9 at end of input"),
            (b"", MalformedReason::Truncated, "unexpected end of input"),
            (
                b"\xFF",
                MalformedReason::AboveUnicode(0x11_0000),
                "U+110000 cannot be encoded in B (above U+10FFFF)",
            ),
            (
                b"\xFF",
                MalformedReason::SurrogateCodePoint(0xDC00),
                "U+DC00 cannot be encoded in B (surrogate)",
            ),
        ] {
            let kind = ErrorKind::Malformed { len: bytes.len(), reason };
            let excerpt = Excerpt::hex(bytes);
            let action_taken = ActionTaken::Skipped;
            let stage = StageLabel::Main;
            let error = ErrorEvent { kind, action_taken, position: None, excerpt, stage };
            assert_eq!(error.display("A", "B").to_string(), message);
        }
    }

    #[test]
    fn messages_separate_the_sequence_from_the_byte_after_it() {
        for (excerpt, len, reason, message) in [
            (
                Excerpt::hex(b"\xE9 "),
                1,
                MalformedReason::MissingTrailByte,
                "invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)",
            ),
            (
                Excerpt::hex(b"\xED\xA0"),
                1,
                MalformedReason::Surrogate,
                "invalid UTF-8 sequence ED (followed by A0; encodes a surrogate)",
            ),
            (
                Excerpt::hex(b"\x80"),
                1,
                MalformedReason::InvalidLeadByte,
                "invalid UTF-8 sequence 80 (unexpected continuation byte)",
            ),
            (
                Excerpt::hex(b"123456789"),
                9,
                MalformedReason::UnknownEscapeSequence,
                "invalid UTF-8 sequence 31 32 33 34 35 36 37 38 … (unknown escape sequence)",
            ),
            (
                Excerpt::ascii(b"=E2=82"),
                6,
                MalformedReason::SplitCharacter,
                "encoded-word ends inside a character (\"=E2=82\")",
            ),
        ] {
            let kind = ErrorKind::Malformed { len, reason };
            let action_taken = ActionTaken::Skipped;
            let stage = StageLabel::Main;
            let error = ErrorEvent { kind, action_taken, position: None, excerpt, stage };
            assert_eq!(error.display("UTF-8", "B").to_string(), message);
        }
    }

    #[test]
    fn context_includes_the_byte_that_shows_the_error() {
        for (sequence, reason, context_len) in [
            (&b"\xE9"[..], MalformedReason::MissingTrailByte, 1),
            (b"\xF0\x9F", MalformedReason::MissingTrailByte, 1),
            (b"\xE0", MalformedReason::Overlong, 1),
            (b"\xED", MalformedReason::Surrogate, 1),
            (b"\xF4", MalformedReason::OutOfRange, 1),
            (b"\xC0", MalformedReason::Overlong, 0),
            (b"\xF5", MalformedReason::OutOfRange, 0),
            (b"\xD8\x00", MalformedReason::Surrogate, 0),
            (b"G", MalformedReason::Overlong, 0),
            (b"\xFF", MalformedReason::InvalidLeadByte, 0),
        ] {
            assert_eq!(reason.context_len(sequence), context_len, "{sequence:02X?} {reason:?}");
        }
    }

    #[test]
    fn long_excerpts_end_with_an_ellipsis() {
        assert_eq!(Excerpt::hex(b"\x01\xFF").to_string(), "01 FF");
        assert_eq!(Excerpt::hex(b"12345678").to_string(), "31 32 33 34 35 36 37 38");
        assert_eq!(Excerpt::hex(b"123456789").to_string(), "31 32 33 34 35 36 37 38 …");
        assert_eq!(Excerpt::ascii(b"=E9\xFF\x1B").to_string(), r#""=E9\xff\x1b""#);
        assert_eq!(Excerpt::ascii(&[b'a'; 25]).to_string(), format!("\"{}\" …", "a".repeat(24)));
    }
}
