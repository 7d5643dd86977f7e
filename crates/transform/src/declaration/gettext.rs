//! The header entry of a message catalog of GNU gettext.

use super::{DeclarationKind, FoundDeclaration, charset_parameter};

/// Returns the encoding in the `Content-Type` field of the entry with an empty `msgid`, which must be the first one (GNU gettext
/// manual, "Filling in the Header Entry").
pub(super) fn find(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    const FIELD: &[u8] = b"\"content-type:";
    let mut at = start;
    // The keywords of the entry that have been read.
    let (mut has_id, mut has_text) = (false, false);
    for line in text[start..].split_inclusive(|byte| *byte == b'\n') {
        let line_start = at;
        at += line.len();
        let content = line.trim_ascii();
        let starts_with = |prefix: &[u8]| {
            content.get(..prefix.len()).is_some_and(|found| found.eq_ignore_ascii_case(prefix))
        };
        match (has_id, has_text) {
            _ if content.is_empty() || content.starts_with(b"#") => {}
            (false, _) if content == b"msgid \"\"" => has_id = true,
            (true, false) if content.starts_with(b"msgstr \"") => has_text = true,
            (true, true) if starts_with(FIELD) => {
                let label = charset_parameter(line)?;
                let label = line_start + label.start..line_start + label.end;
                let end = text.get(label.end);
                let found = FoundDeclaration::new(DeclarationKind::Gettext, label);
                let is_complete = matches!(end, Some(b'\\' | b'"' | b';' | b' '));
                return Some(found).filter(|found| is_complete && found.encoding(text).is_some());
            }
            (true, true) if content.starts_with(b"\"") => {}
            _ => return None,
        }
    }
    None
}
