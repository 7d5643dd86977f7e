//! The grids of the multi-byte charsets, packed from the maps.
//!
//! `CHARPIPE_BLESS=1 cargo test --test charmaps` writes `src/charset/multi/grids/` anew. Without
//! that the test fails where a file is not what the maps give. The form of the files is told in
//! `src/charset/multi/cells.rs`, `directory.rs` and `linear.rs`.

mod directory;
mod linear;
mod list;
mod pool;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use list::{LINEAR, SOURCES};
use pool::Pool;

#[test]
fn the_grids_are_what_the_maps_give() {
    let mut pool = Pool::new();
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for source in SOURCES {
        files.push((format!("{}.rows", source.file), directory::packed(source, &mut pool)));
    }
    for (file, map) in LINEAR {
        files.push((format!("{file}.ranges"), linear::packed(map)));
    }
    files.push(("cells.bin".to_owned(), pool.bytes()));
    for (name, bytes) in files {
        settle(&folder().join(name), &bytes);
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/charset/multi/grids")
}

/// Writes a file if blessed, else compares it.
fn settle(path: &Path, bytes: &[u8]) {
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        fs::write(path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let found = fs::read(path).unwrap_or_default();
    assert!(found == bytes, "{} is not current", path.display());
}
