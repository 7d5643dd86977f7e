//! A reference implementation, which decodes a run as a whole as a sequence of bits, and a text as
//! a sequence of runs; and tests that compare the codecs with it.

use super::{UTF_7, UTF_7_IMAP};
use crate::codec::Status;
use crate::conversion_error::MalformedReason;
use crate::encoding::testing::{Decoded, decode, decode_every_way, encode, encode_every_way};
use crate::encoding::{Encoding, EncodingOptions};
use charpipe_test_support as testing;

/// The variant of the reference implementation.
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

    /// Decodes the run `src[from..to]`; returns the position after it, and whether it ended with
    /// `-`.
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

    /// Returns the base64 of code units, with zero padding bits and without a hyphen.
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

/// Calls `each` with every sequence of `symbols` up to a length.
fn for_each_sequence<T: Copy>(symbols: &[T], longest: usize, each: &mut dyn FnMut(&[T])) {
    fn extend<T: Copy>(row: &mut Vec<T>, from: (&[T], usize), each: &mut dyn FnMut(&[T])) {
        each(row);
        if row.len() < from.1 {
            for symbol in from.0 {
                row.push(*symbol);
                extend(row, from, each);
                row.pop();
            }
        }
    }
    extend(&mut Vec::new(), (symbols, longest), each);
}

#[test]
fn decoder_matches_reference_on_all_short_inputs() {
    for (form, symbols) in [
        (REFERENCE_UTF_7, b"+-AQo2/\\~\x80\xC3 ".as_slice()),
        (REFERENCE_IMAP, b"&-AQo2,/!\x80\xC3 "),
    ] {
        for_each_sequence(symbols, 5, &mut |src| {
            let walk = if src.len() <= 3 { decode_every_way } else { decode };
            assert_eq!(walk(form.label, src), form.decode(src), "{src:?}");
        });
    }
}

#[test]
fn decoder_matches_reference_on_runs_and_their_ends() {
    let units = [0x41, 0xE9, 0x263A, 0xDBFF, 0xDC00];
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for_each_sequence(&units, 4, &mut |units| {
            let run = form.encode_base64(units);
            for extra in ["", "A", "B", "3A", "AAA"] {
                for end in ["", "-", "-.", ".", "-+-", "-&-", "-+AOk", "-&AOk-", "\u{80}"] {
                    let src = format!("{}{run}{extra}{end}", char::from(form.shift)).into_bytes();
                    let walk = if units.len() <= 2 { decode_every_way } else { decode };
                    let decoded = walk(form.label, &src);
                    assert_eq!(decoded, form.decode(&src), "{:?}", String::from_utf8_lossy(&src));
                }
            }
            // Sets a padding bit.
            let mut src = [&[form.shift], run.as_bytes(), b"-"].concat();
            let last = src.len() - 2;
            if let Some(digit) = form.digit_value(src[last]).filter(|_| units.len() % 3 != 0) {
                src[last] = form.digits.as_bytes()[digit | 1];
                assert_eq!(decode(form.label, &src), form.decode(&src), "{src:?}");
            }
        });
    }
}

#[test]
fn long_runs_match_reference_at_every_position() {
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for odd in [0x41, 0xE9, 0xD83D, 0xDE00] {
            for index in 0..20 {
                let mut units = [0x263A; 20];
                units[index] = odd;
                let src = format!("{}{}-", char::from(form.shift), form.encode_base64(&units));
                let decoded = decode_every_way(form.label, src.as_bytes());
                assert_eq!(decoded, form.decode(src.as_bytes()), "{src}");
            }
        }
    }
}

#[test]
fn encoder_matches_reference_on_all_short_texts() {
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for_each_sequence(
            &['a', '-', '+', '/', '.', '&', '~', '\n', '\u{E9}', '\u{1F600}'],
            5,
            &mut |row| {
                let text: String = row.iter().collect();
                let walk = if row.len() <= 3 { encode_every_way } else { encode };
                let encoded = walk(form.label, &text).0;
                assert_eq!(encoded, form.encode(&text).as_bytes(), "{text:?}");
            },
        );
    }
}

#[test]
fn long_texts_match_reference_at_every_position() {
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for odd in ['a', '+', '&', '.', '~', '\u{E9}', '\u{FFFF}', '\u{1F600}'] {
            for index in 0..20 {
                let mut characters = ['\u{263A}'; 20];
                characters[index] = odd;
                let text: String = characters.iter().collect();
                let encoded = encode_every_way(form.label, &text).0;
                assert_eq!(encoded, form.encode(&text).as_bytes(), "{text:?}");
            }
        }
    }
}

#[test]
fn decoder_matches_reference_on_long_inputs() {
    const UNITS: [&[u16]; 6] = [
        &[0x416, 0xE9, 0x7FF],
        &[0x4E2D, 0x263A, 0xFFFF],
        &[0xD83D, 0xDE00],
        &[0xD83D, 0xDE00, 0xD83D, 0xDE00, 0x2D, 0x41],
        &[0xD800, 0xDFFF, 0x416],
        &[0x41, 0x22, 0x416],
    ];
    const OTHERS: [&str; 12] =
        ["", "-", " ", "+", "&", "+-", "&-", "A", "word and word", "\u{7F}", "-+", "/"];
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for seed in 0..300 {
            let mut random = testing::random(seed);
            // Most inputs are mostly well-formed, so that the kernels make progress.
            let (sorts, others) = if seed % 3 == 0 { (6, OTHERS.len()) } else { (3, 3) };
            let mut src = String::new();
            while src.len() < 400 {
                let sort = UNITS[random.below(sorts)];
                let longest = random.one(&[2, 8, 40]);
                let units: Vec<u16> =
                    sort.iter().copied().cycle().take(1 + random.below(longest)).collect();
                let end = if random.below(20) < 19 { "-" } else { "" };
                src += &format!("{}{}{end}", char::from(form.shift), form.encode_base64(&units));
                src += OTHERS[random.below(others)];
                src += &"direct ".repeat(random.below(6));
            }
            assert_eq!(decode(form.label, src.as_bytes()), form.decode(src.as_bytes()), "{src}");
        }
    }
}

#[test]
fn encoder_matches_reference_on_long_texts() {
    const SORTS: [&str; 9] =
        ["aA9/", "-", "+", "&", "~\"=\0", "éж\u{7FF}", "中☺\u{FFFF}", "😀", "é中😀+\""];
    for form in [REFERENCE_UTF_7, REFERENCE_IMAP] {
        for seed in 0..300 {
            let mut random = testing::random(seed);
            let mut text = String::new();
            while text.len() < 400 {
                let sort: Vec<char> = random.one(&SORTS).chars().collect();
                for _ in 0..=random.below([2, 8, 40][seed as usize % 3]) {
                    text.push(random.one(&sort));
                }
                text += random.one(&["", " ", "word"]);
            }
            let encoded = encode(form.label, &text).0;
            assert_eq!(encoded, form.encode(&text).as_bytes(), "{text:?}");
        }
    }
}

const REFERENCES: [(&Encoding, Utf7Reference); 2] =
    [(&UTF_7, REFERENCE_UTF_7), (&UTF_7_IMAP, REFERENCE_IMAP)];

/// Returns texts with runs of each kind and length, and little between them.
fn texts() -> impl Iterator<Item = String> {
    let parts = ["é", "中", "😀", "é中😀", "+&", "\u{7F}é", "中😀\u{FE0F}"];
    parts.into_iter().flat_map(|part| {
        [1, 2, 3, 7, 40].map(|count| {
            let run = part.repeat(count) + [" ", "a", "-"][count % 3];
            run.repeat(1 + 300 / run.len()) + &"z".repeat(130)
        })
    })
}

#[test]
fn text_may_be_split_after_any_character() {
    for (encoding, form) in REFERENCES {
        for text in texts() {
            let expected = form.encode(&text);
            for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
                let mut encoder = encoding.encoder(&EncodingOptions::default());
                let (mut dst, mut written) = (vec![0; 8 * text.len()], 0);
                for (part, end) in [(&text[..cut], false), (&text[cut..], true)] {
                    let progress = encoder.encode(part, &mut dst[written..], end);
                    assert_eq!((progress.read, progress.status), (part.len(), Status::InputEmpty));
                    written += progress.written;
                }
                assert!(dst[..written] == *expected.as_bytes(), "{} {cut} {text}", encoding.name());
            }
        }
    }
}

#[test]
fn bytes_may_be_split_anywhere() {
    for (encoding, form) in REFERENCES {
        for text in texts() {
            let src = form.encode(&text).into_bytes();
            for cut in 0..=src.len() {
                let mut decoder = encoding.decoder(&EncodingOptions::default());
                let mut dst = vec![0; 2 * text.len() + 200];
                let first = decoder.decode(&src[..cut], &mut dst, false);
                assert_eq!(first.status, Status::InputEmpty, "{} {cut} {text}", encoding.name());
                let rest = decoder.decode(&src[first.read..], &mut dst[first.written..], true);
                assert_eq!(rest.status, Status::InputEmpty, "{} {cut} {text}", encoding.name());
                let written = first.written + rest.written;
                assert!(dst[..written] == *text.as_bytes(), "{} {cut} {text}", encoding.name());
            }
        }
    }
}
