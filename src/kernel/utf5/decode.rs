//! From UTF-5 to text.

use crate::kernel::simd::{self, Loop, Simd, WIDTH};
use crate::kernel::utf7::text;

/// Octets that are sorted together.
const WINDOW: usize = 64;
/// Octets that must be there: a step may begin at the last of a window.
pub(super) const NEAR: usize = WINDOW + 2 * WIDTH;
/// Bytes that there must be room for, those included that the next step overwrites.
pub(super) const ROOM: usize = 3 * WIDTH;

/// Decodes what is in its shortest form, and in capital letters if not `fold`, at the front of
/// `src`. Stops in front of what is not, and where the room might not do or the end of `src` is
/// near. Octets read and bytes written; what stands in `dst` behind them is of no meaning.
#[inline]
pub fn decode(fold: bool, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    if src.len() < NEAR || dst.len() < ROOM {
        return (0, 0);
    }
    simd::run(Decode { fold, src, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn at(level: simd::Level, fold: bool, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    level.run(Decode { fold, src, dst })
}

struct Decode<'a> {
    fold: bool,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Loop for Decode<'_> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Decode { fold, mut src, mut dst } = self;
        let (there, room) = (src.len(), dst.len());
        let reader = Reader { simd, fold };
        while let Some(near) = src.first_chunk()
            && dst.len() >= ROOM
        {
            let (read, written) = reader.window(near, dst);
            if read == 0 {
                break;
            }
            src = &src[read..];
            dst = &mut dst[written..];
        }
        (there - src.len(), room - dst.len())
    }
}

/// For each octet of a window a bit, that of the first one lowest.
#[derive(Default)]
struct Window {
    /// Heads from 1 to 7, and from 8 to F.
    low: u64,
    high: u64,
    /// Heads of any value.
    heads: u64,
    /// The last octets of characters.
    ends: u64,
}

const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

struct Reader<S> {
    simd: S,
    fold: bool,
}

impl<S: Simd> Reader<S> {
    /// Octets, in capital letters if that makes no difference.
    #[inline(always)]
    fn load(&self, octets: &[u8; WIDTH]) -> S::Bytes {
        let (simd, octets) = (self.simd, self.simd.load(octets));
        if self.fold {
            let is_small = simd.greater_signed8(octets, simd.splat8(b'`'));
            simd.sub8(octets, simd.and(is_small, simd.splat8(b'a' - b'A')))
        } else {
            octets
        }
    }

    #[inline(always)]
    fn sort(&self, near: &[u8; NEAR]) -> Window {
        let (simd, mut window, mut digits) = (self.simd, Window::default(), 0);
        for (index, octets) in near.as_chunks().0.iter().take(WINDOW / WIDTH).enumerate() {
            let octets = self.load(octets);
            let from = |first: u8| {
                let above = simd.greater_signed8(octets, simd.splat8(first - 1));
                u64::from(simd.mask8(above)) << (index * WIDTH)
            };
            let [zero, behind_nine, a, g, h, o, behind_v] =
                [b'0', b'9' + 1, b'A', b'G', b'H', b'O', b'V' + 1].map(from);
            digits |= zero & !behind_nine | a & !g;
            window.low |= h & !o;
            window.high |= o & !behind_v;
            window.heads |= g & !behind_v;
        }
        // Whether the last one is an end is out of sight.
        window.ends = !(digits >> 1) & u64::MAX >> 1;
        window
    }

    /// Reads the characters that end in a window. Octets read and bytes written: nothing if the
    /// first one is in doubt.
    #[inline(always)]
    fn window(&self, near: &[u8; NEAR], mut dst: &mut [u8]) -> (usize, usize) {
        let (window, room) = (self.sort(near), dst.len());
        let mut at = 0;
        while at < WINDOW
            && let Some(to) = dst.first_chunk_mut()
        {
            let Some((read, written)) = self.step(&near[at..], &window, at, to) else { break };
            at += read;
            dst = &mut dst[written..];
        }
        (at, room - dst.len())
    }

    /// Reads the characters of one sort that stand at `at`.
    #[inline(always)]
    fn step(
        &self,
        octets: &[u8],
        window: &Window,
        at: usize,
        to: &mut [u8; ROOM],
    ) -> Option<(usize, usize)> {
        let simd = self.simd;
        let (vectors, _) = octets.as_chunks::<WIDTH>();
        let [first, second, ..] = vectors else { return None };
        let is_low = window.low >> at & 1 == 1;
        let heads = (if is_low { window.low } else { window.high }) >> at;
        let ends = window.ends >> at;
        let count = |heads: u64, pattern: u64, len: usize, most: usize| {
            let others = heads ^ pattern | ends ^ pattern << (len - 1);
            (others.trailing_zeros() as usize / len).min(most)
        };
        let (three, two) = (count(heads, EVERY_THIRD, 3, 10), count(heads, EVERY_SECOND, 2, 8));
        if three > 0 {
            return Some((3 * three, self.put_threes(octets, is_low, three, to)?));
        } else if two > 0 {
            let units = self.twos(first);
            let bytes = if is_low { simd.pack16(units, units) } else { text::twos(simd, units) };
            store(simd, bytes, to, 0);
            return Some((2 * two, if is_low { two } else { 2 * two }));
        }
        let four = count((window.low | window.high) >> at, EVERY_FOURTH, 4, 8);
        if four > 0 {
            let count = self.put_fours([first, second], four, to);
            return (count > 0).then_some((4 * count, 3 * count));
        }
        let len = ends.trailing_zeros() as usize + 1;
        let is_head = window.heads >> at & 1 == 1;
        Some((len, one(octets.get(..len)?, is_head, to)?))
    }

    /// Writes characters of four digits each, up to the first surrogate; says how many that is.
    #[inline(always)]
    fn put_fours(&self, octets: [&[u8; WIDTH]; 2], count: usize, to: &mut [u8; ROOM]) -> usize {
        let units = self.fours(octets);
        put(self.simd, units, to, 0);
        // To ask lets the processor go on before it knows.
        match text::surrogates(self.simd, units) {
            0 => count,
            surrogates => count.min(surrogates.trailing_zeros() as usize / 2),
        }
    }

    /// Writes characters of three digits each; says how many bytes that is.
    #[inline(always)]
    fn put_threes(
        &self,
        octets: &[u8],
        is_low: bool,
        count: usize,
        to: &mut [u8; ROOM],
    ) -> Option<usize> {
        let first = self.threes(octets.first_chunk()?);
        let second = self.threes(octets[15..].first_chunk()?);
        if is_low {
            store(self.simd, text::twos(self.simd, first), to, 0);
            store(self.simd, text::twos(self.simd, second), to, 10);
            Some(2 * count)
        } else {
            put(self.simd, first, to, 0);
            put(self.simd, second, to, 15);
            Some(3 * count)
        }
    }

    /// The values of digits and heads.
    #[inline(always)]
    fn values(&self, octets: &[u8; WIDTH]) -> S::Bytes {
        let simd = self.simd;
        let octets = self.load(octets);
        // The low bits of the letters count from 1, so that A is 9 and 1 and G is 9 and 7.
        let is_letter = simd.greater_signed8(octets, simd.splat8(b'A' - 1));
        let values = simd.add8(octets, simd.and(is_letter, simd.splat8(9)));
        simd.and(values, simd.splat8(0x0F))
    }

    /// Units of two digits.
    #[inline(always)]
    fn twos(&self, octets: &[u8; WIDTH]) -> S::Bytes {
        self.simd.mul_add8(self.values(octets), self.simd.splat16(0x01_10))
    }

    /// Five units of three digits.
    #[inline(always)]
    fn threes(&self, octets: &[u8; WIDTH]) -> S::Bytes {
        const HEADS: [u8; WIDTH] =
            [0x80, 0, 0x80, 3, 0x80, 6, 0x80, 9, 0x80, 12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
        const REST: [u8; WIDTH] =
            [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
        let (simd, values) = (self.simd, self.values(octets));
        let rest = simd.shuffle8(values, simd.load(&REST));
        let rest = simd.mul_add8(rest, simd.splat16(0x01_10));
        simd.or(rest, simd.shuffle8(values, simd.load(&HEADS)))
    }

    /// Eight units of four digits.
    #[inline(always)]
    fn fours(&self, octets: [&[u8; WIDTH]; 2]) -> S::Bytes {
        let simd = self.simd;
        let [first, second] = octets.map(|octets| {
            let octets = simd.mul_add8(self.values(octets), simd.splat16(0x01_10));
            simd.mul_add16(octets, simd.splat32(0x1_0100))
        });
        simd.pack32(first, second)
    }
}

#[inline(always)]
fn store<S: Simd>(simd: S, bytes: S::Bytes, to: &mut [u8; ROOM], at: usize) {
    if let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
        simd.store(bytes, to);
    }
}

/// Eight units of three bytes each.
#[inline(always)]
fn put<S: Simd>(simd: S, units: S::Bytes, to: &mut [u8; ROOM], at: usize) {
    let [first, second] = text::threes(simd, units);
    store(simd, first, to, at);
    store(simd, second, to, at + 12);
}

/// Writes a character of one digit, or of five or six, if it is one.
#[inline(always)]
fn one(octets: &[u8], is_head: bool, to: &mut [u8; ROOM]) -> Option<usize> {
    if !is_head || octets.len() > 6 || octets[0].eq_ignore_ascii_case(&b'G') && octets.len() > 1 {
        return None;
    }
    let values = octets.iter().map(|octet| match octet.to_ascii_uppercase() {
        digit @ b'0'..=b'9' => digit - b'0',
        digit @ b'A'..=b'F' => digit - b'A' + 10,
        head => head.wrapping_sub(b'G'),
    });
    let value = values.fold(0, |value, digit| value << 4 | u32::from(digit));
    Some(char::from_u32(value)?.encode_utf8(to).len())
}
