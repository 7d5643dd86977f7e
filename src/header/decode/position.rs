//! Where in a field of addresses the decoder is: in a quoted-string, a comment or an address.

/// The lexical tokens of RFC 5322, section 3.2, as far as they are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct AddressContext {
    /// Whether `"` has opened a quoted-string.
    pub quoted: bool,
    /// Whether `<` has opened an address.
    pub angle: bool,
    /// Whether a backslash makes the next byte an ordinary one.
    escaped: bool,
    /// How many comments are open, one in the other.
    depth: u16,
}

/// Comments deeper than that are not counted, and end too early.
const DEEPEST: u16 = (1 << DEPTH_BITS) - 1;
const DEPTH_BITS: u32 = 12;

impl AddressContext {
    /// Bits of [`bits`](AddressContext::bits).
    pub const BITS: u32 = DEPTH_BITS + 3;

    /// Of those, the one that says whether the next byte is escaped.
    pub const ESCAPED: u64 = 4;

    pub fn bits(self) -> u64 {
        let flags = [self.quoted, self.angle, self.escaped];
        let flags = flags.iter().rev().fold(0, |bits, flag| bits << 1 | u64::from(*flag));
        u64::from(self.depth) << 3 | flags
    }

    pub fn of(bits: u64) -> AddressContext {
        AddressContext {
            quoted: bits & 1 != 0,
            angle: bits & 2 != 0,
            escaped: bits & AddressContext::ESCAPED != 0,
            depth: (bits >> 3) as u16 & DEEPEST,
        }
    }

    pub fn in_comment(self) -> bool {
        self.depth > 0
    }

    /// Goes on over these bytes.
    pub fn walk(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if std::mem::take(&mut self.escaped) {
                continue;
            }
            match byte {
                b'\\' => self.escaped = self.quoted || self.depth > 0,
                b'"' if self.depth == 0 => self.quoted = !self.quoted,
                b'(' if !self.quoted => self.depth = (self.depth + 1).min(DEEPEST),
                b')' if !self.quoted => self.depth = self.depth.saturating_sub(1),
                b'<' if !self.quoted && self.depth == 0 => self.angle = true,
                b'>' if !self.quoted && self.depth == 0 => self.angle = false,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_comments_and_addresses_are_told_apart() {
        for (bytes, quoted, comment, angle) in [
            (&b"a b"[..], false, false, false),
            (b"\"a <b", true, false, false),
            (b"\"a\\\" <b", true, false, false),
            (b"\"a\" <b", false, false, true),
            (b"\"a\\\\\" <b", false, false, true),
            (b"<a@b> c", false, false, false),
            (b"(a <b \"c", false, true, false),
            (b"(a (b) c", false, true, false),
            (b"(a (b) c) <d", false, false, true),
            (b"(a \\) <b", false, true, false),
            (b"<\"a>b\"", false, false, true),
            (b") <a", false, false, true),
            (b"\\<a", false, false, true),
        ] {
            let mut position = AddressContext::default();
            position.walk(bytes);
            let found = (position.quoted, position.in_comment(), position.angle);
            assert_eq!(found, (quoted, comment, angle), "{bytes:?}");
            assert_eq!(AddressContext::of(position.bits()), position);
        }
    }

    #[test]
    fn any_number_of_comments_is_no_harm() {
        let mut position = AddressContext::default();
        position.walk(&b"(".repeat(100_000));
        assert_eq!(AddressContext::of(position.bits()), position);
        position.walk(&b")".repeat(100_000));
        assert_eq!(position, AddressContext::default());
    }
}
