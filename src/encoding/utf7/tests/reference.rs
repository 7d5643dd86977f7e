//! Slow twins that look at a whole run at once, as a row of bits, and at a whole text as runs.

use crate::conversion_error::MalformedReason;
use crate::encoding::testing::Decoded;

/// What the twins know of a form.
pub struct Utf7Reference {
    pub label: &'static str,
    pub shift: u8,
    pub digits: &'static str,
    direct_chars: &'static str,
    canonical_only: bool,
}

const SET_O: &str = "!\"#$%&*;<=>@[]^_`{|}";

pub const REFERENCE_UTF_7: Utf7Reference = Utf7Reference {
    label: "UTF-7",
    shift: b'+',
    digits: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    direct_chars: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:? \t\r\n",
    canonical_only: false,
};

pub const REFERENCE_IMAP: Utf7Reference = Utf7Reference {
    label: "UTF-7-IMAP",
    shift: b'&',
    digits: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,",
    direct_chars: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'(),-./:? \
             !\"#$%*;<=>@[]^_`{|}+\\~",
    canonical_only: true,
};

impl Utf7Reference {
    pub fn digit_value(&self, byte: u8) -> Option<usize> {
        self.digits.find(char::from(byte))
    }

    fn is_direct(&self, byte: u8) -> bool {
        let character = char::from(byte);
        self.direct_chars.contains(character) || !self.canonical_only && SET_O.contains(character)
    }

    pub fn decode(&self, src: &[u8]) -> Decoded {
        let mut to = Decoded::default();
        let (mut at, mut after_run) = (0, false);
        while at < src.len() {
            let byte = src[at];
            let run =
                src[at + 1..].iter().take_while(|raw_byte| self.digit_value(**raw_byte).is_some());
            let run = run.count();
            if byte == self.shift && run > 0 {
                if after_run && self.canonical_only {
                    push_error(&mut to, at, 1, MalformedReason::NullShift);
                }
                (at, after_run) = self.decode_run(src, at + 1, at + 1 + run, &mut to);
                continue;
            }
            after_run = false;
            match src.get(at + 1) {
                Some(b'-') if byte == self.shift => {
                    to.0.push(char::from(byte));
                    at += 1;
                }
                Some(_) if byte == self.shift => {
                    push_error(&mut to, at, 1, MalformedReason::EmptyShift)
                }
                None if byte == self.shift => {
                    push_error(&mut to, at, 1, MalformedReason::Truncated)
                }
                _ if self.is_direct(byte) => to.0.push(char::from(byte)),
                _ => push_error(&mut to, at, 1, MalformedReason::InvalidLeadByte),
            }
            at += 1;
        }
        to
    }

    /// Decodes the run `src[from..to]`; says where to go on, and whether after a `-`.
    fn decode_run(&self, src: &[u8], from: usize, to: usize, out: &mut Decoded) -> (usize, bool) {
        let values = src[from..to].iter().map(|byte| self.digit_value(*byte).unwrap());
        let bits: Vec<usize> =
            values.flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1)).collect();
        let value = |bits: &[usize]| bits.iter().fold(0, |value, bit| value << 1 | bit) as u16;
        let units: Vec<u16> = bits.chunks_exact(16).map(value).collect();
        let carrier = |bit: usize| from + bit / 6;
        let (mut index, mut invalid_from) = (0, None);
        while index < units.len() {
            let (first, next) = (units[index], units.get(index + 1).copied());
            let high = (0xD800..0xDC00).contains(&first);
            let joined = high && next.is_some_and(|next| (0xDC00..0xE000).contains(&next));
            let taken = if joined { 2 } else { 1 };
            let character = String::from_utf16(&units[index..index + taken]);
            let begin = carrier(16 * index);
            let len = carrier(16 * (index + taken) - 1) + 1 - begin;
            match character {
                Ok(text) if self.canonical_only && (" "..="~").contains(&text.as_str()) => {
                    push_error(out, begin, len, MalformedReason::EncodedAscii);
                }
                Ok(text) => out.0.push_str(&text),
                Err(_) if high && next.is_none() => {
                    invalid_from = Some((begin, MalformedReason::UnpairedSurrogate))
                }
                Err(_) => push_error(out, begin, len, MalformedReason::UnpairedSurrogate),
            }
            index += taken;
        }
        let spare = &bits[16 * units.len()..];
        if invalid_from.is_none() && (spare.len() >= 6 || spare.contains(&1)) {
            let reason = if spare.len() >= 6 {
                MalformedReason::IncompleteCodeUnit
            } else {
                MalformedReason::NonZeroPadding
            };
            invalid_from = Some((carrier(16 * units.len()), reason));
        }
        self.end_run(src, to, invalid_from, out)
    }

    fn end_run(
        &self,
        src: &[u8],
        at: usize,
        invalid_from: Option<(usize, MalformedReason)>,
        out: &mut Decoded,
    ) -> (usize, bool) {
        let cut = at == src.len();
        let closed = src.get(at) == Some(&b'-');
        match invalid_from {
            Some((begin, reason)) => {
                push_error(
                    out,
                    begin,
                    at - begin,
                    if cut { MalformedReason::Truncated } else { reason },
                );
            }
            None if closed || !self.canonical_only => {}
            None => push_error(
                out,
                at,
                0,
                if cut { MalformedReason::Truncated } else { MalformedReason::MissingShiftOut },
            ),
        }
        (at + usize::from(closed), closed)
    }

    /// The base64 of some units, without its padding bits set or a hyphen after it.
    pub fn encode_base64(&self, units: &[u16]) -> String {
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
                !(self.direct_chars.contains(character)
                    || self.canonical_only && character == shift)
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
                wire += &self.encode_base64(&rest[..run].encode_utf16().collect::<Vec<_>>());
                rest = &rest[run..];
                let next = rest.bytes().next();
                let swallowed = |byte| self.digit_value(byte).is_some() || byte == b'-';
                if self.canonical_only || next.is_none_or(swallowed) {
                    wire.push('-');
                }
            }
        }
        wire
    }
}

fn push_error((text, errors): &mut Decoded, offset: usize, len: usize, reason: MalformedReason) {
    text.push('\u{FFFD}');
    errors.push((offset, len, reason));
}
