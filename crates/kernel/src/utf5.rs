//! UTF-5 (draft-jseng-utf5-00) to and from UTF-8.
//!
//! A window of 64 bytes is classified into bit masks. The number of adjacent characters of the same
//! length is then found by counting bits.

use super::same_length_run::{self, EVERY_FOURTH, EVERY_SECOND, EVERY_THIRD};
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};
use super::{utf8_encode, utf8_to_utf16};

/// The number of bytes that are classified at once.
const WINDOW_LEN: usize = 64;
/// The input that a window needs, in bytes: a step may begin at its last byte.
const MIN_INPUT: usize = WINDOW_LEN + 2 * WIDTH;
/// The output capacity that a step needs, including bytes that the next step overwrites.
const MIN_OUTPUT: usize = 3 * WIDTH;

/// Decodes a prefix of `src` in windows, up to the first malformed or overlong sequence. Lowercase
/// letters are malformed unless `ignore_case` is set. Stops where less than `MIN_INPUT` or
/// `MIN_OUTPUT` is left. Returns the numbers of bytes read and written; bytes after them in `dst`
/// may be overwritten.
#[inline]
pub fn decode(ignore_case: bool, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    if src.len() < MIN_INPUT || dst.len() < MIN_OUTPUT {
        return (0, 0);
    }
    simd::run(Utf5DecodeKernel { ignore_case, src, dst })
}

struct Utf5DecodeKernel<'a> {
    ignore_case: bool,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for Utf5DecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Utf5DecodeKernel { ignore_case, mut src, mut dst } = self;
        let (input_len, output_len) = (src.len(), dst.len());
        let decoder = Utf5WindowDecoder { simd, ignore_case };
        while let (Some(input), MIN_OUTPUT..) = (src.first_chunk(), dst.len()) {
            let (read, written) = decoder.decode_window(input, dst);
            if read == 0 {
                break;
            }
            src = &src[read..];
            dst = &mut dst[written..];
        }
        (input_len - src.len(), output_len - dst.len())
    }
}

/// Bit masks of a window, the first byte lowest.
#[derive(Default)]
struct Utf5DecodeMasks {
    /// Lead digits from 1 to 7, and from 8 to F.
    low_leads: u64,
    high_leads: u64,
    /// Lead digits of any value.
    leads: u64,
    /// Last bytes of characters.
    ends: u64,
}

struct Utf5WindowDecoder<S> {
    simd: S,
    ignore_case: bool,
}

impl<S: Simd> Utf5WindowDecoder<S> {
    /// Loads bytes, with lowercase letters converted to uppercase if case is ignored.
    #[inline(always)]
    fn load(&self, bytes: &[u8; WIDTH]) -> S::Bytes {
        let (simd, bytes) = (self.simd, self.simd.load(bytes));
        if self.ignore_case {
            let is_lowercase = simd.gt_i8(bytes, simd.splat8(b'`'));
            simd.sub8(bytes, simd.and(is_lowercase, simd.splat8(b'a' - b'A')))
        } else {
            bytes
        }
    }

    #[inline(always)]
    fn classify(&self, input: &[u8; MIN_INPUT]) -> Utf5DecodeMasks {
        let (simd, mut window, mut digits) = (self.simd, Utf5DecodeMasks::default(), 0);
        for (index, bytes) in input.as_arrays().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
            let bytes = self.load(bytes);
            let from = |first: u8| {
                let above = simd.gt_i8(bytes, simd.splat8(first - 1));
                u64::from(simd.movemask8(above)) << (index * WIDTH)
            };
            let [zero, after_nine, a, g, h, o, after_v] =
                [b'0', b'9' + 1, b'A', b'G', b'H', b'O', b'V' + 1].map(from);
            digits |= zero & !after_nine | a & !g;
            window.low_leads |= h & !o;
            window.high_leads |= o & !after_v;
            window.leads |= g & !after_v;
        }
        // Whether the last byte ends a character is not known yet.
        window.ends = !(digits >> 1) & u64::MAX >> 1;
        window
    }

    /// Decodes the characters that end in a window. Returns the numbers of bytes read and written,
    /// which are zero if the first character is malformed.
    #[inline(always)]
    fn decode_window(&self, input: &[u8; MIN_INPUT], mut dst: &mut [u8]) -> (usize, usize) {
        let (window, output_len) = (self.classify(input), dst.len());
        let mut at = 0;
        while at < WINDOW_LEN {
            let Some(to) = dst.first_chunk_mut() else { break };
            let Some((read, written)) = self.decode_step(&input[at..], &window, at, to) else {
                break;
            };
            at += read;
            dst = &mut dst[written..];
        }
        (at, output_len - dst.len())
    }

    /// Decodes adjacent characters of the same length from `at` on. Returns the numbers of bytes
    /// read and written, or `None` if the first character is malformed.
    #[inline(always)]
    fn decode_step(
        &self,
        bytes: &[u8],
        window: &Utf5DecodeMasks,
        at: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> Option<(usize, usize)> {
        let simd = self.simd;
        let (vectors, _) = bytes.as_arrays::<WIDTH>();
        let [first, second, ..] = vectors else { return None };
        let is_low = window.low_leads >> at & 1 == 1;
        let leads = (if is_low { window.low_leads } else { window.high_leads }) >> at;
        let ends = window.ends >> at;
        let count = |leads: u64, pattern: u64, len: usize, max: usize| {
            let others = leads ^ pattern | ends ^ pattern << (len - 1);
            (others.trailing_zeros() as usize / len).min(max)
        };
        let (three, two) = (count(leads, EVERY_THIRD, 3, 10), count(leads, EVERY_SECOND, 2, 8));
        if three > 0 {
            return Some((3 * three, self.write_3digit(bytes, is_low, three, to)?));
        } else if two > 0 {
            let units = self.units_2digit(first);
            let bytes = if is_low {
                simd.narrow16(units, units)
            } else {
                utf8_encode::two_byte_sequences(simd, units)
            };
            store_at(simd, bytes, to, 0);
            return Some((2 * two, if is_low { two } else { 2 * two }));
        }
        let four = count((window.low_leads | window.high_leads) >> at, EVERY_FOURTH, 4, 8);
        if four > 0 {
            let count = self.write_4digit([first, second], four, to);
            return (count > 0).then_some((4 * count, 3 * count));
        }
        let len = ends.trailing_zeros() as usize + 1;
        let is_lead = window.leads >> at & 1 == 1;
        Some((len, decode_code_point(bytes.get(..len)?, is_lead, to)?))
    }

    /// Writes characters of four digits each, up to the first surrogate. Returns their number.
    #[inline(always)]
    fn write_4digit(
        &self,
        bytes: [&[u8; WIDTH]; 2],
        count: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> usize {
        let units = self.units_4digit(bytes);
        write_3byte_units(self.simd, units, to, 0);
        // The branch lets the processor continue before the mask is known.
        match self.simd.movemask8(utf8_encode::surrogate_mask(self.simd, units)) {
            0 => count,
            surrogates => count.min(surrogates.trailing_zeros() as usize / 2),
        }
    }

    /// Writes characters of three digits each. Returns the number of bytes.
    #[inline(always)]
    fn write_3digit(
        &self,
        bytes: &[u8],
        is_low: bool,
        count: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> Option<usize> {
        let first = self.units_3digit(bytes.first_chunk()?);
        let second = self.units_3digit(bytes[15..].first_chunk()?);
        if is_low {
            store_at(self.simd, utf8_encode::two_byte_sequences(self.simd, first), to, 0);
            store_at(self.simd, utf8_encode::two_byte_sequences(self.simd, second), to, 10);
            Some(2 * count)
        } else {
            write_3byte_units(self.simd, first, to, 0);
            write_3byte_units(self.simd, second, to, 15);
            Some(3 * count)
        }
    }

    /// Returns the values of digits, lead digits included.
    #[inline(always)]
    fn digit_values(&self, bytes: &[u8; WIDTH]) -> S::Bytes {
        let simd = self.simd;
        let bytes = self.load(bytes);
        // The low bits of the letters count from 1: the value of A is 1 + 9, that of G is 7 + 9,
        // modulo 16.
        let is_letter = simd.gt_i8(bytes, simd.splat8(b'A' - 1));
        let values = simd.add8(bytes, simd.and(is_letter, simd.splat8(9)));
        simd.and(values, simd.splat8(0x0F))
    }

    /// Returns code units of two digits.
    #[inline(always)]
    fn units_2digit(&self, bytes: &[u8; WIDTH]) -> S::Bytes {
        self.simd.mul_add_pairs8(self.digit_values(bytes), self.simd.splat16(0x01_10))
    }

    /// Returns five code units of three digits.
    #[inline(always)]
    fn units_3digit(&self, bytes: &[u8; WIDTH]) -> S::Bytes {
        const LEADS: [u8; WIDTH] =
            [0x80, 0, 0x80, 3, 0x80, 6, 0x80, 9, 0x80, 12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
        const TRAILING_DIGITS: [u8; WIDTH] =
            [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
        let (simd, values) = (self.simd, self.digit_values(bytes));
        let rest = simd.shuffle8(values, simd.load(&TRAILING_DIGITS));
        let rest = simd.mul_add_pairs8(rest, simd.splat16(0x01_10));
        simd.or(rest, simd.shuffle8(values, simd.load(&LEADS)))
    }

    /// Returns eight code units of four digits.
    #[inline(always)]
    fn units_4digit(&self, bytes: [&[u8; WIDTH]; 2]) -> S::Bytes {
        let simd = self.simd;
        let [first, second] = bytes.map(|bytes| {
            let bytes = simd.mul_add_pairs8(self.digit_values(bytes), simd.splat16(0x01_10));
            simd.mul_add_pairs16(bytes, simd.splat32(0x1_0100))
        });
        simd.narrow32(first, second)
    }
}

#[inline(always)]
fn store_at<S: Simd>(simd: S, bytes: S::Bytes, to: &mut [u8; MIN_OUTPUT], at: usize) {
    if let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
        simd.store(bytes, to);
    }
}

/// Writes eight code units of three UTF-8 bytes each.
#[inline(always)]
fn write_3byte_units<S: Simd>(simd: S, units: S::Bytes, to: &mut [u8; MIN_OUTPUT], at: usize) {
    let [first, second] = utf8_encode::three_byte_sequences(simd, units);
    store_at(simd, first, to, at);
    store_at(simd, second, to, at + 12);
}

/// Writes the character of up to six digits and returns its length in bytes, or `None` if the
/// sequence is malformed.
#[inline(always)]
fn decode_code_point(bytes: &[u8], is_lead: bool, to: &mut [u8; MIN_OUTPUT]) -> Option<usize> {
    if !is_lead || bytes.len() > 6 || bytes[0].eq_ignore_ascii_case(&b'G') && bytes.len() > 1 {
        return None;
    }
    let values = bytes.iter().map(|byte| match byte.to_ascii_uppercase() {
        digit @ b'0'..=b'9' => digit - b'0',
        digit @ b'A'..=b'F' => digit - b'A' + 10,
        lead => lead.wrapping_sub(b'G'),
    });
    let value = values.fold(0, |value, digit| value << 4 | u32::from(digit));
    Some(char::from_u32(value)?.encode_utf8(to).len())
}

/// Encodes a prefix of `text` in windows. Stops where less than `MIN_INPUT` or `MIN_OUTPUT` is
/// left. Returns the numbers of bytes read and written; bytes after them in `dst` may be
/// overwritten.
#[inline]
pub fn encode(text: &str, dst: &mut [u8]) -> (usize, usize) {
    if text.len() < MIN_INPUT || dst.len() < MIN_OUTPUT {
        return (0, 0);
    }
    simd::run(Utf5EncodeKernel { text, dst })
}

struct Utf5EncodeKernel<'a> {
    text: &'a str,
    dst: &'a mut [u8],
}

impl Kernel for Utf5EncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Utf5EncodeKernel { text, mut dst } = self;
        let (mut src, output_len) = (text.as_bytes(), dst.len());
        let encoder = Utf5WindowEncoder { simd, hex: simd.load(b"0123456789ABCDEF") };
        loop {
            let count = encoder.encode_ascii(src, dst);
            src = &src[count..];
            dst = &mut dst[2 * count..];
            let Some(input) = src.first_chunk() else { break };
            if dst.len() < MIN_OUTPUT {
                break;
            }
            let (read, written) = encoder.encode_window(input, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        (text.len() - src.len(), output_len - dst.len())
    }
}

/// Bit masks of a window, the first byte lowest.
#[derive(Default)]
struct Utf5EncodeMasks {
    /// ASCII from U+0010.
    ascii: u64,
    /// Lead bytes of characters up to U+00FF, U+07FF, U+0FFF and U+FFFF.
    latin1: u64,
    two_byte: u64,
    up_to_0fff: u64,
    three_byte: u64,
}

/// Returns how many of the characters from `at` on have their lead bytes in `leads`, at most `max`.
#[inline(always)]
fn count_run(leads: u64, at: usize, len: usize, pattern: u64, max: usize) -> usize {
    (((leads >> at) ^ pattern).trailing_zeros() as usize / len).min(max)
}

struct Utf5WindowEncoder<S: Simd> {
    simd: S,
    hex: S::Bytes,
}

impl<S: Simd> Utf5WindowEncoder<S> {
    #[inline(always)]
    fn classify(&self, input: &[u8; MIN_INPUT]) -> Utf5EncodeMasks {
        let (simd, mut window) = (self.simd, Utf5EncodeMasks::default());
        for (index, text) in input.as_arrays().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
            let text = simd.load(text);
            // As signed numbers, all lead bytes are above all continuation bytes and below ASCII.
            let from = |first: u8| {
                let below = simd.splat8(first.wrapping_sub(1));
                u64::from(simd.movemask8(simd.gt_i8(text, below))) << (index * WIDTH)
            };
            let [one, latin, two, short, three, four] =
                [0x10, 0xC0, 0xC4, 0xE0, 0xE1, 0xF0].map(from);
            window.ascii |= one;
            window.latin1 |= latin & !two;
            window.two_byte |= two & !short;
            window.up_to_0fff |= short & !three;
            window.three_byte |= three & !four;
        }
        window
    }

    /// Encodes leading vectors of ASCII from U+0010. Returns the number of bytes read.
    #[inline(always)]
    fn encode_ascii(&self, src: &[u8], dst: &mut [u8]) -> usize {
        let simd = self.simd;
        let to = dst.as_arrays_mut::<WIDTH>().0.as_arrays_mut::<2>().0;
        let vectors = src.as_arrays::<WIDTH>().0.iter().zip(to);
        let mut count = 0;
        for (text, [first, second]) in vectors {
            let text = simd.load(text);
            if simd.movemask8(simd.gt_i8(text, simd.splat8(0x0F))) != 0xFFFF {
                break;
            }
            let pairs = self.digit_pairs(text);
            simd.store(pairs[0], first);
            simd.store(pairs[1], second);
            count += WIDTH;
        }
        count
    }

    /// Encodes the characters that begin in a window. Returns the numbers of bytes read and
    /// written.
    #[inline(always)]
    fn encode_window(&self, input: &[u8; MIN_INPUT], mut dst: &mut [u8]) -> (usize, usize) {
        let (window, output_len) = (self.classify(input), dst.len());
        let mut at = 0;
        while at < WINDOW_LEN {
            let Some(to) = dst.first_chunk_mut() else { break };
            let (read, written) = self.encode_step(&input[at..], &window, at, to);
            at += read;
            dst = &mut dst[written..];
        }
        (at, output_len - dst.len())
    }

    /// Encodes adjacent characters of the same length from `at` on. Returns the numbers of bytes
    /// read and written.
    #[inline(always)]
    fn encode_step(
        &self,
        text: &[u8],
        window: &Utf5EncodeMasks,
        at: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> (usize, usize) {
        let simd = self.simd;
        let Some(input) = text.first_chunk::<{ WIDTH + 2 }>() else { return (0, 0) };
        let Some(vector) = input.first_chunk::<WIDTH>() else { return (0, 0) };
        match input[0] {
            control @ 0x00..=0x0F => {
                to[0] = b'G' + control;
                (1, 1)
            }
            0x10..=0x7F => {
                let count = count_run(window.ascii, at, 1, u64::MAX, WIDTH);
                self.write_2digit(simd.load(vector), to);
                (count, 2 * count)
            }
            0xC0..=0xC3 => {
                let count = count_run(window.latin1, at, 2, EVERY_SECOND, WIDTH / 2);
                let units =
                    simd.and(utf8_to_utf16::units_from_2byte(simd, vector), simd.splat16(0xFF));
                self.write_2digit(simd.narrow16(units, units), to);
                (2 * count, 2 * count)
            }
            0xC4..=0xDF => {
                let count = count_run(window.two_byte, at, 2, EVERY_SECOND, WIDTH / 2);
                self.write_3digit(utf8_to_utf16::units_from_2byte(simd, vector), to);
                (2 * count, 3 * count)
            }
            0xE0 => {
                let count = count_run(window.up_to_0fff, at, 3, EVERY_THIRD, 6);
                self.write_3digit(utf8_to_utf16::units_from_3byte(simd, input), to);
                (3 * count, 3 * count)
            }
            0xE1..=0xEF => {
                let count = count_run(window.three_byte, at, 3, EVERY_THIRD, 6);
                self.write_4digit(utf8_to_utf16::units_from_3byte(simd, input), to);
                (3 * count, 4 * count)
            }
            _ => (4, encode_code_point(same_length_run::decode_four_byte(vector), to)),
        }
    }

    /// Returns the digits of the low nibbles of bytes.
    #[inline(always)]
    fn low_nibble_digits(&self, bytes: S::Bytes) -> S::Bytes {
        self.simd.shuffle8(self.hex, self.simd.and(bytes, self.simd.splat8(0x0F)))
    }

    /// Returns two digits of each byte, a lead digit first.
    #[inline(always)]
    fn digit_pairs(&self, bytes: S::Bytes) -> [S::Bytes; 2] {
        let simd = self.simd;
        let high = simd.and(simd.shr16::<4>(bytes), simd.splat8(0x0F));
        let (leads, digits) = (simd.add8(high, simd.splat8(b'G')), self.low_nibble_digits(bytes));
        [simd.zip_low8(leads, digits), simd.zip_high8(leads, digits)]
    }

    /// Writes two digits of each byte.
    #[inline(always)]
    fn write_2digit(&self, bytes: S::Bytes, to: &mut [u8; MIN_OUTPUT]) {
        let [first, second] = self.digit_pairs(bytes);
        store_at(self.simd, first, to, 0);
        store_at(self.simd, second, to, WIDTH);
    }

    /// Writes three digits of each code unit.
    #[inline(always)]
    fn write_3digit(&self, units: S::Bytes, to: &mut [u8; MIN_OUTPUT]) {
        const SHUFFLE: [u8; WIDTH] = [1, 2, 0, 5, 6, 4, 9, 10, 8, 13, 14, 12, 128, 128, 128, 128];
        let (simd, shuffle) = (self.simd, self.simd.load(&SHUFFLE));
        let leads = simd.add16(simd.and(units, simd.splat16(0x0F00)), simd.splat16(0x4700));
        let last = simd.and(self.low_nibble_digits(units), simd.splat16(0x00FF));
        let middle = self.low_nibble_digits(simd.shr16::<4>(units));
        let ends = simd.or(leads, last);
        let first = simd.shuffle8(simd.zip_low16(ends, middle), shuffle);
        store_at(self.simd, first, to, 0);
        store_at(self.simd, simd.shuffle8(simd.zip_high16(ends, middle), shuffle), to, 12);
    }

    /// Writes four digits of each code unit.
    #[inline(always)]
    fn write_4digit(&self, units: S::Bytes, to: &mut [u8; MIN_OUTPUT]) {
        let simd = self.simd;
        // The digits are in the order of the bytes of a unit: those of the low byte first.
        let (even, odd) =
            (self.low_nibble_digits(simd.shr16::<4>(units)), self.low_nibble_digits(units));
        let lead = simd.and(simd.shr16::<4>(units), simd.splat16(0x0F00));
        let lead = simd.add16(lead, simd.splat16(0x4700));
        let even = simd.or(lead, simd.and(even, simd.splat16(0x00FF)));
        const SHUFFLE: [u8; WIDTH] = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
        let shuffle = simd.load(&SHUFFLE);
        store_at(self.simd, simd.shuffle8(simd.zip_low8(even, odd), shuffle), to, 0);
        store_at(self.simd, simd.shuffle8(simd.zip_high8(even, odd), shuffle), to, WIDTH);
    }
}

/// Writes the digits of a value and returns their number.
#[inline(always)]
fn encode_code_point(value: u32, to: &mut [u8; MIN_OUTPUT]) -> usize {
    let (bytes, len) = encode_hex(value);
    to[..8].copy_from_slice(&bytes);
    len
}

/// Returns the UTF-5 sequence of a value in eight bytes, and its length.
#[inline(always)]
pub fn encode_hex(value: u32) -> ([u8; 8], usize) {
    let len = digit_count(value);
    let bits = u64::from(value << (u32::BITS as usize - 4 * len));
    // One byte for each digit, the first one highest.
    let bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
    let bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF;
    let nibbles = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    // `A` is seven code points after `9` + 1, but not in the first digit.
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0001_0101_0101_0101;
    ((nibbles + 7 * letters + u64::from_be_bytes(*b"G0000000")).to_be_bytes(), len)
}

/// Returns the number of hexadecimal digits of a value, at least one.
pub fn digit_count(value: u32) -> usize {
    value.checked_ilog2().map_or(1, |bit| bit as usize / 4 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Level;
    use crate::testing::stride;

    /// Encodes a text with `format!`.
    fn reference_encode(text: &str) -> Vec<u8> {
        let digits = |character: char| {
            let digits = format!("{:X}", u32::from(character)).into_bytes();
            let first = char::from(digits[0]).to_digit(16).unwrap() as u8;
            [&[b'G' + first], &digits[1..]].concat()
        };
        text.chars().flat_map(digits).collect()
    }

    /// Returns the first and last characters of each number of digits, in runs of each length.
    fn sample_texts() -> impl Iterator<Item = String> {
        const SAMPLES: [[char; 3]; 8] = [
            ['\0', '\n', '\u{F}'],
            ['\u{10}', 'a', '\u{7F}'],
            ['\u{80}', 'é', '\u{FF}'],
            ['\u{100}', 'ж', '\u{7FF}'],
            ['\u{800}', 'क', '\u{FFF}'],
            ['\u{1000}', '\u{D7FF}', '\u{FFFF}'],
            ['\u{10000}', '😀', '\u{FFFFF}'],
            ['\u{100000}', '\u{101234}', '\u{10FFFF}'],
        ];
        (0..SAMPLES.len() * SAMPLES.len() * 20).step_by(stride(201)).map(|index| {
            let (first, rest) = (index % 8, index / 8);
            let (second, count) = (rest % 8, 1 + rest / 8);
            let some = |sort: usize, count| SAMPLES[sort].iter().cycle().skip(count).take(count);
            let mut text = String::new();
            while text.len() < 250 {
                text.extend(some(first, count).chain(some(second, 1 + text.len() % count)));
            }
            text
        })
    }

    /// Runs the encoder. Returns the number of bytes read and the bytes written.
    fn encode_at(level: Level, text: &str, output_len: usize) -> (usize, Vec<u8>) {
        let mut dst = vec![0x55; output_len];
        let (read, written) = level.run(Utf5EncodeKernel { text, dst: &mut dst });
        dst.truncate(written);
        (read, dst)
    }

    /// Runs the decoder. Returns the number of bytes read and the text.
    fn decode_at(
        level: Level,
        ignore_case: bool,
        src: &[u8],
        output_len: usize,
    ) -> (usize, String) {
        let mut dst = vec![0x55; output_len];
        let (read, written) = level.run(Utf5DecodeKernel { ignore_case, src, dst: &mut dst });
        dst.truncate(written);
        (read, String::from_utf8(dst).unwrap())
    }

    #[test]
    fn conversion_agrees_with_format_at_every_level() {
        for text in sample_texts() {
            let bytes = reference_encode(&text);
            for output_len in [0, 47, 48, 49, 100, 2000] {
                for level in Level::all() {
                    let context = format!("{level:?} {output_len} {text:?}");
                    let (read, encoded) = encode_at(level, &text, output_len);
                    let full = output_len - encoded.len() < MIN_OUTPUT;
                    assert!(full || text.len() - read < MIN_INPUT, "{context} stops early");
                    assert_eq!(encoded, reference_encode(&text[..read]), "{context}");

                    let (read, decoded) = decode_at(level, false, &bytes, output_len);
                    let full = output_len - decoded.len() < MIN_OUTPUT;
                    assert!(full || bytes.len() - read < MIN_INPUT, "{context} stops early");
                    assert!(text.starts_with(&decoded), "{context}");
                    assert_eq!(reference_encode(&decoded), bytes[..read], "{context}");
                }
            }
        }
    }

    #[test]
    fn ignore_case_accepts_lowercase_digits() {
        for text in sample_texts() {
            let src = reference_encode(&text).to_ascii_lowercase();
            for level in Level::all() {
                let (read, found) = decode_at(level, true, &src, 2000);
                assert!(src.len() - read < MIN_INPUT, "{level:?} {text:?} stops early");
                let rest = text.strip_prefix(&found).unwrap();
                assert_eq!(reference_encode(rest).len(), src.len() - read, "{level:?} {text:?}");
                for invalid in [b'`', b'w'] {
                    assert_eq!(decode_at(level, true, &[invalid; 200], 2000), (0, String::new()));
                }
            }
        }
    }

    #[test]
    fn converting_every_scalar_value_agrees_with_format() {
        let all: String = ('\0'..=char::MAX).step_by(stride(8003)).collect();
        let bytes = reference_encode(&all);
        for level in Level::all() {
            let (read, encoded) = encode_at(level, &all, bytes.len());
            assert!(all.len() - read < 2 * MIN_INPUT, "{level:?}");
            assert!(bytes.starts_with(&encoded), "{level:?}");

            let (read, decoded) = decode_at(level, false, &bytes, all.len());
            assert!(bytes.len() - read < 2 * MIN_INPUT, "{level:?}");
            let rest = all.strip_prefix(&decoded).unwrap();
            assert_eq!(bytes[read..], reference_encode(rest), "{level:?}");
        }
    }

    #[test]
    fn decoding_stops_before_an_error_at_every_position() {
        // Bytes that UTF-5 does not use, digits without a lead digit, leading zeros, surrogates,
        // and values above U+10FFFF.
        let invalid_sequences: [&[u8]; 13] = [
            b"\n", b"a", b"g", b"\x80", b"@", b"W", b"/", b":", b"GA", b"G00", b"T800", b"TFFF",
            b"I10000",
        ];
        let parts = ["ab", "жя", "क", "中文", "é", "😀", "a中b"];
        for part in parts.into_iter().step_by(stride(2)) {
            let valid = reference_encode(&part.repeat(30));
            for invalid in invalid_sequences {
                for before in (0..20).step_by(stride(11)) {
                    let before = reference_encode(&part.repeat(before));
                    let src = [&before[..], invalid, &valid[..], &[b'I'; 100]].concat();
                    for level in Level::all() {
                        let (read, found) = decode_at(level, false, &src, 2000);
                        assert_eq!(read, before.len(), "{level:?} {invalid:?} after {part}");
                        assert_eq!(reference_encode(&found), before, "{level:?} {invalid:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_21_bit_value_agrees_with_format() {
        for value in
            (0..=0x1F_FFFF).step_by(stride(19947)).chain([0x7FFF_FFFF, 0x9ABC_DEF0, u32::MAX])
        {
            let printed = format!("{value:X}");
            let first = value >> (4 * (printed.len() - 1));
            let lead = char::from(b'G' + first as u8);
            let (bytes, len) = encode_hex(value);
            assert_eq!(bytes[..len], *format!("{lead}{}", &printed[1..]).as_bytes());
        }
    }
}
