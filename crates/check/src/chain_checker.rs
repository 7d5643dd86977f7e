//! Checks a file in an encoding with transforms, such as `utf-8/nfc` or `us-ascii/base64`.

use std::io;

use super::finding::{Finding, FindingKind};
use super::{BomRule, CheckOptions, FindingCallback, NewlineRule};
use charpipe_encoding::conversion_error::{ErrorEvent, ErrorKind, MalformedReason, Position};
use charpipe_encoding::error::Error;
use charpipe_transcode::error_policy::ErrorAction;
use charpipe_transcode::options::TranscodeOptions;
use charpipe_transcode::transcoder::{ErrorReporter, Transcoder};

/// The [`Checker`](super::Checker) for encodings with transforms: decodes the file and discards the text.
#[derive(Debug)]
pub(super) struct ChainChecker {
    transcoder: Transcoder,
    byte_columns: bool,
    /// Whether the rest of the file is ignored.
    is_done: bool,
}

impl ChainChecker {
    pub fn new(options: &CheckOptions) -> Result<ChainChecker, Error> {
        if options.bom != BomRule::Any
            || options.newline != NewlineRule::Any
            || options.headers_only
            || options.ascii_only
            || options.confusing
        {
            return Err(Error::InvalidChain {
                step: options.encoding.to_string(),
                reason: "with transforms of bytes only the chain can be checked; to check line endings \
                         write /lf or /crlf after the encoding",
            });
        }
        let transcode_options =
            TranscodeOptions::new(options.encoding.clone(), charpipe_encoding::UTF_8)
                .on_malformed(ErrorAction::Skip)
                .on_unmappable(ErrorAction::Skip)
                .buffer_size(options.buffer_size);
        let mut transcoder = transcode_options.build()?;
        if options.byte_columns {
            transcoder.count_source_lines();
        }
        Ok(ChainChecker { transcoder, byte_columns: options.byte_columns, is_done: false })
    }

    pub fn input_buffer(&mut self) -> &mut [u8] {
        self.transcoder.input_buffer()
    }

    pub fn is_done(&self) -> bool {
        self.is_done
    }

    pub fn skip_rest(&mut self) {
        self.is_done = true;
    }

    pub fn process(&mut self, len: usize, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let mut reporter = FindingReporter::new(self.byte_columns, on_finding);
        self.transcoder.process(len, &mut io::sink(), &mut reporter)?;
        reporter.result.map_err(Error::Io)
    }

    pub fn finish_input(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let mut reporter = FindingReporter::new(self.byte_columns, on_finding);
        reporter.is_muted = std::mem::take(&mut self.is_done);
        self.transcoder.finish_input(&mut io::sink(), &mut reporter)?;
        reporter.result.map_err(Error::Io)
    }
}

/// Passes errors on as findings.
struct FindingReporter<'a> {
    byte_columns: bool,
    on_finding: FindingCallback<'a>,
    is_muted: bool,
    /// The first error of `on_finding`.
    result: io::Result<()>,
}

impl<'a> FindingReporter<'a> {
    fn new(byte_columns: bool, on_finding: FindingCallback<'a>) -> FindingReporter<'a> {
        FindingReporter { byte_columns, on_finding, is_muted: false, result: Ok(()) }
    }
}

impl ErrorReporter for FindingReporter<'_> {
    fn wants_position(&self) -> bool {
        true
    }

    fn error(&mut self, event: &ErrorEvent) {
        if self.is_muted || self.result.is_err() {
            return;
        }
        let (len, reason) = match event.kind {
            ErrorKind::Malformed { len, reason } => (len as u64, reason),
            // A transform of text after one of bytes can have characters that are not bytes.
            _ => (0, MalformedReason::OutOfRange),
        };
        let position = event.position.unwrap_or(Position { offset: 0, line: 1, column: 1 });
        let byte_column = self.byte_columns.then_some(position.column);
        let kind = FindingKind::Malformed { reason, excerpt: event.excerpt, stage: event.stage };
        self.result =
            (self.on_finding)(&Finding { position, byte_column, len, kind, encoding_index: 0 });
    }
}
