//! UTF-7 (RFC 2152) and its mailbox form, as far as it is well-formed.
//!
//! Words are short, and so are the runs of base64 that they make. So what counts is the way from
//! the beginning of a run to its end, and over the few bytes after it that stand for themselves.
//! A window of bytes is sorted into rows of bits; where runs begin and end is then a matter of
//! counting bits, and waits neither for memory nor for what is in the runs.

pub mod utf16_to_utf8;

use super::ascii_set::{self, AsciiByteSet};
use super::base64::{self, Base64Alphabet, UNITS_PER_VECTOR};
use super::simd::{self, Kernel, Simd, WIDTH};
use super::utf8_to_utf16;
use utf16_to_utf8::Utf8Lengths;

/// Bytes that are sorted together.
const WINDOW_LEN: usize = 64;

/// Where a step through a window led to, and how many bytes it has read and written.
enum RunStep {
    /// Into the midst of a run.
    InRun(usize, usize),
    /// After a run.
    AfterRun(usize, usize),
    /// Nowhere: the window ends in the run.
    Truncated,
    /// Nowhere: there is something that is not for a kernel.
    Fallback,
}

/// Copies the bytes from `at` on that stand for themselves, each of which has a bit in `direct`;
/// says how many. What stands after them in `dst` is of no meaning.
#[inline(always)]
fn copy_direct(input: &[u8], at: usize, direct: u64, dst: &mut [u8]) -> usize {
    let count = (direct >> at).trailing_ones() as usize;
    let input = &input[at..];
    if let Some(from) = input.first_chunk::<WIDTH>()
        && let Some(to) = dst.first_chunk_mut()
    {
        *to = *from;
    }
    if count > WIDTH {
        dst[WIDTH..count].copy_from_slice(&input[WIDTH..count]);
    }
    count
}

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
const DECODE_MIN_INPUT: usize = WINDOW_LEN + STEP_DIGITS;
/// Bytes that there must be space for: a step, and what may follow it in a window.
const DECODE_MIN_OUTPUT: usize = utf16_to_utf8::MAX_OUTPUT + WINDOW_LEN;

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
    if src.len() < DECODE_MIN_INPUT || dst.len() < DECODE_MIN_OUTPUT {
        return Utf7DecodeProgress { read: 0, written: 0, run: in_run.then_some(0) };
    }
    simd::run(Utf7DecodeKernel { config, in_run, src, dst })
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
            config,
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
            if dst.len() < DECODE_MIN_OUTPUT || !reader.in_run && input[0] != config.shift {
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
    fn classify(&self, input: &[u8; DECODE_MIN_INPUT]) -> Utf7DecodeMasks {
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
        input: &[u8; DECODE_MIN_INPUT],
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
        input: &[u8; DECODE_MIN_INPUT],
        window: &Utf7DecodeMasks,
        at: usize,
        to: &mut [u8; DECODE_MIN_OUTPUT],
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
        input: &[u8; DECODE_MIN_INPUT],
        from: usize,
        count: usize,
        to: &mut [u8; DECODE_MIN_OUTPUT],
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
const ENCODE_MIN_INPUT: usize = WINDOW_LEN + 3 * 2 * UNITS_PER_VECTOR + 4;
/// Bytes that there must be space for: a shift, digits, a `-`, and what may follow in a window.
const ENCODE_MIN_OUTPUT: usize = 1 + 2 * WIDTH + 1 + WINDOW_LEN;

/// Encodes `text` from its front on, from the outside of a run or from where no bits of it are left
/// over. Stops where the space might not do or the end is near, and seldom elsewhere.
#[inline]
pub fn encode(
    config: &Utf7EncodeConfig,
    in_run: bool,
    text: &str,
    dst: &mut [u8],
) -> Utf7EncodeProgress {
    if text.len() < ENCODE_MIN_INPUT || dst.len() < ENCODE_MIN_OUTPUT {
        return Utf7EncodeProgress { read: 0, written: 0, in_run };
    }
    simd::run(Utf7EncodeKernel { config, in_run, text, dst })
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
        let mut writer = Utf7WindowEncoder { simd, config, direct, alphabet, in_run };
        let mut certain = true;
        while certain {
            if !writer.in_run {
                let copied = direct.copy_members(simd, src, dst);
                src = &src[copied..];
                dst = &mut dst[copied..];
            }
            let Some(input) = src.first_chunk() else { break };
            if dst.len() < ENCODE_MIN_OUTPUT {
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
    fn classify(&self, input: &[u8; ENCODE_MIN_INPUT]) -> Utf7EncodeMasks {
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
        input: &[u8; ENCODE_MIN_INPUT],
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
        input: &[u8; ENCODE_MIN_INPUT],
        window: &Utf7EncodeMasks,
        at: usize,
        to: &mut [u8; ENCODE_MIN_OUTPUT],
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
        input: &[u8; ENCODE_MIN_INPUT],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::Level;

    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    fn is_direct(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"'(),-./:? \t\r\n".contains(&byte)
    }

    fn digit(byte: u8) -> Option<usize> {
        DIGITS.bytes().position(|digit| digit == byte)
    }

    /// What well-formed bytes mean, from a position with `taken` bits of a run's next byte taken.
    fn reference_decode(wire: &[u8], taken: Option<u8>) -> String {
        let (mut units, mut at, mut taken) = (Vec::new(), 0, taken);
        loop {
            if let Some(skip) = taken.take() {
                let run = wire[at..].iter().map_while(|byte| digit(*byte));
                let bits: Vec<u16> = run
                    .flat_map(|value| (0..6).rev().map(move |bit| (value >> bit & 1) as u16))
                    .collect();
                at += bits.len() / 6 + usize::from(wire.get(at + bits.len() / 6) == Some(&b'-'));
                let whole = bits[usize::from(skip)..].chunks_exact(16);
                assert!(whole.remainder().len() < 6 && !whole.remainder().contains(&1));
                units.extend(whole.map(|bits| bits.iter().fold(0, |unit, bit| unit << 1 | bit)));
            }
            match wire[at..] {
                [] => return String::from_utf16(&units).unwrap(),
                [b'+', b'-', ..] => {
                    units.push(u16::from(b'+'));
                    at += 2;
                }
                [b'+', ..] => {
                    taken = Some(0);
                    at += 1;
                }
                [byte, ..] => {
                    assert!(is_direct(byte));
                    units.push(byte.into());
                    at += 1;
                }
            }
        }
    }

    /// The bytes of a text, from the outside of a run or from one that is open.
    fn reference_encode(text: &str, in_run: bool) -> Vec<u8> {
        let is_direct = |character: char| u8::try_from(character).is_ok_and(is_direct);
        let (mut bytes, mut rest, mut in_run) = (Vec::new(), text, in_run);
        while let Some(first) = rest.chars().next() {
            let run = rest.find(is_direct).unwrap_or(rest.len());
            if in_run || run > 0 && first != '+' {
                bytes.extend(b"+".iter().filter(|_| !in_run));
                let units: Vec<u16> = rest[..run].encode_utf16().collect();
                let bits =
                    units.iter().flat_map(|unit| (0..16).rev().map(move |bit| unit >> bit & 1));
                let mut bits: Vec<u16> = bits.collect();
                bits.resize(bits.len().next_multiple_of(6), 0);
                let value =
                    |bits: &[u16]| bits.iter().fold(0, |value, bit| value << 1 | usize::from(*bit));
                bytes.extend(bits.chunks(6).map(|bits| DIGITS.as_bytes()[value(bits)]));
                rest = &rest[run..];
                let next = rest.bytes().next();
                bytes.extend(
                    next.filter(|next| *next == b'-' || digit(*next).is_some()).map(|_| b'-'),
                );
                in_run = false;
            } else if first == '+' {
                bytes.extend(b"+-");
                rest = &rest[1..];
            } else {
                bytes.push(first as u8);
                rest = &rest[1..];
            }
        }
        bytes
    }

    /// Texts with runs of every sort and length among direct characters, in an order by chance.
    fn sample_texts() -> impl Iterator<Item = String> {
        const SAMPLES: [&[char]; 8] = [
            &['a', 'Z', ' ', '-', '/'],
            &['é', 'ж', '\u{80}', '\u{7FF}'],
            &['中', '\u{800}', '\u{D7FF}', '\u{E000}', '\u{FFFF}'],
            &['😀', '\u{10000}', '\u{10FFFF}'],
            &['"', '=', '~', '\0', '\u{7F}'],
            &['é', '中', '😀', '+', '"'],
            &['+'],
            &['b'],
        ];
        let mut seed = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = move |limit: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 33) as usize % limit
        };
        (0..400).map(move |round| {
            let longest = [3, 9, 30, 90][round % 4];
            let mut text = String::new();
            while text.len() < 300 {
                let sort = SAMPLES[below(SAMPLES.len())];
                for _ in 0..below(longest) {
                    text.push(sort[below(sort.len())]);
                }
                text.push_str(["", "a", " b"][below(3)]);
            }
            text
        })
    }

    fn decoder() -> Utf7DecodeConfig {
        Utf7DecodeConfig {
            shift: b'+',
            direct: AsciiByteSet::new(is_direct),
            alphabet: Base64Alphabet::with_last_digit(b'/'),
            ascii_in_run: true,
            canonical_only: false,
        }
    }

    fn encoder() -> Utf7EncodeConfig {
        let hyphen_before = |byte: usize| byte == usize::from(b'-') || digit(byte as u8).is_some();
        Utf7EncodeConfig {
            shift: b'+',
            direct: AsciiByteSet::new(is_direct),
            alphabet: Base64Alphabet::with_last_digit(b'/'),
            hyphen_before: std::array::from_fn(hyphen_before),
            shift_in_run: true,
        }
    }

    #[test]
    fn decoded_part_and_rest_are_the_whole_text() {
        let config = decoder();
        for expected in sample_texts() {
            let src = reference_encode(&expected, false);
            assert_eq!(reference_decode(&src, None), expected);
            for output_len in [0, 115, 116, 131, 200, 2000] {
                for level in Level::all() {
                    let mut dst = vec![0x55; output_len];
                    let progress = level.run(Utf7DecodeKernel {
                        config: &config,
                        in_run: false,
                        src: &src,
                        dst: &mut dst,
                    });
                    // It may go back to the first half of a pair.
                    let near_end = src.len() - progress.read < DECODE_MIN_INPUT + 3;
                    let full = output_len - progress.written < DECODE_MIN_OUTPUT;
                    assert!(near_end || full, "{level:?} stops early in {expected:?}");
                    let read = String::from_utf8(dst[..progress.written].to_vec()).unwrap();
                    let whole = read + &reference_decode(&src[progress.read..], progress.run);
                    assert_eq!(whole, expected, "{level:?} {output_len} {progress:?}");
                }
            }
        }
    }

    #[test]
    fn decoding_stops_before_an_error_at_every_position() {
        let config = decoder();
        let long = "й".repeat(40) + " and " + &"中文😀".repeat(9) + &"z".repeat(90);
        let good = reference_encode(&long, false);
        for at in 0..good.len() - 80 {
            for invalid in [b'~', 0x80, 0xFF, b'\\'] {
                let mut src = good.clone();
                src[at] = invalid;
                for level in Level::all() {
                    let mut dst = vec![0x55; 2000];
                    let progress = level.run(Utf7DecodeKernel {
                        config: &config,
                        in_run: false,
                        src: &src,
                        dst: &mut dst,
                    });
                    let read = str::from_utf8(&dst[..progress.written]).unwrap();
                    assert!(long.starts_with(read), "{level:?} {at} {invalid}");
                    let is_near = progress.read <= at && at < progress.read + DECODE_MIN_INPUT;
                    assert!(is_near, "{level:?} {at} {invalid} {progress:?}");
                }
            }
        }
    }

    #[test]
    fn decoding_stops_before_malformed_runs() {
        let config = decoder();
        // Lone halves of pairs, pairs in the wrong order, bits to spare, digits to spare, and no run.
        let invalid = [
            "2D0-", "3AA-", "3gDYPQ-", "2D0AQQ-", "AOl-", "AOkA-", "AOkAAAA-", "A-", "AA-", "!",
            " ",
        ];
        for invalid in invalid {
            for before in 0..70 {
                let src = "x".repeat(before) + "+" + invalid + &"y".repeat(150);
                for level in Level::all() {
                    let mut dst = vec![0x55; 2000];
                    let progress = level.run(Utf7DecodeKernel {
                        config: &config,
                        in_run: false,
                        src: src.as_bytes(),
                        dst: &mut dst,
                    });
                    let expected = Utf7DecodeProgress { read: before, written: before, run: None };
                    assert_eq!(progress, expected, "{level:?} {invalid} {before}");
                }
            }
        }
    }

    #[test]
    fn canonical_form_requires_hyphens_and_forbids_adjacent_runs_and_ascii() {
        let config = Utf7DecodeConfig { ascii_in_run: false, canonical_only: true, ..decoder() };
        for (src, read) in [
            ("+AOk-é", 5),
            ("+AOk.", 0),
            ("+AOk-+AOk-", 0),
            ("+AOk-+-", 0),
            ("+AEE-", 0),
            ("+AOkAQQ-", 0),
            ("+--", 3),
        ] {
            let (prefix, suffix) = ("x".repeat(20), "\u{7F}".repeat(150));
            let src = format!("{prefix}{src}{suffix}");
            for level in Level::all() {
                let mut dst = vec![0x55; 2000];
                let progress = level.run(Utf7DecodeKernel {
                    config: &config,
                    in_run: false,
                    src: src.as_bytes(),
                    dst: &mut dst,
                });
                assert_eq!(progress.read, 20 + read, "{level:?} {src}");
            }
        }
    }

    #[test]
    fn encoded_part_and_rest_are_the_whole_text() {
        let config = encoder();
        for text in sample_texts() {
            let expected = reference_encode(&text, false);
            for output_len in [0, 97, 98, 120, 200, 2000] {
                for level in Level::all() {
                    let mut dst = vec![0x55; output_len];
                    let progress = level.run(Utf7EncodeKernel {
                        config: &config,
                        in_run: false,
                        text: &text,
                        dst: &mut dst,
                    });
                    let near_end = text.len() - progress.read < ENCODE_MIN_INPUT;
                    let full = output_len - progress.written < ENCODE_MIN_OUTPUT;
                    // A row of pairs and single units may never come to a multiple of three units.
                    assert!(
                        near_end || full || text.contains(|c| c > '\u{FFFF}'),
                        "{level:?} {text:?}"
                    );
                    let whole = [
                        &dst[..progress.written],
                        &reference_encode(&text[progress.read..], progress.in_run),
                    ];
                    let whole = String::from_utf8(whole.concat()).unwrap();
                    assert_eq!(whole.as_bytes(), expected, "{level:?} {output_len} {progress:?}");
                }
            }
        }
    }
}
