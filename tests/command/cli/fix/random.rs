//! Random files and rules: a second fix changes nothing, a check finds nothing in what was fixed, and the diff is what
//! the fix does.

use std::fs;
use std::path::Path;

use charpipe_test_support::{Requirement, XorShift, random, require, sample_count, watch};
use tempfile::TempDir;

use super::{fix, stdout};
use crate::cli::command::{messages_of, subcommand};

/// The number of files that are fixed in one run.
const FILES: usize = 20;

const BOM: &str = "\u{FEFF}";

/// Parts of lines in all encodings.
const PARTS: [&str; 12] =
    ["a", "b", " ", "word", "\t", "é", "ü", "::", "-", "\u{A0}", "\u{AD}", "x = 1"];

/// Parts of lines in Unicode.
const UNICODE_PARTS: [&str; 14] = [
    "“x”",
    "–",
    "e\u{301}",
    "ﬁ",
    "中",
    "🎂",
    "\u{200B}",
    "\u{202E}",
    "\u{2007}",
    "Ã©",
    "cafÃ©",
    "doesnâ€™t",
    "zurÃ¼ck FÃ¼ÃŸe",
    "\u{7}",
];

/// The first lines of files in another encoding.
const DECLARATIONS: [&str; 3] = [
    "# coding: koi8-r",
    "<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?>",
    "<meta charset=windows-1252>",
];

/// The steps that remove what `check --confusing` finds in these texts.
const ALL_STEPS: &str =
    "remove-zero-width,remove-bidi-controls,remove-soft-hyphens,remove-controls,nbsp-to-space";

/// What files are fixed to.
#[derive(Debug)]
struct Rules {
    /// The encoding if it is not UTF-8.
    encoding: Option<&'static str>,
    bom: Option<&'static str>,
    newline: Option<&'static str>,
    steps: Option<&'static str>,
    repair: bool,
    fix_declaration: bool,
    /// Whether the files have only text that a diff shows as it is.
    is_printable: bool,
}

impl Rules {
    fn random(random: &mut XorShift) -> Rules {
        let encoding = random.one(&[None, None, None, Some("utf-16le"), Some("latin1")]);
        let bom = random.one(&[None, Some("any"), Some("forbid"), Some("require")]);
        Rules {
            encoding,
            // Latin-1 has none.
            bom: bom.filter(|bom| *bom != "require" || encoding != Some("latin1")),
            newline: random.one(&[None, Some("lf"), Some("crlf"), Some("cr")]),
            steps: random.one(&[
                None,
                None,
                Some(ALL_STEPS),
                Some("ascii-punctuation"),
                Some("nfc"),
            ]),
            repair: random.below(4) == 0,
            fix_declaration: random.below(4) == 0,
            is_printable: random.below(2) == 0,
        }
    }

    /// Returns the options that `check` has as well.
    fn common_options(&self) -> Vec<String> {
        let options = [("encoding", self.encoding), ("bom", self.bom), ("newline", self.newline)];
        let given = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
        given.map(|(name, value)| format!("--{name}={value}")).collect()
    }

    fn fix_options(&self) -> Vec<String> {
        let mut options = self.common_options();
        options.push("--from=latin1".to_owned());
        options.extend(self.steps.map(|steps| format!("--via={steps}")));
        options.extend(self.repair.then(|| "--repair".to_owned()));
        options.extend(self.fix_declaration.then(|| "--fix-declaration".to_owned()));
        options
    }

    fn check_options(&self) -> Vec<String> {
        let mut options = self.common_options();
        // A repair of what only looks garbled may join letters of two scripts.
        let is_clean = self.steps == Some(ALL_STEPS) && !self.repair;
        options.extend(is_clean.then(|| "--confusing".to_owned()));
        options.extend((!self.fix_declaration).then(|| "--declaration=any".to_owned()));
        options
    }

    /// Returns whether the diff of a file is one for patch(1): it shows all text as it is, and no line ends otherwise.
    fn allow_patch(&self, content: &[u8]) -> bool {
        let is_plain = |text: &str| !text.starts_with(BOM) && !text.contains('\r');
        self.is_printable
            && self.encoding.is_none()
            && self.bom != Some("require")
            && matches!(self.newline, None | Some("lf"))
            && std::str::from_utf8(content).is_ok_and(is_plain)
    }
}

/// Returns the text of a file, with a byte order mark or without.
fn random_text(random: &mut XorShift, parts: &[&str]) -> String {
    let mut text = random.one(&["", "", "", BOM]).to_owned();
    if random.below(6) == 0 {
        text += random.one(&DECLARATIONS);
        text += "\n";
    }
    let endings = random.one(&[&["\n"][..], &["\n"], &["\r\n"], &["\r"], &["\n", "\r\n", "\r"]]);
    for _ in 0..random.below(30) {
        if random.below(4) > 0 {
            text += &random.text(5, parts);
        }
        text += random.one(endings);
    }
    // Without a character outside ASCII, a text may as well be UTF-16.
    text += random.one(&["é", "é last", "é\n"]);
    text
}

fn random_file(random: &mut XorShift, rules: &Rules) -> Vec<u8> {
    let all = [&PARTS[..], &UNICODE_PARTS].concat();
    let is_shown = |part: &&&str| {
        !part.contains(['\u{A0}', '\u{AD}', '\u{200B}', '\u{202E}', '\u{2007}', '\u{7}', ':'])
    };
    let all = if rules.encoding == Some("latin1") { &PARTS[..] } else { &all };
    let all: Vec<_> = all.iter().filter(|part| !rules.is_printable || is_shown(part)).collect();
    let parts: Vec<&str> = all.into_iter().copied().collect();
    match random.below(6) {
        // Nearly all bytes are valid UTF-16.
        0 if rules.encoding != Some("utf-16le") => {
            let text = random_text(random, &PARTS);
            text.chars().filter_map(|character| u8::try_from(character).ok()).collect()
        }
        1 => {
            let text = random_text(random, &parts);
            let marked = format!("{BOM}{}", text.trim_start_matches(BOM));
            marked.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        _ => random_text(random, &parts).into_bytes(),
    }
}

/// Returns the text of a file, in the encoding that the guide says.
fn decode(content: &[u8], rules: &Rules) -> String {
    let utf16 = |content: &[u8]| {
        let units = content.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(Result::unwrap).collect()
    };
    match std::str::from_utf8(content) {
        _ if content.starts_with(b"\xFF\xFE") => utf16(content),
        Ok(text) if !text.is_ascii() => text.to_owned(),
        _ if rules.encoding == Some("utf-16le")
            && content.len() % 2 == 0
            && content.contains(&0) =>
        {
            utf16(content)
        }
        _ => content.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// Splits a text into lines with their ends.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let (mut rest, mut lines) = (text, Vec::new());
    while !rest.is_empty() {
        let len = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let ending =
            ["\r\n", "\r", "\n", ""].into_iter().find(|ending| rest[len..].starts_with(ending));
        lines.push((&rest[..len], ending.unwrap()));
        rest = &rest[len + ending.unwrap().len()..];
    }
    lines
}

/// Returns the line that a line of a diff shows, and its end if that is shown. No text here has a backslash.
fn shown_line(line: &str) -> (String, Option<&'static str>) {
    let ends = [("␍␊", "\r\n"), ("␊", "\n"), ("␍", "\r")];
    let found = ends.into_iter().find(|(symbol, _)| line.ends_with(symbol));
    let line = line.strip_suffix(found.map_or("", |(symbol, _)| symbol)).unwrap();
    let mut parts = line.split('\\');
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (digits, rest) = match part.strip_prefix("u{") {
            Some(part) => part.split_once('}').unwrap(),
            None => part.strip_prefix('x').unwrap().split_at(2),
        };
        text.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
        text += rest;
    }
    (text, found.map(|(_, ending)| ending))
}

/// Applies the diff of a file to its text.
fn apply(text: &str, diff: &[&str]) -> String {
    let old = lines(text);
    let (mut new, mut at) = (String::new(), 0);
    let mut rest = diff;
    while let [header, tail @ ..] = rest {
        let [first, count] = header
            .strip_prefix("@@ -")
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .split(',')
            .map(|it| it.parse::<usize>().unwrap())
            .collect::<Vec<_>>()[..]
        else {
            panic!("{header}")
        };
        old[at..first - 1].iter().for_each(|(line, ending)| new.extend([*line, *ending]));
        at = first - 1;
        let hunk_len = tail.iter().position(|line| line.starts_with("@@")).unwrap_or(tail.len());
        let hunk: Vec<_> = tail[..hunk_len].iter().filter(|line| !line.starts_with('\\')).collect();
        for run in hunk.chunk_by(|one, other| one.as_bytes()[0] == other.as_bytes()[0]) {
            // The lines that are added have the ends of those that they replace.
            let first = match run[0].as_bytes()[0] {
                b'+' => at - run.len(),
                _ => at,
            };
            for (line, (old_text, old_ending)) in run.iter().zip(&old[first..]) {
                let (shown, shown_ending) = shown_line(&line[1..]);
                let is_added = line.starts_with('+');
                if !is_added {
                    assert_eq!(shown, *old_text, "{line}");
                    assert_eq!(shown_ending.unwrap_or(old_ending), *old_ending, "{line}");
                    at += 1;
                }
                if !line.starts_with('-') {
                    new.extend([&shown, shown_ending.unwrap_or(old_ending)]);
                }
            }
        }
        assert_eq!(at, first - 1 + count, "{header}");
        rest = &tail[hunk_len..];
    }
    old[at..].iter().for_each(|(line, ending)| new.extend([*line, *ending]));
    new
}

/// Applies a diff with patch(1).
fn patch(directory: &Path, diff: &str) {
    let file = directory.join("diff");
    fs::write(&file, diff).unwrap();
    let mut command = watch::command("patch");
    let run = command
        .current_dir(directory)
        .args(["-s", "-p0", "--binary", "-i", "diff"])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}{diff}", String::from_utf8_lossy(&run.stdout));
}

/// Returns the names of files and their diffs without the names, and with them.
fn split_diff(diff: &str) -> Vec<(&str, Vec<&str>, String)> {
    let starts = diff.match_indices("--- ").map(|(at, _)| at);
    let starts: Vec<_> = starts.filter(|at| *at == 0 || diff.as_bytes()[at - 1] == b'\n').collect();
    let starts: Vec<_> = starts
        .into_iter()
        .filter(|at| diff[*at..].lines().nth(1).is_some_and(|line| line.starts_with("+++ ")))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            let diff = &diff[*start..end];
            let name = diff["--- ".len()..].split(['\t', '\n']).next().unwrap();
            (name, diff.lines().skip(2).collect(), diff.to_owned())
        })
        .collect()
}

fn read_files(directory: &Path) -> Vec<Vec<u8>> {
    (0..FILES).map(|number| fs::read(directory.join(number.to_string())).unwrap()).collect()
}

/// Fixes files to some rules. Returns the number of diffs that were applied with patch(1).
fn check_round(random: &mut XorShift, has_patch: bool) -> usize {
    let rules = Rules::random(random);
    let [directory, patched] = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let names: Vec<_> = (0..FILES).map(|number| number.to_string()).collect();
    let old: Vec<_> = names.iter().map(|_| random_file(random, &rules)).collect();
    for (name, content) in names.iter().zip(&old) {
        fs::write(directory.path().join(name), content).unwrap();
        fs::write(patched.path().join(name), content).unwrap();
    }
    let options = rules.fix_options();
    let fix = |more: &[&str]| {
        let words: Vec<_> =
            options.iter().map(|word| &**word).chain(more.iter().copied()).collect();
        fix(directory.path(), &[&words[..], &["."]].concat())
    };
    let diff = stdout(&fix(&["--diff", "-q"]));
    assert_eq!(read_files(directory.path()), old, "{rules:?}");
    fix(&["-q"]);
    let new = read_files(directory.path());
    let (mut diffs, mut patched_count) = (split_diff(&diff), 0);
    for ((name, old), new) in names.iter().zip(&old).zip(&new) {
        let context = format!("{rules:?} {name} {}", old.escape_ascii());
        let position = diffs.iter().position(|(file, ..)| file.strip_prefix("./") == Some(name));
        let Some(position) = position else {
            let same = decode(old, &rules) == decode(new, &rules);
            assert!(old == new || same, "{context}: {}", new.escape_ascii());
            continue;
        };
        let (_, lines, diff) = diffs.swap_remove(position);
        let applied = std::panic::catch_unwind(|| apply(&decode(old, &rules), &lines));
        let applied = applied.unwrap_or_else(|_| panic!("{context}: {diff}"));
        assert_eq!(applied, decode(new, &rules), "{context}: {diff}");
        if has_patch && rules.allow_patch(old) {
            patch(patched.path(), &diff);
            patched_count += 1;
            assert_eq!(fs::read(patched.path().join(name)).unwrap(), *new, "{context}: {diff}");
        }
    }
    assert!(diffs.is_empty(), "{rules:?}: {diff}");
    let messages = messages_of(&fix(&[]));
    let again = read_files(directory.path());
    // After a repair, other lines decide what is garbled.
    let unchanged_count = if rules.repair { 0 } else { FILES };
    for ((old, new), again) in old.iter().zip(&new).zip(&again).take(unchanged_count) {
        let context = || format!("{rules:?} {}", old.escape_ascii());
        assert_eq!(
            again.escape_ascii().to_string(),
            new.escape_ascii().to_string(),
            "{}",
            context()
        );
    }
    let check_options = rules.check_options();
    // Random text may look like random bytes, and a repaired character may be unmappable.
    let is_left =
        |name: &str| messages.iter().any(|line| line.starts_with(&format!("charpipe: ./{name}:")));
    let names = names.iter().filter(|name| !is_left(name));
    let mut check = subcommand("check");
    let run = check.current_dir(&directory).args(&check_options).args(names).assert();
    if let Some(line) = stdout(&run).lines().next() {
        let number: usize = line.split(':').next().unwrap().parse().unwrap();
        let [old, new] = [&old[number], &new[number]].map(|content| content.escape_ascii());
        panic!("{line}: {rules:?}: {old} becomes {new}: {messages:?}");
    }
    patched_count
}

#[test]
fn fixes_of_random_files_are_complete_and_shown_by_the_diff() {
    let has_patch = require(Requirement::Program("patch"));
    let random = &mut random(4);
    let rounds = sample_count(2000, 100);
    let patched_count: usize = (0..rounds).map(|_| check_round(random, has_patch)).sum();
    assert!(!has_patch || patched_count > rounds / 8, "{patched_count}");
}
