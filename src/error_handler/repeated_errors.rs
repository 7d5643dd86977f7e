//! Errors in a row that have one answer.

use super::ErrorHandler;
use crate::conversion_error::{ErrorClass, MalformedReason, Unmappable};

/// Errors in a row that have one answer, which is requested once.
pub struct RepeatedErrors<'a> {
    handler: &'a mut dyn ErrorHandler,
    /// The kind of error that all have the answer that was found last, if that is so.
    class: Option<ErrorClass>,
    /// The error that it was found for, if only what is like it has the same.
    fingerprint: Option<ErrorFingerprint>,
    /// The answer, if it is short.
    short_replacement: Option<ShortBytes>,
    /// Errors answered so and not counted yet.
    pub uncounted: usize,
}

/// An error, as far as an answer may depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFingerprint {
    Character(Unmappable),
    /// The bytes, if they are few; so many, and why they are none.
    Bytes([u8; SHORT_LEN], usize, MalformedReason),
    /// It may differ from any other.
    Long(ErrorClass),
}

impl ErrorFingerprint {
    /// These bytes.
    #[inline]
    pub fn from_bytes(bytes: &[u8], reason: MalformedReason) -> ErrorFingerprint {
        let mut few = [0; SHORT_LEN];
        match few.get_mut(..bytes.len()) {
            Some(front) => {
                front.copy_from_slice(bytes);
                ErrorFingerprint::Bytes(few, bytes.len(), reason)
            }
            None => ErrorFingerprint::Long(reason.class()),
        }
    }

    const fn class(self) -> ErrorClass {
        match self {
            ErrorFingerprint::Character(_) => ErrorClass::Unmappable,
            ErrorFingerprint::Bytes(_, _, reason) => reason.class(),
            ErrorFingerprint::Long(kind) => kind,
        }
    }
}

impl<'a> RepeatedErrors<'a> {
    pub fn new(handler: &'a mut dyn ErrorHandler) -> RepeatedErrors<'a> {
        RepeatedErrors {
            handler,
            class: None,
            fingerprint: None,
            short_replacement: None,
            uncounted: 0,
        }
    }

    /// Whether the answer is known to be that to all errors of this kind.
    #[inline]
    pub fn handles_class(&self, kind: ErrorClass) -> bool {
        self.class == Some(kind)
    }

    /// Has the answer to an error found, if it is not that to the one before; says whether there is
    /// one to be written here, and whether it was found again.
    #[inline]
    pub fn resolve(
        &mut self,
        fingerprint: ErrorFingerprint,
        find: impl FnOnce(&mut dyn ErrorHandler) -> bool,
    ) -> Option<bool> {
        if self.fingerprint == Some(fingerprint) {
            return Some(false);
        }
        self.flush_count();
        (self.class, self.fingerprint) = (None, None);
        if !find(self.handler) {
            return None;
        }
        self.short_replacement = ShortBytes::new(self.handler.replacement().as_bytes());
        match fingerprint {
            _ if self.handler.is_constant() => self.class = Some(fingerprint.class()),
            ErrorFingerprint::Long(_) => {}
            _ => self.fingerprint = Some(fingerprint),
        }
        Some(true)
    }

    /// The answer that was found last.
    pub fn replacement(&self) -> &str {
        self.handler.replacement()
    }

    /// What takes the position of a character of the answer that is lacking too.
    pub fn default_replacement(&self) -> &str {
        self.handler.default_replacement()
    }

    /// Writes the answer that was found last, if there is space. Bytes written.
    #[inline]
    pub fn write(&self, output: &mut [u8]) -> Option<usize> {
        match self.short_replacement {
            Some(stamp) => stamp.write(output),
            None => write_bytes(self.replacement().as_bytes(), output),
        }
    }

    fn flush_count(&mut self) {
        if self.uncounted > 0 {
            self.handler.add_count(self.uncounted);
            self.uncounted = 0;
        }
    }
}

impl Drop for RepeatedErrors<'_> {
    fn drop(&mut self) {
        self.flush_count();
    }
}

/// The most bytes of a stamp: what one store writes.
const SHORT_LEN: usize = 8;

/// A few bytes that are written again and again.
#[derive(Clone, Copy)]
pub struct ShortBytes {
    bytes: [u8; SHORT_LEN],
    len: usize,
}

impl ShortBytes {
    /// A stamp of these bytes, if they are few.
    pub fn new(few: &[u8]) -> Option<ShortBytes> {
        let mut bytes = [0; SHORT_LEN];
        bytes.get_mut(..few.len())?.copy_from_slice(few);
        Some(ShortBytes { bytes, len: few.len() })
    }

    /// Writes it, if there is space. Bytes written.
    #[inline]
    pub fn write(&self, output: &mut [u8]) -> Option<usize> {
        match output.first_chunk_mut() {
            // What stands after them has no meaning, and a length that is known is faster.
            Some(space) => {
                *space = self.bytes;
                Some(self.len)
            }
            None => write_bytes(&self.bytes[..self.len], output),
        }
    }
}

fn write_bytes(bytes: &[u8], output: &mut [u8]) -> Option<usize> {
    output.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}

/// Has the first `len` bytes stand so many times, for which there is space. Bytes written.
#[inline]
pub fn fill_repeated(output: &mut [u8], len: usize, count: usize) -> usize {
    if count == 1 {
        return len;
    }
    let (all, mut done) = (count * len, len);
    while done < all {
        let more = done.min(all - done);
        output.copy_within(..more, done);
        done += more;
    }
    all
}
