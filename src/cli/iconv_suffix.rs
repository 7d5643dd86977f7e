//! iconv's habit of writing policies after the name of an encoding: `latin1//TRANSLIT//IGNORE`.

use anyhow::{Result, bail};
use charpipe::quote::Quoted;

/// What the endings of a name ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IconvSuffixes {
    /// `//TRANSLIT`: look-alikes for characters that the target lacks.
    pub translit: bool,
    /// `//IGNORE`: leave out what cannot be converted.
    pub ignore: bool,
}

/// Takes the endings off a name. Both C libraries' ways of writing two of them are understood:
/// `//TRANSLIT//IGNORE` and `//TRANSLIT,IGNORE`. An empty ending asks for nothing.
///
/// # Errors
///
/// An ending that is neither of the two.
pub fn split_suffixes(label: &str) -> Result<(&str, IconvSuffixes)> {
    let mut suffixes = IconvSuffixes::default();
    let Some((name, suffix_list)) = label.split_once("//") else { return Ok((label, suffixes)) };
    for suffix in suffix_list.split(['/', ',']).filter(|word| !word.is_empty()) {
        if suffix.eq_ignore_ascii_case("translit") {
            suffixes.translit = true;
        } else if suffix.eq_ignore_ascii_case("ignore") {
            suffixes.ignore = true;
        } else {
            bail!(
                "unknown ending \"//{}\"; there are //TRANSLIT and //IGNORE",
                Quoted::new(suffix)
            );
        }
    }
    Ok((name, suffixes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_split_in_any_case_and_order() {
        let (translit, ignore) = (true, true);
        for (label, name, expected) in [
            ("utf-8", "utf-8", IconvSuffixes::default()),
            ("utf-8//", "utf-8", IconvSuffixes::default()),
            ("latin1//TRANSLIT", "latin1", IconvSuffixes { translit, ignore: false }),
            ("latin1//ignore", "latin1", IconvSuffixes { translit: false, ignore }),
            ("latin1//Translit//IGNORE", "latin1", IconvSuffixes { translit, ignore }),
            ("latin1//ignore,translit", "latin1", IconvSuffixes { translit, ignore }),
            ("//TRANSLIT", "", IconvSuffixes { translit, ignore: false }),
        ] {
            assert_eq!(split_suffixes(label).unwrap(), (name, expected), "{label}");
        }
    }

    #[test]
    fn unknown_suffix_is_rejected() {
        assert!(split_suffixes("latin1//TRANSLATE").is_err());
    }
}
