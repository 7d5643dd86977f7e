//! Pre-flight checks: is the file binary or already converted?

use std::io::{self, Write};

use super::error::FileError;
use super::locked_file::LockedFile;
use charpipe_detect::binary::{BinaryReason, BinaryScanner};
use charpipe_encoding::encoding::{self, alias::labels_match};
use charpipe_encoding::error::Error;
use charpipe_transcode::header;
use charpipe_transcode::io::{ErrorCounts, TranscodeWriter};
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};

/// Target encodings in which text in another encoding is rarely valid by chance, unless it is ASCII.
/// UTF-16 and UTF-32 are not in the list: text in these is recognized by its NUL bytes.
const SELF_VALIDATING: [&str; 6] = ["UTF-8", "CESU-8", "MUTF-8", "FSS-UTF", "UTF-7", "UTF-7-IMAP"];

/// A letter that the encodings of non-ASCII text encode differently.
const NON_ASCII_SAMPLE: &str = "é";

/// A letter that supersets of ASCII encode as its ASCII byte.
const ASCII_SAMPLE: &str = "a";

/// The reason not to convert a file.
pub(super) enum SkipReason {
    /// It is valid in the target encoding.
    AlreadyConverted,
    /// It is binary.
    Binary(BinaryReason),
}

/// The evidence that a file valid in the target encoding is in fact in that encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetEvidence {
    /// Any text: the source encoding is not a superset of ASCII.
    AnyText,
    /// A non-ASCII character.
    NonAscii,
    /// NUL bytes, which text in the target encoding contains and text in the source encoding does not.
    Nul,
}

/// Returns the reason not to convert a file with these options, if there is one.
pub(super) fn preflight_check(
    file: &LockedFile,
    options: &TranscodeOptions,
    evidence: Option<TargetEvidence>,
) -> Result<Option<SkipReason>, FileError> {
    let binary_in = |spec: &EncodingSpec| {
        // RFC 2047 input is not decoded: mail may contain anything besides encoded-words.
        let mut scanner = match header::is_header(spec.encoding) {
            true => BinaryScanner::new(None),
            false => BinaryScanner::with_options(spec.encoding, &spec.options),
        };
        let Some(content) = &file.content else {
            return scanner.scan_reader(&mut file.reader()).map_err(FileError::Read);
        };
        file.byte_count.begin_pass().add(content.len());
        scanner.feed(content);
        Ok(scanner.finish())
    };
    let reason = binary_in(&options.from)?;
    // A binary file may happen to be valid in the target encoding.
    let evidence =
        evidence.filter(|it| *it != TargetEvidence::Nul || reason == Some(BinaryReason::Nul));
    if is_already_converted(file, options, evidence)? && binary_in(&options.to)?.is_none() {
        return Ok(Some(SkipReason::AlreadyConverted));
    }
    Ok(reason.map(SkipReason::Binary))
}

/// Returns whether a file is valid in the target encoding and there is evidence that it is not in the
/// source encoding.
fn is_already_converted(
    file: &LockedFile,
    options: &TranscodeOptions,
    evidence: Option<TargetEvidence>,
) -> Result<bool, FileError> {
    let Some(evidence) = evidence else { return Ok(false) };
    // Most files are found not to be UTF-8 at once.
    let is_utf8 = encoding::is_utf8(options.to.encoding) && options.to.options.is_empty();
    if let Some(content) = file.content.as_ref().filter(|_| is_utf8) {
        let is_ascii = evidence == TargetEvidence::NonAscii && content.is_ascii();
        if is_ascii || std::str::from_utf8(content).is_err() {
            return Ok(false);
        }
    }
    let mut reverse =
        TranscodeOptions::new(options.to.without_transforms(), charpipe_encoding::UTF_8);
    (reverse.fast_paths, reverse.buffer_size) = (options.fast_paths, options.buffer_size);
    let (mut transcoder, mut counts) = (reverse.build()?, ErrorCounts::default());
    let mut text = TextProperties { is_empty: true, non_ascii: false, has_nul: false };
    let decoded = transcoder
        .process_reader(&mut file.reader(), &mut text, &mut counts)
        .and_then(|()| transcoder.finish_input(&mut text, &mut counts));
    match decoded {
        Ok(()) => Ok(match evidence {
            TargetEvidence::AnyText => !text.is_empty && !text.has_nul,
            TargetEvidence::NonAscii => text.non_ascii,
            TargetEvidence::Nul => !text.has_nul,
        }),
        Err(Error::Conversion(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl TargetEvidence {
    /// Returns what would be evidence that a file is in the target encoding, `None` if nothing is.
    pub(super) fn new(options: &TranscodeOptions) -> Option<TargetEvidence> {
        if options.from.has_byte_transforms() || options.to.has_byte_transforms() {
            return None;
        }
        let (from, to) = (&options.from.without_transforms(), &options.to.without_transforms());
        let utf8: EncodingSpec = charpipe_encoding::UTF_8.into();
        if to.can_contain_nul() {
            return (!from.can_contain_nul()).then_some(TargetEvidence::Nul);
        }
        let self_validating =
            SELF_VALIDATING.iter().any(|name| labels_match(name, to.encoding.name()));
        let encoded = transcode_sample(&utf8, to, NON_ASCII_SAMPLE.as_bytes());
        let read = encoded.and_then(|bytes| transcode_sample(from, &utf8, &bytes));
        if !self_validating || read.as_deref() == Some(NON_ASCII_SAMPLE.as_bytes()) {
            return None;
        }
        let ascii = transcode_sample(&utf8, from, ASCII_SAMPLE.as_bytes()).unwrap_or_default();
        let writes_ascii = ascii.iter().all(|byte| matches!(byte, b' '..=b'~'));
        Some(if writes_ascii { TargetEvidence::NonAscii } else { TargetEvidence::AnyText })
    }
}

fn transcode_sample(from: &EncodingSpec, to: &EncodingSpec, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut options = TranscodeOptions::new(from.clone(), to.clone());
    options.buffer_size = bytes.len();
    let mut writer = TranscodeWriter::new(Vec::new(), &options).ok()?;
    writer.write_all(bytes).ok()?;
    writer.finish().ok()
}

/// A writer that records properties of the text written to it.
#[derive(Debug)]
struct TextProperties {
    is_empty: bool,
    non_ascii: bool,
    has_nul: bool,
}

impl Write for TextProperties {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.is_empty &= text.is_empty();
        self.non_ascii |= !text.is_ascii();
        self.has_nul |= memchr::memchr(0, text).is_some();
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
