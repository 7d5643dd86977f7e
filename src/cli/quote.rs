//! Escaping of file names and arguments in messages.
//!
//! A file name or an argument may contain control characters that are interpreted by a terminal,
//! characters that change the text direction, and invalid UTF-8. Printable characters are shown
//! unchanged. ASCII control characters and bytes of invalid UTF-8 are shown as `\x1B`, other characters
//! as `\u{202E}`.
//!
//! CI services execute commands that they find in a log. GitHub Actions interprets `::` at the start of
//! a line and `##[` anywhere, Azure Pipelines `##vso[`, TeamCity `##teamcity[`, and Buildkite groups
//! lines by `---`, `+++` and `~~~`. Therefore the second of two consecutive `#` is shown as `\x23`, and
//! a [path](Quoted::from_path) that does not start with a letter, a digit, `_`, `.` or `/` is shown with
//! the prefix `./`, which names the same file.

use std::ffi::OsStr;
use std::fmt::{self, Write};
use std::path::{Path, is_separator};

use charpipe_kernel::utf8::floor_char_boundary;

/// Invisible characters other than control characters (category Cc) that change what is displayed:
/// direction marks, format characters, line separators, tags.
const INVISIBLE_RANGES: &[(char, char)] = &[
    ('\u{00AD}', '\u{00AD}'),
    ('\u{061C}', '\u{061C}'),
    ('\u{180E}', '\u{180E}'),
    ('\u{200B}', '\u{200B}'),
    ('\u{200E}', '\u{200F}'),
    ('\u{2028}', '\u{202E}'),
    ('\u{2060}', '\u{206F}'),
    ('\u{FEFF}', '\u{FEFF}'),
    ('\u{FFF9}', '\u{FFFB}'),
    ('\u{E0000}', '\u{E007F}'),
];

/// The prefix of commands of several CI services, which is never shown.
pub const CI_COMMAND_PREFIX: &str = "##";

/// The default maximum length, in bytes.
const DEFAULT_MAX_LEN: usize = 200;

/// A name that is displayed with unsafe characters escaped.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a> {
    bytes: &'a [u8],
    max_len: usize,
    is_path: bool,
}

impl<'a> Quoted<'a> {
    /// Quotes a name or an argument, which is displayed in at most about 200 bytes.
    pub fn new<S: AsRef<OsStr> + ?Sized>(name: &'a S) -> Quoted<'a> {
        Quoted { bytes: name.as_ref().as_encoded_bytes(), max_len: DEFAULT_MAX_LEN, is_path: false }
    }

    /// Quotes a path, which may be at the start of a line: the result starts with a letter, a digit, `_`,
    /// `.` or a separator.
    pub fn from_path<P: AsRef<Path> + ?Sized>(path: &'a P) -> Quoted<'a> {
        Quoted { is_path: true, ..Quoted::new(path.as_ref()) }
    }

    /// Sets the maximum length to about `max_len` bytes. The middle of a longer name is omitted.
    pub fn with_max_len(self, max_len: usize) -> Quoted<'a> {
        Quoted { max_len, ..self }
    }

    /// Returns whether the name is displayed unchanged.
    pub fn is_plain(&self) -> bool {
        let is_plain =
            |text: &str| !text.contains(CI_COMMAND_PREFIX) && text.chars().all(is_printable);
        self.bytes.len() <= self.max_len && std::str::from_utf8(self.bytes).is_ok_and(is_plain)
    }

    fn needs_path_prefix(&self) -> bool {
        let first = self.bytes.utf8_chunks().next().map(|chunk| chunk.valid().chars().next());
        let plain = |first: char| {
            first.is_alphanumeric() || matches!(first, '_' | '.') || is_separator(first)
        };
        self.is_path && first.is_some_and(|first| !first.is_some_and(plain))
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.needs_path_prefix() {
            f.write_str("./")?;
        }
        if self.is_plain() {
            return f.write_str(&String::from_utf8_lossy(self.bytes));
        }
        // Only the ends of a long name are escaped, so time and memory do not grow with its length. An
        // escaped byte takes at most six bytes.
        let half = self.max_len / 2;
        if self.bytes.len() <= self.max_len {
            let whole = escaped(self.bytes);
            if whole.len() <= self.max_len {
                return f.write_str(&whole);
            }
            return write!(f, "{}…{}", prefix(&whole, half), suffix(&whole, half));
        }
        let first = escaped(&self.bytes[..half]);
        let last = escaped(&self.bytes[self.bytes.len() - half..]);
        write!(f, "{}…{}", prefix(&first, half), suffix(&last, half))
    }
}

/// Returns whether a character is displayed unchanged.
pub fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    let hidden = |&(low, high): &(char, char)| (low..=high).contains(&character);
    !character.is_control() && !INVISIBLE_RANGES.iter().any(hidden)
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '#' if text.ends_with('#') => text.push_str("\\x23"),
                _ => push_escaped(character, &mut text),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// Appends a character, as an escape unless it is printable.
pub fn push_escaped(character: char, text: &mut String) {
    let _ = match character {
        _ if is_printable(character) => text.write_char(character),
        '\0'..='\x7F' => write!(text, "\\x{:02X}", u32::from(character)),
        _ => write!(text, "\\u{{{:X}}}", u32::from(character)),
    };
}

fn prefix(text: &str, bytes: usize) -> &str {
    &text[..floor_char_boundary(text, bytes)]
}

fn suffix(text: &str, bytes: usize) -> &str {
    let start = text.len().saturating_sub(bytes);
    let boundary = (start..text.len()).find(|index| text.is_char_boundary(*index));
    &text[boundary.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn printable_text_is_unchanged() {
        for name in ["mail.txt", "", "a b'c\"d\\e", "ελληνικά", "日本語", "👩\u{200D}🚀"]
        {
            assert_eq!(Quoted::new(name).to_string(), name);
        }
    }

    #[test]
    fn middle_of_a_long_name_is_omitted() {
        let shown = |name| Quoted::new(name).with_max_len(10).to_string();
        assert_eq!(shown("abcdefghij"), "abcdefghij");
        assert_eq!(shown("abcdefghijklmnopq"), "abcde…mnopq");
        assert_eq!(shown("a\x01bcdefg"), "a\\x01…cdefg");
    }

    #[test]
    fn terminal_controls_are_escaped() {
        for (name, shown) in [
            ("a\nb", "a\\x0Ab"),
            ("\x1B[31mred", "\\x1B[31mred"),
            ("\u{7F}", "\\x7F"),
            ("\u{85}\u{9B}", "\\u{85}\\u{9B}"),
            ("gpj.\u{202E}exe", "gpj.\\u{202E}exe"),
            ("\u{2066}\u{200F}\u{61C}", "\\u{2066}\\u{200F}\\u{61C}"),
            ("\u{2028}\u{FEFF}", "\\u{2028}\\u{FEFF}"),
        ] {
            assert_eq!(Quoted::new(name).to_string(), shown);
        }
    }

    #[cfg(windows)]
    #[test]
    fn unpaired_surrogates_are_escaped() {
        use std::os::windows::ffi::OsStringExt;
        let name = std::ffi::OsString::from_wide(&[0x61, 0xD800, 0x62]);
        assert_eq!(Quoted::new(&name).to_string(), "a\\xED\\xA0\\x80b");
    }

    #[cfg(unix)]
    #[test]
    fn invalid_utf8_bytes_are_escaped() {
        let name = OsStr::from_bytes(b"caf\xE9 \xE2\x82\xACx\xE2\x82");
        assert_eq!(Quoted::new(name).to_string(), "caf\\xE9 €x\\xE2\\x82");
    }

    #[test]
    fn consecutive_number_signs_are_escaped() {
        for (name, shown) in [
            ("#", "#"),
            ("a#b#", "a#b#"),
            ("##[error]x", "#\\x23[error]x"),
            ("x ##vso[y]", "x #\\x23vso[y]"),
            ("###", "#\\x23#"),
            ("####", "#\\x23#\\x23"),
        ] {
            assert_eq!(Quoted::new(name).to_string(), shown);
            assert_eq!(Quoted::new(shown).to_string(), shown);
        }
        for length in 190..210 {
            let shown = Quoted::new(&"#".repeat(length)).to_string();
            assert!(!shown.contains(CI_COMMAND_PREFIX), "{shown}");
        }
    }

    #[test]
    fn paths_with_an_unusual_first_character_get_a_prefix() {
        for path in ["", "a", "é", "日", "7", "_", "..", ".a", "./:", "/ ", "a::b"] {
            assert_eq!(Quoted::from_path(path).to_string(), path);
        }
        for path in [
            "::error::x",
            ":",
            " ::x",
            "\u{3000}::x",
            "#",
            "-a",
            "---",
            "+++ a",
            "~~~ a",
            "<stdin>",
            #[cfg(unix)]
            "\\",
        ] {
            assert_eq!(Quoted::from_path(path).to_string(), format!("./{path}"));
            assert_eq!(Quoted::new(path).to_string(), path);
        }
        assert_eq!(Quoted::from_path("\n::x").to_string(), "./\\x0A::x");
        assert_eq!(Quoted::from_path("##[x]").to_string(), "./#\\x23[x]");
        #[cfg(unix)]
        assert_eq!(Quoted::from_path(OsStr::from_bytes(b"\xFF")).to_string(), "./\\xFF");
    }

    #[test]
    fn a_long_name_loses_its_middle() {
        let name = format!("start{}end", "x".repeat(100_000));
        let shown = Quoted::new(&name).to_string();
        assert!(shown.starts_with("startxx") && shown.ends_with("xxend"), "{shown}");
        assert!(shown.len() <= 203, "{}", shown.len());
    }

    #[test]
    fn escaped_names_stay_within_the_limit() {
        let name = "\u{1}".repeat(190);
        assert!(Quoted::new(&name).to_string().len() <= 203);
        assert!(Quoted::new("éééé").with_max_len(5).to_string().len() <= 8);
    }
}
