//! Every name of the converters on this machine resolves, or is in the table of what is left out.

use std::collections::BTreeSet;
use std::process::Stdio;

use charpipe::internals::encoding::{LookupError, lookup_label};
use charpipe::internals::transform;

use crate::labels::other_implementations::UNRESOLVED;
use charpipe_test_support::{missing, watch};

/// The page that lists what is left out.
const PAGE: &str = include_str!("../../../docs/notes/encodings-left-out.md");

/// Names that the programs list, but that are not in the inventory of names, or belong to an encoding
/// that charpipe does not have; and why not.
const LEFT_OUT: &str = include_str!("../../data/names/left_out.tsv");

/// A converter: its name, and the command that lists the names of its encodings.
const CONVERTERS: &[(&str, &str, &[&str])] = &[
    ("iconv", "iconv", &["-l"]),
    ("ICU", "uconv", &["-l"]),
    (
        "Python",
        "python3",
        &[
            "-c",
            "import encodings.aliases, pkgutil\n\
             for item in encodings.aliases.aliases.items(): print(*item)\n\
             for module in pkgutil.iter_modules(encodings.__path__): print(module.name)",
        ],
    ),
    ("Perl", "perl", &["-MEncode", "-e", "print qq($_\\n) for Encode->encodings(':all')"]),
    ("recode", "recode", &["-l"]),
];

/// Names that are not of encodings: the modules of Python's package, and codecs between bytes.
const NOT_NAMES: &[(&str, &[&str])] = &[
    ("Python", &["aliases", "bz2", "bz2_codec", "rot13", "rot_13", "zip", "zlib", "zlib_codec"]),
    ("Perl", &["null", "ascii-ctrl"]),
    ("recode", &[":", ":libiconv:"]),
];

/// Returns the words that a command prints, or none if it is not installed.
fn names(command: &str, arguments: &[&str]) -> Option<BTreeSet<String>> {
    let mut command = watch::command(command);
    let output = command.args(arguments).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_word = |word: &&str| !word.is_empty();
    let words = text.split(|letter: char| letter.is_whitespace()).filter(is_word);
    Some(words.map(|word| word.trim_end_matches(['/', ',']).to_owned()).collect())
}

/// Returns whether charpipe has an encoding or a transform of this name, or says why it does not.
fn is_known(name: &str) -> bool {
    match lookup_label(name) {
        Ok(_) | Err(LookupError::Unsupported(_) | LookupError::Ambiguous(_)) => true,
        Err(_) => transform::for_name(name).is_some(),
    }
}

fn left_out() -> BTreeSet<String> {
    let lines = UNRESOLVED.lines().chain(LEFT_OUT.lines());
    lines.filter_map(|line| line.split('\t').next()).map(str::to_ascii_lowercase).collect()
}

#[test]
fn every_name_of_an_installed_converter_resolves_or_is_left_out() {
    let left_out = left_out();
    let mut unknown = Vec::new();
    for (converter, command, arguments) in CONVERTERS {
        let Some(names) = names(command, arguments) else {
            missing(command);
            continue;
        };
        assert!(names.len() > 50, "{command} lists {} names", names.len());
        let ignored = NOT_NAMES.iter().filter(|(of, _)| of == converter);
        let ignored: BTreeSet<&str> = ignored.flat_map(|(_, names)| *names).copied().collect();
        for name in names {
            // A surface of recode is a transform after a slash.
            let is_surface = *converter == "recode" && name.contains('/');
            let is_listed = left_out.contains(&name.to_ascii_lowercase());
            if !is_surface && !is_listed && !ignored.contains(&*name) && !is_known(&name) {
                unknown.push(format!("{name}\t{converter}"));
            }
        }
    }
    assert_eq!(unknown, Vec::<String>::new(), "\n{}", unknown.join("\n"));
}

#[test]
fn page_lists_every_name_that_is_left_out() {
    let listed: BTreeSet<String> =
        PAGE.split('`').skip(1).step_by(2).map(str::to_ascii_lowercase).collect();
    let missing: Vec<_> = left_out().difference(&listed).cloned().collect();
    assert_eq!(missing, Vec::<String>::new());
}
