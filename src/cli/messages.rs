//! Messages on standard error.
//!
//! Lines are written whole, those about one block of an input together, so that the lines of several processes
//! do not mix. If a line cannot be written, only the exit code reports that.

use std::io::{IsTerminal, stderr, stdin};
use std::ops::Range;

use crate::cli::quote::Quoted;
use crate::cli::sys::stdio;
use charpipe_encoding::conversion_error::Position;

use super::closed_stdio::closed_at_start;
use super::color::{self, Role};
use super::terminal;

/// The maximum length of a line in bytes, without its end. The middle of longer lines is omitted.
const MAX_LINE_LEN: usize = 380;

/// How many messages to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    Quiet,
    Normal,
    Verbose,
}

impl Verbosity {
    /// Returns the verbosity that the options `--quiet` and `--verbose` select.
    pub fn new(quiet: bool, verbose: bool) -> Verbosity {
        match (quiet, verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }
}

/// A one-line message, and the roles of its parts.
#[derive(Debug, Clone, Default)]
pub struct Message {
    text: String,
    /// The parts that are colored, in order.
    spans: Vec<(Range<usize>, Role)>,
}

impl Message {
    /// Returns a message about a file. Its name must be quoted for a terminal.
    pub fn about(file: &str) -> Message {
        Message::default().part(file, Role::Path)
    }

    /// Returns a message about an error that concerns no file.
    pub fn error(text: &str) -> Message {
        Message::default().reason(text)
    }

    /// Appends a position.
    pub fn at(self, position: Position) -> Message {
        let Position { offset, line, column } = position;
        self.text(":")
            .part(&format!("{line}:{column}"), Role::Position)
            .text(&format!(": byte {offset}"))
    }

    /// Appends a colon and the reason of an error.
    pub fn with_error(self, text: &str) -> Message {
        self.text(": ").reason(text)
    }

    /// Appends a colon and text that is not colored.
    pub fn with_text(self, text: &str) -> Message {
        self.text(": ").text(text)
    }

    fn reason(self, text: &str) -> Message {
        let (reason, explanation) = text.split_at(color::reason_len(text));
        self.part(reason, Role::Error).text(explanation)
    }

    pub fn text(mut self, text: &str) -> Message {
        self.text.push_str(text);
        self
    }

    fn part(mut self, text: &str, role: Role) -> Message {
        let start = self.text.len();
        self.text.push_str(text);
        self.spans.push((start..self.text.len(), role));
        self
    }

    /// Appends the parts of another message.
    fn append(mut self, other: &Message) -> Message {
        let start = self.text.len();
        let spans = other.spans.iter();
        self.spans
            .extend(spans.map(|(range, role)| (start + range.start..start + range.end, *role)));
        self.text(&other.text)
    }

    /// Returns the line that is shown: quoted once more, so that no message can contain a terminal
    /// escape sequence, and shortened. The only escape sequences in it are those of colors, at the
    /// ends of parts.
    fn render(&self, colored: bool) -> String {
        let shown = Quoted::new(&self.text).with_max_len(MAX_LINE_LEN).to_string();
        if !colored {
            return shown;
        }
        // Beyond the first character that is quoted or omitted, parts are somewhere else.
        let pairs = shown.bytes().zip(self.text.bytes());
        let unchanged = pairs.take_while(|(one, other)| one == other).count();
        let mut line = String::with_capacity(shown.len() + 64);
        let mut end = 0;
        for (range, role) in self.spans.iter().filter(|(range, _)| range.end <= unchanged) {
            line.push_str(&shown[end..range.start]);
            line.push_str(&role.paint(&shown[range.clone()]));
            end = range.end;
        }
        line.push_str(&shown[end..]);
        line
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        Message::default().text(text)
    }
}

impl From<&String> for Message {
    fn from(text: &String) -> Message {
        text.as_str().into()
    }
}

/// Prints a one-line message after the name of the program.
pub fn print_message(message: impl Into<Message>) {
    let start = Message::default().part("charpipe:", Role::Program).text(" ");
    write_line(&start.append(&message.into()));
}

/// Prints the parser's message about a command line.
pub fn print_usage_error(text: &str) {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let mut lines = text.lines();
    print_message(Message::error(lines.next().unwrap_or_default()));
    lines.for_each(|line| write_line(&usage_line(line)));
}

/// Returns a further line of the parser's message.
fn usage_line(line: &str) -> Message {
    match line.strip_prefix("  tip:") {
        Some(rest) => Message::default().part("  tip:", Role::Tip).text(rest),
        None => line.into(),
    }
}

fn write_line(message: &Message) {
    match closed_at_start().stderr {
        true => terminal::set_write_failed(),
        false => terminal::write_line(&message.render(color::stderr_is_colored())),
    }
}

/// Reports that standard input is read, if that and standard error are terminals. `hint` is appended
/// to the key that ends the input.
pub fn announce_stdin(hint: &str) {
    if stdin().is_terminal() && stderr().is_terminal() {
        let key = stdio::END_OF_INPUT_KEY;
        print_message(&format!("reading standard input (press {key} to end{hint})"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the escape sequences and control characters of a line, in order.
    fn escapes(line: &str) -> Vec<&str> {
        line.split('\x1b').skip(1).map(|part| &part[..=part.find('m').unwrap()]).collect()
    }

    #[test]
    fn parts_are_colored() {
        let position = Position { offset: 4, line: 2, column: 3 };
        let message = Message::about("a.txt").at(position).with_error("invalid FF (why)");
        assert_eq!(message.render(false), "a.txt:2:3: byte 4: invalid FF (why)");
        assert_eq!(
            message.render(true),
            "\x1b[35ma.txt\x1b[0m:\x1b[32m2:3\x1b[0m: byte 4: \x1b[1m\x1b[31minvalid FF\x1b[0m (why)"
        );
    }

    #[test]
    fn untrusted_text_adds_no_escape_sequence() {
        for name in ["a\x1b[31mb", "\x1b]0;x\x07", "\u{9b}1m", "\r\n", "é\x1b"] {
            let line = Message::about(name).with_error("wrong\x1b[1m (why)").render(true);
            assert!(!line.contains(['\r', '\n', '\x07', '\u{9b}']), "{line:?}");
            assert!(escapes(&line).is_empty(), "{line:?}");
        }
        let line = Message::about("good").with_error("wrong\x1b[1m").render(true);
        assert_eq!(escapes(&line), ["[35m", "[0m"]);
        assert!(line.ends_with("wrong\\x1B[1m"), "{line:?}");
    }

    #[test]
    fn a_shortened_line_is_colored_at_its_start() {
        let line = Message::about("é.txt").with_error(&"é".repeat(500)).render(true);
        assert_eq!(escapes(&line), ["[35m", "[0m"]);
        assert!(line.starts_with("\x1b[35mé.txt\x1b[0m: éé") && line.contains('…'), "{line}");
        let line = Message::about(&"é".repeat(500)).with_error("wrong").render(true);
        assert!(escapes(&line).is_empty() && line.ends_with("é: wrong"), "{line}");
    }
}
