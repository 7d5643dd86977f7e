//! How a label finds a charset.

use super::name::table::Table;
use super::name::{LONGEST, NAMES};
use super::{ALL, Charset, flavour};

/// Why a label finds no charset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// No charset is called so.
    Unknown,
    /// Charsets that differ are called so but for punctuation; the names that they have.
    Ambiguous(Vec<&'static str>),
    /// Other programs have the label for something that is not supported; the reason.
    Refused(&'static str),
}

/// Labels of other programs that are not supported on purpose, and the reason.
static REFUSED: Table = Table(include_str!("name/refused.tsv"));

const LINE_ENDS: &str =
    "line ends are not converted; leave out -dos or -mac to keep the line ends as they are";

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
        None => plain(label).or_else(|why| match why {
            NotFound::Unknown => decorated(label),
            other => Err(other),
        }),
    }
}

/// A label with what some editors add to it: `-unix` of Emacs, which keeps line ends as they are,
/// and `8bit-` and `2byte-` of Vim. Others are refused with a reason.
fn decorated(label: &str) -> Result<&'static Charset, NotFound> {
    if let Some(bare) = VIM.into_iter().find_map(|prefix| without_prefix(label, prefix)) {
        return plain(bare);
    }
    if let Some(bare) = without_suffix(label, "-unix") {
        return plain(bare);
    }
    let bare = without_suffix(label, "-dos").or_else(|| without_suffix(label, "-mac"));
    if bare.is_some_and(|bare| plain(bare).is_ok()) {
        return Err(NotFound::Refused(LINE_ENDS));
    }
    let refused = REFUSED.like(label).next();
    Err(refused.map_or(NotFound::Unknown, |(_, reason, _)| NotFound::Refused(reason)))
}

/// What Vim writes before the name of an encoding that it converts by iconv.
const VIM: [&str; 2] = ["8bit-", "2byte-"];

fn without_prefix<'a>(label: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = label.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn without_suffix<'a>(label: &'a str, suffix: &str) -> Option<&'a str> {
    let (rest, tail) = label.split_at_checked(label.len().checked_sub(suffix.len())?)?;
    tail.eq_ignore_ascii_case(suffix).then_some(rest)
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
    fn a_refused_label_is_not_the_name_of_an_encoding() {
        for (label, reason, _) in REFUSED.lines() {
            assert_eq!(resolve(label), Err(NotFound::Refused(reason)), "{label}");
        }
        let key =
            |line: (&str, _, _)| crate::charset::name::significant(line.0).collect::<Vec<u8>>();
        assert!(REFUSED.lines().map(key).is_sorted());
    }

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
