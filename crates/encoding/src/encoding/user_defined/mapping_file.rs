//! Mapping files: UCM of ICU, charmap of POSIX, and lines with a code and a character.
//!
//! Sources: ICU User Guide, "Conversion Data" (`.ucm` File Format); IEEE Std 1003.1-2017, section 6.4 (Character Set
//! Description File), with `<UXXXX>` as names of characters and the `%IRREVERSIBLE%` of the GNU C library; the mapping tables
//! at unicode.org (Format A). Comments may be in any encoding.

use memchr::memmem;

use super::{Code, InvalidMapping, MAX_CODE_LEN, MAX_TEXT_CHARS, MappingResult};

/// The maximum number of mappings, a few more than there are characters.
const MAX_MAPPINGS: usize = 1_200_000;

/// The maximum length of the name of an encoding in bytes.
const MAX_NAME_LEN: usize = 64;

/// What a file defines.
pub(super) struct MappingFile {
    /// The name of the encoding, if the file has one.
    pub name: Option<String>,
    /// The mappings in the order of their lines.
    pub mappings: Vec<Mapping>,
}

/// A code and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping {
    pub code: Code,
    pub text: MappedText,
    pub direction: Direction,
    /// The number of the line, from 1.
    pub line: usize,
}

/// One to [`MAX_TEXT_CHARS`] characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct MappedText {
    utf8: [u8; 4 * MAX_TEXT_CHARS],
    len: u8,
}

/// Whether a mapping is for one direction only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Both,
    Decode,
    Encode,
}

impl MappedText {
    fn new(characters: &[char]) -> MappedText {
        let (mut utf8, mut len) = ([0; 4 * MAX_TEXT_CHARS], 0);
        for character in characters.iter().take(MAX_TEXT_CHARS) {
            len += character.encode_utf8(&mut utf8[len..]).len();
        }
        MappedText { utf8, len: len as u8 }
    }

    /// Returns the characters as UTF-8.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.utf8[..usize::from(self.len)]).unwrap_or_default()
    }

    /// Returns an iterator over the characters.
    pub fn chars(&self) -> std::str::Chars<'_> {
        self.as_str().chars()
    }
}

impl std::fmt::Debug for MappedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

/// Parses a file in any of the formats.
pub(super) fn parse(file: &[u8]) -> MappingResult<MappingFile> {
    if file.starts_with(b"\x1F\x8B") {
        return Err(InvalidMapping::new(
            1,
            "the file is compressed: decompress it first, as with gunzip",
        ));
    }
    let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
    let is_section =
        |line: &[u8]| line.trim_ascii() == b"CHARMAP" || line.starts_with(b"<code_set_name>");
    let mut parser = Parser::default();
    if file.split(|byte| *byte == b'\n').any(is_section) {
        parser.sections(file)?;
    } else {
        parser.columns(file)?;
    }
    if parser.file.mappings.is_empty() {
        return Err(InvalidMapping::new(1, "the file has no mappings"));
    }
    Ok(parser.file)
}

struct Parser {
    file: MappingFile,
    line: usize,
    comment: u8,
    escape: u8,
    is_in_charmap: bool,
}

impl Default for Parser {
    fn default() -> Parser {
        let file = MappingFile { name: None, mappings: Vec::new() };
        Parser { file, line: 0, comment: b'#', escape: b'\\', is_in_charmap: false }
    }
}

impl Parser {
    fn error<T>(&self, reason: impl Into<String>) -> MappingResult<T> {
        Err(InvalidMapping::new(self.line, reason))
    }

    fn add(&mut self, code: Code, characters: &[char], direction: Direction) -> MappingResult<()> {
        if self.file.mappings.len() >= MAX_MAPPINGS {
            return self.error(format!("more than {MAX_MAPPINGS} mappings"));
        }
        let text = MappedText::new(characters);
        self.file.mappings.push(Mapping { code, text, direction, line: self.line });
        Ok(())
    }

    /// Parses lines with a code and a character.
    fn columns(&mut self, file: &[u8]) -> MappingResult<()> {
        for line in file.split(|byte| *byte == b'\n') {
            self.line += 1;
            let end = line.iter().position(|byte| *byte == b'#').unwrap_or(line.len());
            let mut words =
                line[..end].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let (code, text) = match (words.next(), words.next(), words.next()) {
                // The mark of the end of a file in CP/M.
                (None, ..) | (Some(b"\x1A"), None, None) => continue,
                (Some(code), text, None) => (code, text),
                _ => return self.error("expected a code and a character, as in 0xA4 0x20AC"),
            };
            let digits = code.strip_prefix(b"0x").or(code.strip_prefix(b"0X"));
            let bytes = digits
                .and_then(|digits| digits.chunks(2).map(byte_of_hex).collect::<Option<Vec<u8>>>());
            let Some(bytes) = bytes else {
                return self.error("expected the bytes of a code in hexadecimal, as in 0x81A4");
            };
            let code = self.code(&bytes)?;
            // A code without a character is unassigned.
            let Some(text) = text else { continue };
            let characters: Option<Vec<char>> = text
                .split(|byte| *byte == b'+')
                .filter(|part| part != b"U")
                .map(character_of_hex)
                .collect();
            let characters = characters.filter(|characters| !characters.is_empty());
            let Some(characters) = characters else {
                return self.error("expected a code point in hexadecimal, as in 0x20AC or U+20AC");
            };
            self.check_len(&characters)?;
            self.add(code, &characters, Direction::Both)?;
        }
        Ok(())
    }

    /// Parses a UCM file or a charmap.
    fn sections(&mut self, file: &[u8]) -> MappingResult<()> {
        for line in file.split(|byte| *byte == b'\n') {
            self.line += 1;
            let line = line.trim_ascii();
            match line {
                b"CHARMAP" => self.is_in_charmap = true,
                b"END CHARMAP" => self.is_in_charmap = false,
                _ if self.is_in_charmap => self.mapping(line)?,
                _ => self.header(line)?,
            }
        }
        if self.is_in_charmap {
            return self.error("END CHARMAP is missing");
        }
        Ok(())
    }

    /// Parses a line before or after the mappings.
    fn header(&mut self, line: &[u8]) -> MappingResult<()> {
        if line.first() == Some(&self.comment) {
            return Ok(());
        }
        let mut words = line.splitn(2, u8::is_ascii_whitespace);
        let key = words.next().unwrap_or_default();
        let value = words.next().unwrap_or_default().trim_ascii();
        let value =
            value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
        match (key, value) {
            (b"<code_set_name>", _) => {
                let name = std::str::from_utf8(value).unwrap_or_default();
                if name.is_empty()
                    || name.len() > MAX_NAME_LEN
                    || !name.bytes().all(|byte| byte.is_ascii_graphic())
                {
                    return self.error("expected a name of printable ASCII characters");
                }
                self.file.name = Some(name.to_owned());
            }
            (b"<comment_char>", [comment]) if comment.is_ascii_punctuation() => {
                self.comment = *comment;
            }
            (b"<escape_char>", [escape]) if escape.is_ascii_punctuation() => self.escape = *escape,
            (b"<comment_char>" | b"<escape_char>", _) => {
                return self.error("expected a punctuation mark of ASCII");
            }
            (b"<uconv_class>", b"EBCDIC_STATEFUL") => {
                return self.error("encodings with shift states are not supported");
            }
            (b"<icu:base>", _) => {
                return self.error("extensions of another file are not supported");
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses a mapping of a UCM file or a charmap.
    fn mapping(&mut self, line: &[u8]) -> MappingResult<()> {
        let (line, mut direction) = match line.strip_prefix(b"%IRREVERSIBLE%") {
            Some(rest) => (rest, Direction::Decode),
            None => (line, Direction::Both),
        };
        if line.is_empty() || line[0] == self.comment {
            return Ok(());
        }
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (names, code) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (names, last) = match memmem::find(names, b"..") {
            Some(at) => (&names[..at], Some(&names[at + 2..])),
            None => (names, None),
        };
        let characters = self.names(names)?;
        let last = last.map(|name| self.names(name)).transpose()?;
        let bytes = self.bytes(code)?;
        let mut code = self.code(&bytes)?;
        match words.next() {
            Some(b"|1" | b"|4") => direction = Direction::Encode,
            // The second substitution character is used for this one.
            Some(b"|2") => return Ok(()),
            Some(b"|3") => direction = Direction::Decode,
            _ => {}
        }
        let (first, last) = match (&characters[..], last.as_deref()) {
            (_, None) => return self.add(code, &characters, direction),
            ([first], Some([last])) if first <= last => (*first, *last),
            _ => return self.error("expected a range of characters, as in <U4E00>..<U4E05>"),
        };
        let end = usize::from(code.len) - 1;
        let first_byte = usize::from(code.bytes[end]);
        for (offset, character) in (first..=last).enumerate() {
            let Ok(byte) = u8::try_from(first_byte + offset) else {
                return self.error("the last byte of a code in the range would be above FF");
            };
            code.bytes[end] = byte;
            self.add(code, &[character], direction)?;
        }
        Ok(())
    }

    /// Parses names of characters, `<U0041>` one or more times, with or without `+` between them.
    fn names(&self, mut names: &[u8]) -> MappingResult<Vec<char>> {
        let mut characters = Vec::new();
        while !names.is_empty() {
            let end = names.iter().position(|byte| *byte == b'>');
            let digits = end.and_then(|end| names[..end].strip_prefix(b"<U"));
            let character = digits.and_then(hex).and_then(char::from_u32);
            let Some((character, end)) = character.zip(end) else {
                return self.error("expected the name of a character, as in <U20AC>");
            };
            characters.push(character);
            names = &names[end + 1..];
            names = names.strip_prefix(b"+").unwrap_or(names);
        }
        self.check_len(&characters)?;
        Ok(characters)
    }

    /// Parses the bytes of a code: escape characters, each with a number in hexadecimal, decimal or octal.
    fn bytes(&self, word: &[u8]) -> MappingResult<Vec<u8>> {
        let mut parts = word.split(|byte| *byte == self.escape);
        let is_start = parts.next().is_some_and(<[u8]>::is_empty);
        let bytes = parts.map(|part| match part {
            [b'x', digits @ ..] => byte_of_hex(digits),
            [b'd', digits @ ..] => number(digits, 10),
            digits => number(digits, 8),
        });
        match bytes.collect::<Option<Vec<u8>>>() {
            Some(bytes) if is_start && !bytes.is_empty() => Ok(bytes),
            _ => {
                let escape = char::from(self.escape);
                self.error(format!("expected the bytes of a code, as in {escape}x81{escape}xA4"))
            }
        }
    }

    fn code(&self, bytes: &[u8]) -> MappingResult<Code> {
        match Code::new(bytes) {
            Some(code) => Ok(code),
            None => self.error(format!("a code has one to {MAX_CODE_LEN} bytes")),
        }
    }

    fn check_len(&self, characters: &[char]) -> MappingResult<()> {
        match characters.len() {
            1..=MAX_TEXT_CHARS => Ok(()),
            _ => self.error(format!("a code has one to {MAX_TEXT_CHARS} characters")),
        }
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u8> {
    let is_number = digits.iter().all(u8::is_ascii_digit);
    u8::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_number)?, radix).ok()
}

fn hex(digits: &[u8]) -> Option<u32> {
    let is_number = (1..=8).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| is_number)?, 16).ok()
}

fn byte_of_hex(digits: &[u8]) -> Option<u8> {
    hex(digits).filter(|_| digits.len() == 2)?.try_into().ok()
}

fn character_of_hex(digits: &[u8]) -> Option<char> {
    let digits = digits.strip_prefix(b"0x").or(digits.strip_prefix(b"0X")).unwrap_or(digits);
    char::from_u32(hex(digits)?)
}
