//! Strict decoding once more, slow and obvious: over whole records, token by token.

use crate::rfc2047_decode::model::{Rules, is_barred, read_q, records, rules};
use crate::rfc2047_decode::model_charset::Known;

/// The kinds of tokens.
enum Token {
    Text,
    Word(String),
    Malformed,
}

/// The text of header lines, with U+FFFD for each error.
pub fn decode(input: &[u8]) -> String {
    records(input).into_iter().map(record).collect()
}

fn record(record: &[u8]) -> String {
    let rules = rules(record);
    let body = match record.iter().position(|byte| !matches!(byte, b'!'..=b'9' | b';'..=b'~')) {
        Some(colon) if record[colon] == b':' && colon > 0 => colon + 1,
        _ => 0,
    };
    let (mut output, mut text) = (String::new(), record[..body].to_vec());
    let mut after_word = false;
    let mut at = body;
    // The text copied before, without encoded-words.
    let mut copied = record[..body].to_vec();
    while at < record.len() {
        let (found, length) = look(record, at, body, rules, &copied);
        match found {
            Token::Text => {
                let lone = record[at] == b'\r' && record.get(at + 1) != Some(&b'\n');
                if !is_space(record[at]) || lone {
                    after_word = false;
                }
                text.push(record[at]);
                copied.push(record[at]);
                at += 1;
                continue;
            }
            Token::Word(word) => {
                if after_word {
                    text.clear();
                }
                output.push_str(&String::from_utf8_lossy(&std::mem::take(&mut text)));
                output.push_str(&word);
                after_word = true;
            }
            Token::Malformed => {
                output.push_str(&String::from_utf8_lossy(&std::mem::take(&mut text)));
                output.push('\u{FFFD}');
                after_word = false;
            }
        }
        at += length;
    }
    output + &String::from_utf8_lossy(&text)
}

/// Returns the kind of the text at `at`, after this text, and the length of an encoded-word.
fn look(record: &[u8], at: usize, body: usize, rules: Rules, copied: &[u8]) -> (Token, usize) {
    let addresses = rules == Rules::Addresses;
    let comment = addresses && comments(copied) > 0;
    let parentheses = body == 0 || comment;
    let opens = at == body || is_space(record[at - 1]) || parentheses && record[at - 1] == b'(';
    let barred = addresses && (is_barred(record, at, at, copied) || quoted(copied));
    match token(record, at, parentheses) {
        Some(length) if opens && !barred && rules != Rules::Copied => {
            (read(&record[at..at + length], rules, comment), length)
        }
        _ => (Token::Text, 1),
    }
}

fn is_space(byte: u8) -> bool {
    b" \t\r\n".contains(&byte)
}

/// How long the token is that may be a word, up to white space, a closing parenthesis where one
/// delimits, or the end.
fn token(record: &[u8], at: usize, parentheses: bool) -> Option<usize> {
    let rest = &record[at..];
    if !rest.starts_with(b"=?") {
        return None;
    }
    let space = rest.iter().position(|byte| is_space(*byte)).unwrap_or(rest.len());
    let closed = (0..space).find(|at| rest[*at..].starts_with(b"?=)")).filter(|_| parentheses);
    Some(closed.map_or(space, |at| at + 2))
}

fn comments(copied: &[u8]) -> usize {
    let (mut quoted, mut depth, mut bytes) = (false, 0_usize, copied.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quoted || depth > 0 => {
                bytes.next();
            }
            b'"' if depth == 0 => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

fn quoted(copied: &[u8]) -> bool {
    // A parenthesis in a quoted-string opens nothing, and only there.
    comments(copied) == 0 && comments(&[copied, b"("].concat()) == 0
}

fn read(token: &[u8], rules: Rules, comment: bool) -> Token {
    let parts: Vec<_> = token.split(|byte| *byte == b'?').collect();
    let [b"=", label, encoding, text, b"="] = parts[..] else { return Token::Text };
    let charset = label.split(|byte| *byte == b'*').next().and_then(Known::said);
    let specials: &[u8] = match (rules, comment) {
        (Rules::Addresses, true) => b"()\\\"",
        (Rules::Addresses, false) => b"()<>@,;:\\\".[]",
        _ => b"",
    };
    let plain = text.iter().all(|byte| byte.is_ascii_graphic() && !specials.contains(byte));
    let token_like = label.iter().all(|byte| !b"()<>@,;:\"/[]?.=".contains(byte));
    let Some(charset) = charset.filter(|_| plain && token_like && !text.is_empty()) else {
        return Token::Text;
    };
    let bytes = match encoding {
        _ if token.len() > 75 => return Token::Text,
        b"b" | b"B" => base64(text),
        b"q" | b"Q" => q(text),
        _ => return Token::Text,
    };
    match bytes.map(|bytes| charset.text(&bytes)) {
        Some(text) if !text.contains('\u{FFFD}') => Token::Word(text),
        _ => Token::Malformed,
    }
}

fn base64(text: &[u8]) -> Option<Vec<u8>> {
    use base64::Engine;
    use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&base64::alphabet::STANDARD, config).decode(text).ok()
}

fn q(text: &[u8]) -> Option<Vec<u8>> {
    let hex = |at: usize| text.get(at).is_some_and(u8::is_ascii_hexdigit);
    let good = (0..text.len()).all(|at| text[at] != b'=' || hex(at + 1) && hex(at + 2));
    let mut bytes = Vec::new();
    read_q(text, &mut bytes);
    good.then_some(bytes)
}
