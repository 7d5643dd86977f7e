//! Header words: text in the header lines of mail, as RFC 2047 writes it in ASCII.
//!
//! A word such as `=?utf-8?Q?caf=C3=A9?=` names a charset and carries octets of it in base64 (B)
//! or nearly as they are (Q). `RFC2047` is no charset of its own but is asked for like one: its
//! decoder turns words into text and copies what stands between them, its encoder the other way.
//!
//! Both go record by record. A record is a line and the lines behind it that begin with SP or TAB.
//! One that begins with the name of a field keeps to the rules of that field: `field` knows them.

use crate::charset::name;
use crate::charset::{Charset, Key, Made, Mark, Settings, Values};

mod decode;
mod encode;
mod field;
mod visits;

#[cfg(fuzzing)]
#[doc(hidden)]
pub use visits::take as take_visits;

/// The encoding of header lines, by RFC 2047.
pub static RFC_2047: Charset = Charset {
    name: "RFC2047",
    about: "Header lines with encoded-words (RFC 2047)",
    options: &[
        Key {
            name: "charset",
            values: Values::Charset,
            about: "the charset in which words are written [default: UTF-8]",
        },
        Key {
            name: "encoding",
            values: Values::Words(&["auto", "b", "q"]),
            about: "write words in base64 (b), in Q, or in whichever is shorter",
        },
        Key {
            name: "fields",
            values: Values::Words(&["obey", "ignore"]),
            about: "whether a record that begins with the name of a field keeps to its rules; \
                    if not, each is a bare value",
        },
        Key {
            name: "controls",
            values: Values::Words(&["replace", "raw"]),
            about: "whether control characters that come out of a word, and U+2028 and U+2029, \
                    are faults or go on as they are",
        },
        Key {
            name: "strict",
            values: Values::Flag,
            about: "keep to RFC 2047 to the letter, and find fault with words that do not",
        },
    ],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |settings: &Settings| Box::new(decode::HeaderDecoder::new(settings)),
        encoder: |settings: &Settings| Box::new(encode::HeaderEncoder::new(settings)),
    },
    wide: None,
};

/// What header lines are called, as an encoding. The second name is that of Perl's Encode.
const NAMES: [&str; 3] = ["RFC2047", "MIME-Header", "encoded-word"];

/// The encoding of header lines, if it has this name.
pub(crate) fn find(label: &str) -> Option<&'static Charset> {
    let is = |known: &str| label.len() <= name::LONGEST && name::same(known, label);
    NAMES.iter().any(|known| is(known)).then_some(&RFC_2047)
}

/// Whether this is the encoding of header lines.
pub(crate) fn is_header(charset: &Charset) -> bool {
    *charset == RFC_2047
}
