//! Globs of section names.
//!
//! A glob is compiled to a nondeterministic automaton, so that no glob makes matching slow.

#[cfg(test)]
mod against_reference;

/// The maximum length of a glob, in characters: the one that every implementation must support.
const MAX_LEN: usize = 1024;

/// A compiled glob.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Glob {
    /// The states of the automaton. Unless it jumps, a state is followed by the next one.
    states: Vec<GlobState>,
    /// Whether the glob is matched with the whole path, or with any of its ends after a slash.
    is_anchored: bool,
    /// Whether it can match a slash. If not, it is matched with the name of the file.
    matches_slash: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum GlobState {
    Character(char),
    /// Any character but a slash.
    AnyCharacter,
    /// Any number of characters, without slashes or with them.
    AnySequence {
        slashes: bool,
    },
    /// A character of one of these ranges, or of none of them.
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    /// An integer in this range.
    Number(i64, i64),
    /// Several ways to continue.
    Fork(Vec<usize>),
    Match,
}

impl Glob {
    /// Returns the memory size in bytes.
    pub(super) fn size(&self) -> usize {
        let sizes = self.states.iter().map(|state| match state {
            GlobState::Class { ranges, .. } => ranges.capacity() * size_of::<(char, char)>(),
            GlobState::Fork(targets) => targets.capacity() * size_of::<usize>(),
            _ => 0,
        });
        self.states.capacity() * size_of::<GlobState>() + sizes.sum::<usize>()
    }

    /// Compiles a glob.
    pub(super) fn new(pattern: &str) -> Result<Glob, String> {
        let mut pattern: Vec<char> = pattern.chars().collect();
        if pattern.len() > MAX_LEN {
            return Err(format!("the section name is longer than {MAX_LEN} characters"));
        }
        let is_anchored = contains_slash(&pattern, &class_ends(&pattern));
        if pattern.first() == Some(&'/') {
            pattern.remove(0);
        }
        let class_ends = class_ends(&pattern);
        let mut compiler = Compiler {
            braces: match_braces(&pattern, &class_ends),
            class_ends,
            pattern,
            position: 0,
            states: Vec::new(),
        };
        compiler.compile_sequence(false);
        compiler.states.push(GlobState::Match);
        let matches_slash = compiler.states.iter().any(|state| {
            matches!(state, GlobState::Character('/') | GlobState::AnySequence { slashes: true })
        });
        Ok(Glob { states: compiler.states, is_anchored, matches_slash })
    }

    /// Returns whether the glob matches a path relative to the directory of its file, or `None` if that takes
    /// more than these steps. They are subtracted.
    pub(super) fn matches(&self, mut path: &[char], steps: &mut usize) -> Option<bool> {
        if !self.is_anchored && !self.matches_slash {
            let name = path.iter().rposition(|character| *character == '/');
            path = &path[name.map_or(0, |slash| slash + 1)..];
        }
        let is_start =
            |position: usize| position == 0 || !self.is_anchored && path[position - 1] == '/';
        let width = path.len() + 1;
        // Most globs differ from the path in one of their first characters.
        let words = (width * self.states.len()).div_ceil(64);
        *steps = steps.checked_sub(words)?;
        let mut visited = vec![0_u64; words];
        let starts = (0..path.len()).filter(|position| is_start(*position));
        let mut stack: Vec<(usize, usize)> = starts.map(|position| (0, position)).collect();
        while let Some((state, position)) = stack.pop() {
            *steps = steps.checked_sub(1)?;
            let (index, bit) = ((state * width + position) / 64, (state * width + position) % 64);
            if visited[index] >> bit & 1 == 1 {
                continue;
            }
            visited[index] |= 1 << bit;
            let next = path.get(position).copied();
            let step = match &self.states[state] {
                GlobState::Match if next.is_none() => return Some(true),
                GlobState::Match => false,
                GlobState::Character(character) => next == Some(*character),
                GlobState::AnyCharacter => next.is_some_and(|next| next != '/'),
                GlobState::Class { ranges, negated } => next.is_some_and(|next| {
                    *steps = steps.saturating_sub(ranges.len());
                    let found = ranges.iter().any(|(first, last)| (*first..=*last).contains(&next));
                    next != '/' && found != *negated
                }),
                GlobState::AnySequence { slashes } => {
                    if next.is_some_and(|next| *slashes || next != '/') {
                        stack.push((state, position + 1));
                    }
                    stack.push((state + 1, position));
                    false
                }
                GlobState::Number(first, last) => {
                    let ends = number_ends(&path[position..], *first, *last);
                    stack.extend(ends.iter().map(|len| (state + 1, position + len)));
                    false
                }
                GlobState::Fork(targets) => {
                    stack.extend(targets.iter().map(|target| (*target, position)));
                    false
                }
            };
            if step {
                stack.push((state + 1, position + 1));
            }
        }
        Some(false)
    }
}

/// The maximum number of digits of an integer of 64 bits.
const MAX_DIGITS: usize = 19;

/// Returns the lengths of the integers in a range that the text begins with, without leading zeros.
fn number_ends(text: &[char], first: i64, last: i64) -> Vec<usize> {
    let sign_len = usize::from(matches!(text.first(), Some('-' | '+')));
    let digits = text[sign_len..].iter().take_while(|digit| digit.is_ascii_digit()).count();
    let max_digits = if text.get(sign_len) == Some(&'0') { 1 } else { MAX_DIGITS };
    let is_in_range = |len: &usize| {
        let number: String = text[..*len].iter().collect();
        number.parse().is_ok_and(|number| (first..=last).contains(&number))
    };
    (sign_len + 1..=sign_len + digits.min(max_digits)).filter(is_in_range).collect()
}

struct Compiler {
    pattern: Vec<char>,
    position: usize,
    states: Vec<GlobState>,
    /// For each index, where the class ends that begins before it.
    class_ends: Vec<Option<usize>>,
    /// The opening braces, in order; none if there are not as many closing ones. Then all of them are ordinary
    /// characters.
    braces: Option<Vec<Braces>>,
}

impl Compiler {
    fn peek(&self) -> Option<char> {
        self.pattern.get(self.position).copied()
    }

    /// Compiles the pattern up to its end, or in braces to the next comma or closing brace.
    fn compile_sequence(&mut self, in_braces: bool) {
        while let Some(character) = self.peek() {
            if in_braces && matches!(character, ',' | '}') {
                return;
            }
            match character {
                '*' => self.compile_star(),
                '[' => self.compile_class(),
                '{' if self.braces.is_some() => self.compile_braces(),
                _ => {
                    self.position += 1;
                    self.states.push(match character {
                        '?' => GlobState::AnyCharacter,
                        '\\' => {
                            let escaped = self.peek().unwrap_or('\\');
                            self.position += 1;
                            GlobState::Character(escaped)
                        }
                        _ => GlobState::Character(character),
                    });
                }
            }
        }
    }

    /// Compiles `*`, `**`, or `**/` after a slash, which also matches nothing.
    fn compile_star(&mut self) {
        let stars = self.pattern[self.position..].iter().take_while(|star| **star == '*').count();
        // The path begins after a slash.
        let before = self.position.checked_sub(1);
        let after_slash = before.is_none_or(|before| self.pattern[before] == '/');
        self.position += stars;
        let slashes = stars > 1;
        if slashes && after_slash && self.peek() == Some('/') {
            self.position += 1;
            let start = self.states.len();
            self.states.push(GlobState::Fork(vec![start + 1, start + 3]));
            self.states.push(GlobState::AnySequence { slashes });
            self.states.push(GlobState::Character('/'));
        } else {
            self.states.push(GlobState::AnySequence { slashes });
        }
    }

    /// Compiles `[...]`, or an ordinary `[` unless a bracket closes it before the next slash.
    fn compile_class(&mut self) {
        self.position += 1;
        let Some(end) = self.class_ends[self.position] else {
            return self.states.push(GlobState::Character('['));
        };
        let class = &self.pattern[self.position..end];
        self.position = end + 1;
        let negated = class.first() == Some(&'!');
        // The characters, and whether they are escaped.
        let mut members: Vec<(char, bool)> = Vec::new();
        let mut rest = class[usize::from(negated)..].iter().copied();
        while let Some(character) = rest.next() {
            members.push(match character {
                '\\' => (rest.next().unwrap_or('\\'), true),
                _ => (character, false),
            });
        }
        let mut ranges = Vec::new();
        let mut members = &members[..];
        while let [first, tail @ ..] = members {
            (ranges, members) = match tail {
                [('-', false), last, tail @ ..] => {
                    ranges.push((first.0, last.0));
                    (ranges, tail)
                }
                _ => {
                    ranges.push((first.0, first.0));
                    (ranges, tail)
                }
            };
        }
        self.states.push(GlobState::Class { ranges, negated });
    }

    /// Compiles `{a,b}` or `{1..3}`; other braces are ordinary characters.
    fn compile_braces(&mut self) {
        let braces = self.braces.as_deref().unwrap_or_default();
        let index = braces.partition_point(|braces| braces.start < self.position);
        let found = braces.get(index).copied();
        self.position += 1;
        let Some(Braces { end, has_comma, .. }) = found else {
            return self.states.push(GlobState::Character('{'));
        };
        if let Some((first, last)) = parse_range(&self.pattern[self.position..end]) {
            self.position = end + 1;
            return self.states.push(GlobState::Number(first, last));
        }
        if !has_comma {
            self.states.push(GlobState::Character('{'));
            self.compile_sequence(true);
            if self.peek().is_some() {
                self.position += 1;
                self.states.push(GlobState::Character('}'));
            }
            return;
        }
        let fork = self.states.len();
        self.states.push(GlobState::Fork(Vec::new()));
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        loop {
            starts.push(self.states.len());
            self.compile_sequence(true);
            ends.push(self.states.len());
            self.states.push(GlobState::Fork(Vec::new()));
            let separator = self.peek();
            self.position += 1;
            if separator != Some(',') {
                break;
            }
        }
        let end = self.states.len();
        self.states[fork] = GlobState::Fork(starts);
        for jump in ends {
            self.states[jump] = GlobState::Fork(vec![end]);
        }
    }
}

/// A pair of braces.
#[derive(Debug, Clone, Copy)]
struct Braces {
    start: usize,
    /// The index of the closing brace.
    end: usize,
    /// Whether there is a comma that is not in braces of its own.
    has_comma: bool,
}

/// Returns for each index, up to the length, the index of the bracket that closes a class whose members begin
/// there. The first member may be a bracket. Going backward takes linear time.
fn class_ends(pattern: &[char]) -> Vec<Option<usize>> {
    // The same for a class that has a member before the index.
    let mut ends = vec![None; pattern.len() + 2];
    let mut starts = vec![None; pattern.len() + 1];
    for index in (0..pattern.len()).rev() {
        let (end, start) = match pattern[index] {
            ']' => (Some(index), ends[index + 1]),
            '/' => (None, None),
            '\\' => (ends[index + 2], ends[index + 2]),
            _ => (ends[index + 1], ends[index + 1]),
        };
        (ends[index], starts[index]) = (end, start);
    }
    starts
}

/// Calls `visit` for each character that is not escaped and not in a class, with its index.
fn visit_special(
    pattern: &[char],
    class_ends: &[Option<usize>],
    visit: &mut dyn FnMut(usize, char),
) {
    let mut index = 0;
    while let Some(character) = pattern.get(index) {
        visit(index, *character);
        index = match character {
            '\\' => index + 2,
            '[' => class_ends[index + 1].map_or(index + 1, |end| end + 1),
            _ => index + 1,
        };
    }
}

/// Returns whether there is a slash outside classes.
fn contains_slash(pattern: &[char], class_ends: &[Option<usize>]) -> bool {
    let mut found = false;
    visit_special(pattern, class_ends, &mut |_, character| found |= character == '/');
    found
}

/// Returns all pairs of braces, in the order of their starts, if there are as many opening as closing ones.
fn match_braces(pattern: &[char], class_ends: &[Option<usize>]) -> Option<Vec<Braces>> {
    let (mut braces, mut open, mut is_valid) = (Vec::<Braces>::new(), Vec::new(), true);
    visit_special(pattern, class_ends, &mut |index, character| match character {
        '{' => {
            open.push(braces.len());
            braces.push(Braces { start: index, end: pattern.len(), has_comma: false });
        }
        '}' => match open.pop() {
            Some(pair) => braces[pair].end = index,
            None => is_valid = false,
        },
        ',' => {
            if let Some(pair) = open.last() {
                braces[*pair].has_comma = true;
            }
        }
        _ => {}
    });
    (is_valid && open.is_empty()).then_some(braces)
}

/// The length of the longest range: two integers of 64 bits.
const MAX_RANGE_LEN: usize = "-9223372036854775808..-9223372036854775808".len();

/// Parses `1..3`.
fn parse_range(text: &[char]) -> Option<(i64, i64)> {
    if text.len() > MAX_RANGE_LEN {
        return None;
    }
    let text: String = text.iter().collect();
    let (first, last) = text.split_once("..")?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases of the tests for implementations of EditorConfig, and more.
    #[test]
    fn globs_match_as_specified() {
        for (glob, matching, other) in [
            ("a*e.c", &["ace.c", "ae.c", "abcde.c", "x/ae.c"][..], &["a/e.c", "xae.c"][..]),
            ("Foo/*", &["Foo/foo.txt", "Foo/.editorconfig"], &["x/Foo/foo.txt", "Foo/x/y"]),
            ("/Foo/*", &["Foo/foo.txt"], &["x/Foo/foo.txt"]),
            ("/a", &["a"], &["x/a"]),
            ("*", &[".editorconfig", "a/b"], &[]),
            ("som?.c", &["some.c", "som\u{10FFFF}.c"], &["som.c", "something.c", "som/.c"]),
            ("[ab].a", &["a.a", "b.a"], &["c.a"]),
            ("[!ab].b", &["c.b"], &["a.b", "/.b"]),
            ("[d-g].c", &["d.c", "f.c", "g.c"], &["h.c", "-.c"]),
            ("[!d-g].d", &["h.d"], &["f.d"]),
            ("[abd-g].e", &["e.e", "a.e"], &["c.e"]),
            ("[-ab].f", &["-.f", "a.f"], &["c.f"]),
            ("[ab-].f", &["-.f", "a.f"], &["c.f"]),
            ("[\\]ab].g", &["].g", "a.g"], &["c.g"]),
            ("[ab]].g", &["b].g"], &["b.g"]),
            ("[!\\]ab].g", &["c.g"], &["].g"]),
            ("[!ab]].g", &["c].g"], &["a].g"]),
            ("ab[e/]cd.i", &["ab[e/]cd.i"], &["ab/cd.i", "abecd.i"]),
            ("ab[/c", &["ab[/c"], &["ab/c"]),
            ("[ab*c{1..2}]", &["a", "*", "{", "1", ".", "}"], &["3", "ab"]),
            ("[a{].{x,y}", &["a.x", "{.y"], &["a.{x,y}", "b.x"]),
            ("*.{py,js,html}", &["test.py", "test.js", "x/test.html"], &["test.pyc", "test."]),
            ("{single}.b", &["{single}.b"], &[".b", "single.b"]),
            ("{}.c", &["{}.c"], &[".c"]),
            ("a{b,c,}.d", &["a.d", "ab.d", "ac.d"], &["a,.d"]),
            ("a{,b,,c,}.e", &["a.e", "ab.e", "ac.e"], &["a,.e"]),
            ("{.f", &["{.f"], &[".f"]),
            (
                "{word,{also},this}.g",
                &["word.g", "{also}.g", "this.g"],
                &["word,this}.g", "{also,this}.g", "also.g"],
            ),
            ("{{a,b},c}.k", &["a.k", "b.k", "c.k"], &["{{a,b},c}.k", "{a,b}.k"]),
            ("{a,{b,c}}.l", &["a.l", "b.l", "c.l"], &["{a,{b,c}}.l", "{b,c}.l"]),
            ("{},b}.h", &["{},b}.h"], &["b.h"]),
            ("{{,b,c{d}.i", &["{{,b,c{d}.i"], &["{.i", "b.i", "c{d.i", ".i"]),
            ("{a\\,b,cd}.txt", &["a,b.txt", "cd.txt"], &["a.txt"]),
            ("{e,\\},f}.txt", &["e.txt", "}.txt", "f.txt"], &[]),
            ("{g,\\\\,i}.txt", &["g.txt", "\\.txt", "i.txt"], &[]),
            (
                "{some,a{*c,b}[ef]}.j",
                &["some.j", "abe.j", "abf.j", "ace.j", "acf.j", "abce.j", "abcf.j"],
                &["abg.j", "acg.j", "abcg.j", "ae.j", ".j"],
            ),
            ("{3..120}", &["3", "15", "60", "120", "+4"], &["1", "5a", "121", "060", "", "-3"]),
            ("a{-2..1}b", &["a-2b", "a-1b", "a0b", "a1b"], &["a2b", "a-3b", "ab"]),
            ("{2..2}", &["2"], &["1", "{2..2}"]),
            ("{1..9223372036854775807}", &["9223372036854775807"], &["9223372036854775808"]),
            (
                "{-9223372036854775808..-9223372036854775807}",
                &["-9223372036854775808", "-9223372036854775807"],
                &["-9223372036854775806", "-9223372036854775809"],
            ),
            ("{3..1}", &["{3..1}"], &["2"]),
            ("{99999999999999999999..1}", &["{99999999999999999999..1}"], &["2"]),
            ("{aardvark..antelope}", &["{aardvark..antelope}"], &["a", "aardvark", "agreement"]),
            ("中*.txt", &["中文.txt"], &["文.txt"]),
            ("a**z.c", &["a/z.c", "amnz.c", "am/nz.c", "a/mnz.c", "amn/z.c", "a/mn/z.c"], &[]),
            ("b/**z.c", &["b/z.c", "b/mnz.c", "b/mn/z.c"], &["bmnz.c", "bm/nz.c", "bmn/z.c"]),
            ("c**/z.c", &["c/z.c", "cmn/z.c", "c/mn/z.c"], &["cmnz.c", "cm/nz.c", "c/mnz.c"]),
            ("d/**/z.c", &["d/z.c", "d/mn/z.c"], &["dmnz.c", "dm/nz.c", "d/mnz.c", "dmn/z.c"]),
            ("/**/z.c", &["z.c", "a/z.c", "a/b/z.c"], &["az.c"]),
            ("sub/", &[], &["sub", "sub/a"]),
            ("a\\*", &["a*"], &["ab"]),
            ("a\\", &["a\\"], &["a"]),
            ("", &[], &["a"]),
        ] {
            let compiled = Glob::new(glob).unwrap();
            let matches = |path: &str| {
                let path: Vec<_> = path.chars().collect();
                compiled.matches(&path, &mut 100_000).unwrap()
            };
            assert!(matching.iter().all(|path| matches(path)), "{glob} {matching:?}");
            assert!(!other.iter().any(|path| matches(path)), "{glob} {other:?}");
        }
    }

    #[test]
    fn steps_of_a_match_are_limited() {
        let path: Vec<char> = "a".repeat(4096).chars().collect();
        for glob in ["*a".repeat(511), "{*,a}".repeat(204), format!("{}a", "**".repeat(511))] {
            let glob = Glob::new(&format!("{glob}b")).unwrap();
            let mut steps = 1 << 17;
            // The number of states by that of positions is the maximum of all steps.
            let mut all = 8 * glob.states.len() * path.len();
            assert_eq!(glob.matches(&path, &mut all), Some(false));
            if glob.states.len() > 100 {
                assert_eq!(glob.matches(&path, &mut steps), None);
            }
            assert_eq!(glob.matches(&['a', 'c'], &mut 100_000), Some(false));
        }
        let nested = format!("{}a{}", "{b,".repeat(250), "}".repeat(250));
        assert_eq!(Glob::new(&nested).unwrap().matches(&['a'], &mut 10_000), Some(true));
        assert!(Glob::new(&"a".repeat(1025)).is_err());
    }
}
