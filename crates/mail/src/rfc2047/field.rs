//! Names of header fields, and where each field may have encoded-words.
//!
//! The decoder follows these rules because another program will parse its output, so it must not
//! create syntax; the encoder because no reader decodes an encoded-word elsewhere.

use super::work_counter;

/// Where a header field may have encoded-words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldKind {
    /// Anywhere: a value without field name.
    #[default]
    Value,
    /// Anywhere: an unstructured or unknown field.
    Unstructured,
    /// In phrases and comments: a list of addresses (RFC 2047, section 5, rules 2 and 3).
    AddressList,
    /// Nowhere: a field for programs (RFC 2047, section 5).
    NoEncodedWords,
    /// For the decoder, in parameters of RFC 2231 that have been rewritten.
    Parameters,
}

impl FieldKind {
    pub const ALL: [FieldKind; 5] = [
        FieldKind::Value,
        FieldKind::Unstructured,
        FieldKind::AddressList,
        FieldKind::NoEncodedWords,
        FieldKind::Parameters,
    ];
}

/// The length of the longest field name that is recognized, without the colon.
pub const MAX_NAME: usize = 32;

/// The fields whose bodies are lists of addresses (RFC 5322, sections 3.6.2, 3.6.3 and 3.6.6;
/// RFC 5321 for Return-Path; RFC 8098 and usage for the others).
#[rustfmt::skip]
const ADDRESS_LISTS: &[&str] = &[
    "Apparently-To", "Bcc", "Cc", "Delivered-To", "Disposition-Notification-To", "Envelope-To",
    "Errors-To", "From", "Mail-Copies-To", "Mail-Followup-To", "Mail-Reply-To", "Reply-To",
    "Resent-Bcc", "Resent-Cc", "Resent-From", "Resent-Reply-To", "Resent-Sender", "Resent-To",
    "Return-Path", "Return-Receipt-To", "Sender", "To",
];

/// The fields for programs (RFC 5322, sections 3.6.1, 3.6.4, 3.6.6 and 3.6.7; RFC 2045, section 4;
/// RFC 6376, RFC 8601 and RFC 8617).
#[rustfmt::skip]
const NO_ENCODED_WORDS: &[&str] = &[
    "ARC-Authentication-Results", "ARC-Message-Signature", "ARC-Seal", "Authentication-Results",
    "Date", "DKIM-Signature", "DomainKey-Signature", "In-Reply-To", "Message-ID", "MIME-Version",
    "Original-Message-ID", "Received", "References", "Resent-Date", "Resent-Message-ID",
    "X-Google-DKIM-Signature",
];

/// The fields of RFC 2045 begin with this.
const CONTENT: &[u8] = b"Content-";

/// Classifies the header field at the start of `field`. Returns its kind and the length of its
/// name with the colon, 0 if it is a value without field name, or `None` if more input is needed.
/// `end` says that nothing follows `field`.
///
/// A name is one or more printable ASCII characters except the colon, and a colon after them
/// (RFC 5322, section 2.2).
pub fn classify(field: &[u8], end: bool) -> Option<(FieldKind, usize)> {
    let near = &field[..field.len().min(MAX_NAME + 1)];
    let len = near.iter().take_while(|byte| matches!(byte, b'!'..=b'9' | b';'..=b'~')).count();
    work_counter::add(len + 1);
    match near.get(len) {
        Some(b':') if len > 0 => Some((kind(&near[..len]), len + 1)),
        None if near.len() <= MAX_NAME && !end => None,
        _ => Some((FieldKind::Value, 0)),
    }
}

/// The fields with parameters of RFC 2231 (RFC 2045, section 5.1; RFC 2183).
const WITH_PARAMETERS: [&str; 2] = ["Content-Type:", "Content-Disposition:"];

/// Returns whether a line begins a field with parameters, or `None` if more input is needed. `end` says
/// that nothing follows `line`.
pub fn starts_parameters(line: &[u8], end: bool) -> Option<bool> {
    let mut needs_more = false;
    for name in WITH_PARAMETERS {
        let near = &line[..line.len().min(name.len())];
        if near.eq_ignore_ascii_case(&name.as_bytes()[..near.len()]) {
            if near.len() == name.len() {
                return Some(true);
            }
            needs_more |= !end;
        }
    }
    (!needs_more).then_some(false)
}

fn kind(name: &[u8]) -> FieldKind {
    let is_in = |names: &[&str]| names.iter().any(|at| name.eq_ignore_ascii_case(at.as_bytes()));
    let is_content = name.get(..CONTENT.len()).is_some_and(|at| at.eq_ignore_ascii_case(CONTENT));
    if is_content || is_in(NO_ENCODED_WORDS) {
        FieldKind::NoEncodedWords
    } else if is_in(ADDRESS_LISTS) {
        FieldKind::AddressList
    } else {
        FieldKind::Unstructured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_decides_the_kind_in_any_case() {
        for (field, kind) in [
            ("Subject: x", FieldKind::Unstructured),
            ("X-Thing:", FieldKind::Unstructured),
            ("From:x", FieldKind::AddressList),
            ("RESENT-to: x", FieldKind::AddressList),
            ("received: from x", FieldKind::NoEncodedWords),
            ("Content-Anything: x", FieldKind::NoEncodedWords),
            ("ARC-Authentication-Results: i=1", FieldKind::NoEncodedWords),
        ] {
            let len = field.find(':').unwrap() + 1;
            for end in [false, true] {
                assert_eq!(classify(field.as_bytes(), end), Some((kind, len)));
            }
        }
    }

    #[test]
    fn anything_without_a_field_name_is_a_value() {
        let value = Some((FieldKind::Value, 0));
        for field in ["no name", ": x", "From : x", "caf\u{E9}: x", "", "=?utf-8?q?a?="] {
            assert_eq!(classify(field.as_bytes(), true), value, "{field}");
        }
        let long = format!("{}:", "n".repeat(MAX_NAME + 1));
        assert_eq!(classify(long.as_bytes(), false), value);
    }

    #[test]
    fn a_start_that_may_become_a_name_needs_more_input() {
        let longest = "n".repeat(MAX_NAME);
        for field in ["", "Subj", &longest] {
            assert_eq!(classify(field.as_bytes(), false), None, "{field}");
            let value = Some((FieldKind::Value, 0));
            assert_eq!(classify(field.as_bytes(), true), value, "{field}");
        }
    }

    #[test]
    fn every_known_name_is_recognized() {
        let known = ADDRESS_LISTS.iter().chain(NO_ENCODED_WORDS);
        assert!(known.clone().all(|name| name.len() <= MAX_NAME));
        let lower = |names: &[&str]| names.iter().map(|name| name.to_lowercase()).is_sorted();
        assert!(lower(ADDRESS_LISTS) && lower(NO_ENCODED_WORDS));
    }
}
