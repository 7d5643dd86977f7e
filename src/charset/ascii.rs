//! US-ASCII (ANSI X3.4-1986): octets 00 to 7F, each its own code point.

use super::latin1::Direct;
use super::name::{GLIBC, IANA, ICU, LIBICONV, PYTHON, RECODE, WHATWG, WINDOWS};
use super::{Charset, Made, Mark, Settings};

/// Seven-bit ASCII.
pub static US_ASCII: Charset = Charset {
    name: "US-ASCII",
    aliases: &[
        ("ASCII", IANA | GLIBC | LIBICONV | PYTHON),
        ("ANSI_X3.4-1968", IANA | GLIBC | LIBICONV),
        ("ANSI_X3.4-1986", IANA | GLIBC | LIBICONV),
        ("ANSI_X3.4", RECODE),
        ("ISO-IR-6", IANA | GLIBC | LIBICONV),
        ("ISO646-US", IANA | GLIBC | LIBICONV),
        ("ISO_646.IRV:1991", IANA | GLIBC | LIBICONV),
        ("ISO646.1991-IRV", RECODE),
        ("ISO_646.irv:1983", ICU),
        ("us", IANA | GLIBC | LIBICONV),
        ("IBM367", IANA | GLIBC | LIBICONV),
        ("IBM-367", ICU),
        ("cp367", IANA | GLIBC | LIBICONV),
        ("csASCII", IANA | GLIBC | LIBICONV),
        ("OSF00010020", GLIBC),
        ("windows-20127", WINDOWS | ICU),
        ("ascii7", ICU),
        ("646", PYTHON | ICU),
        ("367", RECODE),
        ("x-ascii", WHATWG),
    ],
    about: "seven bits (ANSI X3.4-1986)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Direct::new(0x80)),
        encoder: |_: &Settings| Box::new(Direct::new(0x80)),
    },
    wide: None,
};
