//! UTF-7 (RFC 1642, RFC 2152): text in the octets that every mail gateway lets through.
//!
//! Most of ASCII stands for itself; the rest is UTF-16BE in base64 runs that `+` begins and the
//! first octet outside the alphabet ends. The two RFCs agree on the wire; where they are silent
//! (the end of the input, spare bits, lone surrogates) the decoder refuses what it cannot give
//! back as the same text.

mod decode;
mod encode;
mod imap;
mod run;
mod sets;
#[cfg(test)]
mod tests;

use super::{Charset, Key, Made, Mark, Settings, Values};
use decode::Utf7Decoder;
use encode::Utf7Encoder;
pub use imap::UTF_7_IMAP;
use sets::{ASCII, AsciiSet, BASE64, D, O, RULE_3};

/// RFC 2152's UTF-7.
pub static UTF_7: Charset = Charset {
    name: "UTF-7",
    about: "Unicode in 7-bit mail: ASCII and runs of base64 (RFC 2152)",
    options: OPTIONS,
    mark: Mark::Character,
    codecs: &Made {
        decoder: |settings: &Settings| Box::new(Utf7Decoder::new(decoder_rules(settings))),
        encoder: |settings: &Settings| Box::new(Utf7Encoder::new(encoder_rules(settings))),
    },
    wide: None,
};

const OPTIONS: &[Key] = &[
    Key {
        name: "set-o",
        values: Values::Words(&["base64", "direct"]),
        about: "encoding: how to write the characters of set O, !\"#$%&*;<=>@[]^_`{|}",
    },
    Key {
        name: "close",
        values: Values::Words(&["needed", "always"]),
        about: "encoding: when a run ends in '-'",
    },
    Key {
        name: "direct",
        values: Values::Words(&["strict", "ascii"]),
        about: "decoding: take '\\', '~' and controls that stand for themselves, too",
    },
    Key {
        name: "reject",
        values: NEEDLESS,
        about: "decoding: refuse characters of set D, or D and O, in base64",
    },
    Key { name: "nodirect", values: NEEDLESS, about: "decoding: the same as reject" },
    Key {
        name: "pad",
        values: Values::Flag,
        about: "decoding: take a run that ends in six or more spare bits, if they are zero",
    },
];

const NEEDLESS: Values = Values::Words(&["none", "d", "do"]);

const SHIFT: u8 = b'+';

fn decoder_rules(settings: &Settings) -> decode::Rules {
    let direct = if settings.is("direct", "ascii") { ASCII } else { D.or(O).or(RULE_3) };
    let refuses = |sets| settings.is("reject", sets) || settings.is("nodirect", sets);
    decode::Rules {
        shift: SHIFT,
        alphabet: &BASE64,
        direct: direct.without(AsciiSet::of(&[SHIFT])).table(),
        needless: match (refuses("d"), refuses("do")) {
            (_, true) => D.or(O),
            (true, false) => D,
            (false, false) => AsciiSet::EMPTY,
        },
        pad: settings.flag("pad"),
        one_spelling: false,
    }
}

fn encoder_rules(settings: &Settings) -> encode::Rules {
    let optional = if settings.is("set-o", "direct") { O } else { AsciiSet::EMPTY };
    let always = settings.is("close", "always");
    encode::Rules {
        shift: SHIFT,
        alphabet: &BASE64,
        direct: D.or(RULE_3).or(optional).table(),
        // Without its '-' a run would swallow what is of the alphabet, and a '-' itself.
        hyphen_before: if always { ASCII } else { BASE64.set().or(AsciiSet::of(b"-")) },
        shift_in_run: true,
    }
}
