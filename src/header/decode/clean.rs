//! Words about which nothing is odd: decoded whole, without a note of where each octet comes from.
//!
//! A faster way to what [`word`](HeaderDecoder::word) comes to. It is gone at most once for each
//! word, from its beginning, so that words full of faults cost no more.

use super::octets::{VALUES, hex};
use super::{Call, HeaderDecoder, controls};
use crate::codec::{Progress, Stop};
use crate::header::visits;

/// Octets of a word that is decoded so.
const MOST: usize = 192;

impl HeaderDecoder {
    /// Decodes the text of a word that begins here and ends before `end`, if it is in good form, of
    /// its charset, and there is room for all of it. Whether it was.
    pub(super) fn clean_word(&mut self, call: &mut Call<'_>, end: usize) -> bool {
        let mut octets = [0; MOST];
        let text = &call.src[call.read..end];
        visits::note(text.len());
        let count =
            if self.stand.base64 { quanta(text, &mut octets) } else { q(text, &mut octets) };
        let Some(count) = count else { return false };
        let decoder = self.decoders.get(self.stand.slot);
        decoder.resume(self.stand.inner);
        let room = call.room();
        let Progress { read, written, stop } = decoder.decode(&octets[..count], room, false);
        let is_clean = self.options.raw || controls::first(&room[..written]).is_none();
        if !is_clean || read < count || stop != Stop::Input {
            return false;
        }
        self.stand.inner = decoder.state();
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

/// The octets of whole quanta of base64, the last of which may be padded; how many they are.
fn quanta(text: &[u8], octets: &mut [u8; MOST]) -> Option<usize> {
    let (quanta, []) = text.as_chunks::<4>() else { return None };
    let Some((last, whole)) = quanta.split_last() else { return Some(0) };
    let pads = last[2..].iter().rev().take_while(|byte| **byte == b'=').count();
    let mut last = *last;
    last[4 - pads..].fill(b'A');
    let count = 3 * quanta.len();
    let places = octets.get_mut(..count)?.as_chunks_mut::<3>().0;
    let mut all = 0;
    for (quantum, place) in whole.iter().chain([&last]).zip(places) {
        let [a, b, c, d] = quantum.map(|byte| VALUES[usize::from(byte)]);
        all |= a | b | c | d;
        *place = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
    }
    (all < 64).then_some(count - pads)
}

/// The octets of a text in Q that is on one line and has two digits behind each `=`; how many they
/// are.
fn q(text: &[u8], octets: &mut [u8; MOST]) -> Option<usize> {
    let (mut rest, mut count) = (text, 0);
    while let [byte, behind @ ..] = rest {
        rest = behind;
        let octet = match byte {
            b'_' => b' ',
            b'=' => {
                let ([high, low], behind) = rest.split_first_chunk()?;
                let (high, low) = (hex(*high), hex(*low));
                if high | low > 15 {
                    return None;
                }
                rest = behind;
                high << 4 | low
            }
            b'\r' | b'\n' => return None,
            byte => *byte,
        };
        *octets.get_mut(count)? = octet;
        count += 1;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::super::octets::{Cursor, Next};
    use super::*;

    /// What is read one octet at a time.
    fn one_by_one(base64: bool, text: &[u8]) -> Vec<u8> {
        let mut cursor = Cursor::of_text(0, base64);
        let next = || match cursor.next(text, true) {
            Next::Octet(octet) => Some(octet.value),
            _ => None,
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn a_text_in_good_form_is_what_it_is_octet_by_octet() {
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
            let mut octets = [0x55; MOST];
            let count = if base64 { quanta(text, &mut octets) } else { q(text, &mut octets) };
            assert_eq!(count.is_some(), is_clean, "{text:?}");
            if let Some(count) = count {
                assert_eq!(octets[..count], one_by_one(base64, text), "{text:?}");
            }
        }
    }

    #[test]
    fn what_is_longer_than_the_room_for_it_is_left() {
        for (base64, unit, octets) in [(true, b"AAAA", 3), (false, b"_=41", 2)] {
            for count in [MOST / octets, MOST / octets + 1] {
                let (text, mut room) = (unit.repeat(count), [0; MOST]);
                let found = if base64 { quanta(&text, &mut room) } else { q(&text, &mut room) };
                assert_eq!(found, (count * octets <= MOST).then_some(count * octets));
            }
        }
    }
}
