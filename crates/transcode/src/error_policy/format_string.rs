//! Format strings of `printf` for replacements, as options of GNU libiconv's `iconv` have them.

use std::fmt;
use std::iter;

/// A format string that takes at most one unsigned integer.
///
/// A directive is `%`, flags, a width, a precision, and one of `o`, `u`, `x` and `X`, or `%` for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatString {
    before: String,
    conversion: Option<FormatDirective>,
    after: String,
    repertoire: String,
    /// The format string itself.
    source: String,
}

/// Why a format string is invalid. The texts are those of libiconv.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatStringError {
    VariableWidth,
    VariablePrecision,
    Size,
    Incomplete,
    /// The conversion specifier is this printable character.
    Specifier(char),
    UnprintableSpecifier,
    /// There are this many conversions.
    Arguments(usize),
    TooLong,
}

/// A conversion of an unsigned integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct FormatDirective {
    is_alternate: bool,
    pads_with_zeros: bool,
    is_left_aligned: bool,
    width: usize,
    precision: Option<usize>,
    specifier: u8,
}

impl FormatString {
    /// The maximum length of a formatted text, in bytes.
    pub const MAX_LEN: usize = 4096;

    /// Parses a format string.
    ///
    /// # Errors
    ///
    /// Returns an error if it is invalid.
    pub fn parse(format: &str) -> Result<FormatString, FormatStringError> {
        let mut parsed = FormatString {
            before: String::new(),
            conversion: None,
            after: String::new(),
            repertoire: String::new(),
            source: format.to_owned(),
        };
        let mut conversions = 0;
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            parsed.push_literal(&rest[..at]);
            let (directive, after) = FormatDirective::parse(&rest[at + 1..])?;
            rest = after;
            if directive.specifier == b'%' {
                parsed.push_literal("%");
            } else {
                conversions += 1;
                parsed.conversion = Some(directive);
            }
        }
        parsed.push_literal(rest);
        if conversions > 1 {
            return Err(FormatStringError::Arguments(conversions));
        }
        if parsed.max_len() > FormatString::MAX_LEN {
            return Err(FormatStringError::TooLong);
        }
        parsed.repertoire = [&parsed.before, &parsed.after].into_iter().cloned().collect();
        if let Some(conversion) = parsed.conversion {
            parsed.repertoire.push_str(match conversion.specifier {
                b'x' => " 0123456789abcdefx",
                b'X' => " 0123456789ABCDEFX",
                _ => " 0123456789",
            });
        }
        Ok(parsed)
    }

    fn push_literal(&mut self, text: &str) {
        let side = if self.conversion.is_none() { &mut self.before } else { &mut self.after };
        side.push_str(text);
    }

    /// Appends the text for a value.
    pub(crate) fn write(&self, value: u32, text: &mut String) {
        text.push_str(&self.before);
        if let Some(conversion) = self.conversion {
            conversion.write(value, text);
        }
        text.push_str(&self.after);
    }

    /// Returns all characters that may be written.
    pub fn repertoire(&self) -> &str {
        &self.repertoire
    }

    /// Returns the maximum length of the text for one value, in bytes.
    pub(crate) fn max_len(&self) -> usize {
        let number = self.conversion.map_or(0, |conversion| {
            conversion.width.max(conversion.precision.unwrap_or(0).saturating_add(2)).max(13)
        });
        number.saturating_add(self.before.len()).saturating_add(self.after.len())
    }
}

impl FormatDirective {
    /// Parses a directive after its `%`. Returns it and the text after it.
    fn parse(directive: &str) -> Result<(FormatDirective, &str), FormatStringError> {
        let mut parsed = FormatDirective::default();
        let is_flag = |character: char| " +-#0'".contains(character);
        let rest = directive.trim_start_matches(is_flag);
        let flags = &directive[..directive.len() - rest.len()];
        parsed.is_alternate = flags.contains('#');
        parsed.pads_with_zeros = flags.contains('0');
        parsed.is_left_aligned = flags.contains('-');
        if rest.starts_with('*') {
            return Err(FormatStringError::VariableWidth);
        }
        let (width, mut rest) = parse_number(rest);
        parsed.width = width;
        if let Some(after) = rest.strip_prefix('.') {
            if after.starts_with('*') {
                return Err(FormatStringError::VariablePrecision);
            }
            let (precision, after) = parse_number(after);
            parsed.precision = Some(precision);
            rest = after;
        }
        let mut characters = rest.chars();
        parsed.specifier = match characters.next() {
            None => return Err(FormatStringError::Incomplete),
            Some(specifier @ ('%' | 'o' | 'u' | 'x' | 'X')) => specifier as u8,
            Some('h' | 'l' | 'L' | 'q' | 'j' | 'z' | 'Z' | 't') => {
                return Err(FormatStringError::Size);
            }
            Some(specifier @ ' '..='~') => return Err(FormatStringError::Specifier(specifier)),
            Some(_) => return Err(FormatStringError::UnprintableSpecifier),
        };
        Ok((parsed, characters.as_str()))
    }

    fn write(self, value: u32, text: &mut String) {
        let mut digits = match self.specifier {
            b'o' => format!("{value:o}"),
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            _ => value.to_string(),
        };
        if value == 0 && self.precision == Some(0) {
            digits.clear();
        }
        let mut zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let mut prefix = "";
        match self.specifier {
            b'o' if self.is_alternate && zeros == 0 && !digits.starts_with('0') => zeros = 1,
            b'x' if self.is_alternate && value != 0 => prefix = "0x",
            b'X' if self.is_alternate && value != 0 => prefix = "0X",
            _ => {}
        }
        let mut spaces = self.width.saturating_sub(prefix.len() + zeros + digits.len());
        if self.pads_with_zeros && !self.is_left_aligned && self.precision.is_none() {
            zeros += std::mem::take(&mut spaces);
        }
        let padding = iter::repeat_n(' ', spaces);
        if !self.is_left_aligned {
            text.extend(padding.clone());
        }
        text.push_str(prefix);
        text.extend(iter::repeat_n('0', zeros));
        text.push_str(&digits);
        if self.is_left_aligned {
            text.extend(padding);
        }
    }
}

/// Parses the digits at the start. Returns their value, which saturates, and the text after them.
fn parse_number(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let value = text[..text.len() - rest.len()].bytes().fold(0usize, |value, digit| {
        value.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    });
    (value, rest)
}

impl fmt::Display for FormatString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl fmt::Display for FormatStringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatStringError::VariableWidth => {
                f.write_str("A format directive with a variable width is not allowed here.")
            }
            FormatStringError::VariablePrecision => {
                f.write_str("A format directive with a variable precision is not allowed here.")
            }
            FormatStringError::Size => {
                f.write_str("A format directive with a size is not allowed here.")
            }
            FormatStringError::Incomplete => {
                f.write_str("The string ends in the middle of a directive.")
            }
            FormatStringError::Specifier(specifier) => {
                write!(f, "The character '{specifier}' is not a valid conversion specifier.")
            }
            FormatStringError::UnprintableSpecifier => f.write_str(
                "The character that terminates the format directive is not a valid conversion \
                 specifier.",
            ),
            FormatStringError::Arguments(count) => {
                write!(f, "The format string consumes more than one argument: {count} arguments.")
            }
            FormatStringError::TooLong => {
                write!(f, "A text of more than {} bytes is not supported.", FormatString::MAX_LEN)
            }
        }
    }
}

impl std::error::Error for FormatStringError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expectations are those of `printf` of bash and the GNU C library.
    #[test]
    fn numbers_are_formatted_as_by_printf() {
        for (format, value, text) in [
            ("<U+%04X>", 0xE9, "<U+00E9>"),
            ("&#%u;", 233, "&#233;"),
            ("\\x%02x", 0xFF, "\\xff"),
            ("%o", 8, "10"),
            ("%#o", 8, "010"),
            ("%#.4o", 8, "0010"),
            ("%#o", 0, "0"),
            ("%#.0o", 0, "0"),
            ("%.0u", 0, ""),
            ("%.u", 0, ""),
            ("%5.0x", 0, "     "),
            ("%#x", 0, "0"),
            ("%#x", 255, "0xff"),
            ("%#08X", 255, "0X0000FF"),
            ("%#X", 1, "0X1"),
            ("%#X", 0, "0"),
            ("%#.20x", 255, "0x000000000000000000ff"),
            ("%-6u|", 42, "42    |"),
            ("%-06u|", 42, "42    |"),
            ("%06u", 42, "000042"),
            ("%06.3u", 42, "   042"),
            ("%12X", 0x20AC, "        20AC"),
            ("%.11u", 42, "00000000042"),
            ("%+ 'u", 1_234_567, "1234567"),
            ("100%% %5% of %u", 1, "100% % of 1"),
            ("plain", 1, "plain"),
            ("", 1, ""),
        ] {
            let parsed = FormatString::parse(format).unwrap();
            let mut written = String::new();
            parsed.write(value, &mut written);
            assert_eq!(written, text, "{format:?} {value}");
            assert!(written.len() <= parsed.max_len(), "{format:?}");
            assert!(written.chars().all(|written| parsed.repertoire().contains(written)));
        }
    }

    #[test]
    fn only_one_unsigned_integer_is_allowed() {
        for (format, error) in [
            ("%d", FormatStringError::Specifier('d')),
            ("%s", FormatStringError::Specifier('s')),
            ("%i", FormatStringError::Specifier('i')),
            ("%n", FormatStringError::Specifier('n')),
            ("%1$u", FormatStringError::Specifier('$')),
            ("%é", FormatStringError::UnprintableSpecifier),
            ("%lu", FormatStringError::Size),
            ("%*u", FormatStringError::VariableWidth),
            ("%5*u", FormatStringError::Specifier('*')),
            ("%.*u", FormatStringError::VariablePrecision),
            ("%", FormatStringError::Incomplete),
            ("a%08.", FormatStringError::Incomplete),
            ("%u %x", FormatStringError::Arguments(2)),
            ("%u%u%u", FormatStringError::Arguments(3)),
            ("%4097u", FormatStringError::TooLong),
            ("%99999999999999999999999u", FormatStringError::TooLong),
            ("%.99999999999999999999999u", FormatStringError::TooLong),
        ] {
            assert_eq!(FormatString::parse(format), Err(error), "{format:?}");
        }
    }
}
