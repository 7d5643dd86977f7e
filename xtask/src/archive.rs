//! The packed maps in `tests/mappings/maps/`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

use lzma_rust2::XzReader;

use crate::map::EncodingMap;
use crate::root;

/// The packed text of each map by its name, such as `glibc/IBM037`.
fn packed_maps() -> &'static BTreeMap<&'static str, &'static str> {
    static PACKED: OnceLock<BTreeMap<&str, &str>> = OnceLock::new();
    PACKED.get_or_init(|| {
        let directory = root().join("tests/mappings/maps");
        let mut packed = BTreeMap::new();
        for entry in directory.read_dir().expect("the directory of maps can be read") {
            let path = entry.expect("the directory of maps can be read").path();
            let text: &'static str = Box::leak(decompress(&path).into_boxed_str());
            for map in text.strip_prefix("= ").expect("a map begins").split("\n= ") {
                let (name, _) = map.split_once(' ').expect("a name and counts");
                packed.insert(name, map);
            }
        }
        packed
    })
}

fn decompress(path: &Path) -> String {
    let mut text = String::new();
    let file = File::open(path).expect("the archive can be opened");
    XzReader::new(file, false).read_to_string(&mut text).expect("the archive is complete");
    text
}

/// Returns the names of all maps.
pub fn names() -> impl Iterator<Item = &'static str> {
    packed_maps().keys().copied()
}

/// Returns the map of this name, such as `glibc/IBM037`.
///
/// # Panics
///
/// If there is no such map.
pub fn map(name: &str) -> EncodingMap {
    EncodingMap::parse(packed_map(name))
}

/// Returns the map of this name, which decodes only codes of up to `max_len` bytes.
///
/// # Panics
///
/// If there is no such map.
pub fn map_of_short_codes(name: &str, max_len: usize) -> EncodingMap {
    EncodingMap::parse_short_codes(packed_map(name), max_len)
}

fn packed_map(name: &str) -> &'static str {
    packed_maps().get(name).unwrap_or_else(|| panic!("map {name} is missing"))
}

/// Returns the map that defines a single-byte encoding: that of the vendor, else of glibc, else of
/// libiconv, else of the program that has one.
pub fn reference_map(encoding: &str) -> Option<EncodingMap> {
    let encoding = match encoding {
        "US-ASCII" => "ANSI_X3.4-1968",
        _ => encoding,
    };
    if let Some((vendor @ ("whatwg" | "libiconv"), name)) = encoding.split_once(':') {
        return Some(map(&format!("{vendor}/{name}")));
    }
    let origins = ["glibc", "libiconv", "whatwg", "icu", "python", "recode", "perl"];
    let maps = origins.map(|origin| format!("{origin}/{encoding}"));
    maps.iter().find(|map| packed_maps().contains_key(map.as_str())).map(|name| map(name))
}
