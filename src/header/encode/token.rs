//! What comes next: a token, and whether it has to be encoded.

use super::position::{Kind, Position, Zone};
use super::sight::{Gap, Here, Sight, TOKEN};

/// What stands between two pieces of white space, or part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    /// A special character of an address field.
    Special(u8),
    /// ASCII that stays as it is, up to here.
    Plain(usize),
    /// The same, but no end is in sight: what is not ASCII may follow yet.
    Long,
    /// What has to be encoded.
    Coded,
    /// What would have to be encoded in an address, where no word may stand; up to here.
    Barred(usize),
}

impl Position {
    /// The token at a position in the text that is neither white space nor the end of the record.
    pub fn token(&self, sight: &Sight<'_>, at: usize) -> Option<Token> {
        match sight.byte(at)? {
            Some(byte) if self.is_special(byte) => Some(Token::Special(byte)),
            // What follows makes no difference.
            Some(0x80..) if matches!(self.zone(), Zone::Text | Zone::Comment) => Some(Token::Coded),
            _ if self.zone() == Zone::Text => text(sight, at),
            _ => self.structured(sight, at),
        }
    }

    /// The white space at a position, if what stands after it has to be encoded.
    pub fn gap_in_run(&self, sight: &Sight<'_>, at: usize) -> Option<Option<Gap>> {
        let gap = sight.gap(at)?;
        if gap.closes || gap.long {
            return Some(None);
        }
        Some((self.token(sight, gap.end)? == Token::Coded).then_some(gap))
    }

    /// A token of an address field. Quoted-strings and what touches them are one token, as the
    /// parts of an address before its `@` are.
    fn structured(&self, sight: &Sight<'_>, at: usize) -> Option<Token> {
        let (mut position, mut end, mut coded) = (*self, at, false);
        let long = loop {
            if end - at >= TOKEN {
                break true;
            }
            let unit = position.unit(sight, end)?;
            match unit.kind {
                Kind::End => break false,
                Kind::Content(_) => coded |= any_coded(sight, end, unit.length)?,
                Kind::Quote | Kind::Fold => {}
            }
            if coded && self.zone() == Zone::Comment {
                return Some(Token::Coded);
            }
            position = position.after(unit);
            end += unit.length;
        };
        if !coded {
            return Some(if long { Token::Long } else { Token::Plain(end) });
        }
        let barred = self.zone() == Zone::Address
            || self.zone() == Zone::Phrase && (self.after_at || !long && before_at(sight, end)?);
        Some(if barred { Token::Barred(end) } else { Token::Coded })
    }
}

/// A token of an unstructured field.
fn text(sight: &Sight<'_>, at: usize) -> Option<Token> {
    for end in at..at + TOKEN {
        match sight.byte(end)? {
            Some(b'!'..=b'<' | b'>'..=b'~') => {}
            _ if sight.here(end)? != Here::Other => return Some(Token::Plain(end)),
            _ if is_coded(sight, end)? => return Some(Token::Coded),
            _ => {}
        }
    }
    Some(Token::Long)
}

/// Whether what begins at a position has to be encoded: a character that is not ASCII, a control
/// other than TAB, or `=?`, which would be taken for the beginning of a word.
pub fn is_coded(sight: &Sight<'_>, at: usize) -> Option<bool> {
    Some(match sight.byte(at)? {
        None | Some(b'\t') => false,
        Some(b'=') => sight.byte(at + 1)? == Some(b'?'),
        Some(byte) => !matches!(byte, b' '..=b'~'),
    })
}

fn any_coded(sight: &Sight<'_>, at: usize, length: usize) -> Option<bool> {
    for at in at..at + length {
        if is_coded(sight, at)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether an `@` comes next, but for white space.
fn before_at(sight: &Sight<'_>, at: usize) -> Option<bool> {
    let gap = sight.gap(at)?;
    Some(!gap.closes && !gap.long && sight.byte(gap.end)? == Some(b'@'))
}
