//! What is told of a file: lines for people, or an object a line.

use std::fmt::Write;

use charpipe::detect::{Candidate, Content, Detection};
use charpipe::encoding::{Encoding, alias};

use crate::cli::check::json::file_members;
use crate::cli::config::Input;
use crate::cli::json::JsonString;

/// `NAME: ENCODING, CONFIDENCE, LINE ENDS`, and other candidates after `or`. The name is safe to
/// show, and all else is our own.
pub fn text(input: &Input, detection: &Detection, max_candidates: usize) -> String {
    let name = input.display_name();
    let Some(best) = detection.best() else { return format!("{name}: {}\n", status(detection)) };
    let mut text = format!("{name}: {}, {}", describe(&best), detection.line_endings);
    if detection.has_bom {
        text.push_str(", byte order mark");
    }
    let others = detection.candidates.get(1..).unwrap_or_default();
    if max_candidates == 1 && others.iter().any(is_utf7) {
        text.push_str(", looks like UTF-7");
    }
    text.push('\n');
    for other in others.iter().take(max_candidates.saturating_sub(1)) {
        let _ = writeln!(text, "{name}: or {}", describe(other));
    }
    text
}

/// UTF-7 is named whatever number is requested: it is ASCII that reads as something else.
fn is_utf7(candidate: &Candidate) -> bool {
    candidate.encoding.name == "UTF-7"
}

fn describe(candidate: &Candidate) -> String {
    format!("{}, {}", candidate.encoding.name, candidate.confidence)
}

/// What a file is if no encoding can be told.
fn status(detection: &Detection) -> &'static str {
    match detection.content {
        Content::Empty => "empty",
        Content::Binary => "binary",
        Content::Text => "unknown",
    }
}

/// One object and a line feed.
pub fn json(input: &Input, detection: &Detection, max_candidates: usize) -> String {
    let content = match detection.content {
        Content::Text => "text",
        _ => status(detection),
    };
    let best = detection.best().map_or(NO_ENCODING.to_owned(), |best| candidate_members(&best));
    let shown = detection.candidates.iter().enumerate();
    let shown = shown.filter(|(index, other)| *index < max_candidates || is_utf7(other));
    let shown: Vec<_> =
        shown.map(|(_, other)| format!("{{{}}}", candidate_members(other))).collect();
    format!(
        "{{{},\"content\":\"{content}\",{best},\"mark\":{},\"line_ends\":\"{}\",\
         \"candidates\":[{}]}}\n",
        file_members(input),
        detection.has_bom,
        detection.line_endings,
        shown.join(",")
    )
}

/// An object of a file that could not be read, and a line feed.
pub fn json_error(input: &Input, reason: &str) -> String {
    format!("{{{},\"error\":{}}}\n", file_members(input), JsonString(reason))
}

/// The members of a candidate where there is none.
const NO_ENCODING: &str = "\"encoding\":null,\"mime\":null,\"confidence\":null,\"reason\":null";

fn candidate_members(candidate: &Candidate) -> String {
    let mime = mime_name(candidate.encoding)
        .map_or("null".to_owned(), |name| JsonString(name).to_string());
    let (encoding, confidence, reason) =
        (JsonString(candidate.encoding.name), candidate.confidence, candidate.evidence);
    format!(
        "\"encoding\":{encoding},\"mime\":{mime},\"confidence\":\"{confidence}\",\
         \"reason\":\"{reason}\""
    )
}

/// The name for MIME. The Encoding Standard takes those for its own.
fn mime_name(encoding: &Encoding) -> Option<&'static str> {
    let names: Vec<_> = alias::all().filter(|known| known.encoding == encoding.name).collect();
    encoding.name.strip_prefix("whatwg:").or_else(|| alias::mime_name(&names))
}
