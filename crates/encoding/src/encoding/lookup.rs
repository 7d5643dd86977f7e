//! Finds encodings by label.

use std::cmp::Reverse;

use super::alias::{self, ALIASES, LabelTable, MAX_LABEL_LEN};
use super::{ALL, Encoding, vendor};

/// Why a label does not identify an encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LookupError {
    /// The label is not known.
    Unknown,
    /// The label matches names of several encodings; these names.
    Ambiguous(Vec<&'static str>),
    /// Other programs use the label for something that charpipe does not support; the reason.
    Unsupported(&'static str),
}

/// Labels of other programs that are not supported, and the reason.
static UNSUPPORTED_LABELS: LabelTable = LabelTable(include_str!("alias/unsupported.tsv"));

const EOL_SUFFIX_MESSAGE: &str =
    "instead of -dos write /crlf after the encoding, instead of -mac write /cr";

/// Returns the encoding with this label.
///
/// A name that differs only in ASCII case has priority. Otherwise names are compared as in UTS #22,
/// section 1.4: letters and digits count, and zeros before a number do not. The prefixes `whatwg:`,
/// `glibc:` and `libiconv:` select the meaning of a label in browsers or in one of these libraries.
///
/// # Errors
///
/// [`LookupError`] if no encoding has this label, or more than one.
pub fn lookup_label(label: &str) -> Result<&'static Encoding, LookupError> {
    if label.len() > MAX_LABEL_LEN {
        return Err(LookupError::Unknown);
    }
    match vendor::split_prefix(label) {
        Some((vendor, name)) => vendor::resolve(vendor, name).ok_or(LookupError::Unknown),
        None => lookup_unprefixed(label).or_else(|reason| match reason {
            LookupError::Unknown => lookup_editor_label(label),
            other => Err(other),
        }),
    }
}

/// Returns the encoding of a label with an affix of an editor: the suffix `-unix` of Emacs, which
/// keeps line endings, or the prefixes `8bit-` and `2byte-` of Vim. The suffixes `-dos` and `-mac`
/// are rejected with a reason.
fn lookup_editor_label(label: &str) -> Result<&'static Encoding, LookupError> {
    if let Some(bare) =
        VIM_PREFIXES.into_iter().find_map(|prefix| strip_prefix_ignore_case(label, prefix))
    {
        return lookup_unprefixed(bare);
    }
    if let Some(bare) = strip_suffix_ignore_case(label, "-unix") {
        return lookup_unprefixed(bare);
    }
    let bare =
        strip_suffix_ignore_case(label, "-dos").or_else(|| strip_suffix_ignore_case(label, "-mac"));
    if bare.is_some_and(|bare| lookup_unprefixed(bare).is_ok()) {
        return Err(LookupError::Unsupported(EOL_SUFFIX_MESSAGE));
    }
    let unsupported = UNSUPPORTED_LABELS.matching(label).next();
    Err(unsupported.map_or(LookupError::Unknown, |(_, reason, _)| LookupError::Unsupported(reason)))
}

/// The prefixes that Vim writes before the name of an encoding that it converts with iconv.
const VIM_PREFIXES: [&str; 2] = ["8bit-", "2byte-"];

fn strip_prefix_ignore_case<'a>(label: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = label.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn strip_suffix_ignore_case<'a>(label: &'a str, suffix: &str) -> Option<&'a str> {
    let (rest, tail) = label.split_at_checked(label.len().checked_sub(suffix.len())?)?;
    tail.eq_ignore_ascii_case(suffix).then_some(rest)
}

/// Returns the encoding with this label, if there is exactly one; see [`lookup_label`].
pub fn for_label(label: &str) -> Option<&'static Encoding> {
    lookup_label(label).ok()
}

/// Returns the encoding with a label that has no prefix and at most [`MAX_LABEL_LEN`] bytes.
pub(super) fn lookup_unprefixed(label: &str) -> Result<&'static Encoding, LookupError> {
    // The GNU C library lists its names with trailing slashes.
    let bare = label.trim_end_matches('/');
    let mut found: Option<&str> = None;
    let mut ambiguous = false;
    for (name, encoding, _) in ALIASES.matching(label) {
        if name.eq_ignore_ascii_case(bare) {
            return by_exact_name(&[encoding]).ok_or(LookupError::Unknown);
        }
        ambiguous |= found.is_some_and(|other| other != encoding);
        found = Some(encoding);
    }
    if ambiguous {
        return Err(ambiguity(label));
    }
    found.and_then(|registered| by_exact_name(&[registered])).ok_or(LookupError::Unknown)
}

/// Returns the error of a label that matches these names of several encodings.
fn ambiguity(label: &str) -> LookupError {
    let supported =
        ALIASES.matching(label).filter(|(_, encoding, _)| by_exact_name(&[encoding]).is_some());
    let names: Vec<_> = supported.map(|(name, _, _)| name).collect();
    if names.is_empty() { LookupError::Unknown } else { LookupError::Ambiguous(names) }
}

/// Returns the encoding whose primary name is the concatenation of these parts, in any case.
pub(super) fn by_exact_name(parts: &[&str]) -> Option<&'static Encoding> {
    let name = parts.iter().flat_map(|part| lower_case(part));
    find_index(name).map(|index| ALL[usize::from(index)])
}

/// Returns the index of an encoding in [`ALL`].
pub fn index_of(encoding: &Encoding) -> Option<u16> {
    find_index(lower_case(encoding.name()))
}

/// Returns the index in [`ALL`] of the encoding with this primary name, which is in lower case.
fn find_index(name: impl Iterator<Item = u8> + Clone) -> Option<u16> {
    let found = SORTED_BY_NAME
        .binary_search_by(|index| lower_case(ALL[usize::from(*index)].name()).cmp(name.clone()));
    found.ok().map(|position| SORTED_BY_NAME[position])
}

/// Returns the encodings whose primary names begin with this prefix, which is in lower case.
pub(super) fn with_prefix(prefix: &str) -> impl Iterator<Item = &'static Encoding> {
    let start = |index: &u16| lower_case(ALL[usize::from(*index)].name()).take(prefix.len());
    let first = SORTED_BY_NAME.partition_point(|index| start(index).lt(prefix.bytes()));
    let matching =
        SORTED_BY_NAME[first..].iter().take_while(move |index| start(index).eq(prefix.bytes()));
    matching.map(|index| ALL[usize::from(*index)])
}

/// Returns the encoding with this primary name at compile time.
pub(super) const fn named(name: &str) -> &'static Encoding {
    match position_of(name.as_bytes()) {
        Some(index) => ALL[index as usize],
        None => panic!("a constant names an encoding that does not exist"),
    }
}

/// Returns the index in [`ALL`] of the encoding with this primary name at compile time.
pub(super) const fn position_of(name: &[u8]) -> Option<u16> {
    let name = NameKey::new(name);
    let (mut low, mut high) = (0, SORTED_BY_NAME.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if NAME_KEYS[SORTED_BY_NAME[middle] as usize].is_less_than(name) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low == SORTED_BY_NAME.len() {
        return None;
    }
    let index = SORTED_BY_NAME[low];
    if name.is_less_than(NAME_KEYS[index as usize]) { None } else { Some(index) }
}

fn lower_case(name: &str) -> impl Iterator<Item = u8> + Clone {
    name.bytes().map(|byte| byte.to_ascii_lowercase())
}

/// The indexes of the encodings in [`ALL`], sorted by their names in lower case at compile time.
static SORTED_BY_NAME: [u16; ALL.len()] = sort_by_name();

/// The names of the encodings in [`ALL`].
const NAME_KEYS: &[NameKey<'_>; ALL.len()] = &{
    let mut keys = [NameKey { prefix: 0, name: &[] }; ALL.len()];
    let mut index = 0;
    while index < ALL.len() {
        keys[index] = NameKey::new(ALL[index].name().as_bytes());
        index += 1;
    }
    keys
};

/// Sorts by merging ever longer runs.
const fn sort_by_name() -> [u16; ALL.len()] {
    let mut sorted = [0; ALL.len()];
    let mut index = 0;
    while index < sorted.len() {
        sorted[index] = index as u16;
        index += 1;
    }
    let mut run_len = 1;
    while run_len < sorted.len() {
        let (before, mut at) = (sorted, 0);
        let (mut left, mut right, mut left_end, mut right_end) = (0, 0, 0, 0);
        while at < sorted.len() {
            if left == left_end && right == right_end {
                left = at;
                left_end = min(left + run_len, sorted.len());
                right = left_end;
                right_end = min(right + run_len, sorted.len());
            }
            let is_left = right == right_end
                || left < left_end
                    && NAME_KEYS[before[left] as usize]
                        .is_less_than(NAME_KEYS[before[right] as usize]);
            let next = if is_left { &mut left } else { &mut right };
            sorted[at] = before[*next];
            *next += 1;
            at += 1;
        }
        run_len *= 2;
    }
    sorted
}

const fn min(one: usize, other: usize) -> usize {
    if one < other { one } else { other }
}

/// A name that is compared at compile time, in any case. To compare thousands of names byte by byte took the
/// compiler eight seconds.
#[derive(Clone, Copy)]
struct NameKey<'a> {
    /// The first 16 bytes in lower case, a number that compares as they do.
    prefix: u128,
    name: &'a [u8],
}

impl<'a> NameKey<'a> {
    const fn new(name: &'a [u8]) -> NameKey<'a> {
        let (mut prefix, mut index) = ([0; 16], 0);
        while index < name.len() && index < prefix.len() {
            prefix[index] = name[index].to_ascii_lowercase();
            index += 1;
        }
        NameKey { prefix: u128::from_be_bytes(prefix), name }
    }

    const fn is_less_than(self, other: NameKey<'_>) -> bool {
        if self.prefix != other.prefix {
            return self.prefix < other.prefix;
        }
        let mut index = 16;
        while index < self.name.len() && index < other.name.len() {
            let left = self.name[index].to_ascii_lowercase();
            let right = other.name[index].to_ascii_lowercase();
            if left != right {
                return left < right;
            }
            index += 1;
        }
        self.name.len() < other.name.len()
    }
}

/// The maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

/// Returns the names of encodings that are most similar to an unknown label, best first, at most
/// one for each encoding. Among equally similar names of an encoding it is the one with the most
/// sources.
pub fn suggest(label: &str) -> Vec<&'static str> {
    if label.len() > MAX_LABEL_LEN {
        return Vec::new();
    }
    let normalized = normalized_string(label);
    let furthest = 1.max(normalized.len() / 5);
    let mut similar: Vec<(usize, usize, Reverse<u32>, &str)> = Vec::new();
    for alias in alias::all() {
        let length = alias::normalized(alias.name).count();
        if length.abs_diff(normalized.len()) > furthest || !numbers_compatible(alias.name, label) {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&normalized_string(alias.name), &normalized);
        if distance > furthest || !is_similar(&normalized_string(alias.name), &normalized) {
            continue;
        }
        if let Some(position) = ALL.iter().position(|encoding| encoding.name() == alias.encoding) {
            similar.push((distance, position, Reverse(alias.sources.count_ones()), alias.name));
        }
    }
    similar.sort_unstable();
    let mut positions = Vec::new();
    similar.retain(|(_, position, _, _)| {
        let first = !positions.contains(position);
        positions.push(*position);
        first
    });
    similar.into_iter().take(MAX_SUGGESTIONS).map(|(_, _, _, name)| name).collect()
}

/// Returns whether a short name is similar enough. Many names of up to four letters differ in one
/// letter only: three letters must be a prefix of the name, and of four the first must match.
/// Labels of up to one letter have no suggestions.
fn is_similar(known: &str, label: &str) -> bool {
    known.len() > 2
        && match label.len() {
            0 | 1 => false,
            2 | 3 => known.starts_with(label),
            4 => known.as_bytes()[0] == label.as_bytes()[0],
            _ => true,
        }
}

fn normalized_string(text: &str) -> String {
    alias::normalized(text).map(char::from).collect()
}

/// Returns whether the numbers of a label permit suggesting this name. A single digit is easily
/// mistyped, but a longer number identifies another encoding: `cp1252` never means CP1208.
fn numbers_compatible(known: &str, label: &str) -> bool {
    digit_groups(label).next().is_none()
        || digit_groups(known).all(|number| {
            number.len() == 1
                || digit_groups(label).any(|number_of_label| number_of_label == number)
        })
}

/// Returns the numbers of a name, without leading zeros.
fn digit_groups(name: &str) -> impl Iterator<Item = &str> {
    let digits = name.split(|character: char| !character.is_ascii_digit());
    digits.map(|number| number.trim_start_matches('0')).filter(|number| !number.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_label_is_not_an_encoding_name() {
        for (label, reason, _) in UNSUPPORTED_LABELS.lines() {
            assert_eq!(lookup_label(label), Err(LookupError::Unsupported(reason)), "{label}");
        }
        let key =
            |line: (&str, _, _)| crate::encoding::alias::normalized(line.0).collect::<Vec<u8>>();
        assert!(UNSUPPORTED_LABELS.lines().map(key).is_sorted());
    }

    #[test]
    fn labels_of_editors_name_line_endings_too() {
        // Coding systems of Emacs, and values of 'fileencoding' in Vim.
        for label in ["iso-8859-2-unix", "ISO-8859-2-UNIX", "8bit-iso-8859-2", "2byte-iso-8859-2"] {
            assert_eq!(for_label(label), Some(crate::ISO_8859_2), "{label}");
        }
        for label in ["iso-8859-2-dos", "iso-8859-2-Mac"] {
            assert_eq!(lookup_label(label), Err(LookupError::Unsupported(EOL_SUFFIX_MESSAGE)));
        }
        for label in ["no-such-name-unix", "no-such-name-dos", "-unix", "unix"] {
            assert_eq!(lookup_label(label), Err(LookupError::Unknown), "{label}");
        }
    }

    #[test]
    fn every_encoding_is_found_by_name_in_any_case() {
        for encoding in ALL {
            for name in [encoding.name().to_lowercase(), encoding.name().to_uppercase()] {
                let found = by_exact_name(&[&name]).map(|found| found.name());
                assert_eq!(found, Some(encoding.name()));
            }
            assert!(by_exact_name(&["x", encoding.name()]).is_none());
        }
    }
}
