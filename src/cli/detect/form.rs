//! What is told of a file: lines for people, or an object a line.

use std::fmt::Write;

use charpipe::charset::{Charset, name};
use charpipe::detect::{Candidate, Content, Detection};

use crate::cli::check::json::members;
use crate::cli::job::Input;
use crate::cli::json::Text;

/// `NAME: ENCODING, CONFIDENCE, LINE ENDS`, and other candidates behind `or`. The name is safe to
/// show, and all else is our own.
pub fn lines(input: &Input, found: &Detection, most: usize) -> String {
    let name = input.name();
    let Some(best) = found.best() else { return format!("{name}: {}\n", state(found)) };
    let mut text = format!("{name}: {}, {}", words(&best), found.line_ends);
    if found.marked {
        text.push_str(", byte order mark");
    }
    let others = found.candidates.get(1..).unwrap_or_default();
    if most == 1 && others.iter().any(is_utf_7) {
        text.push_str(", looks like UTF-7");
    }
    text.push('\n');
    for other in others.iter().take(most.saturating_sub(1)) {
        let _ = writeln!(text, "{name}: or {}", words(other));
    }
    text
}

/// UTF-7 is named whatever number is asked for: it is ASCII that reads as something else.
fn is_utf_7(candidate: &Candidate) -> bool {
    candidate.charset.name == "UTF-7"
}

fn words(candidate: &Candidate) -> String {
    format!("{}, {}", candidate.charset.name, candidate.confidence)
}

/// What a file is if no encoding can be told.
fn state(found: &Detection) -> &'static str {
    match found.content {
        Content::Empty => "empty",
        Content::Binary => "binary",
        Content::Text => "unknown",
    }
}

/// One object and a line feed.
pub fn object(input: &Input, found: &Detection, most: usize) -> String {
    let content = match found.content {
        Content::Text => "text",
        _ => state(found),
    };
    let best = found.best().map_or(NOTHING.to_owned(), |best| candidate(&best));
    let shown = found.candidates.iter().enumerate();
    let shown = shown.filter(|(index, other)| *index < most || is_utf_7(other));
    let shown: Vec<_> = shown.map(|(_, other)| format!("{{{}}}", candidate(other))).collect();
    format!(
        "{{{},\"content\":\"{content}\",{best},\"mark\":{},\"line_ends\":\"{}\",\
         \"candidates\":[{}]}}\n",
        members(input),
        found.marked,
        found.line_ends,
        shown.join(",")
    )
}

/// An object of a file that could not be read, and a line feed.
pub fn unread(input: &Input, reason: &str) -> String {
    format!("{{{},\"error\":{}}}\n", members(input), Text(reason))
}

/// The members of a candidate where there is none.
const NOTHING: &str = "\"encoding\":null,\"mime\":null,\"confidence\":null,\"reason\":null";

fn candidate(of: &Candidate) -> String {
    let mime = mime(of.charset).map_or("null".to_owned(), |name| Text(name).to_string());
    let (encoding, confidence, reason) = (Text(of.charset.name), of.confidence, of.reason);
    format!(
        "\"encoding\":{encoding},\"mime\":{mime},\"confidence\":\"{confidence}\",\
         \"reason\":\"{reason}\""
    )
}

/// The name for MIME. The Encoding Standard takes those for its own.
fn mime(charset: &Charset) -> Option<&'static str> {
    let names: Vec<_> = name::all().filter(|known| known.charset == charset.name).collect();
    charset.name.strip_prefix("whatwg:").or_else(|| name::mime(&names))
}
