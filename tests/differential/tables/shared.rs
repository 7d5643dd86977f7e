//! The encodings with tables that charpipe and the C library both have.

use std::borrow::Cow;
use std::collections::BTreeSet;

use charpipe::internals::encoding::{self, Encoding, alias};

use super::cells::MANY_CELLS;
use crate::converters::OtherConverter;
use crate::equivalences::EQUIVALENCES;

/// An encoding by the names of both.
#[derive(Debug, Clone)]
pub struct SharedTable {
    pub encoding: &'static Encoding,
    pub converter: OtherConverter,
    /// The converter's name for it.
    pub theirs: Cow<'static, str>,
    /// The maximum number of codes of one length and state.
    pub max_len: usize,
    /// One of this number of characters is tried: up to U+FFFF, and above.
    pub steps: (usize, usize),
}

/// Every encoding that the C library has as well, without those that are compared on texts.
pub fn shared_tables() -> Vec<SharedTable> {
    let compared: BTreeSet<_> = EQUIVALENCES.iter().map(|pairing| pairing.encoding).collect();
    let others = encoding::ALL.iter().filter(|encoding| !compared.contains(encoding.name()));
    let mut shared: Vec<SharedTable> = others
        .filter_map(|encoding| {
            let theirs = theirs(encoding.name())?.into();
            Some(SharedTable {
                encoding,
                converter: OtherConverter::Glibc,
                theirs,
                max_len: MANY_CELLS,
                steps: (1, 1),
            })
        })
        .collect();
    // The slow ones first, so that no processor is left with one of them at the end.
    shared.sort_by_key(|one| !(one.theirs == "GB18030" || one.theirs.contains("2022")));
    shared
}

fn theirs(encoding: &str) -> Option<&'static str> {
    match encoding {
        // Names whose encoding in the C library is another one.
        "CP936" => Some("CP936"),
        "CP950" => Some("CP950"),
        // The edition that 2.36 has.
        "GB18030:2005" => Some("GB18030"),
        "GB18030" => None,
        named => alias::all()
            .find(|known| known.encoding == named && known.sources & alias::GLIBC != 0)
            .map(|known| known.name()),
    }
}

impl SharedTable {
    /// Whether bytes join that are characters by themselves.
    pub fn joins(&self) -> bool {
        let engine = self.encoding.factory.engine();
        self.encoding.name() == "TSCII"
            || engine.is_some_and(|engine| engine.contains("marks") || engine.contains("accents"))
    }

    /// The bytes that lead into each state.
    pub fn prefixes(&self) -> &'static [&'static [u8]] {
        let known = STATES.iter().find(|(encodings, _)| encodings.contains(&self.encoding.name()));
        known.map_or(&[b""], |(_, prefixes)| prefixes)
    }
}

/// The states of the encodings with shifts, by what leads into them.
static STATES: &[(&[&str], &[&[u8]])] = &[
    (&["ISO-2022-KR"], &[b"", b"\x1B$)C", b"\x1B$)C\x0E"]),
    (&["ISO-2022-CN"], &[b"", b"\x1B$)A\x0E", b"\x1B$)G\x0E", b"\x1B$*H\x1BN", b"\x1BN"]),
    (
        &["ISO-2022-CN-EXT"],
        &[
            b"",
            b"\x1B$)A\x0E",
            b"\x1B$)G\x0E",
            b"\x1B$)E\x0E",
            b"\x1B$*H\x1BN",
            b"\x1B$+I\x1BO",
            b"\x1B$+J\x1BO",
            b"\x1B$+K\x1BO",
            b"\x1B$+L\x1BO",
            b"\x1B$+M\x1BO",
            b"\x1BN",
            b"\x1BO",
        ],
    ),
    (
        &["ISO-2022-JP", "ISO-2022-JP-1", "ISO-2022-JP-EXT", "ISO-2022-JP-MS"],
        &[b"", b"\x1B(J", b"\x1B$@", b"\x1B$B", b"\x1B$(D", b"\x1B(I"],
    ),
    (
        &["ISO-2022-JP-2"],
        &[
            b"",
            b"\x1B(J",
            b"\x1B$@",
            b"\x1B$B",
            b"\x1B$A",
            b"\x1B$(C",
            b"\x1B$(D",
            b"\x1B.A\x1BN",
            b"\x1B.F\x1BN",
        ],
    ),
    (
        &["ISO-2022-JP-3"],
        &[b"", b"\x1B(J", b"\x1B(I", b"\x1B$@", b"\x1B$B", b"\x1B$(O", b"\x1B$(P", b"\x1B$(Q"],
    ),
    (&["HZ"], &[b"", b"~{"]),
    (
        &[
            "IBM930", "IBM933", "IBM935", "IBM937", "IBM939", "IBM1364", "IBM1371", "IBM1388",
            "IBM1390", "IBM1399",
        ],
        &[b"", b"\x0E"],
    ),
];
