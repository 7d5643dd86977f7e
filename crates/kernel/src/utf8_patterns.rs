//! Finds characters by patterns of their first bytes in UTF-8, 16 bytes at a time.

use super::ascii::{self, GROUP_VECTORS};
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};
use super::utf8;

/// The maximum number of patterns of a length.
const MAX_PATTERNS: usize = 8;

/// A set of non-ASCII characters: those whose first two or three bytes match a pattern.
///
/// Each pattern has a bit. A byte matches the patterns whose bits are set both for its high and for
/// its low nibble, and a character those that all of its first bytes match. So a few lookups with
/// [`shuffle8`](crate::simd::Lanes::shuffle8) test 16 characters for eight patterns.
#[derive(Debug, Clone, Copy)]
pub struct Utf8Patterns {
    short: [NibbleBits; 2],
    long: [NibbleBits; 3],
}

/// The patterns that a byte matches, by its nibbles.
#[derive(Debug, Clone, Copy)]
struct NibbleBits {
    high: [u8; WIDTH],
    low: [u8; WIDTH],
}

impl NibbleBits {
    const NONE: NibbleBits = NibbleBits { high: [0; WIDTH], low: [0; WIDTH] };

    #[inline(always)]
    fn of(&self, byte: u8) -> u8 {
        self.high[usize::from(byte >> 4)] & self.low[usize::from(byte & 0xF)]
    }
}

impl Utf8Patterns {
    /// Creates the set of some patterns of two bytes, and some of three bytes, which apply to
    /// characters of three and four bytes.
    ///
    /// A pattern such as `"E2 8. 9[9AB]"` has two hexadecimal digits for each byte, or several
    /// digits between brackets, or a dot for any digit.
    pub const fn new(short: &[&str], long: &[&str]) -> Utf8Patterns {
        Utf8Patterns { short: parse_all(short), long: parse_all(long) }
    }

    /// Returns whether a character with these first bytes is in the set. A character of two bytes
    /// may be followed by any byte.
    #[inline(always)]
    fn matches(&self, [first, second, third]: [u8; 3]) -> bool {
        let [lead, trail] = &self.short;
        let is_short = lead.of(first) & trail.of(second) != 0;
        let [lead, trail, last] = &self.long;
        is_short || lead.of(first) & trail.of(second) & last.of(third) != 0
    }

    /// Returns the number of bytes before the first character in the set.
    pub fn prefix_len(&self, text: &str) -> usize {
        let start = match text.len() {
            0..WIDTH => 0,
            _ => match simd::run(PatternKernel { patterns: self, src: text.as_bytes() }) {
                (at, true) => return at,
                (at, false) => at,
            },
        };
        self.scalar_prefix_len(text, start)
    }

    fn scalar_prefix_len(&self, text: &str, start: usize) -> usize {
        let bytes = text.as_bytes();
        let mut at = start;
        while let Some(&first) = bytes.get(at) {
            let byte = |index: usize| bytes.get(index).copied().unwrap_or(0);
            if !first.is_ascii() && self.matches([first, byte(at + 1), byte(at + 2)]) {
                break;
            }
            at += sequence_len(first);
        }
        at
    }
}

/// Returns the length of the sequence with this lead byte.
#[inline(always)]
pub fn sequence_len(lead_byte: u8) -> usize {
    match lead_byte {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// Parses patterns of `N` bytes.
const fn parse_all<const N: usize>(patterns: &[&str]) -> [NibbleBits; N] {
    assert!(patterns.len() <= MAX_PATTERNS);
    let mut tables = [NibbleBits::NONE; N];
    let mut index = 0;
    while index < patterns.len() {
        parse(patterns[index].as_bytes(), 1 << index, &mut tables);
        index += 1;
    }
    tables
}

/// Adds the bit of a pattern to the tables of its bytes.
const fn parse<const N: usize>(pattern: &[u8], bit: u8, tables: &mut [NibbleBits; N]) {
    let (mut at, mut byte) = (0, 0);
    while byte < N {
        at = parse_nibble(pattern, at, bit, &mut tables[byte].high);
        at = parse_nibble(pattern, at, bit, &mut tables[byte].low);
        at += 1;
        byte += 1;
    }
    assert!(at == pattern.len() + 1);
    // A lead byte, of at least three bytes if the pattern has three.
    let first_lead = if N == 2 { 0xC } else { 0xE };
    let mut nibble = 0;
    while nibble < first_lead {
        assert!(tables[0].high[nibble] & bit == 0);
        nibble += 1;
    }
}

/// Adds a bit for the nibbles at the index `at` of a pattern. Returns the index after them.
const fn parse_nibble(pattern: &[u8], at: usize, bit: u8, bits: &mut [u8; WIDTH]) -> usize {
    match pattern[at] {
        b'.' => {
            let mut nibble = 0;
            while nibble < WIDTH {
                bits[nibble] |= bit;
                nibble += 1;
            }
            at + 1
        }
        b'[' => {
            let mut end = at + 1;
            while pattern[end] != b']' {
                bits[hex_digit(pattern[end])] |= bit;
                end += 1;
            }
            end + 1
        }
        digit => {
            bits[hex_digit(digit)] |= bit;
            at + 1
        }
    }
}

const fn hex_digit(digit: u8) -> usize {
    match digit {
        b'0'..=b'9' => (digit - b'0') as usize,
        b'A'..=b'F' => (digit - b'A') as usize + 10,
        _ => panic!("a hexadecimal digit"),
    }
}

/// Returns the position of the first character in the set, and whether there is one. If there is
/// none in whole vectors, the position is that of the first character that ends after them.
struct PatternKernel<'a> {
    patterns: &'a Utf8Patterns,
    src: &'a [u8],
}

impl Kernel for PatternKernel<'_> {
    type Output = (usize, bool);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, bool) {
        let PatternKernel { patterns, src } = self;
        let [short_first, short_second] = patterns.short.each_ref().map(
            #[inline(always)]
            |bits| NibbleVectors::load(simd, bits),
        );
        let [long_first, long_second, long_third] = patterns.long.each_ref().map(
            #[inline(always)]
            |bits| NibbleVectors::load(simd, bits),
        );
        let zero = simd.splat8(0);
        let (vectors, _) = src.as_arrays::<WIDTH>();
        // What the first and second bytes in the vector before match.
        let (mut short_before, mut first_before, mut second_before) = (zero, zero, zero);
        let mut index = 0;
        while index < vectors.len() {
            if vectors[index..].first_chunk().is_some_and(
                #[inline(always)]
                |group| ascii::is_ascii_group(simd, group),
            ) {
                (short_before, first_before, second_before) = (zero, zero, zero);
                index += GROUP_VECTORS;
                continue;
            }
            let end = vectors.len().min(index + GROUP_VECTORS);
            while index < end {
                let bytes = simd.load(&vectors[index]);
                let nibble = simd.splat8(0x0F);
                let nibbles = (simd.and(simd.shr16::<4>(bytes), nibble), simd.and(bytes, nibble));
                let short = short_first.bits(simd, nibbles);
                let short_found = simd.and(
                    simd.concat_bytes::<15>(short_before, short),
                    short_second.bits(simd, nibbles),
                );
                let (first, second) =
                    (long_first.bits(simd, nibbles), long_second.bits(simd, nibbles));
                let long_found = simd.and(
                    simd.and(
                        simd.concat_bytes::<14>(first_before, first),
                        simd.concat_bytes::<15>(second_before, second),
                    ),
                    long_third.bits(simd, nibbles),
                );
                let none = simd.eq8(simd.or(short_found, long_found), zero);
                if simd.movemask8(none) != 0xFFFF {
                    let position = |found, distance| {
                        let mask = simd.movemask8(simd.eq8(found, zero)) ^ 0xFFFF | 1 << 31;
                        index * WIDTH + mask.trailing_zeros() as usize - distance
                    };
                    return (position(short_found, 1).min(position(long_found, 2)), true);
                }
                (short_before, first_before, second_before) = (short, first, second);
                index += 1;
            }
        }
        // A character may end after the vectors.
        let end = vectors.len() * WIDTH;
        (if end < src.len() { utf8::floor_char_boundary_of_bytes(src, end) } else { end }, false)
    }
}

/// [`NibbleBits`] loaded into vectors.
#[derive(Clone, Copy)]
struct NibbleVectors<S: Simd> {
    high: S::Bytes,
    low: S::Bytes,
}

impl<S: Simd> NibbleVectors<S> {
    #[inline(always)]
    fn load(simd: S, bits: &NibbleBits) -> NibbleVectors<S> {
        NibbleVectors { high: simd.load(&bits.high), low: simd.load(&bits.low) }
    }

    /// Returns the patterns that bytes with these high and low nibbles match.
    #[inline(always)]
    fn bits(&self, simd: S, (high, low): (S::Bytes, S::Bytes)) -> S::Bytes {
        simd.and(simd.shuffle8(self.high, high), simd.shuffle8(self.low, low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing;
    use crate::testing::stride;

    const PATTERNS: Utf8Patterns = Utf8Patterns::new(
        &["C[CD] ..", "CE 87", "D[9B] [AB].", "F0 AF"],
        &["E2 80 8[01]", "E3 8[02] 9[9A]", "F. 9. 8[0F]"],
    );

    fn expected_match(character: char) -> bool {
        let mut bytes = [0; 4];
        let sequence = character.encode_utf8(&mut bytes).as_bytes();
        match *sequence {
            [_] => false,
            [first, second] => {
                matches!(
                    (first, second),
                    (0xCC | 0xCD, _) | (0xCE, 0x87) | (0xD9 | 0xDB, 0xA0..=0xBF)
                )
            }
            [0xF0, 0xAF, ..]
            | [0xE2, 0x80, 0x80 | 0x81]
            | [0xE3, 0x80 | 0x82, 0x99 | 0x9A]
            | [0xF0..=0xFF, 0x90..=0x9F, 0x80 | 0x8F, ..] => true,
            _ => false,
        }
    }

    fn check(text: &str) {
        let expected = text.char_indices().find(|(_, character)| expected_match(*character));
        let expected = expected.map_or(text.len(), |(at, _)| at);
        assert_eq!(PATTERNS.prefix_len(text), expected, "{text:?}");
        for level in Level::all() {
            let kernel = PatternKernel { patterns: &PATTERNS, src: text.as_bytes() };
            let (at, is_found) = level.run(kernel);
            let at = if is_found { at } else { PATTERNS.scalar_prefix_len(text, at) };
            assert_eq!(at, expected, "{level:?} {text:?}");
        }
    }

    #[test]
    fn every_character_is_classified_as_its_pattern_says() {
        for character in ('\0'..=char::MAX).step_by(stride(8003)) {
            let mut bytes = [b'a'; 6];
            let len = character.encode_utf8(&mut bytes).len();
            let text = std::str::from_utf8(&bytes[..len + 1]).unwrap();
            let expected = if expected_match(character) { 0 } else { len + 1 };
            assert_eq!(PATTERNS.prefix_len(text), expected, "{character:?}");
        }
    }

    #[test]
    fn kernel_agrees_with_scalar_at_every_position() {
        const CHARACTERS: [char; 14] = [
            'a',
            'é',
            '\u{301}',
            '\u{387}',
            '\u{660}',
            '中',
            '\u{2001}',
            '\u{2010}',
            '\u{3099}',
            '\u{309B}',
            'か',
            '\u{2F800}',
            '🎂',
            '\u{1F000}',
        ];
        for filler in ['a', 'é', '中', '😎', 'か'] {
            for len in (0..90).step_by(stride(47)) {
                for edge in CHARACTERS.into_iter().step_by(stride(5)) {
                    for after in [0, 1, 7, 40] {
                        let mut text: String = std::iter::repeat_n(filler, len).collect();
                        text.push(edge);
                        text.extend(std::iter::repeat_n(filler, after));
                        check(&text);
                    }
                }
            }
        }
        let mut random = testing::random(1);
        for _ in 0..if cfg!(miri) { 20 } else { 3000 } {
            let len = random.below(200);
            let rarity = 1 + random.below(100);
            let text: String = (0..len)
                .map(|_| match random.below(rarity) {
                    0 => random.one(&CHARACTERS),
                    _ => random.one(&['a', 'é', '中', '😎', 'か', ' ']),
                })
                .collect();
            check(&text);
        }
    }
}
