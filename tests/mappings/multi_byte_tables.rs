//! The mappings of the multi-byte encodings, packed from the maps.
//!
//! `CHARPIPE_BLESS=1 cargo test --test mappings` writes `src/encoding/multi_byte/data/` again. Without
//! that the test fails where a file is not what the maps give. The form of the files is told in
//! `src/encoding/multi/cells.rs`, `directory.rs` and `linear.rs`.

mod cell_pool;
mod gb18030_ranges;
mod sources;
mod table_list;
mod trie;

use std::fs;
use std::path::{Path, PathBuf};

use cell_pool::CellPool;
use table_list::{GB18030_RANGES, SOURCES};

#[test]
fn multi_byte_tables_are_up_to_date() {
    let mut pool = CellPool::new();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for source in SOURCES {
        files.push((format!("{}.rows", source.file), trie::pack_trie(source, &mut pool)));
    }
    for (file, map) in GB18030_RANGES {
        files.push((format!("{file}.ranges"), gb18030_ranges::pack_ranges(map)));
    }
    files.push(("cells.bin".to_owned(), pool.bytes()));
    for (name, bytes) in files {
        write_or_compare(&output_directory().join(name), &bytes);
    }
}

fn output_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/encoding/multi_byte/data")
}

/// Writes a file if blessed, else compares it.
fn write_or_compare(path: &Path, bytes: &[u8]) {
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let found = fs::read(path).unwrap_or_default();
    assert!(found == bytes, "{} is not current", path.display());
}
