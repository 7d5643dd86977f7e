//! The bytes that the text of a word stands for, each with where it comes from.
//!
//! A character of base64 holds six bits and a byte eight, so a character may carry the end of
//! one byte and the beginning of the next. It stays unread until its last bits are used: a
//! [`TransferPosition`] says at which character the next byte begins, and how many bytes of its quantum are
//! read. Nothing else has to be remembered, and an error in a byte begins by itself at the first
//! character that carries a bit of it.

use crate::header::visits;

/// Where the next byte begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TransferPosition {
    /// The index of the first byte that carries it.
    pub at: usize,
    pub base64: bool,
    /// Bytes that are read of a quantum of base64: 0, 1 or 2.
    pub phase: u8,
}

/// A byte of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Byte {
    pub value: u8,
    /// The index of the first byte that carries it.
    pub from: usize,
    /// After the last one.
    pub to: usize,
    /// Where the next byte begins.
    pub after: TransferPosition,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Byte(Byte),
    /// The `?=` of the word, at this index.
    End(usize),
    /// More must be seen first.
    More,
}

/// Reads bytes one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    at: usize,
    base64: bool,
    /// Characters of the quantum that stand before `at`.
    count: u8,
    /// The last of them, its six bits and its index, if bits of it are yet to be used.
    held: Option<(u8, usize)>,
}

impl Cursor {
    pub fn new(position: TransferPosition) -> Cursor {
        Cursor { at: position.at, base64: position.base64, count: position.phase, held: None }
    }

    /// At the beginning of a word's text.
    pub fn of_text(at: usize, base64: bool) -> Cursor {
        Cursor::new(TransferPosition { at, base64, phase: 0 })
    }

    /// Whether a quantum of base64 has begun that no padding has ended.
    pub fn inside_quantum(&self) -> bool {
        self.base64 && self.count > 0
    }

    /// The same quantum, going on in the text at `at`.
    pub fn going_on(self, at: usize) -> Cursor {
        Cursor { at, ..self }
    }

    /// The next byte. `closed` says that nothing follows `src`.
    pub fn next(&mut self, src: &[u8], closed: bool) -> Next {
        let from = self.at;
        let next = if self.base64 {
            self.next_of_base64(src, closed)
        } else {
            self.next_of_q(src, closed)
        };
        visits::note((self.at - from).max(1));
        next
    }

    /// RFC 2045, section 6.8, and what is not of its alphabet is passed over.
    fn next_of_base64(&mut self, src: &[u8], closed: bool) -> Next {
        while let Some(&byte) = src.get(self.at) {
            let value = VALUES[usize::from(byte)];
            if value < 64 {
                match self.take(value) {
                    Some(raw_byte) => return Next::Byte(raw_byte),
                    None => continue,
                }
            }
            match (byte, src.get(self.at + 1)) {
                (b'?', Some(b'=')) => return Next::End(self.at),
                (b'?', None) if !closed => return Next::More,
                (b'=', _) if self.count >= 2 => (self.count, self.held) = (0, None),
                _ => {}
            }
            self.at += 1;
        }
        self.no_more(closed)
    }

    /// Takes a character of base64, and the byte that it makes whole.
    fn take(&mut self, value: u8) -> Option<Byte> {
        let here = self.at;
        self.at += 1;
        let Some((before, from)) = self.held.replace((value, here)) else {
            self.count += 1;
            return None;
        };
        let byte = match self.count {
            1 => before << 2 | value >> 4,
            2 => before << 4 | value >> 2,
            _ => before << 6 | value,
        };
        let phase = self.count % 3;
        if phase == 0 {
            (self.count, self.held) = (0, None);
        } else {
            self.count += 1;
        }
        let after =
            TransferPosition { at: if phase == 0 { self.at } else { here }, base64: true, phase };
        Some(Byte { value: byte, from, to: self.at, after })
    }

    /// RFC 2047, section 4.2. What `=` begins without two digits stands for itself.
    fn next_of_q(&mut self, src: &[u8], closed: bool) -> Next {
        while let Some(&byte) = src.get(self.at) {
            let rest = &src[self.at + 1..];
            match (byte, rest) {
                (b'?', [b'=', ..]) => return Next::End(self.at),
                // Nothing is left to tell these from other bytes.
                (b'?' | b'=' | b'\r', []) | (b'=', [_]) if !closed => return Next::More,
                (b'_', _) => return self.byte(b' ', 1),
                (b'=', [high, low, ..]) if hex(*high) < 16 && hex(*low) < 16 => {
                    return self.byte(hex(*high) << 4 | hex(*low), 3);
                }
                // Only a fold has an end of line here. Its white space is text.
                (b'\r', [b'\n', ..]) => self.at += 2,
                (b'\n', _) => self.at += 1,
                _ => return self.byte(byte, 1),
            }
        }
        self.no_more(closed)
    }

    fn byte(&mut self, value: u8, length: usize) -> Next {
        let from = self.at;
        self.at += length;
        let after = TransferPosition { at: self.at, base64: false, phase: 0 };
        Next::Byte(Byte { value, from, to: self.at, after })
    }

    fn no_more(&self, closed: bool) -> Next {
        if closed { Next::End(self.at) } else { Next::More }
    }
}

/// The value of a hexadecimal digit, or 16.
pub(super) fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'A'..=b'F' => digit - b'A' + 10,
        b'a'..=b'f' => digit - b'a' + 10,
        _ => 16,
    }
}

/// The alphabet of base64 (RFC 2045, table 1), in order.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The six bits of each character of base64, and 64 for all others.
pub(super) static VALUES: [u8; 256] = {
    let mut values = [64; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        values[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    values
};

#[cfg(test)]
mod tests {
    use super::*;

    /// All bytes of a text, with the bytes that carry each.
    fn bytes(base64: bool, text: &str) -> Vec<(u8, String)> {
        let src = format!("{text}?=").into_bytes();
        let mut cursor = Cursor::of_text(0, base64);
        let mut raw_bytes = Vec::new();
        loop {
            match cursor.next(&src, true) {
                Next::Byte(byte) => {
                    let bytes = String::from_utf8_lossy(&src[byte.from..byte.to]).into_owned();
                    raw_bytes.push((byte.value, bytes));
                    // A fresh reader that begins there reads the same.
                    let (mut fresh, mut same) = (Cursor::new(byte.after), cursor);
                    assert_eq!(fresh.next(&src, true), same.next(&src, true), "{text}");
                }
                Next::End(at) => {
                    assert_eq!(at, text.len());
                    return raw_bytes;
                }
                Next::More => panic!("nothing more comes"),
            }
        }
    }

    fn values(base64: bool, text: &str) -> Vec<u8> {
        bytes(base64, text).into_iter().map(|(value, _)| value).collect()
    }

    #[test]
    fn q_is_read_as_the_rules_say() {
        for (text, bytes) in [
            ("a_b", &b"a b"[..]),
            ("=C3=a9=5F", b"\xC3\xA9_"),
            ("=", b"="),
            ("a=", b"a="),
            ("=G1=1=1G", b"=G1=1=1G"),
            ("==41", b"=A"),
            ("=4", b"=4"),
            ("a?b", b"a?b"),
            ("a \t b ", b"a \t b "),
            ("a\r\n b\n\tc", b"a b\tc"),
            ("a\rb", b"a\rb"),
        ] {
            assert_eq!(values(false, text), bytes, "{text:?}");
        }
    }

    #[test]
    fn base64_is_read_as_the_rules_say() {
        for (text, bytes) in [
            ("Zm9vYmFy", &b"foobar"[..]),
            ("Zm9vYg==", b"foob"),
            ("Zm9vYg", b"foob"),
            ("Zm9vYmE", b"fooba"),
            ("Zm9v\r\n Ym\tFy", b"foobar"),
            ("Zm8=YmFy", b"fobar"),
            ("Zg==Zg==", b"ff"),
            ("Z=g==", b"f"),
            ("-Z*m?9v-", b"foo"),
            ("Zm9vY", b"foo"),
            ("Z", b""),
            ("=-!", b""),
            ("+/+/", b"\xFB\xFF\xBF"),
        ] {
            assert_eq!(values(true, text), bytes, "{text:?}");
        }
    }

    #[test]
    fn each_byte_names_the_bytes_that_carry_it() {
        let named = |base64, text| -> Vec<_> {
            bytes(base64, text).into_iter().map(|(_, bytes)| bytes).collect()
        };
        assert_eq!(named(false, "a=C3\r\n _"), ["a", "=C3", " ", "_"]);
        assert_eq!(named(true, "Zm9vYg=="), ["Zm", "m9", "9v", "Yg"]);
        assert_eq!(named(true, "Z\r\n m-9v"), ["Z\r\n m", "m-9", "9v"]);
    }

    #[test]
    fn what_the_next_byte_may_change_waits_for_it() {
        for (base64, src) in [
            (false, &b""[..]),
            (false, b"?"),
            (false, b"="),
            (false, b"=4"),
            (false, b"=?"),
            (false, b"\r"),
            (true, b""),
            (true, b"Z"),
            (true, b"=?"),
        ] {
            assert_eq!(Cursor::of_text(0, base64).next(src, false), Next::More, "{src:?}");
        }
    }
}
