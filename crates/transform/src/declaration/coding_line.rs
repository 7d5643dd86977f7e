//! Lines for Python, Emacs, Vim and Perl.

use std::ops::Range;

use super::{DeclarationKind, FoundDeclaration, label_len};

/// The number of lines in which Vim looks for a modeline.
const MODELINES: usize = 5;

/// Returns up to two declarations with different names.
pub(super) fn find(text: &[u8], start: usize) -> [Option<FoundDeclaration>; 2] {
    let mut found = [None, None];
    let mut at = start;
    // Whether Python and Emacs look at this line.
    let (mut for_python, mut for_emacs) = (true, true);
    for line in text[start..].split(|byte| *byte == b'\n').take(MODELINES) {
        let candidates = [
            (DeclarationKind::Python, for_python.then(|| python(line)).flatten()),
            (DeclarationKind::Emacs, for_emacs.then(|| emacs(line)).flatten()),
            (DeclarationKind::Vim, vim(line)),
        ];
        for (kind, label) in candidates {
            let Some(label) = label else { continue };
            let label = at + label.start..at + label.end;
            let declaration = FoundDeclaration::new(kind, label);
            let is_known = |known: &FoundDeclaration| known.label == declaration.label;
            if declaration.encoding(text).is_none() || found.iter().flatten().any(is_known) {
                continue;
            }
            if let Some(free) = found.iter_mut().find(|slot| slot.is_none()) {
                *free = Some(declaration);
            }
        }
        let is_first = at == start;
        for_python = is_first && is_blank_or_comment(line);
        for_emacs = is_first && line.starts_with(b"#!");
        at += line.len() + 1;
    }
    found
}

/// Returns the encoding of the first `=encoding latin1` (perlpod) or `use encoding "latin1";` (the pragma encoding).
pub(super) fn find_for_perl(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    let mut at = start;
    text[start..].split_inclusive(|byte| *byte == b'\n').find_map(|line| {
        let line_start = at;
        at += line.len();
        let keywords: [&[u8]; 2] = [b"=encoding ", b"use encoding "];
        let keyword = keywords.into_iter().find(|keyword| line.starts_with(keyword))?;
        let is_before = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'"' | b'\'');
        let label = keyword.len() + line[keyword.len()..].iter().take_while(is_before).count();
        let len = label_len(&line[label..]);
        let is_complete =
            matches!(line.get(label + len), Some(b'"' | b'\'' | b' ' | b'\r' | b'\n'));
        let label = line_start + label..line_start + label + len;
        let found = FoundDeclaration::new(DeclarationKind::Perl, label);
        Some(found).filter(|found| is_complete && found.encoding(text).is_some())
    })
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0C)
}

fn is_label_char(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Returns the name at `at`, if there is one.
fn label_at(line: &[u8], at: usize) -> Option<Range<usize>> {
    let len = line[at..].iter().take_while(|byte| is_label_char(byte)).count();
    (len > 0).then_some(at..at + len)
}

/// Whether Python looks at the line after this one.
fn is_blank_or_comment(line: &[u8]) -> bool {
    matches!(line.iter().find(|byte| !is_blank(byte)), None | Some(b'#' | b'\r'))
}

/// `^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)` (PEP 263).
fn python(line: &[u8]) -> Option<Range<usize>> {
    if line.iter().find(|byte| !is_blank(byte)) != Some(&b'#') {
        return None;
    }
    memchr::memmem::find_iter(line, b"coding").find_map(|at| {
        let after = at + 6;
        line.get(after).filter(|byte| matches!(byte, b':' | b'='))?;
        let blanks = line[after + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        label_at(line, after + 1 + blanks.count())
    })
}

/// The variable `coding` between `-*-` and `-*-`.
fn emacs(line: &[u8]) -> Option<Range<usize>> {
    let start = memchr::memmem::find(line, b"-*-")? + 3;
    let end = start + memchr::memmem::find(&line[start..], b"-*-")?;
    let mut at = start;
    for variable in line[start..end].split(|byte| *byte == b';') {
        let name = at + variable.iter().take_while(|byte| is_blank(byte)).count();
        at += variable.len() + 1;
        let Some(value) = line[name..end].strip_prefix(b"coding") else { continue };
        let blanks = |text: &[u8]| text.iter().take_while(|byte| is_blank(byte)).count();
        let colon = name + 6 + blanks(value);
        if line.get(colon) == Some(&b':') {
            return label_at(&line[..end], colon + 1 + blanks(&line[colon + 1..end]));
        }
    }
    None
}

/// The option `fileencoding` or `fenc` after `vim:`, `vi:` or `ex:`.
fn vim(line: &[u8]) -> Option<Range<usize>> {
    let is_start = |at: usize| at == 0 || is_blank(&line[at - 1]);
    let marks: [&[u8]; 3] = [b"vim:", b"vi:", b"ex:"];
    let options = (0..line.len()).filter(|at| is_start(*at)).find_map(|at| {
        let mark = marks.iter().find(|mark| line[at..].starts_with(mark))?;
        Some(at + mark.len())
    })?;
    let names: [&[u8]; 2] = [b"fileencoding=", b"fenc="];
    (options..line.len()).find_map(|at| {
        let is_option = is_blank(&line[at - 1]) || line[at - 1] == b':';
        let name = names.iter().find(|name| is_option && line[at..].starts_with(name))?;
        label_at(line, at + name.len())
    })
}
