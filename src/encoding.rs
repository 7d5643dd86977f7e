//! The supported encodings, and how a label finds one.
//!
//! An encoding is a description: its name, its options, and a factory for its codecs. The modules
//! below `encoding/` define them; [`ALL`] lists them. To add one, define it and add it to the list
//! of its module or to `UNICODE_ENCODINGS`: `charpipe list`, the manual and the contract tests use
//! these lists.

use std::fmt;

use crate::codec::{ByteTransform, Decoder, Encoder};

pub mod alias;
mod bocu1;
mod bom_variants;
mod c99;
mod category;
mod cesu8;
mod code_point_codec;
mod escape_syntax;
mod fss_utf;
mod java;
mod latin1;
mod lookup;
mod multi_byte;
pub mod options;
mod replacement;
mod single_byte;
mod stateful;
#[cfg(test)]
mod testing;
mod tscii;
mod utf1;
mod utf16;
mod utf32;
mod utf5;
mod utf7;
mod utf8;
mod vendor;

pub(crate) use lookup::index_of;
pub use lookup::{LookupError, for_label, lookup_label, suggest};
pub use options::{EncodingOptions, OptionError, OptionSpec, OptionValues};
pub(crate) use utf8::malformed_reason as not_utf8;
pub use vendor::{for_mime_label, has_vendor_prefix, is_mime_charset};

/// An encoding: its name, its options, and how its codecs are made.
#[derive(Debug)]
pub struct Encoding {
    /// The name that charpipe prints.
    pub name: &'static str,
    /// One line for lists, with the document that defines the encoding.
    pub description: &'static str,
    /// The options that may follow the name.
    pub options: &'static [OptionSpec],
    /// How its codecs treat U+FEFF at the start of the input or output.
    pub bom_handling: BomHandling,
    /// Makes its codecs.
    pub factory: &'static dyn CodecFactory,
    /// The codecs for values above U+10FFFF, if the encoding has such values.
    pub ucs4: Option<Ucs4Codecs>,
}

/// Makes the codecs of an encoding.
pub trait CodecFactory: fmt::Debug + Sync {
    /// Returns a new decoder.
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn Decoder>;

    /// Returns a new encoder.
    fn encoder(&self, options: &EncodingOptions) -> Box<dyn Encoder>;

    /// Returns the name of the implementation that these codecs share with other encodings, if only
    /// their tables differ.
    fn engine(&self) -> Option<&'static str> {
        None
    }
}

/// A factory of two functions.
#[derive(Debug)]
pub(crate) struct FnFactory {
    pub decoder: fn(&EncodingOptions) -> Box<dyn Decoder>,
    pub encoder: fn(&EncodingOptions) -> Box<dyn Encoder>,
}

impl CodecFactory for FnFactory {
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn Decoder> {
        (self.decoder)(options)
    }

    fn encoder(&self, options: &EncodingOptions) -> Box<dyn Encoder> {
        (self.encoder)(options)
    }
}

/// How an encoding treats U+FEFF at the start of an input or output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BomHandling {
    /// As a character.
    Ignore,
    /// As a byte order mark, which the decoder obeys and drops; the encoder writes none.
    Detect,
    /// As a byte order mark, which the decoder obeys and drops, and the encoder writes before the
    /// first character.
    DetectAndWrite,
}

/// The two codecs of the 31-bit path.
///
/// A `&str` cannot hold a value above U+10FFFF. Between two encodings that both have such values
/// the intermediate form is that of RFC 2044 with 1 to 6 bytes per value, of which UTF-8 is a
/// subset.
#[derive(Debug)]
pub struct Ucs4Codecs {
    /// Returns whether the encoding with these options has 31-bit values.
    pub is_enabled: fn(&EncodingOptions) -> bool,
    /// Returns a converter from the encoding to 1 to 6 bytes per value.
    pub decoder: fn(&EncodingOptions) -> Box<dyn ByteTransform>,
    /// Returns a converter from well-formed 1 to 6 bytes per value to the encoding.
    pub encoder: fn(&EncodingOptions) -> Box<dyn ByteTransform>,
}

/// Every encoding, in the order of the manual.
pub static ALL: &[&Encoding] = &{
    const COUNT: usize = total_len(ENCODING_LISTS);
    concat::<COUNT>(ENCODING_LISTS)
};

/// The lists that [`ALL`] consists of.
const ENCODING_LISTS: &[&[&Encoding]] = &[
    UNICODE_ENCODINGS,
    bom_variants::ALL,
    &refs(&single_byte::ENCODINGS),
    &[&tscii::TSCII],
    multi_byte::ALL,
    stateful::ALL,
];

/// The encodings of Unicode, ASCII and ISO-8859-1.
const UNICODE_ENCODINGS: &[&Encoding] = &[
    &utf8::UTF_8,
    &utf16::UTF_16,
    &utf16::UTF_16BE,
    &utf16::UTF_16LE,
    &utf32::UTF_32,
    &utf32::UTF_32BE,
    &utf32::UTF_32LE,
    &utf7::UTF_7,
    &utf7::UTF_7_IMAP,
    &utf5::UTF_5,
    &utf1::UTF_1,
    &fss_utf::FSS_UTF,
    &cesu8::CESU_8,
    &cesu8::MUTF_8,
    &bocu1::BOCU_1,
    &c99::C99,
    &java::JAVA,
    &utf16::UCS_2,
    &utf16::UCS_2BE,
    &utf16::UCS_2LE,
    &utf16::UNICODE,
    &utf32::UCS_4,
    &utf32::UCS_4BE,
    &utf32::UCS_4LE,
    &latin1::US_ASCII,
    &latin1::ISO_8859_1,
    &replacement::REPLACEMENT,
];

/// Returns the total length of several lists.
const fn total_len(lists: &[&[&Encoding]]) -> usize {
    let (mut list, mut total) = (0, 0);
    while list < lists.len() {
        total += lists[list].len();
        list += 1;
    }
    total
}

/// Returns several lists as one of `COUNT` encodings, which is their [`total_len`].
const fn concat<const COUNT: usize>(lists: &[&[&'static Encoding]]) -> [&'static Encoding; COUNT] {
    let mut all = [lists[0][0]; COUNT];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[at] = lists[list][index];
            at += 1;
            index += 1;
        }
        list += 1;
    }
    all
}

/// Returns references to the encodings of an array.
const fn refs<const COUNT: usize>(
    encodings: &'static [Encoding; COUNT],
) -> [&'static Encoding; COUNT] {
    let mut all = [&encodings[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        all[index] = &encodings[index];
        index += 1;
    }
    all
}

/// Two encodings are equal if they are the same static.
impl PartialEq for Encoding {
    fn eq(&self, other: &Encoding) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Encoding {}

impl Encoding {
    /// Returns an encoding without options whose codecs treat U+FEFF as a character.
    pub(crate) const fn new(
        name: &'static str,
        description: &'static str,
        factory: &'static dyn CodecFactory,
    ) -> Encoding {
        Encoding {
            name,
            description,
            options: &[],
            bom_handling: BomHandling::Ignore,
            factory,
            ucs4: None,
        }
    }

    /// Returns a decoder with these options, which must have been parsed for this encoding.
    pub fn decoder(&self, options: &EncodingOptions) -> Box<dyn Decoder> {
        self.factory.decoder(options)
    }

    /// Returns an encoder with these options, which must have been parsed for this encoding.
    pub fn encoder(&self, options: &EncodingOptions) -> Box<dyn Encoder> {
        self.factory.encoder(options)
    }

    /// Returns all names of this encoding, the primary name first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases().map(|alias| alias.name))
    }

    /// Returns the other names of this encoding, with their sources.
    pub fn aliases(&self) -> impl Iterator<Item = alias::Alias> {
        alias::all().filter(|alias| alias.encoding == self.name && alias.name != self.name)
    }
}

/// Returns a decoder of text in mail. UTF-16 and UTF-32 without a byte order mark are big-endian in
/// mail (RFC 2781, section 4.3; The Unicode Standard, D98 and D101), though little-endian in files.
pub(crate) fn mail_decoder(encoding: &Encoding) -> Box<dyn Decoder> {
    utf16::network_order_decoder(encoding)
        .or_else(|| utf32::network_order_decoder(encoding))
        .unwrap_or_else(|| encoding.decoder(&EncodingOptions::default()))
}

/// Returns UTF-8.
pub(crate) fn utf8() -> &'static Encoding {
    &utf8::UTF_8
}

/// Returns whether an encoding is UTF-8.
pub(crate) fn is_utf8(encoding: &Encoding) -> bool {
    *encoding == utf8::UTF_8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_is_too_long_for_a_name_costs_nothing() {
        let longest = alias::all().map(|known| known.name.len()).max();
        assert!(longest < Some(alias::MAX_LABEL_LEN / 2));
        let label = ":".repeat(100_000);
        assert!(label.match_indices(':').all(|(at, _)| for_label(&label[at..]).is_none()));
        assert!(suggest(&"utf8".repeat(100_000)).is_empty());
    }
}
