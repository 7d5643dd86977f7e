//! A buffer between two stages.

use crate::kernel::utf8;

/// The system copies faster to addresses that are multiples of this.
///
/// 128 MiB read from a file's pages, 64 KiB at a time, take 0.14 nanoseconds a byte where the address
/// is a multiple of 32 or 64, 0.39 where it is 8 beyond one, and 0.60 where it is 4 beyond one.
const ALIGNMENT: usize = 64;

/// Bytes on their way from one stage to the next: filled at the end, taken from the front.
///
/// In front there is always some headroom, so that a short text can be put before what is still
/// unread (an answer to an error) without moving anything. After what is carried over, the space
/// begins at an aligned address.
#[derive(Debug)]
pub struct Buffer {
    bytes: Box<[u8]>,
    headroom: usize,
    start: usize,
    end: usize,
    /// `bytes[start..checked]` is valid UTF-8; `start <= checked <= end`.
    valid_up_to: usize,
}

impl Buffer {
    /// A block that holds `capacity` bytes after `headroom` bytes.
    pub fn new(headroom: usize, capacity: usize) -> Buffer {
        let bytes = vec![0; headroom + ALIGNMENT - 1 + capacity].into_boxed_slice();
        let start = align_up(&bytes, headroom);
        Buffer { bytes, headroom, start, end: start, valid_up_to: start }
    }

    /// What has not been taken yet.
    pub fn unread_bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// What has not been taken yet, as text.
    ///
    /// New bytes are checked once, so asking again after each error costs nothing. Should a stage
    /// break its word and deliver what is no UTF-8, the text ends there.
    #[allow(unsafe_code)]
    pub fn unread_text(&mut self) -> &str {
        if self.valid_up_to < self.end {
            let fresh = &self.bytes[self.valid_up_to..self.end];
            self.valid_up_to += utf8::valid_prefix_len(fresh);
        }
        // SAFETY: bytes enter `start..checked` in two positions only: above, checked, and in
        // `put_back`, from a `&str`; they leave it in `take`, which keeps to whole characters.
        // `settle` moves them and both ends alike, and nothing else writes below `end`. Checking
        // each time instead made a block of nothing but errors quadratic.
        unsafe { str::from_utf8_unchecked(&self.bytes[self.start..self.valid_up_to]) }
    }

    /// Index of the first unread byte, for [`since`](Block::since).
    pub fn position(&self) -> usize {
        self.start
    }

    /// Everything from an earlier [`position`](Block::position) on, taken or not.
    pub fn since(&self, position: usize) -> &[u8] {
        &self.bytes[position.min(self.end)..self.end]
    }

    /// Takes `count` bytes from the front.
    pub fn consume(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
        if self.valid_up_to < self.start
            || !is_char_boundary(&self.bytes[self.start..self.valid_up_to])
        {
            self.valid_up_to = self.start;
        }
    }

    /// Room at the end.
    pub fn spare_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.end..]
    }

    /// Says that `count` bytes were put into [`space`](Block::space).
    pub fn advance(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.bytes.len());
    }

    /// Puts text before what is unread. At most the headroom and what was taken since the
    /// last [`settle`](Block::settle); says whether it fitted.
    #[must_use]
    pub fn prepend(&mut self, text: &str) -> bool {
        let Some(start) = self.start.checked_sub(text.len()) else { return false };
        self.bytes[start..self.start].copy_from_slice(text.as_bytes());
        self.start = start;
        true
    }

    /// Moves what is unread to the front, up to an aligned address; says by how many bytes it moved.
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

/// The next index of an aligned address.
fn align_up(bytes: &[u8], index: usize) -> usize {
    index + (bytes.as_ptr().addr() + index).wrapping_neg() % ALIGNMENT
}

/// Whether no continuation byte stands first.
fn is_char_boundary(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|byte| byte & 0xC0 != 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            for carried in (0..150).rev() {
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
