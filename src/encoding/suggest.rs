//! What was meant by a name that is not known.

use std::cmp::Reverse;

use super::ALL;
use super::alias::{self, MAX_LABEL_LEN};

/// How many names are suggested.
const MAX_SUGGESTIONS: usize = 3;

/// Names of encodings that look most like this one, best first; one an encoding. Of names of an encoding
/// that are equally near it is the one that more programs know.
pub fn suggest(label: &str) -> Vec<&'static str> {
    if label.len() > MAX_LABEL_LEN {
        return Vec::new();
    }
    let wanted = normalized_string(label);
    let furthest = 1.max(wanted.len() / 5);
    let mut near: Vec<(usize, usize, Reverse<u32>, &str)> = Vec::new();
    for known in alias::all() {
        let length = alias::normalized(known.name).count();
        if length.abs_diff(wanted.len()) > furthest || !numbers_compatible(known.name, label) {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&normalized_string(known.name), &wanted);
        if distance > furthest || !is_similar(&normalized_string(known.name), &wanted) {
            continue;
        }
        if let Some(position) = ALL.iter().position(|encoding| encoding.name == known.encoding) {
            near.push((distance, position, Reverse(known.sources.count_ones()), known.name));
        }
    }
    near.sort_unstable();
    let mut positions = Vec::new();
    near.retain(|(_, position, _, _)| {
        let first = !positions.contains(position);
        positions.push(*position);
        first
    });
    near.into_iter().take(MAX_SUGGESTIONS).map(|(_, _, _, name)| name).collect()
}

/// Whether names so short that many differ in one letter only are alike: three letters have to be
/// the beginning of the name, and of four the first has to be right. Names of two letters are never
/// meant by a longer one.
fn is_similar(known: &str, wanted: &str) -> bool {
    known.len() > 2
        && match wanted.len() {
            0 | 1 => false,
            2 | 3 => known.starts_with(wanted),
            4 => known.as_bytes()[0] == wanted.as_bytes()[0],
            _ => true,
        }
}

fn normalized_string(text: &str) -> String {
    alias::normalized(text).map(char::from).collect()
}

/// Whether the numbers of a label let this name be what was meant. One digit is soon mistyped, but
/// a longer number is that of another encoding: `cp1252` never means CP1208.
fn numbers_compatible(known: &str, label: &str) -> bool {
    digit_groups(label).next().is_none()
        || digit_groups(known)
            .all(|number| number.len() == 1 || digit_groups(label).any(|given| given == number))
}

/// The numbers of a name, without zeros in front.
fn digit_groups(name: &str) -> impl Iterator<Item = &str> {
    let digits = name.split(|character: char| !character.is_ascii_digit());
    digits.map(|number| number.trim_start_matches('0')).filter(|number| !number.is_empty())
}
