//! Flaws of text in UTF-7 and UTF-7-IMAP, found octet by octet and bit by bit.

use super::Flaw;

/// What tells the two charsets apart.
#[derive(Debug, Clone, Copy)]
pub struct Shifts {
    shift: u8,
    last_digit: u8,
    modified: bool,
}

impl Shifts {
    /// Those of this charset, if it shifts.
    pub fn of(charset: &str) -> Option<Shifts> {
        match charset {
            "UTF-7" => Some(Shifts { shift: b'+', last_digit: b'/', modified: false }),
            "UTF-7-IMAP" => Some(Shifts { shift: b'&', last_digit: b',', modified: true }),
            _ => None,
        }
    }

    /// The six bits of a base64 digit (RFC 2045, section 6.8; RFC 3501, section 5.1.3).
    fn digit(self, octet: u8) -> Option<u8> {
        match octet {
            b'A'..=b'Z' => Some(octet - b'A'),
            b'a'..=b'z' => Some(octet - b'a' + 26),
            b'0'..=b'9' => Some(octet - b'0' + 52),
            b'+' => Some(62),
            _ if octet == self.last_digit => Some(63),
            _ => None,
        }
    }

    /// Whether an octet outside base64 stands for itself (RFC 2152, rules 1 and 3).
    fn is_direct(self, octet: u8) -> bool {
        match octet {
            b'\t' | b'\n' | b'\r' => !self.modified,
            b'\\' | b'~' => self.modified,
            _ => (0x20..0x7F).contains(&octet),
        }
    }
}

/// A run of base64: its units, its spare bits, and what the input has behind it.
struct Run {
    units: Vec<u16>,
    spare: Vec<bool>,
    end: Option<u8>,
    follows_a_run: bool,
}

/// All flaws, in the order in which they are met.
pub fn flaws(shifts: Shifts, input: &[u8]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    let mut rest = input;
    // The last unit of the run that has just been closed with a `-`.
    let mut before: Option<u16> = None;
    while let Some((&octet, behind)) = rest.split_first() {
        rest = behind;
        if octet != shifts.shift {
            before = None;
            if octet > 0x7F {
                flaws.push(Flaw::HighOctet);
            } else if !shifts.is_direct(octet) {
                flaws.push(Flaw::BareAscii);
            }
            continue;
        }
        match rest.first() {
            None => flaws.push(Flaw::ShiftAtEnd),
            Some(b'-') => (rest, before) = (&rest[1..], None),
            Some(&next) if shifts.digit(next).is_none() => flaws.push(Flaw::BareShift),
            Some(_) => {
                let run = read(shifts, &mut rest, before.is_some());
                judge(shifts, &run, before, &mut flaws);
                before = (run.end == Some(b'-')).then(|| run.units.last().copied().unwrap_or(0));
            }
        }
    }
    flaws
}

/// Reads a run with the `-` that closes it.
fn read(shifts: Shifts, rest: &mut &[u8], follows_a_run: bool) -> Run {
    let digits: Vec<u8> = rest.iter().map_while(|octet| shifts.digit(*octet)).collect();
    *rest = &rest[digits.len()..];
    let end = rest.first().copied();
    if end == Some(b'-') {
        *rest = &rest[1..];
    }
    let bits: Vec<bool> =
        digits.iter().flat_map(|digit| (0..6).rev().map(move |at| digit >> at & 1 == 1)).collect();
    let whole = bits.chunks_exact(16);
    let spare = whole.remainder().to_vec();
    let unit = |bits: &[bool]| bits.iter().fold(0, |unit, bit| unit << 1 | u16::from(*bit));
    Run { units: whole.map(unit).collect(), spare, end, follows_a_run }
}

fn judge(shifts: Shifts, run: &Run, before: Option<u16>, flaws: &mut Vec<Flaw>) {
    judge_units(shifts, run, before, flaws);
    let at_end = run.end.is_none();
    if run.spare.contains(&true) {
        flaws.push(if at_end { Flaw::DirtyPaddingAtEnd } else { Flaw::DirtyPadding });
    } else if run.spare.len() >= 6 {
        flaws.push(if at_end { Flaw::LongPaddingAtEnd } else { Flaw::LongPadding });
    }
    if shifts.modified {
        match run.end {
            Some(b'-') => {}
            Some(_) => flaws.push(Flaw::Unclosed),
            None => flaws.push(Flaw::UnclosedAtEnd),
        }
        if run.follows_a_run {
            flaws.push(Flaw::NullShift);
        }
    }
}

fn judge_units(shifts: Shifts, run: &Run, before: Option<u16>, flaws: &mut Vec<Flaw>) {
    let is_high = |unit: u16| (0xD800..0xDC00).contains(&unit);
    let is_low = |unit: u16| (0xDC00..0xE000).contains(&unit);
    let ends_input = run.end.is_none() && run.spare.len() < 6;
    let mut units = run.units.iter().copied().peekable();
    if units.peek().is_some_and(|first| is_low(*first)) && before.is_some_and(is_high) {
        // The high unit has been judged as unpaired.
        if let Some(judged) = flaws.iter().rposition(|flaw| *flaw == Flaw::Unpaired) {
            flaws[judged] = Flaw::SplitPair;
        }
        units.next();
    }
    while let Some(unit) = units.next() {
        if is_high(unit) && units.next_if(|next| is_low(*next)).is_some() {
            continue;
        }
        match u8::try_from(unit) {
            _ if is_high(unit) && units.peek().is_none() && ends_input => {
                flaws.push(Flaw::UnpairedAtEnd);
            }
            _ if is_high(unit) || is_low(unit) => flaws.push(Flaw::Unpaired),
            Ok(b'&') if shifts.modified => flaws.push(Flaw::NeedlessAmpersand),
            Ok(octet) if shifts.modified && shifts.is_direct(octet) => flaws.push(Flaw::Needless),
            _ => {}
        }
    }
}
