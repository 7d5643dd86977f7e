//! Domain names (UTS #46): a line with a name in ASCII, with `xn--`, or in Unicode.
//!
//! Each line is one domain name. Encoding is ToASCII and decoding is ToUnicode, with the flags of UTS #46,
//! section 4, that the URL Standard sets:
//!
//! | flag | value | option |
//! |---|---|---|
//! | UseSTD3ASCIIRules | no, but the characters that URLs forbid in domains are errors, and `_` is allowed | `ascii=std3` sets it, `ascii=any` allows all of ASCII |
//! | CheckHyphens | no | `check-hyphens` |
//! | Transitional_Processing | no: `ß` and `ς` are kept | `transitional`, for ToASCII |
//! | VerifyDnsLength | for ToASCII, but the name may end with the dot of the root | `dns-length=no`, or `strict` without that dot |
//! | CheckBidi, CheckJoiners | yes | |
//! | IgnoreInvalidPunycode | no | |
//!
//! Letters are mapped to lower case. With VerifyDnsLength a label has 1 to 63 bytes and a name 253. Mapping,
//! validity criteria, CONTEXTJ and Bidi rules are those of the package `idna`, which has no options for the
//! flags of the last two rows.
//!
//! An invalid name is an error as a whole, because the Bidi rule concerns all labels together. A
//! name with more than eight labels of Unicode, or with four combining marks in a row, makes the
//! package allocate.

use ::idna::uts46::{AsciiDenyList, ErrorPolicy, Hyphens, ProcessingSuccess, Uts46};

use super::line_transform::{LineBuffer, LineFormat, LineTransform};
use super::{Direction, Transform, TransformCodecs};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};

/// Internationalized domain names.
pub static IDNA: Transform = Transform {
    name: "idna",
    aliases: &["idn"],
    title: "domain name",
    description: "One domain name per line, in ASCII with xn-- (UTS #46, with CheckBidi and CheckJoiners)",
    options: &[
        OptionSpec {
            name: ASCII,
            values: OptionValues::Choice(&["url", "std3", "any"]),
            description: "the ASCII characters that are allowed: those of URLs; letters, digits and hyphens \
                          (UseSTD3ASCIIRules, off by default); or all",
        },
        OptionSpec {
            name: CHECK_HYPHENS,
            values: OptionValues::Flag,
            description: "no hyphens at the start, at the end, and third and fourth (CheckHyphens, off by default)",
        },
        OptionSpec {
            name: DNS_LENGTH,
            values: OptionValues::Choice(&["yes", "no", "strict"]),
            description: "encode: verify the lengths of DNS (VerifyDnsLength, on by default); strict without a dot at \
                          the end",
        },
        OptionSpec {
            name: TRANSITIONAL,
            values: OptionValues::Flag,
            description: "encode: write ss for \u{DF} and so on, as IDNA 2003 (Transitional_Processing, off by \
                          default)",
        },
    ],
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(LineTransform { format: DomainName::new(Direction::Decode, options) })
        }),
        encoder: |options| {
            Box::new(LineTransform { format: DomainName::new(Direction::Encode, options) })
        },
    },
};

const ASCII: &str = "ascii";
const CHECK_HYPHENS: &str = "check-hyphens";
const DNS_LENGTH: &str = "dns-length";
const TRANSITIONAL: &str = "transitional";

/// The maximum length of a name in ASCII, without the dot at the end.
const MAX_ASCII_LEN: usize = 253;

/// What no label may begin with in Unicode (UTS #46, section 4.1, criterion 4). The package verifies that
/// only where hyphens are restricted.
const PREFIX: [char; 4] = ['x', 'n', '-', '-'];

struct DomainName {
    direction: Direction,
    denied: AsciiDenyList,
    hyphens: Hyphens,
    limits_length: bool,
    verifies_length: bool,
    allows_root: bool,
    is_transitional: bool,
}

impl DomainName {
    fn new(direction: Direction, options: &EncodingOptions) -> DomainName {
        let limits_length = !options.is_choice(DNS_LENGTH, "no");
        DomainName {
            direction,
            denied: match options {
                _ if options.is_choice(ASCII, "std3") => AsciiDenyList::STD3,
                _ if options.is_choice(ASCII, "any") => AsciiDenyList::EMPTY,
                _ => AsciiDenyList::URL,
            },
            hyphens: match options.flag(CHECK_HYPHENS) {
                true => Hyphens::Check,
                false => Hyphens::Allow,
            },
            limits_length,
            verifies_length: limits_length && direction == Direction::Encode,
            allows_root: !options.is_choice(DNS_LENGTH, "strict"),
            is_transitional: direction == Direction::Encode && options.flag(TRANSITIONAL),
        }
    }
}

/// Returns the mapping of a deviation character in transitional processing (UTS #46, table 1).
fn deviation(character: char) -> Option<&'static str> {
    match character {
        '\u{DF}' | '\u{1E9E}' => Some("ss"),
        '\u{3C2}' => Some("\u{3C3}"),
        '\u{200C}' | '\u{200D}' => Some(""),
        _ => None,
    }
}

impl LineFormat for DomainName {
    /// A label has up to 57 characters in Unicode, of 4 bytes.
    const MAX_LEN: usize = 1024;

    fn convert_line(&self, line: &str, converted: &mut LineBuffer) -> Result<(), MalformedReason> {
        let (mut mapped, mut line) = (LineBuffer::new(), line);
        if self.is_transitional && line.contains(|character| deviation(character).is_some()) {
            for character in line.chars() {
                match deviation(character) {
                    Some(text) => mapped.push_str(text)?,
                    None => mapped.push(character)?,
                }
            }
            line = mapped.as_str();
        }
        let to_unicode = self.direction == Direction::Decode;
        // In ASCII each character has at least one byte.
        if self.limits_length && line.chars().count() > MAX_ASCII_LEN + 1 {
            return Err(MalformedReason::InvalidLength);
        }
        let mut has_prefix = false;
        let success = Uts46::new().process(
            line.as_bytes(),
            self.denied,
            self.hyphens,
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
        if self.verifies_length && !has_valid_lengths(converted.as_bytes(), self.allows_root) {
            return Err(MalformedReason::InvalidLength);
        }
        Ok(())
    }
}

/// Returns whether a name in ASCII has the lengths of DNS; it may end with the dot of the root if that is
/// allowed.
fn has_valid_lengths(name: &[u8], allows_root: bool) -> bool {
    let name = name.strip_suffix(b".").filter(|_| allows_root).unwrap_or(name);
    let mut labels = name.split(|byte| *byte == b'.');
    name.len() <= MAX_ASCII_LEN && labels.all(|label| (1..=63).contains(&label.len()))
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{decode_every_way, encode_every_way, encode_with_errors};
    use charpipe_encoding::conversion_error::MalformedReason::{InvalidCharacter, InvalidLength};

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

    #[test]
    fn options_set_the_flags_of_uts_46() {
        // ToASCII and ToUnicode of a name, each with the options and without.
        let accepts = |label: &str, name: &str| {
            [encode_with_errors(label, name), decode_every_way(label, name)]
                .map(|(_, errors)| errors.is_empty())
        };
        for (options, name, with, without) in [
            ("ascii=std3", "_dmarc.de", [false, false], [true, true]),
            ("ascii=std3", "a-b.de", [true, true], [true, true]),
            ("ascii=any", "a<b.de", [true, true], [false, false]),
            ("check-hyphens", "-a.de", [false, false], [true, true]),
            ("check-hyphens", "a-.de", [false, false], [true, true]),
            ("check-hyphens", "ab--c.de", [false, false], [true, true]),
            ("check-hyphens", "a-b.de", [true, true], [true, true]),
            ("dns-length=no", "a..b", [true, true], [false, true]),
            ("dns-length=strict", "a.de.", [false, true], [true, true]),
        ] {
            assert_eq!(accepts(&format!("idna:{options}"), name), with, "{options} {name}");
            assert_eq!(accepts("idna", name), without, "{name}");
        }
        let label = "a".repeat(64);
        assert_eq!(encode_every_way("idna:dns-length=no", &label), label);
        let name = ["a"; 200].join(".");
        assert_eq!(encode_every_way("idna:dns-length=no", &name), name);
    }

    #[test]
    fn transitional_processing_maps_deviation_characters() {
        // The rows of table 1 in UTS #46.
        for (name, transitional) in [
            ("faß.de", "fass.de"),
            ("FAẞ.de", "fass.de"),
            ("βόλος.com", "xn--nxasmq6b.com"),
            ("\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}.com", "xn--10cl1a0b.com"),
            ("نامه\u{200C}ای.com", "xn--mgba3gch31f.com"),
            ("xn--fa-hia.de", "xn--fa-hia.de"),
        ] {
            assert_eq!(encode_every_way("idna:transitional", name), transitional, "{name}");
        }
        assert_eq!(decode_every_way("idna:transitional", "faß.de"), ("faß.de".to_owned(), vec![]));
    }
}
