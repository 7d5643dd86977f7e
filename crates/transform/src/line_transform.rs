//! The loop of the text transforms that convert one line at a time, such as a domain name.
//!
//! A line ends before CR or LF, which are copied. It is left unread until its end is known, so it has
//! at most [`LineFormat::MAX_LEN`] bytes; a longer one is malformed, in parts of this length. A line
//! that cannot be converted is malformed as a whole.

use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_kernel as kernel;

/// The capacity of a [`LineBuffer`], and the output buffer size that always allows progress.
const CAPACITY: usize = 4096;

/// How a line is converted.
pub(super) trait LineFormat: Send + Sync {
    /// The maximum length of a line in bytes, at most 1,024.
    const MAX_LEN: usize;

    /// Converts a line, which is not empty, and appends it to `converted`, which is empty.
    fn convert_line(&self, line: &str, converted: &mut LineBuffer) -> Result<(), MalformedReason>;
}

/// A converted line.
pub(super) struct LineBuffer {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl LineBuffer {
    pub const fn new() -> LineBuffer {
        LineBuffer { bytes: [0; CAPACITY], len: 0 }
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends text. Fails if there is not enough space.
    pub fn push_str(&mut self, text: &str) -> Result<(), MalformedReason> {
        let space = self.bytes[self.len..].get_mut(..text.len());
        space.ok_or(MalformedReason::InvalidLength)?.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }

    /// Appends a character. Fails if there is not enough space.
    pub fn push(&mut self, character: char) -> Result<(), MalformedReason> {
        self.push_str(character.encode_utf8(&mut [0; 4]))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[cfg(feature = "transforms")]
    pub fn as_str(&self) -> &str {
        // All of it was text.
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl std::fmt::Write for LineBuffer {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push_str(text).map_err(|_| std::fmt::Error)
    }
}

/// A codec that converts lines. It has no state.
pub(super) struct LineTransform<F> {
    pub format: F,
}

impl<F: LineFormat> Checkpoint for LineTransform<F> {
    fn max_lookahead(&self) -> usize {
        CAPACITY
    }
}

impl<F: LineFormat> TextTransform for LineTransform<F> {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let mut converted = LineBuffer::new();
        while read < src.len() {
            let rest = &src[read..];
            converted.clear();
            let (len, error) = match line_len(rest.as_bytes(), F::MAX_LEN) {
                Some(0) => {
                    converted.bytes[0] = rest.as_bytes()[0];
                    converted.len = 1;
                    (1, None)
                }
                None if rest.len() > F::MAX_LEN => {
                    let len = kernel::utf8::floor_char_boundary(rest, F::MAX_LEN);
                    (len, Some(MalformedReason::InvalidLength))
                }
                None if !end => return Progress::input_empty(read, written),
                found => {
                    let line = &rest[..found.unwrap_or(rest.len())];
                    (line.len(), self.format.convert_line(line, &mut converted).err())
                }
            };
            if let Some(reason) = error {
                let error = Malformed::new(len, reason, State::INITIAL);
                return Progress::error(read, written, error);
            }
            let Some(space) = dst[written..].get_mut(..converted.len) else {
                return Progress::output_full(read, written);
            };
            space.copy_from_slice(converted.as_bytes());
            read += len;
            written += converted.len;
        }
        Progress::input_empty(read, written)
    }
}

/// Returns the length of the line at the start of `src`, if it ends within `max` bytes.
fn line_len(src: &[u8], max: usize) -> Option<usize> {
    src.iter().take(max + 1).position(|byte| matches!(byte, b'\r' | b'\n'))
}
