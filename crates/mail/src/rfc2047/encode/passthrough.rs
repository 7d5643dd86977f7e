//! Copies input that needs no encoding: white space, line ends and plain text.

use super::lookahead::{MAX_FWS, needs_encoding};
use super::{EncodeCall, EncodeMode, EncodedLineEnding, HeaderStep, LastOutput, LineContent};
use crate::rfc2047::address_lexer::{AddressContext, Piece, PieceKind, Syntax};
use charpipe_encoding::conversion_error::Unmappable;
use charpipe_kernel as kernel;

/// Bytes of a field without encoded-words that are examined at once: lines are short, and
/// pathological input has millions of errors, each of which begins a call.
const VERBATIM_CHUNK: usize = 256;

/// Why copying a token ends.
enum CopyStop {
    /// The token ends.
    TokenEnd,
    NeedMore,
    OutputFull,
    /// This character is not allowed here.
    Forbidden(char),
    /// The next character needs encoding.
    NeedsEncoding,
}

/// What to do where nothing can be copied.
pub enum TokenStep {
    Step(HeaderStep),
    /// Continue after the token.
    AfterToken,
    /// Begin an encoded-word within the token.
    Encode,
}

impl EncodeCall<'_> {
    /// Copies the next `len` bytes, and advances the line.
    fn copy(&mut self, len: usize, mode: EncodeMode, last: LastOutput) -> HeaderStep {
        let bytes = &self.ahead.bytes()[..len];
        match self.out.get_mut(..len) {
            Some(out) if len > 0 => out.copy_from_slice(bytes),
            _ => return HeaderStep::OutputFull,
        }
        let now = &mut self.now;
        if let Some(at) = memchr::memrchr(b'\n', bytes) {
            let has_cr = bytes[..at].last() == Some(&b'\r');
            now.line_ending = if has_cr { EncodedLineEnding::CrLf } else { EncodedLineEnding::Lf };
        }
        now.line = now.line.after(bytes);
        (now.mode, now.last) = (mode, last);
        HeaderStep::Advanced { read: len, written: len }
    }

    /// Copies white space and folds at the start, as much as fits into the output.
    pub fn copy_whitespace(&mut self, len: usize) -> HeaderStep {
        let bytes = self.ahead.bytes();
        let bytes = &bytes[..len.min(bytes.len())];
        let len = match bytes.get(..self.out.len()) {
            // CR LF is not divided.
            Some([start @ .., b'\r']) => start.len(),
            Some(all) => all.len(),
            None => bytes.len(),
        };
        self.copy(len, EncodeMode::BetweenTokens, LastOutput::Whitespace)
    }

    /// Copies white space with no end within the lookahead, except the part that may have to go
    /// into an encoded-word.
    pub fn copy_long_whitespace(&mut self) -> HeaderStep {
        let seen = self.ahead.fws_len(self.out.len().saturating_add(MAX_FWS));
        let mut len = 0;
        while seen - len >= MAX_FWS {
            len += self.ahead.line_end(len).unwrap_or(0).max(1);
        }
        self.copy_whitespace(len)
    }

    /// Copies the line end that ends a header field.
    pub fn copy_field_end(&mut self) -> Option<HeaderStep> {
        let len = self.ahead.line_end(0)?;
        Some(self.copy(len, EncodeMode::LineStart, LastOutput::Nothing))
    }

    /// Copies a special character of an address list, and more of them and plain tokens that touch
    /// it.
    pub fn copy_specials(&mut self) -> HeaderStep {
        let bytes = self.ahead.bytes();
        let bytes = &bytes[..bytes.len().min(self.out.len())];
        let (mut context, mut len) = (self.now.context, 0);
        while let Some(byte) = bytes.get(len) {
            if context.is_special(*byte) {
                context = context.after_special(*byte);
                len += 1;
                continue;
            }
            let end = len + context.plain_len(&bytes[len..]);
            let after = AddressContext { after_at: false, ..context };
            let ends = |byte: &u8| matches!(byte, b' ' | b'\n') || after.is_special(*byte);
            if end == len || !bytes.get(end).is_some_and(ends) {
                break;
            }
            (context, len) = (after, end);
        }
        let Some(out) = self.out.get_mut(..len).filter(|out| !out.is_empty()) else {
            return HeaderStep::OutputFull;
        };
        out.copy_from_slice(&bytes[..len]);
        let now = &mut self.now;
        now.context = context;
        now.line = now.line.with(len, LineContent::Text);
        (now.mode, now.last) = (EncodeMode::BetweenTokens, LastOutput::Plain);
        HeaderStep::Advanced { read: len, written: len }
    }

    /// Copies the white space and the plain token before index `end` of an unstructured field.
    pub fn copy_text_token(&mut self, end: usize) -> HeaderStep {
        let Some(out) = self.out.get_mut(..end) else { return HeaderStep::OutputFull };
        out.copy_from_slice(&self.ahead.bytes()[..end]);
        let now = &mut self.now;
        now.line = now.line.with(end, LineContent::Text);
        (now.mode, now.last) = (EncodeMode::BetweenTokens, LastOutput::Plain);
        HeaderStep::Advanced { read: end, written: end }
    }

    /// Copies from within a plain token, up to its end or to what cannot be copied.
    pub fn copy_token(&mut self) -> Option<TokenStep> {
        let (ahead, mut context, mut at) = (self.ahead, self.now.context, 0);
        let near = &ahead.bytes()[..ahead.bytes().len().min(self.out.len())];
        let status = loop {
            let len = context.plain_len(&near[at..]);
            if len > 0 {
                context.after_at = false;
                at += len;
            }
            let Some(piece) = context.piece(&ahead, at) else { break CopyStop::NeedMore };
            if piece.kind == PieceKind::End {
                break CopyStop::TokenEnd;
            }
            if at + piece.len > self.out.len() {
                break CopyStop::OutputFull;
            }
            match self.is_plain(at, piece, context) {
                // The backslash before the character is copied by itself.
                Err(CopyStop::Forbidden(_) | CopyStop::NeedsEncoding)
                    if self.ahead.bytes()[at] == b'\\' =>
                {
                    at += 1;
                }
                Err(status) => break status,
                Ok(()) => {
                    context = context.after_piece(piece);
                    at += piece.len;
                }
            }
        };
        if at > 0 {
            let is_end = matches!(status, CopyStop::TokenEnd);
            let mode = if is_end { EncodeMode::BetweenTokens } else { self.now.mode };
            self.now.context = context;
            return Some(TokenStep::Step(self.copy(at, mode, LastOutput::Plain)));
        }
        match status {
            CopyStop::TokenEnd => Some(TokenStep::AfterToken),
            CopyStop::NeedMore => None,
            CopyStop::OutputFull => Some(TokenStep::Step(HeaderStep::OutputFull)),
            CopyStop::Forbidden(character) => {
                Some(TokenStep::Step(HeaderStep::Error(Unmappable::not_allowed_here(character))))
            }
            CopyStop::NeedsEncoding => Some(TokenStep::Encode),
        }
    }

    /// Whether a piece of a plain token can be copied. Where no encoded-word may be, ASCII can.
    fn is_plain(&self, at: usize, piece: Piece, context: AddressContext) -> Result<(), CopyStop> {
        if !matches!(piece.kind, PieceKind::Content(_)) {
            return Ok(());
        }
        let is_forbidden = self.now.mode == EncodeMode::ForbiddenToken
            || context.quoted
            || context.syntax() == Syntax::Address;
        for at in at..at + piece.len {
            match self.ahead.bytes().get(at) {
                Some(0x80..) if is_forbidden => {
                    let character = self.ahead.character(at).unwrap_or_default();
                    return Err(CopyStop::Forbidden(character));
                }
                _ if is_forbidden => {}
                _ if needs_encoding(&self.ahead, at).ok_or(CopyStop::NeedMore)? => {
                    return Err(CopyStop::NeedsEncoding);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Copies from a field without encoded-words, up to the end of a line. CR LF is not divided: it
    /// would be taken for LF alone.
    pub fn copy_verbatim(&mut self) -> Option<HeaderStep> {
        let bytes = self.ahead.bytes();
        let near = &bytes[..bytes.len().min(self.out.len()).min(VERBATIM_CHUNK)];
        let near = match near {
            [start @ .., b'\r'] if !start.is_empty() || self.ahead.byte(1)? == Some(b'\n') => start,
            _ => near,
        };
        let len = memchr::memchr(b'\n', near).map_or(near.len(), |at| at + 1);
        let ascii = kernel::ascii::prefix_len(&near[..len]);
        if ascii == 0 && !near.is_empty() {
            let character = self.ahead.character(0).unwrap_or_default();
            return Some(HeaderStep::Error(Unmappable::not_allowed_here(character)));
        }
        let is_line = near[..ascii].last() == Some(&b'\n');
        let mode = if is_line { EncodeMode::LineStart } else { EncodeMode::BetweenTokens };
        Some(self.copy(ascii, mode, LastOutput::Plain))
    }

    /// Copies plain text from a line without encoded-words: up to the end of the line, or to the
    /// last token that is known to be plain. A faster way to the result of
    /// [`copy_token`](Call::copy_token) and [`copy_whitespace`](Call::copy_whitespace). Returns
    /// `None` where there is nothing to copy.
    ///
    /// Of an address list it copies the rest of a header field that ends with the line, since that
    /// ends everything that is open.
    pub fn copy_plain_line(&mut self) -> Option<HeaderStep> {
        let bytes = self.ahead.bytes();
        let near = &bytes[..bytes.len().min(self.out.len())];
        let (len, is_line) = plain_len(near);
        if is_line {
            let continues = || matches!(self.ahead.byte(len), None | Some(Some(b' ' | b'\t')));
            if self.now.context.syntax() != Syntax::Text && continues() {
                return None;
            }
            return Some(self.copy(len, EncodeMode::LineStart, LastOutput::Plain));
        }
        if self.now.context.syntax() != Syntax::Text {
            return None;
        }
        let is_all = len == bytes.len() && self.ahead.end;
        let len = match is_all {
            true => len,
            // The last token and the white space before it are not decided yet.
            false => {
                let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
                let token = near[..len].iter().rposition(is_blank)?;
                near[..token].iter().rposition(|byte| !is_blank(byte))? + 1
            }
        };
        Some(self.copy(len, EncodeMode::BetweenTokens, LastOutput::Plain))
    }
}

/// Returns the length of the text that needs no encoding, up to the end of its line, and whether it
/// includes that.
fn plain_len(near: &[u8]) -> (usize, bool) {
    let mut at = 0;
    while let Some(&byte) = near.get(at) {
        match byte {
            b'=' if near.get(at + 1).is_none_or(|next| *next == b'?') => break,
            b' '..=b'~' | b'\t' => at += 1,
            b'\n' => return (at + 1, true),
            b'\r' if near.get(at + 1) == Some(&b'\n') => return (at + 2, true),
            _ => break,
        }
    }
    (at, false)
}
