//! Names as others mean them: `whatwg:latin1`, `glibc:cp936`, `libiconv:cp950`.
//!
//! What browsers, the GNU C library and GNU libiconv call by one name is not always one charset. A
//! prefix says whose meaning is wanted. Where the tables of that flavour differ from those of the
//! plain charset, the charset is registered with the prefix as part of its name; else the flavour
//! is a matter of names alone.

use super::name::table::{Line, Table};
use super::name::{self, NAMES, Sources};
use super::{Charset, Mark, lookup};

/// Whose meaning of a name is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// The Encoding Standard of the WHATWG.
    Whatwg,
    /// The GNU C library.
    Glibc,
    /// GNU libiconv.
    Libiconv,
}

/// Labels of the Encoding Standard, section 4.2, the encodings that they name, and the charset with
/// the nearest table: it is used where no table of the standard is registered. Some have none.
static LABELS: Table = Table(include_str!("flavour/whatwg.tsv"));

/// Names that have another meaning in one of the libraries than in charpipe, and what that is.
static DIFFERING: Table = Table(include_str!("flavour/differing.tsv"));

/// Charsets that no mail is in: forms of text within other text, of names, of what one program has
/// in memory, of files with a byte order mark; and sets by themselves, whose names mean in mail what
/// they are part of.
const NEVER_IN_MAIL: [&str; 16] = [
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

/// Charsets of which an encoding of the Encoding Standard decodes all that they have and more, by a
/// label of that: what mail programs write under their names is mostly of the larger one.
const LARGER_IN_MAIL: [(&str, &str); 5] = [
    ("CP936", "gbk"),
    ("EUC-CN", "gbk"),
    ("GB_2312-80", "gbk"),
    ("UHC", "euc-kr"),
    ("CP932", "shift_jis"),
];

impl Flavour {
    const ALL: [Flavour; 3] = [Flavour::Whatwg, Flavour::Glibc, Flavour::Libiconv];

    const fn prefix(self) -> &'static str {
        match self {
            Flavour::Whatwg => "whatwg:",
            Flavour::Glibc => "glibc:",
            Flavour::Libiconv => "libiconv:",
        }
    }
}

/// The flavour that a label asks for, and the name after the prefix.
pub(super) fn split(label: &str) -> Option<(Flavour, &str)> {
    Flavour::ALL.into_iter().find_map(|flavour| {
        let (prefix, name) = label.split_at_checked(flavour.prefix().len())?;
        prefix.eq_ignore_ascii_case(flavour.prefix()).then_some((flavour, name))
    })
}

/// Whether a label asks for a name as others mean it, with `whatwg:`, `glibc:` or `libiconv:`.
pub fn is_prefixed(label: &str) -> bool {
    split(label).is_some()
}

/// What a flavour means by a name of at most [`LONGEST`](name::LONGEST) bytes.
pub(super) fn resolve(flavour: Flavour, label: &str) -> Option<&'static Charset> {
    match flavour {
        Flavour::Whatwg => whatwg(label),
        Flavour::Glibc => library(flavour, name::GLIBC, label),
        Flavour::Libiconv => library(flavour, name::LIBICONV, label),
    }
}

/// The charset of a label in mail, which is written in many ways: what browsers mean by it, else
/// what it means to iconv. Prefixes and options mean nothing here. `UTF-16` obeys a byte order mark,
/// as RFC 2781 has it; the standard of browsers looks for marks before it looks at labels.
pub fn mail(label: &str) -> Option<&'static Charset> {
    if label.len() > name::LONGEST {
        return None;
    }
    let plain = lookup::plain(label).ok();
    let obeys = plain.filter(|plain| plain.mark != Mark::Character);
    // Another name of the same charset means the same.
    let named = |plain: &Charset| {
        let larger = LARGER_IN_MAIL.iter().find(|(name, _)| *name == plain.name);
        larger.map_or(plain.name, |(_, label)| label)
    };
    let in_mail = |found: &&Charset| is_in_mail(found);
    let of_the_web = |label| whatwg(label).filter(in_mail);
    obeys
        .or_else(|| of_the_web(label))
        .or_else(|| of_the_web(named(plain?)))
        .or(plain)
        .filter(in_mail)
}

/// Whether text in mail may be in this charset.
pub fn is_in_mail(charset: &Charset) -> bool {
    !NEVER_IN_MAIL.contains(&charset.name)
}

fn whatwg(label: &str) -> Option<&'static Charset> {
    let (_, encoding, nearest) = LABELS.like(label.trim_ascii()).next()?;
    let own = lookup::called(&[Flavour::Whatwg.prefix(), encoding]);
    own.or_else(|| lookup::called(&[nearest]))
}

/// What a library means by a name: what charpipe means, or else it is in the table.
fn library(flavour: Flavour, user: Sources, label: &str) -> Option<&'static Charset> {
    if let Some(own) = lookup::called(&[flavour.prefix(), label]) {
        return Some(own);
    }
    let differs = DIFFERING.lines().find(|(prefixed, _, _)| {
        prefixed.strip_prefix(flavour.prefix()).is_some_and(|name| name::same(name, label))
    });
    if let Some((_, charset, _)) = differs {
        return lookup::called(&[charset]);
    }
    unlisted(flavour, user, label)
}

/// What a library means by a name that is not in the table: what charpipe means, in the library's variant.
fn unlisted(flavour: Flavour, user: Sources, label: &str) -> Option<&'static Charset> {
    let charset = meant(NAMES.like(label).filter(|line| name::sources(line.2) & user != 0), label)?;
    let mut patched = lookup::beginning(flavour.prefix());
    let own = patched.find(|other| {
        let name = &other.name[flavour.prefix().len()..];
        lookup::plain(name).is_ok_and(|plain| std::ptr::eq(plain, charset))
    });
    Some(own.unwrap_or(charset))
}

/// The charset of the line with exactly this name, else the one that all of the lines belong to.
fn meant(lines: impl Iterator<Item = Line>, label: &str) -> Option<&'static Charset> {
    let lines: Vec<Line> = lines.collect();
    let (_, charset, _) = match lines.iter().find(|line| line.0.eq_ignore_ascii_case(label)) {
        Some(exact) => exact,
        None => lines.first().filter(|first| lines.iter().all(|line| line.1 == first.1))?,
    };
    lookup::called(&[charset])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charset::find;

    #[test]
    fn tables_are_sorted_and_free_of_doubles() {
        for table in [NAMES, LABELS, DIFFERING] {
            let keys: Vec<(Vec<u8>, &str)> =
                table.lines().map(|line| (name::significant(line.0).collect(), line.0)).collect();
            let unsorted = keys.windows(2).find(|two| two[0] >= two[1]);
            assert!(unsorted.is_none(), "{unsorted:?}");
            let mut names: Vec<_> = keys.iter().map(|key| key.1.to_ascii_lowercase()).collect();
            names.sort();
            let double = names.windows(2).find(|two| two[0] == two[1]);
            assert!(double.is_none(), "{double:?}");
        }
    }

    #[test]
    fn no_label_of_the_standard_is_ambiguous() {
        for (label, encoding, _) in LABELS.lines() {
            assert!(LABELS.like(label).all(|(_, other, _)| other == encoding), "{label}");
        }
    }

    #[test]
    fn every_listed_name_would_mean_something_else_unlisted() {
        for (prefixed, charset, _) in DIFFERING.lines() {
            let (flavour, name) = split(prefixed).unwrap();
            let user = match flavour {
                Flavour::Glibc => name::GLIBC,
                _ => name::LIBICONV,
            };
            let without = unlisted(flavour, user, name).map(|found| found.name);
            assert_ne!(without, Some(charset), "{prefixed}");
            let found = resolve(flavour, name).map(|found| found.name);
            let target = lookup::called(&[charset]).map(|target| target.name);
            assert_eq!(found, target, "{prefixed}");
        }
    }

    #[test]
    fn prefixes_match_in_any_case_and_only_whole() {
        assert_eq!(find("WHATWG:utf8").map(|found| found.name), Some("UTF-8"));
        assert_eq!(find("GLibC:utf8").map(|found| found.name), Some("UTF-8"));
        for label in
            ["whatwg:", "whatwg", "whatwg:whatwg:utf8", "xwhatwg:utf8", "what:utf8", ":utf8"]
        {
            assert!(split(label).is_none() || find(label).is_none(), "{label}");
        }
    }
}
