//! Escapes of three characters, such as `=C3` and `%C3`, between bytes that represent themselves.

use super::ascii_set::AsciiByteSet;
use super::simd::{self, Kernel, Simd, WIDE_WIDTH, WIDTH, WideSimd};
use super::{compress, hex};

/// The number of bytes of a vector and of the digits of an escape that starts with its last byte.
const WINDOW_LEN: usize = WIDTH + 2;

/// The same for a wide vector.
const WIDE_WINDOW_LEN: usize = WIDE_WIDTH + 2;

/// The bits of the escapes in a vector that has nothing else.
const ESCAPES_ONLY: u32 = 0b001_0010_0100_1001;

/// The indexes of their digits after the first byte.
const DIGITS: [u8; WIDTH] = [0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];

/// The space that is needed to write a vector.
const DECODED_SPACE: usize = 3 * WIDTH / 2;

/// The space that is needed to encode a vector.
const ENCODED_SPACE: usize = 3 * WIDTH + 1;

/// What each byte is encoded to: up to three bytes, and their number in the last one. A byte that is
/// left to the codec has none.
pub type Units = [[u8; 4]; 0x100];

/// Decodes escapes that start with `mark`, and copies the members of `literals` between them. Stops
/// at other bytes, and shortly before the end of a slice. Returns the numbers of bytes read and
/// written.
pub fn decode(mark: u8, literals: &AsciiByteSet, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    simd::run(DecodeKernel::<false> { mark, literals, src, dst })
}

/// Decodes like [`decode`], and also line endings, and as soft line breaks those after `mark`. Stops at
/// white space before a line ending, and not after white space.
pub fn decode_lines(
    mark: u8,
    literals: &AsciiByteSet,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    simd::run(DecodeKernel::<true> { mark, literals, src, dst })
}

/// Encodes bytes to their units, of which `literals` are those of one byte that is the same. Stops at
/// bytes that are left to the codec, and shortly before the end of a slice. Returns the numbers of
/// bytes read and written.
pub fn encode(
    units: &Units,
    literals: &AsciiByteSet,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    simd::run(EncodeKernel { units, literals, src, dst })
}

/// Returns whether a byte is white space inside a line.
#[inline(always)]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The line endings and the white space among the first bytes of sequences: a bit for each byte of a
/// vector.
#[derive(Default)]
struct LineBits {
    /// Soft line breaks, and those with CR LF.
    breaks: u64,
    long_breaks: u64,
    line_ends: u64,
    after_space: u64,
}

/// What becomes of the bytes of a vector.
struct Resolved {
    kept: u64,
    /// Bytes that are left to the codec.
    stops: u64,
    /// The number of bytes after the vector that belong to its last sequence.
    dropped_after: usize,
}

impl LineBits {
    /// Adds the line endings, from the positions of LF at each byte, after it and after the next one,
    /// and of CR at each byte and after it.
    #[inline(always)]
    fn add_newlines(&mut self, marks: u64, lf: [u64; 3], cr: [u64; 2]) {
        self.line_ends = lf[0] | cr[0] & lf[1];
        self.long_breaks = marks & cr[1] & lf[2];
        self.breaks = marks & lf[1] | self.long_breaks;
    }

    /// Adds the white space in a vector, and at the end of the bytes before it.
    #[inline(always)]
    fn add_spaces(&mut self, spaces: u64, before: &[u8]) {
        let is_after_space = before.last().is_some_and(
            #[inline(always)]
            |byte| is_space(*byte),
        );
        self.after_space = spaces << 1 | u64::from(is_after_space);
    }

    /// Returns what becomes of the first `N` bytes, of which `others` are not literals.
    #[inline(always)]
    fn resolve<const N: usize>(&self, others: u64, escapes: u64) -> Resolved {
        let (ones, twos) = (escapes | self.breaks, escapes | self.long_breaks);
        // The bytes for which nothing is written, in this vector and after it.
        let dropped = self.breaks | ones << 1 | twos << 2;
        let dropped_after = ones >> (N - 1) | twos >> (N - 2);
        let converted = escapes | dropped | self.line_ends;
        let stops = others & !converted | self.line_ends & !dropped & self.after_space;
        let stops = stops & u64::MAX >> (64 - N);
        let before_stop = !stops & stops.wrapping_sub(1);
        let dropped_after = dropped_after.count_ones() as usize;
        Resolved { kept: !dropped & before_stop, stops, dropped_after }
    }
}

struct DecodeKernel<'a, const LINES: bool> {
    mark: u8,
    literals: &'a AsciiByteSet,
    src: &'a [u8],
    dst: &'a mut [u8],
}

/// Writes the bytes of the escapes in a vector that has nothing else, from the values of the bytes after
/// its first one. Returns their number.
#[inline(always)]
fn store_escapes<S: Simd>(simd: S, values: S::Bytes, to: &mut [u8; DECODED_SPACE]) -> usize {
    let pairs = simd.shuffle8(values, simd.load(&DIGITS));
    let decoded = simd.mul_add_pairs8(pairs, simd.splat16(0x01_10));
    if let Some(to) = to.first_chunk_mut() {
        simd.store(simd.narrow16(decoded, decoded), to);
    }
    ESCAPES_ONLY.count_ones() as usize
}

impl<const LINES: bool> DecodeKernel<'_, LINES> {
    /// Continues after the given numbers of bytes. Every vector begins with a whole escape or literal.
    #[inline(always)]
    fn run_from<S: Simd>(self, simd: S, mut read: usize, mut written: usize) -> (usize, usize) {
        let DecodeKernel { mark, literals, src, dst } = self;
        let literals = literals.vectors(simd);
        while let (Some(window), Some(to)) = (
            src[read..].first_chunk::<WINDOW_LEN>(),
            dst[written..].first_chunk_mut::<DECODED_SPACE>(),
        ) {
            let (Some(first), Some(second)) = (window.first_chunk(), window[1..].first_chunk())
            else {
                break;
            };
            let (first, second) = (simd.load(first), simd.load(second));
            let others = literals.non_members(simd, first);
            if others == 0 {
                if let Some(to) = to.first_chunk_mut() {
                    simd.store(first, to);
                }
                (read, written) = (read + WIDTH, written + WIDTH);
                continue;
            }
            let is_mark = simd.eq8(first, simd.splat8(mark));
            let marks = simd.movemask8(is_mark);
            // Of the bytes from the second to the last of the window.
            let (values, is_digit) = hex::digit_values(simd, second);
            let last = hex::VALUES[usize::from(window[WINDOW_LEN - 1])];
            let digits = simd.movemask8(is_digit) | u32::from(last < 16) << WIDTH;
            let escapes = marks & digits & digits >> 1;
            if escapes == ESCAPES_ONLY {
                let count = store_escapes(simd, values, to);
                (read, written) = (read + 3 * count, written + count);
                continue;
            }
            let mut lines = LineBits::default();
            if LINES {
                let equal =
                    |bytes, byte| u64::from(simd.movemask8(simd.eq8(bytes, simd.splat8(byte))));
                let second_lf = equal(second, b'\n');
                let third_lf = second_lf >> 1 | u64::from(window[WINDOW_LEN - 1] == b'\n') << 15;
                lines.add_newlines(
                    u64::from(marks),
                    [second_lf << 1 | u64::from(window[0] == b'\n'), second_lf, third_lf],
                    [equal(first, b'\r'), equal(second, b'\r')],
                );
                lines.add_spaces(equal(first, b' ') | equal(first, b'\t'), &src[..read]);
            }
            let found = lines.resolve::<WIDTH>(u64::from(others), u64::from(escapes));
            let low = simd.concat_bytes::<1>(values, simd.splat8(last));
            let decoded = simd.or(simd.shl16::<4>(values), low);
            let output = simd.select(is_mark, decoded, first);
            written += compress::store_compressed8(simd, output, found.kept as u32, to);
            if found.stops != 0 {
                read += found.stops.trailing_zeros() as usize;
                break;
            }
            read += WIDTH + found.dropped_after;
        }
        Self::before_space(src, read, written)
    }

    /// Returns the numbers of bytes without white space at the end: whether it ends a line is not
    /// known.
    #[inline(always)]
    fn before_space(src: &[u8], mut read: usize, mut written: usize) -> (usize, usize) {
        while LINES && read > 0 && is_space(src[read - 1]) {
            (read, written) = (read - 1, written - 1);
        }
        (read, written)
    }
}

impl<const LINES: bool> Kernel for DecodeKernel<'_, LINES> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        self.run_from(simd, 0, 0)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let mark = w.splat8(self.mark);
        let literals = self.literals.wide_vectors(w);
        let equal = |bytes, byte| w.eq8(bytes, w.splat8(byte));
        let (mut read, mut written) = (0, 0);
        while let (Some(window), Some(to)) = (
            self.src[read..].first_chunk::<WIDE_WINDOW_LEN>(),
            self.dst[written..].first_chunk_mut::<WIDE_WIDTH>(),
        ) {
            let (Some(first), Some(second), Some(third)) =
                (window.first_chunk(), window[1..].first_chunk(), window[2..].first_chunk())
            else {
                break;
            };
            let (first, second, third) = (w.load(first), w.load(second), w.load(third));
            let others = literals.non_members(w, first);
            if others == 0 {
                w.store(first, to);
                (read, written) = (read + WIDE_WIDTH, written + WIDE_WIDTH);
                continue;
            }
            let marks = w.eq8(first, mark);
            let (high, is_high) = hex::digit_values_wide(w, second);
            let (low, is_low) = hex::digit_values_wide(w, third);
            let escapes = marks & is_high & is_low;
            let mut lines = LineBits::default();
            if LINES {
                let lf = [first, second, third].map(
                    #[inline(always)]
                    |bytes| equal(bytes, b'\n'),
                );
                lines.add_newlines(marks, lf, [equal(first, b'\r'), equal(second, b'\r')]);
                lines.add_spaces(equal(first, b' ') | equal(first, b'\t'), &self.src[..read]);
            }
            let found = lines.resolve::<WIDE_WIDTH>(others, escapes);
            // The high digits are shifted within lanes of 16 bits.
            let high = w.and(w.shl16::<4>(high), w.splat8(0xF0));
            let output = w.select8(marks, w.or(high, low), first);
            w.store(w.compress8(found.kept, output), to);
            written += found.kept.count_ones() as usize;
            if found.stops != 0 {
                read += found.stops.trailing_zeros() as usize;
                return Self::before_space(self.src, read, written);
            }
            read += WIDE_WIDTH + found.dropped_after;
        }
        self.run_from(w.narrow(), read, written)
    }
}

struct EncodeKernel<'a> {
    units: &'a Units,
    literals: &'a AsciiByteSet,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for EncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let EncodeKernel { units, literals, src, dst } = self;
        let literals = literals.vectors(simd);
        let (mut read, mut written) = (0, 0);
        while let (Some(from), Some(to)) =
            (src[read..].first_chunk::<WIDTH>(), dst[written..].first_chunk_mut::<ENCODED_SPACE>())
        {
            let bytes = simd.load(from);
            if literals.non_members(simd, bytes) == 0 {
                if let Some(to) = to.first_chunk_mut() {
                    simd.store(bytes, to);
                }
                (read, written) = (read + WIDTH, written + WIDTH);
                continue;
            }
            let (count, len) = encode_units(units, from, WIDTH, to);
            (read, written) = (read + count, written + len);
            if count < WIDTH {
                break;
            }
        }
        (read, written)
    }
}

/// Encodes the first `count` bytes of `from`, up to a byte that is left to the codec. Returns the
/// numbers of bytes read and written.
#[inline(always)]
pub(super) fn encode_units(
    units: &Units,
    from: &[u8; WIDTH],
    count: usize,
    to: &mut [u8],
) -> (usize, usize) {
    let mut written = 0;
    for (read, byte) in from[..count.min(WIDTH)].iter().enumerate() {
        let unit = units[usize::from(*byte)];
        let Some(to) = to[written..].first_chunk_mut().filter(|_| unit[3] > 0) else {
            return (read, written);
        };
        *to = unit;
        written += usize::from(unit[3]);
    }
    (count.min(WIDTH), written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing;
    use crate::testing::stride;

    fn is_literal(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte == b' '
    }

    /// Returns what every byte before the first stop is encoded to, one by one.
    fn expected(src: &[u8]) -> Vec<Vec<u8>> {
        let units = src.iter().take_while(|byte| **byte != b'\n');
        units
            .map(|byte| match is_literal(*byte) {
                true => vec![*byte],
                false => format!("%{byte:02X}").into_bytes(),
            })
            .collect()
    }

    #[test]
    fn bytes_are_encoded_and_decoded_up_to_the_last_vector() {
        let literals = AsciiByteSet::new(is_literal);
        let units: Units = std::array::from_fn(|byte| {
            let unit = &expected(&[byte as u8]);
            let mut padded = [0; 4];
            if let [unit] = &unit[..] {
                padded[..unit.len()].copy_from_slice(unit);
                padded[3] = unit.len() as u8;
            }
            padded
        });
        let mut random = testing::random(3);
        for round in 0..if cfg!(miri) { 10 } else { 3000 } {
            let rarity = 1 + random.below(30);
            let src: Vec<u8> = (0..random.below(200))
                .map(|_| match random.below(rarity) {
                    0 => random.byte(),
                    _ if round % 2 == 0 => b'a',
                    _ => 0xC3,
                })
                .collect();
            let expected = expected(&src);
            for level in Level::all() {
                let mut dst = vec![0; 3 * src.len() + ENCODED_SPACE];
                let (literals, src) = (&literals, &src[..]);
                let kernel = EncodeKernel { units: &units, literals, src, dst: &mut dst };
                let (read, written) = level.run(kernel);
                assert!(read == expected.len() || src.len() - read < WIDTH, "{level:?} {src:X?}");
                let encoded = expected[..read].concat();
                assert_eq!(dst[..written], encoded, "{level:?} {src:X?}");
                let mut decoded = vec![0; src.len() + DECODED_SPACE];
                let (end, count) = level.run(DecodeKernel::<false> {
                    mark: b'%',
                    literals,
                    src: &encoded,
                    dst: &mut decoded,
                });
                assert!(encoded.len() - end < WINDOW_LEN, "{level:?} {src:X?}");
                assert_eq!(decoded[..count], src[..count], "{level:?}");
                assert_eq!(expected[..count].concat().len(), end, "{level:?} {src:X?}");
            }
        }
    }

    #[test]
    fn invalid_escapes_stop_decoding() {
        let literals = AsciiByteSet::new(is_literal);
        for (invalid, count) in
            [(&b"%"[..], 0), (b"%G0", 0), (b"%0G", 0), (b"%41%4", 1), (b"\n", 0)]
        {
            for before in (0..40).step_by(stride(15)) {
                let src = [b"%c3".repeat(before), invalid.to_vec(), vec![b'%'; 40]].concat();
                for level in Level::all() {
                    let mut dst = [0; 100];
                    let (literals, src) = (&literals, &src[..]);
                    let kernel = DecodeKernel::<false> { mark: b'%', literals, src, dst: &mut dst };
                    let expected = (3 * (before + count), before + count);
                    assert_eq!(level.run(kernel), expected, "{level:?} {before}");
                    assert!(dst[..before].iter().all(|byte| *byte == 0xC3));
                }
            }
        }
    }

    #[test]
    fn lines_are_decoded_up_to_the_last_vector() {
        let is_literal = |byte| matches!(byte, b' '..=b'~' | b'\t') && byte != b'=';
        let literals = AsciiByteSet::new(is_literal);
        let pieces: [(&[u8], &[u8]); 12] = [
            (b"=C3", b"\xC3"),
            (b"=d0", b"\xD0"),
            (b"a", b"a"),
            (b" b", b" b"),
            (b"\tlonger", b"\tlonger"),
            (b"\n", b"\n"),
            (b"=\n", b""),
            (b"\r\n", b"\r\n"),
            (b"=\r\n", b""),
            (b"=0A", b"\n"),
            (b"=20", b" "),
            (b"0123456789abcdef", b"0123456789abcdef"),
        ];
        let mut random = testing::random(9);
        for _ in 0..if cfg!(miri) { 10 } else { 3000 } {
            let (mut src, mut expected, mut ends) = (vec![], vec![], vec![(0, 0)]);
            let sorts = 1 + random.below(pieces.len());
            let is_rare = 1 + random.below(8);
            for _ in 0..random.below(120) {
                let sort = if random.below(is_rare) == 0 { random.below(sorts) } else { 0 };
                let (encoded, decoded) = pieces[sort];
                src.extend(encoded);
                expected.extend(decoded);
                ends.push((src.len(), expected.len()));
            }
            for level in Level::all() {
                let mut dst = vec![0x55; src.len() + WIDE_WIDTH];
                let (literals, src) = (&literals, &src[..]);
                let kernel = DecodeKernel::<true> { mark: b'=', literals, src, dst: &mut dst };
                let (read, written) = level.run(kernel);
                let label = format!("{level:?} {}", src.escape_ascii());
                assert!(expected.starts_with(&dst[..written]), "{label}");
                // Literals and CR may be read alone.
                let (near, at) = *ends.iter().rfind(|end| end.0 <= read).unwrap();
                assert_eq!(read - near, written - at, "{label}");
                let is_alone = |byte: &u8| is_literal(*byte) || *byte == b'\r';
                assert!(src[near..read].iter().all(is_alone), "{label}");
                assert!(src.len() - read < 2 * WIDTH, "{label}");
            }
        }
    }

    #[test]
    fn lines_stop_before_white_space_at_their_end_and_at_errors() {
        let literals =
            AsciiByteSet::new(|byte| matches!(byte, b' '..=b'~' | b'\t') && byte != b'=');
        for (stop, read, written) in [
            (" \n", 0, 0),
            ("b \t\r\n", 1, 1),
            ("=\nb =G1", 3, 1),
            ("=\r\n\r", 3, 0),
            ("=41 =", 3, 1),
            ("\u{E9}", 0, 0),
            ("\n\r\n\u{7F}", 3, 3),
            (" =\n =\r\n\r\n=", 9, 4),
        ] {
            for len in (0..100).step_by(stride(39)) {
                let src = format!("{}{stop}{}", "a".repeat(len), "=".repeat(40));
                for level in Level::all() {
                    let mut dst = [0; 200];
                    let (literals, src) = (&literals, src.as_bytes());
                    let kernel = DecodeKernel::<true> { mark: b'=', literals, src, dst: &mut dst };
                    let expected = (len + read, len + written);
                    assert_eq!(level.run(kernel), expected, "{level:?} {len} {stop:?}");
                }
            }
        }
    }
}
