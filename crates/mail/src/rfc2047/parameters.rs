//! Parameters of `Content-Type` and `Content-Disposition` with a charset, or in several parts (RFC 2231),
//! such as `filename*=utf-8''caf%C3%A9` and `filename*0="long"; filename*1=" name"`.
//!
//! With the option `rfc2231`, two stages of the chain convert them, outside the codec of RFC 2047:
//! before its decoder, [`ParameterDecoder`] writes them as quoted-strings with an encoded-word, so that
//! charsets, errors and their positions are those of the decoder; and before its encoder,
//! [`ParameterEncoder`] writes values that are not ASCII in the syntax of RFC 2231.

use super::field;
use super::state::BitPacker;
use charpipe_encoding::codec::{Progress, Status};
use charpipe_encoding::conversion_error::Malformed;

mod decode;
mod encode;

pub use decode::ParameterDecoder;
pub use encode::ParameterEncoder;

/// The number of bytes at the start of a line that decide whether it is a field with parameters.
const NAME_LOOKAHEAD: usize = 24;

/// Whether a byte may be in the name of a parameter, apart from `*` (RFC 2045, section 5.1, `token`).
fn is_attribute_char(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'+-.^_`{|}~".contains(&byte)
}

/// Where a stage is in a header field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FieldPosition {
    /// At the start of a line, where a field may begin.
    #[default]
    LineStart,
    /// In a line of another field or of a body.
    OtherLine,
    /// In a field with parameters.
    Parameters,
    /// At the start of a line after a field with parameters, which white space continues.
    ContinuationStart,
    /// After a semicolon.
    AfterSemicolon,
    /// In the value of a parameter that is being converted.
    Value,
}

const POSITIONS: [FieldPosition; 6] = [
    FieldPosition::LineStart,
    FieldPosition::OtherLine,
    FieldPosition::Parameters,
    FieldPosition::ContinuationStart,
    FieldPosition::AfterSemicolon,
    FieldPosition::Value,
];

/// The quoted-strings and comments that are open in a field with parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct FieldContext {
    position: FieldPosition,
    is_quoted: bool,
    is_escaped: bool,
    /// The number of open comments. More are not counted.
    depth: u8,
}

const DEPTH_BITS: u32 = 4;

impl FieldContext {
    fn at(position: FieldPosition) -> FieldContext {
        FieldContext { position, ..FieldContext::default() }
    }

    fn pass(self, bits: &mut BitPacker) -> FieldContext {
        FieldContext {
            position: bits.one_of(3, &POSITIONS, self.position as usize),
            is_quoted: bits.flag(self.is_quoted),
            is_escaped: bits.flag(self.is_escaped),
            depth: bits.number(DEPTH_BITS, self.depth.into()) as u8,
        }
    }

    /// Returns the context at the start of a line, or `None` if more input is needed.
    fn begin_line(self, line: &[u8], end: bool) -> Option<FieldContext> {
        let is_continued = match line.first() {
            Some(first) => matches!(first, b' ' | b'\t'),
            None if end => false,
            None => return None,
        };
        if self.position == FieldPosition::ContinuationStart && is_continued {
            return Some(FieldContext { position: FieldPosition::Parameters, ..self });
        }
        Some(FieldContext::at(match field::starts_parameters(line, end)? {
            true => FieldPosition::Parameters,
            false => FieldPosition::OtherLine,
        }))
    }

    /// Returns the number of bytes to copy from a line, and the context after them: all up to a line
    /// feed, or up to a semicolon that a parameter follows.
    fn copy(mut self, src: &[u8]) -> (usize, FieldContext) {
        if self.position == FieldPosition::OtherLine {
            return match memchr::memchr(b'\n', src) {
                Some(at) => (at + 1, FieldContext::at(FieldPosition::LineStart)),
                None => (src.len(), self),
            };
        }
        for (at, byte) in src.iter().enumerate() {
            let is_escaped = std::mem::take(&mut self.is_escaped);
            match byte {
                b'\n' => {
                    self.position = FieldPosition::ContinuationStart;
                    return (at + 1, self);
                }
                _ if is_escaped => {}
                b'\\' => self.is_escaped = self.is_quoted || self.depth > 0,
                b'"' if self.depth == 0 => self.is_quoted = !self.is_quoted,
                b'(' if !self.is_quoted => {
                    self.depth = (self.depth + 1).min((1 << DEPTH_BITS) - 1);
                }
                b')' if !self.is_quoted => self.depth = self.depth.saturating_sub(1),
                b';' if !self.is_quoted && self.depth == 0 => {
                    self.position = FieldPosition::AfterSemicolon;
                    return (at + 1, self);
                }
                _ => {}
            }
        }
        (src.len(), self)
    }
}

/// Why parsing stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterStop {
    /// There is no such parameter.
    NotFound,
    /// The bytes end first.
    NeedMore,
}

type Parse<T> = Result<T, ParameterStop>;

/// The result of a step. Only `Advanced` and `Continue` change the state.
enum ParameterStep {
    Advanced {
        read: usize,
        written: usize,
    },
    /// Nothing was read, but the state has changed.
    Continue,
    OutputFull,
    NeedMore,
}

/// Converts in steps, which get the numbers of bytes read and written before them.
fn run_steps<C, S: Copy>(
    codec: &mut C,
    state: impl Fn(&mut C) -> &mut S,
    mut step: impl FnMut(&mut C, usize, usize) -> ParameterStep,
) -> Progress<Malformed> {
    let (mut read, mut written) = (0, 0);
    // A change of the state alone belongs to the bytes after it.
    let mut reached = *state(codec);
    let status = loop {
        match step(codec, read, written) {
            ParameterStep::Advanced { read: more, written: out } => {
                (read, written) = (read + more, written + out);
                reached = *state(codec);
            }
            ParameterStep::Continue => {}
            ParameterStep::NeedMore => break Status::InputEmpty,
            ParameterStep::OutputFull => break Status::OutputFull,
        }
    };
    *state(codec) = reached;
    Progress { read, written, status }
}

/// Returns the index after the folding white space at `at`.
fn skip_fws(src: &[u8], mut at: usize, end: bool) -> Parse<usize> {
    loop {
        let newline = match src.get(at..) {
            Some([b' ' | b'\t', ..]) => {
                at += 1;
                continue;
            }
            Some([b'\n', ..]) => 1,
            Some([b'\r', b'\n', ..]) => 2,
            None | Some([] | [b'\r']) if !end => return Err(ParameterStop::NeedMore),
            _ => return Ok(at),
        };
        match src.get(at + newline) {
            Some(b' ' | b'\t') => at += newline + 1,
            None if !end => return Err(ParameterStop::NeedMore),
            _ => return Ok(at),
        }
    }
}

/// Returns the index after the name of a parameter at `at`.
fn skip_attribute(src: &[u8], at: usize, end: bool) -> Parse<usize> {
    let len = src[at..].iter().take_while(|byte| is_attribute_char(**byte)).count();
    match src.get(at + len) {
        None if !end => Err(ParameterStop::NeedMore),
        _ if len == 0 => Err(ParameterStop::NotFound),
        _ => Ok(at + len),
    }
}

/// Whether a byte ends a value that is not quoted.
fn ends_token(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';')
}

/// Returns the index of the end of a value, or of its closing quotation mark.
fn skip_value(src: &[u8], at: usize, is_quoted: bool, end: bool) -> Parse<usize> {
    if !is_quoted {
        let len = src[at..].iter().take_while(|byte| !ends_token(**byte)).count();
        return match src.get(at + len) {
            None if !end => Err(ParameterStop::NeedMore),
            _ => Ok(at + len),
        };
    }
    let mut is_escaped = false;
    for (index, byte) in src.iter().enumerate().skip(at) {
        match byte {
            b'\n' if !matches!(src.get(index + 1), None | Some(b' ' | b'\t')) => {
                return Err(ParameterStop::NotFound);
            }
            _ if std::mem::take(&mut is_escaped) => {}
            b'\\' => is_escaped = true,
            b'"' => return Ok(index),
            _ => {}
        }
    }
    Err(if end { ParameterStop::NotFound } else { ParameterStop::NeedMore })
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::codec::{ByteTransform, Checkpoint, State, TextTransform};
    use charpipe_encoding::encoding::EncodingOptions;

    trait Codec: Checkpoint {
        fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> (usize, usize, bool);
    }

    impl Codec for ParameterDecoder {
        fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> (usize, usize, bool) {
            let Progress { read, written, status } = self.transform_bytes(src, dst, end);
            (read, written, status == Status::InputEmpty)
        }
    }

    impl Codec for ParameterEncoder {
        fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> (usize, usize, bool) {
            let valid = src.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let is_end = end && valid.len() == src.len();
            let Progress { read, written, status } = self.transform_text(valid, dst, is_end);
            (read, written, status == Status::InputEmpty)
        }
    }

    /// Converts an input that is split at `cuts`, each call on a new codec that is put into the saved
    /// state, into buffers of `space` bytes, or more if that is too little.
    fn run<C: Codec>(create: fn() -> C, input: &str, cuts: &[usize], space: usize) -> String {
        let (mut state, mut out, mut at) = (State::INITIAL, Vec::new(), 0);
        for cut in cuts.iter().chain([&input.len()]) {
            let end = *cut == input.len();
            let mut space = space;
            loop {
                let mut codec = create();
                assert_eq!(codec.save_state(), State::INITIAL);
                codec.restore_state(state);
                assert_eq!(codec.save_state(), state, "{input:?}");
                let mut dst = vec![0; space];
                let src = &input.as_bytes()[at..*cut];
                let (read, written, is_done) = codec.convert(src, &mut dst, end);
                let is_idle = (read, written) == (0, 0);
                assert!(
                    !is_idle || codec.save_state() == state,
                    "{input:?}: the state changed alone"
                );
                state = codec.save_state();
                out.extend_from_slice(&dst[..written]);
                at += read;
                if is_done {
                    break;
                }
                assert!(!is_idle || space < codec.max_lookahead(), "{input:?}: stuck");
                space += usize::from(is_idle);
            }
            assert!(!end || at == input.len(), "{input:?}");
        }
        String::from_utf8(out).expect("UTF-8")
    }

    fn check_every_way<C: Codec>(create: fn() -> C, input: &str) {
        let whole = run(create, input, &[], 100_000);
        let every: Vec<usize> = (0..input.len()).collect();
        for space in [0, 1, 2, 3, 10, 100] {
            assert_eq!(run(create, input, &[], space), whole, "{input:?} {space}");
            assert_eq!(run(create, input, &every, space), whole, "{input:?} {space}");
        }
        for cut in every {
            assert_eq!(run(create, input, &[cut], 100_000), whole, "{input:?} {cut}");
        }
    }

    #[test]
    fn result_is_independent_of_chunks_and_output_space() {
        for input in [
            "Content-Type: x; a*=utf-8''caf%C3%A9; b=c\r\nTo: d; e*=utf-8''f\r\n",
            "Content-Disposition: x;\n a*0*=utf-8'en'%C3;\r\n\ta*1*=%A9%4;\n a*2=\"b\\\"\r\n c\" ; d=e",
            "content-type: (; a*=''b) \"; a*=''b\\\"\"; a*0=b; a*2=c; a*=''\n;d\n",
            "Content-Type: x; a=\"é \\\" ü\r\n b\"; c=é\r\n ; d=\"e\"; f=é",
            "Content-Type: x; a=\"ééééééééééééééééééééééééééé\"; c=é\r\n\r\nContent-Typ",
        ] {
            check_every_way(|| ParameterDecoder::new(&EncodingOptions::default()), input);
            check_every_way(ParameterEncoder::default, input);
        }
    }

    #[test]
    fn end_of_input_ends_a_parameter_and_white_space() {
        let decode = |input: &str| {
            let input = format!("Content-Type: x{input}");
            let create = || ParameterDecoder::new(&EncodingOptions::default());
            check_every_way(create, &input);
            run(create, &input, &[], 100)
        };
        // RFC 2231, section 3: parts are in order of their numbers until there is none with the next one.
        let decoded = "Content-Type: x; a=\"=?utf-8?Q?b?=\"";
        for rest in ["", " ", "\r", "\r\n"] {
            assert_eq!(decode(&format!("; a*0*=utf-8''b{rest}")), format!("{decoded}{rest}"));
        }
        for unchanged in [";", "; ", ";\r", ";\r\n "] {
            assert_eq!(decode(unchanged), format!("Content-Type: x{unchanged}"));
        }
    }

    #[test]
    fn largest_value_fits_into_the_lookahead() {
        let name = "n".repeat(40);
        let input = format!("Content-Type: x; {name}=\"{}\"\n", "\u{7F}é".repeat(600));
        let encoded = run(ParameterEncoder::default, &input, &[], 24 * 1024);
        assert!(encoded.is_ascii() && encoded.lines().all(|line| line.len() <= 76));
        let create = || ParameterDecoder::new(&EncodingOptions::default());
        let encoded = format!("Content-Type: x; a*=utf-8''{}\n", "(".repeat(4000));
        let decoded = run(create, &encoded, &[], create().max_lookahead());
        assert_eq!(decoded.matches("=28").count(), 4000);
    }
}
