//! Families of encodings, under which lists show them.

use super::Encoding;
use super::alias::LabelTable;

/// The family of every encoding whose name has no prefix.
static CATEGORIES: LabelTable = LabelTable(include_str!("categories.tsv"));

/// The families of the names with a prefix.
const VENDOR_CATEGORIES: [(&str, &str); 2] =
    [("libiconv:", "As GNU libiconv has them"), ("whatwg:", "As the Encoding Standard has them")];

impl Encoding {
    /// The family: what the encoding is a code of, or whose it is.
    pub fn category(&self) -> &'static str {
        let prefixed = VENDOR_CATEGORIES.iter().find(|(prefix, _)| self.name.starts_with(prefix));
        let known = || CATEGORIES.matching(self.name).find(|(name, _, _)| *name == self.name);
        match prefixed {
            Some((_, family)) => family,
            None => known().map_or("Others", |(_, family, _)| family),
        }
    }
}
