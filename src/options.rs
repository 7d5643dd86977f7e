//! The options of a conversion: the encodings, the BOM policy and the error policy.

use std::fmt;
use std::str::FromStr;

use crate::bom::BOM;
use crate::codec::{Encoder, Status};
use crate::encoding::{self, Encoding, EncodingOptions, LookupError, Ucs4Codecs};
use crate::error::Error;
use crate::error_policy::{self, ErrorAction, ErrorPolicy, ReplacementTexts, Transliterator};
use crate::rfc2047;
use crate::transcoder::Transcoder;

/// ASCII text to determine how an encoding encodes ASCII.
const ASCII_PROBE: &str = "Az09 ~\r\n";

/// ASCII characters that every ASCII-compatible encoding has, including the Japanese ones.
const ASCII_SUPERSET_PROBE: &str = "AZaz09 \r\n<>&'()/=?";

/// Non-ASCII characters of which most encodings have at least one. The yen sign is excluded because it
/// is an ASCII byte in Shift_JIS.
const NON_ASCII_PROBE: &str = "£§äéøąčőşțơλжאاกაहあ中가—";

/// An encoding with its options, such as `UTF-7:close=always`.
#[derive(Debug, Clone)]
pub struct EncodingSpec {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// The options of the encoding.
    pub options: EncodingOptions,
}

/// What to do with a byte order mark, U+FEFF at the start of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BomPolicy {
    /// Keep it, but strip it from UTF-8 if the encoding is detected from the input
    /// ([`InputEncoding::options_for`](crate::cli::sniff::InputEncoding::options_for)).
    #[default]
    Default,
    /// Treat it like any character (RFC 3629, section 6: avoid stripping it without good reason).
    Keep,
    /// Strip it from the start of each input.
    Strip,
    /// Start the output with exactly one, and strip it from the start of each further input.
    Add,
}

/// The options of a conversion. [`build`](TranscodeOptions::build) returns the [`Transcoder`].
#[derive(Debug, Clone)]
pub struct TranscodeOptions {
    /// The encoding of the input.
    pub from: EncodingSpec,
    /// The encoding of the output.
    pub to: EncodingSpec,
    /// What to do with a byte order mark.
    pub bom: BomPolicy,
    /// What to do on conversion errors.
    pub error_policy: ErrorPolicy,
    /// Whether to convert only the header block of each input, up to the first empty line. The body is
    /// copied unchanged.
    pub headers_only: bool,
    /// The number of bytes to convert at a time, clamped to 1 to
    /// [`MAX_BUFFER_SIZE`](TranscodeOptions::MAX_BUFFER_SIZE). Results do not depend on it.
    pub buffer_size: usize,
    /// Whether zero-copy conversion and bulk error handling are enabled. Results do not depend on it.
    pub fast_paths: bool,
}

/// Throughput by buffer size in KiB, in GB per second of processor time, of a program that only
/// transcodes 32 MiB to `/dev/null` (medians of eleven interleaved runs):
///
/// | | 32 | 64 | 128 | 256 | 512 |
/// |---|---:|---:|---:|---:|---:|
/// | UTF-8 to UTF-8, English | 3.61 | 3.64 | 3.73 | 3.77 | 3.71 |
/// | UTF-8 to UTF-8, Russian | 3.11 | 3.22 | 3.29 | 3.31 | 3.29 |
/// | UTF-8 to UTF-16LE, English | 1.64 | 1.67 | 1.70 | 1.70 | 1.69 |
/// | UTF-16LE to UTF-8, English | 3.33 | 3.55 | 3.52 | 3.34 | 3.50 |
/// | UTF-8 to UTF-8, English, into a pipe | 2.18 | 2.41 | 2.45 | 2.53 | 2.42 |
///
/// Each further doubling costs 30 to 60 more page faults for a large input, and gains nothing.
const DEFAULT_BUFFER_SIZE: usize = 128 * 1024;

impl TranscodeOptions {
    /// The maximum buffer size, in bytes. A transcoder allocates a few buffers of this size.
    pub const MAX_BUFFER_SIZE: usize = 16 << 20;

    pub(crate) fn clamped_buffer_size(&self) -> usize {
        self.buffer_size.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE)
    }

    /// Returns options that keep byte order marks and stop at the first error. For RFC 2047 malformed
    /// sequences are replaced instead, so that an invalid encoded-word does not prevent the conversion
    /// of the others; with the option `strict` it is kept unchanged.
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

    /// Builds a transcoder with these options.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnmappableReplacement`] if an error action could write text that the target
    /// encoding does not have, or if it has no byte order mark to add;
    /// [`Error::UnsupportedPassThrough`] or [`Error::UnmappablePassThrough`] if input cannot be passed
    /// through; [`Error::UnsupportedHeaderMode`] if the encodings do not allow to convert only headers.
    pub fn build(&self) -> Result<Transcoder, Error> {
        if self.headers_only && !self.supports_headers_only() {
            let (from, to) = (self.from.encoding.name, self.to.encoding.name);
            return Err(Error::UnsupportedHeaderMode { from, to });
        }
        // Creating an encoder may build tables, so the checks and the transcoder share one.
        let mut encoder = self.to.encoding.encoder(&self.to.options);
        let ErrorPolicy { malformed, unmappable } = &self.error_policy;
        if unmappable.is_for_bytes_only() {
            return Err(Error::UnmappablePassThrough);
        }
        if *malformed == ErrorAction::PassThrough && !self.to.allows_raw_bytes() {
            return Err(Error::UnsupportedPassThrough { to: self.to.encoding.name });
        }
        for action in [malformed, unmappable] {
            self.check_encodable(&mut *encoder, action.repertoire(), action)?;
        }
        if self.bom == BomPolicy::Add {
            // Otherwise it would be an error at byte 0 of an input that does not contain it.
            self.check_encodable(&mut *encoder, BOM, &"adding a byte order mark")?;
        }
        let default_replacement = default_replacement(self.to.encoding, &mut *encoder);
        let transliterates = *unmappable == ErrorAction::Transliterate;
        // In headers a character may be unmappable because no encoded-word is allowed there.
        let ascii_only = rfc2047::is_header(self.to.encoding);
        let transliterator = transliterates
            .then(|| Transliterator::new(self.to.encoding.encoder(&self.to.options), ascii_only));
        let replacements = ReplacementTexts { default_replacement, transliterator };
        Ok(Transcoder::new(self, encoder, replacements))
    }

    /// Returns whether one encoding is RFC 2047 and both are ASCII-compatible.
    fn supports_headers_only(&self) -> bool {
        let specs = [&self.from, &self.to];
        specs.iter().any(|spec| rfc2047::is_header(spec.encoding))
            && specs.iter().all(|spec| spec.is_ascii_compatible())
    }

    /// Returns an error if the target encoding does not have all characters of `text`.
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

/// Returns the replacement of error actions that do not specify one.
fn default_replacement(encoding: &Encoding, encoder: &mut dyn Encoder) -> &'static str {
    if rfc2047::is_header(encoding) {
        // Only ASCII can be written where no encoded-word is allowed.
        return "?";
    }
    ["\u{FFFD}", "?"]
        .into_iter()
        .find(|text| error_policy::first_unmappable(encoder, text).is_none())
        .unwrap_or("")
}

impl EncodingSpec {
    /// Sets the option `strict`. Returns false if the encoding does not have it.
    pub fn set_strict(&mut self) -> bool {
        let strict = self.encoding.options.iter().find(|key| key.name == "strict");
        if let Some(key) = strict {
            self.options.enable(key.name);
        }
        strict.is_some()
    }

    /// Returns the codecs of the UCS-4 path, if the encoding has 31-bit values.
    pub(crate) fn ucs4_codecs(&self) -> Option<&'static Ucs4Codecs> {
        self.encoding.ucs4.as_ref().filter(|codecs| (codecs.is_enabled)(&self.options))
    }

    /// Returns the default action for malformed sequences.
    pub(crate) fn default_action(&self) -> ErrorAction {
        match (rfc2047::is_header(self.encoding), self.options.flag("strict")) {
            (false, _) => ErrorAction::Stop,
            (true, false) => ErrorAction::Replace(None),
            (true, true) => ErrorAction::PassThroughText,
        }
    }

    /// Returns whether ASCII is encoded as the same bytes.
    pub(crate) fn is_ascii_compatible(&self) -> bool {
        let mut output = [0; 256];
        *self.encode_sample(&mut output) == *ASCII_PROBE.as_bytes()
    }

    /// Returns whether arbitrary bytes may be written between two characters: the encoding is a
    /// stateless superset of ASCII, so that at most a lead byte is misread together with the next byte.
    pub(crate) fn allows_raw_bytes(&self) -> bool {
        if rfc2047::is_header(self.encoding) {
            return false;
        }
        let encode = |text: &str| {
            let mut output = [0; 64];
            let progress = self.encoding.encoder(&self.options).encode(text, &mut output, true);
            (progress.status == Status::InputEmpty).then(|| output[..progress.written].to_vec())
        };
        let is_superset =
            encode(ASCII_SUPERSET_PROBE).as_deref() == Some(ASCII_SUPERSET_PROBE.as_bytes());
        let mut samples = NON_ASCII_PROBE.chars();
        is_superset
            && samples.all(|sample| match encode(&sample.to_string()) {
                // Shift sequences start with an ASCII byte.
                Some(bytes) => {
                    bytes.first().is_some_and(|byte| !byte.is_ascii())
                        && encode(&format!("A{sample}A")) == Some([b"A", &bytes[..], b"A"].concat())
                }
                None => true,
            })
    }

    /// Returns whether encoded ASCII text contains the byte 00, as in UTF-16.
    pub(crate) fn can_contain_nul(&self) -> bool {
        let mut output = [0; 256];
        self.encode_sample(&mut output).contains(&0)
    }

    /// Returns the encoded [`ASCII_PROBE`].
    fn encode_sample<'a>(&self, output: &'a mut [u8]) -> &'a [u8] {
        let progress = self.encoding.encoder(&self.options).encode(ASCII_PROBE, output, true);
        &output[..progress.written]
    }
}

impl FromStr for EncodingSpec {
    type Err = Error;

    /// Parses `NAME` or `NAME:key=value,…`. A label that contains a colon itself takes precedence, as
    /// in `ISO_8859-1:1987`.
    fn from_str(label: &str) -> Result<EncodingSpec, Error> {
        if let Some(encoding) = lookup_label(label)? {
            return Ok(EncodingSpec { encoding, options: EncodingOptions::default() });
        }
        let colons = label.rmatch_indices(':').map(|(at, _)| at);
        let split = colons.map(|at| (&label[..at], &label[at + 1..]));
        for (name, options) in split {
            if let Some(encoding) = lookup_label(name)? {
                let options = EncodingOptions::parse(options, encoding.options)
                    .map_err(|reason| Error::InvalidOption { encoding: encoding.name, reason })?;
                return Ok(EncodingSpec { encoding, options });
            }
        }
        let name =
            if encoding::has_vendor_prefix(label) { Some(label) } else { label.split(':').next() };
        let name = name.unwrap_or(label);
        Err(Error::UnknownEncoding { label: name.to_owned(), suggestions: encoding::suggest(name) })
    }
}

/// Returns the encoding with this label, or RFC 2047, if there is one.
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
            let built = options.build().map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(built.is_err(), is_unmappable, "{to} {built:?}");
        }
    }
}
