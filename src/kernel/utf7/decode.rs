//! From UTF-7 to text.

use super::utf16_to_utf8::{self, Utf8Lengths};
use super::{RunStep, WINDOW_LEN, copy_direct};
use crate::kernel::ascii_set::{self, AsciiByteSet};
use crate::kernel::base64::{self, Base64Alphabet};
use crate::kernel::simd::{self, Kernel, Simd, WIDTH};

/// What tells one form, or one option, from another.
#[derive(Debug, Clone)]
pub struct Utf7DecodeConfig {
    /// The byte that begins a run.
    pub shift: u8,
    /// Bytes that stand for themselves outside a run.
    pub direct: AsciiByteSet,
    /// The digits.
    pub alphabet: Base64Alphabet,
    /// Whether characters below 80 may be in base64.
    pub ascii_in_run: bool,
    /// Whether a run needs its `-`, and no run may stand directly after another.
    pub canonical_only: bool,
}

/// Where the reader stands: outside a run, or inside one with so many bits of the next byte
/// taken.
pub type Utf7RunState = Option<u8>;

/// How far it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf7DecodeProgress {
    /// Bytes taken.
    pub read: usize,
    /// Bytes put.
    pub written: usize,
    /// Where the reader stands there.
    pub run: Utf7RunState,
}

/// Digits of a step.
const STEP_DIGITS: usize = 2 * WIDTH;
/// Bytes that must be there: a step may begin at the last of a window.
pub(super) const MIN_INPUT: usize = WINDOW_LEN + STEP_DIGITS;
/// Bytes that there must be space for: a step, and what may follow it in a window.
pub(super) const MIN_OUTPUT: usize = utf16_to_utf8::MAX_OUTPUT + WINDOW_LEN;

/// Decodes what is well-formed at the start of `src`, from the outside of a run or from where no
/// bits of the next digit are taken. Stops before what is not, and where the space might not
/// do or the end of `src` is near.
#[inline]
pub fn decode(
    config: &Utf7DecodeConfig,
    in_run: bool,
    src: &[u8],
    dst: &mut [u8],
) -> Utf7DecodeProgress {
    if src.len() < MIN_INPUT || dst.len() < MIN_OUTPUT {
        return Utf7DecodeProgress { read: 0, written: 0, run: in_run.then_some(0) };
    }
    simd::run(Utf7DecodeKernel { config, in_run, src, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn decode_at_level(
    level: simd::Level,
    config: &Utf7DecodeConfig,
    in_run: bool,
    src: &[u8],
    dst: &mut [u8],
) -> Utf7DecodeProgress {
    level.run(Utf7DecodeKernel { config, in_run, src, dst })
}

struct Utf7DecodeKernel<'a> {
    config: &'a Utf7DecodeConfig,
    in_run: bool,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for Utf7DecodeKernel<'_> {
    type Output = Utf7DecodeProgress;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Utf7DecodeProgress {
        let Utf7DecodeKernel { config, in_run, mut src, mut dst } = self;
        let (input_len, output_len) = (src.len(), dst.len());
        let (direct, alphabet) = (config.direct.vectors(simd), config.alphabet.vectors(simd));
        let mut reader = Utf7WindowDecoder {
            simd,
            config: config,
            direct,
            alphabet,
            in_run,
            pending_high_surrogate: None,
        };
        let mut certain = true;
        while certain {
            if !reader.in_run {
                let copied = direct.copy_members(simd, src, dst);
                src = &src[copied..];
                dst = &mut dst[copied..];
            }
            let Some(input) = src.first_chunk() else { break };
            if dst.len() < MIN_OUTPUT || !reader.in_run && input[0] != config.shift {
                break;
            }
            let (read, written);
            (read, written, certain) = reader.decode_window(input, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        let (read, written) = (input_len - src.len(), output_len - dst.len());
        match reader.pending_high_surrogate {
            None => Utf7DecodeProgress { read, written, run: reader.in_run.then_some(0) },
            // Two bits of the third digit from the end belong to the unit before.
            Some(_) => Utf7DecodeProgress { read: read - 3, written, run: Some(2) },
        }
    }
}

/// What reads runs and what stands between them.
struct Utf7WindowDecoder<'a, S: Simd> {
    simd: S,
    config: &'a Utf7DecodeConfig,
    direct: ascii_set::AsciiSetVectors<S>,
    alphabet: base64::AlphabetVectors<S>,
    in_run: bool,
    /// The first half of a surrogate pair, if the last digits ended in one.
    pending_high_surrogate: Option<u16>,
}

/// For each byte of a window a bit, that of the first one lowest.
struct Utf7DecodeMasks {
    digits: u64,
    direct: u64,
    hyphens: u64,
}

/// The positions of digits.
const LANE_INDEXES: [[u8; WIDTH]; 2] = {
    let mut indexes = [[0; WIDTH]; 2];
    let mut index = 0;
    while index < STEP_DIGITS {
        indexes[index / WIDTH][index % WIDTH] = index as u8;
        index += 1;
    }
    indexes
};

/// A bit for each number of digits that a whole number of units can have.
const WHOLE_UNIT_DIGITS: u64 = 0x1_4949_4949;

impl<S: Simd> Utf7WindowDecoder<'_, S> {
    #[inline(always)]
    fn classify(&self, input: &[u8; MIN_INPUT]) -> Utf7DecodeMasks {
        let mut window = Utf7DecodeMasks { digits: 0, direct: 0, hyphens: 0 };
        let simd = self.simd;
        for (index, bytes) in input.as_chunks().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
            let bytes = simd.load(bytes);
            let hyphens = simd.movemask8(simd.eq8(bytes, simd.splat8(b'-')));
            window.digits |= u64::from(self.alphabet.non_digits(simd, bytes)) << (index * WIDTH);
            window.direct |= u64::from(self.direct.non_members(simd, bytes)) << (index * WIDTH);
            window.hyphens |= u64::from(hyphens) << (index * WIDTH);
        }
        Utf7DecodeMasks { digits: !window.digits, direct: !window.direct, ..window }
    }

    /// Reads the runs that end in a window, and what stands between them. Bytes read and bytes
    /// written, and whether there was no doubt.
    #[inline(always)]
    fn decode_window(
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
            match self.decode_step(input, &window, at, to) {
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
                        certain = at >= WINDOW_LEN || input[at] == self.config.shift;
                    }
                }
                RunStep::Truncated => break,
                RunStep::Fallback => certain = false,
            }
        }
        (at, output_len - dst.len(), certain)
    }

    /// Reads a run, or as much of it as is read at a time, from the shift at `at` on or from inside.
    #[inline(always)]
    fn decode_step(
        &mut self,
        input: &[u8; MIN_INPUT],
        window: &Utf7DecodeMasks,
        at: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> RunStep {
        let shift = usize::from(!self.in_run);
        let from = at + shift;
        let count = (window.digits >> at >> shift).trailing_ones() as usize;
        if count >= STEP_DIGITS {
            return match self.decode_digits::<2>(input, from, STEP_DIGITS, to) {
                Some(written) => RunStep::InRun(shift + STEP_DIGITS, written),
                None => RunStep::Fallback,
            };
        }
        let end = from + count;
        if end >= WINDOW_LEN {
            return RunStep::Truncated;
        }
        let hyphen = window.hyphens >> end & 1 == 1;
        let is_run = self.in_run || count > 0;
        if self.config.canonical_only && is_run && !(hyphen && input[end + 1] != self.config.shift)
        {
            return RunStep::Fallback;
        }
        let written = match count {
            0 if !is_run => {
                to[0] = self.config.shift;
                hyphen.then_some(1)
            }
            0..=WIDTH => self.decode_digits::<1>(input, from, count, to),
            _ => self.decode_digits::<2>(input, from, count, to),
        };
        match written {
            Some(written) => RunStep::AfterRun(end + usize::from(hyphen) - at, written),
            None => RunStep::Fallback,
        }
    }

    /// Writes the characters of some digits, up to `N` vectors of them, if that can be done.
    #[inline(always)]
    fn decode_digits<const N: usize>(
        &mut self,
        input: &[u8; MIN_INPUT],
        from: usize,
        count: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> Option<usize> {
        let simd = self.simd;
        let bytes: &[[u8; WIDTH]; N] = input[from..].as_chunks().0.first_chunk()?;
        let limit = simd.splat8(count as u8);
        let units: [S::Bytes; N] = std::array::from_fn(|vector| {
            let keep = simd.gt_i8(limit, simd.load(&LANE_INDEXES[vector]));
            self.alphabet.decode_digits(simd, simd.load(&bytes[vector]), keep)
        });
        let (lengths, digits) = (Utf8Lengths::from_units(simd, units), count);
        let count = 3 * digits / 8;
        let is_whole = WHOLE_UNIT_DIGITS >> digits & 1 == 1 && lengths.is_ascii_from(count);
        if !is_whole || !self.config.ascii_in_run && lengths.has_ascii(count) {
            return None;
        }
        let to = to.first_chunk_mut()?;
        if utf16_to_utf8::has_surrogates(simd, units) || self.pending_high_surrogate.is_some() {
            let mut lanes = [[0; WIDTH]; 2];
            for (units, lanes) in units.into_iter().zip(&mut lanes) {
                simd.store(units, lanes);
            }
            write_surrogate_pairs(&lanes, count, &mut self.pending_high_surrogate, to)
        } else {
            Some(utf16_to_utf8::write_units(simd, units, lengths, count, to))
        }
    }
}

/// Writes the first `count` units, among which are surrogates, if each has its partner or may
/// still have one.
#[inline(never)]
fn write_surrogate_pairs(
    bytes: &[[u8; WIDTH]; 2],
    count: usize,
    pending: &mut Option<u16>,
    to: &mut [u8; utf16_to_utf8::MAX_OUTPUT],
) -> Option<usize> {
    let units = bytes.iter().flat_map(|bytes| bytes[..12].as_chunks().0);
    let units = units.take(count).map(|unit| u16::from_le_bytes(*unit));
    let mut written = 0;
    let mut high = *pending;
    for unit in units {
        let value = match (high.take(), unit) {
            (None, 0xD800..0xDC00) => {
                high = Some(unit);
                continue;
            }
            (Some(first), 0xDC00..0xE000) => {
                0x1_0000 + (u32::from(first & 0x3FF) << 10 | u32::from(unit & 0x3FF))
            }
            (None, _) => u32::from(unit),
            _ => return None,
        };
        let character = char::from_u32(value)?;
        written += character.encode_utf8(&mut to[written..]).len();
    }
    if high.is_some() && count < 12 {
        return None;
    }
    *pending = high;
    Some(written)
}
