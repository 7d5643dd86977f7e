//! The buffer between two stages.

use crate::{bulk_copy, utf8};

/// The alignment of the spare part, in bytes: the system copies faster to aligned addresses.
///
/// Reading 128 MiB from the page cache, 64 KiB at a time, takes 0.14 nanoseconds per byte if the
/// address is a multiple of 32 or 64, 0.39 at an offset of 8 bytes, and 0.60 at an offset of 4
/// bytes.
const ALIGNMENT: usize = 64;

/// A queue of bytes between two stages: written at the end, consumed from the start.
///
/// There is always some headroom before the unread bytes, so that a short text, the replacement of
/// an error, can be prepended without moving anything. After [`compact`](Buffer::compact), the
/// spare part begins at an aligned address.
#[derive(Debug)]
pub struct Buffer {
    bytes: Box<[u8]>,
    headroom: usize,
    start: usize,
    end: usize,
    /// `bytes[start..valid_up_to]` is valid UTF-8; `start <= valid_up_to <= end`.
    valid_up_to: usize,
}

impl Buffer {
    /// Creates a buffer with a capacity of `capacity` bytes after `headroom` bytes.
    pub fn new(headroom: usize, capacity: usize) -> Buffer {
        let bytes = vec![0; headroom + ALIGNMENT - 1 + capacity].into_boxed_slice();
        let start = align_up(&bytes, headroom);
        Buffer { bytes, headroom, start, end: start, valid_up_to: start }
    }

    /// Increases the capacity of an empty buffer.
    pub fn grow(&mut self, capacity: usize) {
        debug_assert!(self.unread_bytes().is_empty(), "the bytes would be lost");
        if self.bytes.len() < self.headroom + ALIGNMENT - 1 + capacity {
            *self = Buffer::new(self.headroom, capacity);
        }
    }

    /// Returns the unread bytes.
    pub fn unread_bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Returns the unread bytes as text, up to the first invalid UTF-8.
    ///
    /// New bytes are validated once, so that calling this again after each error costs nothing.
    #[allow(unsafe_code)]
    pub fn unread_text(&mut self) -> &str {
        if self.valid_up_to < self.end {
            let new_bytes = &self.bytes[self.valid_up_to..self.end];
            self.valid_up_to += utf8::valid_prefix_len(new_bytes);
        }
        // SAFETY: bytes enter `start..valid_up_to` in three ways only: validated above, and in
        // `prepend` and `append_text`, from a `&str`. They leave it in `consume`, which keeps it at
        // a character boundary. `compact` moves the bytes and both indexes by the same amount, and
        // nothing else writes below `end`. Validating in each call made a buffer full of errors
        // quadratic.
        unsafe { std::str::from_utf8_unchecked(&self.bytes[self.start..self.valid_up_to]) }
    }

    /// Returns the unread bytes if none of them are known to be valid UTF-8.
    pub fn unvalidated_bytes(&self) -> Option<&[u8]> {
        (self.valid_up_to == self.start).then(|| self.unread_bytes())
    }

    /// Returns the index of the first unread byte, for [`since`](Buffer::since).
    pub fn position(&self) -> usize {
        self.start
    }

    /// Returns all bytes from an earlier [`position`](Buffer::position) on, consumed or not.
    pub fn since(&self, position: usize) -> &[u8] {
        &self.bytes[position.min(self.end)..self.end]
    }

    /// Consumes `count` bytes.
    pub fn consume(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
        if self.valid_up_to < self.start
            || !is_char_boundary(&self.bytes[self.start..self.valid_up_to])
        {
            self.valid_up_to = self.start;
        }
    }

    /// Returns the spare part at the end.
    pub fn spare_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.end..]
    }

    /// Appends the first `count` bytes of [`spare_mut`](Buffer::spare_mut) to the unread bytes.
    pub fn advance(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.bytes.len());
    }

    /// Appends the start of `text` that fits to the unread bytes, and returns its length.
    pub fn append_text(&mut self, text: &str) -> usize {
        let len = utf8::floor_char_boundary(text, self.bytes.len() - self.end);
        bulk_copy::copy(&text.as_bytes()[..len], &mut self.bytes[self.end..]);
        if self.valid_up_to == self.end {
            self.valid_up_to += len;
        }
        self.end += len;
        len
    }

    /// Inserts text before the unread bytes and returns whether it fits into the headroom and the
    /// bytes consumed since the last [`compact`](Buffer::compact).
    #[must_use]
    pub fn prepend(&mut self, text: &str) -> bool {
        let Some(start) = self.start.checked_sub(text.len()) else { return false };
        self.bytes[start..self.start].copy_from_slice(text.as_bytes());
        self.start = start;
        true
    }

    /// Moves the unread bytes to the start, so that they end at an aligned address. Returns the
    /// number of bytes by which they moved.
    pub fn compact(&mut self) -> isize {
        let count = self.end - self.start;
        let end = align_up(&self.bytes, self.headroom + count);
        let by = self.end as isize - end as isize;
        self.bytes.copy_within(self.start..self.end, end - count);
        self.valid_up_to = self.valid_up_to.wrapping_add_signed(-by);
        (self.start, self.end) = (end - count, end);
        by
    }
}

/// Returns the first index from `index` on whose address is aligned.
fn align_up(bytes: &[u8], index: usize) -> usize {
    index + (bytes.as_ptr().addr() + index).wrapping_neg() % ALIGNMENT
}

/// Returns whether the first byte is not a continuation byte.
fn is_char_boundary(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|byte| byte & 0xC0 != 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stride;

    fn append(buffer: &mut Buffer, bytes: &[u8]) {
        buffer.spare_mut()[..bytes.len()].copy_from_slice(bytes);
        buffer.advance(bytes.len());
    }

    #[test]
    fn bytes_come_out_in_order() {
        let mut buffer = Buffer::new(4, 8);
        append(&mut buffer, "aé".as_bytes());
        assert_eq!(buffer.unread_text(), "aé");
        buffer.consume(1);
        assert!(buffer.prepend("xyz"));
        assert_eq!(buffer.unread_text(), "xyzé");
        let before = buffer.position() as isize;
        assert_eq!(buffer.compact(), before - buffer.position() as isize);
        append(&mut buffer, b"!");
        assert_eq!(buffer.unread_text(), "xyzé!");
        assert_eq!(buffer.unread_bytes(), "xyzé!".as_bytes());
    }

    #[test]
    fn spare_part_is_aligned_and_large_enough() {
        for headroom in [0, 1, 12, 64, 100] {
            let mut buffer = Buffer::new(headroom, 400);
            for carried in (0..150).rev().step_by(stride(59)) {
                assert_eq!(
                    buffer.spare_mut().as_ptr().addr() % ALIGNMENT,
                    0,
                    "{headroom} {carried}"
                );
                let unread = buffer.unread_bytes().to_vec();
                assert!(buffer.spare_mut().len() + unread.len() >= 400, "{headroom} {carried}");
                append(&mut buffer, &[7; 151]);
                assert_eq!(buffer.unread_bytes(), [&unread[..], &[7; 151]].concat());
                buffer.consume(unread.len() + 151 - carried);
                buffer.compact();
                assert_eq!(buffer.unread_bytes(), vec![7; carried]);
                assert!(buffer.prepend(&"x".repeat(headroom)));
                buffer.consume(headroom);
            }
        }
    }

    #[test]
    fn text_longer_than_the_headroom_is_refused() {
        let mut buffer = Buffer::new(2, 8);
        let max_len = buffer.position();
        assert!(!buffer.prepend(&"a".repeat(max_len + 1)));
        append(&mut buffer, b"z");
        buffer.consume(1);
        assert!(buffer.prepend(&"a".repeat(max_len + 1)));
    }

    #[test]
    fn consuming_half_a_character_yields_no_invalid_text() {
        let mut buffer = Buffer::new(0, 8);
        append(&mut buffer, "éa".as_bytes());
        assert_eq!(buffer.unread_text(), "éa");
        buffer.consume(1);
        assert_eq!(buffer.unread_text(), "");
    }

    #[test]
    fn text_is_appended_up_to_a_character_boundary() {
        for (before, expected) in [(&b"ab"[..], "abxyé€"), (b"a\xFF", "a"), (b"a\xC3", "a")] {
            let mut buffer = Buffer::new(0, 10);
            append(&mut buffer, before);
            let space = buffer.spare_mut().len();
            assert_eq!(buffer.append_text("xyé€"), 7);
            assert_eq!(buffer.unread_text(), expected);
            assert_eq!(buffer.unread_bytes(), [before, "xyé€".as_bytes()].concat());
            let text = "€".repeat(space);
            assert_eq!(buffer.append_text(&text), (space - 7) / 3 * 3);
            assert_eq!(buffer.append_text(&text), 0);
            let text = "€".repeat((space - 7) / 3);
            let expected = if expected == "a" { expected } else { &[expected, &text].concat() };
            assert_eq!(buffer.unread_text(), expected);
        }
    }

    #[test]
    fn excessive_counts_stay_within_the_buffer() {
        let mut buffer = Buffer::new(4, 8);
        append(&mut buffer, b"\xFFab");
        buffer.consume(1);
        assert_eq!(buffer.unread_text(), "ab");
        buffer.consume(usize::MAX);
        assert_eq!(buffer.unread_text(), "");
        let spare_len = buffer.spare_mut().len();
        buffer.advance(usize::MAX);
        assert_eq!(buffer.unread_bytes().len(), spare_len);
    }
}
