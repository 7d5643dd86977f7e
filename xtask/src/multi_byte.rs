//! The mappings of the multi-byte encodings, packed from the maps in `tests/mappings/`.
//!
//! `crates/encoding/src/encoding/multi_byte/cells.rs`, `trie.rs` and `gb18030_ranges.rs` describe the format of the
//! files.

mod cell_pool;
mod gb18030_ranges;
mod sources;
mod table_list;
mod trie;

use cell_pool::CellPool;
use table_list::{GB18030_RANGES, SOURCES};

use crate::GeneratedFile;

/// Returns the files of `crates/encoding/src/encoding/multi_byte/data/`.
pub fn tables() -> Vec<GeneratedFile> {
    let mut pool = CellPool::new();
    let file = |name: &str, contents| GeneratedFile {
        path: format!("crates/encoding/src/encoding/multi_byte/data/{name}"),
        contents,
    };
    let mut files = Vec::new();
    for source in SOURCES {
        files.push(file(&format!("{}.trie", source.file), trie::pack_trie(source, &mut pool)));
    }
    for (name, map) in GB18030_RANGES {
        files.push(file(&format!("{name}.ranges"), gb18030_ranges::pack_ranges(map)));
    }
    files.push(file("cells.bin", pool.bytes()));
    files
}
