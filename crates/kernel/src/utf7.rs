//! UTF-7 (RFC 2152) and the mailbox names of IMAP to and from UTF-8.
//!
//! Words are short, and so are the base64 runs that they become. Most of the time goes into finding
//! the end of a run and into copying the few direct characters after it. A window of 64 bytes is
//! therefore classified into bit masks; the start and the end of a run are found by counting bits,
//! and depend neither on memory nor on the content of the run.

use super::ascii_set::{self, AsciiByteSet};
use super::base64::{self, Base64Alphabet, UNITS_PER_VECTOR};
use super::same_length_run::{EVERY_FOURTH, EVERY_SECOND, EVERY_THIRD};
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};
use super::{utf8_encode, utf8_to_utf16};

/// The number of bytes that are classified at once.
const WINDOW_LEN: usize = 64;

/// The result of a step in a window, with the numbers of bytes read and written.
enum RunStep {
    /// Inside a run.
    InRun(usize, usize),
    /// After a run.
    AfterRun(usize, usize),
    /// No progress: the run extends beyond the window.
    Truncated,
    /// No progress: the codec must continue.
    Fallback,
}

/// Copies the direct characters from `at` on, each of which has a bit in `direct`, and returns
/// their number. Bytes after them in `dst` may be overwritten.
#[inline(always)]
fn copy_direct(input: &[u8], at: usize, direct: u64, dst: &mut [u8]) -> usize {
    let count = (direct >> at).trailing_ones() as usize;
    let input = &input[at..];
    if let (Some(from), Some(to)) = (input.first_chunk::<WIDTH>(), dst.first_chunk_mut()) {
        *to = *from;
    }
    if count > WIDTH {
        dst[WIDTH..count].copy_from_slice(&input[WIDTH..count]);
    }
    count
}

/// The variant of UTF-7 to decode.
#[derive(Debug, Clone)]
pub struct Utf7DecodeConfig {
    /// The shift character: the byte that begins a run.
    pub shift: u8,
    /// Direct characters: bytes that are not encoded outside a run.
    pub direct: AsciiByteSet,
    /// The base64 digits.
    pub alphabet: Base64Alphabet,
    /// Whether ASCII characters may be in a run.
    pub ascii_in_run: bool,
    /// Whether a run must end in `-`, and must not directly follow another.
    pub canonical_only: bool,
}

/// The decoder state: outside a run, or inside one with this number of bits of the next digit
/// already used.
pub type Utf7RunState = Option<u8>;

/// The progress of the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf7DecodeProgress {
    /// The number of bytes read.
    pub read: usize,
    /// The number of bytes written.
    pub written: usize,
    /// The state after them.
    pub run: Utf7RunState,
}

/// The maximum number of digits in a step.
const STEP_DIGITS: usize = 2 * WIDTH;
/// The input that a window needs, in bytes: a step may begin at its last byte.
const DECODE_MIN_INPUT: usize = WINDOW_LEN + STEP_DIGITS;
/// The output capacity that a step needs: its characters, and the direct characters after them.
const DECODE_MIN_OUTPUT: usize = MAX_STEP_OUTPUT + WINDOW_LEN;

/// Decodes a prefix of `src`, up to the first malformed sequence, from outside a run or from a
/// digit of which no bits are used. Stops where less than `DECODE_MIN_INPUT` or
/// `DECODE_MIN_OUTPUT` is left.
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
        let mut decoder = Utf7WindowDecoder {
            simd,
            config,
            direct,
            alphabet,
            in_run,
            pending_high_surrogate: None,
        };
        let mut can_continue = true;
        while can_continue {
            if !decoder.in_run {
                let copied = direct.copy_members(simd, src, dst);
                src = &src[copied..];
                dst = &mut dst[copied..];
            }
            let Some(input) = src.first_chunk() else { break };
            if dst.len() < DECODE_MIN_OUTPUT || !decoder.in_run && input[0] != config.shift {
                break;
            }
            let (read, written);
            (read, written, can_continue) = decoder.decode_window(input, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        let (read, written) = (input_len - src.len(), output_len - dst.len());
        match decoder.pending_high_surrogate {
            None => Utf7DecodeProgress { read, written, run: decoder.in_run.then_some(0) },
            // Two bits of the third digit from the end belong to the preceding code unit.
            Some(_) => Utf7DecodeProgress { read: read - 3, written, run: Some(2) },
        }
    }
}

/// Decodes runs and the direct characters between them, a window at a time.
struct Utf7WindowDecoder<'a, S: Simd> {
    simd: S,
    config: &'a Utf7DecodeConfig,
    direct: ascii_set::AsciiSetVectors<S>,
    alphabet: base64::AlphabetVectors<S>,
    in_run: bool,
    /// The high surrogate at the end of the last digits, if any.
    pending_high_surrogate: Option<u16>,
}

/// Bit masks of a window, the first byte lowest.
struct Utf7DecodeMasks {
    digits: u64,
    direct: u64,
    hyphens: u64,
}

/// The indexes of digits.
const LANE_INDEXES: [[u8; WIDTH]; 2] = {
    let mut indexes = [[0; WIDTH]; 2];
    let mut index = 0;
    while index < STEP_DIGITS {
        indexes[index / WIDTH][index % WIDTH] = index as u8;
        index += 1;
    }
    indexes
};

/// A bit for each number of digits that encodes complete code units.
const WHOLE_UNIT_DIGITS: u64 = 0x1_4949_4949;

impl<S: Simd> Utf7WindowDecoder<'_, S> {
    #[inline(always)]
    fn classify(&self, input: &[u8; DECODE_MIN_INPUT]) -> Utf7DecodeMasks {
        let mut window = Utf7DecodeMasks { digits: 0, direct: 0, hyphens: 0 };
        let simd = self.simd;
        for (index, bytes) in input.as_arrays().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
            let bytes = simd.load(bytes);
            let hyphens = simd.movemask8(simd.eq8(bytes, simd.splat8(b'-')));
            window.digits |= u64::from(self.alphabet.non_digits(simd, bytes)) << (index * WIDTH);
            window.direct |= u64::from(self.direct.non_members(simd, bytes)) << (index * WIDTH);
            window.hyphens |= u64::from(hyphens) << (index * WIDTH);
        }
        Utf7DecodeMasks { digits: !window.digits, direct: !window.direct, ..window }
    }

    /// Decodes the runs that end in a window, and the direct characters between them. Returns the
    /// numbers of bytes read and written, and whether the kernel can continue.
    #[inline(always)]
    fn decode_window(
        &mut self,
        input: &[u8; DECODE_MIN_INPUT],
        mut dst: &mut [u8],
    ) -> (usize, usize, bool) {
        let (window, output_len) = (self.classify(input), dst.len());
        let (mut at, mut can_continue) = (0, true);
        while at < WINDOW_LEN && can_continue {
            let Some(to) = dst.first_chunk_mut() else { break };
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
                        can_continue = at >= WINDOW_LEN || input[at] == self.config.shift;
                    }
                }
                RunStep::Truncated => break,
                RunStep::Fallback => can_continue = false,
            }
        }
        (at, output_len - dst.len(), can_continue)
    }

    /// Decodes a run, or a part of it, that begins with the shift character at `at` or continues
    /// there.
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
        if count == 3 && !self.in_run {
            if let Some(character) = self.lone_ascii(input, from) {
                to[0] = character;
                return RunStep::AfterRun(end + usize::from(hyphen) - at, 1);
            }
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

    /// Returns the character that three digits from the index `from` on encode, if it is ASCII.
    #[inline(always)]
    fn lone_ascii(&self, input: &[u8; DECODE_MIN_INPUT], from: usize) -> Option<u8> {
        let digits = input[from..].first_chunk::<3>()?;
        let [first, second, third] = digits.map(|digit| self.config.alphabet.value(digit));
        let is_ascii = first == 0 && second < 8 && third & 0b11 == 0;
        let can_decode = self.config.ascii_in_run && self.pending_high_surrogate.is_none();
        (is_ascii && can_decode).then_some(second << 4 | third >> 2)
    }

    /// Writes the characters of `count` digits, at most `N` vectors. Returns the number of bytes,
    /// or `None` if they are malformed.
    #[inline(always)]
    fn decode_digits<const N: usize>(
        &mut self,
        input: &[u8; DECODE_MIN_INPUT],
        from: usize,
        count: usize,
        to: &mut [u8; DECODE_MIN_OUTPUT],
    ) -> Option<usize> {
        let simd = self.simd;
        let bytes: &[[u8; WIDTH]; N] = input[from..].as_arrays().0.first_chunk()?;
        let limit = simd.splat8(count as u8);
        let units: [S::Bytes; N] = std::array::from_fn(|vector| {
            let keep = simd.gt_i8(limit, simd.load(&LANE_INDEXES[vector]));
            self.alphabet.decode_digits(simd, simd.load(&bytes[vector]), keep)
        });
        let (lengths, digits) = (Utf8Lengths::of_units(simd, units), count);
        let count = 3 * digits / 8;
        let is_whole = WHOLE_UNIT_DIGITS >> digits & 1 == 1 && lengths.is_ascii_from(count);
        if !is_whole || !self.config.ascii_in_run && lengths.has_ascii(count) {
            return None;
        }
        let to = to.first_chunk_mut()?;
        if has_surrogates(simd, units) || self.pending_high_surrogate.is_some() {
            let mut lanes = [[0; WIDTH]; 2];
            for (units, lanes) in units.into_iter().zip(&mut lanes) {
                simd.store(units, lanes);
            }
            write_surrogate_pairs(&lanes, count, &mut self.pending_high_surrogate, to)
        } else {
            Some(write_units(simd, units, lengths, count, to))
        }
    }
}

/// The number of bytes that each of up to twelve code units takes in UTF-8, two bits a unit, the
/// first unit lowest: 0 is one byte, 1 two bytes and 3 three bytes.
#[derive(Debug, Clone, Copy)]
struct Utf8Lengths(u32);

impl Utf8Lengths {
    /// The lengths if all units take two bytes.
    const ALL_TWO_BYTE: u32 = 0x55_5555;

    /// Returns the lengths of the units, six in each vector.
    #[inline(always)]
    fn of_units<S: Simd, const N: usize>(simd: S, units: [S::Bytes; N]) -> Utf8Lengths {
        // Not `map`, in whose closure the instructions of `S` may not be inlined.
        let mut lengths = 0;
        for (index, units) in units.into_iter().enumerate() {
            lengths |= (!utf8_encode::unit_length_codes(simd, units) & 0xFFF) << (12 * index);
        }
        Utf8Lengths(lengths)
    }

    /// Returns whether all units from the index `count` on are ASCII.
    #[inline(always)]
    fn is_ascii_from(self, count: usize) -> bool {
        self.0 >> (2 * count) == 0
    }

    /// Returns whether one of the first `count` units is ASCII.
    #[inline(always)]
    fn has_ascii(self, count: usize) -> bool {
        !self.0 & Self::first_bits(Self::ALL_TWO_BYTE, count) != 0
    }

    /// Returns whether the first `count` units take two bytes each, and the others are ASCII.
    #[inline(always)]
    fn all_two_byte(self, count: usize) -> bool {
        self.0 == Self::first_bits(Self::ALL_TWO_BYTE, count)
    }

    /// Returns whether the first `count` units take three bytes each, and the others are ASCII.
    #[inline(always)]
    fn all_three_byte(self, count: usize) -> bool {
        self.0 == Self::first_bits(u32::MAX, count)
    }

    /// Returns the length of the first `count` units in bytes; the others must be ASCII.
    #[inline(always)]
    fn byte_len(self, count: usize) -> usize {
        count + self.0.count_ones() as usize
    }

    /// Returns the bits of the first `count` units.
    #[inline(always)]
    fn first_bits(bits: u32, count: usize) -> u32 {
        bits & !(u32::MAX << (2 * count))
    }
}

/// Returns whether one of the units is a surrogate.
#[inline(always)]
fn has_surrogates<S: Simd, const N: usize>(simd: S, units: [S::Bytes; N]) -> bool {
    let bits = |units| simd.movemask8(utf8_encode::surrogate_mask(simd, units));
    units.into_iter().fold(0, |all, units| all | bits(units)) != 0
}

/// The capacity that [`write_units`] needs: the longest sequences, and the bytes beyond them that
/// the last store overwrites.
const MAX_STEP_OUTPUT: usize = 2 * 3 * UNITS_PER_VECTOR + WIDTH;

/// Encodes the first `count` units, none of which is a surrogate, and returns the number of bytes
/// written. The other units must be zero.
#[inline(always)]
fn write_units<S: Simd, const N: usize>(
    simd: S,
    units: [S::Bytes; N],
    lengths: Utf8Lengths,
    count: usize,
    output: &mut [u8; MAX_STEP_OUTPUT],
) -> usize {
    if lengths.all_two_byte(count) {
        for (index, units) in units.into_iter().enumerate() {
            let bytes = utf8_encode::two_byte_sequences(simd, units);
            utf8_encode::store_at(simd, bytes, output, 2 * UNITS_PER_VECTOR * index);
        }
    } else if lengths.all_three_byte(count) {
        for (index, units) in units.into_iter().enumerate() {
            let [first, last] = utf8_encode::three_byte_sequences(simd, units);
            let at = 3 * UNITS_PER_VECTOR * index;
            utf8_encode::store_at(simd, first, output, at);
            utf8_encode::store_at(simd, last, output, at + 12);
        }
    } else {
        let mut at = 0;
        for units in units {
            let Some(output) = output[at..].first_chunk_mut() else { break };
            // The two unused lanes are zero, and written as two bytes.
            at += utf8_encode::encode_3byte(simd, units, output) - (WIDTH / 2 - UNITS_PER_VECTOR);
        }
    }
    lengths.byte_len(count)
}

/// Writes the first `count` code units, which contain surrogates. Returns the number of bytes, or
/// `None` if a surrogate is unpaired. A high surrogate at the end is kept in `pending`.
#[inline(never)]
fn write_surrogate_pairs(
    bytes: &[[u8; WIDTH]; 2],
    count: usize,
    pending: &mut Option<u16>,
    to: &mut [u8; MAX_STEP_OUTPUT],
) -> Option<usize> {
    let units = bytes.iter().flat_map(|bytes| bytes[..12].as_arrays().0);
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

/// The variant of UTF-7 to encode.
#[derive(Debug, Clone)]
pub struct Utf7EncodeConfig {
    /// The shift character: the byte that begins a run.
    pub shift: u8,
    /// Direct characters: bytes that are not encoded.
    pub direct: AsciiByteSet,
    /// The base64 digits.
    pub alphabet: Base64Alphabet,
    /// Bytes before which a run must end in `-`.
    pub hyphen_before: [bool; 256],
    /// Whether the shift character is encoded inside a run, instead of ending it.
    pub shift_in_run: bool,
    /// Short runs of ASCII.
    pub ascii_runs: AsciiRunTable,
}

/// The maximum number of characters in a run that [`AsciiRunTable`] writes.
const MAX_ASCII_RUN: usize = 3;

/// The number of digits of a run of one to three characters.
const ASCII_RUN_DIGITS: [usize; MAX_ASCII_RUN + 1] = [0, 3, 6, 8];

/// The digits of the first three characters of a run, for ASCII: the high byte of a code unit is zero,
/// so no digit depends on two characters.
#[derive(Debug, Clone)]
pub struct AsciiRunTable([[[u8; 4]; 0x80]; MAX_ASCII_RUN]);

impl AsciiRunTable {
    /// Creates the table. The first entries begin with the shift character.
    pub fn new(shift: u8, alphabet: &Base64Alphabet) -> AsciiRunTable {
        let digit = |value: usize| alphabet.digit(value);
        let entries = |index: usize| {
            std::array::from_fn(|unit| match index {
                0 => [shift, digit(0), digit(unit >> 4), digit(unit << 2 & 0x3F)],
                1 => [digit(0), digit(unit >> 2), digit(unit << 4 & 0x3F), 0],
                _ => [digit(unit >> 6), digit(unit & 0x3F), 0, 0],
            })
        };
        AsciiRunTable(std::array::from_fn(entries))
    }

    /// Writes a shift character and the digits of `len` characters, at most three, which must be
    /// ASCII. Returns the number of bytes.
    #[inline(always)]
    fn write(
        &self,
        text: &[u8; MAX_ASCII_RUN],
        len: usize,
        to: &mut [u8; ENCODE_MIN_OUTPUT],
    ) -> usize {
        let entry = |index: usize| self.0[index][usize::from(text[index] & 0x7F)];
        to[..4].copy_from_slice(&entry(0));
        to[4..8].copy_from_slice(&entry(1));
        to[7..11].copy_from_slice(&entry(2));
        1 + ASCII_RUN_DIGITS[len & MAX_ASCII_RUN]
    }
}

/// The progress of the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf7EncodeProgress {
    /// The number of bytes read.
    pub read: usize,
    /// The number of bytes written.
    pub written: usize,
    /// Whether a run is open after them, with no bits left over.
    pub in_run: bool,
}

/// The input that a window needs, in bytes: a step may begin at its last byte, and reads twelve
/// characters of three bytes and a few bytes more.
const ENCODE_MIN_INPUT: usize = WINDOW_LEN + 3 * 2 * UNITS_PER_VECTOR + 4;
/// The output capacity that a step needs: a shift character, digits, a `-`, and the direct
/// characters after them.
const ENCODE_MIN_OUTPUT: usize = 1 + 2 * WIDTH + 1 + WINDOW_LEN;

/// Encodes a prefix of `text`, from outside a run or from inside one with no bits left over. Stops
/// where less than `ENCODE_MIN_INPUT` or `ENCODE_MIN_OUTPUT` is left, and rarely elsewhere.
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
        let mut encoder = Utf7WindowEncoder { simd, config, direct, alphabet, in_run };
        let mut can_continue = true;
        while can_continue {
            if !encoder.in_run {
                let copied = direct.copy_members(simd, src, dst);
                src = &src[copied..];
                dst = &mut dst[copied..];
            }
            let Some(input) = src.first_chunk() else { break };
            if dst.len() < ENCODE_MIN_OUTPUT {
                break;
            }
            let (read, written);
            (read, written, can_continue) = encoder.encode_window(input, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        Utf7EncodeProgress {
            read: text.len() - src.len(),
            written: output_len - dst.len(),
            in_run: encoder.in_run,
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

/// Bit masks of a window, the first byte lowest.
#[derive(Default)]
struct Utf7EncodeMasks {
    /// Direct characters.
    direct: u64,
    /// Bytes that do not end a run.
    run_bytes: u64,
    ascii: u64,
    /// Lead bytes of two, three and four bytes.
    two_byte_leads: u64,
    three_byte_leads: u64,
    four_byte_leads: u64,
}

/// Up to twelve code units, six in each vector.
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
        for (index, text) in input.as_arrays().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
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

    /// Encodes the runs that end in a window, and the direct characters between them. Returns the
    /// numbers of bytes read and written, and whether the kernel can continue.
    #[inline(always)]
    fn encode_window(
        &mut self,
        input: &[u8; ENCODE_MIN_INPUT],
        mut dst: &mut [u8],
    ) -> (usize, usize, bool) {
        let (window, output_len) = (self.classify(input), dst.len());
        let (mut at, mut can_continue) = (0, true);
        while at < WINDOW_LEN && can_continue {
            let Some(to) = dst.first_chunk_mut() else { break };
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
                RunStep::Fallback => can_continue = false,
            }
        }
        (at, output_len - dst.len(), can_continue)
    }

    /// Encodes a run, or a part of it, or a shift character outside a run.
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
        let is_truncated = at + len == WINDOW_LEN;
        let is_ascii = !(window.ascii >> at) & !(u64::MAX << (len % 64)) == 0;
        if !self.in_run && is_ascii && (1..=MAX_ASCII_RUN).contains(&len) && !is_truncated {
            if let Some(text) = input[at..].first_chunk() {
                let written = self.config.ascii_runs.write(text, len, to);
                to[written] = b'-';
                let hyphen = self.config.hyphen_before[usize::from(input[at + len])];
                return RunStep::AfterRun(len, written + usize::from(hyphen));
            }
        }
        let shift = usize::from(!self.in_run);
        match self.next_units(input, window, at, len) {
            Some(run) if run.read < len => {
                RunStep::InRun(run.read, shift + self.write_digits(&run, &mut to[shift..]))
            }
            Some(run) if !is_truncated => {
                let written = shift + self.write_digits(&run, &mut to[shift..]);
                to[written] = b'-';
                let hyphen = self.config.hyphen_before[usize::from(input[at + len])];
                RunStep::AfterRun(len, written + usize::from(hyphen))
            }
            // A window that begins here contains more of the run.
            _ if is_truncated && at > 0 => RunStep::Truncated,
            _ => RunStep::Fallback,
        }
    }

    /// Returns the next code units of a run with `len` more bytes: all of them, or a number that
    /// leaves no bits over.
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

    /// Writes the digits of a batch and returns their number.
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
        if run.count > UNITS_PER_VECTOR {
            if let Some(to) = to[WIDTH..].first_chunk_mut() {
                simd.store(digits(1), to);
            }
        }
        (8 * run.count).div_ceil(3)
    }
}

/// The indexes of the bytes of units, six units in each vector.
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
    use crate::simd::Level;
    use crate::testing;
    use crate::testing::stride;

    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    fn is_direct(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"'(),-./:? \t\r\n".contains(&byte)
    }

    fn digit(byte: u8) -> Option<usize> {
        DIGITS.bytes().position(|digit| digit == byte)
    }

    /// Decodes well-formed bytes bit by bit, from a state as in [`Utf7DecodeProgress`].
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

    /// Encodes a text bit by bit, from outside a run or from inside one.
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

    /// Returns texts with runs of every kind and length among direct characters, in pseudorandom
    /// order.
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
        let mut random = testing::random(0);
        (0..400).step_by(stride(101)).map(move |round| {
            let longest = [3, 9, 30, 90][round % 4];
            let mut text = String::new();
            while text.len() < 300 {
                let sort = random.one(&SAMPLES);
                for _ in 0..random.below(longest) {
                    text.push(random.one(sort));
                }
                text.push_str(random.one(&["", "a", " b"]));
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
            ascii_runs: AsciiRunTable::new(b'+', &Base64Alphabet::with_last_digit(b'/')),
        }
    }

    /// Runs the decoder. Returns its progress and the text.
    fn decode_at(
        level: Level,
        config: &Utf7DecodeConfig,
        src: &[u8],
        output_len: usize,
    ) -> (Utf7DecodeProgress, String) {
        let mut dst = vec![0x55; output_len];
        let kernel = Utf7DecodeKernel { config, in_run: false, src, dst: &mut dst };
        let progress = level.run(kernel);
        dst.truncate(progress.written);
        (progress, String::from_utf8(dst).unwrap())
    }

    #[test]
    fn decoded_part_and_rest_are_the_whole_text() {
        let config = decoder();
        for expected in sample_texts() {
            let src = reference_encode(&expected, false);
            assert_eq!(reference_decode(&src, None), expected);
            for output_len in [0, 115, 116, 131, 200, 2000] {
                for level in Level::all() {
                    let (progress, found) = decode_at(level, &config, &src, output_len);
                    // The kernel may go back to a high surrogate.
                    let near_end = src.len() - progress.read < DECODE_MIN_INPUT + 3;
                    let full = output_len - progress.written < DECODE_MIN_OUTPUT;
                    assert!(near_end || full, "{level:?} stops early in {expected:?}");
                    let whole = found + &reference_decode(&src[progress.read..], progress.run);
                    assert_eq!(whole, expected, "{level:?} {output_len} {progress:?}");
                }
            }
        }
    }

    #[test]
    fn decoding_stops_before_an_error_at_every_position() {
        let config = decoder();
        let long = "й".repeat(40) + " and " + &"中文😀".repeat(9) + &"z".repeat(90);
        let valid = reference_encode(&long, false);
        for at in (0..valid.len() - 80).step_by(stride(55)) {
            for invalid in [b'~', 0x80, 0xFF, b'\\'] {
                let mut src = valid.clone();
                src[at] = invalid;
                for level in Level::all() {
                    let (progress, found) = decode_at(level, &config, &src, 2000);
                    assert!(long.starts_with(&found), "{level:?} {at} {invalid}");
                    let is_near = progress.read <= at && at < progress.read + DECODE_MIN_INPUT;
                    assert!(is_near, "{level:?} {at} {invalid} {progress:?}");
                }
            }
        }
    }

    #[test]
    fn decoding_stops_before_malformed_runs() {
        let config = decoder();
        // Unpaired surrogates, pairs in the wrong order, excess bits, excess digits, and empty
        // runs.
        let invalid = [
            "2D0-", "3AA-", "3gDYPQ-", "2D0AQQ-", "AOl-", "AOkA-", "AOkAAAA-", "A-", "AA-", "!",
            " ",
        ];
        for invalid in invalid {
            for before in (0..70).step_by(stride(47)) {
                let src = "x".repeat(before) + "+" + invalid + &"y".repeat(150);
                for level in Level::all() {
                    let (progress, _) = decode_at(level, &config, src.as_bytes(), 2000);
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
                let (progress, _) = decode_at(level, &config, src.as_bytes(), 2000);
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
                    let (config, text, in_run) = (&config, &text[..], false);
                    let progress =
                        level.run(Utf7EncodeKernel { config, in_run, text, dst: &mut dst });
                    let near_end = text.len() - progress.read < ENCODE_MIN_INPUT;
                    let full = output_len - progress.written < ENCODE_MIN_OUTPUT;
                    // Surrogate pairs among other units may never result in a multiple of three
                    // units.
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
