//! Encoded-words (RFC 2047) as text, the plainest way.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::Encoding;

/// Header lines with their words decoded. White space between two words goes with them.
///
/// All words have to be well formed and where RFC 2047 has them, as those of `headers.txt` are.
pub fn decode_headers(headers: &str) -> String {
    let (mut out, mut rest, mut is_after_word) = (String::new(), headers, false);
    while let Some(start) = rest.find("=?") {
        let between = &rest[..start];
        let (text, after) = decode_word(&rest[start..]).expect("a word");
        if !is_after_word || !between.trim().is_empty() {
            out.push_str(between);
        }
        out.push_str(&text);
        (rest, is_after_word) = (after, true);
    }
    out + rest
}

/// The text of an encoded-word, and what follows it.
fn decode_word(text: &str) -> Option<(String, &str)> {
    let mut parts = text.strip_prefix("=?")?.splitn(4, '?');
    let (encoding, kind, inner) = (parts.next()?, parts.next()?, parts.next()?);
    let after = parts.next()?.strip_prefix('=')?;
    let bytes = match kind {
        "B" => STANDARD.decode(inner).ok()?,
        "Q" => decode_q(inner)?,
        _ => return None,
    };
    let (text, is_invalid) =
        Encoding::for_label(encoding.as_bytes())?.decode_without_bom_handling(&bytes);
    (!is_invalid).then(|| (text.into_owned(), after))
}

/// The bytes of a word in the encoding Q.
fn decode_q(inner: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), inner.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'_' => b' ',
            b'=' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    Some(bytes)
}
