//! Subcommands: a first word that asks for something else than a conversion.
//!
//! Only the very first word can be one, so that a file may bear such a name: `charpipe ./check`
//! and `charpipe -f latin1 check` convert it.

use std::ffi::OsString;

use anyhow::Result;

use super::closed_stdio::ClosedStdio;
use super::exit::ExitStatus;
use super::{check, detect, list};

/// What a first word asks for.
pub struct Subcommand {
    /// The word.
    pub name: &'static str,
    /// The description of its command line.
    pub command: fn() -> clap::Command,
    /// Does it: the words from the subcommand on.
    pub run: fn(&[OsString], ClosedStdio) -> Result<ExitStatus>,
}

/// Every subcommand.
pub static ALL: &[Subcommand] = &[
    Subcommand { name: "check", command: check::args::command, run: check::run::run },
    Subcommand { name: "detect", command: detect::args::command, run: detect::run::run },
    Subcommand { name: "list", command: list::subcommand::command, run: list::subcommand::run },
];

/// The subcommand that these words, the program's name first, begin with; and the words from it on.
pub fn find(words: &[OsString]) -> Option<(&'static Subcommand, &[OsString])> {
    let words = words.get(1..)?;
    let subcommand =
        ALL.iter().find(|subcommand| words.first().is_some_and(|word| word == subcommand.name))?;
    Some((subcommand, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &[&str]) -> Option<usize> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        find(&words).map(|(_, words)| words.len())
    }

    #[test]
    fn only_the_first_word_is_a_subcommand() {
        assert_eq!(found(&["charpipe", "check", "a"]), Some(2));
        for words in [&["charpipe", "a", "check"][..], &["charpipe", "./check"], &["charpipe"], &[]]
        {
            assert_eq!(found(words), None, "{words:?}");
        }
        assert_eq!(found(&["charpipe", "--", "check"]), None);
        assert_eq!(found(&["charpipe", "Check"]), None);
    }
}
