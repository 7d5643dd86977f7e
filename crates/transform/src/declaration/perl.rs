//! The declarations of Perl.

use super::{DeclarationKind, FoundDeclaration};

/// Returns the encoding of the first `=encoding latin1` (perlpod) or `use encoding "latin1";` (the pragma encoding).
pub(super) fn find(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    let mut at = start;
    text[start..].split_inclusive(|byte| *byte == b'\n').find_map(|line| {
        let line_start = at;
        at += line.len();
        let keywords: [&[u8]; 2] = [b"=encoding ", b"use encoding "];
        let keyword = keywords.into_iter().find(|keyword| line.starts_with(keyword))?;
        let is_before = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'"' | b'\'');
        let label = keyword.len() + line[keyword.len()..].iter().take_while(is_before).count();
        let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_:.+".contains(byte);
        let len = line[label..].iter().take_while(is_label).count();
        let is_complete =
            matches!(line.get(label + len), Some(b'"' | b'\'' | b' ' | b'\r' | b'\n'));
        let label = line_start + label..line_start + label + len;
        let found = FoundDeclaration::new(DeclarationKind::Perl, label);
        Some(found).filter(|found| is_complete && found.encoding(text).is_some())
    })
}
