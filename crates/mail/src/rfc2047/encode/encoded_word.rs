//! Encoded-words: how much of a run each carries, and how it is written.
//!
//! A run is consecutive tokens that need encoding with the white space between them, without folds,
//! quotation marks and backslashes.

use unicode_segmentation::GraphemeCursor;

use super::lookahead::{Lexeme, Lookahead};
use crate::rfc2047::address_lexer::{AddressContext, PieceKind, Syntax, content_len};
use crate::rfc2047::transfer_encoding::TransferEncoding;
use charpipe_encoding::codec::{DecodeStage, EncodeStage, Progress, State, Status};
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
    encoder: Option<Box<dyn EncodeStage>>,
    /// The charset that mail programs read the name as, if that is another: ISO-8859-1 is read as
    /// windows-1252, which has punctuation where ISO-8859-1 has control characters.
    reader: Option<Box<dyn DecodeStage>>,
    /// Whether each of [`ENCODINGS`] may be used.
    uses: [bool; 2],
    /// The states of the encoder and the reader at the next character.
    states: [State; 2],
    /// Whether they are in these states.
    is_restored: bool,
    /// Characters that were encoded before; empty for UTF-8.
    cache: Vec<CachedChar>,
    /// The bytes of the first characters of a run, except in UTF-8.
    bytes: Vec<u8>,
    /// The ends of encoded-words of the first characters of a run.
    ends: Vec<WordEnd>,
    /// The run that `bytes` and `ends` are of, or 0.
    run: u64,
}

/// The end of an encoded-word.
#[derive(Debug, Clone, Copy)]
struct WordEnd {
    columns: Columns,
    /// The number of bytes before `flush`.
    len: usize,
    flush: WordBytes,
}

impl WordEnd {
    /// An end where a run cannot be cut.
    const NEVER: WordEnd = WordEnd { columns: [NEVER; 2], len: 0, flush: WordBytes::EMPTY };
}

/// What a character adds to an encoded-word, in certain states of the encoder and the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct CachedChar {
    /// The UTF-8 of the character, which is never zero.
    character: u32,
    /// Whether the charset has the character. Otherwise nothing follows from the rest.
    is_mapped: bool,
    before: [State; 2],
    after: [State; 2],
    bytes: WordBytes,
    /// What the encoder would add if the encoded-word ended after it.
    flush: WordBytes,
}

/// A few bytes, and the number of characters that they take in Q.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WordBytes {
    bytes: [u8; MAX_SHORT_LEN],
    /// The number of bytes. If they are more than [`MAX_SHORT_LEN`], they are not kept.
    len: u16,
    quoted: u16,
}

/// The maximum number of bytes that are cached for a character.
const MAX_SHORT_LEN: usize = 12;

impl WordBytes {
    const EMPTY: WordBytes = WordBytes { bytes: [0; MAX_SHORT_LEN], len: 0, quoted: 0 };

    /// Returns a copy of at most [`MAX_BYTES`] bytes.
    fn of(all: &[u8]) -> WordBytes {
        let mut bytes = [0; MAX_SHORT_LEN];
        if let Some(start) = bytes.get_mut(..all.len()) {
            start.copy_from_slice(all);
        }
        let quoted = TransferEncoding::Q.encoded_len(all) as u16;
        WordBytes { bytes, len: all.len() as u16, quoted }
    }

    /// Returns the bytes, or `None` if they are too many.
    fn get(&self) -> Option<&[u8]> {
        self.bytes.get(..usize::from(self.len))
    }
}

/// The number of cached characters, and of those with the same hash.
const CACHE_LEN: usize = 256;
const CACHE_WAYS: usize = 4;

/// What an encoded-word carries.
#[derive(Debug, Clone, Copy)]
pub struct WordCut {
    /// Characters of the run.
    pub count: usize,
    /// Characters that would fit if grapheme clusters could be divided.
    most: usize,
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
        let cache_len = if encoder.is_some() { CACHE_LEN } else { 0 };
        WordEncoder {
            prefix: format!("=?{name}?").into_bytes(),
            encoder,
            reader,
            uses: ENCODINGS.map(|encoding| encodings.contains(&encoding)),
            states: [State::INITIAL; 2],
            is_restored: false,
            cache: vec![CachedChar::default(); cache_len],
            bytes: Vec::with_capacity(4 * MAX_BYTES),
            ends: Vec::with_capacity(MAX_CHARS + 1),
            run: 0,
        }
    }

    pub fn is_utf8(&self) -> bool {
        self.encoder.is_none()
    }

    /// Returns how many characters to read for the next encoded-word if it carries as many as the last one.
    pub fn expected_chars(&self, cut: &WordCut) -> usize {
        match self.is_utf8() {
            true => cut.most + UTF8_SPARE_CHARS,
            false => cut.count + 2 * MAX_ENCODER_LOOKAHEAD,
        }
    }

    /// Returns whether more characters of the run cannot change a cut.
    pub fn decides(&self, run: &EncodedRun, cut: &WordCut) -> bool {
        let is_limited = run.len() == run.max_chars && run.max_chars < MAX_CHARS;
        run.is_ended
            || !is_limited
            || match self.is_utf8() {
                // The next character does not fit, and it is known whether it belongs to a cluster.
                true => cut.most < run.len(),
                false => cut.count + MAX_ENCODER_LOOKAHEAD <= run.len(),
            }
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
        let ends = self.ends[count].columns;
        let index = usize::from(ends[1] < ends[0]);
        let columns = match ends[index] {
            NEVER => 0,
            columns => columns + self.overhead(),
        };
        WordCut { count, most, encoding: ENCODINGS[index], columns, is_whole, before_unmappable }
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
        self.run = run.number;
        self.ends.clear();
        self.ends.push(WordEnd::NEVER);
        let (mut count, mut len, mut quoted) = (0, 0, 0);
        while count < run.len() {
            let mut flush = WordBytes::EMPTY;
            if self.encoder.is_none() {
                let character = &run.text.as_bytes()[len..run.offset(count + 1)];
                count += 1;
                len += character.len();
                quoted += match character {
                    [0x80..=0xFF, ..] => 3 * character.len(),
                    ascii => TransferEncoding::Q.encoded_len(ascii),
                };
            } else {
                let Some(advance) = self.advance(run, count) else { return Some(count) };
                (count, flush) = (advance.next, advance.flush);
                len = self.bytes.len();
                quoted += advance.quoted;
            }
            let columns =
                self.columns(len + usize::from(flush.len), quoted + usize::from(flush.quoted));
            if self.ends.len() < count {
                self.ends.resize(count, WordEnd::NEVER);
            }
            self.ends.push(WordEnd { columns, len, flush });
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
        self.run = 0;
        let mut count = 0;
        while count < run.len() {
            self.bytes.clear();
            match self.advance(run, count) {
                Some(advance) => count = advance.next,
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
                let end = self.ends.get(cut.count).filter(|_| self.run == run.number);
                let known = end.and_then(|end| copy_word(&self.bytes, end, &mut buffer));
                let len = known.unwrap_or_else(|| {
                    encoder.restore_state(State::INITIAL);
                    encoder.encode(text, &mut buffer, true).written
                });
                &buffer[..len]
            }
        };
        write_word(&self.prefix, cut.encoding, bytes, out)
    }

    /// Encodes all of a run, if one encoded-word can carry it and all its characters are in the cache.
    /// The result is that of [`cut`](WordEncoder::cut).
    #[inline]
    pub fn whole_word<'a>(
        &'a mut self,
        text: &'a str,
    ) -> Option<Result<WholeWord<'a>, NotInCharset>> {
        let (columns, most) = match self.is_utf8() {
            true => {
                let columns = self.utf8_columns(text)?;
                (columns, columns[0].min(columns[1]))
            }
            false => match self.encode_cached(text)? {
                Ok(columns) => columns,
                Err(error) => return Some(Err(error)),
            },
        };
        let encoding = usize::from(columns[1] < columns[0]);
        Some(Ok(WholeWord {
            columns: columns[encoding] + self.overhead(),
            max_columns: most + self.overhead(),
            is_fallback: false,
            encoding: ENCODINGS[encoding],
            bytes: if self.is_utf8() { text.as_bytes() } else { &self.bytes },
            prefix: &self.prefix,
        }))
    }

    /// Returns the columns of the text of a run in UTF-8, if one encoded-word can carry it.
    fn utf8_columns(&self, text: &str) -> Option<Columns> {
        let limit = MAX_WORD - self.overhead();
        // Each byte takes a column in Q, and each that continues a character two more.
        let min_quoted = || 3 * text.len() - 2 * text.chars().count();
        if text.len() > limit / 4 * 3 && min_quoted() > limit {
            return None;
        }
        let columns = self.columns(text.len(), TransferEncoding::Q.encoded_len(text.as_bytes()));
        (columns[0].min(columns[1]) <= limit).then_some(columns)
    }

    /// Encodes the text of a run to `bytes`, if one encoded-word can carry it and all its characters
    /// are in the cache. Returns its columns, and the most that it takes if it ends after any of its
    /// characters: the bytes that end it may be many.
    fn encode_cached(&mut self, text: &str) -> Option<Result<(Columns, usize), NotInCharset>> {
        self.reset();
        self.run = 0;
        let limit = MAX_WORD - self.overhead();
        let (mut columns, mut most, mut quoted) = ([NEVER; 2], 0, 0);
        let mut flush = WordBytes::EMPTY;
        for character in text.chars() {
            let mut key = [0; 4];
            character.encode_utf8(&mut key);
            let advance = match self.advance_cached(u32::from_le_bytes(key), 0)? {
                Ok(advance) => advance,
                Err(error) => return Some(Err(error)),
            };
            quoted += advance.quoted;
            flush = advance.flush;
            let len = self.bytes.len() + usize::from(flush.len);
            columns = self.columns(len, quoted + usize::from(flush.quoted));
            most = most.max(columns[0].min(columns[1]));
            if most > limit {
                return None;
            }
        }
        self.bytes.extend_from_slice(flush.get()?);
        Some(Ok((columns, most)))
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
        (self.states, self.is_restored) = ([State::INITIAL; 2], false);
        self.bytes.clear();
    }

    /// Encodes the character at index `count`, with those after it without which the encoder cannot
    /// decide, and appends the bytes. Returns `None` if the charset does not have it.
    #[inline]
    fn advance(&mut self, run: &EncodedRun, count: usize) -> Option<Advance> {
        let character = run.character(count);
        let key = match *character.as_bytes() {
            [a] => u32::from(a),
            // A backslash and NUL, which would have the key of a backslash.
            [.., 0] => 0,
            [a, b] => u32::from_le_bytes([a, b, 0, 0]),
            [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        };
        match self.advance_cached(key, count) {
            None => self.advance_uncached(run, count, key),
            Some(cached) => cached.ok(),
        }
    }

    /// Does the same for a character that is in the cache. `key` is its UTF-8, or 0.
    #[inline]
    fn advance_cached(&mut self, key: u32, count: usize) -> Option<Result<Advance, NotInCharset>> {
        let index = self.cache_index(key);
        let cached =
            self.cache.get(index..index + CACHE_WAYS)?.iter().find(|cached| {
                cached.character == key && cached.before == self.states && key != 0
            })?;
        if !cached.is_mapped {
            return Some(Err(NotInCharset));
        }
        let CachedChar { after, bytes, flush, .. } = cached;
        (self.states, self.is_restored) = (*after, false);
        // A constant length is faster.
        let len = self.bytes.len() + usize::from(bytes.len);
        self.bytes.extend_from_slice(&bytes.bytes);
        self.bytes.truncate(len);
        Some(Ok(Advance { next: count + 1, quoted: bytes.quoted.into(), flush: *flush }))
    }

    /// Adds a character to the cache, in place of the oldest one with the same hash.
    fn cache(&mut self, index: usize, character: CachedChar) {
        if let Some(ways) = self.cache.get_mut(index..index + CACHE_WAYS) {
            ways.rotate_right(1);
            ways[0] = character;
        }
    }

    /// Returns the index in the cache of the first character with this hash in the current states.
    fn cache_index(&self, key: u32) -> usize {
        let mixed = (u64::from(key) ^ self.states[0].bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize % CACHE_LEN / CACHE_WAYS * CACHE_WAYS
    }

    /// Continues [`advance`](WordEncoder::advance) for a character that is not in the cache, and adds it if its
    /// bytes do not depend on the next one. `key` is its UTF-8, or 0.
    fn advance_uncached(&mut self, run: &EncodedRun, count: usize, key: u32) -> Option<Advance> {
        let (before, mut buffer) = (self.states, [0; MAX_BYTES]);
        let index = self.cache_index(key);
        let encoder = self.encoder.as_mut()?;
        if !self.is_restored {
            encoder.restore_state(before[0]);
        }
        let unmapped = CachedChar { character: key, before, ..CachedChar::default() };
        let EncodedChar { next, len, is_decided } =
            match encode_char(&mut **encoder, run, count, &mut buffer) {
                Ok(encoded) => encoded,
                Err(Undefined { is_decided }) => {
                    if is_decided && key != 0 {
                        self.cache(index, unmapped);
                    }
                    return None;
                }
            };
        let mut after = [encoder.save_state(), before[1]];
        if let Some(reader) = &mut self.reader {
            if !self.is_restored {
                reader.restore_state(before[1]);
            }
            let mut text = [0; 2 * MAX_BYTES];
            let Progress { read, written, .. } = reader.decode(&buffer[..len], &mut text, false);
            if read != len
                || run.text.as_bytes()[run.offset(count)..run.offset(next)] != text[..written]
            {
                self.is_restored = false;
                if is_decided && key != 0 {
                    self.cache(index, unmapped);
                }
                return None;
            }
            after[1] = reader.save_state();
        }
        (self.states, self.is_restored) = (after, true);
        let bytes = WordBytes::of(&buffer[..len]);
        self.bytes.extend_from_slice(&buffer[..len]);
        let flush = WordBytes::of(self.flush_preview(&mut buffer));
        if is_decided && key != 0 && bytes.get().is_some() {
            let is_mapped = true;
            self.cache(
                index,
                CachedChar { character: key, is_mapped, before, after, bytes, flush },
            );
        }
        Some(Advance { next, quoted: bytes.quoted.into(), flush })
    }

    /// Returns the bytes that the encoder would write if the encoded-word ended here.
    fn flush_preview<'a>(&mut self, buffer: &'a mut [u8]) -> &'a [u8] {
        let Some(encoder) = &mut self.encoder else { return &[] };
        let state = encoder.save_state();
        if state == State::INITIAL {
            return &[];
        }
        let Progress { written, .. } = encoder.encode("", buffer, true);
        encoder.restore_state(state);
        &buffer[..written]
    }
}

/// The result of [`WordEncoder::advance`].
struct Advance {
    /// The number of characters before the next one.
    next: usize,
    /// The number of characters that the bytes take in Q.
    quoted: usize,
    /// The bytes that the encoder would add if the encoded-word ended here.
    flush: WordBytes,
}

/// An encoded-word that carries all of a run.
pub struct WholeWord<'a> {
    /// Its length.
    pub columns: usize,
    /// The maximum of its length and of that of an encoded-word of fewer of its characters.
    max_columns: usize,
    /// Whether it is in UTF-8 because the charset does not have its characters.
    pub is_fallback: bool,
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
        self.max_columns <= space && self.columns + suffix <= space
    }

    /// Writes it to the start of `out`.
    pub fn write(&self, out: &mut [u8]) {
        write_word(self.prefix, self.encoding, self.bytes, out);
    }
}

/// The charset does not have a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotInCharset;

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

/// Copies the bytes of an encoded-word. Returns their number, or `None` if they are not known.
fn copy_word(bytes: &[u8], end: &WordEnd, buffer: &mut [u8; MAX_BYTES]) -> Option<usize> {
    let (bytes, flush) = (bytes.get(..end.len)?, end.flush.get()?);
    buffer.get_mut(..end.len)?.copy_from_slice(bytes);
    buffer.get_mut(end.len..end.len + flush.len())?.copy_from_slice(flush);
    (end.columns != [NEVER; 2]).then_some(end.len + flush.len())
}

/// A character that was encoded.
struct EncodedChar {
    /// The number of characters before the next one.
    next: usize,
    /// The number of bytes.
    len: usize,
    /// Whether what follows makes no difference.
    is_decided: bool,
}

/// The charset does not have the character, whatever follows if `is_decided`.
struct Undefined {
    is_decided: bool,
}

/// See [`WordEncoder::advance`].
fn encode_char(
    encoder: &mut dyn EncodeStage,
    run: &EncodedRun,
    count: usize,
    buffer: &mut [u8],
) -> Result<EncodedChar, Undefined> {
    let from = run.offset(count);
    let state = encoder.save_state();
    for next in count + 1..=run.len() {
        let piece = &run.text[from..run.offset(next)];
        let Progress { read, written, status } = encoder.encode(piece, buffer, false);
        if matches!(status, Status::Error(_)) && read == 0 {
            encoder.restore_state(state);
            return Err(Undefined { is_decided: next == count + 1 });
        }
        if let Some(done) = (count + 1..=next).find(|done| run.offset(*done) == from + read) {
            let is_decided = next == count + 1;
            return Ok(EncodedChar { next: done, len: written, is_decided });
        }
        encoder.restore_state(state);
    }
    // No more characters were read: the encoder decides as if nothing followed.
    let rest = &run.text[from..];
    let Progress { read, written, .. } = encoder.encode(rest, buffer, true);
    let encoded = EncodedChar { next: run.len(), len: written, is_decided: false };
    if read == rest.len() { Ok(encoded) } else { Err(Undefined { is_decided: false }) }
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
fn last_boundary(run: &EncodedRun, most: usize, ends: &[WordEnd]) -> Option<usize> {
    let is_boundary = |count: usize| {
        let mut cursor = GraphemeCursor::new(run.offset(count), run.text.len(), true);
        // The text is complete, so there is a result.
        cursor.is_boundary(&run.text, 0).unwrap_or(true)
    };
    let is_good = |count: &usize| ends[*count].columns != [NEVER; 2] && is_boundary(*count);
    (1..=most).rev().find(is_good)
}

/// The number of characters that are read for an encoded-word: more than any one carries.
pub const MAX_CHARS: usize = 72;

/// More characters than an encoder examines after the one that it encodes, and than a cut examines after
/// it.
const MAX_ENCODER_LOOKAHEAD: usize = 8;

/// The number of characters that are read beyond those that fit, in UTF-8.
const UTF8_SPARE_CHARS: usize = 4;

/// The start of a run, as far as an encoded-word may need it.
#[derive(Debug, Default)]
pub struct EncodedRun {
    /// The content of all characters.
    pub text: String,
    chars: Vec<RunChar>,
    /// Bytes of input before the first character.
    lead: usize,
    /// Bytes of input that have been read since.
    passed: usize,
    /// Whether the run ends after the last character.
    pub is_ended: bool,
    /// The maximum number of characters to read.
    max_chars: usize,
    /// The position directly after it, and the context there.
    pub after: (usize, AddressContext),
    /// The number of runs that have been read, this one included.
    number: u64,
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
        (self.lead, self.passed) = (at, 0);
        (self.is_ended, self.after) = (false, (at, context));
        self.max_chars = MAX_CHARS;
        self.number += 1;
    }

    /// Reads a run from a position of the text, until it has `limit` bytes.
    pub fn read(
        &mut self,
        ahead: &Lookahead<'_>,
        at: usize,
        context: AddressContext,
        start: RunStart,
        limit: usize,
    ) -> Option<()> {
        self.read_chars(ahead, at, context, start, limit, MAX_CHARS)
    }

    /// Reads a run until it has `limit` bytes or `max_chars` characters, of which the last may be
    /// incomplete.
    pub fn read_chars(
        &mut self,
        ahead: &Lookahead<'_>,
        mut at: usize,
        mut context: AddressContext,
        start: RunStart,
        limit: usize,
        max_chars: usize,
    ) -> Option<()> {
        self.clear(at, context);
        self.max_chars = max_chars.min(MAX_CHARS);
        let mut in_token = start == RunStart::Token;
        // Whether white space and a character that is not ASCII are part of the run, whatever follows.
        let is_text = matches!(context.syntax(), Syntax::Text | Syntax::Comment);
        while self.chars.len() < self.max_chars && self.text.len() < limit {
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
        while self.chars.len() < self.max_chars && before + (at - from) < limit {
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
        if self.chars.len() < self.max_chars {
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
        let is_full = self.chars.len() == self.max_chars;
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

    fn character(&self, count: usize) -> &str {
        &self.text[self.offset(count)..self.offset(count + 1)]
    }

    /// Notes that the encoder has come to the start of a run that was read ahead.
    pub fn arrive(&mut self) {
        self.passed = self.lead;
    }

    /// Returns the number of bytes of input of the first `count` characters, and the context after
    /// them.
    pub fn source(&self, count: usize) -> (usize, AddressContext) {
        match count.checked_sub(1) {
            None => (self.lead - self.passed, self.after.1),
            Some(last) => {
                let RunChar { source, quoted, .. } = self.chars[last];
                let context = AddressContext { quoted, after_at: false, ..self.after.1 };
                (source - self.passed, context)
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
    fn cache_does_not_change_cuts() {
        let texts = [
            "ああい a い",
            "é€é",
            "é\u{301}か\u{309A}か",
            "\u{5B57}\u{5BE0}ab\u{5B57}",
            "ŘÉ=é",
            "漢 字 漢",
        ];
        for charset in [
            "iso-2022-jp",
            "iso-8859-1",
            "windows-1252",
            "utf-7",
            "gb18030",
            "utf-16",
            "iso-2022-jp-3",
            "big5-hkscs",
            "hz-gb-2312",
            "iso-2022-kr",
        ] {
            let charset = encoding::for_label(charset).unwrap();
            let mut used = WordEncoder::new(Some(charset), &ENCODINGS);
            // Each text is encoded again with what all others have left in the cache.
            for text in texts.iter().chain(&texts).chain(texts.iter().rev()) {
                let run = run_of(text);
                for space in [20, 30, 40, MAX_WORD] {
                    let mut new = WordEncoder::new(Some(charset), &ENCODINGS);
                    let cuts = [&mut new, &mut used].map(|words| {
                        let cut = words.cut(&run, space, 0);
                        let mut word = [0; 999];
                        let len = words.write(&run, &cut, &mut word);
                        let word = word[..len].to_vec();
                        (cut.count, cut.columns, cut.before_unmappable, word)
                    });
                    assert_eq!(cuts[0], cuts[1], "{} {text:?} {space}", charset.name());
                    let cut = new.cut(&run, space, 0);
                    let mut encoder = without_bom(charset).encoder(&EncodingOptions::default());
                    let mut bytes = [0; 999];
                    let content = &run.text[..run.offset(cut.count)];
                    let len = encoder.encode(content, &mut bytes, true).written;
                    let mut expected = [0; 999];
                    let len = cut.encoding.encode(&bytes[..len], &mut expected);
                    let word = &cuts[0].3;
                    let carried = &word[new.overhead() - 2..word.len() - 2];
                    assert_eq!(carried, &expected[..len], "{text:?}");
                    assert_eq!(new.has(&run, true), used.has(&run, true), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn charset_of_ascii_and_combining_marks_is_written_in_q() {
        // ANSI/NISO Z39.47: the acute accent is E2, before its letter. An encoder waits for it after an `e`.
        let charset = encoding::for_label("ansel").unwrap();
        let mut words = WordEncoder::new(Some(charset), &ENCODINGS);
        let (run, mut word) = (run_of("caf\u{E9}"), [0; 99]);
        let cut = words.cut(&run, MAX_WORD, 0);
        let len = words.write(&run, &cut, &mut word);
        assert_eq!(word[..len].escape_ascii().to_string(), "=?ANSEL?Q?caf=E2e?=");
    }

    #[test]
    fn question_about_another_run_does_not_change_a_word() {
        let charset = encoding::for_label("iso-8859-1").unwrap();
        let mut words = WordEncoder::new(Some(charset), &ENCODINGS);
        let (run, mut word) = (run_of("é"), [0; 99]);
        let cut = words.cut(&run, MAX_WORD, 0);
        assert!(!words.has(&run_of("ш"), true) && words.has(&run_of("ü"), true));
        let len = words.write(&run, &cut, &mut word);
        assert_eq!(word[..len], *b"=?ISO-8859-1?Q?=E9?=");
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
            let end = WordEnd { columns: [0; 2], ..WordEnd::NEVER };
            let ends = vec![end; run.len() + 1];
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
