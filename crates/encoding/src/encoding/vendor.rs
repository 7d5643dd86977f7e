//! Labels with a vendor prefix: `whatwg:latin1`, `glibc:cp936`, `libiconv:cp950`.
//!
//! Browsers, the GNU C library and GNU libiconv use some names for different encodings. The prefix
//! selects one of them. If the table of the vendor differs from that of charpipe's encoding, the
//! variant is registered under a name with the prefix; otherwise the prefix only affects the
//! lookup.

use super::alias::{self, ALIASES, Alias, AliasSources, LabelRow, LabelTable};
use super::{BomHandling, Encoding, lookup};

/// The vendor whose meaning of a label is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vendor {
    /// The WHATWG Encoding Standard.
    Whatwg,
    /// The GNU C library.
    Glibc,
    /// GNU libiconv.
    Libiconv,
}

/// The labels of the Encoding Standard, section 4.2, their encodings, and the encoding with the
/// most similar table, which is used if the standard's encoding is not registered. Some have none.
static WHATWG_LABELS: LabelTable = LabelTable(include_str!("vendor/whatwg.tsv"));

/// Names with another meaning in one of the libraries than in charpipe, and that meaning.
pub(super) static OVERRIDES: LabelTable = LabelTable(include_str!("vendor/overrides.tsv"));

/// Encodings that do not occur in mail: escape syntaxes, encodings of names, internal encodings of
/// a program, and encodings with a byte order mark; SCSU, whose state is larger than that of a nested
/// codec; and coded character sets without ASCII, whose names mean in mail the encodings that contain
/// them.
const NOT_MIME: [&str; 19] = [
    "C99",
    "FSS-UTF",
    "GB_2312-80",
    "ISO-IR-165",
    "JAVA",
    "JIS_X0208",
    "JIS_X0212",
    "KSC_5601",
    "MUTF-8",
    "SCSU",
    "UTF-16BE-BOM",
    "UTF-32BE-BOM",
    "UTF-5",
    "UTF-7-IMAP",
    "UTF-8-SIG",
    "UTF-EBCDIC",
    "WTF-8",
    "ibm-971_P100-1995",
    "whatwg:replacement",
];

/// Encodings that the Encoding Standard decodes with a superset, and a label of the superset. Mail
/// programs mostly write the superset under these names.
const MIME_SUPERSETS: [(&str, &str); 5] = [
    ("CP936", "gbk"),
    ("EUC-CN", "gbk"),
    ("GB_2312-80", "gbk"),
    ("UHC", "euc-kr"),
    ("CP932", "shift_jis"),
];

/// Variants of the Encoding Standard, and the encoding that glibc has instead: that with the fewest
/// characters that differ. glibc has an alias `ISO-10646-UCS-2`, but cannot convert it.
const ICONV_NAMES: [(&str, &str); 20] = [
    ("UCS-2", "UCS-2"),
    ("whatwg:Big5", "BIG5-HKSCS"),
    ("whatwg:EUC-JP", "EUC-JP"),
    ("whatwg:EUC-KR", "UHC"),
    ("whatwg:GBK", "GB18030"),
    ("whatwg:ISO-2022-JP", "ISO-2022-JP"),
    ("whatwg:KOI8-U", "KOI8-U"),
    ("whatwg:Shift_JIS", "WINDOWS-31J"),
    ("whatwg:gb18030", "GB18030"),
    ("whatwg:macintosh", "MACINTOSH"),
    ("whatwg:windows-1250", "WINDOWS-1250"),
    ("whatwg:windows-1251", "WINDOWS-1251"),
    ("whatwg:windows-1252", "WINDOWS-1252"),
    ("whatwg:windows-1253", "WINDOWS-1253"),
    ("whatwg:windows-1254", "WINDOWS-1254"),
    ("whatwg:windows-1255", "WINDOWS-1255"),
    ("whatwg:windows-1257", "WINDOWS-1257"),
    ("whatwg:windows-1258", "WINDOWS-1258"),
    ("whatwg:windows-874", "WINDOWS-874"),
    ("whatwg:x-mac-cyrillic", "MAC-UK"),
];

/// The prefix of the meaning in the GNU C library.
pub(super) const GLIBC_PREFIX: &str = "glibc:";

impl Vendor {
    const ALL: [Vendor; 3] = [Vendor::Whatwg, Vendor::Glibc, Vendor::Libiconv];

    const fn prefix(self) -> &'static str {
        match self {
            Vendor::Whatwg => "whatwg:",
            Vendor::Glibc => GLIBC_PREFIX,
            Vendor::Libiconv => "libiconv:",
        }
    }
}

/// Splits a label into its vendor and the name after the prefix.
pub(super) fn split_prefix(label: &str) -> Option<(Vendor, &str)> {
    Vendor::ALL.into_iter().find_map(|vendor| {
        let (prefix, name) = label.split_at_checked(vendor.prefix().len())?;
        prefix.eq_ignore_ascii_case(vendor.prefix()).then_some((vendor, name))
    })
}

/// Returns whether a label has the prefix `whatwg:`, `glibc:` or `libiconv:`.
pub fn has_vendor_prefix(label: &str) -> bool {
    split_prefix(label).is_some()
}

/// Returns the encoding that a vendor calls by this name of at most
/// [`MAX_LABEL_LEN`](alias::MAX_LABEL_LEN) bytes.
pub(super) fn resolve(vendor: Vendor, label: &str) -> Option<&'static Encoding> {
    match vendor {
        Vendor::Whatwg => resolve_whatwg(label),
        Vendor::Glibc => resolve_library(vendor, alias::GLIBC, label),
        Vendor::Libiconv => resolve_library(vendor, alias::LIBICONV, label),
    }
}

/// Returns the encoding of a MIME charset label: the one of browsers, or else the one of iconv.
/// Prefixes and options are not recognized. `UTF-16` obeys a byte order mark, as in RFC 2781; the
/// Encoding Standard looks for a byte order mark before it looks at labels.
pub fn for_mime_label(label: &str) -> Option<&'static Encoding> {
    if label.len() > alias::MAX_LABEL_LEN {
        return None;
    }
    let unprefixed = lookup::lookup_unprefixed(label).ok();
    let with_bom = unprefixed.filter(|unprefixed| unprefixed.bom_handling != BomHandling::Ignore);
    // Other names of the same encoding mean the same.
    let superset_label = |unprefixed: &Encoding| {
        let superset = MIME_SUPERSETS.iter().find(|(name, _)| *name == unprefixed.name());
        superset.map_or(unprefixed.name(), |(_, label)| label)
    };
    let is_mime = |found: &&Encoding| is_mime_charset(found);
    let in_whatwg = |label| resolve_whatwg(label).filter(is_mime);
    with_bom
        .or_else(|| in_whatwg(label))
        .or_else(|| in_whatwg(superset_label(unprefixed?)))
        .or(unprefixed)
        .filter(is_mime)
}

/// Returns whether text in mail may be in this encoding.
pub fn is_mime_charset(encoding: &Encoding) -> bool {
    !NOT_MIME.contains(&encoding.name())
}

/// Returns the name by which glibc knows this encoding, or one that decodes text the same: its MIME name,
/// its name here, or else another one.
pub(super) fn iconv_name(encoding: &Encoding) -> Option<String> {
    if let Some((_, name)) = ICONV_NAMES.iter().find(|(variant, _)| *variant == encoding.name()) {
        return Some((*name).to_owned());
    }
    let is_same =
        |alias: &Alias| resolve_library(Vendor::Glibc, alias::GLIBC, alias.name) == Some(encoding);
    let names: Vec<Alias> = encoding
        .all_aliases()
        .filter(|alias| alias.sources & alias::GLIBC != 0 && is_same(alias))
        .collect();
    let preferred = names
        .iter()
        .find(|alias| alias.sources & alias::MIME != 0)
        .or_else(|| names.iter().find(|alias| alias.name == encoding.name()));
    preferred.or(names.first()).map(|alias| alias.name.to_ascii_uppercase())
}

fn resolve_whatwg(label: &str) -> Option<&'static Encoding> {
    let (_, encoding, fallback) = WHATWG_LABELS.matching(label.trim_ascii()).next()?;
    let registered = lookup::by_exact_name(&[Vendor::Whatwg.prefix(), encoding]);
    registered.or_else(|| lookup::by_exact_name(&[fallback]))
}

/// Returns the encoding that a library calls by this name: the override if there is one, or else
/// the meaning in charpipe.
fn resolve_library(vendor: Vendor, source: AliasSources, label: &str) -> Option<&'static Encoding> {
    if let Some(registered) = lookup::by_exact_name(&[vendor.prefix(), label]) {
        return Some(registered);
    }
    let overriding = OVERRIDES.lines().find(|(prefixed, _, _)| {
        prefixed.strip_prefix(vendor.prefix()).is_some_and(|name| alias::labels_match(name, label))
    });
    if let Some((_, encoding, _)) = overriding {
        return lookup::by_exact_name(&[encoding]);
    }
    resolve_without_override(vendor, source, label)
}

/// Returns the encoding that a library calls by this name, disregarding the overrides: the meaning
/// in charpipe, in the library's variant if one is registered.
fn resolve_without_override(
    vendor: Vendor,
    source: AliasSources,
    label: &str,
) -> Option<&'static Encoding> {
    let encoding = unique_match(
        ALIASES.matching(label).filter(|line| alias::parse_sources(line.2) & source != 0),
        label,
    )?;
    let mut variants = lookup::with_prefix(vendor.prefix());
    let variant = variants.find(|other| {
        let name = &other.name()[vendor.prefix().len()..];
        lookup::lookup_unprefixed(name).is_ok_and(|unprefixed| std::ptr::eq(unprefixed, encoding))
    });
    Some(variant.unwrap_or(encoding))
}

/// Returns the encoding of the line with exactly this name, or else the encoding that all lines
/// have in common.
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
            let source = match vendor {
                Vendor::Glibc => alias::GLIBC,
                _ => alias::LIBICONV,
            };
            let without = resolve_without_override(vendor, source, name).map(|found| found.name());
            assert_ne!(without, Some(encoding), "{prefixed}");
            let found = resolve(vendor, name).map(|found| found.name());
            let target = lookup::by_exact_name(&[encoding]).map(|target| target.name());
            assert_eq!(found, target, "{prefixed}");
        }
    }

    #[test]
    fn prefixes_match_whole_and_ignore_case() {
        assert_eq!(for_label("WHATWG:utf8").map(|found| found.name()), Some("UTF-8"));
        assert_eq!(for_label("GLibC:utf8").map(|found| found.name()), Some("UTF-8"));
        for label in
            ["whatwg:", "whatwg", "whatwg:whatwg:utf8", "xwhatwg:utf8", "what:utf8", ":utf8"]
        {
            assert!(split_prefix(label).is_none() || for_label(label).is_none(), "{label}");
        }
    }
}
