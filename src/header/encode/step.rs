//! What one step of the encoder comes to.

use super::state::{LineEnd, Now};
use crate::conversion_error::Unmappable;

/// A step. `None` in its position means that more text must be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// So many bytes were read and written, and the encoder stands so.
    Went { read: usize, written: usize, now: Now },
    /// There is no space for what comes next.
    Full,
    /// The character that comes next cannot be written.
    Error(Unmappable),
}

/// What stands before a word: perhaps a line end, and white space.
#[derive(Debug, Clone, Copy)]
pub struct Lead<'a> {
    pub fold: bool,
    pub blanks: &'a [u8],
}

/// What is written in one step: all of it or nothing.
pub struct Out<'a> {
    space: &'a mut [u8],
    written: usize,
}

impl<'a> Out<'a> {
    /// Begins with what stands before a word or a token, if there is space for that and for so many
    /// bytes after it.
    pub fn begin(
        space: &'a mut [u8],
        lead: Lead<'_>,
        line_end: LineEnd,
        after: usize,
    ) -> Option<Out<'a>> {
        let line_end = if lead.fold { line_end.bytes() } else { b"" };
        if space.len() < line_end.len() + lead.blanks.len() + after {
            return None;
        }
        let mut out = Out { space, written: 0 };
        out.put(line_end);
        out.put(lead.blanks);
        Some(out)
    }

    pub fn put(&mut self, bytes: &[u8]) {
        if let Some(to) = self.space.get_mut(self.written..self.written + bytes.len()) {
            to.copy_from_slice(bytes);
            self.written += bytes.len();
        }
    }

    pub fn written(&self) -> usize {
        self.written
    }
}
