//! Transforms: the steps of a chain that are not encodings.
//!
//! A transform converts bytes to bytes, as base64 does, or text to text, as normalization does. Its
//! codecs follow the contract of [`codec`](crate::codec), so positions can be found by replay
//! through any chain. Every transform has a file of its own and a line in one of the lists below.

mod base32;
mod base64;
mod base_n;
mod hex;
mod percent;
mod quoted_printable;
#[cfg(test)]
mod testing;
mod unit_table;
mod uuencode;

use crate::codec::{ByteTransform, TextTransform};
use crate::encoding::alias::labels_match;
use crate::encoding::{EncodingOptions, OptionSpec};

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
    /// Between texts. The encoder reports no errors.
    Text {
        /// Creates the codec that reads the form, if that differs from writing it.
        decoder: Option<MakeTextTransform>,
        /// Creates the codec that writes the form.
        encoder: MakeTextTransform,
    },
}

/// Transfer encodings, between bytes.
static TRANSFER_ENCODINGS: [&Transform; 9] = [
    &base64::BASE64,
    &base64::BASE64URL,
    &base32::BASE32,
    &base32::BASE32HEX,
    &hex::HEX,
    &quoted_printable::QUOTED_PRINTABLE,
    &percent::PERCENT,
    &percent::FORM,
    &uuencode::UUENCODE,
];

/// Line endings, escapes and forms of characters, between texts.
static TEXT_FORMS: [&Transform; 0] = [];

/// Normalization forms and transliterations, between texts.
static UNICODE_FORMS: [&Transform; 0] = [];

/// Returns all transforms.
pub fn all() -> impl Iterator<Item = &'static Transform> {
    TRANSFER_ENCODINGS.into_iter().chain(TEXT_FORMS).chain(UNICODE_FORMS)
}

/// Returns the transform with this name, compared as labels of encodings are.
pub fn for_name(name: &str) -> Option<&'static Transform> {
    let matches = |own: &&str| labels_match(own, name);
    all().find(|transform| {
        matches(&transform.name) || transform.aliases.iter().any(|own| matches(&own))
    })
}
