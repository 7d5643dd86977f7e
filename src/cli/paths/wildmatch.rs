//! Matching of one pattern, exactly as git's `wildmatch` with `WM_PATHNAME` does.
//!
//! `*` and `?` do not match a slash; `**` does where it is a whole component. Nothing is compiled
//! and nothing is allocated. Time is bounded: only the last `*` of a component and the last `**` are
//! ever tried again, because whatever an earlier one could match, the last one can match as well.

/// Whether the whole text matches the pattern.
pub(super) fn wildmatch(pattern: &[u8], text: &[u8]) -> bool {
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
                let whole = end - p > 1 && (p == 0 || pattern[p - 1] == b'/');
                if whole && rest.is_empty() {
                    return true;
                }
                if whole && (rest[0] == b'/' || rest.starts_with(b"\\/")) {
                    (star, stars) = (None, Some((end, t)));
                    // It may match no component, but git does not recognize that after a backslash.
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
                // Git gives up as well.
                Err(_) => return false,
                Ok((len, fits)) => (fits && byte != b'/').then_some(len),
            },
            (Some(b'\\'), Some(byte)) => (pattern.get(p + 1) == Some(&byte)).then_some(2),
            (Some(literal), Some(byte)) => (*literal == byte).then_some(1),
        };
        if let Some(len) = step {
            p += len;
            t += 1;
        } else if let Some((after, end)) = star
            && text.get(end).is_some_and(|byte| *byte != b'/')
        {
            star = Some((after, end + 1));
            (p, t) = (after, end + 1);
        } else if let Some((after, end)) = stars
            && let Some(slash) = memchr::memchr(b'/', &text[end..])
        {
            // What follows begins with a slash.
            star = None;
            stars = Some((after, end + slash + 1));
            (p, t) = (after, end + slash);
        } else {
            return false;
        }
    }
}

/// Checks a pattern that must not contain a mistake. Git takes one with a mistake for a pattern
/// that matches nothing.
pub(super) fn validate(pattern: &[u8]) -> Result<(), &'static str> {
    let mut p = 0;
    while let Some(byte) = pattern.get(p) {
        p += match byte {
            b'[' => match_class(&pattern[p..], 0)?.0,
            b'\\' if p + 1 == pattern.len() => return Err("it ends with a backslash"),
            b'\\' => 2,
            _ => 1,
        };
    }
    Ok(())
}

const UNCLOSED_CLASS: &str = "a '[' has no ']'";

/// A bracket expression: its length, and whether the byte is in it.
fn match_class(pattern: &[u8], byte: u8) -> Result<(usize, bool), &'static str> {
    let at = |p: usize| pattern.get(p).copied().ok_or(UNCLOSED_CLASS);
    let negated = matches!(at(1)?, b'!' | b'^');
    let first = 1 + usize::from(negated);
    let (mut p, mut fits) = (first, false);
    // The lower end of a range, if one can begin here.
    let mut low = None;
    loop {
        let here = at(p)?;
        match here {
            // As the first member it is itself.
            b']' if p > first => return Ok((p + 1, fits != negated)),
            b'\\' => {
                p += 1;
                let escaped = at(p)?;
                fits |= byte == escaped;
                low = Some(escaped);
            }
            b'-' if low.is_some() && at(p + 1)? != b']' => {
                p += 1;
                let mut high = at(p)?;
                if high == b'\\' {
                    p += 1;
                    high = at(p)?;
                }
                fits |= low.is_some_and(|low| (low..=high).contains(&byte));
                low = None;
            }
            b'[' if pattern.get(p + 1) == Some(&b':') => {
                let name = &pattern[p + 2..];
                let end = name.iter().position(|byte| *byte == b']').ok_or(UNCLOSED_CLASS)?;
                match name[..end].strip_suffix(b":") {
                    Some(name) => {
                        fits |= match_named_class(name, byte)
                            .ok_or("there is no character class of that name")?;
                        low = None;
                        p += 2 + end;
                    }
                    // It is an ordinary bracket.
                    None => {
                        fits |= byte == b'[';
                        low = Some(b'[');
                    }
                }
            }
            member => {
                fits |= byte == member;
                low = Some(member);
            }
        }
        p += 1;
    }
}

/// Whether a byte is in a class by its name. All that is beyond ASCII is in none.
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

    #[test]
    fn matches_as_in_git_examples() {
        for (pattern, text, expected) in [
            ("foo", "foo", true),
            ("foo", "bar", false),
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
            (r"foo\*bar", "foobar", false),
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
            ("foo*bar", "foo/baz/bar", false),
            ("foo**bar", "foo/baz/bar", false),
            ("foo/**/bar", "foo/baz/bar", true),
            ("foo/**/**/bar", "foo/b/a/z/bar", true),
            ("foo/**/bar", "foo/bar", true),
            ("foo[/]bar", "foo/bar", false),
            ("f[^eiu][^eiu][^eiu][^eiu][^eiu]r", "foo/bar", false),
            ("**/foo", "foo", true),
            ("**/foo", "XXX/foo", true),
            ("*/foo", "bar/baz/foo", false),
            ("**/bar*", "foo/bar/baz", false),
            ("**/bar/*", "deep/foo/bar/baz/x", false),
            ("**/bar/**", "deep/foo/bar/baz/x", true),
            ("**/bar/*/*", "deep/foo/bar/baz/x", true),
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
        for (pattern, mistake) in [
            ("a[b", Some(UNCLOSED_CLASS)),
            ("[[:x:]]", Some("there is no character class of that name")),
            ("a\\", Some("it ends with a backslash")),
            ("a\\[b", None),
            ("[]a]*", None),
        ] {
            assert_eq!(validate(pattern.as_bytes()).err(), mistake, "{pattern}");
        }
    }
}
