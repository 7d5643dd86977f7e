//! The tables of aliases and categories that the program searches.
//!
//! Both are sorted by the significant characters of the name, then by the name.

use crate::encodings::Section;

/// Returns `src/encoding/alias/aliases.tsv`: a name, the encoding, and the sources of the name.
pub fn aliases_file(sections: &[Section]) -> String {
    let rows = sections.iter().flat_map(|section| {
        let row = |(name, sources): &(String, String)| {
            (name.clone(), format!("{}\t{sources}", section.name))
        };
        section.aliases.iter().map(row)
    });
    sorted(rows.collect())
}

/// Returns `src/encoding/categories.tsv`: an encoding and its category.
pub fn categories_file(sections: &[Section]) -> String {
    let supported = sections.iter().filter(|section| !section.category.is_empty());
    sorted(supported.map(|section| (section.name.clone(), section.category.clone())).collect())
}

fn sorted(mut rows: Vec<(String, String)>) -> String {
    rows.sort_by_cached_key(|(name, _)| (significant(name), name.clone()));
    rows.into_iter().map(|(name, value)| format!("{name}\t{value}\n")).collect()
}

/// Returns what remains of a name for the comparison of UTS #22, section 1.4: letters and digits, in
/// lower case and without leading zeros. Tests of charpipe check that its own function agrees.
fn significant(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    let mut after_digit = false;
    let mut bytes = name.bytes().peekable();
    while let Some(byte) = bytes.next() {
        let leading_zero =
            byte == b'0' && !after_digit && bytes.peek().is_some_and(u8::is_ascii_digit);
        if byte.is_ascii_alphanumeric() && !leading_zero {
            key.push(byte.to_ascii_lowercase());
            after_digit = byte.is_ascii_digit();
        } else if !leading_zero {
            after_digit = false;
        }
    }
    key
}
