//! Switches the transcoder when the next input has another encoding.

use std::io::{self, Read, Write};

use crate::cli::fs::file_converter::{FileError, FileReporter};
use crate::cli::fs::output::OutputStream;
use crate::cli::sniff::{InputEncoding, Resolution, ResolvedInput, SNIFF_LEN, likely_encoding};
use charpipe_detect::Confidence;
use charpipe_encoding::Error;
use charpipe_encoding::encoding::BomHandling;
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};
use charpipe_transcode::transcoder::Transcoder;

use crate::cli::convert_files::{with_fix_hint, with_hint};
use crate::cli::error_printer::ErrorPrinter;
use crate::cli::terminal::LineTracker;

use super::config::ConvertConfig;
use super::name_prefix::NamePrefix;

/// Why `auto` does not determine an encoding if the default one is not given.
const NUL_WITHOUT_BOM: &str = "cannot determine encoding: no BOM, but NUL, as in UTF-16, UTF-32 and binary \
                               files (use --from detect)";

/// The current transcoder, and how the encoding of the next input is determined.
pub struct PerInputTranscoder {
    pub transcoder: Transcoder,
    /// The options of the transcoder.
    pub transcoder_options: TranscodeOptions,
    options: TranscodeOptions,
    origin: InputEncoding,
    min_confidence: Confidence,
}

/// The output, and whether anything was written to it: with it the BOM, if one is to be added.
pub struct TrackedOutput {
    pub inner: LineTracker,
    /// What precedes each line, if names of files do.
    pub prefix: Option<NamePrefix>,
    has_output: bool,
}

impl PerInputTranscoder {
    /// Returns the transcoder for the first input.
    ///
    /// # Errors
    ///
    /// Returns the error of [`TranscodeOptions::build`].
    pub fn new(config: &ConvertConfig) -> Result<PerInputTranscoder, Error> {
        let (options, origin) = (config.options.clone(), config.origin.clone());
        let transcoder_options = origin.options_for(&options, options.from.clone());
        Ok(PerInputTranscoder {
            transcoder: transcoder_options.build()?,
            transcoder_options,
            options,
            origin,
            min_confidence: config.min_confidence,
        })
    }

    /// Reads and returns the prefix of an input from which the encoding is determined. Its length
    /// does not depend on the sizes of the reads.
    ///
    /// # Errors
    ///
    /// Returns the error of the read.
    pub fn read_prefix(&self, source: &mut impl Read) -> io::Result<Vec<u8>> {
        let mut prefix = Vec::new();
        if self.origin.needs_sniffing() {
            source.take(SNIFF_LEN as u64).read_to_end(&mut prefix)?;
        }
        Ok(prefix)
    }

    /// Switches to the transcoder for an input with this prefix. Returns the reason if the input
    /// cannot be converted.
    ///
    /// # Errors
    ///
    /// Returns the error of [`Transcoder::finish`] for the previous transcoder.
    pub fn switch_to(
        &mut self,
        prefix: &[u8],
        output: &mut TrackedOutput,
        errors: &mut ErrorPrinter<'_>,
    ) -> Result<Result<(), String>, Error> {
        if prefix.is_empty() {
            // The input is empty, or its encoding is fixed.
            return Ok(Ok(()));
        }
        let from = match self.resolve(prefix, errors)? {
            Ok(from) => from,
            Err(reason) => return Ok(Err(reason)),
        };
        if from.to_string() == self.options.from.to_string() {
            return Ok(Ok(()));
        }
        if output.has_output && self.options.to.encoding.bom_handling == BomHandling::DetectAndWrite
        {
            return Ok(Err(format!(
                "encoding {from} differs from the previous input ({}); the output would need a \
                 second BOM. Convert the files separately",
                self.options.from
            )));
        }
        self.transcoder.finish(output, errors)?;
        if output.has_output && self.options.bom == BomPolicy::Add {
            // The BOM has been written.
            self.options.bom = BomPolicy::Strip;
        }
        self.options.from = from;
        self.transcoder_options = self.origin.options_for(&self.options, self.options.from.clone());
        self.transcoder = self.transcoder_options.build()?;
        errors.set_encodings(&self.options);
        Ok(Ok(()))
    }

    /// Returns the encoding of an input with this prefix, or the reason why it cannot be converted.
    fn resolve(
        &self,
        prefix: &[u8],
        errors: &mut ErrorPrinter<'_>,
    ) -> Result<Result<EncodingSpec, String>, Error> {
        let ResolvedInput { resolution, ignored_declaration } = match prefix.len() {
            SNIFF_LEN => self.origin.resolve_prefix(prefix),
            _ => self.origin.resolve(&mut &*prefix).map_err(Error::Io)?,
        };
        if let Some(declaration) = ignored_declaration {
            errors.declaration_ignored(&declaration);
        }
        let reason = match (resolution, &self.origin) {
            (Resolution::Encoding(from), _) => return Ok(Ok(from)),
            (Resolution::Detected(detected), _) if detected.confidence < self.min_confidence => {
                with_hint(FileError::LowConfidence(detected))
            }
            (Resolution::Detected(detected), _) => {
                errors.encoding_detected(&detected.encoding, detected.confidence);
                return Ok(Ok(detected.encoding));
            }
            (Resolution::Binary, InputEncoding::Detect(_) | InputEncoding::Expected(_)) => {
                "binary file".to_owned()
            }
            (Resolution::Unknown, InputEncoding::Expected(_)) => {
                with_fix_hint(FileError::UnknownEncoding(likely_encoding(&mut &*prefix)))
            }
            (Resolution::Unknown, InputEncoding::Detect(_)) => {
                with_hint(FileError::DetectionFailed)
            }
            (Resolution::Binary, _) => NUL_WITHOUT_BOM.to_owned(),
            (Resolution::Unknown, _) => {
                with_hint(FileError::UnknownEncoding(likely_encoding(&mut &*prefix)))
            }
        };
        Ok(Err(reason))
    }
}

impl TrackedOutput {
    pub fn new(sink: OutputStream) -> TrackedOutput {
        TrackedOutput { inner: LineTracker::new(sink), prefix: None, has_output: false }
    }
}

impl Write for TrackedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = match &mut self.prefix {
            None => self.inner.write(bytes)?,
            Some(prefix) => {
                self.inner.write_all(&prefix.insert(bytes))?;
                bytes.len()
            }
        };
        self.has_output |= count > 0;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
