//! The bytes of an offender, as a message shows them.

use std::fmt;

/// The first bytes of an offender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Excerpt {
    bytes: [u8; Excerpt::LONGEST],
    len: u8,
    more: bool,
    /// Whether a reader knows the bytes by their characters, as in header words.
    text: bool,
}

impl Excerpt {
    /// Bytes shown at the most.
    pub const LONGEST: usize = 24;

    /// Bytes shown at the most in hexadecimal digits.
    const HEX: usize = 8;

    /// The first bytes of these, to be shown in hexadecimal digits.
    pub fn of(all: &[u8]) -> Excerpt {
        Excerpt::front(all, Self::HEX, false)
    }

    /// The first bytes of these, to be shown as characters of ASCII.
    pub fn of_text(all: &[u8]) -> Excerpt {
        Excerpt::front(all, Self::LONGEST, true)
    }

    fn front(all: &[u8], most: usize, text: bool) -> Excerpt {
        let len = all.len().min(most);
        let mut bytes = [0; Self::LONGEST];
        bytes[..len].copy_from_slice(&all[..len]);
        Excerpt { bytes, len: len as u8, more: all.len() > len, text }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text {
            let more = if self.more { " …" } else { "" };
            return write!(f, "\"{}\"{more}", self.bytes().escape_ascii());
        }
        for (index, byte) in self.bytes().iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{byte:02X}")?;
        }
        f.write_str(if self.more { " …" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_says_where_it_leaves_something_out() {
        assert_eq!(Excerpt::of(b"\x01\xFF").to_string(), "01 FF");
        assert_eq!(Excerpt::of(b"12345678").to_string(), "31 32 33 34 35 36 37 38");
        assert_eq!(Excerpt::of(b"123456789").to_string(), "31 32 33 34 35 36 37 38 …");
        assert_eq!(Excerpt::of_text(b"=E9\xFF\x1B").to_string(), r#""=E9\xff\x1b""#);
        assert_eq!(Excerpt::of_text(&[b'a'; 25]).to_string(), format!("\"{}\" …", "a".repeat(24)));
    }
}
