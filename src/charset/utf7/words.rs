//! The encoder's tight loop: a word at a time into a run, and out of it.
//!
//! A step takes up to seven units, writes the digits of all the bits that could come of it, and
//! then reckons how many of them count. A character that closes the run is mostly in sight, so
//! the last digit, a `-` and that character are part of the step. Measured with the command,
//! against three units at a time: more than twice as fast for Russian, where words are short, and
//! a third faster for Chinese and emoji; English, which has no runs, is as fast as before.

use super::encode::{Pending, Rules};
use crate::kernel::front::{self, Length, NEAR};

/// Octets that a step writes at most: a shift, 20 digits, a `-` and a character.
const ROOM: usize = 24;

/// A bit for each unit of a step.
const UNITS: u128 = u128::MAX / 0xFFFF;
/// Units of a step at most, so that the bits of a unit before them have room as well.
const MOST: usize = 7;

impl Rules {
    /// Encodes while there is room for a whole step and what follows is in sight. Octets read and
    /// written; what stands in `dst` behind them is of no meaning.
    pub(super) fn words(
        &self,
        run: &mut Option<Pending>,
        text: &str,
        mut dst: &mut [u8],
    ) -> (usize, usize) {
        let (mut src, room) = (text.as_bytes(), dst.len());
        while let Some(near) = src.first_chunk()
            && let Some(to) = dst.first_chunk_mut()
        {
            let (read, written) = match (front::length(near), *run) {
                (Length::One, None) => self.plain(near, to),
                (Length::One, Some(_)) => (0, 0),
                (Length::Two, _) => self.word::<20>(run, near, to),
                _ => self.word::<12>(run, near, to),
            };
            if read == 0 {
                break;
            }
            src = &src[read..];
            dst = &mut dst[written..];
        }
        (text.len() - src.len(), room - dst.len())
    }

    /// What stands for itself.
    #[inline(always)]
    fn plain(&self, near: &[u8; NEAR], to: &mut [u8; ROOM]) -> (usize, usize) {
        to[..NEAR].copy_from_slice(near);
        let is_direct = |octet: &u8| self.direct[usize::from(*octet)];
        if near.iter().fold(true, |all, octet| all & is_direct(octet)) {
            return (NEAR, NEAR);
        }
        let count = near.iter().take_while(|octet| is_direct(octet)).count();
        (count, count)
    }

    /// Characters of one length that are not ASCII, and the one behind them if it closes the run.
    /// `DIGITS` is what their bits fill at most: 116 bits by seven units, 68 by four.
    #[inline(always)]
    fn word<const DIGITS: usize>(
        &self,
        run: &mut Option<Pending>,
        near: &[u8; NEAR],
        to: &mut [u8; ROOM],
    ) -> (usize, usize) {
        let (read, count, units) = units(near);
        let mut written = usize::from(run.is_none());
        let Pending { bits, len } = run.unwrap_or(Pending::NONE);
        let units = units & !(u128::MAX >> (16 * count));
        let bits = u128::from(bits) << 124 << (4 - len) | units >> len;
        let len = len + 16 * count;

        to[0] = self.shift;
        to[written..written + DIGITS].copy_from_slice(&self.alphabet.digits::<DIGITS>(bits));
        written += len / 6;
        let rest = len % 6;
        match near.get(read) {
            Some(&next) if self.direct[usize::from(next)] => {
                // The last digit is there already, filled with zeros.
                written += usize::from(rest > 0);
                to[written] = b'-';
                written += usize::from(self.hyphen_before.has(next.into()));
                to[written] = next;
                *run = None;
                (read + 1, written + 1)
            }
            _ => {
                let bits = (bits << (len - rest) >> 124) as u64 >> (4 - rest);
                *run = Some(Pending { bits, len: rest });
                (read, written)
            }
        }
    }
}

/// Octets, units, and the units themselves, uppermost first, of characters that are not ASCII.
#[inline(always)]
fn units(near: &[u8; NEAR]) -> (usize, usize, u128) {
    match front::length(near) {
        Length::One | Length::Two => {
            let octets = u128::from_be_bytes(*near);
            let units = octets >> 2 & (UNITS * 0x7C0) | octets & (UNITS * 0x3F);
            let (count, _) = front::twos(near);
            let count = count.min(MOST);
            (2 * count, count, units)
        }
        Length::Three => {
            let (count, values) = front::threes(near);
            let units = values.into_iter().fold(0, |units, value| units << 16 | u64::from(value));
            (3 * count, count, u128::from(units) << 64)
        }
        Length::Four => {
            let above = front::four(near) - 0x1_0000;
            let pair = 0xD800_DC00 | (above & 0xF_FC00) << 6 | above & 0x3FF;
            (4, 2, u128::from(pair) << 96)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{UTF_7, UTF_7_IMAP};
    use super::NEAR;
    use crate::charset::{Charset, Settings};
    use crate::codec::Stop;

    /// Encodes in pieces of so many characters.
    fn encode(charset: &Charset, text: &str, piece: usize) -> Vec<u8> {
        let mut encoder = charset.encoder(&Settings::default());
        let characters: Vec<char> = text.chars().collect();
        let (mut octets, mut dst) = (Vec::new(), vec![0; 8 * text.len() + 64]);
        for (index, piece) in characters.chunks(piece).enumerate() {
            let text: String = piece.iter().collect();
            let end = (index + 1) * piece.len() >= characters.len();
            let progress = encoder.encode(&text, &mut dst, end);
            assert_eq!((progress.read, progress.stop), (text.len(), Stop::Input));
            octets.extend_from_slice(&dst[..progress.written]);
        }
        octets
    }

    #[test]
    fn words_are_what_single_characters_make_which_are_too_short_for_a_step() {
        let members = ['é', 'ж', '中', '🎂', ' ', 'a', '+', '&', '~', '-'];
        for length in 1..=NEAR {
            for first in members {
                for second in members {
                    for third in members {
                        let part = |member: char| member.to_string().repeat(length);
                        let text = part(first) + &part(second) + &part(third) + &"z".repeat(NEAR);
                        for charset in [&UTF_7, &UTF_7_IMAP] {
                            let (whole, singly) =
                                (encode(charset, &text, usize::MAX), encode(charset, &text, 1));
                            assert!(whole == singly, "{} {text}", charset.name);
                        }
                    }
                }
            }
        }
    }
}
