//! Validation of UTF-8 in long text: with AVX-512 64 bytes at a time by sets of positions, otherwise by
//! the package simdutf8.

use super::simd::{self, AsArrays, Kernel, Simd, WIDE_WIDTH, WideSimd};

/// Returns the length of the valid prefix and, if it does not end at the end of `bytes`, the length
/// of the invalid sequence after it, which is `None` if that sequence is incomplete.
pub fn validate(bytes: &[u8]) -> (usize, Option<Option<usize>>) {
    simd::run(ValidationKernel(bytes))
}

struct ValidationKernel<'a>(&'a [u8]);

impl Kernel for ValidationKernel<'_> {
    type Output = (usize, Option<Option<usize>>);

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Self::Output {
        // To prefetch input, simdutf8 0.1.5 computes addresses after its end, which Miri rejects.
        let result = match cfg!(miri) {
            true => std::str::from_utf8(self.0)
                .map_err(|error| (error.valid_up_to(), error.error_len())),
            false => simdutf8::compat::from_utf8(self.0)
                .map_err(|error| (error.valid_up_to(), error.error_len())),
        };
        match result {
            Ok(_) => (self.0.len(), None),
            Err((valid_len, error_len)) => (valid_len, Some(error_len)),
        }
    }

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> Self::Output {
        let bytes = self.0;
        match WideValidator::first_error_group(w, bytes) {
            None => (bytes.len(), None),
            Some(group) => locate_error(bytes, first_error_block(w, bytes, group)),
        }
    }
}

/// Returns the result of [`validate`], where the first error is in the 64 bytes from `start` on.
#[cold]
#[inline(never)]
fn locate_error(bytes: &[u8], start: usize) -> (usize, Option<Option<usize>>) {
    let end = bytes.len().min(start + WIDE_WIDTH + MAX_LEN);
    // A character may begin before the block.
    let is_trail = |byte: &&u8| **byte & 0xC0 == 0x80;
    let trail = bytes[..start].iter().rev().take_while(is_trail).take(MAX_LEN - 1).count();
    let start = start.saturating_sub(trail + 1);
    match std::str::from_utf8(&bytes[start..end]) {
        Ok(_) => (end, None),
        Err(error) => (start + error.valid_up_to(), Some(error.error_len())),
    }
}

/// The maximum length of a character, in bytes.
const MAX_LEN: usize = 4;

/// The number of blocks that are tested for ASCII and for errors at once.
const GROUP_BLOCKS: usize = 4;

/// The number of bytes in a group of blocks with the context.
const GROUP_LEN: usize = CONTEXT + GROUP_BLOCKS * WIDE_WIDTH;

/// Classes of bytes, a bit each.
const NO_TRAIL: u8 = 1;
const TRAIL_80_TO_8F: u8 = 2;
const TRAIL_90_TO_9F: u8 = 4;
const TRAIL_A0_TO_BF: u8 = 8;
const ANY_TRAIL: u8 = TRAIL_80_TO_8F | TRAIL_90_TO_9F | TRAIL_A0_TO_BF;
/// All continuation bytes again, after a continuation byte: an error unless a third or fourth byte
/// must be there.
const SECOND_TRAIL: u8 = 0x80;

/// The classes of bytes that must not follow each byte from 80 on. This excludes overlong sequences,
/// surrogates and values above U+10FFFF.
const MUST_NOT_FOLLOW: [[u8; WIDE_WIDTH]; 2] = {
    let mut leads = [NO_TRAIL; WIDE_WIDTH];
    leads[0xE0 - 0xC0] |= TRAIL_80_TO_8F | TRAIL_90_TO_9F;
    leads[0xED - 0xC0] |= TRAIL_A0_TO_BF;
    leads[0xF0 - 0xC0] |= TRAIL_80_TO_8F;
    leads[0xF4 - 0xC0] |= TRAIL_90_TO_9F | TRAIL_A0_TO_BF;
    let mut lead = 0;
    while lead < WIDE_WIDTH {
        if matches!(lead + 0xC0, 0xC0..=0xC1 | 0xF5..) {
            leads[lead] = NO_TRAIL | ANY_TRAIL;
        }
        lead += 1;
    }
    [[SECOND_TRAIL; WIDE_WIDTH], leads]
};

/// The classes of bytes by their upper six bits.
const CLASSES: [u8; WIDE_WIDTH] = {
    let mut classes = [NO_TRAIL; WIDE_WIDTH];
    let mut upper = 0x80 / 4;
    while upper < 0xC0 / 4 {
        let class = match upper * 4 {
            0x80..0x90 => TRAIL_80_TO_8F,
            0x90..0xA0 => TRAIL_90_TO_9F,
            _ => TRAIL_A0_TO_BF,
        };
        classes[upper] = class | SECOND_TRAIL;
        upper += 1;
    }
    classes
};

/// The number of bytes before a position on which its errors depend.
const CONTEXT: usize = MAX_LEN - 1;

/// Validates 64 bytes at a time by the classes of each two adjacent bytes, and the positions of third
/// and fourth bytes.
#[derive(Clone, Copy)]
pub struct WideValidator<W: WideSimd> {
    w: W,
    /// A byte other than zero for each error. It may be at any byte after the first one of the invalid
    /// sequence.
    errors: W::Bytes,
}

impl<W: WideSimd> WideValidator<W> {
    /// Creates a validator without errors.
    #[inline(always)]
    pub fn new(w: W) -> Self {
        WideValidator { w, errors: w.splat8(0) }
    }

    /// Returns the position of the first group of blocks with an error, or `None` if all bytes are
    /// valid.
    #[inline(always)]
    fn first_error_group(w: W, bytes: &[u8]) -> Option<usize> {
        let mut validator = WideValidator::new(w);
        let (zero, block) = (w.splat8(0), w.load_prefix(bytes));
        validator.check([
            w.concat_last16::<13>(zero, block),
            w.concat_last16::<14>(zero, block),
            w.concat_last16::<15>(zero, block),
            block,
        ]);
        if bytes.len() < WIDE_WIDTH || validator.has_error() {
            return validator.has_error().then_some(0);
        }
        let mut read = WIDE_WIDTH;
        let mut is_ascii = false;
        while let Some(group) = bytes[read - CONTEXT..].first_chunk::<GROUP_LEN>() {
            if is_ascii_group(w, group) {
                if !is_ascii {
                    // Only a character that is incomplete before the group is an error.
                    validator.check_window(group);
                    is_ascii = true;
                }
            } else {
                validator.check_window(group);
                validator.check_window(&group[WIDE_WIDTH..]);
                validator.check_window(&group[2 * WIDE_WIDTH..]);
                validator.check_window(&group[3 * WIDE_WIDTH..]);
                is_ascii = false;
            }
            if validator.has_error() {
                return Some(read);
            }
            read += GROUP_BLOCKS * WIDE_WIDTH;
        }
        let start = read;
        while bytes.len() - read >= WIDE_WIDTH {
            validator.check_window(&bytes[read - CONTEXT..]);
            read += WIDE_WIDTH;
        }
        // Zeros after the end are errors in a character that is incomplete.
        validator.check([
            w.load_prefix(&bytes[read - 3..]),
            w.load_prefix(&bytes[read - 2..]),
            w.load_prefix(&bytes[read - 1..]),
            w.load_prefix(&bytes[read..]),
        ]);
        validator.has_error().then_some(start)
    }

    /// Returns whether an error was added.
    #[inline(always)]
    pub fn has_error(&self) -> bool {
        self.w.test8(self.errors, self.errors) != 0
    }

    /// Adds the errors at the 64 positions after the context.
    #[inline(always)]
    pub fn check_window(&mut self, bytes: &[u8]) {
        if let Some(window) = bytes.first_chunk::<{ CONTEXT + WIDE_WIDTH }>() {
            self.check([
                load_at::<W, 0>(self.w, window),
                load_at::<W, 1>(self.w, window),
                load_at::<W, 2>(self.w, window),
                load_at::<W, CONTEXT>(self.w, window),
            ]);
        }
    }

    /// Adds the errors in a block, from the bytes three, two and one before its positions, and those
    /// at them.
    #[inline(always)]
    pub fn check(&mut self, [third, second, first, bytes]: [W::Bytes; 4]) {
        let w = self.w;
        let [trails, leads] = MUST_NOT_FOLLOW;
        let must_not_follow = w.select8(
            w.movemask8(first),
            w.permute8_of_2(w.load(&trails), w.load(&leads), first),
            w.splat8(ANY_TRAIL),
        );
        // The upper two bits of an index come from the next byte and do not count.
        let classes = w.permute8(w.load(&CLASSES), w.shr16::<2>(bytes));
        let errors = w.and(must_not_follow, classes);
        // The highest bit where a third or a fourth byte must be.
        let required = w.or(
            w.saturating_sub8(second, w.splat8(0xE0 - 0x80)),
            w.saturating_sub8(third, w.splat8(0xF0 - 0x80)),
        );
        let errors = w.xor(errors, w.and(required, w.splat8(SECOND_TRAIL)));
        self.errors = w.or(self.errors, errors);
    }
}

/// Returns the position of the first block with an error in a group of blocks that has one.
#[inline(always)]
fn first_error_block<W: WideSimd>(w: W, bytes: &[u8], group: usize) -> usize {
    let mut start = group;
    while start > 0 && bytes.len() - start >= WIDE_WIDTH {
        let mut validator = WideValidator::new(w);
        validator.check_window(&bytes[start - CONTEXT..]);
        if validator.has_error() {
            break;
        }
        start += WIDE_WIDTH;
    }
    start
}

/// Loads the 64 bytes from the offset `FROM` on.
#[inline(always)]
pub fn load_at<W: WideSimd, const FROM: usize>(w: W, window: &[u8]) -> W::Bytes {
    w.load(window[FROM..].first_chunk().unwrap_or(&[0; WIDE_WIDTH]))
}

/// Returns whether all bytes after the context are ASCII.
#[inline(always)]
fn is_ascii_group<W: WideSimd>(w: W, group: &[u8; GROUP_LEN]) -> bool {
    let (blocks, _) = group[CONTEXT..].as_arrays::<WIDE_WIDTH>();
    let Some([a, b, c, d]) = blocks.first_chunk() else { return false };
    let (a, b, c, d) = (w.load(a), w.load(b), w.load(c), w.load(d));
    w.movemask8(w.or(w.or(a, b), w.or(c, d))) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing;
    use crate::testing::stride;

    /// The first and last bytes of each range, and bytes beside them.
    const EDGE_BYTES: [u8; 22] = [
        0, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
        0xED, 0xEE, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
    ];

    fn check_at(levels: &[Level], bytes: &[u8]) {
        let expected = match std::str::from_utf8(bytes) {
            Ok(_) => (bytes.len(), None),
            Err(error) => (error.valid_up_to(), Some(error.error_len())),
        };
        for level in levels {
            assert_eq!(level.run(ValidationKernel(bytes)), expected, "{level:?} {bytes:X?}");
        }
    }

    fn all_levels() -> Vec<Level> {
        Level::all().collect()
    }

    #[test]
    fn every_level_agrees_with_std_at_every_length_and_alignment() {
        let levels = all_levels();
        for text in testing::uniform_texts() {
            check_at(&levels, text.as_bytes());
        }
        let text = "aé中🎂 of é中".repeat(40);
        let text = [text.as_bytes(), &[b'a'; 300], text.as_bytes()].concat();
        for start in 0..if cfg!(miri) { 3 } else { WIDE_WIDTH } {
            for len in (0..400).step_by(stride(57)) {
                check_at(&levels, &text[start..start + len]);
            }
            check_at(&levels, &text[start..]);
        }
    }

    #[test]
    fn malformed_sequences_are_found_at_every_position() {
        let levels = all_levels();
        for filler in ["a", "é", "中", "🎂", "aé中"] {
            for bytes in testing::malformed_texts(filler, [0, 1, 2, 3, 40, 100]) {
                check_at(&levels, &bytes);
            }
        }
    }

    #[test]
    fn every_level_agrees_with_std_on_all_short_sequences() {
        let levels: Vec<Level> =
            Level::all().filter(|level| level.name() != "portable-wide").collect();
        let mut bytes = [b'a'; 80];
        // Before, across and after the end of the first block.
        for at in [10, 61, 62, 63].into_iter().step_by(stride(3)) {
            for first in (0x80..=0xFF).step_by(stride(51)) {
                for second in (0..=0xFF).step_by(stride(85)) {
                    bytes[at] = first;
                    bytes[at + 1] = second;
                    for third in EDGE_BYTES.into_iter().step_by(stride(3)) {
                        bytes[at + 2] = third;
                        for fourth in [b'a', 0x80, 0xC2] {
                            bytes[at + 3] = fourth;
                            check_at(&levels, &bytes);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_level_agrees_with_std_on_random_bytes() {
        let (levels, mut random) = (all_levels(), testing::random(7));
        for _ in 0..if cfg!(miri) { 20 } else { 20_000 } {
            let mut text = String::new();
            for _ in 0..random.below(150) {
                text.push_str(
                    random.one(&["a", "é", "中", "🎂", "\u{D7FF}", "\u{E000}", "\u{800}"]),
                );
            }
            let mut bytes = text.into_bytes();
            for _ in 0..random.below(3) {
                if !bytes.is_empty() {
                    let at = random.below(bytes.len());
                    bytes[at] = random.one(&EDGE_BYTES);
                }
            }
            check_at(&levels, &bytes);
        }
    }
}
