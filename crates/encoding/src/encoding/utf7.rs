//! UTF-7 (RFC 1642, RFC 2152), and the variant for mailbox names of IMAP4 (RFC 3501, section
//! 5.1.3).
//!
//! Most of ASCII represents itself; the rest is UTF-16BE in base64 runs, which begin with `+` and
//! end at the first byte outside the alphabet. The two RFCs describe the same bytes; where they do
//! not specify the result (the end of the input, spare bits, unpaired surrogates), the decoder
//! rejects what cannot be encoded back to the same bytes.
//!
//! The forms that the RFCs and programs have:
//!
//! | form | here |
//! |---|---|
//! | RFC 1642 of 1994, RFC 2152 of 1997 | the same bytes |
//! | set O in base64, as glibc and libiconv write | the default |
//! | set O directly, as ICU, CPython and .NET with `allowOptionals` write | `optional=direct` |
//! | every run ended with `-`, as in appendix A of RFC 1642 | `close=always` |
//! | control characters, `\` and `~` directly, as CPython reads | `accept=ascii` |
//! | six spare bits or more, as ICU reads | `pad=yes` |
//! | RFC 2060, 3501 and 9051, appendix A (mailbox names) | `UTF-7-IMAP` |
//!
//! `UTF-7,version=1` of ICU 72 writes and reads the same as its UTF-7.
//!
//! In the variant of IMAP4 each text has exactly one encoded form, since servers compare names byte
//! by byte: all printable characters represent themselves, `&` begins a run, and every run ends
//! with `-` and is not adjacent to another one. With the option `eol=keep` each line is a mailbox
//! name: its line ending is copied, and the next name begins outside a run.

mod alphabet;
mod decode;
mod encode;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use super::shared::Registry;
use super::{Encoding, EncodingOptions, FnFactory, OptionSpec, OptionValues};
use crate::encoding::split_rule::{ByteSet, SplitRule, SplitTarget};
use alphabet::{ASCII, AsciiBitSet, BASE64, IMAP_BASE64, PRINTABLE, RULE_3, SET_D, SET_O};
use decode::Utf7Decoder;
use encode::Utf7Encoder;

/// UTF-7 of RFC 2152.
pub static UTF_7: Encoding = Encoding {
    options: OPTIONS,
    ..Encoding::new(
        "UTF-7",
        "Unicode in 7-bit mail: ASCII and runs of base64 (RFC 2152)",
        &FnFactory {
            decoder: |options| Box::new(Utf7Decoder::new(decoder_tables(options))),
            encoder: |options| Box::new(Utf7Encoder::new(encoder_tables(options))),
            split_rule: |_| {
                SplitRule::AFTER_LINE_FEED.with_target(SplitTarget::AfterLineFeed { header: false })
            },
        },
    )
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

/// The tables of codecs with the same options, by a number for these.
type SharedTables<T> = Registry<u8, T>;

/// Returns the number of options with these values.
fn options_key<const N: usize>(values: [bool; N]) -> u8 {
    values.into_iter().fold(0, |key, value| key << 1 | u8::from(value))
}

fn decoder_tables(options: &EncodingOptions) -> &'static decode::Utf7DecoderTables {
    static TABLES: SharedTables<decode::Utf7DecoderTables> = Registry::new();
    let key = options_key([
        options.is_choice("accept", "ascii"),
        options.is_choice("reject", "d"),
        options.is_choice("reject", "do"),
        options.flag("pad"),
    ]);
    TABLES.get_or_init(key, || decoder_config(options).into())
}

fn encoder_tables(options: &EncodingOptions) -> &'static encode::Utf7EncoderTables {
    static TABLES: SharedTables<encode::Utf7EncoderTables> = Registry::new();
    let key = options_key([
        options.is_choice("optional", "direct"),
        options.is_choice("close", "always"),
    ]);
    TABLES.get_or_init(key, || encoder_config(options).into())
}

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
        // Without the hyphen these characters would be read as part of the run.
        close_run_before: if always {
            ASCII
        } else {
            BASE64.as_set().union(AsciiBitSet::from_bytes(b"-"))
        },
        keep_shift_in_run: true,
    }
}

/// Modified UTF-7 of RFC 3501.
pub static UTF_7_IMAP: Encoding = Encoding {
    options: &[OptionSpec {
        name: "eol",
        values: OptionValues::Choice(&["encode", "keep"]),
        description: "raw CR and LF: encoded as part of one mailbox name, or kept in both \
                directions, one mailbox name per line",
    }],
    ..Encoding::new(
        "UTF-7-IMAP",
        "modified UTF-7 of IMAP mailbox names (RFC 3501, section 5.1.3)",
        &FnFactory {
            decoder: |options| Box::new(Utf7Decoder::new(imap_decoder_tables(options))),
            encoder: |options| Box::new(Utf7Encoder::new(imap_encoder_tables(options))),
            split_rule: imap_split_rule,
        },
    )
};

const IMAP_SHIFT: u8 = b'&';

/// Returns the characters that are not written in base64: all printable ones, and line endings if
/// they are kept.
fn unencoded_chars(options: &EncodingOptions) -> AsciiBitSet {
    let line_ends = if options.is_choice("eol", "keep") {
        AsciiBitSet::from_bytes(b"\r\n")
    } else {
        AsciiBitSet::EMPTY
    };
    PRINTABLE.union(line_ends)
}

fn imap_direct_bytes(options: &EncodingOptions) -> [bool; 256] {
    unencoded_chars(options).difference(AsciiBitSet::from_bytes(&[IMAP_SHIFT])).to_table()
}

fn imap_decoder_tables(options: &EncodingOptions) -> &'static decode::Utf7DecoderTables {
    static TABLES: SharedTables<decode::Utf7DecoderTables> = Registry::new();
    let key = options_key([options.is_choice("eol", "keep")]);
    TABLES.get_or_init(key, || imap_decoder_config(options).into())
}

fn imap_encoder_tables(options: &EncodingOptions) -> &'static encode::Utf7EncoderTables {
    static TABLES: SharedTables<encode::Utf7EncoderTables> = Registry::new();
    let key = options_key([options.is_choice("eol", "keep")]);
    TABLES.get_or_init(key, || imap_encoder_config(options).into())
}

fn imap_decoder_config(options: &EncodingOptions) -> decode::Utf7DecoderConfig {
    decode::Utf7DecoderConfig {
        shift: IMAP_SHIFT,
        alphabet: &IMAP_BASE64,
        direct_bytes: imap_direct_bytes(options),
        forbidden_in_base64: unencoded_chars(options),
        allow_zero_padding: false,
        canonical_only: true,
    }
}

/// Returns the split rule of UTF-7-IMAP. A base64 run ends with a hyphen, and a byte outside its alphabet is an
/// error there; `&` begins the next run. Only kept line endings are characters outside runs.
fn imap_split_rule(options: &EncodingOptions) -> SplitRule {
    let in_run = |byte: u8| IMAP_BASE64.as_set().contains(byte.into());
    let bytes = ByteSet::from_fn(|byte| !in_run(byte) && ![b'-', IMAP_SHIFT].contains(&byte));
    if options.is_choice("eol", "keep") {
        SplitRule::after(bytes, ByteSet::from_bytes(b"\n"))
            .with_target(SplitTarget::AfterLineFeed { header: false })
    } else {
        SplitRule::after(bytes, ByteSet::EMPTY)
            .with_target(SplitTarget::None { reason: "line feeds are encoded in base64 runs" })
    }
}

fn imap_encoder_config(options: &EncodingOptions) -> encode::Utf7EncoderConfig {
    encode::Utf7EncoderConfig {
        shift: IMAP_SHIFT,
        alphabet: &IMAP_BASE64,
        direct_bytes: imap_direct_bytes(options),
        close_run_before: unencoded_chars(options),
        keep_shift_in_run: false,
    }
}
