//! Plain text without a blank, which a line end does not break: how much room it needs.

use super::line::LINE;
use super::place::{Place, Zone};
use super::run::Run;
use super::sight::{Here, Sight};
use super::token::Token;

/// Characters behind a word without a blank that are kept beside it.
const SUFFIX: usize = 24;

/// Plain text up to the next white space.
#[derive(Debug, Clone, Copy)]
pub struct Chunk {
    /// Its characters, with the white space behind it if a line ends there.
    pub columns: usize,
    /// Where a word touches it.
    pub glued: Option<(usize, Place)>,
}

/// Characters that touch the end of a run, if they are few: room is kept for them behind its last
/// word. In a phrase nothing may touch a word.
pub fn suffix(sight: &Sight<'_>, run: &Run) -> Option<usize> {
    let (at, place) = run.behind;
    if !run.ended || place.zone() != Zone::Comment || sight.here(at)? != Here::Other {
        return Some(0);
    }
    let columns = chunk(sight, at, place)?.columns;
    Some(if columns <= SUFFIX { columns } else { 0 })
}

/// The plain text that begins here, as far as it matters for a line.
pub fn chunk(sight: &Sight<'_>, at: usize, place: Place) -> Option<Chunk> {
    let (mut next, mut place) = (at, place);
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
        match place.token(sight, next)? {
            Token::Special(byte) => {
                place = place.behind_special(byte);
                next += 1;
            }
            Token::Plain(end) | Token::Barred(end) => {
                place.after_at = false;
                next = end;
            }
            Token::Long => return Some(far),
            Token::Coded if place.zone() == Zone::Phrase => return Some(chunk),
            Token::Coded => return Some(Chunk { glued: Some((next, place)), ..chunk }),
        }
    }
    Some(far)
}
