//! The transcoder whose turn it is: one after the other where inputs differ in encoding.

use std::fmt;
use std::io::{self, Read, Write};

use charpipe::Error;
use charpipe::detect::Confidence;
use charpipe::encoding::BomHandling;
use charpipe::in_place::{InPlaceError, InPlaceReporter};
use charpipe::options::{BomPolicy, EncodingSpec, TranscodeOptions};
use charpipe::output::OutputStream;
use charpipe::sniff::{InputEncoding, Resolution, SNIFF_LEN};
use charpipe::transcoder::Transcoder;

use super::config::ConvertConfig;
use super::hints::with_hint;
use super::messages::ErrorPrinter;
use super::terminal::LineTracker;

/// The transcoder at work, and how it is found out which comes next.
pub struct PerInputTranscoder {
    pub transcoder: Transcoder,
    options: TranscodeOptions,
    origin: InputEncoding,
    min_confidence: Confidence,
}

/// The output, and whether anything has come out: the mark with it, if there is to be one.
pub struct TrackedOutput {
    pub inner: LineTracker,
    has_output: bool,
}

/// Why an input does not get its turn.
#[derive(Debug)]
pub enum RejectedInput {
    /// Its encoding is not known.
    Unknown,
    /// The detector does not know its encoding.
    Undetected,
    /// The detector names this encoding, but with less confidence than required.
    LowConfidence(EncodingSpec, Confidence),
    /// It is no text.
    Binary,
    /// The output begins with a mark of its own for each encoding.
    MixedEncodings(EncodingSpec, EncodingSpec),
}

impl PerInputTranscoder {
    /// # Errors
    ///
    /// As [`Options::transcoder`].
    pub fn new(config: &ConvertConfig) -> Result<PerInputTranscoder, Error> {
        let (options, origin) = (config.options.clone(), config.origin.clone());
        let transcoder = origin.options_for(&options, options.from.clone()).build()?;
        Ok(PerInputTranscoder {
            transcoder: transcoder,
            options: options,
            origin,
            min_confidence: config.min_confidence,
        })
    }

    /// As much of the beginning of an input as has to be looked at. How the input comes in, in
    /// pieces or as a file, makes no difference.
    ///
    /// # Errors
    ///
    /// What reading answers.
    pub fn read_prefix(&self, source: &mut impl Read) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        if self.origin.needs_sniffing() {
            source.take(SNIFF_LEN as u64).read_to_end(&mut head)?;
        }
        Ok(head)
    }

    /// Makes it the turn of an input that begins like this.
    ///
    /// # Errors
    ///
    /// As [`Transcoder::finish`], for the transcoder whose turn it was.
    pub fn switch_to(
        &mut self,
        prefix: &[u8],
        output: &mut TrackedOutput,
        errors: &mut ErrorPrinter<'_>,
    ) -> Result<Result<(), RejectedInput>, Error> {
        if prefix.is_empty() {
            // There is nothing to look at, or it has not to be looked at.
            return Ok(Ok(()));
        }
        let verdict = match prefix.len() {
            SNIFF_LEN => self.origin.resolve_prefix(prefix),
            _ => self.origin.resolve(&mut &*prefix).map_err(Error::Io)?,
        };
        let (from, confidence) = match (verdict, &self.origin) {
            (Resolution::Encoding(from, confidence), _) => (from, confidence),
            (Resolution::Binary, InputEncoding::Detect) => return Ok(Err(RejectedInput::Binary)),
            (Resolution::Unknown, InputEncoding::Detect) => {
                return Ok(Err(RejectedInput::Undetected));
            }
            (Resolution::Binary | Resolution::Unknown, _) => {
                return Ok(Err(RejectedInput::Unknown));
            }
        };
        if let Some(confidence) = confidence {
            if confidence < self.min_confidence {
                return Ok(Err(RejectedInput::LowConfidence(from, confidence)));
            }
            errors.encoding_detected(&from, confidence);
        }
        if from.to_string() == self.options.from.to_string() {
            return Ok(Ok(()));
        }
        if output.has_output && self.options.to.encoding.bom_handling == BomHandling::DetectAndWrite
        {
            return Ok(Err(RejectedInput::MixedEncodings(from, self.options.from.clone())));
        }
        self.transcoder.finish(output, errors)?;
        if output.has_output && self.options.bom == BomPolicy::Add {
            // The mark is there by now.
            self.options.bom = BomPolicy::Strip;
        }
        self.options.from = from;
        self.transcoder =
            self.origin.options_for(&self.options, self.options.from.clone()).build()?;
        errors.set_encodings(&self.options);
        Ok(Ok(()))
    }
}

impl TrackedOutput {
    pub fn new(sink: OutputStream) -> TrackedOutput {
        TrackedOutput { inner: LineTracker::new(sink), has_output: false }
    }
}

impl Write for TrackedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.has_output |= count > 0;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl fmt::Display for RejectedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RejectedInput::Unknown => f.write_str(&with_hint(InPlaceError::UnknownEncoding)),
            RejectedInput::Undetected => f.write_str(&with_hint(InPlaceError::DetectionFailed)),
            RejectedInput::LowConfidence(encoding, confidence) => {
                let failure = InPlaceError::LowConfidence(encoding.to_string(), *confidence);
                f.write_str(&with_hint(failure))
            }
            RejectedInput::Binary => f.write_str("binary file"),
            RejectedInput::MixedEncodings(this, last) => {
                write!(f, "is {this}, but what came before is {last}: convert one at a time")
            }
        }
    }
}
