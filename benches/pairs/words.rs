//! Encoded-words (RFC 2047) as text, the plainest way.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::Encoding;

/// Header lines with their words decoded. White space between two words goes with them.
///
/// All words have to be well formed and where RFC 2047 has them, as those of `headers.txt` are.
pub fn decoded(headers: &str) -> String {
    let (mut out, mut rest, mut is_behind_word) = (String::new(), headers, false);
    while let Some(start) = rest.find("=?") {
        let between = &rest[..start];
        let (text, after) = word(&rest[start..]).expect("a word");
        if !is_behind_word || !between.trim().is_empty() {
            out.push_str(between);
        }
        out.push_str(&text);
        (rest, is_behind_word) = (after, true);
    }
    out + rest
}

/// The text of a word, and what stands behind it.
fn word(text: &str) -> Option<(String, &str)> {
    let mut parts = text.strip_prefix("=?")?.splitn(4, '?');
    let (charset, kind, inner) = (parts.next()?, parts.next()?, parts.next()?);
    let after = parts.next()?.strip_prefix('=')?;
    let octets = match kind {
        "B" => STANDARD.decode(inner).ok()?,
        "Q" => q(inner)?,
        _ => return None,
    };
    let (text, is_faulty) =
        Encoding::for_label(charset.as_bytes())?.decode_without_bom_handling(&octets);
    (!is_faulty).then(|| (text.into_owned(), after))
}

/// The octets of a word in the encoding Q.
fn q(inner: &str) -> Option<Vec<u8>> {
    let (mut octets, mut rest) = (Vec::new(), inner.bytes());
    while let Some(byte) = rest.next() {
        octets.push(match byte {
            b'_' => b' ',
            b'=' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    Some(octets)
}
