//! Random attributes, with git as the judge.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use charpipe_test_support::{XorShift, missing, random, sample_count};

use crate::cli::paths::git_testing::{create_repository, git, random_path, random_pattern};

use super::{AttributeResolver, AttributeValue, AttributesFile};

/// The attributes whose values git prints.
const NAMES: [&str; 5] = ["text", "crlf", "eol", "working-tree-encoding", "binary"];

/// Attributes and macros, which the root defines.
const ATTRIBUTES: [&str; 30] = [
    "text",
    "text",
    "-text",
    "!text",
    "text=auto",
    "text=",
    "crlf",
    "-crlf",
    "!crlf",
    "crlf=input",
    "eol=lf",
    "eol=crlf",
    "eol=lf",
    "!eol",
    "working-tree-encoding=UTF-16",
    "working-tree-encoding=UTF-8",
    "!working-tree-encoding",
    "binary",
    "-binary",
    "!binary",
    "m1",
    "m2",
    "m3",
    "-m1",
    "!m2",
    "m1=x",
    "m3=",
    "-m3=x",
    "other",
    "filter=lfs",
];

/// Words that make git ignore the line.
const INVALID_ATTRIBUTES: [&str; 7] = ["a$", "-", "!", "=x", "--text", "é", "builtin_x"];

/// The number of directories with attributes in a repository, and of the paths in each.
const DIRECTORIES: usize = 100;
const PATHS_PER_DIRECTORY: usize = 16;

fn random_attributes(random: &mut XorShift) -> Vec<u8> {
    let words = (0..random.below(5)).map(|_| match random.below(60) {
        0 => random.one(&INVALID_ATTRIBUTES),
        _ => random.one(&ATTRIBUTES),
    });
    let words: Vec<_> = words.collect();
    let separator = random.one(&[" ", " ", "\t", " \r ", "  "]);
    [separator, &words.join(separator)].concat().into_bytes()
}

/// Returns a pattern, quoted or not.
fn random_attribute_pattern(random: &mut XorShift) -> Vec<u8> {
    let pattern = random_pattern(random);
    match random.below(8) {
        0 => {
            let escaped = pattern.iter().flat_map(|byte| match byte {
                b'"' | b'\\' => vec![b'\\', *byte],
                b'a' => b"\\141".to_vec(),
                _ => vec![*byte],
            });
            [b"\"", &*escaped.collect::<Vec<_>>(), b"\""].concat()
        }
        1 => [&b"\""[..], &*pattern, random.one(&[&b""[..], b"\"x", b"\\x\"", b"\\8\""])].concat(),
        _ => pattern,
    }
}

fn random_lines(random: &mut XorShift) -> Vec<u8> {
    let mut text = if random.below(20) == 0 { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
    for _ in 0..=random.below(4) {
        text.extend_from_slice(random.one(&[b"", b"", b"", b"", b" ", b"\t", b"#", b"!"]));
        match random.below(20) {
            // A macro outside the root, and what is not a macro.
            0 => text.extend_from_slice(random.one(&[
                b"[attr]m1",
                b"[attr]",
                b"[attr] m1",
                b"\"[attr]m2\"",
            ])),
            _ => text.extend(random_attribute_pattern(random)),
        }
        text.extend(random_attributes(random));
        if random.below(40) == 0 {
            text.resize(text.len() + 2030, b' ');
            text.extend_from_slice(&b" text eol=crlf"[..random.below(15)]);
        }
        text.extend_from_slice(
            random.one(&[b"\n", b"\n", b"\n", b"\n", b"\r\n", b" \n", b"\0a\n"]),
        );
    }
    text
}

fn parse(text: &[u8], is_root: bool) -> AttributesFile {
    AttributesFile::parse(text, is_root, usize::MAX, &mut |_, _| ()).unwrap()
}

/// Compares the attributes in a repository with macros. Returns the differences, and the number of values.
fn compare(seed: u64) -> Option<(BTreeSet<String>, usize)> {
    let repository = create_repository()?;
    let random = &mut random(seed);
    let write =
        |path: &Path, content: &[u8]| fs::write(path.join(".gitattributes"), content).unwrap();
    let mut root = random_lines(random);
    for name in ["m1", "m2", "m3", "m1", "binary"] {
        if random.below(3) > 0 {
            root.extend_from_slice(format!("[attr]{name}").as_bytes());
            root.extend(random_attributes(random));
            root.push(b'\n');
        }
    }
    write(repository.path(), &root);
    let (mut input, mut cases) = (Vec::new(), Vec::new());
    for number in 0..DIRECTORIES {
        let directory = number.to_string();
        fs::create_dir(repository.path().join(&directory)).unwrap();
        let text = random_lines(random);
        write(&repository.path().join(&directory), &text);
        for _ in 0..PATHS_PER_DIRECTORY {
            let path = random_path(random);
            input.extend([directory.as_bytes(), b"/", &path, b"\0"].concat());
            cases.push((directory.clone(), text.clone(), path));
        }
    }
    let words = [&["check-attr", "--stdin", "-z"][..], &NAMES].concat();
    let found = git(repository.path(), &words, &input);
    assert_eq!(found.len(), 3 * NAMES.len() * cases.len());
    let root_file = parse(&root, true);
    let (mut wrong, mut count) = (BTreeSet::new(), 0);
    for ((directory, text, path), found) in cases.iter().zip(found.chunks(3 * NAMES.len())) {
        let file = parse(text, false);
        let mut resolver = AttributeResolver::new(&root_file.macros);
        resolver.add(&file, Path::new(OsStr::from_bytes(path)));
        resolver.add(&root_file, &Path::new(directory).join(OsStr::from_bytes(path)));
        for (name, found) in NAMES.into_iter().zip(found.chunks(3)) {
            assert_eq!(found[1], name.as_bytes());
            let value: &[u8] = match resolver.value(name.as_bytes()) {
                None | Some(AttributeValue::Unspecified) => b"unspecified",
                Some(AttributeValue::Set) => b"set",
                Some(AttributeValue::Unset) => b"unset",
                Some(AttributeValue::Text(text)) => text,
            };
            count += usize::from(found[2] != b"unspecified");
            if value != found[2] {
                let [value, expected, path] =
                    [value, &found[2], path].map(|text| text.escape_ascii());
                let [text, root] = [text, &root].map(|text| text.escape_ascii());
                wrong
                    .insert(format!("{name} of {path}: {value}, not {expected}: {text} in {root}"));
            }
        }
    }
    Some((wrong, count))
}

#[test]
fn random_attributes_are_those_of_git() {
    let mut value_count = 0;
    let rounds = sample_count(100, 33);
    for seed in 0..rounds {
        let Some((wrong, count)) = compare(seed as u64) else { return missing("git") };
        assert!(wrong.is_empty(), "{} with seed {seed}: {wrong:#?}", wrong.len());
        value_count += count;
    }
    assert!(value_count > rounds * DIRECTORIES * PATHS_PER_DIRECTORY / 10, "{value_count}");
}
