//! Texts of which nobody promises that they come back.

use crate::subject::Subject;

/// Charsets that obey a mark of the order of octets when they read, but write none.
const OBEY_A_MARK: &[&str] = &["UCS-2"];

/// Whether the text may be read otherwise than it was written.
///
/// That is so where its first character is the mark, or what the mark is in the other order, and
/// is taken for one; and where several options are set, since the form that one of them asks for
/// may be data to another, such as a line break in a folded text.
pub fn may_change(subject: &Subject, text: &str) -> bool {
    let marked = text.starts_with(['\u{FEFF}', '\u{FFFE}']);
    let combined = subject.settings.to_string().contains(',');
    combined || marked && OBEY_A_MARK.contains(&subject.charset.name)
}
