//! Rules from `.gitattributes` files, as git reads them (gitattributes(5)): `text`, `eol`, `crlf`,
//! `working-tree-encoding`, `binary` and macros.
//!
//! The last line that matches a file decides each attribute, and the file in the nearest directory;
//! `.git/info/attributes` precedes all of them. Attributes are therefore resolved backward, and the first
//! value is kept.

use std::borrow::Cow;
use std::path::Path;

use memchr::memchr;

use crate::cli::paths::patterns::Pattern;
use crate::cli::quote::Quoted;
use crate::cli::sys::file_name;
use charpipe_check::{BomRule, NewlineRule};
use charpipe_transcode::options::EncodingSpec;

use super::rules::{EncodingRule, FileRules, RuleSource};

#[cfg(all(test, unix))]
mod against_git;

/// The maximum length of a line, in bytes. Git ignores longer ones, too.
const MAX_LINE_LEN: usize = 2047;

/// The maximum number of attributes that a file may have through macros.
const MAX_ATTRIBUTES: usize = 256;

/// The attributes that have an effect. All others may be macros.
const RELEVANT: [&[u8]; 5] = [TEXT, CRLF, EOL, ENCODING, BINARY];
const TEXT: &[u8] = b"text";
const CRLF: &[u8] = b"crlf";
const EOL: &[u8] = b"eol";
const ENCODING: &[u8] = b"working-tree-encoding";
const BINARY: &[u8] = b"binary";

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
enum AttributeValue {
    /// `attribute`.
    Set,
    /// `-attribute`.
    Unset,
    /// `!attribute`.
    Unspecified,
    /// `attribute=value`.
    Text(Box<[u8]>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Assignment {
    name: Box<[u8]>,
    value: AttributeValue,
}

/// `[attr]name assignments`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Macro {
    name: Box<[u8]>,
    assignments: Vec<Assignment>,
}

/// A file with attributes.
#[derive(Debug, Default)]
pub(super) struct AttributesFile {
    lines: Vec<(Pattern, Vec<Assignment>)>,
    pub(super) macros: Vec<Macro>,
    /// The memory size in bytes.
    size: usize,
}

impl AttributesFile {
    /// Parses a file. Macros are defined only in the root of a repository. Returns `None` if it takes more
    /// than `max_size` bytes of memory.
    pub(super) fn parse(
        text: &[u8],
        is_root: bool,
        max_size: usize,
        on_error: &mut dyn FnMut(usize, &str),
    ) -> Option<AttributesFile> {
        let mut file = AttributesFile::default();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let line = &line[..memchr(0, line).unwrap_or(line.len())];
            let start = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(line.len());
            let is_too_long = line.strip_suffix(b"\r").unwrap_or(line).len() > MAX_LINE_LEN;
            let line = &line[start..];
            if line.is_empty() || line.starts_with(b"#") || is_too_long {
                continue;
            }
            let (pattern, rest) = split_pattern(line);
            let words = rest.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty());
            // Git ignores the line if a name is invalid.
            let assignments = words.map(Assignment::parse).collect::<Option<Vec<_>>>();
            let Some(mut assignments) = assignments else { continue };
            let macro_name = pattern.strip_prefix(b"[attr]").filter(|name| !name.is_empty());
            if let Some(name) = macro_name {
                let name = name.split(|byte| is_blank(*byte)).find(|name| !name.is_empty());
                if let Some(name) = name.filter(|name| is_root && is_valid_name(name)) {
                    file.size += line_size::<Macro>(name, &assignments);
                    file.macros.push(Macro { name: name.into(), assignments });
                }
                if file.size > max_size {
                    return None;
                }
                continue;
            }
            // Git ignores negated patterns, and one for directories matches no file.
            let pattern = Pattern::parse(&pattern).filter(|pattern| !pattern.is_negated());
            assignments.retain(|assignment| {
                let result = assignment.validate();
                result.map_err(|message| on_error(number, &message)).is_ok()
            });
            if let Some(pattern) = pattern.filter(|_| !assignments.is_empty()) {
                assignments.shrink_to_fit();
                file.size += line_size::<(Pattern, Vec<Assignment>)>(line, &assignments);
                file.lines.push((pattern, assignments));
            }
            if file.size > max_size {
                return None;
            }
        }
        Some(file)
    }

    /// Returns the memory size in bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }
}

/// Returns the maximum memory size of an item with this text and attributes, in bytes. Half of the space of a
/// list is unused after it grew.
fn line_size<T>(text: &[u8], assignments: &[Assignment]) -> usize {
    let sizes = assignments.iter().map(|assignment| {
        let value = match &assignment.value {
            AttributeValue::Text(text) => allocation_size(text.len()),
            _ => 0,
        };
        size_of::<Assignment>() + allocation_size(assignment.name.len()) + value
    });
    2 * size_of::<T>() + allocation_size(text.len()) + allocation_size(sizes.sum())
}

/// Returns the memory size of an allocation of `len` bytes.
fn allocation_size(len: usize) -> usize {
    len.max(16) + 16
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Returns whether an attribute may have this name, as git defines it.
fn is_valid_name(name: &[u8]) -> bool {
    let is_valid = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    name.iter().all(is_valid)
        && !name.is_empty()
        && name[0] != b'-'
        && !name.starts_with(b"builtin_")
}

/// Splits a line into its pattern, which may be quoted as in C, and the attributes.
fn split_pattern(line: &[u8]) -> (Cow<'_, [u8]>, &[u8]) {
    if let Some((pattern, rest)) = line.strip_prefix(b"\"").and_then(unquote) {
        return (Cow::Owned(pattern), rest);
    }
    let len = line.iter().position(|byte| is_blank(*byte)).unwrap_or(line.len());
    (Cow::Borrowed(&line[..len]), &line[len..])
}

/// Returns the quoted text and what follows the closing quote, or `None` if there is none.
fn unquote(mut quoted: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut text = Vec::new();
    loop {
        let (byte, rest) = quoted.split_first()?;
        quoted = rest;
        match byte {
            b'"' => return Some((text, rest)),
            b'\\' => {
                let (escaped, rest) = rest.split_first()?;
                quoted = rest;
                text.push(match escaped {
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 11,
                    b'"' | b'\\' => *escaped,
                    b'0'..=b'3' => {
                        let digits = rest.get(..2)?;
                        quoted = &rest[2..];
                        let is_octal = digits.iter().all(|digit| matches!(digit, b'0'..=b'7'));
                        let digit = |digit: u8| digit.wrapping_sub(b'0');
                        let value = digit(*escaped) << 6 | digit(digits[0]) << 3 | digit(digits[1]);
                        is_octal.then_some(value)?
                    }
                    _ => return None,
                });
            }
            _ => text.push(*byte),
        }
    }
}

impl Assignment {
    /// Parses a word. Returns `None` if the name is invalid.
    fn parse(word: &[u8]) -> Option<Assignment> {
        let equals = word.iter().position(|byte| *byte == b'=');
        let (name, value) = match (word[0], equals) {
            (b'-', _) => (&word[1..equals.unwrap_or(word.len())], AttributeValue::Unset),
            (b'!', _) => (&word[1..equals.unwrap_or(word.len())], AttributeValue::Unspecified),
            (_, Some(equals)) if RELEVANT.contains(&&word[..equals]) => {
                (&word[..equals], AttributeValue::Text(word[equals + 1..].into()))
            }
            // All that matters is that a macro of this name has no effect.
            (_, Some(equals)) => (&word[..equals], AttributeValue::Unset),
            (_, None) => (word, AttributeValue::Set),
        };
        is_valid_name(name).then(|| Assignment { name: name.into(), value })
    }

    /// Returns an error for an encoding that does not exist. Other values that git does not know have no effect.
    fn validate(&self) -> Result<(), String> {
        match (&*self.name, &self.value) {
            (ENCODING, AttributeValue::Set | AttributeValue::Unset) => {
                Err("working-tree-encoding requires the name of an encoding".to_owned())
            }
            (ENCODING, AttributeValue::Text(name)) => encoding_rule(name).map(drop),
            _ => Ok(()),
        }
    }
}

/// Returns the rule for a value of `working-tree-encoding`, which is `None` for UTF-8. As in git, UTF-16 and
/// UTF-32 require a byte order mark, and those with a byte order forbid it.
fn encoding_rule(name: &[u8]) -> Result<Option<EncodingRule>, String> {
    let name = String::from_utf8_lossy(name);
    let upper = name.to_ascii_uppercase();
    let (label, bom) = match &*upper {
        "" | "UTF-8" | "UTF8" => return Ok(None),
        "UTF-16" | "UTF16" => ("UTF-16", BomRule::Require),
        "UTF-32" | "UTF32" => ("UTF-32", BomRule::Require),
        "UTF-16LE-BOM" => ("UTF-16LE", BomRule::Require),
        "UTF-16BE-BOM" => ("UTF-16BE", BomRule::Require),
        "UTF-16LE" | "UTF-16BE" | "UTF-32LE" | "UTF-32BE" => (&*upper, BomRule::Forbid),
        _ => (&*name, BomRule::Any),
    };
    match label.parse::<EncodingSpec>() {
        Ok(spec) if spec.transforms.is_empty() => {
            Ok(Some(EncodingRule { label: label.to_owned(), bom: Some(bom) }))
        }
        _ => Err(format!("unknown working-tree-encoding \"{}\"", Quoted::new(&*name))),
    }
}

/// Resolves the attributes of a file: lines are added backward, and the first value is kept.
pub(super) struct AttributeResolver<'a> {
    macros: &'a [Macro],
    resolved: Vec<(&'a [u8], &'a AttributeValue)>,
}

impl<'a> AttributeResolver<'a> {
    pub(super) fn new(macros: &'a [Macro]) -> AttributeResolver<'a> {
        AttributeResolver { macros, resolved: Vec::new() }
    }

    /// Adds the lines of a file, given the path of the file to check relative to its directory.
    pub(super) fn add(&mut self, file: &'a AttributesFile, relative: &Path) {
        let relative = file_name::with_slashes(relative.as_os_str().as_encoded_bytes());
        for (pattern, assignments) in file.lines.iter().rev() {
            if pattern.matches_file(&relative) {
                self.assign(assignments);
            }
        }
    }

    fn assign(&mut self, assignments: &'a [Assignment]) {
        for Assignment { name, value } in assignments.iter().rev() {
            if self.value(name).is_some() || self.resolved.len() == MAX_ATTRIBUTES {
                continue;
            }
            self.resolved.push((name, value));
            if *value != AttributeValue::Set {
                continue;
            }
            // The last definition is valid.
            match self.macros.iter().rfind(|other| other.name == *name) {
                Some(definition) => self.assign(&definition.assignments),
                None if **name == *BINARY && self.value(TEXT).is_none() => {
                    self.resolved.push((TEXT, &AttributeValue::Unset));
                }
                None => {}
            }
        }
    }

    fn value(&self, name: &[u8]) -> Option<&'a AttributeValue> {
        self.resolved.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Replaces the rules for which there is an attribute.
    pub(super) fn apply(&self, rules: &mut FileRules) {
        let source = RuleSource::GitAttributes;
        rules.is_binary = self.value(BINARY) == Some(&AttributeValue::Set);
        let is_known = |value: &&AttributeValue| match value {
            AttributeValue::Set | AttributeValue::Unset => true,
            AttributeValue::Unspecified => false,
            AttributeValue::Text(text) => matches!(&**text, b"auto" | b"input"),
        };
        let text = self.value(TEXT).filter(is_known);
        let text = text.or_else(|| self.value(CRLF).filter(is_known));
        let is_value = |value: Option<&AttributeValue>, expected: &[u8]| matches!(value, Some(AttributeValue::Text(text)) if **text == *expected);
        let eol = self.value(EOL);
        let newline = match text {
            // Git does not change the line endings.
            Some(AttributeValue::Unset) => Some(NewlineRule::Any),
            _ if is_value(eol, b"lf") => Some(NewlineRule::Lf),
            _ if is_value(eol, b"crlf") => Some(NewlineRule::CrLf),
            _ if is_value(text, b"input") => Some(NewlineRule::Lf),
            _ => None,
        };
        if let Some(newline) = newline {
            rules.newline = Some((newline, source));
        }
        if let Some(AttributeValue::Text(name)) = self.value(ENCODING) {
            if let Ok(Some(rule)) = encoding_rule(name) {
                rules.encoding = Some((rule, source));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_overlong_lines_are_ignored() {
        // gitattributes(5), and the limit of git's attr.h.
        let long = [&[b'a'; 4096][..], b" working-tree-encoding=UTF-16\n"].concat();
        let text = [b"\n#c working-tree-encoding=UTF-16\n", &long[..]].concat();
        let file = AttributesFile::parse(&text, true, usize::MAX, &mut |_, _| panic!()).unwrap();
        assert_eq!(file.lines.len(), 0);
        let text = b"  c working-tree-encoding=UTF-16\n";
        let file = AttributesFile::parse(text, true, usize::MAX, &mut |_, _| panic!()).unwrap();
        assert_eq!(file.lines.len(), 1);
    }

    #[test]
    fn quoted_patterns_have_the_escapes_of_c() {
        // unquote_c_style in git's quote.c.
        for (line, expected) in [
            (&br#""a b" text"#[..], Some(&b"a b"[..])),
            (br#""\a\b\f\n\r\t\v\"\\" text"#, Some(b"\x07\x08\x0C\n\r\t\x0B\"\\")),
            (br#""\000\101\303\251\377" text"#, Some(b"\0A\xC3\xA9\xFF")),
            (br#""\400" text"#, None),
            (br#""\08" text"#, None),
            (br#""\18x" text"#, None),
            (br#""\x41" text"#, None),
            (br#""a text"#, None),
        ] {
            let (pattern, attributes) = split_pattern(line);
            match expected {
                Some(expected) => assert_eq!((&*pattern, attributes), (expected, &b" text"[..])),
                // The quotation mark is part of the pattern.
                None => assert_eq!(pattern[0], b'"', "{}", line.escape_ascii()),
            }
        }
    }
}
