//! A text in each encoding without this crate: from the standard library, the plainest way, or from
//! a crate that has the encodings of the Encoding Standard.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use encoding_rs::Encoding;

/// A text in an encoding.
///
/// # Panics
///
/// If the encoding is not one of those below or cannot encode a character.
pub fn encode_text(encoding: &str, text: &str) -> Vec<u8> {
    match encoding {
        "utf-8" => text.into(),
        "us-ascii" => text.bytes().inspect(|byte| assert!(byte.is_ascii())).collect(),
        "latin1" => text.chars().map(|c| u8::try_from(c).expect("below U+0100")).collect(),
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-32le" => text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
        "utf-7" => utf7(text),
        "utf-5" => text.chars().flat_map(|c| utf5(c).into_bytes()).collect(),
        other => encode_with_encoding_rs(other, text),
    }
}

/// An encoding of the Encoding Standard, by a label that means the same here.
fn encode_with_encoding_rs(label: &str, text: &str) -> Vec<u8> {
    let encoding = Encoding::for_label(label.as_bytes()).expect("named in the table");
    let (bytes, _, has_unmappable) = encoding.encode(text);
    assert!(!has_unmappable, "{label} cannot encode a character of the text");
    bytes.into_owned()
}

/// Hexadecimal digits, the first of them moved from 0…F to G…V (draft-jseng-utf5-00, section 2).
fn utf5(character: char) -> String {
    let digits = format!("{:X}", u32::from(character));
    let (first, rest) = digits.split_at(1);
    let value = u8::from_str_radix(first, 16).expect("a digit");
    format!("{}{rest}", char::from(b'G' + value))
}

/// RFC 2152's rules with set O in Base64 and no `-` that is not needed.
fn utf7(text: &str) -> Vec<u8> {
    let direct = |c: char| c.is_ascii_alphanumeric() || "'(),-./:? \t\r\n".contains(c);
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let run = &rest[..rest.find(direct).unwrap_or(rest.len())];
        if direct(first) || first == '+' {
            out.push_str(if first == '+' { "+-" } else { &rest[..1] });
            rest = &rest[1..];
            continue;
        }
        let units: Vec<u8> = run.encode_utf16().flat_map(u16::to_be_bytes).collect();
        rest = &rest[run.len()..];
        let needs_hyphen =
            rest.chars().next().is_none_or(|c| c.is_ascii_alphanumeric() || "/-".contains(c));
        let hyphen = if needs_hyphen { "-" } else { "" };
        out = out + "+" + &STANDARD_NO_PAD.encode(units) + hyphen;
    }
    out.into_bytes()
}
