//! Names as others mean them: `whatwg:latin1`, `glibc:cp936`, `libiconv:cp950`.
//!
//! What browsers, the GNU C library and GNU libiconv call by one name is not always one encoding. A
//! prefix says whose meaning is wanted. Where the tables of that vendor variant differ from those of the
//! plain encoding, the encoding is registered with the prefix as part of its name; else the vendor variant
//! is a matter of names alone.

use super::alias::{self, ALIASES, AliasSources, LabelRow, LabelTable};
use super::{BomHandling, Encoding, lookup};

/// Whose meaning of a name is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vendor {
    /// The Encoding Standard of the WHATWG.
    Whatwg,
    /// The GNU C library.
    Glibc,
    /// GNU libiconv.
    Libiconv,
}

/// Labels of the Encoding Standard, section 4.2, the encodings that they name, and the encoding with
/// the nearest table: it is used where no table of the standard is registered. Some have none.
static WHATWG_LABELS: LabelTable = LabelTable(include_str!("vendor/whatwg.tsv"));

/// Names that have another meaning in one of the libraries than in charpipe, and what that is.
static OVERRIDES: LabelTable = LabelTable(include_str!("vendor/overrides.tsv"));

/// Encodings that no mail is in: forms of text within other text, of names, of what one program has
/// in memory, of files with a byte order mark; and sets by themselves, whose names mean in mail what
/// they are part of.
const NOT_MIME: [&str; 16] = [
    "C99",
    "FSS-UTF",
    "GB_2312-80",
    "ISO-IR-165",
    "JAVA",
    "JIS_X0208",
    "JIS_X0212",
    "KSC_5601",
    "MUTF-8",
    "UTF-16BE-BOM",
    "UTF-32BE-BOM",
    "UTF-5",
    "UTF-7-IMAP",
    "UTF-8-SIG",
    "ibm-971_P100-1995",
    "whatwg:replacement",
];

/// Encodings of which an encoding of the Encoding Standard decodes all that they have and more, by a
/// label of that: what mail programs write under their names is mostly of the larger one.
const MIME_SUPERSETS: [(&str, &str); 5] = [
    ("CP936", "gbk"),
    ("EUC-CN", "gbk"),
    ("GB_2312-80", "gbk"),
    ("UHC", "euc-kr"),
    ("CP932", "shift_jis"),
];

impl Vendor {
    const ALL: [Vendor; 3] = [Vendor::Whatwg, Vendor::Glibc, Vendor::Libiconv];

    const fn prefix(self) -> &'static str {
        match self {
            Vendor::Whatwg => "whatwg:",
            Vendor::Glibc => "glibc:",
            Vendor::Libiconv => "libiconv:",
        }
    }
}

/// The vendor variant that a label asks for, and the name after the prefix.
pub(super) fn split_prefix(label: &str) -> Option<(Vendor, &str)> {
    Vendor::ALL.into_iter().find_map(|vendor| {
        let (prefix, name) = label.split_at_checked(vendor.prefix().len())?;
        prefix.eq_ignore_ascii_case(vendor.prefix()).then_some((vendor, name))
    })
}

/// Whether a label asks for a name as others mean it, with `whatwg:`, `glibc:` or `libiconv:`.
pub fn has_vendor_prefix(label: &str) -> bool {
    split_prefix(label).is_some()
}

/// What a vendor variant means by a name of at most [`LONGEST`](name::LONGEST) bytes.
pub(super) fn resolve(vendor: Vendor, label: &str) -> Option<&'static Encoding> {
    match vendor {
        Vendor::Whatwg => resolve_whatwg(label),
        Vendor::Glibc => resolve_library(vendor, alias::GLIBC, label),
        Vendor::Libiconv => resolve_library(vendor, alias::LIBICONV, label),
    }
}

/// The encoding of a label in mail, which is written in many ways: what browsers mean by it, else
/// what it means to iconv. Prefixes and options mean nothing here. `UTF-16` obeys a byte order mark,
/// as RFC 2781 has it; the standard of browsers looks for marks before it looks at labels.
pub fn for_mime_label(label: &str) -> Option<&'static Encoding> {
    if label.len() > alias::MAX_LABEL_LEN {
        return None;
    }
    let plain = lookup::lookup_unprefixed(label).ok();
    let obeys = plain.filter(|plain| plain.bom_handling != BomHandling::Ignore);
    // Another name of the same encoding means the same.
    let named = |plain: &Encoding| {
        let larger = MIME_SUPERSETS.iter().find(|(name, _)| *name == plain.name);
        larger.map_or(plain.name, |(_, label)| label)
    };
    let in_mail = |found: &&Encoding| is_mime_charset(found);
    let of_the_web = |label| resolve_whatwg(label).filter(in_mail);
    obeys
        .or_else(|| of_the_web(label))
        .or_else(|| of_the_web(named(plain?)))
        .or(plain)
        .filter(in_mail)
}

/// Whether text in mail may be in this encoding.
pub fn is_mime_charset(encoding: &Encoding) -> bool {
    !NOT_MIME.contains(&encoding.name)
}

fn resolve_whatwg(label: &str) -> Option<&'static Encoding> {
    let (_, encoding, nearest) = WHATWG_LABELS.matching(label.trim_ascii()).next()?;
    let own = lookup::by_exact_name(&[Vendor::Whatwg.prefix(), encoding]);
    own.or_else(|| lookup::by_exact_name(&[nearest]))
}

/// What a library means by a name: what charpipe means, or else it is in the table.
fn resolve_library(vendor: Vendor, user: AliasSources, label: &str) -> Option<&'static Encoding> {
    if let Some(own) = lookup::by_exact_name(&[vendor.prefix(), label]) {
        return Some(own);
    }
    let differs = OVERRIDES.lines().find(|(prefixed, _, _)| {
        prefixed.strip_prefix(vendor.prefix()).is_some_and(|name| alias::labels_match(name, label))
    });
    if let Some((_, encoding, _)) = differs {
        return lookup::by_exact_name(&[encoding]);
    }
    resolve_without_override(vendor, user, label)
}

/// What a library means by a name that is not in the table: what charpipe means, in the library's variant.
fn resolve_without_override(
    vendor: Vendor,
    user: AliasSources,
    label: &str,
) -> Option<&'static Encoding> {
    let encoding = unique_match(
        ALIASES.matching(label).filter(|line| alias::parse_sources(line.2) & user != 0),
        label,
    )?;
    let mut patched = lookup::with_prefix(vendor.prefix());
    let own = patched.find(|other| {
        let name = &other.name[vendor.prefix().len()..];
        lookup::lookup_unprefixed(name).is_ok_and(|plain| std::ptr::eq(plain, encoding))
    });
    Some(own.unwrap_or(encoding))
}

/// The encoding of the line with exactly this name, else the one that all of the lines belong to.
fn unique_match(lines: impl Iterator<Item = LabelRow>, label: &str) -> Option<&'static Encoding> {
    let lines: Vec<LabelRow> = lines.collect();
    let (_, encoding, _) = match lines.iter().find(|line| line.0.eq_ignore_ascii_case(label)) {
        Some(exact) => exact,
        None => lines.first().filter(|first| lines.iter().all(|line| line.1 == first.1))?,
    };
    lookup::by_exact_name(&[encoding])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::for_label;

    #[test]
    fn tables_are_sorted_without_duplicates() {
        for table in [ALIASES, WHATWG_LABELS, OVERRIDES] {
            let keys: Vec<(Vec<u8>, &str)> =
                table.lines().map(|line| (alias::normalized(line.0).collect(), line.0)).collect();
            let unsorted = keys.windows(2).find(|two| two[0] >= two[1]);
            assert!(unsorted.is_none(), "{unsorted:?}");
            let mut names: Vec<_> = keys.iter().map(|key| key.1.to_ascii_lowercase()).collect();
            names.sort();
            let double = names.windows(2).find(|two| two[0] == two[1]);
            assert!(double.is_none(), "{double:?}");
        }
    }

    #[test]
    fn no_whatwg_label_is_ambiguous() {
        for (label, encoding, _) in WHATWG_LABELS.lines() {
            assert!(
                WHATWG_LABELS.matching(label).all(|(_, other, _)| other == encoding),
                "{label}"
            );
        }
    }

    #[test]
    fn every_override_changes_the_result() {
        for (prefixed, encoding, _) in OVERRIDES.lines() {
            let (vendor, name) = split_prefix(prefixed).unwrap();
            let user = match vendor {
                Vendor::Glibc => alias::GLIBC,
                _ => alias::LIBICONV,
            };
            let without = resolve_without_override(vendor, user, name).map(|found| found.name);
            assert_ne!(without, Some(encoding), "{prefixed}");
            let found = resolve(vendor, name).map(|found| found.name);
            let target = lookup::by_exact_name(&[encoding]).map(|target| target.name);
            assert_eq!(found, target, "{prefixed}");
        }
    }

    #[test]
    fn prefixes_match_whole_and_ignore_case() {
        assert_eq!(for_label("WHATWG:utf8").map(|found| found.name), Some("UTF-8"));
        assert_eq!(for_label("GLibC:utf8").map(|found| found.name), Some("UTF-8"));
        for label in
            ["whatwg:", "whatwg", "whatwg:whatwg:utf8", "xwhatwg:utf8", "what:utf8", ":utf8"]
        {
            assert!(split_prefix(label).is_none() || for_label(label).is_none(), "{label}");
        }
    }
}
