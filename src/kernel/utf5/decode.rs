//! From UTF-5 to text.

use crate::kernel::simd::{self, Kernel, Simd, WIDTH};
use crate::kernel::utf7::utf16_to_utf8;

/// Bytes that are sorted together.
const WINDOW_LEN: usize = 64;
/// Bytes that must be there: a step may begin at the last of a window.
pub(super) const MIN_INPUT: usize = WINDOW_LEN + 2 * WIDTH;
/// Bytes that there must be space for, those included that the next step overwrites.
pub(super) const MIN_OUTPUT: usize = 3 * WIDTH;

/// Decodes what is in its shortest form, and in capital letters if not `fold`, at the start of
/// `src`. Stops before what is not, and where the space might not do or the end of `src` is
/// near. Bytes read and bytes written; what stands in `dst` after them is of no meaning.
#[inline]
pub fn decode(ignore_case: bool, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    if src.len() < MIN_INPUT || dst.len() < MIN_OUTPUT {
        return (0, 0);
    }
    simd::run(Utf5DecodeKernel { ignore_case, src, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn decode_at_level(
    level: simd::Level,
    ignore_case: bool,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    level.run(Utf5DecodeKernel { ignore_case, src, dst })
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
        let reader = Utf5WindowDecoder { simd, ignore_case: ignore_case };
        while let Some(input) = src.first_chunk()
            && dst.len() >= MIN_OUTPUT
        {
            let (read, written) = reader.decode_window(input, dst);
            if read == 0 {
                break;
            }
            src = &src[read..];
            dst = &mut dst[written..];
        }
        (input_len - src.len(), output_len - dst.len())
    }
}

/// For each byte of a window a bit, that of the first one lowest.
#[derive(Default)]
struct Utf5DecodeMasks {
    /// Heads from 1 to 7, and from 8 to F.
    low_leads: u64,
    high_leads: u64,
    /// Heads of any value.
    leads: u64,
    /// The last bytes of characters.
    ends: u64,
}

const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

struct Utf5WindowDecoder<S> {
    simd: S,
    ignore_case: bool,
}

impl<S: Simd> Utf5WindowDecoder<S> {
    /// Bytes, in capital letters if that makes no difference.
    #[inline(always)]
    fn load(&self, bytes: &[u8; WIDTH]) -> S::Bytes {
        let (simd, bytes) = (self.simd, self.simd.load(bytes));
        if self.ignore_case {
            let is_small = simd.gt_i8(bytes, simd.splat8(b'`'));
            simd.sub8(bytes, simd.and(is_small, simd.splat8(b'a' - b'A')))
        } else {
            bytes
        }
    }

    #[inline(always)]
    fn classify(&self, input: &[u8; MIN_INPUT]) -> Utf5DecodeMasks {
        let (simd, mut window, mut digits) = (self.simd, Utf5DecodeMasks::default(), 0);
        for (index, bytes) in input.as_chunks().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
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
        // Whether the last one is an end is out of sight.
        window.ends = !(digits >> 1) & u64::MAX >> 1;
        window
    }

    /// Reads the characters that end in a window. Bytes read and bytes written: nothing if the
    /// first one is in doubt.
    #[inline(always)]
    fn decode_window(&self, input: &[u8; MIN_INPUT], mut dst: &mut [u8]) -> (usize, usize) {
        let (window, output_len) = (self.classify(input), dst.len());
        let mut at = 0;
        while at < WINDOW_LEN
            && let Some(to) = dst.first_chunk_mut()
        {
            let Some((read, written)) = self.decode_step(&input[at..], &window, at, to) else {
                break;
            };
            at += read;
            dst = &mut dst[written..];
        }
        (at, output_len - dst.len())
    }

    /// Reads the characters of one sort that stand at `at`.
    #[inline(always)]
    fn decode_step(
        &self,
        bytes: &[u8],
        window: &Utf5DecodeMasks,
        at: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> Option<(usize, usize)> {
        let simd = self.simd;
        let (vectors, _) = bytes.as_chunks::<WIDTH>();
        let [first, second, ..] = vectors else { return None };
        let is_low = window.low_leads >> at & 1 == 1;
        let heads = (if is_low { window.low_leads } else { window.high_leads }) >> at;
        let ends = window.ends >> at;
        let count = |heads: u64, pattern: u64, len: usize, max: usize| {
            let others = heads ^ pattern | ends ^ pattern << (len - 1);
            (others.trailing_zeros() as usize / len).min(max)
        };
        let (three, two) = (count(heads, EVERY_THIRD, 3, 10), count(heads, EVERY_SECOND, 2, 8));
        if three > 0 {
            return Some((3 * three, self.write_3digit(bytes, is_low, three, to)?));
        } else if two > 0 {
            let units = self.units_2digit(first);
            let bytes = if is_low {
                simd.narrow16(units, units)
            } else {
                utf16_to_utf8::encode_2byte(simd, units)
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
        let is_head = window.leads >> at & 1 == 1;
        Some((len, write_code_point(bytes.get(..len)?, is_head, to)?))
    }

    /// Writes characters of four digits each, up to the first surrogate; says how many that is.
    #[inline(always)]
    fn write_4digit(
        &self,
        bytes: [&[u8; WIDTH]; 2],
        count: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> usize {
        let units = self.units_4digit(bytes);
        write_3byte_units(self.simd, units, to, 0);
        // To ask lets the processor go on before it knows.
        match utf16_to_utf8::surrogate_bits(self.simd, units) {
            0 => count,
            surrogates => count.min(surrogates.trailing_zeros() as usize / 2),
        }
    }

    /// Writes characters of three digits each; says how many bytes that is.
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
            store_at(self.simd, utf16_to_utf8::encode_2byte(self.simd, first), to, 0);
            store_at(self.simd, utf16_to_utf8::encode_2byte(self.simd, second), to, 10);
            Some(2 * count)
        } else {
            write_3byte_units(self.simd, first, to, 0);
            write_3byte_units(self.simd, second, to, 15);
            Some(3 * count)
        }
    }

    /// The values of digits and heads.
    #[inline(always)]
    fn digit_values(&self, bytes: &[u8; WIDTH]) -> S::Bytes {
        let simd = self.simd;
        let bytes = self.load(bytes);
        // The low bits of the letters count from 1, so that A is 9 and 1 and G is 9 and 7.
        let is_letter = simd.gt_i8(bytes, simd.splat8(b'A' - 1));
        let values = simd.add8(bytes, simd.and(is_letter, simd.splat8(9)));
        simd.and(values, simd.splat8(0x0F))
    }

    /// Units of two digits.
    #[inline(always)]
    fn units_2digit(&self, bytes: &[u8; WIDTH]) -> S::Bytes {
        self.simd.mul_add_pairs8(self.digit_values(bytes), self.simd.splat16(0x01_10))
    }

    /// Five units of three digits.
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

    /// Eight units of four digits.
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

/// Eight units of three bytes each.
#[inline(always)]
fn write_3byte_units<S: Simd>(simd: S, units: S::Bytes, to: &mut [u8; MIN_OUTPUT], at: usize) {
    let [first, second] = utf16_to_utf8::encode_3byte(simd, units);
    store_at(simd, first, to, at);
    store_at(simd, second, to, at + 12);
}

/// Writes a character of one digit, or of five or six, if it is one.
#[inline(always)]
fn write_code_point(bytes: &[u8], is_head: bool, to: &mut [u8; MIN_OUTPUT]) -> Option<usize> {
    if !is_head || bytes.len() > 6 || bytes[0].eq_ignore_ascii_case(&b'G') && bytes.len() > 1 {
        return None;
    }
    let values = bytes.iter().map(|byte| match byte.to_ascii_uppercase() {
        digit @ b'0'..=b'9' => digit - b'0',
        digit @ b'A'..=b'F' => digit - b'A' + 10,
        head => head.wrapping_sub(b'G'),
    });
    let value = values.fold(0, |value, digit| value << 4 | u32::from(digit));
    Some(char::from_u32(value)?.encode_utf8(to).len())
}
