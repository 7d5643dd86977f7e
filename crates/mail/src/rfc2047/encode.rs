//! Encodes header fields.
//!
//! The encoder works token by token, where a token is the text between white space. A token that is
//! ASCII is copied. Those that need encoding are gathered into runs, with the white space between
//! them, and a run is cut into encoded-words, each in the transfer encoding that carries more.
//!
//! The encoder looks ahead, but only so far and from fixed positions of the text, so the output does
//! not depend on how the text is divided into calls:
//!
//! - [`MAX_TOKEN`](lookahead::MAX_TOKEN) bytes from the start of a token. In a longer one that is
//!   ASCII so far, an encoded-word begins in the middle, at the first other character.
//! - [`MAX_FWS`](lookahead::MAX_FWS) bytes from the start of white space. Longer white space is
//!   copied before an encoded-word, and encoded after one.
//! - [`RUN_LOOKAHEAD`] bytes from the start of a run, to decide whether the charset can express it.
//!   If it turns out later that it cannot, the run continues in UTF-8.
//! - [`LINE_LOOKAHEAD`] bytes from the start of the text, to decide how its lines end.

use super::address_lexer::{AddressContext, PieceKind, Syntax};
use super::field::{self, FieldKind};
use super::state::BitPacker;
use super::transfer_encoding::TransferEncoding;
use charpipe_encoding::codec::{Checkpoint, EncodeStage, Progress, State};
use charpipe_encoding::conversion_error::Unmappable;
use charpipe_encoding::encoding::EncodingOptions;

mod encoded_word;
mod folding;
pub(super) mod lookahead;
mod passthrough;
mod short_run;

use encoded_word::{EncodedRun, MAX_CHARS, RunStart, WordEncoder};
use folding::CachedCut;
use lookahead::{Fws, Lookahead, Token};
use passthrough::TokenStep;

/// Bytes of a run that are examined to decide whether the charset can express it.
const RUN_LOOKAHEAD: usize = 8 * 1024;

/// Bytes of the text that are examined for the first line end.
pub(super) const LINE_LOOKAHEAD: usize = 8 * 1024;

/// More than everything that is examined from one position: a run, the white space and the token
/// after it, and a quoted-string at its end.
const LOOKAHEAD: usize = 32 * 1024;

/// Writes encoded-words for everything that a header field cannot have.
pub(super) struct HeaderEncoder {
    words: WordEncoders,
    /// The run that is examined.
    run: EncodedRun,
    /// The first encoded-word of a run ahead, within a call.
    cached: Option<CachedCut>,
    /// The number of characters to read for the next encoded-word of a run, within a call.
    expected_chars: usize,
    strict: bool,
    /// Whether short runs are encoded like others.
    #[cfg(test)]
    is_reference: bool,
    now: HeaderEncoderState,
}

struct WordEncoders {
    /// That of the requested charset.
    requested: WordEncoder,
    /// That of UTF-8, for text that the charset cannot express.
    utf8: WordEncoder,
}

impl WordEncoders {
    fn of(&mut self, now: HeaderEncoderState) -> &mut WordEncoder {
        if now.utf8 { &mut self.utf8 } else { &mut self.requested }
    }
}

/// The input and output of a step, and the state during it.
struct EncodeCall<'a> {
    ahead: Lookahead<'a>,
    out: &'a mut [u8],
    now: HeaderEncoderState,
}

/// The result of a step, where `None` means that more text is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeaderStep {
    /// The step has read and written this many bytes, and the state of the call is the new one.
    Advanced {
        read: usize,
        written: usize,
    },
    OutputFull,
    /// The next character cannot be written.
    Error(Unmappable),
}

impl HeaderEncoder {
    pub fn new(options: &EncodingOptions) -> HeaderEncoder {
        let encodings: &'static [TransferEncoding] = match options {
            _ if options.is_choice("encoding", "b") => &[TransferEncoding::B],
            _ if options.is_choice("encoding", "q") => &[TransferEncoding::Q],
            _ => &[TransferEncoding::B, TransferEncoding::Q],
        };
        let requested = WordEncoder::new(options.encoding("charset"), encodings);
        HeaderEncoder {
            words: WordEncoders { requested, utf8: WordEncoder::new(None, encodings) },
            run: EncodedRun::new(),
            cached: None,
            expected_chars: MAX_CHARS,
            strict: options.flag("strict"),
            #[cfg(test)]
            is_reference: false,
            now: HeaderEncoderState::default(),
        }
    }

    fn step(&mut self, call: &mut EncodeCall<'_>) -> Option<HeaderStep> {
        if call.now.line_ending == EncodedLineEnding::Unknown {
            call.now.line_ending = first_line_ending(&call.ahead)?;
        }
        match call.now.mode {
            EncodeMode::LineStart => self.line_start(call),
            EncodeMode::BetweenTokens => self.between_tokens(call),
            EncodeMode::PlainToken | EncodeMode::ForbiddenToken => self.plain_token(call),
            EncodeMode::EncodedRun => match call.now.context.piece(&call.ahead, 0)?.kind {
                PieceKind::End => self.between_tokens(call),
                _ if call.now.last == LastOutput::Word => self.next_word(call, RunStart::Token),
                _ => self.first_word(call, 0),
            },
        }
    }

    /// Continues at the start of a line: a header field begins or continues.
    fn line_start(&mut self, call: &mut EncodeCall<'_>) -> Option<HeaderStep> {
        let now = &mut call.now;
        (now.mode, now.last, now.line) =
            (EncodeMode::BetweenTokens, LastOutput::Nothing, EncodedLine::default());
        if now.has_begun && matches!(call.ahead.byte(0)?, Some(b' ' | b'\t')) {
            return self.between_tokens(call);
        }
        let bytes = call.ahead.bytes();
        let (kind, len) = field::classify(bytes, call.ahead.end)?;
        // A reader would take this for an encoded-word.
        let has_word = bytes[..len].windows(2).any(|two| two == b"=?");
        let (kind, len) = if has_word { (FieldKind::Value, 0) } else { (kind, len) };
        call.now.has_begun = true;
        call.now.context = AddressContext::new(kind);
        if len == 0 {
            return self.between_tokens(call);
        }
        let Some(name) = call.out.get_mut(..len) else { return Some(HeaderStep::OutputFull) };
        name.copy_from_slice(&bytes[..len]);
        call.now.line = call.now.line.with(len, LineContent::Name);
        Some(HeaderStep::Advanced { read: len, written: len })
    }

    /// Continues at white space or at a token.
    fn between_tokens(&mut self, call: &mut EncodeCall<'_>) -> Option<HeaderStep> {
        let HeaderEncoderState { line, last, context, .. } = call.now;
        let syntax = context.syntax();
        if syntax == Syntax::Verbatim {
            return call.copy_verbatim();
        }
        if !line.has_word && (syntax == Syntax::Text || last == LastOutput::Nothing) {
            let step = call.copy_plain_line();
            if step.is_some() {
                return step;
            }
        }
        let fws = call.ahead.fws(0)?;
        match last {
            _ if !fws.is_long => self.after_whitespace(call, fws),
            LastOutput::Word => self.whitespace_word(call, fws.end),
            _ => Some(call.copy_long_whitespace()),
        }
    }

    /// Continues at white space with its end within the lookahead, and perhaps a token after it.
    fn after_whitespace(&mut self, call: &mut EncodeCall<'_>, fws: Fws) -> Option<HeaderStep> {
        let is_after_word = call.now.last == LastOutput::Word;
        let token = match fws.ends_field {
            true => None,
            false => Some(call.now.context.token(&call.ahead, fws.end)?),
        };
        let ends_line = fws.ends_field || fws.folds(0);
        match token {
            Some(Token::NeedsEncoding) if is_after_word => {
                self.next_word(call, RunStart::Whitespace)
            }
            _ if is_after_word && ends_line && !call.now.line.fits(fws.first) => {
                self.whitespace_word(call, fws.first)
            }
            None if fws.end == 0 => call.copy_field_end(),
            None => Some(call.copy_whitespace(fws.end)),
            Some(_) if fws.folds(0) => Some(call.copy_whitespace(fws.last)),
            Some(Token::NeedsEncoding) => self.first_word(call, fws.end),
            Some(token) => self.before_plain_token(call, fws.end, token),
        }
    }

    /// Continues within a token that is copied.
    fn plain_token(&mut self, call: &mut EncodeCall<'_>) -> Option<HeaderStep> {
        let mode = call.now.mode;
        match call.copy_token()? {
            TokenStep::Step(step) => {
                // The state keeps what the token is, or each of many errors in it would examine it
                // again.
                if matches!(step, HeaderStep::Error(_))
                    && self.now.mode == EncodeMode::BetweenTokens
                {
                    self.now.mode = mode;
                }
                Some(step)
            }
            TokenStep::AfterToken => {
                call.now.mode = EncodeMode::BetweenTokens;
                self.between_tokens(call)
            }
            TokenStep::Encode => self.first_word(call, 0),
        }
    }
}

fn first_line_ending(ahead: &Lookahead<'_>) -> Option<EncodedLineEnding> {
    let bytes = ahead.bytes();
    let near = &bytes[..bytes.len().min(LINE_LOOKAHEAD)];
    match memchr::memchr(b'\n', near) {
        Some(at) if at > 0 && near[at - 1] == b'\r' => Some(EncodedLineEnding::CrLf),
        None if near.len() < LINE_LOOKAHEAD && !ahead.end => None,
        _ => Some(EncodedLineEnding::Lf),
    }
}

impl Checkpoint for HeaderEncoder {
    fn save_state(&self) -> State {
        self.now.pack()
    }

    fn restore_state(&mut self, at: State) {
        self.now = HeaderEncoderState::unpack(at);
    }

    fn max_lookahead(&self) -> usize {
        LOOKAHEAD
    }
}

impl EncodeStage for HeaderEncoder {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        let (mut read, mut written) = (0, 0);
        // A call depends only on its arguments and the state.
        (self.cached, self.expected_chars) = (None, MAX_CHARS);
        while read < src.len() {
            let ahead = Lookahead::new(&src[read..], end);
            let mut call = EncodeCall { ahead, out: &mut dst[written..], now: self.now };
            match self.step(&mut call) {
                None => break,
                Some(HeaderStep::OutputFull) => return Progress::output_full(read, written),
                Some(HeaderStep::Error(error)) => return Progress::error(read, written, error),
                Some(HeaderStep::Advanced { read: more, written: out }) => {
                    debug_assert!(more + out > 0, "a step advances");
                    self.now = call.now;
                    if self.cached.as_mut().is_some_and(|cached| !cached.advance(more)) {
                        self.cached = None;
                    }
                    read += more;
                    written += out;
                }
            }
        }
        Progress::input_empty(read, written)
    }
}

/// What the encoder is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EncodeMode {
    /// At the start of a line, where a header field may begin.
    #[default]
    LineStart,
    /// Between two tokens.
    BetweenTokens,
    /// Within a token that is copied.
    PlainToken,
    /// Within a token of an address that is copied, with characters that cannot be.
    ForbiddenToken,
    /// Within or at the end of a token that needs encoding, mostly after an encoded-word.
    EncodedRun,
}

/// What was written last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LastOutput {
    /// Nothing on this line but the field name.
    #[default]
    Nothing,
    Whitespace,
    Plain,
    Word,
}

/// How the lines of the input end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EncodedLineEnding {
    #[default]
    Unknown,
    Lf,
    CrLf,
}

impl EncodedLineEnding {
    pub fn bytes(self) -> &'static [u8] {
        if self == EncodedLineEnding::CrLf { b"\r\n" } else { b"\n" }
    }
}

/// What a line has so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum LineContent {
    #[default]
    Nothing,
    Whitespace,
    /// The field name, and perhaps white space.
    Name,
    /// More than that.
    Text,
}

/// The length of a line with an encoded-word, at most (RFC 2047, section 2).
pub const MAX_LINE: usize = 76;

/// Columns are counted up to this one.
const COLUMN_BITS: u32 = 7;
const COLUMN_LIMIT: usize = (1 << COLUMN_BITS) - 1;

/// The line that is being written: its length so far, and whether it may be folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EncodedLine {
    column: usize,
    pub content: LineContent,
    /// Whether it has an encoded-word, so that it must not get too long.
    pub has_word: bool,
}

impl EncodedLine {
    /// Returns the line with more characters.
    pub fn with(self, columns: usize, content: LineContent) -> EncodedLine {
        let column = (self.column + columns.min(COLUMN_LIMIT)).min(COLUMN_LIMIT);
        let content = if columns > 0 { self.content.max(content) } else { self.content };
        EncodedLine { column, content, ..self }
    }

    pub fn with_whitespace(self, columns: usize) -> EncodedLine {
        self.with(columns, LineContent::Whitespace)
    }

    pub fn with_word(self, columns: usize) -> EncodedLine {
        EncodedLine { has_word: true, ..self.with(columns, LineContent::Text) }
    }

    /// Returns the line after text that may have line ends.
    pub fn after(self, text: &[u8]) -> EncodedLine {
        let (line, last) = match memchr::memrchr(b'\n', text) {
            None => (self, text),
            Some(at) => (EncodedLine::default(), &text[at + 1..]),
        };
        let is_blank = last.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        let content = if is_blank { LineContent::Whitespace } else { LineContent::Text };
        line.with(last.len(), content)
    }

    /// Whether this many characters fit on a line with an encoded-word.
    pub fn fits(&self, columns: usize) -> bool {
        self.column + columns.min(COLUMN_LIMIT) <= MAX_LINE
    }

    /// Returns the number of characters that fit on a line with an encoded-word.
    pub fn space(&self) -> usize {
        MAX_LINE.saturating_sub(self.column)
    }

    /// Whether the line may be folded here: never so that a line of white space remains.
    pub fn may_end(&self) -> bool {
        self.content >= LineContent::Name
    }
}

/// Everything that the encoder keeps between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HeaderEncoderState {
    pub mode: EncodeMode,
    pub last: LastOutput,
    pub line_ending: EncodedLineEnding,
    /// Whether a header field has begun, which a line that begins with white space continues.
    pub has_begun: bool,
    /// Whether this run is written in UTF-8, because the charset cannot express it.
    pub utf8: bool,
    pub line: EncodedLine,
    pub context: AddressContext,
}

const MODES: [EncodeMode; 5] = [
    EncodeMode::LineStart,
    EncodeMode::BetweenTokens,
    EncodeMode::PlainToken,
    EncodeMode::ForbiddenToken,
    EncodeMode::EncodedRun,
];
const LAST_OUTPUTS: [LastOutput; 4] =
    [LastOutput::Nothing, LastOutput::Whitespace, LastOutput::Plain, LastOutput::Word];
const LINE_ENDINGS: [EncodedLineEnding; 3] =
    [EncodedLineEnding::Unknown, EncodedLineEnding::Lf, EncodedLineEnding::CrLf];
const CONTENTS: [LineContent; 4] =
    [LineContent::Nothing, LineContent::Whitespace, LineContent::Name, LineContent::Text];

impl HeaderEncoderState {
    #[inline(always)]
    fn pass(self, bits: &mut BitPacker) -> HeaderEncoderState {
        HeaderEncoderState {
            mode: bits.one_of(3, &MODES, self.mode as usize),
            last: bits.one_of(2, &LAST_OUTPUTS, self.last as usize),
            line_ending: bits.one_of(2, &LINE_ENDINGS, self.line_ending as usize),
            has_begun: bits.flag(self.has_begun),
            utf8: bits.flag(self.utf8),
            line: EncodedLine {
                column: bits.number(COLUMN_BITS, self.line.column as u64) as usize,
                content: bits.one_of(2, &CONTENTS, self.line.content as usize),
                has_word: bits.flag(self.line.has_word),
            },
            context: self.context.pass(bits, 16),
        }
    }

    pub fn pack(self) -> State {
        let mut bits = BitPacker::writer();
        self.pass(&mut bits);
        State::new(bits.bits)
    }

    pub fn unpack(state: State) -> HeaderEncoderState {
        HeaderEncoderState::default().pass(&mut BitPacker::reader(state.bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rfc2047::RFC_2047;
    use crate::rfc2047::address_lexer::Bracket;

    #[test]
    fn the_first_state_is_the_start_of_a_text() {
        assert_eq!(HeaderEncoderState::unpack(State::INITIAL), HeaderEncoderState::default());
        assert_eq!(HeaderEncoderState::default().pack(), State::INITIAL);
    }

    /// Replay of a call, which locates errors, relies on it.
    #[test]
    fn call_depends_only_on_its_arguments_and_the_state() {
        let text = r"&\xFF\xBF?é \x80\xBD\xD7\xE2\x82А\x91\x8F\xB1\x81\x82\x9A";
        for options in ["charset=utf-7,encoding=b", "charset=iso-2022-jp", "encoding=q", "gsm0338"]
        {
            let options = EncodingOptions::parse(options, RFC_2047.options).unwrap();
            let (mut start, mut state, mut output) = (0, State::INITIAL, [0; 4096]);
            while start < text.len() {
                let rest = &text[start..];
                let call = |encoder: &mut HeaderEncoder, len| {
                    encoder.restore_state(state);
                    let result = encoder.encode(&rest[..len], &mut [0; 4096], len == rest.len());
                    (result, encoder.save_state())
                };
                let mut used = HeaderEncoder::new(&options);
                for len in (1..=rest.len()).rev().filter(|len| rest.is_char_boundary(*len)) {
                    let expected = call(&mut HeaderEncoder::new(&options), len);
                    let _ = call(&mut used, rest.len());
                    assert_eq!(call(&mut used, len), expected, "{len} bytes of {rest}");
                    assert_eq!(call(&mut used, len), expected, "{len} bytes of {rest}");
                }
                // Up to one more encoded-word.
                used.restore_state(state);
                start += used.encode(rest, &mut output[..80], true).read;
                state = used.save_state();
            }
        }
    }

    #[test]
    fn a_state_is_unpacked_as_it_was_packed() {
        for (index, mode) in MODES.into_iter().enumerate() {
            for (last, line_ending, content, kind, bracket) in [
                (
                    0,
                    EncodedLineEnding::Lf,
                    LineContent::Whitespace,
                    FieldKind::Unstructured,
                    Bracket::None,
                ),
                (
                    1,
                    EncodedLineEnding::CrLf,
                    LineContent::Name,
                    FieldKind::AddressList,
                    Bracket::Angle,
                ),
                (
                    3,
                    EncodedLineEnding::Lf,
                    LineContent::Text,
                    FieldKind::NoEncodedWords,
                    Bracket::Square,
                ),
            ] {
                for flag in [false, true] {
                    let line = EncodedLine { column: 30 * index, content, has_word: flag };
                    let context = AddressContext {
                        kind,
                        depth: 16_000 * index as u16,
                        bracket,
                        quoted: flag,
                        escaped: false,
                        after_at: !flag,
                    };
                    let (last, has_begun, utf8) = (LAST_OUTPUTS[last], flag, !flag);
                    let state = HeaderEncoderState {
                        mode,
                        last,
                        line_ending,
                        has_begun,
                        utf8,
                        line,
                        context,
                    };
                    assert_eq!(HeaderEncoderState::unpack(state.pack()), state);
                }
            }
        }
    }

    #[test]
    fn a_text_that_follows_a_line_at_the_end_begins_a_line() {
        // RFC 2047, section 5: an encoded-word may be in a comment of an address, without its parentheses.
        for line_end in ["\n", "\r\n"] {
            let parts = [format!("Subject: a{line_end}"), format!("To: b@c (é){line_end}")];
            let mut encoder = HeaderEncoder::new(&EncodingOptions::default());
            let (mut encoded, mut dst) = (Vec::new(), [0; 1000]);
            for part in &parts {
                let progress = encoder.encode(part, &mut dst, true);
                assert_eq!(progress.read, part.len());
                encoded.extend_from_slice(&dst[..progress.written]);
            }
            let expected = format!("{}To: b@c (=?UTF-8?B?w6k=?=){line_end}", parts[0]);
            assert_eq!(encoded.escape_ascii().to_string(), expected.escape_debug().to_string());
        }
    }
}
