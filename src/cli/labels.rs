//! Labels of encodings in options, with the suffixes of iconv, and what was meant by those that are unknown.

use std::borrow::Cow;
use std::ffi::OsStr;

use anyhow::{Error, Result, anyhow, bail};
use charpipe_encoding::Error as EncodingError;
use charpipe_iconv::locale::Locale;
use charpipe_transcode::chain_spec::ChainSpec;
use charpipe_transcode::options::EncodingSpec;
use charpipe_transcode::transform_spec;

use crate::cli::mapping_file;
use crate::cli::quote::Quoted;

/// Returns the encoding for a label or the path of a mapping file, UTF-8 if there is none, and the label's iconv suffixes. They
/// have an effect on the output encoding only, but iconv accepts them on both.
pub fn parse_encoding(label: Option<&OsStr>) -> Result<(EncodingSpec, IconvSuffixes)> {
    let label = label.unwrap_or(OsStr::new("UTF-8"));
    let text = label.to_str().ok_or_else(|| {
        anyhow!("unknown encoding \"{}\"; 'charpipe list' shows all names", Quoted::new(label))
    })?;
    let (name, suffixes) = split_suffixes(text)?;
    if name.is_empty() || name.starts_with(':') {
        bail!("empty encoding name; 'charpipe list' shows all names");
    }
    if mapping_file::is_path(name) {
        return Ok((mapping_file::load(name)?.into(), suffixes));
    }
    let name = resolve_locale(name);
    Ok((name.parse().map_err(explain_unknown_encoding)?, suffixes))
}

/// Returns a label with the encoding of the locale for the name `locale`.
fn resolve_locale(label: &str) -> Cow<'_, str> {
    let (name, rest) = label.split_at(label.find(['/', ':']).unwrap_or(label.len()));
    match name.eq_ignore_ascii_case(LOCALE_LABEL) {
        true => Cow::Owned(Locale::from_environment().encoding.clone() + rest),
        false => Cow::Borrowed(label),
    }
}

/// Returns the encoding for a label of an option that does not accept iconv suffixes.
pub fn parse_encoding_without_suffixes(
    option: &str,
    label: Option<&OsStr>,
) -> Result<EncodingSpec> {
    match parse_encoding(label)? {
        (encoding, suffixes) if suffixes == IconvSuffixes::default() => Ok(encoding),
        _ => bail!("{option} accepts neither //TRANSLIT nor //IGNORE"),
    }
}

/// The error handling that iconv reads from suffixes of an encoding name:
/// `latin1//TRANSLIT//IGNORE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IconvSuffixes {
    /// `//TRANSLIT`: transliterate unmappable characters.
    pub translit: bool,
    /// `//IGNORE`: discard unconvertible input.
    pub ignore: bool,
}

/// Splits the suffixes off a name. Both `//TRANSLIT//IGNORE` (libiconv) and `//TRANSLIT,IGNORE`
/// (glibc) are accepted; empty suffixes have no effect.
///
/// # Errors
///
/// Returns an error for any other suffix.
pub fn split_suffixes(label: &str) -> Result<(&str, IconvSuffixes)> {
    let mut suffixes = IconvSuffixes::default();
    let Some((name, list)) = label.split_once("//") else { return Ok((label, suffixes)) };
    for suffix in list.split(['/', ',']).filter(|suffix| !suffix.is_empty()) {
        if suffix.eq_ignore_ascii_case("translit") {
            suffixes.translit = true;
        } else if suffix.eq_ignore_ascii_case("ignore") {
            suffixes.ignore = true;
        } else {
            let suffix = Quoted::new(suffix);
            bail!("unknown suffix \"//{suffix}\" (expected //TRANSLIT or //IGNORE)");
        }
    }
    Ok((name, suffixes))
}

/// The label of the encoding of the locale.
const LOCALE_LABEL: &str = "locale";

/// Values of `--from` for which the encoding is determined from the input.
pub const DETECTED_LABELS: [&str; 2] = ["auto", "detect"];

/// Returns the name of the way in which an encoding is determined from the input, if the label is one.
pub fn detected_label(label: &OsStr) -> Option<&'static str> {
    DETECTED_LABELS.into_iter().find(|known| label.eq_ignore_ascii_case(known))
}

/// Labels of things other than character encodings, in lower case without punctuation, and the end
/// of the error message.
const NOT_CHARACTER_ENCODINGS: [(&[&str], &str); 3] = [
    (&["sgml", "entity", "entities", "htmlentities", "ncr"], "; use utf-8/html or --via html"),
    (&["rot13"], " but a cipher"),
    (
        &["gzip", "zip", "bz2", "bzip2", "xz", "zstd", "zlib"],
        " but a compression format; decompress it first",
    ),
];

/// Returns whether the text describes several steps, as the value of `--chain` does.
pub fn is_chain(text: &str) -> bool {
    text.contains("..") && text.parse::<ChainSpec>().is_ok()
}

/// Adds to the error for an unknown label what may have been meant.
pub fn explain_unknown_encoding(error: EncodingError) -> Error {
    let (label, suggestions) = match &error {
        EncodingError::UnknownEncoding { label, suggestions } => (label, Some(suggestions)),
        EncodingError::UnknownStep { name, .. } => (name, None),
        EncodingError::UnsupportedEncoding { label, .. } => (label, None),
        _ => return error.into(),
    };
    if DETECTED_LABELS.iter().any(|known| label.eq_ignore_ascii_case(known)) {
        return anyhow!("{label:?} is not an encoding; it is valid only as the value of --from");
    }
    // Python's codecs of bytes have names such as base64_codec.
    let bare = label.strip_suffix("_codec").unwrap_or(label);
    if let Some(found) = transform_spec::for_name(bare) {
        let name = found.name;
        let via = if found.is_for_bytes() { "" } else { ", or with --via" };
        return anyhow!(
            "{label:?} is not a character encoding but a transform: write it after an encoding, as in \
             utf-8/{name}{via}"
        );
    }
    if let Some(chain) = Some(label).filter(|label| is_chain(label)) {
        let chain = Quoted::new(chain);
        return anyhow!("\"{chain}\" is a chain of steps; use --chain={chain}");
    }
    let letters = bare.chars().filter(char::is_ascii_alphanumeric);
    let normalized: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    if let Some((_, end)) =
        NOT_CHARACTER_ENCODINGS.iter().find(|(labels, _)| labels.contains(&normalized.as_str()))
    {
        return anyhow!("{label:?} is not a character encoding{end}");
    }
    if suggestions.is_some_and(Vec::is_empty) {
        return anyhow!("{error}; 'charpipe list' shows all names");
    }
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_split_in_any_case_and_order() {
        let (translit, ignore) = (true, true);
        for (label, name, expected) in [
            ("utf-8", "utf-8", IconvSuffixes::default()),
            ("utf-8//", "utf-8", IconvSuffixes::default()),
            ("latin1//TRANSLIT", "latin1", IconvSuffixes { translit, ignore: false }),
            ("latin1//ignore", "latin1", IconvSuffixes { translit: false, ignore }),
            ("latin1//Translit//IGNORE", "latin1", IconvSuffixes { translit, ignore }),
            ("latin1//ignore,translit", "latin1", IconvSuffixes { translit, ignore }),
            ("//TRANSLIT", "", IconvSuffixes { translit, ignore: false }),
        ] {
            assert_eq!(split_suffixes(label).unwrap(), (name, expected), "{label}");
        }
    }

    #[test]
    fn unknown_suffix_is_rejected() {
        assert!(split_suffixes("latin1//TRANSLATE").is_err());
    }
}
