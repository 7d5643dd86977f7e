//! The test cases: every encoding without options and with each value of each option.

use std::fmt;

use charpipe::internals::encoding::{ALL, Encoding, EncodingOptions};

use crate::encoding_options::option_variants;

/// An encoding with options.
#[derive(Clone)]
pub struct EncodingCase {
    pub encoding: &'static Encoding,
    pub options: EncodingOptions,
}

impl fmt::Display for EncodingCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.encoding.name(), self.options)
    }
}

/// Every encoding of the registry, each followed by its variants. `ENCODING=name` in the
/// environment leaves only the one of that name.
pub fn encoding_cases() -> Vec<EncodingCase> {
    let only = std::env::var("ENCODING").ok();
    let wanted = |encoding: &&&Encoding| match &only {
        Some(name) => encoding.names().any(|known| known.eq_ignore_ascii_case(name)),
        None => true,
    };
    ALL.iter().filter(wanted).flat_map(|encoding| variants(encoding)).collect()
}

/// An encoding with each of the options that are tested.
pub fn variants(encoding: &'static Encoding) -> Vec<EncodingCase> {
    let options = option_variants(encoding).into_iter();
    options.map(|options| EncodingCase { encoding, options }).collect()
}
