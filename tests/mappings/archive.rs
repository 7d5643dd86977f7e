//! The packed maps: which there are, and the text of each.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::OnceLock;

use lzma_rust2::XzReader;

use crate::map::EncodingMap;

const ARCHIVES: &[&[u8]] = &[
    include_bytes!("maps/single.xz"),
    include_bytes!("maps/chinese.xz"),
    include_bytes!("maps/gb18030.xz"),
    include_bytes!("maps/japanese.xz"),
    include_bytes!("maps/korean.xz"),
    include_bytes!("maps/icu.xz"),
    include_bytes!("maps/python.xz"),
    include_bytes!("maps/recode.xz"),
    include_bytes!("maps/perl.xz"),
];

/// The packed text of each map by its name, such as `glibc/IBM037`.
fn packed_maps() -> &'static BTreeMap<&'static str, &'static str> {
    static PACKED: OnceLock<BTreeMap<&str, &str>> = OnceLock::new();
    PACKED.get_or_init(|| {
        let mut packed = BTreeMap::new();
        for archive in ARCHIVES {
            let text: &'static str = Box::leak(decompress(archive).into_boxed_str());
            for map in text.strip_prefix("= ").expect("a map stands first").split("\n= ") {
                let (name, _) = map.split_once(' ').expect("a name and counts");
                packed.insert(name, map);
            }
        }
        packed
    })
}

fn decompress(archive: &[u8]) -> String {
    let mut text = String::new();
    XzReader::new(archive, false).read_to_string(&mut text).expect("the archive is whole");
    text
}

/// The names of all maps.
pub fn names() -> impl Iterator<Item = &'static str> {
    packed_maps().keys().copied()
}

/// The map of this name, such as `glibc/IBM037`.
pub fn map(name: &str) -> EncodingMap {
    let text = packed_maps().get(name).unwrap_or_else(|| panic!("there is no map {name}"));
    EncodingMap::parse(text)
}

#[test]
fn maps_have_the_declared_number_of_lines() {
    assert_eq!(names().count(), 548);
    for name in names() {
        let map = map(name);
        assert_eq!(map.lines(), map.declared, "{name}");
    }
}

/// Cells that the standards and the vendors' own tables have.
#[test]
fn well_known_cells_match_the_standards() {
    for (name, bytes, text) in [
        ("glibc/ISO-8859-15", &b"\xA4"[..], "\u{20AC}"),
        ("glibc/KOI8-R", b"\xC1", "\u{430}"),
        ("glibc/IBM037", b"\xC1", "A"),
        ("glibc/SJIS", b"\x88\x9F", "\u{4E9C}"),
        ("glibc/GB18030", b"\x81\x30\x81\x30", "\u{80}"),
        ("glibc/GB18030", b"\x90\x30\x81\x30", "\u{10000}"),
        ("glibc/GB18030", b"\xE3\x32\x9A\x35", "\u{10FFFF}"),
        ("whatwg/Big5", b"\x88\x62", "\u{CA}\u{304}"),
        ("whatwg/windows-1252", b"\x80", "\u{20AC}"),
    ] {
        let map = map(name);
        let cell = map.decode.iter().find(|(code, _)| code == bytes);
        assert_eq!(cell.map(|(_, decoded)| &decoded[..]), Some(text), "{name} {bytes:02X?}");
        let mut characters = text.chars();
        if let (Some(one), None) = (characters.next(), characters.next()) {
            assert_eq!(map.encode[&one], bytes, "{name} {text}");
        }
    }
}
