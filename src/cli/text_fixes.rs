//! The transforms of text that `charpipe fix` applies.

use std::collections::BTreeSet;

use super::line_repairer::LineTransformer;

/// The transforms that clean up a text: those of [`CONFUSING`], and others that keep its meaning.
pub const TEXT_FIXES: [&str; 11] = {
    let [zero_width, bidi, hyphens, controls, nbsp] = CONFUSING;
    let [punctuation, c1] = ["ascii-punctuation", "windows-c1"];
    [zero_width, bidi, hyphens, controls, nbsp, punctuation, c1, "nfc", "nfd", "nfkc", "nfkd"]
};

/// The transforms that remove confusing characters or replace them by spaces.
const CONFUSING: [&str; 5] = [
    "remove-zero-width",
    "remove-bidi-controls",
    "remove-soft-hyphens",
    "remove-controls",
    "nbsp-to-space",
];

/// Collects the transforms that change the characters of findings.
pub struct TextFixFinder {
    /// Those that have not been needed so far.
    others: Vec<(&'static str, LineTransformer)>,
    found: BTreeSet<&'static str>,
}

impl TextFixFinder {
    pub fn new() -> TextFixFinder {
        let transformer = |name: &'static str| {
            let step = name.parse().expect("a step of `fix` is valid");
            (name, LineTransformer::new(&[step]))
        };
        TextFixFinder { others: CONFUSING.map(transformer).into(), found: BTreeSet::new() }
    }

    /// Adds a confusing character.
    pub fn add(&mut self, code_point: u32) {
        let Some(character) = char::from_u32(code_point) else { return };
        let text = character.encode_utf8(&mut [0; 4]).as_bytes().to_owned();
        let position = self.others.iter_mut().position(|(_, fix)| fix.transform(&text).is_some());
        if let Some(position) = position {
            self.found.insert(self.others.swap_remove(position).0);
        }
    }

    /// Returns the transforms in the form of `--via`, or `None` if there are none.
    pub fn steps(self) -> Option<String> {
        (!self.found.is_empty()).then(|| Vec::from_iter(self.found).join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::TextFixFinder;

    #[test]
    fn transforms_are_those_that_change_the_characters() {
        for (text, expected) in [
            ("", None),
            ("aé\u{430}\u{85}", None),
            ("\u{200B}\u{FEFF}", Some("remove-zero-width")),
            (
                "\u{A0}\u{202E}x\u{AD}",
                Some("nbsp-to-space,remove-bidi-controls,remove-soft-hyphens"),
            ),
            ("\u{1B}\u{81}", Some("remove-controls")),
        ] {
            let mut finder = TextFixFinder::new();
            text.chars().for_each(|character| finder.add(u32::from(character)));
            assert_eq!(finder.steps().as_deref(), expected, "{text:?}");
        }
    }
}
