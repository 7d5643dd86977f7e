//! The size of a text, in bytes per character: encoded by this crate, and counted independently.

use super::estimate::closed_run;

/// A form of UTF-7 that an encoder may choose.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// Its label in charpipe.
    pub name: &'static str,
    /// A run ends with `-` even where the next character implies its end.
    close_always: bool,
    /// RFC 1642's set O is written directly.
    set_o_direct: bool,
}

/// The forms that are measured. The first is the default.
pub const FORMS: [Form; 3] = [
    Form { name: "utf-7", close_always: false, set_o_direct: false },
    Form { name: "utf-7:close=always", close_always: true, set_o_direct: false },
    Form { name: "utf-7:optional=direct", close_always: false, set_o_direct: true },
];

const SET_D: &str = "'(),-./:?";
const SET_O: &str = "!\"#$%&*;<=>@[]^_`{|}";
const RULE_3: &str = " \t\r\n";

impl Form {
    /// Whether a character is written directly.
    pub fn direct(self, character: char) -> bool {
        character.is_ascii_alphanumeric()
            || SET_D.contains(character)
            || RULE_3.contains(character)
            || (self.set_o_direct && SET_O.contains(character))
    }

    /// Whether a run needs its `-` before what follows; nothing follows at the end.
    fn hyphen(self, next: Option<char>) -> bool {
        let in_base64 = |c: char| c.is_ascii_alphanumeric() || "+/-".contains(c);
        self.close_always || next.is_none_or(in_base64)
    }

    /// Bytes and Base64 runs of a text, counted by the rules without encoding it.
    pub fn count(self, text: &str) -> (usize, usize) {
        let (mut bytes, mut runs) = (0, 0);
        let mut chars = text.chars().peekable();
        while let Some(first) = chars.next() {
            if first == '+' || self.direct(first) {
                bytes += if first == '+' { "+-".len() } else { 1 };
                continue;
            }
            let mut units = first.len_utf16();
            while let Some(more) = chars.next_if(|&next| !self.direct(next)) {
                units += more.len_utf16();
            }
            let spared = usize::from(!self.hyphen(chars.peek().copied()));
            bytes += closed_run(units) - spared;
            runs += 1;
        }
        (bytes, runs)
    }

    /// Bytes of a text as charpipe encodes it.
    ///
    /// # Panics
    ///
    /// If charpipe does not take the text.
    pub fn encoded(self, text: &str) -> usize {
        charpipe::transcode("utf-8", self.name, text.as_bytes()).expect("all of Unicode fits").len()
    }
}

/// Bytes of Base64 for the given number of bytes, without line breaks.
pub fn base64(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

/// Bytes of a text in Quoted-Printable (RFC 2045, section 6.7) over UTF-8, without soft line
/// breaks, LF for line breaks.
pub fn quoted_printable(text: &str) -> usize {
    let line = |line: &str| {
        let space_at_end = line.ends_with([' ', '\t']);
        let escaped = |byte: &u8| !matches!(byte, b'\t' | b' '..=b'<' | b'>'..=b'~');
        let escapes = line.bytes().filter(escaped).count() + usize::from(space_at_end);
        line.len() + 2 * escapes
    };
    text.split('\n').map(line).sum::<usize>() + text.matches('\n').count()
}
