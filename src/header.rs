//! Header words: text in the header lines of mail, as RFC 2047 writes it in ASCII.
//!
//! A word such as `=?utf-8?Q?caf=C3=A9?=` names a charset and carries bytes of it in base64 (B)
//! or nearly as they are (Q). `RFC2047` is no charset of its own but is requested like one: its
//! decoder turns words into text and copies what stands between them, its encoder the other way.
//!
//! Both go record by record. A record is a line and the lines after it that begin with SP or TAB.
//! One that begins with the name of a field keeps to the rules of that field: `field` knows them.

use crate::encoding::alias;
use crate::encoding::{
    BomHandling, Encoding, EncodingOptions, FnFactory, OptionSpec, OptionValues,
};

mod decode;
mod encode;
mod field;
mod visits;

#[cfg(fuzzing)]
#[doc(hidden)]
pub use visits::take as take_visits;

/// The encoding of header lines, by RFC 2047.
pub static RFC_2047: Encoding = Encoding {
    name: "RFC2047",
    description: "Header lines with encoded-words (RFC 2047)",
    options: &[
        OptionSpec {
            name: "charset",
            values: OptionValues::Encoding,
            description: "charset of the encoded-words [default: UTF-8]",
        },
        OptionSpec {
            name: "encoding",
            values: OptionValues::Choice(&["auto", "b", "q"]),
            description: "write encoded-words in base64 (b), in Q, or in whichever is shorter",
        },
        OptionSpec {
            name: "fields",
            values: OptionValues::Choice(&["structured", "raw"]),
            description: "apply the rules of each header field, or treat each line as an unstructured \
                    value",
        },
        OptionSpec {
            name: "controls",
            values: OptionValues::Choice(&["replace", "raw"]),
            description: "whether control characters, U+2028 and U+2029 in decoded words are errors or are \
                    passed through",
        },
        OptionSpec {
            name: "strict",
            values: OptionValues::Flag,
            description: "enforce RFC 2047 strictly and report encoded-words that violate it",
        },
    ],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |options: &EncodingOptions| Box::new(decode::HeaderDecoder::new(options)),
        encoder: |options: &EncodingOptions| Box::new(encode::HeaderEncoder::new(options)),
    },
    ucs4: None,
};

/// What header lines are called, as an encoding. The second name is that of Perl's Encode.
const NAMES: [&str; 3] = ["RFC2047", "MIME-Header", "encoded-word"];

/// The encoding of header lines, if it has this name.
pub(crate) fn find(label: &str) -> Option<&'static Encoding> {
    let is = |known: &str| label.len() <= alias::MAX_LABEL_LEN && alias::labels_match(known, label);
    NAMES.iter().any(|known| is(known)).then_some(&RFC_2047)
}

/// Whether this is the encoding of header lines.
pub(crate) fn is_header(charset: &Encoding) -> bool {
    *charset == RFC_2047
}
