//! What goes out as it came: white space, line ends, and what is plain.

use super::line::Content;
use super::position::{Kind, Unit, Zone};
use super::sight::{GAP, Sight};
use super::state::{Last, LineEnd, Mode, Now};
use super::step::Step;
use super::token::is_coded;
use crate::conversion_error::Unmappable;
use crate::kernel;

/// Bytes of a field without words that are looked at together: lines are short, and errors come in
/// crowds, of which each begins again.
const AT_ONCE: usize = 256;

/// Why copying ends.
enum Ends {
    /// The token does.
    Token,
    /// More must be seen.
    Want,
    /// There is no more space.
    Full,
    /// This character cannot stand here.
    Barred(char),
    /// What comes next has to be encoded.
    Coded,
}

/// What is to be done where nothing can be copied.
pub enum Copied {
    Step(Step),
    /// The token has ended.
    After,
    /// A word has to begin within the token.
    Word,
}

/// Copies white space and folds from the front, as much as there is space for.
pub fn blanks(sight: &Sight<'_>, length: usize, space: &mut [u8], now: Now) -> Step {
    let bytes = &sight.bytes()[..length.min(sight.bytes().len())];
    let fits = match bytes.get(..space.len()) {
        // CR LF is not cut.
        Some([front @ .., b'\r']) => front.len(),
        _ => bytes.len().min(space.len()),
    };
    went(&bytes[..fits], space, Now { mode: Mode::Between, last: Last::Blank, ..now })
}

/// The same for white space to which no end is in sight: all but what may have to go into a word.
pub fn long_blanks(sight: &Sight<'_>, space: &mut [u8], now: Now) -> Step {
    let seen = sight.blanks(space.len().saturating_add(GAP));
    let mut length = 0;
    while seen - length >= GAP {
        length += sight.line_end(length).unwrap_or(0).max(1);
    }
    blanks(sight, length, space, now)
}

/// Copies the line end that closes a record.
pub fn record_end(length: usize, sight: &Sight<'_>, space: &mut [u8], now: Now) -> Step {
    if space.len() < length {
        return Step::Full;
    }
    went(&sight.bytes()[..length], space, Now { mode: Mode::Front, last: Last::Nothing, ..now })
}

/// Copies a special character of an address field.
pub fn special(byte: u8, space: &mut [u8], now: Now) -> Step {
    let Some(to) = space.first_mut() else { return Step::Full };
    *to = byte;
    let (position, line) = (now.position.after_special(byte), now.line.with(1, Content::Text));
    let now = Now { mode: Mode::Between, last: Last::Plain, line, position, ..now };
    Step::Went { read: 1, written: 1, now }
}

/// Copies from within a token that stays, up to its end or to what cannot stay.
pub fn token(sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Copied> {
    let (mut position, mut at) = (now.position, 0);
    let ends = loop {
        let Some(unit) = position.unit(sight, at) else { break Ends::Want };
        if unit.kind == Kind::End {
            break Ends::Token;
        }
        if at + unit.length > space.len() {
            break Ends::Full;
        }
        match stays(sight, at, unit, Now { position, ..now }) {
            // The backslash in front goes by itself.
            Err(Ends::Barred(_) | Ends::Coded) if sight.bytes()[at] == b'\\' => at += 1,
            Err(ends) => break ends,
            Ok(()) => {
                position = position.after(unit);
                at += unit.length;
            }
        }
    };
    if at > 0 {
        let mode = if matches!(ends, Ends::Token) { Mode::Between } else { now.mode };
        let now = Now { mode, last: Last::Plain, position, ..now };
        return Some(Copied::Step(went(&sight.bytes()[..at], space, now)));
    }
    match ends {
        Ends::Token => Some(Copied::After),
        Ends::Want => None,
        Ends::Full => Some(Copied::Step(Step::Full)),
        Ends::Barred(character) => {
            Some(Copied::Step(Step::Error(Unmappable::not_allowed_here(character))))
        }
        Ends::Coded => Some(Copied::Word),
    }
}

/// Whether a piece of a token that stays can stay itself. Where no word may stand, ASCII can.
fn stays(sight: &Sight<'_>, at: usize, unit: Unit, now: Now) -> Result<(), Ends> {
    if !matches!(unit.kind, Kind::Content(_)) {
        return Ok(());
    }
    let barred =
        now.mode == Mode::Barred || now.position.quoted || now.position.zone() == Zone::Address;
    for at in at..at + unit.length {
        match (sight.bytes().get(at), barred) {
            (Some(0x80..), true) => {
                return Err(Ends::Barred(sight.character(at).unwrap_or_default()));
            }
            (_, true) => {}
            (_, false) => match is_coded(sight, at) {
                None => return Err(Ends::Want),
                Some(true) => return Err(Ends::Coded),
                Some(false) => {}
            },
        }
    }
    Ok(())
}

/// Copies from a field in which no word may stand, up to the end of a line. CR LF is not cut: it
/// would be taken for the LF alone.
pub fn verbatim(sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Step> {
    let bytes = sight.bytes();
    let near = &bytes[..bytes.len().min(space.len()).min(AT_ONCE)];
    let near = match near {
        [front @ .., b'\r'] if !front.is_empty() || sight.byte(1)? == Some(b'\n') => front,
        _ => near,
    };
    let length = memchr::memchr(b'\n', near).map_or(near.len(), |at| at + 1);
    Some(match kernel::ascii::prefix_len(&near[..length]) {
        0 if near.is_empty() => Step::Full,
        0 => Step::Error(Unmappable::not_allowed_here(sight.character(0).unwrap_or_default())),
        ascii => {
            let front = near[ascii - 1] == b'\n';
            let mode = if front { Mode::Front } else { Mode::Between };
            went(&near[..ascii], space, Now { mode, last: Last::Plain, ..now })
        }
    })
}

/// Copies plain text of an unstructured field from a line without words: to the end of the line,
/// or as far as whole tokens are in sight. A faster way to what [`token`] and [`blanks`] come to;
/// nothing where it gets nowhere.
pub fn plain_text(sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Step> {
    let near = &sight.bytes()[..sight.bytes().len().min(space.len())];
    let (length, closed) = plain_front(near);
    let all = length == near.len() && near.len() == sight.bytes().len() && sight.end();
    let mode = if closed { Mode::Front } else { Mode::Between };
    let length = match closed || all {
        true => length,
        // What touches the rest, and the white space before that, are not decided yet.
        false => {
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
            let token = near[..length].iter().rposition(is_blank)?;
            near[..token].iter().rposition(|byte| !is_blank(byte))? + 1
        }
    };
    Some(went(&near[..length], space, Now { mode, last: Last::Plain, ..now }))
}

/// The same for a record of addresses, or the rest of one, that is plain and has no fold: where a
/// record ends, all that was open in it is closed.
pub fn plain_addresses(sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Step> {
    let near = &sight.bytes()[..sight.bytes().len().min(space.len())];
    let (length, closed) = plain_front(near);
    let ends = closed && !matches!(sight.byte(length)?, Some(b' ' | b'\t'));
    ends.then(|| went(&near[..length], space, Now { mode: Mode::Front, last: Last::Plain, ..now }))
}

/// How far text goes that need not be encoded, through the end of its line at the most, and
/// whether it is in sight.
fn plain_front(near: &[u8]) -> (usize, bool) {
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

fn went(bytes: &[u8], space: &mut [u8], now: Now) -> Step {
    let length = bytes.len();
    match space.get_mut(..length) {
        Some(to) if length > 0 => to.copy_from_slice(bytes),
        _ => return Step::Full,
    }
    let line_end = memchr::memrchr(b'\n', bytes).map(|at| match bytes[..at].last() {
        Some(b'\r') => LineEnd::CrLf,
        _ => LineEnd::Lf,
    });
    let line_end = line_end.unwrap_or(now.line_end);
    let line = now.line.after(bytes);
    Step::Went { read: length, written: length, now: Now { line, line_end, ..now } }
}
