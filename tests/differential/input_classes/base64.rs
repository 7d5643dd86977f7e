//! Flaws of text in UTF-7 and UTF-7-IMAP, found byte by byte and bit by bit.

use super::Base64Defect;

/// The differences between the two encodings.
#[derive(Debug, Clone, Copy)]
pub struct ShiftScanner {
    shift: u8,
    last_digit: u8,
    modified: bool,
}

impl ShiftScanner {
    /// Those of this encoding, if it shifts.
    pub fn parse(encoding: &str) -> Option<ShiftScanner> {
        match encoding {
            "UTF-7" => Some(ShiftScanner { shift: b'+', last_digit: b'/', modified: false }),
            "UTF-7-IMAP" => Some(ShiftScanner { shift: b'&', last_digit: b',', modified: true }),
            _ => None,
        }
    }

    /// The six bits of a base64 digit (RFC 2045, section 6.8; RFC 3501, section 5.1.3).
    fn digit(self, byte: u8) -> Option<u8> {
        match byte {
            b'A'..=b'Z' => Some(byte - b'A'),
            b'a'..=b'z' => Some(byte - b'a' + 26),
            b'0'..=b'9' => Some(byte - b'0' + 52),
            b'+' => Some(62),
            _ if byte == self.last_digit => Some(63),
            _ => None,
        }
    }

    /// Whether a byte outside base64 is a direct character (RFC 2152, rules 1 and 3).
    fn is_direct(self, byte: u8) -> bool {
        match byte {
            b'\t' | b'\n' | b'\r' => !self.modified,
            b'\\' | b'~' => self.modified,
            _ => (0x20..0x7F).contains(&byte),
        }
    }
}

/// A run of base64: its units, its spare bits, and what the input has after it.
struct Base64Run {
    units: Vec<u16>,
    spare: Vec<bool>,
    end: Option<u8>,
    follows_a_run: bool,
}

/// All flaws, in the order in which they are met.
pub fn defects(shifts: ShiftScanner, input: &[u8]) -> Vec<Base64Defect> {
    let mut flaws = Vec::new();
    let mut rest = input;
    // The last unit of the run that has just been closed with a `-`.
    let mut before: Option<u16> = None;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != shifts.shift {
            before = None;
            if byte > 0x7F {
                flaws.push(Base64Defect::HighByte);
            } else if !shifts.is_direct(byte) {
                flaws.push(Base64Defect::BareAscii);
            }
            continue;
        }
        match rest.first() {
            None => flaws.push(Base64Defect::ShiftAtEnd),
            Some(b'-') => (rest, before) = (&rest[1..], None),
            Some(&next) if shifts.digit(next).is_none() => flaws.push(Base64Defect::BareShift),
            Some(_) => {
                let run = read(shifts, &mut rest, before.is_some());
                classify(shifts, &run, before, &mut flaws);
                before = (run.end == Some(b'-')).then(|| run.units.last().copied().unwrap_or(0));
            }
        }
    }
    flaws
}

/// Reads a run with the `-` that closes it.
fn read(shifts: ShiftScanner, rest: &mut &[u8], follows_a_run: bool) -> Base64Run {
    let digits: Vec<u8> = rest.iter().map_while(|byte| shifts.digit(*byte)).collect();
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
    Base64Run { units: whole.map(unit).collect(), spare, end, follows_a_run }
}

fn classify(
    shifts: ShiftScanner,
    run: &Base64Run,
    before: Option<u16>,
    flaws: &mut Vec<Base64Defect>,
) {
    classify_units(shifts, run, before, flaws);
    let at_end = run.end.is_none();
    if run.spare.contains(&true) {
        flaws.push(if at_end {
            Base64Defect::DirtyPaddingAtEnd
        } else {
            Base64Defect::DirtyPadding
        });
    } else if run.spare.len() >= 6 {
        flaws.push(if at_end { Base64Defect::LongPaddingAtEnd } else { Base64Defect::LongPadding });
    }
    if shifts.modified {
        match run.end {
            Some(b'-') => {}
            Some(_) => flaws.push(Base64Defect::Unclosed),
            None => flaws.push(Base64Defect::UnclosedAtEnd),
        }
        if run.follows_a_run {
            flaws.push(Base64Defect::NullShift);
        }
    }
}

fn classify_units(
    shifts: ShiftScanner,
    run: &Base64Run,
    before: Option<u16>,
    flaws: &mut Vec<Base64Defect>,
) {
    let is_high = |unit: u16| (0xD800..0xDC00).contains(&unit);
    let is_low = |unit: u16| (0xDC00..0xE000).contains(&unit);
    let ends_input = run.end.is_none() && run.spare.len() < 6;
    let mut units = run.units.iter().copied().peekable();
    if units.peek().is_some_and(|first| is_low(*first)) && before.is_some_and(is_high) {
        // The high unit has been judged as unpaired.
        if let Some(judged) = flaws.iter().rposition(|flaw| *flaw == Base64Defect::Unpaired) {
            flaws[judged] = Base64Defect::SplitPair;
        }
        units.next();
    }
    while let Some(unit) = units.next() {
        if is_high(unit) && units.next_if(|next| is_low(*next)).is_some() {
            continue;
        }
        match u8::try_from(unit) {
            _ if is_high(unit) && units.peek().is_none() && ends_input => {
                flaws.push(Base64Defect::UnpairedAtEnd);
            }
            _ if is_high(unit) || is_low(unit) => flaws.push(Base64Defect::Unpaired),
            Ok(b'&') if shifts.modified => flaws.push(Base64Defect::NeedlessAmpersand),
            Ok(byte) if shifts.modified && shifts.is_direct(byte) => {
                flaws.push(Base64Defect::Needless)
            }
            _ => {}
        }
    }
}
