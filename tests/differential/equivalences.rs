//! Which encoding of charpipe is which of a converter.

use crate::converters::OtherConverter::{self, Cpython, Glibc, Icu};

/// An encoding as charpipe and as a converter name it, and the encoding on the other side.
#[derive(Debug, Clone, Copy)]
pub struct Equivalence {
    pub converter: OtherConverter,
    /// The converter's name for it.
    pub theirs: &'static str,
    /// charpipe's name for it.
    pub encoding: &'static str,
    /// The pivot encoding, by its labels in charpipe and in the converter.
    pub pivot: (&'static str, &'static str),
}

const fn equivalence(
    converter: OtherConverter,
    theirs: &'static str,
    encoding: &'static str,
) -> Equivalence {
    Equivalence { converter, theirs, encoding, pivot: ("UTF-8", "utf-8") }
}

/// All 31 bits, which the C library has under the name UTF-8.
const fn wide_equivalence(theirs: &'static str, encoding: &'static str) -> Equivalence {
    Equivalence { pivot: ("FSS-UTF", "utf-8"), ..equivalence(Glibc, theirs, encoding) }
}

pub static EQUIVALENCES: &[Equivalence] = &[
    equivalence(Glibc, "UTF-8", "UTF-8"),
    equivalence(Icu, "UTF-8", "UTF-8"),
    equivalence(Cpython, "utf-8", "UTF-8"),
    Equivalence { pivot: ("UCS-4BE", "UCS-4BE"), ..equivalence(Glibc, "UTF-8", "FSS-UTF") },
    equivalence(Icu, "CESU-8", "CESU-8"),
    equivalence(Glibc, "UTF-7", "UTF-7"),
    equivalence(Icu, "UTF-7", "UTF-7"),
    equivalence(Cpython, "utf-7", "UTF-7"),
    equivalence(Glibc, "UTF-7-IMAP", "UTF-7-IMAP"),
    equivalence(Icu, "IMAP-mailbox-name", "UTF-7-IMAP"),
    equivalence(Glibc, "UTF-16", "UTF-16"),
    equivalence(Icu, "UTF-16", "UTF-16"),
    equivalence(Cpython, "utf-16", "UTF-16"),
    equivalence(Glibc, "UTF-16LE", "UTF-16LE"),
    equivalence(Icu, "UTF-16LE", "UTF-16LE"),
    equivalence(Cpython, "utf-16-le", "UTF-16LE"),
    equivalence(Glibc, "UTF-16BE", "UTF-16BE"),
    equivalence(Icu, "UTF-16BE", "UTF-16BE"),
    equivalence(Cpython, "utf-16-be", "UTF-16BE"),
    equivalence(Glibc, "UTF-32", "UTF-32"),
    equivalence(Icu, "UTF-32", "UTF-32"),
    equivalence(Cpython, "utf-32", "UTF-32"),
    equivalence(Glibc, "UTF-32LE", "UTF-32LE"),
    equivalence(Icu, "UTF-32LE", "UTF-32LE"),
    equivalence(Cpython, "utf-32-le", "UTF-32LE"),
    equivalence(Glibc, "UTF-32BE", "UTF-32BE"),
    equivalence(Icu, "UTF-32BE", "UTF-32BE"),
    equivalence(Cpython, "utf-32-be", "UTF-32BE"),
    equivalence(Glibc, "UCS-2", "UCS-2"),
    equivalence(Icu, "UCS-2", "UCS-2"),
    equivalence(Glibc, "UCS-2LE", "UCS-2LE"),
    equivalence(Glibc, "UCS-2BE", "UCS-2BE"),
    equivalence(Glibc, "UNICODE", "UNICODE"),
    equivalence(Glibc, "UCS-4", "UCS-4"),
    equivalence(Icu, "UCS-4", "UCS-4"),
    wide_equivalence("UCS-4", "UCS-4"),
    wide_equivalence("UCS-4LE", "UCS-4LE"),
    wide_equivalence("UCS-4BE", "UCS-4BE"),
    equivalence(Icu, "BOCU-1", "BOCU-1"),
    equivalence(Glibc, "US-ASCII", "US-ASCII"),
    equivalence(Icu, "US-ASCII", "US-ASCII"),
    equivalence(Cpython, "us-ascii", "US-ASCII"),
    equivalence(Glibc, "ISO-8859-1", "ISO-8859-1"),
    equivalence(Icu, "ISO-8859-1", "ISO-8859-1"),
    equivalence(Cpython, "iso-8859-1", "ISO-8859-1"),
];

/// The pairings that share their conversions of charpipe's.
pub fn converter_groups() -> Vec<Vec<&'static Equivalence>> {
    let mut groups: Vec<Vec<&Equivalence>> = Vec::new();
    for pairing in EQUIVALENCES {
        let shares = |group: &&mut Vec<&Equivalence>| {
            (group[0].encoding, group[0].pivot.0) == (pairing.encoding, pairing.pivot.0)
        };
        match groups.iter_mut().find(shares) {
            Some(group) => group.push(pairing),
            None => groups.push(vec![pairing]),
        }
    }
    groups
}
