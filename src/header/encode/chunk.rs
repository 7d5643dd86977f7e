//! Plain text without a blank, which a line end does not break: how much space it needs.

use super::line::LINE;
use super::position::{Position, Zone};
use super::run::Run;
use super::sight::{Here, Sight};
use super::token::Token;

/// Characters after a word without a blank that are kept beside it.
const SUFFIX: usize = 24;

/// Plain text up to the next white space.
#[derive(Debug, Clone, Copy)]
pub struct Chunk {
    /// Its characters, with the white space after it if a line ends there.
    pub columns: usize,
    /// Where a word touches it.
    pub glued: Option<(usize, Position)>,
}

/// Characters that touch the end of a run, if they are few: space is kept for them after its last
/// word. In a phrase nothing may touch a word.
pub fn suffix(sight: &Sight<'_>, run: &Run) -> Option<usize> {
    let (at, position) = run.after;
    if !run.ended || position.zone() != Zone::Comment || sight.here(at)? != Here::Other {
        return Some(0);
    }
    let columns = chunk(sight, at, position)?.columns;
    Some(if columns <= SUFFIX { columns } else { 0 })
}

/// The plain text that begins here, as far as it matters for a line.
pub fn chunk(sight: &Sight<'_>, at: usize, position: Position) -> Option<Chunk> {
    let (mut next, mut position) = (at, position);
    let far = Chunk { columns: LINE + 1, glued: None };
    while next - at <= LINE {
        let chunk = Chunk { columns: next - at, glued: None };
        if sight.here(next)? != Here::Other {
            let gap = sight.gap(next)?;
            let ends = gap.closes || gap.folds(next);
            return Some(match ends {
                _ if gap.long => far,
                true => Chunk { columns: gap.first - at, ..chunk },
                false => chunk,
            });
        }
        match position.token(sight, next)? {
            Token::Special(byte) => {
                position = position.after_special(byte);
                next += 1;
            }
            Token::Plain(end) | Token::Barred(end) => {
                position.after_at = false;
                next = end;
            }
            Token::Long => return Some(far),
            Token::Coded if position.zone() == Zone::Phrase => return Some(chunk),
            Token::Coded => return Some(Chunk { glued: Some((next, position)), ..chunk }),
        }
    }
    Some(far)
}
