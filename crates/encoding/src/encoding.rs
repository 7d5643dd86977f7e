//! The supported encodings, and how a label finds one.
//!
//! An encoding is a description: its name, its options, and a factory for its codecs. The modules
//! below `encoding/` define them; [`ALL`] lists them. To add one, define it and add it to the list
//! of its module or to `UNICODE_ENCODINGS`: `charpipe list`, the manual and the contract tests use
//! these lists.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use self::alias::LabelTable;
use crate::bom;
use crate::codec::{ByteTransform, DecodeStage, EncodeStage, Progress, State, WholeResult};
use crate::codec_cache;
use crate::encoding::split_rule::SplitRule;
use crate::error::{ConversionError, Error};
use crate::short_text;

pub mod alias;
mod bocu1;
mod bom_variants;
mod c99;
mod cesu8;
mod code_point_codec;
pub mod constants;
mod escape_syntax;
pub mod exact_name;
mod fss_utf;
mod iscii;
mod java;
mod latin1;
mod lmbcs;
mod lookup;
mod marc8;
pub mod mixed;
mod multi_byte;
pub mod options;
mod replacement;
mod scsu;
mod shared;
mod single_byte;
pub mod split_rule;
mod stateful;
#[cfg(test)]
mod testing;
mod tscii;
mod user_defined;
mod utf1;
mod utf16;
mod utf32;
mod utf5;
mod utf7;
mod utf8;
mod utf_ebcdic;
mod vendor;
mod wtf8;

pub use alias::Alias;
pub use lookup::index_of;
pub use lookup::{LookupError, for_label, lookup_label, suggest};
pub use mixed::{LIST_OPTIONS, MixedCount, MixedCounts, MixedUnit, SharedCounter};
pub use options::{EncodingOptions, OptionError, OptionSpec, OptionValues};
pub use utf8::malformed_reason as not_utf8;
pub use vendor::{for_mime_label, has_vendor_prefix, is_mime_charset};

/// An encoding, such as [`charpipe::UTF_8`](crate::UTF_8). There is one static of each.
///
/// Labels are found as in iconv, with the aliases of IANA, glibc, libiconv, ICU, Windows, Java and
/// others:
///
/// ```
/// use charpipe::Encoding;
///
/// let encoding = Encoding::for_label(b"latin1").unwrap();
/// assert_eq!(encoding, charpipe::ISO_8859_1);
/// assert_eq!(encoding.decode(b"caf\xE9"), ("café".into(), false));
/// ```
pub struct Encoding {
    pub(crate) name_text: Text,
    pub(crate) description_text: Text,
    /// The options that may follow the name.
    #[doc(hidden)]
    pub options: &'static [OptionSpec],
    /// How its codecs treat U+FEFF at the start of the input or output.
    #[doc(hidden)]
    pub bom_handling: BomHandling,
    /// Makes its codecs.
    #[doc(hidden)]
    pub factory: Factory,
    /// The codecs for values above U+10FFFF, if the encoding has such values.
    #[doc(hidden)]
    pub ucs4: Option<Ucs4Codecs>,
}

/// A name or a description.
///
/// The single-byte encodings have no pointers in their statics: the dynamic linker would have to
/// relocate each of them at every start.
#[derive(Debug, Clone, Copy)]
pub enum Text {
    /// This text.
    Static(&'static str),
    /// This range of the names and descriptions of the single-byte encodings.
    SingleByte {
        /// Where it starts, in bytes.
        start: u16,
        /// Its length in bytes.
        len: u16,
    },
}

impl Text {
    pub(crate) const fn get(self) -> &'static str {
        match self {
            Text::Static(text) => text,
            Text::SingleByte { start, len } => single_byte::text(start, len),
        }
    }
}

/// The factory of an encoding.
#[derive(Debug)]
pub enum Factory {
    /// A reference to it.
    Static(&'static dyn CodecFactory),
    /// The table of a single-byte encoding.
    #[allow(private_interfaces, reason = "only this crate has tables")]
    SingleByte(single_byte::SingleByteTable),
}

impl Deref for Factory {
    type Target = dyn CodecFactory;

    fn deref(&self) -> &Self::Target {
        match self {
            Factory::Static(factory) => *factory,
            Factory::SingleByte(table) => table,
        }
    }
}

/// Makes the codecs of an encoding.
pub trait CodecFactory: fmt::Debug + Sync {
    /// Returns a new decoder.
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn DecodeStage>;

    /// Returns a new encoder.
    fn encoder(&self, options: &EncodingOptions) -> Box<dyn EncodeStage>;

    /// Returns the text of a few bytes, if this is faster than to call a decoder and they are well-formed.
    fn decode_short(&self, _bytes: &[u8]) -> Option<String> {
        None
    }

    /// Returns a new encoder that encodes the first character of each pair as the second one, or has no
    /// code for it without a second one. `None` if the encoding does not support that.
    fn encoder_with_substitutes(
        &self,
        _substitutes: &[(char, Option<char>)],
    ) -> Option<Box<dyn EncodeStage>> {
        None
    }

    /// Returns the name of the implementation that these codecs share with other encodings, if only
    /// their tables differ.
    fn engine(&self) -> Option<&'static str> {
        None
    }

    /// Returns the replacement of unmappable characters, if the encoding has one of its own.
    fn default_replacement(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether a decoder's positions count the lines of the input and their bytes, instead of the
    /// lines and characters of the decoded text.
    fn counts_source_lines(&self) -> bool {
        false
    }

    /// Returns where a file in the encoding with these options can be split.
    fn split_rule(&self, _options: &EncodingOptions) -> SplitRule {
        SplitRule::unsplittable("not known for this encoding")
    }

    /// Returns the encodings of a list of encodings.
    #[doc(hidden)]
    #[allow(private_interfaces, reason = "only this crate has lists")]
    fn list(&self) -> Option<&mixed::EncodingList> {
        None
    }
}

/// A factory of functions.
#[derive(Debug)]
pub(crate) struct FnFactory {
    pub decoder: fn(&EncodingOptions) -> Box<dyn DecodeStage>,
    pub encoder: fn(&EncodingOptions) -> Box<dyn EncodeStage>,
    pub split_rule: fn(&EncodingOptions) -> SplitRule,
}

impl CodecFactory for FnFactory {
    fn decoder(&self, options: &EncodingOptions) -> Box<dyn DecodeStage> {
        (self.decoder)(options)
    }

    fn encoder(&self, options: &EncodingOptions) -> Box<dyn EncodeStage> {
        (self.encoder)(options)
    }

    fn split_rule(&self, options: &EncodingOptions) -> SplitRule {
        (self.split_rule)(options)
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
    &[
        &tscii::TSCII,
        &user_defined::gsm0338::GSM0338,
        &user_defined::gsm0338_packed::GSM0338_PACKED,
        &user_defined::petscii::PETSCII_UNSHIFTED,
        &user_defined::petscii::PETSCII_SHIFTED,
    ],
    iscii::ALL,
    lmbcs::ALL,
    marc8::ALL,
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
    &wtf8::WTF_8,
    &utf_ebcdic::UTF_EBCDIC,
    &bocu1::BOCU_1,
    &scsu::SCSU,
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

/// All ASCII characters in order, and an escape of C and Java.
const ASCII_PROBE: [u8; 134] = {
    let mut probe = *b"................................................................\
        ................................................................\\u00e9";
    let mut byte = 0;
    while byte < 128 {
        probe[byte] = byte as u8;
        byte += 1;
    }
    probe
};

/// The category of every encoding. `cargo xtask generate` makes the file.
static CATEGORIES: LabelTable = LabelTable(include_str!("encoding/categories.tsv"));

/// Two encodings are equal if they are the same static.
impl PartialEq for Encoding {
    fn eq(&self, other: &Encoding) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Encoding {}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Encoding({})", self.name())
    }
}

impl Encoding {
    /// Returns the character of a byte alone in a single-byte encoding or ISO-8859-1.
    fn single_byte_char(&self, byte: u8) -> Option<char> {
        match &self.factory {
            Factory::SingleByte(table) => table.character(byte),
            Factory::Static(_) => {
                debug_assert_eq!(self.name(), "ISO-8859-1");
                Some(char::from(byte))
            }
        }
    }

    /// Returns an encoding without options whose codecs treat U+FEFF as a character.
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        description: &'static str,
        factory: &'static dyn CodecFactory,
    ) -> Encoding {
        Encoding {
            name_text: Text::Static(name),
            description_text: Text::Static(description),
            options: &[],
            bom_handling: BomHandling::Ignore,
            factory: Factory::Static(factory),
            ucs4: None,
        }
    }

    /// Returns the encoding with these options.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_options(self, options: &'static [OptionSpec]) -> Encoding {
        Encoding { options, ..self }
    }

    /// Returns all encodings, in the order of `charpipe list`.
    ///
    /// ```
    /// assert!(charpipe::Encoding::all().any(|encoding| encoding.name() == "UTF-7-IMAP"));
    /// ```
    pub fn all() -> impl ExactSizeIterator<Item = &'static Encoding> {
        ALL.iter().copied()
    }

    /// Returns the encoding with this label, if there is exactly one. A name that differs only in ASCII
    /// case has priority. Otherwise names are compared as in UTS #22, section 1.4: only letters and
    /// digits count, and zeros before a number do not. The prefixes `whatwg:`, `glibc:` and `libiconv:`
    /// select the meaning of a label in browsers or in one of these libraries.
    ///
    /// ```
    /// use charpipe::Encoding;
    ///
    /// assert_eq!(Encoding::for_label(b"iso_8859-15"), Some(charpipe::ISO_8859_15));
    /// assert_eq!(Encoding::for_label(b"whatwg:latin1").unwrap().name(), "whatwg:windows-1252");
    /// assert_eq!(Encoding::for_label(b"no-such-label"), None);
    /// ```
    pub fn for_label(label: &[u8]) -> Option<&'static Encoding> {
        for_label(std::str::from_utf8(label).ok()?)
    }

    /// Returns the encoding with this label, found as by [`for_label`](Encoding::for_label).
    ///
    /// ```
    /// use charpipe::Encoding;
    ///
    /// assert_eq!(Encoding::lookup("utf8")?, charpipe::UTF_8);
    /// let message = Encoding::lookup("utf-88").unwrap_err().to_string();
    /// assert!(message.starts_with("unknown encoding \"utf-88\" (did you mean "));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownEncoding`] with suggestions, [`Error::AmbiguousLabel`] or
    /// [`Error::UnsupportedEncoding`].
    pub fn lookup(label: &str) -> Result<&'static Encoding, Error> {
        lookup_label(label).map_err(|error| Error::from_lookup(label, error))
    }

    /// Returns the encoding of a MIME charset label, as mail programs understand it: the one of browsers,
    /// or else the one of iconv.
    ///
    /// ```
    /// let encoding = charpipe::Encoding::for_mime_label(b"ks_c_5601-1987").unwrap();
    /// assert_eq!(encoding.decode(b"\x8C\x63").0, "똠");
    /// ```
    pub fn for_mime_label(label: &[u8]) -> Option<&'static Encoding> {
        for_mime_label(std::str::from_utf8(label).ok()?)
    }

    /// Returns the encoding whose byte order mark `bytes` start with, and the length of the mark in
    /// bytes.
    ///
    /// ```
    /// use charpipe::Encoding;
    ///
    /// assert_eq!(Encoding::for_bom(b"\xFF\xFEa\0"), Some((charpipe::UTF_16LE, 2)));
    /// assert_eq!(Encoding::for_bom(b"\xEF\xBB\xBFa"), Some((charpipe::UTF_8, 3)));
    /// assert_eq!(Encoding::for_bom(b"a"), None);
    /// ```
    pub fn for_bom(bytes: &[u8]) -> Option<(&'static Encoding, usize)> {
        let found = bom::ENCODINGS_BY_BOM.iter().find(|(bom, _)| bytes.starts_with(bom));
        found.map(|(bom, encoding)| (*encoding, bom.len()))
    }

    /// Returns the name of the encoding.
    ///
    /// ```
    /// assert_eq!(charpipe::KOI8_R.name(), "KOI8-R");
    /// ```
    pub const fn name(&self) -> &'static str {
        self.name_text.get()
    }

    /// Returns a description in one line, with the document that defines the encoding.
    ///
    /// ```
    /// assert!(charpipe::UTF_7.description().ends_with("(RFC 2152)"));
    /// ```
    pub const fn description(&self) -> &'static str {
        self.description_text.get()
    }

    /// Returns the category under which lists show the encoding: its kind, or the vendor that defines it.
    ///
    /// ```
    /// assert_eq!(charpipe::UTF_8.category(), "Unicode");
    /// ```
    pub fn category(&self) -> &'static str {
        let mut rows = CATEGORIES.matching(self.name());
        rows.find(|(name, _, _)| *name == self.name()).map_or("Others", |(_, category, _)| category)
    }

    /// Returns the name of the encoding in MIME: the one that IANA prefers, or else the registered one.
    ///
    /// ```
    /// assert_eq!(charpipe::ISO_8859_1.mime_name(), Some("ISO-8859-1"));
    /// ```
    pub fn mime_name(&self) -> Option<&'static str> {
        alias::mime_name(&self.all_aliases().collect::<Vec<_>>())
    }

    /// Returns the name of the encoding in the iconv of glibc, in capitals: the MIME name if glibc knows it.
    /// For a variant of the Encoding Standard it is the encoding of glibc that decodes text the same, except
    /// for what one of the two leaves undefined and rare characters. `None` if glibc has no such encoding.
    ///
    /// ```
    /// assert_eq!(charpipe::CP1252.iconv_name().as_deref(), Some("WINDOWS-1252"));
    /// assert_eq!(charpipe::WHATWG_SHIFT_JIS.iconv_name().as_deref(), Some("WINDOWS-31J"));
    /// assert_eq!(charpipe::HZ.iconv_name(), None);
    /// ```
    pub fn iconv_name(&self) -> Option<String> {
        vendor::iconv_name(self)
    }

    /// Returns the number of the encoding's Windows code page.
    ///
    /// ```
    /// assert_eq!(charpipe::SHIFT_JIS.windows_code_page(), None);
    /// assert_eq!(charpipe::CP1252.windows_code_page(), Some(1252));
    /// ```
    pub fn windows_code_page(&self) -> Option<u32> {
        alias::windows_code_page(&self.all_aliases().collect::<Vec<_>>())
    }

    /// Returns whether every ASCII text is encoded as the same bytes, and all ASCII bytes are decoded as
    /// the same text. False for UTF-16, and for encodings in which ASCII bytes begin escape sequences,
    /// such as UTF-7 and ISO-2022-JP.
    ///
    /// ```
    /// assert!(charpipe::GB18030.is_ascii_compatible());
    /// assert!(!charpipe::ISO_2022_JP.is_ascii_compatible());
    /// ```
    pub fn is_ascii_compatible(&self) -> bool {
        match self.factory.list() {
            Some(list) => list.members.iter().all(|member| member.encoding.is_ascii_compatible()),
            None => self.decodes_ascii_unchanged() && self.encodes_ascii_unchanged(),
        }
    }

    /// Returns where a file in the encoding can be split, so that its parts can be converted independently,
    /// and where text that is encoded in it can be split.
    ///
    /// ```
    /// use charpipe_encoding::encoding::split_rule::SplitTarget;
    ///
    /// let rule = charpipe::GB18030.split_rule();
    /// assert_eq!(rule.source.to_string(), "after 0A");
    /// assert_eq!(rule.target, SplitTarget::AnyCharacter);
    /// ```
    #[doc(hidden)]
    pub fn split_rule(&self) -> SplitRule {
        self.factory.split_rule(&EncodingOptions::default())
    }

    /// Decodes `bytes`, with U+FFFD for each malformed sequence. Returns the text and whether there was
    /// one. Borrows `bytes` if they are the text.
    ///
    /// U+FEFF at the start is a byte order mark, and removed, only where the encoding says so, as UTF-16
    /// does. See [`for_bom`](Encoding::for_bom) and `DecodeReader`.
    ///
    /// ```
    /// assert_eq!(charpipe::BIG5.decode(b"\xA4\xA4\xA4\xE5"), ("中文".into(), false));
    /// assert_eq!(charpipe::UTF_8.decode(b"caf\xE9"), ("caf\u{FFFD}".into(), true));
    /// ```
    #[inline]
    pub fn decode<'a>(&'static self, bytes: &'a [u8]) -> (Cow<'a, str>, bool) {
        if let Some(text) = self.same_text(bytes) {
            return (Cow::Borrowed(text), false);
        }
        let (text, had_errors) = self.decode_owned(bytes);
        (Cow::Owned(text), had_errors)
    }

    /// Decodes as [`decode`](Encoding::decode).
    #[inline(never)]
    fn decode_owned(&'static self, bytes: &[u8]) -> (String, bool) {
        if let Some(text) = self.decode_short(bytes, short_text::text_len(bytes)) {
            return (text, false);
        }
        let mut text = String::new();
        let had_errors = self.new_decoder().decode(bytes, &mut text, true);
        (text, had_errors)
    }

    /// Decodes `bytes`. Borrows them if they are the text.
    ///
    /// ```
    /// assert_eq!(charpipe::EUC_JP.decode_strict(b"\xC6\xFC\xCB\xDC")?, "日本");
    /// let error = charpipe::UTF_8.decode_strict(b"one\ntwo \xE9 ").unwrap_err();
    /// assert_eq!((error.position().unwrap().line, error.position().unwrap().column), (2, 5));
    /// # Ok::<(), charpipe::ConversionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first malformed sequence, with its position.
    #[inline]
    pub fn decode_strict<'a>(
        &'static self,
        bytes: &'a [u8],
    ) -> Result<Cow<'a, str>, ConversionError> {
        match self.same_text(bytes) {
            Some(text) => Ok(Cow::Borrowed(text)),
            None => self.decode_owned_strict(bytes).map(Cow::Owned),
        }
    }

    /// Decodes as [`decode_strict`](Encoding::decode_strict).
    #[inline(never)]
    fn decode_owned_strict(&'static self, bytes: &[u8]) -> Result<String, ConversionError> {
        if let Some(text) = self.decode_short(bytes, short_text::text_len(bytes)) {
            return Ok(text);
        }
        let mut text = String::new();
        match self.new_decoder().decode_strict(bytes, &mut text, true) {
            Ok(()) => Ok(text),
            Err(error) => Err(ConversionError::from_malformed(&error, self, bytes, &text)),
        }
    }

    /// Encodes `text`. An unmappable character is replaced by U+FFFD, or by `?` if the encoding does not
    /// have that either. Returns the bytes and whether there was one. Borrows `text` if it is the bytes.
    ///
    /// ```
    /// assert_eq!(charpipe::WINDOWS_1252.encode("3 €"), (b"3 \x80".as_slice().into(), false));
    /// assert_eq!(charpipe::US_ASCII.encode("3 €"), (b"3 ?".as_slice().into(), true));
    /// ```
    #[inline]
    pub fn encode<'a>(&'static self, text: &'a str) -> (Cow<'a, [u8]>, bool) {
        if self.has_same_bytes(text) {
            return (Cow::Borrowed(text.as_bytes()), false);
        }
        let (bytes, had_errors) = self.encode_owned(text);
        (Cow::Owned(bytes), had_errors)
    }

    /// Encodes as [`encode`](Encoding::encode).
    #[inline(never)]
    fn encode_owned(&'static self, text: &str) -> (Vec<u8>, bool) {
        if let Some(bytes) = self.encode_short(text, short_text::bytes_len(text)) {
            return (bytes, false);
        }
        let mut bytes = Vec::new();
        let had_errors = self.new_encoder().encode(text, &mut bytes, true);
        (bytes, had_errors)
    }

    /// Encodes `text`. Borrows it if it is the bytes.
    ///
    /// ```
    /// assert_eq!(*charpipe::UTF_16BE.encode_strict("é")?, [0x00, 0xE9]);
    /// let error = charpipe::ISO_8859_1.encode_strict("3 €").unwrap_err();
    /// assert_eq!(error.to_string(), "1:3: byte 2: U+20AC cannot be encoded in ISO-8859-1");
    /// # Ok::<(), charpipe::ConversionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first unmappable character, with its position.
    #[inline]
    pub fn encode_strict<'a>(
        &'static self,
        text: &'a str,
    ) -> Result<Cow<'a, [u8]>, ConversionError> {
        if self.has_same_bytes(text) {
            return Ok(Cow::Borrowed(text.as_bytes()));
        }
        self.encode_owned_strict(text).map(Cow::Owned)
    }

    /// Encodes as [`encode_strict`](Encoding::encode_strict).
    #[inline(never)]
    fn encode_owned_strict(&'static self, text: &str) -> Result<Vec<u8>, ConversionError> {
        if let Some(bytes) = self.encode_short(text, short_text::bytes_len(text)) {
            return Ok(bytes);
        }
        let mut bytes = Vec::new();
        match self.new_encoder().encode_strict(text, &mut bytes, true) {
            Ok(()) => Ok(bytes),
            Err(error) => Err(ConversionError::from_unmappable(&error, text)),
        }
    }

    /// Returns a decoder for text that arrives in parts. See [`crate::Decoder`] for an example.
    ///
    /// ```
    /// let (mut decoder, mut text) = (charpipe::UTF_16BE.new_decoder(), String::new());
    /// decoder.decode(b"\0", &mut text, false);
    /// decoder.decode(b"a", &mut text, true);
    /// assert_eq!(text, "a");
    /// ```
    pub fn new_decoder(&'static self) -> crate::Decoder {
        crate::Decoder::new(self)
    }

    /// Returns an encoder for text that arrives in parts. See [`crate::Encoder`] for an example.
    ///
    /// ```
    /// let (mut encoder, mut bytes) = (charpipe::UTF_16.new_encoder(), Vec::new());
    /// encoder.encode("a", &mut bytes, false);
    /// encoder.encode("b", &mut bytes, true);
    /// assert_eq!(bytes, b"\xFF\xFEa\0b\0");
    /// ```
    pub fn new_encoder(&'static self) -> crate::Encoder {
        crate::Encoder::new(self)
    }

    /// Returns `bytes` as text if they need no decoding.
    #[inline]
    fn same_text<'a>(&'static self, bytes: &'a [u8]) -> Option<&'a str> {
        if is_utf8(self) {
            return simdutf8::basic::from_utf8(bytes).ok();
        }
        charpipe_kernel::ascii::text(bytes).filter(|_| self.keeps_ascii_bytes())
    }

    /// Returns whether ASCII is decoded unchanged.
    fn keeps_ascii_bytes(&'static self) -> bool {
        let of_table = match &self.factory {
            Factory::SingleByte(table) => table.decodes_ascii_unchanged(),
            Factory::Static(_) => None,
        };
        of_table.unwrap_or_else(|| {
            let determine = || self.decodes_ascii_unchanged();
            codec_cache::keeps_ascii::<dyn DecodeStage>(self, determine)
        })
    }

    /// Decodes bytes in one call of a codec, if they are few enough and well-formed. The text has about
    /// `expected_len` bytes or fewer.
    fn decode_short(&'static self, bytes: &[u8], expected_len: usize) -> Option<String> {
        if expected_len > short_text::MAX_LEN {
            return None;
        }
        let text = match &self.factory {
            Factory::SingleByte(table) => table.decode_short(bytes),
            Factory::Static(factory) => factory.decode_short(bytes),
        };
        text.or_else(|| self.decode_in_buffer(bytes, expected_len))
    }

    /// Does the same with a codec and a buffer.
    #[inline(never)]
    fn decode_in_buffer(&'static self, bytes: &[u8], expected_len: usize) -> Option<String> {
        let table_decoder = match &self.factory {
            Factory::SingleByte(table) => table.shared_decoder(),
            Factory::Static(_) => None,
        };
        let mut is_full = false;
        let text = short_text::with_buffer(expected_len, |buffer| {
            let result = match table_decoder {
                Some(mut decoder) => {
                    decoder.decode(bytes, buffer, true).of_whole_input(bytes.len())
                }
                None => codec_cache::with_codec::<dyn DecodeStage, _>(self, |codec| {
                    codec.decode(bytes, buffer, true).of_whole_input(bytes.len())
                }),
            };
            is_full = result == WholeResult::OutputFull && buffer.len() < short_text::MAX_LEN;
            let WholeResult::Written(len) = result else { return None };
            short_text::validate(buffer, len).map(str::to_owned)
        });
        if is_full { self.decode_in_buffer(bytes, short_text::MAX_LEN) } else { text }
    }

    /// Encodes text in one call of a codec, if it is short enough and mappable. The bytes are about
    /// `expected_len` or fewer.
    fn encode_short(&'static self, text: &str, expected_len: usize) -> Option<Vec<u8>> {
        if expected_len > short_text::MAX_LEN {
            return None;
        }
        let mut is_full = false;
        let bytes = short_text::with_buffer(expected_len, |buffer| {
            let result = match &self.factory {
                Factory::SingleByte(table) => {
                    table.shared_encoder().encode(text, buffer, true).of_whole_input(text.len())
                }
                Factory::Static(_) => {
                    codec_cache::with_codec::<dyn EncodeStage, _>(self, |codec| {
                        codec.encode(text, buffer, true).of_whole_input(text.len())
                    })
                }
            };
            is_full = result == WholeResult::OutputFull && buffer.len() < short_text::MAX_LEN;
            let WholeResult::Written(len) = result else { return None };
            Some(buffer[..len].to_vec())
        });
        if is_full { self.encode_short(text, short_text::MAX_LEN) } else { bytes }
    }

    /// Returns whether `text` needs no encoding.
    #[inline]
    fn has_same_bytes(&'static self, text: &str) -> bool {
        is_utf8(self) || text.is_ascii() && self.keeps_ascii_text()
    }

    /// Returns whether ASCII is encoded unchanged.
    fn keeps_ascii_text(&'static self) -> bool {
        match &self.factory {
            Factory::SingleByte(table) => table.encodes_ascii_unchanged(),
            Factory::Static(_) => {
                let determine = || self.encodes_ascii_unchanged();
                codec_cache::keeps_ascii::<dyn EncodeStage>(self, determine)
            }
        }
    }

    fn decodes_ascii_unchanged(&self) -> bool {
        if self.factory.list().is_some() {
            return self.is_ascii_compatible();
        }
        let (mut decoder, mut text) = (self.decoder(&EncodingOptions::default()), [0; 256]);
        let progress = decoder.decode(&ASCII_PROBE, &mut text, false);
        progress == Progress::input_empty(ASCII_PROBE.len(), ASCII_PROBE.len())
            && text[..ASCII_PROBE.len()] == ASCII_PROBE
            && decoder.save_state() == State::INITIAL
    }

    fn encodes_ascii_unchanged(&self) -> bool {
        let (mut encoder, mut bytes) = (self.encoder(&EncodingOptions::default()), [0; 256]);
        let text = std::str::from_utf8(&ASCII_PROBE).unwrap_or_default();
        encoder.encode(text, &mut bytes, false)
            == Progress::input_empty(ASCII_PROBE.len(), ASCII_PROBE.len())
            && bytes[..ASCII_PROBE.len()] == ASCII_PROBE
            && encoder.save_state() == State::INITIAL
    }

    /// Returns whether encoded ASCII text contains the byte 00, as in UTF-16.
    #[doc(hidden)]
    pub fn can_contain_nul(&self, options: &EncodingOptions) -> bool {
        let mut output = [0; 256];
        let progress = self.encoder(options).encode("Az09 ~\r\n", &mut output, true);
        output[..progress.written].contains(&0)
    }

    /// Returns a decoder with these options, which must have been parsed for this encoding.
    #[doc(hidden)]
    pub fn decoder(&self, options: &EncodingOptions) -> Box<dyn DecodeStage> {
        self.factory.decoder(options)
    }

    /// Returns an encoder with these options, which must have been parsed for this encoding.
    #[doc(hidden)]
    pub fn encoder(&self, options: &EncodingOptions) -> Box<dyn EncodeStage> {
        self.factory.encoder(options)
    }

    /// Returns all names of this encoding, the primary name first.
    ///
    /// ```
    /// assert!(charpipe::ISO_8859_1.names().any(|name| name == "latin1"));
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name()).chain(self.aliases().map(|alias| alias.name()))
    }

    /// Returns the other names of this encoding, with their sources.
    ///
    /// ```
    /// let mut aliases = charpipe::ISO_8859_15.aliases();
    /// let alias = aliases.find(|alias| alias.name() == "iso-latin-9").unwrap();
    /// assert!(alias.sources().any(|source| source == "Emacs"));
    /// ```
    #[doc(hidden)]
    pub fn aliases(&self) -> impl Iterator<Item = Alias> {
        self.all_aliases().filter(|alias| alias.name != self.name())
    }

    /// Returns all names of this encoding with their sources, if they have any.
    pub(crate) fn all_aliases(&self) -> impl Iterator<Item = Alias> {
        alias::all().filter(|alias| alias.encoding == self.name())
    }
}

/// Returns a decoder of text from a network protocol. UTF-16 and UTF-32 without a byte order mark are big-endian there
/// (RFC 2781, section 4.3; The Unicode Standard, D98 and D101), though little-endian in files.
pub fn network_order_decoder(encoding: &Encoding) -> Box<dyn DecodeStage> {
    utf16::network_order_decoder(encoding)
        .or_else(|| utf32::network_order_decoder(encoding))
        .unwrap_or_else(|| encoding.decoder(&EncodingOptions::default()))
}

/// Returns UTF-8.
pub fn utf8() -> &'static Encoding {
    &utf8::UTF_8
}

/// Returns whether an encoding is UTF-8.
pub fn is_utf8(encoding: &Encoding) -> bool {
    *encoding == utf8::UTF_8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_compatible_encodings_decode_and_encode_ascii_unchanged() {
        let compatible = || Encoding::all().filter(|encoding| encoding.is_ascii_compatible());
        assert!(compatible().count() > 150, "{}", compatible().count());
        for encoding in compatible() {
            // Every pair of ASCII bytes occurs.
            let text: String = (0..128u8)
                .flat_map(|one| (0..128u8).flat_map(move |two| [one, two]))
                .map(char::from)
                .collect();
            let (mut decoded, mut encoded) = (String::new(), Vec::new());
            encoding.new_decoder().decode_strict(text.as_bytes(), &mut decoded, true).unwrap();
            encoding.new_encoder().encode_strict(&text, &mut encoded, true).unwrap();
            assert!(decoded == text && encoded == text.as_bytes(), "{encoding:?}");
        }
        for label in ["utf-16", "utf-7", "iso-2022-jp", "hz", "utf-5", "ibm037", "iso646-de", "c99"]
        {
            assert!(!for_label(label).is_some_and(Encoding::is_ascii_compatible), "{label}");
        }
    }

    #[test]
    fn few_bytes_with_codes_of_one_and_two_bytes_are_decoded_by_the_table() {
        let Factory::Static(factory) = &crate::SHIFT_JIS.factory else { panic!("not static") };
        // JIS X 0201 and JIS X 0208.
        let text = factory.decode_short(b"\xB1a\x93\xFA\xB2");
        assert_eq!(text.as_deref(), Some("\u{FF71}a\u{65E5}\u{FF72}"));
    }

    #[test]
    fn whole_texts_are_borrowed_if_their_bytes_are_the_same() {
        for encoding in [crate::UTF_8, crate::EUC_JP, crate::GB18030, crate::ISO_8859_1] {
            assert!(matches!(encoding.decode(b"plain").0, Cow::Borrowed("plain")), "{encoding:?}");
            assert!(matches!(encoding.encode("plain").0, Cow::Borrowed(b"plain")), "{encoding:?}");
        }
        assert!(matches!(crate::UTF_8.decode_strict("é".as_bytes()), Ok(Cow::Borrowed("é"))));
        assert!(matches!(crate::UTF_7.decode(b"plain").0, Cow::Owned(_)));
    }

    #[test]
    fn a_label_that_is_too_long_for_a_name_costs_nothing() {
        let longest = alias::all().map(|known| known.name.len()).max();
        assert!(longest < Some(alias::MAX_LABEL_LEN / 2));
        let label = ":".repeat(100_000);
        assert!(label.match_indices(':').all(|(at, _)| for_label(&label[at..]).is_none()));
        assert!(suggest(&"utf8".repeat(100_000)).is_empty());
    }
}
