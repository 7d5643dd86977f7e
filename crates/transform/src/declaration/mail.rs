//! The header of a mail or of an HTTP message.

use super::{DeclarationKind, FoundDeclaration, charset_parameter};

/// Returns the encoding in the `Content-Type` field of a header (RFC 2045, section 5; RFC 9110, section 8.3) at the start of the
/// text, unless the body is Base64 or quoted-printable, which is ASCII.
pub(super) fn find(text: &[u8], start: usize) -> Option<FoundDeclaration> {
    let (mut at, mut found) = (start, None);
    let mut is_content_type = false;
    for line in text[start..].split_inclusive(|byte| *byte == b'\n') {
        let (is_first, line_start) = (at == start, at);
        at += line.len();
        let content = line.trim_ascii_end();
        if content.is_empty() {
            break;
        }
        // The line before the fields of a response, or of a mail in a mailbox.
        if is_first && (content.starts_with(b"HTTP/") || content.starts_with(b"From ")) {
            continue;
        }
        let is_continuation = !is_first && matches!(content[0], b' ' | b'\t');
        if !is_continuation {
            let Some((name, value)) = field(content) else {
                // The text may have been cut.
                let is_cut = at == text.len() && !line.ends_with(b"\n");
                return found.filter(|_| is_cut);
            };
            if name.eq_ignore_ascii_case(b"content-transfer-encoding") && is_ascii_form(value) {
                return None;
            }
            is_content_type = name.eq_ignore_ascii_case(b"content-type");
        }
        if is_content_type && found.is_none() {
            found = charset_parameter(content).map(|label| {
                let label = line_start + label.start..line_start + label.end;
                FoundDeclaration::new(DeclarationKind::Mail, label)
            });
            found = found.filter(|found| {
                let end = text.get(found.label.end);
                let is_complete =
                    matches!(end, None | Some(b'"' | b';' | b' ' | b'\t' | b'\r' | b'\n'));
                is_complete && found.encoding(text).is_some()
            });
        }
    }
    found
}

/// Splits a field at the colon, if the name before it is one.
fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let (name, value) = line.split_at(colon);
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    is_name.then_some((name, value[1..].trim_ascii()))
}

fn is_ascii_form(transfer_encoding: &[u8]) -> bool {
    ["base64", "quoted-printable"]
        .iter()
        .any(|name| transfer_encoding.eq_ignore_ascii_case(name.as_bytes()))
}
