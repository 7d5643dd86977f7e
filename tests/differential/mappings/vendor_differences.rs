//! The number of mappings in which encodings differ from those of the same name in other converters.
//!
//! `CHARPIPE_BLESS=1 cargo test --test differential mappings` writes `differences.tsv`, which the page of encodings
//! shows; without the variable this test compares the file. A line has the encoding, the map, and six
//! numbers: codes that decode differently, only in charpipe, only in the other converter; then the
//! same for characters. Tag characters, substitutes and unknown escape sequences are not counted:
//! other converters pass them on without using a table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use charpipe::internals::encoding::{self, Encoding, EncodingOptions};

use crate::mappings::multi_byte::{self, decoded, encoded};
use crate::mappings::stateful;
use charpipe_test_support::report;
use xtask::archive;
use xtask::map::{EncodingMap, ShiftedCell};

const DIFFERENCES_FILE: &str = "tests/mappings/differences.tsv";

/// Encodings whose name means another map there than the one that is called so.
const OTHER_MAP_NAMES: [(&str, &str); 2] = [("CP936", "glibc/GBK"), ("CP950", "glibc/BIG5")];

/// The prefixes of encodings that are made from the map of another converter.
const VENDOR_PREFIXES: [&str; 3] = ["whatwg:", "libiconv:", "glibc:"];

/// The number of cells that only one of two tables has, or that differ.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct CellCounts {
    different: usize,
    only_here: usize,
    only_there: usize,
}

impl CellCounts {
    fn add<T: PartialEq>(&mut self, here: Option<T>, there: Option<T>) {
        match (here, there) {
            (Some(here), Some(there)) => self.different += usize::from(here != there),
            (Some(_), None) => self.only_here += 1,
            (None, Some(_)) => self.only_there += 1,
            (None, None) => {}
        }
    }
}

/// Every code of a map, with what leads into its state. What passes an unknown escape sequence on
/// as text has no code of its own.
fn cells(map: &EncodingMap) -> BTreeMap<Vec<u8>, &str> {
    let plain = map.decode.iter().chain(&map.composed);
    let plain = plain.map(|(code, text)| (code.clone(), &text[..]));
    let shifted = map
        .shifted
        .iter()
        .map(|ShiftedCell { prefix, code, text }| ([&prefix[..], code].concat(), &text[..]));
    plain
        .chain(shifted)
        .filter(|(code, text)| code.len() == 1 || !text.contains('\u{1B}'))
        .collect()
}

/// Returns the characters that a map encodes, without those that it encodes to a substitute.
fn characters(map: &EncodingMap) -> BTreeMap<char, &[u8]> {
    let substitutes: BTreeSet<&[u8]> =
        map.decode.iter().filter(|(_, text)| text == "\u{1A}").map(|(code, _)| &code[..]).collect();
    let is_own = |(character, code): &(char, &[u8])| {
        let tag = matches!(character, '\u{E0000}'..='\u{E007F}');
        !tag && (*character == '\u{1A}' || !substitutes.contains(code))
    };
    map.encode.iter().map(|(character, code)| (*character, &code[..])).filter(is_own).collect()
}

/// Codes and characters in which an encoding and a map differ. `own` says which there are here.
fn differences(encoding: &Encoding, own: &EncodingMap, other: &EncodingMap) -> [CellCounts; 2] {
    let options = EncodingOptions::default();
    let mut counts = [CellCounts::default(); 2];
    let mut decoder = encoding.decoder(&options);
    let (ours, theirs) = (cells(own), cells(other));
    for code in ours.keys().chain(theirs.keys().filter(|code| !ours.contains_key(*code))) {
        // A code there can be two here, one after the other.
        let parts = !ours.contains_key(code) && decoded(&mut *decoder, &code[..1]).is_some();
        let here = decoded(&mut *decoder, code).filter(|_| !parts);
        counts[0].add(here.as_deref(), theirs.get(code).copied());
    }
    let mut encoder = encoding.encoder(&options);
    let (ours, theirs) = (characters(own), characters(other));
    for character in ours.keys().chain(theirs.keys().filter(|one| !ours.contains_key(one))) {
        let here = encoded(&mut *encoder, character.encode_utf8(&mut [0; 4]));
        counts[1].add(here.as_deref(), theirs.get(character).copied());
    }
    counts
}

/// The map that charpipe's encoding is made from.
fn own_map(encoding: &str) -> EncodingMap {
    let lists = multi_byte::ENCODINGS.iter().chain(stateful::ENCODINGS);
    match lists.into_iter().find(|(name, _)| *name == encoding) {
        Some((_, map)) => archive::map(map),
        None => {
            let map = archive::reference_map(encoding);
            map.unwrap_or_else(|| panic!("{encoding} has no map"))
        }
    }
}

/// Each map with the encoding that has its name here.
fn comparable_maps() -> impl Iterator<Item = (&'static Encoding, &'static str)> {
    let named = archive::names().filter_map(|map| {
        let (_, name) = map.split_once('/').expect("an origin and a name");
        Some((encoding::for_label(name)?, map))
    });
    let elsewhere =
        OTHER_MAP_NAMES.map(|(name, map)| (encoding::for_label(name).expect("it is known"), map));
    named.chain(elsewhere).filter(|(encoding, _)| {
        VENDOR_PREFIXES.iter().all(|vendor| !encoding.name().starts_with(vendor))
    })
}

#[test]
fn difference_counts_are_up_to_date() {
    let is_set = |name| std::env::var_os(name).is_some();
    if !is_set("CHARPIPE_TEST_EXHAUSTIVE") && !is_set("CHARPIPE_BLESS") {
        return report(
            "skipped without CHARPIPE_TEST_EXHAUSTIVE=1, which compares the maps with each other",
        );
    }
    let mut lines = BTreeSet::new();
    let mut compared = 0;
    for (encoding, map) in comparable_maps() {
        let [codes, characters] =
            differences(encoding, &own_map(encoding.name()), &archive::map(map));
        compared += 1;
        if [codes, characters] != [CellCounts::default(); 2] {
            let mut line = format!("{}\t{map}", encoding.name());
            for CellCounts { different: otherwise, only_here: here, only_there: there } in
                [codes, characters]
            {
                write!(line, "\t{otherwise}\t{here}\t{there}").expect("a String takes all");
            }
            lines.insert(line + "\n");
        }
    }
    assert!(compared > 450, "{compared} maps have an encoding");
    let lines = String::from_iter(lines);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DIFFERENCES_FILE);
    if is_set("CHARPIPE_BLESS") {
        fs::write(&path, &lines).expect("the file can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == lines,
        "{DIFFERENCES_FILE} is out of date; CHARPIPE_BLESS=1 cargo test --test differential mappings::writes it"
    );
}
