//! Labels that no encoding has, and what their user may have meant.

use anyhow::{Error, anyhow};
use charpipe::Error as EncodingError;

/// Names of encodings of other things than characters, in lower case without punctuation, and how the
/// sentence about them ends.
const NOT_CHARACTER_ENCODINGS: [(&[&str], &str); 6] = [
    (&["punycode", "idna"], "but one of domain names"),
    (
        &["qp", "quotedprintable", "base64", "b64", "base32", "uuencode", "uu", "yenc", "hex"],
        "but a transfer encoding of bytes; decode it first",
    ),
    (
        &["html", "xml", "sgml", "entity", "entities", "htmlentities", "ncr"],
        "; --on-error xml writes character references",
    ),
    (
        &["url", "uri", "urlencode", "percent", "percentencoding"],
        "; --on-error percent writes percent-encoding",
    ),
    (&["rot13"], "but a cipher"),
    (&["gzip", "zip", "bzip2", "xz", "zstd", "zlib"], "but compression; decompress it first"),
];

/// Labels for encodings that are determined from the input.
pub const DETECTED_LABELS: [&str; 2] = ["auto", "detect"];

/// Why a label was refused, with what may have been meant.
pub fn explain(error: EncodingError) -> Error {
    let (name, nearest) = match &error {
        EncodingError::UnknownEncoding { label: name, suggestions: nearest } => {
            (name, Some(nearest))
        }
        EncodingError::UnsupportedEncoding { label: name, .. } => (name, None),
        _ => return error.into(),
    };
    if DETECTED_LABELS.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        return anyhow!("{name:?} is not an encoding; only --from of a conversion takes it");
    }
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let normalized: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    if let Some((_, end)) =
        NOT_CHARACTER_ENCODINGS.iter().find(|(names, _)| names.contains(&normalized.as_str()))
    {
        let space = if end.starts_with(';') { "" } else { " " };
        return anyhow!("{name:?} is not a character encoding{space}{end}");
    }
    if nearest.is_some_and(Vec::is_empty) {
        return anyhow!("{error}; 'charpipe list' shows all names");
    }
    error.into()
}
