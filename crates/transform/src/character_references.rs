//! The character references of HTML and XML: `&eacute;`, `&#233;`, `&#xE9;`.
//!
//! # HTML
//!
//! The decoder follows the HTML Standard, section 13.2.5.72 and the following ones, for references in
//! text, not in attributes: the longest name of the table wins, 106 names need no semicolon (`&notit;` is
//! `¬it;`), a number needs none, and the numbers 128 to 159 are characters of windows-1252. What is not a
//! reference, such as `&` before a space or an unknown name, is text, as for `html.unescape` of Python.
//! The standard replaces zero, surrogates and numbers above U+10FFFF by U+FFFD; here they are errors,
//! whose action can be the same. `html.unescape` also drops control characters and noncharacters; here
//! they are kept, as in the standard.
//!
//! With `strict`, what the standard calls a parse error is an error: an unknown name before a semicolon,
//! a missing semicolon, `&#` without digits, and the number of a control character or noncharacter.
//!
//! # XML
//!
//! The decoder accepts what XML 1.0, section 4.1, calls well-formed without declarations: the five
//! names of section 4.6 and numbers of characters that XML allows, all with a semicolon. Every other
//! `&` is an error, or text with `lenient`.
//!
//! # Both
//!
//! A reference takes at most 512 bytes; a number with more zeros than that is an error.
//!
//! Encoders write `& < > " '` as references, and all other characters as they are, or with `ascii` or
//! `named` the non-ASCII ones as references too. With `keep-markup` encoders leave these five characters
//! alone, like `recode -d`, and decoders the references of ASCII and control characters: as characters they
//! would be markup, end an attribute, or be normalized with the white space of an attribute (XML 1.0,
//! section 3.3.3). U+0080 to U+009F have no references in HTML, U+FFFE and U+FFFF none in XML, and always
//! remain.

use super::entity_names::{EntityNames, MAX_NAME_LEN};
use super::item_transform::{Item, ItemFormat, ItemTransform};
use super::{Transform, TransformCodecs};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::special_bytes::SpecialBytes;

const STRICT: &str = "strict";
const LENIENT: &str = "lenient";
const ASCII: &str = "ascii";
const NAMED: &str = "named";
const KEEP_MARKUP: &str = "keep-markup";
const KEEP_QUOTES: &str = "keep-quotes";

const fn flag(name: &'static str, description: &'static str) -> OptionSpec {
    OptionSpec { name, values: OptionValues::Flag, description }
}

const KEEP_MARKUP_SPEC: OptionSpec = flag(
    KEEP_MARKUP,
    "leave & < > \" ' and the references of ASCII and control characters unchanged",
);
const KEEP_QUOTES_SPEC: OptionSpec = flag(KEEP_QUOTES, "encode: leave \" and ' unchanged");
const ASCII_SPEC: OptionSpec = flag(ASCII, "encode: write non-ASCII characters as numbers");

/// Character references of HTML.
pub static HTML: Transform = Transform {
    name: "html",
    aliases: &["html-entities"],
    title: "HTML",
    description: "Character references of HTML: &eacute;, &#233;, &#xE9; (HTML Standard, section 13.5)",
    options: &[
        flag(STRICT, "decode: report what the standard calls a parse error"),
        ASCII_SPEC,
        flag(NAMED, "encode: write non-ASCII characters as names, otherwise as numbers"),
        KEEP_QUOTES_SPEC,
        KEEP_MARKUP_SPEC,
    ],
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(ItemTransform::new(ReferenceDecoder {
                syntax: ReferenceSyntax::Html(EntityNames::get()),
                is_strict: options.flag(STRICT),
                keeps_markup: options.flag(KEEP_MARKUP),
            }))
        }),
        encoder: |options| Box::new(ItemTransform::new(ReferenceEncoder::new(options, true))),
    },
};

/// Character references of XML.
pub static XML: Transform = Transform {
    name: "xml",
    aliases: &["xml-entities"],
    title: "XML",
    description: "Character references of XML: &amp;, &#233;, &#xE9; (XML 1.0, section 4.1)",
    options: &[
        flag(LENIENT, "decode: what is not a reference is text"),
        ASCII_SPEC,
        KEEP_QUOTES_SPEC,
        KEEP_MARKUP_SPEC,
    ],
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(ItemTransform::new(ReferenceDecoder {
                syntax: ReferenceSyntax::Xml,
                is_strict: !options.flag(LENIENT),
                keeps_markup: options.flag(KEEP_MARKUP),
            }))
        }),
        encoder: |options| Box::new(ItemTransform::new(ReferenceEncoder::new(options, false))),
    },
};

/// The maximum length of a reference in bytes.
const MAX_LEN: usize = 512;

/// Reads character references.
struct ReferenceDecoder {
    syntax: ReferenceSyntax,
    is_strict: bool,
    keeps_markup: bool,
}

#[derive(Clone, Copy)]
enum ReferenceSyntax {
    Html(&'static EntityNames),
    Xml,
}

/// What the decoder has found at `&`.
enum Reference {
    /// A reference of this length to a text.
    Text {
        len: usize,
        text: [u8; 8],
        text_len: usize,
    },
    NeedMore,
    /// Not a reference: an error if the decoder is strict.
    NotWellFormed {
        len: usize,
        reason: MalformedReason,
    },
    /// Text: an `&` that the syntax allows.
    Ampersand,
    /// A reference of this length that is always an error.
    Malformed {
        len: usize,
        reason: MalformedReason,
    },
}

impl Reference {
    fn char(len: usize, character: char) -> Reference {
        let mut text = [0; 8];
        let text_len = character.encode_utf8(&mut text).len();
        Reference::Text { len, text, text_len }
    }
}

impl ItemFormat for ReferenceDecoder {
    const MAX_LEN: usize = MAX_LEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        match src.first() {
            Some(b'&') => 0,
            _ => memchr::memchr(b'&', src).unwrap_or(src.len()),
        }
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let window = &src.as_bytes()[..src.len().min(MAX_LEN)];
        // A reference of the maximum length is complete, or invalid.
        let end = end || window.len() == MAX_LEN;
        let reference = match (window.get(1), self.syntax) {
            (None, _) if !end => Reference::NeedMore,
            (Some(b'#'), _) => self.read_number(window, end),
            (_, ReferenceSyntax::Html(names)) => self.read_html_name(window, end, names),
            (_, ReferenceSyntax::Xml) => read_xml_name(window, end),
        };
        match reference {
            Reference::Text { len, text, text_len } => {
                // ASCII and control characters.
                if self.keeps_markup && matches!(text, [0..0x80, ..] | [0xC2, 0x80..0xA0, ..]) {
                    return Item::unchanged(len, src, dst);
                }
                Item::bytes(len, text, text_len, dst)
            }
            Reference::NeedMore => Item::NeedMore,
            Reference::Malformed { len, reason } => Item::Malformed { len, reason },
            Reference::NotWellFormed { len, reason } if self.is_strict => {
                Item::Malformed { len, reason }
            }
            Reference::NotWellFormed { .. } | Reference::Ampersand => Item::text(1, "&", dst),
        }
    }
}

impl ReferenceDecoder {
    /// Reads a number after `&#`.
    fn read_number(&self, src: &[u8], end: bool) -> Reference {
        let is_html = matches!(self.syntax, ReferenceSyntax::Html(_));
        let (radix, start) = match src.get(2) {
            Some(b'x') => (16, 3),
            Some(b'X') if is_html => (16, 3),
            _ => (10, 2),
        };
        let digits = src[start.min(src.len())..].iter();
        let digits = digits.map_while(|byte| char::from(*byte).to_digit(radix));
        let (mut value, mut len) = (0_u32, start);
        for digit in digits {
            value = value.saturating_mul(radix).saturating_add(digit);
            len += 1;
        }
        if len >= src.len() && !end {
            return Reference::NeedMore;
        }
        if len == MAX_LEN {
            return Reference::Malformed { len, reason: MalformedReason::InvalidEscape };
        }
        let not_a_reference = Reference::NotWellFormed {
            len: len.min(src.len()),
            reason: MalformedReason::InvalidEscape,
        };
        let has_semicolon = src.get(len) == Some(&b';');
        if len == start || !has_semicolon && (self.is_strict || !is_html) {
            return not_a_reference;
        }
        len += usize::from(has_semicolon);
        let character = match self.syntax {
            ReferenceSyntax::Html(_) => html_char(value, self.is_strict),
            ReferenceSyntax::Xml => xml_char(value),
        };
        match character {
            Ok(character) => Reference::char(len, character),
            Err(reason) if is_html => Reference::Malformed { len, reason },
            Err(reason) => Reference::NotWellFormed { len, reason },
        }
    }

    /// Reads a name of HTML after `&`.
    fn read_html_name(&self, src: &[u8], end: bool, names: &EntityNames) -> Reference {
        let name = &src[1..];
        let len = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if len == name.len() && !end {
            return Reference::NeedMore;
        }
        let has_semicolon = name.get(len) == Some(&b';');
        let found = match has_semicolon && len <= MAX_NAME_LEN {
            true => names.find(&name[..len]).map(|entity| (entity, len + 1)),
            false => None,
        };
        let Some((entity, len)) = found.or_else(|| names.find_legacy_prefix(&name[..len])) else {
            return match has_semicolon && len > 0 {
                true => {
                    Reference::NotWellFormed { len: len + 2, reason: MalformedReason::UnknownName }
                }
                false => Reference::Ampersand,
            };
        };
        if self.is_strict && found.is_none() {
            return Reference::NotWellFormed {
                len: 1 + len,
                reason: MalformedReason::InvalidEscape,
            };
        }
        let (text, text_len) = entity.text();
        Reference::Text { len: 1 + len, text, text_len }
    }
}

/// Reads a name of XML after `&`.
fn read_xml_name(src: &[u8], end: bool) -> Reference {
    let is_name_byte = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || !byte.is_ascii()
            || matches!(byte, b'-' | b'.' | b'_' | b':')
    };
    let mut len = 1 + src[1..].iter().take_while(|byte| is_name_byte(byte)).count();
    if len == src.len() && !end {
        return Reference::NeedMore;
    }
    if src.get(len) != Some(&b';') {
        if len == MAX_LEN {
            len = charpipe_kernel::utf8::floor_char_boundary_of_bytes(src, MAX_LEN - 1);
        }
        return Reference::NotWellFormed { len, reason: MalformedReason::InvalidEscape };
    }
    let character = match &src[1..len] {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        b"" => return Reference::NotWellFormed { len: 1, reason: MalformedReason::InvalidEscape },
        _ => {
            return Reference::NotWellFormed { len: len + 1, reason: MalformedReason::UnknownName };
        }
    };
    Reference::char(len + 1, character)
}

/// Returns the character of a number in HTML (section 13.2.5.80).
fn html_char(value: u32, is_strict: bool) -> Result<char, MalformedReason> {
    let character = scalar_value(value)?;
    let is_noncharacter = value & 0xFFFE == 0xFFFE || matches!(value, 0xFDD0..=0xFDEF);
    let is_control = character.is_control() && !matches!(character, '\t' | '\n' | '\x0C');
    if value == 0 {
        return Err(MalformedReason::OutOfRange);
    }
    if is_strict && (is_noncharacter || is_control) {
        return Err(MalformedReason::InvalidCharacter);
    }
    Ok(match value {
        0x80..=0x9F => C1_CHARACTERS[value as usize - 0x80],
        _ => character,
    })
}

/// The characters of the numbers from 0x80 (HTML Standard, section 13.2.5.80); the same as in
/// windows-1252.
#[rustfmt::skip]
const C1_CHARACTERS: [char; 0x20] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// Returns the character of a number in XML (section 2.2, `Char`).
fn xml_char(value: u32) -> Result<char, MalformedReason> {
    match scalar_value(value)? {
        character @ ('\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..) => Ok(character),
        _ => Err(MalformedReason::InvalidCharacter),
    }
}

/// Returns the character of a code point.
fn scalar_value(value: u32) -> Result<char, MalformedReason> {
    char::from_u32(value).ok_or(match value {
        0xD800..=0xDFFF => MalformedReason::Surrogate,
        _ => MalformedReason::OutOfRange,
    })
}

/// Writes character references.
struct ReferenceEncoder {
    special: SpecialBytes,
    names: Option<&'static EntityNames>,
    is_html: bool,
}

impl ReferenceEncoder {
    fn new(options: &EncodingOptions, is_html: bool) -> ReferenceEncoder {
        let names = options.flag(NAMED).then(EntityNames::get);
        let escapes_non_ascii = names.is_some() || options.flag(ASCII);
        let (keeps_markup, keeps_quotes) = (options.flag(KEEP_MARKUP), options.flag(KEEP_QUOTES));
        let special = SpecialBytes::new(|byte| match byte {
            b'"' | b'\'' => !keeps_markup && !keeps_quotes,
            b'&' | b'<' | b'>' => !keeps_markup,
            _ => escapes_non_ascii && !byte.is_ascii(),
        });
        ReferenceEncoder { special, names, is_html }
    }
}

impl ItemFormat for ReferenceEncoder {
    const MAX_LEN: usize = MAX_LEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        let character = src.chars().next().unwrap_or_default();
        let text = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' if self.is_html => "&#39;",
            '\'' => "&apos;",
            _ => return self.write_non_ascii(character, dst),
        };
        Item::text(1, text, dst)
    }
}

impl ReferenceEncoder {
    fn write_non_ascii(&self, character: char, dst: &mut [u8]) -> Item {
        let has_reference = match self.is_html {
            // The numbers of these are references to other characters.
            true => !character.is_control(),
            false => xml_char(u32::from(character)).is_ok(),
        };
        if !has_reference {
            return Item::char(character.len_utf8(), character, dst);
        }
        let mut digits = [0; 12];
        // The digits with the number sign.
        let body = match self.names.and_then(|names| names.name_of(character)) {
            Some(name) => name.as_bytes(),
            None => decimal(u32::from(character), &mut digits),
        };
        let len = body.len() + 2;
        let Some([first, to @ .., last]) = dst.get_mut(..len) else { return Item::OutputFull };
        *first = b'&';
        to.copy_from_slice(body);
        *last = b';';
        Item::Converted { read: character.len_utf8(), written: len }
    }
}

/// Writes a number sign and the decimal digits of a number to the end of `buffer` and returns them.
fn decimal(mut number: u32, buffer: &mut [u8; 12]) -> &[u8] {
    let mut start = buffer.len();
    loop {
        start -= 1;
        buffer[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            buffer[start - 1] = b'#';
            return &buffer[start - 1..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{decode, decode_every_way, encode_every_way};
    use super::*;
    use MalformedReason::{InvalidCharacter, InvalidEscape, OutOfRange, Surrogate, UnknownName};

    #[test]
    fn html_decodes_the_longest_name() {
        for (text, expected) in [
            ("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"),
            ("I'm &notit; there", "I'm ¬it; there"),
            ("I'm &notin; I", "I'm ∉ I"),
            ("&copy2&copy;&COPY", "©2©©"),
            ("&acE;&NotEqualTilde;", "\u{223E}\u{333}\u{2242}\u{338}"),
            ("&CounterClockwiseContourIntegral;", "∳"),
            (
                "& &; &x &unknown; &Amp; &# &#x; &#xg &#;",
                "& &; &x &unknown; &Amp; &# &#x; &#xg &#;",
            ),
            ("&#233;&#xe9;&#XE9&#0000233z&#x1F600;", "ééééz😀"),
            ("&#128;&#x9f;&#129;&#1;&#xFFFE;", "€Ÿ\u{81}\u{1}\u{FFFE}"),
            ("&amp;lt;&&amp", "&lt;&&"),
            ("&", "&"),
            ("&am", "&am"),
        ] {
            assert_eq!(decode("html", text), expected, "{text}");
        }
    }

    #[test]
    fn html_reports_numbers_that_are_no_characters() {
        let zeros = format!("&#{}65;", "0".repeat(514));
        for (text, expected, errors) in [
            ("a&#0;b", "a\u{FFFD}b", vec![(1, 4, OutOfRange)]),
            ("&#xD800;&#xdfff", "\u{FFFD}\u{FFFD}", vec![(0, 8, Surrogate), (8, 7, Surrogate)]),
            (
                "&#1114112;&#99999999999999;",
                "\u{FFFD}\u{FFFD}",
                vec![(0, 10, OutOfRange), (10, 17, OutOfRange)],
            ),
            (&zeros, "\u{FFFD}000065;", vec![(0, 512, InvalidEscape)]),
        ] {
            assert_eq!(decode_every_way("html", text), (expected.to_owned(), errors), "{text}");
        }
    }

    #[test]
    fn numbers_may_begin_with_zeros() {
        for zeros in [60, 250] {
            let zeros = "0".repeat(zeros);
            assert_eq!(decode("html", &format!("&#{zeros}169; &#x{zeros}a9;a")), "© ©a");
            assert_eq!(decode("xml", &format!("&#{zeros}169; &#x{zeros}a9;a")), "© ©a");
        }
    }

    #[test]
    fn strict_html_reports_parse_errors() {
        let text = "&amp; & &x &unknown; &notit; &#65 &#; &#x &#1; &#128; &#xFFFF; &#10;";
        let errors = [
            (11, 9, UnknownName),
            (21, 4, InvalidEscape),
            (29, 4, InvalidEscape),
            (34, 2, InvalidEscape),
            (38, 3, InvalidEscape),
            (42, 4, InvalidCharacter),
            (47, 6, InvalidCharacter),
            (54, 8, InvalidCharacter),
        ];
        let expected =
            "& & &x \u{FFFD} \u{FFFD}it; \u{FFFD} \u{FFFD}; \u{FFFD} \u{FFFD} \u{FFFD} \u{FFFD} \n";
        assert_eq!(decode_every_way("html:strict", text), (expected.to_owned(), errors.to_vec()));
    }

    #[test]
    fn xml_decodes_only_well_formed_references() {
        assert_eq!(decode("xml", "&lt;&gt;&amp;&quot;&apos;&#233;&#xe9;"), "<>&\"'éé");
        for (text, expected, errors) in [
            ("a & b", "a \u{FFFD} b", vec![(2, 1, InvalidEscape)]),
            ("AT&T", "AT\u{FFFD}", vec![(2, 2, InvalidEscape)]),
            ("&eacute;&été;", "\u{FFFD}\u{FFFD}", vec![(0, 8, UnknownName), (8, 7, UnknownName)]),
            (
                "&#65 &#XE9; &;",
                "\u{FFFD} \u{FFFD}XE9; \u{FFFD};",
                vec![(0, 4, InvalidEscape), (5, 2, InvalidEscape), (12, 1, InvalidEscape)],
            ),
            (
                "&#0;&#xFFFE;&#xD800;",
                "\u{FFFD}\u{FFFD}\u{FFFD}",
                vec![(0, 4, InvalidCharacter), (4, 8, InvalidCharacter), (12, 8, Surrogate)],
            ),
        ] {
            assert_eq!(decode_every_way("xml", text), (expected.to_owned(), errors), "{text}");
        }
        let text = "AT&T &eacute; &#0; &amp;";
        assert_eq!(decode("xml:lenient", text), "AT&T &eacute; &#0; &");
    }

    #[test]
    fn encoders_write_the_markup_and_if_wanted_non_ascii_characters() {
        let text = "<a href=\"x\">'é…日😀' & \u{A0}</a>";
        for (label, expected) in [
            ("html", "&lt;a href=&quot;x&quot;&gt;&#39;é…日😀&#39; &amp; \u{A0}&lt;/a&gt;"),
            ("xml", "&lt;a href=&quot;x&quot;&gt;&apos;é…日😀&apos; &amp; \u{A0}&lt;/a&gt;"),
            ("html:keep-quotes", "&lt;a href=\"x\"&gt;'é…日😀' &amp; \u{A0}&lt;/a&gt;"),
            (
                "html:keep-markup,named",
                "<a href=\"x\">'&eacute;&hellip;&#26085;&#128512;' & &nbsp;</a>",
            ),
            (
                "xml:keep-quotes,ascii",
                "&lt;a href=\"x\"&gt;'&#233;&#8230;&#26085;&#128512;' &amp; &#160;&lt;/a&gt;",
            ),
        ] {
            let encoded = encode_every_way(label, text);
            assert_eq!(encoded, expected, "{label}");
            assert_eq!(decode(label, &encoded), text, "{label}");
        }
        assert_eq!(
            decode("html:keep-markup", "&lt;&eacute;&#60;&AMP&#x27;"),
            "&lt;é&#60;&AMP&#x27;"
        );
        let text = "a='&#10;&#x85;&Tab;&#32;&a&#109;p;' &quot;&#13;";
        assert_eq!(
            decode("html:keep-markup", &text.replace("&#x85;", "&#x7F;")),
            text.replace("&#x85;", "&#x7F;")
        );
        let text = "a='&#10;&#x85;&#9;&#32;&apos;' &quot;&#13;";
        assert_eq!(decode("xml:keep-markup", &format!("{text}&#xe9;")), format!("{text}é"));
    }
}
