//! The package inputenc of LaTeX.

use super::{DeclarationKind, FoundDeclaration};
use charpipe_encoding::encoding::{self, Encoding};

/// The names of inputenc, and labels of their encodings (LaTeX2e, `inputenc.dtx`).
const NAMES: [(&str, &str); 22] = [
    ("utf8", "UTF-8"),
    ("ascii", "US-ASCII"),
    ("latin1", "ISO-8859-1"),
    ("latin2", "ISO-8859-2"),
    ("latin3", "ISO-8859-3"),
    ("latin4", "ISO-8859-4"),
    ("latin5", "ISO-8859-9"),
    ("latin9", "ISO-8859-15"),
    ("latin10", "ISO-8859-16"),
    ("cp437", "IBM437"),
    ("cp850", "IBM850"),
    ("cp852", "IBM852"),
    ("cp858", "CP858"),
    ("cp865", "IBM865"),
    ("cp866", "IBM866"),
    ("cp1250", "windows-1250"),
    ("cp1251", "windows-1251"),
    ("cp1252", "windows-1252"),
    ("cp1257", "windows-1257"),
    ("koi8-r", "KOI8-R"),
    ("applemac", "MACINTOSH"),
    ("macce", "MAC-CENTRALEUROPE"),
];

/// Other names, and the names above or the labels that they mean.
const SYNONYMS: [(&str, &str); 4] =
    [("utf8x", "utf8"), ("ansinew", "cp1252"), ("cp437de", "cp437"), ("iso88595", "iso-8859-5")];

/// Returns the encoding of a name of inputenc.
pub(super) fn encoding(name: &str) -> Option<&'static Encoding> {
    let name = SYNONYMS.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name);
    let label = NAMES.iter().find(|(known, _)| *known == name).map_or(name, |(_, label)| label);
    encoding::for_label(label)
}

/// Returns the name of an encoding for inputenc, if it has one.
pub(super) fn name_of(to: &Encoding) -> Option<&'static str> {
    let is_same = |label: &str| encoding::for_label(label).is_some_and(|it| std::ptr::eq(it, to));
    NAMES.iter().find(|(_, label)| is_same(label)).map(|(name, _)| *name)
}

/// Returns the encoding in `\usepackage[latin1]{inputenc}` after `\documentclass`. Of several options the last one
/// applies.
pub(super) fn find(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    let mut at = start;
    let mut has_class = false;
    for line in text[start..].split_inclusive(|byte| *byte == b'\n') {
        let line_start = at;
        at += line.len();
        let content = &line[..comment_start(line)];
        let command = content.trim_ascii_start();
        has_class |=
            command.starts_with(b"\\documentclass") || command.starts_with(b"\\documentstyle");
        if command.starts_with(b"\\begin{document}") {
            return None;
        }
        let options = command.strip_prefix(b"\\usepackage").map(<[u8]>::trim_ascii_start);
        let Some(options) = options.and_then(|rest| rest.strip_prefix(b"[")) else { continue };
        let Some(len) = memchr::memchr(b']', options) else { continue };
        if !has_class || !options[len + 1..].trim_ascii_start().starts_with(b"{inputenc}") {
            continue;
        }
        let last = options[..len].rsplit(|byte| *byte == b',').next()?;
        let name = last.trim_ascii();
        let offset = name.as_ptr() as usize - line.as_ptr() as usize;
        let label = line_start + offset..line_start + offset + name.len();
        let found = FoundDeclaration::new(DeclarationKind::Latex, label);
        return Some(found).filter(|found| found.encoding(text).is_some());
    }
    None
}

/// Returns the offset of the comment in a line, which begins with `%` that no backslash precedes.
fn comment_start(line: &[u8]) -> usize {
    let is_comment = |at: &usize| *at == 0 || line[at - 1] != b'\\';
    memchr::memchr_iter(b'%', line).find(is_comment).unwrap_or(line.len())
}
