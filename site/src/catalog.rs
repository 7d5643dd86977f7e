//! The names that the page offers.

use charpipe::Encoding;
use charpipe::internals::transcode::transform_spec;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns a line for each encoding: the name, a tab and the description.
#[wasm_bindgen]
pub fn encodings() -> String {
    lines(Encoding::all().map(|encoding| (encoding.name(), encoding.description())))
}

/// Returns a line for each transform of text: the name, a tab and the description.
#[wasm_bindgen]
pub fn transforms() -> String {
    let of_text = transform_spec::all().filter(|transform| !transform.is_for_bytes());
    lines(of_text.map(|transform| (transform.name, transform.description)))
}

fn lines(rows: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    rows.map(|(name, description)| format!("{name}\t{description}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_name_and_a_description() {
        for text in [encodings(), transforms()] {
            assert!(text.lines().count() > 40);
            for line in text.lines() {
                let (name, description) = line.split_once('\t').expect("a tab");
                assert!(!name.is_empty() && !description.is_empty(), "{line}");
            }
        }
    }
}
