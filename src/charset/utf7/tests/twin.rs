//! Slow twins that look at a whole run at once, as a row of bits, and at a whole text as runs.

use crate::charset::walk::Decoded;
use crate::fault::Why;

/// What the twins know of a form.
pub struct Form {
    pub label: &'static str,
    pub shift: u8,
    pub digits: &'static str,
    direct: &'static str,
    one_spelling: bool,
}

const SET_O: &str = "!\"#$%&*;<=>@[]^_`{|}";

pub const PLAIN: Form = Form {
    label: "UTF-7",
    shift: b'+',
    digits: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    direct: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:? \t\r\n",
    one_spelling: false,
};

pub const MAILBOX: Form = Form {
    label: "UTF-7-IMAP",
    shift: b'&',
    digits: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,",
    direct: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:? \
             !\"#$%*;<=>@[]^_`{|}+\\~",
    one_spelling: true,
};

impl Form {
    pub fn digit(&self, octet: u8) -> Option<usize> {
        self.digits.find(char::from(octet))
    }

    fn reads_direct(&self, octet: u8) -> bool {
        let character = char::from(octet);
        self.direct.contains(character) || !self.one_spelling && SET_O.contains(character)
    }

    pub fn decode(&self, src: &[u8]) -> Decoded {
        let mut to = Decoded::default();
        let (mut at, mut behind_run) = (0, false);
        while at < src.len() {
            let octet = src[at];
            let run = src[at + 1..].iter().take_while(|octet| self.digit(**octet).is_some());
            let run = run.count();
            if octet == self.shift && run > 0 {
                if behind_run && self.one_spelling {
                    fault(&mut to, at, 1, Why::NullShift);
                }
                (at, behind_run) = self.decode_run(src, at + 1, at + 1 + run, &mut to);
                continue;
            }
            behind_run = false;
            match src.get(at + 1) {
                Some(b'-') if octet == self.shift => {
                    to.0.push(char::from(octet));
                    at += 1;
                }
                Some(_) if octet == self.shift => fault(&mut to, at, 1, Why::Shift),
                None if octet == self.shift => fault(&mut to, at, 1, Why::Truncated),
                _ if self.reads_direct(octet) => to.0.push(char::from(octet)),
                _ => fault(&mut to, at, 1, Why::Stray),
            }
            at += 1;
        }
        to
    }

    /// Decodes the run `src[from..to]`; says where to go on, and whether behind a `-`.
    fn decode_run(&self, src: &[u8], from: usize, to: usize, out: &mut Decoded) -> (usize, bool) {
        let values = src[from..to].iter().map(|octet| self.digit(*octet).unwrap());
        let bits: Vec<usize> =
            values.flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1)).collect();
        let value = |bits: &[usize]| bits.iter().fold(0, |value, bit| value << 1 | bit) as u16;
        let units: Vec<u16> = bits.chunks_exact(16).map(value).collect();
        let carrier = |bit: usize| from + bit / 6;
        let (mut index, mut bad_from) = (0, None);
        while index < units.len() {
            let (first, next) = (units[index], units.get(index + 1).copied());
            let high = (0xD800..0xDC00).contains(&first);
            let joined = high && next.is_some_and(|next| (0xDC00..0xE000).contains(&next));
            let taken = if joined { 2 } else { 1 };
            let character = String::from_utf16(&units[index..index + taken]);
            let begin = carrier(16 * index);
            let len = carrier(16 * (index + taken) - 1) + 1 - begin;
            match character {
                Ok(text) if self.one_spelling && (" "..="~").contains(&text.as_str()) => {
                    fault(out, begin, len, Why::Needless);
                }
                Ok(text) => out.0.push_str(&text),
                Err(_) if high && next.is_none() => bad_from = Some((begin, Why::Unpaired)),
                Err(_) => fault(out, begin, len, Why::Unpaired),
            }
            index += taken;
        }
        let spare = &bits[16 * units.len()..];
        if bad_from.is_none() && (spare.len() >= 6 || spare.contains(&1)) {
            let why = if spare.len() >= 6 { Why::Leftover } else { Why::Padding };
            bad_from = Some((carrier(16 * units.len()), why));
        }
        self.end_run(src, to, bad_from, out)
    }

    fn end_run(
        &self,
        src: &[u8],
        at: usize,
        bad_from: Option<(usize, Why)>,
        out: &mut Decoded,
    ) -> (usize, bool) {
        let cut = at == src.len();
        let closed = src.get(at) == Some(&b'-');
        match bad_from {
            Some((begin, why)) => {
                fault(out, begin, at - begin, if cut { Why::Truncated } else { why });
            }
            None if closed || !self.one_spelling => {}
            None => fault(out, at, 0, if cut { Why::Truncated } else { Why::Unclosed }),
        }
        (at + usize::from(closed), closed)
    }

    /// The base64 of some units, without its padding bits set or a hyphen behind it.
    pub fn base64(&self, units: &[u16]) -> String {
        let bits = units.iter().flat_map(|unit| (0..16).rev().map(move |bit| unit >> bit & 1));
        let mut bits: Vec<u16> = bits.collect();
        bits.resize(bits.len().next_multiple_of(6), 0);
        let value = |bits: &[u16]| bits.iter().fold(0, |value, bit| value << 1 | bit);
        let digit = |bits: &[u16]| char::from(self.digits.as_bytes()[usize::from(value(bits))]);
        bits.chunks_exact(6).map(digit).collect()
    }

    pub fn encode(&self, text: &str) -> String {
        let shift = char::from(self.shift);
        let mut wire = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let stays = |character: char| {
                !(self.direct.contains(character) || self.one_spelling && character == shift)
            };
            let run = rest.find(|character| !stays(character)).unwrap_or(rest.len());
            if first == shift {
                wire.extend([shift, '-']);
                rest = &rest[1..];
            } else if run == 0 {
                wire.push(first);
                rest = &rest[1..];
            } else {
                wire.push(shift);
                wire += &self.base64(&rest[..run].encode_utf16().collect::<Vec<_>>());
                rest = &rest[run..];
                let next = rest.bytes().next();
                let swallowed = |octet| self.digit(octet).is_some() || octet == b'-';
                if self.one_spelling || next.is_none_or(swallowed) {
                    wire.push('-');
                }
            }
        }
        wire
    }
}

fn fault((text, faults): &mut Decoded, offset: usize, len: usize, why: Why) {
    text.push('\u{FFFD}');
    faults.push((offset, len, why));
}
