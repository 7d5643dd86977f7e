//! Encoded-words: how much of a run each carries, and how it is written.
//!
//! A run is consecutive tokens that need encoding with the white space between them, without folds,
//! quotation marks and backslashes.

use unicode_segmentation::GraphemeCursor;

use super::lookahead::{Lexeme, Lookahead};
use crate::rfc2047::address_lexer::{AddressContext, PieceKind, Syntax, content_len};
use crate::rfc2047::transfer_encoding::TransferEncoding;
use charpipe_encoding::codec::{Decoder, Encoder, Progress, State, Status};
use charpipe_encoding::encoding::alias::{self, Alias, MIME};
use charpipe_encoding::encoding::{self, BomHandling, Encoding, EncodingOptions};

/// The length of an encoded-word, at most (RFC 2047, section 2).
pub const MAX_WORD: usize = 75;

/// Characters of an encoded-word between the prefix and the text, and after that: `Q?` and `?=`.
const DELIMITERS: usize = 4;

/// An encoded-word carries fewer bytes than this; so does a character with all bytes that a charset
/// puts around it.
const MAX_BYTES: usize = 128;

/// Bytes of text that are read for an encoded-word in UTF-8, which carries up to 63.
const UTF8_LOOKAHEAD: usize = 72;

/// Encodes encoded-words in one charset.
pub struct WordEncoder {
    /// What an encoded-word begins with: `=?`, the charset and `?`.
    prefix: Vec<u8>,
    /// `None` for UTF-8.
    encoder: Option<Box<dyn Encoder>>,
    /// The charset that mail programs read the name as, if that is another: ISO-8859-1 is read as
    /// windows-1252, which has punctuation where ISO-8859-1 has control characters.
    reader: Option<Box<dyn Decoder>>,
    /// Whether each of [`ENCODINGS`] may be used.
    uses: [bool; 2],
    /// The lengths of encoded-words of the first characters of a run.
    ends: Vec<Columns>,
    /// The bytes of all of a run.
    bytes: [u8; MAX_BYTES],
}

/// What an encoded-word carries.
#[derive(Debug, Clone, Copy)]
pub struct WordCut {
    /// Characters of the run.
    pub count: usize,
    pub encoding: TransferEncoding,
    /// The length of the encoded-word.
    pub columns: usize,
    /// Whether it carries all of the run.
    pub is_whole: bool,
    /// Whether the next character of the run is not in the charset.
    pub before_unmappable: bool,
}

/// The length of characters in Q and in B. The first is taken if both are the same.
type Columns = [usize; 2];
const ENCODINGS: [TransferEncoding; 2] = [TransferEncoding::Q, TransferEncoding::B];

/// The length where a run cannot be cut, or in a transfer encoding that is not used.
const NEVER: usize = usize::MAX;

impl WordEncoder {
    /// Creates an encoder for a charset, or for UTF-8 if there is none.
    pub fn new(
        charset: Option<&'static Encoding>,
        encodings: &'static [TransferEncoding],
    ) -> WordEncoder {
        let charset = charset.filter(|charset| !encoding::is_utf8(charset)).map(without_bom);
        let name = charset.map_or("UTF-8", mime_name);
        let mut encoder = charset.map(|charset| charset.encoder(&EncodingOptions::default()));
        let is_ascii = encoder.as_mut().is_none_or(|encoder| {
            let mut bytes = [0; MAX_BYTES];
            let written = encoder.encode("A", &mut bytes, true).written;
            bytes[..written] == *b"A"
        });
        // Q is for text that is readable as ASCII; bytes of UTF-16 are not.
        let encodings = if is_ascii { encodings } else { &[TransferEncoding::B] };
        let read_as =
            encoding::for_mime_label(name).filter(|read| charset.is_some_and(|own| own != *read));
        let reader = read_as.map(|charset| charset.decoder(&EncodingOptions::default()));
        WordEncoder {
            prefix: format!("=?{name}?").into_bytes(),
            encoder,
            reader,
            uses: ENCODINGS.map(|encoding| encodings.contains(&encoding)),
            ends: Vec::with_capacity(MAX_CHARS + 1),
            bytes: [0; MAX_BYTES],
        }
    }

    pub fn is_utf8(&self) -> bool {
        self.encoder.is_none()
    }

    /// Returns how many bytes of text to read for an encoded-word.
    pub fn lookahead(&self) -> usize {
        if self.is_utf8() { UTF8_LOOKAHEAD } else { usize::MAX }
    }

    /// Returns the length of an encoded-word without text.
    pub fn overhead(&self) -> usize {
        self.prefix.len() + DELIMITERS
    }

    /// Cuts as much of a run as fits into `space` characters, but all that is left of it only if
    /// `suffix` more characters fit after the encoded-word. A grapheme cluster is divided only if it
    /// does not fit into the longest encoded-word; if it does not fit into a shorter `space`, the cut is
    /// empty.
    pub fn cut(&mut self, run: &EncodedRun, space: usize, suffix: usize) -> WordCut {
        let space = space.min(MAX_WORD + suffix);
        let text = space.min(MAX_WORD).saturating_sub(self.overhead());
        let last = space.saturating_sub(suffix + self.overhead()).min(text);
        let mut most = 0;
        let unmappable = self.measure(run, |count, columns| {
            let limit = if run.is_ended && count == run.len() { last } else { text };
            let shortest = columns[0].min(columns[1]);
            if shortest <= limit {
                most = count;
            }
            shortest <= text
        });
        let is_whole = run.is_ended && most == run.len();
        let before_unmappable = unmappable == Some(most);
        let is_end = is_whole || before_unmappable;
        let count = match last_boundary(run, most, &self.ends) {
            _ if is_end => most,
            Some(count) => count,
            // The cluster is longer than any encoded-word.
            None if text == MAX_WORD - self.overhead() => most,
            // It may fit on a line of its own.
            None => 0,
        };
        let ends = self.ends[count];
        let index = usize::from(ends[1] < ends[0]);
        let columns = match ends[index] {
            NEVER => 0,
            columns => columns + self.overhead(),
        };
        WordCut { count, encoding: ENCODINGS[index], columns, is_whole, before_unmappable }
    }

    /// Determines where an encoded-word of the first characters of a run may end, and passes the numbers
    /// of characters and its lengths in each transfer encoding, until `visit` returns `false`. Returns the
    /// number of characters before the first that is not in the charset.
    fn measure(
        &mut self,
        run: &EncodedRun,
        mut visit: impl FnMut(usize, Columns) -> bool,
    ) -> Option<usize> {
        self.reset();
        self.ends.clear();
        self.ends.push([NEVER; 2]);
        let (mut count, mut len, mut quoted) = (0, 0, 0);
        while count < run.len() {
            let (mut buffer, mut flush) = ([0; MAX_BYTES], 0..0);
            let bytes = if self.encoder.is_none() {
                count += 1;
                run.character(count - 1).as_bytes()
            } else {
                let Some((next, len)) = self.advance(run, count, &mut buffer) else {
                    return Some(count);
                };
                count = next;
                flush = len..len + self.flush_preview(&mut buffer[len..]);
                &buffer[..len]
            };
            len += bytes.len();
            quoted += match bytes {
                [0x80..=0xFF, ..] if self.encoder.is_none() => 3 * bytes.len(),
                bytes => TransferEncoding::Q.encoded_len(bytes),
            };
            let quoted_flush = TransferEncoding::Q.encoded_len(&buffer[flush.clone()]);
            let columns = self.columns(len + flush.len(), quoted + quoted_flush);
            self.ends.resize(count, [NEVER; 2]);
            self.ends.push(columns);
            if !visit(count, columns) {
                break;
            }
        }
        None
    }

    /// Whether the charset has all characters of a run. The text before it is that of the last
    /// call, unless this is the `first`.
    pub fn has(&mut self, run: &EncodedRun, first: bool) -> bool {
        if self.is_utf8() {
            return true;
        }
        if first {
            self.reset();
        }
        let mut count = 0;
        while count < run.len() {
            match self.advance(run, count, &mut [0; MAX_BYTES]) {
                Some((next, _)) => count = next,
                None => return false,
            }
        }
        true
    }

    /// Writes an encoded-word to the start of `out`, and returns its length.
    pub fn write(&mut self, run: &EncodedRun, cut: &WordCut, out: &mut [u8]) -> usize {
        let text = &run.text[..run.offset(cut.count)];
        let mut buffer = [0; MAX_BYTES];
        let bytes = match &mut self.encoder {
            None => text.as_bytes(),
            Some(encoder) => {
                encoder.restore_state(State::INITIAL);
                let Progress { written, .. } = encoder.encode(text, &mut buffer, true);
                &buffer[..written]
            }
        };
        write_word(&self.prefix, cut.encoding, bytes, out)
    }

    /// Encodes all of a run, if one encoded-word can carry it and its end needs no bytes of its own. The
    /// result is that of [`cut`](WordEncoder::cut).
    #[inline]
    pub fn whole_word<'a>(&'a mut self, text: &'a str) -> Option<WholeWord<'a>> {
        let limit = MAX_WORD - self.overhead();
        let bytes = match self.is_utf8() {
            // Each byte takes a column in Q, and each that continues a character two more.
            true if text.len() > limit / 4 * 3
                && 3 * text.len() - 2 * text.chars().count() > limit =>
            {
                return None;
            }
            true => text.as_bytes(),
            false => {
                let len = self.encode_whole(text)?;
                &self.bytes[..len]
            }
        };
        let columns = self.columns(bytes.len(), TransferEncoding::Q.encoded_len(bytes));
        let encoding = usize::from(columns[1] < columns[0]);
        (columns[encoding] <= limit).then(|| WholeWord {
            columns: columns[encoding] + self.overhead(),
            encoding: ENCODINGS[encoding],
            bytes,
            prefix: &self.prefix,
        })
    }

    /// Encodes a text to `bytes`. Returns their number if the charset has all of it and the encoder is in
    /// its first state after it.
    fn encode_whole(&mut self, text: &str) -> Option<usize> {
        self.reset();
        let encoder = self.encoder.as_mut()?;
        let Progress { read, written, status } = encoder.encode(text, &mut self.bytes, false);
        let is_whole = status == Status::InputEmpty
            && read == text.len()
            && encoder.save_state() == State::INITIAL;
        let is_read_back = self.reader.as_mut().is_none_or(|reader| {
            let mut buffer = [0; 2 * MAX_BYTES];
            let back = reader.decode(&self.bytes[..written], &mut buffer, false);
            back.read == written && buffer[..back.written] == *text.as_bytes()
        });
        (is_whole && is_read_back).then_some(written)
    }

    /// Returns the columns that `len` bytes take, which take `quoted` in Q.
    fn columns(&self, len: usize, quoted: usize) -> Columns {
        [
            if self.uses[0] { quoted } else { NEVER },
            if self.uses[1] { len.div_ceil(3) * 4 } else { NEVER },
        ]
    }

    /// Begins an encoded-word.
    fn reset(&mut self) {
        if let Some(encoder) = &mut self.encoder {
            encoder.restore_state(State::INITIAL);
        }
        if let Some(reader) = &mut self.reader {
            reader.restore_state(State::INITIAL);
        }
    }

    /// Encodes the character at index `count`, with those after it without which the encoder cannot
    /// decide. Returns the number of characters before the next one, and the number of bytes; `None` if
    /// the charset does not have it.
    fn advance(
        &mut self,
        run: &EncodedRun,
        count: usize,
        buffer: &mut [u8],
    ) -> Option<(usize, usize)> {
        let (next, len) = encode_char(&mut **self.encoder.as_mut()?, run, count, buffer)?;
        if let Some(reader) = &mut self.reader {
            let mut text = [0; 2 * MAX_BYTES];
            let Progress { read, written, .. } = reader.decode(&buffer[..len], &mut text, false);
            let encoded = &run.text.as_bytes()[run.offset(count)..run.offset(next)];
            if read != len || *encoded != text[..written] {
                return None;
            }
        }
        Some((next, len))
    }

    /// Returns the number of bytes that the encoder would write if the encoded-word ended here.
    fn flush_preview(&mut self, buffer: &mut [u8]) -> usize {
        let Some(encoder) = &mut self.encoder else { return 0 };
        let state = encoder.save_state();
        if state == State::INITIAL {
            return 0;
        }
        let Progress { written, .. } = encoder.encode("", buffer, true);
        encoder.restore_state(state);
        written
    }
}

/// An encoded-word that carries all of a run.
pub struct WholeWord<'a> {
    /// Its length.
    pub columns: usize,
    encoding: TransferEncoding,
    bytes: &'a [u8],
    prefix: &'a [u8],
}

impl WholeWord<'_> {
    /// Returns its length without text.
    pub fn overhead(&self) -> usize {
        self.prefix.len() + DELIMITERS
    }

    /// Whether it fits into `space` columns with `suffix` characters after it.
    pub fn fits(&self, space: usize, suffix: usize) -> bool {
        self.columns + suffix <= space
    }

    /// Writes it to the start of `out`.
    pub fn write(&self, out: &mut [u8]) {
        write_word(self.prefix, self.encoding, self.bytes, out);
    }
}

/// Writes an encoded-word to the start of `out`, and returns its length.
fn write_word(prefix: &[u8], encoding: TransferEncoding, bytes: &[u8], out: &mut [u8]) -> usize {
    let mut len = prefix.len();
    out[..len].copy_from_slice(prefix);
    out[len..len + 2].copy_from_slice(&[encoding.letter(), b'?']);
    len += 2;
    len += encoding.encode(bytes, &mut out[len..]);
    out[len..len + 2].copy_from_slice(b"?=");
    len + 2
}

/// See [`WordEncoder::advance`].
fn encode_char(
    encoder: &mut dyn Encoder,
    run: &EncodedRun,
    count: usize,
    buffer: &mut [u8],
) -> Option<(usize, usize)> {
    let from = run.offset(count);
    let state = encoder.save_state();
    for next in count + 1..=run.len() {
        let piece = &run.text[from..run.offset(next)];
        let Progress { read, written, status } = encoder.encode(piece, buffer, false);
        if matches!(status, Status::Error(_)) && read == 0 {
            return None;
        }
        if let Some(done) = (count + 1..=next).find(|done| run.offset(*done) == from + read) {
            return Some((done, written));
        }
        encoder.restore_state(state);
    }
    // No more characters were read: the encoder decides as if nothing followed.
    let rest = &run.text[from..];
    let Progress { read, written, .. } = encoder.encode(rest, buffer, true);
    (read == rest.len()).then_some((run.len(), written))
}

/// Returns the name of a charset in mail: the one that IANA prefers there, if it has the charset.
fn mime_name(charset: &Encoding) -> &'static str {
    let preferred = |known: &Alias| known.encoding == charset.name() && known.sources & MIME != 0;
    alias::all().find(preferred).map_or(charset.name(), |known| known.name)
}

/// Returns a big-endian charset without byte order mark for one with it. Readers join the bytes of
/// adjacent encoded-words, where U+FEFF is a character, and read bytes without it as big-endian.
fn without_bom(charset: &'static Encoding) -> &'static Encoding {
    match charset.bom_handling {
        BomHandling::DetectAndWrite | BomHandling::Detect => {
            encoding::for_label(&format!("{}BE", charset.name())).unwrap_or(charset)
        }
        _ => charset,
    }
}

/// Returns the last position up to `most` where a cut divides no grapheme cluster (UAX #29), if there is
/// one. A reader that joins the bytes of encoded-words would display a divided cluster correctly anyway,
/// but one that displays each by itself would not.
fn last_boundary(run: &EncodedRun, most: usize, ends: &[Columns]) -> Option<usize> {
    let is_boundary = |count: usize| {
        let mut cursor = GraphemeCursor::new(run.offset(count), run.text.len(), true);
        // The text is complete, so there is a result.
        cursor.is_boundary(&run.text, 0).unwrap_or(true)
    };
    let is_good = |count: &usize| ends[*count] != [NEVER; 2] && is_boundary(*count);
    (1..=most).rev().find(is_good)
}

/// The number of characters that are read for an encoded-word: more than any one carries.
pub const MAX_CHARS: usize = 72;

/// The start of a run, as far as an encoded-word may need it.
#[derive(Debug, Default)]
pub struct EncodedRun {
    /// The content of all characters.
    pub text: String,
    chars: Vec<RunChar>,
    /// Bytes of input before the first character.
    lead: usize,
    /// Whether the run ends after the last character.
    pub is_ended: bool,
    /// The position directly after it, and the context there.
    pub after: (usize, AddressContext),
}

/// One character of a run, or a quoted pair.
#[derive(Debug, Clone, Copy)]
struct RunChar {
    /// The index of its end in the input, with hidden bytes after it.
    source: usize,
    /// The index of its end in the text.
    text: usize,
    /// Whether a quoted-string is open after it.
    quoted: bool,
}

/// Where a run is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStart {
    /// Within a token of the run, or at its end.
    Token,
    /// At white space before a token, or at its start.
    Whitespace,
}

impl EncodedRun {
    pub fn new() -> EncodedRun {
        let (text, chars) = (String::with_capacity(4 * MAX_CHARS), Vec::with_capacity(MAX_CHARS));
        EncodedRun { text, chars, ..EncodedRun::default() }
    }

    fn clear(&mut self, at: usize, context: AddressContext) {
        self.text.clear();
        self.chars.clear();
        self.lead = at;
        (self.is_ended, self.after) = (false, (at, context));
    }

    /// Reads a run from a position of the text, until it has `limit` bytes or [`MAX_CHARS`] characters.
    pub fn read(
        &mut self,
        ahead: &Lookahead<'_>,
        mut at: usize,
        mut context: AddressContext,
        start: RunStart,
        limit: usize,
    ) -> Option<()> {
        self.clear(at, context);
        let mut in_token = start == RunStart::Token;
        // Whether white space and a character that is not ASCII are part of the run, whatever follows.
        let is_text = matches!(context.syntax(), Syntax::Text | Syntax::Comment);
        while self.chars.len() < MAX_CHARS && self.text.len() < limit {
            let content = self.push_content(ahead, at, limit, context, in_token, is_text);
            if content > at {
                (at, in_token, context.after_at) = (content, true, false);
                continue;
            }
            if !in_token {
                let Some(fws) = context.fws_in_run(ahead, at)? else {
                    (self.is_ended, self.after) = (true, (at, context));
                    break;
                };
                self.push_whitespace(ahead, at, fws.end, context)?;
                (at, in_token) = (fws.end, true);
                continue;
            }
            let piece = context.piece(ahead, at)?;
            context = context.after_piece(piece);
            at += piece.len;
            match piece.kind {
                PieceKind::Content(hidden) => {
                    self.push(ahead, at - piece.len + hidden, at, context);
                }
                PieceKind::Quote | PieceKind::Fold => self.hide(at, context),
                PieceKind::End if ahead.lexeme(at)? == Lexeme::Other => {
                    // Special characters end a run.
                    (self.is_ended, self.after) = (true, (at, context));
                    break;
                }
                PieceKind::End => in_token = false,
            }
        }
        Some(())
    }

    /// Reads only the white space at the start, up to `end`.
    pub fn read_whitespace(
        &mut self,
        ahead: &Lookahead<'_>,
        context: AddressContext,
        end: usize,
    ) -> Option<()> {
        self.clear(0, context);
        self.push_whitespace(ahead, 0, end, context)
    }

    fn push_whitespace(
        &mut self,
        ahead: &Lookahead<'_>,
        mut at: usize,
        end: usize,
        context: AddressContext,
    ) -> Option<()> {
        while at < end {
            if let Lexeme::Fold(len) = ahead.lexeme(at)? {
                at += len;
                self.hide(at, context);
            } else {
                at += 1;
                self.push(ahead, at - 1, at, context);
            }
        }
        Some(())
    }

    /// Adds characters that are content in any syntax: those within a token, and, if `is_text`, blanks
    /// before characters that are not ASCII. Returns the position after them.
    fn push_content(
        &mut self,
        ahead: &Lookahead<'_>,
        from: usize,
        limit: usize,
        context: AddressContext,
        mut in_token: bool,
        is_text: bool,
    ) -> usize {
        let (bytes, quoted, before) = (ahead.bytes(), context.quoted, self.text.len());
        let (is_text, mut at) = (is_text && !quoted, from);
        while self.chars.len() < MAX_CHARS && before + (at - from) < limit {
            let len = match bytes.get(at..) {
                Some([b' ', 0x80..=0xFF, ..]) if is_text => 1,
                Some([byte, ..]) if in_token => match content_len(*byte) {
                    Some(len) => len,
                    None => break,
                },
                _ => break,
            };
            at += len;
            in_token = true;
            self.chars.push(RunChar { source: at, text: before + (at - from), quoted });
        }
        if at > from {
            self.text.push_str(ahead.str(from, at));
        }
        at
    }

    /// Adds a character, unless there are enough.
    fn push(&mut self, ahead: &Lookahead<'_>, from: usize, to: usize, context: AddressContext) {
        if self.chars.len() < MAX_CHARS {
            match ahead.character(from) {
                Some(character) if from + character.len_utf8() == to => self.text.push(character),
                _ => self.text.push_str(ahead.str(from, to)),
            }
            let (text, quoted) = (self.text.len(), context.quoted);
            self.chars.push(RunChar { source: to, text, quoted });
        }
    }

    /// Adds bytes that are not content to the character before them.
    fn hide(&mut self, source: usize, context: AddressContext) {
        let is_full = self.chars.len() == MAX_CHARS;
        match self.chars.last_mut() {
            None => self.lead = source,
            Some(last) if !is_full => (last.source, last.quoted) = (source, context.quoted),
            Some(_) => {}
        }
    }

    pub fn len(&self) -> usize {
        self.chars.len()
    }

    /// Returns the index in the text after the first `count` characters.
    pub fn offset(&self, count: usize) -> usize {
        count.checked_sub(1).map_or(0, |last| self.chars[last].text)
    }

    /// Returns the character at index `count`.
    fn character(&self, count: usize) -> &str {
        &self.text[self.offset(count)..self.offset(count + 1)]
    }

    /// Returns the number of bytes of input of the first `count` characters, and the context after
    /// them.
    pub fn source(&self, count: usize) -> (usize, AddressContext) {
        match count.checked_sub(1) {
            None => (self.lead, self.after.1),
            Some(last) => {
                let RunChar { source, quoted, .. } = self.chars[last];
                let context = AddressContext { quoted, after_at: false, ..self.after.1 };
                (source, context)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rfc2047::field::FieldKind;

    fn run_of(text: &str) -> EncodedRun {
        let mut run = EncodedRun::new();
        let context = AddressContext::new(FieldKind::Unstructured);
        run.read(&Lookahead::new(text, true), 0, context, RunStart::Token, usize::MAX).unwrap();
        run
    }

    #[test]
    fn grapheme_clusters_are_not_divided() {
        // Rows of GraphemeBreakTest.txt and clusters of UAX #29, table 1a and rules GB6 to GB13.
        for (text, boundaries) in [
            ("e\u{301}e", &[2, 3][..]),
            ("\u{2764}\u{FE0F}a", &[2, 3]),
            ("\u{1F44D}\u{1F3FD}a", &[2, 3]),
            ("\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}a", &[5, 6]),
            ("\u{304B}\u{3099}a", &[2, 3]),
            ("\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}a", &[2, 4, 5]),
            // क्षि: a conjunct of Devanagari with a spacing mark.
            ("\u{915}\u{94D}\u{937}\u{93F}\u{915}", &[4, 5]),
            ("\u{1112}\u{1161}\u{11AB}\u{1100}", &[3, 4]),
            ("ab中文", &[1, 2, 3, 4]),
        ] {
            let run = run_of(text);
            let ends = vec![[0; 2]; run.len() + 1];
            let found: Vec<_> = (1..=run.len())
                .filter(|count| last_boundary(&run, *count, &ends) == Some(*count))
                .collect();
            assert_eq!(found, boundaries, "{text:?}");
        }
    }

    #[test]
    fn cluster_moves_to_the_next_word_or_is_divided_if_too_long() {
        let mut words = WordEncoder::new(None, &ENCODINGS);
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}";
        let run = run_of(&family.repeat(3));
        assert_eq!(words.cut(&run, MAX_WORD, 0).count, 7);
        assert_eq!(words.cut(&run, 40, 0).count, 0);
        let run = run_of(&format!("ab{}", "\u{301}".repeat(60)));
        assert_eq!(words.cut(&run, MAX_WORD, 0).count, 1);
        let run = run_of(&format!("b{}", "\u{301}".repeat(60)));
        let cut = words.cut(&run, MAX_WORD, 0);
        assert_eq!((cut.count, cut.columns), (23, 72));
    }
}
