//! Whether output is colored, and the styles.
//!
//! Standard output and standard error are decided separately. The option `--color` has precedence, then
//! `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, and whether the stream is a terminal other than `TERM=dumb`.

use std::env;
use std::ffi::OsString;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use anstyle::{AnsiColor, Style};

use super::sys::stdio::{self, Handle};

/// The value of `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorChoice {
    /// As the environment says, and on terminals.
    #[default]
    Auto,
    Always,
    Never,
}

/// The values of `--color`.
pub const CHOICES: [&str; 3] = ["auto", "always", "never"];

/// What a part of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The name of the program at the start of a message.
    Program,
    Path,
    /// Line and column.
    Position,
    /// The reason of an error.
    Error,
    /// A heading in help.
    Heading,
    /// The word `tip` after a usage error.
    Tip,
    /// The names of the files in a diff.
    DiffHeader,
    /// The line numbers in a diff.
    HunkHeader,
    RemovedLine,
    AddedLine,
}

static CHOICE: AtomicU8 = AtomicU8::new(ColorChoice::Auto as u8);

impl ColorChoice {
    /// Returns the choice with this name.
    pub fn from_name(name: &str) -> Option<ColorChoice> {
        match name {
            "auto" => Some(ColorChoice::Auto),
            "always" => Some(ColorChoice::Always),
            "never" => Some(ColorChoice::Never),
            _ => None,
        }
    }

    /// Returns the choice in a command line that has not been parsed, or cannot be.
    pub fn from_argv(argv: &[OsString]) -> ColorChoice {
        let mut choice = ColorChoice::Auto;
        let mut words = argv.iter().skip(1).take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            let value = match word.to_str() {
                Some("--color") => words.next().and_then(|value| value.to_str()),
                Some(word) => word.strip_prefix("--color="),
                None => None,
            };
            choice = value.and_then(ColorChoice::from_name).unwrap_or(choice);
        }
        choice
    }

    /// Makes this the choice for all output.
    pub fn apply(self) {
        CHOICE.store(self as u8, Relaxed);
    }

    fn current() -> ColorChoice {
        match CHOICE.load(Relaxed) {
            choice if choice == ColorChoice::Always as u8 => ColorChoice::Always,
            choice if choice == ColorChoice::Never as u8 => ColorChoice::Never,
            _ => ColorChoice::Auto,
        }
    }

    /// Decides for a stream with these environment variables. `supports_color` decides if they do not.
    fn decide(self, variable: impl Fn(&str) -> Option<OsString>, supports_color: bool) -> bool {
        let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if is_set("NO_COLOR") => false,
            ColorChoice::Auto
                if is_set("CLICOLOR_FORCE") && !is_zero(variable("CLICOLOR_FORCE")) =>
            {
                true
            }
            ColorChoice::Auto if is_zero(variable("CLICOLOR")) => false,
            ColorChoice::Auto => !is_dumb(variable("TERM")) && supports_color,
        }
    }
}

fn is_zero(value: Option<OsString>) -> bool {
    value.is_some_and(|value| value == "0")
}

/// Returns whether the value of `TERM` is that of a terminal without escape sequences. Windows does
/// not set the variable.
fn is_dumb(term: Option<OsString>) -> bool {
    match term {
        None => !cfg!(windows),
        Some(term) => term == "dumb" || term.is_empty(),
    }
}

/// Returns whether standard error is a terminal that interprets escape sequences.
pub fn stderr_supports_escapes() -> bool {
    !is_dumb(env::var_os("TERM")) && stdio::supports_escapes(stdio::stderr())
}

/// Returns whether standard output is colored. The first call decides.
pub fn stdout_is_colored() -> bool {
    static DECIDED: OnceLock<bool> = OnceLock::new();
    *DECIDED.get_or_init(|| is_colored(stdio::stdout()))
}

/// Returns whether standard error is colored. The first call decides.
pub fn stderr_is_colored() -> bool {
    static DECIDED: OnceLock<bool> = OnceLock::new();
    *DECIDED.get_or_init(|| is_colored(stdio::stderr()))
}

fn is_colored(stream: Handle<'_>) -> bool {
    // Even if this does not decide: a Windows console interprets escape sequences on request.
    let supports_color = stdio::supports_escapes(stream);
    ColorChoice::current().decide(|name| env::var_os(name), supports_color)
}

impl Role {
    fn style(self) -> Style {
        match self {
            Role::Program => Style::new().bold(),
            Role::Path => AnsiColor::Magenta.on_default(),
            Role::Position => AnsiColor::Green.on_default(),
            Role::Error => AnsiColor::Red.on_default().bold(),
            Role::Heading => Style::new().bold().underline(),
            Role::Tip => AnsiColor::Green.on_default(),
            // As in git.
            Role::DiffHeader => Style::new().bold(),
            Role::HunkHeader => AnsiColor::Cyan.on_default(),
            Role::RemovedLine => AnsiColor::Red.on_default(),
            Role::AddedLine => AnsiColor::Green.on_default(),
        }
    }

    /// Returns the escape sequences at the start and the end of text with this role.
    pub fn escapes(self) -> (String, String) {
        let style = self.style();
        (style.render().to_string(), style.render_reset().to_string())
    }

    /// Returns the text between the escape sequences.
    pub fn paint(self, text: &str) -> String {
        let (start, end) = self.escapes();
        [&start, text, &end].concat()
    }
}

/// Returns the length of the part of an error message that is colored: what is before the explanation
/// in parentheses.
pub fn reason_len(message: &str) -> usize {
    message.find(" (").unwrap_or(message.len())
}

/// Returns a message with its reason in color.
pub fn paint_reason(message: &str) -> String {
    let (reason, explanation) = message.split_at(reason_len(message));
    Role::Error.paint(reason) + explanation
}

/// Returns help in which clap has colored its own text, with the headings colored that are part of
/// charpipe's texts.
pub fn paint_headings(help: &str) -> String {
    let is_heading =
        |line: &str| line.ends_with(':') && line.starts_with(|first: char| first.is_alphabetic());
    help.split('\n')
        .map(|line| if is_heading(line) { Role::Heading.paint(line) } else { line.to_owned() })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(choice: ColorChoice, variables: &[(&str, &str)], terminal: bool) -> bool {
        let variable = |name: &str| {
            let mut all = variables.iter().chain(&[("TERM", "xterm")]);
            all.find(|(known, _)| *known == name).map(|(_, value)| value.into())
        };
        choice.decide(variable, terminal)
    }

    #[test]
    fn precedence_is_the_customary_one() {
        use ColorChoice::{Always, Auto, Never};
        for (choice, variables, on_terminal, elsewhere) in [
            (Auto, &[][..], true, false),
            (Always, &[("NO_COLOR", "1")], true, true),
            (Never, &[("CLICOLOR_FORCE", "1")], false, false),
            (Auto, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false, false),
            (Auto, &[("NO_COLOR", "0")], false, false),
            (Auto, &[("NO_COLOR", "")], true, false),
            (Auto, &[("CLICOLOR_FORCE", "1"), ("CLICOLOR", "0")], true, true),
            (Auto, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true, true),
            (Auto, &[("CLICOLOR_FORCE", "0")], true, false),
            (Auto, &[("CLICOLOR_FORCE", "")], true, false),
            (Auto, &[("CLICOLOR", "0")], false, false),
            (Auto, &[("CLICOLOR", "1")], true, false),
            (Auto, &[("TERM", "dumb")], false, false),
            (Auto, &[("CLICOLOR", "1"), ("TERM", "dumb")], false, false),
            (Always, &[("TERM", "dumb")], true, true),
        ] {
            assert_eq!(decide(choice, variables, true), on_terminal, "{choice:?} {variables:?}");
            assert_eq!(decide(choice, variables, false), elsewhere, "{choice:?} {variables:?}");
        }
    }

    #[test]
    fn choice_is_found_in_an_unparsed_command_line() {
        use ColorChoice::{Always, Auto, Never};
        for (words, expected) in [
            (&["charpipe"][..], Auto),
            (&["charpipe", "--color=always", "-x"], Always),
            (&["charpipe", "check", "--color", "never"], Never),
            (&["charpipe", "--color=always", "--color=never"], Never),
            (&["charpipe", "--color=always", "--color=sometimes"], Always),
            (&["charpipe", "--color"], Auto),
            (&["charpipe", "--", "--color=always"], Auto),
        ] {
            let argv: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(ColorChoice::from_argv(&argv), expected, "{words:?}");
        }
    }

    #[test]
    fn explanations_and_other_lines_are_not_painted() {
        assert_eq!(paint_reason("wrong (why)"), "\x1b[1m\x1b[31mwrong\x1b[0m (why)");
        assert_eq!(paint_reason("wrong"), "\x1b[1m\x1b[31mwrong\x1b[0m");
        let help = "Exit code:\n  0  good:\nlast";
        assert_eq!(paint_headings(help), "\x1b[1m\x1b[4mExit code:\x1b[0m\n  0  good:\nlast");
    }
}
