//! iconv's habit of writing policies behind the name of a charset: `latin1//TRANSLIT//IGNORE`.

use anyhow::{Result, bail};
use charpipe::quote::Quoted;

/// What the endings of a name ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Suffixes {
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
pub fn split(label: &str) -> Result<(&str, Suffixes)> {
    let mut suffixes = Suffixes::default();
    let Some((name, endings)) = label.split_once("//") else { return Ok((label, suffixes)) };
    for word in endings.split(['/', ',']).filter(|word| !word.is_empty()) {
        if word.eq_ignore_ascii_case("translit") {
            suffixes.translit = true;
        } else if word.eq_ignore_ascii_case("ignore") {
            suffixes.ignore = true;
        } else {
            bail!("unknown ending \"//{}\"; there are //TRANSLIT and //IGNORE", Quoted::new(word));
        }
    }
    Ok((name, suffixes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_taken_off_in_any_case_and_order() {
        let (translit, ignore) = (true, true);
        for (label, name, expected) in [
            ("utf-8", "utf-8", Suffixes::default()),
            ("utf-8//", "utf-8", Suffixes::default()),
            ("latin1//TRANSLIT", "latin1", Suffixes { translit, ignore: false }),
            ("latin1//ignore", "latin1", Suffixes { translit: false, ignore }),
            ("latin1//Translit//IGNORE", "latin1", Suffixes { translit, ignore }),
            ("latin1//ignore,translit", "latin1", Suffixes { translit, ignore }),
            ("//TRANSLIT", "", Suffixes { translit, ignore: false }),
        ] {
            assert_eq!(split(label).unwrap(), (name, expected), "{label}");
        }
    }

    #[test]
    fn an_unknown_ending_is_refused() {
        assert!(split("latin1//TRANSLATE").is_err());
    }
}
