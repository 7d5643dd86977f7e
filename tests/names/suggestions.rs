//! What is suggested for a name that is not known.

use charpipe::charset::{ALL, find, is_prefixed, nearest};

#[test]
fn a_misspelt_name_is_nearest_to_what_was_meant() {
    for charset in ALL.iter().filter(|charset| !is_prefixed(charset.name)) {
        let misspelt = format!("{}q", charset.name);
        if find(&misspelt).is_none() {
            let near = nearest(&misspelt);
            assert!(near.len() <= 3, "{misspelt}: {near:?}");
            let meant =
                near.iter().any(|near| find(near).is_some_and(|it| it.name == charset.name));
            // Three names may be nearer by chance than that of the charset, but never none, unless the
            // name has two letters: too many labels are one letter away from it.
            let short = charset.name.len() < 3;
            assert!(meant || near.len() == 3 || short, "{misspelt}: {near:?}");
        }
    }
    for (misspelt, meant) in [("utf8q", "UTF-8"), ("latn1", "ISO-8859-1"), ("asci", "US-ASCII")] {
        let first = nearest(misspelt).first().and_then(|near| find(near)).map(|near| near.name);
        assert_eq!(first, Some(meant), "{misspelt}");
    }
}

#[test]
fn a_digit_may_be_mistyped() {
    for (label, near) in [
        ("utf-9", &["UTF-8", "UTF-7", "UTF-5"][..]),
        ("utf8x", &["UTF-8"]),
        ("latin-l", &["ISO-8859-1"]),
        ("iso-8859-17", &["ISO-8859-1"]),
        ("uft16", &["UTF-16"]),
    ] {
        let found: Vec<_> = nearest(label).iter().map(|name| find(name).unwrap().name).collect();
        assert_eq!(found.first(), near.first(), "{label}: {found:?}");
        assert!(found.len() <= 3, "{label}: {found:?}");
    }
}

#[test]
fn another_number_is_another_charset() {
    for label in ["cp1249", "windows-1259", "cp88", "ibm-99999", "gb18031", "iso-ir-998", "big53"] {
        assert!(find(label).is_none(), "{label}");
        let longer = |near: &&str| {
            let digits = near.split(|c: char| !c.is_ascii_digit());
            digits.map(|number| number.trim_start_matches('0').len()).max() > Some(1)
        };
        assert_eq!(nearest(label).into_iter().find(longer), None, "{label}");
    }
}

#[test]
fn a_short_label_is_near_to_few_names() {
    for label in ["qp", "uu", "cp", "b", "c", "sjs", "text", "punycode", "base64", "html", "gzip"] {
        assert_eq!(nearest(label), Vec::<&str>::new(), "{label}");
    }
    for (label, name) in [("big", "BIG5"), ("asci", "ASCII"), ("uft8", "UTF-8"), ("iso885", "")] {
        assert_eq!(nearest(label).first().copied().unwrap_or_default(), name, "{label}");
    }
}

#[test]
fn a_name_like_no_other_is_found_nowhere_and_near_nothing() {
    for label in ["", "-", "no such charset at all", "\u{434}\u{430}", "0"] {
        assert!(find(label).is_none(), "{label:?}");
    }
    assert_eq!(nearest("no such charset at all"), Vec::<&str>::new());
}
