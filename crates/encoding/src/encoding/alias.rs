//! The names of encodings, their sources, and how labels are compared.
//!
//! Matching follows UTS #22, section 1.4: it ignores ASCII case, every character that is neither
//! letter nor digit, and zeros before a number. Only ASCII letters fold, so that KELVIN SIGN does
//! not match `k`.
//!
//! `alias/aliases.tsv` has one name per line, with its encoding and its sources. The lines are
//! sorted by the normalized name.

use std::cmp::Ordering;

use memchr::{memchr, memrchr};

/// A set of sources of a name: bit n is source n of `SOURCE_NAMES`.
pub type AliasSources = u32;

/// The IANA registry of character sets.
pub const IANA: AliasSources = 1;
/// The GNU C library's iconv.
pub const GLIBC: AliasSources = 1 << 2;
/// GNU libiconv.
pub const LIBICONV: AliasSources = 1 << 3;
/// Windows code pages.
pub const WINDOWS: AliasSources = 1 << 8;
/// The preferred MIME name of the IANA registry, or the registered name if there is none.
pub const MIME: AliasSources = 1 << 13;

/// The names of all sources.
const SOURCE_NAMES: [&str; 21] = [
    "IANA",
    // An RFC, Internet-Draft or other specification that defines the encoding.
    "RFC",
    "glibc",
    "libiconv",
    "ICU",
    "Python",
    "Perl",
    "recode",
    "Windows",
    "WHATWG",
    "Java",
    // mbstring.
    "PHP",
    // Names that only charpipe has.
    "charpipe",
    "MIME",
    "MySQL",
    "PostgreSQL",
    // The database.
    "Oracle",
    // `working-tree-encoding`.
    "git",
    // Coding systems.
    "Emacs",
    // The SMPP library.
    "Cloudhopper",
    // The numbers of table TCP00, after `sap-`: by themselves they are those of other code pages.
    "SAP",
];

/// The maximum length of a label in bytes; longer labels are not compared. A label comes from
/// outside and may have any length.
pub const MAX_LABEL_LEN: usize = 100;

/// Every name of every encoding.
pub(super) static ALIASES: LabelTable = LabelTable(include_str!("alias/aliases.tsv"));

/// A name of an encoding.
///
/// ```
/// let alias = charpipe::UTF_8.aliases().find(|alias| alias.name() == "utf8mb4").unwrap();
/// assert!(alias.sources().next().is_some());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: &'static str,
    /// The primary name of the encoding.
    #[doc(hidden)]
    pub encoding: &'static str,
    /// The programs and standards that use the name.
    #[doc(hidden)]
    pub sources: AliasSources,
}

impl Alias {
    /// Returns the name.
    ///
    /// ```
    /// assert!(charpipe::KOI8_R.aliases().all(|alias| alias.name() != "KOI8-R"));
    /// ```
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the names of the programs and standards that use it, such as `IANA` and `glibc`.
    ///
    /// ```
    /// let alias = charpipe::UTF_8.aliases().find(|alias| alias.name() == "csUTF8").unwrap();
    /// assert!(alias.sources().any(|source| source == "IANA"));
    /// ```
    pub fn sources(&self) -> impl Iterator<Item = &'static str> {
        source_names(self.sources)
    }
}

/// Returns all names, sorted by their normalized form. Some belong to encodings that charpipe does
/// not support, so that they match no other encoding.
pub fn all() -> impl Iterator<Item = Alias> {
    ALIASES.lines().map(|(name, encoding, words)| Alias {
        name,
        encoding,
        sources: parse_sources(words),
    })
}

/// Returns the MIME name among the names of an encoding: the one that IANA prefers, or else the
/// registered one.
pub fn mime_name(names: &[Alias]) -> Option<&'static str> {
    names.iter().find(|alias| alias.sources & MIME != 0).map(|alias| alias.name)
}

/// Returns the Windows code page number of an encoding, if one of its names contains it.
pub fn windows_code_page(names: &[Alias]) -> Option<u32> {
    names.iter().filter(|alias| alias.sources & WINDOWS != 0).find_map(|alias| {
        let name = alias.name.to_ascii_lowercase();
        let number = ["windows-", "cp"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
        number.parse().ok()
    })
}

/// Parses source names between spaces; unknown names are ignored.
pub fn parse_sources(words: &str) -> AliasSources {
    let bit = |word| SOURCE_NAMES.iter().position(|label| *label == word).map_or(0, |bit| 1 << bit);
    words.split(' ').map(bit).fold(0, |set, bit| set | bit)
}

/// Returns the names of the sources in a set.
pub fn source_names(sources: AliasSources) -> impl Iterator<Item = &'static str> {
    SOURCE_NAMES
        .iter()
        .enumerate()
        .filter(move |(bit, _)| sources & (1 << bit) != 0)
        .map(|(_, name)| *name)
}

/// Returns the characters of a name that are compared, in lower case.
pub fn normalized(name: &str) -> impl Iterator<Item = u8> + '_ {
    normalize(name.as_bytes())
}

fn normalize(mut rest: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut after_digit = false;
    std::iter::from_fn(move || {
        loop {
            let (byte, after) = rest.split_first()?;
            rest = after;
            match byte {
                // A zero before another digit of the same number.
                b'0' if !after_digit && after.first().is_some_and(u8::is_ascii_digit) => {}
                b'0'..=b'9' => {
                    after_digit = true;
                    return Some(*byte);
                }
                // A byte of a non-ASCII character is compared, so that such a name does not match
                // an empty one.
                b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                    after_digit = false;
                    return Some(byte.to_ascii_lowercase());
                }
                _ => after_digit = false,
            }
        }
    })
}

/// Returns whether two names match.
pub fn labels_match(one: &str, other: &str) -> bool {
    normalized(one).eq(normalized(other))
}

/// Lines of tab-separated fields, sorted by the [`normalized`] first field.
///
/// The text is searched in place: nothing is built at startup, and a search neither allocates nor
/// reads more than a few lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelTable(pub &'static str);

/// The fields of a line: a name, its value, and the remaining text.
pub(super) type LabelRow = (&'static str, &'static str, &'static str);

impl LabelTable {
    pub(super) fn lines(self) -> impl Iterator<Item = LabelRow> {
        self.0.lines().map(split_fields)
    }

    /// Returns the lines whose name matches the label.
    pub(super) fn matching(self, label: &str) -> impl Iterator<Item = LabelRow> {
        let key = NormalizedLabel::new(label);
        let lines = self.lower_bound(&key).lines();
        lines.map(split_fields).take_while(move |line| key.compare(line.0.as_bytes()).is_eq())
    }

    /// Returns the text from the first line on whose name is not less than the key.
    fn lower_bound(self, key: &NormalizedLabel) -> &'static str {
        let text = self.0.as_bytes();
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let start = memrchr(b'\n', &text[low..middle]).map_or(low, |at| low + at + 1);
            let line = &text[start..];
            let name = memchr(b'\t', line).map_or(line, |length| &line[..length]);
            if key.compare(name).is_lt() {
                let end = memchr(b'\n', line).unwrap_or(line.len() - 1);
                low = start + end + 1;
            } else {
                high = start;
            }
        }
        // The text is ASCII, and `low` is the start of a line.
        &self.0[low..]
    }
}

pub(super) fn split_fields(line: &'static str) -> LabelRow {
    let (name, rest) = line.split_once('\t').unwrap_or((line, ""));
    let (value, more) = rest.split_once('\t').unwrap_or((rest, ""));
    (name, value, more)
}

/// The characters of a label that are compared.
struct NormalizedLabel {
    bytes: [u8; MAX_LABEL_LEN],
    len: usize,
}

impl NormalizedLabel {
    /// Returns the key of a label of at most [`MAX_LABEL_LEN`] bytes.
    fn new(label: &str) -> NormalizedLabel {
        let mut key = NormalizedLabel { bytes: [0; MAX_LABEL_LEN], len: 0 };
        for (byte, position) in normalized(label).zip(&mut key.bytes) {
            *position = byte;
            key.len += 1;
        }
        key
    }

    /// Compares a name with the key.
    fn compare(&self, name: &[u8]) -> Ordering {
        normalize(name).cmp(self.bytes[..self.len].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_punctuation_and_leading_zeros_are_ignored() {
        for (one, other) in [
            ("UTF-8", "utf8"),
            ("ISO_8859-1:1987", "iso 8859 1 1987"),
            ("cp037", "CP37"),
            ("ibm-0037", "ibm037"),
            ("x0", "X-0"),
        ] {
            assert!(labels_match(one, other), "{one} {other}");
        }
    }

    #[test]
    fn digits_and_confusable_characters_are_significant() {
        for (one, other) in [
            ("utf-8", "utf-80"),
            ("cp1250", "cp125"),
            ("cp100", "cp1"),
            ("koi8-r", "\u{212A}oi8-r"),
            ("utf-8", "utf-8\u{301}"),
            ("", "é"),
        ] {
            assert!(!labels_match(one, other), "{one} {other}");
        }
    }

    const SMALL: LabelTable = LabelTable("a-1\tone\tx\nA1\ttwo\tx y\nb\tthree\t\ncp-037\tfour\n");

    #[test]
    fn search_finds_exactly_the_matching_rows() {
        for (label, values) in [
            ("a1", &["one", "two"][..]),
            ("A_01", &["one", "two"]),
            ("b", &["three"]),
            ("CP37", &["four"]),
            ("a", &[]),
            ("a2", &[]),
            ("cp", &[]),
            ("cp370", &[]),
            ("", &[]),
            ("zz", &[]),
        ] {
            let found: Vec<_> = SMALL.matching(label).map(|(_, value, _)| value).collect();
            assert_eq!(found, values, "{label:?}");
        }
    }

    #[test]
    fn search_matches_linear_scan() {
        let table = LabelTable(include_str!("alias/aliases.tsv"));
        for (name, _, _) in table.lines() {
            let slow = table.lines().filter(|line| labels_match(line.0, name));
            assert!(table.matching(name).eq(slow), "{name}");
        }
    }
}
