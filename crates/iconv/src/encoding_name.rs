//! Names of encodings as arguments of `iconv` and `iconv_open`.

use charpipe_encoding::encoding::{self, alias, exact_name};
use charpipe_transcode::options::EncodingSpec;
use charpipe_transcode::transform_spec;

/// The name of glibc's internal encoding, which it lists but does not convert.
const INTERNAL: &str = "INTERNAL";

/// The names of the encoding of file names in the iconv of macOS, and the transform that UTF-8 has there.
const UTF_8_MAC: ([&str; 2], &str) = (["UTF-8-MAC", "UTF8-MAC"], "utf8-mac");

/// A name without its suffixes.
#[derive(Debug, PartialEq, Eq)]
pub struct EncodingName {
    /// The name in capitals; empty for that of the locale.
    pub name: String,
    /// Whether there is a suffix `TRANSLIT`.
    pub transliterates: bool,
    /// Whether there is a suffix `IGNORE`.
    pub ignores: bool,
}

impl EncodingName {
    /// Parses a name as glibc does: a suffix begins at the last slash or comma if there are at least
    /// two slashes. Unknown suffixes are ignored.
    pub fn parse(argument: &[u8]) -> EncodingName {
        let mut parsed =
            EncodingName { name: String::new(), transliterates: false, ignores: false };
        let mut name = argument;
        let is_slash = |byte: &&u8| **byte == b'/';
        let mut slashes = name.iter().filter(is_slash).count();
        loop {
            let is_trailing = |byte: &u8| matches!(byte, b'/' | b',' | b' ' | b'\t'..=b'\r');
            let len = name.iter().rposition(|byte| !is_trailing(byte)).map_or(0, |last| last + 1);
            slashes -= name[len..].iter().filter(is_slash).count();
            name = &name[..len];
            if slashes < 2 {
                break;
            }
            let separator = name.iter().rposition(|byte| matches!(byte, b'/' | b','));
            let Some(at) = separator else { break };
            let suffix = &name[at + 1..];
            parsed.transliterates |= suffix.eq_ignore_ascii_case(b"TRANSLIT");
            parsed.ignores |= suffix.eq_ignore_ascii_case(b"IGNORE");
            slashes -= usize::from(name[at] == b'/');
            name = &name[..at];
        }
        // Other characters are dropped, as in ` utf 8`.
        let is_kept = |byte: &&u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'..=b'/' | b',' | b':')
        };
        let mut kept = Vec::with_capacity(name.len());
        kept.extend(name.iter().filter(is_kept).map(u8::to_ascii_uppercase));
        parsed.name = String::from_utf8(kept).unwrap_or_default();
        parsed
    }

    /// Returns whether the encoding is that of the locale.
    pub fn is_locale(&self) -> bool {
        self.name.bytes().all(|byte| byte == b'/')
    }

    /// Returns the encoding with this name or, if it is empty, with that of the locale. Names match in
    /// any case, but exactly.
    pub fn resolve(&self, locale_encoding: &str) -> Option<EncodingSpec> {
        resolve(if self.is_locale() { locale_encoding } else { &self.name })
    }
}

/// Returns the encoding with this name: UTF-8-MAC, that of glibc, or else of another program.
pub fn resolve(name: &str) -> Option<EncodingSpec> {
    let (names, transform) = UTF_8_MAC;
    if names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        let mut spec = EncodingSpec::from(charpipe_encoding::UTF_8);
        spec.transforms.push(transform_spec::for_name(transform)?.into());
        return Some(spec);
    }
    if name == INTERNAL {
        return None;
    }
    exact_name::for_exact_name(name).map(EncodingSpec::from)
}

/// Returns whether glibc knows two names as those of one encoding, or they are the same.
pub fn are_aliases(one: &str, other: &str) -> bool {
    let encoding = |name: &str| {
        let (_, encoding, sources) = exact_name::alias_line(name)?;
        (alias::parse_sources(sources) & alias::GLIBC != 0).then_some(encoding)
    };
    one.eq_ignore_ascii_case(other) || encoding(one).is_some_and(|one| Some(one) == encoding(other))
}

/// Returns all names in capitals.
pub fn all() -> Vec<String> {
    // A name with a character that is dropped from arguments may be out of reach.
    let is_supported = |name: &str| {
        let parsed = EncodingName::parse(name.as_bytes()).name;
        match parsed.eq_ignore_ascii_case(name) {
            true => parsed != INTERNAL && encoding::for_label(name).is_some(),
            false => resolve(&parsed).is_some() && !name.contains(' '),
        }
    };
    let names = alias::all().filter(|alias| is_supported(alias.name));
    let mut names: Vec<String> = names.map(|alias| alias.name.to_ascii_uppercase()).collect();
    names.extend(UTF_8_MAC.0.map(str::to_owned));
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> (String, bool, bool) {
        let EncodingName { name, transliterates, ignores } = EncodingName::parse(name.as_bytes());
        (name, transliterates, ignores)
    }

    #[test]
    fn names_are_listed_once_and_in_order() {
        let names = all();
        assert!(names.len() > 1000 && names.is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn suffixes_follow_two_slashes() {
        for (argument, name, transliterates, ignores) in [
            ("latin1", "LATIN1", false, false),
            ("latin1//translit", "LATIN1", true, false),
            ("latin1//TRANSLIT//IGNORE", "LATIN1", true, true),
            ("latin1//IGNORE,TRANSLIT", "LATIN1", true, true),
            ("latin1//TRANSLIT/IGNORE/", "LATIN1", true, true),
            ("latin1//FOO", "LATIN1", false, false),
            ("latin1// TRANSLIT", "LATIN1", false, false),
            ("latin1/TRANSLIT", "LATIN1/TRANSLIT", false, false),
            ("latin1/IGNORE/TRANSLIT", "LATIN1/IGNORE", true, false),
            ("latin1,TRANSLIT", "LATIN1,TRANSLIT", false, false),
            ("ISO-10646/UTF8//IGNORE", "ISO-10646/UTF8", false, true),
            (" utf 8 ", "UTF8", false, false),
            ("//TRANSLIT", "", true, false),
            ("/", "", false, false),
            ("", "", false, false),
        ] {
            assert_eq!(parse(argument), (name.into(), transliterates, ignores), "{argument:?}");
        }
    }

    /// Quadratic time would be hours.
    #[test]
    fn many_suffixes_are_parsed_in_linear_time() {
        for (suffix, transliterates, ignores) in
            [("TRANSLIT,", true, false), ("IGNORE//", false, true), (",x ", false, false)]
        {
            let name = format!("latin1//{}", suffix.repeat(300_000));
            assert_eq!(parse(&name), ("LATIN1".into(), transliterates, ignores));
        }
    }

    #[test]
    fn file_names_of_macos_are_utf_8_with_a_transform() {
        for name in ["UTF-8-MAC", "utf8-mac", "utf-8-mac//TRANSLIT"] {
            let found =
                EncodingName::parse(name.as_bytes()).resolve("UTF-8").map(|spec| spec.to_string());
            assert_eq!(found.as_deref(), Some("UTF-8/utf8-mac"), "{name}");
        }
    }

    #[test]
    fn names_match_exactly_in_any_case() {
        let resolve = |name: &str| EncodingName::parse(name.as_bytes()).resolve("UTF-8");
        for (name, encoding) in [
            ("utf8", "UTF-8"),
            ("Utf-8", "UTF-8"),
            ("", "UTF-8"),
            ("ISO_8859-1:1987", "ISO-8859-1"),
            ("iso-10646/utf8", "UTF-8"),
            // In glibc these are not the code pages of Windows.
            ("CP936", "GBK"),
            ("cp950", "BIG5"),
        ] {
            assert_eq!(
                resolve(name).map(|found| found.encoding.name()),
                Some(encoding),
                "{name:?}"
            );
        }
        for name in [
            "utf_8",
            "utf--8",
            "binary",
            "unknown-8bit",
            "char",
            "auto",
            "detect",
            "utf-8:bom",
            "whatwg:utf-8",
            "glibc:utf-8",
            "rfc2047",
            "utf8/x",
            // glibc lists it, but does not convert it.
            "INTERNAL",
        ] {
            assert!(resolve(name).is_none(), "{name:?}");
        }
    }
}
