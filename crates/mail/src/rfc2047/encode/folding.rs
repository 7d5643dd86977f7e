//! Decides where encoded-words and plain tokens go: on the same line or on a new one.

use super::encoded_word::{EncodedRun, MAX_CHARS, MAX_WORD, RunStart, WordCut};
use super::lookahead::{Fws, Lexeme, Lookahead, Token};
use super::{
    EncodeCall, EncodeMode, EncodedLine, HeaderEncoder, HeaderEncoderState, LastOutput,
    LineContent, MAX_LINE,
};
use super::{HeaderStep, RUN_LOOKAHEAD};
use crate::rfc2047::address_lexer::{AddressContext, PieceKind, Syntax};
use charpipe_encoding::conversion_error::Unmappable;

/// The space for text that an encoded-word must have if it does not end its run: a shorter one is
/// not worth its delimiters. Less is enough after the field name, which should not be alone.
const MIN_WORD_TEXT: usize = 24;
const MIN_WORD_TEXT_AFTER_NAME: usize = 12;

/// White space that ends the header field, or that is too long, is encoded in pieces of this many
/// bytes.
const WHITESPACE_CHUNK: usize = 256;

/// The length of plain text after an encoded-word that is kept on its line.
const MAX_SUFFIX: usize = 24;

/// The output before an encoded-word: perhaps a line end, and white space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lead<'a> {
    pub fold: bool,
    pub whitespace: &'a [u8],
}

/// The first encoded-word of a run, which was cut before the encoder came to it: whether the text
/// before it fits on the line depends on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct CachedCut {
    /// Bytes of input before it.
    distance: usize,
    context: AddressContext,
    /// The space on its line.
    space: usize,
    utf8: bool,
    suffix: usize,
    cut: WordCut,
}

impl CachedCut {
    /// Notes that `read` bytes of input were read. Returns whether they are before the encoded-word.
    pub fn advance(&mut self, read: usize) -> bool {
        let distance = self.distance.checked_sub(read);
        self.distance = distance.unwrap_or_default();
        distance.is_some()
    }
}

impl HeaderEncoder {
    fn cut(&mut self, now: HeaderEncoderState, space: usize, suffix: usize) -> WordCut {
        self.words.of(now).cut(&self.run, space, suffix)
    }

    /// Cuts an encoded-word for a line of its own.
    fn cut_alone(&mut self, now: HeaderEncoderState) -> WordCut {
        self.cut(now, MAX_WORD, 0)
    }

    /// Writes the first encoded-word of a run, whose token is after `width` bytes of white space.
    pub(super) fn first_word(
        &mut self,
        call: &mut EncodeCall<'_>,
        width: usize,
    ) -> Option<HeaderStep> {
        let HeaderEncoderState { last, context, .. } = call.now;
        let adds_space =
            width == 0 && last == LastOutput::Plain && context.syntax() == Syntax::Phrase;
        let whitespace = if adds_space { b" " } else { &call.ahead.bytes()[..width] };
        let line = call.now.line.with_whitespace(whitespace.len());
        let cached = self.cached.take().filter(|cached| {
            let expected = (0, 0, context, line.space());
            (cached.distance, width, cached.context, cached.space) == expected
        });
        if cached.is_none() {
            let step = self.short_words(call, whitespace, width);
            if step.is_some() {
                return step;
            }
        }
        let CachedCut { utf8, suffix, cut, .. } = match cached {
            Some(cached) => {
                self.run.arrive();
                cached
            }
            None => self.select_word(&call.ahead, call.now, width, line)?,
        };
        call.now.utf8 = utf8;
        if self.run.len() == 0 {
            return Some(self.skip_quote(call));
        }
        if cut.before_unmappable && cut.count == 0 {
            return before_unmappable(call, width);
        }
        if self.is_worth(call.now, &cut, line) {
            return Some(self.put(call, Lead { fold: false, whitespace }, &cut));
        }
        // On a new line, if it may be folded here and the encoded-word is worth it there.
        let indent = fold_indent(whitespace, context);
        if may_fold(call.now) && !indent.is_empty() {
            let line = EncodedLine::default().with_whitespace(indent.len());
            let cut = self.cut(call.now, line.space(), suffix);
            if self.is_worth(call.now, &cut, line) {
                return Some(self.put(call, Lead { fold: true, whitespace: indent }, &cut));
            }
        }
        if width > 1 {
            return self.encode_whitespace(call);
        }
        let cut = if cut.count > 0 { cut } else { self.cut_alone(call.now) };
        Some(self.put(call, Lead { fold: false, whitespace }, &cut))
    }

    /// Writes the first encoded-word of a run after white space that leaves no space for it: the
    /// first character of that is copied, and the rest goes into the encoded-word.
    fn encode_whitespace(&mut self, call: &mut EncodeCall<'_>) -> Option<HeaderStep> {
        let HeaderEncoderState { line, context, .. } = call.now;
        let fold = may_fold(call.now);
        let limit = self.words.of(call.now).lookahead();
        self.run.read(&call.ahead, 1, context, RunStart::Whitespace, limit)?;
        let suffix = run_suffix(&call.ahead, &self.run)?;
        let line = if fold { EncodedLine::default() } else { line }.with_whitespace(1);
        let mut cut = self.cut(call.now, line.space(), suffix);
        if !self.is_worth(call.now, &cut, line) {
            cut = self.cut_alone(call.now);
        }
        if cut.count > 0 {
            let whitespace = &call.ahead.bytes()[..1];
            return Some(self.put(call, Lead { fold, whitespace }, &cut));
        }
        if self.strict || call.now.utf8 {
            return before_unmappable(call, 0);
        }
        call.now.utf8 = true;
        self.encode_whitespace(call)
    }

    /// Writes the next encoded-word of a run.
    pub(super) fn next_word(
        &mut self,
        call: &mut EncodeCall<'_>,
        start: RunStart,
    ) -> Option<HeaderStep> {
        let (fold, cut) = match self.cut_next(call, start, self.expected_chars)? {
            Some((_, cut)) if !self.words.of(call.now).decides(&self.run, &cut) => {
                self.cut_next(call, start, MAX_CHARS)?
            }
            found => found,
        }
        .unzip();
        let (Some(fold), Some(cut)) = (fold, cut) else { return Some(self.skip_quote(call)) };
        self.expected_chars = self.words.of(call.now).expected_chars(&cut);
        if cut.before_unmappable && cut.count == 0 {
            if self.strict {
                return before_unmappable(call, 0);
            }
            call.now.utf8 = true;
            return self.next_word(call, start);
        }
        Some(self.put(call, Lead { fold, whitespace: b" " }, &cut))
    }

    /// Reads up to `max_chars` characters of a run, and cuts its next encoded-word. Returns whether that is
    /// on a new line, and the cut; `Some(None)` if nothing is left of the run.
    fn cut_next(
        &mut self,
        call: &EncodeCall<'_>,
        start: RunStart,
        max_chars: usize,
    ) -> Option<Option<(bool, WordCut)>> {
        let limit = self.words.of(call.now).lookahead();
        self.run.read_chars(&call.ahead, 0, call.now.context, start, limit, max_chars)?;
        if self.run.len() == 0 {
            return Some(None);
        }
        let suffix = run_suffix(&call.ahead, &self.run)?;
        let line = call.now.line.with_whitespace(1);
        let cut = self.cut(call.now, line.space(), suffix);
        if self.is_worth(call.now, &cut, line) {
            return Some(Some((false, cut)));
        }
        Some(Some((true, self.cut(call.now, MAX_WORD, suffix))))
    }

    /// Writes an encoded-word of white space that cannot be copied.
    pub(super) fn whitespace_word(
        &mut self,
        call: &mut EncodeCall<'_>,
        end: usize,
    ) -> Option<HeaderStep> {
        let end = end.min(WHITESPACE_CHUNK);
        self.run.read_whitespace(&call.ahead, call.now.context, end)?;
        let mut cut = self.cut_alone(call.now);
        if cut.count == 0 {
            call.now.utf8 = true;
            cut = self.cut_alone(call.now);
        }
        Some(self.put(call, Lead { fold: true, whitespace: b" " }, &cut))
    }

    /// Continues before a token that is copied, after `width` bytes of white space.
    pub(super) fn before_plain_token(
        &mut self,
        call: &mut EncodeCall<'_>,
        width: usize,
        token: Token,
    ) -> Option<HeaderStep> {
        let HeaderEncoderState { line, last, context, .. } = call.now;
        let (syntax, is_after_word) = (context.syntax(), width == 0 && last == LastOutput::Word);
        let may_fold = match width {
            0 => is_after_word,
            _ => line.may_end() && (line.has_word || syntax != Syntax::Text),
        };
        let fold = may_fold && self.overflows_line(call, width, token)?;
        if fold && width > 0 {
            let whitespace = &call.ahead.bytes()[..1];
            return Some(call.put_whitespace(Lead { fold, whitespace }, 1));
        }
        // An encoded-word in a phrase is a token by itself (RFC 2047, section 5, rule 3).
        if is_after_word && (fold || syntax == Syntax::Phrase) {
            return Some(call.put_whitespace(Lead { fold, whitespace: b" " }, 0));
        }
        match token {
            Token::Plain(end) if syntax == Syntax::Text && end <= call.out.len() => {
                return Some(call.copy_text_token(end));
            }
            _ if width > 0 => return Some(call.copy_whitespace(width)),
            _ => {}
        }
        call.now.mode = match token {
            Token::Special(_) => return Some(call.copy_specials()),
            Token::Forbidden(_) => EncodeMode::ForbiddenToken,
            _ => EncodeMode::PlainToken,
        };
        self.plain_token(call)
    }

    /// Whether a plain token with everything that touches it is too long for this line.
    fn overflows_line(
        &mut self,
        call: &mut EncodeCall<'_>,
        width: usize,
        token: Token,
    ) -> Option<bool> {
        let HeaderEncoderState { line, last, context, .. } = call.now;
        let (columns, word) = match token {
            // Only white space or a line end follows.
            Token::Plain(end) if context.syntax() == Syntax::Text && end - width <= MAX_LINE => {
                (columns_to_fws(call.ahead.fws(end)?, width, end), None)
            }
            _ => unbreakable_text(&call.ahead, width, context)?,
        };
        let adds_space =
            width == 0 && last == LastOutput::Word && context.syntax() == Syntax::Phrase;
        let line = line.with_whitespace(width + usize::from(adds_space));
        if line.has_word && !line.fits(columns) {
            return Some(true);
        }
        let Some((at, context)) = word else { return Some(false) };
        let line = line.with(columns, LineContent::Text);
        if self.fits_short_word(&call.ahead, at, context, line) {
            self.cached = None;
            return Some(false);
        }
        let now = HeaderEncoderState { context, ..call.now };
        let cached = self.select_word(&call.ahead, now, at, line)?;
        let now = HeaderEncoderState { utf8: cached.utf8, ..now };
        let overflows = !self.is_worth(now, &cached.cut, line);
        self.cached = (!overflows).then_some(cached);
        Some(overflows)
    }

    /// Reads a run from its first token, and cuts the encoded-word that would begin it on a line.
    fn select_word(
        &mut self,
        ahead: &Lookahead<'_>,
        now: HeaderEncoderState,
        at: usize,
        line: EncodedLine,
    ) -> Option<CachedCut> {
        let now =
            HeaderEncoderState { utf8: !self.can_express_run(ahead, at, now.context)?, ..now };
        let limit = self.words.of(now).lookahead();
        self.run.read(ahead, at, now.context, RunStart::Token, limit)?;
        let (suffix, space) = (run_suffix(ahead, &self.run)?, line.space());
        let cut = self.cut(now, space, suffix);
        let HeaderEncoderState { context, utf8, .. } = now;
        Some(CachedCut { distance: at, context, space, utf8, suffix, cut })
    }

    /// Whether an encoded-word is worth writing on a line.
    fn is_worth(&mut self, now: HeaderEncoderState, cut: &WordCut, line: EncodedLine) -> bool {
        let has_space = has_space_for_part(line, self.words.of(now).overhead());
        cut.before_unmappable || cut.count > 0 && (cut.is_whole || has_space)
    }

    /// Whether the charset can express a run, as far as it is examined. In strict mode it must, so
    /// nothing is examined.
    fn can_express_run(
        &mut self,
        ahead: &Lookahead<'_>,
        at: usize,
        context: AddressContext,
    ) -> Option<bool> {
        let (mut next, mut context) = (at, context);
        while !self.strict && !self.words.requested.is_utf8() && next - at < RUN_LOOKAHEAD {
            self.run.read(ahead, next, context, RunStart::Token, usize::MAX)?;
            if !self.words.requested.has(&self.run, next == at) {
                return Some(false);
            }
            if self.run.is_ended {
                break;
            }
            (next, context) = self.run.source(self.run.len());
        }
        Some(true)
    }

    /// Writes an encoded-word.
    fn put(&mut self, call: &mut EncodeCall<'_>, lead: Lead<'_>, cut: &WordCut) -> HeaderStep {
        // One that carries nothing, in place of a fold alone, has no columns.
        let len = cut.columns.max(self.words.of(call.now).overhead());
        let Some(mut written) = call.put_lead(lead, len) else { return HeaderStep::OutputFull };
        self.cached = None;
        written += self.words.of(call.now).write(&self.run, cut, &mut call.out[written..]);
        let (read, context) = self.run.source(cut.count);
        let line = call.now.line.with_word(cut.columns);
        let (mode, last) = (EncodeMode::EncodedRun, LastOutput::Word);
        call.now = HeaderEncoderState { mode, last, line, context, ..call.now };
        HeaderStep::Advanced { read, written }
    }

    /// Skips the quotation mark that ends a quoted-string of which nothing is left.
    fn skip_quote(&mut self, call: &mut EncodeCall<'_>) -> HeaderStep {
        let (read, context) = self.run.source(0);
        call.now = HeaderEncoderState { mode: EncodeMode::EncodedRun, context, ..call.now };
        HeaderStep::Advanced { read, written: 0 }
    }
}

impl EncodeCall<'_> {
    /// Writes what comes before an encoded-word or a token if there is space for that and for
    /// `following` bytes. Returns its length.
    pub(super) fn put_lead(&mut self, lead: Lead<'_>, following: usize) -> Option<usize> {
        let line_end = if lead.fold { self.now.line_ending.bytes() } else { b"" };
        let written = line_end.len() + lead.whitespace.len();
        let out = self.out.get_mut(..written + following)?;
        out[..line_end.len()].copy_from_slice(line_end);
        out[line_end.len()..written].copy_from_slice(lead.whitespace);
        let line = if lead.fold { EncodedLine::default() } else { self.now.line };
        self.now.line = line.with_whitespace(lead.whitespace.len());
        Some(written)
    }

    /// Writes white space for `read` bytes of white space.
    fn put_whitespace(&mut self, lead: Lead<'_>, read: usize) -> HeaderStep {
        let Some(written) = self.put_lead(lead, 0) else { return HeaderStep::OutputFull };
        (self.now.mode, self.now.last) = (EncodeMode::BetweenTokens, LastOutput::Whitespace);
        HeaderStep::Advanced { read, written }
    }
}

/// Whether a part of a run is worth an encoded-word on a line, if it has this overhead.
pub(super) fn has_space_for_part(line: EncodedLine, overhead: usize) -> bool {
    let is_after_name = line.content <= LineContent::Name;
    let min = if is_after_name { MIN_WORD_TEXT_AFTER_NAME } else { MIN_WORD_TEXT };
    line.space().saturating_sub(overhead) >= min
}

/// Returns the white space on the new line before an encoded-word that would be after `whitespace`.
pub(super) fn fold_indent(whitespace: &[u8], context: AddressContext) -> &[u8] {
    match whitespace {
        b"" if context.syntax() == Syntax::Comment => b" ",
        whitespace => whitespace,
    }
}

/// Whether the line may be folded before an encoded-word that begins a run.
pub(super) fn may_fold(now: HeaderEncoderState) -> bool {
    now.line.may_end() && now.last != LastOutput::Word
}

/// Continues before a character that is not in the charset: copies the white space before it, then
/// skips a quotation mark or a backslash, then stops with the error.
fn before_unmappable(call: &mut EncodeCall<'_>, width: usize) -> Option<HeaderStep> {
    if width > 0 {
        return Some(call.copy_whitespace(width));
    }
    let piece = call.now.context.piece(&call.ahead, 0)?;
    let hidden = match piece.kind {
        PieceKind::Content(hidden) => hidden,
        _ => piece.len,
    };
    if hidden == 0 {
        return Some(HeaderStep::Error(Unmappable::new(call.ahead.character(0)?)));
    }
    if piece.kind == PieceKind::Quote {
        call.now.context = call.now.context.after_piece(piece);
    }
    call.now.mode = EncodeMode::EncodedRun;
    Some(HeaderStep::Advanced { read: hidden, written: 0 })
}

/// Returns the [`suffix`] of a run, or 0 if its end was not read.
fn run_suffix(ahead: &Lookahead<'_>, run: &EncodedRun) -> Option<usize> {
    let (at, context) = run.after;
    if run.is_ended { suffix(ahead, at, context) } else { Some(0) }
}

/// Returns the number of characters that touch the end of a run at a position if they are few: its
/// last encoded-word leaves space for them. In a phrase nothing may touch an encoded-word.
pub(super) fn suffix(ahead: &Lookahead<'_>, at: usize, context: AddressContext) -> Option<usize> {
    if context.syntax() != Syntax::Comment || ahead.lexeme(at)? != Lexeme::Other {
        return Some(0);
    }
    let (columns, _) = unbreakable_text(ahead, at, context)?;
    Some(if columns <= MAX_SUFFIX { columns } else { 0 })
}

/// More columns than fit on a line.
const TOO_LONG: usize = MAX_LINE + 1;

/// Returns the columns from `at` to white space at `end`, with that if the line ends there.
fn columns_to_fws(fws: Fws, at: usize, end: usize) -> usize {
    match fws.ends_field || fws.folds(end) {
        _ if fws.is_long => TOO_LONG,
        true => fws.first - at,
        false => end - at,
    }
}

/// Returns the length of the plain text at a position up to the next white space, with that if the
/// line ends there, and the position of an encoded-word that touches it. A length of more than a
/// line is not exact.
fn unbreakable_text(
    ahead: &Lookahead<'_>,
    at: usize,
    mut context: AddressContext,
) -> Option<(usize, Option<(usize, AddressContext)>)> {
    let mut next = at;
    let too_long = Some((TOO_LONG, None));
    while next - at <= MAX_LINE {
        let columns = next - at;
        if ahead.lexeme(next)? != Lexeme::Other {
            return Some((columns_to_fws(ahead.fws(next)?, at, next), None));
        }
        match context.token(ahead, next)? {
            Token::Special(byte) => {
                context = context.after_special(byte);
                next += 1;
            }
            Token::Plain(end) | Token::Forbidden(end) => {
                context.after_at = false;
                next = end;
            }
            Token::Unterminated => return too_long,
            Token::NeedsEncoding if context.syntax() == Syntax::Phrase => {
                return Some((columns, None));
            }
            Token::NeedsEncoding => return Some((columns, Some((next, context)))),
        }
    }
    too_long
}

#[cfg(test)]
mod tests {
    use super::{AddressContext, HeaderEncoder, Lookahead, RUN_LOOKAHEAD, unbreakable_text};
    use crate::rfc2047::field::FieldKind;
    use crate::rfc2047::{RFC_2047, decode, encode};
    use charpipe_encoding::codec::{Checkpoint, EncodeStage, Status};
    use charpipe_encoding::encoding::EncodingOptions;

    /// Checks that a field is encoded in lines of at most 76 columns (RFC 2047, section 2), and decoded as it was.
    fn assert_encoded(field: &str) {
        let encoded = encode(field).unwrap();
        assert!(encoded.lines().all(|line| line.len() <= 76), "{encoded}");
        assert_eq!(decode(encoded.as_bytes()).replace('\n', ""), field, "{encoded}");
    }

    #[test]
    fn line_may_end_before_a_word_of_a_phrase_after_a_comment() {
        // RFC 2047, section 5: an encoded-word in a phrase is separated by white space.
        let context = AddressContext::new(FieldKind::AddressList);
        let ahead = Lookahead::new("a(b)\u{E9}c d", true);
        assert_eq!(unbreakable_text(&ahead, 0, context), Some((4, None)));
    }

    #[test]
    fn text_after_encoded_white_space_leaves_space_for_the_end_of_a_comment() {
        for width in 40..70 {
            for len in 0..12 {
                let (white_space, rest) = (" ".repeat(width), "a".repeat(len));
                assert_encoded(&format!("From: a@b.c (x{white_space}é{rest})"));
            }
        }
    }

    #[test]
    fn encoded_white_space_may_be_alone_before_a_long_grapheme_cluster() {
        assert_encoded(&format!("Subject: x  e{}", "\u{301}".repeat(40)));
    }

    #[test]
    fn charset_of_a_run_depends_on_as_many_bytes_as_documented() {
        // Of each, 72 characters, which are examined at a time.
        let part = ["é".repeat(56), "a".repeat(16)].concat();
        let parts = part.repeat(RUN_LOOKAHEAD / part.len());
        assert_eq!(parts.len(), RUN_LOOKAHEAD);
        let within = parts.strip_suffix('a').unwrap();
        for (text, start) in [
            (format!("{within}\u{448}"), "Subject: =?UTF-8?"),
            (format!("{parts}\u{448}"), "Subject: =?ISO-8859-1?"),
        ] {
            let options = EncodingOptions::parse("iso-8859-1", RFC_2047.options).unwrap();
            let mut encoder = HeaderEncoder::new(&options);
            let mut buffer = vec![0; 4 * RUN_LOOKAHEAD];
            let _ = encoder.encode(&format!("Subject: {text}"), &mut buffer, true);
            assert!(buffer.starts_with(start.as_bytes()), "{start}");
        }
    }

    #[test]
    fn bracket_after_an_at_and_an_error_begins_a_domain_literal() {
        // RFC 5322, section 3.4.1: `domain-literal = "[" *([FWS] dtext) [FWS] "]"`, and dtext has parentheses.
        let field = "To: a@é[(é)";
        let mut encoder = HeaderEncoder::new(&EncodingOptions::default());
        let (mut at, mut out, mut errors) = (0, Vec::new(), Vec::new());
        loop {
            let mut buffer = [0; 99];
            let progress = encoder.encode(&field[at..], &mut buffer, true);
            out.extend_from_slice(&buffer[..progress.written]);
            at += progress.read;
            let Status::Error(error) = progress.status else { break };
            errors.push(at);
            at += error.character.len_utf8();
        }
        assert_eq!(errors, [6, 10]);
        assert_eq!(out, b"To: a@[()");
    }

    #[test]
    fn white_space_that_the_charset_does_not_have_is_an_error_in_strict_mode() {
        // 3GPP TS 23.038: the alphabet has a space and no tab.
        for (white_space, expected) in [(' ', None), ('\t', Some((10, '\t')))] {
            let options = EncodingOptions::parse("gsm0338,strict", RFC_2047.options).unwrap();
            let mut encoder = HeaderEncoder::new(&options);
            let field = format!("Subject: x{}é", white_space.to_string().repeat(70));
            let (mut at, mut error, mut buffer) = (0, None, vec![0; encoder.max_lookahead()]);
            while error.is_none() {
                let progress = encoder.encode(&field[at..], &mut buffer, true);
                at += progress.read;
                match progress.status {
                    Status::InputEmpty => break,
                    Status::OutputFull => {}
                    Status::Error(unmappable) => error = Some((at, unmappable.character)),
                }
            }
            assert_eq!(error, expected);
        }
    }
}
