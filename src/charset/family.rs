//! Families of charsets, under which lists show them.

use super::Charset;
use super::name::table::Table;

/// The family of every charset whose name has no prefix.
static FAMILIES: Table = Table(include_str!("family.tsv"));

/// The families of the names with a prefix.
const PREFIXED: [(&str, &str); 2] =
    [("libiconv:", "As GNU libiconv has them"), ("whatwg:", "As the Encoding Standard has them")];

impl Charset {
    /// The family: what the charset is a code of, or whose it is.
    pub fn family(&self) -> &'static str {
        let prefixed = PREFIXED.iter().find(|(prefix, _)| self.name.starts_with(prefix));
        let known = || FAMILIES.like(self.name).find(|(name, _, _)| *name == self.name);
        match prefixed {
            Some((_, family)) => family,
            None => known().map_or("Others", |(_, family, _)| family),
        }
    }
}
