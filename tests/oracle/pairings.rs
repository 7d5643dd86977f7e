//! Which encoding of charpipe is which of a peer.

use crate::peers::Peer::{self, Cpython, Glibc, Icu};

/// An encoding as charpipe and as a peer name it, and the encoding on the other side.
#[derive(Debug, Clone, Copy)]
pub struct Pairing {
    pub peer: Peer,
    /// The peer's name for it.
    pub theirs: &'static str,
    /// charpipe's name for it.
    pub charset: &'static str,
    /// What it is decoded to and encoded from, as charpipe and as the peer name it.
    pub pivot: (&'static str, &'static str),
}

const fn pair(peer: Peer, theirs: &'static str, charset: &'static str) -> Pairing {
    Pairing { peer, theirs, charset, pivot: ("UTF-8", "utf-8") }
}

/// All 31 bits, which the C library has under the name UTF-8.
const fn wide(theirs: &'static str, charset: &'static str) -> Pairing {
    Pairing { pivot: ("FSS-UTF", "utf-8"), ..pair(Glibc, theirs, charset) }
}

pub static PAIRINGS: &[Pairing] = &[
    pair(Glibc, "UTF-8", "UTF-8"),
    pair(Icu, "UTF-8", "UTF-8"),
    pair(Cpython, "utf-8", "UTF-8"),
    Pairing { pivot: ("UCS-4BE", "UCS-4BE"), ..pair(Glibc, "UTF-8", "FSS-UTF") },
    pair(Icu, "CESU-8", "CESU-8"),
    pair(Glibc, "UTF-7", "UTF-7"),
    pair(Icu, "UTF-7", "UTF-7"),
    pair(Cpython, "utf-7", "UTF-7"),
    pair(Glibc, "UTF-7-IMAP", "UTF-7-IMAP"),
    pair(Icu, "IMAP-mailbox-name", "UTF-7-IMAP"),
    pair(Glibc, "UTF-16", "UTF-16"),
    pair(Icu, "UTF-16", "UTF-16"),
    pair(Cpython, "utf-16", "UTF-16"),
    pair(Glibc, "UTF-16LE", "UTF-16LE"),
    pair(Icu, "UTF-16LE", "UTF-16LE"),
    pair(Cpython, "utf-16-le", "UTF-16LE"),
    pair(Glibc, "UTF-16BE", "UTF-16BE"),
    pair(Icu, "UTF-16BE", "UTF-16BE"),
    pair(Cpython, "utf-16-be", "UTF-16BE"),
    pair(Glibc, "UTF-32", "UTF-32"),
    pair(Icu, "UTF-32", "UTF-32"),
    pair(Cpython, "utf-32", "UTF-32"),
    pair(Glibc, "UTF-32LE", "UTF-32LE"),
    pair(Icu, "UTF-32LE", "UTF-32LE"),
    pair(Cpython, "utf-32-le", "UTF-32LE"),
    pair(Glibc, "UTF-32BE", "UTF-32BE"),
    pair(Icu, "UTF-32BE", "UTF-32BE"),
    pair(Cpython, "utf-32-be", "UTF-32BE"),
    pair(Glibc, "UCS-2", "UCS-2"),
    pair(Icu, "UCS-2", "UCS-2"),
    pair(Glibc, "UCS-2LE", "UCS-2LE"),
    pair(Glibc, "UCS-2BE", "UCS-2BE"),
    pair(Glibc, "UNICODE", "UNICODE"),
    pair(Glibc, "UCS-4", "UCS-4"),
    pair(Icu, "UCS-4", "UCS-4"),
    wide("UCS-4", "UCS-4"),
    wide("UCS-4LE", "UCS-4LE"),
    wide("UCS-4BE", "UCS-4BE"),
    pair(Icu, "BOCU-1", "BOCU-1"),
    pair(Glibc, "US-ASCII", "US-ASCII"),
    pair(Icu, "US-ASCII", "US-ASCII"),
    pair(Cpython, "us-ascii", "US-ASCII"),
    pair(Glibc, "ISO-8859-1", "ISO-8859-1"),
    pair(Icu, "ISO-8859-1", "ISO-8859-1"),
    pair(Cpython, "iso-8859-1", "ISO-8859-1"),
];

/// The pairings that share their conversions of charpipe's.
pub fn groups() -> Vec<Vec<&'static Pairing>> {
    let mut groups: Vec<Vec<&Pairing>> = Vec::new();
    for pairing in PAIRINGS {
        let shares = |group: &&mut Vec<&Pairing>| {
            (group[0].charset, group[0].pivot.0) == (pairing.charset, pairing.pivot.0)
        };
        match groups.iter_mut().find(shares) {
            Some(group) => group.push(pairing),
            None => groups.push(vec![pairing]),
        }
    }
    groups
}
