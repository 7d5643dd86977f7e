//! Slow models of the transfer encodings, which convert whole inputs, with the positions of errors.

use charpipe::internals::conversion_error::MalformedReason::{
    self, InvalidCharacter, InvalidEscape, InvalidFraming, InvalidLength, InvalidPadding,
    NonZeroPadding, OutOfRange, Truncated,
};

use super::random::{changed, plain};
use crate::transform::driver::{Direction, converted, decoded_with_errors};
use charpipe_test_support::XorShift;

type Decoded = (Vec<u8>, Vec<(usize, usize, MalformedReason)>);

/// The number of random inputs for each transform and its options.
const INPUTS: usize = 300;

/// Compares the decoder of a transform with a model, for what the encoder writes and for changed
/// inputs.
fn compare_decoder(label: &str, alphabet: &[u8], model: impl Fn(&[u8]) -> Decoded) {
    let mut random = XorShift::new(0x9E37_79B9_7F4A_7C15);
    let plain_label = label.replace("lenient", "");
    for index in 0..INPUTS {
        let max = if index % 20 == 0 { 400 } else { 40 };
        let plain = plain(&mut random, max);
        let encoded = converted(&plain_label, Direction::Encode, &plain);
        let some = match index % 4 {
            0 => encoded,
            1 => random.some(20, alphabet),
            _ => changed(&mut random, &encoded, alphabet),
        };
        let expected = model(&some);
        assert_eq!(
            decoded_with_errors(label, &some),
            expected,
            "{label}: b\"{}\"",
            some.escape_ascii()
        );
    }
}

fn compare_encoder(label: &str, model: impl Fn(&[u8]) -> Vec<u8>) {
    let mut random = XorShift::new(0x0123_4567_89AB_CDEF);
    for index in 0..INPUTS {
        let max = if index % 20 == 0 { 400 } else { 90 };
        let plain = plain(&mut random, max);
        let shown = plain.escape_ascii();
        let encoded = converted(label, Direction::Encode, &plain);
        assert_eq!(
            encoded.escape_ascii().to_string(),
            model(&plain).escape_ascii().to_string(),
            "{label}: b\"{shown}\""
        );
    }
}

/// A format of RFC 4648: the digits, the number of digits in a group, and whether the decoder
/// requires padding; `None` if it is optional.
struct Base {
    digits: &'static [u8],
    group: usize,
    padding: Option<bool>,
    ignores_case: bool,
}

const BASE64: Base = Base {
    digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    group: 4,
    padding: Some(true),
    ignores_case: false,
};
const BASE64URL: Base = Base {
    digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    padding: None,
    ..BASE64
};
const BASE32: Base = Base { digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", group: 8, ..BASE64 };
const BASE32HEX: Base = Base { digits: b"0123456789ABCDEFGHIJKLMNOPQRSTUV", ..BASE32 };
const HEX: Base =
    Base { digits: b"0123456789ABCDEF", group: 2, padding: Some(false), ignores_case: true };

impl Base {
    fn digit_bits(&self) -> usize {
        self.digits.len().trailing_zeros() as usize
    }

    /// Encodes bit by bit.
    fn encode(&self, plain: &[u8], line_len: usize, newline: &str, has_padding: bool) -> Vec<u8> {
        let bits: Vec<u8> =
            plain.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
        let mut out: Vec<u8> = bits
            .chunks(self.digit_bits())
            .map(|bits| {
                let value = bits.iter().fold(0, |value, bit| value << 1 | usize::from(*bit));
                self.digits[value << (self.digit_bits() - bits.len())]
            })
            .collect();
        while has_padding && out.len() % self.group != 0 {
            out.push(b'=');
        }
        if line_len == 0 {
            return out;
        }
        out.chunks(line_len).flat_map(|line| [line, newline.as_bytes()].concat()).collect()
    }

    fn value(&self, byte: u8) -> Option<usize> {
        let byte = if self.ignores_case { byte.to_ascii_uppercase() } else { byte };
        self.digits.iter().position(|digit| *digit == byte)
    }

    /// Decodes with a list of the bits of the group.
    fn decode(&self, src: &[u8]) -> Decoded {
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        let mut group: Vec<usize> = Vec::new();
        let (mut padding_left, mut is_ended) = (0, false);
        let bytes_of = |group: &[usize]| -> (Vec<u8>, usize) {
            let bits: Vec<usize> = group
                .iter()
                .flat_map(|value| (0..self.digit_bits()).rev().map(move |bit| value >> bit & 1))
                .collect();
            let number = |bits: &[usize]| bits.iter().fold(0, |value, bit| value << 1 | bit);
            let bytes = bits.chunks_exact(8).map(|bits| number(bits) as u8).collect();
            (bytes, number(bits.chunks_exact(8).remainder()))
        };
        let can_end = |count: usize| {
            (1..self.group).any(|len| (8 * len).div_ceil(self.digit_bits()) == count)
        };
        for (at, byte) in src.iter().enumerate() {
            if b" \t\r\n".contains(byte) {
                continue;
            }
            if let Some(value) = self.value(*byte) {
                if padding_left > 0 || is_ended {
                    errors.push((at, 1, InvalidPadding));
                    (padding_left, is_ended) = (0, false);
                }
                let written = bytes_of(&group).0.len();
                group.push(value);
                out.extend(&bytes_of(&group).0[written..]);
                if group.len() == self.group {
                    group.clear();
                }
            } else if *byte != b'=' || self.digits.len() == 16 {
                errors.push((at, 1, InvalidCharacter));
            } else if padding_left > 0 {
                padding_left -= 1;
                is_ended = padding_left == 0;
            } else if self.padding == Some(false) || !can_end(group.len()) {
                errors.push((at, 1, InvalidPadding));
            } else {
                if bytes_of(&group).1 != 0 {
                    errors.push((at, 1, NonZeroPadding));
                }
                padding_left = self.group - group.len() - 1;
                is_ended = padding_left == 0;
                group.clear();
            }
        }
        if padding_left > 0 {
            errors.push((src.len(), 0, InvalidPadding));
        } else if !group.is_empty() {
            if !can_end(group.len()) {
                errors.push((src.len(), 0, Truncated));
                return (out, errors);
            }
            if bytes_of(&group).1 != 0 {
                errors.push((src.len(), 0, NonZeroPadding));
            }
            if self.padding == Some(true) {
                errors.push((src.len(), 0, InvalidPadding));
            }
        }
        (out, errors)
    }
}

#[test]
fn base_encoders_agree_with_the_model() {
    compare_encoder("base64", |src| BASE64.encode(src, 76, "\n", true));
    compare_encoder("base64:newline=crlf", |src| BASE64.encode(src, 76, "\r\n", true));
    compare_encoder("base64:line=0,padding=no", |src| BASE64.encode(src, 0, "", false));
    compare_encoder("base64:line=61", |src| BASE64.encode(src, 61, "\n", true));
    compare_encoder("base64url", |src| BASE64URL.encode(src, 0, "", false));
    compare_encoder("base64url:line=20,padding=yes", |src| BASE64URL.encode(src, 20, "\n", true));
    compare_encoder("base32", |src| BASE32.encode(src, 76, "\n", true));
    compare_encoder("base32:line=8,newline=crlf", |src| BASE32.encode(src, 8, "\r\n", true));
    compare_encoder("base32hex:line=0", |src| BASE32HEX.encode(src, 0, "", true));
    compare_encoder("hex", |src| HEX.encode(src, 76, "\n", false));
    compare_encoder("hex:line=1", |src| HEX.encode(src, 1, "\n", false));
}

#[test]
fn base_decoders_agree_with_the_model() {
    let alphabet = b"ABZabz019+/-_== \r\n\t.";
    let padded = |padding| Base { padding, ..BASE64 };
    compare_decoder("base64", alphabet, |src| BASE64.decode(src));
    compare_decoder("base64:padding=no", alphabet, |src| padded(Some(false)).decode(src));
    compare_decoder("base64:padding=optional", alphabet, |src| padded(None).decode(src));
    compare_decoder("base64url", alphabet, |src| BASE64URL.decode(src));
    compare_decoder("base32", b"AZ27====8 \r\nb", |src| BASE32.decode(src));
    compare_decoder("base32hex", b"AVW09===8 \r\nb", |src| BASE32HEX.decode(src));
    compare_decoder("hex", b"0189afAFgG= \n\t", |src| HEX.decode(src));
}

fn is_printable(byte: u8) -> bool {
    (0x21..=0x7E).contains(&byte)
}

/// Returns the byte of `=XX` or `%XX` at the start.
fn escaped_byte(src: &[u8], mark: u8) -> Option<u8> {
    let digits = src.get(1..3).filter(|_| src[0] == mark)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns the length and the reason of an invalid escape at the start.
fn escape_error(src: &[u8], mark: u8) -> (usize, MalformedReason) {
    let len = 1 + src[1..].iter().take(2).take_while(|b| is_printable(**b) && **b != mark).count();
    (len, if len == src.len() && len < 3 { Truncated } else { InvalidEscape })
}

/// Decodes line by line.
fn decode_qp(src: &[u8]) -> Decoded {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for line in src.split_inclusive(|byte| *byte == b'\n') {
        let is_last = !line.ends_with(b"\n");
        let ending: &[u8] = if line.ends_with(b"\r\n") {
            b"\r\n"
        } else if is_last {
            b""
        } else {
            b"\n"
        };
        let text = &line[..line.len() - ending.len()];
        let trimmed_len =
            text.iter().rposition(|byte| !b" \t".contains(byte)).map_or(0, |at| at + 1);
        let mut trimmed = &text[..trimmed_len];
        let mut has_ending = true;
        // A soft line break: the `=` is not part of an escape, since nothing follows it.
        if !is_last && trimmed.ends_with(b"=") {
            trimmed = &trimmed[..trimmed_len - 1];
            has_ending = false;
        }
        let mut at = 0;
        while at < trimmed.len() {
            let rest = &trimmed[at..];
            // Escapes do not reach over the end of a line, but may be cut off at that of the input.
            if let Some(byte) = escaped_byte(rest, b'=') {
                out.push(byte);
                at += 3;
            } else if rest[0] == b'=' {
                let (len, reason) = match escape_error(rest, b'=') {
                    (1, _) if is_last && rest.len() == 1 => (text.len() - at, Truncated),
                    (len, _) if !is_last || text.len() > trimmed_len => (len, InvalidEscape),
                    other => other,
                };
                errors.push((offset + at, len, reason));
                at += len;
            } else {
                if is_printable(rest[0]) || b" \t".contains(&rest[0]) {
                    out.push(rest[0]);
                } else {
                    errors.push((offset + at, 1, InvalidCharacter));
                }
                at += 1;
            }
        }
        if has_ending {
            out.extend(ending);
        }
        offset += line.len();
    }
    (out, errors)
}

/// Encodes to units, and puts units on lines as long as they fit.
fn encode_qp(src: &[u8], is_binary: bool, is_crlf: bool) -> Vec<u8> {
    let newline = if is_crlf { "\r\n" } else { "\n" };
    let mut lines: Vec<(Vec<u8>, &str)> = Vec::new();
    if is_binary {
        lines.push((src.to_vec(), ""));
    } else {
        for line in src.split_inclusive(|byte| *byte == b'\n') {
            let ending = match line {
                [.., b'\r', b'\n'] => "\r\n",
                [.., b'\n'] => "\n",
                _ => "",
            };
            let text = line[..line.len() - ending.len()].to_vec();
            lines.push((text, if is_crlf && !ending.is_empty() { newline } else { ending }));
        }
    }
    let mut out = String::new();
    for (line, ending) in lines {
        let mut column = 0;
        for (index, byte) in line.iter().enumerate() {
            let is_last = index + 1 == line.len();
            let is_copied = match byte {
                b' ' | b'\t' => !is_last,
                byte => is_printable(*byte) && *byte != b'=',
            };
            let unit =
                if is_copied { char::from(*byte).to_string() } else { format!("={byte:02X}") };
            if column + unit.len() > if is_last { 76 } else { 75 } {
                out += "=";
                out += newline;
                column = 0;
            }
            column += unit.len();
            out += &unit;
        }
        out += ending;
    }
    out.into_bytes()
}

#[test]
fn quoted_printable_agrees_with_the_model() {
    compare_encoder("qp", |src| encode_qp(src, false, false));
    compare_encoder("qp:newline=crlf", |src| encode_qp(src, false, true));
    compare_encoder("qp:binary", |src| encode_qp(src, true, false));
    compare_encoder("qp:binary,newline=crlf", |src| encode_qp(src, true, true));
    compare_decoder("qp", b"==A4g \t\r\n\n\xE9\0", decode_qp);
    compare_decoder("qp:binary", b"== \t\r\n\n", decode_qp);
}

#[test]
fn long_white_space_in_quoted_printable_is_dropped_up_to_a_limit() {
    for (len, after, expected) in
        [(1000, "\n", 0), (1001, "\r\n", 1), (1300, "", 300), (1300, "x", 1300), (999, "=\n", 999)]
    {
        let input = format!("a{}{after}", " ".repeat(len));
        let ending = if after.starts_with('=') { "" } else { after };
        let expected = format!("a{}{ending}", " ".repeat(expected));
        let (out, errors) = decoded_with_errors("qp", input.as_bytes());
        assert_eq!((String::from_utf8(out), errors), (Ok(expected), vec![]), "{len} {after:?}");
    }
    let input = format!("={}\nb={}\n", " ".repeat(1000), " ".repeat(1001));
    let expected = (b"b \n".to_vec(), vec![(1003, 1, InvalidEscape)]);
    assert_eq!(decoded_with_errors("qp", input.as_bytes()), expected);
}

fn encode_percent(src: &[u8], kept: &[u8], is_form: bool) -> Vec<u8> {
    let unit = |byte: &u8| match byte {
        b' ' if is_form => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() || kept.contains(byte) => {
            char::from(*byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    src.iter().map(unit).collect::<String>().into_bytes()
}

fn decode_percent(src: &[u8], is_form: bool) -> Decoded {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < src.len() {
        let rest = &src[at..];
        if let Some(byte) = escaped_byte(rest, b'%') {
            out.push(byte);
            at += 3;
            continue;
        }
        match rest[0] {
            b'%' => {
                let (len, reason) = escape_error(rest, b'%');
                errors.push((at, len, reason));
                at += len;
                continue;
            }
            b'+' if is_form => out.push(b' '),
            byte if byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=\n".contains(&byte) => {
                out.push(byte);
            }
            b'\r' if rest.get(1) == Some(&b'\n') => out.push(b'\r'),
            _ => errors.push((at, 1, InvalidCharacter)),
        }
        at += 1;
    }
    (out, errors)
}

#[test]
fn percent_and_form_agree_with_the_model() {
    compare_encoder("percent", |src| encode_percent(src, b"-._~", false));
    compare_encoder("percent:keep=reserved", |src| {
        encode_percent(src, b"-._~:/?#[]@!$&'()*+,;=", false)
    });
    compare_encoder("form", |src| encode_percent(src, b"*-._", true));
    compare_decoder("percent", b"%%%aF4g+ \r\n\xE9", |src| decode_percent(src, false));
    compare_decoder("form", b"%%%aF4g+ \r\n\xE9", |src| decode_percent(src, true));
}

#[test]
fn lines_are_kept_on_request() {
    for label in ["percent:lines", "form:lines"] {
        compare_encoder(label, |src| {
            let name = label.split_once(':').expect("options").0;
            let mut out = Vec::new();
            for line in src.split_inclusive(|byte| *byte == b'\n') {
                let ending = match line {
                    [.., b'\r', b'\n'] => 2,
                    [.., b'\n'] => 1,
                    _ => 0,
                };
                let (text, ending) = line.split_at(line.len() - ending);
                out.extend(converted(name, Direction::Encode, text));
                out.extend(ending);
            }
            out
        });
    }
}

const SIMPLE_ESCAPES: [(u8, &str); 10] = [
    (b'\\', "\\\\"),
    (b'"', "\\\""),
    (b'\'', "\\'"),
    (7, "\\a"),
    (8, "\\b"),
    (9, "\\t"),
    (10, "\\n"),
    (11, "\\v"),
    (12, "\\f"),
    (13, "\\r"),
];

fn encode_byte_escapes(src: &[u8], number: fn(u8) -> String, is_simple: bool) -> Vec<u8> {
    let unit = |byte: &u8| {
        let is_text = is_printable(*byte) || *byte == b' ';
        match SIMPLE_ESCAPES.iter().find(|(own, _)| own == byte) {
            Some((_, escape)) if is_simple && *byte != b'\'' => (*escape).to_owned(),
            _ if byte.is_ascii() && *byte != b'\\' && (is_text || !is_simple) => {
                char::from(*byte).to_string()
            }
            _ => number(*byte),
        }
    };
    src.iter().map(unit).collect::<String>().into_bytes()
}

/// Decodes with the longest escape of a list of all.
fn decode_byte_escapes(src: &[u8], is_simple: bool, is_strict: bool) -> Decoded {
    let mut escapes: Vec<(String, u8)> = Vec::new();
    for byte in 0..=u8::MAX {
        escapes.extend([format!("\\x{byte:02x}"), format!("\\x{byte:02X}")].map(|e| (e, byte)));
        let (high, low) = (byte >> 4, byte & 15);
        escapes.push((format!("\\x{high:X}{low:x}"), byte));
        escapes.push((format!("\\x{high:x}{low:X}"), byte));
        escapes.push((format!("\\{byte:03o}"), byte));
        if is_simple {
            escapes.push((format!("\\{byte:o}"), byte));
            escapes.push((format!("\\{byte:02o}"), byte));
        }
    }
    if is_simple {
        escapes.extend(SIMPLE_ESCAPES.iter().map(|(byte, escape)| ((*escape).to_owned(), *byte)));
    }
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < src.len() {
        let rest = &src[at..];
        let found = escapes.iter().filter(|(escape, _)| rest.starts_with(escape.as_bytes()));
        let octal_len = rest[1..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
        let is_too_large = octal_len == 3 && rest[1] > b'3';
        if rest[0] != b'\\' {
            out.push(rest[0]);
            at += 1;
            continue;
        }
        if let (Some((escape, byte)), false) = (found.max_by_key(|(e, _)| e.len()), is_too_large) {
            out.push(*byte);
            at += escape.len();
            continue;
        }
        let len = match rest.get(1) {
            Some(b'x') => 2 + usize::from(rest.get(2).is_some_and(u8::is_ascii_hexdigit)),
            Some(b'0'..=b'7') => 1 + octal_len,
            Some(byte) => 1 + usize::from(is_printable(*byte)),
            None => 1,
        };
        let is_start = matches!(rest.get(1), None | Some(b'x' | b'0'..=b'7'));
        if is_strict {
            let reason = match is_too_large {
                true => OutOfRange,
                false if is_start && len == rest.len() => Truncated,
                false => InvalidEscape,
            };
            errors.push((at, len, reason));
            at += len;
        } else {
            let copied = if rest.get(1) == Some(&b'\\') { 2 } else { 1 };
            out.extend(&rest[..copied]);
            at += copied;
        }
    }
    (out, errors)
}

#[test]
fn byte_escapes_agree_with_the_model() {
    let hex = |byte| format!("\\x{byte:02X}");
    compare_encoder("byte-escapes", |src| encode_byte_escapes(src, hex, false));
    compare_encoder("byte-escapes:simple", |src| encode_byte_escapes(src, hex, true));
    compare_encoder("byte-escapes:form=octal,simple", |src| {
        encode_byte_escapes(src, |byte| format!("\\{byte:03o}"), true)
    });
    for (label, is_simple, is_strict) in [
        ("byte-escapes", false, false),
        ("byte-escapes:simple", true, false),
        ("byte-escapes:strict", false, true),
        ("byte-escapes:simple,strict", true, true),
    ] {
        let alphabet = b"\\\\\\\\xxaA01347n8\xE9";
        compare_decoder(label, alphabet, |src| decode_byte_escapes(src, is_simple, is_strict));
    }
}

fn encode_uu(src: &[u8]) -> Vec<u8> {
    let digit = |value: usize| if value == 0 { '`' } else { char::from(b' ' + value as u8) };
    let mut out = "begin 644 /dev/stdout\n".to_owned();
    for line in src.chunks(45) {
        out.push(digit(line.len()));
        for group in line.chunks(3) {
            let mut group = group.to_vec();
            group.resize(3, 0);
            let [a, b, c] = [0, 1, 2].map(|index| usize::from(group[index]));
            out.extend([a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 63].map(digit));
        }
        out.push('\n');
    }
    (out + "`\nend\n").into_bytes()
}

/// Decodes line by line.
fn decode_uu(src: &[u8]) -> Decoded {
    #[derive(PartialEq)]
    enum Section {
        Outside,
        Data,
        End,
    }
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let (mut section, mut has_header, mut offset) = (Section::Outside, false, 0);
    for line in src.split_inclusive(|byte| *byte == b'\n') {
        let ending = if line.ends_with(b"\r\n") { 2 } else { usize::from(line.ends_with(b"\n")) };
        let (text, ending) = line.split_at(line.len() - ending);
        let start = offset;
        offset += line.len();
        let is_end_line =
            text.starts_with(b"end") && text.get(3).is_none_or(u8::is_ascii_whitespace);
        if section == Section::Outside {
            let mode = text.strip_prefix(b"begin ").unwrap_or_default();
            let mode_len = mode.iter().take_while(|byte| (b'0'..=b'7').contains(byte)).count();
            if (3..=4).contains(&mode_len) && mode.get(mode_len) == Some(&b' ') {
                (section, has_header) = (Section::Data, true);
                if ending.is_empty() {
                    section = Section::Data;
                }
            }
            continue;
        }
        if section == Section::End || is_end_line {
            if section == Section::Data || !is_end_line {
                errors.push((start, 0, InvalidFraming));
            }
            if is_end_line {
                section = Section::Outside;
                continue;
            }
            section = Section::Data;
        }
        let value = |byte: u8| (0x20..=0x60).contains(&byte).then(|| usize::from(byte - 0x20) % 64);
        let Some(first) = text.first() else {
            errors.push((start, ending.len(), InvalidLength));
            continue;
        };
        let Some(len) = value(*first) else {
            errors.push((start, 1, InvalidCharacter));
            continue;
        };
        let (mut left, mut group, mut is_reported) = (len, Vec::new(), false);
        for (index, byte) in text.iter().enumerate().skip(1) {
            if left == 0 {
                errors.push((start + index, 1, InvalidLength));
                is_reported = true;
                break;
            }
            match value(*byte) {
                Some(value) => group.push(value),
                None => errors.push((start + index, 1, InvalidCharacter)),
            }
            if let [a, b, c, d] = group[..] {
                let bytes = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d].map(|byte| byte as u8);
                let count = left.min(3);
                out.extend(&bytes[..count]);
                left -= count;
                group.clear();
            }
        }
        if ending.is_empty() {
            // The end of the input.
            break;
        }
        if left > 0 && !is_reported {
            errors.push((start + text.len(), ending.len(), InvalidLength));
        }
        if len == 0 {
            section = Section::End;
        }
    }
    match section {
        Section::Outside if has_header => {}
        Section::Outside => errors.push((src.len(), 0, InvalidFraming)),
        _ => errors.push((src.len(), 0, Truncated)),
    }
    (out, errors)
}

#[test]
fn uuencode_agrees_with_the_model() {
    compare_encoder("uu", encode_uu);
    compare_decoder("uu", b"begin 644\n\n`#end \r", decode_uu);
}
