//! Lists of patterns as in `.gitignore`, and the matching of one pattern.
//!
//! Patterns are not compiled, so that a list takes little more memory than its text. A list is
//! searched from its end, as git does: matching a file takes time linear in the length of the list.

/// The effect of the last pattern in a list that matches a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternMatch {
    Ignored,
    /// The pattern begins with `!`.
    Included,
}

/// The flag of a pattern with `!`.
const NEGATED: u8 = 1;
/// The flag of a pattern that ends with a slash and matches only directories.
const DIRECTORY: u8 = 2;
/// The flag of a pattern without another slash, which is matched with the last component.
const COMPONENT: u8 = 4;
/// The flag of a pattern without wildcards.
const LITERAL: u8 = 8;
/// The flag of a component that is `*` and a literal, stored without the `*`.
const SUFFIX: u8 = 16;

/// The value of the length byte if the length follows in four more bytes.
const LONG_PATTERN: u8 = u8::MAX;

/// A list of patterns. The last matching pattern decides.
#[derive(Debug, Default)]
pub(super) struct IgnorePatterns {
    /// The flags, length and bytes of each pattern, the last pattern first.
    packed: Box<[u8]>,
    /// Whether all patterns are negated.
    only_negated: bool,
}

impl IgnorePatterns {
    /// Parses the text of a `.gitignore`.
    pub(super) fn parse(text: &[u8]) -> IgnorePatterns {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        IgnorePatterns::from_lines(text.rsplit(|byte| *byte == b'\n'))
    }

    /// Parses lines in reverse order.
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
                    // A list is smaller than 4 GiB.
                    packed.extend_from_slice(&(pattern.len() as u32).to_le_bytes());
                }
            }
            packed.extend_from_slice(pattern);
        }
        IgnorePatterns { packed: packed.into(), only_negated }
    }

    /// Returns the memory size in bytes.
    pub(super) fn size(&self) -> usize {
        self.packed.len()
    }

    /// Returns true if all patterns are negated.
    pub(super) fn is_only_negated(&self) -> bool {
        self.only_negated
    }

    /// Returns the effect of the list on a path relative to the directory of the list, or `None` if no
    /// pattern matches.
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
            if matches_text(*flags, pattern, text) {
                let negated = flags & NEGATED != 0;
                return Some(if negated { PatternMatch::Included } else { PatternMatch::Ignored });
            }
        }
        None
    }
}

/// A pattern of `.gitattributes`, with the syntax of `.gitignore`.
#[derive(Debug)]
pub(crate) struct Pattern {
    flags: u8,
    text: Box<[u8]>,
}

impl Pattern {
    /// Parses a pattern. Returns `None` if it is empty.
    pub(crate) fn parse(pattern: &[u8]) -> Option<Pattern> {
        parse_pattern(pattern).map(|(flags, text)| Pattern { flags, text: text.into() })
    }

    /// Returns whether the pattern begins with `!`.
    pub(crate) fn is_negated(&self) -> bool {
        self.flags & NEGATED != 0
    }

    /// Returns whether a file matches, given its path relative to the directory of the list.
    pub(crate) fn matches_file(&self, path: &[u8]) -> bool {
        let component = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
        let text = if self.flags & COMPONENT != 0 { component } else { path };
        self.flags & DIRECTORY == 0 && matches_text(self.flags, &self.text, text)
    }
}

/// Matches a parsed pattern with the text that its flags select.
fn matches_text(flags: u8, pattern: &[u8], text: &[u8]) -> bool {
    match flags & (LITERAL | SUFFIX) {
        0 => matches_wildcard(pattern, text),
        LITERAL => pattern == text,
        _ => text.ends_with(pattern),
    }
}

/// Matches a pattern with wildcards. As in git, the literal before the first wildcard is compared
/// first, and the rest is a separate pattern: `a**/b` matches `a` followed by a match of `**/b`.
fn matches_wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let literal = literal_prefix_len(pattern);
    text.get(..literal) == pattern.get(..literal)
        && wildmatch(&pattern[literal..], &text[literal..])
}

/// Returns the number of bytes before the first wildcard.
fn literal_prefix_len(pattern: &[u8]) -> usize {
    let wild = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
    pattern.iter().position(wild).unwrap_or(pattern.len())
}

/// Parses a line into flags and a pattern. Returns `None` for a comment and for an empty pattern.
fn parse_line(line: &[u8]) -> Option<(u8, &[u8])> {
    if line.starts_with(b"#") {
        return None;
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = &line[..memchr::memchr(0, line).unwrap_or(line.len())];
    parse_pattern(trim_trailing_spaces(line))
}

/// Parses a pattern into flags and text. Returns `None` if it is empty.
fn parse_pattern(mut pattern: &[u8]) -> Option<(u8, &[u8])> {
    let mut flags = 0;
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
    let suffix = pattern.strip_prefix(b"*").filter(|_| flags & COMPONENT != 0);
    if let Some(suffix) = suffix.filter(|suffix| literal_prefix_len(suffix) == suffix.len()) {
        return Some((flags | SUFFIX, suffix));
    }
    pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
    if literal_prefix_len(pattern) == pattern.len() {
        flags |= LITERAL;
    }
    (!pattern.is_empty()).then_some((flags, pattern))
}

/// Removes trailing spaces unless they are escaped with a backslash.
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

/// Validates the pattern in a line.
///
/// # Errors
///
/// Returns a description of the syntax error.
pub(super) fn validate_line(line: &[u8]) -> Result<(), &'static str> {
    parse_line(line).map_or(Ok(()), |(flags, pattern)| match flags & SUFFIX {
        0 => validate(pattern),
        _ => Ok(()),
    })
}

/// Returns true if the whole text matches the pattern, exactly as git's `wildmatch` with
/// `WM_PATHNAME`.
///
/// `*` and `?` do not match a slash; `**` does if it is a whole component. The function does not
/// allocate, and its time is bounded: it backtracks only to the last `*` of a component and to the
/// last `**`, because they can match everything that an earlier one could match.
fn wildmatch(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // The pattern after the last `*` or `**`, and the end of the text that it matches so far.
    let mut star: Option<(usize, usize)> = None;
    let mut stars: Option<(usize, usize)> = None;
    loop {
        let byte = text.get(t).copied();
        let step = match (pattern.get(p), byte) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                let end = p + pattern[p..].iter().take_while(|byte| **byte == b'*').count();
                let rest = &pattern[end..];
                let is_component = end - p > 1 && (p == 0 || pattern[p - 1] == b'/');
                if is_component && rest.is_empty() {
                    return true;
                }
                if is_component && (rest[0] == b'/' || rest.starts_with(b"\\/")) {
                    (star, stars) = (None, Some((end, t)));
                    // `**/` may match no component. Git does not recognize `**\/` as such.
                    p = end + usize::from(rest[0] == b'/');
                } else {
                    star = Some((end, t));
                    p = end;
                }
                continue;
            }
            (None, _) | (_, None) => None,
            (Some(b'?'), Some(byte)) => (byte != b'/').then_some(1),
            (Some(b'['), Some(byte)) => match match_class(&pattern[p..], byte) {
                // An invalid class matches nothing, as in git.
                Err(_) => return false,
                Ok((len, matches)) => (matches && byte != b'/').then_some(len),
            },
            (Some(b'\\'), Some(byte)) => (pattern.get(p + 1) == Some(&byte)).then_some(2),
            (Some(literal), Some(byte)) => (*literal == byte).then_some(1),
        };
        if let Some(len) = step {
            p += len;
            t += 1;
            continue;
        }
        let longer = star.filter(|(_, end)| text.get(*end).is_some_and(|byte| *byte != b'/'));
        if let Some((after, end)) = longer {
            star = Some((after, end + 1));
            (p, t) = (after, end + 1);
            continue;
        }
        let slash =
            stars.and_then(|(after, end)| Some((after, end + memchr::memchr(b'/', &text[end..])?)));
        let Some((after, slash)) = slash else { return false };
        // The pattern after `**` begins with a slash.
        star = None;
        stars = Some((after, slash + 1));
        (p, t) = (after, slash);
    }
}

/// Validates a pattern. In git an invalid pattern matches nothing.
///
/// # Errors
///
/// Returns a description of the syntax error.
fn validate(pattern: &[u8]) -> Result<(), &'static str> {
    let mut p = 0;
    while let Some(byte) = pattern.get(p) {
        p += match byte {
            b'[' => match_class(&pattern[p..], 0)?.0,
            b'\\' if p + 1 == pattern.len() => return Err("trailing backslash"),
            b'\\' => 2,
            _ => 1,
        };
    }
    Ok(())
}

const UNCLOSED_CLASS: &str = "unclosed '['";

/// Matches a byte with the bracket expression at the start of `pattern`. Returns the length of the
/// expression, and whether the byte is a member.
fn match_class(pattern: &[u8], byte: u8) -> Result<(usize, bool), &'static str> {
    let at = |p: usize| pattern.get(p).copied().ok_or(UNCLOSED_CLASS);
    let negated = matches!(at(1)?, b'!' | b'^');
    let first = 1 + usize::from(negated);
    let (mut p, mut matches) = (first, false);
    // The lower end of a range, if the last member can begin one.
    let mut low = None;
    loop {
        match at(p)? {
            // The first `]` is a member.
            b']' if p > first => return Ok((p + 1, matches != negated)),
            b'\\' => {
                p += 1;
                let escaped = at(p)?;
                matches |= byte == escaped;
                low = Some(escaped);
            }
            b'-' if low.is_some() && at(p + 1)? != b']' => {
                p += 1;
                let mut high = at(p)?;
                if high == b'\\' {
                    p += 1;
                    high = at(p)?;
                }
                matches |= low.is_some_and(|low| (low..=high).contains(&byte));
                low = None;
            }
            b'[' if pattern.get(p + 1) == Some(&b':') => {
                let name = &pattern[p + 2..];
                let end = name.iter().position(|byte| *byte == b']').ok_or(UNCLOSED_CLASS)?;
                match name[..end].strip_suffix(b":") {
                    Some(name) => {
                        matches |=
                            match_named_class(name, byte).ok_or("unknown character class")?;
                        low = None;
                        p += 2 + end;
                    }
                    // The bracket is an ordinary member.
                    None => {
                        matches |= byte == b'[';
                        low = Some(b'[');
                    }
                }
            }
            member => {
                matches |= byte == member;
                low = Some(member);
            }
        }
        p += 1;
    }
}

/// Returns true if a byte is in a named class, or `None` for an unknown class. Bytes above 0x7F are
/// in no class.
fn match_named_class(name: &[u8], byte: u8) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => matches!(byte, b' '..=b'~'),
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
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

    #[test]
    fn matches_as_in_git_examples() {
        for (pattern, text, expected) in [
            ("foo", "foo", true),
            ("foo", "qux", false),
            ("", "", true),
            ("???", "foo", true),
            ("??", "foo", false),
            ("*", "foo", true),
            ("f*", "foo", true),
            ("*f", "foo", false),
            ("*foo*", "foo", true),
            ("*ob*a*r*", "foobar", true),
            ("*ab", "aaaaaaabababab", true),
            (r"foo\*", "foo*", true),
            (r"foo\*qux", "fooqux", false),
            (r"f\\oo", r"f\oo", true),
            ("*[al]?", "ball", true),
            ("[ten]", "ten", false),
            ("**[!te]", "ten", true),
            ("**[!ten]", "ten", false),
            ("t[a-g]n", "ten", true),
            ("t[!a-g]n", "ton", true),
            ("t[^a-g]n", "ton", true),
            ("a[]]b", "a]b", true),
            ("a[]-]b", "a-b", true),
            ("a[]a-]b", "aab", true),
            ("]", "]", true),
            ("foo*qux", "foo/baz/qux", false),
            ("foo**qux", "foo/baz/qux", false),
            ("foo/**/qux", "foo/baz/qux", true),
            ("foo/**/**/qux", "foo/b/a/z/qux", true),
            ("foo/**/qux", "foo/qux", true),
            ("foo[/]qux", "foo/qux", false),
            ("f[^eiu][^eiu][^eiu][^eiu][^eiu]r", "foo/zar", false),
            ("**/foo", "foo", true),
            ("**/foo", "XXX/foo", true),
            ("*/foo", "qux/baz/foo", false),
            ("**/qux*", "foo/qux/baz", false),
            ("**/qux/*", "deep/foo/qux/baz/x", false),
            ("**/qux/**", "deep/foo/qux/baz/x", true),
            ("**/qux/*/*", "deep/foo/qux/baz/x", true),
            ("[[:alpha:]][[:digit:]][[:upper:]]", "a1B", true),
            ("[[:digit:][:upper:][:space:]]", "a", false),
            ("[[:digit:][:upper:][:spaci:]]", "1", false),
            (r"[a-c\]]x", "]x", true),
            ("[[-\\]]", "\\", true),
            ("[,-.]", "-", true),
            ("[a-", "a", false),
            (
                "-*-*-*-*-*-*-12-*-*-*-m-*-*-*",
                "-adobe-courier-bold-o-normal--12-120-75-75-m-70-iso8859-1",
                true,
            ),
            ("**/*a*b*g*n*t", "abcd/abcdefg/abcdefghijk/abcdefghijklmnop.txt", true),
            ("**/*a*b*g*n*t", "abcd/abcdefg/abcdefghijk/abcdefghijklmnop.txtz", false),
        ] {
            assert_eq!(
                wildmatch(pattern.as_bytes(), text.as_bytes()),
                expected,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn many_stars_match_in_bounded_time() {
        let text = "a".repeat(255);
        assert!(!wildmatch(("*a".repeat(100) + "b").as_bytes(), text.as_bytes()));
        let (pattern, text) = ("**/a*/".repeat(50) + "b", "a/".repeat(500));
        assert!(!wildmatch(pattern.as_bytes(), text.as_bytes()));
    }

    #[test]
    fn invalid_patterns_are_reported() {
        for (pattern, error) in [
            ("a[b", Some(UNCLOSED_CLASS)),
            ("[[:x:]]", Some("unknown character class")),
            ("a\\", Some("trailing backslash")),
            ("a\\[b", None),
            ("[]a]*", None),
        ] {
            assert_eq!(validate(pattern.as_bytes()).err(), error, "{pattern}");
        }
    }
}
