//! The lexical tokens of address lists: quoted-strings, comments and addresses (RFC 5322, sections
//! 3.2 and 3.4).

use super::encode::lookahead::{Lexeme, Lookahead, MAX_TOKEN};
use super::field::FieldKind;
use super::state::BitPacker;

/// The kind of a header field, and what is open at a position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddressContext {
    pub kind: FieldKind,
    /// The number of open comments.
    pub depth: u16,
    pub bracket: Bracket,
    /// Whether a quoted-string is open.
    pub quoted: bool,
    /// Whether a backslash quotes the next byte.
    pub escaped: bool,
    /// Whether the last token is an `@`.
    pub after_at: bool,
}

/// The open bracket of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bracket {
    #[default]
    None,
    /// `<…>`, around an address.
    Angle,
    /// `[…]`, around a domain.
    Square,
}

/// The syntax that applies at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// That of an unstructured field, or of a value.
    Text,
    /// That of an address list, where a display name may be.
    Phrase,
    /// That within parentheses.
    Comment,
    /// That within the brackets of an address.
    Address,
    /// That of a field without encoded-words.
    Verbatim,
}

/// The next piece of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its length in bytes.
    pub len: usize,
    pub kind: PieceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// Content, after the given number of bytes that are not content.
    Content(usize),
    /// A quotation mark that begins or ends a quoted-string.
    Quote,
    /// A line end within a quoted-string.
    Fold,
    /// None: the token ends here.
    End,
}

/// The kind of a byte where no quoted-string is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteKind {
    /// ASCII that is content, and needs no encoding.
    Plain,
    NonAscii,
    Space,
    LineEnd,
    /// A token by itself.
    Special,
    /// What depends on more than the byte.
    Other,
}

const fn byte_kinds(syntax: Syntax) -> [ByteKind; 256] {
    let (mut kinds, mut byte) = ([ByteKind::Other; 256], 0);
    while byte < 256 {
        kinds[byte] = match (byte as u8, syntax) {
            (b' ', _) => ByteKind::Space,
            (b'\r' | b'\n', _) => ByteKind::LineEnd,
            (0x80.., _) => ByteKind::NonAscii,
            // It may begin an encoded-word.
            (b'=', _) => ByteKind::Other,
            (b'(' | b')', Syntax::Phrase | Syntax::Comment)
            | (b'<' | b'>' | b',' | b';' | b':', Syntax::Phrase) => ByteKind::Special,
            (b'@' | b'[', Syntax::Phrase)
            | (b']' | b'>', Syntax::Address)
            | (b'"', Syntax::Phrase | Syntax::Address)
            | (b'\\', Syntax::Phrase | Syntax::Address | Syntax::Comment) => ByteKind::Other,
            (b'!'..=b'~', _) => ByteKind::Plain,
            _ => ByteKind::Other,
        };
        byte += 1;
    }
    kinds
}

static TEXT_BYTES: [ByteKind; 256] = byte_kinds(Syntax::Text);
static PHRASE_BYTES: [ByteKind; 256] = byte_kinds(Syntax::Phrase);
static COMMENT_BYTES: [ByteKind; 256] = byte_kinds(Syntax::Comment);
static ADDRESS_BYTES: [ByteKind; 256] = byte_kinds(Syntax::Address);

const BRACKETS: [Bracket; 3] = [Bracket::None, Bracket::Angle, Bracket::Square];

impl AddressContext {
    /// Returns the context at the start of a header field.
    pub fn new(kind: FieldKind) -> AddressContext {
        AddressContext { kind, ..AddressContext::default() }
    }

    #[inline(always)]
    pub fn pass(self, bits: &mut BitPacker, depth_bits: u32) -> AddressContext {
        AddressContext {
            kind: bits.one_of(3, &FieldKind::ALL, self.kind as usize),
            depth: bits.number(depth_bits, self.depth.into()) as u16,
            bracket: bits.one_of(2, &BRACKETS, self.bracket as usize),
            quoted: bits.flag(self.quoted),
            escaped: bits.flag(self.escaped),
            after_at: bits.flag(self.after_at),
        }
    }

    /// Advances over bytes as a tolerant reader does, with up to `max_depth` comments.
    pub fn walk(&mut self, bytes: &[u8], max_depth: u16) {
        for byte in bytes {
            if std::mem::take(&mut self.escaped) {
                continue;
            }
            match byte {
                b'\\' => self.escaped = self.quoted || self.depth > 0,
                b'"' if self.depth == 0 => self.quoted = !self.quoted,
                b'(' if !self.quoted => self.depth = (self.depth + 1).min(max_depth),
                b')' if !self.quoted => self.depth = self.depth.saturating_sub(1),
                b'<' if !self.quoted && self.depth == 0 => self.bracket = Bracket::Angle,
                b'>' if !self.quoted && self.depth == 0 => self.bracket = Bracket::None,
                _ => {}
            }
        }
    }

    pub fn syntax(&self) -> Syntax {
        match (self.kind, self.bracket) {
            (FieldKind::Value | FieldKind::Unstructured, _) => Syntax::Text,
            (FieldKind::NoEncodedWords | FieldKind::Parameters, _) => Syntax::Verbatim,
            (FieldKind::AddressList, Bracket::None) if self.depth > 0 => Syntax::Comment,
            (FieldKind::AddressList, Bracket::None) => Syntax::Phrase,
            (FieldKind::AddressList, _) => Syntax::Address,
        }
    }

    /// Returns the kind of each byte here if no quoted-string is open.
    pub fn byte_kinds(&self) -> &'static [ByteKind; 256] {
        match self.syntax() {
            Syntax::Text | Syntax::Verbatim => &TEXT_BYTES,
            Syntax::Phrase => &PHRASE_BYTES,
            Syntax::Comment => &COMMENT_BYTES,
            Syntax::Address => &ADDRESS_BYTES,
        }
    }

    /// Returns the number of bytes at the start that are content in this context, and need no
    /// encoding.
    pub fn plain_len(&self, bytes: &[u8]) -> usize {
        let kinds = self.byte_kinds();
        let is_plain = |byte: &&u8| match self.quoted {
            true => byte.is_ascii_alphanumeric(),
            false => kinds[usize::from(**byte)] == ByteKind::Plain,
        };
        bytes.iter().take_while(is_plain).count()
    }

    /// Whether this character is a token by itself here.
    pub fn is_special(&self, byte: u8) -> bool {
        match self.syntax() {
            Syntax::Text | Syntax::Verbatim => false,
            Syntax::Phrase => match byte {
                b'(' | b')' | b'<' | b'>' | b',' | b';' | b':' | b'@' => true,
                b'[' => self.after_at,
                _ => false,
            },
            Syntax::Comment => matches!(byte, b'(' | b')'),
            Syntax::Address if self.bracket == Bracket::Square => byte == b']',
            Syntax::Address => byte == b'>',
        }
    }

    pub fn after_special(mut self, byte: u8) -> AddressContext {
        match byte {
            b'(' => self.depth = self.depth.saturating_add(1),
            b')' => self.depth = self.depth.saturating_sub(1),
            b'<' => self.bracket = Bracket::Angle,
            b'[' => self.bracket = Bracket::Square,
            b'>' | b']' => self.bracket = Bracket::None,
            _ => {}
        }
        if !matches!(byte, b'(' | b')') {
            self.after_at = byte == b'@';
        }
        self
    }

    pub fn after_piece(mut self, piece: Piece) -> AddressContext {
        self.quoted ^= piece.kind == PieceKind::Quote;
        self.after_at = false;
        self
    }

    /// Returns the next piece of the token at `at`.
    pub fn piece(&self, ahead: &Lookahead<'_>, at: usize) -> Option<Piece> {
        // Nearly all characters have no part in the syntax of any field.
        if let Some(len) = ahead.bytes().get(at).and_then(|byte| content_len(*byte)) {
            return Some(content(0, len));
        }
        let end = Piece { len: 0, kind: PieceKind::End };
        match ahead.lexeme(at)? {
            Lexeme::FieldEnd(_) => return Some(end),
            Lexeme::Fold(len) if self.quoted => return Some(Piece { len, kind: PieceKind::Fold }),
            Lexeme::Whitespace if self.quoted => return Some(content(0, 1)),
            Lexeme::Fold(_) | Lexeme::Whitespace => return Some(end),
            Lexeme::Other => {}
        }
        let byte = ahead.bytes()[at];
        let quotes = matches!(self.syntax(), Syntax::Phrase | Syntax::Address);
        match byte {
            b'"' if quotes && (self.quoted || has_closing_quote(ahead, at)?) => {
                Some(Piece { len: 1, kind: PieceKind::Quote })
            }
            b'\\' if self.quoted || self.syntax() == Syntax::Comment => quoted_pair(ahead, at, 1),
            b'\\' if quotes => quoted_pair(ahead, at, 0),
            _ if !self.quoted && self.is_special(byte) => Some(end),
            _ => Some(content(0, ahead.char_len(at))),
        }
    }
}

/// Returns the length of the character that begins with this byte, if it never is syntax: a letter,
/// a digit, or a character that is not ASCII.
#[inline]
pub fn content_len(byte: u8) -> Option<usize> {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => Some(1),
        0xC2..=0xDF => Some(2),
        0xE0..=0xEF => Some(3),
        0xF0.. => Some(4),
        _ => None,
    }
}

fn content(hidden: usize, shown: usize) -> Piece {
    Piece { len: hidden + shown, kind: PieceKind::Content(hidden) }
}

/// Returns a backslash, with the character after it if that can be quoted. `hidden` is 1 if the
/// backslash is not content: outside of quotes it has no meaning, and stays.
fn quoted_pair(ahead: &Lookahead<'_>, at: usize, hidden: usize) -> Option<Piece> {
    Some(match ahead.lexeme(at + 1)? {
        Lexeme::Other => match ahead.char_len(at + 1) {
            1 => Piece { len: 2, kind: PieceKind::Content(hidden) },
            len if hidden > 0 => content(hidden, len),
            _ => content(0, 1),
        },
        Lexeme::Whitespace if hidden > 0 => content(hidden, 1),
        _ => content(0, 1),
    })
}

/// Whether the quoted-string that begins here ends before the header field does. One that is longer
/// than the lookahead counts as closed.
fn has_closing_quote(ahead: &Lookahead<'_>, at: usize) -> Option<bool> {
    let mut next = at + 1;
    while next < at + MAX_TOKEN {
        match (ahead.lexeme(next)?, ahead.bytes().get(next)) {
            (Lexeme::FieldEnd(_), _) => return Some(false),
            (Lexeme::Fold(len), _) => next += len,
            (_, Some(b'"')) => return Some(true),
            (_, Some(b'\\'))
                if matches!(ahead.lexeme(next + 1)?, Lexeme::Other | Lexeme::Whitespace) =>
            {
                next += 2;
            }
            _ => next += 1,
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_comments_and_addresses_are_distinguished() {
        for (bytes, quoted, comment, angle) in [
            (&b"a b"[..], false, false, false),
            (b"\"a <b", true, false, false),
            (b"\"a\\\" <b", true, false, false),
            (b"\"a\" <b", false, false, true),
            (b"\"a\\\\\" <b", false, false, true),
            (b"<a@b> c", false, false, false),
            (b"(a <b \"c", false, true, false),
            (b"(a (b) c", false, true, false),
            (b"(a (b) c) <d", false, false, true),
            (b"(a \\) <b", false, true, false),
            (b"<\"a>b\"", false, false, true),
            (b") <a", false, false, true),
            (b"\\<a", false, false, true),
        ] {
            let mut context = AddressContext::default();
            context.walk(bytes, 9);
            let AddressContext { depth, bracket, .. } = context;
            let found = (context.quoted, depth > 0, bracket == Bracket::Angle);
            assert_eq!(found, (quoted, comment, angle), "{bytes:?}");
        }
    }

    #[test]
    fn backslash_quotes_only_in_structured_fields() {
        // RFC 5322, section 3.2.1.
        let ahead = Lookahead::new("\\a", true);
        let len = |kind| AddressContext::new(kind).piece(&ahead, 0).unwrap().len;
        assert_eq!((len(FieldKind::Unstructured), len(FieldKind::AddressList)), (1, 2));
    }

    #[test]
    fn quoted_quotation_mark_does_not_end_a_quoted_string() {
        // RFC 5322, section 3.2.4.
        for (text, is_closed) in [(r#""a""#, true), (r#""a\""#, false), (r#""a\\""#, true)] {
            let ahead = Lookahead::new(text, true);
            assert_eq!(has_closing_quote(&ahead, 0), Some(is_closed), "{text}");
        }
    }

    #[test]
    fn quoted_string_longer_than_the_lookahead_counts_as_closed() {
        for (len, is_closed) in [(MAX_TOKEN - 1, false), (MAX_TOKEN, true), (2 * MAX_TOKEN, true)] {
            let text = format!("\"{}", "a".repeat(len - 1));
            let ahead = Lookahead::new(&text, true);
            assert_eq!(has_closing_quote(&ahead, 0), Some(is_closed), "{len}");
        }
    }

    #[test]
    fn any_number_of_comments_is_harmless() {
        let mut context = AddressContext::default();
        context.walk(&b"(".repeat(100_000), 4095);
        assert_eq!(context.depth, 4095);
        context.walk(&b")".repeat(100_000), 4095);
        assert_eq!(context, AddressContext::default());
    }
}
