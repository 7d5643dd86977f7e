//! Suggestions for unknown labels.

use charpipe::internals::encoding::{ALL, for_label, has_vendor_prefix, suggest};

#[test]
fn misspelled_name_suggests_the_intended_one() {
    for encoding in ALL.iter().filter(|encoding| !has_vendor_prefix(encoding.name())) {
        let misspelt = format!("{}q", encoding.name());
        if for_label(&misspelt).is_none() {
            let near = suggest(&misspelt);
            assert!(near.len() <= 3, "{misspelt}: {near:?}");
            let meant = near
                .iter()
                .any(|near| for_label(near).is_some_and(|it| it.name() == encoding.name()));
            // Three names may be nearer by chance than that of the encoding, but never none, unless the
            // name has two letters: too many labels are one letter away from it.
            let short = encoding.name().len() < 3;
            assert!(meant || near.len() == 3 || short, "{misspelt}: {near:?}");
        }
    }
    for (misspelt, meant) in [("utf8q", "UTF-8"), ("latn1", "ISO-8859-1"), ("asci", "US-ASCII")] {
        let first =
            suggest(misspelt).first().and_then(|near| for_label(near)).map(|near| near.name());
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
        let found: Vec<_> =
            suggest(label).iter().map(|name| for_label(name).unwrap().name()).collect();
        assert_eq!(found.first(), near.first(), "{label}: {found:?}");
        assert!(found.len() <= 3, "{label}: {found:?}");
    }
}

#[test]
fn different_number_is_a_different_encoding() {
    for label in ["cp1249", "windows-1259", "cp88", "ibm-99999", "gb18031", "iso-ir-998", "big53"] {
        assert!(for_label(label).is_none(), "{label}");
        let longer = |near: &&str| {
            let digits = near.split(|c: char| !c.is_ascii_digit());
            digits.map(|number| number.trim_start_matches('0').len()).max() > Some(1)
        };
        assert_eq!(suggest(label).into_iter().find(longer), None, "{label}");
    }
}

#[test]
fn short_labels_have_few_suggestions() {
    for label in ["qp", "uu", "cp", "b", "c", "sjs", "text", "punycode", "base64", "html", "gzip"] {
        assert_eq!(suggest(label), Vec::<&str>::new(), "{label}");
    }
    for (label, name) in [("big", "BIG5"), ("asci", "ASCII"), ("uft8", "UTF-8"), ("iso885", "")] {
        assert_eq!(suggest(label).first().copied().unwrap_or_default(), name, "{label}");
    }
}

#[test]
fn unknown_name_without_similar_names_has_no_suggestions() {
    for label in ["", "-", "no such encoding at all", "\u{434}\u{430}", "0"] {
        assert!(for_label(label).is_none(), "{label:?}");
    }
    assert_eq!(suggest("no such encoding at all"), Vec::<&str>::new());
}
