//! How a label finds a charset.

use super::name::{LONGEST, NAMES};
use super::{ALL, Charset, flavour};

/// Why a label finds no charset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// No charset is called so.
    Unknown,
    /// Charsets that differ are called so but for punctuation; the names that they have.
    Ambiguous(Vec<&'static str>),
}

/// The charset that is known by this name.
///
/// A name that is the same but for ASCII case wins; after it, the one that is the same as UTS #22,
/// section 1.4, compares names: letters and digits count, and zeros in front of a number do not. A
/// prefix asks for a name as others mean it: `whatwg:`, `glibc:` or `libiconv:`.
///
/// # Errors
///
/// [`NotFound`] if there is no such charset, or more than one.
pub fn resolve(label: &str) -> Result<&'static Charset, NotFound> {
    if label.len() > LONGEST {
        return Err(NotFound::Unknown);
    }
    match flavour::split(label) {
        Some((flavour, name)) => flavour::resolve(flavour, name).ok_or(NotFound::Unknown),
        None => plain(label),
    }
}

/// The charset that is known by this name, if there is exactly one; see [`resolve`].
pub fn find(label: &str) -> Option<&'static Charset> {
    resolve(label).ok()
}

/// The same, for a label without a prefix and of at most [`LONGEST`] bytes.
pub(super) fn plain(label: &str) -> Result<&'static Charset, NotFound> {
    // The GNU C library lists its names with slashes at their ends.
    let bare = label.trim_end_matches('/');
    let mut found: Option<&str> = None;
    let mut ambiguous = false;
    for (name, charset, _) in NAMES.like(label) {
        if name.eq_ignore_ascii_case(bare) {
            return called(&[charset]).ok_or(NotFound::Unknown);
        }
        ambiguous |= found.is_some_and(|other| other != charset);
        found = Some(charset);
    }
    if ambiguous {
        return Err(candidates(label));
    }
    found.and_then(|charset| called(&[charset])).ok_or(NotFound::Unknown)
}

/// The names that a label may mean, of charsets that there are.
fn candidates(label: &str) -> NotFound {
    let there = NAMES.like(label).filter(|(_, charset, _)| called(&[charset]).is_some());
    let names: Vec<_> = there.map(|(name, _, _)| name).collect();
    if names.is_empty() { NotFound::Unknown } else { NotFound::Ambiguous(names) }
}

/// The charset whose own name these parts make, in any case.
pub(super) fn called(parts: &[&str]) -> Option<&'static Charset> {
    let wanted =
        || parts.iter().flat_map(|part| part.bytes()).map(|byte| byte.to_ascii_lowercase());
    let place = BY_NAME.binary_search_by(|place| {
        let name = ALL[usize::from(*place)].name;
        name.bytes().map(|byte| byte.to_ascii_lowercase()).cmp(wanted())
    });
    place.ok().map(|found| ALL[usize::from(BY_NAME[found])])
}

/// The place of a charset in [`ALL`].
pub(crate) fn place(charset: &Charset) -> Option<u16> {
    let called = |place: &u16| ALL[usize::from(*place)].name;
    let wanted = || charset.name.bytes().map(|byte| byte.to_ascii_lowercase());
    let found = BY_NAME.binary_search_by(|place| {
        called(place).bytes().map(|byte| byte.to_ascii_lowercase()).cmp(wanted())
    });
    found.ok().map(|index| BY_NAME[index])
}

/// The charsets whose own names begin with this prefix, which is in lower case.
pub(super) fn beginning(prefix: &str) -> impl Iterator<Item = &'static Charset> {
    let head = |place: &u16| {
        let name = ALL[usize::from(*place)].name.bytes();
        name.map(|byte| byte.to_ascii_lowercase()).take(prefix.len())
    };
    let first = BY_NAME.partition_point(|place| head(place).lt(prefix.bytes()));
    let there = BY_NAME[first..].iter().take_while(move |place| head(place).eq(prefix.bytes()));
    there.map(|place| ALL[usize::from(*place)])
}

/// The places of charsets in [`ALL`], sorted by their names in lower case. The compiler makes it:
/// nothing is built at the start of the program.
static BY_NAME: [u16; ALL.len()] = sorted();

/// Sorts by inserting each place where it belongs, which is found by halving.
const fn sorted() -> [u16; ALL.len()] {
    let mut places = [0; ALL.len()];
    let mut count = 0;
    while count < ALL.len() {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = usize::midpoint(low, high);
            if is_before(ALL[places[middle] as usize].name, ALL[count].name) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut place = count;
        while place > low {
            places[place] = places[place - 1];
            place -= 1;
        }
        places[low] = count as u16;
        count += 1;
    }
    places
}

const fn is_before(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut index = 0;
    while index < one.len() && index < other.len() {
        let (left, right) = (one[index].to_ascii_lowercase(), other[index].to_ascii_lowercase());
        if left != right {
            return left < right;
        }
        index += 1;
    }
    one.len() < other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_charset_is_found_by_its_own_name_in_any_case() {
        for charset in ALL {
            for name in [charset.name.to_lowercase(), charset.name.to_uppercase()] {
                let found = called(&[&name]).map(|found| found.name);
                assert_eq!(found, Some(charset.name));
            }
            assert!(called(&["x", charset.name]).is_none());
        }
    }
}
