//! Words about which nothing is odd: decoded whole, without a note of where each byte comes from.
//!
//! A faster way to what [`word`](HeaderDecoder::word) comes to. It is gone at most once for each
//! word, from its beginning, so that words full of errors cost no more.

use super::bytes::{VALUES, hex};
use super::{Call, HeaderDecoder, controls};
use crate::codec::{Progress, Status};
use crate::header::visits;

/// Bytes of a word that is decoded so.
const MOST: usize = 192;

impl HeaderDecoder {
    /// Decodes the text of a word that begins here and ends before `end`, if it is in good form, of
    /// its charset, and there is space for all of it. Whether it was.
    pub(super) fn clean_word(&mut self, call: &mut Call<'_>, end: usize) -> bool {
        let mut bytes = [0; MOST];
        let text = &call.src[call.read..end];
        visits::note(text.len());
        let count = if self.stand.base64 { quanta(text, &mut bytes) } else { q(text, &mut bytes) };
        let Some(count) = count else { return false };
        let decoder = self.decoders.get(self.stand.slot);
        decoder.restore_state(self.stand.inner);
        let space = call.space();
        let Progress { read, written, status: stop } =
            decoder.decode(&bytes[..count], space, false);
        let is_clean = self.options.raw || controls::first(&space[..written]).is_none();
        if !is_clean || read < count || stop != Status::InputEmpty {
            return false;
        }
        self.stand.inner = decoder.save_state();
        call.written += written;
        if self.stand.base64 {
            // The last character with bits that are used stays unread, as it does elsewhere.
            let phase = count % 3;
            self.stand.phase = phase as u8;
            call.read += count / 3 * 4 + phase;
        } else {
            call.read = end;
        }
        true
    }
}

/// The bytes of whole quanta of base64, the last of which may be padded; how many they are.
fn quanta(text: &[u8], bytes: &mut [u8; MOST]) -> Option<usize> {
    let (quanta, []) = text.as_chunks::<4>() else { return None };
    let Some((last, whole)) = quanta.split_last() else { return Some(0) };
    let pads = last[2..].iter().rev().take_while(|byte| **byte == b'=').count();
    let mut last = *last;
    last[4 - pads..].fill(b'A');
    let count = 3 * quanta.len();
    let positions = bytes.get_mut(..count)?.as_chunks_mut::<3>().0;
    let mut all = 0;
    for (quantum, position) in whole.iter().chain([&last]).zip(positions) {
        let [a, b, c, d] = quantum.map(|byte| VALUES[usize::from(byte)]);
        all |= a | b | c | d;
        *position = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
    }
    (all < 64).then_some(count - pads)
}

/// The bytes of a text in Q that is on one line and has two digits after each `=`; how many they
/// are.
fn q(text: &[u8], bytes: &mut [u8; MOST]) -> Option<usize> {
    let (mut rest, mut count) = (text, 0);
    while let [byte, after @ ..] = rest {
        rest = after;
        let raw_byte = match byte {
            b'_' => b' ',
            b'=' => {
                let ([high, low], after) = rest.split_first_chunk()?;
                let (high, low) = (hex(*high), hex(*low));
                if high | low > 15 {
                    return None;
                }
                rest = after;
                high << 4 | low
            }
            b'\r' | b'\n' => return None,
            byte => *byte,
        };
        *bytes.get_mut(count)? = raw_byte;
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{Cursor, Next};
    use super::*;

    /// What is read one byte at a time.
    fn one_by_one(base64: bool, text: &[u8]) -> Vec<u8> {
        let mut cursor = Cursor::of_text(0, base64);
        let next = || match cursor.next(text, true) {
            Next::Byte(byte) => Some(byte.value),
            _ => None,
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn a_text_in_good_form_is_what_it_is_byte_by_byte() {
        for (base64, text, is_clean) in [
            (true, &b""[..], true),
            (true, b"Zm9v", true),
            (true, b"Zm9vYg==", true),
            (true, b"Zm9vYmE=", true),
            (true, b"+/+/", true),
            (true, b"Zh==", true),
            (true, b"Zm9vYg", false),
            (true, b"Zm9vYg=", false),
            (true, b"Zg==Zg==", false),
            (true, b"Z===", false),
            (true, b"Zm9v\r\n YmFy", false),
            (true, b"Zm-v", false),
            (true, b"Zm\xFFv", false),
            (false, b"", true),
            (false, b"a_=C3=a9?b c\t", true),
            (false, b"\xE9", true),
            (false, b"a=", false),
            (false, b"=4", false),
            (false, b"=G1", false),
            (false, b"a\r\n b", false),
        ] {
            let mut bytes = [0x55; MOST];
            let count = if base64 { quanta(text, &mut bytes) } else { q(text, &mut bytes) };
            assert_eq!(count.is_some(), is_clean, "{text:?}");
            if let Some(count) = count {
                assert_eq!(bytes[..count], one_by_one(base64, text), "{text:?}");
            }
        }
    }

    #[test]
    fn what_is_longer_than_the_space_for_it_is_left() {
        for (base64, unit, bytes) in [(true, b"AAAA", 3), (false, b"_=41", 2)] {
            for count in [MOST / bytes, MOST / bytes + 1] {
                let (text, mut space) = (unit.repeat(count), [0; MOST]);
                let found = if base64 { quanta(&text, &mut space) } else { q(&text, &mut space) };
                assert_eq!(found, (count * bytes <= MOST).then_some(count * bytes));
            }
        }
    }
}
