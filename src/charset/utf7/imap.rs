//! The form of UTF-7 in which IMAP4 writes mailbox names (RFC 3501, section 5.1.3).
//!
//! Each text has exactly one spelling, since servers compare names octet by octet: all that is
//! printable stands for itself, `&` shifts, and every run has its `-` and a neighbour that is no
//! run.
//!
//! With the option `eol=keep` each line is a mailbox name: its line end is copied, and the next name
//! begins outside a run.

use super::decode::{self, Utf7Decoder};
use super::encode::{self, Utf7Encoder};
use super::sets::{AsciiSet, MAILBOX, PRINTABLE};
use crate::charset::{Charset, Key, Made, Mark, Settings, Values};

/// RFC 3501's modified UTF-7.
pub static UTF_7_IMAP: Charset = Charset {
    name: "UTF-7-IMAP",
    about: "modified UTF-7 of IMAP mailbox names (RFC 3501, section 5.1.3)",
    options: &[Key {
        name: "eol",
        values: Values::Words(&["encode", "keep"]),
        about: "raw CR and LF: encoded as part of one mailbox name, or passed both ways as they \
                are, one mailbox name per line",
    }],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |settings: &Settings| Box::new(Utf7Decoder::new(decoder_rules(settings))),
        encoder: |settings: &Settings| Box::new(Utf7Encoder::new(encoder_rules(settings))),
    },
    wide: None,
};

const SHIFT: u8 = b'&';

/// Characters that are not in base64: all that are printable, and line ends if they are kept.
fn plain(settings: &Settings) -> AsciiSet {
    let line_ends =
        if settings.is("eol", "keep") { AsciiSet::of(b"\r\n") } else { AsciiSet::EMPTY };
    PRINTABLE.or(line_ends)
}

fn direct(settings: &Settings) -> [bool; 256] {
    plain(settings).without(AsciiSet::of(&[SHIFT])).table()
}

fn decoder_rules(settings: &Settings) -> decode::Rules {
    decode::Rules {
        shift: SHIFT,
        alphabet: &MAILBOX,
        direct: direct(settings),
        needless: plain(settings),
        pad: false,
        one_spelling: true,
    }
}

fn encoder_rules(settings: &Settings) -> encode::Rules {
    encode::Rules {
        shift: SHIFT,
        alphabet: &MAILBOX,
        direct: direct(settings),
        hyphen_before: plain(settings),
        shift_in_run: false,
    }
}
