//! The bytes of an offender, as a message shows them.

use std::fmt;

/// The first bytes of an offender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Excerpt {
    bytes: [u8; Excerpt::MAX_LEN],
    len: u8,
    is_truncated: bool,
    /// Whether a reader knows the bytes by their characters, as in header words.
    is_ascii: bool,
}

impl Excerpt {
    /// Bytes shown at the most.
    pub const MAX_LEN: usize = 24;

    /// Bytes shown at the most in hexadecimal digits.
    const MAX_HEX_LEN: usize = 8;

    /// The first bytes of these, to be shown in hexadecimal digits.
    pub fn hex(all: &[u8]) -> Excerpt {
        Excerpt::truncated(all, Self::MAX_HEX_LEN, false)
    }

    /// The first bytes of these, to be shown as characters of ASCII.
    pub fn ascii(all: &[u8]) -> Excerpt {
        Excerpt::truncated(all, Self::MAX_LEN, true)
    }

    fn truncated(all: &[u8], max: usize, text: bool) -> Excerpt {
        let len = all.len().min(max);
        let mut bytes = [0; Self::MAX_LEN];
        bytes[..len].copy_from_slice(&all[..len]);
        Excerpt { bytes, len: len as u8, is_truncated: all.len() > len, is_ascii: text }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ascii {
            let more = if self.is_truncated { " …" } else { "" };
            return write!(f, "\"{}\"{more}", self.bytes().escape_ascii());
        }
        for (index, byte) in self.bytes().iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{byte:02X}")?;
        }
        f.write_str(if self.is_truncated { " …" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_excerpts_end_with_an_ellipsis() {
        assert_eq!(Excerpt::hex(b"\x01\xFF").to_string(), "01 FF");
        assert_eq!(Excerpt::hex(b"12345678").to_string(), "31 32 33 34 35 36 37 38");
        assert_eq!(Excerpt::hex(b"123456789").to_string(), "31 32 33 34 35 36 37 38 …");
        assert_eq!(Excerpt::ascii(b"=E9\xFF\x1B").to_string(), r#""=E9\xff\x1b""#);
        assert_eq!(Excerpt::ascii(&[b'a'; 25]).to_string(), format!("\"{}\" …", "a".repeat(24)));
    }
}
