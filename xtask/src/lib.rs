//! Generates the files of charpipe that are made from data: tables, manual pages, the page
//! of encodings, and the pictures of the documentation.
//!
//! `cargo xtask generate` writes them, and a test of charpipe checks that they are current. Nothing
//! here needs the library of charpipe, so the tables can be written when it does not compile.

use std::path::Path;

use anyhow::Result;

pub mod archive;
pub mod book;
mod character_names;
pub mod encodings;
pub mod map;
mod multi_byte;
mod names;
pub mod pictures;
pub mod repair_letters;
pub mod single_byte;
pub mod training;

/// A file that is checked in and can be generated again.
#[derive(Debug)]
pub struct GeneratedFile {
    /// The path from the root of the repository.
    pub path: String,
    /// What the file is to hold.
    pub contents: Vec<u8>,
}

/// Files that the command prints, with the arguments that print them.
pub const COMMAND_OUTPUT: [(&str, &[&str]); 10] = [
    ("docs/man/charpipe.1", &["--man"]),
    ("docs/man/charpipe-check.1", &["check", "--man"]),
    ("docs/man/charpipe-detect.1", &["detect", "--man"]),
    ("docs/man/charpipe-fix.1", &["fix", "--man"]),
    ("docs/man/charpipe-list.1", &["list", "--man"]),
    ("docs/man/charpipe-repair.1", &["repair", "--man"]),
    ("docs/man/charpipe-show.1", &["show", "--man"]),
    ("docs/man/charpipe-split.1", &["split", "--man"]),
    ("docs/man/charpipe-iconv.1", &["iconv", "--man"]),
    ("docs/man/charpipe-install-links.1", &["install-links", "--man"]),
];

/// The page that lists all encodings.
pub const ENCODINGS_PAGE: &str = "docs/encodings.md";

/// The page that lists all transforms.
pub const TRANSFORMS_PAGE: &str = "docs/transforms.md";

/// Returns the root directory of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Returns the tables that are compiled into charpipe.
///
/// # Errors
///
/// If a description of an encoding cannot be read.
pub fn tables() -> Result<Vec<GeneratedFile>> {
    let (sections, single_byte) = (encodings::all()?, encodings::single_byte()?);
    let text = |path: &str, contents: String| GeneratedFile {
        path: path.to_owned(),
        contents: contents.into_bytes(),
    };
    let mut files = vec![
        text(
            "crates/encoding/src/encoding/single_byte/tables.rs",
            single_byte::tables_file(&single_byte),
        ),
        text("crates/encoding/src/encoding/alias/aliases.tsv", names::aliases_file(&sections)),
        text("crates/encoding/src/encoding/constants.rs", names::constants_file(&sections)),
        text("crates/encoding/src/encoding/categories.tsv", names::categories_file(&sections)),
    ];
    files.extend(multi_byte::tables());
    files.extend(character_names::tables());
    Ok(files)
}
