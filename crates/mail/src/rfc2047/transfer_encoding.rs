//! The transfer encodings of encoded-words: B, which is base64, and Q (RFC 2047, section 4).

use std::sync::LazyLock;

use super::work_counter;
use charpipe_kernel::base64::Base64Alphabet;
use charpipe_kernel::base64_bytes;
use charpipe_kernel::hex;
use charpipe_kernel::simd::AsArrays;

/// How an encoded-word writes bytes as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TransferEncoding {
    #[default]
    Q,
    B,
}

/// The alphabet of base64 (RFC 2045, table 1).
static BASE64: LazyLock<Base64Alphabet> = LazyLock::new(|| Base64Alphabet::with_last_digit(b'/'));

/// Whether Q writes a byte as itself, wherever the encoded-word is (RFC 2047, section 5, rule 3).
const fn is_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'*' | b'+' | b'-' | b'/')
}

/// Characters of each byte in Q.
static Q_LEN: [u8; 256] = {
    let (mut lengths, mut byte) = ([3; 256], 0);
    while byte < 256 {
        if is_safe(byte as u8) || byte as u8 == b' ' {
            lengths[byte] = 1;
        }
        byte += 1;
    }
    lengths
};

/// The text of each byte in Q, and its length in the last byte.
static Q_TEXT: [[u8; 4]; 256] = {
    let (mut texts, mut byte) = ([[0; 4]; 256], 0);
    while byte < 256 {
        let [high, low] = hex::encode_byte(byte as u8);
        texts[byte] = match byte as u8 {
            b' ' => [b'_', 0, 0, 1],
            itself if is_safe(itself) => [itself, 0, 0, 1],
            _ => [b'=', high, low, 3],
        };
        byte += 1;
    }
    texts
};

/// Returns a byte in Q, and a space as an escape.
pub fn q_text(byte: u8) -> &'static [u8] {
    match byte {
        b' ' => b"=20",
        _ => {
            let [text @ .., len] = &Q_TEXT[usize::from(byte)];
            &text[..usize::from(*len)]
        }
    }
}

impl TransferEncoding {
    pub fn letter(self) -> u8 {
        match self {
            TransferEncoding::B => b'B',
            TransferEncoding::Q => b'Q',
        }
    }

    /// Returns the number of characters that `bytes` take.
    pub fn encoded_len(self, bytes: &[u8]) -> usize {
        match self {
            TransferEncoding::B => bytes.len().div_ceil(3) * 4,
            TransferEncoding::Q => {
                bytes.iter().map(|byte| usize::from(Q_LEN[usize::from(*byte)])).sum()
            }
        }
    }

    /// Writes `bytes` to the start of `out`, and returns the length of their text. Needs two bytes more
    /// than that, which may be overwritten.
    pub fn encode(self, bytes: &[u8], out: &mut [u8]) -> usize {
        match self {
            TransferEncoding::B => {
                let alphabet = &*BASE64;
                let (read, written) = base64_bytes::encode(alphabet, bytes, out);
                let (chunks, rest) = bytes[read..].as_arrays::<3>();
                let quanta = out[written..].as_arrays_mut::<4>().0;
                let (quanta, last) = quanta.split_at_mut(chunks.len());
                for (chunk, quantum) in chunks.iter().zip(quanta) {
                    *quantum = base64_quantum(alphabet, chunk);
                }
                if !rest.is_empty() {
                    last[0] = base64_quantum(alphabet, rest);
                }
                self.encoded_len(bytes)
            }
            TransferEncoding::Q => {
                let mut at = 0;
                for byte in bytes {
                    let [text @ .., len] = &Q_TEXT[usize::from(*byte)];
                    out[at..at + 3].copy_from_slice(text);
                    at += usize::from(*len);
                }
                at
            }
        }
    }

    /// Decodes well-formed text: whole quanta of base64 (RFC 2045, section 6.8), the last of which
    /// may be padded, or Q on one line with two digits after each `=`. Returns the number of bytes,
    /// or `None` if the text is malformed or `bytes` is too short.
    pub fn decode(self, text: &[u8], bytes: &mut [u8]) -> Option<usize> {
        work_counter::add(text.len());
        match self {
            TransferEncoding::B => decode_base64(text, bytes),
            TransferEncoding::Q => decode_q(text, bytes),
        }
    }
}

/// Encodes one to three bytes, with padding (RFC 2045, section 6.8).
#[inline]
fn base64_quantum(alphabet: &Base64Alphabet, chunk: &[u8]) -> [u8; 4] {
    let byte = |index: usize| chunk.get(index).map_or(0, |byte| u32::from(*byte));
    let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    std::array::from_fn(|index| match index <= chunk.len() {
        true => alphabet.digit((bits >> (18 - 6 * index) & 63) as usize),
        false => b'=',
    })
}

fn decode_base64(text: &[u8], bytes: &mut [u8]) -> Option<usize> {
    let (quanta, []) = text.as_arrays::<4>() else { return None };
    let Some((last, whole)) = quanta.split_last() else { return Some(0) };
    let pads = last[2..].iter().rev().take_while(|byte| **byte == b'=').count();
    let mut last = *last;
    last[4 - pads..].fill(b'A');
    let count = 3 * quanta.len();
    let chunks = bytes.get_mut(..count)?.as_arrays_mut::<3>().0;
    let (alphabet, mut all) = (&*BASE64, 0);
    for (quantum, chunk) in whole.iter().chain([&last]).zip(chunks) {
        let [a, b, c, d] = quantum.map(|byte| alphabet.value(byte));
        all |= a | b | c | d | u8::from(!quantum.is_ascii()) << 7;
        *chunk = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
    }
    (all < 64).then_some(count - pads)
}

fn decode_q(text: &[u8], bytes: &mut [u8]) -> Option<usize> {
    let (mut rest, mut count) = (text, 0);
    while let [byte, after @ ..] = rest {
        rest = after;
        let byte = match byte {
            b'_' => b' ',
            b'=' => {
                let (digits, after) = rest.split_first_chunk()?;
                rest = after;
                hex::decode_byte(*digits)?
            }
            b'\r' | b'\n' => return None,
            byte => *byte,
        };
        *bytes.get_mut(count)? = byte;
        count += 1;
    }
    Some(count)
}

/// A byte of an encoded-word, and the text that carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodedByte {
    pub value: u8,
    /// The index of the first character that carries it.
    pub from: usize,
    /// The index after the last one.
    pub to: usize,
    encoding: TransferEncoding,
    /// Bytes of its quantum of base64 up to this one, or 0 if the quantum ends.
    phase: u8,
}

impl DecodedByte {
    /// Returns a decoder that begins with this byte.
    pub fn restart(&self) -> TransferDecoder {
        let phase = if self.encoding == TransferEncoding::B { (self.phase + 2) % 3 } else { 0 };
        TransferDecoder::new(self.from, self.encoding, phase)
    }

    /// Returns a decoder that begins with the next byte.
    pub fn resume(&self) -> TransferDecoder {
        let at = self.to - usize::from(self.phase > 0);
        TransferDecoder::new(at, self.encoding, self.phase)
    }
}

/// Decodes the text of an encoded-word byte by byte, whatever is in it.
///
/// A character of base64 holds six bits and a byte eight, so a character may carry the end of one
/// byte and the beginning of the next. Between two bytes the decoder is before such a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferDecoder {
    /// The index of the next character.
    pub at: usize,
    pub encoding: TransferEncoding,
    /// Characters of the quantum of base64 before that. Between two bytes, also the number of bytes
    /// that have been decoded from it.
    pub phase: u8,
    /// The six bits and the index of the last of them, if some of its bits are not used yet.
    held: Option<(u8, usize)>,
}

impl TransferDecoder {
    pub fn new(at: usize, encoding: TransferEncoding, phase: u8) -> TransferDecoder {
        TransferDecoder { at, encoding, phase, held: None }
    }

    pub fn is_base64(&self) -> bool {
        self.encoding == TransferEncoding::B
    }

    /// Whether a quantum of base64 has begun that no padding has ended.
    pub fn in_partial_quantum(&self) -> bool {
        self.is_base64() && self.phase > 0
    }

    /// Continues the quantum in the text at `at`.
    pub fn continue_at(self, at: usize) -> TransferDecoder {
        TransferDecoder { at, ..self }
    }

    /// Decodes the next byte. Returns `None` at the `?=` of the encoded-word, or at the end.
    pub fn next(&mut self, field: &[u8]) -> Option<DecodedByte> {
        let from = self.at;
        let next = match self.encoding {
            TransferEncoding::B => self.next_of_base64(field),
            TransferEncoding::Q => self.next_of_q(field),
        };
        work_counter::add((self.at - from).max(1));
        next
    }

    /// Follows RFC 2045, section 6.8: skips characters that are not of the alphabet.
    fn next_of_base64(&mut self, field: &[u8]) -> Option<DecodedByte> {
        while let Some(&byte) = field.get(self.at) {
            let value = BASE64.value(byte);
            if byte.is_ascii() && value < 64 {
                match self.take(value) {
                    None => continue,
                    byte => return byte,
                }
            }
            match byte {
                b'?' if field.get(self.at + 1) == Some(&b'=') => return None,
                b'=' if self.phase >= 2 => (self.phase, self.held) = (0, None),
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    /// Takes a character of base64. Returns the byte that it completes.
    fn take(&mut self, value: u8) -> Option<DecodedByte> {
        let here = self.at;
        self.at += 1;
        let Some((before, from)) = self.held.replace((value, here)) else {
            self.phase += 1;
            return None;
        };
        let byte = match self.phase {
            1 => before << 2 | value >> 4,
            2 => before << 4 | value >> 2,
            _ => before << 6 | value,
        };
        let (to, encoding, phase) = (self.at, TransferEncoding::B, self.phase % 3);
        if phase == 0 {
            (self.phase, self.held) = (0, None);
        } else {
            self.phase += 1;
        }
        Some(DecodedByte { value: byte, from, to, encoding, phase })
    }

    /// Follows RFC 2047, section 4.2. A `=` without two digits is itself.
    fn next_of_q(&mut self, field: &[u8]) -> Option<DecodedByte> {
        loop {
            let (value, len) = match field.get(self.at..)? {
                [b'?', b'=', ..] => return None,
                [b'_', ..] => (b' ', 1),
                [b'=', high, low, ..] => match hex::decode_byte([*high, *low]) {
                    Some(byte) => (byte, 3),
                    None => (b'=', 1),
                },
                // Only a fold has a line end here. Its white space is text.
                [b'\r', b'\n', ..] => {
                    self.at += 2;
                    continue;
                }
                [b'\n', ..] => {
                    self.at += 1;
                    continue;
                }
                [byte, ..] => (*byte, 1),
                [] => return None,
            };
            let from = self.at;
            self.at += len;
            let encoding = TransferEncoding::Q;
            return Some(DecodedByte { value, from, to: self.at, encoding, phase: 0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes a text, with the characters that carry each byte.
    fn decoded(encoding: TransferEncoding, text: impl AsRef<[u8]>) -> Vec<(u8, String)> {
        let text = text.as_ref();
        let src = [text, b"?="].concat();
        let mut decoder = TransferDecoder::new(0, encoding, 0);
        let mut all = Vec::new();
        while let Some(byte) = decoder.next(&src) {
            let carrier = String::from_utf8_lossy(&src[byte.from..byte.to]).into_owned();
            all.push((byte.value, carrier));
            // Decoders that begin there decode the same.
            let (mut fresh, mut same) = (byte.resume(), decoder);
            assert_eq!(byte.restart().next(&src), Some(byte), "{text:?}");
            assert_eq!(fresh.next(&src), same.next(&src), "{text:?}");
        }
        assert_eq!(decoder.at, text.len());
        all
    }

    fn values(encoding: TransferEncoding, text: impl AsRef<[u8]>) -> Vec<u8> {
        decoded(encoding, text).into_iter().map(|(value, _)| value).collect()
    }

    #[test]
    fn q_is_decoded_by_the_rules() {
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
            assert_eq!(values(TransferEncoding::Q, text), bytes, "{text:?}");
        }
    }

    #[test]
    fn base64_is_decoded_by_the_rules() {
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
            assert_eq!(values(TransferEncoding::B, text), bytes, "{text:?}");
        }
    }

    #[test]
    fn each_byte_has_the_characters_that_carry_it() {
        let named = |encoding, text| -> Vec<_> {
            decoded(encoding, text).into_iter().map(|(_, carrier)| carrier).collect()
        };
        assert_eq!(named(TransferEncoding::Q, "a=C3\r\n _"), ["a", "=C3", " ", "_"]);
        assert_eq!(named(TransferEncoding::B, "Zm9vYg=="), ["Zm", "m9", "9v", "Yg"]);
        assert_eq!(named(TransferEncoding::B, "Z\r\n m-9v"), ["Z\r\n m", "m-9", "9v"]);
    }

    #[test]
    fn well_formed_text_is_what_it_is_byte_by_byte() {
        for (encoding, text, is_well_formed) in [
            (TransferEncoding::B, &b""[..], true),
            (TransferEncoding::B, b"Zm9v", true),
            (TransferEncoding::B, b"Zm9vYg==", true),
            (TransferEncoding::B, b"Zm9vYmE=", true),
            (TransferEncoding::B, b"+/+/", true),
            (TransferEncoding::B, b"Zh==", true),
            (TransferEncoding::B, b"Zm9vYg", false),
            (TransferEncoding::B, b"Zm9vYg=", false),
            (TransferEncoding::B, b"Zg==Zg==", false),
            (TransferEncoding::B, b"Z===", false),
            (TransferEncoding::B, b"Zm9v\r\n YmFy", false),
            (TransferEncoding::B, b"Zm-v", false),
            (TransferEncoding::B, b"Zm\xFFv", false),
            (TransferEncoding::Q, b"", true),
            (TransferEncoding::Q, b"a_=C3=a9?b c\t", true),
            (TransferEncoding::Q, b"\xE9", true),
            (TransferEncoding::Q, b"a=", false),
            (TransferEncoding::Q, b"=4", false),
            (TransferEncoding::Q, b"=G1", false),
            (TransferEncoding::Q, b"a\r\n b", false),
        ] {
            let mut bytes = [0x55; 192];
            let count = encoding.decode(text, &mut bytes);
            assert_eq!(count.is_some(), is_well_formed, "{text:?}");
            if let Some(count) = count {
                assert_eq!(bytes[..count], values(encoding, text), "{text:?}");
            }
        }
    }

    #[test]
    fn text_of_more_bytes_than_fit_is_left() {
        for (encoding, unit, bytes) in
            [(TransferEncoding::B, b"AAAA", 3), (TransferEncoding::Q, b"_=41", 2)]
        {
            for count in [192 / bytes, 192 / bytes + 1] {
                let (text, mut buffer) = (unit.repeat(count), [0; 192]);
                let found = encoding.decode(&text, &mut buffer);
                assert_eq!(found, (count * bytes <= 192).then_some(count * bytes));
            }
        }
    }

    fn encoded(encoding: TransferEncoding, bytes: &[u8]) -> String {
        let mut written = vec![0; encoding.encoded_len(bytes) + 2];
        let len = encoding.encode(bytes, &mut written);
        assert_eq!(len, encoding.encoded_len(bytes));
        written.truncate(len);
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
            assert_eq!(encoded(TransferEncoding::B, bytes.as_bytes()), expected);
        }
        assert_eq!(encoded(TransferEncoding::B, b"\xFF\xEF\xBE"), "/+++");
    }

    #[test]
    fn q_writes_as_itself_only_what_is_safe_in_a_phrase() {
        // RFC 2047, section 5, rule 3: letters, digits and these five; `_` is SPACE.
        let itself: Vec<u8> =
            (0..=255).filter(|byte| encoded(TransferEncoding::Q, &[*byte]).len() == 1).collect();
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\x61bcdefghijklmnopqrstuvwxyz";
        assert_eq!(itself, [b" !*+-/0123456789".as_slice(), letters].concat());
        assert_eq!(encoded(TransferEncoding::Q, b" =?_\xE9\x00\x0A"), "_=3D=3F=5F=E9=00=0A");
    }
}
