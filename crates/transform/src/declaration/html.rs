//! The algorithm "prescan a byte stream to determine its encoding" of the HTML Standard.

use std::ops::Range;

use super::{DeclarationKind, FoundDeclaration, is_space, space_len};

/// Returns the encoding that a `meta` element declares, if the text starts with `<`.
pub(super) fn find(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    let mut at = start + space_len(text, start);
    if text.get(at) != Some(&b'<') {
        return None;
    }
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(b"<!--") {
            // The two hyphens may be the same.
            at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 2;
        } else if is_meta(rest) {
            let (found, end) = scan_meta(text, at + 5);
            if found.is_some() {
                return found;
            }
            at = end;
        } else if is_tag(rest) {
            at += rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?;
            while let Some((_, end)) = attribute(text, at) {
                at = end;
            }
            at = end_of_attributes(text, at);
        } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
            at += memchr::memchr(b'>', rest)?;
        }
        at += 1;
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    rest.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"<meta"))
        && rest.get(5).is_some_and(|byte| is_space(*byte) || *byte == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// The name and the value of an attribute.
type Attribute = (Range<usize>, Range<usize>);

/// Examines the attributes of a `meta` element. Returns the declaration, and where the element ends.
fn scan_meta(text: &[u8], mut at: usize) -> (Option<FoundDeclaration>, usize) {
    let mut has_pragma = false;
    let mut needs_pragma = None;
    let mut label: Option<Range<usize>> = None;
    let mut seen = [false; 3];
    while let Some(((name, value), end)) = attribute(text, at) {
        at = end;
        let names: [&[u8]; 3] = [b"http-equiv", b"content", b"charset"];
        let name = &text[name];
        let Some(index) = names.iter().position(|known| name.eq_ignore_ascii_case(known)) else {
            continue;
        };
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        match index {
            0 => has_pragma = text[value].eq_ignore_ascii_case(b"content-type"),
            1 if label.is_none() => {
                label = charset_in_content(text, value);
                needs_pragma = label.is_some().then_some(true).or(needs_pragma);
            }
            1 => {}
            _ => {
                label = Some(value);
                needs_pragma = Some(false);
            }
        }
    }
    let end = end_of_attributes(text, at);
    let is_complete = text.get(end) == Some(&b'>');
    let is_declaration = match needs_pragma {
        Some(needs_pragma) => is_complete && (has_pragma || !needs_pragma),
        None => false,
    };
    let found = label
        .filter(|_| is_declaration)
        .map(|label| FoundDeclaration::new(DeclarationKind::Html, label))
        .filter(|found| found.encoding(text).is_some());
    (found, end)
}

/// Returns the index of the `>` after the attributes that end at `at`, or the end of the text.
fn end_of_attributes(text: &[u8], at: usize) -> usize {
    let skipped = text[at..].iter().take_while(|byte| is_space(**byte) || **byte == b'/').count();
    at + skipped
}

/// Returns the attribute at `at`, and where it ends.
fn attribute(text: &[u8], at: usize) -> Option<(Attribute, usize)> {
    let start = end_of_attributes(text, at);
    if matches!(text.get(start), None | Some(b'>')) {
        return None;
    }
    // The first character may be `=`.
    let ends_name = |byte: &u8| is_space(*byte) || matches!(byte, b'/' | b'>' | b'=');
    let name_len = 1 + text[start + 1..].iter().position(ends_name)?;
    let name = start..start + name_len;
    let mut at = name.end + space_len(text, name.end);
    if text.get(at) != Some(&b'=') {
        return Some(((name.clone(), name.end..name.end), at));
    }
    at += 1;
    at += space_len(text, at);
    match *text.get(at)? {
        quote @ (b'"' | b'\'') => {
            let end = at + 1 + memchr::memchr(quote, &text[at + 1..])?;
            Some(((name, at + 1..end), end + 1))
        }
        b'>' => Some(((name, at..at), at)),
        _ => {
            let end = at + text[at..].iter().position(|byte| is_space(*byte) || *byte == b'>')?;
            Some(((name, at..end), end))
        }
    }
}

/// The algorithm "extracting a character encoding from a meta element".
fn charset_in_content(text: &[u8], content: Range<usize>) -> Option<Range<usize>> {
    let text = &text[..content.end];
    let mut at = content.start;
    loop {
        at += text[at..].windows(7).position(|name| name.eq_ignore_ascii_case(b"charset"))? + 7;
        let equals = at + space_len(text, at);
        if text.get(equals) == Some(&b'=') {
            at = equals + 1;
            break;
        }
    }
    at += space_len(text, at);
    match *text.get(at)? {
        quote @ (b'"' | b'\'') => {
            let end = at + 1 + memchr::memchr(quote, &text[at + 1..])?;
            Some(at + 1..end)
        }
        _ => {
            let len =
                text[at..].iter().take_while(|byte| !is_space(**byte) && **byte != b';').count();
            Some(at..at + len)
        }
    }
}
