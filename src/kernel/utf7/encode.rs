//! From text to UTF-7.

use super::{RunStep, WINDOW_LEN, copy_direct, utf8_to_utf16};
use crate::kernel::ascii_set::{self, AsciiByteSet};
use crate::kernel::base64::{self, Base64Alphabet, UNITS_PER_VECTOR};
use crate::kernel::simd::{self, Kernel, Simd, WIDTH};

/// What tells one form, or one option, from another.
#[derive(Debug, Clone)]
pub struct Utf7EncodeConfig {
    /// The byte that begins a run.
    pub shift: u8,
    /// Bytes that stand for themselves.
    pub direct: AsciiByteSet,
    /// The digits.
    pub alphabet: Base64Alphabet,
    /// Bytes that a run must close before with a `-`.
    pub hyphen_before: [bool; 256],
    /// Whether the shift character stays in a run that is open.
    pub shift_in_run: bool,
}

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf7EncodeProgress {
    /// Bytes taken.
    pub read: usize,
    /// Bytes put.
    pub written: usize,
    /// Whether a run is open there. No bits of it are left over.
    pub in_run: bool,
}

/// Bytes that must be there: a step may begin at the last of a window, and looks at twelve units
/// of three bytes and a few more.
pub(super) const MIN_INPUT: usize = WINDOW_LEN + 3 * 2 * UNITS_PER_VECTOR + 4;
/// Bytes that there must be space for: a shift, digits, a `-`, and what may follow in a window.
pub(super) const MIN_OUTPUT: usize = 1 + 2 * WIDTH + 1 + WINDOW_LEN;

/// Encodes `text` from its front on, from the outside of a run or from where no bits of it are left
/// over. Stops where the space might not do or the end is near, and seldom elsewhere.
#[inline]
pub fn encode(
    config: &Utf7EncodeConfig,
    in_run: bool,
    text: &str,
    dst: &mut [u8],
) -> Utf7EncodeProgress {
    if text.len() < MIN_INPUT || dst.len() < MIN_OUTPUT {
        return Utf7EncodeProgress { read: 0, written: 0, in_run };
    }
    simd::run(Utf7EncodeKernel { config, in_run, text, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn encode_at_level(
    level: simd::Level,
    config: &Utf7EncodeConfig,
    in_run: bool,
    text: &str,
    dst: &mut [u8],
) -> Utf7EncodeProgress {
    level.run(Utf7EncodeKernel { config, in_run, text, dst })
}

struct Utf7EncodeKernel<'a> {
    config: &'a Utf7EncodeConfig,
    in_run: bool,
    text: &'a str,
    dst: &'a mut [u8],
}

impl Kernel for Utf7EncodeKernel<'_> {
    type Output = Utf7EncodeProgress;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Utf7EncodeProgress {
        let Utf7EncodeKernel { config, in_run, text, mut dst } = self;
        let (mut src, output_len) = (text.as_bytes(), dst.len());
        let (direct, alphabet) = (config.direct.vectors(simd), config.alphabet.vectors(simd));
        let mut writer = Utf7WindowEncoder { simd, config: config, direct, alphabet, in_run };
        let mut certain = true;
        while certain {
            if !writer.in_run {
                let copied = direct.copy_members(simd, src, dst);
                src = &src[copied..];
                dst = &mut dst[copied..];
            }
            let Some(input) = src.first_chunk() else { break };
            if dst.len() < MIN_OUTPUT {
                break;
            }
            let (read, written);
            (read, written, certain) = writer.encode_window(input, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        Utf7EncodeProgress {
            read: text.len() - src.len(),
            written: output_len - dst.len(),
            in_run: writer.in_run,
        }
    }
}

struct Utf7WindowEncoder<'a, S: Simd> {
    simd: S,
    config: &'a Utf7EncodeConfig,
    direct: ascii_set::AsciiSetVectors<S>,
    alphabet: base64::AlphabetVectors<S>,
    in_run: bool,
}

/// For each byte of a window a bit, that of the first one lowest.
#[derive(Default)]
struct Utf7EncodeMasks {
    /// Stands for itself.
    direct: u64,
    /// Does not end a run.
    run_bytes: u64,
    ascii: u64,
    /// First bytes of two, three and four.
    two_byte_leads: u64,
    three_byte_leads: u64,
    four_byte_leads: u64,
}

const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

/// The first so many units of two vectors, six in each, that come from so many bytes.
struct UnitBatch<S: Simd> {
    units: [S::Bytes; 2],
    count: usize,
    read: usize,
}

impl<S: Simd> Utf7WindowEncoder<'_, S> {
    #[inline(always)]
    fn classify(&self, input: &[u8; MIN_INPUT]) -> Utf7EncodeMasks {
        let mut window = Utf7EncodeMasks::default();
        let simd = self.simd;
        for (index, text) in input.as_chunks().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
            let text = simd.load(text);
            let high = |bits: u8, value: u8| {
                simd.movemask8(simd.eq8(simd.and(text, simd.splat8(bits)), simd.splat8(value)))
            };
            let (twos, threes, fours) = (high(0xE0, 0xC0), high(0xF0, 0xE0), high(0xF8, 0xF0));
            let shifts = simd.movemask8(simd.eq8(text, simd.splat8(self.config.shift)));
            let others = self.direct.non_members(simd, text);
            let ends = if self.config.shift_in_run { 0 } else { shifts };
            let at = index * WIDTH;
            window.direct |= u64::from(!others & 0xFFFF) << at;
            window.run_bytes |= u64::from(others & !ends) << at;
            window.ascii |= u64::from(!simd.movemask8(text) & 0xFFFF) << at;
            window.two_byte_leads |= u64::from(twos) << at;
            window.three_byte_leads |= u64::from(threes) << at;
            window.four_byte_leads |= u64::from(fours) << at;
        }
        window
    }

    /// Writes the runs that end in a window, and what stands between them. Bytes read and bytes
    /// written, and whether there was no doubt.
    #[inline(always)]
    fn encode_window(
        &mut self,
        input: &[u8; MIN_INPUT],
        mut dst: &mut [u8],
    ) -> (usize, usize, bool) {
        let (window, output_len) = (self.classify(input), dst.len());
        let (mut at, mut certain) = (0, true);
        while at < WINDOW_LEN
            && certain
            && let Some(to) = dst.first_chunk_mut()
        {
            match self.encode_step(input, &window, at, to) {
                RunStep::InRun(read, written) => {
                    self.in_run = true;
                    at += read;
                    dst = &mut dst[written..];
                }
                RunStep::AfterRun(read, written) => {
                    self.in_run = false;
                    at += read;
                    dst = &mut dst[written..];
                    if at < WINDOW_LEN {
                        let copied = copy_direct(input, at, window.direct, dst);
                        at += copied;
                        dst = &mut dst[copied..];
                    }
                }
                RunStep::Truncated => break,
                RunStep::Fallback => certain = false,
            }
        }
        (at, output_len - dst.len(), certain)
    }

    /// Writes a run, or as much of it as is written at a time, or a shift that stands for itself.
    #[inline(always)]
    fn encode_step(
        &self,
        input: &[u8; MIN_INPUT],
        window: &Utf7EncodeMasks,
        at: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> RunStep {
        to[0] = self.config.shift;
        if !self.in_run && input[at] == self.config.shift {
            to[1] = b'-';
            return RunStep::AfterRun(1, 2);
        }
        let len = (window.run_bytes >> at).trailing_ones() as usize;
        let is_cut = at + len == WINDOW_LEN;
        let shift = usize::from(!self.in_run);
        match self.next_units(input, window, at, len) {
            Some(run) if run.read < len => {
                RunStep::InRun(run.read, shift + self.write_digits(&run, &mut to[shift..]))
            }
            Some(run) if !is_cut => {
                let written = shift + self.write_digits(&run, &mut to[shift..]);
                to[written] = b'-';
                let hyphen = self.config.hyphen_before[usize::from(input[at + len])];
                RunStep::AfterRun(len, written + usize::from(hyphen))
            }
            // From the front of a window more of the run will be in sight.
            _ if is_cut && at > 0 => RunStep::Truncated,
            _ => RunStep::Fallback,
        }
    }

    /// The next units of a run that goes on for `len` bytes: all of them, or a number that leaves
    /// no bits over.
    #[inline(always)]
    fn next_units(
        &self,
        input: &[u8; MIN_INPUT],
        window: &Utf7EncodeMasks,
        at: usize,
        len: usize,
    ) -> Option<UnitBatch<S>> {
        let (simd, text) = (self.simd, &input[at..]);
        let are = |leads: u64, pattern: u64, len: usize| {
            ((leads >> at) ^ pattern) & !(u64::MAX << len) == 0
        };
        let (two, three, one) = (
            len.min(4 * UNITS_PER_VECTOR),
            len.min(6 * UNITS_PER_VECTOR),
            len.min(UNITS_PER_VECTOR),
        );
        if are(window.two_byte_leads, EVERY_SECOND, two) {
            let (first, second) =
                (text.first_chunk()?, text[2 * UNITS_PER_VECTOR..].first_chunk()?);
            let units = [
                utf8_to_utf16::units_from_2byte(simd, first),
                utf8_to_utf16::units_from_2byte(simd, second),
            ];
            Some(UnitBatch { units, count: two / 2, read: two })
        } else if are(window.three_byte_leads, EVERY_THIRD, three) {
            let (first, second) =
                (text.first_chunk()?, text[3 * UNITS_PER_VECTOR..].first_chunk()?);
            let units = [
                utf8_to_utf16::units_from_3byte(simd, first),
                utf8_to_utf16::units_from_3byte(simd, second),
            ];
            Some(UnitBatch { units, count: three / 3, read: three })
        } else if are(window.ascii, u64::MAX, one) {
            let units = utf8_to_utf16::units_from_ascii(simd, text.first_chunk()?);
            Some(UnitBatch { units: [units; 2], count: one, read: one })
        } else if are(window.four_byte_leads, EVERY_FOURTH, two) {
            let (first, second) =
                (text.first_chunk()?, text[2 * UNITS_PER_VECTOR..].first_chunk()?);
            let units = [
                utf8_to_utf16::units_from_4byte(simd, first),
                utf8_to_utf16::units_from_4byte(simd, second),
            ];
            Some(UnitBatch { units, count: two / 2, read: two })
        } else {
            let (lanes, count, read) = utf8_to_utf16::units_from_mixed(text, len)?;
            Some(UnitBatch { units: lanes.map(|lanes| simd.load(&lanes)), count, read })
        }
    }

    /// Writes the digits of some units; says how many.
    #[inline(always)]
    fn write_digits(&self, run: &UnitBatch<S>, to: &mut [u8]) -> usize {
        let simd = self.simd;
        let limit = simd.splat8(2 * run.count as u8);
        let digits = |vector: usize| {
            let keep = simd.gt_i8(limit, simd.load(&UNIT_BYTE_INDEXES[vector]));
            self.alphabet.encode_units(simd, simd.and(run.units[vector], keep))
        };
        if let Some(to) = to.first_chunk_mut() {
            simd.store(digits(0), to);
        }
        if run.count > UNITS_PER_VECTOR
            && let Some(to) = to[WIDTH..].first_chunk_mut()
        {
            simd.store(digits(1), to);
        }
        (8 * run.count).div_ceil(3)
    }
}

/// The positions of the bytes of units.
const UNIT_BYTE_INDEXES: [[u8; WIDTH]; 2] = {
    let mut indexes = [[0; WIDTH]; 2];
    let mut index = 0;
    while index < 2 * WIDTH {
        indexes[index / WIDTH][index % WIDTH] =
            (index / WIDTH * 2 * UNITS_PER_VECTOR + index % WIDTH) as u8;
        index += 1;
    }
    indexes
};
