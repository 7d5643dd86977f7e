//! Domain names (UTS #46): a line with a name in ASCII, with `xn--`, or in Unicode.
//!
//! Each line is one domain name. Encoding is ToASCII and decoding is ToUnicode, both by nontransitional
//! processing, as in the URL Standard: `ß` and `ς` are kept, letters are mapped to lower case, and
//! the characters that are not allowed in domain names of URLs are errors. Hyphens may be anywhere,
//! and `_` is allowed. ToASCII verifies the lengths of DNS: 63 bytes for a label, 253 for a name.
//! Mapping, validity criteria, CONTEXTJ and Bidi rules are those of the package `idna`.
//!
//! An invalid name is an error as a whole, because the Bidi rule concerns all labels together. A
//! name with more than eight labels of Unicode, or with four combining marks in a row, makes the
//! package allocate.

use ::idna::uts46::{AsciiDenyList, ErrorPolicy, Hyphens, ProcessingSuccess, Uts46};

use super::line_transform::{LineBuffer, LineFormat, LineTransform};
use super::{Direction, Transform, TransformCodecs};
use crate::conversion_error::MalformedReason;

/// Internationalized domain names.
pub static IDNA: Transform = Transform {
    name: "idna",
    aliases: &["idn"],
    title: "domain name",
    description: "One domain name per line, in ASCII with xn-- (UTS #46, nontransitional)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(LineTransform { format: DomainName(Direction::Decode) })),
        encoder: |_| Box::new(LineTransform { format: DomainName(Direction::Encode) }),
    },
};

/// The maximum length of a name in ASCII, without the dot at the end.
const MAX_ASCII_LEN: usize = 253;

/// What no label may begin with in Unicode (UTS #46, section 4.1, criterion 4). The package verifies that
/// only where hyphens are restricted.
const PREFIX: [char; 4] = ['x', 'n', '-', '-'];

struct DomainName(Direction);

impl LineFormat for DomainName {
    /// A label has up to 57 characters in Unicode, of 4 bytes.
    const MAX_LEN: usize = 1024;

    fn convert_line(&self, line: &str, converted: &mut LineBuffer) -> Result<(), MalformedReason> {
        let to_unicode = self.0 == Direction::Decode;
        // In ASCII each character has at least one byte.
        if line.chars().count() > MAX_ASCII_LEN + 1 {
            return Err(MalformedReason::InvalidLength);
        }
        let mut has_prefix = false;
        let success = Uts46::new().process(
            line.as_bytes(),
            AsciiDenyList::URL,
            Hyphens::Allow,
            ErrorPolicy::FailFast,
            |label, _, _| {
                has_prefix |= label.starts_with(&PREFIX);
                to_unicode
            },
            converted,
            None,
        );
        match success {
            Ok(_) if has_prefix => return Err(MalformedReason::InvalidCharacter),
            Ok(ProcessingSuccess::Passthrough) => converted.push_str(line)?,
            Ok(ProcessingSuccess::WroteToSink) => {}
            Err(_) => return Err(MalformedReason::InvalidCharacter),
        }
        if to_unicode || has_valid_lengths(converted.as_bytes()) {
            Ok(())
        } else {
            Err(MalformedReason::InvalidLength)
        }
    }
}

/// Returns whether a name in ASCII has the lengths of DNS; it may end with the dot of the root.
fn has_valid_lengths(name: &[u8]) -> bool {
    let name = name.strip_suffix(b".").unwrap_or(name);
    let mut labels = name.split(|byte| *byte == b'.');
    name.len() <= MAX_ASCII_LEN && labels.all(|label| (1..=63).contains(&label.len()))
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{decode_every_way, encode_every_way, encode_with_errors};
    use crate::conversion_error::MalformedReason::{InvalidCharacter, InvalidLength};

    /// Names, ToASCII, ToUnicode: rows of IdnaTestV2.txt, with the labels written out, and of the
    /// table of UTS #46, section 4.
    const NAMES: &[(&str, &str, &str)] = &[
        ("fass.de", "fass.de", "fass.de"),
        ("faß.de", "xn--fa-hia.de", "faß.de"),
        ("Faß.de", "xn--fa-hia.de", "faß.de"),
        ("xn--fa-hia.de", "xn--fa-hia.de", "faß.de"),
        ("Bücher.de", "xn--bcher-kva.de", "bücher.de"),
        ("Bu\u{308}cher.de", "xn--bcher-kva.de", "bücher.de"),
        ("βόλος.com", "xn--nxasmm1c.com", "βόλος.com"),
        ("ΒΌΛΟΣ.COM", "xn--nxasmq6b.com", "βόλοσ.com"),
        ("日本語。ＪＰ", "xn--wgv71a119e.jp", "日本語.jp"),
        ("☕.us", "xn--53h.us", "☕.us"),
        ("www.eXample.cOm", "www.example.com", "www.example.com"),
        // ZWJ after a virama.
        (
            "\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}.com",
            "xn--10cl1a0b660p.com",
            "\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}.com",
        ),
        ("_dmarc.bücher.de.", "_dmarc.xn--bcher-kva.de.", "_dmarc.bücher.de."),
    ];

    #[test]
    fn names_are_those_of_uts_46() {
        for (name, ascii, unicode) in NAMES {
            assert_eq!(encode_every_way("idna", name), *ascii, "{name}");
            assert_eq!(decode_every_way("idna", name), ((*unicode).to_owned(), vec![]));
            assert_eq!(decode_every_way("idna", ascii), ((*unicode).to_owned(), vec![]));
        }
        let lines = "bücher.de\r\n\nfaß.de\n";
        let ascii = "xn--bcher-kva.de\r\n\nxn--fa-hia.de\n";
        assert_eq!(encode_every_way("idna", lines), ascii);
        assert_eq!(decode_every_way("idna", ascii), (lines.to_owned(), vec![]));
    }

    #[test]
    fn invalid_names_are_errors_as_a_whole() {
        for name in [
            "a b",
            "a\u{200C}b",
            "xn--xn---epa",
            "xn--bcher-kv.de",
            "xn--a.de",
            "1.a\u{5D0}",
            "\u{378}.x",
        ] {
            let decoded = decode_every_way("idna", &format!("ü.de\n{name}\nü.de"));
            let errors = vec![(6, name.len(), InvalidCharacter)];
            assert_eq!(decoded, ("ü.de\n\u{FFFD}\nü.de".to_owned(), errors.clone()), "{name}");
            let encoded = encode_with_errors("idna", &format!("ü.de\n{name}\nü.de"));
            assert_eq!(encoded, ("xn--tda.de\n\u{FFFD}\nxn--tda.de".to_owned(), errors), "{name}");
        }
    }

    #[test]
    fn lengths_are_those_of_dns() {
        let longest = "a".repeat(63);
        assert_eq!(encode_every_way("idna", &longest), longest);
        let name = [&longest[..]; 4].join(".");
        assert_eq!(encode_every_way("idna", &name[2..]), name[2..]);
        for name in ["a".repeat(64), name[1..].to_owned(), "a..b".to_owned()] {
            let errors = vec![(0, name.len(), InvalidLength)];
            assert_eq!(encode_with_errors("idna", &name).1, errors, "{name}");
            // ToUnicode does not verify lengths.
            assert_eq!(decode_every_way("idna", &name), (name, vec![]));
        }
        assert_eq!(encode_with_errors("idna", &"é".repeat(255)).1, [(0, 510, InvalidLength)]);
    }
}
