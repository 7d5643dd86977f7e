//! The steps of a conversion as a user writes them.
//!
//! An encoding may be followed by transforms: `utf-8/crlf/base64` is text with CRLF line endings, encoded
//! in UTF-8, and that in base64. As the source it is decoded from right to left, as the target
//! encoded from left to right. Between the source and the target text passes through any number of
//! [`ChainStep`]s.

use std::fmt;
use std::str::FromStr;

use crate::options::EncodingSpec;
use crate::transform_spec::{self, TransformSpec};
use charpipe_encoding::error::Error;
use charpipe_transform::{Direction, Transform};

/// The maximum number of steps of a chain between its source and its target encoding: the transforms of
/// both, and the encodings and transforms of the steps between them. A running step calls the next one, so
/// the stack limits their number.
pub(crate) const MAX_STEPS: usize = 32;

/// The maximum number of slashes in a label without transforms, as in `ISO-10646/UTF-8`.
const MAX_LABEL_SLASHES: usize = 1;

/// Why a transform of bytes cannot follow text.
const NEEDS_BYTES: &str =
    "this transform needs bytes: write it after an encoding, as in utf-8/base64";

/// Why a chain with more steps is rejected.
const TOO_MANY_STEPS: &str = "a chain has at most 32 steps; run charpipe twice for more";

/// Returns an error if a chain with this many steps, of which `step` is one, cannot run.
pub fn check_step_count(count: usize, step: &dyn fmt::Display) -> Result<(), Error> {
    if count > MAX_STEPS { Err(invalid(step, TOO_MANY_STEPS)) } else { Ok(()) }
}

/// Returns an error if an encoding with transforms has too many of them, before it is parsed.
pub(crate) fn check_transform_count(label: &str) -> Result<(), Error> {
    let count = label.bytes().filter(|byte| *byte == b'/').count();
    let last = label.rsplit('/').next().unwrap_or(label);
    check_step_count(count.saturating_sub(MAX_LABEL_SLASHES), &last)
}

/// A step between the source and the target encoding, from text to text.
///
/// ```
/// let step: charpipe_transcode::ChainStep = "koi8-r".parse()?;
/// assert!(matches!(step, charpipe_transcode::ChainStep::Reencode(_)));
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ChainStep {
    /// A transform of text.
    Transform(TransformSpec, Direction),
    /// Encodes the text and decodes it again. What the encoding cannot represent is an error.
    Reencode(EncodingSpec),
    /// Encodes the text in one encoding and decodes the bytes in another, which repairs text that was
    /// decoded in the wrong encoding.
    ///
    /// ```
    /// let step: charpipe_transcode::ChainStep = "windows-1252..bytes..utf-8".parse()?;
    /// let options = charpipe::TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_8).via(step);
    /// assert_eq!(options.transcode("CafÃ©".as_bytes())?, "Café".as_bytes());
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    Reinterpret {
        /// The encoding in which the text was decoded.
        encode: EncodingSpec,
        /// The encoding of its bytes.
        decode: EncodingSpec,
    },
}

impl ChainStep {
    /// Returns the encodings in which the text is encoded and decoded again.
    pub(crate) fn encodings(&self) -> Option<(&EncodingSpec, &EncodingSpec)> {
        match self {
            ChainStep::Transform(..) => None,
            ChainStep::Reencode(spec) => Some((spec, spec)),
            ChainStep::Reinterpret { encode, decode } => Some((encode, decode)),
        }
    }

    /// Returns the number of encodings and transforms.
    pub(crate) fn step_count(&self) -> usize {
        match self {
            ChainStep::Transform(..) => 1,
            ChainStep::Reencode(spec) => 1 + spec.transforms.len(),
            ChainStep::Reinterpret { encode, decode } => {
                2 + encode.transforms.len() + decode.transforms.len()
            }
        }
    }
}

impl FromStr for ChainStep {
    type Err = Error;

    /// Parses `TRANSFORM`, `TRANSFORM:decode`, an encoding or `ENCODING..bytes..ENCODING`. A transform
    /// writes its form if it has no direction.
    fn from_str(text: &str) -> Result<ChainStep, Error> {
        if let Some((encode, decode)) = text.split_once("..bytes..") {
            let (encode, decode) = (encode.parse()?, decode.parse()?);
            return Ok(ChainStep::Reinterpret { encode, decode });
        }
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        if transform_spec::for_name(name).is_none() {
            return match text.parse() {
                Ok(spec) => Ok(ChainStep::Reencode(spec)),
                Err(Error::UnknownEncoding { label, suggestions: encodings }) => {
                    let mut suggestions = transform_spec::suggest(&label);
                    suggestions.extend(encodings);
                    Err(Error::UnknownStep { name: label, suggestions })
                }
                Err(error) => Err(error),
            };
        }
        let mut direction = Direction::Encode;
        let mut rest = Vec::new();
        for option in options.split(',') {
            match option {
                "decode" => direction = Direction::Decode,
                "encode" => direction = Direction::Encode,
                _ => rest.push(option),
            }
        }
        let spec: TransformSpec = format!("{name}:{}", rest.join(",")).parse()?;
        match spec.is_for_bytes() {
            false => Ok(ChainStep::Transform(spec, direction)),
            true => Err(invalid(spec, NEEDS_BYTES)),
        }
    }
}

impl fmt::Display for ChainStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChainStep::Transform(spec, Direction::Encode) => spec.fmt(f),
            ChainStep::Transform(spec, Direction::Decode) => {
                let separator = if spec.options.is_empty() { ':' } else { ',' };
                write!(f, "{spec}{separator}decode")
            }
            ChainStep::Reencode(spec) => spec.fmt(f),
            ChainStep::Reinterpret { encode, decode } => write!(f, "{encode}..{BYTES}..{decode}"),
        }
    }
}

/// A whole chain, such as `base64..iso-2022-jp..nfc..utf-8/crlf`.
///
/// The parts are separated by `..` and run from left to right, each of them. The first one says what
/// the input is. Transforms of bytes at the start are decoded; the first encoding decodes bytes to text;
/// every further encoding encodes the text, and decodes it again if another part follows. Transforms of
/// bytes after an encoding are encoded. A chain that ends with text is encoded in UTF-8. `bytes` denotes
/// bytes of any kind: those of the input or the output, or those of the encoding before it, which the one
/// after it decodes.
#[derive(Debug, Clone)]
pub struct ChainSpec {
    /// The source encoding.
    pub from: EncodingSpec,
    /// The steps between the two.
    pub via: Vec<ChainStep>,
    /// The target encoding.
    pub to: EncodingSpec,
}

/// A part of a chain.
enum ChainPart {
    /// Transforms of bytes, from the inside out.
    Bytes(Vec<TransformSpec>),
    /// An encoding or a transform of text.
    Step(ChainStep),
}

impl FromStr for ChainPart {
    type Err = Error;

    fn from_str(text: &str) -> Result<ChainPart, Error> {
        let is_for_bytes = |part: &str| {
            let name = part.split(':').next().unwrap_or(part);
            transform_spec::for_name(name).is_some_and(Transform::is_for_bytes)
        };
        if text == BYTES {
            return Ok(ChainPart::Bytes(Vec::new()));
        }
        check_transform_count(text)?;
        if text.split('/').all(is_for_bytes) {
            let specs: Result<Vec<_>, _> = text.split('/').map(str::parse).collect();
            return specs.map(ChainPart::Bytes);
        }
        text.parse().map(ChainPart::Step)
    }
}

impl FromStr for ChainSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<ChainSpec, Error> {
        // The first and the last part may be the source and the target encoding.
        let count = text.split("..").count();
        check_step_count(count.saturating_sub(2), &text.rsplit("..").next().unwrap_or(text))?;
        let parts: Result<Vec<ChainPart>, _> = text.split("..").map(str::parse).collect();
        let mut parts = parts?.into_iter().peekable();
        let outer = match parts.next_if(|part| matches!(part, ChainPart::Bytes(_))) {
            Some(ChainPart::Bytes(specs)) => specs,
            _ => Vec::new(),
        };
        let mut chain = PartialChain {
            from: charpipe_encoding::ISO_8859_1.into(),
            via: Vec::new(),
            is_text: false,
            is_encoded: false,
        };
        match parts.next_if(|part| matches!(part, ChainPart::Step(_))) {
            Some(ChainPart::Step(ChainStep::Reencode(spec))) => {
                (chain.from, chain.is_text) = (spec, true);
            }
            Some(ChainPart::Step(step)) => return Err(invalid(step, NEEDS_TEXT)),
            _ => {}
        }
        chain.from.transforms.extend(outer);
        for part in parts {
            chain.push(part)?;
        }
        Ok(chain.finish())
    }
}

/// The first parts of a chain.
struct PartialChain {
    from: EncodingSpec,
    via: Vec<ChainStep>,
    /// Whether an encoding has decoded the input.
    is_text: bool,
    /// Whether the text was encoded, and its bytes are what comes next.
    is_encoded: bool,
}

impl PartialChain {
    /// Adds the next part.
    fn push(&mut self, part: ChainPart) -> Result<(), Error> {
        let PartialChain { from, via, is_text, is_encoded } = self;
        match (part, via.last_mut()) {
            (ChainPart::Bytes(specs), Some(ChainStep::Reencode(last))) => {
                *is_encoded = specs.is_empty();
                last.transforms.extend(specs);
            }
            // After `bytes` at the start of a chain or after its transforms.
            (ChainPart::Bytes(specs), None) if !*is_text && specs.is_empty() => {}
            (ChainPart::Bytes(transforms), None) if !*is_text => {
                let bytes = EncodingSpec { transforms, ..charpipe_encoding::ISO_8859_1.into() };
                via.push(ChainStep::Reencode(bytes));
            }
            (ChainPart::Bytes(specs), Some(ChainStep::Reinterpret { .. }) | None)
                if specs.is_empty() =>
            {
                return Err(invalid(BYTES, NEEDS_ENCODED_TEXT));
            }
            (ChainPart::Bytes(specs), _) => {
                let step = specs.first().map_or(BYTES.to_owned(), ToString::to_string);
                return Err(invalid(step, NEEDS_BYTES));
            }
            (ChainPart::Step(ChainStep::Reencode(mut decode)), None) if !*is_text => {
                decode.transforms.append(&mut from.transforms);
                (*from, *is_text) = (decode, true);
            }
            (ChainPart::Step(ChainStep::Reencode(decode)), Some(last)) if *is_encoded => {
                if let Some((encode, _)) = last.encodings() {
                    *last = ChainStep::Reinterpret { encode: encode.clone(), decode };
                    (*is_text, *is_encoded) = (true, false);
                }
            }
            (ChainPart::Step(step), _) if !*is_text || *is_encoded => {
                return Err(invalid(step, NEEDS_TEXT));
            }
            (ChainPart::Step(step), _) => via.push(step),
        }
        Ok(())
    }

    /// Returns the chain: the last step is the target encoding if it is one.
    fn finish(mut self) -> ChainSpec {
        let to = match self.via.pop() {
            Some(ChainStep::Reencode(spec)) => spec,
            last => {
                self.via.extend(last);
                match self.is_text {
                    true => charpipe_encoding::UTF_8.into(),
                    false => charpipe_encoding::ISO_8859_1.into(),
                }
            }
        };
        ChainSpec { from: self.from, via: self.via, to }
    }
}

/// The first or the last part of a chain from bytes or to bytes, as in `bytes..base64`.
const BYTES: &str = "bytes";

/// Why `bytes` cannot follow text that is not encoded.
const NEEDS_ENCODED_TEXT: &str =
    "write the encoding of these bytes before it, as in utf-8..windows-1252..bytes..utf-8";

/// Why a step that needs text cannot follow bytes.
const NEEDS_TEXT: &str = "an encoding must come before this step, as in utf-8..nfc";

fn invalid(step: impl fmt::Display, reason: &'static str) -> Error {
    Error::InvalidChain { step: step.to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the source, the steps and the target of a chain, or the message of the error.
    fn parse(text: &str) -> String {
        match text.parse::<ChainSpec>() {
            Ok(ChainSpec { from, via, to }) => {
                let via: Vec<_> = via.iter().map(ToString::to_string).collect();
                format!("{from} > {} > {to}", via.join(", "))
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn steps_are_parsed_from_what_they_are_written_as() {
        for step in ["nfc", "html:decode", "html:named", "html:named,decode", "crlf"] {
            let parsed: ChainStep = step.parse().unwrap();
            assert_eq!(parsed.to_string(), step);
        }
    }

    #[test]
    fn chains_are_split_into_source_steps_and_target() {
        for (chain, expected) in [
            ("latin1..utf-16le", "ISO-8859-1 >  > UTF-16LE"),
            ("latin1", "ISO-8859-1 >  > UTF-8"),
            ("koi8-r..utf-7:close=always..latin1", "KOI8-R > UTF-7:close=always > ISO-8859-1"),
            ("utf-8..latin1..bytes", "UTF-8 >  > ISO-8859-1"),
            ("utf-8..latin1..bytes..koi8-r", "UTF-8 > ISO-8859-1..bytes..KOI8-R > UTF-8"),
            (
                "utf-8..latin1/hex..bytes..koi8-r/base64..nfc..cp1252..bytes..utf-8..utf-16",
                "UTF-8 > ISO-8859-1/hex..bytes..KOI8-R/base64, nfc, CP1252..bytes..UTF-8 > UTF-16",
            ),
            (
                "utf-8..latin1..bytes..hex..bytes..ascii",
                "UTF-8 > ISO-8859-1/hex..bytes..US-ASCII > UTF-8",
            ),
            ("base64..bytes..utf-8..latin1", "UTF-8/base64 >  > ISO-8859-1"),
            (
                "base64..hex..bytes..ascii",
                "ISO-8859-1/base64 > ISO-8859-1/hex..bytes..US-ASCII > UTF-8",
            ),
        ] {
            assert_eq!(parse(chain), expected, "{chain}");
        }
    }

    #[test]
    fn bytes_without_an_encoding_before_or_after_are_an_error() {
        for (chain, reason) in [
            ("latin1..bytes..utf-8", NEEDS_ENCODED_TEXT),
            ("utf-8..latin1..bytes..koi8-r..bytes..utf-8", NEEDS_ENCODED_TEXT),
            ("utf-8..latin1..bytes..nfc", NEEDS_TEXT),
            ("bytes..nfc", NEEDS_TEXT),
            ("utf-8..nfc..bytes", NEEDS_BYTES),
        ] {
            let message = parse(chain);
            assert!(message.contains(reason), "{chain}: {message}");
        }
    }
}
