//! A list of patterns as in `.gitignore`, in little more memory than its text.
//!
//! Patterns are not compiled. A list is searched from its end, as git does, at the cost of a
//! comparison for each pattern; so a list costs its length for each file it is asked about.

use super::wildmatch::{validate, wildmatch};

/// What a list says of a file: what the last pattern says that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternMatch {
    Ignored,
    /// By a pattern with `!`.
    Included,
}

const NEGATED: u8 = 1;
/// It ends with a slash and matches only directories.
const DIRECTORY: u8 = 2;
/// It contains no other slash and is compared with the last component.
const COMPONENT: u8 = 4;
/// It has no wildcards.
const LITERAL: u8 = 8;
/// A component of `*` and a literal, stored without the `*`.
const SUFFIX: u8 = 16;

/// The length byte that says that the length follows in four more.
const LONG_PATTERN: u8 = u8::MAX;

/// Patterns of which the last that matches decides.
#[derive(Debug, Default)]
pub(super) struct IgnorePatterns {
    /// Kind, length and bytes of each pattern, the last first.
    packed: Box<[u8]>,
    /// Whether all are negated.
    only_negated: bool,
}

impl IgnorePatterns {
    /// Patterns from the text of a `.gitignore`.
    pub(super) fn parse(text: &[u8]) -> IgnorePatterns {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        IgnorePatterns::from_lines(text.rsplit(|byte| *byte == b'\n'))
    }

    /// Patterns of which the last comes first.
    pub(super) fn from_lines<'a>(lines: impl Iterator<Item = &'a [u8]>) -> IgnorePatterns {
        let mut packed = Vec::new();
        let mut only_negated = true;
        for (flags, pattern) in lines.filter_map(parse_line) {
            only_negated &= flags & NEGATED != 0;
            packed.push(flags);
            match u8::try_from(pattern.len()) {
                Ok(len) if len < LONG_PATTERN => packed.push(len),
                _ => {
                    packed.push(LONG_PATTERN);
                    // A list is below 4 GiB.
                    packed.extend_from_slice(&(pattern.len() as u32).to_le_bytes());
                }
            }
            packed.extend_from_slice(pattern);
        }
        IgnorePatterns { packed: packed.into(), only_negated }
    }

    /// Bytes that it takes in memory.
    pub(super) fn size(&self) -> usize {
        self.packed.len()
    }

    pub(super) fn is_only_negated(&self) -> bool {
        self.only_negated
    }

    /// What it says of a path, which begins below the directory of the list.
    pub(super) fn match_path(&self, path: &[u8], is_directory: bool) -> Option<PatternMatch> {
        let component = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
        let mut rest = &*self.packed;
        while let [flags, len, tail @ ..] = rest {
            let (len, tail) = match (len, tail) {
                (&LONG_PATTERN, [a, b, c, d, tail @ ..]) => {
                    (u32::from_le_bytes([*a, *b, *c, *d]) as usize, tail)
                }
                _ => (usize::from(*len), tail),
            };
            let (pattern, next) = tail.split_at(len);
            rest = next;
            if flags & DIRECTORY != 0 && !is_directory {
                continue;
            }
            let text = if flags & COMPONENT != 0 { component } else { path };
            let found = match flags & (LITERAL | SUFFIX) {
                0 => matches_wildcard(pattern, text),
                LITERAL => pattern == text,
                _ => text.ends_with(pattern),
            };
            if found {
                let negated = flags & NEGATED != 0;
                return Some(if negated { PatternMatch::Included } else { PatternMatch::Ignored });
            }
        }
        None
    }
}

/// As git: what precedes the first wildcard is compared first, and what follows is a pattern of its
/// own, so that `a**/b` matches what `a` and `**/b` match in turn.
fn matches_wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let literal = literal_prefix_len(pattern);
    text.get(..literal) == pattern.get(..literal)
        && wildmatch(&pattern[literal..], &text[literal..])
}

/// Bytes before the first wildcard.
fn literal_prefix_len(pattern: &[u8]) -> usize {
    let wild = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
    pattern.iter().position(wild).unwrap_or(pattern.len())
}

/// The flags of a line and its pattern; none for a comment and for what matches nothing.
fn parse_line(line: &[u8]) -> Option<(u8, &[u8])> {
    if line.starts_with(b"#") {
        return None;
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = &line[..memchr::memchr(0, line).unwrap_or(line.len())];
    let line = trim_trailing_spaces(line);
    let mut flags = 0;
    let mut pattern = line;
    if let Some(rest) = pattern.strip_prefix(b"!") {
        flags |= NEGATED;
        pattern = rest;
    }
    if let Some(rest) = pattern.strip_suffix(b"/") {
        flags |= DIRECTORY;
        pattern = rest;
    }
    if !pattern.contains(&b'/') {
        flags |= COMPONENT;
    }
    if let Some(rest) = pattern.strip_prefix(b"*")
        && flags & COMPONENT != 0
        && literal_prefix_len(rest) == rest.len()
    {
        return Some((flags | SUFFIX, rest));
    }
    pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
    if literal_prefix_len(pattern) == pattern.len() {
        flags |= LITERAL;
    }
    (!pattern.is_empty()).then_some((flags, pattern))
}

/// Spaces at the end do not count, unless after a backslash.
fn trim_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => at += 1,
            b'\\' if at + 1 == line.len() => return line,
            byte => {
                at += if byte == b'\\' { 2 } else { 1 };
                end = at;
            }
        }
    }
    &line[..end]
}

/// Checks a line whose pattern must not contain a mistake.
pub(super) fn validate_line(line: &[u8]) -> Result<(), &'static str> {
    parse_line(line).map_or(Ok(()), |(flags, pattern)| match flags & SUFFIX {
        0 => validate(pattern),
        _ => Ok(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn match_path(list: &str, path: &str) -> Option<PatternMatch> {
        let (path, is_directory) =
            path.strip_suffix('/').map_or((path, false), |path| (path, true));
        IgnorePatterns::parse(list.as_bytes()).match_path(path.as_bytes(), is_directory)
    }

    #[test]
    fn last_matching_pattern_decides() {
        assert_eq!(match_path("a\n!a\n", "a"), Some(PatternMatch::Included));
        assert_eq!(match_path("!a\na", "x/a"), Some(PatternMatch::Ignored));
        assert_eq!(match_path("b\n", "a"), None);
    }

    #[test]
    fn lines_are_read_as_git_reads_them() {
        for (list, path, ignored) in [
            ("\u{FEFF}a", "a", true),
            ("a\r\n", "a", true),
            ("#a", "#a", false),
            ("\\#a", "#a", true),
            ("\\!a", "!a", true),
            ("a  ", "a", true),
            ("a\\  ", "a ", true),
            ("a\t", "a", false),
            ("a\0b", "a", true),
            ("a/", "a", false),
            ("a/", "a/", true),
            ("/a", "x/a", false),
            ("/a", "a", true),
            ("x/a", "y/x/a", false),
            ("*.o", "x/a.o", true),
            ("/", "a/", false),
            ("", "a", false),
            ("*", "x/a", true),
            ("a**/b", "ax/y/b", true),
        ] {
            let expected = ignored.then_some(PatternMatch::Ignored);
            assert_eq!(match_path(list, path), expected, "{list:?} {path}");
        }
    }

    #[test]
    fn long_patterns_keep_their_length() {
        for len in [253, 254, 255, 256, 70_000] {
            let name = "x".repeat(len);
            assert_eq!(match_path(&format!("a\n{name}\nb"), &name), Some(PatternMatch::Ignored));
            assert_eq!(match_path(&format!("a\n{name}\nb"), "a"), Some(PatternMatch::Ignored));
        }
    }

    #[test]
    fn patterns_take_little_more_memory_than_their_text() {
        let text = "a\n".repeat(1 << 19);
        assert!(IgnorePatterns::parse(text.as_bytes()).size() <= text.len() * 3 / 2);
    }
}
