//! Names of files before lines, for header fields of several files.

use std::borrow::Cow;

use charpipe_encoding::{Error, UTF_8};
use charpipe_transcode::error_policy::ErrorAction;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};

use crate::cli::streams::Input;

/// Returns whether lines of text in this encoding end with the byte 0A, and a name can precede each.
pub fn is_supported(encoding: &EncodingSpec) -> bool {
    encoding.encoding.is_ascii_compatible() && !encoding.has_byte_transforms()
}

/// Puts the name of the current file and a colon before each line of the output.
#[derive(Debug)]
pub struct NamePrefix {
    /// Encodes names as the output. What it does not have becomes an escape.
    options: TranscodeOptions,
    prefix: Vec<u8>,
    at_line_start: bool,
}

impl NamePrefix {
    /// Creates a prefix for an output in this encoding, which must be [supported](is_supported).
    pub fn new(encoding: &EncodingSpec) -> NamePrefix {
        let options = TranscodeOptions::new(UTF_8, encoding.without_transforms())
            .on_unmappable(ErrorAction::ESCAPE_BACKSLASH);
        NamePrefix { options, prefix: Vec::new(), at_line_start: true }
    }

    /// Begins a file. Its lines have its name, quoted for a terminal. Returns the end of the last line of the
    /// previous file, if that had none.
    ///
    /// # Errors
    ///
    /// Returns the error of the transcoder.
    pub fn begin_file(&mut self, input: &Input) -> Result<&'static [u8], Error> {
        self.prefix = self.options.transcode(format!("{}: ", input.display_name()).as_bytes())?;
        let end: &[u8] = if self.at_line_start { b"" } else { b"\n" };
        self.at_line_start = true;
        Ok(end)
    }

    /// Returns a part of the output with the prefix at the start of each line.
    pub fn insert<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if bytes.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut lines = Vec::with_capacity(bytes.len() + self.prefix.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.at_line_start {
                lines.extend_from_slice(&self.prefix);
            }
            lines.extend_from_slice(line);
            self.at_line_start = line.ends_with(b"\n");
        }
        Cow::Owned(lines)
    }
}
