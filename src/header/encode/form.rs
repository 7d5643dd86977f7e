//! The two forms of a word: bytes in base64, or nearly as they are (RFC 2047, section 4).

/// B or Q.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    B,
    Q,
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Whether a byte stands for itself in Q, wherever the word stands (RFC 2047, section 5, rule 3).
const fn is_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'*' | b'+' | b'-' | b'/')
}

/// Characters that each byte takes in Q.
const QUOTED: [u8; 256] = {
    let (mut columns, mut byte) = ([3; 256], 0);
    while byte < 256 {
        if is_safe(byte as u8) || byte as u8 == b' ' {
            columns[byte] = 1;
        }
        byte += 1;
    }
    columns
};

impl Form {
    pub fn letter(self) -> u8 {
        match self {
            Form::B => b'B',
            Form::Q => b'Q',
        }
    }

    /// Characters that these bytes take.
    pub fn columns(self, bytes: &[u8]) -> usize {
        match self {
            Form::B => bytes.len().div_ceil(3) * 4,
            Form::Q => bytes.iter().map(|byte| usize::from(QUOTED[usize::from(*byte)])).sum(),
        }
    }

    /// Writes bytes.
    pub fn write(self, bytes: &[u8], mut put: impl FnMut(&[u8])) {
        match self {
            Form::B => bytes.chunks(3).for_each(|chunk| put(&quantum(chunk))),
            Form::Q => bytes.iter().for_each(|byte| match byte {
                b' ' => put(b"_"),
                byte if is_safe(*byte) => put(&[*byte]),
                byte => put(&[b'=', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
            }),
        }
    }
}

/// One to three bytes in base64, with padding (RFC 2045, section 6.8).
fn quantum(chunk: &[u8]) -> [u8; 4] {
    let byte = |index: usize| chunk.get(index).map_or(0, |byte| u32::from(*byte));
    let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    let digit = |index: usize| match index <= chunk.len() {
        true => DIGITS[(bits >> (18 - 6 * index) & 63) as usize],
        false => b'=',
    };
    [digit(0), digit(1), digit(2), digit(3)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: Form, bytes: &[u8]) -> String {
        let mut written = Vec::new();
        form.write(bytes, |piece| written.extend_from_slice(piece));
        assert_eq!(written.len(), form.columns(bytes));
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn base64_is_padded_to_whole_quanta() {
        // RFC 4648, section 10.
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(written(Form::B, bytes.as_bytes()), expected);
        }
        assert_eq!(written(Form::B, b"\xFF\xEF\xBE"), "/+++");
    }

    #[test]
    fn q_lets_only_what_is_safe_in_a_phrase_stand_for_itself() {
        // RFC 2047, section 5, rule 3: letters, digits and these five; `_` is SPACE.
        let itself: Vec<u8> =
            (0..=255).filter(|byte| written(Form::Q, &[*byte]).len() == 1).collect();
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\x61bcdefghijklmnopqrstuvwxyz";
        assert_eq!(itself, [b" !*+-/0123456789".as_slice(), letters].concat());
        assert_eq!(written(Form::Q, b" =?_\xE9\x00\x0A"), "_=3D=3F=5F=E9=00=0A");
    }
}
