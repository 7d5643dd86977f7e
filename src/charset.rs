//! The charsets that charpipe knows, and how a name finds one.
//!
//! A charset is a description: its names, its options, and how its codecs are made. Each stands in
//! a file of its own below `charset/`; [`ALL`] lists them. To add one, write that file and add its
//! line to `OWN`: the lists, the manual and the contract tests take it from there.

use std::fmt;

use crate::codec::{Decoder, Encoder, Surface};

mod ascii;
mod backslash;
mod bocu1;
mod c99;
mod cesu8;
mod family;
mod flavour;
mod fss_utf;
mod java;
mod latin1;
mod list;
mod lookup;
mod multi;
pub mod name;
mod nearest;
mod replacement;
pub mod settings;
mod signed;
mod single;
mod stateful;
mod tscii;
mod utf1;
mod utf16;
mod utf32;
mod utf5;
mod utf7;
mod utf8;
#[cfg(test)]
mod walk;
mod wide;

pub use flavour::{is_in_mail, is_prefixed, mail};
pub(crate) use lookup::place;
pub use lookup::{NotFound, find, resolve};
pub use nearest::nearest;
pub use settings::{BadSetting, Key, Settings, Values};
pub(crate) use utf8::reason as not_utf8;

/// A charset: what it is called and how its codecs are made.
#[derive(Debug)]
pub struct Charset {
    /// The name that charpipe prints.
    pub name: &'static str,
    /// One line for lists, with the document that defines it.
    pub about: &'static str,
    /// The options that may follow the name.
    pub options: &'static [Key],
    /// What U+FEFF at the very beginning is to its codecs.
    pub mark: Mark,
    /// What makes its codecs.
    pub codecs: &'static dyn Codecs,
    /// How values above U+10FFFF get through, for the charsets that have them.
    pub wide: Option<Wide>,
}

/// What makes the codecs of a charset: functions of its own, or an engine with its table.
pub trait Codecs: fmt::Debug + Sync {
    /// Makes a decoder.
    fn decoder(&self, settings: &Settings) -> Box<dyn Decoder>;

    /// Makes an encoder.
    fn encoder(&self, settings: &Settings) -> Box<dyn Encoder>;

    /// The engine that these codecs share with other charsets, if only their tables differ.
    fn engine(&self) -> Option<&'static str> {
        None
    }
}

/// Codecs made by two functions.
#[derive(Debug)]
pub(crate) struct Made {
    pub decoder: fn(&Settings) -> Box<dyn Decoder>,
    pub encoder: fn(&Settings) -> Box<dyn Encoder>,
}

impl Codecs for Made {
    fn decoder(&self, settings: &Settings) -> Box<dyn Decoder> {
        (self.decoder)(settings)
    }

    fn encoder(&self, settings: &Settings) -> Box<dyn Encoder> {
        (self.encoder)(settings)
    }
}

/// What U+FEFF at the very beginning of an input or output is to a charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A character.
    Character,
    /// A byte order mark that the decoder obeys and drops; the encoder writes none.
    Obeyed,
    /// The same, and the encoder writes one before the first character.
    Written,
}

/// The two halves of the 31-bit path.
///
/// A `&str` cannot hold a value above U+10FFFF. Between two charsets that both have such values
/// the pivot is RFC 2044's form of 1 to 6 octets instead, which is UTF-8 as far as UTF-8 goes.
#[derive(Debug)]
pub struct Wide {
    /// Whether the charset with these settings has 31-bit values at all.
    pub holds: fn(&Settings) -> bool,
    /// From the charset to 1 to 6 octets.
    pub decoder: fn(&Settings) -> Box<dyn Surface>,
    /// From well-formed 1 to 6 octets to the charset.
    pub encoder: fn(&Settings) -> Box<dyn Surface>,
}

/// Every charset, in the order of the manual.
pub static ALL: &[&Charset] = &{
    const COUNT: usize = list::count(LISTS);
    list::chained::<COUNT>(LISTS)
};

/// The lists that they stand in.
const LISTS: &[&[&Charset]] = &[
    OWN,
    signed::ALL,
    &list::each(&single::CHARSETS),
    &[&tscii::TSCII],
    multi::ALL,
    stateful::ALL,
];

/// The charsets that have a file of their own.
const OWN: &[&Charset] = &[
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
    &utf16::ucs2::UCS_2,
    &utf16::ucs2::UCS_2BE,
    &utf16::ucs2::UCS_2LE,
    &utf16::ucs2::UNICODE,
    &utf32::UCS_4,
    &utf32::UCS_4BE,
    &utf32::UCS_4LE,
    &ascii::US_ASCII,
    &latin1::ISO_8859_1,
    &replacement::REPLACEMENT,
];

/// Each charset is one of its kind.
impl PartialEq for Charset {
    fn eq(&self, other: &Charset) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Charset {}

impl Charset {
    /// A decoder with these settings, which must be of this charset's options.
    pub fn decoder(&self, settings: &Settings) -> Box<dyn Decoder> {
        self.codecs.decoder(settings)
    }

    /// An encoder with these settings, which must be of this charset's options.
    pub fn encoder(&self, settings: &Settings) -> Box<dyn Encoder> {
        self.codecs.encoder(settings)
    }

    /// All names of this charset, its own first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases().map(|alias| alias.name))
    }

    /// Its other names, each with who uses it.
    pub fn aliases(&self) -> impl Iterator<Item = name::Name> {
        name::all().filter(|known| known.charset == self.name && known.name != self.name)
    }
}

/// A decoder of text in mail. A bare UTF-16 or UTF-32 is big-endian there without a byte order mark
/// (RFC 2781, section 4.3; The Unicode Standard, D98 and D101), though in files it is little-endian.
pub(crate) fn mail_decoder(charset: &Charset) -> Box<dyn Decoder> {
    utf16::network_order(charset)
        .or_else(|| utf32::network_order(charset))
        .unwrap_or_else(|| charset.decoder(&Settings::default()))
}

/// UTF-8, which text is already.
pub(crate) fn utf8() -> &'static Charset {
    &utf8::UTF_8
}

/// Whether a charset is UTF-8, which text is already.
pub(crate) fn is_utf8(charset: &Charset) -> bool {
    *charset == utf8::UTF_8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_is_too_long_for_a_name_costs_nothing() {
        let longest = name::all().map(|known| known.name.len()).max();
        assert!(longest < Some(name::LONGEST / 2));
        let label = ":".repeat(100_000);
        assert!(label.match_indices(':').all(|(at, _)| find(&label[at..]).is_none()));
        assert!(nearest(&"utf8".repeat(100_000)).is_empty());
    }
}
