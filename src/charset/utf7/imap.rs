//! The form of UTF-7 in which IMAP4 writes mailbox names (RFC 3501, section 5.1.3).
//!
//! Each text has exactly one spelling, since servers compare names octet by octet: all that is
//! printable stands for itself, `&` shifts, and every run has its `-` and a neighbour that is no
//! run.

use super::decode::{self, Utf7Decoder};
use super::encode::{self, Utf7Encoder};
use super::sets::{AsciiSet, MAILBOX, PRINTABLE};
use crate::charset::{Charset, Made, Mark, Settings};

/// RFC 3501's modified UTF-7.
pub static UTF_7_IMAP: Charset = Charset {
    name: "UTF-7-IMAP",
    about: "modified UTF-7 of IMAP mailbox names (RFC 3501, section 5.1.3)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Utf7Decoder::new(decoder_rules())),
        encoder: |_: &Settings| Box::new(Utf7Encoder::new(encoder_rules())),
    },
    wide: None,
};

const SHIFT: u8 = b'&';
const DIRECT: AsciiSet = PRINTABLE.without(AsciiSet::of(&[SHIFT]));

fn decoder_rules() -> decode::Rules {
    decode::Rules {
        shift: SHIFT,
        alphabet: &MAILBOX,
        direct: DIRECT.table(),
        needless: PRINTABLE,
        pad: false,
        one_spelling: true,
    }
}

fn encoder_rules() -> encode::Rules {
    encode::Rules {
        shift: SHIFT,
        alphabet: &MAILBOX,
        direct: DIRECT.table(),
        hyphen_before: PRINTABLE,
        shift_in_run: false,
    }
}
