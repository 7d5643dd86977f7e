//! A buffer between two stages.

use super::utf8;

/// The system copies faster to addresses that are multiples of this.
///
/// 128 MiB read from a file's pages, 64 KiB at a time, take 0.14 nanoseconds a byte where the address
/// is a multiple of 32 or 64, 0.39 where it is 8 beyond one, and 0.60 where it is 4 beyond one.
const ALIGNMENT: usize = 64;

/// Bytes on their way from one stage to the next: filled at the end, taken from the front.
///
/// In front there is always some headroom, so that a short text can be put before what is still
/// unread (an answer to a fault) without moving anything. Behind what is carried over, the room
/// begins at an aligned address.
#[derive(Debug)]
pub struct Block {
    bytes: Box<[u8]>,
    headroom: usize,
    start: usize,
    end: usize,
    /// `bytes[start..checked]` is valid UTF-8; `start <= checked <= end`.
    checked: usize,
}

impl Block {
    /// A block that holds `capacity` bytes behind `headroom` bytes.
    pub fn new(headroom: usize, capacity: usize) -> Block {
        let bytes = vec![0; headroom + ALIGNMENT - 1 + capacity].into_boxed_slice();
        let start = aligned(&bytes, headroom);
        Block { bytes, headroom, start, end: start, checked: start }
    }

    /// What has not been taken yet.
    pub fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// What has not been taken yet, as text.
    ///
    /// New bytes are checked once, so asking again after each fault costs nothing. Should a stage
    /// break its word and deliver what is no UTF-8, the text ends there.
    #[allow(unsafe_code)]
    pub fn text(&mut self) -> &str {
        if self.checked < self.end {
            let fresh = &self.bytes[self.checked..self.end];
            self.checked += utf8::prefix(fresh);
        }
        // SAFETY: bytes enter `start..checked` in two places only: above, checked, and in
        // `put_back`, from a `&str`; they leave it in `take`, which keeps to whole characters.
        // `settle` moves them and both ends alike, and nothing else writes below `end`. Checking
        // each time instead made a block of nothing but faults quadratic.
        unsafe { str::from_utf8_unchecked(&self.bytes[self.start..self.checked]) }
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
    pub fn take(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.end);
        if self.checked < self.start || !is_boundary(&self.bytes[self.start..self.checked]) {
            self.checked = self.start;
        }
    }

    /// Room at the end.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.end..]
    }

    /// Says that `count` bytes were put into [`room`](Block::room).
    pub fn grow(&mut self, count: usize) {
        self.end = self.end.saturating_add(count).min(self.bytes.len());
    }

    /// Puts text in front of what is unread. At most the headroom and what was taken since the
    /// last [`settle`](Block::settle); says whether it fitted.
    #[must_use]
    pub fn put_back(&mut self, text: &str) -> bool {
        let Some(start) = self.start.checked_sub(text.len()) else { return false };
        self.bytes[start..self.start].copy_from_slice(text.as_bytes());
        self.start = start;
        true
    }

    /// Moves what is unread to the front, up to an aligned address; says by how many bytes it moved.
    pub fn settle(&mut self) -> isize {
        let count = self.end - self.start;
        let end = aligned(&self.bytes, self.headroom + count);
        let by = self.end as isize - end as isize;
        self.bytes.copy_within(self.start..self.end, end - count);
        self.checked = self.checked.wrapping_add_signed(-by);
        (self.start, self.end) = (end - count, end);
        by
    }
}

/// The next index of an aligned address.
fn aligned(bytes: &[u8], index: usize) -> usize {
    index + (bytes.as_ptr().addr() + index).wrapping_neg() % ALIGNMENT
}

/// Whether no continuation byte stands first.
fn is_boundary(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|byte| byte & 0xC0 != 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(block: &mut Block, bytes: &[u8]) {
        block.room()[..bytes.len()].copy_from_slice(bytes);
        block.grow(bytes.len());
    }

    #[test]
    fn what_is_put_in_comes_out_in_order() {
        let mut block = Block::new(4, 8);
        put(&mut block, "aé".as_bytes());
        assert_eq!(block.text(), "aé");
        block.take(1);
        assert!(block.put_back("xyz"));
        assert_eq!(block.text(), "xyzé");
        let before = block.position() as isize;
        assert_eq!(block.settle(), before - block.position() as isize);
        put(&mut block, b"!");
        assert_eq!(block.text(), "xyzé!");
        assert_eq!(block.unread(), "xyzé!".as_bytes());
    }

    #[test]
    fn whatever_is_carried_over_the_room_is_aligned_and_as_large_as_asked_for() {
        for headroom in [0, 1, 12, 64, 100] {
            let mut block = Block::new(headroom, 400);
            for carried in (0..150).rev() {
                assert_eq!(block.room().as_ptr().addr() % ALIGNMENT, 0, "{headroom} {carried}");
                let unread = block.unread().to_vec();
                assert!(block.room().len() + unread.len() >= 400, "{headroom} {carried}");
                put(&mut block, &[7; 151]);
                assert_eq!(block.unread(), [&unread[..], &[7; 151]].concat());
                block.take(unread.len() + 151 - carried);
                block.settle();
                assert_eq!(block.unread(), vec![7; carried]);
                assert!(block.put_back(&"x".repeat(headroom)));
                block.take(headroom);
            }
        }
    }

    #[test]
    fn a_text_too_long_for_what_stands_in_front_is_refused() {
        let mut block = Block::new(2, 8);
        let most = block.position();
        assert!(!block.put_back(&"a".repeat(most + 1)));
        put(&mut block, b"z");
        block.take(1);
        assert!(block.put_back(&"a".repeat(most + 1)));
    }

    #[test]
    fn taking_half_a_character_never_yields_broken_text() {
        let mut block = Block::new(0, 8);
        put(&mut block, "éa".as_bytes());
        assert_eq!(block.text(), "éa");
        block.take(1);
        assert_eq!(block.text(), "");
    }

    #[test]
    fn counts_that_no_stage_should_give_stay_within_the_block() {
        let mut block = Block::new(4, 8);
        put(&mut block, b"\xFFab");
        block.take(1);
        assert_eq!(block.text(), "ab");
        block.take(usize::MAX);
        assert_eq!(block.text(), "");
        let room = block.room().len();
        block.grow(usize::MAX);
        assert_eq!(block.unread().len(), room);
    }
}
