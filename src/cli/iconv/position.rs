//! Lines and columns in messages: columns of a terminal, from 0.

use std::io::{self, Read};

use unicode_width::UnicodeWidthChar;

use charpipe_encoding::encoding::Encoding;
use charpipe_transcode::error_policy::{ErrorAction, ErrorPolicy};
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

/// The number of bytes of input that are kept to compute columns.
const MAX_RECORDED_LEN: usize = 1 << 20;

/// The interval between tab stops.
const TAB_WIDTH: usize = 8;

/// Encodings for which characters that are narrow elsewhere are wide.
const EAST_ASIAN: [&str; 8] =
    ["EUC-JP", "GB2312", "GBK", "EUC-TW", "BIG5", "EUC-KR", "CP949", "JOHAB"];

/// A reader that keeps the start of what it reads.
pub struct RecordingReader<R> {
    source: R,
    pub recorded: Vec<u8>,
    /// The number of bytes read.
    pub len: u64,
}

impl<R: Read> RecordingReader<R> {
    pub fn new(source: R) -> RecordingReader<R> {
        RecordingReader { source, recorded: Vec::new(), len: 0 }
    }
}

impl<R: Read> Read for RecordingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.source.read(buffer)?;
        self.len += len as u64;
        let kept = len.min(MAX_RECORDED_LEN - self.recorded.len());
        self.recorded.extend_from_slice(&buffer[..kept]);
        Ok(len)
    }
}

/// The position of a cursor after text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 0.
    pub column: u64,
}

impl Cursor {
    /// Returns the position after `input`, malformed sequences of which were handled by this action.
    pub fn after(
        input: &[u8],
        from: &EncodingSpec,
        malformed: &ErrorAction,
        is_east_asian: bool,
    ) -> Cursor {
        let malformed = match malformed {
            ErrorAction::Stop => ErrorAction::Skip,
            action => action.clone(),
        };
        let mut options =
            TranscodeOptions::new(from.clone(), charpipe_encoding::UTF_8).bom(BomPolicy::Keep);
        // Numbers above U+10FFFF are characters too, if unmappable ones.
        options.error_policy = ErrorPolicy { malformed, unmappable: ErrorAction::Replace(None) };
        let text = options.transcode(input).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let line_start = text.rfind('\n').map_or(0, |at| at + 1);
        let characters = text[line_start..].chars();
        let column = characters.fold(0, |column, next| advance(column, next, is_east_asian));
        let line = 1 + text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        Cursor { line, column: column as u64 }
    }
}

/// Returns the column after a character.
fn advance(column: usize, character: char, is_east_asian: bool) -> usize {
    if character == '\t' {
        return (column + 1).next_multiple_of(TAB_WIDTH);
    }
    // Control characters have no width.
    let width = character.width().unwrap_or(0);
    let is_ambiguous = matches!(character, '\u{A1}'..='\u{FF60}') && character != '\u{20A9}';
    column + if width == 1 && is_east_asian && is_ambiguous { 2 } else { width }
}

/// Returns whether widths are those of a legacy East Asian encoding.
pub fn is_east_asian(encoding: &Encoding) -> bool {
    let name = encoding.name();
    let name = name.strip_prefix("libiconv:").unwrap_or(name);
    EAST_ASIAN.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_a_terminal() {
        // Tab stops are every eight columns; "日" is wide.
        for (text, column) in [
            ("", 0),
            ("\t", 8),
            ("1234567\t", 8),
            ("12345678\t", 16),
            ("\t1\t2", 17),
            ("日\u{1}a", 3),
        ] {
            let utf8 = "utf-8".parse().unwrap();
            let input = ["1\t\n", text].concat();
            let cursor = Cursor::after(input.as_bytes(), &utf8, &ErrorAction::Stop, false);
            assert_eq!(cursor, Cursor { line: 2, column }, "{text:?}");
        }
    }

    #[test]
    fn ambiguous_characters_are_wide_in_east_asian_encodings() {
        for (character, width) in [('a', 1), ('日', 2), ('±', 2), ('Я', 2), ('\u{20A9}', 1)] {
            assert_eq!(advance(3, character, true), 3 + width, "{character}");
        }
        assert_eq!(advance(3, '±', false), 4);
    }
}
