//! The names of the subcommands, known without the definition of the command line.

/// The names, in the order of the help.
pub const SUBCOMMANDS: [&str; 10] =
    ["check", "detect", "fix", "list", "show", "split", "repair", "iconv", "help", "install-links"];

/// Returns the name of the subcommand that a mistyped operand resembles.
pub fn similar_subcommand(operand: &str) -> Option<&'static str> {
    let is_similar = |name: &&str| strsim::damerau_levenshtein(name, operand) <= name.len() / 3;
    SUBCOMMANDS.into_iter().find(is_similar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_subcommand_is_recognized() {
        for (operand, expected) in [
            ("chekc", Some("check")),
            ("chek", Some("check")),
            ("detct", Some("detect")),
            ("lst", Some("list")),
            ("Check", Some("check")),
            ("text", None),
            ("a", None),
            ("checklist", None),
        ] {
            assert_eq!(similar_subcommand(operand), expected, "{operand}");
        }
    }
}
