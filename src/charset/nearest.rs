//! What was meant by a name that is not known.

use std::cmp::Reverse;

use super::ALL;
use super::name::{self, LONGEST};

/// How many names are suggested.
const MOST: usize = 3;

/// Names of charsets that look most like this one, best first; one a charset. Of names of a charset
/// that are equally near it is the one that more programs know.
pub fn nearest(label: &str) -> Vec<&'static str> {
    if label.len() > LONGEST {
        return Vec::new();
    }
    let wanted = folded(label);
    let furthest = 1.max(wanted.len() / 5);
    let mut near: Vec<(usize, usize, Reverse<u32>, &str)> = Vec::new();
    for known in name::all() {
        let length = name::significant(known.name).count();
        if length.abs_diff(wanted.len()) > furthest || !may_be_meant(known.name, label) {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&folded(known.name), &wanted);
        if distance > furthest || !is_alike(&folded(known.name), &wanted) {
            continue;
        }
        if let Some(place) = ALL.iter().position(|charset| charset.name == known.charset) {
            near.push((distance, place, Reverse(known.sources.count_ones()), known.name));
        }
    }
    near.sort_unstable();
    let mut places = Vec::new();
    near.retain(|(_, place, _, _)| {
        let first = !places.contains(place);
        places.push(*place);
        first
    });
    near.into_iter().take(MOST).map(|(_, _, _, name)| name).collect()
}

/// Whether names so short that many differ in one letter only are alike: three letters have to be
/// the beginning of the name, and of four the first has to be right. Names of two letters are never
/// meant by a longer one.
fn is_alike(known: &str, wanted: &str) -> bool {
    known.len() > 2
        && match wanted.len() {
            0 | 1 => false,
            2 | 3 => known.starts_with(wanted),
            4 => known.as_bytes()[0] == wanted.as_bytes()[0],
            _ => true,
        }
}

fn folded(text: &str) -> String {
    name::significant(text).map(char::from).collect()
}

/// Whether the numbers of a label let this name be what was meant. One digit is soon mistyped, but
/// a longer number is that of another charset: `cp1252` never means CP1208.
fn may_be_meant(known: &str, label: &str) -> bool {
    numbers(label).next().is_none()
        || numbers(known)
            .all(|number| number.len() == 1 || numbers(label).any(|given| given == number))
}

/// The numbers of a name, without zeros in front.
fn numbers(name: &str) -> impl Iterator<Item = &str> {
    let digits = name.split(|character: char| !character.is_ascii_digit());
    digits.map(|number| number.trim_start_matches('0')).filter(|number| !number.is_empty())
}
