//! The format of `uuencode` (POSIX.1-2017, utility `uuencode`, "historical algorithm").
//!
//! Decisions of the encoder: the header is `begin 644 /dev/stdout`, since a chain knows no file name
//! and POSIX defines that this one is written to standard output. Zero is written as a grave accent,
//! as GNU sharutils do, and not as a space, which mail may remove.
//!
//! Decisions of the decoder:
//!
//! * Lines before a header are skipped, and so are those after the `end` line, as POSIX requires. If
//!   another header follows, its data are decoded as well. Input without a header is an error.
//! * The mode and the file name of the header are ignored.
//! * Zero is a space or a grave accent. Lines end in LF or CR LF.
//! * Every line must have exactly the digits for its length, in whole groups of four. Missing digits,
//!   other characters and further characters are errors. With the option `lenient` missing digits
//!   are zero, for spaces that were removed, and further characters are ignored, for checksums.
//! * The data must end in a line of length zero, and a line `end`. With the option `lenient` an empty
//!   line is also one of length zero.
//! * Bits that belong to no byte may have any value.

use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::simd::AsArrays;

/// The format of `uuencode`.
pub static UUENCODE: Transform = Transform {
    name: "uuencode",
    aliases: &["uu"],
    title: "uuencode",
    description: "Lines between 'begin' and 'end' lines, as uuencode writes them (POSIX)",
    options: &[
        OptionSpec {
            name: "newline",
            values: OptionValues::Choice(&["lf", "crlf"]),
            description: "the line endings when encoding",
        },
        OptionSpec {
            name: "lenient",
            values: OptionValues::Flag,
            description: "when decoding accept lines that are too short or too long",
        },
    ],
    codecs: TransformCodecs::Bytes {
        decoder: |options| Box::new(UuDecoder::new(options)),
        encoder: |options| Box::new(UuEncoder::new(options)),
    },
};

const HEADER: &[u8] = b"begin 644 /dev/stdout";

/// The number of bytes in a line.
const LINE_BYTES: usize = 45;

/// The maximum length of a line that the encoder writes: the length, the digits and CR LF.
const MAX_LINE_LEN: usize = 1 + LINE_BYTES / 3 * 4 + 2;

/// Returns the digit of a value below 64.
const fn digit(value: u32) -> u8 {
    if value == 0 { b'`' } else { value as u8 + b' ' }
}

/// The two digits of each 12 bits.
static DIGIT_PAIRS: [[u8; 2]; 4096] = {
    let (mut pairs, mut bits) = ([[0; 2]; 4096], 0);
    while bits < 4096 {
        pairs[bits] = [digit(bits as u32 >> 6), digit(bits as u32 & 0x3F)];
        bits += 1;
    }
    pairs
};

/// The value of each digit, and 0x80 for other bytes.
static VALUES: [u8; 256] = {
    let (mut values, mut byte) = ([0x80; 256], b' ');
    while byte <= b'`' {
        values[byte as usize] = (byte - b' ') & 0x3F;
        byte += 1;
    }
    values
};

fn value(digit: u8) -> Option<u32> {
    let value = VALUES[usize::from(digit)];
    (value < 0x80).then_some(u32::from(value))
}

/// What the encoder writes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Data,
    /// Nothing: the data have ended.
    Nothing,
}

/// Encodes whole lines. The state is the part that is written next.
struct UuEncoder {
    newline: &'static [u8],
    part: Part,
}

impl UuEncoder {
    fn new(options: &EncodingOptions) -> UuEncoder {
        let newline: &[u8] = if options.is_choice("newline", "crlf") { b"\r\n" } else { b"\n" };
        UuEncoder { newline, part: Part::Header }
    }

    /// Writes these parts and a line ending, if they fit.
    fn write_line(&self, parts: &[&[u8]], dst: &mut [u8]) -> Option<usize> {
        let len = parts.iter().map(|part| part.len()).sum::<usize>() + self.newline.len();
        let mut to = dst.get_mut(..len)?;
        for part in parts.iter().copied().chain([self.newline]) {
            let (first, rest) = to.split_at_mut(part.len());
            first.copy_from_slice(part);
            to = rest;
        }
        Some(len)
    }

    fn write_data_line(&self, bytes: &[u8], dst: &mut [u8]) -> Option<usize> {
        let mut padded = [0; LINE_BYTES];
        padded[..bytes.len()].copy_from_slice(bytes);
        let mut digits = [0; LINE_BYTES / 3 * 4];
        for (group, to) in padded.as_arrays::<3>().0.iter().zip(digits.as_arrays_mut::<4>().0) {
            let [a, b, c] = group.map(u32::from);
            let bits = a << 16 | b << 8 | c;
            let [a, b] = DIGIT_PAIRS[bits as usize >> 12];
            let [c, d] = DIGIT_PAIRS[bits as usize & 0xFFF];
            *to = [a, b, c, d];
        }
        let digits = &digits[..bytes.len().div_ceil(3) * 4];
        self.write_line(&[&[digit(bytes.len() as u32)], digits], dst)
    }
}

impl Checkpoint for UuEncoder {
    fn save_state(&self) -> State {
        State::new(self.part as u64)
    }

    fn restore_state(&mut self, state: State) {
        self.part = match state.bits() {
            0 => Part::Header,
            1 => Part::Data,
            _ => Part::Nothing,
        };
    }

    fn max_lookahead(&self) -> usize {
        MAX_LINE_LEN
    }
}

impl ByteTransform for UuEncoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let to = &mut dst[written..];
            let rest = &src[read..];
            let (len, result) = match self.part {
                Part::Header => (0, self.write_line(&[HEADER], to)),
                Part::Data if rest.len() >= LINE_BYTES || (end && !rest.is_empty()) => {
                    let bytes = &rest[..rest.len().min(LINE_BYTES)];
                    (bytes.len(), self.write_data_line(bytes, to))
                }
                Part::Data if end => (0, self.write_line(&[&[digit(0)], self.newline, b"end"], to)),
                Part::Data | Part::Nothing => return Progress::input_empty(read, written),
            };
            let Some(written_len) = result else {
                return Progress::output_full(read, written);
            };
            self.part = match self.part {
                Part::Data if len == 0 => Part::Nothing,
                _ => Part::Data,
            };
            read += len;
            written += written_len;
        }
    }
}

/// Where the decoder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// At the start of a line that is not data.
    OutsideLineStart,
    /// In a line that is not data.
    Outside,
    /// In the rest of the header.
    Header,
    /// Before the length of a line of data.
    Length,
    /// In the digits of a line.
    Digits,
    /// After the digits of a line.
    LineEnd,
    /// In the characters after the digits, which have been reported or are ignored.
    Ignored,
    /// Before the `end` line.
    End,
}

const SECTIONS: [Section; 8] = [
    Section::OutsideLineStart,
    Section::Outside,
    Section::Header,
    Section::Length,
    Section::Digits,
    Section::LineEnd,
    Section::Ignored,
    Section::End,
];

/// The state of the decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    section: Section,
    /// Whether there was a header, or its absence has been reported.
    has_header: bool,
    /// The number of bytes that are missing in the line. After the digits, 0 only if the line has the
    /// length zero.
    len: usize,
    /// The digits of an incomplete group.
    bits: u32,
    /// Their number.
    count: u32,
}

impl Line {
    const START: Line =
        Line { section: Section::OutsideLineStart, has_header: false, len: 0, bits: 0, count: 0 };

    /// Returns the state at a section inside or after the data, with no digits.
    fn at(section: Section) -> Line {
        Line { section, has_header: true, ..Line::START }
    }

    /// Returns the state after this line.
    fn next(self) -> Line {
        Line::at(if self.len == 0 { Section::End } else { Section::Length })
    }

    fn to_state(self) -> State {
        State::new(
            u64::from(self.bits)
                | u64::from(self.count) << 32
                | (self.len as u64) << 40
                | u64::from(self.has_header) << 48
                | (self.section as u64) << 56,
        )
    }

    fn from_state(state: State) -> Line {
        let bits = state.bits();
        Line {
            section: SECTIONS[(bits >> 56) as usize % SECTIONS.len()],
            has_header: bits >> 48 & 1 == 1,
            len: (bits >> 40 & 0xFF) as usize,
            bits: bits as u32,
            count: (bits >> 32 & 0xFF) as u32,
        }
    }
}

/// Why a step of the decoder does nothing.
enum UuencodeStop {
    NeedMore,
    OutputFull,
    Error(Malformed),
}

/// Decodes what `uuencode` writes.
struct UuDecoder {
    is_lenient: bool,
    line: Line,
}

/// The longest start of a line that the decoder looks at: `begin`, a mode and two spaces.
const MAX_HEADER_START: usize = 11;

/// Returns whether a line starts as a header does, or `None` if that depends on more input.
fn is_header(src: &[u8], end: bool) -> Option<bool> {
    const WORD: &[u8] = b"begin ";
    let common = src.iter().zip(WORD).take_while(|(byte, expected)| byte == expected).count();
    let mode = &src[common..];
    let mode_len = mode.iter().take(5).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    match mode.get(mode_len) {
        _ if common < WORD.len() && !mode.is_empty() => Some(false),
        _ if mode_len == 5 => Some(false),
        None => {
            if end {
                Some(false)
            } else {
                None
            }
        }
        Some(byte) => Some(common == WORD.len() && mode_len >= 3 && *byte == b' '),
    }
}

/// Returns the length of a line ending at the start of `src`, 0 for something else, or `None` if that
/// depends on more input.
fn newline_len(src: &[u8], end: bool) -> Option<usize> {
    match src {
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        [] | [b'\r'] if !end => None,
        _ => Some(0),
    }
}

const END: &[u8] = b"end";

/// Returns whether a line is the `end` line, or `None` if that depends on more input.
fn is_end_line(src: &[u8], end: bool) -> Option<bool> {
    let common = src.iter().zip(END).take_while(|(byte, expected)| byte == expected).count();
    match src.get(common) {
        None if !end => None,
        following => {
            let is_space = following.is_none_or(u8::is_ascii_whitespace);
            Some(common == END.len() && is_space)
        }
    }
}

/// Returns the number of bytes up to the end of the line, and whether the end is there.
fn rest_of_line(src: &[u8]) -> (usize, bool) {
    match memchr::memchr(b'\n', src) {
        Some(at) => (at + 1, true),
        None => (src.len(), false),
    }
}

impl UuDecoder {
    fn new(options: &EncodingOptions) -> UuDecoder {
        UuDecoder { is_lenient: options.flag("lenient"), line: Line::START }
    }

    /// Reads a part of `src`, which is not empty. Returns the numbers of bytes read and written.
    fn step(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
    ) -> Result<(usize, usize), UuencodeStop> {
        let line = self.line;
        let skip = |next: Line| {
            let (len, is_at_end) = rest_of_line(src);
            (len, if is_at_end { next } else { line })
        };
        let (len, next) = match line.section {
            Section::OutsideLineStart => match is_header(src, end).ok_or(UuencodeStop::NeedMore)? {
                true => (0, Line::at(Section::Header)),
                false => (0, Line { section: Section::Outside, ..line }),
            },
            Section::Outside => skip(Line { section: Section::OutsideLineStart, ..line }),
            Section::Header => skip(Line::at(Section::Length)),
            Section::Ignored => skip(line.next()),
            Section::Length => self.length(src, end)?,
            Section::Digits => return self.digits(src, dst, end),
            Section::LineEnd => match newline_len(src, end).ok_or(UuencodeStop::NeedMore)? {
                0 => {
                    let ignored = Line { section: Section::Ignored, ..line };
                    if !self.is_lenient {
                        return error(1, MalformedReason::InvalidLength, ignored);
                    }
                    (0, ignored)
                }
                len => (len, line.next()),
            },
            Section::End => match is_end_line(src, end).ok_or(UuencodeStop::NeedMore)? {
                true => (END.len(), Line::at(Section::Outside)),
                false => {
                    return error(0, MalformedReason::InvalidFraming, Line::at(Section::Length));
                }
            },
        };
        self.line = next;
        Ok((len, 0))
    }

    fn length(&self, src: &[u8], end: bool) -> Result<(usize, Line), UuencodeStop> {
        let newline_len = newline_len(src, end).ok_or(UuencodeStop::NeedMore)?;
        if newline_len > 0 {
            if self.is_lenient {
                return Ok((newline_len, Line::at(Section::End)));
            }
            return error(newline_len, MalformedReason::InvalidLength, Line::at(Section::Length));
        }
        match value(src[0]) {
            Some(0) => Ok((1, Line::at(Section::LineEnd))),
            Some(len) => Ok((1, Line { len: len as usize, ..Line::at(Section::Digits) })),
            // Without a line of length zero before it.
            None if is_end_line(src, end).ok_or(UuencodeStop::NeedMore)? => {
                error(0, MalformedReason::InvalidFraming, Line::at(Section::End))
            }
            None => {
                let ignored = Line { len: 1, ..Line::at(Section::Ignored) };
                error(1, MalformedReason::InvalidCharacter, ignored)
            }
        }
    }

    /// Reads the digits of a line as far as they go.
    fn digits(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        end: bool,
    ) -> Result<(usize, usize), UuencodeStop> {
        let (mut read, mut written) = (0, 0);
        if self.line.count == 0 {
            let groups = self.line.len.div_ceil(3);
            let (from, to) = (src.as_arrays::<4>().0, dst.as_arrays_mut::<3>().0);
            for (digits, to) in from.iter().zip(to).take(groups) {
                let [a, b, c, d] = digits.map(|digit| u32::from(VALUES[usize::from(digit)]));
                if (a | b | c | d) & 0x80 != 0 {
                    break;
                }
                let [_, bytes @ ..] = (a << 18 | b << 12 | c << 6 | d).to_be_bytes();
                *to = bytes;
                read += 4;
                written += 3;
            }
        }
        if read > 0 {
            // The last group of a line may have fewer bytes.
            written = written.min(self.line.len);
            self.line.len -= written;
            self.end_digits();
            return Ok((read, written));
        }
        let line = self.line;
        let (len, value) = match value(src[0]) {
            Some(value) => (1, value),
            None => match newline_len(src, end).ok_or(UuencodeStop::NeedMore)? {
                // Missing digits are zero.
                1.. if self.is_lenient => (0, 0),
                len @ 1.. => {
                    let resume = Line::at(Section::Length);
                    return error(len, MalformedReason::InvalidLength, resume);
                }
                _ => return error(1, MalformedReason::InvalidCharacter, line),
            },
        };
        let (bits, count) = (line.bits << 6 | value, line.count + 1);
        if count < 4 {
            self.line = Line { bits, count, ..line };
            return Ok((len, 0));
        }
        let written = line.len.min(3);
        let to = dst.get_mut(..written).ok_or(UuencodeStop::OutputFull)?;
        to.copy_from_slice(&bits.to_be_bytes()[1..=written]);
        self.line = Line { len: line.len - written, bits: 0, count: 0, ..line };
        self.end_digits();
        Ok((len, written))
    }

    /// Continues with the line ending after the last digit.
    fn end_digits(&mut self) {
        if self.line.len == 0 {
            self.line = Line { len: 1, ..Line::at(Section::LineEnd) };
        }
    }

    /// Returns the error at the end of the input.
    fn finish(&self) -> Result<(), Malformed> {
        let ended = Line::at(Section::Outside).to_state();
        match self.line.section {
            Section::OutsideLineStart | Section::Outside if self.line.has_header => Ok(()),
            Section::OutsideLineStart | Section::Outside => {
                Err(Malformed::new(0, MalformedReason::InvalidFraming, ended))
            }
            _ => Err(Malformed::new(0, MalformedReason::Truncated, ended)),
        }
    }
}

fn error<T>(len: usize, reason: MalformedReason, resume: Line) -> Result<T, UuencodeStop> {
    Err(UuencodeStop::Error(Malformed::new(len, reason, resume.to_state())))
}

impl Checkpoint for UuDecoder {
    fn save_state(&self) -> State {
        self.line.to_state()
    }

    fn restore_state(&mut self, state: State) {
        self.line = Line::from_state(state);
    }

    fn max_lookahead(&self) -> usize {
        MAX_HEADER_START
    }
}

impl ByteTransform for UuDecoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            // A step that only changes the section is undone if nothing follows from it.
            let before = self.line;
            let result = loop {
                match self.step(&src[read..], &mut dst[written..], end) {
                    Ok((0, 0)) => {}
                    other => break other,
                }
            };
            match result {
                Ok(done) => {
                    read += done.0;
                    written += done.1;
                }
                Err(stop) => {
                    self.line = before;
                    return match stop {
                        UuencodeStop::NeedMore => Progress::input_empty(read, written),
                        UuencodeStop::OutputFull => Progress::output_full(read, written),
                        UuencodeStop::Error(error) => Progress::error(read, written, error),
                    };
                }
            }
        }
        match self.finish() {
            Err(error) if end => Progress::error(read, written, error),
            _ => Progress::input_empty(read, written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_testing::{decode, encode};
    use charpipe_encoding::conversion_error::MalformedReason::{
        InvalidCharacter, InvalidFraming, InvalidLength, Truncated,
    };

    const CAT: &str = "begin 644 cat.txt\n#0V%T\n`\nend\n";

    fn decode_to(src: &str) -> (String, Vec<(usize, usize, MalformedReason)>) {
        let (out, errors) = decode(&UUENCODE, "", src);
        (String::from_utf8(out).expect("text"), errors)
    }

    #[test]
    fn lines_have_a_length_and_digits() {
        let header = "begin 644 /dev/stdout\n";
        assert_eq!(encode(&UUENCODE, "", "Cat"), format!("{header}#0V%T\n`\nend\n"));
        assert_eq!(encode(&UUENCODE, "", ""), format!("{header}`\nend\n"));
        let encoded = encode(&UUENCODE, "", [0; 46]);
        assert_eq!(encoded, format!("{header}M{}\n!````\n`\nend\n", "`".repeat(60)));
        let encoded = encode(&UUENCODE, "newline=crlf", "Cat");
        assert_eq!(encoded, "begin 644 /dev/stdout\r\n#0V%T\r\n`\r\nend\r\n");
    }

    #[test]
    fn lines_of_every_length_are_decoded() {
        let encoder = UuEncoder { newline: b"", part: Part::Data };
        for len in 1..=LINE_BYTES {
            let bytes: Vec<u8> = (0..len).map(|index| (index * 89 + len) as u8).collect();
            let mut line = [0; MAX_LINE_LEN];
            let line_len = encoder.write_data_line(&bytes, &mut line).expect("fits");
            for newline in [&b"\n"[..], b"\r\n"] {
                let line = [&line[..line_len], newline].concat();
                let src = [b"begin 644 a\n", &line.repeat(3)[..], b"`\nend\n"].concat();
                assert_eq!(decode(&UUENCODE, "", src), (bytes.repeat(3), vec![]), "{len}");
            }
        }
    }

    #[test]
    fn every_byte_is_a_digit_or_an_error_at_every_position() {
        for byte in 0..=u8::MAX {
            for at in 1..=60 {
                let mut line = [vec![b'M'], vec![b'\''; 60], vec![b'\n']].concat();
                line[at] = byte;
                let src = [b"begin 644 a\n", &line[..], b"`\nend\n"].concat();
                let (out, errors) = decode(&UUENCODE, "", src);
                if VALUES[usize::from(byte)] < 0x80 {
                    assert_eq!((out.len(), errors), (LINE_BYTES, vec![]), "{byte:02X} {at}");
                } else {
                    assert_eq!(errors[0].0, 12 + at, "{byte:02X} {at}");
                }
                assert_eq!(VALUES[usize::from(byte)] < 0x80, (b' '..=b'`').contains(&byte));
            }
        }
    }

    #[test]
    fn text_around_the_data_is_skipped() {
        assert_eq!(decode_to(CAT), ("Cat".into(), vec![]));
        let mail = format!("Hello,\nbegin x\nbegin 64 x\nbegi\n{CAT}\nbye\n{CAT}end");
        assert_eq!(decode_to(&mail), ("CatCat".into(), vec![]));
        let crlf = CAT.replace('\n', "\r\n").replace('`', " ");
        assert_eq!(decode_to(&crlf), ("Cat".into(), vec![]));
        assert_eq!(decode_to(CAT.trim_end()), ("Cat".into(), vec![]));
    }

    #[test]
    fn missing_lines_are_errors() {
        assert_eq!(decode_to(""), ("".into(), vec![(0, 0, InvalidFraming)]));
        assert_eq!(decode_to("text\n"), ("".into(), vec![(5, 0, InvalidFraming)]));
        assert_eq!(decode_to("begin 644"), ("".into(), vec![(9, 0, InvalidFraming)]));
        assert_eq!(decode_to("begin 644 a\n#0V%T\n"), ("Cat".into(), vec![(18, 0, Truncated)]));
        let no_zero_line = "begin 644 a\n#0V%T\nend\n";
        assert_eq!(decode_to(no_zero_line), ("Cat".into(), vec![(18, 0, InvalidFraming)]));
        let no_end_line = "begin 644 a\n`\n#0V%T\n`\nend\n";
        assert_eq!(decode_to(no_end_line), ("Cat".into(), vec![(14, 0, InvalidFraming)]));
        let other_end = "begin 644 a\n`\nendx\n`\nend\n";
        assert_eq!(decode_to(other_end).1, [(14, 0, InvalidFraming), (14, 1, InvalidCharacter)]);
    }

    #[test]
    fn lines_of_another_length_are_errors() {
        let with = |line: &str| format!("begin 644 a\n{line}\n`\nend\n");
        assert_eq!(decode_to(&with("#0V%")), ("".into(), vec![(16, 1, InvalidLength)]));
        assert_eq!(decode_to(&with("#0V%TTT")), ("Cat".into(), vec![(17, 1, InvalidLength)]));
        assert_eq!(decode_to(&with("#0VaTT")), ("Cm4".into(), vec![(15, 1, InvalidCharacter)]));
        assert_eq!(decode_to(&with("")), ("".into(), vec![(12, 1, InvalidLength)]));
        let lenient = |line| decode(&UUENCODE, "lenient", with(line)).0;
        assert_eq!(lenient("#0V%TTT"), b"Cat");
        assert_eq!(lenient("#0V"), b"C`\0");
        assert_eq!(decode(&UUENCODE, "lenient", "begin 644 a\n\nend\n"), (vec![], vec![]));
    }
}
