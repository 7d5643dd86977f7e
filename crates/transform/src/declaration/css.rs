//! The `@charset` rule of CSS.

use super::{DeclarationKind, FoundDeclaration};

/// Returns the encoding that a CSS file declares at `start`, in exactly these bytes: `@charset "…";` (CSS Syntax
/// Module Level 3, section 3.2).
pub(super) fn find(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    const OPEN: &[u8] = b"@charset \"";
    let label = start + text[start..].strip_prefix(OPEN).map(|_| OPEN.len())?;
    let end = label + memchr::memchr(b'"', &text[label..])?;
    let found = FoundDeclaration::new(DeclarationKind::Css, label..end);
    let is_complete = text.get(end + 1) == Some(&b';');
    Some(found).filter(|found| is_complete && found.encoding(text).is_some())
}
