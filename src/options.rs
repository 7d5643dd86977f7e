//! What to do, in types: from which encoding to which, and by which policy.

use std::fmt;
use std::str::FromStr;

use crate::codec::{Encoder, Status};
use crate::encoding::{self, Encoding, EncodingOptions, LookupError};
use crate::error::Error;
use crate::error_policy::{self, ErrorAction, ErrorPolicy, ReplacementTexts, Transliterator};
use crate::rfc2047;
use crate::transcoder::Transcoder;

/// What shows how an encoding treats ASCII.
const ASCII_PROBE: &str = "Az09 ~\r\n";

/// ASCII that every superset of it has, also the Japanese ones.
const ASCII_SUPERSET_PROBE: &str = "AZaz09 \r\n<>&'()/=?";

/// Characters of which most encodings beyond ASCII have one. Not the yen sign, which is one byte of
/// ASCII in Shift_JIS.
const NON_ASCII_PROBE: &str = "£§äéøąčőşțơλжאاกაहあ中가—";

/// An encoding with its options: `UTF-7:close=always`.
#[derive(Debug, Clone)]
pub struct EncodingSpec {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// Its options.
    pub options: EncodingOptions,
}

/// What to do about U+FEFF at the start of the text, the signature or byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BomPolicy {
    /// Keep it; but where the encoding of an input is taken from its bytes, remove one from the
    /// start of UTF-8 ([`Origin::options`](crate::auto::Origin::options)).
    #[default]
    Default,
    /// Treat it as any character (RFC 3629, section 6: avoid stripping it without good reason).
    Keep,
    /// Remove one from the start of each input.
    Strip,
    /// Make sure that the output begins with exactly one, and remove one from the start of each
    /// further input.
    Add,
}

/// A whole conversion. A [`Transcoder`] carries it out.
#[derive(Debug, Clone)]
pub struct TranscodeOptions {
    /// The encoding of the input.
    pub from: EncodingSpec,
    /// The encoding of the output.
    pub to: EncodingSpec,
    /// What to do about a byte order mark.
    pub bom: BomPolicy,
    /// What to do about errors.
    pub error_policy: ErrorPolicy,
    /// Whether each input is a message, of which only the header block is converted: all up to
    /// the first empty line. The body goes out byte for byte.
    pub headers_only: bool,
    /// Bytes that are read and converted at a time, from 1 to [`Options::LARGEST_BLOCK`]; what is
    /// beyond counts as that. Results do not depend on it.
    pub buffer_size: usize,
    /// Whether text may be used where it stands in the input. Results do not depend on it.
    pub fast_paths: bool,
}

/// GB/s of processor time of a program that only transcoders, into `/dev/null`, medians of eleven runs in
/// turns over 32 MiB, in blocks of so many KiB:
///
/// | | 32 | 64 | 128 | 256 | 512 |
/// |---|---:|---:|---:|---:|---:|
/// | UTF-8 to UTF-8, English | 3.61 | 3.64 | 3.73 | 3.77 | 3.71 |
/// | UTF-8 to UTF-8, Russian | 3.11 | 3.22 | 3.29 | 3.31 | 3.29 |
/// | UTF-8 to UTF-16LE, English | 1.64 | 1.67 | 1.70 | 1.70 | 1.69 |
/// | UTF-16LE to UTF-8, English | 3.33 | 3.55 | 3.52 | 3.34 | 3.50 |
/// | UTF-8 to UTF-8, English, into a pipe | 2.18 | 2.41 | 2.45 | 2.53 | 2.42 |
///
/// Each doubling beyond costs 30 to 60 page faults more in a large input, and gains nothing.
const DEFAULT_BUFFER_SIZE: usize = 128 * 1024;

impl TranscodeOptions {
    /// The largest block, in bytes: some blocks are all the memory that a transcoder takes.
    pub const MAX_BUFFER_SIZE: usize = 16 << 20;

    pub(crate) fn clamped_buffer_size(&self) -> usize {
        self.buffer_size.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE)
    }

    /// A options that leaves byte order marks alone and stops at the first error, but for header
    /// words: one invalid word must not cost the others. What is wrong in one is replaced; under
    /// `strict` the word is kept as it stands.
    pub fn new(from: EncodingSpec, to: EncodingSpec) -> TranscodeOptions {
        let error_policy =
            ErrorPolicy { malformed: from.default_action(), unmappable: ErrorAction::Stop };
        TranscodeOptions {
            from,
            to,
            bom: BomPolicy::Default,
            error_policy,
            headers_only: false,
            buffer_size: DEFAULT_BUFFER_SIZE,
            fast_paths: true,
        }
    }

    /// The machine for this options.
    ///
    /// # Errors
    ///
    /// [`Error::Unmappable`] if a policy would write what the target cannot express, or if that
    /// has no byte order mark to add; [`Error::KeepsNoBytes`] and [`Error::KeepsNoCharacters`] if
    /// one would keep what cannot be kept; [`Error::NoMessage`] if there are no header lines to
    /// convert or the rest cannot go out as it came.
    pub fn build(&self) -> Result<Transcoder, Error> {
        if self.headers_only && !self.supports_headers_only() {
            let (from, to) = (self.from.encoding.name, self.to.encoding.name);
            return Err(Error::UnsupportedHeaderMode { from, to });
        }
        // Making an encoder may mean building its tables: one serves all questions.
        let mut encoder = self.to.encoding.encoder(&self.to.options);
        let ErrorPolicy { malformed: invalid, unmappable } = &self.error_policy;
        if unmappable.is_for_bytes_only() {
            return Err(Error::UnmappablePassThrough);
        }
        if *invalid == ErrorAction::PassThrough && !self.to.allows_raw_bytes() {
            return Err(Error::UnsupportedPassThrough { to: self.to.encoding.name });
        }
        for action in [invalid, unmappable] {
            self.check_encodable(&mut *encoder, action.repertoire(), action)?;
        }
        if self.bom == BomPolicy::Add {
            // It would be an error at byte 0 of an input that has no such character.
            self.check_encodable(&mut *encoder, "\u{FEFF}", &"adding a byte order mark")?;
        }
        let default_replacement = default_replacement(self.to.encoding, &mut *encoder);
        let transliterates = *unmappable == ErrorAction::Transliterate;
        // In header lines a character may be unmappable because no encoded-word is allowed there.
        let ascii_only = rfc2047::is_header(self.to.encoding);
        let transliterator = transliterates.then(|| Transliterator::new(encoder, ascii_only));
        Ok(Transcoder::new(self, ReplacementTexts { default_replacement, transliterator }))
    }

    /// Whether header lines are converted between encodings that both have ASCII as it is, so
    /// that a body may follow.
    fn supports_headers_only(&self) -> bool {
        let ends = [&self.from, &self.to];
        ends.iter().any(|end| rfc2047::is_header(end.encoding))
            && ends.iter().all(|end| end.is_ascii_compatible())
    }

    fn check_encodable(
        &self,
        encoder: &mut dyn Encoder,
        text: &str,
        action: &dyn fmt::Display,
    ) -> Result<(), Error> {
        match error_policy::first_unmappable(encoder, text) {
            None => Ok(()),
            Some(character) => Err(Error::UnmappableReplacement {
                character,
                action: action.to_string(),
                encoding: self.to.encoding.name,
            }),
        }
    }
}

/// What is written for an offender by a policy that names no text.
fn default_replacement(encoding: &Encoding, encoder: &mut dyn Encoder) -> &'static str {
    if rfc2047::is_header(encoding) {
        // It may have to stand where no word may.
        return "?";
    }
    ["\u{FFFD}", "?"]
        .into_iter()
        .find(|text| error_policy::first_unmappable(encoder, text).is_none())
        .unwrap_or("")
}

impl EncodingSpec {
    /// Sets the option `strict`, if there is one; says whether there is.
    pub fn set_strict(&mut self) -> bool {
        let strict = self.encoding.options.iter().find(|key| key.name == "strict");
        if let Some(key) = strict {
            self.options.enable(key.name);
        }
        strict.is_some()
    }

    /// What becomes of bytes that are no character where nobody has said so.
    pub(crate) fn default_action(&self) -> ErrorAction {
        match (rfc2047::is_header(self.encoding), self.options.flag("strict")) {
            (false, _) => ErrorAction::Stop,
            (true, false) => ErrorAction::Replace(None),
            (true, true) => ErrorAction::PassThroughText,
        }
    }

    /// Whether ASCII, from the start, is written as it is.
    pub(crate) fn is_ascii_compatible(&self) -> bool {
        let mut output = [0; 256];
        *self.encode_sample(&mut output) == *ASCII_PROBE.as_bytes()
    }

    /// Whether any bytes may be written between two characters: it is a superset of ASCII in which
    /// no byte changes the meaning of later ones, so that only a lead byte, or one of its own
    /// characters, can be misread together with what follows.
    pub(crate) fn allows_raw_bytes(&self) -> bool {
        if rfc2047::is_header(self.encoding) {
            return false;
        }
        let write = |text: &str| {
            let mut output = [0; 64];
            let progress = self.encoding.encoder(&self.options).encode(text, &mut output, true);
            (progress.status == Status::InputEmpty).then(|| output[..progress.written].to_vec())
        };
        let is_superset =
            write(ASCII_SUPERSET_PROBE).as_deref() == Some(ASCII_SUPERSET_PROBE.as_bytes());
        let mut samples = NON_ASCII_PROBE.chars();
        is_superset
            && samples.all(|sample| match write(&sample.to_string()) {
                // Shifts and escapes begin with a byte of ASCII.
                Some(bytes) => {
                    bytes.first().is_some_and(|byte| !byte.is_ascii())
                        && write(&format!("A{sample}A")) == Some([b"A", &bytes[..], b"A"].concat())
                }
                None => true,
            })
    }

    /// Whether plain text has the byte 00 in it, as in UTF-16.
    pub(crate) fn can_contain_nul(&self) -> bool {
        let mut output = [0; 256];
        self.encode_sample(&mut output).contains(&0)
    }

    /// [`LINE`] as it is written.
    fn encode_sample<'a>(&self, output: &'a mut [u8]) -> &'a [u8] {
        let progress = self.encoding.encoder(&self.options).encode(ASCII_PROBE, output, true);
        &output[..progress.written]
    }
}

impl FromStr for EncodingSpec {
    type Err = Error;

    /// Reads `NAME` or `NAME:key=value,…`. A name that is an encoding's as a whole wins over the
    /// colon, as in `ISO_8859-1:1987`.
    fn from_str(label: &str) -> Result<EncodingSpec, Error> {
        if let Some(encoding) = lookup_label(label)? {
            return Ok(EncodingSpec { encoding: encoding, options: EncodingOptions::default() });
        }
        let colons = label.rmatch_indices(':').map(|(at, _)| at);
        let split = colons.map(|at| (&label[..at], &label[at + 1..]));
        for (name, options) in split {
            if let Some(encoding) = lookup_label(name)? {
                let encoding_options = EncodingOptions::parse(options, encoding.options)
                    .map_err(|reason| Error::InvalidOption { encoding: encoding.name, reason })?;
                return Ok(EncodingSpec { encoding, options: encoding_options });
            }
        }
        let name =
            if encoding::has_vendor_prefix(label) { Some(label) } else { label.split(':').next() };
        let name = name.unwrap_or(label);
        Err(Error::UnknownEncoding { label: name.to_owned(), suggestions: encoding::suggest(name) })
    }
}

/// The encoding of this name, or what is requested like one, if there is one.
fn lookup_label(name: &str) -> Result<Option<&'static Encoding>, Error> {
    if let Some(header) = rfc2047::find(name) {
        return Ok(Some(header));
    }
    match encoding::lookup_label(name) {
        Ok(encoding) => Ok(Some(encoding)),
        Err(LookupError::Unknown) => Ok(None),
        Err(LookupError::Ambiguous(candidates)) => {
            Err(Error::AmbiguousLabel { label: name.to_owned(), candidates })
        }
        Err(LookupError::Unsupported(reason)) => {
            Err(Error::UnsupportedEncoding { label: name.to_owned(), reason })
        }
    }
}

impl fmt::Display for EncodingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.encoding.name, self.options)
    }
}

impl FromStr for BomPolicy {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<BomPolicy, Self::Err> {
        match name {
            "keep" => Ok(BomPolicy::Keep),
            "strip" => Ok(BomPolicy::Strip),
            "add" => Ok(BomPolicy::Add),
            _ => Err("keep, strip or add expected"),
        }
    }
}

impl fmt::Display for BomPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BomPolicy::Default => "default",
            BomPolicy::Keep => "keep",
            BomPolicy::Strip => "strip",
            BomPolicy::Add => "add",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_rejects_a_bom_that_is_unmappable() {
        for (to, is_unmappable) in
            [("ascii", true), ("latin1", true), ("utf-7", false), ("utf-16", false)]
        {
            let mut options = TranscodeOptions::new("utf-8".parse().unwrap(), to.parse().unwrap());
            options.bom = BomPolicy::Add;
            let refused = options.build().map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(refused.is_err(), is_unmappable, "{to} {refused:?}");
        }
    }
}
