//! In how many cells charpipe's charsets differ from those of the same name elsewhere.
//!
//! `CHARPIPE_BLESS=1 cargo test --test charmaps` writes `differences.tsv` anew, which the page of
//! charsets is made from; without, this test holds the file to the maps. A line has the charset, the
//! map, and six numbers: codes that decode otherwise, only here, only there; characters likewise. Tag
//! characters, substitutes and unknown escape sequences do not count: where other converters let them
//! pass, that is no matter of tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use charpipe::charset::{self, Charset, Settings};

use crate::archive;
use crate::codes::{self, decoded, encoded};
use crate::map::{Map, Shifted};
use crate::{sheet, shifts};

const FILE: &str = "tests/charmaps/differences.tsv";

/// Charsets whose name means another map there than the one that is called so.
const ELSEWHERE: [(&str, &str); 2] = [("CP936", "glibc/GBK"), ("CP950", "glibc/BIG5")];

/// What stands before the name of a charset that is made from the map of another converter.
const FLAVOURS: [&str; 3] = ["whatwg:", "libiconv:", "glibc:"];

/// What there is in one of two tables, or in both with other contents.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    otherwise: usize,
    here: usize,
    there: usize,
}

impl Count {
    fn add<T: PartialEq>(&mut self, here: Option<T>, there: Option<T>) {
        match (here, there) {
            (Some(here), Some(there)) => self.otherwise += usize::from(here != there),
            (Some(_), None) => self.here += 1,
            (None, Some(_)) => self.there += 1,
            (None, None) => {}
        }
    }
}

/// Every code of a map, with what leads into its state. What passes an unknown escape sequence on
/// as text has no code of its own.
fn cells(map: &Map) -> BTreeMap<Vec<u8>, &str> {
    let plain = map.decode.iter().chain(&map.composed);
    let plain = plain.map(|(code, text)| (code.clone(), &text[..]));
    let shifted = map
        .shifted
        .iter()
        .map(|Shifted { prefix, code, text }| ([&prefix[..], code].concat(), &text[..]));
    plain
        .chain(shifted)
        .filter(|(code, text)| code.len() == 1 || !text.contains('\u{1B}'))
        .collect()
}

/// What a map encodes, without what is written in place of a character.
fn characters(map: &Map) -> BTreeMap<char, &[u8]> {
    let substitutes: BTreeSet<&[u8]> =
        map.decode.iter().filter(|(_, text)| text == "\u{1A}").map(|(code, _)| &code[..]).collect();
    let is_own = |(character, code): &(char, &[u8])| {
        let tag = matches!(character, '\u{E0000}'..='\u{E007F}');
        !tag && (*character == '\u{1A}' || !substitutes.contains(code))
    };
    map.encode.iter().map(|(character, code)| (*character, &code[..])).filter(is_own).collect()
}

/// Codes and characters in which a charset and a map differ. `own` says which there are here.
fn differences(charset: &Charset, own: &Map, other: &Map) -> [Count; 2] {
    let settings = Settings::default();
    let mut counts = [Count::default(); 2];
    let mut decoder = charset.decoder(&settings);
    let (ours, theirs) = (cells(own), cells(other));
    for code in ours.keys().chain(theirs.keys().filter(|code| !ours.contains_key(*code))) {
        // A code there can be two here, one behind the other.
        let parts = !ours.contains_key(code) && decoded(&mut *decoder, &code[..1]).is_some();
        let here = decoded(&mut *decoder, code).filter(|_| !parts);
        counts[0].add(here.as_deref(), theirs.get(code).copied());
    }
    let mut encoder = charset.encoder(&settings);
    let (ours, theirs) = (characters(own), characters(other));
    for character in ours.keys().chain(theirs.keys().filter(|one| !ours.contains_key(one))) {
        let here = encoded(&mut *encoder, character.encode_utf8(&mut [0; 4]));
        counts[1].add(here.as_deref(), theirs.get(character).copied());
    }
    counts
}

/// The map that charpipe's charset is made from.
fn own(charset: &str) -> Map {
    let lists = codes::CHARSETS.iter().chain(shifts::CHARSETS);
    match lists.into_iter().find(|(name, _)| *name == charset) {
        Some((_, map)) => archive::map(map),
        None => sheet::truth(charset),
    }
}

/// Each map with the charset that has its name here.
fn pairs() -> impl Iterator<Item = (&'static Charset, &'static str)> {
    let named = archive::names().filter_map(|map| {
        let (_, name) = map.split_once('/').expect("an origin and a name");
        Some((charset::find(name)?, map))
    });
    let elsewhere = ELSEWHERE.map(|(name, map)| (charset::find(name).expect("it is known"), map));
    named
        .chain(elsewhere)
        .filter(|(charset, _)| FLAVOURS.iter().all(|flavour| !charset.name.starts_with(flavour)))
}

#[test]
fn the_numbers_of_cells_that_differ_are_those_of_the_maps() {
    let is_set = |name| std::env::var_os(name).is_some();
    if !is_set("CHARPIPE_TEST_WHOLE") && !is_set("CHARPIPE_BLESS") {
        println!("skipped: CHARPIPE_TEST_WHOLE=1 compares the maps with each other");
        return;
    }
    let mut lines = BTreeSet::new();
    let mut compared = 0;
    for (charset, map) in pairs() {
        let [codes, characters] = differences(charset, &own(charset.name), &archive::map(map));
        compared += 1;
        if [codes, characters] != [Count::default(); 2] {
            let mut line = format!("{}\t{map}", charset.name);
            for Count { otherwise, here, there } in [codes, characters] {
                write!(line, "\t{otherwise}\t{here}\t{there}").expect("a String takes all");
            }
            lines.insert(line + "\n");
        }
    }
    assert!(compared > 450, "{compared} maps have a charset");
    let lines = String::from_iter(lines);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if is_set("CHARPIPE_BLESS") {
        fs::write(&path, &lines).expect("the file can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == lines, "{FILE} is out of date; set CHARPIPE_BLESS=1 to write it anew");
}
