//! Random globs, with a matcher as the judge that follows the words of the EditorConfig Specification (0.17.2, "Glob
//! Expressions") and tries every way to match.

use std::collections::BTreeSet;

use charpipe_test_support::{XorShift, random, sample_count};

use super::Glob;

/// A part of a glob.
#[derive(Debug, Clone)]
enum Part {
    Character(char),
    /// `?`
    AnyCharacter,
    /// `*`
    AnyName,
    /// `**`
    AnyPath,
    /// `**/` where a path begins: any directories, or none.
    AnyDirectories,
    /// `[a-c]` or `[!a-c]`
    Class(Vec<(char, char)>, bool),
    /// `{1..3}`
    Number(i64, i64),
    /// `{a,b}`
    Choice(Vec<Vec<Part>>),
    /// Braces and commas, until they are paired.
    Open,
    Comma,
    Close,
}

use Part::*;

/// What follows a part.
type Next<'a> = &'a dyn Fn(usize) -> bool;

/// Returns whether a part matches at a position, and the next ones after it.
fn match_part(part: &Part, path: &[char], at: usize, next: Next<'_>) -> bool {
    let character = path.get(at).copied();
    let name_len = path[at..].iter().take_while(|character| **character != '/').count();
    match part {
        Character(expected) => character == Some(*expected) && next(at + 1),
        AnyCharacter => character.is_some_and(|character| character != '/') && next(at + 1),
        AnyName => (at..=at + name_len).any(next),
        AnyPath => (at..=path.len()).any(next),
        AnyDirectories => next(at) || (at..path.len()).any(|end| path[end] == '/' && next(end + 1)),
        Class(ranges, is_negated) => {
            let is_member = |character: char| {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character))
            };
            character
                .is_some_and(|character| character != '/' && is_member(character) != *is_negated)
                && next(at + 1)
        }
        Number(first, last) => (at + 1..=path.len()).any(|end| {
            let text: String = path[at..end].iter().collect();
            let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
                && (digits.len() == 1 || !digits.starts_with('0'));
            is_plain
                && text.parse().is_ok_and(|number| (*first..=*last).contains(&number))
                && next(end)
        }),
        Choice(choices) => choices.iter().any(|choice| match_parts(choice, path, at, next)),
        Open | Comma | Close => panic!("they have been paired"),
    }
}

fn match_parts(parts: &[Part], path: &[char], at: usize, next: Next<'_>) -> bool {
    match parts {
        [] => next(at),
        [first, rest @ ..] => match_part(first, path, at, &|at| match_parts(rest, path, at, next)),
    }
}

/// Splits a glob into its parts.
fn parts_of(glob: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut rest, mut is_after_slash) = (glob, true);
    while let Some(character) = rest.chars().next() {
        let stars = rest.len() - rest.trim_start_matches('*').len();
        let class = rest.strip_prefix('[').and_then(class_of);
        let escaped = rest.strip_prefix('\\').and_then(|rest| rest.chars().next());
        let (part, len) = match character {
            '*' if stars > 1 && is_after_slash && rest[stars..].starts_with('/') => {
                (AnyDirectories, stars + 1)
            }
            '*' if stars > 1 => (AnyPath, stars),
            '*' => (AnyName, 1),
            '?' => (AnyCharacter, 1),
            '{' => (Open, 1),
            ',' => (Comma, 1),
            '}' => (Close, 1),
            '[' if class.is_some() => class.unwrap(),
            '\\' if escaped.is_some() => {
                (Character(escaped.unwrap()), 1 + escaped.unwrap().len_utf8())
            }
            _ => (Character(character), character.len_utf8()),
        };
        is_after_slash = rest[..len].ends_with('/');
        rest = &rest[len..];
        parts.push(part);
    }
    let mut depth = 0;
    let is_paired = parts.iter().all(|part| {
        depth += match part {
            Open => 1,
            Close => -1,
            _ => 0,
        };
        depth >= 0
    });
    match is_paired && depth == 0 {
        true => paired(&parts),
        false => parts.into_iter().map(literal).collect(),
    }
}

fn literal(part: Part) -> Part {
    match part {
        Open => Character('{'),
        Comma => Character(','),
        Close => Character('}'),
        other => other,
    }
}

/// Returns the class that begins before `text`, and its length.
fn class_of(text: &str) -> Option<(Part, usize)> {
    let (mut members, mut is_escaped) = (Vec::new(), false);
    let end = text.char_indices().find_map(|(index, character)| {
        match character {
            '/' => return Some(None),
            ']' if !is_escaped => return Some(Some(index)),
            '\\' if !is_escaped => is_escaped = true,
            _ => {
                members.push((character, is_escaped));
                is_escaped = false;
            }
        }
        None
    })??;
    let is_negated = members.first() == Some(&('!', false));
    let (mut members, mut ranges) = (&members[usize::from(is_negated)..], Vec::new());
    while let [first, rest @ ..] = members {
        let (last, rest) = match rest {
            [('-', false), last, rest @ ..] => (last, rest),
            _ => (first, rest),
        };
        ranges.push((first.0, last.0));
        members = rest;
    }
    Some((Class(ranges, is_negated), end + 2))
}

/// Pairs the braces.
fn paired(parts: &[Part]) -> Vec<Part> {
    let mut result = Vec::new();
    let mut rest = parts;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if !matches!(first, Open) {
            result.push(literal(first.clone()));
            continue;
        }
        let (mut depth, mut choices) = (0, vec![Vec::new()]);
        while let [first, tail @ ..] = rest {
            rest = tail;
            match first {
                Close if depth == 0 => break,
                Comma if depth == 0 => {
                    choices.push(Vec::new());
                    continue;
                }
                Open => depth += 1,
                Close => depth -= 1,
                _ => {}
            }
            choices.last_mut().unwrap().push(first.clone());
        }
        match &choices[..] {
            [single] => match number_range(single) {
                Some((first, last)) => result.push(Number(first, last)),
                None => {
                    result.push(Character('{'));
                    result.extend(paired(single));
                    result.push(Character('}'));
                }
            },
            _ => result.push(Choice(choices.iter().map(|choice| paired(choice)).collect())),
        }
    }
    result
}

fn number_range(parts: &[Part]) -> Option<(i64, i64)> {
    let character = |part: &Part| match part {
        Character(character) => Some(*character),
        _ => None,
    };
    let text: String = parts.iter().map(character).collect::<Option<_>>()?;
    let (first, last) = text.split_once("..")?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last))
}

fn matches(glob: &str, path: &str) -> bool {
    // A class has no slash.
    let is_relative_to_directory = glob.contains('/');
    let parts = parts_of(glob.strip_prefix('/').unwrap_or(glob));
    let path: Vec<char> = path.chars().collect();
    let starts = (0..path.len()).filter(|start| *start == 0 || path[start - 1] == '/');
    let mut starts = starts.take(if is_relative_to_directory { 1 } else { usize::MAX });
    starts.any(|start| match_parts(&parts, &path, start, &|end| end == path.len()))
}

/// Parts of globs. A slash is not escaped, and no class begins with a bracket, about which the specification says nothing.
const GLOB_PARTS: [&str; 53] = [
    "a", "a", "b", "c", "ab", "1", "2", "-1", "12", "é", ".", "..", "+", "*", "*", "**", "***",
    "/", "/", "**/", "/**/", "/**", "?", "[ab]", "[!a]", "[a-c]", "[c-a]", "[-a]", "[a-]",
    "[!a-b1]", "[a/b]", "[a\\]]", "[a\\-c]", "[a", "]", "{a,b}", "{,a}", "{a}", "{}", "{", "}",
    ",", "{a", ",b", "c}", "{1..3}", "{-2..12}", "{2..2}", "{3..1}", "\\*", "\\{", "\\,", "\\\\",
];

const NAME_PARTS: [&str; 24] = [
    "a", "a", "b", "c", "ab", "1", "2", "12", "-1", "+1", "01", "é", ".x", "{a}", "{", "}", ",",
    "*", "[a", "]", "-", "1..3", "\\", "{}",
];

fn random_glob(random: &mut XorShift) -> String {
    let max_parts = 1 + random.below(6);
    random.text(max_parts, &GLOB_PARTS)
}

fn random_path(random: &mut XorShift) -> String {
    let names: Vec<_> = (0..=random.below(3)).map(|_| random.text(2, &NAME_PARTS)).collect();
    names.join("/")
}

#[test]
fn random_globs_match_as_the_specification_says() {
    let random = &mut random(3);
    let (mut wrong, mut match_count) = (BTreeSet::new(), 0);
    let count = sample_count(2_000_000, 80);
    for _ in 0..count {
        let glob = random_glob(random);
        let compiled = Glob::new(&glob).unwrap();
        for _ in 0..8 {
            let path = random_path(random);
            let characters: Vec<char> = path.chars().collect();
            let expected = matches(&glob, &path);
            match_count += usize::from(expected);
            if compiled.matches(&characters, &mut 1_000_000) != Some(expected) {
                wrong.insert(format!("{glob} {path}: {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), wrong.iter().take(20).collect::<Vec<_>>());
    assert!(match_count > count / 10, "{match_count} matches of {count} globs");
}
