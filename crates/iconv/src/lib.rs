//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Conversions as by the functions and the program `iconv`: arguments, names of encodings with suffixes, the
//! locale's transliterations, and [`IconvConversion`], which has the semantics of iconv(3).
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * [`encoding_name`], [`locale`], [`arguments`]: what a user writes
//! * `conversion`, `direct`: iconv(3)
//! * [`libiconv`], [`listing`]: the programs of libiconv and of the GNU C library

#![forbid(unsafe_code)]

pub mod arguments;
pub(crate) mod conversion;
pub(crate) mod direct;
pub mod encoding_name;
pub mod libiconv;
pub mod listing;
pub mod locale;

pub use conversion::{IconvConversion, IconvOutcome, IconvOutput, IconvStatus};

use charpipe_transcode::error_policy::{ErrorAction, ErrorPolicy, FormatString, TranslitRules};
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

use direct::DirectConversion;
use locale::Locale;

/// What to do with input that cannot be converted.
#[derive(Debug, Default)]
pub struct ErrorRules {
    /// Whether to skip it, as with `-c` or `//IGNORE`.
    pub skips: bool,
    /// Whether to write transliterations, as with `//TRANSLIT`.
    pub transliterates: bool,
    /// The format of malformed bytes.
    pub byte_format: Option<FormatString>,
    /// The format of unmappable characters.
    pub unicode_format: Option<FormatString>,
}

/// Returns the options of a conversion as in glibc. `locale` returns the locale of transliterations.
pub fn conversion_options(
    from: EncodingSpec,
    to: EncodingSpec,
    rules: &ErrorRules,
    locale: impl FnOnce() -> &'static Locale,
) -> TranscodeOptions {
    let action = |format: &Option<FormatString>| match (rules.skips, format) {
        (true, _) => ErrorAction::Skip,
        (false, Some(format)) => ErrorAction::Format(format.clone()),
        (false, None) => ErrorAction::Stop,
    };
    let malformed = action(&rules.byte_format);
    let direct = DirectConversion::between(from.encoding, to.encoding);
    let (from, to) = direct.map_or((from, to), |direct| (direct.from.into(), direct.to.into()));
    let mut options = TranscodeOptions::new(from, to).bom(BomPolicy::Keep);
    let unmappable = if let Some(direct) = direct {
        // As in glibc there are no transliterations.
        let missing = direct.missing.filter(|_| rules.skips);
        let replace = |text: &str| ErrorAction::Replace(Some(text.to_owned()));
        missing.map_or_else(|| action(&rules.unicode_format), replace)
    } else if rules.transliterates {
        let locale = locale();
        let missing = locale.missing_transliteration();
        let has_action = missing.is_none() || (rules.unicode_format.is_some() && !rules.skips);
        let untransliterable = has_action.then(|| action(&rules.unicode_format));
        let (table, missing) = (locale.transliterations(), missing.unwrap_or("?"));
        options.translit_rules =
            Some(TranslitRules { table, missing: Some(missing), untransliterable });
        ErrorAction::Transliterate
    } else {
        action(&rules.unicode_format)
    };
    options.error_policy = ErrorPolicy { malformed, unmappable };
    options
}
