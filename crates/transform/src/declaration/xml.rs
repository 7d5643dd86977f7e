//! The XML declaration.

use super::{DeclarationKind, FoundDeclaration, is_space, space_len};

/// Returns the encoding declared at `start`, or if there is none, where it belongs: after the version.
pub(super) fn find(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    let found = |label| FoundDeclaration::new(DeclarationKind::Xml, label);
    let mut at = start + text[start..].strip_prefix(b"<?xml").map(|_| 5)?;
    let end = at + memchr::memmem::find(&text[at..], b"?>")?;
    let text = &text[..end];
    let mut version_end = None;
    loop {
        let space = space_len(text, at);
        at += space;
        if at == end {
            return version_end.map(|end| found(end..end));
        }
        let len = text[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = &text[at..at + len];
        at += len;
        at += space_len(text, at);
        if space == 0 || len == 0 || text.get(at) != Some(&b'=') {
            return None;
        }
        at += 1;
        at += space_len(text, at);
        let quote = *text.get(at).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let value = at + 1;
        at = value + memchr::memchr(quote, &text[value..])?;
        match name {
            b"encoding" => {
                let found = found(value..at);
                return found.encoding(text).is_some().then_some(found);
            }
            // A pseudo-attribute of another quotation.
            _ if text[value..at].iter().any(|byte| is_space(*byte)) => return None,
            b"version" => version_end = Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}
