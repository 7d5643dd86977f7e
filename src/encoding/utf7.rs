//! UTF-7 (RFC 1642, RFC 2152): text in the bytes that every mail gateway lets through.
//!
//! Most of ASCII stands for itself; the rest is UTF-16BE in base64 runs that `+` begins and the
//! first byte outside the alphabet ends. The two RFCs agree on the wire; where they are silent
//! (the end of the input, spare bits, lone surrogates) the decoder refuses what it cannot give
//! back as the same text.

mod alphabet;
mod base64_run;
mod decode;
mod encode;
mod imap;
#[cfg(test)]
mod tests;

use super::{BomHandling, Encoding, EncodingOptions, FnFactory, OptionSpec, OptionValues};
use alphabet::{ASCII, AsciiBitSet, BASE64, RULE_3, SET_D, SET_O};
use decode::Utf7Decoder;
use encode::Utf7Encoder;
pub use imap::UTF_7_IMAP;

/// RFC 2152's UTF-7.
pub static UTF_7: Encoding = Encoding {
    name: "UTF-7",
    description: "Unicode in 7-bit mail: ASCII and runs of base64 (RFC 2152)",
    options: OPTIONS,
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |options: &EncodingOptions| Box::new(Utf7Decoder::new(decoder_config(options))),
        encoder: |options: &EncodingOptions| Box::new(Utf7Encoder::new(encoder_config(options))),
    },
    ucs4: None,
};

const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "optional",
        values: OptionValues::Choice(&["encode", "direct"]),
        description: "encoding: base64-encode the optional direct characters (set O), !\"#$%&*;<=>@[]^_`{|}, or \
                    write them directly",
    },
    OptionSpec {
        name: "close",
        values: OptionValues::Choice(&["needed", "always"]),
        description: "encoding: when to end a base64 run with '-'",
    },
    OptionSpec {
        name: "accept",
        values: OptionValues::Choice(&["strict", "ascii"]),
        description: "decoding: accept only the direct characters of the RFC, or also '\\', '~' and control \
                    characters",
    },
    OptionSpec {
        name: "reject",
        values: OptionValues::Choice(&["none", "d", "do"]),
        description: "decoding: reject base64-encoded characters of set D, or of sets D and O",
    },
    OptionSpec {
        name: "pad",
        values: OptionValues::Flag,
        description: "decoding: accept a run that ends with six or more padding bits, if they are zero",
    },
];

const SHIFT: u8 = b'+';

fn decoder_config(options: &EncodingOptions) -> decode::Utf7DecoderConfig {
    let direct =
        if options.is_choice("accept", "ascii") { ASCII } else { SET_D.union(SET_O).union(RULE_3) };
    decode::Utf7DecoderConfig {
        shift: SHIFT,
        alphabet: &BASE64,
        direct_bytes: direct.difference(AsciiBitSet::from_bytes(&[SHIFT])).to_table(),
        forbidden_in_base64: if options.is_choice("reject", "do") {
            SET_D.union(SET_O)
        } else if options.is_choice("reject", "d") {
            SET_D
        } else {
            AsciiBitSet::EMPTY
        },
        allow_zero_padding: options.flag("pad"),
        canonical_only: false,
    }
}

fn encoder_config(options: &EncodingOptions) -> encode::Utf7EncoderConfig {
    let optional = if options.is_choice("optional", "direct") { SET_O } else { AsciiBitSet::EMPTY };
    let always = options.is_choice("close", "always");
    encode::Utf7EncoderConfig {
        shift: SHIFT,
        alphabet: &BASE64,
        direct_bytes: SET_D.union(RULE_3).union(optional).to_table(),
        // Without its '-' a run would swallow what is of the alphabet, and a '-' itself.
        close_run_before: if always {
            ASCII
        } else {
            BASE64.as_set().union(AsciiBitSet::from_bytes(b"-"))
        },
        keep_shift_in_run: true,
    }
}
