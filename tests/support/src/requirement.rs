//! What a machine must have for a test, and the tests that are skipped without it.

use std::fmt;

use crate::programs::is_installed;
use crate::report;

/// What a test needs that not every machine has.
#[derive(Clone, Copy, Debug)]
pub enum Requirement<'a> {
    /// A program in `PATH`, of the project that is meant.
    Program(&'a str),
    /// The rights of the superuser.
    Superuser,
    /// A user whom permissions bind.
    OrdinaryUser,
}

impl Requirement<'_> {
    fn is_met(&self) -> bool {
        match self {
            Requirement::Program(name) => is_installed(name),
            Requirement::Superuser => is_superuser(),
            Requirement::OrdinaryUser => !is_superuser(),
        }
    }
}

impl fmt::Display for Requirement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Requirement::Program(name) => f.write_str(name),
            Requirement::Superuser => f.write_str("the superuser"),
            Requirement::OrdinaryUser => f.write_str("an ordinary user"),
        }
    }
}

/// Returns whether a requirement of the running test is met, and reports if not: the test skips what needs it.
///
/// # Panics
///
/// As [`missing`] for a program. No run of the tests is by two users, so those do not count.
#[must_use]
pub fn require(requirement: Requirement) -> bool {
    let is_met = requirement.is_met();
    match requirement {
        _ if is_met => {}
        Requirement::Program(name) => missing(name),
        Requirement::Superuser | Requirement::OrdinaryUser => {
            report(&format!("skipped without {requirement}"));
        }
    }
    is_met
}

/// Reports that the running test skips what needs this, which it has not found on the machine.
///
/// # Panics
///
/// If one of the words in `CHARPIPE_TEST_REQUIRE` is `all` and none is `-` followed by the name of what is missing.
pub fn missing(what: &str) {
    report(&format!("skipped without {what}"));
    let required = std::env::var("CHARPIPE_TEST_REQUIRE").unwrap_or_default();
    assert!(!is_required(&required, what), "CHARPIPE_TEST_REQUIRE={required} and no {what}");
}

fn is_required(words: &str, what: &str) -> bool {
    let mut exceptions = words.split(' ').filter_map(|word| word.strip_prefix('-'));
    words.split(' ').any(|word| word == "all") && !exceptions.any(|name| name == what)
}

/// Returns whether the tests run as the superuser, whom permissions do not bind.
#[must_use]
pub fn is_superuser() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
    }
    #[cfg(not(unix))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_not_required() {
        for (words, expected) in
            [("", false), ("all", true), ("all -nu -jq", false), ("all -n", true)]
        {
            assert_eq!(is_required(words, "nu"), expected, "{words}");
        }
    }

    #[test]
    fn user_is_the_superuser_or_not() {
        assert_ne!(Requirement::Superuser.is_met(), Requirement::OrdinaryUser.is_met());
    }
}
