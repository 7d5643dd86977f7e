//! The form of UTF-7 in which IMAP4 writes mailbox names (RFC 3501, section 5.1.3).
//!
//! Each text has exactly one spelling, since servers compare names byte by byte: all that is
//! printable stands for itself, `&` shifts, and every run has its `-` and a neighbor that is no
//! run.
//!
//! With the option `eol=keep` each line is a mailbox name: its line end is copied, and the next name
//! begins outside a run.

use super::alphabet::{AsciiBitSet, IMAP_BASE64, PRINTABLE};
use super::decode::{self, Utf7Decoder};
use super::encode::{self, Utf7Encoder};
use crate::encoding::{
    BomHandling, Encoding, EncodingOptions, FnFactory, OptionSpec, OptionValues,
};

/// RFC 3501's modified UTF-7.
pub static UTF_7_IMAP: Encoding = Encoding {
    name: "UTF-7-IMAP",
    description: "modified UTF-7 of IMAP mailbox names (RFC 3501, section 5.1.3)",
    options: &[OptionSpec {
        name: "eol",
        values: OptionValues::Choice(&["encode", "keep"]),
        description: "raw CR and LF: encoded as part of one mailbox name, or passed both ways as they \
                are, one mailbox name per line",
    }],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |options: &EncodingOptions| Box::new(Utf7Decoder::new(decoder_config(options))),
        encoder: |options: &EncodingOptions| Box::new(Utf7Encoder::new(encoder_config(options))),
    },
    ucs4: None,
};

const SHIFT: u8 = b'&';

/// Characters that are not in base64: all that are printable, and line ends if they are kept.
fn unencoded_chars(options: &EncodingOptions) -> AsciiBitSet {
    let line_ends = if options.is_choice("eol", "keep") {
        AsciiBitSet::from_bytes(b"\r\n")
    } else {
        AsciiBitSet::EMPTY
    };
    PRINTABLE.union(line_ends)
}

fn direct_bytes(options: &EncodingOptions) -> [bool; 256] {
    unencoded_chars(options).difference(AsciiBitSet::from_bytes(&[SHIFT])).to_table()
}

fn decoder_config(options: &EncodingOptions) -> decode::Utf7DecoderConfig {
    decode::Utf7DecoderConfig {
        shift: SHIFT,
        alphabet: &IMAP_BASE64,
        direct_bytes: direct_bytes(options),
        forbidden_in_base64: unencoded_chars(options),
        allow_zero_padding: false,
        canonical_only: true,
    }
}

fn encoder_config(options: &EncodingOptions) -> encode::Utf7EncoderConfig {
    encode::Utf7EncoderConfig {
        shift: SHIFT,
        alphabet: &IMAP_BASE64,
        direct_bytes: direct_bytes(options),
        close_run_before: unencoded_chars(options),
        keep_shift_in_run: false,
    }
}
