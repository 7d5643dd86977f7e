//! UTF-8 and ASCII with frequent errors: copies the text and replaces each malformed sequence.

use super::ascii_set::AsciiByteSet;
use super::simd::{self, Kernel, Simd, WIDTH};

/// The maximum length of a replacement, in bytes.
pub const MAX_REPLACEMENT_LEN: usize = 8;

/// The number of bytes that a sequence may extend beyond a block.
const LOOKAHEAD: usize = 3;

/// The output space for a block: one replacement for each byte, and one vector after them.
const MAX_OUTPUT: usize = WIDTH * MAX_REPLACEMENT_LEN + WIDTH;

/// The number of blocks without errors after which errors are no longer frequent.
const MAX_CLEAN_BLOCKS: usize = 4;

/// A shuffle index that yields zero.
const ZERO: u8 = 0x80;

/// The lane of the replacement in the source of a shuffle; the bytes of a group are in the first lanes.
const REPLACEMENT_LANE: usize = 4;

/// The shuffle indexes that expand four bytes, for each length of the replacement up to 4 and each set of bytes to
/// replace.
static EXPAND_4: [[[u8; WIDTH]; 1 << 4]; 4 + 1] = shuffles::<4, { 1 << 4 }, 5>();

/// The same for two bytes and lengths up to 8.
static EXPAND_2: [[[u8; WIDTH]; 1 << 2]; MAX_REPLACEMENT_LEN + 1] =
    shuffles::<2, { 1 << 2 }, { MAX_REPLACEMENT_LEN + 1 }>();

const fn shuffles<const GROUP: usize, const SETS: usize, const LENS: usize>()
-> [[[u8; WIDTH]; SETS]; LENS] {
    let mut table = [[[ZERO; WIDTH]; SETS]; LENS];
    let mut len = 0;
    while len < LENS {
        let mut set = 0;
        while set < SETS {
            let (mut lane, mut to) = (0, 0);
            while lane < GROUP {
                let (mut from, mut count) = (lane, 1);
                if set >> lane & 1 != 0 {
                    (from, count) = (REPLACEMENT_LANE, len);
                }
                while count > 0 {
                    table[len][set][to] = from as u8;
                    (from, to, count) = (from + 1, to + 1, count - 1);
                }
                lane += 1;
            }
            set += 1;
        }
        len += 1;
    }
    table
}

/// The result of a conversion with replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replaced {
    /// The number of bytes read.
    pub read: usize,
    /// The number of bytes written.
    pub written: usize,
    /// The number of errors that were replaced.
    pub errors: usize,
}

/// Converts blocks with `convert`, which replaces the errors that begin in a block, while errors are
/// frequent. Stops before the end of `src` or `dst`, and if `convert` reads nothing.
#[inline(always)]
pub fn replace_in_blocks<const INPUT: usize, const OUTPUT: usize>(
    src: &[u8],
    dst: &mut [u8],
    mut convert: impl FnMut(&[u8; INPUT], &mut [u8; OUTPUT]) -> Replaced,
) -> Replaced {
    let (mut total, mut clean_blocks) = (Replaced::default(), 0);
    while let (Some(window), Some(to)) =
        (src[total.read..].first_chunk(), dst[total.written..].first_chunk_mut())
    {
        let done = convert(window, to);
        total.read += done.read;
        total.written += done.written;
        total.errors += done.errors;
        clean_blocks = if done.errors == 0 { clean_blocks + 1 } else { 0 };
        if clean_blocks == MAX_CLEAN_BLOCKS || done.read == 0 {
            break;
        }
    }
    total
}

/// Copies UTF-8, and writes the first `len` bytes of `replacement` for each malformed sequence. Stops
/// where errors are no longer frequent, and before the end of `src` or `dst`.
pub fn replace_malformed(
    src: &[u8],
    dst: &mut [u8],
    replacement: [u8; MAX_REPLACEMENT_LEN],
    len: usize,
) -> Replaced {
    let len = len.min(MAX_REPLACEMENT_LEN);
    simd::run(ReplaceKernel { src, dst, replacement, len })
}

struct ReplaceKernel<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    replacement: [u8; MAX_REPLACEMENT_LEN],
    len: usize,
}

impl Kernel for ReplaceKernel<'_> {
    type Output = Replaced;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Replaced {
        let ReplaceKernel { src, dst, replacement, len } = self;
        let expander = Expander::new(s, replacement, len);
        replace_in_blocks(
            src,
            dst,
            #[inline(always)]
            |window: &[u8; WIDTH + LOOKAHEAD], to: &mut [u8; MAX_OUTPUT]| {
                let block = window.first_chunk::<WIDTH>().unwrap_or(&[0; WIDTH]);
                let bytes = s.load(block);
                let not_ascii = s.movemask8(bytes);
                let after_first_lead = s.sub8(bytes, s.splat8(0xC2));
                let leads =
                    s.eq8(s.saturating_sub8(after_first_lead, s.splat8(0xF4 - 0xC2)), s.splat8(0));
                if not_ascii == 0 {
                    if let Some(to) = to.first_chunk_mut() {
                        s.store(bytes, to);
                    }
                    Replaced { read: WIDTH, written: WIDTH, errors: 0 }
                } else if s.movemask8(leads) == 0 {
                    expander.expand(s, block, not_ascii, to)
                } else {
                    replace_one_by_one(window, to, replacement, len)
                }
            },
        )
    }
}

/// The shuffle indexes for a length of the replacement.
enum Shuffles {
    /// Of groups of four bytes.
    Four(&'static [[u8; WIDTH]; 1 << 4]),
    /// Of groups of two bytes.
    Two(&'static [[u8; WIDTH]; 1 << 2]),
}

/// Replaces single bytes of a block.
struct Expander<S: Simd> {
    shuffles: Shuffles,
    /// The replacement in its lanes.
    inserted: S::Bytes,
    /// A mask of the first two or four lanes.
    is_group: S::Bytes,
    len: usize,
}

impl<S: Simd> Expander<S> {
    #[inline(always)]
    fn new(s: S, replacement: [u8; MAX_REPLACEMENT_LEN], len: usize) -> Expander<S> {
        let mut inserted = [0; WIDTH];
        inserted[REPLACEMENT_LANE..][..MAX_REPLACEMENT_LEN].copy_from_slice(&replacement);
        let (shuffles, group) = match EXPAND_4.get(len) {
            Some(shuffles) => (Shuffles::Four(shuffles), 4),
            None => (Shuffles::Two(&EXPAND_2[len.min(MAX_REPLACEMENT_LEN)]), 2),
        };
        let mut is_group = [0; WIDTH];
        is_group[..group].fill(0xFF);
        Expander { shuffles, inserted: s.load(&inserted), is_group: s.load(&is_group), len }
    }

    /// Copies a block, with the replacement for each byte whose bit in `errors` is set.
    #[inline(always)]
    fn expand(
        &self,
        s: S,
        block: &[u8; WIDTH],
        errors: u32,
        to: &mut [u8; MAX_OUTPUT],
    ) -> Replaced {
        match self.shuffles {
            Shuffles::Four(shuffles) => self.expand_groups::<4, 16>(s, block, errors, shuffles, to),
            Shuffles::Two(shuffles) => self.expand_groups::<2, 4>(s, block, errors, shuffles, to),
        }
    }

    /// Does the same with groups of `GROUP` bytes, each of which is expanded by one shuffle.
    #[inline(always)]
    fn expand_groups<const GROUP: usize, const SETS: usize>(
        &self,
        s: S,
        block: &[u8; WIDTH],
        errors: u32,
        shuffles: &[[u8; WIDTH]; SETS],
        to: &mut [u8; MAX_OUTPUT],
    ) -> Replaced {
        let mut written = 0;
        for at in 0..WIDTH / GROUP {
            let set = (errors >> (GROUP * at)) as usize % SETS;
            let group = std::array::from_fn(|lane| block[(GROUP * at + lane) % WIDTH]);
            let group = s.and(s.splat32(u32::from_le_bytes(group)), self.is_group);
            let expanded = s.shuffle8(s.or(group, self.inserted), s.load(&shuffles[set]));
            if let Some(to) = to[written..].first_chunk_mut() {
                s.store(expanded, to);
            }
            let count = set.count_ones() as usize;
            written += GROUP - count + count * self.len;
            // The compiler does not know that a group has at most 16 bytes of output.
            written = written.min(MAX_OUTPUT - WIDTH);
        }
        Replaced { read: WIDTH, written, errors: errors.count_ones() as usize }
    }
}

/// Copies the ASCII bytes of `set`, and writes the first `len` bytes of `replacement` for each byte that is not
/// ASCII. Stops before other bytes, where errors are no longer frequent, and before the end of `src` or `dst`, at
/// most 15 bytes too early.
pub fn replace_non_ascii(
    src: &[u8],
    dst: &mut [u8],
    set: &AsciiByteSet,
    replacement: [u8; MAX_REPLACEMENT_LEN],
    len: usize,
) -> Replaced {
    let len = len.min(MAX_REPLACEMENT_LEN);
    simd::run(ReplaceNonAsciiKernel { src, dst, set, replacement, len })
}

struct ReplaceNonAsciiKernel<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    set: &'a AsciiByteSet,
    replacement: [u8; MAX_REPLACEMENT_LEN],
    len: usize,
}

impl Kernel for ReplaceNonAsciiKernel<'_> {
    type Output = Replaced;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Replaced {
        let ReplaceNonAsciiKernel { src, dst, set, replacement, len } = self;
        let (set, expander) = (set.vectors(s), Expander::new(s, replacement, len));
        replace_in_blocks(
            src,
            dst,
            #[inline(always)]
            |block, to| {
                let bytes = s.load(block);
                let not_ascii = s.movemask8(bytes);
                match set.non_members(s, bytes) == not_ascii {
                    true => expander.expand(s, block, not_ascii, to),
                    false => Replaced::default(),
                }
            },
        )
    }
}

/// Converts the sequences that begin among the first 16 bytes.
#[inline(always)]
fn replace_one_by_one(
    src: &[u8; WIDTH + LOOKAHEAD],
    dst: &mut [u8; MAX_OUTPUT],
    replacement: [u8; MAX_REPLACEMENT_LEN],
    len: usize,
) -> Replaced {
    let (mut read, mut written, mut errors) = (0, 0, 0);
    while read < WIDTH {
        let window = std::array::from_fn(|index| src[read + index]);
        let space = dst[written..].first_chunk_mut::<MAX_REPLACEMENT_LEN>();
        match sequence_len(window) {
            Ok(count) => {
                if let Some(space) = space {
                    space[..window.len()].copy_from_slice(&window);
                }
                read += count;
                written += count;
            }
            Err(count) => {
                if let Some(space) = space {
                    *space = replacement;
                }
                read += count;
                written += len;
                errors += 1;
            }
        }
    }
    Replaced { read, written, errors }
}

/// Returns the length of the character at the start of `window`, or else that of the malformed
/// sequence.
#[inline(always)]
pub fn sequence_len(window: [u8; LOOKAHEAD + 1]) -> Result<usize, usize> {
    let is_continuation = |byte: u8| byte & 0xC0 == 0x80;
    let [first, second, third, fourth] = window;
    let (is_second, len) = match first {
        0..=0x7F => return Ok(1),
        0xC2..=0xDF => (is_continuation(second), 2),
        0xE0 => (matches!(second, 0xA0..=0xBF), 3),
        0xED => (matches!(second, 0x80..=0x9F), 3),
        0xE1..=0xEF => (is_continuation(second), 3),
        0xF0 => (matches!(second, 0x90..=0xBF), 4),
        0xF1..=0xF3 => (is_continuation(second), 4),
        0xF4 => (matches!(second, 0x80..=0x8F), 4),
        0x80..=0xC1 | 0xF5..=0xFF => return Err(1),
    };
    match len {
        _ if !is_second => Err(1),
        2 => Ok(2),
        _ if !is_continuation(third) => Err(2),
        3 => Ok(3),
        _ if !is_continuation(fourth) => Err(3),
        _ => Ok(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing;
    use crate::testing::stride;

    /// Returns bytes of ASCII, lead bytes, continuation bytes and errors, and of whole characters.
    fn sample(number: u64, len: usize) -> Vec<u8> {
        let mut random = testing::random(number);
        let parts: [&[u8]; 20] = [
            b"a",
            b"bc",
            b"\xFF",
            b"\x80",
            b"\xC1",
            b"\xC2",
            b"\xDF\xBF",
            b"\xE0\x9F",
            b"\xE0\xA0",
            b"\xED\xA0",
            b"\xED\x9F\xBF",
            b"\xEF\xBF",
            b"\xE2\x82\xAC",
            b"\xF0\x8F",
            b"\xF0\x90\x80",
            b"\xF4\x8F\xBF\xBF",
            b"\xF4\x90",
            b"\xF5",
            b"\xF1\x80\x80\x80",
            b"twenty letters here..",
        ];
        let known = if number % 3 == 0 { 3 } else { parts.len() };
        let mut bytes = Vec::new();
        while bytes.len() < len {
            bytes.extend_from_slice(parts[random.below(known)]);
        }
        bytes
    }

    /// Replaces the malformed sequences that the standard library finds.
    fn reference(bytes: &[u8], replacement: &[u8]) -> (Vec<u8>, usize) {
        let (mut text, mut errors) = (Vec::new(), 0);
        for chunk in bytes.utf8_chunks() {
            text.extend_from_slice(chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                text.extend_from_slice(replacement);
                errors += 1;
            }
        }
        (text, errors)
    }

    #[test]
    fn errors_are_replaced_as_by_std_at_every_level() {
        for number in (0..600).step_by(stride(75)) {
            let src = sample(number, number as usize % 200);
            let len = number as usize % (MAX_REPLACEMENT_LEN + 1);
            let replacement = *b"REPLACED";
            for level in Level::all() {
                for space in [0, MAX_OUTPUT, 300, 2000] {
                    let mut dst = vec![0xAA; space];
                    let kernel = ReplaceKernel { src: &src, dst: &mut dst, replacement, len };
                    let done = level.run(kernel);
                    let (text, errors) = reference(&src[..done.read], &replacement[..len]);
                    assert_eq!(dst[..done.written], text, "{level:?} {number} {space}");
                    assert_eq!(done.errors, errors, "{level:?} {number} {space}");
                    let whole_blocks = src.len().saturating_sub(LOOKAHEAD) / WIDTH * WIDTH;
                    if space == 2000 && number % 3 == 0 {
                        assert!(done.read >= whole_blocks, "{level:?} {number}");
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_are_replaced_up_to_one_outside_the_set_at_every_level() {
        let set = AsciiByteSet::new(|byte| byte != b'\n');
        let mut random = testing::random(0);
        for number in (0..600).step_by(stride(75)) {
            let length = number % 200;
            let is_outside = |at| number % 3 == 0 && at == 70;
            let src: Vec<u8> = (0..length)
                .map(|at| match random.below(4) {
                    _ if is_outside(at) => b'\n',
                    0 | 1 => 0x80 | random.below(128) as u8,
                    _ => b'a' + random.below(26) as u8,
                })
                .collect();
            let len = number % (MAX_REPLACEMENT_LEN + 1);
            let replacement = *b"REPLACED";
            for level in Level::all() {
                for space in [0, MAX_OUTPUT, 300, 4000] {
                    let mut dst = vec![0xAA; space];
                    let (src, dst_slice, set) = (&src[..], &mut dst[..], &set);
                    let done = level.run(ReplaceNonAsciiKernel {
                        src,
                        dst: dst_slice,
                        set,
                        replacement,
                        len,
                    });
                    let (mut text, mut errors) = (Vec::new(), 0);
                    for byte in &src[..done.read] {
                        match byte.is_ascii() {
                            true => text.push(*byte),
                            false => text.extend_from_slice(&replacement[..len]),
                        }
                        errors += usize::from(!byte.is_ascii());
                    }
                    assert_eq!(dst[..done.written], text, "{level:?} {number} {space}");
                    assert_eq!(done.errors, errors, "{level:?} {number} {space}");
                    let end = src.iter().position(|byte| *byte == b'\n').unwrap_or(src.len());
                    assert!(done.read <= end, "{level:?} {number} {space}");
                    if space == 4000 {
                        assert_eq!(done.read, end / WIDTH * WIDTH, "{level:?} {number}");
                    }
                }
            }
        }
    }

    #[test]
    fn loop_ends_where_errors_are_rare() {
        let src = [&b"a\xFF".repeat(16)[..], &[b'a'; 1000]].concat();
        let done = replace_malformed(&src, &mut [0; 4000], [b'?'; 8], 1);
        assert_eq!(done, Replaced { read: 96, written: 96, errors: 16 });
    }

    #[test]
    fn sequences_have_the_lengths_of_std() {
        for first in (0..=0xFF).step_by(stride(11)) {
            for second in [0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF] {
                for third in [0x7F, 0x80, 0xBF, 0xC0] {
                    for fourth in [0x7F, 0x80, 0xBF, 0xC0] {
                        let window = [first, second, third, fourth];
                        let expected = match std::str::from_utf8(&window) {
                            Err(error) if error.valid_up_to() == 0 => {
                                Err(error.error_len().unwrap_or(4))
                            }
                            _ => Ok(window.utf8_chunks().next().map_or(0, |chunk| {
                                chunk.valid().chars().next().map_or(0, char::len_utf8)
                            })),
                        };
                        assert_eq!(sequence_len(window), expected, "{window:02X?}");
                    }
                }
            }
        }
    }
}
