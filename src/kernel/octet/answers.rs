//! Charsets of one octet a character, by table: text to octets.

use super::STEP;
use crate::kernel::front;

/// Bytes of text that a step looks at: ASCII, and the character behind it.
const NEAR: usize = STEP + 2;

/// Code points that UTF-8 writes in one or two bytes.
const SHORT: usize = 0x800;

/// Code points of a block.
const BLOCK: usize = 0x40;

/// What a character is encoded to: 0100 and an octet, or a number that the codec gives a meaning
/// to. Nought is nothing.
pub type Answer = u16;

/// Of an [`Answer`]: it is an octet.
pub const OCTET: Answer = 0x0100;

/// The answer for each character up to U+FFFF.
#[derive(Debug)]
pub struct Answers {
    short: Box<[Answer; SHORT]>,
    /// Which block a row of 64 code points has. The first is empty.
    places: Box<[u8; 0x1_0000 / BLOCK]>,
    blocks: Vec<[Answer; BLOCK]>,
}

/// What ASCII is encoded to, as far as that is quickly told.
#[derive(Debug)]
pub enum Low {
    /// To itself.
    Itself,
    /// To these octets.
    Octets(Box<[u8; 0x80]>),
    /// To something else, or not all of it.
    Other,
}

impl Answers {
    /// No answer for any character.
    pub fn new() -> Answers {
        let places = Box::new([0; 0x1_0000 / BLOCK]);
        Answers { short: Box::new([0; SHORT]), places, blocks: vec![[0; BLOCK]] }
    }

    /// The answer for a character.
    pub fn of(&self, character: char) -> Answer {
        match u32::from(character) as usize {
            value @ ..SHORT => self.short[value],
            value @ SHORT..0x1_0000 => {
                self.blocks[usize::from(self.places[value / BLOCK])][value % BLOCK]
            }
            _ => 0,
        }
    }

    /// What ASCII is encoded to.
    pub fn low(&self) -> Low {
        let ascii = &self.short[..0x80];
        if !ascii.iter().all(|answer| answer & 0xFF00 == OCTET) {
            return Low::Other;
        }
        let octets = Box::new(std::array::from_fn(|value| self.short[value] as u8));
        let itself = octets.iter().enumerate().all(|(value, octet)| usize::from(*octet) == value);
        if itself { Low::Itself } else { Low::Octets(octets) }
    }

    /// Goes past the ASCII at the front of `near`, which has been encoded, and encodes what stands
    /// behind it. Bytes read and written, and whether to go on.
    ///
    /// Where ASCII ends cannot be foreseen, so nothing branches on it: half as fast again in French.
    #[inline(always)]
    fn behind(&self, near: &[u8; NEAR], room: &mut [u8; STEP + 1]) -> (usize, usize, bool) {
        let run = near.first_chunk().map_or(0, front::ones);
        let lead = near[run];
        if lead >= 0xE0 {
            return (run, run, true);
        }
        let is_two = lead >= 0x80;
        let two = usize::from(lead & 0x1F) << 6 | usize::from(near[run + 1] & 0x3F);
        let value = std::hint::select_unpredictable(is_two, two, usize::from(lead));
        let answer = self.short[value];
        if answer & 0xFF00 != OCTET {
            return (run, run, false);
        }
        room[run] = answer as u8;
        (run + 1 + usize::from(is_two), run + 1, true)
    }

    /// Encodes the characters that stand wholly in `near`, as far as each has an octet. Bytes read
    /// and written, and whether it came to the end.
    #[inline(always)]
    fn each(&self, near: &[u8; STEP], room: &mut [u8; STEP + 1]) -> (usize, usize, bool) {
        let (mut at, mut put) = (0, 0);
        while at + 3 <= STEP {
            let low = |place: usize| usize::from(near[place] & 0x3F);
            let (len, answer) = match near[at] {
                one @ ..0x80 => (1, self.short[usize::from(one)]),
                two @ 0x80..0xE0 => (2, self.short[usize::from(two & 0x1F) << 6 | low(at + 1)]),
                three @ 0xE0..0xF0 => {
                    let place = self.places[usize::from(three & 0x0F) << 6 | low(at + 1)];
                    (3, self.blocks[usize::from(place)][low(at + 2)])
                }
                _ => (4, 0),
            };
            if answer & 0xFF00 != OCTET {
                return (at, put, false);
            }
            room[put] = answer as u8;
            put += 1;
            at += len;
        }
        (at, put, true)
    }

    /// Gives an answer for a character up to U+FFFF; one above has none.
    pub fn set(&mut self, character: char, answer: Answer) {
        let value = u32::from(character) as usize;
        if value < SHORT {
            self.short[value] = answer;
        } else if let Some(place) = self.places.get_mut(value / BLOCK) {
            // Not even 256 characters of one octet each reach the last number of a block.
            if *place == 0 && self.blocks.len() <= usize::from(u8::MAX) {
                *place = self.blocks.len() as u8;
                self.blocks.push([0; BLOCK]);
            }
            if *place != 0 {
                self.blocks[usize::from(*place)][value % BLOCK] = answer;
            }
        }
    }
}

/// Encodes characters at the front of `src` while `dst` has room to spare and each has an octet.
/// Says how many bytes it has read and written. `low` is that of these answers.
pub fn encode(src: &str, dst: &mut [u8], answers: &Answers, low: &Low) -> (usize, usize) {
    let bytes = src.as_bytes();
    let (mut read, mut written) = (0, 0);
    while let Some(near) = bytes[read..].first_chunk::<NEAR>() {
        let Some(room) = dst[written..].first_chunk_mut::<{ STEP + 1 }>() else { break };
        let Some(run) = near.first_chunk::<STEP>() else { break };
        let (at, put, all) = match low {
            _ if !near[0].is_ascii() => answers.each(run, room),
            Low::Itself => {
                room[..STEP].copy_from_slice(run);
                answers.behind(near, room)
            }
            Low::Octets(octets) => {
                room[..STEP].copy_from_slice(&run.map(|one| octets[usize::from(one & 0x7F)]));
                answers.behind(near, room)
            }
            Low::Other => answers.each(run, room),
        };
        read += at;
        written += put;
        if !all {
            break;
        }
    }
    (read, written)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{character, octets};
    use super::*;

    /// The answers where each octet has another one's character, found by turning some bits.
    fn answers(turn: u8) -> Answers {
        let mut answers = Answers::new();
        for octet in 0..=0xFF {
            if let Some(character) = character(octet ^ turn) {
                answers.set(character, OCTET | Answer::from(octet));
            }
        }
        answers
    }

    #[test]
    fn encoding_agrees_with_the_plain_loop_as_far_as_it_goes() {
        let known: String = octets().into_iter().filter_map(character).collect();
        for turn in [0, 0x15] {
            let answers = answers(turn);
            for (start, odd) in known.char_indices().zip(["", "é", "中", "😀"].iter().cycle()) {
                let text = known[start.0..].to_owned() + odd + "abcdefghijklmnopqrstuvwxyz";
                for room in [0, 16, 17, 100, 10_000] {
                    for low in [Low::Other, answers.low()] {
                        let mut dst = vec![0x55; room];
                        let (read, written) = encode(&text, &mut dst, &answers, &low);
                        let plain = |octet: &u8| character(octet ^ turn);
                        let back: Option<String> = dst[..written].iter().map(plain).collect();
                        assert_eq!(back.as_deref(), text.get(..read), "{start:?} {odd} {room}");
                        let stopped = !odd.is_empty() && text[read..].starts_with(odd);
                        let full = room - written <= STEP;
                        assert!(stopped || full || text.len() - read < NEAR, "{start:?} is early");
                    }
                }
            }
        }
    }

    #[test]
    fn what_ascii_is_encoded_to_is_told_where_it_is_an_octet() {
        assert!(matches!(answers(0).low(), Low::Itself));
        assert!(matches!(answers(0x15).low(), Low::Octets(octets) if octets[0x41] == 0x54));
        let mut answers = answers(0);
        answers.set('~', 0);
        assert!(matches!(answers.low(), Low::Other));
    }

    #[test]
    fn each_character_has_the_answer_that_it_was_given_last() {
        let mut answers = Answers::new();
        let given = ['\0', 'A', '\u{7FF}', '\u{800}', '\u{83F}', '\u{840}', '\u{FFFF}'];
        for (index, character) in given.into_iter().enumerate() {
            answers.set(character, 1);
            answers.set(character, 2 + index as Answer);
        }
        for (index, character) in given.into_iter().enumerate() {
            assert_eq!(answers.of(character), 2 + index as Answer, "{character:?}");
        }
        for character in ['\u{1}', '\u{7FE}', '\u{801}', '\u{880}', '\u{FFFE}', '\u{10000}'] {
            assert_eq!(answers.of(character), 0, "{character:?}");
        }
    }
}
