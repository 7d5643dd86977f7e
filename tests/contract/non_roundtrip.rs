//! Texts that need not round-trip.

use crate::cases::EncodingCase;

/// Encodings that obey a mark of the order of bytes when they read, but write none.
const OBEY_BOM: &[&str] = &["UCS-2"];

/// Encodings with characters, among those of the texts, that share the code of another one.
const SHARED_CODES: &[(&str, &[char])] = &[
    ("SJIS", &['\\', '~']),
    ("Shift_JISX0213", &['\\', '~']),
    ("IBM930", &['\\', '~']),
    ("IBM939", &['\\', '~']),
    ("IBM1371", &['\\']),
    ("AdobeSymbol", &['\u{A0}']),
    ("AdobeZdingbat", &['\u{A0}']),
    ("ISCII-DEV", BINDI_AND_TIPPI),
    ("ISCII-BNG", BINDI_AND_TIPPI),
    ("ISCII-GUR", BINDI_AND_TIPPI),
    ("ISCII-GUJ", BINDI_AND_TIPPI),
    ("ISCII-ORI", BINDI_AND_TIPPI),
    ("ISCII-TML", BINDI_AND_TIPPI),
    ("ISCII-TLG", BINDI_AND_TIPPI),
    ("ISCII-KND", BINDI_AND_TIPPI),
    ("ISCII-MLM", BINDI_AND_TIPPI),
];

/// Two characters of Gurmukhi with one code in ISCII, of which the letter before it selects one.
const BINDI_AND_TIPPI: &[char] = &['\u{A02}', '\u{A70}'];

/// The encoding in which a carriage return at the end may be padding (3GPP TS 23.038, section 6.1.2.3.1).
const PADDED_WITH_RETURN: &str = "GSM0338-PACKED";

/// The encoding that decodes nothing and is written as UTF-8 (Encoding Standard, sections 4.3 and 14.1).
const DECODES_NOTHING: &str = "whatwg:replacement";

/// Whether a character is encoded only after a letter: a mark, which precedes the letter in bytes. These are the marks that
/// directly follow a letter in the order of code points.
pub fn needs_letter(subject: &EncodingCase, character: char) -> bool {
    subject.encoding.name() == "MARC-8" && matches!(character, '\u{5BF}' | '\u{64B}'..='\u{652}')
}

/// Whether the text may be read otherwise than it was written.
///
/// This is so if its first character is the BOM, or what the mark is in the other order, and
/// is taken for one; where a character shares its code with another; where several options are set,
/// since the form that one of them requests may be data to another, such as a line break in a folded
/// text; where it ends like padding; and in the encoding that decodes nothing.
pub fn may_not_round_trip(subject: &EncodingCase, text: &str) -> bool {
    let marked = text.starts_with(['\u{FEFF}', '\u{FFFE}']);
    let combined = subject.options.to_string().contains(',');
    let name = subject.encoding.name();
    let shared = SHARED_CODES
        .iter()
        .any(|(encoding, characters)| *encoding == name && text.contains(*characters));
    let padded = name == PADDED_WITH_RETURN && text.ends_with('\r');
    combined || shared || padded || name == DECODES_NOTHING || marked && OBEY_BOM.contains(&name)
}
