//! Names of charsets: how two of them are compared, and who uses which.
//!
//! Matching follows UTS #22, section 1.4: ASCII case, everything that is neither letter nor digit,
//! and zeros in front of a number do not count. Only ASCII letters fold, so a look-alike such as
//! KELVIN SIGN is a different name.
//!
//! All names stand in `name/names.tsv`, a line each: the name, the charset, and who uses it. The
//! lines are sorted by what counts of the name.

pub(super) mod table;

use table::Table;

/// Who calls a charset by a name: a set of the constants beside this type.
pub type Sources = u32;

/// The IANA registry of character sets.
pub const IANA: Sources = 1;
/// An RFC, draft or other specification that defines the charset.
pub const RFC: Sources = 1 << 1;
/// The GNU C library's iconv.
pub const GLIBC: Sources = 1 << 2;
/// GNU libiconv.
pub const LIBICONV: Sources = 1 << 3;
/// International Components for Unicode.
pub const ICU: Sources = 1 << 4;
/// CPython's codecs.
pub const PYTHON: Sources = 1 << 5;
/// Perl's Encode.
pub const PERL: Sources = 1 << 6;
/// GNU recode.
pub const RECODE: Sources = 1 << 7;
/// Windows code pages.
pub const WINDOWS: Sources = 1 << 8;
/// The WHATWG Encoding Standard.
pub const WHATWG: Sources = 1 << 9;
/// The Java platform.
pub const JAVA: Sources = 1 << 10;
/// PHP's mbstring.
pub const PHP: Sources = 1 << 11;
/// A name that only charpipe gives.
pub const CHARPIPE: Sources = 1 << 12;
/// The name that IANA prefers in MIME; where it prefers none, the name of the registration.
pub const MIME: Sources = 1 << 13;
/// MySQL.
pub const MYSQL: Sources = 1 << 14;
/// PostgreSQL.
pub const POSTGRESQL: Sources = 1 << 15;
/// Oracle Database.
pub const ORACLE: Sources = 1 << 16;
/// git's `working-tree-encoding`.
pub const GIT: Sources = 1 << 17;
/// Emacs, where these are coding systems.
pub const EMACS: Sources = 1 << 18;

const LABELS: [&str; 19] = [
    "IANA",
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
    "PHP",
    "charpipe",
    "MIME",
    "MySQL",
    "PostgreSQL",
    "Oracle",
    "git",
    "Emacs",
];

/// No name is longer, whatever punctuation it is written with, in bytes. What is longer is not
/// even compared: a label comes from outside and may be of any length.
pub const LONGEST: usize = 100;

/// Every name of every charset.
pub(super) static NAMES: Table = Table(include_str!("name/names.tsv"));

/// A name of a charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub name: &'static str,
    /// The charset, by its own name.
    pub charset: &'static str,
    /// Who calls it so.
    pub sources: Sources,
}

/// All names there are, sorted by what counts of them. Some belong to charsets that charpipe does
/// not have, so that no other charset is taken for them.
pub fn all() -> impl Iterator<Item = Name> {
    NAMES.lines().map(|(name, charset, words)| Name { name, charset, sources: sources(words) })
}

/// The name for MIME among those of a charset: the one that IANA prefers, else the registered one.
pub fn mime(names: &[Name]) -> Option<&'static str> {
    names.iter().find(|known| known.sources & MIME != 0).map(|known| known.name)
}

/// The number of the code page of Windows, if one of the names of a charset has it.
pub fn windows_code_page(names: &[Name]) -> Option<u32> {
    names.iter().filter(|known| known.sources & WINDOWS != 0).find_map(|known| {
        let name = known.name.to_ascii_lowercase();
        let number = ["windows-", "cp"].iter().find_map(|head| name.strip_prefix(head))?;
        number.parse().ok()
    })
}

/// The set that these words spell out.
pub(super) fn sources(words: &str) -> Sources {
    let bit = |word| LABELS.iter().position(|label| *label == word).map_or(0, |bit| 1 << bit);
    words.split(' ').map(bit).fold(0, |set, bit| set | bit)
}

/// The sources of a set, spelled out.
pub fn labels(sources: Sources) -> impl Iterator<Item = &'static str> {
    LABELS.iter().enumerate().filter(move |(bit, _)| sources & (1 << bit) != 0).map(|(_, l)| *l)
}

/// The characters of a name that count, folded.
pub fn significant(name: &str) -> impl Iterator<Item = u8> + '_ {
    folded(name.as_bytes())
}

fn folded(mut rest: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut after_digit = false;
    std::iter::from_fn(move || {
        loop {
            let (byte, behind) = rest.split_first()?;
            rest = behind;
            match byte {
                // A zero in front of another digit of the same number.
                b'0' if !after_digit && behind.first().is_some_and(u8::is_ascii_digit) => {}
                b'0'..=b'9' => {
                    after_digit = true;
                    return Some(*byte);
                }
                // A byte of a non-ASCII character counts, so that it cannot pass for nothing.
                b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                    after_digit = false;
                    return Some(byte.to_ascii_lowercase());
                }
                _ => after_digit = false,
            }
        }
    })
}

/// Whether two names are the same but for what does not count.
pub fn same(one: &str, other: &str) -> bool {
    significant(one).eq(significant(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_punctuation_and_leading_zeros_do_not_count() {
        for (one, other) in [
            ("UTF-8", "utf8"),
            ("ISO_8859-1:1987", "iso 8859 1 1987"),
            ("cp037", "CP37"),
            ("ibm-0037", "ibm037"),
            ("x0", "X-0"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn digits_and_look_alikes_count() {
        for (one, other) in [
            ("utf-8", "utf-80"),
            ("cp1250", "cp125"),
            ("cp100", "cp1"),
            ("koi8-r", "\u{212A}oi8-r"),
            ("utf-8", "utf-8\u{301}"),
            ("", "é"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }
}
