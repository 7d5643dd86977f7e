//! The codecs of encodings that are read one value at a time and may have 31-bit values.
//!
//! An encoding defines the bytes of one value as a [`CodePointFormat`]. Four codecs are derived
//! from it: from bytes to text, from text to bytes, and for values above U+10FFFF the same two with
//! RFC 2044's 1 to 6 bytes in place of text. UTF-8 is a subset of that form, so the same loop
//! writes both; only the maximum value differs.

use crate::codec::{
    ByteTransform, Checkpoint, DecodeStage, EncodeStage, Progress, Replacements, State,
};
use crate::conversion_error::{ErrorClass, Malformed, MalformedReason, Unmappable};
use crate::error_handler::{FewBytes, replace_malformed};
use charpipe_kernel::simd::AsArrays;
use charpipe_kernel::utf8_replace::{MAX_REPLACEMENT_LEN, Replaced, replace_in_blocks};

/// The highest code point of Unicode.
pub(super) const MAX_UNICODE: u32 = 0x10_FFFF;
/// The highest value of ISO/IEC 10646-1:1993 and of RFC 2044.
pub(super) const MAX_UCS4: u32 = 0x7FFF_FFFF;

/// The bytes of one value.
pub(super) trait CodePointFormat: Send + Sync {
    /// See [`Checkpoint::max_lookahead`].
    const MAX_LOOKAHEAD: usize;

    /// Returns the highest value of the encoding, [`MAX_UNICODE`] or [`MAX_UCS4`].
    fn max_value(&self) -> u32;

    /// Decodes whole characters at the start of `src` to UTF-8 with a kernel; returns the number of
    /// bytes read and written, which may be zero.
    fn decode_run(&self, _src: &[u8], _dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        (0, 0)
    }

    /// Encodes characters at the start of `text` with a kernel; returns the number of bytes read
    /// and written, which may be zero.
    fn encode_run(&self, _text: &str, _dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        (0, 0)
    }

    /// Encodes a prefix of `src`, which need not be valid UTF-8, with a kernel, if that leaves the state
    /// unchanged. Returns the numbers of bytes read and written, which may be zero.
    fn encode_unvalidated(&self, _src: &[u8], _dst: &mut [u8], _state: u64) -> (usize, usize) {
        (0, 0)
    }

    /// Reads one item at the start of `src`, which is not empty; `end` means that nothing follows
    /// `src`. The state becomes that after the item, also if it is malformed.
    fn read_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult;

    /// Returns whether the input is big-endian if in this state each four bytes are a value up to U+10FFFF or an
    /// error, and leave the state unchanged.
    fn utf32_is_big(&self, _state: u64) -> Option<bool> {
        None
    }

    /// Writes a value that is not a surrogate and not above [`max_value`](Self::max_value); returns
    /// the number of bytes written. If `dst` is too small, returns `None` and leaves the state
    /// unchanged.
    fn write_one(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize>;

    /// Writes pending output at the end of the input; returns the number of bytes written. If `dst`
    /// is too small, returns `None` and leaves the state unchanged.
    fn finish(&self, _dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        Some(0)
    }
}

/// The item at the start of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadResult {
    /// A value of `len` bytes. The codec rejects surrogates and values that are too high.
    CodePoint { value: u32, len: usize },
    /// `len` bytes without a character, such as a byte order mark.
    Skip { len: usize },
    /// An incomplete item. Not returned at the end of the input.
    NeedMore,
    /// A malformed sequence of `len` bytes.
    Malformed { len: usize, reason: MalformedReason },
}

/// The number of bytes of the 31-bit form that are validated as text at a time: enough for a run,
/// and few enough to validate again after each value above U+10FFFF.
const INPUT_CHUNK: usize = 256;

/// Returns the valid UTF-8 within the first [`INPUT_CHUNK`] bytes.
fn text(src: &[u8]) -> &str {
    let chunk = &src[..src.len().min(INPUT_CHUNK)];
    std::str::from_utf8(chunk).unwrap_or_else(|error| {
        std::str::from_utf8(&chunk[..error.valid_up_to()]).unwrap_or_default()
    })
}

/// Makes a factory of the codecs of a format, which a function of the options returns, as another returns
/// the split rule.
macro_rules! format_factory {
    ($format:expr, $split_rule:expr) => {
        &$crate::encoding::FnFactory {
            decoder: |options| {
                Box::new($crate::encoding::code_point_codec::FormatDecoder::new($format(options)))
            },
            encoder: |options| {
                Box::new($crate::encoding::code_point_codec::FormatEncoder::new($format(options)))
            },
            split_rule: $split_rule,
        }
    };
}

/// Makes the UCS-4 codecs of a format, which a function of the options returns.
macro_rules! ucs4_codecs {
    ($is_enabled:expr, $format:expr) => {
        Some($crate::encoding::Ucs4Codecs {
            is_enabled: $is_enabled,
            decoder: |options| {
                Box::new($crate::encoding::code_point_codec::FormatDecoder::new($format(options)))
            },
            encoder: |options| {
                Box::new($crate::encoding::code_point_codec::FormatEncoder::new($format(options)))
            },
        })
    };
}

pub(super) use {format_factory, ucs4_codecs};

/// A codec of a format, whose state is that of the format.
pub(super) struct FormatCodec<F, const ENCODES: bool> {
    format: F,
    state: u64,
}

/// A decoder to text, or to 1 to 6 bytes per value.
pub(super) type FormatDecoder<F> = FormatCodec<F, false>;

/// An encoder of text, or of 1 to 6 bytes per value.
pub(super) type FormatEncoder<F> = FormatCodec<F, true>;

impl<F: CodePointFormat, const ENCODES: bool> FormatCodec<F, ENCODES> {
    pub(super) fn new(format: F) -> Self {
        FormatCodec { format, state: State::INITIAL.bits() }
    }
}

impl<F: CodePointFormat> FormatDecoder<F> {
    /// Decodes values up to `limit`, the highest value of the output.
    #[inline(always)]
    fn read(&mut self, src: &[u8], dst: &mut [u8], end: bool, limit: u32) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let run = self.format.decode_run(&src[read..], &mut dst[written..], &mut self.state);
            read += run.0;
            written += run.1;
            if read == src.len() {
                return Progress::input_empty(read, written);
            }
            let mut next_state = self.state;
            let malformed = match self.format.read_one(&src[read..], end, &mut next_state) {
                ReadResult::CodePoint { value, len } => {
                    match above_limit(value, self.format.max_value(), limit) {
                        Some(reason) => Some((len, reason)),
                        None => match write_rfc2044(value, &mut dst[written..]) {
                            Some(len_written) => {
                                read += len;
                                written += len_written;
                                None
                            }
                            None => return Progress::output_full(read, written),
                        },
                    }
                }
                ReadResult::Skip { len } => {
                    read += len;
                    None
                }
                ReadResult::NeedMore => return Progress::input_empty(read, written),
                ReadResult::Malformed { len, reason } => Some((len, reason)),
            };
            if let Some((len, reason)) = malformed {
                let error = Malformed::new(len, reason, State::new(next_state));
                return Progress::error(read, written, error);
            }
            self.state = next_state;
        }
    }
}

/// Returns why a value is invalid in an encoding up to `max_value`, or above the `limit` of the
/// output.
fn above_limit(value: u32, max_value: u32, limit: u32) -> Option<MalformedReason> {
    match value {
        0xD800..=0xDFFF => Some(MalformedReason::Surrogate),
        _ if value > max_value => Some(MalformedReason::OutOfRange),
        _ if value > limit => Some(MalformedReason::AboveUnicode(value)),
        _ => None,
    }
}

/// The number of values that are written one by one at the start and after a run that is empty: in short
/// text and near the end of a buffer all runs are.
const STEPWISE_VALUES: usize = 16;

/// The next value of the input.
enum NextValue<E> {
    Value { value: u32, len: usize },
    Input,
    Error(E),
}

impl<F: CodePointFormat> FormatEncoder<F> {
    /// Encodes runs of the text that `text` returns for a position, and the value that `next`
    /// returns for a position and a state.
    #[inline(always)]
    fn write<'a, E>(
        &mut self,
        dst: &mut [u8],
        end: bool,
        text: impl Fn(usize) -> &'a str,
        next: impl Fn(usize, State) -> NextValue<E>,
    ) -> Progress<E> {
        let (mut read, mut written, mut stepwise) = (0, 0, STEPWISE_VALUES);
        loop {
            if stepwise == 0 {
                let run = self.format.encode_run(text(read), &mut dst[written..], &mut self.state);
                read += run.0;
                written += run.1;
                stepwise = if run.0 == 0 { STEPWISE_VALUES } else { 1 };
            }
            stepwise -= 1;
            match next(read, State::new(self.state)) {
                NextValue::Value { value, len } => {
                    let Some(len_written) =
                        self.format.write_one(value, &mut dst[written..], &mut self.state)
                    else {
                        return Progress::output_full(read, written);
                    };
                    read += len;
                    written += len_written;
                }
                NextValue::Input if end => {
                    return match self.format.finish(&mut dst[written..], &mut self.state) {
                        Some(len) => Progress::input_empty(read, written + len),
                        None => Progress::output_full(read, written),
                    };
                }
                NextValue::Input => return Progress::input_empty(read, written),
                NextValue::Error(error) => return Progress::error(read, written, error),
            }
        }
    }
}

impl<F: CodePointFormat, const ENCODES: bool> Checkpoint for FormatCodec<F, ENCODES> {
    fn save_state(&self) -> State {
        State::new(self.state)
    }

    fn restore_state(&mut self, at: State) {
        self.state = at.bits();
    }

    fn max_lookahead(&self) -> usize {
        F::MAX_LOOKAHEAD
    }
}

impl<F: CodePointFormat> DecodeStage for FormatDecoder<F> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.read(src, dst, end, MAX_UNICODE)
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let FormatCodec { format, state } = self;
        let constant = errors.constant(ErrorClass::Malformed);
        if let Some((is_big, replacement)) = format.utf32_is_big(*state).zip(constant) {
            let done = replace_in_blocks(src, dst, |window, to| {
                replace_utf32_block(window, to, is_big, replacement)
            });
            return errors.add_replaced(ErrorClass::Malformed, done);
        }
        replace_malformed(src, dst, errors, |window: &[u8; WINDOW_LEN], space| {
            let mut next_state = *state;
            let result = match format.read_one(window, false, &mut next_state) {
                ReadResult::CodePoint { value, len } => {
                    match above_limit(value, format.max_value(), MAX_UNICODE) {
                        None => Ok((len, char::from_u32(value)?.encode_utf8(space).len())),
                        Some(reason) => Err((len, reason)),
                    }
                }
                ReadResult::Skip { len } => Ok((len, 0)),
                ReadResult::NeedMore => return None,
                ReadResult::Malformed { len, reason } => Err((len, reason)),
            };
            // The error may have no replacement, and the state is that before it then.
            if result.is_err() && next_state != *state {
                return None;
            }
            *state = next_state;
            Some(result)
        })
    }
}

/// The number of values in a block of UTF-32 that is decoded with replacements.
const BLOCK_VALUES: usize = 16;

/// The output space for a block: one replacement for each value, and one store after them.
const MAX_BLOCK_OUTPUT: usize = (BLOCK_VALUES + 1) * MAX_REPLACEMENT_LEN;

/// Decodes a block of UTF-32 with a replacement for each value that is not a character.
#[inline]
fn replace_utf32_block(
    src: &[u8; 4 * BLOCK_VALUES],
    dst: &mut [u8; MAX_BLOCK_OUTPUT],
    is_big: bool,
    replacement: FewBytes,
) -> Replaced {
    let (mut written, mut errors) = (0, 0);
    for bytes in src.as_arrays().0 {
        let little = u32::from_le_bytes(*bytes);
        let value = if is_big { little.swap_bytes() } else { little };
        let space = dst[written.min(MAX_BLOCK_OUTPUT - MAX_REPLACEMENT_LEN)..].first_chunk_mut();
        let Some(space) = space else { break };
        match char::from_u32(value) {
            Some(character) => written += character.encode_utf8(space).len(),
            None => {
                *space = replacement.bytes;
                written += replacement.len;
                errors += 1;
            }
        }
    }
    Replaced { read: src.len(), written, errors }
}

/// The number of bytes of which the first item is read if errors are frequent, at least that of the longest.
const WINDOW_LEN: usize = 16;

impl<F: CodePointFormat> ByteTransform for FormatDecoder<F> {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        self.read(src, dst, end, MAX_UCS4)
    }
}

impl<F: CodePointFormat> EncodeStage for FormatEncoder<F> {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let next = |at: usize, _| match src.as_bytes().get(at) {
            Some(&byte @ ..0x80) => NextValue::Value { value: u32::from(byte), len: 1 },
            Some(_) => src[at..].chars().next().map_or(NextValue::Input, |character| {
                NextValue::Value { value: u32::from(character), len: character.len_utf8() }
            }),
            None => NextValue::Input,
        };
        self.write(dst, end, |at| &src[at..], next)
    }

    fn encode_unvalidated(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        self.format.encode_unvalidated(src, dst, self.state)
    }
}

impl<F: CodePointFormat> ByteTransform for FormatEncoder<F> {
    /// The errors are malformed bytes, and values above the maximum of the encoding with its
    /// options, which [`Ucs4Codecs::is_enabled`](crate::encoding::Ucs4Codecs::is_enabled) excludes.
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let max_value = self.format.max_value();
        let next = |at: usize, state| {
            let error = |len, reason| NextValue::Error(Malformed::new(len, reason, state));
            match read_rfc2044(&src[at..], end) {
                ReadResult::CodePoint { value, len } => {
                    match above_limit(value, max_value, MAX_UCS4) {
                        None => NextValue::Value { value, len },
                        Some(reason) => error(len, reason),
                    }
                }
                ReadResult::Malformed { len, reason } => error(len, reason),
                ReadResult::Skip { .. } | ReadResult::NeedMore => NextValue::Input,
            }
        };
        self.write(dst, end, |at| text(&src[at..]), next)
    }
}

/// The lowest value of each length from 2 bytes on.
const STEPS: [u32; 5] = [0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];

/// The high bits of the first byte, by length in bytes.
const LEADS: [u8; 7] = [0, 0, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC];

/// Reads one value of RFC 2044, section 2. A malformed sequence is the longest prefix of a
/// well-formed one, or else a single byte, as in UTF-8.
pub(super) fn read_rfc2044(src: &[u8], end: bool) -> ReadResult {
    let Some(&lead) = src.first() else { return ReadResult::NeedMore };
    let (len, low, high, below) = match lead {
        0x00..=0x7F => return ReadResult::CodePoint { value: u32::from(lead), len: 1 },
        0x80..=0xBF | 0xFE..=0xFF => {
            return ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte };
        }
        0xC0..=0xC1 => return ReadResult::Malformed { len: 1, reason: MalformedReason::Overlong },
        0xC2..=0xDF => (2, 0x80, 0xBF, MalformedReason::Overlong),
        0xE0 => (3, 0xA0, 0xBF, MalformedReason::Overlong),
        0xED => (3, 0x80, 0x9F, MalformedReason::Surrogate),
        0xE1..=0xEF => (3, 0x80, 0xBF, MalformedReason::Overlong),
        0xF0 => (4, 0x90, 0xBF, MalformedReason::Overlong),
        0xF1..=0xF7 => (4, 0x80, 0xBF, MalformedReason::Overlong),
        0xF8 => (5, 0x88, 0xBF, MalformedReason::Overlong),
        0xF9..=0xFB => (5, 0x80, 0xBF, MalformedReason::Overlong),
        0xFC => (6, 0x84, 0xBF, MalformedReason::Overlong),
        0xFD => (6, 0x80, 0xBF, MalformedReason::Overlong),
    };
    let mut value = u32::from(lead ^ LEADS[len]);
    for (index, &byte) in src[..src.len().min(len)].iter().enumerate().skip(1) {
        let reason = match byte {
            0x80..=0xBF if index > 1 || (low..=high).contains(&byte) => {
                value = value << 6 | u32::from(byte & 0x3F);
                continue;
            }
            0x80..=0xBF => below,
            _ => MalformedReason::MissingTrailByte,
        };
        return ReadResult::Malformed { len: index, reason };
    }
    match src.len() {
        available if available >= len => ReadResult::CodePoint { value, len },
        available if end => {
            ReadResult::Malformed { len: available, reason: MalformedReason::Truncated }
        }
        _ => ReadResult::NeedMore,
    }
}

/// Writes a value up to 7FFFFFFF in 1 to 6 bytes; returns their number, or `None` if `dst` is too
/// small.
pub(super) fn write_rfc2044(value: u32, dst: &mut [u8]) -> Option<usize> {
    let len = 1 + STEPS.iter().filter(|first| value >= **first).count();
    let (lead, trails) = dst.get_mut(..len)?.split_first_mut()?;
    let mut rest = value;
    for byte in trails.iter_mut().rev() {
        *byte = 0x80 | (rest & 0x3F) as u8;
        rest >>= 6;
    }
    *lead = LEADS[len] | rest as u8;
    Some(len)
}

#[cfg(test)]
mod tests {
    use crate::codec::{Progress, Status};
    use crate::encoding::testing::LabeledEncoding;
    use crate::encoding::testing::{from_ucs4, from_ucs4_every_way, to_ucs4};
    use crate::encoding::{ALL, Encoding, EncodingOptions, for_label};
    use charpipe_test_support as testing;

    const UCS4_LABELS: [&str; 6] =
        ["FSS-UTF", "UTF-1", "UCS-4", "UCS-4BE", "UCS-4LE", "UTF-5:ucs4"];

    /// Returns the first and last value of every length in every encoding, and their neighbors.
    fn boundaries() -> Vec<u32> {
        let edges = [
            0,
            0xA0,
            0x100,
            0x4016,
            0x3_8E2E,
            0x80,
            0x800,
            0xD800,
            0xE000,
            0xFFFE,
            0x1_0000,
            0x11_0000,
            0x20_0000,
            0x400_0000,
            0x8000_0000,
        ];
        let nibbles = (0..8).map(|digit| 0x10_u32 << (4 * digit)).filter(|edge| *edge > 0);
        let around = |edge: u32| [edge.wrapping_sub(1), edge, edge.wrapping_add(1)];
        edges.into_iter().chain(nibbles).flat_map(around).filter(is_allowed).collect()
    }

    fn is_allowed(value: &u32) -> bool {
        *value <= 0x7FFF_FFFF && !(0xD800..=0xDFFF).contains(value)
    }

    /// Returns pseudorandom values with each number of significant bits.
    fn sample() -> Vec<u32> {
        let mut random = testing::random(1999);
        let next = || (random.below(0x8000_0000) >> random.below(31)) as u32;
        std::iter::repeat_with(next).filter(is_allowed).take(5_000).collect()
    }

    fn big_endian(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_be_bytes()).collect()
    }

    /// Encodes by RFC 2044's rule, on the bits as text, six to a byte from the right.
    fn by_bits(value: u32) -> Vec<u8> {
        if value < 0x80 {
            return vec![value as u8];
        }
        let bits = (32 - value.leading_zeros()) as usize;
        let len = (2..=6).find(|len| bits <= 5 * len + 1).unwrap();
        let text = format!("{}0{value:0width$b}", "1".repeat(len), width = 5 * len + 1);
        let byte = |bits: &[u8]| u8::from_str_radix(std::str::from_utf8(bits).unwrap(), 2).unwrap();
        let (lead, rest) = text.as_bytes().split_at(8);
        let trails = rest.chunks(6).map(|bits| 0x80 | byte(bits));
        std::iter::once(byte(lead)).chain(trails).collect()
    }

    #[test]
    fn the_pivot_is_what_rfc_2044_says() {
        let values = [boundaries(), sample()].concat();
        for value in values {
            let seen = to_ucs4("UCS-4", &value.to_be_bytes());
            assert_eq!(seen, (by_bits(value), vec![]), "{value:X}");
        }
    }

    #[test]
    fn every_value_passes_unharmed_from_each_encoding_to_each() {
        let plain = big_endian(&[boundaries(), sample()].concat());
        let pivot = to_ucs4("UCS-4", &plain).0;
        for from in UCS4_LABELS {
            let (bytes, errors) = from_ucs4(from, &pivot);
            assert_eq!(errors, [], "{from}");
            let forward = to_ucs4(from, &bytes);
            assert!(forward == (pivot.clone(), vec![]), "{from}");
            for to in UCS4_LABELS {
                let back = to_ucs4(to, &from_ucs4(to, &forward.0).0);
                assert!(from_ucs4("UCS-4", &back.0) == (plain.clone(), vec![]), "{from} to {to}");
            }
        }
    }

    #[test]
    fn encoder_reports_malformed_rfc2044_input() {
        for to in UCS4_LABELS {
            let (bytes, errors) = from_ucs4_every_way(to, b"A\xED\xA0\x80B\xFE\xF8\x88\x80");
            let spans: Vec<_> = errors.iter().map(|error| (error.0, error.1)).collect();
            assert_eq!(spans, [(1, 1), (2, 1), (3, 1), (5, 1), (6, 3)], "{to}");
            assert_eq!(bytes, from_ucs4(to, b"AB").0, "{to}");
        }
    }

    #[test]
    fn a_utf_5_without_ucs4_lets_nothing_above_unicode_through() {
        for (label, expected) in [("UTF-5", false), ("UTF-5:ucs4", true)] {
            let LabeledEncoding { encoding: registered, options: encoding_options } =
                LabeledEncoding::parse(label);
            assert_eq!(
                (registered.ucs4.as_ref().unwrap().is_enabled)(&encoding_options),
                expected,
                "{label}"
            );
        }
        assert_eq!(from_ucs4("UTF-5", b"\xF4\x90\x80\x80A").0, b"K1");
        assert_eq!(to_ucs4("UTF-5", b"H10000K1").0, b"A");
    }

    #[test]
    fn utf_32_has_no_31_bit_path() {
        for name in ["UTF-32", "UTF-32BE", "UTF-32LE"] {
            assert!(for_label(name).unwrap().ucs4.is_none());
        }
    }

    /// Encodings in which the bytes of a character do not depend on its neighbors.
    const LABELS: [&str; 7] =
        ["UTF-32BE", "UTF-32LE", "UCS-4", "UTF-5", "UTF-1", "FSS-UTF", "UCS-4LE"];

    /// The limits of the ranges that the kernels distinguish, and some characters between.
    const SAMPLES: [&[char]; 9] = [
        &['\0', '\n', '\u{F}'],
        &['\u{10}', ' ', '/', 'A', 'z', '\u{7F}'],
        &['\u{80}', '\u{9F}', '\u{A0}', 'é', '\u{FF}'],
        &['\u{100}', 'ж', 'Я', '\u{7FF}'],
        &['\u{800}', 'क', '\u{FFF}'],
        &['\u{1000}', '中', '\u{D7FF}', '\u{E000}', '\u{FEFF}', '\u{FFFF}'],
        &['\u{10000}', '🎂', '\u{FFFFF}'],
        &['\u{100000}', '\u{10FFFF}'],
        &['a'],
    ];

    /// Returns a text of runs with pseudorandom lengths and members.
    fn text(seed: u64, longest: u64) -> String {
        let mut random = testing::random(seed);
        let mut text = String::new();
        while text.len() < 400 {
            let members = random.one(&SAMPLES);
            for _ in 0..random.below(longest as usize) {
                text.push(random.one(members));
            }
        }
        text
    }

    fn encoding(name: &str) -> &'static Encoding {
        ALL.iter().find(|encoding| encoding.name() == name).unwrap()
    }

    fn encode(encoding: &Encoding, text: &str) -> Vec<u8> {
        let mut dst = vec![0; 8 * text.len() + 64];
        let mut encoder = encoding.encoder(&EncodingOptions::default());
        let Progress { read, written, status } = encoder.encode(text, &mut dst, true);
        assert_eq!((read, status), (text.len(), Status::InputEmpty));
        dst.truncate(written);
        dst
    }

    #[test]
    fn text_encodes_like_its_characters_one_by_one() {
        for name in LABELS {
            let encoding = encoding(name);
            for seed in 0..300 {
                let text = text(seed, 2 + seed % 20);
                let one_by_one =
                    |character: char| encode(encoding, character.encode_utf8(&mut [0; 4]));
                let bytes = encode(encoding, &text);
                assert_eq!(
                    bytes,
                    text.chars().flat_map(one_by_one).collect::<Vec<_>>(),
                    "{name} {text:?}"
                );

                let mut dst = vec![0; text.len() + 64];
                let mut decoder = encoding.decoder(&EncodingOptions::default());
                let Progress { read, written, status } = decoder.decode(&bytes, &mut dst, true);
                assert_eq!((read, status), (bytes.len(), Status::InputEmpty), "{name} {text:?}");
                assert_eq!(dst[..written], *text.as_bytes(), "{name}");
            }
        }
    }
}
