//! The line that is being written: how far it has come, and whether it may be folded.

/// Columns of a line that has a word on it, at most (RFC 2047, section 2).
pub const LINE: usize = 76;

/// Columns are counted up to here. All beyond are alike.
const FAR: usize = 127;

/// What stands on a line so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    Nothing,
    /// White space.
    Blank,
    /// The name of the field, and perhaps white space.
    Name,
    /// More than that.
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    column: usize,
    pub content: Content,
    /// Whether a word stands on it, so that it must not get too long.
    pub has_word: bool,
}

impl Line {
    pub const NEW: Line = Line { column: 0, content: Content::Nothing, has_word: false };

    pub fn new(column: usize, content: Content, has_word: bool) -> Line {
        Line { column: column.min(FAR), content, has_word }
    }

    /// Characters on the line, but no more than 127.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The line with so many more characters on it.
    pub fn with(self, columns: usize, content: Content) -> Line {
        let column = (self.column + columns.min(FAR)).min(FAR);
        let content = if columns > 0 { self.content.max(content) } else { self.content };
        Line { column, content, ..self }
    }

    /// The line with white space after it.
    pub fn with_blanks(self, columns: usize) -> Line {
        self.with(columns, Content::Blank)
    }

    pub fn with_word(self, columns: usize) -> Line {
        Line { has_word: true, ..self.with(columns, Content::Text) }
    }

    /// The line after text that may hold line ends.
    pub fn after(self, text: &[u8]) -> Line {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let (line, last) = match memchr::memrchr(b'\n', text) {
            None => (self, text),
            Some(at) => (Line::NEW, &text[at + 1..]),
        };
        let content = if last.iter().all(is_blank) { Content::Blank } else { Content::Text };
        line.with(last.len(), content)
    }

    /// Whether so many more characters fit beside a word.
    pub fn fits(&self, columns: usize) -> bool {
        self.column + columns.min(FAR) <= LINE
    }

    /// Columns that are left beside a word.
    pub fn space(&self) -> usize {
        LINE.saturating_sub(self.column)
    }

    /// Whether a line end may be put here: never one that leaves a line of white space.
    pub fn may_end(&self) -> bool {
        self.content >= Content::Name
    }
}
