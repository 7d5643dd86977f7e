//! The categories under which lists show encodings.

use super::Encoding;
use super::alias::LabelTable;

/// The category of every encoding. `cargo xtask generate` makes the file.
static CATEGORIES: LabelTable = LabelTable(include_str!("categories.tsv"));

impl Encoding {
    /// Returns the category: the kind of encoding, or the vendor that defines it.
    pub fn category(&self) -> &'static str {
        let mut rows = CATEGORIES.matching(self.name);
        rows.find(|(name, _, _)| *name == self.name).map_or("Others", |(_, category, _)| category)
    }
}
