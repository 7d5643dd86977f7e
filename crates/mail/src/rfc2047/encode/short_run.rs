//! Short runs, which one encoded-word carries: a faster way to the result of
//! [`HeaderEncoder::first_word`].

use super::encoded_word::{NotInCharset, WholeWord};
use super::folding::{Lead, fold_indent, has_space_for_part, may_fold, suffix};
use super::lookahead::Lookahead;
use super::{
    EncodeCall, EncodeMode, EncodedLine, EncodedLineEnding, HeaderEncoder, HeaderStep, LastOutput,
    LineContent,
};
use crate::rfc2047::address_lexer::{AddressContext, ByteKind, Syntax};
use crate::rfc2047::field::FieldKind;

/// Bytes that are examined to find the end of a run and of the token after it.
const MAX_LEN: usize = 128;

/// The maximum number of bytes of UTF-8 that an encoded-word carries, except in Q if most are ASCII.
const MAX_UTF8: usize = 45;

/// A run of tokens with a space between them, and what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShortRun {
    /// Its length.
    len: usize,
    /// The length of a space and a plain token after it, or 0.
    plain: usize,
    /// The length of the line end after that, if the header field ends with it, or 0.
    line_end: usize,
}

impl ShortRun {
    /// Returns the run that begins with the token at a position, or `None` if it is not simple or
    /// has more than about `max` adjacent bytes that are not ASCII.
    fn find(
        ahead: &Lookahead<'_>,
        at: usize,
        context: AddressContext,
        max: usize,
    ) -> Option<ShortRun> {
        let syntax = context.syntax();
        if context.quoted || matches!(syntax, Syntax::Address | Syntax::Verbatim) {
            return None;
        }
        let kinds = context.byte_kinds();
        let bytes = ahead.bytes().get(at..)?;
        let bytes = &bytes[..bytes.len().min(MAX_LEN)];
        let (mut at, mut len) = (0, 0);
        loop {
            let token = at;
            let (stop, has_non_ascii) = skip_token(bytes, &mut at, kinds, max)?;
            let is_encoded = has_non_ascii || len == 0;
            if is_encoded {
                len = at;
            }
            // The plain token, if there is one.
            let plain = if syntax == Syntax::Text { at - len } else { 0 };
            let run = ShortRun { len, plain: 0, line_end: 0 };
            return match (stop, at > token) {
                (ByteKind::Special, false) if len == 0 => None,
                (ByteKind::Special, _) => Some(run),
                (ByteKind::Space, true) if is_encoded => {
                    at += 1;
                    continue;
                }
                (ByteKind::Space, true) => match bytes.get(at + 1)? {
                    b'!'.. => Some(ShortRun { plain, ..run }),
                    _ => Some(run),
                },
                (ByteKind::LineEnd, true) => {
                    let (line_end, after) = match &bytes[at..] {
                        [b'\n', after, ..] => (1, after),
                        [b'\r', b'\n', after, ..] => (2, after),
                        _ => return None,
                    };
                    match after {
                        b' ' | b'\t' if is_encoded => None,
                        b' ' | b'\t' => Some(run),
                        _ if len + plain < at => Some(run),
                        _ => Some(ShortRun { plain, line_end, ..run }),
                    }
                }
                _ => None,
            };
        }
    }
}

/// Advances `at` to the end of a token. Returns what ends it, and whether it has bytes that are not ASCII.
/// Returns `None` if it has more than about `max` adjacent ones.
#[inline(always)]
fn skip_token(
    bytes: &[u8],
    at: &mut usize,
    kinds: &[ByteKind; 256],
    max: usize,
) -> Option<(ByteKind, bool)> {
    let start = *at;
    while bytes[*at..].first_chunk().is_some_and(all_non_ascii) {
        *at += 8;
        if *at - start > max {
            return None;
        }
    }
    let mut has_non_ascii = *at > start;
    loop {
        match kinds[usize::from(*bytes.get(*at)?)] {
            ByteKind::Plain => {}
            ByteKind::NonAscii => has_non_ascii = true,
            kind => return Some((kind, has_non_ascii)),
        }
        *at += 1;
    }
}

fn all_non_ascii(bytes: &[u8; 8]) -> bool {
    const HIGH_BITS: u64 = u64::MAX / 0xFF * 0x80;
    u64::from_ne_bytes(*bytes) & HIGH_BITS == HIGH_BITS
}

impl HeaderEncoder {
    /// Writes the encoded-word of a run after `width` bytes of white space, for which it writes
    /// `whitespace`, and what follows as long as that is as simple. Returns `None` if the run does not
    /// fit into one encoded-word on this line or, if that may be folded, on the next.
    pub(super) fn short_words(
        &mut self,
        call: &mut EncodeCall<'_>,
        whitespace: &[u8],
        width: usize,
    ) -> Option<HeaderStep> {
        let first = self.short_word(call, whitespace, width)?;
        let HeaderStep::Advanced { mut read, mut written } = first else { return Some(first) };
        let text = call.ahead.bytes();
        loop {
            let mut now = call.now;
            let lead: &[u8] = match (now.mode, &text[read..]) {
                // After a plain token of an unstructured field.
                (EncodeMode::BetweenTokens, [b' ', 0x80..=0xFF, ..]) => b" ",
                // At a value without field name.
                (EncodeMode::LineStart, [0x80..=0xFF, ..]) => {
                    now.context = AddressContext::new(FieldKind::Value);
                    now.has_begun = true;
                    b""
                }
                _ => break,
            };
            let ahead = Lookahead::new(call.ahead.str(read, text.len()), call.ahead.end);
            let mut next = EncodeCall { ahead, out: &mut call.out[written..], now };
            let Some(HeaderStep::Advanced { read: more, written: out }) =
                self.short_word(&mut next, lead, lead.len())
            else {
                break;
            };
            call.now = next.now;
            read += more;
            written += out;
        }
        Some(HeaderStep::Advanced { read, written })
    }

    /// Writes an encoded-word, and the plain token and the line end after it if they fit.
    fn short_word(
        &mut self,
        call: &mut EncodeCall<'_>,
        whitespace: &[u8],
        width: usize,
    ) -> Option<HeaderStep> {
        let run = self.find_short_run(&call.ahead, width, call.now.context)?;
        let end = width + run.len;
        let text = call.ahead.str(width, end);
        let context = AddressContext { after_at: false, ..call.now.context };
        let suffix = suffix(&call.ahead, end, context)?;
        let line = call.now.line.with_whitespace(whitespace.len());
        let mut lead = Lead { fold: false, whitespace };
        let word = self.whole_word(text)?;
        if !word.fits(line.space(), suffix) {
            lead = Lead { fold: true, whitespace: fold_indent(whitespace, context) };
            let new_line = EncodedLine::default().with_whitespace(lead.whitespace.len());
            let can_fold = may_fold(call.now) && !lead.whitespace.is_empty();
            let prefers_part = has_space_for_part(line, word.overhead());
            if !can_fold || prefers_part || !word.fits(new_line.space(), suffix) {
                return None;
            }
        }
        let Some(start) = call.put_lead(lead, word.columns) else {
            return Some(HeaderStep::OutputFull);
        };
        let (mut read, mut written) = (end, start + word.columns);
        word.write(&mut call.out[start..written]);
        let EncodeCall { now, out, ahead } = call;
        (now.mode, now.last) = (EncodeMode::EncodedRun, LastOutput::Word);
        (now.line, now.context) = (now.line.with_word(word.columns), context);
        now.utf8 = word.is_fallback;
        if run.plain > 0 {
            // Otherwise the line is folded.
            let fits = now.line.with_whitespace(1).fits(run.plain - 1);
            let (Some(out), true) = (out.get_mut(written..written + run.plain), fits) else {
                return Some(HeaderStep::Advanced { read, written });
            };
            out.copy_from_slice(&ahead.bytes()[read..read + run.plain]);
            (now.mode, now.last) = (EncodeMode::BetweenTokens, LastOutput::Plain);
            now.line = now.line.with(run.plain, LineContent::Text);
            read += run.plain;
            written += run.plain;
        }
        if let Some(out @ [_, ..]) = out.get_mut(written..written + run.line_end) {
            now.line_ending =
                if run.line_end > 1 { EncodedLineEnding::CrLf } else { EncodedLineEnding::Lf };
            out.copy_from_slice(now.line_ending.bytes());
            (now.mode, now.last) = (EncodeMode::LineStart, LastOutput::Nothing);
            now.line = EncodedLine::default();
            read += run.line_end;
            written += run.line_end;
        }
        Some(HeaderStep::Advanced { read, written })
    }

    /// Whether the run at a position is short and fits on the line there.
    pub(super) fn fits_short_word(
        &mut self,
        ahead: &Lookahead<'_>,
        at: usize,
        context: AddressContext,
        line: EncodedLine,
    ) -> bool {
        let mut find = || {
            let run = self.find_short_run(ahead, at, context)?;
            let end = at + run.len;
            let suffix = suffix(ahead, end, AddressContext { after_at: false, ..context })?;
            Some(self.whole_word(ahead.str(at, end))?.fits(line.space(), suffix))
        };
        find().unwrap_or_default()
    }

    fn find_short_run(
        &self,
        ahead: &Lookahead<'_>,
        at: usize,
        context: AddressContext,
    ) -> Option<ShortRun> {
        #[cfg(test)]
        if self.is_reference {
            return None;
        }
        let max = if self.words.requested.is_utf8() { MAX_UTF8 } else { MAX_LEN };
        ShortRun::find(ahead, at, context, max)
    }

    /// Returns the encoded-word of a whole run, if there is one.
    #[inline]
    fn whole_word<'a>(&'a mut self, text: &'a str) -> Option<WholeWord<'a>> {
        match self.words.requested.whole_word(text)? {
            Ok(word) => Some(word),
            Err(NotInCharset) if self.strict => None,
            Err(NotInCharset) => {
                let mut word = self.words.utf8.whole_word(text)?.ok()?;
                word.is_fallback = true;
                Some(word)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rfc2047::RFC_2047;
    use charpipe_encoding::codec::{Checkpoint, EncodeStage, Progress, State, Status};
    use charpipe_encoding::conversion_error::Unmappable;
    use charpipe_encoding::encoding::EncodingOptions;
    use charpipe_test_support as testing;

    #[rustfmt::skip]
    const PIECES: [&str; 48] = [
        " ", " ", " ", " ", "é", "é", "é", "è ", " ü", "a", "b ", " c", "\n", "\n", "\r\n", "\n ",
        "\r\n\t", "\r", "\t", "  ", "word", "=", "=?", "日", "本語", "ж", "😀", "e\u{301}", "‘", "\0",
        "\u{7F}", "\u{85}", "Subject: ", "To: ", "Cc:", "(", ")", "<", ">", "@", ",", ";", "\"", "\\",
        "[", "]", "José Müller <jm@x>, ", "éééééééééééééééé",
    ];

    /// Encodes a text, with errors and the states after each call. The output space of a call is that of
    /// a long line.
    fn encode(
        encoder: &mut HeaderEncoder,
        text: &str,
        space: usize,
    ) -> (String, Vec<(usize, Unmappable)>, State) {
        encoder.restore_state(State::INITIAL);
        let (mut out, mut errors, mut dst, mut at) = (Vec::new(), Vec::new(), vec![0; space], 0);
        loop {
            let Progress { read, written, status } = encoder.encode(&text[at..], &mut dst, true);
            at += read;
            out.extend_from_slice(&dst[..written]);
            match status {
                Status::InputEmpty => break,
                Status::OutputFull => assert!(read + written > 0, "{text:?}"),
                Status::Error(error) => {
                    errors.push((at, error));
                    at += error.character.len_utf8();
                }
            }
        }
        (String::from_utf8(out).unwrap(), errors, encoder.save_state())
    }

    #[test]
    fn result_is_that_of_the_general_encoder() {
        let mut random = testing::random(4);
        for label in [
            "rfc2047",
            "rfc2047:encoding=b",
            "rfc2047:encoding=q",
            "rfc2047:iso-8859-1",
            "rfc2047:iso-8859-1,strict",
            "rfc2047:iso-2022-jp",
            "rfc2047:iso-2022-jp,encoding=q",
            "rfc2047:us-ascii",
            "rfc2047:utf-16",
            "rfc2047:utf-7",
            "rfc2047:big5-hkscs",
            "rfc2047:hz-gb-2312",
        ] {
            let words = label.split_once(':').map_or("", |(_, words)| words);
            let options = EncodingOptions::parse(words, RFC_2047.options).unwrap();
            let mut fast = HeaderEncoder::new(&options);
            let mut reference = HeaderEncoder::new(&options);
            reference.is_reference = true;
            for round in 0..if cfg!(miri) { 5 } else { 1000 } {
                let pieces = 2 + random.below(PIECES.len() - 2);
                let mut text = random.one(&["", "Subject: ", "To: ", "X:"]).to_string();
                for _ in 0..random.below(80) {
                    text.push_str(PIECES[random.below(pieces)]);
                }
                let space = [160, 163, 200, 1 << 16][round % 4];
                let found = encode(&mut fast, &text, space);
                assert_eq!(found, encode(&mut reference, &text, space), "{label} {text:?}");
            }
        }
    }

    #[test]
    fn runs_end_before_plain_tokens_and_syntax() {
        let run = |len, plain, line_end| Some(ShortRun { len, plain, line_end });
        for (kind, text, expected) in [
            (FieldKind::Value, "é\nb", run(2, 0, 1)),
            (FieldKind::Value, "é\r\nb", run(2, 0, 2)),
            (FieldKind::Value, "é\n b", None),
            (FieldKind::Value, "é\n", None),
            (FieldKind::Value, "é\rb", None),
            (FieldKind::Value, "é aè. c d", run(7, 2, 0)),
            (FieldKind::Value, "é è.\nc", run(6, 0, 1)),
            (FieldKind::Value, "é b c", run(2, 2, 0)),
            (FieldKind::Value, "é b  c", run(2, 0, 0)),
            (FieldKind::Value, "é b\nc", run(2, 2, 1)),
            (FieldKind::Value, "é b\n c", run(2, 0, 0)),
            (FieldKind::Value, "é  b", None),
            (FieldKind::Value, "é \n", None),
            (FieldKind::Value, "é a=? c", None),
            (FieldKind::Value, "é\tb", None),
            (FieldKind::AddressList, "é <a@x>", run(2, 0, 0)),
            (FieldKind::AddressList, "é, b", run(2, 0, 0)),
            (FieldKind::AddressList, "é b <", run(2, 0, 0)),
            (FieldKind::AddressList, "a é <", run(4, 0, 0)),
            (FieldKind::AddressList, "é\nb", run(2, 0, 1)),
            (FieldKind::AddressList, "é b\nc", run(2, 0, 0)),
            (FieldKind::AddressList, "é b è@x", run(2, 0, 0)),
            (FieldKind::AddressList, "é è@x", None),
            (FieldKind::AddressList, "é è @x", None),
            (FieldKind::AddressList, "é \"b\" <", None),
        ] {
            let ahead = Lookahead::new(text, false);
            let found = ShortRun::find(&ahead, 0, AddressContext::new(kind), MAX_LEN);
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
