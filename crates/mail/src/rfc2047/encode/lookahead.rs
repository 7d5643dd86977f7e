//! The text ahead of the encoder: white space, line ends, and tokens that need encoding.
//!
//! Functions return `None` where a decision needs more text. At the end of all text they never do.

use crate::rfc2047::address_lexer::{AddressContext, PieceKind, Syntax, content_len};

/// How many bytes of a token are examined to decide whether it needs encoding, from its start.
pub const MAX_TOKEN: usize = 4 * 1024;

/// How many bytes of white space are examined to decide what follows it.
pub const MAX_FWS: usize = 1024;

/// The text from the position of the encoder.
#[derive(Debug, Clone, Copy)]
pub struct Lookahead<'a> {
    text: &'a str,
    /// Whether nothing follows.
    pub end: bool,
}

/// The kind of text at a position, as far as lines and white space matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lexeme {
    /// SP or TAB.
    Whitespace,
    /// A line end of the given length before white space: the header field continues.
    Fold(usize),
    /// The end of the header field: the end of the text, or a line end of the given length.
    FieldEnd(usize),
    Other,
}

/// Folding white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fws {
    /// The index of its end.
    pub end: usize,
    /// The index of the end of its first line.
    pub first: usize,
    /// The index of its last line, or of its start if it has no fold.
    pub last: usize,
    /// Whether the header field ends after it.
    pub ends_field: bool,
    /// Whether it has [`MAX_FWS`] bytes or more, so that what follows is not examined.
    pub is_long: bool,
}

impl<'a> Lookahead<'a> {
    pub fn new(text: &'a str, end: bool) -> Lookahead<'a> {
        Lookahead { text, end }
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Returns the text between two positions.
    pub fn str(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// Returns the byte at a position, or `Some(None)` at the end of all text.
    pub fn byte(&self, at: usize) -> Option<Option<u8>> {
        match self.bytes().get(at) {
            None if !self.end => None,
            byte => Some(byte.copied()),
        }
    }

    /// Returns the character that begins at a position.
    pub fn character(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    /// Returns the length of the character at a position, or 1.
    pub fn char_len(&self, at: usize) -> usize {
        self.character(at).map_or(1, char::len_utf8)
    }

    /// Returns the length of the line end at a position, LF or CR LF, or 0. CR alone is a control
    /// character.
    pub fn line_end(&self, at: usize) -> Option<usize> {
        Some(match self.byte(at)? {
            Some(b'\n') => 1,
            Some(b'\r') if self.byte(at + 1)? == Some(b'\n') => 2,
            _ => 0,
        })
    }

    pub fn lexeme(&self, at: usize) -> Option<Lexeme> {
        Some(match self.byte(at)? {
            None => Lexeme::FieldEnd(0),
            Some(b' ' | b'\t') => Lexeme::Whitespace,
            Some(b'\r' | b'\n') => match self.line_end(at)? {
                0 => Lexeme::Other,
                len if matches!(self.byte(at + len)?, Some(b' ' | b'\t')) => Lexeme::Fold(len),
                len => Lexeme::FieldEnd(len),
            },
            _ => Lexeme::Other,
        })
    }

    /// Returns the white space at a position, which may be empty.
    pub fn fws(&self, at: usize) -> Option<Fws> {
        let mut fws = Fws { end: at, first: at, last: at, ends_field: false, is_long: false };
        match self.bytes().get(at..) {
            Some([b'!'..=0xFF, ..]) => return Some(fws),
            Some([b' ', b'!'..=0xFF, ..]) => {
                return Some(Fws { end: at + 1, first: at + 1, ..fws });
            }
            _ => {}
        }
        let mut has_fold = false;
        loop {
            fws.is_long = fws.end - at >= MAX_FWS;
            let lexeme = if fws.is_long { Lexeme::Other } else { self.lexeme(fws.end)? };
            if lexeme != Lexeme::Whitespace && !has_fold {
                fws.first = fws.end;
            }
            match lexeme {
                Lexeme::Whitespace => fws.end += 1,
                Lexeme::Fold(len) => {
                    has_fold = true;
                    fws.end += len;
                    fws.last = fws.end;
                }
                lexeme => {
                    fws.ends_field = lexeme != Lexeme::Other;
                    return Some(fws);
                }
            }
        }
    }

    /// Returns the length of the white space at the start, up to `limit` bytes. A line end belongs
    /// to it only if what follows is known.
    pub fn fws_len(&self, limit: usize) -> usize {
        let mut at = 0;
        while at < limit {
            at += match self.lexeme(at) {
                Some(Lexeme::Whitespace) => 1,
                Some(Lexeme::Fold(len)) => len,
                _ => break,
            };
        }
        at
    }
}

impl Fws {
    /// Whether there is a line end in it, if it begins at `at`.
    pub fn folds(&self, at: usize) -> bool {
        self.last > at
    }
}

/// The text between two pieces of white space, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A special character of an address list.
    Special(u8),
    /// ASCII that is copied, up to this index.
    Plain(usize),
    /// The same, with no end within the lookahead: other characters may follow.
    Unterminated,
    NeedsEncoding,
    /// A token of an address that would need encoding where no encoded-word may be, up to this
    /// index.
    Forbidden(usize),
}

impl AddressContext {
    /// Returns the token at a position that is neither white space nor the end of the header field.
    pub fn token(&self, ahead: &Lookahead<'_>, at: usize) -> Option<Token> {
        match ahead.byte(at)? {
            Some(byte) if self.is_special(byte) => Some(Token::Special(byte)),
            // What follows makes no difference.
            Some(0x80..) if matches!(self.syntax(), Syntax::Text | Syntax::Comment) => {
                Some(Token::NeedsEncoding)
            }
            _ if self.syntax() == Syntax::Text => text_token(ahead, at),
            _ => self.address_token(ahead, at),
        }
    }

    /// Returns the white space at a position, if the token after it needs encoding.
    pub fn fws_in_run(&self, ahead: &Lookahead<'_>, at: usize) -> Option<Option<Fws>> {
        let fws = ahead.fws(at)?;
        if fws.ends_field || fws.is_long {
            return Some(None);
        }
        Some((self.token(ahead, fws.end)? == Token::NeedsEncoding).then_some(fws))
    }

    /// Returns a token of an address list. A quoted-string and what touches it are one token, and so
    /// are the parts of an address before its `@`.
    fn address_token(&self, ahead: &Lookahead<'_>, at: usize) -> Option<Token> {
        let (mut context, mut end, mut is_encoded) = (*self, at, false);
        let is_long = loop {
            if end - at >= MAX_TOKEN {
                break true;
            }
            let near = ahead.bytes().get(end..).unwrap_or_default();
            let plain = context.plain_len(&near[..near.len().min(at + MAX_TOKEN - end)]);
            if plain > 0 {
                context.after_at = false;
                end += plain;
                continue;
            }
            if let Some(len) = near.first().and_then(|byte| content_len(*byte)) {
                // Nearly always a character that is not ASCII.
                is_encoded |= len > 1;
                if is_encoded && self.syntax() == Syntax::Comment {
                    return Some(Token::NeedsEncoding);
                }
                context.after_at = false;
                end += len;
                continue;
            }
            let piece = context.piece(ahead, end)?;
            match piece.kind {
                PieceKind::End => break false,
                PieceKind::Content(_) => {
                    for at in end..end + piece.len {
                        is_encoded = is_encoded || needs_encoding(ahead, at)?;
                    }
                }
                PieceKind::Quote | PieceKind::Fold => {}
            }
            if is_encoded && self.syntax() == Syntax::Comment {
                return Some(Token::NeedsEncoding);
            }
            context = context.after_piece(piece);
            end += piece.len;
        };
        if !is_encoded {
            return Some(if is_long { Token::Unterminated } else { Token::Plain(end) });
        }
        let is_forbidden = self.syntax() == Syntax::Address
            || self.syntax() == Syntax::Phrase
                && (self.after_at || !is_long && is_before_at(ahead, end)?);
        Some(if is_forbidden { Token::Forbidden(end) } else { Token::NeedsEncoding })
    }
}

/// Returns a token of an unstructured field.
fn text_token(ahead: &Lookahead<'_>, at: usize) -> Option<Token> {
    let is_plain = |byte: &u8| matches!(byte, b'!'..=b'<' | b'>'..=b'~');
    let plain =
        |at: usize| ahead.bytes()[at..].iter().take(MAX_TOKEN).position(|byte| !is_plain(byte));
    for end in at + plain(at).unwrap_or_default()..at + MAX_TOKEN {
        match ahead.byte(end)? {
            Some(byte) if is_plain(&byte) => {}
            _ if ahead.lexeme(end)? != Lexeme::Other => return Some(Token::Plain(end)),
            _ if needs_encoding(ahead, end)? => return Some(Token::NeedsEncoding),
            _ => {}
        }
    }
    Some(Token::Unterminated)
}

/// Whether the character at a position needs encoding: one that is not ASCII, a control character
/// except TAB, or `=?`, which readers would take for the start of an encoded-word.
pub fn needs_encoding(ahead: &Lookahead<'_>, at: usize) -> Option<bool> {
    Some(match ahead.byte(at)? {
        None | Some(b'\t') => false,
        Some(b'=') => ahead.byte(at + 1)? == Some(b'?'),
        Some(byte) => !matches!(byte, b' '..=b'~'),
    })
}

/// Whether an `@` follows, perhaps after white space.
fn is_before_at(ahead: &Lookahead<'_>, at: usize) -> Option<bool> {
    let fws = ahead.fws(at)?;
    Some(!fws.ends_field && !fws.is_long && ahead.byte(fws.end)? == Some(b'@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_has_a_first_and_a_last_line() {
        // RFC 5322, section 3.2.2: FWS = ([*WSP CRLF] 1*WSP); the obsolete one has more lines. Without a fold, the
        // last line begins where the white space does.
        for (text, end, first, last, ends_field) in [
            ("ab", 1, 1, 1, false),
            ("a b", 2, 2, 1, false),
            ("a \tb", 3, 3, 1, false),
            ("a \r\n\t b", 6, 2, 4, false),
            ("a\n b", 3, 1, 2, false),
            ("a \n \n  b", 7, 2, 5, false),
            ("a \r\nb", 2, 2, 1, true),
            ("a  ", 3, 3, 1, true),
            ("a \rb", 2, 2, 1, false),
        ] {
            let fws = Fws { end, first, last, ends_field, is_long: false };
            assert_eq!(Lookahead::new(text, true).fws(1), Some(fws), "{text:?}");
            assert_eq!(fws.folds(1), last > 1);
        }
        let long = format!("{}b", " ".repeat(MAX_FWS + 9));
        let fws = Lookahead::new(&long, true).fws(0).unwrap();
        assert_eq!((fws.end, fws.is_long, fws.ends_field), (MAX_FWS, true, false));
    }

    #[test]
    fn line_end_is_white_space_only_if_the_next_line_is_known_to_continue() {
        for (text, limit, len) in
            [("  a", 9, 2), ("   a", 2, 2), (" \r\n b", 9, 4), (" \r\nb", 9, 1), (" \r\n", 9, 1)]
        {
            assert_eq!(Lookahead::new(text, false).fws_len(limit), len, "{text:?}");
        }
    }
}
