//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Transforms: the steps of a chain that are not encodings.
//!
//! A transform converts bytes to bytes, as base64 does, or text to text, as normalization does. Its
//! codecs follow the contract of [`codec`](charpipe_encoding::codec), so positions can be found by replay
//! through any chain. Every transform has a file of its own and a line in one of the lists below.
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * `base_n`, `unit_table`, `item_transform`, `line_transform`: what several transforms have in common
//! * [`decoder_cache`], `character_name`: decoders of encodings, names of characters
//! * [`declaration`], `repair`: encodings that files declare; text that was decoded in the wrong encoding
//! * `base32`, `base64`, `byte_escapes`, `hex`, `percent`, `quoted_printable`, `uuencode`: transforms of bytes
//! * `character_references`, `entity_names`, `escapes`, `han`, `hangul`, `idna`, `kana`, `latex`, `ldif`, `line_ending`, `mojibake`, `normalization`, `normalization_cache`, `normalization_check`, `normalization_run`, `punycode`, `scripts`, `strip_bom`, `text_cleanup`, `transliteration`, `vcard`, `width`, `windows_c1`: transforms of text

#![forbid(unsafe_code)]

mod base32;
mod base64;
mod base_n;
mod byte_escapes;
#[cfg(test)]
mod byte_testing;
#[cfg(feature = "transforms")]
pub mod character_name;
mod character_references;
pub mod declaration;
pub mod decoder_cache;
mod entity_names;
mod escapes;
#[cfg(feature = "transliterations")]
mod han;
#[cfg(feature = "transliterations")]
mod hangul;
mod hex;
#[cfg(feature = "transforms")]
mod idna;
mod item_transform;
mod kana;
#[cfg(feature = "transforms")]
mod latex;
mod ldif;
mod line_ending;
mod line_transform;
mod mojibake;
#[cfg(feature = "transforms")]
mod normalization;
#[cfg(feature = "transforms")]
mod normalization_cache;
#[cfg(feature = "transforms")]
mod normalization_check;
#[cfg(feature = "transforms")]
mod normalization_run;
mod percent;
mod punycode;
mod quoted_printable;
mod repair;
#[cfg(feature = "transliterations")]
mod scripts;
mod strip_bom;
mod text_cleanup;
#[cfg(test)]
mod text_testing;
mod transliteration;
mod unit_table;
mod uuencode;
mod vcard;
mod width;
mod windows_c1;

use charpipe_encoding::codec::{ByteTransform, TextTransform};
use charpipe_encoding::conversion_error::TransformNames;
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
pub use mojibake::MOJIBAKE;

/// A step of a chain that is not an encoding.
#[derive(Debug)]
pub struct Transform {
    /// The name, in lower case with hyphens.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What messages call the format, as in "invalid quoted-printable escape".
    pub title: &'static str,
    /// One line for the manual, with the source, such as an RFC and its section.
    pub description: &'static str,
    /// The options, as in `base64:line=76`.
    pub options: &'static [OptionSpec],
    /// What creates the codecs.
    pub codecs: TransformCodecs,
}

/// Creates a codec between bytes.
pub type MakeByteTransform = fn(&EncodingOptions) -> Box<dyn ByteTransform>;

/// Creates a codec between texts.
pub type MakeTextTransform = fn(&EncodingOptions) -> Box<dyn TextTransform>;

/// What creates the codecs of a transform.
#[derive(Debug, Clone, Copy)]
pub enum TransformCodecs {
    /// Between bytes. The encoder reports no errors.
    Bytes {
        /// Creates the codec that removes the transfer encoding.
        decoder: MakeByteTransform,
        /// Creates the codec that applies it.
        encoder: MakeByteTransform,
    },
    /// Between texts. The encoder reports no errors, except for a line that the form cannot represent.
    Text {
        /// Creates the codec that reads the form, if that differs from writing it.
        decoder: Option<MakeTextTransform>,
        /// Creates the codec that writes the form.
        encoder: MakeTextTransform,
    },
}

/// Transfer encodings, between bytes.
static TRANSFER_ENCODINGS: &[&Transform] = &[
    &base64::BASE64,
    &base64::BASE64URL,
    &base32::BASE32,
    &base32::BASE32HEX,
    &hex::HEX,
    &quoted_printable::QUOTED_PRINTABLE,
    &percent::PERCENT,
    &percent::FORM,
    &byte_escapes::BYTE_ESCAPES,
    &uuencode::UUENCODE,
];

/// Line endings, escapes and forms of characters, between texts.
static TEXT_FORMS: &[&Transform] = &[
    &line_ending::LF,
    &line_ending::CRLF,
    &line_ending::CR,
    &line_ending::NEL,
    &line_ending::LS,
    &character_references::HTML,
    &character_references::XML,
    &escapes::JAVA,
    &escapes::JSON,
    &escapes::C,
    &escapes::RUST,
    &escapes::PYTHON,
    &escapes::GO,
    &escapes::JAVASCRIPT,
    &escapes::SWIFT,
    &escapes::POSTGRES,
    &escapes::SQL,
    &escapes::CSS,
    &escapes::RTF,
    &escapes::PERCENT_U,
    &escapes::U_PLUS,
    #[cfg(all(feature = "transforms", feature = "transliterations"))]
    &escapes::NAMES,
    #[cfg(feature = "transforms")]
    &latex::LATEX,
    &width::FULLWIDTH,
    &width::HALFWIDTH,
    &strip_bom::STRIP_BOM,
    &mojibake::MOJIBAKE,
    &windows_c1::WINDOWS_C1,
    &text_cleanup::REMOVE_ZERO_WIDTH,
    &text_cleanup::REMOVE_BIDI_CONTROLS,
    &text_cleanup::REMOVE_SOFT_HYPHENS,
    &text_cleanup::REMOVE_CONTROLS,
    &text_cleanup::NBSP_TO_SPACE,
    &text_cleanup::ASCII_PUNCTUATION,
    &ldif::LDIF,
    &vcard::VCARD,
    &punycode::PUNYCODE,
    #[cfg(feature = "transforms")]
    &idna::IDNA,
];

/// Normalization forms and transliterations, between texts.
static UNICODE_FORMS: &[&Transform] = &[
    #[cfg(feature = "transforms")]
    &normalization::NFC,
    #[cfg(feature = "transforms")]
    &normalization::NFD,
    #[cfg(feature = "transforms")]
    &normalization::NFKC,
    #[cfg(feature = "transforms")]
    &normalization::NFKD,
    #[cfg(feature = "transforms")]
    &normalization::UTF8_MAC,
    &transliteration::LATIN_ASCII,
    &transliteration::GREEK_ELOT743,
    &transliteration::CYRILLIC_ISO9,
    &transliteration::CYRILLIC_RUSSIAN,
    &transliteration::CYRILLIC_UKRAINIAN,
    &transliteration::CYRILLIC_BULGARIAN,
    &transliteration::CYRILLIC_SERBIAN,
    &transliteration::CYRILLIC_MACEDONIAN,
    &kana::KANA_HEPBURN,
    #[cfg(feature = "transliterations")]
    &han::HAN_LATIN,
    #[cfg(feature = "transliterations")]
    &scripts::HANT_HANS,
    #[cfg(feature = "transliterations")]
    &scripts::HANS_HANT,
    #[cfg(feature = "transliterations")]
    &hangul::HANGUL_LATIN,
    #[cfg(feature = "transliterations")]
    &scripts::HEBREW_LATIN,
    #[cfg(feature = "transliterations")]
    &scripts::ARABIC_LATIN,
    #[cfg(feature = "transliterations")]
    &scripts::DEVANAGARI_LATIN,
    #[cfg(feature = "transliterations")]
    &scripts::THAI_LATIN,
];

/// The option of byte escapes in logs that leaves the structure of the log unchanged.
const KEEP_ASCII_ESCAPES: OptionSpec = OptionSpec {
    name: "keep-ascii",
    values: OptionValues::Flag,
    description: "when decoding leave the escapes of ASCII characters, such as quotes and line feeds",
};

/// Returns all transforms of this layer.
pub fn all() -> impl Iterator<Item = &'static Transform> {
    TRANSFER_ENCODINGS.iter().chain(TEXT_FORMS).chain(UNICODE_FORMS).copied()
}

impl TransformNames for Transform {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }
}

impl Transform {
    /// Returns whether it converts bytes, not text.
    pub fn is_for_bytes(&self) -> bool {
        matches!(self.codecs, TransformCodecs::Bytes { .. })
    }
}

/// In which direction a transform runs.
///
/// ```
/// use charpipe::TranscodeOptions;
/// use charpipe::internals::transcode::ChainStep;
/// use charpipe_transform::Direction;
///
/// let step = ChainStep::Transform("html".parse()?, Direction::Decode);
/// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_8).via(step);
/// assert_eq!(options.transcode(b"&eacute;")?, "é".as_bytes());
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Reads the form: base64 to bytes, character references to characters.
    Decode,
    /// Writes the form.
    Encode,
}
