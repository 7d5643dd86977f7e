//! Transforms as a user writes them, such as `base64:line=76`.

use std::fmt;
use std::str::FromStr;

use charpipe_encoding::encoding::EncodingOptions;
use charpipe_encoding::encoding::alias::{self, MAX_LABEL_LEN, labels_match};
use charpipe_encoding::error::Error;
use charpipe_mail::unfold::UNFOLD;
use charpipe_transform::{self as transform, Transform};

/// Returns all transforms.
pub fn all() -> impl Iterator<Item = &'static Transform> {
    transform::all().chain([&UNFOLD])
}

/// Returns the transform with this name, compared as labels of encodings are.
pub fn for_name(name: &str) -> Option<&'static Transform> {
    let matches = |own: &str| labels_match(own, name);
    all().find(|transform| {
        matches(transform.name) || transform.aliases.iter().any(|own| matches(own))
    })
}

/// Returns the names of up to three transforms that are similar to an unknown name, the most similar first.
pub(crate) fn suggest(name: &str) -> Vec<&'static str> {
    if name.len() > MAX_LABEL_LEN {
        return Vec::new();
    }
    let normalize = |name: &str| alias::normalized(name).map(char::from).collect::<String>();
    let unknown = normalize(name);
    let distance = |own: &str| strsim::damerau_levenshtein(&normalize(own), &unknown);
    let mut similar: Vec<(usize, &'static str)> = all()
        .filter_map(|it| {
            let names = std::iter::once(&it.name).chain(it.aliases);
            Some((names.map(|own| distance(own)).min()?, it.name))
        })
        .filter(|(distance, _)| unknown.len() > 2 && *distance <= 1.max(unknown.len() / 4))
        .collect();
    similar.sort_unstable();
    similar.into_iter().take(3).map(|(_, name)| name).collect()
}

/// A transform with its options, such as `base64:line=76`.
///
/// ```
/// let spec: charpipe_transcode::TransformSpec = "BASE64".parse()?;
/// assert_eq!(spec.to_string(), "base64");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TransformSpec {
    /// The transform.
    #[doc(hidden)]
    pub transform: &'static Transform,
    /// Its options.
    #[doc(hidden)]
    pub options: EncodingOptions,
}

impl TransformSpec {
    /// Returns whether it converts bytes, not text.
    pub fn is_for_bytes(&self) -> bool {
        self.transform.is_for_bytes()
    }
}

impl From<&'static Transform> for TransformSpec {
    fn from(transform: &'static Transform) -> TransformSpec {
        TransformSpec { transform, options: EncodingOptions::default() }
    }
}

impl FromStr for TransformSpec {
    type Err = Error;

    /// Parses `NAME` or `NAME:key=value,…`.
    fn from_str(text: &str) -> Result<TransformSpec, Error> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let unknown =
            || Error::UnknownTransform { name: name.to_owned(), suggestions: suggest(name) };
        let transform = for_name(name).ok_or_else(unknown)?;
        let options = EncodingOptions::parse(options, transform.options)
            .map_err(|reason| Error::InvalidOption { encoding: transform.name, reason })?;
        Ok(TransformSpec { transform, options })
    }
}

impl fmt::Display for TransformSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.transform.name, self.options)
    }
}
