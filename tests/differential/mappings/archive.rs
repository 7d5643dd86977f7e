//! The archive of maps.

use charpipe_test_support::sample_stride;
use xtask::archive::{map, names};

#[test]
fn maps_have_the_declared_number_of_lines() {
    assert!(names().count() >= 548);
    for name in names().step_by(sample_stride(5)) {
        let map = map(name);
        assert_eq!(map.lines(), map.declared, "{name}");
    }
}

/// Mappings that the standards and the tables of the vendors have.
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
