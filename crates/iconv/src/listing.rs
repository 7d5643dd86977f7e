//! The lists of encodings that `iconv -l` prints.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::arguments::Flavor;
use super::{encoding_name, libiconv};

/// The heading of the list on a terminal.
const HEADING: &str = "\
The following list contains all the coded character sets known.  This does
not necessarily mean that all combinations of these names can be used for
the FROM and TO command line parameters.  One coded character set can be
listed with several different names (aliases).

";

/// The width of the list on a terminal.
const WIDTH: usize = 78;

/// Returns the list of all names. That of glibc depends on whether it is for a terminal.
pub fn listing(flavor: Flavor, for_terminal: bool) -> String {
    match flavor {
        Flavor::Glibc => glibc_listing(for_terminal),
        Flavor::Libiconv => libiconv_listing(),
    }
}

/// Returns the names of each encoding on one line.
fn libiconv_listing() -> String {
    let mut lines: Vec<String> = Vec::new();
    for mut names in libiconv::groups() {
        names.sort_by_key(|name| (name.starts_with("CS"), name.clone()));
        lines.push(names.join(" ") + "\n");
    }
    lines.concat()
}

/// Returns the list for a terminal with commas, otherwise one name per line with the slashes that
/// scripts strip.
fn glibc_listing(for_terminal: bool) -> String {
    let mut names = encoding_name::all();
    // As in glibc, the slashes are part of what is compared.
    let slashes = |name: &str| if name.contains('/') { "/" } else { "//" };
    names.iter_mut().for_each(|name| name.push_str(slashes(name)));
    names.sort_by(|one, other| compare(one, other));
    match for_terminal {
        true => comma_list(&names),
        false => names.iter().fold(String::new(), |mut text, name| {
            let _ = writeln!(text, "{name}");
            text
        }),
    }
}

fn comma_list(names: &[String]) -> String {
    let mut text = format!("{HEADING}  ");
    let mut column = 2;
    for (index, name) in names.iter().enumerate() {
        let name = name.trim_end_matches('/');
        if index > 0 {
            text.push(',');
            if column + 2 + name.len() > WIDTH {
                text.push_str("\n  ");
                column = 2;
            } else {
                text.push(' ');
                column += 2;
            }
        }
        text.push_str(name);
        column += name.len();
    }
    text.push('\n');
    text
}

/// Compares names as `strverscmp` does: runs of digits by value, except that a run with leading zeros
/// is a fraction, of which that with more zeros is less.
fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let at = one.iter().zip(other).take_while(|(left, right)| left == right).count();
    let digits = |text: &[u8], from: usize| {
        text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let start =
        one[..at].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let by_byte = one.get(at).cmp(&other.get(at));
    let is_zeros = at > start && one[start..at].iter().all(|byte| *byte == b'0');
    if is_zeros && (digits(one, at) == 0) != (digits(other, at) == 0) {
        return digits(other, at).min(1).cmp(&digits(one, at).min(1));
    }
    // The common digits before the difference are part of the run.
    let (left, right) = (at - start + digits(one, at), at - start + digits(other, at));
    if left == 0 || right == 0 {
        return by_byte;
    }
    let is_fraction =
        |text: &[u8], len: usize| len > 0 && text[start] == b'0' && (at > start || len > 1);
    if is_fraction(one, left) || is_fraction(other, right) {
        return by_byte;
    }
    left.cmp(&right).then(by_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ordered_by_version() {
        let sorted = [
            "437", "866", "866NAV", "1026", "8859_1", "CP037", "CP038", "CP273", "CP1004",
            "NC0010", "NC00-10",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|one, other| compare(one, other));
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_comma_follows_every_name_but_the_last() {
        let names = ["437//", "500//", "ISO_646/"].map(str::to_owned);
        assert_eq!(comma_list(&names), format!("{HEADING}  437, 500, ISO_646\n"));
    }
}
