//! A reader of header words as RFC 2047 has them, simple and strict: it takes whole texts, and is
//! surprised by nothing that a writer should not write.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A record without its folds: a line end before a blank is dropped.
pub fn unfold(text: &str) -> String {
    let mut unfolded = text.to_owned();
    for end in ["\r\n", "\n"] {
        for blank in [" ", "\t"] {
            unfolded = unfolded.replace(&format!("{end}{blank}"), blank);
        }
    }
    unfolded
}

/// The text of a record of an unstructured field, or of a bare value.
pub fn read(text: &str) -> String {
    read_pieces(&unfold(text))
}

/// The same for a field with comments, where words may touch parentheses.
pub fn read_comments(text: &str) -> String {
    let is_parenthesis = |character: char| matches!(character, '(' | ')');
    let unfolded = unfold(text);
    let pieces = unfolded.split_inclusive(is_parenthesis).map(|piece| {
        let inside = piece.trim_end_matches(is_parenthesis);
        read_pieces(inside) + &piece[inside.len()..]
    });
    pieces.collect()
}

/// Text between white space is an encoded-word as a whole or not at all.
fn read_pieces(text: &str) -> String {
    let (mut read, mut gap, mut after_word) = (String::new(), String::new(), false);
    let is_blank = |character| matches!(character, ' ' | '\t');
    for piece in text.split_inclusive(is_blank) {
        let body = piece.trim_end_matches(is_blank);
        let blank = &piece[body.len()..];
        if body.is_empty() {
            gap.push_str(blank);
            continue;
        }
        let (front, body) = name(body, read.is_empty() && gap.is_empty());
        let word = word(body);
        if !(after_word && word.is_some() && front.is_empty()) {
            read.push_str(&gap);
        }
        read.push_str(front);
        read.push_str(word.as_deref().unwrap_or(body));
        after_word = word.is_some();
        gap = blank.to_owned();
    }
    read + &gap
}

/// An encoded-word may directly follow a field name, which is the text before the colon.
fn name(body: &str, first: bool) -> (&str, &str) {
    match body.find(":=?") {
        Some(colon) if first && colon > 0 => body.split_at(colon + 1),
        _ => ("", body),
    }
}

/// The text of a word.
fn word(piece: &str) -> Option<String> {
    let inside = piece.strip_prefix("=?")?.strip_suffix("?=")?;
    let [charset, form, text] = inside.split('?').collect::<Vec<_>>().try_into().ok()?;
    assert!(piece.len() <= 75, "{piece}");
    let bytes = match form {
        "B" => STANDARD.decode(text).unwrap(),
        "Q" => unquote(text),
        _ => panic!("{piece}"),
    };
    assert!(!bytes.is_empty(), "{piece}");
    Some(decode(charset, &bytes).unwrap_or_else(|| panic!("{piece}")))
}

fn unquote(text: &str) -> Vec<u8> {
    let mut raw_bytes = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        raw_bytes.push(match byte {
            b'_' => b' ',
            b'=' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                assert!(!digits.iter().any(u8::is_ascii_lowercase), "{text}");
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => byte,
            _ => {
                assert!(b"!*+-/".contains(&byte), "{text}");
                byte
            }
        });
    }
    raw_bytes
}

/// Each encoded-word is decoded by itself, so its bytes are whole characters.
fn decode(charset: &str, bytes: &[u8]) -> Option<String> {
    match charset {
        "UTF-8" => String::from_utf8(bytes.to_vec()).ok(),
        "ISO-8859-1" => Some(bytes.iter().copied().map(char::from).collect()),
        "US-ASCII" => bytes.is_ascii().then(|| bytes.iter().copied().map(char::from).collect()),
        "UTF-16BE" => {
            let unit = |pair: &[u8]| u16::from(pair[0]) << 8 | u16::from(pair[1]);
            String::from_utf16(&bytes.chunks(2).map(unit).collect::<Vec<_>>()).ok()
        }
        "UTF-7" => {
            let text = charpipe::transcode("utf-7", "utf-8", bytes).ok()?;
            String::from_utf8(text).ok()
        }
        _ => None,
    }
}

/// Whether there is a word on a line.
fn has_word(line: &str) -> bool {
    line.contains("=?UTF-") || line.contains("=?ISO-8859-1?") || line.contains("=?US-ASCII?")
}

/// No line with a word on it is longer than 76 characters, and none that is broken in two leaves
/// one of white space.
pub fn check_lines(source: &str, written: &str) {
    for line in written.split('\n').map(|line| line.trim_end_matches('\r')) {
        assert!(!has_word(line) || line.len() <= 76, "{source:?}\n{written}");
    }
    let blank = |text: &str| {
        let is_blank =
            |line: &&str| !line.is_empty() && line.trim_matches([' ', '\t', '\r']).is_empty();
        text.split('\n').filter(is_blank).count()
    };
    assert!(blank(written) <= blank(source), "{source:?}\n{written}");
}
