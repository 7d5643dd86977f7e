//! Rules from `.editorconfig` files (EditorConfig Specification 0.17.2): `charset` and `end_of_line`.
//!
//! The files may come from a stranger: they are only read up to a maximum size, and matching the globs of
//! all files with a path has a maximum number of steps.

use std::path::Path;

use crate::cli::quote::Quoted;
use crate::cli::sys::file_name;
use charpipe_check::{BomRule, NewlineRule};

use super::rules::{EncodingRule, FileRules, RuleSource};

mod glob;

use glob::Glob;

/// The maximum size of a file, in bytes.
pub(super) const MAX_FILE_SIZE: u64 = 64 << 10;

/// The maximum number of steps in which a path is matched with the globs of all files that apply to it. A
/// glob takes one for each of its characters that is compared, usually a few; 2^17 take half a millisecond.
pub(super) const MAX_STEPS: usize = 1 << 17;

/// The message for a file whose globs take more steps.
pub(super) const TOO_SLOW: &str = "matching its section names takes too long";

/// A value of `charset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    Latin1,
    Utf8,
    Utf8Bom,
    Utf16Be,
    Utf16Le,
}

impl Charset {
    const NAMES: [(&str, Charset); 5] = [
        ("latin1", Charset::Latin1),
        ("utf-8", Charset::Utf8),
        ("utf-8-bom", Charset::Utf8Bom),
        ("utf-16be", Charset::Utf16Be),
        ("utf-16le", Charset::Utf16Le),
    ];

    /// Returns the encoding, and the rule for byte order marks if it is not that of the command line.
    fn rule(self) -> EncodingRule {
        let (label, bom) = match self {
            Charset::Latin1 => ("ISO-8859-1", Some(BomRule::Any)),
            Charset::Utf8 => ("UTF-8", Some(BomRule::Forbid)),
            Charset::Utf8Bom => ("UTF-8", Some(BomRule::Require)),
            Charset::Utf16Be => ("UTF-16BE", None),
            Charset::Utf16Le => ("UTF-16LE", None),
        };
        EncodingRule { label: label.to_owned(), bom }
    }
}

/// The values of `end_of_line`.
const LINE_ENDINGS: [(&str, NewlineRule); 3] =
    [("lf", NewlineRule::Lf), ("crlf", NewlineRule::CrLf), ("cr", NewlineRule::Cr)];

/// A parsed `.editorconfig`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub(super) is_root: bool,
    /// Whether its rules are unknown.
    pub(super) is_unreadable: bool,
    sections: Vec<ConfigSection>,
}

#[derive(Debug, PartialEq, Eq)]
struct ConfigSection {
    glob: Glob,
    /// The values, of which `None` is `unset`.
    charset: Option<Option<Charset>>,
    end_of_line: Option<Option<NewlineRule>>,
}

impl ConfigFile {
    /// Returns a file whose rules are unknown. Those of the parents do not apply either.
    pub(super) fn unreadable() -> ConfigFile {
        ConfigFile { is_root: true, is_unreadable: true, sections: Vec::new() }
    }

    /// Parses a file.
    pub(super) fn parse(text: &str, on_error: &mut dyn FnMut(usize, &str)) -> ConfigFile {
        let mut file = ConfigFile::default();
        // The section of an invalid glob matches nothing.
        let mut is_preamble = true;
        let mut has_section = false;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                is_preamble = false;
                let glob = Glob::new(name);
                has_section = glob.is_ok();
                match glob {
                    Ok(glob) => {
                        file.sections.push(ConfigSection { glob, charset: None, end_of_line: None })
                    }
                    Err(message) => on_error(number, &message),
                }
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            if is_preamble {
                if key == "root" {
                    file.is_root = value.eq_ignore_ascii_case("true");
                }
                continue;
            }
            let Some(section) = file.sections.last_mut().filter(|_| has_section) else { continue };
            let result = match &*key {
                "charset" => parse_value("charset", value, &Charset::NAMES)
                    .map(|value| section.charset = Some(value)),
                "end_of_line" => parse_value("end_of_line", value, &LINE_ENDINGS)
                    .map(|value| section.end_of_line = Some(value)),
                _ => Ok(()),
            };
            if let Err(message) = result {
                on_error(number, &message);
            }
        }
        file.sections.retain(|section| section.charset.is_some() || section.end_of_line.is_some());
        file
    }

    /// Returns the memory size in bytes.
    pub(super) fn size(&self) -> usize {
        // Half of the space of a list is unused after it grew.
        let sizes = self.sections.iter().map(|section| section.glob.size());
        2 * self.sections.len() * size_of::<ConfigSection>() + sizes.sum::<usize>()
    }

    /// Adds the rules of the sections that match a path relative to the directory. Returns whether the steps
    /// that are left were enough.
    pub(super) fn apply(&self, path: &Path, rules: &mut FileRules, steps: &mut usize) -> bool {
        if self.sections.is_empty() {
            return true;
        }
        let path = file_name::with_slashes(path.as_os_str().as_encoded_bytes());
        let path: Vec<char> = String::from_utf8_lossy(&path).chars().collect();
        for section in &self.sections {
            match section.glob.matches(&path, steps) {
                None => return false,
                Some(false) => continue,
                Some(true) => {}
            }
            let source = RuleSource::EditorConfig;
            if let Some(charset) = section.charset {
                rules.encoding = charset.map(|charset| (charset.rule(), source));
            }
            if let Some(end_of_line) = section.end_of_line {
                rules.newline = end_of_line.map(|rule| (rule, source));
            }
        }
        true
    }
}

/// Returns the rule for a value, or `None` for `unset`.
fn parse_value<T: Copy>(
    key: &str,
    value: &str,
    names: &[(&'static str, T)],
) -> Result<Option<T>, String> {
    if value.eq_ignore_ascii_case("unset") {
        return Ok(None);
    }
    let found = names.iter().find(|(name, _)| value.eq_ignore_ascii_case(name));
    found.map(|(_, rule)| Some(*rule)).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        let value = Quoted::new(value);
        format!("unknown {key} \"{value}\" (expected one of: {})", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (ConfigFile, Vec<String>) {
        let mut errors = Vec::new();
        let mut on_error = |line, message: &str| errors.push(format!("{line}: {message}"));
        (ConfigFile::parse(text, &mut on_error), errors)
    }

    fn rules_of(text: &str, path: &str) -> FileRules {
        let mut rules = FileRules::default();
        assert!(parse(text).0.apply(Path::new(path), &mut rules, &mut MAX_STEPS.clone()));
        rules
    }

    #[test]
    fn last_matching_section_decides_each_rule() {
        let text = "\u{FEFF}; comment\n# comment\nROOT = True\ncharset = latin1\n[*]\n\
                    charset=UTF-8\r\nend_of_line = lf\nindent_size = 4\nno pair\n\
                    [*.bat]\n  End_Of_Line =CRLF\n[old/**.txt]\ncharset = latin1 \n[*.raw]\n\
                    charset = unset\nend_of_line=unset\n";
        let (file, errors) = parse(text);
        assert!(file.is_root && errors.is_empty(), "{errors:?}");
        for (path, charset, end_of_line) in [
            ("a.rs", Some(Charset::Utf8), Some(NewlineRule::Lf)),
            ("x/a.bat", Some(Charset::Utf8), Some(NewlineRule::CrLf)),
            ("old/x/a.txt", Some(Charset::Latin1), Some(NewlineRule::Lf)),
            ("new/old/a.txt", Some(Charset::Utf8), Some(NewlineRule::Lf)),
            ("a.raw", None, None),
        ] {
            let source = RuleSource::EditorConfig;
            let encoding = charset.map(|charset: Charset| (charset.rule(), source));
            let newline = end_of_line.map(|rule| (rule, source));
            let expected = FileRules { encoding, newline, ..FileRules::default() };
            assert_eq!(rules_of(text, path), expected, "{path}");
        }
    }

    #[test]
    fn unknown_values_and_long_globs_are_reported() {
        let long = "a".repeat(1025);
        let text =
            format!("[*]\ncharset = utf8\nend_of_line = \x1Bx\n[{long}]\ncharset = latin1\n");
        let (file, errors) = parse(&text);
        assert!(file.sections.is_empty() && !file.is_root);
        assert_eq!(
            errors,
            [
                "2: unknown charset \"utf8\" (expected one of: latin1, utf-8, utf-8-bom, utf-16be, \
                 utf-16le)",
                "3: unknown end_of_line \"\\x1Bx\" (expected one of: lf, crlf, cr)",
                "4: the section name is longer than 1024 characters",
            ]
        );
    }

    #[test]
    fn any_text_is_parsed() {
        for text in ["[", "]", "[]", "[[]]", "=", "[*]\n=", "[{]\ncharset", "[*]\ncharset=", "\0"] {
            assert_eq!(rules_of(text, "a"), FileRules::default());
        }
    }
}
