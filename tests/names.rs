//! Names of charsets and their options: each finds what it names, and nothing else.

use charpipe::charset::{ALL, Settings, find, name, nearest};

#[path = "contract/subject.rs"]
mod subject;

/// The name without all that is neither letter nor digit, and a blank where two digits would grow
/// together into another number.
fn bare(label: &str) -> String {
    let mut bare = String::new();
    let mut parted = false;
    for character in label.chars() {
        if character.is_ascii_alphanumeric() {
            let digits = character.is_ascii_digit() && bare.ends_with(|c: char| c.is_ascii_digit());
            if parted && digits {
                bare.push(' ');
            }
            bare.push(character);
        }
        parted = !character.is_ascii_alphanumeric();
    }
    bare
}

#[test]
fn every_name_finds_its_charset_in_any_case_and_without_punctuation() {
    for charset in ALL {
        for label in charset.names() {
            let spellings =
                [label.to_owned(), label.to_uppercase(), label.to_lowercase(), bare(label)];
            for spelling in spellings {
                let found = find(&spelling).map(|found| found.name);
                assert_eq!(found, Some(charset.name), "{spelling:?} for {label:?}");
            }
        }
    }
}

#[test]
fn no_two_charsets_share_a_name() {
    let names: Vec<_> = ALL
        .iter()
        .flat_map(|charset| charset.names().map(|label| (charset.name, label)))
        .map(|(charset, label)| (name::significant(label).collect::<Vec<u8>>(), charset, label))
        .collect();
    let mut sorted = names.clone();
    sorted.sort();
    let shared = |two: &&[(Vec<u8>, &str, &str)]| two[0].0 == two[1].0 && two[0].1 != two[1].1;
    let shared: Vec<_> = sorted.windows(2).filter(shared).collect();
    assert!(shared.is_empty(), "{shared:?}");
}

#[test]
fn every_name_says_who_uses_it_and_every_charset_what_it_is() {
    for charset in ALL {
        assert!(!charset.about.is_empty(), "{} has no description", charset.name);
        for (alias, sources) in charset.aliases {
            assert!(name::labels(*sources).next().is_some(), "{alias} comes from nowhere");
        }
    }
}

#[test]
fn a_misspelt_name_is_nearest_to_what_was_meant() {
    for charset in ALL {
        let misspelt = format!("{}q", charset.name);
        if find(&misspelt).is_none() {
            let near = nearest(&misspelt);
            assert!(near.len() <= 3, "{misspelt}: {near:?}");
            let meant =
                near.iter().any(|near| find(near).is_some_and(|it| it.name == charset.name));
            // Three names may be nearer by chance than that of the charset, but never none.
            assert!(meant || near.len() == 3, "{misspelt}: {near:?}");
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
        ("latin11", &["ISO-8859-1"]),
        ("latin-l", &["ISO-8859-1"]),
        ("uft16", &["UTF-16"]),
    ] {
        let found: Vec<_> = nearest(label).iter().map(|name| find(name).unwrap().name).collect();
        assert_eq!(found, near, "{label}");
    }
}

#[test]
fn another_number_is_another_charset() {
    for label in [
        "cp1299",
        "windows-1299",
        "ibm-943",
        "gb18030",
        "iso-ir-101",
        "big5",
        "scsu",
        "euc-jp",
        "shift_jis",
    ] {
        assert_eq!(nearest(label), Vec::<&str>::new(), "{label}");
    }
}

#[test]
fn a_name_like_no_other_is_found_nowhere_and_near_nothing() {
    for label in ["", "-", "no such charset at all", "\u{434}\u{430}", "0"] {
        assert!(find(label).is_none(), "{label:?}");
    }
    assert_eq!(nearest("no such charset at all"), Vec::<&str>::new());
}

#[test]
fn look_alikes_of_letters_are_other_names() {
    // Unicode case folding would take KELVIN SIGN for k and LONG S for s.
    for charset in ALL {
        for label in charset.names() {
            for (letter, like) in [('k', '\u{212A}'), ('s', '\u{17F}'), ('i', '\u{131}')] {
                let folded = label.to_lowercase();
                if folded.contains(letter) {
                    let label = folded.replacen(letter, &like.to_string(), 1);
                    assert!(find(&label).is_none(), "{label:?}");
                }
            }
        }
    }
}

#[test]
fn every_setting_is_printed_as_it_can_be_read() {
    for subject in subject::subjects() {
        let printed = subject.settings.to_string();
        let text = printed.strip_prefix(':').unwrap_or(&printed);
        let read = Settings::parse(text, subject.charset.options);
        assert_eq!(read.as_ref(), Ok(&subject.settings), "{subject}");
        let shouted = Settings::parse(&text.to_uppercase(), subject.charset.options);
        assert_eq!(shouted.as_ref(), Ok(&subject.settings), "{subject} in capitals");
    }
}

#[test]
fn an_option_that_a_charset_does_not_have_or_that_comes_twice_is_refused() {
    for charset in ALL {
        assert!(Settings::parse("no-such-option=1", charset.options).is_err(), "{}", charset.name);
    }
    for subject in subject::subjects().iter().filter(|subject| !subject.settings.is_empty()) {
        let text = subject.settings.to_string();
        let twice = format!("{},{}", &text[1..], &text[1..]);
        assert!(Settings::parse(&twice, subject.charset.options).is_err(), "{subject}");
    }
}
