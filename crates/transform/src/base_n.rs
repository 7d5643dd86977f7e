//! The codecs of base64, base32 and base16 (RFC 4648), which differ in their digits and groups.
//!
//! Decisions where RFC 4648 leaves a choice or programs differ:
//!
//! * White space (space, tab, CR, LF) is skipped everywhere, as in MIME (RFC 2045, section 6.8).
//!   Every other byte that is not in the alphabet is an error (section 3.3), unless the option
//!   `lenient` is set.
//! * Padding must be exact if it is required, and is an error if it is not allowed (section 3.2).
//!   Where it is optional it may be missing, but not incomplete.
//! * Bits of the last digit that belong to no byte must be zero (section 3.5). The error is at the
//!   first padding character, or at the end of the input.
//! * A byte is written with the digit that completes it, also if its group turns out to be incomplete.
//! * After padding only white space may follow. If the error is skipped, the digit after it starts
//!   a new group, so that concatenated encodings can be decoded.
//! * The encoder ends every line, the last one included, as `base64` and `basenc` of GNU do. Without
//!   lines it writes nothing but digits and padding.

use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};

/// The digits of an encoding, and the fast loops over them.
pub(super) trait BaseFormat: Send + Sync {
    /// The number of bits in a digit.
    const DIGIT_BITS: u32;
    /// The number of bytes in a group.
    const GROUP_BYTES: usize;
    /// The number of digits in a group.
    const GROUP_DIGITS: usize;

    /// Returns the digits in the order of their values.
    fn digits(&self) -> &'static [u8];

    /// Encodes whole groups as long as they fit.
    fn encode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        encode_groups_by_digit(self, src, dst)
    }

    /// Encodes whole lines and their line endings. May do nothing.
    fn encode_lines(&self, _: &[u8], _: &mut [u8], _: usize, _: &[u8]) -> (usize, usize) {
        (0, 0)
    }

    /// Decodes whole groups of digits, and line endings between them. May do nothing.
    fn decode_groups(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize);
}

/// The option for the length of lines.
pub(super) const LINE: OptionSpec = OptionSpec {
    name: "line",
    values: OptionValues::Integer(0, 1_000_000),
    description: "digits in a line when encoding; 0 for a single line without a line ending",
};

/// The option for the line endings.
pub(super) const NEWLINE: OptionSpec = OptionSpec {
    name: "newline",
    values: OptionValues::Choice(&["lf", "crlf"]),
    description: "the line endings when encoding; mail needs crlf",
};

/// The option for padding, which is required by default.
pub(super) const PADDING_REQUIRED: OptionSpec = OptionSpec {
    name: "padding",
    values: OptionValues::Choice(&["yes", "optional", "no"]),
    description: "whether the end is padded with '='; the encoder pads only with yes",
};

/// The option for padding, which is optional by default.
pub(super) const PADDING_OPTIONAL: OptionSpec =
    OptionSpec { values: OptionValues::Choice(&["optional", "yes", "no"]), ..PADDING_REQUIRED };

/// The option for decoding what is not valid.
pub(super) const LENIENT: OptionSpec = OptionSpec {
    name: "lenient",
    values: OptionValues::Flag,
    description: "when decoding ignore other characters, missing padding and padding bits",
};

/// Whether the input of a decoder is padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Padding {
    Required,
    Optional,
    Forbidden,
}

impl Padding {
    /// Returns the value of the option `padding`, or a default value.
    pub fn from_options(options: &EncodingOptions, default: Padding) -> Padding {
        let words = [
            ("yes", Padding::Required),
            ("optional", Padding::Optional),
            ("no", Padding::Forbidden),
        ];
        let chosen = words.iter().find(|(word, _)| options.is_choice("padding", word));
        chosen.map_or(default, |(_, padding)| *padding)
    }
}

fn digit_bits<F: BaseFormat + ?Sized>(count: u32) -> u32 {
    count * F::DIGIT_BITS
}

/// Encodes group by group.
pub(super) fn encode_groups_by_digit<F: BaseFormat + ?Sized>(
    format: &F,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    let digits = format.digits();
    let groups = src.chunks_exact(F::GROUP_BYTES).zip(dst.chunks_exact_mut(F::GROUP_DIGITS));
    let mut count = 0;
    for (from, to) in groups {
        write_digits::<F>(digits, from, to);
        count += 1;
    }
    (count * F::GROUP_BYTES, count * F::GROUP_DIGITS)
}

/// Writes the digits of up to a group, as many as `to` has space for.
#[inline(always)]
fn write_digits<F: BaseFormat + ?Sized>(digits: &[u8], from: &[u8], to: &mut [u8]) {
    let mut bits = from.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    bits <<= 64 - 8 * from.len();
    for to in to {
        *to = digits[(bits >> (64 - F::DIGIT_BITS)) as usize];
        bits <<= F::DIGIT_BITS;
    }
}

/// Encodes bytes to digits, padding and lines. The state is the number of digits in the line.
pub(super) struct BaseEncoder<F> {
    format: F,
    /// Zero without lines.
    line_len: usize,
    newline: &'static [u8],
    has_padding: bool,
    column: usize,
}

/// The maximum number of bytes written for a group: eight digits, each on a line of its own.
const MAX_GROUP_LEN: usize = 24;

impl<F: BaseFormat> BaseEncoder<F> {
    /// Creates an encoder with the options `line` and `newline`.
    pub fn new(
        format: F,
        options: &EncodingOptions,
        default_line_len: usize,
        has_padding: bool,
    ) -> BaseEncoder<F> {
        let line_len = options.integer("line").map_or(default_line_len, |len| len as usize);
        let newline: &[u8] = if options.is_choice("newline", "crlf") { b"\r\n" } else { b"\n" };
        BaseEncoder { format, line_len, newline, has_padding, column: 0 }
    }

    /// Encodes whole groups without a line ending inside.
    fn encode_groups(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if self.line_len == 0 {
            return self.format.encode_groups(src, dst);
        }
        if self.column == 0 && self.line_len % F::GROUP_DIGITS == 0 {
            let done = self.format.encode_lines(src, dst, self.line_len, self.newline);
            if done.0 > 0 {
                return done;
            }
        }
        let groups = (self.line_len - self.column) / F::GROUP_DIGITS;
        let src = &src[..src.len().min(groups * F::GROUP_BYTES)];
        let (read, written) = self.format.encode_groups(src, dst);
        self.column += written;
        (read, written)
    }

    fn end_line(&mut self, dst: &mut [u8]) -> Option<usize> {
        dst.get_mut(..self.newline.len())?.copy_from_slice(self.newline);
        self.column = 0;
        Some(self.newline.len())
    }

    /// Returns what a group, or the last part of one, is encoded to, and the column after it.
    fn encode_group(&self, group: &[u8]) -> ([u8; MAX_GROUP_LEN], usize, usize) {
        let digit_count = (8 * group.len()).div_ceil(F::DIGIT_BITS as usize);
        let mut digits = [b'='; 8];
        write_digits::<F>(self.format.digits(), group, &mut digits[..digit_count]);
        let padded_count = if self.has_padding { F::GROUP_DIGITS } else { digit_count };
        let (mut out, mut len, mut column) = ([0; MAX_GROUP_LEN], 0, self.column);
        for digit in &digits[..padded_count] {
            if self.line_len > 0 {
                if column == self.line_len {
                    out[len..len + self.newline.len()].copy_from_slice(self.newline);
                    len += self.newline.len();
                    column = 0;
                }
                column += 1;
            }
            out[len] = *digit;
            len += 1;
        }
        (out, len, column)
    }
}

impl<F: BaseFormat> Checkpoint for BaseEncoder<F> {
    fn save_state(&self) -> State {
        State::new(self.column as u64)
    }

    fn restore_state(&mut self, state: State) {
        self.column = state.bits() as usize;
    }

    fn max_lookahead(&self) -> usize {
        MAX_GROUP_LEN
    }
}

impl<F: BaseFormat> ByteTransform for BaseEncoder<F> {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            if self.line_len > 0 && self.column == self.line_len {
                let Some(len) = self.end_line(&mut dst[written..]) else {
                    return Progress::output_full(read, written);
                };
                written += len;
            }
            let rest = &src[read..];
            let done = self.encode_groups(rest, &mut dst[written..]);
            read += done.0;
            written += done.1;
            if done.0 > 0 {
                continue;
            }
            let group = &rest[..rest.len().min(F::GROUP_BYTES)];
            if group.is_empty() || (group.len() < F::GROUP_BYTES && !end) {
                break;
            }
            let (out, len, column) = self.encode_group(group);
            let Some(to) = dst[written..].get_mut(..len) else {
                return Progress::output_full(read, written);
            };
            to.copy_from_slice(&out[..len]);
            read += group.len();
            written += len;
            self.column = column;
        }
        if end && self.column > 0 {
            let Some(len) = self.end_line(&mut dst[written..]) else {
                return Progress::output_full(read, written);
            };
            written += len;
        }
        Progress::input_empty(read, written)
    }
}

/// What a byte means to a decoder; smaller numbers are the values of digits.
const SKIPPED: u8 = 0x80;
const PADDING: u8 = 0x81;
const INVALID: u8 = 0x82;

/// Decodes digits to bytes.
pub(super) struct BaseDecoder<F> {
    format: F,
    classes: [u8; 256],
    padding: Padding,
    is_lenient: bool,
    group: DigitGroup,
}

/// The state of a decoder: an incomplete group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct DigitGroup {
    /// The bits of the last digit that belong to the next byte.
    bits: u64,
    /// Their number.
    count: u32,
    /// The number of padding characters that are still missing.
    padding_left: u32,
    /// Whether padding has ended the data.
    is_ended: bool,
    /// Whether the missing padding has been reported.
    is_reported: bool,
}

impl DigitGroup {
    fn from_state(state: State) -> DigitGroup {
        let bits = state.bits();
        DigitGroup {
            bits: bits & ((1 << 48) - 1),
            count: (bits >> 48 & 0xF) as u32,
            padding_left: (bits >> 52 & 0xF) as u32,
            is_ended: bits >> 56 & 1 == 1,
            is_reported: bits >> 57 & 1 == 1,
        }
    }

    fn to_state(self) -> State {
        State::new(
            self.bits
                | u64::from(self.count) << 48
                | u64::from(self.padding_left) << 52
                | u64::from(self.is_ended) << 56
                | u64::from(self.is_reported) << 57,
        )
    }
}

impl<F: BaseFormat> BaseDecoder<F> {
    /// Creates a decoder with the option `lenient`. `ignores_case` and `has_padding` say what the
    /// alphabet has.
    pub fn new(
        format: F,
        options: &EncodingOptions,
        ignores_case: bool,
        padding: Option<Padding>,
    ) -> BaseDecoder<F> {
        let is_lenient = options.flag("lenient");
        let mut classes = [if is_lenient { SKIPPED } else { INVALID }; 256];
        for space in b" \t\r\n" {
            classes[usize::from(*space)] = SKIPPED;
        }
        if padding.is_some() {
            classes[usize::from(b'=')] = PADDING;
        }
        for (value, digit) in format.digits().iter().enumerate() {
            classes[usize::from(*digit)] = value as u8;
            if ignores_case || (is_lenient && F::DIGIT_BITS < 6) {
                classes[usize::from(digit.to_ascii_uppercase())] = value as u8;
                classes[usize::from(digit.to_ascii_lowercase())] = value as u8;
            }
        }
        let padding = padding.unwrap_or(Padding::Forbidden);
        BaseDecoder { format, classes, padding, is_lenient, group: DigitGroup::default() }
    }

    /// Returns the number of bits of the incomplete group that belong to no byte.
    fn spare_bits(&self) -> u32 {
        digit_bits::<F>(self.group.count) % 8
    }

    /// Returns whether the incomplete group can be the end: no digit is without any bits of a byte.
    fn can_end(&self) -> bool {
        self.group.count > 0 && self.spare_bits() < F::DIGIT_BITS
    }

    fn has_spare_bits_set(&self) -> bool {
        self.group.bits & ((1 << self.spare_bits()) - 1) != 0
    }

    fn error(len: usize, reason: MalformedReason, resume: DigitGroup) -> Malformed {
        Malformed::new(len, reason, resume.to_state())
    }

    /// Returns the error of the spare bits, after which they count as zero.
    fn spare_bits_error(&self, len: usize) -> Malformed {
        let bits = self.group.bits >> self.spare_bits() << self.spare_bits();
        Self::error(len, MalformedReason::NonZeroPadding, DigitGroup { bits, ..self.group })
            .with_resume_len(0)
    }

    /// Adds a digit. Returns the number of bytes written, or `None` if the output is full.
    fn add_digit(&mut self, value: u8, dst: &mut [u8]) -> Result<Option<usize>, Malformed> {
        let group = self.group;
        if group.is_ended || group.padding_left > 0 {
            let error = Self::error(1, MalformedReason::InvalidPadding, DigitGroup::default());
            return Err(error.with_resume_len(0));
        }
        let (bits, count) = (group.bits << F::DIGIT_BITS | u64::from(value), group.count + 1);
        let spare = digit_bits::<F>(count) % 8;
        // A byte is written with the digit that completes it, so that errors in it have its position.
        let written = usize::from(digit_bits::<F>(count) / 8 > digit_bits::<F>(group.count) / 8);
        if written > 0 {
            let Some(to) = dst.first_mut() else { return Ok(None) };
            *to = (bits >> spare) as u8;
        }
        self.group = match count as usize == F::GROUP_DIGITS {
            true => DigitGroup::default(),
            false => DigitGroup { bits: bits & ((1 << spare) - 1), count, ..group },
        };
        Ok(Some(written))
    }

    fn add_padding(&mut self) -> Result<(), Malformed> {
        let group = self.group;
        if self.is_lenient {
            self.end_group(DigitGroup::default());
            return Ok(());
        }
        if group.padding_left > 0 {
            let padding_left = group.padding_left - 1;
            self.group = DigitGroup { padding_left, is_ended: padding_left == 0, ..group };
            return Ok(());
        }
        if self.padding == Padding::Forbidden || !self.can_end() {
            return Err(Self::error(1, MalformedReason::InvalidPadding, group));
        }
        if self.has_spare_bits_set() {
            return Err(self.spare_bits_error(1));
        }
        let padding_left = F::GROUP_DIGITS as u32 - group.count - 1;
        let is_ended = padding_left == 0;
        self.end_group(DigitGroup { padding_left, is_ended, ..DigitGroup::default() });
        Ok(())
    }

    /// Ends an incomplete group if it can be the end, and continues with another one.
    fn end_group(&mut self, next: DigitGroup) {
        if self.can_end() {
            self.group = next;
        }
    }

    /// Ends the input.
    fn finish(&self) -> Result<(), Malformed> {
        let group = self.group;
        let error = |reason, resume| Err(Self::error(0, reason, resume));
        if group.padding_left > 0 {
            let ended = DigitGroup { is_ended: true, ..DigitGroup::default() };
            return error(MalformedReason::InvalidPadding, ended);
        }
        if group.count == 0 {
            return Ok(());
        }
        if !self.can_end() {
            return error(MalformedReason::Truncated, DigitGroup::default());
        }
        if !self.is_lenient {
            if self.has_spare_bits_set() {
                return Err(self.spare_bits_error(0));
            }
            if self.padding == Padding::Required && !group.is_reported {
                let reported = DigitGroup { is_reported: true, ..group };
                return error(MalformedReason::InvalidPadding, reported);
            }
        }
        Ok(())
    }
}

impl<F: BaseFormat> Checkpoint for BaseDecoder<F> {
    fn save_state(&self) -> State {
        self.group.to_state()
    }

    fn restore_state(&mut self, state: State) {
        self.group = DigitGroup::from_state(state);
    }

    fn max_lookahead(&self) -> usize {
        8
    }
}

impl<F: BaseFormat> ByteTransform for BaseDecoder<F> {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            if self.group == DigitGroup::default() {
                let done = self.format.decode_groups(&src[read..], &mut dst[written..]);
                read += done.0;
                written += done.1;
            }
            let Some(byte) = src.get(read) else { break };
            let to = &mut dst[written..];
            let result = match self.classes[usize::from(*byte)] {
                SKIPPED => Ok(Some(0)),
                PADDING => self.add_padding().map(|()| Some(0)),
                INVALID => Err(Self::error(1, MalformedReason::InvalidCharacter, self.group)),
                value => self.add_digit(value, to),
            };
            match result {
                Ok(Some(len)) => written += len,
                Ok(None) => return Progress::output_full(read, written),
                Err(error) => return Progress::error(read, written, error),
            }
            read += 1;
        }
        if end {
            if let Err(error) = self.finish() {
                return Progress::error(read, written, error);
            }
        }
        Progress::input_empty(read, written)
    }
}
